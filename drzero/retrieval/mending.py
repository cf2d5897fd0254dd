"""What an index that is otherwise up to date still lacks: clusters that are damaged or could not be made before.

Nothing is read of the archive and nothing embedded for them: they are made of the vectors that are there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from drzero.errors import IndexFault
from drzero.retrieval import clusters, vectors
from drzero.retrieval import folder as places
from drzero.retrieval.opening import open_index
from drzero.types import BuildReport, Progress


def lacks_clusters(folder: Path) -> bool:
    """Whether the index at `folder` should have clusters and has none that can be used."""
    return _home_without_clusters(folder) is not None


def _home_without_clusters(folder: Path) -> Path | None:
    """Where that index lies; None when it lacks nothing, or more than clusters."""
    try:
        with open_index(folder) as index:
            return index.folder if index.vectors.fault else None
    except IndexFault:
        return None


def mended(folder: Path, report: BuildReport, progress: Callable[[Progress], None]) -> BuildReport:
    """`report` of the unchanged index at `folder`, whose clusters are made again if it lacks them.

    An index whose clusters cannot be made stays as it is, with a note: it is searched all the same.
    """
    home = _home_without_clusters(folder)
    if home is None:
        return report
    began = time.perf_counter()

    def show(done: int, total: int) -> None:
        progress(Progress.at(done, total, "chunks", time.perf_counter() - began, "clusters"))

    try:
        with places.writing(home, "run the same command again"):
            clusters.build(home / vectors.FILE_NAME, home / clusters.FILE_NAME, show)
    except IndexFault as error:
        return replace(report, notes=(*report.notes, f"{folder.name}: {error}"))
    note = f"{folder.name}: only its clusters were made again; nothing else had changed."
    return replace(report, status="built", elapsed_s=time.perf_counter() - began, notes=(*report.notes, note))

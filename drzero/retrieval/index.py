"""The index folder of one archive: built step by step, published whole, updated from the one before, opened read-only.

```
indexes/NAME/            manifest.json · chunks.db (store) · vectors.faiss (vectors)
indexes/.NAME.building/  the same files while they grow; what they hold is kept by the next run
```
The index that is at `indexes/NAME` answers until the new one takes its place, and gives it the vectors of every text
that both have.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from drzero.errors import IndexFault
from drzero.retrieval import folder as places
from drzero.retrieval.building import STEP_S, Building
from drzero.retrieval.former import Former
from drzero.retrieval.gathering import Entries
from drzero.retrieval.leftovers import is_forced, refusal, up_to_date
from drzero.retrieval.manifest import FILE_NAME as MANIFEST
from drzero.retrieval.manifest import Manifest, description_of, identity_of
from drzero.retrieval.mending import lacks_clusters, mended
from drzero.retrieval.opening import OpenIndex, open_index
from drzero.types import ArchiveInfo, BuildReport, Embedder, Progress

__all__ = [
    "Entries",
    "Manifest",
    "OpenIndex",
    "build",
    "description_of",
    "lacks_clusters",
    "mended",
    "open_index",
    "refusal",
    "up_to_date",
]

_NO_MEMORY = ("bad_alloc", "bad allocation", "allocate memory", "Cannot allocate")


def build(
    *,
    info: ArchiveInfo,
    read: Callable[[int], Entries],
    embedder: Embedder,
    folder: Path,
    settings: Mapping[str, Any],
    limit: int | None = None,
    batch_chunks: int = 128,
    step_s: float = STEP_S,
    readers: int = 0,
    force: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> BuildReport:
    """Make the index of one archive at `folder`, going on where an interrupted build of the same settings stopped.

    `read(position)` yields the archive's entries from there on. Nothing is read when the index is there already with
    the same archive id, embedder and settings, though it gets clusters where it lacks them; one of another edition or
    other settings lends its vectors. With `force` all is made anew, and so it is where a build that was forced goes on.
    Every `step_s` seconds the work so far is made safe. Raises IndexFault when the folder cannot be written or is no
    index, or when another embedder began the build that was interrupted.
    """
    began = time.perf_counter()
    identity = identity_of(info, embedder.id, embedder.dim, settings, limit)
    places.recover(folder)
    force = force or is_forced(folder, info, embedder.id, settings, limit)
    if not force and (done := up_to_date(folder, info, embedder.id, settings, limit)):
        return mended(folder, done, progress)
    if folder.exists() and not (folder / MANIFEST).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise IndexFault(f"{folder} exists and is not an index; move it away or choose another name for the index.")
    again = "run the same command again to go on"
    with ExitStack() as stack:
        stack.enter_context(places.writing(places.building(folder), again))
        building = stack.enter_context(
            Building(folder, identity, embedder, batch_chunks=batch_chunks, step_s=step_s, force=force)
        )
        former = None if force else Former.of(folder, embedder.id, description_of(embedder))
        if former is not None:
            stack.enter_context(former)
        try:
            building.read(read, limit, _Meter(info, limit, progress), former)
            manifest, update = building.finish(info, settings, limit, progress=progress, former=former, readers=readers)
        except Exception as error:
            if not _is_out_of_memory(error):
                raise
            raise IndexFault(
                f"Memory ran out while {info.name} was indexed; close other programs and {again}."
            ) from error
    report = manifest.report(folder.name, "resumed" if building.resumed else "built")
    with places.writing(folder, again):
        places.publish(folder)
    spent = building.spent
    return replace(
        report,
        elapsed_s=time.perf_counter() - began,
        stages_s=(("read", spent.read_s), ("embed", spent.embed_s), ("write", spent.write_s)),
        update=update,
        notes=tuple(building.notes),
    )


def _is_out_of_memory(error: Exception) -> bool:
    """Whether this is how Python, a C++ library (`std::bad_alloc`), torch or ONNX Runtime say that memory ran out."""
    said = str(error)
    return isinstance(error, MemoryError) or any(sign in said for sign in _NO_MEMORY)


class _Meter:
    """Turns how far the walk is into Progress, a few times a second."""

    def __init__(self, info: ArchiveInfo, limit: int | None, show: Callable[[Progress], None]) -> None:
        self._total, self._unit = (info.entry_count, "entries") if limit is None else (limit, "articles")
        self._show, self._began, self._shown = show, time.perf_counter(), 0.0
        self._first: int | None = None

    def __call__(self, entries: int, articles: int, chunks: int) -> None:
        now = time.perf_counter()
        done = entries if self._unit == "entries" else articles
        self._first = done if self._first is None else self._first
        if now - self._shown >= 0.1:
            self._shown = now
            elapsed_s = now - self._began
            rate = (done - self._first) / elapsed_s if elapsed_s > 0 else 0.0
            self._show(
                Progress(done, self._total, self._unit, elapsed_s, rate, f"{articles:,} articles, {chunks:,} chunks")
            )

"""What an interrupted build left beside an index, and what the next one does about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from drzero.retrieval import folder as places
from drzero.retrieval import store
from drzero.retrieval.manifest import another_embedder, differences, identity_of, name_of
from drzero.retrieval.opening import unchanged
from drzero.retrieval.writing import StoreWriter
from drzero.types import ArchiveInfo, BuildReport


def _state(folder: Path) -> dict[str, Any] | None:
    """The state of the build that was interrupted at `folder`; None without one, or where it is at work or damaged."""
    path = places.building(folder) / store.FILE_NAME
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)) as db:
            return StoreWriter.state_in(db)
    except (sqlite3.Error, ValueError):
        return None  # the build itself says so


def refusal(folder: Path, embedder_id: str, description: Mapping[str, Any]) -> str:
    """Why the build that was interrupted at `folder` cannot go on with this embedder, as a sentence; "" if it can."""
    return refusal_in(_state(folder) or {}, folder.name, embedder_id, description)


def refusal_in(state: Mapping[str, Any], name: str, embedder_id: str, description: Mapping[str, Any]) -> str:
    """The same of the `state` that a build of the index `name` left."""
    before = (state.get("identity") or {}).get("embedder", embedder_id)
    if before == embedder_id or not state.get("chunks"):
        return ""
    others = another_embedder((before, state.get("description") or {}), (embedder_id, description))
    return (
        f"The interrupted build of the index {name} ({state['chunks']:,} chunks so far) was begun with the "
        f"embedder {others}; choose that one with --embedder {name_of(before)} to go on, or --force to begin anew "
        "with this one."
    )


def is_forced(
    folder: Path, info: ArchiveInfo, embedder_id: str, settings: Mapping[str, Any], limit: int | None
) -> bool:
    """Whether a build of just this was forced at `folder` and interrupted, so that it is to go on as it was begun."""
    state = _state(folder) or {}
    made = state.get("identity") or {}
    wanted = identity_of(info, embedder_id, made.get("dim", 0), settings, limit)
    return bool(state.get("forced")) and wanted.items() <= made.items()


def up_to_date(
    folder: Path, info: ArchiveInfo, embedder_id: str, settings: Mapping[str, Any], limit: int | None
) -> BuildReport | None:
    """The report of a sound index of just this archive, embedder and settings; None when there is something to build.

    That is so, too, where a build of the same was forced and interrupted. Of one of another kind a note tells: it may
    be many hours of work, so that it is not thrown away here.
    """
    report = unchanged(folder, info, embedder_id, settings, limit)
    if report is None or (state := _state(folder)) is None:
        return report
    if is_forced(folder, info, embedder_id, settings, limit):
        return None
    made, growing = state.get("identity") or {}, places.building(folder)
    if not made:
        note = f"{folder.name} is up to date, but a build that was interrupted at once left {growing}: delete it."
        return replace(report, notes=(*report.notes, note))
    other = made.get("embedder", embedder_id)
    what = f"the embedder {other}" if other != embedder_id else "other settings"
    wanted = identity_of(info, embedder_id, made.get("dim", 0), settings, limit)
    why = differences(made, wanted)
    note = (
        f"{folder.name} is up to date, but an interrupted build of it with {what} is there, too "
        f"({state['chunks']:,} chunks{'; ' + why if why else ''}): build-index goes on with it when it is "
        f"given what it was begun with; without need of it delete {growing}."
    )
    return replace(report, notes=(*report.notes, note))

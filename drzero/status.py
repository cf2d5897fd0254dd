"""What is here: archives, indexes, models, knowledge base, curriculum and the last run. Looks only, loads no model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from drzero.config import Settings
from drzero.corpus.zim import find_archives, open_archive
from drzero.errors import ArchiveError, IndexFault, KnowledgeBaseError, SettingsError
from drzero.judges import kept_calibrations, overriding
from drzero.kb.episodes import counts, load_curriculum
from drzero.loop.curriculum import stuck_types
from drzero.models.catalogue import load_catalogue
from drzero.models.presets import load_presets
from drzero.models.resolve import find_models
from drzero.pipeline import model_folders
from drzero.profiles import load_profile
from drzero.records import knowledge_base, recent_runs
from drzero.results import RunRecord
from drzero.retrieval.index import Manifest
from drzero.types import ArchiveInfo, Curriculum
from drzero.workspace import Workspace

EVENTS_SHOWN = 5  # the latest of the last run; `drzero episodes runs RUN` shows them all


def status(workspace: Workspace, settings: Settings) -> dict[str, Any]:
    """The workspace as one JSON document. What cannot be read has a `fault`, a sentence, in place of its figures."""
    document: dict[str, Any] = {
        "workspace": str(workspace.root),
        "archives": [_archive(path, info) for path, info in archives(workspace)],
        "indexes": [_index(name, made) for name, made in manifests(workspace)],
        "half_built": list(workspace.half_built()),
        "models": [model for model in models(workspace) if model["here"]],
        "settings": {
            "embedder": settings.models.embedder,
            "reranker": settings.models.reranker,
            "llm": settings.models.llm,
            "judge": settings.models.judge,
            "min_probability": overriding(settings),
            "profile": settings.loop.profile,
        },
        "calibrations": _calibrations(workspace),
        "knowledge_base": {"entries": {}, "episodes": {}, "runs": {}},
        "curriculum": None,
        "last_run": None,
    }
    if workspace.database.exists():
        try:
            document |= _from_knowledge_base(workspace, settings)
        except KnowledgeBaseError as error:
            document["knowledge_base"]["fault"] = str(error)
    return document


def _calibrations(workspace: Workspace) -> list[dict[str, Any]]:
    """The workspace's own calibrations of judges, or why they cannot be read."""
    try:
        kept = kept_calibrations(workspace)
    except SettingsError as error:
        return [{"fault": str(error)}]
    return [
        {
            "judge": one.judge,
            "pairs": one.pairs,
            "made_at": one.made_at,
            "threshold": one.threshold,
            **{name: value for name, value in one.figures if name in ("precision", "recall")},
        }
        for one in kept
    ]


def archives(workspace: Workspace) -> list[tuple[Path, ArchiveInfo | ArchiveError]]:
    """Each archive in `zims/` with what it says of itself, or why it does not open."""
    found: list[tuple[Path, ArchiveInfo | ArchiveError]] = []
    for path in find_archives(workspace.zims):
        try:
            found.append((path, open_archive(path).info))
        except ArchiveError as error:
            found.append((path, error))
    return found


def manifests(workspace: Workspace) -> list[tuple[str, Manifest | IndexFault]]:
    """Each index by name with what it says of itself, or why that cannot be read."""
    found: list[tuple[str, Manifest | IndexFault]] = []
    for name in workspace.index_names():
        try:
            found.append((name, Manifest.load(workspace.index_folder(name))))
        except IndexFault as error:
            found.append((name, error))
    return found


def models(workspace: Workspace) -> list[dict[str, Any]]:
    """Every model of the catalogue and every other one found, with whether and where it is here."""
    here = {model.name.casefold(): model for model in find_models(model_folders(workspace))}
    rows: list[dict[str, Any]] = []
    for known in load_catalogue():
        found = here.pop(known.name.casefold(), None)
        rows.append(
            _model(known.name, known.kind, str(found.path) if found else "")
            | {
                "title": known.title,
                "licence": known.licence,
                "origin": known.origin,
                "presets": [preset.name for preset in load_presets() if known in preset.models],
                "download_bytes": known.download_bytes,
                "disk_bytes": known.disk_bytes,
            }
        )
    return rows + [_model(other.name, other.kind, str(other.path)) for other in here.values()]


def _model(name: str, kind: str, path: str) -> dict[str, Any]:
    return {
        "name": name,
        "kind": kind,
        "title": "",
        "licence": "",
        "origin": "",
        "presets": [],
        "here": bool(path),
        "path": path,
        "download_bytes": 0,
        "disk_bytes": 0,
    }


def _archive(path: Path, info: ArchiveInfo | ArchiveError) -> dict[str, Any]:
    if isinstance(info, ArchiveError):
        return {"path": str(path), "fault": str(info)}
    return {
        "path": str(path),
        "zim_id": info.id,
        "title": info.title,
        "kind": info.kind,
        "language": info.language,
        "date": info.date,
    }


def _index(name: str, made: Manifest | IndexFault) -> dict[str, Any]:
    if isinstance(made, IndexFault):
        return {"index": name, "fault": str(made)}
    return {
        "index": name,
        "zim_id": made.archive.id,
        "articles": made.articles,
        "chunks": made.chunks,
        "truncated_chunks": made.truncated_chunks,
        "embedder": made.embedder,
        "precision": made.description.get("precision", ""),
        "chunks_per_s": made.pace.get("chunks_per_s", 0.0),
        "created_at": made.created_at,
    }


def _from_knowledge_base(workspace: Workspace, settings: Settings) -> dict[str, Any]:
    try:
        profile = load_profile(settings.loop.profile).name
    except SettingsError:
        profile = settings.loop.profile
    with knowledge_base(workspace) as db:
        state, last = load_curriculum(db, profile), recent_runs(db, limit=1)
        return {
            "knowledge_base": counts(db),
            "curriculum": _curriculum(profile, state) if state else None,
            "last_run": _run(last[0]) if last else None,
        }


def _curriculum(profile: str, state: Curriculum) -> dict[str, Any]:
    return {
        "profile": profile,
        "level": state.level,
        "iterations": state.iterations,
        "scores": list(state.scores),
        "promotion": state.promotion,
        "demotion": state.demotion,
        "leaning": state.leaning,
        "types": {kind.name: {"tries": kind.tries, "accepted": kind.accepted} for kind in state.types},
        "stuck": list(stuck_types(state)),
    }


def _run(record: RunRecord) -> dict[str, Any]:
    run = record.run
    news = [event for event in record.events if event.kind != "iteration"]
    return {
        "run": run.id,
        "profile": run.profile,
        "status": run.status,
        "iterations": run.iterations,
        "iterations_done": run.iterations_done,
        "seed": run.seed,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "episodes": record.episodes,
        "accepted": record.accepted,
        "articles": len(record.seeds),
        "events": [
            {"iteration": event.iteration, "kind": event.kind, "reason": event.reason, "at": event.at}
            for event in news[-EVENTS_SHOWN:]
        ],
    }

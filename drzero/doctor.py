"""What is here, what is missing, and which command mends it. Looks only: loads no model, writes nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import Any, Literal

from drzero.config import Settings
from drzero.corpus.zim import find_archives, open_archive
from drzero.errors import DrZeroError, IndexFault
from drzero.kb.episodes import counts, get_episode, list_episodes, load_curriculum, runs
from drzero.models.catalogue import load_catalogue
from drzero.models.resolve import find_models
from drzero.pipeline import find_embedder, find_writer, model_folders
from drzero.profiles import load_profile
from drzero.records import knowledge_base
from drzero.retrieval.index import Manifest, open_index
from drzero.types import ArchiveInfo, Run
from drzero.workspace import Workspace

_LIBRARIES = (
    ("libzim", "libzim", "reads archives"),
    ("faiss", "faiss-cpu", "finds near vectors"),
    ("sentence_transformers", "sentence-transformers", "runs the embedder"),
    ("torch", "torch", "runs the embedder"),
    ("llama_cpp", "llama-cpp-python", "runs the writer"),
    ("sqlite_utils", "sqlite-utils", "keeps the knowledge base"),
)
_FREE_BYTES = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """One thing examined. "missing" stops the work, "note" is worth knowing; `remedy` says what to do."""

    name: str
    state: Literal["ok", "note", "missing"]
    detail: str
    remedy: str = ""


def examine(workspace: Workspace, settings: Settings) -> tuple[Check, ...]:
    """Every check, in the order in which things are needed."""
    return (
        *_libraries(),
        _full_text_search(),
        _writable(workspace),
        _room(workspace),
        _model("embedder", lambda: find_embedder(workspace, settings)),
        _model("writer", lambda: find_writer(workspace, settings)),
        _memory(workspace, settings),
        _profile(settings),
        _archives(workspace),
        _indexes(workspace),
        _knowledge_base(workspace),
        _pace(workspace),
    )


def _libraries() -> list[Check]:
    """Whether each library is installed; importing them would take seconds."""
    checks = [Check("python", "ok", f"{sys.version.split()[0]} at {sys.executable}")]
    for module, package, purpose in _LIBRARIES:
        if util.find_spec(module) is None:
            checks.append(Check(module, "missing", f"{purpose}, but is not installed", f"run `pip install {package}`"))
        else:
            checks.append(Check(module, "ok", f"{metadata.version(package)}, {purpose}"))
    return checks


def _full_text_search() -> Check:
    with closing(sqlite3.connect(":memory:")) as db:
        try:
            db.execute("create virtual table words using fts5(body)")
        except sqlite3.OperationalError:
            remedy = "install a Python whose SQLite has FTS5, such as the one of python.org"
            return Check("sqlite", "missing", f"{sqlite3.sqlite_version} without FTS5", remedy)
    return Check("sqlite", "ok", f"{sqlite3.sqlite_version} with FTS5")


def _writable(workspace: Workspace) -> Check:
    if os.access(workspace.root, os.W_OK):
        return Check("workspace", "ok", str(workspace.root))
    return Check(
        "workspace", "note", f"{workspace.root} is read-only", "search and ask work; to build, use --workspace"
    )


def _room(workspace: Workspace) -> Check:
    free = shutil.disk_usage(workspace.root).free
    detail = f"{free / 1e9:.1f} GB free at {workspace.root}"
    return Check("disk", "ok", detail) if free > _FREE_BYTES else Check("disk", "note", detail, "free some space")


def _model(role: str, find: Callable[[], Any]) -> Check:
    try:
        found = find()
    except DrZeroError as error:
        return Check(role, "missing", str(error), _command(str(error)))
    return Check(role, "ok", f"{found.name} in {found.path}" if found else "none: templates propose, sentences answer")


def _command(sentence: str) -> str:
    """The command that an error's sentence names, as a remedy of its own."""
    commands = sentence.split("`")[1::2]
    return f"run `{commands[-1]}`" if commands else ""


def _memory(workspace: Workspace, settings: Settings) -> Check:
    """Whether the writer fits: a loaded GGUF takes about twice its file with its context and working space."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return Check("memory", "note", "this system does not say how much there is")
    detail = f"{total / 1e9:.1f} GB, {os.cpu_count()} processor threads"
    try:
        writer = find_writer(workspace, settings)
    except DrZeroError:
        writer = None
    if writer and total < 2 * writer.path.stat().st_size:
        return Check(
            "memory", "note", detail, f"{writer.name} may not fit: choose a smaller one with --llm, or --llm none"
        )
    return Check("memory", "ok", detail)


def _profile(settings: Settings) -> Check:
    try:
        profile = load_profile(settings.loop.profile)
    except DrZeroError as error:
        return Check("profile", "missing", str(error), "choose `wikipedia` or `coding`")
    return Check("profile", "ok", f"{profile.name}: {', '.join(kind.name for kind in profile.types)}")


def archives(workspace: Workspace) -> list[tuple[Path, ArchiveInfo | DrZeroError]]:
    """Each archive in `zims/` with what it says of itself, or why it does not open."""
    found: list[tuple[Path, ArchiveInfo | DrZeroError]] = []
    for path in find_archives(workspace.zims):
        try:
            found.append((path, open_archive(path).info))
        except DrZeroError as error:
            found.append((path, error))
    return found


def _archives(workspace: Workspace) -> Check:
    found = archives(workspace)
    bad = [info for _, info in found if isinstance(info, DrZeroError)]
    if bad:
        return Check(
            "archives",
            "note",
            f"{len(bad)} of {len(found)} do not open: {bad[0]}",
            "fetch them again or move them away",
        )
    if not found:
        detail = f"none in {workspace.zims}"
        return Check("archives", "note", detail, "put .zim files there, or name one to `drzero build-index`")
    return Check("archives", "ok", ", ".join(path.name for path, _ in found))


def _indexes(workspace: Workspace) -> Check:
    names = workspace.index_names()
    if not names:
        return Check("indexes", "missing", f"none in {workspace.indexes}", "run `drzero build-index`")
    chunks, embedders = 0, set()
    for name in names:
        try:
            with open_index(workspace.index_folder(name)) as index:
                chunks += index.count
                embedders.add(index.manifest.embedder)
        except IndexFault as error:
            return Check("indexes", "missing", str(error), "run `drzero build-index --force`")
    if len(embedders) > 1:
        detail = f"made with several embedders ({', '.join(sorted(embedders))}), so they cannot be searched together"
        return Check("indexes", "note", detail, "run `drzero build-index` to bring all to one")
    return Check("indexes", "ok", f"{', '.join(names)}: {chunks:,} chunks")


def _knowledge_base(workspace: Workspace) -> Check:
    if not workspace.database.exists():
        return Check("knowledge base", "note", "empty so far", "run `drzero evolve`")
    try:
        held = knowledge(workspace)
    except DrZeroError as error:
        return Check("knowledge base", "missing", str(error), "restore a copy, or move the file away")
    return Check(
        "knowledge base", "ok", f"{sum(held['entries'].values())} entries, {sum(held['episodes'].values())} episodes"
    )


def _pace(workspace: Workspace) -> Check:
    """How long an episode takes here, as measured by the last ones; nothing is guessed."""
    if workspace.database.exists():
        try:
            with knowledge_base(workspace) as db:
                last = list_episodes(db, limit=10, newest_first=True)
                times = [get_episode(db, summary.id).elapsed_s for summary in last]
        except DrZeroError:
            times = []
        if times:
            detail = f"an episode took {sum(times) / len(times):.0f} s on average, over the last {len(times)}"
            return Check("pace", "ok", detail)
    return Check(
        "pace", "note", "no episode has been timed yet", "`drzero evolve --iterations 1 --challenges 2` shows it"
    )


# --- status ---------------------------------------------------------------------------------------------------------


def status(workspace: Workspace, settings: Settings) -> dict[str, Any]:
    """The workspace as one JSON document: archives, indexes, models, knowledge_base, curriculum, last_run."""
    indexes: list[dict[str, Any]] = []
    for name in workspace.index_names():
        try:
            made = Manifest.load(workspace.index_folder(name))
        except IndexFault as error:
            indexes.append({"index": name, "fault": str(error)})
            continue
        indexes.append(
            {
                "index": name,
                "zim_id": made.archive.id,
                "articles": made.articles,
                "chunks": made.chunks,
                "truncated_chunks": made.truncated_chunks,
                "embedder": made.embedder,
                "created_at": made.created_at,
            }
        )
    document: dict[str, Any] = {
        "workspace": str(workspace.root),
        "archives": [
            {"path": str(path), "fault": str(info)}
            if isinstance(info, DrZeroError)
            else {
                "path": str(path),
                "zim_id": info.id,
                "title": info.title,
                "kind": info.kind,
                "language": info.language,
                "date": info.date,
            }
            for path, info in archives(workspace)
        ],
        "indexes": indexes,
        "models": [model for model in models(workspace) if model["here"]],
        "settings": {
            "embedder": settings.models.embedder,
            "llm": settings.models.llm,
            "profile": settings.loop.profile,
        },
        "knowledge_base": {"entries": {}, "episodes": {}, "runs": {}},
        "curriculum": None,
        "last_run": None,
    }
    if workspace.database.exists():
        document |= _from_knowledge_base(workspace, settings)
    return document


def _from_knowledge_base(workspace: Workspace, settings: Settings) -> dict[str, Any]:
    with knowledge_base(workspace) as db:
        profile = load_profile(settings.loop.profile).name
        state, last = load_curriculum(db, profile), runs(db, limit=1)
        return {
            "knowledge_base": counts(db),
            "curriculum": None
            if state is None
            else {
                "profile": profile,
                "level": state.level,
                "iterations": state.iterations,
                "scores": list(state.scores),
                "promotion": state.promotion,
                "demotion": state.demotion,
                "types": {kind.name: {"tries": kind.tries, "accepted": kind.accepted} for kind in state.types},
            },
            "last_run": _run(last[0]) if last else None,
        }


def _run(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "profile": run.profile,
        "status": run.status,
        "iterations": run.iterations,
        "iterations_done": run.iterations_done,
        "seed": run.seed,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
    }


def knowledge(workspace: Workspace) -> dict[str, dict[str, int]]:
    """How many entries, episodes and runs there are, by status."""
    with knowledge_base(workspace) as db:
        return counts(db)


def models(workspace: Workspace) -> list[dict[str, Any]]:
    """Every model of the catalogue and every other one found, with whether and where it is here."""
    here = {model.name.casefold(): model for model in find_models(model_folders(workspace))}
    known = load_catalogue()
    rows: list[dict[str, Any]] = []
    for model in known:
        found = here.pop(model.name.casefold(), None)
        rows.append(
            {
                "name": model.name,
                "kind": model.kind,
                "title": model.title,
                "licence": model.licence,
                "here": found is not None,
                "path": str(found.path) if found else "",
                "download_bytes": model.download_bytes,
                "disk_bytes": model.disk_bytes,
            }
        )
    rows += [
        {
            "name": model.name,
            "kind": model.kind,
            "title": "",
            "licence": "",
            "here": True,
            "path": str(model.path),
            "download_bytes": 0,
            "disk_bytes": 0,
        }
        for model in here.values()
    ]
    return rows

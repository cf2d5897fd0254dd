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
from typing import Literal

from drzero.config import Settings
from drzero.errors import ArchiveError, DrZeroError, IndexFault, SettingsError
from drzero.judges import choose_calibration, foresee_judge, kept_calibrations, overriding, overriding_note
from drzero.kb.episodes import counts, get_episode, list_episodes
from drzero.models.resolve import ResolvedModel
from drzero.pipeline import NO_WRITER, WRITER_JUDGES, embedder_id, find_embedder, find_reranker, find_writer
from drzero.profiles import load_profile
from drzero.records import knowledge_base
from drzero.retrieval.index import Manifest, open_index
from drzero.status import archives, manifests
from drzero.workspace import Workspace

_LIBRARIES = (
    ("libzim", "libzim", "reads archives"),
    ("faiss", "faiss-cpu", "finds near vectors"),
    ("onnxruntime", "onnxruntime", "runs the embedder"),
    ("tokenizers", "tokenizers", "cuts text into the embedder's tokens"),
    ("llama_cpp", "llama-cpp-python", "runs the writer"),
    ("sqlite_utils", "sqlite-utils", "keeps the knowledge base"),
)
_CONVERTERS = (
    ("sentence_transformers", "sentence-transformers"),
    ("torch", "torch"),
    ("onnx", "onnx"),
    ("onnxscript", "onnxscript"),
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
        *_reranker(workspace, settings),
        _model("writer", lambda: find_writer(workspace, settings)),
        *_judge(workspace, settings),
        _memory(workspace, settings),
        _profile(settings),
        _archives(workspace),
        _indexes(workspace, settings),
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
            checks.append(Check(module, "ok", f"{_version(package)}, {purpose}"))
    for module, package in _CONVERTERS:
        if util.find_spec(module) is None:
            detail = "not installed; an embedder without an ONNX graph could not be prepared"
            checks.append(Check(module, "note", detail, f"run `pip install {package}` if you bring such a model"))
        else:
            checks.append(Check(module, "ok", f"{_version(package)}, prepares an embedder, once"))
    return checks


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "of another package"


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


def _model(role: str, find: Callable[[], ResolvedModel | None]) -> Check:
    try:
        found = find()
    except DrZeroError as error:
        return Check(role, "missing", str(error), _command(str(error)))
    if found is None:
        return Check(role, "note", "none is chosen: search works", "to ask and evolve, name one with --llm")
    return Check(role, "ok", f"{found.name} in {found.path}")


def _reranker(workspace: Workspace, settings: Settings) -> list[Check]:
    """Whether the re-ranker is here, where one is wanted."""
    try:
        found = find_reranker(workspace, settings)
    except DrZeroError as error:
        return [Check("re-ranker", "missing", str(error), _command(str(error)))]
    if found is None:
        return []
    return [Check("re-ranker", "ok", f"{found[0].name} in {found[0].path}, for the first {found[1]} passages")]


def _judge(workspace: Workspace, settings: Settings) -> list[Check]:
    """Whether the judge is here, and by which calibration it is believed."""
    try:
        kept, judge = kept_calibrations(workspace), foresee_judge(workspace, settings)
        if judge is None:
            return []
        calibration, _ = choose_calibration(judge, kept)
    except SettingsError as error:
        return [Check("judge", "missing", str(error), "mend calibration.json, or move it away")]
    except DrZeroError as error:
        if settings.models.judge in WRITER_JUDGES:  # the writer has a check of its own
            return []
        return [Check("judge", "missing", str(error), _command(str(error)) or "name another one with --judge")]
    instead = overriding(settings)
    but = f"; but {overriding_note(instead)}" if instead else ""
    own = "no model: the evidence's own words" if settings.models.llm == NO_WRITER else "the writer itself"
    who = own if judge.folder is None else f"{judge.folder.name} in {judge.folder.path}"
    if calibration in kept:
        figures = dict(calibration.figures)
        told = f"precision {figures.get('precision', 0):.3f} at recall {figures.get('recall', 0):.3f}"
        return [Check("judge", "ok", f"{who}, calibrated on {calibration.pairs:,} pairs: {told}{but}")]
    if calibration.judge != "*":
        return [Check("judge", "ok", f"{who}, calibrated as packaged{but}")]
    remedy = "run `drzero eval calibrate PAIRS.jsonl --save` on labelled pairs of your own"
    return [Check("judge", "note", f"{who}, not calibrated on this machine: it is believed with caution{but}", remedy)]


def _command(sentence: str) -> str:
    """The command that an error's sentence names, as a remedy of its own."""
    commands = [quoted for quoted in sentence.split("`")[1::2] if quoted.startswith(("drzero ", "pip "))]
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
        return Check("memory", "note", detail, f"{writer.name} may not fit: choose a smaller one with --llm")
    return Check("memory", "ok", detail)


def _profile(settings: Settings) -> Check:
    try:
        profile = load_profile(settings.loop.profile)
    except DrZeroError as error:
        return Check("profile", "missing", str(error), "choose `wikipedia` or `coding`")
    return Check("profile", "ok", f"{profile.name}: {', '.join(kind.name for kind in profile.types)}")


def _archives(workspace: Workspace) -> Check:
    found = archives(workspace)
    if bad := [info for _, info in found if isinstance(info, ArchiveError)]:
        detail = f"{len(bad)} of {len(found)} do not open: {bad[0]}"
        return Check("archives", "note", detail, "fetch them again or move them away")
    if not found:
        detail = f"none in {workspace.zims}"
        return Check("archives", "note", detail, "put .zim files there, or name one to `drzero build-index`")
    indexed = {made.archive.id for _, made in manifests(workspace) if isinstance(made, Manifest)}
    if new := [path.name for path, info in found if not isinstance(info, ArchiveError) and info.id not in indexed]:
        return Check("archives", "note", f"not indexed yet: {', '.join(new)}", "run `drzero build-index`")
    return Check("archives", "ok", ", ".join(path.name for path, _ in found))


def _indexes(workspace: Workspace, settings: Settings) -> Check:
    """Whether every index opens and was made with the embedder of the settings."""
    remedy = "run `drzero build-index`"  # it makes anew what is at fault, and only that
    names, half = workspace.index_names(), workspace.half_built()
    if not names:
        detail = f"{', '.join(half)}: half built" if half else f"none in {workspace.indexes}"
        return Check("indexes", "missing", detail, remedy)
    try:
        wanted = embedder_id(workspace, settings)
    except DrZeroError:
        wanted = None  # a check of its own
    chunks, slow = 0, ""
    for name in names:
        try:
            with open_index(workspace.index_folder(name), embedder_id=wanted) as index:
                chunks += index.count
                slow = slow or index.vectors.fault
        except IndexFault as error:
            return Check("indexes", "missing", str(error), remedy)
    if slow:
        return Check("indexes", "note", slow, remedy)
    detail = f"{', '.join(names)}: {chunks:,} chunks"
    if half:
        return Check("indexes", "note", f"{detail}; {', '.join(half)}: half built", remedy)
    return Check("indexes", "ok", detail)


def _knowledge_base(workspace: Workspace) -> Check:
    if not workspace.database.exists():
        return Check("knowledge base", "note", "empty so far", "run `drzero evolve`")
    try:
        with knowledge_base(workspace) as db:
            held = counts(db)
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

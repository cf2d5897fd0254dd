"""The program on a page: each command's work as one function from a workspace and settings to a result.

What is light comes first: archives are opened, indexes and model files looked at, before a model is loaded, so that a
mistake is told within a moment. Only `evolving`, `rechecking` and `merging` write to the knowledge base.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from drzero.config import Settings
from drzero.corpus import EXTRACTION_VERSION
from drzero.corpus.reading import read_chunks, reader_count
from drzero.corpus.zim import ZimArchive, archive_name, find_archives, open_archive
from drzero.errors import ArchiveError, IndexFault, ModelError, SettingsError
from drzero.models import embedding, reranking
from drzero.models.catalogue import models_folder
from drzero.models.describing import describe_files, read_settings
from drzero.models.embedding import LoadedEmbedder
from drzero.models.presets import resolve_embedder, resolve_reranker
from drzero.models.resolve import ResolvedModel, resolve_model
from drzero.profiles import Profile, load_profile
from drzero.results import BuildOptions, Mode, SearchResult
from drzero.retrieval import search as retrieval_search
from drzero.retrieval.index import (
    OpenIndex,
    build,
    description_of,
    lacks_clusters,
    mended,
    open_index,
    refusal,
    up_to_date,
)
from drzero.retrieval.leaning import index_notes
from drzero.types import BuildReport, Passage, Progress, ReadEntry, Reranker
from drzero.workspace import Workspace

ShowProgress = Callable[[Progress], None]
_log = logging.getLogger(__name__)
NO_WRITER = "none"  # as `--llm`: no model at all
WRITER_JUDGES = ("auto", "writer")  # as `--judge`: no model beside the writer


# --- models ---------------------------------------------------------------------------------------------------------


def model_folders(workspace: Workspace) -> tuple[Path, ...]:
    """Where models are looked for: the workspace's own folder, then the user's shared one."""
    return workspace.models, models_folder()


def find_embedder(workspace: Workspace, settings: Settings) -> ResolvedModel:
    """The files of the embedder in the settings, not loaded; raises ModelError."""
    return resolve_embedder(settings.models.embedder, folders=model_folders(workspace))


def find_reranker(workspace: Workspace, settings: Settings) -> tuple[ResolvedModel, int] | None:
    """The files of the re-ranker in the settings, and how many passages it reads; None for none. Raises ModelError."""
    wanted, embedder = settings.models.reranker, settings.models.embedder
    return resolve_reranker(wanted, embedder, folders=model_folders(workspace), depth=retrieval_search.RERANK_DEPTH)


def find_writer(workspace: Workspace, settings: Settings) -> ResolvedModel | None:
    """The file of the writer in the settings, header checked, not loaded; None for `--llm none`. Raises ModelError."""
    if settings.models.llm == NO_WRITER:
        return None
    return resolve_model(settings.models.llm, "writer", folders=model_folders(workspace))


def find_judge(workspace: Workspace, settings: Settings) -> ResolvedModel | None:
    """The folder of the NLI model that judges, checked, not loaded; None where the writer does. Raises ModelError."""
    if settings.models.judge in WRITER_JUDGES:
        return None
    return resolve_model(settings.models.judge, "judge", folders=model_folders(workspace))


def embedder_id(workspace: Workspace, settings: Settings) -> str:
    """The id of the embedder in the settings, which indexes carry; nothing is loaded. Raises ModelError."""
    return embedding.embedder_id(find_embedder(workspace, settings).path)


def describe_embedder(workspace: Workspace, settings: Settings) -> dict[str, Any]:
    """What the files of the embedder in the settings say of it, to tell it from another; {} when they say nothing."""
    try:
        path = find_embedder(workspace, settings).path
        return describe_files(read_settings(path), embedding.embedder_id(path))
    except ModelError:
        return {}


def load_embedder(workspace: Workspace, settings: Settings) -> LoadedEmbedder:
    """The embedder in the settings, loaded; a warning is logged when that takes long. Raises ModelError."""
    path, note = find_embedder(workspace, settings).path, _log.warning
    return embedding.load_embedder(path, threads=settings.models.threads, note=note)


def load_reranker(workspace: Workspace, settings: Settings) -> tuple[Reranker | None, int]:
    """The re-ranker in the settings, loaded, and how many passages it reads; (None, 0) for none. Raises ModelError."""
    found = find_reranker(workspace, settings)
    if found is None:
        return None, 0
    return reranking.load_reranker(found[0], threads=settings.models.threads, note=_log.warning), found[1]


def _noting(progress: ShowProgress, name: str) -> ShowProgress:
    return lambda now: progress(replace(now, note=f"{name} {now.note}".rstrip()))


# --- build-index ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What `build-index` has to do: the index name of each archive, what is told already, and the archives to read."""

    names: dict[Path, str]
    reports: dict[Path, BuildReport]  # unchanged or failed
    work: dict[Path, ZimArchive]


def plan_build(workspace: Workspace, settings: Settings, options: BuildOptions) -> BuildPlan:
    """Look at every archive and index, without loading a model or writing anything.

    Raises ArchiveError when there is no archive, SettingsError when names clash, ModelError without the embedder.
    """
    names = _index_names(_archives(workspace, options.archives), options.name)
    plan = BuildPlan(names, {}, {})
    for path, name in names.items():
        archive = _open(path, name, options)
        if isinstance(archive, ZimArchive):
            plan.work[path] = archive
        else:
            plan.reports[path] = archive
    if plan.work:
        wanted, chosen = embedder_id(workspace, settings), _index_settings(settings, options)
        described = describe_embedder(workspace, settings)
        for path, archive in list(plan.work.items()):
            folder = workspace.index_folder(names[path])
            done = up_to_date(folder, archive.info, wanted, chosen, options.limit)
            if done is not None and not options.force:
                plan.reports[path] = replace(done, entries=archive.info.entry_count)
                del plan.work[path]
            elif not options.force and (said := refusal(folder, wanted, described)):
                plan.reports[path] = BuildReport(names[path], archive.info.id, archive.info.kind, "failed", reason=said)
                del plan.work[path]
    return plan


def build_index(
    workspace: Workspace, settings: Settings, options: BuildOptions, progress: ShowProgress
) -> tuple[BuildReport, ...]:
    """Index the archives named, or all in `zims/`; one report per archive, in order. An archive that fails is reported.

    No model is loaded when every index is up to date; one that lacks only clusters gets them. Raises as `plan_build`
    does, and BusyError during another build.
    """
    plan = plan_build(workspace, settings, options)
    reports = dict(plan.reports)
    folders = {path: workspace.index_folder(plan.names[path]) for path in plan.names}
    slow = [path for path, told in reports.items() if told.status == "unchanged" and lacks_clusters(folders[path])]
    if slow:
        with workspace.locked("build-index"):
            for path in slow:
                reports[path] = mended(folders[path], reports[path], _noting(progress, plan.names[path]))
    if plan.work:
        with workspace.locked("build-index"):
            embedder = load_embedder(workspace, settings)
            for path, archive in plan.work.items():
                built = _build(folders[path], settings, options, archive=archive, embedder=embedder, progress=progress)
                reports[path] = replace(built, entries=archive.info.entry_count)
    return tuple(reports[path] for path in plan.names)


def _archives(workspace: Workspace, named: Sequence[Path]) -> list[Path]:
    """The archives `named`, a folder standing for those in it, or all of the workspace; raises ArchiveError."""
    if not named:
        found = find_archives(workspace.zims)
    else:
        found = [archive for path in named for archive in find_archives(path.absolute()) or [path.absolute()]]
    if not found:
        raise ArchiveError(
            f"There is no archive in {workspace.zims}: put a .zim file there, or name one on the command line."
        )
    return found


def _index_settings(settings: Settings, options: BuildOptions) -> dict[str, object]:
    """What an index depends on beside archive, embedder and limit."""
    return {
        "extraction": EXTRACTION_VERSION,
        "chunk_tokens": settings.index.chunk_tokens,
        "include": list(options.include),
        "exclude": list(options.exclude),
        "kind": options.kind,
    }


def _index_names(paths: Sequence[Path], name: str) -> dict[Path, str]:
    """The index name of each archive; raises SettingsError when two would share one."""
    if name and len(paths) > 1:
        raise SettingsError(
            f"--name gives one index its name, but there are {len(paths)} archives: name one archive only."
        )
    names = {path: name or archive_name(path) for path in paths}
    first: dict[str, Path] = {}
    for path, index in names.items():
        if index in first:
            raise SettingsError(
                f"{first[index]} and {path} would both become the index {index}: build one of them with --name."
            )
        first[index] = path
    return names


def _open(path: Path, name: str, options: BuildOptions) -> ZimArchive | BuildReport:
    """The archive, or the report of its failure."""
    try:
        archive = open_archive(path, kind=options.kind)
        if options.verify and not archive.check():
            raise ArchiveError(f"{path} is damaged: its checksum does not match its content; fetch it again.")
    except ArchiveError as error:
        return BuildReport(name, "", "", "failed", reason=str(error))
    return archive


def _build(
    folder: Path,
    settings: Settings,
    options: BuildOptions,
    *,
    archive: ZimArchive,
    embedder: LoadedEmbedder,
    progress: ShowProgress,
) -> BuildReport:
    """Build one index; what fails on the way is a failed report, so that other archives still get their turn."""
    target = settings.index.chunk_tokens
    light = description_of(embedder).get("precision") == "static"
    workers = reader_count(settings.index.readers, archive.length, light=light)
    started = time.monotonic()

    def read(start: int) -> Generator[ReadEntry, None, None]:
        try:
            yield from read_chunks(
                archive,
                tokenizer=embedder.tokenizer,
                target_tokens=target,
                include=options.include,
                exclude=options.exclude,
                start=start,
                workers=workers,
            )
        except ValueError as error:
            raise SettingsError(
                f"{archive.info.path} cannot be cut into chunks of {target} tokens ({error}): raise "
                "index.chunk_tokens, or choose an embedder that reads more."
            ) from error

    try:
        report = build(
            info=archive.info,
            read=read,
            embedder=embedder,
            folder=folder,
            settings=_index_settings(settings, options),
            limit=options.limit,
            readers=workers,
            force=options.force,
            progress=_noting(progress, folder.name),
        )
        with open_index(folder) as index:
            return replace(report, notes=report.notes + index_notes(index, embedder))
    except (ArchiveError, IndexFault, ModelError, SettingsError) as error:
        elapsed_s = time.monotonic() - started
        return BuildReport(
            folder.name, archive.info.id, archive.info.kind, "failed", elapsed_s=elapsed_s, reason=str(error)
        )


def lost(report: BuildReport) -> str:
    """What a build that read its archive to the end lost that matters, as a sentence; "" when nothing.

    Up to one unreadable entry in a hundred articles is a trace.
    """
    unreadable = dict(report.skipped).get("unreadable", 0)
    if report.status == "failed":
        return report.reason if report.articles or report.skipped else ""
    if not report.chunks:
        most_first = sorted(report.skipped, key=lambda pair: (-pair[1], pair[0]))
        held = ", ".join(f"{reason} {count:,}" for reason, count in most_first) or "it is empty"
        if unreadable:
            return f"{report.index}: no text could be read in this archive ({held}); fetch it again."
        return f"{report.index}: no text was found in this archive ({held}), so nothing in it can be searched."
    if unreadable > (report.articles + unreadable) / 100:
        return (
            f"{report.index}: {unreadable:,} entries could not be read, beside {report.articles:,} articles; "
            "fetch the archive again."
        )
    return ""


# --- search ---------------------------------------------------------------------------------------------------------


def search(
    workspace: Workspace,
    settings: Settings,
    query: str,
    *,
    indexes: tuple[str, ...] = (),
    mode: Mode = "hybrid",
) -> SearchResult:
    """The `settings.search.k` passages nearest to `query`; raises IndexFault and ModelError."""
    with searcher(workspace, settings, indexes=indexes, mode=mode) as find:
        started = time.monotonic()
        hits = find(query, settings.search.k)
        return SearchResult(query, tuple(hits), (time.monotonic() - started) * 1000)


@contextmanager
def searcher(
    workspace: Workspace, settings: Settings, *, indexes: tuple[str, ...] = (), mode: Mode = "hybrid"
) -> Iterator[Callable[[str, int], list[Passage]]]:
    """`find(query, k)` over the indexes named, or all; the embedder is loaded once, and only where `mode` needs it."""
    with ExitStack() as stack:
        folders = [workspace.index_folder(name) for name in workspace.chosen_indexes(indexes)]
        wanted = embedder_id(workspace, settings) if mode != "lexical" else None
        if mode == "hybrid":
            find_reranker(workspace, settings)  # told before anything is loaded
        opened = [stack.enter_context(_open_made_with(workspace, settings, folder, wanted)) for folder in folders]
        embedder = load_embedder(workspace, settings) if mode != "lexical" else None
        reranker, depth = load_reranker(workspace, settings) if mode == "hybrid" else (None, 0)
        yield lambda query, k: retrieval_search.search(
            opened, query, embedder=embedder, k=k, mode=mode, reranker=reranker, rerank_depth=depth
        )


def _open_made_with(workspace: Workspace, settings: Settings, folder: Path, wanted: str | None) -> OpenIndex:
    """The index at `folder`, of the embedder `wanted`; the sentence that refuses another says in what they differ."""
    try:
        return open_index(folder, embedder_id=wanted)
    except IndexFault:
        return open_index(folder, embedder_id=wanted, description=describe_embedder(workspace, settings))


# --- ask and evolve -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ready:
    """What `ask` and `evolve` work with, looked at but not loaded; `writer` is None for `--llm none`."""

    indexes: tuple[str, ...]
    profile: Profile
    writer: ResolvedModel | None


def make_ready(workspace: Workspace, settings: Settings, indexes: tuple[str, ...] = ()) -> Ready:
    """Look at everything before anything heavy loads; raises IndexFault, SettingsError or ModelError."""
    names = workspace.chosen_indexes(indexes)
    profile = load_profile(settings.loop.profile)
    wanted, writer = embedder_id(workspace, settings), find_writer(workspace, settings)
    find_reranker(workspace, settings)
    find_judge(workspace, settings)
    for name in names:
        _open_made_with(workspace, settings, workspace.index_folder(name), wanted).close()
    return Ready(names, profile, writer)

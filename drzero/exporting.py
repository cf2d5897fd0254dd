"""`kb export`: the knowledge base as an encyclopedia that people carry away.

Two passes: the first finds what each entry is about, the second reads entries as the articles need them. What grows
with the knowledge base in memory is the names of subjects and a number for each entry in each article.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drzero.corpus.zim import find_archives, open_archive
from drzero.encyclopedia.anki import write_anki
from drzero.encyclopedia.gathering import Shelf, iter_articles
from drzero.encyclopedia.jsonl import write_jsonl
from drzero.encyclopedia.markdown import write_markdown
from drzero.encyclopedia.site import write_site
from drzero.encyclopedia.subjects import Directory, Subject, subjects_of
from drzero.encyclopedia.values import Imprint, Source, SubjectArticle
from drzero.encyclopedia.zim import write_zim
from drzero.errors import ArchiveError, IndexFault, KnowledgeBaseError, OutputFault, SettingsError
from drzero.kb.exported import Cited, archive_rows, entries_numbered, iter_cited, unchanging
from drzero.pipeline import ShowProgress
from drzero.profiles import load_profile
from drzero.publishing import new_file, new_folder, refuse_file, refuse_folder
from drzero.records import knowledge_base
from drzero.results import Exported, ExportOptions
from drzero.retrieval.manifest import Manifest
from drzero.retrieval.store import FILE_NAME as STORE
from drzero.retrieval.store import Store
from drzero.text import clean_title, counted, language_code, title_key
from drzero.types import ArchiveInfo, Entry, Progress
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

TITLE = "Verified encyclopedia"
ENDINGS = {"zim": ".zim", "jsonl": ".jsonl", "anki": ".apkg"}  # of the formats that are one file
FOLDERS = ("html", "markdown")
_AT_ONCE = 400  # entries in memory
_BITS = 40  # of an entry's number, below its subject's


@dataclass(frozen=True, slots=True)
class Plan:
    """What goes into an export: its subjects, and which entries belong to each, as subject << `_BITS` | number."""

    directory: Directory
    subjects: tuple[Subject, ...]
    members: tuple[int, ...]  # sorted
    entries: int
    archives: frozenset[str]
    date: str  # ISO; of the newest entry


@dataclass(frozen=True, slots=True)
class Edition:
    """All that a format writes: what it says of itself, sources, articles, or entries with their subjects."""

    imprint: Imprint
    sources: dict[str, Source]
    articles: Callable[[], Iterator[SubjectArticle]]
    entries: Callable[[], Iterator[tuple[Entry, tuple[str, ...]]]]


Write = Callable[[Path, Edition], Counter[str]]
_WRITE: dict[str, Write] = {
    "zim": lambda place, edition: write_zim(place, edition.imprint, edition.articles()),
    "html": lambda place, edition: write_site(place, edition.imprint, edition.articles()),
    "markdown": lambda place, edition: write_markdown(place, edition.imprint, edition.articles()),
    "jsonl": lambda place, edition: write_jsonl(place, edition.entries(), edition.sources),
    "anki": lambda place, edition: write_anki(place, edition.imprint, edition.entries(), edition.sources),
}
FORMATS = tuple(_WRITE)


def export(workspace: Workspace, options: ExportOptions, progress: ShowProgress) -> Exported:
    """Write the entries asked for to `options.output`, whole or not at all. KnowledgeBaseError where none fits,
    OutputFault where something else is in that place.
    """
    started = time.monotonic()
    _refuse_output(workspace, options)
    with knowledge_base(workspace) as db, unchanging(db), ExitStack() as stack:
        plan = make_plan(db, options)
        if not plan.members:
            raise KnowledgeBaseError(f"No entry fits, so there is nothing to export: {_next_step(db, options)}.")
        sources = sources_of(db, workspace, plan.archives)
        shelf = Shelf(plan.directory, sources, cache(profile_types), _Aliases(workspace, plan.archives, stack).names)

        def told(items: Iterable[Any], total: int, unit: str) -> Iterator[Any]:
            for done, item in enumerate(items, 1):
                yield item
                progress(Progress.at(done, total, unit, time.monotonic() - started))

        edition = Edition(
            _imprint(plan, options, sources),
            sources,
            lambda: told(iter_articles(groups(db, plan), shelf), len(plan.subjects), "subjects"),
            lambda: told(entries_with_subjects(db, plan), plan.entries, "entries"),
        )
        if options.format in FOLDERS:
            opened = new_folder(options.output, f"drzero kb export --format {options.format}")
        else:
            opened = new_file(options.output, force=options.force)
        with opened as place:
            counts = _WRITE[options.format](place, edition)
    return Exported(
        format=options.format,
        output=str(options.output),
        subjects=len(plan.subjects),
        entries=plan.entries,
        statements=counts["statements"],
        references=counts["references"],
        archives=len(plan.archives),
        bytes=_size(options.output),
        elapsed_s=time.monotonic() - started,
        unlicensed=tuple(sorted(one.name or one.zim_id for one in sources.values() if not one.licence)),
    )


def make_plan(db: Database, options: ExportOptions) -> Plan:
    """Which subjects there will be, and which entries belong to them."""
    wanted = [[title_key(word) for word in topic.split()] for topic in options.topics]
    statuses = ("current", *options.include)
    chosen: list[tuple[int, tuple[str, ...]]] = []
    archives: set[str] = set()
    newest = ""
    for cited in iter_cited(db, statuses=statuses, profile=options.profile):
        if titles := _titles(cited, wanted):
            chosen.append((cited.number, titles))
            archives.update(cited.archives)
            newest = max(newest, cited.created_at)
    directory = Directory({title for _, titles in chosen for title in titles})
    subjects = tuple(directory)
    places = {subject.key: place for place, subject in enumerate(subjects)}
    members = sorted(
        places[found.key] << _BITS | number
        for number, titles in chosen
        for title in titles
        if (found := directory.subject(title))
    )
    return Plan(directory, subjects, tuple(members), len(chosen), frozenset(archives), newest[:10])


def groups(db: Database, plan: Plan) -> Iterator[tuple[Subject, list[Entry]]]:
    """Each subject with its entries, in the order of the index; those of one subject are in memory at a time."""
    for place, found in groupby(_read(db, plan.members), key=lambda one: one[0]):
        yield plan.subjects[place], [entry for _, entry in found]


def entries_with_subjects(db: Database, plan: Plan) -> Iterator[tuple[Entry, tuple[str, ...]]]:
    """Each entry once, in the order they were admitted, with the titles of its subjects."""
    mask = (1 << _BITS) - 1
    by_number = sorted((member & mask) << _BITS | member >> _BITS for member in plan.members)
    told = ((member & mask) << _BITS | member >> _BITS for member in by_number)
    entry_titles: list[str] = []
    former: Entry | None = None
    for place, entry in _read(db, told):
        if former is not None and former.id != entry.id:
            yield former, tuple(entry_titles)
            entry_titles = []
        former = entry
        entry_titles.append(plan.subjects[place].title)
    if former is not None:
        yield former, tuple(entry_titles)


def profile_types(name: str) -> tuple[str, ...]:
    """The types of a profile in its order; () where it is not here, as for one of the user's own file."""
    with suppress(SettingsError):
        return tuple(kind.name for kind in load_profile(name).types)
    return ()


def _read(db: Database, members: Iterable[int]) -> Iterator[tuple[int, Entry]]:
    """(place of the subject, entry) for each member, in order."""
    some: list[int] = []
    for member in members:
        some.append(member)
        if len(some) == _AT_ONCE:
            yield from _read_some(db, some)
            some = []
    yield from _read_some(db, some)


def _read_some(db: Database, members: Sequence[int]) -> Iterator[tuple[int, Entry]]:
    mask = (1 << _BITS) - 1
    entries = entries_numbered(db, [member & mask for member in members])
    yield from ((member >> _BITS, entries[member & mask]) for member in members if member & mask in entries)


def _titles(cited: Cited, wanted: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The titles of an entry's subjects; only those with all the words of one that is `wanted`, if any is."""
    titles = subjects_of(cited.question, cited.titles)
    if not wanted:
        return titles
    return tuple(title for title in titles if any(all(word in title_key(title) for word in one) for one in wanted))


def _imprint(plan: Plan, options: ExportOptions, sources: dict[str, Source]) -> Imprint:
    languages = {code for one in sources.values() if (code := language_code(one.language))}
    creators = sorted({clean_title(one.creator or one.title or one.name) for one in sources.values()} - {""})
    return Imprint(
        title=clean_title(options.title) or TITLE,
        description=f"{counted(len(plan.subjects), 'subject')}; every sentence with the words that support it",
        language=languages.pop() if len(languages) == 1 else "mul" if languages else "und",
        date=plan.date,
        creator="; ".join(creators),
        publisher="drzero",
    )


def sources_of(db: Database, workspace: Workspace, cited: frozenset[str]) -> dict[str, Source]:
    """What is known of each cited archive: from the knowledge base, and what that lacks from archive or index."""
    rows = [row for row in archive_rows(db) if row["id"] in cited]
    names = ("title", "date", "language", "creator", "publisher", "licence", "source")
    lacking = {row["id"] for row in rows if not all(row.get(name) for name in ("title", "language", "licence"))}
    infos = _infos(workspace, lacking) if lacking else {}
    return {
        row["id"]: Source(
            row["id"],
            str(row["name"] or getattr(infos.get(row["id"]), "name", "")),
            *(str(row.get(name) or getattr(infos.get(row["id"]), name, "")) for name in names),
        )
        for row in rows
    }


def _infos(workspace: Workspace, wanted: set[str]) -> dict[str, ArchiveInfo]:
    """What archives in the workspace, and indexes of them, say of themselves, by id; only of those `wanted`."""
    infos: dict[str, ArchiveInfo] = {}
    for name in workspace.index_names():
        with suppress(IndexFault):
            info = Manifest.load(workspace.index_folder(name)).archive
            infos.setdefault(info.id, info)
    for path in find_archives(workspace.zims) if wanted - set(infos) else ():
        with suppress(ArchiveError):
            info = open_archive(path).info
            infos.setdefault(info.id, info)
    return infos


class _Aliases:
    """Other names of articles, from the indexes of their archives as far as they are here."""

    def __init__(self, workspace: Workspace, cited: frozenset[str], stack: ExitStack) -> None:
        self._stores: dict[str, Store] = {}
        for name in workspace.index_names():
            with suppress(IndexFault):
                folder = workspace.index_folder(name)
                zim_id = Manifest.load(folder).archive.id
                if zim_id in cited and zim_id not in self._stores:
                    self._stores[zim_id] = Store(folder / STORE)
                    stack.callback(self._stores[zim_id].close)

    def names(self, zim_id: str, path: str) -> tuple[str, ...]:
        """The titles that lead to the article as a whole; () where its index is not here."""
        store = self._stores.get(zim_id)
        return store.aliases(path, of_sections=False) if store else ()


def _refuse_output(workspace: Workspace, options: ExportOptions) -> None:
    """OutputFault for a place that the export cannot or must not have; told before anything is read."""
    ending = ENDINGS.get(options.format, "")
    if ending and options.output.suffix.lower() != ending:
        raise OutputFault(f"{options.output} is to be a {options.format} file: let its name end in {ending}.")
    if options.format in FOLDERS:
        refuse_folder(options.output, f"drzero kb export --format {options.format}")
        return
    refuse_file(options.output, force=options.force)
    if options.output.exists() and options.output.resolve().parent == workspace.zims.resolve():
        raise OutputFault(f"{options.output} is an archive to read, which drzero never writes to: name another file.")


def _next_step(db: Database, options: ExportOptions) -> str:
    if options.topics or options.profile:
        return "ask for less with --topic and --profile, or see what there is with `drzero kb list`"
    if not options.include and next(iter_cited(db, statuses=("stale", "disputed")), None):
        return "all are stale or disputed; check them again with `drzero kb verify`, or add --include stale"
    return "make entries with `drzero evolve`"


def _size(output: Path) -> int:
    files = [output] if output.is_file() else [path for path in output.rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files)

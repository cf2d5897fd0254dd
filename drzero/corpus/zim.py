"""Archive → entries → articles: the only place that reads ZIM files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from typing import Any
from weakref import finalize

from drzero.corpus.contents import DOUBTFUL, Refused, Stored, Text, read_stored, shown_title, unescaped
from drzero.corpus.decoding import decode
from drzero.corpus.directory import Ids, reading_order
from drzero.corpus.evidence import BROKEN, bare_path, samples
from drzero.corpus.files import archive_name, check_files, find_archives, with_small_letters
from drzero.corpus.furniture import SAMPLE, UNTITLED, compare
from drzero.corpus.html import Page, read_html
from drzero.corpus.kinds import KINDS, base_type, cited_path, detect_kind, is_name, reading_format, source_path
from drzero.corpus.links import has_twin, namesakes, status_fault, target_of
from drzero.errors import ArchiveError
from drzero.text import clean_title
from drzero.types import ArchiveInfo, Article, Reading, Section

__all__ = ["DOUBTFUL", "ZimArchive", "archive_name", "find_archives", "open_archive"]

_MAX_BYTES = 64 * 2**20
_MAX_COMPARED_BYTES = 2**17  # of a page that is compared with others
_DIFFERENT_HEADS = 0.1  # of its size, by which a page stored twice may differ
_LOOKED_AT = 10 * SAMPLE  # entries among which pages to compare are sought


def open_archive(path: Path, *, kind: str = "") -> ZimArchive:
    """Open the archive at `path`: a file, the first part of a split one, or its `.zim` name that is not on disk.

    `kind` is how to read it, one of `kinds.KINDS`; without it the archive's own evidence decides. Raises ArchiveError
    when it is missing, no ZIM archive, incomplete or damaged, or when there is no such kind.
    """
    from libzim.reader import Archive

    if kind and kind not in KINDS:
        raise ArchiveError(f"There is no kind of archive called {kind}: choose one of {', '.join(KINDS)}.")
    files = check_files(path)
    links = None
    try:
        links = with_small_letters(files)
        zim = Archive(links / files[0].with_suffix(".zimaa").name if links else files[0])
        archive = ZimArchive(zim, path, files, kind)
    except BROKEN as error:
        if links:
            rmtree(links, ignore_errors=True)
        raise ArchiveError(f"{path} is damaged ({_sentence(error)}): fetch it again.") from error
    if links:
        finalize(archive, rmtree, links, ignore_errors=True)
    return archive


class ZimArchive:
    """An open archive. Not to be shared between threads."""

    def __init__(self, zim: Any, path: Path, files: Sequence[Path], kind: str = "") -> None:
        self._zim = zim
        self._files = files
        self._new_layout = bool(zim.has_new_namespace_scheme)
        kind = kind or self._detected_kind()
        self.info = ArchiveInfo(
            id=str(zim.uuid),
            name=archive_name(path),
            path=str(path),
            kind=kind,
            title=clean_title(self._metadata("Title")),
            date=self._metadata("Date"),
            language=self._metadata("Language"),
            entry_count=zim.entry_count,
            licence=clean_title(self._metadata("License")),
            source=clean_title(self._metadata("Source")),
            creator=clean_title(self._metadata("Creator")),
            publisher=clean_title(self._metadata("Publisher")),
        )

    def check(self) -> bool:
        """Whether the whole file agrees with its checksum. Reads all of it."""
        return bool(self._zim.check())

    @cached_property
    def _order(self) -> tuple[Ids, bytes]:
        return reading_order(self._files, new_layout=self._new_layout)

    @property
    def length(self) -> int:
        """How many positions a walk has."""
        return len(self._order[0])

    def walk(
        self, start: int = 0, stop: int | None = None, *, include: Sequence[str] = (), exclude: Sequence[str] = ()
    ) -> Iterator[Reading]:
        """Read the entries at positions [start, stop), in the order of their clusters, redirects last.

        `include` and `exclude` are globs over paths (in the old layout also without the namespace).
        """
        order, namespaces = self._order
        for position in range(start, len(order) if stop is None else min(stop, len(order))):
            number = int(order[position])
            yield self._read(position, number, chr(namespaces[number]), include, exclude)

    def article(self, path: str) -> Article | None:
        """The article at the stored `path` (or that a redirect there leads to), read just as `walk` reads it."""
        try:
            zim_entry = self._zim.get_entry_by_path(source_path(self.info.kind, path))
            if cited_path(self.info.kind, zim_entry.path) != path:
                return None
            aim = self._follow(zim_entry)
            found = self._article(aim) if aim else None
            if isinstance(found, Refused) and found.same_as:
                found = self._article(self._zim.get_entry_by_path(found.same_as))
        except BROKEN:
            return None
        return found[0] if isinstance(found, tuple) else None

    def _read(
        self, position: int, number: int, namespace: str, include: Sequence[str], exclude: Sequence[str]
    ) -> Reading:
        path = ""
        try:
            zim_entry = self._zim._get_entry_by_id(number)
            path = zim_entry.path
            aim = self._follow(zim_entry)
            if aim is None:
                return Reading(position, path, skipped="redirect-loop")
            place = cited_path(self.info.kind, aim.path)
            if reason := self._refusal(aim):
                return Reading(position, path, skipped=reason)
            if not self._wanted(place, include, exclude):
                return Reading(position, place, skipped="excluded")
            if zim_entry.is_redirect:
                return self._alias(position, zim_entry, place)
            found = self._article(zim_entry)
            if isinstance(found, tuple):
                article, detail = found
                return Reading(position, place, article, detail=detail)
            if found.same_as:
                name = self._bare(path).replace("_", " ")
                return self._alias(position, zim_entry, found.same_as, name=name)
            if found.moved_to:
                return self._moved(position, zim_entry, found.moved_to)
            return Reading(position, place, skipped=found.reason, detail=found.detail)
        except BROKEN as error:
            return Reading(position, path or f"#{number} in {namespace}", skipped="unreadable", detail=_sentence(error))

    def _alias(self, position: int, zim_entry: Any, place: str, section: str = "", name: str = "") -> Reading:
        """The name of an entry without text of its own, for the article at `place`, where it is a name at all."""
        path = self._bare(zim_entry.path)
        name = name or clean_title(zim_entry.title) or path
        name = unescaped(name) if self.info.kind == "mwoffliner" else name
        if not is_name(self.info.kind, name, path):
            return Reading(position, place, skipped="address", detail=zim_entry.path)
        return Reading(position, place, alias=name, section=section)

    def _moved(self, position: int, zim_entry: Any, address: str) -> Reading:
        """A page that only sends the reader on: an alias when the archive has the article it names."""
        if (target := target_of(self._zim, zim_entry.path, address)) is not None:
            aim = self._follow(self._zim.get_entry_by_path(target.path))
            if aim is not None and not self._refusal(aim):
                return self._alias(position, zim_entry, cited_path(self.info.kind, aim.path), target.section)
        return Reading(position, zim_entry.path, skipped="moved", detail=address)

    def _follow(self, zim_entry: Any) -> Any | None:
        """The entry at the end of a chain of redirects; None when the chain is a ring."""
        seen = set()
        while zim_entry.is_redirect:
            if zim_entry._index in seen:
                return None
            seen.add(zim_entry._index)
            zim_entry = zim_entry.get_redirect_entry()
        return zim_entry

    def _refusal(self, zim_entry: Any) -> str:
        """Why an entry is no article, as far as its path and mime type tell; "" when it may be one."""
        form, reason = reading_format(self.info.kind, self._bare(zim_entry.path), zim_entry.get_item().mimetype)
        if form and form != "pdf" and not self._new_layout and not zim_entry.path.startswith("A/"):
            return "asset"
        return reason

    def _article(self, zim_entry: Any) -> tuple[Article, str] | Refused:
        """Read an entry that is no redirect: an article and what is to be said of its reading, or why it is none."""
        kind, path, item = self.info.kind, zim_entry.path, zim_entry.get_item()
        form, reason = reading_format(kind, self._bare(path), item.mimetype)
        if reason or not form:
            return Refused(reason)
        if item.size > _MAX_BYTES:
            return Refused("too-large", f"{item.size} bytes")
        if kind == "gutenberg" and form == "pdf" and has_twin(self._zim, path):
            return Refused("duplicate", "the book is there as HTML")
        found = self._text(zim_entry, form)
        if isinstance(found, Refused):
            return found
        if kind == "zimit" and (fault := status_fault(self._zim, path, found.page)):
            return Refused("placeholder", fault)
        if same := self._namesake(zim_entry, found.page):
            return Refused("duplicate", same_as=same)
        return self._finished(zim_entry, found), found.detail

    def _text(self, zim_entry: Any, form: str) -> Text | Refused:
        item = zim_entry.get_item()
        stored = Stored(self.info.kind, form, item.mimetype, self._own_title(zim_entry), bytes(item.content))
        return read_stored(stored, lambda: self._furniture)

    def _own_title(self, zim_entry: Any) -> str:
        """The title of an entry; "" when it is but its path."""
        title = clean_title(zim_entry.title)
        return "" if title == clean_title(zim_entry.path) else title

    def _namesake(self, zim_entry: Any, page: Page) -> str:
        """The path of another entry that `page` names by its heading and that has the same text; "" for none.

        Some scrapers store the target of a redirect under the redirect's name too.
        """
        size = zim_entry.get_item().size
        for place in namesakes(zim_entry.path, clean_title(page.title)):
            if not self._zim.has_entry_by_path(place):
                continue
            other = self._zim.get_entry_by_path(place)
            if other.is_redirect or other.path == zim_entry.path or self._refusal(other):
                continue
            if abs(other.get_item().size - size) <= size * _DIFFERENT_HEADS:
                found = self._text(other, "html")
                if isinstance(found, Text) and found.page.sections == page.sections:
                    return str(other.path)
        return ""

    def _finished(self, zim_entry: Any, found: Text) -> Article:
        path, page = zim_entry.path, found.page
        shown = shown_title(
            found.title or self._own_title(zim_entry), page.title, self._bare(path), kind=self.info.kind
        )
        place = cited_path(self.info.kind, path)
        return Article(self.info.id, place, shown, page.sections, page.aliases, page.source, page.mark)

    @cached_property
    def _furniture(self) -> frozenset[str]:
        """The lines that come again on the archive's pages: the same ones in each process."""
        pages = list(self._comparable())
        return compare(len(pages), lambda number: self._compared(pages[number]))

    def _comparable(self) -> Iterator[Any]:
        """The items of HTML pages spread over the archive."""
        order = self._order[0]
        for position in dict.fromkeys(
            len(order) * step // _LOOKED_AT for step in range(_LOOKED_AT if len(order) else 0)
        ):
            try:
                zim_entry = self._zim._get_entry_by_id(int(order[position]))
                if zim_entry.is_redirect or self._refusal(zim_entry):
                    continue
                item = zim_entry.get_item()
                if "html" in base_type(item.mimetype) and item.size <= _MAX_COMPARED_BYTES:
                    yield item
            except BROKEN:
                continue

    def _compared(self, item: Any) -> tuple[Section, ...]:
        try:
            text, _ = decode(bytes(item.content), item.mimetype)
        except BROKEN:
            return ()
        return read_html(text, title=UNTITLED, xhtml="xhtml" in base_type(item.mimetype)).sections

    def _wanted(self, path: str, include: Sequence[str], exclude: Sequence[str]) -> bool:
        names = {path, self._bare(path)}

        def matches(globs: Sequence[str]) -> bool:
            return any(fnmatchcase(name, glob) for glob in globs for name in names)

        return (not include or matches(include)) and not matches(exclude)

    def _bare(self, path: str) -> str:
        return bare_path(path, new_layout=self._new_layout)

    def _detected_kind(self) -> str:
        says = " ".join(self._metadata(name) for name in ("Creator", "Name", "Tags", "Title"))
        return detect_kind(self._metadata("Scraper"), samples(self._zim, new_layout=self._new_layout), says)

    def _metadata(self, name: str) -> str:
        try:
            return bytes(self._zim.get_metadata(name)).decode("utf-8", "replace").strip()
        except BROKEN:
            return ""


def _sentence(error: BaseException) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {text}"[:200] if text else type(error).__name__

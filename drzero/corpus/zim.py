"""Archive → entries → articles: the only place that reads ZIM files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from drzero.corpus.decoding import decode
from drzero.corpus.directory import Ids, reading_order
from drzero.corpus.files import archive_name, check_files, find_archives
from drzero.corpus.html import Page, read_html
from drzero.corpus.kinds import Sample, base_type, cited_path, detect_kind, reading_format, source_path
from drzero.corpus.markdown import read_markdown
from drzero.corpus.plain import is_source, read_plain
from drzero.errors import ArchiveError
from drzero.text import clean_title
from drzero.types import ArchiveInfo, Article, Reading

__all__ = ["ZimArchive", "archive_name", "find_archives", "open_archive"]

DOUBTFUL = "doubtful encoding"
"""`Reading.detail` of an article of which some bytes could not be told for sure."""

_SITE_NAME = re.compile(r"\s+[—–|·-]\s+\S.*")  # behind the page's own heading
_SAMPLES = 48
_SAMPLE_PAGES = 8
_MAX_BYTES = 64 * 2**20
_BROKEN = (RuntimeError, KeyError, IndexError, ValueError, OSError)  # what libzim raises on damaged entries


@dataclass(frozen=True, slots=True)
class _Refused:
    """Why an entry gives no article, or where it sends the reader instead."""

    reason: str
    detail: str = ""
    moved_to: str = ""


def open_archive(path: Path, *, kind: str = "") -> ZimArchive:
    """Open the archive at `path`: a file, the first part of a split one, or its `.zim` name that is not on disk.

    `kind` is how to read it, one of `kinds.KINDS`; without it the archive's own evidence decides. Raises ArchiveError
    when it is missing, no ZIM archive, incomplete or damaged.
    """
    from libzim.reader import Archive

    files = check_files(path)
    try:
        zim = Archive(files[0])
        return ZimArchive(zim, path, files, kind)
    except _BROKEN as error:
        raise ArchiveError(f"{path} is damaged ({_sentence(error)}): fetch it again.") from error


class ZimArchive:
    """An open archive. Not to be shared between threads."""

    def __init__(self, zim: Any, path: Path, files: Sequence[Path], kind: str = "") -> None:
        self._zim = zim
        self._files = files
        self._new_layout = bool(zim.has_new_namespace_scheme)
        kind = kind or detect_kind(self._metadata("Scraper"), self._samples())
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
        except _BROKEN:
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
            if not self._new_layout and not aim.path.startswith("A/"):
                return Reading(position, path, skipped=self._refusal(aim) or "asset")
            if reason := self._refusal(aim):
                return Reading(position, path, skipped=reason)
            if not self._wanted(place, include, exclude):
                return Reading(position, place, skipped="excluded")
            if zim_entry.is_redirect:
                return self._alias(position, path, zim_entry.title, place)
            found = self._article(zim_entry)
            if isinstance(found, tuple):
                article, doubtful = found
                return Reading(position, place, article, detail=DOUBTFUL if doubtful else "")
            if found.moved_to:
                return self._moved(position, zim_entry, found.moved_to)
            return Reading(position, place, skipped=found.reason, detail=found.detail)
        except _BROKEN as error:
            return Reading(position, path or f"#{number} in {namespace}", skipped="unreadable", detail=_sentence(error))

    def _alias(self, position: int, path: str, title: str, place: str) -> Reading:
        name = clean_title(title) or self._bare(path)
        return Reading(position, place, alias=name)

    def _moved(self, position: int, zim_entry: Any, address: str) -> Reading:
        """A page that only sends the reader on: an alias when the archive has the article it names."""
        path = zim_entry.path
        target = unquote(urlsplit(address).path)
        if target and not urlsplit(address).scheme:
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            if place != path and self._zim.has_entry_by_path(place):
                aim = self._follow(self._zim.get_entry_by_path(place))
                if aim is not None and not self._refusal(aim):
                    return self._alias(position, path, zim_entry.title, cited_path(self.info.kind, aim.path))
        return Reading(position, path, skipped="moved", detail=address)

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
        return reading_format(self.info.kind, self._bare(zim_entry.path), zim_entry.get_item().mimetype)[1]

    def _article(self, zim_entry: Any) -> tuple[Article, bool] | _Refused:
        """Read an entry that is no redirect: an article and whether its encoding is doubtful, or why it is none."""
        item = zim_entry.get_item()
        mimetype = item.mimetype
        form, reason = reading_format(self.info.kind, self._bare(zim_entry.path), mimetype)
        if not form:
            return _Refused(reason)
        if item.size > _MAX_BYTES:
            return _Refused("too-large", f"{item.size} bytes")
        content = bytes(item.content)
        if form == "unknown":
            if not _looks_like_html(content):
                return _Refused("other")
            form = "html"
        text, doubtful = decode(content, mimetype)
        title = clean_title(zim_entry.title)
        untitled = not title or title == clean_title(zim_entry.path)
        if form != "markdown" and not text.lstrip().startswith("<") and is_source(text):
            return _Refused("script")
        if form == "html":
            page = read_html(text, title="" if untitled else title, xhtml="xhtml" in base_type(mimetype))
        elif form == "markdown":
            page = read_markdown(text, title="" if untitled else title)
        else:
            page = read_plain(text)
        return self._finished(zim_entry.path, page, "" if untitled else title, doubtful)

    def _finished(self, path: str, page: Page, title: str, doubtful: bool) -> tuple[Article, bool] | _Refused:
        if page.moved_to:
            return _Refused("moved", moved_to=page.moved_to)
        if not page.sections:
            return _Refused("no-text")
        shown = title or clean_title(page.title) or clean_title(self._bare(path)) or path
        own = clean_title(page.title)
        if own and shown.startswith(own) and _SITE_NAME.fullmatch(shown[len(own) :]):
            shown = own
        return Article(self.info.id, cited_path(self.info.kind, path), shown, page.sections), doubtful

    def _wanted(self, path: str, include: Sequence[str], exclude: Sequence[str]) -> bool:
        names = {path, self._bare(path)}

        def matches(globs: Sequence[str]) -> bool:
            return any(fnmatchcase(name, glob) for glob in globs for name in names)

        return (not include or matches(include)) and not matches(exclude)

    def _bare(self, path: str) -> str:
        """`path` without the namespace of the old layout."""
        return path if self._new_layout or path[1:2] != "/" else path[2:]

    def _metadata(self, name: str) -> str:
        try:
            return bytes(self._zim.get_metadata(name)).decode("utf-8", "replace").strip()
        except _BROKEN:
            return ""

    def _samples(self) -> Iterator[Sample]:
        """Entries spread over the archive, with the markup of the first few pages among them."""
        count, pages = self._zim.entry_count, 0
        for number in sorted({count * step // _SAMPLES for step in range(_SAMPLES)}):
            try:
                zim_entry = self._zim._get_entry_by_id(number)
                if zim_entry.is_redirect:
                    continue
                item = zim_entry.get_item()
                mimetype, markup = base_type(item.mimetype), ""
                if mimetype == "text/html" and pages < _SAMPLE_PAGES:
                    pages += 1
                    markup = bytes(item.content)[:20_000].decode("utf-8", "replace")
                yield Sample(self._bare(zim_entry.path), mimetype, markup)
            except _BROKEN:
                continue


def _looks_like_html(content: bytes) -> bool:
    head = content[:512].lstrip().lower()
    return head.startswith(
        (b"<!doctype html", b"<html", b"<head", b"<body", b"<p", b"<div", b"<h1", b"<article", b"<main")
    )


def _sentence(error: BaseException) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {text}"[:200] if text else type(error).__name__

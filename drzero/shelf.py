"""The archives that are here: which edition of a cited one, and its articles, those asked for last kept in memory.

A newer edition of an archive is one of the same family (see `copies.family`) with another id and no earlier date.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from drzero.copies import family
from drzero.corpus.kinds import KINDS
from drzero.corpus.zim import ZimArchive, find_archives, open_archive
from drzero.errors import ArchiveError, IndexFault
from drzero.retrieval.index import Manifest
from drzero.types import ArchiveInfo, Article, Citation
from drzero.workspace import Workspace

_KEPT_CHARS = 16_000_000  # of articles in memory


class Absent(str):
    """Why an article cannot be read: its archive is not here. Nothing is said of what it states."""

    __slots__ = ()


class Shelf:
    """The archives of the workspace and those its indexes were made of, opened as they are asked for.

    `names` are the file name and the date of archives that are cited, by id, as far as they are known.
    """

    def __init__(self, workspace: Workspace, names: Mapping[str, tuple[str, str]] | None = None) -> None:
        self._names = dict(names or {})
        self._made: dict[str, ArchiveInfo] = {}  # by index name
        for name in workspace.index_names():
            with suppress(IndexFault):
                self._made[name] = Manifest.load(workspace.index_folder(name)).archive
        paths = [*find_archives(workspace.zims), *(Path(info.path) for info in self._made.values())]
        self._paths: dict[str, Path] = {}
        self._open: dict[tuple[str, str], ZimArchive] = {}
        self._infos: dict[str, ArchiveInfo] = {}
        for path in dict.fromkeys(paths):
            with suppress(ArchiveError):
                archive = open_archive(path)
                if self._paths.setdefault(archive.info.id, path) == path:
                    self._open[archive.info.id, archive.info.kind] = archive
                    self._infos[archive.info.id] = archive.info
        self._newest = {id_: self._newer(id_) for id_ in {*self._names, *self._infos}}
        self._articles: OrderedDict[tuple[str, str, str], Article | None] = OrderedDict()
        self._chars = 0

    def info(self, zim_id: str) -> ArchiveInfo | None:
        """What an archive says of itself; None when it is not here."""
        return self._infos.get(zim_id)

    def newer(self, zim_id: str) -> ArchiveInfo | None:
        """The newest edition of an archive that is here and newer than it; None when there is none."""
        return self._newest.get(zim_id)

    def archive(self, citation: Citation) -> ZimArchive | None:
        """The archive of a citation, read as it was for the index of that citation; None when it is not here."""
        path = self._paths.get(citation.zim_id)
        if path is None:
            return None
        kind = self._kind(citation)
        for (zim_id, read_as), archive in self._open.items():
            if zim_id == citation.zim_id and kind in ("", read_as):
                return archive
        with suppress(ArchiveError):
            self._open[citation.zim_id, kind] = open_archive(path, kind=kind)
        return self._open.get((citation.zim_id, kind))

    def language(self, citation: Citation) -> str:
        """The language of a citation's archive as its metadata names it, English where it does not."""
        info = self._infos.get(citation.zim_id)
        return info.language if info and info.language else "en"

    def index(self, citation: Citation) -> str:
        """The index that a citation names if it is one of its archive, else the archive's own name: no invention."""
        made, info = self._made.get(citation.index), self._infos.get(citation.zim_id)
        if made is not None and made.id == citation.zim_id:
            return citation.index
        return info.name if info else ""

    def article(self, citation: Citation) -> Article | str:
        """The article that has the quote of a citation at its place, or why there is none.

        `Absent` when its archive is not here. Where a newer edition is, that is the one that counts.
        """
        newer = self.newer(citation.zim_id)
        if newer is not None:
            name, _ = self._names.get(citation.zim_id, ("", ""))
            said = f"{newer.name}, a newer edition of {name or 'its archive'},"
            if self._read(replace(citation, zim_id=newer.id)) is None:
                return f"{citation.path} is no longer in {newer.name}"
            if self.carried(citation) == citation:
                return f"{citation.path} in {said} no longer says so"
            return f"{citation.path} in {said} says so at another place"
        archive = self.archive(citation)
        if archive is None:
            name, date = self._names.get(citation.zim_id, ("", ""))
            known = f"{name}{f' of {date}' if date else ''}, {citation.zim_id}" if name else citation.zim_id
            return Absent(f"its archive {known} ({citation.index}) is not here")
        article, name = self._read(citation), archive.info.name
        if article is None:
            return f"{citation.path} is no longer in {name}"
        if not _holds(citation, article):
            return f"{citation.path} in {name} no longer says so at characters {citation.start} to {citation.end}"
        return article

    def carried(self, citation: Citation) -> Citation:
        """The same words at their place in the newest edition that is here; the citation itself where there is none.

        Where a citation is of the newest, but its words stand elsewhere in the article, their place there.
        """
        newer = self.newer(citation.zim_id)
        if newer is None and citation.zim_id not in self._paths:
            return citation
        aim = replace(citation, zim_id=newer.id) if newer else citation
        article = self._read(aim)
        if article is None or (newer is None and _holds(citation, article)):
            return citation
        start = _nearest(citation, article)
        if start is None:
            return citation
        section = max((one for one in article.sections if one.start <= start), key=lambda one: one.start)
        moved = replace(aim, title=article.title, heading=section.heading, start=start, end=start + len(citation.quote))
        return replace(moved, index=self.index(moved))

    def _newer(self, zim_id: str) -> ArchiveInfo | None:
        info = self._infos.get(zim_id)
        name, date = (info.name, info.date) if info else self._names[zim_id]
        kin = family(name)
        editions = [
            one
            for one in self._infos.values()
            if one.id != zim_id and kin and family(one.name) == kin and _is_newer(one.date, date, here=info is not None)
        ]
        return max(editions, key=lambda one: (one.date, one.name, one.id), default=None)

    def _kind(self, citation: Citation) -> str:
        """How the archive was read: by its index, else by another index of it; "" when there is none."""
        made = [self._made[citation.index]] if citation.index in self._made else []
        kinds = [info.kind for info in (*made, *self._made.values()) if info.id == citation.zim_id]
        return kinds[0] if kinds and kinds[0] in KINDS else ""

    def _read(self, citation: Citation) -> Article | None:
        """The article that a citation names; None when it is not there."""
        archive = self.archive(citation)
        if archive is None:
            return None
        key = (citation.zim_id, archive.info.kind, citation.path)
        if key in self._articles:
            self._articles.move_to_end(key)
            return self._articles[key]
        article = self._articles[key] = archive.article(citation.path)
        self._chars += len(article.text) if article else 0
        while self._chars > _KEPT_CHARS and len(self._articles) > 1:
            _, old = self._articles.popitem(last=False)
            self._chars -= len(old.text) if old else 0
        return article


def _is_newer(date: str, former: str, *, here: bool) -> bool:
    """Whether an edition of `date` takes the place of one of `former`; of the same day only when that is not here."""
    if not date or not former:
        return not here
    return date > former or (date == former and not here)


def _holds(citation: Citation, article: Article) -> bool:
    return bool(
        citation.quote and citation.start >= 0 and article.text[citation.start : citation.end] == citation.quote
    )


def _nearest(citation: Citation, article: Article) -> int | None:
    """Where the words of a citation stand in an article: under its own heading first, then nearest to its place."""
    if not citation.quote.strip():
        return None
    text, places = article.text, []
    at = text.find(citation.quote)
    while at >= 0:
        section = max((one for one in article.sections if one.start <= at), key=lambda one: one.start)
        places.append((section.heading != citation.heading, abs(at - citation.start), at))
        at = text.find(citation.quote, at + 1)
    return min(places)[2] if places else None

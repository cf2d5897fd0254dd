"""An encyclopedia as a ZIM archive for Kiwix: the same pages, with an index of titles and one of all words."""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from typing import Any

import langcodes
from langcodes.tag_parser import LanguageTagError

from drzero import __version__
from drzero.encyclopedia.illustration import SIDE, illustration
from drzero.encyclopedia.pages import Pages, asset, path_of
from drzero.encyclopedia.site import Bookkeeping
from drzero.encyclopedia.slugs import slug_of
from drzero.encyclopedia.values import Imprint, Source, SubjectArticle
from drzero.errors import OutputFault
from drzero.text import clean_title, content_id, storable

MAIN = "index.html"
MANY = "mul"  # ISO 639-3 for several languages
_WORD_BYTES = 200  # of a word in a title; the index takes 245
_TITLE, _DESCRIPTION = 30, 80  # characters that a Kiwix catalogue shows
_GLASS = b"\x0f\x0dXapian Glass"  # begins each index of words; a random id stands 16 bytes further on
_AT_ONCE = 2**20


def write_zim(path: Path, imprint: Imprint, articles: Iterable[SubjectArticle]) -> Counter[str]:
    """Write the archive at `path`, each article as it comes; how much it was by kind. OutputFault where it cannot be.

    The same articles give the same bytes, UUID included, with the same version of libzim.
    """
    if path.is_dir():
        raise OutputFault(f"{path} is a folder, and an archive is a file: name a file in it.")
    _clear(path)
    archive = _Archive(path, imprint)
    try:
        counts = archive.write(articles)
        _settle_ids(path, archive.digest.digest())
    except BaseException:
        with suppress(OSError):
            _clear(path)
        raise
    return counts


def _clear(path: Path) -> None:
    """Remove the archive and what libzim leaves beside it when it is stopped."""
    for ending in ("", ".tmp", "_fulltext.idx", "_fulltext.idx.tmp", "_title.idx", "_title.idx.tmp"):
        left = path.with_name(path.name + ending)
        if left.is_dir() and not left.is_symlink():
            rmtree(left)
        else:
            left.unlink(missing_ok=True)


class _Archive:
    def __init__(self, path: Path, imprint: Imprint) -> None:
        self._path = path
        self._imprint = imprint
        self.digest = hashlib.sha256()

    def write(self, articles: Iterable[SubjectArticle]) -> Counter[str]:
        from libzim.writer import Creator

        pages, shelf = Pages(self._imprint, search=False), Bookkeeping()
        language = alpha3(self._imprint.language) or MANY
        creator = Creator(self._path).config_indexing(True, language).config_nbworkers(1)
        creator.set_mainpath(MAIN)
        with _native_stdout_silenced(), self._told(), creator:
            creator.add_illustration(SIDE, illustration())
            self._add(creator, "style.css", "", asset("style.css"), "text/css", front=False)
            for article in articles:
                target = path_of(article.slug)
                self._add(creator, target, clean_title(article.title), pages.article(article), front=True)
                for number, name in enumerate(article.aliases, 1):
                    self._redirect(creator, f"alias/{article.slug}/{number}", clean_title(name), target)
                shelf.add(article)
            for place, title, text in shelf.pages(pages):
                self._add(creator, place, clean_title(title), text, front=False)
            for name, value in metadata(self._imprint, shelf.sources.values(), shelf.used).items():
                self.digest.update(f"{name}\0{value}\0".encode())
                creator.add_metadata(name, value)
        return shelf.counts

    def _add(self, creator: Any, path: str, title: str, text: str, mimetype: str = "text/html", *, front: bool) -> None:
        title = _indexable(title)
        self.digest.update(f"{path}\0{title}\0{text}\0".encode())
        creator.add_item(_page_class()(path, title, text, mimetype, front))

    def _redirect(self, creator: Any, path: str, title: str, target: str) -> None:
        from libzim.writer import Hint

        title = _indexable(title)
        self.digest.update(f"{path}\0{title}\0{target}\0".encode())
        creator.add_redirection(path, title, target, {Hint.FRONT_ARTICLE: True})

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What libzim raises, as a sentence; its worker tells of a full disk at some later call."""
        try:
            yield
        except RuntimeError as error:
            raise OutputFault(
                f"{self._path} could not be written ({clean_title(str(error)).rstrip('.')}): "
                "see that the disk has room, or write the export elsewhere."
            ) from error


def _indexable(title: str) -> str:
    """`title` with every word short enough for an index of titles: of a longer one libzim would refuse the archive."""
    return " ".join(_cut_word(word) for word in storable(title).split())


def _cut_word(word: str) -> str:
    raw = word.encode()
    return word if len(raw) <= _WORD_BYTES else f"{raw[:_WORD_BYTES].decode(errors='ignore')}…"


def metadata(imprint: Imprint, sources: Iterable[Source], used: Counter[str]) -> dict[str, str]:
    """What the archive says of itself, none of it empty; languages of the sources by how often they are referred to."""
    known = sorted(sources, key=lambda one: (-used[one.zim_id], one.zim_id))
    languages = list(dict.fromkeys(code for one in known for code in _codes(one.language)))
    own = alpha3(imprint.language)
    title = clean_title(imprint.title) or "Encyclopedia"
    description = clean_title(imprint.description) or title
    slug = slug_of(title)
    told = {
        "Name": f"drzero_{own or MANY}_{slug if slug.isascii() else content_id(title)[:12]}",
        "Title": _cut(title, _TITLE),
        "Description": _cut(description, _DESCRIPTION),
        "LongDescription": _cut(f"{title}. {description}." if title != description else "", 4000),
        "Language": own if own and own != MANY else ",".join(languages) or MANY,
        "Date": imprint.date,
        "Creator": clean_title(imprint.creator) or "not stated",
        "Publisher": clean_title(imprint.publisher) or "drzero",
        "License": _joined(one.licence for one in known) or "not stated by the sources",
        "Source": _joined(one.source or one.name or one.zim_id for one in known),
        "Scraper": f"drzero {__version__}",
        "Tags": "_category:other;_ftindex:yes;_pictures:no;_videos:no;_details:yes",
        "Flavour": "verified",
    }
    return {name: storable(value) for name, value in told.items() if value}


def alpha3(language: str) -> str:
    """The three letters that ISO 639-3 has for a language, "" for none: "de" → "deu", "zh-Hant" → "zho"."""
    try:
        code = langcodes.Language.get(language).to_alpha3()
    except (LanguageTagError, LookupError, ValueError):
        return ""
    return "" if code == "und" else code


def _codes(languages: str) -> list[str]:
    return [code for one in languages.replace(";", ",").split(",") if (code := alpha3(one.strip()))]


def _joined(words: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(shown for one in words if (shown := clean_title(one))))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


@lru_cache(maxsize=1)
def _page_class() -> Any:
    from libzim.writer import Hint, Item, StringProvider

    class Page(Item):  # type: ignore[misc]  # libzim has no types
        def __init__(self, path: str, title: str, text: str, mimetype: str, front: bool) -> None:
            super().__init__()
            self._path, self._title, self._text, self._mimetype, self._front = path, title, text, mimetype, front

        def get_path(self) -> str:
            return self._path

        def get_title(self) -> str:
            return self._title

        def get_mimetype(self) -> str:
            return self._mimetype

        def get_hints(self) -> dict[Any, int]:
            return {Hint.FRONT_ARTICLE: self._front, Hint.COMPRESS: True}

        def get_contentprovider(self) -> Any:
            return StringProvider(self._text)

    return Page


@contextmanager
def _native_stdout_silenced() -> Iterator[None]:
    """libzim tells of its steps on file descriptor 1, past Python, whatever it is asked."""
    saved = os.dup(1)
    try:
        with open(os.devnull, "wb") as sink:
            os.dup2(sink.fileno(), 1)
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)


def _settle_ids(path: Path, digest: bytes) -> None:
    """Replace the random ids of the archive, and of the indexes in it, by ones made from its pages.

    The archive's is bytes 8–23; the MD5 of all that comes before it ends the file, where bytes 72–79 point.
    """
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        data[8:24] = _uuid(digest)
        number, at = 0, data.find(_GLASS)
        while at >= 0:
            number += 1
            data[at + 16 : at + 32] = _uuid(hashlib.sha256(digest + bytes([number])).digest())
            at = data.find(_GLASS, at + 32)
        (checksum_at,) = struct.unpack_from("<Q", data, 72)
        checksum = hashlib.md5(usedforsecurity=False)
        for start in range(0, checksum_at, _AT_ONCE):
            checksum.update(data[start : min(start + _AT_ONCE, checksum_at)])
        data[checksum_at:] = checksum.digest()
        data.flush()


def _uuid(digest: bytes) -> bytes:
    """The first 16 bytes as a UUID of version 8, which is for ids made in one's own way."""
    raw = bytearray(digest[:16])
    raw[6] = raw[6] & 0x0F | 0x80
    raw[8] = raw[8] & 0x3F | 0x80
    return bytes(raw)

"""Where an entry leads, by its address, its name or what is stored beside it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from drzero.corpus.contents import page_chars
from drzero.corpus.html import Page
from drzero.corpus.kinds import base_type

_STATUS = re.compile(rb"^HTTP/[\d.]+ (\d{3})", re.M)
_DOUBTED_CHARS = 3000  # a page of more is no message of a web server
_SUFFIX = re.compile(r"\.x?html?$", re.I)


@dataclass(frozen=True, slots=True)
class Target:
    """An entry that exists, by its stored path, and the heading or anchor within it, "" for its beginning."""

    path: str
    section: str


def target_of(zim: Any, path: str, address: str) -> Target | None:
    """What `address`, as given on the page at `path`, leads to within the archive `zim`; None when it leads outside,
    to nothing, or to the page itself.
    """
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return None
    if parts.scheme or parts.netloc or not parts.path:
        return None
    query = f"?{parts.query}" if parts.query else ""
    section = " ".join(unquote(parts.fragment).replace("_", " ").split())
    for written in dict.fromkeys((unquote(parts.path) + query, unquote(parts.path), parts.path + query)):
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
        if place.endswith("/.") or written.endswith("/"):
            place = place.removesuffix("/.") + "/"
        if place != path and zim.has_entry_by_path(place):
            return Target(place, section)
    return None


def namesakes(path: str, title: str) -> Iterator[str]:
    """Where an entry called `title` would lie, stored as the one at `path` is; nothing when that is its own place."""
    suffix = _SUFFIX.search(path)
    ending = suffix.group() if suffix else ""
    for folder in dict.fromkeys((path[: path.rfind("/") + 1], path[:2] if path[1:2] == "/" else "")):
        places = [f"{folder}{name}{ending}" for name in dict.fromkeys((title, title.replace(" ", "_")))]
        if not title or path in places:
            return
        yield from places


def has_twin(zim: Any, path: str) -> bool:
    """Whether the book at `path`, a file of some format, lies in the archive as a page too."""
    stem = path.rpartition(".")[0]
    folders = {stem, f"A/{stem[2:]}" if stem[1:2] == "/" else stem}
    return any(zim.has_entry_by_path(f"{place}{suffix}") for place in folders for suffix in ("", ".html"))


def status_fault(zim: Any, path: str, page: Page) -> str:
    """How a web server failed to give a short `page`, such as "status 404"; "" when it did not, or nobody knows.

    Archives of the first format of warc2zim store the server's answer beside each page, under H/.
    """
    if not path.startswith("A/") or page_chars(page) > _DOUBTED_CHARS:
        return ""
    place = f"H/{path[2:]}"
    if not zim.has_entry_by_path(place):
        return ""
    other = zim.get_entry_by_path(place)
    if other.is_redirect or base_type(other.get_item().mimetype) != "application/warc-headers":
        return ""
    found = _STATUS.search(bytes(other.get_item().content)[:20_000])
    return f"status {found.group(1).decode()}" if found and not found.group(1).startswith(b"2") else ""

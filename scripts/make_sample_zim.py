#!/usr/bin/env python3
"""Make a small ZIM archive from the documentation inside the installed Python itself.

    python scripts/make_sample_zim.py zims/python-stdlib.zim

It holds a page for each of some forty standard modules, made from their docstrings, and one for each topic of the
language reference that `help()` knows. Nothing is downloaded. The same Python makes the same pages and archive id.
The texts are the Python Software Foundation's, under the PSF licence.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import inspect
import os
import platform
import re
import struct
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

from docstring_html import to_html
from libzim.writer import Creator, Hint, Item, StringProvider

MODULES = (
    "argparse", "bisect", "calendar", "collections", "configparser", "contextlib", "copy", "csv", "datetime",
    "dataclasses", "difflib", "fractions", "functools", "graphlib", "gzip", "hashlib", "heapq", "itertools", "json",
    "logging", "math", "pathlib", "pickle", "pprint", "queue", "random", "re", "sched", "secrets", "shelve",
    "shutil", "socketserver", "sqlite3", "statistics", "struct", "subprocess", "tempfile", "textwrap", "threading",
    "time", "timeit", "zipfile",
)  # fmt: skip

# Topics that repeat other topics word for word, as chapters repeat their sections.
REPEATED_TOPICS = {"augassign", "compound", "dynamic-features", "else", "exceptions", "id-classes", "in", "naming"}
REPEATED_TOPICS |= {"specialnames", "typesseq-mutable"}

INDEX = "index"
LEAST_WORDS = 12  # a method that says less is left out


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the archive; `html` is what stands inside its body, `summary` one line for the table of contents."""

    path: str
    title: str
    html: str
    summary: str = ""


# --- modules and topics → pages -------------------------------------------------------------------------------------


def module_page(name: str) -> Page | None:
    """The page of a module from its docstrings; None when this Python lacks the module."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = importlib.import_module(name)
    except ImportError:
        return None
    text = inspect.cleandoc(module.__doc__ or "")
    parts = [f"<h1>{escape(name)}</h1>", to_html(text)]
    for key, thing in _public(module):
        parts += _class(name, key, thing) if inspect.isclass(thing) else _routine(2, f"{name}.{key}", thing)
    first = re.split(r"\n\s*\n|(?<=[.])\s", text, maxsplit=1)[0]
    return Page(f"modules/{name}", name, "\n".join(part for part in parts if part), " ".join(first.split()))


def _public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The documented classes and functions that a module offers as its own, in the module's order, each once."""
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    seen: set[int] = set()
    for name in names:
        thing = vars(module).get(name)
        own = getattr(thing, "__module__", None) or module.__name__
        near = own.lstrip("_").split(".")[0] == module.__name__.split(".")[0] or module.__name__ in (
            "os.path",
            "pathlib",
            "io",
        )
        described = _doc(thing) or (inspect.isclass(thing) and any(_members(thing)))
        if (inspect.isclass(thing) or inspect.isroutine(thing)) and near and id(thing) not in seen and described:
            seen.add(id(thing))
            yield name, thing


def _doc(thing: Any) -> str:
    """The thing's own docstring, "" for one that was inherited or generated."""
    doc = getattr(thing, "__doc__", None)
    if not isinstance(doc, str) or doc.startswith("Alias for field number"):
        return ""
    if inspect.isclass(thing):
        inherited = any(doc == base.__doc__ for base in thing.__mro__[1:]) or doc == "An enumeration."
        generated = re.fullmatch(rf"{re.escape(thing.__name__)}\(.*\)", doc, re.DOTALL)
        if inherited or generated:
            return ""
    return inspect.cleandoc(doc)


def _members(thing: type) -> Iterator[tuple[str, Any]]:
    """The class's own public methods and properties that say something of themselves."""
    for name, member in vars(thing).items():
        raw = member.__func__ if isinstance(member, staticmethod | classmethod) else member
        described = inspect.isroutine(raw) or isinstance(raw, property) or inspect.isdatadescriptor(raw)
        if not name.startswith("_") and described and len(_doc(raw).split()) >= LEAST_WORDS:
            yield name, raw


def _class(module: str, name: str, thing: type) -> list[str]:
    parts = [f"<h2>{escape(f'{module}.{name}')}</h2>", to_html(_doc(thing), level=4)]
    for key, member in _members(thing):
        parts += _routine(3, f"{name}.{key}", member)
    return parts


def _routine(level: int, title: str, thing: Any) -> list[str]:
    try:
        signature = str(inspect.signature(thing)) if callable(thing) else ""
    except (TypeError, ValueError):
        signature = ""
    shown = f"<pre>{escape(title.rsplit('.', 1)[-1] + signature, quote=False)}</pre>" if signature else ""
    if " at 0x" in signature or len(signature) > 300:
        shown = ""
    return [f"<h{level}>{escape(title)}</h{level}>", shown, to_html(_doc(thing), level=level + 1)]


def topic_pages() -> list[Page]:
    """A page for each topic of the language reference that `help()` knows; none where they were not installed."""
    try:
        from pydoc_data.topics import topics
    except ImportError:
        return []
    pages = []
    for name, text in sorted(topics.items()):
        if name in REPEATED_TOPICS:
            continue
        title, _, rest = text.strip().partition("\n")
        body = re.sub(r"^[*=]+\n", "", rest.lstrip("\n"))
        body = re.sub(r"^-\[ (.+) \]-$", r"\1:", body, flags=re.MULTILINE)
        title = re.sub(r'"', "", title)
        pages.append(Page(f"topics/{name}", title, f"<h1>{escape(title)}</h1>\n{to_html(body, quoted_is_code=True)}"))
    return pages


def index_page(pages: list[Page]) -> Page:
    """The table of contents."""
    version = platform.python_version()
    rows = []
    for page in pages:
        said = f": {escape(page.summary, quote=False)}" if page.summary else ""
        rows.append(f'<li><a href="{escape(page.path)}">{escape(page.title)}</a>{said}</li>')
    html = (
        f"<h1>Python {version}</h1>\n<p>The documentation that comes inside Python {version}: its standard modules, "
        "and topics of the language reference.</p>\n<ul>\n" + "\n".join(rows) + "\n</ul>"
    )
    return Page(INDEX, f"Python {version}", html)


def make_pages() -> list[Page]:
    """All pages, the table of contents first."""
    pages = [page for name in MODULES if (page := module_page(name)) is not None] + topic_pages()
    return [index_page(pages), *pages]


# --- pages → archive ------------------------------------------------------------------------------------------------


class PageItem(Item):  # type: ignore[misc]
    """A page as libzim takes it."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page

    def get_path(self) -> str:
        """Its path in the archive."""
        return self._page.path

    def get_title(self) -> str:
        """Its title."""
        return self._page.title

    def get_mimetype(self) -> str:
        """HTML."""
        return "text/html"

    def get_contentprovider(self) -> StringProvider:
        """The whole document."""
        return StringProvider(document(self._page))

    def get_hints(self) -> dict[Hint, bool]:
        """Each page is an article."""
        return {Hint.FRONT_ARTICLE: True}


def document(page: Page) -> str:
    """The page as a whole HTML document."""
    title = escape(page.title, quote=False)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title></head>\n'
        f"<body>\n{page.html}\n</body>\n</html>\n"
    )


def metadata() -> dict[str, str]:
    """What the archive says of itself."""
    version = platform.python_version()
    return {
        "Name": "python_en_stdlib",
        "Title": f"Python {version}",
        "Description": "Standard modules and language topics, from Python's own help",
        "Language": "eng",
        "Creator": "Python Software Foundation",
        "Publisher": "drzero",
        "License": "PSF-2.0",
        "Source": "docstrings and pydoc topics of the installed Python",
        "Date": build_date(),
        "Scraper": "drzero make_sample_zim",
        "Tags": "python;_ftindex:yes",
    }


def build_date() -> str:
    """The day on which this Python was built, as YYYY-MM-DD."""
    try:
        return time.strftime("%Y-%m-%d", time.strptime(" ".join(platform.python_build()[1].split()[:3]), "%b %d %Y"))
    except ValueError:
        return "1970-01-01"


def write_zim(pages: list[Page], target: Path) -> None:
    """Write the archive in one step: a half-written one never has the name `target`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.new")
    fresh.unlink(missing_ok=True)
    with _native_stdout_silenced(), Creator(str(fresh)).config_indexing(True, "eng").config_nbworkers(1) as creator:
        for page in pages:
            creator.add_item(PageItem(page))
        for name, value in metadata().items():
            creator.add_metadata(name, value)
        creator.set_mainpath(INDEX)
    _settle_id(fresh, pages)
    fresh.replace(target)


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


def _settle_id(path: Path, pages: list[Page]) -> None:
    """Replace the archive's random UUID by one made from its pages, so that the same Python makes the same archive id.

    The UUID is bytes 8–23; the MD5 of all that comes before it ends the file, where bytes 72–79 point.
    """
    digest = hashlib.sha256("\0".join(f"{page.path}\0{document(page)}" for page in pages).encode()).digest()
    data = bytearray(path.read_bytes())
    data[8:24] = digest[:16]
    (checksum_at,) = struct.unpack_from("<Q", data, 72)
    data[checksum_at:] = hashlib.md5(data[:checksum_at], usedforsecurity=False).digest()
    path.write_bytes(data)


def main() -> None:
    """Make the archive named on the command line, unless it is there."""
    parser = argparse.ArgumentParser(description="Make a small ZIM archive from the documentation inside this Python.")
    parser.add_argument("output", type=Path, help="the archive to write, such as zims/python-stdlib.zim")
    parser.add_argument("--force", action="store_true", help="make it again when it is there")
    options = parser.parse_args()
    if options.output.exists() and not options.force:
        print(f"{options.output} is there already")
        return
    pages = make_pages()
    write_zim(pages, options.output)
    print(f"{options.output}: {len(pages)} pages, {options.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

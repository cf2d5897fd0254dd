"""The content of one entry → what a reader finds there: text in sections, or the reason why there is none."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from drzero.corpus.books import is_gutenberg, without_licence
from drzero.corpus.decoding import decode
from drzero.corpus.html import Page, read_html
from drzero.corpus.kinds import FURNISHED, base_type
from drzero.corpus.markdown import read_markdown
from drzero.corpus.pdf import read_pdf
from drzero.corpus.plain import is_source, read_plain
from drzero.text import clean_title

DOUBTFUL = "doubtful encoding"
"""`Reading.detail` of an article of which some bytes could not be told for sure."""

_SITE_NAME = re.compile(r"\s+[—–|·-]\s+\S.*")  # behind the page's own heading
_ENTITY = re.compile(r"&(?:#\d+|#x[\da-f]+|[a-z]+\d*);", re.I)
_WITH_BOOKS = frozenset(("gutenberg", "text", *FURNISHED))
_FAULT = (
    r"(?:(?:the )?(?:requested )?(?:page|file|url|resource)(?: or directory)? (?:was |could |can|cannot |is )?"
    r"not (?:be )?found|not found|page (?:does not|doesn['’]t) exist|forbidden|unauthori[sz]ed|bad request|gone"
    r"|(?:internal )?server error|service (?:temporarily )?unavailable|bad gateway|gateway time-?out|too many requests)"
)
_ERROR_TITLE = re.compile(
    rf"(?:(?:http|error|status)\W+)*[45]\d\d\W*(?:(?:error\W*)?{_FAULT})?(?:\W+error)?(?:\s*[|:–—-].{{0,60}})?[.!]?"
    rf"|(?:error\W+)?{_FAULT}(?:\s*[|:–—-].{{0,60}})?[.!]?"
    r"|access denied|just a moment\W*|attention required!?.{0,40}",
    re.I,
)
_ERROR_CHARS = 600  # what an error page has at most


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an entry gives no article, or where it sends the reader instead.

    `moved_to` is an address as the page gives it, `same_as` the path of the entry whose text it repeats.
    """

    reason: str
    detail: str = ""
    moved_to: str = ""
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """What an entry gives to read, what is to be said of it (`Reading.detail`), and a title better than the entry's."""

    page: Page
    detail: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry as the archive stores it. `form` is how to read it, see `kinds.reading_format`; `title` is cleaned."""

    kind: str
    form: str
    mimetype: str
    title: str
    content: bytes


def read_stored(entry: Stored, furniture: Callable[[], frozenset[str]]) -> Text | Refused:
    """Read the entry. `furniture` gives the lines that come again on the archive's pages, for kinds that have such."""
    form = entry.form if entry.form != "unknown" else _tell_form(entry.content)
    if form == "pdf":
        found = read_pdf(entry.content)
        return Refused(found.reason, found.detail) if found.reason else Text(found.page, found.detail, found.page.title)
    if not form:
        return Refused("other")
    text, doubtful = decode(entry.content, entry.mimetype)
    if form != "markdown" and not text.lstrip().startswith("<") and is_source(text):
        return Refused("script")
    if form == "html":
        lines = furniture() if entry.kind in FURNISHED else frozenset()
        xhtml = "xhtml" in base_type(entry.mimetype)
        page = read_html(text, title=entry.title, xhtml=xhtml, furniture=lines)
    elif form == "markdown":
        page = read_markdown(text, title=entry.title)
    else:
        page = read_plain(text)
    if entry.kind in _WITH_BOOKS and is_gutenberg(entry.content):
        page = without_licence(page)
    if refused := _refused(entry, page):
        return refused
    return Text(page, DOUBTFUL if doubtful else "")


def _refused(entry: Stored, page: Page) -> Refused | None:
    if page.moved_to:
        return Refused("moved", moved_to=page.moved_to)
    if page.mark == "placeholder":
        return Refused(page.mark)
    if not page.sections:
        return Refused("no-text")
    if entry.kind in FURNISHED and page_chars(page) <= _ERROR_CHARS:
        names = (entry.title, clean_title(page.title))
        if any(_ERROR_TITLE.fullmatch(name) for name in names if name):
            return Refused("placeholder", "error page")
    return None


def page_chars(page: Page) -> int:
    """How much text a page has."""
    return sum(len(section.text) for section in page.sections)


def shown_title(title: str, own: str, path: str, *, kind: str) -> str:
    """An article's title: its entry's `title` without the name of the site, else the page's `own`, else its `path`.

    What a scraper escaped once too often, such as "Driver&apos;s seat", is read as it was meant.
    """
    own = clean_title(own)
    shown = title or own or clean_title(path) or path
    if own and shown.startswith(own) and _SITE_NAME.fullmatch(shown[len(own) :]):
        shown = own
    return shown if shown == own and kind != "mwoffliner" else unescaped(shown)


def unescaped(title: str) -> str:
    """A title with its HTML entities read, for places where they cannot be meant: MediaWiki allows none in titles."""
    return clean_title(_ENTITY.sub(lambda entity: html.unescape(entity.group()), title)) or title


def _tell_form(content: bytes) -> str:
    """The form of an entry of unknown type by its first bytes; "" when it is no text."""
    head = content[:1024].lstrip().lower()
    if b"%pdf-" in head[:64]:
        return "pdf"
    starts = (b"<!doctype html", b"<html", b"<head", b"<body", b"<p", b"<div", b"<h1", b"<article", b"<main")
    return "html" if head.startswith(starts) else ""

"""PDF → sections: one for each page, under the document's bookmarks where it has them."""

from __future__ import annotations

import io
import logging
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Any

from drzero.corpus.html import Page
from drzero.corpus.outline import Outline, fold
from drzero.text import clean_title

if TYPE_CHECKING:
    from pypdf import PdfReader

_MAX_PAGES = 2000
_MAX_CHARS = 4_000_000
_MAX_STREAM_BYTES = 4 * 2**20  # a page of more is a drawing
_MAX_STREAMS_BYTES = 64 * 2**20  # of all pages together
_MAX_BOOKMARKS = 5000
_EDGE_LINES = 2  # where running headers and footers stand
_REPEATED = 0.4  # of the pages: left and right pages may differ
_FULL = 0.75  # of a usual line: so much of it is filled when the paragraph goes on
_SHORTEST_MEASURE = 40  # characters in a line of running text
_HALF = 0.4  # so much of it, when the next line begins with a small letter
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\ufffe": "-", "\u00ad": "-"}
)
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[-–—\[(|\s]*(?:(?:page|seite|página|pagina|p\.)\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of|von|de|sur)\s*\d{1,4})?"
    r"[-–—\])|\s]*",
    re.I,
)
# What programs put in place of a title.
_NO_TITLE = re.compile(
    r"^microsoft (?:word|powerpoint|excel)\b|^(?:untitled|title|print|document|presentation|slide)\W*\d*$"
    r"|\.(?:docx?|pdf|tex|dvi|indd|qxd|pptx?|xlsx?|odt|rtf|html?)$",
    re.I,
)
_BROKEN_WORD = re.compile(r"(\w*[^\W\d_])-$")
_WORD_CHARS = 60  # in the longest word
_ITEM = re.compile(r"(?:[•●▪‣◦*–—-]|\(?\w{1,3}[.)])\s")
_HYPHENATED = re.compile(r"\b[^\W\d_]+-[^\W\d_]+\b")


# What the library raises on files that are broken or hostile, besides its own errors.
_FAULTS = (
    ArithmeticError, AssertionError, AttributeError, EOFError, ImportError, LookupError, MemoryError, OSError,
    RuntimeError, TypeError, ValueError, struct.error, zlib.error,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """What a PDF holds. `reason` says why it gives no text, `detail` what of it was left out or what is wrong."""

    page: Page
    reason: str = ""
    detail: str = ""


def read_pdf(content: bytes) -> Document:
    """Read a PDF of any provenance; one that is broken, locked or without text is told by its `reason`.

    Lines of a paragraph are joined, and words broken at their ends; headers and footers that come again are left out.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports each oddity of a file
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return Document(Page("", ()), "pdf-no-text", "encrypted")
        title = clean_title(str((reader.metadata and reader.metadata.title) or ""))
        title = "" if _NO_TITLE.search(title) else title
        count = len(reader.pages)
    except (PyPdfError, *_FAULTS) as error:
        return Document(Page("", ()), "unreadable", f"{type(error).__name__}: {error}"[:200])
    pages, detail, broken = _page_lines(reader, count)
    sections = _outline(_without_edges(pages), _bookmarks(reader)).sections()
    if sections:
        return Document(Page(title, sections), "", detail)
    return Document(Page(title, ()), "unreadable" if broken else "pdf-no-text", detail)


def _page_lines(reader: PdfReader, count: int) -> tuple[list[list[str]], str, int]:
    """The lines of each page, what was left out, and how many pages could not be read."""
    from pypdf.errors import PyPdfError

    pages: list[list[str]] = []
    chars = streamed = broken = large = 0
    for number in range(min(count, _MAX_PAGES)):
        text = ""
        try:
            page = reader.pages[number]
            contents = page.get_contents()
            size = len(contents.get_data()) if contents is not None else 0
            streamed += size
            if size > _MAX_STREAM_BYTES:
                large += 1
            else:
                text = page.extract_text()
        except (PyPdfError, *_FAULTS):
            broken += 1
        text = text.translate(_LIGATURES)[: _MAX_CHARS - chars]
        chars += len(text)
        pages.append([line for line in map(fold, text.splitlines()) if line])
        if chars >= _MAX_CHARS or streamed >= _MAX_STREAMS_BYTES:
            break
    notes = []
    if len(pages) < count:
        notes.append(f"the first {len(pages)} of {count} pages")
    if large:
        notes.append(f"{large} pages too large")
    if broken:
        notes.append(f"{broken} pages unreadable")
    return pages, ", ".join(notes), broken


def _bookmarks(reader: PdfReader) -> dict[int, list[tuple[int, str]]]:
    """Page number (from 0) → the (level, title) of the bookmarks that lead to it, in order; level 1 is the top."""
    from pypdf.errors import PyPdfError

    found: dict[int, list[tuple[int, str]]] = {}
    try:
        waiting: list[tuple[int, Any]] = [(1, item) for item in reversed(reader.outline)]
        for _ in range(_MAX_BOOKMARKS):
            if not waiting:
                break
            level, item = waiting.pop()
            if isinstance(item, list):
                waiting += [(level + 1, below) for below in reversed(item)]
                continue
            number = reader.get_destination_page_number(item)
            if number is not None and number >= 0 and (title := fold(str(item.title or ""))):
                found.setdefault(number, []).append((level, title))
    except (PyPdfError, *_FAULTS):
        return {}
    return found


def _without_edges(pages: Sequence[list[str]]) -> list[list[str]]:
    """The pages without headers and footers that come again on others, and without page numbers."""
    if len(pages) < 2:
        return list(pages)
    counts = Counter(chain.from_iterable({_NUMBER.sub("#", page[place]) for place in _edges(page)} for page in pages))
    enough = max(2, ceil(len(pages) * _REPEATED))
    numbered = sum(any(_PAGE_NUMBER.fullmatch(page[place]) for place in _edges(page)) for page in pages) >= 2

    def is_edge(line: str) -> bool:
        return counts[_NUMBER.sub("#", line)] >= enough or (numbered and bool(_PAGE_NUMBER.fullmatch(line)))

    kept = []
    for page in pages:
        first, last = 0, len(page)
        while first < min(_EDGE_LINES, last) and is_edge(page[first]):
            first += 1
        while last > max(first, len(page) - _EDGE_LINES) and is_edge(page[last - 1]):
            last -= 1
        kept.append(page[first:last])
    return kept


def _edges(page: Sequence[str]) -> list[int]:
    """Where the lines at the top and the bottom of a page stand."""
    return sorted({*range(min(_EDGE_LINES, len(page))), *range(max(0, len(page) - _EDGE_LINES), len(page))})


def _outline(pages: Sequence[Sequence[str]], bookmarks: dict[int, list[tuple[int, str]]]) -> Outline:
    compounds = {word.casefold() for page in pages for line in page for word in _HYPHENATED.findall(line)}
    outline = Outline()
    deepest = max((level for marks in bookmarks.values() for level, _ in marks), default=0) + 1
    for number, page in enumerate(pages):
        at = 0
        for level, title in bookmarks.get(number, ()):
            here = next((place for place in range(at, len(page)) if _is_title(page[place], title)), None)
            if here is not None:
                _write(outline, page[at:here], deepest, number, compounds)
                at = here + 1
            outline.heading(level, title)
        _write(outline, page[at:], deepest, number, compounds)
    return outline


def _is_title(line: str, title: str) -> bool:
    line, title = line.casefold(), title.casefold()
    return line == title or (line.endswith(title) and len(line) - len(title) <= 8)  # "2.1 Naming" for "Naming"


def _write(outline: Outline, lines: Sequence[str], level: int, number: int, compounds: set[str]) -> None:
    if lines:
        outline.heading(level, f"Page {number + 1}")
        for paragraph in _paragraphs(lines, compounds):
            outline.block(paragraph)


def _paragraphs(lines: Sequence[str], compounds: set[str]) -> Iterator[str]:
    """Lines joined to paragraphs: a line that fills the measure, or breaks a word, goes on in the next."""
    lengths = sorted(map(len, lines))
    usual = max(_SHORTEST_MEASURE, lengths[int(len(lengths) * 0.9)])
    text = ""  # of the paragraph so far
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        text += line
        broken = _BROKEN_WORD.search(line[-_WORD_CHARS:]) if line.endswith("-") else None
        if broken and following[:1].islower():
            rest = re.match(r"[^\W\d_]*", following)
            whole = f"{broken.group(1)}-{rest.group() if rest else ''}".casefold()
            text = text if whole in compounds else text[:-1]
        elif _goes_on(len(line) / usual, following):
            text += " "
        else:
            yield text
            text = ""
    if text:
        yield text


def _goes_on(filled: float, following: str) -> bool:
    """True when the line `following` belongs to the paragraph of one that is `filled` so far."""
    if not following or _ITEM.match(following):
        return False
    return filled >= _FULL or (filled >= _HALF and following[0].islower())

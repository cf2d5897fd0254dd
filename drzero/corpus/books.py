"""Books of Project Gutenberg without its licence: what stands before and behind the book is not the book."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from drzero.corpus.html import Page
from drzero.text import clean_title
from drzero.types import SECTION_BREAK, Section

_HEAD_BYTES = 50_000
_GUTENBERG = re.compile(r"project gutenberg", re.I)
_NAME = r"(?:THE |THIS )?PROJECT GUTENBERG(?:['’]S)?(?:-TM|™)? (?:E-?BOOK|E-?TEXT)"
_START = re.compile(
    rf"\s*(?:\*{{3}} ?START OF {_NAME}|\*?END[* ]+THE SMALL PRINT! FOR PUBLIC DOMAIN"
    r"|.{0,60}COPYRIGHT PROTECTED ETEXTS\*END).*",
    re.I,
)
_END = re.compile(rf"\s*(?:\*{{3}} ?END OF {_NAME}|End of (?:The )?Project Gutenberg(?:['’]s)? )", re.I)
_REST_OF_START = re.compile(r"[^a-z]{0,100}\*{3}\s*")
_FACT = re.compile(
    r"\s*(Title|Author|Translator|Editor|Illustrator|Contributor|Compiler|Commentator|Original publication)s?"
    r"\s*:\s*(\S.*)"
)
_TITLE = re.compile(
    r"(?:The )?Project Gutenberg(?:['’]s)?(?: E-?(?:Book|text))?(?: of|,)?\s+(.+?)(?:,? by\s+([^,].*))?", re.I
)
_SITE = re.compile(r"\s*\|\s*Project Gutenberg\s*$", re.I)
_MAKERS = re.compile(
    r"\s*\[?(?:E-?(?:text|Book)\b.{0,30}|This \S+ was )?(?:prepared|produced|created) by\b.{0,400}", re.I
)

Place = tuple[int, int]  # a section's number and a character in its text


def without_licence(page: Page) -> Page:
    """`page` without Project Gutenberg's header and footer; the same when it has none.

    What the header states of the book (title, author, translator, …) stays, as the beginning of the lead.
    """
    title, author = book_title(page.title)
    lines = list(_lines(page.sections))
    first = next((at for at, (_, _, line) in enumerate(lines) if _START.fullmatch(line)), -1)
    last = next((at for at in range(first + 1, len(lines)) if _END.match(lines[at][2])), len(lines))
    if first < 0 and last == len(lines):
        return replace(page, title=title)
    facts = dict(_facts(line for _, _, line in lines[: max(first, 0)]))
    if first >= 0:
        first += 1 + bool(_REST_OF_START.fullmatch(lines[first + 1][2]) if first + 1 < last else False)
        first += bool(first < last and _MAKERS.fullmatch(lines[first][2]))
    begin = lines[first][:2] if 0 <= first < len(lines) else (0, 0) if first < 0 else (len(page.sections), 0)
    end = lines[last][:2] if last < len(lines) else (len(page.sections), 0)
    title, author = facts.get("Title", title), facts.get("Author", author)
    return replace(
        page,
        title=title,
        sections=_placed(_stated(facts, list(_between(page.sections, begin, end)))),
        aliases=(*page.aliases, f"{title} by {author}") if title and author else page.aliases,
    )


def book_title(title: str) -> tuple[str, str]:
    """A book's own title and its author, "" when not told, from a title such as "Project Gutenberg's X, by Y"."""
    title = _SITE.sub("", clean_title(title))
    found = _TITLE.fullmatch(title)
    return (found.group(1), found.group(2) or "") if found else (title, "")


def is_gutenberg(content: bytes) -> bool:
    """Whether the bytes of a page name Project Gutenberg near their beginning, where its books begin with it."""
    head = content[:_HEAD_BYTES]
    return b"Gutenberg" in head or b"GUTENBERG" in head


def _lines(sections: Sequence[Section]) -> Iterator[tuple[int, int, str]]:
    """Each line with the number of its section and its place in the section's text."""
    for number, section in enumerate(sections):
        at = 0
        for line in section.text.split("\n"):
            yield number, at, line
            at += len(line) + 1


def _facts(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if found := _FACT.fullmatch(line):
            yield found.group(1), found.group(2).strip()


def _between(sections: Sequence[Section], begin: Place, end: Place) -> Iterator[Section]:
    """The parts of the sections from `begin` to `end`, with the code in them; headings of the header are taken away."""
    for number, section in enumerate(sections):
        low = begin[1] if number == begin[0] else 0
        high = end[1] if number == end[0] else len(section.text)
        if not begin[0] <= number <= end[0] or low >= high:
            continue
        text = section.text[low:high].rstrip("\n")
        code = tuple((start - low, stop - low) for start, stop in section.code if start >= low and stop <= high)
        heading = tuple(name for name in section.heading if not _GUTENBERG.search(name))
        yield replace(section, heading=heading, text=text, code=code)


def _stated(facts: Mapping[str, str], sections: list[Section]) -> list[Section]:
    """The sections behind a lead that begins with the facts."""
    text = "\n".join(f"{label}: {value}" for label, value in facts.items())
    if not text:
        return sections
    if not sections or sections[0].heading:
        return [Section((), text, 0), *sections]
    lead, shift = sections[0], len(text) + 1
    code = tuple((start + shift, stop + shift) for start, stop in lead.code)
    return [replace(lead, text=f"{text}\n{lead.text}", code=code), *sections[1:]]


def _placed(sections: Iterable[Section]) -> tuple[Section, ...]:
    """The sections that hold text, at their places in the article's text."""
    placed, start = [], 0
    for section in sections:
        if section.text:
            placed.append(replace(section, start=start))
            start += len(section.text) + len(SECTION_BREAK)
    return tuple(placed)

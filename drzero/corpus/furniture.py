"""Lines that a site sets around each of its pages, found by comparing pages: menus, notices, footers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from drzero.types import Section

SAMPLE = 48
"""How many pages are compared, at most."""

UNTITLED = "\u200b"
"""The title under which pages are read for comparison, so that none of their headings is left out."""

_FEWEST = 10  # pages; among fewer nothing can be told
_MOST = 0.5  # of the pages, for what stands before the page's own heading or at its end
_NEARLY_ALL = 0.9  # of them, for what follows the heading, where pages of one form begin alike
_FIRST_LOOK = 4  # one page of so many is read first
_HINT = 0.6

Line = tuple[bool, str]  # whether it is a heading, and its text


def compare(count: int, read: Callable[[int], Sequence[Section]]) -> frozenset[str]:
    """The furniture of a site of `count` pages, of which `read` reads the one of a number.

    A quarter of the pages is read first; where those have next to nothing in common, the others are not read.
    """
    chosen = list(dict.fromkeys(count * step // SAMPLE for step in range(SAMPLE))) if count else []
    known = {number: read(number) for number in chosen[::_FIRST_LOOK]}
    if len(known) >= _FEWEST and not find_furniture(list(known.values()), share=_HINT):
        return frozenset()
    return find_furniture([known[number] if number in known else read(number) for number in chosen])


def find_furniture(pages: Sequence[Sequence[Section]], *, share: float = 1.0) -> frozenset[str]:
    """The lines and headings that stand at the edges of most of `pages`, and nowhere else on any.

    An edge is the run of repeated lines with which a page begins or ends. Fewer than ten pages have none. A `share`
    of the pages that are wanted otherwise is enough.
    """
    lines = [list(_lines(page)) for page in pages if page]
    if len(lines) < _FEWEST:
        return frozenset()
    shown = Counter(line for page in lines for line in set(page))
    repeated = {line for line, count in shown.items() if count >= len(lines) * _MOST * share}
    outer: Counter[str] = Counter()
    inner: Counter[str] = Counter()
    elsewhere: set[str] = set()
    for page in lines:
        head, behind, tail = _edges(page, repeated)
        outer.update({text for _, text in (*page[:head], *page[tail:])})
        inner.update({text for _, text in page[head:behind]})
        elsewhere.update(text for _, text in page[behind:tail])
    return frozenset(
        text
        for text in outer.keys() | inner.keys()
        if text not in elsewhere
        and (
            outer[text] >= len(lines) * _MOST * share
            if not inner[text]
            else outer[text] + inner[text] >= len(lines) * _NEARLY_ALL * share
        )
    )


def _lines(sections: Sequence[Section]) -> Iterator[Line]:
    """Headings and lines of a page in reading order."""
    before: tuple[str, ...] = ()
    for section in sections:
        common = 0
        while common < min(len(before), len(section.heading)) and before[common] == section.heading[common]:
            common += 1
        yield from ((True, name) for name in section.heading[common:])
        yield from ((False, line) for line in section.text.split("\n"))
        before = section.heading


def _edges(page: Sequence[Line], repeated: set[Line]) -> tuple[int, int, int]:
    """Where the run before the page's own heading ends, where the one behind it does, and where the last run begins."""
    head = 0
    while head < len(page) and page[head] in repeated:
        head += 1
    behind = head
    if head < len(page) and page[head][0]:  # the page's own heading
        behind = head + 1
        while behind < len(page) and page[behind] in repeated:
            behind += 1
    tail = len(page)
    while tail > behind and page[tail - 1] in repeated:
        tail -= 1
    return head, behind, tail

"""Claims in reading order: what is said twice once, what has a date by its date, the rest by its place (pure).

The claims of one entry stay together as they were answered, for a later one may lean on the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from drzero.text import words
from drzero.types import Citation

Status = Literal["current", "stale", "disputed"]
Date = tuple[int, int, int]  # year (BC: negative), month and day, 0 where they are not said

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun"),
            ("july", "jul"), ("august", "aug"), ("september", "sep", "sept"), ("october", "oct"),
            ("november", "nov"), ("december", "dec"),
        ),
        1,
    )
    for name in names
}  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_YEAR = r"(?P<year>\d{3,4})"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\d.-])(?P<year>\d{4})-(?P<m>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?!\d)",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH},?\s+{_YEAR}\b",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}\b",
        rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b",
        r"\b(?P<bc>\d{1,4})\s+(?:BCE?|B\.C\.)",
        r"(?<![\d.,:/$€£#-])(?P<year>1\d{3}|20\d{2})(?:年|s?(?![\w:/%]|[.,]\d|-\d))",
    )
)


@dataclass(frozen=True, slots=True)
class Point:
    """One claim: its words, where they are supported, and the entries it stands in. `at` is its place in an article."""

    text: str
    citations: tuple[Citation, ...]
    entries: tuple[str, ...]
    question: str
    status: Status
    at: tuple[int, str, int] = (0, "", 0)


@dataclass(frozen=True, slots=True)
class Passage:
    """The claims of one entry, which are read one after the other; `type` is that of its question."""

    points: tuple[Point, ...]
    type: str

    @property
    def date(self) -> Date | None:
        """The first date that its first claim states; None without one."""
        return date_of(self.points[0].text)


def date_of(text: str) -> Date | None:
    """The date that stands first in `text`, as (year, month, day), the fuller reading of one place; None for none."""
    found = [(match.start(), rank, match) for rank, date in enumerate(_DATES) if (match := date.search(text))]
    if not found:
        return None
    groups = min(found, key=lambda one: one[:2])[2].groupdict()
    if groups.get("bc"):
        return -int(groups["bc"]), 0, 0
    month = _MONTHS[groups["month"].casefold()] if groups.get("month") else int(groups.get("m") or 0)
    return int(groups["year"]), month, int(groups.get("day") or 0)


def in_reading_order(passages: Iterable[Passage]) -> list[Passage]:
    """Where most have a date, those by date and the rest behind by place; elsewhere all by their place."""
    found = sorted(passages, key=lambda one: (one.points[0].at, one.points[0].text))
    dated = [one for one in found if one.date is not None]
    if 2 * len(dated) <= len(found):
        return found
    return [*sorted(dated, key=lambda one: one.date or (0, 0, 0)), *(one for one in found if one.date is None)]


def merged(passages: Sequence[Passage]) -> list[Passage]:
    """`passages` in their order without repetition.

    A passage of one claim goes where a claim of another has the same words, or begins with all of its words and says
    more; one of several goes where another is the same throughout. References and entries are joined.
    """
    first: dict[tuple[str, ...], int] = {}
    found: list[Passage] = []
    for passage in passages:
        same = tuple(_plain(point.text) for point in passage.points)
        place = first.setdefault(same, len(found))
        if place == len(found):
            found.append(passage)
        else:
            points = zip(found[place].points, passage.points, strict=True)
            found[place] = replace(found[place], points=tuple(_joined(one, two) for one, two in points))
    kept: list[Passage | None] = [*found]
    lines = sorted(
        (_plain(point.text), place, at)
        for place, passage in enumerate(found)
        for at, point in enumerate(passage.points)
    )
    # from the end, so that what begins a claim that begins another goes with it; a single one before the same in others
    for number in range(len(lines) - 2, -1, -1):
        text, place, _ = lines[number]
        alone = kept[place]
        if alone is None or len(alone.points) > 1:
            continue
        for longer, other_place, at in _begun(lines, number, text):
            other = kept[other_place]
            if other is None or other_place == place or not _goes_on(text, longer):
                continue
            if text == longer or other.points[at].status == alone.points[0].status:
                said = list(other.points)
                said[at] = _joined(said[at], alone.points[0])
                kept[other_place] = replace(other, points=tuple(said))
                kept[place] = None
                break
    return [passage for passage in kept if passage is not None]


def _begun(lines: Sequence[tuple[str, int, int]], number: int, text: str) -> Iterable[tuple[str, int, int]]:
    """The lines next to `number` that begin with `text`: those of the same words before it, then those behind."""
    back = number
    while back and lines[back - 1][0] == text:
        back -= 1
    yield from lines[back:number]
    for line in lines[number + 1 :]:
        if not line[0].startswith(text):
            return
        yield line


def _plain(text: str) -> str:
    """A claim for comparison: small letters, single spaces, no full stop at its end."""
    return " ".join(text.casefold().split()).rstrip(" .。!")


def _goes_on(text: str, longer: str) -> bool:
    """Whether `longer`, which begins with `text`, has all its words: a name or number does not go on within one."""
    if not words(text):
        return text == longer
    rest = longer[len(text) :]
    return not rest or (rest[0] in " ,;(–—" and not rest[1:2].isdigit())


def _joined(one: Point, two: Point) -> Point:
    """Two claims of one meaning as one: disputed if either is, else current if either is, by what supports that."""
    entries = tuple(dict.fromkeys((*one.entries, *two.entries)))
    both = {one.status, two.status}
    status: Status = "disputed" if "disputed" in both else "current" if "current" in both else "stale"
    supports = [point for point in (one, two) if status in ("disputed", point.status)]
    citations = tuple(dict.fromkeys(citation for point in supports for citation in point.citations))
    return replace(one, citations=citations, entries=entries, status=status)

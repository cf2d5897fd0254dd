"""Dates of a text, whatever order and form they have, and whether a claim's dates are the evidence's (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from drzero.types import Fault

MONTHS = "january february march april may june july august september october november december".split()
_SHORT = {month[:3]: number for number, month in enumerate(MONTHS, 1)} | {"sept": 9}
_NUMBER_OF = {month: number for number, month in enumerate(MONTHS, 1)} | _SHORT
WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_MONTH = rf"(?a:{'|'.join(MONTHS)}|(?:{'|'.join(_SHORT)})\b\.?)"  # without "ı" for "i"
_DAY = r"(?:[0-2]?\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:[1-9]\d{2,3}|[1-9]\d{0,2}(?=\s?(?:BC|AD|CE)))(?!\d)"
_AND = r"\s?(?:-|to|and|or|until|through|&|/)\s?"
_DATE = re.compile(
    rf"""(?<![\w.])(?:(?P<iso>[12]\d{{3}})-(?P<isom>0[1-9]|1[0-2])-(?P<isod>0[1-9]|[12]\d|3[01])
    |(?:the\s)?(?P<d1>{_DAY})(?:{_AND}(?P<d2>{_DAY}))?\s(?:of\s|day\sof\s)?(?P<m1>{_MONTH})(?:,?\s(?:of\s)?(?P<y1>{_YEAR}))?
    |(?P<m2>{_MONTH})\s(?:the\s)?(?P<d3>{_DAY})(?![\d.:]\d|,\d)(?:{_AND}(?P<d4>{_DAY})(?![\d,]\d))?(?:,?\s(?:of\s)?(?P<y2>{_YEAR}))?
    |(?P<m3>{_MONTH})(?:(?:,?\s|\sof\s)(?P<y3>{_YEAR}))?)(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
# "may" and "march" are months without a capital only behind one of these; a short form never stands quite alone.
_MONTH_FOLLOWS = re.compile(r"\b(?:in|of|since|until|by|during|from|to|early|late|mid|through|and|every|each|-)\s?-?$")
_JOINED = re.compile(rf"\)?{_AND}$")
_BIRTH = re.compile(r"\b(?:born|birth)\b", re.IGNORECASE)
_DEATH = re.compile(r"\b(?:died|dies|death)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Date:
    """The parts of a date that are stated, 0 for one that is not; `start` and `end` are its place in the text."""

    day: int
    month: int
    year: int
    start: int
    end: int

    def agrees(self, other: Date) -> bool:
        """Whether no part that both state differs."""
        pairs = ((self.day, other.day), (self.month, other.month), (self.year, other.year))
        return all(not one or not two or one == two for one, two in pairs)

    def has(self, other: Date) -> bool:
        """Whether this one states every part of `other`, alike."""
        pairs = ((self.day, other.day), (self.month, other.month), (self.year, other.year))
        return all(not two or one == two for one, two in pairs)

    def __str__(self) -> str:
        month = MONTHS[self.month - 1].capitalize() if self.month else ""
        return " ".join(str(part) for part in (self.day or "", month, self.year or "") if part)


def read_dates(text: str) -> list[Date]:
    """The dates of `text` that name a month, in order; both ends of a range, each with the year they share."""
    found: list[Date] = []
    for match in _DATE.finditer(text):
        if match["iso"]:
            day, month, year = int(match["isod"]), int(match["isom"]), int(match["iso"])
            found.append(Date(day, month, year, *match.span()))
            continue
        name = match["m1"] or match["m2"] or match["m3"]
        if not _is_month(text, match, name):
            continue
        month = _NUMBER_OF[name.casefold().rstrip(".")]
        year = int(match["y1"] or match["y2"] or match["y3"] or 0)
        days = [int(re.sub(r"\D", "", match[group])) for group in ("d1", "d2", "d3", "d4") if match[group]]
        found += [Date(day, month, year, *match.span()) for day in days or [0]]
    for at in range(len(found) - 2, -1, -1):  # "2 May to 3 June 1931": the first has the year of the second
        one, two = found[at], found[at + 1]
        if not one.year and two.year and _JOINED.fullmatch(text[one.end : two.start]):
            found[at] = replace(one, year=two.year)
    return found


def _is_month(text: str, match: re.Match[str], name: str) -> bool:
    alone = bool(match["m3"]) and not match["y3"]
    if alone and len(name.rstrip(".")) <= 4 and name.casefold() not in ("may", "june", "july"):
        return name[0].isupper() and name.endswith(".")
    if not alone or name.casefold() not in ("may", "march", "august"):
        return True
    led = bool(_MONTH_FOLLOWS.search(text, max(0, match.start() - 8), match.start()))
    return led if name[0].islower() or name.casefold() != "august" else True


def date_fault(claim: str, evidence: str, years: frozenset[int]) -> Fault | None:
    """The first date of the claim that the evidence does not state as a whole; `years` are all that it states.

    A day and month without a year in the evidence may have theirs from elsewhere in it. What is told of a birth must
    not be the date of a death, as in "(1 May 1900 - 2 June 1980)".
    """
    stated = read_dates(evidence)
    for date in read_dates(claim):
        if any(one.has(date) for one in stated):
            continue
        parted = [one for one in stated if not one.year and replace(one, year=date.year).has(date)]
        if parted and date.year in years:
            continue
        near = [one for one in stated if _alike(one, date)]
        if near:
            reason = f"The evidence says {near[0]}, the claim {date}."
            return Fault("date", reason, "contradicted" if not any(one.agrees(date) for one in near) else "unsupported")
        return Fault("date", f"The evidence does not state {date}.")
    return _wrong_end(claim, evidence)


def _alike(stated: Date, claimed: Date) -> bool:
    """Whether the two are the same date but for one part, or of the same form where nothing agrees."""
    return bool(stated.month and claimed.month) and (bool(stated.day) == bool(claimed.day) or not claimed.day)


def _wrong_end(claim: str, evidence: str) -> Fault | None:
    """A birth told with the date of the death, or the other way round."""
    lives = re.search(r"\(([^()]{0,80}?\d{3,4})\s?-{1,3}\s?([^()]{0,80}?\d{3,4})\)", evidence)
    if lives is None or bool(_BIRTH.search(claim)) == bool(_DEATH.search(claim)):
        return None
    born, died = (set(re.findall(r"\b\d{3,4}\b", side)) for side in lives.groups())
    told = set(re.findall(r"\b\d{3,4}\b", claim))
    wrong = told & died - born if _BIRTH.search(claim) else told & born - died
    if told & born and told & died:
        return None
    elsewhere = evidence[: lives.start()] + evidence[lives.end() :]
    if not wrong or any(re.search(rf"\b{year}\b", elsewhere) for year in wrong):
        return None
    what, other = ("birth", "death") if _BIRTH.search(claim) else ("death", "birth")
    return Fault("date", f"{min(wrong)} is the year of the {other} in the evidence, not of the {what}.", "contradicted")

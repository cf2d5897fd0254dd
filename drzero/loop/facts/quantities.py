"""Whether the numbers, dates and quantities of a claim are those of its evidence (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from drzero.loop.facts.dates import date_fault
from drzero.loop.facts.numbers import Number, read_numbers
from drzero.loop.facts.units import CLOCK, MONEY_SIGNS, TIMES, converted, same_unit, shown_unit
from drzero.loop.facts.wording import stem
from drzero.types import Fault

# What a figure is told of: "mg per kg", "4 tablets a day", "5 mg/kg", "twice daily".
_PER = re.compile(
    r"(?:\s[^\W\d_]+){0,3}?(?:\s?/\s?(?=[a-z])|\s(?:per|each|every)\s"
    r"|\san?\s(?=(?:day|week|month|year|hour|minute|second|night)\b)"
    r"|\s(?=(?:dai|week|month|year|hour)ly\b))(?P<what>[^\W\d_]+)",
    re.IGNORECASE,
)
_WHAT = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "hourly": "hour", "annum": "year"}
_WHAT |= {"h": "hour", "hr": "hour", "s": "second", "min": "minute", "d": "day"}
_FROM = re.compile(r"\bfrom\s(?:[^\W\d_]+\s){0,2}$", re.IGNORECASE)
_TO = re.compile(r"(?:\s[^\W\d_]+){0,3}\sto\s(?:[^\W\d_]+\s)?", re.IGNORECASE)
_LOST = re.compile(r"\b(?:los[te]s?|losing|loss|beaten|defeat(?:s|ed)?|fell)\b", re.IGNORECASE)
_SCALES = {1e3: "thousand", 1e4: "万", 1e6: "million", 1e8: "亿", 1e9: "billion", 1e12: "trillion"}


def number_fault(claim: str, evidence: str) -> Fault | None:
    """The first number, date or quantity of the claim that the evidence does not state, or states of something else."""
    stated = read_numbers(evidence)
    years = frozenset(int(number.value) for number in stated if number.is_year)
    fault = date_fault(claim, evidence, years)
    if fault is not None:
        return fault
    claimed = list({number.told: number for number in read_numbers(claim)}.values())
    by_value: dict[str, list[Number]] = {}
    for number in {number.told: number for number in stated}.values():
        for value, _ in _readings(number):
            by_value.setdefault(_key(value), []).append(number)
    same = [[one for value, _ in _readings(number) for one in by_value.get(_key(value), ())] for number in claimed]
    for number, alike in zip(claimed, same, strict=True):
        fault = None if number.implied or number.soft else _missing(number, alike, stated, claimed)
        if fault is not None:
            return fault
    for number, alike in zip(claimed, same, strict=True):
        fault = _miscounted(number, alike, stated, claimed) or _other_rate(number, alike, claim, evidence)
        if fault is not None:
            return fault
    return _turned(claim, evidence)


def _key(value: float) -> str:
    return f"{value:.9g}"


def _missing(
    claimed: Number, same: Sequence[Number], stated: Sequence[Number], others: Sequence[Number]
) -> Fault | None:
    """Why the claim's number is not stated; `same` are those of its value among `stated`, `others` all of the claim."""
    if any(_states(claimed, number) for number in same):
        return None
    if any(_follows(claimed, number) for number in stated):
        return None
    if same:
        told = same[0]
        if claimed.unit != told.unit and (claimed.unit or told.unit):
            ours = shown_unit(claimed.unit, claimed.value)
            claims = f"the claim {ours or 'no unit'}" if told.unit or not ours else f"but not {ours}"
            reason = f"The evidence says {_shown(told)}, {claims}."
            return Fault("unit", reason, "contradicted" if claimed.unit and told.unit else "unsupported")
        if claimed.bound != told.bound:
            return Fault(
                "bound", f"The evidence sets other bounds to {claimed.text or _shown(claimed)} than the claim."
            )
    rival = next((number for number in stated if _rivals(claimed, number) and not _is_told(number, others)), None)
    if rival is not None:
        return Fault("number", f"The evidence says {_shown(rival)}, the claim {_shown(claimed)}.", "contradicted")
    return Fault("number", f"The evidence does not state {_shown(claimed)}.")


def _shown(number: Number) -> str:
    """The number as a reason tells it: with its magnitude, its era and its unit."""
    if number.kind != "cardinal":
        return number.text
    era = "BC" if number.value < 0 and not number.text.startswith("-") else ""
    sign = number.unit if number.unit in MONEY_SIGNS else ""
    unit = "" if sign else shown_unit(number.unit, number.value)
    return " ".join(part for part in (f"{sign}{number.text}", _SCALES.get(number.scale, ""), era, unit) if part)


def _is_told(stated: Number, claimed: Sequence[Number]) -> bool:
    """Whether the claim tells a number of the evidence itself, of the same things as far as both say of which."""
    return any(
        _states(one, stated) and (not one.nouns or not stated.nouns or bool(set(one.nouns) & set(stated.nouns)))
        for one in claimed
    )


def _readings(number: Number) -> list[tuple[float, str]]:
    found = [(number.value, number.unit), *([number.other] if number.other else [])]
    return [*found, *(same for value, unit in found if (same := converted(value, unit)))]


def _near(one: float, two: float, tolerance: float = 1e-9) -> bool:
    return one == two or abs(one - two) <= tolerance * max(abs(one), abs(two), 1e-12)


def _states(claimed: Number, stated: Number) -> bool:
    """Whether a stated number of the same value is the claim's: its kind, unit and bound."""
    kinds = (claimed.kind, stated.kind)
    if claimed.kind in ("decade", "century") or stated.kind in ("decade", "century"):
        return claimed.kind == stated.kind and (claimed.kind == "century" or claimed.unit in ("", stated.unit))
    if "ordinal" in kinds and claimed.kind != stated.kind:
        return not stated.unit and not claimed.unit and not stated.implied
    units = [(ours, theirs) for one, ours in _readings(claimed) for two, theirs in _readings(stated) if _near(one, two)]
    if not any(same_unit(ours, theirs) or (not ours and theirs in TIMES | CLOCK) for ours, theirs in units):
        return False
    if claimed.bound in ("", "~"):
        return stated.bound != "<"
    return claimed.bound == stated.bound


def _follows(claimed: Number, stated: Number) -> bool:
    """Whether a number of another form implies the claim's: 1964 the 1960s and the 20th century, 120 "over 100"."""
    value, other = claimed.value, stated.value
    if claimed.kind == "decade":
        if stated.kind == "decade":
            short = min(value, other) < 100 <= max(value, other)
            return short and value % 100 == other % 100 and claimed.unit in ("", stated.unit)
        within = stated.is_year and (other // 10 * 10 == value or (value < 100 and other % 100 // 10 * 10 == value))
        years = {"": range(10), "early": range(5), "mid": range(3, 8), "late": range(5, 10)}[claimed.unit]
        return within and int(other) % 10 in years
    if claimed.kind == "century":
        hundred = (value - 1) * 100
        return (stated.is_year or stated.kind == "decade") and hundred <= other <= hundred + 100
    if claimed.kind == "part" or stated.kind == "part":
        pairs = [(one, two) for one, ours in _readings(claimed) for two, theirs in _readings(stated) if ours == theirs]
        return any(_near(one, two, 0.015) for one, two in pairs)
    if claimed.kind != "cardinal" or stated.kind != "cardinal" or stated.is_year or claimed.unit != stated.unit:
        return False
    shared = bool(claimed.unit) or bool(set(claimed.nouns) & set(stated.nouns))
    if claimed.bound == "~":
        return _near(value, other, 0.05) and _figures_of(value) < _figures_of(other) and not stated.bound
    if claimed.bound == ">":
        return shared and value < other <= 2 * value and stated.bound in ("", "~")
    return claimed.bound == "<" and shared and value / 2 <= other < value and not stated.bound


def _figures_of(value: float) -> int:
    """How many figures the value has, zeros at the end left out: 6,200 has two."""
    return len(f"{value:.15g}".replace(".", "").rstrip("0"))


def _rivals(claimed: Number, stated: Number) -> bool:
    """Whether the stated number stands where the claim's should: it counts the same, or both are years."""
    if (
        claimed.kind != stated.kind
        or claimed.unit != stated.unit
        or stated.implied
        or _near(claimed.value, stated.value)
    ):
        return False
    return claimed.is_year == stated.is_year and (
        claimed.is_year or bool(claimed.unit) or bool(set(claimed.nouns) & set(stated.nouns))
    )


def _miscounted(
    number: Number, same: Sequence[Number], stated: Sequence[Number], others: Sequence[Number]
) -> Fault | None:
    """A number that the evidence has, but of something else, where it counts what the claim counts otherwise."""
    if number.kind != "cardinal" or number.unit or number.implied or not number.nouns or number.is_year:
        return None
    nouns = set(number.nouns)
    if any(not one.nouns or nouns & set(one.nouns) for one in same):
        return None
    if (number.soft and any(one.implied or one.soft for one in stated)) or any(_follows(number, one) for one in stated):
        return None
    rivals = (one for one in stated if one not in same and not one.soft and _rivals(number, one))
    rival = next((one for one in rivals if not _is_told(one, others)), None)
    if rival is None:
        return None
    reason = f"The evidence says {_shown(rival)}, the claim {_shown(number)}, of the same."
    return Fault("number", reason, "contradicted")


def _rate(number: Number, text: str) -> str:
    """What a number is told of: "day" for "4 tablets a day"; "" for nothing."""
    match = _PER.match(text, number.end)
    what = match["what"].casefold() if match else ""
    return stem(_WHAT.get(what, what))


def _other_rate(number: Number, same: Sequence[Number], claim: str, evidence: str) -> Fault | None:
    """A figure told of something else than in the evidence: a week, not a day."""
    ours = _rate(number, claim)
    theirs = [_rate(one, evidence) for one in same if _states(number, one)]
    if not ours or not theirs or not all(theirs) or ours in theirs:
        return None
    reason = f"The evidence says {_shown(same[0])} per {theirs[0]}, the claim per {ours}."
    return Fault("unit", reason, "contradicted")


def _ordered(text: str) -> Iterator[tuple[str, str, str]]:
    """Pairs of numbers whose order tells something: "from 5 to 3", "3-1", "2:1"; with what joins them."""
    found = read_numbers(text)
    for one, two in pairwise(found):
        between = text[one.end : two.start]
        if between in ("-", ":") and not one.is_year:
            yield "-", _key(one.value), _key(two.value)
        elif _TO.fullmatch(between) and _FROM.search(text, max(0, one.start - 40), one.start):
            yield "to", _key(one.value), _key(two.value)


def _turned(claim: str, evidence: str) -> Fault | None:
    """Two numbers whose order tells something, in the other order: "fell from 500 to 900" for "from 900 to 500".

    A score may be told from the side of those who lost.
    """
    ours = list(_ordered(claim))
    stated = set(_ordered(evidence)) if ours else set()
    for kind, one, two in ours:
        if one == two or (kind, one, two) in stated or (kind, two, one) not in stated:
            continue
        if kind == "to":
            return Fault("number", f"The evidence has {two} before {one}, the claim behind it.", "contradicted")
        if bool(_LOST.search(claim)) == bool(_LOST.search(evidence)):
            return Fault("number", f"The evidence has {two} before {one}, the claim behind it.")
    return None

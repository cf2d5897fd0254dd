"""Whether the numbers, dates and quantities of a claim are those of its evidence (pure)."""

from __future__ import annotations

from collections.abc import Sequence

from drzero.loop.dates import date_fault
from drzero.loop.numbers import Number, read_numbers
from drzero.loop.units import MONEY_SIGNS, TIMES, same_unit, shown_unit
from drzero.types import Fault

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
        fault = _miscounted(number, alike, stated, claimed)
        if fault is not None:
            return fault
    return None


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
            claims = "the claim no unit" if not ours else f"the claim {ours}" if told.unit else f"but not {ours}"
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
    return [(number.value, number.unit), *([number.other] if number.other else [])]


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
    if not any(same_unit(ours, theirs) or (not ours and theirs in TIMES) for ours, theirs in units):
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

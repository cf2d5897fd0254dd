"""What follows from two facts of one kind, "…, so A is shorter": computed here, believed of nobody (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from drzero.loop.stated import values
from drzero.loop.stated.relations import RELATIONS, Relation
from drzero.loop.stated.statement import Measure, filled
from drzero.loop.verbatim import AND
from drzero.types import Fault

FIRST, ADDED = "came first", "was added in the earlier version"
SO = ", so "
_VERSION = re.compile(r"\d+(?:\.\d+){1,2}")
_READERS = {"date": values.one_date, "duration": values.one_duration, "quantity": values.one_quantity}


@dataclass(frozen=True, slots=True)
class _Way:
    """How a fact is told, how its value is measured, and what is said of the subject with the smaller one."""

    tells: str
    reads: str
    phrase: str
    of: str = "{}"  # what the conclusion says it of: the subject, or what happened to it


def _ways() -> Iterator[_Way]:
    for relation in RELATIONS:
        yield from _ways_of(relation)
    yield _Way("{} was added in version %.", "version", ADDED)


def _ways_of(relation: Relation) -> Iterator[_Way]:
    if relation.smaller:
        yield _Way(relation.tells, relation.reads, relation.smaller)
    if relation.event:
        yield _Way(relation.tells, relation.reads, FIRST, relation.event)


_WAYS = tuple(_ways())


def apart(claim: str) -> tuple[str, Fault | None]:
    """The facts of a claim without the conclusion that code can draw from them, and the fault of a wrong conclusion.

    Two facts told as templates tell them, in one unit, the smaller value's subject concluded. A claim of another form
    is given back whole: what is concluded in it has to stand in the evidence like all else.
    """
    told, so, concluded = claim.strip().rpartition(SO)
    if not so:
        return claim, None
    for way in _WAYS:
        said = re.fullmatch(f"{_pattern(way.of)} {way.phrase}\\.?", concluded)
        for one, other in _pairs(told, way) if said else ():
            if said is None or not (one[1] and other[1]):
                continue
            order = one[1].order(other[1])
            first = (one if order < 0 else other)[0] if order else ""
            if first and _same(first, said["who"]) and not _same(one[0], other[0]):
                return f"{told.rstrip('.')}.", None
            return claim, Fault("conclusion", "What is concluded does not follow from the two facts told.")
    return claim, None


def _pairs(told: str, way: _Way) -> Iterator[tuple[tuple[str, Measure | None], tuple[str, Measure | None]]]:
    """The two facts of `told`, (subject, measure) each, at every place where it may be cut."""
    pattern = _pattern(way.tells.removesuffix("."))
    for cut in re.finditer(re.escape(AND), told):
        pair = [re.fullmatch(pattern, half, re.IGNORECASE) for half in (told[: cut.start()], told[cut.end() :])]
        one, other = pair
        if one and other:
            yield (one["who"], _measure(one["value"], way)), (other["who"], _measure(other["value"], way))


def _pattern(template: str) -> str:
    return re.escape(template).replace(r"\{\}", "(?P<who>.+)").replace("%", "(?P<value>.+)")


def _measure(value: str, way: _Way) -> Measure | None:
    if way.reads == "version":
        if not _VERSION.fullmatch(value):
            return None
        major, minor, *patch = map(int, value.split("."))
        place = major * 1e6 + minor * 1e3
        return Measure(place + (patch[0] if patch else 0), place + (patch[0] if patch else 999), "version")
    value = re.sub(r"^(?:on|in) ", "", value) if way.reads == "date" else value
    read = _READERS[way.reads](value)
    return read[1] if read else None


def _same(one: str, other: str) -> bool:
    return _bare(one) == _bare(other)


def _bare(subject: str) -> str:
    return re.sub(r"^the ", "", subject.strip().casefold())


def conclude(relation: str, subject: str, kind: str) -> str:
    """What is said of the subject with the smaller value in `relation`: "A is shorter"; "" where nothing is."""
    known = next((one for one in RELATIONS if one.name == relation), None)
    if kind == "temporal":
        return f"{filled(known.event, subject)} {FIRST}" if known and known.event else ""
    phrase = known.smaller if known else ADDED if relation == "new in" else ""
    return f"{subject} {phrase}" if phrase else ""

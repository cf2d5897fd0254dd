"""drzero.loop.facts.numbers: numbers in figures and in words, with unit, bound and what they count."""

from __future__ import annotations

import math

import pytest

from drzero.loop.facts import numbers
from drzero.loop.facts.numbers import Number, read_numbers


def read(text: str) -> list[tuple[float, str]]:
    return [(number.value, number.unit) for number in read_numbers(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,000 and 1000", [(1000, ""), (1000, "")]),
        ("1.4 million people", [(1_400_000, "")]),
        ("$1.4m", [(1_400_000, "$")]),
        ("5 billion euros", [(5e9, "€")]),
        ("two of twelve", [(2, ""), (12, "")]),
        ("twenty-one men", [(21, "")]),
        ("one hundred and fifty thousand", [(150_000, "")]),
        ("a hundred and five women", [(105, "")]),
        ("a dozen eggs, two dozen", [(12, ""), (24, "")]),
        ("half a million", [(500_000, "")]),
        ("-5 °C", [(-5, "°C")]),
        ("between 12 and 15 km", [(12, "km"), (15, "km")]),
        ("a 5 by 3 metre room", [(5, "m"), (3, "m")]),
        ("1990-95", [(1990, ""), (1995, "")]),
        ("scores of 16-10", [(16, ""), (10, "")]),
        ("44 BC and 14 AD", [(-44, ""), (14, "")]),
        ("300-200 BC", [(-300, ""), (-200, "")]),
        ("12 May 1931", [(1931, "")]),
        ("sha256 and F-16", [(16, "")]),
        ("Python 3.11.2", []),
        ("$3.50 or 28.5°E", [(3.5, "$"), (28.5, "°E")]),
        ("10^6 cells", [(1_000_000, "")]),
        ("10,000^99", [(math.inf, "")]),
        ("6 mı, 5 mıle", [(6, ""), (5, "")]),
        ("他出生于1902年5月", [(1902, ""), (5, "")]),
        ("約3万人、2億円と5 兆", [(30_000, ""), (2e8, ""), (5e12, "")]),
        ("ПК1902 und x1902", []),
        ("at 9:45, 9 pm, 9 o'clock", [(9.75, "clock"), (9, "pm"), (9, "clock")]),
        ("0x10, 0b11, 1e6, then 2.5e-1 km", [(16, ""), (3, ""), (1e6, ""), (0.25, "km")]),
        ("5 percentage points", [(5, "percentage point")]),
        ("nothing", []),
    ],
)
def test_numbers_have_one_value_however_they_are_written(text: str, found: list[tuple[float, str]]) -> None:
    assert read(text) == found


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("the third time", "ordinal", 3),
        ("the 21st time", "ordinal", 21),
        ("the twenty-first time", "ordinal", 21),
        ("the 19th century", "century", 19),
        ("the nineteenth century", "century", 19),
        ("the second century BC", "century", -2),
        ("the 1960s", "decade", 1960),
        ("the '60s", "decade", 60),
        ("the forties", "decade", 40),
        ("half of it", "part", 0.5),
        ("three-quarters of it", "part", 0.75),
        ("a quarter of the land", "part", 0.25),
    ],
)
def test_numbers_have_a_kind(text: str, kind: str, value: float) -> None:
    (number,) = read_numbers(text)
    assert (number.kind, number.value) == (kind, value)


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("more than 100 men", ">"), ("at least 100 men", ">"), ("over 100 men", ">"), ("fewer than 100 men", "<"),
        ("up to 100 men", "<"), ("about 100 men", "~"), ("nearly 100 men", "~"), ("only 100 men", ""), ("100 men", ""),
    ],
)  # fmt: skip
def test_numbers_have_a_bound(text: str, bound: str) -> None:
    (number,) = read_numbers(text)
    assert (number.value, number.bound, number.nouns) == (100, bound, ("man",))


def test_numbers_no_of_a_bound_is_not_zero() -> None:
    assert read("No more than 4 of the men, no later than 1950") == [(4, ""), (1950, "")]
    assert read("No men came") == [(0, "")]


def test_numbers_count_the_words_behind_them() -> None:
    (number,) = read_numbers("19 U.S. Supreme Court Justices and others")
    assert number.nouns == ("u.s.", "suprem", "court", "justic")
    assert read_numbers("17 of them")[0].nouns == ()


def test_numbers_of_two_readings_keep_both() -> None:
    (number,) = read_numbers("1.4m people")
    assert (number.value, number.unit, number.other) == (1.4, "m", (1_400_000, ""))
    (decades,) = read_numbers("five decades")
    assert (decades.value, decades.unit, decades.other) == (5, "decade", (50, "year"))
    first, _ = read_numbers("5-10 million")
    assert first.other == (5_000_000, "")


def test_numbers_that_are_implied_or_soft_are_marked() -> None:
    found = read_numbers("both met one man once or twice")
    assert [(number.text, number.implied, number.soft) for number in found] == [
        ("both", True, False), ("one", False, True), ("once", False, True), ("twice", False, False),
    ]  # fmt: skip


def test_numbers_know_a_year() -> None:
    assert [number.is_year for number in read_numbers("in 1931, 3000 men, 1,931 women, 1931 km")] == [
        True, False, False, False,
    ]  # fmt: skip


def test_numbers_keep_their_places() -> None:
    text = "It has 12 km of road and 3rd rank."
    assert [text[number.start : number.end] for number in read_numbers(text)] == ["12 km", "3rd"]
    assert Number(3).kind == "cardinal"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tempfile(mode='w+b', buffering=-1)", {"-1"}),
        ("x=1-1", {"1"}),
        ("[-1, -2]", {"-1", "-2"}),
        ("a=-0.5", {"-0.5"}),
        ("from 1990-1995", {"1990", "1995"}),
    ],
)
def test_numbers_a_sign_stands_behind_the_signs_of_code(text: str, found: set[str]) -> None:
    assert numbers(text) == found

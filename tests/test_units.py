"""drzero.loop.facts.units: one name for each unit, however it is written."""

from __future__ import annotations

import pytest

from drzero.loop.facts.units import converted, money_before, same_unit, shown_unit, unit_at


@pytest.mark.parametrize(
    ("text", "unit", "rest"),
    [
        ("12 kilometres long", "km", " long"),
        ("12 Kilometer", "km", ""),
        ("12-kilometre-long", "km", "-long"),
        ("12km", "km", ""),
        ("12 m high", "m", " high"),
        ("12 miles per hour", "mph", ""),
        ("12 square kilometers", "km2", ""),
        ("12 km2", "km2", ""),
        ("12 US dollars", "$", ""),
        ("12 per cent", "%", ""),
        ("12%", "%", ""),
        ("12 °C", "°C", ""),
        ("12 degrees Celsius", "°C", ""),
        ("12 light-years", "ly", ""),
        ("12 GB", "GB", ""),
        ("12 MB", "MB", ""),
        ("12 KB", "kB", ""),
        ("12 gigabytes", "GB", ""),
        ("12 s", "second", ""),
        ("12s", "", "s"),
        ("12 my", "", " my"),
        ("12 people", "", " people"),
        ("12 minutely", "", " minutely"),
    ],
)
def test_units_unit_at_reads_words_and_signs(text: str, unit: str, rest: str) -> None:
    found, end = unit_at(text, 2, figures=True)
    assert (found, text[end:]) == (unit, rest)


def test_units_single_letters_are_units_behind_figures_only() -> None:
    assert unit_at("two m", 3, figures=False) == ("", 3)
    assert unit_at("12 m", 2, figures=True) == ("m", 4)


@pytest.mark.parametrize(
    ("text", "unit", "begin"),
    [("for $", "$", 4), ("for US$", "$", 4), ("for £ ", "£", 4), ("EUR ", "€", 0), ("for ", "", 4)],
)
def test_units_money_stands_before_its_figure(text: str, unit: str, begin: int) -> None:
    assert money_before(text, len(text)) == (unit, begin)


def test_units_same_unit_lets_pounds_be_either_and_degrees_be_any() -> None:
    assert same_unit("km", "km")
    assert same_unit("lb", "£")
    assert same_unit("°", "°C")
    assert not same_unit("°C", "°")
    assert not same_unit("km", "mile")
    assert not same_unit("km", "")


@pytest.mark.parametrize(
    ("unit", "value", "shown"),
    [
        ("mile", 2, "miles"),
        ("mile", 1, "mile"),
        ("inch", 0.5, "inches"),
        ("millennium", 2, "millennia"),
        ("km", 2, "km"),
    ],
)
def test_units_shown_unit_has_a_plural_where_it_is_a_word(unit: str, value: float, shown: str) -> None:
    assert shown_unit(unit, value) == shown


def test_units_converted_are_of_one_unit_of_their_kind() -> None:
    assert converted(2, "km") == converted(2000, "m") == (2000, "length")
    assert converted(1.5, "hour") == (5400, "time")
    assert converted(2, "mile") is converted(2, "") is None

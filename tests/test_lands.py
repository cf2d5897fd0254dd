"""drzero.loop.facts.lands: lands and their peoples."""

from __future__ import annotations

import pytest

from drzero.loop.facts.lands import GROUP_OF, is_people_of


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("europe", "european"),
        ("canadian", "canada"),
        ("japan", "japanese"),
        ("texan", "texas"),
        ("tunisia", "tunisian"),
    ],
)
def test_lands_have_their_peoples(one: str, two: str) -> None:
    assert is_people_of(one, two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("julian", "julia"), ("georgian", "george"), ("romanian", "roman"), ("nigerian", "niger"),
        ("indian", "indiana"),
        ("austrian", "australia"), ("martin", "martini"),
    ],
)  # fmt: skip
def test_lands_are_no_given_names_and_no_other_lands(one: str, two: str) -> None:
    assert not is_people_of(one, two)
    assert not is_people_of(two, one)


def test_lands_of_another_stem_are_of_one_group() -> None:
    assert GROUP_OF["poland"] == GROUP_OF["polish"] != GROUP_OF["french"]

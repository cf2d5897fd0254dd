"""drzero.loop.pronouns: of whom a sentence that begins with a pronoun speaks."""

from __future__ import annotations

import pytest

from drzero.loop.pronouns import resolve


@pytest.mark.parametrize(
    ("before", "sentence", "told"),
    [
        ("Einstein was born in Ulm.", "He died.", "Einstein died."),
        ("Einstein was born in Ulm.", "In 1955 he died.", "In 1955 Einstein died."),
        ("In 1955 Einstein died.", "His wife lived.", "Einstein's wife lived."),
        ("Ray Charles was born in Albany.", "His band toured.", "Ray Charles' band toured."),
        ("Marie Curie was born in Warsaw.", "Her notes glow.", "Marie Curie's notes glow."),
        ("The bridge was opened in 1890.", "It is red.", "The bridge is red."),
        ("He lived in Ulm.", "He died.", "He died."),
        ("Einstein died.", "The king died.", "The king died."),
        ("The tower is old.", "It is known that the king died.", "It is known that the king died."),
        ("Einstein died.", "Hero of Alexandria lived.", "Hero of Alexandria lived."),
    ],
)
def test_pronouns_stand_for_the_only_subject_there_is(before: str, sentence: str, told: str) -> None:
    assert resolve(before, sentence) == told


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("John met Peter.", "He died."),
        ("John was the son of Peter.", "He died."),
        ("The plane was damaged.", "He flew home."),
        ("The dog bit the cat.", "It ran away."),
        ("He was born in Ulm.", "She died."),
        ("John and Peter were born in Ulm.", "They died."),
        ("Yesterday, John, who was old, died.", "He was rich."),
        ("Rain.", "It was wet."),
    ],
)
def test_pronouns_that_may_stand_for_another_are_not_resolved(before: str, sentence: str) -> None:
    assert resolve(before, sentence) == ""

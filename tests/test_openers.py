"""drzero.loop.openers: what is said before anything is said."""

from __future__ import annotations

import pytest

from drzero.loop.openers import without_opener


@pytest.mark.parametrize(
    ("sentence", "rest"),
    [
        ("Sure!", ""),
        ("Yes.", ""),
        ("Well, it is a pain.", "it is a pain."),
        ("well much of the series", "well much of the series"),
        ("well the series", "the series"),
        ("yea , it is for rich people", "it is for rich people"),
        ("Oh wow, that's cool! :) it is", "it is"),
        ("Well yes , it is", "it is"),
        ("Yeah , and she 's one of them", "she 's one of them"),
        ("I agree! It is.", "It is."),
        ("Great question! The answer is 4.", "The answer is 4."),
        ("Haha ! You know", "You know"),
        ("Of course, the bridge opened.", "the bridge opened."),
        ("True, it opened in 1931.", "it opened in 1931."),
    ],
)
def test_openers_are_left_out(sentence: str, rest: str) -> None:
    assert without_opener(sentence) == rest


@pytest.mark.parametrize(
    "sentence",
    [
        "True, False and None are constants.",
        "Nice, Cannes and Monaco lie on the sea.",
        "Nice is a city.",
        "Well water is clean.",
        "Sure Start was a programme.",
        "No king was born here.",
        "Right angles have 90 degrees.",
        "Yesterday was a song.",
        "Oklahoma is a state.",
        "",
    ],
)
def test_openers_are_not_taken_for_what_they_look_like(sentence: str) -> None:
    assert without_opener(sentence) == sentence

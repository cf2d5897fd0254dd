"""drzero.loop.facts.denials: words that deny, and what they deny."""

from __future__ import annotations

import time

import pytest

from drzero.loop.facts.denials import denied_words, excepted_words, is_denied, negations, undoubled


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It did not run.", 1),
        ("He couldn't, never.", 2),
        ("They refused to go.", 1),
        ("He declined to model, failing to appear.", 2),
        ("It lacks a roof and has no door.", 2),
        ("It ran.", 0),
        ("It is not only old but large.", 0),
        ("No fewer than ten came, no doubt.", 0),
        ("It was not until 1931 that he won.", 0),
        ("It is not impossible.", 0),
        ("He never failed to win.", 0),
        ("It reached No. 5 on the chart.", 0),
        ("not really, it is a language", 0),
        ("It is not really so.", 1),
    ],
)
def test_denials_are_counted(text: str, count: int) -> None:
    assert negations(text) == count


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("He never learned to drive, but he won.", [["learn", "drive"]]),
        ("It did not win. It has no large roof.", [["win"], ["larg", "roof"]]),
        ("Failing to adhere to codes does not benefit him.", [["adher", "code"], ["benefit"]]),
        ("He would not, she would.", [[]]),
        ("He won.", []),
    ],
)  # fmt: skip
def test_denials_are_about_the_words_behind_them(text: str, denied: list[list[str]]) -> None:
    assert denied_words(text)[: len(denied)] == denied
    assert len(denied_words(text)) >= len(denied)


def test_denials_that_cancel_each_other_are_taken_out() -> None:
    assert undoubled("It is not impossible to win.").split() == ["It", "is", "to", "win."]
    assert undoubled("It is not possible.") == "It is not possible."


@pytest.mark.parametrize(
    ("text", "word", "denied"),
    [
        ("It did not really differ.", "differ", True),
        ("There are no less nodes.", "less", True),
        ("It is not so, it differs.", "differs", False),
        ("It differs.", "differs", False),
        ("It differs.", "same", False),
    ],
)
def test_denials_stand_close_before_the_word_they_deny(text: str, word: str, denied: bool) -> None:
    assert is_denied(text, word) is denied


def test_denials_excepted_words_are_found_in_little_time() -> None:
    begun = time.perf_counter()
    assert len(excepted_words("all except cats " * 3000)) == 3000
    assert time.perf_counter() - begun < 3


def test_denials_excepted_words_are_those_left_out() -> None:
    assert excepted_words("All except the penguins fly, unlike other birds") == [["penguin", "fli"]]
    assert excepted_words("Merge sort is stable, but quicksort isn't.") == [["quicksort"]]
    assert excepted_words("It is not.") == excepted_words("") == excepted_words("except " + "," * 200) == []

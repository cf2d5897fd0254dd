"""drzero.loop.facts.wording: text made comparable, its stems and its clauses."""

from __future__ import annotations

import time

import pytest

from drzero.loop.facts import wording


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5½ sacks and ¾ of it", "5.5 sacks and 0.75 of it"),
        ("10⁶ cells, 3 m²", "10^6 cells, 3 m2"),
        ("1\u202f000\u00a0000 people", "1,000,000 people"),
        ("-LRB- born 3 May 1900 -RRB- , a `` star ''", '(born 3 May 1900), a " star "'),
        ("He did n't see the team 's bus .", "He didn't see the team's bus."),
        ("“Yes”, she said — ‘no’", "\"Yes\", she said - 'no'"),
        ("one line\nanother line", "one line\nanother line"),
        ("a bro-\nken word", "a broken word"),
        ("  plain   spaces ", "plain spaces"),
        ("", ""),
    ],
)
def test_wording_plain_folds_what_says_nothing(text: str, expected: str) -> None:
    assert wording.plain(text) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("won", "win"), ("wins", "win"), ("women", "woman"), ("city's", "citi"), ("found", "found"), ("left", "left")],
)
def test_wording_stem_knows_irregular_forms_but_no_ambiguous_ones(word: str, expected: str) -> None:
    assert wording.stem(word) == expected


def test_wording_unaccented_takes_accents_off() -> None:
    assert wording.unaccented("Noël in Málaga") == "Noel in Malaga"
    assert wording.unaccented("plain") == "plain"


def test_wording_cover_compares_stems_of_content_words() -> None:
    assert wording.cover("The cats were running", "a cat that runs") == 1.0
    assert wording.cover("cats and dogs", "a cat") == 0.5
    assert wording.cover("it is", "anything") == 1.0


def test_wording_clauses_are_cut_at_signs_and_conjunctions_but_not_in_numbers() -> None:
    text = "He sold 1,000 books, which was few; but she - his wife - sold more while he slept"
    assert wording.clauses(text) == [
        "He sold 1,000 books", "was few", "she", "his wife", "sold more", "he slept",
    ]  # fmt: skip


def test_wording_nearest_clause_has_most_of_the_claims_words() -> None:
    assert wording.nearest_clause("He learned to drive.", "He won awards, and he never learned to drive.") == (
        "he never learned to drive."
    )
    assert wording.nearest_clause("anything", "") == ""


def test_wording_nearest_sentence_takes_one_for_each_sentence_of_the_claim() -> None:
    evidence = "Rome is old. Paris is large. Lyon is small."
    assert wording.nearest_sentence("Paris is very large.", evidence) == "Paris is large."
    assert wording.nearest_sentence("Lyon is small. Rome is old.", evidence) == "Rome is old. Lyon is small."
    assert wording.nearest_sentence("Lyon", "Lyon is small.") == "Lyon is small."


def test_wording_readable_is_quick_on_many_spaces() -> None:
    begun = time.perf_counter()
    assert wording.readable("a" + " " * 20_000 + "b .") == "a" + " " * 20_000 + "b."
    assert time.perf_counter() - begun < 1

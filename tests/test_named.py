"""drzero.loop.named: names of a claim that its evidence does not have."""

from __future__ import annotations

import pytest

from drzero.loop.named import missing_names, missing_small_names, missing_subject, missing_weekdays, name_fault


@pytest.mark.parametrize(
    ("claim", "evidence", "missing"),
    [
        ("In 1961 Ray Charles left Georgia for Texas", "Ray Charles's band toured Georgia in 1960.", ["Texas"]),
        ("He met Ashton Kutcher", "Kutcher acted", []),
        ("He met Chris Kutcher", "Ashton Kutcher acted", ["Chris"]),
        ("He met President Obama", "Barack Obama spoke", []),
        ("He went to Yale University", "Yale has alumni", []),
        ("He went to Morse University", "The Morse code is old", ["University"]),
        ("He saw Neil Diamond", "Neil Armstrong and Bob Diamond", ["Neil Diamond"]),
        ("the FDA", "the Food and Drug Administration", []),
        ("He went to Henry II of France", "He saw Henry", ["II", "France"]),
    ],
)
def test_named_missing_names_are_told_word_by_word(claim: str, evidence: str, missing: list[str]) -> None:
    assert missing_names(claim, evidence) == missing


def test_named_weekdays_are_names_in_any_case() -> None:
    assert missing_weekdays("it opened on a monday", "It opened on a Tuesday.") == ["monday"]
    assert missing_weekdays("It opened on Monday.", "on Monday") == []


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("Moonlight premiered in 2016.", ["Moonlight"]),
        ("Gravity premiered in 2016.", []),
        ("People like it.", []),
        ("Scientists found it.", []),
        ("Twenty-one men died.", []),
        ("It ended. Moonlight won.", ["Moonlight"]),
    ],
)
def test_named_a_lone_opening_word_is_a_name_when_it_is_not_common(claim: str, missing: list[str]) -> None:
    assert missing_subject(claim, "Gravity premiered in 2016.") == missing


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("hound dog was written by tom hanks.", ["tom", "hanks"]),
        ("hound dog was written by jerry leiber.", []),
        ("yes, the song was made in the us.", []),
        ("they were actually inspired by it.", []),
        ("50 per cent of it", []),
    ],
)
def test_named_without_capitals_what_is_not_common_is_a_name(claim: str, missing: list[str]) -> None:
    assert missing_small_names(claim, "hound dog is a song by jerry leiber of the united states") == missing


@pytest.mark.parametrize(
    ("claim", "evidence", "place", "code", "reason"),
    [
        ("He was born in Rome.", "He was born in Albany.", "", "name", "The evidence does not name Rome."),
        ("Ray was born in Rome.", "Ray was born in Albany.", "", "name", "The evidence does not name Rome."),
        (
            "Ray Charles won.", "He won.", "",
            "subject", "The evidence does not say whom or what it speaks of: it does not name Ray, Charles.",
        ),
        (
            "The finale of Make It or Break It ended.", "The finale aired.", "",
            "subject", "The evidence does not say whom or what it speaks of: it does not name Make, It, Break.",
        ),
        ("Ray Charles won.", "He won.", "Miles Davis", "name", "The evidence does not name Ray, Charles."),
        (
            "Ray Charles was born in Rome.", "He was born in Albany.", "",
            "name", "The evidence does not name Ray, Charles, Rome.",
        ),
        ("it was written by hanks.", "it was written by leiber.", "", "name", "The evidence does not name hanks."),
    ],
)  # fmt: skip
def test_named_fault_tells_a_pronoun_without_a_name_apart(
    claim: str, evidence: str, place: str, code: str, reason: str
) -> None:
    fault = name_fault(claim, evidence, place)
    assert fault is not None
    assert (fault.code, fault.reason, fault.verdict) == (code, reason, "unsupported")


def test_named_finds_names_in_the_place_too() -> None:
    assert name_fault("Ray Charles won.", "He won.", "Ray Charles Life") is None
    assert name_fault("He won in May.", "He won.", "") is None

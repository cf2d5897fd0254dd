"""drzero.loop.facts.named: names of a claim that its evidence does not have."""

from __future__ import annotations

import pytest

from drzero.loop.facts.named import (
    missing_names,
    missing_small_names,
    missing_subject,
    missing_weekdays,
    name_fault,
    other_letter,
    other_value,
)


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
        ("The US attacked the base", "He told us that they attacked", ["US"]),
        ("The EU signed", "Each union signed", ["EU"]),
        ("He met Paul Smith", "He met Paula Smith", ["Paul"]),
        ("He met Pope John XXIII", "Pope John XXII", ["XXIII"]),
        ("He met Michael Jackson", "Janet Jackson sang. Jackson left.", ["Michael"]),
        ("He met Michael Jackson", "Michael Jackson sang. Jackson left.", []),
        ("The Food and Drug Administration acted", "The FDA acted", []),
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
        ("Doctors recommend rest.", []),
        ("Tigers eat meat.", []),
        ("Belgians premiered it.", ["Belgians"]),
        ("Athens hosted it.", ["Athens"]),
        ("Nobody saw it.", []),
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


@pytest.mark.parametrize(
    ("claim", "evidence", "reason"),
    [
        ("Vitamin C is good.", "Vitamin D is good.", 'The evidence says "Vitamin D", the claim "Vitamin C".'),
        ("He has hepatitis C.", "He has hepatitis B.", 'The evidence says "hepatitis B", the claim "hepatitis C".'),
        ("It is written in C.", "It is written in R.", 'The evidence says "in R", the claim "in C".'),
        ("Charles V ruled.", "Charles II ruled.", 'The evidence says "Charles II", the claim "Charles V".'),
        ("It returns False.", "It returns True.", 'The evidence says "True", the claim "False".'),
    ],
)
def test_named_fault_is_another_letter_or_value(claim: str, evidence: str, reason: str) -> None:
    fault = name_fault(claim, evidence)
    assert fault is not None
    assert (fault.code, fault.reason, fault.verdict) == ("name", reason, "contradicted")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Vitamin C is good.", "Vitamins D and C are good."),
        ("Charles V ruled.", "Charles the Fifth ruled after Charles I."),
        ("It returns False.", "It returns True or False."),
        ("Vitamin C is good.", "It is good."),
        ("It is written in C.", "It is written in C and in R."),
    ],
)
def test_named_letters_and_values_that_stand_there_too_are_no_fault(claim: str, evidence: str) -> None:
    assert other_letter(claim, evidence) is None
    assert other_value(claim, evidence) is None

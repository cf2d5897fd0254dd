"""drzero.loop.facts.polarity: whether claim and evidence deny alike."""

from __future__ import annotations

import pytest

from drzero.loop.facts.polarity import denies, negation_fault
from drzero.types import Fault


@pytest.mark.parametrize(
    ("claim", "evidence", "denied"),
    [
        ("He won 17 awards.", "He won 17 awards and never learned to drive.", False),
        ("He learned to drive.", "He won 17 awards and never learned to drive.", True),
        ("He did not win.", "He won 17 awards.", True),
        ("He never learned to drive.", "He won awards, but he did not learn to drive.", False),
    ],
)
def test_polarity_denies_looks_at_the_clause_that_is_meant(claim: str, evidence: str, denied: bool) -> None:
    assert denies(claim, evidence) is denied


@pytest.mark.parametrize(
    ("claim", "evidence", "who"),
    [
        ("He learned to drive.", "He never learned to drive.", "evidence"),
        ("He learned to drive.", "He won awards and never learned to drive.", "evidence"),
        ("He won the race.", "He failed to win the race.", "evidence"),
        ("He won the Oscar.", "He won 17 awards but not the Oscar.", "evidence"),
        ("He modelled for them.", "He declined to model for them.", "evidence"),
        ("The cabinet has no power.", "The cabinet has power.", "claim"),
        ("He did not learn to drive.", "He learned to drive.", "claim"),
        ("It is not an acronym.", "It is an acronym for defence without weapons.", "claim"),
        ("He was unable to drive.", "He drove a bus.", "claim"),
        ("Tabs are allowed.", "Tabs are not allowed.", "evidence"),
        ("He met the men.", "He did not meet the men.", "evidence"),
        ("Failing to adhere did benefit the owner.", "Failing to adhere does not benefit the owner.", "evidence"),
    ],
)  # fmt: skip
def test_polarity_fault_says_who_denies(claim: str, evidence: str, who: str) -> None:
    fault = negation_fault(claim, evidence)
    assert fault is not None
    other = {"claim": "evidence", "evidence": "claim"}[who]
    reason = f"The {who} denies something that the {other} does not."
    assert (fault.code, fault.reason, fault.verdict) == ("negation", reason, "contradicted")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("He won 17 awards.", "He won 17 awards but not the Oscar."),
        ("He never learned to drive.", "He did not learn to drive."),
        ("He never learned to drive.", "He was unable to learn to drive."),
        ("The two did not differ.", "The two were the same."),
        ("The two were the same.", "The two did not differ."),
        ("It is not only old but large.", "It is old and large."),
        ("It is not impossible to win.", "It is possible to win."),
        ("The property is called primality.", "The property of being prime (or not) is called primality."),
        ("He remembers hits.", "He remembers hits, and does not remember misses."),
        ("It was not open.", "It was closed."),
        ("It does not change the list.", "It leaves the list unchanged."),
        ("It was not well received.", "It met with negative reviews."),
        ("It returns the network name.", "It returns the network name (may not be qualified)."),
        ("You must not use tabs.", "Tabs are not allowed."),
        ("The tuple cannot be changed.", "The tuple is immutable."),
        ("It returns None.", "It does not raise and returns None."),
        ("Do not take more than 40 tablets.", "Take at most 40 tablets."),
        ("Take at most 40 tablets.", "Do not take more than 40 tablets."),
        ("The speed did not exceed 100 km/h.", "The speed was at most 100 km/h."),
    ],
)
def test_polarity_paraphrase_is_no_denial(claim: str, evidence: str) -> None:
    assert negation_fault(claim, evidence) is None


def test_polarity_looks_at_the_sentence_it_is_told_to() -> None:
    evidence = "He did not drive. He drove later."
    assert negation_fault("He drove.", evidence, "He did not drive.") is not None
    assert negation_fault("He drove later.", evidence, "He drove later.") is None


@pytest.mark.parametrize(
    ("claim", "evidence", "holds"),
    [
        ("The law applies to foreigners.", "The law applies to everyone except foreigners.", False),
        ("The law does not apply to foreigners.", "The law applies to everyone except foreigners.", True),
        ("UDP guarantees delivery.", "TCP guarantees delivery; UDP does not.", False),
        ("UDP does not guarantee delivery.", "TCP guarantees delivery; UDP does not.", True),
        ("TCP guarantees delivery.", "TCP guarantees delivery; UDP does not.", True),
        ("UDP guarantees delivery.", "TCP, unlike UDP, guarantees delivery.", False),
        ("TCP guarantees delivery.", "TCP, unlike UDP, guarantees delivery.", True),
        ("Quicksort is stable.", "Merge sort is stable, but quicksort is not.", False),
        ("Quicksort is not stable.", "Merge sort is stable, but quicksort is not.", True),
        ("Bats are mammals that fly.", "Unlike other mammals, bats fly.", True),
    ],
)
def test_polarity_exceptions_deny_what_is_said_of_the_rest(claim: str, evidence: str, holds: bool) -> None:
    fault = Fault("negation", "The evidence leaves out what the claim says it of.", "contradicted")
    assert negation_fault(claim, evidence) == (None if holds else fault)


def test_polarity_exceptions_that_both_make_leave_their_denials_to_be_compared() -> None:
    fault = negation_fault("All but never the cat (except it) ran.", "All but the cat (except it) ran.")
    assert fault is not None

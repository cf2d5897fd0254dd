"""drzero.loop.facts.opposites: one word in place of its opposite."""

from __future__ import annotations

import pytest

from drzero.loop.facts.opposites import are_opposites, opposite_fault
from drzero.loop.facts.wording import stem


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("increase", "decrease"), ("increased", "decreased"), ("north", "south"), ("northern", "southern"),
        ("largest", "smallest"), ("before", "after"), ("first", "last"), ("import", "exports"), ("male", "female"),
        ("won", "lost"), ("enable", "disabled"), ("synchronous", "asynchronous"), ("unknown", "known"),
        ("unhappy", "happy"), ("mother", "father"), ("best", "worst"), ("more", "less"), ("differ", "same"),
    ],
)  # fmt: skip
def test_opposites_are_known_in_any_form_and_both_ways(one: str, two: str) -> None:
    assert are_opposites(stem(one), stem(two))
    assert are_opposites(stem(two), stem(one))


@pytest.mark.parametrize(
    ("one", "two"),
    [("union", "ion"), ("until", "til"), ("north", "river"), ("different", "indifferent"), ("big", "big")],
)
def test_opposites_are_no_words_that_look_alike(one: str, two: str) -> None:
    assert not are_opposites(stem(one), stem(two))


@pytest.mark.parametrize(
    ("claim", "evidence", "told", "said"),
    [
        ("Sales doubled there.", "Sales tripled there.", "tripled", "doubled"),
        ("The paper appears weekly.", "The paper appears monthly.", "monthly", "weekly"),
        ("Sales increased in 2001.", "Sales decreased in 2001.", "decreased", "increased"),
        ("It lies north of the river.", "It lies south of the river.", "south", "north"),
        ("It is an impossible plan.", "It is a possible plan.", "possible", "impossible"),
        ("He failed to lose any of them.", "He failed to win any of them.", "win", "lose"),
        (
            "It is the smallest city by people and the largest by area.",
            "It is the largest city by people and the largest by area.", "largest", "smallest",
        ),
    ],
)  # fmt: skip
def test_opposites_fault_names_both_words(claim: str, evidence: str, told: str, said: str) -> None:
    fault = opposite_fault(claim, evidence)
    assert fault is not None
    assert (fault.code, fault.reason) == ("opposite", f'The evidence says "{told}", the claim "{said}".')
    assert fault.verdict == "contradicted"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It grew from north to south.", "It grew from south to north."),
        ("The two were the same.", "The two did not differ."),
        ("It is not impossible to win.", "It is possible to win."),
        ("It rose.", "It lies south of the river, north of the hill."),
        ("His large garden has roses and oaks.", "A small river."),
        ("Sales increased.", "Sales increased."),
    ],
)
def test_opposites_are_no_fault_where_both_stand_or_one_is_denied(claim: str, evidence: str) -> None:
    assert opposite_fault(claim, evidence) is None


def test_opposites_are_looked_for_in_the_nearest_sentence() -> None:
    evidence = "Sales grew in the north. Taxes fell in the south."
    assert opposite_fault("Taxes rose in the south.", evidence) is not None
    assert opposite_fault("Taxes in the east fell.", "Taxes fell. Sales grew in the west.") is None


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Peru lies north of Chile.", "Chile lies south of Peru."),
        ("Cold brew is less acidic than hot coffee.", "Hot coffee is more acidic than cold brew."),
        ("Rome was founded before Carthage.", "Carthage was founded after Rome."),
    ],
)
def test_opposites_say_the_same_from_either_end(claim: str, evidence: str) -> None:
    assert opposite_fault(claim, evidence) is None
    assert opposite_fault(claim, claim.replace("north", "south").replace("less", "more").replace("before", "after"))

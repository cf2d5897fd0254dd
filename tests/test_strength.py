"""drzero.loop.facts.strength: claims that say more than their evidence."""

from __future__ import annotations

import pytest

from drzero.loop.facts.strength import strength_fault
from drzero.types import Fault


@pytest.mark.parametrize(
    ("claim", "evidence", "code", "reason"),
    [
        ("It causes cancer.", "It may cause cancer.", "hedge",
         'The evidence says "may", the claim tells it as certain.'),
        ("He died in Rome.", "He is believed to have died in Rome.", "hedge",
         'The evidence says "believed to", the claim tells it as certain.'),
        ("He left the band.", "He reportedly left the band.", "hedge",
         'The evidence says "reportedly", the claim tells it as certain.'),
        ("It is always fatal.", "It is often fatal.", "frequency",
         'The claim says "always", the evidence only "often".'),
        ("It is always fatal.", "It is fatal.", "frequency",
         'The claim says "always", the evidence nothing so strong.'),
        ("It is often fatal.", "It is sometimes fatal.", "frequency",
         'The claim says "often", the evidence only "sometimes".'),
        ("It is eaten.", "It is rarely eaten.", "frequency",
         'The evidence says "rarely", which the claim leaves out.'),
        ("All birds fly.", "Some birds fly.", "quantity", 'The claim says "all", the evidence only "some".'),
        ("Most birds fly.", "Many birds fly.", "quantity", 'The claim says "most", the evidence only "many".'),
        ("They are all owned by it.", "It is owned by it.", "quantity",
         'The claim says "all", the evidence nothing so strong.'),
        ("Birds of it fly.", "Few birds of it fly.", "quantity",
         'The evidence says "few", which the claim leaves out.'),
        ("You must close it.", "You should close it.", "duty", 'The claim says "must", the evidence only "should".'),
        ("You must close it.", "You can close it.", "duty", 'The claim says "must", the evidence only "can".'),
        ("He only wrote novels.", "He wrote novels.", "only", 'The claim says "only", the evidence does not.'),
        ("It is solely a drama.", "It is a drama.", "only", 'The claim says "solely", the evidence does not.'),
        ("It is the largest city.", "It is a city.", "superlative",
         'The claim says "largest", the evidence does not.'),
        ("It is the most popular game.", "It is a popular game.", "superlative",
         'The claim says "most popular", the evidence does not.'),
        ("It is the largest city.", "It is one of the largest cities.", "superlative",
         'The evidence says "one of the largest", the claim "largest".'),
        ("It is the largest city.", "It is the second-largest city.", "superlative",
         'The evidence says "second largest", the claim "largest".'),
        ("It is the second largest city.", "It is the largest city.", "superlative",
         'The evidence says "largest", the claim "second largest".'),
    ],
)  # fmt: skip
def test_strength_a_stronger_claim_is_a_fault(claim: str, evidence: str, code: str, reason: str) -> None:
    fault = strength_fault(claim, evidence)
    assert fault is not None
    assert (fault.code, fault.reason) == (code, reason)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It may cause cancer.", "It causes cancer."),
        ("It might cause cancer.", "It may cause cancer."),
        ("It is thought to cause cancer.", "It may cause cancer."),
        ("It is often fatal.", "It is always fatal."),
        ("It is often fatal.", "It is usually fatal."),
        ("Some birds fly.", "All birds fly."),
        ("All birds fly.", "Every bird flies."),
        ("You should close it.", "You must close it."),
        ("You must close it.", "Close it when done."),
        ("He only wrote novels.", "He wrote novels alone."),
        ("It is one of the largest cities.", "It is the largest city."),
        ("It is one of the largest cities.", "It is among the largest cities."),
        ("It is the largest city.", "No other city is larger; it is the largest of all."),
        ("It is the second most populous island.", "It is the second-most populous island."),
        ("It is the best song.", "It is the greatest song."),
        ("Ernest went west to the forest.", "Ernest went to the woods."),
        ("He wrote novels.", "He wrote novels, and may have painted."),
        ("The war of May 1931.", "The war of May 1931 began."),
        ("All-star cheerleading is known.", "Participants of all-star cheerleading are known."),
    ],
)
def test_strength_a_weaker_or_equal_claim_is_none(claim: str, evidence: str) -> None:
    assert strength_fault(claim, evidence) is None


def test_strength_must_not_and_not_allowed_are_one_duty() -> None:
    assert strength_fault("You must not use tabs.", "Tabs are not allowed.") is None
    fault = strength_fault("You must not use tabs.", "You should not use tabs.")
    assert fault == Fault("duty", 'The claim says "must", the evidence only "should".')


def test_strength_all_without_the_exception_of_the_evidence_is_more() -> None:
    fault = strength_fault("All birds can fly.", "All birds except penguins can fly.")
    assert fault == Fault("quantity", 'The evidence says "except", which the claim leaves out.')
    assert strength_fault("All birds but penguins can fly, except them.", "All birds except penguins can fly.") is None
    assert strength_fault("Each team has eleven players.", "Each team has eleven players (excluding others).") is None


@pytest.mark.parametrize(
    ("claim", "evidence", "reason"),
    [
        ("The Wall is visible.", "It is a common myth that the Wall is visible.",
         'The evidence says "it is a common myth that", which the claim leaves out.'),
        ("Edison invented it.", "It is false that Edison invented it.",
         'The evidence says "it is false that", which the claim leaves out.'),
        ("Edison is credited with it.", "Edison is falsely credited with it.",
         'The evidence says "falsely", which the claim leaves out.'),
        ("He died there.", "He nearly died there.", 'The evidence says "nearly", which the claim leaves out.'),
        ("It was completed in 1930.", "It was to be completed in 1930.",
         'The evidence says "was to be", which the claim leaves out.'),
        ("Rome was founded by Romulus.", "According to legend, Rome was founded by Romulus.",
         'The evidence says "according to legend", which the claim leaves out.'),
        ("He is the president of Chile.", "He is the former president of Chile.",
         'The evidence says "former", which the claim leaves out.'),
        ("She won an Oscar.", "She was nominated for an Oscar.", 'The evidence says "nominated", the claim "won".'),
        ("He was convicted of fraud.", "He was accused of fraud.",
         'The evidence says "accused", the claim "convicted".'),
        ("He was the president of Chile.", "He was the former president of Chile.", None),
        ("He is known for it.", "The former singer is known for it.", None),
        ("It lies almost in the sea.", "It nearly closed, and lies almost in the sea.", None),
        ("It has people.", "It has almost 3,000 people.", None),
        ("She was nominated and won.", "She was nominated.", None),
        ("She won an Oscar.", "She was nominated for an Oscar, and won it.", None),
        ("It is a myth that it is old.", "It is a myth that it is old.", None),
    ],
)  # fmt: skip
def test_strength_words_that_take_back_what_follows_are_not_left_out(
    claim: str, evidence: str, reason: str | None
) -> None:
    fault = strength_fault(claim, evidence)
    assert (fault and (fault.code, fault.reason, fault.verdict)) == (reason and ("hedge", reason, "unsupported"))


def test_strength_another_rank_contradicts_and_a_dropped_limit_does_not() -> None:
    rank = strength_fault("It is the largest city.", "It is the second largest city.")
    limit = strength_fault("It is the largest city.", "It is one of the largest cities.")
    assert rank is not None
    assert limit is not None
    assert (rank.verdict, limit.verdict) == ("contradicted", "unsupported")

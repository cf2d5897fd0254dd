"""drzero.loop.facts.statements: what is no statement of its source."""

from __future__ import annotations

import pytest

from drzero.loop.facts.statements import speaker, statement_fault, unstated_fault


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I like it.", "I"),
        ("i like it", "i"),
        ("Yes, I know.", "I"),
        ("And I know.", "I"),
        ("It is my favourite.", "my"),
        ("That 's what we do.", "we"),
        ("They told us so.", "us"),
        ("World War I ended.", ""),
        ("Elizabeth I of England.", ""),
        ("in world war i it began", ""),
        ('He said "I like it".', ""),
        ("In the US, and in the us, it is so.", ""),
        ("for (i = 0; i < n; i++)", ""),
        ("It ran.", ""),
    ],
)
def test_statements_speaker_is_found_outside_quotation_marks(text: str, word: str) -> None:
    assert speaker(text) == word


@pytest.mark.parametrize(
    ("claim", "evidence", "code", "reason"),
    [
        ("I like Paris.", "Paris is a city.", "first-person", 'The claim speaks of "I", and the evidence does not.'),
        ("my favourite is Paris", "paris is a city.", "first-person",
         'The claim speaks of "my", and the evidence does not.'),
        ("Is Paris a city?", "Paris is a city.", "not-a-statement", "The claim asks a question."),
        ("It is a city. Do you like it?", "It is a city.", "not-a-statement", "The claim asks a question."),
        ("Is Paris a city? ", "Is Paris a city?", "not-a-statement", "The claim asks a question."),
    ],
)  # fmt: skip
def test_statements_fault_says_why(claim: str, evidence: str, code: str, reason: str) -> None:
    fault = statement_fault(claim, evidence)
    assert fault is not None
    assert (fault.code, fault.reason, fault.verdict) == (code, reason, "unsupported")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("We hold these truths.", "We hold these truths to be self-evident."),
        ('The song "Who Are You?" is old.', "It is an old song."),
        ("World War I ended.", "It ended."),
        ("$? holds the exit status.", "The exit status is held in $?."),
        ("It is x ? y : z.", "It is x ? y : z."),
        ("Who Wants to Be a Millionaire? first aired in 1998.", "It first aired in 1998."),
        ("He won Who Wants to Be a Millionaire?", "He won Who Wants to Be a Millionaire?"),
        ("The loop variable i starts at 0.", "The loop starts at 0."),
        ("Paris is a city.", "Paris is a city."),
    ],
)
def test_statements_of_the_source_are_no_fault(claim: str, evidence: str) -> None:
    assert statement_fault(claim, evidence) is None


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ("Does deleting the lock file fix the error?", "The evidence asks this, and does not state it."),
        ("It stops. Does deleting the lock file fix the error? No idea.",
         "The evidence asks this, and does not state it."),
        ("If deleting the lock file fixes the error, tell us.",
         'The evidence says this only behind "if", and does not state it.'),
        ("It is unclear whether deleting the lock file fixes the error.",
         'The evidence says this only behind "whether", and does not state it.'),
        ("Does deleting the lock file fix the error? Deleting the lock file fixes the error.", None),
        ("Does deleting the lock file fix the error? Yes.", None),
        ("If the error comes, deleting the lock file fixes the error.", None),
        ("What fixes the error? Deleting the lock file.", None),
    ],
)  # fmt: skip
def test_statements_questions_and_conditions_state_nothing(evidence: str, reason: str | None) -> None:
    fault = unstated_fault("Deleting the lock file fixes the error.", evidence)
    assert (fault and (fault.code, fault.reason, fault.verdict)) == (
        reason and ("not-a-statement", reason, "unsupported")
    )


def test_statements_claims_with_a_condition_of_their_own_are_left_alone() -> None:
    assert unstated_fault("It stops if the file is deleted.", "Tell us if the file is deleted and it stops.") is None
    assert unstated_fault("", "Is it?") is None

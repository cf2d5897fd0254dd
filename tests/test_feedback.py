from __future__ import annotations

from dataclasses import replace

from drzero.loop.feedback import abstention, ended, feedback
from drzero.loop.scores import case_of
from drzero.types import Answer, Claim, Judgement, Verdict
from tests.samples import CHALLENGE, CITATION


def told(
    *texts: str, verdicts: tuple[Judgement, ...] = (), given: dict[str, float] | None = None, **changes: object
) -> str:
    challenge = replace(CHALLENGE, **changes)  # type: ignore[arg-type]
    answer = Answer(" ".join(texts), tuple(Claim(text, (CITATION,)) for text in texts), 0.5)
    judgements = verdicts or tuple(Judgement("supported", 0.9, ()) for _ in texts)
    case = case_of(challenge, answer, Verdict(judgements, "partial"), [], {"len('ab')": "2"}.get)
    return feedback(case, tuple((given or {}).items()))


def test_feedback_of_an_abstention() -> None:
    assert abstention(CHALLENGE) == "No answer was given. The archive answers it: sodium chloride."


def test_feedback_of_a_good_answer_is_short() -> None:
    assert told("It is sodium chloride.") == "The source supports all of it."


def test_feedback_gives_the_verifier_s_reason() -> None:
    refused = Judgement("unsupported", 0.2, ("The evidence does not state 5.", "And more."))
    denied = Judgement("contradicted", 0.1, ("The evidence says salty, the claim sweet.",))
    assert told("It is sodium chloride.", "It has 5 parts.", "It is sweet", verdicts=(
        Judgement("supported", 0.9, ()), refused, denied
    )) == (
        "The sources support 1 of 3 statements. Not supported: It has 5 parts. The evidence does not state 5. "
        "Contradicted: It is sweet. The evidence says salty, the claim sweet."
    )  # fmt: skip


def test_feedback_says_what_was_expected() -> None:
    assert "It does not say what was expected: sodium chloride." in told("It is pepper.")
    part = told("It is red.", answer="red and blue", aspects=("red", "blue"), question="What colours has it?")
    assert part.endswith("It says part of what was expected: red and blue. It leaves out: blue.")
    most = told(
        "It is found near hot springs.",
        answer="It is found at old hot deep springs.",
        aspects=(),
        question="Where?",
    )
    assert most.endswith("It says most of what was expected: It is found at old hot deep springs.")


def test_feedback_names_the_kind_only_where_relevance_counts() -> None:
    missed = "The question asks when, and the answer gives no time."
    question = "When was it first made?"
    assert missed in told("It was made.", given={"relevance": 0.0}, question=question)
    assert missed not in told("It was made.", given={"clarity": 1.0}, question=question)


def test_feedback_corrects_code() -> None:
    text = told("`len('ab')` returns `3`, and `salt.taste(` helps.")
    assert "`len('ab')` gives 2, not 3." in text
    assert "The cited source does not have this of its code: ab, taste." in text
    assert "Some of its code is not well formed." in text


def test_feedback_names_what_is_deprecated() -> None:
    claim = Claim("Use the asyncore module.", (replace(CITATION, quote="The asyncore module is deprecated."),))
    answer = Answer(claim.text, (claim,), 0.5)
    case = case_of(CHALLENGE, answer, Verdict((Judgement("supported", 1.0, ()),), "supported"), [], {}.get)
    assert "The source calls asyncore deprecated: say so, or name what replaces it." in feedback(case, ())


def test_feedback_of_form() -> None:
    assert told("It is sodium chloride.", given={"clarity": 0.5}).endswith("Write shorter, complete sentences.")
    bare = Answer("It is sodium chloride.", (Claim("It is sodium chloride.", ()),), 0.5)
    case = case_of(CHALLENGE, bare, Verdict((Judgement("supported", 1.0, ()),), "supported"), [], {}.get)
    assert feedback(case, ()).endswith("Name a source for every statement.")


def test_feedback_ended() -> None:
    assert [ended(text) for text in ("a", "a.", "a!", "a?")] == ["a.", "a.", "a!", "a?"]

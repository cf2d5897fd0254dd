from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from drzero.loop.desk import Desk, Options, Slot, Tools
from drzero.loop.evaluate import evaluate, support
from drzero.profiles import load_profile
from drzero.types import Answer, Challenge, Claim, Evaluation, Judgement, Passage, Verdict
from tests.fakes import ScriptedLLM, WordOverlapEntailment
from tests.samples import ANSWER, CHALLENGE, CHUNK, CITATION, SUPPORTED, VERDICT

WIKIPEDIA = load_profile("wikipedia")
CODING = load_profile("coding")


def answer_of(*texts: str, cited: bool = True) -> Answer:
    citations = (CITATION,) if cited else ()
    return Answer(" ".join(texts), tuple(Claim(text, citations) for text in texts), 0.5)


def verdict_of(*judged: tuple[str, float]) -> Verdict:
    judgements = tuple(Judgement(verdict, probability, ()) for verdict, probability in judged)  # type: ignore[arg-type]
    return Verdict(judgements, "supported" if all(v == "supported" for v, _ in judged) else "partial")


def score(name: str, evaluation: Evaluation) -> float:
    return dict(evaluation.scores)[name]


def challenge_of(**changes: Any) -> Challenge:
    return replace(CHALLENGE, **changes)


def test_evaluate_wikipedia_of_a_good_answer() -> None:
    evaluation = evaluate(CHALLENGE, ANSWER, VERDICT, WIKIPEDIA)
    assert evaluation.scores == (("accuracy", 0.9), ("completeness", 1.0), ("relevance", 1.0))
    assert evaluation.overall == pytest.approx(0.5 * 0.9 + 0.3 + 0.2)
    assert evaluation.feedback == "The source supports all of it."


def test_evaluate_coding_of_a_good_answer() -> None:
    evaluation = evaluate(CHALLENGE, ANSWER, VERDICT, CODING)
    assert evaluation.scores == (("correctness", 0.9), ("completeness", 1.0), ("clarity", 1.0), ("best_practices", 1.0))
    assert evaluation.overall == pytest.approx(0.4 * 0.9 + 0.3 + 0.2 + 0.1)


@pytest.mark.parametrize("profile", [WIKIPEDIA, CODING])
@pytest.mark.parametrize(
    "answer", [Answer("", (), 0.0, abstained=True), Answer("Words.", (), 1.0), replace(ANSWER, abstained=True)]
)
def test_evaluate_abstention_scores_nothing(profile: Any, answer: Answer) -> None:
    evaluation = evaluate(CHALLENGE, answer, Verdict((), "abstained"), profile)
    assert evaluation.overall == 0.0
    assert [value for _, value in evaluation.scores] == [0.0] * len(profile.weights)
    assert evaluation.feedback == "No answer was given. The archive answers it: sodium chloride."


def test_evaluate_confidence_has_no_part() -> None:
    low, high = (evaluate(CHALLENGE, replace(ANSWER, confidence=c), VERDICT, WIKIPEDIA) for c in (0.0, 1.0))
    assert low == high


# --- support and agreement ---


def test_evaluate_support_counts_supported_claims_only() -> None:
    assert support(verdict_of(("supported", 0.9), ("supported", 0.5))) == pytest.approx(0.7)
    assert support(verdict_of(("supported", 0.9), ("contradicted", 0.9))) == pytest.approx(0.45)
    assert support(verdict_of(("unsupported", 0.9), ("unchecked", 1.0))) == 0.0
    assert support(verdict_of(("supported", float("nan")), ("supported", 2.0))) == 0.5
    assert support(Verdict((), "unsupported")) == 0.0


def test_evaluate_accuracy_is_support_times_agreement() -> None:
    challenge = challenge_of(aspects=("sodium", "chloride"))
    evaluation = evaluate(challenge, answer_of("Salt is made of sodium."), verdict_of(("supported", 0.8)), WIKIPEDIA)
    assert score("accuracy", evaluation) == pytest.approx(0.8 * 0.25)  # half of the aspects, halved for the other


# --- completeness ---


def test_evaluate_completeness_is_the_share_of_aspects() -> None:
    challenge = challenge_of(aspects=("sodium", "iodine", "white", "crystals"))
    answer = answer_of("It is sodium chloride.", "It forms white crystals.")
    full = evaluate(challenge, answer, verdict_of(("supported", 1.0), ("supported", 1.0)), WIKIPEDIA)
    assert score("completeness", full) == 0.75
    assert full.feedback == (
        "The sources support all 2 statements. It says part of what was expected: sodium chloride. "
        "It leaves out: iodine."
    )


def test_evaluate_completeness_counts_supported_claims_only() -> None:
    challenge = challenge_of(aspects=("sodium", "white"))
    answer = answer_of("It is sodium chloride.", "It is white.")
    partial = evaluate(challenge, answer, verdict_of(("supported", 1.0), ("unsupported", 0.4)), WIKIPEDIA)
    assert score("completeness", partial) == 0.5
    none = evaluate(challenge, answer, verdict_of(("unchecked", 1.0), ("unsupported", 0.4)), WIKIPEDIA)
    assert score("completeness", none) == 0.0


def test_evaluate_completeness_without_aspects_is_recall_of_the_reference() -> None:
    challenge = challenge_of(aspects=(), answer="red, white, green and blue")
    evaluation = evaluate(challenge, answer_of("It is blue and red."), verdict_of(("supported", 1.0)), WIKIPEDIA)
    assert score("completeness", evaluation) == 0.5


# --- relevance ---


def test_evaluate_relevance_is_topic_and_kind() -> None:
    challenge = challenge_of(question="When did the old stone bridge open?", answer="1931", aspects=())

    def relevance(text: str) -> float:
        return score("relevance", evaluate(challenge, answer_of(text), verdict_of(("supported", 1.0)), WIKIPEDIA))

    assert relevance("The stone bridge opened in 1931.") == 1.0  # three of four words: more than half
    assert relevance("The bridge was new in 1931.") == pytest.approx(0.5 * 0.5 + 0.5)
    assert relevance("In 1931.") == 0.5
    assert relevance("The stone bridge opened late.") == 0.5
    assert relevance("Nobody knows.") == 0.0


def test_evaluate_feedback_names_the_wrong_kind() -> None:
    challenge = challenge_of(question="When did the bridge open?", answer="1931", aspects=())
    evaluation = evaluate(challenge, answer_of("The bridge opened late."), verdict_of(("supported", 1.0)), WIKIPEDIA)
    assert evaluation.feedback == (
        "The source supports all of it. It does not say what was expected: 1931. "
        "The question asks when, and the answer gives no time."
    )


# --- clarity and best practices ---


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It returns a list.", 1.0),
        ("`len` returns a number.", 1.0),
        ("it returns a list", 0.7),
        ("It returns a list", 0.7),
        ("It " + "really " * 29 + "works.", 0.7 * (1 - 6 / 35) + 0.3),
        ("It " + "really " * 98 + "works.", 0.3),
        ("It works. It does", (1.0 + 0.7) / 2),
        ("```python\nx = 1\n```", 1.0),
    ],
)
def test_evaluate_clarity(text: str, value: float) -> None:
    answer = Answer(text, (Claim(text, (CITATION,)),), 0.5)
    evaluation = evaluate(CHALLENGE, answer, VERDICT, CODING)
    assert score("clarity", evaluation) == pytest.approx(value)
    assert ("Write shorter, complete sentences." in evaluation.feedback) is (value < 0.7)


def test_evaluate_best_practices_is_citing_and_sound_code() -> None:
    def best(answer: Answer) -> float:
        judged = verdict_of(*[("supported", 1.0)] * len(answer.claims))
        return score("best_practices", evaluate(CHALLENGE, answer, judged, CODING))

    assert best(answer_of("Use `len(x)`.", "It is fast.")) == 1.0
    assert best(answer_of("Use `len(x` and `abs(x)`.")) == 0.5
    assert best(answer_of("It is fast.", cited=False)) == 0.0
    half = answer_of("It is fast.", "It is small.")
    assert best(replace(half, claims=(half.claims[0], replace(half.claims[1], citations=())))) == 0.5


# --- feedback ---


def test_evaluate_feedback_names_every_fault() -> None:
    challenge = challenge_of(aspects=("sodium", "chloride"))
    answer = answer_of("Salt is sodium and `f(`.", "it is sweet", cited=False)
    evaluation = evaluate(challenge, answer, verdict_of(("supported", 0.9), ("contradicted", 0.1)), CODING)
    assert evaluation.feedback == (
        "The sources support 1 of 2 statements. Contradicted: it is sweet. "
        "It says part of what was expected: sodium chloride. It leaves out: chloride. "
        "The cited source does not have this of its code: f. "
        "Some of its code is not well formed. Name a source for every statement."
    )


def test_evaluate_feedback_of_fewer_judgements_than_claims() -> None:
    evaluation = evaluate(
        CHALLENGE, answer_of("Sodium chloride.", "White."), Verdict((SUPPORTED,), "partial"), WIKIPEDIA
    )
    assert evaluation.feedback == "The sources support 1 of 2 statements."


def test_evaluate_scores_stay_in_range() -> None:
    for probability in (float("nan"), float("inf"), -1.0, 5.0):
        evaluation = evaluate(CHALLENGE, ANSWER, verdict_of(("supported", probability)), WIKIPEDIA)
        assert 0.0 <= evaluation.overall <= 1.0
        assert all(0.0 <= value <= 1.0 for _, value in evaluation.scores)


def test_evaluate_reads_the_cited_chunk_not_the_quote_alone() -> None:
    quoted = answer_of("Pick `salt.shake()`.")
    passage = Passage(replace(CHUNK, text=f"{CHUNK.text} Call salt.shake() to season."), 1.0, 1, "kitchen")
    alone = evaluate(CHALLENGE, quoted, verdict_of(("supported", 1.0)), CODING)
    beside = evaluate(CHALLENGE, quoted, verdict_of(("supported", 1.0)), CODING, [passage])
    assert "The cited source does not have this of its code: shake." in alone.feedback
    assert "cited source does not have" not in beside.feedback


def test_evaluate_runs_code_at_the_desk_and_records_it() -> None:
    slot = Slot("run", 0, 0, 1, CODING, CODING.types[0], "easy")
    tools = Tools(ScriptedLLM([]), WordOverlapEntailment(), lambda query, k: [], lambda rng: CHUNK)
    desk = Desk(slot, tools, Options(), [])
    answer = answer_of("`len('ab')` returns `3`.")
    evaluation = evaluate(CHALLENGE, answer, verdict_of(("supported", 1.0)), CODING, run=desk.run_code)
    assert "`len('ab')` gives 2, not 3." in evaluation.feedback
    assert [(step.name, step.inputs["code"]) for step in desk.trace.steps] == [("run", "len('ab')")]

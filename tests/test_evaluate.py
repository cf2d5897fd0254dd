from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from drzero.loop import evaluate as module
from drzero.loop.agreement import agreement
from drzero.loop.evaluate import (
    code_pieces,
    evaluate,
    fits_question,
    missing_aspects,
    support,
    well_formed,
)
from drzero.profiles import SCORES, load_profile
from drzero.types import Answer, Challenge, Claim, Evaluation, Judgement, Verdict
from tests.samples import ANSWER, CHALLENGE, CITATION, SUPPORTED, VERDICT

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


def test_evaluate_every_score_a_profile_may_name_is_known() -> None:
    assert tuple(sorted(module._SCORES)) == tuple(sorted(SCORES))


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


@pytest.mark.parametrize(
    ("answer", "reference", "question", "value"),
    [
        ("Sodium chloride", "sodium chloride.", "What is salt?", 1.0),
        ("It is a white powder called sodium chloride.", "sodium chloride", "What is salt?", 1.0),
        ("Salt is pepper.", "sodium chloride", "What is salt?", 0.0),
        ("It opened in 1931.", "The bridge opened in 1931.", "When did the bridge open?", 1.0),
        ("It opened in 1932.", "1931", "When did the bridge open?", 0.0),
        ("It is red and white.", "red, white and blue", "What colours has the flag?", 2 / 3),
        ("", "sodium chloride", "What is salt?", 0.0),
        ("Sodium chloride", "", "What is salt?", 0.0),
        ("It does not dissolve in oil.", "It dissolves in oil.", "Where does salt dissolve?", 0.0),
        ("It is not a metal.", "not a metal", "What is salt not?", 1.0),
    ],
)
def test_evaluate_agreement(answer: str, reference: str, question: str, value: float) -> None:
    assert agreement(answer, reference, question) == pytest.approx(value)


def test_evaluate_agreement_without_a_number_of_the_reference_is_halved() -> None:
    full = agreement("The tower has a height of 324 metres.", "a height of 324 metres", "How high is it?")
    wrong = agreement("The tower has a height of 423 metres.", "a height of 324 metres", "How high is it?")
    assert full == 1.0
    assert wrong == pytest.approx(0.5 * 2 / 3)


def test_evaluate_accuracy_is_support_times_agreement() -> None:
    answer = answer_of("Salt is made of sodium.")
    evaluation = evaluate(CHALLENGE, answer, verdict_of(("supported", 0.8)), WIKIPEDIA)
    assert score("accuracy", evaluation) == pytest.approx(0.8 * 0.5)


# --- completeness ---


def test_evaluate_missing_aspects() -> None:
    said = "The tower was built in 1889 by Gustave Eiffel."
    assert missing_aspects(("1889", "Gustave Eiffel", "Paris", "1887", "built by Eiffel for a fair"), said) == (
        "Paris",
        "1887",
    )
    assert missing_aspects((), said) == ()


def test_evaluate_completeness_is_the_share_of_aspects() -> None:
    challenge = challenge_of(aspects=("sodium", "iodine", "white", "crystals"))
    answer = answer_of("It is sodium chloride.", "It forms white crystals.")
    full = evaluate(challenge, answer, verdict_of(("supported", 1.0), ("supported", 1.0)), WIKIPEDIA)
    assert score("completeness", full) == 0.75
    assert full.feedback == "The sources support all 2 statements. It leaves out: iodine."


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


@pytest.mark.parametrize(
    ("question", "answer", "fits"),
    [
        ("When did it open?", "In 1931.", True),
        ("When did it open?", "In May.", True),
        ("When did it open?", "It opened late.", False),
        ("In what year did it open?", "The doors opened.", False),
        ("How many bones are there?", "There are 206 bones.", True),
        ("How many bones are there?", "There are twelve.", True),
        ("How many bones are there?", "There are many.", False),
        ("How often does it rain?", "It rains twice a week.", True),
        ("Who built it?", "It was built by Gustave Eiffel.", True),
        ("Who built it?", "Eiffel.", True),
        ("Who built it?", "it was built by an engineer.", False),
        ("Whose daughter was she?", "She was the daughter of Liszt.", True),
        ("Why is it blue?", "Because air scatters light.", True),
        ("Why was it closed?", "To make room.", True),
        ("Why is it blue?", "It is blue.", False),
        ("What is it?", "It is blue.", True),
        ("By whom was it built?", "It was built by an engineer.", False),
        ("What is the man who built it called when he is away?", "It is a secret.", True),
        ("How is it done?", "With care.", True),
    ],
)
def test_evaluate_kind_of_answer(question: str, answer: str, fits: bool) -> None:
    assert fits_question(question, answer) is fits


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
        "It is not the kind of answer that the question asks for."
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


def test_evaluate_code_pieces() -> None:
    assert code_pieces("Use `len(x)` or `x[0]`.") == (("", "len(x)"), ("", "x[0]"))
    assert code_pieces("So:\n```Python\nx = 1\n```\nnot `y`.") == (("python", "x = 1\n"),)
    assert code_pieces("```\nopen") == (("", "open"),)
    assert code_pieces("None here.") == ()


@pytest.mark.parametrize(
    ("language", "code", "sound"),
    [
        ("python", "for x in y:\n    print(x)\n", True),
        ("python", "    x = 1\n    y = 2\n", True),
        ("py", "for x in y print(x)", False),
        ("python", "x = '\\d'", True),
        ("python", "x\0", False),
        ("python", "(" * 5000, False),
        ("js", "const f = (x) => { return [x]; };", True),
        ("js", "const f = (x) => { return [x); };", False),
        ("", "f(')', \"]\")", True),
        ("", "f(", False),
        ("", "f)", False),
        ("", "", True),
    ],
)
def test_evaluate_well_formed_code(language: str, code: str, sound: bool) -> None:
    assert well_formed(language, code) is sound


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
        "The sources support 1 of 2 statements. Not supported: it is sweet. "
        "It says part of what was expected: sodium chloride. It leaves out: chloride. "
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

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero.loop.metrics import (
    METRIC_NAMES,
    METRIC_VERSION,
    STAGES,
    Caps,
    clamp,
    frames,
    named,
    noise_tolerance,
    vector,
)
from drzero.types import Answer, Claim, Episode, Evaluation, Step
from tests.samples import ANSWER, ATTEMPT, CHALLENGE, CITATION, CLAIM, SILENT, make_episode


def metric(name: str, episode: Episode, caps: Caps | None = None) -> float:
    return named(vector(episode, caps=caps))[f"ssp.{name}"]


def with_best(**changes: Any) -> Episode:
    return make_episode(attempts=(SILENT, replace(ATTEMPT, **changes)))


def test_metrics_names_and_version() -> None:
    assert METRIC_VERSION == "ssp.v1"
    assert (
        tuple(
            f"ssp.{name}"
            for name in (
                "reward",
                "verified",
                "curriculum_difficulty",
                "question_len",
                "answer_len",
                "evidence_count",
                "solver_steps",
                "best_score",
                "improvement",
                "search_turns",
                "f1_score",
                "format_compliance",
                "noise_tolerance",
                "rag_verification",
            )
        )
        == METRIC_NAMES
    )


def test_metrics_whole_vector_of_a_known_episode() -> None:
    assert vector(make_episode()) == pytest.approx(
        (
            0.95,  # accepted, best attempt's overall
            1.0,
            0.0,  # easy
            8 / 80,
            7 / 400,
            1 / 8,
            6 / 12,
            0.95,
            (0.95 - 0.2) / 0.8,
            3 / 12,
            2 * (2 / 7) * 1 / (2 / 7 + 1),  # "sodium chloride" in seven words
            1.0,
            1.0,
            1.0,
        )
    )


def test_metrics_do_not_read_the_stored_vector() -> None:
    assert vector(make_episode(metrics=())) == vector(make_episode())


@pytest.mark.parametrize("status", ["rejected", "quarantined"])
def test_metrics_reward_and_verified_need_acceptance(status: str) -> None:
    episode = make_episode(status=status)
    assert metric("reward", episode) == metric("verified", episode) == 0.0
    assert metric("best_score", episode) == 0.95


@pytest.mark.parametrize(
    ("level", "value"), [("easy", 0), ("medium", 1 / 3), ("hard", 2 / 3), ("expert", 1), ("odd", 0)]
)
def test_metrics_curriculum_difficulty(level: str, value: float) -> None:
    assert metric("curriculum_difficulty", make_episode(level=level)) == pytest.approx(value)


def test_metrics_question_len_is_capped() -> None:
    long = make_episode(challenge=replace(CHALLENGE, question="word " * 200))
    assert metric("question_len", long) == 1.0
    assert metric("question_len", long, Caps(question_words=400)) == 0.5
    assert metric("question_len", make_episode(challenge=replace(CHALLENGE, question="塩は何?"))) == 3 / 80
    assert metric("question_len", make_episode(challenge=None)) == 0.0


def test_metrics_answer_len_is_of_the_best_attempt() -> None:
    assert metric("answer_len", with_best(answer=replace(ANSWER, text="word " * 100))) == 0.25
    assert metric("answer_len", with_best(answer=replace(ANSWER, text="word " * 100)), Caps(answer_words=50)) == 1.0


def test_metrics_evidence_count_is_of_distinct_chunks() -> None:
    cited = tuple(Claim("x", (CITATION, replace(CITATION, chunk_id=f"c{i}"))) for i in range(2, 5))
    assert metric("evidence_count", with_best(answer=replace(ANSWER, claims=cited))) == 4 / 8
    assert metric("evidence_count", with_best(answer=replace(ANSWER, claims=cited * 5)), Caps(evidence=2)) == 1.0


def test_metrics_turns_are_capped() -> None:
    episode = with_best(steps=30, queries=("a",) * 6)
    assert (metric("solver_steps", episode), metric("search_turns", episode)) == (1.0, 0.5)
    assert metric("solver_steps", episode, Caps(turns=60)) == 0.5
    assert metric("search_turns", episode, Caps(turns=0)) == 1.0


@pytest.mark.parametrize(
    ("best", "base", "value"), [(0.9, 0.8, 0.5), (0.5, 0.8, 0.0), (1.0, 1.0, 0.0), (1.0, 0.0, 1.0), (0.5, 1.0, 0.0)]
)
def test_metrics_improvement(best: float, base: float, value: float) -> None:
    episode = replace(with_best(evaluation=Evaluation((), best, "")), base_score=base)
    assert metric("improvement", episode) == pytest.approx(value)


def test_metrics_f1_score() -> None:
    assert metric("f1_score", with_best(answer=Answer("The sodium chloride", (CLAIM,), 1.0))) == 1.0
    assert metric("f1_score", with_best(answer=Answer("Pepper", (CLAIM,), 1.0))) == 0.0
    assert metric("f1_score", make_episode(challenge=replace(CHALLENGE, answer=""), best=0)) == 0.0


@pytest.mark.parametrize(
    ("outputs", "value"),
    [
        ([{"well_formed": True}, {"well_formed": False}], 1.0),
        ([{"well_formed": False}, {"well_formed": True}], 0.0),
        (["text", None, {"raw": ""}, {"well_formed": True}], 1.0),
        ([{"raw": "no word of it"}], 0.0),
        ([], 0.0),
    ],
)
def test_metrics_format_compliance_is_of_the_first_output(outputs: list[Any], value: float) -> None:
    steps = tuple(Step("proposed", "ask", {}, output, 0.0) for output in outputs)
    assert metric("format_compliance", make_episode(steps=steps)) == value


@pytest.mark.parametrize(
    ("prompt", "refusals", "value"),
    [
        ("ask-factual/4", [""], 1.0),
        ("ask-factual/4", ["near-copy"], 1.0),  # no rule of form
        ("ask-factual/4", ["malformed", ""], 0.0),
        ("ask-factual/4", ["output-empty"], 0.0),
        ("ask-factual/4", ["", "malformed"], 1.0),
        ("ask-factual/4", [], 1.0),
        ("read/3", ["malformed"], 1.0),  # the question was a template's
    ],
)
def test_metrics_format_compliance_of_a_question_needs_the_form_of_one(
    prompt: str, refusals: list[str], value: float
) -> None:
    written = Step("proposed", "complete", {"prompt": prompt}, {"well_formed": True}, 0.0)
    proposals = [Step("proposed", "proposal", {}, {"question": "x", "refusal": refusal}, 0.0) for refusal in refusals]
    assert metric("format_compliance", make_episode(steps=(written, *proposals))) == value


def test_metrics_noise_tolerance_and_gate() -> None:
    episode = make_episode(noise_tolerance=0.5, gate_passed=False)
    assert (metric("noise_tolerance", episode), metric("rag_verification", episode)) == (0.5, 0.0)
    assert metric("noise_tolerance", make_episode(noise_tolerance=3.0)) == 1.0


@pytest.mark.parametrize("best", [-1, 2, -5])
def test_metrics_without_an_attempt(best: int) -> None:
    episode = make_episode(status="invalid", best=best, gate_passed=False, noise_tolerance=0.0)
    assert vector(episode) == pytest.approx((0, 0, 0, 0.1) + (0,) * 7 + (1.0, 0, 0))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -3.0, 7.0])
def test_metrics_stay_in_range_whatever_comes(value: float) -> None:
    odd = replace(with_best(evaluation=Evaluation((), value, "")), base_score=value, noise_tolerance=value)
    metrics = vector(odd)
    assert len(metrics) == 14
    assert all(type(x) is float and 0.0 <= x <= 1.0 for x in metrics)


def test_metrics_clamp() -> None:
    assert [clamp(x) for x in (float("nan"), float("inf"), -float("inf"), -0.1, 0.3, 1.5)] == [
        0.0,
        1.0,
        0.0,
        0.0,
        0.3,
        1.0,
    ]


def test_metrics_named() -> None:
    assert named(()) == {}
    assert list(named((0.5,) * 14)) == list(METRIC_NAMES)
    with pytest.raises(ValueError, match="shorter"):
        named((0.5,))


# --- by stage -------------------------------------------------------------------------------------------------------


def test_metrics_frames_are_the_vector_as_it_grows() -> None:
    episode = make_episode()
    proposed, gated, solved, verified = frames(episode)
    assert STAGES == ("proposed", "gated", "solved", "verified")
    assert proposed == pytest.approx((0, 0, 0, 0.1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0))
    assert gated == pytest.approx((*proposed[:12], 1, 1))
    assert solved == pytest.approx((0, 0, 0, 0.1, 7 / 400, 1 / 8, 6 / 12, 0, 0, 3 / 12, 4 / 9, 1, 1, 1))
    assert verified == vector(episode)


def test_metrics_frames_use_the_caps() -> None:
    assert {frame[3] for frame in frames(make_episode(), caps=Caps(question_words=16))} == {0.5}


def test_metrics_frames_are_empty_for_stages_that_were_not_reached() -> None:
    ended: dict[str, Any] = {
        "challenge": None,
        "attempts": (),
        "best": -1,
        "gate_passed": False,
        "noise_tolerance": 0.0,
    }
    ask, answerable = make_episode().steps[:2]
    blank = (0.0,) * 11 + (1.0, 0.0, 0.0)
    assert frames(make_episode(status="invalid", steps=(ask,), **ended)) == (blank, (), (), ())
    assert frames(make_episode(status="rejected", steps=(ask, answerable), **ended)) == (blank, blank, (), ())


def gate(distractors: int, right: bool) -> Step:
    return Step("gated", "answerable", {"distractors": distractors}, right, 0.0)


@pytest.mark.parametrize(
    ("told", "share"),
    [
        ([], 0.0),
        ([(0, False)], 0.0),
        ([(0, True)], 0.0),
        ([(0, True), (4, True)], 1.0),
        ([(0, True), (4, False)], 0.0),
        ([(0, True), (4, False), (0, False), (0, True), (4, True)], 0.5),
        ([(0, True), (4, False), (0, True), (3, False), (0, True), (4, True)], 1 / 3),
        ([(4, True)], 0.0),  # right by chance alone
        ([(0, True), (4, True), (4, True)], 1.0),
    ],
)
def test_metrics_noise_tolerance_is_right_among_distractors_by_right_without(
    told: list[tuple[int, bool]], share: float
) -> None:
    other = Step("gated", "search", {"query": "x"}, [], 0.0)
    assert noise_tolerance([other, *(gate(*each) for each in told)]) == pytest.approx(share)


def test_metrics_are_each_defined_in_words_where_the_readme_points() -> None:
    root = Path(__file__).resolve().parents[1]
    source = (root / "drzero" / "loop" / "metrics.py").read_text(encoding="utf-8")
    assert re.findall(r"^- (ssp\.\w+): \S", source, re.MULTILINE) == list(METRIC_NAMES)
    assert "(drzero/loop/metrics.py)" in (root / "README.md").read_text(encoding="utf-8")

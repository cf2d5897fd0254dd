from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from drzero.loop.curriculum import (
    after_episode,
    after_iteration,
    choose_types,
    replay,
    struggle,
    stuck_types,
    type_shares,
)
from drzero.profiles import load_profile
from drzero.types import Curriculum, Episode, Evaluation, TypeRecord
from tests.samples import ATTEMPT, make_episode

WIKIPEDIA = load_profile("wikipedia")


def solved(overall: float, **changes: Any) -> Episode:
    """An accepted episode of that overall score."""
    return make_episode(attempts=(replace(ATTEMPT, evaluation=Evaluation((), overall, "")),), best=0, **changes)


def test_curriculum_starts_at_the_easiest_level() -> None:
    assert Curriculum() == Curriculum("easy", 0, (), 0.75, 0.40, ())


# --- scores ---


def test_curriculum_accepted_episode_records_its_score() -> None:
    state = after_episode(Curriculum(), solved(0.8))
    assert state == Curriculum(scores=(0.8,), types=(TypeRecord("factual", 1, 1, (0.8,)),))


@pytest.mark.parametrize("status", ["rejected", "quarantined"])
def test_curriculum_solved_but_not_accepted_records_zero(status: str) -> None:
    state = after_episode(Curriculum(), solved(0.8, status=status))
    assert state == Curriculum(scores=(0.0,), types=(TypeRecord("factual", 1, 0, (0.0,)),))


def test_curriculum_proposal_that_never_reached_the_solver_is_a_try_only() -> None:
    state = after_episode(Curriculum(), make_episode(status="invalid", attempts=(), best=-1))
    assert state == Curriculum(types=(TypeRecord("factual", 1, 0, ()),))


def test_curriculum_windows_hold_ten() -> None:
    state = Curriculum()
    for i in range(12):
        state = after_episode(state, solved(i / 100))
    assert state.scores == tuple(i / 100 for i in range(2, 12))
    assert state.types == (TypeRecord("factual", 12, 12, state.scores),)


def test_curriculum_types_are_recorded_apart() -> None:
    state = after_episode(Curriculum(), solved(0.8))
    state = after_episode(state, solved(0.6, type="causal"))
    state = after_episode(state, solved(0.4))
    assert state.scores == (0.8, 0.6, 0.4)
    assert state.types == (TypeRecord("factual", 2, 2, (0.8, 0.4)), TypeRecord("causal", 1, 1, (0.6,)))


@pytest.mark.parametrize(("overall", "kept"), [(float("nan"), 0.0), (7.0, 1.0), (-1.0, 0.0)])
def test_curriculum_odd_scores_are_clamped(overall: float, kept: float) -> None:
    assert after_episode(Curriculum(), solved(overall)).scores == (kept,)


# --- levels ---


@pytest.mark.parametrize(
    ("level", "scores", "level_after", "scores_after"),
    [
        ("easy", (0.75, 0.75, 0.75), "medium", ()),
        ("easy", (0.75, 0.75, 0.74), "easy", (0.75, 0.75, 0.74)),
        ("easy", (1.0, 1.0), "easy", (1.0, 1.0)),  # fewer than three
        ("medium", (0.9, 0.9, 0.9), "hard", ()),
        ("hard", (0.5, 0.9, 1.0), "expert", ()),
        ("medium", (0.4, 0.4, 0.4), "easy", ()),  # the mean of three 0.4 is no more than 0.4
        ("medium", (0.1, 0.2, 0.91), "medium", (0.1, 0.2, 0.91)),
        ("expert", (0.0, 0.1, 0.2), "hard", ()),
        ("medium", (0.0, 0.0), "medium", (0.0, 0.0)),
        ("easy", (0.0, 0.0, 0.0), "easy", ()),  # nowhere to go: judged once, then afresh
        ("expert", (1.0, 1.0, 1.0), "expert", ()),
        ("expert", (0.7,) * 10, "expert", (0.7,) * 10),
    ],
)
def test_curriculum_level_follows_the_average(
    level: str, scores: tuple[float, ...], level_after: str, scores_after: tuple[float, ...]
) -> None:
    after = after_iteration(Curriculum(level=level, iterations=4, scores=scores))
    iterations = 0 if level_after != level else 5
    assert after == Curriculum(level=level_after, iterations=iterations, scores=scores_after)


def test_curriculum_thresholds_are_the_states_own() -> None:
    state = Curriculum(level="medium", scores=(0.6, 0.6, 0.6), promotion=0.6, demotion=0.1)
    assert after_iteration(state).level == "hard"
    assert after_iteration(replace(state, promotion=0.9, demotion=0.6)).level == "easy"


def test_curriculum_moves_one_level_an_iteration() -> None:
    good = [[solved(1.0)] * 3] * 5
    levels = [replay(Curriculum(), good[:n]).level for n in range(6)]
    assert levels == ["easy", "medium", "hard", "expert", "expert", "expert"]


def test_curriculum_scores_of_another_level_do_not_count() -> None:
    state = replay(Curriculum(), [[solved(1.0)] * 3, [solved(0.0)] * 2])
    assert (state.level, state.scores, state.iterations) == ("medium", (0.0, 0.0), 1)
    assert replay(state, [[solved(0.0)]]).level == "easy"


# --- types ---


def test_curriculum_struggle() -> None:
    assert struggle(TypeRecord("x")) == 0.5
    assert struggle(TypeRecord("x", 9, 9, (1.0,) * 9)) == pytest.approx(0.05)
    assert struggle(TypeRecord("x", 9, 1, (0.0,) * 9)) == pytest.approx(0.95)


def test_curriculum_shares_are_even_at_first() -> None:
    assert type_shares(Curriculum(), WIKIPEDIA) == (("factual", 0.5), ("temporal", 0.5))


def test_curriculum_struggling_types_are_asked_more() -> None:
    state = Curriculum(types=(TypeRecord("factual", 9, 9, (1.0,) * 9), TypeRecord("temporal", 9, 1, (0.0,) * 9)))
    assert type_shares(state, WIKIPEDIA) == (
        ("factual", pytest.approx(0.25 + 0.5 * 0.05)),
        ("temporal", pytest.approx(0.25 + 0.5 * 0.95)),
    )


def test_curriculum_stuck_types_are_reported_and_asked_at_the_floor() -> None:
    state = Curriculum(
        types=(TypeRecord("factual", 5, 0, (0.0,)), TypeRecord("temporal", 4, 0), TypeRecord("causal", 9, 1))
    )
    assert stuck_types(state) == ("factual",)
    assert type_shares(state, WIKIPEDIA) == (("factual", 0.25), ("temporal", 0.75))


def test_curriculum_all_stuck_is_even() -> None:
    state = Curriculum(types=(TypeRecord("factual", 5), TypeRecord("temporal", 5)))
    assert type_shares(state, WIKIPEDIA) == (("factual", 0.5), ("temporal", 0.5))


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 20])
def test_curriculum_choice_keeps_to_shares_and_level(level: str, n: int) -> None:
    state = Curriculum(level=level, types=(TypeRecord("causal", 9, 9, (1.0,) * 9), TypeRecord("temporal", 5)))
    for seed in range(50):
        chosen = Counter(choose_types(state, WIKIPEDIA, n, Random(seed)))
        assert chosen.total() == n
        assert set(chosen) <= {kind.name for kind in WIKIPEDIA.at_level(level)}
        assert all(abs(chosen[name] - share * n) < 1 for name, share in type_shares(state, WIKIPEDIA))


def test_curriculum_choice_is_seeded_and_shuffled() -> None:
    state = Curriculum(level="medium")
    assert choose_types(state, WIKIPEDIA, 8, Random(3)) == choose_types(state, WIKIPEDIA, 8, Random(3))
    orders = {choose_types(state, WIKIPEDIA, 8, Random(seed)) for seed in range(20)}
    assert len(orders) == 20
    assert all(Counter(order) == dict.fromkeys(("factual", "temporal", "causal", "comparative"), 2) for order in orders)

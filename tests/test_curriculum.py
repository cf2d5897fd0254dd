from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import ANY

import pytest

from drzero.loop.curriculum import (
    after_episode,
    after_iteration,
    choose_types,
    iterations_needed,
    move,
    pull,
    replay,
    struggle,
    stuck_types,
    type_shares,
)
from drzero.profiles import load_profile
from drzero.types import LEVELS, Curriculum, Episode, Evaluation, TypeRecord
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
    assert state == Curriculum(scores=(0.0,), types=(TypeRecord("factual", 1, 0, (0.0,), 1),))


def test_curriculum_proposal_that_never_reached_the_solver_is_a_try_only() -> None:
    state = after_episode(Curriculum(), make_episode(status="invalid", attempts=(), best=-1))
    assert state == Curriculum(types=(TypeRecord("factual", 1, 0, (), 1),))


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
    assert after == Curriculum(level=level_after, iterations=iterations, scores=scores_after, crossings=after.crossings)
    assert sum(after.crossings) == (level_after != level)


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


def test_curriculum_error_in_an_episode_counts_as_nothing() -> None:
    failed = make_episode(status="invalid", reason="failure: ValueError", attempts=(), best=-1)
    assert after_episode(Curriculum(), failed) == Curriculum()


# --- a level that does not go to and fro ---

GOOD, FAIR, BAD = [solved(1.0)] * 3, [solved(0.6)] * 3, [solved(0.0)] * 3


def levels(iterations: list[list[Episode]], state: Curriculum | None = None) -> str:
    """The first letter of the level after each iteration."""
    state, path = state or Curriculum(), ""
    for episodes in iterations:
        state = replay(state, [episodes])
        path += state.level[0]
    return path


def test_curriculum_border_is_crossed_at_once_both_ways_and_then_with_care() -> None:
    assert levels([GOOD, BAD]) == "me"
    up_needs_two = [GOOD, BAD, GOOD, GOOD]
    assert levels(up_needs_two) == "meem"
    down_needs_two = [*up_needs_two, BAD, BAD]
    assert levels(down_needs_two) == "meemme"
    assert levels([*down_needs_two, *[GOOD] * 4]) == "meemmeeeem"
    assert levels([GOOD, BAD] * 6, Curriculum(hold=1)) == "me" * 6  # one iteration is believed every time


def test_curriculum_without_hold_is_the_plain_rule() -> None:
    """With `hold = 1` the thresholds alone decide, whatever was crossed before, but at the ends."""
    rng, state = Random(5), Curriculum(hold=1)
    level, window = 0, list[float]()
    for _ in range(2000):
        episodes = [solved(rng.choice((0.0, 0.25, 0.625, 1.0, 1.0))) for _ in range(rng.randint(0, 5))]
        state = replay(state, [episodes])
        window = [*window, *(best.evaluation.overall for best in (one.attempts[one.best] for one in episodes))][-10:]
        if len(window) >= 3:
            average = sum(window) / len(window)
            if average >= 0.75 or average <= 0.40:
                level = min(3, level + 1) if average >= 0.75 else max(0, level - 1)
                window = []
        assert (state.level, list(state.scores)) == (LEVELS[level], pytest.approx(window))


def test_curriculum_what_an_iteration_says_must_be_said_in_a_row() -> None:
    assert levels([GOOD, BAD, GOOD, FAIR, GOOD, FAIR, GOOD, GOOD]) == "meeeeeem"
    assert levels([GOOD, BAD, GOOD, BAD, GOOD, GOOD]) == "meeeem"


def test_curriculum_other_borders_are_crossed_at_once_still() -> None:
    assert levels([GOOD, BAD, GOOD, GOOD, GOOD, GOOD]) == "meemhe"


def test_curriculum_iterations_needed() -> None:
    def needed(step: int, hold: int = 16) -> list[int]:
        states = (Curriculum(level="medium", crossings=(n, n, 0), hold=hold) for n in range(12))
        return [iterations_needed(state, step) for state in states]

    assert needed(1) == [1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 16, 16]
    assert needed(-1) == [1, 1] + [2] * 10
    assert needed(1, 3) == [1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3]
    assert needed(-1, 1) == [1] * 12


def test_curriculum_leaning_is_judged_by_scores_of_its_own() -> None:
    state = replay(Curriculum(crossings=(2, 0, 0)), [GOOD])
    assert (state.level, state.leaning, state.scores) == ("easy", 1, ())
    assert replay(state, [[solved(1.0)] * 2]).leaning == 1  # fewer than three scores say nothing
    assert replay(state, [FAIR]).leaning == 0
    assert replay(state, [GOOD]) == Curriculum("medium", types=ANY, crossings=(3, 0, 0))


def test_curriculum_move_crosses_a_border() -> None:
    state = Curriculum(level="medium", iterations=3, scores=(0.5,), leaning=-1)
    assert move(state, 1) == Curriculum(level="hard", crossings=(0, 1, 0))
    assert move(state, -1) == Curriculum(level="easy", crossings=(1, 0, 0))
    assert move(replace(state, level="expert"), 1) == replace(state, level="expert")


# --- types ---


def test_curriculum_struggle() -> None:
    assert struggle(TypeRecord("x")) == 0.5
    assert struggle(TypeRecord("x", 9, 9, (1.0,) * 9)) == pytest.approx(0.05)
    assert struggle(TypeRecord("x", 9, 1, (0.0,) * 9)) == pytest.approx(0.95)


def test_curriculum_shares_are_even_at_first() -> None:
    assert type_shares(Curriculum(), WIKIPEDIA) == (("factual", 0.5), ("temporal", 0.5))


def test_curriculum_struggling_types_are_asked_more() -> None:
    state = Curriculum(types=(TypeRecord("factual", 9, 9, (1.0,) * 9), TypeRecord("temporal", 9, 1, (0.0,) * 9)))
    doubt = 0.25 * math.sqrt(math.log(1 + 18) / (1 + 9))
    assert type_shares(state, WIKIPEDIA) == (
        ("factual", pytest.approx(0.25 + 0.5 * (0.05 + doubt) / (1 + 2 * doubt))),
        ("temporal", pytest.approx(0.25 + 0.5 * (0.95 + doubt) / (1 + 2 * doubt))),
    )


def test_curriculum_pull_is_struggle_and_doubt() -> None:
    assert pull(TypeRecord("x"), 0) == 0.5
    assert pull(TypeRecord("x", 9, 9, (1.0,) * 9), 99) == pytest.approx(0.05 + 0.25 * math.sqrt(math.log(100) / 10))
    assert pull(TypeRecord("x", 99, 99, (1.0,) * 9), 99) == pytest.approx(0.05 + 0.25 * math.sqrt(math.log(100) / 100))


def test_curriculum_of_types_as_hard_the_one_tried_less_is_asked_more() -> None:
    state = Curriculum(types=(TypeRecord("factual", 40, 20, (0.5,) * 10), TypeRecord("temporal", 2, 1, (0.5,) * 2)))
    (_, factual), (_, temporal) = type_shares(state, WIKIPEDIA)
    assert temporal > factual > 0.25
    assert factual + temporal == pytest.approx(1)


def test_curriculum_resting_types_are_not_asked() -> None:
    state = Curriculum(level="medium")
    assert dict(type_shares(state, WIKIPEDIA, ["factual", "causal"])) == {"temporal": 0.5, "comparative": 0.5}
    assert set(choose_types(state, WIKIPEDIA, 9, Random(1), ["factual", "causal"])) == {"temporal", "comparative"}
    every = [kind.name for kind in WIKIPEDIA.at_level("medium")]
    assert type_shares(state, WIKIPEDIA, every) == type_shares(state, WIKIPEDIA)


def test_curriculum_stuck_types_are_reported_and_asked_at_the_floor() -> None:
    state = Curriculum(
        types=(TypeRecord("factual", 5, 0, (0.0,)), TypeRecord("temporal", 4, 0), TypeRecord("causal", 9, 1))
    )
    assert stuck_types(state) == ("factual",)
    assert stuck_types(Curriculum(types=(TypeRecord("x", 30, 9, (), 10), TypeRecord("y", 30, 9, (), 9)))) == ("x",)
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

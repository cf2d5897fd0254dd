"""The curriculum with solvers whose skill is known: it finds their level and stays there. 240 runs of 40 iterations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

import pytest

from drzero.loop.curriculum import WINDOW, after_episode, after_iteration, choose_types
from drzero.profiles import load_profile
from drzero.types import LEVELS, Curriculum, Evaluation
from tests.samples import ATTEMPT, make_episode

RUNS, ITERATIONS, CHALLENGES = 240, 40, 10
SETTLED_BY = 12  # iterations after which a run must have found its level

Skill = tuple[float, float, float, float]  # probability that a challenge of each level is accepted

# (skill, the hardest level whose average lies above the threshold of demotion)
STEADY: dict[str, tuple[Skill, str]] = {
    "beginner": ((0.30, 0.10, 0.05, 0.00), "easy"),
    "fair": ((0.60, 0.20, 0.10, 0.05), "easy"),
    "medium": ((0.97, 0.60, 0.15, 0.05), "medium"),
    "cliff after medium": ((0.97, 0.92, 0.25, 0.05), "medium"),
    "hard": ((0.98, 0.92, 0.60, 0.10), "hard"),
    "expert": ((0.99, 0.97, 0.94, 0.60), "expert"),
    "master": ((0.99, 0.98, 0.97, 0.95), "expert"),
}


def simulate(skill: Skill, seed: int, *, hold: int = 16, reached: float = 1.0) -> list[str]:
    """The level of each iteration of a solver who is accepted with the probabilities of `skill`.

    `reached` is the share of challenges that reach the solver. An accepted answer scores between 0.85 and 1.
    """
    rng, state, path = Random(seed), Curriculum(hold=hold), []
    for _ in range(ITERATIONS):
        path.append(state.level)
        chance = skill[LEVELS.index(state.level)]
        scores = [
            rng.uniform(0.85, 1.0) if rng.random() < chance else 0.0
            for _ in range(CHALLENGES)
            if rng.random() < reached
        ]
        state = after_iteration(replace(state, scores=(*state.scores, *scores)[-WINDOW:]))
    return path


@cache
def simulated(name: str, hold: int, reached: float) -> tuple[list[str], ...]:
    return tuple(simulate(STEADY[name][0], seed, hold=hold, reached=reached) for seed in range(RUNS))


def late(paths: Sequence[list[str]]) -> Counter[str]:
    """How often each level was asked at once a run could have settled."""
    return Counter(level for path in paths for level in path[SETTLED_BY:])


def moves(paths: Sequence[list[str]]) -> float:
    """Moves of the level in ten iterations, once a run could have settled."""
    changes = sum(a != b for path in paths for a, b in zip(path[SETTLED_BY:], path[SETTLED_BY + 1 :], strict=False))
    return 10 * changes / (len(paths) * (ITERATIONS - SETTLED_BY - 1))


def flaps(paths: Sequence[list[str]]) -> float:
    """Moves that are taken back by the very next iteration, in ten iterations."""
    found = sum(
        a != b and a == c
        for path in paths
        for a, b, c in zip(path[SETTLED_BY:], path[SETTLED_BY + 1 :], path[SETTLED_BY + 2 :], strict=False)
    )
    return 10 * found / (len(paths) * (ITERATIONS - SETTLED_BY - 2))


@pytest.mark.parametrize("reached", [1.0, 0.5])
@pytest.mark.parametrize("name", STEADY)
def test_curriculum_settles_at_the_level_of_a_solver(name: str, reached: float) -> None:
    paths = simulated(name, 16, reached)
    asked = late(paths)
    right = STEADY[name][1]
    assert asked.most_common(1)[0][0] == right
    assert asked[right] / asked.total() >= 0.7
    beside = LEVELS[max(LEVELS.index(right) - 1, 0) : LEVELS.index(right) + 2]
    assert sum(asked[level] for level in beside) / asked.total() >= 0.99
    first = sorted(path.index(right) if right in path else ITERATIONS for path in paths)
    assert first[int(0.95 * RUNS)] <= SETTLED_BY


@pytest.mark.parametrize("reached", [1.0, 0.5])
@pytest.mark.parametrize("name", STEADY)
def test_curriculum_does_not_flap(name: str, reached: float) -> None:
    paths = simulated(name, 16, reached)
    assert moves(paths) <= 1.5
    assert flaps(paths) <= 0.25


@pytest.mark.parametrize("name", ["medium", "hard", "cliff after medium"])
def test_curriculum_hold_is_what_keeps_it_from_flapping(name: str) -> None:
    plain, steady = simulated(name, 1, 1.0), simulated(name, 16, 1.0)
    assert moves(plain) > 3.5
    assert moves(steady) < moves(plain) / 2.5
    assert flaps(steady) < flaps(plain) / 5


def test_curriculum_follows_a_solver_who_learns() -> None:
    weak, strong = STEADY["medium"][0], STEADY["expert"][0]
    arrived = 0
    for seed in range(RUNS):
        rng, state = Random(seed), Curriculum()
        for iteration in range(2 * ITERATIONS):
            skill = weak if iteration < ITERATIONS else strong
            chance = skill[LEVELS.index(state.level)]
            scores = tuple(0.95 if rng.random() < chance else 0.0 for _ in range(CHALLENGES))
            state = after_iteration(replace(state, scores=(*state.scores, *scores)[-WINDOW:]))
        arrived += state.level == "expert"
    assert arrived / RUNS >= 0.8


# --- types ---


@dataclass(frozen=True)
class Asked:
    """How a simulated run spread its challenges over the types of a level."""

    shares: dict[str, float]
    first: dict[str, float]


def spread(chances: dict[str, float], seed: int) -> Asked:
    """Thirty iterations at one level of a solver who is accepted by type with the probabilities of `chances`."""
    profile, rng = load_profile("wikipedia"), Random(seed)
    state, asked, first = Curriculum(level="medium"), Counter[str](), Counter[str]()
    for number in range(30):
        for kind in choose_types(state, profile, CHALLENGES, Random(f"{seed}/{number}")):
            done = rng.random() < chances[kind]
            status = "accepted" if done else "quarantined"
            one = replace(ATTEMPT, evaluation=Evaluation((), 0.95, ""))
            state = after_episode(state, make_episode(type=kind, status=status, attempts=(one,), best=0))
            asked[kind] += 1
            first[kind] += number < 3
    return Asked({k: n / 300 for k, n in asked.items()}, {k: n / 30 for k, n in first.items()})


def test_curriculum_asks_struggling_types_more_and_every_type_at_the_floor() -> None:
    chances = {"factual": 0.95, "temporal": 0.9, "causal": 0.3, "comparative": 0.6}
    for seed in range(20):
        shares = spread(chances, seed).shares
        assert shares["causal"] > max(shares["factual"], shares["temporal"]) * 1.4
        assert min(shares.values()) >= 0.125  # a quarter of the floor
    mean = {name: sum(spread(chances, seed).shares[name] for seed in range(20)) / 20 for name in chances}
    assert mean["causal"] > mean["comparative"] > mean["temporal"] > 0.15


def test_curriculum_does_not_hammer_a_type_that_never_succeeds() -> None:
    chances = {"factual": 0.9, "temporal": 0.6, "causal": 0.0, "comparative": 0.6}
    for seed in range(20):
        asked = spread(chances, seed)
        assert asked.shares["causal"] < 0.2 < asked.first["causal"] + 0.05

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from drzero.loop.controller import REMEDIES, Action, State, Vitals, decide, together, vitals_of
from drzero.types import LEVELS, Episode
from tests.samples import ATTEMPT, SILENT, make_episode

STATE = State(level="medium", types=("factual", "causal"), dry=2, wider=2)
REPEATS = Vitals(episodes=10, proposals=20, copies=11, solved=2, types=(("factual", 6), ("causal", 4)))
UNSOLVED = Vitals(episodes=10, proposals=20, copies=2, solved=5, types=(("factual", 4), ("causal", 6)))
NOTHING_FOUND = Vitals(episodes=10, proposals=80, copies=2, solved=1, types=(("causal", 6), ("factual", 4)))


def refused(reason: str = "not-answerable", **refusals: int) -> Episode:
    """An episode of which no proposal passed the gates."""
    counts = tuple((name.replace("_", "-"), count) for name, count in refusals.items())
    return make_episode(status="rejected", reason=reason, challenge=None, attempts=(), best=-1, rejections=counts)


def unsolved(**changes: object) -> Episode:
    return make_episode(status="quarantined", reason="abstained", attempts=(SILENT,), best=0, rejections=(), **changes)


# --- vitals ---


def test_controller_vitals_count_what_episodes_came_to() -> None:
    episodes = [
        make_episode(attempts=(ATTEMPT,), best=0, rejections=(("near-copy", 1),)),
        refused(near_copy=3, not_answerable=2),
        unsolved(type="causal"),
        make_episode(attempts=(ATTEMPT,), best=0, rejections=()),
    ]
    vitals = vitals_of(episodes)
    assert vitals == Vitals(
        episodes=4,
        proposals=9,
        copies=4,
        solved=3,
        accepted=2,
        types=(("factual", 3), ("causal", 1)),
        last_error="abstained",
    )
    assert (vitals.acceptance, vitals.solve_rate, vitals.novelty) == (0.5, 2 / 3, 1 - 4 / 9)


def test_controller_vitals_of_nothing_are_shares_all_the_same() -> None:
    assert vitals_of([]) == Vitals()
    assert (Vitals().acceptance, Vitals().solve_rate, Vitals().novelty) == (0.0, 0.0, 1.0)
    assert vitals_of([refused()]).novelty == 1.0


def test_controller_vitals_together_are_those_of_all_episodes() -> None:
    first, second = [refused(near_copy=3), unsolved(type="causal")], [make_episode(), refused("no-seed")]
    assert together([vitals_of(first), vitals_of(second)]) == vitals_of([*first, *second])
    assert together([vitals_of(first), vitals_of([make_episode()])]).last_error == "abstained"
    assert together([]) == Vitals()


# --- actions ---


@pytest.mark.parametrize(("dry", "patience"), [(0, 1), (1, 2), (2, 3), (4, 5)])
def test_controller_waits_for_as_long_as_it_has_patience(dry: int, patience: int) -> None:
    assert decide(REPEATS, replace(STATE, dry=dry, patience=patience)) == Action("go-on")
    assert decide(REPEATS, replace(STATE, dry=patience, patience=patience)).kind != "go-on"


def test_controller_repeats_call_for_other_passages() -> None:
    assert decide(REPEATS, STATE) == Action(
        "widen-topic",
        "2 iterations brought no new entry, 11 of 20 proposals repeat what was asked: challenges are drawn from more "
        "passages about the topic.",
    )
    assert decide(REPEATS, replace(STATE, wider=0)) == Action(
        "change-type",
        "2 iterations brought no new entry, 11 of 20 proposals repeat what was asked: factual rests for 3 iterations.",
        "factual",
    )
    assert decide(REPEATS, replace(STATE, wider=0, types=("factual",))) == Action(
        "raise-level",
        "2 iterations brought no new entry, 11 of 20 proposals repeat what was asked: the level goes from medium to "
        "hard.",
    )


def test_controller_unsolved_challenges_call_for_easier_ones() -> None:
    assert decide(UNSOLVED, replace(STATE, dry=1, patience=1)) == Action(
        "lower-level",
        "1 iteration brought no new entry, 5 of 10 challenges were asked and none was solved: the level goes from "
        "medium to easy.",
    )
    assert decide(UNSOLVED, replace(STATE, level="easy")).subject == "causal"


def test_controller_challenges_that_are_not_found_call_for_another_type() -> None:
    assert decide(NOTHING_FOUND, STATE) == Action(
        "change-type",
        "2 iterations brought no new entry, 9 of 10 challenges found no good question: causal rests for 3 iterations.",
        "causal",
    )
    assert decide(NOTHING_FOUND, replace(STATE, types=("causal",))).kind == "widen-topic"
    assert decide(NOTHING_FOUND, replace(STATE, types=("causal",), wider=0)).kind == "lower-level"
    assert decide(NOTHING_FOUND, replace(STATE, types=("causal",), wider=0, level="easy")).kind == "raise-level"


def test_controller_takes_back_a_level_raised_in_vain_but_not_one_lowered() -> None:
    state = replace(STATE, types=("causal",), wider=0)
    assert decide(NOTHING_FOUND, replace(state, tried=("raise-level",))).kind == "lower-level"
    assert decide(NOTHING_FOUND, replace(state, tried=("lower-level",))).kind == "stalled"


def test_controller_lowers_a_level_at_which_nothing_can_be_asked_at_once_and_again() -> None:
    barren = replace(STATE, level="hard", dry=1, patience=3, barren=True)
    lowered = Action("lower-level", "No passage offers a challenge at level hard: the level goes from hard to medium.")
    assert decide(Vitals(episodes=5), barren) == lowered
    assert decide(Vitals(episodes=5), replace(barren, tried=("lower-level", "stalled"))) == lowered
    assert decide(Vitals(episodes=5), replace(barren, level="easy")) == Action("go-on")
    assert decide(Vitals(episodes=5), replace(barren, barren=False)) == Action("go-on")


def test_controller_of_types_asked_alike_the_first_rests() -> None:
    even = replace(NOTHING_FOUND, types=(("causal", 5), ("factual", 5)))
    assert decide(even, STATE).subject == "factual"
    assert decide(replace(NOTHING_FOUND, types=()), STATE).subject == "factual"


@pytest.mark.parametrize("vitals", [REPEATS, UNSOLVED, NOTHING_FOUND, Vitals()])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("wider", [0, 2])
def test_controller_tries_nothing_twice_and_then_says_that_it_has_stalled(
    vitals: Vitals, level: str, wider: int
) -> None:
    state = replace(STATE, level=level, wider=wider)
    for _ in range(len(REMEDIES)):
        action = decide(vitals, state)
        if action.kind == "stalled":
            break
        assert action.kind in REMEDIES
        assert action.kind not in state.tried
        state = replace(state, dry=state.dry + 1, tried=(*state.tried, action.kind))
    stalled = decide(vitals, state)
    assert stalled == Action(
        "stalled",
        f"{state.dry} iterations brought no new entry, and nothing is left to change: the run goes on as it is.",
    )
    assert decide(vitals, replace(state, tried=(*state.tried, "stalled"))) == Action("go-on")
    assert decide(vitals, replace(state, until_stalled=True)) == Action(
        "stop", f"{state.dry} iterations brought no new entry, and nothing is left to change: the run has stalled."
    )


def test_controller_says_the_same_of_the_same_and_always_gives_a_reason() -> None:
    rng, kinds = Random(5), Counter[str]()
    for _ in range(500):
        solved = rng.randrange(11)
        vitals = Vitals(10, rng.randrange(10, 80), rng.randrange(10), solved, 0, (("causal", 5), ("factual", 5)))
        tried = tuple(rng.sample((*REMEDIES, "stalled"), rng.randrange(5)))
        state = State(rng.choice(LEVELS), ("factual", "causal"), rng.randrange(5), tried, rng.randrange(3), 2)
        action = decide(vitals, state)
        assert action == decide(vitals, state)
        assert bool(action.reason) == (action.kind != "go-on")
        assert not action.reason or action.reason.endswith(".")
        assert bool(action.subject) == (action.kind == "change-type")
        kinds[action.kind] += 1
    assert set(kinds) == {"go-on", "stalled", *REMEDIES}

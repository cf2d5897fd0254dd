"""What to ask next: levels that rise and fall with the scores, and types weighted by how hard they prove (pure)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from random import Random
from statistics import fmean

from drzero.loop.levels import moved
from drzero.loop.metrics import best_attempt, clamp
from drzero.profiles import Profile
from drzero.types import LEVELS, Curriculum, Episode, TypeRecord

WINDOW = 10  # scores kept, of the level and of each type
MIN_SCORES = 3  # below this many at the level nothing moves
STUCK_TRIES = 5  # a type with so many tries and nothing accepted is reported, and asked at the floor only
FLOOR_SHARE = 0.5  # of the challenges, spread evenly over the types; the rest goes where the struggle is
FAILURE = "failure"  # begins the reason of an episode that an unexpected error ended: it says nothing of its type
DOUBT = 0.25  # how much a type gains in the choice by having been tried little


def after_episode(state: Curriculum, episode: Episode) -> Curriculum:
    """Record one episode: its reward in the level's window, and in its type's record.

    The reward is the best attempt's overall score if the episode was accepted, else 0.0. It is recorded once for each
    challenge that reached the solver; a proposal that did not counts as a try of its type and nothing more. An episode
    that an unexpected error ended counts as nothing.
    """
    if episode.reason.startswith(FAILURE):
        return state
    scores: tuple[float, ...] = ()
    accepted = episode.status == "accepted"
    if episode.attempts:
        best = best_attempt(episode)
        scores = (clamp(best.evaluation.overall) if best and accepted else 0.0,)
    record = _record(state, episode.type)
    record = TypeRecord(
        name=record.name,
        tries=record.tries + 1,
        accepted=record.accepted + accepted,
        scores=(*record.scores, *scores)[-WINDOW:],
        dry=0 if accepted else record.dry + 1,
    )
    known = any(kept.name == record.name for kept in state.types)
    types = tuple(record if kept.name == record.name else kept for kept in state.types)
    return replace(state, scores=(*state.scores, *scores)[-WINDOW:], types=types if known else (*types, record))


def after_iteration(state: Curriculum) -> Curriculum:
    """Close an iteration: with at least `MIN_SCORES` scores at the level, their average may move it by one.

    Average ≥ promotion → up, ≤ demotion → down, and the window starts afresh. At the easiest and hardest level there is
    nowhere to go: the level stays, its count of iterations goes on, and the window starts afresh all the same, so that
    a long bad (or good) spell is judged once and does not outweigh what comes after it.

    A border that was crossed up and down already is crossed again only when `iterations_needed` of them in a row say
    so, each by scores of its own: ten scores are a coin's throw for a solver between the thresholds, and one that
    masters a level but not the next would go to and fro for ever.
    """
    state = replace(state, iterations=state.iterations + 1)
    if len(state.scores) < MIN_SCORES:
        return state
    average = fmean(state.scores)
    step = 1 if average >= state.promotion - 1e-9 else -1 if average <= state.demotion + 1e-9 else 0
    if not step:
        return replace(state, leaning=0)
    if moved(state.level, step) == state.level:
        return replace(state, scores=(), leaning=0)
    leaning = step + (state.leaning if state.leaning * step > 0 else 0)
    if abs(leaning) < iterations_needed(state, step):
        return replace(state, scores=(), leaning=leaning)
    return move(state, step)


def iterations_needed(state: Curriculum, step: int) -> int:
    """How many iterations in a row must speak for a move up (`step` 1) or down (-1): 1 for a border's first two.

    From then on two for the way down, and for the way up twice as many after each fall, `state.hold` at most.
    """
    crossed = state.crossings[_border(state.level, step)]
    if crossed < 2:
        return 1
    return min(2 ** (crossed // 2) if step > 0 else 2, state.hold)


def move(state: Curriculum, step: int) -> Curriculum:
    """The state one level up (`step` 1) or down (-1), its window afresh; the same state where there is none."""
    level = moved(state.level, step)
    if level == state.level:
        return state
    border = _border(state.level, step)
    crossings = tuple(count + (number == border) for number, count in enumerate(state.crossings))
    return replace(state, level=level, iterations=0, scores=(), crossings=crossings, leaning=0)


def _border(level: str, step: int) -> int:
    """The number of the border between `level` and the one `step` from it, 0 for the easiest."""
    return min(LEVELS.index(level), LEVELS.index(moved(level, step)))


def choose_types(
    state: Curriculum, profile: Profile, n: int, rng: Random, resting: Collection[str] = ()
) -> tuple[str, ...]:
    """The types of the next `n` challenges, in random order: those of the level, in proportion to `type_shares`.

    Drawn at even steps from one random start, so each type comes its share of times, rounded up or down.
    """
    shares = type_shares(state, profile, resting)
    chosen: list[str] = []
    start, total = rng.random(), 0.0
    for name, share in shares:
        total += share * n
        while len(chosen) + start < total and len(chosen) < n:
            chosen.append(name)
    chosen += [shares[-1][0]] * (n - len(chosen))
    rng.shuffle(chosen)
    return tuple(chosen)


def type_shares(state: Curriculum, profile: Profile, resting: Collection[str] = ()) -> tuple[tuple[str, float], ...]:
    """The share of challenges for each type of the level, summing to 1; those `resting` are left out, unless all are.

    Each type has an even part of `FLOOR_SHARE`; the rest is split by `pull`, and stuck types get none of it.
    """
    every = [kind.name for kind in profile.at_level(state.level)]
    names = [name for name in every if name not in resting] or every
    stuck = stuck_types(state)
    total_tries = sum(_record(state, name).tries for name in names)
    pulls = [0.0 if name in stuck else pull(_record(state, name), total_tries) for name in names]
    total = sum(pulls)
    spare = 1 - FLOOR_SHARE if total > 0 else 0.0
    floor = (1 - spare) / len(names)
    return tuple(
        (name, floor + (spare * part / total if total > 0 else 0.0)) for name, part in zip(names, pulls, strict=True)
    )


def struggle(record: TypeRecord) -> float:
    """How hard a type proves in (0,1): 1 − its average recent score, with one score of 0.5 added for doubt."""
    return 1 - (sum(record.scores) + 0.5) / (len(record.scores) + 1)


def pull(record: TypeRecord, total_tries: int) -> float:
    """What draws challenges to a type, above 0: its struggle, and more the less it was tried among `total_tries`.

    An upper confidence bound as of a bandit's arm (Auer, Cesa-Bianchi and Fischer, 2002):
    struggle + `DOUBT` · √(ln(1 + total tries) / (1 + tries)).
    """
    return struggle(record) + DOUBT * math.sqrt(math.log(1 + total_tries) / (1 + record.tries))


def stuck_types(state: Curriculum) -> tuple[str, ...]:
    """Types that do not succeed: `STUCK_TRIES` tries and never an acceptance, or twice as many since the last."""
    return tuple(
        record.name
        for record in state.types
        if (record.accepted == 0 and record.tries >= STUCK_TRIES) or record.dry >= 2 * STUCK_TRIES
    )


def replay(state: Curriculum, iterations: Sequence[Sequence[Episode]]) -> Curriculum:
    """The state after whole iterations of episodes, from `state`."""
    for episodes in iterations:
        for episode in episodes:
            state = after_episode(state, episode)
        state = after_iteration(state)
    return state


def _record(state: Curriculum, name: str) -> TypeRecord:
    return next((record for record in state.types if record.name == name), TypeRecord(name))

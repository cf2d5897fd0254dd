"""What to ask next: levels that rise and fall with the scores, and types weighted by how hard they prove (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from statistics import fmean

from drzero.loop.metrics import best_attempt, clamp
from drzero.profiles import Profile
from drzero.types import LEVELS, Curriculum, Episode, TypeRecord

WINDOW = 10  # scores kept, of the level and of each type
MIN_SCORES = 3  # below this many at the level nothing moves
STUCK_TRIES = 5  # a type with so many tries and nothing accepted is reported, and asked at the floor only
FLOOR_SHARE = 0.5  # of the challenges, spread evenly over the types; the rest goes where the struggle is


def after_episode(state: Curriculum, episode: Episode) -> Curriculum:
    """Record one episode: its reward in the level's window, and in its type's record.

    The reward is the best attempt's overall score if the episode was accepted, else 0.0. It is recorded once for each
    challenge that reached the solver; a proposal that did not counts as a try of its type and nothing more.
    """
    scores: tuple[float, ...] = ()
    if episode.attempts:
        best = best_attempt(episode)
        scores = (clamp(best.evaluation.overall) if best and episode.status == "accepted" else 0.0,)
    record = _record(state, episode.type)
    record = TypeRecord(
        name=record.name,
        tries=record.tries + 1,
        accepted=record.accepted + (episode.status == "accepted"),
        scores=(*record.scores, *scores)[-WINDOW:],
    )
    known = any(kept.name == record.name for kept in state.types)
    types = tuple(record if kept.name == record.name else kept for kept in state.types)
    return replace(state, scores=(*state.scores, *scores)[-WINDOW:], types=types if known else (*types, record))


def after_iteration(state: Curriculum) -> Curriculum:
    """Close an iteration: with at least `MIN_SCORES` scores at the level, their average may move it by one.

    Average ≥ promotion → up, ≤ demotion → down, and the window starts afresh. At the easiest and hardest level there is
    nowhere to go: the level stays, its count of iterations goes on, and the window starts afresh all the same, so that
    a long bad (or good) spell is judged once and does not outweigh what comes after it.
    """
    state = replace(state, iterations=state.iterations + 1)
    if len(state.scores) < MIN_SCORES:
        return state
    average = fmean(state.scores)
    step = 1 if average >= state.promotion - 1e-9 else -1 if average <= state.demotion + 1e-9 else 0
    if not step:
        return state
    at = LEVELS.index(state.level)
    level = LEVELS[min(max(at + step, 0), len(LEVELS) - 1)]
    return replace(state, level=level, iterations=0 if level != state.level else state.iterations, scores=())


def choose_types(state: Curriculum, profile: Profile, n: int, rng: Random) -> tuple[str, ...]:
    """The types of the next `n` challenges, in random order: those of the level, in proportion to `type_shares`.

    Drawn at even steps from one random start, so each type comes its share of times, rounded up or down.
    """
    shares = type_shares(state, profile)
    chosen: list[str] = []
    start, total = rng.random(), 0.0
    for name, share in shares:
        total += share * n
        while len(chosen) + start < total and len(chosen) < n:
            chosen.append(name)
    chosen += [shares[-1][0]] * (n - len(chosen))
    rng.shuffle(chosen)
    return tuple(chosen)


def type_shares(state: Curriculum, profile: Profile) -> tuple[tuple[str, float], ...]:
    """The share of challenges for each type of the level, summing to 1.

    Each type has an even part of `FLOOR_SHARE`; the rest is split by struggle, and stuck types get none of it.
    """
    names = [kind.name for kind in profile.at_level(state.level)]
    stuck = stuck_types(state)
    struggles = [0.0 if name in stuck else struggle(_record(state, name)) for name in names]
    total = sum(struggles)
    spare = 1 - FLOOR_SHARE if total > 0 else 0.0
    floor = (1 - spare) / len(names)
    return tuple(
        (name, floor + (spare * part / total if total > 0 else 0.0))
        for name, part in zip(names, struggles, strict=True)
    )


def struggle(record: TypeRecord) -> float:
    """How hard a type proves in (0,1): 1 − its average recent score, with one score of 0.5 added for doubt."""
    return 1 - (sum(record.scores) + 0.5) / (len(record.scores) + 1)


def stuck_types(state: Curriculum) -> tuple[str, ...]:
    """Types that never succeed: at least `STUCK_TRIES` tries and none accepted."""
    return tuple(record.name for record in state.types if record.tries >= STUCK_TRIES and record.accepted == 0)


def replay(state: Curriculum, iterations: Sequence[Sequence[Episode]]) -> Curriculum:
    """The state after whole iterations of episodes, from `state`."""
    for episodes in iterations:
        for episode in episodes:
            state = after_episode(state, episode)
        state = after_iteration(state)
    return state


def _record(state: Curriculum, name: str) -> TypeRecord:
    return next((record for record in state.types if record.name == name), TypeRecord(name))

"""One episode: a challenge from proposal to verdict. Returns it, never writes; what failed is recorded, not raised."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from drzero.loop import metrics
from drzero.loop.attempting import attempts_at, base_score, best_of
from drzero.loop.challenging import find_challenge
from drzero.loop.desk import Desk, Options, Slot, Tools
from drzero.loop.gates import READER_GATES
from drzero.loop.quotes import in_own_wording
from drzero.loop.standing import is_whole
from drzero.loop.trace import Trace
from drzero.text import content_id
from drzero.types import Attempt, Entry, Episode, EpisodeStatus


def run_episode(
    slot: Slot, tools: Tools, options: Options, known: Sequence[str], trace: Trace | None = None
) -> Episode:
    """Propose, gate, solve, verify and evaluate one challenge. `known` are all questions asked before.

    What it needs beside its steps to be run again is in its `conditions`, see `Desk`. `trace` is where it is recorded,
    a new one by default.
    """
    started = time.perf_counter()
    desk = Desk(slot, tools, options, known, trace)
    blank = _blank(desk)
    challenge, kind = find_challenge(desk)
    if challenge is None:
        reason = desk.refusals.most_common(1)[0][0] if desk.refusals else "no-seed"
        status: EpisodeStatus = "rejected" if READER_GATES & set(desk.refusals) else "invalid"
        episode = replace(blank, type=kind.name, status=status, reason=reason)
    else:
        attempts = attempts_at(desk, challenge)
        base = base_score(desk, challenge)
        episode = replace(
            blank,
            type=kind.name,
            challenge=challenge,
            attempts=attempts,
            base_score=base,
            gate_passed=True,
            **outcome(attempts, challenge.question),
        )
    episode = replace(
        episode,
        noise_tolerance=metrics.noise_tolerance(desk.trace.steps),
        rejections=tuple(sorted(desk.refusals.items())),
        steps=tuple(desk.trace.steps),
        chunks=tuple(desk.trace.chunks.values()),
        elapsed_s=time.perf_counter() - started,
    )
    return _measured(episode, options)


def outcome(attempts: Sequence[Attempt], question: str) -> dict[str, Any]:
    """What the attempts at a challenge, at least one, make of its episode: status, reason, best and difficulty.

    The best is one that is verified and right where there is any; among these the solver's own choice (`best_of`).
    """
    good = [
        attempt.verdict.accepted and attempt.right and is_whole(attempt.answer.text, question) for attempt in attempts
    ]
    places = [place for place, one in enumerate(good) if one or not any(good)]
    best = places[best_of([attempts[place] for place in places], question)]
    return {
        "status": "accepted" if good[best] else "quarantined",
        "reason": "" if good[best] else _shortcoming(attempts[best]),
        "best": best,
        "difficulty": 1 - sum(good) / len(good),
    }


def _blank(desk: Desk) -> Episode:
    """The episode before anything has happened."""
    slot = desk.slot
    return Episode(
        id=content_id("episode", slot.run, slot.iteration, slot.number),
        run=slot.run,
        iteration=slot.iteration,
        number=slot.number,
        seed=slot.seed,
        profile=slot.profile.name,
        type=slot.kind.name,
        level=slot.level,
        status="invalid",
        reason="",
        challenge=None,
        attempts=(),
        best=-1,
        base_score=0.0,
        difficulty=1.0,
        noise_tolerance=0.0,
        gate_passed=False,
        rejections=(),
        metrics=(),
        steps=(),
        models=(("writer", desk.llm.id), ("entailment", desk.entailment.id)),
        elapsed_s=0.0,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        conditions=desk.conditions,
    )


def failed_episode(
    slot: Slot, tools: Tools, options: Options, reason: str, *, trace: Trace, elapsed_s: float
) -> Episode:
    """The episode of a challenge that an unexpected error ended: invalid, for that reason, with its `trace` so far."""
    blank = _blank(Desk(slot, tools, options, (), trace))
    steps, chunks = tuple(trace.steps), tuple(trace.chunks.values())
    return _measured(replace(blank, reason=reason, elapsed_s=elapsed_s, steps=steps, chunks=chunks), options)


def _measured(episode: Episode, options: Options) -> Episode:
    """The episode with its vector, and what that was at each stage."""
    frames = metrics.frames(episode, caps=options.caps)
    return replace(episode, metrics=metrics.vector(episode, caps=options.caps), frames=frames)


def _shortcoming(attempt: Attempt) -> str:
    """Why an attempt does not count, as one code."""
    if attempt.fault:
        return f"output-{attempt.fault}"
    if attempt.answer.abstained:
        return "not-found"  # in these archives, as far as searches go: no fault of a citation
    for judgement in attempt.verdict.judgements:
        if judgement.verdict != "supported":
            return f"{judgement.verdict}: {judgement.codes[0]}" if judgement.codes else judgement.verdict
    return "fragment" if attempt.right else "wrong"


def make_entry(episode: Episode, archives: Sequence[tuple[str, str, str]]) -> Entry | None:
    """The entry of an accepted episode, quotes in the articles' own wording; None for any other.

    `archives` are (zim_id, name, date).
    """
    if episode.status != "accepted" or episode.challenge is None:
        return None
    best = episode.attempts[episode.best]
    cited = {citation.zim_id for claim in best.answer.claims for citation in claim.citations}
    challenge = episode.challenge
    return Entry(
        id=content_id("entry", challenge.question),
        question=challenge.question,
        answer=best.answer.text,
        type=challenge.type,
        level=challenge.level,
        profile=challenge.profile,
        claims=tuple(in_own_wording(claim, best.passages) for claim in best.answer.claims),
        judgements=best.verdict.judgements,
        scores=best.evaluation.scores,
        overall=best.evaluation.overall,
        status="current",
        episode_id=episode.id,
        created_at=episode.created_at,
        archives=tuple(archive for archive in archives if archive[0] in cited),
        model=dict(episode.models).get("writer", ""),
    )

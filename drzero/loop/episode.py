"""One episode: a challenge from proposal to verdict. Returns it, never writes; what failed is recorded, not raised."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from drzero.loop import metrics
from drzero.loop.attempting import attempts_at, base_score
from drzero.loop.challenging import find_challenge
from drzero.loop.desk import Desk, Options, Slot, Tools
from drzero.loop.gates import READER_GATES
from drzero.loop.quotes import in_own_wording
from drzero.text import content_id
from drzero.types import Attempt, Entry, Episode, EpisodeStatus


def run_episode(slot: Slot, tools: Tools, options: Options, known: Sequence[str]) -> Episode:
    """Propose, gate, solve, verify and evaluate one challenge. `known` are all questions asked before."""
    started = time.perf_counter()
    desk = Desk(slot, tools, options, known)
    blank = _blank(desk)
    challenge, kind = find_challenge(desk)
    if challenge is None:
        reason = desk.refusals.most_common(1)[0][0] if desk.refusals else "no-seed"
        status: EpisodeStatus = "rejected" if READER_GATES & set(desk.refusals) else "invalid"
        episode = replace(blank, type=kind.name, status=status, reason=reason)
    else:
        attempts = attempts_at(desk, challenge)
        base = base_score(desk, challenge)
        good = [attempt.verdict.accepted and attempt.right for attempt in attempts]
        best = max(range(len(attempts)), key=lambda i: (good[i], attempts[i].evaluation.overall, -i))
        episode = replace(
            blank,
            type=kind.name,
            status="accepted" if good[best] else "quarantined",
            reason="" if good[best] else _shortcoming(attempts[best]),
            challenge=challenge,
            attempts=attempts,
            best=best,
            base_score=base,
            difficulty=1 - sum(good) / len(good),
            noise_tolerance=1.0,  # a challenge that fails among distractors never gets here
            gate_passed=True,
        )
    episode = replace(
        episode,
        rejections=tuple(sorted(desk.refusals.items())),
        steps=tuple(desk.trace.steps),
        elapsed_s=time.perf_counter() - started,
    )
    return replace(episode, metrics=metrics.vector(episode, caps=options.caps))


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
    )


def _shortcoming(attempt: Attempt) -> str:
    """Why an attempt does not count, as one code."""
    if attempt.answer.abstained:
        return "abstained"
    for judgement in attempt.verdict.judgements:
        if judgement.verdict != "supported":
            return f"{judgement.verdict}: {judgement.codes[0]}" if judgement.codes else judgement.verdict
    return "wrong"


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

"""Episode → its vector of fourteen numbers, `ssp.v1` (pure)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from drzero.text import token_f1, words
from drzero.types import LEVELS, Attempt, Episode, Evaluation, Step, Verdict

METRIC_VERSION = "ssp.v1"
METRIC_NAMES = (
    "ssp.reward",
    "ssp.verified",
    "ssp.curriculum_difficulty",
    "ssp.question_len",
    "ssp.answer_len",
    "ssp.evidence_count",
    "ssp.solver_steps",
    "ssp.best_score",
    "ssp.improvement",
    "ssp.search_turns",
    "ssp.f1_score",
    "ssp.format_compliance",
    "ssp.noise_tolerance",
    "ssp.rag_verification",
)
"""What they measure, each from 0 to 1; `base` is the score of an answer from memory, before anything was read:

- ssp.reward: the best attempt's overall score if the episode was accepted, else 0
- ssp.verified: 1 for an accepted episode
- ssp.curriculum_difficulty: the level, from 0 for easy to 1 for expert
- ssp.question_len: words of the question, as a share of `Caps.question_words`
- ssp.answer_len: words of the best answer, as a share of `Caps.answer_words`
- ssp.evidence_count: distinct chunks that the best answer cites, as a share of `Caps.evidence`
- ssp.solver_steps: searches and writings of the best attempt, as a share of `Caps.turns`
- ssp.best_score: the best attempt's overall score, accepted or not
- ssp.improvement: what reading gained over memory, (best score - base) / (1 - base); 0 where it lost
- ssp.search_turns: searches of the best attempt, as a share of `Caps.turns`
- ssp.f1_score: words that the best answer and the reference have in common (token F1)
- ssp.format_compliance: 1 where the writer's first output needed no repair and passed every rule of form
- ssp.noise_tolerance: how often a reader is right among distractors, for each time it is right without
- ssp.rag_verification: 1 where a proposal passed every gate

More is better but for level, lengths and counts, which only describe.
"""


@dataclass(frozen=True, slots=True)
class Caps:
    """The counts that are worth 1.0; what is more counts no more."""

    question_words: int = 80
    answer_words: int = 400
    evidence: int = 8
    turns: int = 12  # of solver steps and of searches


def vector(episode: Episode, *, caps: Caps | None = None) -> tuple[float, ...]:
    """The metric vector of `episode`, in the order of `METRIC_NAMES`, each in [0,1]; `episode.metrics` is not read.

    Everything of an attempt is of the best one, and 0.0 without any. Words are counted as `text.words` does.
    """
    caps = caps or Caps()
    challenge, best = episode.challenge, best_attempt(episode)
    accepted = episode.status == "accepted"
    answer = best.answer.text if best else ""
    best_score = clamp(best.evaluation.overall) if best else 0.0
    base = clamp(episode.base_score)
    values = (
        best_score if accepted else 0.0,
        float(accepted),
        LEVELS.index(episode.level) / (len(LEVELS) - 1) if episode.level in LEVELS else 0.0,
        _share(len(words(challenge.question)) if challenge else 0, caps.question_words),
        _share(len(words(answer)), caps.answer_words),
        _share(cited_chunks(best) if best else 0, caps.evidence),
        _share(best.steps if best else 0, caps.turns),
        best_score,
        (best_score - base) / max(1 - base, 1e-6) if best else 0.0,
        _share(len(best.queries) if best else 0, caps.turns),
        token_f1(answer, challenge.answer) if challenge and words(answer) else 0.0,
        float(format_compliant(episode)),
        episode.noise_tolerance,
        float(episode.gate_passed),
    )
    return tuple(clamp(value) for value in values)


STAGES = ("proposed", "gated", "solved", "verified")


def frames(episode: Episode, *, caps: Caps | None = None) -> tuple[tuple[float, ...], ...]:
    """What the vector was at the end of each of `STAGES`; () for a stage that was not reached.

    What a later stage finds out counts as the worst until then: no gate passed, nothing verified, every score 0.0.
    """
    stages = {step.stage for step in episode.steps}
    proposed = replace(
        episode, status="invalid", attempts=(), best=-1, base_score=0.0, gate_passed=False, noise_tolerance=0.0
    )
    gated = replace(proposed, gate_passed=episode.gate_passed, noise_tolerance=episode.noise_tolerance)
    unscored = tuple(
        replace(attempt, verdict=Verdict((), "unsupported"), evaluation=Evaluation((), 0.0, ""))
        for attempt in episode.attempts
    )
    solved = replace(gated, attempts=unscored, best=episode.best)
    reached = (True, episode.gate_passed or "gated" in stages, bool(episode.attempts), bool(episode.attempts))
    states = zip(reached, (proposed, gated, solved, episode), strict=True)
    return tuple(vector(state, caps=caps) if there else () for there, state in states)


def noise_tolerance(steps: Sequence[Step]) -> float:
    """How a reader of the evidence holds out among wrong evidence: right with distractors ÷ right without, in [0,1].

    The distractors are as many as the level wants, the setting's number or more. Counted are the steps "answerable" of
    the gates, over all proposals of the episode; 0.0 when never right,
    and when there was no distractor to be had.
    """
    told = [(step.inputs["distractors"] > 0, step.output) for step in steps if step.name == "answerable"]
    alone, among = (sum(1 for noisy, right in told if right and noisy is wanted) for wanted in (False, True))
    return clamp(among / alone) if alone else 0.0


def named(metrics: tuple[float, ...]) -> dict[str, float]:
    """A vector as a mapping from name to value; empty for an empty vector."""
    return dict(zip(METRIC_NAMES, metrics, strict=True)) if metrics else {}


def best_attempt(episode: Episode) -> Attempt | None:
    """The attempt that `episode.best` points to, None when there is none."""
    return episode.attempts[episode.best] if 0 <= episode.best < len(episode.attempts) else None


def cited_chunks(attempt: Attempt) -> int:
    """How many distinct chunks the attempt's claims cite."""
    return len({citation.chunk_id for claim in attempt.answer.claims for citation in claim.citations})


def format_compliant(episode: Episode) -> bool:
    """Whether the first output of the model needed no repair and passed every rule of form.

    It is the first step whose `output["well_formed"]` says so or not; a question must not have been refused for its
    form either, by the gate "malformed" or one of "output-…". False without any such step: nothing was written.
    """
    steps = iter(episode.steps)
    first = next((step for step in steps if isinstance(step.output, dict) and "well_formed" in step.output), None)
    if first is None or not first.output["well_formed"]:
        return False
    if not str(first.inputs.get("prompt", "")).startswith("ask"):
        return True
    proposal = next((step.output for step in steps if step.name == "proposal"), None)
    refusal = proposal["refusal"] if proposal else ""
    return refusal != "malformed" and not refusal.startswith("output-")


def clamp(value: float) -> float:
    """`value` within [0,1]; what is not a number is 0.0."""
    return 0.0 if math.isnan(value) else min(1.0, max(0.0, float(value)))


def _share(count: int, cap: int) -> float:
    return count / cap if cap > 0 else float(count > 0)

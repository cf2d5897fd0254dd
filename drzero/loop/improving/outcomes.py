"""The same challenges asked again under several states of what was learnt → figures, pair by pair (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drzero.loop.improving.paired import interval, mean, sign_test

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one challenge came out under one state.

    `solved` is verified and right; `score` the profile's overall score, 0 where it was not solved. `found` says whether
    all gold chunks were among the passages read. `believed` is the confidence in [0,1] after calibration. `proposed`
    says whether a question made of its gold chunk passed every gate; None where that was not tried. `tokens` are those
    of all prompts and answers.
    """

    challenge: str
    solved: bool
    right: bool
    supported: bool
    abstained: bool
    score: float
    found: bool
    confidence: float
    believed: float
    tokens: int
    proposed: bool | None = None


def compare_states(states: Mapping[str, Sequence[Outcome]]) -> Figures:
    """Figures of each state, and of each but the first against the first.

    Every state has the outcomes of the same challenges in the same order. Shares and means are over all challenges;
    `brier` is the mean of (believed − right)² over those answered, None without any. A comparison has the mean
    `difference` with its 95 % bootstrap interval (`low`, `high`), how many challenges `gained` and `lost`, and `p` of
    the exact sign test, which of "solved" is McNemar's. ValueError for states of different challenges.
    """
    names = list(states)
    asked = [[one.challenge for one in outcomes] for outcomes in states.values()]
    if any(one != asked[0] for one in asked):
        raise ValueError("states can only be compared on the same challenges, in the same order")
    base = states[names[0]]
    return {
        "n": len(base),
        "states": {name: state_figures(outcomes) for name, outcomes in states.items()},
        "against": names[0],
        "comparisons": {name: _compared(base, states[name]) for name in names[1:]},
    }


def state_figures(outcomes: Sequence[Outcome]) -> Figures:
    """Shares, means and the Brier score of one state."""
    errors = [(one.believed - one.right) ** 2 for one in outcomes if not one.abstained]
    proposed = [one.proposed for one in outcomes if one.proposed is not None]
    return {
        "solved": mean([one.solved for one in outcomes]),
        "score": mean([one.score for one in outcomes]),
        "right": mean([one.right for one in outcomes]),
        "supported": mean([one.supported for one in outcomes]),
        "abstained": mean([one.abstained for one in outcomes]),
        "found": mean([one.found for one in outcomes]),
        "brier": mean(errors) if errors else None,
        "proposed": mean(proposed) if proposed else None,
        "tokens": mean([one.tokens for one in outcomes]),
    }


def _compared(base: Sequence[Outcome], other: Sequence[Outcome]) -> Figures:
    pairs = list(zip(base, other, strict=True))
    measures: dict[str, list[float]] = {
        "solved": [float(b.solved) - a.solved for a, b in pairs],
        "score": [b.score - a.score for a, b in pairs],
        "found": [float(b.found) - a.found for a, b in pairs],
        "brier": [
            (b.believed - b.right) ** 2 - (a.believed - a.right) ** 2
            for a, b in pairs
            if not a.abstained and not b.abstained
        ],
        "proposed": [
            float(b.proposed) - a.proposed for a, b in pairs if a.proposed is not None and b.proposed is not None
        ],
    }
    return {name: _difference(differences) for name, differences in measures.items() if differences}


def _difference(differences: Sequence[float]) -> Figures:
    low, high = interval(differences)
    gained, lost = sum(one > 1e-9 for one in differences), sum(one < -1e-9 for one in differences)
    return {
        "difference": mean(differences),
        "low": low,
        "high": high,
        "gained": gained,
        "lost": lost,
        "p": sign_test(gained, lost),
    }

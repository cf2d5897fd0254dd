"""What a solver's own confidence is worth: a logistic map to the share of such answers that were right (pure)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_EDGE = 1e-6  # confidences beyond this of 0 and 1 are taken for as sure as this


@dataclass(frozen=True, slots=True)
class Trust:
    """P(right) = 1 / (1 + exp(−(intercept + slope · log-odds of the confidence))) (Platt 1999); `slope` ≥ 0."""

    slope: float
    intercept: float

    def apply(self, confidence: float) -> float:
        """The probability in [0,1] that an answer given with this confidence is right."""
        return 0.5 * (1 + math.tanh((self.intercept + self.slope * log_odds(confidence)) / 2))


@dataclass(frozen=True, slots=True)
class Trusted:
    """A fit and what it rests on: answers it was fitted to, and of those held out the Brier scores before and after."""

    trust: Trust
    answers: int
    held_out: int
    brier_before: float
    brier_after: float

    @property
    def better(self) -> bool:
        """Whether the held-out answers are judged better with it."""
        return self.brier_after < self.brier_before


def log_odds(confidence: float) -> float:
    """The log-odds of a confidence in [0,1], never infinite."""
    inside = min(max(confidence, _EDGE), 1 - _EDGE)
    return math.log(inside / (1 - inside))


def brier(answers: Sequence[tuple[float, bool]], trust: Trust | None = None) -> float:
    """The mean of (confidence − right)² over (confidence, right) pairs, at least one; lower is better."""
    said = [(trust.apply(confidence) if trust else confidence) - right for confidence, right in answers]
    return sum(error * error for error in said) / len(said)

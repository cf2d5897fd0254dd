"""Two ways of doing the same things, compared pair by pair: an interval for the difference, and sign tests (pure)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

RESAMPLES = 2000
LEVEL = 0.95


def mean(values: Sequence[float]) -> float:
    """The mean; 0.0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def interval(differences: Sequence[float], *, seed: int = 0) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the mean of paired differences (Efron 1979); (0, 0) of nothing.

    The same differences in the same order, and the same seed, give the same interval.
    """
    if not differences:
        return 0.0, 0.0
    rng, count = Random(seed), len(differences)
    means = sorted(mean(rng.choices(differences, k=count)) for _ in range(RESAMPLES))
    cut = round(RESAMPLES * (1 - LEVEL) / 2)
    return means[cut], means[-1 - cut]


def sign_test(won: int, lost: int) -> float:
    """The exact two-sided probability of a split at least this uneven if both were equally likely; ties left out.

    Of solved against not solved this is McNemar's exact test.
    """
    count, fewer = won + lost, min(won, lost)
    return min(1.0, 2 * sum(math.comb(count, i) for i in range(fewer + 1)) / 2**count) if count else 1.0

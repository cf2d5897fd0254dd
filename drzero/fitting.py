"""Calibrations and how well they hold: a small logistic regression, a threshold for a precision, reliability (pure).

Everything here counts pairs by a weight, and says nothing of where features come from.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from drzero.loop.calibration import Float64, sigmoid

Bools = npt.NDArray[np.bool_]
BINS, FOLDS = 10, 5
FLOOR = 0.5  # no claim that is more likely wrong than right is believed, however few of those the pairs hold
_PENALTY = 1.0  # on the squared weights of standardised features: one pair's worth
_SMALL_SOURCE = 20  # pairs; smaller sources count together as one
# The threshold is the best of many, so the precision seen at it flatters. A one-sided bound of 80 % takes off as much
# as that usually is; one of 95 % would want 36 claims accepted without a single error before it believes in .93.
_Z = 0.8416


# --- the fit --------------------------------------------------------------------------------------------------------


def fit(features: Float64, truth: Bools, weights: Float64) -> tuple[Float64, float]:
    """Weights and intercept of the logistic regression of `truth`, shape (n,), on `features`, shape (n, k).

    The features are standardised, the squared weights penalised, each row counts by its weight; found by Newton's
    method with halved steps, so that two runs give the same numbers.
    """
    share = weights / weights.sum()
    mean = share @ features
    spread = np.sqrt(share @ (features - mean) ** 2)
    spread[spread < 1e-9 * np.maximum(np.abs(mean), 1)] = 1.0  # constant
    design = np.column_stack([(features - mean) / spread, np.ones(len(features))])
    penalty = np.full(design.shape[1], _PENALTY)
    penalty[-1] = 1e-6  # as good as none, but of a single kind even the intercept has no end
    wanted = truth.astype(np.float64)

    def cost(slopes: Float64) -> float:
        log_odds = design @ slopes
        return float(weights @ (np.logaddexp(0, log_odds) - wanted * log_odds) + penalty @ slopes**2 / 2)

    found = np.zeros(design.shape[1])
    for _ in range(100):
        probability = sigmoid(design @ found)
        slope = design.T @ (weights * (probability - wanted)) + penalty * found
        bend = (design.T * (weights * probability * (1 - probability))) @ design + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        size = 1.0
        while size > 1e-8 and cost(found - size * step) > cost(found):
            size /= 2
        found = found - size * step
        if np.abs(size * step).max() < 1e-10:
            break
    slopes = found[:-1] / spread
    return slopes, float(found[-1] - slopes @ mean)


def source_weights(sources: Sequence[str]) -> Float64:
    """How much each pair counts, 1 on average, so that every source counts alike; small ones together as one."""
    counts = Counter(sources)
    names = [source if counts[source] >= _SMALL_SOURCE else None for source in sources]
    sizes = Counter(names)
    return np.array([len(names) / (len(sizes) * sizes[name]) for name in names])


def fold_of(pairs: Sequence[tuple[str, str, str]]) -> list[int]:
    """The fold of each pair (source, passage, claim), in [0, FOLDS): the same in whatever order the pairs come.

    Every source is spread over all folds. Pairs of one passage are in one fold, unless there are few passages.
    """
    few = len({passage for _, passage, _ in pairs}) < 2 * FOLDS
    groups = [f"{passage}\0{claim}" if few else passage for _, passage, claim in pairs]
    drawn = sorted(
        (source, hashlib.sha256(group.encode("utf-8", "surrogatepass")).digest(), group)
        for (source, _, _), group in zip(pairs, groups, strict=True)
    )
    place: dict[str, int] = {}
    for _, _, group in drawn:
        place.setdefault(group, len(place) % FOLDS)
    return [place[group] for group in groups]


# --- the threshold --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Threshold:
    """A probability to believe a claim from, and what that gives. `precision_low` is the lower bound it was chosen by.

    `accepted` counts pairs at or above it. Precision and recall count every source alike.
    """

    probability: float
    precision: float
    precision_low: float
    recall: float
    accepted: int


def wilson_low(share: float, count: float, z: float = _Z) -> float:
    """The lower end of the one-sided Wilson score interval of a share seen in `count` cases; 0.0 for none."""
    if count <= 0:
        return 0.0
    middle = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, (middle - half) / (1 + z * z / count))


def choose_threshold(held: Float64, truth: Bools, weights: Float64, target: float) -> Threshold | None:
    """The least threshold, in thousandths from .5 on, whose precision is at least `target` by its lower bound.

    Only the probabilities of supported pairs are tried: between two of them a lower threshold would let nothing in
    but what is wrong. `held` are probabilities, nan for pairs that are refused anyhow. The bound is Wilson's for as
    many pairs of equal weight as tell as much as these, (Σ weight)² / Σ weight² (Kish). None where no threshold
    reaches it.
    """
    rounded = np.floor(held[truth & np.isfinite(held)] * 1000) / 1000
    for candidate in np.unique(rounded[rounded >= FLOOR]):
        found = at_threshold(float(candidate), held, truth, weights)
        if found.precision_low >= target:
            return found
    return None


def at_threshold(probability: float, held: Float64, truth: Bools, weights: Float64) -> Threshold:
    """What a threshold gives on pairs with the probabilities `held`."""
    accepted = held >= probability  # nan is never
    given = weights[accepted]
    right = float(weights[accepted & truth].sum())
    precision = right / float(given.sum()) if len(given) else 0.0
    count = float(given.sum() ** 2 / (given**2).sum()) if len(given) else 0.0
    recall = right / float(weights[truth].sum()) if truth.any() else 0.0
    return Threshold(probability, precision, wilson_low(precision, count), recall, int(accepted.sum()))


def unseen(
    held: Float64, truth: Bools, weights: Float64, folds: npt.NDArray[Any], *, target: float
) -> dict[str, float | None]:
    """Precision and recall where each fold's threshold is chosen on the others; no precision where none is accepted."""
    accepted = np.zeros(len(held), dtype=bool)
    for fold in range(FOLDS):
        here = folds == fold
        chosen = choose_threshold(held[~here], truth[~here], weights[~here], target)
        if chosen is not None:
            accepted |= here & (held >= chosen.probability)
    right = float(weights[accepted & truth].sum())
    return {
        "precision": right / float(weights[accepted].sum()) if accepted.any() else None,
        "recall": right / float(weights[truth].sum()),
    }


# --- how well the probabilities hold --------------------------------------------------------------------------------


def reliability(probabilities: Float64, truth: Bools) -> list[dict[str, Any]]:
    """Ten bins of equal width over [0,1], 1.0 in the last: `low`, `high`, `n`, mean `probability`, `rate` of truth.

    The means are None in an empty bin.
    """
    place = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    rows: list[dict[str, Any]] = []
    for bin_number in range(BINS):
        here = place == bin_number
        held = bool(here.any())
        rows.append(
            {
                "low": bin_number / BINS,
                "high": (bin_number + 1) / BINS,
                "n": int(here.sum()),
                "probability": float(probabilities[here].mean()) if held else None,
                "rate": float(truth[here].mean()) if held else None,
            }
        )
    return rows


def expected_calibration_error(probabilities: Float64, truth: Bools) -> float:
    """Over ten bins of equal width (Guo et al. 2017): Σ (nᵦ / n) · |rateᵦ − mean probabilityᵦ|. In [0,1]."""
    gaps = [row["n"] * abs(row["rate"] - row["probability"]) for row in reliability(probabilities, truth) if row["n"]]
    return float(sum(gaps) / len(probabilities))


def equal_mass_error(probabilities: Float64, truth: Bools) -> float:
    """The same over ten bins of equally many pairs, by rising probability. In [0,1]."""
    order = np.argsort(probabilities, kind="stable")
    gaps = [
        len(part) * abs(truth[part].mean() - probabilities[part].mean())
        for part in np.array_split(order, min(BINS, len(order)))
    ]
    return float(sum(gaps) / len(probabilities))

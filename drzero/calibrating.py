"""Labelled pairs → a calibration: how much a judge's signals are worth, and from which probability on to believe it.

A logistic regression of few features, so that a few hundred pairs are enough. All figures are of pairs held out: each
pair's probability comes from a fit to four fifths of the others, none of which has its passage where there are many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from drzero.errors import DrZeroError
from drzero.evaluation import Figures, LabelledPair, area_under_curve
from drzero.fitting import (
    FOLDS,
    Bools,
    Threshold,
    at_threshold,
    choose_threshold,
    equal_mass_error,
    expected_calibration_error,
    fit,
    fold_of,
    reliability,
    source_weights,
    unseen,
)
from drzero.loop.calibration import Calibration, Float64, features_of, sigmoid
from drzero.types import Fault, SignalModel

Questions = Sequence[tuple[str, str]]
Prepare = Callable[[str, str], Fault | Questions]

# None: shared words separate dialogue and encyclopedia well (area .88 → .90 beside the writer's signal), but a fit then
# leans on them, and lets in twice as many claims with two names of their passage exchanged, which share all words.
DEFAULT_FEATURES: tuple[str, ...] = ()
LEAST_PAIRS, LEAST_OF_A_KIND = 40, 5
_BACKWARDS = 0.45  # area under the curve; a useless judge is at .5, one whose labels are mixed up well below
_FOR_SUPPORT = ("entailment", "yes")  # signals that rise with support, whatever the judge
_PIECE = 32  # pairs asked between two words on progress


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """What `calibrate` found.

    `calibration` is None where no threshold reaches the precision asked for, or where the judge points the wrong way:
    then `notes` among the figures say so.
    """

    calibration: Calibration | None
    figures: Figures


def plainly(claim: str, passage: str) -> Questions:
    """One question of each pair, which no other check refuses: does the whole passage entail the claim?"""
    return [(passage, claim)]


def calibrate(
    pairs: Sequence[LabelledPair],
    model: SignalModel,
    *,
    prepare: Prepare,
    precision: float = 0.93,
    features: Sequence[str] = DEFAULT_FEATURES,
    tell: Callable[[int], None] = lambda _: None,
) -> CalibrationReport:
    """Fit a calibration of `model` to labelled pairs and choose the least threshold that reaches `precision`.

    `prepare(claim, passage)` gives the (premise, hypothesis) pairs that the verifier would ask about, of which the
    weakest counts, or the fault for which it would not ask (`drzero.measuring.questions`); with `plainly` the figures
    are of the judge alone, and so is the precision. `features` are keys of `loop.calibration.FEATURES` to use beside
    the signals. `tell` hears how many pairs are done.

    The precision at the threshold is that of all that `prepare` and the judge let through, on pairs held out, each
    source counting alike, by the lower end of a one-sided 80 % Wilson interval. A judge whose signal for support counts
    against it is not believed from anywhere on. The figures, all of pairs held out:

    - `reliability`: ten bins of equal width over [0,1], each with its count, mean probability and share supported;
    - `ece`: expected calibration error, Σ (nᵦ / n) · |share supportedᵦ − mean probabilityᵦ| over those bins
      (Guo et al. 2017, "On Calibration of Modern Neural Networks"); `ece_equal_mass` the same over ten bins of equally
      many pairs, which does not flatter a judge that puts nearly all pairs into one bin;
    - `brier`: the mean of (probability − label)²; `auc` as in `evaluate_verifier`, of the pairs the judge was asked;
    - `signals`: the area under the curve of each signal and feature alone, whichever way it points;
    - `threshold`: with its precision and recall; `unseen`: the precision and recall when the threshold, too, is chosen
      without the pairs that it is tried on.

    Raises DrZeroError for fewer than 40 pairs or 5 of a kind, and where so few are left after the other checks.
    """
    pairs = list({(pair.claim, pair.passage, pair.label): pair for pair in pairs}.values())
    refuse_few(pairs)
    prepared = [prepare(pair.claim, pair.passage) for pair in pairs]
    refused = Counter(one.code for one in prepared if isinstance(one, Fault))
    names = (*model.names, *features)
    rows = _ask(model, names, [() if isinstance(one, Fault) else one for one in prepared], tell)
    asked = np.array([bool(len(one)) and bool(np.isfinite(one).all()) for one in rows])
    left = [pair for pair, keep in zip(pairs, asked, strict=True) if keep]
    unchecked = len(pairs) - len(left) - sum(refused.values())
    refuse_few(
        left,
        f"of {len(pairs)}, the other checks refuse {sum(refused.values())}, {unchecked} cannot be asked, which leaves",
    )
    truth = np.array([pair.label == "supported" for pair in pairs])
    weights = source_weights([pair.source for pair in pairs])
    folds = np.full(len(pairs), -1)
    folds[asked] = fold_of([(pair.source, pair.passage, pair.claim) for pair in left])
    weakest = np.array([one[int(one[:, 0].argmin())] if len(one) else np.zeros(len(names)) for one in rows])
    held = np.full(len(pairs), np.nan)
    for fold in range(FOLDS):
        seen, new = asked & (folds != fold), folds == fold
        fitted = fit(weakest[seen], truth[seen], weights[seen])
        held[new] = [_probability(fitted, row) for row, keep in zip(rows, new, strict=True) if keep]
    signals = {
        name: area_under_curve(truth[asked].tolist(), weakest[asked, column].tolist())
        for column, name in enumerate(names)
    }
    slopes, intercept = fit(weakest[asked], truth[asked], weights[asked])
    chosen = choose_threshold(held, truth, weights, precision)
    notes = _notes(signals, dict(zip(names, slopes.tolist(), strict=True)), reached=chosen is not None)
    chosen = None if notes else chosen
    figures: Figures = {
        "n": len(pairs),
        "asked": len(left),
        "refused": dict(sorted(refused.items())),
        "unchecked": unchecked,
        "judge": model.id,
        **_quality(held[asked], truth[asked]),
        "signals": signals,
        "target_precision": precision,
        "threshold": None if chosen is None else _row(chosen),
        "unseen": unseen(held, truth, weights, folds, target=precision),
        "by_source": _by_source(pairs, held, truth, chosen),
        "weights": dict(zip(names, slopes.tolist(), strict=True)),
        "intercept": intercept,
        "notes": notes,
    }
    if chosen is None:
        return CalibrationReport(None, figures)
    kept = {"precision": chosen.precision, "precision_low": chosen.precision_low, "recall": chosen.recall}
    kept |= {name: figures[name] for name in ("auc", "ece", "brier")}
    calibration = Calibration(
        judge=model.id,
        names=names,
        weights=tuple(slopes.tolist()),
        intercept=intercept,
        threshold=chosen.probability,
        pairs=len(left),
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        figures=tuple((name, round(value, 4)) for name, value in kept.items()),
    )
    return CalibrationReport(calibration, figures)


def refuse_few(pairs: Sequence[LabelledPair], found: str = "there are") -> None:
    """Raise DrZeroError when these are too few different pairs, or too few of a kind; `found` begins their number."""
    kinds = {(pair.claim, pair.passage, pair.label): pair.label == "supported" for pair in pairs}
    supported = sum(kinds.values())
    if len(kinds) < LEAST_PAIRS:
        raise DrZeroError(
            f"A calibration needs at least {LEAST_PAIRS} different pairs, but {found} {len(kinds)}: label more of them."
        )
    if min(supported, len(kinds) - supported) < LEAST_OF_A_KIND:
        raise DrZeroError(
            f"A calibration needs at least {LEAST_OF_A_KIND} pairs that are supported and {LEAST_OF_A_KIND} that are "
            f"not, but {found} {supported} and {len(kinds) - supported}: label more of them."
        )


def _notes(signals: Mapping[str, float | None], weights: Mapping[str, float], *, reached: bool) -> list[str]:
    """Why a judge is not to be believed at all, as sentences; the weights of one that knows nothing are mere luck."""
    notes = []
    for name in (name for name in _FOR_SUPPORT if name in signals):
        area, weight = signals[name], weights[name]
        advice = "check the order of the labels in its config.json" if name == "entailment" else "name another judge"
        if area is not None and area < _BACKWARDS:
            notes.append(f"The judge's {name} points the wrong way (area under the curve {area:.3f}): {advice}.")
        elif reached and weight <= 0:
            notes.append(f"The judge's {name} does not count for support (weight {weight:.3f}): {advice}.")
    return notes


def _ask(
    model: SignalModel, names: Sequence[str], questions: Sequence[Questions], tell: Callable[[int], None]
) -> list[Float64]:
    """Of each pair its features, shape (questions, names), asking some pairs at once and about none twice."""
    known: dict[tuple[str, str], Float64] = {}
    for start in range(0, len(questions), _PIECE):
        piece = questions[start : start + _PIECE]
        new = list(dict.fromkeys(one for asked in piece for one in asked if one not in known))
        if new:
            known.update(zip(new, features_of(names, model.names, model.signals(new), new), strict=True))
        tell(start + len(piece))
    return [np.array([known[one] for one in asked]).reshape(len(asked), len(names)) for asked in questions]


def _probability(fitted: tuple[Float64, float], rows: Float64) -> float:
    slopes, intercept = fitted
    return float(sigmoid(rows @ slopes + intercept).min())


def _quality(probabilities: Float64, truth: Bools) -> Figures:
    return {
        "auc": area_under_curve(truth.tolist(), probabilities.tolist()),
        "brier": float(((probabilities - truth) ** 2).mean()),
        "ece": expected_calibration_error(probabilities, truth),
        "ece_equal_mass": equal_mass_error(probabilities, truth),
        "reliability": reliability(probabilities, truth),
    }


def _row(found: Threshold) -> Mapping[str, float]:
    return {
        "probability": found.probability,
        "precision": found.precision,
        "precision_low": found.precision_low,
        "recall": found.recall,
        "accepted": found.accepted,
    }


def _by_source(pairs: Sequence[LabelledPair], held: Float64, truth: Bools, chosen: Threshold | None) -> Figures:
    """Of each source how many pairs it has, and the precision and recall at the threshold chosen for all."""
    found: Figures = {}
    sources = np.array([pair.source for pair in pairs])
    for source in sorted(set(sources.tolist())):
        here = sources == source
        asked = here & np.isfinite(held)
        row: Figures = {"n": int(here.sum()), "auc": area_under_curve(truth[asked].tolist(), held[asked].tolist())}
        if chosen is not None:
            at = at_threshold(chosen.probability, held[here], truth[here], np.ones(int(here.sum())))
            row["precision"] = at.precision if at.accepted else None
            row["recall"] = at.recall if truth[here].any() else None
            row["accepted"] = at.accepted
        found[source] = row
    return found

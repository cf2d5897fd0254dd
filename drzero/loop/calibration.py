"""A calibration: signals of a judge → the probability that a claim is supported, and from where on that is believed.

It is fitted on labelled pairs (`drzero.calibrating`), for one judge: what a log-odds of 2 is worth differs from model
to model. The packaged ones lie in `calibrations/`, one JSON file each.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from drzero.loop import facts
from drzero.text import sentences

Float64 = npt.NDArray[np.float64]
FORMAT = 1
_FOLDER = Path(__file__).with_name("calibrations")


def best_cover(premise: str, hypothesis: str) -> float:
    """The largest share of the hypothesis's content words that a single sentence of the premise has. In [0,1]."""
    return max((facts.cover(hypothesis, premise[start:end]) for start, end in sentences(premise)), default=0.0)


def new_words(premise: str, hypothesis: str) -> float:
    """log(1 + n) for the n content words of the hypothesis that the premise does not have; 0.0 or more."""
    have = set(facts.content_stems(premise))
    return math.log1p(len(set(facts.content_stems(hypothesis)) - have))


def said_words(_: str, hypothesis: str) -> float:
    """log(1 + n) for the n content words of the hypothesis: long claims are harder to support. 0.0 or more."""
    return math.log1p(len(facts.content_stems(hypothesis)))


FEATURES: dict[str, Callable[[str, str], float]] = {
    "cover": lambda premise, hypothesis: facts.cover(hypothesis, premise),
    "best_cover": best_cover,
    "new_words": new_words,
    "said_words": said_words,
}
"""What is read of a pair (premise, hypothesis) without a model, by name; each gives a finite number."""


class Named(Protocol):
    """What is known of a `SignalModel` before it is loaded: its id and the names of its signals."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def names(self) -> tuple[str, ...]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Calibration:
    """probability = 1 / (1 + exp(−(intercept + Σ weight · feature))), believed from `threshold` on, both in [0,1].

    `names` are signals of the judge and keys of FEATURES, in the order of `weights`. `judge` is the id of the judge it
    was fitted for; in a packaged one a pattern of ids (`*` for anything). `figures` are (name, value) of how it did on
    pairs it was not fitted to; `pairs` how many it was fitted to; `made_at` when, in ISO 8601 ("" for a packaged one).
    """

    judge: str
    names: tuple[str, ...]
    weights: tuple[float, ...]
    intercept: float
    threshold: float
    pairs: int = 0
    made_at: str = ""
    figures: tuple[tuple[str, float], ...] = field(default=())

    def __post_init__(self) -> None:
        numbers = (*self.weights, self.intercept, self.threshold)
        if not self.names or len(self.names) != len(self.weights) or not all(map(math.isfinite, numbers)):
            raise ValueError("a calibration needs names, one finite weight for each, and a finite intercept")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"the threshold of a calibration is a probability, not {self.threshold:g}")

    def apply(self, features: npt.ArrayLike) -> Float64:
        """Features of shape (n, len(names)) → probabilities of shape (n,) in [0,1]; nan for a row with any non-number.

        An infinite feature is no number either: no judge is that sure, so something went wrong.
        """
        rows = np.asarray(features, dtype=np.float64).reshape(-1, len(self.names))
        asked = np.isfinite(rows).all(axis=1)
        found = np.full(len(rows), np.nan)
        found[asked] = sigmoid(rows[asked] @ np.array(self.weights) + self.intercept)
        return found

    def suits(self, model: Named) -> bool:
        """Whether every signal it reads is one of the model's (or of FEATURES)."""
        return all(name in model.names or name in FEATURES for name in self.names)


def sigmoid(log_odds: Float64) -> Float64:
    """The probability of log-odds, without overflow at either end."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * log_odds)), dtype=np.float64)


def features_of(
    names: Sequence[str], signal_names: Sequence[str], signals: npt.ArrayLike, pairs: Sequence[tuple[str, str]]
) -> Float64:
    """The columns `names` for `pairs`, shape (n, len(names)): signals by their name, all others by FEATURES."""
    table = np.asarray(signals, dtype=np.float64).reshape(len(pairs), len(signal_names))
    columns = [
        table[:, signal_names.index(name)]
        if name in signal_names
        else np.array([FEATURES[name](premise, hypothesis) for premise, hypothesis in pairs])
        for name in names
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(pairs), 0))


# --- as text --------------------------------------------------------------------------------------------------------


def to_json(*calibrations: Calibration) -> str:
    """Calibrations as the text of a file."""
    return json.dumps({"format": FORMAT, "calibrations": [_row(one) for one in calibrations]}, indent=1)


def _row(calibration: Calibration) -> dict[str, Any]:
    return asdict(calibration) | {"figures": dict(calibration.figures)}


def from_json(text: str) -> tuple[Calibration, ...]:
    """The calibrations in the text of a file. Raises ValueError, saying what is wrong with it, for any other text."""
    try:
        found = json.loads(text)
    except ValueError:
        raise ValueError("it is not JSON") from None
    rows = found.get("calibrations") if isinstance(found, dict) and found.get("format") == FORMAT else None
    if not isinstance(rows, list):
        raise ValueError(f"it holds no calibrations of format {FORMAT}")
    return tuple(map(_read, rows))


def _read(row: Any) -> Calibration:
    try:
        return Calibration(
            judge=_text(row["judge"]),
            names=tuple(map(_text, row["names"])),
            weights=tuple(map(_number, row["weights"])),
            intercept=_number(row["intercept"]),
            threshold=_number(row["threshold"]),
            pairs=int(_number(row.get("pairs", 0))),
            made_at=_text(row.get("made_at", "")),
            figures=tuple((name, _number(value)) for name, value in row.get("figures", {}).items()),
        )
    except KeyError as error:
        raise ValueError(f"a calibration in it lacks {error}") from None
    except (TypeError, AttributeError):
        raise ValueError("a value in it is of the wrong type") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError
    return float(value)


# --- packaged -------------------------------------------------------------------------------------------------------


@cache
def packaged() -> Mapping[str, Calibration]:
    """The calibrations that come with drzero, by file name; those of the most exact pattern of judges first."""
    found = {path.stem: from_json(path.read_text(encoding="utf-8"))[0] for path in sorted(_FOLDER.glob("*.json"))}
    return dict(sorted(found.items(), key=lambda item: -len(item[1].judge)))


def default_calibration(model: Named) -> Calibration | None:
    """The packaged calibration for this judge, the one of its own name before the one of its kind; None without any.

    The case of letters is no matter: file systems differ in it.
    """
    named = model.id.casefold()
    fitting = (one for one in packaged().values() if one.suits(model) and fnmatchcase(named, one.judge.casefold()))
    return next(fitting, None)

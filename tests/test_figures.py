"""drzero.figures: what is measured, as text."""

from __future__ import annotations

from typing import Any

from drzero.figures import calibration_text, figures_text, unreached_note

EMPTY = [{"low": n / 10, "high": (n + 1) / 10, "n": 0, "probability": None, "rate": None} for n in range(10)]
FIGURES: dict[str, Any] = {
    "n": 60,
    "asked": 50,
    "refused": {"name": 3, "number": 6},
    "unchecked": 1,
    "judge": "deberta@12",
    "auc": 0.91234,
    "brier": 0.1,
    "ece": 0.05,
    "ece_equal_mass": 0.0625,
    "reliability": [
        {"low": 0.0, "high": 0.1, "n": 20, "probability": 0.05, "rate": 0.1},
        *EMPTY[1:9],
        {"low": 0.9, "high": 1.0, "n": 30, "probability": 1.0, "rate": 0.9},
    ],
    "signals": {"entailment": 0.9, "cover": None},
    "notes": ["The judge is odd."],
    "target_precision": 0.93,
    "threshold": {"probability": 0.8, "precision": 0.96, "precision_low": 0.931, "recall": 0.5, "accepted": 25},
    "unseen": {"precision": 0.95, "recall": 0.4},
    "by_source": {
        "fever": {"n": 40, "auc": 0.9, "precision": 0.97, "recall": 0.5, "accepted": 20},
        "mine": {"n": 20, "auc": None, "precision": None, "recall": 0.0, "accepted": 0},
    },
    "weights": {"entailment": 1.0},
    "intercept": 0.0,
    "saved": "/desk/calibration.json",
}


def test_figures_text_names_nested_figures_by_their_path() -> None:
    text = figures_text({"n": 2, "auc": 0.5, "none": None, "by_source": {"fever": {"n": 1}}})
    assert text.splitlines()[2:] == [
        "n                      2",
        "auc                    0.500",
        "none                   –",
        "by_source › fever › n  1",
    ]


def test_figures_calibration_text_is_a_curve_and_a_threshold() -> None:
    lines = calibration_text(FIGURES).splitlines()
    assert lines[0] == (
        "Judge deberta@12: asked about 50 of 60 pairs; other checks refuse 9 (name 3, number 6); 1 could not be asked."
    )
    assert lines[2].split() == ["probability", "pairs", "mean", "supported", "#", "supported,", "|", "mean"]
    assert lines[4] == "0.0–0.1         20  0.050  0.100      ##|#"
    assert lines[5].split() == ["0.1–0.2", "0", "–", "–"]
    assert lines[13] == "0.9–1.0         30  1.000  0.900      " + "#" * 36 + "....|"
    assert lines[15] == (
        "Area under the curve 0.912, expected calibration error 0.050 (0.062 over bins of equal size), "
        "Brier score 0.100. Of each signal alone the area is: entailment 0.900, cover –."
    )
    assert lines[17] == "The judge is odd."
    assert lines[19] == (
        "Believed from 0.800 on: precision 0.960 (at least 0.931, wanted 0.93) at recall 0.500, over 25 claims. Where "
        "the threshold, too, is chosen without the pairs it is tried on: precision 0.950 at recall 0.400."
    )
    assert [line.split() for line in lines[23:25]] == [
        ["fever", "40", "0.900", "0.970", "0.500", "20"],
        ["mine", "20", "–", "–", "0.000", "0"],
    ]
    assert lines[26] == ("Kept in /desk/calibration.json: this judge is believed so from now on in this workspace.")
    assert len(lines) == 27


def test_figures_calibration_text_says_when_a_setting_stands_in_its_place() -> None:
    text = calibration_text(FIGURES | {"min_probability": 0.6})
    assert text.splitlines()[-1] == (
        "Kept in /desk/calibration.json. But verify.min_probability is 0.6, which stands in place of the threshold of "
        "any calibration: set it to 0 to believe this judge so."
    )
    assert calibration_text(FIGURES | {"min_probability": None}) == calibration_text(FIGURES)
    assert "verify" not in calibration_text(FIGURES | {"min_probability": 0.6, "saved": None})


def test_figures_calibration_text_without_a_threshold() -> None:
    sources = {"fever": {"n": 60, "auc": 0.5}}
    none = FIGURES | {"refused": {}, "unchecked": 0, "threshold": None, "saved": None, "by_source": sources}
    text = calibration_text(none)
    assert text.splitlines()[0] == "Judge deberta@12: asked about 50 of 60 pairs."
    assert "Believed" not in text
    assert text.splitlines()[-1].split() == ["fever", "60", "0.500", "–", "–", "–"]
    assert unreached_note(none | {"notes": []}) == (
        "No threshold reaches a precision of 0.93 on these pairs with any certainty, so nothing is kept: label more "
        "pairs, ask for less with --precision, or name another judge with --judge."
    )


def test_figures_say_that_a_judge_pointing_the_wrong_way_is_not_kept() -> None:
    assert unreached_note(FIGURES | {"threshold": None}) == (
        "A judge that points the wrong way is not to be believed from anywhere on, so nothing is kept: mend it as said "
        "above, or name another with --judge."
    )

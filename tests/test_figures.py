"""drzero.figures: what is measured, as text."""

from __future__ import annotations

from typing import Any

import pytest

from drzero.figures import MEASURES, calibration_text, comparison_text, figures_text, unreached_note
from drzero.loop.improving.outcomes import Outcome, compare_states

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


# --- states compared ---


def outcomes(*solved: bool) -> list[Outcome]:
    return [Outcome(f"c{at}", one, one, True, False, 0.5 * one, True, 0.5, 0.5, 100) for at, one in enumerate(solved)]


def compared(base: list[bool], other: list[bool], used: tuple[str, ...] = ("search",)) -> dict[str, Any]:
    learnt = {"nothing": {"used": []}, "all": {"used": list(used)}}
    return dict(compare_states({"nothing": outcomes(*base), "all": outcomes(*other)})) | {"learnt": learnt}


def test_figures_comparison_explains_every_column() -> None:
    lines = comparison_text(compared([True, False], [True, True])).splitlines()
    assert lines[:6] == [
        "2 challenges set aside, each asked once under every state.",
        "",
        "state    solved  score  right  supported  no answer  found all  confidence error  tokens",
        "-------  ------  -----  -----  ---------  ---------  ---------  ----------------  ------",
        "nothing  0.500   0.250  0.500  1.000      0.000      1.000      0.250             100",
        "all      1.000   0.500  1.000  1.000      0.000      1.000      0.250             100",
    ]
    explained = [f"{heading}: {means}" for key, (heading, means) in MEASURES.items() if key != "proposed"]
    assert lines[7:15] == explained
    assert lines[16] == "Against “nothing”:"
    assert lines[18].split() == "state measure difference 95 % interval higher lower by chance".split()
    assert lines[20].split() == "all solved +0.500 +0.000 … +1.000 1 0 1.000".split()
    assert [line.partition(":")[0] for line in lines[25:27]] == ["higher, lower", "by chance"]


@pytest.mark.parametrize(
    ("base", "other", "said"),
    [
        (
            [True] * 6, [True] * 6,
            "“all” solves the same challenges as “nothing”: no difference; 6 challenges are too few to tell a small "
            "one.",
        ),
        ([True] * 20, [True] * 20, "“all” solves the same challenges as “nothing”: no difference."),
        (
            [False] * 20, [True] * 2 + [False] * 18,
            "“all” solves 2 more and 0 fewer of 20 than “nothing”: that may be chance.",
        ),
        (
            [True, False], [False, True],
            "“all” solves 1 more and 1 fewer of 2 than “nothing”: that may be chance; 2 challenges are too few to tell "
            "a small one.",
        ),
        (
            [False] * 8, [True] * 7 + [False],
            "“all” solves 7 more and 0 fewer of 8 than “nothing”: it is better, and hardly by chance.",
        ),
        (
            [True] * 30, [False] * 9 + [True] * 21,
            "“all” solves 0 more and 9 fewer of 30 than “nothing”: it is worse, and hardly by chance.",
        ),
    ],
)  # fmt: skip
def test_figures_comparison_ends_with_a_verdict(base: list[bool], other: list[bool], said: str) -> None:
    assert comparison_text(compared(base, other)).splitlines()[-1] == said


def test_figures_comparison_says_when_nothing_was_learnt() -> None:
    text = comparison_text(compared([True], [True], used=()))
    assert text.splitlines()[-1].startswith("Nothing has been learnt that “all” could use, so no difference")
    assert "Nothing has been learnt" not in comparison_text(compared([True], [True]))


def test_figures_comparison_of_one_state_has_no_differences() -> None:
    text = comparison_text(dict(compare_states({"nothing": outcomes(True)})) | {"learnt": {"nothing": {"used": []}}})
    assert "Against" not in text
    assert "learnt" not in text

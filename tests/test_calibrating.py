"""drzero.calibrating: labelled pairs to a calibration that says how good it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from drzero.calibrating import LEAST_OF_A_KIND, LEAST_PAIRS, calibrate, plainly
from drzero.errors import DrZeroError
from drzero.evaluation import LabelledPair
from drzero.fitting import source_weights
from drzero.loop.calibration import from_json, to_json
from drzero.loop.entailment import Calibrated
from drzero.types import Fault, Float32
from tests.fakes import WordSignals


class Known:
    """A judge whose one log-odds is the number that the claim begins with."""

    id, names = "known@1", ("entailment",)

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def signals(self, pairs: Sequence[tuple[str, str]]) -> Float32:
        self.asked += pairs
        return np.array([[float(hypothesis.split()[0])] for _, hypothesis in pairs], dtype=np.float32)


def drawn(count: int = 600, seed: int = 5) -> list[LabelledPair]:
    """Pairs of two sources whose label is drawn with the log-odds that `Known` gives."""
    random = np.random.default_rng(seed)
    pairs = []
    for n in range(count):
        log_odds = round(float(random.normal(0, 3)), 3)
        supported = random.random() < 1 / (1 + math.exp(-log_odds))
        label = "supported" if supported else ("unsupported", "contradicted")[n % 2]
        pairs.append(LabelledPair(str(n), "ab"[n % 3 == 0], f"{log_odds} claim {n}", f"passage {n}", label))
    return pairs


def test_calibrating_finds_what_the_signals_are_worth() -> None:
    pairs = drawn(3000)
    report = calibrate(pairs, Known(), features=(), prepare=plainly)
    calibration = report.calibration
    assert calibration is not None
    assert (calibration.judge, calibration.names, calibration.pairs) == ("known@1", ("entailment",), 3000)
    assert calibration.weights[0] == pytest.approx(1, abs=0.1)
    assert calibration.intercept == pytest.approx(0, abs=0.15)
    figures = report.figures
    assert (figures["n"], figures["asked"], figures["refused"], figures["unchecked"]) == (3000, 3000, {}, 0)
    assert figures["ece"] < 0.03
    assert figures["ece_equal_mass"] < 0.03
    assert figures["auc"] > 0.9
    assert sum(row["n"] for row in figures["reliability"]) == 3000
    chosen = figures["threshold"]
    assert chosen["precision"] >= chosen["precision_low"] >= 0.93
    assert 0.7 < chosen["probability"] == calibration.threshold < 0.85
    assert figures["unseen"]["precision"] == pytest.approx(chosen["precision"], abs=0.02)
    assert figures["unseen"]["recall"] == pytest.approx(chosen["recall"], abs=0.1)
    assert dict(calibration.figures)["precision"] == pytest.approx(chosen["precision"], abs=1e-4)


def test_calibrating_precision_holds_on_pairs_never_seen() -> None:
    calibration = calibrate(drawn(600, seed=6), Known(), features=(), prepare=plainly).calibration
    assert calibration is not None
    others = drawn(4000, seed=7)
    model = Calibrated(Known(), *from_json(to_json(calibration)))
    found = np.array(model.entail([(pair.passage, pair.claim) for pair in others]))
    accepted = [pair for pair, held in zip(others, found, strict=True) if held >= calibration.threshold]
    assert sum(pair.label == "supported" for pair in accepted) / len(accepted) >= 0.93
    assert len(accepted) > 900


def test_calibrating_a_judge_that_knows_nothing_has_the_brier_score_of_a_coin() -> None:
    pairs = [
        LabelledPair(str(n), "a", f"0 claim {n}", f"passage {n}", ("supported", "unsupported")[n % 2])
        for n in range(400)
    ]
    report = calibrate(pairs, Known(), features=(), prepare=plainly)
    assert report.calibration is None
    assert report.figures["brier"] == pytest.approx(0.25, abs=0.01)
    assert report.figures["auc"] == pytest.approx(0.5, abs=0.1)


def test_calibrating_does_not_depend_on_the_order_of_pairs() -> None:
    pairs = drawn()
    one, other = (calibrate(some, Known(), features=(), prepare=plainly).figures for some in (pairs, pairs[::-1]))
    assert one["threshold"] == pytest.approx(other["threshold"])
    assert (one["ece"], one["auc"]) == pytest.approx((other["ece"], other["auc"]))


def test_calibrating_asks_about_each_pair_once_and_tells_how_far_it_is() -> None:
    judge = Known()
    told: list[int] = []
    pairs = drawn(100)
    (doubtful,) = {"supported", "contradicted"} - {"supported" if pairs[0].label == "supported" else "contradicted"}
    twice = [*pairs, *pairs, LabelledPair("x", "a", pairs[0].claim, pairs[0].passage, doubtful)]
    report = calibrate(twice, judge, tell=told.append, prepare=plainly)
    assert len(judge.asked) == len(set(judge.asked)) == 100
    assert report.figures["n"] == 101  # the last one was labelled otherwise
    assert told == [32, 64, 96, report.figures["n"]]


def test_calibrating_has_figures_of_each_source() -> None:
    figures = calibrate(drawn(), Known(), features=(), prepare=plainly).figures
    assert set(figures["by_source"]) == {"a", "b"}
    assert [figures["by_source"][source]["n"] for source in "ab"] == [400, 200]
    for row in figures["by_source"].values():
        assert row["auc"] > 0.85
        assert row["precision"] > 0.9
        assert 0.3 < row["recall"] < 1
    assert sum(row["accepted"] for row in figures["by_source"].values()) == figures["threshold"]["accepted"]


def test_calibrating_without_a_threshold_that_is_precise_enough() -> None:
    pairs = [
        LabelledPair(str(n), "s", f"0 claim {n}", f"passage {n}", "supported" if n % 2 else "unsupported")
        for n in range(100)
    ]
    report = calibrate(pairs, Known(), features=(), prepare=plainly)
    assert report.calibration is None
    assert report.figures["threshold"] is None
    assert report.figures["unseen"] == {"precision": None, "recall": 0.0}
    assert report.figures["by_source"]["s"] == {"n": 100, "auc": pytest.approx(0.5, abs=0.3)}


class Backwards(Known):
    """A judge whose labels are mixed up."""

    def signals(self, pairs: Sequence[tuple[str, str]]) -> Float32:
        return -super().signals(pairs)


def test_calibrating_keeps_nothing_of_labels_that_are_mixed_up() -> None:
    """They separate as well as ever, and the fit turns them round: only a person can say which of the two is wrong."""
    right, wrong = (calibrate(drawn(), judge, features=("cover",), prepare=plainly) for judge in (Known(), Backwards()))
    assert right.figures["notes"] == []
    assert right.calibration is not None
    area = wrong.figures["signals"]["entailment"]
    assert right.figures["signals"]["entailment"] == pytest.approx(1 - area)
    assert wrong.figures["auc"] == pytest.approx(right.figures["auc"])
    assert wrong.figures["notes"] == [
        f"The judge's entailment points the wrong way (area under the curve {area:.3f}): "
        "check the order of the labels in its config.json."
    ]
    assert (wrong.calibration, wrong.figures["threshold"]) == (None, None)
    assert wrong.figures["unseen"]["precision"] > 0.9


class AskedBackwards(Backwards):
    """A writer that says no for yes."""

    names = ("yes",)


def test_calibrating_keeps_nothing_of_a_writer_that_says_no_for_yes() -> None:
    report = calibrate(drawn(), AskedBackwards(), prepare=plainly)
    assert report.calibration is None
    (note,) = report.figures["notes"]
    assert note.startswith("The judge's yes points the wrong way (area under the curve 0.")
    assert note.endswith("): name another judge.")


class Led(Known):
    """A judge whose contradiction knows, and whose entailment follows it, half of it and the wrong way round."""

    names = ("entailment", "contradiction")  # type: ignore[assignment]

    def signals(self, pairs: Sequence[tuple[str, str]]) -> Float32:
        known = super().signals(pairs)[:, 0]
        luck = np.random.default_rng(1).normal(0, 1, len(pairs)).astype(np.float32)
        return np.stack([0.5 * known + luck, -known - luck], axis=1)


def test_calibrating_keeps_nothing_where_entailment_counts_against_support() -> None:
    report = calibrate(drawn(2000), Led(), prepare=plainly)
    weight = report.figures["weights"]["entailment"]
    assert weight < 0
    assert report.figures["signals"]["entailment"] > 0.6
    assert report.figures["notes"] == [
        f"The judge's entailment does not count for support (weight {weight:.3f}): "
        "check the order of the labels in its config.json."
    ]
    assert (report.calibration, report.figures["threshold"]) == (None, None)


def test_calibrating_a_lower_precision_gives_a_lower_threshold() -> None:
    low, high = (
        calibrate(drawn(), Known(), precision=p, features=(), prepare=plainly).figures["threshold"] for p in (0.8, 0.95)
    )
    assert low["probability"] < high["probability"]
    assert low["recall"] > high["recall"]


# --- what the other checks refuse -----------------------------------------------------------------------------------


def test_calibrating_counts_what_other_checks_refuse_as_missed() -> None:
    pairs, judge = drawn(300), Known()

    def prepare(claim: str, passage: str) -> Fault | list[tuple[str, str]]:
        return Fault("number", "No.") if claim.endswith("0") else [(passage, claim)]

    figures = calibrate(pairs, judge, features=(), prepare=prepare).figures
    assert (figures["n"], figures["asked"], figures["refused"]) == (300, 270, {"number": 30})
    assert not [claim for _, claim in judge.asked if claim.endswith("0")]
    assert sum(row["n"] for row in figures["reliability"]) == 270


def test_calibrating_believes_the_weakest_part_of_a_claim() -> None:
    pairs = drawn(300)

    def prepare(claim: str, passage: str) -> list[tuple[str, str]]:
        return [(passage, "9 sure"), (passage, claim)]

    whole = calibrate(pairs, Known(), features=(), prepare=plainly).figures
    parts = calibrate(pairs, Known(), features=(), prepare=prepare).figures
    assert parts["auc"] == pytest.approx(whole["auc"], abs=0.01)
    assert parts["threshold"]["recall"] == pytest.approx(whole["threshold"]["recall"], abs=0.05)


def test_calibrating_leaves_out_what_could_not_be_asked() -> None:
    pairs = [
        LabelledPair(str(n), "s", f"{'salt' if n % 2 else 'sea'} {'hush' if n % 4 == 0 else ''}", f"salt {n}", label)
        for n in range(120)
        for label in [("unsupported", "supported")[n % 2]]
    ]
    figures = calibrate(pairs, WordSignals(silent="hush"), prepare=plainly).figures
    assert (figures["n"], figures["asked"], figures["unchecked"]) == (120, 90, 30)
    assert figures["threshold"]["recall"] == 1.0


def test_calibrating_takes_a_pair_that_is_there_twice_once() -> None:
    pairs = drawn(60)
    figures = calibrate([*pairs, *pairs[:30]], Known(), prepare=plainly).figures
    assert (figures["n"], figures["asked"]) == (60, 60)
    with pytest.raises(DrZeroError, match="at least 40 different pairs, but there are 30"):
        calibrate(pairs[:30] * 2, Known(), prepare=plainly)


def test_calibrating_readme_says_how_many_pairs_it_takes() -> None:
    readme = " ".join((Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8").split())
    assert (
        f"at least {LEAST_PAIRS} must be left, {LEAST_OF_A_KIND} of them supported and {LEAST_OF_A_KIND} not." in readme
    )
    assert "those of fewer than 20 pairs count together as one" in readme
    few = source_weights(["a"] * 20 + ["b"] * 19 + ["c"])
    assert few.tolist() == pytest.approx([1.0] * 40)
    assert source_weights(["a"] * 20 + ["b"] * 20 + ["c"] * 20).tolist() == pytest.approx([1.0] * 60)
    assert source_weights(["a"] * 40 + ["b"] * 10 + ["c"] * 10)[[0, -1]].tolist() == pytest.approx([0.75, 1.5])


# --- refusals -------------------------------------------------------------------------------------------------------


def test_calibrating_refuses_too_few_pairs() -> None:
    with pytest.raises(DrZeroError) as error:
        calibrate(drawn(39), Known(), prepare=plainly)
    assert str(error.value) == (
        "A calibration needs at least 40 different pairs, but there are 39: label more of them."
    )


def test_calibrating_refuses_pairs_of_one_kind() -> None:
    pairs = [LabelledPair(str(n), "s", f"1 claim {n}", "p", "supported") for n in range(50)]
    with pytest.raises(DrZeroError) as error:
        calibrate(pairs, Known(), prepare=plainly)
    assert str(error.value) == (
        "A calibration needs at least 5 pairs that are supported and 5 that are not, but there are 50 and 0: "
        "label more of them."
    )


def test_calibrating_says_when_other_checks_leave_too_few() -> None:
    def prepare(claim: str, passage: str) -> Fault | list[tuple[str, str]]:
        return [(passage, claim)] if claim.endswith("0") else Fault("name", "No.")

    with pytest.raises(DrZeroError) as error:
        calibrate(drawn(100), Known(), prepare=prepare)
    assert str(error.value) == (
        "A calibration needs at least 40 different pairs, but of 100, the other checks refuse 90, 0 cannot be asked, "
        "which leaves 10: label more of them."
    )

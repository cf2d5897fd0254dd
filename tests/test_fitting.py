"""drzero.fitting: the regression, the threshold and the figures of reliability, against what is known of them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.fitting import (
    FOLDS,
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
    wilson_low,
)
from drzero.loop.calibration import sigmoid


def made(count: int = 400, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Features of two columns and labels drawn with log-odds 2·x − y + 1."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(count, 2)) * [1.0, 3.0] + [0.0, 5.0]
    chance = sigmoid(2 * features[:, 0] - features[:, 1] + 6)
    return features, random.random(count) < chance


# --- the fit --------------------------------------------------------------------------------------------------------


def test_fitting_finds_the_weights_that_made_the_labels() -> None:
    features, truth = made(20_000)
    slopes, intercept = fit(features, truth, np.ones(len(truth)))
    assert slopes.tolist() == pytest.approx([2, -1], rel=0.05)
    assert intercept == pytest.approx(6, rel=0.05)


def test_fitting_is_scikit_learns_logistic_regression() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    features, truth = made()
    weights = np.random.default_rng(2).uniform(0.5, 2, len(truth))
    mean = np.average(features, axis=0, weights=weights)
    spread = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=weights))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = linear_model.LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(
            (features - mean) / spread, truth, sample_weight=weights
        )
    slopes, intercept = fit(features, truth, weights)
    assert (slopes * spread).tolist() == pytest.approx(reference.coef_[0].tolist(), abs=1e-4)
    assert intercept + slopes @ mean == pytest.approx(reference.intercept_[0], abs=1e-4)


def test_fitting_of_separable_pairs_has_an_end() -> None:
    features = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    slopes, intercept = fit(features, features[:, 0] > 0, np.ones(4))
    assert 0 < slopes[0] < 5
    assert intercept == pytest.approx(0, abs=1e-6)


def test_fitting_gives_a_constant_feature_no_weight() -> None:
    features, truth = made()
    with_constant = np.column_stack([features, np.full(len(truth), 7.0)])
    slopes, intercept = fit(with_constant, truth, np.ones(len(truth)))
    assert slopes[2] == pytest.approx(0, abs=1e-12)
    assert [*slopes[:2], intercept] == pytest.approx([*(without := fit(features, truth, np.ones(400)))[0], without[1]])


def test_fitting_counts_a_row_of_weight_two_twice() -> None:
    features, truth = made(60)
    doubled = fit(np.concatenate([features, features[:10]]), np.concatenate([truth, truth[:10]]), np.ones(70))
    weights = np.ones(60)
    weights[:10] = 2
    slopes, intercept = fit(features, truth, weights)
    assert slopes.tolist() == pytest.approx(doubled[0].tolist())
    assert intercept == pytest.approx(doubled[1])


def test_fitting_of_one_kind_alone_is_finite() -> None:
    slopes, intercept = fit(np.array([[1.0], [2.0], [3.0]]), np.ones(3, dtype=bool), np.ones(3))
    assert np.isfinite([*slopes, intercept]).all()


def test_fitting_weighs_sources_alike_and_small_ones_together() -> None:
    weights = source_weights(["a"] * 60 + ["b"] * 20 + ["c"] * 6 + ["d"] * 4)
    assert weights[:60].sum() == weights[60:80].sum() == weights[80:].sum() == pytest.approx(30)
    assert weights[80] == weights[-1] == 3
    assert source_weights(["a", "a"]).tolist() == [1, 1]


def test_fitting_keeps_pairs_of_a_passage_in_one_fold() -> None:
    pairs = [(f"s{n % 2}", f"passage {n // 3}", f"claim {n}") for n in range(120)]
    folds = fold_of(pairs)
    assert len({(passage, fold) for (_, passage, _), fold in zip(pairs, folds, strict=True)}) == 40
    assert sorted(set(folds)) == list(range(FOLDS))
    assert fold_of(pairs[::-1]) == folds[::-1]


def test_fitting_parts_the_claims_of_a_single_passage() -> None:
    folds = fold_of([("s", "one passage", f"claim {n}") for n in range(50)])
    assert [folds.count(fold) for fold in range(FOLDS)] == [10] * 5


# --- the threshold --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "count", "low"),
    [(1.0, 10, 0.9339), (0.95, 100, 0.9283), (0.5, 20, 0.4075), (0.0, 10, 0.0), (1.0, 0, 0.0)],
)
def test_fitting_wilson_bound_has_its_known_values(share: float, count: int, low: float) -> None:
    assert wilson_low(share, count) == pytest.approx(low, abs=1e-4)


@given(st.floats(0, 1), st.floats(0.5, 1e6))
def test_fitting_wilson_bound_is_a_share_below_what_was_seen(share: float, count: float) -> None:
    assert 0 <= wilson_low(share, count) <= share + 1e-12


def test_fitting_wilson_bound_rises_with_the_count() -> None:
    lows = [wilson_low(0.95, count) for count in (5, 20, 100, 1000)]
    assert lows == sorted(lows)


def ranked(*counts: tuple[float, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and labels: of each (probability, right, wrong) so many of either."""
    held = [p for p, right, wrong in counts for _ in range(right + wrong)]
    truth = [label for _, right, wrong in counts for label in [True] * right + [False] * wrong]
    return np.array(held), np.array(truth)


def test_fitting_takes_the_least_threshold_that_is_surely_precise() -> None:
    held, truth = ranked((0.95, 50, 0), (0.85, 48, 2), (0.75, 10, 10), (0.2, 2, 78))
    found = choose_threshold(held, truth, np.ones(200), 0.93)
    assert found == Threshold(0.85, 0.98, pytest.approx(wilson_low(0.98, 100)), pytest.approx(98 / 110), 100)


def test_fitting_a_precision_seen_on_few_is_not_believed() -> None:
    held, truth = ranked((0.9, 9, 0), (0.3, 5, 40))
    assert at_threshold(0.9, held, truth, np.ones(54)).precision == 1.0
    assert choose_threshold(held, truth, np.ones(54), 0.93) is None  # nine right ones are as good as .927
    held, truth = ranked((0.9, 10, 0), (0.3, 5, 40))
    assert choose_threshold(held, truth, np.ones(55), 0.93) is not None


def test_fitting_never_believes_less_than_even_odds() -> None:
    held, truth = ranked((0.1, 500, 0))
    assert choose_threshold(held, truth, np.ones(500), 0.93) is None
    held, truth = ranked((0.1, 500, 0), (0.6, 20, 0))
    found = choose_threshold(held, truth, np.ones(520), 0.93)
    assert found is not None
    assert (found.probability, found.accepted) == (0.6, 20)


def test_fitting_a_threshold_is_in_thousandths_and_one_that_some_pair_has() -> None:
    held, truth = ranked((0.912345, 40, 0), (0.4, 0, 40))
    found = choose_threshold(held, truth, np.ones(80), 0.93)
    assert found is not None
    assert (found.probability, found.accepted, found.recall) == (0.912, 40, 1.0)
    held, truth = ranked((0.912345, 40, 0), (0.91201, 0, 10), (0.4, 0, 40))  # in the same thousandth
    assert choose_threshold(held, truth, np.ones(90), 0.93) is None


def test_fitting_a_threshold_lets_in_nothing_that_brings_no_recall() -> None:
    held, truth = ranked((0.9, 50, 0), (0.55, 0, 2))  # two wrong ones of 52 would still be precise enough
    found = choose_threshold(held, truth, np.ones(52), 0.93)
    assert found is not None
    assert (found.probability, found.precision, found.recall) == (0.9, 1.0, 1.0)


def test_fitting_refused_pairs_are_missed_and_never_accepted() -> None:
    held, truth = ranked((0.9, 30, 0), (0.3, 0, 30))
    held = np.append(held, [math.nan] * 20)
    truth = np.append(truth, [True] * 10 + [False] * 10)
    found = choose_threshold(held, truth, np.ones(80), 0.93)
    assert found is not None
    assert (found.recall, found.precision, found.accepted) == (0.75, 1.0, 30)


def test_fitting_a_heavy_source_of_few_pairs_tells_little() -> None:
    held, truth = ranked((0.9, 30, 0))
    weights = np.ones(30)
    weights[:2] = 50
    assert choose_threshold(held, truth, np.ones(30), 0.93) is not None
    assert choose_threshold(held, truth, weights, 0.93) is None  # 130² / 5028: as good as 3.4 pairs


def test_fitting_precision_weighs_the_pairs() -> None:
    held, truth = ranked((0.9, 1, 1))
    found = at_threshold(0.5, held, truth, np.array([3.0, 1.0]))
    assert (found.precision, found.recall, found.accepted) == (0.75, 1.0, 2)
    none = at_threshold(0.95, held, truth, np.ones(2))
    assert none == Threshold(0.95, 0.0, 0.0, 0.0, 0)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.floats(0.1, 10)), min_size=1, max_size=60),
    st.floats(0.5, 0.99),
)
def test_fitting_a_threshold_holds_what_it_promises(pairs: list[tuple[float, bool, float]], target: float) -> None:
    held, truth, weights = (np.array(column) for column in zip(*pairs, strict=True))
    found = choose_threshold(held, truth, weights, target)
    if found is not None:
        assert target <= found.precision_low <= found.precision + 1e-12
        assert 0.5 <= found.probability <= 1
        assert found.accepted == int((held >= found.probability).sum())
        assert 0 < found.recall <= 1
        assert held[truth].max() >= found.probability


def test_fitting_unseen_tries_each_threshold_on_other_pairs() -> None:
    held, truth = ranked((0.9, 100, 0), (0.6, 0, 100))
    folds = np.arange(200) % FOLDS
    assert unseen(held, truth, np.ones(200), folds, target=0.93) == {"precision": 1.0, "recall": 1.0}
    # what looks sure in one fold alone is believed for the others, where it fails
    held[:] = 0.9
    truth = folds == 0
    assert unseen(held, truth, np.ones(200), folds, target=0.93) == {"precision": None, "recall": 0.0}


# --- how well probabilities hold ------------------------------------------------------------------------------------


def test_fitting_reliability_bins_are_of_equal_width() -> None:
    rows = reliability(np.array([0.0, 0.05, 0.1, 0.95, 1.0]), np.array([False, True, False, True, True]))
    assert len(rows) == 10
    assert rows[0] == {"low": 0.0, "high": 0.1, "n": 2, "probability": pytest.approx(0.025), "rate": 0.5}
    assert rows[1] == {"low": 0.1, "high": 0.2, "n": 1, "probability": 0.1, "rate": 0.0}
    assert rows[5] == {"low": 0.5, "high": 0.6, "n": 0, "probability": None, "rate": None}
    assert rows[9] == {"low": 0.9, "high": 1.0, "n": 2, "probability": pytest.approx(0.975), "rate": 1.0}


def test_fitting_expected_calibration_error_by_hand() -> None:
    held, truth = ranked((0.85, 3, 1), (0.25, 1, 5))
    assert expected_calibration_error(held, truth) == pytest.approx(0.4 * abs(0.75 - 0.85) + 0.6 * abs(1 / 6 - 0.25))


def test_fitting_equal_mass_error_is_not_blind_within_a_bin() -> None:
    held = np.linspace(0.90, 0.99, 100)
    truth = np.arange(100) >= 10  # the lowest tenth is all wrong, the rest all right
    assert expected_calibration_error(held, truth) < 0.05
    assert equal_mass_error(held, truth) > 0.13
    assert equal_mass_error(held[:3], truth[:3]) == pytest.approx(held[:3].mean())


def test_fitting_a_calibrated_judge_has_little_error() -> None:
    random = np.random.default_rng(3)
    held = random.random(20_000)
    truth = random.random(20_000) < held
    assert expected_calibration_error(held, truth) < 0.02
    assert equal_mass_error(held, truth) < 0.02

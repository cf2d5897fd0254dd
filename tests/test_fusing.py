from __future__ import annotations

import numpy as np
import pytest

from drzero.retrieval.fusing import above_chance, best, blend, reconsider


def test_fusing_best_takes_equal_scores_by_place() -> None:
    assert best({(1, 0): 0.5, (0, 2): 0.5, (0, 1): 0.9}) == [((0, 1), 0.9), ((0, 2), 0.5), ((1, 0), 0.5)]
    assert best({(0, 0): 0.1, (0, 1): 0.2}, 1) == [((0, 1), 0.2)]


def test_fusing_similarity_counts_in_deviations_above_chance() -> None:
    background = np.array([0.0, 0.2] * 5000, dtype=np.float32)  # .1 ± .1, as the few are taken to be
    near = above_chance(np.array([0.1, 0.6, 1.1], dtype=np.float32), background)
    assert near == pytest.approx([0.0, 0.5, 1.0], abs=1e-3)


def test_fusing_similarity_of_any_embedder_counts_alike() -> None:
    background = np.linspace(-0.1, 0.3, 10_000, dtype=np.float32)
    near = above_chance(np.array([0.5], dtype=np.float32), background)
    crowded = above_chance(np.array([0.65], dtype=np.float32), background / 2 + 0.4)  # the same, squeezed and lifted
    assert near == pytest.approx(crowded, abs=5e-3)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fusing_similarity_of_a_tiny_index_is_taken_as_usual(count: int) -> None:
    near = above_chance(np.array([0.6], dtype=np.float32), np.full(count, 0.1, dtype=np.float32))
    assert near == pytest.approx([0.5], abs=0.05)


def test_fusing_blend_weighs_words_over_similarity() -> None:
    assert blend(1.0, 0.0, 0.7) == pytest.approx(0.3)
    assert blend(0.5, 1.0, 0.7) == pytest.approx(0.85)


def test_fusing_second_opinion_moves_by_deviations() -> None:
    one, two, three = (0, 1), (0, 2), (0, 3)
    moved = reconsider([(one, 0.6), (two, 0.4), (three, 0.1)], [-1.0, 1.0], 0.5)
    assert moved == [(one, pytest.approx(0.55)), (two, pytest.approx(0.45)), (three, pytest.approx(0.05))]
    turned = reconsider([(one, 0.6), (two, 0.4), (three, 0.1)], [-1.0, 1.0], 2.0)
    assert [place for place, _ in turned] == [two, one, three]


def test_fusing_second_opinion_that_says_nothing_changes_nothing() -> None:
    ranking = [((0, 1), 0.6), ((0, 2), 0.4)]
    assert reconsider(ranking, [], 1.0) == ranking
    assert reconsider(ranking, [3.0, 3.0], 1.0) == [(place, pytest.approx(score)) for place, score in ranking]

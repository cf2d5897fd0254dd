"""How dense and lexical scores become one, and how a second opinion changes a ranking. Pure arithmetic.

A similarity means something else with each embedder: unrelated texts are .03 ± .09 alike with MiniLM, .39 ± .06 with
bge-small. So it counts in standard deviations above what chunks of the same indexes picked at random have with the
same query. A BM25 score counts as the share of the most that the query could reach. Both mean the same in a small
index and in a large one, and in several together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from drzero.types import Float32

_DEVIATIONS = 10.0  # above chance at which a similarity counts as much as all words in the best way
_USUAL_MEAN, _USUAL_DEVIATION, _USUAL_COUNT = 0.1, 0.1, 16  # what a few chunks are mixed with


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a hybrid search weighs, calibrated by `scripts/calibrate_search.py` on three labelled sets.

    Goodness there (recall@1, recall@5, mrr@10, all@10 and sentence_recall@5 in the mean, the sets counting alike; with
    MiniLM, 200 questions of SelQA and XQuAD, all 100 of HotpotQA) by the lexical weight:
    .5 .951   .6 .956   .65 .957   .7 .957   .75 .955
    bge-small gains .005 by a weight of .5, static vectors .003 by one of .8: .7 is near the best of all three.
    Without the second search, by fused reciprocal ranks, blended scores and with it: MiniLM .925, .932, .950.
    Uplift 0 .939 (HotpotQA .848)   .3 .955 (.897)   .4 to .8 .958 (.907); the other sets stay as they are. Chosen on
    halves of the questions 500 times, settings from .4 to .8 win, and none is better on the other halves than this.
    A cross-encoder's opinion of ten passages lifts recall@1 on XQuAD from .980 to .993 and recall@5 on HotpotQA from
    .895 to .915 by any weight from .8 to 2; that of MiniLM on twenty found by static vectors lifts goodness from .938
    to .948, that of bge-small to .961, by any from .7 to 1.5.
    """

    lexical_weight: float = 0.7
    seeds: int = 3  # articles that may name others
    named_per_seed: int = 3  # articles taken of those that each names
    uplift: float = 0.5  # how far a named one comes up to what named it: 0 not at all, 1 to the same place
    opinion_weight: float = 1.0


Place = tuple[int, int]  # number of the index, row in it
Ranking = list[tuple[Place, float]]  # best first


def best(found: Mapping[Place, float], k: int | None = None) -> Ranking:
    """The `k` best places, equal scores by place."""
    return sorted(found.items(), key=lambda hit: (-hit[1], hit[0]))[:k]


def above_chance(similarities: Float32, background: Float32) -> Float32:
    """`similarities` in tenths of ten standard deviations above those of `background`: about 0 to 1."""
    count = len(background)
    mean = (float(background.sum()) + _USUAL_MEAN * _USUAL_COUNT) / (count + _USUAL_COUNT)
    squares = float(np.square(background - mean).sum()) + _USUAL_DEVIATION**2 * _USUAL_COUNT
    deviation = (squares / (count + _USUAL_COUNT)) ** 0.5
    return np.asarray((similarities - mean) / (_DEVIATIONS * max(deviation, 1e-6)), dtype=np.float32)


def blend(dense: float, lexical: float, lexical_weight: float) -> float:
    """One score of a similarity above chance and a share of the possible BM25."""
    return (1 - lexical_weight) * dense + lexical_weight * lexical


def reconsider(ranking: Ranking, opinions: Sequence[float], weight: float) -> Ranking:
    """`ranking` with a second opinion of its first places, each as many standard deviations as it is off the mean.

    What has no opinion counts as the worst of those that have one.
    """
    if not len(opinions):
        return ranking
    said = np.asarray(opinions, dtype=np.float64)
    scores = np.array([score for _, score in ranking])
    shift = np.full(len(scores), said.min())
    shift[: len(said)] = said
    shift = weight * scores[: len(said)].std() * (shift - said.mean()) / max(float(said.std()), 1e-9)
    return best({place: score + float(more) for (place, score), more in zip(ranking, shift, strict=True)})

"""Passages for a query from one or several indexes: dense, lexical, or both, with a second search behind the first.

Each ranking is made over all indexes together. Similarities of one embedder are comparable as they are. BM25 scores
are not: a word that is rare in one archive weighs more there than in the archive that is about it, so that raw scores
favour the archive that hardly knows the subject, and merging by rank would give every archive an equal share of the
places. So a lexical score is the share of the best score the query could reach in its own index (`Store.lexical`).

The second search needs no model: what the first passages name, article by article (`Store.named`), is looked at too.
"In what state is the manufacturer of Bisquick headquartered?" finds the page of Bisquick, which names General Mills.
Such a page comes behind the passage that named it, half the way up to it from where it would stand by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from drzero.errors import IndexFault, SettingsError
from drzero.retrieval.alike import Wording, twins, wording
from drzero.retrieval.fusing import Place, Ranking, Tuning, above_chance, best, blend, reconsider
from drzero.retrieval.index import OpenIndex
from drzero.retrieval.leaning import USUAL, lexical_weight, meaning_shares
from drzero.retrieval.manifest import description_of
from drzero.text import embedding_text
from drzero.types import Chunk, Embedder, Float32, Passage, Reranker

MODES = ("hybrid", "dense", "lexical")
DEPTH = 100  # candidates of each ranking: the first hits are the same for every k up to this
RERANK_DEPTH = 20
TUNING = Tuning()
_BACKGROUND = 256  # chunks that stand for an index
_SAMPLES: WeakKeyDictionary[OpenIndex, Float32] = WeakKeyDictionary()


def search(
    indexes: Sequence[OpenIndex],
    query: str,
    *,
    embedder: Embedder | None,
    k: int = 10,
    mode: str = "hybrid",
    evidence: bool = False,
    reranker: Reranker | None = None,
    rerank_depth: int = RERANK_DEPTH,
    tuning: Tuning = TUNING,
) -> list[Passage]:
    """The `k` best passages for any text as query, best first; passages that say the same come once.

    With `evidence` only what an answer may rest on: no page that is marked as a signpost, a placeholder or a stub.
    `Passage.score` is the cosine similarity ("dense"), BM25 ("lexical"; over several indexes a share, see above), or
    both blended ("hybrid": 0 is chance, 1 about the most that can be reached, `fusing.blend`). A `reranker` reads the
    first `rerank_depth` passages again and moves them, and their scores, up or down, unless the first is in a language
    that the embedder does not know. Raises IndexFault when the embedder is missing or
    not the indexes' own.
    """
    if mode not in MODES:
        raise SettingsError(f"There is no search mode {mode}; choose one of {', '.join(MODES)}.")
    query = query.encode("utf-8", "replace").decode()
    if not query.strip() or k < 1:
        return []
    judged = mode == "hybrid" or reranker is not None
    meaning = meaning_shares(indexes, query, embedder) if judged else [USUAL] * len(indexes)
    looked_at = _Candidates(indexes, query, max(DEPTH, k), tuning, meaning)
    if mode == "lexical":
        ranking = looked_at.lexical(comparable=len(indexes) > 1)
    elif mode == "dense":
        ranking = looked_at.dense(_query_vector(indexes, query, embedder))
    else:
        vector = _query_vector(indexes, query, embedder)
        ranking = looked_at.hybrid(vector)
    if reranker is not None and ranking and rerank_depth > 0 and looked_at.understood(ranking[0][0]):
        read = looked_at.chunks([place for place, _ in ranking[:rerank_depth]])
        texts = [embedding_text(chunk.title, chunk.heading, chunk.text) for chunk in read]
        ranking = reconsider(ranking, [float(score) for score in reranker.rerank(query, texts)], tuning.opinion_weight)
    if mode == "hybrid":
        ranking = looked_at.with_named(ranking, vector)
    return _passages(looked_at, ranking, k, evidence=evidence)


def _sample(index: OpenIndex) -> Float32:
    """Vectors of chunks that stand for an index, evenly spread, of shape (≤ `_BACKGROUND`, dim); read once."""
    if index not in _SAMPLES:
        rows = np.linspace(0, index.count - 1, min(_BACKGROUND, index.count)).astype(np.int64)
        _SAMPLES[index] = index.vectors.vectors(rows)
    return _SAMPLES[index]


def _query_vector(indexes: Sequence[OpenIndex], query: str, embedder: Embedder | None) -> Float32:
    """float32 of shape (dim,)."""
    if embedder is None:
        raise IndexFault(
            "Dense search needs the embedder the index was made with; fetch it, or search with mode lexical."
        )
    for index in indexes:
        index.manifest.refuse_another(index.name, embedder.id, description_of(embedder))
    vectors: Float32 = np.ascontiguousarray(embedder.embed_queries([query]), dtype=np.float32)
    return vectors.reshape(-1)


class _Candidates:
    """What one query finds in all indexes; each chunk is fetched once.

    `meaning` is what similarities count for in each index (`leaning`).
    """

    def __init__(
        self, indexes: Sequence[OpenIndex], query: str, depth: int, tuning: Tuning, meaning: Sequence[float]
    ) -> None:
        self.indexes, self.query, self.depth, self._tuning, self._meaning = indexes, query, depth, tuning, meaning
        self._chunks: dict[Place, Chunk] = {}
        self._shares: dict[Place, float] = {}
        self._similarities: dict[Place, float] = {}
        self._background: Float32 = np.zeros(0, dtype=np.float32)

    def dense(self, vector: Float32) -> Ranking:
        """The places most alike to the query, by cosine similarity."""
        found: dict[Place, float] = {}
        for number, index in enumerate(self.indexes):
            similarities, rows = index.vectors.search(vector[None], self.depth)
            found |= {(number, int(row)): float(s) for s, row in zip(similarities[0], rows[0], strict=True)}
        return best(found, self.depth)

    def lexical(self, *, comparable: bool) -> Ranking:
        """The best places by BM25, or by its share of what the query could reach."""
        found: dict[Place, float] = {}
        for number, index in enumerate(self.indexes):
            hits = index.store.lexical(self.query, self.depth, comparable=comparable)
            found |= {(number, row): score for row, score in hits}
        return best(found, self.depth)

    def hybrid(self, vector: Float32) -> Ranking:
        """The places of both rankings, each by both its scores; a place that only one of them has by what is known."""
        samples = [_sample(index) @ vector for index in self.indexes if index.count]
        self._background = np.concatenate(samples) if samples else self._background
        self._shares = dict(self.lexical(comparable=True))
        self._similarities = dict(self.dense(vector))
        return best(self._scores(list(self._shares | self._similarities), vector))

    def _scores(self, places: Sequence[Place], vector: Float32) -> dict[Place, float]:
        """The blended score of any places: similarities from the stored vectors, BM25 for what `lexical` found."""
        unread: defaultdict[int, list[int]] = defaultdict(list)
        for number, row in places:
            if (number, row) not in self._similarities:
                unread[number].append(row)
        for number, rows in unread.items():
            near = self.indexes[number].vectors.vectors(rows) @ vector
            self._similarities |= {(number, row): float(one) for row, one in zip(rows, near, strict=True)}
        similarities = np.array([self._similarities[place] for place in places], dtype=np.float32)
        near = above_chance(similarities, self._background)
        weights = [lexical_weight(self._tuning.lexical_weight, share) for share in self._meaning]
        return {
            place: blend(float(one), self._shares.get(place, 0.0), weights[place[0]])
            for place, one in zip(places, near, strict=True)
        }

    def understood(self, place: Place) -> bool:
        """Whether models may judge what stands at `place`: a re-ranker knows the languages of its preset's embedder."""
        return self._meaning[place[0]] >= USUAL

    def with_named(self, ranking: Ranking, vector: Float32) -> Ranking:
        """`ranking` with the best chunk of each article that its first passages name, lifted towards them."""
        found = dict(ranking)
        for (number, row), score in self._seeds(ranking):
            (seed,) = self.chunks([(number, row)])
            articles = [
                [(other, one) for one in rows]
                for other, index in enumerate(self.indexes)
                for rows in index.store.named(seed.text)
                if rows
            ]
            known = self._scores([place for rows in articles for place in rows], vector)
            firsts = best(dict(best({place: known[place] for place in rows}, 1)[0] for rows in articles))
            others = [hit for hit in firsts[: self._tuning.named_per_seed + 1] if not self._is_of(hit[0], number, seed)]
            for place, own in others[: self._tuning.named_per_seed]:
                found[place] = max(found.get(place, own), own + self._tuning.uplift * (score - own))
        return best(found)

    def _is_of(self, place: Place, number: int, chunk: Chunk) -> bool:
        """Whether the chunk at `place` is of the same article as `chunk` of index `number`."""
        return place[0] == number and self.chunks([place])[0].path == chunk.path

    def _seeds(self, ranking: Ranking) -> Ranking:
        """The first passages of the first articles."""
        seeds: dict[tuple[int, str], tuple[Place, float]] = {}
        first = ranking[: self._tuning.seeds * 5]
        for (place, score), chunk in zip(first, self.chunks([place for place, _ in first]), strict=True):
            seeds.setdefault((place[0], chunk.path), (place, score))
            if len(seeds) == self._tuning.seeds:
                break
        return list(seeds.values())

    def chunks(self, places: Sequence[Place]) -> list[Chunk]:
        """The chunks at the given places, in that order."""
        wanted: defaultdict[int, list[int]] = defaultdict(list)
        for number, row in places:
            if (number, row) not in self._chunks:
                wanted[number].append(row)
        for number, rows in wanted.items():
            self._chunks.update(zip(((number, row) for row in rows), self.indexes[number].chunks(rows), strict=True))
        return [self._chunks[place] for place in places]


def _passages(looked_at: _Candidates, ranking: Ranking, k: int, *, evidence: bool) -> list[Passage]:
    passages: list[Passage] = []
    kept: list[Wording] = []
    for start in range(0, len(ranking), k):
        some = ranking[start : start + k]
        for (place, score), chunk in zip(some, looked_at.chunks([place for place, _ in some]), strict=True):
            if evidence and chunk.mark:
                continue
            said = wording(place[0], chunk)
            if any(twins(said, other) for other in kept):
                continue
            kept.append(said)
            passages.append(Passage(chunk, score, len(passages) + 1, looked_at.indexes[place[0]].name))
            if len(passages) == k:
                return passages
    return passages

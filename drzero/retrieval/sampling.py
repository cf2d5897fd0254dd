"""Drawing chunks to ask about: spread over the archive, the articles and topics asked about least come first.

A topic is a cell of the index's clusters; a small index has none, and its stretches stand for them, as an archive keeps
what was written together side by side. A chunk that is no evidence is drawn only when all candidates are such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from drzero.retrieval.index import OpenIndex
from drzero.types import Chunk

_CANDIDATES = 6  # drawn at a time; the one whose article and topic were asked about least is taken
_STRETCHES = 64  # of an index without clusters

ArticleKey = tuple[str, str]  # (zim_id, path)
Topic = tuple[str, int]  # (zim_id, cell or stretch)


class Sampler:
    """Draws chunks from indexes, or from `pool` when one is given. `asked` counts questions by article."""

    def __init__(self, indexes: Sequence[OpenIndex], asked: Counter[ArticleKey], pool: Sequence[Chunk] = ()) -> None:
        self._indexes, self.asked, self._pool = [index for index in indexes if index.count], asked, tuple(pool)
        self._counts = [index.count for index in self._indexes]
        self._of_article: dict[ArticleKey, Topic | None] = {}

    def __call__(self, rng: Random) -> Chunk:
        """One chunk; the same `rng` and the same counts give the same chunk."""
        if self._pool:
            drawn = [(rng.choice(self._pool), None) for _ in range(_CANDIDATES)]
            return min(drawn, key=lambda one: self._wear(one[0]))[0]
        rows = [self._row(rng) for _ in range(_CANDIDATES)]
        busy = self._busy()
        found = [(index.chunks([row])[0], busy[topic_of(index, row)]) for index, row in rows]
        return min(found, key=lambda one: (*self._wear(one[0]), one[1]))[0]

    def _row(self, rng: Random) -> tuple[OpenIndex, int]:
        index = rng.choices(self._indexes, weights=self._counts)[0]
        return index, rng.randrange(index.count)

    def _wear(self, chunk: Chunk) -> tuple[bool, int]:
        return bool(chunk.mark), self.asked[chunk.zim_id, chunk.path]

    def _busy(self) -> Counter[Topic]:
        """How many questions were asked of each topic, by where the articles asked about begin."""
        busy: Counter[Topic] = Counter()
        for key, times in self.asked.items():
            topic = self._topic(key)
            if topic is not None:
                busy[topic] += times
        return busy

    def _topic(self, key: ArticleKey) -> Topic | None:
        if key not in self._of_article:
            self._of_article[key] = None
            for index in self._indexes:
                if index.manifest.archive.id == key[0]:
                    first = index.chunks_of(key[1])[:1]
                    row = index.store.row_of(first[0].id) if first else None
                    self._of_article[key] = None if row is None else topic_of(index, row)
        return self._of_article[key]


def topic_of(index: OpenIndex, row: int) -> Topic:
    """The topic of a chunk: the cell of its vector, else the stretch of the index that it lies in."""
    clusters = index.vectors.clusters
    if clusters is None:
        return index.manifest.archive.id, row * _STRETCHES // index.count
    return index.manifest.archive.id, int(clusters.cells_of(index.vectors.vectors([row]))[0])

"""Drawing chunks to ask about: spread over the archive, articles that were asked about least come first.

A chunk that is no evidence is drawn only when all candidates are such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from drzero.retrieval.index import OpenIndex
from drzero.types import Chunk

_CANDIDATES = 4  # drawn at a time; the one whose article was asked about least is taken

ArticleKey = tuple[str, str]  # (zim_id, path)


class Sampler:
    """Draws chunks from indexes, or from `pool` when one is given. `asked` counts questions by article."""

    def __init__(self, indexes: Sequence[OpenIndex], asked: Counter[ArticleKey], pool: Sequence[Chunk] = ()) -> None:
        self._indexes, self.asked, self._pool = [index for index in indexes if index.count], asked, tuple(pool)
        self._counts = [index.count for index in self._indexes]

    def __call__(self, rng: Random) -> Chunk:
        """One chunk; the same `rng` and the same counts give the same chunk."""
        drawn = [self._draw(rng) for _ in range(_CANDIDATES)]
        return min(drawn, key=lambda chunk: (bool(chunk.mark), self.asked[chunk.zim_id, chunk.path]))

    def _draw(self, rng: Random) -> Chunk:
        if self._pool:
            return rng.choice(self._pool)
        index = rng.choices(self._indexes, weights=self._counts)[0]
        return index.chunks([rng.randrange(index.count)])[0]

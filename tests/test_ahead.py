"""Embedding beside the reading: how batches are cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from drzero.retrieval.ahead import Ahead
from drzero.retrieval.writing import Batch
from drzero.types import Chunk, Float32, Ids, TokenisedChunk
from tests.fakes import HashEmbedder


class Pieces(HashEmbedder):
    """A `HashEmbedder` that keeps how many tokens the texts had that it was asked for together."""

    def __init__(self, piece: int | None) -> None:
        super().__init__(dim=8)
        self.asked: list[list[int]] = []
        if piece is not None:
            self.piece = piece

    def embed_passages(self, texts: Sequence[str], tokens: Sequence[Ids] | None = None) -> Float32:
        self.asked.append([len(one) for one in tokens or ()])
        return super().embed_passages(texts, tokens)


def batch_of(count: int) -> Batch:
    batch = Batch()
    for number in range(count):
        text = "sea " * (1 + number % 5)
        chunk = Chunk(f"{number}", "z", "A", "A", (), text, 0, len(text))
        batch.chunks.append(TokenisedChunk(chunk, np.zeros(1 + number % 5, dtype=np.int32)))
        batch.texts.append(text)
    return batch


@pytest.mark.parametrize(
    ("piece", "count", "pieces"),
    [
        (None, 128, [32, 32, 32, 32]),
        (None, 70, [32, 38]),
        (None, 3, [3]),
        (None, 0, []),
        (24, 128, [32, 32, 32, 32]),  # two workers
        (96, 128, [128]),  # eight
        (192, 128, [128]),  # sixteen
        (48, 128, [48, 80]),
    ],
)
def test_ahead_cuts_batches_as_the_embedder_asks(piece: int | None, count: int, pieces: list[int]) -> None:
    embedder, batch = Pieces(piece), batch_of(count)
    with Ahead(embedder, None, lambda: None) as ahead:
        ahead.put(batch)
        ((back, vectors),) = ahead.finished(wait_for_all=True)
    assert back is batch
    assert [len(one) for one in embedder.asked] == pieces
    together = [tokens for one in embedder.asked for tokens in one]
    assert together == sorted(together, reverse=True)
    np.testing.assert_array_equal(vectors, HashEmbedder(dim=8).embed_passages(batch.texts))

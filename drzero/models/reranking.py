"""Re-rankers: second opinions on the passages that a search found, from a cross-encoder or from a better embedder."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from drzero.errors import ModelError
from drzero.files import sha256_of
from drzero.models.describing import stated
from drzero.models.embedding import load_embedder
from drzero.models.pairs import PairGraph, read_tokenizer
from drzero.models.resolve import ResolvedModel, check_reranker_folder, onnx_graph
from drzero.models.workers import Crew
from drzero.types import Embedder, Float32, Reranker

LIMIT_TOKENS = 512  # of cross-encoders that do not state theirs
_QUERY_SHARE = 2  # a query may take up one in so many tokens of a pair, so that a passage is always read
_REMEMBERED = 4096  # passages, so that those of related queries are read once
_SPECIAL = 3  # tokens around and between query and passage, at least


def load_reranker(model: ResolvedModel, *, threads: int = 0, note: Callable[[str], None] | None = None) -> Reranker:
    """The re-ranker that `model` is: a cross-encoder, or an embedder whose similarities are taken.

    `note` is as for `load_embedder`. Raises ModelError for a broken folder.
    """
    if model.kind == "reranker":
        return CrossEncoder(model.path, threads=threads)
    return EmbeddingReranker(load_embedder(model.path, threads=threads, note=note))


class EmbeddingReranker:
    """A `Reranker`: the cosine similarity of query and passage by an embedder other than the index's own."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: OrderedDict[str, Float32] = OrderedDict()  # of passages, the last one read at the end
        self._turn = threading.Lock()
        self.id = embedder.id

    def rerank(self, query: str, texts: Sequence[str]) -> Float32:
        """float32 of shape (len(texts),) in [-1,1]; of a text beyond the embedder's limit the beginning counts."""
        if not texts:
            return np.zeros(0, dtype=np.float32)
        asked = self._embedder.embed_queries([query])[0]
        with self._turn:
            self._read([text for text in dict.fromkeys(texts) if text not in self._vectors])
            scores: Float32 = np.stack([self._vectors[text] for text in texts]) @ asked
            for text in texts:
                self._vectors.move_to_end(text)
            while len(self._vectors) > max(_REMEMBERED, len(texts)):
                self._vectors.popitem(last=False)
        return scores

    def _read(self, texts: Sequence[str]) -> None:
        if not texts:
            return
        cut, tokenizer = texts, getattr(self._embedder, "tokenizer", None)
        if tokenizer is not None:  # an index of another embedder may hold longer chunks than this one reads
            cut = [text[: tokenizer.fitting_chars(text, tokenizer.limit_tokens)] for text in texts]
        self._vectors.update(zip(texts, self._embedder.embed_passages(cut), strict=True))


class CrossEncoder:
    """A `Reranker`: a transformer that reads query and passage together, as an ONNX graph with one number a pair.

    One pair a run, `threads` runs at once; with 0 that is chosen while it works. A pair that is too long loses the end
    of its passage; a query never takes more than half of what is read.
    """

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        check_reranker_folder(folder)
        graph = onnx_graph(folder)
        assert graph is not None, folder  # noqa: S101 (checked the line before)
        self._graph, self._crew = PairGraph(graph, "re-ranker"), Crew(threads)
        self._limit = min(limit for limit in (_limit(folder), self._graph.length) if limit)
        self._pairs, self._alone = (read_tokenizer(folder / "tokenizer.json") for _ in range(2))
        self._pairs.enable_truncation(self._limit, strategy="only_second")
        self.id = reranker_id(folder)
        self._score("a question", "a passage")  # tells a graph of another kind at once

    def rerank(self, query: str, texts: Sequence[str]) -> Float32:
        """float32 of shape (len(texts),): the model's own scores, without bounds."""
        scores = np.zeros(len(texts), dtype=np.float32)
        asked = self._cut(query)

        def score(place: int) -> None:
            scores[place] = self._score(asked, texts[place])

        self._crew.work(score, [len(text) for text in texts])
        return scores

    def _cut(self, query: str) -> str:
        most = max(1, (self._limit - _SPECIAL) // _QUERY_SHARE)
        spans = self._alone.encode(query, add_special_tokens=False).offsets
        return query if len(spans) <= most else query[: spans[most - 1][1]]

    def _score(self, query: str, text: str) -> float:
        found = self._graph.outputs(self._pairs.encode(query, text))
        if found.size != 1 or not np.isfinite(found).all():
            raise ModelError(
                f"The re-ranker {self._graph.path} gives {found.size} numbers for a pair, not one: name another model."
            )
        return float(found[0])


def reranker_id(folder: Path) -> str:
    """Name and fingerprint of the cross-encoder in `folder`: 16 hexadecimal digits over graph, tokenizer and limit.

    Raises ModelError for a broken folder.
    """
    check_reranker_folder(folder)
    digest = hashlib.sha256(str(_limit(folder)).encode())
    for file in (onnx_graph(folder), folder / "tokenizer.json"):
        if file is not None:
            digest.update(sha256_of(file))
    return f"{folder.absolute().name}@{digest.hexdigest()[:16]}"


def _limit(folder: Path) -> int:
    found = (
        stated(folder, "sentence_bert_config.json").get("max_seq_length"),
        stated(folder, "tokenizer_config.json").get("model_max_length"),
        LIMIT_TOKENS,
    )
    return int(min(limit for limit in found if limit))

"""Embedders as ONNX graphs: no torch, one text a run, as many runs at once as the machine has cores for.

A run of one text needs no padding, and quantisation, which takes its range from all that is in a run, cannot make a
vector depend on the texts beside it: an index comes out the same however its build was cut into steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from drzero.errors import ModelError
from drzero.models.describing import ModelSettings, describe
from drzero.models.tokenizing import ModelTokenizer
from drzero.models.workers import Crew
from drzero.types import Float32, Ids, Int64

_TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings", "hidden_states")
_TEXT_OUTPUTS = ("sentence_embedding", "sentence_embeddings", "text_embeds")
_SMALLEST = 1e-12  # of a length to divide by, as torch's normalize has it

_POOL: Mapping[str, Callable[[Float32], Float32]] = {
    "cls": lambda states: states[0],
    "lasttoken": lambda states: states[-1],
    "max": lambda states: states.max(axis=0),
    "mean": lambda states: states.mean(axis=0, dtype=np.float32),
}


def open_session(path: Path, what: str) -> Any:
    """The onnxruntime session of a graph, on one thread a run. Raises ModelError, where `what` is what the graph is."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # patterns are kept for each length of text, of which there are hundreds
    options.log_severity_level = 3  # errors; what is said of a graph's style is of no use to the user
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no base class of their own
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ModelError(f"The {what} {path} does not load ({reason}): copy or fetch the folder again.") from error


class Graph:
    """An ONNX graph that reads token ids. Runs are of one thread each and may go on side by side.

    Raises ModelError when `path` is no graph of that kind.
    """

    def __init__(self, path: Path, pooling: str) -> None:
        self._session = open_session(path, "ONNX graph")
        self._path = path
        self._inputs = tuple(one.name for one in self._session.get_inputs())
        strange = sorted({*self._inputs} - {"input_ids", "attention_mask", "token_type_ids", "position_ids"})
        if strange or "input_ids" not in self._inputs:
            raise ModelError(f"The ONNX graph {path} reads {', '.join(self._inputs)}, not a text's input_ids alone.")
        self._output, pooled = self._wanted_output()
        self._pool = None if pooled else _POOL[pooling]
        self._types = {
            one.name: np.int32 if one.type == "tensor(int32)" else np.int64 for one in self._session.get_inputs()
        }

    def _wanted_output(self) -> tuple[str, bool]:
        """The output to read, and whether it is one vector a text: pooler_output, which is neither, never counts."""
        outputs = {one.name: len(one.shape or ()) for one in self._session.get_outputs()}
        for name in (*_TOKEN_OUTPUTS, *_TEXT_OUTPUTS):
            if outputs.get(name) in (2, 3):
                return name, outputs[name] == 2
        left = [name for name, rank in outputs.items() if rank in (2, 3) and name != "pooler_output"]
        if len(left) != 1:
            raise ModelError(
                f"The ONNX graph {self._path} gives {', '.join(outputs)}, of which none is known as the text's vector."
            )
        return left[0], outputs[left[0]] == 2

    def vector(self, ids: Sequence[int] | Ids | Int64) -> Float32:
        """The vector of length 1 of one text's token ids, shape (dim,). Raises ModelError where it is no number."""
        vector: Float32 = self.vectors(np.asarray(ids, dtype=np.int64)[None])[0]
        return vector

    def vectors(self, ids: Int64) -> Float32:
        """The vectors of texts with equally many tokens: ids of shape (texts, tokens) → float32 (texts, dim)."""
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(ids.shape[1]), ids.shape),
        }
        fed = {name: np.ascontiguousarray(given[name], dtype=self._types[name]) for name in self._inputs}
        states = self._session.run([self._output], fed)[0]
        pooled = states if self._pool is None else np.stack([self._pool(one) for one in states])
        pooled = np.asarray(pooled, dtype=np.float32)
        lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise ModelError(f"The embedder {self._path} gives no number for a text: copy or fetch the folder again.")
        return np.asarray(pooled / np.maximum(lengths, _SMALLEST), dtype=np.float32)


class OnnxEmbedder:
    """An `Embedder` with its `tokenizer` and `description`, of a graph and the model's own settings.

    `threads` is how many texts are computed at once; with 0 that is chosen while a build goes on. `piece` is how many
    texts to ask for at once where there are many, on this machine.
    """

    def __init__(
        self, graph: Path, settings: ModelSettings, tokenizer_json: str, *, name: str, precision: str, threads: int = 0
    ) -> None:
        self._graph = Graph(graph, settings.pooling)
        self._crew = Crew(threads)
        self.piece = self._crew.wanted
        self.tokenizer = ModelTokenizer(tokenizer_json, settings.passage_prefix, settings.limit_tokens)
        self._query_tokenizer = (
            self.tokenizer
            if settings.query_prefix == settings.passage_prefix
            else ModelTokenizer(tokenizer_json, settings.query_prefix, settings.limit_tokens)
        )
        self.id = name
        self.dim = len(self._graph.vector(self.tokenizer.ids([""])[0]))
        self.description = describe(settings, embedder_id=name, dim=self.dim, precision=precision)

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        """float32 of shape (len(texts), dim), rows of length 1. What a query has beyond the limit is left out."""
        reader = self._query_tokenizer
        cut = [text[: reader.fitting_chars(text, reader.limit_tokens)] for text in texts]
        ids = reader.ids(cut)  # a text cut within a word may come out longer by a token
        return self._embed([one if len(one) <= reader.limit_tokens else one[: reader.limit_tokens] for one in ids])

    def embed_passages(self, texts: Sequence[str], tokens: Sequence[Ids] | None = None) -> Float32:
        """float32 of shape (len(texts), dim), rows of length 1. A text longer than the limit raises ValueError.

        With `tokens`, the ids that `tokenizer` made of each text, nothing is tokenized here.
        """
        ids = self.tokenizer.ids(texts) if tokens is None else tokens
        refuse_long(texts, [len(one) for one in ids], self.tokenizer.limit_tokens)
        return self._embed(ids)

    def _embed(self, ids: Sequence[Sequence[int] | Ids]) -> Float32:
        vectors = np.zeros((len(ids), self.dim), dtype=np.float32)

        def embed(row: int) -> None:
            vectors[row] = self._graph.vector(ids[row])

        self._crew.work(embed, [len(one) for one in ids])
        return vectors


def refuse_long(texts: Sequence[str], counts: Sequence[int], limit: int) -> None:
    """Raise ValueError for the first text whose count of tokens is over the limit: nothing is cut in silence."""
    for text, count in zip(texts, counts, strict=True):
        if count > limit:
            raise ValueError(
                f"a text of {count} tokens is longer than the {limit} that the embedder reads: {text[:60]!r}"
            )

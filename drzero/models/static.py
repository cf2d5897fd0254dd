"""Static embedders: a table of word vectors, averaged over a text's tokens; numpy and the tokenizer are all they need.

Read as sentence-transformers (StaticEmbedding) and model2vec lay them out: one safetensors file with the table, in the
latter perhaps with a weight for each token and the number of its row. The table is mapped; a build reads it whole.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from drzero.errors import ModelError
from drzero.models.describing import ModelSettings, describe, read_settings
from drzero.models.fingerprints import id_of
from drzero.models.onnx_embedding import refuse_long
from drzero.models.resolve import check_embedder_folder, read_json
from drzero.models.tokenizing import ModelTokenizer
from drzero.types import Float32, Ids, Int64

LIMIT_TOKENS = 512
"""A mean has no limit of its own; the chunker needs one, and a transformer that re-ranks reads no more than this."""

Tensors = dict[str, npt.NDArray[Any]]

_TABLES = ("embedding.weight", "embeddings")  # as sentence-transformers and model2vec name it
_TYPES = {"F16": np.float16, "F32": np.float32, "F64": np.float64, "I8": np.int8, "I32": np.int32, "I64": np.int64}
_MOST_UNPACKED = 256 << 20  # bytes
_SMALLEST = 1e-9  # of a length to divide by


def is_plain(settings: ModelSettings) -> bool:
    """Whether a model is a table of word vectors and nothing else, so that it needs no torch."""
    return settings.parts in (("StaticEmbedding",), ("StaticEmbedding", "Normalize"))


def load_static(path: Path) -> StaticEmbedder:
    """The static embedder in the folder `path`. Raises ModelError for a broken folder or one of another kind."""
    check_embedder_folder(path)
    settings = read_settings(path)
    if not is_plain(settings):
        raise ModelError(f"{path} is made of {', '.join(settings.parts)}: it is not a table of word vectors alone.")
    settings = replace(settings, limit_tokens=min(settings.limit_tokens, LIMIT_TOKENS), pooling="mean")
    return StaticEmbedder(settings, name=id_of(read_settings(path)))


def static_tokenizer(settings: ModelSettings) -> ModelTokenizer:
    """The tokenizer of a static model: no special tokens stand around a text. Raises ModelError for a broken folder."""
    described = read_json(settings.reader, "tokenizer.json")
    limit = min(settings.limit_tokens, LIMIT_TOKENS)
    try:
        return ModelTokenizer(json.dumps(described | {"post_processor": None}), settings.passage_prefix, limit)
    except Exception as error:  # the tokenizers library raises plain exceptions
        raise ModelError(
            f"{settings.reader / 'tokenizer.json'} is no tokenizer ({error}): copy or fetch the folder again."
        ) from error


class StaticEmbedder:
    """An `Embedder` with its `tokenizer` and `description`: the mean of the rows of a text's tokens, at length 1.

    The unknown token counts for nothing. A text without a known token is the last axis, which is near no text where
    the table's axes are sorted by what they tell, as distilled ones are.
    """

    def __init__(self, settings: ModelSettings, *, name: str) -> None:
        self.tokenizer = static_tokenizer(settings)
        wants_other = settings.query_prefix != settings.passage_prefix
        of_queries = replace(settings, passage_prefix=settings.query_prefix)
        self._query_tokenizer = static_tokenizer(of_queries) if wants_other else self.tokenizer
        tensors = _tensors(settings.reader / "model.safetensors")
        table = next((tensors[name] for name in _TABLES if name in tensors), None)
        if table is None or table.ndim != 2 or not table.size:
            raise ModelError(f"{settings.reader} holds no table of word vectors: copy or fetch the folder again.")
        self._table = table
        self._rows, self._weights = _per_token(tensors, len(table), settings.reader)
        self.id = name
        self.dim = int(table.shape[1])
        self.description = describe(settings, embedder_id=name, dim=self.dim, precision="static")

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        """float32 of shape (len(texts), dim), rows of length 1. What a query has beyond the limit is left out."""
        return self._embed([ids[: self._query_tokenizer.limit_tokens] for ids in self._query_tokenizer.ids(texts)])

    def embed_passages(self, texts: Sequence[str], tokens: Sequence[Ids] | None = None) -> Float32:
        """float32 of shape (len(texts), dim), rows of length 1. A text longer than the limit raises ValueError.

        With `tokens`, the ids that `tokenizer` made of each text, nothing is tokenized here.
        """
        ids = self.tokenizer.ids(texts) if tokens is None else tokens
        refuse_long(texts, [len(one) for one in ids], self.tokenizer.limit_tokens)
        return self._embed(ids, self._unpacked)

    def _embed(self, ids: Sequence[Sequence[int] | Ids], table: Float32 | None = None) -> Float32:
        """The sum of each text's rows, at length 1 the same as their mean. Rows are added in the text's own order."""
        vectors = np.zeros((len(ids), self.dim), dtype=np.float32)
        for number, one in enumerate(ids):
            tokens = np.asarray(one, dtype=np.int64)
            rows = self._rows_of(tokens) if table is None else table[tokens]
            np.add.reduce(rows, axis=0, out=vectors[number])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        nothing = lengths[:, 0] < _SMALLEST
        vectors /= np.maximum(lengths, _SMALLEST)
        vectors[nothing] = 0
        vectors[nothing, -1] = 1
        return vectors

    def _rows_of(self, tokens: Int64) -> Float32:
        weighted: Float32 = self._table[self._rows[tokens]].astype(np.float32) * self._weights[tokens, None]
        return weighted

    @cached_property
    def _unpacked(self) -> Float32 | None:
        """The weighted row of each token id in memory; None for a table too large to be worth it.

        Half precision read row by row takes four times as long, which matters to a build and not to a query.
        """
        if len(self._rows) * self.dim * 4 > _MOST_UNPACKED:
            return None
        return self._rows_of(np.arange(len(self._weights)))


def _per_token(tensors: Tensors, table_rows: int, folder: Path) -> tuple[Int64, Float32]:
    """The row of the table and the weight of each token id: the id itself and 1 where the model does not say."""
    described = read_json(folder, "tokenizer.json")
    vocabulary, unknown = described["model"]["vocab"], described["model"].get("unk_id")
    if isinstance(vocabulary, dict):  # Unigram has a list in its place
        unknown = vocabulary.get(described["model"].get("unk_token"))
    ids = list(vocabulary.values()) if isinstance(vocabulary, dict) else list(range(len(vocabulary)))
    size = 1 + max((*ids, *(one["id"] for one in described.get("added_tokens") or ())), default=-1)
    rows = np.asarray(tensors.get("mapping", np.arange(size)), dtype=np.int64)[:size]
    weights = np.array(tensors.get("weights", np.ones(size)), dtype=np.float32)[:size]
    if min(len(rows), len(weights)) < size or rows.min(initial=0) < 0 or rows.max(initial=0) >= table_rows:
        raise ModelError(
            f"The table of word vectors in {folder} lacks tokens of its tokenizer: fetch the folder again."
        )
    if unknown is not None:
        weights[unknown] = 0
    return rows, weights


def _tensors(path: Path) -> Tensors:
    """The tensors of a safetensors file, mapped: eight bytes of length, a head of JSON, then raw little-endian data."""
    try:
        with open(path, "rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            head = json.loads(stream.read(length))
        found: Tensors = {}
        for name, row in head.items():
            if name != "__metadata__":
                kind = np.dtype(_TYPES[row["dtype"]]).newbyteorder("<")
                start, shape = 8 + length + row["data_offsets"][0], tuple(row["shape"])
                found[name] = np.memmap(path, dtype=kind, mode="r", offset=start, shape=shape)
    except KeyError as error:
        raise ModelError(f"{path} holds numbers of the type {error}, which drzero cannot read.") from None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} cannot be read ({error}): copy or fetch the folder again.") from error
    return found

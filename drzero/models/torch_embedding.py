"""sentence-transformers on torch: the reference, and the way for models that nothing quicker can compute."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from drzero.errors import ModelError
from drzero.models.describing import ModelSettings, describe
from drzero.models.onnx_embedding import refuse_long
from drzero.models.tokenizing import PROBES, ModelTokenizer
from drzero.types import Float32, Ids

_SAME = 1e-4  # difference of two vectors of the same tokens, padded differently


def load_model(path: Path, *, threads: int = 0) -> Any:
    """The SentenceTransformer in the folder `path`; with `threads` 0 torch chooses. Raises ModelError."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # a process that forks later would warn of it
    try:
        import torch
        import transformers
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise ModelError(
            f"Embedding needs sentence-transformers and torch, which do not load ({error}): run ./scripts/quickstart, "
            "or `pip install sentence-transformers`."
        ) from error
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    if threads:
        torch.set_num_threads(threads)
    try:
        model = SentenceTransformer(str(path), device="cpu", local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ModelError(f"The embedder in {path} does not load ({reason}): copy or fetch the folder again.") from error
    return model.eval().float()


class SentenceTransformerEmbedder:
    """An `Embedder` with its `tokenizer`; slow, but of any model, and the reference for the others."""

    def __init__(self, model: Any, settings: ModelSettings, *, name: str, batch: int = 16) -> None:
        self._model = model
        self._batch = batch
        self._query_prefix, self._passage_prefix = settings.query_prefix, settings.passage_prefix
        limit = min(settings.limit_tokens, model.max_seq_length or settings.limit_tokens)
        read = _tokenizer_json(model, settings.folder)
        self.tokenizer = ModelTokenizer(read, self._passage_prefix, limit)
        self._query_tokenizer = ModelTokenizer(read, self._query_prefix, limit)
        self.id = name
        self.dim = int(self._encode([""], "").shape[1])
        self._takes_ids = self._reads_ids_as_text()
        self.description = describe(settings, embedder_id=name, dim=self.dim, precision="torch fp32")

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        """float32 of shape (len(texts), dim), rows of length 1. What a query has beyond the limit is left out."""
        limit, prefix = self._query_tokenizer.limit_tokens, self._query_prefix
        cut = [text[: self._query_tokenizer.fitting_chars(text, limit)] for text in texts]
        return self._in_length_order(
            [len(text) for text in cut], lambda rows: self._encode([cut[i] for i in rows], prefix)
        )

    def embed_passages(self, texts: Sequence[str], tokens: Sequence[Ids] | None = None) -> Float32:
        """float32 of shape (len(texts), dim), rows of length 1. A text longer than the limit raises ValueError.

        With `tokens`, the ids that `tokenizer` made of each text, nothing is tokenized here.
        """
        counts = self.tokenizer.counts(texts) if tokens is None else [len(ids) for ids in tokens]
        refuse_long(texts, counts, self.tokenizer.limit_tokens)
        if tokens is not None and self._takes_ids:
            return self._in_length_order(counts, lambda rows: self._encode_ids([tokens[i] for i in rows]))
        prefix = self._passage_prefix
        return self._in_length_order(counts, lambda rows: self._encode([texts[i] for i in rows], prefix))

    def _in_length_order(self, lengths: Sequence[int], encode: Callable[[list[int]], Float32]) -> Float32:
        """Texts of like length share a batch, since each is padded to the longest of its batch."""
        vectors = np.zeros((len(lengths), self.dim), dtype=np.float32)
        order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
        for start in range(0, len(order), self._batch):
            rows = order[start : start + self._batch]
            vectors[rows] = encode(rows)
        return vectors

    def _encode(self, texts: list[str], prefix: str) -> Float32:
        vectors = self._model.encode(
            texts,
            prompt=prefix,
            batch_size=self._batch,
            show_progress_bar=False,
            convert_to_numpy=True,
            normalize_embeddings=True,
        )
        return np.asarray(vectors, dtype=np.float32)

    def _encode_ids(self, batch: Sequence[Ids]) -> Float32:
        """What `_encode` gives for the texts of these ids."""
        import torch

        reader = self._model.tokenizer
        shape = len(batch), max(map(len, batch))
        left = reader.padding_side == "left"
        ids = np.full(shape, reader.pad_token_id or 0, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, one in enumerate(batch):
            place = slice(shape[1] - len(one), None) if left else slice(len(one))
            ids[row, place], mask[row, place] = one, 1
        features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        if "token_type_ids" in reader.model_input_names:
            features["token_type_ids"] = torch.zeros(shape, dtype=torch.int64)
        with torch.inference_mode():
            vectors = self._model(features)["sentence_embedding"]
            return np.asarray(torch.nn.functional.normalize(vectors, dim=1).numpy(), dtype=np.float32)

    def _reads_ids_as_text(self) -> bool:
        """Whether the model takes ids and makes of them what it makes of their text, as nearly every one does.

        Some do something with the text itself, leave the prefix out of the vector, or are no transformers at all.
        """
        if type(self._model[0]).__name__ != "Transformer":  # the class has moved between versions of the library
            return False
        by_ids = self._encode_ids([np.array(self.tokenizer.ids([text])[0]) for text in PROBES])
        return bool(np.allclose(by_ids, self._encode(list(PROBES), self._passage_prefix), atol=_SAME))


def _tokenizer_json(model: Any, path: Path) -> str:
    from tokenizers import Tokenizer

    backend = getattr(model.tokenizer, "backend_tokenizer", model.tokenizer)
    if not isinstance(backend, Tokenizer):
        raise ModelError(f"The embedder in {path} has no tokenizer.json, which drzero needs: use a model that has one.")
    return str(backend.to_str())

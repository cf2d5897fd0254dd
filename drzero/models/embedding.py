"""sentence-transformers folders as embedders: unit vectors, nothing cut in silence, nothing asked of a network."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from drzero.errors import ModelError
from drzero.models.resolve import check_embedder_folder, read_json
from drzero.types import Float32

_WEIGHT_SUFFIXES = (".safetensors", ".bin")
_SETTING_FILES = ("modules.json", "config.json", "sentence_bert_config.json", "tokenizer.json", "vocab.txt")
_NO_LIMIT_TOKENS = 1 << 20  # tokenizers without a limit state an absurdly large one


def load_embedder(path: Path, *, threads: int = 0, batch: int = 16) -> SentenceTransformerEmbedder:
    """The embedder in the folder `path`; with `threads` 0 torch chooses. Raises ModelError for a broken folder."""
    check_embedder_folder(path)
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
    return SentenceTransformerEmbedder(model.eval().float(), path, batch=batch)


def embedder_id(folder: Path) -> str:
    """Name and fingerprint of the embedder in `folder`, from its files alone: nothing heavy is loaded.

    The fingerprint is 16 hexadecimal digits over weights, tokenizer and settings, prefixes and limit too; dates
    and model cards do not count. Raises ModelError for a broken folder.
    """
    check_embedder_folder(folder)
    reader = folder / read_json(folder, "modules.json")[0]["path"]
    limit = _stated(reader, "sentence_bert_config.json").get("max_seq_length")
    limit = limit or _stated(reader, "tokenizer_config.json").get("model_max_length")
    digest = hashlib.sha256(json.dumps((*_prefixes(folder), limit, "unit length")).encode())
    for file in sorted(folder.rglob("*")):
        if file.suffix in _WEIGHT_SUFFIXES or file.name in _SETTING_FILES:
            digest.update(file.relative_to(folder).as_posix().encode())
            with open(file, "rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return f"{folder.absolute().name}@{digest.hexdigest()[:16]}"


def _prefixes(folder: Path) -> tuple[str, str]:
    """What the model wants before a query and before a passage."""
    stated = _stated(folder, "config_sentence_transformers.json")
    prompts = stated.get("prompts") or {}
    default = prompts.get(stated.get("default_prompt_name") or "", "")
    return prompts.get("query") or default, prompts.get("document") or prompts.get("passage") or default


def _stated(folder: Path, name: str) -> dict[str, Any]:
    """The settings in a file that a model may lack."""
    found = read_json(folder, name) if (folder / name).is_file() else {}
    return found if isinstance(found, dict) else {}


class SentenceTransformerEmbedder:
    """An `Embedder` with its `tokenizer`; `id` is that of `embedder_id`."""

    def __init__(self, model: Any, path: Path, *, batch: int) -> None:
        self._model = model
        self._batch = batch
        self._query_prefix, self._passage_prefix = _prefixes(path)
        self.tokenizer = ModelTokenizer(model, path, self._passage_prefix)
        self._query_tokenizer = ModelTokenizer(model, path, self._query_prefix)
        self.id = embedder_id(path)
        self.dim = int(self._encode([""], "").shape[1])

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        """float32 of shape (len(texts), dim), rows of length 1. What a query has beyond the limit is left out."""
        limit, prefix = self._query_tokenizer.limit_tokens, self._query_prefix
        cut = [text[: self._query_tokenizer.fitting_chars(text, limit)] for text in texts]
        return self._in_length_order(cut, [len(text) for text in cut], prefix)

    def embed_passages(self, texts: Sequence[str]) -> Float32:
        """float32 of shape (len(texts), dim), rows of length 1. A text longer than the limit raises ValueError."""
        counts = self.tokenizer.counts(texts)
        limit = self.tokenizer.limit_tokens
        for text, count in zip(texts, counts, strict=True):
            if count > limit:
                raise ValueError(
                    f"a text of {count} tokens is longer than the {limit} that the embedder reads: {text[:60]!r}"
                )
        return self._in_length_order(texts, counts, self._passage_prefix)

    def _in_length_order(self, texts: Sequence[str], lengths: Sequence[int], prefix: str) -> Float32:
        """Texts of like length share a batch, since each is padded to the longest of its batch."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda i: (-lengths[i], i))
        for start in range(0, len(order), self._batch):
            rows = order[start : start + self._batch]
            vectors[rows] = self._encode([texts[i] for i in rows], prefix)
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


class ModelTokenizer:
    """The model's own fast tokenizer, never truncating. Counts include special tokens and `prefix`."""

    def __init__(self, model: Any, path: Path, prefix: str) -> None:
        from tokenizers import Tokenizer

        backend = getattr(model.tokenizer, "backend_tokenizer", model.tokenizer)
        if not isinstance(backend, Tokenizer):
            raise ModelError(
                f"The embedder in {path} has no tokenizer.json, which drzero needs: use a model that has one."
            )
        self._tokenizer = Tokenizer.from_str(backend.to_str())  # a copy: the model's own keeps its truncation
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._prefix = prefix
        stated = (model.max_seq_length, getattr(model.tokenizer, "model_max_length", None))
        self.limit_tokens = int(min(limit or math.inf for limit in (*stated, _NO_LIMIT_TOKENS)))

    def count(self, text: str) -> int:
        """Tokens of `text` as the embedder will see it, special tokens and prefix included."""
        return self.counts([text])[0]

    def counts(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text."""
        encodings = self._tokenizer.encode_batch_fast([self._prefix + text for text in texts])
        return [len(encoding.ids) for encoding in encodings]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character span of each token of `text`, without special tokens."""
        spans: list[tuple[int, int]] = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return spans

    def fitting_chars(self, text: str, limit_tokens: int) -> int:
        """How many characters from the start of `text` count for at most `limit_tokens`."""
        over = self.count(text) - limit_tokens
        if over <= 0:
            return len(text)
        spans = self.offsets(text)
        return spans[max(0, len(spans) - over)][0] if spans else 0

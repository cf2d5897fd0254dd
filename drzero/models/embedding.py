"""Model folders as embedders: unit vectors, nothing cut in silence, nothing asked of a network.

The quickest way that gives the model's own vectors is taken: an ONNX graph, made of the folder once where it has none,
else sentence-transformers itself, where the folder holds weights for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from drzero.errors import ModelError
from drzero.models import conversions
from drzero.models.conversions import Refusal
from drzero.models.describing import ModelSettings, read_settings
from drzero.models.fingerprints import embedder_id, id_of
from drzero.models.onnx_embedding import OnnxEmbedder
from drzero.models.resolve import check_embedder_folder, has_weights, onnx_graph
from drzero.models.static import is_plain, load_static, static_tokenizer
from drzero.models.tokenizing import ModelTokenizer
from drzero.types import Embedder

__all__ = ["LoadedEmbedder", "embedder_id", "load_embedder", "load_tokenizer"]


class LoadedEmbedder(Embedder, Protocol):
    """An embedder of a model folder; `description` is what `describing.describe` says of it."""

    tokenizer: ModelTokenizer

    @property
    def description(self) -> Mapping[str, Any]:
        """Name, fingerprint, prefixes, pooling, limit and languages."""
        ...


def load_embedder(path: Path, *, threads: int = 0, note: Callable[[str], None] | None = None) -> LoadedEmbedder:
    """The embedder in the folder `path`, computing `threads` texts at once; with 0 that is chosen while it works.

    `note` is told in a sentence when a conversion is about to be made, which takes a while, and when the model has to
    be computed the slow way. Raises ModelError for a broken folder.
    """
    check_embedder_folder(path)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # a process that forks later would warn of it
    settings, tell = read_settings(path), note or (lambda _: None)
    if is_plain(settings):
        return load_static(path)
    name = id_of(settings)
    found = _of_graph(settings, name, threads, tell)
    if not isinstance(found, Refusal):
        return found
    reason = found.reason
    if onnx_graph(settings.reader) is not None and not has_weights(settings.reader):
        raise ModelError(f"The ONNX graph of the embedder in {path} cannot be used ({reason}): name another model.")
    if not settings.is_static:
        tell(f"The embedder {path.name} runs on sentence-transformers, at a third of the usual speed: {reason}.")
    from drzero.models.torch_embedding import SentenceTransformerEmbedder, load_model

    return SentenceTransformerEmbedder(load_model(path, threads=threads), settings, name=name)


def load_tokenizer(folder: Path) -> ModelTokenizer:
    """The tokenizer of the embedder in `folder`, from its files alone. Raises ModelError for a broken folder."""
    check_embedder_folder(folder)
    settings = read_settings(folder)
    if is_plain(settings):
        return static_tokenizer(settings)
    return ModelTokenizer(_tokenizer_json(settings), settings.passage_prefix, settings.limit_tokens)


def _of_graph(settings: ModelSettings, name: str, threads: int, tell: Callable[[str], None]) -> OnnxEmbedder | Refusal:
    """The embedder as an ONNX graph, converted where it has to be.

    Raises ModelError when the graph in the model's own folder does not load and nothing else is there.
    """
    if settings.beyond_us is not None:
        return Refusal(settings.beyond_us)
    if not (settings.reader / "tokenizer.json").is_file():
        return Refusal("it has no tokenizer.json")
    found = conversions.find_conversion(settings, name)
    for _ in range(2):
        if found is None:
            tell(f"Preparing the embedder {settings.folder.name} for this machine, once; this takes up to a minute.")
            found = conversions.make_conversion(settings, name)
        if isinstance(found, Refusal):
            return found
        try:
            return OnnxEmbedder(
                found.path, settings, _tokenizer_json(settings), name=name, precision=found.precision, threads=threads
            )
        except ModelError:  # damaged in a way that its size does not show
            if not found.path.is_relative_to(settings.folder):
                conversions.drop_conversion(name)
                found = None
            elif has_weights(settings.reader):
                return Refusal("its ONNX graph does not load")
            else:
                raise
    return Refusal("its conversion does not load")


def _tokenizer_json(settings: ModelSettings) -> str:
    try:
        return (settings.reader / "tokenizer.json").read_text(encoding="utf-8")
    except OSError as error:
        raise ModelError(
            f"The embedder in {settings.folder} has no tokenizer.json, which drzero needs: use a model that has one."
        ) from error

"""transformers on torch: the reference for NLI models, and the way for those that nothing quicker can compute."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from drzero.errors import ModelError
from drzero.models.pairs import read_tokenizer, text_tokenizer
from drzero.types import Float32


def load_classifier(path: Path, *, threads: int = 0) -> Any:
    """The classifier in the folder `path`; with `threads` 0 torch chooses. Raises ModelError; runs no code of it."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import torch
        import transformers
    except ImportError as error:
        raise ModelError(
            f"The NLI model in {path} holds no ONNX graph, and to run it without one transformers and torch are "
            f"needed, which do not load ({error}): run ./scripts/quickstart, or `pip install sentence-transformers`."
        ) from error
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    if threads:
        torch.set_num_threads(threads)
    try:
        model, told = transformers.AutoModelForSequenceClassification.from_pretrained(
            str(path), local_files_only=True, trust_remote_code=False, output_loading_info=True
        )
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ModelError(
            f"The NLI model in {path} does not load ({reason}): copy or fetch the folder again."
        ) from error
    if missing := sorted(told["missing_keys"]):  # which the library would fill with random numbers
        raise ModelError(
            f"The weights in {path} lack {missing[0]}: this model was never trained to tell entailment, whatever its "
            "config.json says; name an NLI model."
        )
    return model.eval().float()


def load_tokenizer(path: Path) -> Any:
    """The fast tokenizer of the folder, made of its list of words where it has no tokenizer.json. Raises ModelError."""
    if (path / "tokenizer.json").is_file():
        return read_tokenizer(path / "tokenizer.json")
    from transformers import AutoTokenizer

    try:
        found = AutoTokenizer.from_pretrained(str(path), local_files_only=True, trust_remote_code=False)
        return text_tokenizer(found.backend_tokenizer.to_str())
    except Exception as error:  # the library raises whatever its parts raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ModelError(
            f"{path} has no tokenizer.json, and none can be made of its other files ({reason}): use a model that has "
            "one."
        ) from error


class TorchClassifier:
    """The logits of one pair, by transformers itself."""

    length = 0  # of any number of tokens

    def __init__(self, path: Path, *, threads: int = 0) -> None:
        self._model = load_classifier(path, threads=threads)
        self._reads_types = reads_types(self._model)
        self.tokenizer = load_tokenizer(path)

    def outputs(self, pair: Any) -> Float32:
        """The numbers that the model gives for one pair (an encoding of `tokenizers`), shape (labels,)."""
        import torch

        given = {"input_ids": torch.tensor([pair.ids]), "attention_mask": torch.tensor([pair.attention_mask])}
        if self._reads_types:
            given["token_type_ids"] = torch.tensor([pair.type_ids])
        with torch.inference_mode():
            return np.asarray(self._model(**given).logits[0].numpy(), dtype=np.float32)


def reads_types(model: Any) -> bool:
    """Whether a classifier is told which of the two texts a token is of; one of a single type knows no difference."""
    return int(getattr(model.config, "type_vocab_size", 0) or 0) > 1

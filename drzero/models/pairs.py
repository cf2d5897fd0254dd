"""What models that read two texts together have in common: their graph, their tokenizer and how much they read."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np

from drzero.errors import ModelError
from drzero.models.onnx_embedding import open_session
from drzero.types import Float32

_INPUTS = frozenset(("input_ids", "attention_mask", "token_type_ids"))


class PairGraph:
    """An ONNX graph that reads the tokens of two texts. Runs are of one thread each and may go on side by side.

    `what` is what to call it in an error. `length` is how many tokens it reads where it was made for one number of them
    alone, to which pairs are filled up; 0 where it takes any. Raises ModelError when `path` is no graph of that kind.
    """

    def __init__(self, path: Path, what: str) -> None:
        self.path, self.what = path, what
        self.session = open_session(path, what)
        self._inputs = {
            one.name: np.int32 if one.type == "tensor(int32)" else np.int64 for one in self.session.get_inputs()
        }
        if not self._inputs.keys() <= _INPUTS or "input_ids" not in self._inputs:
            raise ModelError(f"The {what} {path} reads {', '.join(self._inputs)}, not a pair of texts.")
        shape = next(one.shape for one in self.session.get_inputs() if one.name == "input_ids")
        self.length = shape[1] if len(shape) == 2 and isinstance(shape[1], int) else 0
        names = [one.name for one in self.session.get_outputs()]
        self._output = "logits" if "logits" in names else names[0]

    def outputs(self, pair: Any) -> Float32:
        """The numbers that the graph gives for one pair (an encoding of `tokenizers`), in one row; as they are.

        Raises ModelError when the graph cannot be run.
        """
        given = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
        filled = [0] * (self.length - len(pair.ids))
        fed = {name: np.array([[*given[name], *filled]], dtype=kind) for name, kind in self._inputs.items()}
        try:
            return np.asarray(self.session.run([self._output], fed)[0], dtype=np.float32).reshape(-1)
        except Exception as error:  # onnxruntime's errors have no base class of their own
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ModelError(
                f"The {self.what} {self.path} cannot be run ({reason}): copy or export the model again."
            ) from error


def read_tokenizer(path: Path) -> Any:
    """The fast tokenizer in a tokenizer.json, as `text_tokenizer` makes it. Raises ModelError for another file."""
    try:
        return text_tokenizer(path.read_text(encoding="utf-8"))
    except Exception as error:  # the library raises plain exceptions
        raise ModelError(f"{path} is no tokenizer ({error}): copy or fetch the folder again.") from error


def text_tokenizer(description: str) -> Any:
    """The fast tokenizer of a tokenizers-JSON description, which cuts and pads nothing and takes all text for text.

    Should an article contain `[SEP]` or `</s>`, it stays those characters: else it could end one text and begin the
    other. Raises whatever the library does for another description.
    """
    from tokenizers import Tokenizer

    found = Tokenizer.from_str(_without_control_pieces(description))
    found.no_truncation()
    found.no_padding()
    found.encode_special_tokens = True
    return found


def _without_control_pieces(description: str) -> str:
    """A Unigram model has the control tokens among its pieces, as the likeliest: give them names that no text holds."""
    described = json.loads(description)
    model = described["model"]
    if model.get("type") != "Unigram":
        return description
    unknown = model["vocab"][model["unk_id"]][0] if model.get("unk_id") is not None else None
    added = described.get("added_tokens") or []
    control = {one["content"] for one in added if one.get("special")} - {unknown}
    hidden = uuid.uuid4().hex
    names = {name: f"{hidden}{place}" for place, name in enumerate(sorted(control))}
    model["vocab"] = [[names.get(piece, piece), score] for piece, score in model["vocab"]]
    described["added_tokens"] = [one | {"content": names.get(one["content"], one["content"])} for one in added]
    return json.dumps(described)

"""An NLI folder whose graph is written node by node, so that its logits are known."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ".", "sea", "high", "deep", "storm", "calm", "broken"]
# of each token of a premise: entailment, neutral, contradiction
WORTH = [[0, 0, 0]] * 4 + [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 4], [-1, 0, 0], [math.nan, 0, 0]]
ORDER = ("entailment", "neutral", "contradiction")


def make_nli(folder: Path, *, labels: Sequence[str] = ORDER, limit: int = 64, length: int = 0) -> Path:
    """A model whose logits are the sums of WORTH over the premise's tokens, in the order of `labels`.

    With a `length` its graph reads exactly so many.
    """
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    worth = np.array(WORTH, dtype=np.float32)[:, [ORDER.index(label) for label in labels]]
    nodes = [
        helper.make_node("Gather", ["worth", "input_ids"], ["each"]),
        helper.make_node("Sub", ["one", "token_type_ids"], ["first"]),
        helper.make_node("Cast", ["first"], ["premise"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["premise", "last"], ["column"]),
        helper.make_node("Mul", ["each", "column"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "tokens"], ["logits"], keepdims=0),
    ]
    tables = [
        numpy_helper.from_array(worth, "worth"),
        numpy_helper.from_array(np.array(1, dtype=np.int64), "one"),
        numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "tokens"),
    ]
    given = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", length or "tokens"])
        for name in ("input_ids", "token_type_ids")
    ]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(labels)])
    graph = helper.make_graph(nodes, "nli", given, [logits], tables)
    save_pair_model(folder, graph, WORDS)
    config = {"id2label": {str(place): label.upper() for place, label in enumerate(labels)}}
    (folder / "config.json").write_text(json.dumps(config | {"max_position_embeddings": limit}))
    return folder


def save_pair_model(folder: Path, graph: Any, words: Sequence[str]) -> None:
    """Write a graph that reads pairs of texts, and a tokenizer of `words`, as a model's folder has them."""
    import onnx
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    (folder / "onnx").mkdir(parents=True)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, folder / "onnx" / "model.onnx")
    tokenizer = Tokenizer(models.WordPiece({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.enable_truncation(4)  # as a model's own file may have it
    tokenizer.save(str(folder / "tokenizer.json"))

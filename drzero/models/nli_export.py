"""Make an ONNX graph of an NLI model, as quick and small as it may be: run as `python -m drzero.models.nli_export`.

As `onnx_export` does for embedders: exported in full precision, compared with what transformers makes of the same
pairs, then quantised, which stays where the probabilities hardly differ and it is quicker on this machine.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from drzero.errors import ModelError
from drzero.models.conversions import FORMAT, GRAPH, installed_versions
from drzero.models.nli import read_nli_settings
from drzero.models.onnx_export import (
    LARGEST,
    PROBE_SENTENCES,
    QUICKER,
    Refused,
    finish,
    opset,
    quantise,
    run_conversion,
    seconds,
)
from drzero.models.pairs import PairGraph
from drzero.models.torch_nli import load_classifier, load_tokenizer, reads_types
from drzero.types import Float32

# In probability of a label. Another order of the same additions in 32 bits makes a hundredth of that.
FULL_PRECISION_MOST = 1e-3
INT8_MEAN, INT8_MOST = 0.02, 0.1  # a threshold moves by as much: more would be another judge
_WHAT = "NLI model"


def probe_pairs() -> list[tuple[str, str]]:
    """Pairs of which the hypothesis is in the premise, beside the matter, or half of it; short and long."""
    count = len(PROBE_SENTENCES)
    found = []
    for place, sentence in enumerate(PROBE_SENTENCES):
        others = [PROBE_SENTENCES[(place + step) % count] for step in range(1 + place % 5)]
        found.append((" ".join(others), sentence))
        found.append((" ".join(others), PROBE_SENTENCES[(place + 7) % count]))
        found.append((sentence, f"It is not true that {sentence[: len(sentence) * 2 // 3]}"))
    return found


def convert(folder: Path, target: Path) -> None:
    """Write a graph of the model in `folder`, and the record of it, into the folder `target`.

    Raises Refused where no graph agrees with the model, ImportError where what makes graphs is wanting.
    """
    settings = read_nli_settings(folder)
    model, tokenizer = load_classifier(folder), load_tokenizer(folder)
    if not (folder / "tokenizer.json").is_file():
        tokenizer.save(str(target / "tokenizer.json"))
    tokenizer.enable_truncation(settings.limit_tokens, strategy="longest_first")
    pairs = [tokenizer.encode(*pair) for pair in probe_pairs()]
    record: dict[str, Any] = {"format": FORMAT, "made_with": installed_versions(), "probe_texts": len(pairs)}
    full, small = target / "fp32.onnx", target / "int8.onnx"
    wanted = export(model, pairs, full)
    whole = PairGraph(full, _WHAT)
    record["apart_fp32"] = apart = _apart(whole, pairs, wanted)
    if apart["most"] > FULL_PRECISION_MOST:
        raise Refused(f"the exported graph's probabilities are up to {apart['most']:.4f} from the model's")
    precision = _quantised(whole, small, pairs, wanted, record)
    chosen = small if precision == "int8" else full
    record["opset"] = opset(chosen)
    chosen.rename(target / GRAPH)
    for left in (full, small):
        left.unlink(missing_ok=True)
    finish(target, record | {"precision": precision, "graph": GRAPH})


def export(model: Any, pairs: Sequence[Any], target: Path) -> Float32:
    """Write a classifier as a graph in full precision; returns its own logits of `pairs`, shape (pairs, labels)."""
    import torch

    if hasattr(model, "set_attn_implementation"):
        model.set_attn_implementation("eager")  # plain products, which the exporter writes as they are
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if reads_types(model) else [])]

    def given(pair: Any) -> tuple[Any, ...]:
        columns = (pair.ids, pair.attention_mask, pair.type_ids)
        return tuple(torch.tensor([column]) for column, _ in zip(columns, names, strict=False))

    class Logits(torch.nn.Module):  # type: ignore[misc]
        """The logits, and nothing else of what the model gives."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any = None) -> Any:
            types = {} if token_type_ids is None else {"token_type_ids": token_type_ids}
            return self.model(input_ids=input_ids, attention_mask=attention_mask, **types).logits

    wrapped = Logits().eval()
    free = {0: torch.export.Dim("pairs"), 1: torch.export.Dim("tokens")}
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        wanted = np.concatenate([np.asarray(wrapped(*given(pair)).numpy(), dtype=np.float32) for pair in pairs])
        torch.onnx.export(
            wrapped,
            tuple(torch.cat([column, column]) for column in given(pairs[0])),
            str(target),
            input_names=names,
            output_names=["logits"],
            dynamic_shapes=(free,) * len(names),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    return wanted


def _quantised(whole: PairGraph, target: Path, pairs: Sequence[Any], wanted: Float32, record: dict[str, Any]) -> str:
    """Quantise a graph into `target`; returns the precision to use and notes why."""
    if whole.path.stat().st_size > LARGEST:
        record["why_fp32"] = "the graph is too large to be quantised"
        return "fp32"
    for tables in (True, False):
        quantise(whole.path, target, tables=tables)
        try:
            small = PairGraph(target, _WHAT)
        except ModelError:  # a product of the table's own rows is quantised twice over, under one name
            if tables:
                continue
            raise
        record["apart_int8"], record["tables"] = _apart(small, pairs, wanted), "int8" if tables else "fp32"
        agrees = record["apart_int8"]["mean"] <= INT8_MEAN and record["apart_int8"]["most"] <= INT8_MOST
        if agrees:
            break
    if not agrees:
        record["why_fp32"] = "int8 does not agree well enough"
        return "fp32"
    longest = max(pairs, key=lambda pair: len(pair.ids))
    taken = seconds({"int8": lambda: small.outputs(longest), "fp32": lambda: whole.outputs(longest)})
    record["int8_times_quicker"] = round(taken["fp32"] / taken["int8"], 2)
    if taken["fp32"] < QUICKER * taken["int8"]:
        record["why_fp32"] = f"int8 is {record['int8_times_quicker']} times as quick here"
        return "fp32"
    return "int8"


def _apart(graph: PairGraph, pairs: Sequence[Any], wanted: Float32) -> dict[str, float]:
    """How far a graph's probabilities are from those of the logits `wanted`: of each pair the most of its labels."""
    found = np.stack([graph.outputs(pair) for pair in pairs])
    gaps = np.abs(_softmax(found) - _softmax(wanted)).max(axis=1)
    return {"mean": round(float(gaps.mean()), 6), "most": round(float(gaps.max()), 6)}


def _softmax(logits: Float32) -> Float32:
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True), dtype=np.float32)


if __name__ == "__main__":
    sys.exit(run_conversion(convert, *sys.argv[1:]))

"""Make an ONNX graph of an embedder, as quick and small as it may be: run as `python -m drzero.models.onnx_export`.

A process of its own, for torch takes half a gigabyte of memory that a build should not carry to its end. The graph is
exported in full precision and compared with what sentence-transformers makes of the same texts; then its weights are
quantised, and the result stays where its vectors hardly differ and it is quicker on this machine.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from drzero.errors import ModelError
from drzero.models.conversions import FORMAT, GRAPH, RECORD, installed_versions
from drzero.models.describing import ModelSettings, read_settings
from drzero.models.onnx_embedding import Graph
from drzero.models.resolve import onnx_graph
from drzero.models.tokenizing import PROBES, ModelTokenizer
from drzero.types import Float32, Int64

# Another order of the same additions in 32 bits leaves a cosine of .999999 and more. Below .9999 something else is at
# work: another pooling, another tokenizer, a layer left out.
FULL_PRECISION_FLOOR = 0.9999
# MiniLM's int8 vectors agree by .99 and lose less than half a point of recall. At .98 an error is a fifth as long as
# the vector, and as good as at a right angle to any question's: it moves a similarity by about .01.
INT8_MEAN_FLOOR = 0.98
INT8_LEAST_FLOOR = 0.95
QUICKER = 1.1  # int8 must be this much quicker than full precision, which is never wrong
LARGEST = 1_800_000_000  # bytes; a graph in one file ends at 2 GiB
_ROUNDS = 8
_INTEGER_OPERATIONS = frozenset(
    ("MatMulInteger", "QLinearMatMul", "DynamicQuantizeMatMul", "QGemm", "DequantizeLinear")
)

PROBE_SENTENCES = (
    "The harbour froze for eleven weeks in the winter of 1838, and the mail went over the ice by sledge.",
    "What is the melting point of gallium?",
    "def area(radius): return 3.14159 * radius ** 2  # of a circle",
    "Photosynthesis stores the energy of light in sugar; oxygen is what remains of the water.",
    "She was born in Trieste on 4 March 1911 and died in Lisbon in 1987.",
    "Select the rows whose key is null, then delete them within one transaction.",
    "A violin has four strings, tuned in fifths: G, D, A and E.",
    "Fever above 39 °C for more than three days needs a doctor; give water in small sips.",
    "The treaty gave the valley to the northern kingdom, but its towns kept their own courts.",
    "Bread rises because yeast turns starch into carbon dioxide and alcohol.",
    "| river | length in km |\n| Volga | 3530 |\n| Danube | 2850 |",
    "How do I undo the last commit without losing my changes?",
    "Der Zug hält heute nicht in Göttingen.",
    "La bibliothèque ouvre à neuf heures, sauf le lundi.",
    "El volcán entró en erupción tras un siglo de calma.",
    "水は零度で凍り、百度で沸騰する。",
    "Москва стоит на семи холмах.",
    "No evidence was found that the manuscript is older than its binding.",
    "Insulin lowers blood sugar, glucagon raises it.",
    "The orchestra rehearsed in an aircraft hangar, since the hall's roof had fallen in.",
    "Ohm's law: V = I · R, with volts, amperes and ohms.",
    "Cats were kept on ships to save the grain from rats.",
    "In chess, castling is not allowed while the king is in check.",
    "Its population fell from 12,400 in 1950 to 3,100 in 2011, when the last mine was closed.",
)
_LENGTHS = (1, 1, 2, 3, 4, 6, 8)  # how many of these follow one another in a probe


class Refused(Exception):
    """This model cannot be had as a graph that agrees with it; `str(error)` says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Cosines of two sets of vectors of the same texts; `centred` with the texts' mean vector taken off both.

    Some models give all texts much the same direction: only the centred cosine shows whether theirs can be told apart.
    """

    mean: float
    least: float
    centred: float


def agreement(found: Float32, wanted: Float32) -> Agreement:
    """Of unit vectors `found`, shape (texts, dim), with those of the reference."""
    cosines = (found * wanted).sum(axis=1)
    middle = wanted.mean(axis=0)
    one, other = found - middle, wanted - middle
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    centred = (one * other).sum(axis=1) / np.maximum(lengths, 1e-12)
    return Agreement(*(round(float(value), 6) for value in (cosines.mean(), cosines.min(), centred.mean())))


def probe_texts(tokenizer: ModelTokenizer) -> list[str]:
    """Texts of many kinds and lengths, none longer than the model reads."""
    texts = list(PROBES)
    for start in range(len(PROBE_SENTENCES)):
        count = _LENGTHS[start % len(_LENGTHS)]
        texts.append(" ".join(PROBE_SENTENCES[(start + step) % len(PROBE_SENTENCES)] for step in range(count)))
    counts = tokenizer.counts(texts)
    return [text for text, count in zip(texts, counts, strict=True) if count <= tokenizer.limit_tokens]


def convert(folder: Path, target: Path) -> None:
    """Write the record of a conversion, and the graph where it is a new one, into the folder `target`.

    Raises Refused where no graph agrees with the model, ImportError where torch or sentence-transformers is wanting.
    """
    settings = read_settings(folder)
    tokenizer = ModelTokenizer(
        (settings.reader / "tokenizer.json").read_text(encoding="utf-8"), settings.passage_prefix, settings.limit_tokens
    )
    texts = probe_texts(tokenizer)
    ids = [np.array(one, dtype=np.int64) for one in tokenizer.ids(texts)]
    record: dict[str, Any] = {"format": FORMAT, "made_with": installed_versions(), "probe_texts": len(texts)}
    given = onnx_graph(settings.reader)
    full = given or target / "fp32.onnx"
    if given is None:
        wanted = export(settings, texts, full)
        found = agreement(_vectors(Graph(full, settings.pooling), ids), wanted)
        record["agreement_fp32"] = asdict(found)
        if found.least < FULL_PRECISION_FLOOR:
            raise Refused(f"the exported graph's vectors agree with the model's by {found.least:.4f} only")
    elif is_quantised(full):
        Graph(full, settings.pooling).vector(ids[0])
        finish(target, record | {"precision": "int8", "graph": _as_given(given, folder), "agreement_int8": None})
        return
    else:
        wanted = _vectors(Graph(full, settings.pooling), ids)
    precision = _quantised(full, target / "int8.onnx", settings, ids, wanted, record=record)
    chosen = target / "int8.onnx" if precision == "int8" else full
    record["opset"] = opset(chosen)
    if chosen.parent == target:
        chosen.rename(target / GRAPH)
    for left in (target / "int8.onnx", target / "fp32.onnx"):
        left.unlink(missing_ok=True)
    graph = _as_given(given, folder) if given is not None and precision == "fp32" else GRAPH
    finish(target, record | {"precision": precision, "graph": graph})


def _quantised(
    full: Path,
    target: Path,
    settings: ModelSettings,
    ids: Sequence[Int64],
    wanted: Float32,
    *,
    record: dict[str, Any],
) -> str:
    """Quantise `full` into `target`; returns the precision to use and notes why."""
    if sum(file.stat().st_size for file in full.parent.glob(f"{full.name}*")) > LARGEST:
        record["why_fp32"] = "the graph is too large to be quantised"
        return "fp32"
    for tables in (True, False):
        quantise(full, target, tables=tables)
        try:
            small = Graph(target, settings.pooling)
        except ModelError:  # a product of the table's own rows is quantised twice over, under one name
            if tables:
                continue
            raise
        found = agreement(_vectors(small, ids), wanted)
        record["agreement_int8"], record["tables"] = asdict(found), "int8" if tables else "fp32"
        agrees = min(found.mean, found.centred) >= INT8_MEAN_FLOOR and found.least >= INT8_LEAST_FLOOR
        if agrees:
            break
    if not agrees:
        record["why_fp32"] = "int8 does not agree well enough"
        return "fp32"
    longest, whole = max(ids, key=len), Graph(full, settings.pooling)
    taken = seconds({"int8": lambda: small.vector(longest), "fp32": lambda: whole.vector(longest)})
    record["int8_times_quicker"] = round(taken["fp32"] / taken["int8"], 2)
    if taken["fp32"] < QUICKER * taken["int8"]:
        record["why_fp32"] = f"int8 is {record['int8_times_quicker']} times as quick here"
        return "fp32"
    return "int8"


def quantise(full: Path, target: Path, *, tables: bool = True) -> None:
    """Write `full` with the weights of its matrix products in 7 bits, a scale a column, and inputs scaled as they come.

    The eighth bit is left alone since without VNNI the sums of two products must fit in 16 bits: with 8 bits they would
    be clipped there, and the same file would give other vectors on older processors. With `tables` the vectors that are
    looked up by token are kept in 8 bits: half of a small model, or nearly all of a multilingual one, is that table.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    source, halfway = full, target.with_suffix(".tables")
    if tables:
        quantize_dynamic(str(full), str(halfway), weight_type=QuantType.QInt8, op_types_to_quantize=["Gather"])
        source = halfway
    quantize_dynamic(
        str(source),
        str(target),
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        op_types_to_quantize=["MatMul"],
    )
    halfway.unlink(missing_ok=True)


def is_quantised(graph: Path) -> bool:
    """Whether a graph computes in integers."""
    import onnx

    operations = {node.op_type for node in onnx.load(str(graph), load_external_data=False).graph.node}
    return bool(operations & _INTEGER_OPERATIONS)


def opset(graph: Path) -> int:
    """The version of the operators that a graph is written in."""
    import onnx

    found = onnx.load(str(graph), load_external_data=False).opset_import
    return max(int(one.version) for one in found if one.domain in ("", "ai.onnx"))


def _vectors(graph: Graph, ids: Sequence[Int64]) -> Float32:
    return np.stack([graph.vector(one) for one in ids])


def seconds(runs: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """The least time that each takes once, in turns: others at work on the machine only ever add to it."""
    taken = dict.fromkeys(runs, float("inf"))
    for _ in range(_ROUNDS):
        for name, run in runs.items():
            began = time.perf_counter()
            run()
            taken[name] = min(taken[name], time.perf_counter() - began)
    return taken


def export(settings: ModelSettings, texts: list[str], target: Path) -> Float32:
    """Write the model as a graph in full precision; returns sentence-transformers' own vectors of `texts`."""
    import torch

    from drzero.models.torch_embedding import load_model

    model = load_model(settings.folder)
    wanted = np.asarray(
        model.encode(
            texts, prompt=settings.passage_prefix, batch_size=1, show_progress_bar=False, normalize_embeddings=True
        ),
        dtype=np.float32,
    )
    reader = model[0].auto_model.eval()
    if hasattr(reader, "set_attn_implementation"):
        reader.set_attn_implementation("eager")  # plain products, which the exporter writes as they are
    if getattr(reader.config, "use_cache", False):
        reader.config.use_cache = False

    class States(torch.nn.Module):  # type: ignore[misc]
        """The vectors of the tokens, and nothing else of what the model gives. Token types are 0 where left out."""

        def __init__(self) -> None:
            super().__init__()
            self.reader = reader

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.reader(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    example = model.tokenizer([texts[0], texts[0]], return_tensors="pt")
    free = {0: torch.export.Dim("texts"), 1: torch.export.Dim("tokens")}
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            States().eval(),
            (example["input_ids"], example["attention_mask"]),
            str(target),
            input_names=["input_ids", "attention_mask"],
            output_names=["last_hidden_state"],
            dynamic_shapes=(free, free),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    return wanted


def _as_given(graph: Path, folder: Path) -> str:
    """A graph that lies in the model's own folder, as the record names it."""
    return f"model:{graph.relative_to(folder).as_posix()}"


def finish(target: Path, record: Mapping[str, Any]) -> None:
    """Write the record of a conversion into its folder."""
    (target / RECORD).write_text(json.dumps(record, indent=1), encoding="utf-8")


def run_conversion(convert: Callable[[Path, Path], None], folder: str, target: str) -> int:
    """Convert; 0 when done, 2 when this model cannot be converted, with the reason as the last line on stdout."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        convert(Path(folder), Path(target))
    except (Refused, ModelError) as error:
        sys.stdout.write(f"\n{error}\n")
        return 2
    except Exception as error:  # noqa: BLE001 (exporters raise whatever they like, and all of it means the same here)
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        sys.stdout.write(f"\nthe exporter failed: {reason[:200]}\n")
        return 1 if isinstance(error, ImportError | OSError | MemoryError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(run_conversion(convert, *sys.argv[1:]))

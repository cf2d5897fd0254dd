"""A packed four-bit model of the E5 family, as one file, turned into a sentence-transformers folder.

The file holds, little-endian: the magic `E5S1`, a version, the shape of a BERT encoder, a unigram vocabulary with its
scores, a map that normalises single characters, and a directory of tensors. A quantised tensor is a row of blocks of
32 weights: a half-precision scale, then 16 bytes, of which byte j holds weight j in its low and weight j + 16 in its
high four bits, each stored plus eight. Nothing of the file is run, and the folder that is made is the same, byte for
byte, on every machine, so that its hashes can be stated beforehand.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drzero.errors import ModelError

_MAGIC = b"E5S1"
_BLOCK = 32  # weights that share a scale
_QUANTISED = 1
_HALF = NDArray[np.float16]
_OF_LAYER = {  # name of a packed tensor → its name in a BERT encoder's layer
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_OF_EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of the encoder. `types` counts token types, `epsilon` is that of its layer norms."""

    width: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Packed:
    """What a packed file holds. `pieces` are (text, score) in the order of their ids; `places` name → (kind, count,
    first byte).
    """

    shape: Shape
    pieces: tuple[tuple[str, float], ...]
    first: int  # ids of the marks around a text, of padding and of what is unknown
    last: int
    padding: int
    unknown: int
    places: Mapping[str, tuple[int, int, int]]
    data: bytes

    def tensor(self, name: str) -> _HALF:
        """The values of one tensor in half precision, in one row."""
        kind, count, at = self.places[name]
        if kind != _QUANTISED:
            return np.frombuffer(self.data, "<f4", count, at).astype("<f2")
        blocks = np.frombuffer(self.data, np.dtype([("scale", "<f2"), ("pairs", "u1", 16)]), count // _BLOCK, at)
        weights = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], axis=1).astype(np.float32) - 8
        return (weights * blocks["scale"].astype(np.float32)[:, None]).astype("<f2").reshape(-1)


def unpack(packed: Path, folder: Path, *, languages: Sequence[str], licence: str) -> None:
    """Write the model in `packed` into `folder`, which is there, as sentence-transformers reads it.

    Weights are half precision. Raises ModelError when the file is not of this format or ends too early.
    """
    try:
        model = read_packed(packed.read_bytes())
        tensors = dict(_tensors(model))
        _write_safetensors(folder / "model.safetensors", tensors)
    except (struct.error, ValueError, KeyError, IndexError, UnicodeDecodeError) as error:
        raise ModelError(f"{packed} is no packed model, or is incomplete ({error}): fetch it again.") from error
    limit = model.shape.positions
    (folder / "1_Pooling").mkdir(exist_ok=True)
    files: dict[str, Any] = {
        "tokenizer.json": tokenizer_of(model),
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": limit,
            **{f"{role}_token": model.pieces[place][0] for role, place in _special(model).items()},
        },
        "config.json": _encoder_config(model),
        "sentence_bert_config.json": {"max_seq_length": limit, "do_lower_case": False},
        "config_sentence_transformers.json": {"prompts": {"query": "query: ", "document": "passage: "}},
        "1_Pooling/config.json": {"word_embedding_dimension": model.shape.width, "pooling_mode_mean_tokens": True},
        "modules.json": [
            {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for number, (path, kind) in enumerate((("", "Transformer"), ("1_Pooling", "Pooling"), ("", "Normalize")))
        ],
    }
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8", newline="\n")
    card = "".join(f"- {language}\n" for language in languages)
    (folder / "README.md").write_text(
        f"---\nlanguage:\n{card}license: {licence}\n---\n", encoding="utf-8", newline="\n"
    )


def read_packed(data: bytes) -> Packed:
    """The parts of a packed file; raises ValueError, struct.error or UnicodeDecodeError for anything else."""
    if data[:4] != _MAGIC:
        raise ValueError(f"it begins with {data[:4]!r}")
    width, layers, heads, inner, vocabulary, positions, types, epsilon, block = struct.unpack_from("<7ifi", data, 8)
    if block != _BLOCK:
        raise ValueError(f"blocks of {block} weights are unknown")
    shape = Shape(width, layers, heads, inner, vocabulary, positions, types, epsilon)
    count, first, last, padding, unknown, text_bytes = struct.unpack_from("<5iQ", data, 44)
    at = 72
    ends = np.frombuffer(data, "<u4", count + 1, at).tolist()
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at).tolist()
    at += 4 * count
    text = data[at : at + text_bytes]
    pieces = tuple((text[start:end].decode(), score) for start, end, score in zip(ends, ends[1:], scores, strict=False))
    at += text_bytes
    _, map_bytes = struct.unpack_from("<iI", data, at)
    at += 8 + map_bytes  # the map is that of NMT's normaliser and NFKC
    places = {}
    (tensors,) = struct.unpack_from("<i", data, at)
    at += 4
    for _ in range(tensors):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        kind, values, offset, size = struct.unpack_from("<BIQQ", data, at + 2 + length)
        if offset + size > len(data):
            raise ValueError(f"{name} ends at byte {offset + size:,} of {len(data):,}")
        places[name] = kind, values, offset
        at += 2 + length + 21
    return Packed(shape, pieces, first, last, padding, unknown, places, data)


def tokenizer_of(model: Packed) -> dict[str, Any]:
    """The model's tokenizer as tokenizers-JSON: sentence pieces, a mark before each word and around each text."""
    special = _special(model)
    first, last = model.pieces[model.first][0], model.pieces[model.last][0]
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": place,
                "content": model.pieces[place][0],
                "single_word": False,
                "lstrip": role == "mask",
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for role, place in special.items()
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Nmt"},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": metaspace,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_mark(first), {"Sequence": {"id": "A", "type_id": 0}}, _mark(last)],
            "pair": [
                _mark(first),
                {"Sequence": {"id": "A", "type_id": 0}},
                _mark(last),
                _mark(last),
                {"Sequence": {"id": "B", "type_id": 0}},
                _mark(last),
            ],
            "special_tokens": {
                token: {"id": token, "ids": [place], "tokens": [token]}
                for token, place in ((first, model.first), (last, model.last))
            },
        },
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": model.unknown,
            "vocab": [list(piece) for piece in model.pieces],
            "byte_fallback": False,
        },
    }


def _mark(token: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": token, "type_id": 0}}


def _special(model: Packed) -> dict[str, int]:
    roles = {"bos": model.first, "pad": model.padding, "eos": model.last, "unk": model.unknown}
    if model.pieces[-1][0] == "<mask>":
        roles["mask"] = len(model.pieces) - 1
    return roles


def _encoder_config(model: Packed) -> dict[str, Any]:
    shape = model.shape
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "dtype": "float32",
        "hidden_act": "gelu",
        "hidden_size": shape.width,
        "intermediate_size": shape.inner,
        "layer_norm_eps": float(f"{shape.epsilon:.6g}"),
        "max_position_embeddings": shape.positions,
        "num_attention_heads": shape.heads,
        "num_hidden_layers": shape.layers,
        "pad_token_id": model.padding,
        "type_vocab_size": shape.types,
        "vocab_size": shape.vocabulary,
    }


def _tensors(model: Packed) -> Iterator[tuple[str, _HALF]]:
    """Name and values of every tensor of the encoder, in the shape that BERT has them in."""
    width = model.shape.width
    for packed, name in _OF_EMBEDDINGS.items():
        values = model.tensor(packed)
        yield name, values.reshape(-1, width) if len(values) > width else _row(values, name, width)
    for layer in range(model.shape.layers):
        for packed, name in _OF_LAYER.items():
            bias = model.tensor(f"l{layer}.{packed}.b")
            weight = model.tensor(f"l{layer}.{packed}.w")
            where = f"encoder.layer.{layer}.{name}"
            yield f"{where}.weight", weight.reshape(len(bias), -1) if len(weight) > len(bias) else weight
            yield f"{where}.bias", bias


def _row(values: _HALF, name: str, width: int) -> _HALF:
    return values if "LayerNorm" in name else values.reshape(-1, width)


def _write_safetensors(path: Path, tensors: Mapping[str, _HALF]) -> None:
    """The tensors in the order given: the length of the head, the head as JSON, the values."""
    head: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, values in tensors.items():
        head[name] = {"dtype": "F16", "shape": list(values.shape), "data_offsets": [end, end + values.nbytes]}
        end += values.nbytes
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for values in tensors.values():
            file.write(np.ascontiguousarray(values).tobytes())

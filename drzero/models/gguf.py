"""What a GGUF file says of itself in its head, and whether it can be a writer: checked before anything is loaded.

The reader is lenient on purpose. What it does not know it passes over, and leaves the last word to llama.cpp.
"""

from __future__ import annotations

import mmap
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drzero.errors import ModelError

_OLD_FORMATS = (b"lmgg", b"fmgg", b"tjgg", b"algg")  # ggml, ggmf, ggjt and ggla, as they stand in the file
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_SHARD_NAME = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$")
_NO_WRITER = ("bert", "t5encoder", "clip", "wav", "mmproj", "gemma-embedding")  # parts of names of architectures
_NO_WHOLE_MODEL = {  # what `general.type` says of files that only go with a model
    "adapter": "an adapter, which goes with a model",
    "mmproj": "the part of a model that sees pictures",
    "imatrix": "a table for quantising a model",
}
_MOST = 1 << 20  # of keys, tensors or entries of a vocabulary: more is damage, and counting them would take minutes
_MOST_DIMENSIONS = 8

# Tensor type → (numbers in a block, bytes of a block).
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GgufHead:
    """The head of a GGUF file. `context_tokens` is what the model was made for, 0 when not stated."""

    architecture: str
    name: str
    context_tokens: int
    chat_template: bool
    tensors: int
    shard: int  # from 0
    shards: int  # 1 when the model is one file
    end: int  # where the last tensor ends, as far as is known
    embeds: bool  # pools its output or reads both ways: an embedder or re-ranker
    purpose: str = ""  # `general.type`: "model" or "" for a whole model


class _CutError(Exception):
    """The file ends inside its head."""


class _Reader:
    def __init__(self, data: mmap.mmap) -> None:
        self.data, self.at = data, 0

    def scalar(self, code: str) -> Any:
        form = f"<{code}"
        try:
            (value,) = struct.unpack_from(form, self.data, self.at)
        except struct.error:
            raise _CutError from None
        self.at += struct.calcsize(form)
        return value

    def skip(self, count: int) -> None:
        self.at += count
        if self.at > len(self.data):
            raise _CutError

    def string(self) -> str:
        length = self.scalar("Q")
        start = self.at
        self.skip(length)
        return self.data[start : self.at].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """The value, or for an array its length alone."""
        if kind == _STRING:
            return self.string()
        if kind != _ARRAY:
            return self.scalar(_SCALARS[kind])
        inner, count = self.scalar("I"), self.scalar("Q")
        if inner == _STRING:
            for _ in range(_bounded(count)):
                self.skip(self.scalar("Q"))
        elif inner == _ARRAY:
            for _ in range(_bounded(count)):
                self.value(_ARRAY)
        else:
            self.skip(count * struct.calcsize(_SCALARS[inner]))
        return count


def _bounded(count: int, most: int = _MOST) -> int:
    """`count`; ValueError for one that no model has, in a file that is long enough for it."""
    if count > most:
        raise ValueError(f"a count of {count:,}")
    return count


def check_gguf(path: Path) -> GgufHead:
    """The head of the writer in the file `path`. Raises ModelError with one sentence on why it cannot be used."""
    head = read_gguf(path)
    if head.purpose in _NO_WHOLE_MODEL:
        raise ModelError(f"{path} is {_NO_WHOLE_MODEL[head.purpose]}: name an instruct model as the writer.")
    if head.shards > 1:
        _check_shards(path, head)
    elif not head.tensors:
        raise ModelError(f"{path} holds a vocabulary and no weights: name a whole model.")
    _check_end(path, head)
    if head.embeds or any(part in head.architecture for part in _NO_WRITER):
        raise ModelError(f"{path} ({head.architecture}) does not generate text: name an instruct model as the writer.")
    if not head.chat_template:
        raise ModelError(f"{path} has no chat template, so it is a base model: name an instruct model as the writer.")
    return head


def read_gguf(path: Path) -> GgufHead:
    """The head of a GGUF file. Raises ModelError: missing, a folder, empty, no GGUF, too old, or cut in its head."""
    if not path.exists():
        raise ModelError(f"There is no file {path}: check the name, or see `drzero models` for what is here.")
    if not path.is_file():
        raise ModelError(f"{path} is a folder: name the .gguf file in it.")
    if not path.stat().st_size:
        raise ModelError(f"{path} is empty (0 bytes): fetch or copy it again.")
    try:
        with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _check_magic(path, data[:8])
            return _head(_Reader(data))
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read ({error.strerror}): change its permissions or copy it again."
        ) from error
    except _CutError:
        raise ModelError(f"{path} is incomplete: it ends inside its own head; fetch or copy it again.") from None
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ModelError(f"{path} is damaged: its head makes no sense ({error!r}); fetch or copy it again.") from None


def _check_magic(path: Path, start: bytes) -> None:
    if start[:4] in _OLD_FORMATS:
        raise ModelError(f"{path} is in an old GGML format that llama.cpp no longer reads: get the model as GGUF.")
    if start[:4] != b"GGUF":
        raise ModelError(f"{path} is not a GGUF file, whatever its name: name a model in GGUF format.")
    if len(start) < 8:
        raise _CutError
    little, big = int.from_bytes(start[4:], "little"), int.from_bytes(start[4:], "big")
    if little > 0xFFFF and big <= 0xFFFF:
        raise ModelError(f"{path} was made for big-endian machines: get the ordinary little-endian file.")
    if little < 2:
        raise ModelError(f"{path} is GGUF of version {little}, which llama.cpp no longer reads: get a newer file.")


def _head(reader: _Reader) -> GgufHead:
    reader.skip(8)
    tensors, pairs = reader.scalar("Q"), reader.scalar("Q")
    values: dict[str, Any] = {}
    for _ in range(_bounded(pairs)):
        key = reader.string()
        values[key] = reader.value(reader.scalar("I"))
    architecture = str(values.get("general.architecture", ""))
    pooling = values.get(f"{architecture}.pooling_type", 0)
    causal = values.get(f"{architecture}.attention.causal", True)
    return GgufHead(
        architecture=architecture,
        name=str(values.get("general.name", "")),
        context_tokens=int(values.get(f"{architecture}.context_length", 0)),
        chat_template=bool(values.get("tokenizer.chat_template")),
        tensors=tensors,
        shard=int(values.get("split.no", 0)),
        shards=max(1, int(values.get("split.count", 1))),
        end=_end(reader, tensors, int(values.get("general.alignment", 32)) or 32),
        embeds=bool(pooling) or not causal,
        purpose=str(values.get("general.type", "")),
    )


def _end(reader: _Reader, tensors: int, alignment: int) -> int:
    """Where the last tensor ends in the file; a tensor of an unknown type counts as one byte."""
    last = 0
    for _ in range(_bounded(tensors)):
        reader.skip(reader.scalar("Q"))
        numbers = 1
        for _ in range(_bounded(reader.scalar("I"), _MOST_DIMENSIONS)):
            numbers *= reader.scalar("Q")
        kind, offset = reader.scalar("I"), reader.scalar("Q")
        per_block, block_bytes = _BLOCKS.get(kind, (numbers or 1, 1))
        last = max(last, offset + numbers // per_block * block_bytes)
    start = -(-reader.at // alignment) * alignment
    return start + last if tensors else 0


def _check_shards(path: Path, head: GgufHead) -> None:
    match = _SHARD_NAME.search(path.name)

    def sibling(number: int) -> Path:
        return path.with_name(f"{path.name[: match.start()]}-{number:05d}-of-{head.shards:05d}.gguf") if match else path

    if head.shard:
        raise ModelError(
            f"{path} is part {head.shard + 1} of {head.shards}: name the first part"
            + (f", {sibling(1).name}." if match else ".")
        )
    if _goes_on_with_gguf(path, head.end):
        raise ModelError(
            f"{path} is {head.shards} parts joined to one file, which cannot be read: keep the parts apart, each under "
            "its own name, and name the first."
        )
    if not match:
        raise ModelError(
            f"{path} is the first of {head.shards} parts, but its name does not end in "
            f"-00001-of-{head.shards:05d}.gguf: give the parts their own names back."
        )
    for number in range(2, head.shards + 1):
        if not sibling(number).is_file():
            raise ModelError(
                f"{path} needs {sibling(number).name} beside it, which is missing: fetch or copy that part."
            )
        _check_end(sibling(number), read_gguf(sibling(number)))


def _goes_on_with_gguf(path: Path, end: int) -> bool:
    """Whether another GGUF file begins where this one's tensors end."""
    with open(path, "rb") as stream:
        stream.seek(end)
        return b"GGUF" in stream.read(64)


def _check_end(path: Path, head: GgufHead) -> None:
    if (size := path.stat().st_size) < head.end:
        raise ModelError(f"{path} is incomplete: {size:,} of at least {head.end:,} bytes; fetch or copy it again.")

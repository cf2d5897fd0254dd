from __future__ import annotations

import random
import struct
import time
from pathlib import Path
from typing import Any

import pytest

from drzero.errors import ModelError
from drzero.models.gguf import check_gguf, read_gguf


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def pair(key: str, value: Any) -> bytes:
    if isinstance(value, bool):
        return text(key) + struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return text(key) + struct.pack("<II", 4, value)
    if isinstance(value, list):
        return text(key) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(item) for item in value)
    return text(key) + struct.pack("<I", 8) + text(value)


def gguf_bytes(values: dict[str, Any] | None = None, *, rows: int = 64, tensors: int = 1, kind: int = 12) -> bytes:
    """A small GGUF with tensors of 256 × `rows` numbers in Q4_K (144 bytes for each 256)."""
    given = {
        "general.architecture": "llama",
        "general.name": "Small",
        "llama.context_length": 2048,
        "tokenizer.chat_template": "{{ x }}",
        **(values or {}),
    }
    given = {key: value for key, value in given.items() if value is not None}
    head = b"GGUF" + struct.pack("<IQQ", 3, tensors, len(given)) + b"".join(pair(k, v) for k, v in given.items())
    size = rows * 144
    for number in range(tensors):
        head += text(f"t{number}") + struct.pack("<IQQIQ", 2, 256, rows, kind, number * size)
    return head + b"\0" * (-len(head) % 32) + b"\1" * (size * tensors)


@pytest.fixture
def write(tmp_path: Path):
    def make(data: bytes, name: str = "model.gguf") -> Path:
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return make


def test_gguf_good_file(write) -> None:
    data = gguf_bytes({"tokenizer.ggml.tokens": ["a", "b"]}, tensors=3)
    head = check_gguf(write(data))
    assert (head.architecture, head.name, head.context_tokens, head.chat_template) == ("llama", "Small", 2048, True)
    assert (head.tensors, head.shard, head.shards, head.end, head.embeds) == (3, 0, 1, len(data), False)


def test_gguf_unknown_tensor_type_is_left_to_the_engine(write) -> None:
    assert check_gguf(write(gguf_bytes(kind=250))).tensors == 1


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", r"is empty \(0 bytes\)"),
        (b"Dear reader, this is a letter.", "is not a GGUF file, whatever its name"),
        (b"PK\3\4", "is not a GGUF file"),
        (b"tjgg" + b"\0" * 50, "is in an old GGML format"),
        (b"GGUF", "is incomplete: it ends inside its own head"),
        (gguf_bytes()[:100], "is incomplete: it ends inside its own head"),
        (gguf_bytes()[:-1], r"is incomplete: 9,4\d\d of at least 9,4\d\d bytes"),
        (b"GGUF" + struct.pack(">I", 3) + b"\0" * 50, "big-endian"),
        (b"GGUF" + struct.pack("<I", 1) + b"\0" * 50, "is GGUF of version 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<I", 99), "is damaged"),
        (gguf_bytes(tensors=0), "holds a vocabulary and no weights"),
        (gguf_bytes({"general.architecture": "nomic-bert"}), r"\(nomic-bert\) does not generate text"),
        (gguf_bytes({"general.architecture": "qwen3", "qwen3.pooling_type": 3}), "does not generate text"),
        (gguf_bytes({"llama.attention.causal": False}), "does not generate text"),
        (gguf_bytes({"general.architecture": "clip"}), "does not generate text"),
        (gguf_bytes({"tokenizer.chat_template": None}), "has no chat template, so it is a base model"),
        (gguf_bytes({"tokenizer.chat_template": ""}), "has no chat template, so it is a base model"),
        (gguf_bytes({"general.type": "adapter"}), "is an adapter, which goes with a model: name an instruct model"),
        (gguf_bytes({"general.type": "mmproj"}), "is the part of a model that sees pictures: name an instruct model"),
        (gguf_bytes({"general.type": "imatrix"}), "is a table for quantising a model: name an instruct model"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1 << 40, 0) + b"\0" * 99, r"is damaged: .*a count of 1,099,511,627,776"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 63) + b"\0" * 99, "is damaged"),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IIQ", 9, 8, 1 << 30) + b"\0" * 99,
            "is damaged: .*a count of 1,073,741,824",
        ),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + text("t") + struct.pack("<I", 4_000_000_000) + b"\0" * 99,
            "is damaged: .*a count of 4,000,000,000",
        ),
    ],
)
def test_gguf_each_fault_has_its_sentence(write, data: bytes, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        check_gguf(write(data))


def test_gguf_missing_and_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="There is no file"):
        check_gguf(tmp_path / "none.gguf")
    with pytest.raises(ModelError, match=r"is a folder: name the \.gguf file in it"):
        check_gguf(tmp_path)


def test_gguf_cut_at_ten_kilobytes_of_a_long_vocabulary(write) -> None:
    data = gguf_bytes({"tokenizer.ggml.tokens": [f"token{i}" for i in range(5000)]})
    with pytest.raises(ModelError, match="incomplete"):
        check_gguf(write(data[:10_000]))


def test_gguf_whole_model_that_says_so_is_good(write) -> None:
    head = check_gguf(write(gguf_bytes({"general.type": "model"})))
    assert (head.purpose, head.shards) == ("model", 1)


def test_gguf_damage_anywhere_is_told_in_a_sentence_and_at_once(write) -> None:
    """Whatever a byte becomes: the file is refused in one sentence, or left to the engine; nothing hangs."""
    good = gguf_bytes({"tokenizer.ggml.tokens": [f"t{i}" for i in range(40)]}, tensors=2, rows=1)
    rng = random.Random(3)
    said: list[str] = []
    started = time.process_time()
    for _ in range(1500):
        data = bytearray(good)
        for _ in range(rng.choice((1, 1, 4))):
            data[rng.randrange(min(len(data), 900))] = rng.choice((0, 1, 0x7F, 0xFF, rng.randrange(256)))
        path = write(bytes(data))
        try:
            assert check_gguf(path).tensors >= 1
        except ModelError as error:
            said.append(str(error))
    assert len(said) > 300
    assert [sentence for sentence in said if not sentence.startswith(f"{path} ")] == []
    assert time.process_time() - started < 30


def shard(number: int, count: int) -> bytes:
    return gguf_bytes({"split.no": number, "split.count": count})


def test_gguf_shards(write) -> None:
    first = write(shard(0, 3), "big-00001-of-00003.gguf")
    with pytest.raises(ModelError, match=r"needs big-00002-of-00003\.gguf beside it, which is missing"):
        check_gguf(first)
    second = write(shard(1, 3), "big-00002-of-00003.gguf")
    with pytest.raises(ModelError, match=r"needs big-00003-of-00003\.gguf beside it"):
        check_gguf(first)
    write(shard(2, 3)[:-5], "big-00003-of-00003.gguf")
    with pytest.raises(ModelError, match=r"big-00003-of-00003\.gguf is incomplete"):
        check_gguf(first)
    write(shard(2, 3), "big-00003-of-00003.gguf")
    assert check_gguf(first).shards == 3
    with pytest.raises(ModelError, match=r"is part 2 of 3: name the first part, big-00001-of-00003\.gguf"):
        check_gguf(second)


def test_gguf_renamed_first_shard(write) -> None:
    with pytest.raises(
        ModelError, match=r"is the first of 3 parts, but its name does not end in -00001-of-00003\.gguf"
    ):
        check_gguf(write(shard(0, 3), "big.gguf"))


@pytest.mark.parametrize("name", ["big.gguf", "big-00001-of-00003.gguf"])
def test_gguf_shards_joined_to_one_file(write, name: str) -> None:
    joined = write(b"".join(shard(number, 3) for number in range(3)), name)
    with pytest.raises(ModelError, match=r"is 3 parts joined to one file, which cannot be read: keep the parts apart"):
        check_gguf(joined)


def test_gguf_read_reports_an_embedder(write) -> None:
    assert read_gguf(write(gguf_bytes({"llama.pooling_type": 1}))).embeds

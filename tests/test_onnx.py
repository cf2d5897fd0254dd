"""Embedders as ONNX graphs: made of tiny models with random weights, and of graphs written node by node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from sentence_transformers import SentenceTransformer

from drzero.errors import ModelError
from drzero.models import conversions, onnx_export
from drzero.models.conversions import Conversion, Refusal, find_conversion, make_conversion
from drzero.models.describing import ModelSettings, read_settings
from drzero.models.embedding import embedder_id, load_embedder, load_tokenizer
from drzero.models.onnx_embedding import Graph, OnnxEmbedder
from drzero.models.torch_embedding import SentenceTransformerEmbedder
from tests.tiny_models import LIMIT, VOCABULARY, make_tiny_model

TEXTS = ["the tide is high.", "a cat", "x", "", "bread rises, since yeast makes gas!", "the tide is low."]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("made") / "tiny")


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Conversions lie below the test's own folder; returns where."""
    monkeypatch.setenv("DRZERO_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "models" / ".onnx"


@pytest.fixture(scope="module")
def exported(tiny: Path) -> Path:
    """The graph of the tiny model in full precision."""
    graph = tiny.with_name("exported.onnx")
    wanted = onnx_export.export(read_settings(tiny), TEXTS, graph)
    np.testing.assert_allclose(wanted, reference(tiny, TEXTS), atol=1e-5)
    return graph


@pytest.fixture
def runs(exported: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Conversions run in this process, with the tiny model exported beforehand; returns the folders converted."""
    converted: list[Path] = []

    def export(settings: ModelSettings, texts: list[str], target: Path) -> np.ndarray:
        shutil.copy(exported, target)
        return reference(settings.folder, texts, settings.passage_prefix)

    monkeypatch.setattr(onnx_export, "export", export)

    def here(settings: ModelSettings, target: Path) -> tuple[str, bool] | None:
        converted.append(settings.folder)
        try:
            onnx_export.convert(settings.folder, target)
        except (onnx_export.Refused, ModelError) as error:
            return str(error), True
        return None

    monkeypatch.setattr(conversions, "_run", here)
    return converted


def write_graph(
    path: Path, *, name: str = "last_hidden_state", value: float = 1.0, kind: int = TensorProto.INT64
) -> None:
    """A graph that turns each token into 16 numbers of its id and multiplies them by a matrix; `value` is in each.

    Named sentence_embedding, its output is the sum over the tokens.
    """
    rng = np.random.default_rng(7)
    table = rng.normal(size=(len(VOCABULARY), 16)).astype(np.float32)
    weights = (rng.normal(size=(16, 16)) * value).astype(np.float32)
    pooled = name == "sentence_embedding"
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("MatMul", ["rows", "weights"], ["states" if pooled else name]),
    ]
    if pooled:
        nodes.append(helper.make_node("ReduceSum", ["states", "axis"], [name], keepdims=0))
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(one, kind, ["texts", "tokens"]) for one in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["texts", 16] if pooled else ["texts", "tokens", 16])],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(weights, "weights"),
            numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"),
        ],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))


@pytest.fixture
def published(tiny: Path, tmp_path: Path) -> Path:
    """A folder as models are published for ONNX Runtime: settings and a graph, no weights."""
    folder = tmp_path / "published"
    shutil.copytree(tiny, folder)
    (folder / "model.safetensors").unlink()
    write_graph(folder / "onnx" / "model.onnx")
    return folder


def cosines(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    return (found * wanted).sum(axis=1)


def reference(folder: Path, texts: list[str], prompt: str = "") -> np.ndarray:
    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return model.encode(texts, prompt=prompt, normalize_embeddings=True, show_progress_bar=False)


def test_onnx_a_model_is_converted_once_and_agrees(tiny: Path, places: Path) -> None:
    said: list[str] = []
    first = load_embedder(tiny, note=said.append)
    assert said == ["Preparing the embedder tiny for this machine, once; this takes up to a minute."]
    again = load_embedder(tiny, note=said.append)
    assert len(said) == 1
    assert isinstance(first, OnnxEmbedder)
    np.testing.assert_array_equal(first.embed_passages(TEXTS), again.embed_passages(TEXTS))
    assert cosines(first.embed_passages(TEXTS), reference(tiny, TEXTS)).min() > 0.99
    record = json.loads((places / embedder_id(tiny) / "conversion.json").read_text())
    assert record["agreement_fp32"]["least"] > 0.99999
    assert 0.98 < record["agreement_int8"]["mean"] <= 1
    assert record["made_with"].keys() >= {"onnxruntime", "torch", "sentence-transformers"}
    assert record["opset"] >= 17
    assert sorted(file.name for file in (places / embedder_id(tiny)).iterdir()) == ["conversion.json", "model.onnx"]


@pytest.mark.parametrize("pooling", ["cls", "mean", "lasttoken", "max"])
def test_onnx_pools_as_the_model_does(pooling: str, exported: Path, tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path / pooling, pooling=pooling)  # of the same weights
    assert read_settings(folder).pooling == pooling
    made, ids = Graph(exported, pooling), load_tokenizer(folder).ids(TEXTS)
    found, wanted = np.stack([made.vector(one) for one in ids]), reference(folder, TEXTS)
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    others = [other for other in ("cls", "mean", "lasttoken", "max") if other != pooling]
    assert all(Graph(exported, other).vector(ids[0]) @ wanted[0] < 0.999 for other in others)


def test_onnx_prefixes_stand_before_the_text(published: Path, runs: list[Path]) -> None:
    plain = load_embedder(published)
    (published / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "ask: ", "document": "tell: "}})
    )
    prefixed = load_embedder(published)
    assert prefixed.id != plain.id
    assert (prefixed.description["query_prefix"], prefixed.description["passage_prefix"]) == ("ask: ", "tell: ")
    np.testing.assert_array_equal(prefixed.embed_queries(["tide"]), plain.embed_queries(["ask: tide"]))
    np.testing.assert_array_equal(prefixed.embed_passages(["tide"]), plain.embed_passages(["tell: tide"]))
    assert prefixed.tokenizer.count("tide") == plain.tokenizer.count("tell: tide")


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_onnx_a_vector_does_not_depend_on_its_neighbours(tiny: Path, runs: list[Path], threads: int) -> None:
    embedder = load_embedder(tiny, threads=threads)
    texts = [text[: 5 + number] for number, text in enumerate(TEXTS * 4)]
    together = embedder.embed_passages(texts)
    tokens = [np.array(ids, dtype=np.int32) for ids in embedder.tokenizer.ids(texts)]
    np.testing.assert_array_equal(together, embedder.embed_passages(texts, tokens))
    np.testing.assert_array_equal(together, np.vstack([embedder.embed_passages([text]) for text in texts]))
    np.testing.assert_array_equal(together, embedder.embed_queries(texts))
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
    assert (together.dtype, together.shape) == (np.float32, (24, 32))
    assert embedder.embed_passages([]).shape == (0, 32)


def test_onnx_limits(published: Path, runs: list[Path]) -> None:
    embedder = load_embedder(published)
    fitting = "a " * (LIMIT - 2)
    assert embedder.tokenizer.count(fitting) == LIMIT
    embedder.embed_passages([fitting])
    with pytest.raises(ValueError, match=f"a text of {LIMIT + 1} tokens is longer than the {LIMIT} "):
        embedder.embed_passages(["x", fitting + "b"])
    np.testing.assert_array_equal(embedder.embed_queries([fitting + "b c"]), embedder.embed_queries([fitting]))


def test_onnx_poor_int8_is_refused(tiny: Path, runs: list[Path], monkeypatch: pytest.MonkeyPatch, places: Path) -> None:
    monkeypatch.setattr(onnx_export, "INT8_MEAN_FLOOR", 1.01)
    embedder = load_embedder(tiny)
    assert embedder.description["precision"] == "fp32"
    np.testing.assert_allclose(embedder.embed_passages(TEXTS), reference(tiny, TEXTS), atol=1e-5)
    record = json.loads((places / embedder_id(tiny) / "conversion.json").read_text())
    assert record["why_fp32"] == "int8 does not agree well enough"


def test_onnx_int8_stays_where_it_is_quicker(
    tiny: Path, runs: list[Path], monkeypatch: pytest.MonkeyPatch, places: Path
) -> None:
    monkeypatch.setattr(onnx_export, "seconds", lambda _: {"int8": 1.0, "fp32": 2.0})
    embedder = load_embedder(tiny)
    assert embedder.description["precision"] == "int8"
    assert onnx_export.is_quantised(places / embedder.id / "model.onnx")
    found, wanted = embedder.embed_passages(TEXTS), reference(tiny, TEXTS)
    assert 0.99 < cosines(found, wanted).min() < 0.999999
    assert json.loads((places / embedder.id / "conversion.json").read_text())["int8_times_quicker"] == 2


def test_onnx_tables_stay_exact_where_int8_is_too_coarse_for_them(
    tiny: Path, runs: list[Path], monkeypatch: pytest.MonkeyPatch, places: Path
) -> None:
    model = onnx.load(str(tiny.with_name("exported.onnx")))
    table = next(one for one in model.graph.initializer if list(one.dims) == [len(VOCABULARY), 32])
    rows = numpy_helper.to_array(table).copy()
    rows[1] *= 1e4  # the unknown token's: it sets the scale of all
    table.CopyFrom(numpy_helper.from_array(rows, table.name))
    full, small = tiny.with_name("coarse.onnx"), tiny.with_name("coarse8.onnx")
    onnx.save(model, str(full))
    settings = read_settings(tiny)
    ids = [np.array(one) for one in load_tokenizer(tiny).ids(TEXTS)]
    wanted = np.stack([Graph(full, "mean").vector(one) for one in ids])
    onnx_export.quantise(full, small)
    assert cosines(np.stack([Graph(small, "mean").vector(one) for one in ids]), wanted).mean() < 0.98
    monkeypatch.setattr(onnx_export, "seconds", lambda _: {"int8": 1.0, "fp32": 2.0})
    record: dict[str, object] = {}
    assert onnx_export._quantised(full, small, settings, ids, wanted, record=record) == "int8"
    assert record["tables"] == "fp32"
    assert cosines(np.stack([Graph(small, "mean").vector(one) for one in ids]), wanted).mean() > 0.98


def test_onnx_a_graph_that_disagrees_is_refused_for_good(
    tiny: Path, runs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_export, "FULL_PRECISION_FLOOR", 1.01)
    said: list[str] = []
    embedder = load_embedder(tiny, note=said.append)
    assert isinstance(embedder, SentenceTransformerEmbedder)
    assert embedder.description["precision"] == "torch fp32"
    assert said[-1].startswith(
        "The embedder tiny runs on sentence-transformers, at a third of the usual speed: the exp"
    )
    load_embedder(tiny)
    assert len(runs) == 1
    monkeypatch.setattr(conversions, "installed_versions", lambda: {"torch": "99"})
    load_embedder(tiny)
    assert len(runs) == 2


def test_onnx_a_model_of_other_parts_stays_with_torch(tmp_path: Path, runs: list[Path]) -> None:
    folder, said = make_tiny_model(tmp_path / "dense", modules=("Dense",)), []
    embedder = load_embedder(folder, note=said.append)
    assert isinstance(embedder, SentenceTransformerEmbedder)
    assert embedder.dim == 16
    assert said[0].endswith("at a third of the usual speed: it is made of Transformer, Pooling, Dense.")
    assert runs == []


def cut(graph: Path) -> None:
    graph.write_bytes(graph.read_bytes()[:-100])


def spoil(graph: Path) -> None:
    content = bytearray(graph.read_bytes())
    content[:200] = os.urandom(200)
    graph.write_bytes(content)


@pytest.mark.parametrize(
    "harm",
    [
        cut,
        spoil,
        Path.unlink,
        lambda graph: graph.with_name("conversion.json").write_text('{"format": 1'),
        lambda graph: graph.with_name("conversion.json").write_text("[]"),
        lambda graph: graph.with_name("conversion.json").write_text('{"format": 0}'),
        lambda graph: graph.with_name("conversion.json").unlink(),
    ],
)
def test_onnx_a_damaged_conversion_is_made_anew(
    published: Path, runs: list[Path], places: Path, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], object]
) -> None:
    monkeypatch.setattr(onnx_export, "QUICKER", 0)
    before = load_embedder(published)
    harm(places / before.id / "model.onnx")
    after = load_embedder(published)
    assert len(runs) == 2
    np.testing.assert_array_equal(before.embed_passages(TEXTS), after.embed_passages(TEXTS))
    load_embedder(published)
    assert len(runs) == 2
    assert [path.name for path in places.iterdir() if path.is_dir()] == [before.id]


def test_onnx_damage_that_only_loading_shows_is_made_anew(
    published: Path, runs: list[Path], places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_export, "QUICKER", 0)
    graph = places / load_embedder(published).id / "model.onnx"
    times = graph.stat().st_atime_ns, graph.stat().st_mtime_ns
    spoil(graph)
    os.utime(graph, ns=times)
    load_embedder(published).embed_passages(TEXTS)
    assert len(runs) == 2


def test_onnx_a_copied_conversion_is_not_made_anew(
    published: Path, runs: list[Path], places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_export, "QUICKER", 0)
    os.utime(places / load_embedder(published).id / "model.onnx", (1, 1))
    load_embedder(published)
    assert len(runs) == 1


def test_onnx_a_changed_model_is_converted_anew_and_the_old_one_goes(
    published: Path, runs: list[Path], places: Path
) -> None:
    other = published.with_name("other")
    shutil.copytree(published, other)
    first, beside = load_embedder(published), load_embedder(other)
    (places / ".partial-old").mkdir()
    os.utime(places / ".partial-old", (1, 1))
    write_graph(published / "onnx" / "model.onnx", value=2.0)
    second = load_embedder(published)
    assert len({first.id, second.id, beside.id}) == 3
    assert {path.name for path in places.iterdir() if path.is_dir()} == {second.id, beside.id}


def test_onnx_what_another_process_renames_meanwhile_is_not_missed(
    published: Path, runs: list[Path], places: Path
) -> None:
    places.mkdir(parents=True)
    (places / ".partial-gone").symlink_to(places / "nowhere")
    assert isinstance(load_embedder(published), OnnxEmbedder)
    assert len(runs) == 1


def test_onnx_a_conversion_that_another_process_finished_first_stays(
    published: Path, runs: list[Path], places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, name, convert = read_settings(published), embedder_id(published), conversions._run

    def beaten(_: ModelSettings, target: Path) -> tuple[str, bool] | None:
        monkeypatch.setattr(conversions, "_run", convert)
        assert isinstance(make_conversion(settings, name), Conversion)
        (places / name / "theirs").touch()
        return convert(settings, target)

    monkeypatch.setattr(conversions, "_run", beaten)
    assert isinstance(make_conversion(settings, name), Conversion)
    assert (places / name / "theirs").exists()
    assert [path.name for path in places.iterdir() if path.is_dir()] == [name]


def test_onnx_a_damaged_conversion_that_another_process_moves_away_is_made_once(
    published: Path, runs: list[Path], places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, name, replace = read_settings(published), embedder_id(published), os.replace
    (places / name).mkdir(parents=True)

    def late(source: Path, target: Path) -> None:
        if source == places / name:
            source.rmdir()
        replace(source, target)

    monkeypatch.setattr(os, "replace", late)
    assert isinstance(make_conversion(settings, name), Conversion)
    assert len(runs) == 1
    assert [path.name for path in places.iterdir() if path.is_dir()] == [name]


def test_onnx_the_converter_takes_no_modules_from_the_current_folder(
    published: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "onnx.py").write_text("raise RuntimeError('not this one')")
    monkeypatch.chdir(here)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert isinstance(make_conversion(read_settings(published), embedder_id(published)), Conversion)


def test_onnx_folder_without_weights_needs_no_torch(published: Path) -> None:
    """With fp32 in the folder, the first load quantises it; neither load may touch what is not installed everywhere."""
    code = """
import json, pathlib, sys
for name in ("torch", "transformers", "sentence_transformers"):
    sys.modules[name] = None
from drzero.models.embedding import load_embedder
embedder = load_embedder(pathlib.Path(sys.argv[1]))
print(json.dumps([embedder.id, embedder.embed_passages(["the tide is high."]).tolist(), "onnx" in sys.modules]))
"""
    block = published.with_name("block")
    block.mkdir()
    for name in ("torch", "transformers", "sentence_transformers"):  # for the process that converts
        (block / f"{name}.py").write_text("raise ImportError('not here')")
    env = os.environ | {"PYTHONPATH": f"{block}{os.pathsep}{os.getcwd()}"}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code, str(published)], capture_output=True, text=True, env=env, check=False
        )
        assert done.returncode == 0, done.stderr
        name, vectors, heavy = json.loads(done.stdout)
        assert (name, heavy) == (embedder_id(published), False)
        tokens = load_tokenizer(published).ids(["the tide is high."])[0]
        exact = Graph(published / "onnx" / "model.onnx", "mean").vector(tokens)
        assert np.array(vectors[0]) @ exact > 0.99


def test_onnx_a_published_int8_graph_is_used_where_it_lies(
    published: Path, runs: list[Path], places: Path, tmp_path: Path
) -> None:
    onnx_export.quantise(published / "onnx" / "model.onnx", published / "model.onnx", tables=False)
    shutil.rmtree(published / "onnx")
    embedder = load_embedder(published)
    assert embedder.description["precision"] == "int8"
    assert [file.name for file in (places / embedder.id).iterdir()] == ["conversion.json"]
    found = find_conversion(read_settings(published), embedder.id)
    assert isinstance(found, Conversion)
    assert found.path == published / "model.onnx"


@pytest.mark.parametrize("pooling", ["mean", "mean_sqrt_len_tokens"])
def test_onnx_weights_beside_a_graph_of_no_use_serve(
    tiny: Path, tmp_path: Path, runs: list[Path], pooling: str
) -> None:
    folder, said = tmp_path / "both", []
    shutil.copytree(tiny, folder)
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"embedding_dimension": 32, "pooling_mode": pooling, "include_prompt": True})
    )
    write_graph(folder / "onnx" / "model.onnx", name="pooler_output")
    embedder = load_embedder(folder, note=said.append)
    assert isinstance(embedder, SentenceTransformerEmbedder)
    assert " runs on sentence-transformers, at a third of the usual speed: " in said[-1]
    np.testing.assert_allclose(embedder.embed_passages(TEXTS), reference(folder, TEXTS), atol=1e-5)
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"The ONNX graph of the embedder in .*both cannot be used"):
        load_embedder(folder)


def test_onnx_weights_serve_when_the_graph_beside_them_is_damaged(
    tiny: Path, tmp_path: Path, runs: list[Path], places: Path
) -> None:
    folder, said = tmp_path / "both", []
    shutil.copytree(tiny, folder)
    write_graph(tmp_path / "full.onnx")
    onnx_export.quantise(tmp_path / "full.onnx", folder / "model.onnx", tables=False)
    assert isinstance(load_embedder(folder), OnnxEmbedder)
    before = places / embedder_id(folder)
    (folder / "model.onnx").write_bytes(b"no graph")
    before.rename(places / embedder_id(folder))  # the id is another now: damage as if it had been there from the first
    assert isinstance(load_embedder(folder, note=said.append), SentenceTransformerEmbedder)
    assert said[-1].endswith("at a third of the usual speed: its ONNX graph does not load.")
    before = places / embedder_id(folder)
    (folder / "model.safetensors").unlink()
    before.rename(places / embedder_id(folder))
    with pytest.raises(ModelError, match=r"model\.onnx does not load"):
        load_embedder(folder)


def test_onnx_graph_counts_in_the_id(published: Path) -> None:
    before = embedder_id(published)
    (published / "onnx" / "model_O4.onnx").write_bytes(b"another variant, which is not used")
    assert embedder_id(published) == before
    write_graph(published / "onnx" / "model.onnx", value=2.0)
    assert embedder_id(published) != before


def test_onnx_without_a_place_for_conversions_torch_serves(
    tiny: Path, runs: list[Path], places: Path, tmp_path: Path
) -> None:
    places.parent.mkdir()
    places.write_text("in the way")
    assert isinstance(load_embedder(tiny), OnnxEmbedder)
    assert (tmp_path / "cache" / "drzero" / "onnx" / embedder_id(tiny) / "model.onnx").is_file()
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("in the way too")
    said: list[str] = []
    assert isinstance(load_embedder(tiny, note=said.append), SentenceTransformerEmbedder)
    assert said[-1].endswith("at a third of the usual speed: no folder for it can be written.")


def test_onnx_a_failing_converter_is_told_apart_from_a_refusal(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = read_settings(tiny)
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    for status, lasts in ((2, True), (1, False), (137, False)):
        python.write_text(f"#!/bin/sh\necho some talk\necho it is odd\nexit {status}\n")
        python.chmod(0o755)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", str(python))
            assert make_conversion(settings, "tiny@1") == Refusal("it is odd")
        assert (find_conversion(settings, "tiny@1") == Refusal("it is odd")) is lasts
        conversions.drop_conversion("tiny@1")


def test_onnx_reads_graphs_of_other_makers(tmp_path: Path) -> None:
    ids = [2, 30, 31, 32, 3]
    write_graph(tmp_path / "tokens.onnx")
    write_graph(tmp_path / "text.onnx", name="sentence_embedding")
    write_graph(tmp_path / "narrow.onnx", kind=TensorProto.INT32)
    write_graph(tmp_path / "unknown.onnx", name="out")
    tokens = Graph(tmp_path / "tokens.onnx", "mean").vector(ids)
    np.testing.assert_allclose(Graph(tmp_path / "text.onnx", "cls").vector(ids), tokens, atol=1e-6)
    np.testing.assert_array_equal(Graph(tmp_path / "narrow.onnx", "mean").vector(ids), tokens)
    np.testing.assert_array_equal(Graph(tmp_path / "unknown.onnx", "mean").vector(ids), tokens)


def test_onnx_refuses_what_is_no_embedders_graph(tmp_path: Path) -> None:
    graph = tmp_path / "one.onnx"
    write_graph(graph, name="pooler_output")
    with pytest.raises(ModelError, match="gives pooler_output, of which none is known as the text's vector"):
        Graph(graph, "mean")
    model = onnx.load(str(graph))
    model.graph.input.append(helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, [1]))
    onnx.save(model, str(graph))
    with pytest.raises(ModelError, match="reads input_ids, attention_mask, pixel_values, not a text's input_ids alone"):
        Graph(graph, "mean")
    graph.write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"The ONNX graph .*one\.onnx does not load \("):
        Graph(graph, "mean")


def test_onnx_no_number_never_leaves(published: Path, runs: list[Path]) -> None:
    write_graph(published / "onnx" / "model.onnx", value=float("nan"))
    with pytest.raises(ModelError, match="gives no number for a text"):
        Graph(published / "onnx" / "model.onnx", "mean").vector([2, 3])
    with pytest.raises(ModelError):
        load_embedder(published)


def test_onnx_agreement_is_not_flattered_by_a_common_direction() -> None:
    one = np.array([[0.99, 0.141, 0], [0.99, -0.141, 0]], dtype=np.float32)
    other = np.array([[0.99, 0, 0.141], [0.99, 0, -0.141]], dtype=np.float32)
    found = onnx_export.agreement(one, other)
    assert found.mean == pytest.approx(0.98, abs=0.001)
    assert found.centred == pytest.approx(0, abs=0.001)
    assert onnx_export.agreement(other, other).centred == pytest.approx(1, abs=1e-5)

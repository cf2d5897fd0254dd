from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from drzero.errors import ModelError
from drzero.models.describing import read_settings
from drzero.models.embedding import LoadedEmbedder, embedder_id, load_embedder, load_tokenizer
from drzero.models.onnx_embedding import OnnxEmbedder
from drzero.models.onnx_export import PROBE_SENTENCES, probe_texts
from drzero.models.torch_embedding import SentenceTransformerEmbedder, load_model
from tests.conftest import fetched_model

pytestmark = pytest.mark.model

ID = "all-MiniLM-L6-v2@c19e2189e7950f37"
SENTENCE = "The lighthouse keeper wrote down the height of every tide in a small green book."


@pytest.fixture(scope="module")
def folder() -> Path:
    return fetched_model("all-MiniLM-L6-v2", "embedder")


@pytest.fixture(scope="module", params=["graph", "torch"])
def embedder(request: pytest.FixtureRequest, folder: Path) -> LoadedEmbedder:
    with pytest.MonkeyPatch.context() as patch:

        def no_network(*_: object) -> None:
            raise AssertionError("the network was asked")

        patch.setattr(socket.socket, "connect", no_network)
        patch.setattr(socket, "getaddrinfo", no_network)
        loaded = load_embedder(folder) if request.param == "graph" else with_torch(folder)
    assert isinstance(loaded, {"graph": OnnxEmbedder, "torch": SentenceTransformerEmbedder}[request.param])
    return loaded


def with_torch(folder: Path) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(load_model(folder), read_settings(folder), name=embedder_id(folder))


def copy_of(folder: Path, place: Path) -> Path:
    copy = place / "all-MiniLM-L6-v2"
    shutil.copytree(folder, copy)
    return copy


def test_embedding_gives_unit_rows(embedder: LoadedEmbedder) -> None:
    vectors = embedder.embed_passages([SENTENCE, "A cat.", ""])
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.dim == 384
    assert embedder.embed_passages([]).shape == (0, 384)


def test_embedding_keeps_the_order_of_texts(embedder: LoadedEmbedder) -> None:
    texts = [
        f"{word} " * (1 + number % 7) for number, word in enumerate(("tide", "cat", "bread", "engine", "violin") * 8)
    ]
    together = embedder.embed_passages(texts)
    alone = np.vstack([embedder.embed_passages([text]) for text in texts[:10]])
    np.testing.assert_allclose(together[:10], alone, atol=0 if isinstance(embedder, OnnxEmbedder) else 1e-5)
    np.testing.assert_array_equal(together, embedder.embed_passages(texts))


def test_embedding_nearest_is_about_the_same(embedder: LoadedEmbedder) -> None:
    passages = embedder.embed_passages(
        [SENTENCE, "Bread rises because yeast makes gas.", "The violin has four strings."]
    )
    queries = embedder.embed_queries(["Who noted how high the sea stood?", "Why does dough swell?"])
    assert (queries @ passages.T).argmax(axis=1).tolist() == [0, 1]


def test_embedding_never_cuts_a_passage(embedder: LoadedEmbedder) -> None:
    assert embedder.tokenizer.limit_tokens == 256
    fitting = "tide " * 254
    assert embedder.tokenizer.count(fitting) == 256
    embedder.embed_passages([fitting])
    with pytest.raises(ValueError, match="a text of 257 tokens is longer than the 256"):
        embedder.embed_passages([fitting + "tide"])


def test_embedding_reads_to_the_end(embedder: LoadedEmbedder) -> None:
    """The tokenizer file of this model says to cut at 128 tokens, its settings say 256."""
    start = "tide " * 200
    vectors = embedder.embed_passages([start + "lighthouse keeper", start + "sourdough bread"])
    assert float(vectors[0] @ vectors[1]) < 0.999


def test_embedding_long_query_counts_up_to_the_limit(embedder: LoadedEmbedder) -> None:
    start = "tide " * 254
    vectors = embedder.embed_queries([start, start + "bread " * 300])
    assert float(vectors[0] @ vectors[1]) > 0.9999


def test_embedding_tokenizer_offsets_are_places_in_the_text(embedder: LoadedEmbedder) -> None:
    text = "Naïve café, 東京 1999!"
    spans = embedder.tokenizer.offsets(text)
    assert [text[start:end] for start, end in spans] == ["Naïve", "café", ",", "東", "京", "1999", "!"]
    assert embedder.tokenizer.count(text) == len(spans) + 2
    assert embedder.tokenizer.offsets("") == []
    long = SENTENCE * 50
    assert embedder.tokenizer.offsets(long)[-1] == (len(long) - 1, len(long))


def test_embedding_tokenizer_loads_alone(folder: Path, embedder: LoadedEmbedder) -> None:
    alone, texts = load_tokenizer(folder), [SENTENCE, "Naïve café, 東京 1999!", "tide " * 300, ""]
    assert (alone.limit_tokens, alone.frame) == (256, embedder.tokenizer.frame)
    assert alone.ids(texts) == embedder.tokenizer.ids(texts)


def test_embedding_says_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load_embedder(folder).tokenizer.count("word " * 2000)
    assert capfd.readouterr() == ("", "")


def test_embedding_id_comes_of_the_files_alone(folder: Path, embedder: LoadedEmbedder) -> None:
    """Indexes carry this id: should it change, all of them have to be built again."""
    code = (
        "import pathlib, sys; from drzero.models.embedding import embedder_id; "
        "print(embedder_id(pathlib.Path(sys.argv[1])), {'torch', 'onnxruntime'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    assert done.stdout == f"{ID} set()\n"
    assert embedder.id == ID


def test_embedding_on_torch_honours_prefixes_and_names_them_in_the_id(folder: Path, tmp_path: Path) -> None:
    plain, copy = with_torch(folder), copy_of(folder, tmp_path)
    prompts = {"prompts": {"query": "query: ", "document": "passage: "}}
    (copy / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    prefixed = with_torch(copy)
    assert prefixed.id != plain.id
    assert prefixed.tokenizer.count("tide") == plain.tokenizer.count("passage: tide")
    np.testing.assert_allclose(prefixed.embed_queries(["tide"]), plain.embed_queries(["query: tide"]), atol=1e-6)
    np.testing.assert_allclose(prefixed.embed_passages(["tide"]), plain.embed_passages(["passage: tide"]), atol=1e-6)


def test_embedding_id_names_pooling(folder: Path, tmp_path: Path) -> None:
    copy = copy_of(folder, tmp_path)
    pooling = json.loads((copy / "1_Pooling" / "config.json").read_text())
    pooling |= {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    assert embedder_id(copy) == ID
    (copy / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    assert embedder_id(copy) != ID


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("sentence_bert_config.json", {"max_seq_length": 128}),
        ("tokenizer_config.json", {"model_max_length": 128}),
        ("config_sentence_transformers.json", {"prompts": {"query": "q: "}}),
        ("config_sentence_transformers.json", {"prompts": {"all": "x: "}, "default_prompt_name": "all"}),
    ],
)
def test_embedding_id_names_limit_and_prefixes(
    folder: Path, tmp_path: Path, name: str, settings: dict[str, object]
) -> None:
    copy = copy_of(folder, tmp_path)
    assert embedder_id(copy) == ID
    (copy / name).write_text(json.dumps(settings))
    assert embedder_id(copy) != ID


def test_embedding_static_vectors_have_the_limit_that_chunks_need(folder: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)], device="cpu").save(
        str(tmp_path / "static"), create_model_card=False
    )
    static = load_embedder(tmp_path / "static")
    assert static.id == embedder_id(tmp_path / "static")
    assert static.embed_passages(["tide " * 512]).shape == (1, 8)
    with pytest.raises(ValueError, match="a text of 5000 tokens is longer than the 512 that the embedder reads"):
        static.embed_passages(["tide " * 5000])
    assert static.embed_queries(["tide " * 5000]).shape == (1, 8)


def test_embedding_broken_weights_are_one_sentence(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRZERO_MODELS", str(tmp_path / "models"))
    copy = copy_of(folder, tmp_path)
    (copy / "config.json").write_text('{"model_type": "no-such-model"}')
    for _ in range(2):
        with pytest.raises(
            ModelError, match=r"The embedder in .*all-MiniLM-L6-v2 does not load \(.*\): copy or fetch the folder again"
        ):
            load_embedder(copy)


def test_embedding_by_tokens_is_embedding_by_text(folder: Path, embedder: LoadedEmbedder, tmp_path: Path) -> None:
    texts = [f"{SENTENCE} {number}\n" * (1 + number % 9) for number in range(40)] + ["", "x", "東京 café"]
    copy = copy_of(folder, tmp_path)
    (copy / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"document": "passage: "}}))
    for one in (embedder, with_torch(copy)):
        assert isinstance(one, OnnxEmbedder) or one._takes_ids
        tokens = [np.array(ids, dtype=np.int32) for ids in one.tokenizer.ids(texts)]
        by_tokens = one.embed_passages(texts, tokens)
        assert np.abs(by_tokens - one.embed_passages(texts)).max() < 1e-5
        np.testing.assert_allclose(np.linalg.norm(by_tokens, axis=1), 1, atol=1e-5)
    with pytest.raises(ValueError, match="a text of 257 tokens"):
        embedder.embed_passages([SENTENCE], [np.zeros(257, dtype=np.int32)])


def test_embedding_by_tokens_where_the_prefix_is_left_out_reads_the_text(folder: Path, tmp_path: Path) -> None:
    copy, said = copy_of(folder, tmp_path), []
    (copy / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"document": "passage: "}}))
    pooling = json.loads((copy / "1_Pooling" / "config.json").read_text()) | {"include_prompt": False}
    (copy / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    one = load_embedder(copy, note=said.append)
    assert said == [
        "The embedder all-MiniLM-L6-v2 runs on sentence-transformers, at a third of the usual speed: "
        "its pooling leaves the prefix out."
    ]
    assert isinstance(one, SentenceTransformerEmbedder)
    assert not one._takes_ids
    tokens = [np.array(ids, dtype=np.int32) for ids in one.tokenizer.ids([SENTENCE])]
    np.testing.assert_array_equal(one.embed_passages([SENTENCE], tokens), one.embed_passages([SENTENCE]))


def test_embedding_graph_and_torch_find_the_same(folder: Path) -> None:
    """The floors lie below what was measured: .991 in the mean and .981 at the least, on these texts."""
    graph, torch = load_embedder(folder), with_torch(folder)
    texts = probe_texts(graph.tokenizer)
    found, wanted = graph.embed_passages(texts), torch.embed_passages(texts)
    cosines = (found * wanted).sum(axis=1)
    assert cosines.mean() > (0.988 if graph.description["precision"] == "int8" else 0.99999)
    assert cosines.min() > (0.97 if graph.description["precision"] == "int8" else 0.9999)
    assert graph.description | {"precision": ""} == torch.description | {"precision": ""}
    queries = {
        "When did the harbour freeze?": "The harbour froze",
        "When was she born?": "She was born",
        "How is a violin tuned?": "A violin has",
        "What does yeast do in dough?": "Bread rises",
        "Why were there cats on board?": "Cats were kept",
        "How many people lived there after the mine closed?": "Its population fell",
    }
    for one in (graph, torch):
        best = (one.embed_queries(list(queries)) @ one.embed_passages(PROBE_SENTENCES).T).argmax(axis=1)
        nearest = [PROBE_SENTENCES[row] for row in best]
        assert all(text.startswith(start) for text, start in zip(nearest, queries.values(), strict=True)), nearest

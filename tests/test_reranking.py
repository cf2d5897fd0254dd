"""Re-rankers: a cross-encoder of a few operators, and an embedder's similarities."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from drzero.errors import ModelError
from drzero.models import reranking
from drzero.models.reranking import CrossEncoder, EmbeddingReranker, load_reranker, reranker_id
from drzero.models.resolve import ResolvedModel, check_reranker_folder, find_models, resolve_model
from tests.conftest import fetched_model
from tests.fakes import HashEmbedder
from tests.made_nli import save_pair_model

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "sea", "high", "deep"]
WORTH = [0.0, 0.0, 0.0, 0.25, 1.0, 10.0, -3.0]  # of each token of a passage; the query's count for nothing


def make_cross_encoder(folder: Path, *, limit: int = 512, outputs: int = 1) -> Path:
    """A model whose score is the sum of WORTH over the passage's tokens, its last [SEP] included."""
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    table = numpy_helper.from_array(np.array(WORTH, dtype=np.float32), "worth")
    axis = numpy_helper.from_array(np.array([1], dtype=np.int64), "axis")
    nodes = [
        helper.make_node("Gather", ["worth", "input_ids"], ["each"]),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["each", "second"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "axis"], ["sum"], keepdims=1),
        helper.make_node("Concat", ["sum"] * outputs, ["logits"], axis=1),
    ]
    given = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "token_type_ids")
    ]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", outputs])
    graph = helper.make_graph(nodes, "cross", given, [logits], [table, axis])
    save_pair_model(folder, graph, WORDS)
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": limit}))
    return folder


def test_reranking_reads_query_and_passage_together(tmp_path: Path) -> None:
    reranker = load_reranker(ResolvedModel("c", "reranker", make_cross_encoder(tmp_path / "c")))
    scores = reranker.rerank("high sea", ["sea", "high sea", "", "deep deep", "sea"])
    assert scores.dtype == np.float32
    assert scores.tolist() == [1.25, 11.25, 0.25, -5.75, 1.25]
    assert reranker.rerank("high", []).shape == (0,)
    assert reranker.id == reranker_id(tmp_path / "c")


def test_reranking_many_passages_at_once_is_as_one_by_one(tmp_path: Path) -> None:
    reranker = CrossEncoder(make_cross_encoder(tmp_path / "c"), threads=2)
    texts = ["sea " * (n % 7) + "high" for n in range(40)]
    assert reranker.rerank("deep", texts).tolist() == [n % 7 + 10.25 for n in range(40)]


def test_reranking_cuts_the_passage_and_never_all_of_it(tmp_path: Path) -> None:
    reranker = CrossEncoder(make_cross_encoder(tmp_path / "c", limit=13))
    # [CLS] two [SEP] eight [SEP]: of ten words of the passage eight are read
    assert reranker.rerank("sea sea", ["sea " * 10]).tolist() == [8.25]
    # a query has at most five of the ten places between the special tokens
    assert reranker.rerank("deep " * 100, ["sea " * 10]).tolist() == [5.25]


def test_reranking_id_follows_the_files(tmp_path: Path) -> None:
    first = reranker_id(make_cross_encoder(tmp_path / "a" / "c"))
    assert first.startswith("c@")
    assert len(first) == 18
    assert reranker_id(make_cross_encoder(tmp_path / "b" / "c")) == first
    assert reranker_id(make_cross_encoder(tmp_path / "d" / "c", limit=64)) != first


def test_reranking_names_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="There is no model folder"):
        check_reranker_folder(tmp_path / "c")
    folder = make_cross_encoder(tmp_path / "c")
    (folder / "tokenizer.json").rename(tmp_path / "t")
    with pytest.raises(ModelError, match=r"c is incomplete: tokenizer\.json is missing"):
        check_reranker_folder(folder)
    (folder / "modules.json").write_text("[]")
    with pytest.raises(ModelError, match="is an embedder, not a re-ranker"):
        check_reranker_folder(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"holds no ONNX graph of a re-ranker: export the model as onnx/model\.onnx"):
        check_reranker_folder(tmp_path / "empty")


def test_reranking_refuses_a_graph_with_several_numbers_a_pair(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="gives 3 numbers for a pair, not one"):
        CrossEncoder(make_cross_encoder(tmp_path / "c", outputs=3))


def test_reranking_keeps_no_plan_of_memory_for_each_length_of_a_pair(tmp_path: Path) -> None:
    options = CrossEncoder(make_cross_encoder(tmp_path / "c"))._graph.session.get_session_options()
    assert (options.enable_mem_pattern, options.intra_op_num_threads) == (False, 1)


def test_reranking_says_when_a_graph_does_not_load(tmp_path: Path) -> None:
    folder = make_cross_encoder(tmp_path / "c")
    (folder / "onnx" / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"The re-ranker .*model\.onnx does not load"):
        CrossEncoder(folder)


def test_reranking_models_are_found_by_name_and_listed(tmp_path: Path) -> None:
    folder = make_cross_encoder(tmp_path / "c")
    expected = ResolvedModel("c", "reranker", folder)
    assert find_models((tmp_path,)) == (expected,)
    assert resolve_model("c", "reranker", folders=(tmp_path,)) == expected
    with pytest.raises(ModelError, match="There is no re-ranker d in"):
        resolve_model("d", "reranker", folders=(tmp_path,))
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2 is an embedder, not a re-ranker"):
        resolve_model("all-MiniLM-L6-v2", "reranker", folders=(tmp_path,))


# --- an embedder's similarities -------------------------------------------------------------------------------------


class Directions:
    """An embedder of known vectors: a text is the direction that it names in degrees."""

    id, dim = "directions", 2

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        angles = np.deg2rad([float(text) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    embed_passages = embed_queries


def test_reranking_by_an_embedder_is_the_cosine() -> None:
    reranker = EmbeddingReranker(Directions())  # type: ignore[arg-type]
    np.testing.assert_allclose(reranker.rerank("30", ["30", "90", "120", "210"]), [1, 0.5, 0, -1], atol=1e-6)
    assert reranker.id == "directions"
    assert reranker.rerank("30", []).shape == (0,)


class Counting(Directions):
    """`Directions` that keeps what it was given."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        self.read += texts
        return super().embed_passages(texts)


def test_reranking_by_an_embedder_reads_a_passage_once(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Counting()
    reranker = EmbeddingReranker(embedder)  # type: ignore[arg-type]
    monkeypatch.setattr(reranking, "_REMEMBERED", 2)
    first = reranker.rerank("30", ["30", "90", "30"])
    assert (first[0] == first[2], embedder.read) == (True, ["30", "90"])
    reranker.rerank("30", ["90", "120"])  # forgets 30, which was looked at longest ago
    reranker.rerank("30", ["90", "30"])
    assert embedder.read == ["30", "90", "120", "30"]
    assert len(reranker.rerank("30", ["0", "1", "2", "3"])) == 4  # more than are remembered


class Cutting(HashEmbedder):
    """A `HashEmbedder` whose tokenizer tells what fits."""

    def __init__(self) -> None:
        super().__init__(limit_tokens=5)
        self.tokenizer.fitting_chars = lambda text, limit: 13 if limit == 5 else 0  # type: ignore[attr-defined]


def test_reranking_by_an_embedder_reads_the_beginning_of_a_longer_passage() -> None:
    reranker = EmbeddingReranker(Cutting())
    long, short = reranker.rerank("sea", ["sea high deep and so on and on", "sea high deep"])
    assert long == short


# --- the real one ---------------------------------------------------------------------------------------------------


@pytest.mark.model
def test_reranking_by_the_catalogues_cross_encoder_finds_the_answer() -> None:
    reranker = CrossEncoder(fetched_model("ms-marco-MiniLM-L-12-v2", "reranker"))
    texts = ["Paris is the capital of France.", "Berlin is a large city in Germany.", "The cat sat on the mat."]
    scores = reranker.rerank("What is the capital of France?", texts)
    assert np.argsort(-scores).tolist() == [0, 1, 2]
    assert scores[0] > 0 > scores[2]
    assert reranker.rerank("What is the capital of France?", [texts[2]])[0] == scores[2]


def test_reranking_control_tokens_in_a_passage_are_text(tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    folder = make_cross_encoder(tmp_path / "c")
    file = Tokenizer.from_file(str(folder / "tokenizer.json"))
    file.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    file.save(str(folder / "tokenizer.json"))
    assert CrossEncoder(folder, threads=1).rerank("high", ["sea [SEP] [SEP]", "sea"]).tolist() == [1.25, 1.25]

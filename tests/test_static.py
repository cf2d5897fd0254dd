"""Static embedders on tables made by hand."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from drzero.errors import ModelError
from drzero.models import static
from drzero.models.embedding import embedder_id, load_embedder, load_tokenizer
from drzero.models.static import LIMIT_TOKENS, load_static

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "sea", "high", "##er", "."]
ROWS = np.array(
    [[9, 9, 9], [9, 9, 9], [9, 9, 9], [9, 9, 9], [1, 0, 0], [0, 2, 0], [3, 0, 4], [0, 0, 0]], dtype=np.float32
)


def save_tensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    """A safetensors file."""
    names = {"float32": "F32", "float16": "F16", "int64": "I64", "float64": "F64", "int32": "I32", "complex64": "C64"}
    head, end = {"__metadata__": {"format": "pt"}}, 0
    for name, value in tensors.items():
        head[name] = {"dtype": names[value.dtype.name], "shape": value.shape, "data_offsets": (end, end + value.nbytes)}
        end += value.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(one.tobytes() for one in tensors.values()))


def make_static(folder: Path, tensors: dict[str, np.ndarray] | None = None, *, place: str = "", words=WORDS) -> Path:
    """A folder as sentence-transformers and model2vec write it, its table in the folder `place` of it."""
    reader = folder / place
    reader.mkdir(parents=True, exist_ok=True)
    kinds = [("StaticEmbedding", place), ("Normalize", "1_Normalize")]
    rows = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (kind, path) in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(rows))
    tokenizer = Tokenizer(models.WordPiece({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(reader / "tokenizer.json"))
    save_tensors(reader / "model.safetensors", tensors or {"embedding.weight": ROWS})
    return folder


def test_static_is_the_mean_of_the_rows_at_length_one(tmp_path: Path) -> None:
    embedder = load_static(make_static(tmp_path / "s"))
    vectors = embedder.embed_passages(["sea", "sea high", "Sea higher."])
    assert vectors.dtype == np.float32
    # sea + high = (1, 2, 0); sea + high + ##er + . = (4, 2, 4)
    expected = [[1, 0, 0], np.array([1, 2, 0]) / 5**0.5, np.array([4, 2, 4]) / 6]
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    np.testing.assert_array_equal(embedder.embed_queries(["sea", "sea high", "Sea higher."]), vectors)
    assert (embedder.dim, embedder.id) == (3, embedder_id(tmp_path / "s"))


def test_static_reads_no_special_tokens_and_leaves_out_unknown_ones(tmp_path: Path) -> None:
    embedder = load_static(make_static(tmp_path / "s"))
    assert embedder.tokenizer.ids(["sea zzz high"]) == [[4, 1, 5]]
    np.testing.assert_array_equal(embedder.embed_passages(["sea zzz high"]), embedder.embed_passages(["sea high"]))


@pytest.mark.parametrize("text", ["", " ", "zzz", "東京", "."])
def test_static_gives_a_unit_vector_for_a_text_without_a_known_token(tmp_path: Path, text: str) -> None:
    embedder = load_static(make_static(tmp_path / "s"))
    np.testing.assert_array_equal(embedder.embed_passages(["sea", text]), [[1, 0, 0], [0, 0, 1]])


def test_static_of_no_texts_has_no_rows(tmp_path: Path) -> None:
    assert load_static(make_static(tmp_path / "s")).embed_passages([]).shape == (0, 3)


def test_static_reads_ids_as_their_texts_and_each_text_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    embedder = load_static(make_static(tmp_path / "s", {"embeddings": rng.normal(size=(8, 33)).astype(np.float16)}))
    texts = [" ".join(rng.choice(["sea", "high", "higher", ".", "zzz"], size=n)) for n in range(300)]
    together = embedder.embed_passages(texts)
    ids = [np.array(one, dtype=np.uint32) for one in embedder.tokenizer.ids(texts)]
    np.testing.assert_array_equal(embedder.embed_passages(texts, ids), together)
    np.testing.assert_array_equal(np.concatenate([embedder.embed_passages([text]) for text in texts]), together)
    np.testing.assert_array_equal(embedder.embed_queries(texts), together)
    monkeypatch.setattr(static, "_MOST_UNPACKED", 0)  # a table too large for memory
    np.testing.assert_array_equal(load_static(tmp_path / "s").embed_passages(texts), together)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


def test_static_takes_weights_and_rows_of_tokens_as_model2vec_has_them(tmp_path: Path) -> None:
    tensors = {
        "embeddings": np.array([[1, 0], [0, 1]], dtype=np.float32),
        "mapping": np.array([0, 0, 0, 0, 0, 1, 1, 0]),
        "weights": np.array([0, 0, 0, 0, 3, 4, 0.5, 0], dtype=np.float64),
    }
    embedder = load_static(make_static(tmp_path / "s", tensors, place="0_StaticEmbedding"))
    np.testing.assert_allclose(embedder.embed_passages(["sea high"]), [[0.6, 0.8]], atol=1e-7)


def test_static_says_what_it_is(tmp_path: Path) -> None:
    embedder = load_static(make_static(tmp_path / "s"))
    assert embedder.description == {
        "name": "s",
        "fingerprint": embedder.id.removeprefix("s@"),
        "dim": 3,
        "limit_tokens": LIMIT_TOKENS,
        "query_prefix": "",
        "passage_prefix": "",
        "pooling": "mean",
        "normalised": True,
        "precision": "static",
        "languages": [],
    }


def test_static_refuses_a_passage_beyond_its_limit_and_cuts_a_query(tmp_path: Path) -> None:
    embedder = load_static(make_static(tmp_path / "s"))
    long = "sea " * LIMIT_TOKENS + "high"
    with pytest.raises(ValueError, match=f"a text of {LIMIT_TOKENS + 1} tokens is longer than the {LIMIT_TOKENS}"):
        embedder.embed_passages([long])
    np.testing.assert_allclose(embedder.embed_queries([long]), [[1, 0, 0]])


def test_static_agrees_with_sentence_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("sentence_transformers")
    make_static(tmp_path / "s")
    texts = ["sea", "Sea higher.", "high high sea"]
    model = transformers.SentenceTransformer(str(tmp_path / "s"), device="cpu")
    np.testing.assert_allclose(load_static(tmp_path / "s").embed_passages(texts), model.encode(texts), atol=1e-6)


def test_static_tokenizer_goes_word_by_word_and_travels(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(make_static(tmp_path / "s"))
    assert tokenizer.ids(["sea high"]) == pickle.loads(pickle.dumps(tokenizer)).ids(["sea high"]) == [[4, 5]]
    assert tokenizer.frame is not None
    assert (tokenizer.frame.before, tokenizer.frame.behind) == ((), ())
    assert tokenizer.limit_tokens == LIMIT_TOKENS


def test_static_is_loaded_without_torch(tmp_path: Path) -> None:
    make_static(tmp_path / "s")
    code = f"""
import sys
from pathlib import Path
from drzero.models import static
from drzero.models.embedding import load_embedder
print(load_embedder(Path({str(tmp_path / "s")!r})).embed_passages(["sea"]).tolist())
print(sorted({{"torch", "sentence_transformers", "transformers", "onnxruntime"}} & set(sys.modules)))
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["[[1.0, 0.0, 0.0]]", "[]"]


def test_static_names_a_broken_folder(tmp_path: Path) -> None:
    folder = make_static(tmp_path / "s", {"embedding.weight": ROWS[:6]})
    with pytest.raises(ModelError, match=r"word vectors in .*s lacks tokens of its tokenizer"):
        load_embedder(folder)
    save_tensors(folder / "model.safetensors", {"other": ROWS})
    with pytest.raises(ModelError, match="holds no table of word vectors"):
        load_embedder(folder)
    save_tensors(folder / "model.safetensors", {"embeddings": ROWS.astype(np.complex64)})
    with pytest.raises(ModelError, match="holds numbers of the type 'C64'"):
        load_embedder(folder)
    save_tensors(folder / "model.safetensors", {"embeddings": ROWS})
    (folder / "tokenizer.json").write_text('{"model": {"type": "Odd"}}')
    with pytest.raises(ModelError, match=r"tokenizer\.json is no tokenizer"):
        load_embedder(folder)

"""Chunks' token ids are those of the chunk's own text, with real tokenizers of every make."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from drzero.corpus.chunking import tokenised_chunks
from drzero.corpus.zim import open_archive
from drzero.models.embedding import load_embedder
from drzero.models.tokenizing import ModelTokenizer
from drzero.text import embedding_text
from drzero.types import Article, Section
from tests.conftest import fetched_model

LINES = [
    "The lighthouse keeper wrote down the height of every tide in a small green book.",
    "    for tide in tides:  # naïve café, 東京 1999!",
    "def height(tide):\n\treturn tide.level * 3.14",
    "Ĥigh wæter — “spring tide” — [SEP] comes twice a month; neap tide, too.",
    "東京は日本の首都です。京都は古い都です。ที่นี่ กำลัง नि क्षि 👩‍👩‍👧 e\u0301",
    "supercalifragilistic" * 9,
]


def made_article() -> Article:
    """Prose, code, unspaced text and words beyond any limit, under headings with signs."""
    first = "\n".join(LINES * 6)
    second = LINES[4] * 30 + " end\x0cpage\u2028 line\x00 " + "x" * 700 + " " + "\u0301" * 40
    sections = (
        Section(("Tides", "§ 2 [CLS] — naïve"), first, 0),
        Section((), second, len(first) + 2),
        Section(("Short",), "Low.", len(first) + len(second) + 4),
    )
    return Article("zim", "path", "Tide · 潮", sections)


def check(tokenizer: ModelTokenizer, article: Article, target_tokens: int) -> int:
    """Every chunk's ids against the tokenizer itself; the number of chunks."""
    made = tokenised_chunks(article, tokenizer, target_tokens=target_tokens)
    texts = [embedding_text(one.chunk.title, one.chunk.heading, one.chunk.text) for one in made]
    for one, ids in zip(made, tokenizer.ids(texts), strict=True):
        assert one.tokens.tolist() == ids
        assert len(ids) <= target_tokens
    return len(made)


def trained(kind: str) -> Tokenizer:
    """A tokenizer of a make, trained on `LINES`."""
    special = ["[UNK]", "[CLS]", "[SEP]"]
    if kind == "byte-level BPE":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=True), decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
    elif kind == "Unigram":
        made = Tokenizer(models.Unigram())
        made.normalizer, made.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=300, special_tokens=special, unk_token="[UNK]")
    else:
        made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer(lowercase=kind != "cased BERT")
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=special)
    made.train_from_iterator(LINES, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", made.token_to_id("[CLS]")), ("[SEP]", made.token_to_id("[SEP]"))],
    )
    return made


@pytest.mark.parametrize(
    ("kind", "word_by_word"), [("byte-level BPE", False), ("Unigram", False), ("BERT", True), ("cased BERT", True)]
)
@pytest.mark.parametrize("prefix", ["", "passage: "])
def test_tokenizers_ids_of_chunks_are_exact(kind: str, word_by_word: bool, prefix: str) -> None:
    tokenizer = ModelTokenizer(trained(kind).to_str(), prefix, 512)
    assert (tokenizer.frame is not None) == word_by_word
    for target_tokens in (90, 128, 300):
        assert check(tokenizer, made_article(), target_tokens) > 5


@pytest.mark.parametrize("change", ["prefix without a space", "a token that takes spaces", "other pre-tokenizer"])
def test_tokenizers_that_might_join_pieces_are_encoded_whole(change: str) -> None:
    made = trained("BERT")
    prefix = "passage:" if change == "prefix without a space" else ""
    if change == "a token that takes spaces":
        made.add_tokens([tokenizers.AddedToken("tide", lstrip=True)])
    if change == "other pre-tokenizer":
        made.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = ModelTokenizer(made.to_str(), prefix, 512)
    assert tokenizer.frame is None
    check(tokenizer, made_article(), 128)


def test_tokenizers_travel_to_another_process_without_torch(tmp_path: Path) -> None:
    tokenizer = ModelTokenizer(trained("BERT").to_str(), "query: ", 99)
    (tmp_path / "tokenizer.pickle").write_bytes(pickle.dumps(tokenizer))
    code = (
        "import pickle, sys; one = pickle.load(open(sys.argv[1], 'rb')); "
        "print(one.limit_tokens, one.count('tide'), one.frame is None, 'torch' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "tokenizer.pickle")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"99 {tokenizer.count('tide')} False False\n"


@pytest.mark.model
@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    ["real/wikipedia_en_ray_charles_mini_2020-03.zim", "real/devdocs_en_sqlite_2025-04.zim", "built/xquad_en.zim"],
)
def test_tokenizers_ids_and_vectors_of_a_real_archive_are_exact(shared_data: Path, name: str) -> None:
    embedder = load_embedder(fetched_model("all-MiniLM-L6-v2", "embedder"))
    assert embedder.tokenizer.frame is not None
    articles = [reading.article for reading in open_archive(shared_data / "zims" / name).walk() if reading.article]
    assert sum(check(embedder.tokenizer, article, 200) for article in articles) > 50
    check(embedder.tokenizer, made_article(), 200)
    made = tokenised_chunks(articles[0], embedder.tokenizer, target_tokens=200)[:20]
    texts = [embedding_text(one.chunk.title, one.chunk.heading, one.chunk.text) for one in made]
    by_tokens = embedder.embed_passages(texts, [one.tokens for one in made])
    assert np.abs(by_tokens - embedder.embed_passages(texts)).max() < 1e-5


@pytest.mark.model
def test_tokenizers_read_plain_texts_as_the_library_reads_them():
    path = fetched_model("all-MiniLM-L6-v2", "embedder") / "tokenizer.json"
    library = Tokenizer.from_file(str(path))
    library.no_truncation()
    library.no_padding()
    ours = ModelTokenizer(path.read_text(), "", 256)
    code = "".join(map(chr, range(32, 127))) + "\n\t" + "“”‘’–—…•·«»°±²³×£©®§¶│├─"
    texts = [*LINES, code, code.upper(), "A [MASK] is [mask]ed.", "İstanbul ẞ ǅ K", "", " ", "a\u00a0b\u200bc\u00add"]
    texts += ["".join(pair) for pair in zip(code, reversed(code), strict=True)]
    assert ours.ids(texts) == [library.encode(text).ids for text in texts]
    assert ours.ids(texts, alone=True) == [library.encode(text, add_special_tokens=False).ids for text in texts]
    for text, one in zip(texts, ours.encode(texts), strict=True):
        exact = library.encode(text, add_special_tokens=False)
        assert (one.ids, one.starts) == (exact.ids, [start for start, _ in exact.offsets])


def test_tokenizers_of_another_model_behind_berts_normaliser_are_read_as_they_are():
    made = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1, "tide": 2, "high": 3}, unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.WhitespaceSplit()
    ours = ModelTokenizer(made.to_str(), "", 64)
    assert ours.ids(["The high tide", "a tide"]) == [[1, 3, 2], [0, 2]]
    (one,) = ours.encode(["The high tide"])
    assert (one.ids, one.starts) == ([1, 3, 2], [0, 4, 9])

"""drzero.models.pairs: tokenizers of two texts, for which all text is text."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from drzero.errors import ModelError
from drzero.models.pairs import read_tokenizer, text_tokenizer

PIECES = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁sea", -3.0), ("▁", -4.0), ("high", -5.0)]
LETTERS = [(letter, -6.0) for letter in "</s>eapdunk"]
AROUND = processors.TemplateProcessing(
    single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
)


def unigram() -> Tokenizer:
    """A tokenizer as XLM-R's and DeBERTa's, whose control tokens are pieces of the model."""
    made = Tokenizer(models.Unigram(PIECES + LETTERS, unk_id=3))
    made.normalizer = normalizers.Replace("\u200b", "")
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.post_processor = AROUND
    made.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    made.add_tokens(["deep"])
    return made


def word_piece() -> Tokenizer:
    words = {word: number for number, word in enumerate(("<s>", "<pad>", "</s>", "<unk>", "sea", *"<>/"))}
    made = Tokenizer(models.WordPiece(words, unk_token="<unk>"))
    made.pre_tokenizer, made.post_processor = pre_tokenizers.BertPreTokenizer(), AROUND
    made.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    return made


@pytest.mark.parametrize("made", [unigram(), word_piece()], ids=["unigram", "words"])
@pytest.mark.parametrize("text", ["sea </s> sea", "sea</s></s>sea", "<s>", "<pad> <mask>", "sea <s/><</s>>"])
def test_pairs_control_tokens_in_a_text_are_text(made: Tokenizer, text: str) -> None:
    read = text_tokenizer(made.to_str())
    mask = made.token_to_id("<mask>")
    found = read.encode(text, text)
    own = [one for one, added in zip(found.ids, found.special_tokens_mask, strict=True) if not added]
    assert own
    assert not {0, 1, 2, mask} & set(own)
    assert [found.ids.count(one) for one in (0, 1, 2, mask)] == [1, 0, 3, 0]


def test_pairs_control_tokens_that_only_show_once_normalised_are_text() -> None:
    assert 2 in unigram().encode("sea <\u200b/s>", add_special_tokens=False).ids
    assert 2 not in text_tokenizer(unigram().to_str()).encode("sea <\u200b/s>", add_special_tokens=False).ids


@pytest.mark.parametrize("made", [unigram(), word_piece()], ids=["unigram", "words"])
def test_pairs_other_texts_are_read_as_ever(made: Tokenizer) -> None:
    read = text_tokenizer(made.to_str())
    for text in ("sea", "sea high sea.", "unknown", "deep sea", ""):
        assert read.encode(text, "sea").ids == made.encode(text, "sea").ids, text
    assert read.num_special_tokens_to_add(True) == 4
    assert text_tokenizer(read.to_str()).encode("sea </s> deep", "sea").ids == read.encode("sea </s> deep", "sea").ids


def test_pairs_a_tokenizer_of_a_file_cuts_nothing(tmp_path: Path) -> None:
    made = word_piece()
    made.enable_truncation(4)
    made.enable_padding(length=99)
    made.save(str(tmp_path / "tokenizer.json"))
    assert len(read_tokenizer(tmp_path / "tokenizer.json").encode("sea " * 50).ids) == 52
    (tmp_path / "tokenizer.json").write_text('{"model": {}}')
    with pytest.raises(ModelError, match=r"tokenizer\.json is no tokenizer \("):
        read_tokenizer(tmp_path / "tokenizer.json")

"""drzero.text: sentences, words, quotes, ids."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.text import (
    clean_title,
    content_id,
    embedding_text,
    find_quote,
    language_code,
    normalise,
    sentences,
    token_f1,
    word_spans,
    words,
)


def test_text_sentences_keep_abbreviations_initials_and_numbers_together() -> None:
    text = "Dr. J. R. Smith paid $3.5 million in Jan. 1999. He left.\nThe end"
    assert [text[a:b] for a, b in sentences(text)] == [
        "Dr. J. R. Smith paid $3.5 million in Jan. 1999.",
        "He left.",
        "The end",
    ]


def test_text_sentences_go_on_when_the_next_letter_is_small() -> None:
    text = "They sang Got Live If You Want It! in 1965. The end."
    assert [text[a:b] for a, b in sentences(text)] == ["They sang Got Live If You Want It! in 1965.", "The end."]


def test_text_sentences_end_at_a_line_break_and_skip_blank_lines() -> None:
    assert sentences("Birth name: Ray\n\n  Born: 1930  ") == [(0, 15), (19, 29)]


@given(st.text(max_size=300))
def test_text_sentences_cover_everything_but_white_space_in_order(text: str) -> None:
    spans = sentences(text)
    assert all(0 <= a < b <= len(text) for a, b in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert "".join("".join(text[a:b] for a, b in spans).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("metadata", "code"),
    [("eng", "en"), ("fra,eng", "fr"), ("en-GB", "en"), ("ang", "ang"), ("", ""), ("klingonish", "")],
)
def test_text_language_code_is_short_or_empty(metadata: str, code: str) -> None:
    assert language_code(metadata) == code


def test_text_words_fold_case_and_split_unspaced_scripts() -> None:
    assert words("Don’t go to 東京, B_2!") == ["don't", "go", "to", "東", "京", "b", "2"]
    assert word_spans("A 東") == [(0, 1), (2, 3)]


@pytest.mark.parametrize(
    ("quote", "stated"),
    [
        ('"coffee"-it is', "“coffee”—it is"),
        ("soft hyphen", "soft hy\u00adphen"),
        ("office café", "oﬃce cafe\u0301"),
        ("opened in 1931.", "opened  in\n1931.[3][citation needed]"),
        ("encyclopedia entry", "encyclo-\npedia entry"),
        ("opened in 1931.[3]", "opened in 1931."),
    ],
)
def test_text_find_quote_folds_dress_on_both_sides(quote: str, stated: str) -> None:
    span = find_quote(quote, f"It was said: {stated}")
    assert span is not None
    assert span[0] == 13


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("opened 1931", "It opened in 1931."),
        ("art", "The article."),
        ("", "Anything"),
        ("odds were 1.5 .", "odds were 1.5 [1.3-1.7]."),
        ("Not here", "not here"),
    ],
)
def test_text_find_quote_refuses_other_words(quote: str, text: str) -> None:
    assert find_quote(quote, text) is None


def test_text_normalise_keeps_intervals_and_subscripts() -> None:
    text = "The odds were 1.5 [1.3-1.7]. Use a[0] in C, x[3](y)."
    assert normalise(text).text == text
    assert normalise("Opened in 1931.[3][citation needed] It rained,[12] he said.").text == (
        "Opened in 1931. It rained, he said."
    )


@given(st.text(max_size=200))
def test_text_normalise_maps_every_character_to_its_source(text: str) -> None:
    folded = normalise(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert all(0 <= a < b <= len(text) for a, b in zip(folded.starts, folded.ends, strict=True))
    assert list(folded.starts) == sorted(folded.starts)


def test_text_content_id_depends_on_every_part_and_its_border() -> None:
    assert content_id("ab", "c") != content_id("a", "bc")
    assert content_id("a", 1) == content_id("a", "1")
    assert len(content_id("\ud800")) == 32


def test_text_clean_title_removes_what_does_not_print() -> None:
    assert clean_title("A\u200fB\x07\n  C\ud800") == "AB C"


def test_text_embedding_text_names_the_place_once_and_bounds_it() -> None:
    assert embedding_text("Ray", ("Ray", "Life"), "Text") == "Ray › Life\nText"
    assert embedding_text("", (), "Text") == "Text"
    assert len(embedding_text("t" * 1000, (), "")) == 161


def test_text_token_f1_ignores_case_articles_and_punctuation() -> None:
    assert token_f1("The cat sat.", "cat SAT") == 1.0
    assert token_f1("the cat", "a dog") == 0.0
    assert token_f1("", "") == 1.0
    assert token_f1("cat sat", "cat sat down") == pytest.approx(0.8)

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drzero.corpus.chunking import chunk_article
from drzero.text import content_id, embedding_text, word_spans
from drzero.types import SECTION_BREAK, Article, Section
from tests.fakes import WordTokenizer


class PieceTokenizer(WordTokenizer):
    """Pieces of at most three characters, as word-piece models make them; the whole may count more than its pieces."""

    frame = None

    def offsets(self, text):
        return [
            (at, min(at + 3, match.end()))
            for match in re.finditer(r"\w+|[^\w\s]", text)
            for at in range(match.start(), match.end(), 3)
        ]

    def ids(self, texts):
        return [[*ids, *(0,) * text.count("zz")] for text, ids in zip(texts, super().ids(texts), strict=True)]


def article(*texts, title="Tea", heading=("Kinds",)):
    sections, start = [], 0
    for text in texts:
        sections.append(Section(heading, text, start))
        start += len(text) + len(SECTION_BREAK)
    return Article("zim", "path", title, tuple(sections))


def chunk_texts(given_article, limit=20, target=20):
    return [chunk.text for chunk in chunk_article(given_article, WordTokenizer(limit), target_tokens=target)]


def test_chunking_keeps_a_short_section_whole():
    (chunk,) = chunk_article(article("Green tea. Black tea.\nWhite."), WordTokenizer(20), target_tokens=20)
    assert (chunk.text, chunk.start, chunk.end) == ("Green tea. Black tea.\nWhite.", 0, 28)
    assert (chunk.zim_id, chunk.path, chunk.title, chunk.heading) == ("zim", "path", "Tea", ("Kinds",))
    assert chunk.id == content_id("zim", "path", 0, chunk.text)


def test_chunking_never_joins_sections():
    assert chunk_texts(article("One.", "Two.")) == ["One.", "Two."]
    assert [c.start for c in chunk_article(article("One.", "Two."), WordTokenizer(9), target_tokens=9)] == [0, 6]


def test_chunking_ends_at_lines_then_sentences_then_words():
    assert chunk_texts(article("a b c d e f g h i\nj k l m n o p q r s t u")) == [
        "a b c d e f g h i",
        "j k l m n o p q r s t u",
    ]
    prose = "Aa bb cc dd. Ee ff gg hh ii jj. Kk ll mm nn oo uu. Qq rr ss tt uu vv ww xx yy zz. End."
    assert chunk_texts(article(prose)) == [
        "Aa bb cc dd. Ee ff gg hh ii jj.",
        "Kk ll mm nn oo uu.",
        "Qq rr ss tt uu vv ww xx yy zz. End.",
    ]
    assert chunk_texts(article(" ".join("abcdefghijklmnopqrstuvwxyzabcdefgh")), 20) == [
        "a b c d e f g h i j k l m n o",
        "p q r s t u v w x y z",
        "a b c d e f g h",
    ]


def test_chunking_keeps_the_indentation_of_code():
    code = "    first(1)\n" + "".join(f"    call({n})\n" for n in range(6)).rstrip()
    chunks = chunk_texts(article(code))
    assert all(chunk.startswith("    ") for chunk in chunks)
    assert "\n".join(chunks) == code


def test_chunking_keeps_a_line_that_leads_in_with_what_follows():
    text = "One two three four five six seven eight.\nFor example:\nvalue = call(a, b, c)\nmore(a, b)"
    assert chunk_texts(article(text))[1].startswith("For example:\nvalue")


def test_chunking_ends_before_a_new_thing_in_code():
    body = "    if a:\n        b(c)\n    return d"
    code = "\n".join(f"def f{n}(x):\n{body}" for n in range(6))
    chunks = chunk_texts(article(code), limit=40, target=40)
    assert all(chunk.startswith("def f") for chunk in chunks)
    assert "\n".join(chunks) == code


def test_chunking_opens_no_bracket_at_the_end_of_a_chunk():
    calls = "\n".join(f"call(\n{n}, a, b, c, d\n)" for n in range(12))
    for chunk in chunk_texts(article(calls), limit=30, target=30):
        assert chunk.startswith("call(")
        assert chunk.endswith(")")


def test_chunking_breaks_a_word_only_when_it_alone_is_too_long():
    tokenizer = PieceTokenizer(12)
    long = "x" * 60
    chunks = chunk_article(article(f"Short {long} end", title="", heading=()), tokenizer, target_tokens=12)
    assert [chunk.text for chunk in chunks] == ["Short", "x" * 30, "x" * 30, "end"]


def test_chunking_cuts_scripts_without_spaces_between_characters():
    chunks = chunk_article(article("日本語" * 20, title="", heading=()), PieceTokenizer(12), target_tokens=12)
    assert "".join(chunk.text for chunk in chunks) == "日本語" * 20


def test_chunking_refuses_a_tokenizer_without_room():
    with pytest.raises(ValueError, match="too few"):
        chunk_article(article("Text"), WordTokenizer(4), target_tokens=100)


def test_chunking_measures_long_sections_window_by_window():
    text = "\n".join(f"Line {n} of a very long list." for n in range(5000))
    chunks = chunk_article(article(text), WordTokenizer(64), target_tokens=64)
    assert "\n".join(chunk.text for chunk in chunks) == text
    assert max(WordTokenizer().count(embedding_text("Tea", ("Kinds",), chunk.text)) for chunk in chunks) <= 64


PIECES = st.one_of(
    st.sampled_from(
        [" ", "\n", "\n\n", ". ", ", ", "    ", "\t", "(", "). ", ":\n", "a[0]", "e\u0301", "\u200d", "🙂", "語", "。"]
    ),
    st.text(alphabet="abcz", min_size=1, max_size=40),
    st.text(max_size=6),
)
TEXTS = st.lists(PIECES, min_size=1, max_size=60).map("".join).filter(lambda text: bool(text.strip()))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(TEXTS, min_size=1, max_size=3),
    st.integers(12, 40),
    st.integers(12, 40),
    st.sampled_from(["word", "piece"]),
)
def test_chunking_covers_all_text_once_within_the_limit(texts, limit, target, kind):
    tokenizer = WordTokenizer(limit) if kind == "word" else PieceTokenizer(limit)
    given_article = article(*texts)
    whole = given_article.text
    chunks = chunk_article(given_article, tokenizer, target_tokens=target)
    room = min(limit, target)
    covered = set()
    for chunk in chunks:
        assert whole[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()
        assert tokenizer.count(embedding_text(chunk.title, chunk.heading, chunk.text)) <= room
        assert any(s.start <= chunk.start and chunk.end <= s.start + len(s.text) for s in given_article.sections)
        span = set(range(chunk.start, chunk.end))
        assert not covered & span
        covered |= span
    assert all(at in covered for at, character in enumerate(whole) if not character.isspace())
    words = word_spans(whole)
    for before, after in pairwise(chunks):
        if before.end == after.start:
            broken = [whole[start:end] for start, end in words if start < before.end < end]
            assert all(tokenizer.count(embedding_text("Tea", ("Kinds",), word)) > room for word in broken)

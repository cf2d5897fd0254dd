import re
from itertools import pairwise

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from drzero.corpus.chunking import chunk_article, tokenised_chunks
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

    def ids(self, texts, *, alone=False):
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


def test_chunking_keeps_the_title_of_rows_with_the_first_of_them():
    text = "Label: Atlantic\nGenre: soul and blues\nRay Charles singles chronology\nMess Around (1953) | Heartbreaker"
    assert chunk_texts(article(text), limit=19, target=19) == [
        "Label: Atlantic\nGenre: soul and blues",
        "Ray Charles singles chronology\nMess Around (1953) | Heartbreaker",
    ]


def test_chunking_keeps_what_leads_in_with_the_code_that_would_be_cut():
    lead, code = "For example:", "one(a, b);\ntwo(c, d);\nthree(e);"
    text = f"Some words come first and say what it does.\n{lead}\n{code}"
    section = Section((), text, 0, code=((len(text) - len(code), len(text)),))
    made = chunk_texts(Article("z", "p", "", (section,)), limit=27, target=27)
    assert made == ["Some words come first and say what it does.", f"{lead}\n{code}"]


def test_chunking_parts_no_fence_from_its_code():
    code = "```js\n" + "\n".join(f"call{n}(a, b);" for n in range(12)) + "\n```"
    section = Section((), f"Some words that say what it does.\n{code}", 0, code=((34, 34 + len(code)),))
    made = chunk_texts(Article("z", "p", "", (section,)), limit=40, target=40)
    assert "".join(made).replace("\n", "") == section.text.replace("\n", "")
    assert not any(chunk.endswith("```js") or chunk.startswith("```\n") or chunk == "```" for chunk in made)


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


def code_article(*blocks):
    """An article of one section: blocks on lines of their own, those of several lines marked as code."""
    text, code = "", []
    for block in blocks:
        text += "\n" * bool(text)
        if "\n" in block:
            code.append((len(text), len(text) + len(block)))
        text += block
    return Article("zim", "path", "Tea", (Section(("Kinds",), text, 0, tuple(code)),))


CODE = "def brew(leaf):\n    pot = warm(leaf)\n    return pot"  # 15 tokens


def test_chunking_takes_code_along_where_it_fits():
    prose = "One two three four five. Six seven eight."
    given_article = code_article(prose, CODE, " ".join("abcdefghijklmnopqrstuvwxyz" * 2))
    assert chunk_texts(given_article, 35, 35)[0] == f"{prose}\n{CODE}"


def test_chunking_ends_before_code_that_would_be_cut():
    prose = " ".join("abcdefghijkl")
    given_article = code_article(prose, CODE, CODE, " ".join("abcdefghijklmnopqrstuvwxyz"))
    assert chunk_texts(given_article, 26, 26)[:3] == [prose, CODE, CODE]


def test_chunking_cuts_code_larger_than_a_chunk_at_its_best_line():
    long = "\n".join(f"def f{n}(x):\n    y = x\n    return y" for n in range(5))
    chunks = chunk_texts(code_article("Before.", long), 42, 42)
    assert all(chunk.startswith(("Before.\ndef f0", "def f")) for chunk in chunks)
    assert "\n".join(chunks) == f"Before.\n{long}"


@pytest.mark.parametrize(
    "cluster",
    ["กำ", "ที่", "नि", "क्षि", "👩‍👩‍👧", "🇩🇪", "e\u0301\u0323", "\u1112\u1161\u11ab", "각"],
    ids=["thai sara am", "thai marks", "devanagari", "conjunct", "family", "flag", "two marks", "jamo", "syllable"],
)
def test_chunking_cuts_no_character_from_its_marks(cluster):
    class CharacterTokenizer(WordTokenizer):
        frame = None

        def offsets(self, text):
            return [(at, at + 1) for at, character in enumerate(text) if not character.isspace()]

    text = cluster * 40
    for limit in range(12, 24):
        chunks = chunk_article(article(text, title="", heading=()), CharacterTokenizer(limit), target_tokens=limit)
        assert len(chunks) > 1
        assert all(chunk.start % len(cluster) == 0 for chunk in chunks)
        assert "".join(chunk.text for chunk in chunks) == text


def test_chunking_cuts_a_character_that_alone_is_too_long():
    chunks = chunk_article(article("e" + "\u0301" * 50, title="", heading=()), WordTokenizer(20), target_tokens=20)
    assert [len(chunk.text) for chunk in chunks] == [18, 18, 15]


def test_chunking_of_a_word_by_word_tokenizer_puts_the_ids_together(monkeypatch):
    text = "\n".join(f"Line {n} of a list, no. {n % 7}." for n in range(3000))
    given_article = code_article(text, "", "   ", CODE)
    tokenizer = WordTokenizer(60)
    expected, batches = tokenizer.ids, []

    def batch_of_pieces(texts, *, alone=False):
        assert alone, "encoded anew"
        batches.append(texts)
        return expected(texts, alone=True)

    monkeypatch.setattr(tokenizer, "ids", batch_of_pieces)
    made = tokenised_chunks(given_article, tokenizer, target_tokens=60)
    for one in made:
        assert one.tokens.dtype == np.int32
        place = embedding_text(one.chunk.title, one.chunk.heading, one.chunk.text)
        assert one.tokens.tolist() == expected([place])[0]
    assert len(batches) == 1
    assert [one.chunk for one in made] == chunk_article(given_article, tokenizer, target_tokens=60)


def test_chunking_cuts_text_that_the_tokenizer_does_not_know_by_its_characters():
    text, tokenizer = "Short " + "x" * 50_000 + " end.", WordTokenizer(20)  # longer than a window
    made = tokenised_chunks(article(text, title="", heading=()), tokenizer, target_tokens=20)
    assert max(len(one.chunk.text) for one in made) == 16 * 18
    assert len(made) == 50_000 // (16 * 18) + 2
    assert [one.tokens.tolist() for one in made] == tokenizer.ids([one.chunk.text for one in made])


PIECES = st.one_of(
    st.sampled_from(
        [" ", "\n", "\n\n", ". ", ", ", "    ", "\t", "(", "). ", ":\n", "a[0]", "e\u0301", "\u200d", "🙂", "語", "。"]
    ),
    st.sampled_from(["ที่นี่", "กำ", "क्षि", "नि", "👩‍👩‍👧", "🇩🇪", "\u1112\u1161\u11ab", "\u0301", "\r\n", "日本語", "မြန်"]),
    st.text(alphabet="abcz", min_size=1, max_size=40),
    st.text(max_size=6),
)
TEXTS = st.lists(PIECES, min_size=1, max_size=60).map("".join).filter(lambda text: bool(text.strip()))
TOKENIZERS = {"word": WordTokenizer, "piece": PieceTokenizer}


@settings(max_examples=300, deadline=None)
@given(
    st.lists(TEXTS, min_size=1, max_size=3), st.integers(12, 40), st.integers(12, 40), st.sampled_from([*TOKENIZERS])
)
def test_chunking_covers_all_text_once_within_the_limit(texts, limit, target, kind):
    tokenizer = TOKENIZERS[kind](limit)
    given_article = article(*texts)
    whole = given_article.text
    made = tokenised_chunks(given_article, tokenizer, target_tokens=target)
    chunks = [one.chunk for one in made]
    room = min(limit, target)
    covered = set()
    for one, chunk in zip(made, chunks, strict=True):
        assert whole[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()
        assert one.tokens.tolist() == tokenizer.ids([embedding_text(chunk.title, chunk.heading, chunk.text)])[0]
        assert len(one.tokens) <= room
        assert len(chunk.text) <= 16 * room
        assert any(s.start <= chunk.start and chunk.end <= s.start + len(s.text) for s in given_article.sections)
        span = set(range(chunk.start, chunk.end))
        assert not covered & span
        covered |= span
    assert all(at in covered for at, character in enumerate(whole) if not character.isspace())

    def is_too_long(text):
        return len(text) > 16 * 5 or tokenizer.count(embedding_text("Tea", ("Kinds",), text)) > room

    clusters = [match.span() for match in regex.finditer(r"\X", whole)]
    words = word_spans(whole)
    for before, after in pairwise(chunks):
        parted = [(start, end) for start, end in clusters if start < before.end < end and start < after.start < end]
        assert all(is_too_long(whole[start:end]) for start, end in parted)
        if before.end == after.start:
            broken = [(start, end) for start, end in words if start < before.end < end]
            with_marks = [(start, max(b for a, b in clusters if a < end)) for start, end in broken]
            assert all(is_too_long(whole[start:end]) for start, end in with_marks)


LINES = st.text(alphabet="ab (:é", min_size=1, max_size=20).filter(lambda line: bool(line.strip()))
BLOCKS = st.one_of(LINES, st.lists(LINES, min_size=2, max_size=8).map("\n".join))


@settings(max_examples=200, deadline=None)
@given(st.lists(BLOCKS, min_size=1, max_size=8), st.integers(12, 40))
def test_chunking_cuts_no_code_that_fits(blocks, limit):
    given_article, tokenizer = code_article(*blocks), WordTokenizer(limit)
    (section,) = given_article.sections
    chunks = chunk_article(given_article, tokenizer, target_tokens=limit)
    for start, end in section.code:
        if tokenizer.count(embedding_text("Tea", ("Kinds",), section.text[start:end])) <= limit:
            assert not [chunk for chunk in chunks if start < chunk.end < end and section.text[chunk.end : end].strip()]

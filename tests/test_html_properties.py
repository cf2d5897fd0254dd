"""What holds for any page: every visible word is read once and in order, hidden ones never, whatever the nesting."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from drzero.corpus.chunking import chunk_article
from drzero.corpus.html import read_html
from drzero.text import embedding_text
from drzero.types import Article
from tests.fakes import WordTokenizer

Node = str | tuple[str, list["Node"]]

INLINE = ("span", "b", "i", "a", "em", "code", "u", "small", "span class='k'")
BLOCKS = ("div", "p", "blockquote", "section", "ul", "li", "ol", "dl", "dt", "dd", "figure", "center", "pre")
PARTS = ("details", "summary", "table", "tr", "td", "tbody", "caption", "h2", "h3", "h4")
NOISE = ("script", "style", "nav", "svg", "button", "noscript", "span style='display:none'", "div hidden")

WORD = st.just("word")
HIDDEN = st.just("hidden")
noise = st.tuples(st.sampled_from(NOISE), st.lists(HIDDEN, max_size=2))
nodes = st.recursive(
    st.one_of(WORD, WORD, noise),
    lambda inner: st.tuples(st.sampled_from((*INLINE, *BLOCKS, *PARTS)), st.lists(inner, max_size=4)),
    max_leaves=30,
)
pages = st.lists(nodes, max_size=8)


def markup(nodes: list[Node], numbers: Iterator[int]) -> str:
    pieces = []
    for node in nodes:
        if isinstance(node, str):
            pieces.append(f" {node}{next(numbers)} ")
        else:
            tag, inner = node
            pieces.append(f"<{tag}>{markup(inner, numbers)}</{tag.split()[0]}>")
    return "".join(pieces)


@settings(max_examples=400, deadline=None)
@given(pages)
def test_html_reads_every_visible_word_once_and_no_hidden_one(nodes):
    html = markup(nodes, itertools.count(1))
    sections = read_html(html).sections
    read = [word for section in sections for word in re.findall(r"word\d+", section.text)]
    headings = {word for section in sections for part in section.heading for word in re.findall(r"word\d+", part)}
    assert sorted(set(read)) == sorted(read)
    unread = set(re.findall(r"word\d+", html)) - set(read) - headings
    in_headings = {
        word for part in re.findall(r"<(?:h\d|summary|details).*", html) for word in re.findall(r"word\d+", part)
    }
    assert unread <= in_headings  # a heading with nothing below it is no text
    assert "hidden" not in "".join(section.text + "".join(section.heading) for section in sections)


@settings(max_examples=200, deadline=None)
@given(pages)
def test_html_gives_places_that_hold_and_chunks_that_fit(nodes):
    sections = read_html(markup(nodes, itertools.count(1))).sections
    article = Article("z", "p", "Title", sections)
    for section in sections:
        assert article.text[section.start :].startswith(section.text)
        assert all(section.text[start:end].count("\n") > 0 for start, end in section.code)
    tokenizer = WordTokenizer(24)
    chunks = chunk_article(article, tokenizer, target_tokens=24)
    assert all(article.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert all(tokenizer.count(embedding_text(c.title, c.heading, c.text)) <= 24 for c in chunks)
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(article.text.split())


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="<>/abp divtr=\"'&;!-\n\x00é中\u200b", max_size=200))
def test_html_reads_any_wreckage(text):
    sections = read_html(text).sections
    assert all(section.text.strip() for section in sections)

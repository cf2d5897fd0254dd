"""drzero.encyclopedia.markdown: pages that show what was said, whatever was said."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from drzero.encyclopedia import markdown
from drzero.encyclopedia.markdown import article_page, escaped, write_markdown
from drzero.encyclopedia.values import Imprint, Listed, Reference, Section, Source, Statement, SubjectArticle
from drzero.text import without_steering
from tests.samples import CITATION

KITCHEN = Source("zim-1", "kitchen", "Kitchen", "2026-01", "eng", "Cooks", "Press", "CC BY-SA 4.0", "k.example")
IMPRINT = Imprint("Salt & Co", "Everything salty", "en", "2026-03-04", "Cooks", "drzero")
SAID = Statement("Salt is a mineral.", (1,), ("n1",), "What is salt?", "current", 1)
ARTICLE = SubjectArticle(
    slug="salt",
    title="Salt",
    aliases=("Halite", "Rock salt"),
    lead=(SAID,),
    sections=(Section("Facts", (replace(SAID, text="Salt is white.", references=(1, 2), archives=2),)),),
    references=(Reference(1, CITATION), Reference(2, replace(CITATION, heading=(), quote="It is\nwhite.", start=1))),
    see_also=(("pepper", "Pepper [black]"),),
    sources=(KITCHEN,),
    profile="wikipedia",
    updated="2026-03-04",
)


def shown(text: str) -> str:
    """The words that a Markdown renderer shows of `text`, each piece of code and each line for itself."""
    tokens = MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    assert all(child.type in ("text", "text_special", "softbreak") for child in inline), [c.type for c in inline]
    assert [token.type for token in tokens] in ([], ["paragraph_open", "inline", "paragraph_close"]), text
    return "".join(child.content for child in inline)


def test_markdown_page_is_whole() -> None:
    assert article_page(ARTICLE) == (
        "# Salt\n"
        "\n"
        "*Names that lead here: Halite; Rock salt.*\n"
        "\n"
        "Salt is a mineral. [\\[1\\]](#references)\n"
        "\n"
        "## Facts\n"
        "\n"
        "- Salt is white. [\\[1\\]](#references)[\\[2\\]](#references) *(2 archives say so independently)*\n"
        "\n"
        "## See also\n"
        "\n"
        "- [Pepper \\[black\\]](../p/pepper.md)\n"
        "\n"
        "## References\n"
        "\n"
        "1. “Table salt consists mainly of sodium chloride.” — Salt › Chemistry › Make-up, in Kitchen (2026-01); "
        "characters 100 to 146 of A/Salt \\& pepper#1\n"
        "2. “It is white.” — Salt, in Kitchen (2026-01); characters 1 to 146 of A/Salt \\& pepper#1\n"
        "\n"
        "## Sources and licences\n"
        "\n"
        "- **Kitchen** — by: Cooks; published by: Press; date: 2026-01; language: eng; licence: CC BY-SA 4.0; "
        "from: k.example; archive: kitchen (zim-1)\n"
        "\n"
        "Newest entry: 2026-03-04. [All sources](../sources.md) · [Index](../index.md)\n"
    )


@pytest.mark.parametrize(
    ("status", "mark"),
    [
        ("current", ""),
        ("stale", " *(No longer in its source as it was: to be checked again.)*"),
        ("disputed", " *(Disputed: another source or check says otherwise.)*"),
    ],
)
def test_markdown_marks_what_is_not_current(status: str, mark: str) -> None:
    page = article_page(replace(ARTICLE, lead=(replace(SAID, status=status),)))  # type: ignore[arg-type]
    assert f"Salt is a mineral. [\\[1\\]](#references){mark}\n" in page


def test_markdown_code_of_several_lines_is_a_block_that_nothing_in_it_ends() -> None:
    code = replace(SAID, text="def f():\n    return '```'\n# <b>")
    page = article_page(replace(ARTICLE, lead=(), sections=(Section("Use", (code,)),)))
    assert "- ````\n  def f():\n      return '```'\n  # <b>\n  ````\n\n  [\\[1\\]](#references)\n" in page
    block = next(token for token in MarkdownIt("commonmark").parse(page) if token.type == "fence")
    assert block.content == "def f():\n    return '```'\n# <b>\n"


def test_markdown_licence_that_is_not_known_is_said_to_be_so() -> None:
    page = article_page(replace(ARTICLE, sources=(Source("zim-1", "", "", "", "", "", "", "", ""),)))
    assert "- **zim-1** — licence: not stated by the archive; archive: zim-1\n" in page
    assert "in zim-1; characters" in page


@pytest.mark.parametrize(
    "text",
    [
        "# no heading", "1. no item", "- no item", "+ no", "a | b", "<script>alert(1)</script>", "&lt; &amp; &#65;",
        "`code`", "*bold* _it_ __init__", "[[Wiki]] [a](b) ![i](x)", "back\\slash", "> quote", "~~gone~~", "=== x",
        "2) no", "مرحبا 12", "$x$ ^1", "<!-- -->", "***", "---", ": x",
    ],
)  # fmt: skip
def test_markdown_signs_are_shown_as_they_are(text: str) -> None:
    assert shown(escaped(text)) == text


@given(st.text())
def test_markdown_any_text_is_one_line_of_text(text: str) -> None:
    line = escaped(text)
    assert "\n" not in line
    assert "\x00" not in line
    assert shown(line) == " ".join(without_steering(text).split())


def test_markdown_steering_characters_and_line_breaks_go() -> None:
    assert escaped("a\u202eb\x00c\r\nd\te") == "abc d e"


def articles(count: int) -> list[SubjectArticle]:
    return [
        replace(ARTICLE, slug=f"{'abc'[n % 3]}-{n}", title=f"{'ABC'[n % 3]} {n}", see_also=()) for n in range(count)
    ]


def test_markdown_folder_has_a_page_for_each_article_an_index_and_the_sources(tmp_path: Path) -> None:
    counts = write_markdown(tmp_path, IMPRINT, iter([ARTICLE, replace(ARTICLE, slug="塩", title="塩", see_also=())]))
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")) == [
        "index.md",
        "s/salt.md",
        "sources.md",
        "塩/塩.md",
    ]
    assert counts == {"subjects": 2, "statements": 4, "references": 4}
    assert (tmp_path / "index.md").read_text(encoding="utf-8") == (
        "# Salt \\& Co\n\nEverything salty\n\n"
        "4 statements; the figure behind a subject is the number of its statements. "
        "[Sources and licences](sources.md)\n\n"
        "## S\n\n- [Salt](s/salt.md) (2)\n\n## 塩\n\n- [塩](%E5%A1%A9/%E5%A1%A9.md) (2)\n\nNewest entry: 2026-03-04.\n"
    )
    assert (tmp_path / "sources.md").read_text(encoding="utf-8") == (
        "# Sources of Salt \\& Co\n\n"
        "Every sentence is supported by words of these archives, which keep their own licences.\n\n"
        "## Kitchen\n\n- By: Cooks\n- Published by: Press\n- Date: 2026-01\n- Language: eng\n- Licence: CC BY-SA 4.0\n"
        "- From: k.example\n- Archive: kitchen (zim-1)\n- 4 references\n\n[Index](index.md)\n"
    )


def test_markdown_index_of_many_is_a_page_for_each_letter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "LISTED_AT_ONCE", 6)
    write_markdown(tmp_path, IMPRINT, articles(7))
    assert "- [A](a/index.md) (3)\n- [B](b/index.md) (2)\n" in (tmp_path / "index.md").read_text(encoding="utf-8")
    assert (tmp_path / "a" / "index.md").read_text(encoding="utf-8") == (
        "# Salt \\& Co: A\n\n- [A 0](../a/a-0.md) (2)\n- [A 3](../a/a-3.md) (2)\n- [A 6](../a/a-6.md) (2)\n\n"
        "[Index](../index.md)\n"
    )


@pytest.mark.parametrize("at_once", [1, 100])
def test_markdown_every_link_leads_to_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(markdown, "LISTED_AT_ONCE", at_once)
    pepper = replace(ARTICLE, slug="pepper", title="Pepper", see_also=(("salt", "Salt"), ("塩", "塩")))
    write_markdown(tmp_path, IMPRINT, [ARTICLE, pepper, replace(pepper, slug="塩", title="塩")])
    links = [
        (page, target)
        for page in tmp_path.rglob("*.md")
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert len(links) > 10
    assert [(page, target) for page, target in links if not (page.parent / unquote(target)).is_file()] == []


def test_markdown_listed_counts_the_statements() -> None:
    assert Listed.of(ARTICLE) == Listed("salt", "Salt", ("Halite", "Rock salt"), 2)

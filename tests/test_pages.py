"""drzero.encyclopedia.pages: what stands on the pages, and that nothing in a text becomes markup."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from drzero.encyclopedia.pages import ASSETS, Pages, asset, credited, direction, path_of
from drzero.encyclopedia.values import Reference, Section, Statement
from tests.made_articles import ARTICLES, IMPRINT, KITCHEN, MILH, ODD, SALT
from tests.samples import CITATION

ROOT = Path(__file__).resolve().parents[1]
PAGES = Pages(IMPRINT, search=True)


def soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "lxml")


def text_of(node: object) -> str:
    return " ".join(node.get_text().split())  # type: ignore[attr-defined]


def colours(scheme: str) -> dict[str, str]:
    """The variables of the style sheet in one scheme."""
    light, dark = asset("style.css").split("@media (prefers-color-scheme: dark)", 1)
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", light if scheme == "light" else dark.split("@media", 1)[0]))


def contrast(one: str, other: str) -> float:
    """As the accessibility guidelines define it, from 1 to 21."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_pages_article_prints_statements_with_their_references() -> None:
    page = soup(PAGES.article(SALT))
    assert [text_of(one) for one in page.select(".said")] == [
        "Salt is a mineral.[1] 2 archives say so independently",
        "Salt tastes salty.[2] No longer in its source as it was: to be checked again.",
        "Salt melts at 801 degrees.[1][2] Disputed: another source or check says otherwise.",
        "pot.add(salt) if pot < 3: stir()[1]",
    ]
    assert [one["href"] for one in page.select("#s3 .refs a")] == ["#r1", "#r2"]
    assert [text_of(one) for one in page.select(".references li")] == [
        "Salt is a mineral Salt › Chemistry › Make-up, in Kitchen (2026-01) "
        "characters 100 to 146 of A/Salt & pepper#1 ↑ ↑ ↑",
        "it tastes <b>salty</b> & good Salt, in Kitchen (2026-01) characters 7 to 9 of A/Salt & pepper#1 ↑ ↑",
    ]
    assert [one["href"] for one in page.select("#r2 small a")] == ["#s2", "#s3"]


def test_pages_article_names_what_it_is_about_and_where_to_go_on() -> None:
    page = soup(PAGES.article(SALT))
    assert page.title.string == "Salt – Kitchen lore"
    assert [text_of(one) for one in page.select("h1")] == ["Salt"]
    assert [text_of(one) for one in page.select("h2")] == [
        "Facts",
        "Use",
        "See also",
        "References",
        "Sources and licences of this page",
    ]
    assert text_of(page.select_one(".aliases")) == "Also called Sodium chloride, Table salt"
    assert [one["href"] for one in page.select(".links a")] == ["../m/milh.html"]
    assert [(text_of(one), one["href"]) for one in page.select(".questions a")] == [
        ("What is salt?", "#s1"),
        ("How does salt taste?", "#s2"),
        ("When does salt melt?", "#s3"),
        ("Code?", "#s4"),
    ]
    assert [one["href"] for one in page.select(".contents a")] == ["#part1", "#part2", "#references"]


def test_pages_article_credits_each_source_with_its_licence() -> None:
    credited_here = soup(PAGES.article(SALT)).select_one(".credits")
    assert text_of(credited_here) == (
        "Sources and licences of this page Kitchen: By Cooks; Published by Press; Date 2026-01; Language eng; "
        "Licence CC BY-SA 4.0; From https://k.example; Archive kitchen (zim-1)"
    )
    assert [one["href"] for one in credited_here.select("a")] == ["https://k.example"]
    assert "Licence not stated by the archive" in text_of(soup(PAGES.article(MILH)).select_one(".credits"))


def test_pages_code_keeps_its_lines() -> None:
    assert soup(PAGES.article(SALT)).select_one("pre").get_text() == "pot.add(salt)\nif pot < 3:\n    stir()"


def test_pages_in_a_language_from_right_to_left() -> None:
    page = soup(PAGES.article(MILH))
    assert page.article["dir"] == "rtl"
    assert (page.h1["lang"], page.h1["dir"]) == ("ar", "rtl")
    assert (page.blockquote["lang"], page.blockquote["dir"]) == ("ar", "rtl")
    assert "dir" not in soup(PAGES.article(SALT)).article.attrs
    assert page.html["lang"] == "en"  # the words around the statements


@pytest.mark.parametrize("archive_language", ["eng,fra", "mul", "und", ""])
def test_pages_claim_no_language_that_is_not_known(archive_language: str) -> None:
    page = soup(PAGES.article(replace(SALT, sources=(replace(KITCHEN, language=archive_language),))))
    assert (page.blockquote.get("lang"), page.blockquote["dir"]) == (None, "auto")


def test_pages_show_odd_texts_as_they_are_and_nothing_as_markup() -> None:
    html = PAGES.article(ODD)
    page = soup(html)
    assert page.select("script, article i, article b b, .said p") == []
    assert text_of(page.h1) == "<script>alert(1)</script> \"A\" | 'B' # &"
    assert text_of(page.select_one("#s1")) == "1 < 2 </p> & {{ 3 }}[1]"
    assert "<i>Odd</i> › Chemistry › Make-up, in zim-9" in text_of(page.select_one("#r1"))
    assert [one["href"] for one in page.select(".credits a")] == []  # javascript: is no address
    assert not set("\x00\u202e\ud800") & set(html)


def test_pages_a_search_box_only_where_the_script_is() -> None:
    assert soup(PAGES.article(SALT)).select_one("form")["action"] == "../search.html"
    assert soup(Pages(IMPRINT, search=False).article(SALT)).select("form, input, script") == []


@pytest.mark.parametrize("article", ARTICLES, ids=lambda one: one.slug)
def test_pages_are_accessible(article: object) -> None:
    page = soup(PAGES.article(article))  # type: ignore[arg-type]
    ids = [one["id"] for one in page.select("[id]")]
    assert len(ids) == len(set(ids))
    assert len(page.select("h1")) == len(page.select("main")) == 1
    assert page.select_one("body > a")["href"] == "#content"
    assert {one["for"] for one in page.select("label")} == {one["id"] for one in page.select("input")}
    assert all(text_of(one) or one.get("aria-label") for one in page.select("a, button"))
    assert all(one.get("aria-label") for one in page.select("nav"))
    assert all(one["aria-labelledby"] in ids for one in page.select("[aria-labelledby]"))
    assert {one["href"][1:] for one in page.select('a[href^="#"]')} <= set(ids)


@pytest.mark.parametrize("article", ARTICLES, ids=lambda one: one.slug)
def test_pages_load_nothing_from_outside(article: object) -> None:
    page = soup(PAGES.article(article))  # type: ignore[arg-type]
    assert [one["href"] for one in page.select("link")] == ["../style.css"]
    assert page.select("[src], style, [style], iframe, [onclick]") == []
    assert "url(" not in asset("style.css")
    assert "@import" not in asset("style.css")
    assert "http" not in asset("search.js")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("front", "back"),
    [
        *((front, back) for front in ("text", "soft", "link", "seen") for back in ("page", "shade", "aim")),
        ("mark", "mark-shade"),
    ],
)
def test_pages_colours_can_be_told_apart(scheme: str, front: str, back: str) -> None:
    found = colours(scheme)
    assert contrast(found[front], found[back]) >= 4.5


def test_pages_a_quote_twice_is_two_references_with_ways_back() -> None:
    article = replace(
        SALT,
        lead=(),
        sections=(Section("Facts", (Statement("A.", (1, 2), ("n1",), "", "current"),)),),
        references=(Reference(1, CITATION), Reference(2, CITATION)),
    )
    page = soup(PAGES.article(article))
    assert [one["href"] for one in page.select(".references small a")] == ["#s1", "#s1"]
    assert page.select(".questions, .lead, .contents") == []


def test_pages_sources_are_told_once_with_their_use() -> None:
    page = soup(PAGES.sources([KITCHEN, *MILH.sources], {"zim-1": 1200, "zim-2": 1}))
    assert [text_of(one) for one in page.select("h2")] == ["Kitchen", "مطبخ"]
    used = [text_of(one) for one in page.select("dd") if "reference" in text_of(one)]
    assert used == ["1,200 references", "1 reference"]


def test_pages_about_explains_the_marks() -> None:
    words = text_of(soup(PAGES.about()).main)
    assert "Stale No longer in its source as it was: to be checked again." in words
    assert "Disputed Disputed: another source or check says otherwise." in words
    assert "The statements rest on the work of Cooks." in words


def test_pages_credit_without_anything_said() -> None:
    assert credited(ODD.sources) == [
        (
            "zim-9",
            [
                ("Licence", "not stated by the archive", ""),
                ("From", "javascript:alert(2)", ""),
                ("Archive", "zim-9", ""),
            ],
            "zim-9",
        )
    ]


def test_pages_directions() -> None:
    assert [direction(code) for code in ("en", "ar", "he", "")] == ["ltr", "rtl", "rtl", "auto"]


def test_pages_path_begins_with_the_letter_of_the_slug() -> None:
    assert path_of("salt") == "s/salt.html"


def test_pages_everything_they_are_made_of_is_packed() -> None:
    folder = ROOT / "drzero" / "encyclopedia"
    globs = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    packed = {path for glob in globs["drzero.encyclopedia"] for path in folder.glob(glob)}
    assert packed == {path for path in (folder / "dress").rglob("*") if path.is_file()}
    assert {path.name for path in packed} >= {*ASSETS, "article.html", "base.html"}

"""drzero.encyclopedia.site: a folder of pages that hang together, and work in a browser without a server."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from html import escape
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from bs4 import BeautifulSoup

from drzero.encyclopedia.site import LARGEST, write_site
from tests.made_articles import ARTICLES, IMPRINT, SALT, many

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
browser = pytest.mark.skipif(not CHROMIUM, reason="needs Chromium")


def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text("utf-8"), "lxml")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The three articles as a site, in a folder whose name has to be escaped."""
    folder = tmp_path_factory.mktemp("site") / "a b#c"
    folder.mkdir()
    assert write_site(folder, IMPRINT, iter(ARTICLES)) == Counter(subjects=3, statements=6, references=4)
    return folder


def rendered(address: str, profile: Path) -> BeautifulSoup:
    """What a browser makes of a page, its scripts run."""
    assert CHROMIUM
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={profile}",
        "--virtual-time-budget=5000",
    ]
    done = subprocess.run([CHROMIUM, *flags, "--dump-dom", address], capture_output=True, timeout=120, check=True)
    return BeautifulSoup(done.stdout.decode(), "lxml")


def test_site_has_every_page(site: Path) -> None:
    files = sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    assert files == [
        "a/a-b.html",
        "about.html",
        "index.html",
        "letters/s.html",
        "letters/u0645.html",
        "m/milh.html",
        "s/salt.html",
        "search.html",
        "search.js",
        "search/about.js",
        "search/t0.js",
        "search/w0.js",
        "sources.html",
        "style.css",
    ]


def test_site_every_link_leads_somewhere(site: Path) -> None:
    ids = {page: {one["id"] for one in soup(page).select("[id]")} for page in site.rglob("*.html")}
    for page in ids:
        for one in soup(page).select("[href], [src], [action]"):
            address = one.get("href") or one.get("src") or one.get("action")
            if address.startswith("https://k.example"):
                continue
            path, _, part = address.partition("#")
            aim = (page.parent / unquote(path)).resolve() if path else page
            assert aim.is_file(), f"{page}: {address}"
            assert not part or unquote(part) in ids[aim], f"{page}: {address}"


def test_site_first_page_tells_how_much_there_is(site: Path) -> None:
    page = soup(site / "index.html")
    figures = [" ".join(one.get_text().split()) for one in page.select(".figures li")]
    assert figures == ["3 subjects", "6 statements", "4 references", "3 sources"]
    assert [(one.get_text(" ", strip=True), one["href"]) for one in page.select(".letters a")] == [
        ("S 2", "letters/s.html"),
        ("م 1", "letters/u0645.html"),
    ]
    assert [one["href"] for one in page.select(".subjects a")] == ["a/a-b.html", "s/salt.html", "m/milh.html"]
    assert "2026-03-04" in page.get_text()


def test_site_is_the_same_each_time(site: Path, tmp_path: Path) -> None:
    write_site(tmp_path, IMPRINT, iter(ARTICLES))
    for path in site.rglob("*"):
        if path.is_file():
            assert (tmp_path / path.relative_to(site)).read_bytes() == path.read_bytes()


def test_site_of_many_subjects_has_letters_in_parts(tmp_path: Path) -> None:
    count = 700
    write_site(tmp_path, IMPRINT, (replace(one, title=f"A {one.title}") for one in many(count, 1)))
    pages = [tmp_path / "letters" / name for name in ("a.html", "a-2.html", "a-3.html")]
    assert sorted((tmp_path / "letters").iterdir()) == sorted(pages)
    listed = [[one["href"] for one in soup(page).select(".subjects a")] for page in pages]
    assert [len(one) for one in listed] == [300, 300, 100]
    assert len({address for one in listed for address in one}) == count
    assert [one.get_text() for one in soup(pages[1]).select(".parts")[0].select("a, span")] == ["1", "2", "3"]
    assert soup(pages[1]).select_one(".parts [aria-current]").get_text() == "2"
    first = soup(tmp_path / "index.html")
    assert len(first.select(".subjects li")) == LARGEST
    assert first.select("h2")[1].get_text() == "Subjects with the most statements"


def test_site_without_articles_is_whole(tmp_path: Path) -> None:
    assert write_site(tmp_path, IMPRINT, iter(())) == Counter()
    assert soup(tmp_path / "index.html").select(".letters a, .subjects a") == []
    assert (tmp_path / "search.html").is_file()


@browser
@pytest.mark.parametrize(
    ("query", "told", "found"),
    [
        ("sodium", "1 subject for “sodium”:", ["Salt"]),
        ("SÓDIUM chlor", "1 subject for “SÓDIUM chlor”:", ["Salt"]),
        ("ملح", "1 subject for “ملح”:", ["ملح"]),
        ("melt sugar", "1 subject for “melt sugar”, though none has all these words:", ["Salt"]),
        ("sugar", "Nothing found for “sugar”.", []),
        ("<script>", "1 subject for “<script>”:", ["<script>alert(1)</script> \"A\" | 'B' # &"]),
        ("", "Write words into the box above to find subjects.", []),
    ],
)
def test_site_is_searched_in_a_browser(site: Path, tmp_path: Path, query: str, told: str, found: list[str]) -> None:
    page = rendered(f"{(site / 'search.html').as_uri()}?q={quote(query)}", tmp_path)
    assert page.select_one("#told").get_text() == told
    assert [one.get_text() for one in page.select("#found a")] == found
    assert page.select("#found script") == []


@browser
def test_site_search_and_tables_cut_words_alike(tmp_path: Path) -> None:
    texts = ["Éire ŒUVRE", "日本語 abc日本", "İstanbul ΣΟΦΟΣ", "ﬁre ½ Straße", "हिन्दी 한글", "ไทย Ελλάδα"]
    folder = tmp_path / "site"
    folder.mkdir()
    write_site(folder, IMPRINT, (replace(SALT, slug=f"x{n}", title=text, see_also=()) for n, text in enumerate(texts)))
    for number, text in enumerate(texts):
        page = rendered(f"{(folder / 'search.html').as_uri()}?q={quote(text)}", tmp_path / "profile")
        assert page.select_one("#found a")["href"] == f"x/x{number}.html", text
        assert page.select_one("#told").get_text().startswith("1 subject for"), text


@browser
@pytest.mark.parametrize("name", ["index.html", "s/salt.html", "m/milh.html", "a/a-b.html", "sources.html"])
def test_site_fits_a_phone(site: Path, tmp_path: Path, name: str) -> None:
    page, folder = site / name, tmp_path / "phone"
    shutil.copytree(site, folder)
    host = (folder / name).with_name("host.html")
    measure = "this.ownerDocument.body.id = 'w' + this.contentDocument.documentElement.scrollWidth"
    frame = f'<iframe style="width:360px;border:0" srcdoc="{escape(page.read_text("utf-8"))}" onload="{measure}">'
    host.write_text(f"<!DOCTYPE html><body>{frame}</iframe>", "utf-8")
    assert rendered(host.as_uri(), tmp_path / "profile").body["id"] == "w360"


def test_site_search_script_names_only_what_is_written(site: Path) -> None:
    script = (site / "search.js").read_text("utf-8")
    used = set(re.findall(r'getElementById\("(\w+)"\)', script))
    assert used <= {one["id"] for one in soup(site / "search.html").select("[id]")}
    assert [one["src"] for one in soup(site / "search.html").select("script")] == ["search/about.js", "search.js"]

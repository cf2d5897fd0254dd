import pytest

from drzero.corpus.kinds import Sample, cited_path, detect_kind, reading_format, source_path
from drzero.corpus.zim import open_archive


@pytest.mark.parametrize(
    ("scraper", "sample", "kind"),
    [
        ("mwoffliner 1.13.0", Sample("A/X", "text/html"), "mwoffliner"),
        ("devdocs2zim v0.2.0", Sample("x", "text/html"), "devdocs"),
        ("fcc2zim v1.2.0", Sample("x", "text/html"), "freecodecamp"),
        ("", Sample("content/curriculum/a/b/c.md", "application/javascript"), "freecodecamp"),
        ("", Sample("X", "text/html", '<div id="mw-content-text">'), "mwoffliner"),
        ("", Sample("X", "text/html", "<devdocs-navbar></devdocs-navbar>"), "devdocs"),
        ("", Sample("questions/1/a", "text/html"), "sotoki"),
        ("zimit 2.0", Sample("example.org/", "text/html"), "zimit"),
        ("", Sample("1", "text/plain"), "text"),
        ("something else", Sample("a.html", "text/html"), "html"),
        ("Zimit 3.0.5 + Browsertrix", Sample("example.org/", "text/html"), "zimit"),
        ("", Sample("_zim_static/wombat.js", "text/javascript"), "zimit"),
        ("", Sample("H/example.org/", "application/warc-headers"), "zimit"),
        ("", Sample("H/Hydrogen", "text/html"), "html"),
        ("", Sample("question/1.html", "text/html"), "sotoki"),
        ("", Sample("questions/1/why", "text/html", "<p>A list of frequent questions"), "html"),
        ("", Sample("index/book_84", "text/html"), "gutenberg"),
        ("zimwriterfs-1.1", Sample("Emma_cover.158.html", "text/html"), "gutenberg"),
        ("zimwriterfs-3.1", Sample("whatsnew/3.11.html", "text/html", "<p>What is new"), "zimwriterfs"),
        ("zimwriterfs-2.2", Sample("a", "text/html", '<div id="mw-content-text">'), "zimwriterfs"),
        ("", Sample("_mw_/inserted_style.css", "text/css"), "mwoffliner"),
        ("", Sample("Emma.158.html", "text/html", "*** START OF THE PROJECT GUTENBERG EBOOK"), "gutenberg"),
        ("", Sample("notes.md", "text/markdown"), "text"),
        ("", Sample("a.png", "image/png"), "html"),
    ],
)
def test_kinds_are_told_by_evidence(scraper, sample, kind):
    assert detect_kind(scraper, [sample]) == kind


def test_kinds_go_by_most_pages_and_last_by_what_the_archive_says():
    wiki, other = '<div id="mw-content-text">', "<p>x"
    pages = [Sample(f"p{n}", "text/html", wiki if n < 4 else other) for n in range(9)]
    assert detect_kind("", pages) == "html"
    assert detect_kind("", pages[:8]) == "mwoffliner"
    plain = [Sample("a", "text/html", other)]
    for says, kind in (
        ("Stack Exchange coffee_en _category:stack_exchange", "sotoki"),
        ("Project Gutenberg gutenberg_en_all", "gutenberg"),
        ("DevDocs devdocs_en_c", "devdocs"),
        ("Tea House tea_en _category:other;_sw:yes", "zimit"),
        ("freeCodeCamp fcc_en_javascript", "freecodecamp"),
        ("Tea House", "html"),
    ):
        assert detect_kind("unheard of 1.0", plain, says) == kind
    assert detect_kind("", [Sample("a", "text/plain")], "gutenberg") == "text"


def test_kinds_are_found_by_a_single_telling_path_in_a_large_archive(make_zim):
    pages = {f"host.example/{n:04}": f"<p>{n}" for n in range(2000)}
    static = {"_zim_static/wombat.js": ("", "x", "text/javascript", False)}
    assert open_archive(make_zim({**pages, **static}, name="a.zim")).info.kind == "zimit"
    lesson = {"content/curriculum/a/b/c.md": ("", "# x", "text/plain", False)}
    assert open_archive(make_zim({**pages, **lesson}, name="b.zim")).info.kind == "freecodecamp"
    assert open_archive(make_zim(pages, name="c.zim")).info.kind == "html"


@pytest.mark.parametrize(
    ("kind", "path", "mimetype", "expected"),
    [
        ("html", "a", "TEXT/HTML; charset=utf-8; raw=true", ("html", "")),
        ("html", "a", "application/xhtml+xml", ("html", "")),
        ("text", "1", "text/plain", ("text", "")),
        ("html", "s/load.php", "text/plain", ("", "other")),
        ("html", "a.md", "text/markdown", ("markdown", "")),
        ("html", "nomime", "application/octet-stream", ("unknown", "")),
        ("html", "x.woff2", "application/octet-stream", ("", "other")),
        ("mwoffliner", "_mw_/style.html", "text/html", ("", "asset")),
        ("mwoffliner", "i.png", "image/png", ("", "image")),
        ("mwoffliner", "x", "text/plain", ("", "other")),
        ("freecodecamp", "content/curriculum/a/b.md", "application/javascript", ("markdown", "")),
        ("freecodecamp", "index/a/b.html", "text/html", ("", "stub")),
        ("freecodecamp", "index.html", "text/html", ("", "listing")),
        ("sotoki", "questions/tagged/tea", "text/html", ("", "listing")),
        ("sotoki", "questions/1/tea", "text/html", ("html", "")),
        ("gutenberg", "index/book_5", "text/html", ("", "listing")),
        ("gutenberg", "Emma_cover.158", "text/html", ("", "listing")),
        ("gutenberg", "Emma.158", "text/html", ("html", "")),
        ("zimit", "H/example.org/", "application/warc-headers", ("", "headers")),
        ("zimit", "example.org/index.html", "text/html", ("html", "")),
        ("zimit", "example.org/a.pdf", "application/pdf", ("pdf", "")),
        ("mwoffliner", "a.pdf", "application/octet-stream", ("unknown", "")),
        ("html", "a.PDF", "", ("unknown", "")),
        ("html", "v", "video/webm", ("", "video")),
        ("html", "x", "application/octet-stream+xapian", ("", "index")),
    ],
)
def test_kinds_tell_articles_from_the_rest(kind, path, mimetype, expected):
    assert reading_format(kind, path, mimetype) == expected


def test_kinds_cite_a_lesson_by_the_page_that_shows_it():
    assert cited_path("freecodecamp", "content/curriculum/a/b/c.md") == "index/a/b/c.html"
    assert source_path("freecodecamp", "index/a/b/c.html") == "content/curriculum/a/b/c.md"
    assert cited_path("html", "content/curriculum/c.md") == source_path("html", "content/curriculum/c.md")

import pytest

from drzero.corpus.kinds import Sample, cited_path, detect_kind, reading_format, source_path


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
    ],
)
def test_kinds_are_told_by_evidence(scraper, sample, kind):
    assert detect_kind(scraper, [sample]) == kind


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

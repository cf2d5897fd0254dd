import random

import pytest

from drzero.corpus import pdf
from drzero.corpus.pdf import read_pdf
from drzero.corpus.zim import open_archive
from tests.made_pdf import make_pdf

HEAD = "Journal of Tea, vol. 3"
FIRST = [
    HEAD,
    "On boiling",
    "The water for a pot of green tea must not boil, as every café in the old town knows; it is taken off the extra-",
    "ordinary fire before that, and Müller says the same in his book of two hundred pages on the well-known drinks of",
    "the north.",
    "A second paragraph follows the first one, long enough to be broken into lines, and it speaks of the well-",
    "known drinks again.",
    "1",
]
SECOND = [HEAD, "Cups are of clay.", "2"]


def parts(document):
    return [(section.heading, section.text) for section in document.page.sections]


def test_pdf_gives_a_section_for_each_page_in_whole_paragraphs():
    document = read_pdf(make_pdf([FIRST, SECOND], title="Of Tea"))
    assert (document.page.title, document.reason, document.detail) == ("Of Tea", "", "")
    assert parts(document) == [
        (
            ("Page 1",),
            "On boiling\n"
            "The water for a pot of green tea must not boil, as every café in the old town knows; it is taken off the "
            "extraordinary fire before that, and Müller says the same in his book of two hundred pages on the "
            "well-known drinks of the north.\n"
            "A second paragraph follows the first one, long enough to be broken into lines, and it speaks of the "
            "well-known drinks again.",
        ),
        (("Page 2",), "Cups are of clay."),
    ]


def test_pdf_puts_pages_under_their_bookmarks():
    content = make_pdf([FIRST, SECOND], bookmarks=[("On boiling", 0), ("Cups", 1)])
    found = parts(read_pdf(content))
    assert [heading for heading, _ in found] == [("On boiling", "Page 1"), ("Cups", "Page 2")]
    assert found[0][1].startswith("The water for a pot")
    assert found[1][1] == "Cups are of clay."


def test_pdf_keeps_what_stands_on_one_page_only():
    assert parts(read_pdf(make_pdf([["Title", "Text.", "7"]]))) == [(("Page 1",), "Title\nText.\n7")]


@pytest.mark.parametrize(
    ("content", "reason", "detail"),
    [
        (make_pdf([[], []]), "pdf-no-text", ""),
        (make_pdf([["Secret."]], encrypted=True), "pdf-no-text", "encrypted"),
        (b"%PDF-1.4 and then nothing", "unreadable", "PdfStreamError: Stream has ended unexpectedly"),
        (b"", "unreadable", "EmptyFileError: Cannot read an empty file"),
    ],
)
def test_pdf_says_why_there_is_no_text(content, reason, detail):
    document = read_pdf(content)
    assert (document.page.sections, document.reason, document.detail) == ((), reason, detail)


def test_pdf_of_many_pages_or_much_text_is_cut_and_says_so(monkeypatch):
    content = make_pdf([[f"Some {name} is drunk."] for name in ("tea", "milk", "beer", "wine", "mead")])
    monkeypatch.setattr(pdf, "_MAX_PAGES", 3)
    document = read_pdf(content)
    assert (len(document.page.sections), document.detail) == (3, "the first 3 of 5 pages")
    monkeypatch.setattr(pdf, "_MAX_CHARS", 30)
    document = read_pdf(content)
    assert (len(document.page.sections), document.detail) == (2, "the first 2 of 5 pages")
    monkeypatch.setattr(pdf, "_MAX_STREAM_BYTES", 10)
    document = read_pdf(content)
    assert (document.reason, document.detail) == ("pdf-no-text", "the first 3 of 5 pages, 3 pages too large")
    monkeypatch.setattr(pdf, "_MAX_STREAMS_BYTES", 1)
    assert read_pdf(content).detail == "the first 1 of 5 pages, 1 pages too large"


def test_pdf_of_one_endless_page_is_read_whole():
    content = make_pdf([[f"Line {number} of a page that does not end as pages do" for number in range(3000)]])
    (section,) = read_pdf(content).page.sections
    assert section.text.split()[-10:] == "2999 of a page that does not end as pages do".split()[-10:]
    assert section.text.count("Line ") == 3000


def test_pdf_survives_whatever_is_broken_in_it():
    whole = make_pdf([FIRST, SECOND], title="Of Tea", bookmarks=[("On boiling", 0), ("Cups", 1)])
    chance = random.Random(5)
    reasons = set()
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(chance.randrange(1, 12)):
            content[chance.randrange(len(content))] = chance.choice(b"0 9/<>[]()R\xff\n")
        document = read_pdf(bytes(content[: chance.randrange(200, len(content))] if chance.random() < 0.3 else content))
        reasons.add(document.reason)
        assert bool(document.page.sections) == (not document.reason)
    assert reasons == {"", "pdf-no-text", "unreadable"}


def test_pdf_in_archives_of_any_kind_is_an_article(make_zim):
    content = make_pdf([["Cups are of clay."]], title="Of Cups")
    pages = {
        "a/cups.pdf": ("", content, "application/pdf", False),
        "named": ("Named", content, "application/octet-stream", False),
        "empty.pdf": ("", make_pdf([[]]), "application/pdf", False),
        "broken.pdf": ("", b"%PDF-", "application/pdf", False),
    }
    for scraper in ("zimit", "x"):
        archive = open_archive(make_zim(pages, name=f"{scraper}.zim", metadata={"Scraper": scraper}))
        found = {r.path: r for r in archive.walk()}
        article = found["a/cups.pdf"].article
        assert (article.title, article.sections[0].heading, article.text) == (
            "Of Cups",
            ("Page 1",),
            "Cups are of clay.",
        )
        assert archive.article("a/cups.pdf") == article
        assert [found[path].skipped for path in ("empty.pdf", "broken.pdf")] == ["pdf-no-text", "unreadable"]
        named = found["named"]
        assert (named.article.title if named.article else named.skipped) == (
            "other" if scraper == "zimit" else "Of Cups"
        )


@pytest.mark.parametrize(
    ("own", "entry", "shown"),
    [
        ("Of Cups", "Cups", "Of Cups"),
        ("Microsoft Word - cups_final.doc", "Cups", "Cups"),
        ("cups.indd", "", "a/cups.pdf"),
        ("", "Cups", "Cups"),
        ("untitled", "", "a/cups.pdf"),
    ],
)
def test_pdf_has_its_own_title_unless_a_program_made_it_up(make_zim, own, entry, shown):
    path = make_zim({"a/cups.pdf": (entry, make_pdf([["Of clay."]], title=own), "application/pdf")})
    assert open_archive(path).article("a/cups.pdf").title == shown

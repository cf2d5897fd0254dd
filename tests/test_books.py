import pytest

from drzero.corpus.books import book_title, without_licence
from drzero.corpus.html import Page
from drzero.corpus.plain import read_plain
from drzero.types import SECTION_BREAK, Section

PLAIN = """The Project Gutenberg EBook of Tea and Time, by Ann Brewer

This eBook is for the use of anyone anywhere at no cost and with almost no restrictions whatsoever, they say.

Title: Tea and Time

Author: Ann Brewer

Release Date: May 1, 1999 [EBook #77]

*** START OF THIS PROJECT GUTENBERG EBOOK TEA AND
TIME ***

Produced by Cy Dee and the Online Distributed Proofreading Team at www.example.org

TEA AND TIME

  Roses are red,
    tea is green.

It was late, and the kettle had been on the fire for so long that nobody could say when it
had last been filled.

End of the Project Gutenberg EBook of Tea and Time, by Ann Brewer

*** END OF THIS PROJECT GUTENBERG EBOOK TEA AND TIME ***

Section 1. General Terms of Use
"""


def test_books_in_plain_text_lose_the_licence_and_keep_their_verse():
    page = without_licence(read_plain(PLAIN))
    assert [(s.heading, s.text) for s in page.sections] == [
        (
            (),
            "Title: Tea and Time\nAuthor: Ann Brewer\nTEA AND TIME\n  Roses are red,\n    tea is green.\n"
            "It was late, and the kettle had been on the fire for so long that nobody could say when it "
            "had last been filled.",
        )
    ]
    assert (page.title, page.aliases) == ("Tea and Time", ("Tea and Time by Ann Brewer",))


def section(heading, text, code=()):
    return Section(heading, text, 0, code)


def test_books_keep_code_spans_and_places_right():
    head = ("The Project Gutenberg eBook of X",)
    page = Page(
        "X",
        (
            section(
                head, "Licence.\n*** START OF THE PROJECT GUTENBERG EBOOK X ***\nmain()\n  go()\nDone.", ((56, 69),)
            ),
            section((*head, "I"), "One."),
            section(("II",), "Two.\n*** END OF THE PROJECT GUTENBERG EBOOK X ***\nLicence."),
            section(("Licence",), "More."),
        ),
    )
    assert page.sections[0].text[56:69] == "main()\n  go()"
    book = without_licence(page)
    assert [(s.heading, s.text, s.code) for s in book.sections] == [
        ((), "main()\n  go()\nDone.", ((0, 13),)), (("I",), "One.", ()), (("II",), "Two.", ()),
    ]  # fmt: skip
    text = SECTION_BREAK.join(s.text for s in book.sections)
    assert [text[s.start : s.start + len(s.text)] for s in book.sections] == [s.text for s in book.sections]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("*** START OF THE PROJECT GUTENBERG EBOOK X ***\nBook.", ["Book."]),
        ("Book.\n***END OF THE PROJECT GUTENBERG EBOOK X***\nLicence.", ["Book."]),
        ("*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\nBook.", ["Book."]),
        ("Small print.\n*** START OF THE PROJECT GUTENBERG EBOOK X ***", []),
        ("A page on Project Gutenberg and its START.", ["A page on Project Gutenberg and its START."]),
    ],
)
def test_books_need_no_more_than_one_of_the_marks(text, kept):
    assert [s.text for s in without_licence(Page("X", (section((), text),))).sections] == kept


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("The Project Gutenberg eBook of Tea and Time, by Ann Brewer", ("Tea and Time", "Ann Brewer")),
        ("Tea and Time | Project Gutenberg", ("Tea and Time", "")),
        ("The Project Gutenberg E-text of Tea", ("Tea", "")),
        ("Stand by Me", ("Stand by Me", "")),
        ("Project Gutenberg", ("Project Gutenberg", "")),
    ],
)
def test_books_have_their_own_title(title, expected):
    assert book_title(title) == expected

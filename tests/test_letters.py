"""drzero.encyclopedia.letters: which letter a subject stands under, and the pages of each."""

from __future__ import annotations

import pytest

from drzero.encyclopedia.letters import AT_ONCE, DIGITS, IDEOGRAPHS, OTHER, Letter, by_letter, letter_of
from drzero.encyclopedia.values import Listed


def listed(*titles: str) -> list[Listed]:
    return [Listed(f"slug-{number}", title, (), 1) for number, title in enumerate(titles)]


@pytest.mark.parametrize(
    ("title", "letter"),
    [
        ("Salt", "S"),
        ("salt", "S"),
        ("Éire", "E"),
        ("“Heroes”", "H"),
        (".NET", "N"),
        ("2001", DIGITS),
        ("٣ أشياء", DIGITS),
        ("Ωμέγα", "Ω"),
        ("ёлка", "Е"),
        ("ملح", "م"),
        ("한글", "ᄒ"),
        ("日本", IDEOGRAPHS),
        ("straße", "S"),
        ("ßig", "S"),
        ("C++", "C"),
        ("+++", OTHER),
        ("", OTHER),
        ("\u202esalt", "S"),
    ],
)
def test_letters_of_titles(title: str, letter: str) -> None:
    assert letter_of(title) == letter


def test_letters_come_in_order_digits_first_and_what_has_none_last() -> None:
    found = list(by_letter(listed("日本", "b", "Äther", "2001", "***", "Zebra", "ملح", "atom", "Atlas")))
    assert [(letter.name, [one.title for one in group]) for letter, group in found] == [
        (DIGITS, ["2001"]),
        ("A", ["Äther", "Atlas", "atom"]),
        ("B", ["b"]),
        ("Z", ["Zebra"]),
        ("م", ["ملح"]),
        (IDEOGRAPHS, ["日本"]),
        (OTHER, ["***"]),
    ]
    assert [letter.subjects for letter, _ in found] == [1, 3, 1, 1, 1, 1, 1]


def test_letters_order_does_not_depend_on_how_they_came() -> None:
    titles = listed("Salt", "salt", "Sält", "Salz")
    assert [group for _, group in by_letter(titles)] == [group for _, group in by_letter(titles[::-1])]


@pytest.mark.parametrize(
    ("name", "part", "page"),
    [
        ("S", 1, "letters/s.html"),
        ("S", 3, "letters/s-3.html"),
        (DIGITS, 1, "letters/0-9.html"),
        (OTHER, 2, "letters/other-2.html"),
        ("Ω", 1, "letters/u03c9.html"),
        (IDEOGRAPHS, 1, "letters/u6f22.html"),
    ],
)
def test_letters_pages_have_plain_names(name: str, part: int, page: str) -> None:
    assert Letter(name, 1).page(part) == page


@pytest.mark.parametrize(("subjects", "parts"), [(1, 1), (AT_ONCE, 1), (AT_ONCE + 1, 2), (10 * AT_ONCE, 10)])
def test_letters_take_as_many_pages_as_they_need(subjects: int, parts: int) -> None:
    assert Letter("S", subjects).parts == parts

"""drzero.encyclopedia.slugs: file names for every title there may be."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.encyclopedia.slugs import MOST_BYTES, RESERVED, Slugs, bare_title, slug_of
from drzero.text import title_key


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Ray Charles", "ray-charles"),
        ("Mercury (planet)", "mercury-planet"),
        ("C", "c"),
        ("C++", "c-plus-plus"),
        ("C#", "c-sharp"),
        ("100%", "100-percent"),
        ("AC/DC", "ac-dc"),
        ("What is this?", "what-is-this"),
        ("http.cookiejar — Cookie handling for HTTP clients", "http-cookiejar-cookie-handling-for-http-clients"),
        ("Don't Stop", "dont-stop"),
        ("../../etc/passwd", "etc-passwd"),
        ("Café", "café"),
        ("Cafe\u0301", "café"),
        ("Straße", "strasse"),
        ("書道", "書道"),
        ("ملح الطعام", "ملح-الطعام"),
        ("नमक", "नमक"),
        ("Salt\u200f\u0007\nlake\x00", "salt-lake"),
    ],
)
def test_slugs_of_titles(title: str, slug: str) -> None:
    assert slug_of(title) == unicodedata.normalize("NFC", slug)


@pytest.mark.parametrize("title", ["CON", "nul", "Com1", "LPT9", "Index", "Sources", "about", "README"])
def test_slugs_are_no_names_that_are_taken(title: str) -> None:
    assert slug_of(title) == f"{title.casefold()}-subject"


@pytest.mark.parametrize("title", ["", "???", "…", "\u0301"])
def test_slugs_of_titles_without_a_letter_are_told_apart(title: str) -> None:
    assert re.fullmatch(r"subject-[0-9a-f]{8}", slug_of(title))
    assert slug_of("???") != slug_of("!!!")


def test_slugs_of_long_titles_are_cut_and_told_apart() -> None:
    first, second = slug_of("salt " * 100 + "a"), slug_of("salt " * 100 + "b")
    assert first != second
    assert first.startswith("salt-salt-")
    assert max(len(first.encode()), len(slug_of("書" * 200).encode())) <= MOST_BYTES


def test_slugs_clashes_get_numbers() -> None:
    slugs = Slugs()
    titles = ["Salt", "salt!", "SALT 2", "Salt?", "Café", "CAFE\u0301", "AC/DC", "AC DC"]
    assert [slugs.take(title) for title in titles] == [
        "salt", "salt-2", "salt-2-2", "salt-3", "café", "café-2", "ac-dc", "ac-dc-2",
    ]  # fmt: skip


@given(st.lists(st.text(max_size=40), max_size=12))
def test_slugs_any_titles_give_safe_names_each_its_own(titles: list[str]) -> None:
    slugs = Slugs()
    names = [slugs.take(title) for title in titles]
    assert len({unicodedata.normalize("NFKD", name).casefold() for name in names}) == len(names)
    for name in names:
        assert not re.search(r"[\s/\\:*?\"<>|.\x00-\x1f]", name)
        assert name.casefold() not in RESERVED
        assert 0 < len(name.encode()) <= MOST_BYTES + 12


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("Mercury (planet)", "Mercury"),
        ("水星（惑星）", "水星"),
        ("Salt", "Salt"),
        ("(What)", "(What)"),
        ("f(x)", "f(x)"),
    ],
)
def test_slugs_bare_title(title: str, bare: str) -> None:
    assert bare_title(title) == bare


def test_slugs_subject_key_keeps_signs_and_folds_capitals() -> None:
    assert title_key("C++") != title_key("C")
    assert title_key(" Salt  Lake\n") == title_key("SALT lake")
    assert title_key("Café") == title_key("Cafe\u0301")

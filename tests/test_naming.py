from __future__ import annotations

import pytest

from drzero.retrieval.naming import MOST_WORDS, name_key, names_of, stretches


def firsts(text: str) -> list[str]:
    """The longest stretch from each place."""
    return [" ".join(names[0]) for _, names in stretches(text)]


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Patti Page", [("patti", "page")]),
        ("Mercury (planet)", [("mercury", "planet"), ("mercury",)]),
        ("水星（行星）", [("水", "星", "行", "星"), ("水", "星")]),
        ("(I Can't Get No) Satisfaction", [("i", "can't", "get", "no", "satisfaction")]),
        ("…", []),
        ("w " * (MOST_WORDS + 1), []),
    ],
)
def test_naming_names_of_a_title(title: str, names: list[tuple[str, ...]]) -> None:
    assert list(names_of(title)) == names


def test_naming_key_tells_words_apart() -> None:
    assert name_key(("patti", "page")) == 3797499557396756563
    assert name_key(("ab", "c")) != name_key(("a", "bc"))
    assert -(2**63) <= name_key(("\ud800",)) < 2**63


def test_naming_begins_at_capitals_and_numbers_and_ends_with_the_sentence() -> None:
    assert firsts("He sang with Patti Page in 1949. Later he left.") == [
        "he sang with patti page in 1949", "patti page in 1949", "page in 1949", "1949", "later he left",
    ]  # fmt: skip


def test_naming_gives_every_stretch_from_the_longest_with_its_place() -> None:
    assert list(stretches("the Lake Eyre")) == [
        (1, [("lake", "eyre"), ("lake",)]),
        (2, [("eyre",)]),
    ]


def test_naming_without_capitals_begins_everywhere() -> None:
    assert [number for number, _ in stretches("東京都 は 大きい")] == list(range(7))
    assert [number for number, _ in stretches("نهر النيل طويل")] == [0, 1, 2]


def test_naming_numbers_go_on_behind_a_sentence() -> None:
    assert [number for number, _ in stretches("Go on. Stop")] == [0, 2]

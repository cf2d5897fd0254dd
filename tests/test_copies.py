"""drzero.copies: what is a copy, which archives are of one family, and how many say a thing independently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from drzero.copies import family, independent_archives, is_copy
from drzero.types import Citation
from tests.samples import CITATION

CLAIM = "The Forth Bridge was opened on 4 March 1890."
ONE = "The Forth Bridge, which crosses the Firth, was opened on 4 March 1890 by the Prince of Wales."
COPY = "Note: the Forth Bridge, which crosses the Firth, was opened on 4 March 1890 by the Prince of Wales!"
OWN = "On 4 March 1890 the bridge over the Forth was opened to trains."


def cite(zim_id: str, quote: str) -> Citation:
    return replace(CITATION, zim_id=zim_id, quote=quote, start=0, end=len(quote))


@pytest.mark.parametrize(
    ("name", "kin"),
    [
        ("wikipedia_en_chess_maxi_2024-05", "wikipedia_en_chess_maxi"),
        ("Wikipedia_en_chess_maxi_2024-05.zim", "wikipedia_en_chess_maxi"),
        ("wikipedia_en_chess_mini_2024-05", "wikipedia_en_chess_mini"),
        ("wikipedia_en_chess_maxi_2024-05b", "wikipedia_en_chess_maxi"),
        ("wikipedia_en_chess_maxi_202405", "wikipedia_en_chess_maxi"),
        ("archlinux_en_all_maxi_2024-05-17", "archlinux_en_all_maxi"),
        ("docs.python.org_en_3.11", "docs.python.org_en_3.11"),
        ("notes_1999", "notes_1999"),
        ("small", "small"),
        ("", ""),
    ],
)
def test_copies_editions_of_one_archive_share_a_family(name: str, kin: str) -> None:
    assert family(name) == kin


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (ONE, ONE.upper(), True),
        (ONE, COPY, True),
        (ONE, OWN, False),
        ("opened in 1931", "It was opened in 1931 at last", True),
        ("opened in 1931", "built in 1931", False),
        ("", "", True),
        ("", "x", False),
        ("!!!", "x", False),
    ],
)
def test_copies_say_the_same_in_the_same_words(one: str, other: str, same: bool) -> None:
    assert is_copy(one, other) is is_copy(other, one) is same


@pytest.mark.parametrize(
    ("supports", "count"),
    [
        ([], 0),
        ([[]], 0),
        ([[("a", ONE)]], 1),
        ([[("a", ONE)], [("a", OWN)]], 1),  # one archive, twice
        ([[("a", ONE)], [("b", OWN)]], 2),
        ([[("a", ONE), ("b", OWN)]], 2),  # each alone would do
        ([[("a", ONE)], [("b", COPY)]], 1),
        ([[("a", ONE)], [("b", OWN)], [("c", COPY)]], 2),
        ([[("a", "The Forth Bridge was opened then."), ("b", "That was on 4 March 1890.")]], 1),  # neither alone would
        ([[("a", ONE), ("b", "The Forth is a river.")]], 1),
    ],
)
def test_copies_archives_count_that_say_it_in_words_of_their_own(
    supports: Sequence[Sequence[tuple[str, str]]], count: int
) -> None:
    cited = [[cite(*one) for one in group] for group in supports]
    assert independent_archives(CLAIM, cited) == independent_archives(CLAIM, cited[::-1]) == count


def test_copies_a_chain_of_copies_is_one_source() -> None:
    left = " ".join(f"{word}{n}" for n in range(4) for word in ("opened", "bridge", "forth"))
    right = " ".join(f"{word}{n}" for n in range(4, 8) for word in ("opened", "bridge", "forth"))
    claim = "It is so."
    assert independent_archives(claim, [[cite("a", left)], [cite("b", right)]]) == 2
    assert independent_archives(claim, [[cite("a", left)], [cite("b", right)], [cite("c", f"{left} {right}")]]) == 1


def test_copies_editions_of_one_archive_count_once() -> None:
    supports = [[cite("a", ONE)], [cite("b", OWN)]]
    assert independent_archives(CLAIM, supports, {"a": "wiki_2024-01", "b": "wiki_2025-01"}) == 1
    assert independent_archives(CLAIM, supports, {"a": "wiki_2024-01", "b": "news_2024-01"}) == 2
    assert independent_archives(CLAIM, supports, {"a": "wiki_2024-01"}) == 2

"""drzero.loop.facts.names: the capitalised words of a text, alone and together."""

from __future__ import annotations

import pytest

from drzero.loop.facts.names import names, read_names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The band met Ray Charles. Ray Charles sang. Singers like SQLite.", "Ray Charles Ray Charles SQLite".split()),
        ("Seen in the U.S. Navy's books. I saw him", ["U.S", "Navy"]),
        ("In Paris he met Dr. Smith and St. John.", ["Paris", "Dr", "Smith", "St", "John"]),
        ("No names here.", []),
        ("", []),
    ],
)
def test_names_leave_out_the_first_word_unless_a_name_follows(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_names_that_stand_together_are_one() -> None:
    text = "He met J. R. R. Tolkien, Ray Charles and the King of Spain in New York City."
    assert [str(name) for name in read_names(text)] == ["Tolkien", "Ray Charles", "King", "Spain", "New York City"]


def test_names_keep_their_place() -> None:
    text = "They saw Ray Charles's band in Georgia."
    assert [text[name.start : name.end] for name in read_names(text)] == ["Ray Charles's", "Georgia"]

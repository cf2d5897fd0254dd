from __future__ import annotations

import pytest

from drzero.loop.dress import tokens, without_code_names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It opened on 4 March 1890.", ("open", "4", "march", "1890")),
        ("March 4th, 1890", ("4", "march", "1890")),
        ("1890-03-04", ("4", "march", "1890")),
        ("in May 2013", ("may", "2013")),
        ("It may rain.", ("rain",)),
        ("1.4 million people", ("1400000", "peopl")),
        ("1,400,000 people", ("1400000", "peopl")),
        ("seven bones", ("7", "bone")),
        ("5 kilometres", ("5", "km")),
        ("5 km", ("5", "km")),
        ("64 percent", ("64", "%")),
        ("64%", ("64", "%")),
        ("$5 million", ("5000000", "$")),
        ("the 1960s", ("1960s",)),
        ("the 3rd of them", ("3",)),
        ("half of both", ("half",)),
        ("in 44 BC", ("-44",)),
        ("Noël's tree", ("noel", "tree")),
        ("the one of all", ()),
        ("sha256 and MPEG-2", ("sha256", "mpeg", "2")),
        ("", ()),
    ],
)
def test_dress_says_the_same_in_one_way(text: str, found: tuple[str, ...]) -> None:
    assert tokens(text) == found


def test_dress_without_code_names() -> None:
    question = "What do json.load and json.loads() return?"
    assert without_code_names("json.loads() returns what json.load returns, not json.loader.", question).split() == [
        "returns", "what", "returns,", "not", "json.loader."
    ]  # fmt: skip
    assert without_code_names("f([1, 2]) gives [2]", "What does f([1, 2]) give?").split() == ["gives", "[2]"]
    assert without_code_names("plain words", "What are plain words?") == "plain words"

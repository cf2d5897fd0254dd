"""drzero.profiles.lines: the line of a place in a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import drzero.profiles
from drzero.profiles.lines import line_of

TEXT = '''# a profile
name = "mine"   # line 2
"title" = "Mine"
long = """
name = "not a key"
[[types]]
"""

[weights]  # line 9
accuracy = 1

[[types]]
name = "fact"
levels = [
    "easy",
]
[[types.examples]]
source = "One."
[[ types.examples ]]
source = "Two."

[[types]]
name = 'other'
[[types.examples]]
source = """One line = two"""
question = "Which?"
'''


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("name", 2),
        ("title", 3),
        ("long", 4),
        ("weights", 9),
        ("weights.accuracy", 10),
        ("weights.beauty", 9),  # missing: where it would stand
        ("types[0]", 12),
        ("types[0].name", 13),
        ("types[0].levels", 14),
        ("types[0].levels[0]", 14),
        ("types[0].cues", 12),
        ("types[0].examples[0].source", 18),
        ("types[0].examples[1].source", 20),
        ("types[0].examples[1].answer", 19),
        ("types[1].name", 23),
        ("types[1].examples[0].source", 25),
        ("types[1].examples[0].question", 26),
        ("types[1].examples[0].answer", 24),
        ("keeps_code", 0),
        ("", 0),
    ],
)
def test_profile_lines_of_places(place: str, line: int) -> None:
    tomllib.loads(TEXT)
    assert line_of(TEXT, place) == line


def test_profile_lines_tables_on_one_line_are_found_by_their_key() -> None:
    text = 'name = "x"\ntypes = [{name = "a"}, {name = 3}]\n'
    assert line_of(text, "types[1].name") == 2


def places(value: Any, place: str) -> list[str]:
    """Every place of a parsed file that has a line of its own."""
    if isinstance(value, dict):
        return [one for key, inner in value.items() for one in places(inner, f"{place}.{key}" if place else key)]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [one for i, inner in enumerate(value) for one in places(inner, f"{place}[{i}]")]
    return [place]


@pytest.mark.parametrize("name", ["coding", "wikipedia"])
def test_profile_lines_every_key_of_the_profiles_that_come_along(name: str) -> None:
    text = (Path(drzero.profiles.__file__).parent / f"{name}.toml").read_text("utf-8")
    lines = text.splitlines()
    found = places(tomllib.loads(text), "")
    assert len(found) > 40
    for place in found:
        key = place.rpartition(".")[2]
        assert lines[line_of(text, place) - 1].startswith(f"{key} = "), place
    assert len({line_of(text, place) for place in found}) == len(found)

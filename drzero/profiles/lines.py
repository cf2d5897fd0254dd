"""Where in the text of a TOML file a key stands: tomllib tells lines of broken syntax only (pure)."""

from __future__ import annotations

import re
from collections import Counter

_HEADER = re.compile(r"\s*(?P<open>\[\[?)\s*(?P<name>[\w.\-]+)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*[\"']?(?P<name>[\w\-]+)[\"']?\s*=(?P<value>.*)")
_LONG_TEXT = re.compile(r'"""|\'\'\'')


def line_of(text: str, place: str) -> int:
    """The line, from 1, of a place such as `types[1].examples[0].question`; of what holds it where it is missing.

    0 where neither is found: at the top of the file, or inside tables written on one line.
    """
    lines = _lines(text)
    while place and place not in lines:
        place = re.sub(r"(?:\[\d+\]|(?:^|\.)[^.\[]*)$", "", place)
    return lines.get(place, 0)


def _lines(text: str) -> dict[str, int]:
    """Place → line, for every table and key that has a line of its own."""
    found: dict[str, int] = {}
    tables: Counter[str] = Counter()  # how many of each list of tables have begun
    here = ""
    quote = ""  # of a text of several lines that is open
    for number, line in enumerate(text.splitlines(), 1):
        if quote:
            quote = "" if line.count(quote) % 2 else quote
            continue
        if header := _HEADER.match(line):
            here = _place(header["name"], tables, begins=header["open"] == "[[")
            found.setdefault(here, number)
        elif key := _KEY.match(line):
            found.setdefault(f"{here}.{key['name']}" if here else key["name"], number)
            opened = _LONG_TEXT.search(key["value"])
            if opened and key["value"].count(opened[0]) % 2:
                quote = opened[0]
    return found


def _place(name: str, tables: Counter[str], *, begins: bool) -> str:
    """A header's name with the number of each list of tables in it: `types.examples` → `types[1].examples[0]`."""
    place = ""
    parts = name.split(".")
    for depth, part in enumerate(parts):
        place = f"{place}.{part}" if place else part
        if begins and depth == len(parts) - 1:
            tables[place] += 1
        if tables[place]:
            place = f"{place}[{tables[place] - 1}]"
    return place

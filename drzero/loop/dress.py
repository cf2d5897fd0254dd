"""The words of a text in one dress, so that texts that say the same in other forms can be compared (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from drzero.loop.facts.dates import MONTHS, read_dates
from drzero.loop.facts.identifiers import identifiers
from drzero.loop.facts.numbers import read_numbers
from drzero.loop.facts.wording import STOP_WORDS, plain, stem, unaccented
from drzero.text import words


@lru_cache(maxsize=1024)
def tokens(text: str) -> tuple[str, ...]:
    """Stems without accents in order, stop words left out; numbers as plain decimals, dates as day, month and year.

    "1890-03-04" and "March 4th, 1890" alike give 4, march, 1890; "1.4 million people" 1400000 and peopl; a unit has one
    name: "5 kilometres" gives 5 and km. Decades keep their s.
    """
    text = plain(text)
    found: list[str] = []
    at = 0
    for start, end, told in _told(text):
        found += _words(text[at:start])
        found += told
        at = max(at, end)
    return (*found, *_words(text[at:]))


def _words(text: str) -> list[str]:
    return [stem(word) for word in words(unaccented(text)) if word not in STOP_WORDS]


def _told(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """The places of dates and numbers, in order, each with its tokens."""
    dates = read_dates(text)
    found: list[tuple[int, int, list[str]]] = []
    for date in dates:
        parts = [str(date.day or ""), MONTHS[date.month - 1] if date.month else "", str(date.year or "")]
        found.append((date.start, date.end, [part for part in parts if part]))
    within = {at for date in dates for at in range(date.start, date.end)}
    for number in read_numbers(text):
        if number.start in within or number.implied or number.soft or number.kind == "part":
            continue
        value = f"{number.value:.10g}"
        unit = number.unit if number.kind == "cardinal" else ""
        if number.kind == "decade":
            value += "s"
        found.append((number.start, number.end, [value, unit] if unit else [value]))
    yield from sorted(found)


_CALL = re.compile(r"[\w.$]+\((?:[^()]|\([^()]*\))*\)")


def without_code_names(text: str, question: str) -> str:
    """`text` without the calls and code names of a question, whose words are not words of its own.

    `get_name` asks no "name", and `f([1, 2])` states no list.
    """
    for call in dict.fromkeys(_CALL.findall(question)):
        text = text.replace(call, " ")
    for name in sorted(identifiers(question), key=lambda name: (-len(name), name)):
        text = re.sub(rf"(?<![\w.]){re.escape(name)}(?:\(\))?(?!\w)", " ", text)
    return text

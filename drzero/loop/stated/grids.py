"""Rows of data tables, "Country: France; Capital: Paris": what a known column has for the thing of a row (pure).

A column that is not known has no words of its own: "Which in service does the entry have for …?" is no English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drzero.loop.facts import content_stems
from drzero.loop.stated import values
from drzero.loop.stated.statement import Stated, filled
from drzero.loop.stated.subjects import bare
from drzero.types import Chunk

LEAST_ROWS = 3  # with the same columns, one below the other
MOST_COLUMNS = 4
MOST_CHARS = 40  # of a cell
_YEARS = re.compile(r"\(((?:1[89]|20)\d\d(?:–\d{2,4})?)\)")
_VALUE = re.compile(r"[\w$€£+−-][\w .,%°$€£/+−–'’()-]*")
_NONE = re.compile(r"[—–-]+|n/?a|none|unknown|tba|yes|no", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column and how it is asked and told: `{}` is the thing of the row, `%` the cell, `ENTRY` the article's name.

    `key` is the label that the things of the rows have, `under` whether the heading must be told to know which table.
    """

    label: re.Pattern[str]
    key: re.Pattern[str]
    asks: str
    tells: str
    thing: str = "{}"
    under: bool = False


def _column(label: str, key: str, asks: str, tells: str, thing: str = "{}", *, under: bool = False) -> _Column:
    return _Column(re.compile(label, re.I), re.compile(key, re.I), asks, tells, thing, under)


_PLACE = r"(?:country|state|province|territory|canton|county|department|district|island|nation|u\.?s\.? state)"
_COLUMNS = (
    _column(r"peak ?position|peak", r"charts?\b.*", 'Which peak position did "ENTRY" reach in {}?',
            '"ENTRY" reached the peak position % in {}.', 'the chart "{}"', under=True),
    _column(r"position", r"charts?\b.*", 'Which position did "ENTRY" reach in {}?',
            '"ENTRY" reached the position % in {}.', 'the chart "{}"', under=True),
    _column(r"certifications?", r"region|country", 'Which certification did "ENTRY" receive in {}?',
            '"ENTRY" received the certification % in {}.', under=True),
    _column(r"capital(?: city)?", _PLACE, "Which city is the capital of {}?", "The capital of {} is %."),
    _column(r"population(?: \([^()]*\))?", _PLACE, 'Which population does the entry "ENTRY" give for {}?',
            'The entry "ENTRY" gives the population % for {}.', under=True),
    _column(r"atomic number", r"element|name", "What is the atomic number of {}?", "The atomic number of {} is %."),
    _column(r"(?:chemical )?symbol", r"element", "What is the chemical symbol of {}?",
            "The chemical symbol of {} is %."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Row:
    text: str
    start: int
    labels: tuple[str, ...]
    cells: tuple[str, ...]


def gridded(chunk: Chunk) -> Iterator[Stated]:
    """What the rows of data tables in `chunk` state, of tables below a heading that says what they are of."""
    if not chunk.heading:
        return
    block: list[_Row] = []
    table: list[list[_Row]] = []  # the blocks that follow one another without a line between
    for row in (*_rows(chunk), None):
        if block and (row is None or row.labels != block[-1].labels):
            table.append(block)
            block = []
        if row is not None:
            block.append(row)
            continue
        for some in table:
            if sum(other[0].labels[0] == some[0].labels[0] for other in table) == 1:
                yield from _facts(chunk, some)  # else cells are missing, and who knows which
        table = []


def _rows(chunk: Chunk) -> Iterator[_Row | None]:
    """The lines of the chunk as rows of cells; None for a line that is none, which ends a table."""
    at = 0
    for line in chunk.text.split("\n"):
        start, at = at, at + len(line) + 1
        yield _row(line, start)


def _row(line: str, start: int) -> _Row | None:
    pairs = [part.partition(": ") for part in line.split("; ")]
    if not 2 <= len(pairs) <= MOST_COLUMNS or not all(label and cell for label, _, cell in pairs):
        return None
    labels, cells = zip(*((label, cell) for label, _, cell in pairs), strict=True)
    return _Row(line, start, labels, cells)


def _facts(chunk: Chunk, block: Sequence[_Row]) -> Iterator[Stated]:
    if len(block) < LEAST_ROWS or len(set(block[0].labels)) < len(block[0].labels):
        return
    keys = [row.cells[0] for row in block]
    if len(set(keys)) < len(keys):
        return  # a row is not told by its first cell
    for row in block:
        for label, cell in zip(row.labels[1:], row.cells[1:], strict=True):
            column = _known(row.labels[0], label)
            if column and _is_key(row.cells[0]) and _is_value(cell):
                yield _fact(chunk, row, label, cell, column)


def _known(key: str, label: str) -> _Column | None:
    return next((one for one in _COLUMNS if one.label.fullmatch(label) and one.key.fullmatch(key)), None)


def _is_key(cell: str) -> bool:
    return (
        3 <= len(cell) <= MOST_CHARS and values.is_clear(cell) and cell[0].isupper() and not re.search(r"\d{3}", cell)
    )


def _is_value(cell: str) -> bool:
    clear = len(cell) <= MOST_CHARS and values.is_clear(cell) and _VALUE.fullmatch(cell)
    return bool(clear) and not _NONE.fullmatch(cell)


def _fact(chunk: Chunk, row: _Row, label: str, cell: str, column: _Column) -> Stated:
    asks, tells = _worded(column, bare(chunk.title), chunk.heading[-1], cell)
    subject = _thing(column, row.labels[0], row.cells[0])
    return Stated(
        chunk=chunk,
        subject=subject,
        relation=f"column {label}",
        value=cell,
        start=chunk.start + row.start,
        end=chunk.start + row.start + len(row.text),
        quote=row.text,
        statement=filled(tells, subject),
        asks=asks,
        tells=tells,
        kind="factual",
        aspects=(cell,),
        thing="row",
        name=row.cells[0],
    )


def _worded(column: _Column, entry: str, heading: str, cell: str) -> tuple[str, str]:
    """The question and the statement, with `{}` for the thing of the row."""
    under = f', listed under "{heading}"' if column.under else ""
    asks, tells = column.asks.replace("?", f"{under}?"), column.tells.replace("%", cell)
    return asks.replace("ENTRY", entry), f"{tells[:-1]}{under}.".replace("ENTRY", entry)


def _thing(column: _Column, key: str, name: str) -> str:
    years = _YEARS.search(key)
    return column.thing.replace("{}", name) + (f" of {years[1]}" if years else "")


def row_tells(place: str, said: str, claim: str) -> bool:
    """Whether a row of a table at `place`, its title and headings, tells a claim, as the known columns are told."""
    row = _row(said.strip(), 0)
    here = set(content_stems(place))
    for label, cell in zip(row.labels[1:], row.cells[1:], strict=True) if row else ():
        column = _known(row.labels[0], label) if row else None
        if row is None or column is None:
            continue
        told = filled(_worded(column, "\0", "\1", cell)[1], _thing(column, row.labels[0], row.cells[0]))
        pattern = re.escape(told).replace("\0", "(?P<entry>.+)").replace("\1", "(?P<under>.+)")
        match = re.fullmatch(pattern, claim)
        if match and set(content_stems(" ".join(filter(None, match.groups())))) <= here:
            return True
    return False

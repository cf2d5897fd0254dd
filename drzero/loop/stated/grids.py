"""Rows of data tables, "Surface: Fresh snow; Typical albedo: 0.8": what a column has for the thing of a row (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drzero.loop.stated import values
from drzero.loop.stated.statement import Stated, filled
from drzero.types import Chunk

LEAST_ROWS = 3  # with the same columns, one below the other
MOST_COLUMNS = 4
MOST_CHARS = 40  # of a cell
_LABEL = re.compile(r"[A-Z][a-z]+(?:[ -][a-z]+){0,3}(?: \([^()]{1,20}\))?")
# Columns of which a cell says too little alone, or what has no end.
_VAGUE = re.compile(
    r"(?:notes?|refs?|references?|comments?|remarks?|details|description|other|type|name|title|number|no|rank|date|year|source"
    r"|image|picture|examples?|status|results?|total|value|meaning|rating|outcome|surface|opponent.*|score|format|superlative)\b",
    re.IGNORECASE,
)
_KEY_LABEL = re.compile(r"(?:year|date|no|number|rank|season|#|period|time|outcome|age)\b", re.IGNORECASE)
_VALUE = re.compile(r"[\w$€£+−-][\w .,%°$€£/+−–'’()-]*")
_NONE = re.compile(r"[—–-]+|n/?a|none|unknown|tba|yes|no", re.IGNORECASE)


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
        pairs = [part.partition(": ") for part in line.split("; ")]
        if 2 <= len(pairs) <= MOST_COLUMNS and all(label and cell for label, _, cell in pairs):
            labels, cells = zip(*((label, cell) for label, _, cell in pairs), strict=True)
            yield _Row(line, start, labels, cells)
        else:
            yield None


def _facts(chunk: Chunk, block: Sequence[_Row]) -> Iterator[Stated]:
    if len(block) < LEAST_ROWS or len(set(block[0].labels)) < len(block[0].labels):
        return
    keys = [row.cells[0] for row in block]
    if len(set(keys)) < len(keys) or _KEY_LABEL.match(block[0].labels[0]):
        return  # a row is not told by its first cell
    for row in block:
        for label, cell in zip(row.labels[1:], row.cells[1:], strict=True):
            if _is_key(row.cells[0]) and _is_told(label) and _is_value(cell):
                yield _fact(chunk, row, label, cell)


def _is_key(cell: str) -> bool:
    return (
        3 <= len(cell) <= MOST_CHARS and values.is_clear(cell) and cell[0].isupper() and not re.search(r"\d{3}", cell)
    )


def _is_told(label: str) -> bool:
    return bool(_LABEL.fullmatch(label)) and not _VAGUE.match(label)


def _is_value(cell: str) -> bool:
    clear = len(cell) <= MOST_CHARS and values.is_clear(cell) and _VALUE.fullmatch(cell)
    return bool(clear) and not _NONE.fullmatch(cell)


def _fact(chunk: Chunk, row: _Row, label: str, cell: str) -> Stated:
    name, key = row.cells[0], row.labels[0]
    entry = f'the entry "{chunk.title}"'
    subject = f'"{name}" ("{key}")' if re.search(r"\d", key) else f'"{name}"'
    asked = label[0].lower() + label[1:]
    tells = f'The entry "{chunk.title}" has the {asked} {cell} for {{}} under "{chunk.heading[-1]}".'
    return Stated(
        chunk=chunk,
        subject=subject,
        relation=f"column {label}",
        value=cell,
        start=chunk.start + row.start,
        end=chunk.start + row.start + len(row.text),
        quote=row.text,
        statement=filled(tells, subject),
        asks=f'Which {asked} does {entry} have for {{}} under "{chunk.heading[-1]}"?',
        tells=tells,
        kind="factual",
        aspects=(cell,),
        thing="row",
        name=name,
    )

"""Tables as lines that stand on their own: every value with its label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drzero.corpus.noise import Element, Noise
from drzero.corpus.outline import fold
from drzero.corpus.walking import one_line

_MAX_COLUMNS = 200
_MAX_ROWS = 65534
_MAX_DEPTH = 4
_SHORT_CELL_CHARS = 60
_NOTE_SHARE = 0.5  # of the columns that a cell alone in its row spans
_FILE_NAME = re.compile(r"\.\w{3,4}$")
_PICTURE = re.compile(r"[^/|]{1,120}\.(?:png|jpe?g|svg|gif|tiff?|webp)", re.I)
_BOX_CLASSES = frozenset(("infobox", "infobox_v2", "infobox_v3", "infobox-table", "biota", "taxobox", "toccolours"))


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text on one line, how many columns and rows it spans, whether it is a header."""

    text: str
    header: bool
    columns: int = 1
    rows: int = 1


def is_layout(table: Element, noise: Noise) -> bool:
    """True for a table that only arranges blocks on the page: its cells are read as blocks."""
    if is_box(table):
        return False
    if table.get("role") in ("presentation", "none") or "multicol" in (table.get("class") or "").split():
        return True
    rows = list(_rows(table, noise))
    if all(len(cells) <= 1 for cells in rows):
        return True
    if len(rows) == 1 and not any(cell.tag == "th" for cell in rows[0]):
        return any(len("".join(cell.itertext())) > _SHORT_CELL_CHARS for cell in rows[0])
    for inner in table.iter("table", "pre", "h1", "h2", "h3", "h4", "h5", "h6"):
        if inner is not table and (inner.tag != "pre" or "\n" in "".join(inner.itertext()).strip()):
            return True
    return False


def is_box(table: Element) -> bool:
    """True for an infobox: rows of label and value."""
    classes = (table.get("class") or "").split()
    return not _BOX_CLASSES.isdisjoint(classes) and "wikitable" not in classes


def table_lines(table: Element, noise: Noise, *, title: str = "", depth: int = 0) -> Iterator[str]:
    """The caption and rows of `table`, one line each; a line that only repeats `title` is left out."""
    for caption in table.iterchildren("caption"):
        yield one_line(caption, noise, between=" ")
    rows = [[cell for cell in row if not noise.drops(cell)] for row in _rows(table, noise)]
    if is_box(table) or depth:
        for cells in rows:
            yield from _box_row(cells, noise, title=title, depth=depth)
    else:
        yield from grid_lines([[_read(cell, noise) for cell in cells] for cells in rows])


def _rows(table: Element, noise: Noise) -> Iterator[list[Element]]:
    for child in table.iterchildren("tr", "thead", "tbody", "tfoot"):
        if noise.drops(child):
            continue
        for row in (child,) if child.tag == "tr" else child.iterchildren("tr"):
            if not noise.drops(row):
                yield list(row.iterchildren("td", "th"))


def _read(cell: Element, noise: Noise) -> Cell:
    text = one_line(cell, noise, between=" " if cell.tag == "th" else "; ") or _alternative(cell)
    header = cell.tag == "th" or (len(cell) == 1 and _is_bold(cell)) or _in_head(cell)
    return Cell(text, header, _span(cell.get("colspan"), _MAX_COLUMNS), _span(cell.get("rowspan"), _MAX_ROWS))


def _is_bold(cell: Element) -> bool:
    """Whether all text of a cell is bold, however its markup is wrapped."""
    strong = next(cell.iter("b", "strong"), None)
    return strong is not None and "".join(strong.itertext()).split() == "".join(cell.itertext()).split()


def _alternative(cell: Element) -> str:
    """What a cell of nothing but a picture says, such as a tick or a number of stars."""
    alternatives = (fold(image.get("alt") or "") for image in cell.iter("img"))
    return next((text for text in alternatives if text and len(text) <= 60 and not _FILE_NAME.search(text)), "")


def _in_head(cell: Element) -> bool:
    return bool(cell.getparent().getparent().tag == "thead")


def _span(value: str | None, most: int) -> int:
    if value is None:
        return 1
    digits = value.strip()[:9]
    return min(max(int(digits), 1), most) if digits.isascii() and digits.isdigit() else 1


def _box_row(cells: Sequence[Element], noise: Noise, *, title: str, depth: int) -> Iterator[str]:
    """A row of an infobox: `label: value`, a line of its own for a single cell, the rows of a table set into it."""
    if len(cells) == 1:
        inner = next(cells[0].iter("table"), None)
        if inner is not None and depth < _MAX_DEPTH:
            yield from table_lines(inner, noise, title=title, depth=depth + 1)
            return
    texts = [one_line(cell, noise, between=" " if cell.tag == "th" else "; ") for cell in cells]
    filled = [text for text in texts if text]
    if len(filled) == 2 and _PICTURE.fullmatch(filled[1]):
        return
    if len(cells) == 2 and len(filled) == 2 and (depth == 0 or cells[0].tag == "th"):
        yield f"{filled[0].rstrip(' :')}: {filled[1]}"
    elif filled and [text.strip('"“” ').casefold() for text in filled] != [title.casefold()]:
        yield " | ".join(filled)


def grid_lines(rows: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """The rows of a data table, spans resolved: `Header: value; Header: value`, or ` | ` between cells without."""
    labels: dict[int, list[str]] = {}
    reading_labels = True
    emitted_labels = True
    carried: dict[int, tuple[Cell, int]] = {}
    for row in rows:
        placed, carried = _place(row, carried)
        cells = [(column, cell) for column, cell in placed if cell.text]
        if not cells:
            continue
        own = [cell for cell in row if cell.text]
        across = own and labels and own[0].columns > _NOTE_SHARE * len(labels)
        if len(own) == 1 and ((len(row) == 1 and len(placed) == 1) or across):
            yield own[0].text  # a title or a note across the table, whatever reaches down into its row
        elif len(own) == 1 and own[0].header and labels and len(placed) == len(row):
            reading_labels, emitted_labels = False, True
            yield own[0].text  # the title of the rows below it
        elif all(cell.header for cell in own) and own and (reading_labels or all(c.columns == 1 for c in own)):
            if not reading_labels:
                labels = {}
            reading_labels, emitted_labels = True, False
            for column, cell in cells:
                for at in range(column, column + cell.columns):
                    if cell.text not in labels.setdefault(at, []):
                        labels[at].append(cell.text)
        else:
            reading_labels, emitted_labels = False, True
            yield _row_line(cells, labels)
    if not emitted_labels:
        yield " | ".join(dict.fromkeys(" ".join(parts) for _, parts in sorted(labels.items())))


def _place(
    row: Sequence[Cell], carried: dict[int, tuple[Cell, int]]
) -> tuple[list[tuple[int, Cell]], dict[int, tuple[Cell, int]]]:
    """Give each cell of `row` its column, among the cells that reach down from rows above."""
    if not carried and all(cell.columns == cell.rows == 1 for cell in row):
        return list(enumerate(row)), {}
    placed: list[tuple[int, Cell]] = []
    left = dict(carried)
    below: dict[int, tuple[Cell, int]] = {}

    def put(column: int, cell: Cell, rows_left: int) -> int:
        placed.append((column, cell))
        if rows_left > 0:
            below[column] = (cell, rows_left)
        return column + cell.columns

    column = 0
    for cell in row:
        while column in left:
            above, rows_left = left.pop(column)
            column = put(column, above, rows_left - 1)
        column = put(column, cell, cell.rows - 1)
    for at, (above, rows_left) in sorted(left.items()):
        put(at, above, rows_left - 1)
    placed.sort(key=lambda item: item[0])
    return placed, below


def _row_line(cells: Sequence[tuple[int, Cell]], labels: dict[int, list[str]]) -> str:
    if not labels:
        (column, first), rest = cells[0], [cell.text for _, cell in cells[1:]]
        heads = first.header and column == 0 and first.text[-1] not in ".!?"
        if rest and (heads or (first.text.endswith(":") and not rest[0].endswith(":"))):
            return f"{first.text.rstrip(' :')}: {' | '.join(rest)}"
        return " | ".join([first.text, *rest])
    if cells[0][1].header and cells[0][1].columns > 1 and len(cells) > 1:  # a total below several columns
        return _row_line(cells, {})
    parts = []
    for column, cell in cells:
        names: dict[str, None] = {}
        for at in range(column, column + cell.columns):
            names.update(dict.fromkeys(labels.get(at, ())))
        label = " ".join(names) if cell.columns == 1 else " / ".join(names)
        parts.append(f"{label.rstrip(' :')}: {cell.text}" if label and label != cell.text else cell.text)
    return "; ".join(parts)

"""Lines into the files of a data set: drawn once onto the disk, then split and written, one in memory at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from drzero.datasets.finishing import finish, line_text
from drzero.datasets.sides import Groups, Sides
from drzero.datasets.values import SIDES, Drawn, Shown, Split
from drzero.text import counted, storable

_DRAWN = ".drawn"  # beside the files, until they are written


@dataclass(slots=True)
class Tally:
    """What the card tells: lines of each side by some columns, and by the archives that they come from."""

    by: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)  # column -> (value, side)
    archives: Counter[tuple[str, str]] = field(default_factory=Counter)  # (zim_id, side)

    def add(self, side: str, line: Mapping[str, Any]) -> None:
        """Count a line."""
        for column in ("task", "profile", "type", "level", "origin", "writer", "judge", "rejected_for"):
            if line.get(column):
                self.by.setdefault(column, Counter())[str(line[column]), side] += 1
        self.archives.update({(one["zim_id"], side) for one in line["sources"]})


def write_lines(
    folder: Path, drawn: Iterable[Drawn], archives: Mapping[str, Mapping[str, str]], *, share: float, seed: int
) -> tuple[Split, Tally]:
    """Write `train.jsonl` and `test.jsonl` into `folder`; a side without lines has no file.

    No article that a line of one side comes from is shown in the other, and none is shown in both.
    """
    spool, groups = folder / _DRAWN, Groups()
    with spool.open("w", encoding="ascii") as file:
        for one in drawn:
            groups.add(_keys(one))
            file.write(json.dumps(asdict(one)) + "\n")
    sides = Sides(groups, share, seed)
    if share:
        for one in _read(spool):
            if sides.of_line(_keys(one)) == "test":
                sides.note_shown(shown.article for shown in one.shown)
    tally, lines = Tally(), Counter[str]()
    passages = left_out = 0
    with ExitStack() as stack:
        files: dict[str, Any] = {}
        for one in _read(spool):
            side = sides.of_line(_keys(one))
            line = finish(one, side, sides, archives)
            if side not in files:
                path = folder / f"{side}.jsonl"
                files[side] = stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
            files[side].write(line_text(line))
            tally.add(side, line)
            lines[side] += 1
            passages += line.get("passages", 0)
            left_out += line.get("passages_left_out", 0)
    spool.unlink()
    counts = {side: lines[side] for side in SIDES}
    return Split(**counts, articles=groups.articles, groups=sides.count, largest=sides.largest, passages=passages,
                 passages_left_out=left_out), tally  # fmt: skip


def _keys(one: Drawn) -> tuple[str, ...]:
    return (*one.sources, one.asked)


def _read(spool: Path) -> Iterator[Drawn]:
    with spool.open(encoding="ascii") as file:
        for text in file:
            values = json.loads(text)
            shown = tuple(Shown(**one) for one in values.pop("shown"))
            yield Drawn(**values | {"sources": tuple(values["sources"]), "shown": shown})


def sentence_of_split(split: Split, share: float) -> str:
    """What is to be said of a split that is not as it was wanted; "" when it is."""
    lines = split.train + split.test
    if not share or not lines or split.test >= 0.5 * share * lines:
        return ""
    if split.test == 0 and lines * share < 1:
        return (
            f"Everything ({counted(lines, 'line')}) is for training: a test side of {share:.0%} would have less than "
            "one line."
        )
    return (
        f"Only {split.test:,} of {lines:,} lines are for testing, not {share:.0%}: {split.largest:,} lines hang "
        f"together by the articles they come from, and there is no more to part than {counted(split.groups, 'group')}."
    )


def plain(text: str) -> str:
    """`text` on one line, for a cell of a table: what would end the cell or a line is replaced."""
    return " ".join(storable(text).replace("\0", "\ufffd").replace("|", "\\|").replace("<", "&lt;").split())

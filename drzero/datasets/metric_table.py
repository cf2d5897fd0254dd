"""The metric vectors of episodes as a table: CSV, or Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from drzero.errors import DrZeroError
from drzero.loop.metrics import METRIC_NAMES, METRIC_VERSION
from drzero.text import storable

KEYS = ("id", "run", "iteration", "number", "created_at", "profile", "type", "level", "status", "reason", "question")
COLUMNS = (*KEYS, "metric_version", *METRIC_NAMES)
_WHOLE = ("iteration", "number")
_AT_ONCE = 2_000  # rows


def table_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """An episode's row as the table has it; a vector that is not there, or a number that is none, is None."""
    metrics = row["metrics"] if len(row["metrics"]) == len(METRIC_NAMES) else [None] * len(METRIC_NAMES)
    keys = {"run": row["run_id"], **row}
    values = {name: keys[name] if name in _WHOLE else _text(keys[name]) for name in KEYS}
    return values | {"metric_version": METRIC_VERSION, **dict(zip(METRIC_NAMES, map(_number, metrics), strict=True))}


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write UTF-8 with a head line; numbers as short as they can be read back exactly. Returns how many rows."""
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(table_row(row))
            count += 1
    return count


def write_parquet(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """As `write_csv`, as Parquet with types: text, int64, double."""
    pyarrow = _pyarrow()
    from pyarrow import parquet

    kinds = {name: pyarrow.int64() if name in _WHOLE else pyarrow.string() for name in KEYS}
    kinds |= {"metric_version": pyarrow.string(), **dict.fromkeys(METRIC_NAMES, pyarrow.float64())}
    schema = pyarrow.schema(list(kinds.items()))
    count = 0
    with parquet.ParquetWriter(path, schema, compression="snappy") as writer:
        for some in _batches(rows):
            made = [table_row(row) for row in some]
            writer.write_table(pyarrow.Table.from_pylist(made, schema=schema))
            count += len(made)
    return count


WRITERS: dict[str, Callable[[Path, Iterable[Mapping[str, Any]]], int]] = {".csv": write_csv, ".parquet": write_parquet}


def refuse_table(path: Path) -> None:
    """DrZeroError where no table can be written under this name, or a library is missing for it."""
    if path.suffix.lower() not in WRITERS:
        raise DrZeroError(f"{path} is to be a table of metrics: let its name end in .csv or .parquet.")
    if path.suffix.lower() == ".parquet":
        _pyarrow()


def _batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    left = iter(rows)
    while some := list(islice(left, _AT_ONCE)):
        yield some


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise DrZeroError(
            "Parquet needs pyarrow, which is not installed: run `pip install pyarrow`, or let the name end in .csv."
        ) from error
    return pyarrow


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _text(value: Any) -> str:
    return storable(str(value or "")).replace("\0", "\ufffd")

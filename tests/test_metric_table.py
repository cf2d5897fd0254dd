"""drzero.datasets.metric_table: vectors as CSV and Parquet."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import pytest

from drzero.datasets.metric_table import COLUMNS, refuse_table, table_row, write_csv, write_parquet
from drzero.errors import DrZeroError
from drzero.loop.metrics import METRIC_NAMES

ROW: dict[str, Any] = {
    "id": "e1",
    "run_id": "r1",
    "iteration": 2,
    "number": 3,
    "created_at": "2026-01-02T03:04:05+00:00",
    "profile": "wikipedia",
    "type": "factual",
    "level": "easy",
    "status": "accepted",
    "reason": "",
    "question": 'Who said "a, b"?\nWho?',
    "metrics": [1 / 3, 1.0] + [0.5] * 12,
}


def test_metric_table_has_keys_and_the_fourteen_numbers() -> None:
    assert COLUMNS[-14:] == METRIC_NAMES
    assert COLUMNS[:4] == ("id", "run", "iteration", "number")


def test_metric_table_csv_gives_back_every_number(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    assert write_csv(path, [ROW, ROW | {"id": "e2", "run_id": None, "metrics": []}]) == 2
    with path.open(encoding="utf-8", newline="") as file:
        one, two = csv.DictReader(file)
    assert (one["id"], one["run"], one["iteration"], one["number"]) == ("e1", "r1", "2", "3")
    assert (one["question"], one["metric_version"]) == (ROW["question"], "ssp.v1")
    assert [float(one[name]) for name in METRIC_NAMES] == ROW["metrics"]
    assert two["run"] == ""
    assert {two[name] for name in METRIC_NAMES} == {""}


@pytest.mark.parametrize("metrics", [[], [0.5] * 13, [0.5] * 15])
def test_metric_table_a_vector_of_another_length_is_none(metrics: list[float]) -> None:
    row = table_row(ROW | {"metrics": metrics})
    assert {row[name] for name in METRIC_NAMES} == {None}


def test_metric_table_what_is_no_number_is_none() -> None:
    odd = [float("nan"), float("inf"), {"$float": "nan"}, "0.5", None, 1]
    row = table_row(ROW | {"metrics": odd + [0.25] * 8})
    assert [row[name] for name in METRIC_NAMES[:7]] == [None, None, None, None, None, 1.0, 0.25]


def test_metric_table_holds_odd_text(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    write_csv(path, [ROW | {"question": "a\0b\ud800"}])
    assert "a\ufffdb\ufffd" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["m.csv", "M.CSV"])
def test_metric_table_takes_csv(tmp_path: Path, name: str) -> None:
    refuse_table(tmp_path / name)


@pytest.mark.parametrize("name", ["metrics", "metrics.json", "metrics.csv.gz"])
def test_metric_table_refuses_other_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(DrZeroError, match=r"let its name end in \.csv or \.parquet\.$"):
        refuse_table(tmp_path / name)


def test_metric_table_without_pyarrow_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DrZeroError, match=r"run `pip install pyarrow`, or let the name end in \.csv\.$"):
        refuse_table(tmp_path / "m.parquet")


def test_metric_table_parquet_has_types(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: Parquet is not tried")
    from pyarrow import parquet

    path = tmp_path / "m.parquet"
    assert write_parquet(path, (ROW | {"id": f"e{n}"} for n in range(2_500))) == 2_500
    table = parquet.read_table(path)
    assert tuple(table.column_names) == COLUMNS
    assert (str(table.schema.field("number").type), str(table.schema.field("ssp.reward").type)) == ("int64", "double")
    assert table.column("id").to_pylist()[-1] == "e2499"
    assert table.column("ssp.reward").to_pylist()[0] == 1 / 3

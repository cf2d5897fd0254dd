"""scripts/bench_evolve.py: the figures that it makes of a run."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from drzero.models.llama import Tally
from drzero.types import EpisodeSummary

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "bench_evolve.py"
TALLIES = {
    "ask-causal/2": Tally(4, 1_000, 400, 60, 3.0, 4.0),
    "read/2": Tally(10, 9_000, 2_600, 140, 50.0, 23.0),
}


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_evolve", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tried(accepted: int) -> list[EpisodeSummary]:
    blank = EpisodeSummary("e", "r", 0, 0, "", "causal", "easy", "wikipedia", "accepted", "", (), "2026-01-01")
    refused = [replace(blank, status="rejected", reason=reason) for reason in ("malformed", "abstained", "abstained")]
    return [blank] * accepted + refused


def test_bench_evolve_report(bench: ModuleType) -> None:
    said = bench.report(tried(2), TALLIES, searching_s=1.5, elapsed_s=82.0)
    assert said.splitlines() == [
        "| prompt | calls | tokens asked | evaluated | written | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
        "| read/2 | 10 | 9,000 | 2,600 | 140 | 73.0 |",
        "| ask-causal/2 | 4 | 1,000 | 400 | 60 | 7.0 |",
        "| all | 14 | 10,000 | 3,000 | 200 | 80.0 |",
        "",
        "2 entries of 5 challenges in 1 min 22 s; not accepted: 2 abstained, 1 malformed.",
        "Outside the model: 2.4% of the time, of it 1.5 s searching and 0.5 s the rest.",
        "Prompt tokens that the writer's memory saved: 7,000 of 10,000, 70.0%.",
        "For each entry: 1,600 model tokens, 100 of them written; 41.0 s.",
    ]


def test_bench_evolve_report_of_a_run_without_entries(bench: ModuleType) -> None:
    said = bench.report(tried(0), TALLIES, searching_s=0.0, elapsed_s=100.0)
    assert said.splitlines()[-1].startswith("Prompt tokens that the writer's memory saved")


def test_bench_evolve_report_of_nothing(bench: ModuleType) -> None:
    said = bench.report([], {}, searching_s=0.0, elapsed_s=0.0)
    assert "0 entries of 0 challenges in 0.0 s; not accepted: none." in said
    assert "Outside the model: – of the time" in said


def test_bench_evolve_tallies_add_up() -> None:
    assert Tally(1, 2, 3, 4, 0.5, 0.25) + Tally(1, 1, 1, 1, 1.0, 1.0) == Tally(2, 3, 4, 5, 1.5, 1.25)
    assert Tally(reading_s=2.0, writing_s=0.5).seconds == 2.5

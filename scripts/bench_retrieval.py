#!/usr/bin/env python
"""Build the indexes of the labelled sets with every preset, and print what they cost and how well they find.

    .venv/bin/python scripts/bench_retrieval.py --workspace /tmp/bench
    .venv/bin/python scripts/bench_retrieval.py --workspace /tmp/bench --preset fast --mode dense xquad

Prints two Markdown tables: of builds (chunks a second, bytes on disk a chunk) and of searches (shares of questions as
`drzero eval retrieval` defines them, and milliseconds of a search for 100 passages). Rates and times depend on the
machine that the first line names: compare them within one table. An index that is there already is not timed; with
`--force` it is built again.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import get_args

from drzero.config import Settings, load_settings
from drzero.evaluation import Figures, evaluate_retrieval, load_questions
from drzero.pipeline import build_index, searcher
from drzero.results import BuildOptions, Mode
from drzero.types import BuildReport
from drzero.workspace import Workspace

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
GOLD = {  # set → archive, questions
    "xquad": ("xquad_en.zim", "xquad_en.jsonl"),
    "selqa": ("wikipedia_en_selqa_2014.zim", "selqa_dev.jsonl"),
    "hotpot": ("wikipedia_en_hotpot_intros.zim", "hotpot_100.jsonl"),
}
PRESETS = ("fast", "balanced", "best")
MODES: tuple[Mode, ...] = get_args(Mode)
SHARES = ("recall@1", "recall@5", "all@10", "mrr@10", "ndcg@10", "sentence_recall@5")
TIMES = ("p50_ms", "p95_ms")


@dataclass(frozen=True, slots=True)
class Place:
    """Where one preset's indexes lie, and with which settings."""

    preset: str
    workspace: Workspace
    settings: Settings


def main() -> None:
    """Read the options, build, measure, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("sets", nargs="*", default=list(GOLD), help=f"which of {', '.join(GOLD)} (all)")
    options.add_argument("--workspace", type=Path, required=True, help="folder for the indexes, one below it a preset")
    options.add_argument("--data", type=Path, default=DATA, help="folder with zims/ and gold/")
    options.add_argument("--preset", action="append", help="preset, name or folder of an embedder, repeatable (all)")
    options.add_argument("--mode", choices=MODES, action="append", help="search mode, repeatable (hybrid)")
    options.add_argument("--force", action="store_true", help="build again")
    given = options.parse_args()
    modes: list[Mode] = given.mode or ["hybrid"]
    places = [place(given.workspace, preset) for preset in given.preset or PRESETS]
    print(machine(), end="\n\n", flush=True)
    print_row(("preset", "set", "chunks", "chunks/s", "read / embed / write", "bytes/chunk"), head=True)
    for one in places:
        for name in given.sets:
            archive = given.data / "zims" / "built" / GOLD[name][0]
            wanted = BuildOptions(archives=(archive,), force=given.force)
            for report in build_index(one.workspace, one.settings, wanted, lambda _: None):
                print_row(built(one, name, report))
    print()
    print_row(("set", "preset", "mode", *SHARES, *TIMES), head=True)
    for name in given.sets:
        for one in places:
            for mode in modes:
                figures = measure(one, given.data, name, mode)
                shares = (f"{figures[key]:.3f}" if figures[key] is not None else "–" for key in SHARES)
                print_row((name, one.preset, mode, *shares, *(f"{figures[key]:.1f}" for key in TIMES)))


def place(folder: Path, preset: str) -> Place:
    """The workspace of one preset below `folder`, made when missing."""
    root = folder / Path(preset).name
    root.mkdir(parents=True, exist_ok=True)
    return Place(preset, Workspace(root), load_settings(root, {}, {"models.embedder": preset}))


def machine() -> str:
    """What the figures were measured on, in a line."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    libraries = ", ".join(f"{name} {version(name)}" for name in ("onnxruntime", "faiss-cpu"))
    return f"{processor}, {os.cpu_count()} logical cores, {platform.system()}; {libraries}"


def built(one: Place, name: str, report: BuildReport) -> Sequence[str]:
    """A row of the table of builds."""
    if report.status == "failed":
        raise SystemExit(f"{report.index}: {report.reason}")
    folder = one.workspace.index_folder(report.index)
    size = sum(file.stat().st_size for file in folder.iterdir()) / max(report.chunks, 1)
    stages = dict(report.stages_s)
    if report.status == "unchanged" or not report.elapsed_s:
        return one.preset, name, f"{report.chunks:,}", report.status, "–", f"{size:,.0f}"
    shares = " / ".join(f"{stages[stage] / report.elapsed_s:.0%}" for stage in ("read", "embed", "write"))
    return one.preset, name, f"{report.chunks:,}", f"{report.chunks / report.elapsed_s:,.0f}", shares, f"{size:,.0f}"


def measure(one: Place, data: Path, name: str, mode: Mode) -> Figures:
    """The figures of one set under one mode."""
    archive, questions = GOLD[name]
    with searcher(one.workspace, one.settings, indexes=(Path(archive).stem,), mode=mode) as find:
        return evaluate_retrieval(load_questions(data / "gold" / questions), find)


def print_row(cells: Iterable[str], *, head: bool = False) -> None:
    """A line of a Markdown table; below its `head` the line that parts it from the others."""
    cells = list(cells)
    print("| " + " | ".join(cells) + " |", flush=True)
    if head:
        print("|" + " --- |" * len(cells), flush=True)


if __name__ == "__main__":
    main()

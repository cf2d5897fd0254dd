#!/usr/bin/env python
"""Build the indexes of the gold sets and print what building costs and how well each search mode finds.

    .venv/bin/python scripts/bench_retrieval.py --workspace /tmp/bench xquad selqa hotpot

An index that is there already is taken as it is; `--force` builds it again.
"""

from __future__ import annotations

import argparse
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
MODES: tuple[Mode, ...] = get_args(Mode)
FIGURES = ("recall@1", "recall@5", "recall@20", "all@10", "mrr@10", "ndcg@10", "sentence_recall@5", "p50_ms", "p95_ms")


def build_line(report: BuildReport) -> str:
    """One row of the table of builds."""
    stages = dict(report.stages_s)
    total = sum(stages.values())
    if report.status == "unchanged" or not total:
        return f"{report.index:<30} {report.chunks:>7}  {report.status} {report.reason}"
    shares = "  ".join(f"{name} {seconds / total:>5.1%}" for name, seconds in stages.items())
    rate = report.chunks / report.elapsed_s
    return f"{report.index:<30} {report.chunks:>7}  {rate:>8.1f} chunks/s  {report.elapsed_s:>7.1f} s  {shares}"


def figures_line(name: str, mode: str, figures: Figures) -> str:
    """One row of the table of figures."""
    values = (figures[key] for key in FIGURES)
    return f"{name:<7} {mode:<8}" + "".join(
        f"{'-' if value is None else f'{value:.3f}':>{len(key) + 2}}"
        for key, value in zip(FIGURES, values, strict=True)
    )


def main() -> None:
    """Read the options, build, measure, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("sets", nargs="*", default=list(GOLD), help=f"which of {', '.join(GOLD)} (all)")
    options.add_argument("--workspace", type=Path, required=True, help="folder for the indexes")
    options.add_argument("--data", type=Path, default=DATA, help="folder with zims/ and gold/")
    options.add_argument("--mode", choices=MODES, action="append", help="search mode, repeatable (all)")
    options.add_argument("--force", action="store_true", help="build again")
    given = options.parse_args()
    given.workspace.mkdir(parents=True, exist_ok=True)
    workspace, settings = Workspace(given.workspace), load_settings(given.workspace, {})
    print(f"{'index':<30} {'chunks':>7}")
    for name in given.sets:
        archive = given.data / "zims" / "built" / GOLD[name][0]
        for report in build_index(
            workspace, settings, BuildOptions(archives=(archive,), force=given.force), lambda _: None
        ):
            print(build_line(report), flush=True)
    print(f"\n{'set':<7} {'mode':<8}" + "".join(f"{key:>{len(key) + 2}}" for key in FIGURES))
    for name in given.sets:
        for mode in given.mode or MODES:
            print(figures_line(name, mode, measure(workspace, settings, given.data, name, mode)), flush=True)


def measure(workspace: Workspace, settings: Settings, data: Path, name: str, mode: Mode) -> Figures:
    """The figures of one gold set under one mode."""
    archive, questions = GOLD[name]
    with searcher(workspace, settings, indexes=(Path(archive).stem,), mode=mode) as find:
        return evaluate_retrieval(load_questions(data / "gold" / questions), find)


if __name__ == "__main__":
    main()

#!/usr/bin/env python
"""How long a search takes: as a fresh process, and once everything is loaded, with where the time goes.

    .venv/bin/python scripts/bench_search.py --workspace /tmp/bench PATH/docs.python.org_en_3.11.zim

The archive is indexed first where it is not. Questions are read from a file, one a line, or made of the index's own
titles and headings. Prints Markdown: a table of presets, and one of the stages of a fresh process, each the median of
several. The disk's cache is warm, as it is after the first search of the day.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np

from drzero.config import Settings, load_settings
from drzero.pipeline import build_index, searcher
from drzero.results import BuildOptions
from drzero.retrieval.index import open_index
from drzero.workspace import Workspace

PRESETS = ("fast", "balanced", "best")
# What `drzero search` does, in its order; run in a process of its own, which prints the seconds of each stage.
STAGES = """
import time; began = time.perf_counter()
import json, sys
from pathlib import Path
laps = {}
def lap(name):
    global began
    now = time.perf_counter(); laps[name] = now - began; began = now
from drzero import pipeline
from drzero.config import load_settings
from drzero.retrieval import search as retrieval_search
from drzero.retrieval.index import open_index
from drzero.workspace import Workspace
lap("imports")
root, preset, name, query = sys.argv[1:]
workspace = Workspace(Path(root))
settings = load_settings(workspace.root, {}, {"models.embedder": preset})
wanted = pipeline.embedder_id(workspace, settings)
lap("the model's files looked at")
index = open_index(workspace.index_folder(name), embedder_id=wanted)
lap("index opened")
embedder = pipeline.load_embedder(workspace, settings)
lap("embedder loaded")
reranker, depth = pipeline.load_reranker(workspace, settings)
lap("re-ranker loaded")
for what in ("first search", "second search"):
    retrieval_search.search([index], query, embedder=embedder, k=10, reranker=reranker, rerank_depth=depth)
    lap(what)
assert "torch" not in sys.modules, "torch was imported"
print(json.dumps(laps))
"""


def main() -> None:
    """Read the options, build, measure, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("archive", type=Path, help="archive to search")
    options.add_argument("--workspace", type=Path, required=True, help="folder for the indexes, one below it a preset")
    options.add_argument("--preset", action="append", help="preset, repeatable (all)")
    options.add_argument("--questions", type=Path, help="questions, one a line (made of the index)")
    options.add_argument("--warm", type=int, default=200, help="questions of the warm measurement (%(default)s)")
    options.add_argument("--fresh", type=int, default=7, help="fresh processes (%(default)s)")
    given = options.parse_args()
    rows, stages = [], {}
    for preset in given.preset or PRESETS:
        root = given.workspace / Path(preset).name
        root.mkdir(parents=True, exist_ok=True)
        workspace, settings = Workspace(root), load_settings(root, {}, {"models.embedder": preset})
        (report,) = build_index(workspace, settings, BuildOptions(archives=(given.archive,)), lambda _: None)
        if report.status == "failed":
            raise SystemExit(report.reason)
        name = report.index
        asked = questions(given.questions, workspace, name, given.warm)
        fresh_ms = [1000 * fresh(root, preset, name, asked[turn % len(asked)]) for turn in range(given.fresh)]
        stages[preset] = laps(root, preset, name, asked, given.fresh)
        warm_ms = warm(workspace, settings, name, asked)
        rows.append((preset, f"{report.chunks:,}", *(f"{ms:,.0f}" for ms in spread(fresh_ms)), *warm_ms))
    table(("preset", "chunks", "fresh process, median ms", "worst ms", "warm p50 ms", "p95 ms"), rows)
    print()
    names = list(next(iter(stages.values())))
    table(("stage, ms", *stages), [(one, *(f"{1000 * stages[p][one]:,.0f}" for p in stages)) for one in names])


def questions(file: Path | None, workspace: Workspace, name: str, count: int) -> list[str]:
    """What is asked: the lines of `file`, or a title with a heading of chunks spread over the index."""
    if file is not None:
        return [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()][:count]
    with open_index(workspace.index_folder(name)) as index:
        rows = Random(0).sample(range(index.count), min(count, index.count))
        chunks = index.chunks(rows)
    return [" ".join(dict.fromkeys((chunk.title, *chunk.heading[-1:], *chunk.text.split()[:6]))) for chunk in chunks]


def fresh(root: Path, preset: str, name: str, query: str) -> float:
    """Seconds of `drzero search` as a process of its own."""
    command = [sys.executable, "-m", "drzero", "search", query, "--index", name, "--embedder", preset, "--json"]
    began = time.perf_counter()
    subprocess.run([*command, "--workspace", str(root)], check=True, capture_output=True)
    return time.perf_counter() - began


def laps(root: Path, preset: str, name: str, asked: Sequence[str], times: int) -> dict[str, float]:
    """Median seconds of each stage."""
    found: list[dict[str, float]] = []
    for turn in range(times):
        command = [sys.executable, "-c", STAGES, str(root), preset, name, asked[turn % len(asked)]]
        found.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    return {stage: statistics.median(one[stage] for one in found) for stage in found[0]}


def warm(workspace: Workspace, settings: Settings, name: str, asked: Sequence[str]) -> tuple[str, str]:
    """p50 and p95 of ten passages a question, each asked once, after a few others."""
    times_ms: list[float] = []
    with searcher(workspace, settings, indexes=(name,)) as find:
        for query in asked[:5]:
            find(f"{query} again", 10)
        for query in asked:
            times_ms.append(timed_ms(lambda query=query: find(query, 10)))  # type: ignore[misc]
    return f"{np.percentile(times_ms, 50):.1f}", f"{np.percentile(times_ms, 95):.1f}"


def timed_ms(do: Callable[[], object]) -> float:
    """How long it took."""
    began = time.perf_counter()
    do()
    return 1000 * (time.perf_counter() - began)


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Median and greatest."""
    return statistics.median(values), max(values)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table."""
    for cells in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

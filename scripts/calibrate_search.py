#!/usr/bin/env python
"""Print how well each setting of the hybrid search does on the gold sets, and whether it holds elsewhere.

    .venv/bin/python scripts/calibrate_search.py --workspace /tmp/bench --questions 300

The indexes are those of `bench_retrieval.py`. Settings are tried one at a time around the defaults. Each is chosen on
part of the questions and judged on the rest: on two sets and the third, and on one half of each set and the other.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from bench_retrieval import DATA, GOLD

from drzero.config import load_settings
from drzero.errors import DrZeroError
from drzero.evaluation import GoldQuestion, evaluate_retrieval, load_questions
from drzero.pipeline import load_embedder
from drzero.retrieval.fusing import Tuning
from drzero.retrieval.index import OpenIndex, open_index
from drzero.retrieval.search import search
from drzero.types import Float32, Ids
from drzero.workspace import Workspace

GRID: dict[str, tuple[Any, ...]] = {
    "lexical_weight": (0.5, 0.6, 0.65, 0.7, 0.75, 0.8),
    "uplift": (0.0, 0.3, 0.4, 0.5, 0.6, 0.8),
    "seeds": (1, 2, 3, 5),
    "named_per_seed": (1, 2, 3, 5),
}
GOODNESS = ("recall@1", "recall@5", "mrr@10", "all@10", "sentence_recall@5")
PASSAGES = 40  # enough for ten articles
SPLITS = 500
Scores = dict[str, npt.NDArray[np.float64]]  # set → goodness of each question


@dataclass
class AskedBefore:
    """An embedder that remembers the vectors of all questions."""

    id: str
    dim: int
    known: dict[str, Float32]

    def embed_queries(self, texts: Sequence[str]) -> Float32:  # noqa: D102
        return np.stack([self.known[text] for text in texts])

    def embed_passages(self, texts: Sequence[str], tokens: Sequence[Ids] | None = None) -> Float32:  # noqa: D102
        raise NotImplementedError


def goodness(index: OpenIndex, questions: Sequence[GoldQuestion], embedder: AskedBefore, tuning: Tuning) -> list[float]:
    """For each question the mean of `GOODNESS`, recall@1 as a share of what one article can reach."""
    found = []
    for question in questions:
        figures = evaluate_retrieval(
            [question], lambda query, _: search([index], query, embedder=embedder, k=PASSAGES, tuning=tuning)
        )
        figures["recall@1"] *= len(question.paths)
        found.append(float(np.mean([figures[key] for key in GOODNESS if figures[key] is not None])))
    return found


def held_out(tried: dict[float, Scores], default: float) -> str:
    """What choosing on other questions would give on each set, and on the other half of each."""
    lines = []
    names = list(tried[default])
    for left in names:
        chosen = max(tried, key=lambda value: np.mean([tried[value][name].mean() for name in names if name != left]))
        ours, theirs = tried[default][left].mean(), tried[chosen][left].mean()
        lines.append(f"  chosen without {left}: {chosen:g}, there {theirs:.4f}; the default {ours:.4f}")
    rng, picked, theirs_all, ours_all = np.random.default_rng(0), Counter[float](), [], []
    for _ in range(SPLITS):
        halves = {name: rng.permutation(len(scores)) < len(scores) / 2 for name, scores in tried[default].items()}
        chosen = max(tried, key=lambda value: np.mean([tried[value][name][halves[name]].mean() for name in names]))
        picked[chosen] += 1
        theirs_all.append(np.mean([tried[chosen][name][~halves[name]].mean() for name in names]))
        ours_all.append(np.mean([tried[default][name][~halves[name]].mean() for name in names]))
    often = ", ".join(f"{value:g} {count / SPLITS:.0%}" for value, count in sorted(picked.items()))
    lines.append(
        f"  chosen on halves: {often}; on the others {np.mean(theirs_all):.4f}; default {np.mean(ours_all):.4f}"
    )
    return "\n".join(lines)


def main() -> None:
    """Read the options, search with every setting, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--workspace", type=Path, required=True, help="folder with the indexes of the gold sets")
    options.add_argument("--data", type=Path, default=DATA, help="folder with gold/")
    options.add_argument("--questions", type=int, default=0, help="at most so many of each set (all)")
    options.add_argument("--only", choices=GRID, action="append", help="settings to vary, repeatable (all)")
    given = options.parse_args()
    workspace, settings = Workspace(given.workspace), load_settings(given.workspace, {})
    loaded, rng = load_embedder(workspace, settings), np.random.default_rng(1)
    with ExitStack() as stack:
        sets: dict[str, tuple[OpenIndex, list[GoldQuestion], AskedBefore]] = {}
        for name, (archive, file) in GOLD.items():
            folder = workspace.index_folder(Path(archive).stem)
            index = stack.enter_context(open_index(folder, embedder_id=loaded.id))
            questions = load_questions(given.data / "gold" / file)
            some = np.sort(rng.permutation(len(questions))[: given.questions or None])
            questions = [questions[i] for i in some]
            texts = list(dict.fromkeys(question.question for question in questions))
            known = dict(zip(texts, loaded.embed_queries(texts), strict=True))
            sets[name] = index, questions, AskedBefore(loaded.id, loaded.dim, known)
        print(f"embedder {loaded.id}, questions " + ", ".join(f"{name} {len(one[1])}" for name, one in sets.items()))
        for setting in given.only or GRID:
            tried: dict[float, Scores] = {}
            default = getattr(Tuning(), setting)
            for value in GRID[setting]:
                tuning = replace(Tuning(), **{setting: value})
                tried[value] = {name: np.array(goodness(*one, tuning)) for name, one in sets.items()}
                means = [scores.mean() for scores in tried[value].values()]
                row = "  ".join(f"{name} {mean:.4f}" for name, mean in zip(tried[value], means, strict=True))
                print(f"{setting} {value:g}: {np.mean(means):.4f}  {row}", flush=True)
            print(held_out(tried, default), flush=True)


if __name__ == "__main__":
    try:
        main()
    except DrZeroError as fault:
        raise SystemExit(str(fault)) from fault

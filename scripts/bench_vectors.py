#!/usr/bin/env python
"""Print how large sets of vectors are searched: recall, latency, memory and bytes, with and without clusters.

    .venv/bin/python scripts/bench_vectors.py INDEXES GOLD.jsonl… --workspace SCRATCH
    .venv/bin/python scripts/bench_vectors.py INDEXES GOLD.jsonl… --workspace SCRATCH --rows 1000000 5000000

INDEXES is a folder with indexes built by one embedder, some ten thousand chunks together. From their vectors larger
sets are made: each new vector is a mix of a real one and two of its twelve nearest with random weights, to which noise
of the data's own covariance and a random strength is added. Noise alone would have no neighbours and copies would
have nothing but; so the first table compares, for a made set of the size of the real one, how alike the nearest, the
tenth and the hundredth chunk are to chunks and to real questions (percentiles 5, 50, 95 of the cosine), beside real
sets of half and a quarter of the size, which say how the figures move as a collection grows. Queries are embedded
questions of the gold files with a little of the same noise; none of them is in the set.

The second table has one line for each number of rows and kind: seconds to make the clusters, bytes a vector on disk,
recall@10 against exact search in single precision, milliseconds of one query on one thread (median, 95 of 100), the
same for the first queries after the system has dropped the files from memory where it can be asked to, and the peak of
the resident memory of a process of its own that opens the index and answers, and at its end what is its own and what
belongs to the files. `--sweep` adds what other numbers of probes and depths would give: recall and milliseconds.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from drzero.models.catalogue import models_folder
from drzero.models.embedding import load_embedder
from drzero.models.resolve import resolve_model
from drzero.retrieval.clusters import Clusters
from drzero.retrieval.rows import best
from drzero.retrieval.vectors import FILE_NAME, VectorIndex, VectorWriter
from drzero.types import Float32, Int64

NEAR, PARTS, NOISE = 12, 3, (0.15, 0.6)
QUERY_NOISE = 0.15
BLOCK = 20_000
NEVER = 1 << 62
MEMORY = {"peak": "VmHWM", "own": "RssAnon", "files": "RssFile"}  # as Linux calls them


class Maker:
    """Makes vectors like `real`, of shape (n, dim)."""

    def __init__(self, real: Float32, seed: int = 0) -> None:
        self.real, self.draw = real, np.random.default_rng(seed)
        self.near = nearest(real, real, NEAR)[1]
        spread, axes = np.linalg.eigh(np.cov((real - real.mean(axis=0)).T))
        self._axes = (axes * np.sqrt(np.clip(spread, 0, None))).T.astype(np.float32)

    def noise(self, count: int) -> Float32:
        """Rows with the covariance of the real ones."""
        rows: Float32 = self.draw.standard_normal((count, self.real.shape[1]), dtype=np.float32) @ self._axes
        return rows

    def blocks(self, rows: int) -> Iterator[Float32]:
        """That many new vectors, in blocks."""
        for first in range(0, rows, BLOCK):
            count = min(BLOCK, rows - first)
            chosen = self.draw.integers(len(self.real), size=count)
            others = self.draw.integers(1, NEAR, size=(count, PARTS))
            others[:, 0] = 0
            weights = self.draw.dirichlet(np.ones(PARTS), size=count).astype(np.float32)
            made = self.draw.uniform(*NOISE, size=(count, 1)).astype(np.float32) * self.noise(count)
            for part in range(PARTS):
                made += weights[:, part : part + 1] * self.real[self.near[chosen, others[:, part]]]
            yield unit(made)


def unit(rows: Float32) -> Float32:
    """The rows with length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def nearest(queries: Float32, rows: Float32, k: int) -> tuple[Float32, Int64]:
    """Exact similarities and numbers of the `k` rows next to each query."""
    import faiss

    found, numbers = faiss.knn(queries, rows, k, metric=faiss.METRIC_INNER_PRODUCT)
    return found, numbers


def alike(name: str, rows: Float32, questions: Float32) -> str:
    """A line of the first table."""
    sample = rows[:: max(1, len(rows) // 1500)]
    cells = [f"{name:<7}{len(rows):>8,}"]
    for queries, skipped in ((sample, 1), (questions, 0)):
        found, _ = nearest(queries, rows, 101)
        for rank in (0, 9, 99):
            cells.append(" ".join(f"{p:.2f}" for p in np.percentile(found[:, rank + skipped], [5, 50, 95])))
    return " | ".join(cells)


def asked(gold: Sequence[Path], model: str, count: int) -> Float32:
    """The vectors of `count` questions, evenly spread over the gold files."""
    texts = [json.loads(line)["question"] for path in gold for line in path.read_text(encoding="utf-8").splitlines()]
    chosen = [texts[i] for i in np.linspace(0, len(texts) - 1, min(count, len(texts))).astype(int)]
    folder = resolve_model(model, "embedder", folders=(models_folder(),)).path
    return unit(load_embedder(folder).embed_queries(chosen))


def make(folder: Path, blocks: Iterator[Float32], queries: Float32) -> Int64:
    """Write the vectors to `folder`; the ten exact nearest to each query."""
    found = np.full((len(queries), 10), -2, dtype=np.float32)
    rows = np.full((len(queries), 10), -1, dtype=np.int64)
    with VectorWriter(folder / FILE_NAME, queries.shape[1]) as writer:
        for block in blocks:
            near, places = nearest(queries, block, min(10, len(block)))
            places = places + writer.rows
            found, rows = best(np.concatenate((found, near), axis=1), np.concatenate((rows, places), axis=1), 10)
            writer.append(block)
        writer.finish(clustered_from=NEVER)
    return rows


def answer(folder: Path, queries: Float32, sweep: bool) -> dict[str, Any]:
    """What a process that only searches sees. Called in a process of its own."""
    import faiss

    faiss.omp_set_num_threads(1)
    for path in folder.iterdir():
        if hasattr(os, "posix_fadvise"):
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    began = time.perf_counter()
    index = VectorIndex(folder / FILE_NAME, clustered_from=NEVER)
    opened_s = time.perf_counter() - began
    found, taken = [], []
    for query in queries:
        began = time.perf_counter()
        found.append(index.search(query[None], 10)[1][0].tolist())
        taken.append((time.perf_counter() - began) * 1000)
    cold, warm = taken[:40], []
    for query in queries:
        began = time.perf_counter()
        index.search(query[None], 10)
        warm.append((time.perf_counter() - began) * 1000)
    hundred = []
    for query in queries[:100]:
        began = time.perf_counter()
        index.search(query[None], 100)
        hundred.append((time.perf_counter() - began) * 1000)
    seen = {"opened_s": opened_s, "found": found, "cold": cold, "warm": warm, "hundred": hundred} | memory()
    if index.clusters is not None:
        seen["shape"], seen["sweep"] = str(index.clusters.shape), swept(index.clusters, queries) if sweep else []
    return seen


def swept(clusters: Clusters, queries: Float32) -> list[tuple[int, int, float, list[list[int]]]]:
    """Probes, depth, milliseconds a query and the rows found, for several settings."""
    shape, lines = clusters.shape, []
    for share in (0.02, 0.04, 0.08, 0.12, 0.16, 0.225, 0.34, 0.5):
        for depth in (100, 200, 400):
            clusters.shape = replace(shape, probes=math.ceil(share * shape.cells), depth=depth)
            found, taken = [], []
            for query in queries:
                began = time.perf_counter()
                found.append(clusters.search(query[None], 10)[1][0].tolist())
                taken.append((time.perf_counter() - began) * 1000)
            lines.append((clusters.shape.probes, depth, float(np.median(taken)), found))
    return lines


def memory() -> dict[str, float]:
    """Megabytes: the peak of resident memory, and how much of it now is the process's own and the files'."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        import resource

        return {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, "own": 0.0, "files": 0.0}
    said = dict(line.split(":", 1) for line in status.splitlines())
    return {part: int(said[key].split()[0]) * 1024 / 1e6 for part, key in MEMORY.items()}


def measure(folder: Path, kind: str, made_s: float, queries: Path, exact: Int64, *, sweep: bool) -> str:
    """A line of the second table, and those of the sweep."""
    command = [sys.executable, __file__, "--answer", str(folder), str(queries), str(int(sweep))]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seen = json.loads(done.stdout)
    with VectorIndex(folder / FILE_NAME, clustered_from=NEVER) as index:
        rows = index.count
    size = sum(path.stat().st_size for path in folder.iterdir()) / rows
    more = [
        f"    {probes:>5} probes, depth {depth}: {recall(exact, found):.4f}, {took:.1f} ms"
        for probes, depth, took, found in seen.get("sweep", [])
    ]
    times = (*np.percentile(seen["warm"], [50, 95]), *(np.median(seen[name]) for name in ("hundred", "cold")))
    line = f"{rows:>9,} {kind:<8} {made_s:>7.0f} {size:>7.1f} {recall(exact, seen['found']):>7.4f}"
    line += "".join(f" {number:>7.1f}" for number in times)
    line += "".join(f" {number:>7.0f}" for number in (seen["opened_s"] * 1000, *(seen[part] for part in MEMORY)))
    line += f"  {seen.get('shape', '')}"
    return "\n".join((line, *more))


def recall(exact: Int64, found: list[list[int]]) -> float:
    """The share of the exact rows that were found."""
    return float(np.mean([np.isin(right, got).mean() for right, got in zip(exact, found, strict=True)]))


def main() -> None:
    """Make the sets one after the other and print the tables."""
    if sys.argv[1:2] == ["--answer"]:
        print(json.dumps(answer(Path(sys.argv[2]), np.load(sys.argv[3]), sys.argv[4] == "1")))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("indexes", type=Path)
    parser.add_argument("gold", type=Path, nargs="+")
    parser.add_argument("--workspace", type=Path, required=True, help="where the sets are made, and removed again")
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 200_000, 400_000, 1_000_000, 5_000_000])
    parser.add_argument("--flat-to", type=int, default=1_000_000, help="rows up to which all are looked at, too")
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--sweep", action="store_true", help="also what other probes and depths would give")
    parser.add_argument("--questions", type=int, default=400)
    chosen = parser.parse_args()
    files = sorted(chosen.indexes.glob(f"*/{FILE_NAME}"))
    if not files:
        parser.error(f"{chosen.indexes} holds no index")
    if missing := [path for path in chosen.gold if not path.is_file()]:
        parser.error(f"{missing[0]} is not there")
    real = np.concatenate([index.vectors(range(index.count)) for index in map(VectorIndex, files)])
    real = unit(real[np.linalg.norm(real, axis=1) > 0])
    questions = asked(chosen.gold, chosen.model, chosen.questions)
    maker = Maker(real)
    print("set       rows | chunks: nearest | tenth | hundredth | questions: nearest | tenth | hundredth")
    shuffled = real[np.random.default_rng(1).permutation(len(real))]
    for part in (4, 2, 1):
        print(alike("real", shuffled[: len(real) // part], questions), flush=True)
    print(alike("made", np.concatenate(list(maker.blocks(len(real)))), questions), flush=True)
    queries = unit(questions + QUERY_NOISE * maker.noise(len(questions)))
    chosen.workspace.mkdir(parents=True, exist_ok=True)
    print(
        "\n     rows kind      made s bytes/v  recall  p50 ms  p95 ms  k=100  cold ms open ms  MB peak     own   files"
    )
    for rows in chosen.rows:
        folder = chosen.workspace / f"bench-vectors-{rows}"
        folder.mkdir()
        asked_file = chosen.workspace / f"bench-vectors-{rows}.npy"
        try:
            np.save(asked_file, queries)
            exact = make(folder, maker.blocks(rows), queries)
            if rows <= chosen.flat_to:
                print(measure(folder, "all", 0.0, asked_file, exact, sweep=False), flush=True)
            began = time.perf_counter()
            with VectorWriter(folder / FILE_NAME, real.shape[1], rows) as writer:
                writer.finish(show, clustered_from=1)
            print(file=sys.stderr)
            made_s = time.perf_counter() - began
            print(measure(folder, "clusters", made_s, asked_file, exact, sweep=chosen.sweep), flush=True)
        finally:
            shutil.rmtree(folder)
            asked_file.unlink(missing_ok=True)


def show(done: int, total: int) -> None:
    """How far the clusters are, on one line."""
    print(f"\r{done:,} of {total:,}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

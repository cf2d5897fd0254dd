#!/usr/bin/env python
"""How fast an embedder's vectors are computed in each way, on real chunks of an archive, and how well the ways agree.

    .venv/bin/python scripts/bench_embed.py
    .venv/bin/python scripts/bench_embed.py --embedder PATH --archive ZIM --chunks 512

All rates are of one run, taken in turns, the best of some rounds each: rates of different runs do not compare.
"""

from __future__ import annotations

import argparse
import logging
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from drzero.corpus.chunking import tokenised_chunks
from drzero.corpus.zim import open_archive
from drzero.errors import DrZeroError
from drzero.models.catalogue import models_folder
from drzero.models.describing import read_settings
from drzero.models.embedding import embedder_id, load_embedder, load_tokenizer
from drzero.models.onnx_embedding import Graph
from drzero.models.onnx_export import export, is_quantised, quantise
from drzero.models.resolve import onnx_graph, resolve_model
from drzero.models.tokenizing import ModelTokenizer
from drzero.models.workers import Crew, core_counts
from drzero.text import embedding_text
from drzero.types import Float32, Ids

ARCHIVE = Path(__file__).resolve().parents[2] / "shared/data/zims/built/wikipedia_en_selqa_2014.zim"
FLAGS = ("avx2", "fma", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimd", "asimddp", "i8mm")
TARGET_TOKENS = 200
BATCHES = (1, 4, 8)


def chunks_of(archive: Path, tokenizer: ModelTokenizer, count: int) -> tuple[list[str], list[Ids]]:
    """Texts and token ids of `count` chunks drawn from those of the archive's first articles."""
    texts: list[str] = []
    tokens: list[Ids] = []
    for reading in open_archive(archive).walk():
        for one in tokenised_chunks(reading.article, tokenizer, target_tokens=TARGET_TOKENS) if reading.article else ():
            texts.append(embedding_text(one.chunk.title, one.chunk.heading, one.chunk.text))
            tokens.append(one.tokens)
        if len(texts) >= 8 * count:
            break
    drawn = Random(4).sample(range(len(texts)), min(count, len(texts)))
    return [texts[row] for row in drawn], [tokens[row] for row in drawn]


def in_batches(graph: Graph, tokens: Sequence[Ids], batch: int, workers: int) -> Float32:
    """Vectors of texts run `batch` at a time, cut or filled by their own tokens to one length; only the time counts."""
    order = sorted(range(len(tokens)), key=lambda row: -len(tokens[row]))
    groups = [order[start : start + batch] for start in range(0, len(order), batch)]

    def run(group: list[int]) -> None:
        width = len(tokens[group[0]])
        graph.vectors(np.stack([np.resize(tokens[row], width) for row in group]).astype(np.int64))

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(run, groups))
    return np.zeros((0, 0), dtype=np.float32)


def one_by_one(graph: Graph, tokens: Sequence[Ids], workers: int) -> Float32:
    """The vectors as drzero makes them: a text a run, `workers` runs at once."""
    vectors: list[Any] = [None] * len(tokens)

    def run(row: int) -> None:
        vectors[row] = graph.vector(tokens[row])

    Crew(workers).work(run, [len(ids) for ids in tokens])
    return np.stack(vectors)


def processor() -> str:
    """The processor's name, its threads, and those of its instructions that matter here."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return f"{platform.processor() or platform.machine()}, {os.cpu_count()} threads"
    rows = dict(line.partition(":")[::2] for line in lines if ":" in line)
    facts = {key.strip(): value.strip() for key, value in rows.items()}
    has = set((facts.get("flags") or facts.get("Features") or "").split())
    name = facts.get("model name") or platform.machine()
    return f"{name}, {os.cpu_count()} threads; {' '.join(flag for flag in FLAGS if flag in has)}"


def main() -> None:
    """Read the options, make the graphs, measure in turns, print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--embedder", default="all-MiniLM-L6-v2", help="name or folder (all-MiniLM-L6-v2)")
    options.add_argument("--archive", type=Path, default=ARCHIVE, help="a ZIM file with text")
    options.add_argument("--chunks", type=int, default=256, help="how many (256)")
    options.add_argument("--rounds", type=int, default=3, help="how often each way is timed (3)")
    given = options.parse_args()
    logging.disable(logging.WARNING)  # what exporters and quantisers say of themselves
    try:
        folder = resolve_model(given.embedder, "embedder", folders=(models_folder(),)).path
        texts, tokens = chunks_of(given.archive, load_tokenizer(folder), given.chunks)
    except DrZeroError as error:
        sys.exit(str(error))
    with tempfile.TemporaryDirectory() as place:
        measure(folder, texts, tokens, given.rounds, Path(place))


def measure(folder: Path, texts: list[str], tokens: list[Ids], rounds: int, place: Path) -> None:
    """Print the table of the embedder in `folder`."""
    settings, ways = read_settings(folder), dict[str, Callable[[], Float32]]()
    given = onnx_graph(settings.reader)
    full, small = given or place / "fp32.onnx", place / "int8.onnx"
    if given is None:
        from drzero.models.torch_embedding import SentenceTransformerEmbedder, load_model

        export(settings, texts[:2], full)
        model = load_model(folder)
        for batch in (8, 16, 32):
            ways[f"sentence-transformers, batches of {batch}"] = partial(
                model.encode, texts, batch_size=batch, normalize_embeddings=True, show_progress_bar=False
            )
        torch_path = SentenceTransformerEmbedder(model, settings, name=embedder_id(folder))
        ways["torch, sorted by length, ids given"] = partial(torch_path.embed_passages, texts, tokens)
    graphs = {}
    if given is None or not is_quantised(given):
        quantise(full, small)
        graphs["fp32"] = Graph(full, settings.pooling)
    else:
        small = full
    graphs["int8"] = Graph(small, settings.pooling)
    counts = core_counts()
    most = counts[-1]
    for precision, graph in graphs.items():
        for workers in counts:
            ways[f"ONNX {precision}, {workers} × 1 text"] = partial(one_by_one, graph, tokens, workers)
        for batch in BATCHES[1:]:
            ways[f"ONNX {precision}, {most} × {batch} texts"] = partial(in_batches, graph, tokens, batch, counts[-1])
    loaded = load_embedder(folder)
    ways["drzero, threads chosen at work"] = partial(loaded.embed_passages, texts, tokens)

    vectors, best_s = {}, dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            began = time.perf_counter()
            vectors[name] = way()
            best_s[name] = min(best_s[name], time.perf_counter() - began)
    mean = sum(map(len, tokens)) / len(tokens)
    print(f"{processor()}\n{folder.name}, {len(texts)} chunks of {mean:.0f} tokens, best of {rounds} rounds\n")
    references = [name for name in ways if name.startswith("sentence-transformers")] or [next(iter(ways))]
    base = min(references, key=lambda name: best_s[name])
    print(f"{'way':<40} {'chunks/s':>9} {'times':>6} {'cosine: mean':>13} {'least':>7}")
    for name, seconds in best_s.items():
        same = vectors[name].shape == vectors[base].shape
        cosines = (vectors[name] * vectors[base]).sum(axis=1) if same else None
        agreement = f"{cosines.mean():>13.4f} {cosines.min():>7.4f}" if cosines is not None else ""
        print(f"{name:<40} {len(texts) / seconds:>9.1f} {best_s[base] / seconds:>6.2f} {agreement}".rstrip())


if __name__ == "__main__":
    main()

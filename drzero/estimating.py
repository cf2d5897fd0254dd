"""`drzero build-index --dry-run`: what a build would find and how long it would take, from a sample. Writes nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from random import Random

import numpy as np
import numpy.typing as npt

from drzero import pipeline
from drzero.config import Settings
from drzero.corpus.chunking import chunk_article
from drzero.corpus.zim import ZimArchive
from drzero.models.embedding import LoadedEmbedder
from drzero.pipeline import ShowProgress
from drzero.results import BuildOptions, Estimate
from drzero.retrieval.leaning import language_notes
from drzero.text import embedding_text
from drzero.types import Article, BuildReport, Chunk, Progress
from drzero.workspace import Workspace

SAMPLED_ENTRIES = 4000
"""Most entries to read of one archive."""
READING_S = 6.0
"""About how long to read one archive; many archives share three times as much."""

_EMBEDDED_CHUNKS = 32  # in one timed call of the embedder
_CALLS, _EMBEDDING_S = 6, 2.5  # enough of them, or of time
_WRITING = 1.02  # storing and the word index, beside reading and embedding
_SEED = 0  # the same sample each time
_Z90 = 1.645  # standard errors on both sides that hold the truth in 90 of 100 cases
_UNSTEADY = 0.06  # standard error of a machine's own speed: other programs, heat

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Sample:
    """What was found where it was read: a row (articles, characters, chunks, seconds) by position, in reading order."""

    rows: Floats  # of shape (positions, 4)
    texts: tuple[str, ...]  # what an embedder reads of the chunks found


def estimate(
    workspace: Workspace,
    settings: Settings,
    options: BuildOptions,
    progress: ShowProgress,
    *,
    sampled_entries: int = SAMPLED_ENTRIES,
    reading_s: float = READING_S,
) -> tuple[Estimate, ...]:
    """What `pipeline.build_index` would do with each archive, in order, and how long that would take. Writes nothing.

    At most `sampled_entries` entries of an archive are read, for about `reading_s` seconds; one that is read whole has
    exact counts. Raises as `pipeline.plan_build` does, and ModelError when the embedder does not load.
    """
    plan = pipeline.plan_build(workspace, settings, options)
    found = {path: _told(report) for path, report in plan.reports.items()}
    if plan.work:
        embedder = pipeline.load_embedder(workspace, settings)
        target = settings.index.chunk_tokens
        share_s = min(reading_s, 3 * reading_s / len(plan.work))
        for path, archive in plan.work.items():
            name, info = plan.names[path], archive.info
            cut = partial(
                chunk_article, tokenizer=embedder.tokenizer, target_tokens=target, language=info.language or "en"
            )
            positions = _draw(archive.length, sampled_entries, Random(_SEED))
            show = partial(_show, progress, name, len(positions))
            try:
                sample = _read(archive, positions, options, cut=cut, reading_s=share_s, show=show)
            except ValueError as error:
                reason = (
                    f"{path} cannot be cut into chunks of {target} tokens ({error}): raise index.chunk_tokens, or "
                    "choose an embedder that reads more."
                )
                found[path] = Estimate(name, info.id, info.kind, "failed", info.language, reason=reason)
            else:
                embed_s = _embedding_s(embedder, sample.texts, Random(_SEED))
                notes = language_notes(name, info.language, embedder, partial(list, sample.texts))
                found[path] = replace(_estimate(name, archive, sample, options.limit, embed_s), notes=notes)
    return tuple(found[path] for path in plan.names)


def _told(report: BuildReport) -> Estimate:
    """What is known without reading: an index that is up to date, or an archive that does not open."""
    done = report.status == "unchanged"
    return Estimate(
        report.index,
        report.zim_id,
        report.kind,
        "unchanged" if done else "failed",
        entries=report.entries,
        articles=report.articles,
        chunks=report.chunks,
        chunks_low=report.chunks,
        chunks_high=report.chunks,
        exact=done,
        reason=report.reason,
    )


def _draw(length: int, count: int, rng: Random) -> list[int]:
    """At most `count` positions below `length`, one of each stretch of equal length, in random order: any first part of
    them is spread over the archive too.
    """
    count = min(count, length)
    edges = [length * step // count for step in range(count + 1)] if count else []
    positions = [rng.randrange(first, last) for first, last in pairwise(edges)]
    rng.shuffle(positions)
    return positions


def _read(
    archive: ZimArchive,
    positions: Sequence[int],
    options: BuildOptions,
    *,
    cut: Callable[[Article], list[Chunk]],
    reading_s: float,
    show: Callable[[int, float], None],
) -> _Sample:
    """Read and cut what lies at `positions` until `reading_s` are over; raises ValueError as `chunk_article` does."""
    rows: dict[int, tuple[int, int, int, float]] = {}
    texts: list[str] = []
    paths: set[str] = set()
    began = time.perf_counter()
    for position in positions:
        started = time.perf_counter()
        if rows and started - began > reading_s:
            break
        characters, chunks = 0, 0
        for reading in archive.walk(position, position + 1, include=options.include, exclude=options.exclude):
            if reading.article is not None and reading.article.path not in paths:
                paths.add(reading.article.path)
                pieces = cut(reading.article)
                texts += [embedding_text(chunk.title, chunk.heading, chunk.text) for chunk in pieces]
                characters, chunks = len(reading.article.text), len(pieces)
        rows[position] = (int(chunks > 0), characters, chunks, time.perf_counter() - started)
        show(len(rows), time.perf_counter() - began)
    in_order = [rows[position] for position in sorted(rows)]
    return _Sample(np.array(in_order, dtype=np.float64).reshape(-1, 4), tuple(texts))


def _show(progress: ShowProgress, name: str, total: int, done: int, elapsed_s: float) -> None:
    progress(Progress.at(done, total, "entries", elapsed_s, f"{name} sample"))


def _embedding_s(embedder: LoadedEmbedder, texts: Sequence[str], rng: Random) -> tuple[float, float]:
    """Seconds to embed one chunk and the standard error of that, over calls timed on chunks drawn from `texts`."""
    if not texts:
        return 0.0, 0.0
    embedder.embed_passages(rng.sample(texts, min(len(texts), 8)))  # the first call is slower
    took: list[float] = []
    began = time.perf_counter()
    while not took or (time.perf_counter() - began < _EMBEDDING_S and len(took) < _CALLS):
        drawn = rng.sample(texts, min(len(texts), _EMBEDDED_CHUNKS))
        started = time.perf_counter()
        embedder.embed_passages(drawn)
        took.append((time.perf_counter() - started) / len(drawn))
    error_s = np.std(took, ddof=1) / math.sqrt(len(took)) if len(took) > 1 else _UNSTEADY * took[0]
    return float(np.mean(took)), float(error_s)


def _estimate(
    name: str, archive: ZimArchive, sample: _Sample, limit: int | None, embed_s: tuple[float, float]
) -> Estimate:
    info, entries = archive.info, archive.length
    exact = len(sample.rows) == entries
    rows = sample.rows
    if exact and limit is not None:  # the build stops behind its last article
        last = np.searchsorted(np.cumsum(rows[:, 0]), limit)
        rows = rows[: last + 1]
    (articles, characters, chunks, read_s), errors, tilt = _totals(rows, len(rows) if exact else entries)
    if limit is not None and articles > limit:
        share = limit / articles
        articles, characters, chunks, read_s = limit, characters * share, chunks * share, read_s * share
        errors = errors * share
    expected_s = (read_s + chunks * embed_s[0]) * _WRITING
    sampling_s = errors[3] + embed_s[0] * errors[2]  # long articles take long to read and to embed
    speed_s = math.hypot(chunks * embed_s[1], expected_s * _UNSTEADY)
    return Estimate(
        name,
        info.id,
        info.kind,
        "planned",
        language=info.language,
        entries=entries,
        articles=round(articles),
        characters=round(characters),
        chunks=round(chunks),
        chunks_low=max(round(chunks - _Z90 * errors[2]), len(sample.texts) if limit is None else 0),
        chunks_high=round(chunks + (_Z90 + tilt) * errors[2]),
        expected_s=expected_s,
        expected_low_s=max(0.0, expected_s - math.hypot(_Z90 * sampling_s, _Z90 * speed_s)),
        expected_high_s=expected_s + math.hypot((_Z90 + tilt) * sampling_s, _Z90 * speed_s),
        sampled_entries=len(sample.rows),
        exact=exact,
    )


def _totals(rows: Floats, entries: int) -> tuple[Floats, Floats, float]:
    """The sum of each column over all `entries` and its standard error, from `rows` drawn without repetition.

    The third value is by how many standard errors a range is to reach farther up (Johnson's correction), since
    a sample rarely holds the few articles that are far longer than others.
    """
    read = len(rows)
    if not read:
        return np.zeros(4), np.zeros(4), 0.0
    spread = rows.std(axis=0, ddof=1) if read > 1 else np.zeros(4)
    left = 1 - read / entries
    chunks = rows[:, 2]
    skewness = float(np.mean((chunks - chunks.mean()) ** 3) / spread[2] ** 3) if spread[2] else 0.0
    tilt = max(0.0, skewness) / 6 * math.sqrt(left / read) * (1 + 2 * _Z90**2)
    return entries * rows.mean(axis=0), entries * spread * math.sqrt(left / read), tilt

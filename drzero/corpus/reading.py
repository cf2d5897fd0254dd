"""Archive → entries cut into chunks with their tokens, in this process or in several that read ahead.

Each reading process has its own handle of the archive and works on blocks of positions, dealt out in turn. Results are
taken in the order of the blocks and only a few blocks are under way, so that neither order nor memory depends on
how many processes there are. A process ends when its pipe does: when the reader is closed, or its parent is gone.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from drzero.corpus.chunking import tokenised_chunks
from drzero.corpus.zim import DOUBTFUL, ZimArchive, open_archive
from drzero.errors import ArchiveError
from drzero.text import content_id
from drzero.types import Chunk, ReadEntry, Reading, TokenisedChunk, Tokenizer

_BLOCK = 32  # positions
_AHEAD = 2  # blocks under way in each process
_SMALL_ARCHIVE = 2000  # positions that are read before other processes have started
_MOST_READERS = 4  # feed the fastest embedder
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class _Job:
    """What a reading process needs to know. Positions go to and fro, everything else stays the same."""

    path: Path
    kind: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    tokenizer: Tokenizer
    target_tokens: int
    language: str


def reader_count(wanted: int, positions: int, *, light: bool = False) -> int:
    """How many processes read an archive of so many `positions` where `wanted` are; 0 wanted chooses.

    0 returned is none but the process itself. With a `light` embedder, which costs less than reading does, no
    processor is kept free for it.
    """
    if wanted or positions < _SMALL_ARCHIVE:
        return wanted
    processors = os.cpu_count() or 1
    return max(1, min(processors if light else processors - 1, _MOST_READERS))


def read_chunks(
    archive: ZimArchive,
    *,
    tokenizer: Tokenizer,
    target_tokens: int,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    start: int = 0,
    workers: int = 0,
) -> Generator[ReadEntry, None, None]:
    """Walk `archive` from position `start` and cut each article into chunks as `tokenised_chunks` does.

    With `workers` 0 all is read in this process, else in as many others, which start with the first entry asked for
    and end with the iterator. Raises ArchiveError when one of them dies, ValueError for a title that leaves no room.
    """
    info = archive.info
    job = _Job(
        Path(info.path), info.kind, tuple(include), tuple(exclude), tokenizer, target_tokens, info.language or "en"
    )
    if not workers:
        yield from _entries(archive, job, start, archive.length)
        return
    blocks = [(first, min(first + _BLOCK, archive.length)) for first in range(start, archive.length, _BLOCK)]
    readers: list[_Reader] = []
    try:
        for _ in range(min(workers, len(blocks))):
            readers.append(_Reader(job))
        for number, block in enumerate(blocks[: _AHEAD * len(readers)]):
            readers[number % len(readers)].ask(block)
        for number in range(len(blocks)):
            reader = readers[number % len(readers)]
            yield from reader.answer()
            if number + _AHEAD * len(readers) < len(blocks):
                reader.ask(blocks[number + _AHEAD * len(readers)])
    finally:
        for reader in readers:
            reader.stop()


def _entries(archive: ZimArchive, job: _Job, start: int, stop: int) -> Iterator[ReadEntry]:
    for reading in archive.walk(start, stop, include=job.include, exclude=job.exclude):
        yield _entry(reading, job)


def _entry(reading: Reading, job: _Job) -> ReadEntry:
    article = reading.article
    if article is None:
        return ReadEntry(
            reading.position,
            reading.path,
            alias=reading.alias,
            section=reading.section,
            skipped=reading.skipped,
            detail=reading.detail,
        )
    chunks = tokenised_chunks(article, job.tokenizer, target_tokens=job.target_tokens, language=job.language)
    return ReadEntry(
        reading.position,
        article.path,
        digest=content_id(article.title, article.text),
        title=article.title,
        chunks=tuple(chunks),
        aliases=article.aliases,
        source=article.source,
        doubtful=reading.detail == DOUBTFUL,
        detail=reading.detail,
    )


# --- reading processes ----------------------------------------------------------------------------------------------


class _Reader:
    """One reading process, seen from here."""

    def __init__(self, job: _Job) -> None:
        context = get_context("spawn")
        self._job = job
        self._asked: list[tuple[int, int]] = []
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other, job), daemon=True)
        with _no_interrupts():
            self._process.start()
        other.close()  # so that its end is told by the pipe

    def ask(self, block: tuple[int, int]) -> None:
        """Have the positions [start, stop) read."""
        self._asked.append(block)
        with suppress(OSError):  # it died: `answer` says so
            self._pipe.send(block)

    def answer(self) -> Iterator[ReadEntry]:
        """The entries of the block asked for first; what failed there fails here."""
        start, stop = self._asked.pop(0)
        try:
            packed, fault = self._pipe.recv()
        except (EOFError, OSError) as lost:
            self._process.join(_PATIENCE_S)
            raise ArchiveError(
                f"{self._job.path} cannot be read: the process that read the entries {start} to {stop - 1} ended with "
                f"status {self._process.exitcode}; fetch the archive again, or leave those entries out with --exclude."
            ) from lost
        yield from _unpacked(packed)
        if fault is not None:
            raise fault

    def stop(self) -> None:
        """End the process, whatever it is doing: it holds nothing but what it has read."""
        self._pipe.close()
        self._process.terminate()
        self._process.join(_PATIENCE_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Ctrl-C goes to every process of a terminal; the readers are to hear of it by their pipes alone."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # started with the first process, it would lift the block again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection, job: _Job) -> None:
    """A reading process: answer with the entries of each block asked for and, last, with what failed among them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    archive: ZimArchive | None = None
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            start, stop = pipe.recv()
            entries: list[ReadEntry] = []
            fault: Exception | None = None
            try:
                archive = archive or open_archive(job.path, kind=job.kind)
                entries.extend(_entries(archive, job, start, stop))
            except Exception as error:  # noqa: BLE001 whatever fails here fails in the parent
                fault = error
            pipe.send((_packed(entries), fault))


Packed = tuple[list[tuple[Any, ...]], bytes]


def _packed(entries: list[ReadEntry]) -> Packed:
    """Entries as plain tuples, with the tokens of them all in one piece."""
    rows = []
    for entry in entries:
        chunks = [
            (one.chunk.id, one.chunk.heading, one.chunk.text, one.chunk.start, len(one.tokens)) for one in entry.chunks
        ]
        zim_id, mark = (entry.chunks[0].chunk.zim_id, entry.chunks[0].chunk.mark) if entry.chunks else ("", "")
        rest = (entry.aliases, entry.source, entry.doubtful, entry.alias, entry.section, entry.skipped, entry.detail)
        rows.append((entry.position, entry.path, entry.digest, entry.title, zim_id, mark, chunks, *rest))
    tokens = [one.tokens for entry in entries for one in entry.chunks]
    return rows, np.concatenate(tokens, dtype=np.int32).tobytes() if tokens else b""


def _unpacked(packed: Packed) -> list[ReadEntry]:
    rows, raw = packed
    tokens, at, entries = np.frombuffer(raw, dtype=np.int32), 0, []
    for position, path, digest, title, zim_id, mark, plain, *rest in rows:
        chunks = []
        for ident, heading, text, start, length in plain:
            chunk = Chunk(ident, zim_id, path, title, heading, text, start, start + len(text), mark)
            chunks.append(TokenisedChunk(chunk, tokens[at : at + length]))
            at += length
        entries.append(ReadEntry(position, path, digest, title, tuple(chunks), *rest))
    return entries

"""Embedding in a thread of its own, while the archive is read on and finished batches are written.

The thread takes batches in order and never more than a few wait, so that memory stays flat. A batch goes to the
embedder in pieces of texts of like length, between which the thread can be stopped. The cut depends on the batch
alone, so that even an embedder whose vectors depend a little on the company they are made in gives the same whenever a
batch is embedded; one whose vectors do not may ask for larger pieces, as many workers need (its attribute `piece`).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from types import TracebackType
from typing import Self

import numpy as np

from drzero.errors import IndexFault
from drzero.retrieval.former import Former
from drzero.retrieval.layout import digest_of
from drzero.retrieval.writing import Batch
from drzero.types import Embedder, Float32

_WAITING = 3  # batches at most, the one at work included
_PIECE = 32  # texts; a second or so of the slowest embedders
_GLANCE_S = 0.2  # between two looks while waiting
_GRACE_S = 1.0  # for what was read already, when the build is broken off


class _Work:
    """A batch on its way."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.done = threading.Event()
        self.vectors: Float32 | None = None
        self.fault: BaseException | None = None


class Ahead:
    """Embeds batches one after the other in a thread; use `with`. Leaving it by an error stops the thread soon.

    `embed_s` is how long the embedder was at work, on `embedded` chunks; `kept` chunks had their vectors already.
    """

    def __init__(self, embedder: Embedder, former: Former | None, waiting: Callable[[], None]) -> None:
        self.embed_s, self.embedded, self.kept = 0.0, 0, 0
        self._embedder, self._former, self._waiting = embedder, former, waiting
        self._order: deque[_Work] = deque()
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="embedding")

    def put(self, batch: Batch) -> None:
        """Have `batch` embedded after those before it."""
        work = _Work(batch)
        self._order.append(work)
        self._queue.put(work)

    def finished(self, *, wait_for_all: bool = False) -> Iterator[tuple[Batch, Float32]]:
        """The batches that are done, in order, with their vectors; waits while too many are under way.

        What failed in the thread fails here.
        """
        while self._order:
            work = self._order[0]
            must_wait = wait_for_all or len(self._order) >= _WAITING
            while not work.done.wait(_GLANCE_S if must_wait else 0):
                if not must_wait:
                    return
                self._waiting()
            if work.fault is not None:
                raise work.fault
            yield from self._first_done()

    def finished_before_the_end(self) -> list[tuple[Batch, Float32]]:
        """The batches that were done, in order, when the thread was stopped."""
        found: list[tuple[Batch, Float32]] = []
        while done := self._first_done():
            found += done
        return found

    def _first_done(self) -> list[tuple[Batch, Float32]]:
        """The first batch, taken out, if it is done; else nothing."""
        if not self._order or (vectors := self._order[0].vectors) is None:
            return []
        return [(self._order.popleft().batch, vectors)]

    def _run(self) -> None:
        while (work := self._queue.get()) is not None and not self._stopped:
            try:
                work.vectors = self._embed(work.batch)
            except BaseException as fault:  # noqa: BLE001 raised again by `finished`
                work.fault = fault
                self._stopped = True
            work.done.set()

    def _embed(self, batch: Batch) -> Float32:
        vectors = np.zeros((len(batch.chunks), self._embedder.dim), dtype=np.float32)
        known = self._former.take([digest_of(text) for text in batch.texts]) if self._former and batch.chunks else {}
        for place, vector in known.items():
            vectors[place] = vector
        self.kept += len(known)
        missing = [place for place in range(len(batch.chunks)) if place not in known]
        missing.sort(key=lambda place: (-len(batch.chunks[place].tokens), place))
        for places in _pieces(missing, max(_PIECE, getattr(self._embedder, "piece", 0))):
            if self._stopped:
                raise _Stopped
            began = time.perf_counter()
            try:
                rows = self._embedder.embed_passages(
                    [batch.texts[place] for place in places], [batch.chunks[place].tokens for place in places]
                )
            except ValueError as error:  # as the protocol has it: a text is too long
                raise IndexFault(
                    f"The embedder refuses a text ({error}); lower index.chunk_tokens, or choose another embedder."
                ) from error
            self.embed_s += time.perf_counter() - began
            if rows.shape != (len(places), self._embedder.dim):
                raise IndexFault(
                    f"The embedder gave vectors of shape {rows.shape} for {len(places)} chunks, where each has "
                    f"{self._embedder.dim} numbers; use another one."
                )
            vectors[places] = rows
            self.embedded += len(places)
        return vectors

    def __enter__(self) -> Self:
        try:
            self._thread.start()
        except RuntimeError as error:  # "can't start new thread"
            raise MemoryError(str(error)) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        until = time.monotonic() + _GRACE_S
        try:
            for work in self._order if kind else ():
                if not self._stopped:
                    work.done.wait(max(0.0, until - time.monotonic()))
        finally:
            self._stopped = self._stopped or kind is not None
            self._queue.put(None)
            self._thread.join()


def _pieces(places: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """`places` in order, `size` at a time; the last piece takes what is left, so that none is a small one."""
    for number in range(count := max(1, len(places) // size) if places else 0):
        yield places[number * size : (number + 1) * size if number + 1 < count else None]


class _Stopped(Exception):
    """The build has ended for another reason."""

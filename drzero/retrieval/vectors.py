"""The vectors of an index on disk: appended while it is built, searched where they lie.

`vectors.faiss` holds every vector in half precision, row i that of chunk number i, as faiss's index "SQfp16": a header
and then the rows. Against single precision that halves the file, and of the ten best of 27,608 real chunks for 2,075
real questions it changes one in 20,000 (one byte a number: one in 200). A finished file of `CLUSTERED_FROM` rows or
more has `clusters.faiss` beside it (module `clusters`), so that a query looks at a small part of it.

The file is written in place: rows are appended and forced to the disk, the header's count is filled in at the end.
What of it counts after a kill is decided elsewhere, and the writer goes on behind those rows. Files are opened by
Python, because faiss itself cannot open every folder name on Windows.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from drzero.errors import IndexFault
from drzero.retrieval import clusters
from drzero.retrieval.rows import FLAT_HEADER_BYTES, MappedIndex, Rows, flat_header, search_flat
from drzero.types import Float32, Int64

FILE_NAME = "vectors.faiss"
# Rows. One thread looks at all of 200,000 in 8 ms, by their clusters in 2.4 ms; a laptop may take three times as long.
CLUSTERED_FROM = 150_000


class VectorWriter:
    """Appends rows to the index file at `path`, going on behind the first `rows` of them. Close it or use `with`."""

    def __init__(self, path: Path, dim: int, rows: int = 0) -> None:
        self.path, self.dim, self.rows = path, dim, rows
        path.with_name(clusters.FILE_NAME).unlink(missing_ok=True)  # left by a kill behind `finish`
        end = FLAT_HEADER_BYTES + rows * dim * 2
        self._file = path.open("r+b" if rows else "w+b")
        try:
            if rows and path.stat().st_size < end:
                raise IndexFault(f"{path} holds fewer vectors than were stored in it; run build-index --force.")
            if not rows:
                self._file.write(flat_header(dim, 0))
            self._file.truncate(end)
            self._file.seek(end)
        except BaseException:
            self._file.close()
            raise

    def append(self, vectors: Float32) -> None:
        """Add rows of shape (n, dim) and wait until they are on the disk."""
        if vectors.ndim != 2 or vectors.shape[1] != self.dim:
            raise IndexFault(
                f"The embedder gave vectors of shape {vectors.shape}, this index holds {self.dim} numbers each."
            )
        if not np.isfinite(vectors).all():
            raise IndexFault(
                "The embedder gave vectors that are not numbers; its model files may be damaged, fetch them again."
            )
        self._file.write(np.ascontiguousarray(vectors, dtype="<f2").tobytes())
        self._sync()
        self.rows += len(vectors)

    def finish(
        self,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
        *,
        clustered_from: int = CLUSTERED_FROM,
    ) -> str:
        """Complete the file, and make its clusters when it has `clustered_from` rows or more.

        `progress` is told how many of how many rows are in clusters. A call that was cut off is made again as a whole.
        Vectors without clusters are complete: why these could not be made is returned as a sentence, "" else.
        """
        self._file.seek(0)
        self._file.write(flat_header(self.dim, self.rows))
        self._file.seek(0, os.SEEK_END)
        self._sync()
        if self.rows >= max(clustered_from, 1):
            try:
                clusters.build(self.path, self.path.with_name(clusters.FILE_NAME), progress)
            except clusters.ClusterFault as fault:
                return str(fault)
        return ""

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class VectorIndex:
    """A finished index file, read-only; row i is the vector of chunk number i.

    `clusters` are what a large index is searched by; None when all rows are looked at. `fault` is a sentence when
    clusters should be there and cannot be used: every search is then exact, and slow. "" else.
    """

    def __init__(self, path: Path, *, clustered_from: int = CLUSTERED_FROM) -> None:
        self._stored = Rows(path)
        self.dim, self.count = self._stored.dim, self._stored.count
        self.clusters: clusters.Clusters | None = None
        self.fault = ""
        try:
            self._flat: MappedIndex | None = MappedIndex(path)
        except (OSError, RuntimeError) as error:
            self._stored.close()
            raise IndexFault(f"{path} cannot be read ({error}); run build-index --force.") from error
        file = path.with_name(clusters.FILE_NAME)
        if self.count >= max(clustered_from, 1) or file.exists():
            try:
                self.clusters = clusters.Clusters(file, self._stored)
            except clusters.ClusterFault as fault:
                self.fault = str(fault)

    def search(self, queries: Float32, k: int) -> tuple[Float32, Int64]:
        """The `k` rows most alike to each of (n, dim) unit queries: cosine similarities and row numbers, both (n, ≤k).

        Best first; equal similarities by row number."""
        if queries.ndim != 2 or queries.shape[1] != self.dim:
            raise IndexFault(
                f"The query has vectors of shape {queries.shape}, the index holds {self.dim} numbers each;"
                " use the embedder it was built with."
            )
        k = min(k, self.count)
        if k <= 0 or not len(queries):
            return np.zeros((len(queries), 0), dtype=np.float32), np.zeros((len(queries), 0), dtype=np.int64)
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        if self.clusters is not None:
            try:
                return self.clusters.search(queries, k)
            except clusters.ClusterFault as fault:
                self.clusters, self.fault = None, str(fault)
        if self._flat is None:
            raise ValueError("search of an index that is closed")
        return search_flat(self._flat.index, queries, k)

    def vectors(self, rows: npt.ArrayLike) -> Float32:
        """Copies of the given rows, float32 of shape (len(rows), dim)."""
        return self._stored.read(np.asarray(rows, dtype=np.int64))

    def close(self) -> None:
        """Release the files now; they are released with the index, too."""
        self.clusters = self._flat = None
        self._stored.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

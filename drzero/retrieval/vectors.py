"""Vectors on disk as a FAISS index file, searched where they lie: the only module that knows faiss.

The file is a flat inner-product index: a header of `HEADER.size` bytes and then the rows as raw float32. It is written
in place (rows appended, the header's count filled in at the end) and memory-mapped to search, so neither needs the
corpus in memory. Files are opened by Python, because faiss itself cannot open every folder name on Windows.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from drzero.errors import IndexFault
from drzero.types import Float32

FILE_NAME = "vectors.faiss"
HEADER = struct.Struct("<4siqqq?iQ")  # kind, dim, rows, two unused, trained, metric, floats
_FLAT_INNER_PRODUCT = b"IxFI"

Int64 = npt.NDArray[np.int64]


def _header(dim: int, count: int) -> bytes:
    """The header faiss would write before `count` rows of `dim` numbers."""
    import faiss

    blank = faiss.serialize_index(faiss.IndexFlatIP(dim)).tobytes()
    kind, written_dim, _, unused, unused_too, trained, metric, _ = HEADER.unpack(blank)
    return HEADER.pack(kind, written_dim, count, unused, unused_too, trained, metric, count * dim)


class VectorWriter:
    """Appends rows to the index file at `path`, going on behind the first `rows` of them. Close it or use `with`."""

    def __init__(self, path: Path, dim: int, rows: int = 0) -> None:
        self.dim, self.rows = dim, rows
        end = HEADER.size + rows * dim * 4
        self._file = path.open("r+b" if rows else "w+b")
        if rows and path.stat().st_size < end:
            self._file.close()
            raise IndexFault(f"{path} holds fewer vectors than were stored in it; run build-index --force.")
        if not rows:
            self._file.write(_header(dim, 0))
        self._file.truncate(end)
        self._file.seek(end)

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
        self._file.write(np.ascontiguousarray(vectors, dtype=np.float32).tobytes())
        self._sync()
        self.rows += len(vectors)

    def finish(self) -> None:
        """Write the final header: from now on the file is a whole FAISS index."""
        self._file.seek(0)
        self._file.write(_header(self.dim, self.rows))
        self._file.seek(0, os.SEEK_END)
        self._sync()

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
    """A finished index file, read-only; row i is the vector of chunk number i."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                start = file.read(HEADER.size)
            size = path.stat().st_size
        except OSError as error:
            raise IndexFault(f"{path} cannot be read ({error.strerror}); run build-index again.") from error
        if len(start) < HEADER.size or start[:4] != _FLAT_INNER_PRODUCT:
            raise IndexFault(f"{path} is not an index of vectors; run build-index --force.")
        _, self.dim, self.count, *_ = HEADER.unpack(start)
        if size != HEADER.size + self.count * self.dim * 4:
            raise IndexFault(f"{path} is incomplete; run build-index --force.")
        self._rows: Float32 = np.zeros((0, self.dim), dtype=np.float32)
        if self.count:
            shape = (self.count, self.dim)
            self._rows = np.memmap(path, dtype=np.float32, mode="r", offset=HEADER.size, shape=shape)

    def search(self, queries: Float32, k: int) -> tuple[Float32, Int64]:
        """The `k` rows most alike to each of (n, dim) unit queries: cosine similarities and row numbers, both (n, ≤k).

        Best first; equal similarities by row number.
        """
        import faiss

        if queries.ndim != 2 or queries.shape[1] != self.dim:
            raise IndexFault(
                f"The query has vectors of shape {queries.shape}, the index holds {self.dim} numbers each;"
                " use the embedder it was built with."
            )
        k = min(k, self.count)
        if k <= 0:
            return np.zeros((len(queries), 0), dtype=np.float32), np.zeros((len(queries), 0), dtype=np.int64)
        found, rows = faiss.knn(queries, self._rows, k, metric=faiss.METRIC_INNER_PRODUCT)
        order = np.lexsort((rows, -found), axis=1)
        return np.take_along_axis(found, order, axis=1), np.take_along_axis(rows, order, axis=1)

    def vectors(self, rows: npt.ArrayLike) -> Float32:
        """Copies of the given rows, float32 of shape (len(rows), dim)."""
        return np.array(self._rows[np.asarray(rows, dtype=np.int64)], dtype=np.float32)

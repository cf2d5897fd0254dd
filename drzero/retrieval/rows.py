"""The file of half-precision rows: its header, reading some rows of it, looking at all of them.

Little-endian, as faiss writes "SQfp16" with inner products: `FLAT_HEADER_BYTES`, then `dim` halves a row.
"""

from __future__ import annotations

import struct
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from drzero.errors import IndexFault
from drzero.types import Float32, Int64

# kind; index: dim, rows, two unused, trained, metric; quantizer: kind, range kind, range, dim, bytes a row, parameters;
# bytes of all rows
_HEADER = struct.Struct("<4siqqq?iiifQQQQ")
FLAT_HEADER_BYTES = _HEADER.size
_KIND = b"IxSQ"
_HALVES = 4  # faiss's QT_fp16


def flat_header(dim: int, count: int) -> bytes:
    """The header faiss would write before `count` rows of `dim` numbers."""
    import faiss

    blank = faiss.IndexScalarQuantizer(dim, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
    kind, written_dim, _, *between, _ = _HEADER.unpack(faiss.serialize_index(blank).tobytes())
    return _HEADER.pack(kind, written_dim, count, *between, count * dim * 2)


class Rows:
    """The rows in the file at `path`, read piece by piece: no row stays in memory."""

    def __init__(self, path: Path) -> None:
        try:
            size = path.stat().st_size
            self._file = path.open("rb", buffering=0)
        except OSError as error:
            raise IndexFault(f"{path} cannot be read ({error.strerror}); run build-index again.") from error
        weakref.finalize(self, self._file.close)
        self._turn = threading.Lock()
        start = self._file.read(FLAT_HEADER_BYTES)
        problem = "is not an index of vectors"
        if len(start) == FLAT_HEADER_BYTES and start[:4] == _KIND:
            _, self.dim, self.count, _, _, _, _, kind, _, _, _, row_bytes, _, rows_bytes = _HEADER.unpack(start)
            if kind == _HALVES and self.dim > 0 and row_bytes == 2 * self.dim:
                problem = ""
                if size != FLAT_HEADER_BYTES + self.count * row_bytes or rows_bytes != self.count * row_bytes:
                    problem = "is incomplete"
                elif start != flat_header(self.dim, self.count):  # another metric would find other rows
                    problem = "is damaged"
        if problem:
            self._file.close()
            raise IndexFault(f"{path} {problem}; run build-index --force.")
        self.path = path

    def read(self, rows: Int64) -> Float32:
        """The given rows in single precision, of shape (len(rows), dim); neighbours are read at once."""
        wanted, places = np.unique(rows, return_inverse=True)
        if not len(wanted):
            return np.empty((0, self.dim), dtype=np.float32)
        if not 0 <= wanted[0] <= wanted[-1] < self.count:
            raise IndexError(f"rows {wanted[0]} to {wanted[-1]} of {self.count}")
        halves = np.empty((len(wanted), self.dim), dtype="<f2")
        starts = np.flatnonzero(np.diff(wanted, prepend=-2) != 1)
        with self._turn:
            for first, end in zip(starts.tolist(), [*starts[1:].tolist(), len(wanted)], strict=True):
                self._fill(halves[first:end].data.cast("B"), int(wanted[first]))
        return halves[places.reshape(-1)].astype(np.float32)

    def _fill(self, target: memoryview, row: int) -> None:
        self._file.seek(FLAT_HEADER_BYTES + row * self.dim * 2)
        while len(target):  # one call may read less
            got = self._file.readinto(target)
            if not got:
                raise IndexFault(f"{self.path} was cut short while it was read; run build-index --force.")
            target = target[got:]

    def close(self) -> None:
        """Release the file."""
        self._file.close()


class MappedIndex:
    """The faiss `index` that begins `skip_bytes` into the file at `path`, over the file as it is mapped into memory.

    faiss copies nothing of it but what is small. Raises RuntimeError for a damaged one.
    """

    def __init__(self, path: Path, skip_bytes: int = 0) -> None:
        import faiss

        library: Any = faiss
        self._content = np.memmap(path, dtype=np.uint8, mode="r", offset=skip_bytes)
        self._reader = library.ZeroCopyIOReader(faiss.swig_ptr(self._content), self._content.nbytes)
        self.index: Any = faiss.read_index(self._reader)


def search_flat(index: Any, queries: Float32, k: int) -> tuple[Float32, Int64]:
    """The `k` ≤ ntotal rows most alike to each query: similarities and row numbers, equal ones by row number."""
    more = k
    while True:
        more = min(2 * more, int(index.ntotal))
        found, rows = index.search(queries, more)
        # Of the rows that are equal to the last one faiss keeps any; so look on until none of them is left out.
        if more == index.ntotal or (found[:, -1] < found[:, k - 1]).all():
            return best(found, rows, k)


def best(found: Float32, rows: Int64, k: int) -> tuple[Float32, Int64]:
    """The first `k` of each line of similarities and row numbers, best first, equal ones by row number."""
    order = np.lexsort((rows, -found), axis=1)[:, :k]
    return np.take_along_axis(found, order, axis=1), np.take_along_axis(rows, order, axis=1)

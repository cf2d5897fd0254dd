"""Clusters of the rows of a large vector file, so that a query looks closely at few of them.

Rows are parted into cells by spherical k-means, and each is kept in its cell as one bit a number and two factors
(RaBitQ: Gao and Long, SIGMOD 2024), 56 bytes of dimension 384. A query looks at the codes of the cells next to it and
takes the most promising rows; those are read from the vector file and put in order by their exact similarity.

How many cells and rows are looked at was measured with questions (see `probe_count`). It is not calibrated on the rows
themselves: whether disturbed along the data's own spread or in any direction until they are as far from everything as
questions are, 3 % of the cells hold .97 to .99 of their nearest rows, but .92 of those of real questions.

`clusters.faiss`: a head of `_HEAD_BYTES` (JSON: the settings, and checksums of what a fault could make unreadable),
and then what faiss writes for an IVF index. It is searched as it lies in the file mapped into memory: a process opens
it at once, and the system may drop what it holds of it.

Made in one pass over the vectors, of which a block is in memory at a time, and one over the codes; beside these only
some 25 bytes a row. The sample for k-means is spread evenly over the rows, and nothing depends on the number of threads
or on chance: the same vectors give the same bytes.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from drzero.errors import IndexFault
from drzero.retrieval.rows import MappedIndex, Rows
from drzero.types import Float32, Int64

FILE_NAME = "clusters.faiss"
_MAGIC = "drzero clusters 1"
_HEAD_BYTES = 4096
_BLOCK = 16_384  # rows in memory at a time
_MOST_CELLS = 4096  # more take longer to make than they save
_SAMPLE_PER_CELL = 40  # rows; faiss finds fewer than 39 too few
_ROUNDS = 8  # of k-means
_PROBED_SHARE, _PROBED_ROWS = 0.225, 400_000  # see `probe_count`
_SLOW = "search is exact but slow until"
_AGAIN = f"{_SLOW} `drzero build-index` has made it again"
_DEPTH = 250  # rows that are read to be ranked
_PER_RESULT = 3  # the same for each that is asked for, where that is more


class ClusterFault(IndexFault):
    """Clusters that cannot be used or made; the vectors may be sound."""


def _not_made(why: str) -> ClusterFault:
    return ClusterFault(f"No clusters could be made ({why}); {_SLOW} `drzero build-index` has made them.")


@dataclass(frozen=True, slots=True)
class Shape:
    """How the clusters were made and are searched: the cells a query looks into, the rows of these it ranks exactly."""

    rows: int
    dim: int
    cells: int
    probes: int
    depth: int


def cell_count(rows: int) -> int:
    """Into how many cells so many rows are parted: about 4·√rows, with enough rows for each."""
    wanted = 1 << round(np.log2(4 * np.sqrt(max(rows, 1))))
    return int(max(1, min(wanted, _MOST_CELLS, rows // _SAMPLE_PER_CELL)))


def probe_count(rows: int, cells: int) -> int:
    """Into how many cells a query looks: those with `_PROBED_SHARE` of the rows, but with `_PROBED_ROWS` at most."""
    return max(1, math.ceil(cells * min(_PROBED_SHARE, _PROBED_ROWS / max(rows, 1))))


# --- making ---------------------------------------------------------------------------------------------------------


def build(vectors: Path, target: Path, progress: Callable[[int, int], None] = lambda _done, _total: None) -> Shape:
    """Make the clusters of the finished vector file `vectors` at `target`, which appears when it is whole.

    `progress` is told of how many rows the codes are made. Raises IndexFault when `vectors` cannot be read, and
    ClusterFault when this version of faiss cannot make them, or there is too little memory.
    """
    stored = Rows(vectors)
    codes_file, growing = target.with_name(f"{target.name}.codes"), target.with_name(f"{target.name}.part")
    try:
        index = _trained(stored)
        shape = Shape(stored.count, stored.dim, index.nlist, probe_count(stored.count, index.nlist), _DEPTH)
        with codes_file.open("wb") as file:
            cells = _encode(stored, index, file, progress)
        with growing.open("wb") as file:
            front = _front(index, cells, stored.count)
            file.write(_head(shape, front, stored))
            file.write(front)
            _write_cells(file, codes_file, cells, index)
            file.flush()
            os.fsync(file.fileno())
        os.replace(growing, target)
    except (AttributeError, MemoryError, RuntimeError, TypeError) as error:  # names and ways that faiss lacks
        raise _not_made(str(error) or "memory ran out") from error
    finally:
        stored.close()
        for left in (codes_file, growing):
            with suppress(OSError):
                left.unlink(missing_ok=True)
    return shape


def _spread(count: int, rows: int) -> Int64:
    """`count` of `rows` row numbers, evenly spread."""
    return np.arange(count, dtype=np.int64) * rows // max(count, 1)


def _trained(stored: Rows) -> Any:
    """An empty IVF index with the cells of a sample."""
    import faiss

    cells = cell_count(stored.count)
    sample = stored.read(_spread(min(stored.count, cells * _SAMPLE_PER_CELL), stored.count))
    quantizer: Any = faiss.IndexFlatIP(stored.dim)
    library: Any = faiss
    means = library.Clustering(stored.dim, cells)
    means.niter, means.spherical, means.seed = _ROUNDS, True, 1
    means.min_points_per_centroid, means.max_points_per_centroid = 1, len(sample)
    means.train(sample, quantizer)
    index = library.IndexIVFRaBitQ(quantizer, stored.dim, cells, faiss.METRIC_INNER_PRODUCT)
    index.train(sample[:_SAMPLE_PER_CELL])  # the cells are there; this completes the rest, which learns nothing
    return index


def _encode(stored: Rows, index: Any, file: BinaryIO, progress: Callable[[int, int], None]) -> Int64:
    """Write each row's code to `file`; the cell of each row."""
    import faiss

    cells = np.empty(stored.count, dtype=np.int32)
    for first in range(0, stored.count, _BLOCK):
        rows = np.arange(first, min(first + _BLOCK, stored.count), dtype=np.int64)
        block = stored.read(rows)
        _, found = index.quantizer.search(block, 1)
        homes = np.ascontiguousarray(found[:, 0], dtype=np.int64)
        codes = np.zeros((len(rows), index.code_size), dtype=np.uint8)
        index.encode_vectors(len(rows), faiss.swig_ptr(block), faiss.swig_ptr(homes), faiss.swig_ptr(codes))
        file.write(codes.tobytes())
        cells[rows] = homes
        progress(int(rows[-1]) + 1, stored.count)
    return cells.astype(np.int64)


def _front(index: Any, cells: Int64, rows: int) -> bytes:
    """What faiss writes of an index before the content of its cells: settings, the cells' centres and sizes."""
    import faiss

    index.ntotal = rows
    content: bytes = faiss.serialize_index(index).tobytes()
    sizes = np.bincount(cells, minlength=index.nlist).astype("<u8")
    lists = b"ilar" + np.array([index.nlist, index.code_size], dtype="<u8").tobytes()
    empty = lists + b"sprs" + bytes(8)
    if not content.endswith(empty):
        raise _not_made("this version of faiss writes another format; faiss-cpu 1.15 is known to do")
    count = index.nlist.to_bytes(8, "little")
    return b"".join((content[: -len(empty)], lists, b"full", count, sizes.tobytes()))


def _write_cells(file: BinaryIO, codes_file: Path, cells: Int64, index: Any) -> None:
    """Append cell after cell: the codes of its rows, in order, and their numbers."""
    codes = np.memmap(codes_file, dtype=np.uint8, mode="r").reshape(-1, index.code_size)
    order = np.argsort(cells, kind="stable").astype("<i8")
    ends = np.cumsum(np.bincount(cells, minlength=index.nlist))
    first = 0
    for end in ends.tolist():
        rows = order[first:end]
        file.write(codes[rows].tobytes())
        file.write(rows.tobytes())
        first = end


# --- the head -------------------------------------------------------------------------------------------------------


def _head(shape: Shape, front: bytes, stored: Rows) -> bytes:
    said = {"kind": _MAGIC, **asdict(shape), "front_bytes": len(front), "front_crc32": zlib.crc32(front)}
    text = json.dumps(said | {"vectors_crc32": _trace(stored)}, indent=1)
    return text.encode().ljust(_HEAD_BYTES - 1) + b"\n"


def _trace(stored: Rows) -> int:
    """A checksum by which clusters know their vectors again: over 64 rows, evenly spread."""
    return zlib.crc32(stored.read(_spread(min(64, stored.count), stored.count)).astype("<f4").tobytes())


# --- searching ------------------------------------------------------------------------------------------------------


class Clusters:
    """The clusters in the file at `path` of the rows `stored`; `shape` says how they are searched.

    Raises ClusterFault when the file is missing, damaged or made from other vectors.
    """

    def __init__(self, path: Path, stored: Rows) -> None:
        try:
            with path.open("rb") as file:
                said = json.loads(file.read(_HEAD_BYTES))
                front = file.read(int(said["front_bytes"]))
            self.shape = Shape(**{name: said[name] for name in Shape.__dataclass_fields__})
            code_bytes = path.stat().st_size - _HEAD_BYTES - len(front)
            sound = said["kind"] == _MAGIC and zlib.crc32(front) == said["front_crc32"]
            sound = sound and code_bytes == stored.count * (_code_bytes(stored.dim) + 8)
        except OSError as error:
            raise ClusterFault(f"{path} cannot be read ({error.strerror}); {_AGAIN}.") from error
        except (ValueError, KeyError, TypeError) as error:
            raise ClusterFault(f"{path} is damaged; {_AGAIN}.") from error
        if not sound:
            raise ClusterFault(f"{path} is damaged; {_AGAIN}.")
        if (self.shape.rows, self.shape.dim) != (stored.count, stored.dim) or said["vectors_crc32"] != _trace(stored):
            raise ClusterFault(f"{path} was made from other vectors; {_AGAIN}.")
        self._path, self._stored = path, stored
        try:
            self._mapped = MappedIndex(path, _HEAD_BYTES)
        except RuntimeError as error:
            raise ClusterFault(f"{path} cannot be read by this version of faiss; {_AGAIN}.") from error

    def cells_of(self, vectors: Float32) -> Int64:
        """The cell that each of (n, dim) unit vectors lies in, int64 of shape (n,)."""
        _, cells = self._mapped.index.quantizer.search(np.ascontiguousarray(vectors, dtype=np.float32), 1)
        found: Int64 = cells[:, 0].astype(np.int64)
        return found

    def search(self, queries: Float32, k: int) -> tuple[Float32, Int64]:
        """As `VectorIndex.search`: the best `k` ≤ rows of those that were looked at. ClusterFault for damaged codes."""
        import faiss

        library: Any = faiss
        shape, index, probes = self.shape, self._mapped.index, self.shape.probes
        depth = min(max(shape.depth, _PER_RESULT * k), shape.rows)
        while True:
            _, candidates = index.search(queries, depth, params=library.SearchParametersIVF(nprobe=probes))
            if probes >= shape.cells or (candidates[:, k - 1] >= 0).all():
                break
            probes = min(2 * probes, shape.cells)  # the cells near a query hold fewer than k rows
        found = np.empty((len(queries), k), dtype=np.float32)
        rows = np.empty((len(queries), k), dtype=np.int64)
        for number, line in enumerate(candidates):
            known = np.unique(line[line >= 0])
            if len(known) < k or known[-1] >= shape.rows:
                # Opening it does not show this, so that build-index would take it for sound.
                raise ClusterFault(f"{self._path} is damaged; {_SLOW} you delete it and run `drzero build-index`.")
            # The sum over each row is the same wherever it stands; a matrix product's is not.
            exact = (self._stored.read(known) * queries[number]).sum(axis=1)
            order = np.lexsort((known, -exact))[:k]
            found[number], rows[number] = exact[order], known[order]
        return found, rows


def _code_bytes(dim: int) -> int:
    """What faiss needs for a row: a bit a number and two factors."""
    return (dim + 7) // 8 + 8

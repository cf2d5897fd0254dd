"""The order in which to read an archive: by cluster, so that each cluster is decompressed once.

The bindings list entries by path only, so the directory is read from the file itself (openZIM file format 5 and 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from drzero.corpus.files import HEADER_BYTES

_REDIRECT = 0xFFFF
_DIRENT_BYTES = 16
_BATCH = 65536

Bytes = npt.NDArray[np.uint8]
Ids = npt.NDArray[np.int64]


class _Parts:
    """The bytes of an archive in one or several files, mapped, not read."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._maps: list[Bytes] = [np.memmap(file, dtype=np.uint8, mode="r") for file in files if file.stat().st_size]
        self._ends = np.cumsum([len(part) for part in self._maps], dtype=np.int64)
        self.size = int(self._ends[-1])

    def gather(self, positions: Ids) -> Bytes:
        """The bytes at `positions` (any shape); those outside the archive read 0."""
        out = np.zeros(positions.shape, dtype=np.uint8)
        start = 0
        for part, end in zip(self._maps, self._ends, strict=True):
            here = (positions >= start) & (positions < end)
            out[here] = part[positions[here] - start]
            start = int(end)
        return out


def reading_order(files: Sequence[Path], *, new_layout: bool) -> tuple[Ids, bytes]:
    """The ids of all entries in reading order, and the namespace of each id.

    In the new layout only what the archive's author put in (namespace C). Redirects come last, by id.
    """
    archive = _Parts(files)
    header = archive.gather(np.arange(HEADER_BYTES, dtype=np.int64)).tobytes()
    count = int.from_bytes(header[24:28], "little")
    table = int.from_bytes(header[32:40], "little")
    count = max(0, min(count, (archive.size - table) // 8))
    namespaces = np.zeros(count, dtype=np.uint8)
    keys = np.zeros(count, dtype=np.uint64)
    for first in range(0, count, _BATCH):
        last = min(first + _BATCH, count)
        pointers = archive.gather(table + np.arange(first * 8, last * 8, dtype=np.int64)).view("<u8")
        offsets = np.minimum(pointers, archive.size).astype(np.int64)
        rows = archive.gather(offsets[:, None] + np.arange(_DIRENT_BYTES, dtype=np.int64))
        namespaces[first:last] = rows[:, 3]
        place = np.ascontiguousarray(rows[:, 8:16]).view("<u4")
        key = (place[:, 0].astype(np.uint64) << np.uint64(32)) | place[:, 1]
        is_content = np.ascontiguousarray(rows[:, :2]).view("<u2")[:, 0] < _REDIRECT - 2
        keys[first:last] = np.where(is_content, key, np.uint64(2**64 - 1))
    order = np.argsort(keys, kind="stable").astype(np.int64)
    if new_layout:
        order = order[namespaces[order] == ord("C")]
    return order, namespaces.tobytes()

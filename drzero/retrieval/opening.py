"""An index as it is published: opened read-only, with the checks that its files belong together.

Texts, vectors and manifest could be mixed up by a careless copy. The store carries the stamp of its build, which the
manifest repeats. The vector file has no room for one: the manifest has a digest of some of its rows instead, evenly
spread, and those that an update added last.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import numpy as np

from drzero.errors import IndexFault
from drzero.retrieval import folder as places
from drzero.retrieval import store, vectors
from drzero.retrieval.manifest import FILE_NAME as MANIFEST
from drzero.retrieval.manifest import Manifest, identity_of
from drzero.retrieval.store import Store
from drzero.retrieval.vectors import VectorIndex
from drzero.types import ArchiveInfo, BuildReport, Chunk

_SAMPLED_ROWS = 32


class OpenIndex:
    """A published index, read-only. Row numbers count its chunks from 0 in archive order. Close it or use `with`."""

    def __init__(
        self, name: str, folder: Path, manifest: Manifest, chunk_store: Store, vector_index: VectorIndex
    ) -> None:
        self.name, self.folder, self.manifest = name, folder, manifest
        self.store, self.vectors = chunk_store, vector_index
        self.count = manifest.chunks

    def chunk(self, chunk_id: str) -> Chunk | None:
        """The chunk of this id, if it is here."""
        return self.store.chunk(chunk_id)

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """The chunks of the given row numbers, in that order."""
        return self.store.chunks(rows)

    def chunks_of(self, path: str) -> list[Chunk]:
        """The chunks of one article in reading order; none for an unknown path."""
        return self.store.chunks_of(path)

    def aliases(self, path: str) -> tuple[str, ...]:
        """The other titles that lead to this article."""
        return self.store.aliases(path)

    def source(self, path: str) -> str:
        """The address that this article says it was taken from; "" when it does not say."""
        return self.store.source(path)

    def close(self) -> None:
        """Release the files."""
        self.store.close()
        self.vectors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_index(
    folder: Path, *, embedder_id: str | None = None, description: Mapping[str, Any] | None = None
) -> OpenIndex:
    """Open the index at `folder`; IndexFault when it is missing, damaged, or made with another embedder.

    `description` is that of the embedder wanted, where known, so that the sentence can say in what the two differ.
    """
    home = folder
    if not folder.exists() and (places.retired(folder) / MANIFEST).is_file():
        home = places.retired(folder)  # a kill between the two renames of `publish`
    manifest = Manifest.load(home)
    if embedder_id is not None:
        manifest.refuse_another(folder.name, embedder_id, description or {})
    with ExitStack() as opened:
        vector_index = opened.enter_context(VectorIndex(home / vectors.FILE_NAME))
        chunk_store = Store(home / store.FILE_NAME)
        opened.callback(chunk_store.close)
        together = _belong_together(manifest, chunk_store, vector_index)
        if together:
            opened.pop_all()
            return OpenIndex(folder.name, home, manifest, chunk_store, vector_index)
    if home == folder and folder.exists() and Manifest.load(folder) != manifest:  # published at this very moment
        return open_index(folder, embedder_id=embedder_id, description=description)
    raise IndexFault(f"The texts and vectors of {folder} do not belong together; run build-index --force.")


def _belong_together(manifest: Manifest, chunk_store: Store, vector_index: VectorIndex) -> bool:
    texts = (chunk_store.count, chunk_store.state.get("zim_id"), chunk_store.state.get("stamp"))
    rows = (vector_index.count, vector_index.dim)
    return (
        texts == (manifest.chunks, manifest.archive.id, manifest.stamp)
        and rows == (manifest.chunks, manifest.dim)
        and rows_digest(vector_index, manifest.sampled_rows) == manifest.sampled_digest
    )


def rows_to_sample(count: int, latest: Sequence[int] = ()) -> tuple[int, ...]:
    """The rows of `count` that tell one vector file from another: spread evenly, and the `latest` known to be new."""
    spread = np.linspace(0, count - 1, min(count, _SAMPLED_ROWS)).astype(int).tolist() if count else []
    return tuple(sorted({*spread, *latest}))


def rows_digest(vector_index: VectorIndex, rows: Sequence[int]) -> str:
    """A digest of these rows, 32 hexadecimal digits; "" without rows, or when they are not there."""
    if not rows or rows[-1] >= vector_index.count:
        return ""
    return hashlib.blake2b(vector_index.vectors(list(rows)).tobytes(), digest_size=16).hexdigest()


def unchanged(
    folder: Path, info: ArchiveInfo, embedder_id: str, settings: Mapping[str, Any], limit: int | None
) -> BuildReport | None:
    """The report of a sound index of just this archive, embedder and settings; None when one has to be built."""
    try:
        with open_index(folder, embedder_id=embedder_id) as index:
            made = index.manifest
    except IndexFault:
        return None
    same = made.identity == identity_of(info, embedder_id, made.dim, settings, limit)
    return made.report(folder.name, "unchanged") if same else None

"""The index that a new one is to replace, as a source of vectors: what was embedded once is not embedded again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from drzero.errors import IndexFault
from drzero.retrieval import store
from drzero.retrieval.opening import OpenIndex, open_index
from drzero.types import Float32


class Former:
    """A published index whose vectors may be used again. Close it or use `with`.

    `path` is its chunk store, `zim_id` its archive's.
    """

    def __init__(self, index: OpenIndex) -> None:
        self.path = index.folder / store.FILE_NAME
        self.zim_id = index.manifest.archive.id
        self._index = index

    @classmethod
    def of(cls, folder: Path, embedder_id: str, description: Mapping[str, Any]) -> Former | None:
        """The index at `folder` if it is sound and its vectors are those that this embedder would make, else None.

        A vector of another precision is nearly the same, but not the same: it is made again.
        """
        try:
            index = open_index(folder, embedder_id=embedder_id)
        except IndexFault:
            return None
        if index.manifest.description.get("precision") == description.get("precision"):
            return cls(index)
        index.close()
        return None

    def take(self, digests: Sequence[bytes]) -> dict[int, Float32]:
        """The vectors that are here for the chunks of these digests, by their place in `digests`."""
        rows = self._index.store.rows_of(digests)
        places = [place for place, digest in enumerate(digests) if digest in rows]
        if not places:
            return {}
        found = self._index.vectors.vectors([rows[digests[place]] for place in places])
        return dict(zip(places, found, strict=True))

    def close(self) -> None:
        """Release the files."""
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

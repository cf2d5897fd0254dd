"""The index folder of one archive: built step by step, published whole, opened read-only.

```
indexes/NAME/            manifest.json · chunks.db (store) · vectors.faiss (vectors)
indexes/.NAME.building/  the same files while they grow; what they hold is kept by the next run
```
A step stores a batch of chunks, their vectors and the place to go on from. Vectors reach the disk first and the
database transaction decides: after a kill the vector file is cut back to what the database knows. Batches end at the
same chunks however often a build was interrupted, so that an index does not depend on its history.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from drzero.errors import IndexFault
from drzero.languages import only_code
from drzero.retrieval import folder as places
from drzero.retrieval import store, vectors
from drzero.retrieval.manifest import FILE_NAME as MANIFEST
from drzero.retrieval.manifest import FORMAT, Manifest, identity_of
from drzero.retrieval.store import Store
from drzero.retrieval.vectors import VectorIndex, VectorWriter
from drzero.retrieval.writing import Batch, StoreWriter
from drzero.text import embedding_text
from drzero.types import ArchiveInfo, BuildReport, Chunk, Embedder, Progress, ReadEntry

__all__ = ["Manifest", "OpenIndex", "build", "open_index", "unchanged"]

Entries = Generator[ReadEntry, None, None]
_NOTES_PER_STEP = 10_000  # entries without text between two steps
_LARGE_CHUNKS = 1000  # from which on a single page is not meant to make much of an index
_CROWDING = 0.2  # the share of all chunks that is much


# --- reading --------------------------------------------------------------------------------------------------------


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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_index(folder: Path, *, embedder_id: str | None = None) -> OpenIndex:
    """Open the index at `folder`; IndexFault when it is missing, damaged, or made with another embedder."""
    home = folder
    if not folder.exists() and (places.retired(folder) / MANIFEST).is_file():
        home = places.retired(folder)  # a kill between the two renames of `publish`
    manifest = Manifest.load(home)
    if embedder_id is not None and embedder_id != manifest.embedder:
        raise IndexFault(
            f"The index {folder.name} was made with the embedder {manifest.embedder}, not {embedder_id};"
            " choose that one, or run build-index again."
        )
    vector_index = VectorIndex(home / vectors.FILE_NAME)
    chunk_store = Store(home / store.FILE_NAME)
    held = (manifest.chunks, manifest.dim, manifest.archive.id)
    if (
        held != (chunk_store.count, vector_index.dim, chunk_store.state.get("zim_id"))
        or vector_index.count != manifest.chunks
    ):
        chunk_store.close()
        raise IndexFault(f"The texts and vectors of {folder} do not belong together; run build-index --force.")
    return OpenIndex(folder.name, home, manifest, chunk_store, vector_index)


# --- building -------------------------------------------------------------------------------------------------------


def build(
    *,
    info: ArchiveInfo,
    read: Callable[[int], Entries],
    embedder: Embedder,
    folder: Path,
    settings: Mapping[str, Any],
    limit: int | None = None,
    batch_chunks: int = 128,
    force: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> BuildReport:
    """Make the index of one archive at `folder`, going on where an interrupted build of the same settings stopped.

    `read(position)` yields the archive's entries from there on. Nothing is read when the index is there already with
    the same archive id, embedder and settings. Raises IndexFault when the folder cannot be written or is no index.
    """
    began = time.perf_counter()
    identity = identity_of(info, embedder.id, embedder.dim, settings, limit)
    places.recover(folder)
    if not force and (done := unchanged(folder, info, embedder.id, settings, limit)):
        return done
    if folder.exists() and not (folder / MANIFEST).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise IndexFault(f"{folder} exists and is not an index; move it away or choose another name for the index.")
    again = "run the same command again to go on"
    with (
        places.writing(places.building(folder), again),
        _Building(folder, identity | {"force": force}, embedder, batch_chunks) as building,
    ):
        try:
            building.read(read, limit, _Meter(info, limit, progress))
            manifest = building.finish(info, settings, limit, progress)
        except MemoryError as error:
            raise IndexFault(
                f"Memory ran out while {info.name} was indexed; close other programs and {again}."
            ) from error
        report = manifest.report(folder.name, "resumed" if building.resumed else "built")
    with places.writing(folder, again):
        places.publish(folder)
    elapsed_s = time.perf_counter() - began
    rest_s = elapsed_s - building.read_s - building.embed_s
    stages = (("read", building.read_s), ("embed", building.embed_s), ("write", rest_s))
    return replace(report, elapsed_s=elapsed_s, stages_s=stages)


class _Meter:
    """Turns how far the walk is into Progress, a few times a second."""

    def __init__(self, info: ArchiveInfo, limit: int | None, show: Callable[[Progress], None]) -> None:
        self._total, self._unit = (info.entry_count, "entries") if limit is None else (limit, "articles")
        self._show, self._began, self._shown = show, time.perf_counter(), 0.0
        self._first: int | None = None

    def __call__(self, entries: int, articles: int, chunks: int) -> None:
        now = time.perf_counter()
        done = entries if self._unit == "entries" else articles
        self._first = done if self._first is None else self._first
        if now - self._shown >= 0.1:
            self._shown = now
            elapsed_s = now - self._began
            rate = (done - self._first) / elapsed_s if elapsed_s > 0 else 0.0
            self._show(
                Progress(done, self._total, self._unit, elapsed_s, rate, f"{articles:,} articles, {chunks:,} chunks")
            )


class _Building:
    """The folder where an index grows, locked while it is open; what an earlier run left is taken up when it fits."""

    def __init__(self, target: Path, identity: dict[str, Any], embedder: Embedder, batch_chunks: int) -> None:
        self.folder, self._embedder = places.building(target), embedder
        self._identity, self._batch_chunks = identity | {"batch_chunks": batch_chunks}, batch_chunks
        self.read_s = self.embed_s = self.write_s = 0.0
        self.folder.mkdir(parents=True, exist_ok=True)
        self._store = self._open_store()
        state = self._store.state()
        try:
            if state.get("identity") != self._identity:
                raise IndexFault("left by a build with other settings")
            self._vectors = VectorWriter(self.folder / vectors.FILE_NAME, embedder.dim, self._store.count())
            self.resumed = True
        except (IndexFault, OSError):
            self._store.close()
            self._store, state = self._open_store(fresh=True), {}
            self._vectors = VectorWriter(self.folder / vectors.FILE_NAME, embedder.dim)
            self.resumed = False
        self._position, self._chunks_read = state.get("mark", (0, 0))
        self._articles, self._skipped = state.get("articles", 0), Counter(state.get("skipped", {}))
        self._doubtful = state.get("doubtful", 0)
        self._complete = state.get("complete", False)

    def _open_store(self, *, fresh: bool = False) -> StoreWriter:
        path = self.folder / store.FILE_NAME
        if fresh:
            for left in self.folder.iterdir():
                left.unlink()
        try:
            return StoreWriter(path)
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise IndexFault(f"Another build is at work in {self.folder}; wait until it ends.") from error
            if fresh or "no such column" not in str(error):
                raise
            return self._open_store(fresh=True)  # left by another version
        except sqlite3.DatabaseError:
            if fresh:
                raise
            return self._open_store(fresh=True)

    def read(self, read: Callable[[int], Entries], limit: int | None, meter: _Meter) -> None:
        """Read the archive to its end or to `limit` articles, step by step."""
        if self._complete:
            return
        began, batch = time.perf_counter(), Batch()
        if limit is None or self._articles < limit or self._chunks_read:
            with closing(read(self._position)) as entries:
                batch = self._take(entries, limit, meter)
        self._step(batch, (-1, 0), complete=True)
        self.read_s = time.perf_counter() - began - self.embed_s - self.write_s

    def _take(self, entries: Entries, limit: int | None, meter: _Meter) -> Batch:
        """Store the entries in steps; the batch that is left at their end."""
        batch, resume_at, chunks_read = Batch(), self._position, self._chunks_read
        for entry in entries:
            going_on = chunks_read > 0 and entry.position == resume_at
            first, chunks_read = chunks_read if going_on else 0, 0
            if going_on or self._is_new(entry, batch):
                for number, piece in enumerate(entry.chunks[first:], first + 1):
                    batch.chunks.append(piece)
                    if len(batch.chunks) == self._batch_chunks:
                        batch = self._step(batch, (entry.position, number))
                if self._articles == limit:
                    break
            if batch.notes >= _NOTES_PER_STEP:
                batch = self._step(batch, (entry.position + 1, 0))
            meter(entry.position + 1, self._articles, self._vectors.rows + len(batch.chunks))
        return batch

    def _is_new(self, entry: ReadEntry, batch: Batch) -> bool:
        """Whether `entry` is an article to store. It is noted in `batch`, whatever it is."""
        reason = self._reason_against(entry, batch)
        if not reason and entry.alias is None:
            batch.articles[entry.path] = entry.title, entry.digest, entry.chunks[0].chunk.mark, entry.source
            batch.digests[entry.digest] = entry.path, entry.title
            batch.aliases += ((entry.path, alias, "") for alias in entry.aliases)
            self._articles += 1
            self._doubtful += entry.doubtful
            return True
        batch.notes += 1
        if reason:
            self._skipped[reason] += 1
        elif entry.alias is not None:
            batch.aliases.append((entry.path, entry.alias, entry.section))
        if reason == "unreadable":
            batch.unreadable.append(entry.path)
        return False

    def _reason_against(self, entry: ReadEntry, batch: Batch) -> str:
        """Why `entry` adds nothing that can be found; "" for an alias and an article to store."""
        if not entry.digest:
            return "" if entry.alias is not None else entry.skipped or "other"
        if not entry.chunks:
            return "no-text"
        if entry.path in batch.articles or self._store.has_article(entry.path):
            return "duplicate"
        if twin := batch.digests.get(entry.digest) or self._store.article_of(entry.digest):
            path, title = twin
            batch.twins[entry.path] = path
            names = dict.fromkeys((entry.title, *entry.aliases))
            batch.aliases += ((path, name, "") for name in names if name != title)
            return "duplicate"
        return ""

    def _step(self, batch: Batch, mark: tuple[int, int], *, complete: bool = False) -> Batch:
        """Store `batch` with its vectors and the place to go on from; the next, empty batch."""
        began = time.perf_counter()
        if batch.chunks:
            texts = [embedding_text(one.chunk.title, one.chunk.heading, one.chunk.text) for one in batch.chunks]
            rows = self._embedder.embed_passages(texts, [one.tokens for one in batch.chunks])
            if len(rows) != len(batch.chunks):
                raise IndexFault(
                    f"The embedder gave {len(rows)} vectors for {len(batch.chunks)} chunks; use another one."
                )
            self.embed_s += time.perf_counter() - began
            began = time.perf_counter()
            self._vectors.append(rows)
        self._store.add(
            batch,
            identity=self._identity,
            zim_id=self._identity["zim_id"],
            mark=mark,
            articles=self._articles,
            skipped=dict(self._skipped),
            doubtful=self._doubtful,
            complete=complete,
        )
        self.write_s += time.perf_counter() - began
        return Batch()

    def finish(
        self, info: ArchiveInfo, settings: Mapping[str, Any], limit: int | None, progress: Callable[[Progress], None]
    ) -> Manifest:
        """Make the word index and complete the files."""
        began, total = time.perf_counter(), self._store.count()
        for done in self._store.index_words(language=only_code(info.language)):
            elapsed_s = time.perf_counter() - began
            progress(Progress(done, total, "chunks", elapsed_s, done / max(elapsed_s, 1e-9), "word index"))
        manifest = Manifest(
            format=FORMAT,
            archive=info,
            embedder=self._embedder.id,
            dim=self._embedder.dim,
            settings=dict(settings),
            limit=limit,
            articles=self._articles,
            aliases=self._store.alias_count(),
            chunks=total,
            skipped=dict(sorted(self._skipped.items())),
            unreadable=tuple(self._store.unreadable()),
            truncated_chunks=0,
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            doubtful=self._doubtful,
            marked=self._store.marks(),
            crowding=self._store.articles_of_more_than(total * _CROWDING) if total >= _LARGE_CHUNKS else {},
        )
        self._vectors.finish()
        self.close()
        manifest.save(self.folder)
        return manifest

    def close(self) -> None:
        """Release files and lock; what is not stored yet is dropped."""
        self._vectors.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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

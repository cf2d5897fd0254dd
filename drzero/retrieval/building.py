"""The folder where an index grows, step by step, so that a kill at any moment costs a few seconds of work.

A step stores some batches of chunks, their vectors and the place to go on from. Vectors reach the disk first and the
database transaction decides: after a kill the vector file is cut back to what the database knows. Steps end where
batches do, after some seconds or many chunks: a slow embedder loses little, a fast one does not wait for the disk.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import numpy as np

from drzero.errors import IndexFault
from drzero.languages import only_code
from drzero.retrieval import folder as places
from drzero.retrieval import store, vectors
from drzero.retrieval.ahead import Ahead
from drzero.retrieval.former import Former
from drzero.retrieval.gathering import Entries, Gathering
from drzero.retrieval.leftovers import refusal_in
from drzero.retrieval.manifest import FORMAT, Manifest, description_of, differences
from drzero.retrieval.opening import rows_digest, rows_to_sample
from drzero.retrieval.vectors import VectorIndex, VectorWriter
from drzero.retrieval.writing import Batch, StoreWriter
from drzero.types import ArchiveInfo, Embedder, Float32, Progress, Update

STEP_S = 4.0
_STEP_CHUNKS = 4096  # at most, since they are held in memory
_LARGE_CHUNKS = 1000  # from which on a single page is not meant to make much of an index
_CROWDING = 0.2  # the share of all chunks that is much
_LATEST_ROWS = 8  # of an update, that tell its vectors from those before


@dataclass(slots=True)
class Spent:
    """Seconds of each stage, over all runs of a build, and the chunks that were embedded. The stages overlap."""

    read_s: float = 0.0
    embed_s: float = 0.0
    write_s: float = 0.0
    elapsed_s: float = 0.0
    embedded: int = 0
    kept: int = 0

    def plus(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """The sums with what was spent before."""
        return {name: getattr(self, name) + before.get(name, 0) for name in self.__slots__}


class Building:
    """The folder where an index grows, locked while it is open; what an earlier run left is taken up when it fits."""

    def __init__(
        self,
        target: Path,
        identity: dict[str, Any],
        embedder: Embedder,
        *,
        batch_chunks: int,
        step_s: float,
        force: bool,
    ) -> None:
        self.folder, self._target, self._embedder = places.building(target), target, embedder
        self._identity, self._step_s = identity | {"batch_chunks": batch_chunks}, step_s
        self._description = description_of(embedder)
        self.notes: list[str] = []
        self._began = time.perf_counter()
        self.spent = Spent()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._store = self._open_store()
        state = self._store.state()
        try:
            self._check(state, force=force)
            try:
                self._vectors = VectorWriter(self.folder / vectors.FILE_NAME, embedder.dim, self._store.count())
            except (IndexFault, FileNotFoundError) as error:
                raise _BeginAnew("its vectors are not all there any more") from error
            self.resumed = True
        except _BeginAnew as why:
            held = self._store.count()
            self._store.close()
            if why.said and held:
                self.notes.append(
                    f"An interrupted build of {target.name} with {held:,} chunks was begun anew: {why.said}."
                )
            self._store, state = self._open_store(fresh=True), {}
            self._vectors = VectorWriter(self.folder / vectors.FILE_NAME, embedder.dim)
            self.resumed = False
        except BaseException:  # what a later try may not meet costs no work
            self._store.close()
            raise
        self._spent_before = state.get("spent", {})
        self._stamp = state.get("stamp") or secrets.token_hex(8)
        self._forced = state.get("forced", force)
        if (made_so := state.get("description", self._description)) != self._description:
            precisions = dict.fromkeys((*str(made_so.get("precision")).split(" + "), self._description["precision"]))
            self._description = self._description | {"precision": " + ".join(precisions)}
        self._gathering = Gathering(self._store, state, batch_chunks)
        self._pending: list[tuple[Batch, Float32]] = []  # embedded, not stored
        self._stored_at = time.perf_counter()
        self._broken = False  # a step failed half-way: nothing may be stored behind it

    def _check(self, state: Mapping[str, Any], *, force: bool) -> None:
        """Raise _BeginAnew unless the build that left `state` is to go on; IndexFault when the user has to decide."""
        made = state.get("identity")
        if force and not state.get("forced"):
            raise _BeginAnew  # as was asked for
        if said := "" if force else refusal_in(state, self._target.name, self._embedder.id, self._description):
            raise IndexFault(said)
        if made != self._identity:
            raise _BeginAnew(differences(made or {}, self._identity) or "other settings")

    def _open_store(self, *, fresh: bool = False) -> StoreWriter:
        path = self.folder / store.FILE_NAME
        if fresh:
            for left in self.folder.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        try:
            return StoreWriter(path)
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise IndexFault(f"Another build is at work in {self.folder}; wait until it ends.") from error
            if fresh or "no such column" not in str(error):
                raise
            return self._open_store(fresh=True)  # left by another version
        except sqlite3.DatabaseError as error:
            if fresh:
                raise
            self.notes.append(f"An interrupted build of {self._target.name} was begun anew: it is damaged ({error}).")
            return self._open_store(fresh=True)

    def read(
        self,
        read: Callable[[int], Entries],
        limit: int | None,
        meter: Callable[[int, int, int], None],
        former: Former | None,
    ) -> None:
        """Read the archive to its end or to `limit` articles; embed what `former` does not have; store it in steps."""
        if self._gathering.complete:
            return
        now = (0, 0, 0)

        def show(*reached: int) -> None:
            nonlocal now
            now = reached  # type: ignore[assignment]
            meter(*reached)

        ahead = Ahead(self._embedder, former, lambda: meter(*now))
        batches = self._gathering.batches(read, limit, show)
        try:
            with ahead:
                while (batch := self._timed_next(batches)) is not None:
                    ahead.put(batch)
                    for done in ahead.finished():
                        self._take(*done, ahead)
                for done in ahead.finished(wait_for_all=True):
                    self._take(*done, ahead)
        except (Exception, KeyboardInterrupt):
            self._pending += ahead.finished_before_the_end()
            self._count(ahead)
            self._store_pending()
            raise
        finally:
            batches.close()  # type: ignore[attr-defined]
        self._count(ahead)
        self._store_pending()

    def _timed_next(self, batches: Any) -> Batch | None:
        began = time.perf_counter()
        batch: Batch | None = next(batches, None)
        self.spent.read_s += time.perf_counter() - began
        return batch

    def _count(self, ahead: Ahead) -> None:
        self.spent.embed_s, self.spent.embedded, self.spent.kept = ahead.embed_s, ahead.embedded, ahead.kept

    def _take(self, batch: Batch, rows: Float32, ahead: Ahead) -> None:
        """Keep an embedded batch for the next step, and make that step when it is due."""
        self._pending.append((batch, rows))
        self._count(ahead)
        held = sum(len(batch.chunks) for batch, _ in self._pending)
        if held >= _STEP_CHUNKS or time.perf_counter() - self._stored_at >= self._step_s:
            self._store_pending()

    def _store_pending(self) -> None:
        """Make a step of the batches that are embedded."""
        if not self._pending or self._broken:
            return
        began, self._broken = time.perf_counter(), True
        batches = [batch for batch, _ in self._pending]
        rows = np.concatenate([rows for _, rows in self._pending])
        if len(rows):
            self._vectors.append(rows)
        self._pending = []
        self.spent.elapsed_s = began - self._began
        self._store.add(
            *batches,
            chunks=self._vectors.rows,
            identity=self._identity,
            description=self._description,
            forced=self._forced,
            stamp=self._stamp,
            zim_id=self._identity["zim_id"],
            spent=self.spent.plus(self._spent_before),
        )
        self._broken = False
        self._gathering.stored(batches)
        self._stored_at = time.perf_counter()
        self.spent.write_s += self._stored_at - began

    def finish(
        self,
        info: ArchiveInfo,
        settings: Mapping[str, Any],
        limit: int | None,
        *,
        progress: Callable[[Progress], None],
        former: Former | None,
        readers: int,
    ) -> tuple[Manifest, Update | None]:
        """Make the word index and complete the files."""
        began, total = time.perf_counter(), self._store.count()
        for done in self._store.index_words(language=only_code(info.language)):
            progress(_reached(done, total, began, "word index"))
        self._store.index_digests()
        update, latest = None, []
        if former is not None:
            update = Update(**self._store.changes_since(former.path), former_zim_id=former.zim_id)
            latest = self._store.rows_not_in(former.path, _LATEST_ROWS)
        gathering = self._gathering
        aliases, marked, unreadable = self._store.alias_count(), self._store.marks(), self._store.unreadable()
        crowding = self._store.articles_of_more_than(total * _CROWDING) if total >= _LARGE_CHUNKS else {}
        clustering = time.perf_counter()
        if said := self._vectors.finish(lambda done, of: progress(_reached(done, of, clustering, "clusters"))):
            self.notes.append(f"{self._target.name}: {said}")
        self.close()
        sampled = rows_to_sample(total, latest)
        with VectorIndex(self.folder / vectors.FILE_NAME) as made:
            sampled_digest = rows_digest(made, sampled)
        self.spent.write_s += time.perf_counter() - began
        self.spent.elapsed_s = time.perf_counter() - self._began
        manifest = Manifest(
            format=FORMAT,
            archive=info,
            embedder=self._embedder.id,
            dim=self._embedder.dim,
            settings=dict(settings),
            limit=limit,
            articles=gathering.articles,
            aliases=aliases,
            chunks=total,
            skipped=dict(sorted(gathering.skipped.items())),
            unreadable=tuple(unreadable),
            truncated_chunks=0,
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            doubtful=gathering.doubtful,
            marked=marked,
            crowding=crowding,
            description=self._description,
            stamp=self._stamp,
            sampled_rows=sampled,
            sampled_digest=sampled_digest,
            pace=self._pace(readers),
        )
        manifest.save(self.folder)
        return manifest, update

    def _pace(self, readers: int) -> dict[str, Any]:
        """What was measured, for `status` and for whoever looks. Chunks a second are the embedder's own."""
        spent = self.spent.plus(self._spent_before)
        rounded = {name: round(value, 3) for name, value in spent.items()}
        return rounded | {
            "chunks_per_s": round(spent["embedded"] / spent["embed_s"], 1) if spent["embed_s"] else 0.0,
            "readers": readers,
            "processors": os.cpu_count() or 1,
            "precision": str(self._description.get("precision", "")),
        }

    def close(self) -> None:
        """Release files and lock; what is not stored yet is dropped."""
        self._vectors.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _reached(done: int, total: int, began: float, note: str) -> Progress:
    return Progress.at(done, total, "chunks", time.perf_counter() - began, note)


class _BeginAnew(Exception):
    """What an earlier run left is of no use; `said` is why, in words, "" where that needs no saying."""

    def __init__(self, said: str = "") -> None:
        super().__init__(said)
        self.said = said

"""Entries of an archive → batches to store: what is an article, an alias, the same text once more, or nothing.

Batches end at the same chunks however often a build was interrupted, so that an index does not depend on its history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from drzero.retrieval.writing import Batch, StoreWriter
from drzero.text import embedding_text
from drzero.types import ReadEntry, TokenisedChunk

Entries = Generator[ReadEntry, None, None]
_NOTES_PER_BATCH = 10_000  # entries without text in a batch


class Gathering:
    """Where a build stands in its archive. `state` is what was saved with the last batch, {} at the beginning."""

    def __init__(self, store: StoreWriter, state: Mapping[str, Any], batch_chunks: int) -> None:
        self._store, self._batch_chunks = store, batch_chunks
        self.position, self._chunks_read = state.get("mark", (0, 0))
        self.articles, self.chunks = state.get("articles", 0), store.count()  # of all batches given out so far
        self.skipped = Counter[str](state.get("skipped", {}))
        self.doubtful = state.get("doubtful", 0)
        self.complete = state.get("complete", False)
        self._paths: set[str] = set()  # of articles that are gathered and not stored yet
        self._texts: dict[str, tuple[str, str]] = {}  # digest → (path, title) of these

    def stored(self, batches: Sequence[Batch]) -> None:
        """These batches are in the store now: nothing has to be remembered of them."""
        for batch in batches:
            for path, (_, digest, _, _) in batch.articles.items():
                self._paths.discard(path)
                self._texts.pop(digest, None)

    def batches(
        self, read: Callable[[int], Entries], limit: int | None, meter: Callable[[int, int, int], None]
    ) -> Iterator[Batch]:
        """The batches from here to the end of the archive, or to `limit` articles; the last one is marked complete.

        `meter` is told of entries, articles and chunks gathered so far.
        """
        batch, resume_at, chunks_read = Batch(), self.position, self._chunks_read
        entries = read(self.position) if limit is None or self.articles < limit or chunks_read else None
        try:
            for entry in entries or ():
                going_on = chunks_read > 0 and entry.position == resume_at
                first, chunks_read = chunks_read if going_on else 0, 0
                if going_on or self._is_new(entry, batch):
                    for number, piece in enumerate(entry.chunks[first:], first + 1):
                        self._add(piece, batch)
                        if len(batch.chunks) == self._batch_chunks:
                            yield self._closed(batch, (entry.position, number))
                            batch = Batch()
                    if self.articles == limit:
                        break
                if batch.notes >= _NOTES_PER_BATCH:
                    yield self._closed(batch, (entry.position + 1, 0))
                    batch = Batch()
                meter(entry.position + 1, self.articles, self.chunks)
        finally:
            if entries is not None:
                entries.close()
        self.complete = True
        yield self._closed(batch, (-1, 0))

    def _add(self, piece: TokenisedChunk, batch: Batch) -> None:
        batch.chunks.append(piece)
        batch.texts.append(embedding_text(piece.chunk.title, piece.chunk.heading, piece.chunk.text))
        self.chunks += 1

    def _closed(self, batch: Batch, mark: tuple[int, int]) -> Batch:
        batch.state = {
            "mark": mark,
            "articles": self.articles,
            "skipped": dict(self.skipped),
            "doubtful": self.doubtful,
            "complete": self.complete,
        }
        return batch

    def _is_new(self, entry: ReadEntry, batch: Batch) -> bool:
        """Whether `entry` is an article to store. It is noted in `batch`, whatever it is."""
        reason = self._reason_against(entry, batch)
        if not reason and entry.alias is None:
            batch.articles[entry.path] = entry.title, entry.digest, entry.chunks[0].chunk.mark, entry.source
            batch.aliases += ((entry.path, alias, "") for alias in entry.aliases)
            self._paths.add(entry.path)
            self._texts[entry.digest] = entry.path, entry.title
            self.articles += 1
            self.doubtful += entry.doubtful
            return True
        batch.notes += 1
        if reason:
            self.skipped[reason] += 1
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
        if entry.path in self._paths or self._store.has_article(entry.path):
            return "duplicate"
        if twin := self._texts.get(entry.digest) or self._store.article_of(entry.digest):
            path, title = twin
            batch.twins[entry.path] = path
            names = dict.fromkeys((entry.title, *entry.aliases))
            batch.aliases += ((path, name, "") for name in names if name != title)
            return "duplicate"
        return ""

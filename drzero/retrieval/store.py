"""A finished chunk store, read-only: chunks by row, id or article, and BM25 over their words."""

from __future__ import annotations

import json
import math
import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from drzero.errors import IndexFault
from drzero.retrieval.inflection import uninflected
from drzero.retrieval.layout import CHUNK, COLUMN_WEIGHTS, FILE_NAME, pack, searchable, tokenize, unpack
from drzero.retrieval.naming import name_key, stretches
from drzero.retrieval.terms import query_terms, without_asking
from drzero.types import Chunk

__all__ = ["FILE_NAME", "Store"]

MOST_NAMED = 64  # articles that one text names
_ROWS_PER_ARTICLE = 64
_ROWS_PER_QUERY = 500  # SQLite bounds the parameters of a statement
_K1 = 1.2  # of FTS5's bm25
_LEAST_TERMS, _ROOM_SHARE, _ROOM_CHUNKS = 4, 0.25, 50_000


class Store:
    """A finished chunk store, read-only; works on read-only media and from several threads."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise IndexFault(f"{path} is missing; run build-index again.")
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"  # finished files never change: no locks, no side files
        self._db = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._stemmer = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._lock = threading.Lock()
        try:
            self.state: dict[str, Any] = {
                key: json.loads(value) for key, value in self._db.execute("SELECT * FROM state")
            }
            self.language = str(self.state.get("words_language", ""))  # of the word index
            self.count = int(self._db.execute("SELECT coalesce(max(id) + 1, 0) FROM chunks").fetchone()[0])
            self._common = frozenset(term for (term,) in self._db.execute("SELECT term FROM common"))
            self._db.execute("SELECT 1 FROM names LIMIT 1")
        except sqlite3.DatabaseError as error:
            self.close()
            raise IndexFault(f"{path} is damaged ({error}); run build-index --force.") from error
        self._stemmer.execute(f"CREATE VIRTUAL TABLE given USING fts5(word, {tokenize(self.language)})")
        self._stemmer.execute("CREATE VIRTUAL TABLE stems USING fts5vocab(given, instance)")

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """The chunks of the given row numbers, in that order; an unknown number raises KeyError."""
        found: dict[int, Chunk] = {}
        for start in range(0, len(rows), _ROWS_PER_QUERY):
            wanted = [int(row) for row in rows[start : start + _ROWS_PER_QUERY]]
            marks = ",".join("?" * len(wanted))
            for row in self._db.execute(f"{CHUNK} WHERE c.id IN ({marks})", wanted):
                found[row[0]] = self._chunk(row)
        return [found[row] for row in rows]

    def chunk(self, chunk_id: str) -> Chunk | None:
        """The chunk of this id, if it is here."""
        row = self._db.execute(f"{CHUNK} WHERE c.chunk_id = ?", (pack(chunk_id),)).fetchone()
        return self._chunk(row) if row else None

    def row_of(self, chunk_id: str) -> int | None:
        """The row number of the chunk of this id, if it is here."""
        row = self._db.execute("SELECT id FROM chunks WHERE chunk_id = ?", (pack(chunk_id),)).fetchone()
        return int(row[0]) if row else None

    def rows_of(self, digests: Sequence[bytes]) -> dict[bytes, int]:
        """The row numbers of the chunks whose embedded text has one of these digests (`layout.digest_of`)."""
        found: dict[bytes, int] = {}
        for start in range(0, len(digests), _ROWS_PER_QUERY):
            wanted = digests[start : start + _ROWS_PER_QUERY]
            marks = ",".join("?" * len(wanted))
            found.update(self._db.execute(f"SELECT digest, id FROM chunks WHERE digest IN ({marks})", wanted))
        return found

    def chunks_of(self, path: str) -> list[Chunk]:
        """The chunks of one article in reading order; none for an unknown path."""
        return [self._chunk(row) for row in self._db.execute(f"{CHUNK} WHERE a.path = ? ORDER BY c.id", (pack(path),))]

    def aliases(self, path: str, *, of_sections: bool = True) -> tuple[str, ...]:
        """The other titles that lead to this article, sorted; to parts of it as well unless not `of_sections`."""
        sql = "SELECT DISTINCT alias FROM aliases WHERE path = ? AND (? OR section = '') ORDER BY alias"
        found = self._db.execute(sql, (pack(path), of_sections))
        return tuple(unpack(alias) for (alias,) in found)

    def named(self, text: str) -> list[list[int]]:
        """The rows of each article whose title or alias stands in `text`, in the order of the text.

        Of names within one another the longest counts. A single common word names nothing. At most `MOST_NAMED`
        articles.
        """
        begins = list(stretches(text))
        keys = {name: name_key(name) for _, names in begins for name in names}
        held = self._articles_called(list(set(keys.values())))
        alone = [name for name, key in keys.items() if len(name) == 1 and key in held]
        telling = self._uncommon([f'"{searchable(uninflected(name[0], self.language))}"' for name in alone])
        for number, name in enumerate(alone):
            if number not in telling:
                del held[keys[name]]
        found: dict[int, None] = {}
        free = 0  # the first word that no name has taken
        for start, names in begins:
            longest = next((name for name in names if keys[name] in held), ()) if start >= free else ()
            if longest:
                found |= dict.fromkeys(held[keys[longest]])
                free = start + len(longest)
        return self._rows_of(list(found)[:MOST_NAMED])

    def _articles_called(self, keys: Sequence[int]) -> dict[int, list[int]]:
        """The articles that `names` has for each of `keys`; keys without any are left out."""
        held: dict[int, list[int]] = {}
        for key, article in self._in_parts("SELECT key, article FROM names WHERE key IN", keys):
            held.setdefault(key, []).append(article)
        return held

    def _rows_of(self, articles: Sequence[int]) -> list[list[int]]:
        """The first rows of each article, at most `_ROWS_PER_ARTICLE`."""
        rows: dict[int, list[int]] = {article: [] for article in articles}
        for article, row in self._in_parts("SELECT article, id FROM chunks WHERE article IN", articles):
            rows[article].append(row)
        return [sorted(rows[article])[:_ROWS_PER_ARTICLE] for article in articles]

    def _in_parts(self, select: str, values: Sequence[int]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(values), _ROWS_PER_QUERY):
            some = values[start : start + _ROWS_PER_QUERY]
            yield from self._db.execute(f"{select} ({','.join('?' * len(some))})", some)

    def source(self, path: str) -> str:
        """The address that the article says it was taken from; "" when it does not say."""
        found = self._db.execute("SELECT source FROM articles WHERE path = ?", (pack(path),)).fetchone()
        return unpack(found[0]) if found else ""

    def lexical(self, query: str, k: int, *, comparable: bool = False) -> list[tuple[int, float]]:
        """The `k` best (row number, BM25) for any text as query, best first; equal scores by row number.

        Words that only ask, words that a fifth of all chunks hold, and the most frequent ones beyond `_affordable` are
        left out unless there are no others. With `comparable` a score is the share of the most that the query could
        reach here, so that indexes of other sizes can be set beside each other: the words that an index lacks count
        against its chunks.
        """
        if not self.count:
            return []
        asked = without_asking(query, self.language)
        wanted = query_terms(asked, self.language) or query_terms(query, self.language)
        terms = self._affordable(self._telling(wanted))
        if not terms:
            return []
        weights = ", ".join(map(str, COLUMN_WEIGHTS))
        found = self._db.execute(
            "SELECT rowid, -rank FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?",
            (" OR ".join(terms), f"bm25({weights})", k),
        ).fetchall()
        most = sum((_K1 + 1) * max(math.log((self.count - n + 0.5) / (n + 0.5)), 1e-6) for n in terms.values())
        best = most if comparable else 1.0
        return sorted(((int(row), score / best) for row, score in found), key=lambda hit: (-hit[1], hit[0]))

    def _affordable(self, terms: Sequence[str]) -> dict[str, int]:
        """The rarest of `terms` with the chunks that hold each: `_LEAST_TERMS`, and more while there is room.

        BM25 takes a microsecond for every chunk that a word has. Measured on the labelled sets, a quarter of the
        chunks in all finds what all words find.
        """
        held = {
            term: int(self._db.execute("SELECT count(*) FROM words WHERE words MATCH ?", (term,)).fetchone()[0])
            for term in terms
        }
        chosen: dict[str, int] = {}
        room = min(_ROOM_SHARE * self.count, _ROOM_CHUNKS)
        for term in sorted(held, key=lambda term: held[term]):
            room -= held[term]
            if room < 0 and len(chosen) >= _LEAST_TERMS:
                break
            chosen[term] = held[term]
        return chosen

    def _telling(self, terms: list[str]) -> list[str]:
        """`terms` without those whose every word is common in this index; all of them when nothing else is left."""
        telling = self._uncommon(terms)
        return [term for number, term in enumerate(terms) if number in telling] or terms

    def _uncommon(self, terms: Sequence[str]) -> Collection[int]:
        """The numbers of those of `terms` that have a word which is not common in this index."""
        if not self._common or not terms:
            return range(len(terms))
        with self._lock:
            self._stemmer.execute("DELETE FROM given")
            self._stemmer.executemany("INSERT INTO given(rowid, word) VALUES (?, ?)", enumerate(terms))
            stems = self._stemmer.execute("SELECT doc, term FROM stems").fetchall()
        return {number for number, stem in stems if stem not in self._common}

    def _chunk(self, row: tuple[Any, ...]) -> Chunk:
        _, chunk_id, path, title, heading, text, start, end, mark = row
        return Chunk(
            chunk_id,
            self.state["zim_id"],
            unpack(path),
            unpack(title),
            tuple(json.loads(unpack(heading))),
            unpack(text),
            start,
            end,
            mark,
        )

    def close(self) -> None:
        """Release the file."""
        self._db.close()
        self._stemmer.close()

"""Chunks, aliases and their word index in one SQLite file.

The word index ranks by BM25 over title, heading, aliases and body. An alias stands with one chunk: the first of its
article, or of the section that it leads to. The aliases of an article that was left out as a twin (its text is that of
another) are those of the other.

Row numbers count chunks from 0 in building order and agree with the rows of the vector file. Text that UTF-8 cannot
hold (a lone surrogate in a path or title) is stored as bytes, all other text as text.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

from drzero.errors import IndexFault
from drzero.text import spaced, usual_width, word_spans, words
from drzero.types import Chunk, TokenisedChunk

FILE_NAME = "chunks.db"
MAX_TERMS = 64
COLUMN_WEIGHTS = (2.0, 1.0, 2.0, 1.0)  # title, heading, alias, body
_COMMON_SHARE, _COMMON_CHUNKS = 0.2, 50  # a word of so many chunks says nothing about a question
_ROWS_PER_QUERY = 500  # SQLite bounds the parameters of a statement
_DOTTED = re.compile(r"(?:\.[0-9A-F]{2})+")  # how old wikis wrote letters in anchors
_K1 = 1.2  # of FTS5's bm25
# Vowel signs belong to the words of Thai, Hindi and others: by default FTS5 cuts words at them.
_TOKENIZE = """tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\""""
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS state(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS articles(
    id INTEGER PRIMARY KEY, path NOT NULL UNIQUE, title NOT NULL, digest BLOB NOT NULL, mark NOT NULL,
    source NOT NULL);
CREATE INDEX IF NOT EXISTS articles_digest ON articles(digest);
CREATE TABLE IF NOT EXISTS twins(path PRIMARY KEY, first NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chunks(
    id INTEGER PRIMARY KEY, chunk_id TEXT NOT NULL UNIQUE, article INTEGER NOT NULL REFERENCES articles(id),
    heading NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, text NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_article ON chunks(article);
CREATE TABLE IF NOT EXISTS aliases(
    path NOT NULL, alias NOT NULL, section NOT NULL, PRIMARY KEY (path, alias, section)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unreadable(path NOT NULL);
CREATE TABLE IF NOT EXISTS common(term TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, heading, alias, body, content='', {_TOKENIZE});
"""
_CHUNK = """SELECT c.id, c.chunk_id, a.path, a.title, c.heading, c.text, c.start, c."end", a.mark
            FROM chunks c JOIN articles a ON a.id = c.article """


def _pack(text: str) -> str | bytes:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _unpack(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def _for_words(text: str) -> str:
    return spaced(usual_width(text.encode("utf-8", "replace").decode()))


@dataclass(slots=True)
class Batch:
    """What one step of a build adds.

    `articles` are path → (title, digest of the text, mark, source), `aliases` (path, alias, section or ""), `twins` the
    path of an article → the path of the one before with the same text.
    """

    articles: dict[str, tuple[str, str, str, str]] = field(default_factory=dict)
    aliases: list[tuple[str, str, str]] = field(default_factory=list)
    twins: dict[str, str] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    chunks: list[TokenisedChunk] = field(default_factory=list)
    digests: dict[str, tuple[str, str]] = field(default_factory=dict)  # of the articles: digest → (path, title)
    notes: int = 0  # entries without text since the last step


class StoreWriter:
    """The chunk store while it is built. One process at a time: the file stays locked until it is closed."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, timeout=0, isolation_level=None)
        try:
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(f"BEGIN EXCLUSIVE; {_SCHEMA} COMMIT;")
        except sqlite3.Error:
            self._db.close()
            raise

    def state(self) -> dict[str, Any]:
        """What was saved with the last batch; empty at first."""
        return {key: json.loads(value) for key, value in self._db.execute("SELECT key, value FROM state")}

    def count(self) -> int:
        """Chunks stored."""
        return int(self._db.execute("SELECT coalesce(max(id) + 1, 0) FROM chunks").fetchone()[0])

    def has_article(self, path: str) -> bool:
        """Whether an article of this path is stored."""
        return self._db.execute("SELECT 1 FROM articles WHERE path = ?", (_pack(path),)).fetchone() is not None

    def article_of(self, digest: str) -> tuple[str, str] | None:
        """Path and title of the stored article whose text has this digest; None when there is none."""
        found = self._db.execute(
            "SELECT path, title FROM articles WHERE digest = ?", (bytes.fromhex(digest),)
        ).fetchone()
        return (_unpack(found[0]), _unpack(found[1])) if found else None

    def unreadable(self) -> list[str]:
        """The paths noted as unreadable, in walking order."""
        return [_unpack(path) for (path,) in self._db.execute("SELECT path FROM unreadable ORDER BY rowid")]

    def alias_count(self) -> int:
        """Distinct aliases stored."""
        return int(self._db.execute("SELECT count(*) FROM (SELECT DISTINCT path, alias FROM aliases)").fetchone()[0])

    def marks(self) -> dict[str, int]:
        """How many articles are no evidence, by mark."""
        found = self._db.execute("SELECT mark, count(*) FROM articles WHERE mark <> '' GROUP BY mark ORDER BY mark")
        return dict(found.fetchall())

    def articles_of_more_than(self, chunks: float) -> dict[str, int]:
        """The articles with more chunks than that, by path, the largest first."""
        found = self._db.execute(
            """SELECT a.path, count(*) FROM chunks c JOIN articles a ON a.id = c.article
               GROUP BY c.article HAVING count(*) > ? ORDER BY 2 DESC, 1""",
            (chunks,),
        )
        return {_unpack(path): count for path, count in found}

    def add(self, batch: Batch, **state: Any) -> None:
        """Store a batch and the state it leads to in one transaction."""
        with self._transaction():
            execute, many = self._db.execute, self._db.executemany
            many(
                "INSERT INTO articles(path, title, digest, mark, source) VALUES (?, ?, ?, ?, ?)",
                (
                    (_pack(path), _pack(title), bytes.fromhex(digest), mark, _pack(source))
                    for path, (title, digest, mark, source) in batch.articles.items()
                ),
            )
            many("INSERT OR IGNORE INTO aliases VALUES (?, ?, ?)", (tuple(map(_pack, one)) for one in batch.aliases))
            many("INSERT OR IGNORE INTO twins VALUES (?, ?)", (tuple(map(_pack, one)) for one in batch.twins.items()))
            many("INSERT INTO unreadable VALUES (?)", ((_pack(path),) for path in batch.unreadable))
            for number, chunk in enumerate((one.chunk for one in batch.chunks), self.count()):
                execute(
                    "INSERT INTO chunks VALUES (?, ?, (SELECT id FROM articles WHERE path = ?), ?, ?, ?, ?)",
                    (
                        number,
                        chunk.id,
                        _pack(chunk.path),
                        _pack(json.dumps(chunk.heading, ensure_ascii=False)),
                        chunk.start,
                        chunk.end,
                        _pack(chunk.text),
                    ),
                )
            self._save(state)

    def index_words(self, slice_chunks: int = 4000) -> Iterable[int]:
        """Make the word index slice by slice, going on where it was interrupted; yields the chunks done so far."""
        total = self.count()
        with self._transaction():
            self._db.execute(
                """INSERT OR IGNORE INTO aliases
                   SELECT t.first, a.alias, a.section FROM aliases a JOIN twins t ON t.path = a.path"""
            )
            self._db.execute("DELETE FROM aliases WHERE path NOT IN (SELECT path FROM articles)")
        aliases = _Aliases(self._db)
        done = int(self._db.execute("SELECT coalesce(max(id) + 1, 0) FROM words_docsize").fetchone()[0])
        while done < total:
            with self._transaction():
                rows = self._db.execute(
                    f"{_CHUNK} WHERE c.id >= ? ORDER BY c.id LIMIT ?", (done, slice_chunks)
                ).fetchall()
                self._db.executemany(
                    "INSERT INTO words(rowid, title, heading, alias, body) VALUES (?, ?, ?, ?, ?)",
                    (_words_of(row, aliases) for row in rows),
                )
            done = rows[-1][0] + 1
            yield done
        with self._transaction():
            self._db.execute("INSERT INTO words(words) VALUES ('optimize')")
            self._db.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)")
            self._db.execute(
                "INSERT OR IGNORE INTO common SELECT term FROM temp.vocabulary WHERE doc > ?",
                (max(_COMMON_SHARE * total, _COMMON_CHUNKS),),
            )
            self._db.execute("DROP TABLE temp.vocabulary")

    def _save(self, state: dict[str, Any]) -> None:
        pairs = ((key, json.dumps(value)) for key, value in state.items())
        self._db.executemany("INSERT OR REPLACE INTO state VALUES (?, ?)", pairs)

    def _transaction(self) -> _Transaction:
        return _Transaction(self._db)

    def close(self) -> None:
        """Release the file and its lock; an unfinished step is undone."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Aliases:
    """Which aliases stand with which chunk, article by article in the order of the chunks."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._path: str | bytes | None = None
        self._of_chunk: dict[int, list[str]] = {}

    def of(self, number: int, path: str | bytes) -> list[str]:
        """The aliases, sorted, that stand with the chunk `number` of the article at `path`."""
        if path != self._path:
            self._path, self._of_chunk = path, self._placed(path)
        return self._of_chunk.get(number, [])

    def _placed(self, path: str | bytes) -> dict[int, list[str]]:
        stored = self._db.execute("SELECT alias, section FROM aliases WHERE path = ? ORDER BY 1, 2", (path,)).fetchall()
        if not stored:
            return {}
        headings: dict[tuple[str, ...], int] = {}
        chunks = self._db.execute(
            "SELECT c.id, c.heading FROM chunks c JOIN articles a ON a.id = c.article WHERE a.path = ? ORDER BY c.id",
            (path,),
        ).fetchall()
        for number, heading in chunks:
            headings.setdefault(tuple(words(" ".join(json.loads(_unpack(heading))[-1:]))), number)
        placed: dict[int, list[str]] = {}
        for alias, section in stored:
            named = (headings.get(tuple(words(name))) for name in _section_names(_unpack(section)) if name)
            number = next((number for number in named if number is not None), chunks[0][0])
            placed.setdefault(number, []).append(_unpack(alias))
        return placed


def _section_names(section: str) -> list[str]:
    """What the heading may be that an anchor such as `Early_life` or `Fr.C3.BChe_Jahre` leads to."""
    escaped = _DOTTED.sub(lambda match: match[0].replace(".", "%"), section)
    return [name.replace("_", " ") for name in (section, unquote(section), unquote(escaped))]


def _words_of(row: tuple[Any, ...], aliases: _Aliases) -> tuple[int, str, str, str, str]:
    number, _, path, title, heading, text, *_ = row
    known = set(words(_unpack(title)))
    new = dict.fromkeys(word for alias in aliases.of(number, path) for word in words(alias))
    alias = " ".join(word for word in new if word not in known)
    heading = " ".join(json.loads(_unpack(heading)))
    return (number, _for_words(_unpack(title)), _for_words(heading), _for_words(alias), _for_words(_unpack(text)))


class _Transaction:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.execute("ROLLBACK" if kind else "COMMIT")


def query_terms(query: str) -> list[str]:
    """The distinct words of any user's text as FTS5 strings, at most `MAX_TERMS`, each safe to stand in an expression.

    Neighbouring characters of an unspaced script become pairs; words joined by punctuation (`sqlite3_open_v2`) also
    stand as a phrase.
    """
    terms: dict[str, None] = {}
    phrases: dict[str, None] = {}
    for piece in usual_width(query.encode("utf-8", "replace").decode()).split():
        parts = [piece[start:end] for start, end in word_spans(piece)]
        unspaced = [spaced(part) != part for part in parts] + [False]
        for number, part in enumerate(parts):
            if unspaced[number] and unspaced[number + 1]:
                terms.setdefault(f"{part} {parts[number + 1]}")
            elif not unspaced[number] or not (number and unspaced[number - 1]):
                terms.setdefault(part.casefold())
        if len(parts) > 1 and not any(unspaced):
            phrases.setdefault(" ".join(parts).casefold())
    return [f'"{term}"' for term in (*terms, *phrases)][:MAX_TERMS]


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
            self.count = int(self._db.execute("SELECT coalesce(max(id) + 1, 0) FROM chunks").fetchone()[0])
            self._common = frozenset(term for (term,) in self._db.execute("SELECT term FROM common"))
        except sqlite3.DatabaseError as error:
            self.close()
            raise IndexFault(f"{path} is damaged ({error}); run build-index --force.") from error
        self._stemmer.execute(f"CREATE VIRTUAL TABLE given USING fts5(word, {_TOKENIZE})")
        self._stemmer.execute("CREATE VIRTUAL TABLE stems USING fts5vocab(given, instance)")

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """The chunks of the given row numbers, in that order; an unknown number raises KeyError."""
        found: dict[int, Chunk] = {}
        for start in range(0, len(rows), _ROWS_PER_QUERY):
            wanted = [int(row) for row in rows[start : start + _ROWS_PER_QUERY]]
            marks = ",".join("?" * len(wanted))
            for row in self._db.execute(f"{_CHUNK} WHERE c.id IN ({marks})", wanted):
                found[row[0]] = self._chunk(row)
        return [found[row] for row in rows]

    def chunk(self, chunk_id: str) -> Chunk | None:
        """The chunk of this id, if it is here."""
        row = self._db.execute(f"{_CHUNK} WHERE c.chunk_id = ?", (_pack(chunk_id),)).fetchone()
        return self._chunk(row) if row else None

    def chunks_of(self, path: str) -> list[Chunk]:
        """The chunks of one article in reading order; none for an unknown path."""
        return [
            self._chunk(row) for row in self._db.execute(f"{_CHUNK} WHERE a.path = ? ORDER BY c.id", (_pack(path),))
        ]

    def aliases(self, path: str) -> tuple[str, ...]:
        """The other titles that lead to this article, sorted."""
        found = self._db.execute("SELECT DISTINCT alias FROM aliases WHERE path = ? ORDER BY alias", (_pack(path),))
        return tuple(_unpack(alias) for (alias,) in found)

    def source(self, path: str) -> str:
        """The address that the article says it was taken from; "" when it does not say."""
        found = self._db.execute("SELECT source FROM articles WHERE path = ?", (_pack(path),)).fetchone()
        return _unpack(found[0]) if found else ""

    def lexical(self, query: str, k: int, *, comparable: bool = False) -> list[tuple[int, float]]:
        """The `k` best (row number, BM25) for any text as query, best first; equal scores by row number.

        Words that a fifth of all chunks hold are left out unless there are no others. With `comparable` a score is the
        share of the most that the query could reach here, so that indexes of other sizes can be set beside each
        other: the words that an index lacks count against its chunks.
        """
        terms = self._telling(query_terms(query))
        if not terms or not self.count:
            return []
        weights = ", ".join(map(str, COLUMN_WEIGHTS))
        found = self._db.execute(
            "SELECT rowid, -rank FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?",
            (" OR ".join(terms), f"bm25({weights})", k),
        ).fetchall()
        best = self._best_possible(terms) if comparable and found else 1.0
        return sorted(((int(row), score / best) for row, score in found), key=lambda hit: (-hit[1], hit[0]))

    def _telling(self, terms: list[str]) -> list[str]:
        """`terms` without those whose every word is common in this index; all of them when nothing else is left."""
        if not self._common:
            return terms
        with self._lock:
            self._stemmer.execute("DELETE FROM given")
            self._stemmer.executemany("INSERT INTO given(rowid, word) VALUES (?, ?)", enumerate(terms))
            stems = self._stemmer.execute("SELECT doc, term FROM stems").fetchall()
        telling = {number for number, stem in stems if stem not in self._common}
        return [term for number, term in enumerate(terms) if number in telling] or terms

    def _best_possible(self, terms: list[str]) -> float:
        held = Counter(
            {
                term: self._db.execute("SELECT count(*) FROM words WHERE words MATCH ?", (term,)).fetchone()[0]
                for term in terms
            }
        )
        return sum((_K1 + 1) * max(math.log((self.count - n + 0.5) / (n + 0.5)), 1e-6) for n in held.values())

    def _chunk(self, row: tuple[Any, ...]) -> Chunk:
        _, chunk_id, path, title, heading, text, start, end, mark = row
        return Chunk(
            chunk_id,
            self.state["zim_id"],
            _unpack(path),
            _unpack(title),
            tuple(json.loads(_unpack(heading))),
            _unpack(text),
            start,
            end,
            mark,
        )

    def close(self) -> None:
        """Release the file."""
        self._db.close()
        self._stemmer.close()

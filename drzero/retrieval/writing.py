"""The chunk store while it is built: a batch at a time, and the word index at the end."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

from drzero.retrieval.layout import CHUNK, DIGEST_INDEX, SCHEMA, WORDS, digest_of, for_words, pack, tokenize, unpack
from drzero.retrieval.naming import name_key, names_of
from drzero.text import words
from drzero.types import TokenisedChunk

_COMMON_SHARE, _COMMON_CHUNKS = 0.2, 50  # a word of so many chunks says nothing about a question
_DOTTED = re.compile(r"(?:\.[0-9A-F]{2})+")  # how old wikis wrote letters in anchors
_CHANGES = {
    "chunks_kept": """SELECT count(*) FROM main.chunks AS c
                      WHERE EXISTS (SELECT 1 FROM former.chunks AS f WHERE f.digest = c.digest)""",
    "chunks_new": """SELECT count(*) FROM main.chunks AS c
                     WHERE NOT EXISTS (SELECT 1 FROM former.chunks AS f WHERE f.digest = c.digest)""",
    "chunks_gone": """SELECT count(*) FROM former.chunks AS f
                      WHERE NOT EXISTS (SELECT 1 FROM main.chunks AS c WHERE c.digest = f.digest)""",
    "articles_added": """SELECT count(*) FROM main.articles AS a
                         WHERE NOT EXISTS (SELECT 1 FROM former.articles AS f WHERE f.path = a.path)""",
    "articles_changed": """SELECT count(*) FROM main.articles AS a JOIN former.articles AS f ON f.path = a.path
                           WHERE f.digest <> a.digest""",
    "articles_removed": """SELECT count(*) FROM former.articles AS f
                           WHERE NOT EXISTS (SELECT 1 FROM main.articles AS a WHERE a.path = f.path)""",
}
_NEW_ROWS = """SELECT c.id FROM main.chunks AS c
               WHERE NOT EXISTS (SELECT 1 FROM former.chunks AS f WHERE f.digest = c.digest) ORDER BY c.id LIMIT ?"""


@dataclass(slots=True)
class Batch:
    """What one step of a build adds.

    `articles` are path → (title, digest of the text, mark, source), `aliases` (path, alias, section or ""), `twins` the
    path of an article → the path of the one before with the same text; `texts` are what the embedder reads of the
    `chunks`; `state` is where the build stands behind this step.
    """

    articles: dict[str, tuple[str, str, str, str]] = field(default_factory=dict)
    aliases: list[tuple[str, str, str]] = field(default_factory=list)
    twins: dict[str, str] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    chunks: list[TokenisedChunk] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    notes: int = 0  # entries without text since the last step
    state: dict[str, Any] = field(default_factory=dict)


class StoreWriter:
    """The chunk store while it is built. One process at a time: the file stays locked until it is closed."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path.absolute(), timeout=0, isolation_level=None, uri=True)
        try:
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(f"BEGIN EXCLUSIVE; {SCHEMA} COMMIT;")
        except sqlite3.Error:
            self._db.close()
            raise

    def state(self) -> dict[str, Any]:
        """What was saved with the last batch; empty at first."""
        return self.state_in(self._db)

    @staticmethod
    def state_in(db: sqlite3.Connection) -> dict[str, Any]:
        """What was saved with the last batch in the store that `db` has open."""
        return {key: json.loads(value) for key, value in db.execute("SELECT key, value FROM state")}

    def count(self) -> int:
        """Chunks stored."""
        return int(self._db.execute("SELECT coalesce(max(id) + 1, 0) FROM chunks").fetchone()[0])

    def has_article(self, path: str) -> bool:
        """Whether an article of this path is stored."""
        return self._db.execute("SELECT 1 FROM articles WHERE path = ?", (pack(path),)).fetchone() is not None

    def article_of(self, digest: str) -> tuple[str, str] | None:
        """Path and title of the stored article whose text has this digest; None when there is none."""
        found = self._db.execute(
            "SELECT path, title FROM articles WHERE digest = ?", (bytes.fromhex(digest),)
        ).fetchone()
        return (unpack(found[0]), unpack(found[1])) if found else None

    def unreadable(self) -> list[str]:
        """The paths noted as unreadable, in walking order."""
        return [unpack(path) for (path,) in self._db.execute("SELECT path FROM unreadable ORDER BY rowid")]

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
        return {unpack(path): count for path, count in found}

    def add(self, *batches: Batch, **state: Any) -> None:
        """Store batches and the state they lead to in one transaction; `state` is what a batch does not know."""
        number = self.count()
        with self._transaction():
            for batch in batches:
                self._add(batch, number)
                number += len(batch.chunks)
            self._save(batches[-1].state | state)

    def _add(self, batch: Batch, first: int) -> None:
        many = self._db.executemany
        many(
            "INSERT INTO articles(path, title, digest, mark, source) VALUES (?, ?, ?, ?, ?)",
            (
                (pack(path), pack(title), bytes.fromhex(digest), mark, pack(source))
                for path, (title, digest, mark, source) in batch.articles.items()
            ),
        )
        many("INSERT OR IGNORE INTO aliases VALUES (?, ?, ?)", (tuple(map(pack, one)) for one in batch.aliases))
        many("INSERT OR IGNORE INTO twins VALUES (?, ?)", (tuple(map(pack, one)) for one in batch.twins.items()))
        many("INSERT INTO unreadable VALUES (?)", ((pack(path),) for path in batch.unreadable))
        many(
            "INSERT INTO chunks VALUES (?, ?, (SELECT id FROM articles WHERE path = ?), ?, ?, ?, ?, ?)",
            (
                (
                    number,
                    chunk.id,
                    pack(chunk.path),
                    pack(json.dumps(chunk.heading, ensure_ascii=False)),
                    chunk.start,
                    chunk.end,
                    pack(chunk.text),
                    digest_of(text),
                )
                for number, (chunk, text) in enumerate(
                    zip((one.chunk for one in batch.chunks), batch.texts, strict=True), first
                )
            ),
        )

    def index_digests(self) -> None:
        """Make the chunks findable by the text that was embedded."""
        self._db.execute(DIGEST_INDEX)

    def changes_since(self, former: Path) -> dict[str, int]:
        """How this store differs from the finished one in the file `former`, by the names in `types.Update`."""
        with self._attached(former):
            return {name: int(self._db.execute(query).fetchone()[0]) for name, query in _CHANGES.items()}

    def rows_not_in(self, former: Path, most: int) -> list[int]:
        """At most so many of the first rows whose text the finished store in the file `former` does not have."""
        with self._attached(former):
            return [row for (row,) in self._db.execute(_NEW_ROWS, (most,))]

    @contextmanager
    def _attached(self, former: Path) -> Iterator[None]:
        self._db.execute("ATTACH ? AS former", (f"{former.absolute().as_uri()}?mode=ro&immutable=1",))
        try:
            yield
        finally:
            self._db.execute("DETACH former")

    def index_words(self, slice_chunks: int = 4000, *, language: str = "") -> Iterable[int]:
        """Make the word index slice by slice, going on where it was interrupted; yields the chunks done so far.

        Words lose the endings of `language`, a short code, which queries are told.
        """
        total = self.count()
        if not self.state().get("aliases_placed"):
            with self._transaction():
                self._db.execute(
                    """INSERT OR IGNORE INTO aliases
                       SELECT t.first, a.alias, a.section FROM aliases a JOIN twins t ON t.path = a.path"""
                )
                self._db.execute("DELETE FROM aliases WHERE path NOT IN (SELECT path FROM articles)")
                self._save({"aliases_placed": True})
        self._db.execute(WORDS.format(tokenize=tokenize(language)))
        aliases = _Aliases(self._db)
        done = int(self._db.execute("SELECT coalesce(max(id) + 1, 0) FROM words_docsize").fetchone()[0])
        while done < total:
            with self._transaction():
                rows = self._db.execute(
                    f"{CHUNK} WHERE c.id >= ? ORDER BY c.id LIMIT ?", (done, slice_chunks)
                ).fetchall()
                self._db.executemany(
                    "INSERT INTO words(rowid, title, heading, alias, body) VALUES (?, ?, ?, ?, ?)",
                    (_words_of(row, aliases, language) for row in rows),
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
            self._index_names()
            self._save({"words_language": language})

    def _index_names(self) -> None:
        """Note what each article that can be evidence is called."""
        self._db.execute("CREATE TEMP TABLE called(key INTEGER, article INTEGER)")
        read = self._db.execute(
            """SELECT id, title FROM articles WHERE mark = ''
               UNION ALL SELECT a.id, n.alias FROM aliases n JOIN articles a ON a.path = n.path
               WHERE a.mark = '' AND n.section = ''"""
        )
        keys = ((name_key(name), article) for article, title in read for name in names_of(unpack(title)))
        self._db.executemany("INSERT INTO temp.called VALUES (?, ?)", keys)
        # In order: millions of keys put in at random would touch a page each.
        self._db.execute("INSERT OR IGNORE INTO names SELECT key, article FROM temp.called ORDER BY key, article")
        self._db.execute("DROP TABLE temp.called")

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
            headings.setdefault(tuple(words(" ".join(json.loads(unpack(heading))[-1:]))), number)
        placed: dict[int, list[str]] = {}
        for alias, section in stored:
            named = (headings.get(tuple(words(name))) for name in _section_names(unpack(section)) if name)
            number = next((number for number in named if number is not None), chunks[0][0])
            placed.setdefault(number, []).append(unpack(alias))
        return placed


def _section_names(section: str) -> list[str]:
    """What the heading may be that an anchor such as `Early_life` or `Fr.C3.BChe_Jahre` leads to."""
    escaped = _DOTTED.sub(lambda match: match[0].replace(".", "%"), section)
    return [name.replace("_", " ") for name in (section, unquote(section), unquote(escaped))]


def _words_of(row: tuple[Any, ...], aliases: _Aliases, language: str) -> tuple[int, str, str, str, str]:
    number, _, path, title, heading, text, *_ = row
    known = set(words(unpack(title)))
    new = dict.fromkeys(word for alias in aliases.of(number, path) for word in words(alias))
    alias = " ".join(word for word in new if word not in known)
    heading = " ".join(json.loads(unpack(heading)))
    title, heading, alias, text = (
        for_words(field, language) for field in (unpack(title), heading, alias, unpack(text))
    )
    return (number, title, heading, alias, text)


class _Transaction:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.execute("ROLLBACK" if kind else "COMMIT")

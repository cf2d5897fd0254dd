"""The SQLite file of an index: its tables, and how text is put into them.

The word index ranks by BM25 over title, heading, aliases and body. An alias stands with one chunk: the first of its
article, or of the section that it leads to. The aliases of an article that was left out as a twin (it is another once
more) are those of the other.

Row numbers count chunks from 0 in building order and agree with the rows of the vector file. Text that UTF-8 cannot
hold (a lone surrogate in a path or title) is stored as bytes, all other text as text.
"""

from __future__ import annotations

from drzero.retrieval.inflection import uninflected
from drzero.text import spaced, usual_width

FILE_NAME = "chunks.db"
COLUMN_WEIGHTS = (2.0, 1.0, 2.0, 1.0)  # title, heading, alias, body
# Vowel signs belong to the words of Thai, Hindi and others: by default FTS5 cuts words at them.
TOKENIZE = """tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\""""
SCHEMA = f"""
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
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, heading, alias, body, content='', {TOKENIZE});
"""
CHUNK = """SELECT c.id, c.chunk_id, a.path, a.title, c.heading, c.text, c.start, c."end", a.mark
            FROM chunks c JOIN articles a ON a.id = c.article """


def pack(text: str) -> str | bytes:
    """`text` as SQLite can store it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def unpack(value: str | bytes) -> str:
    """The text that `pack` was given."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def for_words(text: str, language: str = "") -> str:
    """`text` as the word index of an archive in `language` (a short code) takes it."""
    return spaced(uninflected(usual_width(text.encode("utf-8", "replace").decode()), language))

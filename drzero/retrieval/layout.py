"""The SQLite file of an index: its tables, and how text is put into them.

The word index ranks by BM25 over title, heading, aliases and body. An alias stands with one chunk: the first of its
article, or of the section that it leads to. The aliases of an article that was left out as a twin (it is another once
more) are those of the other.

`names` leads from a title or alias in running text to its article (`naming.name_key`); disambiguation pages are left
out.

Row numbers count chunks from 0 in building order and agree with the rows of the vector file. The `digest` of a chunk is
that of the text that was embedded (`digest_of`), so that a later build finds the vector of the same text again. Text
that UTF-8 cannot hold (a lone surrogate in a path or title) is stored as bytes, all other text as text.
"""

from __future__ import annotations

import hashlib
import unicodedata

from drzero.retrieval.inflection import is_inflected, uninflected
from drzero.text import spaced, usual_width

FILE_NAME = "chunks.db"
COLUMN_WEIGHTS = (2.0, 1.0, 2.0, 1.0)  # title, heading, alias, body
# Vowel signs belong to the words of Thai, Hindi and others: by default FTS5 cuts words at them.
_TOKENIZE = """tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\""""
SCHEMA = """
CREATE TABLE IF NOT EXISTS state(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS articles(
    id INTEGER PRIMARY KEY, path NOT NULL UNIQUE, title NOT NULL, digest BLOB NOT NULL, mark NOT NULL,
    source NOT NULL);
CREATE INDEX IF NOT EXISTS articles_digest ON articles(digest);
CREATE TABLE IF NOT EXISTS twins(path PRIMARY KEY, first NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chunks(
    id INTEGER PRIMARY KEY, chunk_id TEXT NOT NULL UNIQUE, article INTEGER NOT NULL REFERENCES articles(id),
    heading NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, text NOT NULL, digest BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_article ON chunks(article);
CREATE TABLE IF NOT EXISTS aliases(
    path NOT NULL, alias NOT NULL, section NOT NULL, PRIMARY KEY (path, alias, section)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unreadable(path NOT NULL);
CREATE TABLE IF NOT EXISTS common(term TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS names(key INTEGER NOT NULL, article INTEGER NOT NULL, PRIMARY KEY (key, article))
    WITHOUT ROWID;
"""
WORDS = "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, heading, alias, body, content='', {tokenize})"
# Made behind the last chunk: kept in step, an index in random order would cost a growing share of the build.
DIGEST_INDEX = "CREATE INDEX IF NOT EXISTS chunks_digest ON chunks(digest)"
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


def digest_of(text: str) -> bytes:
    """The digest of a text that is embedded (BLAKE2b, 16 bytes)."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def tokenize(language: str) -> str:
    """The tokenizer of FTS5 for the words of an archive in `language`; Porter's stemmer where there is no other."""
    return _TOKENIZE if is_inflected(language) else _TOKENIZE.replace("unicode61", "porter unicode61", 1)


def for_words(text: str, language: str = "") -> str:
    """`text` as the word index of an archive in `language` (a short code) takes it."""
    return spaced(searchable(uninflected(text.encode("utf-8", "replace").decode(), language)))


def searchable(text: str) -> str:
    """`text` with one form for what people write in several: case, width, and marks that are often left out.

    FTS5 takes the marks off Latin letters only, and folds case letter by letter: `Straße` is not `STRASSE` to it, and
    no Greek word that ends in ς is the same word in capitals.
    """
    return text.lower() if text.isascii() else usual_width(text).casefold().translate(_FOLDED)


def _without_marks(letter: str) -> str:
    return "".join(part for part in unicodedata.normalize("NFD", letter) if not unicodedata.combining(part))


_GREEK = (*range(0x0370, 0x0400), *range(0x1F00, 0x2000))
_POINTS = (*range(0x0591, 0x05BE), 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7)  # of Hebrew
_VOWELS = (*range(0x064B, 0x0660), 0x0670, 0x0640)  # of Arabic, and the stroke that draws a word out
_FOLDED: dict[int, str | int | None] = {code: _without_marks(chr(code)).casefold() for code in _GREEK}
_FOLDED |= dict.fromkeys((*_POINTS, *_VOWELS))
_FOLDED |= str.maketrans("أإآٱىیةکё", "ااااييهكе")

"""The tables that the script of a static site searches: words to subjects, cut into files small enough to load alone.

They are scripts themselves, since a page from a disk may read no other files. Words wait on disk until all are known.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from types import TracebackType
from typing import Self

import regex

from drzero.encyclopedia.pages import path_of
from drzero.encyclopedia.values import Statement, SubjectArticle
from drzero.text import clean_title, storable, without_steering

ROWS = 64  # subjects in a table of titles
MOST_TABLES = 1024  # a power of two
_PAIRS = 4000  # of word and subject that a table of words may well have
_SPOOLED = 400_000  # pairs in memory
_SHOWN = 160  # characters of a subject's lead beside its title
_MARKS = regex.compile(r"\p{Mn}+")
_WORD = regex.compile(r"\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}\p{Mc}])+")


def search_words(text: str) -> list[str]:
    """The words of `text` as the script cuts a query: no marks, no capitals, ideographs one by one."""
    import unicodedata

    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text)).lower()
    found: list[str] = _WORD.findall(unicodedata.normalize("NFKD", plain))
    return found


def table_of(word: str) -> int:
    """The table, below `MOST_TABLES`, of all words that begin with the same two characters."""
    return (ord(word[0]) * 31 + (ord(word[1]) if len(word) > 1 else 0)) % MOST_TABLES


class SearchTables:
    """Takes articles one by one and writes `search/*.js` into a folder; use it in a `with` block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "search"
        self._folder.mkdir()
        self._spool = tempfile.TemporaryDirectory(prefix="drzero-search-")
        self._waiting: dict[int, list[str]] = defaultdict(list)
        self._pairs: Counter[int] = Counter()
        self._in_memory = 0
        self._rows: list[tuple[str, str, str]] = []
        self._subjects = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._spool.cleanup()

    def add(self, article: SubjectArticle) -> None:
        """Let `article` be found by its names, statements and questions."""
        names = {word for name in (article.title, *article.aliases) for word in search_words(name)}
        statements = [*article.lead, *(one for section in article.sections for one in section.statements)]
        texts = {text for one in statements for text in (one.text, one.question)}
        told = {word for text in texts for word in search_words(text)} - names
        for word in names | told:
            self._waiting[table_of(word)].append(f"{word} {self._subjects * 2 + (word in names)}\n")
        self._in_memory += len(names) + len(told)
        self._rows.append((path_of(article.slug), clean_title(article.title), _shown(statements)))
        self._subjects += 1
        if len(self._rows) == ROWS:
            self._write_rows()
        if self._in_memory >= _SPOOLED:
            self._write_waiting()

    def finish(self) -> None:
        """Write all that is left."""
        self._write_rows()
        self._write_waiting()
        count = 1
        while count < MOST_TABLES and sum(self._pairs.values()) > count * _PAIRS:
            count *= 2
        for table in range(count):
            self._write_words(table, count)
        about = {"subjects": self._subjects, "rows": ROWS, "tables": count}
        _write(self._folder / "about.js", f"window.drzeroSearch={_script(about)};")

    def _write_rows(self) -> None:
        if self._rows:
            number = (self._subjects - 1) // ROWS
            _write(self._folder / f"t{number}.js", f'drzeroTable("t{number}",{_script(self._rows)});')
            self._rows = []

    def _write_waiting(self) -> None:
        for table, lines in self._waiting.items():
            self._pairs[table] += len(lines)
            with open(self._spooled(table), "a", encoding="utf-8", newline="\n") as file:
                file.writelines(map(storable, lines))
        self._waiting.clear()
        self._in_memory = 0

    def _write_words(self, table: int, count: int) -> None:
        """One table of `count`: each word with its subjects, doubled, odd where it is in a name; as steps."""
        numbers: dict[str, list[int]] = defaultdict(list)
        for part in range(table, MOST_TABLES, count):
            if self._pairs[part]:
                with open(self._spooled(part), encoding="utf-8", newline="\n") as file:
                    for line in file:
                        word, number = line.split(" ")
                        numbers[word].append(int(number))
        steps = {
            word: [after - before for before, after in zip([0, *found], found, strict=False)]
            for word, found in sorted(numbers.items())
        }
        _write(self._folder / f"w{table}.js", f'drzeroTable("w{table}",{_script(steps)});')

    def _spooled(self, table: int) -> Path:
        return Path(self._spool.name) / str(table)


def _shown(statements: list[Statement]) -> str:
    text = clean_title(without_steering(statements[0].text)) if statements else ""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1].rsplit(" ", 1)[0] + "…"


def _script(value: object) -> str:
    """`value` as a script may hold it, on one line."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _write(path: Path, text: str) -> None:
    path.write_text(storable(text) + "\n", encoding="utf-8", newline="\n")

"""What comes out of every archive at hand that can be read: counts, known passages, and every chunk is looked at."""

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from drzero.corpus.reading import read_chunks
from drzero.corpus.zim import ZimArchive, open_archive
from drzero.text import content_id
from drzero.types import Chunk, ReadEntry
from tests.fakes import WordTokenizer

pytestmark = pytest.mark.data

EXPECTED: dict[str, dict[str, Any]] = {
    name: archive
    for archive in tomllib.loads(Path(__file__).with_name("archives.toml").read_text("utf-8"))["archive"]
    for name in archive["files"]
}
SQLITE = "real/devdocs_en_sqlite_2025-04.zim"
CODECAMP = "built/fcc_en_javascript_2026-11.zim"
PYTHON = "built/docs.python.org_en_3.11.zim"
PROGRAMMING = {SQLITE, CODECAMP, PYTHON}  # speak of functions, styles and indices
MANY_SCRIPTS = {  # hold marks of direction and joiners, or the replacement character as such
    "built/wikipedia_en_hotpot_intros.zim",
    "real/wikibooks_ang_2014-11.zim",
    PYTHON,
}
LAYOUTS = ("withns", "nons", "noTitleListingV0")
LIMIT = 256
TARGET = 200

NOWHERE = re.compile(
    r"\.mw-parser|\[edit\]|citation needed|Jump to (?:navigation|content|search)|Retrieved from|This page last modified"
    r"|See also lists of|[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u200b-\u200f\u2060\ufeff\ufffd]|â€|Ã[\x80-\xbf]"
)
NOT_IN_PROSE = re.compile(
    r"\{[^{}\n]*:[^{}\n]*;[^{}\n]*\}|function\(|display:|(?<=[.,;:!?\"”’)])\[\d{1,3}\]|^\^\["
    r"|\S{150}|Main article:|\(\s*[;,]\s|(?m:^.*: .*\.(?:svg|png|jpg)$)"
)


@dataclass(frozen=True)
class Read:
    """An archive with all that it gives for an index."""

    archive: ZimArchive
    entries: Sequence[ReadEntry]

    @cached_property
    def articles(self) -> dict[str, ReadEntry]:
        """Path → article."""
        return {entry.path: entry for entry in self.entries if entry.digest}

    @cached_property
    def chunks(self) -> list[Chunk]:
        """The chunks of all articles."""
        return [one.chunk for entry in self.articles.values() for one in entry.chunks]

    @cached_property
    def aliases(self) -> set[tuple[str, str]]:
        """The path of an article and another name of it: a redirect to it or one that its page states."""
        redirects = {(entry.path, entry.alias) for entry in self.entries if entry.alias is not None}
        stated = {(path, alias) for path, entry in self.articles.items() for alias in entry.aliases}
        return {(path, alias) for path, alias in redirects | stated if path in self.articles}


Reader = Callable[[str], Read]


@pytest.fixture(scope="module")
def read(shared_data: Path) -> Reader:
    """`read(name)`: the archive read whole, once for all tests."""
    known: dict[str, Read] = {}

    def get(name: str) -> Read:
        if name not in known:
            archive = open_archive(shared_data / "zims" / name)
            entries = read_chunks(archive, tokenizer=WordTokenizer(LIMIT), target_tokens=TARGET)
            known[name] = Read(archive, list(entries))
        return known[name]

    return get


def test_real_archives_are_all_listed(shared_data: Path) -> None:
    zims = shared_data / "zims"
    here = [path for folder in ("real", "built", "edge") for path in (zims / folder).rglob("*.zim*")]
    names = [path.relative_to(zims).as_posix() for path in here if path.suffix in {".zim", ".zimaa"}]
    assert sorted(names) == sorted(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_real_archives_give_as_much_as_stated(read: Reader, name: str) -> None:
    found, stated = read(name), EXPECTED[name]
    counts = (len(found.articles), len(found.aliases), len(found.chunks))
    assert (found.archive.info.kind, *counts) == tuple(stated[key] for key in ("kind", "articles", "aliases", "chunks"))
    assert sum(bool(entry.digest) for entry in found.entries) == len(found.articles)


@pytest.mark.parametrize("name", EXPECTED)
def test_real_archives_hold_known_passages(read: Reader, name: str) -> None:
    found = read(name)
    for passage in EXPECTED[name]["passages"]:
        article = found.archive.article(passage["path"])
        assert article
        start, text = passage["start"], passage["text"]
        assert article.text[start : start + len(text)] == text
        chunks = [one.chunk for one in found.articles[passage["path"]].chunks]
        holding = [
            (number, list(chunk.heading), chunk.text[start - chunk.start :].startswith(text))
            for number, chunk in enumerate(chunks, 1)
            if chunk.start <= start < chunk.end
        ]
        assert holding == [(passage["chunk"], passage["heading"], True)]


@pytest.mark.parametrize("name", EXPECTED)
def test_real_archives_give_chunks_that_stand_in_their_articles(read: Reader, name: str) -> None:
    found = read(name)
    for path, entry in found.articles.items():
        article = found.archive.article(path)
        assert article
        assert (content_id(article.title, article.text), article.aliases, article.source) == (
            entry.digest, entry.aliases, entry.source,
        )  # fmt: skip
        for chunk in (one.chunk for one in entry.chunks):
            section = next(one for one in reversed(article.sections) if one.start <= chunk.start)
            assert section.text[chunk.start - section.start :].startswith(chunk.text)
            assert article.text[chunk.start : chunk.end] == chunk.text
            assert (chunk.heading, chunk.mark) == (section.heading, article.mark)
    assert len({chunk.id for chunk in found.chunks}) == len(found.chunks)
    assert [one for entry in found.entries for one in entry.chunks if len(one.tokens) > TARGET] == []


@pytest.mark.parametrize(
    "names",
    [
        [f"edge/{layout}/small.zim" for layout in LAYOUTS],
        [
            f"real/{layout}/wikibooks_be_all_nopic_2017-02{end}"
            for layout in LAYOUTS
            for end in (".zim", "_splitted.zimaa")
        ],
    ],
    ids=["small", "wikibooks"],
)
def test_one_book_is_the_same_in_every_layout_and_in_parts(read: Reader, names: list[str]) -> None:
    """But for the namespace in the paths of the old layout."""

    def bare(path: str) -> str:
        return path.removeprefix("A/")

    books = [
        (
            {
                bare(path): (
                    entry.title,
                    [(one.chunk.heading, one.chunk.start, one.chunk.text) for one in entry.chunks],
                )
                for path, entry in found.articles.items()
            },
            {(bare(path), alias) for path, alias in found.aliases},
        )
        for found in map(read, names)
    ]
    assert books[0][0]
    assert [name for name, book in zip(names, books, strict=True) if book != books[0]] == []


@pytest.mark.parametrize("name", [name for name in EXPECTED if name not in MANY_SCRIPTS])
def test_real_archives_hold_nothing_that_is_no_content(read: Reader, name: str) -> None:
    assert _hits(NOWHERE, read(name).chunks) == []


@pytest.mark.parametrize("name", [name for name in EXPECTED if name not in PROGRAMMING])
def test_real_archives_hold_no_styles_no_scripts_and_no_reference_marks(read: Reader, name: str) -> None:
    assert _hits(NOT_IN_PROSE, read(name).chunks) == []


def _hits(pattern: re.Pattern[str], chunks: Iterable[Chunk]) -> list[tuple[str, str, str]]:
    """Where `pattern` is found: path, what was found, and what stands around it."""
    return [
        (chunk.path, match.group(), chunk.text[max(0, match.start() - 40) : match.end() + 40])
        for chunk in chunks
        for match in [pattern.search(chunk.text)]
        if match
    ]

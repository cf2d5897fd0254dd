"""What comes out of four real archives: every chunk is looked at."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from drzero.corpus.chunking import chunk_article
from drzero.corpus.zim import ZimArchive, open_archive
from drzero.text import embedding_text
from drzero.types import Article, Chunk
from tests.fakes import WordTokenizer

pytestmark = pytest.mark.data

RAY = "real/wikipedia_en_ray_charles_maxi_2023-09.zim"
SAMPLE = "built/wikipedia_en_a-sample_2016-05.zim"
SQLITE = "real/devdocs_en_sqlite_2025-04.zim"
CODECAMP = "built/fcc_en_javascript_2026-11.zim"
LESSONS = "index/javascript-algorithms-and-data-structures"
LIMIT = 256

NOWHERE = re.compile(
    r"\.mw-parser|\[edit\]|citation needed|Jump to (?:navigation|content|search)|Retrieved from|This page last modified"
    r"|See also lists of|[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u200b-\u200f\u2060\ufeff\ufffd]|â€|Ã[\x80-\xbf]"
)
NOT_IN_PROSE = re.compile(
    r"\{[^{}\n]*:[^{}\n]*;[^{}\n]*\}|function\(|display:|(?<=[.,;:!?\"”’)])\[\d{1,3}\]|^\^\["
    r"|\S{150}|Main article:|\(\s*[;,]\s|(?m:^.*: .*\.(?:svg|png|jpg)$)"
)


@dataclass(frozen=True, slots=True)
class Read:
    """An archive with all its articles and chunks."""

    archive: ZimArchive
    articles: Sequence[Article]
    chunks: Sequence[Chunk]


@pytest.fixture(scope="module")
def read(shared_data):
    """`read(name)`: the archive read whole, once for all tests."""
    known: dict[str, Read] = {}

    def get(name: str) -> Read:
        if name not in known:
            archive = open_archive(Path(shared_data / "zims" / name))
            articles = [reading.article for reading in archive.walk() if reading.article]
            tokenizer = WordTokenizer(LIMIT)
            chunks = [chunk for one in articles for chunk in chunk_article(one, tokenizer, target_tokens=200)]
            known[name] = Read(archive, articles, chunks)
        return known[name]

    return get


@pytest.mark.parametrize(
    ("name", "kind", "articles"),
    [(RAY, "mwoffliner", 139), (SAMPLE, "mwoffliner", 107), (SQLITE, "devdocs", 525), (CODECAMP, "freecodecamp", 510)],
)
def test_real_archives_give_chunks_that_stand_in_their_articles(read, name, kind, articles):
    found = read(name)
    assert (found.archive.info.kind, len(found.articles)) == (kind, articles)
    texts = {article.path: article.text for article in found.articles}
    assert [chunk.id for chunk in found.chunks if texts[chunk.path][chunk.start : chunk.end] != chunk.text] == []
    assert len({chunk.id for chunk in found.chunks}) == len(found.chunks)
    tokenizer = WordTokenizer(LIMIT)
    sizes = [tokenizer.count(embedding_text(chunk.title, chunk.heading, chunk.text)) for chunk in found.chunks]
    assert max(sizes) <= 200


@pytest.mark.parametrize("name", [RAY, SAMPLE, SQLITE, CODECAMP])
def test_real_archives_give_the_same_article_by_its_path(read, name):
    found = read(name)
    for article in found.articles[::5]:
        assert found.archive.article(article.path) == article


@pytest.mark.parametrize(
    ("name", "patterns"),
    [(RAY, (NOWHERE, NOT_IN_PROSE)), (SAMPLE, (NOWHERE, NOT_IN_PROSE)), (SQLITE, (NOWHERE,)), (CODECAMP, (NOWHERE,))],
)
def test_real_archives_hold_nothing_that_is_no_content(read, name, patterns):
    hits = [
        (chunk.path, match.group(), chunk.text[max(0, match.start() - 40) : match.end() + 40])
        for chunk in read(name).chunks
        for pattern in patterns
        for match in [pattern.search(chunk.text)]
        if match
    ]
    assert hits == []


@pytest.mark.parametrize(
    ("name", "path", "heading", "passage"),
    [
        (
            RAY,
            "A/Ray_Charles",
            (),
            "Charles was blinded during childhood, possibly due to glaucoma.\nCharles in 1969\n"
            "Born: Ray Charles Robinson; September 23, 1930; Albany, Georgia, U.S.\n"
            "Died: June 10, 2004 (aged 73); Beverly Hills, California, U.S.",
        ),
        (
            RAY,
            "A/What'd_I_Say",
            ("Legacy",),
            "When Charles and his band counter with their original version, Garrett Morris tells them, "
            '"Sorry. That\'ll never make it."',
        ),
        (
            RAY,
            "A/Unchain_My_Heart_(song)",
            ("Charts", "Joe Cocker version"),
            "Chart (1987–1988): UK Singles (OCC); Peak position: 46\n"
            "Chart (1987–1988): US Album Rock Tracks (Billboard); Peak position: 11",
        ),
        (RAY, "A/A_Man_and_His_Soul", (), "Review scores\nSource: Allmusic link; Rating: 3/5 stars"),
        (
            SAMPLE,
            "Arthur_Schopenhauer",
            (),
            "Arthur Schopenhauer (22 February 1788 – 21 September 1860) was a German philosopher. He is best known",
        ),
        (
            SAMPLE,
            "Alkali_metal",
            ("Other similar substances", "Copper, silver, and gold"),
            "thus giving the group 11 metals clear transition metal character. Particularly noteworthy is gold",
        ),
        (
            SAMPLE,
            "Alkane",
            ("Structure classification",),
            "They can be:\nlinear (general formula CnH2n+2) wherein the carbon atoms are joined in a snake-like",
        ),
        (
            SQLITE,
            "rescode",
            ("6. Result Code Meanings", "(261) SQLITE_BUSY_RECOVERY"),
            "because another process is busy recovering a WAL mode database file following a crash. "
            "The SQLITE_BUSY_RECOVERY error code only occurs on WAL mode databases.",
        ),
        (
            SQLITE,
            "walformat",
            ("2. The WAL-Index File Format", "2.1. The WAL-Index Header", "2.1.3. WAL Locks"),
            "WAL-Index Locks Controlled By xShmLock()\nName: WAL_WRITE_LOCK; Offset xShmLock: 0; Offset File: 120",
        ),
        (
            SQLITE,
            "session/sqlite3session_isempty",
            (),
            "int sqlite3session_isempty(sqlite3_session *pSession);\nReturn non-zero if no changes to attached tables",
        ),
        (
            CODECAMP,
            f"{LESSONS}/basic-algorithm-scripting/factorialize-a-number.html",
            ("Solutions",),
            "function factorialize(num) {\n  return num < 1 ? 1 : num * factorialize(num - 1);\n}\n\nfactorialize(5);",
        ),
        (
            CODECAMP,
            f"{LESSONS}/es6/import-a-default-export.html",
            ("Description",),
            'Here is how to import it:\nimport add from "./math_functions.js";\nThe syntax differs in one key place.',
        ),
    ],
)
def test_real_archives_hold_known_passages(read, name, path, heading, passage):
    found = [chunk for chunk in read(name).chunks if chunk.path == path and passage in chunk.text]
    assert [chunk.heading for chunk in found] == [heading]

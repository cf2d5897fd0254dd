"""A made archive of many short pages and builds of it, also as a child process that can be killed.

`python -m tests.small_index FOLDER PAGES` builds; `… FOLDER PAGES --die-at N` kills itself at the N-th time it touches
the disk's names or waits for the disk; both print "ready" first and a JSON report at the end.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from drzero.retrieval.index import Entries, build, open_index
from drzero.text import content_id, embedding_text
from drzero.types import ArchiveInfo, Article, BuildReport, Chunk, ReadEntry, Section, TokenisedChunk
from tests.fakes import HashEmbedder, WordTokenizer

NAMES = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty", "knoll", "ledge",
         "marsh", "nadir", "oasis", "plain")  # fmt: skip
SETTINGS: dict[str, Any] = {"chunk_tokens": 64, "include": []}


def info(pages: int = 60, zim_id: str = "zim-1") -> ArchiveInfo:
    return ArchiveInfo(zim_id, "small", "/archives/small.zim", "other", "Small", "2026-01-01", "eng", pages * 2)


def page(number: int) -> Article:
    title = f"{NAMES[number % 16]} {NAMES[number // 16 % 16]} {number}"
    lines = [
        f"{title} has the mark {number * 31 + line} of the {NAMES[(number + line) % 16]}."
        for line in range(number % 7 + 1)
    ]
    return Article("zim-1", f"A/{number}", title, (Section((), "\n".join(lines), 0),))


def entry(position: int, article: Article, **changes: Any) -> ReadEntry:
    """An article as it is read: one chunk per line."""
    made = ReadEntry(
        position, article.path, content_id(article.text), article.title, tokenised(chunk(article)), article.aliases
    )
    return dataclasses.replace(made, **changes)


def walk(pages: int = 60) -> Callable[[int], Entries]:
    """Two entries a page: the page and, in turn, an alias, an image, an unreadable entry."""

    def entries(start: int) -> Entries:
        for position in range(start, pages * 2):
            number, second = divmod(position, 2)
            if not second:
                yield entry(position, page(number))
            elif number % 3 == 0:
                yield ReadEntry(position, f"A/{number}", alias=f"Alias {number}")
            else:
                yield ReadEntry(position, f"I/{number}", skipped="image" if number % 3 == 1 else "unreadable")

    return entries


def listed(*entries: ReadEntry) -> Callable[[int], Entries]:
    """Just these entries, whose positions count from 0."""
    return lambda start: (one for one in entries[start:])


def chunk(article: Article) -> list[Chunk]:
    """One chunk per line."""
    chunks, start = [], 0
    for line in article.text.split("\n") if article.text else ():
        ident = content_id(article.zim_id, article.path, start, line)
        chunks.append(Chunk(ident, article.zim_id, article.path, article.title, (), line, start, start + len(line)))
        start += len(line) + 1
    return chunks


def tokenised(chunks: Iterable[Chunk]) -> tuple[TokenisedChunk, ...]:
    """The chunks with the tokens that the hash embedder's tokenizer makes of them."""
    chunks = tuple(chunks)
    ids = WordTokenizer().ids([embedding_text(one.title, one.heading, one.text) for one in chunks])
    return tuple(TokenisedChunk(one, np.array(row, dtype=np.int32)) for one, row in zip(chunks, ids, strict=True))


def build_small(folder: Path, pages: int = 60, **changes: Any) -> BuildReport:
    options: dict[str, Any] = {
        "info": info(pages),
        "read": walk(pages),
        "embedder": HashEmbedder(),
        "folder": folder,
        "settings": SETTINGS,
        "batch_chunks": 16,
        "step_s": 0,
    }
    return build(**options | changes)


def content(folder: Path) -> dict[str, Any]:
    """Everything an index says, for comparing two builds."""
    with open_index(folder) as index:
        manifest = dataclasses.asdict(index.manifest)
        for changing in ("created_at", "stamp", "pace"):
            del manifest[changing]
        chunks = index.chunks(range(index.count))
        return {
            "manifest": manifest,
            "chunks": [dataclasses.astuple(chunk) for chunk in chunks],
            "vectors": index.vectors.vectors(range(index.count)).tobytes(),
            "aliases": [index.aliases(path) for path in dict.fromkeys(chunk.path for chunk in chunks)],
            "tables": [
                index.store._db.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
                for table in ("articles", "aliases", "twins")
            ],
            "found": [index.store.lexical(query, 20) for query in ("amber mark", "alias 30", "17")],
        }


def die_at(number: int) -> None:
    """Arrange for this process to be killed at its `number`-th fsync or renaming (0 first), before that is done."""
    calls = itertools.count()

    def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if next(calls) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments)

        return call

    os.fsync = deadly(os.fsync)
    os.rename = deadly(os.rename)


def peak_bytes() -> int:
    """The most memory this process has held so far; 0 where the system does not say."""
    status = Path("/proc/self/status")
    if status.is_file():  # what getrusage says of a child counts its parent's memory, too
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main(folder: str, pages: str, *options: str) -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    if options:
        die_at(int(options[1]))
    started = time.process_time()
    large = {"batch_chunks": 256, "step_s": 0.2} if int(pages) >= 1000 else {}
    report = dataclasses.asdict(build_small(Path(folder), int(pages), **large))
    report["cpu_s"] = time.process_time() - started
    report["peak_bytes"] = peak_bytes()
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])

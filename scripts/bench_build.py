#!/usr/bin/env python
"""Print how fast indexes are built, what they hold in memory, and whether kills leave a trace.

    .venv/bin/python scripts/bench_build.py --workspace /tmp/bench                    # against the bare embedder
    .venv/bin/python scripts/bench_build.py --workspace /tmp/bench --embedder fast FILE.zim
    .venv/bin/python scripts/bench_build.py --workspace /tmp/bench --growth           # 2,000, 4,000 and 8,000 pages
    .venv/bin/python scripts/bench_build.py --workspace /tmp/bench --large            # 200,000 pages, three kills

Against the bare embedder: an archive (its first articles, as `--articles` says) is indexed, and before and after that
the embedder alone embeds the very same chunks, tokens ready, in the same batches. The ratio is of the two rates; `busy`
is the share of the build's time in which the embedder was at work, which other programs on the machine disturb less.

`--growth` and `--large` make archives of short pages of varied words. `--growth` builds with an embedder that costs
next to nothing, so that whatever grows is the build's own. `--large` builds one straight through, then once more with
three kills (SIGKILL) at random moments, and compares every row of both: texts, articles, words, vectors. Memory is
resident memory over time, of the building process alone and of the reading processes beside it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from bench_read import HashEmbedder, Page
from libzim.writer import Creator, StringProvider

from drzero.config import Settings
from drzero.corpus.reading import read_chunks, reader_count
from drzero.corpus.zim import open_archive
from drzero.models.tokenizing import ModelTokenizer
from drzero.pipeline import load_embedder
from drzero.retrieval.index import Entries, build, description_of, open_index
from drzero.text import embedding_text
from drzero.types import Ids
from drzero.workspace import Workspace

ZIMS = Path(__file__).resolve().parents[2] / "shared" / "data" / "zims"
ARCHIVES = (ZIMS / "built/wikipedia_en_selqa_2014.zim", ZIMS / "built/docs.python.org_en_3.11.zim")
PAGES = (2000, 4000, 8000)
STUB = "hash"
BATCH = 128
TARGET_TOKENS = 150
TABLES = ("articles", "aliases", "twins", "chunks", "unreadable", "common", "words_docsize", "words_data")


class Hashing(HashEmbedder):
    """One that costs next to nothing, with the tokens of a real model."""

    def __init__(self, tokenizer: ModelTokenizer) -> None:
        self.tokenizer = tokenizer


def embedder_called(name: str) -> Any:
    """The embedder of this name; `hash` is one that costs next to nothing."""
    settings, here = Settings(), Workspace(Path.cwd())
    if name != STUB:
        return load_embedder(here, replace(settings, models=replace(settings.models, embedder=name)))
    from drzero.models.embedding import load_tokenizer
    from drzero.pipeline import find_embedder

    return Hashing(load_tokenizer(find_embedder(here, settings).path))


# --- one build ------------------------------------------------------------------------------------------------------


def build_one(zim: Path, folder: Path, embedder: Any, *, limit: int | None = None, readers: int = 0) -> dict[str, Any]:
    """Index an archive at `folder`: what came of it, and the seconds."""
    archive = open_archive(zim)
    light = description_of(embedder).get("precision", "static") == "static"  # as the stub is, too
    workers = reader_count(readers, archive.length, light=light)

    def read(start: int) -> Entries:
        return read_chunks(
            archive, tokenizer=embedder.tokenizer, target_tokens=TARGET_TOKENS, start=start, workers=workers
        )

    began, began_cpu = time.perf_counter(), cpu_s()
    report = build(
        info=archive.info,
        read=read,
        embedder=embedder,
        folder=folder,
        settings={"chunk_tokens": TARGET_TOKENS},
        limit=limit,
        batch_chunks=BATCH,
        readers=workers,
    )
    return {
        "status": report.status,
        "articles": report.articles,
        "chunks": report.chunks,
        "seconds": time.perf_counter() - began,
        "cpu_s": cpu_s() - began_cpu,
        "stages": dict(report.stages_s),
        "readers": workers,
        "peak_mb": peak_mb("self"),
    }


def cpu_s() -> float:
    """Processor seconds of this process and of those it waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def peak_mb(process: str) -> float:
    """The most memory that a process has held."""
    return status_mb(process, "VmHWM")


def status_mb(process: str, field: str) -> float:
    """A figure of a process as Linux has it, in megabytes; 0 where it does not say or the process is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith(field)), 0.0)


# --- against the bare embedder --------------------------------------------------------------------------------------


def print_ratio(archives: Sequence[Path], name: str, articles: int, workspace: Path, readers: int) -> None:
    """The table of rates: the bare embedder before and after, and the whole build between."""
    embedder = embedder_called(name)
    described = description_of(embedder)
    print(f"embedder {embedder.id} {described.get('precision', '')}, {os.cpu_count()} processors")
    print(f"{'archive':<34} {'chunks':>7} {'bare/s':>8} {'build/s':>8} {'ratio':>6} {'busy':>6} {'readers':>8}  stages")
    for path in archives:
        folder = workspace / "indexes" / f"{path.stem}.bench"
        remove(folder)
        build_one(path, folder, Hashing(embedder.tokenizer), limit=articles)  # to know the chunks
        batches = list(batches_of(folder, embedder.tokenizer))
        remove(folder)
        embedder.embed_passages(*batches[0])  # the first call is slower
        before_s = bare_s(embedder, batches)
        made = build_one(path, folder, embedder, limit=articles, readers=readers)
        remove(folder)
        after_s = bare_s(embedder, batches)
        busy = made["stages"]["embed"] / made["seconds"]
        bare, whole = 2 * made["chunks"] / (before_s + after_s), made["chunks"] / made["seconds"]
        stages = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in made["stages"].items())
        print(
            f"{path.stem[:34]:<34} {made['chunks']:>7,} {bare:>8.1f} {whole:>8.1f} {whole / bare:>6.2f}"
            f" {busy:>6.1%} {made['readers']:>8}  {stages}, of {made['seconds']:.1f} s",
            flush=True,
        )


def bare_s(embedder: Any, batches: Sequence[tuple[list[str], list[Ids]]]) -> float:
    """Seconds that the embedder alone takes."""
    began = time.perf_counter()
    for texts, tokens in batches:
        embedder.embed_passages(texts, tokens)
    return time.perf_counter() - began


def batches_of(folder: Path, tokenizer: Any) -> Iterator[tuple[list[str], list[Ids]]]:
    """The chunks of an index as an embedder is given them: texts and token ids, in batches."""
    with open_index(folder) as index:
        for start in range(0, index.count, BATCH):
            chunks = index.chunks(range(start, min(start + BATCH, index.count)))
            texts = [embedding_text(chunk.title, chunk.heading, chunk.text) for chunk in chunks]
            yield texts, [np.array(ids, dtype=np.int32) for ids in tokenizer.ids(texts)]


def remove(folder: Path) -> None:
    """Delete an index and what an interrupted build of it left."""
    for place in (folder, folder.with_name(f".{folder.name}.building")):
        if place.is_dir():
            for file in place.iterdir():
                file.unlink()
            place.rmdir()


# --- made archives --------------------------------------------------------------------------------------------------


SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru".split()
WORDS = [a + b + c for a in SYLLABLES for b in SYLLABLES for c in ("", "n", "st", "la", "rim")]
WEIGHTS = list(accumulate(1 / (rank + 3) for rank in range(len(WORDS))))


class WordyPage(Page):
    """A short page of varied words: the words of a language that never was, some of them everywhere, most rare."""

    def get_title(self) -> str:
        """Two words and its number."""
        chance = random.Random(self._number)
        return f"{' '.join(chance.choices(WORDS, k=2))} {self._number}".capitalize()

    def get_contentprovider(self) -> StringProvider:
        """A heading and two paragraphs, sixty words or so."""
        chance = random.Random(-self._number - 1)
        paragraphs = []
        for _ in range(2):
            words = chance.choices(WORDS, cum_weights=WEIGHTS, k=chance.randint(15, 45))
            paragraphs.append(f"<p>{' '.join(words).capitalize()} {chance.randint(1000, 2026)}.</p>")
        return StringProvider(f"<html><body><h1>{self.get_title()}</h1>{''.join(paragraphs)}</body></html>")


def make_archive(path: Path) -> None:
    """An archive of short pages, as many as its name says."""
    with Creator(str(path)).config_indexing(False, "eng") as creator:
        for number in range(int(path.stem)):
            creator.add_item(WordyPage(number))
        creator.set_mainpath("page/0")
        creator.add_metadata("Title", "Made")
        creator.add_metadata("Language", "eng")


def made_archive(workspace: Path, pages: int) -> Path:
    """The made archive of so many pages, from an earlier run if it is there."""
    path = workspace / f"{pages}.zim"
    if not path.is_file():
        subprocess.run([sys.executable, __file__, "--make", str(path)], stdout=subprocess.DEVNULL, check=True)
    return path


# --- growth ---------------------------------------------------------------------------------------------------------


def print_growth(workspace: Path) -> None:
    """The table of builds of growing archives, each in a process of its own."""
    print(f"{'pages':>6} {'chunks':>8} {'seconds':>8} {'cpu s':>8} {'cpu against the first':>22} {'peak MB':>8}")
    first = 0.0
    for pages in PAGES:
        folder = workspace / "indexes" / str(pages)
        remove(folder)
        child = Child(made_archive(workspace, pages), folder, STUB, readers=0)
        made = child.end()
        first = first or made["cpu_s"]
        print(
            f"{pages:>6} {made['chunks']:>8,} {made['seconds']:>8.1f} {made['cpu_s']:>8.1f}"
            f" {made['cpu_s'] / first:>22.2f} {made['peak_mb']:>8.0f}",
            flush=True,
        )


class Child:
    """A build in a process of its own, with its memory over time."""

    def __init__(self, zim: Path, folder: Path, embedder: str, readers: int) -> None:
        words = [str(zim), str(folder), embedder, str(readers)]
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--build", *words], stdout=subprocess.PIPE, text=True
        )
        self._began = time.monotonic()
        self.memory: list[tuple[float, float, float]] = []  # seconds, MB of the build, MB of its readers

    def watch(self, seconds: float) -> bool:
        """Note the memory for so long; whether the process is still at work then."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self._process.poll() is None:
            own = status_mb(str(self._process.pid), "VmRSS")
            readers = sum(status_mb(str(pid), "VmRSS") for pid in self._children())
            self.memory.append((time.monotonic() - self._began, own, readers))
            time.sleep(0.25)
        return self._process.poll() is None

    def _children(self) -> list[int]:
        try:
            listed = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        except OSError:
            return []
        return [int(pid) for pid in listed.split()]

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self._process.kill()
        self._process.communicate()

    def end(self) -> dict[str, Any]:
        """Wait for its end; what it says."""
        while self.watch(60):
            pass
        output, _ = self._process.communicate()
        if self._process.returncode:
            sys.exit(f"The build ended with status {self._process.returncode}.")
        said: dict[str, Any] = json.loads(output.splitlines()[-1])
        return said


# --- large ----------------------------------------------------------------------------------------------------------


def print_large(workspace: Path, pages: int, embedder: str, seed: int, readers: int) -> None:
    """Build a large archive straight through and with three kills; compare."""
    zim = made_archive(workspace, pages)
    straight, killed = workspace / "indexes" / "straight", workspace / "indexes" / "killed"
    remove(straight)
    remove(killed)
    child = Child(zim, straight, embedder, readers)
    made = child.end()
    seconds = child.memory[-1][0]
    print(
        f"{pages:,} pages, {made['chunks']:,} chunks with {embedder}, {made['readers']} readers: "
        f"{made['seconds']:.0f} s ({made['chunks'] / made['seconds']:,.0f} chunks/s), peak {made['peak_mb']:.0f} MB,"
        f" {size_mb(straight):.0f} MB on disk"
    )
    print("stages, seconds: " + ", ".join(f"{name} {took:.1f}" for name, took in made["stages"].items()))
    print_memory(child)
    chance = random.Random(seed)
    for _ in range(3):
        moment = chance.uniform(0.1, 0.32) * seconds
        child = Child(zim, killed, embedder, readers)
        if not child.watch(moment):
            sys.exit("The build was over before it could be killed: the machine is quicker now, run this again.")
        child.kill()
        print(f"killed after {moment:.1f} s: {stored_chunks(killed):,} chunks are safe", flush=True)
    child = Child(zim, killed, embedder, readers)
    last = child.end()
    print(f"the last run: {last['status']}, {last['seconds']:.0f} s")
    print_memory(child)
    ours, theirs = fingerprints(straight), fingerprints(killed)
    for name, digest in ours.items():
        print(f"{name:<14} {'equal' if digest == theirs[name] else 'DIFFERENT'}")
    if ours != theirs:
        sys.exit("The two indexes differ.")


def print_memory(child: Child) -> None:
    """Resident memory at ten moments and at the most."""
    step = max(1, len(child.memory) // 10)
    shown = [f"{own:.0f}+{readers:.0f}" for _, own, readers in child.memory[step - 1 :: step]]
    print(f"memory over time, MB, build+readers: {' '.join(shown)}", flush=True)


def size_mb(folder: Path) -> float:
    """Megabytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.iterdir()) / 1e6


def stored_chunks(folder: Path) -> int:
    """How many chunks a build that was killed has made safe."""
    path = folder.with_name(f".{folder.name}.building") / "chunks.db"
    if not path.is_file():
        return 0
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT coalesce(max(id) + 1, 0) FROM chunks").fetchone()[0])


def fingerprints(folder: Path) -> dict[str, str]:
    """A digest of every table and of the vectors of an index."""
    found = {}
    with closing(sqlite3.connect(folder / "chunks.db")) as db:
        for table in TABLES:
            digest = hashlib.sha256()
            for row in db.execute(f"SELECT * FROM {table}"):
                digest.update(repr(row).encode("utf-8", "surrogatepass"))
            found[table] = digest.hexdigest()
    for file in sorted(folder.iterdir()):
        if file.name not in ("chunks.db", "manifest.json"):
            with file.open("rb") as stream:
                found[file.name] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found


def main() -> None:
    """Read the options, measure, print."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("archives", nargs="*", type=Path, default=list(ARCHIVES), help="archives to index")
    options.add_argument("--workspace", type=Path, help="folder for archives and indexes")
    options.add_argument("--embedder", default="", help=f"a name or folder; {STUB} costs next to nothing")
    options.add_argument("--articles", type=int, default=100, help="so many of each archive (100)")
    options.add_argument("--readers", type=int, default=0, help="reading processes (0: chosen)")
    options.add_argument("--growth", action="store_true", help="builds of 2,000, 4,000 and 8,000 pages")
    options.add_argument("--large", nargs="?", type=int, const=200_000, help="a build of so many pages (200,000)")
    options.add_argument("--seed", type=int, default=4, help="of the moments of the kills")
    options.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--build", nargs=4, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.make:
        make_archive(given.make)
        return
    if given.build:
        zim, folder, name, readers = given.build
        print(json.dumps(build_one(Path(zim), Path(folder), embedder_called(name), readers=int(readers))))
        return
    if not given.workspace:
        options.error("--workspace is missing: name a folder for archives and indexes")
    (given.workspace / "indexes").mkdir(parents=True, exist_ok=True)
    if given.growth:
        print_growth(given.workspace)
    elif given.large:
        print_large(given.workspace, given.large, given.embedder or STUB, given.seed, given.readers)
    else:
        name = given.embedder or Settings().models.embedder
        print_ratio(given.archives, name, given.articles, given.workspace, given.readers)


if __name__ == "__main__":
    main()

#!/usr/bin/env python
"""Print how fast archives are read, stage by stage, beside the tools that set the bounds.

    .venv/bin/python scripts/bench_read.py                       # two real archives
    .venv/bin/python scripts/bench_read.py FILE.zim --workers 2  # the whole path in two processes, too
    .venv/bin/python scripts/bench_read.py --growth              # 2,000, 4,000 and 8,000 short pages
    .venv/bin/python scripts/bench_read.py --large               # pages of millions of characters

Rates are megabytes of HTML a second of this process's processor time, but of the clock's time with `--workers`;
the best of three counts:

    libzim     entries out of the archive, in cluster order
    lxml       lxml's own parse of the pages, nothing done with the tree
    sections   HTML to sections: parse, clean, outline
    tokenizer  the tokenizer's own batch encoding of the sections' texts
    chunks     sections to chunks with their token ids
    whole      archive to chunks with their token ids

The last two columns are ratios from the same run: HTML to sections against lxml's parse, chunks against the tokenizer.
`--growth` builds indexes with a hash embedder, `--large` reads single pages; each in a process of its own, of which
the peak of memory is told.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from libzim.reader import Archive
from libzim.writer import Creator, Hint, Item, StringProvider
from lxml import etree

from drzero.corpus.chunking import tokenised_chunks
from drzero.corpus.directory import reading_order
from drzero.corpus.files import check_files
from drzero.corpus.html import read_html
from drzero.corpus.kinds import base_type
from drzero.corpus.reading import read_chunks
from drzero.corpus.zim import ZimArchive, open_archive
from drzero.errors import ModelError
from drzero.models.catalogue import models_folder
from drzero.models.embedding import load_tokenizer
from drzero.models.resolve import resolve_model
from drzero.models.tokenizing import ModelTokenizer
from drzero.retrieval.index import build
from drzero.types import Article, Float32, Ids

ZIMS = Path(__file__).resolve().parents[2] / "shared" / "data" / "zims"
ARCHIVES = (ZIMS / "real/wikipedia_en_ray_charles_maxi_2023-09.zim", ZIMS / "built/docs.python.org_en_3.11.zim")
DEVDOCS = ZIMS / "real/devdocs_en_sqlite_2025-04.zim"
EMBEDDER = "all-MiniLM-L6-v2"
TARGET_TOKENS = 200
STAGES = ("libzim", "lxml", "sections", "tokenizer", "chunks", "whole")
PAGES = (2000, 4000, 8000)
REPEATS = 3  # of each measurement, of which the best counts: the others were disturbed


def model_tokenizer() -> ModelTokenizer:
    """The default embedder's tokenizer; ends the program with a sentence where it is missing."""
    try:
        return load_tokenizer(resolve_model(EMBEDDER, "embedder", folders=(models_folder(),)).path)
    except ModelError as error:
        sys.exit(f"The rates are those of the tokenizer of {EMBEDDER}, which is not here. {error}")


def timed(work: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> tuple[float, Any]:
    """Seconds that `work` takes at best, and what it returns."""
    best_s = math.inf
    gc.freeze()  # what is held for comparison here is held nowhere else, and would be gone through again and again
    for _ in range(REPEATS):
        began = clock()
        result = work()
        best_s = min(best_s, clock() - began)
    return best_s, result


# --- stages ---------------------------------------------------------------------------------------------------------


def html_pages(path: Path) -> list[bytes]:
    """The HTML entries of an archive in reading order."""
    files = check_files(path)
    archive = Archive(files[0])
    order, _ = reading_order(files, new_layout=archive.has_new_namespace_scheme)
    pages = []
    for number in order:
        entry = archive._get_entry_by_id(int(number))
        if not entry.is_redirect:
            item = entry.get_item()
            if base_type(item.mimetype) == "text/html":
                pages.append(bytes(item.content))
    return pages


def parse(pages: Sequence[bytes]) -> None:
    """lxml's own parse of each page."""
    for page in pages:
        if page.strip():
            etree.fromstring(page, etree.HTMLParser(encoding="utf-8", huge_tree=True))


def articles_of(archive: ZimArchive) -> list[Article]:
    """Every article of an archive."""
    return [reading.article for reading in archive.walk() if reading.article]


def consume(made: Iterable[object]) -> None:
    """Have all of `made` made, and keep none."""
    deque(made, maxlen=0)


def stage_times(path: Path, tokenizer: ModelTokenizer) -> tuple[float, dict[str, float]]:
    """Megabytes of HTML in an archive, and the seconds of each stage."""
    times: dict[str, float] = {}
    times["libzim"], pages = timed(lambda: html_pages(path))
    megabytes = sum(map(len, pages)) / 1e6
    times["lxml"], _ = timed(lambda: parse(pages))
    texts = [page.decode("utf-8", "replace") for page in pages]
    times["sections"], _ = timed(lambda: consume(map(read_html, texts)))
    archive = open_archive(path)
    articles = articles_of(archive)
    batches = [[section.text for section in article.sections] for article in articles]
    times["tokenizer"], _ = timed(lambda: consume(map(tokenizer.encode, batches)))
    cut = partial(tokenised_chunks, tokenizer=tokenizer, target_tokens=TARGET_TOKENS)
    times["chunks"], _ = timed(lambda: consume(map(cut, articles)))
    times["whole"], _ = timed(lambda: whole_path(archive, tokenizer, 0))
    return megabytes, times


def whole_path(archive: ZimArchive, tokenizer: ModelTokenizer, workers: int) -> int:
    """Archive to chunks with ids; how many chunks."""
    entries = read_chunks(archive, tokenizer=tokenizer, target_tokens=TARGET_TOKENS, workers=workers)
    return sum(len(entry.chunks) for entry in entries)


def print_stages(paths: Sequence[Path], workers: int) -> None:
    """The table of rates."""
    tokenizer = model_tokenizer()
    more = f"  {f'{workers} readers':>9}" if workers else ""
    head = "".join(f"{stage:>10}" for stage in STAGES)
    print(f"{'archive':<40} {'MB HTML':>8}{head}{more}  {'sections/lxml':>13}  {'chunks/tokenizer':>16}")
    for path in paths:
        megabytes, times = stage_times(path, tokenizer)
        rates = "".join(f"{megabytes / max(times[stage], 1e-9):>10.1f}" for stage in STAGES)
        if workers:
            elapsed_s, _ = timed(partial(whole_path, open_archive(path), tokenizer, workers), time.perf_counter)
            rates += f"  {megabytes / elapsed_s:>9.1f}"
        ratios = times["sections"] / times["lxml"], times["chunks"] / times["tokenizer"]
        print(f"{path.stem[:40]:<40} {megabytes:>8.1f}{rates}  {ratios[0]:>13.2f}  {ratios[1]:>16.2f}", flush=True)


# --- growth and large pages -----------------------------------------------------------------------------------------


class Page(Item):  # type: ignore[misc]
    """One page of a made archive."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def get_path(self) -> str:
        """Its path."""
        return f"page/{self._number}"

    def get_title(self) -> str:
        """Its title."""
        return f"Page {self._number}"

    def get_mimetype(self) -> str:
        """HTML."""
        return "text/html"

    def get_contentprovider(self) -> StringProvider:
        """Some hundred words."""
        lines = (f"<p>Line {line} of page {self._number} has the mark {line * self._number}.</p>" for line in range(12))
        return StringProvider(f"<html><body><h1>Page {self._number}</h1>{''.join(lines)}</body></html>")

    def get_hints(self) -> dict[Hint, bool]:
        """An article."""
        return {Hint.FRONT_ARTICLE: True}


class HashEmbedder:
    """A bag of hashed tokens as a unit vector: costs next to nothing."""

    id, dim = "hash-64", 64

    def embed_passages(self, texts: Sequence[str], tokens: Sequence[Ids] | None = None) -> Float32:
        """float32 of shape (len(texts), 64), rows of length 1."""
        rows = tokens if tokens is not None else [np.array([zlib.crc32(text.encode())]) for text in texts]
        vectors = np.stack([np.bincount(row % self.dim, minlength=self.dim) for row in rows]).astype(np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        """As `embed_passages`."""
        return self.embed_passages(texts)


def make_archive(path: Path) -> None:
    """An archive of short pages, as many as its name says."""
    with Creator(str(path)).config_indexing(False, "eng") as creator:
        for number in range(int(path.stem)):
            creator.add_item(Page(number))
        creator.set_mainpath("page/0")
        creator.add_metadata("Title", "Made")


def built(path: Path) -> dict[str, float]:
    """Index the archive at `path` in this process: seconds, chunks, peak of memory."""
    archive, tokenizer = open_archive(path), model_tokenizer()
    began_s = time.process_time()
    report = build(
        info=archive.info,
        read=lambda start: read_chunks(archive, tokenizer=tokenizer, target_tokens=TARGET_TOKENS, start=start),
        embedder=HashEmbedder(),
        folder=path.with_suffix(".index"),
        settings={},
    )
    return {"seconds": time.process_time() - began_s, "chunks": report.chunks, "peak_mb": peak_mb()}


def page_read(path: Path) -> dict[str, float]:
    """Read the page in the file at `path` and cut it, in this process: seconds, chunks, peak of memory."""
    text, tokenizer = path.read_text(encoding="utf-8"), model_tokenizer()
    began_s = time.process_time()
    page = read_html(text)
    sections_s = time.process_time() - began_s
    article = Article("", "", page.title, page.sections)
    chunks = tokenised_chunks(article, tokenizer, target_tokens=TARGET_TOKENS)
    seconds = time.process_time() - began_s
    return {"seconds": seconds, "sections_s": sections_s, "chunks": len(chunks), "peak_mb": peak_mb()}


def peak_mb() -> float:
    """The most memory that this process has held."""
    status = Path("/proc/self/status")
    if status.is_file():  # what getrusage says of a child counts its parent's memory, too
        peak_kb = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak_kb) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def in_child(option: str, path: Path) -> dict[str, float]:
    """What `built` or `page_read` say, in a process of their own."""
    command = [sys.executable, __file__, option, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def print_growth(folder: Path) -> None:
    """The table of builds of growing archives."""
    print(f"{'pages':>6} {'chunks':>8} {'seconds':>8} {'against the first':>18} {'peak MB':>8}")
    first = 0.0
    for pages in PAGES:
        command = [sys.executable, __file__, "--make", str(folder / f"{pages}.zim")]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)  # libzim talks
        made = in_child("--build", folder / f"{pages}.zim")
        first = first or made["seconds"]
        print(
            f"{pages:>6} {made['chunks']:>8.0f} {made['seconds']:>8.1f} {made['seconds'] / first:>18.2f}"
            f" {made['peak_mb']:>8.0f}",
            flush=True,
        )


def large_pages() -> dict[str, str]:
    """Name → HTML of pages that are hard on a reader."""
    rows = "".join(f"<tr><td>{n}</td><td>Bird {n}</td><td>seen in {1900 + n % 120}</td></tr>" for n in range(60_000))
    head = "<tr><th>No.</th><th>Name</th><th>Year</th></tr>"
    pages = {"nothing": "<p>Nothing.</p>"}
    if DEVDOCS.is_file():
        pages["lang_select of DevDocs"] = bytes(
            Archive(DEVDOCS).get_entry_by_path("lang_select").get_item().content
        ).decode()
    pages["table of 60,000 rows"] = f"<h1>Birds</h1><table>{head}{rows}</table>"
    pages["20,000 nested divs"] = "<div>" * 20_000 + "<p>At the bottom.</p>" + "</div>" * 20_000
    return pages


def print_large(folder: Path) -> None:
    """The table of large pages."""
    print(f"{'page':<24} {'MB':>6} {'sections s':>11} {'all s':>7} {'chunks':>8} {'peak MB':>8}")
    for name, text in large_pages().items():
        path = folder / "page.html"
        path.write_text(text, encoding="utf-8")
        read = in_child("--page", path)
        print(
            f"{name:<24} {path.stat().st_size / 1e6:>6.2f} {read['sections_s']:>11.2f} {read['seconds']:>7.2f}"
            f" {read['chunks']:>8.0f} {read['peak_mb']:>8.0f}",
            flush=True,
        )


def main() -> None:
    """Read the options, measure, print."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # rates of one core
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("archives", nargs="*", type=Path, default=list(ARCHIVES), help="archives to read")
    options.add_argument("--workers", type=int, default=0, help="measure the whole path in so many processes, too")
    options.add_argument("--growth", action="store_true", help="builds of 2,000, 4,000 and 8,000 pages instead")
    options.add_argument("--large", action="store_true", help="single large pages instead")
    options.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--page", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.make:
        make_archive(given.make)
        return
    if given.build or given.page:
        print(json.dumps(built(given.build) if given.build else page_read(given.page)))
        return
    if not (given.growth or given.large):
        print_stages(given.archives, given.workers)
    with tempfile.TemporaryDirectory() as folder:
        if given.growth:
            print_growth(Path(folder))
        if given.large:
            print_large(Path(folder))


if __name__ == "__main__":
    main()

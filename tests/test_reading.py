from __future__ import annotations

import dataclasses
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from drzero.config import Index, Settings
from drzero.corpus import reading
from drzero.corpus.chunking import tokenised_chunks
from drzero.corpus.reading import read_chunks, reader_count
from drzero.corpus.zim import open_archive
from drzero.errors import ArchiveError
from drzero.pipeline import build_index
from drzero.results import BuildOptions
from drzero.text import content_id
from drzero.types import ReadEntry
from drzero.workspace import Workspace
from tests.conftest import MakeZim
from tests.fakes import HashEmbedder, Spans, WordTokenizer
from tests.made_index import index_archive
from tests.small_index import content

ROOT = Path(__file__).resolve().parents[1]
PAGES = 150


class DeadlyTokenizer(WordTokenizer):
    """Ends the whole process at a word, as a fault in a native library does."""

    def encode(self, texts: Sequence[str]) -> list[Spans]:
        if any("number 77" in text for text in texts):
            os._exit(9)
        return super().encode(texts)


class RaisingTokenizer(WordTokenizer):
    def encode(self, texts: Sequence[str]) -> list[Spans]:
        if any("number 77" in text for text in texts):
            raise ValueError("too few")
        return super().encode(texts)


@pytest.fixture
def archive_path(make_zim: MakeZim) -> Path:
    """150 pages, of which one is empty and one in a doubtful encoding, a picture and redirects."""
    pages: dict[str, Any] = {
        f"page/{n}": (
            f"Page {n}",
            f"<h1>Page {n}</h1><p>Text number {n}.</p><h2>More</h2>"
            + "".join(f"<p>Mark {n * k} of {n}.</p>" for k in range(n % 40)),
            "text/html",
        )
        for n in range(PAGES)
    }
    pages["page/9"] = ("Page 9", "<p></p>", "text/html")
    pages["page/11"] = ("Page 11", b"<p>d\xe9j\xc3\xa0 vu</p>", "text/html; charset=utf-8")
    pages["picture.png"] = ("", b"\x89PNG", "image/png")
    redirects = {f"alias/{n}": (f"Alias {n}", f"page/{n}") for n in range(0, PAGES, 10)}
    return make_zim(pages, redirects=redirects)


def as_plain(entries: Iterator[ReadEntry]) -> list[Any]:
    """Everything in the entries, comparable."""
    return [
        (
            [getattr(entry, field.name) for field in dataclasses.fields(entry) if field.name != "chunks"],
            [(one.chunk, one.tokens.dtype.name, one.tokens.tolist()) for one in entry.chunks],
        )
        for entry in entries
    ]


def children() -> int:
    return len(multiprocessing.active_children())


def test_reading_gives_articles_with_their_chunks(archive_path: Path) -> None:
    archive, tokenizer = open_archive(archive_path), WordTokenizer(40)
    entries = list(read_chunks(archive, tokenizer=tokenizer, target_tokens=40))
    assert [entry.position for entry in entries] == list(range(archive.length))
    by_path = {entry.path: entry for entry in entries if entry.alias is None}
    article = archive.article("page/39")
    assert article
    entry = by_path["page/39"]
    assert (entry.title, entry.digest) == ("Page 39", content_id("Page 39", article.text))
    assert [one.chunk for one in entry.chunks] == [
        one.chunk for one in tokenised_chunks(article, tokenizer, target_tokens=40)
    ]
    assert len(entry.chunks) > 2
    assert (by_path["page/9"].skipped, by_path["page/9"].digest) == ("no-text", "")
    assert [entry.path for entry in entries if entry.doubtful] == ["page/11"]
    assert by_path["picture.png"].skipped == "image"
    assert sorted(entry.path for entry in entries if entry.alias)[:2] == ["page/0", "page/10"]


@pytest.mark.parametrize("start", [0, 45])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_reading_is_the_same_in_any_number_of_processes(archive_path: Path, workers: int, start: int) -> None:
    archive = open_archive(archive_path)
    options: dict[str, Any] = {"tokenizer": WordTokenizer(40), "target_tokens": 40, "exclude": ["page/2*"]}
    alone = as_plain(read_chunks(archive, start=start, **options))
    assert alone[0][0][0] == start
    assert as_plain(read_chunks(archive, start=start, workers=workers, **options)) == alone
    assert children() == 0


def test_reading_starts_no_process_before_it_is_asked(archive_path: Path) -> None:
    entries = read_chunks(open_archive(archive_path), tokenizer=WordTokenizer(40), target_tokens=40, workers=2)
    assert children() == 0
    next(entries)
    assert children() == 2
    entries.close()
    assert children() == 0


def test_reading_of_nothing_starts_no_process(archive_path: Path) -> None:
    archive = open_archive(archive_path)
    options: dict[str, Any] = {"tokenizer": WordTokenizer(40), "target_tokens": 40}
    assert list(read_chunks(archive, start=archive.length, workers=2, **options)) == []


@pytest.mark.parametrize("workers", [0, 2])
def test_reading_passes_a_fault_on_behind_the_entries_before_it(archive_path: Path, workers: int) -> None:
    archive, found = open_archive(archive_path), []
    entries = read_chunks(archive, tokenizer=RaisingTokenizer(40), target_tokens=40, workers=workers)
    with pytest.raises(ValueError, match=r"^too few$"):
        found.extend(entry.position for entry in entries)
    at = next(r.position for r in archive.walk() if r.path == "page/77")
    assert found == list(range(at))
    assert children() == 0


def test_reading_names_the_entries_at_which_a_process_died(archive_path: Path) -> None:
    archive = open_archive(archive_path)
    at = next(r.position for r in archive.walk() if r.path == "page/77")
    first = at // reading._BLOCK * reading._BLOCK
    with pytest.raises(
        ArchiveError, match=rf"small\.zim cannot be read: .* entries {first} to {first + 31} .*status 9;"
    ):
        list(read_chunks(archive, tokenizer=DeadlyTokenizer(40), target_tokens=40, workers=2))
    assert children() == 0


def test_reading_tells_of_an_archive_that_went_away(archive_path: Path) -> None:
    archive = open_archive(archive_path)
    length = archive.length
    archive_path.unlink()
    with pytest.raises(ArchiveError, match=r"small\.zim"):
        list(read_chunks(archive, tokenizer=WordTokenizer(40), target_tokens=40, workers=1))
    assert length > PAGES


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_reading_processes_end_with_their_parent(archive_path: Path) -> None:
    code = (
        "import multiprocessing, pathlib, sys, time\n"
        "from drzero.corpus.reading import read_chunks\n"
        "from drzero.corpus.zim import open_archive\n"
        "from tests.fakes import WordTokenizer\n"
        "archive = open_archive(pathlib.Path(sys.argv[1]))\n"
        "entries = read_chunks(archive, tokenizer=WordTokenizer(40), target_tokens=40, workers=2)\n"
        "next(entries)\n"
        "print(*(child.pid for child in multiprocessing.active_children()), flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(archive_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2
    for pid in pids:
        os.kill(pid, signal.SIGINT)  # Ctrl-C is the parent's to hear
    time.sleep(0.3)
    assert all(is_alive(pid) for pid in pids)
    parent.kill()
    parent.communicate()
    until = time.monotonic() + 10
    while any(is_alive(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(is_alive(pid) for pid in pids)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that waits for a parent to take note of its end does not."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text() if Path("/proc").is_dir() else not os.kill(pid, 0)
    except OSError:
        return False


def test_reading_processes_do_without_torch(archive_path: Path) -> None:
    code = (
        "import sys, drzero.corpus.reading, drzero.models.embedding\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers', 'faiss'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_reading_in_processes_gives_the_same_index(
    make_zim: MakeZim, archive_path: Path, embedder: HashEmbedder, tmp_path: Path
) -> None:
    made = []
    for readers in (0, 2):
        (tmp_path / str(readers)).mkdir()
        workspace = Workspace(tmp_path / str(readers))
        settings = Settings(index=Index(chunk_tokens=64, readers=readers))
        (report,) = build_index(workspace, settings, BuildOptions(archives=(archive_path,)), lambda _: None)
        assert (report.status, report.doubtful) == ("built", 1)
        made.append(content(workspace.index_folder("small")))
    assert made[0] == made[1]
    assert children() == 0


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_reading_in_processes_that_are_killed_gives_the_same_index(archive_path: Path, tmp_path: Path) -> None:
    def start(name: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.made_index", str(archive_path), str(tmp_path / name), "2"]
        return subprocess.Popen(command, cwd=ROOT)

    began = time.monotonic()
    assert start("whole").wait() == 0
    whole_s, killed = time.monotonic() - began, 0
    for share in (0.8, 0.65, 0.5, 0.4, 0.3, 0.2):  # the first run may have been the slowest by far
        process = start("killed")
        time.sleep(share * whole_s)
        process.kill()
        killed += process.wait() == -signal.SIGKILL
    start("killed").wait()
    index_archive(archive_path, tmp_path / "alone", batch_chunks=16)
    assert killed
    assert content(tmp_path / "killed") == content(tmp_path / "whole") == content(tmp_path / "alone")


def test_reading_chooses_how_many_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, chosen, light in ((1, 1, 1), (2, 1, 2), (4, 3, 4), (64, 4, 4), (None, 1, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        assert (reader_count(0, 5000), reader_count(0, 5000, light=True)) == (chosen, light)
    assert (reader_count(0, 1999), reader_count(3, 10), reader_count(1, 10**7)) == (0, 3, 1)

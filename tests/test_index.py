from __future__ import annotations

import dataclasses
import errno
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drzero.corpus.reading import read_chunks
from drzero.corpus.zim import open_archive
from drzero.errors import ArchiveError, IndexFault
from drzero.retrieval import gathering
from drzero.retrieval.index import Entries, build, open_index
from drzero.retrieval.manifest import FORMAT
from drzero.text import embedding_text
from drzero.types import Article, BuildReport, Progress, ReadEntry, Section
from tests.fakes import HashEmbedder, WordTokenizer
from tests.small_index import build_small, chunk, content, entry, info, listed, page, walk

ROOT = Path(__file__).resolve().parents[1]
PAGES = 60
CHUNKS = sum(number % 7 + 1 for number in range(PAGES))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The content of an uninterrupted build."""
    folder = tmp_path_factory.mktemp("whole") / "small"
    build_small(folder)
    return content(folder)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The content of an uninterrupted build of ten times as many pages."""
    folder = tmp_path_factory.mktemp("large") / "small"
    build_small(folder, 10 * PAGES)
    return content(folder)


def child(folder: Path, pages: int = PAGES, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.small_index", str(folder), str(pages), *options]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.fixture(scope="module")
def whole_s(tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long a child takes for the large build, from "ready" to its end: kills must fall within it on any machine."""
    process = child(tmp_path_factory.mktemp("timed") / "small", 10 * PAGES)
    began = time.monotonic()
    process.communicate()
    return time.monotonic() - began


def broken_walk(at: int, error: BaseException, pages: int = PAGES) -> Any:
    def entries(start: int) -> Entries:
        for one in walk(pages)(start):
            if one.position == at:
                raise error
            yield one

    return entries


def unwalkable(start: int) -> Entries:
    raise AssertionError("the archive was read")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- one build ------------------------------------------------------------------------------------------------------


def test_index_build_reports_what_it_did(tmp_path: Path) -> None:
    report = build_small(tmp_path / "small")
    assert (report.index, report.zim_id, report.kind, report.status) == ("small", "zim-1", "other", "built")
    assert (report.articles, report.aliases, report.chunks) == (PAGES, 20, CHUNKS)
    assert report.skipped == (("image", 20), ("unreadable", 20))
    assert report.unreadable == tuple(f"I/{number}" for number in range(2, PAGES, 3))
    assert report.truncated_chunks == 0
    assert [stage for stage, _ in report.stages_s] == ["read", "embed", "write"]
    assert all(0 < seconds < report.elapsed_s for _, seconds in report.stages_s)
    assert names(tmp_path) == ["small"]
    assert names(tmp_path / "small") == ["chunks.db", "manifest.json", "vectors.faiss"]


def test_index_opens_as_it_was_built(tmp_path: Path) -> None:
    build_small(tmp_path / "small")
    expected = [piece for number in range(PAGES) for piece in chunk(page(number))]
    with open_index(tmp_path / "small", embedder_id="hash-64") as index:
        assert (index.name, index.count) == ("small", CHUNKS)
        assert index.chunks(range(CHUNKS)) == expected
        assert index.chunk(expected[9].id) == expected[9]
        assert index.chunks_of("A/5") == chunk(page(5))
        assert index.aliases("A/3") == ("Alias 3",)
        texts = [embedding_text(piece.title, piece.heading, piece.text) for piece in expected]
        assert np.allclose(index.vectors.vectors(range(CHUNKS)), HashEmbedder().embed_passages(texts), atol=5e-4)
        assert index.manifest.archive == info()
        assert index.manifest.settings == {"chunk_tokens": 64, "include": []}
        assert (index.manifest.embedder, index.manifest.dim) == ("hash-64", 64)


def test_index_finds_an_article_by_its_alias(tmp_path: Path) -> None:
    build_small(tmp_path / "small")
    with open_index(tmp_path / "small") as index:
        rows = [row for row, _ in index.store.lexical("alias 30", 1)]
        assert index.chunks(rows)[0] == chunk(page(30))[0]


def test_index_build_again_reads_nothing(tmp_path: Path) -> None:
    first = build_small(tmp_path / "small")
    again = build_small(tmp_path / "small", read=unwalkable)
    assert dataclasses.replace(again, elapsed_s=first.elapsed_s, stages_s=first.stages_s) == dataclasses.replace(
        first, status="unchanged"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"force": True},
        {"settings": {"chunk_tokens": 32}},
        {"limit": 5},
        {"embedder": HashEmbedder(32)},
        {"info": info(PAGES, "zim-2")},
    ],
)
def test_index_build_again_when_something_changed(tmp_path: Path, change: dict[str, Any]) -> None:
    build_small(tmp_path / "small")
    assert build_small(tmp_path / "small", **change).status == "built"
    assert names(tmp_path) == ["small"]


def test_index_build_again_when_files_are_damaged(tmp_path: Path) -> None:
    build_small(tmp_path / "small")
    (tmp_path / "small" / "vectors.faiss").unlink()
    assert build_small(tmp_path / "small").status == "built"
    assert content(tmp_path / "small")


@pytest.mark.parametrize("limit", [1, 6, 59, 60, 100])
def test_index_build_stops_at_the_limit(tmp_path: Path, limit: int) -> None:
    report = build_small(tmp_path / "small", limit=limit)
    assert report.articles == min(limit, PAGES)
    assert report.chunks == sum(number % 7 + 1 for number in range(min(limit, PAGES)))


def test_index_build_without_text_is_an_empty_index(tmp_path: Path) -> None:
    pictures = [ReadEntry(0, "I/a", skipped="image"), ReadEntry(1, "I/b", skipped="image")]
    report = build_small(tmp_path / "small", read=listed(*pictures))
    assert (report.status, report.articles, report.chunks, report.skipped) == ("built", 0, 0, (("image", 2),))
    with open_index(tmp_path / "small") as index:
        assert (index.count, index.store.lexical("a", 5)) == (0, [])


def test_index_build_counts_articles_without_text_and_twins(tmp_path: Path) -> None:
    empty = Article("zim-1", "A/empty", "Empty", ())
    entries = [entry(0, page(1)), entry(1, empty), entry(2, page(1))]
    report = build_small(tmp_path / "small", read=listed(*entries))
    assert (report.articles, report.chunks) == (1, 2)
    assert report.skipped == (("duplicate", 1), ("no-text", 1))


@pytest.mark.parametrize(("lines", "crowding"), [(200, ()), (201, (("A/list", 201),)), (0, ())])
def test_index_build_names_the_pages_that_crowd_it(tmp_path: Path, lines: int, crowding: Any) -> None:
    section = Section((), "\n".join(f"Bird {n}." for n in range(lines)), 0)
    others = [Article("zim-1", f"A/{n}", f"Page {n}", (Section((), f"Mark {n}.", 0),)) for n in range(1000 - lines)]
    pages = [*others, *([Article("zim-1", "A/list", "List", (section,))] if lines else [])]
    entries = [entry(n, one) for n, one in enumerate(pages)]
    report = build_small(tmp_path / "small", read=listed(*entries))
    assert (report.chunks, report.crowding) == (1000, crowding)
    assert build_small(tmp_path / "small", read=unwalkable).crowding == crowding
    few = build_small(tmp_path / "few", read=listed(*entries[1:]))
    assert (few.chunks, few.crowding) == (999, ())


def named(number: int, **changes: Any) -> Article:
    """A page with the text of `page(number)` at another path and under other names."""
    return dataclasses.replace(page(number), **changes)


TWINS = (
    ReadEntry(0, "B/1", alias="Moved before"),  # of a twin that is not read yet
    entry(1, named(1, aliases=("Stated",))),
    entry(2, named(1, path="B/1", title="Twin", aliases=("Also stated",))),
    entry(3, page(2), doubtful=True),
    entry(4, named(1, path="B/2")),
    entry(5, named(2, path="B/3", title="Second twin"), doubtful=True),
    *(entry(n, page(n)) for n in range(6, 12)),
    entry(12, named(6, path="B/6", title="Far twin")),
    ReadEntry(13, "B/1", alias="Redirect", section="Part"),
    ReadEntry(14, "A/1", alias="Redirect"),
    ReadEntry(15, "B/6", alias="Far redirect"),
)


def test_index_build_stores_the_same_text_once(tmp_path: Path) -> None:
    report = build_small(tmp_path / "small", read=listed(*TWINS))
    assert (report.articles, report.skipped, report.doubtful) == (8, (("duplicate", 4),), 1)
    assert report.aliases == 8
    with open_index(tmp_path / "small") as index:
        assert index.aliases("A/1") == ("Also stated", "Moved before", "Redirect", "Stated", "Twin")
        assert (index.aliases("A/2"), index.aliases("A/6")) == (("Second twin",), ("Far redirect", "Far twin"))
        assert (index.aliases("B/1"), index.chunks_of("B/1")) == ((), [])
        assert index.chunks([index.store.lexical("moved before", 1)[0][0]]) == chunk(page(1))[:1]
        assert index.manifest.doubtful == 1
    assert build_small(tmp_path / "small", read=unwalkable).doubtful == 1


@pytest.mark.parametrize("batch_chunks", [1, 2, 5, 16])
def test_index_twins_do_not_depend_on_interruptions(tmp_path: Path, batch_chunks: int) -> None:
    def cut_off(at: int) -> Any:
        def entries(start: int) -> Entries:
            for one in TWINS[start:]:
                if one.position == at:
                    raise KeyboardInterrupt
                yield one

        return entries

    build_small(tmp_path / "straight", read=listed(*TWINS), batch_chunks=batch_chunks)
    for at in range(1, len(TWINS)):
        with pytest.raises(KeyboardInterrupt):
            build_small(tmp_path / "broken", read=cut_off(at), batch_chunks=batch_chunks)
    assert build_small(tmp_path / "broken", read=listed(*TWINS), batch_chunks=batch_chunks).status == "resumed"
    assert content(tmp_path / "broken") == content(tmp_path / "straight")


def test_index_build_tells_progress(tmp_path: Path) -> None:
    seen: list[Progress] = []
    build_small(tmp_path / "small", progress=seen.append)
    assert (seen[0].done, seen[0].total, seen[0].unit) == (1, 2 * PAGES, "entries")
    assert seen[0].note == "1 articles, 1 chunks"
    assert (seen[-1].done, seen[-1].unit, seen[-1].note) == (CHUNKS, "chunks", "word index")


def test_index_build_with_odd_paths(tmp_path: Path) -> None:
    folder = tmp_path / "Ünïcode 書庫 #1 & 100%?"
    article = Article("zim-1", "a\udc80/C#?", "t\ud800", (Section((), "Some text.", 0),))
    build_small(
        folder,
        read=listed(entry(0, article), ReadEntry(1, "x\udcff", skipped="unreadable")),
    )
    with open_index(folder) as index:
        assert index.chunks_of(article.path) == chunk(article)
        assert index.manifest.unreadable == ("x\udcff",)


# --- interrupted builds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_c01_index_killed_at_random_moments_equals_an_uninterrupted_build(
    tmp_path: Path, large: dict[str, Any], whole_s: float, seed: int
) -> None:
    chance, killed = random.Random(seed), 0
    for _ in range(5):
        process = child(tmp_path / "small", 10 * PAGES)
        time.sleep(chance.uniform(0.0, 0.7 * whole_s))
        process.kill()
        process.communicate()
        killed += process.returncode == -9
    child(tmp_path / "small", 10 * PAGES).communicate()
    assert content(tmp_path / "small") == large
    assert names(tmp_path) == ["small"]
    assert killed


def test_c01_index_killed_at_every_step_equals_an_uninterrupted_build(tmp_path: Path, whole: dict[str, Any]) -> None:
    folder, deaths = tmp_path / "small", 0
    for number in range(100):  # each run dies before its first, second or third touch of the disk
        process = child(folder, PAGES, "--die-at", str(number % 3))
        process.communicate()
        deaths += process.returncode == -9
        if process.returncode == 0:
            break
    assert deaths > 10
    assert content(folder) == whole
    assert names(tmp_path) == ["small"]


@pytest.mark.parametrize("number", range(6))
def test_c01_index_killed_while_published_keeps_an_index_usable(
    tmp_path: Path, whole: dict[str, Any], number: int
) -> None:
    """The old index answers until the new one is in its place, whatever the moment of death near the end."""
    folder = tmp_path / "small"
    build_small(folder, settings={"chunk_tokens": 32})
    with pytest.raises(KeyboardInterrupt):
        build_small(folder, read=broken_walk(2 * PAGES - 1, KeyboardInterrupt()))
    process = child(folder, PAGES, "--die-at", str(number))
    process.communicate()
    with open_index(folder) as index:
        assert index.manifest.settings["chunk_tokens"] in (32, 64)
        assert index.count == CHUNKS
    build_small(folder)
    assert content(folder) == whole
    assert names(tmp_path) == ["small"]


def test_c01_index_interrupted_by_the_user_goes_on(tmp_path: Path, whole: dict[str, Any]) -> None:
    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path / "small", read=broken_walk(77, KeyboardInterrupt()))
    assert names(tmp_path) == [".small.building"]
    embedder = HashEmbedder()
    report = build_small(tmp_path / "small", embedder=embedder)
    assert report.status == "resumed"
    assert CHUNKS - embedder.texts_embedded == 144  # nine whole batches of sixteen were kept
    assert content(tmp_path / "small") == whole


def test_index_interrupted_by_a_fault_of_the_archive_goes_on(tmp_path: Path, whole: dict[str, Any]) -> None:
    with pytest.raises(ArchiveError, match="cut"):
        build_small(tmp_path / "small", read=broken_walk(60, ArchiveError("cut")))
    assert build_small(tmp_path / "small").status == "resumed"
    assert content(tmp_path / "small") == whole


def test_index_resumes_within_a_long_article(tmp_path: Path) -> None:
    long = Article("zim-1", "A/long", "Long", (Section((), "\n".join(f"line {n}" for n in range(100)), 0),))
    articles = [page(3), long, page(4)]
    read = listed(*(entry(n, article) for n, article in enumerate(articles)))
    build_small(tmp_path / "straight", read=read)

    class Failing(HashEmbedder):
        def embed_passages(self, texts: Any, tokens: Any = None) -> Any:
            if self.texts_embedded >= 48:
                raise KeyboardInterrupt
            return super().embed_passages(texts, tokens)

    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path / "broken", read=read, embedder=Failing())
    embedder = HashEmbedder()
    build_small(tmp_path / "broken", read=read, embedder=embedder)
    assert embedder.texts_embedded == 109 - 48
    assert content(tmp_path / "broken") == content(tmp_path / "straight")


def test_index_resumes_in_a_run_of_entries_without_text(
    tmp_path: Path, whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "_NOTES_PER_BATCH", 7)
    build_small(tmp_path / "straight")
    for at in (30, 61, 90):
        with pytest.raises(KeyboardInterrupt):
            build_small(tmp_path / "broken", read=broken_walk(at, KeyboardInterrupt()))
    assert build_small(tmp_path / "broken").status == "resumed"
    assert content(tmp_path / "broken") == content(tmp_path / "straight") == whole


@pytest.mark.parametrize(
    "change",
    [
        {"settings": {"chunk_tokens": 32}},
        {"info": info(PAGES, "zim-2")},
        {"embedder": HashEmbedder(64, "other"), "force": True},
        {"force": True},
    ],
)
def test_index_partial_build_with_other_settings_is_thrown_away(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path / "small", read=broken_walk(77, KeyboardInterrupt()))
    report = build_small(tmp_path / "small", **change)
    assert (report.status, report.chunks) == ("built", CHUNKS)


def test_index_partial_build_of_another_version_is_thrown_away(tmp_path: Path) -> None:
    (tmp_path / ".small.building").mkdir()
    with closing(sqlite3.connect(tmp_path / ".small.building" / "chunks.db")) as db:
        db.execute("CREATE TABLE articles(id INTEGER PRIMARY KEY, path NOT NULL UNIQUE, title NOT NULL)")
    report = build_small(tmp_path / "small")
    assert (report.status, report.chunks) == ("built", CHUNKS)


def test_index_forced_build_goes_on_when_forced_again(tmp_path: Path, whole: dict[str, Any]) -> None:
    build_small(tmp_path / "small")
    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path / "small", force=True, read=broken_walk(77, KeyboardInterrupt()))
    assert build_small(tmp_path / "small", force=True).status == "resumed"
    assert content(tmp_path / "small") == whole


def test_index_forced_build_goes_on_without_force(tmp_path: Path, whole: dict[str, Any]) -> None:
    """It does so as it was begun: the index that is there lends it no vectors."""
    build_small(tmp_path / "small")
    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path / "small", force=True, read=broken_walk(77, KeyboardInterrupt()))
    embedder = HashEmbedder()
    report = build_small(tmp_path / "small", embedder=embedder)
    assert (report.status, report.update, embedder.texts_embedded) == ("resumed", None, CHUNKS - 144)
    assert content(tmp_path / "small") == whole
    assert names(tmp_path) == ["small"]
    assert build_small(tmp_path / "small", read=unwalkable).status == "unchanged"


def test_index_partial_build_without_chunks_is_told_beside_an_index_that_is_up_to_date(tmp_path: Path) -> None:
    build_small(tmp_path / "small")
    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path / "small", force=True, read=broken_walk(0, KeyboardInterrupt()))
    report = build_small(tmp_path / "small", read=unwalkable)
    assert (report.status, report.notes) == (
        "unchanged",
        (
            "small is up to date, but a build that was interrupted at once left "
            f"{tmp_path / '.small.building'}: delete it.",
        ),
    )


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"limit": 50}, "other settings is there, too (144 chunks; limit 50, now none)"),
        ({"embedder": HashEmbedder(name="other")}, "the embedder other-64 is there, too (144 chunks)"),
    ],
)
def test_index_partial_build_of_another_kind_is_told_beside_an_index_that_is_up_to_date(
    tmp_path: Path, force: bool, changes: dict[str, Any], what: str
) -> None:
    build_small(tmp_path / "small")
    interrupted: dict[str, Any] = {"read": broken_walk(77, KeyboardInterrupt()), "force": force} | changes
    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path / "small", **interrupted)
    report = build_small(tmp_path / "small", read=unwalkable)
    assert (report.status, report.notes) == (
        "unchanged",
        (
            f"small is up to date, but an interrupted build of it with {what}: build-index goes on with it when it is "
            f"given what it was begun with; without need of it delete {tmp_path / '.small.building'}.",
        ),
    )
    assert build_small(tmp_path / "small", **changes).status == "resumed"
    assert names(tmp_path) == ["small"]


def test_index_partial_build_that_lost_data_starts_again(tmp_path: Path, whole: dict[str, Any]) -> None:
    for name in ("vectors.faiss", "chunks.db"):
        with pytest.raises(KeyboardInterrupt):
            build_small(tmp_path / "small", read=broken_walk(77, KeyboardInterrupt()))
        (tmp_path / ".small.building" / name).write_bytes(b"lost")
    report = build_small(tmp_path / "small")
    assert (report.status, report.notes) == (
        "built",
        ("An interrupted build of small was begun anew: it is damaged (file is not a database).",),
    )
    assert content(tmp_path / "small") == whole


@pytest.mark.parametrize("lost", [lambda path: path.write_bytes(b"lost"), Path.unlink])
def test_index_partial_build_that_lost_vectors_says_so(tmp_path: Path, lost: Callable[[Path], Any]) -> None:
    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path / "small", read=broken_walk(77, KeyboardInterrupt()))
    lost(tmp_path / ".small.building" / "vectors.faiss")
    assert build_small(tmp_path / "small").notes == (
        "An interrupted build of small with 144 chunks was begun anew: its vectors are not all there any more.",
    )


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO, errno.EACCES])
def test_index_partial_build_is_kept_when_its_files_do_not_open(
    tmp_path: Path, whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path / "small", read=broken_walk(77, KeyboardInterrupt()))
    vectors = tmp_path / ".small.building" / "vectors.faiss"
    plain = Path.open

    def failing(path: Path, *options: Any, **more: Any) -> Any:
        if path == vectors:
            raise OSError(number, os.strerror(number), str(path))
        return plain(path, *options, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", failing)
        with pytest.raises(IndexFault, match="cannot be written"):
            build_small(tmp_path / "small")
    report = build_small(tmp_path / "small")
    assert (report.status, report.notes) == ("resumed", ())
    assert content(tmp_path / "small") == whole


def test_index_two_builds_at_once_are_refused(tmp_path: Path) -> None:
    def other(start: int) -> Entries:
        build_small(tmp_path / "small")
        yield from ()

    with pytest.raises(IndexFault, match="Another build is at work"):
        build_small(tmp_path / "small", read=other)


# --- faults ---------------------------------------------------------------------------------------------------------


def test_index_missing_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(IndexFault, match=r"There is no index at .*small; run build-index first"):
        open_index(tmp_path / "small")


def test_index_of_another_embedder_names_both(tmp_path: Path) -> None:
    build_small(tmp_path / "small")
    with pytest.raises(IndexFault, match="embedder hash-64, not other-64"):
        open_index(tmp_path / "small", embedder_id="other-64")


def test_index_with_vectors_of_another_build_is_refused(tmp_path: Path) -> None:
    build_small(tmp_path / "small")
    build_small(tmp_path / "other", limit=9)
    (tmp_path / "other" / "vectors.faiss").replace(tmp_path / "small" / "vectors.faiss")
    with pytest.raises(IndexFault, match="do not belong together"):
        open_index(tmp_path / "small")


@pytest.mark.parametrize("manifest", ["", "{}", "[]", f'{{"format": {FORMAT}}}', "not json"])
def test_index_with_a_damaged_manifest_is_refused(tmp_path: Path, manifest: str) -> None:
    build_small(tmp_path / "small")
    (tmp_path / "small" / "manifest.json").write_text(manifest)
    with pytest.raises(IndexFault, match="cannot be read; run build-index --force"):
        open_index(tmp_path / "small")


def test_index_of_another_version_is_refused(tmp_path: Path) -> None:
    build_small(tmp_path / "small")
    path = tmp_path / "small" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(IndexFault, match="another version of drzero"):
        open_index(tmp_path / "small")
    assert build_small(tmp_path / "small").status == "built"


def test_index_build_leaves_a_folder_that_is_no_index_alone(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "letter.txt").write_text("mine")
    with pytest.raises(IndexFault, match="is not an index"):
        build_small(tmp_path / "small")
    assert names(tmp_path / "small") == ["letter.txt"]


def test_index_build_where_nothing_can_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexFault, match="cannot be written"):
        build_small(tmp_path / "file" / "small")


def test_index_build_out_of_memory_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(IndexFault, match="Memory ran out"):
        build_small(tmp_path / "small", read=broken_walk(77, MemoryError()))
    assert build_small(tmp_path / "small").status == "resumed"


def test_index_embedder_that_drops_a_text_is_refused(tmp_path: Path) -> None:
    class Dropping(HashEmbedder):
        def embed_passages(self, texts: Any, tokens: Any = None) -> Any:
            return super().embed_passages(texts, tokens)[:-1]

    with pytest.raises(IndexFault, match=r"shape \(15, 64\) for 16 chunks"):
        build_small(tmp_path / "small", embedder=Dropping())


def test_index_reads_from_a_folder_it_may_not_write(tmp_path: Path) -> None:
    build_small(tmp_path / "small")
    expected = content(tmp_path / "small")
    (tmp_path / "small").chmod(0o555)
    try:
        assert content(tmp_path / "small") == expected
        assert names(tmp_path / "small") == ["chunks.db", "manifest.json", "vectors.faiss"]
    finally:
        (tmp_path / "small").chmod(0o755)


def test_c06_index_build_grows_in_time_but_not_in_memory(tmp_path: Path) -> None:
    """C06: four times the pages take about four times the processor's time, and hardly more memory."""
    reports = []
    for pages in (2000, 8000):
        output, _ = child(tmp_path / str(pages), pages).communicate()
        reports.append(json.loads(output))
    assert reports[1]["articles"] == 4 * reports[0]["articles"]
    assert reports[1]["cpu_s"] < 4.5 * reports[0]["cpu_s"]
    assert reports[1]["peak_bytes"] - reports[0]["peak_bytes"] < 24_000_000


def test_index_build_takes_plain_options(tmp_path: Path) -> None:
    report = build(
        info=info(3),
        read=walk(3),
        embedder=HashEmbedder(),
        folder=tmp_path / "deep" / "small",
        settings={},
    )
    assert report.chunks == 6


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["real/wikipedia_en_ray_charles_maxi_2023-09.zim", "real/devdocs_en_sqlite_2025-04.zim"]
)
def test_index_of_a_real_archive_does_not_depend_on_interruptions(tmp_path: Path, shared_data: Path, name: str) -> None:
    archive = open_archive(shared_data / "zims" / name)
    tokenizer = WordTokenizer(1 << 20)

    def read(start: int) -> Entries:
        return read_chunks(archive, tokenizer=tokenizer, target_tokens=200, start=start)

    def step(folder: Path, read: Any) -> BuildReport:
        embedder = HashEmbedder(limit_tokens=1 << 20)
        return build(info=archive.info, read=read, embedder=embedder, folder=folder, settings={}, batch_chunks=100)

    def cut_off(at: int) -> Any:
        def entries(start: int) -> Entries:
            for one in read(start):
                if one.position >= at:
                    raise KeyboardInterrupt
                yield one

        return entries

    straight = step(tmp_path / "straight", read)
    for share in (0.3, 0.5, 0.9):
        with pytest.raises(KeyboardInterrupt):
            step(tmp_path / "broken", cut_off(int(share * archive.info.entry_count)))
    resumed = step(tmp_path / "broken", read)
    assert (straight.status, resumed.status) == ("built", "resumed")
    assert straight.chunks > 300
    assert content(tmp_path / "broken") == content(tmp_path / "straight")

"""A new edition or other settings: what was embedded once is not embedded again; refusals where that cannot be."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import faiss
import pytest

from drzero.errors import IndexFault
from drzero.retrieval.index import Entries, open_index, refusal
from drzero.retrieval.vectors import VectorIndex, VectorWriter
from drzero.types import Article, Progress, ReadEntry, Section, Update
from tests.fakes import HashEmbedder
from tests.small_index import build_small, chunk, content, entry, info, listed, page
from tests.test_index import CHUNKS, PAGES, broken_walk, child, names, unwalkable


class Described(HashEmbedder):
    """A hash embedder that says what it is, as real ones do."""

    def __init__(self, name: str = "hash", dim: int = 64, **changes: Any) -> None:
        super().__init__(dim, name)
        stated = {"name": name, "dim": dim, "pooling": "mean", "passage_prefix": "", "precision": "fp32"}
        self.description = stated | changes
        if changes.keys() - {"precision"}:
            self.id += "-" + "-".join(map(str, changes.values()))


def edition(pages: Sequence[Article], zim_id: str = "zim-2") -> dict[str, Any]:
    """`build_small` options: these pages as another edition."""
    moved = [dataclasses.replace(one, zim_id=zim_id) for one in pages]
    return {"info": info(len(pages), zim_id), "read": listed(*(entry(n, one) for n, one in enumerate(moved)))}


def edited(number: int) -> Article:
    """A page of which the last line was rewritten."""
    lines = page(number).text.split("\n")
    return dataclasses.replace(page(number), sections=(Section((), "\n".join([*lines[:-1], "It is rewritten."]), 0),))


BEFORE = [page(number) for number in range(20)]
AFTER = [page(30), *(page(number) for number in range(4)), edited(4), *(page(number) for number in range(6, 20))]
"""Page 30 (3 chunks) is new, page 4 (5 chunks) has one other, page 5 (6 chunks) is gone."""
ALL = sum(number % 7 + 1 for number in range(20))


def test_updating_embeds_only_new_texts_and_says_what_changed(tmp_path: Path) -> None:
    build_small(tmp_path / "small", **edition(BEFORE, "zim-1"))
    embedder = HashEmbedder()
    report = build_small(tmp_path / "small", embedder=embedder, **edition(AFTER))
    assert (report.status, report.zim_id, report.chunks) == ("built", "zim-2", ALL + 3 - 6)
    assert report.update == Update(
        chunks_kept=ALL - 6 - 1,
        chunks_new=4,
        chunks_gone=7,
        articles_added=1,
        articles_changed=1,
        articles_removed=1,
        former_zim_id="zim-1",
    )
    assert embedder.texts_embedded == 4
    build_small(tmp_path / "anew", **edition(AFTER))
    assert {**content(tmp_path / "small"), "manifest": {}} == {**content(tmp_path / "anew"), "manifest": {}}
    assert names(tmp_path) == ["anew", "small"]
    assert build_small(tmp_path / "small", **edition(AFTER) | {"read": unwalkable}).update is None


@pytest.mark.parametrize("change", [{"settings": {"chunk_tokens": 64, "include": ["A"]}}, {"limit": 7}])
def test_updating_after_other_settings_keeps_vectors_of_the_same_texts(tmp_path: Path, change: dict[str, Any]) -> None:
    build_small(tmp_path / "small")
    embedder = HashEmbedder()
    report = build_small(tmp_path / "small", embedder=embedder, **change)
    assert report.update is not None
    assert (embedder.texts_embedded, report.update.chunks_kept) == (0, report.chunks)
    assert report.update.chunks_gone == CHUNKS - report.chunks


def test_updating_finds_the_vectors_of_texts_that_stand_elsewhere_now(tmp_path: Path) -> None:
    build_small(tmp_path / "small", **edition(BEFORE, "zim-1"))
    moved = [dataclasses.replace(one, path=f"B/{number}") for number, one in enumerate(BEFORE)]
    embedder = HashEmbedder()
    report = build_small(tmp_path / "small", embedder=embedder, **edition(moved[::-1]))
    assert report.update is not None
    assert (embedder.texts_embedded, report.update.chunks_gone) == (0, 0)
    assert (report.update.articles_added, report.update.articles_removed) == (20, 20)
    with open_index(tmp_path / "small") as index:
        assert index.chunks_of("B/3") == chunk(dataclasses.replace(moved[3], zim_id="zim-2"))


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (Described(), Described("other")),
        (Described(), Described(pooling="cls")),
        (Described(), Described(precision="int8")),
        (Described(), Described(dim=32)),
    ],
)
def test_updating_takes_no_vectors_of_another_embedder_or_precision(
    tmp_path: Path, before: Described, now: Described
) -> None:
    build_small(tmp_path / "small", embedder=before, **edition(BEFORE, "zim-1"))
    report = build_small(tmp_path / "small", embedder=now, **edition(BEFORE))
    assert (report.update, now.texts_embedded) == (None, ALL)


def test_updating_by_force_embeds_all_anew(tmp_path: Path) -> None:
    build_small(tmp_path / "small")
    embedder = HashEmbedder()
    report = build_small(tmp_path / "small", embedder=embedder, force=True)
    assert (report.status, report.update, embedder.texts_embedded) == ("built", None, CHUNKS)


@pytest.mark.parametrize("at", [2, 9, 17])
def test_updating_interrupted_leaves_the_old_index_usable_and_goes_on(tmp_path: Path, at: int) -> None:
    build_small(tmp_path / "small", **edition(BEFORE, "zim-1"))
    old = content(tmp_path / "small")
    wanted = edition(AFTER)

    def cut_off(start: int) -> Entries:
        for one in wanted["read"](start):
            if one.position == at:
                raise KeyboardInterrupt
            yield one

    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path / "small", **wanted | {"read": cut_off, "batch_chunks": 2})
    assert content(tmp_path / "small") == old
    report = build_small(tmp_path / "small", **wanted | {"batch_chunks": 2})
    assert report.status == "resumed"
    assert report.update is not None
    assert (report.update.chunks_kept, report.update.chunks_new, report.update.chunks_gone) == (ALL - 7, 4, 7)
    build_small(tmp_path / "anew", **wanted)
    assert {**content(tmp_path / "small"), "manifest": {}} == {**content(tmp_path / "anew"), "manifest": {}}


def test_updating_killed_at_every_step_keeps_an_index_usable(tmp_path: Path) -> None:
    folder, deaths = tmp_path / "small", 0
    build_small(folder, settings={"chunk_tokens": 32})
    for number in range(100):
        process = child(folder, PAGES, "--die-at", str(number % 3))
        process.communicate()
        with open_index(folder) as index:
            assert (index.count, index.store.lexical("amber mark", 1)[0][1] > 0) == (CHUNKS, True)
        deaths += process.returncode == -9
        if process.returncode == 0:
            break
    assert deaths > 10
    build_small(tmp_path / "anew")
    assert content(folder) == content(tmp_path / "anew")


def test_updating_without_the_old_index_after_all(tmp_path: Path) -> None:
    build_small(tmp_path / "small", **edition(BEFORE, "zim-1"))
    (tmp_path / "small" / "chunks.db").write_bytes(b"lost")
    report = build_small(tmp_path / "small", **edition(AFTER))
    assert (report.status, report.update, report.chunks) == ("built", None, ALL - 3)


# --- interrupted builds and refusals --------------------------------------------------------------------------------


def interrupted(folder: Path, **changes: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        build_small(folder, **{"read": broken_walk(77, KeyboardInterrupt())} | changes)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (Described("other"), "hash-64, not other-64"),
        (Described(dim=32), r"hash-64, not hash-32 \(dim 64, not 32\)"),
        (Described(pooling="cls"), r"hash-64, not hash-64-cls \(pooling mean, not cls\)"),
        (Described(passage_prefix="p: "), r"hash-64, not hash-64-p:  \(passage_prefix \"\", not p: \)"),
    ],
)
def test_c05_another_embedder_is_refused_naming_both(tmp_path: Path, other: Described, says: str) -> None:
    """C05: model, size, pooling and prefixes are told apart, when an index is opened and when a build goes on."""
    folder = tmp_path / "small"
    interrupted(folder, embedder=Described())
    with pytest.raises(IndexFault, match=rf"\(144 chunks so far\) was begun with the embedder {says}; choose that one"):
        build_small(folder, embedder=other, read=unwalkable)
    assert refusal(folder, other.id, other.description).endswith("or --force to begin anew with this one.")
    assert build_small(folder, embedder=Described()).status == "resumed"
    assert refusal(folder, other.id, other.description) == ""
    with pytest.raises(IndexFault, match=f"The index small was made with the embedder {says}; choose that one"):
        open_index(folder, embedder_id=other.id, description=other.description)
    with open_index(folder, embedder_id="hash-64") as index:
        assert index.manifest.description == Described().description


def test_c05_a_refused_build_may_be_forced(tmp_path: Path) -> None:
    interrupted(tmp_path / "small", embedder=Described())
    other = Described("other")
    assert build_small(tmp_path / "small", embedder=other, force=True).status == "built"
    assert other.texts_embedded == CHUNKS


def test_updating_a_build_that_goes_on_in_another_precision_says_so(tmp_path: Path) -> None:
    interrupted(tmp_path / "small", embedder=Described())
    assert build_small(tmp_path / "small", embedder=Described(precision="int8")).status == "resumed"
    with open_index(tmp_path / "small") as index:
        assert index.manifest.description["precision"] == index.manifest.pace["precision"] == "fp32 + int8"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"settings": {"chunk_tokens": 32, "include": ["A"]}}, "chunk_tokens 64, now 32; include none, now A"),
        ({"settings": {"chunk_tokens": 64, "include": [], "extraction": 9}}, "another version of drzero"),
        ({"info": info(PAGES, "zim-2")}, "another edition of the archive"),
        ({"limit": 6}, "limit none, now 6"),
    ],
)
def test_updating_says_what_was_begun_anew_and_why(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    interrupted(tmp_path / "small")
    report = build_small(tmp_path / "small", **change)
    assert report.status == "built"
    assert report.notes == (f"An interrupted build of small with 144 chunks was begun anew: {why}.",)


def test_updating_goes_on_at_the_stored_place_without_a_look_at_what_was_before(tmp_path: Path) -> None:
    interrupted(tmp_path / "small")
    asked: list[int] = []

    def read(start: int) -> Entries:
        asked.append(start)
        yield from ()

    assert build_small(tmp_path / "small", read=read).status == "resumed"
    assert asked == [74]  # page 37, of which the first of three chunks was the 144th


# --- files that do not belong together ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["vectors.faiss", "chunks.db", "manifest.json"])
def test_updating_a_file_of_another_build_of_equal_size_is_noticed(tmp_path: Path, name: str) -> None:
    other = [dataclasses.replace(page(number), title=f"Other {number}") for number in range(20)]
    build_small(tmp_path / "small", **edition(BEFORE))
    build_small(tmp_path / "other", **edition(other))
    (tmp_path / "other" / name).replace(tmp_path / "small" / name)
    with pytest.raises(IndexFault, match="do not belong together; run build-index --force"):
        open_index(tmp_path / "small")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks at the files that are open as Linux lists them")
@pytest.mark.parametrize("name", ["vectors.faiss", "chunks.db"])
@pytest.mark.parametrize("fault", ["of another build", "no such file", "damaged"])
def test_updating_an_index_that_does_not_open_leaves_no_file_open(tmp_path: Path, name: str, fault: str) -> None:
    build_small(tmp_path / "small", **edition(BEFORE))
    path = tmp_path / "small" / name
    if fault == "of another build":
        build_small(tmp_path / "other", **edition(AFTER))
        (tmp_path / "other" / name).replace(path)
    elif fault == "damaged":
        path.write_bytes(b"lost" * 100)
    else:
        path.unlink()
    try:
        open_index(tmp_path / "small")
    except IndexFault:  # while the fault is handled its frames live, and all that they hold
        held = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
        assert [path for path in held if str(tmp_path) in path] == []
    else:
        pytest.fail("it opened")


def test_updating_vectors_of_before_an_update_are_noticed(tmp_path: Path) -> None:
    """One chunk of hundreds is new: of all rows, that one is sampled."""
    many = [page(number) for number in range(200)]
    build_small(tmp_path / "small", **edition(many, "zim-1"))
    before = (tmp_path / "small" / "vectors.faiss").read_bytes()
    report = build_small(tmp_path / "small", **edition([*many[:123], edited(123), *many[124:]]))
    assert report.update is not None
    assert (report.update.chunks_new, report.update.chunks_gone) == (1, 1)
    (tmp_path / "small" / "vectors.faiss").write_bytes(before)
    with pytest.raises(IndexFault, match="do not belong together"):
        open_index(tmp_path / "small")


# --- clusters -------------------------------------------------------------------------------------------------------


@pytest.fixture
def clustered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small indexes have clusters, too."""
    for function in (VectorWriter.finish, VectorIndex.__init__):
        monkeypatch.setitem(function.__kwdefaults__, "clustered_from", 1)


@pytest.mark.usefixtures("clustered")
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"lost")])
def test_updating_makes_damaged_clusters_again_and_nothing_else(tmp_path: Path, damage: Callable[[Path], Any]) -> None:
    folder = tmp_path / "small"
    build_small(folder)
    before, file = content(folder), folder / "clusters.faiss"
    clusters = file.read_bytes()
    damage(file)
    told: list[Progress] = []
    embedder = HashEmbedder()
    report = build_small(folder, read=unwalkable, embedder=embedder, progress=told.append)
    assert (report.status, report.chunks, embedder.texts_embedded) == ("built", CHUNKS, 0)
    assert report.notes == ("small: only its clusters were made again; nothing else had changed.",)
    assert [(one.done, one.total, one.note) for one in told] == [(CHUNKS, CHUNKS, "clusters")]
    assert (file.read_bytes(), content(folder)) == (clusters, before)
    again = build_small(folder, read=unwalkable)
    assert (again.status, again.notes) == ("unchanged", ())


@pytest.mark.usefixtures("clustered")
def test_updating_ends_without_clusters_where_they_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "small"
    with monkeypatch.context() as patch:
        patch.delattr(faiss, "IndexIVFRaBitQ")
        built, again = build_small(folder), build_small(folder, read=unwalkable)
    assert (built.status, again.status) == ("built", "unchanged")
    assert [note[:35] for note in (*built.notes, *again.notes)] == ["small: No clusters could be made (m"] * 2
    assert names(folder) == ["chunks.db", "manifest.json", "vectors.faiss"]
    assert build_small(folder, read=unwalkable).status == "built"
    assert "clusters.faiss" in names(folder)


def test_updating_pace_is_kept_with_the_index(tmp_path: Path) -> None:
    report = build_small(tmp_path / "small", readers=3)
    pace = json.loads((tmp_path / "small" / "manifest.json").read_text())["pace"]
    assert (pace["embedded"], pace["kept"], pace["readers"]) == (CHUNKS, 0, 3)
    assert pace["chunks_per_s"] > 0
    assert set(dict(report.stages_s)) == {"read", "embed", "write"}
    assert 0 < pace["embed_s"] < pace["elapsed_s"] <= report.elapsed_s


def test_updating_progress_moves_within_one_long_article(tmp_path: Path) -> None:
    """While a single page is embedded, progress is told again and again."""

    class Slow(HashEmbedder):
        def embed_passages(self, texts: Any, tokens: Any = None) -> Any:
            time.sleep(0.3)
            return super().embed_passages(texts, tokens)

    long = Article("zim-1", "A/long", "Long", (Section((), "\n".join(f"line {n}" for n in range(96)), 0),))
    seen: list[float] = []
    read = listed(ReadEntry(0, "I/a", skipped="image"), entry(1, long))
    build_small(tmp_path / "small", read=read, embedder=Slow(), progress=lambda p: seen.append(p.elapsed_s))
    assert len([one for one in seen if one < 1.8]) >= 5

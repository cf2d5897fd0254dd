"""drzero.retrieval.linking: articles that a chunk names, and those like it; drzero.retrieval.sampling: its topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from drzero.retrieval.index import OpenIndex, open_index
from drzero.retrieval.linking import alike, linked
from drzero.retrieval.sampling import Sampler, topic_of
from drzero.retrieval.vectors import VectorIndex, VectorWriter
from tests.conftest import MakeZim
from tests.made_index import index_archive

TEXTS = {
    "Blue Hour": "Blue Hour is an album. It was produced by Joe Adams and recorded in Mercury, a town of Ohio.",
    "Joe Adams": "Joe Adams was an American actor and producer of many records in Los Angeles for years.",
    "Red Hour": "Red Hour is an album. It was produced by Sid Feller and recorded in a town of Utah.",
    "Mercury (planet)": "Mercury is the planet nearest to the Sun, and the smallest one of them all.",
    "Mercury (element)": "Mercury is a heavy metal that is liquid at the warmth of a room, and poisonous.",
    "Lone Page": "This page names no other page at all, and none of them speaks of it anywhere.",
}


@pytest.fixture
def index(make_zim: MakeZim, tmp_path: Path) -> Iterator[OpenIndex]:
    pages = {
        title.replace(" ", "_"): (title, f"<h1>{title}</h1><p>{text}</p>", "text/html") for title, text in TEXTS.items()
    }
    index_archive(make_zim(pages, name="hours.zim"), tmp_path / "indexes" / "hours")
    with open_index(tmp_path / "indexes" / "hours") as opened:
        yield opened


def test_linking_finds_the_articles_that_a_chunk_names(index: OpenIndex) -> None:
    (blue,) = index.chunks_of("Blue_Hour")
    assert [chunk.title for chunk in linked([index], blue)] == ["Joe Adams"]  # not one of two articles named Mercury
    (lone,) = index.chunks_of("Lone_Page")
    assert linked([index], lone) == []


def test_linking_is_the_same_each_time_and_never_the_chunk_s_own_article(index: OpenIndex) -> None:
    for path in ("Joe_Adams", "Mercury_(planet)", "Blue_Hour"):
        (chunk,) = index.chunks_of(path)
        found = linked([index], chunk)
        assert found == linked([index], chunk)
        assert path not in {one.path for one in found}


def test_linking_a_name_that_two_archives_bear_means_none(index: OpenIndex) -> None:
    (blue,) = index.chunks_of("Blue_Hour")
    assert linked([index, index], blue) == []
    assert linked([], blue) == []


def test_linking_alike_chunks_are_of_other_articles_nearest_first(index: OpenIndex) -> None:
    (blue,) = index.chunks_of("Blue_Hour")
    found = alike([index], blue)
    assert found[0].title == "Red Hour"
    assert len({chunk.path for chunk in found}) == len(found)
    assert "Blue Hour" not in {chunk.title for chunk in found}
    assert alike([], blue) == []


def test_linking_row_of_a_chunk_is_where_it_is_read(index: OpenIndex) -> None:
    for row, chunk in enumerate(index.chunks(range(index.count))):
        assert index.store.row_of(chunk.id) == row
    assert index.store.row_of("0" * 32) is None


def test_sampling_prefers_the_topic_asked_about_least(index: OpenIndex) -> None:
    asked: Counter[tuple[str, str]] = Counter()
    sampler = Sampler([index], asked)
    drawn = Counter(sampler(Random(number)).path for number in range(80))
    assert len(drawn) == len(TEXTS)
    zim_id = index.manifest.archive.id
    asked.update({(zim_id, path): 3 for path in drawn if path != "Lone_Page"})
    again = Counter(sampler(Random(number)).path for number in range(40))
    assert again.most_common(1)[0][0] == "Lone_Page"


def test_sampling_counts_an_article_it_does_not_hold_nowhere(index: OpenIndex) -> None:
    asked = Counter({("other", "Blue_Hour"): 9, (index.manifest.archive.id, "Gone"): 9})
    assert Sampler([index], asked)(Random(3)) == Sampler([index], Counter())(Random(3))


def test_sampling_a_small_index_has_stretches_for_topics(index: OpenIndex) -> None:
    zim_id = index.manifest.archive.id
    topics = [topic_of(index, row) for row in range(index.count)]
    assert topics == [(zim_id, row * 64 // index.count) for row in range(index.count)]


def test_sampling_a_clustered_index_has_cells_for_topics(index: OpenIndex, tmp_path: Path) -> None:
    rows = index.vectors.vectors(range(index.count))
    folder = tmp_path / "clustered"
    folder.mkdir()
    with VectorWriter(folder / "vectors.faiss", index.vectors.dim) as writer:
        writer.append(rows)
        writer.finish(clustered_from=1)
    with VectorIndex(folder / "vectors.faiss", clustered_from=1) as vectors:
        clustered = OpenIndex(index.name, folder, index.manifest, index.store, vectors)
        cells = {topic_of(clustered, row) for row in range(index.count)}
        assert cells == {(index.manifest.archive.id, 0)}  # so few rows make one cell

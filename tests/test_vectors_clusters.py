from __future__ import annotations

import stat
from pathlib import Path

import faiss
import numpy as np
import pytest

from drzero.errors import IndexFault
from drzero.retrieval import clusters
from drzero.retrieval.rows import Rows
from drzero.retrieval.vectors import FILE_NAME, VectorIndex, VectorWriter
from drzero.types import Float32

DIM = 32
ROWS = 4000


def topical_rows(count: int, seed: int = 0) -> Float32:
    """Unit rows around sixty topics, so that there are near and far ones."""
    draw = np.random.default_rng(seed)
    topics = draw.standard_normal((60, DIM))
    rows = topics[draw.integers(60, size=count)] + 0.8 * draw.standard_normal((count, DIM))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def clustered(folder: Path, rows: Float32) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with VectorWriter(folder / FILE_NAME, rows.shape[1]) as writer:
        writer.append(rows)
        writer.finish(clustered_from=1)
    return folder / FILE_NAME


def exact(rows: Float32, queries: Float32, k: int) -> list[list[int]]:
    halves = rows.astype(np.float16).astype(np.float32)
    return [np.argsort(-(halves @ query), kind="stable")[:k].tolist() for query in queries]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clustered(tmp_path_factory.mktemp("large"), topical_rows(ROWS))


@pytest.mark.parametrize("count", [1, 3, 40])
def test_clusters_of_few_rows_find_all_of_them(tmp_path: Path, count: int) -> None:
    rows = topical_rows(count)
    index = VectorIndex(clustered(tmp_path, rows))
    assert index.clusters is not None
    assert index.clusters.shape.cells == 1
    queries = topical_rows(5, seed=1)
    assert index.search(queries, 50)[1].tolist() == exact(rows, queries, 50)


def test_clusters_of_no_rows_are_not_made(tmp_path: Path) -> None:
    index = VectorIndex(clustered(tmp_path, topical_rows(0)), clustered_from=0)
    assert (index.clusters, index.fault) == (None, "")
    assert index.search(topical_rows(1), 3)[1].shape == (1, 0)
    assert not (tmp_path / clusters.FILE_NAME).exists()


def test_clusters_are_made_from_their_number_of_rows_on(tmp_path: Path) -> None:
    with VectorWriter(tmp_path / FILE_NAME, DIM) as writer:
        writer.append(topical_rows(40))
        writer.finish(clustered_from=41)
        assert not (tmp_path / clusters.FILE_NAME).exists()
        writer.finish(clustered_from=40)
        assert (tmp_path / clusters.FILE_NAME).exists()
    VectorWriter(tmp_path / FILE_NAME, DIM, rows=40).close()
    assert not (tmp_path / clusters.FILE_NAME).exists()


def test_clusters_find_nearly_all_and_rank_them_exactly(large: Path) -> None:
    rows, queries = topical_rows(ROWS), topical_rows(50, seed=2)
    index = VectorIndex(large)
    assert index.clusters is not None
    shape = index.clusters.shape
    assert (shape.rows, shape.dim, shape.cells) == (ROWS, DIM, 100)
    assert (shape.probes, shape.depth) == (23, 250)
    similarities, found = index.search(queries, 10)
    hits = [len(set(line) & set(right)) for line, right in zip(found.tolist(), exact(rows, queries, 10), strict=True)]
    assert sum(hits) >= 0.95 * 10 * len(queries)
    halves = rows.astype(np.float16).astype(np.float32)
    assert similarities == pytest.approx(np.einsum("qkd,qd->qk", halves[found], queries), abs=1e-6)
    assert (np.diff(similarities, axis=1) <= 0).all()


def test_clusters_find_the_same_for_one_query_and_many(large: Path) -> None:
    index, queries = VectorIndex(large), topical_rows(20, seed=3)
    similarities, found = index.search(queries, 10)
    for number in range(len(queries)):
        alone, rows = index.search(queries[number : number + 1], 10)
        assert rows[0].tolist() == found[number].tolist()
        assert alone[0].tolist() == similarities[number].tolist()


def test_clusters_give_as_many_as_are_asked_for(large: Path) -> None:
    found = VectorIndex(large).search(topical_rows(3, seed=4), 1000)[1]
    assert found.shape == (3, 1000)
    assert (found >= 0).all()
    assert all(len(set(line)) == 1000 for line in found.tolist())
    assert (np.sort(VectorIndex(large).search(topical_rows(1), ROWS)[1][0]) == np.arange(ROWS)).all()


def test_clusters_order_equal_rows_by_number(tmp_path: Path) -> None:
    rows = topical_rows(500)
    rows[7::50] = rows[7]
    found = VectorIndex(clustered(tmp_path, rows)).search(rows[7:8], 10)[1]
    assert found[0].tolist() == list(range(7, 500, 50))


def test_clusters_are_the_same_bytes_whatever_the_threads_and_the_steps(tmp_path: Path, large: Path) -> None:
    import faiss

    rows, threads = topical_rows(ROWS), faiss.omp_get_max_threads()
    path = tmp_path / FILE_NAME
    with VectorWriter(path, DIM) as writer:
        writer.append(rows[:1000])
        writer.append(rows[1000:1300])  # written, but never committed elsewhere
    try:
        faiss.omp_set_num_threads(1)
        with VectorWriter(path, DIM, rows=1000) as writer:
            writer.append(rows[1000:])
            writer.finish(clustered_from=1)
    finally:
        faiss.omp_set_num_threads(threads)
    assert path.read_bytes() == large.read_bytes()
    assert path.with_name(clusters.FILE_NAME).read_bytes() == large.with_name(clusters.FILE_NAME).read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == [clusters.FILE_NAME, FILE_NAME]


def test_clusters_file_is_a_faiss_index_behind_its_head(large: Path) -> None:
    import faiss

    content = np.frombuffer(large.with_name(clusters.FILE_NAME).read_bytes(), dtype=np.uint8)[4096:]
    index = faiss.deserialize_index(content.copy())
    reference = faiss.IndexIVFRaBitQ(index.quantizer, DIM, index.nlist, faiss.METRIC_INNER_PRODUCT)
    rows = Rows(large).read(np.arange(ROWS))
    reference.train(rows)
    reference.add(rows)
    assert faiss.serialize_index(index).tobytes() == faiss.serialize_index(reference).tobytes() == content.tobytes()


def test_clusters_tell_how_far_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_BLOCK", 300)
    told: list[tuple[int, int]] = []
    with VectorWriter(tmp_path / FILE_NAME, DIM) as writer:
        writer.append(topical_rows(1000))
        writer.finish(lambda done, total: told.append((done, total)), clustered_from=1)
    assert told == [(300, 1000), (600, 1000), (900, 1000), (1000, 1000)]


def damage(path: Path, at: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("missing", "cannot be read"),
        ("empty", "is damaged"),
        ("cut", "is damaged"),
        ("cut in the head", "is damaged"),
        ("head", "is damaged"),
        ("centres", "is damaged"),
        ("of others", "made from other vectors"),
    ],
)
def test_clusters_at_fault_are_told_and_search_is_exact(tmp_path: Path, fault: str, told: str) -> None:
    rows, queries = topical_rows(400), topical_rows(5, seed=5)
    path = clustered(tmp_path / "one", rows)
    file = path.with_name(clusters.FILE_NAME)
    content = file.read_bytes()
    if fault == "missing":
        file.unlink()
    elif fault == "empty":
        file.write_bytes(b"")
    elif fault == "cut":
        file.write_bytes(content[:-1])
    elif fault == "cut in the head":
        file.write_bytes(content[:100])
    elif fault == "head":
        damage(file, 0, b"\xff\x00")
    elif fault == "centres":
        damage(file, 4096 + 200, b"\x7f\x7f\x7f\x7f")
    else:
        other = clustered(tmp_path / "two", topical_rows(400, seed=9))
        file.write_bytes(other.with_name(clusters.FILE_NAME).read_bytes())
    index = VectorIndex(path, clustered_from=400)
    assert index.clusters is None
    assert told in index.fault
    assert index.fault.endswith("search is exact but slow until `drzero build-index` has made it again.")
    assert index.search(queries, 10)[1].tolist() == exact(rows, queries, 10)


def test_clusters_with_damaged_row_numbers_are_told_and_search_is_exact(tmp_path: Path) -> None:
    rows, queries = topical_rows(400), topical_rows(5, seed=5)
    path = clustered(tmp_path, rows)
    file = path.with_name(clusters.FILE_NAME)
    damage(file, file.stat().st_size - 8, b"\xff\xff\xff\x7f")  # the last row number of the last cell
    index = VectorIndex(path)
    assert index.clusters is not None
    assert index.search(queries, 400)[1].tolist() == exact(rows, queries, 400)
    assert index.clusters is None
    assert "is damaged" in index.fault


@pytest.mark.parametrize("lacking", ["IndexIVFRaBitQ", "serialize_index"])
def test_clusters_that_this_faiss_cannot_make_leave_vectors_that_are_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    """Another version of faiss may lack a class, or write another format."""
    rows, queries = topical_rows(400), topical_rows(5, seed=5)
    plain = faiss.serialize_index
    with VectorWriter(tmp_path / FILE_NAME, DIM) as writer, monkeypatch.context() as patch:
        writer.append(rows)
        if lacking == "IndexIVFRaBitQ":
            patch.delattr(faiss, lacking)
        else:
            patch.setattr(faiss, lacking, lambda index: plain(index)[:-1] if index.ntotal else plain(index))
        said = writer.finish(clustered_from=1)
    assert said.startswith("No clusters could be made (")
    assert said.endswith("; search is exact but slow until `drzero build-index` has made them.")
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
    assert VectorIndex(tmp_path / FILE_NAME).search(queries, 10)[1].tolist() == exact(rows, queries, 10)


def test_clusters_lie_in_any_folder_even_one_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "Ünïcode 書庫 #1"
    path = clustered(folder, topical_rows(400))
    for file in folder.iterdir():
        file.chmod(stat.S_IRUSR)
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        index = VectorIndex(path)
        assert index.clusters is not None
        assert index.search(topical_rows(400)[3:4], 1)[1].tolist() == [[3]]
    finally:
        folder.chmod(stat.S_IRWXU)


def test_clusters_of_vectors_cut_short_raise(tmp_path: Path) -> None:
    path = clustered(tmp_path, topical_rows(400))
    index = VectorIndex(path)
    with path.open("r+b") as file:
        file.truncate(200)
    with pytest.raises(IndexFault, match="cut short"):
        index.search(topical_rows(1), 10)
    with pytest.raises(IndexFault, match="incomplete"):
        VectorIndex(path)


def test_clusters_count_grows_with_the_root_of_the_rows() -> None:
    counts = [clusters.cell_count(rows) for rows in (0, 1, 79, 80, 4000, 1_000_000, 5_000_000)]
    assert counts == [1, 1, 1, 2, 100, 4096, 4096]


def test_clusters_are_probed_by_a_share_and_at_most_so_many_rows() -> None:
    sizes = ((1, 1), (4000, 100), (1_000_000, 4096), (5_000_000, 4096))
    assert [clusters.probe_count(rows, cells) for rows, cells in sizes] == [1, 23, 922, 328]

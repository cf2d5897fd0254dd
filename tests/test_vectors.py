from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from drzero.errors import IndexFault
from drzero.retrieval.rows import FLAT_HEADER_BYTES
from drzero.retrieval.vectors import FILE_NAME, VectorIndex, VectorWriter
from drzero.types import Float32


def unit_rows(count: int, dim: int = 8, seed: int = 0) -> Float32:
    rows = np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def halved(rows: Float32) -> Float32:
    return rows.astype(np.float16).astype(np.float32)


def written(folder: Path, rows: Float32) -> Path:
    path = folder / FILE_NAME
    with VectorWriter(path, rows.shape[1]) as writer:
        writer.append(rows)
        writer.finish()
    return path


@pytest.mark.parametrize("count", [0, 1, 40])
def test_vectors_file_is_a_faiss_index(tmp_path: Path, count: int) -> None:
    import faiss

    rows = unit_rows(count)
    path = written(tmp_path, rows)
    index = faiss.deserialize_index(np.fromfile(path, dtype=np.uint8))
    assert (index.ntotal, index.d, index.metric_type) == (count, 8, faiss.METRIC_INNER_PRODUCT)
    assert (index.reconstruct_n(0, count) == halved(rows)).all()
    reference = faiss.IndexScalarQuantizer(8, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
    reference.add(rows)
    assert path.read_bytes() == faiss.serialize_index(reference).tobytes()


def test_vectors_search_gives_exact_similarities_best_first(tmp_path: Path) -> None:
    rows = unit_rows(50)
    index = VectorIndex(written(tmp_path, rows))
    similarities, found = index.search(rows[7:8], 5)
    exact = halved(rows) @ rows[7]
    assert found[0].tolist() == np.argsort(-exact)[:5].tolist()
    assert found[0][0] == 7
    assert similarities[0] == pytest.approx(np.sort(exact)[::-1][:5], abs=1e-6)


def test_vectors_search_orders_equal_rows_by_number(tmp_path: Path) -> None:
    index = VectorIndex(written(tmp_path, np.repeat(unit_rows(1), 6, axis=0)))
    assert index.search(unit_rows(1), 6)[1][0].tolist() == [0, 1, 2, 3, 4, 5]


def test_vectors_search_asks_for_no_more_than_there_are(tmp_path: Path) -> None:
    index = VectorIndex(written(tmp_path, unit_rows(3)))
    assert index.search(unit_rows(2, seed=1), 10)[1].shape == (2, 3)


def test_vectors_empty_index_finds_nothing(tmp_path: Path) -> None:
    index = VectorIndex(written(tmp_path, unit_rows(0)))
    assert index.count == 0
    assert index.search(unit_rows(1), 10)[1].shape == (1, 0)


def test_vectors_returns_rows(tmp_path: Path) -> None:
    rows = unit_rows(9)
    assert (VectorIndex(written(tmp_path, rows)).vectors([4, 0, 4]) == halved(rows)[[4, 0, 4]]).all()


def test_vectors_writer_goes_on_behind_the_stored_rows(tmp_path: Path) -> None:
    rows, path = unit_rows(10), tmp_path / FILE_NAME
    with VectorWriter(path, 8) as writer:
        writer.append(rows[:4])
        writer.append(rows[4:7])  # written, but never committed elsewhere
    with VectorWriter(path, 8, rows=4) as writer:
        writer.append(rows[4:])
        writer.finish()
    assert (VectorIndex(path).vectors(range(10)) == halved(rows)).all()


def test_vectors_writer_refuses_a_file_that_lost_rows(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with VectorWriter(path, 8) as writer:
        writer.append(unit_rows(2))
    with pytest.raises(IndexFault, match="fewer vectors"):
        VectorWriter(path, 8, rows=3)


def test_vectors_writer_refuses_other_dimensions_and_nan(tmp_path: Path) -> None:
    with VectorWriter(tmp_path / FILE_NAME, 8) as writer:
        with pytest.raises(IndexFault, match="8 numbers"):
            writer.append(unit_rows(2, dim=6))
        with pytest.raises(IndexFault, match="not numbers"):
            writer.append(np.full((1, 8), np.nan, dtype=np.float32))


def test_vectors_query_of_another_dimension_is_one_sentence(tmp_path: Path) -> None:
    index = VectorIndex(written(tmp_path, unit_rows(3)))
    with pytest.raises(IndexFault, match="holds 8 numbers each"):
        index.search(unit_rows(1, dim=4), 1)


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"IxSQ" + bytes(FLAT_HEADER_BYTES), b"IxFI" + bytes(FLAT_HEADER_BYTES)]
)
def test_vectors_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    with pytest.raises(IndexFault, match="not an index of vectors"):
        VectorIndex(path)


@pytest.mark.parametrize("at", [16, 32, 33, 37, 41, 45, 49, 53])  # metric, quantizer, range, unused counts
def test_vectors_file_with_a_damaged_header_is_refused(tmp_path: Path, at: int) -> None:
    path = written(tmp_path, unit_rows(3))
    content = bytearray(path.read_bytes())
    content[at] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(IndexFault, match=r"is damaged|is not an index|is incomplete"):
        VectorIndex(path)


def test_vectors_file_cut_short_or_missing_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, unit_rows(3))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(IndexFault, match="incomplete"):
        VectorIndex(path)
    path.unlink()
    with pytest.raises(IndexFault, match="cannot be read"):
        VectorIndex(path)


def test_vectors_folder_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "Ünïcode 書庫 #1"
    folder.mkdir()
    assert VectorIndex(written(folder, unit_rows(2))).count == 2

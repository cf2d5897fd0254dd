"""drzero.kb.asked: the vectors of questions are worked out once for each embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drzero.errors import KnowledgeBaseError
from drzero.kb.asked import keeping_vectors
from drzero.kb.schema import open_knowledge_base, rows
from drzero.loop.novelty import Asked
from drzero.types import Float32

Embed = Callable[[Sequence[str]], Float32]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Any]:
    opened = open_knowledge_base(tmp_path / "knowledge.db")
    yield opened
    opened.close()


def counted(seen: list[str], factor: float = 1.0) -> Embed:
    def embed(texts: Sequence[str]) -> Float32:
        seen.extend(texts)
        return np.array([[len(text) / 7, factor, 1 / 3] for text in texts], dtype=np.float32)

    return embed


def test_asked_vectors_are_worked_out_once_and_come_back_as_they_were(db: Any) -> None:
    seen: list[str] = []
    embed = counted(seen)
    first = keeping_vectors(db, "mini@1 fp32", embed)(["one", "three"])
    again = keeping_vectors(db, "mini@1 fp32", embed)(["three", "two", "one", "three"])
    assert seen == ["one", "three", "two"]
    assert again.dtype == np.float32
    assert np.array_equal(again, counted([])(["three", "two", "one", "three"]))
    assert np.array_equal(first, again[[2, 0]])


def test_asked_vectors_of_another_embedder_are_others(db: Any) -> None:
    seen: list[str] = []
    keeping_vectors(db, "mini@1 fp32", counted(seen))(["one"])
    other = keeping_vectors(db, "mini@1 int8", counted(seen, factor=2.0))(["one"])
    assert other[0][1] == 2.0
    assert seen == ["one", "one"]


def test_asked_vectors_that_are_not_finite_are_given_but_not_kept(db: Any) -> None:
    def broken(texts: Sequence[str]) -> Float32:
        return np.array([[np.nan if text == "bad" else 1.0] for text in texts], dtype=np.float32)

    assert np.isnan(keeping_vectors(db, "mini@1", broken)(["good", "bad"])).tolist() == [[False], [True]]
    assert [row["question"] for row in rows(db, "select question from question_vectors")] == ["good"]
    seen: list[str] = []
    keeping_vectors(db, "mini@1", lambda texts: counted(seen)(texts)[:, :1])(["good", "bad"])
    assert seen == ["bad"]


def test_asked_vectors_many_and_odd_questions(db: Any) -> None:
    questions = [f"What is number {n}?" for n in range(1203)] + ["", "橋 'x' \"y\"?", "half \ud800 a letter"]
    seen: list[str] = []
    first = keeping_vectors(db, "mini@1", counted(seen))(questions)
    assert np.array_equal(keeping_vectors(db, "mini@1", counted(seen))(questions), first)
    assert seen == questions


def test_asked_vectors_as_many_as_questions_or_none_are_kept(db: Any) -> None:
    with pytest.raises(ValueError, match="zip"):
        keeping_vectors(db, "mini@1", lambda texts: np.ones((3, 2), dtype=np.float32))(["one", "two"])
    assert rows(db, "select * from question_vectors") == []


def test_asked_vectors_serve_a_loop_that_starts_again(db: Any) -> None:
    questions = ["Who opened the Forth Bridge?", "When did Ada Lovelace die?"]
    seen: list[str] = []
    for _ in range(2):
        asked = Asked(counted(seen), 0.93, keeping_vectors(db, "mini@1", counted(seen)))
        asked.add(questions)
        assert asked.nearest(questions[1]) == (1.0, questions[1])
    assert seen == [*questions, questions[1], questions[1]]  # a question looked up is no known one


def test_asked_vectors_of_a_file_that_cannot_be_read(db: Any) -> None:
    db.execute("drop table question_vectors")
    with pytest.raises(KnowledgeBaseError):
        keeping_vectors(db, "mini@1", counted([]))(["one"])

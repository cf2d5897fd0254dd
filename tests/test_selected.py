"""drzero.kb.selected: episodes on their way out, and what became of their entries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from drzero.errors import KnowledgeBaseError
from drzero.kb import selected
from drzero.kb.entries import set_entry_status
from drzero.kb.episodes import save_episode, start_run
from drzero.kb.reviews import Decision, add_review
from drzero.kb.schema import open_knowledge_base
from drzero.kb.selected import Candidate, iter_candidates, iter_vectors, repeated_questions, whole_episode
from tests.samples import CHALLENGE, make_entry, make_episode

if TYPE_CHECKING:
    from sqlite_utils import Database

ASKED = CHALLENGE.question


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A knowledge base of two runs: e1 with an entry, e2 that was refused, e3 of another profile without a run."""
    db = open_knowledge_base(tmp_path / "knowledge.db")
    for run in ("r1", "r2"):
        start_run(db, settings={"run": run}, profile="wikipedia", seed=1, iterations=1, id_=run)
    save_episode(db, make_episode(run="r1"), make_entry())
    refused = replace(CHALLENGE, question="What is pepper made of?")
    save_episode(db, make_episode(id="e2", run="r2", status="rejected", reason="wrong", challenge=refused), None)
    save_episode(db, make_episode(id="e3", profile="coding"), None)
    yield db
    db.close()


def ids(db: Database, **wanted: str) -> list[str]:
    return [one.id for one in iter_candidates(db, **wanted)]


def test_selected_candidates_come_in_order_with_their_entries(db: Database) -> None:
    assert list(iter_candidates(db)) == [
        Candidate("e1", "accepted", ASKED, ""),
        Candidate("e2", "rejected", "What is pepper made of?", ""),
        Candidate("e3", "accepted", ASKED, ""),
    ]


def test_selected_candidates_of_a_run_and_a_profile(db: Database) -> None:
    assert ids(db, run="r2") == ["e2"]
    assert ids(db, profile="coding") == ["e3"]
    assert ids(db, profile="wikipedia") == ["e1", "e2"]
    assert ids(db, run="r2", profile="coding") == []


def test_selected_pages_have_all_and_each_once(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selected, "AT_ONCE", 2)
    assert ids(db) == ["e1", "e2", "e3"]
    save_episode(db, make_episode(id="e4"), None)
    assert ids(db) == ["e1", "e2", "e3", "e4"]
    assert [row["id"] for row in iter_vectors(db)] == ["e1", "e2", "e3", "e4"]


@pytest.mark.parametrize("status", ["stale", "disputed"])
def test_selected_doubt_of_an_entry_is_one_of_all_that_asked_the_same(db: Database, status: str) -> None:
    set_entry_status(db, "n1", status, ("It reads otherwise.",))  # type: ignore[arg-type]
    assert [one.doubt for one in iter_candidates(db)] == [status, "", status]


@pytest.mark.parametrize(
    ("decisions", "doubt"),
    [
        (("accept",), ""),
        (("retire",), "retired"),
        (("retire", "accept"), ""),
        (("accept", "retire"), "retired"),
        (("correct",), "corrected"),
        (("correct", "accept"), "corrected"),
        (("correct", "retire"), "retired"),
    ],
)
def test_selected_a_persons_word_counts(db: Database, decisions: tuple[Decision, ...], doubt: str) -> None:
    for decision in decisions:
        add_review(db, "n1", decision, text="Salt is salt." if decision == "correct" else "")
    assert [one.doubt for one in iter_candidates(db)] == [doubt, "", doubt]


def test_selected_a_whole_episode_is_as_it_was_stored(db: Database) -> None:
    assert whole_episode(db, "e1") == make_episode(run="r1")


@pytest.mark.parametrize("trace", ["", "{", "null", "[]", "{}", '{"id": 3}', '{"attempts": 7}'])
def test_selected_a_trace_that_cannot_be_read_is_none(db: Database, trace: str) -> None:
    db.execute("update episodes set trace = ? where id = 'e1'", (trace,))
    assert whole_episode(db, "e1") is None


def test_selected_a_trace_whose_chunks_are_lost_is_none(db: Database) -> None:
    db.execute("delete from chunks")
    assert whole_episode(db, "e1") is None


def test_selected_an_episode_that_is_not_there_is_told(db: Database) -> None:
    with pytest.raises(KnowledgeBaseError, match="There is no episode e9"):
        whole_episode(db, "e9")


def test_selected_vectors_are_rows_without_traces(db: Database) -> None:
    first = next(iter_vectors(db))
    assert first == {
        "id": "e1",
        "run_id": "r1",
        "iteration": 0,
        "number": 0,
        "created_at": "2026-01-02T03:04:05+00:00",
        "question": ASKED,
        "type": "factual",
        "level": "easy",
        "profile": "wikipedia",
        "status": "accepted",
        "reason": "",
        "metrics": [0.95, 1.0] + [0.5] * 12,
    }
    assert [row["id"] for row in iter_vectors(db, run="r2")] == ["e2"]


@pytest.mark.parametrize("metrics", ["", "nonsense", "{}"])
def test_selected_vectors_that_cannot_be_read_are_none(db: Database, metrics: str) -> None:
    db.execute("update episodes set metrics = ? where id = 'e1'", (metrics,))
    assert next(iter_vectors(db))["metrics"] == []


def test_selected_repeated_questions(db: Database) -> None:
    assert list(repeated_questions(db).values()) == [("e1", "e3")]

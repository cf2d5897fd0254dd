"""Episodes on their way out as data: which there are, what became of their entries, a few hundred rows at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drzero.errors import KnowledgeBaseError
from drzero.kb.entries import question_key
from drzero.kb.episodes import get_episode
from drzero.kb.schema import has_column, rows
from drzero.text import storable
from drzero.types import Episode

if TYPE_CHECKING:
    from sqlite_utils import Database

AT_ONCE = 400  # rows
_KEYS = "id, run_id, iteration, number, created_at, question, type, level, profile, status, reason"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An episode without its trace; `doubt` is why nothing is to be learnt from an answer to its question, "" for no
    reason: "stale", "disputed", "corrected" or "retired".
    """

    id: str
    status: str
    question: str
    doubt: str


def iter_candidates(db: Database, *, run: str = "", profile: str = "") -> Iterator[Candidate]:
    """Episodes of `run` and `profile`, where those are given, in the order in which they were stored."""
    doubts = doubted_questions(db)
    for row in _by_place(db, "rowid as place, id, status, question", run=run, profile=profile):
        doubt = doubts.get(question_key(row["question"]), "") if doubts else ""
        yield Candidate(row["id"], row["status"], row["question"], doubt)


def doubted_questions(db: Database) -> dict[str, str]:
    """Why an answer is not to be relied on, by the key of its question: its entry is not current, or a person put it
    right, so that it no longer says what the episode did.
    """
    found = rows(db, "select question_key, status from entries where status <> 'current'")
    doubts = {str(row["question_key"]): str(row["status"]) for row in found}
    if has_column(db, "reviews", "entry_id"):
        joined = "reviews join entries on entries.id = reviews.entry_id"
        put_right = rows(db, f"select question_key from {joined} where decision = 'correct'")
        doubts = {str(row["question_key"]): "corrected" for row in put_right} | doubts
    return doubts


def iter_vectors(db: Database, *, run: str = "", profile: str = "") -> Iterator[dict[str, Any]]:
    """What is kept of each episode beside its trace, as a row; `metrics` is a list of numbers, [] for none."""
    for row in _by_place(db, f"rowid as place, {_KEYS}, metrics", run=run, profile=profile):
        del row["place"]
        try:
            metrics = json.loads(row["metrics"])
        except ValueError:
            metrics = []
        yield row | {"metrics": metrics if isinstance(metrics, list) else []}


def whole_episode(db: Database, id_: str) -> Episode | None:
    """An episode with its trace; None where that is missing or cannot be read any more."""
    try:
        found = get_episode(db, id_)
        return found if isinstance(found, Episode) else None
    except KnowledgeBaseError:
        if rows(db, "select 1 from episodes where id = ?", (id_,)):
            return None
        raise
    except (AttributeError, LookupError, TypeError, ValueError):  # JSON of another form than this drzero writes
        return None


def repeated_questions(db: Database) -> dict[str, tuple[str, ...]]:
    """The ids of episodes that asked the same, by the key of the question; only of questions asked more than once."""
    found = rows(
        db,
        "select id, question from episodes where question in "
        "(select question from episodes where question <> '' group by question having count(*) > 1) order by rowid",
    )
    asked: dict[str, list[str]] = {}
    for row in found:
        asked.setdefault(question_key(row["question"]), []).append(row["id"])
    return {key: tuple(ids) for key, ids in asked.items()}


def _by_place(db: Database, what: str, *, run: str, profile: str) -> Iterator[dict[str, Any]]:
    wanted = {"run_id": run, "profile": profile}
    where = "".join(f" and {column} = ?" for column, value in wanted.items() if value)
    values = [storable(value) for value in wanted.values() if value]
    last = -1
    while True:
        sql = f"select {what} from episodes where rowid > ?{where} order by rowid limit ?"
        found = rows(db, sql, (last, *values, AT_ONCE))
        if not found:
            return
        last = found[-1]["place"]
        yield from found

"""Episodes on their way out as data: which there are, what became of their entries, a few hundred rows at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drzero.errors import KnowledgeBaseError
from drzero.kb.entries import question_key
from drzero.kb.episodes import get_episode
from drzero.kb.schema import rows
from drzero.text import storable
from drzero.types import Episode

if TYPE_CHECKING:
    from sqlite_utils import Database

AT_ONCE = 400  # rows
_KEYS = "episodes.id, run_id, iteration, number, created_at, question, type, level, profile, episodes.status, reason"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An episode with what became of its entry: `entry` is its status, "" without one, `word` a person's last on it.

    A `word` is "", "accept", "correct" or "retire".
    """

    id: str
    status: str
    question: str
    entry: str
    word: str

    @property
    def doubt(self) -> str:
        """Why its answer is not to be learnt from, as far as the knowledge base tells; "" for no reason."""
        if self.word in ("correct", "retire"):
            return {"correct": "corrected", "retire": "retired"}[self.word]
        return "" if self.entry in ("", "current") else self.entry


def iter_candidates(
    db: Database, *, run: str = "", profile: str = "", statuses: Sequence[str] = ()
) -> Iterator[Candidate]:
    """Episodes of `run`, `profile` and `statuses`, where those are given, in the order in which they were stored."""
    word = "''"
    if rows(db, "select 1 from sqlite_master where type = 'table' and name = 'reviews'"):
        word = (
            "coalesce((select decision from reviews where entry_id = entries.id order by reviews.id desc limit 1), '')"
        )
    what = (
        "episodes.rowid as place, episodes.id, episodes.status, episodes.question, "
        f"coalesce(entries.status, '') as entry, {word} as word"
    )
    joined = "episodes left join entries on entries.episode_id = episodes.id"
    last: str | None = None
    for row in _by_place(db, what, joined, run=run, profile=profile, statuses=statuses):
        if row["id"] != last:  # an episode gives one entry; were there more, the first would do
            yield Candidate(row["id"], row["status"], row["question"], row["entry"], row["word"])
        last = row["id"]


def iter_vectors(db: Database, *, run: str = "", profile: str = "") -> Iterator[dict[str, Any]]:
    """What is kept of each episode beside its trace, as a row; `metrics` is a list of numbers, [] for none."""
    for row in _by_place(db, f"episodes.rowid as place, {_KEYS}, metrics", "episodes", run=run, profile=profile):
        del row["place"]
        try:
            metrics = json.loads(row["metrics"])
        except ValueError:
            metrics = []
        yield row | {"metrics": metrics if isinstance(metrics, list) else []}


def whole_episode(db: Database, id_: str) -> Episode | None:
    """An episode with its trace; None where that is missing or cannot be read any more."""
    try:
        return get_episode(db, id_)
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


def _by_place(
    db: Database, what: str, joined: str, *, run: str = "", profile: str = "", statuses: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    where = ""
    values: list[Any] = []
    for column, value in (("run_id", run), ("episodes.profile", profile)):
        if value:
            where += f" and {column} = ?"
            values.append(storable(value))
    if statuses:
        where += f" and episodes.status in ({','.join('?' * len(statuses))})"
        values += statuses
    last = -1
    while True:
        sql = f"select {what} from {joined} where episodes.rowid > ?{where} order by episodes.rowid limit ?"
        found = rows(db, sql, (last, *values, AT_ONCE))
        yield from (dict(row) for row in found)
        if len(found) < AT_ONCE:
            return
        last = found[-1]["place"]

"""What was asked: questions that were refused, so that none is tried again and again, and the vectors of questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from drzero.kb.schema import rows, transaction
from drzero.text import storable
from drzero.types import Episode

if TYPE_CHECKING:
    from sqlite_utils import Database

_MANY = 500  # questions looked up at a time


def remember(db: Database, episode: Episode) -> None:
    """Store the questions that the gates of `episode` refused, each with the gate; those known already stay as are."""
    refused = [
        (storable(str(step.output["question"])), str(step.output["refusal"]), episode.id)
        for step in episode.steps
        if step.name == "proposal" and step.output["question"] and step.output["refusal"] not in ("", "near-copy")
    ]
    with transaction(db):
        for question, refusal, id_ in refused:
            db.execute(
                "insert or ignore into refused (question, refusal, episode_id) values (?, ?, ?)",
                (question, refusal, id_),
            )


def refused_before(db: Database, id_: str) -> list[str]:
    """As `refused_questions`, of the episodes that were stored before the episode `id_`."""
    sql = (
        "select refused.question from refused join episodes on episodes.id = refused.episode_id "
        "where episodes.rowid < (select rowid from episodes where id = ?) order by refused.number"
    )
    return [row["question"] for row in rows(db, sql, (id_,))]


def refused_questions(db: Database) -> list[str]:
    """Every question that a gate refused, oldest first."""
    return [row["question"] for row in rows(db, "select question from refused order by number")]


def keeping_vectors(
    db: Database, embedder: str, embed: Callable[[Sequence[str]], Any]
) -> Callable[[Sequence[str]], Any]:
    """`embed`, which gives float32 rows, but for questions whose vectors by this `embedder` are kept; new ones are.

    One that is not finite is given but not kept, so that a mended model makes it anew. `embedder` names all that
    changes a vector.
    """

    def vectors(questions: Sequence[str]) -> Any:
        found = _kept_vectors(db, embedder, list(dict.fromkeys(map(storable, questions))))
        new = [text for text in questions if storable(text) not in found]
        if new:
            made = np.asarray(embed(new), dtype="<f4")
            fresh = {storable(text): row for text, row in zip(new, made, strict=True)}
            kept = [(embedder, text, row.tobytes()) for text, row in fresh.items() if np.isfinite(row).all()]
            with transaction(db):
                db.conn.executemany(
                    "insert or ignore into question_vectors (embedder, question, vector) values (?, ?, ?)", kept
                )
            found |= fresh
        return np.stack([found[storable(text)] for text in questions])

    return vectors


def _kept_vectors(db: Database, embedder: str, questions: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for at in range(0, len(questions), _MANY):
        part = questions[at : at + _MANY]
        sql = f"select * from question_vectors where embedder = ? and question in ({', '.join('?' * len(part))})"
        found |= {
            row["question"]: np.frombuffer(row["vector"], dtype="<f4") for row in rows(db, sql, (embedder, *part))
        }
    return found

"""Questions that were proposed and refused: they are remembered, so that none is tried again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drzero.kb.schema import rows, transaction
from drzero.text import storable
from drzero.types import Episode

if TYPE_CHECKING:
    from sqlite_utils import Database


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

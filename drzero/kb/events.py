"""What runs did beside their episodes, and how they fared with the articles they proposed from, as stored."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from drzero.kb import json_values
from drzero.kb.schema import has_table, rows, transaction
from drzero.text import storable
from drzero.types import Event, SeedVitals

if TYPE_CHECKING:
    from sqlite_utils import Database


def add_events(db: Database, events: Sequence[Event]) -> None:
    """Store events in their order, all or nothing; one without a time happened now."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with transaction(db):
        for event in events:
            db.table("events").insert(
                {
                    "run_id": event.run,
                    "iteration": event.iteration,
                    "at": event.at or now,
                    "kind": event.kind,
                    "reason": storable(event.reason),
                    "detail": json_values.dumps(event.detail),
                }
            )


def list_events(db: Database, run: str, *, kinds: Collection[str] = ()) -> list[Event]:
    """The events of a run, oldest first, those of `kinds` where any are named; [] in a file without any."""
    if not has_table(db, "events"):
        return []
    return [
        Event(row["run_id"], row["iteration"], row["kind"], row["reason"], json.loads(row["detail"]), row["at"])
        for row in rows(db, "select * from events where run_id = ? order by id", (run,))
        if not kinds or row["kind"] in kinds
    ]


def note_seeds(db: Database, run: str, seen: Sequence[SeedVitals]) -> None:
    """Add what one episode saw of its seed articles to what the run saw of them before."""
    with transaction(db):
        for one in seen:
            db.execute(
                "insert into seed_articles (run_id, zim_id, path, proposals, copies, challenges, accepted, last_error) "
                "values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (run_id, zim_id, path) do update set "
                "proposals = proposals + excluded.proposals, copies = copies + excluded.copies, "
                "challenges = challenges + excluded.challenges, accepted = accepted + excluded.accepted, "
                "last_error = case when excluded.last_error != '' then excluded.last_error else last_error end",
                (
                    run,
                    one.zim_id,
                    storable(one.path),
                    one.proposals,
                    one.copies,
                    one.challenges,
                    one.accepted,
                    storable(one.last_error),
                ),
            )


def seed_vitals(db: Database, run: str) -> list[SeedVitals]:
    """How a run fared with each article it proposed from, the most used first; [] in a file without any."""
    if not has_table(db, "seed_articles"):
        return []
    found = rows(db, "select * from seed_articles where run_id = ? order by proposals desc, zim_id, path", (run,))
    return [SeedVitals(**{name: value for name, value in row.items() if name != "run_id"}) for row in found]


def episode_counts(db: Database, run: str) -> tuple[int, int]:
    """How many episodes a run has, and how many of them were accepted."""
    found = rows(db, "select count(*) as n, sum(status = 'accepted') as a from episodes where run_id = ?", (run,))
    return found[0]["n"], found[0]["a"] or 0

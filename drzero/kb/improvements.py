"""What had been learnt before each iteration of a run, and how prompt variants did where they were tried."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from drzero.kb import json_values
from drzero.kb.schema import now, rows, transaction
from drzero.text import storable
from drzero.types import Curriculum

if TYPE_CHECKING:
    from sqlite_utils import Database


@dataclass(frozen=True, slots=True)
class Trial:
    """One wording tried on one challenge that was set aside. `number` counts from 0 within the iteration.

    `wording` is the prompt's name with variant and version, as prompts are recorded; `variant` "" is the usual one.
    """

    run_id: str
    iteration: int
    number: int
    profile: str
    writer: str
    prompt: str
    wording: str
    variant: str
    challenge_id: str
    won: bool
    fault: str = ""  # why it came to nothing; it was neither won nor lost then


def save_state(
    db: Database, run: str, iteration: int, *, profile: str, writer: str, state: str, start: Curriculum
) -> None:
    """Keep what had been learnt before an iteration, as text, and where it began. What is kept already stays."""
    with transaction(db):
        db.table("improvements").insert(
            {
                "run_id": run,
                "iteration": iteration,
                "profile": storable(profile),
                "writer": storable(writer),
                "state": state,
                "curriculum": json_values.dumps(start),
                "made_at": now(),
            },
            ignore=True,
        )


def load_state(db: Database, run: str, iteration: int | None = None) -> str | None:
    """What had been learnt before an iteration of a run, or before its latest; None where nothing was kept."""
    found = rows(
        db,
        "select state from improvements where run_id = ? and (iteration = ? or ? is null) order by iteration desc",
        (run, iteration, iteration),
    )
    return str(found[0]["state"]) if found else None


def load_start(db: Database, run: str, iteration: int) -> Curriculum | None:
    """The curriculum that an iteration of a run began with; None where none was kept."""
    found = rows(db, "select * from improvements where run_id = ? and iteration = ?", (run, iteration))
    text = found[0].get("curriculum", "") if found else ""
    return json_values.loads(text, Curriculum) if text else None


def save_trial(db: Database, trial: Trial) -> None:
    """Keep one trial. One that stands at its place already stays."""
    row = asdict(trial) | {
        name: storable(getattr(trial, name)) for name in ("profile", "writer", "challenge_id", "fault")
    }
    with transaction(db):
        db.table("trials").insert(row | {"won": int(trial.won), "tried_at": now()}, ignore=True)


def list_trials(db: Database, *, profile: str, writer: str) -> list[Trial]:
    """The trials of a profile with a writer, oldest first."""
    found = rows(
        db,
        "select * from trials where profile = ? and writer = ? order by rowid",
        (storable(profile), storable(writer)),
    )
    return [
        Trial(**{name: value for name, value in row.items() if name != "tried_at"} | {"won": bool(row["won"])})
        for row in found
    ]


def save_ranks(db: Database, searches: str, challenge_id: str, ranks: Mapping[float, Sequence[int]]) -> None:
    """Keep at which ranks the gold chunks of a challenge were found, by weight of words. What is kept already stays.

    `searches` names all that decides what a search finds; what has no name ("") is not kept.
    """
    if not searches:
        return
    with transaction(db):
        db.execute(
            "insert or ignore into search_ranks (searches, challenge_id, ranks) values (?, ?, ?)",
            (searches, storable(challenge_id), json.dumps([[weight, list(found)] for weight, found in ranks.items()])),
        )


def load_ranks(db: Database, searches: str, challenge_id: str) -> dict[float, list[int]] | None:
    """The ranks that were kept; None where none were."""
    if not searches:
        return None
    sql = "select ranks from search_ranks where searches = ? and challenge_id = ?"
    found = rows(db, sql, (searches, storable(challenge_id)))
    return {float(weight): ranks for weight, ranks in json.loads(found[0]["ranks"])} if found else None


def teaching_episodes(db: Database) -> set[str]:
    """The ids of the episodes whose entries are current."""
    return {row["episode_id"] for row in rows(db, "select episode_id from entries where status = 'current'")}

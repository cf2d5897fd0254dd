"""Entries on their way out: what all of them cite, and whole ones by their numbers, a few hundred in memory at a time.

`number` counts entries as they were admitted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from drzero.kb.schema import rows
from drzero.kb.support import has_table
from drzero.text import storable
from drzero.types import Citation, Claim, Entry, Judgement

if TYPE_CHECKING:
    from sqlite_utils import Database

AT_ONCE = 400  # entries
_MORE_ARCHIVES = (
    "select claims.entry_id, supports.zim_id from claims join supports on supports.claim_id = claims.id "
    "where claims.entry_id in ({}) order by claims.entry_id, claims.position, supports.number, supports.position"
)


@dataclass(frozen=True, slots=True)
class Cited:
    """An entry with the titles that it cites, in order, and the archives of these and of what else supports it."""

    number: int
    question: str
    profile: str
    created_at: str
    titles: tuple[str, ...]
    archives: tuple[str, ...]


@contextmanager
def unchanging(db: Database) -> Iterator[None]:
    """Everything read within is of one moment, whatever another process writes meanwhile."""
    db.conn.execute("BEGIN")
    try:
        yield
    finally:
        db.conn.rollback()


def iter_cited(db: Database, *, statuses: Sequence[str], profile: str = "") -> Iterator[Cited]:
    """All entries of these statuses, and of `profile` unless that is "", in the order of their numbers."""
    marks = ",".join("?" * len(statuses))
    last = -1
    supported = has_table(db, "supports")
    while True:
        found = rows(
            db,
            f"select number, id, question, profile, created_at from entries where number > ? and status in ({marks}) "
            "and (? = '' or profile = ?) order by number limit ?",
            (last, *statuses, storable(profile), storable(profile), AT_ONCE),
        )
        if not found:
            return
        cited = _by_entry(
            db,
            "select claims.entry_id, citations.title, citations.zim_id from claims "
            "join citations on citations.claim_id = claims.id where claims.entry_id in ({}) "
            "order by claims.entry_id, claims.position, citations.position",
            [row["id"] for row in found],
        )
        more = _by_entry(db, _MORE_ARCHIVES, [row["id"] for row in found]) if supported else {}
        for row in found:
            one = cited.get(row["id"], [])
            titles = tuple(c["title"] for c in one)
            archives = tuple(c["zim_id"] for c in (*one, *more.get(row["id"], ())))
            yield Cited(row["number"], row["question"], row["profile"], row["created_at"], titles, archives)
        last = found[-1]["number"]


def entries_numbered(db: Database, numbers: Sequence[int]) -> dict[int, Entry]:
    """The whole entries of these numbers; one that is not there any more is left out.

    Behind the citations of a claim stand the places that support it beside them (see `support`).
    """
    found: dict[int, Entry] = {}
    wanted = list(dict.fromkeys(numbers))
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        found |= _whole(db, rows(db, f"select * from entries where number in ({','.join('?' * len(some))})", some))
    return found


def archive_rows(db: Database) -> list[dict[str, Any]]:
    """All that is known of each archive that is cited, as its row has it, by id."""
    return rows(db, "select * from archives order by id")


def _whole(db: Database, entry_rows: Sequence[dict[str, Any]]) -> dict[int, Entry]:
    ids = [row["id"] for row in entry_rows]
    scores = _by_entry(
        db, "select entry_id, name, value from scores where entry_id in ({}) order by entry_id, position", ids
    )
    claims = _by_entry(db, "select * from claims where entry_id in ({}) order by entry_id, position", ids)
    cited = _by_entry(
        db,
        "select claims.entry_id, citations.*, archives.name as archive_name, archives.date as archive_date from claims "
        "join citations on citations.claim_id = claims.id join archives on archives.id = citations.zim_id "
        "where claims.entry_id in ({}) order by claims.entry_id, claims.position, citations.position",
        ids,
    )
    if has_table(db, "supports"):
        more = _by_entry(
            db,
            "select claims.entry_id, supports.*, archives.name as archive_name, archives.date as archive_date "
            "from claims join supports on supports.claim_id = claims.id join archives on archives.id = supports.zim_id "
            "where claims.entry_id in ({}) "
            "order by claims.entry_id, claims.position, supports.number, supports.position",
            ids,
        )
        cited = {id_: sorted([*found, *more.get(id_, [])], key=_claim_order) for id_, found in cited.items()}
    return {
        row["number"]: _entry(row, *(found.get(row["id"], []) for found in (claims, cited, scores)))
        for row in entry_rows
    }


def _claim_order(row: Mapping[str, Any]) -> int:
    return int(row["claim_id"])


def _by_entry(db: Database, sql: str, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Rows of a query with `{}` for the ids, by entry; they come in the order of entries."""
    found = rows(db, sql.format(",".join("?" * len(ids))), ids)
    return {id_: list(group) for id_, group in groupby(found, key=lambda row: str(row["entry_id"]))}


def _entry(
    row: Mapping[str, Any],
    claims: Sequence[Mapping[str, Any]],
    cited: Sequence[Mapping[str, Any]],
    scores: Sequence[Mapping[str, Any]],
) -> Entry:
    citations = {id_: tuple(map(_citation, group)) for id_, group in groupby(cited, key=lambda one: one["claim_id"])}
    return Entry(
        id=row["id"],
        question=row["question"],
        answer=row["answer"],
        type=row["type"],
        level=row["level"],
        profile=row["profile"],
        claims=tuple(Claim(claim["text"], citations.get(claim["id"], ())) for claim in claims),
        judgements=tuple(
            Judgement(c["verdict"], c["probability"], tuple(json.loads(c["reasons"])), tuple(json.loads(c["codes"])))
            for c in claims
        ),
        scores=tuple((score["name"], score["value"]) for score in scores),
        overall=row["overall"],
        status=row["status"],
        episode_id=row["episode_id"] or "",
        created_at=row["created_at"],
        archives=tuple(dict.fromkeys((c["zim_id"], c["archive_name"], c["archive_date"]) for c in cited)),
        model=row["model"],
        status_reasons=tuple(json.loads(row.get("status_reasons", "[]"))),  # schema 1 has none
    )


def _citation(row: Mapping[str, Any]) -> Citation:
    return Citation(
        n=row["n"],
        index=row["index_name"],
        zim_id=row["zim_id"],
        path=row["path"],
        title=row["title"],
        heading=tuple(json.loads(row["heading"])),
        chunk_id=row["chunk_id"],
        quote=row["quote"],
        start=row["start"],
        end=row["end"],
    )

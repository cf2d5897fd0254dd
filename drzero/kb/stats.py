"""How much there is in a knowledge base, by what entries are, cite and came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from drzero.kb.schema import has_column, rows

if TYPE_CHECKING:
    from sqlite_utils import Database

_KINDS = ("status", "type", "level", "profile")


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of a knowledge base. Retired entries count under `status` alone."""

    entries: int
    claims: int
    citations: int
    topics: int
    episodes: int
    runs: int
    by: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]  # status, type, level, profile: value and entries
    archives: tuple[tuple[str, str, int], ...]  # name, date, and entries that cite it; the most cited first
    reviews: tuple[tuple[str, int], ...]  # decision and how many there are
    oldest: str  # ISO 8601, UTC, of an entry; "" for none
    newest: str


def stats(db: Database) -> Stats:
    """What `kb stats` tells of an open knowledge base."""
    kept = "entries.status <> 'retired'"
    by = []
    for name in _KINDS:
        where = "1" if name == "status" else kept
        sql = f"select {name} as name, count(*) as n from entries where {where} group by 1 order by n desc, 1"
        by.append((name, _pairs(db, sql)))
    (times,) = rows(db, f"select min(created_at) as oldest, max(created_at) as newest from entries where {kept}")
    reviewed = has_column(db, "reviews", "entry_id")
    cited = rows(
        db,
        "select archives.name, archives.date, count(distinct claims.entry_id) as n from citations "
        "join claims on claims.id = citations.claim_id join archives on archives.id = citations.zim_id "
        "group by archives.id order by n desc, archives.name, archives.id",
    )
    return Stats(
        entries=_count(db, f"select count(*) as n from entries where {kept}"),
        claims=_count(db, f"select count(*) as n from claims join entries on entries.id = entry_id where {kept}"),
        citations=_count(
            db,
            "select count(*) as n from citations join claims on claims.id = citations.claim_id "
            f"join entries on entries.id = claims.entry_id where {kept}",
        ),
        topics=_count(db, f"select count(distinct topic_id) as n from entries where {kept}") if reviewed else 0,
        episodes=_count(db, "select count(*) as n from episodes"),
        runs=_count(db, "select count(*) as n from runs"),
        by=tuple(by),
        archives=tuple((row["name"], row["date"], row["n"]) for row in cited),
        reviews=_pairs(db, "select decision as name, count(*) as n from reviews group by 1 order by 1")
        if reviewed
        else (),
        oldest=times["oldest"] or "",
        newest=times["newest"] or "",
    )


def _pairs(db: Database, sql: str) -> tuple[tuple[str, int], ...]:
    return tuple((row["name"], row["n"]) for row in rows(db, sql))


def _count(db: Database, sql: str) -> int:
    return int(rows(db, sql)[0]["n"])

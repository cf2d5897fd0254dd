"""Entries on their way out: what all of them cite, and whole ones by their numbers, a few hundred in memory at a time.

`number` counts entries as they were admitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from drzero.kb.assembling import by_entry, citation_of, numbered
from drzero.kb.schema import has_table, rows
from drzero.text import clean_title, storable
from drzero.types import Claim, Entry

if TYPE_CHECKING:
    from sqlite_utils import Database

AT_ONCE = 400  # entries
_SUPPORTS = """
    select claims.entry_id, claims.position as claim, supports.*,
    archives.name as archive_name, archives.date as archive_date
    from claims join supports on supports.claim_id = claims.id join archives on archives.id = supports.zim_id
    where claims.entry_id in ({}) order by claims.entry_id, claims.position, supports.number, supports.position
"""


@dataclass(frozen=True, slots=True)
class Cited:
    """An entry with the title of each citation in order (the path without one), and the archives that support it."""

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
        cited = by_entry(
            db,
            "select claims.entry_id, citations.title, citations.path, citations.zim_id from claims "
            "join citations on citations.claim_id = claims.id where claims.entry_id in ({}) "
            "order by claims.entry_id, claims.position, citations.position",
            [row["id"] for row in found],
        )
        more = by_entry(db, _SUPPORTS, [row["id"] for row in found]) if supported else {}
        for row in found:
            one = cited.get(row["id"], [])
            titles = tuple(c["title"] if clean_title(c["title"]) else c["path"] for c in one)
            archives = tuple(c["zim_id"] for c in (*one, *more.get(row["id"], ())))
            yield Cited(row["number"], row["question"], row["profile"], row["created_at"], titles, archives)
        last = found[-1]["number"]


def entries_numbered(db: Database, numbers: Sequence[int]) -> dict[int, Entry]:
    """The whole entries of these numbers; one that is not there any more is left out.

    Behind the citations of a claim stand the places that support it beside them (see `support`).
    """
    found: dict[int, Entry] = {}
    wanted = list(dict.fromkeys(numbers))
    supported = has_table(db, "supports")
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        marks = ",".join("?" * len(some))
        ids = {
            row["id"]: row["number"]
            for row in rows(db, f"select id, number from entries where number in ({marks})", some)
        }
        more = by_entry(db, _SUPPORTS, list(ids)) if supported else {}
        found |= {ids[entry.id]: _with_support(entry, more.get(entry.id, ())) for entry in numbered(db, some)}
    return found


def archive_rows(db: Database) -> list[dict[str, Any]]:
    """All that is known of each archive that is cited, as its row has it, by id."""
    return rows(db, "select * from archives order by id")


def _with_support(entry: Entry, supports: Sequence[Mapping[str, Any]]) -> Entry:
    """`entry` with what else supports its claims, rows of a place each."""
    if not supports:
        return entry
    claims = [[*claim.citations] for claim in entry.claims]
    for row in supports:
        claims[row["claim"]].append(citation_of(row))
    archives = ((row["zim_id"], row["archive_name"], row["archive_date"]) for row in supports)
    return replace(
        entry,
        claims=tuple(Claim(claim.text, tuple(cited)) for claim, cited in zip(entry.claims, claims, strict=True)),
        archives=tuple(dict.fromkeys((*entry.archives, *archives))),
    )

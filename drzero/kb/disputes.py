"""Entries that contradict each other: who, in which claims, since when, and how it was settled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from drzero.kb import json_values
from drzero.kb.schema import has_table, now, rows, transaction
from drzero.text import storable
from drzero.types import Entry

if TYPE_CHECKING:
    from sqlite_utils import Database

RAREST = 6  # words of a claim, of which another must have two to be set beside it
MOST = 200  # claims that one is set beside
_COMMON = 2000  # from so many claims on a word tells nothing


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two claims that cannot both be true, of entry `entry_id` and of `other_id`, or of another answer to its question.

    `code` counts by kind, `reason` is a sentence for a person, `settled` is one that says how, "" while it is open.
    """

    entry_id: str
    other_id: str  # "" where the other side answers the same question: it is `other` then
    claim: str
    other_claim: str
    code: str
    reason: str
    found_at: str = ""
    settled: str = ""
    other: Entry | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """A claim of an entry as it is set beside others, with the titles and articles (zim_id, path) that it cites."""

    claim_id: int
    entry_id: str
    text: str
    titles: tuple[str, ...]
    articles: tuple[tuple[str, str], ...]


def add_dispute(db: Database, dispute: Dispute) -> bool:
    """Keep a dispute; False when it is known already, settled or not, from either side."""
    mine, theirs = storable(dispute.claim), storable(dispute.other_claim)
    with transaction(db):
        sql = "select 1 from disputes where entry_id = ? and ifnull(other_id, '') = ? and claim = ? and other_claim = ?"
        other_way = (dispute.other_id, dispute.entry_id, theirs, mine)
        if rows(db, sql, (dispute.entry_id, dispute.other_id, mine, theirs)) or rows(db, sql, other_way):
            return False
        db.table("disputes").insert(
            {
                "entry_id": dispute.entry_id,
                "other_id": dispute.other_id or None,
                "other": json_values.dumps(dispute.other) if dispute.other else "",
                "claim": mine,
                "other_claim": theirs,
                "code": dispute.code,
                "reason": storable(dispute.reason),
                "found_at": dispute.found_at or now(),
                "settled": storable(dispute.settled),
                "settled_at": now() if dispute.settled else "",
            }
        )
    return True


def disputes_of(db: Database, entry_id: str) -> list[Dispute]:
    """The disputes of an entry, oldest first, each as seen from its side."""
    if not has_table(db, "disputes"):
        return []
    found = rows(db, "select * from disputes where entry_id = :id or other_id = :id order by id", {"id": entry_id})
    return [_seen_from(entry_id, _dispute(row)) for row in found]


def open_disputes(db: Database) -> dict[str, list[Dispute]]:
    """The disputes that are not settled, by the id of either entry, each as seen from its side."""
    sides: dict[str, list[Dispute]] = {}
    for row in rows(db, "select * from disputes where settled = '' order by id"):
        one = _dispute(row)
        for id_ in (one.entry_id, one.other_id):
            if id_:
                sides.setdefault(id_, []).append(_seen_from(id_, one))
    return sides


def settle_disputes(db: Database, entry_id: str, how: str) -> list[str]:
    """Settle all open disputes of an entry, `how` being a sentence; the ids of the entries on the other sides."""
    with transaction(db):
        others = [one.other_id for one in disputes_of(db, entry_id) if not one.settled and one.other_id]
        db.execute(
            "update disputes set settled = ?, settled_at = ? where settled = '' and (entry_id = ? or other_id = ?)",
            (storable(how), now(), entry_id, entry_id),
        )
    return sorted(set(others))


def withdraw(db: Database, dispute: Dispute) -> None:
    """Take back a dispute that is none any more."""
    with transaction(db):
        db.execute(
            "delete from disputes where ((entry_id = :a and ifnull(other_id, '') = :b and claim = :x and "
            "other_claim = :y) or (entry_id = :b and other_id = :a and claim = :y and other_claim = :x)) "
            "and settled = ''",
            {
                "a": dispute.entry_id,
                "b": dispute.other_id,
                "x": storable(dispute.claim),
                "y": storable(dispute.other_claim),
            },
        )


# --- claims to set beside each other --------------------------------------------------------------------------------


def uncompared(db: Database, way: str) -> list[int]:
    """The ids of claims not set beside all others yet by the rules that `way` names; none of stale entries."""
    sql = """
        select claims.id from claims join entries on entries.id = claims.entry_id
        left join claims_compared on claims_compared.claim_id = claims.id
        where entries.status in ('current', 'disputed') and ifnull(claims_compared.way, '') <> ? order by claims.id
    """
    return [row["id"] for row in rows(db, sql, (way,))]


def mark_compared(db: Database, ids: Iterable[int], way: str) -> None:
    """Remember that these claims were set beside all others."""
    with transaction(db):
        db.conn.executemany(
            "insert into claims_compared (claim_id, way) values (?, ?) "
            "on conflict (claim_id) do update set way = excluded.way",
            [(id_, way) for id_ in ids],
        )


def claim_ids(db: Database, entry_id: str) -> list[int]:
    """The ids of the claims of an entry, in order."""
    return [row["id"] for row in rows(db, "select id from claims where entry_id = ? order by position", (entry_id,))]


def stated(db: Database, ids: Sequence[int]) -> list[Stated]:
    """Claims by id, those of entries that are current or disputed, in the order of their ids."""
    marks = ", ".join("?" * len(ids))
    sql = f"""
        select claims.id, claims.entry_id, claims.text, citations.title, citations.zim_id, citations.path
        from claims join entries on entries.id = claims.entry_id
        left join citations on citations.claim_id = claims.id
        where claims.id in ({marks}) and entries.status in ('current', 'disputed')
        order by claims.id, citations.position
    """
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows(db, sql, tuple(ids)):
        found.setdefault(row["id"], []).append(row)
    return [
        Stated(
            id_,
            cited[0]["entry_id"],
            cited[0]["text"],
            tuple(dict.fromkeys(one["title"] for one in cited if one["title"])),
            tuple(dict.fromkeys((one["zim_id"], one["path"]) for one in cited if one["zim_id"])),
        )
        for id_, cited in found.items()
    ]


def finder(db: Database) -> Callable[[Stated, Sequence[str]], list[tuple[int, str]]]:
    """What gives claims of other entries, by id and text, that share two telling words or an article with a claim.

    Of two words one must be rare. It gives a few hundred at most, and knows how rare words are from when it first met
    them.
    """

    @lru_cache(maxsize=20_000)
    def count(term: str) -> int:
        sql = f"select count(*) as n from (select 1 from claims_fts where claims_fts match ? limit {_COMMON})"
        return int(rows(db, sql, (f'"{term}"',))[0]["n"])

    def neighbours(one: Stated, terms: Sequence[str]) -> list[tuple[int, str]]:
        often = sorted((found, term) for term in dict.fromkeys(terms) if (found := count(term)) > 1)[:RAREST]
        pairs = [f'("{a}" AND "{b}")' for (rare, a), (_, b) in combinations(often, 2) if rare <= MOST]
        ids: list[int] = []
        if pairs:
            sql = "select rowid as id from claims_fts where claims_fts match ? limit ?"
            ids = [row["id"] for row in rows(db, sql, (" OR ".join(pairs), MOST))]
        for zim_id, path in one.articles:
            sql = """
                select distinct claim_id as id from citations
                where zim_id = ? and path = ? order by claim_id desc limit ?
            """
            ids += [row["id"] for row in rows(db, sql, (zim_id, path, MOST))]
        wanted = [id_ for id_ in dict.fromkeys(ids) if id_ != one.claim_id]
        sql = f"""
            select claims.id, claims.text from claims join entries on entries.id = claims.entry_id
            where claims.id in ({", ".join("?" * len(wanted))}) and claims.entry_id <> ?
            and entries.status in ('current', 'disputed') order by claims.id
        """
        return [(row["id"], row["text"]) for row in rows(db, sql, (*wanted, one.entry_id))] if wanted else []

    return neighbours


def _dispute(row: dict[str, Any]) -> Dispute:
    return Dispute(
        entry_id=row["entry_id"],
        other_id=row["other_id"] or "",
        claim=row["claim"],
        other_claim=row["other_claim"],
        code=row["code"],
        reason=row["reason"],
        found_at=row["found_at"],
        settled=row["settled"],
        other=json_values.loads(row["other"], Entry) if row["other"] else None,
    )


def _seen_from(entry_id: str, one: Dispute) -> Dispute:
    if one.entry_id == entry_id:
        return one
    return replace(
        one, entry_id=entry_id, other_id=one.entry_id, claim=one.other_claim, other_claim=one.claim, other=None
    )

"""What else supports a claim, beside its citations, and citations that move with a new edition of their archive."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from drzero.copies import independent_archives
from drzero.kb.assembling import citation_of
from drzero.kb.schema import has_table, now, rows, transaction
from drzero.text import storable
from drzero.types import Citation, Entry

if TYPE_CHECKING:
    from sqlite_utils import Database

_PLACE = ("n", "index_name", "zim_id", "path", "title", "heading", "chunk_id", "quote", "start", "end")
_SELECTED = ", ".join(f'"{name}"' for name in _PLACE)


def add_support(db: Database, entry_id: str, position: int, citations: Sequence[Citation]) -> bool:
    """Keep places that bear out the claim at `position` of an entry together; False when they are known.

    Their archives must be known to the knowledge base. ValueError when the entry has no such claim.
    """
    with transaction(db):
        found = rows(db, "select id from claims where entry_id = ? and position = ?", (entry_id, position))
        if not found:
            raise ValueError(f"entry {entry_id} has no claim {position}")
        claim_id = found[0]["id"]
        places = {(one.zim_id, one.path, one.start, one.end) for one in citations}
        known = [_places(db, "citations", "claim_id = ?", (claim_id,))]
        numbers = rows(db, "select distinct number from supports where claim_id = ? order by 1", (claim_id,))
        known += [_places(db, "supports", "claim_id = ? and number = ?", (claim_id, one["number"])) for one in numbers]
        if not places or any(places <= one for one in known):
            return False
        number = max((one["number"] for one in numbers), default=0) + 1
        for at, one in enumerate(citations):
            db.execute(
                f"insert into supports (claim_id, number, position, {_SELECTED}) values "
                f"(?, ?, ?, {', '.join('?' * len(_PLACE))})",
                (claim_id, number, at, *_row(one)),
            )
    return True


def supports(db: Database, entry_id: str) -> dict[int, tuple[tuple[Citation, ...], ...]]:
    """What supports the claims of an entry beside their citations, by the claim's position; {} for nothing."""
    if not has_table(db, "supports"):
        return {}
    sql = f"""
        select claims.position as claim, supports.number, {", ".join(f'supports."{name}"' for name in _PLACE)}
        from supports join claims on claims.id = supports.claim_id
        where claims.entry_id = ? order by claims.position, supports.number, supports.position
    """
    found: dict[int, dict[int, list[Citation]]] = {}
    for row in rows(db, sql, (entry_id,)):
        found.setdefault(row["claim"], {}).setdefault(row["number"], []).append(citation_of(row))
    return {claim: tuple(map(tuple, groups.values())) for claim, groups in found.items()}


def support_counts(db: Database, entry: Entry) -> tuple[int, ...]:
    """How many archives support each claim of an entry independently, in the order of its claims: copies count once."""
    more = supports(db, entry.id)
    cited = {one.zim_id for groups in more.values() for group in groups for one in group}
    names = {zim_id: name for zim_id, name, _ in entry.archives}
    for zim_id in sorted(cited - set(names)):
        names |= {row["id"]: row["name"] for row in rows(db, "select id, name from archives where id = ?", (zim_id,))}
    return tuple(
        independent_archives(claim.text, (claim.citations, *more.get(position, ())), names)
        for position, claim in enumerate(entry.claims)
    )


def move_citations(
    db: Database, entry_id: str, moved: Sequence[tuple[Citation, Citation]], archives: Iterable[tuple[str, str, str]]
) -> None:
    """Put citations of an entry in the place of others, all or nothing; what they were goes into its history.

    `archives` are (zim_id, name, date) of those that are cited now.
    """
    with transaction(db):
        archives = list(archives)
        know_archives(db, archives, (zim_id for zim_id, _, _ in archives))
        changes = ", ".join(f'"{name}" = ?' for name in _PLACE)
        for old, new in moved:
            db.execute(
                f'update citations set {changes} where zim_id = ? and path = ? and start = ? and "end" = ? '
                "and claim_id in (select id from claims where entry_id = ?)",
                (*_row(new), old.zim_id, old.path, old.start, old.end, entry_id),
            )
        if moved:
            note_history(db, entry_id, "moved", [dict(zip(_PLACE, _row(old), strict=True)) for old, _ in moved])


def know_archives(db: Database, named: Iterable[tuple[str, str, str]], ids: Iterable[str]) -> None:
    """Add the archives with these ids that the knowledge base has not met, `named` by (zim_id, name, date)."""
    known = {zim_id: (name, date) for zim_id, name, date in named}
    with transaction(db):
        for zim_id in dict.fromkeys(ids):
            name, date = known.get(zim_id, ("", ""))
            db.execute(
                "insert or ignore into archives (id, name, date, first_cited_at) values (?, ?, ?, ?)",
                (storable(zim_id), storable(name), storable(date), now()),
            )


def supported_entries(db: Database) -> set[str]:
    """The ids of entries that have support beside their citations."""
    sql = "select distinct claims.entry_id from supports join claims on claims.id = supports.claim_id"
    return {row["entry_id"] for row in rows(db, sql)}


def drop_support(db: Database, entry_id: str, position: int, citations: Sequence[Citation]) -> None:
    """Take out support that no longer holds; it goes into the history of its entry."""
    with transaction(db):
        found = rows(db, "select id from claims where entry_id = ? and position = ?", (entry_id, position))
        places = {(one.zim_id, one.path, one.start, one.end) for one in citations}
        for number in rows(db, "select distinct number from supports where claim_id = ?", (found[0]["id"],)):
            values = (found[0]["id"], number["number"])
            if _places(db, "supports", "claim_id = ? and number = ?", values) == places:
                db.execute("delete from supports where claim_id = ? and number = ?", values)
        note_history(db, entry_id, "unsupported", [dict(zip(_PLACE, _row(one), strict=True)) for one in citations])


def reading_order(db: Database) -> list[str]:
    """The ids of all entries that are not retired, those that cite one article first next to each other."""
    sql = """
        select entries.id from entries
        left join claims on claims.entry_id = entries.id and claims.position = 0
        left join citations on citations.claim_id = claims.id and citations.position = 0
        where entries.status in ('current', 'stale', 'disputed')
        order by citations.zim_id, citations.path, entries.number
    """
    return [row["id"] for row in rows(db, sql)]


def archive_names(db: Database) -> dict[str, tuple[str, str]]:
    """The file name and the date of every archive that was ever cited, by id."""
    return {row["id"]: (row["name"], row["date"]) for row in rows(db, "select id, name, date from archives")}


def passed(db: Database) -> dict[str, str]:
    """The digest of what the checks saw when they let an entry pass, by entry id."""
    return {row["entry_id"]: row["digest"] for row in rows(db, "select * from entries_checked")}


def note_passed(db: Database, digests: Mapping[str, str]) -> None:
    """Keep what the checks saw of entries that passed; those with "" did not."""
    with transaction(db):
        db.conn.executemany(
            "insert into entries_checked (entry_id, digest) values (?, ?) "
            "on conflict (entry_id) do update set digest = excluded.digest",
            list(digests.items()),
        )


def note_history(db: Database, entry_id: str, what: str, before: Any) -> None:
    """Keep what something of an entry was before it changed, in a knowledge base that keeps a history."""
    if has_table(db, "history"):
        db.execute(
            "insert into history (entry_id, at, what, before) values (?, ?, ?, ?)",
            (entry_id, now(), what, json.dumps(before)),
        )


def _places(db: Database, table: str, where: str, values: Sequence[Any]) -> set[tuple[Any, ...]]:
    found = rows(db, f'select zim_id, path, start, "end" from {table} where {where}', values)
    return {tuple(row.values()) for row in found}


def _row(one: Citation) -> tuple[Any, ...]:
    heading = json.dumps(one.heading)
    texts = (one.index, one.zim_id, one.path, one.title, heading, one.chunk_id, one.quote)
    return (one.n, *map(storable, texts), one.start, one.end)

"""Entries put together from their rows, hundreds at a time with a few queries."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from drzero.kb.schema import has_column, rows
from drzero.types import Citation, Claim, Entry, Judgement

if TYPE_CHECKING:
    from sqlite_utils import Database

RETIRED = "retired"  # in the column status: a person took the entry out
_AT_ONCE = 400  # entries put together at a time


def numbered(db: Database, numbers: Sequence[int]) -> list[Entry]:
    """The entries of these numbers, which count them as they were admitted, in this order; those that are there."""
    found: dict[int, dict[str, Any]] = {}
    for at in range(0, len(numbers), _AT_ONCE):
        some = numbers[at : at + _AT_ONCE]
        sql = f"select * from entries where number in ({_marks(some)})"
        found |= {row["number"]: row for row in rows(db, sql, some)}
    return assemble(db, [found[number] for number in numbers if number in found])


def assemble(db: Database, entry_rows: list[dict[str, Any]]) -> list[Entry]:
    """Entries of rows, put together with a few queries for hundreds of them."""
    whole: list[Entry] = []
    topics = has_column(db, "entries", "topic_id")  # not in the schemas before it, which are read as they are
    for at in range(0, len(entry_rows), _AT_ONCE):
        some = entry_rows[at : at + _AT_ONCE]
        ids = [row["id"] for row in some]
        cited = by_entry(
            db,
            "select claims.entry_id, citations.*, archives.name as archive_name, archives.date as archive_date "
            "from claims join citations on citations.claim_id = claims.id "
            "join archives on archives.id = citations.zim_id where claims.entry_id in ({}) "
            "order by claims.entry_id, claims.position, citations.position",
            ids,
        )
        claims = by_entry(db, "select * from claims where entry_id in ({}) order by entry_id, position", ids)
        scores = by_entry(
            db, "select entry_id, name, value from scores where entry_id in ({}) order by entry_id, position", ids
        )
        about = _titles(db, [row["topic_id"] for row in some if row["topic_id"]]) if topics else {}
        whole += [
            _entry(row, claims.get(row["id"], []), cited.get(row["id"], []), scores.get(row["id"], []), about)
            for row in some
        ]
    return whole


def by_entry(db: Database, sql: str, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Rows of a query with `{}` for the ids, by entry; they come in the order of entries."""
    found = rows(db, sql.format(_marks(ids)), ids)
    return {id_: list(group) for id_, group in groupby(found, key=lambda row: str(row["entry_id"]))}


def _titles(db: Database, ids: Sequence[int]) -> dict[int, str]:
    return {
        row["id"]: row["title"] for row in rows(db, f"select id, title from topics where id in ({_marks(ids)})", ids)
    }


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _entry(
    row: Mapping[str, Any],
    claim_rows: Sequence[Mapping[str, Any]],
    cited: Sequence[dict[str, Any]],
    score_rows: Sequence[Mapping[str, Any]],
    topics: Mapping[int, str],
) -> Entry:
    retired = row["status"] == RETIRED
    return Entry(
        id=row["id"],
        question=row["question"],
        answer=row["answer"],
        type=row["type"],
        level=row["level"],
        profile=row["profile"],
        claims=tuple(
            Claim(claim["text"], tuple(citation_of(c) for c in cited if c["claim_id"] == claim["id"]))
            for claim in claim_rows
        ),
        judgements=tuple(
            Judgement(c["verdict"], c["probability"], tuple(json.loads(c["reasons"])), tuple(json.loads(c["codes"])))
            for c in claim_rows
        ),
        scores=tuple((score["name"], score["value"]) for score in score_rows),
        overall=row["overall"],
        status="disputed" if retired else row["status"],
        episode_id=row["episode_id"] or "",
        created_at=row["created_at"],
        archives=tuple(dict.fromkeys((c["zim_id"], c["archive_name"], c["archive_date"]) for c in cited)),
        model=row["model"],
        status_reasons=tuple(json.loads(row.get("status_reasons", "[]"))),  # schema 1 has none
        topic=topics.get(row.get("topic_id") or 0, ""),
        retired=retired,
    )


def citation_of(row: Mapping[str, Any]) -> Citation:
    """The citation of a row of `citations` or `supports`."""
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

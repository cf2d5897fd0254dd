"""Entries of the knowledge base: admit, find, list, mark.

An entry is admitted only when its answer is its claims, and every claim is supported and cited. One question has one
entry, whatever its capitals and punctuation: a second answer to it leaves the first in place, unless the first is stale
or disputed; then it is replaced.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from drzero.errors import KnowledgeBaseError
from drzero.kb.schema import finite, rows, transaction
from drzero.text import content_id, is_made_of, storable, words
from drzero.types import Citation, Claim, Entry, Judgement

if TYPE_CHECKING:
    from sqlite_utils import Database

EntryStatus = Literal["current", "stale", "disputed"]


def question_key(question: str) -> str:
    """What two spellings of one question share: its words, case-folded."""
    return " ".join(words(storable(question)))


def entry_id(question: str) -> str:
    """The content id of the entry that answers `question`: equal for all spellings with one `question_key`."""
    return content_id("entry", question_key(question))


def admit(db: Database, entry: Entry) -> bool:
    """Store `entry`, which must be of a stored episode; False when its question already has a current entry.

    ValueError when a claim is not supported or has no citation, a citation no quote, or the answer says anything beside
    its claims: that must never get in.
    """
    _check(entry)
    with transaction(db):
        key = question_key(entry.question)
        if known := rows(db, "select id, status from entries where question_key = ? or id = ?", (key, entry.id)):
            if any(row["status"] == "current" for row in known):
                return False
            for row in known:
                _delete(db, row["id"])
        _insert(db, entry, key)
    return True


def get_entry(db: Database, id_: str) -> Entry:
    """The entry whose id is, or alone begins with, `id_`. KnowledgeBaseError when none or several do."""
    return _assemble(db, rows(db, "select * from entries where id = ?", (full_id(db, "entries", id_),)))[0]


def find_entry(db: Database, question: str) -> Entry | None:
    """The entry that answers exactly this question (capitals and punctuation aside), or None."""
    found = _assemble(db, rows(db, "select * from entries where question_key = ?", (question_key(question),)))
    return found[0] if found else None


def list_entries(
    db: Database,
    *,
    limit: int | None = None,
    offset: int = 0,
    status: EntryStatus | None = None,
    profile: str | None = None,
    level: str | None = None,
    type: str | None = None,  # noqa: A002 - the field's own name
) -> list[Entry]:
    """Entries in the order they were admitted, those that match every given value."""
    wanted = {"status": status, "profile": profile, "level": level, "type": type}
    where, values = conditions(wanted)
    sql = f"select * from entries {where} order by number limit ? offset ?"
    return _assemble(db, rows(db, sql, (*values, -1 if limit is None else limit, offset)))


def search_entries(db: Database, query: str, k: int = 10) -> list[Entry]:
    """The `k` entries that fit any text `query` best by its words: BM25 of question and answer or of a claim."""
    terms = list(dict.fromkeys(words(storable(query))))[:64]
    if not terms:
        return []
    match = " OR ".join(f'"{term}"' for term in terms)
    sql = """
        with hits as (
            select rowid as number, bm25(entries_fts, 2.0, 1.0) as rank from entries_fts where entries_fts match :match
            union all
            select entries.number, bm25(claims_fts) from claims_fts
            join claims on claims.id = claims_fts.rowid join entries on entries.id = claims.entry_id
            where claims_fts match :match
        ), best as (select number, min(rank) as rank from hits group by number)
        select entries.* from best join entries on entries.number = best.number
        order by best.rank, entries.number limit :k
    """
    return _assemble(db, rows(db, sql, {"match": match, "k": max(k, 0)}))


def set_entry_status(db: Database, id_: str, status: EntryStatus, reasons: Sequence[str] = ()) -> None:
    """Mark an entry current, stale or disputed, with the sentences that say why."""
    if status not in ("current", "stale", "disputed"):
        raise ValueError(f"no such entry status: {status!r}")
    with transaction(db):
        db.execute(
            "update entries set status = ?, status_reasons = ? where id = ?",
            (status, _sentences(reasons), full_id(db, "entries", id_)),
        )


def set_outcome(
    db: Database, id_: str, status: EntryStatus, reasons: Sequence[str], judgements: Sequence[Judgement]
) -> None:
    """Store what judging an entry again came to: its status with reasons, and one judgement for each claim, in order.

    ValueError when there are more or fewer judgements than claims: nothing is stored then.
    """
    with transaction(db):
        id_ = full_id(db, "entries", id_)
        claims = rows(db, "select id from claims where entry_id = ? order by position", (id_,))
        if len(claims) != len(judgements):
            raise ValueError(f"entry {id_} has {len(claims)} claims, not {len(judgements)}")
        set_entry_status(db, id_, status, reasons)
        for claim, judgement in zip(claims, judgements, strict=True):
            db.execute(
                "update claims set verdict = ?, probability = ?, reasons = ?, codes = ? where id = ?",
                (*_judgement_row(judgement).values(), claim["id"]),
            )


def known_questions(db: Database) -> list[str]:
    """Every question ever asked in this knowledge base, oldest first: those of all episodes and of all entries."""
    sql = """
        select question from (
            select question, min(place) from (
                select question, rowid as place from episodes where question <> ''
                union all select question, 1e18 + number from entries
            ) group by question order by 2
        )
    """
    return [row["question"] for row in rows(db, sql)]


def admitted_episodes(db: Database, run: str) -> set[str]:
    """The ids of a run's episodes that gave an entry, but for those whose entry was replaced since."""
    sql = "select episode_id from entries join episodes on episodes.id = entries.episode_id where run_id = ?"
    return {row["episode_id"] for row in rows(db, sql, (run,))}


def cited_articles(db: Database) -> Counter[tuple[str, str]]:
    """How many entries cite each article, by (zim_id, path)."""
    sql = """
        select citations.zim_id, citations.path, count(distinct claims.entry_id) as entries
        from citations join claims on claims.id = citations.claim_id group by 1, 2
    """
    return Counter({(row["zim_id"], row["path"]): row["entries"] for row in rows(db, sql)})


def full_id(db: Database, table: Literal["entries", "episodes", "runs"], id_: str) -> str:
    """The one id of `table` that is `id_` or begins with it. KnowledgeBaseError when none or several do."""
    kind = {"entries": "entry", "episodes": "episode", "runs": "run"}[table]
    id_ = storable(id_)
    if rows(db, f"select 1 from {table} where id = ?", (id_,)):
        return id_
    sql = f"select id from {table} where substr(id, 1, ?) = ? order by id limit 2"
    found = [row["id"] for row in rows(db, sql, (len(id_), id_))] if id_ else []
    if len(found) > 1:
        raise KnowledgeBaseError(f"More than one {kind} begins with {id_}: give more of its id.")
    if not found:
        raise KnowledgeBaseError(
            f"There is no {kind} {id_ or '(empty id)'}: see the ids with `drzero {_LISTS[table]}`."
        )
    return str(found[0])


_LISTS = {"entries": "kb list", "episodes": "episodes list", "runs": "episodes runs"}


def conditions(wanted: dict[str, Any]) -> tuple[str, list[Any]]:
    """A where clause and its values for the columns that are not None; "" when all are."""
    given = {
        column: storable(value) if isinstance(value, str) else value
        for column, value in wanted.items()
        if value is not None
    }
    return ("where " + " and ".join(f"{column} = ?" for column in given) if given else "", list(given.values()))


def _check(entry: Entry) -> None:
    if not entry.claims or len(entry.claims) != len(entry.judgements):
        raise ValueError(f"entry {entry.id} needs claims and one judgement for each")
    for claim, judgement in zip(entry.claims, entry.judgements, strict=True):
        if judgement.verdict != "supported":
            raise ValueError(f"entry {entry.id} has a claim that is {judgement.verdict}: {claim.text!r}")
        if not claim.citations or not all(c.quote.strip() and c.start < c.end for c in claim.citations):
            raise ValueError(f"entry {entry.id} has a claim without a quote: {claim.text!r}")
    if not is_made_of(entry.answer, (claim.text for claim in entry.claims)):
        raise ValueError(f"entry {entry.id} has an answer that is not what its claims say: {entry.answer!r}")


def _insert(db: Database, entry: Entry, key: str) -> None:
    db.table("entries").insert(
        {
            "id": entry.id,
            "question": storable(entry.question),
            "question_key": key,
            "answer": storable(entry.answer),
            "type": storable(entry.type),
            "level": storable(entry.level),
            "profile": storable(entry.profile),
            "overall": finite(entry.overall),
            "status": entry.status,
            "status_reasons": _sentences(entry.status_reasons),
            "model": storable(entry.model),
            "episode_id": entry.episode_id or None,
            "created_at": entry.created_at,
        }
    )
    db.table("scores").insert_all(
        {"entry_id": entry.id, "position": position, "name": storable(name), "value": finite(value)}
        for position, (name, value) in enumerate(entry.scores)
    )
    _insert_archives(db, entry)
    for position, (claim, judgement) in enumerate(zip(entry.claims, entry.judgements, strict=True)):
        claim_row = db.table("claims").insert(
            {
                "entry_id": entry.id,
                "position": position,
                "text": storable(claim.text),
                **_judgement_row(judgement),
            }
        )
        claim_id = claim_row.last_pk
        db.table("citations").insert_all(
            _citation_row(claim_id, place, citation) for place, citation in enumerate(claim.citations)
        )


def _sentences(reasons: Sequence[str]) -> str:
    return json.dumps([storable(reason) for reason in reasons])


def _judgement_row(judgement: Judgement) -> dict[str, Any]:
    return {
        "verdict": judgement.verdict,
        "probability": finite(judgement.probability),
        "reasons": json.dumps(judgement.reasons),
        "codes": json.dumps(judgement.codes),
    }


def _insert_archives(db: Database, entry: Entry) -> None:
    named = {zim_id: (name, date) for zim_id, name, date in entry.archives}
    cited = dict.fromkeys(citation.zim_id for claim in entry.claims for citation in claim.citations)
    for zim_id in cited:
        name, date = named.get(zim_id, ("", ""))
        db.execute(
            "insert into archives (id, name, date, first_cited_at) values (?, ?, ?, ?) on conflict (id) do update set "
            "name = iif(excluded.name = '', name, excluded.name), date = iif(excluded.date = '', date, excluded.date)",
            (storable(zim_id), storable(name), storable(date), entry.created_at),
        )


def _citation_row(claim_id: Any, position: int, citation: Citation) -> dict[str, Any]:
    return {
        "claim_id": claim_id,
        "position": position,
        "n": citation.n,
        "index_name": storable(citation.index),
        "zim_id": storable(citation.zim_id),
        "path": storable(citation.path),
        "title": storable(citation.title),
        "heading": json.dumps(citation.heading),
        "chunk_id": storable(citation.chunk_id),
        "quote": storable(citation.quote),
        "start": citation.start,
        "end": citation.end,
    }


def _delete(db: Database, id_: str) -> None:
    db.execute("delete from citations where claim_id in (select id from claims where entry_id = ?)", (id_,))
    db.execute("delete from claims where entry_id = ?", (id_,))
    db.execute("delete from scores where entry_id = ?", (id_,))
    db.execute("delete from entries where id = ?", (id_,))


def _assemble(db: Database, entry_rows: list[dict[str, Any]]) -> list[Entry]:
    return [_entry(db, row) for row in entry_rows]


def _entry(db: Database, row: dict[str, Any]) -> Entry:
    cited = rows(
        db,
        "select citations.*, archives.name as archive_name, archives.date as archive_date from citations "
        "join claims on claims.id = citations.claim_id join archives on archives.id = citations.zim_id "
        "where claims.entry_id = ? order by claims.position, citations.position",
        (row["id"],),
    )
    claim_rows = rows(db, "select * from claims where entry_id = ? order by position", (row["id"],))
    score_rows = rows(db, "select name, value from scores where entry_id = ? order by position", (row["id"],))
    return Entry(
        id=row["id"],
        question=row["question"],
        answer=row["answer"],
        type=row["type"],
        level=row["level"],
        profile=row["profile"],
        claims=tuple(
            Claim(claim["text"], tuple(_citation(c) for c in cited if c["claim_id"] == claim["id"]))
            for claim in claim_rows
        ),
        judgements=tuple(
            Judgement(c["verdict"], c["probability"], tuple(json.loads(c["reasons"])), tuple(json.loads(c["codes"])))
            for c in claim_rows
        ),
        scores=tuple((score["name"], score["value"]) for score in score_rows),
        overall=row["overall"],
        status=row["status"],
        episode_id=row["episode_id"] or "",
        created_at=row["created_at"],
        archives=tuple(dict.fromkeys((c["zim_id"], c["archive_name"], c["archive_date"]) for c in cited)),
        model=row["model"],
        status_reasons=tuple(json.loads(row.get("status_reasons", "[]"))),  # schema 1 has none
    )


def _citation(row: dict[str, Any]) -> Citation:
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

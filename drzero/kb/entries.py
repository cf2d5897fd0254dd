"""Entries of the knowledge base: admit, find, list, mark.

An entry is admitted only when its answer is its claims, and every claim is supported and cited. One question has one
entry, whatever its capitals and punctuation: a second answer to it leaves the first in place, unless the first is stale
or disputed, and not for a person to decide on; then it is replaced. What an entry was before a change is kept in its
history.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from drzero.errors import KnowledgeBaseError
from drzero.kb.assembling import RETIRED, assemble, numbered
from drzero.kb.schema import finite, now, rows, transaction
from drzero.kb.topics import topic_id
from drzero.text import content_id, is_made_of, storable, title_key, words
from drzero.types import Citation, Entry, Judgement

if TYPE_CHECKING:
    from sqlite_utils import Database

EntryStatus = Literal["current", "stale", "disputed"]
_COMMON = 3000  # entries that a search weighs at most: words beyond it count only where no rarer one is there


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
            if any(row["status"] in ("current", RETIRED) or _is_for_a_person(db, row["id"]) for row in known):
                return False
            db.execute("PRAGMA defer_foreign_keys = ON")  # the history of what is replaced goes to what replaces it
            for row in known:
                note_change(db, row["id"], "replaced")
                _delete(db, row["id"])
                db.execute("update history set entry_id = ? where entry_id = ?", (entry.id, row["id"]))
        _insert(db, entry, key)
    return True


def get_entry(db: Database, id_: str) -> Entry:
    """The entry whose id is, or alone begins with, `id_`. KnowledgeBaseError when none or several do."""
    return assemble(db, rows(db, "select * from entries where id = ?", (full_id(db, "entries", id_),)))[0]


def find_entry(db: Database, question: str) -> Entry | None:
    """The entry that answers exactly this question (capitals and punctuation aside), or None."""
    found = assemble(db, rows(db, "select * from entries where question_key = ?", (question_key(question),)))
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
    topic: str = "",
    since: str = "",
    retired: bool = False,
    newest_first: bool = False,
) -> list[Entry]:
    """Entries in the order they were admitted, those that match every given value.

    `topic` has words that all stand in the title of what an entry is about; `since` is an ISO date. Retired entries
    are listed with `retired` alone, and then no others.
    """
    where, values = conditions({"status": status, "profile": profile, "level": level, "type": type})
    clauses = [where.removeprefix("where ")] if where else []
    clauses.append(f"status {'=' if retired else '<>'} '{RETIRED}'")
    if since:
        clauses.append("created_at >= ?")
        values.append(storable(since))
    if topic.strip():
        parts = [title_key(word) for word in topic.split()]
        clauses.append(f"topic_id in (select id from topics where {' and '.join(['instr(key, ?) > 0'] * len(parts))})")
        values += parts
    order = "desc" if newest_first else "asc"
    sql = f"select number from entries where {' and '.join(clauses)} order by number {order} limit ? offset ?"
    found = [row["number"] for row in rows(db, sql, (*values, -1 if limit is None else limit, offset))]
    return numbered(db, found)


def search_entries(db: Database, query: str, k: int = 10) -> list[Entry]:
    """The `k` entries that fit any text `query` best by its words: BM25 of question and answer or of a claim.

    Words that very many entries have count only where the query has no rarer one.
    """
    counts = _counts(db, list(dict.fromkeys(words(storable(query))))[:64])
    rare, hits = [], 0
    for term, count in sorted(counts.items(), key=lambda pair: pair[1]):
        hits += count
        if hits <= _COMMON:
            rare.append(term)
    if not rare:
        return numbered(db, _with_all(db, list(counts), max(k, 0)))
    sql = f"""
        with hits as (
            select rowid as number, bm25(entries_fts, 2.0, 1.0) as rank from entries_fts where entries_fts match :match
            union all
            select entries.number, bm25(claims_fts) from claims_fts
            join claims on claims.id = claims_fts.rowid join entries on entries.id = claims.entry_id
            where claims_fts match :match
        ), best as (select number, min(rank) as rank from hits group by number)
        select entries.number from best join entries on entries.number = best.number
        where entries.status <> '{RETIRED}' order by best.rank, entries.number limit :k
    """
    values = {"match": " OR ".join(rare), "k": max(k, 0)}
    return numbered(db, [row["number"] for row in rows(db, sql, values)])


def _counts(db: Database, terms: Sequence[str]) -> dict[str, int]:
    """In how many entries or claims each term stands, up to one more than `_COMMON`; those in none are left out."""
    sql = """
        select count(*) as n from (select 1 from entries_fts where entries_fts match :term limit :most) union all
        select count(*) as n from (select 1 from claims_fts where claims_fts match :term limit :most)
    """
    quoted = [f'"{term}"' for term in terms]
    found = {term: max(row["n"] for row in rows(db, sql, {"term": term, "most": _COMMON + 1})) for term in quoted}
    return {term: count for term, count in found.items() if count}


def _with_all(db: Database, terms: Sequence[str], k: int) -> list[int]:
    """The numbers of the newest `k` entries with all of these words, or with any: very many have each of them."""
    sql = f"""
        select rowid as number from entries_fts where entries_fts match ?
        and (select status from entries where number = entries_fts.rowid) <> '{RETIRED}' order by rowid desc limit ?
    """
    for joint in (" AND ", " OR ") if terms else ():
        if found := rows(db, sql, (joint.join(terms), k)):
            return [row["number"] for row in found]
    return []


def set_entry_status(db: Database, id_: str, status: EntryStatus, reasons: Sequence[str] = ()) -> None:
    """Mark an entry current, stale or disputed, with the sentences that say why; one that is retired stays so."""
    if status not in ("current", "stale", "disputed"):
        raise ValueError(f"no such entry status: {status!r}")
    with transaction(db):
        put_status(db, full_id(db, "entries", id_), status, reasons)


def put_status(db: Database, id_: str, status: str, reasons: Sequence[str] = (), *, revive: bool = False) -> None:
    """Give the entry with the whole id `id_` a status; what it was goes into its history where that differs.

    Only with `revive` does a retired entry become anything else. To be called within a transaction.
    """
    stands = rows(db, "select status, status_reasons from entries where id = ?", (id_,))[0]
    if stands["status"] == RETIRED and not revive:
        return
    if (stands["status"], stands["status_reasons"]) == (status, _sentences(reasons)):
        return
    db.execute(
        "insert into history (entry_id, at, what, before) values (?, ?, 'status', ?)",
        (id_, now(), json.dumps({"status": stands["status"], "reasons": json.loads(stands["status_reasons"])})),
    )
    db.execute("update entries set status = ?, status_reasons = ? where id = ?", (status, _sentences(reasons), id_))


def note_change(db: Database, id_: str, what: str) -> None:
    """Keep an entry as it stands in its history, before it is replaced or corrected."""
    before = json.dumps(asdict(get_entry(db, id_)))
    db.execute("insert into history (entry_id, at, what, before) values (?, ?, ?, ?)", (id_, now(), what, before))


def replace_claims(db: Database, entry: Entry) -> None:
    """Put the answer of `entry`, its claims and judgements in the place of those stored under its id.

    ValueError as by `admit`; what stood there goes into the entry's history as "corrected".
    """
    _check(entry)
    with transaction(db):
        note_change(db, entry.id, "corrected")
        _delete_claims(db, entry.id)
        db.execute("update entries set answer = ? where id = ?", (storable(entry.answer), entry.id))
        _insert_claims(db, entry)


def _is_for_a_person(db: Database, id_: str) -> bool:
    """Whether a person decided on an entry, or has to, as two answers to its question are set against each other."""
    sql = """
        select 1 from reviews where entry_id = :id union all
        select 1 from disputes where entry_id = :id and code = 'answer' and settled = '' limit 1
    """
    return bool(rows(db, sql, {"id": id_}))


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
            "topic_id": topic_id(db, (one.title for claim in entry.claims for one in claim.citations)),
        }
    )
    db.table("scores").insert_all(
        {"entry_id": entry.id, "position": position, "name": storable(name), "value": finite(value)}
        for position, (name, value) in enumerate(entry.scores)
    )
    _insert_claims(db, entry)


def _insert_claims(db: Database, entry: Entry) -> None:
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


def _delete_claims(db: Database, id_: str) -> None:
    db.execute("delete from citations where claim_id in (select id from claims where entry_id = ?)", (id_,))
    db.execute("delete from claims where entry_id = ?", (id_,))


def _delete(db: Database, id_: str) -> None:
    _delete_claims(db, id_)
    db.execute("delete from scores where entry_id = ?", (id_,))
    db.execute("delete from entries where id = ?", (id_,))

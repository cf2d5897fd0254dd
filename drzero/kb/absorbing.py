"""What another knowledge base holds, copied into this one: in bulk, ids kept, what is known left as it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from drzero.errors import KnowledgeBaseError
from drzero.kb.schema import db_path, has_table, open_knowledge_base, rows

if TYPE_CHECKING:
    from sqlite_utils import Database

_MAGIC = b"SQLite format 3\0"
_MANY = 500
# In an order in which every row's parent is there before it. What is missed out holds or follows from entries.
_KEYED = ("archives", "runs", "chunks")
_OF_RUNS = ("seed_articles", "improvements", "trials", "question_vectors", "search_ranks")


@contextmanager
def attached(db: Database, path: Path) -> Iterator[Database]:
    """Another knowledge base as the schema `other` of `db`, and on its own: a copy, brought to today's schema.

    KnowledgeBaseError, which says what to do, when `path` is no knowledge base, this very one, or of a newer drzero.
    """
    path = Path(path)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise KnowledgeBaseError(f"{path} {what}: name the knowledge.db of the other workspace.")
    if path.samefile(db_path(db)):
        raise KnowledgeBaseError(f"{path} is this workspace's own knowledge base: name that of another.")
    with TemporaryDirectory(prefix=".merge-", dir=db_path(db).parent) as folder:
        copy = Path(folder) / "knowledge.db"
        try:
            _back_up(path, copy)
            other = open_knowledge_base(copy, create=False, backup=False)
        except KnowledgeBaseError as error:
            raise KnowledgeBaseError(str(error).replace(str(copy), str(path))) from error
        try:
            db.execute("attach database ? as other", (str(copy),))
            try:
                yield other
            finally:
                db.execute("detach database other")
        finally:
            other.close()


def copy_records(db: Database) -> dict[str, int]:
    """Archives, runs with what belongs to them, episodes and refused questions that are not here; how many of each.

    To be called first, in the transaction of them all: from here on references are looked at in the end alone.
    An episode whose place in its run is taken by another, as two that went on with one run have, is kept beside it.
    """
    db.execute("PRAGMA defer_foreign_keys = ON")  # until the end of the transaction, see `check_references`
    added = {table: _count(db, table) for table in ("archives", "runs", "episodes")}
    for table in _KEYED:
        _copy(db, table)
    db.execute(
        "update archives set "
        + ", ".join(
            f"{name} = iif(ifnull({name}, '') = '', ifnull((select o.{name} from other.archives as o "
            f"where o.id = archives.id), {name}), {name})"
            for name in _columns(db, "archives")
            if name not in ("id", "first_cited_at")
        )
    )
    fresh = "id not in (select id from main.episodes) order by rowid"
    taken = (
        "exists (select 1 from main.episodes as m where m.run_id = o.run_id and m.iteration = o.iteration "
        "and m.number = o.number)"
    )
    names = _columns(db, "episodes")
    picked = ", ".join(f"iif({taken}, null, run_id)" if name == "run_id" else f'"{name}"' for name in names)
    db.execute(f"insert into episodes ({_listed(names)}) select {picked} from other.episodes as o where {fresh}")
    events = [name for name in _columns(db, "events") if name != "id"]
    same = " and ".join(f"m.{name} is o.{name}" for name in events)
    db.execute(
        f"insert into events ({_listed(events)}) select {_listed(events)} from other.events as o "
        f"where not exists (select 1 from main.events as m where {same}) order by id"
    )
    for table in _OF_RUNS:
        _copy(db, table)
    _copy(db, "refused", leave=("number",))
    known = {row["profile"] for row in rows(db, "select profile from main.curriculum")}
    for row in rows(db, "select profile from other.curriculum"):
        if row["profile"] not in known:
            for table in ("curriculum", "curriculum_scores", "curriculum_types"):
                _copy(db, table, where="profile = ?", values=(row["profile"],))
    return {table: _count(db, table) - before for table, before in added.items()}


def shared_entries(db: Database) -> Iterator[tuple[str, str]]:
    """(id here, id there) of entries that answer one question, in the order of the other knowledge base."""
    sql = """
        select o.number, m.id as mine, o.id as theirs from other.entries as o join main.entries as m
        on m.question_key = o.question_key or m.id = o.id where o.number > ? order by o.number limit ?
    """
    at = -1
    while found := rows(db, sql, (at, _MANY)):
        yield from ((row["mine"], row["theirs"]) for row in found)
        at = found[-1]["number"]


def latest_reviews(db: Database, entry_id: str, schema: str = "main") -> str:
    """When a person last decided on an entry, "" for never."""
    if not has_table(db, "reviews"):
        return ""
    found = rows(db, f"select max(at) as at from {schema}.reviews where entry_id = ?", (entry_id,))
    return found[0]["at"] or ""


def copy_entries(db: Database) -> int:
    """All entries whose question and id are not here, with all that belongs to them; how many."""
    fresh = (
        "select o.id from other.entries as o where o.question_key not in (select question_key from main.entries) "
        "and o.id not in (select id from main.entries)"
    )
    db.execute(f"create temp table fresh as {fresh}")
    db.execute("create unique index temp.idx_fresh on fresh (id)")
    topics = has_table(db, "topics") and "topic_id" in _columns(db, "entries")
    if topics:
        _copy(db, "topics", leave=("id",))
    names = [name for name in _columns(db, "entries") if name != "number"]
    own = "(select m.id from main.topics as m join other.topics as t on t.key = m.key where t.id = o.topic_id)"
    picked = ", ".join(own if topics and name == "topic_id" else f'o."{name}"' for name in names)
    db.execute(
        f"insert into entries ({_listed(names)}) select {picked} from other.entries as o "
        "join fresh on fresh.id = o.id order by o.number"
    )
    _copy(db, "scores", where="entry_id in (select id from fresh)")
    base = int(rows(db, "select ifnull(max(id), 0) as id from main.claims")[0]["id"])
    _copy(db, "claims", where="entry_id in (select id from fresh)", change={"id": f"id + {base}"})
    of_fresh = "claim_id in (select c.id from other.claims as c join fresh on fresh.id = c.entry_id)"
    for table in ("citations", "supports"):
        _copy(db, table, where=of_fresh, leave=("id",), change={"claim_id": f"claim_id + {base}"})
    count = int(rows(db, "select count(*) as n from fresh")[0]["n"])
    db.execute("drop table fresh")
    return count


def copy_decisions(db: Database) -> int:
    """The reviews and the history of entries that are not here yet, for the entries that answer their questions."""
    before = _count(db, "reviews") if has_table(db, "reviews") else 0
    mapped = (
        "(select m.id from main.entries as m join other.entries as e on e.id = o.entry_id "
        "where m.question_key = e.question_key)"
    )
    for table in ("reviews", "history"):
        if has_table(db, table):
            names = [name for name in _columns(db, table) if name != "id"]
            own = {name: mapped if name == "entry_id" else f'o."{name}"' for name in names}
            same = " and ".join(f'm."{name}" is {own[name]}' for name in names)
            db.execute(
                f"insert into {table} ({_listed(names)}) select {', '.join(own.values())} from other.{table} as o "
                f"where {mapped} is not null and not exists (select 1 from main.{table} as m where {same}) order by id"
            )
    return (_count(db, "reviews") if has_table(db, "reviews") else 0) - before


def remove_entry(db: Database, entry_id: str, instead: str) -> None:
    """Take an entry out for another with the id `instead`, which the same transaction is to bring in."""
    db.execute("delete from citations where claim_id in (select id from claims where entry_id = ?)", (entry_id,))
    for table in ("claims", "scores"):
        db.execute(f"delete from {table} where entry_id = ?", (entry_id,))
    db.execute("delete from entries where id = ?", (entry_id,))
    for table in ("reviews", "history"):
        if has_table(db, table):
            db.execute(f"update {table} set entry_id = ? where entry_id = ?", (instead, entry_id))


def check_references(db: Database, path: Path) -> None:
    """KnowledgeBaseError where a row refers to one that is not there."""
    if found := db.conn.execute("PRAGMA main.foreign_key_check").fetchone():
        raise KnowledgeBaseError(
            f"{path} refers to rows of {found[2]} that it does not have: it is damaged; nothing was merged. "
            "Merge an earlier copy of it."
        )


def _copy(
    db: Database,
    table: str,
    *,
    where: str = "1",
    values: tuple[Any, ...] = (),
    leave: tuple[str, ...] = (),
    change: dict[str, str] | None = None,
) -> None:
    names = [name for name in _columns(db, table) if name not in leave]
    picked = ", ".join((change or {}).get(name, f'"{name}"') for name in names)
    db.execute(
        f"insert or ignore into main.{table} ({_listed(names)}) select {picked} from other.{table} where {where}",
        values,
    )


def _columns(db: Database, table: str) -> list[str]:
    return [row[1] for row in db.conn.execute(f"PRAGMA main.table_info({table})")]


def _listed(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _count(db: Database, table: str) -> int:
    return int(rows(db, f"select count(*) as n from main.{table}")[0]["n"])


def _back_up(path: Path, copy: Path) -> None:
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise KnowledgeBaseError(f"{path} is not a SQLite database: name the knowledge.db of the other workspace.")
    how = "mode=ro" if path.with_name(path.name + "-wal").exists() else "mode=ro&immutable=1"
    try:
        source = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=10)
        target = sqlite3.connect(copy)
        try:
            source.backup(target)
        finally:
            source.close()
            target.close()
    except (sqlite3.Error, OSError) as error:
        raise KnowledgeBaseError(
            f"{path} could not be copied to be merged ({error}): check the file, and the room on this disk."
        ) from error

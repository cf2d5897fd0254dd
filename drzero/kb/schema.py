"""The knowledge base's tables: numbered migrations, opening, and the one way to write."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drzero.errors import KnowledgeBaseError

if TYPE_CHECKING:
    from sqlite_utils import Database

APPLICATION_ID = 0x44725A30  # "DrZ0": tells our files from other programs' databases
_MAGIC = b"SQLite format 3\0"
_TOKENIZE = "porter unicode61 remove_diacritics 2"
_METRICS = (
    "reward verified curriculum_difficulty question_len answer_len evidence_count solver_steps best_score improvement "
    "search_turns f1_score format_compliance noise_tolerance rag_verification"
)


def _tables(db: Database) -> None:
    """Schema 1. Searched tables have an INTEGER PRIMARY KEY, so that VACUUM cannot part them from their full text."""
    text, real, whole = str, float, int
    db.table("runs").create(
        {
            "id": text,
            "profile": text,
            "seed": text,  # a seed may be longer than 64 bits
            "settings": text,  # JSON
            "iterations": whole,
            "iterations_done": whole,
            "status": text,
            "started_at": text,
            "finished_at": text,
        },
        pk="id",
        not_null=("profile", "seed", "settings", "iterations", "iterations_done", "status", "started_at"),
    )
    db.table("episodes").create(
        {
            "id": text,
            "run_id": text,
            "iteration": whole,
            "number": whole,
            "status": text,
            "reason": text,
            "question": text,
            "answer": text,
            "type": text,
            "level": text,
            "profile": text,
            "difficulty": real,
            "base_score": real,
            "attempts": whole,
            "elapsed_s": real,
            "created_at": text,
            "metrics": text,  # JSON array, see the view episode_metrics
            "trace": text,  # JSON, the whole episode
        },
        pk="id",
        not_null=(
            "iteration",
            "number",
            "status",
            "reason",
            "question",
            "type",
            "level",
            "profile",
            "metrics",
            "trace",
        ),
        foreign_keys=[("run_id", "runs", "id")],
    )
    db.table("episodes").create_index(("run_id", "iteration", "number"), unique=True)
    db.create_view(
        "episode_metrics",
        "select id, run_id, iteration, number, created_at, "
        + ", ".join(f"json_extract(metrics, '$[{i}]') as \"ssp.{name}\"" for i, name in enumerate(_METRICS.split()))
        + " from episodes",
    )
    db.table("archives").create(
        {"id": text, "name": text, "date": text, "first_cited_at": text}, pk="id", not_null=("name", "date")
    )
    db.table("entries").create(
        {
            "number": whole,
            "id": text,
            "question": text,
            "question_key": text,
            "answer": text,
            "type": text,
            "level": text,
            "profile": text,
            "overall": real,
            "status": text,
            "model": text,
            "episode_id": text,
            "created_at": text,
        },
        pk="number",
        not_null=("id", "question", "question_key", "answer", "type", "level", "profile", "overall", "status"),
        foreign_keys=[("episode_id", "episodes", "id")],
    )
    db.table("entries").create_index(("id",), unique=True)
    db.table("entries").create_index(("question_key",), unique=True)
    db.table("scores").create(
        {"entry_id": text, "position": whole, "name": text, "value": real},
        pk=("entry_id", "position"),
        foreign_keys=[("entry_id", "entries", "id")],
    )
    db.table("claims").create(
        {
            "id": whole,
            "entry_id": text,
            "position": whole,
            "text": text,
            "verdict": text,
            "probability": real,
            "reasons": text,  # JSON array, the verifier's
            "codes": text,  # JSON array, the verifier's
        },
        pk="id",
        not_null=("entry_id", "position", "text", "verdict", "probability", "reasons", "codes"),
        foreign_keys=[("entry_id", "entries", "id")],
    )
    db.table("claims").create_index(("entry_id", "position"), unique=True)
    db.table("citations").create(
        {
            "id": whole,
            "claim_id": whole,
            "position": whole,
            "n": whole,
            "index_name": text,
            "zim_id": text,
            "path": text,
            "title": text,
            "heading": text,  # JSON array, from the top heading down
            "chunk_id": text,
            "quote": text,
            "start": whole,
            "end": whole,
        },
        pk="id",
        not_null=(
            "claim_id",
            "position",
            "n",
            "zim_id",
            "path",
            "title",
            "heading",
            "chunk_id",
            "quote",
            "start",
            "end",
        ),
        foreign_keys=[("claim_id", "claims", "id"), ("zim_id", "archives", "id")],
    )
    db.table("citations").create_index(("claim_id", "position"), unique=True)
    db.table("citations").create_index(("zim_id", "path"))
    db.table("curriculum").create(
        {"profile": text, "level": text, "iterations": whole, "promotion": real, "demotion": real, "updated_at": text},
        pk="profile",
        not_null=("level", "iterations", "promotion", "demotion"),
    )
    db.table("curriculum_scores").create(
        {"profile": text, "type": text, "position": whole, "score": real},  # type "" holds the level's own window
        pk=("profile", "type", "position"),
        foreign_keys=[("profile", "curriculum", "profile")],
    )
    db.table("curriculum_types").create(
        {"profile": text, "position": whole, "type": text, "tries": whole, "accepted": whole},
        pk=("profile", "position"),
        foreign_keys=[("profile", "curriculum", "profile")],
    )
    db.table("entries").enable_fts(("question", "answer"), tokenize=_TOKENIZE, create_triggers=True)
    db.table("claims").enable_fts(("text",), tokenize=_TOKENIZE, create_triggers=True)


def _status_reasons(db: Database) -> None:
    """Schema 2. Why an entry is not current: a JSON array of sentences."""
    db.execute("alter table entries add column status_reasons text not null default '[]'")


def _chunks(db: Database) -> None:
    """Schema 3. The chunks that episodes came across, each once; traces name them by key."""
    db.table("chunks").create(
        {
            "key": str,
            "id": str,
            "zim_id": str,
            "path": str,
            "title": str,
            "heading": str,  # JSON array, from the top heading down
            "text": str,
            "start": int,
            "end": int,
            "mark": str,
        },
        pk="key",
        not_null=("id", "zim_id", "path", "title", "heading", "text", "start", "end", "mark"),
    )


def _events(db: Database) -> None:
    """Schema 4. What runs did beside their episodes, how seed articles fared, what a steady curriculum needs."""
    text, whole = str, int
    db.table("events").create(
        {
            "id": whole,
            "run_id": text,
            "iteration": whole,
            "at": text,
            "kind": text,
            "reason": text,
            "detail": text,  # JSON object
        },
        pk="id",
        not_null=("run_id", "iteration", "at", "kind", "reason", "detail"),
        foreign_keys=[("run_id", "runs", "id")],
    )
    db.table("events").create_index(("run_id", "iteration"))
    db.table("seed_articles").create(
        {
            "run_id": text,
            "zim_id": text,
            "path": text,
            "proposals": whole,
            "copies": whole,
            "challenges": whole,
            "accepted": whole,
            "last_error": text,
        },
        pk=("run_id", "zim_id", "path"),
        not_null=("proposals", "copies", "challenges", "accepted", "last_error"),
        foreign_keys=[("run_id", "runs", "id")],
    )
    db.execute("alter table curriculum add column crossings text not null default '[]'")  # JSON array
    db.execute("alter table curriculum add column leaning integer not null default 0")
    db.execute("alter table curriculum_types add column dry integer not null default 0")


def _refused(db: Database) -> None:
    """Schema 5. Questions that a gate refused, with its name, so that none is proposed again."""
    db.table("refused").create(
        {"number": int, "question": str, "refusal": str, "episode_id": str},
        pk="number",
        not_null=("question", "refusal"),
        foreign_keys=[("episode_id", "episodes", "id")],
    )
    db.table("refused").create_index(("question",), unique=True)


def _improvements(db: Database) -> None:
    """Schema 6. What had been learnt before each iteration, and how prompt variants did where they were tried."""
    text, whole = str, int
    db.table("improvements").create(
        {"run_id": text, "iteration": whole, "profile": text, "writer": text, "state": text, "made_at": text},
        pk=("run_id", "iteration"),
        not_null=("profile", "writer", "state", "made_at"),
        foreign_keys=[("run_id", "runs", "id")],
    )
    db.table("trials").create(
        {
            "run_id": text,
            "iteration": whole,
            "number": whole,  # within the iteration, from 0
            "profile": text,
            "writer": text,
            "prompt": text,
            "wording": text,  # the prompt's name with variant and version, as recorded
            "variant": text,
            "challenge_id": text,
            "won": whole,  # 0 or 1
            "tried_at": text,
        },
        pk=("run_id", "iteration", "number"),
        not_null=("profile", "writer", "prompt", "wording", "variant", "challenge_id", "won", "tried_at"),
        foreign_keys=[("run_id", "runs", "id")],
    )


def _worked_out(db: Database) -> None:
    """Schema 7. What takes long to work out and follows from models and indexes: vectors, ranks of gold chunks."""
    db.execute("""
        create table question_vectors (
            embedder text not null, question text not null, vector blob not null,
            primary key (embedder, question)
        ) without rowid
    """)
    db.execute("""
        create table search_ranks (
            searches text not null, challenge_id text not null, ranks text not null,
            primary key (searches, challenge_id)
        ) without rowid
    """)


MIGRATIONS: tuple[Callable[[Database], None], ...] = (
    _tables,
    _status_reasons,
    _chunks,
    _events,
    _refused,
    _improvements,
    _worked_out,
)
SCHEMA_VERSION = len(MIGRATIONS)
READABLE = 1  # from this schema on a file that cannot be written is read as it is


def open_knowledge_base(path: Path, *, create: bool = True) -> Database:
    """Open (or with `create` make) the knowledge base at `path`, brought to `SCHEMA_VERSION`; close it when done.

    A file on a read-only medium opens for reading, with the schema it has. KnowledgeBaseError when it is missing, a
    folder, not a database, another program's, damaged, in use for too long, or made by a newer drzero.
    """
    from sqlite_utils import Database

    path = Path(path)
    if path.is_dir():
        raise KnowledgeBaseError(f"{path} is a folder, not a knowledge base: name a file.")
    if not path.exists():
        if not create:
            raise KnowledgeBaseError(f"There is no knowledge base at {path}: run `drzero evolve` to make one.")
        if not path.parent.is_dir():
            raise KnowledgeBaseError(
                f"The folder {path.parent} does not exist: make it, or name another knowledge base."
            )
    writable = os.access(path if path.exists() else path.parent, os.W_OK) and os.access(path.parent, os.W_OK)
    if not writable and not path.exists():
        raise KnowledgeBaseError(
            f"{path.parent} is not writable, so no knowledge base can be made there: name another."
        )
    connection = _connect(path, writable)
    try:
        db = Database(connection)
        db.execute("PRAGMA foreign_keys = ON")
        db.execute(f"PRAGMA query_only = {'OFF' if writable else 'ON'}")
        _bring_up_to_date(db, path, writable)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.Error):
            raise KnowledgeBaseError(_sentence(error, path)) from error
        raise
    return db


@contextmanager
def transaction(db: Database) -> Iterator[None]:
    """One all-or-nothing write: committed at the end, undone on any error. Nested ones are part of the outer one."""
    if db.conn.in_transaction:
        with db.atomic():
            yield
        return
    try:
        if db.conn.execute("PRAGMA query_only").fetchone()[0]:  # else an older schema's missing column is told of first
            raise sqlite3.OperationalError("attempt to write a readonly database")
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.commit()
        except BaseException:
            db.rollback()
            raise
    except sqlite3.Error as error:
        raise KnowledgeBaseError(_sentence(error, db_path(db))) from error


def rows(db: Database, sql: str, parameters: Any = ()) -> list[dict[str, Any]]:
    """The rows of a query as dictionaries. KnowledgeBaseError when the file turns out damaged or locked."""
    try:
        return list(db.query(sql, parameters))
    except sqlite3.Error as error:
        raise KnowledgeBaseError(_sentence(error, db_path(db))) from error


def db_path(db: Database) -> Path:
    """The file that `db` is open on."""
    return Path(next((row[2] for row in db.conn.execute("PRAGMA database_list") if row[1] == "main"), ""))


def finite(number: float) -> float:
    """`number` as a REAL column takes it: what is not a finite number becomes 0.0."""
    return float(number) if float("-inf") < number < float("inf") else 0.0


def _connect(path: Path, writable: bool) -> sqlite3.Connection:
    how = "mode=rwc"
    if not writable:  # a write-ahead log needs a file beside it, unless SQLite is told that nothing will change
        how = "mode=ro" if path.with_name(path.name + "-wal").exists() else "mode=ro&immutable=1"
    try:
        if path.exists() and path.stat().st_size:
            with path.open("rb") as file:  # SQLite would take a file of a few bytes for an empty database
                if file.read(len(_MAGIC)) != _MAGIC:
                    raise sqlite3.DatabaseError("file is not a database")
        return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=10)
    except (sqlite3.Error, OSError) as error:
        raise KnowledgeBaseError(_sentence(error, path)) from error


def _bring_up_to_date(db: Database, path: Path, writable: bool) -> None:
    version = _version(db, path)
    if version == SCHEMA_VERSION or (version >= READABLE and not writable):
        return
    if not writable:
        raise KnowledgeBaseError(
            f"{path} is empty and read-only, so no knowledge base can be made there: name another."
        )
    db.enable_wal()
    db.execute("BEGIN IMMEDIATE")
    try:
        for number in range(_version(db, path), SCHEMA_VERSION):
            MIGRATIONS[number](db)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        db.commit()
    except BaseException:
        db.rollback()
        raise


def _version(db: Database, path: Path) -> int:
    """The schema number of an open file, 0 for an empty one."""
    tables, version, application = (
        int(db.conn.execute(sql).fetchone()[0])
        for sql in ("select count(*) from sqlite_master", "PRAGMA user_version", "PRAGMA application_id")
    )
    if application != APPLICATION_ID and tables:
        raise KnowledgeBaseError(f"{path} is another program's database, not a knowledge base: name another file.")
    if version > SCHEMA_VERSION:
        raise KnowledgeBaseError(
            f"{path} was made by a newer drzero (schema {version}, this one knows {SCHEMA_VERSION}): update drzero, "
            "or name another knowledge base."
        )
    return version


def _sentence(error: Exception, path: Path) -> str:
    said = str(error)
    if "not a database" in said:
        return (
            f"{path} is not a SQLite database: move it away or name another knowledge base, then run the command again."
        )
    if "malformed" in said:
        return f"{path} is damaged ({said}): restore a copy, or rescue it with `sqlite3 {path.name} .recover`."
    if "locked" in said or "locking" in said:
        return f"{path} is in use by another program, or lies where files cannot be locked: close it or move the file."
    if "readonly" in said:
        return f"{path} is read-only: copy it to a writable folder."
    if "disk is full" in said:
        return f"The disk that holds {path} is full: make room, then run the same command again."
    return f"{path} could not be read or written ({said}): check the disk and the file's permissions."

"""The knowledge base as a file: opening it, bringing it to today's schema, and the one way to write."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from drzero.errors import KnowledgeBaseError
from drzero.kb.migrations import MIGRATIONS

if TYPE_CHECKING:
    from sqlite_utils import Database

_log = logging.getLogger(__name__)
APPLICATION_ID = 0x44725A30  # "DrZ0": tells our files from other programs' databases
_MAGIC = b"SQLite format 3\0"
SCHEMA_VERSION = len(MIGRATIONS)
READABLE = 1  # from this schema on a file that cannot be written is read as it is


def open_knowledge_base(path: Path, *, create: bool = True, backup: bool = True) -> Database:
    """Open (or with `create` make) the knowledge base at `path`, brought to `SCHEMA_VERSION`; close it when done.

    Before a file of an earlier schema is changed it is copied to `<name>.before-schema-<N>`, unless `backup` is False.
    One on a read-only medium opens for reading, with the schema it has. KnowledgeBaseError when it is missing, a
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
        _bring_up_to_date(db, path, writable, backup)
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


def has_column(db: Database, table: str, column: str) -> bool:
    """Whether a table of an open file has a column: a file of an earlier schema may be read as it is."""
    return any(row[1] == column for row in db.conn.execute(f"PRAGMA table_info({table})"))


def has_table(db: Database, table: str) -> bool:
    """Whether there is such a table: a file that cannot be written keeps the schema it has."""
    return bool(rows(db, "select 1 from sqlite_master where type = 'table' and name = ?", (table,)))


def now() -> str:
    """This moment as the tables have it: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


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


def _bring_up_to_date(db: Database, path: Path, writable: bool, backup: bool) -> None:
    version = _version(db, path)
    if version == SCHEMA_VERSION or (version >= READABLE and not writable):
        return
    if not writable:
        raise KnowledgeBaseError(
            f"{path} is empty and read-only, so no knowledge base can be made there: name another."
        )
    db.enable_wal()
    if version and backup:
        _back_up(db, path)
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


def _back_up(db: Database, path: Path) -> None:
    """Copy a file of an earlier schema beside itself, unless that was done before; whole or not at all."""
    copy = path.with_name(f"{path.name}.before-schema-{SCHEMA_VERSION}")
    if copy.exists():
        return
    with TemporaryDirectory(prefix=".backup-", dir=path.parent) as folder:
        made = Path(folder) / copy.name
        target = sqlite3.connect(made)
        try:
            db.conn.backup(target)
        finally:
            target.close()
        made.replace(copy)
    _log.warning("%s was of an earlier version of drzero and is brought to this one; %s is as it was.", path, copy.name)


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

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest
import sqlite_utils

from drzero.errors import KnowledgeBaseError
from drzero.kb import schema
from drzero.kb.entries import find_entry, get_entry, list_entries, search_entries, set_entry_status
from drzero.kb.episodes import counts, save_episode
from drzero.kb.schema import SCHEMA_VERSION, db_path, finite, open_knowledge_base, transaction
from tests.samples import make_entry, make_episode


def test_schema_new_file_has_every_table(tmp_path: Path) -> None:
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        names = set(db.table_names())
        assert {"archives", "runs", "episodes", "entries", "scores", "claims", "citations", "curriculum"} <= names
        assert {"entries_fts", "claims_fts"} <= names
        assert db.view_names() == ["episode_metrics"]
        assert db.journal_mode == "wal"
        assert db.conn.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert db.conn.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert db.table("entries").detect_fts() == "entries_fts"
        assert db_path(db) == tmp_path / "knowledge.db"


def test_schema_foreign_keys_join_the_tables(tmp_path: Path) -> None:
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        keys = {(fk.table, fk.column, fk.other_table, fk.other_column) for t in db.tables for fk in t.foreign_keys}
        assert {
            ("episodes", "run_id", "runs", "id"),
            ("entries", "episode_id", "episodes", "id"),
            ("claims", "entry_id", "entries", "id"),
            ("citations", "claim_id", "claims", "id"),
            ("citations", "zim_id", "archives", "id"),
            ("scores", "entry_id", "entries", "id"),
        } <= keys
        assert list(db.query("PRAGMA foreign_key_check")) == []


def test_schema_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    open_knowledge_base(path).close()
    before = path.read_bytes()
    open_knowledge_base(path, create=False).close()
    assert path.read_bytes() == before


def test_schema_empty_file_becomes_a_knowledge_base(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    path.touch()
    with open_knowledge_base(path) as db:
        assert "entries" in db.table_names()


@pytest.mark.parametrize("name", ["Ünïcode 書庫.db", "a b#c?d&100%.db"])
def test_schema_odd_file_names_work(tmp_path: Path, name: str) -> None:
    open_knowledge_base(tmp_path / name).close()
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_schema_missing_file_is_not_made_without_create(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    with pytest.raises(KnowledgeBaseError) as caught:
        open_knowledge_base(path, create=False)
    assert str(caught.value) == f"There is no knowledge base at {path}: run `drzero evolve` to make one."
    assert not path.exists()


def test_schema_missing_folder_and_folder_as_file(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseError) as caught:
        open_knowledge_base(tmp_path / "no" / "knowledge.db")
    assert str(caught.value) == f"The folder {tmp_path / 'no'} does not exist: make it, or name another knowledge base."
    with pytest.raises(KnowledgeBaseError) as caught:
        open_knowledge_base(tmp_path)
    assert str(caught.value) == f"{tmp_path} is a folder, not a knowledge base: name a file."


@pytest.mark.parametrize("content", [b"x", b"<html>not found</html>" * 100, b"SQLite format 3\0" + b"\xff" * 2000])
def test_schema_not_a_database(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "knowledge.db"
    path.write_bytes(content)
    with pytest.raises(KnowledgeBaseError) as caught:
        open_knowledge_base(path)
    assert str(caught.value) == (
        f"{path} is not a SQLite database: move it away or name another knowledge base, then run the command again."
    )
    assert path.read_bytes() == content


def test_schema_damaged_database(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    open_knowledge_base(path).close()
    content = bytearray(path.read_bytes())
    content[100:4096] = b"\xff" * 3996
    path.write_bytes(content)
    with pytest.raises(KnowledgeBaseError, match="is damaged"):
        open_knowledge_base(path)


def test_schema_other_programs_database(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("create table songs (title)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(KnowledgeBaseError) as caught:
        open_knowledge_base(path)
    assert str(caught.value) == f"{path} is another program's database, not a knowledge base: name another file."
    assert path.read_bytes() == before


def test_schema_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    with open_knowledge_base(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 6}")
    with pytest.raises(KnowledgeBaseError) as caught:
        open_knowledge_base(path)
    assert str(caught.value) == (
        f"{path} was made by a newer drzero (schema {SCHEMA_VERSION + 6}, this one knows {SCHEMA_VERSION}): "
        "update drzero, or name another knowledge base."
    )


def test_schema_failed_migration_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "knowledge.db"

    def fails(db: object) -> None:
        raise RuntimeError("stop")

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, fails))
    monkeypatch.setattr(schema, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with pytest.raises(RuntimeError, match="stop"):
        open_knowledge_base(path)
    connection = sqlite3.connect(path)
    assert connection.execute("select count(*) from sqlite_master").fetchone() == (0,)
    connection.close()


def test_schema_older_version_is_brought_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "knowledge.db"
    open_knowledge_base(path).close()
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, lambda db: db.table("notes").create({"id": int})))
    monkeypatch.setattr(schema, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with open_knowledge_base(path) as db:
        assert "notes" in db.table_names()
        assert db.conn.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION + 1,)


def test_schema_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    with open_knowledge_base(tmp_path / "knowledge.db") as db:

        def insert(id_: str, then: Exception | None = None) -> None:
            with transaction(db):
                db.table("archives").insert({"id": id_, "name": "x", "date": ""})
                if then:
                    raise then

        with pytest.raises(ValueError, match="stop"):
            insert("a", ValueError("stop"))
        assert db.table("archives").count == 0
        with transaction(db):
            insert("a")
            with pytest.raises(ValueError, match="stop"):
                insert("b", ValueError("stop"))
        assert [row["id"] for row in db.table("archives").rows] == ["a"]


def test_schema_locked_database_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    with open_knowledge_base(path) as db, open_knowledge_base(path) as other:
        other.execute("PRAGMA busy_timeout = 10")
        with (
            transaction(db),
            pytest.raises(KnowledgeBaseError, match="is in use by another program"),
            transaction(other),
        ):
            raise AssertionError("not reached")


def test_schema_read_only_file_opens_for_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "knowledge.db"
    open_knowledge_base(path).close()
    path.chmod(stat.S_IRUSR)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anyway
    with open_knowledge_base(path) as db:
        assert db.table("entries").count == 0
        with pytest.raises(KnowledgeBaseError) as caught, transaction(db):
            db.table("archives").insert({"id": "a", "name": "x", "date": ""})
        assert str(caught.value) == f"{path} is read-only: copy it to a writable folder."
    assert [file.name for file in tmp_path.iterdir()] == ["knowledge.db"]


def test_schema_read_only_file_of_an_older_version_is_read_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "knowledge.db"
    with open_knowledge_base(path) as db:
        save_episode(db, make_episode(), make_entry())
        db.execute("alter table entries drop column status_reasons")
        db.execute("PRAGMA user_version = 1")
    db.close()
    before = path.read_bytes()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with open_knowledge_base(path, create=False) as db:
        assert list_entries(db) == search_entries(db, "salt") == [get_entry(db, "n")] == [make_entry()]
        assert find_entry(db, make_entry().question) == make_entry()
        assert counts(db)["entries"] == {"current": 1}
        with pytest.raises(KnowledgeBaseError) as caught:
            set_entry_status(db, "n1", "stale", ("It is gone.",))
        assert str(caught.value) == f"{path} is read-only: copy it to a writable folder."
    assert path.read_bytes() == before


def test_schema_read_only_file_without_tables_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "knowledge.db"
    path.touch()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(KnowledgeBaseError) as caught:
        open_knowledge_base(path)
    assert str(caught.value) == (
        f"{path} is empty and read-only, so no knowledge base can be made there: name another."
    )


def test_schema_finite() -> None:
    assert [finite(x) for x in (0.5, float("nan"), float("inf"), float("-inf"))] == [0.5, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("database or disk is full", "The disk that holds k.db is full: make room, then run the same command again."),
        (
            "locking protocol",
            "k.db is in use by another program, or lies where files cannot be locked: close it or move the file.",
        ),
        (
            "disk I/O error",
            "k.db could not be read or written (disk I/O error): check the disk and the file's permissions.",
        ),
    ],
)
def test_schema_sqlite_errors_become_sentences(said: str, sentence: str) -> None:
    assert schema._sentence(sqlite3.OperationalError(said), Path("k.db")) == sentence


def test_schema_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(KnowledgeBaseError) as caught:
        open_knowledge_base(tmp_path / "knowledge.db")
    assert str(caught.value) == f"{tmp_path} is not writable, so no knowledge base can be made there: name another."


def test_schema_entries_of_the_first_version_keep_all_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "knowledge.db"
    with monkeypatch.context() as before:
        before.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        before.setattr(schema, "SCHEMA_VERSION", 1)
        with open_knowledge_base(path) as db, transaction(db):
            db.execute(
                "insert into entries (id, question, question_key, answer, type, level, profile, overall, status) "
                "values ('e', 'What is salt?', 'what is salt', 'A mineral.', 't', 'l', 'p', 0.5, 'stale')"
            )
    with open_knowledge_base(path) as db:
        (row,) = db.query("select * from entries")
        assert (row["id"], row["status"], row["status_reasons"]) == ("e", "stale", "[]")
        assert [
            row["rowid"] for row in db.query("select rowid from entries_fts where entries_fts match 'mineral'")
        ] == [1]
        assert db.conn.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        with transaction(db):
            db.execute("update entries set answer = 'A rock.' where id = 'e'")
        assert [row["rowid"] for row in db.query("select rowid from entries_fts where entries_fts match 'rock'")] == [1]
    with open_knowledge_base(path, create=False) as db:
        assert db.table("entries").count == 1


def test_schema_file_of_an_earlier_schema_is_copied_before_it_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "knowledge.db"
    with open_knowledge_base(path) as db:
        save_episode(db, make_episode(), make_entry())
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, lambda db: db.execute("drop table refused")))
    monkeypatch.setattr(schema, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with open_knowledge_base(path) as db:
        assert "refused" not in db.table_names()
    copy = tmp_path / f"knowledge.db.before-schema-{SCHEMA_VERSION + 1}"
    connection = sqlite3.connect(copy)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    assert connection.execute("select count(*) from refused").fetchone() == (0,)
    assert connection.execute("select id from entries").fetchall() == [("n1",)]
    connection.close()
    assert caplog.messages == [
        f"{path} was of an earlier version of drzero and is brought to this one; {copy.name} is as it was."
    ]
    before = copy.read_bytes()
    open_knowledge_base(path).close()
    assert copy.read_bytes() == before
    assert len(caplog.messages) == 1
    assert not list(tmp_path.glob(".backup-*"))


def test_schema_new_and_current_files_are_not_copied(tmp_path: Path) -> None:
    for _ in range(2):
        open_knowledge_base(tmp_path / "knowledge.db").close()
    assert [file.name for file in tmp_path.iterdir()] == ["knowledge.db"]


def test_schema_opens_in_sqlite_utils(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    with open_knowledge_base(path) as db:
        save_episode(db, make_episode(), make_entry())
    plain = sqlite_utils.Database(path)
    assert {"topics", "reviews", "history"} <= set(plain.table_names())
    assert plain.table("entries").detect_fts() == "entries_fts"
    assert [row["id"] for row in plain.table("entries").search("sodium")] == ["n1"]
    assert [row["text"] for row in plain.table("claims").search("tastes")] == ["It tastes salty."]
    assert ("entries", "topic_id", "topics", "id") in {
        (key.table, key.column, key.other_table, key.other_column) for key in plain.table("entries").foreign_keys
    }
    assert list(plain.query("PRAGMA foreign_key_check")) == []
    assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    plain.close()

"""drzero.kb.support: what else bears out a claim, how many say it independently, and citations that move."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlite_utils import Database

from drzero.kb.entries import admit, get_entry, set_entry_status
from drzero.kb.schema import open_knowledge_base, rows, transaction
from drzero.kb.support import (
    add_support,
    archive_names,
    move_citations,
    note_passed,
    passed,
    reading_order,
    support_counts,
    supports,
)
from drzero.types import Citation
from tests.samples import CITATION, CLAIM, SUPPORTED, stated_entry

ENTRY = stated_entry("When was it opened?", "The Forth Bridge was opened in 1890.")
OTHER = replace(
    CITATION, zim_id="zim-2", path="Forth", title="Forth", quote="In 1890 the great Forth Bridge was opened.", start=5,
    end=47, heading=("A", "B\udc80"),
)  # fmt: skip


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = open_knowledge_base(tmp_path / "knowledge.db")
    assert admit(opened, ENTRY)
    with transaction(opened):
        for id_ in ("zim-2", "zim-3"):
            opened.execute("insert into archives (id, name, date) values (?, ?, '2026-01-01')", (id_, f"{id_}_2026-01"))
    yield opened
    opened.close()


def test_support_is_kept_once_and_given_back(db: Database) -> None:
    assert add_support(db, ENTRY.id, 0, (OTHER,))
    assert not add_support(db, ENTRY.id, 0, (OTHER,))
    assert not add_support(db, ENTRY.id, 0, ENTRY.claims[0].citations)
    assert not add_support(db, ENTRY.id, 0, ())
    third = replace(OTHER, zim_id="zim-3", heading=())
    assert add_support(db, ENTRY.id, 0, (third, OTHER))
    assert not add_support(db, ENTRY.id, 0, (third,))
    assert supports(db, ENTRY.id) == {0: ((OTHER,), (third, OTHER))}
    assert get_entry(db, ENTRY.id) == ENTRY


def test_support_of_a_claim_that_is_not_there_is_refused(db: Database) -> None:
    with pytest.raises(ValueError, match=f"entry {ENTRY.id} has no claim 1"):
        add_support(db, ENTRY.id, 1, (OTHER,))
    assert supports(db, "nobody") == {}


def test_support_counts_archives_and_no_copies(db: Database) -> None:
    assert support_counts(db, ENTRY) == (1,)
    add_support(db, ENTRY.id, 0, (replace(OTHER, quote=ENTRY.answer),))
    assert support_counts(db, ENTRY) == (1,)
    add_support(db, ENTRY.id, 0, (replace(OTHER, zim_id="zim-3"),))
    assert support_counts(db, ENTRY) == (2,)
    with transaction(db):
        db.execute("update archives set name = 'zim-1_2027-01' where id = 'zim-3'")
    assert support_counts(db, ENTRY) == (1,)  # a newer edition of the archive that is cited


def test_support_counts_each_claim(db: Database) -> None:
    two = stated_entry("What is salt?", CLAIM.text)
    more = replace(two.claims[0], text="It tastes salty, too.")
    two = replace(two, answer=f"{CLAIM.text} {more.text}", claims=(*two.claims, more), judgements=(SUPPORTED,) * 2)
    assert admit(db, two)
    assert support_counts(db, two) == (1, 1)


def test_support_falls_away_with_its_entry(db: Database) -> None:
    add_support(db, ENTRY.id, 0, (OTHER,))
    note_passed(db, {ENTRY.id: "d"})
    set_entry_status(db, ENTRY.id, "stale")
    assert admit(db, replace(ENTRY, overall=0.5))
    assert (supports(db, ENTRY.id), passed(db)) == ({}, {})
    assert rows(db, "PRAGMA foreign_key_check") == []


def test_support_a_file_of_before_has_none(db: Database) -> None:
    with transaction(db):
        db.execute("drop table supports")
    assert supports(db, ENTRY.id) == {}
    assert support_counts(db, ENTRY) == (1,)


# --- moving ---------------------------------------------------------------------------------------------------------


def moved(**changes: object) -> Citation:
    return replace(ENTRY.claims[0].citations[0], **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("with_history", [False, True])
def test_support_citations_move_with_their_archive_and_history_is_kept(db: Database, with_history: bool) -> None:
    with transaction(db):
        db.execute("drop table if exists history")
        if with_history:
            db.execute("create table if not exists history (id integer primary key, entry_id, at, what, before)")
    (old,) = ENTRY.claims[0].citations
    new = moved(zim_id="zim-9", start=7, end=43, heading=("Later",), index="n")
    move_citations(db, ENTRY.id, [(old, new)], [("zim-9", "zim-1_2027-01", "2027-01-01")])
    stored = get_entry(db, ENTRY.id)
    assert stored.claims[0].citations == (new,)
    assert stored.archives == (("zim-9", "zim-1_2027-01", "2027-01-01"),)
    assert archive_names(db)["zim-1"] == ("zim-1_2026-01", "2026-01-01")
    assert rows(db, "PRAGMA foreign_key_check") == []
    if with_history:
        (row,) = rows(db, "select * from history")
        assert (row["entry_id"], row["what"]) == (ENTRY.id, "moved")
        ((before),) = json.loads(row["before"])
        assert (before["zim_id"], before["start"], before["quote"]) == ("zim-1", 0, ENTRY.answer)


def test_support_only_citations_of_the_entry_move(db: Database) -> None:
    twin = stated_entry("And when else?", ENTRY.answer)
    assert admit(db, twin)
    move_citations(db, ENTRY.id, [(moved(), moved(start=1, end=37))], [])
    assert get_entry(db, twin.id) == twin
    assert get_entry(db, ENTRY.id).claims[0].citations == (moved(start=1, end=37),)


# --- reading --------------------------------------------------------------------------------------------------------


def test_support_entries_of_one_article_are_read_one_after_the_other(db: Database) -> None:
    others = [
        stated_entry("a?", "A is so.", title="Tower"),
        stated_entry("b?", "B is so.", zim_id="zim-0", title="Tower"),
        stated_entry("c?", "C is so."),
        stated_entry("d?", "D is so.", title="Tower"),
    ]
    for one in others:
        assert admit(db, one)
    set_entry_status(db, others[3].id, "stale")
    a, b, c, d = (one.id for one in others)
    assert reading_order(db) == [b, ENTRY.id, c, a, d]
    with transaction(db):
        db.execute("update entries set status = 'retired' where id = ?", (a,))
    assert reading_order(db) == [b, ENTRY.id, c, d]


def test_support_what_passed_is_remembered(db: Database) -> None:
    assert passed(db) == {}
    note_passed(db, {ENTRY.id: "one"})
    note_passed(db, {ENTRY.id: "two"})
    assert passed(db) == {ENTRY.id: "two"}
    note_passed(db, {})
    assert passed(db) == {ENTRY.id: "two"}

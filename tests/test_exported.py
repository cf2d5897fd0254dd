"""drzero.kb.exported: many entries read at once are what each alone is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from drzero.errors import KnowledgeBaseError
from drzero.kb import exported
from drzero.kb.entries import admit, list_entries, set_entry_status
from drzero.kb.episodes import save_episode
from drzero.kb.exported import Cited, archive_rows, entries_numbered, iter_cited, unchanging
from drzero.kb.schema import open_knowledge_base
from drzero.kb.support import add_support
from drzero.types import Claim, Entry
from tests.samples import CITATION, SUPPORTED, make_entry, make_episode

if TYPE_CHECKING:
    from sqlite_utils import Database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    save_episode(db, make_episode(), None)
    yield db
    db.close()


def admitted(db: Database, count: int, **changes: object) -> list[Entry]:
    """`count` entries of the knowledge base, whose claims differ."""
    for number in range(count):
        assert admit(db, make_entry(id=f"n{number}", question=f"What is number {number}?", **changes))
    return list_entries(db)


def test_exported_entries_are_what_the_knowledge_base_has(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exported, "AT_ONCE", 2)
    made = admitted(db, 5)
    numbers = [row["number"] for row in db.query("select number from entries order by number")]
    assert entries_numbered(db, [*numbers[::-1], numbers[0]]) == dict(zip(numbers, made, strict=True))
    assert entries_numbered(db, [numbers[-1] + 1]) == {}
    assert entries_numbered(db, []) == {}


def test_exported_other_places_that_support_a_claim_stand_behind_its_citations(db: Database) -> None:
    (made,) = admitted(db, 1)
    more = replace(CITATION, zim_id="zim-2", quote="It is salty.", start=7, end=19)
    db.execute("insert into archives (id, name, date, first_cited_at) values ('zim-2', 'pantry', '2025', '')")
    assert add_support(db, made.id, 1, [more])
    (number,) = [row["number"] for row in db.query("select number from entries")]
    found = entries_numbered(db, [number])[number]
    assert found.claims[0] == made.claims[0]
    assert found.claims[1].citations == (*made.claims[1].citations, more)
    (told,) = iter_cited(db, statuses=("current",))
    assert (told.titles, told.archives) == (("Salt",) * 3, ("zim-1", "zim-1", "zim-1", "zim-2"))
    assert found.archives == (("zim-1", "kitchen", "2026-01"), ("zim-2", "pantry", "2025"))


def test_exported_what_all_cite_comes_in_order(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exported, "AT_ONCE", 2)
    made = admitted(db, 5)
    found = list(iter_cited(db, statuses=("current",)))
    assert [one.question for one in found] == [one.question for one in made]
    assert found[0] == Cited(
        found[0].number,
        "What is number 0?",
        "wikipedia",
        "2026-01-02T03:04:05+00:00",
        ("Salt", "Salt", "Salt"),
        ("zim-1", "zim-1", "zim-1"),
    )
    assert [one.number for one in found] == sorted(one.number for one in found)


def test_exported_an_article_without_a_title_goes_by_its_path(db: Database) -> None:
    claim = Claim("It is white.", (replace(CITATION, title="\u200f", path="A/Salt"), replace(CITATION, title="Rye")))
    admit(db, make_entry(claims=(claim,), answer=claim.text, judgements=(SUPPORTED,)))
    assert [one.titles for one in iter_cited(db, statuses=("current",))] == [("A/Salt", "Rye")]


def test_exported_statuses_and_profile_are_kept_apart(db: Database) -> None:
    admitted(db, 3)
    admit(db, make_entry(id="c", question="What is code?", profile="coding"))
    set_entry_status(db, "n1", "stale", ["It is gone."])
    set_entry_status(db, "n2", "disputed")

    def questions(*statuses: str, profile: str = "") -> list[str]:
        return [one.question for one in iter_cited(db, statuses=statuses, profile=profile)]

    assert questions("current") == ["What is number 0?", "What is code?"]
    assert questions("current", "stale", profile="wikipedia") == ["What is number 0?", "What is number 1?"]
    assert questions("current", profile="coding") == ["What is code?"]
    assert questions("disputed") == ["What is number 2?"]
    assert questions("current", profile="\ud800") == []


def test_exported_archives(db: Database) -> None:
    admit(db, replace(make_entry(), archives=(("zim-1", "kitchen", "2026-01"),)))
    (row,) = archive_rows(db)
    assert (row["id"], row["name"], row["date"]) == ("zim-1", "kitchen", "2026-01")


def test_exported_one_moment_is_read_while_another_writes(db: Database, tmp_path: Path) -> None:
    admitted(db, 1)
    other = open_knowledge_base(tmp_path / "knowledge.db")
    with unchanging(db):
        before = [one.question for one in iter_cited(db, statuses=("current",))]
        admit(other, make_entry(id="late", question="What came late?"))
        assert [one.question for one in iter_cited(db, statuses=("current",))] == before
    assert len(list(iter_cited(db, statuses=("current",)))) == 2
    other.close()


def test_exported_damage_is_told(tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    db.execute("drop table scores")
    save = make_entry()
    db.execute(
        "insert into entries (id, question, question_key, answer, type, level, profile, overall, status, "
        "model, created_at) values ('a', 'b', 'c', 'd', 'e', 'f', 'g', 0.5, 'current', '', ?)",
        (save.created_at,),
    )
    with pytest.raises(KnowledgeBaseError, match="could not be read"):
        entries_numbered(db, [1])
    db.close()

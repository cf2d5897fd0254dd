"""drzero.merging: what two laptops found out, in one knowledge base, and nothing lost or doubled on the way."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from drzero import merging
from drzero.errors import KnowledgeBaseError
from drzero.kb.asked import refused_questions, remember
from drzero.kb.disputes import add_dispute, disputes_of, settle_disputes
from drzero.kb.entries import admit, get_entry, list_entries, search_entries, set_entry_status
from drzero.kb.episodes import (
    get_episode,
    list_episodes,
    load_curriculum,
    runs,
    save_curriculum,
    save_episode,
    start_run,
)
from drzero.kb.events import add_events, list_events, note_seeds, seed_vitals
from drzero.kb.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION, open_knowledge_base, rows, transaction
from drzero.kb.support import add_support, support_counts, supports
from drzero.merging import merge_knowledge_base
from drzero.results import Merged
from drzero.types import Curriculum, Entry, Event, Progress, SeedVitals
from drzero.workspace import BusyError, Workspace
from tests.conftest import Run
from tests.samples import make_entry, make_episode, stated_entry

QUESTION = "When was the Forth Bridge opened?"
SAID = "The Forth Bridge was opened in 1890."
OLDER, NEWER = "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"
MINE = stated_entry(QUESTION, SAID, created_at=OLDER)
THEIRS = stated_entry(
    QUESTION, SAID, zim_id="zim-2", quote="In 1890 the great Forth Bridge was opened.", created_at=NEWER
)
RIVAL = stated_entry(QUESTION, "The Forth Bridge was opened in 1891.", zim_id="zim-2", created_at=NEWER)
TOWER = stated_entry("How high is the Eiffel Tower?", "The Eiffel Tower is 330 metres high.", title="Eiffel Tower")
Fill = Callable[..., None]


def quiet(_: Progress) -> None:
    """Progress nobody looks at."""


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    (tmp_path / "here").mkdir()
    return Workspace(tmp_path / "here")


@pytest.fixture
def there(tmp_path: Path) -> Path:
    (tmp_path / "there").mkdir()
    return tmp_path / "there" / "knowledge.db"


def fill(path: Path, *entries: Entry, then: Callable[[Database], Any] | None = None) -> None:
    db = open_knowledge_base(path)
    for entry in entries:
        assert admit(db, entry)
    if then:
        then(db)
    db.close()


def opened(workspace: Workspace) -> Database:
    return open_knowledge_base(workspace.database)


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables, but for what is worked out again from them."""
    db = open_knowledge_base(path)
    names = [row["name"] for row in rows(db, "select name from sqlite_master where type = 'table' order by 1")]
    found = {name: sorted(map(repr, db.execute(f'select * from "{name}"'))) for name in names if "_fts" not in name}
    assert rows(db, "PRAGMA foreign_key_check") == []
    db.close()
    return found  # type: ignore[return-value]


# --- what is new ----------------------------------------------------------------------------------------------------


def test_merging_brings_in_entries_with_all_that_belongs_to_them(here: Workspace, there: Path) -> None:
    fill(here.database, TOWER)
    odd = make_entry(episode_id="")
    fill(there, odd, THEIRS, then=lambda db: add_support(db, THEIRS.id, 0, odd.claims[0].citations))
    result = merge_knowledge_base(here, there, quiet)
    assert result == Merged(2, 0, 0, (), 0, 0, 1, 0)
    db = opened(here)
    assert [one.id for one in list_entries(db)] == [TOWER.id, odd.id, THEIRS.id]
    assert get_entry(db, odd.id) == replace(odd, archives=TOWER.archives)  # as the archive was known here
    assert get_entry(db, THEIRS.id) == replace(THEIRS, archives=(("zim-2", "zim-2_2026-01", "2026-01-01"),))
    assert supports(db, THEIRS.id) == {0: (odd.claims[0].citations,)}
    assert [one.id for one in search_entries(db, "forth")] == [THEIRS.id]
    assert get_entry(db, TOWER.id).claims == TOWER.claims
    db.close()


def test_merging_a_second_time_changes_nothing(here: Workspace, there: Path) -> None:
    fill(here.database, MINE, TOWER)
    higher = stated_entry("And its height?", "The Eiffel Tower is 312 metres high.", title="Tour Eiffel", zim_id="z3")
    fill(there, THEIRS, make_entry(episode_id=""), higher)
    merge_knowledge_base(here, there, quiet)
    once = contents(here.database)
    again = merge_knowledge_base(here, there, quiet)
    assert (again.entries, again.replaced, again.disputed) == (0, 0, ())
    assert contents(here.database) == once


def test_merging_makes_a_knowledge_base_where_there_is_none(here: Workspace, there: Path) -> None:
    fill(there, MINE)
    assert merge_knowledge_base(here, there, quiet).entries == 1
    assert [one.id for one in list_entries(opened(here))] == [MINE.id]


def test_merging_leaves_the_other_as_it_is(here: Workspace, there: Path) -> None:
    fill(there, MINE)
    before = there.read_bytes()
    merge_knowledge_base(here, there, quiet)
    assert there.read_bytes() == before
    assert sorted(path.name for path in here.root.iterdir() if not path.name.endswith((".lock", "-wal", "-shm"))) == [
        "knowledge.db"
    ]


def test_merging_brings_in_runs_episodes_and_what_they_met(here: Workspace, there: Path) -> None:
    episode = make_episode(run="r1")

    def run(db: Database) -> None:
        start_run(db, settings={"a": 1}, profile="wikipedia", seed=2**70, iterations=2, id_="r1")
        save_episode(db, episode, make_entry())
        remember(db, episode)
        add_events(db, [Event("r1", 0, "moved", "Up.", {"a": 1}, OLDER)])
        note_seeds(db, "r1", [SeedVitals("zim-1", "A", 3, 1, 2, 1)])
        save_curriculum(db, "wikipedia", Curriculum(level="hard"))

    fill(there, then=run)
    for times in (1, 2):
        result = merge_knowledge_base(here, there, quiet)
        assert (result.runs, result.episodes, result.entries) == ((1, 1, 1) if times == 1 else (0, 0, 0))
        db = opened(here)
        assert get_episode(db, "e1") == episode
        assert [one.seed for one in runs(db)] == [2**70]
        assert [one.reason for one in list_events(db, "r1")] == ["Up."]
        assert [one.proposals for one in seed_vitals(db, "r1")] == [3]
        assert load_curriculum(db, "wikipedia").level == "hard"  # type: ignore[union-attr]
        assert get_entry(db, "n1").episode_id == "e1"
        db.close()


def test_merging_keeps_the_curriculum_that_is_here(here: Workspace, there: Path) -> None:
    fill(here.database, then=lambda db: save_curriculum(db, "wikipedia", Curriculum(level="medium")))
    fill(there, then=lambda db: save_curriculum(db, "wikipedia", Curriculum(level="hard")))
    merge_knowledge_base(here, there, quiet)
    assert load_curriculum(opened(here), "wikipedia").level == "medium"  # type: ignore[union-attr]


def test_merging_two_that_went_on_with_one_run_keeps_both_episodes(here: Workspace, there: Path) -> None:
    def run(db: Database, id_: str) -> None:
        start_run(db, settings={}, profile="wikipedia", seed=1, iterations=2, id_="r1")
        save_episode(db, make_episode(id=id_, run="r1"), None)

    fill(here.database, then=lambda db: run(db, "mine"))
    fill(there, then=lambda db: run(db, "theirs"))
    assert merge_knowledge_base(here, there, quiet).episodes == 1
    db = opened(here)
    assert [(one.id, one.run) for one in list_episodes(db)] == [("mine", "r1"), ("theirs", "")]
    assert get_episode(db, "theirs").run == "r1"
    db.close()
    assert merge_knowledge_base(here, there, quiet).episodes == 0


def test_merging_refused_questions_are_known_once(here: Workspace, there: Path) -> None:
    def refuse(db: Database, *questions: str) -> None:
        with transaction(db):
            for one in questions:
                db.execute("insert into refused (question, refusal) values (?, 'short')", (one,))

    fill(here.database, then=lambda db: refuse(db, "A?", "B?"))
    fill(there, then=lambda db: refuse(db, "C?", "B?"))
    merge_knowledge_base(here, there, quiet)
    assert refused_questions(opened(here)) == ["A?", "B?", "C?"]


def test_merging_names_an_archive_that_was_unknown_here(here: Workspace, there: Path) -> None:
    fill(here.database, replace(MINE, archives=()))
    fill(there, TOWER)
    merge_knowledge_base(here, there, quiet)
    assert get_entry(opened(here), MINE.id).archives == (("zim-1", "zim-1_2026-01", "2026-01-01"),)


# --- one question, two entries --------------------------------------------------------------------------------------


@pytest.mark.parametrize("older_here", [True, False])
def test_merging_the_older_of_two_that_agree_is_kept_and_both_support_it(
    here: Workspace, there: Path, older_here: bool
) -> None:
    mine, theirs = (MINE, THEIRS) if older_here else (THEIRS, MINE)
    fill(here.database, mine)
    fill(there, theirs)
    result = merge_knowledge_base(here, there, quiet)
    assert (result.entries, result.joined, result.replaced, result.disputed) == (0, 1, int(not older_here), ())
    db = opened(here)
    stored = get_entry(db, MINE.id)
    assert (stored.status, stored.claims, stored.created_at) == ("current", MINE.claims, OLDER)
    assert supports(db, MINE.id) == {0: (THEIRS.claims[0].citations,)}
    assert support_counts(db, stored) == (2,)
    db.close()
    again = merge_knowledge_base(here, there, quiet)
    assert (again.joined, again.replaced) == (1, 0)
    assert supports(opened(here), MINE.id) == {0: (THEIRS.claims[0].citations,)}


def test_merging_answers_that_differ_make_the_entry_here_disputed_with_both_sides(here: Workspace, there: Path) -> None:
    fill(here.database, MINE)
    fill(there, RIVAL)
    result = merge_knowledge_base(here, there, quiet)
    assert (result.joined, result.disputed) == (
        0,
        ((MINE.id, f"“{SAID}” and “{RIVAL.answer}” answer the same question."),),
    )
    db = opened(here)
    stored = get_entry(db, MINE.id)
    assert (stored.status, stored.claims) == ("disputed", MINE.claims)
    assert stored.status_reasons == (f"The same question was answered otherwise: “{RIVAL.answer}”",)
    (dispute,) = disputes_of(db, MINE.id)
    assert dispute.other == RIVAL
    db.close()
    assert merge_knowledge_base(here, there, quiet).disputed == ()


def test_merging_a_dispute_that_was_settled_is_not_opened_again(here: Workspace, there: Path) -> None:
    fill(here.database, MINE)
    fill(there, RIVAL)
    merge_knowledge_base(here, there, quiet)
    db = opened(here)
    settle_disputes(db, MINE.id, "Looked up.")
    set_entry_status(db, MINE.id, "current")
    db.close()
    assert merge_knowledge_base(here, there, quiet).disputed == ()
    assert get_entry(opened(here), MINE.id).status == "current"


@pytest.mark.parametrize(
    ("mine", "theirs", "replaced", "answer"),
    [
        ("stale", "current", 1, RIVAL.answer),
        ("stale", "stale", 0, SAID),
        ("current", "stale", 0, SAID),
    ],
)
def test_merging_what_is_stale_gives_way(
    here: Workspace, there: Path, mine: str, theirs: str, replaced: int, answer: str
) -> None:
    fill(here.database, MINE, then=lambda db: set_entry_status(db, MINE.id, mine))  # type: ignore[arg-type]
    fill(there, RIVAL, then=lambda db: set_entry_status(db, RIVAL.id, theirs))  # type: ignore[arg-type]
    result = merge_knowledge_base(here, there, quiet)
    assert (result.replaced, result.disputed) == (replaced, ())
    assert get_entry(opened(here), MINE.id).answer == answer


def test_merging_entries_of_other_questions_that_contradict_each_other_are_disputed(
    here: Workspace, there: Path
) -> None:
    other = replace(RIVAL, id="other", question="In what year did the Forth Bridge open?")
    fill(here.database, MINE)
    fill(there, other)
    ((id_, reason),) = merge_knowledge_base(here, there, quiet).disputed
    assert id_ in (MINE.id, other.id)
    assert "cannot both be true" in reason
    db = opened(here)
    assert [one.status for one in list_entries(db)] == ["disputed", "disputed"]


def test_merging_takes_over_how_a_dispute_was_settled(here: Workspace, there: Path) -> None:
    other = replace(RIVAL, id="other", question="In what year did the Forth Bridge open?")

    def settled(db: Database) -> None:
        settle = merging.Dispute(MINE.id, other.id, SAID, other.answer, "date", "Both.", settled="Looked up.")
        add_dispute(db, settle)

    fill(here.database, MINE)
    fill(there, MINE, other, then=settled)
    assert merge_knowledge_base(here, there, quiet).disputed == ()
    db = opened(here)
    assert [one.settled for one in disputes_of(db, MINE.id)] == ["Looked up."]
    assert [one.status for one in list_entries(db)] == ["current", "current"]


# --- what people decided --------------------------------------------------------------------------------------------


def decide(at: str, decision: str = "accept") -> Callable[[Database], None]:
    def make(db: Database) -> None:
        with transaction(db):
            db.execute("drop table if exists reviews")
            db.execute("drop table if exists history")
            db.execute("""
                create table if not exists reviews (id integer primary key, entry_id text references entries(id),
                at text, reviewer text, decision text, text text, reason text)
            """)
            if at:
                sql = "insert into reviews (entry_id, at, reviewer, decision) values (?, ?, 'Ann', ?)"
                db.execute(sql, (MINE.id, at, decision))

    return make


@pytest.mark.parametrize(
    ("mine", "theirs", "answer"),
    [("", NEWER, RIVAL.answer), (OLDER, NEWER, RIVAL.answer), (NEWER, OLDER, SAID), (NEWER, "", SAID)],
)
def test_merging_the_later_decision_of_a_person_wins(
    here: Workspace, there: Path, mine: str, theirs: str, answer: str
) -> None:
    fill(here.database, MINE, then=decide(mine))
    fill(there, RIVAL, then=decide(theirs))
    for times in (1, 2):
        result = merge_knowledge_base(here, there, quiet)
        assert result.disputed == ()
        db = opened(here)
        assert get_entry(db, MINE.id).answer == answer
        assert len(rows(db, "select * from reviews")) == len([at for at in (mine, theirs) if at])
        assert rows(db, "PRAGMA foreign_key_check") == []
        assert result.reviews == (1 if times == 1 and theirs else 0)
        db.close()


# --- what is refused ------------------------------------------------------------------------------------------------


def test_merging_refuses_what_is_no_other_knowledge_base(here: Workspace, there: Path, tmp_path: Path) -> None:
    fill(here.database, MINE)
    (tmp_path / "text.db").write_text("words")
    (tmp_path / "empty.db").touch()
    sqlite3.connect(tmp_path / "cats.db").execute("create table cats (name)").connection.close()
    fill(there, TOWER)
    newer = sqlite3.connect(there)
    newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    newer.commit()
    newer.close()
    before = contents(here.database)
    for path, said in (
        (tmp_path / "nowhere.db", "does not exist: name the knowledge.db of the other workspace."),
        (tmp_path, "is a folder: name the knowledge.db of the other workspace."),
        (here.database, "is this workspace's own knowledge base: name that of another."),
        (tmp_path / "text.db", "is not a SQLite database: name the knowledge.db of the other workspace."),
        (tmp_path / "empty.db", "is not a SQLite database: name the knowledge.db of the other workspace."),
        (tmp_path / "cats.db", "is another program's database, not a knowledge base: name another file."),
        (there, f"was made by a newer drzero (schema {SCHEMA_VERSION + 1}, this one knows {SCHEMA_VERSION}): "),
    ):
        with pytest.raises(KnowledgeBaseError) as caught:
            merge_knowledge_base(here, path, quiet)
        assert str(caught.value).startswith(f"{path} {said}")
    assert contents(here.database) == before


def test_merging_reads_one_of_an_earlier_schema(here: Workspace, there: Path) -> None:
    old = Database(there)
    MIGRATIONS[0](old)
    old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    old.execute("PRAGMA user_version = 1")
    old.execute(
        "insert into entries (number, id, question, question_key, answer, type, level, profile, overall, status, "
        "model, created_at) values (1, 'old', 'Why?', 'why', 'So.', 't', 'l', 'p', 1.0, 'stale', '', '')"
    )
    old.conn.commit()
    old.close()
    before = there.read_bytes()
    assert merge_knowledge_base(here, there, quiet).entries == 1
    assert get_entry(opened(here), "old").answer == "So."
    assert there.read_bytes() == before


def test_merging_is_all_or_nothing(here: Workspace, there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(here.database, MINE)
    fill(there, RIVAL, TOWER)
    before = contents(here.database)

    def fail(*_: object) -> None:
        raise KnowledgeBaseError("It is damaged.")

    monkeypatch.setattr(merging, "check_references", fail)
    with pytest.raises(KnowledgeBaseError, match="damaged"):
        merge_knowledge_base(here, there, quiet)
    assert contents(here.database) == before
    assert list(here.root.glob(".merge-*")) == []


def test_merging_clears_away_what_one_that_was_killed_left(here: Workspace, there: Path) -> None:
    (here.root / ".merge-abc").mkdir()
    (here.root / ".merge-abc" / "knowledge.db").touch()
    fill(there, TOWER)
    merge_knowledge_base(here, there, quiet)
    assert list(here.root.glob(".merge-*")) == []


def test_merging_what_refers_to_nothing_is_refused(here: Workspace, there: Path) -> None:
    def damage(db: Database) -> None:
        db.execute("PRAGMA foreign_keys = OFF")
        with transaction(db):
            db.execute("delete from archives")

    fill(there, TOWER, then=damage)
    with pytest.raises(KnowledgeBaseError, match="refers to rows of archives that it does not have"):
        merge_knowledge_base(here, there, quiet)
    assert list_entries(opened(here)) == []


def test_merging_waits_for_nobody_who_changes_entries(here: Workspace, there: Path) -> None:
    fill(there, TOWER)
    with here.locked("evolve"), pytest.raises(BusyError):
        merge_knowledge_base(here, there, quiet)
    assert not here.database.exists()


def test_merging_odd_names_of_files_are_no_matter(here: Workspace, there: Path, tmp_path: Path) -> None:
    fill(there, TOWER)
    odd = tmp_path / "it's # 100% ü?.db"
    shutil.copy(there, odd)
    assert merge_knowledge_base(here, odd, quiet).entries == 1


# --- the command ----------------------------------------------------------------------------------------------------


def test_merging_by_command(desk: Path, run: Run, there: Path) -> None:
    fill(desk / "knowledge.db", MINE)
    fill(there, RIVAL, TOWER)
    result = run("kb", "merge", str(there))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Entries: new 1, joined 0, replaced 0, disputed 1.",
        f"- {MINE.id}: “{SAID}” and “{RIVAL.answer}” answer the same question.",
        "Also new: episodes 0, runs 0, archives 1, reviews 0.",
    ]
    document = json.loads(run("kb", "merge", str(there), "--json").stdout)
    assert list(document) == [
        "entries", "joined", "replaced", "disputed", "episodes", "runs", "archives", "reviews",
    ]  # fmt: skip
    assert document["disputed"] == []


def test_merging_by_command_what_is_not_there_is_said(desk: Path, run: Run) -> None:
    result = run("kb", "merge", "nowhere.db")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "nowhere.db does not exist: name the knowledge.db of the other workspace." in result.stderr
    assert not (desk / "nowhere.db").exists()

"""drzero.records: the knowledge base read by list, by words, by id."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from drzero.errors import KnowledgeBaseError
from drzero.kb.episodes import finish_run, save_episode, start_run
from drzero.kb.events import add_events, note_seeds
from drzero.kb.schema import open_knowledge_base
from drzero.records import entries, entry, episode, episodes, knowledge_base, runs
from drzero.types import Event, SeedVitals
from drzero.workspace import Workspace
from tests.conftest import MakeZim
from tests.samples import make_episode, store_entry

PAGES = {
    "Bridge": "<html><body><h1>Bridge</h1><p>The old bridge opened in 1931. It spans the river Ouse.</p></body></html>"
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "desk").mkdir()
    return Workspace(tmp_path / "desk")


def test_records_are_read_by_list_words_and_id(workspace: Workspace, make_zim: MakeZim) -> None:
    with pytest.raises(KnowledgeBaseError, match="drzero evolve"):
        entries(workspace)
    assert not workspace.database.exists()
    one = store_entry(workspace, make_zim(PAGES))
    assert entries(workspace) == [one]
    assert entries(workspace, query="bridges") == [one]
    assert entries(workspace, query="volcano") == []
    assert entry(workspace, "entry") == one
    assert [summary.id for summary in episodes(workspace)] == ["e1"]
    assert episode(workspace, "e1").id == "e1"
    with pytest.raises(KnowledgeBaseError, match="There is no run nothing"):
        episodes(workspace, run="nothing")


def test_records_knowledge_base_is_closed_after_reading(workspace: Workspace, make_zim: MakeZim) -> None:
    store_entry(workspace, make_zim(PAGES))
    with knowledge_base(workspace) as db:
        pass
    with pytest.raises(sqlite3.ProgrammingError):
        db.execute("select 1")


def test_records_runs_come_with_what_they_came_to(workspace: Workspace) -> None:
    event = Event("second", 0, "nothing-new", "Nothing new.", {"n": 1}, "2026-01-01T00:00:00+00:00")
    with open_knowledge_base(workspace.database) as db:
        for name in ("first", "second"):
            start_run(db, settings={}, profile="coding", seed=3, iterations=2, id_=name)
        finish_run(db, "first")
        for number, status in enumerate(("accepted", "rejected", "quarantined")):
            save_episode(db, make_episode(id=f"e{number}", run="second", number=number, status=status), None)
        note_seeds(db, "second", [SeedVitals("z", "a", 1), SeedVitals("z", "b", 2)])
        add_events(db, [event])
    second, first = runs(workspace)
    assert (first.run.id, first.run.status, first.episodes, first.accepted) == ("first", "finished", 0, 0)
    assert (first.seeds, first.events) == ((), ())
    assert (second.run.id, second.episodes, second.accepted) == ("second", 3, 1)
    assert second.seeds == (SeedVitals("z", "b", 2), SeedVitals("z", "a", 1))
    assert second.events == (event,)
    assert runs(workspace, limit=1) == [second]
    assert runs(workspace, run="fir") == [first]
    with pytest.raises(KnowledgeBaseError, match="There is no run third"):
        runs(workspace, run="third")

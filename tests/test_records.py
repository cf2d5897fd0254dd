"""drzero.records: the knowledge base read by list, by words, by id."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from drzero.errors import KnowledgeBaseError
from drzero.records import entries, entry, episode, episodes, knowledge_base
from drzero.workspace import Workspace
from tests.conftest import MakeZim
from tests.samples import store_entry

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

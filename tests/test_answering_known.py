"""drzero.answering: which entry answers a question that is worded otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from drzero.answering import ask, asks_the_same, known_entry
from drzero.config import Settings
from drzero.kb.entries import set_entry_status
from drzero.kb.reviews import add_review
from drzero.kb.schema import open_knowledge_base
from drzero.output import ask_text
from drzero.types import Progress
from drzero.workspace import Workspace
from tests.conftest import MakeZim
from tests.samples import store_entry

PAGES = {"Bridge": "<html><body><h1>Bridge</h1><p>The old bridge opened in 1931. It spans the Ouse.</p></body></html>"}
TAUGHT = "Who taught Ray Charles to play the piano in Greenville?"


@pytest.fixture
def workspace(tmp_path: Path, make_zim: MakeZim) -> Workspace:
    (tmp_path / "desk").mkdir()
    workspace = Workspace(tmp_path / "desk")
    store_entry(workspace, make_zim(PAGES))
    return workspace


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (TAUGHT, "WHO taught Ray Charles to play the piano in Greenville", True),
        (TAUGHT, "Who taught Ray Charles to play a piano at Greenville?", True),
        (TAUGHT, "Who taught Ray Charles to play the piano in Jacksonville?", False),
        (TAUGHT, "Where was Ray Charles taught to play the piano in Greenville?", False),
        ("Who did Ann teach before Bob?", "Who did Bob teach before Ann?", False),
        ("Who sang in the old church in 1950?", "Who did not sing in the old church in 1950?", False),
        ("Who sang in the old church?", "Who didn't sing in the old church?", False),
        ("Which was released earlier, Salt or Pepper?", "Which was released later, Salt or Pepper?", False),
        ("Who sang it in 1950 in Albany?", "Who sang it in 1951 in Albany?", False),
    ],
)
def test_answering_an_entry_answers_the_same_question_alone(one: str, other: str, same: bool) -> None:
    assert asks_the_same(one, other) is asks_the_same(other, one) is same


def test_answering_shows_the_entry_with_date_and_status(workspace: Workspace) -> None:
    said: list[Progress] = []
    result = ask(workspace, Settings(), "When did a bridge open?", progress=said.append)
    assert (result.entry_id, result.entry_status, result.entry_date) == (
        "entry1",
        "current",
        "2026-01-01T00:00:00+00:00",
    )
    assert ask_text(result).endswith("From the knowledge base (current, 2026-01-01): `drzero kb show entry1`")
    assert said == []


def test_answering_afresh_does_not_ask_the_knowledge_base(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> None:
        raise RuntimeError("read anew")

    monkeypatch.setattr("drzero.answering.make_ready", stop)
    with pytest.raises(RuntimeError, match="read anew"):
        ask(workspace, Settings(), "When did the bridge open?", fresh=True, progress=lambda _: None)


def test_answering_only_a_current_entry_answers(workspace: Workspace) -> None:
    question = "When did the bridge open?"
    with open_knowledge_base(workspace.database) as db:
        for status, known in (("stale", False), ("disputed", False), ("current", True)):
            set_entry_status(db, "entry1", status)  # type: ignore[arg-type]
            assert (known_entry(workspace, question) is not None) is known
        add_review(db, "entry1", "retire")
    assert known_entry(workspace, question) is None

"""drzero.kb.topics: what entries are about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero.kb.entries import admit, get_entry, list_entries
from drzero.kb.reviews import add_review
from drzero.kb.schema import open_knowledge_base, transaction
from drzero.kb.topics import Topic, list_topics, main_title, set_topics
from drzero.text import title_key
from drzero.types import Claim, Entry
from tests.samples import CITATION, SUPPORTED, make_entry

WHEN = "2026-01-02T03:04:05+00:00"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Any]:
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        yield db


def about(id_: str, *titles: str, **changes: Any) -> Entry:
    """An entry whose one claim cites articles of these titles."""
    places = tuple(replace(CITATION, title=title, start=at, end=at + 1) for at, title in enumerate(titles))
    claims = (Claim(f"Claim {id_}.", places),)
    values = {"id": id_, "question": f"Question {id_}?", "answer": f"Claim {id_}.", "claims": claims}
    return make_entry(**(values | {"judgements": (SUPPORTED,), "episode_id": ""} | changes))


@pytest.mark.parametrize(
    ("cited", "title"),
    [
        (["Salt", "Pepper", "Pepper"], "Pepper"),
        (["Salt", "Pepper"], "Salt"),
        (["", " ", "Mercury (planet)"], "Mercury (planet)"),
        ([""], ""),
        ([], ""),
    ],
)
def test_topics_main_title_is_the_one_cited_most_or_first(cited: list[str], title: str) -> None:
    assert main_title(cited) == title


def test_topics_key_is_one_for_all_spellings() -> None:
    assert title_key("Cafe\u0301  MÜLLER") == title_key("Café Müller") == "café müller"
    assert title_key("Mercury (planet)") != title_key("Mercury (god)")
    assert title_key("a\ud800") == "a\ufffd"


def test_topics_of_entries_are_counted(db: Any) -> None:
    admit(db, about("a", "Salt", "salt", "Pepper"))
    admit(db, about("b", "SALT", status="stale"))
    admit(db, about("c", "Salt", status="disputed", created_at="2026-02-01T00:00:00+00:00"))
    admit(db, about("d", "Pepper mill"))
    admit(db, about("e", "Salt mine"))
    admit(db, about("f", ""))
    assert [get_entry(db, id_).topic for id_ in "abdf"] == ["Salt", "Salt", "Pepper mill", ""]
    newest = "2026-02-01T00:00:00+00:00"
    assert list_topics(db) == [
        Topic("Salt", 3, 1, 1, newest),
        Topic("Pepper mill", 1, 0, 0, WHEN),
        Topic("Salt mine", 1, 0, 0, WHEN),
    ]
    assert [topic.title for topic in list_topics(db, words=["MINE", "salt"])] == ["Salt mine"]
    assert [topic.title for topic in list_topics(db, limit=1)] == ["Salt"]
    assert list_topics(db, words=["%"]) == []
    add_review(db, "d", "retire")
    assert list_topics(db, words=["mill"]) == []
    assert [entry.id for entry in list_entries(db, topic="salt", newest_first=True)] == ["e", "c", "b", "a"]
    assert [entry.id for entry in list_entries(db, topic="mine salt")] == ["e"]
    assert list(db.query("PRAGMA foreign_key_check")) == []


def test_topics_of_entries_from_before_are_worked_out(db: Any) -> None:
    for id_, *titles in (("a", "Salt", "Pepper", "Pepper"), ("b", "pepper"), ("c", "")):
        admit(db, about(id_, *titles))
    with transaction(db):
        db.execute("update entries set topic_id = null")
        db.execute("delete from topics")
        set_topics(db)
    assert [entry.topic for entry in list_entries(db)] == ["Pepper", "Pepper", ""]
    assert db.table("topics").count == 1

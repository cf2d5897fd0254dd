"""drzero.kb.reviews: a person's word is kept and wins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero.errors import KnowledgeBaseError
from drzero.kb.entries import (
    admit,
    find_entry,
    get_entry,
    known_questions,
    list_entries,
    search_entries,
    set_entry_status,
)
from drzero.kb.reviews import add_review, history_of, reviews_of
from drzero.kb.schema import open_knowledge_base
from drzero.types import Judgement
from tests.samples import CITATION, make_entry

ENTRY = make_entry(episode_id="")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Any]:
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        admit(db, ENTRY)
        yield db


def test_reviews_a_retired_entry_is_gone_from_every_list(db: Any) -> None:
    made = add_review(db, "n", "retire", reason=" It is wrong. ", reviewer="Ann")
    assert (made.entry_id, made.decision, made.reviewer, made.reason, made.text) == (
        "n1",
        "retire",
        "Ann",
        "It is wrong.",
        "",
    )
    assert reviews_of(db, "n1") == [made]
    assert list_entries(db) == search_entries(db, "salt") == list_entries(db, status="disputed") == []
    (gone,) = list_entries(db, retired=True)
    assert (gone.retired, gone.status, gone.status_reasons) == (True, "disputed", ("Ann retired it.", "It is wrong."))
    assert replace(gone, retired=False, status="current", status_reasons=()) == ENTRY


def test_reviews_a_retired_question_is_never_admitted_again(db: Any) -> None:
    add_review(db, "n1", "retire")
    assert not admit(db, replace(ENTRY, id="n2"))
    assert known_questions(db) == [ENTRY.question]
    set_entry_status(db, "n1", "current")
    found = find_entry(db, ENTRY.question)
    assert found is not None
    assert (found.retired, found.status, found.status_reasons) == (True, "disputed", ("A person retired it.",))


def test_reviews_a_retired_entry_comes_back_when_it_is_accepted(db: Any) -> None:
    add_review(db, "n1", "retire")
    add_review(db, "n1", "accept", reviewer="Bob")
    assert list_entries(db) == [ENTRY]
    assert [(one.decision, one.reviewer) for one in reviews_of(db, "n1")] == [("retire", ""), ("accept", "Bob")]
    assert [(one.what, one.before) for one in history_of(db, "n1")] == [
        ("status", {"status": "current", "reasons": []}),
        ("status", {"status": "retired", "reasons": ["A person retired it."]}),
    ]


def test_reviews_an_entry_that_a_person_decided_on_is_not_replaced(db: Any) -> None:
    add_review(db, "n1", "accept")
    set_entry_status(db, "n1", "stale", ("It is gone.",))
    assert not admit(db, replace(ENTRY, id="n2"))
    assert get_entry(db, "n1").status == "stale"


def test_reviews_a_correction_is_a_person_s_and_keeps_the_evidence(db: Any) -> None:
    set_entry_status(db, "n1", "disputed", ("No.",))
    add_review(db, "n1", "correct", text=" It is NaCl. It tastes salty. ", reviewer="Ann")
    now = get_entry(db, "n1")
    assert (now.answer, now.status, now.status_reasons) == ("It is NaCl. It tastes salty.", "current", ())
    assert [claim.text for claim in now.claims] == ["It is NaCl.", "It tastes salty."]
    assert {claim.citations for claim in now.claims} == {
        (CITATION, replace(CITATION, quote="It tastes salty.", start=147, end=163))
    }
    on = reviews_of(db, "n1")[0].at[:10]
    assert set(now.judgements) == {Judgement("supported", 1.0, (f"Ann wrote this on {on}.",), ("person",))}
    assert [entry.id for entry in search_entries(db, "NaCl")] == ["n1"]
    assert search_entries(db, "chloride") == []
    disputed, corrected, current = history_of(db, "n1")
    assert disputed.before == {"status": "current", "reasons": []}
    assert (corrected.what, corrected.before["answer"]) == ("corrected", ENTRY.answer)
    assert current.before == {"status": "disputed", "reasons": ["No."]}
    assert list(db.query("PRAGMA foreign_key_check")) == []


@pytest.mark.parametrize("text", ["", "  \n"])
def test_reviews_a_correction_says_something(db: Any, text: str) -> None:
    with pytest.raises(KnowledgeBaseError) as caught:
        add_review(db, "n1", "correct", text=text)
    assert str(caught.value) == "A correction needs the right answer: give it after --correct."
    assert (reviews_of(db, "n1"), history_of(db, "n1"), get_entry(db, "n1")) == ([], [], ENTRY)


def test_reviews_of_what_is_not_there(db: Any) -> None:
    with pytest.raises(KnowledgeBaseError, match="There is no entry x"):
        add_review(db, "x", "accept")
    with pytest.raises(ValueError, match="no such decision: 'drop'"):
        add_review(db, "n1", "drop")  # type: ignore[arg-type]
    assert reviews_of(db, "x") == history_of(db, "x") == []


def test_reviews_odd_letters_are_stored(db: Any) -> None:
    made = add_review(db, "n1", "correct", text="Odd \ud800 NUL \0.", reason="\udfff", reviewer="\u202e")
    assert (made.text, made.reason) == ("Odd \ufffd NUL \0.", "\ufffd")
    assert get_entry(db, "n1").answer == made.text


def test_reviews_what_is_replaced_stays_in_the_history(db: Any) -> None:
    set_entry_status(db, "n1", "stale", ("It is gone.",))
    assert admit(db, replace(ENTRY, id="n2"))
    assert [(one.what, one.before["status"]) for one in history_of(db, "n2")] == [
        ("status", "current"),
        ("replaced", "stale"),
    ]
    assert history_of(db, "n2")[1].before["claims"][0]["citations"][0]["quote"] == CITATION.quote
    assert list(db.query("PRAGMA foreign_key_check")) == []


def test_reviews_the_same_status_again_is_no_change(db: Any) -> None:
    for _ in range(3):
        set_entry_status(db, "n1", "stale", ("It is gone.",))
    assert len(history_of(db, "n1")) == 1

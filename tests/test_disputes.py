"""drzero.kb.disputes and drzero.disputing: entries set beside each other, and what becomes of those that contradict."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sqlite_utils import Database

from drzero import disputing
from drzero.disputing import (
    decided,
    look_at_entry,
    look_for_disputes,
    meet_known,
    refresh,
    same_answer,
    settle_by_reviews,
    side,
)
from drzero.kb import disputes as kept
from drzero.kb.disputes import Dispute, add_dispute, disputes_of, open_disputes, settle_disputes, withdraw
from drzero.kb.entries import admit, get_entry, set_entry_status
from drzero.kb.schema import open_knowledge_base, rows, transaction
from drzero.kb.support import supports
from drzero.types import Entry
from tests.samples import stated_entry

IN_1890 = stated_entry("When was the Forth Bridge opened?", "The Forth Bridge was opened in 1890.")
IN_1891 = stated_entry(
    "In what year did the Forth Bridge open?", "The Forth Bridge was opened in 1891.", zim_id="zim-2"
)
TOWER = stated_entry("How tall is it?", "The Eiffel Tower is 330 metres high.", title="Eiffel Tower")
BOTH = f"“{IN_1891.answer}” and “{IN_1890.answer}” cannot both be true."
REVIEWS = "create table if not exists reviews (id integer primary key, entry_id, at, reviewer, decision, text, reason)"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = open_knowledge_base(tmp_path / "knowledge.db")
    yield opened
    opened.close()


def fill(db: Database, *entries: Entry) -> None:
    for entry in entries:
        assert admit(db, entry)


def review(db: Database, entry: Entry, decision: str, at: str = "2999-01-01T00:00:00+00:00", who: str = "") -> None:
    with transaction(db):
        if not rows(db, "select 1 from sqlite_master where name = 'reviews'"):
            db.execute(REVIEWS)
        sql = "insert into reviews (entry_id, at, reviewer, decision, text, reason) values (?, ?, ?, ?, '', '')"
        db.execute(sql, (entry.id, at, who, decision))


# --- found ----------------------------------------------------------------------------------------------------------


def test_disputes_two_entries_that_contradict_each_other_are_found_once(db: Database) -> None:
    fill(db, IN_1890, TOWER, IN_1891)
    (found,) = look_for_disputes(db)
    assert {found.entry_id, found.other_id} == {IN_1890.id, IN_1891.id}
    assert found.code == "date"
    assert look_for_disputes(db) == []
    assert len(rows(db, "select * from disputes")) == 1
    assert [one.code for one in disputes_of(db, IN_1890.id)] == ["date"]
    assert disputes_of(db, TOWER.id) == []


def test_disputes_each_side_sees_the_other(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    look_for_disputes(db)
    for here, there in ((IN_1890, IN_1891), (IN_1891, IN_1890)):
        (one,) = disputes_of(db, here.id)
        assert (one.entry_id, one.other_id) == (here.id, there.id)
        assert (one.claim, one.other_claim) == (here.answer, there.answer)
        assert side(one) == f"Entry {there.id} has another date: “{there.answer}”"
        assert open_disputes(db)[here.id] == [one]


def test_disputes_an_entry_that_comes_in_marks_both(db: Database) -> None:
    fill(db, IN_1890, TOWER)
    assert look_at_entry(db, TOWER.id) == look_at_entry(db, IN_1890.id) == []
    fill(db, IN_1891)
    (found,) = look_at_entry(db, IN_1891.id)
    assert found.reason == BOTH
    for entry, other in ((IN_1890, IN_1891), (IN_1891, IN_1890)):
        stored = get_entry(db, entry.id)
        assert stored.status == "disputed"
        assert stored.status_reasons == (f"Entry {other.id} has another date: “{other.answer}”",)
    assert get_entry(db, TOWER.id).status == "current"
    assert look_for_disputes(db) == []


def test_disputes_claims_of_one_article_are_set_beside_each_other(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(db, IN_1890, replace(IN_1891, claims=(replace(IN_1891.claims[0], citations=IN_1890.claims[0].citations),)))
    monkeypatch.setattr(kept, "MOST", 1)  # so that no word is rare
    assert [one.code for one in look_for_disputes(db)] == ["date"]


def test_disputes_claims_of_one_entry_are_not_set_beside_each_other(db: Database) -> None:
    two = replace(
        IN_1890,
        answer=f"{IN_1890.answer} {IN_1891.answer}",
        claims=(*IN_1890.claims, *IN_1891.claims),
        judgements=IN_1890.judgements * 2,
    )
    fill(db, two)
    assert look_for_disputes(db) == []


def test_disputes_a_stale_entry_contradicts_nobody(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    set_entry_status(db, IN_1890.id, "stale", ["It is gone."])
    assert look_for_disputes(db) == []
    set_entry_status(db, IN_1890.id, "current")
    assert len(look_for_disputes(db)) == 1


@pytest.mark.parametrize(("probabilities", "count"), [((0.9, 0.0), 0), ((0.0, 0.9), 0), ((0.4, 0.4), 1)])
def test_disputes_a_judge_clears_sentences_of_which_one_bears_out_the_other(
    db: Database, probabilities: Sequence[float], count: int
) -> None:
    fill(db, IN_1890, IN_1891)
    asked: list[tuple[str, str]] = []

    def entails(pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        asked.extend(pairs)
        return probabilities

    assert len(look_for_disputes(db, entails=entails, least=0.5)) == count
    assert asked[:2] == [(IN_1890.answer, IN_1891.answer), (IN_1891.answer, IN_1890.answer)]


def test_disputes_that_were_found_without_a_judge_are_cleared_by_one(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    add_dispute(db, dispute(other_id="", code="answer", other=IN_1891))
    look_for_disputes(db)
    assert look_for_disputes(db, entails=lambda _: [0.4, 0.4]) == []
    assert [one.code for one in disputes_of(db, IN_1890.id)] == ["answer", "date"]
    assert look_for_disputes(db, entails=lambda _: [0.9, 0.4]) == []
    assert [one.code for one in disputes_of(db, IN_1890.id)] == ["answer"]
    assert look_for_disputes(db) == []


def test_disputes_tell_how_far_they_are(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(db, IN_1890, IN_1891, TOWER)
    monkeypatch.setattr(disputing, "_MANY", 2)
    heard: list[tuple[int, int]] = []
    assert len(look_for_disputes(db, told=lambda *now: heard.append(now))) == 1
    assert heard == [(2, 3)]
    assert look_for_disputes(db, told=lambda *now: heard.append(now)) == []
    assert heard == [(2, 3)]


def test_disputes_are_looked_for_anew_when_the_rules_change(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(db, IN_1890, IN_1891)
    monkeypatch.setattr(disputing, "clash", lambda *_: "")
    assert look_for_disputes(db) == []
    monkeypatch.undo()
    assert look_for_disputes(db) == []
    monkeypatch.setattr(disputing, "WAY", "another")
    assert len(look_for_disputes(db)) == 1


def test_disputes_of_many_entries_are_found_quickly_and_no_others(db: Database) -> None:
    for n in range(400):
        answer = f"The Bridge no. {n} of Ruritania was opened in {1500 + n}."
        fill(db, stated_entry(f"When was bridge {n} opened?", answer, title=f"Bridge {n % 20}"))
    fill(db, stated_entry("And bridge 7?", "The Bridge no. 7 of Ruritania was opened in 1999.", title="Bridge 7"))
    started = time.monotonic()
    found = look_for_disputes(db)
    assert time.monotonic() - started < 30
    assert [{one.claim, one.other_claim} for one in found] == [
        {"The Bridge no. 7 of Ruritania was opened in 1507.", "The Bridge no. 7 of Ruritania was opened in 1999."}
    ]


def test_disputes_a_second_answer_to_a_question_supports_the_first_or_is_its_rival(db: Database) -> None:
    meet_known(db, IN_1890)  # of no entry
    fill(db, IN_1890)
    meet_known(db, IN_1890)
    alike = replace(IN_1891, question=IN_1890.question, answer=IN_1890.answer, id=IN_1890.id)
    alike = replace(alike, claims=(replace(IN_1891.claims[0], text=IN_1890.answer),))
    meet_known(db, alike)
    assert supports(db, IN_1890.id) == {0: (IN_1891.claims[0].citations,)}
    assert get_entry(db, IN_1890.id) == IN_1890
    rival = replace(IN_1891, question=IN_1890.question, id=IN_1890.id)
    for _ in range(2):
        meet_known(db, rival)
        (one,) = disputes_of(db, IN_1890.id)
        assert one.other == rival
        assert get_entry(db, IN_1890.id).status_reasons == (side(one),)
    assert rows(db, "PRAGMA foreign_key_check") == []


def test_disputes_a_second_answer_to_what_a_person_accepted_is_none(db: Database) -> None:
    fill(db, IN_1890)
    review(db, IN_1890, "accept")
    meet_known(db, replace(IN_1891, question=IN_1890.question))
    assert disputes_of(db, IN_1890.id) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The bridge was opened in 1890.", "the bridge was opened in 1890", True),
        ("The Forth Bridge was opened in 1890.", "It was opened in 1890.", True),
        ("The Forth Bridge was opened in 1890.", "The Forth Bridge was opened in 1891.", False),
        ("The Forth Bridge was opened in 1890.", "The Forth Bridge was opened by a king.", False),
    ],
)
def test_disputes_answers_to_one_question_are_the_same_when_each_says_what_the_other_does(
    one: str, other: str, same: bool
) -> None:
    here, there = (stated_entry("When was the Forth Bridge opened?", text) for text in (one, other))
    assert same_answer(here, there) is same_answer(there, here) is same


# --- kept, settled, taken back --------------------------------------------------------------------------------------


def dispute(**changes: object) -> Dispute:
    one = Dispute(IN_1890.id, IN_1891.id, IN_1890.answer, IN_1891.answer, "date", BOTH)
    return replace(one, **changes)  # type: ignore[arg-type]


def test_disputes_are_known_from_either_side(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    assert add_dispute(db, dispute())
    assert not add_dispute(db, dispute())
    assert not add_dispute(
        db,
        dispute(entry_id=IN_1891.id, other_id=IN_1890.id, claim=IN_1891.answer, other_claim=IN_1890.answer),
    )


def test_disputes_another_answer_to_the_same_question_is_kept_whole(db: Database) -> None:
    fill(db, IN_1890)
    rival = replace(IN_1891, id=IN_1890.id, question=IN_1890.question)
    assert add_dispute(db, dispute(other_id="", code="answer", other=rival))
    (one,) = disputes_of(db, IN_1890.id)
    assert one.other == rival
    assert side(one) == f"The same question was answered otherwise: “{rival.answer}”"
    assert list(open_disputes(db)) == [IN_1890.id]


def test_disputes_that_are_settled_are_not_open_and_not_opened_again(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    look_for_disputes(db)
    assert settle_disputes(db, IN_1891.id, "It was so.") == [IN_1890.id]
    assert open_disputes(db) == {}
    assert [one.settled for one in disputes_of(db, IN_1890.id)] == ["It was so."]
    assert not add_dispute(db, dispute())
    assert settle_disputes(db, IN_1891.id, "Again.") == []


def test_disputes_fall_away_with_an_entry(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    look_at_entry(db, IN_1891.id)
    assert admit(db, replace(IN_1891, answer="The bridge opened then.", claims=IN_1890.claims[:0] + TOWER.claims[:0] + (
        replace(IN_1891.claims[0], text="The bridge opened then."),
    )))  # fmt: skip
    assert rows(db, "select * from disputes") == []
    assert rows(db, "PRAGMA foreign_key_check") == []


def test_disputes_are_taken_back_when_a_claim_is_no_longer_made(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    look_for_disputes(db)
    assert set(refresh(db)) == {IN_1890.id, IN_1891.id}
    with transaction(db):
        db.execute("update claims set text = 'It is long.' where entry_id = ?", (IN_1891.id,))
    assert refresh(db) == {}
    assert disputes_of(db, IN_1890.id) == []


def test_disputes_with_a_stale_entry_do_not_count(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    look_for_disputes(db)
    set_entry_status(db, IN_1890.id, "stale", ["It is gone."])
    assert list(refresh(db)) == [IN_1890.id]
    assert len(disputes_of(db, IN_1890.id)) == 1


def test_disputes_settled_ones_are_not_taken_back(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    add_dispute(db, dispute(settled="It was so."))
    withdraw(db, dispute())
    assert len(disputes_of(db, IN_1890.id)) == 1


def test_disputes_odd_text_is_stored_as_utf8_holds_it(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    assert add_dispute(db, dispute(claim="a\udc80", reason="b\udc80"))
    (one,) = disputes_of(db, IN_1890.id)
    assert (one.claim, one.reason) == ("a\ufffd", "b\ufffd")
    assert not add_dispute(db, dispute(claim="a\udc80"))


def test_disputes_a_file_of_before_has_none(db: Database) -> None:
    fill(db, IN_1890)
    with transaction(db):
        db.execute("drop table disputes")
    assert disputes_of(db, IN_1890.id) == []
    settle_by_reviews(db)


# --- what people say ------------------------------------------------------------------------------------------------


def test_disputes_nobody_decided_in_a_file_without_reviews(db: Database) -> None:
    with transaction(db):
        db.execute("drop table if exists reviews")
    assert decided(db) == {}


def test_disputes_the_latest_decision_stands(db: Database) -> None:
    fill(db, IN_1890)
    review(db, IN_1890, "retire")
    review(db, IN_1890, "accept")
    assert decided(db) == {IN_1890.id: "accept"}


@pytest.mark.parametrize(
    ("decision", "said", "other"),
    [("accept", "accepted by Ann", "disputed"), ("retire", "retired by Ann", "current")],
)
def test_disputes_a_person_s_decision_settles_them(db: Database, decision: str, said: str, other: str) -> None:
    fill(db, IN_1890, IN_1891)
    look_for_disputes(db)
    review(db, IN_1890, decision, who="Ann")
    settle_by_reviews(db)
    how = f"Entry {IN_1890.id} was {said} on 2999-01-01."
    assert [one.settled for one in disputes_of(db, IN_1891.id)] == [how]
    assert open_disputes(db) == {}
    stored = get_entry(db, IN_1891.id)
    assert stored.status == other
    why = f"Entry {IN_1890.id}, on which a person decided, has another date: “{IN_1890.answer}”"
    assert stored.status_reasons == ((why,) if other == "disputed" else ())
    assert {id_: [side(one) for one in against] for id_, against in refresh(db).items()} == (
        {IN_1891.id: [why]} if other == "disputed" else {}
    )
    review(db, IN_1891, "accept")
    assert refresh(db) == {}


def test_disputes_a_decision_of_before_settles_nothing(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    look_for_disputes(db)
    review(db, IN_1890, "accept", at="2001-01-01T00:00:00+00:00")
    settle_by_reviews(db)
    assert set(open_disputes(db)) == {IN_1890.id, IN_1891.id}


def test_disputes_do_not_mark_what_a_person_accepted(db: Database) -> None:
    fill(db, IN_1890, IN_1891)
    review(db, IN_1890, "accept", at="2001-01-01T00:00:00+00:00")
    look_at_entry(db, IN_1891.id)
    assert [get_entry(db, one.id).status for one in (IN_1890, IN_1891)] == ["current", "disputed"]


# --- neighbours -----------------------------------------------------------------------------------------------------


def test_disputes_neighbours_share_two_rare_words_or_an_article(db: Database) -> None:
    fill(db, IN_1890, IN_1891, TOWER)
    (one,) = kept.stated(db, kept.claim_ids(db, IN_1890.id))
    neighbours = kept.finder(db)
    assert [text for _, text in neighbours(one, ["forth", "bridge"])] == [IN_1891.answer]
    assert neighbours(one, ["forth"]) == []  # zim-2 has another article
    near = stated_entry("What is red?", "Paint is red.", zim_id="zim-1")
    fill(db, near)
    assert [text for _, text in neighbours(one, [])] == [near.answer]
    set_entry_status(db, near.id, "stale")
    assert neighbours(one, []) == []


def test_disputes_neighbours_of_common_words_alone_are_none(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(db, IN_1890, IN_1891)
    (one,) = kept.stated(db, kept.claim_ids(db, IN_1890.id))
    monkeypatch.setattr(kept, "MOST", 1)
    assert kept.finder(db)(one, ["forth", "bridge"]) == []

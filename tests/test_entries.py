from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero.errors import KnowledgeBaseError
from drzero.kb import entries
from drzero.kb.entries import (
    EntryStatus,
    admit,
    entry_id,
    find_entry,
    get_entry,
    known_questions,
    list_entries,
    question_key,
    search_entries,
    set_entry_status,
    set_outcome,
)
from drzero.kb.episodes import save_episode
from drzero.kb.schema import open_knowledge_base
from drzero.kb.sources import describe_archives
from drzero.types import ArchiveInfo, Claim, Entry, Judgement
from tests.samples import CHALLENGE, CITATION, CLAIM, SUPPORTED, make_entry, make_episode


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Any]:
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        yield db


def plain_entry(number: int, question: str, answer: str, **changes: Any) -> Entry:
    """A cited entry without an episode."""
    claim = Claim(answer, (CITATION,))
    return make_entry(
        id=f"id{number}",
        question=question,
        answer=answer,
        claims=(claim,),
        judgements=(SUPPORTED,),
        episode_id="",
        **changes,
    )


def test_entries_round_trip(db: Any) -> None:
    save_episode(db, make_episode(), None)
    assert admit(db, make_entry())
    assert get_entry(db, "n1") == make_entry()
    assert list_entries(db) == [make_entry()]


def test_entries_row_is_plain_sql(db: Any) -> None:
    save_episode(db, make_episode(), make_entry())
    assert list(
        db.query(
            'select e.question, c.text, q.quote, q.start, q."end", a.name, a.date from entries e '
            "join claims c on c.entry_id = e.id join citations q on q.claim_id = c.id "
            "join archives a on a.id = q.zim_id where c.position = 0"
        )
    ) == [
        {
            "question": CHALLENGE.question,
            "text": CLAIM.text,
            "quote": "Table salt consists mainly of sodium chloride.",
            "start": 100,
            "end": 146,
            "name": "kitchen",
            "date": "2026-01",
        }
    ]


def test_entries_id_is_the_question_whatever_its_spelling() -> None:
    assert question_key("What is  SALT?") == question_key("what is salt") == "what is salt"
    assert entry_id("What is  SALT?") == entry_id("what is salt")
    assert entry_id("what is salt") != entry_id("is salt what")
    assert len(entry_id("書は何?")) == 32


def test_entries_same_question_is_admitted_once(db: Any) -> None:
    assert admit(db, plain_entry(1, "What is salt made of?", "Sodium chloride."))
    assert not admit(db, plain_entry(1, "What is salt made of?", "Sodium chloride."))
    assert not admit(db, plain_entry(2, "what IS salt made of", "Of little white grains."))
    assert [entry.answer for entry in list_entries(db)] == ["Sodium chloride."]
    assert db.table("claims").count == db.table("citations").count == 1


@pytest.mark.parametrize("status", ["stale", "disputed"])
def test_entries_stale_or_disputed_entry_is_replaced(db: Any, status: EntryStatus) -> None:
    admit(db, plain_entry(1, "What is salt made of?", "Sodium chloride."))
    set_entry_status(db, "id1", status, ("It is not.",))
    assert admit(db, plain_entry(2, "What is salt made of?", "Mainly sodium chloride."))
    assert [(entry.id, entry.status) for entry in list_entries(db)] == [("id2", "current")]
    assert get_entry(db, "id2").status_reasons == ()
    assert [entry.id for entry in search_entries(db, "salt")] == ["id2"]
    assert known_questions(db) == ["What is salt made of?"]
    assert not admit(db, plain_entry(3, "What is salt made of?", "Of salt."))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"claims": (), "judgements": ()}, "needs claims and one judgement for each"),
        ({"judgements": ()}, "needs claims and one judgement for each"),
        ({"judgements": (SUPPORTED, Judgement("unchecked", 1.0, ()))}, "a claim that is unchecked: 'It tastes salty.'"),
        ({"claims": (CLAIM, Claim("x", ()))}, "a claim without a quote: 'x'"),
        ({"claims": (CLAIM, Claim("x", (replace(CITATION, quote=" "),)))}, "a claim without a quote: 'x'"),
        ({"claims": (CLAIM, Claim("x", (replace(CITATION, end=100),)))}, "a claim without a quote: 'x'"),
        (
            {"answer": f"{CLAIM.text} It tastes salty. And sweet."},
            "an answer that is not what its claims say: 'Table salt",
        ),
        ({"answer": CLAIM.text}, "an answer that is not what its claims say"),
        ({"answer": f"It tastes salty. {CLAIM.text}"}, "an answer that is not what its claims say"),
    ],
)
def test_entries_nothing_unsupported_gets_in(db: Any, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        admit(db, make_entry(episode_id="", **changes))
    with pytest.raises(ValueError, match=message):
        save_episode(db, make_episode(), make_entry(**changes))
    assert [db.table(name).count for name in ("entries", "claims", "citations", "episodes")] == [0, 0, 0, 0]


def test_entries_found_by_id_and_its_beginning(db: Any) -> None:
    admit(db, plain_entry(1, "What is salt made of?", "Sodium chloride.", status="current"))
    admit(db, plain_entry(2, "Where does pepper grow?", "In India."))
    assert get_entry(db, "id2").answer == "In India."
    with pytest.raises(KnowledgeBaseError) as caught:
        get_entry(db, "id")
    assert str(caught.value) == "More than one entry begins with id: give more of its id."
    for unknown in ("x", "%", "_d1"):
        with pytest.raises(KnowledgeBaseError) as caught:
            get_entry(db, unknown)
        assert str(caught.value) == f"There is no entry {unknown}: see the ids with `drzero kb list`."
    with pytest.raises(KnowledgeBaseError, match="empty id"):
        get_entry(db, "")
    assert find_entry(db, "WHERE does pepper grow") == get_entry(db, "id2")
    assert find_entry(db, "Where does salt grow?") is None


def test_entries_list_filters_and_pages(db: Any) -> None:
    for number in range(5):
        admit(
            db,
            plain_entry(
                number, f"What is number {number}?", f"It is {number}.", level="easy" if number < 3 else "hard"
            ),
        )
    set_entry_status(db, "id1", "disputed")
    assert [entry.id for entry in list_entries(db, limit=2, offset=1)] == ["id1", "id2"]
    assert [entry.id for entry in list_entries(db, level="hard")] == ["id3", "id4"]
    assert [entry.id for entry in list_entries(db, level="easy", status="current")] == ["id0", "id2"]
    assert [entry.id for entry in list_entries(db, status="disputed", profile="wikipedia", type="factual")] == ["id1"]
    assert list_entries(db, profile="coding") == []


def test_entries_unknown_status_is_refused(db: Any) -> None:
    admit(db, plain_entry(1, "What is salt made of?", "Sodium chloride."))
    with pytest.raises(ValueError, match="no such entry status: 'good'"):
        set_entry_status(db, "id1", "good")  # type: ignore[arg-type]
    with pytest.raises(KnowledgeBaseError, match="There is no entry zz"):
        set_entry_status(db, "zz", "stale")


def test_entries_search_reads_questions_answers_and_claims(db: Any) -> None:
    admit(db, plain_entry(1, "What is salt made of?", "Of sodium chloride."))
    admit(db, plain_entry(2, "Where does pepper grow?", "In India and Vietnam."))
    admit(db, plain_entry(3, "Where is Café Müller?", "It faces the cathedral in Köln."))
    assert [entry.id for entry in search_entries(db, "growing peppers")] == ["id2"]
    assert [entry.id for entry in search_entries(db, "CHLORIDE")] == ["id1"]
    assert [entry.id for entry in search_entries(db, "cathedrals")] == ["id3"]
    assert [entry.id for entry in search_entries(db, "cafe koln")] == ["id3"]
    assert {entry.id for entry in search_entries(db, "where is salt")} == {"id1", "id2", "id3"}
    assert len(search_entries(db, "where is salt", k=1)) == 1
    assert search_entries(db, "where is salt", k=0) == []


@pytest.mark.parametrize(
    "query", ["", "?!", '"', "a AND (b OR", "NEAR/2 *", "col:x", "--", "\ud800", "\0", "x" * 9000, "' or 1=1"]
)
def test_entries_search_takes_any_text(db: Any, query: str) -> None:
    admit(db, plain_entry(1, "What is salt made of?", "Sodium chloride."))
    assert search_entries(db, query) == []


def test_entries_full_text_survives_vacuum(db: Any) -> None:
    for number in range(4):
        admit(db, plain_entry(number, f"What is thing{number}?", f"It is word{number}."))
    set_entry_status(db, "id1", "stale")
    admit(db, plain_entry(9, "What is thing1?", "It is word9."))
    db.vacuum()
    assert [entry.id for entry in search_entries(db, "word9")] == ["id9"]
    db.execute("insert into entries_fts(entries_fts, rank) values ('integrity-check', 1)")
    db.execute("insert into claims_fts(claims_fts, rank) values ('integrity-check', 1)")


def test_entries_odd_text_is_stored(db: Any) -> None:
    odd = "NUL \0, surrogate \udfff, 書, \u202e, 'quote\""
    entry = plain_entry(1, odd, odd, scores=(("accuracy", float("nan")),), overall=float("inf"))
    entry = replace(
        entry, claims=(Claim(odd, (replace(CITATION, quote=odd, title=odd, path="a\0b", heading=("\n", "›")),)),)
    )
    assert admit(db, entry)
    stored = get_entry(db, "id1")
    clean = odd.replace("\udfff", "\ufffd")
    assert (stored.question, stored.answer, stored.claims[0].text) == (clean, clean, clean)
    citation = stored.claims[0].citations[0]
    assert (citation.quote, citation.path, citation.heading) == (clean, "a\0b", ("\n", "›"))
    assert (stored.scores, stored.overall) == ((("accuracy", 0.0),), 0.0)


def test_entries_archive_without_a_name_keeps_the_known_one(db: Any) -> None:
    admit(db, plain_entry(1, "What is salt made of?", "Sodium chloride."))
    admit(db, plain_entry(2, "Where does pepper grow?", "In India.", archives=()))
    assert get_entry(db, "id2").archives == (("zim-1", "kitchen", "2026-01"),)


def test_entries_known_questions_are_those_of_all_episodes_and_entries(db: Any) -> None:
    save_episode(db, make_episode(status="rejected", reason="unsupported"), None)
    save_episode(db, make_episode(id="e2", status="invalid", challenge=None, attempts=(), best=-1), None)
    other = replace(CHALLENGE, question="Where does pepper grow best?")
    save_episode(db, make_episode(id="e3", challenge=other), make_entry(question=other.question, episode_id="e3"))
    admit(db, plain_entry(1, "Who invented the fork?", "Nobody knows."))
    assert known_questions(db) == [CHALLENGE.question, "Where does pepper grow best?", "Who invented the fork?"]


def test_entries_status_has_reasons_until_it_is_current(db: Any) -> None:
    admit(db, plain_entry(1, "What is salt made of?", "Sodium chloride."))
    assert get_entry(db, "id1").status_reasons == ()
    set_entry_status(db, "id1", "disputed", ("The claim denies something that the evidence does not.", "odd \ud800"))
    said = get_entry(db, "id1").status_reasons
    assert said == ("The claim denies something that the evidence does not.", "odd \ufffd")
    set_entry_status(db, "id1", "current")
    assert get_entry(db, "id1").status_reasons == ()
    with pytest.raises(KnowledgeBaseError, match="There is no entry id9"):
        set_entry_status(db, "id9", "current")


def test_entries_keep_the_reasons_that_they_come_with(db: Any) -> None:
    one = plain_entry(1, "What is salt?", "A salt.", status="disputed", status_reasons=("It is not.", "Nor was it."))
    assert admit(db, one)
    assert get_entry(db, "id1").status_reasons == ("It is not.", "Nor was it.")
    assert [entry.status_reasons for entry in search_entries(db, "salt")] == [("It is not.", "Nor was it.")]


def test_entries_outcome_stores_status_and_judgements_or_nothing(db: Any) -> None:
    save_episode(db, make_episode(), make_entry())
    new = (Judgement("contradicted", float("nan"), ("No.",), ("number",)), SUPPORTED)
    set_outcome(db, "n1", "disputed", ("No.",), new)
    assert get_entry(db, "n1") == make_entry(
        status="disputed",
        status_reasons=("No.",),
        judgements=(Judgement("contradicted", 0.0, ("No.",), ("number",)), SUPPORTED),
    )
    with pytest.raises(ValueError, match="entry n1 has 2 claims, not 1"):
        set_outcome(db, "n1", "current", (), (SUPPORTED,))
    with pytest.raises(ValueError, match="no such entry status"):
        set_outcome(db, "n1", "gone", (), (SUPPORTED, SUPPORTED))  # type: ignore[arg-type]
    assert get_entry(db, "n1").status == "disputed"


def test_entries_archives_say_of_themselves_what_is_not_known_yet(db: Any) -> None:
    admit(db, plain_entry(1, "What is salt made of?", "Sodium chloride."))
    info = ArchiveInfo(
        "zim-1", "kitchen", "k.zim", "html", "Kitchen \ud800", "2026-01", "eng", 3, "CC0", "k.org", "Ann"
    )
    describe_archives(db, [replace(info, title="", creator=""), replace(info, id="zim-2")])
    describe_archives(db, [info])
    describe_archives(db, [replace(info, title="Other", publisher="Bob")])
    (row,) = db.query("select * from archives")
    assert {name: row[name] for name in ("title", "language", "creator", "publisher", "licence", "source")} == {
        "title": "Kitchen \ufffd",
        "language": "eng",
        "creator": "Ann",
        "publisher": "Bob",
        "licence": "CC0",
        "source": "k.org",
    }


def test_entries_list_takes_few_queries_however_many_there_are(db: Any) -> None:
    for number in range(30):
        admit(db, plain_entry(number, f"What is number {number}?", f"It is {number}."))
    said: list[str] = []
    db.conn.set_trace_callback(said.append)
    assert [entry.id for entry in list_entries(db, limit=25, newest_first=True)] == [f"id{n}" for n in range(29, 4, -1)]
    db.conn.set_trace_callback(None)
    assert len([one for one in said if one.lower().startswith("select")]) == 6


def test_entries_search_leaves_out_words_that_most_have(db: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        admit(db, plain_entry(number, f"What is thing{number}?", f"It is a word{number // 3}."))
    monkeypatch.setattr(entries, "_COMMON", 3)
    assert [entry.id for entry in search_entries(db, "what is thing2")] == ["id2"]
    assert {entry.id for entry in search_entries(db, "what is word1")} == {"id3", "id4", "id5"}
    assert [entry.id for entry in search_entries(db, "what is it", k=2)] == ["id5", "id4"]
    assert [entry.id for entry in search_entries(db, "what is nowhere", k=1)] == ["id5"]


def test_entries_are_listed_since_a_day(db: Any) -> None:
    for number, day in enumerate(("2026-01-30", "2026-01-31", "2026-02-01")):
        created = f"{day}T00:00:00+00:00"
        admit(db, plain_entry(number, f"What is number {number}?", f"It is {number}.", created_at=created))
    assert [entry.id for entry in list_entries(db, since="2026-01-31")] == ["id1", "id2"]
    assert [entry.id for entry in list_entries(db, since="2026-01-31", newest_first=True, limit=1)] == ["id2"]
    assert list_entries(db, since="2026-02-02") == []

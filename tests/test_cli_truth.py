"""drzero.cli_truth, and what `kb show` says of the truth of an entry."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from drzero import documents, listings
from drzero.disputing import Standing, look_at_entry, standing
from drzero.errors import KnowledgeBaseError
from drzero.kb.disputes import Dispute, add_dispute, settle_disputes
from drzero.kb.entries import admit
from drzero.kb.schema import open_knowledge_base, transaction
from drzero.kb.support import add_support
from drzero.workspace import Workspace
from tests.conftest import MakeZim, Run
from tests.samples import stated_entry, store_entry

PAGE = {"Bridge": "<h1>Bridge</h1><p>The old bridge opened in 1931.</p>"}
MINE = stated_entry("When was the Forth Bridge opened?", "The Forth Bridge was opened in 1890.")
RIVAL = stated_entry("In what year did it open?", "The Forth Bridge was opened in 1891.", zim_id="zim-2")
OTHER = replace(RIVAL, id=MINE.id, question=MINE.question)
WHEN = "2026-03-04T05:06:07+00:00"
ANSWERED = Dispute(MINE.id, "", MINE.answer, OTHER.answer, "answer", "Both.", WHEN, other=OTHER)


@pytest.fixture
def filled(desk: Path) -> Path:
    db = open_knowledge_base(desk / "knowledge.db")
    admit(db, MINE)
    admit(db, RIVAL)
    look_at_entry(db, RIVAL.id)
    with transaction(db):
        db.execute("update disputes set found_at = ?", (WHEN,))
    quote = "In 1890 they opened the great Forth Bridge, as was planned."
    add_support(db, MINE.id, 0, (replace(RIVAL.claims[0].citations[0], quote=quote),))
    db.close()
    return desk


def test_cli_truth_show_has_both_sides_and_the_support(filled: Path, run: Run) -> None:
    result = run("kb", "show", MINE.id)
    assert result.exit_code == 0
    shown = [
        "Claim 1 is supported by 2 archives independently.",
        "Disputed since 2026-03-04:",
        f"  here: {MINE.answer}",
        f"  entry {RIVAL.id}: {RIVAL.answer}",
    ]
    assert "\n".join(shown) in result.stdout
    assert f"\n  entry {MINE.id}: {MINE.answer}\n" in run("kb", "show", RIVAL.id).stdout


def test_cli_truth_show_as_json(filled: Path, run: Run) -> None:
    document = json.loads(run("kb", "show", MINE.id[:12], "--json").stdout)
    assert (document["id"], document["status"], document["supports"]) == (MINE.id, "disputed", [2])
    assert document["disputes"] == [
        {
            "claim": MINE.answer,
            "other_id": RIVAL.id,
            "other_claim": RIVAL.answer,
            "other": None,
            "code": "date",
            "reason": f"“{RIVAL.answer}” and “{MINE.answer}” cannot both be true.",
            "found_at": WHEN,
            "settled": "",
        }
    ]


def test_cli_truth_show_of_an_entry_that_stands_alone(desk: Path, run: Run, make_zim: MakeZim) -> None:
    store_entry(Workspace(desk), make_zim(PAGE, name="desk/zims/small.zim"))
    document = json.loads(run("kb", "show", "entry1", "--json").stdout)
    assert (document["supports"], document["disputes"]) == ([1], [])
    assert "independently" not in run("kb", "show", "entry1").stdout


def test_cli_truth_another_answer_is_shown_with_its_evidence() -> None:
    shown = listings.standing_text(Standing((1, 3), (replace(ANSWERED, settled="Looked up\x07."),)))
    assert shown.splitlines() == [
        "Claim 2 is supported by 3 archives independently.",
        "Settled since 2026-03-04:",
        f"  here: {MINE.answer}",
        f"  another answer to the same question: {OTHER.answer}",
        f"    Forth Bridge (kitchen): “{OTHER.answer}”",
        "  Looked up\\x07.",
    ]
    (one,) = documents.standing_json(Standing((1,), (ANSWERED,)))["disputes"]
    assert (one["other_id"], one["other"]) == ("", documents.entry_json(OTHER))
    assert listings.standing_text(Standing((1,), ())) == ""


def test_cli_truth_standing_of_an_entry(filled: Path) -> None:
    db = open_knowledge_base(filled / "knowledge.db")
    settle_disputes(db, MINE.id, "Looked up.")
    add_dispute(db, ANSWERED)
    db.close()
    found = standing(Workspace(filled), MINE.id)
    assert found.supports == (2,)
    assert [(one.code, one.settled) for one in found.disputes] == [("date", "Looked up."), ("answer", "")]
    with pytest.raises(KnowledgeBaseError, match="There is no entry nobody"):
        standing(Workspace(filled), "nobody")


# --- verify ---------------------------------------------------------------------------------------------------------


def test_cli_truth_verify_leaves_with_3_when_an_archive_is_away(desk: Path, run: Run, make_zim: MakeZim) -> None:
    archive = make_zim(PAGE, name="desk/zims/small.zim")
    store_entry(Workspace(desk), archive)
    assert run("kb", "verify").exit_code == 0
    archive.unlink()
    result = run("kb", "verify")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[2] == "Nothing can be said of entries whose archives are not here: 1."
    assert "is not here" in json.loads(run("kb", "verify", "--json").stdout)["missing"][0]["reason"]


def test_cli_truth_verify_update_moves_what_a_newer_edition_says_too(desk: Path, run: Run, make_zim: MakeZim) -> None:
    old = make_zim(PAGE, name="desk/zims/small_2026-01.zim")
    store_entry(Workspace(desk), old)
    old.unlink()
    new = {"Bridge": PAGE["Bridge"].replace("<p>", "<p>It is long. ")}
    make_zim(new, name="desk/zims/small_2026-02.zim", metadata={"Date": "2026-02-01"})
    result = run("kb", "verify")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (
        0,
        "The words of 1 citation stand at another place now, as in a newer edition: "
        "`drzero kb verify --update` moves them there.",
    )
    result = run("kb", "verify", "--update")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "Moved to where the words stand now: 1 citation.")
    assert len(run("kb", "verify").stdout.splitlines()) == 2


def test_cli_truth_verify_finds_what_contradicts_what(desk: Path, run: Run, make_zim: MakeZim) -> None:
    pages = {"A": "<p>The Forth Bridge was opened in 1890.</p>", "B": "<p>The Forth Bridge was opened in 1891.</p>"}
    archive = make_zim(pages, name="desk/zims/small.zim")
    for path, claim in (("A", MINE.answer), ("B", RIVAL.answer)):
        one = store_entry(Workspace(desk), archive, path=path, quote=claim, claim=claim)
        db = open_knowledge_base(desk / "knowledge.db")
        with transaction(db):
            for table, column in (("claims", "entry_id"), ("scores", "entry_id"), ("entries", "id")):
                db.execute("PRAGMA defer_foreign_keys = ON")
                db.execute(f"update {table} set {column} = ? where {column} = ?", (path, one.id))
            db.execute("update entries set question_key = id, episode_id = null where id = ?", (path,))
            db.execute("delete from episodes")
        db.close()
    for clashes in (1, 0):
        result = run("kb", "verify", "--json")
        document = json.loads(result.stdout)
        assert (result.exit_code, len(document["clashes"])) == (3, clashes)
        assert document["disputed"] == [
            {"id": "A", "reasons": [f"Entry B has another date: “{RIVAL.answer}”"]},
            {"id": "B", "reasons": [f"Entry A has another date: “{MINE.answer}”"]},
        ]

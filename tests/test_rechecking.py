"""drzero.rechecking: cited places read again, claims judged again, and what becomes of their entries."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import sqlite_utils

from drzero import pipeline, rechecking
from drzero.config import Settings
from drzero.corpus.zim import open_archive
from drzero.kb import schema
from drzero.kb.entries import admit, set_entry_status
from drzero.kb.support import add_support, know_archives, supports
from drzero.loop.verify import Inquiry
from drzero.rechecking import AROUND_CHARS, JudgeClaim, load_claim_judge, look_again, verify_entries
from drzero.records import entries, entry, knowledge_base
from drzero.results import BuildOptions
from drzero.types import Article, BuildReport, Citation, Claim, Entry, Fault, Judgement, Passage, Progress, Section
from drzero.workspace import BusyError, Workspace
from tests.conftest import MakeZim, Run
from tests.fakes import HashEmbedder, ScriptedLLM
from tests.samples import stated_entry, store_entry

PAGES = {
    "Bridge": "<html><body><h1>Bridge</h1><p>The old bridge opened in 1931. It spans the river Ouse.</p></body></html>",
    "Tower": "<html><body><h1>Tower</h1><p>The tower is 40 metres high. Bells ring at noon.</p></body></html>",
}
QUESTION = "<html><body><div id='question'><div class='js-post-body'><p>Why is it so?</p></div></div></body></html>"
BOARD = {"questions/1/why": QUESTION, "users/Bridge": PAGES["Bridge"]}  # as sotoki makes it, users are no articles
Build = Callable[..., tuple[BuildReport, ...]]


def quiet(_: Progress) -> None:
    """Progress nobody looks at."""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "desk" / "zims").mkdir(parents=True)
    return Workspace(tmp_path / "desk")


@pytest.fixture
def build(workspace: Workspace, embedder: HashEmbedder) -> Build:
    return lambda *archives, **options: pipeline.build_index(
        workspace, Settings(), BuildOptions(archives, **options), quiet
    )


# --- places ---------------------------------------------------------------------------------------------------------


def test_rechecking_reads_the_cited_place_again(workspace: Workspace, make_zim: MakeZim) -> None:
    store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    result = verify_entries(workspace, quiet)
    assert (result.entries, result.citations, result.stale) == (1, 1, ())
    assert entries(workspace)[0].status == "current"


ODD_PATHS = (
    "C#", "100%", "What is this?", "AC/DC", "a%20b", "Caf\u00e9", "Cafe\u0301", "/leading", "q?x=1#part", "bell\x07",
)  # fmt: skip


@pytest.mark.parametrize("path", ODD_PATHS)
def test_rechecking_opens_odd_paths_again(workspace: Workspace, make_zim: MakeZim, path: str) -> None:
    pages = {odd: f"<p>The bridge no. {number} opened in 1931." for number, odd in enumerate(ODD_PATHS)}
    archive = make_zim(pages, name="desk/zims/odd # & names.zim")
    one = store_entry(workspace, archive, path=path)
    assert verify_entries(workspace, quiet).stale == ()
    assert entry(workspace, one.id).claims[0].citations[0].path == path


def test_rechecking_marks_what_no_longer_holds(workspace: Workspace, make_zim: MakeZim) -> None:
    archive = make_zim(PAGES, name="desk/zims/small.zim")
    one = store_entry(workspace, archive, shift=1)
    result = verify_entries(workspace, quiet)
    assert [id_ for id_, _ in result.stale] == [one.id]
    assert "Bridge in small no longer says so at characters" in result.stale[0][1]
    assert entry(workspace, one.id).status == "stale"


def test_rechecking_a_place_counted_from_the_end_is_none(workspace: Workspace, make_zim: MakeZim) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    (citation,) = one.claims[0].citations
    length = len("The old bridge opened in 1931. It spans the river Ouse.")
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute('update citations set start = start - ?, "end" = "end" - ?', (length, length))
    says_so = f"Bridge in small no longer says so at characters {citation.start - length} to {citation.end - length}"
    assert verify_entries(workspace, quiet).stale == ((one.id, says_so),)


def test_rechecking_of_an_archive_that_is_not_here_nothing_is_said(workspace: Workspace, make_zim: MakeZim) -> None:
    archive = make_zim(PAGES, name="desk/zims/small.zim")
    one = store_entry(workspace, archive)
    zim_id = one.claims[0].citations[0].zim_id
    archive.rename(archive.with_suffix(".away"))
    result = verify_entries(workspace, quiet, judge=says("unsupported"))
    away = f"its archive small of 2026-01-01, {zim_id} (small) is not here"
    assert (result.missing, result.stale, result.disputed) == (((one.id, away),), (), ())
    assert (result.checked, result.judged) == (0, 0)
    assert entry(workspace, one.id) == one
    with knowledge_base(workspace) as db:
        set_entry_status(db, one.id, "stale", ["It was so."])
    assert verify_entries(workspace, quiet).missing == ((one.id, away),)
    assert entry(workspace, one.id).status_reasons == ("It was so.",)
    archive.with_suffix(".away").rename(archive)
    assert verify_entries(workspace, quiet).missing == ()
    assert entry(workspace, one.id) == one


def test_rechecking_what_reads_otherwise_is_stale_though_another_archive_is_away(
    workspace: Workspace, make_zim: MakeZim
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("insert into archives (id, name, date) values ('elsewhere', '', '')")
        (citation,) = one.claims[0].citations
        away = replace(citation, zim_id="elsewhere")
        add = (
            "insert into citations (claim_id, position, n, index_name, zim_id, path, title, heading, chunk_id, quote, "
        )
        add += 'start, "end") values (1, 1, 2, ?, ?, ?, ?, ?, ?, ?, 0, 5)'
        db.execute(add, ("small", away.zim_id, "p", "t", "[]", "c", "q"))
    assert verify_entries(workspace, quiet).missing == ((one.id, "its archive elsewhere (small) is not here"),)
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("update citations set start = start + 1 where position = 0")
    result = verify_entries(workspace, quiet)
    assert [id_ for id_, _ in result.stale] == [one.id]
    assert result.missing == ()


# --- editions -------------------------------------------------------------------------------------------------------

OLD, NEW = "desk/zims/small_2026-01.zim", "desk/zims/small_2026-02.zim"
SINCE = {"Date": "2026-02-01"}
GROWN = {
    "Bridge": "<h1>Bridge</h1><p>It is made of stone.</p><h2>Later</h2><p>The old bridge opened in 1931.</p>",
}
CHANGED = {"Bridge": "<h1>Bridge</h1><p>The old bridge opened in 1932.</p>"}


def test_rechecking_what_a_newer_edition_says_too_stays_current_and_can_be_moved(
    workspace: Workspace, make_zim: MakeZim
) -> None:
    old = make_zim(PAGES, name=OLD)
    one = store_entry(workspace, old)
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("update archives set name = 'small_2026-01'")
    make_zim(GROWN, name=NEW, metadata=SINCE)
    for _ in range(2):  # with the old edition beside it, and without
        result = verify_entries(workspace, quiet)
        assert (result.stale, result.disputed, result.missing) == ((), (), ())
        assert (result.carried, result.moved) == (1, False)
        assert entry(workspace, one.id).claims == one.claims
        old.unlink(missing_ok=True)
    result = verify_entries(workspace, quiet, update=True)
    assert (result.carried, result.moved) == (1, True)
    stored = entry(workspace, one.id)
    (was,), (now,) = one.claims[0].citations, stored.claims[0].citations
    assert now.zim_id != was.zim_id
    assert (now.index, now.heading, now.quote, now.start) == ("small_2026-02", ("Later",), was.quote, 37)
    assert stored.archives == ((now.zim_id, "small_2026-02", "2026-02-01"),)
    assert (stored.status, stored.answer, stored.created_at) == ("current", one.answer, one.created_at)
    after = verify_entries(workspace, quiet)
    assert (after.carried, after.stale, after.checked) == (0, (), 1)
    with knowledge_base(workspace) as db:
        assert schema.rows(db, "PRAGMA foreign_key_check") == []


@pytest.mark.parametrize("gone", [False, True])
def test_rechecking_what_a_newer_edition_says_otherwise_is_stale(
    workspace: Workspace, make_zim: MakeZim, gone: bool
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name=OLD))
    pages = {"Tower": PAGES["Tower"]} if gone else CHANGED
    make_zim(pages, name=NEW, metadata=SINCE)
    (found,) = verify_entries(workspace, quiet, update=True).stale
    said = "is no longer in small_2026-02" if gone else "in small_2026-02, a newer edition of small, no longer says so"
    assert found == (one.id, f"Bridge {said}")
    assert entry(workspace, one.id).claims == one.claims


@pytest.mark.parametrize(
    ("name", "date", "newer"),
    [
        ("small_2026-02", "2026-02-01", True),
        ("small_2025-12", "2025-12-01", False),  # an older one
        ("other_2026-02", "2026-02-01", False),  # of another family
        ("small_maxi_2026-02", "2026-02-01", False),  # of another flavour
        ("small_2026-01", "2026-01-01", True),  # made anew on the same day
        ("small", "", True),
    ],
)
def test_rechecking_an_edition_is_of_the_same_name_and_newer(
    workspace: Workspace, make_zim: MakeZim, name: str, date: str, newer: bool
) -> None:
    old = make_zim(PAGES, name=OLD)
    one = store_entry(workspace, old)
    old.unlink()
    make_zim(CHANGED, name=f"desk/zims/{name}.zim", metadata={"Date": date})
    result = verify_entries(workspace, quiet)
    assert [id_ for id_, _ in (result.stale if newer else result.missing)] == [one.id]


def test_rechecking_words_that_stand_elsewhere_in_their_article_are_moved_when_asked(
    workspace: Workspace, make_zim: MakeZim
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"), shift=3)
    result = verify_entries(workspace, quiet)
    assert ([id_ for id_, _ in result.stale], result.carried, result.moved) == ([one.id], 1, False)
    assert verify_entries(workspace, quiet, update=True).stale == ()
    stored = entry(workspace, one.id)
    assert stored.claims[0].citations[0].start == one.claims[0].citations[0].start - 3
    assert stored.status == "current"
    assert verify_entries(workspace, quiet).carried == 0


def test_rechecking_support_that_no_longer_stands_there_is_dropped(workspace: Workspace, make_zim: MakeZim) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    (citation,) = one.claims[0].citations
    longer = replace(citation, quote="The old bridge opened in 1931.", start=0, end=30)
    away = replace(citation, zim_id="elsewhere")
    with knowledge_base(workspace) as db:
        know_archives(db, [("elsewhere", "e", "")], ["elsewhere"])
        for group in ((longer,), (replace(longer, quote="The bridge opened in 1931.", end=26), longer), (away,)):
            assert add_support(db, one.id, 0, group)
    assert verify_entries(workspace, quiet).stale == ()
    with knowledge_base(workspace) as db:
        assert supports(db, one.id) == {0: ((longer,), (away,))}
    assert entry(workspace, one.id) == one


def test_rechecking_of_a_quote_said_twice_the_place_under_its_own_heading_counts(
    workspace: Workspace, make_zim: MakeZim
) -> None:
    one = store_entry(workspace, make_zim(GROWN, name=OLD), quote="The old bridge opened in 1931.")
    said = "<p>The old bridge opened in 1931.</p>"
    pages = {"Bridge": f"<h1>Bridge</h1><p>First of all, it is long.</p>{said}<h2>Later</h2>{said}"}
    make_zim(pages, name=NEW, metadata=SINCE)
    verify_entries(workspace, quiet, update=True)
    (now,) = entry(workspace, one.id).claims[0].citations
    assert now.heading == ("Later",)
    assert now.start > one.claims[0].citations[0].start


def test_rechecking_finds_archives_by_their_indexes(workspace: Workspace, make_zim: MakeZim, build: Build) -> None:
    archive = make_zim(PAGES, name="elsewhere/small.zim")
    build(archive)
    store_entry(workspace, archive)
    assert verify_entries(workspace, quiet).stale == ()


def test_rechecking_reads_an_archive_as_its_index_did(workspace: Workspace, make_zim: MakeZim, build: Build) -> None:
    archive = make_zim(BOARD, name="desk/zims/small.zim", metadata={"Scraper": "sotoki 2.0"})
    build(archive, kind="html")
    store_entry(workspace, archive, path="users/Bridge", kind="html")
    assert verify_entries(workspace, quiet).stale == ()
    build(archive)
    assert verify_entries(workspace, quiet).stale == (("entry1", "users/Bridge is no longer in small"),)


def test_rechecking_knows_two_indexes_of_one_archive_apart(
    workspace: Workspace, make_zim: MakeZim, build: Build
) -> None:
    archive = make_zim(BOARD, name="elsewhere/small.zim", metadata={"Scraper": "sotoki 2.0"})
    build(archive, name="aside")
    build(archive, kind="html")
    store_entry(workspace, archive, path="users/Bridge", kind="html")
    assert verify_entries(workspace, quiet).stale == ()


@pytest.mark.parametrize("work", ["evolve", "kb verify"])
def test_rechecking_waits_for_nobody_who_changes_entries(workspace: Workspace, make_zim: MakeZim, work: str) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"), shift=1)
    with workspace.locked(work), pytest.raises(BusyError) as caught:
        verify_entries(workspace, quiet)
    assert str(caught.value) == (
        f"Another `drzero evolve` or `drzero kb verify` is at work in {workspace.root}: wait for it to end, or stop it."
    )
    assert entry(workspace, one.id).status == "current"
    with workspace.locked("build-index"):
        assert len(verify_entries(workspace, quiet).stale) == 1


def test_rechecking_holds_the_workspace_until_all_is_stored(workspace: Workspace, make_zim: MakeZim) -> None:
    store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    told: list[str] = []

    def progress(_: Progress) -> None:
        with pytest.raises(BusyError, match="is at work"), workspace.locked("evolve"):
            told.append("never")
        told.append("busy")

    verify_entries(workspace, progress)
    assert told == ["busy"]
    with workspace.locked("evolve"):
        pass


# --- claims, without a model ----------------------------------------------------------------------------------------


def test_rechecking_counts_what_was_judged_again(workspace: Workspace, make_zim: MakeZim) -> None:
    store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    result = verify_entries(workspace, quiet)
    assert (result.checked, result.judged, result.disputed, result.unchecked) == (1, 0, (), ())
    assert entries(workspace)[0].judgements == (Judgement("supported", 0.9, ()),)


def test_rechecking_a_claim_that_no_check_would_admit_today_is_disputed_until_it_passes(
    workspace: Workspace, make_zim: MakeZim
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"), claim="It opened in 1932.")
    for _ in range(2):  # and again from what is stored
        result = verify_entries(workspace, quiet)
        ((id_, reasons),) = result.disputed
        assert (id_, len(reasons), result.stale, result.checked) == (one.id, 1, (), 1)
        assert "1932" in reasons[0]
        assert entry(workspace, one.id).status == "disputed"
        assert entry(workspace, one.id).judgements == one.judgements
        assert entry(workspace, one.id).status_reasons == reasons
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("update claims set text = 'It opened in 1931.'")
        db.execute("update entries set answer = 'It opened in 1931.'")
    assert verify_entries(workspace, quiet).disputed == ()
    assert entry(workspace, one.id).status_reasons == ()
    assert entry(workspace, one.id).status == "current"


LONG = "Le vieux pont de pierre sur la rivière est long de 40 m."
FRENCH = {"Pont": f"<h1>Pont</h1><p>{LONG}</p>"}
ABBREVIATED = "Le vieux pont de pierre sur la rivière a env. 40 m en longueur."


@pytest.mark.parametrize(("language", "status"), [("fra", "current"), ("eng", "disputed"), ("", "disputed")])
def test_rechecking_reads_a_claim_in_the_language_of_its_archive(
    workspace: Workspace, make_zim: MakeZim, language: str, status: str
) -> None:
    archive = make_zim(FRENCH, name="desk/zims/petit.zim", metadata={"Language": language})
    one = store_entry(workspace, archive, path="Pont", quote=LONG, claim=ABBREVIATED)
    verify_entries(workspace, quiet)
    assert entry(workspace, one.id).status == status  # to English "env." ends a sentence


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("It opened in 1931 [4].", "Source [4] was never given; there were 1."),
        ("It opened in Paris in 1931.", "Paris"),
        ("It never opened in 1931.", "denies"),
    ],
)
def test_rechecking_every_layer_without_a_model_is_asked(
    workspace: Workspace, make_zim: MakeZim, claim: str, reason: str
) -> None:
    store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"), claim=claim)
    ((_, reasons),) = verify_entries(workspace, quiet).disputed
    assert reason in reasons[0]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("It opened in 1931.", "current"),
        (" It  opened\nin 1931. ", "current"),
        ("It opened in 1931. It is made of gold.", "disputed"),
        ("It opened in 1932.", "disputed"),
        ("", "disputed"),
    ],
)
def test_rechecking_an_answer_that_is_not_what_its_claims_say_is_disputed(
    workspace: Workspace, make_zim: MakeZim, answer: str, status: str
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("update entries set answer = ?", (answer,))
    result = verify_entries(workspace, quiet, judge=says("supported"))
    assert (entry(workspace, one.id).status, result.judged) == (status, status == "current")
    said = "The answer is not what its claims say one after the other."
    assert result.disputed == (((one.id, (said,)),) if status == "disputed" else ())
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("update entries set answer = 'It opened in 1931.'")
    assert verify_entries(workspace, quiet).disputed == ()


HEADED = {"Bridge": "<h1>Bridge</h1><p>It is long.</p><h2>Later</h2><p>The old bridge opened in 1931.</p>"}


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("title", "Railway Bridge", "Source [1] has the title “Bridge”, not “Railway Bridge” as the citation says."),
        ("heading", '["Railway"]', "Source [1] stands under “Later”, not under “Railway” as the citation says."),
        ("heading", "[]", "Source [1] stands under “Later”, not under no heading as the citation says."),
    ],
)
def test_rechecking_a_title_or_heading_that_the_article_has_not_is_disputed(
    workspace: Workspace, make_zim: MakeZim, column: str, value: str, reason: str
) -> None:
    one = store_entry(workspace, make_zim(HEADED, name="desk/zims/small.zim"))
    assert one.claims[0].citations[0].heading == ("Later",)
    assert verify_entries(workspace, quiet).disputed == ()
    with knowledge_base(workspace) as db, schema.transaction(db):  # a claim that only the invented words bear out
        db.execute(f"update citations set {column} = ?", (value,))
        db.execute("update claims set text = 'The railway bridge opened in 1931.'")
        db.execute("update entries set answer = 'The railway bridge opened in 1931.'")
    assert verify_entries(workspace, quiet, judge=says("supported")).disputed == ((one.id, (reason,)),)
    assert entry(workspace, one.id).status == "disputed"


@pytest.mark.parametrize(
    ("profile", "name", "missing"),
    [
        ("wikipedia", "Napoleon", True),
        ("coding", "Napoleon", True),
        ("gone.toml", "Napoleon", True),
        ("wikipedia", "Small", True),  # the name of the index: what documentation is about
        ("coding", "Small", False),
        ("gone.toml", "Small", True),
    ],
)
def test_rechecking_an_entry_whose_profile_is_gone_is_checked_without_its_shelf(
    workspace: Workspace, make_zim: MakeZim, profile: str, name: str, missing: bool
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("update entries set question = ?, profile = ?", (f"When did {name} open the bridge?", profile))
    result = verify_entries(workspace, quiet)
    said = f"The passage cited does not name {name}."
    assert (result.checked, result.disputed) == (1, ((one.id, (said,)),) if missing else ())


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("Shelf", False),  # the index that is named, and is of the archive
        ("Other", True),  # of another archive
        ("Napoleon", True),  # of none
        ("Small", False),  # of none here, but it is the archive's own name
    ],
)
def test_rechecking_an_index_that_is_none_of_the_archive_is_no_evidence(
    workspace: Workspace, make_zim: MakeZim, build: Build, name: str, missing: bool
) -> None:
    archive = make_zim(PAGES, name="elsewhere/small.zim")
    build(archive, name="shelf")
    build(make_zim({"Pear": "<p>A pear is a fruit.</p>"}, name="elsewhere/pears.zim"), name="other")
    one = store_entry(workspace, archive)
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("update entries set profile = 'coding', question = ?", (f"When did {name} open the bridge?",))
        db.execute("update citations set index_name = ?", (name.casefold(),))
    said = f"The passage cited does not name {name}."
    assert verify_entries(workspace, quiet).disputed == (((one.id, (said,)),) if missing else ())


def test_rechecking_what_somebody_marked_disputed_without_a_reason_stays_so(
    workspace: Workspace, make_zim: MakeZim
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    with knowledge_base(workspace) as db:
        set_entry_status(db, one.id, "disputed")
    assert verify_entries(workspace, quiet).disputed == ((one.id, ()),)
    assert verify_entries(workspace, quiet, judge=says("supported")).disputed == ((one.id, ()),)
    assert entry(workspace, one.id).status == "disputed"


def test_rechecking_what_passed_is_not_checked_again_until_something_changes(
    workspace: Workspace, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    assert verify_entries(workspace, quiet).checked == 1
    asked: list[str] = []

    def inquire(claim: Claim, *_: object, **__: object) -> Inquiry:
        asked.append(claim.text)
        return Inquiry(fault=Fault("number", "It is not so."))

    monkeypatch.setattr(rechecking, "inquire_claim", inquire)
    assert (verify_entries(workspace, quiet).disputed, asked) == ((), [])
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("update entries set question = 'When did it open?'")
    for times in (1, 2):  # what was refused is asked again
        assert verify_entries(workspace, quiet).disputed == ((one.id, ("It is not so.",)),)
        assert len(asked) == times


def test_rechecking_a_check_of_one_s_own_is_always_asked(workspace: Workspace, make_zim: MakeZim) -> None:
    store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    verify_entries(workspace, quiet)
    assert len(verify_entries(workspace, quiet, check=says("unsupported")).disputed) == 1


def test_rechecking_what_a_person_decided_stands(workspace: Workspace, make_zim: MakeZim) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"), claim="It opened in 1932.")
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("drop table if exists reviews")
        db.execute("create table reviews (id integer primary key, entry_id, at, reviewer, decision, text, reason)")
        db.execute("insert into reviews (entry_id, at, decision) values (?, '2026-03-01', 'accept')", (one.id,))
    result = verify_entries(workspace, quiet)
    assert (result.disputed, [id_ for id_, _ in result.kept]) == ((), [one.id])
    assert entry(workspace, one.id).status == "current"


# --- claims, with a model -------------------------------------------------------------------------------------------


def says(verdict: str, probability: float = 0.8, reason: str = "The model says so.") -> JudgeClaim:
    return lambda *_: Judgement(verdict, probability, (reason,), (verdict,))  # type: ignore[arg-type]


def test_rechecking_a_model_s_judgement_is_stored_and_counts_until_a_model_says_otherwise(
    workspace: Workspace, make_zim: MakeZim
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    result = verify_entries(workspace, quiet, judge=says("unsupported", 0.2, "The model gives 0.20."))
    assert (result.checked, result.judged, result.disputed) == (1, 1, ((one.id, ("The model gives 0.20.",)),))
    stored = entry(workspace, one.id)
    assert stored.status == "disputed"
    assert stored.judgements == (Judgement("unsupported", 0.2, ("The model gives 0.20.",), ("unsupported",)),)
    without = verify_entries(workspace, quiet)
    assert (without.judged, without.disputed) == (0, result.disputed)
    assert verify_entries(workspace, quiet, judge=says("supported", 0.85)).disputed == ()
    stored = entry(workspace, one.id)
    assert stored.status == "current"
    assert stored.judgements == (Judgement("supported", 0.85, ("The model says so.",), ("supported",)),)


def test_rechecking_what_a_model_cannot_tell_is_disputed_until_one_can(workspace: Workspace, make_zim: MakeZim) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    why = ("It gave no answer.",)
    result = verify_entries(workspace, quiet, judge=says("unchecked", 0.0, *why))
    assert (result.judged, result.unchecked, result.disputed) == (1, (one.id,), ((one.id, why),))
    stored = entry(workspace, one.id)
    assert (stored.status, stored.status_reasons) == ("disputed", why)
    assert stored.judgements == (Judgement("unchecked", 0.0, why, ("unchecked",)),)
    without = verify_entries(workspace, quiet)
    assert (without.unchecked, without.disputed) == ((), result.disputed)
    assert verify_entries(workspace, quiet, judge=says("supported")).disputed == ()
    assert (entry(workspace, one.id).status, entry(workspace, one.id).status_reasons) == ("current", ())


def test_rechecking_no_model_is_asked_of_what_a_cheaper_check_refuses(workspace: Workspace, make_zim: MakeZim) -> None:
    archive = make_zim(PAGES, name="desk/zims/small.zim")
    store_entry(workspace, archive, claim="It opened in 1932.")
    asked: list[Claim] = []

    def judge(_: Entry, claim: Claim, passages: Sequence[Passage], __: str) -> Judgement:
        asked.append(claim)
        assert [passage.chunk.text for passage in passages] == [
            "The old bridge opened in 1931. It spans the river Ouse."
        ]
        return Judgement("supported", 0.9, ())

    assert verify_entries(workspace, quiet, judge=judge).judged == 0
    archive.rename(archive.with_suffix(".away"))
    assert verify_entries(workspace, quiet, judge=judge).checked == 0
    assert asked == []
    archive.with_suffix(".away").rename(archive)
    with knowledge_base(workspace) as db, schema.transaction(db):
        db.execute("update claims set text = 'It opened in 1931.'")
        db.execute("update entries set answer = 'It opened in 1931.'")
    verify_entries(workspace, quiet, judge=judge)
    assert [claim.text for claim in asked] == ["It opened in 1931."]


@pytest.mark.parametrize(("odds", "status"), [(9.0, "current"), (-9.0, "disputed"), (math.nan, "disputed")])
def test_rechecking_asks_the_writer(
    workspace: Workspace, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch, odds: float, status: str
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"), claim="1931 is when it opened.")
    llm = ScriptedLLM(judge=lambda _: odds)
    monkeypatch.setattr(rechecking, "find_writer", lambda *_: None)
    monkeypatch.setattr(rechecking, "load_writer", lambda *_: llm)
    result = verify_entries(workspace, quiet, judge=load_claim_judge(workspace, Settings()))
    assert entry(workspace, one.id).status == status
    assert len(llm.prompts) == 1
    assert result.unchecked == ((one.id,) if math.isnan(odds) else ())


@pytest.mark.parametrize(("odds", "disputed"), [(9.0, 0), (-0.5, 2)])
def test_rechecking_the_judge_clears_what_only_seems_to_contradict(
    workspace: Workspace, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch, odds: float, disputed: int
) -> None:
    two = {year: f"The Forth Bridge was opened in {year}." for year in ("1890", "1891")}
    archive = open_archive(make_zim({year: f"<p>{text}</p>" for year, text in two.items()}, name="desk/zims/two.zim"))
    with knowledge_base(workspace, create=True) as db:
        for year, text in two.items():
            one = stated_entry(f"When was the Forth Bridge opened ({year})?", text, zim_id=archive.info.id, title=year)
            assert admit(db, one)
    assert len(verify_entries(workspace, quiet).disputed) == 2
    llm = ScriptedLLM(judge=lambda prompt: odds if "1890" in str(prompt) and "1891" in str(prompt) else 9.0)
    monkeypatch.setattr(rechecking, "find_writer", lambda *_: None)
    monkeypatch.setattr(rechecking, "load_writer", lambda *_: llm)
    result = verify_entries(workspace, quiet, judge=load_claim_judge(workspace, Settings()))
    assert (len(result.disputed), result.judged) == (disputed, 2)
    assert len(verify_entries(workspace, quiet).disputed) == disputed


def test_rechecking_by_command_what_the_model_cannot_tell_is_named(
    desk: Path, run: Run, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_entry(Workspace(desk), make_zim(PAGES, name="desk/zims/small.zim"))
    monkeypatch.setattr(rechecking, "load_claim_judge", lambda *_: says("unchecked", 0.0, "It gave no answer."))
    result = run("kb", "verify", "--with-model")
    assert result.exit_code == 3
    assert result.stdout.splitlines() == [
        "Read again: citations 1, entries 1; stale: 0.",
        "Judged again with the model: entries 1; disputed: 1.",
        "- entry1: It gave no answer.",
        "The model could not tell: entry1.",
    ]
    document = json.loads(run("kb", "verify", "--with-model", "--json").stdout)
    assert document["unchecked"] == ["entry1"]
    assert document["disputed"] == [{"id": "entry1", "reasons": ["It gave no answer."]}]


@pytest.mark.parametrize(("language", "asked"), [("fra", 1), ("eng", 2)])
def test_rechecking_the_judge_reads_a_claim_in_the_language_of_its_archive(
    workspace: Workspace, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch, language: str, asked: int
) -> None:
    archive = make_zim(FRENCH, name="desk/zims/petit.zim", metadata={"Language": language})
    store_entry(workspace, archive, path="Pont", quote=LONG, claim="Le vieux pont de pierre mesure env. 40 m.")
    llm = ScriptedLLM()
    monkeypatch.setattr(rechecking, "find_writer", lambda *_: None)
    monkeypatch.setattr(rechecking, "load_writer", lambda *_: llm)
    assert verify_entries(workspace, quiet, judge=load_claim_judge(workspace, Settings())).judged == 1
    assert len(llm.prompts) == asked  # once for each part, and to English "env." ends one


# --- the passage around a quote -------------------------------------------------------------------------------------


def look(article: Article, quote: str) -> Passage:
    start = article.text.index(quote)
    citation = Citation(4, "wiki", "z", "p", "Said", ("Said",), "c", quote, start, start + len(quote))
    entry = Entry(
        "e", "q", "a", "t", "l", "cooking.toml", (Claim("x", (citation,)),), (Judgement("supported", 0.9, ()),), (),
        0.9, "current", "", "",
    )  # fmt: skip
    seen: list[Passage] = []

    def check(_: Entry, claim: Claim, passages: Sequence[Passage], language: str) -> Judgement:
        seen.extend(passages)
        assert [(one.n, one.index) for one in claim.citations] == [(1, "wiki!")]
        assert language == "pl"
        return Judgement("supported", 1.0, ())

    look_again(entry, lambda _: article, lambda one: {"z": "pl"}[one.zim_id], lambda one: f"{one.index}!", check=check)
    (passage,) = seen
    assert passage.index == "wiki!"
    chunk = passage.chunk
    assert (chunk.id, chunk.zim_id, chunk.path, chunk.title) == ("c", "z", "p", "T")
    assert chunk.text == article.text[chunk.start : chunk.end]
    assert chunk.start <= start < start + len(quote) <= chunk.end
    return passage


def test_rechecking_the_passage_is_the_section_around_a_quote() -> None:
    article = Article(
        "z",
        "p",
        "T",
        (
            Section((), "One here.", 0),
            Section(("G",), "", 11),
            Section(("H",), "Two here.\n\nMore.", 13),
            Section(("H", "I"), "Three.", 31),
        ),
    )
    for quote, text, heading in (
        ("One", "One here.", ()),
        ("Two here", "Two here.\n\nMore.", ("H",)),
        ("More", "Two here.\n\nMore.", ("H",)),
        ("Three.", "Three.", ("H", "I")),
    ):
        chunk = look(article, quote).chunk
        assert (chunk.text, chunk.heading) == (text, heading)


def test_rechecking_the_passage_of_a_long_section_is_cut_at_blanks() -> None:
    text = f"{'word ' * 2000}The quote. {'other ' * 2000}end"
    chunk = look(Article("z", "p", "T", (Section((), text, 0),)), "The quote.").chunk
    assert AROUND_CHARS - 10 < text.index("The quote.") - chunk.start <= AROUND_CHARS
    assert chunk.text.startswith("word word")
    assert chunk.text.endswith(" other")
    assert len(chunk.text) <= 2 * AROUND_CHARS + len("The quote.")
    text = "x" * 9000
    assert look(Article("z", "p", "T", (Section((), f"{text}!{text}", 0),)), "!").chunk.text == "!"


# --- a knowledge base of before -------------------------------------------------------------------------------------


def tables(connection: sqlite3.Connection) -> list[tuple[str]]:
    """The names of a database's own tables."""
    return connection.execute(
        "select name from sqlite_master where type = 'table' and sql not like '%virtual%' and name not like '%_fts_%'"
    ).fetchall()


def test_rechecking_a_knowledge_base_of_the_first_schema_is_migrated_and_judged_again(
    workspace: Workspace, make_zim: MakeZim
) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"), claim="It opened in 1932.")
    connection = sqlite3.connect(workspace.database)
    blank = sqlite_utils.Database(memory=True)
    schema.MIGRATIONS[0](blank)
    first = {row[0]: {one[1] for one in blank.execute(f"PRAGMA table_info({row[0]})")} for row in tables(blank.conn)}
    for (name,) in connection.execute(
        "select name from sqlite_master where type = 'index' and sql is not null and tbl_name = 'entries'"
    ).fetchall():
        if name not in {row[0] for row in blank.conn.execute("select name from sqlite_master")}:
            connection.execute(f"drop index {name}")
    for (name,) in tables(connection):  # as it was before what later schemas brought
        if name not in first:
            connection.execute(f"drop table {name}")
            continue
        for column in [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]:
            if column not in first[name]:
                connection.execute(f"alter table {name} drop column {column}")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    assert entries(workspace) == [one]
    with knowledge_base(workspace) as db:
        assert db.conn.execute("PRAGMA user_version").fetchone() == (schema.SCHEMA_VERSION,)
    assert entry(workspace, one.id).status_reasons == ()
    result = verify_entries(workspace, quiet)
    assert [id_ for id_, _ in result.disputed] == [one.id]
    assert entries(workspace, query="bridge")[0].status == "disputed"
    assert entry(workspace, one.id).claims == one.claims


# --- the command ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("claim", "code"), [("It opened in 1931.", 0), ("It opened in 1932.", 3)])
def test_rechecking_by_command(desk: Path, run: Run, make_zim: MakeZim, claim: str, code: int) -> None:
    archive = make_zim(PAGES, name="desk/zims/small.zim")
    store_entry(Workspace(desk), archive, claim=claim)
    result = run("kb", "verify", "--json")
    assert result.exit_code == code
    document = json.loads(result.stdout)
    assert list(document)[:7] == ["entries", "citations", "stale", "checked", "judged", "disputed", "unchecked"]
    assert list(document)[7:] == ["missing", "kept", "carried", "moved", "clashes"]
    assert [document["entries"], document["citations"], document["checked"], document["judged"]] == [1, 1, 1, 0]
    assert [one["id"] for one in document["disputed"]] == (["entry1"] if code else [])
    said = run("kb", "verify").stdout.splitlines()
    assert said[0] == "Read again: citations 1, entries 1; stale: 0."
    assert said[1] == f"Judged again without a model: entries 1; disputed: {1 if code else 0}."
    assert len(said) == (3 if code else 2)


def test_rechecking_by_command_with_the_model(
    desk: Path, run: Run, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_entry(Workspace(desk), make_zim(PAGES, name="desk/zims/small.zim"))
    monkeypatch.setattr(rechecking, "load_claim_judge", lambda *_: says("contradicted", 0.1, "It is not so."))
    result = run("kb", "verify", "--with-model")
    assert result.exit_code == 3
    assert result.stdout.splitlines() == [
        "Read again: citations 1, entries 1; stale: 0.",
        "Judged again with the model: entries 1; disputed: 1.",
        "- entry1: It is not so.",
    ]


def test_rechecking_by_command_the_judge_and_the_writer_are_those_named(
    desk: Path, run: Run, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_entry(Workspace(desk), make_zim(PAGES, name="desk/zims/small.zim"))
    asked: list[Settings] = []

    def load(_: Workspace, settings: Settings) -> JudgeClaim:
        asked.append(settings)
        return says("supported")

    monkeypatch.setattr(rechecking, "load_claim_judge", load)
    assert run("kb", "verify", "--with-model", "--judge", "mine", "--llm", "small.gguf").exit_code == 0
    assert [(one.models.judge, one.models.llm) for one in asked] == [("mine", "small.gguf")]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--judge", "mine"), "--judge is"),
        (("--llm", "small.gguf"), "--llm is"),
        (("--llm", "small.gguf", "--judge", "mine"), "--judge and --llm are"),
    ],
)
def test_rechecking_by_command_a_model_is_named_only_where_one_is_asked(
    desk: Path, run: Run, make_zim: MakeZim, words: tuple[str, ...], named: str
) -> None:
    store_entry(Workspace(desk), make_zim(PAGES, name="desk/zims/small.zim"))
    result = run("kb", "verify", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Error: {named} of use only with --with-model: without it, no model is asked." in result.stderr


def test_rechecking_by_command_a_disputed_entry_tells_why(desk: Path, run: Run, make_zim: MakeZim) -> None:
    store_entry(Workspace(desk), make_zim(PAGES, name="desk/zims/small.zim"), claim="It opened in 1932.")
    (found,) = json.loads(run("kb", "verify", "--json").stdout)["disputed"]
    assert json.loads(run("kb", "show", "entry1", "--json").stdout)["status_reasons"] == found["reasons"]
    assert f"\nDisputed: {found['reasons'][0]}\n" in run("kb", "show", "entry1").stdout


def test_rechecking_by_command_says_that_the_workspace_is_busy_before_a_model(
    desk: Path, run: Run, make_zim: MakeZim
) -> None:
    store_entry(Workspace(desk), make_zim(PAGES, name="desk/zims/small.zim"))
    with Workspace(desk).locked("evolve"):
        result = run("kb", "verify", "--with-model", "--llm", "nowhere")
    assert result.exit_code == 1
    assert "Error: Another `drzero evolve` or `drzero kb verify` is at work in" in result.stderr


def test_rechecking_by_command_needs_a_knowledge_base_before_a_model(desk: Path, run: Run) -> None:
    result = run("kb", "verify", "--with-model", "--llm", "nowhere")
    assert result.exit_code == 1
    assert "There is no knowledge base" in result.stderr
    assert not (desk / "knowledge.db.lock").exists()

"""drzero.curating: an entry with all that a person needs to judge it, and what that person decides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drzero.curating import Context, Origin, around, review, show
from drzero.kb.schema import open_knowledge_base
from drzero.kb.stats import stats
from drzero.records import entry, topics
from drzero.types import Article, Section
from drzero.workspace import BusyError, Workspace
from tests.conftest import MakeZim, Run
from tests.samples import store_entry

PAGES = {
    "Bridge": "<html><body><h1>Bridge</h1><p>It was long planned. The old bridge opened in 1931. "
    "It spans the river Ouse.</p></body></html>"
}
TEXT = "One is first. Two is second. Three is third. Four is fourth."
ARTICLE = Article("z", "A", "A", (Section((), "Lead.", 0), Section(("Parts",), TEXT, 7)))


@pytest.fixture
def workspace(desk: Path) -> Workspace:
    (desk / "zims").mkdir(exist_ok=True)
    return Workspace(desk)


@pytest.mark.parametrize(
    ("quote", "before", "after"),
    [
        ("Two is second.", "One is first.", "Three is third."),
        ("is second", "One is first. Two", ". Three is third."),
        ("One is first.", "", "Two is second."),
        ("Four is fourth.", "Three is third.", ""),
        (TEXT, "", ""),
    ],
)
def test_curating_words_around_are_the_sentences_beside(quote: str, before: str, after: str) -> None:
    start = ARTICLE.text.index(quote)
    found = around(ARTICLE, start, start + len(quote), "eng")
    assert (found.before.strip(), found.after.strip(), found.fault) == (before, after, "")
    assert f"{found.before}{quote}{found.after}" in TEXT


def test_curating_shows_the_quote_in_its_archive(workspace: Workspace, make_zim: MakeZim) -> None:
    one = store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    shown = show(workspace, "entry")
    assert shown.entry == one
    assert shown.contexts == ((Context("It was long planned. The old bridge ", ". It spans the river Ouse."),),)
    assert shown.origin == Origin("", 0, 0, 0, 1.0, "")
    assert (shown.reviews, shown.history) == ((), ())


def test_curating_says_why_a_quote_is_not_read(workspace: Workspace, make_zim: MakeZim) -> None:
    archive = make_zim(PAGES, name="desk/zims/small.zim")
    store_entry(workspace, archive)
    archive.unlink()
    ((context,),) = show(workspace, "entry1").contexts
    assert (context.before, context.after) == ("", "")
    assert context.fault.endswith("is not here")


def test_curating_review_is_refused_while_entries_change(workspace: Workspace, make_zim: MakeZim) -> None:
    store_entry(workspace, make_zim(PAGES))
    with workspace.locked("evolve"), pytest.raises(BusyError):
        review(workspace, "entry1", "retire")
    assert not entry(workspace, "entry1").retired


# --- commands -------------------------------------------------------------------------------------------------------


def test_curating_commands_on_one_entry(run: Run, workspace: Workspace, make_zim: MakeZim) -> None:
    store_entry(workspace, make_zim(PAGES, name="desk/zims/small.zim"))
    text = run("kb", "show", "entry1").stdout
    assert "      It was long planned. The old bridge »opened in 1931«. It spans the river Ouse.\n" in text
    assert "Found 2026-01-01 in episode e1.\nAbout: Bridge\nid entry1\n" in text
    document = json.loads(run("kb", "show", "entry1", "--json").stdout)
    context = document["claims"][0]["citations"][0]["context"]
    assert context == {
        "before": "It was long planned. The old bridge ",
        "after": ". It spans the river Ouse.",
        "fault": "",
    }
    assert (document["topic"], document["retired"], document["reviews"]) == ("Bridge", False, [])
    assert run("kb", "topics").stdout.splitlines()[-1].split() == ["Bridge", "1", "0", "0", "2026-01-01"]
    assert json.loads(run("kb", "topics", "river", "--json").stdout) == []
    counts = json.loads(run("kb", "stats", "--json").stdout)
    assert (counts["entries"], counts["claims"], counts["citations"], counts["topics"]) == (1, 1, 1, 1)
    assert counts["by"]["status"] == {"current": 1}
    retired = run("kb", "review", "entry1", "--retire", "--reason", "No.", "--reviewer", "Ann")
    assert retired.stdout == "Entry entry1 is retired.\n"
    assert run("kb", "list").stdout == "There are no entries yet.\n"
    (gone,) = json.loads(run("kb", "list", "--retired", "--json").stdout)
    assert (gone["status"], gone["retired"], gone["status_reasons"]) == ("disputed", True, ["Ann retired it.", "No."])
    assert (
        f"Retired on {show(workspace, 'entry1').reviews[0].at[:10]} by Ann: No.\n" in run("kb", "show", "entry1").stdout
    )
    assert json.loads(run("kb", "review", "entry1", "--correct", "In 1931.", "--json").stdout)["text"] == "In 1931."
    assert entry(workspace, "entry1").answer == "In 1931."
    with open_knowledge_base(workspace.database) as db:
        assert stats(db).reviews == (("correct", 1), ("retire", 1))
    assert [topic.entries for topic in topics(workspace)] == [1]


def test_curating_list_takes_filters(run: Run, workspace: Workspace, make_zim: MakeZim) -> None:
    store_entry(workspace, make_zim(PAGES))
    for words in (
        ("--topic", "bridge"), ("--type", "factual"), ("--level", "easy"), ("--profile", "wikipedia"),
        ("--status", "current"), ("--since", "2026-01-01"),
    ):  # fmt: skip
        assert len(json.loads(run("kb", "list", *words, "--json").stdout)) == 1
    for words in (
        ("--topic", "tunnel"), ("--type", "causal"), ("--level", "hard"), ("--profile", "coding"),
        ("--status", "stale"), ("--since", "2026-01-02"), ("--retired",),
    ):  # fmt: skip
        assert run("kb", "list", *words).stdout == "No entry is so.\n"
    wrong = run("kb", "list", "--since", "yesterday")
    assert wrong.exit_code == 2
    assert "yesterday is no date: write it as 2026-01-31." in " ".join(wrong.stderr.split())


@pytest.mark.parametrize("words", [(), ("--accept", "--retire"), ("--retire", "--correct", "x")])
def test_curating_review_takes_one_decision(run: Run, workspace: Workspace, words: tuple[str, ...]) -> None:
    result = run("kb", "review", "entry1", *words)
    assert result.exit_code == 2
    assert "Say one of --accept, --correct TEXT and --retire." in result.stderr

"""Entries, what reading them again found, and episodes, as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drzero import listings
from drzero.loop.metrics import METRIC_NAMES, METRIC_VERSION
from drzero.loop.replay import Difference, Replay
from drzero.results import Merged, Recheck, RunRecord
from drzero.types import EpisodeSummary, Event, Run, SeedVitals
from tests.samples import CLAIM, SUPPORTED, make_entry, make_episode

ENTRY = make_entry(answer=CLAIM.text, claims=(CLAIM,), judgements=(SUPPORTED,))
WHEN = "2026-01-02T03:04:05+00:00"
SUMMARY = EpisodeSummary(
    "e2", "r1", 1, 0, "", "causal", "easy", "wikipedia", "invalid", "no-proposal", (0.0,) * 14, WHEN
)


# --- entries --------------------------------------------------------------------------------------------------------


def test_listings_entries_are_a_table_of_their_questions() -> None:
    assert listings.entries_text(
        [ENTRY, replace(ENTRY, id="n2", status="disputed", question="Is it?")]
    ).splitlines() == [
        "id  status    level  type     question",
        "--  --------  -----  -------  ------------------------------------------------",
        "n1  current   easy   factual  What compound does table salt mainly consist of?",
        "n2  disputed  easy   factual  Is it?",
    ]
    assert listings.found_text([ENTRY]) == listings.entries_text([ENTRY])
    assert listings.entries_text([]) == "There are no entries yet."
    assert listings.found_text([]) == "No entry has these words."
    assert listings.chosen_text([]) == "No entry is so."
    assert " retired " in listings.entries_text([replace(ENTRY, retired=True, status="disputed")])


def test_listings_an_entry_is_shown_with_the_words_that_support_it() -> None:
    assert listings.entry_text(ENTRY).splitlines() == [
        "What compound does table salt mainly consist of?",
        "",
        "Table salt consists mainly of sodium chloride.",
        "",
        "- Table salt consists mainly of sodium chloride.",
        "  supported (probability 0.90)",
        "  The source says so.",
        "  [1] Salt › Chemistry › Make-up  (kitchen: A/Salt & pepper#1)",
        "      “Table salt consists mainly of sodium chloride.”",
        "",
        "wikipedia, factual, easy, current; overall 0.95 (accuracy 0.90, completeness 1.00, relevance 1.00)",
        f"id n1, episode e1, {WHEN}",
        "Archives:",
        "  kitchen, 2026-01 (zim-1)",
    ]
    assert listings.entry_text(replace(ENTRY, archives=())).endswith(f"id n1, episode e1, {WHEN}")
    assert listings.entry_text(replace(ENTRY, archives=(("zim-1", "kitchen", ""),))).endswith("\n  kitchen (zim-1)")


@pytest.mark.parametrize(
    ("status", "reasons", "line"),
    [
        ("disputed", ("It does not state 5.", "It denies."), "Disputed: It does not state 5. It denies."),
        ("stale", ("A/a\x07 is no longer in kitchen",), "Stale: A/a\\x07 is no longer in kitchen"),
    ],
)
def test_listings_an_entry_tells_why_it_is_not_current(status: str, reasons: tuple[str, ...], line: str) -> None:
    lines = listings.entry_text(replace(ENTRY, status=status, status_reasons=reasons)).splitlines()  # type: ignore[arg-type]
    assert lines[10].startswith(f"wikipedia, factual, easy, {status}; overall 0.95")
    assert lines[11:13] == [line, f"id n1, episode e1, {WHEN}"]


def test_listings_an_entry_disputed_without_a_reason_has_no_line_for_it() -> None:
    marked = listings.entry_text(replace(ENTRY, status="disputed"))
    assert marked == listings.entry_text(ENTRY).replace("easy, current;", "easy, disputed;")


# --- reading them again ---------------------------------------------------------------------------------------------


def test_listings_reading_again_says_what_no_longer_holds_and_why() -> None:
    disputed = (("e1", ("One.", "Two.")), ("e4", ()))
    result = Recheck(5, 1234, (("e3", "a\x07 is no longer in small"),), 4, 2, disputed, ("e2",))
    assert listings.recheck_text(result).splitlines() == [
        "Read again: citations 1,234, entries 5; stale: 1.",
        "- e3: a\\x07 is no longer in small",
        "Judged again with the model: entries 2; disputed: 2.",
        "- e1: One. Two.",
        "- e4: it was marked so.",
        "The model could not tell: e2.",
    ]


def test_listings_reading_again_without_a_model_says_so() -> None:
    assert listings.recheck_text(Recheck(2, 3, (), 2)).splitlines() == [
        "Read again: citations 3, entries 2; stale: 0.",
        "Judged again without a model: entries 2; disputed: 0.",
    ]


def test_listings_reading_again_says_what_is_away_what_people_decided_and_what_moved() -> None:
    result = Recheck(
        5, 9, (), 4, missing=(("e1", "a\x07 is away"),), kept=(("e2", "It says otherwise."),), carried=1,
        clashes=(("e3", "e4", "“A.” and “B.” cannot both be true."),),
    )  # fmt: skip
    assert listings.recheck_text(result).splitlines()[2:] == [
        "A person decided on these, and that stands: 1.",
        "- e2: It says otherwise.",
        "Nothing can be said of entries whose archives are not here: 1.",
        "- e1: a\\x07 is away",
        "New contradictions: 1.",
        "- e3 and e4: “A.” and “B.” cannot both be true.",
        "The words of 1 citation stand at another place now, as in a newer edition: "
        "`drzero kb verify --update` moves them there.",
    ]
    moved = listings.recheck_text(replace(result, carried=1200, moved=True)).splitlines()[-1]
    assert moved == "Moved to where the words stand now: 1,200 citations."


def test_listings_merging_says_what_came_in() -> None:
    assert listings.merged_text(Merged(1200, 2, 3, (("e1", "Two\x07 answers."),), 4, 5, 6, 7)).splitlines() == [
        "Entries: new 1,200, joined 2, replaced 3, disputed 1.",
        "- e1: Two\\x07 answers.",
        "Also new: episodes 4, runs 5, archives 6, reviews 7.",
    ]


# --- episodes -------------------------------------------------------------------------------------------------------


def test_listings_episodes_are_a_table_with_their_reasons() -> None:
    assert listings.episodes_text([SUMMARY, replace(SUMMARY, iteration=12, question="Why?")]).splitlines() == [
        "id  iteration  status   reason       level  type    question",
        "--  ---------  -------  -----------  -----  ------  --------",
        "e2          2  invalid  no-proposal  easy   causal",
        "e2         13  invalid  no-proposal  easy   causal  Why?",
    ]
    assert listings.episodes_text([]) == "There are no episodes yet."


def test_listings_an_episode_is_shown_from_question_to_metrics() -> None:
    lines = listings.episode_text(make_episode(run="r1")).splitlines()
    assert lines[:15] == [
        "Episode e1 of run r1, iteration 1",
        "accepted after 2.5 s",
        "",
        "Question:  What compound does table salt mainly consist of?",
        "Reference: sodium chloride",
        "",
        "Attempt 1: abstained, overall 0.00",
        "  (no answer)",
        "",
        "Attempt 2, the best: supported, overall 0.95",
        "- Table salt consists mainly of sodium chloride.",
        "  supported (probability 0.90)",
        "  The source says so.",
        "  [1] Salt › Chemistry › Make-up  (kitchen: A/Salt & pepper#1)",
        "      “Table salt consists mainly of sodium chloride.”",
    ]
    assert lines[15:24] == [
        "",
        "Proposals refused: near-copy 2, malformed 1",
        "",
        "stage     step        time",
        "--------  ----------  -----",
        "proposed  ask         1.2 s",
        "gated     answerable  0.5 s",
        "verified  entail      0.1 s",
        "and 1 more that took less than 0.05 s: -v shows every step.",
    ]
    assert lines[25].split() == [METRIC_VERSION, "value"]
    assert [line.split() for line in lines[27:30]] == [
        [METRIC_NAMES[0], "0.950"],
        [METRIC_NAMES[1], "1.000"],
        [METRIC_NAMES[2], "0.500"],
    ]
    assert len(lines) == 27 + len(METRIC_NAMES)


def test_listings_steps_of_one_kind_that_follow_each_other_are_one_line() -> None:
    search, entail = make_episode().steps[2:]
    steps = (search, *[replace(entail, elapsed_s=0.5)] * 1200, search, search)
    lines = listings.episode_text(make_episode(steps=steps), every_step=True).splitlines()
    at = lines.index("stage     step           time")
    assert lines[at + 2 : at + 5] == [
        "solved    search         0.0 s",
        "verified  entail ×1,200  10 min 00 s",
        "solved    search ×2      0.0 s",
    ]
    shown = listings.episode_text(make_episode(steps=steps)).splitlines()
    assert shown[at + 2 : at + 4] == [
        "verified  entail ×1,200  10 min 00 s",
        "and 3 more that took less than 0.05 s: -v shows every step.",
    ]


def test_listings_an_episode_of_quick_steps_alone_counts_them() -> None:
    steps = tuple(replace(step, elapsed_s=0.0) for step in make_episode().steps)
    lines = listings.episode_text(make_episode(steps=steps)).splitlines()
    assert "All 4 steps took less than 0.05 s: -v shows them." in lines
    assert not any(line.startswith("stage") for line in lines)
    assert not any("-v" in line for line in listings.episode_text(make_episode(steps=())).splitlines())


def test_listings_an_episode_without_a_challenge_tells_its_reason() -> None:
    failed = make_episode(status="invalid", reason="no-seed", challenge=None, attempts=(), best=-1, rejections=())
    lines = listings.episode_text(failed).splitlines()
    assert lines[1:3] == [
        "invalid: no-seed after 2.5 s",
        "(no passage that was drawn has anything to ask of the types wanted)",
    ]
    assert lines[3:5] == ["", "stage     step        time"]
    assert not any(line.startswith(("Question", "Attempt", "Proposals")) for line in lines)


# --- replays --------------------------------------------------------------------------------------------------------


def test_listings_a_replay_that_came_out_the_same_is_one_line() -> None:
    same = Replay("e1", "accepted", "whole", 1234, ())
    assert listings.replays_text([same]) == "e1 accepted, steps 1,234: came out the same."
    assert listings.replays_text([same, same]).splitlines()[-1] == "Episodes 2, the same 2."
    assert listings.replays_text([]) == "The run has no episodes yet."


def test_listings_a_replay_tells_what_differs_cut_to_a_line_each() -> None:
    found = (
        Difference("status", "accepted", "quarantined"),
        Difference("reason", "", "wrong"),
        Difference("metrics[1]", 1.0, 0.0),
        Difference("steps[4] complete.output.text", "a\nb " + "long " * 40, None),
    )
    older = Replay("e1", "accepted", "attempts", 7, found, "Its record is old.")
    lines = listings.replays_text([older, replace(older, episode="e2", differences=found[:1])]).splitlines()
    assert lines == [
        "e1 accepted, steps 7: 4 things differ.",
        "  status: accepted → quarantined",
        "  reason: nothing → wrong",
        "  metrics[1]: 1.0 → 0.0",
        f"  steps[4] complete.output.text: a\\nb {'long ' * 10}long… → None",
        "e2 accepted, steps 7: 1 thing differs.",
        "  status: accepted → quarantined",
        "Its record is old.",
        "Episodes 2, the same 0.",
    ]


def test_listings_a_replay_with_many_differences_shows_the_first() -> None:
    found = tuple(Difference(f"metrics[{i}]", 0.0, 1.0) for i in range(1020))
    lines = listings.replays_text([Replay("e1", "accepted", "whole", 7, found)]).splitlines()
    assert lines[0] == "e1 accepted, steps 7: 1,020 things differ."
    assert lines[20:] == ["  metrics[19]: 0.0 → 1.0", "  … and 1,000 more; --json tells all."]


# --- runs -----------------------------------------------------------------------------------------------------------

RUN = Run("r1", "coding", 7, {}, 10, 3, "interrupted", WHEN, WHEN)
EVENTS = (
    Event("r1", 0, "iteration", "3 of 10 challenges gave an entry."),
    Event("r1", 1, "nothing-new", "This iteration brought no new entry."),
)


def test_listings_runs_are_a_table_and_a_single_one_tells_more() -> None:
    record = RunRecord(RUN, 30, 3, (), EVENTS)
    shown = [
        "run  status       iterations  episodes  accepted  profile  begun",
        "---  -----------  ----------  --------  --------  -------  -------------------------",
        f"r1   interrupted  3 of 10           30         3  coding   {WHEN}",
    ]
    assert listings.runs_text([record]).splitlines() == [
        *shown,
        "",
        "Iteration 2: This iteration brought no new entry.",
    ]
    assert listings.runs_text([replace(record, events=())]).splitlines() == shown
    assert len(listings.runs_text([record, record]).splitlines()) == 4
    assert listings.runs_text([]) == "There are no runs yet."


def test_listings_a_run_tells_of_the_articles_it_used_most() -> None:
    seeds = tuple(SeedVitals("z", f"Page_{n}", 12 - n, 1, 2, 1, "wrong" if n else "") for n in range(12))
    assert listings.runs_text([RunRecord(RUN, 30, 3, seeds, ())]).splitlines()[3:7] == [
        "",
        "article  proposals  repeats  challenges  accepted  last refusal",
        "-------  ---------  -------  ----------  --------  ------------",
        "Page_0          12        1           2         1",
    ]
    assert listings.runs_text([RunRecord(RUN, 30, 3, seeds, ())]).endswith("wrong\nand 2 more articles")

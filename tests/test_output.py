"""Results as text and as JSON documents."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drzero import documents, output
from drzero.config import Settings
from drzero.doctor import Check
from drzero.loop.metrics import METRIC_NAMES
from drzero.results import AskResult, Estimate, EvolveOptions, EvolveResult, Merged, Recheck, SearchResult
from drzero.types import (
    Answer,
    Attempt,
    BuildReport,
    Challenge,
    Chunk,
    Citation,
    Claim,
    Entry,
    Episode,
    EpisodeSummary,
    Evaluation,
    Event,
    Judgement,
    Passage,
    Progress,
    Step,
    Update,
    Verdict,
)

CHUNK = Chunk("c1", "z1", "Bridge", "Bridge", ("History",), "It opened in 1931.", 10, 28)
PASSAGE = Passage(CHUNK, 0.5, 1, "small")
CITATION = Citation(1, "small", "z1", "Bridge", "Bridge", ("History",), "c1", "opened in 1931", 13, 27)
CLAIM = Claim("The bridge opened in 1931.", (CITATION,))
GOOD = Judgement("supported", 0.91234, ())
WHEN = "2026-01-01T00:00:00+00:00"
ENTRY = Entry(
    "e1", "When did the bridge open?", "The bridge opened in 1931.", "temporal", "easy", "wikipedia", (CLAIM,), (GOOD,),
    (("accuracy", 1.0),), 0.9, "current", "ep1", WHEN, (("z1", "small", "2025-06"),), "scripted",
)  # fmt: skip
EPISODE = Episode(
    id="ep1", run="r1", iteration=0, number=2, seed=7, profile="wikipedia", type="temporal", level="easy",
    status="accepted", reason="",
    challenge=Challenge("ch1", "When did the bridge open?", "1931", "temporal", "easy", "wikipedia",
                        (CHUNK,), "It opened in 1931."),
    attempts=(Attempt(
        Answer("The bridge opened in 1931.", (CLAIM,), 0.8), Verdict((GOOD,), "supported"),
        Evaluation((("accuracy", 1.0),), 0.9, "well done"), (PASSAGE,), ("bridge open",), 2, True, 7,
    ),),
    best=0, base_score=0.0, difficulty=0.5, noise_tolerance=1.0, gate_passed=True, rejections=(("short", 2),),
    metrics=tuple(i / 14 for i in range(14)), steps=(Step("proposed", "write", {"a": 1}, "x", 1.25),),
    models=(("writer", "scripted"),), elapsed_s=12.0, created_at=WHEN,
)  # fmt: skip
SUMMARY = EpisodeSummary(
    "ep2", "r1", 1, 0, "", "causal", "easy", "wikipedia", "invalid", "no-proposal", (0.0,) * 14, WHEN
)


# --- documents ------------------------------------------------------------------------------------------------------


def test_output_report_document_has_a_reason_only_when_there_is_one() -> None:
    report = BuildReport(
        "a",
        "z",
        "html",
        "built",
        3,
        1,
        9,
        (("image", 2),),
        ("x",),
        0,
        1.23456,
        (("read", 0.5),),
        doubtful=1,
        marked=(("stub", 2),),
        entries=7,
        crowding=(("x", 8),),
    )
    assert documents.reports_json([report]) == [
        {
            "index": "a",
            "zim_id": "z",
            "kind": "html",
            "status": "built",
            "articles": 3,
            "aliases": 1,
            "chunks": 9,
            "skipped": {"image": 2},
            "unreadable": ["x"],
            "truncated_chunks": 0,
            "elapsed_s": 1.235,
            "stages_s": {"read": 0.5},
            "doubtful": 1,
            "marked": {"stub": 2},
            "entries": 7,
            "crowding": {"x": 8},
        }
    ]
    assert documents.report_json(BuildReport("a", "", "", "failed", reason="Gone."))["reason"] == "Gone."
    changed = documents.report_json(
        BuildReport("a", "", "", "built", update=Update(7, 2, 4, 3, 1, 0, "y"), notes=("N.",))
    )
    assert changed["notes"] == ["N."]
    assert changed["update"] == {
        "chunks_kept": 7,
        "chunks_new": 2,
        "chunks_gone": 4,
        "articles_added": 3,
        "articles_changed": 1,
        "articles_removed": 0,
        "former_zim_id": "y",
    }


def test_output_search_document() -> None:
    assert documents.search_json(SearchResult("q", (PASSAGE,), 12.3456)) == {
        "query": "q",
        "hits": [
            {
                "rank": 1,
                "score": 0.5,
                "index": "small",
                "zim_id": "z1",
                "path": "Bridge",
                "title": "Bridge",
                "heading": ["History"],
                "text": "It opened in 1931.",
                "start": 10,
                "end": 28,
                "chunk_id": "c1",
            }
        ],
        "elapsed_ms": 12.35,
    }


def test_output_claims_document_is_the_same_for_answers_and_entries() -> None:
    claims = [
        {
            "text": "The bridge opened in 1931.",
            "verdict": "supported",
            "probability": 0.9123,
            "reasons": [],
            "citations": [
                {
                    "n": 1,
                    "index": "small",
                    "zim_id": "z1",
                    "path": "Bridge",
                    "title": "Bridge",
                    "heading": ["History"],
                    "chunk_id": "c1",
                    "quote": "opened in 1931",
                    "start": 13,
                    "end": 27,
                }
            ],
        }
    ]
    answer = AskResult("q", "supported", "a", (CLAIM,), (GOOD,), (PASSAGE,), 1.0, "e1")
    assert documents.ask_json(answer)["claims"] == claims
    entry = documents.entry_json(ENTRY)
    assert entry["claims"] == claims
    assert (entry["scores"], entry["status"], entry["episode_id"]) == ({"accuracy": 1.0}, "current", "ep1")
    assert entry["status_reasons"] == []
    assert list(entry)[9:11] == ["status", "status_reasons"]
    disputed = replace(ENTRY, status="disputed", status_reasons=("One.", "Two."))
    assert documents.entry_json(disputed)["status_reasons"] == ["One.", "Two."]
    assert entry["archives"] == [{"zim_id": "z1", "name": "small", "date": "2025-06"}]


def test_output_episode_documents() -> None:
    listed = documents.episode_json(SUMMARY)
    assert list(listed)[:11] == [
        "id", "run", "iteration", "question", "type", "level", "profile", "status", "reason", "metrics",
        "metric_version",
    ]  # fmt: skip
    assert (listed["question"], listed["metric_version"]) == ("", "ssp.v1")
    assert listed["metrics"] == dict.fromkeys(METRIC_NAMES, 0.0)
    shown = documents.trace_json(EPISODE)
    assert shown.keys() > listed.keys()
    assert shown.keys() >= {"seed", "steps", "attempts", "best", "base_score", "difficulty", "gate_passed", "elapsed_s"}
    assert (shown["question"], shown["challenge"]["answer"]) == ("When did the bridge open?", "1931")
    assert shown["metrics"]["ssp.verified"] == 1 / 14
    assert (shown["models"], shown["rejections"]) == ({"writer": "scripted"}, {"short": 2})
    assert shown["attempts"][0]["claims"][0]["verdict"] == "supported"
    assert shown["attempts"][0]["passages"][0]["chunk_id"] == "c1"
    assert shown["steps"][0]["inputs"] == {"a": 1}


def test_output_doctor_and_recheck_documents() -> None:
    checks = (Check("python", "ok", "3.11"), Check("writer", "missing", "not here", "run `x`"))
    assert documents.checks_json(checks)["ready"] is False
    assert documents.checks_json(checks[:1]) == {
        "ready": True,
        "checks": [{"name": "python", "state": "ok", "detail": "3.11", "remedy": ""}],
    }
    assert documents.recheck_json(Recheck(2, 3, (("e1", "gone"),))) == {
        "entries": 2,
        "citations": 3,
        "stale": [{"id": "e1", "reason": "gone"}],
        "checked": 0,
        "judged": 0,
        "disputed": [],
        "unchecked": [],
        "missing": [],
        "kept": [],
        "carried": 0,
        "moved": False,
        "clashes": [],
    }
    more = Recheck(2, 3, (), 2, 1, (("e1", ("One.", "Two.")),), ("e2",), (("e3", "away"),), (("e4", "gone"),), 5, True)
    assert documents.recheck_json(replace(more, clashes=(("e1", "e2", "Both."),))) == {
        "entries": 2,
        "citations": 3,
        "stale": [],
        "checked": 2,
        "judged": 1,
        "disputed": [{"id": "e1", "reasons": ["One.", "Two."]}],
        "unchecked": ["e2"],
        "missing": [{"id": "e3", "reason": "away"}],
        "kept": [{"id": "e4", "reason": "gone"}],
        "carried": 5,
        "moved": True,
        "clashes": [{"ids": ["e1", "e2"], "reason": "Both."}],
    }


def test_output_merged_document() -> None:
    assert documents.merged_json(Merged(1, 2, 3, (("e1", "Two answers."),), 4, 5, 6, 7)) == {
        "entries": 1,
        "joined": 2,
        "replaced": 3,
        "disputed": [{"id": "e1", "reason": "Two answers."}],
        "episodes": 4,
        "runs": 5,
        "archives": 6,
        "reviews": 7,
    }


# --- text -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "text"),
    [(7, "7 bytes"), (1500, "1.5 kB"), (117_000, "117 kB"), (1_117_320_768, "1.1 GB"), (5e12, "5000 GB")],
)
def test_output_size(count: int, text: str) -> None:
    assert output.size(count) == text


def test_output_table_aligns_wide_letters_and_numbers() -> None:
    assert output.table(("name", "count"), [("橋", 1234), ("Café", 5)]) == (
        "name  count\n----  -----\n橋    1,234\nCafé      5"
    )
    assert output.table(("name",), [("ที่นี่",), ("हिन्दू",)]).splitlines()[1] == "----"  # marks take no column
    assert output.table(("name",), []) == ""
    assert output.table(("name",), [("a\nb\u202ec",)]) == "name\n----\na bc"


def test_output_progress_line() -> None:
    assert output.progress_line(Progress(0, 20, "articles", 0.0, 0.0)) == "0 of 20 articles (0%)"
    assert output.progress_line(Progress(3, 0, "entries", 1.0, 3.0)) == "3 entries, 3.0 entries/s"
    assert output.progress_line(Progress(1, 9, "episodes", 50.0, 0.02, "easy")) == (
        "easy: 1 of 9 episodes (11%), 50 s each, 6 min 40 s left"
    )
    assert output.progress_line(Progress(5_000_000, 10_000_000, "bytes", 5.0, 1_000_000.0)) == (
        "5.0 MB of 10 MB (50%), 1.0 MB/s, 5.0 s left"
    )


def test_output_shortened_is_one_line() -> None:
    assert output.shortened("a\nb", 10) == "a b"
    assert output.shortened("one two three", 9) == "one two…"


def test_output_build_text_counts_what_was_read_and_names_what_was_not() -> None:
    report = BuildReport(
        "a", "z", "html", "built", 3, 1, 9, (("image", 2), ("unreadable", 6)), tuple("bcdefg"), 0, 2.0, doubtful=1,
        marked=(("disambiguation", 1), ("stub", 2)),
        entries=1012, crowding=(("A/Birds", 7),),
    )  # fmt: skip
    assert output.reports_text([report]).splitlines() == [
        "index  status  kind  entries  articles  aliases  chunks  skipped  truncated  time",
        "-----  ------  ----  -------  --------  -------  ------  -------  ---------  -----",
        "a      built   html    1,012         3        1       9        8          0  2.0 s",
        "a skipped: image 2, unreadable 6",
        "a unreadable: b, c, d, e, f and 1 more",
        "a marked, found but never evidence: disambiguation 1, stub 2",
        "a crowded: 7 of 9 chunks are of A/Birds; --exclude leaves a page out",
        "a doubtful: 1 of its articles may hold wrong letters",
    ]
    update = Update(7, 2, 1234, 3, 1, 0, "y")
    changed = replace(report, update=update, notes=("Something was begun anew.",))
    assert output.reports_text([changed]).splitlines()[3:5] == [
        "a updated: articles 3 added, 1 changed, 0 removed; chunks 7 kept, 2 new, 1,234 gone",
        "Something was begun anew.",
    ]
    few = replace(report, skipped=(), unreadable=tuple("bcdef"), doubtful=0, marked=(), crowding=())
    assert output.reports_text([few]).splitlines()[3:] == ["a unreadable: b, c, d, e, f"]


SAMPLED = Estimate(
    "wiki", "z1", "mwoffliner", "planned", "eng", 6_123_456, 2_345_678, 9_876_543_210, 20_123_456, 18_000_400,
    22_000_900, 500_000.04, 400_000.0, 600_000.0, 412,
)  # fmt: skip
EXACT = Estimate(
    "small", "z2", "html", "planned", "fra", 12, 3, 4567, 8, 8, 8, 0.44, 0.32, 0.56, 12, exact=True
)  # fmt: skip
UNCHANGED = Estimate("old", "z3", "text", "unchanged", "", 20, 5, 0, 1234, 1234, 1234, exact=True)
FAILED = Estimate("bad", "", "", "failed", reason="bad.zim is damaged.")


def test_output_dry_run_text_shows_estimates_as_ranges_and_counts_as_counts() -> None:
    lines = output.estimates_text([SAMPLED, EXACT, UNCHANGED, FAILED]).splitlines()
    assert [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in [lines[0], *lines[2:6]]] == [
        ["index", "kind", "language", "entries", "articles", "characters", "chunks", "time to expect"],
        ["wiki", "mwoffliner", "eng", "6,123,456", "2,350,000", "9,880,000,000", "20,100,000 (18,000,000–22,000,000)",
         "138 h 53 min (111 h 06 min – 166 h 40 min)"],
        ["small", "html", "fra", "12", "3", "4,567", "8", "0.4 s (0.3 s – 0.6 s)"],
        ["old", "text", "20", "5", "1,234", "up to date"],
        ["bad", "0", "cannot be built"],
    ]  # fmt: skip


def test_output_dry_run_text_says_what_it_rests_on() -> None:
    assert output.estimates_text([EXACT, UNCHANGED]).splitlines()[-1] == (
        "Every entry was read: the counts are exact. The build would take about 0.4 s; nothing was written."
    )
    assert (
        output.estimates_text([SAMPLED, EXACT]).splitlines()[-1].startswith("Estimated from 412 of 6,123,456 entries.")
    )
    assert output.estimates_text([UNCHANGED, FAILED]).splitlines()[-1] == "There is nothing to do."
    assert output.estimates_text([FAILED]).splitlines()[-1] == "Nothing can be built."


def test_output_dry_run_document() -> None:
    sampled, failed = documents.estimates_json([SAMPLED, FAILED])
    assert sampled == {
        "index": "wiki",
        "zim_id": "z1",
        "kind": "mwoffliner",
        "status": "planned",
        "language": "eng",
        "entries": 6_123_456,
        "articles": 2_345_678,
        "characters": 9_876_543_210,
        "chunks": 20_123_456,
        "chunks_low": 18_000_400,
        "chunks_high": 22_000_900,
        "expected_s": 500_000.0,
        "expected_low_s": 400_000.0,
        "expected_high_s": 600_000.0,
        "sampled_entries": 412,
        "exact": False,
    }
    assert (failed["status"], failed["reason"]) == ("failed", "bad.zim is damaged.")


def test_output_search_text() -> None:
    assert output.search_text(SearchResult("q", (PASSAGE,), 1.0)) == (
        "[1] Bridge › History  (small: Bridge)\n    It opened in 1931."
    )
    assert output.search_text(SearchResult("q", (), 1.0)) == "Nothing was found."


def test_output_shows_paths_and_texts_without_signs_that_steer_a_terminal() -> None:
    chunk = replace(CHUNK, path="a\x1b[2J\nb", text="One\x9b\u202e.\r\nTwo.")
    assert output.search_text(SearchResult("q", (replace(PASSAGE, chunk=chunk),), 1.0)) == (
        "[1] Bridge › History  (small: a\\x1b[2J\\nb)\n    One.\n    Two."
    )
    claim = replace(CLAIM, citations=(replace(CITATION, path="a\x07"),))
    assert "(small: a\\x07)" in output.claims_text([claim], [GOOD])
    report = BuildReport("a", "z", "html", "built", unreadable=("b\x07",))
    assert output.reports_text([report]).splitlines()[-1] == "a unreadable: b\\x07"


@pytest.mark.parametrize(
    ("status", "first"),
    [("supported", "A."), ("partial", "Only part of this is supported."), ("unsupported", "This is not supported.")],
)
def test_output_ask_text_shows_the_words_that_support_it(status: str, first: str) -> None:
    result = AskResult("q", status, "A.", (CLAIM,), (GOOD,), (), 1.0, "e1")  # type: ignore[arg-type]
    text = output.ask_text(result)
    assert text.splitlines()[0] == first
    assert text.endswith(
        "- The bridge opened in 1931.\n"
        "  supported (probability 0.91)\n"
        "  [1] Bridge › History  (small: Bridge)\n"
        "      “opened in 1931”\n\n"
        "From the knowledge base: `drzero kb show e1`"
    )


def test_output_evolve_text_lists_reasons_by_count() -> None:
    events = (
        Event("r1", 0, "iteration", "1 of 5 challenges gave an entry."),
        Event("r1", 1, "nothing-new", "This iteration brought no new entry."),
    )
    rejected = (("ambiguous", 1), ("a", 1), ("not-found", 2))
    text = output.evolve_text(
        EvolveResult("r1", 1, 5, 1, rejected, "easy", 60.0, 1, stuck=("causal", "temporal"), events=events)
    )
    assert text.splitlines() == [
        "Run r1: 1 of 1 iteration, 5 episodes, 1 min 00 s.",
        "Accepted 1, not accepted 4; the level is now easy.",
        "Never accepted of late: causal, temporal.",
        "",
        "Iteration 2: This iteration brought no new entry.",
        "",
        "why not    count  meaning",
        "---------  -----  ------------------------------------------",
        "not-found      2  the solver found no answer in the archives",
        "a              1",
        "ambiguous      1  other passages give another answer",
    ]


@pytest.mark.parametrize(
    ("rejected", "topic", "llm", "ended", "said"),
    [
        (
            (("no-seed", 4),), "", "", "",
            "Nothing was accepted: no passage in these archives that was drawn has anything to ask of the types of the "
            "profile coding. What may help: another profile (--profile) or other archives (--index).",
        ),
        (
            (("no-seed", 4),), "tea", "none", "budget",
            "Nothing was accepted: no passage about “tea” that was drawn has anything to ask of the types of the "
            "profile coding. What may help: another profile (--profile), other archives (--index), another topic or a "
            "writer (--llm), which asks more than templates can.",
        ),
        (
            (("no-seed", 3), ("wrong", 1)), "", "", "",
            "Nothing was accepted in this run: more iterations, another topic or a stronger writer may help.",
        ),
        (
            (("wrong", 1),), "", "", "budget",
            "Nothing was accepted yet: more time, another topic or a stronger writer may help.",
        ),
        (
            (), "", "", "nothing-new",
            "Nothing was accepted in this run: more iterations, another topic or a stronger writer may help.",
        ),
    ],
)  # fmt: skip
def test_output_says_what_may_help_when_nothing_was_accepted(
    rejected: tuple[tuple[str, int], ...], topic: str, llm: str, ended: str, said: str
) -> None:
    events = (Event("r1", 0, "nothing-new", "Nothing."), *([Event("r1", 1, ended, "Over.")] if ended else []))
    result = EvolveResult("r1", 1, 5, 0, rejected, "easy", 60.0, 1, events=events)
    usual = Settings()
    models = replace(usual.models, llm=llm or usual.models.llm)
    settings = replace(usual, models=models, loop=replace(usual.loop, profile="coding"))
    assert output.nothing_accepted_note(result, EvolveOptions(topic=topic), settings) == said


def test_output_doctor_text_marks_what_is_missing() -> None:
    checks = (Check("python", "ok", "3.11"), Check("writer", "missing", "not here", "run `x`"))
    assert output.checks_text(checks) == "ok      python: 3.11\nMISSING writer: not here\n        → run `x`"


def test_output_status_text_says_what_is_wrong() -> None:
    status = {
        "workspace": "/w",
        "archives": [{"path": "a.zim", "fault": "a.zim is cut: fetch it again."}],
        "indexes": [{"index": "i", "fault": "i is odd: build it again."}],
        "half_built": ["j"],
        "models": [],
        "settings": {"min_probability": None},
        "calibrations": [
            {
                "judge": "deberta@12",
                "pairs": 1138,
                "made_at": WHEN,
                "threshold": 0.71,
                "precision": 0.95,
                "recall": 0.5,
            },
            {"fault": "calibration.json is odd: mend it."},
        ],
        "knowledge_base": {"entries": {"current": 1200}, "episodes": {}, "runs": {}},
        "curriculum": {
            "profile": "wikipedia",
            "level": "easy",
            "iterations": 2,
            "scores": [0.5, 1.0],
            "stuck": ["causal"],
        },
        "last_run": {
            "run": "r1",
            "status": "finished",
            "iterations": 2,
            "iterations_done": 2,
            "started_at": WHEN,
            "episodes": 8,
            "accepted": 3,
            "events": [{"iteration": 1, "reason": "This iteration brought no new entry."}],
        },
    }
    text = output.status_text(status)
    assert "a.zim    does not open" in text
    assert "j is half built: `drzero build-index` as before goes on with it." in text
    assert "\na.zim is cut: fetch it again.\n\ni is odd: build it again.\n" in text
    assert "Entries: 1,200 current. Episodes: none." in text
    fitted = f"The judge deberta@12 is believed from 0.710 on, fitted to 1,138 pairs on {WHEN[:10]}:"
    assert f"{fitted} precision 0.950 at recall 0.500.\n\ncalibration.json is odd: mend it.\n" in text
    assert "min_probability" not in text
    other = output.status_text(status | {"settings": {"min_probability": 0.6}})
    assert (
        "\n\nBut verify.min_probability is 0.6, which stands in place of the threshold of any calibration.\n\n" in other
    )
    assert "level easy, 2 iterations at it, recent scores 0.50, 1.00. Never accepted so far: causal." in text
    last = f"Last run r1: finished, 2 of 2 iterations, begun {WHEN}; 3 of 8 episodes accepted.\n"
    assert f"{last}- iteration 2: This iteration brought no new entry." in text

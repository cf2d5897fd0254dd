"""drzero.evolving: a whole run over a small index, interrupted and resumed."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from drzero import iterating
from drzero.answering import Workbench, answer_afresh, name_of_searches
from drzero.config import Settings
from drzero.corpus.zim import open_archive
from drzero.errors import LoopFault, ModelError
from drzero.evolving import run_loop
from drzero.judges import judge_of
from drzero.kb.disputes import disputes_of
from drzero.kb.entries import admit, list_entries
from drzero.kb.episodes import get_episode, list_episodes, load_curriculum, runs, save_curriculum
from drzero.kb.events import list_events, seed_vitals
from drzero.kb.schema import open_knowledge_base, rows
from drzero.loop.controller import REMEDIES, Action
from drzero.loop.extracting import Extractor
from drzero.loop.verbatim import VerbatimSignals
from drzero.profiles import load_profile
from drzero.results import EvolveOptions, EvolveResult
from drzero.retrieval.index import OpenIndex, open_index
from drzero.retrieval.sampling import Sampler
from drzero.retrieval.search import search
from drzero.types import LLM, Curriculum, Episode, Event, Passage, Prompt
from tests.conftest import MakeZim
from tests.fakes import ExtractiveLLM, HashEmbedder
from tests.made_index import index_archive
from tests.samples import BRIDGE_PAGES, BRIDGES, stated_entry

RECORDS = {
    "Modern Sounds": ("Ray Charles", "April 1962", "39:15", "ABC", "Sid Feller"),
    "Kind of Blue": ("Miles Davis", "August 1959", "45:44", "Columbia", "Irving Townsend"),
    "Blue Train": ("John Coltrane", "January 1958", "42:50", "Blue Note", "Alfred Lion"),
    "Time Out": ("Dave Brubeck", "December 1959", "38:30", "Columbia", "Teo Macero"),
}
RECORD_PAGES = {
    name.replace(" ", "_"): (
        name,
        f"<h1>{name}</h1><p>{name} is an album by {by}.</p><p>Studio album by {by}</p><p>Released: {released}</p>"
        f"<p>Length: {length}</p><p>Label: {label}</p><p>Producer: {producer}</p>",
        "text/html",
    )
    for name, (by, released, length, label, producer) in RECORDS.items()
}
WITHOUT_A_MODEL = judge_of(VerbatimSignals(), Settings())
SETTINGS = replace(Settings(), loop=replace(Settings().loop, iterations=2, challenges=4, attempts=2, proposals=3))


@pytest.fixture
def index(make_zim: MakeZim, tmp_path: Path) -> Iterator[OpenIndex]:
    index_archive(make_zim(BRIDGE_PAGES, name="bridges.zim"), tmp_path / "indexes" / "bridges")
    with open_index(tmp_path / "indexes" / "bridges") as opened:
        yield opened


def bench(index: OpenIndex, llm: LLM) -> Workbench:
    def retrieve(query: str, k: int) -> list[Passage]:
        return search([index], query, embedder=HashEmbedder(), k=k)

    return Workbench(llm, retrieve, (index,))


def run(
    db: Any,
    index: OpenIndex,
    llm: ExtractiveLLM,
    *,
    settings: Settings = SETTINGS,
    clock: Callable[[], float] = time.monotonic,
    **options: Any,
) -> EvolveResult:
    chosen, profile = EvolveOptions(seed=7, **options), load_profile("wikipedia")
    return run_loop(db, bench(index, llm), settings, chosen, profile=profile, progress=lambda _: None, clock=clock)


def with_loop(**changes: int) -> Settings:
    return replace(SETTINGS, loop=replace(SETTINGS.loop, **changes))


def plain(events: Sequence[Event]) -> list[Event]:
    """Events without what differs between two runs."""
    return [replace(event, run="", at="") for event in events]


def kinds(result: EvolveResult) -> list[tuple[int, str]]:
    return [(event.iteration, event.kind) for event in result.events if event.kind != "iteration"]


class Silent(ExtractiveLLM):
    """A writer who asks well and finds no answer in any passage, so that no question passes the gates."""

    def _copy(self, prompt: Prompt) -> str:
        return "Not found." if prompt.name.startswith("read/") else super()._copy(prompt)


class Failing(ExtractiveLLM):
    """A writer that raises at its first calls, `fails` of them, and then answers."""

    def __init__(self, fails: int) -> None:
        super().__init__()
        self.fails = fails

    def _copy(self, prompt: Prompt) -> str:
        self.fails -= 1
        if self.fails >= 0:
            raise RuntimeError("the writer broke")
        return super()._copy(prompt)


def timeless(episode: Episode) -> Episode:
    steps = tuple(replace(step, elapsed_s=0.0) for step in episode.steps)
    return replace(episode, id="", run="", steps=steps, elapsed_s=0.0, created_at="")


def stored(db: Any) -> list[Episode]:
    return [timeless(get_episode(db, one.id)) for one in list_episodes(db)]


def test_evolving_embeds_what_was_asked_once_and_not_at_each_start(index: OpenIndex, tmp_path: Path) -> None:
    batches: list[list[str]] = []

    def embed(texts: Sequence[str]) -> Any:
        batches.append(list(texts))
        return HashEmbedder().embed_queries(texts)

    def go(seed: int) -> set[str]:
        """Run one iteration; the questions whose vectors are kept after it."""
        run_loop(
            db, working, with_loop(iterations=1), EvolveOptions(seed=seed), profile=profile, progress=lambda _: None
        )
        return {row["question"] for row in rows(db, "select question from question_vectors where embedder = ?", named)}

    db = open_knowledge_base(tmp_path / "knowledge.db")
    profile, working = load_profile("wikipedia"), replace(bench(index, ExtractiveLLM()), embed=embed)
    named = (working.embedder,)
    assert working.embedder.startswith(index.manifest.embedder)
    first = go(7)
    assert len(first) >= 3
    batches.clear()
    assert go(8) > first
    assert not any(len(batch) > 1 and set(batch) & first for batch in batches)  # one alone is a proposal looked up
    db.close()


def test_evolving_searches_are_named_by_all_that_decides_them() -> None:
    names = [
        name_of_searches(["a"], "mini@1", "", 0),
        name_of_searches(["a", "b"], "mini@1", "", 0),
        name_of_searches(["another build"], "mini@1", "", 0),
        name_of_searches(["a"], "mini@2", "", 0),
        name_of_searches(["a"], "mini@1", "reader@1", 20),
        name_of_searches(["a"], "mini@1", "reader@1", 10),
    ]
    assert len(set(names)) == 6
    assert name_of_searches(["a"], "mini@1", "", 20) == names[0]  # nothing is read again


def test_evolving_stores_verified_entries_whose_quotes_stand_in_the_archive(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    result = run(db, index, ExtractiveLLM())
    assert (result.iterations, result.episodes) == (2, 8)
    assert result.accepted >= 3
    assert result.accepted + sum(count for _, count in result.rejected) == 8
    archive = open_archive(tmp_path / "bridges.zim")
    entries = list_entries(db)
    assert len(entries) == result.accepted
    for entry in entries:
        assert {judgement.verdict for judgement in entry.judgements} == {"supported"}
        for claim in entry.claims:
            for citation in claim.citations:
                article = archive.article(citation.path)
                assert article is not None
                assert article.text[citation.start : citation.end] == citation.quote
    assert len({entry.question for entry in entries}) == len(entries)
    assert runs(db)[0].status == "finished"


def test_evolving_an_entry_that_contradicts_another_is_disputed_at_once(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    known = [
        stated_entry(f"Entry {number}?", f"The {name} was built with 99 {of} by many workers.", zim_id="zim-2")
        for number, (name, of) in enumerate((name, told[3].split(" ", 1)[1]) for name, told in BRIDGES.items())
    ]
    for one in known:
        assert admit(db, one)
    run(db, index, ExtractiveLLM())
    entries = {one.id: one for one in list_entries(db)}
    built = [one for one in entries.values() if "built with" in one.answer and one.episode_id]
    assert built
    for one in built:
        (dispute,) = disputes_of(db, one.id)
        assert one.status == entries[dispute.other_id].status == "disputed"
        assert one.status_reasons == (f"Entry {dispute.other_id} has another number: “{dispute.other_claim}”",)
    others = [one for one in entries.values() if one.episode_id and one not in built]
    assert {one.status for one in others} <= {"current"}
    db.close()


@pytest.mark.parametrize("calls", [1, 10, 33])
def test_evolving_an_interrupted_run_ends_as_an_uninterrupted_one(index: OpenIndex, tmp_path: Path, calls: int) -> None:
    whole = open_knowledge_base(tmp_path / "whole.db")
    run(whole, index, ExtractiveLLM())
    db = open_knowledge_base(tmp_path / "knowledge.db")
    with pytest.raises(KeyboardInterrupt):
        run(db, index, ExtractiveLLM(calls_before_interrupt=calls))
    assert runs(db)[0].status == "interrupted"
    result = run(db, index, ExtractiveLLM())
    assert len(runs(db)) == 1
    assert result.episodes == 8
    assert stored(db) == stored(whole)
    (first,), (second,) = runs(whole), runs(db)
    assert plain(list_events(db, second.id)) == plain(list_events(whole, first.id))
    assert seed_vitals(db, second.id) == seed_vitals(whole, first.id)
    assert load_curriculum(db, "wikipedia") == load_curriculum(whole, "wikipedia")
    assert [replace(e, episode_id="", created_at="") for e in list_entries(db)] == [
        replace(e, episode_id="", created_at="") for e in list_entries(whole)
    ]


def test_evolving_a_new_run_asks_nothing_twice(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    run(db, index, ExtractiveLLM())
    run(db, index, ExtractiveLLM(), new_run=True)
    questions = Counter(one.question.casefold() for one in list_episodes(db) if one.question)
    assert set(questions.values()) == {1}
    assert len(runs(db)) == 2


def test_evolving_the_solver_never_sees_reference_or_gold(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    run(db, index, ExtractiveLLM())
    for one in list_episodes(db):
        episode = get_episode(db, one.id)
        if episode.challenge is None:
            continue
        retrieved = {chunk_id for step in episode.steps if step.name == "search" for _, chunk_id, _ in step.output}
        given = [step.inputs["content"] for step in episode.steps if step.stage == "solved" and step.name == "complete"]
        assert given
        for content in given:
            passages, _, question = content.rpartition("\n\nQuestion: ")
            assert question == episode.challenge.question
            shown = [chunk for chunk in index.chunks(range(index.count)) if chunk.text in passages]
            assert {chunk.id for chunk in shown} <= retrieved
            assert episode.challenge.gold[0].path not in content


def test_evolving_an_answer_from_memory_is_the_base_score(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    known = " ".join(f"The {name} was opened in {place} on {date}." for name, (place, date, _, _) in BRIDGES.items())
    run(db, index, ExtractiveLLM(memory=known))
    bases = [get_episode(db, one.id).base_score for one in list_episodes(db) if one.status == "accepted"]
    assert bases
    assert all(0.0 <= base <= 1.0 for base in bases)
    assert any(base > 0.0 for base in bases)


def test_evolving_without_a_model_templates_ask_and_the_archive_answers(make_zim: MakeZim, tmp_path: Path) -> None:
    """`--llm none`: the whole loop; what it stores is said in the archive's own words, and it is reproducible."""
    index_archive(make_zim(RECORD_PAGES, name="records.zim"), tmp_path / "indexes" / "records")
    with open_index(tmp_path / "indexes" / "records") as index:
        alone = replace(bench(index, Extractor()), judge=WITHOUT_A_MODEL, proposes=False)
        kept = []
        for name in ("one", "other"):
            db = open_knowledge_base(tmp_path / f"{name}.db")
            profile, chosen = load_profile("wikipedia"), EvolveOptions(seed=7)
            result = run_loop(db, alone, SETTINGS, chosen, profile=profile, progress=lambda _: None)
            kept.append([(entry.question, entry.answer) for entry in list_entries(db)])
            assert result.accepted >= 4
            episodes = [get_episode(db, one.id) for one in list_episodes(db)]
            assert {one.challenge.origin for one in episodes if one.challenge} == {"template"}
            assert {dict(one.models)["writer"] for one in episodes} == {"extractor-1"}
            assert {entry.model for entry in list_entries(db)} == {"extractor-1"}
        assert kept[0] == kept[1]


def test_evolving_a_topic_narrows_what_is_asked(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    run(db, index, ExtractiveLLM(), topic="Charles Bridge in Prague")
    assert runs(db)[0].settings["topic"] == "Charles Bridge in Prague"
    assert list_episodes(db)


def test_evolving_curriculum_goes_on_where_the_last_run_left_it(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    first = run(db, index, ExtractiveLLM())
    levels = [one.level for one in list_episodes(db)]
    assert levels[:4] == ["easy"] * 4
    assert first.level in ("easy", "medium", "hard")


# --- how a run steers itself ---


def test_evolving_tells_what_happened(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    result = run(db, index, ExtractiveLLM())
    rounds = [event for event in result.events if event.kind == "iteration"]
    assert [event.iteration for event in rounds] == [0, 1]
    assert sum(event.detail["accepted"] for event in rounds) == result.accepted
    assert sum(event.detail["episodes"] for event in rounds) == result.episodes == 8
    assert (result.iterations_done, result.stopped) == (2, "")
    assert [event.detail["level"] for event in rounds] == [one.level for one in list_episodes(db)][::4]
    assert list_events(db, result.run) == list(result.events)


def test_evolving_counts_how_it_fares_with_each_article(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    result = run(db, index, ExtractiveLLM())
    seen = seed_vitals(db, result.run)
    assert {one.path for one in seen} <= set(BRIDGE_PAGES)
    assert sum(one.accepted for one in seen) == result.accepted
    episodes = [get_episode(db, one.id) for one in list_episodes(db)]
    assert sum(one.challenges for one in seen) == sum(episode.challenge is not None for episode in episodes)
    refused = Counter[str]()
    for episode in episodes:
        refused.update(dict(episode.rejections))
    found = sum(episode.challenge is not None for episode in episodes)
    assert sum(one.proposals for one in seen) == refused.total() + found
    assert sum(one.copies for one in seen) == refused["near-copy"]


def test_evolving_a_round_without_a_new_entry_is_told_and_something_is_changed(
    index: OpenIndex, tmp_path: Path
) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    result = run(db, index, Silent(), settings=with_loop(iterations=6))
    assert result.accepted == 0
    happened = kinds(result)
    assert [number for number, kind in happened if kind == "nothing-new"] == [0, 1, 2, 3, 4, 5]
    changes = [kind for _, kind in happened if kind in REMEDIES]
    assert changes == ["change-type", "raise-level"]  # one after the other; what was refused once is a repeat
    assert happened[-4:] == [(3, "nothing-new"), (3, "stalled"), (4, "nothing-new"), (5, "nothing-new")]
    first = next(event for event in result.events if event.kind == changes[0])
    assert first.iteration == 1
    assert first.reason.startswith("2 iterations brought no new entry, ")
    assert result.stopped == ""
    assert runs(db)[0].iterations_done == 6


def test_evolving_a_type_that_rests_is_not_asked(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    asked: list[set[str]] = []
    original = iterating.choose_types

    def choose(*given: Any) -> tuple[str, ...]:
        chosen = original(*given)
        asked.append(set(chosen))
        return chosen

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(iterating, "choose_types", choose)
        result = run(db, index, Silent(), settings=with_loop(iterations=6))
    rested = [event for event in result.events if event.kind == "change-type"]
    assert rested
    for event in rested:
        for after in asked[event.iteration + 1 : event.iteration + 4]:
            assert event.detail["rests"] not in after


def test_evolving_until_stalled_ends_with_a_reason(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    settings = with_loop(iterations=40, challenges=2)
    result = run(db, index, Silent(), settings=settings, until_stalled=True)
    assert result.iterations_done < 12
    said = "iterations brought no new entry, and nothing is left to change: the run has stalled."
    assert result.stopped.endswith(said)
    assert kinds(result)[-1] == (result.iterations_done - 1, "stop")
    assert result.events[-1].reason == result.stopped
    assert (runs(db)[0].status, runs(db)[0].iterations_done) == ("finished", result.iterations_done)
    assert run(db, index, Silent(), settings=settings, until_stalled=True).run != result.run


@pytest.mark.parametrize("calls", [3, 20, 41])
def test_evolving_a_stalling_run_that_was_interrupted_acts_as_if_it_had_not_been(
    index: OpenIndex, tmp_path: Path, calls: int
) -> None:
    settings = with_loop(iterations=7, challenges=3)
    whole, db = open_knowledge_base(tmp_path / "whole.db"), open_knowledge_base(tmp_path / "knowledge.db")
    expected = run(whole, index, Silent(), settings=settings, topic="bridges")
    left = calls

    class Interrupted(Silent):
        def _copy(self, prompt: Prompt) -> str:
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
            return super()._copy(prompt)

    with pytest.raises(KeyboardInterrupt):
        run(db, index, Interrupted(), settings=settings, topic="bridges")
    result = run(db, index, Silent(), settings=settings, topic="bridges")
    assert stored(db) == stored(whole)
    assert plain(result.events) == plain(expected.events)
    assert {kind for _, kind in kinds(result)} & set(REMEDIES)


def test_evolving_a_topic_that_no_passage_has_a_word_of_is_told(
    index: OpenIndex, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = with_loop(iterations=1, challenges=1)
    for topic, told in (("bridges", 0), ("zzqqxx", 1)):
        run(open_knowledge_base(tmp_path / f"{topic}.db"), index, ExtractiveLLM(), settings=settings, topic=topic)
        assert caplog.text.count("No passage has a word of the topic “zzqqxx”") == told


def test_evolving_a_topic_is_widened_by_the_events(
    index: OpenIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools: list[int] = []

    def retrieve(query: str, k: int) -> list[Passage]:
        if query == "bridges":
            pools.append(k)
        return search([index], query, embedder=HashEmbedder(), k=k)

    monkeypatch.setattr(iterating, "decide", lambda *_: Action("widen-topic", "It is widened."))
    db = open_knowledge_base(tmp_path / "knowledge.db")
    run_loop(
        db,
        Workbench(ExtractiveLLM(), retrieve, (index,)),
        with_loop(iterations=3, challenges=1),
        EvolveOptions("bridges", seed=7),
        profile=load_profile("wikipedia"),
        progress=lambda _: None,
    )
    assert pools == [300, 1200, 4800]


def test_evolving_harder_levels_mix_in_more_distractors(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    save_curriculum(db, "wikipedia", Curriculum("expert"))
    equip = iterating.equipped
    given: list[int] = []

    def equipping(tools: Any, options: Any, *rest: Any) -> Any:
        given.append(options.distractors)
        return equip(tools, options, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(iterating, "equipped", equipping)
        run(db, index, ExtractiveLLM(), settings=with_loop(iterations=1, challenges=2))
        run(db, index, ExtractiveLLM(), settings=with_loop(iterations=1, challenges=1, distractors=0))
    assert given == [6, 6, 0]


# --- time ---


class Slow(ExtractiveLLM):
    """A writer that takes ten seconds for every text, on the clock `now_s`."""

    now_s = 0.0

    def _copy(self, prompt: Prompt) -> str:
        self.now_s += 10
        return super()._copy(prompt)


def test_evolving_begins_no_challenge_that_would_end_beyond_the_budget(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    llm = Slow()
    result = run(db, index, llm, clock=lambda: llm.now_s, budget_minutes=3)
    assert 1 < result.episodes < 8
    assert result.stopped.startswith("The 3 minutes given are nearly over (")
    assert result.stopped.endswith(" on average): the same command goes on with the run.")
    budget = result.events[-1]
    assert (budget.kind, budget.reason, budget.detail["episodes"]) == ("budget", result.stopped, result.episodes)
    mean_s = llm.now_s / result.episodes
    assert (budget.detail["spent_s"], budget.detail["mean_s"]) == (llm.now_s, pytest.approx(mean_s, abs=0.001))
    assert llm.now_s + mean_s > 180 > llm.now_s - mean_s
    assert runs(db)[0].status == "interrupted"
    on = run(db, index, ExtractiveLLM(), budget_minutes=60)
    assert (on.run, on.episodes, on.stopped, runs(db)[0].status) == (result.run, 8, "", "finished")
    whole = open_knowledge_base(tmp_path / "whole.db")
    run(whole, index, ExtractiveLLM())
    assert stored(db) == stored(whole)


def test_evolving_a_new_run_whose_time_is_over_goes_on_without_the_option(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    llm = Slow()
    result = run(db, index, llm, clock=lambda: llm.now_s, budget_minutes=3, new_run=True)
    assert result.stopped.endswith("the same command without --new-run goes on with the run.")
    assert run(db, index, ExtractiveLLM()).run == result.run


def test_evolving_says_seconds_as_a_person_does(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    llm = Slow()
    stopped = run(db, index, llm, clock=lambda: llm.now_s / 100, budget_minutes=0.01).stopped
    assert re.search(r"\([0-9]\.[0-9] s spent, [0-9]\.[0-9] s to a challenge on average\)", stopped), stopped


def test_evolving_a_budget_too_small_for_one_challenge_gives_one(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    for expected in (1, 2):
        assert run(db, index, ExtractiveLLM(), budget_minutes=1e-9).episodes == expected


# --- errors that nothing foresaw ---


def test_evolving_an_error_ends_a_challenge_and_not_the_run(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    result = run(db, index, Failing(2))
    assert result.episodes == 8
    assert result.accepted >= 3
    assert dict(result.rejected)["failure: RuntimeError"] == 2
    first = get_episode(db, list_episodes(db)[0].id)
    assert (first.status, first.reason, first.challenge, first.attempts) == (
        "invalid",
        "failure: RuntimeError",
        None,
        (),
    )
    assert len(first.metrics) == 14
    failures = [event for event in result.events if event.kind == "failure"]
    assert [(event.iteration, event.detail) for event in failures] == [(0, {"number": 0}), (0, {"number": 1})]
    assert failures[0].reason == "Challenge 1 was ended by an error: RuntimeError: the writer broke."
    state = load_curriculum(db, "wikipedia")
    assert state is not None
    assert sum(kind.tries for kind in state.types) == 6  # what failed says nothing of its type


def test_evolving_three_errors_in_a_row_stop_the_run(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    with pytest.raises(LoopFault) as caught:
        run(db, index, Failing(3))
    assert str(caught.value) == (
        "3 challenges in a row were ended by an error, the last of them by this one: RuntimeError: the writer broke. "
        "See `drzero doctor` for what may be broken, then run the same command to go on."
    )
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert (runs(db)[0].status, len(list_episodes(db))) == ("interrupted", 0)
    assert [event.kind for event in list_events(db, runs(db)[0].id)] == ["failure"] * 3
    result = run(db, index, ExtractiveLLM())
    whole = open_knowledge_base(tmp_path / "whole.db")
    run(whole, index, ExtractiveLLM())
    assert (len(runs(db)), result.episodes) == (1, 8)
    assert stored(db) == stored(whole)  # an outage that passed has cost no challenge


def test_evolving_an_error_before_a_challenge_ends_it_and_not_the_run(
    index: OpenIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, called = iterating.kb_entries.known_questions, 0

    def once(db: Any) -> list[str]:
        nonlocal called
        called += 1
        if called == 2:
            raise RuntimeError("the embedder broke")
        return original(db)

    monkeypatch.setattr(iterating.kb_entries, "known_questions", once)
    result = run(open_knowledge_base(tmp_path / "knowledge.db"), index, ExtractiveLLM())
    assert (result.episodes, dict(result.rejected)["failure: RuntimeError"]) == (8, 1)


def test_evolving_an_entry_that_must_not_get_in_ends_its_challenge_alone(
    index: OpenIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, made = iterating.make_entry, 0

    def unfit(*given: Any) -> Any:
        nonlocal made
        entry = original(*given)
        made += entry is not None
        return replace(entry, claims=()) if entry and made == 1 else entry

    monkeypatch.setattr(iterating, "make_entry", unfit)
    db = open_knowledge_base(tmp_path / "knowledge.db")
    result = run(db, index, ExtractiveLLM())
    assert (result.episodes, dict(result.rejected)["failure: not admitted"]) == (8, 1)
    assert len(list_entries(db)) == result.accepted >= 2


def test_evolving_accepted_are_those_that_gave_an_entry(
    index: OpenIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, first = iterating.make_entry, []

    def same(*given: Any) -> Any:
        entry = original(*given)
        if entry is not None:
            first.append(entry)
            return replace(entry, question=first[0].question, id=first[0].id)
        return None

    monkeypatch.setattr(iterating, "make_entry", same)
    db = open_knowledge_base(tmp_path / "knowledge.db")
    result = run(db, index, ExtractiveLLM())
    assert (result.accepted, len(list_entries(db))) == (1, 1)
    assert dict(result.rejected)["known-already"] == len(first) - 1 >= 1
    rounds = [event.detail["accepted"] for event in result.events if event.kind == "iteration"]
    assert sum(rounds) == 1


def test_evolving_a_run_goes_on_at_its_own_level_whatever_another_did(index: OpenIndex, tmp_path: Path) -> None:
    whole, db = open_knowledge_base(tmp_path / "whole.db"), open_knowledge_base(tmp_path / "knowledge.db")
    run(whole, index, ExtractiveLLM())
    with pytest.raises(KeyboardInterrupt):
        run(db, index, ExtractiveLLM(calls_before_interrupt=10))
    save_curriculum(db, "wikipedia", Curriculum(level="expert", scores=(0.1, 0.2)))  # what another run left
    run(db, index, ExtractiveLLM())
    assert stored(db) == stored(whole)
    assert load_curriculum(db, "wikipedia") == load_curriculum(whole, "wikipedia")


def test_evolving_a_run_that_was_stopped_does_not_go_on_after_a_kill(
    index: OpenIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(iterating, "decide", lambda *_: Action("stop", "It has stalled."))
    db = open_knowledge_base(tmp_path / "knowledge.db")
    closing = iterating.Loop.close
    with monkeypatch.context() as patch:
        patch.setattr(iterating.Loop, "close", lambda *given: (closing(*given), killed()))
        with pytest.raises(KeyboardInterrupt):
            run(db, index, ExtractiveLLM())
    assert (runs(db)[0].status, runs(db)[0].iterations_done) == ("finished", 1)
    run(db, index, ExtractiveLLM())
    assert [one.iterations_done for one in runs(db)] == [1, 1]


def test_evolving_errors_that_others_come_between_do_not_stop_it(
    index: OpenIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, called = iterating.run_episode, 0

    def stumbling(*given: Any) -> Episode:
        nonlocal called
        called += 1
        if called % 3:
            raise ModelError("The writer stumbled.")
        return original(*given)

    monkeypatch.setattr(iterating, "run_episode", stumbling)
    db = open_knowledge_base(tmp_path / "knowledge.db")
    result = run(db, index, ExtractiveLLM())
    assert (result.episodes, dict(result.rejected)["failure: ModelError"]) == (8, 6)
    failures = [event.reason for event in result.events if event.kind == "failure"]
    assert {reason.split(": ", 1)[1] for reason in failures} == {"The writer stumbled."}


def test_sampling_draws_articles_asked_least(index: OpenIndex) -> None:
    zim_id = index.manifest.archive.id
    asked = Counter({(zim_id, path): 5 for path in BRIDGE_PAGES if path != "Charles_Bridge"})
    drawn = Counter(Sampler([index], asked)(Random(number)).path for number in range(60))
    assert drawn.most_common(1)[0][0] == "Charles_Bridge"
    assert Sampler([index], asked)(Random(3)) == Sampler([index], asked)(Random(3))
    pool = index.chunks_of("Forth_Bridge")
    assert {Sampler([index], asked, pool)(Random(number)).path for number in range(9)} == {"Forth_Bridge"}


def test_answering_a_question_from_the_archive_is_cited(index: OpenIndex) -> None:
    result = answer_afresh(
        bench(index, ExtractiveLLM()), SETTINGS, "When was the Forth Bridge opened in Scotland?", code=False
    )
    assert result.status == "supported"
    (claim,) = result.claims
    assert claim.citations[0].path == "Forth_Bridge"
    assert "4 March 1890" in claim.citations[0].quote


def test_answering_a_foreign_question_abstains_without_the_writer(index: OpenIndex) -> None:
    llm = ExtractiveLLM()
    result = answer_afresh(bench(index, llm), SETTINGS, "How do I compost kitchen scraps?", code=False)
    assert (result.status, result.claims) == ("abstained", ())
    assert llm.prompts == []

"""drzero.improving and drzero.comparing: what a knowledge base teaches, tried and tested on what was set aside."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero import comparing
from drzero.answering import Workbench
from drzero.comparing import Remembering, compare_learnt, measure_evolve
from drzero.config import Improve, Settings
from drzero.errors import DrZeroError, KnowledgeBaseError
from drzero.evolving import run_loop
from drzero.figures import comparison_text
from drzero.improving import LEAST_ANSWERS, Learner, desk_for, equipped, options_of
from drzero.judges import judge_of, signals_of_writer
from drzero.kb.entries import list_entries, set_entry_status
from drzero.kb.episodes import get_episode, list_episodes, runs, save_episode, solved_ids, start_run
from drzero.kb.improvements import Trial, list_trials, load_state, save_state, save_trial
from drzero.kb.schema import open_knowledge_base, rows
from drzero.loop import prompts
from drzero.loop.desk import Options, Tools
from drzero.loop.improving.searching import WEIGHTS, Search, Searched
from drzero.loop.improving.state import NOTHING, Improvement, part_of
from drzero.loop.improving.trust import Trust, Trusted
from drzero.profiles import load_profile
from drzero.results import CompareOptions, EvolveOptions
from drzero.retrieval.index import OpenIndex, open_index
from drzero.retrieval.search import TUNING, search
from drzero.types import Curriculum, Episode, Passage, Prompt
from drzero.workspace import Workspace
from tests.conftest import MakeZim, Run
from tests.fakes import ExtractiveLLM, HashEmbedder, ScriptedLLM
from tests.made_index import index_archive
from tests.samples import ATTEMPT, BRIDGE_PAGES, CHALLENGE, CHUNK, SILENT, make_entry, make_episode

PROFILE = load_profile("wikipedia")
LOOP = replace(Settings().loop, iterations=3, challenges=4, attempts=2, proposals=3)
SETTINGS = replace(Settings(), loop=LOOP, improve=Improve(examples=1, trials=2, held_out=3))


SIGHTS = {
    "Skellig Abbey": "The cloister of Skellig Abbey was carved by Brother Finan from 3,100 blocks of slate.",
    "Malin Lighthouse": "The lamp of Malin Lighthouse was lit by George Halpin for sailors off Inishowen.",
    "Tarr Steps": "The clapper stones of Tarr Steps carried 17 packhorses over the river Barle each market day.",
    "Ironbridge Forge": "The furnace of Ironbridge Forge smelted 4,200 ingots for Abraham Darby every summer.",
    "Bodmin Gaol": "The warden of Bodmin Gaol hired Sir John Call as its surveyor and 60 masons from Truro.",
    "Mundesley Mill": "The sails of Mundesley Mill ground barley for Elizabeth Gurney and 9 farms at Paston.",
    "Whitby Harbour": "The piers of Whitby Harbour sheltered 230 whaling ships under Captain William Scoresby.",
}
PAGES = BRIDGE_PAGES | {
    name.replace(" ", "_"): (name, f"<h1>{name}</h1><p>{sentence}</p>", "text/html")
    for name, sentence in SIGHTS.items()
}


@pytest.fixture
def index(make_zim: MakeZim, tmp_path: Path) -> Iterator[OpenIndex]:
    index_archive(make_zim(PAGES, name="sights.zim"), tmp_path / "indexes" / "sights")
    with open_index(tmp_path / "indexes" / "sights") as opened:
        yield opened


def bench(index: OpenIndex, llm: ExtractiveLLM | None = None) -> Workbench:
    embedder = HashEmbedder()

    def find(query: str, k: int, weight: float) -> list[Passage]:
        return search([index], query, embedder=embedder, k=k, tuning=replace(TUNING, lexical_weight=weight))

    return Workbench(llm or ExtractiveLLM(), lambda query, k: find(query, k, 0.7), (index,), find=find)


def run(db: Any, index: OpenIndex, llm: ExtractiveLLM | None = None, settings: Settings = SETTINGS) -> Any:
    options = EvolveOptions(seed=7)
    return run_loop(db, bench(index, llm), settings, options, profile=PROFILE, progress=lambda _: None)


def learner(db: Any, settings: Improve = SETTINGS.improve, find: Any = None, writer: str = "scripted") -> Learner:
    return Learner(db, settings, profile=PROFILE, writer=writer, archives=frozenset({"zim-1"}), find=find)


def made(number: int, *, part: str = "learn", one_in: int = 6, **changes: Any) -> Episode:
    """A hand-made episode whose challenge falls to `part`, with an article of its own."""
    id_ = next(f"q{number}-{n}" for n in range(200) if part_of(f"q{number}-{n}", one_in) == part)
    chunk = replace(CHUNK, id=f"c{number}", path=f"P{number}")
    challenge = replace(CHALLENGE, id=id_, question=f"What is number {number} made of?", gold=(chunk,))
    return make_episode(**{"id": f"e{number}", "number": number, "challenge": challenge} | changes)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Any]:
    opened = open_knowledge_base(tmp_path / "knowledge.db")
    yield opened
    opened.close()


def fill(db: Any, episodes: Sequence[Episode], *, entries: bool = True) -> None:
    for one in episodes:
        question = one.challenge.question if one.challenge else ""
        entry = make_entry(id=f"n{one.id}", question=question, episode_id=one.id)
        save_episode(db, one, entry if entries and one.status == "accepted" else None)


# --- examples -------------------------------------------------------------------------------------------------------


def test_improving_lessons_are_current_entries_that_were_not_set_aside(db: Any) -> None:
    fill(db, [made(1), made(2, part="try"), made(3, part="test"), made(4), made(5, status="quarantined"), made(6)])
    set_entry_status(db, "ne4", "disputed", ["The archive says otherwise."])
    state = learner(db, Improve(held_out=6, examples=1)).learn()
    assert [one.id for one in state.lessons] == ["e1", "e6"]
    assert learner(db, Improve(held_out=6, examples=0)).learn().lessons == ()


def test_improving_sets_aside_what_reached_the_solver_accepted_or_not(db: Any) -> None:
    aside = [made(1, part="test"), made(2, part="test", status="quarantined"), made(3, part="try")]
    other = made(4, part="test", status="rejected")
    foreign = made(5, part="test")
    foreign = replace(foreign, challenge=replace(foreign.challenge, gold=(replace(CHUNK, zim_id="zim-9"),)))  # type: ignore[type-var]
    unknown = made(6, part="test")
    unknown = replace(unknown, challenge=replace(unknown.challenge, type="riddle"))  # type: ignore[type-var]
    fill(db, [*aside, other, foreign, unknown], entries=False)
    found = learner(db, Improve(held_out=6))
    assert {one.status for one in found.set_aside("test")} == {"accepted", "quarantined"}
    assert len(found.set_aside("test")) == 2
    assert [one.challenge.id for one in found.set_aside("try")] == [aside[2].challenge.id]  # type: ignore[union-attr]


# --- confidence -----------------------------------------------------------------------------------------------------


def answered(number: int, confidence: float, right: bool, part: str) -> Episode:
    attempt = replace(ATTEMPT, answer=replace(ATTEMPT.answer, confidence=confidence), right=right)
    status = "accepted" if right else "quarantined"
    return made(number, part=part, attempts=(attempt, SILENT), best=0, status=status)


def boasts(count: int, part: str, start: int) -> list[Episode]:
    """Answers given with .95 of which half are right, and with .6 of which a quarter are."""
    return [
        answered(start + n, 0.95 if n % 2 else 0.6, right=n % 4 == 1 or n % 8 == 0, part=part) for n in range(count)
    ]


def test_improving_confidence_is_calibrated_on_right_and_wrong_answers(db: Any) -> None:
    fill(db, [*boasts(40, "learn", 0), *boasts(16, "try", 100)], entries=False)
    trusted = learner(db, Improve(held_out=6)).learn().trusted
    assert trusted is not None
    assert (trusted.answers, trusted.held_out) == (40, 16)
    assert trusted.better
    assert trusted.brier_after < trusted.brier_before
    assert trusted.trust.apply(0.95) == pytest.approx(0.5, abs=0.08)
    assert trusted.trust.apply(0.6) == pytest.approx(0.25, abs=0.08)
    assert learner(db, Improve(held_out=6, confidence=0)).learn().trusted is None
    assert learner(db, Improve(held_out=6), writer="another").learn().trusted is None


def test_improving_confidence_of_few_answers_or_of_one_kind_is_taken_as_it_is(db: Any) -> None:
    fill(db, [*boasts(LEAST_ANSWERS - 1, "learn", 0), *boasts(16, "try", 100)], entries=False)
    assert learner(db, Improve(held_out=6)).learn().trusted is None
    fill(db, [answered(50, 0.1, right=False, part="learn")], entries=False)
    assert learner(db, Improve(held_out=6)).learn().trusted is not None


def test_improving_confidence_that_falls_where_answers_are_right_is_not_a_map(db: Any) -> None:
    upside_down = [answered(n, 0.9 if n % 2 else 0.2, right=n % 2 == 0, part="learn") for n in range(30)]
    fill(db, [*upside_down, *boasts(16, "try", 100)], entries=False)
    assert learner(db, Improve(held_out=6)).learn().trusted is None


# --- search ---------------------------------------------------------------------------------------------------------


def test_improving_search_is_calibrated_by_where_the_gold_chunks_are_found(db: Any) -> None:
    fill(db, [*(made(n) for n in range(40)), *(made(100 + n, part="try") for n in range(8))], entries=False)
    asked: list[tuple[str, int, float]] = []

    def find(query: str, k: int, weight: float) -> list[Passage]:
        asked.append((query, k, weight))
        gold = replace(CHUNK, id=f"c{query.split()[3]}")
        others = [replace(CHUNK, id=f"x{n}") for n in range(k - 1)]
        place = 0 if weight == 0.8 else 5
        return [Passage(one, 1.0, 1, "i") for one in (*others[:place], gold, *others[place:])]

    found = learner(db, Improve(held_out=6), find)
    state = found.learn()
    assert state.search == Search(0.8, 5)
    assert state.searched == Searched(Search(0.8, 5), Search(0.8, 5), pytest.approx(40 / 70), 1.0, 40, 8)
    assert len(asked) == 48 * len(WEIGHTS)
    found.learn()
    assert len(asked) == 48 * len(WEIGHTS)  # nothing is searched twice
    assert learner(db, Improve(held_out=6, search=0), find).learn().searched is None
    late = [Passage(replace(CHUNK, id=f"x{n}"), 1.0, 1, "i") for n in range(5)]

    def find_late(query: str, k: int, weight: float) -> list[Passage]:
        return [*late, Passage(replace(CHUNK, id=f"c{query.split()[3]}"), 1.0, 1, "i")]

    assert learner(db, Improve(held_out=6), find_late).learn().search == Search(0.7, 5)
    free = Learner(
        db,
        Improve(held_out=6),
        profile=PROFILE,
        writer="extractor",
        archives=frozenset({"zim-1"}),
        find=find_late,
        reads_freely=True,
    )
    assert free.learn().search == Search(0.7, 6)
    assert learner(db, Improve(held_out=6)).learn().searched is None


def test_improving_ranks_are_kept_for_the_same_searches(db: Any) -> None:
    fill(db, [*(made(n) for n in range(40)), *(made(100 + n, part="try") for n in range(8))], entries=False)
    asked: list[str] = []

    def find(query: str, k: int, weight: float) -> list[Passage]:
        asked.append(query)
        return [Passage(replace(CHUNK, id=f"c{query.split()[3]}"), 1.0, 1, "i")]

    def learnt(searches: str) -> Any:
        new = Learner(
            db,
            Improve(held_out=6),
            profile=PROFILE,
            writer="scripted",
            archives=frozenset({"zim-1"}),
            find=find,
            searches=searches,
        )
        return new.learn().searched

    counts = []
    for searches in ("index 1", "index 1", "index 2", "", ""):
        before = len(asked)
        learnt(searches)
        counts.append((len(asked) - before) // len(WEIGHTS))
    assert counts == [48, 0, 48, 48, 48]  # what has no name is not kept
    assert learnt("index 1") == learnt("") is not None
    fill(db, [made(300)], entries=False)
    before = len(asked)
    learnt("index 1")
    assert len(asked) - before == len(WEIGHTS)  # of the new challenge alone
    db.execute("update search_ranks set ranks = '[[0.7, [1]]]'")
    learnt("index 1")
    assert len(asked) - before == (1 + 49) * len(WEIGHTS)  # ranks by other weights are of no use


def test_improving_reads_the_latest_challenges_alone_and_lets_the_older_go(
    db: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drzero.improving.MOST_KNOWN", 3)
    fill(db, [made(1), made(2, status="rejected"), made(3, status="quarantined"), made(4)], entries=False)
    read: list[str] = []
    monkeypatch.setattr(
        "drzero.improving.kb_episodes.get_episode", lambda db, id_: read.append(id_) or get_episode(db, id_)
    )
    found = learner(db)
    assert [one.challenge.question.split()[3] for one in found.records()] == ["1", "3", "4"]
    fill(db, [made(5), replace(made(6), profile="python")], entries=False)
    assert [one.challenge.question.split()[3] for one in found.records()] == ["3", "4", "5"]
    assert read == ["e1", "e3", "e4", "e5"]  # each once
    assert set(found._records) == {"e3", "e4", "e5"}


def test_improving_solved_ids_are_the_latest_of_the_profile_oldest_first(db: Any) -> None:
    fill(db, [made(1), made(2, status="rejected"), made(3, status="quarantined"), replace(made(4), profile="python")])
    assert solved_ids(db, PROFILE.name, 9) == ["e1", "e3"]
    assert solved_ids(db, PROFILE.name, 1) == ["e3"]
    assert solved_ids(db, "nobody's", 9) == []


def test_improving_search_settings_go_to_retrieval_and_reading() -> None:
    asked: list[tuple[str, int, float]] = []

    def find(query: str, k: int, weight: float) -> list[Passage]:
        asked.append((query, k, weight))
        return []

    llm = ScriptedLLM()
    tools = Tools(llm, judge_of(signals_of_writer(llm), SETTINGS).entailment, lambda *_: [], lambda _: CHUNK)
    state = Improvement(searched=Searched(Search(0.9, 3), Search(0.9, 3), 0.1, 0.1, 30, 8))
    ours, options = equipped(tools, Options(), state, find)
    assert ours.retrieve("q", 10) == []
    assert (asked, options.reads) == ([("q", 10, 0.9)], 3)
    assert equipped(tools, Options(), NOTHING, find) == (tools, Options())
    assert equipped(tools, Options(), state, None)[1] == Options()


# --- what a run does with it ----------------------------------------------------------------------------------------


def test_improving_a_run_keeps_what_it_had_learnt_before_each_iteration(db: Any, index: OpenIndex) -> None:
    result = run(db, index)
    states = [json.loads(load_state(db, result.run, iteration) or "") for iteration in range(4)]
    assert states[0]["lessons"] == []
    assert len(states[3]["lessons"]) >= 1
    assert load_state(db, result.run) == load_state(db, result.run, 3)
    assert load_state(db, result.run, 4) is None
    assert load_state(db, "no such run") is None
    taught = {one.episode_id for one in list_entries(db)}
    assert set(states[3]["lessons"]) <= taught
    aside = {part_of(get_episode(db, one).challenge.id, 3) for one in states[3]["lessons"]}  # type: ignore[union-attr]
    assert aside == {"learn"}


def test_improving_examples_are_shown_and_never_of_the_article_in_question(db: Any, index: OpenIndex) -> None:
    llm = ExtractiveLLM()
    run(db, index, llm)
    lengths = {"read": len(prompts.read("Who?", []).messages)}
    shown = [p for p in llm.prompts if p.name.startswith("read/") and len(p.messages) > lengths["read"]]
    assert shown  # the loop does learn
    for episode in (get_episode(db, one.id) for one in list_episodes(db)):
        if episode.challenge is None:
            continue
        own = {chunk.title for chunk in episode.challenge.gold}
        for step in episode.steps:
            if step.name == "examples" and step.inputs["use"] == "read":
                for asked, _ in step.output:
                    title = asked.split("\n")[0].removeprefix("[1] ").split(" › ")[0]
                    assert title not in own


def test_improving_trials_go_through_the_wordings_on_what_was_set_aside(db: Any, index: OpenIndex) -> None:
    result = run(db, index)
    trials = list_trials(db, profile="wikipedia", writer="extractive")
    assert trials
    for trial in trials:
        assert part_of(trial.challenge_id, 3) == "try"
        assert trial.wording == prompts.label(trial.prompt, trial.variant)
        assert trial.run_id == result.run
    assert len({(one.prompt, one.variant, one.challenge_id) for one in trials}) == len(trials)
    state = learner(db, writer="extractive").after(result.run)
    assert state is not None
    counted = {(prompt, arm.name): arm.trials for prompt, arms in state.arms for arm in arms}
    assert sum(counted.values()) == len(trials)
    assert list_trials(db, profile="coding", writer="extractive") == []


@pytest.mark.parametrize("calls", [12, 30, 50])
def test_improving_a_run_that_was_interrupted_learns_what_an_uninterrupted_one_does(
    tmp_path: Path, index: OpenIndex, calls: int
) -> None:
    whole, broken = (open_knowledge_base(tmp_path / name) for name in ("whole.db", "broken.db"))
    run(whole, index)
    with pytest.raises(KeyboardInterrupt):
        run(broken, index, ExtractiveLLM(calls_before_interrupt=calls))
    run(broken, index)

    def kept(db: Any) -> tuple[Any, ...]:
        numbers = {one.id: (one.iteration, one.number) for one in list_episodes(db)}
        states = [json.loads(row["state"]) for row in rows(db, "select state from improvements order by iteration")]
        trials = [replace(one, run_id="") for one in list_trials(db, profile="wikipedia", writer="extractive")]
        return [state | {"lessons": [numbers[one] for one in state["lessons"]]} for state in states], trials

    assert len(runs(broken)) == 1
    assert kept(broken) == kept(whole)


def test_improving_a_trial_and_a_state_are_kept_once(db: Any) -> None:
    run_ = start_run(db, settings={}, profile="wikipedia", seed=1, iterations=1)
    trial = Trial(run_.id, 0, 0, "wikipedia", "w", "read", "read/2", "", "c1", True)
    save_trial(db, trial)
    save_trial(db, replace(trial, won=False))
    assert list_trials(db, profile="wikipedia", writer="w") == [trial]
    save_state(db, run_.id, 0, profile="wikipedia", writer="w", state="{}", start=Curriculum())
    save_state(db, run_.id, 0, profile="wikipedia", writer="w", state="[]", start=Curriculum())
    assert load_state(db, run_.id, 0) == "{}"


def test_improving_trials_of_an_older_wording_do_not_count(db: Any) -> None:
    run_ = start_run(db, settings={}, profile="wikipedia", seed=1, iterations=1)
    save_trial(db, Trial(run_.id, 0, 0, "wikipedia", "scripted", "read", "read/1", "", "c1", True))
    save_trial(db, Trial(run_.id, 0, 1, "wikipedia", "scripted", "read", prompts.label("read"), "", "c1", False))
    arms = dict(learner(db).learn().arms)["read"]
    assert (arms[0].won, arms[0].lost) == (0, 1)


def test_improving_a_desk_draws_the_challenges_own_chunks_and_the_same_chances() -> None:
    llm = ScriptedLLM()
    tools = Tools(llm, judge_of(signals_of_writer(llm), SETTINGS).entailment, lambda *_: [], lambda _: CHUNK)
    options = options_of(SETTINGS, judge_of(signals_of_writer(llm), SETTINGS), "easy")
    other = replace(CHUNK, id="c9", path="Other")
    challenge = replace(CHALLENGE, gold=(CHUNK, other))

    def desk(state: Improvement) -> Any:
        return desk_for(challenge, state, tools=tools, options=options, profile=PROFILE, find=None)

    one = desk(NOTHING)
    assert (one.sample(), one.linked(CHUNK)) == ((CHUNK, 1), [other])
    assert desk(NOTHING).draw_seed() == desk(NOTHING.with_wording("read", "quoting")).draw_seed()
    trusted = Improvement(trusted=Trusted(Trust(0.0, 0.0), 30, 10, 0.3, 0.2))
    assert (desk(NOTHING).believed(0.9), desk(trusted).believed(0.9)) == (0.9, 0.5)


# --- runs compared --------------------------------------------------------------------------------------------------


def test_comparing_asks_the_same_challenges_under_every_state(db: Any, index: OpenIndex) -> None:
    result = run(db, index)
    llm = ExtractiveLLM()
    options = CompareOptions(without=("examples",), only=("search",), questions=True, with_tried=True)
    figures = compare_learnt(db, bench(index, llm), SETTINGS, options, profile=PROFILE)
    assert list(figures["states"]) == ["nothing", "all", "without examples", "only search"]
    assert list(figures["comparisons"]) == ["all", "without examples", "only search"]
    aside = [one for one in list_episodes(db) if one.status in ("accepted", "quarantined")]
    ids = [get_episode(db, one.id).challenge.id for one in aside]  # type: ignore[union-attr]
    assert figures["n"] == sum(part_of(one, 3) != "learn" for one in ids)
    assert {one["id"] for one in figures["challenges"]} == {one for one in ids if part_of(one, 3) != "learn"}
    assert figures["learnt"]["nothing"]["examples"] == 0
    assert figures["learnt"]["all"]["examples"] >= 1
    assert figures["learnt"]["without examples"]["examples"] == 0
    for row in figures["states"].values():
        assert 0 <= row["solved"] <= min(row["right"], row["supported"])
        assert row["proposed"] is not None
    text = comparison_text(figures)
    assert text.startswith(f"{figures['n']} challenges set aside, each asked once under every state.")
    assert "questions kept" in text
    alone = replace(bench(index, llm), proposes=False)  # what only reads has no questions to be counted
    figures_alone = compare_learnt(db, alone, SETTINGS, options, profile=PROFILE)
    assert {row["proposed"] for row in figures_alone["states"].values()} == {None}
    assert "questions kept" not in comparison_text(figures_alone)
    assert "only search" in text
    json.dumps(figures)
    runs_ = compare_learnt(db, bench(index, llm), SETTINGS, CompareOptions(runs=(result.run,)), profile=PROFILE)
    assert list(runs_["states"]) == ["nothing", f"run {result.run}"]


def test_comparing_two_runs_holds_the_second_against_the_first(db: Any, index: OpenIndex) -> None:
    first = run(db, index)
    second = run_loop(
        db, bench(index), SETTINGS, EvolveOptions(seed=8, new_run=True), profile=PROFILE, progress=lambda _: None
    )
    chosen = CompareOptions(runs=(first.run, second.run), limit=2, with_tried=True)
    figures = compare_learnt(db, bench(index), SETTINGS, chosen, profile=PROFILE)
    assert (figures["against"], list(figures["comparisons"])) == (f"run {first.run}", [f"run {second.run}"])
    assert figures["n"] <= 2


def test_comparing_wordings_alone(db: Any, index: OpenIndex) -> None:
    run(db, index)
    llm = ExtractiveLLM()
    chosen = CompareOptions(wordings=("read/quoting", "ask/brief"), with_tried=True, questions=True, limit=2)
    figures = compare_learnt(db, bench(index, llm), SETTINGS, chosen, profile=PROFILE)
    assert list(figures["states"]) == ["nothing", "all", "read/quoting", "ask/brief"]
    names = {prompt.name for prompt in llm.prompts}
    assert {prompts.label("read", "quoting"), prompts.label("read")} <= names
    assert {prompts.label("ask-factual", "brief"), prompts.label("ask-factual")} <= names
    with pytest.raises(DrZeroError, match="There is no wording read/odd: choose one of ask/blank, ask/brief, read/"):
        compare_learnt(db, bench(index), SETTINGS, CompareOptions(wordings=("read/odd",)), profile=PROFILE)


def test_improving_a_trial_that_fails_is_given_up(db: Any, index: OpenIndex, caplog: pytest.LogCaptureFixture) -> None:
    run(db, index)
    before = list_trials(db, profile="wikipedia", writer="extractive")

    def broken(challenge: Any, improvement: Improvement) -> Any:
        raise RuntimeError("the writer is gone")

    again = Learner(
        db,
        Improve(trials=3, held_out=3),
        profile=PROFILE,
        writer="extractive",
        archives=bench(index).ids,
        find=None,
    )
    other = start_run(db, settings={}, profile="wikipedia", seed=1, iterations=1)
    arms = again.learn().arms
    tried = again.hold_trials(other.id, 0, seed=1, desk=broken)
    void = list_trials(db, profile="wikipedia", writer="extractive")[len(before) :]
    assert 1 <= tried == len(void)
    assert {one.fault for one in void} == {"RuntimeError: the writer is gone"}
    assert not any(one.won for one in void)
    assert len({(one.prompt, one.variant, one.challenge_id) for one in void}) == len(void)  # none is tried for ever
    assert again.learn().arms == arms  # nor counts for or against a wording
    assert "was given up: the writer is gone" in caplog.text


def test_improving_trials_on_challenges_that_are_for_testing_now_do_not_count(db: Any, index: OpenIndex) -> None:
    run(db, index)
    trials = list_trials(db, profile="wikipedia", writer="extractive")
    other = Learner(
        db,
        Improve(trials=3, held_out=4),
        profile=PROFILE,
        writer="extractive",
        archives=bench(index).ids,
        find=None,
    )
    counted = sum(arm.trials for _, arms in other.learn().arms for arm in arms)
    assert counted == sum(part_of(one.challenge_id, 4) == "try" for one in trials) < len(trials)


def test_comparing_refuses_a_run_that_set_other_challenges_aside(db: Any, index: OpenIndex) -> None:
    result = run(db, index)
    changed = replace(SETTINGS, improve=replace(SETTINGS.improve, held_out=4))
    with pytest.raises(DrZeroError, match=f"Run {result.run} learnt with improve.held_out = 3, not 4"):
        compare_learnt(db, bench(index), changed, CompareOptions(runs=(result.run,)), profile=PROFILE)


def test_comparing_without_challenges_or_states_says_what_to_do(db: Any, index: OpenIndex) -> None:
    with pytest.raises(DrZeroError, match="No challenge of these archives has been set aside for testing yet"):
        compare_learnt(db, bench(index), SETTINGS, CompareOptions(), profile=PROFILE)
    older = start_run(db, settings={}, profile="wikipedia", seed=1, iterations=1)
    with pytest.raises(DrZeroError, match=f"Run {older.id} kept nothing of what it learnt"):
        compare_learnt(db, bench(index), SETTINGS, CompareOptions(runs=(older.id,)), profile=PROFILE)


def test_comparing_refuses_runs_of_another_profile_before_a_model_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    other = start_run(db, settings={}, profile="coding", seed=1, iterations=1)
    db.close()
    ready = type("Ready", (), {"profile": PROFILE})
    monkeypatch.setattr(comparing, "make_ready", lambda *_: ready)
    with pytest.raises(DrZeroError, match=f"Run {other.id} is of the profile coding, not wikipedia"):
        measure_evolve(Workspace(tmp_path), SETTINGS, CompareOptions(runs=(other.id[:12],)))
    with pytest.raises(KnowledgeBaseError, match="There is no run nothing"):
        measure_evolve(Workspace(tmp_path), SETTINGS, CompareOptions(runs=("nothing",)))


def test_comparing_a_writer_is_asked_nothing_twice() -> None:
    said: list[str] = []

    def reply(prompt: Prompt) -> str:
        said.append(prompt.messages[-1][1])
        return f"answer {len(said)}"

    writer = Remembering(ScriptedLLM(reply=reply))
    one, other = (Prompt("read/2", (("user", text),)) for text in ("a b", "c"))
    first = writer.complete(one)
    assert writer.complete(one, seed=9) == first  # without chance a seed is nothing
    tokens = writer.tokens
    assert tokens == 2 * (first.prompt_tokens + first.completion_tokens)
    assert writer.complete(one, seed=1, temperature=0.7) != writer.complete(one, seed=2, temperature=0.7)
    assert writer.complete(other).text == "answer 4"
    assert writer.yes_no(one) == writer.yes_no(one) == 5.0
    assert (writer.id, writer.room(one)) == ("scripted", 4094)


def test_cli_eval_evolve_without_a_knowledge_base_says_so(run: Run, desk: Path) -> None:
    result = run("eval", "evolve")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Traceback" not in result.stderr
    assert run("eval", "evolve", "--only", "luck").exit_code == 2

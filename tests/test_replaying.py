"""drzero.replaying: a whole run over a small index, run again from its record and with its models."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero import answering, pipeline, replaying
from drzero.answering import Workbench
from drzero.config import Settings
from drzero.errors import KnowledgeBaseError
from drzero.evolving import run_loop
from drzero.kb import json_values
from drzero.kb.asked import refused_before
from drzero.kb.episodes import get_episode, list_episodes, questions_before, save_episode
from drzero.kb.improvements import save_state
from drzero.kb.schema import open_knowledge_base
from drzero.loop.improving.searching import Search, Searched
from drzero.loop.improving.state import NOTHING, to_json
from drzero.loop.metrics import named
from drzero.loop.replay import Replay
from drzero.profiles import load_profile
from drzero.results import EvolveOptions
from drzero.retrieval.index import OpenIndex, open_index
from drzero.retrieval.search import search
from drzero.types import Curriculum, Episode, Passage
from drzero.workspace import Workspace
from tests.conftest import MakeZim
from tests.fakes import ExtractiveLLM, HashEmbedder
from tests.made_index import index_archive
from tests.samples import BRIDGE_PAGES, make_episode

SETTINGS = replace(Settings(), loop=replace(Settings().loop, iterations=2, challenges=3, attempts=2, proposals=3))


def bench(index: OpenIndex, llm: ExtractiveLLM) -> Workbench:
    def retrieve(query: str, k: int) -> list[Passage]:
        return search([index], query, embedder=HashEmbedder(), k=k)

    return Workbench(llm, retrieve, (index,))


@pytest.fixture
def workspace(make_zim: MakeZim, tmp_path: Path) -> Workspace:
    """A workspace with one run of six episodes; its archive is gone."""
    archive = make_zim(BRIDGE_PAGES, name="bridges.zim")
    index_archive(archive, tmp_path / "indexes" / "bridges")
    archive.unlink()
    workspace = Workspace(tmp_path)
    db = open_knowledge_base(workspace.database)
    with open_index(tmp_path / "indexes" / "bridges") as index:
        options = EvolveOptions(seed=7)
        run_loop(
            db,
            bench(index, ExtractiveLLM()),
            SETTINGS,
            options,
            profile=load_profile("wikipedia"),
            progress=lambda _: None,
        )
    db.close()
    return workspace


def ids(workspace: Workspace, status: str = "") -> list[str]:
    with open_knowledge_base(workspace.database) as db:
        return [one.id for one in list_episodes(db) if status in ("", one.status)]


def run_of(workspace: Workspace) -> str:
    with open_knowledge_base(workspace.database) as db:
        return list_episodes(db)[0].run


def change(workspace: Workspace, id_: str, how: Callable[[Episode], Episode]) -> None:
    """Store the episode as `how` makes it."""
    with open_knowledge_base(workspace.database) as db:
        changed = how(get_episode(db, id_))
        db.table("episodes").update(id_, {"trace": json_values.dumps(changed)})


def with_output(episode: Episode, name: str, output: Callable[[Any], Any], stage: str = "") -> Episode:
    """The episode with another output of its first step of that name (and stage)."""
    place = next(i for i, s in enumerate(episode.steps) if s.name == name and stage in ("", s.stage))
    steps = list(episode.steps)
    steps[place] = replace(steps[place], output=output(steps[place].output))
    return replace(episode, steps=tuple(steps))


def test_replaying_a_run_from_its_record_gives_the_same_of_everything(workspace: Workspace) -> None:
    (workspace.root / "indexes" / "bridges").rename(workspace.root / "gone")
    told: list[tuple[int, int]] = []
    found = replaying.replay(workspace, run=run_of(workspace), progress=lambda p: told.append((p.done, p.total)))
    assert [one.episode for one in found] == ids(workspace)
    assert [one.differences for one in found] == [()] * 6
    assert {(one.extent, one.note, one.same) for one in found} == {("whole", "", True)}
    assert {one.status for one in found} >= {"accepted"}
    assert min(one.steps for one in found) > 0
    assert told == [(i, 6) for i in range(6)]


def test_replaying_needs_what_every_episode_keeps(workspace: Workspace) -> None:
    with open_knowledge_base(workspace.database) as db:
        episodes = [get_episode(db, one.id) for one in list_episodes(db)]
    for episode in episodes:
        kept = {chunk.id for chunk in episode.chunks}
        assert {passage.chunk.id for attempt in episode.attempts for passage in attempt.passages} <= kept
        assert (
            {chunk.id for chunk in episode.challenge.gold if episode.challenge} <= kept if episode.challenge else True
        )
        assert len(kept) == len(episode.chunks)
        assert episode.conditions["tools"]["language"] == "eng"
        assert len(episode.frames[0]) == 14
        if episode.attempts:
            assert episode.frames[3] == episode.metrics
            assert 0.0 < episode.noise_tolerance <= 1.0  # the gates found it right among distractors
            assert {"search", "complete", "room", "entail"} <= {step.name for step in episode.steps if step.outside}
    assert any(episode.attempts for episode in episodes)


def test_replaying_counts_all_that_was_given_back(workspace: Workspace) -> None:
    for id_ in ids(workspace):
        with open_knowledge_base(workspace.database) as db:
            outside = sum(step.outside for step in get_episode(db, id_).steps)
        assert replaying.replay(workspace, id_[:8])[0].steps == outside


def test_replaying_loads_no_model_and_no_index(workspace: Workspace) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom drzero.replaying import replay\n"
        "from drzero.workspace import Workspace\n"
        "print(replay(Workspace(Path(sys.argv[1])), sys.argv[2])[0].same)\n"
        "print(sorted({'faiss', 'libzim', 'llama_cpp', 'onnxruntime', 'torch'} & set(sys.modules)))"
    )
    words = [sys.executable, "-c", code, str(workspace.root), ids(workspace, "accepted")[0]]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "True\n[]\n"


def test_replaying_a_changed_judgement_changes_verdict_scores_and_vector(workspace: Workspace) -> None:
    id_ = ids(workspace, "accepted")[0]
    with open_knowledge_base(workspace.database) as db:
        episode = get_episode(db, id_)
    judged = [i for i, step in enumerate(episode.steps) if step.name == "entail" and step.stage == "verified"]
    steps = tuple(replace(step, output=0.01) if i in judged else step for i, step in enumerate(episode.steps))
    change(workspace, id_, lambda one: replace(one, steps=steps))
    (found,) = replaying.replay(workspace, id_)
    assert not found.same
    places = {one.where: (one.recorded, one.now) for one in found.differences}
    assert places["status"] == ("accepted", "quarantined")
    assert places[f"attempts[{episode.best}].verdict.status"] == ("supported", "unsupported")
    assert places["metrics[1]"] == (1.0, 0.0)
    assert named(episode.metrics)["ssp.verified"] == 1.0


def test_replaying_a_changed_answer_of_the_writer_is_another_course(workspace: Workspace) -> None:
    id_ = ids(workspace, "accepted")[0]
    mute = {"text": "Not found.", "finish": "stop", "prompt_tokens": 1, "completion_tokens": 2, "well_formed": True}
    change(workspace, id_, lambda one: with_output(one, "complete", lambda _: mute, "solved"))
    (found,) = replaying.replay(workspace, id_)
    assert not found.same
    assert found.differences[0].recorded.endswith("yes-no")  # that asked whether the writer was sure
    assert "another course" in found.note
    assert found.extent == "attempts"


def test_replaying_a_lost_step_is_another_course_and_the_attempts_are_still_scored(workspace: Workspace) -> None:
    id_ = ids(workspace, "accepted")[0]

    def without_a_search(one: Episode) -> Episode:
        place = next(i for i, step in enumerate(one.steps) if step.name == "search" and step.stage == "solved")
        return replace(one, steps=one.steps[:place] + one.steps[place + 1 :])

    change(workspace, id_, without_a_search)
    (found,) = replaying.replay(workspace, id_)
    assert found.differences[0].where.startswith("steps[")
    assert "search" in found.differences[0].now
    assert len(found.differences) == 1
    assert (found.extent, found.same) == ("attempts", False)


def test_replaying_asks_with_the_questions_known_at_the_time(workspace: Workspace) -> None:
    first, *others = ids(workspace)
    with open_knowledge_base(workspace.database) as db:
        assert questions_before(db, first) == []
        asked = [get_episode(db, id_).challenge for id_ in (first, *others)]
        questions = list(dict.fromkeys(one.question for one in asked if one))
        last = asked[-1]
        assert questions_before(db, others[-1]) == [q for q in questions if not last or q != last.question]
        assert questions_before(db, "no such episode") == []


def test_replaying_uses_the_profile_as_it_was(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> None:
        raise AssertionError(name)

    monkeypatch.setattr(replaying, "load_profile", gone)
    assert [one.same for one in replaying.replay(workspace, run=run_of(workspace))] == [True] * 6


def test_replaying_an_older_episode_scores_its_attempts_again(workspace: Workspace) -> None:
    id_ = ids(workspace, "accepted")[0]

    def older(one: Episode) -> Episode:
        steps = tuple(replace(step, outside=False) for step in one.steps)
        return replace(one, conditions={}, chunks=(), frames=(), steps=steps)

    change(workspace, id_, older)
    (found,) = replaying.replay(workspace, id_)
    assert (found.extent, found.differences) == ("attempts", ())
    assert found.note.startswith("Its record lacks what came from outside")
    change(workspace, id_, lambda one: replace(one, attempts=(replace(one.attempts[0], right=False),), best=0))
    (found,) = replaying.replay(workspace, id_)
    assert [(one.where, one.recorded, one.now) for one in found.differences] == [("attempts[0].right", False, True)]
    change(workspace, id_, lambda one: replace(one, steps=()))
    (found,) = replaying.replay(workspace, id_)
    assert found.differences[0].where == "attempts[0].verdict"
    assert found.differences[0].recorded == "no judgement of this pair"


def test_replaying_an_episode_that_an_error_ended_keeps_its_steps_and_works_out_its_vector(
    make_zim: MakeZim, tmp_path: Path
) -> None:
    class Breaking(ExtractiveLLM):
        def complete(self, prompt: Any, **options: Any) -> Any:
            if prompt.name.startswith("read/"):
                raise RuntimeError("The writer broke.")
            return super().complete(prompt, **options)

    index_archive(make_zim(BRIDGE_PAGES, name="bridges.zim"), tmp_path / "indexes" / "bridges")
    workspace = Workspace(tmp_path)
    db = open_knowledge_base(workspace.database)
    settings = replace(SETTINGS, loop=replace(SETTINGS.loop, iterations=1, challenges=1))
    with open_index(tmp_path / "indexes" / "bridges") as index:
        run_loop(
            db,
            bench(index, Breaking()),
            settings,
            EvolveOptions(seed=7),
            profile=load_profile("wikipedia"),
            progress=lambda _: None,
        )
    (episode,) = [get_episode(db, one.id) for one in list_episodes(db)]
    db.close()
    assert episode.reason == "failure: RuntimeError"
    assert episode.steps[0].name == "sample"
    assert episode.chunks
    (found,) = replaying.replay(workspace, episode.id)
    assert (found.extent, found.steps, found.same) == ("attempts", 0, True)
    assert "an error ended" in found.note


def test_replaying_an_older_episode_of_a_profile_that_is_gone_says_so(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    with open_knowledge_base(workspace.database) as db:
        save_episode(db, make_episode(profile="medicine"), None)
    with pytest.raises(KnowledgeBaseError) as caught:
        replaying.replay(workspace, "e1")
    assert str(caught.value) == (
        "Episode e1 has a profile, medicine, that was not kept with its run: it cannot be run again."
    )


def test_replaying_takes_threshold_and_caps_of_an_older_run_from_its_settings(workspace: Workspace) -> None:
    with open_knowledge_base(workspace.database) as db:
        settings = json.loads(db.execute("select settings from runs").fetchone()[0])
        settings["judge"][1] = 0.9
        settings["metrics"]["question_words"] = 40
        db.table("runs").update(run_of(workspace), {"settings": json.dumps(settings)})
        run = replaying.get_run(db, run_of(workspace)[:10])
    options = replaying._older_options(run)
    assert (options.thresholds.min_probability, options.caps.question_words, options.caps.turns) == (0.9, 40, 12)
    assert replaying._older_options(None) == replaying.Options()


def test_replaying_names_what_is_not_there(workspace: Workspace) -> None:
    with pytest.raises(KnowledgeBaseError, match="There is no episode zzz"):
        replaying.replay(workspace, "zzz")
    with pytest.raises(KnowledgeBaseError, match="There is no run zzz"):
        replaying.replay(workspace, run="zzz")


@pytest.fixture
def loaded(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Callable[[ExtractiveLLM], None]:
    """Makes a writer and the small index what `with models` finds loaded."""

    def use(llm: ExtractiveLLM) -> None:
        @contextmanager
        def opened(*_: Any) -> Any:
            with open_index(workspace.root / "indexes" / "bridges") as index:
                yield bench(index, llm)

        monkeypatch.setattr(answering, "workbench", opened)
        monkeypatch.setattr(pipeline, "make_ready", lambda *_: None)

    return use


def test_replaying_with_the_same_models_gives_the_same(
    workspace: Workspace, loaded: Callable[[ExtractiveLLM], None]
) -> None:
    llm = ExtractiveLLM()
    loaded(llm)
    found = replaying.replay(workspace, run=run_of(workspace), models=SETTINGS)
    assert [one.differences for one in found] == [()] * 6
    assert len(llm.prompts) > 20


def test_replaying_with_models_has_every_tool_that_the_run_had(
    workspace: Workspace, loaded: Callable[[ExtractiveLLM], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded(ExtractiveLLM())
    searched: list[tuple[str, int, float]] = []
    words = Search(lexical_weight=0.3, passages=3)
    state = replace(NOTHING, searched=Searched(words, words, 0.1, 0.1, 9, 9))
    with open_knowledge_base(workspace.database) as db:
        last = list_episodes(db)[-1]
        db.execute("delete from improvements")
        save_state(db, last.run, 1, profile="wikipedia", writer="any", state=to_json(state), start=Curriculum())
    bare = bench

    def searching(index: OpenIndex, llm: ExtractiveLLM) -> Workbench:
        def find(query: str, k: int, weight: float) -> list[Passage]:
            searched.append((query, k, weight))
            return []

        return replace(bare(index, llm), find=find)

    monkeypatch.setitem(globals(), "bench", searching)
    seen: list[tuple[Any, ...]] = []

    def with_models(episode: Episode, profile: Any, tools: Any, options: Any, known: Any) -> Replay:
        chunk = episode.chunks[0]
        tools.retrieve("bridge", 3)
        seen.append((tools.language, options.reads, tools.nearest(known[0]), tools.nearest("Why is the sea salt?")[0]))
        seen.append((tools.linked(chunk), tools.alike(chunk)))
        return Replay(episode.id, episode.status, "whole", 0, ())

    monkeypatch.setattr(replaying, "with_models", with_models)
    for name in ("linked", "alike"):
        monkeypatch.setattr(answering, name, lambda indexes, chunk, name=name: [name, len(indexes), chunk.id])
    replaying.replay(workspace, last.id, models=SETTINGS)
    with open_knowledge_base(workspace.database) as db:
        episode, known = get_episode(db, last.id), questions_before(db, last.id)
    (language, reads, same, other), tools = seen
    assert (language, reads, same) == ("eng", 3, (1.0, known[0]))
    assert other < 0.5
    assert tools == tuple([name, 1, episode.chunks[0].id] for name in ("linked", "alike"))
    assert searched == [("bridge", 3, 0.3)]


def test_replaying_knows_the_questions_refused_before_and_none_later(workspace: Workspace) -> None:
    with open_knowledge_base(workspace.database) as db:
        first, second, third = ids(workspace)[:3]
        db.execute("delete from refused")
        for id_ in (first, second, third):
            db.execute("insert into refused (question, refusal, episode_id) values (?, 'malformed', ?)", (id_, id_))
        assert [refused_before(db, one) for one in (first, second, third)] == [[], [first], [first, second]]


class Terse(ExtractiveLLM):
    """Answers every question as the other does, but asks nothing that could be asked."""

    def _copy(self, prompt: Any) -> str:
        return "Why?" if prompt.name.startswith("ask-") else super()._copy(prompt)


def test_replaying_with_another_writer_says_what_differs_and_goes_its_own_way(
    workspace: Workspace, loaded: Callable[[ExtractiveLLM], None]
) -> None:
    loaded(Terse())
    id_ = ids(workspace, "accepted")[0]
    (found,) = replaying.replay(workspace, id_, models=SETTINGS)
    places = {one.where: (one.recorded, one.now) for one in found.differences}
    assert places["status"] == ("accepted", "invalid")
    assert places["reason"] == ("", "malformed")
    assert found.extent == "whole"
    assert "Why?" in {now for _, now in places.values()}


def test_replaying_reads_no_earlier_questions_where_the_record_has_the_nearest(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(replaying, "questions_before", lambda _, id_: asked.append(id_) or ["Why?", "Who?"])
    again = replaying.replay(workspace, run=run_of(workspace))
    assert [one.differences for one in again] == [()] * 6
    assert asked == []
    before = replaying._QuestionsBefore(None, "e1")  # type: ignore[arg-type]
    assert (len(before), before[1], list(before), "Why?" in before) == (2, "Who?", ["Why?", "Who?"], True)
    assert asked == ["e1"]

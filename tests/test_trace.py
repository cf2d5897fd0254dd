"""drzero.loop.trace and drzero.loop.desk: what comes from outside an episode is recorded, all of it and alike."""

from __future__ import annotations

from dataclasses import fields, replace
from random import Random
from typing import Any

import numpy as np
import pytest

from drzero.errors import DrZeroError, IndexFault
from drzero.kb import json_values
from drzero.loop import prompts
from drzero.loop.desk import Desk, Options, Slot, Tools
from drzero.loop.trace import Trace, dump_ranked, load_ranked, raise_again, raised
from drzero.profiles import load_profile
from drzero.types import Chunk, Passage, Prompt, Step
from tests.fakes import ScriptedLLM, WordOverlapEntailment
from tests.samples import CHUNK, OTHER

PROMPT = Prompt("read/1", (("system", "Answer."), ("user", "What is salt?")), shared=1)


def step(name: str, inputs: dict[str, Any], output: Any, stage: str = "proposed") -> Step:
    return Step(stage, name, inputs, output, 0.0, outside=True)


def timeless(trace: Trace) -> list[Step]:
    return [replace(each, elapsed_s=0.0) for each in trace.steps]


def fresh_desk(llm: ScriptedLLM | None = None, **tools: Any) -> Desk:
    profile = load_profile("wikipedia")
    slot = Slot("run", 0, 3, 7, profile, profile.type("factual"), "easy")
    given: dict[str, Any] = {"retrieve": lambda query, k: [], "sample": lambda rng: CHUNK}
    return Desk(slot, Tools(llm or ScriptedLLM(), WordOverlapEntailment(), **given | tools), Options(), ())


# --- taking ---


@pytest.mark.parametrize("value", [None, True, 3, 0.5, "x", [1, "a"], (0.8, "What?"), {"a": [1, (2,)]}, [], ()])
def test_trace_takes_plain_values_as_they_are(value: Any) -> None:
    trace = Trace()
    assert trace.take("nearest", {"question": "What?"}, lambda: value) == value
    assert timeless(trace) == [step("nearest", {"question": "What?"}, value)]
    assert type(trace.steps[0].output) is type(value)


def test_trace_names_chunks_by_id_and_keeps_each_once() -> None:
    trace = Trace()
    passage = Passage(OTHER, 0.25, 4, "kitchen")
    value = {"linked": (CHUNK, [OTHER, CHUNK]), "passages": [passage]}
    assert trace.take("anything", {}, lambda: value) == value
    recorded = {
        "linked": ({"chunk": "c1"}, [{"chunk": "c2"}, {"chunk": "c1"}]),
        "passages": [{"passage": ["kitchen", "c2", 0.25, 4]}],
    }
    assert timeless(trace) == [step("anything", {}, recorded)]
    assert trace.chunks == {"c1": CHUNK, "c2": OTHER}


def test_trace_returns_what_the_record_gives_back_and_not_what_came() -> None:
    trace = Trace()
    got = trace.take("weights", {}, lambda: (1, 2.5), dump=lambda pair: [*map(str, pair)], load=tuple)
    assert got == ("1", "2.5")
    assert trace.steps[0].output == ["1", "2.5"]


def test_trace_tells_the_time_that_a_call_took_and_the_stage_under_way() -> None:
    trace = Trace(stage="gated")
    trace.take("room", {}, lambda: sum(range(100_000)))
    trace.add("answerable", {"distractors": 4}, True)
    assert [each.stage for each in trace.steps] == ["gated", "gated"]
    assert [each.outside for each in trace.steps] == [True, False]
    assert trace.steps[0].elapsed_s > 0.0


def test_trace_takes_several_of_one_call_as_so_many_steps() -> None:
    trace = Trace()
    calls: list[int] = []
    assert trace.take_each("entail", [{"n": 1}, {"n": 2}], lambda: calls.append(1) or [0.5, 0.25]) == [0.5, 0.25]
    assert calls == [1]
    assert timeless(trace) == [step("entail", {"n": 1}, 0.5), step("entail", {"n": 2}, 0.25)]
    assert trace.take_each("entail", [], list) == []
    with pytest.raises(ValueError, match="shorter"):
        trace.take_each("entail", [{}, {}], lambda: [0.5])


@pytest.mark.parametrize("error", [ValueError("prompt does not fit"), IndexFault("The index is gone: build it.")])
def test_trace_records_an_error_from_outside_and_can_raise_it_again(error: Exception) -> None:
    def fail() -> list[float]:
        raise error

    for take in (lambda trace: trace.take("complete", {}, fail), lambda trace: trace.take_each("entail", [{}], fail)):
        trace = Trace()
        with pytest.raises(type(error), match=str(error)):
            take(trace)
        assert trace.steps[0].output == {"raised": type(error).__name__, "message": str(error)}
        with pytest.raises(type(error), match=str(error)):
            raise_again(trace.steps[0].output)


def test_trace_does_not_take_an_interrupt_or_a_fault_of_its_own_for_an_outcome() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    trace = Trace()
    with pytest.raises(KeyboardInterrupt):
        trace.take("complete", {}, interrupted)
    with pytest.raises(ZeroDivisionError):
        trace.take("complete", {}, lambda: 1 // 0)
    assert trace.steps == []


def test_trace_names_an_error_by_the_nearest_class_that_can_be_made_anew() -> None:
    with pytest.raises(UnicodeDecodeError) as caught:
        b"\xff".decode()
    assert raised(caught.value)["raised"] == "ValueError"
    assert raised(DrZeroError("x")) == {"raised": "DrZeroError", "message": "x"}
    raise_again({"text": "raised"})
    raise_again({"raised": "x", "message": "y", "more": 1})
    raise_again(None)


def test_trace_ranked_passages_come_back_as_they_were() -> None:
    trace = Trace()
    passages = [Passage(CHUNK, np.float32(0.1), 1, "kitchen"), Passage(OTHER, 0.05, 2, "garden")]  # type: ignore[arg-type]
    output = dump_ranked(passages, trace)
    assert output == [["kitchen", "c1", float(np.float32(0.1))], ["garden", "c2", 0.05]]
    assert type(output[0][2]) is float
    assert load_ranked(output, trace) == passages


# --- the desk ---


def test_desk_records_each_thing_that_it_asks_for() -> None:
    passages = [Passage(OTHER, 0.5, 1, "kitchen"), Passage(CHUNK, 0.25, 2, "kitchen")]
    desk = fresh_desk(
        ScriptedLLM(["Salt is a spice.", "Two\nlines"], judge=lambda _: np.float32(1.5)),  # type: ignore[arg-type,return-value]
        retrieve=lambda query, k: passages[:k],
        linked=lambda chunk: [OTHER],
    )
    assert desk.sample() == (CHUNK, 1)
    assert desk.linked(CHUNK) == [OTHER]
    desk.trace.stage = "solved"
    assert desk.search("salt", 1) == passages[:1]
    completion = desk.llm.complete(PROMPT, seed=5, max_tokens=9, temperature=0.5)
    assert (completion.text, completion.finish, completion.elapsed_s) == ("Salt is a spice.", "stop", 0.0)
    desk.llm.complete(PROMPT)
    assert desk.llm.yes_no(PROMPT) == 1.5
    assert desk.llm.room(PROMPT) == 4092
    assert desk.entailment.entail([("a b", "b"), ("a", "b")]) == [1.0, 0.0]
    sampled, linked, searched, first, second, sure, room, *entailed = timeless(desk.trace)
    seed = Random("7/0/3").randrange(2**31)
    assert sampled == step("sample", {"seed": seed, "most": 1}, ({"chunk": "c1"}, 1))
    assert linked == step("linked", {"chunk": "c1"}, [{"chunk": "c2"}])
    assert searched == step("search", {"query": "salt", "k": 1}, [["kitchen", "c2", 0.5]], "solved")
    assert first.inputs["content"] == "What is salt?"
    assert {key: first.inputs[key] for key in ("prompt", "seed", "max_tokens", "temperature")} == {
        "prompt": "read/1",
        "seed": 5,
        "max_tokens": 9,
        "temperature": 0.5,
    }
    assert first.output == {
        "text": "Salt is a spice.",
        "finish": "stop",
        "prompt_tokens": 4,
        "completion_tokens": 4,
        "well_formed": True,
    }
    assert second.output["well_formed"] is False
    assert type(sure.output) is float
    assert (sure.name, room.name, room.output) == ("yes-no", "room", 4092)
    assert set(room.inputs) == {"prompt", "messages"}
    assert entailed == [
        step("entail", {"premise": "a b", "hypothesis": "b"}, 1.0, "solved"),
        step("entail", {"premise": "a", "hypothesis": "b"}, 0.0, "solved"),
    ]
    assert all(each.outside for each in desk.trace.steps)


def test_desk_draws_a_sample_with_a_seed_of_its_own_so_that_nothing_else_moves() -> None:
    drawn: list[float] = []

    def greedy(rng: Random) -> Chunk:
        drawn.extend(rng.random() for _ in range(50))
        return CHUNK

    greedy_desk, calm_desk = fresh_desk(sample=greedy), fresh_desk()
    greedy_desk.sample()
    calm_desk.sample()
    assert len(set(drawn)) == 50
    assert greedy_desk.draw_seed() == calm_desk.draw_seed()


def test_desk_takes_whatever_a_stage_needs_from_outside() -> None:
    desk = fresh_desk()
    assert desk.take("examples", {"text": "salt"}, lambda: ("What?", 0.5)) == ("What?", 0.5)
    assert timeless(desk.trace) == [step("examples", {"text": "salt"}, ("What?", 0.5))]


def test_desk_tells_the_conditions_of_its_episode() -> None:
    desk = fresh_desk(language="fr")
    assert desk.conditions["type"] == "factual"
    assert desk.conditions["tools"]["language"] == "fr"
    assert set(desk.conditions["tools"]) <= {field.name for field in fields(Tools)} - {"llm", "entailment", "retrieve"}
    assert desk.conditions["options"]["thresholds"] == {"min_probability": 0.75}
    assert desk.conditions["prompts"] == prompts.versions()
    assert json_values.loads(json_values.dumps(desk.conditions["options"]), Options) == Options()

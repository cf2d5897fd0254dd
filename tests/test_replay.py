"""drzero.loop.replay: what stands in for the world, and how two episodes are compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from drzero.errors import ModelError
from drzero.loop.desk import Options
from drzero.loop.replay import (
    Anew,
    Difference,
    Diverged,
    Recorded,
    attempts_from_record,
    differences,
    differences_of_steps,
)
from drzero.loop.trace import Trace
from drzero.profiles import load_profile
from drzero.types import Episode, Passage, Step
from tests.samples import ATTEMPT, CHUNK, OTHER, SILENT, make_episode

PROFILE = load_profile("wikipedia")


def never() -> Any:
    raise AssertionError("a replay calls nothing")


def live() -> Trace:
    """A trace of a little of everything."""
    trace = Trace()
    trace.take("sample", {"seed": 1}, lambda: CHUNK)
    trace.add("proposal", {"chunk": "c1"}, {"refusal": ""})
    trace.take("nearest", {"question": "What?"}, lambda: (0.25, "Why?"))
    trace.take_each("entail", [{"premise": "a"}, {"premise": "b"}], lambda: [0.5, float("nan")])
    with pytest.raises(ModelError):
        trace.take("complete", {"seed": 2}, fails)
    trace.take("found", {}, lambda: [Passage(OTHER, 0.5, 1, "kitchen")])
    return trace


def fails() -> Any:
    raise ModelError("The writer broke: fetch it again.")


def recorded(trace: Trace) -> Episode:
    return make_episode(steps=tuple(trace.steps), chunks=tuple(trace.chunks.values()))


def places(found: Any) -> dict[str, tuple[Any, Any]]:
    return {one.where: (one.recorded, one.now) for one in found}


# --- from the record ---


def test_replay_record_gives_everything_back_in_order_and_makes_the_same_trace() -> None:
    before = live()
    trace = Recorded(recorded(before))
    assert trace.take("sample", {"seed": 1}, never) == CHUNK
    trace.add("proposal", {"chunk": "c1"}, {"refusal": ""})
    assert trace.take("nearest", {"question": "What?"}, never) == (0.25, "Why?")
    assert trace.take_each("entail", [{"premise": "a"}, {"premise": "b"}], never)[0] == 0.5
    with pytest.raises(ModelError, match="The writer broke: fetch it again"):
        trace.take("complete", {"seed": 2}, never)
    assert trace.take("found", {}, never) == [Passage(OTHER, 0.5, 1, "kitchen")]
    assert trace.given == 6
    assert list(differences_of_steps(before.steps, trace.steps)) == []


def test_replay_record_loads_as_it_was_told() -> None:
    before = Trace()
    before.take("weights", {}, lambda: {1, 2}, dump=sorted, load=set)
    assert Recorded(recorded(before)).take("weights", {}, never, load=set) == {1, 2}


def test_replay_record_answers_other_inputs_too_and_the_steps_tell_them() -> None:
    before = live()
    trace = Recorded(recorded(before))
    assert trace.take("sample", {"seed": 2}, never) == CHUNK
    assert list(differences_of_steps(before.steps[:1], trace.steps)) == [
        Difference("steps[0] sample.inputs.seed", 1, 2)
    ]


def test_replay_record_ends_where_another_thing_is_asked_for() -> None:
    trace = Recorded(recorded(live()))
    with pytest.raises(Diverged) as caught:
        trace.take("search", {}, never)
    assert (caught.value.recorded, caught.value.now) == ("sample", "search")
    empty = Recorded(make_episode(steps=()))
    with pytest.raises(Diverged, match="the end was recorded, now entail is asked for"):
        empty.take_each("entail", [{}], never)


# --- with the models ---


def test_replay_anew_asks_the_models_and_nothing_else_that_is_on_record() -> None:
    trace = Anew(recorded(live()))
    assert trace.take("complete", {"seed": 2}, lambda: "anew") == "anew"
    assert trace.take_each("entail", [{"premise": "a"}], lambda: [0.75]) == [0.75]
    assert trace.take("found", {}, never) == [Passage(OTHER, 0.5, 1, "kitchen")]  # whatever the order
    assert trace.take("sample", {"seed": 1}, never) == CHUNK
    assert trace.take("sample", {"seed": 1}, lambda: OTHER) == OTHER  # it was recorded once
    assert trace.take("sample", {"seed": 5}, lambda: OTHER) == OTHER
    assert [step.name for step in trace.steps] == ["complete", "entail", "found", "sample", "sample", "sample"]


# --- comparing ---


def test_replay_finds_no_difference_in_what_is_the_same_but_for_time() -> None:
    nan = make_episode(base_score=float("nan"))
    later = replace(nan, elapsed_s=9.0, created_at="2027", conditions={"a": 1}, chunks=(CHUNK,))
    later = replace(later, steps=tuple(replace(step, elapsed_s=7.0) for step in later.steps))
    assert list(differences(nan, later)) == []


def test_replay_names_the_place_of_each_difference() -> None:
    best = replace(ATTEMPT, right=False, evaluation=replace(ATTEMPT.evaluation, scores=(("accuracy", 0.1),)))
    now = make_episode(status="quarantined", attempts=(SILENT, best), metrics=(0.95, 0.0) + (0.5,) * 12)
    scores = ATTEMPT.evaluation.scores
    assert places(differences(make_episode(), now)) == {
        "status": ("accepted", "quarantined"),
        "attempts[1].evaluation.scores": (scores, (("accuracy", 0.1),)),
        "attempts[1].right": (True, False),
        "metrics[1]": (1.0, 0.0),
    }
    found = places(differences(make_episode(), make_episode(challenge=None, attempts=())))
    assert set(found) == {"challenge", "attempts"}


def test_replay_compares_steps_up_to_the_first_other_act() -> None:
    old = [Step("proposed", "complete", {"seed": i}, {"text": "a", "n": 1}, 0.0) for i in range(3)]
    changed = [replace(old[0], output={"text": "b", "more": 2}), replace(old[1], stage="gated"), old[0]]
    assert places(differences_of_steps(old, changed)) == {
        "steps[0] complete.output.text": ("a", "b"),
        "steps[0] complete.output.n": (1, None),
        "steps[0] complete.output.more": (None, 2),
        "steps[1]": ("proposed: complete", "gated: complete"),
    }
    assert places(differences_of_steps(old, old[:2])) == {"steps": (3, 2)}


# --- attempts alone ---


def test_replay_of_attempts_alone_works_out_verdict_scores_and_vector() -> None:
    answer = ATTEMPT.answer
    told = Step("verified", "entail", {"premise": CHUNK.text[:46], "hypothesis": answer.text}, 0.9, 0.0)
    episode = make_episode(steps=(told,), attempts=(ATTEMPT,), best=0, difficulty=0.0)
    first = attempts_from_record(episode, PROFILE, Options(), "en")
    assert (first.extent, first.steps) == ("attempts", 1)
    assert {one.where.split("[")[0] for one in first.differences} <= {"attempts", "metrics"}
    assert places(first.differences)["metrics[2]"] == (0.5, 0.0)  # the sample's vector is made up


def test_replay_of_attempts_alone_of_an_episode_without_any_compares_its_vector() -> None:
    episode = make_episode(challenge=None, attempts=(), best=-1, status="invalid", metrics=(0.0,) * 14, steps=())
    wrong = replace(episode, gate_passed=False, noise_tolerance=0.0)
    assert attempts_from_record(wrong, PROFILE, Options(), "en").same
    assert places(attempts_from_record(episode, PROFILE, Options(), "en").differences) == {
        "metrics[12]": (0.0, 1.0),
        "metrics[13]": (0.0, 1.0),
    }

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

import pytest

from drzero.loop.chronicle import (
    WIDENINGS,
    action_event,
    applied,
    closing_events,
    resting,
    state_of,
    widened,
)
from drzero.loop.controller import REMEDIES, Action, Vitals
from drzero.loop.curriculum import after_episode, after_iteration
from drzero.types import Curriculum, Episode, Evaluation, Event, TypeRecord
from tests.samples import ATTEMPT, make_episode

TYPES = ("factual", "temporal")


def solved(overall: float, **changes: Any) -> Episode:
    one = replace(ATTEMPT, evaluation=Evaluation((), overall, ""))
    return make_episode(attempts=(one,), best=0, rejections=(), **changes)


MISSED = solved(0.5, status="quarantined", reason="wrong")


def close(episodes: list[Episode], state: Curriculum | None = None) -> tuple[list[Event], Curriculum]:
    former = state or Curriculum()
    recorded = reduce(after_episode, episodes, former)
    after = after_iteration(recorded)
    return closing_events("r1", 3, episodes, former=former, recorded=recorded, after=after), after


def iteration(number: int, accepted: int, **counts: Any) -> Event:
    """The event of an iteration of ten challenges."""
    detail = {"episodes": 10, "proposals": 20, "copies": 2, "solved": 5, "accepted": accepted, "last_error": "wrong"}
    return Event("r1", number, "iteration", "", detail | {"types": {"factual": 6, "temporal": 4}} | counts)


def told(kind: str, number: int, **detail: Any) -> Event:
    return Event("r1", number, kind, "So it was.", detail)


def standing(events: list[Event], **changes: Any) -> Any:
    known = {"level": "easy", "types": TYPES, "topic": False, "patience": 2, "until_stalled": False}
    return state_of(events, **(known | changes))


# --- what is told of an iteration ---


def test_chronicle_tells_what_an_iteration_came_to() -> None:
    events, _ = close([solved(0.9), MISSED])
    assert events == [
        Event(
            "r1",
            3,
            "iteration",
            "1 of 2 challenges gave an entry.",
            {
                "episodes": 2,
                "proposals": 2,
                "copies": 0,
                "solved": 2,
                "accepted": 1,
                "types": {"factual": 2},
                "last_error": "wrong",
                "acceptance": 0.5,
                "solve_rate": 0.5,
                "novelty": 1.0,
                "level": "easy",
            },
        )
    ]


def test_chronicle_tells_that_the_level_rose() -> None:
    (_, rose), after = close([solved(0.9)] * 4)
    assert after.level == "medium"
    assert rose == Event(
        "r1",
        3,
        "promoted",
        "The average of 4 scores was 0.90, 0.75 or more: the level rises from easy to medium.",
        {"from": "easy", "to": "medium", "average": 0.9, "scores": 4},
    )


def test_chronicle_tells_that_the_level_fell_and_that_nothing_was_new() -> None:
    (_, fell, nothing), after = close([MISSED] * 3, Curriculum(level="hard"))
    assert after.level == "medium"
    assert (fell.kind, fell.reason) == (
        "demoted",
        "The average of 3 scores was 0.00, 0.4 or less: the level falls from hard to medium.",
    )
    assert (nothing.kind, nothing.reason) == ("nothing-new", "This iteration brought no new entry.")


def test_chronicle_tells_that_a_move_is_not_believed_yet() -> None:
    (_, held), after = close([solved(0.9)] * 3, Curriculum(crossings=(2, 0, 0)))
    assert (after.level, after.leaning) == ("easy", 1)
    assert (held.kind, held.detail["to"], held.detail["leaning"]) == ("held", "medium", 1)
    assert held.reason == (
        "The average of 3 scores was 0.90: the level has been to medium and back, so more iterations must say so."
    )


def test_chronicle_tells_once_that_a_type_is_stuck() -> None:
    before = Curriculum(types=(TypeRecord("factual", 4, 0, (), 4), TypeRecord("causal", 9, 0, (), 9)))
    events, _ = close([MISSED], before)
    assert [(event.kind, event.detail.get("type")) for event in events[1:]] == [
        ("nothing-new", None),
        ("stuck-type", "factual"),
    ]
    assert events[-1].reason == "Challenges of type factual do not succeed: it is asked at the floor only."


def test_chronicle_of_an_iteration_without_episodes_that_count() -> None:
    failed = make_episode(status="invalid", reason="failure: ValueError", challenge=None, attempts=(), best=-1)
    events, after = close([failed])
    assert [event.kind for event in events] == ["iteration", "nothing-new"]
    assert events[0].detail["last_error"] == "failure: ValueError"
    assert after == Curriculum(iterations=1)


# --- where a run stands ---


def test_chronicle_reads_back_the_vitals_since_the_last_entry() -> None:
    events = [iteration(0, 0, copies=9), iteration(1, 2), iteration(2, 0), iteration(3, 0, last_error="abstained")]
    vitals, state = standing(events)
    assert vitals == Vitals(20, 40, 4, 10, 0, (("factual", 12), ("temporal", 8)), "abstained")
    assert (state.dry, state.tried, state.wider, state.types) == (2, (), 0, TYPES)


def test_chronicle_a_run_that_has_just_gained_is_not_dry() -> None:
    vitals, state = standing([iteration(0, 0), iteration(1, 1)])
    assert (vitals, state.dry) == (Vitals(), 0)
    assert standing([])[1].dry == 0


def test_chronicle_what_was_tried_is_forgotten_with_the_next_entry() -> None:
    change = told("change-type", 1, rests="factual")
    dry = [iteration(0, 0), iteration(1, 0), change, iteration(2, 0), told("lower-level", 2)]
    assert standing([*dry, iteration(3, 0)])[1].tried == ("change-type", "lower-level")
    assert standing([*dry, iteration(3, 1), iteration(4, 0)])[1].tried == ()
    assert standing([*dry, iteration(3, 0), told("stalled", 3), iteration(4, 0)])[1].tried[-1] == "stalled"


def test_chronicle_an_iteration_without_a_proposal_is_barren() -> None:
    none = {"proposals": 0, "copies": 0, "solved": 0, "last_error": "no-seed"}
    assert standing([iteration(0, 1), iteration(1, 0, **none)])[1].barren
    assert not standing([iteration(0, 0, **none), iteration(1, 0)])[1].barren  # the last one tells
    assert not standing([iteration(0, 0, **none, episodes=0)])[1].barren
    assert not standing([iteration(0, 0, **none), told("demoted", 0)])[1].barren  # the level has moved since
    assert not standing([])[1].barren


@pytest.mark.parametrize("kind", ["promoted", "demoted"])
def test_chronicle_a_run_waits_after_its_level_moved(kind: str) -> None:
    assert standing([iteration(0, 0), iteration(1, 0), told(kind, 1)])[1].dry == 0
    assert standing([iteration(0, 0), told(kind, 0), iteration(1, 0)])[1].dry == 2


def test_chronicle_a_type_rests_for_three_iterations() -> None:
    events = [told("change-type", 4, rests="factual"), told("change-type", 6, rests="temporal")]
    assert [resting(events, number) for number in range(4, 11)] == [
        (),
        ("factual",),
        ("factual",),
        ("factual", "temporal"),
        ("temporal",),
        ("temporal",),
        (),
    ]
    closed = [iteration(number, 0) for number in range(5)]
    assert standing([*closed, events[0]])[1].types == ("temporal",)


def test_chronicle_a_topic_is_widened_as_often_as_there_are_widths() -> None:
    wider = [told("widen-topic", 0), told("widen-topic", 1)]
    assert [widened(wider[:n]) for n in range(3)] == [0, 1, 2]
    assert [standing(wider[:n], topic=True)[1].wider for n in range(3)] == [2, 1, 0]
    assert standing([], topic=False)[1].wider == 0
    assert WIDENINGS == (1, 4, 16)


def test_chronicle_an_action_is_kept_with_what_spoke_for_it() -> None:
    vitals = Vitals(10, 20, 2, 5, 0, (("factual", 10),), "wrong")
    event = action_event("r1", 2, Action("change-type", "So it was.", "factual"), vitals)
    assert (event.kind, event.reason, event.detail["rests"], event.detail["novelty"]) == (
        "change-type",
        "So it was.",
        "factual",
        0.9,
    )
    assert "rests" not in action_event("r1", 2, Action("stop", "So it was."), vitals).detail


def test_chronicle_an_action_moves_the_level_and_nothing_else_does() -> None:
    state = Curriculum(level="medium", iterations=4, scores=(0.5,), leaning=1)
    assert applied(Action("raise-level", "."), state) == Curriculum("hard", crossings=(0, 1, 0))
    assert applied(Action("lower-level", "."), state) == Curriculum("easy", crossings=(1, 0, 0))
    for kind in ("go-on", "stop", "stalled", *REMEDIES[:2]):
        assert applied(Action(kind), state) == state

"""What a run keeps of its iterations beside the episodes, and where it stands, read back from that (pure)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from drzero.loop.controller import REMEDIES, REST, Action, State, Vitals, together, vitals_of
from drzero.loop.curriculum import move, stuck_types
from drzero.loop.levels import moved
from drzero.text import counted
from drzero.types import Curriculum, Episode, Event

WIDENINGS = (1, 4, 16)  # how many times as many passages about the topic are drawn from: at first, widened, and again


def closing_events(
    run: str,
    iteration: int,
    episodes: Sequence[Episode],
    *,
    admitted: Collection[str] | None = None,
    former: Curriculum,
    recorded: Curriculum,
    after: Curriculum,
) -> list[Event]:
    """What there is to tell of an iteration: its vitals, how the level moved, that nothing was new, what got stuck.

    `admitted` are the ids of the episodes that gave an entry, all that were accepted by default. `former` is the
    curriculum at its start, `recorded` with all its episodes, `after` once it was closed.
    """
    vitals = vitals_of(episodes, admitted)
    told = [
        Event(
            run,
            iteration,
            "iteration",
            f"{vitals.accepted} of {counted(vitals.episodes, 'challenge')} gave an entry.",
            _figures(vitals) | {"level": recorded.level},
        )
    ]
    average = fmean(recorded.scores) if recorded.scores else 0.0
    figures = {"from": recorded.level, "to": after.level, "average": round(average, 4), "scores": len(recorded.scores)}
    said = f"The average of {counted(len(recorded.scores), 'score')} was {average:.2f}"
    if after.level != recorded.level:
        rises = after.level == moved(recorded.level, 1)
        bound = f"{recorded.promotion:g} or more" if rises else f"{recorded.demotion:g} or less"
        way = f"the level {'rises' if rises else 'falls'} from {recorded.level} to {after.level}"
        told.append(Event(run, iteration, "promoted" if rises else "demoted", f"{said}, {bound}: {way}.", figures))
    elif after.leaning:
        to = moved(recorded.level, 1 if after.leaning > 0 else -1)
        wait = f"the level has been to {to} and back, so more iterations must say so"
        told.append(Event(run, iteration, "held", f"{said}: {wait}.", figures | {"to": to, "leaning": after.leaning}))
    if not vitals.accepted:
        told.append(Event(run, iteration, "nothing-new", "This iteration brought no new entry."))
    for name in stuck_types(recorded):
        if name not in stuck_types(former):
            sentence = f"Challenges of type {name} do not succeed: it is asked at the floor only."
            told.append(Event(run, iteration, "stuck-type", sentence, {"type": name}))
    return told


def state_of(
    events: Sequence[Event],
    *,
    level: str,
    types: Sequence[str],
    topic: bool,
    patience: int,
    until_stalled: bool,
) -> tuple[Vitals, State]:
    """What `decide` needs, read back from a run's events, those of the iteration just closed included.

    `types` are all of the level. A run that moved its level by itself in the last iteration waits for what that brings.
    """
    closed = [event for event in events if event.kind == "iteration"]
    dry = 0
    while dry < len(closed) and not closed[-1 - dry].detail["accepted"]:
        dry += 1
    first = closed[-dry].iteration if dry else 0
    since = [event for event in events if event.iteration >= first] if dry else []
    tired = resting(events, closed[-1].iteration + 1) if closed else ()
    moves = {event.kind for event in events if closed and event.iteration == closed[-1].iteration}
    waits = bool({"promoted", "demoted"} & moves)
    state = State(
        level=level,
        types=tuple(name for name in types if name not in tired),
        dry=0 if waits else dry,
        tried=tuple(event.kind for event in since if event.kind in (*REMEDIES, "stalled")),
        wider=len(WIDENINGS) - 1 - widened(events) if topic else 0,
        patience=patience,
        until_stalled=until_stalled,
        barren=bool(closed) and not waits and _is_barren(closed[-1]),
    )
    return together([_vitals(event) for event in closed[-dry:]] if dry else []), state


def _is_barren(event: Event) -> bool:
    """Whether an iteration had challenges to find and not even a proposal for one."""
    return bool(event.detail["episodes"]) and not event.detail["proposals"]


def _figures(vitals: Vitals) -> dict[str, Any]:
    """Vitals as an event holds them: the counts, and the shares for a reader."""
    return asdict(vitals) | {"types": dict(vitals.types)} | vitals.shares


def _vitals(event: Event) -> Vitals:
    """The vitals that an iteration's event holds."""
    detail = event.detail
    counts = {name: detail[name] for name in ("episodes", "proposals", "copies", "solved", "accepted", "last_error")}
    return Vitals(**counts, types=tuple(detail["types"].items()))


def action_event(run: str, iteration: int, action: Action, vitals: Vitals) -> Event:
    """An action as a run keeps it, with the vitals that spoke for it."""
    rests = {"rests": action.subject} if action.subject else {}
    return Event(run, iteration, action.kind, action.reason, _figures(vitals) | rests)


def applied(action: Action, state: Curriculum) -> Curriculum:
    """The curriculum after an action: one level up or down, or as it was."""
    step = {"raise-level": 1, "lower-level": -1}.get(action.kind, 0)
    return move(state, step) if step else state


def resting(events: Sequence[Event], iteration: int) -> tuple[str, ...]:
    """The types that rest in `iteration`."""
    return tuple(
        event.detail["rests"]
        for event in events
        if event.kind == "change-type" and event.iteration < iteration <= event.iteration + REST
    )


def widened(events: Sequence[Event]) -> int:
    """How often a run has widened its topic."""
    return sum(event.kind == "widen-topic" for event in events)

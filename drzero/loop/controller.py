"""What a run does when its gains stall, decided from what its episodes came to (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from drzero.loop.levels import moved
from drzero.text import counted
from drzero.types import Episode

COPY = "near-copy"  # the refusal of a proposal that was asked before
STALE = 0.5  # novelty below which new proposals mostly repeat what was asked
REST = 3  # iterations that a type rests
REMEDIES = ("change-type", "widen-topic", "raise-level", "lower-level")


@dataclass(frozen=True, slots=True)
class Vitals:
    """What some episodes came to, counted. `solved` reached the solver, `copies` are proposals refused as repeats."""

    episodes: int = 0
    proposals: int = 0
    copies: int = 0
    solved: int = 0
    accepted: int = 0
    types: tuple[tuple[str, int], ...] = ()  # episodes by type
    last_error: str = ""  # why the latest episode that was not accepted ended

    @property
    def acceptance(self) -> float:
        """Accepted episodes among all, in [0,1]; 0.0 without any."""
        return self.accepted / self.episodes if self.episodes else 0.0

    @property
    def solve_rate(self) -> float:
        """Accepted episodes among those that reached the solver, in [0,1]; 0.0 without any."""
        return self.accepted / self.solved if self.solved else 0.0

    @property
    def novelty(self) -> float:
        """Proposals that were no repeats among all, in [0,1]; 1.0 without any."""
        return 1 - self.copies / self.proposals if self.proposals else 1.0

    @property
    def shares(self) -> dict[str, float]:
        """All shares by name, to four decimals."""
        return {name: round(getattr(self, name), 4) for name in ("acceptance", "solve_rate", "novelty")}


@dataclass(frozen=True, slots=True)
class State:
    """Where a run stands when an iteration has closed.

    `types` are those of the level that do not rest, `dry` the iterations in a row without a new entry, `tried` the
    actions since the last one, `wider` how often the topic can still be widened. `barren`: in the last iteration no
    passage offered anything to ask at this level.
    """

    level: str
    types: tuple[str, ...]
    dry: int
    tried: tuple[str, ...] = ()
    wider: int = 0
    patience: int = 2
    until_stalled: bool = False
    barren: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """What to do next: `kind` is go-on, stalled, stop or one of `REMEDIES`; `reason` is a sentence, "" for go-on.

    `subject` is the type that is to rest, for change-type.
    """

    kind: str
    reason: str = ""
    subject: str = ""


def vitals_of(episodes: Sequence[Episode], admitted: Collection[str] | None = None) -> Vitals:
    """The vitals of episodes, in the order in which they ended; accepted are those in `admitted` where that is given.

    An accepted answer to a question that has an entry already is no new one.
    """
    refused = Counter[str]()
    for episode in episodes:
        refused.update(dict(episode.rejections))
    errors = [episode.reason for episode in episodes if episode.status != "accepted"]
    return Vitals(
        episodes=len(episodes),
        proposals=refused.total() + sum(episode.challenge is not None for episode in episodes),
        copies=refused[COPY],
        solved=sum(bool(episode.attempts) for episode in episodes),
        accepted=sum(
            episode.status == "accepted" and (admitted is None or episode.id in admitted) for episode in episodes
        ),
        types=tuple(Counter(episode.type for episode in episodes).items()),
        last_error=errors[-1] if errors else "",
    )


def together(parts: Sequence[Vitals]) -> Vitals:
    """The vitals of all episodes of several iterations, given oldest first."""
    types = Counter[str]()
    for part in parts:
        types.update(dict(part.types))
    return Vitals(
        episodes=sum(part.episodes for part in parts),
        proposals=sum(part.proposals for part in parts),
        copies=sum(part.copies for part in parts),
        solved=sum(part.solved for part in parts),
        accepted=sum(part.accepted for part in parts),
        types=tuple(types.items()),
        last_error=next((part.last_error for part in reversed(parts) if part.last_error), ""),
    )


def decide(vitals: Vitals, state: State) -> Action:
    """What to do after an iteration; `vitals` are of the iterations in a row without a new entry.

    Nothing, as long as there are fewer than `state.patience` of them. Then one remedy after each, the likeliest first
    and none twice before the next entry. What is likeliest, the vitals say: when proposals repeat what was asked, other
    passages or types are wanted; when challenges are found but not solved, easier ones; when none are found, other
    types. A level that was raised in vain is lowered again, but not the other way round. With every remedy tried, the
    run has stalled: it stops if that was asked for. A level at which nothing can be asked at all is lowered at once,
    however often: its challenges bring no scores by which the curriculum would.
    """
    if state.barren and (level := moved(state.level, -1)) != state.level:
        why = f"No passage offers a challenge at level {state.level}"
        return Action("lower-level", f"{why}: the level goes from {state.level} to {level}.")
    if state.dry < state.patience:
        return Action("go-on")
    since = f"{counted(state.dry, 'iteration')} brought no new entry"
    for kind, why in _remedies(vitals):
        if kind in state.tried or (kind == "raise-level" and "lower-level" in state.tried):
            continue
        if kind == "change-type" and len(state.types) > 1:
            most = _most_asked(vitals, state.types)
            return Action(kind, f"{since}, {why}: {most} rests for {REST} iterations.", most)
        if kind == "widen-topic" and state.wider:
            return Action(kind, f"{since}, {why}: challenges are drawn from more passages about the topic.")
        if kind in ("raise-level", "lower-level"):
            level = moved(state.level, 1 if kind == "raise-level" else -1)
            if level != state.level:
                return Action(kind, f"{since}, {why}: the level goes from {state.level} to {level}.")
    if state.until_stalled:
        return Action("stop", f"{since}, and nothing is left to change: the run has stalled.")
    if "stalled" in state.tried:
        return Action("go-on")
    return Action("stalled", f"{since}, and nothing is left to change: the run goes on as it is.")


def _remedies(vitals: Vitals) -> list[tuple[str, str]]:
    """(kind of remedy, what speaks for it), the likeliest first."""
    kinds: tuple[str, ...]
    if vitals.novelty < STALE:
        why = f"{vitals.copies} of {counted(vitals.proposals, 'proposal')} repeat what was asked"
        kinds = ("widen-topic", "change-type", "raise-level")
    elif 2 * vitals.solved >= vitals.episodes:
        why = f"{vitals.solved} of {counted(vitals.episodes, 'challenge')} were asked and none was solved"
        kinds = ("lower-level", "change-type", "widen-topic")
    else:
        why = f"{vitals.episodes - vitals.solved} of {counted(vitals.episodes, 'challenge')} found no good question"
        kinds = ("change-type", "widen-topic", "lower-level", "raise-level")
    return [(kind, why) for kind in kinds]


def _most_asked(vitals: Vitals, types: Sequence[str]) -> str:
    """The type that most of the vain episodes were of; the first of them when several are."""
    asked = dict(vitals.types)
    return max(types, key=lambda name: asked.get(name, 0))

"""Prompt variants as a bandit: Thompson sampling over the wordings of a prompt (pure).

Thompson (1933): each wording's chance of success is drawn from Beta(1 + won, 1 + lost), and the highest draw is taken.
Wordings are tried on challenges that were set aside, all in the same order, so that they are compared like with like.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

USUAL = ""  # the name of the usual wording
LEAST_TRIALS = 6  # of a wording, before an episode may be asked with it


@dataclass(frozen=True, slots=True)
class Arm:
    """One wording and how often it won and lost where it was tried. `name` is "" for the usual one."""

    name: str
    won: int = 0
    lost: int = 0

    @property
    def trials(self) -> int:
        """How often it was tried."""
        return self.won + self.lost


def arms_of(names: Sequence[str], outcomes: Sequence[tuple[str, bool]]) -> tuple[Arm, ...]:
    """The arms `names` with the (name, won) of their trials counted; those of other wordings are left out."""
    return tuple(
        Arm(
            name,
            won=sum(won for tried, won in outcomes if tried == name),
            lost=sum(not won for tried, won in outcomes if tried == name),
        )
        for name in names
    )


def draw(arms: Sequence[Arm], rng: Random) -> str:
    """The wording for an episode. Until the usual one and another had `LEAST_TRIALS` trials it is the usual one."""
    known = [arm for arm in arms if arm.trials >= LEAST_TRIALS]
    return _thompson(known, rng) if any(arm.name == USUAL for arm in known) else USUAL


def next_trial(arms: Sequence[Arm], rng: Random) -> str:
    """The wording to try next: the one tried least until each had `LEAST_TRIALS`, in their order; then as drawn."""
    fewest = min(arms, key=lambda arm: arm.trials)
    return fewest.name if fewest.trials < LEAST_TRIALS else _thompson(arms, rng)


def _thompson(arms: Sequence[Arm], rng: Random) -> str:
    drawn = [(rng.betavariate(1 + arm.won, 1 + arm.lost), arm.name) for arm in arms]
    return max(drawn)[1]

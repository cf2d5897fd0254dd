"""Search settings calibrated on challenges whose gold chunks are known: what words weigh, how many passages are read.

Pure: it is told at which ranks each setting found the gold chunks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WEIGHTS = (0.5, 0.6, 0.7, 0.8, 0.9)  # of words against meaning; the usual one among them
MOST_READ = 8
LEAST_CHALLENGES, LEAST_HELD_OUT = 20, 6
PRIOR = 30  # challenges that the usual settings count for
COST = 0.01  # of reading one passage more: it must bring the evidence of one question in a hundred

Ranks = Mapping[float, Sequence[int]]
"""Of one challenge: by weight of words the rank of each gold chunk, from 1; 0 where it was not found."""


@dataclass(frozen=True, slots=True)
class Search:
    """How passages are found and how many of them are read. `lexical_weight` in [0,1], `passages` at least 1."""

    lexical_weight: float
    passages: int


@dataclass(frozen=True, slots=True)
class Searched:
    """What a calibration came to, and what it rests on.

    `search` is what to use: the usual settings unless others gain, on `held_out` challenges too. The gains are of
    `wanted`, against the usual settings, in goodness (see `goodness`).
    """

    search: Search
    wanted: Search
    gain: float
    held_out_gain: float
    challenges: int
    held_out: int


def found_all(ranks: Sequence[int], passages: int) -> bool:
    """Whether all gold chunks are among the first `passages`."""
    return bool(ranks) and all(0 < rank <= passages for rank in ranks)


def goodness(challenges: Sequence[Ranks], search: Search, usual: Search) -> float:
    """Share of challenges all of whose gold chunks are read, less `COST` for each passage more than usual.

    Fewer are no gain of their own: what is found at them all is found among the usual ones as well.
    """
    found = sum(found_all(ranks[search.lexical_weight], search.passages) for ranks in challenges)
    return found / len(challenges) - COST * max(search.passages - usual.passages, 0)


def calibrate_search(
    challenges: Sequence[Ranks], held_out: Sequence[Ranks], usual: Search, *, most: int = MOST_READ
) -> Searched | None:
    """The settings that read the evidence of most challenges; None when there are too few to tell.

    `most` is how many passages may be read at all.
    The gain of other settings is shrunk by n / (n + `PRIOR`) and must be more than `COST`; and on the challenges that
    were held out they must be better than the usual ones. Else those stay.
    """
    if len(challenges) < LEAST_CHALLENGES or len(held_out) < LEAST_HELD_OUT:
        return None
    here = goodness(challenges, usual, usual)
    options = [Search(weight, passages) for weight in WEIGHTS for passages in range(1, most + 1)]
    # of equals the nearest to the usual
    wanted = max(
        options,
        key=lambda one: (
            round(goodness(challenges, one, usual), 9),
            -abs(one.lexical_weight - usual.lexical_weight),
            -abs(one.passages - usual.passages),
            one.passages,
        ),
    )
    count = len(challenges)
    gain = (goodness(challenges, wanted, usual) - here) * count / (count + PRIOR)
    held_out_gain = goodness(held_out, wanted, usual) - goodness(held_out, usual, usual)
    better = gain > COST and held_out_gain > 0
    return Searched(wanted if better else usual, wanted, gain, held_out_gain, count, len(held_out))

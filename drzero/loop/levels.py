"""What each level of the curriculum asks for: searches and distractors. Its types stand in the profile (pure)."""

from __future__ import annotations

from dataclasses import dataclass

from drzero.types import LEVELS


@dataclass(frozen=True, slots=True)
class Level:
    """The demands of one level.

    `searches` is how many queries the solver may ask for one challenge, `more_distractors` how many foreign chunks the
    noise gate mixes in beyond the setting's: a gate that adds to the setting never has fewer than the metric
    `ssp.noise_tolerance` is defined by. How many articles a question needs follows from its type.
    """

    name: str
    searches: int
    more_distractors: int


LEVEL_RULES = (
    Level("easy", searches=1, more_distractors=0),
    Level("medium", searches=2, more_distractors=0),
    Level("hard", searches=3, more_distractors=1),
    Level("expert", searches=3, more_distractors=2),
)
_BY_NAME = {level.name: level for level in LEVEL_RULES}


def rules(level: str) -> Level:
    """The demands of `level`; KeyError for a name that is none of `LEVELS`."""
    return _BY_NAME[level]


def moved(level: str, step: int) -> str:
    """The level `step` above (or below) `level`; the hardest and the easiest have nothing beyond them."""
    return LEVELS[min(max(LEVELS.index(level) + step, 0), len(LEVELS) - 1)]

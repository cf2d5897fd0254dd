from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from drzero.loop.levels import LEVEL_RULES, moved, rules
from drzero.types import LEVELS

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "evolve.md"


def test_levels_have_rules_in_their_order() -> None:
    assert tuple(level.name for level in LEVEL_RULES) == LEVELS
    assert [rules(name).searches for name in LEVELS] == [1, 2, 3, 3]
    with pytest.raises(KeyError):
        rules("legendary")


def test_levels_demand_no_less_the_higher_they_are() -> None:
    for lower, higher in pairwise(LEVEL_RULES):
        assert lower.searches <= higher.searches
        assert 0 <= lower.more_distractors <= higher.more_distractors


def test_levels_end_at_the_easiest_and_the_hardest() -> None:
    assert [moved(level, 1) for level in LEVELS] == ["medium", "hard", "expert", "expert"]
    assert [moved(level, -1) for level in LEVELS] == ["easy", "easy", "medium", "hard"]


def test_levels_stand_in_the_guide() -> None:
    for level in LEVEL_RULES:
        more = f"{level.more_distractors} more" if level.more_distractors else "`distractors`"
        assert f"| {level.name} | {level.searches} | {more} |" in GUIDE.read_text(encoding="utf-8")

"""How new a question is against those asked before (pure)."""

from __future__ import annotations

from drzero.loop import facts
from drzero.text import words

NEAR_COPY = 0.75  # similarity from which a question counts as asked before


def similarity(one: str, other: str) -> float:
    """How much two questions are alike, in [0,1]: the Jaccard similarity of their content stems, in any order.

    Questions that ask differently ("when" for "where") of the same things count only half as alike.
    """
    ours, theirs = set(facts.content_stems(one)), set(facts.content_stems(other))
    union = len(ours | theirs)
    alike = len(ours & theirs) / union if union else 1.0
    return alike if words(one)[:1] == words(other)[:1] else alike / 2

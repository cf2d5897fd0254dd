"""The part of a passage that a claim is about: the smallest window that holds its evidence (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from drzero.loop import facts
from drzero.text import sentences

MOST_SENTENCES = 3
LEAST_GAIN = 0.08  # share of the claim's content words that one more sentence must add


def window(claim: str, passage: str, *, place: str = "", language: str = "en") -> str:
    """The sentences of `passage` that cover `claim` best, in their order, at most `MOST_SENTENCES` for each of its own.

    The one that covers most comes first; another is added only while it adds `LEAST_GAIN`, and never for a number
    alone, so that a date is not borrowed from a neighbour. `place`, title and headings, covers what it names. A passage
    that shares no word with the claim is returned whole.
    """
    said = _read(passage, language)
    if len(said) < 2:
        return passage
    aside = set(facts.content_stems(place))
    chosen = {
        at
        for start, end in sentences(claim, language)
        for at in _chosen(set(facts.content_stems(claim[start:end])) - aside, said)
    }
    return " ".join(said[at][0] for at in sorted(chosen)) if chosen else passage


@lru_cache(maxsize=64)
def _read(passage: str, language: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences of a passage with their stems; kept, as each part of a claim asks for them."""
    texts = (passage[start:end] for start, end in sentences(passage, language))
    return tuple((text, frozenset(facts.content_stems(text))) for text in texts)


def _chosen(wanted: set[str], said: Sequence[tuple[str, frozenset[str]]]) -> list[int]:
    own = [wanted & stems for _, stems in said]
    chosen: list[int] = []
    covered: set[str] = set()
    while len(chosen) < MOST_SENTENCES:
        new = [{word for word in one - covered if not (chosen and word.isdecimal())} for one in own]
        best = max(range(len(said)), key=lambda i: (len(new[i]), -i))
        gain = len(new[best])
        if not gain or (chosen and gain < LEAST_GAIN * len(wanted)):
            break
        chosen.append(best)
        covered |= own[best]
    return chosen

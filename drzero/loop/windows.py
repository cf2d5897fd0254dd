"""The part of a passage that a claim is about: the smallest window that holds its evidence (pure)."""

from __future__ import annotations

from drzero.loop import facts
from drzero.text import sentences

MOST_SENTENCES = 3
LEAST_GAIN = 0.08  # share of the claim's content words that one more sentence must add


def window(claim: str, passage: str, *, place: str = "", language: str = "en") -> str:
    """The sentences of `passage` that cover `claim` best, in their order, at most `MOST_SENTENCES`.

    The one that covers most comes first; another is added only while it adds `LEAST_GAIN`, and never for a number
    alone, so that a date is not borrowed from a neighbour. `place`, title and headings, covers what it names. A passage
    that shares no word with the claim is returned whole.
    """
    spans = sentences(passage, language)
    if len(spans) < 2:
        return passage
    wanted = set(facts.content_stems(claim)) - set(facts.content_stems(place))
    said = [wanted & set(facts.content_stems(passage[start:end])) for start, end in spans]
    chosen: list[int] = []
    covered: set[str] = set()
    while len(chosen) < MOST_SENTENCES:
        new = [{word for word in own - covered if not (chosen and word.isdecimal())} for own in said]
        best = max(range(len(spans)), key=lambda i: (len(new[i]), -i))
        gain = len(new[best])
        if not gain or (chosen and gain < LEAST_GAIN * len(wanted)):
            break
        chosen.append(best)
        covered |= said[best]
    if not chosen:
        return passage
    return " ".join(passage[slice(*spans[i])] for i in sorted(chosen))

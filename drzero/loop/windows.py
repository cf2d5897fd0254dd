"""The part of a passage that a claim is about: the smallest window that holds its evidence (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from drzero.loop import facts
from drzero.text import Span, sentences

MOST_SENTENCES = 3
MOST_LIST_CHARS = 600
_PLAIN_ITEM = re.compile(r"[^:]*[^:.!?。？！]|(?:[-*•–]|\(?\d{1,2}[.)])\s.*")  # no sentence, no "name: value"
_ITEM = re.compile(r"(?:[-*•–]|\(?\d{1,2}[.)])\s")
LEAST_GAIN = 0.08  # share of the claim's content words that one more sentence must add


def window(claim: str, passage: str, *, place: str = "", language: str = "en") -> str:
    """The sentences of `passage` that cover `claim` best, in their order, at most `MOST_SENTENCES` for each of its own.

    The one that covers most comes first; another is added only while it adds `LEAST_GAIN`. Figures choose none, so that a date is not borrowed from a neighbour. `place`, title and headings, covers what it names. A passage
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
    texts = (passage[start:end] for start, end in _with_lists(passage, sentences(passage, language)))
    return tuple((text, frozenset(facts.content_stems(text))) for text in texts)


def _with_lists(passage: str, spans: Sequence[Span]) -> list[Span]:
    """`spans` with each run of list lines joined to the line that it stands under: together they are one sentence."""
    found: list[Span] = []
    under = False
    for start, end in spans:
        line = passage[passage.rfind("\n", 0, start) + 1 : (passage.find("\n", end) + 1 or len(passage) + 1) - 1]
        whole = line.strip() == passage[start:end]
        within = whole and (under or bool(_ITEM.match(line.lstrip()))) and _PLAIN_ITEM.fullmatch(line.strip())
        if within and found and end - found[-1][0] <= MOST_LIST_CHARS:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
        under = bool(within) or passage[start:end].endswith(":")
    return found


def _chosen(wanted: set[str], said: Sequence[tuple[str, frozenset[str]]]) -> list[int]:
    own = [wanted & stems for _, stems in said]
    figures = {word for word in wanted if word.isdecimal()}
    aside = figures if wanted - figures else set()
    chosen: list[int] = []
    covered: set[str] = set()
    while len(chosen) < MOST_SENTENCES:
        new = [one - covered - (figures if chosen else aside) for one in own]
        best = max(range(len(said)), key=lambda i: (len(new[i]), -i))
        gain = len(new[best])
        if not gain or (chosen and gain < LEAST_GAIN * len(wanted)):
            break
        chosen.append(best)
        covered |= own[best]
    return chosen

"""Passages that say the same: one of them is enough for whoever reads the result.

Two passages are twins when they share nine tenths of their words and every number and every word with a capital
letter: pages made from one template differ in just those, and are different facts. Under different titles a short text
may be of two things; a longer one is the same paragraph in two articles.
"""

from __future__ import annotations

from dataclasses import dataclass

from drzero.text import word_spans, words
from drzero.types import Chunk

_SHARED = 0.9  # of the words of either
_WORDS_THAT_TELL = 20  # without the title


@dataclass(frozen=True, slots=True)
class Wording:
    """What a passage says, without order: its words, and those that tell it from others of its kind."""

    index: int
    chunk: Chunk
    words: frozenset[str]
    facts: frozenset[str]


def wording(index: int, chunk: Chunk) -> Wording:
    """The wording of a chunk of index number `index`."""
    text = chunk.text
    named = (text[start:end] for start, end in word_spans(text))
    facts = frozenset(word.casefold() for word in named if word[0].isupper() or any(map(str.isdigit, word)))
    return Wording(index, chunk, frozenset(words(text)), facts)


def twins(left: Wording, right: Wording) -> bool:
    """Whether two passages say the same, or are mostly the same stretch of one article."""
    one, other = left.chunk, right.chunk
    if left.index == right.index and one.path == other.path:
        overlap = min(one.end, other.end) - max(one.start, other.start)
        if 2 * overlap > min(one.end - one.start, other.end - other.start):
            return True
    if left.facts != right.facts or (one.title != other.title and len(left.words) < _WORDS_THAT_TELL):
        return False
    return len(left.words & right.words) >= _SHARED * len(left.words | right.words)

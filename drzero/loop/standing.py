"""Whether an answer can be read without its question, as an encyclopedia prints it (pure)."""

from __future__ import annotations

from drzero.loop import facts
from drzero.loop.verbs import SUBJECT_WORD, finite_verbs, plain_words

_DEPENDENT = frozenset("because since so due that when where which who".split())


def is_whole(answer: str, question: str) -> bool:
    """Whether `answer` is a statement by itself: it names what `question` is about, or has a subject and a verb.

    "In version 3.7." and "John Fowler and Benjamin Baker." are fragments, which their question completes. What is not
    in English is told by names alone.
    """
    words = plain_words(answer)
    if words and words[0].low in _DEPENDENT and "," not in answer:
        return False
    verbs = finite_verbs(words)
    before = words[: verbs[0]] if verbs else []
    if before and before[-1].low not in SUBJECT_WORD and facts.content_stems(answer[: before[-1].end]):
        return True
    said = set(facts.content_stems(answer))
    if any(name in answer for name in facts.identifiers(question)):
        return len(said) > 1
    named = {stem for name in facts.names(question) for stem in facts.content_stems(name)}
    return bool(named & said) and bool(said - named)

"""Whether an answer says what the reference says: by words, numbers and denials, no model asked (pure)."""

from __future__ import annotations

from collections.abc import Sequence

from drzero.loop import facts
from drzero.text import token_f1, words

MIN_AGREEMENT = 0.6  # share of what the reference adds to the question that an answer must have
NAME_WORDS = 3  # an aspect of so few words must be in an answer whole


def new_stems(answer: str, question: str) -> list[str]:
    """Content stems that an answer adds to its question."""
    asked = set(facts.content_stems(question))
    return [word for word in facts.content_stems(answer) if word not in asked]


def agrees(answer: str, reference: str, question: str, aspects: Sequence[str] = ()) -> bool:
    """Whether an answer says what the reference adds to the question.

    With expected `aspects` it must have each of them; without, `MIN_AGREEMENT` of the reference's new content words and
    all its new numbers. Always False when the reference adds nothing, or when one denies what the other says.
    """
    if facts.denies(answer, reference):
        return False
    if aspects:
        return all(_has(answer, aspect) for aspect in aspects)
    if facts.numbers(reference) - facts.numbers(question) - facts.numbers(answer):
        return False
    wanted = new_stems(reference, question)
    have = set(facts.content_stems(answer))
    return bool(wanted) and facts.share(wanted, have) >= MIN_AGREEMENT


def _has(answer: str, aspect: str) -> bool:
    """Whether an answer has a name or number whole, or most of the words of anything else."""
    said = {facts.stem(word) for word in words(answer)}
    wanted = [facts.stem(word) for word in words(aspect)]
    if len(wanted) <= NAME_WORDS:
        return said.issuperset(wanted)
    return facts.cover(aspect, answer) >= MIN_AGREEMENT


def agreement(answer: str, reference: str, question: str) -> float:
    """How far an answer says what the reference says: the greater of token F1 and containment; 0 when one denies.

    Containment is the share of the reference's content words, those of the question left out, that the answer has: a
    full sentence agrees with a reference of one word. A number of the reference that the answer lacks halves it.
    """
    if (facts.negations(answer) > 0) != (facts.negations(reference) > 0) and facts.negations(question) == 0:
        return 0.0
    asked, have = set(facts.content_stems(question)), set(facts.content_stems(answer))
    stated = facts.content_stems(reference)
    wanted = [stem for stem in stated if stem not in asked] or stated
    containment = sum(stem in have for stem in wanted) / len(wanted) if wanted else 0.0
    agreed = max(token_f1(answer, reference), containment) if words(answer) and words(reference) else 0.0
    return agreed / 2 if facts.numbers(reference) - facts.numbers(answer) - facts.numbers(question) else agreed

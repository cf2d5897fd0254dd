"""Whether claim and evidence deny alike (pure)."""

from __future__ import annotations

import re

from drzero.loop.facts.denials import denied_words, excepted_words, negations
from drzero.loop.facts.opposites import are_opposites
from drzero.loop.facts.wording import clauses, content_stems, cover, nearest_clause, nearest_sentence, share, stem
from drzero.text import words
from drzero.types import Fault

# Words that deny by what they are made of.
_NEGATIVE = re.compile(
    r"\b(?:negative(?:ly)?|un(?!der|til|it|iv|iq|cle|ion|less)\w{4,}|(?!un)\w{3,}less"
    r"|(?!invalua|inflamm)i[nmlr]\w{3,}(?:able|ible))\b",
    re.IGNORECASE,
)
_WHOLE = 0.75  # of the claim's words, in one clause that denies


def denies(claim: str, evidence: str) -> bool:
    """Whether one of the two denies what the other says.

    Of the evidence only the clause that covers the claim best is looked at: a denial elsewhere in a long sentence is
    about something else.
    """
    nearest = nearest_clause(claim, evidence)
    denied = negations(nearest) > 0 if negations(claim) == 0 else negations(evidence) > 0
    return (negations(claim) > 0) != denied


def negation_fault(claim: str, evidence: str, nearest: str = "") -> Fault | None:
    """A denial that only one of the two has, of words that both have.

    What only the evidence denies counts when the claim says it: "never learned to drive" against "learned to drive". A
    claim that denies needs a denial in the evidence, or a word that means the opposite of what it denies.
    """
    nearest = nearest or nearest_sentence(claim, evidence)
    ours, theirs = denied_words(claim), denied_words(nearest)
    said, stated = content_stems(claim), content_stems(nearest)
    left_out = [] if excepted_words(claim) else excepted_words(nearest)
    excepted = [one[:2] for one in left_out if set(one[:2]) <= set(said)]
    if excepted and not negations(claim):
        rest = [word for word in said if word not in excepted[0]]
        if rest and share(rest, set(stated)) >= _WHOLE:
            return Fault("negation", "The evidence leaves out what the claim says it of.", "contradicted")
    if excepted:
        return None
    if ours and not theirs:
        denied = {word for one in ours for word in one} or set(said)
        if _told_otherwise(denied, nearest, claim) or _negative(claim, nearest):
            return None
        return Fault("negation", "The claim denies something that the evidence does not.", "contradicted")
    if _affirmed(ours, theirs, set(stated)):
        return Fault("negation", "The claim denies something that the evidence does not.", "contradicted")
    if _affirmed(theirs, ours, set(said)) and not _said_as_often(theirs, nearest, said):
        return Fault("negation", "The evidence denies something that the claim does not.", "contradicted")
    bridged = _told_otherwise({word for one in theirs for word in one}, claim, nearest)
    if theirs and not bridged and denies(claim, nearest) and cover(claim, nearest_clause(claim, nearest)) >= _WHOLE:
        return Fault("negation", "The evidence denies something that the claim does not.", "contradicted")
    return None


def _told_otherwise(denied: set[str], there: str, here: str) -> bool:
    """Whether what one side denies has its opposite on the other: "did not differ" and "the same"."""
    fresh = {stem(word) for word in words(there)} - {stem(word) for word in words(here)}
    return any(are_opposites(one, two) for one in denied for two in fresh)


def _negative(claim: str, nearest: str) -> bool:
    """Whether the clause nearest to the claim has a word of its own that denies by what it is made of: unchanged."""
    said = set(words(claim))
    return any(match[0].casefold() not in said for match in _NEGATIVE.finditer(nearest_clause(claim, nearest)))


def _affirmed(denials: list[list[str]], others: list[list[str]], words_there: set[str]) -> bool:
    """Whether something denied on one side is said on the other, where nothing of it is denied."""
    denied_there = {word for one in others for word in one}
    return any(
        bool(one[:2]) and all(word in words_there for word in one[:2]) and not denied_there & set(one[:3])
        for one in denials
    )


def _said_as_often(denials: list[list[str]], nearest: str, said: list[str]) -> bool:
    """Whether the evidence says all that it denies elsewhere without denial, as often as the claim does."""
    free = content_stems(" ; ".join(clause for clause in clauses(nearest) if not negations(clause)))
    return all(free.count(one[0]) >= said.count(one[0]) for one in denials if one)

"""Whether claim and evidence deny alike (pure)."""

from __future__ import annotations

import re

from drzero.loop.opposites import are_opposites
from drzero.loop.wording import clauses, content_stems, cover, nearest_clause, nearest_sentence
from drzero.text import words
from drzero.types import Fault

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|fails? to|failed to|failing to"
    r"|refus(?:e[sd]?|ing) to|declin(?:e[sd]?|ing) to|lack(?:s|ed|ing)?|hardly|rarely|seldom|scarcely|barely|yet to"
    r"|zero|devoid|instead of|rather than|stop(?:s|ped)? short of|(?:stay|keep|steer)(?:s|ed|ing)? (?:away|clear) from"
    r"|avoid(?:s|ed|ing)?|den(?:y|ies|ied|ying)|prevent(?:s|ed|ing)?|forbid(?:s|den)?|prohibit(?:s|ed)?|reject(?:s|ed)?"
    r"|passed (?:along|on|over)|\w+n['’]t)\b",
    re.IGNORECASE,
)
# Phrases that hold a word of denial and deny nothing.
_NO_DENIAL = re.compile(
    r"\bnot (?:only|really|just|merely|solely|simply|least|until)\b"
    r"|\bno (?:fewer|less|more|later|sooner|earlier|longer) than\b"
    r"|\bno doubt\b|\bwithout (?:a )?doubt\b|\bnothing (?:but|more than)\b|\bwhether or not\b|\bno matter\b"
    r"|\b(?:if|or) not\b|\bNos?\.|\[not in citation given\]|\bnot to be confused\b",
    re.IGNORECASE,
)
_DOUBLE = re.compile(
    r"\b(?:not|never|no|cannot|\w+n't|without)\s(?:\w+\s)?(?:not|without|unable|incapable|impossible|infrequent(?:ly)?"
    r"|insignificant|uncommon|unlike(?:ly)?|unknown|unusual|fail(?:s|ed|ing)?(?: to)?"
    r"|refus(?:e[sd]?|ing)(?: to)?|declin(?:e[sd]?|ing) to"
    r"|lack(?:s|ed|ing)?|den(?:y|ies|ied|ying)|avoid(?:s|ed|ing)?|prevent(?:s|ed|ing)?|yet to)\b",
    re.IGNORECASE,
)
_WHOLE = 0.75  # of the claim's words, in one clause that denies
_SCOPE = 5  # words behind a denial that it may be about


def negations(text: str) -> int:
    """How many words of denial `text` has."""
    return len(_NEGATION.findall(_DOUBLE.sub(" ", _NO_DENIAL.sub(" ", text))))


def denied_words(text: str) -> list[list[str]]:
    """For each denial of `text` the stems of the content words that it is about: those that follow in its clause."""
    text = _DOUBLE.sub(" ", _NO_DENIAL.sub(" ", text))
    found = []
    for match in _NEGATION.finditer(text):
        behind = clauses(text[match.end() :])[:1] if not re.match(r"\s*[,;:.]", text[match.end() :]) else []
        found.append(content_stems(" ".join(words(" ".join(behind))[: _SCOPE + 3]))[:_SCOPE])
    return found


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
    if ours and not theirs:
        denied = {word for one in ours for word in one} or set(said)
        if any(are_opposites(one, two) for one in denied for two in set(stated) - set(said)):
            return None
        return Fault("negation", "Only the claim denies.", "contradicted")
    if _affirmed(ours, theirs, set(stated)):
        return Fault("negation", "Only the claim denies.", "contradicted")
    if _affirmed(theirs, ours, set(said)) and not _said_twice(theirs, nearest):
        return Fault("negation", "Only the evidence denies.", "contradicted")
    if theirs and denies(claim, nearest) and cover(claim, nearest_clause(claim, nearest)) >= _WHOLE:
        return Fault("negation", "Only the evidence denies.", "contradicted")
    return None


def _affirmed(denials: list[list[str]], others: list[list[str]], words_there: set[str]) -> bool:
    """Whether something denied on one side is said on the other, where nothing of it is denied."""
    denied_there = {word for one in others for word in one}
    return any(
        bool(one[:2]) and all(word in words_there for word in one[:2]) and not denied_there & set(one[:3])
        for one in denials
    )


def _said_twice(denials: list[list[str]], nearest: str) -> bool:
    """Whether the evidence says without denial, elsewhere, all that it denies."""
    free = set(content_stems(" ; ".join(clause for clause in clauses(nearest) if not negations(clause))))
    return all(one[0] in free for one in denials if one)

"""Whether a claim tells the evidence's deed with doer and sufferer exchanged (pure)."""

from __future__ import annotations

import re

from drzero.loop.names import read_names
from drzero.loop.wording import clauses, content_stems, nearest_sentence, stem
from drzero.text import words
from drzero.types import Fault

# Stems of deeds and orders that do not hold the other way round.
_ONE_WAY = frozenset(
    stem(word)
    for word in (
        "defeated defeat beat beaten beats succeeded succeeds preceded precedes replaced replaces followed follows "
        "founded invaded attacked conquered killed kills murdered assassinated taught teaches influenced influences "
        "inspired discovered invented created wrote written directed produced composed owned owns acquired bought "
        "sold sued criticised criticized praised elected appointed fathered adopted raised hired fired employed "
        "employs led contains contained includes included calls called imports exports exceeds exceeded outsold "
        "outnumbered overtook captured betrayed married_off supported supports opposed eats ate hunts hunted absorbs "
        "surrounds represented represents controls controlled governs governed rules ruled mentored coached signed "
        "rescued saved blamed accused arrested exiled executed overthrew overthrown deposed annexed colonised "
        "colonized occupied larger smaller older younger taller shorter higher lower faster slower heavier lighter "
        "bigger longer earlier later better worse stronger weaker richer poorer warmer colder north south east west "
    ).split()
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|being|be)\s(?:\w+ly\s)?$", re.IGNORECASE)
_COMPARED = re.compile(r"\s(?:than|of)\b")
_BY_AT_ONCE = re.compile(r"\s(?:\w+ly\s)?by\b", re.IGNORECASE)
_BY = re.compile(r"\s(?:\w+\s){0,3}?by\b", re.IGNORECASE)


def _sides(text: str, verb: str) -> tuple[str, str] | None:
    """What does the deed and what suffers it: the words before and behind the verb, exchanged in the passive voice.

    None where the verb does not stand once, or in the passive voice without a doer.
    """
    found = [match for match in re.finditer(r"[^\W\d_]+", text) if stem(match[0].casefold()) == verb]
    if len(found) != 1:
        return None
    before, behind = text[: found[0].start()], text[found[0].end() :]
    if _BY_AT_ONCE.match(behind) or (_PASSIVE.search(before) and _BY.match(behind)):
        return behind, before
    if _PASSIVE.search(before) and not _COMPARED.match(behind):
        return None
    return before, behind


def role_fault(claim: str, evidence: str, nearest: str = "") -> Fault | None:
    """Two names, or all the words, on either side of the same deed, exchanged: "A defeated B" for "B defeated A"."""
    nearest = nearest or nearest_sentence(claim, evidence)
    stated = {stem(word) for word in words(nearest)}
    for word in words(claim):
        verb = stem(word)
        if verb not in _ONE_WAY or verb not in stated:
            continue
        ours = _sides(claim, verb)
        for piece in [nearest, *clauses(nearest)]:
            theirs = _sides(piece, verb)
            if ours and theirs and _exchanged(ours, theirs):
                return Fault(
                    "roles", f'The evidence has doer and sufferer of "{word}" the other way round.', "contradicted"
                )
    return None


def _exchanged(ours: tuple[str, str], theirs: tuple[str, str]) -> bool:
    (doer, sufferer), (left, right) = ours, theirs
    return _swapped(_subjects(doer), _subjects(sufferer), left, right)


def _subjects(text: str) -> list[str]:
    """The stems that tell who: of the names, or of all content words where nothing is capitalised."""
    named = [word for name in read_names(f"… {text}") for word in name.words]
    return [stem(word) for word in words(" ".join(named))] or content_stems(text)


def _swapped(doer: list[str], sufferer: list[str], left: str, right: str) -> bool:
    before, behind = {stem(word) for word in words(left)}, {stem(word) for word in words(right)}
    return (
        bool(doer and sufferer)
        and all(word in behind and word not in before for word in doer)
        and all(word in before and word not in behind for word in sufferer)
    )

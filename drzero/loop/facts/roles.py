"""Whether a claim tells the evidence's deed with doer and sufferer exchanged (pure)."""

from __future__ import annotations

import re
from collections import Counter

from drzero.loop.facts.names import read_names
from drzero.loop.facts.wording import STOP_WORDS, clauses, content_stems, nearest_sentence, stem
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
        "causes caused derives derived descends descended stems stemmed evolved inherits inherited depends depended "
        "daughter son father mother parent ancestor descendant predecessor successor capital student teacher pupil "
        "subset part suburb tributary moon gave given gives lost loses lent paid "
    ).split()
)
# Deeds that both do to each other.
_MUTUAL = frozenset(
    stem(word)
    for word in (
        "met meets married marries wed borders bordered adjoins touches neighbours neighbors equals resembles "
        "resembled fought fights joined joins merged merges mixed mixes differs differed shared shares faced crossed "
        "faces crosses rhymes matches overlaps intersects dated divorced divorces encountered hugged kissed "
        "interacts coincides correlates cooperated combines combined means meant denotes".split()
    )
)
_OWNED = re.compile(r"(?:\w's|s')\s$")
_NO_DEED = re.compile(
    r"(?:['’]s|\b(?:the|an?|his|her|its|their|of|in|on|at|by|and|or|is|are|was|were))\s$", re.IGNORECASE
)
_NO_DEED_BEHIND = re.compile(r"\s(?:of|is|are|was|were|and|or|,)\b|['’,]", re.IGNORECASE)
_COMPARATIVE = re.compile(r"\b(?:(?:more|less)\s(?P<long>[a-z]+)|(?P<short>[a-z]{2,}er))\sthan\b", re.IGNORECASE)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|being|be)\s(?:\w+ly\s)?$", re.IGNORECASE)
_SAY_HOW = frozenset(stem(word) for word in "more less even still always usually often sometimes is was".split())
_COMPARED = re.compile(r"\s(?:than|of)\b")
_BY_AT_ONCE = re.compile(r"\s(?:\w+ly\s)?by\b", re.IGNORECASE)
_BY = re.compile(r"\s(?:\w+\s){0,3}?by\b", re.IGNORECASE)


def _sides(text: str, verb: str) -> tuple[str, str] | None:
    """What does the deed and what suffers it: the words before and behind the verb, exchanged in the passive voice.

    None where the verb does not stand once, in the passive voice without a doer, or as what somebody has.
    """
    found = [match for match in re.finditer(r"[^\W\d_]+", text) if stem(match[0].casefold()) == verb]
    if len(found) != 1:
        return None
    before, behind = text[: found[0].start()], text[found[0].end() :]
    if _OWNED.search(before):
        return None
    if _BY_AT_ONCE.match(behind) or (_PASSIVE.search(before) and _BY.match(behind)):
        return behind, before
    if _PASSIVE.search(before) and not _COMPARED.match(behind):
        return None
    return before, behind


def role_fault(claim: str, evidence: str, nearest: str = "") -> Fault | None:
    """Two names, or all the words, on either side of the same deed, exchanged: "A defeated B" for "B defeated A"."""
    nearest = nearest or nearest_sentence(claim, evidence)
    stated = {stem(word) for word in words(nearest)}
    times = Counter(stem(word) for word in words(claim))
    compared = {stem((match["long"] or match["short"]).casefold()) for match in _COMPARATIVE.finditer(claim)}
    for word in words(claim):
        verb = stem(word)
        if word in STOP_WORDS or times[verb] > 1 or verb not in stated:
            continue
        listed = verb in _ONE_WAY or verb in compared
        ours = _sides(claim, verb)
        for piece in [nearest, *clauses(nearest)] if ours and (listed or verb not in _MUTUAL) else ():
            theirs = _sides(piece, verb)
            if ours is None or theirs is None:
                continue
            if (listed and _exchanged(ours, theirs)) or _turned_round(claim, piece, verb, ours, theirs):
                return Fault(
                    "roles", f'The evidence has doer and sufferer of "{word}" the other way round.', "contradicted"
                )
    return None


def _turned_round(claim: str, piece: str, verb: str, ours: tuple[str, str], theirs: tuple[str, str]) -> bool:
    """Whether two texts have the same words, those before the verb of one behind that of the other."""
    doer, sufferer = (content_stems(side) for side in ours)
    left, right = (content_stems(side) for side in theirs)
    alike = bool(doer and sufferer) and doer == right and sufferer == left and doer != sufferer
    return alike and _is_deed(claim, verb) and _is_deed(piece, verb)


def _is_deed(text: str, verb: str) -> bool:
    """Whether the word of this stem stands as a verb does: behind no article, before no "of"."""
    match = next(match for match in re.finditer(r"[^\W\d_]+", text) if stem(match[0].casefold()) == verb)
    return not (_NO_DEED.search(text[: match.start()]) or _NO_DEED_BEHIND.match(text, match.end()))


def _exchanged(ours: tuple[str, str], theirs: tuple[str, str]) -> bool:
    (doer, sufferer), (left, right) = ours, theirs
    return _swapped(_subjects(doer), _subjects(sufferer), left, right)


def _subjects(text: str) -> list[str]:
    """The stems that tell who: of the names, or of all content words where nothing is capitalised."""
    named = [word for name in read_names(f"… {text}") for word in name.words]
    told = [stem(word) for word in words(" ".join(named)) if word not in STOP_WORDS]
    return told or [word for word in content_stems(text) if word not in _SAY_HOW]


def _swapped(doer: list[str], sufferer: list[str], left: str, right: str) -> bool:
    before, behind = {stem(word) for word in words(left)}, {stem(word) for word in words(right)}
    return (
        bool(doer and sufferer)
        and all(word in behind and word not in before for word in doer)
        and all(word in before and word not in behind for word in sufferer)
    )

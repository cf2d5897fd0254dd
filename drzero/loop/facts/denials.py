"""Words that deny, and what they deny (pure)."""

from __future__ import annotations

import re

from drzero.loop.facts.wording import clauses, content_stems, stem

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
    r"\bnot (?:only|just|merely|solely|simply|least|until)\b"
    r"|\bno (?:fewer|less|more|later|sooner|earlier|longer) than\b"
    r"|\bno doubt\b|\bwithout (?:a )?doubt\b|\bnothing (?:but|more than)\b|\bwhether or not\b"
    r"|\bno matter\b"
    r"|(?-i:(?<=[a-z:] )None\b)|\b(?:if|or) not\b|\bNos?\.|\[not in citation given\]"
    r"|\bnot to be confused\b|^not really\b",
    re.IGNORECASE,
)
_DOUBLE = re.compile(
    r"\b(?:not|never|no|cannot|\w+n't|without)\s(?:\w+\s)?(?:not|without|unable|incapable|impossible|infrequent(?:ly)?"
    r"|insignificant|uncommon|unlike(?:ly)?|unknown|unusual|fail(?:s|ed|ing)?(?: to)?"
    r"|refus(?:e[sd]?|ing)(?: to)?|declin(?:e[sd]?|ing) to"
    r"|lack(?:s|ed|ing)?|den(?:y|ies|ied|ying)|avoid(?:s|ed|ing)?|prevent(?:s|ed|ing)?|yet to)\b",
    re.IGNORECASE,
)
# What denies more or less than a number sets a bound, and is compared with the numbers.
_LIMIT = re.compile(
    r"\b(?:(?:do|does|did|must|may|should|shall|will|can|could) not|\w+n['’]t|cannot|not|never)\s(?=(?:\w+\s){0,3}?"
    r"(?:(?:more|less|fewer|greater|longer|larger|higher|lower) than|exceed(?:s|ed|ing)?)\s(?:an?\s|the\s)?"
    r"(?:[$€£]?\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|half|hundred"
    r"|thousand|million|billion)\b)",
    re.IGNORECASE,
)
_NEXT_VERB = re.compile(
    r"(?<=\w)\s(?:is|are|was|were|has|have|had|do|does|did|will|would|can|could|should|must)\b", re.I
)
_EXCEPT = re.compile(
    r"\b(?:except(?:ing)?(?: for)?|excluding|with the exception of"
    r"|unlike(?! (?:most|other|many|some|all|its|their|his|her)\b))\s",
    re.IGNORECASE,
)
_SHORT_DENIAL = re.compile(
    r"(?P<who>.*\S)\s(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)(?:\snot|n['’]t)\W*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s*[,;:.]")
# "Tabs are not allowed" is about tabs.
_JUDGED = frozenset(map(stem, "allowed permitted possible necessary required supported valid accepted needed".split()))
_FAR = 160  # characters behind a denial that are looked at
_SCOPE = 5  # words behind a denial that it may be about


def undoubled(text: str) -> str:
    """`text` without phrases that deny nothing, such as "not only", "not impossible" and "do not take more than 4"."""
    return _DOUBLE.sub(" ", _NO_DENIAL.sub(" ", _LIMIT.sub(" ", text)))


def negations(text: str) -> int:
    """How many words of denial `text` has."""
    return len(_NEGATION.findall(undoubled(text)))


def denied_words(text: str) -> list[list[str]]:
    """For each denial of `text` the stems of the content words that it is about: those that follow in its clause."""
    text = undoubled(text)
    found = []
    for match in _NEGATION.finditer(text):
        behind = [] if _ENDS.match(text, match.end()) else clauses(text[match.end() : match.end() + _FAR])[:1]
        said = _NEXT_VERB.split(" ".join(behind), maxsplit=1)[0]
        denied = content_stems(said)[:_SCOPE]
        if denied and denied[0] in _JUDGED:
            denied += content_stems(clauses(f"… {text[max(0, match.start() - _FAR) : match.start()]}")[-1])
        found.append(denied)
    return found


def is_denied(text: str, word: str) -> bool:
    """Whether a denial stands at most three words before the first `word` of `text`, in the same clause."""
    match = re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)
    if match is None:
        return False
    before = re.split(r"[,;:.]", text[max(0, match.start() - 60) : match.start()])[-1]
    return _NEGATION.search(" ".join(before.split()[-3:])) is not None


def excepted_words(text: str) -> list[list[str]]:
    """The stems of what `text` leaves out: penguins, in "all except penguins" and "unlike penguins, gulls fly".

    Also who does not what was said before: quicksort, in "Merge sort is stable, but quicksort is not".
    """
    text = f"{text} ."
    behind = (clauses(text[match.end() : match.end() + _FAR])[:1] for match in _EXCEPT.finditer(text))
    found = [content_stems(" ".join(first)) for first in behind]
    for clause in clauses(text)[1:]:
        if short := _SHORT_DENIAL.fullmatch(clause):
            found.append(content_stems(short["who"]))
    return [one for one in found if one]

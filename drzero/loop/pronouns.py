"""Of whom a sentence that begins with a pronoun speaks, where the sentence before leaves no choice (pure)."""

from __future__ import annotations

import re

from drzero.loop.verbs import ADVERB, DETERMINER, NO_SUBJECT, SUBJECT_WORD, Word, finite_verbs, plain_words
from drzero.text import Span

CLAUSE_WORD = frozenset("that which who whom whose where when while because if whether how why what than as".split())
MOST_SUBJECT_WORDS = 8
_PRONOUN = re.compile(
    r"\W*(?:(?:in|on|at|by|after|before|during|since|until)\s[^,;:.]{1,40}?,?\s)?"
    r"(?P<who>he|she|it|they|his|her|its|their)\b(?!['’])",
    re.IGNORECASE,
)
_WHEN = re.compile(r"(?:[Ii]n|[Oo]n|[Aa]t|By|After|Before|During|Since|Until)(?:\s[a-z\d]\S*){1,5}\s(?=[A-Z])")
_OF_NOTHING = re.compile(
    r"it\s(?:(?:is|was)\s(?:\w+\s){0,3}?(?:that|to|when|because|if|whether)|rain(?:s|ed)|snow(?:s|ed)|took|takes)\b",
    re.IGNORECASE,
)
_PLACES = frozenset("in at on near into within inside outside".split())
_BEING = frozenset("is was are were has".split())


def plain_subject(words: list[Word], verb: int, text: str) -> Span | None:
    """The span of the subject before a sentence's first verb; None where it is not plain."""
    last = verb
    while last and (words[last - 1].low in ADVERB or words[last - 1].low.endswith("ly")):
        last -= 1
    own = words[:last]
    if not own or len(own) > MOST_SUBJECT_WORDS or own[0].low in NO_SUBJECT:
        return None
    if any(word.low in CLAUSE_WORD for word in own) or any(word.low.endswith("ing") for word in own[:1]):
        return None
    span = (own[0].start, own[-1].end)
    before = text[: words[verb].start] if verb < len(words) else text
    return None if re.search(r"[,;:–—]", before) or text[: span[0]].strip() else span


def resolve(before: str, sentence: str) -> str:
    """`sentence` with the subject of `before` for the pronoun that it begins with; itself when it begins with none.

    "" where the pronoun may stand for something else: then the two must not be parted.
    """
    match = _PRONOUN.match(sentence)
    if match is None or _OF_NOTHING.match(sentence, match.start("who")):
        return sentence
    who = match["who"].lower()
    subject = _antecedent(before, who)
    if not subject:
        return ""
    own = who in ("his", "its", "their") or (who == "her" and not _is_object(sentence[match.end() :]))
    if subject.lower() in SUBJECT_WORD:
        return sentence if subject.lower() == _SUBJECT_OF[who] else ""
    if own:
        subject += "'" if subject.endswith("s") else "'s"
    return sentence[: match.start("who")] + subject + sentence[match.end("who") :]


_SUBJECT_OF = {
    "he": "he", "his": "he", "she": "she", "her": "she", "it": "it", "its": "it", "they": "they", "their": "they",
}  # fmt: skip


def _is_object(behind: str) -> bool:
    return re.match(r"\s[a-z]", behind) is None


def _antecedent(before: str, who: str) -> str:
    """The subject of `before` where nothing else in it can be meant by `who`; "" otherwise."""
    if when := _WHEN.match(before):
        before = before[when.end() :]
    words = plain_words(before)
    verbs = finite_verbs(words)
    span = plain_subject(words, verbs[0], before) if verbs else None
    if span is None:
        return ""
    subject = before[slice(*span)]
    own = [word for word in words if word.start >= span[0] and word.end <= span[1]]
    if own[0].low in SUBJECT_WORD:
        return subject
    number = _SUBJECT_OF[who]
    named = all(word.text[0].isupper() for word in own) and own[0].low not in DETERMINER
    if number in ("he", "she"):
        return subject if named and not _others(words[verbs[0] :]) else ""
    if number == "it":
        return subject if words[verbs[0]].low in _BEING and not _others(words[verbs[0] :]) else ""
    return ""


def _others(words: list[Word]) -> bool:
    """Whether names stand behind the verb that are no place."""
    return any(
        word.text[0].isupper() and words[at - 1].low not in _PLACES and not words[at - 1].text[0].isupper()
        for at, word in enumerate(words)
        if at
    )

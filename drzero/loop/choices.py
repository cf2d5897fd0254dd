"""Questions that are answered by choosing: between things that they name, or between yes and no (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from drzero.loop.dress import tokens
from drzero.loop.facts.denials import negations
from drzero.loop.facts.identifiers import identifiers
from drzero.loop.facts.opposites import are_opposites
from drzero.loop.facts.wording import clauses, nearest_clause, stem
from drzero.text import sentences, words

_ASKS_WHICH = re.compile(r"^(?:\W*\w+\W+){0,8}?(?:which|who|whose|what|is|are|was|were|do|does|did|has|have)\b", re.I)
_NO_CHOICE = re.compile(r"\b(?:^\w+ both|differ(?:s|ed|ence|ences|ent)?|relation(?:ship)?|common)\b", re.I)
_SETS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"[,:;]\s(?P<first>[^?]+?),?\sor\s(?P<last>[^,?]+?)(?:,[^?]*)?\?$",  # Which is longer, A or B?
        r"\bbetween\s(?P<first>[^,?]+?)\sand\s(?P<last>[^,?]+?),\s(?:which|who|what)\b",
        r"^(?:which|who)\b[^,?]*\bbetween\s(?P<first>[^,?]+?)\sand\s(?P<last>[^,?]+?)\?$",
        r"^(?:is|are|was|were|do|does|did|has|have)\b[^,?]*?\s(?:an?\s)?(?P<first>\w+)\sor\s(?:an?\s)?(?!not\b)(?P<last>\w+)\?$",
        r"^(?:is|are|was|were|do|does|did|has|have)\s(?P<first>[^,?]+?)\sor\s(?!not\b|an?\s)(?P<last>[^,?]+?)\s[^?]+\?$",
        # Which of A and B is longer? Only names are told from other things joined by "and".
        r"^(?:which|who|what)(?:\sone)?\s(?:of|among)\s(?P<first>(?-i:(?:the\s)?[A-Z\"`])[^,?]*?),?\sand\s"
        r"(?P<last>(?-i:(?:the\s)?[A-Z\"`])[^,?]*?)\s(?:is|are|was|were|has|have|had|do|does|did|came|comes|can|could|will"
        r"|would|began|[a-z]{3,}(?:s|ed))\b",
    )
)
_ASIDE = re.compile(
    r"\b(?:than|compared (?:to|with)|unlike|whereas|while|in contrast (?:to|with)|rather than|instead of|not|before"
    r"|after|as \w+ as|against|over|behind|beside|outranks|exceeds)\s(?:the\s|an?\s|that of\s|it was\s)*$",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\b(?:both|neither|equally|the same|equal|no difference|alike)\b", re.IGNORECASE)
_LESS = re.compile(r"\b(?:less|not as|not so|isn't as|wasn't as)\b", re.IGNORECASE)
_YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|must|may|might)\b", re.IGNORECASE
)
_OPENS = re.compile(r"\W*(?P<word>yes|no)\b(?!\.\s?\d)", re.IGNORECASE)
_OF_THEM = re.compile(r"^\W*(?:of|between|among)\s[^,]*,\s*", re.IGNORECASE)
_SO = re.compile(
    r"[,;.]\s(?:and\s)?(?:so|therefore|thus|hence|which means that)\b,?\s(?P<rest>.+)", re.IGNORECASE | re.DOTALL
)
_QUOTED, _COMMA = re.compile(r"\"[^\"]*\"|“[^”]*”"), "\1"
BOTH = "both"
_PRONOUN = re.compile(r"\W*(?:it|he|she|they|this|that|these|those)\b", re.IGNORECASE)
_LEAST_COVER, _COVER_BY_PRONOUN = 0.6, 0.3  # of the question's words, in a text that says yes or no without the word


def options(question: str) -> tuple[str, ...]:
    """The things between which a question asks to choose, as it names them; () when it offers no choice."""
    if not _ASKS_WHICH.search(question) or _NO_CHOICE.search(question):
        return ()
    whole = _QUOTED.sub(lambda match: match[0].replace(",", _COMMA), question.strip())  # a title with a comma
    match = next(filter(None, (pattern.search(whole) for pattern in _SETS)), None)
    if match is None:
        return ()
    found = [*re.split(r",\s", match["first"]), match["last"]]
    while len(found) > 2 and _ASKS_WHICH.match(found[0]):  # "In Python, which is faster, a set or a list?"
        found.pop(0)
    plain = [re.sub(r"^(?:the|an?)\s", "", one.strip(), flags=re.IGNORECASE).replace(_COMMA, ",") for one in found]
    return tuple(plain) if all(_marks(plain)) else ()


def _marks(named: Sequence[str]) -> list[frozenset[str]]:
    """For each option the tokens that only it has; all its words count where stop words alone tell it apart."""
    for read in (_content, _stems):
        sets = [frozenset(read(one)) for one in named]
        own = [one - frozenset().union(*(sets[:at] + sets[at + 1 :])) for at, one in enumerate(sets)]
        if all(own):
            return own
    return own


def _content(text: str) -> Sequence[str]:
    return tokens(text)


def _stems(text: str) -> Sequence[str]:
    return [stem(word) for word in words(text)]


def chosen(text: str, named: Sequence[str], question: str) -> str:
    """Which of the `named` options a text chooses, `BOTH` when it calls them equal, "" when that cannot be told.

    A conclusion, ", so …", counts before all else. Of two that it mentions it chooses the one told of, not the one
    compared with: Venus in "Venus is hotter than Mercury" and in "Compared with Mercury, Venus is hotter"; of two told
    of apart the one of which it says what was asked. The other one is meant where it uses the opposite of the
    question's word, or denies.
    """
    concluded = _SO.search(text)
    if concluded and (told_so := chosen(concluded["rest"], named, question)):
        return told_so
    text = _OF_THEM.sub("", text)
    mentions = sorted((at, option) for option, own in _by_mark(named) if (at := _place(option, own, text)) >= 0)
    if not mentions:
        return BOTH if _BOTH.search(text) else ""
    if len(mentions) == 1:
        return "" if negations(text) else mentions[0][1]
    if _BOTH.search(text):
        return BOTH
    if joined := re.match(r"\W*\w+\W+(and|or)\b", text[mentions[0][0] :]):
        return BOTH if joined[1] == "and" else ""
    told = [option for at, option in mentions if not _ASIDE.search(text[:at])]
    first = told[0] if len(told) == 1 else _nearest_told(text, named, question)
    denied = "|".join(map(re.escape, named))  # "It is Venus, not Mercury" denies nothing of Venus
    rest = re.sub(rf"\bnot\s(?:the\s|an?\s)?(?:{denied})\b", " ", text, flags=re.IGNORECASE)
    if not first or not _turned(rest, question):
        return first
    return next(option for option in named if option != first) if len(named) == 2 else ""


def _by_mark(named: Sequence[str]) -> Iterator[tuple[str, frozenset[str]]]:
    yield from zip(named, _marks(named), strict=True)


def _place(option: str, marks: frozenset[str], text: str) -> int:
    """Where a text first mentions an option, by one of its marks or, a code name, whole; -1 where it does not."""
    code = option.removesuffix("()")
    if identifiers(option) == {code}:
        match = re.search(rf"(?<![\w.]){re.escape(code)}(?!\w)", text)
        return match.start() if match else -1
    found = ((match.start(), match[0]) for match in re.finditer(r"\w+", text))
    return next((at for at, word in found if marks & {*tokens(word), *_stems(word)}), -1)


def _nearest_told(text: str, named: Sequence[str], question: str) -> str:
    """Of options told of apart, "A came first and B second", the one whose clause has most words of the question."""
    asked = set(tokens(question)) - set(tokens(" ".join(named)))
    best = dict.fromkeys(named, 0)
    for clause in clauses(text):
        mentioned = [option for option, own in _by_mark(named) if _place(option, own, clause) >= 0]
        if len(mentioned) == 1:
            best[mentioned[0]] = max(best[mentioned[0]], len(asked & set(tokens(clause))))
    most = max(best.values())
    winners = [option for option, count in best.items() if count == most]
    return winners[0] if most and len(winners) == 1 else ""


def _turned(text: str, question: str) -> bool:
    """Whether a text says the opposite of what the question asks for: colder for hotter, not hotter, less hot."""
    less = bool(_LESS.search(text)) != bool(_LESS.search(question))
    denied = not less and (negations(text) > 0) != (negations(question) > 0)
    return _turns(text, question) != (less or denied)


def _turns(text: str, question: str) -> bool:
    """Whether a text has the opposite of a word of the question in its place."""
    asked, said = words(question), words(text)
    fresh, gone = [word for word in said if word not in asked], [word for word in asked if word not in said]
    return any(are_opposites(_only(one), _only(two)) for one in fresh for two in gone)


def _only(word: str) -> str:
    return tokens(word)[0] if tokens(word) else word


def asks_yes_or_no(question: str) -> bool:
    """Whether a question is answered by yes or no: it begins with a verb and offers no choice."""
    question = question.strip()
    return bool(_YES_NO.match(question)) and not re.search(r"\bor\b(?! not)", question) and not options(question)


def says_yes(text: str, question: str) -> bool | None:
    """Whether a text answers a yes-or-no question with yes; None when that cannot be told.

    A sentence without the word says yes by stating what the question asks, no by denying it or by stating its opposite.
    """
    if opening := _OPENS.match(text):
        return opening["word"].casefold() == "yes"
    if len(sentences(text)) != 1:
        return None
    said = set(tokens(text))
    asked = [token for token in tokens(question) if token not in said]
    opposites = [token for token in asked if any(are_opposites(one, token) for one in said)]
    least = _COVER_BY_PRONOUN if _PRONOUN.match(text) else _LEAST_COVER
    if not tokens(question) or 1 - (len(asked) - len(opposites)) / len(tokens(question)) < least:
        return None
    denied = (negations(nearest_clause(question, text)) > 0) != (negations(question) > 0)
    opposite = bool(opposites) or _turns(text, question)
    return denied == opposite

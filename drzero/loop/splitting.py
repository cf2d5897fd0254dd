"""A claim with several facts → parts that each say one of them, the subject carried over (pure).

A part never says more or other than the claim: whatever is not plain to see from a closed list of words is left whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from drzero.loop import facts
from drzero.loop.openers import without_opener
from drzero.loop.pronouns import CLAUSE_WORD, MOST_SUBJECT_WORDS, plain_subject, resolve
from drzero.loop.verbs import (
    ACTIVE_PAST,
    ADVERB,
    AUXILIARY,
    COMPLEMENT,
    DETERMINER,
    MODAL,
    NO_SUBJECT,
    PAST,
    PRESENT,
    SUBJECT_WORD,
    Word,
    finite_verbs,
    is_inside,
    is_regular_past,
    own_verb,
    plain_words,
)
from drzero.text import Span, language_code, said, sentences

# What reaches over the whole sentence, so that a part of it says something else.
_SCOPE = frozenset(
    "not no never none nobody nothing neither nor without hardly rarely seldom few little only if unless whether "
    "although though while when because since either both respectively alternately reportedly allegedly "
    "supposedly possibly perhaps probably maybe likely unlikely said says claimed claims believed believes "
    "thought thinks argued argues stated states suggested suggests reported alleged proposed supposed fails "
    "failed unable incapable instead rather barely nearly almost".split()
)
_DENIALS = frozenset("not never no only".split())
_NO_CLAUSE = frozenset(
    "and or but nor which who that if not with without including such while whereas where when although because namely "
    "especially particularly e.g i.e being having".split()
)
_PARTICIPLE = frozenset("written given born drawn taken known shown called seen begun grown fallen broken".split())
_IN_NAMES = frozenset("of and the de la du von van der den di da dos del bin ibn in for at on".split())
# Behind these something is still to come: "all reads from and writes to the file".
_OPEN_END = frozenset("a an the in on at to from with for of into onto by under against between during until".split())
_PREPOSITION = frozenset("in on at to from with for of into under by during among".split())
_HELPING = AUXILIARY | MODAL | {"do"}
_NOT_NOW = frozenset("until since then former formerly once previously now currently later".split())
_MOST_DEPTH = 6
_MOST_CHARS = 1000  # of a sentence worth cutting


def parts(claim: str, *, language: str = "en") -> tuple[str, ...]:
    """The facts that `claim` states, each as a sentence, in order; (claim,) when it states one or cannot be cut safely.

    Sentences part everywhere; clauses, coordinated predicates, relative clauses and appositions in English only.
    A part that begins with a pronoun gets the subject before it where that is plain, and is left joined where not.
    Nothing is cut inside quotation marks, brackets or code. Every content word of the parts is one of the claim's, and
    all of the claim's are in them, but for openers that say nothing, such as "Sure!".
    """
    spans: list[Span] = []
    for start, end in said(claim, language):
        begun = spans.pop()[0] if spans and is_inside(claim, start) else start
        spans.append((begun, end))
    found = [claim[start:end] for start, end in spans]
    if language_code(language) not in ("en", ""):
        return tuple(found) or (claim,)
    stated = [bare for sentence in found if facts.content_stems(bare := without_opener(sentence))]
    cut = [part for sentence in _told_of_whom(stated) for part in _checked(sentence)]
    if not cut or [part.strip() for part in cut] == [claim.strip()]:
        return (claim,)
    return tuple(cut)


def _told_of_whom(sentences_said: list[str]) -> list[str]:
    """The sentences with their pronouns resolved; one whose pronoun is not plain is joined with the one before."""
    told: list[str] = []
    before = ""
    for sentence in sentences_said:
        resolved = resolve(before, sentence) if before else sentence
        if resolved:
            told.append(resolved)
        else:
            told[-1] = f"{told[-1]} {sentence}"
        before = resolved or told[-1]
    return told


def _checked(sentence: str) -> list[str]:
    """The parts of one sentence; the sentence itself where they lost a word or have one that it lacks."""
    if len(sentence) > _MOST_CHARS or len(sentences(sentence)) > 1:
        return [sentence]
    cut = list(_cut(sentence, 0))
    ours, theirs = set(facts.content_stems(" ".join(cut))), set(facts.content_stems(sentence))
    return cut if ours == theirs else [sentence]


def _cut(sentence: str, depth: int) -> Iterator[str]:
    for rule in (_semicolons, _relative, _apposition, _clauses, _predicates) if depth < _MOST_DEPTH else ():
        pieces = rule(sentence)
        if pieces:
            for piece in pieces:
                yield from _cut(piece, depth + 1)
            return
    yield sentence


def _scoped(words: list[Word]) -> bool:
    return any(word.low in _SCOPE or word.low in MODAL or word.low.endswith("n't") for word in words)


def _ended(text: str, like: str) -> str:
    """`text` as a sentence that ends as the sentence `like` does."""
    text = text.strip().rstrip(",;:–—- ").strip()
    mark = like.rstrip()[-1:]
    space = " " if like.rstrip()[-2:-1] == " " else ""
    return text if text[-1:] in ".!?" or mark not in (".", "!", "?") else f"{text}{space}{mark}"


# --- rules: each gives two or more pieces, or none --------------------------------------------------------------------


def _semicolons(text: str) -> list[str]:
    places = [match.span() for match in re.finditer(r"\s?;\s", text) if not is_inside(text, match.start())]
    if not places:
        return []
    pieces, at = [], 0
    for start, end in [*places, (len(text), len(text))]:
        pieces.append(text[at:start])
        at = end
    for number, piece in enumerate(pieces):
        words = plain_words(piece)
        if not words or words[0].low in _NO_CLAUSE or not (own_verb(words) if number else finite_verbs(words)):
            return []
    if any(word.low in ("if", "unless", "either", "whether", "neither") for word in plain_words(text)):
        return []
    first = plain_words(pieces[0])[0].low
    if first == "according" or first in _SCOPE - _DENIALS or any(_leans_back(plain_words(piece)) for piece in pieces):
        return []
    for at in range(1, len(pieces)):
        pieces[at] = resolve(_ended(pieces[at - 1], text), pieces[at])
        if not pieces[at]:
            return []
    return [_ended(piece, text) for piece in pieces]


def _relative(text: str) -> list[str]:
    """`X, which …, is Y.` and `… by Some Name, who … .`"""
    commas = [i for i, letter in enumerate(text) if letter == "," and not is_inside(text, i)]
    for at, comma in enumerate(commas):
        opened = re.match(r",\s+(which|who)\s+", text[comma:])
        if opened is None:
            continue
        before, words = plain_words(text[:comma]), plain_words(text)
        behind = comma + opened.end()
        inner_words = plain_words(text[behind:])
        if not inner_words or 0 not in finite_verbs(inner_words) or _scoped(before) or before[:1] == []:
            return []
        verbs = finite_verbs(words)
        if verbs and words[verbs[0]].start > comma and at + 1 < len(commas):  # the subject's own
            close = commas[at + 1]
            rest = plain_words(text[close:])
            subject = plain_subject(before, len(before), text[:comma])
            if subject is None or 0 not in finite_verbs(rest) or len(commas) > at + 2:
                return []
            name = text[slice(*subject)]
            return [_ended(f"{name} {text[close + 1 :].strip()}", text), _ended(f"{name} {text[behind:close]}", text)]
        name = _name_before(text[:comma], person=opened[1] == "who")
        if not name or at + 1 < len(commas):
            return []
        if inner_words[0].low in ("are", "were", "have") or (opened[1] == "which" and not _of_a_thing(inner_words)):
            return []
        return [_ended(text[:comma], text), _ended(f"{name} {text[behind:]}", text)]
    return []


def _of_a_thing(words: list[Word]) -> bool:
    """Whether what follows "which" is said of a thing, not of all that was said: "which is a city", not "which led"."""
    verb, behind = words[0].low, words[1] if len(words) > 1 else Word("", 0, 0)
    if verb in ("is", "was", "has", "had"):
        known = behind.low in DETERMINER or behind.low in ADVERB or behind.low in PAST or behind.low in _PARTICIPLE
        return known or behind.low in ("in", "on", "at", "near", "been") or is_regular_past(behind)
    if verb in ("became", "contains", "includes", "consists", "included", "opened"):
        return True
    return is_regular_past(words[0]) and verb != "resulted" and behind.low in ("in", "at", "on")


def _name_before(text: str, *, person: bool) -> str:
    """The name that `text` ends in, with its article; "" where it may be a part of something else.

    A `person` is no place: "the priests in Aruba, who".
    """
    match = re.search(
        r"(?P<before>\S+)\s+(?P<name>(?:the\s+)?[A-Z][\w.'’-]*(?:\s+(?:(?:of|and|de|van|von|der|la|the)\s+){0,2}[A-Z][\w.'’-]*)*)\s*$",
        text,
    )
    if match is None:
        return ""
    before = match["before"].lower().rstrip(",")
    if (
        match["before"].endswith(",")
        or before.endswith("ing")
        or before
        in (
            "of",
            "and",
            "or",
            "than",
            "as",
            "&",
            "both",
            "not",
            "the",
            "a",
            "an",
        )
    ):
        return ""
    known = ("by", "in", "at", "on", "to", "is", "was", "for", "met", "saw")
    if len(before) <= 3 and before not in known and re.search(r"[A-Z][\w.'’-]*\s+\S+$", text[: match.end("before")]):
        return ""  # José Eduardo dos Santos
    if person and before in ("in", "at", "from", "near", "on", "to", "into", "for", "outside", "around", "across"):
        return ""
    return "" if re.search(r"\sand\s|['’]s\b", match["name"]) else match["name"]


def _apposition(text: str) -> list[str]:
    """`X, the capital of Y, lies in Z.`"""
    match = re.match(
        r"(?P<name>[^,;:()\"“”]+),\s+(?P<what>(?:a|an|the)\s[^,;:()\"“”]+),\s+(?P<rest>\S.*)$", text, re.DOTALL
    )
    if match is None or re.search(r",\s+(?:which|who)\b", match["rest"]):
        return []
    name, what, rest = plain_words(match["name"]), plain_words(match["what"]), plain_words(match["rest"])
    verbs = finite_verbs(rest)
    if not verbs or verbs[0] != 0 or rest[0].low in ("are", "were", "have") or rest[0].low in MODAL:
        return []
    if is_regular_past(rest[0]) and not own_verb(rest[:2]):
        return []  # "Jighansa, a film, based on a book, was released"
    if finite_verbs(name) or finite_verbs(what) or _scoped(name) or _scoped(what) or not name:
        return []
    if len(name) > MOST_SUBJECT_WORDS or not name[-1].text[0].isupper() or name[0].low in NO_SUBJECT | SUBJECT_WORD:
        return []
    if not all(word.text[0].isupper() or word.low in DETERMINER or word.low in _IN_NAMES for word in name):
        return []
    if any(word.low in ("and", "or", *CLAUSE_WORD) for word in (*name, *what)):
        return []
    if any(word.low in _NOT_NOW for word in what) or match["name"].strip() in match["rest"]:
        return []  # "Georgia, the US state, is larger than Georgia, the country"
    now = rest[0].low in ("is", "has", "does") or rest[0].low in PRESENT
    verb = "is" if now else "was"
    return [
        _ended(f"{match['name'].strip()} {match['rest']}", text),
        _ended(f"{match['name'].strip()} {verb} {match['what']}", text),
    ]


def _clauses(text: str) -> list[str]:
    """`X was A, and Y was B.`; without a comma only before "he", "she" or "they"."""
    for match in re.finditer(r"\s?,\s+(?:and|but)\s+|\s+(?:and|but)\s+(?=(?:he|she|they)\s)", text):
        if is_inside(text, match.start() + 1):
            continue
        left, right = text[: match.start()], text[match.end() :]
        ours, theirs = plain_words(left), plain_words(right)
        mine, its = finite_verbs(ours), finite_verbs(theirs)
        if not mine or not its or its[0] == 0 or plain_subject(theirs, its[0], right) is None or not own_verb(theirs):
            continue
        if not (theirs[0].low in SUBJECT_WORD or theirs[0].low in DETERMINER or theirs[0].text[0].isupper()):
            continue
        if any(word.low in _SCOPE - _DENIALS or word.low in ("that", "to") for word in ours[mine[0] :]):
            continue
        if (
            ours[0].low in _SCOPE
            or ours[0].low in ("when", "as", "once", "after", "before")
            or re.search(r"[:;]", left)
        ):
            continue
        if any(word.low in ("both", "between", "either", "neither", "respectively") for word in (*ours, *theirs)):
            continue
        if theirs[0].low == "there" and len(theirs) < 3:
            continue
        if plain_subject(ours, mine[0], left) is None or _leans_back(theirs):
            continue  # "in 1950" or "according to legend" reach over both
        right = resolve(_ended(left, text), right)
        if not right:
            continue
        return [_ended(left, text), _ended(right, text)]
    return []


def _leans_back(words: list[Word]) -> bool:
    """Whether a clause leaves its verb to the one before: "but is not in children", "quicksort does not"."""
    for at, word in enumerate(words):
        denied = word.low.endswith("n't") or (word.low in ("not", "cannot") and at and words[at - 1].low in _HELPING)
        if denied and (at + 1 == len(words) or words[at + 1].low in _PREPOSITION):
            return True
    return bool(words) and words[-1].low in _HELPING


def _predicates(text: str) -> list[str]:
    """`X was born in A and died in B.`"""
    words = plain_words(text)
    verbs = finite_verbs(words)
    if not verbs or any(word.low == "respectively" for word in words):
        return []
    subject = plain_subject(words, verbs[0], text)
    if subject is None:
        return []
    name = text[slice(*subject)]
    for i, word in enumerate(words[:-2]):
        if word.low not in ("and", "but") or i < verbs[0] + 2 or words[i - 1].text in _OPEN_END:
            continue
        j = i + 1
        while j < len(words) - 1 and (words[j].low in ADVERB or words[j].low.endswith("ly")):
            j += 1
        first = words[:i]
        if j >= len(words) or not _second(words, verbs[0], j):
            continue
        if _leans_back(words[i + 1 :]):
            return []
        if _scoped(first) or any(one.low in CLAUSE_WORD - {"as"} for one in first) or _colon(text, words[i].start):
            return []
        if [verb for verb in verbs if verb < i] != verbs[:1] or text[: words[i].start].count(",") > 1:
            return []
        if any(one.low in ("and", "but", "or") for one in words[verbs[0] : i]):
            return []  # "they are old and the new ones last longer and are cheap"
        if verbs[-1] > j and not own_verb(words):
            return []  # "the walls built in 1900 and painted in 1920 are old"
        rest = text[words[i + 1].start :]
        return [_ended(text[: words[i].start], text), _ended(f"{name} {rest}", text)]
    return []


def _colon(text: str, end: int) -> bool:
    return re.search(r"[:;–—]", text[:end]) is not None


def _second(words: list[Word], verb: int, j: int) -> bool:
    """Whether word `j` is a second predicate's verb beside the verb of the first, and not a noun or participle."""
    first, second = words[verb].low, words[j].low
    behind = words[j + 1] if j + 1 < len(words) else None
    if second in AUXILIARY:
        return behind is not None
    if second in ACTIVE_PAST:
        return second not in ("lived",) or behind is not None
    if behind is None or behind.low == "by":
        return False
    followed = (
        behind.low in COMPLEMENT or behind.text[0].isdigit() or behind.text[0].isupper() or behind.text[0] in '“"`('
    )
    if second in PRESENT:
        return followed and (first in PRESENT or first in ("is", "has"))
    if second in PAST or is_regular_past(words[j]):
        return followed and first not in AUXILIARY and (first in PAST or first.endswith("ed"))
    return False

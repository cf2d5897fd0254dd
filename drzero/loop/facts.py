"""What a sentence states that can be looked up: numbers, names, identifiers, negation, content words (pure)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

import snowballstemmer

from drzero.text import words

_UNITS: dict[str, int] = dict(
    zip("zero one two three four five six seven eight nine ten eleven twelve".split(), range(13), strict=True)
)
_UNITS |= {
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
}
_UNITS |= {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_MAGNITUDES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
# "one" is mostly a pronoun and "first" mostly an adverb: as words they prove nothing either way.
_NUMBER_WORDS = {word: value for word, value in _UNITS.items() if word not in ("zero", "one")}
_NUMBER = re.compile(
    r"(?<![\w.])(?:(?P<digits>\d{1,3}(?:[,\u202f\u00a0]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<suffix>st|nd|rd|th|s)?"
    rf"|(?P<word>{'|'.join(_NUMBER_WORDS)}))(?:[\s\u00a0-](?P<magnitude>{'|'.join(_MAGNITUDES)}))?(?![\w])",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|fails? to|failed to|refuse[sd]? to|lacks?"
    r"|lacked|hardly|rarely|\w+n['’]t)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_][\w'’.&-]*")
_ABBREVIATED = re.compile(r"\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|Gen|Col|Capt|Lt|Sgt|Rev|Mt|Ft|No|vs)\.$")
_CLAUSE_BREAK = re.compile(r"[,;:—–]|\b(?:and|but|although|though|while|whereas|which|who|because|since)\b")
_IDENTIFIER = re.compile(r"(?<!\w)(?:\w+(?:\.\w+)*\(\)|\w*_\w+|\w+(?:\.\w+)+|[a-z]+[A-Z]\w*|--?[a-z][\w-]+|@\w+)")
_MONTHS = "january february march april may june july august september october november december".split()
STOP_WORDS = frozenset(
    "a about after all also although am among an and another any are as at be became because become been "
    "before being between both but by came can could did do does during each either for from further had has "
    "have he her here hers him his how however i if in into is it its itself just like made make many may "
    "might more most much must my no nor not of often on once one only onto or other our out over own per "
    "same she should since so some such than that the their theirs them then there these they this those "
    "through thus to too under until up upon us use used using very was we well were what when where whereas "
    "which while who whom whose why will with within without would yet you your".split()
)
_stem = lru_cache(maxsize=65536)(snowballstemmer.stemmer("english").stemWord)


def stem(word: str) -> str:
    """The English Snowball stem of a case-folded word, possessive ending left off."""
    return str(_stem(word.removesuffix("'s").removesuffix("'")))


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def cover(claim: str, evidence: str) -> float:
    """Share of the claim's content words that the evidence has, by stem; 1.0 for a claim without any. In [0,1]."""
    wanted = content_stems(claim)
    return share(wanted, set(content_stems(evidence))) if wanted else 1.0


def share(wanted: Sequence[str], have: Collection[str]) -> float:
    """The share of `wanted`, which is not empty, that is in `have`. In [0,1]."""
    return sum(word in have for word in wanted) / len(wanted)


def numbers(text: str) -> set[str]:
    """The numbers stated in `text` as plain decimals: "1,000" and "a thousand" words alike, "1.4 million" as 1400000.

    "first" to "twelfth" and words for one are left out; "1960s" and "3rd" count as 1960 and 3.
    """
    found = set()
    for match in _NUMBER.finditer(text):
        if match["digits"]:
            value = float(re.sub(r"[,\u202f\u00a0]", "", match["digits"]))
        else:
            value = float(_NUMBER_WORDS[match["word"].casefold()])
        value *= _MAGNITUDES.get((match["magnitude"] or "").casefold(), 1)
        found.add(f"{value:.10g}")
    return found


def names(text: str) -> list[str]:
    """Capitalised words of `text` that are names: not the first word of a sentence, unless another name follows it.

    Months are names; the word "I" and single initials are not.
    """
    found: list[str] = []
    starts_sentence = True
    candidates = list(_NAME.finditer(text))
    for at, match in enumerate(candidates):
        before = text[: match.start()].rstrip(" \"'“‘(")
        starts_sentence = not before or (before[-1] in ".!?:;\n" and not _ABBREVIATED.search(before))
        word = match[0].rstrip(".'’-").removesuffix("'s").removesuffix("’s")
        if len(word) < 2 or not any(c.isupper() for c in word):
            continue
        if starts_sentence and word[1:].islower():
            following = candidates[at + 1] if at + 1 < len(candidates) else None
            joined = (
                following is not None and text[match.end() : following.start()] == " " and following[0][0].isupper()
            )
            if not joined or word.casefold() in STOP_WORDS:
                continue
        found.append(word)
    return found


def identifiers(text: str) -> set[str]:
    """Code names in `text`: calls, dotted, underscored or camel-cased words, options; without trailing parentheses."""
    found = {match[0].removesuffix("()") for match in _IDENTIFIER.finditer(text)}
    return {name for name in found if not re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]?|[\d.]+|-\w", name)}


def negations(text: str) -> int:
    """How many words of denial `text` has."""
    return len(_NEGATION.findall(text))


def denies(claim: str, evidence: str) -> bool:
    """Whether one of the two denies what the other says.

    Of the evidence only the clause that covers the claim best is looked at: a denial elsewhere in a long sentence is
    about something else.
    """
    nearest = max(_CLAUSE_BREAK.split(evidence), key=lambda clause: cover(claim, clause))
    denied = negations(nearest) > 0 if negations(claim) == 0 else negations(evidence) > 0
    return (negations(claim) > 0) != denied


def missing_names(claim: str, evidence: str) -> list[str]:
    """Names of the claim that the evidence does not have, case and possessive aside."""
    have = {stem(word) for word in words(evidence)}
    return [name for name in dict.fromkeys(names(claim)) if not all(stem(word) in have for word in words(name))]


def missing_numbers(claim: str, evidence: str) -> list[str]:
    """Numbers of the claim that the evidence does not state."""
    return sorted(numbers(claim) - numbers(evidence))


def missing_identifiers(claim: str, evidence: str) -> list[str]:
    """Code identifiers of the claim that do not stand in the evidence."""
    return sorted(name for name in identifiers(claim) if name not in evidence)


def is_month(word: str) -> bool:
    """Whether `word` is the English name of a month."""
    return word.casefold() in _MONTHS

"""Text made comparable, the words that carry its meaning, and the clauses it falls into (pure)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache

import snowballstemmer

from drzero.normalising import normalise
from drzero.text import sentences, words

STOP_WORDS = frozenset(
    "a about after all also although am among an and another any are as at be became because become been "
    "before being between both but by came can could did do does during each either for from further had has "
    "have he her here hers him his how however i if in into is it its itself just like made make many may "
    "might more most much must my no nor not of often on once one only onto or other our out over own per "
    "same she should since so some such than that the their theirs them then there these they this those "
    "through thus to too under until up upon us use used using very was we well were what when where whereas "
    "which while who whom whose why will with within without would yet you your".split()
)
# What treebanks write for brackets and quotation marks, and the spaces that they set before endings and signs.
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
_BRACKET = re.compile("|".join(map(re.escape, _BRACKETS)))
_APART = re.compile(
    r"(?<=[(\[])[ \u00a0]+|(?<![ \u00a0])[ \u00a0]+(?='(?:s|re|ve|ll|d|m)\b|n't\b|[,;:!?%)\]](?!\w)|\.(?:\s|$))",
    re.IGNORECASE,
)
_VULGAR = re.compile("(\\d?)([\u00bc-\u00be\u2150-\u215e])")
_THOUSANDS = re.compile("(?<=\\d)[\u00a0\u2009\u202f](?=\\d{3}(?!\\d))")
_RAISED = re.compile("(?<=\\d)[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_CLAUSE_BREAK = re.compile(
    r"[;:]|,(?!\d)|\s\(|\)(?=\W|$)|(?<=\w{3})[.!?][\"')\]]?\s"
    r"|\s[-–—]+\s|\b(?:and|but|although|though|while|whereas|which|who|because|since)\b",
    re.IGNORECASE,
)
# Forms of verbs and nouns that no ending is cut off from; those that are also another word, as found is, are left out.
_IRREGULAR = dict(
    pair.split("/")
    for pair in (
        "won/win wrote/write written/write took/take taken/take gave/give given/give went/go gone/go began/begin "
        "begun/begin grew/grow grown/grow flew/fly flown/fly drew/draw drawn/draw threw/throw thrown/throw "
        "drove/drive driven/drive rode/ride ridden/ride chose/choose chosen/choose spoke/speak spoken/speak "
        "broke/break broken/break stole/steal stolen/steal wore/wear worn/wear fought/fight bought/buy "
        "brought/bring caught/catch taught/teach sought/seek sold/sell told/tell held/hold led/lead met/meet "
        "kept/keep slept/sleep built/build sent/send spent/spend lent/lend paid/pay sang/sing sung/sing swam/swim "
        "swum/swim drank/drink ran/run sat/sit stood/stand understood/understand beaten/beat ate/eat eaten/eat "
        "hid/hide hidden/hide shook/shake shaken/shake forgot/forget forgotten/forget forbidden/forbid "
        "froze/freeze frozen/freeze sank/sink sunk/sink struck/strike dealt/deal meant/mean learnt/learn felt/feel "
        "overthrew/overthrow overthrown/overthrow overtook/overtake withdrew/withdraw withdrawn/withdraw "
        "heard/hear men/man women/woman children/child wives/wife lives/life wolves/wolf "
    ).split()
)
_SMALL_STOP = re.compile(r"(?<=\w{3}[.!?])\s|\n")
_stem = lru_cache(maxsize=65536)(snowballstemmer.stemmer("english").stemWord)


def readable(text: str) -> str:
    """`text` of a treebank as people write it, other text as it is: `-LRB-` is a bracket, `did n't` one word."""
    unescaped = _BRACKET.sub(lambda match: _BRACKETS[match[0]], text)
    return _APART.sub("", text if unescaped == text else re.sub(r"([(\[{]) ", r"\1", unescaped))


@lru_cache(maxsize=2048)
def plain(text: str) -> str:
    """`text` as the checks read it: plain quotes, dashes and spaces, fractions as decimals, line breaks kept.

    `5½` becomes `5.5`, `10⁶` becomes `10^6`, a thin space between thousands a comma, `did n't` `didn't`.
    """
    text = _BRACKET.sub(lambda match: _BRACKETS[match[0]], text)
    if not text.isascii():
        text = _THOUSANDS.sub(",", _RAISED.sub(lambda match: "^" + unicodedata.normalize("NFKC", match[0]), text))
        text = _VULGAR.sub(lambda match: f"{int(match[1] or 0) + unicodedata.numeric(match[2]):.6g}", text)
    lines = (normalise(line, spaced=True).text for line in re.split(r"(?<!-)\n", text))
    return _APART.sub("", "\n".join(line for line in lines if line))


def stem(word: str) -> str:
    """The English Snowball stem of a case-folded word, possessive ending left off; of `won` that of `win`."""
    word = word.removesuffix("'s").removesuffix("'")
    return str(_stem(_IRREGULAR.get(word, word)))


def unaccented(text: str) -> str:
    """`text` without accents: `Noël` becomes `Noel`."""
    if text.isascii():
        return text
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


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


def clauses(text: str) -> list[str]:
    """The pieces of `text` between commas, dashes and conjunctions."""
    return [piece.strip() for piece in _CLAUSE_BREAK.split(text) if piece.strip()]


def nearest_clause(claim: str, evidence: str) -> str:
    """The clause of the evidence that has most of the claim's content words, the first among equals."""
    wanted = content_stems(claim)
    if not wanted:
        return next(iter(clauses(evidence)), evidence)
    return max(clauses(evidence), key=lambda clause: share(wanted, set(content_stems(clause))), default=evidence)


def _sentences(text: str) -> list[str]:
    """The sentences of `text`; without any capital, where the library sees no beginning, cut at the stops."""
    if text == text.lower():
        return [piece for piece in _SMALL_STOP.split(text) if piece]
    return [text[start:end] for start, end in sentences(text)]


def nearest_sentence(claim: str, evidence: str, place: str = "") -> str:
    """The sentence of the evidence that has most of the claim's content words, those of `place` aside.

    Figures count only among equals, then all words, then what comes first. For a claim of several sentences the nearest
    of each, in the order of the evidence.
    """
    found = _sentences(evidence)
    if len(found) < 2:
        return evidence
    aside = set(content_stems(place))
    have = [{stem(word) for word in words(sentence)} for sentence in found]
    chosen = set()
    for part in _sentences(claim):
        said = [stem(word) for word in words(part)]
        content = content_stems(part)
        matter = [word for word in content if word not in aside] or content
        plainly = [word for word in matter if not word[0].isdigit()] or matter
        near = [tuple(sum(word in one for word in own) for own in (plainly, matter, said)) for one in have]
        chosen.add(near.index(max(near)))
    return " ".join(found[at] for at in sorted(chosen))

"""Quoted words against the words of a text: one normalisation of both sides that remembers places (pure)."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import regex

from drzero.text import HAS_UNSPACED, Span

# Marks of notes and of editors. `data[0]`, `f(x)[1]` and `[[1],[2]]` are code and `1.5 [1.3-1.7]` is an interval: a
# mark stands right behind the end of a sentence or clause, behind a whole number or behind words in brackets.
_LABEL = r"(?:\d{1,3}(?:[,–-] ?\d{1,3})*|[a-z]|[A-Z]|(?:[Nn]ote|nb|NB|n|N|fn|footnote|ref) ?\d{1,3})"
_RUN = rf"(?:[\[【［]{_LABEL}[\]】］])+(?![\w(\]])"
_BEHIND = r"[.;!?”’。、，…]|[.,!?][\"']|\p{L}{3}[,:]|(?<![\w.])\d+|(?<![\w)\]\"'])\([^()\n]{1,300}\)"
_DOUBT = (
    r"[\[【](?:[a-z ]{3,24} needed|(?:when|who|which|where|why|how|whom|by whom|according to whom|clarification"
    r"|original research|unreliable source|dubious|vague)\?|failed verification|dubious ?[–-] ?discuss)[\]】]"
)
_FOOTNOTE = regex.compile(rf"{_DOUBT}|(?<={_BEHIND}|{_DOUBT}){_RUN}|(?<=[.,;:!?\"”’。])[⁰¹²³⁴-⁹]{{1,3}}(?!\w)")
# The same behind anything: for the words of one who quotes.
_ANY_FOOTNOTE = regex.compile(rf"(?<=\S) ?[\[【［]{_LABEL}[\]】］](?![\w(\]])|(?<=\p{{L}}{{4}})[¹²³⁴-⁹]{{1,2}}(?!\w)")
_MOST_MARKS = 5
_BROKEN = regex.compile(r"(?<=[\p{L}\p{M}])[-\u2010][ \t]*\r?\n\s*(?=\p{L})")  # a word of two lines
_LONG_DASH = re.compile(r"(?<=\w)[-\u2010-\u2015\u2212]{2,3}(?=\w)|(?<=\s)[-\u2010-\u2015\u2212]{2,3}(?=\s)")
_SHIFTED = dict.fromkeys("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "^") | dict.fromkeys("₀₁₂₃₄₅₆₇₈₉", "_")  # behind a digit: 10⁵ is no 105
_PLAIN = (
    dict.fromkeys("‘’‚‛′`´ʼʻ׳", "'")
    | dict.fromkeys("“”„‟«»″「」『』״", '"')
    | dict.fromkeys("‐‑‒–—―−", "-")
    | {"⁄": "/", "∕": "/"}
)
_SOFT = frozenset(
    "\u00ad\u034f\u061c\u0640\u180e\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068"
    "\u2069\ufe00\ufe01\ufe02\ufe0e\ufe0f"
)


@dataclass(frozen=True, slots=True)
class Normalised:
    """Text made comparable; character i stands for `source[starts[i]:ends[i]]`."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def find(self, other: Normalised, start: int = 0) -> Span | None:
        """Where `other` stands here as whole words, as a span of the source; None when it does not.

        The search begins at character `start` of the normalised text.
        """
        if not other.text:
            return None
        at = self.text.find(other.text, start)
        while at >= 0:
            end = at + len(other.text)
            if not _is_cut(self.text, at) and not _is_cut(self.text, end):
                return self.starts[at], self.ends[end - 1]
            at = self.text.find(other.text, at + 1)
        return None


# The point of 1.5, the dot of `json.dumps`, the sign of -5.
_INSIDE = re.compile(r"(?<=\d)[.,:^_](?=\d)|(?<=[a-z_])\.(?=[a-z_])|(?<![^\s(\[])-(?=\d)")


def _is_cut(text: str, at: int) -> bool:
    """Whether the characters before and behind place `at` are of one word or number: no quote begins or ends there."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if unicodedata.category(right)[0] == "M":
        return True
    if any(_INSIDE.match(text, sign) for sign in (at - 1, at)):
        return True
    if not right.isalnum() or not (left.isalnum() or unicodedata.category(left)[0] == "M"):
        return False
    return not HAS_UNSPACED.match(left) and not HAS_UNSPACED.match(right)


def normalise(
    text: str, *, marks: Collection[str] = (), whole_hyphens: bool = False, spaced: bool = False
) -> Normalised:
    """Fold what a quote may differ in without saying anything else, on both sides alike.

    Characters with their marks are composed and made compatible (NFKC), but a power stays one: `10⁵` is `10^5`, and
    `10₂` is `10_2`. Quotes and dashes become plain; soft hyphens, direction marks and footnote marks such as [3] are
    removed, white space is folded and means nothing beside a dash or a quotation mark, before a comma or in a script
    without spaces. A word broken by a hyphen at a line end is joined, or with `whole_hyphens` keeps the hyphen. Of
    footnote marks that stand where they may be code, such as in `a[3]`, those in `marks` are removed. Case stays. With
    `spaced` white space is folded but stays wherever it is, for one who reads the text and compares no quote.
    """
    places = [i for i, letter in enumerate(text) if letter not in _SOFT] if not text.isascii() else range(len(text))
    bare = text if len(places) == len(text) else "".join(text[i] for i in places)
    dropped = _undressed(bare, marks, whole_hyphens)
    dropped |= {
        at
        for match in (re.finditer("\u00ad\\s*\n\\s*", text) if "\u00ad" in text else ())
        for at in range(bisect_left(places, match.start()), bisect_left(places, match.end()))
    }
    folded: list[tuple[str, int, int]] = []
    space: Span | None = None
    at, length = 0, len(bare)
    while at < length:
        end = at + 1
        if at in dropped:
            at = end
            continue
        while end < length and not bare[end].isascii() and _joins_cluster(bare[end]):
            end += 1
        place = (places[at], places[end - 1] + 1)
        shift = _SHIFTED.get(bare[at])
        cluster = _PLAIN.get(bare[at:end]) or unicodedata.normalize("NFKC", bare[at:end])
        if folded and folded[-1][0].isdigit() and bare[at - 1] not in _SHIFTED:
            if shift:
                folded.append((shift, *place))
            elif cluster[1:2] == "⁄":  # 5½ is no 51/2
                space = space or place
        for raw in cluster:
            if raw.isspace():
                space = space or place
                continue
            character = _PLAIN.get(raw, raw)
            if space and folded:
                after = next((i for i in range(end, length) if i not in dropped), length)
                is_sign = character == "-" and after < length and (bare[after].isalnum() or bare[after] in "-\u2010")
                if spaced or is_sign or _parted(folded[-1][0], character, bare[end : end + 1]):
                    folded.append((" ", *space))
            space = None
            folded.append((character, *place))
        at = end
    return Normalised(
        "".join(character for character, _, _ in folded),
        tuple(start for _, start, _ in folded),
        tuple(end for _, _, end in folded),
    )


def _undressed(text: str, marks: Collection[str], whole_hyphens: bool) -> set[int]:
    """The places of the characters of `text` that say nothing: marks, hyphens at line ends, dashes written twice."""
    spans = [match.span() for match in _FOOTNOTE.finditer(text)]
    if marks:
        spans += [match.span() for match in _ANY_FOOTNOTE.finditer(text) if match[0].strip() in marks]
    for match in _BROKEN.finditer(text):
        compound = text[match.end()].isupper() and not text[match.start() - 1].isupper()  # Anglo-Saxon
        joined = not whole_hyphens and not compound
        spans.append((match.start() + (not joined), match.end()))
    spans += [(match.start() + 1, match.end()) for match in _LONG_DASH.finditer(text)]
    return {i for span in spans for i in range(*span)}


@lru_cache(maxsize=4096)
def _joins_cluster(character: str) -> bool:
    """Whether a character is written onto the one before it: a mark, a later part of Hangul, a half-width one."""
    return (
        unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff" or character in "\uff9e\uff9f"
    ) and character not in _SOFT


def _parted(left: str, right: str, behind: str) -> bool:
    """Whether white space between two characters says anything."""
    if left in '-"([' or right in '-",;:!?)]%' or (right == "." and not behind.isdigit()):
        return False
    return not any(HAS_UNSPACED.match(side) or "\u3001" <= side <= "\u3003" for side in (left, right))


def forms(text: str, *, quoted: bool = False) -> tuple[Normalised, ...]:
    """The ways to read `text` that a quote is compared in, the plainest first: see `normalise`.

    With `quoted` also without what the one who quotes may have added: some of its bracketed numbers and letters, and
    quotation marks around the whole.
    """
    hyphens = (False, True) if _BROKEN.search(text) else (False,)
    found: dict[str, Normalised] = {}
    for marks in _subsets(text) if quoted else ((),):
        for whole in hyphens:
            one = normalise(text, marks=marks, whole_hyphens=whole)
            found.setdefault(one.text, one)
            if quoted and len(one.text) > 2 and one.text[0] == one.text[-1] and one.text[0] in "\"'":
                found.setdefault(one.text[1:-1], Normalised(one.text[1:-1], one.starts[1:-1], one.ends[1:-1]))
    return tuple(found.values())


def _subsets(text: str) -> list[tuple[str, ...]]:
    """The sets of marks that may have been added to `text`: any of a few different ones, or of many all."""
    marks = list(dict.fromkeys(match[0].strip() for match in _ANY_FOOTNOTE.finditer(text)))
    if len(marks) > _MOST_MARKS:
        return [(), tuple(marks)]
    return [chosen for count in range(len(marks) + 1) for chosen in combinations(marks, count)]


def same_words(quote: str, stated: str) -> bool:
    """Whether `quote` is the wording of `stated` after the one normalisation of both; never for an empty quote."""
    said = {one.text for one in forms(quote, quoted=True)} - {""}
    return not said.isdisjoint(one.text for one in forms(stated))


def find_quote(quote: str, text: str) -> Span | None:
    """The first span of `text` whose wording is `quote` after the one normalisation of both, or None."""
    places = find_quotes(quote, text, most=1)
    return places[0] if places else None


def find_quotes(quote: str, text: str, *, most: int = 20) -> list[Span]:
    """Up to `most` spans of `text` whose wording is `quote` after the one normalisation of both, in order."""
    marked = quote.rstrip()[-1:] in ("]", "】", "］")  # `f()[1]` is no honest quote of `f()[0]`
    texts = forms(text)
    for said in forms(quote, quoted=True):
        for stated in texts:
            found: list[Span] = []
            place = stated.find(said)
            while place is not None and len(found) < most:
                if not (marked and said.text[-1:] != "]" and text[place[1] : place[1] + 1] == "["):
                    found.append(place)
                place = stated.find(said, bisect_left(stated.starts, place[0] + 1))
            if found:
                return found
    return []

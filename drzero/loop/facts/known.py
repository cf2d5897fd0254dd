"""What a text names, in whatever form it may be told: abbreviated, without accents, a people for its land (pure)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from drzero.loop.facts.common_words import is_common
from drzero.loop.facts.lands import GROUP_OF, is_people_of
from drzero.loop.facts.names import Name
from drzero.loop.facts.wording import STOP_WORDS, stem, unaccented
from drzero.text import words

_ROMAN = re.compile(r"(?=[IVX])(X{0,3})(IX|IV|V?I{0,3})")
_INITIALS = re.compile(r"[A-Z](?:\.?[A-Z])+\.?s?")
# Capitalised words with small ones between them: "National Aeronautics and Space Administration".
CAPITALISED_RUN = re.compile(r"\b[A-Z]\w*(?:(?:[ -]|,? (?:(?:of|the|and|for|in|de|on|to) ){1,2}|, )[A-Z]\w*)+")
# What people write with and without a capital.
_EITHER_CASE = frozenset(
    "internet web net earth moon sun god gods bible parliament congress senate court courts government army navy crown "
    "constitution catholic christian protestant islamic jewish renaissance medieval north south east west northern "
    "southern eastern western central ".split()
)
_ADDRESS = re.compile(r"[^\W_][._/@][^\W_]")
_FEW = 40  # words for one with a capital: whoever writes fewer writes without
_OTHER_ENDINGS = frozenset("a e n o an na ne ia ina ine ette etta s es us son sen".split())
# Words that introduce a name or say what kind of thing it is: with the name itself they need not be repeated.
TITLES = frozenset(
    "mr mrs ms dr sir dame lord lady prof professor president king queen prince princess saint st pope emperor "
    "general captain colonel senator governor minister chancellor actor actress singer director mount lake ".split()
)
KINDS = frozenset(
    "university college island islands river city county state inc ltd corp corporation company co group club "
    "band church museum park station airport building street bridge series film album song movie trilogy republic "
    "jr sr language province district region war battle treaty act ".split()
)
_LONG_FORMS = (
    (re.compile(r"\bUnited States(?: of America)?\b|\bU\.\s?S\.(?:\s?A\.)?", re.IGNORECASE), " US "),
    (re.compile(r"\bUnited Kingdom\b|\bGreat Britain\b|\bU\.\s?K\.", re.IGNORECASE), " UK "),
    (re.compile(r"\bSoviet Union\b|\bU\.\s?S\.\s?S\.\s?R\.", re.IGNORECASE), " USSR "),
)
_PARTICLES = "de|del|da|di|la|le|van|von|der|den|y|of|the|bin|ibn|al|el"


def folded(text: str) -> str:
    """`text` without accents, its best-known countries in one form."""
    text = unaccented(text)
    for pattern, short in _LONG_FORMS:
        text = pattern.sub(short, text)
    return text


def initials(run: str) -> str:
    """The first letters of the capitalised words of `run`, in small letters."""
    return "".join(word[0] for word in re.findall(r"[A-Z]\w*", run)).casefold()


def _in_small(letters: str, text: str) -> bool:
    """Whether words that only spaces or hyphens part begin with `letters`, none of them a stop word."""
    pattern = r"\b" + r"[ -]".join(rf"{letter}[a-z]{{2,}}" for letter in map(re.escape, letters)) + r"\b"
    found = re.finditer(pattern, text, re.IGNORECASE)
    return any(not STOP_WORDS & set(words(match[0])) for match in found)


def _is_another(one: str, two: str) -> bool:
    """Whether two names of which one begins the other are of different people: Paul and Paula, John and Johnson."""
    short, long = sorted((one, two), key=len)
    return long[len(short) :] in _OTHER_ENDINGS


@lru_cache(maxsize=256)
def known(text: str) -> Known:
    """What `text` names; kept, as several checks ask for it."""
    return Known(text)


@dataclass(frozen=True, slots=True)
class _Forms:
    """Words with the stems and lands that they stand for."""

    words: frozenset[str]
    stems: frozenset[str]
    groups: frozenset[str]


def _forms(given: Iterable[str]) -> _Forms:
    own = frozenset(given)
    stems = {stem(word) for word in own} | {word.replace(".", "") for word in own}
    return _Forms(own, frozenset(stems), frozenset(GROUP_OF[word] for word in own if word in GROUP_OF))


class Known:
    """What a text names: each word in the forms that it may be told by."""

    def __init__(self, text: str) -> None:
        self.text = folded(text)
        self.words = words(self.text)
        self._all = _forms(self.words)
        self._written: _Forms | None = None
        self._initials = {match[0].rstrip("s").replace(".", "") for match in _INITIALS.finditer(self.text)}
        self._first_letters: list[str] | None = None
        self._by_beginning: defaultdict[str, list[str]] | None = None

    def has(self, name: str) -> bool:
        """Whether every part of `name` is here: by stem, as a people for its land, or as a Roman number."""
        return all(self._has(word, name, self._all) for word in words(folded(name)))

    def names(self, name: str) -> bool:
        """Whether `name` is here with a capital; Mark is no mark, Poland not polish. Of titles any case is the same."""
        return all(
            self._has(word, name, self._all if word in TITLES | KINDS | _EITHER_CASE else self._capitalised())
            for word in words(folded(name))
        )

    def _capitalised(self) -> _Forms:
        """What is written with a capital or within an address; everything where hardly anything is."""
        if self._written is None:
            pieces = [piece for piece in self.text.split() if piece != piece.lower() or _ADDRESS.search(piece)]
            few = len(pieces) < len(self.words) / _FEW
            self._written = self._all if few else _forms(word for piece in pieces for word in words(piece))
        return self._written

    def _has(self, word: str, name: str, forms: _Forms) -> bool:
        if stem(word) in forms.stems or GROUP_OF.get(word, "-") in forms.groups or len(word) == 1:
            return True
        if _ROMAN.fullmatch(name) and name.isupper():
            return any(number in self.words for number in roman_forms(name))
        return len(word) > 3 and any(is_people_of(word, other) for other in forms.words)

    def has_longer(self, given: str) -> bool:
        """Whether a name here begins as `given` does, or the other way round: Timothy for Tim."""
        if is_roman(given):
            return False
        return all(self._has(part, given, self._all) or self._has_longer(part) for part in words(folded(given)))

    def _has_longer(self, short: str) -> bool:
        if self._by_beginning is None:
            self._by_beginning = defaultdict(list)
            for word in set(self.words):
                if len(word) > 2 and word.capitalize() in self.text:
                    self._by_beginning[word[:3]].append(word)
        return len(short) > 2 and any(
            (short.startswith(word) or word.startswith(short)) and not _is_another(short, word)
            for word in self._by_beginning.get(short[:3], ())
        )

    def shortens(self, word: str) -> bool:
        """Whether `word` is the beginning of a word here, as pro is of professional."""
        return any(other.startswith(word) for other in self.words)

    def abbreviates(self, name: Name) -> bool:
        """Whether the initials of the words stand here: FDA for Food and Drug Administration."""
        return len(name.words) > 1 and "".join(word[0] for word in name.words if word[0].isupper()) in self._initials

    def spells_out(self, short: str) -> bool:
        """Whether words of one name here begin with the letters of `short`: Food and Drug Administration for FDA.

        Small-letter words, as in "central processing unit", only for three letters or more.
        """
        letters = short.removesuffix("s").replace(".", "").casefold()
        if not _INITIALS.fullmatch(short) or len(letters) < 2:
            return False
        if self._first_letters is None:
            self._first_letters = [initials(match[0]) for match in CAPITALISED_RUN.finditer(self.text)]
        if any(letters in own for own in self._first_letters):
            return True
        return 2 < len(letters) <= 8 and _in_small(letters, self.text)

    def abbreviates_run(self, run: str) -> bool:
        """Whether the initials of a run of capitalised words, its article aside, stand here: "NASA"."""
        return initials(run.removeprefix("The ")).upper() in self._initials

    def givens(self, family: str) -> set[str]:
        """The given names, case-folded, that stand here before a family's name."""
        found = re.finditer(rf"\b([A-Z][\w'-]+)(?:\s[A-Z]\.)?\s{re.escape(family)}\b", self.text)
        given = {match[1].casefold() for match in found}
        return {name for name in given if name not in STOP_WORDS | TITLES and not is_common(name)}

    def ends(self, word: str) -> bool:
        """Whether a name here ends with `word`: a sign or a word without a meaning of its own comes next."""
        behind = re.search(rf"\b{re.escape(folded(word))}\b(?:'s)?(?:\s(\w+)|(?=\W|$))", self.text, re.IGNORECASE)
        return behind is not None and (behind[1] is None or behind[1].casefold() in STOP_WORDS)

    def together(self, name: Name) -> bool:
        """Whether first and last word of `name` are of one name here, as in Neil Leslie Diamond."""
        first, last = (re.escape(folded(word)) for word in (name.words[0], name.words[-1]))
        between = rf"(?:'s)?(?:\s(?:[A-Z][\w'.-]*|{_PARTICLES}))*"
        return re.search(rf"\b{first}{between}\s{last}\b", self.text) is not None

    def stitches(self, name: Name) -> bool:
        """Whether `name` is made of two that are here: Neil Diamond of Neil Armstrong and Bob Diamond."""
        parts = (name.words[0], name.words[-1])
        if len(name.words) < 2 or any(not part.isalpha() or f"{folded(part)}" not in self.text for part in parts):
            return False
        if {part.casefold() for part in parts} & (TITLES | KINDS) or self.together(name):
            return False
        return not self.bare(name.words[-1]) and not self.ends(name.words[0])

    def bare(self, word: str) -> bool:
        """Whether `word` stands here as a name by itself somewhere, no other name before it."""
        for match in re.finditer(rf"\b{re.escape(word)}\b", self.text, re.IGNORECASE):
            before = re.search(r"([^\W\d_][\w'.-]*)\s$", self.text[max(0, match.start() - 40) : match.start()])
            if before is None or before[1][0].islower() or before[1].casefold() in STOP_WORDS | TITLES:
                return True
            ahead = self.text[: match.start() - len(before[0])].rstrip()
            opens = not ahead or ahead[-1] in ".!?"
            if opens and is_common(before[1].casefold()):
                return True
        return False


def is_roman(word: str) -> bool:
    """Whether `word` is a Roman number of up to thirty-nine."""
    return _ROMAN.fullmatch(word) is not None


_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}
_SPELLED = "one two three four five six seven eight nine ten eleven twelve".split()
_NTH = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()


def roman_forms(roman: str) -> tuple[str, ...]:
    """How else a Roman number is written: VIII as 8, 8th, eight, eighth; nothing for what is none."""
    if not is_roman(roman):
        return ()
    values = [_ROMAN_VALUES[letter] for letter in roman]
    total = sum(-one if one < two else one for one, two in zip(values, [*values[1:], 0], strict=True))
    spelled = (_SPELLED[total - 1], _NTH[total - 1]) if 0 < total <= 12 else ()
    return (str(total), f"{total}th", *spelled)

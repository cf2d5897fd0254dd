"""What a text names, in whatever form it may be told: abbreviated, without accents, a people for its land (pure)."""

from __future__ import annotations

import re
from functools import lru_cache

from drzero.loop.common_words import is_common
from drzero.loop.names import Name
from drzero.loop.wording import STOP_WORDS, stem, unaccented
from drzero.text import words

_ROMAN = re.compile(r"(?=[IVX])(X{0,3})(IX|IV|V?I{0,3})")
_INITIALS = re.compile(r"[A-Z](?:\.?[A-Z])+\.?s?")
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
_SAME = (
    "us usa america american americans", "uk britain british england english", "ussr soviet soviets",
    "france french", "germany german", "spain spanish", "netherlands holland dutch", "denmark danish dane",
    "sweden swedish swede", "norway norwegian", "finland finnish finn", "poland polish pole", "ireland irish",
    "scotland scottish scots", "wales welsh", "greece greek", "switzerland swiss", "turkey turkish turk",
    "thailand thai", "portugal portuguese", "philippines filipino philippine", "rome roman", "china chinese",
    "cuba cuban", "peru peruvian", "iraq iraqi", "iran iranian", "cyprus cypriot", "argentina argentine argentinian",
    "naples neapolitan", "venice venetian", "vienna viennese", "moscow muscovite", "normandy norman",
    "flanders flemish",
    "burma burmese", "lebanon lebanese", "ukraine ukrainian", "czech czechia", "serbia serb serbian", "mecca meccan",
)  # fmt: skip
_GROUP_OF = {word: group for group in _SAME for word in group.split()}
_LONG_FORMS = (
    (re.compile(r"\bUnited States(?: of America)?\b|\bU\.\s?S\.(?:\s?A\.)?", re.IGNORECASE), " US "),
    (re.compile(r"\bUnited Kingdom\b|\bGreat Britain\b|\bU\.\s?K\.", re.IGNORECASE), " UK "),
    (re.compile(r"\bSoviet Union\b|\bU\.\s?S\.\s?S\.\s?R\.", re.IGNORECASE), " USSR "),
)
_PEOPLE = re.compile(r"(?:n|an|ian|ean|ese|ish|i|ic|er|nese)")
_PLACE = re.compile(r"(?:|a|e|y|o|s|ia|ium|ea)")
_NOT_ALIKE = ({"niger", "nigerian"}, {"niger", "nigerians"}, {"indiana", "indian"}, {"dominica", "dominican"})


_PARTICLES = "de|del|da|di|la|le|van|von|der|den|y|of|the|bin|ibn|al|el"


def folded(text: str) -> str:
    """`text` without accents, its best-known countries in one form."""
    text = unaccented(text)
    for pattern, short in _LONG_FORMS:
        text = pattern.sub(short, text)
    return text


@lru_cache(maxsize=256)
def known(text: str) -> Known:
    """What `text` names; kept, as several checks ask for it."""
    return Known(text)


class Known:
    """What a text names: each word in the forms that it may be told by."""

    def __init__(self, text: str) -> None:
        self.text = folded(text)
        self.words = words(self.text)
        self._stems = {stem(word) for word in self.words} | {word.replace(".", "") for word in self.words}
        self._groups = {_GROUP_OF[word] for word in self.words if word in _GROUP_OF}
        self._initials = {match[0].rstrip("s").replace(".", "") for match in _INITIALS.finditer(self.text)}

    def has(self, name: str) -> bool:
        """Whether every part of `name` is here: by stem, as a people for its land, or as a Roman number."""
        return all(self._has(word, name) for word in words(folded(name)))

    def _has(self, word: str, name: str) -> bool:
        if stem(word) in self._stems or _GROUP_OF.get(word, "-") in self._groups or len(word) == 1:
            return True
        if _ROMAN.fullmatch(name) and name.isupper():
            return any(number in self.words for number in _roman_forms(name))
        return len(word) > 3 and any(_people_of(word, other) for other in self.words)

    def has_longer(self, given: str) -> bool:
        """Whether a name here begins as `given` does, or the other way round: Timothy for Tim."""
        return all(self._has(part, given) or self._has_longer(part) for part in words(folded(given)))

    def _has_longer(self, short: str) -> bool:
        return len(short) > 2 and any(
            len(word) > 2 and (short.startswith(word) or word.startswith(short))
            for word in self.words
            if word.capitalize() in self.text
        )

    def shortens(self, word: str) -> bool:
        """Whether `word` is the beginning of a word here, as pro is of professional."""
        return any(other.startswith(word) for other in self.words)

    def abbreviates(self, name: Name) -> bool:
        """Whether the initials of the words stand here: FDA for Food and Drug Administration."""
        return len(name.words) > 1 and "".join(word[0] for word in name.words if word[0].isupper()) in self._initials

    def spells_out(self, short: str) -> bool:
        """Whether words here begin, one by one, with the letters of `short`: Food and Drug Administration for FDA."""
        letters = short.replace(".", "").casefold()
        if not _INITIALS.fullmatch(short) or len(letters) < 2:
            return False
        firsts = "".join(word[0] for word in self.words if word not in ("of", "the", "and", "for", "in", "de"))
        return letters in firsts

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


def _people_of(one: str, two: str) -> bool:
    """Whether one is the people or the language of the other: Europe and European, Canada and Canadian."""
    shared = 0
    while shared < min(len(one), len(two)) and one[shared] == two[shared]:
        shared += 1
    if shared < 4 or any({one, two} == pair for pair in _NOT_ALIKE):
        return False
    return any(
        _PLACE.fullmatch(land[cut:]) and _PEOPLE.fullmatch(people[cut:])
        for land, people in ((one, two), (two, one))
        for cut in range(4, shared + 1)
    )


_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}
_SPELLED = "one two three four five six seven eight nine ten eleven twelve".split()
_NTH = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()


def _roman_forms(roman: str) -> tuple[str, ...]:
    """How else a Roman number is written: VIII as 8, 8th, eight, eighth."""
    values = [_ROMAN_VALUES[letter] for letter in roman]
    total = sum(-one if one < two else one for one, two in zip(values, [*values[1:], 0], strict=True))
    spelled = (_SPELLED[total - 1], _NTH[total - 1]) if 0 < total <= 12 else ()
    return (str(total), f"{total}th", *spelled)

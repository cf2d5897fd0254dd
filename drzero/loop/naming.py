"""Names of a text, and whether those of a claim stand in the evidence, in whatever form (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from drzero.loop.common_words import is_common
from drzero.loop.dates import MONTHS, WEEKDAYS
from drzero.loop.wording import STOP_WORDS, stem, unaccented
from drzero.text import words
from drzero.types import Fault

_NAME = re.compile(r"[^\W\d_][\w'’.&-]*")
_ABBREVIATED = re.compile(r"\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|Gen|Col|Capt|Lt|Sgt|Rev|Mt|Ft|No|vs)\.$")
_ROMAN = re.compile(r"(?=[IVX])(X{0,3})(IX|IV|V?I{0,3})")
_INITIALS = re.compile(r"[A-Z](?:\.?[A-Z])+\.?s?")
# Words that introduce a name or say what kind of thing it is: with the name itself they need not be repeated.
_TITLES = frozenset(
    "mr mrs ms dr sir dame lord lady prof professor president king queen prince princess saint st pope emperor "
    "general captain colonel senator governor minister chancellor actor actress singer director mount lake ".split()
)
_KINDS = frozenset(
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


@dataclass(frozen=True, slots=True)
class Name:
    """Capitalised words that stand together, with their place; `opens` when the first begins a sentence."""

    words: tuple[str, ...]
    start: int
    end: int
    opens: bool = False

    def __str__(self) -> str:
        return " ".join(self.words)


def names(text: str) -> list[str]:
    """Capitalised words of `text` that are names: not the first word of a sentence, unless another name follows it.

    Months are names; the word "I" and single initials are not.
    """
    return [word for word, _, _, _ in _name_words(text)]


def _name_words(text: str) -> Iterator[tuple[str, int, int, bool]]:
    candidates = list(_NAME.finditer(text))
    for at, match in enumerate(candidates):
        before = text[: match.start()].rstrip(" \"'“‘(")
        opens = not before or (before[-1] in ".!?:;\n" and not _ABBREVIATED.search(before))
        word = match[0].rstrip(".'’-").removesuffix("'s").removesuffix("’s")
        if len(word) < 2 or not any(c.isupper() for c in word):
            continue
        if opens and word[1:].islower():
            following = candidates[at + 1] if at + 1 < len(candidates) else None
            joined = (
                following is not None and text[match.end() : following.start()] == " " and following[0][0].isupper()
            )
            if not joined or word.casefold() in STOP_WORDS:
                continue
        yield word, match.start(), match.end(), opens


def read_names(text: str) -> list[Name]:
    """The names of `text`, words that only a space parts together."""
    found: list[Name] = []
    for word, start, end, opens in _name_words(text):
        last = found[-1] if found else None
        initials = last is not None and re.fullmatch(r"\s(?:[A-Z]\.\s?)*", text[last.end : start])
        if last is not None and initials and not opens and text[last.end - 1] not in ",;:":
            found[-1] = Name((*last.words, word), last.start, end, last.opens)
        else:
            found.append(Name((word,), start, end, opens))
    return found


def folded(text: str) -> str:
    """`text` without accents, its best-known countries in one form."""
    text = unaccented(text)
    for pattern, short in _LONG_FORMS:
        text = pattern.sub(short, text)
    return text


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

    def bare(self, word: str) -> bool:
        """Whether `word` stands here as a name by itself somewhere, no other name before it."""
        for match in re.finditer(rf"\b{re.escape(word)}\b", self.text, re.IGNORECASE):
            before = re.search(r"([^\W\d_][\w'.-]*)\s$", self.text[: match.start()])
            if before is None or before[1][0].islower() or before[1].casefold() in STOP_WORDS | _TITLES:
                return True
        return False


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


def missing_names(claim: str, evidence: str) -> list[str]:
    """Words of the claim's names that the evidence does not have: case, accents, possessive and form aside."""
    known = Known(evidence)
    missing: list[str] = []
    for name in read_names(claim):
        absent = [word for word in name.words if not known.has(word)]
        if not absent or known.abbreviates(name) or (len(name.words) > 1 and known.has(str(name))):
            continue
        present = [word for word in name.words if word not in absent]
        if present or "-" in str(name):
            absent = [word for word in absent if not known.has_longer(word)]
        core = [word for word in absent if word.casefold() not in _TITLES]
        if present and known.ends(present[-1]):
            core = [word for word in core if word.casefold() not in _KINDS]
        if present and present[-1] == name.words[-1] and not _is_kind(present) and known.bare(present[-1]):
            core = []  # the given name is left out, and nobody else of that family is named
        missing += [word for word in core if not known.spells_out(word)]
    return list(dict.fromkeys(missing))


def _is_kind(present: list[str]) -> bool:
    return all(word.casefold() in _KINDS or word.casefold() in MONTHS or _ROMAN.fullmatch(word) for word in present)


def missing_weekdays(claim: str, evidence: str) -> list[str]:
    """Days of the week, in whatever case, that only the claim has."""
    have = set(words(evidence))
    return [word for word in words(claim) if word in WEEKDAYS and word not in have]


_OPENER = re.compile(r"(?:^|(?<=[.!?]\s))[\"'(]*([A-Z][^\W\d_]+(?:-[^\W\d_]+)*)(?=(?:'s)?\s[a-z])")


def missing_subject(claim: str, evidence: str) -> list[str]:
    """A lone word that opens a sentence of the claim, "Moonlight premiered", is not common and not in the evidence."""
    known = Known(evidence)
    found = (match[1] for match in _OPENER.finditer(claim))
    return [word for word in found if not is_common(word.casefold()) and not known.has(word)]


def missing_small_names(claim: str, evidence: str) -> list[str]:
    """Words of a claim without capitals that are not common, as names are not, and that the evidence does not have."""
    known = Known(evidence)
    return [
        word
        for word in dict.fromkeys(words(folded(claim)))
        if len(word) > 2 and word.isalpha() and not is_common(word) and not known.has(word) and not known.shortens(word)
    ]


def name_fault(claim: str, evidence: str, place: str = "") -> Fault | None:
    """Names of the claim that neither the evidence nor its place has.

    Where no place is known and the evidence begins with "He" or "The film", a subject that it does not name has a code
    of its own: the pronoun may stand for it.
    """
    around = f"{place}. {evidence}"
    missing = [word for word in missing_names(claim, around) if word.casefold() not in MONTHS]
    missing += [word for word in missing_weekdays(claim, around) if word.capitalize() not in missing]
    missing += [word for word in missing_subject(claim, around) if word not in missing]
    if claim.islower() or not any(letter.isupper() for letter in re.sub(r"\bI\b", "", claim)):
        missing += [word for word in missing_small_names(claim, around) if word not in missing]
    if not missing:
        return None
    told = ", ".join(missing[:4])
    if not place and _ANAPHORIC.match(evidence) and _one_is_missing(missing, claim):
        return Fault("subject", f"The evidence does not say whom or what it speaks of: it does not name {told}.")
    return Fault("name", f"The evidence does not name {told}.")


_PRONOUN = "he|she|it|they|his|her|its|their|this|these"
_ANAPHORIC = re.compile(rf"\W*(?:(?:[^.]{{0,100}}?,\s)?(?:{_PRONOUN}|the)\b|[A-Z]\w+\stook\splace\b)", re.IGNORECASE)


def _one_is_missing(missing: list[str], claim: str) -> bool:
    """Whether the missing words are of one name, or of names that follow on each other: a pronoun may stand for it."""
    absent = set(missing)
    known = [not absent & set(name.words) for name in read_names(claim)]
    return known.count(False) == 0 or all(
        not one for one in known[known.index(False) : len(known) - known[::-1].index(False)]
    )

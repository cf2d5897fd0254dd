"""Whether the names of a claim stand in its evidence (pure)."""

from __future__ import annotations

import re
from itertools import pairwise

from drzero.loop.facts.common_words import is_common
from drzero.loop.facts.dates import MONTHS, WEEKDAYS
from drzero.loop.facts.foreign import foreign_missing_names, is_english
from drzero.loop.facts.known import CAPITALISED_RUN, KINDS, TITLES, Known, folded, is_roman, known, roman_forms
from drzero.loop.facts.lands import LANDS, is_people_of
from drzero.loop.facts.names import Name, read_names
from drzero.loop.facts.numbers import read_numbers
from drzero.loop.facts.wording import STOP_WORDS
from drzero.loop.verbs import AUXILIARY, MODAL, PAST
from drzero.text import words
from drzero.types import Fault


def missing_names(claim: str, evidence: str, *, language: str = "en") -> list[str]:
    """Words of the claim's names that the evidence does not have: case, accents, possessive and form aside."""
    if not is_english(language):
        return foreign_missing_names(claim, evidence, language)
    stated = known(evidence)
    missing: list[str] = []
    runs = [run.span() for run in CAPITALISED_RUN.finditer(claim) if stated.abbreviates_run(run[0])]
    for name in read_names(claim):
        if any(start <= name.start and name.end <= end for start, end in runs):
            continue
        absent = [word for word in name.words if not _is_named(word, name, stated)]
        if not absent and stated.stitches(name):
            missing.append(str(name))
        if not absent or stated.abbreviates(name) or (len(name.words) > 1 and stated.has(str(name))):
            continue
        present = [word for word in name.words if word not in absent]
        if present or "-" in str(name):
            absent = [word for word in absent if not stated.has_longer(word)]
        core = [word for word in absent if word.casefold() not in TITLES]
        if present and stated.ends(present[-1]):
            core = [word for word in core if word.casefold() not in KINDS]
        if present and present[-1] == name.words[-1] and not _is_kind(present) and stated.bare(present[-1]):
            core = [] if stated.givens(present[-1]) <= {word.casefold() for word in name.words} else core
        missing += [word for word in core if not stated.spells_out(word)]
    return list(dict.fromkeys(missing))


def _is_named(word: str, name: Name, stated: Known) -> bool:
    """Whether a word of a name is in the evidence, with a capital where none begins the claim's sentence."""
    return stated.has(word) if name.opens and word == name.words[0] else stated.names(word)


def _is_kind(present: list[str]) -> bool:
    return all(word.casefold() in KINDS or word.casefold() in MONTHS or is_roman(word) for word in present)


def missing_weekdays(claim: str, evidence: str) -> list[str]:
    """Days of the week, in whatever case, that only the claim has."""
    have = set(words(evidence))
    return [word for word in words(claim) if word in WEEKDAYS and word not in have]


# Letters and values of which one is not the other: "vitamin C", "in R", "Charles V"; "False" where "True" is said.
_LETTERED = re.compile(r"\b([^\W\d_]{2,})[ -]([A-Z])\b(?![.'&+#-]?\w|[.+#]\s?[A-Z+#])")
_VALUES = ("True", "False", "None", "null", "NULL", "nil")


def other_letter(claim: str, evidence: str) -> tuple[str, str] | None:
    """A word and its letter in the claim, "vitamin C", that the evidence has only with another; (theirs, ours)."""
    stated = set(words(evidence))
    for match in _LETTERED.finditer(claim):
        word, letter = match[1], match[2]
        if word.casefold() in ("the", "a", "and", "or", "but") or re.search(rf"\b{letter}\b(?!['’])", evidence):
            continue
        theirs = re.search(rf"\b{re.escape(word)}s?[ -](?:[A-Z]|[IVX]+)\b(?![.'+#-]?\w)", evidence, re.IGNORECASE)
        if theirs and theirs[0][-1].isupper() and not stated.intersection(roman_forms(letter)):
            return theirs[0], match[0]
    return None


def other_value(claim: str, evidence: str) -> tuple[str, str] | None:
    """A value of the claim, "False", where the evidence has only another of its kind; (theirs, ours)."""
    ours, theirs = ([value for value in _VALUES if re.search(rf"\b{value}\b", text)] for text in (claim, evidence))
    if not ours or not theirs or any(value.casefold() in words(evidence) for value in ours):
        return None
    return theirs[0], ours[0]


_PLURAL = re.compile(r"\w+(?:[eo]rs|ists|ians|men|women|ees)")
_OPENER = re.compile(r"(?:^|(?<=[.!?]\s))[\"'(]*([A-Z][^\W\d_]+(?:-[^\W\d_]+)*)(?=(?:'s)?\s([a-z]+))")


def missing_subject(claim: str, evidence: str) -> list[str]:
    """A lone word that opens a sentence of the claim, "Moonlight premiered", is not common and not in the evidence."""
    stated = known(evidence)
    openers = _OPENER.finditer(_without_numbers(claim))
    found = (match[1] for match in openers if not _is_many(match[1], match[2]))
    return [
        word
        for word in found
        if not is_common(word.casefold()) and not stated.has(word) and not stated.spells_out(word)
    ]


def _is_many(word: str, verb: str) -> bool:
    """Whether an opening word is a plural by itself or by its verb, as doctors and "Tigers eat", and so no name."""
    if _PLURAL.fullmatch(word) and not any(is_people_of(word.casefold(), land) for land in LANDS):
        return True
    return word.endswith("s") and (verb in ("are", "were", "have", "do") or _is_bare(verb))


def _is_bare(verb: str) -> bool:
    """Whether a word that follows a subject is a verb of many, "eat", as far as its ending tells."""
    return (
        not verb.endswith(("s", "ed", "ly", "ing"))
        and verb not in PAST
        and verb not in STOP_WORDS | MODAL | AUXILIARY
        and is_common(verb)
    )


def _without_numbers(text: str) -> str:
    """`text` with blanks for its numbers and their units, which are no names."""
    pieces, at = [], 0
    for number in read_numbers(text):
        pieces += [text[at : number.start], " " * (number.end - max(at, number.start))]
        at = number.end
    return "".join((*pieces, text[at:]))


def missing_small_names(claim: str, evidence: str) -> list[str]:
    """Words of a claim without capitals that are not common, as names are not, and that the evidence does not have."""
    stated = known(evidence)
    return [
        word
        for word in dict.fromkeys(words(folded(_without_numbers(claim))))
        if len(word) > 2
        and word.isalpha()
        and not is_common(word)
        and not stated.has(word)
        and not stated.shortens(word)
    ]


def name_fault(claim: str, evidence: str, place: str = "") -> Fault | None:
    """Names of the claim that neither the evidence nor its place has.

    Where no place is known and the evidence begins with "He" or "The film", a subject that it does not name has a code
    of its own: the pronoun may stand for it.
    """
    around = f"{place}. {evidence}"
    for theirs, ours in filter(None, (other_letter(claim, around), other_value(claim, around))):
        return Fault("name", f'The evidence says "{theirs}", the claim "{ours}".', "contradicted")
    missing = [word for word in missing_names(_without_numbers(claim), around) if word.casefold() not in MONTHS]
    missing += [word for word in missing_weekdays(claim, around) if word.capitalize() not in missing]
    missing += [word for word in missing_subject(claim, around) if word not in missing]
    if claim.islower() or not any(letter.isupper() for letter in re.sub(r"\bI\b", "", claim)):
        missing += [word for word in missing_small_names(claim, around) if word not in missing]
    if not missing:
        return None
    told = ", ".join(missing[:4])
    if not place and _stands_for(missing, claim, evidence):
        return Fault("subject", f"The evidence does not say whom or what it speaks of: it does not name {told}.")
    return Fault("name", f"The evidence does not name {told}.")


_PRONOUN = "he|she|it|they|his|her|its|their|this|these"
_ANAPHOR = re.compile(rf"\W*(?:(?:{_PRONOUN}|the)\b|[A-Z]\w+\stook\splace\b)", re.IGNORECASE)
_LATE_ANAPHOR = re.compile(rf"[^.]{{0,100}}?,\s(?:{_PRONOUN}|the)\b", re.IGNORECASE)
_WITHIN_NAME = re.compile(r"\W+(?:(?:or|and|of|the|at|in|on|for|to|a)\W+){0,2}", re.IGNORECASE)


def _stands_for(missing: list[str], claim: str, evidence: str) -> bool:
    """Whether a pronoun or "the film" that the evidence begins with may stand for the one name that is missing.

    A name that is not the first of the claim only when the evidence begins so at once.
    """
    early = _ANAPHOR.match(evidence) is not None
    if not (early or _LATE_ANAPHOR.match(evidence)) or (_ANAPHOR.match(claim) and not claim.startswith("The")):
        return False
    spans = [match.span() for match in re.finditer(r"[^\W_][\w'.-]*", claim) if match[0].rstrip(".") in _forms(missing)]
    if not spans or any(not _WITHIN_NAME.fullmatch(claim, one[1], two[0]) for one, two in pairwise(spans)):
        return False
    return early or all(name.end > spans[0][0] for name in read_names(claim))


def _forms(missing: list[str]) -> set[str]:
    return {form for word in missing for form in (word, f"{word}'s")}

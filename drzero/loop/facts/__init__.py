"""What a sentence states that can be looked up, and everything in which a claim departs from its evidence (pure)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from drzero.loop.facts.dates import MONTHS, read_dates
from drzero.loop.facts.denials import negations
from drzero.loop.facts.foreign import english_figures, foreign_name_fault, foreign_negation_fault, is_english
from drzero.loop.facts.identifiers import identifier_fault, identifiers, missing_identifiers
from drzero.loop.facts.named import missing_names, name_fault
from drzero.loop.facts.names import names, read_names
from drzero.loop.facts.numbers import read_numbers
from drzero.loop.facts.opposites import opposite_fault
from drzero.loop.facts.polarity import denies, negation_fault
from drzero.loop.facts.quantities import number_fault
from drzero.loop.facts.quoting import titles_said, with_names_for
from drzero.loop.facts.roles import role_fault
from drzero.loop.facts.statements import statement_fault, unstated_fault
from drzero.loop.facts.strength import strength_fault
from drzero.loop.facts.wording import STOP_WORDS, content_stems, cover, nearest_sentence, plain, share, stem
from drzero.types import Fault

__all__ = [
    "STOP_WORDS", "content_stems", "cover", "denies", "faults", "identifiers", "is_month", "missing_identifiers",
    "missing_names", "missing_numbers", "names", "negations", "numbers", "read_names", "share",
    "stem",
]  # fmt: skip
CONTRADICTION_COVER = 0.6
NEARLY_ALL = 0.75


def faults(claim: str, evidence: str, place: str = "", *, nearest: str = "", language: str = "en") -> tuple[Fault, ...]:
    """Every way in which `claim` says something else than `evidence`, or more; the strongest reason first.

    `place`, title and headings, counts as evidence for names, numbers and code. `nearest` is the sentence of the
    evidence that the claim is about, chosen by words where it is "". Without a fault the claim may still be untrue.
    In languages other than English numbers, dates, code, names and denials are looked at, and no more of the sense.
    """
    given = (english_figures(plain(text), language) for text in (claim, evidence, place, nearest))
    return tuple(_faults(*given, language=language))


def _faults(claim: str, evidence: str, place: str, nearest: str, *, language: str) -> Iterator[Fault]:
    around = f"{place}. {evidence}" if place else evidence
    nearest = nearest or nearest_sentence(claim, evidence, place)
    found = (
        _foreign(claim, around, place, nearest, language)
        if not is_english(language)
        else (
            statement_fault(claim, around),
            number_fault(claim, around) or _other_number(claim, f"{place}. {nearest}"),
            identifier_fault(claim, around),
            name_fault(claim, evidence, place),
            role_fault(claim, evidence, nearest),
            opposite_fault(claim, around, nearest),
            _beside_titles(negation_fault, claim, evidence, place, nearest),
            _beside_titles(strength_fault, claim, evidence, place, nearest),
            unstated_fault(claim, evidence),
        )
    )
    covered = cover(claim, around) >= CONTRADICTION_COVER
    for fault in found:
        if fault is not None:
            yield fault if covered or fault.verdict != "contradicted" else replace(fault, verdict="unsupported")


def _beside_titles(
    check: Callable[[str, str, str], Fault | None], claim: str, evidence: str, place: str, nearest: str
) -> Fault | None:
    """What a check finds, unless only because it takes the words of a title for a statement: "All I Ever Need"."""
    fault = check(claim, evidence, nearest)
    if fault is None or not (titles := titles_said(claim, place, evidence)):
        return fault
    return check(*(with_names_for(text, titles) for text in (claim, evidence, nearest)))


def _foreign(claim: str, around: str, place: str, nearest: str, language: str) -> tuple[Fault | None, ...]:
    asks = statement_fault(claim, around)
    return (
        asks if asks is not None and asks.code != "first-person" else None,
        number_fault(claim, around) or _other_number(claim, f"{place}. {nearest}"),
        identifier_fault(claim, around),
        foreign_name_fault(claim, around, language),
        foreign_negation_fault(claim, nearest, language),
    )


def _other_number(claim: str, nearest: str) -> Fault | None:
    """A number from elsewhere in the evidence, where the sentence with nearly all the claim's words has another."""
    said = [word for word in content_stems(claim) if not word[0].isdigit()]
    if not said or share(said, set(content_stems(nearest))) < NEARLY_ALL:
        return None
    fault = number_fault(claim, nearest)
    return fault if fault is not None and fault.verdict == "contradicted" else None


def numbers(text: str) -> set[str]:
    """The numbers stated in `text` as plain decimals: "1,000" and "a thousand" words alike, "1.4 million" as 1400000.

    "first" and its like, words for one and words such as "both" are left out; "1960s" and "3rd" count as 1960 and 3.
    """
    text = plain(text)
    found = {
        f"{number.value:.10g}"
        for number in read_numbers(text)
        if not number.implied and not number.soft and not (number.kind == "ordinal" and number.text.isalpha())
    }
    return found | {str(date.day) for date in read_dates(text) if date.day}


def missing_numbers(claim: str, evidence: str) -> list[str]:
    """Numbers of the claim that the evidence does not state."""
    return sorted(numbers(claim) - numbers(evidence))


def is_month(word: str) -> bool:
    """Whether `word` is the English name of a month."""
    return word.casefold() in MONTHS

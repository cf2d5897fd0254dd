"""What the checks of a claim can tell in languages other than English: figures, dates, denials, names (pure)."""

from __future__ import annotations

import re

from drzero.loop.facts.names import Name, read_names
from drzero.loop.facts.wording import cover
from drzero.text import language_code, words
from drzero.types import Fault

_MONTHS = {
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
_ENGLISH = "January February March April May June July August September October November December".split()
_DENIALS = {
    "de": r"\b(?:nicht|kein\w*|nie|niemals|ohne|weder|niemand\w*|nichts)\b",
    "fr": r"\b(?:pas|jamais|aucune?|rien|sans|ni|personne ne)\b",
    "es": r"\b(?:no|nunca|jamás|ningun[oa]?|ningún|nadie|nada|sin|tampoco)\b",
    "it": r"\b(?:non|nessun\w*|senza|né|niente|nulla)\b",
    "pt": r"\b(?:não|nunca|jamais|nenhuma?|ninguém|sem|nada|nem)\b",
    "ru": r"\b(?:не|нет|никогда|ни|без|никто|ничего)\b",
    "zh": r"(?:不(?:是|会|會|能|得|在|曾|可)|没有?|沒有?|未[曾能]|并非|從未|从未|无法|無法|从不)",
    "ja": r"(?:ない|ません|なかった|ず、)",
}
_UNSPACED = ("zh", "ja")
_CLAUSE = re.compile(r"[,;:.!?，；：。！？、]\s?")
_WHOLE = 0.75


def is_english(language: str) -> bool:
    """Whether checks of English sense apply; an unknown language is taken for it."""
    return language_code(language) in ("en", "")


def english_figures(text: str, language: str) -> str:
    """`text` with figures and days as English has them: "2.962,5" as "2962.5", "12. Mai 1990" as "12 May 1990"."""
    code = language_code(language)
    if code in _UNSPACED or is_english(language):
        return text
    text = re.sub(r"(?<![\d.,])\d{1,3}(?:[. ]\d{3})+(?![\d.])", lambda match: re.sub(r"[. ]", "", match[0]), text)
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    months = _MONTHS.get(code, "").split()
    if not months:
        return text
    day = rf"\b(\d{{1,2}})(?:\.|er|º)?\s(?:de\s)?({'|'.join(months)})\b(?:\s(?:de\s|del\s)?(\d{{4}}))?"
    return re.sub(
        day,
        lambda match: " ".join(filter(None, (match[1], _ENGLISH[months.index(match[2].casefold())], match[3]))),
        text,
        flags=re.IGNORECASE,
    )


def foreign_negation_fault(claim: str, nearest: str, language: str) -> Fault | None:
    """A denial that only one of the two has, where the clause of the evidence has nearly all of the claim's words."""
    pattern = _DENIALS.get(language_code(language))
    if pattern is None:
        return None
    ours = re.search(pattern, claim, re.IGNORECASE)
    if ours and not re.search(pattern, nearest, re.IGNORECASE):
        return Fault("negation", "The claim denies something that the evidence does not.", "contradicted")
    clause = max(_CLAUSE.split(nearest), key=lambda one: cover(claim, one), default=nearest)
    if not ours and cover(claim, clause) >= _WHOLE and re.search(pattern, clause, re.IGNORECASE):
        return Fault("negation", "The evidence denies something that the claim does not.", "contradicted")
    return None


def foreign_names(claim: str, language: str) -> list[str]:
    """The words of a claim that are surely names: what begins a sentence is none, and of German nouns few are."""
    found = []
    for name in read_names(claim):
        own = name.words[1:] if name.opens else name.words
        found += [word for word in own if language_code(language) != "de" or _is_german_name(word, name, claim)]
    return found


def _is_german_name(word: str, name: Name, claim: str) -> bool:
    """Whether a capitalised word is no noun: written in capitals, or the last of several behind no figure."""
    if any(letter.isupper() for letter in word[1:]):
        return True
    return (
        word == name.words[-1] and len(name.words) > 1 and not (name.opens or re.search(r"\d\s$", claim[: name.start]))
    )


def foreign_missing_names(claim: str, evidence: str, language: str) -> list[str]:
    """Names of the claim of which no form, the ending aside, stands in the evidence."""
    have = set(words(evidence))
    return [
        word
        for word in dict.fromkeys(foreign_names(claim, language))
        if not all(any(_is_form(part, other) for other in have) for part in words(word))
    ]


def _is_form(one: str, two: str) -> bool:
    """Whether two words differ in their ending at most: Москва and Москве, Italie and italien."""
    least = max(min(len(one), len(two), 3), max(len(one), len(two)) - 3)
    return one[:least] == two[:least]


def foreign_name_fault(claim: str, evidence: str, language: str) -> Fault | None:
    """Names of the claim that the evidence does not have."""
    missing = foreign_missing_names(claim, evidence, language)
    return Fault("name", f"The evidence does not name {', '.join(missing[:4])}.") if missing else None

"""Whether two sentences on one subject cannot both be true: another date, number or name in a place, a denial (pure).

Told only where the sentences are alike but for that, and where the thing has but one such value: nobody is born twice,
but one may win a prize in two years. English alone has the words that tell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from drzero.loop import facts
from drzero.loop.facts.dates import Date, read_dates
from drzero.loop.facts.wording import STOP_WORDS, plain, stem

Clash = Literal["", "date", "number", "name", "negation"]

WAY = "1"  # names the rules below: pairs are looked at again when they change
_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)*|[^\W_]+(?:[._'’-][^\W_]+)*", re.UNICODE)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_ONCE = re.compile(
    r"\b(?:was|is)\s+(?:(?:first|originally|officially|formally|initially)\s+)?(?:born|founded|established|incorporated|"
    r"chartered|opened|inaugurated|built|completed|published|released|written|composed|recorded|invented|discovered|"
    r"introduced|created|formed|launched|signed|dissolved|abolished|demolished|destroyed|added|deprecated|removed|"
    r"deleted|buried|killed|assassinated|executed)\b|\b(?:died|opened|premiered|debuted)\s+(?:on|in)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?:is|are|has|contains?|consists? of|measures?|weighs?|returns?|should return|spans?|takes?|needs?|equals?)\b",
    re.IGNORECASE,
)
_ONE_NAME = re.compile(
    r"\b(?:capital(?: city)? of|father of|mother of|named (?:after|for)|"
    r"(?:discovered|invented|designed|painted|directed) by)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|over|under|circa|ca?\.|more than|less than|fewer than|"
    r"at least|at most|up to|between|estimated|some|several|by|since|until|before|after|from)\s+(?:\w+\s+)?\d|"
    r"[~≈<>≤≥±]",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"(?:It|He|She|They|Its|His|Her|Their)\b")
_MOST_WORDS = 6  # of a value
_LEAST_SHARED = 2  # of a sentence that opens with a pronoun one
_ROUNDED_DIGITS = 3  # from so many digits on zeros may be there because a number was rounded


@dataclass(frozen=True, slots=True)
class _Word:
    stem: str
    text: str
    end: int

    @property
    def is_value(self) -> bool:
        return self.text[0].isdigit() or facts.is_month(self.text)

    @property
    def is_name(self) -> bool:
        return any(letter.isupper() for letter in self.text) or (not self.text[0].isdigit() and "." in self.text)


def clash(claim: str, other: str, subjects: Collection[str] = ()) -> Clash:
    """In what two sentences contradict each other; "" for nothing that is sure.

    `subjects` are titles of what both are about, for sentences that name it only by a pronoun.
    """
    mine, theirs = _words(claim), _words(other)
    here, there = {word.stem for word in mine}, {word.stem for word in theirs}
    if len(here & there) + bool(subjects and _PRONOUN.match(claim)) < _LEAST_SHARED:
        return ""
    if here == there:
        return "negation" if _denied(claim, other) or _denied(other, claim) else ""
    slot, rival = _slot(mine, there), _slot(theirs, here)
    if slot is None or rival is None:
        return ""
    if not _same_subject(claim, other, (mine[: slot.start], theirs[: rival.start]), subjects):
        return ""
    values, rivals = mine[slot.start : slot.stop], theirs[rival.start : rival.stop]
    before = [text[: words[0].end] for text, words in ((claim, values), (other, rivals))]
    if all(word.is_value for word in (*values, *rivals)):
        return _other_value(claim, other, values, rivals, before)
    if all(word.is_name and not word.is_value for word in (*values, *rivals)):
        return "name" if all(_ONE_NAME.search(text) for text in (claim, other)) else ""
    return ""


def terms(claim: str, subjects: Collection[str] = ()) -> list[str]:
    """The words by which sentences that a claim may clash with are found: all that tell something, no numbers."""
    said = [
        word for word in _TOKEN.findall(plain(claim)) if word.casefold() not in STOP_WORDS and not word[0].isdigit()
    ]
    if _PRONOUN.match(claim):
        said += [word for title in sorted(subjects) for word in _TOKEN.findall(title)]
    return list(dict.fromkeys(word.casefold() for word in said if not facts.is_month(word)))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[_Word, ...]:
    """The words that carry meaning, with their places."""
    return tuple(
        _Word(stem(match[0].casefold()), match[0], match.end())
        for match in _TOKEN.finditer(text)
        if match[0].casefold() not in STOP_WORDS
    )


def _slot(words: Sequence[_Word], there: Collection[str]) -> range | None:
    """The one place where a sentence has words that the other lacks; None when there is none or several."""
    own = [at for at, word in enumerate(words) if word.stem not in there]
    if not own or len(own) > _MOST_WORDS or own[-1] - own[0] >= len(own):
        return None
    return range(own[0], own[-1] + 1)


def _same_subject(claim: str, other: str, led: Sequence[Sequence[_Word]], subjects: Collection[str]) -> bool:
    """Whether both name the same thing in the words before they differ, or stand for one subject by one pronoun."""
    named = [[word.stem for word in words if word.is_name] for words in led]
    if named[0] or named[1]:
        return named[0] == named[1]
    openings = [match[0] if (match := _PRONOUN.match(text)) else "" for text in (claim, other)]
    return bool(subjects) and bool(openings[0]) and openings[0] == openings[1]


def _other_value(
    claim: str, other: str, values: Sequence[_Word], rivals: Sequence[_Word], before: Sequence[str]
) -> Clash:
    """Whether one value stands in the place of another, of something that has but one."""
    if any(_ABOUT.search(text) for text in (claim, other)):
        return ""
    dates = [_date(text, words) for text, words in ((claim, values), (other, rivals))]
    if dates[0] and dates[1] and all(_ONCE.search(text) for text in before):
        return "" if dates[0].agrees(dates[1]) else "date"
    if not any(map(_is_one_number, (values, rivals))):
        return ""
    once = all(_ONCE.search(text) or _AMOUNT.search(text) for text in before)
    if once and len(values) == len(rivals) == 1 and _differ(values[0].text, rivals[0].text):
        return "number"
    return ""


def _is_one_number(words: Sequence[_Word]) -> bool:
    return len(words) == 1 and not facts.is_month(words[0].text)


def _date(text: str, words: Sequence[_Word]) -> Date | None:
    """The date that words of a sentence are part of, or the year that they are; None when they are neither."""
    end = words[-1].end
    for date in read_dates(text):
        if date.start < end <= date.end:
            return date
    alone = len(words) == 1 and re.fullmatch(r"1\d{3}|20\d\d", words[0].text)
    return Date(0, 0, int(words[0].text), end - 4, end) if alone else None


def _differ(one: str, two: str) -> bool:
    """Whether two numbers as written differ, and not only because one is rounded."""
    if not all(_NUMBER.fullmatch(text) for text in (one, two)):
        return one != two  # versions, such as 3.10.1
    rough, exact = sorted((one.replace(",", ""), two.replace(",", "")), key=_exactness)
    return f"{float(exact):.6g}" != f"{float(rough):.6g}" and round(float(exact), _exactness(rough)) != float(rough)


def _exactness(digits: str) -> int:
    """The decimals of a number as written, negative for zeros before the point."""
    whole, _, decimals = digits.partition(".")
    return len(decimals) if decimals or len(whole) < _ROUNDED_DIGITS else len(whole.rstrip("0")) - len(whole)


def _denied(claim: str, other: str) -> bool:
    return any(fault.code == "negation" and fault.verdict == "contradicted" for fault in facts.faults(claim, other))

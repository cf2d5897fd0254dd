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

WAY = "2"  # names the rules below: pairs are looked at again when they change
_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)*|[^\W_]+(?:[._'’-][^\W_]+)*", re.UNICODE)
_SIGN = re.compile(r"[^\w\s.,;:'\"‘’“”]")
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
_DENIAL = re.compile(
    r"(?P<subject>[^,;:()\[\]\"]{2,80}?)\s(?:is|are|was|were|has|have|had|does|do|did|can|could|may|must|should|will|would)"
    r"(?:n't|\s(?:not|never))\b"
)
_NO_STATEMENT = re.compile(  # a condition, an instruction, a line of code
    r"(?:If|When|Whether|Unless|Where|Returns?|Tests?|Note|Example|For example|Take|Use|Set|See|assert)\b|"
    r".*(?:==|[;{}=<>|])",
    re.DOTALL,
)
_MOST_WORDS = 6  # of a value
_LEAST_SHARED = 2
_ROUNDED_DIGITS = 3  # from so many digits on zeros may be there because a number was rounded


@dataclass(frozen=True, slots=True)
class _Word:
    stem: str
    text: str
    start: int
    end: int

    @property
    def is_value(self) -> bool:
        return self.text[0].isdigit() or facts.is_month(self.text)

    @property
    def is_name(self) -> bool:
        return any(letter.isupper() for letter in self.text) or (not self.text[0].isdigit() and "." in self.text)


def clash(claim: str, other: str) -> Clash:
    """In what two sentences contradict each other; "" for nothing that is sure. Each must name what it is about."""
    mine, theirs = _words(claim), _words(other)
    here, there = {word.stem for word in mine}, {word.stem for word in theirs}
    if len(here & there) < _LEAST_SHARED:
        return ""
    if here == there:
        return "negation" if _denies(claim, other) or _denies(other, claim) else ""
    slot, rival = _slot(mine, there), _slot(theirs, here)
    if slot is None or rival is None or _NO_STATEMENT.match(claim) or _NO_STATEMENT.match(other):
        return ""
    named = [[word.stem for word in words if word.is_name] for words in (mine[: slot.start], theirs[: rival.start])]
    if not named[0] or named[0] != named[1]:
        return ""
    values, rivals = mine[slot.start : slot.stop], theirs[rival.start : rival.stop]
    if _signs(claim[: values[0].start]) != _signs(other[: rivals[0].start]):
        return ""
    if all(word.is_value for word in (*values, *rivals)):
        return _other_value((claim, mine, values), (other, theirs, rivals))
    if all(word.is_name and not word.is_value for word in (*values, *rivals)):
        return "name" if all(_ONE_NAME.search(text) for text in (claim, other)) else ""
    return ""


def terms(claim: str) -> list[str]:
    """The words by which sentences that a claim may clash with are found: all that tell something, no numbers."""
    said = (word for word in _TOKEN.findall(plain(claim)) if not word[0].isdigit() and not facts.is_month(word))
    return list(dict.fromkeys(word.casefold() for word in said if word.casefold() not in STOP_WORDS))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[_Word, ...]:
    """The words that carry meaning, with their places."""
    return tuple(
        _Word(stem(match[0].casefold()), match[0], match.start(), match.end())
        for match in _TOKEN.finditer(text)
        if match[0].casefold() not in STOP_WORDS
    )


def _signs(text: str) -> list[str]:
    """Signs that tell one thing from another, as in "f(-1)", but for that of a number that follows."""
    return _SIGN.findall(text.rstrip("-+"))


def _slot(words: Sequence[_Word], there: Collection[str]) -> range | None:
    """The one place where a sentence has words that the other lacks; None when there is none or several."""
    own = [at for at, word in enumerate(words) if word.stem not in there]
    if not own or len(own) > _MOST_WORDS or own[-1] - own[0] >= len(own):
        return None
    return range(own[0], own[-1] + 1)


_Told = tuple[str, Sequence[_Word], Sequence[_Word]]  # a sentence, its words, those in which it differs


def _other_value(one: _Told, two: _Told) -> Clash:
    """Whether one value stands in the place of another, of something that has but one."""
    if any(_ABOUT.search(text) for text, _, _ in (one, two)):
        return ""
    once = all(_verb(_ONCE, told) for told in (one, two))
    dates = [_date(text, values) for text, _, values in (one, two)]
    if dates[0] and dates[1] and once:
        return "" if dates[0].agrees(dates[1]) else "date"
    numbers = [values[0].text for _, _, values in (one, two) if len(values) == 1 and not facts.is_month(values[0].text)]
    amount = all(_verb(_AMOUNT, told) and not _is_in_name(told) for told in (one, two))
    return "number" if len(numbers) == 2 and (once or amount) and _differ(*numbers) else ""


def _verb(pattern: re.Pattern[str], told: _Told) -> bool:
    """Whether a sentence has a verb between the name of what it is about and the value."""
    text, words, values = told
    found = pattern.search(text, 0, values[0].start)
    return found is not None and any(word.is_name and word.end <= found.start() for word in words)


def _is_in_name(told: _Told) -> bool:
    """Whether a number is part of a name, as in "TLS 1.2"."""
    text, words, values = told
    led = [word for word in words if word.end < values[0].start]
    return bool(led) and led[-1].is_name and not text[led[-1].end : values[0].start].strip()


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


def _denies(claim: str, other: str) -> bool:
    """Whether a sentence denies of what it names what another says of it."""
    denied = _DENIAL.match(claim)
    if denied is None or _DENIAL.match(other) or _NO_STATEMENT.match(claim):
        return False
    subject = denied["subject"]
    if not any(word.is_name for word in _words(subject)) or not other.startswith(f"{subject} "):
        return False
    return any(fault.code == "negation" and fault.verdict == "contradicted" for fault in facts.faults(claim, other))

"""Numbers of a text, in figures and in words, with their units, bounds and what they count (pure)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from drzero.loop.facts.dates import read_dates
from drzero.loop.facts.identifiers import mixed_spans
from drzero.loop.facts.units import money_before, unit_at
from drzero.loop.facts.wording import STOP_WORDS, stem
from drzero.text import HAS_UNSPACED

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
).split()
_UNIT = {word: value for value, word in enumerate(_SMALL)}
_TEN = {word: 20 + 10 * i for i, word in enumerate(_TENS)}
_ORDINAL = {word: value for value, word in enumerate(_ORDINALS, 1)}
_ORDINAL |= {f"{word[:-1]}ieth": value for word, value in _TEN.items()}
_DECADES = {f"{word[:-1]}ies": value for word, value in _TEN.items()}
_MAGNITUDE = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_HAN = {"千": 1e3, "万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8, "兆": 1e12}
_CLOCK = re.compile(
    r"(?<![\w:.,$])(?P<told>(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d))?)"
    r"(?:\s?(?P<half>[ap])(?:\.m\.|m\b)|(?P<whole>\so'clock))?(?![\d:]|\.\d)",
    re.IGNORECASE,
)
_CODED = re.compile(r"(?<![\w.,])(?:(?P<base>0x[0-9a-f]{1,16}|0b[01]{1,64})|\d+(?:\.\d+)?e[+-]?\d{1,4})(?!\w)", re.I)
_GLUED = {"k": 1e3, "mn": 1e6, "m": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
# Words of the evidence that state a number besides the number words; a claim is not held to them.
_IMPLIED = {
    "both": 2, "pair": 2, "couple": 2, "duo": 2, "double": 2, "doubled": 2, "twin": 2, "twins": 2, "trio": 3,
    "triple": 3, "tripled": 3, "quartet": 4, "quintet": 5, "single": 1, "sole": 1, "no": 0, "none": 0, "dozen": 12,
}  # fmt: skip
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_WORD = rf"(?a:{'|'.join((*_SMALL, *_TENS))})"  # `(?a:…)`: no "ı" for "i", which the tables do not have
_SIZES = "(?a:hundred|thousand|million|billion|trillion)"
# A letter or figure but those of scripts without spaces, whose words touch the numbers beside them: 于1902年.
_SPACED_LETTER = rf"[^\W{HAS_UNSPACED.pattern[1:]}"
_FIGURES = re.compile(
    rf"(?<!\^)(?<!{_SPACED_LETTER})(?P<minus>(?:(?<=[\s(=\[{{,])|^)-)?(?<![A-Za-z]\.)(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\^(?P<power>\d{1,2})|(?P<tail>st|nd|rd|th|s|'s))?(?![\d^])",
    re.IGNORECASE,
)
_SPELLED = re.compile(
    rf"(?<![\w'])(?:(?:{_WORD}(?:[\s-](?:and\s)?(?=(?:{_WORD}|{_SIZES}|dozen)\b))?"
    rf"|(?:an?\s)?(?:{_SIZES}|dozen)(?:[\s-](?:and\s)?(?=(?:{_WORD}|{_SIZES}|dozen)\b))?)+)(?![\w'])",
    re.IGNORECASE,
)
_NTH = re.compile(
    rf"(?<![\w'])(?:(?P<tens>(?a:{'|'.join(_TENS)}))-)?"
    rf"(?P<nth>(?a:{'|'.join(sorted(_ORDINAL, key=len, reverse=True))}))(?![\w'])",
    re.IGNORECASE,
)
_PART = re.compile(
    rf"(?<![\w'])(?:(?P<top>(?a:an?|one|two|three|four|five|seven))[\s-])?(?P<part>(?a:{'|'.join(_PARTS)}))s?"
    rf"(?:(?<=rds)|(?<=ths)|(?=\s(?:of|the|its|his|her|their|an?(?!\s(?:{_SIZES}|dozen)\b))\b))(?![\w'])",
    re.IGNORECASE,
)
_DECADE = re.compile(
    rf"(?<![\w'])(?:'?(?P<short>\d0)'?s|(?P<long>\d{{3}}0)'?s|(?P<word>(?a:{'|'.join(_DECADES)})))(?!\w)", re.I
)
_AGAIN = re.compile(
    rf"[ -](?P<word>{_SIZES})(?!\w)|(?P<glued>(?a:k|mn|m|bn|b|tn))(?!\w)|\s?(?P<han>[{''.join(_HAN)}])", re.I
)
_CENTURY = re.compile(r"[\s-](?:and\s\w+\s)?(?:century|centuries)\b", re.IGNORECASE)
_SHARED = re.compile(r"\s?(?:-|to|and|or|by|x|×|/)\s?")
_BEFORE_CHRIST = re.compile(r"\s?(?:BCE?\b|B\.\s?C\.)", re.IGNORECASE)
_BOUNDS = {
    ">": "more than|over|above|greater than|larger than|longer than|exceeding|exceeds?|exceeded|upwards of|at least"
    "|no fewer than|no less than|not less than|a minimum of|minimum",
    "<": "less than|fewer than|under|below|up to|at most|no more than|not more than|a maximum of|maximum|within"
    "|only|just",
    "~": "about|around|approximately|roughly|some|circa|c\\.|ca\\.|nearly|almost|approx\\.?|an estimated|estimated",
}
_BOUND = {
    sign: re.compile(rf"\b(?:{words})\s(?:the\s)?(?:age\sof\s)?$", re.IGNORECASE) for sign, words in _BOUNDS.items()
}
# "do not take more than", "never exceeds": what bounds from below then bounds from above, and the other way round.
_TURNED = re.compile(r"\b(?:not|never|cannot|\w+n't)\s(?:\w+\s){0,3}$", re.IGNORECASE)
_OTHER_SIDE = {">": "<", "<": ">"}
_COMPARING = re.compile(r"(?:more|fewer|less|greater|larger|longer) than|over|above|under|below|exceed", re.IGNORECASE)
_NO_BOUND = re.compile(r"\s(?:more|less|fewer|later|sooner|earlier|longer|greater|larger|higher|lower) than\b")
_NOT_A_LIMIT = re.compile(r"\b(?:only|just)\s$", re.IGNORECASE)
_BEHIND = re.compile(r"[\s-]?((?:[A-Z]\.)+|[^\W\d_][\w'-]*)")
_MODIFIED = re.compile(r"\b(early|mid|late)(?:[\s-]+(?:to[\s-](?:mid|late)[\s-])?)(?:the\s)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as stated. `kind` is cardinal, ordinal, decade, century or part; `bound` is one of "", ">", "<", "~".

    `other` is a second reading, as 1.4m may be metres or millions. `nouns` are the stems of the words counted. An
    `implied` number stands in no number word, such as that of "both"; a `soft` one need not be stated.
    """

    value: float
    unit: str = ""
    kind: str = "cardinal"
    bound: str = ""
    other: tuple[float, str] | None = None
    nouns: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    text: str = ""
    scale: float = 1
    implied: bool = False
    soft: bool = False

    @property
    def told(self) -> tuple[object, ...]:
        """All that it says, whatever its place."""
        return self.value, self.unit, self.kind, self.bound, self.other, self.nouns, self.implied, self.soft

    @property
    def is_year(self) -> bool:
        """Whether it looks like a year: four figures without a unit, a comma or a magnitude."""
        return self.kind == "cardinal" and not self.unit and bool(re.fullmatch(r"1\d{3}|20\d{2}", self.text))


def read_numbers(text: str) -> list[Number]:
    """The numbers of `text` in order, without the days of dates and the figures of code names such as `sha256`."""
    dates = read_dates(text)
    taken = bytearray(len(text) + 1)
    for start, end in (*((date.start, date.end) for date in dates), *mixed_spans(text)):
        taken[start:end] = b"\1" * (end - start)
    found = [Number(date.year, start=date.start, end=date.end, text=str(date.year)) for date in dates if date.year]
    readers = (_clock, _coded, _decades, _parts, _figures, _nths, _spelled, _implied)
    for reader in readers:
        for number in reader(text):
            if not any(taken[number.start : number.end]):
                taken[number.start : number.end] = b"\1" * (number.end - number.start)
                found.append(number)
    return _share_units(text, sorted(found, key=lambda number: number.start))


def _before(text: str, match: re.Match[str]) -> str:
    """The little that stands before `match`."""
    return text[max(0, match.start() - 10) : match.start()]


def _clock(text: str) -> Iterator[Number]:
    """Times of day: 9:45, 9 pm, 9 o'clock; read by twelve hours and by twenty-four."""
    for match in _CLOCK.finditer(text):
        if match["minute"] or match["half"] or match["whole"]:
            time, half = int(match["hour"]) + int(match["minute"] or 0) / 60, (match["half"] or "").casefold()
            whole = time % 12 + 12 * (half == "p") if half else time
            unit, told = f"{half}m" if half else "clock", match["told"]
            yield Number(time, unit, other=(whole, "24h"), start=match.start(), end=match.end(), text=told)


def _coded(text: str) -> Iterator[Number]:
    for match in _CODED.finditer(text):
        value = float(int(match["base"], 0)) if match["base"] else float(match[0])
        yield _with_unit(text, value, match.start(), match.end(), match[0], figures=True)


def _decades(text: str) -> Iterator[Number]:
    for match in _DECADE.finditer(text):
        value = match["long"] or match["short"] or _DECADES[match["word"].casefold()]
        modified = _MODIFIED.search(text, max(0, match.start() - 14), match.start())
        unit = modified[1].casefold() if modified else ""
        yield Number(float(value), unit, "decade", start=match.start(), end=match.end(), text=match[0])


def _parts(text: str) -> Iterator[Number]:
    for match in _PART.finditer(text):
        top = (match["top"] or "one").casefold()
        if match["part"].casefold() != "half" and not match["top"]:
            continue  # "third of" is an ordinal
        value = (1 if top in ("a", "an") else _UNIT[top]) / _PARTS[match["part"].casefold()]
        yield Number(value, kind="part", other=(100 * value, "%"), start=match.start(), end=match.end(), text=match[0])


def _figures(text: str) -> Iterator[Number]:
    for match in _FIGURES.finditer(text):
        value = float(match["digits"].replace(",", "")) * (-1 if match["minus"] else 1)
        if match["power"]:
            value = _power(value, int(match["power"]))
        tail = (match["tail"] or "").casefold()
        if tail in ("st", "nd", "rd", "th"):
            yield _nth(text, value, match.start(), match.end())
            continue
        short = re.fullmatch(r"\d\d", match["digits"]) and re.search(r"(\d\d)\d\d\s?-$", _before(text, match))
        if short and int(match["digits"]) > int(text[match.start() - 3 : match.start()].strip(" -")[-2:]):
            value += 100 * int(short[1])  # 1990-95
        told = f"{match['minus'] or ''}{match['digits']}" + (f"^{match['power']}" if match["power"] else "")
        yield _with_unit(text, value, match.start(), match.end(), told, figures=True)


def _power(value: float, power: int) -> float:
    try:
        return value**power
    except OverflowError:
        return math.inf


def _with_unit(text: str, value: float, start: int, end: int, told: str, *, figures: bool) -> Number:
    """The number with its magnitude, its unit, what it counts and its bound."""
    other: tuple[float, str] | None = None
    money, start = money_before(text, start)
    plain_end, told_value = end, value
    while again := _AGAIN.match(text, end):
        if again["word"]:
            value, end = value * _MAGNITUDE[again["word"].casefold()], again.end()
            continue
        if again["han"]:
            value, end = value * _HAN[again["han"]], again.end()
            continue
        scaled = value * _GLUED[again["glued"].casefold()]
        if again["glued"] in ("m", "b", "B") and not money:
            other = (scaled, "")
            break
        value, end = scaled, again.end()
    unit, end = unit_at(text, end, figures=figures)
    if unit == "decade" and other is None:
        other = (10 * value, "year")
    elif other and not unit:
        value, other, end = other[0], None, plain_end + 1
    if money:
        unit = money
    if not unit and (era := _BEFORE_CHRIST.match(text, end)):
        value, end = -value, era.end()
    bound, start = _bound(text, start)
    return Number(
        value, unit, bound=bound, other=other, nouns=_counted(text, end), start=start, end=end,
        text=told if figures else "", scale=value / told_value if figures and value > told_value > 0 else 1,
    )  # fmt: skip


def _bound(text: str, at: int) -> tuple[str, int]:
    """The bound that is set right before `at`; of "no more than" not that of the "more than" in it."""
    found = [(match.start(), sign) for sign, one in _BOUND.items() if (match := one.search(text, max(0, at - 24), at))]
    if not found or _NOT_A_LIMIT.search(text, max(0, at - 6), at):
        return "", at
    begin, sign = min(found)
    if _COMPARING.match(text, begin) and _TURNED.search(text, max(0, begin - 40), begin):
        return _OTHER_SIDE.get(sign, sign), at
    return sign, at


def _counted(text: str, at: int) -> tuple[str, ...]:
    """Stems of up to four words behind `at`, as far as no stop word or sign comes between."""
    found: list[str] = []
    while len(found) < 4 and (match := _BEHIND.match(text, at)):
        word = match[1].casefold()
        if word in STOP_WORDS or word in _UNIT or word in _TEN:
            break
        found.append(stem(word))
        at = match.end()
    return tuple(found)


def _nth(text: str, value: float, start: int, end: int) -> Number:
    century = _CENTURY.match(text, end)
    era = _BEFORE_CHRIST.match(text, century.end()) if century else None
    return Number(
        -value if era else value, kind="century" if century else "ordinal", start=start, end=end, text=text[start:end],
        nouns=_counted(text, end), soft=value == 1 and not century,
    )  # fmt: skip


def _nths(text: str) -> Iterator[Number]:
    for match in _NTH.finditer(text):
        tens = _TEN[match["tens"].casefold()] if match["tens"] else 0
        word = match["nth"].casefold()
        if (
            word == "second"
            and re.search(r"\b(?:per|a|each|every)\s$|\d\s?$", _before(text, match))
            and not re.match(r"[\s-]\w", text[match.end() :])
        ):
            continue  # the unit
        yield _nth(text, float(tens + _ORDINAL[word]), match.start(), match.end())


def _spelled(text: str) -> Iterator[Number]:
    for match in _SPELLED.finditer(text):
        words = re.split(r"[\s-]+", match[0].casefold())
        total, group, seen = 0.0, 0.0, False
        for word in words:
            if word in _MAGNITUDE:
                group = (group or 1) * _MAGNITUDE[word]
                if word != "hundred":
                    total, group = total + group, 0.0
            elif word == "dozen":
                group = (group or 1) * 12
            elif word in _UNIT or word in _TEN:
                group += _UNIT.get(word, _TEN.get(word, 0))
            seen = seen or word in _UNIT or word in _TEN
        number = _with_unit(text, total + group, match.start(), match.end(), match[0], figures=False)
        half = re.search(r"\bhalf an?\s$|\bhalf\s$", _before(text, match), re.IGNORECASE)
        if half and not seen:
            number = replace(number, value=number.value / 2, start=half.start())
        yield replace(number, text=match[0], soft=words == ["one"] and not number.unit)


def _implied(text: str) -> Iterator[Number]:
    for match in re.finditer(r"[^\W\d_]+", text):
        word = match[0].casefold()
        if word in _TIMES:
            yield Number(float(_TIMES[word]), start=match.start(), end=match.end(), text=word, soft=word == "once")
        elif word in _IMPLIED:
            if word == "no" and _NO_BOUND.match(text, match.end()):
                continue
            yield Number(float(_IMPLIED[word]), start=match.start(), end=match.end(), text=word, implied=True)


def _share_units(text: str, found: list[Number]) -> list[Number]:
    """In "12 to 15 km" and "3 by 5 metres" the first number has the unit of the last, in "$5-10 million" its size."""
    for at in range(len(found) - 2, -1, -1):
        one, two = found[at], found[at + 1]
        between = text[one.end : two.start]
        if not _SHARED.fullmatch(between) or one.kind != "cardinal" or two.kind != "cardinal":
            continue
        if two.unit and not one.unit and not one.is_year:
            one = replace(one, unit=two.unit)
        if not one.nouns:
            one = replace(one, nouns=two.nouns)
        if two.scale > 1 == one.scale:
            one = replace(one, other=(one.value * two.scale, one.unit))
        if two.value < 0 <= one.value and not one.unit and one.value > -two.value:
            one = replace(one, value=-one.value)  # 300-200 BC
        found[at] = one
    return found

"""The values of rows: dates, lengths of time, quantities, names and lists of them; the unclear is refused (pure)."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

from drzero.loop.facts.dates import Date, read_dates
from drzero.loop.facts.numbers import Number, read_numbers
from drzero.loop.facts.units import converted
from drzero.loop.stated.statement import Measure

_YEAR = re.compile(r"[12]\d{3}")
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_CLOCK = re.compile(r"(?:(?P<h>\d{1,2}):)?(?P<m>\d{1,3}):(?P<s>[0-5]\d)")
# "LawyerPolitician": two cells that the page's markup alone kept apart. "McDonald" and "DiCaprio" are one word.
_GLUED = re.compile(
    r"[a-zà-ÿ](?<!\b[a-z])(?<!\bMc)(?<!\bMac)(?<!\bDe)(?<!\bDi)(?<!\bDu)(?<!\bLa)(?<!\bLe)(?<!\bVan)(?<!\bFitz)"
    r"(?:[A-ZÀ-Þ][a-zà-ÿ]|\()|\)[A-ZÀ-Þ]"
)
_LOOSE = re.compile(
    r"\b(?:various|several|others?|unknown|none|n/a|see|list|tba|tbd|and more|et al|etc|disputed|circa|c\.|ca\.|approx"
    r"|formerly|present|current|a\.?k\.?a|aka|uncredited|variously|varies|estimated?|est|reissued?|re-?released?|cat|no\.)(?!\w)"
    r"|[?*†‡§^|=<>{}•→]|'''|https?:|\bwww\.|\[",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"[A-ZÀ-ÖØ-Þ0-9][\w'’.&!-]*(?: "
    r"(?:[A-ZÀ-ÖØ-Þ0-9][\w'’.&!-]*|of|the|de|der|du|von|van|y|la|le|and|for|in|&|on|to|with|al-\w+))*"
)
_PARTED = re.compile(r";\s*|,\s*(?:and\s+|&\s+)?|\s+and\s+|\s+&\s+")
_NUMBERED = re.compile(r"\d{3}|\b\d+-\d")  # as records are in a catalogue
# "Albaniana": the letter of a footnote grown on to a name of a people or language.
_FOOTNOTED = re.compile(r"(?:an|ian|ese|ish)[a-d]$")
MOST_NAMES, MOST_WORDS = 4, 9


def is_clear(value: str) -> bool:
    """Whether a value says one thing: no notes, no "various", no two cells grown together, brackets in pairs."""
    return bool(
        value
        and len(value) <= 120
        and not _GLUED.search(value)
        and not _LOOSE.search(value)
        and value.count("(") == value.count(")")
        and value.count('"') % 2 == 0
        and not value.endswith((":", ",", ";", "-", "–"))
    )


def without_aside(value: str) -> str:
    """`value` without what stands in brackets."""
    return " ".join(_ASIDE.sub("", value).split())


_OF_SOMETHING_ELSE = re.compile(r"\((?!age|aged)[a-z]")


def one_date(value: str) -> tuple[str, Measure] | None:
    """The date that is the whole value, as written, and its days; None for anything less sure.

    A year alone, or with its month, counts. A country in brackets is left out; "1895 (poem)" dates something else.
    """
    if _OF_SOMETHING_ELSE.search(value):
        return None
    text = without_aside(value).rstrip(".")
    if _YEAR.fullmatch(text):
        return text, _days(Date(0, 0, int(text), 0, 4))
    found = read_dates(text)
    if len(found) != 1 or not found[0].year or (found[0].start, found[0].end) != (0, len(text)):
        return None
    return text, _days(found[0])


def first_date(value: str) -> tuple[str, Measure, str] | None:
    """The one date of a value that holds a name or place beside it, its days, and what follows it."""
    text = without_aside(value)
    found = read_dates(text)
    if len(found) != 1 or not found[0].year or not found[0].day:
        return None
    rest = text[found[0].end :].strip(" ,;")
    if re.search(r"\d", text[: found[0].start] + rest):
        return None
    return text[found[0].start : found[0].end], _days(found[0]), rest


def _days(stated: Date) -> Measure:
    """The days within which the date lies: a year is all its days."""
    year = min(max(stated.year, 1), 9999)
    first = date(year, stated.month or 1, 1)
    last_month = stated.month or 12
    last = date(year, last_month, monthrange(year, last_month)[1])
    if stated.day:
        first = last = first.replace(day=min(stated.day, last.day))
    return Measure(first.toordinal(), last.toordinal(), "day of the calendar")


def when(text: str) -> str:
    """A date with its preposition: "on 4 March 1890", "in March 1890"."""
    return f"{'on' if any(one.day for one in read_dates(text)) else 'in'} {text}"


def one_duration(value: str) -> tuple[str, Measure] | None:
    """A length of time written as on a record ("61:00", "1:02:03") or in minutes, and how many seconds it is."""
    text = without_aside(value)
    if clock := _CLOCK.fullmatch(text):
        seconds = int(clock["h"] or 0) * 3600 + int(clock["m"]) * 60 + int(clock["s"])
        return text, Measure(seconds, seconds, "time")
    quantity = one_quantity(value)
    return quantity if quantity and quantity[1].unit == "time" else None


def one_quantity(value: str) -> tuple[str, Measure] | None:
    """The one number with a unit that is the whole value, and how much it is; conversions in brackets are left out."""
    text = without_aside(value)
    found = read_numbers(text)
    if len(found) != 1 or not found[0].unit or found[0].bound or found[0].other:
        return None
    number = found[0]
    if number.start > 1 or len(text) - number.end > 12:
        return None
    return text, _amount(number)


def _amount(number: Number) -> Measure:
    exact = converted(number.value, number.unit)
    value, unit = exact if exact else (number.value, number.unit)
    return Measure(value, value, unit)


def one_name(value: str) -> str | None:
    """The name that is the whole value, None for several, for none and for what is more than a name."""
    text = without_aside(value).strip('"“” ')
    if (
        "/" in text
        or _NUMBERED.search(text)
        or not _NAME.fullmatch(text)
        or len(text.split()) > MOST_WORDS
        or _YEAR.search(text)
    ):
        return None
    return None if _PARTED.search(text) else text


def name_list(value: str) -> tuple[str, ...]:
    """The names that make up the value, at most `MOST_NAMES`; () when one of its parts is no name or there are more.

    What stands in brackets behind a name may be who it really is, so that none are read then.
    """
    parts = [part.strip('"“” ') for part in _PARTED.split(without_aside(value))]
    named = all(_NAME.fullmatch(part) and len(part.split()) <= MOST_WORDS for part in parts)
    if "(" in value or any(_FOOTNOTED.search(part) for part in parts):
        return ()
    if not named or "/" in value or not 1 <= len(parts) <= MOST_NAMES or len(set(parts)) < len(parts):
        return ()
    return (
        ()
        if any(_YEAR.search(part) or len(part) < 3 or part.casefold() in ("jr", "sr") for part in parts)
        else tuple(parts)
    )


def one_place(value: str) -> str | None:
    """A place, its land behind a comma included; None for anything with a figure in it or a list."""
    if re.search(r"\)\s*[,;]", value):
        return None  # several, each with its own note
    text = without_aside(value).strip(" ,")
    parts = [part.strip() for part in text.split(",")]
    if ";" in text or re.search(r"\d| and |/", text) or not 1 <= len(parts) <= 4:
        return None
    return text if all(_NAME.fullmatch(part) and len(part.split()) <= MOST_WORDS for part in parts) else None


def enumerated(parts: tuple[str, ...]) -> str:
    """ "A", "A and B", "A, B and C"."""
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]

"""Units of measure and money, each under one name whatever it is written as (pure)."""

from __future__ import annotations

import re

# One unit a line: its name, then how it is written. Words take a plural "s"; signs stand as they are.
_WORDS = {
    "km": "kilometre kilometer km kms", "m": "metre meter", "cm": "centimetre centimeter cm",
    "mm": "millimetre millimeter mm", "µm": "micrometre micrometer micron", "nm": "nanometre nanometer",
    "mile": "mile mi", "ft": "foot feet ft", "inch": "inch inches", "yd": "yard yd", "league": "league",
    "ly": "light-year", "nmi": "nautical_mile", "acre": "acre", "ha": "hectare ha",
    "km2": "square_kilometre square_kilometer sq_km km2", "m2": "square_metre square_meter sq_m m2",
    "mi2": "square_mile sq_mi", "ft2": "square_foot square_feet sq_ft", "m3": "cubic_metre cubic_meter m3",
    "kg": "kilogram kilogramme kg kilo", "g": "gram gramme", "mg": "milligram milligramme mg",
    "µg": "microgram microgramme mcg ug",
    "lb": "pound lb lbs", "oz": "ounce oz", "ton": "ton", "tonne": "tonne metric_ton",
    "l": "litre liter", "ml": "millilitre milliliter ml", "gal": "gallon", "pint": "pint", "barrel": "barrel",
    "kmh": "kilometre_per_hour kilometer_per_hour kilometres_per_hour kilometers_per_hour km/h kmh kph",
    "mph": "mile_per_hour miles_per_hour mph", "m/s": "metres_per_second meters_per_second m/s", "knot": "knot",
    "W": "watt", "kW": "kilowatt", "MW": "megawatt", "GW": "gigawatt", "V": "volt", "hp": "horsepower hp",
    "Hz": "hertz", "kHz": "kilohertz", "MHz": "megahertz", "GHz": "gigahertz", "cal": "calorie", "J": "joule",
    "bit": "bit", "B": "byte", "kB": "kilobyte", "MB": "megabyte", "GB": "gigabyte", "TB": "terabyte",
    "KiB": "kibibyte", "MiB": "mebibyte", "GiB": "gibibyte", "px": "pixel px",
    "$": "dollar usd", "€": "euro eur", "£": "pound_sterling pounds_sterling gbp", "¥": "yen jpy", "₹": "rupee inr",
    "cent": "cent", "mark": "deutschmark",
    "%": "percent per_cent pct", "percentage point": "percentage_point",
    "year": "year yr", "month": "month", "week": "week", "day": "day", "hour": "hour hr", "minute": "minute min",
    "second": "second sec", "ms": "millisecond ms", "decade": "decade", "millennium": "millennium millennia",
    "°C": "degree_celsius degrees_celsius degree_centigrade degrees_centigrade celsius",
    "°F": "degree_fahrenheit degrees_fahrenheit fahrenheit", "K": "kelvin", "°": "degree",
}  # fmt: skip
_SIGNS = "kHz MHz GHz Hz kW MW GW kB KB MB GB TB KiB MiB GiB °C °F °N °S °E °W ° % km² m² $ € £ ¥ ₹ µm µg nm".split()
_SAME = {"KB": "kB", "s": "second", "h": "hour"}
_LONE = re.compile(r"([mglhVWJ]|(?<= )s)(?![\w'])")  # letters that are units only behind a figure
_NAMES = {
    written.replace("_", " "): name
    for name, forms in _WORDS.items()
    for form in forms.split()
    for written in (form, f"{form}s")
}
# In `(?a:…)` no letter but those of ASCII is one of another case: else "ı" is an "i", and in no table.
_TALL = "|".join(sorted((re.escape(form).replace(r"\ ", r"[\s-]") for form in _NAMES), key=len, reverse=True))
_WORD = re.compile(
    rf"(?:US|U\.S\.|American|Australian|Canadian|metric)?\s?(?P<word>(?a:{_TALL}))(?![\w'])", re.IGNORECASE
)
_SIGN = re.compile(rf"(?P<sign>{'|'.join(map(re.escape, sorted(_SIGNS, key=len, reverse=True)))})(?!\w)")
_GAP = re.compile(r"[ -]?")
TIMES = frozenset("year month week day hour minute second decade millennium".split())
CLOCK = frozenset(("clock", "am", "pm"))
_IN_FULL = TIMES | {"percentage point", *"mile league inch acre ton tonne pint barrel knot bit cent mark".split()}
_COMPASS = ("°N", "°S", "°E", "°W")
_FINER = {"°": ("°C", "°F", *_COMPASS), "clock": ("am", "pm"), **dict.fromkeys(_COMPASS, ("°",))}
# How many of one unit of its kind a unit is; only where that is exact.
_IN_ONE = {
    name: (value, kind)
    for kind, units in {
        "length": {"km": 1e3, "m": 1, "cm": 1e-2, "mm": 1e-3, "µm": 1e-6, "nm": 1e-9},
        "weight": {"tonne": 1e6, "kg": 1e3, "g": 1, "mg": 1e-3, "µg": 1e-6},
        "volume": {"l": 1, "ml": 1e-3},
        "area": {"km2": 1e6, "km²": 1e6, "ha": 1e4, "m2": 1, "m²": 1},
        "power": {"GW": 1e9, "MW": 1e6, "kW": 1e3, "W": 1},
        "frequency": {"GHz": 1e9, "MHz": 1e6, "kHz": 1e3, "Hz": 1},
        "time": {"week": 604_800, "day": 86_400, "hour": 3600, "minute": 60, "second": 1, "ms": 1e-3},
    }.items()
    for name, value in units.items()
}
MONEY_SIGNS = frozenset("$€£¥₹")
MONEY = re.compile(r"(?:\b(?:US|AU|CA|NZ|A|C))?([$€£¥₹])\s?$|\b(USD|EUR|GBP|JPY|INR)\s$")
_CODES = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}


def unit_at(text: str, at: int, *, figures: bool) -> tuple[str, int]:
    """The unit that stands at `at` of `text`, one space or hyphen aside, and where it ends; ("", at) without one.

    Single letters such as m are units only behind `figures`.
    """
    begin = _GAP.match(text, at).end()  # type: ignore[union-attr]
    if sign := _SIGN.match(text, begin):
        return _SAME.get(sign["sign"], sign["sign"]), sign.end()
    if word := _WORD.match(text, begin):
        return _NAMES[re.sub(r"[\s-]", " ", word["word"].casefold()).replace("light year", "light-year")], word.end()
    lone = _LONE.match(text, begin)
    return (_SAME.get(lone[1], lone[1]), lone.end()) if lone and figures else ("", at)


def money_before(text: str, at: int) -> tuple[str, int]:
    """The sign of a currency that ends at `at`, and where it begins; ("", at) without one."""
    found = MONEY.search(text, max(0, at - 5), at)
    if found is None:
        return "", at
    return found[1] or _CODES[found[2]], found.start()


def shown_unit(unit: str, value: float) -> str:
    """`unit` as it is told of `value`: in the plural where it is a word and the value is not 1; "" for the clock."""
    if unit == "clock":
        return ""
    if value == 1 or unit not in _IN_FULL:
        return unit
    return {"inch": "inches", "millennium": "millennia"}.get(unit, f"{unit}s")


def same_unit(claimed: str, stated: str) -> bool:
    """Whether a figure of the one unit may be told by the other: pounds are of weight or money, degrees of any kind."""
    return claimed == stated or {claimed, stated} == {"lb", "£"} or stated in _FINER.get(claimed, ())


def converted(value: float, unit: str) -> tuple[float, str] | None:
    """The value in the one unit that all of its kind are compared in, and the kind; None for a unit without others."""
    if unit not in _IN_ONE:
        return None
    factor, kind = _IN_ONE[unit]
    return value * factor, kind

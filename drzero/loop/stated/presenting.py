"""The line that says what a thing is and whose: "Studio album by Ray Charles", "Ray is a 2004 film …" (pure)."""

from __future__ import annotations

import re
from functools import lru_cache

from drzero.loop.facts import content_stems
from drzero.loop.stated.subjects import BY, IS, STOPS
from drzero.text import Span, sentences

# It stands above the rows of one edition, and says whose they are.
HEADER = re.compile(
    r"(?:(?:studio|live|compilation|greatest hits|soundtrack|remix|cover|tribute|video|demo) )*"
    r"(?P<thing>album|single|song|extended play|EP|box set|soundtrack|promotional single)"
    r"(?: album)? (?:by|from) (?P<by>.{2,80})",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(r"\b(?:about|based|starring|featuring|directed|produced|near|to|between)\b")
_LEAD = 6  # sentences in which an article says what it is about


def presented(place: str, said: str) -> str:
    """The words of `said` for the class and the maker of what stands at `place`, its title and headings; "" without.

    Of a sentence only what it calls the thing: "Ray is a film about a singer" makes Ray no singer.
    """
    if HEADER.fullmatch(said.strip()):
        return said
    told = IS.search(said)
    if told is None:
        return ""
    named = content_stems(re.split(r" \(|, ", said[: told.start()])[0])
    if not named or not set(named) <= set(content_stems(place)):
        return ""
    head = STOPS.split(told["rest"])[0]
    kind = _OF_OTHERS.split(head)[0]
    by = BY.match(told["rest"][len(head) :])
    return f"{kind} {by['by']}" if by else kind


def presenting(place: str, text: str, row: int, language: str = "en") -> Span | None:
    """Where `text` says what the thing is whose row begins at `row`: the header above it, else the lead's sentence."""
    headers, lead = _read(place, text, language)
    return next((span for span in reversed(headers) if span[0] < row), lead)


@lru_cache(maxsize=64)  # every row of a passage asks
def _read(place: str, text: str, language: str) -> tuple[tuple[Span, ...], Span | None]:
    spans = sentences(text, language)
    headers = tuple(span for span in spans if HEADER.fullmatch(text[slice(*span)].strip()))
    plain = (span for span in spans[:_LEAD] if span not in headers and presented(place, text[slice(*span)]))
    return headers, next(plain, None)

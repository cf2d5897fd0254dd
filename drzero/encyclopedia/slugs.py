"""File names of articles, safe on every system, and titles without what only tells namesakes apart (pure)."""

from __future__ import annotations

import re
import unicodedata

from drzero.text import clean_title, content_id

MOST_BYTES = 120  # of a slug in UTF-8: with a folder and an ending far below the 255 of file systems
_QUALIFIER = re.compile(r"\s+\([^()]*\)\s*$|\s*（[^（）]*）\s*$")
_SPOKEN = {"+": " plus ", "#": " sharp ", "&": " and ", "%": " percent ", "*": " star ", "@": " at ", "=": " equals "}
_DEVICES = {"aux", "con", "conin", "conout", "nul", "prn"} | {
    f"{port}{n}" for port in ("com", "lpt") for n in range(10)
}
_PAGES = {"about", "index", "licence", "licences", "license", "main", "readme", "search", "sources"}
RESERVED = frozenset(_DEVICES | _PAGES)  # what Windows keeps for devices, and what the pages around articles are called


def bare_title(title: str) -> str:
    """`title` without a qualifier in brackets at its end: "Mercury (planet)" → "Mercury"."""
    return _QUALIFIER.sub("", title) or title


def slug_of(title: str) -> str:
    """`title` as small letters, marks and digits of any script with single hyphens between: "C++ (language)" →
    "c-plus-plus-language". At most `MOST_BYTES` long; never empty, nor a name of `RESERVED`.
    """
    spoken = "".join(_SPOKEN.get(letter, letter) for letter in clean_title(title))
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", spoken).casefold())
    kept = "".join(letter if unicodedata.category(letter)[0] in "LMN" else "-" for letter in folded if letter != "'")
    slug = re.sub("-+", "-", kept).strip("-")
    digest = content_id(title)[:8]
    if len(slug.encode()) > MOST_BYTES:
        cut = slug.encode()[: MOST_BYTES - len(digest) - 1].decode(errors="ignore")
        slug = f"{cut.strip('-')}-{digest}"
    if not slug or unicodedata.category(slug[0]) in ("Mn", "Mc", "Me"):
        slug = f"subject-{digest}"
    return f"{slug}-subject" if slug in RESERVED else slug


class Slugs:
    """Gives each title a slug that no other has, on systems too that tell neither capitals nor compositions apart."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, title: str) -> str:
        """A slug for `title` that was not given before: "salt", then "salt-2"."""
        slug, number = slug_of(title), 1
        unique = slug
        while unicodedata.normalize("NFKD", unique).casefold() in self._taken:
            number += 1
            unique = f"{slug}-{number}"
        self._taken.add(unicodedata.normalize("NFKD", unique).casefold())
        return unique

"""The index by letter: which letter a subject stands under, in which order, and the pages of each letter (pure)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from drzero.encyclopedia.values import Listed
from drzero.text import clean_title

AT_ONCE = 300  # subjects on a page
DIGITS, IDEOGRAPHS, OTHER = "0–9", "漢", "#"
_RANKS = {DIGITS: 0, IDEOGRAPHS: 2, OTHER: 3}


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter with how many subjects stand under it; its pages are `page(1)` to `page(parts)`."""

    name: str
    subjects: int

    @property
    def parts(self) -> int:
        """How many pages it takes."""
        return -(-self.subjects // AT_ONCE)

    def page(self, part: int) -> str:
        """The path of one of its pages: `letters/s.html`, `letters/s-2.html`; code points where it is not ASCII."""
        plain = {DIGITS: "0-9", OTHER: "other"}.get(self.name) or self.name.lower()
        stem = plain if plain.isascii() else "-".join(f"u{ord(letter):04x}" for letter in plain)
        return f"letters/{stem}{f'-{part}' if part > 1 else ''}.html"


def by_letter(listed: Sequence[Listed]) -> Iterator[tuple[Letter, list[Listed]]]:
    """All subjects in the order of the index, by letter; `listed` may come in any order."""
    ordered = sorted(listed, key=_order)
    for name, found in groupby(ordered, key=lambda one: letter_of(one.title)):
        group = list(found)
        yield Letter(name, len(group)), group


def letter_of(title: str) -> str:
    """The letter a title stands under: "Éire" → "E", "2001" → `DIGITS`, "日本" → `IDEOGRAPHS`, "한글" → "ᄒ"."""
    for character in unicodedata.normalize("NFKD", clean_title(title)):
        category = unicodedata.category(character)
        if category[0] == "N":
            return DIGITS
        if category[0] == "L":
            if unicodedata.name(character, "").startswith("CJK"):
                return IDEOGRAPHS
            upper = character.upper()
            return upper if len(upper) == 1 else upper[0]
    return OTHER


def plain(text: str) -> str:
    """`text` without marks and capitals, so that é stands among e."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in parts if unicodedata.category(letter) != "Mn").lower()


def _order(one: Listed) -> tuple[int, str, str, str, str]:
    letter, title = letter_of(one.title), clean_title(one.title)
    return _RANKS.get(letter, 1), letter, plain(title), title, one.slug

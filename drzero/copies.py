"""Whether two texts are copies of each other, and how many archives say something independently (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from drzero.text import storable, words
from drzero.types import Citation

SHINGLE_WORDS = 4
COPIED = 0.5  # share of the shorter text's shingles that the other has, from which on one is a copy of the other
CARRIED = 0.5  # share of a claim's longer words that the quotes of one archive must have to bear it out alone
_LONG_CHARS = 4
_EDITION = re.compile(r"[_-](?:19|20)\d\d-?[01]\d(?:-?[0-3]\d)?[a-z]?$", re.IGNORECASE)


def family(name: str) -> str:
    """What the editions of one archive share: its file name without the date, such as `wikipedia_en_chess_maxi`."""
    return _EDITION.sub("", name.strip().removesuffix(".zim")).casefold()


def is_copy(text: str, other: str) -> bool:
    """Whether two texts say the same in the same words, or most of the shorter stands in the longer."""
    mine, theirs = words(text), words(other)
    if not mine or not theirs:
        return mine == theirs
    width = min(SHINGLE_WORDS, len(mine), len(theirs))
    few, many = sorted((_shingles(mine, width), _shingles(theirs, width)), key=len)
    return len(few & many) >= COPIED * len(few)


def independent_archives(
    claim: str, supports: Iterable[Sequence[Citation]], names: Mapping[str, str] | None = None
) -> int:
    """How many archives say `claim` independently, at least 1 where there is a citation at all.

    Each of `supports` are citations that bear the claim out together. The quotes of one archive count where they have
    the claim's numbers and most of its words; copies of one text count once, and so do editions of one archive, which
    the file `names` by archive id tell.
    """
    quotes: dict[str, str] = {}
    for citations in supports:
        for one in citations:
            kin = family((names or {}).get(one.zim_id, "")) or one.zim_id
            quotes[kin] = f"{quotes[kin]} {one.quote}" if kin in quotes else one.quote
    groups: list[list[str]] = []
    for quote in sorted(text for text in quotes.values() if _bears_out(claim, text)):
        alike = [group for group in groups if any(is_copy(quote, other) for other in group)]
        groups = [group for group in groups if group not in alike] + [
            [quote, *(one for group in alike for one in group)]
        ]
    return max(len(groups), min(len(quotes), 1))


def _bears_out(claim: str, quotes: str) -> bool:
    said, have = words(storable(claim)), set(words(storable(quotes)))
    if not {word for word in said if any(map(str.isdigit, word))} <= have:
        return False
    long = {word for word in said if len(word) >= _LONG_CHARS or not word.isascii()}
    return len(long & have) >= CARRIED * len(long)


def _shingles(said: Sequence[str], width: int) -> set[tuple[str, ...]]:
    return {tuple(said[at : at + width]) for at in range(len(said) - width + 1)}

"""Whether a citation holds: the passage was given, is the one named, and the quote stands at its place (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drzero.text import find_quote, normalise
from drzero.types import Citation, Fault, Passage

_MARK = re.compile(r"(?<![\w)\]])(?:\[\d{1,3}(?:[,;–-]\s?\d{1,3})*\])+")  # but no subscript: `a[3]`


def citation_fault(citation: Citation, passages: Sequence[Passage]) -> Fault | None:
    """Why a citation does not hold: it is not among the passages given, or its quote not at its place."""
    if not 1 <= citation.n <= len(passages):
        return Fault("invented-citation", never_given(citation.n, len(passages)))
    chunk = passages[citation.n - 1].chunk
    if citation.chunk_id != chunk.id or citation.path != chunk.path or citation.zim_id != chunk.zim_id:
        return Fault("invented-citation", f"Source [{citation.n}] is not the passage that the citation names.")
    stated = chunk.text[citation.start - chunk.start : citation.end - chunk.start]
    if not (chunk.start <= citation.start < citation.end <= chunk.end) or stated != citation.quote:
        where = "stand elsewhere in" if find_quote(citation.quote, chunk.text) else "do not stand in"
        return Fault("quote-not-found", f"The quoted words {where} source [{citation.n}].")
    return None


def never_given(n: int, given: int) -> str:
    """The sentence for a source that is not among those given."""
    return f"Source [{n}] was never given; there were {given}."


def invented_marks(claim: str, cited: str, given: int) -> list[int]:
    """The numbers in marks such as `[3]` that are no source given, unless the cited text has that mark itself."""
    stated = set(_MARK.findall(normalise(cited).text))
    marks = [mark for mark in _MARK.findall(claim) if mark not in stated]
    return [n for mark in marks for n in map(int, re.findall(r"\d+", mark)) if not 1 <= n <= given]

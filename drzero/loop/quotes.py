"""Whether quoted words stand where a citation says, after one normalisation of both sides, and what is wrong (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise, takewhile

from drzero.loop import facts
from drzero.normalising import find_quote, find_quotes, normalise, same_words
from drzero.text import Span, word_spans
from drzero.types import Chunk, Citation, Claim, Fault, Passage

_ELLIPSIS = re.compile(r"[(\[]?\s*(?:…|\.\s?\.\s?\.)(?:\s?\.)?\s*[)\]]?|[\[(]\s*(?:snip|cut)\s*[\])]", re.IGNORECASE)
MIN_STRETCH_WORDS = 3  # words that stand together before they count as taken from one place
MAX_STRETCHES = 6
NEARLY = 0.6  # share of a quote's words, in order, from which it is a changed quote and not one that stands nowhere
_SHOWN_CHARS = 60
_SHOWN_PLACES = 3


def quote_fault(
    quote: str, chunk: Chunk, start: int, end: int, others: Sequence[Passage] = (), *, exact: bool = False
) -> Fault | None:
    """Why `quote` is not what `chunk` says at characters `start` to `end` of its article; None when it is.

    Dress aside: see `normalising.normalise`. With `exact` the quote must be the article's own wording, to the letter.
    `others` are the other passages given, where the words may have been taken from.
    """
    if not quote.strip() or not normalise(quote).text:
        return Fault("quote-empty", "The quote is empty.")
    if not facts.content_stems(quote):
        return Fault("quote-too-short", f"The quote {_shown(quote)} says nothing of its own.")
    if chunk.start <= start < end <= chunk.end:
        stated = chunk.text[start - chunk.start : end - chunk.start]
        if stated == quote:
            return None
        if same_words(quote, stated):
            if not exact:
                return None
            return Fault("quote-wording", f"The quote {_shown(quote)} is not in the article's own spelling and signs.")
    if places := find_quotes(quote, chunk.text):
        said = ", ".join(f"{chunk.start + a} to {chunk.start + b}" for a, b in places[:_SHOWN_PLACES])
        reason = f"The quoted words stand at characters {said} of {_name(chunk)}, not at {start} to {end}."
        return Fault("quote-elsewhere", reason)
    for other in others:
        if other.chunk.id != chunk.id and find_quote(quote, other.chunk.text):
            if (other.chunk.zim_id, other.chunk.path) == (chunk.zim_id, chunk.path):
                return Fault("quote-of-another-passage", f"The quoted words stand in another part of {_name(chunk)}.")
            there = _name(other.chunk)
            if there == _name(chunk):
                there += f" in the archive {other.chunk.zim_id or other.index}"
            reason = f"The quoted words stand in {there}, not in {_name(chunk)}, which is cited."
            return Fault("quote-of-another-passage", reason)
    return _ellipsis(quote, chunk) or _stitched(quote, chunk, others) or _changed(quote, chunk)


def quotes_fault(claim: Claim, passages: Sequence[Passage], *, exact: bool = False) -> Fault | None:
    """The first fault of the quotes of a claim whose citations name passages given; see `quote_fault`."""
    for one in claim.citations:
        chunk = passages[one.n - 1].chunk
        if fault := quote_fault(one.quote, chunk, one.start, one.end, passages, exact=exact):
            return fault
    return None


def own_wording(citation: Citation, chunk: Chunk) -> Citation:
    """The citation with the words as the article has them at its place; itself when they are not the quoted ones."""
    if not chunk.start <= citation.start < citation.end <= chunk.end:
        return citation
    stated = chunk.text[citation.start - chunk.start : citation.end - chunk.start]
    return replace(citation, quote=stated) if same_words(citation.quote, stated) else citation


def in_own_wording(claim: Claim, passages: Sequence[Passage]) -> Claim:
    """A claim as it is to be stored: each of its quotes in the article's own wording; see `own_wording`."""
    cited = tuple(own_wording(citation, passages[citation.n - 1].chunk) for citation in claim.citations)
    return replace(claim, citations=cited)


def _ellipsis(quote: str, chunk: Chunk) -> Fault | None:
    """The fault of a quote whose ellipsis stands for words of the chunk."""
    pieces = [piece.strip(" ,;") for piece in _ELLIPSIS.split(quote)]
    if len(pieces) < 2:
        return None
    at, places = 0, []
    for piece in pieces:
        if not word_spans(piece):
            continue
        place = find_quote(piece, chunk.text[at:])
        if place is None:
            return None
        places.append((at + place[0], at + place[1]))
        at += place[1]
    if len(places) < 2:
        return Fault("quote-ellipsis", f"The ellipsis at the edge of the quote does not stand in {_name(chunk)}.")
    gaps = [(one[1], other[0]) for one, other in pairwise(places)]
    left, right = next((gap for gap in gaps if word_spans(chunk.text[slice(*gap)])), gaps[0])
    gone = chunk.text[left:right].strip(" ,;")
    if not word_spans(gone):
        return Fault("quote-ellipsis", f"The quote has an ellipsis that does not stand in {_name(chunk)}.")
    return Fault("quote-ellipsis", f"The quote leaves out {_shown(gone)} at its ellipsis.")


def _stitched(quote: str, chunk: Chunk, others: Sequence[Passage]) -> Fault | None:
    """The fault of a quote that is made of stretches which stand apart: in the chunk, or in several passages."""
    chunks = [chunk, *(other.chunk for other in others if other.chunk.id != chunk.id)]
    said = [quote[start:end] for start, end in word_spans(quote)]
    stretches = _stretches([normalise(word).text for word in said], [_words(one.text) for one in chunks])
    if len(stretches) < 2 or max(end - start for _, start, end in stretches[1:]) < MIN_STRETCH_WORDS:
        return None
    if all(one[0] == other[0] and 0 <= other[1] - one[2] < MIN_STRETCH_WORDS for one, other in pairwise(stretches)):
        return None  # a word or two left out: a changed quote
    first, second = (end - start for _, start, end in stretches[:2])
    halves = f"{_shown(' '.join(said[:first]))} and {_shown(' '.join(said[first : first + second]))}"
    names = " and ".join(dict.fromkeys(_name(chunks[number]) for number, _, _ in stretches))
    return Fault("quote-stitched", f"The quote joins {halves}, which stand apart in {names}.")


def _stretches(wanted: list[str], texts: Sequence[Sequence[str]]) -> list[tuple[int, int, int]]:
    """`wanted` as stretches of the texts, each (number of the text, first word, word behind); [] when it is none."""
    found: list[tuple[int, int, int]] = []
    while wanted:
        number, at, length = max(((n, *_longest(wanted, have)) for n, have in enumerate(texts)), key=lambda one: one[2])
        if length < min(MIN_STRETCH_WORDS, len(wanted)) or len(found) == MAX_STRETCHES:
            return []
        found.append((number, at, at + length))
        wanted = wanted[length:]
    return found


def _longest(wanted: Sequence[str], have: Sequence[str]) -> tuple[int, int]:
    """Where the longest beginning of `wanted` stands in `have`, and how many words it has."""
    best = (0, 0)
    for at in (at for at, word in enumerate(have) if word == wanted[0]):
        length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(wanted, have[at:], strict=False)))
        if length > best[1]:
            best = (at, length)
    return best


def _changed(quote: str, chunk: Chunk) -> Fault:
    """The fault of a quote that nearly stands in the chunk, with the first difference; else that it stands nowhere."""
    said, have = _tokens(quote), _tokens(chunk.text)
    wanted = [word for word, _ in said]
    nowhere = Fault("quote-not-found", f"The quoted words do not stand in {_name(chunk)}.")
    start, end = _nearest(wanted, [word for word, _ in have])
    matcher = SequenceMatcher(None, wanted, [word for word, _ in have[start:end]], autojunk=False)
    if sum(block.size for block in matcher.get_matching_blocks()) < NEARLY * len(wanted):
        return nowhere
    differences = [
        one
        for one in matcher.get_opcodes()
        if one[0] != "equal" and not (one[0] == "insert" and one[1] in (0, len(wanted)))
    ]
    if not differences:
        return nowhere
    _, i, j, k, m = differences[0]
    if i < j == len(wanted):  # the chunk goes on behind the quote, and begins before it
        m = min(m, k + j - i)
    if i == 0 < j:
        k = max(k, m - j)
    ours = quote[said[i][1][0] : said[j - 1][1][1]] if i < j else ""
    theirs = chunk.text[have[start + k][1][0] : have[start + m - 1][1][1]] if k < m else ""
    if not ours:
        return Fault("quote-changed", f"The quote leaves out {_shown(theirs)}, which {_name(chunk)} has there.")
    if not theirs:
        return Fault("quote-changed", f"The quote adds {_shown(ours)}, which {_name(chunk)} does not have there.")
    return Fault("quote-changed", f"The quote says {_shown(ours)} where {_name(chunk)} says {_shown(theirs)}.")


def _nearest(wanted: Sequence[str], stated: Sequence[str]) -> Span:
    """The stretch of `stated` that lies around the longest run of `wanted` in it, as a span of words."""
    block = SequenceMatcher(None, wanted, stated, autojunk=False).find_longest_match()
    start = block.b - block.a
    return max(0, start - MIN_STRETCH_WORDS), min(len(stated), start + len(wanted) + MIN_STRETCH_WORDS)


def _words(text: str) -> list[str]:
    return [normalise(text[start:end]).text for start, end in word_spans(text)]


def _tokens(text: str) -> list[tuple[str, Span]]:
    """The words and signs of `text` made comparable, each with its place."""
    spans, at = [], 0
    for start, end in [*word_spans(text), (len(text), len(text))]:
        spans += [(i, i + 1) for i in range(at, start) if not text[i].isspace()]
        spans.append((start, end))
        at = end
    folded = ((normalise(text[start:end]).text, (start, end)) for start, end in spans)
    return [(word, span) for word, span in folded if word]


def _name(chunk: Chunk) -> str:
    return f"“{chunk.title or chunk.path}”"


def _shown(text: str) -> str:
    """Words for a sentence to a person, cut in the middle when they are many."""
    line = " ".join(text.split())
    if len(line) > _SHOWN_CHARS:
        line = f"{line[: _SHOWN_CHARS // 2].rstrip()} […] {line[-_SHOWN_CHARS // 2 :].lstrip()}"
    return f"“{line}”"

"""Where the words of a claim stand: citations found by code, never by the writer (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from drzero.loop import facts
from drzero.loop.concluding import apart
from drzero.loop.stated.presenting import presenting
from drzero.loop.verbatim import AND, kept
from drzero.text import sentences, word_spans
from drzero.types import Chunk, Citation, Passage

_NEIGHBOUR_GAIN = 0.15  # how much more of a claim a second sentence must cover to be quoted as well
_SECOND_GAIN = 0.25  # how much more of a claim a sentence of another passage must cover, unless it has a missing name
_ENOUGH = 0.9  # a claim covered so far needs no second source


@dataclass(frozen=True, slots=True)
class _Place:
    """Words of a passage, `[start, end)` of its text; `cover` is the share of the claim that they have, place included.

    Where two sentences stand together `cover` is lowered by what the second had to gain.
    """

    cover: float
    number: int
    start: int
    end: int


def cite(claim: str, passages: Sequence[Passage], *, language: str = "en") -> tuple[Citation, ...]:
    """The place in the passages that says the claim word by word, or covers it best: one sentence, or two together.

    Of a claim of several clauses, each said word by word, each is cited. Where a place leaves some of the claim open, a
    place in a second passage is cited too that has a name which is missing or covers a quarter more, if the two belong
    together (`linked`): an answer of two steps has two sources. Among equals the better-ranked passage wins. Empty when
    no sentence shares a content word with the claim.
    """
    claim, _ = apart(claim)
    if (clauses := claim.removesuffix(".").split(AND))[1:]:
        told = [_said(f"{clause}.", passages, language) for clause in clauses]
        together = [place for places in told for place in places]
        if all(told) and _belong(together, passages):
            return tuple(_citation(passages, place) for place in dict.fromkeys(together))
    said = _said(claim, passages, language)
    first = said[-1] if said else _best(claim, passages, language)
    if first is None:
        return ()
    places = list(said) or [first]
    if first.cover < _ENOUGH:
        second = _second(claim, passages, first, language)
        places += [second] if second else []
    return tuple(_citation(passages, place) for place in places)


def _best(claim: str, passages: Sequence[Passage], language: str) -> _Place | None:
    best: _Place | None = None
    for number, passage in enumerate(passages):
        chunk = passage.chunk
        title = _title(chunk)
        about = facts.cover(claim, title)
        spans = sentences(chunk.text, language)
        for i, (start, end) in enumerate(spans):
            alone = facts.cover(claim, f"{title} {chunk.text[start:end]}")
            own = facts.cover(claim, chunk.text[start:end])
            if own == 0 or (own <= about and alone <= about):
                continue
            if best is None or alone > best.cover + 1e-9:
                best = _Place(alone, number, start, end)
            if i + 1 < len(spans):
                both = facts.cover(claim, f"{title} {chunk.text[start : spans[i + 1][1]]}")
                if both > best.cover + _NEIGHBOUR_GAIN and both > alone + _NEIGHBOUR_GAIN:
                    best = _Place(both - _NEIGHBOUR_GAIN, number, start, spans[i + 1][1])
    return best


def _said(claim: str, passages: Sequence[Passage], language: str) -> tuple[_Place, ...]:
    """The sentence or row that says just what the claim says, of the first passage that has one; () without any.

    A row comes with the line that says what its thing is, and whose, where the claim says that, too.
    """
    stems = set(facts.content_stems(claim))
    for number, passage in enumerate(passages):
        chunk = passage.chunk
        for start, end in sentences(chunk.text, language):
            words, title = chunk.text[start:end], _title(chunk)
            if not stems.intersection(facts.content_stems(words)):
                continue
            if kept(f"{title}: {words}", claim) >= 1.0:
                return (_Place(1.0, number, start, end),)
            what = presenting(title, chunk.text, start, language) if ": " in words else None
            if what and kept(f"{title}: {chunk.text[slice(*what)]}\n{title}: {words}", claim) >= 1.0:
                return _Place(1.0, number, *what), _Place(1.0, number, start, end)
    return ()


def _belong(places: Sequence[_Place], passages: Sequence[Passage]) -> bool:
    """Whether places may bear clauses of one claim: no two are of namesakes."""
    chunks = [passages[place.number].chunk for place in places]
    return not any(
        one.path != other.path and namesakes(one.title, other.title) for one, other in combinations(chunks, 2)
    )


def _second(claim: str, passages: Sequence[Passage], first: _Place, language: str) -> _Place | None:
    """The place in another passage that covers most of what the first leaves open; None where none is worth it."""
    one = passages[first.number].chunk
    quoted = one.text[first.start : first.end]
    given = f"{_title(one)} {quoted}"
    covered = facts.cover(claim, given)
    missing = _telling(claim) - set(facts.content_stems(given))
    best: tuple[float, float, _Place] | None = None  # (covered by both, by these words alone, where they are)
    for number, passage in enumerate(passages):
        other = passage.chunk
        if (other.zim_id, other.path) == (one.zim_id, one.path):
            continue
        for start, end in sentences(other.text, language):
            words = other.text[start:end]
            both = facts.cover(claim, f"{given} {_title(other)} {words}")
            own = facts.cover(claim, words)
            if (both, own) <= (best[:2] if best else (covered, 1.0)):
                continue
            if facts.cover(claim, f"{given} {words}") <= covered:
                continue
            gained = both >= covered + _SECOND_GAIN - 1e-9 or missing & set(facts.content_stems(words))
            if gained and linked(one, quoted, other, words, claim):
                best = (both, own, _Place(both, number, start, end))
    return best[2] if best else None


def _telling(claim: str) -> set[str]:
    """Stems of the words of a claim that begin with a capital or a figure: names and numbers, roughly."""
    words = (claim[start:end] for start, end in word_spans(claim))
    return {stem for word in words if not word[0].islower() for stem in facts.content_stems(word)}


def linked(one: Chunk, quote: str, other: Chunk, words: str, claim: str) -> bool:
    """Whether words of two articles may bear one claim: one names the other's subject, or the claim names both.

    Never where the two are namesakes: what is said of Mercury (planet) says nothing of Mercury (element).
    """
    if namesakes(one.title, other.title):
        return False
    if names_title(quote, other.title) or names_title(words, one.title):
        return True
    return names_title(claim, one.title) and names_title(claim, other.title)


def namesakes(title: str, other: str) -> bool:
    """Whether two articles are called alike, such as "Mercury (planet)" and "Mercury", or two Springfields."""
    bare, others = (one.partition(" (")[0].partition(", ")[0].casefold().strip() for one in (title, other))
    return bare == others != ""


def names_title(text: str, title: str) -> bool:
    """Whether `text` has every content word of a title, what stands in its brackets aside; False without any."""
    wanted = facts.content_stems(title.partition(" (")[0])
    return bool(wanted) and set(wanted) <= set(facts.content_stems(text))


def _title(chunk: Chunk) -> str:
    return " ".join((chunk.title, *chunk.heading))


def _citation(passages: Sequence[Passage], place: _Place) -> Citation:
    chunk = passages[place.number].chunk
    return Citation(
        n=place.number + 1,
        index=passages[place.number].index,
        zim_id=chunk.zim_id,
        path=chunk.path,
        title=chunk.title,
        heading=chunk.heading,
        chunk_id=chunk.id,
        quote=chunk.text[place.start : place.end],
        start=chunk.start + place.start,
        end=chunk.start + place.end,
    )

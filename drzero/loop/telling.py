"""Answers made of what passages state in rows, dates and signatures, for a reader without a model (pure).

What the passages state is asked as templates ask; the question that is nearest to the one asked gives the answer: one
fact, two that are compared, or two that meet in a name. Each fact is a clause that its own source bears out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from drzero.loop import facts, templates
from drzero.loop.concluding import SO, conclude
from drzero.loop.facts.identifiers import qualified
from drzero.loop.stated import Stated, filled, stated
from drzero.loop.stated.presenting import presenting
from drzero.loop.verbatim import AND, kept
from drzero.loop.verify import fact_fault
from drzero.text import content_id
from drzero.types import Chunk

NEAR = 0.85  # how alike two questions must be in their content words (F1) to ask the same
_ARTICLE = re.compile(r"The (?=[a-z0-9])")  # before a class word; a title keeps its own
_TWO = ("comparative", "temporal")  # what templates make of two facts of one kind


def told(question: str, passages: Sequence[tuple[str, str]], *, language: str = "en") -> tuple[str, float] | None:
    """The answer, and how alike the question is to the one asked, in [0,1]; None where the passages state none.

    Passages are (place, text). Of several answers that fit alike there is none: which is meant?
    """
    asked = facts.content_stems(question)
    named = {stem for name in facts.names(question) for stem in facts.content_stems(name)}
    found = [fact for place, text in passages for fact in _facts(place, text, language)]
    best: dict[str, float] = {}
    for other, told_by, kind in _questions(found):
        words = facts.content_stems(other)
        alike = _alike(asked, words)
        if alike >= NEAR and named.issubset(words):
            told_apart = [_told(fact) for fact in told_by]
            claims = [claim for claim, _ in told_apart]
            if not all(claim.endswith(".") for claim in claims) or not all(map(_names_its_subject, claims, told_by)):
                continue  # "New in version 3.2.": which of them? A row or a signature is no sentence
            so = conclude(told_by[0].relation, told_apart[0][1], kind) if kind else ""
            answer = _joined(claims, so)
            best[answer] = max(alike, best.get(answer, 0.0))
    if not best:
        return None
    top = max(best.values())
    answers = [answer for answer, alike in best.items() if alike >= top - 1e-9]
    return (answers[0], top) if len(answers) == 1 else None


def _joined(claims: Sequence[str], so: str = "") -> str:
    """Claims as one sentence, which then has a source for each, and what follows from them."""
    first, *others = claims
    rest = [f"the{other[3:]}" if _ARTICLE.match(other) else other for other in others]
    told = AND.join(claim.removesuffix(".") for claim in (first, *rest))
    return f"{told}{SO}{so}." if so else f"{told}."


def _facts(place: str, text: str, language: str) -> Iterator[Stated]:
    """What a passage states, read as prose and as documentation: what is no signature states nothing as one."""
    title, *heading = place.split(" › ")
    chunk = Chunk(content_id(place, text), "", place, title, tuple(heading), text, 0, len(text))
    for docs in (False, True):
        yield from stated(chunk, language, docs)


def _questions(found: Sequence[Stated]) -> Iterator[tuple[str, tuple[Stated, ...], str]]:
    """What can be asked of facts, each question with the facts that answer it, in the order to tell them.

    Where they are compared also as what: "comparative" or "temporal".
    """
    for fact in found:
        if fact.asks:
            yield fact.question, (fact,), ""
    for at, one in enumerate(found):
        for other in found[at + 1 :]:
            order = one.measure.order(other.measure) if one.measure and other.measure else 0
            if order and one.relation == other.relation:
                for kind in _TWO:
                    draft = templates.compared(one, other, kind)
                    swapped = templates.compared(other, one, kind)
                    facts_in_order = (one, other) if order < 0 else (other, one)
                    yield from ((each.question, facts_in_order, kind) for each in (draft, swapped) if each is not None)
    for one in found:
        for other in found if one.role else ():
            if one.value.casefold() != other.name.casefold():
                continue
            yield from ((draft.question, (one, other), "") for draft in templates.composed((one,), (other,)))


def _names_its_subject(text: str, fact: Stated) -> bool:
    name = fact.name or fact.subject
    own = set(facts.content_stems(name))  # none of "No One"
    return own <= set(facts.content_stems(text)) if own else name.casefold() in text.casefold()


def claim_of(fact: Stated) -> str:
    """A fact as a sentence that its source bears out word by word: as it is told, else in the words of the archive."""
    return _told(fact)[0]


def _told(fact: Stated) -> tuple[str, str]:
    """`claim_of`, and how its subject is named in it."""
    place = " ".join((fact.chunk.title, *fact.chunk.heading))
    code = qualified(fact.chunk.title, fact.chunk.heading)
    quote: str = " ".join(fact.quote.split())
    name = fact.name or fact.subject
    bare = f'"{name}"' if f'"{name}"' in fact.subject else name  # the title of a work
    forms = [(filled(fact.tells, one), one) for one in (fact.subject, bare) if fact.tells]
    if quote.endswith(".") and _names_its_subject(quote, fact):
        forms.append((quote, name))
    what = presenting(place, fact.chunk.text, fact.start - fact.chunk.start)
    shown = " ".join(fact.chunk.text[slice(*what)].split()) if what else ""
    premise, cited = f"{place}: {quote}", quote
    if shown and shown != quote:
        premise, cited = f"{place}: {shown}\n{premise}", f"{shown} {quote}"
    for text, one in forms:
        if kept(premise, text) >= 1.0 and fact_fault(text, cited, f"{place} {code}".strip()) is None:
            return text, one
    return quote, name


def _alike(one: Sequence[str], other: Sequence[str]) -> float:
    """F1 of the different content words of two questions. In [0,1]."""
    ours, theirs = set(one), set(other)
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours and theirs else 0.0

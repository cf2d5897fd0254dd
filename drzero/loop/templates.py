"""Questions made by code from what chunks state: of one fact, of two of a kind, and of two that meet in a name (pure).

What is computed here is right whenever the facts are: no model words or answers anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drzero.loop.concluding import ADDED, SO, conclude
from drzero.loop.drafts import Draft
from drzero.loop.novelty import similarity
from drzero.loop.stated import Stated, filled
from drzero.loop.stated.relations import BY_NAME
from drzero.text import words

COMPARING = ("comparative", "comparison")  # the types that set two subjects against each other, by profile
KINDS = frozenset(  # the types that facts are asked about
    ("factual", "temporal", "multi-hop", "conceptual", "implementation", "debugging", "refactoring", *COMPARING)
)
MOST_ALIKE = 0.9  # of the names of two subjects, from which they may be one


def single(facts: Sequence[Stated], kind: str) -> Iterator[Draft]:
    """A question of each fact that the type `kind` asks about."""
    for fact in facts:
        if fact.asks and fact.kind == kind:
            yield Draft(
                question=fact.question,
                answer=fact.statement,
                kind=kind,
                gold=(fact.chunk,),
                evidence=(fact.quote,),
                span=fact.value if fact.value in fact.quote else fact.quote,
                aspects=fact.aspects,
                origin="template",
            )


def compared(one: Stated, other: Stated, kind: str) -> Draft | None:
    """Which of two subjects has the smaller value, or came first; None where the two facts cannot be set side by side.

    They must tell the same of two different things of one class, in one unit, and differ for sure: 1962 and March 1962
    do not.
    """
    relation = BY_NAME.get(one.relation)
    phrase = relation.smaller if relation else ADDED if one.relation == "new in" else ""
    if one.thing == "code" and not _akin(one.name, other.name):
        return None
    if one.relation != other.relation or one.thing != other.thing or not phrase or _same(one, other):
        return None
    order = one.measure.order(other.measure) if one.measure and other.measure else 0
    if not order:
        return None
    first, second = (one, other) if order < 0 else (other, one)
    if kind == "temporal":
        if relation is None or not relation.event:
            return None
        question = (
            f"Which came first, {filled(relation.event, one.subject)} or {filled(relation.event, other.subject)}?"
        )
        answer = f"{_joined(first, second)}{SO}{conclude(first.relation, first.subject, kind)}."
    else:
        question = f"{'Who' if one.thing == 'person' else 'Which'} {phrase}, {one.subject} or {other.subject}?"
        answer = f"{_joined(first, second)}{SO}{conclude(first.relation, first.subject, kind)}."
    return _of_two(question, answer, kind, first, (one, other))


def composed(facts: Sequence[Stated], others: Sequence[Stated], kind: str = "multi-hop") -> Iterator[Draft]:
    """Questions that name a subject only by what another article says: "When was the director of the film Ray born?"

    The value of a fact must be the whole name of the other's subject, and the two must be of different articles.
    """
    for fact in facts:
        for other in others:
            meets = fact.role and other.thing == fact.holder and words(fact.value) == words(other.name) and other.asks
            if not meets or fact.chunk.path == other.chunk.path or fact.name in other.statement:
                continue
            if fact.value in fact.subject:
                continue  # "the producer of the album by Ray Charles" takes no second step
            role = filled(fact.role, fact.subject)
            told = filled(other.tells, f"{other.subject}, {role},")
            yield _of_two(filled(other.asks, role), told, kind, other, (fact, other))


def _of_two(question: str, answer: str, kind: str, decisive: Stated, facts: tuple[Stated, Stated]) -> Draft:
    one, other = facts
    gold = (one.chunk,) if one.chunk.id == other.chunk.id else (one.chunk, other.chunk)
    return Draft(
        question=question,
        answer=answer,
        kind=kind,
        gold=gold,
        evidence=(one.quote, other.quote),
        span=decisive.quote,
        aspects=decisive.aspects if kind == "multi-hop" else (),  # both values must be told, not a name alone
        origin="template",
    )


def _joined(first: Stated, second: Stated) -> str:
    """Two statements as one sentence without its full stop."""
    told, rest = (fact.statement.removesuffix(".") for fact in (first, second))
    return f"{told}, and {f'the{rest[3:]}' if second.subject.startswith('the ') else rest}"


def _akin(one: str, other: str) -> bool:
    """Whether two names of code are of one module, or called alike: all else has nothing in common to ask about."""
    ours, theirs = one.split("."), other.split(".")
    return len(ours) > 1 < len(theirs) and (ours[0] == theirs[0] or ours[-1] == theirs[-1])


def _same(one: Stated, other: Stated) -> bool:
    """Whether two subjects may be one thing, or editions of one."""
    return one.name.casefold() == other.name.casefold() or similarity(one.name, other.name) >= MOST_ALIKE

"""What to search for: the question itself, its names, its content words, and what the first passages name (pure).

A question that takes two steps names only the first: "In what state is the maker of Bisquick headquartered?" finds the
page of Bisquick, and that page names its maker. A follow-up search asks for such a name together with the words of the
question that the first passages leave open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from drzero.loop import facts
from drzero.loop.choices import options
from drzero.loop.facts.names import read_names
from drzero.text import sentences, word_spans
from drzero.types import Passage

Retrieve = Callable[[str, int], list[Passage]]
LEADING = 3  # first passages whose names are followed; what a follow-up finds comes behind them
_DEEP = 3  # of what a follow-up finds, how much is looked at for something new
_DAMPING = 10  # of reciprocal rank fusion: how much a first place counts beside a tenth
_WEIGHTS = (1.0, 0.5, 0.5)  # of the question, its names, its content words


@dataclass(frozen=True, slots=True)
class Gathered:
    """Passages for a question, best first and ranked anew, and the queries asked, the question first.

    `sought[i]` is the query that passage i was found for, the question or a follow-up: what it is to be measured by.
    """

    passages: tuple[Passage, ...]
    queries: tuple[str, ...]
    sought: tuple[str, ...]


def gather(question: str, retrieve: Retrieve, *, k: int, searches: int = 1, follow_ups: int = 0) -> Gathered:
    """Search with the first `searches` queries of the question, then `follow_ups` times for what was named on the way.

    Rankings of the question's own queries are fused: each place counts weight / (10 + place), where the question
    weighs 1 and other queries 0.5. Of each follow-up the best passage comes behind the first three, unless it is among
    them. On 100 questions of two steps (HotpotQA) both pages are then among the first five of 87, without of 76. Two
    things to choose between are always searched for, one by one; the best passage of each comes before follow-ups.
    """
    queries = list(own_queries(question)[:searches])
    points: dict[str, float] = {}
    found: dict[str, Passage] = {}
    for query, weight in zip(queries, _WEIGHTS, strict=False):
        for place, passage in enumerate(retrieve(query, k), 1):
            found.setdefault(passage.chunk.id, passage)
            points[passage.chunk.id] = points.get(passage.chunk.id, 0.0) + weight / (_DAMPING + place)
    order = sorted(found, key=lambda id_: -points[id_])  # stable: the question's own order among equals
    sought = dict.fromkeys(order, question)
    leading, followed = order[:LEADING], dict[str, None]()
    for query in side_queries(question):
        queries.append(query)
        for passage in retrieve(query, k)[:1]:
            found.setdefault(passage.chunk.id, passage)
            if passage.chunk.id not in leading:
                followed[passage.chunk.id] = None
            sought[passage.chunk.id] = query
    for query in follow_up_queries(question, [found[id_] for id_ in leading])[:follow_ups]:
        queries.append(query)
        for passage in retrieve(query, k)[:_DEEP]:
            if passage.chunk.id not in (*leading, *followed):
                found.setdefault(passage.chunk.id, passage)
                followed[passage.chunk.id] = None
                sought[passage.chunk.id] = query
                break
    order = [*leading, *followed, *(id_ for id_ in order[LEADING:] if id_ not in followed)]
    passages = tuple(replace(found[id_], rank=rank) for rank, id_ in enumerate(order, 1))
    return Gathered(passages, tuple(queries), tuple(sought[id_] for id_ in order))


def own_queries(question: str) -> tuple[str, ...]:
    """The question, its names, and its content words as they stand; what is empty or there already is left out."""
    named = " ".join(dict.fromkeys(facts.names(question)))
    return tuple(dict.fromkeys(query for query in (question, named, " ".join(content_words(question))) if query))


def side_queries(question: str) -> tuple[str, ...]:
    """A query for each of two named things that a question lets choose between; () for any other question.

    One query with both names finds the page of the one that has more to say of them. Each is the name as it stands,
    with the content words of the question that neither has.
    """
    sides = options(question)
    if len(sides) != 2 or not all('"' in side or "“" in side or _is_named(side) for side in sides):
        return ()
    aside = {word.casefold() for side in sides for word in content_words(side)}
    left = [word for word in content_words(question) if word.casefold() not in aside]
    return tuple(" ".join((side.strip('"“”'), *left)) for side in sides)


def _is_named(side: str) -> bool:
    return bool(facts.identifiers(side) or facts.names(side))


def content_words(text: str) -> list[str]:
    """The words of `text` that carry meaning, as they stand, each once."""
    spans = (text[start:end] for start, end in word_spans(text))
    return list(dict.fromkeys(word for word in spans if word.casefold() not in facts.STOP_WORDS))


def follow_up_queries(question: str, passages: Sequence[Passage], *, language: str = "en") -> tuple[str, ...]:
    """Queries for names that the passages' best sentences have and the question lacks, the most promising first.

    Of each passage the sentence is read that covers the question best, its title included. A name is more promising
    the more of the question its sentence covers, and the better its passage is placed. The query is the name with
    those content words of the question that title and sentence do not have.
    """
    asked = set(facts.content_stems(question))
    found: dict[str, tuple[float, str]] = {}
    for place, passage in enumerate(passages):
        chunk = passage.chunk
        texts = [chunk.text[start:end] for start, end in sentences(chunk.text, language)]
        if not texts:
            continue
        sentence = max(texts, key=lambda text: facts.cover(question, f"{chunk.title} {text}"))
        cover = facts.cover(question, f"{chunk.title} {sentence}")
        told = set(facts.content_stems(f"{chunk.title} {sentence}"))
        left = " ".join(word for word in content_words(question) if facts.stem(word.casefold()) not in told)
        for name in dict.fromkeys(map(str, read_names(sentence))):
            stems = set(facts.content_stems(name))
            if not stems or stems & asked or stems <= set(facts.content_stems(chunk.title)) or _is_date(name):
                continue
            promise = cover - 0.05 * place
            if name not in found or promise > found[name][0]:
                found[name] = (promise, f"{name} {left}".strip())
    return tuple(dict.fromkeys(query for _, query in sorted(found.values(), key=lambda one: -one[0])))


def _is_date(name: str) -> bool:
    return all(facts.is_month(word) for word in name.split())

"""Verified episodes as examples: the lessons most alike to what is asked now, never of the same article (pure)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from drzero.loop import facts, prompts
from drzero.loop.novelty import NEAR_COPY, similarity
from drzero.text import words
from drzero.types import Challenge, Episode, Step

Article = tuple[str, str]  # (zim_id, path)
Use = Literal["ask", "read"]
MOST_WORDS = 90  # of one example: a small model reads 50 tokens in a second
FLOOR = 0.12  # likeness from which an example is worth its tokens
_OPENING = 0.3  # what the same opening ("when", "how many") counts for in the likeness of two questions


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one verified episode teaches.

    To the proposer: which `question` was made of `sentence` (at `place`) for the answer `span`. To the solver: which
    `answer` was given to it from `read`, the (place, words) it cites. `articles` are all that any of it comes from.
    """

    id: str  # the episode's
    kind: str
    question: str
    answer: str
    place: str
    sentence: str
    span: str
    read: tuple[tuple[str, str], ...]
    articles: frozenset[Article]
    origin: str = "model"  # who worded the question; a template's is no example of how to word one

    def shown(self, use: Use) -> prompts.Shown:
        """The example as it is put before a writer."""
        if use == "ask":
            return prompts.shown_asking(self.place, self.sentence, self.span, self.question)
        return prompts.shown_reading(self.question, self.read, self.answer)


def lesson_of(episode: Episode) -> Lesson | None:
    """What an accepted episode teaches; None for any other, and where its answer is not one cited sentence."""
    challenge = episode.challenge
    if episode.status != "accepted" or challenge is None or not challenge.gold:
        return None
    best = episode.attempts[episode.best]
    if len(best.answer.claims) != 1 or not best.answer.claims[0].citations:
        return None
    cited = best.answer.claims[0].citations
    gold = challenge.gold[0]
    read = ((" › ".join(dict.fromkeys((c.title, *c.heading[-1:]))), " ".join(c.quote.split())) for c in cited)
    return Lesson(
        id=episode.id,
        kind=challenge.type,
        question=challenge.question,
        answer=best.answer.text,
        place=prompts.place(gold),
        sentence=" ".join(challenge.evidence.split()),
        span=_span(challenge, episode.steps),
        read=tuple(read),
        origin=challenge.origin,
        articles=frozenset([(c.zim_id, c.path) for c in challenge.gold] + [(c.zim_id, c.path) for c in cited]),
    )


def _span(challenge: Challenge, steps: Sequence[Step]) -> str:
    """The words of the evidence that the question was made for: as recorded, else the one aspect, else all of it."""
    for step in reversed(steps):
        made = step.output if isinstance(step.output, dict) else {}
        if step.name == "proposal" and made.get("question") == challenge.question and step.inputs.get("span"):
            return str(step.inputs["span"])
    (aspect,) = challenge.aspects if len(challenge.aspects) == 1 else ("",)
    return aspect if aspect and aspect in challenge.evidence else challenge.evidence


def choose_lessons(
    lessons: Sequence[Lesson], text: str, *, use: Use, most: int, kind: str = "", apart: Set[Article] = frozenset()
) -> tuple[Lesson, ...]:
    """At most `most` lessons, the one most alike to `text` last, next to what is asked.

    For "ask" `text` is a source sentence and lessons are of its `kind`; for "read" it is a question. None of an article
    in `apart`, no two of one article, none so like that it gives the answer away, and none below `FLOOR`.
    """
    if most < 1 or not lessons:
        return ()
    weights = _weights(tuple(lessons), use)
    candidates = [
        (_likeness(text, _key(lesson, use), weights, use), lesson)
        for lesson in lessons
        if not lesson.articles & apart and _suits(lesson, use, kind)
    ]
    chosen: list[Lesson] = []
    for alike, lesson in sorted(candidates, key=lambda pair: (-pair[0], pair[1].id)):
        if alike < FLOOR or len(chosen) == most:
            break
        if any(lesson.articles & other.articles for other in chosen) or gives_away(lesson, text, use):
            continue
        chosen.append(lesson)
    return tuple(reversed(chosen))


def gives_away(lesson: Lesson, text: str, use: Use) -> bool:
    """Whether a lesson is about the very thing that is asked: nearly the same question, or nearly the same sentence."""
    if use == "read":
        return similarity(lesson.question, text) >= NEAR_COPY
    return facts.cover(text, lesson.sentence) >= NEAR_COPY


def _suits(lesson: Lesson, use: Use, kind: str) -> bool:
    """Whether a lesson can be shown for this use at all: to a proposer a writer's own question of the same type."""
    if use == "ask" and (lesson.kind != kind or lesson.origin != "model"):
        return False
    return sum(len(words(part)) for part in lesson.shown(use)) <= MOST_WORDS


def _key(lesson: Lesson, use: Use) -> str:
    return lesson.sentence if use == "ask" else lesson.question


@lru_cache(maxsize=8)
def _weights(lessons: tuple[Lesson, ...], use: Use) -> Mapping[str, float]:
    """How much a word tells among the lessons: log(1 + n / how many have it)."""
    counts = Counter(stem for lesson in lessons for stem in set(facts.content_stems(_key(lesson, use))))
    return {stem: math.log1p(len(lessons) / count) for stem, count in counts.items()}


def _likeness(one: str, other: str, weights: Mapping[str, float], use: Use) -> float:
    """In [0,1]: the cosine of two texts' sets of content stems, each stem by its weight; of questions the opening too.

    A stem that no lesson has counts as one that a single lesson has.
    """
    rarest = max(weights.values(), default=1.0)
    ours, theirs = set(facts.content_stems(one)), set(facts.content_stems(other))
    mass = [sum(weights.get(stem, rarest) ** 2 for stem in sorted(stems)) for stems in (ours, theirs, ours & theirs)]
    cosine = mass[2] / math.sqrt(mass[0] * mass[1]) if mass[0] and mass[1] else 0.0
    if use == "ask":
        return cosine
    return (1 - _OPENING) * cosine + _OPENING * (words(one)[:1] == words(other)[:1])

"""A reader without a model: the sentence of the passages that answers a question, or an abstention (pure).

`Extractor` stands where a writer does (`types.LLM`), so that gates, attempts, traces and replay know no difference. It
reads what a prompt was made of and none of its wording. It words no questions and knows nothing by heart.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from drzero.loop import facts, prompts
from drzero.loop.choices import options
from drzero.loop.facts.names import read_names
from drzero.loop.stated.documentation import VERBS
from drzero.loop.telling import told
from drzero.text import sentences, words
from drzero.types import Completion, Prompt

NAME = "extractor-1"
FLOOR = 0.65  # score from which a sentence is given as the answer; below, the passages do not answer
_ROOM = 1_000_000  # tokens: it reads as much as it is given
_UNFIT = 0.5  # what a sentence without the kind of thing that is asked for is worth
_UNNAMED = 0.7  # what a sentence is worth, for each name in the question that neither it nor its place has
_LEANING = 0.8  # what a sentence is worth whose subject stands in another one
_ANOTHER = 0.8  # what a sentence is worth that begins with a name of which question and place know nothing
_PLACE_ALONE = 0.7  # what a word of the question counts that only title or heading have
_NEXT = 0.02  # what each place further down in the ranking costs
_SESSION = (">>>", "...", "$ ")  # what begins a line of a session: no sentence, whatever it shows
_YEARS_OF_ROW = 2  # years in brackets that make a line between bars a row of a chronology
_LONG_WORDS = 60  # a sentence so long is half a paragraph
_ROW = re.compile(r"[A-Z][\w'-]*(?: [\w'-]+){0,3}(?: ?\([^()]{1,20}\))?: \S")
_NOTE = re.compile(r"(?:New in|Changed in|Deprecated since) version\b")
_CODE_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*(?:\(.*\))?")
_LEANS = re.compile(
    r"\W*(?:he|she|it|they|this|these|that|those|his|her|its|their|such|here|there|another|both|however|also|but|and)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|due to|owing to|since|so that|in order to|as a result|caused?|causes|leads?|led|therefore|thus"
    r"|reasons?|result(?:s|ed|ing)?|thanks to|for)\b",
    re.IGNORECASE,
)
_PLACE_WORD = re.compile(r"\b(?:in|at|on|near|from|to|of|between|along|through|across|north|south|east|west)\b", re.I)
_YEAR_IN_BRACKETS = re.compile(r"\((?:\w+ )?[12]\d{3}\)")
_TIME = re.compile(
    r"\b(?:1\d{3}|20\d{2})s?\b|\bcentur(?:y|ies)\b|\d (?:BCE?|AD|CE)\b|\b(?:January|February|March|April|May|June|July"
    r"|August|September|October|November|December)\b|\d (?:years?|months?|weeks?|days?|hours?)\b"
)
_WHEN = r"when|(?:what|which) (?:exact |specific )?(?:year|date|month|day|century|decade)"
_COUNT = (
    r"how (?:many|much|long|far|high|tall|old|large|deep|fast|often|big|wide|heavy)"
    r"|what (?:percentage|percent|number|share)"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is given as the answer, and what speaks for it: `score` in [0,1]."""

    text: str
    score: float


class Extractor:
    """An `LLM` that copies from passages. Every prompt without passages is answered "Not found."."""

    id = NAME

    def complete(
        self,
        prompt: Prompt,
        *,
        grammar: str = "",  # noqa: ARG002  (nothing is written, so nothing has to be held to a form)
        seed: int = 0,  # noqa: ARG002
        max_tokens: int = 256,  # noqa: ARG002
        temperature: float = 0.0,  # noqa: ARG002
    ) -> Completion:
        """The best sentence of the prompt's passages, or the words for an abstention; chance has no part in it."""
        started = time.perf_counter()
        found = read(prompt.question, prompt.passages)
        text = found.text if found is not None and found.score >= FLOOR else prompts.NOT_FOUND
        return Completion(text, "stop", 0, 0, time.perf_counter() - started)

    def yes_no(self, prompt: Prompt) -> float:
        """How sure it is of what it reads in the prompt's passages, as log-odds: 3.8 · score − 1.

        Fitted by logistic regression on 684 questions of people (XQuAD, SelQA): whether the sentence holds the answer.
        -inf for a prompt without passages: that is nothing it can tell.
        """
        found = read(prompt.question, prompt.passages)
        return 3.8 * found.score - 1.0 if found is not None else -math.inf

    def room(self, prompt: Prompt) -> int:  # noqa: ARG002
        """It has no context that could be full."""
        return _ROOM


@lru_cache(maxsize=64)  # each answer is asked about once more: how sure is it
def read(question: str, passages: tuple[tuple[str, str], ...], *, language: str = "en") -> Reading | None:
    """What the passages, (place, text), state in answer to just this question, else the sentence that answers best."""
    stated = told(question, passages, language=language)
    return Reading(*stated) if stated is not None else best_reading(question, passages, language=language)


def best_reading(question: str, passages: Sequence[tuple[str, str]], *, language: str = "en") -> Reading | None:
    """The sentence that answers best, each passage (place, text) in the order of rank; None where there is none.

    Its score is the share of the question's content words that it has, rare ones counting more (log(1 + n/df) over the
    sentences at hand), words of its title and heading .7, less .02 for each place of rank, times .5 where it
    lacks the kind of thing asked for or one of the things to choose between, .7 for each name that is missing, .8 where
    it begins with a pronoun or with another name.
    """
    found = [(place, rank, text) for rank, (place, body) in enumerate(passages) for text in _said(body, language)]
    wanted = _asked_stems(question)
    if not found or not wanted:
        return None
    stems = [set(facts.content_stems(text)) for _, _, text in found]
    weights = _weights(wanted, stems)
    fits, sides = kind_of(question), [set(facts.content_stems(side)) for side in options(question)]
    shared = set[str].intersection(*sides) if sides else set()
    named = set(facts.content_stems(" ".join(facts.names(question)))) & set(wanted)
    best: Reading | None = None
    for (place, rank, text), own in zip(found, stems, strict=True):
        stands = set(facts.content_stems(place))
        score = _cover(wanted, weights, own, stands) - _NEXT * rank
        score *= _UNNAMED ** len(named - own - stands)
        fit = all(side - shared <= own | stands for side in sides) if sides else fits(question, text)
        score *= 1.0 if fit else _UNFIT
        score *= _UNFIT if _is_fragment(place, text) else 1.0
        score *= _LEANING if _LEANS.match(text) else 1.0
        score *= _ANOTHER if _speaks_of_another(text, stands.union(wanted)) else 1.0
        if best is None or score > best.score + 1e-9:
            best = Reading(text, max(0.0, score))
    return best


def _is_fragment(place: str, text: str) -> bool:
    """Whether words say nothing without the heading above them: a row, a note of versions, "Return the number …"."""
    if _ROW.match(text) or _NOTE.match(text):
        return True
    heading = place.rsplit(" › ", maxsplit=1)[-1]
    first = text.split(maxsplit=1)[0].casefold()
    return bool(_CODE_NAME.fullmatch(heading)) and (first in VERBS or first in ("return", "returns"))


def _speaks_of_another(text: str, known: set[str]) -> bool:
    """Whether a sentence begins with a name none of whose words is known: a sister is not her brother."""
    first = next(iter(read_names(text)), None)
    return first is not None and first.start == 0 and not known.intersection(facts.content_stems(str(first)))


def _said(body: str, language: str) -> Iterator[str]:
    """The sentences of a passage that can be an answer: no question, no session, no row of a chronology."""
    for start, end in sentences(body, language):
        text = " ".join(body[start:end].split())
        if "|" in text and len(_YEAR_IN_BRACKETS.findall(text)) >= _YEARS_OF_ROW:
            continue
        if 2 <= len(text.split()) <= _LONG_WORDS and not text.endswith("?") and not text.startswith(_SESSION):
            yield text


def _asked_stems(question: str) -> list[str]:
    """What the question is about: its content stems, each once, without the word that only says what kind is asked."""
    kind = re.match(rf"(?:\w+ )?(?:{_WHEN}|{_COUNT})\b", question, re.IGNORECASE)
    return list(dict.fromkeys(facts.content_stems(question[kind.end() :] if kind else question)))


def _weights(wanted: Sequence[str], stems: Sequence[set[str]]) -> dict[str, float]:
    """log(1 + n/df) of each: what all sentences have tells them apart the least."""
    found = Counter(stem for own in stems for stem in own.intersection(wanted))
    return {stem: math.log1p(len(stems) / max(1, found[stem])) for stem in wanted}


def _cover(wanted: Sequence[str], weights: dict[str, float], own: set[str], place: set[str]) -> float:
    """The weighted share of `wanted` that a sentence and its place have; 0.0 where the sentence has none of it."""
    if not own.intersection(wanted) and not place.issuperset(wanted):
        return 0.0
    have = sum(weights[stem] * (1.0 if stem in own else _PLACE_ALONE if stem in place else 0.0) for stem in wanted)
    return have / sum(weights.values())


def kind_of(question: str) -> Callable[[str, str], bool]:
    """What tells whether a sentence has the kind of thing that a question asks for, beyond what the question says.

    when: a date; how many: a number; who: a name; where: a name behind a word of place; why: a word of reason; all
    else: any new content word.
    """
    asked = " ".join(words(question))
    openings = ((_WHEN, _has_date), (_COUNT, _has_number), ("who|whom|whose", _has_name), ("where", _has_place))
    for opening, has in openings:
        if re.match(rf"(?:\w+ )?(?:{opening})\b", asked):
            return has
    return _has_reason if re.match(r"(?:why|for what reason)\b", asked) else _has_more


def _has_date(question: str, text: str) -> bool:
    new = facts.numbers(text) - facts.numbers(question)
    return bool(new) and bool(_TIME.search(text))


def _has_number(question: str, text: str) -> bool:
    return bool(facts.numbers(text) - facts.numbers(question)) or bool({"once", "one", "twice"} & set(words(text)))


def _has_name(question: str, text: str) -> bool:
    asked = set(words(question))
    return any(
        word[0].isupper() and word.casefold() not in asked | facts.STOP_WORDS
        for word in re.findall(r"\w+", text)
        if not facts.is_month(word)
    )


def _has_place(question: str, text: str) -> bool:
    return bool(_PLACE_WORD.search(text)) and _has_name(question, text)


def _has_reason(_: str, text: str) -> bool:
    return bool(_REASON.search(text))


def _has_more(question: str, text: str) -> bool:
    return bool(set(facts.content_stems(text)) - set(facts.content_stems(question)))

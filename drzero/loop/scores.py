"""The scores that a profile may weigh, each in [0,1], from the verdict, the reference and the cited sources.

The first line of each score's docstring is its formula; `CONTRIBUTING.md` has the same lines in its table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from drzero.loop import facts
from drzero.loop.agreement import agreement, missing_aspects, unasked
from drzero.loop.answer_kind import fits_question
from drzero.loop.choices import chosen, options
from drzero.loop.code import Outcome, code_pieces, invented, outcomes, runs_like, well_formed, without_code
from drzero.loop.dress import tokens
from drzero.loop.metrics import clamp
from drzero.loop.running import Run
from drzero.text import sentences, words
from drzero.types import Answer, Challenge, Passage, Verdict

GOOD_SENTENCE_WORDS, WORST_SENTENCE_WORDS = 25, 60
_OLD = r"(?:deprecated|obsolete|superseded|discouraged|no longer (?:supported|recommended))"
_IS_OLD = re.compile(
    rf"(?<![\w.])`?(?P<name>[\w.]{{3,}})(?:\(\))?`?(?:\s(?:module|function|method|class|argument|option|property|attribute"
    rf"|statement|event|parameter|package|tag))?\s(?:is|are|was|were|has been|have been)\s(?:now\s|also\s)?{_OLD}\b"
)
_SAYS_OLD = re.compile(rf"\b(?:{_OLD}|instead|avoid|replaced|removed|not|rather than|older|legacy)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Case:
    """An answer to score: `sources` are the texts that it cites, `run` runs an expression where that is safe."""

    challenge: Challenge
    answer: Answer
    verdict: Verdict
    sources: str
    run: Run

    @property
    def supported_text(self) -> str:
        """The claims that the verifier found supported; nothing else counts as said."""
        pairs = zip(self.answer.claims, self.verdict.judgements, strict=False)
        return " ".join(claim.text for claim, judgement in pairs if judgement.verdict == "supported")

    @cached_property
    def support(self) -> float:
        """Of the answer's claims."""
        return support(self.verdict)

    @cached_property
    def agreement(self) -> float:
        """Of the answer with the reference."""
        challenge = self.challenge
        return agreement(self.answer.text, challenge.answer, challenge.question, challenge.aspects)

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The expected aspects that no supported claim has."""
        challenge = self.challenge
        wanted = unasked(challenge.aspects, challenge.question)
        said = self.supported_text
        return missing_aspects(wanted, said, reference=challenge.answer, question=challenge.question)

    @cached_property
    def pieces(self) -> tuple[tuple[str, str], ...]:
        """The pieces of code in the answer: (language, code)."""
        return code_pieces(self.answer.text)

    @cached_property
    def invented(self) -> tuple[tuple[str, ...], ...]:
        """For each piece of code what stands in no source; nothing for code that runs like an example of theirs.

        Nor for an expression that gives what the answer says, and for what is said.
        """
        known = f"{self.sources}\n{self.challenge.question}"
        settled = {one.said for one in self.outcomes} | {one.code for one in self.outcomes if one.true}
        found = []
        for language, code in self.pieces:
            names = () if code.strip() in settled else invented(language, code, known)
            found.append(() if names and runs_like(code, self.sources, self.run) else names)
        return tuple(found)

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What expressions of the answer give beside what it says of them."""
        return outcomes(self.answer.text, self.run)

    @cached_property
    def outdated(self) -> tuple[str, ...]:
        """Names that a source calls deprecated and a claim uses without a word of it."""
        old = {match["name"].rstrip(".") for match in _IS_OLD.finditer(self.sources)}
        asked = set(words(self.challenge.question))
        return tuple(
            sorted(
                name
                for name in old
                if facts.identifiers(name) or name.islower()
                if not set(words(name)) <= asked
                if any(name in claim.text and not _SAYS_OLD.search(claim.text) for claim in self.answer.claims)
            )
        )


def case_of(challenge: Challenge, answer: Answer, verdict: Verdict, passages: Sequence[Passage], run: Run) -> Case:
    """The case of an answer whose citations are looked up in `passages`; its quote stands for a chunk not there."""
    texts = {passage.chunk.id: passage.chunk for passage in passages}
    cited = [citation for claim in answer.claims for citation in claim.citations]
    sources = dict.fromkeys(
        "\n".join((chunk.title, *chunk.heading, chunk.text)) if (chunk := texts.get(one.chunk_id)) else one.quote
        for one in cited
    )
    return Case(challenge, answer, verdict, "\n".join(sources), run)


def support(verdict: Verdict) -> float:
    """support = mean over claims of the probability of support, 0 where the verdict is not "supported"."""
    if not verdict.judgements:
        return 0.0
    return sum(clamp(j.probability) for j in verdict.judgements if j.verdict == "supported") / len(verdict.judgements)


def accuracy(case: Case) -> float:
    """accuracy = support × agreement"""
    return case.support * case.agreement


def correctness(case: Case) -> float:
    """correctness = support × agreement × code

    code = share of the pieces of code, and of the results told of them, that are right: a piece that names, calls or
    holds nothing but what a cited source or the question has, or that runs like an example there; a result that the
    expression gives when run. 1 without code.
    """
    marks = [not names for names in case.invented] + [outcome.true for outcome in case.outcomes]
    return case.support * case.agreement * (sum(marks) / len(marks) if marks else 1.0)


def completeness(case: Case) -> float:
    """completeness = expected aspects that supported claims have ÷ expected aspects

    Aspects that the question states itself do not count. Without any: the share of what the reference adds to the
    question, in words and numbers, that the supported claims have. Of a question that offers a choice half is the
    choice: the other half alone is left where the reference makes one and the supported claims do not make the same.
    """
    said, challenge = case.supported_text, case.challenge
    if not said:
        return 0.0
    share = _told(case, said)
    named = options(challenge.question)
    choice = chosen(challenge.answer, named, challenge.question) if named else ""
    return share / 2 if choice and chosen(said, named, challenge.question) != choice else share


def _told(case: Case, said: str) -> float:
    """The share of what is expected that `said` has, a choice aside."""
    challenge = case.challenge
    if wanted := unasked(challenge.aspects, challenge.question):
        return 1 - len(case.missing) / len(wanted)
    asked = set(tokens(challenge.question))
    stated = tokens(challenge.answer)
    new = [token for token in stated if token not in asked] or list(stated)
    return facts.share(new, set(tokens(said))) if new else 1.0


def relevance(case: Case) -> float:
    """relevance = ½ · min(1, 2 · share of the question's content words in the answer) + ½ · kind

    kind = 1 when the answer is of the kind that the question asks for (`answer_kind.fits_question`), else 0.
    """
    topic = min(1.0, 2 * facts.cover(case.challenge.question, case.answer.text))
    return 0.5 * topic + 0.5 * fits_question(case.challenge.question, case.answer.text)


def clarity(case: Case) -> float:
    """clarity = mean over sentences of 0.7 · length + 0.3 · form

    length = 1 up to 25 words, falling evenly to 0 at 60; form = 1 for a sentence that begins like one (no small letter)
    and ends with . ! ? or : and 0 otherwise. Code is left out; an answer of code alone scores 1.
    """
    prose = without_code(case.answer.text)
    marks = []
    for start, end in sentences(prose):
        sentence = prose[start:end]
        over = len(words(sentence)) - GOOD_SENTENCE_WORDS
        length = 1 - min(1.0, max(0, over) / (WORST_SENTENCE_WORDS - GOOD_SENTENCE_WORDS))
        form = not sentence[0].islower() and sentence.rstrip("\"'”’)`")[-1:] in (".", "!", "?", ":")
        marks.append(0.7 * length + 0.3 * form)
    return sum(marks) / len(marks) if marks else 1.0


def best_practices(case: Case) -> float:
    """best_practices = cited × well-formed × current

    cited = share of claims that cite a source; well-formed = share of the pieces of code that could be of their
    language, 1 without code; current = ½ when a claim uses what a cited source calls deprecated and does not say so,
    else 1.
    """
    claims = case.answer.claims
    cited = sum(bool(claim.citations) for claim in claims) / len(claims)
    sound = [well_formed(language, code) for language, code in case.pieces]
    return cited * (sum(sound) / len(sound) if sound else 1.0) * (0.5 if case.outdated else 1.0)


SCORES: dict[str, Callable[[Case], float]] = {
    "accuracy": accuracy,
    "correctness": correctness,
    "completeness": completeness,
    "relevance": relevance,
    "clarity": clarity,
    "best_practices": best_practices,
}

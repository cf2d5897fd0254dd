"""Answer + the passages it cites → Verdict. Every check gives its reason, and any failed check decides."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drzero.loop import facts, prompts
from drzero.loop.citations import citation_fault, invented_marks, never_given
from drzero.types import (
    LLM,
    Answer,
    AnswerStatus,
    Claim,
    ClaimVerdict,
    EntailmentModel,
    Judgement,
    Passage,
    Verdict,
)

MIN_COVER = 0.5
CONTRADICTION_COVER = 0.6


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`min_probability`: a claim is supported only at this entailment probability or above, in [0,1]."""

    min_probability: float = 0.75


class WriterEntailment:
    """The writer's own yes/no log-odds as an `EntailmentModel`: sigmoid(slope · (log-odds − midpoint)).

    The defaults were fitted for Qwen2.5-Coder-1.5B by logistic regression on 303 pairs drawn from FEVER-Symmetric and
    BEGIN (dev): area under the ROC curve .85; a probability of .75 has precision .93 at recall .49.
    """

    def __init__(self, llm: LLM, *, slope: float = 0.9, midpoint: float = 0.8) -> None:
        self.id = f"{llm.id}/judge-{prompts.VERSION}"
        self._llm, self._slope, self._midpoint = llm, slope, midpoint

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each (premise, hypothesis) the probability in [0,1] that the premise entails the hypothesis."""
        return [
            1 / (1 + math.exp(-self._slope * (self._llm.yes_no(prompts.judge(premise, claim)) - self._midpoint)))
            for premise, claim in pairs
        ]


def verify(
    answer: Answer,
    passages: Sequence[Passage],
    entailment: EntailmentModel,
    thresholds: Thresholds | None = None,
    *,
    question: str = "",
    shelf: str = "",
) -> Verdict:
    """Judge every claim against the very chunks it cites; accepted only when each one is supported.

    `passages` are those the solver was given, in the order of `Citation.n`. With a `question`, the chunks cited must
    also name whom and what it asks about, so that a true sentence about something else is no answer. `shelf` has the
    names that a whole archive is about and its pages need not say, such as "Python" in the manual of Python.
    """
    if answer.abstained or not answer.claims:
        return Verdict((), "abstained")
    limits = thresholds or Thresholds()
    judgements = tuple(
        judge_claim(claim, passages, entailment, limits, question=question, shelf=shelf) for claim in answer.claims
    )
    supported = sum(judgement.verdict == "supported" for judgement in judgements)
    status: AnswerStatus = "supported" if supported == len(judgements) else "partial" if supported else "unsupported"
    return Verdict(judgements, status)


def judge_claim(
    claim: Claim,
    passages: Sequence[Passage],
    entailment: EntailmentModel,
    thresholds: Thresholds,
    *,
    question: str = "",
    shelf: str = "",
) -> Judgement:
    """One claim: citation, quote, facts, then entailment; the first layer that fails decides."""
    if not claim.citations:
        return _refused("no-citation", "The claim cites no passage.")
    for citation in claim.citations:
        fault = citation_fault(citation, passages)
        if fault is not None:
            return Judgement(fault.verdict, 0.0, (fault.reason,), (fault.code,))
    quotes = " ".join(citation.quote for citation in claim.citations)
    places = " ".join(" ".join((citation.title, *citation.heading)) for citation in claim.citations)
    cited = " ".join(passages[citation.n - 1].chunk.text for citation in claim.citations)
    if invented := invented_marks(claim.text, cited, len(passages)):
        return _refused("invented-citation", never_given(invented[0], len(passages)))
    astray = facts.missing_names(question, f"{shelf} {places} {cited}")
    if astray:
        return _refused("off-question", f"The passage cited does not name {', '.join(astray[:4])}.")
    return judge_pair(claim.text, quotes, places, entailment, thresholds)


def judge_pair(claim: str, evidence: str, place: str, entailment: EntailmentModel, thresholds: Thresholds) -> Judgement:
    """Whether `evidence`, at `place` (title and headings), supports `claim`: facts first, then entailment."""
    around = f"{place}. {evidence}"
    cover = facts.cover(claim, around)
    against: ClaimVerdict = "contradicted" if cover >= CONTRADICTION_COVER else "unsupported"
    faults: tuple[tuple[Callable[[str, str], list[str]], str, str, ClaimVerdict], ...] = (
        (facts.missing_numbers, "number", "The evidence does not state {}.", against),
        (facts.missing_names, "name", "The evidence does not name {}.", "unsupported"),
        (facts.missing_identifiers, "identifier", "The evidence does not mention {}.", "unsupported"),
    )
    for check, code, sentence, verdict in faults:
        absent = check(claim, around)
        if absent:
            return _refused(code, sentence.format(", ".join(absent[:4])), verdict)
    if cover >= MIN_COVER and facts.denies(claim, evidence):
        denied = "claim" if facts.negations(claim) else "evidence"
        return _refused("negation", f"Only the {denied} denies.", "contradicted")
    if cover < MIN_COVER:
        return _refused("cover", f"Only {cover:.0%} of the claim's words stand in the evidence.")
    probability = entailment.entail([(f"{place}: {evidence}" if place else evidence, claim)])[0]
    if not math.isfinite(probability):
        return Judgement("unchecked", 0.0, ("The entailment model gave no answer.",), ("unchecked",))
    if probability < thresholds.min_probability:
        reason = f"The entailment model gives {probability:.2f}, below {thresholds.min_probability:.2f}."
        return Judgement("unsupported", probability, (reason,), ("entailment",))
    reason = f"Numbers, names and negation agree, and the entailment model gives {probability:.2f}."
    return Judgement("supported", probability, (reason,))


def _refused(code: str, reason: str, verdict: ClaimVerdict = "unsupported") -> Judgement:
    return Judgement(verdict, 0.0, (reason,), (code,))

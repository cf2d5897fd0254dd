"""Answer + the passages it cites → Verdict. Every check gives its reason, and any failed check decides.

Layers, the cheap ones first: citations, quotes, facts, and only for what is left the entailment model, which is asked
about all claims at once. A claim of several facts is cut into parts, and every part must hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from drzero.loop import facts
from drzero.loop.citations import citations_fault, distinct
from drzero.loop.concluding import apart
from drzero.loop.facts.identifiers import qualified
from drzero.loop.facts.wording import readable
from drzero.loop.joining import supported_by
from drzero.loop.quotes import quotes_fault
from drzero.loop.splitting import parts
from drzero.loop.stated.subjects import unsaid
from drzero.loop.windows import window
from drzero.text import is_made_of
from drzero.types import (
    Answer,
    AnswerStatus,
    Citation,
    Claim,
    EntailmentModel,
    Fault,
    Judgement,
    Passage,
    Verdict,
)

MIN_COVER = 0.5
REFUSED_LOG_ODDS = 1.0  # what a claim that the facts refuse loses in a probability that is asked for all the same
UNTOLD = "subject"  # a fault that says nothing against the claim: the evidence has a pronoun for somebody


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`min_probability`: a claim is supported only at this entailment probability or above, in [0,1]."""

    min_probability: float = 0.75


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One claim before the entailment model is asked: the fault found without it, if any, and what there is to ask.

    `pairs` are a premise and a hypothesis for each part of the claim; () where its citations or quotes do not hold.
    """

    pairs: tuple[tuple[str, str], ...] = ()
    fault: Fault | None = None


def verify(
    answer: Answer,
    passages: Sequence[Passage],
    entailment: EntailmentModel,
    thresholds: Thresholds | None = None,
    *,
    question: str = "",
    shelf: str = "",
    language: str = "en",
) -> Verdict:
    """Judge every claim against the very chunks it cites; accepted only when each one is supported.

    An answer that says anything beside its claims is supported in part at most.

    `passages` are those the solver was given, in the order of `Citation.n`. With a `question`, the chunks cited must
    also name whom and what it asks about, so that a true sentence about something else is no answer. `shelf` has the
    names that a whole archive is about and its pages need not say, such as "Python" in the manual of Python.
    """
    if answer.abstained or not answer.claims:
        return Verdict((), "abstained")
    judgements = judge_claims(
        answer.claims,
        passages,
        entailment,
        thresholds or Thresholds(),
        question=question,
        shelf=shelf,
        language=language,
    )
    supported = sum(judgement.verdict == "supported" for judgement in judgements)
    whole = supported == len(judgements) and is_made_of(answer.text, [claim.text for claim in answer.claims])
    status: AnswerStatus = "supported" if whole else "partial" if supported else "unsupported"
    return Verdict(judgements, status)


def judge_claims(
    claims: Sequence[Claim],
    passages: Sequence[Passage],
    entailment: EntailmentModel,
    thresholds: Thresholds,
    *,
    question: str = "",
    shelf: str = "",
    language: str = "en",
) -> tuple[Judgement, ...]:
    """One judgement per claim, in order; see `verify`."""
    inquiries = [inquire_claim(claim, passages, question=question, shelf=shelf, language=language) for claim in claims]
    judgements = settle(inquiries, entailment, thresholds)
    return tuple(
        _without_needless(claim, judgement, entailment, thresholds, question=question, language=language)
        for claim, judgement in zip(claims, judgements, strict=True)
    )


def judge_claim(
    claim: Claim,
    passages: Sequence[Passage],
    entailment: EntailmentModel,
    thresholds: Thresholds,
    *,
    question: str = "",
    shelf: str = "",
    language: str = "en",
) -> Judgement:
    """One claim: citations, quotes, facts, then entailment; the first layer that fails decides."""
    return judge_claims((claim,), passages, entailment, thresholds, question=question, shelf=shelf, language=language)[
        0
    ]


def judge_pairs(
    pairs: Sequence[tuple[str, str]],
    entailment: EntailmentModel,
    thresholds: Thresholds,
    *,
    thorough: bool = False,
    language: str = "en",
) -> list[Judgement]:
    """One judgement for each (claim, passage) without citations: facts first, then entailment for all that are left.

    With `thorough` the model is asked about the pairs that the facts refuse, too: their verdict stays, their
    probability, otherwise 0.0, tells by how much.
    """
    inquiries = [inquire_pair(claim, passage, language=language) for claim, passage in pairs]
    return settle(inquiries, entailment, thresholds, thorough=thorough)


# --- without a model ------------------------------------------------------------------------------------------------


def inquire_claim(
    claim: Claim, passages: Sequence[Passage], *, question: str = "", shelf: str = "", language: str = "en"
) -> Inquiry:
    """What the checks of citations, quotes and facts find in a claim, and what is left to ask."""
    if fault := citations_fault(claim, passages) or quotes_fault(claim, passages):
        return Inquiry(fault=fault)
    cited = distinct(claim.citations)
    chunks = " ".join(passages[citation.n - 1].chunk.text for citation in cited)
    places = " ".join(_place(citation) for citation in cited)
    found = _inquire_cited(claim.text, cited, question=question, language=language)
    if (other := unsaid(claim.text, f"{places} {chunks}")) and found.fault is None:
        return Inquiry(found.pairs, Fault("class", f"Nothing in the passage cited says that it is a {other}."))
    if astray := facts.missing_names(question, f"{shelf.title()} {places} {chunks}", language=language):
        return Inquiry(found.pairs, Fault("off-question", f"The passage cited does not name {', '.join(astray[:4])}."))
    return found


def inquire_pair(claim: str, passage: str, *, language: str = "en") -> Inquiry:
    """What the facts say of a claim beside a passage, and what is left to ask: each part, and the sentences near it."""
    said, stated = readable(claim), readable(passage)
    cut = parts(said, language=language)
    near = [window(part, stated, language=language) for part in cut]
    faults = (fact_fault(part, evidence, language=language) for part, evidence in zip(cut, near, strict=True))
    return Inquiry(tuple(zip(near, cut, strict=True)), next((fault for fault in faults if fault), None))


def _inquire_cited(claim: str, cited: Sequence[Citation], *, question: str, language: str) -> Inquiry:
    quotes = " ".join(citation.quote for citation in cited)
    places = " ".join(dict.fromkeys(_named_place(citation) for citation in cited))
    premise = readable("\n".join(f"{_place(citation)}: {citation.quote}" for citation in cited))
    told, wrong = apart(readable(claim))  # what code concludes from both facts needs no source, but both facts do
    cut = parts(told, language=language)
    faults = (wrong, *(fact_fault(part, quotes, places, language=language) for part in cut))
    pairs = tuple((premise, self_contained(part, question)) for part in cut)
    return Inquiry(pairs, next((fault for fault in faults if fault), None))


def fact_fault(claim: str, evidence: str, place: str = "", *, language: str = "en") -> Fault | None:
    """The first fact that `evidence`, at `place` (title and headings), does not bear out, or how little it covers."""
    if not facts.content_stems(claim):
        return Fault("empty-claim", "The claim says nothing of its own.")
    if found := facts.faults(claim, evidence, place, language=language):
        return found[0]
    covered = facts.cover(claim, f"{place}. {evidence}")
    if covered < MIN_COVER:
        return Fault("cover", f"Only {covered:.0%} of the claim's words stand in the evidence.")
    return None


def self_contained(claim: str, question: str) -> str:
    """A claim that names nothing itself is put behind the question that it answers."""
    if not question or facts.names(claim) or len(facts.content_stems(claim)) > 3:
        return claim
    return f"{question} {claim}"


def _place(citation: Citation) -> str:
    return " ".join((citation.title, *citation.heading))


def _named_place(citation: Citation) -> str:
    """A place as the facts read it: with the dotted name that its headings give a method bit by bit."""
    return f"{_place(citation)} {qualified(citation.title, citation.heading)}".strip()


# --- with the entailment model --------------------------------------------------------------------------------------


def settle(
    inquiries: Sequence[Inquiry],
    entailment: EntailmentModel,
    thresholds: Thresholds,
    *,
    thorough: bool = False,
) -> list[Judgement]:
    """A judgement for each: the fault where there is one; else by the least probable part, all asked in one call."""
    asked = [one.pairs if thorough or one.fault is None else () for one in inquiries]
    pairs = [pair for own in asked for pair in own]
    found = entailment.entail(pairs) if pairs else []
    if len(found) != len(pairs):
        raise ValueError(f"the entailment model {entailment.id} gave {len(found)} probabilities for {len(pairs)} pairs")
    answers = iter([probability if 0 <= probability <= 1 else math.nan for probability in found])
    judgements = []
    for one, own in zip(inquiries, asked, strict=True):
        probabilities = [next(answers) for _ in own]
        if one.fault is None:
            judgements.append(_weigh(one, probabilities, thresholds.min_probability))
        else:
            judgements.append(_refused(one.fault, probabilities, thresholds.min_probability))
    return judgements


def _refused(fault: Fault, probabilities: Sequence[float], least: float) -> Judgement:
    """The judgement of a claim that a check refuses.

    Its probability is 0.0 where the model was not asked, else what the model gives, lowered and then scaled to stay
    below the least that is believed: it ranks refused claims, and no reader of it alone can take one for supported.
    """
    given = min(probabilities, default=0.0)
    if not math.isfinite(given):
        given = 0.0
    if given and fault.code != UNTOLD:
        given /= given + (1 - given) * math.exp(REFUSED_LOG_ODDS)
    return Judgement(fault.verdict, given * least, (fault.reason,), (fault.code,))


def _weigh(inquiry: Inquiry, probabilities: Sequence[float], least: float) -> Judgement:
    if not all(map(math.isfinite, probabilities)):
        return Judgement("unchecked", 0.0, ("The entailment model gave no answer.",), ("unchecked",))
    probability = min(probabilities)
    if probability < least:
        part = inquiry.pairs[probabilities.index(probability)][1]
        of = f" for the part “{part.strip()}”" if len(inquiry.pairs) > 1 else ""
        reason = f"The entailment model gives {probability:.3f}{of}, below {least:.3f}."
        return Judgement("unsupported", probability, (reason,), ("entailment",))
    of = f" for each of its {len(inquiry.pairs)} parts" if len(inquiry.pairs) > 1 else ""
    reason = f"Numbers, names and negation agree, and the entailment model gives {probability:.3f}{of}."
    return Judgement("supported", probability, (reason,))


def _without_needless(
    claim: Claim,
    judgement: Judgement,
    entailment: EntailmentModel,
    thresholds: Thresholds,
    *,
    question: str,
    language: str,
) -> Judgement:
    """A supported judgement that also says which of several citations the claim can do without."""
    cited = distinct(claim.citations)
    if judgement.verdict != "supported" or len(cited) < 2:
        return judgement

    def holds(places: tuple[int, ...]) -> bool:
        inquiry = _inquire_cited(claim.text, [cited[place] for place in places], question=question, language=language)
        return settle([inquiry], entailment, thresholds)[0].verdict == "supported"

    joined = supported_by([f"{_place(citation)}: {citation.quote}" for citation in cited], holds)
    spare = ", ".join(f"[{cited[place].n}]" for place in joined.needless)
    if not spare:
        return judgement
    return Judgement("supported", judgement.probability, (*judgement.reasons, f"It can do without {spare}."))

"""What is good in an answer and what to mend, in whole sentences that a learner can use (pure)."""

from __future__ import annotations

from drzero.loop.agreement import MIN_AGREEMENT
from drzero.loop.answer_kind import kind_missed
from drzero.loop.code import well_formed
from drzero.loop.scores import Case
from drzero.types import Challenge, Judgement

WELL = 0.8  # an answer that agrees so far says all of it
UNCLEAR = 0.7
_MOST_NAMED = 4


def abstention(challenge: Challenge) -> str:
    """What is said of an answer that was not given."""
    return f"No answer was given. The archive answers it: {ended(challenge.answer)}"


def feedback(case: Case, scores: tuple[tuple[str, float], ...]) -> str:
    """What the sources support first, then what the answer lacks, then its code and its form."""
    given = dict(scores)
    return " ".join((*_of_support(case), *_of_reference(case, given), *_of_code(case), *_of_form(case, given)))


def ended(text: str) -> str:
    """`text` with a full stop where it ends without a sign."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _of_support(case: Case) -> list[str]:
    total, judgements = len(case.answer.claims), case.verdict.judgements
    supported = sum(judgement.verdict == "supported" for judgement in judgements)
    if supported == total:
        return ["The source supports all of it." if total == 1 else f"The sources support all {total} statements."]
    said = [f"The sources support {supported} of {total} statements."]
    for claim, judgement in zip(case.answer.claims, judgements, strict=False):
        if judgement.verdict != "supported":
            said.append(f"{_refused(judgement)}: {ended(claim.text)}")
            said += judgement.reasons[:1]
    return said


def _refused(judgement: Judgement) -> str:
    return "Contradicted" if judgement.verdict == "contradicted" else "Not supported"


def _of_reference(case: Case, scores: dict[str, float]) -> list[str]:
    said = []
    if case.agreement < MIN_AGREEMENT:
        part = "It says part of what was expected" if case.agreement > 0 else "It does not say what was expected"
        said.append(f"{part}: {ended(case.challenge.answer)}")
    elif case.agreement < WELL:
        said.append(f"It says most of what was expected: {ended(case.challenge.answer)}")
    if case.missing:
        said.append(f"It leaves out: {', '.join(case.missing)}.")
    if "relevance" in scores and (missed := kind_missed(case.challenge.question, case.answer.text)):
        said.append(missed)
    return said


def _of_code(case: Case) -> list[str]:
    said = [f"`{one.code}` gives {one.given}, not {one.said}." for one in case.outcomes if not one.true]
    if invented := list(dict.fromkeys(name for names in case.invented for name in names)):
        said.append(f"The cited source does not have this of its code: {', '.join(invented[:_MOST_NAMED])}.")
    if any(not well_formed(language, code) for language, code in case.pieces):
        said.append("Some of its code is not well formed.")
    if case.outdated:
        old = ", ".join(case.outdated[:_MOST_NAMED])
        said.append(f"The source calls {old} deprecated: say so, or name what replaces it.")
    return said


def _of_form(case: Case, scores: dict[str, float]) -> list[str]:
    said = ["Write shorter, complete sentences."] if scores.get("clarity", 1.0) < UNCLEAR else []
    if not all(claim.citations for claim in case.answer.claims):
        said.append("Name a source for every statement.")
    return said

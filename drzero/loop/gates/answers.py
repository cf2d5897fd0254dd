"""Gates on the answer that the writer gave to its own question from the source alone: it comes back to the span."""

from __future__ import annotations

import re
from itertools import pairwise

from drzero.loop import facts, prompts
from drzero.loop.agreement import agrees, new_stems
from drzero.loop.drafts import Draft
from drzero.loop.gates.wording import LANGUAGES
from drzero.loop.solve import is_abstention

MIN_COVER = 0.75  # share of the answer's content words that source and question have
MIN_OF_STATEMENT = 0.6  # share of a sentence's content words that question and answer have, where all of it answers
MAX_BEYOND_REASON = 2  # content words that the answer may add to question and reason
MIN_NEW_IN_REASON = 3  # content words that a reason must add to its question
_GOES_ON = re.compile(
    r"\b(?:also|moreover|furthermore|likewise|however|therefore|otherwise|of course|this (?:method|function|class))\b",
    re.I,
)
_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|this|these|those)\b", re.IGNORECASE)


def answer_fault(draft: Draft, *, language: str = "en", code: bool = False) -> str:
    """The first gate that refuses the answer of a draft, "" when none does. `code`: documentation."""
    answer, question, evidence = draft.answer, draft.question, " ".join(draft.evidence)
    if is_abstention(answer):
        return "not-answered-by-source"
    place = ". ".join(dict.fromkeys(prompts.place(chunk) for chunk in draft.gold))
    if code:
        place = f"{place}. {' '.join(LANGUAGES)}"
    around = f"{place} {evidence}"
    if _misses_span(draft, place):
        return "answer-misses-span"
    if facts.missing_numbers(answer, around) or facts.missing_names(answer, f"{around} {question}"):
        return "answer-adds-facts"
    if facts.cover(answer, f"{around} {question}") < MIN_COVER:
        return "answer-adds-words"
    if facts.denies(answer, evidence):
        return "negation"
    if any(facts.faults(answer, evidence, place, language=language)):
        return "answer-departs-from-source"
    if fault := _no_statement(draft):
        return fault
    if draft.kind == "causal" and draft.span not in draft.evidence:
        beyond = set(new_stems(answer, question)) - set(facts.content_stems(draft.span))
        if len(beyond) > MAX_BEYOND_REASON:
            return "answer-says-more"
    new = set(new_stems(answer, question))
    if not new or (draft.kind == "causal" and len(new) < MIN_NEW_IN_REASON):
        return "answer-repeats-question"
    return ""


def _misses_span(draft: Draft, place: str) -> bool:
    """Whether the answer lacks what was to be answered: the span, or a good part of a sentence that is all answer."""
    if draft.span in draft.evidence:
        said = f"{place} {draft.question} {draft.answer}"
        return facts.cover(draft.span, said) < MIN_OF_STATEMENT
    return not agrees(draft.answer, draft.span, draft.question, draft.aspects)


def _no_statement(draft: Draft) -> str:
    """Why the answer is no sentence that can be understood alone, "" when it is one."""
    answer = draft.answer
    if repeats_itself(answer) and not repeats_itself(" ".join(draft.evidence)):
        return "answer-repeats-itself"
    pronoun = _PRONOUN.search(answer)
    if _GOES_ON.search(answer) or (pronoun and not facts.content_stems(answer[: pronoun.start()])):
        return "answer-does-not-stand-alone"
    beyond = set(facts.content_stems(answer)) - set(facts.content_stems(draft.span))
    return "" if beyond or draft.span in draft.evidence else "answer-is-no-sentence"


def repeats_itself(text: str) -> bool:
    """Whether two content words that follow each other come twice: "a data type in Java is a data type which"."""
    stems = facts.content_stems(text)
    pairs = list(pairwise(stems))
    return len(set(pairs)) < len(pairs)

"""Gates that let a reader answer the question: from its evidence, among distractors, and without its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from drzero.loop import facts, prompts
from drzero.loop.agreement import agrees
from drzero.loop.drafts import Draft
from drzero.loop.extracting import NAME, kind_of
from drzero.loop.facts.dates import read_dates
from drzero.loop.solve import ANSWER_TOKENS, is_abstention, tidy
from drzero.loop.telling import told
from drzero.types import LLM, Chunk, Prompt

SURE = 0.0  # log-odds of "Yes", from which the writer is sure of an answer
_GROUNDED = 0.75  # share of an answer's content words that a passage must have, else it is the writer's invention


def answerable(
    draft: Draft,
    distractors: Sequence[Chunk],
    llm: LLM,
    *,
    random_seed: int = 0,
    language: str = "en",
    code: bool = False,
) -> bool:
    """The evidence-only gate: does a reader who is given just these chunks answer as the reference does?

    The distractors come first, in their order, and the evidence last: the solver will find it where the search ranks
    it, and a reader of the distractors alone (`ambiguous`) has them evaluated already, half of what gates cost.
    """
    return answered_among(draft, distractors, llm, random_seed=random_seed, language=language, code=code)[0]


def answered_among(
    draft: Draft,
    distractors: Sequence[Chunk],
    llm: LLM,
    *,
    random_seed: int = 0,
    language: str = "en",
    code: bool = False,
) -> tuple[bool, int]:
    """`answerable`, and how many of the distractors the reader was shown: the last are left out for want of room."""
    _, text, shown = _answer(
        draft.question,
        [*distractors, *draft.gold],
        draft.gold,
        llm,
        random_seed=random_seed,
        language=language,
        code=code,
    )
    right = not is_abstention(text) and agrees(text, draft.answer, draft.question, draft.aspects)
    return right, shown - len(draft.gold)


def ambiguous(
    draft: Draft,
    others: Sequence[Chunk],
    llm: LLM,
    *,
    random_seed: int = 0,
    language: str = "en",
    code: bool = False,
) -> bool:
    """Whether passages without the gold chunks answer the question otherwise, and the reader is sure of it.

    Then the question has more than one answer in the archive. An answer counts for nothing that agrees with the
    reference, or that no passage words which has every name and number of the question: then it is invented, or
    about something else. Nor does one without the kind of thing that is asked for, or with a coarser date. A reader
    without a model always finds a sentence that it is sure of: of that one only counts what passages state as a fact.
    """
    if not others:
        return False
    prompt, text, _ = _answer(draft.question, others, (), llm, random_seed=random_seed, language=language, code=code)
    if is_abstention(text) or agrees(text, draft.answer, draft.question, draft.aspects):
        return False
    if not kind_of(draft.question)(draft.question, text) or _is_coarser(text, draft.answer):
        return False
    if not any(_answers(text, draft.question, chunk) for chunk in others):
        return False
    if llm.id == NAME and told(prompt.question, prompt.passages, language=language) is None:
        return False
    return not llm.yes_no(prompts.sure(prompt, text)) < SURE  # what is no number counts as sure


def _is_coarser(text: str, answer: str) -> bool:
    """Whether a text tells part of the one date of an answer, "1890" of "4 March 1890", and no other."""
    dates = read_dates(answer)
    if len(dates) != 1 or not dates[0].year:
        return False
    told_dates, figures = read_dates(text), facts.numbers(text)
    if told_dates:
        return all(date.year and dates[0].has(date) for date in told_dates) and figures <= facts.numbers(answer)
    return figures == {str(dates[0].year)}


def _answers(text: str, question: str, chunk: Chunk) -> bool:
    """Whether a chunk speaks of what the question names, and has the words of an answer to it."""
    given = f"{prompts.place(chunk)} {chunk.text}"
    if facts.missing_names(question, given) or facts.missing_numbers(f"{question} {text}", given):
        return False
    return facts.cover(text, given) >= _GROUNDED


def needs_each(draft: Draft, llm: LLM, *, random_seed: int = 0, language: str = "en", code: bool = False) -> bool:
    """Whether no reader who lacks one of several gold chunks answers as the reference does. True for a single chunk."""
    if len(draft.gold) < 2:
        return True
    for missing in draft.gold:
        left = [chunk for chunk in draft.gold if chunk is not missing]
        if answerable(
            replace(draft, gold=tuple(left)),
            (),
            llm,
            random_seed=random_seed,
            language=language,
            code=code,
        ):
            return False
    return True


def _answer(
    question: str,
    chunks: Sequence[Chunk],
    keep: Sequence[Chunk],
    llm: LLM,
    *,
    random_seed: int,
    language: str,
    code: bool,
) -> tuple[Prompt, str, int]:
    """The prompt, what a reader of `chunks` answers, and how many it was shown.

    Those not in `keep` are left out, last first, for room.
    """
    chunks = list(chunks)
    prompt = _reading(question, chunks)
    while len(chunks) > len(keep) and llm.room(prompt) < ANSWER_TOKENS:
        weakest = next(i for i in reversed(range(len(chunks))) if chunks[i] not in keep)
        del chunks[weakest]
        prompt = _reading(question, chunks)
    grammar = prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE
    completion = llm.complete(prompt, grammar=grammar, seed=random_seed, max_tokens=ANSWER_TOKENS)
    return prompt, tidy(completion.text, cut=completion.finish == "length", language=language), len(chunks)


def _reading(question: str, chunks: Sequence[Chunk]) -> Prompt:
    return prompts.read(question, [(prompts.place(chunk), chunk.text) for chunk in chunks])

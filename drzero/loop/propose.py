"""Seed → Draft, answer first: the writer words a question for words of the archive, and answers it from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from drzero.loop import prompts
from drzero.loop.drafts import Draft, aspects_of
from drzero.loop.gates.answers import answer_fault
from drzero.loop.gates.signals import signal_fault
from drzero.loop.gates.wording import question_fault
from drzero.loop.seeds import Seed
from drzero.loop.solve import ANSWER_TOKENS, tidy
from drzero.profiles import ChallengeType
from drzero.types import LLM, Chunk, EntailmentModel

QUESTION_TOKENS = 48


@dataclass(frozen=True, slots=True)
class Source:
    """What a question is to be made of: sentences of one or several chunks, and the words of them that answer."""

    chunks: tuple[Chunk, ...]
    sentences: tuple[str, ...]
    span: str


def source_of(seed: Seed) -> Source:
    """A seed as the source of a question."""
    return Source((seed.chunk,), (seed.sentence,), seed.answer)


def propose(
    source: Source,
    kind: ChallengeType,
    llm: LLM,
    entailment: EntailmentModel,
    *,
    known: Sequence[str],
    min_support: float,
    random_seed: int = 0,
    temperature: float = 0.0,
    language: str = "en",
    code: bool = False,
) -> tuple[Draft, str]:
    """Write a question for the source's answer span and let the writer answer it from the source sentences alone.

    Returns the draft and the name of the gate that refused it, "" if none did. The round trip must come back to the
    span. `known` are earlier questions, `min_support` the probability in [0,1] with which the source must support the
    answer. Cheap gates come first.
    """
    draft = write_question(source, kind, llm, random_seed=random_seed, temperature=temperature, code=code)
    if refusal := question_fault(draft, kind, known, code=code):
        return draft, refusal
    draft = write_answer(draft, llm, random_seed=random_seed, language=language, code=code)
    if refusal := answer_fault(draft, language=language):
        return draft, refusal
    probability = entailment.entail([(premise(draft), draft.answer)])[0]
    if not probability >= min_support:
        return draft, "source-does-not-support"
    return draft, signal_fault(draft, llm, probability)


def write_question(
    source: Source, kind: ChallengeType, llm: LLM, *, random_seed: int = 0, temperature: float = 0.0, code: bool = False
) -> Draft:
    """The draft of a question for the source's span, without an answer yet."""
    asked = llm.complete(
        prompts.ask(kind, _places(source.chunks), " ".join(source.sentences), source.span),
        grammar=prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE,
        seed=random_seed,
        max_tokens=QUESTION_TOKENS,
        temperature=temperature,
    )
    evidence = " ".join(source.sentences)
    return Draft(
        question=" ".join(asked.text.split()).strip("\"'"),
        answer="",
        kind=kind.name,
        gold=source.chunks,
        evidence=source.sentences,
        span=source.span,
        aspects=aspects_of(source.span, evidence) if source.span not in source.sentences else (),
    )


def write_answer(draft: Draft, llm: LLM, *, random_seed: int = 0, language: str = "en", code: bool = False) -> Draft:
    """The draft with the answer that the writer reads from the source sentences alone."""
    passages = [(prompts.place(chunk), text) for chunk, text in zip(draft.gold, draft.evidence, strict=True)]
    read = llm.complete(
        prompts.read(draft.question, passages),
        grammar=prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE,
        seed=random_seed,
        max_tokens=ANSWER_TOKENS,
    )
    return replace(draft, answer=tidy(read.text, cut=read.finish == "length", language=language))


def premise(draft: Draft) -> str:
    """What the judge is shown of a draft's source: each sentence with where it stands."""
    pairs = zip(draft.gold, draft.evidence, strict=True)
    return " ".join(f"{prompts.place(chunk)}: {sentence}" for chunk, sentence in pairs)


def _places(chunks: Sequence[Chunk]) -> str:
    return "; ".join(dict.fromkeys(prompts.place(chunk) for chunk in chunks))

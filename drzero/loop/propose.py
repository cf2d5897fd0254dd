"""Seed → Draft, answer first: the writer words a question for words of the archive, and answers it from them."""

from __future__ import annotations

from collections.abc import Sequence

from drzero.loop import prompts
from drzero.loop.drafts import Draft, aspects_of
from drzero.loop.gates import answer_fault, question_fault
from drzero.loop.seeds import Seed
from drzero.loop.solve import ANSWER_TOKENS, tidy
from drzero.profiles import ChallengeType
from drzero.types import LLM, EntailmentModel

QUESTION_TOKENS = 48


def propose(
    seed: Seed,
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
    """Write a question for the seed's answer span and let the writer answer it from the source sentence alone.

    Returns the draft and the name of the gate that refused it, "" if none did. The round trip must come back to the
    span. `known` are earlier questions, `min_support` the probability in [0,1] with which the source sentence must
    support the answer. Cheap gates come first.
    """
    place = prompts.place(seed.chunk)
    grammar = prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE
    asked = llm.complete(
        prompts.ask(kind, place, seed.sentence, seed.answer),
        grammar=grammar,
        seed=random_seed,
        max_tokens=QUESTION_TOKENS,
        temperature=temperature,
    )
    question = " ".join(asked.text.split()).strip("\"'")
    refusal = f"output-{asked.fault}" if asked.fault else question_fault(question, seed, kind, known)
    if refusal:
        return _draft(seed, kind, question, ""), refusal

    reading = prompts.read(question, [(place, seed.sentence)])
    read = llm.complete(reading, grammar=grammar, seed=random_seed, max_tokens=ANSWER_TOKENS)
    answer = tidy(read.text, cut=read.finish == "length", language=language)
    refusal = f"output-{read.fault}" if read.fault else answer_fault(question, answer, seed, kind)
    if not refusal:
        probability = entailment.entail([(f"{place}: {seed.sentence}", answer)])[0]
        refusal = "" if probability >= min_support else "source-does-not-support"
    return _draft(seed, kind, question, answer), refusal


def _draft(seed: Seed, kind: ChallengeType, question: str, answer: str) -> Draft:
    return Draft(
        question=question,
        answer=answer,
        kind=kind.name,
        gold=(seed.chunk,),
        evidence=(seed.sentence,),
        span=seed.answer,
        aspects=aspects_of(seed.answer, seed.sentence),
    )

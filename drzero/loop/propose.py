"""Seed → Draft, answer first: the writer words a question for words of the archive, and answers it from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from drzero.loop import facts, prompts
from drzero.loop.desk import Desk
from drzero.loop.drafts import Draft, aspects_of
from drzero.loop.gates.answers import answer_fault
from drzero.loop.gates.flow import near_copy
from drzero.loop.gates.signals import signal_fault
from drzero.loop.gates.wording import question_fault
from drzero.loop.hops import composed, describe, find_hops
from drzero.loop.seeds import Seed, find_seeds, tries_of
from drzero.loop.solve import ANSWER_TOKENS, tidy
from drzero.profiles import ChallengeType
from drzero.types import LLM, Chunk

QUESTION_TOKENS = 48
MULTI_HOP = "multi-hop"
MAX_NAME_WORDS = 4
_SAYS_NOTHING = re.compile(
    r"(?:descriptions?|introduction|overview|general|examples?|usage|notes?|details?|summary|about|other|miscellaneous)",
    re.IGNORECASE,
)
LATER_TEMPERATURE = 0.7  # of a second wording for the same words


def proposals(desk: Desk, kind: ChallengeType, chunk: Chunk) -> Iterator[tuple[Draft, str]]:
    """What the writer proposes for a chunk: drafts with the name of the gate that refused each, "" if none did.

    A question over two articles starts from what `desk.linked` gives; of any other type another span of the same
    sentence, or another wording for the same, is tried after the first. None when the chunk offers nothing.
    """
    if kind.name == MULTI_HOP:
        yield from _hops(desk, kind, chunk)
        return
    seeds = find_seeds(chunk, kind, language=desk.language, docs=desk.code)
    asked: set[tuple[str, str]] = set()
    worded: set[str] = set()
    for seed in tries_of(seeds):
        again = (seed.sentence, seed.answer) in asked
        asked.add((seed.sentence, seed.answer))
        draft = write_question(
            seed,
            kind,
            desk.llm,
            random_seed=desk.draw_seed(),
            temperature=LATER_TEMPERATURE if again else 0.0,
            code=desk.code,
            variant=desk.variant("ask"),
            examples=desk.examples("ask", seed.sentence, kind=kind.name, near=(chunk,)),
        )
        if draft.question not in worded:
            worded.add(draft.question)
            yield examined(desk, draft, kind)


def offers(desk: Desk, kind: ChallengeType, chunk: Chunk) -> bool:
    """Whether the writer may have something to propose for a chunk, as far as the chunk alone tells."""
    if kind.name == MULTI_HOP:
        return not chunk.mark
    return bool(find_seeds(chunk, kind, language=desk.language, docs=desk.code))


def _hops(desk: Desk, kind: ChallengeType, chunk: Chunk) -> Iterator[tuple[Draft, str]]:
    """At most one draft: the question of the far article, with its subject said by what the near one says of it."""
    factual = next((one for one in desk.slot.profile.types if one.name == "factual"), kind)
    linked = () if chunk.mark else desk.linked(chunk)
    for hop in find_hops(chunk, linked, factual, language=desk.language):
        description = describe(hop, desk.llm, random_seed=desk.draw_seed())
        asked = write_question(hop.seed, factual, desk.llm, random_seed=desk.draw_seed(), code=desk.code)
        draft = composed(asked, hop, description) if description else None
        if draft is None:
            yield replace(asked, kind=kind.name), "names-no-bridge"
        else:
            yield examined(desk, replace(draft, kind=kind.name), kind)
        return


def examined(desk: Desk, draft: Draft, kind: ChallengeType) -> tuple[Draft, str]:
    """A draft with the writer's answer, and the first gate that refuses it: of wording, round trip and judgement.

    The round trip must come back to the span; the source must support the answer. Cheap gates come first.
    """
    refusal = output_fault(draft) or question_fault(draft, kind, code=desk.code) or near_copy(desk, draft.question)
    if refusal:
        return draft, refusal
    draft = write_answer(draft, desk.llm, random_seed=desk.draw_seed(), language=desk.language, code=desk.code)
    if refusal := output_fault(draft) or answer_fault(draft, language=desk.language, code=desk.code):
        return draft, refusal
    support = desk.entailment.entail([(premise(draft), draft.answer)])[0]
    if not support >= desk.options.min_source_support:
        return draft, "source-does-not-support"
    return draft, signal_fault(draft, desk.llm, support)


def output_fault(draft: Draft) -> str:
    """The refusal of a draft whose words the writer's output could not be, "" where it could."""
    return f"output-{draft.output_fault}" if draft.output_fault else ""


def write_question(
    seed: Seed,
    kind: ChallengeType,
    llm: LLM,
    *,
    random_seed: int = 0,
    temperature: float = 0.0,
    code: bool = False,
    variant: str = "",
    examples: Sequence[prompts.Shown] = (),
) -> Draft:
    """The draft of a question for the seed's span, without an answer yet.

    `variant` is the wording of the prompt, `examples` what it shows of other sentences.
    """
    asked = llm.complete(
        prompts.ask(kind, _asked_place(seed.chunk), seed.sentence, seed.answer, variant=variant, examples=examples),
        grammar=prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE,
        seed=random_seed,
        max_tokens=QUESTION_TOKENS,
        temperature=temperature,
    )
    return Draft(
        question=in_full(" ".join(asked.text.split()).strip("\"'"), seed.chunk),
        answer="",
        kind=kind.name,
        gold=(seed.chunk,),
        evidence=(seed.sentence,),
        span=seed.answer,
        aspects=aspects_of(seed.answer, seed.sentence),
        output_fault=asked.fault,
    )


def _asked_place(chunk: Chunk) -> str:
    """Where a sentence stands, without a heading that says nothing: small writers ask for "the description of" it."""
    return chunk.title if chunk.heading and _SAYS_NOTHING.fullmatch(chunk.heading[-1]) else prompts.place(chunk)


def in_full(question: str, chunk: Chunk) -> str:
    """The question with a surname that stands alone in it made the whole name, where the chunk has just one such name.

    "When did Charles sign?" of an article "Ray Charles" asks when Ray Charles signed. Names of two to four words count,
    of title and text.
    """
    known = facts.read_names(f"{chunk.title.partition(' (')[0]}. {chunk.text}")
    whole = {str(name) for name in known if 2 <= len(name.words) <= MAX_NAME_WORDS}
    for name in reversed(facts.read_names(question)):
        if len(name.words) > 1 or name.words[0] in chunk.title.split()[:1]:
            continue
        fuller = {one for one in whole if one.split()[-1] == name.words[0]}
        if len(fuller) == 1:
            question = question[: name.start] + fuller.pop() + question[name.start + len(name.words[0]) :]
    return question


def write_answer(draft: Draft, llm: LLM, *, random_seed: int = 0, language: str = "en", code: bool = False) -> Draft:
    """The draft with the answer that the writer reads from the source sentences alone."""
    passages = [(prompts.place(chunk), text) for chunk, text in zip(draft.gold, draft.evidence, strict=True)]
    read = llm.complete(
        prompts.read(draft.question, passages),
        grammar=prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE,
        seed=random_seed,
        max_tokens=ANSWER_TOKENS,
    )
    answer = tidy(read.text, cut=read.finish == "length", language=language)
    return replace(draft, answer=answer, output_fault=read.fault)


def premise(draft: Draft) -> str:
    """What the judge is shown of a draft's source: each sentence with where it stands."""
    pairs = zip(draft.gold, draft.evidence, strict=True)
    return " ".join(f"{prompts.place(chunk)}: {sentence}" for chunk, sentence in pairs)

"""Question → Answer with citations, from retrieved passages only: no reference, no gold chunks, no paths."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from drzero.errors import SettingsError
from drzero.loop import facts, prompts
from drzero.loop.citing import cite
from drzero.loop.queries import Gathered
from drzero.text import said
from drzero.types import LLM, Answer, Claim, Passage, Prompt

ANSWER_TOKENS = 96
MAX_CLAIMS = 3
RELEVANCE_FLOOR = 0.34  # share of a question's content words that a passage must have to be worth reading
_SPARE_TOKENS = 8  # an answer put back into a prompt may take a few tokens more than it took to write


@dataclass(frozen=True, slots=True)
class Solution:
    """An answer with what led to it: `passages` as numbered for the writer, `steps` model calls and searches."""

    answer: Answer
    passages: tuple[Passage, ...]
    queries: tuple[str, ...]
    steps: int
    raw: str
    well_formed: bool
    dropped: int = 0  # passages worth reading that the writer's context had no room for
    fault: str = (
        ""  # of the writer's output, as `output_faults.output_fault` names it: then the answer is an abstention
    )


def suitable(gathered: Gathered) -> list[Passage]:
    """The passages that are worth reading: what has too few words of what it was found for is no evidence.

    The first is kept all the same where the question names its title: a row "Largestcity: Anchorage" has few words.
    None is left where the archives do not speak of the question: then there is nothing to answer from.
    """
    pairs = zip(gathered.passages, gathered.sought, strict=True)
    return [
        passage
        for at, (passage, sought) in enumerate(pairs)
        if relevance(sought, passage) >= RELEVANCE_FLOOR or (at == 0 and _names_title(sought, passage.chunk.title))
    ]


def _names_title(question: str, title: str) -> bool:
    """Whether a question has a title as it stands, with a capital, brackets aside, and not as its first word."""
    name = title.partition(" (")[0].strip()
    return name[:1].isupper() and re.search(rf"(?<=\W){re.escape(name)}(?!\w)", question) is not None


def relevance(question: str, passage: Passage) -> float:
    """The share of the question's content words that a passage has, place included. In [0,1]."""
    chunk = passage.chunk
    return facts.cover(question, " ".join((chunk.title, *chunk.heading, chunk.text)))


def pack(
    question: str,
    passages: Sequence[Passage],
    llm: LLM,
    *,
    most: int,
    variant: str = "",
    examples: Sequence[prompts.Shown] = (),
) -> list[Passage]:
    """The best passages, `most` at most, that fit the writer's context with room for the answer and for a word on it.

    Tokens are the writer's own, template included. The weakest is dropped first, and one that alone is too long is
    passed over. Raises SettingsError when none fits.
    """
    fits = partial(_fits, question, llm=llm, variant=variant, examples=examples)
    kept = list(passages[:most])
    if kept and not fits(kept):
        kept = []
        for passage in passages[:most]:
            if fits([*kept, passage]):
                kept.append(passage)
    if passages and not kept:
        raise SettingsError("The writer's context has no room for a single passage: raise models.context_tokens.")
    return kept


def _fits(
    question: str, passages: Sequence[Passage], *, llm: LLM, variant: str, examples: Sequence[prompts.Shown]
) -> bool:
    """Whether the writer can read these, answer, and be asked about its answer."""
    asked = prompts.sure(_reading(question, passages, variant, examples), "")
    return llm.room(asked) >= ANSWER_TOKENS + _SPARE_TOKENS


def solve(
    question: str,
    passages: Sequence[Passage],
    llm: LLM,
    *,
    seed: int = 0,
    temperature: float = 0.0,
    most: int = 5,
    language: str = "en",
    code: bool = False,
    queries: tuple[str, ...] = (),
    variant: str = "",
    examples: Sequence[prompts.Shown] = (),
) -> Solution:
    """Answer `question` from `passages`; the citations of each claim are found by `cite`, not by the writer.

    `variant` is the wording of the prompt, `examples` what it shows of others; neither is evidence.
    """
    given = pack(question, passages, llm, most=most, variant=variant, examples=examples)
    dropped = min(len(passages), most) - len(given)
    if not given:
        return Solution(Answer("", (), 0.0, abstained=True), (), queries, len(queries), "", True, dropped)
    prompt = _reading(question, given, variant, examples)
    grammar = prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE
    completion = llm.complete(prompt, grammar=grammar, seed=seed, max_tokens=ANSWER_TOKENS, temperature=temperature)
    text = tidy(completion.text, cut=completion.finish == "length", language=language)
    well_formed = completion.finish == "stop" and text == completion.text.strip()
    text = in_its_case(text, question)
    if completion.fault or is_abstention(text):
        answer, steps = Answer("", (), 0.0, abstained=True), len(queries) + 1
        return Solution(answer, tuple(given), queries, steps, completion.text, well_formed, dropped, completion.fault)
    confidence = _probability(llm.yes_no(prompts.sure(prompt, text)))
    claims = tuple(
        Claim(text[start:end], cite(text[start:end], given, language=language))
        for start, end in said(text, language)  # more than MAX_CLAIMS where joining them made new ends
    )
    answer = Answer(text, claims, confidence)
    return Solution(answer, tuple(given), queries, len(queries) + 2, completion.text, well_formed, dropped)


def _probability(log_odds: float) -> float:
    """The probability of log-odds; 0.0 for what is no number: a writer that cannot say is not sure."""
    return 0.5 * (1 + math.tanh(0.5 * log_odds)) if not math.isnan(log_odds) else 0.0


def _reading(question: str, passages: Sequence[Passage], variant: str, examples: Sequence[prompts.Shown]) -> Prompt:
    given = [(prompts.place(passage.chunk), passage.chunk.text) for passage in passages]
    return prompts.read(question, given, variant=variant, examples=examples)


def tidy(text: str, *, cut: bool = False, language: str = "en") -> str:
    """A completion as whole sentences on one line: an unfinished last sentence is dropped when the model was cut."""
    line = " ".join(text.split())
    spans = said(line, language)
    if cut and spans and line[spans[-1][1] - 1] not in ".!?":
        spans.pop()
    kept = spans[:MAX_CLAIMS]
    return line[kept[0][0] : kept[-1][1]] if kept else ""  # not joined anew: a.B is no two sentences


def in_its_case(text: str, question: str) -> str:
    """`text` with a code name of the question at its beginning as the question has it, without a sentence's capital."""
    for name in sorted(facts.identifiers(question), key=len, reverse=True):
        if name[0].islower() and text.startswith(name[0].upper() + name[1:]):
            return name[0] + text[1:]
    return text


def is_abstention(text: str) -> bool:
    """Whether the writer said that the passages do not answer."""
    return not text or text.casefold().lstrip(" \"'").startswith(prompts.NOT_FOUND.rstrip(".").casefold())


def shelf_names(passages: Sequence[Passage], *, code: bool) -> str:
    """What documentation is about as a whole: the names of its indexes; "" for an encyclopedia."""
    return " ".join(sorted({passage.index for passage in passages})) if code else ""


def recall(question: str, llm: LLM, *, seed: int = 0, language: str = "en") -> str:
    """The writer's answer without evidence, "" when it abstains."""
    completion = llm.complete(prompts.recall(question), grammar=prompts.ONE_LINE, seed=seed, max_tokens=64)
    text = tidy(completion.text, cut=completion.finish == "length", language=language)
    return "" if completion.fault or is_abstention(text) else text

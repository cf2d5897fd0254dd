"""Question → Answer with citations, from retrieved passages only: no reference, no gold chunks, no paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drzero.errors import SettingsError
from drzero.loop import facts, prompts
from drzero.text import sentences
from drzero.types import LLM, Answer, Citation, Claim, Passage, Prompt

ANSWER_TOKENS = 96
MAX_CLAIMS = 3
_NEIGHBOUR_GAIN = 0.15  # how much more of a claim a second sentence must cover to be quoted as well

Retrieve = Callable[[str, int], list[Passage]]


@dataclass(frozen=True, slots=True)
class Solution:
    """An answer with what led to it: `passages` as numbered for the writer, `steps` model calls and searches."""

    answer: Answer
    passages: tuple[Passage, ...]
    queries: tuple[str, ...]
    steps: int
    raw: str
    well_formed: bool
    dropped: int = 0  # passages retrieved but left out for want of room


def gather(question: str, retrieve: Retrieve, *, k: int, searches: int = 1) -> tuple[list[Passage], tuple[str, ...]]:
    """Passages for a question and the queries asked: the question itself, then its names and content words.

    Later searches add what earlier ones did not find; ranks are given anew.
    """
    queries = [question]
    named = " ".join(dict.fromkeys(facts.names(question)))
    queries += [query for query in (named, " ".join(facts.content_stems(question))) if query]
    queries = list(dict.fromkeys(queries))[:searches]
    found: dict[str, Passage] = {}
    for query in queries:
        for passage in retrieve(query, k):
            found.setdefault(passage.chunk.id, passage)
    return list(found.values()), tuple(queries)


def pack(question: str, passages: Sequence[Passage], llm: LLM, *, most: int) -> list[Passage]:
    """The best passages that fit the writer's context with room for the answer; the weakest are dropped first.

    Raises SettingsError when not even the first fits.
    """
    kept = list(passages[:most])
    while kept and llm.room(_reading(question, kept)) < ANSWER_TOKENS:
        kept.pop()
    if passages and not kept:
        raise SettingsError("The writer's context has no room for a single passage: raise models.context_tokens.")
    return kept


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
) -> Solution:
    """Answer `question` from `passages`; the citation of each claim is found by `cite`, not by the writer."""
    given = pack(question, passages, llm, most=most)
    dropped = len(passages) - len(given)
    if not given:
        return Solution(Answer("", (), 0.0, abstained=True), (), queries, len(queries), "", True, dropped)
    prompt = _reading(question, given)
    grammar = prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE
    completion = llm.complete(prompt, grammar=grammar, seed=seed, max_tokens=ANSWER_TOKENS, temperature=temperature)
    text = tidy(completion.text, cut=completion.finish == "length", language=language)
    well_formed = completion.finish == "stop" and text == completion.text.strip()
    if is_abstention(text):
        answer = Answer("", (), 0.0, abstained=True)
        return Solution(answer, tuple(given), queries, len(queries) + 1, completion.text, well_formed, dropped)
    confidence = 1 / (1 + math.exp(-llm.yes_no(prompts.sure(prompt, text))))
    claims = tuple(
        Claim(text[start:end], cite(text[start:end], given, language=language))
        for start, end in sentences(text, language)  # more than MAX_CLAIMS where joining them made new ends
    )
    answer = Answer(text, claims, confidence)
    return Solution(answer, tuple(given), queries, len(queries) + 2, completion.text, well_formed, dropped)


def _reading(question: str, passages: Sequence[Passage]) -> Prompt:
    return prompts.read(question, [(prompts.place(passage.chunk), passage.chunk.text) for passage in passages])


def tidy(text: str, *, cut: bool = False, language: str = "en") -> str:
    """A completion as whole sentences on one line: an unfinished last sentence is dropped when the model was cut."""
    line = " ".join(text.split())
    spans = sentences(line, language)
    if cut and spans and line[spans[-1][1] - 1] not in ".!?":
        spans.pop()
    kept = spans[:MAX_CLAIMS]
    return line[kept[0][0] : kept[-1][1]] if kept else ""  # not joined anew: a.B is no two sentences


def is_abstention(text: str) -> bool:
    """Whether the writer said that the passages do not answer."""
    return not text or text.casefold().lstrip(" \"'").startswith(prompts.NOT_FOUND.rstrip(".").casefold())


def cite(claim: str, passages: Sequence[Passage], *, language: str = "en") -> tuple[Citation, ...]:
    """The place in the passages that covers the claim best, by content words: one sentence, or two that stand together.

    Among equals the better-ranked passage wins. Empty when no sentence shares a content word with the claim.
    """
    best: tuple[float, int, int, int] | None = None  # (cover, passage, start, end)
    for number, passage in enumerate(passages):
        chunk = passage.chunk
        title = " ".join((chunk.title, *chunk.heading))
        about = facts.cover(claim, title)
        spans = sentences(chunk.text, language)
        for i, (start, end) in enumerate(spans):
            alone = facts.cover(claim, f"{title} {chunk.text[start:end]}")
            own = facts.cover(claim, chunk.text[start:end])
            if own == 0 or (own <= about and alone <= about):
                continue
            if best is None or alone > best[0] + 1e-9:
                best = (alone, number, start, end)
            if i + 1 < len(spans):
                both = facts.cover(claim, f"{title} {chunk.text[start : spans[i + 1][1]]}")
                if both > best[0] + _NEIGHBOUR_GAIN and both > alone + _NEIGHBOUR_GAIN:
                    best = (both - _NEIGHBOUR_GAIN, number, start, spans[i + 1][1])
    if best is None:
        return ()
    _, number, start, end = best
    chunk = passages[number].chunk
    return (
        Citation(
            n=number + 1,
            index=passages[number].index,
            zim_id=chunk.zim_id,
            path=chunk.path,
            title=chunk.title,
            heading=chunk.heading,
            chunk_id=chunk.id,
            quote=chunk.text[start:end],
            start=chunk.start + start,
            end=chunk.start + end,
        ),
    )


def shelf_names(passages: Sequence[Passage], *, code: bool) -> str:
    """What documentation is about as a whole: the names of its indexes; "" for an encyclopedia."""
    return " ".join(sorted({passage.index for passage in passages})) if code else ""


def recall(question: str, llm: LLM, *, seed: int = 0, language: str = "en") -> str:
    """The writer's answer without evidence, "" when it abstains."""
    completion = llm.complete(prompts.recall(question), grammar=prompts.ONE_LINE, seed=seed, max_tokens=64)
    text = tidy(completion.text, cut=completion.finish == "length", language=language)
    return "" if is_abstention(text) else text

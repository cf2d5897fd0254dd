"""The gates that a proposal must pass, cheap ones first. Every gate fails closed and has a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from drzero.loop import facts, prompts
from drzero.loop.agreement import MIN_AGREEMENT, agrees, new_stems
from drzero.loop.drafts import Draft, aspects_of
from drzero.loop.novelty import NEAR_COPY, similarity
from drzero.loop.seeds import Seed, unnamed_subject
from drzero.loop.solve import ANSWER_TOKENS, is_abstention, tidy
from drzero.profiles import ChallengeType
from drzero.text import words
from drzero.types import LLM, Chunk

MIN_QUESTION_WORDS, MAX_QUESTION_WORDS = 5, 40
_LEANS = re.compile(
    r"\b(?:passage|text|article|sentence|paragraph|excerpt|source|author|document|according to|mentioned|described here"
    r"|stated|above|below|following|given)\b",
    re.IGNORECASE,
)
_UNRESOLVED = re.compile(
    r"\b(?:he|she|it|they|him|them|his|hers|its|their|theirs|this|these|those|that (?:\w+)\?)\b", re.IGNORECASE
)
_PASSIVE = re.compile(r"\b(?:was|were|is|are|been)\b.*?\b(?P<verb>\w+(?:ed|en|n|t|ght)) by\b")
_BE = re.compile(r"\b(?:was|were|is|are|been|be|being)(?: \w+ly)? $")
_COUNT_QUESTION = re.compile(
    r"^(?:how (?:many|much|long|tall|high|far|old|large)|what (?:percentage|number|proportion))", re.I
)


def question_fault(question: str, seed: Seed, kind: ChallengeType, known: Sequence[str]) -> str:
    """The first gate that refuses the question, "" when none does."""
    count = len(words(question))
    if not question.endswith("?") or question.count("?") != 1 or not MIN_QUESTION_WORDS <= count <= MAX_QUESTION_WORDS:
        return "malformed"
    if not kind.opens(question):
        return "wrong-type"
    if _LEANS.search(question):
        return "leans-on-passage"
    pronoun = _UNRESOLVED.search(question)
    if pronoun and not facts.names(question[: pronoun.start()]):
        return "unresolved-reference"
    if unnamed_subject(question, seed.chunk.title):
        return "unresolved-reference"
    if not names_its_subject(question, seed.chunk):
        return "names-no-subject"
    if roles_swapped(question, seed.sentence):
        return "roles-swapped"
    if not set(new_stems(seed.answer, question)):
        return "answer-in-question"
    if _COUNT_QUESTION.match(question) and not facts.numbers(seed.answer):
        return "wrong-type"
    if facts.cover(question, f"{prompts.place(seed.chunk)} {seed.sentence}") < 0.6:
        return "strays-from-source"
    if any(similarity(question, other) >= NEAR_COPY for other in known):
        return "near-copy"
    return ""


def answer_fault(question: str, answer: str, seed: Seed, kind: ChallengeType) -> str:
    """The first gate that refuses the answer that the writer gave from the source sentence, "" when none does."""
    if is_abstention(answer):
        return "not-answered-by-source"
    around = f"{prompts.place(seed.chunk)} {seed.sentence}"
    if seed.answer != seed.sentence and not agrees(
        answer, seed.answer, question, aspects_of(seed.answer, seed.sentence)
    ):
        return "answer-misses-span"
    if facts.missing_numbers(answer, around) or facts.missing_names(answer, f"{around} {question}"):
        return "answer-adds-facts"
    if facts.cover(answer, f"{around} {question}") < 0.75:
        return "answer-adds-words"
    if facts.denies(answer, seed.sentence):
        return "negation"
    new = new_stems(answer, question)
    if not new or (kind.name == "causal" and len(set(new)) < 3):
        return "answer-repeats-question"
    return ""


def roles_swapped(question: str, sentence: str) -> bool:
    """Whether the question says "was A replaced by B" where the sentence says "A replaced B"."""
    for passive in _PASSIVE.finditer(question):
        verb = re.search(rf"\b{re.escape(passive['verb'])}\b(?! by\b)", sentence)
        if verb is None or _BE.search(sentence[: verb.start()]):
            continue
        subject = facts.content_stems(question[: passive.start("verb")])
        before = set(facts.content_stems(sentence[: verb.start()]))
        if subject and facts.share(subject, before) >= MIN_AGREEMENT:
            return True
    return False


def names_its_subject(question: str, chunk: Chunk) -> bool:
    """Whether the question can be understood alone: it names something, or uses a word of the article's title.

    In documentation the subject is often a heading that is a code name, such as `json.dumps`.
    """
    code = [heading for heading in chunk.heading[-1:] if facts.identifiers(heading)]
    subject = set(facts.content_stems(" ".join((chunk.title, *code))))
    return bool(facts.names(question) or facts.identifiers(question) or subject & set(facts.content_stems(question)))


def answerable(
    draft: Draft,
    distractors: Sequence[Chunk],
    llm: LLM,
    *,
    order: Callable[[list[Chunk]], None],
    random_seed: int = 0,
    language: str = "en",
    code: bool = False,
) -> bool:
    """The evidence-only gate: does a reader who is given just these chunks answer as the reference does?

    `order` shuffles gold and distractors in place, so that the evidence does not always come first.
    """
    chunks = [*draft.gold, *distractors]
    order(chunks)
    passages = [(prompts.place(chunk), chunk.text) for chunk in chunks]
    prompt = prompts.read(draft.question, passages)
    while len(passages) > len(draft.gold) and llm.room(prompt) < ANSWER_TOKENS:
        weakest = next(i for i in reversed(range(len(chunks))) if chunks[i] not in draft.gold)
        del chunks[weakest], passages[weakest]
        prompt = prompts.read(draft.question, passages)
    completion = llm.complete(
        prompt,
        grammar=prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE,
        seed=random_seed,
        max_tokens=ANSWER_TOKENS,
    )
    text = tidy(completion.text, cut=completion.finish == "length", language=language)
    return not is_abstention(text) and agrees(text, draft.answer, draft.question, draft.aspects)

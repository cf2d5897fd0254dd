"""Seeds → Challenge, answer first, and the gates a proposal must pass. Every gate fails closed and has a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drzero.loop import facts, prompts
from drzero.loop.seeds import Seed, unnamed_subject
from drzero.loop.solve import ANSWER_TOKENS, is_abstention, tidy
from drzero.profiles import ChallengeType
from drzero.text import content_id, words
from drzero.types import LLM, Challenge, Chunk, EntailmentModel

QUESTION_TOKENS = 48
MIN_QUESTION_WORDS, MAX_QUESTION_WORDS = 5, 40
NEAR_COPY = 0.75  # similarity from which a question counts as asked before
MIN_AGREEMENT = 0.6  # share of what the reference adds to the question that an answer must have
NAME_WORDS = 3  # an aspect of so few words must be in an answer whole
_LEANS = re.compile(
    r"\b(?:passage|text|article|sentence|paragraph|excerpt|source|author|document|according to|mentioned|described here"
    r"|stated|above|below|following|given)\b",
    re.IGNORECASE,
)
_UNRESOLVED = re.compile(
    r"\b(?:he|she|it|they|him|them|his|hers|its|their|theirs|this|these|those|that (?:\w+)\?)\b", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_PASSIVE = re.compile(r"\b(?:was|were|is|are|been)\b.*?\b(?P<verb>\w+(?:ed|en|n|t|ght)) by\b")
_BE = re.compile(r"\b(?:was|were|is|are|been|be|being)(?: \w+ly)? $")
_COUNT_QUESTION = re.compile(
    r"^(?:how (?:many|much|long|tall|high|far|old|large)|what (?:percentage|number|proportion))", re.I
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question on its way through the gates; `refusal` is the name of the gate that stopped it, "" if none has."""

    seed: Seed
    question: str
    answer: str
    refusal: str
    raw: tuple[str, ...]  # what the writer returned, call by call


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
) -> Proposal:
    """Write a question for the seed's answer span and let the writer answer it from the source sentence alone.

    The round trip must come back to the span. `known` are earlier questions, `min_support` the probability in [0,1]
    with which the source sentence must support the answer. Cheap gates come first.
    """
    chunk, raw = seed.chunk, []
    completion = llm.complete(
        prompts.ask(kind, prompts.place(chunk), seed.sentence, seed.answer),
        grammar=prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE,
        seed=random_seed,
        max_tokens=QUESTION_TOKENS,
        temperature=temperature,
    )
    raw.append(completion.text)
    question = " ".join(completion.text.split()).strip("\"'")
    refusal = question_fault(question, seed, kind, known)
    if refusal:
        return Proposal(seed, question, "", refusal, tuple(raw))

    completion = llm.complete(
        prompts.read(question, [(prompts.place(chunk), seed.sentence)]),
        grammar=prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE,
        seed=random_seed,
        max_tokens=ANSWER_TOKENS,
    )
    raw.append(completion.text)
    answer = tidy(completion.text, cut=completion.finish == "length", language=language)
    refusal = answer_fault(question, answer, seed, kind)
    if not refusal:
        probability = entailment.entail([(f"{prompts.place(chunk)}: {seed.sentence}", answer)])[0]
        refusal = "" if probability >= min_support else "source-does-not-support"
    return Proposal(seed, question, answer, refusal, tuple(raw))


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
    if seed.answer != seed.sentence and not agrees(answer, seed.answer, question, aspects(seed)):
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


def new_stems(answer: str, question: str) -> list[str]:
    """Content stems that an answer adds to its question."""
    asked = set(facts.content_stems(question))
    return [word for word in facts.content_stems(answer) if word not in asked]


def agrees(answer: str, reference: str, question: str, aspects: Sequence[str] = ()) -> bool:
    """Whether an answer says what the reference adds to the question.

    With expected `aspects` it must have each of them; without, `MIN_AGREEMENT` of the reference's new content words and
    all its new numbers. Always False when the reference adds nothing, or when one denies what the other says.
    """
    if facts.denies(answer, reference):
        return False
    if aspects:
        return all(_has(answer, aspect) for aspect in aspects)
    if facts.numbers(reference) - facts.numbers(question) - facts.numbers(answer):
        return False
    wanted = new_stems(reference, question)
    have = set(facts.content_stems(answer))
    return bool(wanted) and facts.share(wanted, have) >= MIN_AGREEMENT


def _has(answer: str, aspect: str) -> bool:
    """Whether an answer has a name or number whole, or most of the words of anything else."""
    said = {facts.stem(word) for word in words(answer)}
    wanted = [facts.stem(word) for word in words(aspect)]
    if len(wanted) <= NAME_WORDS:
        return said.issuperset(wanted)
    return facts.cover(aspect, answer) >= MIN_AGREEMENT


def similarity(one: str, other: str) -> float:
    """How much two questions are alike, in [0,1]: the Jaccard similarity of their content stems, in any order.

    Questions that ask differently ("when" for "where") of the same things count only half as alike.
    """
    ours, theirs = set(facts.content_stems(one)), set(facts.content_stems(other))
    union = len(ours | theirs)
    alike = len(ours & theirs) / union if union else 1.0
    return alike if words(one)[:1] == words(other)[:1] else alike / 2


def answerable(
    proposal: Proposal,
    gold: Sequence[Chunk],
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
    question = proposal.question
    chunks = [*gold, *distractors]
    order(chunks)
    passages = [(prompts.place(chunk), chunk.text) for chunk in chunks]
    prompt = prompts.read(question, passages)
    while len(passages) > len(gold) and llm.room(prompt) < ANSWER_TOKENS:
        weakest = next(i for i in reversed(range(len(chunks))) if chunks[i] not in gold)
        del chunks[weakest], passages[weakest]
        prompt = prompts.read(question, passages)
    completion = llm.complete(
        prompt,
        grammar=prompts.ONE_LINE_OF_CODE if code else prompts.ONE_LINE,
        seed=random_seed,
        max_tokens=ANSWER_TOKENS,
    )
    text = tidy(completion.text, cut=completion.finish == "length", language=language)
    return not is_abstention(text) and agrees(text, proposal.answer, question, aspects(proposal.seed))


def aspects(seed: Seed) -> tuple[str, ...]:
    """What a right answer must have: names and numbers of the answer span, else the span; () for a whole sentence."""
    if seed.answer == seed.sentence:
        return ()
    found = [*facts.names(f"… {seed.answer}"), *_DIGITS.findall(seed.answer)]
    return tuple(dict.fromkeys(found)) or (seed.answer,)


def make_challenge(proposal: Proposal, *, kind: str, level: str, profile: str, gold: Sequence[Chunk]) -> Challenge:
    """The challenge of a proposal that passed."""
    return Challenge(
        id=content_id(profile, proposal.question),
        question=proposal.question,
        answer=proposal.answer,
        type=kind,
        level=level,
        profile=profile,
        gold=tuple(gold),
        evidence=proposal.seed.sentence,
        aspects=aspects(proposal.seed),
    )

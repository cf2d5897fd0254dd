"""The second half of an episode: blind attempts at a challenge, verified and scored, and one from memory.

Whatever is decided on the way, when to stop and which attempt is the best, is decided from the question and what was
found for it. The challenge itself is looked at by the score alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from drzero.loop.agreement import agrees
from drzero.loop.citing import cite
from drzero.loop.desk import Desk
from drzero.loop.evaluate import evaluate
from drzero.loop.levels import LEVEL_RULES
from drzero.loop.queries import Gathered, gather
from drzero.loop.solve import Solution, recall, shelf_names, solve, suitable
from drzero.loop.standing import is_whole
from drzero.loop.verify import verify
from drzero.text import said
from drzero.types import Answer, Attempt, Challenge, Claim, Passage, Verdict

SEARCHES_AT_LEVEL = {level.name: level.searches for level in LEVEL_RULES}  # the question, then follow-ups
WIDER = (3, 1)  # queries of the question, and further follow-ups, when an attempt came to nothing
SURE_ENOUGH = 0.9  # confidence in [0,1] from which one verified answer settles a question
LATER_TEMPERATURE = 0.7
_log = logging.getLogger(__name__)

Tried = tuple[Solution, Verdict, int]
"""A solution, what the verifier says of it, and its seed."""


def attempts_at(desk: Desk, challenge: Challenge) -> tuple[Attempt, ...]:
    """Blind attempts, verified and scored; at least one, and no more than it takes."""
    desk.keep_apart(challenge.gold)
    return tuple(_scored(desk, challenge, tried) for tried in tries_at(desk, challenge.question, challenge.level))


def tries_at(desk: Desk, question: str, level: str) -> list[Tried]:
    """Answers to `question`, each verified before the next is tried, until they are `decided` or enough.

    The first is as sure as the writer can be. Where it says something, the next ones take a chance on the same passages
    (the writer has them evaluated already); where it came to nothing, they search wider.
    """
    follow_ups = SEARCHES_AT_LEVEL[level] - 1
    gathered = _gather(desk, question, searches=1, follow_ups=follow_ups)
    passages, queries = suitable(gathered), gathered.queries
    tries: list[Tried] = []
    widened = False
    for number in range(desk.options.attempts):
        if number and not widened and tries[-1][1].status in ("abstained", "unsupported"):
            searches, more = WIDER
            wider = _gather(desk, question, searches=searches, follow_ups=follow_ups + more)
            passages, queries, widened = suitable(wider), tuple(dict.fromkeys((*queries, *wider.queries))), True
        tries.append(_try(desk, question, passages, queries, seed=desk.draw_seed(), first=number == 0))
        if decided(tries, question, believed=desk.believed):
            break
    return tries


def _gather(desk: Desk, question: str, *, searches: int, follow_ups: int) -> Gathered:
    desk.trace.stage = "solved"
    return gather(question, desk.search, k=desk.options.passages, searches=searches, follow_ups=follow_ups)


def _try(
    desk: Desk, question: str, passages: Sequence[Passage], queries: tuple[str, ...], *, seed: int, first: bool
) -> Tried:
    """One answer, verified."""
    desk.trace.stage = "solved"
    solution = solve(
        question,
        passages,
        desk.llm,
        seed=seed,
        temperature=0.0 if first else LATER_TEMPERATURE,
        most=desk.options.reads,
        language=desk.language,
        code=desk.code,
        queries=queries,
        variant=desk.variant("read"),
        examples=desk.examples("read", question),
    )
    if solution.dropped:
        _log.info("%d of %d passages did not fit the writer's context.", solution.dropped, len(passages))
    desk.trace.add("packed", {"question": question}, {"kept": len(solution.passages), "dropped": solution.dropped})
    desk.trace.stage = "verified"
    verdict = verify(
        solution.answer,
        solution.passages,
        desk.entailment,
        desk.options.thresholds,
        question=question,
        shelf=shelf_names(solution.passages, code=desk.code),
        language=desk.language,
    )
    return solution, verdict, seed


def decided(tries: Sequence[Tried], question: str, *, believed: Callable[[float], float] = lambda said: said) -> bool:
    """Whether more attempts would tell nothing new: the last is verified, and sure or agreed with by another one.

    `believed` is what the writer's confidence is worth.
    """
    *earlier, (last, verdict, _) = tries
    if not verdict.accepted or not is_whole(last.answer.text, question):
        return False
    if believed(last.answer.confidence) >= SURE_ENOUGH:
        return True
    return any(
        other.accepted and same_answer(solution.answer.text, last.answer.text, question)
        for solution, other, _ in earlier
    )


def same_answer(one: str, other: str, question: str) -> bool:
    """Whether two answers to a question say the same: each has what the other adds to it."""
    return agrees(one, other, question) and agrees(other, one, question)


def best_of(attempts: Sequence[Attempt], question: str) -> int:
    """The place of the best attempt, -1 without any: verified, then agreed with by others, sure, and well supported.

    Neither the reference nor a score that knows it has a part in it; the earliest wins among equals.
    """

    def merit(at: int) -> tuple[int, int, float, float, int]:
        one = attempts[at]
        friends = sum(
            same_answer(one.answer.text, other.answer.text, question)
            for place, other in enumerate(attempts)
            if place != at and one.verdict.accepted and other.verdict.accepted
        )
        support = min((judgement.probability for judgement in one.verdict.judgements), default=0.0)
        return _ORDER[one.verdict.status], friends, one.answer.confidence, support, -at

    return max(range(len(attempts)), key=merit, default=-1)


_ORDER = {"unsupported": 0, "abstained": 1, "partial": 2, "supported": 3}  # an honest abstention beats a wrong answer


def _scored(desk: Desk, challenge: Challenge, tried: Tried) -> Attempt:
    """An attempt as it is kept: scored against the reference, which is looked at here for the first time."""
    solution, verdict, seed = tried
    answer = solution.answer
    right = not answer.abstained and agrees(answer.text, challenge.answer, challenge.question, challenge.aspects)
    return Attempt(
        answer=answer,
        verdict=verdict,
        evaluation=evaluate(challenge, answer, verdict, desk.slot.profile, solution.passages, run=desk.run_code),
        passages=solution.passages,
        queries=solution.queries,
        steps=solution.steps,
        right=right,
        seed=seed,
        fault=solution.fault,
    )


def base_score(desk: Desk, challenge: Challenge) -> float:
    """The score of an answer from memory, checked against the gold chunks as if it had cited them."""
    text = recall(challenge.question, desk.llm, seed=desk.slot.seed, language=desk.language)
    if not text:
        return 0.0
    gold = [Passage(chunk, 1.0, rank, "") for rank, chunk in enumerate(challenge.gold, 1)]
    spans = said(text, desk.language)
    claims = tuple(Claim(text[a:b], cite(text[a:b], gold, language=desk.language)) for a, b in spans)
    answer = Answer(text, claims, 0.5)
    verdict = verify(
        answer,
        gold,
        desk.entailment,
        desk.options.thresholds,
        question=challenge.question,
        language=desk.language,
    )
    return evaluate(challenge, answer, verdict, desk.slot.profile, gold, run=desk.run_code).overall

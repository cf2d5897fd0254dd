"""The second half of an episode: blind attempts at a challenge, verified and scored, and one from memory."""

from __future__ import annotations

from drzero.loop.agreement import agrees
from drzero.loop.desk import Desk
from drzero.loop.evaluate import evaluate
from drzero.loop.levels import LEVEL_RULES
from drzero.loop.solve import Solution, cite, gather, recall, shelf_names, solve
from drzero.loop.verify import verify
from drzero.text import sentences
from drzero.types import Answer, Attempt, Challenge, Claim, Passage

SEARCHES_AT_LEVEL = {level.name: level.searches for level in LEVEL_RULES}
PASSAGES_READ = 5  # more of them cost a small model more right answers than they bring, and ten seconds each time


def attempts_at(desk: Desk, challenge: Challenge) -> tuple[Attempt, ...]:
    """Blind attempts, verified and scored; at least one."""
    desk.trace.stage = "solved"
    solutions = solutions_of(desk, challenge.question, challenge.level)
    desk.trace.stage = "verified"
    return tuple(_attempt(desk, challenge, solution, seed) for solution, seed in solutions)


def solutions_of(desk: Desk, question: str, level: str) -> list[tuple[Solution, int]]:
    """Solutions with their seeds: the first as sure as the writer can be, later ones with chance in them.

    All are written before any is judged: they share one long prompt, which the writer then evaluates once.
    """
    passages, queries = gather(question, desk.search, k=desk.options.passages, searches=SEARCHES_AT_LEVEL[level])
    tries = []
    for number in range(desk.options.attempts):
        seed = desk.draw_seed()
        solution = solve(
            question,
            passages,
            desk.llm,
            seed=seed,
            temperature=0.0 if number == 0 else 0.7,
            most=PASSAGES_READ,
            language=desk.language,
            code=desk.code,
            queries=queries,
        )
        tries.append((solution, seed))
    return tries


def _attempt(desk: Desk, challenge: Challenge, solution: Solution, seed: int) -> Attempt:
    """One solution, verified and scored."""
    answer = solution.answer
    verdict = verify(
        answer,
        solution.passages,
        desk.entailment,
        desk.options.thresholds,
        question=challenge.question,
        shelf=shelf_names(solution.passages, code=desk.code),
        language=desk.language,
    )
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
    spans = sentences(text, desk.language)
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

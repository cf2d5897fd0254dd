"""One episode: a challenge from proposal to verdict. Returns it, never writes; what failed is recorded, not raised."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from drzero.loop import metrics
from drzero.loop.evaluate import evaluate
from drzero.loop.propose import Proposal, agrees, answerable, make_challenge, propose
from drzero.loop.quotes import in_own_wording
from drzero.loop.seeds import find_seeds
from drzero.loop.solve import Solution, cite, gather, recall, shelf_names, solve
from drzero.loop.trace import RecordedEntailment, RecordedLLM, Trace, recorded_search
from drzero.loop.verify import Thresholds, verify
from drzero.profiles import ChallengeType, Profile
from drzero.text import content_id, sentences
from drzero.types import (
    LEVELS,
    LLM,
    Answer,
    Attempt,
    Challenge,
    Chunk,
    Claim,
    EntailmentModel,
    Entry,
    Episode,
    EpisodeStatus,
    Passage,
)

SEARCHES_AT_LEVEL = dict(zip(LEVELS, (1, 2, 3, 3), strict=True))
PASSAGES_READ = 5  # more of them cost a small model more right answers than they bring, and ten seconds each time
CHUNKS_LOOKED_AT = 60  # per challenge, before it counts as having no seed


@dataclass(frozen=True, slots=True)
class Tools:
    """What an episode works with. `sample` draws a chunk to ask about, `retrieve(query, k)` finds passages."""

    llm: LLM
    entailment: EntailmentModel
    retrieve: Callable[[str, int], list[Passage]]
    sample: Callable[[random.Random], Chunk]
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Options:
    """How hard an episode tries: seeds tried per challenge, blind attempts, distractors of the noise gate."""

    proposals: int = 8
    attempts: int = 2
    distractors: int = 4
    passages: int = 10
    min_source_support: float = 0.75
    thresholds: Thresholds = field(default_factory=Thresholds)
    caps: metrics.Caps = field(default_factory=metrics.Caps)


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of an episode: which challenge of which iteration of which run, and what is to be asked."""

    run: str
    iteration: int
    number: int
    seed: int  # of the run
    profile: Profile
    kind: ChallengeType
    level: str


def run_episode(slot: Slot, tools: Tools, options: Options, known: Sequence[str]) -> Episode:
    """Propose, gate, solve, verify and evaluate one challenge. `known` are all questions asked before.

    Everything random comes from the slot, so that a resumed run asks what an uninterrupted one would have asked.
    """
    return _Run(slot, tools, options, known).episode()


class _Run:
    """The state of one episode under way."""

    def __init__(self, slot: Slot, tools: Tools, options: Options, known: Sequence[str]) -> None:
        self.slot, self.tools, self.options, self.known = slot, tools, options, known
        self.rng = random.Random(f"{slot.seed}/{slot.iteration}/{slot.number}")
        self.trace = Trace()
        self.llm = RecordedLLM(tools.llm, self.trace)
        self.entailment = RecordedEntailment(tools.entailment, self.trace)
        self.code = slot.profile.keeps_code
        self.kind = slot.kind
        self.refusals: Counter[str] = Counter()
        self.started = time.perf_counter()

    def episode(self) -> Episode:
        challenge = self.challenge()
        if challenge is None:
            reason = self.refusals.most_common(1)[0][0] if self.refusals else "no-seed"
            gated = {"not-answerable", "not-robust"} & set(self.refusals)
            return self.close("rejected" if gated else "invalid", reason)
        self.trace.stage = "solved"
        solutions = self.solutions(challenge)
        self.trace.stage = "verified"
        attempts = tuple(self.attempt(challenge, solution, seed) for solution, seed in solutions)
        base = self.base_score(challenge)
        good = [attempt.verdict.accepted and attempt.right for attempt in attempts]
        best = max(range(len(attempts)), key=lambda i: (good[i], attempts[i].evaluation.overall, -i))
        status: EpisodeStatus = "accepted" if good[best] else "quarantined"
        return self.close(
            status,
            "" if status == "accepted" else _shortcoming(attempts[best]),
            challenge=challenge,
            attempts=attempts,
            best=best,
            base_score=base,
            difficulty=1 - sum(good) / len(good),
            noise_tolerance=1.0,  # a challenge that fails among distractors never gets here
        )

    # --- propose and gate -------------------------------------------------------------------------------------------

    def challenge(self) -> Challenge | None:
        """The first proposal that passes every gate; None when none of those tried does.

        An archive may have no sentence for the type wanted (dates, say, in a library's documentation): then the other
        types of the level get their turn, and the episode is of the type that was asked.
        """
        for kind in (
            self.kind,
            *(other for other in self.slot.profile.at_level(self.slot.level) if other != self.kind),
        ):
            self.kind = kind
            challenge, tried = self.challenge_of()
            if tried:
                return challenge
        self.kind = self.slot.kind
        return None

    def challenge_of(self) -> tuple[Challenge | None, int]:
        """As `challenge`, of one type; also how many seeds were tried."""
        slot, kind, options = self.slot, self.kind, self.options
        looked = tried = 0
        used: set[str] = set()
        while tried < options.proposals and looked < CHUNKS_LOOKED_AT:
            chunk = self.tools.sample(self.rng)
            looked += 1
            if chunk.id in used:
                continue
            used.add(chunk.id)
            seeds = find_seeds(chunk, kind, language=self.tools.language, docs=self.code)
            if not seeds:
                continue
            tried += 1
            self.trace.stage = "proposed"
            proposal = propose(
                seeds[0],
                kind,
                self.llm,
                self.entailment,
                known=self.known,
                min_support=options.min_source_support,
                random_seed=self.rng.randrange(2**31),
                language=self.tools.language,
                code=self.code,
            )
            refusal = proposal.refusal or self.gate(proposal)
            record = {"chunk": chunk.id, "sentence": proposal.seed.sentence, "span": proposal.seed.answer}
            outcome = {"question": proposal.question, "answer": proposal.answer, "refusal": refusal}
            self.trace.add("proposal", record, outcome)
            if not refusal:
                made = make_challenge(
                    proposal, kind=kind.name, level=slot.level, profile=slot.profile.name, gold=(chunk,)
                )
                return made, tried
            self.refusals[refusal] += 1
        return None, tried

    def gate(self, proposal: Proposal) -> str:
        """The name of the gate that fails: answerable from the gold chunk alone, and with distractors mixed in."""
        self.trace.stage = "gated"
        if not self.holds(proposal, ()):
            return "not-answerable"
        return "" if self.holds(proposal, self.distractors(proposal)) else "not-robust"

    def holds(self, proposal: Proposal, distractors: Sequence[Chunk]) -> bool:
        """Whether a reader of the gold chunk and `distractors` answers as the reference does."""
        return answerable(
            proposal,
            (proposal.seed.chunk,),
            distractors,
            self.llm,
            order=self.rng.shuffle,
            language=self.tools.language,
            code=self.code,
        )

    def distractors(self, proposal: Proposal) -> tuple[Chunk, ...]:
        """What a search for the question finds beside the gold chunk: the nearest wrong evidence there is."""
        found = self.search(proposal.question, self.options.distractors + 4)
        others = [passage.chunk for passage in found if passage.chunk.id != proposal.seed.chunk.id]
        return tuple(others[: self.options.distractors])

    # --- solve and verify -------------------------------------------------------------------------------------------

    def search(self, query: str, k: int) -> list[Passage]:
        started = time.perf_counter()
        passages = self.tools.retrieve(query, k)
        recorded_search(query, k, passages, time.perf_counter() - started, self.trace)
        return passages

    def solutions(self, challenge: Challenge) -> list[tuple[Solution, int]]:
        """Blind attempts, each with its seed: the first as sure as the writer can be, later ones with chance in them.

        All are written before any is judged: they share one long prompt, which the writer then evaluates once.
        """
        searches = SEARCHES_AT_LEVEL[challenge.level]
        passages, queries = gather(challenge.question, self.search, k=self.options.passages, searches=searches)
        tries = []
        for number in range(self.options.attempts):
            seed = self.rng.randrange(2**31)
            solution = solve(
                challenge.question,
                passages,
                self.llm,
                seed=seed,
                temperature=0.0 if number == 0 else 0.7,
                most=PASSAGES_READ,
                language=self.tools.language,
                code=self.code,
                queries=queries,
            )
            tries.append((solution, seed))
        return tries

    def attempt(self, challenge: Challenge, solution: Solution, seed: int) -> Attempt:
        """One solution, verified and scored."""
        answer = solution.answer
        verdict = verify(
            answer,
            solution.passages,
            self.entailment,
            self.options.thresholds,
            question=challenge.question,
            shelf=shelf_names(solution.passages, code=self.code),
            language=self.tools.language,
        )
        right = not answer.abstained and agrees(answer.text, challenge.answer, challenge.question, challenge.aspects)
        return Attempt(
            answer=answer,
            verdict=verdict,
            evaluation=evaluate(challenge, answer, verdict, self.slot.profile),
            passages=solution.passages,
            queries=solution.queries,
            steps=solution.steps,
            right=right,
            seed=seed,
        )

    def base_score(self, challenge: Challenge) -> float:
        """The score of an answer from memory, checked against the gold chunks as if it had cited them."""
        text = recall(challenge.question, self.llm, seed=self.slot.seed, language=self.tools.language)
        if not text:
            return 0.0
        gold = [Passage(chunk, 1.0, rank, "") for rank, chunk in enumerate(challenge.gold, 1)]
        spans = sentences(text, self.tools.language)
        claims = tuple(Claim(text[a:b], cite(text[a:b], gold, language=self.tools.language)) for a, b in spans)
        answer = Answer(text, claims, 0.5)
        verdict = verify(
            answer,
            gold,
            self.entailment,
            self.options.thresholds,
            question=challenge.question,
            language=self.tools.language,
        )
        return evaluate(challenge, answer, verdict, self.slot.profile).overall

    # --- close ------------------------------------------------------------------------------------------------------

    def close(
        self,
        status: EpisodeStatus,
        reason: str,
        *,
        challenge: Challenge | None = None,
        attempts: tuple[Attempt, ...] = (),
        best: int = -1,
        base_score: float = 0.0,
        difficulty: float = 1.0,
        noise_tolerance: float = 0.0,
    ) -> Episode:
        slot = self.slot
        episode = Episode(
            id=content_id("episode", slot.run, slot.iteration, slot.number),
            run=slot.run,
            iteration=slot.iteration,
            number=slot.number,
            seed=slot.seed,
            profile=slot.profile.name,
            type=self.kind.name,
            level=slot.level,
            status=status,
            reason=reason,
            challenge=challenge,
            attempts=attempts,
            best=best,
            base_score=base_score,
            difficulty=difficulty,
            noise_tolerance=noise_tolerance,
            gate_passed=challenge is not None,
            rejections=tuple(sorted(self.refusals.items())),
            metrics=(),
            steps=tuple(self.trace.steps),
            models=(("writer", self.llm.id), ("entailment", self.entailment.id)),
            elapsed_s=time.perf_counter() - self.started,
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        return replace(episode, metrics=metrics.vector(episode, caps=self.options.caps))


def _shortcoming(attempt: Attempt) -> str:
    """Why an attempt does not count, as one code."""
    if attempt.answer.abstained:
        return "abstained"
    for judgement in attempt.verdict.judgements:
        if judgement.verdict != "supported":
            return f"{judgement.verdict}: {judgement.codes[0]}" if judgement.codes else judgement.verdict
    return "wrong"


def make_entry(episode: Episode, archives: Sequence[tuple[str, str, str]]) -> Entry | None:
    """The entry of an accepted episode, quotes in the articles' own wording; None for any other.

    `archives` are (zim_id, name, date).
    """
    if episode.status != "accepted" or episode.challenge is None:
        return None
    best = episode.attempts[episode.best]
    cited = {citation.zim_id for claim in best.answer.claims for citation in claim.citations}
    challenge = episode.challenge
    return Entry(
        id=content_id("entry", challenge.question),
        question=challenge.question,
        answer=best.answer.text,
        type=challenge.type,
        level=challenge.level,
        profile=challenge.profile,
        claims=tuple(in_own_wording(claim, best.passages) for claim in best.answer.claims),
        judgements=best.verdict.judgements,
        scores=best.evaluation.scores,
        overall=best.evaluation.overall,
        status="current",
        episode_id=episode.id,
        created_at=episode.created_at,
        archives=tuple(archive for archive in archives if archive[0] in cited),
        model=dict(episode.models).get("writer", ""),
    )

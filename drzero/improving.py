"""Learning from what `evolve` verified, without training: what was learnt is frozen before each iteration.

About one challenge in `improve.held_out` is set aside to try what was learnt, and one to test it (`state.part_of`): no
example and no fit is made of them. They are all that reached the solver, not only those that were accepted: what was
solved with the usual settings would favour the usual settings.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Literal

import numpy as np

from drzero.config import Improve, Settings
from drzero.fitting import fit
from drzero.judges import Judge
from drzero.kb import episodes as kb_episodes
from drzero.kb.improvements import (
    Trial,
    list_trials,
    load_ranks,
    load_state,
    save_ranks,
    save_state,
    save_trial,
    teaching_episodes,
)
from drzero.loop import prompts
from drzero.loop.attempting import attempts_at
from drzero.loop.challenging import find_challenge
from drzero.loop.desk import Desk, Options, Slot, Tools
from drzero.loop.improving.arms import Arm, arms_of, next_trial
from drzero.loop.improving.lessons import Lesson, Use, lesson_of
from drzero.loop.improving.searching import MOST_READ, WEIGHTS, Ranks, Search, Searched, calibrate_search
from drzero.loop.improving.state import COMPETING, NOTHING, Improvement, from_json, lesson_ids, part_of, to_json
from drzero.loop.improving.trust import Trust, Trusted, brier, log_odds
from drzero.loop.levels import rules
from drzero.loop.metrics import Caps
from drzero.profiles import Profile
from drzero.text import content_id
from drzero.types import Attempt, Challenge, Curriculum, Episode, EpisodeStatus, Passage

if TYPE_CHECKING:
    from sqlite_utils import Database

_log = logging.getLogger(__name__)

USUAL_SEARCH = Search(lexical_weight=0.7, passages=Options().reads)
MOST_KNOWN, MOST_LESSONS, MOST_SEARCHED = 1000, 400, 120  # the latest challenges, examples, and trials of search
LEAST_ANSWERS, LEAST_OF_A_KIND, LEAST_HELD_OUT = 20, 3, 8  # of a calibration of confidence

Find = Callable[[str, int, float], Sequence[Passage]]
"""`find(query, k, lexical_weight)`: passages, with that weight of words."""


@dataclass(frozen=True, slots=True)
class Record:
    """A challenge that reached the solver, as far as learning needs it. `answers` are (confidence, right)."""

    challenge: Challenge
    status: EpisodeStatus
    writer: str
    lesson: Lesson | None
    answers: tuple[tuple[float, bool], ...]


def options_of(settings: Settings, judge: Judge, level: str) -> Options:
    """How hard an episode tries, by the settings and the level."""
    loop, caps = settings.loop, settings.metrics
    return Options(
        proposals=loop.proposals,
        attempts=loop.attempts,
        distractors=loop.distractors + (rules(level).more_distractors if loop.distractors else 0),
        passages=settings.search.k,
        min_source_support=judge.min_probability,
        thresholds=judge.thresholds,
        caps=Caps(caps.question_words, caps.answer_words, caps.evidence_chunks, caps.steps),
        templates=loop.templates,
        near_copy=loop.near_copy,
    )


def learnt_before(db: Database, run: str, iteration: int) -> Improvement:
    """What an iteration of a run worked with, as it was kept; nothing where nothing was."""
    kept = load_state(db, run, iteration)
    if kept is None:
        return NOTHING
    lessons = {one: lesson_of(kb_episodes.get_episode(db, one)) for one in lesson_ids(kept)}
    return from_json(kept, {one: lesson for one, lesson in lessons.items() if lesson})


class Learner:
    """Learns from the episodes of one profile in a knowledge base, for one writer and the archives that are open.

    Without `find` search is left as it is. More passages than usual are thought of only where the writer reads freely:
    they cost a small model more right answers than they bring, which no rank tells. What was read of the knowledge base
    is kept, so that one learner serves a whole run, and what was searched in the knowledge base too, under the name
    `searches` of all that decides what `find` gives, if it has one.
    """

    def __init__(
        self,
        db: Database,
        settings: Improve,
        *,
        profile: Profile,
        writer: str,
        archives: Set[str],
        find: Find | None,
        reads_freely: bool = False,
        searches: str = "",
    ) -> None:
        self._db, self._settings, self._profile, self._writer = db, settings, profile, writer
        self._archives, self._find, self._searches = archives, find, searches
        self._most = MOST_READ if reads_freely else USUAL_SEARCH.passages
        self._records: dict[str, Record | None] = {}
        self._ranks: dict[str, Ranks] = {}

    # --- states -----------------------------------------------------------------------------------------------------

    def freeze(self, run: str, iteration: int, start: Curriculum) -> Improvement:
        """What an iteration works with: as kept, else learnt now and kept. So a resumed one works with the same."""
        kept = load_state(self._db, run, iteration)
        if kept is not None:
            return self._read(kept)
        state = self.learn()
        text, name = to_json(state), self._profile.name
        save_state(self._db, run, iteration, profile=name, writer=self._writer, state=text, start=start)
        return state

    def after(self, run: str) -> Improvement | None:
        """What had been learnt at the end of a run, or as far as it came; None for a run that kept nothing."""
        kept = load_state(self._db, run)
        return None if kept is None else self._read(kept)

    def _read(self, kept: str) -> Improvement:
        known = ((one, self._record(one)) for one in lesson_ids(kept))
        return from_json(kept, {one: record.lesson for one, record in known if record and record.lesson})

    def learn(self) -> Improvement:
        """What all episodes so far teach."""
        settings, learnt = self._settings, self._of("learn")
        return Improvement(
            lessons=self._lessons(learnt) if settings.examples else (),
            shown=settings.examples,
            arms=self._arms() if settings.trials else (),
            searched=self._searched(learnt) if settings.search else None,
            trusted=self._trusted() if settings.confidence else None,
            held_out=settings.held_out,
        )

    # --- what there is to learn from --------------------------------------------------------------------------------

    def records(self) -> list[Record]:
        """The latest `MOST_KNOWN` challenges of the profile that reached the solver, oldest first."""
        ids = kb_episodes.solved_ids(self._db, self._profile.name, MOST_KNOWN)
        found = [self._record(one) for one in ids]
        self._records = dict(zip(ids, found, strict=True))  # those that fell out of the latest are let go
        return [record for record in found if record is not None]

    def _record(self, id_: str) -> Record | None:
        if id_ not in self._records:
            self._records[id_] = _record(kb_episodes.get_episode(self._db, id_))
        return self._records[id_]

    def _of(self, part: str) -> list[Record]:
        return [one for one in self.records() if part_of(one.challenge.id, self._settings.held_out) == part]

    def set_aside(self, part: Literal["try", "test"]) -> list[Record]:
        """The challenges set aside that can be asked again here, in an order that has nothing to do with their age.

        Their gold chunks are of the archives that are open, and the profile still has their type.
        """
        kinds = {kind.name for kind in self._profile.types}
        found = [one for one in self._of(part) if one.challenge.type in kinds and self._is_here(one.challenge)]
        return sorted(found, key=lambda one: content_id("order", one.challenge.id))

    def _is_here(self, challenge: Challenge) -> bool:
        return bool(challenge.gold) and all(chunk.zim_id in self._archives for chunk in challenge.gold)

    def _lessons(self, records: Sequence[Record]) -> tuple[Lesson, ...]:
        """Of entries that are still current; a source that went stale or a disputed answer is no example."""
        current = teaching_episodes(self._db)
        lessons = [one.lesson for one in records if one.lesson is not None and one.lesson.id in current]
        return tuple(lessons[-MOST_LESSONS:])

    # --- search and confidence --------------------------------------------------------------------------------------

    def _searched(self, learnt: Sequence[Record]) -> Searched | None:
        if self._find is None:
            return None
        here = [one for one in learnt if self._is_here(one.challenge)][-MOST_SEARCHED:]
        aside = self.set_aside("try")[:MOST_SEARCHED]
        ranked, held_out = self._ranked(here, self._find), self._ranked(aside, self._find)
        return calibrate_search(ranked, held_out, USUAL_SEARCH, most=self._most)

    def _ranked(self, records: Sequence[Record], find: Find) -> list[Ranks]:
        for challenge in (one.challenge for one in records):
            if challenge.id not in self._ranks:
                ranks = load_ranks(self._db, self._searches, challenge.id)
                if ranks is None or set(ranks) != set(WEIGHTS):
                    ranks = _ranks(challenge, find)
                    save_ranks(self._db, self._searches, challenge.id, ranks)
                self._ranks[challenge.id] = ranks
        return [self._ranks[one.challenge.id] for one in records]

    def _trusted(self) -> Trusted | None:
        """A logistic map of this writer's confidence, and how it does on answers that were held out."""
        seen, held = (
            [answer for one in self._of(part) if one.writer == self._writer for answer in one.answers]
            for part in ("learn", "try")
        )
        right = sum(answer[1] for answer in seen)
        if len(seen) < LEAST_ANSWERS or len(held) < LEAST_HELD_OUT or min(right, len(seen) - right) < LEAST_OF_A_KIND:
            return None
        features = np.array([[log_odds(confidence)] for confidence, _ in seen])
        slopes, intercept = fit(features, np.array([one for _, one in seen]), np.ones(len(seen)))
        trust = Trust(float(slopes[0]), float(intercept))
        if trust.slope <= 0:  # surer means wronger: that is luck, not a map
            return None
        return Trusted(trust, len(seen), len(held), brier(held), brier(held, trust))

    # --- wordings ---------------------------------------------------------------------------------------------------

    def _tried(self, prompt: Use) -> Iterator[Trial]:
        """The trials of wordings that are still in use, on challenges that are still set aside for that."""
        in_use = {prompts.label(prompt, variant) for variant in prompts.variants(prompt)}
        for trial in list_trials(self._db, profile=self._profile.name, writer=self._writer):
            if trial.wording in in_use and part_of(trial.challenge_id, self._settings.held_out) == "try":
                yield trial

    def _outcomes(self, prompt: Use) -> list[tuple[str, bool]]:
        """(variant, won) of each trial that came to an end."""
        return [(trial.variant, trial.won) for trial in self._tried(prompt) if not trial.fault]

    def _arms(self) -> tuple[tuple[str, tuple[Arm, ...]], ...]:
        return tuple((prompt, arms_of(prompts.variants(prompt), self._outcomes(prompt))) for prompt in COMPETING)

    def hold_trials(
        self, run: str, iteration: int, *, seed: int, desk: Callable[[Challenge, Improvement], Desk]
    ) -> int:
        """Try wordings on challenges set aside, as many as the settings say, and keep each outcome; returns how many.

        Each wording goes through the challenges in the same order. Trials kept before a kill are not made again, nor
        those that an error ended: they are kept as void, which counts neither for the wording nor against it.
        `desk` is where a challenge is asked again with a state.
        """
        done = {
            trial.number
            for trial in list_trials(self._db, profile=self._profile.name, writer=self._writer)
            if (trial.run_id, trial.iteration) == (run, iteration)
        }
        for number in range(self._settings.trials):
            prompt = COMPETING[number % len(COMPETING)]
            chosen = self._next_trial(prompt, Random(f"{seed}/{iteration}/trial/{number}"))
            if number in done or chosen is None:
                continue
            variant, challenge = chosen
            won, fault = False, ""
            try:
                won = TRIALS[prompt](desk(challenge, NOTHING.with_wording(prompt, variant)), challenge)
            except Exception as error:  # noqa: BLE001 a writer that fails says nothing of the wording, and ends no run
                _log.warning("A trial of %s was given up: %s", prompts.label(prompt, variant), error)
                fault = f"{type(error).__name__}: {error}"
            trial = Trial(
                run_id=run,
                iteration=iteration,
                number=number,
                profile=self._profile.name,
                writer=self._writer,
                prompt=prompt,
                wording=prompts.label(prompt, variant),
                variant=variant,
                challenge_id=challenge.id,
                won=won,
                fault=fault,
            )
            save_trial(self._db, trial)
            done.add(number)
        return len(done)

    def _next_trial(self, prompt: Use, rng: Random) -> tuple[str, Challenge] | None:
        """The wording to try and the first challenge that it was not tried on; None when all were tried on all."""
        aside = [one.challenge for one in self.set_aside("try")]
        tried = list(self._tried(prompt))
        left: dict[str, Challenge] = {}
        for variant in prompts.variants(prompt):
            known = {trial.challenge_id for trial in tried if trial.variant == variant}
            new = [one for one in aside if one.id not in known]
            if new:
                left[variant] = new[0]
        if not left:
            return None
        variant = next_trial(arms_of(tuple(left), self._outcomes(prompt)), rng)
        return variant, left[variant]


def _ranks(challenge: Challenge, find: Find) -> dict[float, list[int]]:
    ranks = {}
    for weight in WEIGHTS:
        found = [passage.chunk.id for passage in find(challenge.question, MOST_READ, weight)]
        ranks[weight] = [found.index(chunk.id) + 1 if chunk.id in found else 0 for chunk in challenge.gold]
    return ranks


def _record(episode: Episode) -> Record | None:
    if episode.challenge is None:
        return None
    return Record(
        challenge=episode.challenge,
        status=episode.status,
        writer=dict(episode.models).get("writer", ""),
        lesson=lesson_of(episode),
        answers=tuple((one.answer.confidence, one.right) for one in episode.attempts if not one.answer.abstained),
    )


# --- asking a challenge again ---------------------------------------------------------------------------------------


def equipped(tools: Tools, options: Options, improvement: Improvement, find: Find | None) -> tuple[Tools, Options]:
    """Tools and options as they are with what was learnt."""
    search = improvement.search
    tools = replace(tools, improvement=improvement)
    if search is None or find is None:
        return tools, options
    tools = replace(tools, retrieve=lambda query, k: list(find(query, k, search.lexical_weight)))
    return tools, replace(options, reads=search.passages)


def desk_for(
    challenge: Challenge,
    improvement: Improvement,
    *,
    tools: Tools,
    options: Options,
    profile: Profile,
    find: Find | None,
) -> Desk:
    """A desk at which a known challenge is asked again: what is drawn for it are its own gold chunks.

    What is drawn at random depends on the challenge alone, so that two states are compared like with like.
    """
    number = int(content_id(challenge.id)[:8], 16)
    slot = Slot("", 0, number, 0, profile, profile.type(challenge.type), challenge.level)
    gold = list(challenge.gold)
    tools, options = equipped(tools, options, improvement, find)
    own = replace(tools, sample=lambda _: gold[0], linked=lambda _: gold[1:], alike=lambda _: gold[1:], nearest=None)
    return Desk(slot, own, options, known=())


def solves(desk: Desk, challenge: Challenge) -> bool:
    """Whether the first blind attempt is verified and right."""
    first = first_attempt(desk, challenge)
    return first.verdict.accepted and first.right


def first_attempt(desk: Desk, challenge: Challenge) -> Attempt:
    """One blind attempt, as sure as the writer can be."""
    desk.options = replace(desk.options, attempts=1)
    return attempts_at(desk, challenge)[0]


def proposes(desk: Desk, _: Challenge) -> bool:
    """Whether a single proposal that the writer makes of a challenge's own chunks passes every gate."""
    desk.options = replace(desk.options, proposals=1, templates=0.0)
    made = find_challenge(desk)[0]
    return made is not None and made.origin == "model"


TRIALS: dict[Use, Callable[[Desk, Challenge], bool]] = {"ask": proposes, "read": solves}
"""What a wording of each prompt is tried by."""

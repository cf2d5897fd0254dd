"""One run over its iterations: what each is like, its episodes saved as they end, and what is changed after it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any

from drzero.answering import Workbench
from drzero.config import Settings
from drzero.disputing import look_at_entry, meet_known
from drzero.errors import DrZeroError, LoopFault
from drzero.improving import Learner, desk_for, equipped, options_of
from drzero.judges import Judge
from drzero.kb import asked as kb_asked
from drzero.kb import entries as kb_entries
from drzero.kb import episodes as kb_episodes
from drzero.kb import events as kb_events
from drzero.kb.improvements import load_start
from drzero.kb.schema import transaction
from drzero.kb.sources import describe_archives
from drzero.loop.chronicle import WIDENINGS, action_event, applied, closing_events, resting, state_of, widened
from drzero.loop.controller import decide
from drzero.loop.curriculum import FAILURE, after_episode, after_iteration, choose_types
from drzero.loop.desk import Desk, Options, Slot, Tools
from drzero.loop.episode import failed_episode, make_entry, run_episode
from drzero.loop.improving.state import NOTHING, Improvement
from drzero.loop.novelty import Asked
from drzero.loop.seed_draws import Draws
from drzero.loop.topics import topic_note
from drzero.loop.trace import Trace
from drzero.pipeline import ShowProgress
from drzero.profiles import Profile
from drzero.results import EvolveOptions
from drzero.retrieval.sampling import Sampler
from drzero.text import duration
from drzero.types import Challenge, Chunk, Curriculum, Entry, Episode, Event, Progress, Run, SeedVitals

if TYPE_CHECKING:
    from sqlite_utils import Database

_log = logging.getLogger(__name__)

TOPIC_POOL = 300  # passages nearest to `--topic` that challenges are drawn from
FAILURES = 3  # challenges in a row that an unexpected error ended; then the run stops


@dataclass(slots=True)
class Loop:
    """One run over its iterations. Everything drawn comes from the run's seed and the place in the run.

    What an iteration is like (level, types, topic) follows from what is stored of those before it, never from memory.
    """

    db: Database
    bench: Workbench
    judge: Judge
    settings: Settings
    asked_for: EvolveOptions
    profile: Profile
    run: Run
    progress: ShowProgress
    asked: Asked
    clock: Callable[[], float]
    started: float
    stopped: str = ""  # why the run ended before its last iteration
    out_of_time: bool = False
    accepted: int = 0
    failures: int = 0  # in a row
    failed: list[tuple[Episode, tuple[SeedVitals, ...]]] = field(default_factory=list)  # in a row, not stored yet
    width: int = 0  # of the topic, see `WIDENINGS`
    times_s: list[float] = field(default_factory=list)  # of the episodes of this command
    improvement: Improvement = NOTHING  # what had been learnt before the iteration under way
    learner: Learner = field(init=False)
    draws: Draws = field(init=False)
    sampler: Sampler = field(init=False)

    def run_all(self) -> Curriculum:
        """Every iteration still open; returns the curriculum at the end."""
        bench = self.bench
        self.learner = Learner(
            self.db,
            self.settings.improve,
            profile=self.profile,
            writer=bench.llm.id,
            archives=bench.ids,
            find=bench.find,
            searches=bench.searches,
            reads_freely=not bench.proposes,
        )
        self.draws = Draws(kb_events.seed_vitals(self.db, self.run.id))
        state = self.curriculum()
        for iteration in range(self.run.iterations_done, self.run.iterations):
            self.improvement = self.learner.freeze(self.run.id, iteration, state)
            events = kb_events.list_events(self.db, self.run.id)
            if self.width != WIDENINGS[widened(events)]:
                self.width = WIDENINGS[widened(events)]
                self.sampler = self.make_sampler()
            episodes = self.iterate(iteration, state, resting(events, iteration))
            if self.out_of_time:
                break
            if self.bench.proposes:  # what only copies is told nothing by a wording
                self.learner.hold_trials(self.run.id, iteration, seed=self.run.seed, desk=self.ask_again)
            state = self.close(iteration, state, episodes, events)
            if self.stopped:
                break
        return state

    def curriculum(self) -> Curriculum:
        """Where the profile stands: as after the last closed iteration, with the thresholds of the settings.

        A run that begins knows nothing of how steady the level is: the last one may have had another writer. One that
        goes on begins where it was, whatever other runs did to the profile in the meantime.
        """
        limits = self.settings.curriculum
        began = load_start(self.db, self.run.id, self.run.iterations_done)
        if began is not None:
            return began
        state = kb_episodes.load_curriculum(self.db, self.profile.name) or Curriculum()
        if not self.run.iterations_done:
            state = replace(state, crossings=Curriculum().crossings, leaning=0)
        return replace(state, promotion=limits.promotion, demotion=limits.demotion, hold=limits.hold)

    def make_sampler(self) -> Sampler:
        """What draws chunks: from `width` times `TOPIC_POOL` passages about the topic, or from the whole archive."""
        topic, bench = self.asked_for.topic, self.bench
        pool = [passage.chunk for passage in bench.retrieve(topic, self.width * TOPIC_POOL)] if topic else []
        if note := topic_note(topic, pool):
            _log.warning("%s", note)
        return Sampler(bench.indexes, kb_entries.cited_articles(self.db), pool)

    def iterate(self, iteration: int, state: Curriculum, tired: Sequence[str]) -> list[Episode]:
        """One round at one level. Episodes stored before a kill are taken as they are, so that the round ends alike.

        It ends early when the time that was given is over.
        """
        rng = Random(f"{self.run.seed}/{iteration}")
        kinds = choose_types(state, self.profile, self.settings.loop.challenges, rng, tired)
        stored = {episode.number: episode for episode in self.stored(iteration)}
        episodes: list[Episode] = []
        for number, kind in enumerate(kinds):
            if number not in stored and self.is_out_of_time(iteration):
                break
            episodes.append(stored.get(number) or self.ask(iteration, number, kind, state.level))
        self.keep_failed()
        return episodes

    def ask(self, iteration: int, number: int, kind: str, level: str) -> Episode:
        """One episode, saved. An error that nothing foresaw ends it and not the run, until `FAILURES` come in a row.

        What failed is saved with the next that does not, or at the end of the iteration: the challenges of a row that
        ends the run are none that failed, and are asked again.
        """
        self.tell(iteration, number, level, kind)
        began = self.clock()
        slot = Slot(self.run.id, iteration, number, self.run.seed, self.profile, self.profile.type(kind), level)
        tools, options = self.tools(), self.options(level)
        failure: Exception | None = None
        reason, trace = "", Trace()
        try:
            tools, options = equipped(tools, options, self.improvement, self.bench.find)
            known = kb_entries.known_questions(self.db)
            self.asked.add((*known, *kb_asked.refused_questions(self.db)))
            episode = run_episode(slot, tools, options, known, trace)
            entry = make_entry(episode, self.bench.archives)
        except Exception as error:  # noqa: BLE001 a model that fails once may answer the next time
            failure, reason = error, f"{FAILURE}: {type(error).__name__}"
        else:
            try:
                self.save(episode, entry)
            except ValueError as error:  # its entry lacks what every entry must have
                failure, reason = error, f"{FAILURE}: not admitted"
        if failure:
            episode = failed_episode(slot, tools, options, reason, trace=trace, elapsed_s=self.clock() - began)
            self.fail(episode, failure)
        self.times_s.append(self.clock() - began)
        self.failures = self.failures + 1 if failure else 0
        if failure and self.failures >= FAILURES:
            self.failed.clear()
            raise LoopFault(
                f"{FAILURES} challenges in a row were ended by an error, the last of them by this one: "
                f"{_said(failure)} See `drzero doctor` for what may be broken, then run {self.command()} to go on."
            ) from failure
        return episode

    def tools(self) -> Tools:
        """What an episode works with."""
        return self.bench.tools(self.judge, self.sample, self.asked.nearest)

    def sample(self, rng: Random) -> Chunk:
        """A chunk to ask about, kept count of."""
        return self.draws.draw(self.sampler, rng)

    def options(self, level: str) -> Options:
        """How hard an episode tries, by the settings and the level."""
        return options_of(self.settings, self.judge, level)

    def ask_again(self, challenge: Challenge, improvement: Improvement) -> Desk:
        """Where a challenge that was set aside is tried."""
        return desk_for(
            challenge,
            improvement,
            tools=self.tools(),
            options=self.options(challenge.level),
            profile=self.profile,
            find=self.bench.find,
        )

    def stored(self, iteration: int) -> Sequence[Episode]:
        """The episodes of an iteration that are already in the knowledge base."""
        places = [one for one in kb_episodes.list_episodes(self.db, run=self.run.id) if one.iteration == iteration]
        return [kb_episodes.get_episode(self.db, one.id) for one in places]

    def fail(self, episode: Episode, failure: Exception) -> None:
        """Tell what ended an episode, and put it by until it is known whether it is one of a row that ends the run."""
        reason = f"Challenge {episode.number + 1} was ended by an error: {_said(failure)}"
        _log.warning("%s", reason, exc_info=failure if _log.isEnabledFor(logging.DEBUG) else None)
        self.record(episode.iteration, "failure", reason, {"number": episode.number})
        self.failed.append((episode, self.draws.close(episode)))

    def keep_failed(self) -> None:
        """Store what failed and was put by, all or nothing."""
        with transaction(self.db):
            for episode, seeds in self.failed:
                kb_episodes.save_episode(self.db, episode, None)
                kb_asked.remember(self.db, episode)
                kb_events.note_seeds(self.db, self.run.id, seeds)
        self.failed.clear()

    def save(self, episode: Episode, entry: Entry | None) -> None:
        """Store one episode with its entry, what that contradicts and what it saw of its articles, all or nothing.

        ValueError when the entry must not get in: then nothing is stored.
        """
        if self.failed:
            self.keep_failed()
        with transaction(self.db):
            admitted = kb_episodes.save_episode(self.db, episode, entry)
            if entry is not None:
                describe_archives(self.db, (index.manifest.archive for index in self.bench.indexes))
                look_at_entry(self.db, entry.id) if admitted else meet_known(self.db, entry)
            kb_asked.remember(self.db, episode)
            kb_events.note_seeds(self.db, self.run.id, self.draws.close(episode))
        self.accepted += admitted
        if admitted:
            best = episode.attempts[episode.best].answer
            self.sampler.asked.update({(c.zim_id, c.path) for claim in best.claims for c in claim.citations})

    def close(
        self, iteration: int, former: Curriculum, episodes: Sequence[Episode], events: Sequence[Event]
    ) -> Curriculum:
        """Close an iteration: move the level, act where gains stall, and keep both with what there is to tell."""
        recorded = reduce(after_episode, (one for one in episodes if one.level == former.level), former)
        state = after_iteration(recorded)
        told = closing_events(
            self.run.id,
            iteration,
            episodes,
            admitted=kb_entries.admitted_episodes(self.db, self.run.id),
            former=former,
            recorded=recorded,
            after=state,
        )
        vitals, standing = state_of(
            [*events, *told],
            level=state.level,
            types=[kind.name for kind in self.profile.at_level(state.level)],
            topic=bool(self.asked_for.topic),
            patience=self.settings.loop.patience,
            until_stalled=self.asked_for.until_stalled,
        )
        action = decide(vitals, standing)
        if action.kind != "go-on":
            told.append(action_event(self.run.id, iteration, action, vitals))
            state = applied(action, state)
        for event in told:
            _log.info("Iteration %d: %s", iteration + 1, event.reason)
        with transaction(self.db):
            kb_episodes.finish_iteration(self.db, self.run.id, iteration, self.profile.name, state)
            kb_events.add_events(self.db, told)
            self.learner.freeze(self.run.id, iteration + 1, state)  # where the next begins, and what the run had learnt
            if action.kind == "stop":
                kb_episodes.finish_run(self.db, self.run.id)
        self.stopped = action.reason if action.kind == "stop" else ""
        return state

    def is_out_of_time(self, iteration: int) -> bool:
        """Whether another episode, as long as those of this command on average, would end beyond the budget.

        The first is asked whatever the budget: how long one takes is not known before.
        """
        budget_s = 60 * self.asked_for.budget_minutes
        if not budget_s or not self.times_s:
            return False
        mean_s, spent_s = fmean(self.times_s), self.clock() - self.started
        if spent_s + mean_s <= budget_s:
            return False
        self.out_of_time = True
        self.stopped = (
            f"The {self.asked_for.budget_minutes:g} minutes given are nearly over ({duration(spent_s)} spent, "
            f"{duration(mean_s)} to a challenge on average): {self.command()} goes on with the run."
        )
        figures = {"spent_s": round(spent_s, 3), "mean_s": round(mean_s, 3), "episodes": len(self.times_s)}
        self.record(iteration, "budget", self.stopped, figures)
        return True

    def command(self) -> str:
        """The command that goes on with the run, in words."""
        return f"the same command{' without --new-run' if self.asked_for.new_run else ''}"

    def record(self, iteration: int, kind: str, reason: str, detail: dict[str, Any]) -> None:
        """Keep one event."""
        kb_events.add_events(self.db, [Event(self.run.id, iteration, kind, reason, detail)])

    def tell(self, iteration: int, number: int, level: str, kind: str) -> None:
        """Show how far the run is."""
        count = self.settings.loop.challenges
        elapsed_s = self.clock() - self.started
        note = f"iteration {iteration + 1}/{self.run.iterations}, {level}, {kind}; {self.accepted} accepted"
        done, total = iteration * count + number, self.run.iterations * count
        rate = len(self.times_s) / elapsed_s if elapsed_s else 0.0
        self.progress(Progress(done, total, "challenges", elapsed_s, rate, note))


def _said(error: Exception) -> str:
    """What an error says, as a sentence."""
    text = str(error) if isinstance(error, DrZeroError) else f"{type(error).__name__}: {error}"
    return text if text.endswith(".") else f"{text}."

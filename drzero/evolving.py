"""Evolve: the self-play loop over a workspace, every episode saved as it ends.

With `rechecking` the only module that writes to the knowledge base.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any

from drzero.answering import Workbench, workbench
from drzero.config import Settings
from drzero.errors import IndexFault
from drzero.judges import Judge
from drzero.kb import asked as kb_asked
from drzero.kb import entries as kb_entries
from drzero.kb import episodes as kb_episodes
from drzero.kb.schema import open_knowledge_base, transaction
from drzero.loop import prompts
from drzero.loop.curriculum import after_episode, after_iteration, choose_types
from drzero.loop.desk import Options, Slot, Tools
from drzero.loop.episode import make_entry, run_episode
from drzero.loop.metrics import Caps
from drzero.loop.novelty import Asked
from drzero.pipeline import ShowProgress, make_ready
from drzero.profiles import Profile
from drzero.results import EvolveOptions, EvolveResult
from drzero.retrieval.linking import alike, linked
from drzero.retrieval.sampling import Sampler
from drzero.types import Curriculum, Episode, Progress, Run
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

TOPIC_POOL = 300  # passages nearest to `--topic` that challenges are drawn from


def evolve(workspace: Workspace, settings: Settings, options: EvolveOptions, progress: ShowProgress) -> EvolveResult:
    """Run the loop; every episode is saved as it ends, and an unfinished run with the same settings goes on."""
    ready = make_ready(workspace, settings, options.indexes)
    with workspace.locked("evolve"), _database(workspace) as db, workbench(workspace, settings, ready) as bench:
        return run_loop(db, bench, settings, options, profile=ready.profile, progress=progress)


def run_loop(
    db: Database,
    bench: Workbench,
    settings: Settings,
    options: EvolveOptions,
    *,
    profile: Profile,
    progress: ShowProgress,
) -> EvolveResult:
    """`evolve` with everything loaded. An interrupted run is marked so, and goes on at the next call."""
    started = time.monotonic()
    judge = bench.judge_for(settings)
    identity = _identity(bench, judge, settings, options, profile)
    resumed = None if options.new_run else kb_episodes.unfinished_run(db, identity)
    run = resumed[0] if resumed else _start(db, identity, settings, options, profile)
    asked = Asked(bench.embed, settings.loop.near_vectors)
    loop = _Loop(db, bench, judge, settings, profile, run, _sampler(bench, db, options), progress, asked)
    try:
        level = loop.run_all()
    except KeyboardInterrupt:
        kb_episodes.finish_run(db, run.id, "interrupted")
        raise
    kb_episodes.finish_run(db, run.id)
    done = kb_episodes.list_episodes(db, run=run.id)
    rejected = Counter(one.reason for one in done if one.status != "accepted")
    return EvolveResult(
        run=run.id,
        iterations=run.iterations,
        episodes=len(done),
        accepted=sum(one.status == "accepted" for one in done),
        rejected=tuple(rejected.most_common()),
        level=level,
        elapsed_s=time.monotonic() - started,
    )


@contextmanager
def _database(workspace: Workspace) -> Iterator[Database]:
    db = open_knowledge_base(workspace.database)
    try:
        yield db
    finally:
        db.close()


def _identity(
    bench: Workbench, judge: Judge, settings: Settings, options: EvolveOptions, profile: Profile
) -> dict[str, Any]:
    """What must be equal for a command to go on with an unfinished run."""
    return {
        "prompts": prompts.versions(),
        "profile": profile.name,
        "writer": bench.llm.id,
        "embedder": sorted({index.manifest.embedder for index in bench.indexes}),
        "archives": sorted(zim_id for zim_id, _, _ in bench.archives),
        "topic": options.topic,
        "seed": options.seed,
        "loop": asdict(settings.loop),
        "passages": settings.search.k,
        "judge": [judge.entailment.id, judge.min_probability],
        "curriculum": asdict(settings.curriculum),
        "metrics": asdict(settings.metrics),
    }


def _start(
    db: Database, identity: Mapping[str, Any], settings: Settings, options: EvolveOptions, profile: Profile
) -> Run:
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    return kb_episodes.start_run(
        db, settings=identity, profile=profile.name, seed=seed, iterations=settings.loop.iterations
    )


def _sampler(bench: Workbench, db: Database, options: EvolveOptions) -> Sampler:
    pool = [passage.chunk for passage in bench.retrieve(options.topic, TOPIC_POOL)] if options.topic else []
    if not any(index.count for index in bench.indexes):
        raise IndexFault("The indexes hold no text to ask about: run `drzero build-index` on another archive.")
    return Sampler(bench.indexes, kb_entries.cited_articles(db), pool)


@dataclass(slots=True)
class _Loop:
    """One run over its iterations. Everything drawn comes from the run's seed and the place in the run."""

    db: Database
    bench: Workbench
    judge: Judge
    settings: Settings
    profile: Profile
    run: Run
    sampler: Sampler
    progress: ShowProgress
    asked: Asked
    started: float = field(default_factory=time.monotonic)
    ended: int = 0  # episodes of this command
    accepted: int = 0

    @property
    def tools(self) -> Tools:
        """What an episode works with."""
        bench = self.bench
        return Tools(
            bench.llm,
            self.judge.entailment,
            bench.retrieve,
            self.sampler,
            bench.language,
            linked=lambda chunk: linked(bench.indexes, chunk),
            alike=lambda chunk: alike(bench.indexes, chunk),
            nearest=self.asked.nearest,
            proposes=bench.proposes,
        )

    @property
    def options(self) -> Options:
        """How hard an episode tries, by the settings."""
        loop, caps = self.settings.loop, self.settings.metrics
        return Options(
            proposals=loop.proposals,
            attempts=loop.attempts,
            distractors=loop.distractors,
            passages=self.settings.search.k,
            min_source_support=self.judge.min_probability,
            thresholds=self.judge.thresholds,
            caps=Caps(caps.question_words, caps.answer_words, caps.evidence_chunks, caps.steps),
            templates=loop.templates,
            near_copy=loop.near_copy,
        )

    def run_all(self) -> str:
        """Every iteration still open; returns the level at the end."""
        state = self.curriculum()
        for iteration in range(self.run.iterations_done, self.run.iterations):
            state = after_iteration(self.iterate(iteration, state))
            kb_episodes.finish_iteration(self.db, self.run.id, iteration, self.profile.name, state)
        return state.level

    def curriculum(self) -> Curriculum:
        """Where the profile stands: as after the last closed iteration, with the thresholds of the settings."""
        limits = self.settings.curriculum
        state = kb_episodes.load_curriculum(self.db, self.profile.name) or Curriculum()
        return replace(state, promotion=limits.promotion, demotion=limits.demotion)

    def iterate(self, iteration: int, state: Curriculum) -> Curriculum:
        """One round at one level. Episodes stored before a kill are taken as they are, so that the round ends alike."""
        profile, seed = self.profile, self.run.seed
        count = self.settings.loop.challenges
        kinds = choose_types(state, profile, count, Random(f"{seed}/{iteration}"))
        stored = {episode.number: episode for episode in self.stored(iteration)}
        level = state.level
        for number, kind in enumerate(kinds):
            episode = stored.get(number)
            if episode is None:
                self.tell(iteration, number, level, kind)
                slot = Slot(self.run.id, iteration, number, seed, profile, profile.type(kind), level)
                known = kb_entries.known_questions(self.db)
                self.asked.add((*known, *kb_asked.refused_questions(self.db)))
                episode = run_episode(slot, self.tools, self.options, known)
                self.save(episode)
            state = after_episode(state, episode)
        return state

    def stored(self, iteration: int) -> Sequence[Episode]:
        """The episodes of an iteration that are already in the knowledge base."""
        places = [one for one in kb_episodes.list_episodes(self.db, run=self.run.id) if one.iteration == iteration]
        return [kb_episodes.get_episode(self.db, one.id) for one in places]

    def save(self, episode: Episode) -> None:
        """Store one episode with its entry, all or nothing."""
        with transaction(self.db):
            admitted = kb_episodes.save_episode(self.db, episode, make_entry(episode, self.bench.archives))
            kb_asked.remember(self.db, episode)
        self.ended, self.accepted = self.ended + 1, self.accepted + admitted
        if admitted:
            best = episode.attempts[episode.best].answer
            self.sampler.asked.update({(c.zim_id, c.path) for claim in best.claims for c in claim.citations})

    def tell(self, iteration: int, number: int, level: str, kind: str) -> None:
        count = self.settings.loop.challenges
        elapsed_s = time.monotonic() - self.started
        note = f"iteration {iteration + 1}/{self.run.iterations}, {level}, {kind}; {self.accepted} accepted"
        done, total = iteration * count + number, self.run.iterations * count
        self.progress(
            Progress(done, total, "challenges", elapsed_s, self.ended / elapsed_s if elapsed_s else 0.0, note)
        )

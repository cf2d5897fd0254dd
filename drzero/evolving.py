"""Evolve: the self-play loop over a workspace, every episode saved as it ends.

With `iterating`, `improving` for what was learnt, `rechecking` and `merging` all that writes to the knowledge base.
"""

from __future__ import annotations

import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from drzero.answering import Workbench, workbench
from drzero.config import Settings
from drzero.errors import IndexFault, LoopFault
from drzero.iterating import Loop
from drzero.judges import Judge
from drzero.kb import asked as kb_asked
from drzero.kb import entries as kb_entries
from drzero.kb import episodes as kb_episodes
from drzero.kb import events as kb_events
from drzero.kb import json_values
from drzero.kb.schema import open_knowledge_base
from drzero.loop import prompts
from drzero.loop.curriculum import stuck_types
from drzero.loop.novelty import Asked
from drzero.pipeline import ShowProgress, make_ready
from drzero.profiles import Profile
from drzero.results import EvolveOptions, EvolveResult
from drzero.types import Run
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

KNOWN = "known-already"  # an accepted episode whose question had an entry by then


def evolve(workspace: Workspace, settings: Settings, options: EvolveOptions, progress: ShowProgress) -> EvolveResult:
    """Run the loop; every episode is saved as it ends, and an unfinished run with the same settings goes on."""
    started = time.monotonic()
    ready = make_ready(workspace, settings, options.indexes)
    with workspace.locked("evolve"), _database(workspace) as db, workbench(workspace, settings, ready) as bench:
        return run_loop(db, bench, settings, options, profile=ready.profile, progress=progress, started=started)


def run_loop(
    db: Database,
    bench: Workbench,
    settings: Settings,
    options: EvolveOptions,
    *,
    profile: Profile,
    progress: ShowProgress,
    started: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> EvolveResult:
    """`evolve` with everything loaded. An interrupted run is marked so, and goes on at the next call.

    `started` is the time on `clock`, in seconds, from which the budget counts; None is now.
    """
    if not any(index.count for index in bench.indexes):
        raise IndexFault("The indexes hold no text to ask about: run `drzero build-index` on another archive.")
    judge = bench.judge_for(settings)
    identity = _identity(bench, judge, settings, options, profile)
    resumed = None if options.new_run else kb_episodes.unfinished_run(db, identity)
    run = resumed[0] if resumed else _start(db, identity, settings, options, profile)
    began = clock() if started is None else started
    kept = kb_asked.keeping_vectors(db, bench.embedder, bench.embed) if bench.embed else None
    asked = Asked(bench.embed, settings.loop.near_vectors, kept)
    loop = Loop(db, bench, judge, settings, options, profile, run, progress, asked, clock, began)
    try:
        state = loop.run_all()
    except (KeyboardInterrupt, LoopFault):
        kb_episodes.finish_run(db, run.id, "interrupted")
        raise
    kb_episodes.finish_run(db, run.id, "interrupted" if loop.out_of_time else "finished")
    done = kb_episodes.list_episodes(db, run=run.id)
    admitted = kb_entries.admitted_episodes(db, run.id)
    events = kb_events.list_events(db, run.id)
    return EvolveResult(
        run=run.id,
        iterations=run.iterations,
        episodes=len(done),
        accepted=len(admitted),
        rejected=tuple(Counter(one.reason or KNOWN for one in done if one.id not in admitted).most_common()),
        level=state.level,
        elapsed_s=clock() - began,
        iterations_done=sum(event.kind == "iteration" for event in events),
        stopped=loop.stopped,
        stuck=stuck_types(state),
        events=tuple(events),
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
        "profile_as_it_was": json.loads(json_values.dumps(profile)),  # a user's file may change, or go
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
        "improve": asdict(settings.improve),
    }


def _start(
    db: Database, identity: Mapping[str, Any], settings: Settings, options: EvolveOptions, profile: Profile
) -> Run:
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    return kb_episodes.start_run(
        db, settings=identity, profile=profile.name, seed=seed, iterations=settings.loop.iterations
    )

"""Replay: episodes of the knowledge base run again, from their record or with the models."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from drzero.config import Settings
from drzero.errors import KnowledgeBaseError, SettingsError
from drzero.kb import json_values
from drzero.kb.asked import refused_before
from drzero.kb.entries import full_id
from drzero.kb.episodes import get_episode, get_run, list_episodes, questions_before
from drzero.loop.curriculum import FAILURE
from drzero.loop.desk import Options
from drzero.loop.metrics import Caps
from drzero.loop.novelty import Asked
from drzero.loop.replay import Replay, attempts_from_record, from_record, plain_tools, with_models
from drzero.loop.verify import Thresholds
from drzero.profiles import Profile, load_profile
from drzero.records import knowledge_base
from drzero.types import Chunk, Episode, Progress, Run
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

Again = Callable[[Episode, Profile, Options, Sequence[str]], Replay]  # the last: questions asked before


def replay(
    workspace: Workspace,
    id_: str = "",
    *,
    run: str = "",
    models: Settings | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> list[Replay]:
    """Run an episode again, or all of a run, each named by its id or the beginning of it, and say what differs.

    Nothing but the knowledge base is needed. With `models`, the settings that name them, the writer and the judge are
    asked again, and indexes are searched where the record has no answer. Raises KnowledgeBaseError, and what loading
    models and indexes may raise.
    """
    with knowledge_base(workspace) as db:
        if run:
            ids = [one.id for one in list_episodes(db, run=full_id(db, "runs", run))]
        else:
            ids = [full_id(db, "episodes", id_)]
        if models is None:
            return _each(db, ids, from_record, progress)
        with _models(workspace, models, db) as again:
            return _each(db, ids, again, progress)


def _each(db: Database, ids: Sequence[str], again: Again, progress: Callable[[Progress], None]) -> list[Replay]:
    started, found = time.monotonic(), []
    for number, id_ in enumerate(ids):
        progress(Progress.at(number, len(ids), "episodes", time.monotonic() - started))
        found.append(_replay_one(db, get_episode(db, id_), again))
    return found


def _replay_one(db: Database, episode: Episode, again: Again) -> Replay:
    run = get_run(db, episode.run) if episode.run else None
    profile = _profile(episode, run)
    kept = episode.conditions.get("options")
    options = json_values.loads(json_values.dumps(kept), Options) if kept else _older_options(run)
    if not kept or episode.reason.startswith(FAILURE) or not any(step.outside for step in episode.steps):
        return attempts_from_record(episode, profile, options, plain_tools(episode).get("language", "en"))
    return again(episode, profile, options, _QuestionsBefore(db, episode.id))


class _QuestionsBefore(Sequence[str]):
    """The questions asked before an episode, read when they are looked at: a record mostly has what follows of them."""

    def __init__(self, db: Database, id_: str) -> None:
        self._db, self._id = db, id_

    @cached_property
    def _questions(self) -> list[str]:
        return questions_before(self._db, self._id)

    def __len__(self) -> int:
        return len(self._questions)

    def __getitem__(self, at: Any) -> Any:
        return self._questions[at]


def _profile(episode: Episode, run: Run | None) -> Profile:
    """The profile as it was in the run; of a run that did not keep it, as it is now."""
    kept = (run.settings if run else {}).get("profile_as_it_was")
    if kept:
        return json_values.loads(json.dumps(kept), Profile)
    try:
        return load_profile(episode.profile)
    except SettingsError as error:
        raise KnowledgeBaseError(
            f"Episode {episode.id} has a profile, {episode.profile}, that was not kept with its run: it cannot be run "
            "again."
        ) from error


def _older_options(run: Run | None) -> Options:
    """What the settings of the run say of the judge's threshold and of the caps."""
    settings = run.settings if run else {}
    probability = settings.get("judge", [None, None])[1]
    caps = settings.get("metrics")
    return Options(
        thresholds=Thresholds(probability) if probability else Thresholds(),
        caps=Caps(caps["question_words"], caps["answer_words"], caps["evidence_chunks"], caps["steps"])
        if caps
        else Caps(),
    )


@contextmanager
def _models(workspace: Workspace, settings: Settings, db: Database) -> Iterator[Again]:
    """Running again with the models of the settings, and with the indexes that are there.

    What is asked for otherwise than in the record is asked of the indexes, of the questions known then, and of what had
    been learnt before the iteration.
    """
    from drzero.answering import workbench
    from drzero.improving import equipped, learnt_before
    from drzero.pipeline import make_ready
    from drzero.retrieval.sampling import Sampler

    ready = make_ready(workspace, settings)
    with workbench(workspace, settings, ready) as bench:
        judge = bench.judge_for(settings)
        sampler: Callable[[Any], Chunk] = Sampler(bench.indexes, Counter())

        def again(episode: Episode, profile: Profile, options: Options, known: Sequence[str]) -> Replay:
            asked = Asked(bench.embed, settings.loop.near_vectors)

            def nearest(question: str) -> tuple[float, str]:
                asked.add((*known, *refused_before(db, episode.id)))
                return asked.nearest(question)

            tools = replace(bench.tools(judge, sampler, nearest), **plain_tools(episode))
            tools, options = equipped(tools, options, learnt_before(db, episode.run, episode.iteration), bench.find)
            return with_models(episode, profile, tools, options, known)

        yield again

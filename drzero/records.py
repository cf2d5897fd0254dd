"""Reading the knowledge base: entries and episodes, by list, by words, by id."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from drzero.kb.entries import full_id, get_entry, list_entries, search_entries
from drzero.kb.episodes import get_episode, iter_episodes, list_episodes
from drzero.kb.episodes import runs as list_runs
from drzero.kb.events import episode_counts, list_events, seed_vitals
from drzero.kb.schema import open_knowledge_base
from drzero.kb.stats import Stats
from drzero.kb.stats import stats as count_all
from drzero.kb.topics import Topic, list_topics
from drzero.results import RunRecord
from drzero.types import Entry, Episode, EpisodeSummary
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database


@contextmanager
def knowledge_base(workspace: Workspace, *, create: bool = False) -> Iterator[Database]:
    """The workspace's knowledge base, closed at the end; raises KnowledgeBaseError when there is none."""
    db = open_knowledge_base(workspace.database, create=create)
    try:
        yield db
    finally:
        db.close()


def entries(workspace: Workspace, *, query: str | None = None, limit: int = 20, **filters: Any) -> list[Entry]:
    """The newest entries that match the `filters` of `list_entries`, newest first; or those that fit `query` best."""
    with knowledge_base(workspace) as db:
        if query is not None:
            return search_entries(db, query, limit)
        return list_entries(db, limit=limit, newest_first=True, **filters)


def topics(workspace: Workspace, *, words: str = "", limit: int = 20) -> list[Topic]:
    """What entries are about, the topics with most entries first; only those with all of `words` in their title."""
    with knowledge_base(workspace) as db:
        return list_topics(db, words=words.split(), limit=limit)


def stats(workspace: Workspace) -> Stats:
    """How much there is in the knowledge base."""
    with knowledge_base(workspace) as db:
        return count_all(db)


def entry(workspace: Workspace, id_: str) -> Entry:
    """The entry whose id is, or alone begins with, `id_`; raises KnowledgeBaseError."""
    with knowledge_base(workspace) as db:
        return get_entry(db, id_)


def episodes(workspace: Workspace, *, run: str = "", limit: int = 20) -> list[EpisodeSummary]:
    """The newest episodes, newest first; only those of `run` when it is given (a run's id or its beginning)."""
    with knowledge_base(workspace) as db:
        return list_episodes(db, run=full_id(db, "runs", run) if run else None, limit=limit, newest_first=True)


def runs(workspace: Workspace, *, run: str = "", limit: int = 20) -> list[RunRecord]:
    """The newest runs, newest first; only the one whose id is, or alone begins with, `run` when that is given."""
    with knowledge_base(workspace) as db:
        return recent_runs(db, id_=full_id(db, "runs", run) if run else "", limit=limit)


def recent_runs(db: Database, *, id_: str = "", limit: int = 20) -> list[RunRecord]:
    """Runs of an open knowledge base with how much they came to, newest first; only that of `id_` when it is given."""
    chosen = [run for run in list_runs(db) if run.id == id_] if id_ else list_runs(db, limit=limit)
    return [
        RunRecord(run, *episode_counts(db, run.id), tuple(seed_vitals(db, run.id)), tuple(list_events(db, run.id)))
        for run in chosen
    ]


def episode(workspace: Workspace, id_: str) -> Episode:
    """The whole episode whose id is, or alone begins with, `id_`; raises KnowledgeBaseError."""
    with knowledge_base(workspace) as db:
        return get_episode(db, id_)


def run_episodes(workspace: Workspace, run: str) -> Iterator[Episode]:
    """The whole episodes of the run whose id is, or alone begins with, `run`, oldest first, one in memory at a time."""
    with knowledge_base(workspace) as db:
        yield from iter_episodes(db, run=full_id(db, "runs", run))

"""Episodes, runs and the curriculum in the knowledge base. What belongs together is written in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Literal

from drzero.errors import KnowledgeBaseError
from drzero.kb import json_values
from drzero.kb.entries import admit, conditions, full_id
from drzero.kb.schema import db_path, finite, rows, transaction
from drzero.text import storable
from drzero.types import Chunk, Curriculum, Entry, Episode, EpisodeStatus, EpisodeSummary, Run, TypeRecord

if TYPE_CHECKING:
    from sqlite_utils import Database

_MANY = 500  # keys in one query
_SUMMARY = "id, run_id, iteration, number, question, type, level, profile, status, reason, metrics, created_at"


# --- episodes -------------------------------------------------------------------------------------------------------


def save_episode(db: Database, episode: Episode, entry: Entry | None, curriculum: Curriculum | None = None) -> bool:
    """Store an episode, its entry and the curriculum after it, all or nothing; True when the entry was admitted.

    An episode that is already there changes nothing. KnowledgeBaseError when its run is unknown or its place in the run
    is taken by another episode.
    """
    with transaction(db):
        if rows(db, "select 1 from episodes where id = ?", (episode.id,)):
            return False
        if episode.run:
            _check_place(db, episode)
        chunks: dict[str, Chunk] = {}
        db.table("episodes").insert(_episode_row(episode, chunks))
        db.table("chunks").insert_all((_chunk_row(key, chunk) for key, chunk in chunks.items()), ignore=True)
        if curriculum is not None:
            save_curriculum(db, episode.profile, curriculum)
        return entry is not None and admit(db, entry)


def get_episode(db: Database, id_: str) -> Episode:
    """The whole episode whose id is, or alone begins with, `id_`. KnowledgeBaseError when none or several do."""
    found = rows(db, "select id, trace from episodes where id = ?", (full_id(db, "episodes", id_),))
    text = found[0]["trace"]
    try:
        return json_values.loads(text, Episode, _chunks(db, json_values.chunk_keys(text)))
    except KeyError as error:
        raise KnowledgeBaseError(
            f"The knowledge base {db_path(db)} has lost the chunk {error.args[0]} of episode {found[0]['id']}: "
            "restore a copy."
        ) from error


def iter_episodes(db: Database, *, run: str | None = None, status: EpisodeStatus | None = None) -> Iterator[Episode]:
    """Whole episodes, oldest first, one in memory at a time."""
    where, values = conditions({"run_id": run, "status": status})
    for row in rows(db, f"select id from episodes {where} order by rowid", values):
        yield get_episode(db, row["id"])


def list_episodes(
    db: Database,
    *,
    run: str | None = None,
    status: EpisodeStatus | None = None,
    profile: str | None = None,
    limit: int | None = None,
    offset: int = 0,
    newest_first: bool = False,
) -> list[EpisodeSummary]:
    """Episodes without their traces, oldest first, those that match every given value."""
    where, values = conditions({"run_id": run, "status": status, "profile": profile})
    order = "desc" if newest_first else "asc"
    sql = f"select {_SUMMARY} from episodes {where} order by rowid {order} limit ? offset ?"
    return [
        EpisodeSummary(
            **{key: value for key, value in row.items() if key not in ("run_id", "metrics")},
            run=row["run_id"] or "",
            metrics=tuple(json_values.loads_any(row["metrics"])),
        )
        for row in rows(db, sql, (*values, -1 if limit is None else limit, offset))
    ]


def solved_ids(db: Database, profile: str, most: int) -> list[str]:
    """The ids of the latest `most` episodes of a profile that reached the solver's end, oldest first."""
    sql = """
        select id from episodes where profile = ? and status in ('accepted', 'quarantined') order by rowid desc limit ?
    """
    return [row["id"] for row in reversed(rows(db, sql, (storable(profile), most)))]


def questions_before(db: Database, id_: str) -> list[str]:
    """The questions of all episodes that were stored before the episode `id_`, oldest first, each once."""
    sql = "select question from episodes where question <> '' and rowid < ? group by question order by min(rowid)"
    found = rows(db, "select rowid as place from episodes where id = ?", (id_,))
    return [row["question"] for row in rows(db, sql, (found[0]["place"],))] if found else []


def _chunks(db: Database, keys: set[str]) -> dict[str, Chunk]:
    """The chunks with these keys, as far as they are there."""
    found, wanted = {}, sorted(keys)
    for at in range(0, len(wanted), _MANY):
        part = wanted[at : at + _MANY]
        for row in rows(db, f"select * from chunks where key in ({', '.join('?' * len(part))})", part):
            key, heading = row.pop("key"), tuple(json_values.loads_any(row.pop("heading")))
            found[key] = Chunk(**row, heading=heading)
    return found


def _chunk_row(key: str, chunk: Chunk) -> dict[str, Any]:
    row = {field.name: getattr(chunk, field.name) for field in fields(Chunk)}
    return {"key": key} | row | {"heading": json_values.dumps(list(chunk.heading))}


def _check_place(db: Database, episode: Episode) -> None:
    if not rows(db, "select 1 from runs where id = ?", (episode.run,)):
        raise KnowledgeBaseError(
            f"Episode {episode.id} belongs to a run that is not in the knowledge base: {episode.run}."
        )
    place = (episode.run, episode.iteration, episode.number)
    if rows(db, "select 1 from episodes where run_id = ? and iteration = ? and number = ?", place):
        raise KnowledgeBaseError(
            f"Challenge {episode.number} of iteration {episode.iteration} of run {episode.run} is already stored: "
            "another `drzero evolve` is working on this run; let it finish."
        )


def _episode_row(episode: Episode, chunks: dict[str, Chunk]) -> dict[str, Any]:
    """The row of an episode; `chunks` gets those of its trace, by key."""

    def keep(chunk: Chunk) -> str:
        if any(storable(part) != part for part in (chunk.path, chunk.title, chunk.text, chunk.mark, chunk.zim_id)):
            return ""  # a text column would not give it back as it is
        key = json_values.chunk_key(chunk)
        chunks[key] = chunk
        return key

    challenge = episode.challenge
    best = episode.attempts[episode.best] if 0 <= episode.best < len(episode.attempts) else None
    return {
        "id": episode.id,
        "run_id": episode.run or None,
        "iteration": episode.iteration,
        "number": episode.number,
        "status": episode.status,
        "reason": storable(episode.reason),
        "question": storable(challenge.question) if challenge else "",
        "answer": storable(best.answer.text) if best else "",
        "type": storable(episode.type),
        "level": storable(episode.level),
        "profile": storable(episode.profile),
        "difficulty": finite(episode.difficulty),
        "base_score": finite(episode.base_score),
        "attempts": len(episode.attempts),
        "elapsed_s": finite(episode.elapsed_s),
        "created_at": episode.created_at,
        "metrics": json_values.dumps(list(episode.metrics)),
        "trace": json_values.dumps(episode, keep),
    }


# --- runs -----------------------------------------------------------------------------------------------------------


def start_run(
    db: Database, *, settings: Mapping[str, Any], profile: str, seed: int, iterations: int, id_: str | None = None
) -> Run:
    """Record a new run. `settings` are JSON values: what must be equal for a later command to resume this run."""
    now = datetime.now(UTC)
    run = Run(
        id=id_ or f"{now:%Y%m%d-%H%M%S}-{token_hex(3)}",
        profile=profile,
        seed=seed,
        settings=dict(settings),
        iterations=iterations,
        iterations_done=0,
        status="running",
        started_at=now.isoformat(timespec="seconds"),
        finished_at="",
    )
    with transaction(db):
        db.table("runs").insert(
            {
                "id": run.id,
                "profile": storable(profile),
                "seed": json_values.dumps(seed),
                "settings": _canonical(settings),
                "iterations": iterations,
                "iterations_done": 0,
                "status": run.status,
                "started_at": run.started_at,
                "finished_at": run.finished_at,
            }
        )
    return run


def unfinished_run(db: Database, settings: Mapping[str, Any]) -> tuple[Run, frozenset[tuple[int, int]]] | None:
    """The latest run with these very settings, if it did not finish, with the (iteration, number) of its episodes."""
    found = rows(
        db,
        "select * from runs where settings = ? order by rowid desc limit 1",
        (_canonical(settings),),
    )
    if not found or found[0]["status"] == "finished":
        return None
    run = _run(found[0])
    done = rows(db, "select iteration, number from episodes where run_id = ?", (run.id,))
    return run, frozenset((row["iteration"], row["number"]) for row in done)


def finish_iteration(db: Database, run_id: str, iteration: int, profile: str, curriculum: Curriculum) -> None:
    """Close an iteration and keep the curriculum after it, together. Closing it a second time changes nothing."""
    with transaction(db):
        found = rows(db, "select iterations_done from runs where id = ?", (run_id,))
        if found and found[0]["iterations_done"] <= iteration:
            db.table("runs").update(run_id, {"iterations_done": iteration + 1})
            save_curriculum(db, profile, curriculum)


def finish_run(db: Database, run_id: str, status: Literal["finished", "interrupted"] = "finished") -> None:
    """Record how a run ended. A run that is killed stays "running" and can be resumed like an interrupted one."""
    with transaction(db):
        now = datetime.now(UTC).isoformat(timespec="seconds")
        db.execute(  # one that has finished stays so
            "update runs set status = ?, finished_at = ? where id = ? and status <> 'finished'", (status, now, run_id)
        )


def runs(db: Database, *, limit: int | None = None) -> list[Run]:
    """Runs, newest first."""
    return [
        _run(row)
        for row in rows(db, "select * from runs order by rowid desc limit ?", (-1 if limit is None else limit,))
    ]


def get_run(db: Database, id_: str) -> Run:
    """The run whose id is, or alone begins with, `id_`. KnowledgeBaseError when none or several do."""
    return _run(rows(db, "select * from runs where id = ?", (full_id(db, "runs", id_),))[0])


def _run(row: dict[str, Any]) -> Run:
    values = {**row, "seed": json_values.loads_any(row["seed"]), "settings": json_values.loads_any(row["settings"])}
    return Run(**values)


def _canonical(settings: Mapping[str, Any]) -> str:
    return json.dumps(json.loads(json_values.dumps(dict(settings))), sort_keys=True)


# --- curriculum -----------------------------------------------------------------------------------------------------


def load_curriculum(db: Database, profile: str) -> Curriculum | None:
    """Where `profile` stands, None before its first episode."""
    name = (storable(profile),)
    found = rows(db, "select * from curriculum where profile = ?", name)
    if not found:
        return None
    scores: dict[str, list[float]] = {}
    for row in rows(db, "select type, score from curriculum_scores where profile = ? order by type, position", name):
        scores.setdefault(row["type"], []).append(row["score"])
    return Curriculum(
        level=found[0]["level"],
        iterations=found[0]["iterations"],
        scores=tuple(scores.get("", ())),
        promotion=found[0]["promotion"],
        demotion=found[0]["demotion"],
        types=tuple(
            TypeRecord(
                row["type"], row["tries"], row["accepted"], tuple(scores.get(row["type"], ())), row.get("dry", 0)
            )
            for row in rows(db, "select * from curriculum_types where profile = ? order by position", name)
        ),
        crossings=tuple(json.loads(found[0].get("crossings", "[]"))) or Curriculum().crossings,
        leaning=found[0].get("leaning", 0),
    )


def save_curriculum(db: Database, profile: str, state: Curriculum) -> None:
    """Replace what is kept of `profile`."""
    profile = storable(profile)
    windows = [("", state.scores), *((storable(record.name), record.scores) for record in state.types)]
    with transaction(db):
        db.execute("delete from curriculum_scores where profile = ?", (profile,))
        db.execute("delete from curriculum_types where profile = ?", (profile,))
        db.table("curriculum").upsert(
            {
                "profile": profile,
                "level": storable(state.level),
                "iterations": state.iterations,
                "promotion": finite(state.promotion),
                "demotion": finite(state.demotion),
                "crossings": json.dumps(state.crossings),
                "leaning": state.leaning,
                "updated_at": datetime.now(UTC).isoformat(timespec="seconds"),
            },
            pk="profile",
        )
        db.table("curriculum_scores").insert_all(
            {"profile": profile, "type": name, "position": position, "score": finite(score)}
            for name, scores in windows
            for position, score in enumerate(scores)
        )
        db.table("curriculum_types").insert_all(
            {
                "profile": profile,
                "position": position,
                "type": storable(record.name),
                "tries": record.tries,
                "accepted": record.accepted,
                "dry": record.dry,
            }
            for position, record in enumerate(state.types)
        )


# --- counts ---------------------------------------------------------------------------------------------------------


def counts(db: Database) -> dict[str, dict[str, int]]:
    """How much is stored: {"entries": {status: n}, "episodes": {status: n}, "runs": {status: n}}."""
    return {
        table: {
            row["status"]: row["n"]
            for row in rows(db, f"select status, count(*) as n from {table} group by 1 order by 1")
        }
        for table in ("entries", "episodes", "runs")
    }

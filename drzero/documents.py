"""Results as the JSON documents of `--json`: plain values with the keys that are promised, more at most."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from drzero.curating import Shown
from drzero.datasets.values import Dataset
from drzero.disputing import Standing
from drzero.doctor import Check
from drzero.kb.reviews import Review
from drzero.kb.stats import Stats
from drzero.kb.topics import Topic
from drzero.loop.metrics import METRIC_NAMES, METRIC_VERSION
from drzero.loop.replay import Replay
from drzero.profiles import Profile
from drzero.results import AskResult, Estimate, EvolveResult, Exported, Film, Merged, Recheck, RunRecord, SearchResult
from drzero.types import BuildReport, Claim, Entry, Episode, EpisodeSummary, Event, Judgement, Passage


def json_value(value: Any) -> Any:
    """`value` with dataclasses and tuples turned into what JSON knows."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: json_value(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [json_value(item) for item in value]
    return value


def report_json(report: BuildReport) -> dict[str, Any]:
    """One archive of `build-index --json`."""
    document: dict[str, Any] = json_value(report) | {
        "skipped": dict(report.skipped),
        "marked": dict(report.marked),
        "crowding": dict(report.crowding),
        "stages_s": {stage: round(seconds, 3) for stage, seconds in report.stages_s},
        "elapsed_s": round(report.elapsed_s, 3),
    }
    for only_where_there_is_one in ("reason", "update", "notes"):
        if not document[only_where_there_is_one]:
            del document[only_where_there_is_one]
    return document


def reports_json(reports: Sequence[BuildReport]) -> list[dict[str, Any]]:
    """The document of `build-index --json`."""
    return [report_json(report) for report in reports]


def estimates_json(estimates: Sequence[Estimate]) -> list[dict[str, Any]]:
    """The document of `build-index --dry-run --json`."""
    times = ("expected_s", "expected_low_s", "expected_high_s")
    return [
        {
            key: round(value, 1) if key in times else value
            for key, value in json_value(estimate).items()
            if key not in ("reason", "notes") or value
        }
        for estimate in estimates
    ]


def profiles_json(profiles: Sequence[Profile]) -> list[dict[str, Any]]:
    """The document of `profiles --json`."""
    return [
        {
            "name": profile.name,
            "title": profile.title,
            "keeps_code": profile.keeps_code,
            "weights": dict(profile.weights),
            "types": [{"name": kind.name, "asks": kind.asks, "levels": list(kind.levels)} for kind in profile.types],
        }
        for profile in profiles
    ]


def exported_json(result: Exported) -> dict[str, Any]:
    """The document of `kb export --json`."""
    document: dict[str, Any] = json_value(result)
    return document | {"elapsed_s": round(result.elapsed_s, 3)}


def dataset_json(made: Dataset) -> dict[str, Any]:
    """The document of `episodes export --json`."""
    document: dict[str, Any] = json_value(made)
    return document | {"left_out": dict(made.left_out), "elapsed_s": round(made.elapsed_s, 3)}


def passage_json(passage: Passage) -> dict[str, Any]:
    """One hit of `search --json`."""
    chunk = passage.chunk
    return {
        "rank": passage.rank,
        "score": round(passage.score, 6),
        "index": passage.index,
        "zim_id": chunk.zim_id,
        "path": chunk.path,
        "title": chunk.title,
        "heading": list(chunk.heading),
        "text": chunk.text,
        "start": chunk.start,
        "end": chunk.end,
        "chunk_id": chunk.id,
    }


def search_json(result: SearchResult) -> dict[str, Any]:
    """The document of `search --json`."""
    hits = [passage_json(hit) for hit in result.hits]
    return {"query": result.query, "hits": hits, "elapsed_ms": round(result.elapsed_ms, 2)}


def claims_json(claims: Sequence[Claim], judgements: Sequence[Judgement]) -> list[dict[str, Any]]:
    """Claims with their judgements and citations, as in `ask --json` and `kb show --json`."""
    return [
        {
            "text": claim.text,
            "verdict": judgement.verdict,
            "probability": round(judgement.probability, 4),
            "reasons": list(judgement.reasons),
            "citations": json_value(claim.citations),
        }
        for claim, judgement in zip(claims, judgements, strict=True)
    ]


def ask_json(result: AskResult) -> dict[str, Any]:
    """The document of `ask --json`."""
    return {
        "question": result.question,
        "status": result.status,
        "answer": result.answer,
        "claims": claims_json(result.claims, result.judgements),
        "passages": [passage_json(passage) for passage in result.passages],
        "elapsed_s": round(result.elapsed_s, 3),
        "entry_id": result.entry_id,
        "entry_status": result.entry_status,
        "entry_date": result.entry_date,
    }


def evolve_json(result: EvolveResult) -> dict[str, Any]:
    """The document of `evolve --json`."""
    document: dict[str, Any] = json_value(result) | {
        "rejected": dict(result.rejected),
        "elapsed_s": round(result.elapsed_s, 3),
        "events": events_json(result.events),
    }
    return document


def events_json(events: Sequence[Event]) -> list[dict[str, Any]]:
    """What a run did beside its episodes, in `evolve --json`, `status --json` and `episodes runs --json`."""
    return [
        {
            "iteration": event.iteration,
            "kind": event.kind,
            "reason": event.reason,
            "detail": json_value(event.detail),
            "at": event.at,
        }
        for event in events
    ]


def run_json(record: RunRecord) -> dict[str, Any]:
    """One run of `episodes runs --json`."""
    run: dict[str, Any] = json_value(record.run)
    return (
        {"run": run.pop("id")}
        | run
        | {
            "episodes": record.episodes,
            "accepted": record.accepted,
            "seeds": [json_value(one) | one.shares for one in record.seeds],
            "events": events_json(record.events),
        }
    )


def runs_json(records: Sequence[RunRecord]) -> list[dict[str, Any]]:
    """The document of `episodes runs --json`."""
    return [run_json(record) for record in records]


def judgement_json(judgement: Judgement) -> dict[str, Any]:
    """The document of `verify --json`."""
    return {
        "verdict": judgement.verdict,
        "probability": round(judgement.probability, 4),
        "reasons": list(judgement.reasons),
    }


def entry_json(entry: Entry) -> dict[str, Any]:
    """One entry of `kb list|search|show --json`."""
    return {
        "id": entry.id,
        "question": entry.question,
        "answer": entry.answer,
        "type": entry.type,
        "level": entry.level,
        "profile": entry.profile,
        "claims": claims_json(entry.claims, entry.judgements),
        "scores": dict(entry.scores),
        "overall": entry.overall,
        "status": entry.status,
        "status_reasons": list(entry.status_reasons),
        "episode_id": entry.episode_id,
        "created_at": entry.created_at,
        "archives": [{"zim_id": zim_id, "name": name, "date": date} for zim_id, name, date in entry.archives],
        "model": entry.model,
        "topic": entry.topic,
        "retired": entry.retired,
    }


def entries_json(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The document of `kb list|search --json`."""
    return [entry_json(entry) for entry in entries]


def standing_json(standing: Standing) -> dict[str, Any]:
    """What `kb show --json` adds to an entry: support of each claim, and what contradicts it."""
    return {
        "supports": list(standing.supports),
        "disputes": [
            {
                "claim": one.claim,
                "other_id": one.other_id,
                "other_claim": one.other_claim,
                "other": entry_json(one.other) if one.other else None,
                "code": one.code,
                "reason": one.reason,
                "found_at": one.found_at,
                "settled": one.settled,
            }
            for one in standing.disputes
        ],
    }


def shown_json(shown: Shown) -> dict[str, Any]:
    """The document of `kb show --json`: the entry, each citation with the words around it, how it came about."""
    document = entry_json(shown.entry) | standing_json(shown.standing)
    for claim, contexts in zip(document["claims"], shown.contexts, strict=True):
        for citation, context in zip(claim["citations"], contexts, strict=True):
            citation["context"] = json_value(context)
    return document | {
        "origin": json_value(shown.origin),
        "reviews": [review_json(one) for one in shown.reviews],
        "history": [{"at": one.at, "what": one.what, "before": one.before} for one in shown.history],
    }


def review_json(review: Review) -> dict[str, Any]:
    """The document of `kb review --json`."""
    document: dict[str, Any] = json_value(review)
    return document


def topics_json(topics: Sequence[Topic]) -> list[dict[str, Any]]:
    """The document of `kb topics --json`."""
    return [json_value(topic) for topic in topics]


def stats_json(stats: Stats) -> dict[str, Any]:
    """The document of `kb stats --json`."""
    document: dict[str, Any] = json_value(stats)
    return document | {
        "by": {name: dict(pairs) for name, pairs in stats.by},
        "archives": [{"name": name, "date": date, "entries": count} for name, date, count in stats.archives],
        "reviews": dict(stats.reviews),
    }


def recheck_json(result: Recheck) -> dict[str, Any]:
    """The document of `kb verify --json`."""
    return {
        "entries": result.entries,
        "citations": result.citations,
        "stale": [{"id": id_, "reason": reason} for id_, reason in result.stale],
        "checked": result.checked,
        "judged": result.judged,
        "disputed": [{"id": id_, "reasons": list(reasons)} for id_, reasons in result.disputed],
        "unchecked": list(result.unchecked),
        "missing": [{"id": id_, "reason": reason} for id_, reason in result.missing],
        "kept": [{"id": id_, "reason": reason} for id_, reason in result.kept],
        "carried": result.carried,
        "moved": result.moved,
        "clashes": [{"ids": [one, other], "reason": reason} for one, other, reason in result.clashes],
    }


def merged_json(result: Merged) -> dict[str, Any]:
    """The document of `kb merge --json`."""
    return {
        "entries": result.entries,
        "joined": result.joined,
        "replaced": result.replaced,
        "disputed": [{"id": id_, "reason": reason} for id_, reason in result.disputed],
        "episodes": result.episodes,
        "runs": result.runs,
        "archives": result.archives,
        "reviews": result.reviews,
    }


def episode_json(episode: Episode | EpisodeSummary) -> dict[str, Any]:
    """One episode of `episodes list --json`."""
    return {
        "id": episode.id,
        "run": episode.run,
        "iteration": episode.iteration,
        "question": question(episode),
        "type": episode.type,
        "level": episode.level,
        "profile": episode.profile,
        "status": episode.status,
        "reason": episode.reason,
        "metrics": dict(zip(METRIC_NAMES, episode.metrics, strict=False)),
        "metric_version": METRIC_VERSION,
        "created_at": episode.created_at,
    }


def question(episode: Episode | EpisodeSummary) -> str:
    """The question an episode was about, "" when no proposal was well-formed."""
    if isinstance(episode, EpisodeSummary):
        return episode.question
    return episode.challenge.question if episode.challenge else ""


def episodes_json(episodes: Sequence[EpisodeSummary]) -> list[dict[str, Any]]:
    """The document of `episodes list --json`."""
    return [episode_json(episode) for episode in episodes]


def trace_json(episode: Episode) -> dict[str, Any]:
    """The document of `episodes show --json`: as in the list, and the whole trace."""
    attempts = [
        json_value(attempt)
        | {
            "claims": claims_json(attempt.answer.claims, attempt.verdict.judgements),
            "passages": [passage_json(passage) for passage in attempt.passages],
            "scores": dict(attempt.evaluation.scores),
        }
        for attempt in episode.attempts
    ]
    trace = {"attempts": attempts, "rejections": dict(episode.rejections), "models": dict(episode.models)}
    return episode_json(episode) | {
        key: trace.get(key, value) for key, value in json_value(episode).items() if key != "metrics"
    }


def replays_json(replays: Sequence[Replay]) -> dict[str, Any]:
    """The document of `episodes replay --json`."""
    episodes = [
        {
            "id": replay.episode,
            "status": replay.status,
            "same": replay.same,
            "extent": replay.extent,
            "steps": replay.steps,
            "differences": json_value(replay.differences),
            "note": replay.note,
        }
        for replay in replays
    ]
    return {"same": all(replay.same for replay in replays), "episodes": episodes}


def film_json(film: Film) -> dict[str, Any]:
    """The document of `episodes filmstrip --json`."""
    document: dict[str, Any] = json_value(film)
    return document


def checks_json(checks: Sequence[Check]) -> dict[str, Any]:
    """The document of `doctor --json`."""
    return {"ready": all(check.state != "missing" for check in checks), "checks": json_value(checks)}

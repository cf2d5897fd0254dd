"""What was kept and what was tried, as text for a person: entries, what reading them again found, episodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from drzero.curating import Shown
from drzero.datasets.values import Dataset
from drzero.disputing import Standing
from drzero.kb.reviews import Change, Review
from drzero.kb.stats import Stats
from drzero.kb.topics import Topic
from drzero.loop.metrics import METRIC_NAMES, METRIC_VERSION
from drzero.loop.refusals import meaning
from drzero.loop.replay import Replay
from drzero.output import claims_text, events_text, place, shortened, table
from drzero.profiles import Profile
from drzero.results import Exported, Film, Merged, Recheck, RunRecord
from drzero.text import clean_title, counted, duration, printable
from drzero.types import Entry, Episode, EpisodeSummary

_DIFFERENCES_SHOWN = 20  # of one episode
_QUICK_S = 0.05  # a step that takes less would be shown as "0.0 s"
SEEDS_SHOWN = 10  # articles of a run; `--json` has them all


def entries_text(entries: Sequence[Entry]) -> str:
    """What `kb list` prints."""
    return _entries_table(entries) or "There are no entries yet."


def chosen_text(entries: Sequence[Entry]) -> str:
    """What `kb list` prints when only some entries were asked for."""
    return _entries_table(entries) or "No entry is so."


def found_text(entries: Sequence[Entry]) -> str:
    """What `kb search` prints."""
    return _entries_table(entries) or "No entry has these words."


def _entries_table(entries: Sequence[Entry]) -> str:
    rows = [(e.id, "retired" if e.retired else e.status, e.level, e.type, shortened(e.question, 70)) for e in entries]
    return table(("id", "status", "level", "type", "question"), rows)


def entry_text(entry: Entry) -> str:
    """An entry as text: its answer, its claims with their quotes, and what is known of it."""
    return (
        f"{entry.question}\n\n{entry.answer}\n\n{claims_text(entry.claims, entry.judgements)}\n\n{_facts(entry)}\n"
        f"id {entry.id}, episode {entry.episode_id}, {entry.created_at}"
        + (f"\nArchives:\n{_sources(entry)}" if entry.archives else "")
    )


def _facts(entry: Entry) -> str:
    """Profile, type, level, status and scores on one line, and on the next why it is not current."""
    scores = ", ".join(f"{name} {value:.2f}" for name, value in entry.scores)
    status = "retired" if entry.retired else entry.status
    why = f"\n{status.capitalize()}: {printable(' '.join(entry.status_reasons))}" if entry.status_reasons else ""
    return f"{entry.profile}, {entry.type}, {entry.level}, {status}; overall {entry.overall:.2f} ({scores}){why}"


def _sources(entry: Entry) -> str:
    return "\n".join(f"  {name}{f', {date}' if date else ''} ({zim_id})" for zim_id, name, date in entry.archives)


def profiles_text(profiles: Sequence[Profile]) -> str:
    """What `profiles` prints."""
    return "\n\n".join(_profile_text(profile) for profile in profiles)


def _profile_text(profile: Profile) -> str:
    scores = ", ".join(f"{name} {weight:g}" for name, weight in profile.weights)
    rows = [(kind.name, ", ".join(kind.levels), len(kind.examples), kind.asks) for kind in profile.types]
    return f"{profile.name}: {profile.title}\nScores: {scores}\n{table(('type', 'levels', 'examples', 'asks'), rows)}"


def dataset_text(made: Dataset) -> str:
    """What `episodes export` prints: what was written, and what was left out and why."""
    sides = f": train {made.split.train:,}, test {made.split.test:,}" if made.format != "metrics" else ""
    lines = [
        f"Wrote {printable(made.output)} in {duration(made.elapsed_s)}: lines {made.lines:,} of {made.episodes:,} "
        f"episodes{sides}."
    ]
    if made.left_out:
        lines += ["Left out:", *(f"  {count:,}  {reason}" for reason, count in made.left_out)]
    return "\n".join(lines)


def exported_text(result: Exported) -> str:
    """What `kb export` prints."""
    counts = (
        ("entries", result.entries),
        ("subjects", result.subjects),
        ("statements", result.statements),
        ("references", result.references),
        ("archives", result.archives),
    )
    told = ", ".join(f"{what} {count:,}" for what, count in counts)
    size = f"{result.bytes / 1e6:,.1f} MB"
    return f"Wrote {printable(result.output)} ({size}) in {duration(result.elapsed_s)}: {told}."


def shown_text(shown: Shown) -> str:
    """What `kb show` prints: the entry, its quotes between » and « in the words around them, how it came about."""
    entry, origin = shown.entry, shown.origin
    parts = [f"{entry.question}\n\n{entry.answer}", _evidence(shown), _facts(entry)]
    run = f" of run {origin.run}, iteration {origin.iteration + 1}" if origin.run else ""
    by = f" by {entry.model}" if entry.model else ""
    tries = f", {counted(origin.attempts, 'blind attempt')}" if origin.attempts else ""
    judge = f", judged by {origin.judge}" if origin.judge else ""
    parts.append(
        printable(f"Found {entry.created_at[:10]} in episode {entry.episode_id or '(none)'}{run}{by}{tries}{judge}.")
        + (f"\nAbout: {printable(entry.topic)}" if entry.topic else "")
        + f"\nid {entry.id}"
    )
    if entry.archives:
        parts[-1] += f"\nArchives:\n{_sources(entry)}"
    parts += [text for text in (_past(shown), standing_text(shown.standing)) if text]
    return "\n\n".join(parts)


def _evidence(shown: Shown) -> str:
    lines = []
    for claim, judgement, contexts in zip(shown.entry.claims, shown.entry.judgements, shown.contexts, strict=True):
        lines.append(f"- {claim.text}")
        lines.append(f"  {judgement.verdict} (probability {judgement.probability:.2f})")
        lines += [f"  {printable(reason)}" for reason in judgement.reasons]
        for cited, context in zip(claim.citations, contexts, strict=True):
            lines.append(f"  [{cited.n}] {place(cited.title, cited.heading)}  ({cited.index}: {printable(cited.path)})")
            lines.append(f"      {clean_title(f'{context.before}»{cited.quote}«{context.after}')}")
            if context.fault:
                lines.append(f"      Not read there now: {printable(context.fault)}")
    return "\n".join(lines)


def _past(shown: Shown) -> str:
    lines = []
    for one in shown.reviews:
        who = f" by {one.reviewer}" if one.reviewer else ""
        what = {"accept": "Accepted", "correct": "Corrected", "retire": "Retired"}[one.decision]
        lines.append(printable(f"{what} on {one.at[:10]}{who}{f': {one.reason}' if one.reason else '.'}"))
    lines += [f"Before {change.at[:10]} ({change.what}): {_before(change)}" for change in shown.history]
    return "\n".join(lines)


def _before(change: Change) -> str:
    said = change.before
    if isinstance(said, dict) and "answer" in said:
        return shortened(str(said["answer"]), 200)
    if isinstance(said, dict) and "status" in said:
        return printable(" ".join((f"{said['status']}.", *map(str, said.get("reasons", ())))))
    return counted(len(said), "citation") if isinstance(said, list) else ""


def review_text(review: Review) -> str:
    """What `kb review` prints."""
    what = {"accept": "accepted", "correct": "corrected", "retire": "retired"}[review.decision]
    return f"Entry {review.entry_id} is {what}."


def topics_text(topics: Sequence[Topic]) -> str:
    """What `kb topics` prints."""
    rows = [(shortened(t.title, 60), t.entries, t.stale, t.disputed, t.newest[:10]) for t in topics]
    return table(("topic", "entries", "stale", "disputed", "newest"), rows) or "There are no topics yet."


def stats_text(stats: Stats) -> str:
    """What `kb stats` prints."""
    parts = [
        f"Entries {stats.entries:,} on {stats.topics:,} topics, with {stats.claims:,} claims and "
        f"{stats.citations:,} citations; from {stats.oldest[:10] or '-'} to {stats.newest[:10] or '-'}.",
        f"Episodes {stats.episodes:,} in {counted(stats.runs, 'run')}.",
    ]
    parts += [
        f"By {name}: {', '.join(f'{value} {count:,}' for value, count in pairs)}." for name, pairs in stats.by if pairs
    ]
    if stats.reviews:
        parts.append(f"Reviews: {', '.join(f'{value} {count:,}' for value, count in stats.reviews)}.")
    cited = [(printable(name), date, count) for name, date, count in stats.archives]
    return "\n".join(parts) + (f"\n\n{table(('archive', 'date', 'entries'), cited)}" if cited else "")


def standing_text(standing: Standing) -> str:
    """What `kb show` prints below an entry: what several archives support, and what contradicts it; "" for none."""
    several = [(at, count) for at, count in enumerate(standing.supports, 1) if count > 1]
    lines = [f"Claim {at} is supported by {count} archives independently." for at, count in several]
    for one in standing.disputes:
        where = f"entry {one.other_id}" if one.other_id else "another answer to the same question"
        lines += [
            f"{'Settled' if one.settled else 'Disputed'} since {one.found_at[:10]}:",
            f"  here: {printable(one.claim)}",
            f"  {where}: {printable(one.other_claim)}",
        ]
        if one.other:
            cited = dict.fromkeys((c.title, c.index, c.quote) for claim in one.other.claims for c in claim.citations)
            lines += [f"    {printable(f'{title} ({index}): “{quote}”')}" for title, index, quote in cited]
        if one.settled:
            lines.append(f"  {printable(one.settled)}")
    return "\n".join(lines)


def recheck_text(result: Recheck) -> str:
    """What `kb verify` prints."""
    lines = [f"Read again: citations {result.citations:,}, entries {result.entries:,}; stale: {len(result.stale):,}."]
    lines += [f"- {id_}: {printable(reason)}" for id_, reason in result.stale]
    how = "with the model" if result.judged else "without a model"
    count = result.judged or result.checked
    lines.append(f"Judged again {how}: entries {count:,}; disputed: {len(result.disputed):,}.")
    lines += [f"- {id_}: {printable(' '.join(reasons) or 'it was marked so.')}" for id_, reasons in result.disputed]
    if result.unchecked:
        lines.append(f"The model could not tell: {', '.join(result.unchecked)}.")
    if result.kept:
        lines.append(f"A person decided on these, and that stands: {len(result.kept):,}.")
        lines += [f"- {id_}: {printable(why)}" for id_, why in result.kept]
    if result.missing:
        lines.append(f"Nothing can be said of entries whose archives are not here: {len(result.missing):,}.")
        lines += [f"- {id_}: {printable(why)}" for id_, why in result.missing]
    if result.clashes:
        lines.append(f"New contradictions: {len(result.clashes):,}.")
        lines += [f"- {one} and {other}: {printable(why)}" for one, other, why in result.clashes]
    if result.carried:
        what = counted(result.carried, "citation")
        lines.append(
            f"Moved to where the words stand now: {what}."
            if result.moved
            else f"The words of {what} stand at another place now, as in a newer edition: "
            "`drzero kb verify --update` moves them there."
        )
    return "\n".join(lines)


def merged_text(result: Merged) -> str:
    """What `kb merge` prints."""
    shares = (
        (result.entries, "new"),
        (result.joined, "joined"),
        (result.replaced, "replaced"),
        (len(result.disputed), "disputed"),
    )
    lines = [f"Entries: {', '.join(f'{what} {count:,}' for count, what in shares)}."]
    lines += [f"- {id_}: {printable(why)}" for id_, why in result.disputed]
    lines.append(
        f"Also new: episodes {result.episodes:,}, runs {result.runs:,}, archives {result.archives:,}, "
        f"reviews {result.reviews:,}."
    )
    return "\n".join(lines)


def episodes_text(episodes: Sequence[EpisodeSummary]) -> str:
    """What `episodes list` prints."""
    rows = [(e.id, e.iteration + 1, e.status, e.reason, e.level, e.type, shortened(e.question, 60)) for e in episodes]
    return (
        table(("id", "iteration", "status", "reason", "level", "type", "question"), rows)
        or "There are no episodes yet."
    )


def runs_text(records: Sequence[RunRecord]) -> str:
    """What `episodes runs` prints: a table, and for a single run its articles and what it did beside its episodes."""
    rows = [
        (
            one.run.id,
            one.run.status,
            f"{one.run.iterations_done} of {one.run.iterations}",
            one.episodes,
            one.accepted,
            one.run.profile,
            one.run.started_at,
        )
        for one in records
    ]
    shown = table(("run", "status", "iterations", "episodes", "accepted", "profile", "begun"), rows)
    if len(records) == 1:
        shown = "\n\n".join(part for part in (shown, _seeds(records[0]), events_text(records[0].events)) if part)
    return shown or "There are no runs yet."


def _seeds(record: RunRecord) -> str:
    """The articles that a run proposed from most."""
    rows = [
        (printable(one.path), one.proposals, one.copies, one.challenges, one.accepted, one.last_error)
        for one in record.seeds[:SEEDS_SHOWN]
    ]
    more = f"\nand {len(record.seeds) - SEEDS_SHOWN:,} more articles" if len(record.seeds) > SEEDS_SHOWN else ""
    return table(("article", "proposals", "repeats", "challenges", "accepted", "last refusal"), rows) + more


def episode_text(episode: Episode, *, every_step: bool = False) -> str:
    """What `episodes show` prints; without `every_step`, those that took no time to speak of are counted only."""
    lines = [f"Episode {episode.id} of run {episode.run}, iteration {episode.iteration + 1}"]
    lines.append(
        f"{episode.status}{f': {episode.reason}' if episode.reason else ''} after {duration(episode.elapsed_s)}"
    )
    if plain := meaning(episode.reason):
        lines.append(f"({plain})")
    if episode.challenge:
        lines += ["", f"Question:  {episode.challenge.question}", f"Reference: {episode.challenge.answer}"]
    for number, attempt in enumerate(episode.attempts, 1):
        best = ", the best" if number - 1 == episode.best else ""
        lines += ["", f"Attempt {number}{best}: {attempt.verdict.status}, overall {attempt.evaluation.overall:.2f}"]
        lines.append(claims_text(attempt.answer.claims, attempt.verdict.judgements) or "  (no answer)")
    if episode.rejections:
        lines += ["", "Proposals refused: " + ", ".join(f"{reason} {count}" for reason, count in episode.rejections)]
    if steps := _steps_text(episode, every_step):
        lines += ["", steps]
    values = zip(METRIC_NAMES, episode.metrics, strict=False)
    lines += ["", table((METRIC_VERSION, "value"), [(name, f"{value:.3f}") for name, value in values])]
    return "\n".join(lines)


def _steps_text(episode: Episode, every_step: bool) -> str:
    shown = list(_steps(episode, every_step))
    quick = sum(count for *_, count in _steps(episode, True)) - sum(count for *_, count in shown)
    rows = [(stage, f"{name}{f' ×{count:,}' if count > 1 else ''}", time) for stage, name, time, count in shown]
    lines = [table(("stage", "step", "time"), rows)] if rows else []
    if quick:
        less = f"took less than {_QUICK_S:g} s: -v shows"
        lines.append(f"and {quick:,} more that {less} every step." if rows else f"All {quick:,} steps {less} them.")
    return "\n".join(lines)


def _steps(episode: Episode, every_step: bool) -> Iterator[tuple[str, str, str, int]]:
    """(stage, name, time, how many) in order, those of one kind that follow each other as one."""
    for (stage, name), group in groupby(episode.steps, key=lambda step: (step.stage, step.name)):
        times_s = [step.elapsed_s for step in group]
        if every_step or sum(times_s) >= _QUICK_S:
            yield stage, name, duration(sum(times_s)), len(times_s)


def replays_text(replays: Sequence[Replay]) -> str:
    """What `episodes replay` prints: a line for each episode, and below it what differs."""
    lines = []
    for replay in replays:
        count = len(replay.differences)
        came = "came out the same" if replay.same else f"{count:,} {'thing differs' if count == 1 else 'things differ'}"
        lines.append(f"{replay.episode} {replay.status}, steps {replay.steps:,}: {came}.")
        lines += [
            f"  {one.where}: {_shown(one.recorded)} → {_shown(one.now)}"
            for one in replay.differences[:_DIFFERENCES_SHOWN]
        ]
        if count > _DIFFERENCES_SHOWN:
            lines.append(f"  … and {count - _DIFFERENCES_SHOWN:,} more; --json tells all.")
    lines += sorted({replay.note for replay in replays if replay.note})
    if len(replays) > 1:
        lines.append(f"Episodes {len(replays):,}, the same {sum(replay.same for replay in replays):,}.")
    return "\n".join(lines) or "The run has no episodes yet."


def film_text(film: Film) -> str:
    """What `episodes filmstrip` prints: the files that were written."""
    written = [*film.pages, *([film.chart] if film.chart else [])]
    return f"Run {film.run}, episodes {film.episodes:,}:\n" + "\n".join(f"  {printable(path)}" for path in written)


def _shown(value: Any) -> str:
    return shortened(printable(value) if isinstance(value, str) else repr(value), 60) or "nothing"

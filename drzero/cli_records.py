"""The commands that look into the knowledge base: `drzero kb` and `drzero episodes`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from drzero.terminal import LOST, Call, common, json_command, judging_options, not_blank, refuse_models_unless

if TYPE_CHECKING:
    from drzero.types import Episode

limit_option = click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many to show at most."
)


@click.group()
@common
def kb() -> None:
    """Look into the knowledge base: what was verified."""


def _date(_: click.Context, __: click.Parameter, value: str) -> str:
    from datetime import date

    try:
        return date.fromisoformat(value).isoformat() if value else ""
    except ValueError:
        raise click.BadParameter(f"{value} is no date: write it as 2026-01-31.") from None


@kb.command("list")
@click.option("--topic", default="", metavar="TEXT", help="Only entries about what has these words in its title.")
@click.option("--type", "type_", metavar="NAME", help="Only this type of question, such as factual.")
@click.option("--level", type=click.Choice(["easy", "medium", "hard", "expert"]), help="Only this level.")
@click.option("--profile", metavar="NAME", help="Only entries of this profile.")
@click.option("--status", type=click.Choice(["current", "stale", "disputed"]), help="Only entries that are so.")
@click.option("--since", default="", callback=_date, metavar="DATE", help="Only entries of this day or later.")
@click.option("--retired", is_flag=True, help="Those that a person retired, in place of all others.")
@limit_option
@json_command
def kb_list(call: Call, /, *, type_: str | None, limit: int, **filters: Any) -> None:
    """List entries, the newest first.

    \b
    Example:
      drzero kb list --topic "ray charles" --since 2026-01-31 --limit 5
    """
    from drzero import documents, listings, records

    found = records.entries(call.workspace, limit=limit, type=type_, **filters)
    chosen = type_ or any(filters.values())
    call.give(found, documents.entries_json, listings.chosen_text if chosen else listings.entries_text)


@kb.command("search")
@click.argument("query", callback=not_blank)
@limit_option
@json_command
def kb_search(call: Call, query: str, limit: int) -> None:
    """Find entries by the words of QUERY.

    \b
    Example:
      drzero kb search piano
    """
    from drzero import documents, listings, records

    call.give(records.entries(call.workspace, query=query, limit=limit), documents.entries_json, listings.found_text)


@kb.command("show")
@click.argument("entry_id", metavar="ID")
@json_command
def kb_show(call: Call, entry_id: str) -> None:
    """Show one entry with its claims and the words that support them.

    \b
    Example:
      drzero kb show 3f2a
    """
    from drzero import curating, documents, listings

    call.give(curating.show(call.workspace, entry_id), documents.shown_json, listings.shown_text)


@kb.command("topics")
@click.argument("text", metavar="[TEXT]", default="")
@limit_option
@json_command
def kb_topics(call: Call, text: str, limit: int) -> None:
    """List what entries are about, most entries first.

    With TEXT only topics that have its words in their title.

    \b
    Example:
      drzero kb topics --limit 5
    """
    from drzero import documents, listings, records

    call.give(records.topics(call.workspace, words=text, limit=limit), documents.topics_json, listings.topics_text)


@kb.command("stats")
@json_command
def kb_stats(call: Call) -> None:
    """Count entries, claims and citations, by status, type, level, profile and archive.

    \b
    Example:
      drzero kb stats
    """
    from drzero import documents, listings, records

    call.give(records.stats(call.workspace), documents.stats_json, listings.stats_text)


@kb.command("review")
@click.argument("entry_id", metavar="ID")
@click.option("--accept", is_flag=True, help="The entry is right: it stays current, whatever a check says.")
@click.option("--correct", metavar="TEXT", help="The right answer, which takes the place of that of the entry.")
@click.option("--retire", is_flag=True, help="Take the entry out: never shown, exported, asked or found again.")
@click.option("--reason", default="", metavar="TEXT", help="Why.")
@click.option("--reviewer", default="", metavar="NAME", help="Who decides.")
@json_command
def kb_review(
    call: Call, /, *, entry_id: str, accept: bool, correct: str | None, retire: bool, reason: str, reviewer: str
) -> None:
    """Accept, correct or retire an entry; a person's word wins.

    What the entry was before is kept. Decide again to change it: --accept brings back an entry that was retired.

    \b
    Example:
      drzero kb review 3f2a --retire --reason "It confuses two people." --reviewer Ann
    """
    from drzero import curating, documents, listings

    if accept + retire + (correct is not None) != 1:
        raise click.UsageError("Say one of --accept, --correct TEXT and --retire.")
    decision: Any = "accept" if accept else "retire" if retire else "correct"
    made = curating.review(call.workspace, entry_id, decision, text=correct or "", reason=reason, reviewer=reviewer)
    call.give(made, documents.review_json, listings.review_text)


@click.group()
@common
def episodes() -> None:
    """Look into everything that was tried, accepted or not."""


@episodes.command("list")
@click.option("--run", default="", metavar="RUN", help="Only episodes of this run.")
@limit_option
@json_command
def episodes_list(call: Call, run: str, limit: int) -> None:
    """List episodes, the newest first.

    \b
    Example:
      drzero episodes list --limit 5
    """
    from drzero import documents, listings, records

    call.give(records.episodes(call.workspace, run=run, limit=limit), documents.episodes_json, listings.episodes_text)


@episodes.command("show")
@click.argument("episode_id", metavar="ID")
@json_command
def episodes_show(call: Call, episode_id: str) -> None:
    """Show one episode with its trace, and with -v every step of it.

    \b
    Example:
      drzero episodes show 3f2a --json
    """
    from drzero import documents, listings, records

    def show(episode: Episode) -> str:
        return listings.episode_text(episode, every_step=call.verbose > 0)

    call.give(records.episode(call.workspace, episode_id), documents.trace_json, show)


@episodes.command("replay")
@click.argument("episode_id", metavar="[ID]", default="")
@click.option("--run", default="", metavar="RUN", help="Every episode of this run, in place of one by its ID.")
@click.option("--with-model", is_flag=True, help="Ask writer and judge again, and say what differs.")
@judging_options
@json_command
def episodes_replay(call: Call, episode_id: str, run: str, with_model: bool) -> int:
    """Run an episode again from its record, and say what differs.

    Every answer of a model, every search and every draw is given back as it was recorded; gates, checks, verdicts,
    scores and metrics are worked out again and must come out the same. No model, index or archive is needed, except
    after --with-model; --judge and --llm name it. Leaves with 3 if something differs.

    \b
    Example:
      drzero episodes replay 3f2a
      drzero episodes replay --run 20260102 --with-model
    """
    if bool(episode_id) == bool(run):
        raise click.UsageError("Name one episode by its ID, or a run with --run.")
    refuse_models_unless(with_model, call)
    from drzero import documents, listings, replaying

    models = call.settings() if with_model else None
    with call.progress() as progress:
        found = replaying.replay(call.workspace, episode_id, run=run, models=models, progress=progress)
    call.give(found, documents.replays_json, listings.replays_text)
    return 0 if all(one.same for one in found) else LOST


_png = click.Path(dir_okay=False, path_type=Path)


def _is_png(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:  # noqa: ARG001
    if path is not None and path.suffix.lower() != ".png":
        raise click.BadParameter(f"{path} is to be a PNG file: let its name end in .png.")
    return path


@episodes.command("filmstrip")
@click.argument("run", metavar="RUN")
@click.option("--output", type=_png, callback=_is_png, required=True, metavar="PNG", help="File for the filmstrip.")
@click.option("--chart", type=_png, callback=_is_png, metavar="PNG", help="File for a chart by iteration, too.")
@json_command
def episodes_filmstrip(call: Call, run: str, output: Path, chart: Path | None) -> None:
    """Draw a run: for each episode a frame of its metrics, stage by stage.

    A frame has a column for each of the 14 metrics and a row for each stage, in colours of one scale from 0 to 1. Of
    more than 200 episodes, further pages go beside the file, as NAME-2.png and so on. The chart shows mean score,
    share accepted and level of each iteration.

    \b
    Example:
      drzero episodes filmstrip 20260102 --output run.png --chart chart.png
    """
    from drzero import documents, frames, listings, records

    film = frames.film(records.run_episodes(call.workspace, run), output, chart)
    call.give(film, documents.film_json, listings.film_text)


@episodes.command("runs")
@click.argument("run", metavar="[RUN]", default="")
@limit_option
@json_command
def episodes_runs(call: Call, run: str, limit: int) -> None:
    """List runs, the newest first, or show what RUN did beside its episodes.

    That is how the level moved, which iterations brought nothing new, what was changed then and why, and how it fared
    with the articles it asked about most.

    \b
    Example:
      drzero episodes runs
    """
    from drzero import documents, listings, records

    call.give(records.runs(call.workspace, run=run, limit=limit), documents.runs_json, listings.runs_text)

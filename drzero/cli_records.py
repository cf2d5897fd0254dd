"""The commands that look into the knowledge base: `drzero kb` and `drzero episodes`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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


@kb.command("list")
@limit_option
@json_command
def kb_list(call: Call, limit: int) -> None:
    """List entries, the newest first.

    \b
    Example:
      drzero kb list --limit 5
    """
    from drzero import documents, listings, records

    call.give(records.entries(call.workspace, limit=limit), documents.entries_json, listings.entries_text)


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
    from drzero import disputing, documents, listings, records

    standing = disputing.standing(call.workspace, entry_id)
    call.give(
        records.entry(call.workspace, entry_id),
        lambda entry: documents.entry_json(entry) | documents.standing_json(standing),
        lambda entry: f"{listings.entry_text(entry)}\n{listings.standing_text(standing)}".rstrip(),
    )


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

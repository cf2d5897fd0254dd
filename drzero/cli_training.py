"""The command that gives what was tried as training data: `drzero episodes export`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from drzero.terminal import LOST, Call, json_command

FORMATS = ("sft", "dpo", "rl", "metrics")


def _share(_: click.Context, __: click.Parameter, value: float) -> float:
    if not 0 <= value < 1:  # which a range lets pass when it is no number
        raise click.BadParameter("it is to be a share: 0 or more, and less than 1")
    return value


@click.command("export")
@click.option("--format", type=click.Choice(FORMATS), required=True, help="What to write.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="PATH",
    help="New folder to write; of metrics, a file that ends in .csv or .parquet.",
)
@click.option("--run", default="", metavar="RUN", help="Only episodes of this run.")
@click.option("--profile", default="", metavar="NAME", help="Only episodes of this profile.")
@click.option(
    "--split-seed", type=int, default=0, show_default=True, metavar="N", help="Which articles are for testing."
)
@click.option(
    "--test-share",
    type=float,
    callback=_share,
    default=0.1,
    show_default=True,
    metavar="SHARE",
    help="Share of the lines for testing, at most; 0 for none.",
)
@click.option("--questions", is_flag=True, help="Of sft, lines that teach to ask as well: source → question.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@json_command
def episodes_export(call: Call, /, **chosen: Any) -> int:
    """Write training data from what was tried, with its sources.

    sft has chat lines with the evidence that the solver saw and its verified answer; dpo pairs of a verified and a
    refused answer to the same question; rl questions with verified answers, gold passages, hops and solve rate; metrics
    a row with the 14 numbers of each episode. Lines are split so that train and test share no article, and a card tells
    of counts, sources, licences and filters. A folder that an earlier export made is replaced; anything else that is
    there already stays.

    \b
    Example:
      drzero episodes export --format sft --output sft
      drzero episodes export --format metrics --output metrics.csv
    """
    if chosen["questions"] and chosen["format"] != "sft":
        raise click.UsageError("--questions is of use only with --format sft.")
    from drzero import documents, listings, training
    from drzero.datasets.values import ExportOptions

    with call.progress() as progress:
        made = training.export(call.workspace, ExportOptions(**chosen), progress)
    call.give(made, documents.dataset_json, listings.dataset_text)
    for sentence in made.notes:
        call.note(sentence)
    return LOST if made.format != "metrics" and chosen["test_share"] and not made.split.test else 0

"""The commands that measure: `drzero eval`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from drzero.terminal import (
    LOST,
    Call,
    answering_options,
    common,
    index_option,
    json_command,
    judging_options,
    mode_option,
    profile_option,
    searching_options,
    setting,
)

if TYPE_CHECKING:
    from drzero.results import Mode

_PART = click.Choice(["examples", "variants", "search", "confidence"])
gold_argument = click.argument("gold", metavar="GOLD.jsonl", type=click.Path(path_type=Path))


@click.group("eval")
@common
def evaluation() -> None:
    """Measure on labelled questions or pairs."""


@evaluation.command("retrieval")
@gold_argument
@index_option
@mode_option
@searching_options
@json_command
def eval_retrieval(call: Call, gold: Path, indexes: tuple[str, ...], mode: Mode) -> None:
    """Measure how well search finds the articles that answer a question.

    \b
    Example:
      drzero eval retrieval gold.jsonl --index xquad_en
    """
    from drzero import documents, figures, measuring

    with call.progress() as progress:
        found = measuring.measure_retrieval(
            call.workspace, call.settings(), gold, indexes=indexes, mode=mode, progress=progress
        )
    call.give(found, documents.json_value, figures.figures_text)


@evaluation.command("answers")
@gold_argument
@index_option
@answering_options
@json_command
def eval_answers(call: Call, gold: Path, indexes: tuple[str, ...]) -> None:
    """Measure answers and their citations against known ones.

    \b
    Example:
      drzero eval answers gold.jsonl --index xquad_en
    """
    from drzero import documents, figures, measuring

    with call.progress() as progress:
        found = measuring.measure_answers(call.workspace, call.settings(), gold, indexes=indexes, progress=progress)
    call.give(found, documents.json_value, figures.figures_text)


@evaluation.command("verifier")
@gold_argument
@judging_options
@json_command
def eval_verifier(call: Call, gold: Path) -> None:
    """Measure the verifier on labelled claim and passage pairs.

    \b
    Example:
      drzero eval verifier pairs.jsonl
    """
    from drzero import documents, figures, measuring

    with call.progress() as progress:
        found = measuring.measure_verifier(call.workspace, call.settings(), gold, progress=progress)
    call.give(found, documents.json_value, figures.figures_text)


@evaluation.command("evolve")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option("--without", multiple=True, type=_PART, help="Also what was learnt without this; may be repeated.")
@click.option("--only", multiple=True, type=_PART, help="Also this part alone; may be repeated.")
@click.option(
    "--wording", "wordings", multiple=True, metavar="NAME", help="Also nothing but this wording, as ask/brief."
)
@click.option("--questions", is_flag=True, help="Also have a question made of each challenge's own passage.")
@click.option("--with-tried", is_flag=True, help="Also ask what decided which settings and wordings were kept.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask N challenges at most.")
@index_option
@profile_option
@answering_options
@json_command
def eval_evolve(call: Call, /, **chosen: Any) -> None:
    """Measure what the loop learnt, on challenges it set aside.

    The same challenges are solved under what each RUN had learnt; without
    runs, under nothing learnt and under all that is learnt by now.

    \b
    Example:
      drzero eval evolve --only examples --only search
    """
    from drzero import comparing, documents, figures, results

    options = results.CompareOptions(**chosen)
    with call.progress() as progress:
        found = comparing.measure_evolve(call.workspace, call.settings(), options, progress=progress)
    call.give(found, documents.json_value, figures.comparison_text)


@evaluation.command("calibrate")
@click.argument("pairs", metavar="PAIRS.jsonl", type=click.Path(path_type=Path))
@setting(
    "--precision",
    "verify.precision",
    kind=float,
    metavar="P",
    text="Share of claims called supported that must be so (default 0.93).",
)
@click.option("--save", is_flag=True, help="Keep the calibration in this workspace, for this judge alone.")
@judging_options
@json_command
def eval_calibrate(call: Call, pairs: Path, save: bool) -> int:
    """Calibrate the judge on labelled claim and passage pairs.

    Shows how well its probabilities hold, and the least one from which it
    may be believed. Every figure is of pairs that were held out.

    \b
    Example:
      drzero eval calibrate pairs.jsonl --precision 0.95 --save
    """
    from drzero import documents, figures, measuring

    with call.progress() as progress:
        report = measuring.measure_calibration(call.workspace, call.settings(), pairs, save=save, progress=progress)
    call.give(report.figures, documents.json_value, figures.calibration_text)
    if report.calibration is not None:
        return 0
    call.note(figures.unreached_note(report.figures))
    return LOST

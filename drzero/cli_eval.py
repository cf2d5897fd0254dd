"""The commands that measure: `drzero eval`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from drzero.terminal import (
    Call,
    common,
    embedder_option,
    index_option,
    json_option,
    llm_option,
    mode_option,
    pass_call,
    reranker_option,
)

if TYPE_CHECKING:
    from drzero.results import Mode

gold_argument = click.argument("gold", metavar="GOLD.jsonl", type=click.Path(path_type=Path))


@click.group("eval")
@common
def evaluation() -> None:
    """Measure on labelled questions or pairs."""


@evaluation.command("retrieval")
@gold_argument
@index_option
@mode_option
@embedder_option
@reranker_option
@json_option
@common
@pass_call
def eval_retrieval(call: Call, gold: Path, indexes: tuple[str, ...], mode: Mode) -> None:
    """Measure how well search finds the articles that answer a question.

    \b
    Example:
      drzero eval retrieval gold.jsonl --index xquad_en
    """
    from drzero import documents, measuring, output

    with call.progress() as progress:
        figures = measuring.measure_retrieval(
            call.workspace, call.settings(), gold, indexes=indexes, mode=mode, progress=progress
        )
    call.give(figures, documents.json_value, output.figures_text)


@evaluation.command("answers")
@gold_argument
@index_option
@llm_option
@embedder_option
@reranker_option
@json_option
@common
@pass_call
def eval_answers(call: Call, gold: Path, indexes: tuple[str, ...]) -> None:
    """Measure answers and their citations against known ones.

    \b
    Example:
      drzero eval answers gold.jsonl --index xquad_en
    """
    from drzero import documents, measuring, output

    with call.progress() as progress:
        figures = measuring.measure_answers(call.workspace, call.settings(), gold, indexes=indexes, progress=progress)
    call.give(figures, documents.json_value, output.figures_text)


@evaluation.command("verifier")
@gold_argument
@llm_option
@json_option
@common
@pass_call
def eval_verifier(call: Call, gold: Path) -> None:
    """Measure the verifier on labelled claim and passage pairs.

    \b
    Example:
      drzero eval verifier pairs.jsonl
    """
    from drzero import documents, measuring, output

    with call.progress() as progress:
        figures = measuring.measure_verifier(call.workspace, call.settings(), gold, progress=progress)
    call.give(figures, documents.json_value, output.figures_text)

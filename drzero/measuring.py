"""`drzero eval`: gold files measured on the indexes and models of a workspace."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from drzero.answering import answer_afresh, load_judge, workbench
from drzero.config import Settings
from drzero.evaluation import (
    Figures,
    evaluate_answers,
    evaluate_retrieval,
    evaluate_verifier,
    load_pairs,
    load_questions,
)
from drzero.pipeline import ShowProgress, make_ready, searcher
from drzero.results import AskResult, Mode
from drzero.types import Progress
from drzero.workspace import Workspace

P = ParamSpec("P")
R = TypeVar("R")


def measure_retrieval(
    workspace: Workspace,
    settings: Settings,
    gold: Path,
    *,
    indexes: tuple[str, ...] = (),
    mode: Mode = "hybrid",
    progress: ShowProgress,
) -> Figures:
    """How well search finds the gold articles; raises DrZeroError for a gold file that is none."""
    questions = load_questions(gold)
    with searcher(workspace, settings, indexes=indexes, mode=mode) as find:
        return evaluate_retrieval(questions, _told(find, len(questions), "questions", progress))


def measure_answers(
    workspace: Workspace, settings: Settings, gold: Path, *, indexes: tuple[str, ...] = (), progress: ShowProgress
) -> Figures:
    """How well fresh answers and their citations agree with the gold ones; the knowledge base is not asked."""
    questions = load_questions(gold)
    ready = make_ready(workspace, settings, indexes)
    with workbench(workspace, settings, ready) as bench:

        def answer(question: str) -> AskResult:
            return answer_afresh(bench, settings, question, code=ready.profile.keeps_code)

        return evaluate_answers(questions, _told(answer, len(questions), "questions", progress))


def measure_verifier(workspace: Workspace, settings: Settings, gold: Path, *, progress: ShowProgress) -> Figures:
    """How well the verifier agrees with labelled pairs."""
    pairs = load_pairs(gold)
    judge = load_judge(workspace, settings)
    return evaluate_verifier(pairs, _told(judge, len(pairs), "pairs", progress))


def _told(work: Callable[P, R], total: int, unit: str, progress: ShowProgress) -> Callable[P, R]:
    """`work`, telling after each call how many of `total` are done."""
    seen: set[Any] = set()
    started = time.monotonic()

    def call(*args: P.args, **options: P.kwargs) -> R:
        result = work(*args, **options)
        seen.add(args)
        done, elapsed_s = min(len(seen), total), time.monotonic() - started
        progress(Progress.at(done, total, unit, elapsed_s))
        return result

    return call

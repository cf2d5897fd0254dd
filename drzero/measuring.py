"""`drzero eval`: gold files measured on the indexes and models of a workspace."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from drzero.answering import answer_afresh, load_verifier, load_writer, workbench
from drzero.calibrating import CalibrationReport, calibrate, refuse_few
from drzero.config import Settings
from drzero.evaluation import (
    Figures,
    evaluate_answers,
    evaluate_retrieval,
    evaluate_verifier,
    load_pairs,
    load_questions,
)
from drzero.judges import keep_calibration, kept_calibrations, load_signals, overriding
from drzero.loop.verify import inquire_pair
from drzero.pipeline import ShowProgress, find_writer, make_ready, searcher
from drzero.results import AskResult, Mode
from drzero.types import Fault, Progress
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


def measure_verifier(
    workspace: Workspace, settings: Settings, gold: Path, *, progress: ShowProgress = lambda _: None
) -> Figures:
    """How well the verifier agrees with labelled pairs."""
    pairs = load_pairs(gold)
    judge = load_verifier(workspace, settings)
    return evaluate_verifier(pairs, judge, tell=_counted(len(pairs), progress))


def measure_calibration(
    workspace: Workspace, settings: Settings, gold: Path, *, save: bool = False, progress: ShowProgress = lambda _: None
) -> CalibrationReport:
    """Calibrate the judge in the settings on labelled pairs, for the precision in the settings; see `calibrate`.

    With `save` the calibration is kept in the workspace, and used for this judge from then on. Among the figures,
    `saved` is the file, or None, and `min_probability` the threshold in the settings that stands in place of the one
    found, or None. Raises DrZeroError, before a model is loaded, for too few pairs.
    """
    pairs = load_pairs(gold)
    refuse_few(pairs)
    kept_calibrations(workspace)  # a broken file is told before the work, not after it
    signals = load_signals(workspace, settings, lambda: load_writer(find_writer(workspace, settings), settings))
    report = calibrate(
        pairs,
        signals,
        prepare=questions,
        precision=settings.verify.precision,
        tell=_counted(len(pairs), progress),
    )
    saved = keep_calibration(workspace, report.calibration) if save and report.calibration is not None else None
    more = {"saved": str(saved) if saved else None, "min_probability": overriding(settings)}
    return CalibrationReport(report.calibration, report.figures | more)


def questions(claim: str, passage: str) -> Fault | Sequence[tuple[str, str]]:
    """What the verifier asks of the judge about a claim and a passage, or the fault for which it does not ask."""
    found = inquire_pair(claim, passage)
    return found.fault or found.pairs


def _counted(total: int, progress: ShowProgress) -> Callable[[int], None]:
    """Tell how many of `total` pairs are done."""
    started = time.monotonic()
    return lambda done: progress(Progress.at(min(done, total), total, "pairs", time.monotonic() - started))


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

"""The judge that the settings name, and the calibration by which it is believed.

A workspace may keep calibrations of its own, each for one judge and used for that one alone; any other judge has the
packaged one of its name or kind.
"""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from drzero.config import Settings
from drzero.errors import ModelError, SettingsError
from drzero.files import sync
from drzero.loop.calibration import Calibration, Named, default_calibration, from_json, to_json
from drzero.loop.entailment import Calibrated, SaidFirst, WriterSignals, writer_judge_id
from drzero.loop.verbatim import VerbatimSignals
from drzero.loop.verify import Thresholds
from drzero.models.resolve import ResolvedModel
from drzero.pipeline import NO_WRITER, find_judge, find_writer
from drzero.types import LLM, EntailmentModel, SignalModel
from drzero.workspace import Workspace

_log = logging.getLogger(__name__)
_PATIENCE_S = 10  # for another process that is writing a calibration, which takes it no time
_ADVICE = "run `drzero eval calibrate PAIRS.jsonl --save` to fit one on pairs of your own"


@dataclass(frozen=True, slots=True)
class Judge:
    """An entailment model and the probability of support from which it is believed, in [0,1]."""

    entailment: EntailmentModel
    min_probability: float

    @property
    def thresholds(self) -> Thresholds:
        """As the verifier takes them."""
        return Thresholds(self.min_probability)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The judge that the settings name, before it is loaded: its id, its signals, and its folder (None: the writer)."""

    id: str
    names: tuple[str, ...]
    folder: ResolvedModel | None


def foresee_judge(workspace: Workspace, settings: Settings) -> Foreseen | None:
    """The judge in the settings as `load_judge` will have it, but nothing is loaded; None where there is none.

    The id of an NLI model lacks its precision until its graph is made. Raises ModelError.
    """
    found = find_judge(workspace, settings)
    if found is not None:
        from drzero.models.nli import nli_id, read_nli_settings

        return Foreseen(nli_id(found.path), read_nli_settings(found.path).labels.signals, found)
    from drzero.models.llama import writer_id

    writer = find_writer(workspace, settings)
    if writer is None:
        return Foreseen(VerbatimSignals.id, VerbatimSignals.names, None) if settings.models.judge == "auto" else None
    return Foreseen(writer_judge_id(writer_id(writer.path)), WriterSignals.names, None)


def load_judge(workspace: Workspace, settings: Settings, writer: Callable[[], LLM]) -> Judge:
    """The judge in the settings, loaded and calibrated; `writer` is called where the writer is to judge.

    What is to be known of the calibration is logged as a warning. Raises ModelError for a judge that does not load,
    SettingsError for a broken file of calibrations.
    """
    kept = kept_calibrations(workspace)  # told before anything is loaded
    signals = load_signals(workspace, settings, writer)
    return judge_of(signals, settings, kept)


def judge_of(signals: SignalModel, settings: Settings, kept: tuple[Calibration, ...] = ()) -> Judge:
    """A judge of these signals, calibrated by the one of `kept` that was fitted for it, else as packaged.

    A model is asked only about what is not said word by word in the evidence.
    """
    calibration, note = choose_calibration(signals, kept)
    if note:
        _log.warning(note)
    model, least = Calibrated(signals, calibration), overriding(settings) or calibration.threshold
    if signals.id == VerbatimSignals.id:
        return Judge(model, least)
    words = VerbatimSignals()
    plain, _ = choose_calibration(words, kept)
    return Judge(SaidFirst(Calibrated(words, plain), max(plain.threshold, least), model), least)


def overriding(settings: Settings) -> float | None:
    """The threshold in the settings, which stands in place of a calibration's own; None without one."""
    return settings.verify.min_probability or None


def overriding_note(probability: float) -> str:
    """How that is said, as half a sentence."""
    return f"verify.min_probability is {probability:g}, which stands in place of the threshold of any calibration"


def load_signals(workspace: Workspace, settings: Settings, writer: Callable[[], LLM]) -> SignalModel:
    """What gives the signals: the NLI folder in the settings, the writer that `writer` loads, or words alone.

    Without a writer or a folder only what is said in the evidence's own words is believed. Raises ModelError.
    """
    found = find_judge(workspace, settings)
    if found is None and settings.models.llm == NO_WRITER:
        if settings.models.judge != "auto":
            raise ModelError("The writer is to judge, but --llm none names none: use --judge auto, or name a writer.")
        return VerbatimSignals()
    if found is None:
        return signals_of_writer(writer())
    from drzero.models.nli import load_nli

    return load_nli(found.path, threads=settings.models.threads, note=_log.warning)


def signals_of_writer(llm: LLM) -> SignalModel:
    """What a writer gives when it judges."""
    return WriterSignals(llm)


def choose_calibration(signals: Named, kept: tuple[Calibration, ...]) -> tuple[Calibration, str]:
    """The calibration of this judge, and what is to be said of it in a sentence; "" where nothing is.

    Raises ModelError for a judge that has none.
    """
    own = next((one for one in kept if one.judge == signals.id and one.suits(signals)), None)
    if own is not None:
        return own, ""
    packaged = default_calibration(signals)
    if packaged is None:
        raise ModelError(f"There is no calibration for the judge {signals.id}: {_ADVICE}.")
    if kept:
        others = " and ".join(one.judge for one in kept)
        return packaged, (
            f"This workspace is calibrated for the judge {others}, not for {signals.id}, which is used as packaged: "
            f"{_ADVICE}."
        )
    if packaged.judge == "*":
        return packaged, (
            f"No calibration was ever fitted for the judge {signals.id}; a cautious one for any of its kind is used: "
            f"{_ADVICE}."
        )
    return packaged, ""


# --- a workspace's own calibrations ---------------------------------------------------------------------------------


def kept_calibrations(workspace: Workspace) -> tuple[Calibration, ...]:
    """The workspace's own calibrations; () without any. Raises SettingsError for a file that holds none."""
    path = workspace.calibrations
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except UnicodeDecodeError:
        reason = "it is not UTF-8 text"
    except OSError as error:
        reason = error.strerror or str(error)
    except ValueError as error:
        reason = str(error)
    raise SettingsError(f"{path} cannot be used ({reason}): mend it, or move it away and calibrate again.")


def keep_calibration(workspace: Workspace, calibration: Calibration) -> Path:
    """Write a calibration into the workspace, in place of an earlier one of the same judge; returns the file.

    The file is whole at any moment, and one that another process keeps meanwhile is not lost. Raises SettingsError
    where it cannot be written or is broken, BusyError when another process does not get ready with it.
    """
    path = workspace.calibrations
    partial = path.with_name(f".calibration-{uuid.uuid4().hex}")
    try:
        with workspace.locked("eval calibrate", wait_s=_PATIENCE_S):
            others = [one for one in kept_calibrations(workspace) if one.judge != calibration.judge]
            try:
                with open(partial, "x", encoding="utf-8") as file:  # may be read by whom all other files may
                    file.write(to_json(*others, calibration))
                sync(partial)
                os.replace(partial, path)
            finally:
                partial.unlink(missing_ok=True)
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be written ({error.strerror}): change the permissions of that folder, or work in another "
            "with --workspace."
        ) from error
    return path

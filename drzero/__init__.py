"""Turn offline ZIM archives into a verified, cited encyclopedia.

    from pathlib import Path
    from drzero import Settings, Workspace, search

    result = search(Workspace(Path(".")), Settings(), "When was Ray Charles born?")
    print(result.hits[0].chunk.text)

Everything named in `__all__` is public; importing the package loads none of it yet.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drzero.answering import ask, load_verifier, verify_pair
    from drzero.calibrating import calibrate
    from drzero.config import Settings, load_settings
    from drzero.errors import DrZeroError
    from drzero.estimating import estimate
    from drzero.evaluation import (
        LabelledPair,
        evaluate_answers,
        evaluate_retrieval,
        evaluate_verifier,
        load_pairs,
        load_questions,
    )
    from drzero.evolving import evolve
    from drzero.judges import keep_calibration, load_judge
    from drzero.measuring import measure_calibration, measure_verifier
    from drzero.pipeline import build_index, search
    from drzero.rechecking import verify_entries
    from drzero.records import entries, entry, episode, episodes
    from drzero.replaying import replay
    from drzero.results import BuildOptions, EvolveOptions
    from drzero.workspace import Workspace

__version__ = "0.1.0"

_HOMES = {
    "BuildOptions": "results",
    "DrZeroError": "errors",
    "EvolveOptions": "results",
    "LabelledPair": "evaluation",
    "Settings": "config",
    "Workspace": "workspace",
    "ask": "answering",
    "build_index": "pipeline",
    "calibrate": "calibrating",
    "entries": "records",
    "entry": "records",
    "episode": "records",
    "episodes": "records",
    "estimate": "estimating",
    "evaluate_answers": "evaluation",
    "evaluate_retrieval": "evaluation",
    "evaluate_verifier": "evaluation",
    "evolve": "evolving",
    "keep_calibration": "judges",
    "load_judge": "judges",
    "load_pairs": "evaluation",
    "load_questions": "evaluation",
    "load_settings": "config",
    "load_verifier": "answering",
    "measure_calibration": "measuring",
    "measure_verifier": "measuring",
    "replay": "replaying",
    "search": "pipeline",
    "verify_entries": "rechecking",
    "verify_pair": "answering",
}

__all__ = [
    "BuildOptions",
    "DrZeroError",
    "EvolveOptions",
    "LabelledPair",
    "Settings",
    "Workspace",
    "ask",
    "build_index",
    "calibrate",
    "entries",
    "entry",
    "episode",
    "episodes",
    "estimate",
    "evaluate_answers",
    "evaluate_retrieval",
    "evaluate_verifier",
    "evolve",
    "keep_calibration",
    "load_judge",
    "load_pairs",
    "load_questions",
    "load_settings",
    "load_verifier",
    "measure_calibration",
    "measure_verifier",
    "replay",
    "search",
    "verify_entries",
    "verify_pair",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"drzero.{_HOMES[name]}"), name)

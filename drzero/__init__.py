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
    from drzero.answering import ask, verify_pair
    from drzero.config import Settings, load_settings
    from drzero.errors import DrZeroError
    from drzero.estimating import estimate
    from drzero.evolving import evolve
    from drzero.pipeline import build_index, search
    from drzero.rechecking import verify_entries
    from drzero.records import entries, entry, episode, episodes
    from drzero.results import BuildOptions, EvolveOptions
    from drzero.workspace import Workspace

__version__ = "0.1.0"

_HOMES = {
    "BuildOptions": "results",
    "DrZeroError": "errors",
    "EvolveOptions": "results",
    "Settings": "config",
    "Workspace": "workspace",
    "ask": "answering",
    "build_index": "pipeline",
    "entries": "records",
    "entry": "records",
    "episode": "records",
    "episodes": "records",
    "estimate": "estimating",
    "evolve": "evolving",
    "load_settings": "config",
    "search": "pipeline",
    "verify_entries": "rechecking",
    "verify_pair": "answering",
}

__all__ = [
    "BuildOptions",
    "DrZeroError",
    "EvolveOptions",
    "Settings",
    "Workspace",
    "ask",
    "build_index",
    "entries",
    "entry",
    "episode",
    "episodes",
    "estimate",
    "evolve",
    "load_settings",
    "search",
    "verify_entries",
    "verify_pair",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"drzero.{_HOMES[name]}"), name)

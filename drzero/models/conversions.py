"""Converted models: ONNX graphs made once of each model folder, kept beside the fetched models, checked at each use.

They lie in the folder .onnx of the models' folder, or in the user's cache where that cannot be written, each under the
id of its model: another model of the same name is another conversion. A conversion is written beside its place, made
durable and renamed, so that what is there is whole.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from drzero.files import sha256_of, sync
from drzero.models.catalogue import models_folder

FORMAT = 1
RECORD = "conversion.json"
GRAPH = "model.onnx"
_MAKERS = ("onnx", "onnxruntime", "onnxscript", "sentence-transformers", "torch", "transformers")
_PARTIAL = ".partial-"
_ABANDONED_S = 24 * 3600


class Source(Protocol):
    """What is to be converted: the model's folder, and the module of drzero that converts such a one."""

    @property
    def folder(self) -> Path: ...  # noqa: D102
    @property
    def maker(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Conversion:
    """A graph that is ready: `path` lies in the conversion or in the model's own folder."""

    path: Path
    precision: str
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """There is no graph of this model: `reason` says why, in a few words."""

    reason: str


def conversion_places() -> tuple[Path, ...]:
    """Where conversions may lie, the best first: beside the fetched models, and in the user's cache."""
    home = Path.home()
    if sys.platform == "win32":
        cache = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        cache = home / "Library" / "Caches"
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return models_folder() / ".onnx", cache / "drzero" / "onnx"


def find_conversion(settings: Source, model_id: str) -> Conversion | Refusal | None:
    """The whole conversion of this model, or why there is none; None where it has to be made (anew)."""
    for place in conversion_places():
        found = _read(place / model_id, settings)
        if found is not None:
            return found
    return None


def make_conversion(settings: Source, model_id: str) -> Conversion | Refusal:
    """Convert the model, which takes up to a minute, in place of whatever is left of an earlier conversion."""
    reason = "no folder for it can be written"
    for place in conversion_places():
        try:
            place.mkdir(parents=True, exist_ok=True)
            partial = _new_folder(place)
        except OSError:
            continue
        try:
            _clear(place, settings, model_id)
            failed = _run(settings, partial)
            if failed is not None and not failed[1]:
                return Refusal(failed[0])
            try:
                _complete(partial, settings, model_id, failed[0] if failed else None)
                _put(partial, place / model_id, settings)
            except OSError as error:  # the disk is full, say
                reason = error.strerror or str(error)
                continue
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        return _read(place / model_id, settings) or Refusal("it was damaged while it was made")
    return Refusal(reason)


def drop_conversion(model_id: str) -> None:
    """Forget a conversion, so that it is made anew."""
    for place in conversion_places():
        shutil.rmtree(place / model_id, ignore_errors=True)


def installed_versions() -> dict[str, str]:
    """The versions of what makes conversions: one that failed is tried again when they change."""
    found = {}
    for name in _MAKERS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _run(settings: Source, target: Path) -> tuple[str, bool] | None:
    """Convert in a process of its own; returns None, or why not and whether it will never do."""
    root = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    # -P: what lies in the user's current folder, a json.py say, is none of our modules.
    command = [sys.executable, "-P", "-m", settings.maker, str(settings.folder.absolute()), str(target)]
    done = subprocess.run(  # noqa: S603 (our own module; the folder is an argument, not a command)
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        env=os.environ | {"PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"},
    )
    if done.returncode == 0:
        return None
    last = (done.stdout.strip() or done.stderr.strip() or f"it ended with status {done.returncode}").splitlines()[-1]
    return last, done.returncode == 2


def _complete(partial: Path, settings: Source, model_id: str, refused: str | None) -> None:
    """Add to the record what later uses check, and wait until all of it is on the disk."""
    if refused is None:
        record = json.loads((partial / RECORD).read_text(encoding="utf-8"))
    else:
        for left in partial.iterdir():
            left.unlink()
        record = {"format": FORMAT, "made_with": installed_versions(), "refused": refused}
    record |= {"id": model_id, "source": str(settings.folder.absolute())}
    graph = partial / GRAPH
    if graph.is_file():
        sync(graph)
        size, changed_ns = graph.stat().st_size, graph.stat().st_mtime_ns
        record["file"] = {"bytes": size, "mtime_ns": changed_ns, "sha256": sha256_of(graph).hex()}
    with open(partial / RECORD, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    sync(partial)


def _put(partial: Path, target: Path, settings: Source) -> None:
    """Rename, with what was there out of the way; a conversion that another process has just put there stays."""
    if isinstance(_read(target, settings), Conversion):
        return
    if target.exists():
        old = _new_folder(target.parent)
        try:
            with suppress(FileNotFoundError):  # another process has just done the same
                os.replace(target, old / "old")
        finally:
            shutil.rmtree(old, ignore_errors=True)
    try:
        os.rename(partial, target)
    except OSError:
        if not target.is_dir():
            raise
    sync(target.parent)


def _read(folder: Path, settings: Source) -> Conversion | Refusal | None:
    """What the conversion in `folder` is worth; None when it is absent, damaged, or of another format."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            return None
        if "refused" in record:
            return Refusal(str(record["refused"])) if record["made_with"] == installed_versions() else None
        graph, precision = str(record["graph"]), str(record["precision"])
        if graph.startswith("model:"):
            path = settings.folder / graph.removeprefix("model:")
            return Conversion(path, precision, record) if path.is_file() else None
        path, noted = folder / GRAPH, record["file"]
        found = path.stat()
        if found.st_size != noted["bytes"]:
            return None
        copied_or_changed = found.st_mtime_ns != noted["mtime_ns"]
        if copied_or_changed and sha256_of(path).hex() != noted["sha256"]:
            return None
        return Conversion(path, precision, record)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _clear(place: Path, settings: Source, model_id: str) -> None:
    """Remove conversions of what this model folder held before, and what interrupted conversions left."""
    for folder in place.iterdir():
        with suppress(OSError):  # another process has just renamed or removed it
            if _is_left_over(folder, settings, model_id):
                shutil.rmtree(folder, ignore_errors=True)


def _is_left_over(folder: Path, settings: Source, model_id: str) -> bool:
    source = settings.folder.absolute()
    if folder.name.startswith(_PARTIAL):
        return time.time() - folder.stat().st_mtime > _ABANDONED_S
    if folder.name == model_id or folder.name.rpartition("@")[0] != source.name:
        return False
    try:
        return bool(json.loads((folder / RECORD).read_text(encoding="utf-8")).get("source") == str(source))
    except (OSError, ValueError, AttributeError):
        return True


def _new_folder(place: Path) -> Path:
    """A new folder of a name that nothing else has; all who may read `place` may read it."""
    folder = place / f"{_PARTIAL}{uuid.uuid4().hex}"
    folder.mkdir()
    return folder

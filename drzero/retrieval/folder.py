"""The folder of an index and those beside it: where it grows, and where the one before waits during publication."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from drzero.errors import IndexFault
from drzero.files import sync
from drzero.retrieval.manifest import FILE_NAME as MANIFEST


def building(folder: Path) -> Path:
    """Where the index at `folder` grows."""
    return folder.with_name(f".{folder.name}.building")


def retired(folder: Path) -> Path:
    """Where the index that was at `folder` waits."""
    return folder.with_name(f".{folder.name}.old")


def publish(folder: Path) -> None:
    """Put the finished index in place of the one before."""
    before = retired(folder)
    if before.exists():
        shutil.rmtree(before)
    if folder.exists():
        folder.rename(before)
    building(folder).rename(folder)
    sync(folder.parent)
    shutil.rmtree(before, ignore_errors=True)


def recover(folder: Path) -> None:
    """Finish a publication that a kill cut short."""
    if (building(folder) / MANIFEST).is_file():
        publish(folder)
    elif not folder.exists() and retired(folder).exists():
        retired(folder).rename(folder)
    shutil.rmtree(retired(folder), ignore_errors=True)


@contextmanager
def writing(folder: Path, again: str) -> Iterator[None]:
    """Failures of the disk or of locks at `folder` as one sentence; the archive's own keep their shape."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise IndexFault(
            f"{folder} cannot be written ({error}); make room or choose another place, then {again}."
        ) from error
    except OSError as error:
        place = Path(os.fsdecode(error.filename)) if error.filename else folder
        if not place.is_relative_to(folder.parent):
            raise
        raise IndexFault(
            f"{folder} cannot be written ({error.strerror}); make room or choose another place, then {again}."
        ) from error

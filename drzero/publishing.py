"""A file or folder that appears whole or not at all, and takes the place of nothing that somebody else made."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from drzero.errors import OutputFault
from drzero.files import sync

MARKER = ".drzero-export"  # lies in every folder that an export made
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)


@contextmanager
def new_file(target: Path, *, force: bool = False) -> Iterator[Path]:
    """A place to write the file beside `target`, moved there when all went well and removed otherwise.

    OutputFault where `target` exists, unless `force`d, is a folder, or cannot be made.
    """
    refuse_file(target, force=force)
    aim = target.resolve()
    place = _place(aim)
    with _sentences(aim):
        _remove(place)
        try:
            yield place
            sync(place)
            refuse_file(target, force=force)  # it may have come meanwhile
            os.replace(place, aim)
            sync(aim.parent)
        finally:
            _remove(place)


@contextmanager
def new_folder(target: Path, made: str) -> Iterator[Path]:
    """An empty folder beside `target` to write into, moved there when all went well and removed otherwise.

    It takes the place of an empty folder and of one that was `made` so before, which is told by a marker within.
    OutputFault where anything else is there, or nothing can be made.
    """
    refuse_folder(target, made)
    aim = target.resolve()
    place, former = _place(aim), aim.with_name(f".{aim.name}.drzero-old")
    with _sentences(aim):
        _remove(place)
        place.mkdir()
        try:
            yield place
            (place / MARKER).write_text(json.dumps({"made": made}) + "\n", encoding="utf-8")
            sync(place)
            refuse_folder(target, made)
            _remove(former)
            if aim.exists():
                if hasattr(os, "sync"):
                    os.sync()  # all files of the new one, before the old one goes
                os.rename(aim, former)
            try:
                os.rename(place, aim)
            except OSError:
                if former.exists():
                    os.rename(former, aim)
                raise
            sync(aim.parent)
        finally:
            _remove(place)
            if aim.exists():
                _remove(former)


def refuse_file(target: Path, *, force: bool) -> None:
    """OutputFault where `new_file` would not take this target."""
    _refuse_parent(target)
    if target.is_dir():
        raise OutputFault(f"{target} is a folder, and the export is a file: name a file in it.")
    if target.exists() and not force:
        raise OutputFault(f"{target} is there already: name another file, or overwrite it with --force.")


def refuse_folder(target: Path, made: str) -> None:
    """OutputFault where `new_folder` would not take this target."""
    _refuse_parent(target)
    if target.exists() and not target.is_dir():
        raise OutputFault(f"{target} is a file, and the export is a folder: name another.")
    if target.is_dir() and any(target.iterdir()) and _made(target) != made:
        what = f"holds another export ({_made(target)})" if _made(target) else "holds files that no export made"
        raise OutputFault(f"{target} {what}: name a new folder, or empty this one.")


def _refuse_parent(target: Path) -> None:
    parent = target.resolve().parent
    if not parent.is_dir():
        raise OutputFault(f"The folder {parent} does not exist: make it, or write the export elsewhere.")


def _made(folder: Path) -> str:
    """What the marker in `folder` says made it; "" without one."""
    try:
        return str(json.loads((folder / MARKER).read_bytes())["made"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _place(aim: Path) -> Path:
    return aim.with_name(f".{aim.name}.drzero-new")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def _sentences(aim: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _REFUSED:
            raise OutputFault(
                f"Nothing can be written in {aim.parent} ({error.strerror}): write the export elsewhere."
            ) from error
        if error.errno == errno.ENAMETOOLONG:
            raise OutputFault(f"The name {aim.name} is too long for this disk: choose a shorter one.") from error
        raise

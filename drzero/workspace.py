"""Where things lie: archives, indexes, models and the knowledge base of one folder."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from drzero.errors import DrZeroError, IndexFault, SettingsError

_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)


class BusyError(DrZeroError):
    """Another process is doing the same work in this workspace."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """One folder with everything drzero reads and writes. Nothing is created by looking."""

    root: Path

    @property
    def zims(self) -> Path:
        """Archives to read; never written to."""
        return self.root / "zims"

    @property
    def indexes(self) -> Path:
        """One folder per index."""
        return self.root / "indexes"

    @property
    def models(self) -> Path:
        """Models that the user brought for this workspace."""
        return self.root / "models"

    @property
    def database(self) -> Path:
        """The knowledge base."""
        return self.root / "knowledge.db"

    @property
    def calibrations(self) -> Path:
        """What the judges were found to be worth on pairs of the user's own."""
        return self.root / "calibration.json"

    def index_folder(self, name: str) -> Path:
        """The folder of the index `name`, whether it exists or not."""
        return self.indexes / name

    def index_names(self) -> tuple[str, ...]:
        """The names of all finished indexes, sorted. A build in progress has a name that begins with a dot."""
        if not self.indexes.is_dir():
            return ()
        return tuple(
            sorted(
                folder.name
                for folder in self.indexes.iterdir()
                if not folder.name.startswith(".") and (folder / "manifest.json").is_file()
            )
        )

    def half_built(self) -> tuple[str, ...]:
        """The names of indexes whose build was interrupted (or is under way), sorted."""
        return tuple(sorted(folder.name[1:].removesuffix(".building") for folder in self.indexes.glob(".*.building")))

    def chosen_indexes(self, names: tuple[str, ...] = ()) -> tuple[str, ...]:
        """`names` if every one is a finished index, or all indexes when none is named. Raises IndexFault."""
        have = self.index_names()
        if not have:
            raise IndexFault(f"There is no index in {self.indexes} yet: run `drzero build-index` first.")
        for name in names:
            if name not in have:
                raise IndexFault(f"There is no index {name} in {self.indexes}: name one of {', '.join(have)}.")
        return tuple(dict.fromkeys(names)) or have

    @contextmanager
    def locked(self, work: str, *, wait_s: float = 0) -> Iterator[None]:
        """Hold this workspace for `work`; the lock is free again however the process ends.

        "build-index" and "eval calibrate" keep out themselves alone; "evolve", "kb verify" and "kb merge", which
        change the knowledge base, keep out each other. Raises BusyError when another process has it, after `wait_s`
        seconds, SettingsError where nothing can be written or locked.
        """
        from filelock import FileLock, Timeout

        own = {"build-index": self.indexes / ".lock", "eval calibrate": self.root / "calibration.json.lock"}
        alike = (work,) if work in own else ("evolve", "kb verify")
        place = own.get(work, self.root / "knowledge.db.lock")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(place, timeout=wait_s)
            lock.acquire()
        except Timeout as error:
            other = " or ".join(f"`drzero {one}`" for one in alike)
            raise BusyError(f"Another {other} is at work in {self.root}: wait for it to end, or stop it.") from error
        except NotImplementedError as error:
            raise SettingsError(
                f"{place.parent} cannot lock files, as some network shares cannot: use a local folder."
            ) from error
        except OSError as error:
            if error.errno not in _READ_ONLY:
                raise
            raise SettingsError(
                f"Nothing can be written in {place.parent} ({error.strerror}), and `drzero {work}` has to: change its "
                "permissions, or work in another folder with --workspace."
            ) from error
        try:
            yield
        finally:
            lock.release()


def find_workspace(option: str, environ: Mapping[str, str], here: Path) -> Workspace:
    """The workspace named by `--workspace`, else by DRZERO_WORKSPACE, else the folder `here`. Raises SettingsError."""
    named = option or environ.get("DRZERO_WORKSPACE", "")
    root = here / Path(named).expanduser() if named else here
    if root.is_dir():
        return Workspace(root.resolve())
    said = "--workspace" if option else "DRZERO_WORKSPACE"
    what = "is not a folder" if root.exists() else "does not exist"
    raise SettingsError(f"The workspace {root} {what}: make that folder, or name another with {said}.")

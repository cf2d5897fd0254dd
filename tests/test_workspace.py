"""Where things lie, and that one workspace is worked on by one process."""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path

import pytest

from drzero.errors import IndexFault, SettingsError
from drzero.workspace import BusyError, Workspace, find_workspace


def test_workspace_option_wins_over_variable_and_folder(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    environ = {"DRZERO_WORKSPACE": str(tmp_path / "b")}
    assert find_workspace("a", environ, tmp_path).root == (tmp_path / "a").resolve()
    assert find_workspace("", environ, tmp_path / "c").root == (tmp_path / "b").resolve()
    assert find_workspace("", {}, tmp_path / "c").root == (tmp_path / "c").resolve()


def test_workspace_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"The workspace .*nowhere does not exist: .* with --workspace\."):
        find_workspace("nowhere", {}, tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"The workspace .*file is not a folder: .* with DRZERO_WORKSPACE\."):
        find_workspace("", {"DRZERO_WORKSPACE": "file"}, tmp_path)


def test_workspace_places(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    assert [p.name for p in (workspace.zims, workspace.indexes, workspace.models, workspace.database)] == [
        "zims",
        "indexes",
        "models",
        "knowledge.db",
    ]
    assert workspace.index_names() == ()
    assert list(tmp_path.iterdir()) == []


def test_workspace_lists_finished_indexes_only(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    for name in ("b", "a #1", ".c.building", "d"):
        workspace.index_folder(name).mkdir(parents=True)
        if name != "d":
            (workspace.index_folder(name) / "manifest.json").touch()
    assert workspace.index_names() == ("a #1", "b")
    assert workspace.half_built() == ("c",)
    assert workspace.chosen_indexes() == ("a #1", "b")
    assert workspace.chosen_indexes(("b", "b")) == ("b",)
    with pytest.raises(IndexFault, match=r"There is no index x in .*: name one of a #1, b\."):
        workspace.chosen_indexes(("b", "x"))


def test_workspace_without_indexes_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(IndexFault, match=r"There is no index in .* yet: run `drzero build-index` first\."):
        Workspace(tmp_path).chosen_indexes()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder where not even root may write")
def test_workspace_says_where_nothing_can_be_written() -> None:
    with pytest.raises(
        SettingsError, match=r"Nothing can be written in /sys \(.*\), and `drzero evolve` has to: change"
    ):
        Workspace(Path("/sys")).locked("evolve").__enter__()


def _hold(root: Path, ready: multiprocessing.synchronize.Event, done: multiprocessing.synchronize.Event) -> None:
    with Workspace(root).locked("evolve"):
        ready.set()
        done.wait(30)


def test_workspace_lock_keeps_a_second_process_out_until_the_first_ends(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path, ready, done))
    other.start()
    workspace = Workspace(tmp_path)
    assert ready.wait(30)
    with pytest.raises(
        BusyError,
        match=r"Another `drzero evolve` or `drzero kb verify` is at work in .*: wait for it to end, or stop it\.",
    ):
        workspace.locked("evolve").__enter__()
    with workspace.locked("build-index"):
        pass
    other.kill()
    other.join()
    with workspace.locked("evolve"):
        pass

"""drzero.publishing: whole or not at all, and in the place of nothing that somebody else made."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from drzero.errors import OutputFault
from drzero.publishing import MARKER, new_file, new_folder


def write(target: Path, text: str = "new", *, force: bool = False) -> None:
    with new_file(target, force=force) as place:
        place.write_text(text)


def fill(target: Path, text: str = "new", made: str = "salt") -> None:
    with new_folder(target, made) as place:
        (place / "page").write_text(text)


def test_publishing_a_file_appears_when_it_is_done(tmp_path: Path) -> None:
    with new_file(tmp_path / "a.txt") as place:
        assert place.parent == tmp_path
        place.write_text("new")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text() == "new"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_publishing_a_file_that_is_there_stays_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(
        OutputFault, match=r"a\.txt is there already: name another file, or overwrite it with --force\."
    ):
        write(tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "old"
    write(tmp_path / "a.txt", force=True)
    assert (tmp_path / "a.txt").read_text() == "new"


def test_publishing_a_file_that_came_meanwhile_stays(tmp_path: Path) -> None:
    def late() -> None:
        with new_file(tmp_path / "a.txt") as place:
            place.write_text("new")
            (tmp_path / "a.txt").write_text("old")

    with pytest.raises(OutputFault, match="is there already"):
        late()
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt()])
def test_publishing_nothing_is_left_of_what_failed(tmp_path: Path, error: BaseException) -> None:
    (tmp_path / "a.txt").write_text("old")
    fill(tmp_path / "folder", "old")

    def half_a_file() -> None:
        with new_file(tmp_path / "a.txt", force=True) as place:
            place.write_text("half")
            raise error

    def half_a_folder() -> None:
        with new_folder(tmp_path / "folder", "salt") as place:
            (place / "page").write_text("half")
            raise error

    for fail in (half_a_file, half_a_folder):
        with pytest.raises(type(error)):
            fail()
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "folder"]
    assert (tmp_path / "a.txt").read_text() == (tmp_path / "folder" / "page").read_text() == "old"


def test_publishing_leftovers_of_a_killed_export_are_cleared(tmp_path: Path) -> None:
    (tmp_path / ".a.txt.drzero-new").write_text("half")
    (tmp_path / ".folder.drzero-new").mkdir()
    (tmp_path / ".folder.drzero-new" / "x").write_text("half")
    write(tmp_path / "a.txt")
    fill(tmp_path / "folder")
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "folder"]
    assert sorted(os.listdir(tmp_path / "folder")) == [MARKER, "page"]


def test_publishing_a_folder_takes_the_place_of_its_own_and_of_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    fill(tmp_path / "folder", "one")
    (tmp_path / "folder" / "stale").write_text("")
    fill(tmp_path / "folder", "two")
    assert {path.name: path.read_text() for path in (tmp_path / "folder").iterdir()} == {
        "page": "two",
        MARKER: '{"made": "salt"}\n',
    }
    assert os.listdir(tmp_path) == ["folder"]


def test_publishing_a_folder_is_on_the_disk_before_the_former_one_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(os, "sync", lambda: seen.append(sorted(os.listdir(tmp_path))))
    fill(tmp_path / "folder")
    assert seen == []
    fill(tmp_path / "folder")
    assert seen == [[".folder.drzero-new", "folder"]]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (MARKER, r"holds another export \(pepper\): name a new folder, or empty this one\."),
        ("thesis.txt", r"holds files that no export made: name a new folder, or empty this one\."),
    ],
)
def test_publishing_another_folder_stays(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / name).write_text('{"made": "pepper"}')
    with pytest.raises(OutputFault, match=said):
        fill(tmp_path / "folder")
    assert os.listdir(tmp_path / "folder") == [name]


@pytest.mark.parametrize("marker", ["", "[]", '"x"', "\x00", '{"other": 1}'])
def test_publishing_a_marker_that_says_nothing_protects_too(tmp_path: Path, marker: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / MARKER).write_text(marker)
    with pytest.raises(OutputFault, match="no export made"):
        fill(tmp_path / "folder")


def test_publishing_file_and_folder_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputFault, match=r"folder is a folder, and the export is a file: name a file in it\."):
        write(tmp_path / "folder", force=True)
    with pytest.raises(OutputFault, match=r"file is a file, and the export is a folder: name another\."):
        fill(tmp_path / "file")


def test_publishing_into_no_folder_says_so(tmp_path: Path) -> None:
    for make in (write, fill):
        with pytest.raises(
            OutputFault, match=r"The folder .*none does not exist: make it, or write the export elsewhere"
        ):
            make(tmp_path / "none" / "x")


def test_publishing_through_a_link_writes_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    fill(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "page").read_text() == "new"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.EROFS, r"Nothing can be written in .* \(Read-only file system\): write the export elsewhere\."),
        (errno.ENAMETOOLONG, r"The name x is too long for this disk: choose a shorter one\."),
    ],
)
def test_publishing_a_disk_that_takes_nothing_is_told(tmp_path: Path, code: int, said: str) -> None:
    with pytest.raises(OutputFault, match=said), new_file(tmp_path / "x"):
        raise OSError(code, os.strerror(code))


def test_publishing_other_faults_of_the_disk_come_through(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="full"), new_folder(tmp_path / "x", "salt"):
        raise OSError(errno.ENOSPC, "full")
    assert os.listdir(tmp_path) == []

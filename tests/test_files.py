import os

import pytest

from drzero.corpus.files import archive_name, check_files, find_archives, parts
from drzero.corpus.zim import open_archive
from drzero.errors import ArchiveError


def split(path, pieces):
    """Cut an archive into `.zimaa`, `.zimab`, … and remove the whole."""
    content = path.read_bytes()
    size = len(content) // pieces + 1
    for number in range(pieces):
        part = path.with_suffix(f".zima{chr(ord('a') + number)}")
        part.write_bytes(content[number * size : (number + 1) * size])
    path.unlink()
    return path.with_suffix(".zimaa")


def test_files_name_an_archive_without_its_ending(tmp_path):
    assert archive_name(tmp_path / "wiki_2016-05.zim") == "wiki_2016-05"
    assert archive_name("wiki_2016-05.zimaa") == "wiki_2016-05"
    assert archive_name("a#b&c.ZIM") == "a#b&c"


def test_files_find_split_archives_once(tmp_path, make_zim):
    for name in ("b.zim", "a.zim", "c.zim"):
        make_zim({"x": "<p>x"}, name=name)
    split(tmp_path / "b.zim", 3)
    (tmp_path / "orphan.zimab").write_bytes(b"x")
    (tmp_path / "notes.txt").write_text("x")
    found = [path.name for path in find_archives(tmp_path)]
    assert found == ["a.zim", "b.zimaa", "c.zim", "orphan.zimab"]
    assert find_archives(tmp_path / "absent") == []


def test_files_of_a_split_archive_in_order(tmp_path, make_zim):
    first = split(make_zim({"x": "<p>x"}), 3)
    names = ["small.zimaa", "small.zimab", "small.zimac"]
    assert [part.name for part in check_files(first)] == names
    assert [part.name for part in parts(tmp_path / "small.zim")] == names


def said(path):
    with pytest.raises(ArchiveError) as caught:
        check_files(path)
    return str(caught.value)


def test_files_say_which_part_is_missing(tmp_path, make_zim):
    first = split(make_zim({"x": "<p>x"}), 4)
    (tmp_path / "small.zimac").rename(tmp_path / "away")
    assert "lacks its part small.zimac" in said(first)
    assert "name its first part small.zimaa instead" in said(tmp_path / "small.zimab")
    assert "later part of a split archive" in said(tmp_path / "small.zimad")
    (tmp_path / "away").rename(tmp_path / "small.zimac")
    (tmp_path / "small.zimad").unlink()
    assert "lacks its part small.zimad" in said(tmp_path / "small.zim")
    first.unlink()
    assert "first part small.zimaa is missing" in said(tmp_path / "small.zimab")
    assert "first part small.zimaa is missing" in said(tmp_path / "small.zim")


@pytest.mark.parametrize("part", ["small.zimab", "small.zimac"])
@pytest.mark.parametrize("left", [0, 100])
def test_files_say_which_part_was_cut_short(tmp_path, make_zim, part, left):
    first = split(make_zim({"x": "<p>x"}), 3)
    sizes = [piece.stat().st_size for piece in sorted(tmp_path.iterdir())]
    gone = (tmp_path / part).stat().st_size - left
    (tmp_path / part).write_bytes(b"x" * left)
    assert said(first) == (
        f"The split archive {first} is incomplete ({sum(sizes) - gone} of {sum(sizes)} bytes): its part {part} was cut "
        "short; fetch that part again."
    )


def test_files_say_what_is_wrong(tmp_path, make_zim):
    whole = make_zim({"x": "<p>x"}).read_bytes()
    bad = tmp_path / "bad [1].zim"
    assert "There is no archive at" in said(bad)
    for content, sentence in (
        (b"", "is empty (0 bytes)"),
        (b"<html>404</html>", "is not a ZIM archive"),
        (whole[:20], "less than a header"),
        (whole[: len(whole) * 9 // 10], f"of {len(whole)} bytes): fetch it again."),
    ):
        bad.write_bytes(content)
        assert sentence in said(bad)
    os.mkdir(tmp_path / "x.zim")
    assert "is a folder" in said(tmp_path / "x.zim")


def test_files_of_more_than_a_letter_of_parts(tmp_path, make_zim):
    path = make_zim({"x": "<p>x"})
    content = path.read_bytes()
    size = len(content) // 29 + 1
    names = [f"many.zim{first}{second}" for first in "ab" for second in "abcdefghijklmnopqrstuvwxyz"][:30]
    for number, name in enumerate(names):
        (tmp_path / name).write_bytes(content[number * size : (number + 1) * size])
    assert [part.name for part in check_files(tmp_path / "many.zimaa")] == names
    assert open_archive(tmp_path / "many.zim").article("x").text == "x"
    (tmp_path / "many.zimba").unlink()
    assert "lacks its part many.zimba" in said(tmp_path / "many.zimaa")


def test_files_in_capitals_are_archives_too(tmp_path, make_zim):
    path = make_zim({"x": "<p>x"}, name="small.zim")
    whole = path.rename(tmp_path / "WHOLE.ZIM")
    assert open_archive(whole).article("x").text == "x"
    content = whole.read_bytes()
    for name, piece in (("PARTS.ZIMAA", content[:9000]), ("PARTS.ZIMAB", content[9000:])):
        (tmp_path / name).write_bytes(piece)
    assert [found.name for found in find_archives(tmp_path)] == ["PARTS.ZIMAA", "WHOLE.ZIM"]
    for name in ("PARTS.ZIMAA", "PARTS.ZIM", "PARTS.zim"):
        archive = open_archive(tmp_path / name)
        assert (archive.info.name, archive.article("x").text, archive.check()) == ("PARTS", "x", True)
    (tmp_path / "PARTS.ZIMAB").unlink()
    assert "lacks its part PARTS.ZIMAB" in said(tmp_path / "PARTS.ZIMAA")


def test_files_follow_links_to_an_archive_and_its_parts(tmp_path, make_zim):
    first = split(make_zim({"x": "<p>x"}, name="store/small.zim"), 3)
    links = tmp_path / "links"
    links.mkdir()
    for part in sorted(first.parent.iterdir()):
        (links / part.name).symlink_to(part)
    assert open_archive(links / "small.zimaa").article("x").text == "x"
    alone = tmp_path / "other.zimaa"
    alone.symlink_to(first)
    assert open_archive(alone).article("x").text == "x"
    broken = tmp_path / "gone.zim"
    broken.symlink_to(tmp_path / "nowhere.zim")
    assert "There is no archive at" in said(broken)


def test_files_say_that_a_page_or_a_folder_is_no_archive(tmp_path):
    page = tmp_path / "page.zim"
    page.write_text("<!DOCTYPE html><html><body>503 Service Unavailable</body></html>" * 20)
    assert said(page) == f"{page} is not a ZIM archive, whatever its name says: fetch the archive again."
    folder = tmp_path / "x.zimaa"
    folder.mkdir()
    assert said(folder) == f"{folder} is a folder, not an archive: name a .zim file."


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.9, 0.999])
def test_files_know_an_archive_cut_short(tmp_path, make_zim, share):
    path = make_zim({f"p{n}": f"<p>Text {n}." for n in range(50)})
    whole = path.read_bytes()
    cut = int(len(whole) * share)
    path.write_bytes(whole[:cut])
    assert f"is incomplete ({cut} of {len(whole)} bytes): fetch it again." in said(path)

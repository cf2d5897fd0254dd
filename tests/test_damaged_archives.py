"""What becomes of each odd or damaged archive: refused with a sentence, or read as far as it goes."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from drzero.corpus.zim import open_archive
from drzero.errors import ArchiveError

pytestmark = pytest.mark.data

NO_ZIM = "is not a ZIM archive, whatever its name says: fetch the archive again."
SHORT = "is incomplete (40 bytes, less than a header): fetch it again."


def damaged(what: str) -> str:
    return f"is damaged (RuntimeError: {what}): fetch it again."


DIRENT = damaged("Invalid dirent pointer")
REFUSED = {
    **{
        f"edge/{folder}/small.zim.embedded{more}": NO_ZIM
        for folder in ("noTitleListingV0", "nons", "withns")
        for more in ("", ".multi")
    },
    **{
        f"invalid/{folder}/invalid.{name}.zim": sentence
        for folder in ("noTitleListingV0", "nons", "withns")
        for name, sentence in {
            "bad_mimetype_list": damaged("Error getting mimelists"),
            "invalid_checksumpos": damaged("Zim file(s) is of bad size or corrupted"),
            "invalid_mimelistpos": damaged("mimelistPos must be 80"),
            "offset_in_cluster": damaged("Error parsing cluster. Offsets are not ordered"),
            "outofbounds_clusterptrpos": damaged("Cluster pointer table outside (or not fully inside) ZIM file"),
            "outofbounds_first_direntptr": DIRENT,
            "outofbounds_last_direntptr": DIRENT,
            "outofbounds_urlptrpos": damaged("Dirent pointer table outside (or not fully inside) ZIM file"),
            "smaller_than_header": SHORT,
        }.items()
    },
    "invalid/noTitleListingV0/invalid.nonsorted_dirent_table.zim": damaged(
        "Dirent table is not properly sorted: #0: C/main.html #1: C/favicon.png"
    ),
    "invalid/nons/invalid.nonsorted_dirent_table.zim": damaged(
        "Dirent table is not properly sorted: #0: C/main.html #1: C/favicon.png"
    ),
    "invalid/withns/invalid.nonsorted_dirent_table.zim": damaged(
        "Dirent table is not properly sorted: #0: A/main.html #1: -/favicon"
    ),
    "invalid/withns/invalid.outofbounds_titleptrpos.zim": damaged(
        "Title index table outside (or not fully inside) ZIM file"
    ),
}

NEW = {"article": 1, "image": 1}
OLD = {"article": 1, "asset": 12, "image": 2, "index": 2}
LOST = "RuntimeError: Cannot read after the end of the reader"
# Path → kind, what became of the entries, whether the checksum agrees, and the unreadable entries with the reason.
READ: dict[str, tuple[str, dict[str, int], bool, dict[str, str]]] = {
    "edge/characters_encoding.zim": ("html", {"article": 8, "image": 4}, True, {}),
    "edge/corner_cases.zim": (
        "zimwriterfs",
        {"address": 1, "alias": 1, "article": 1, "image": 1, "no-text": 1, "script": 1, "style": 1},
        True,
        {},
    ),
    "edge/edge.zim": ("html", {"alias": 1, "article": 13}, True, {}),
    "edge/example.zim": ("zimwriterfs", {"article": 2, "image": 22, "other": 34, "script": 2}, True, {}),
    "edge/foo-zstd.zim": ("text", {"article": 16, "index": 2}, True, {}),
    "edge/good.zim": ("zimwriterfs", {"article": 1, "image": 1, "no-text": 2}, True, {}),
    "edge/loop.zim": ("html", {"article": 1, "redirect-loop": 3}, True, {}),
    "edge/noTitleListingV0/small.zim": ("zimwriterfs", NEW, True, {}),
    "edge/nons/small.zim": ("zimwriterfs", NEW, True, {}),
    "edge/poor_libkiwix.zim": (
        "zimwriterfs", {"article": 5, "image": 1, "no-text": 3, "redirect-loop": 3}, True, {},
    ),
    "edge/poor_zimtools.zim": (
        "zimwriterfs", {"article": 9, "image": 1, "no-text": 4, "redirect-loop": 3}, True, {},
    ),
    "edge/small_android_v5.zim": ("html", {"article": 1, "asset": 9, "image": 2}, True, {}),
    "edge/spelling_correction_test.zim": ("zimwriterfs", {"article": 62, "image": 1}, True, {}),
    "edge/tiny_311_bytes.zim": ("html", {"alias": 1, "asset": 1, "no-text": 1}, True, {}),
    "edge/withns/small.zim": ("html", OLD, True, {}),
    "invalid/bad_checksum.zim": ("zimwriterfs", {"article": 1, "image": 1, "no-text": 2}, False, {}),
    **{
        f"invalid/{folder}/invalid.bad_mimetype_in_dirent.zim": ("zimwriterfs", NEW, False, {})
        for folder in ("noTitleListingV0", "nons")
    },
    **{
        f"invalid/{folder}/invalid.outofbounds_first_clusterptr.zim": (
            "html", {"image": 1, "unreadable": 1}, False, {"main.html": LOST},
        )
        for folder in ("noTitleListingV0", "nons")
    },
    **{
        f"invalid/nons/invalid.{name}.zim": ("zimwriterfs", NEW, False, {})
        for name in (
            "nonsorted_title_index", "outofbounds_first_title_entry", "outofbounds_last_title_entry",
            "outofbounds_titleptrpos",
        )
    },
    "invalid/withns/invalid.bad_mimetype_in_dirent.zim": (
        "html",
        {**OLD, "asset": 11, "unreadable": 1},
        False,
        {"M/Language": "RuntimeError: unknown mime type code 1234"},
    ),
    "invalid/withns/invalid.outofbounds_first_clusterptr.zim": (
        "html", {"asset": 12, "image": 2, "index": 2, "unreadable": 1}, False, {"A/main.html": LOST},
    ),
    **{
        f"invalid/withns/invalid.{name}.zim": ("html", OLD, False, {})
        for name in ("nonsorted_title_index", "outofbounds_first_title_entry", "outofbounds_last_title_entry")
    },
}  # fmt: skip


def test_damaged_archives_are_all_listed(shared_data: Path) -> None:
    zims = shared_data / "zims"
    here = {path.relative_to(zims).as_posix() for name in ("edge", "invalid") for path in (zims / name).rglob("*.zim*")}
    assert sorted(here) == sorted(REFUSED.keys() | READ.keys())


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_damaged_archives_are_refused_with_a_sentence(shared_data: Path, name: str) -> None:
    path = shared_data / "zims" / name
    with pytest.raises(ArchiveError) as caught:
        open_archive(path)
    assert str(caught.value) == f"{path} {REFUSED[name]}"


@pytest.mark.parametrize("name", sorted(READ))
def test_damaged_archives_are_read_as_far_as_they_go(shared_data: Path, name: str) -> None:
    archive = open_archive(shared_data / "zims" / name)
    found = list(archive.walk())
    counts = Counter(
        "article" if reading.article else "alias" if reading.alias is not None else reading.skipped for reading in found
    )
    unreadable = {reading.path: reading.detail for reading in found if reading.skipped == "unreadable"}
    assert (archive.info.kind, dict(counts), archive.check(), unreadable) == READ[name]
    for reading in found:
        if reading.article:
            assert archive.article(reading.path) == reading.article


def test_damaged_archives_never_end_the_process(shared_data: Path, tmp_path: Path) -> None:
    """Bytes changed at random in three archives, opened and read in a process of their own."""
    code = """
import random, sys
from pathlib import Path
from drzero.corpus.zim import open_archive
from drzero.errors import ArchiveError
chance, spoilt, said = random.Random(3), Path(sys.argv[1]), 0
for name in sys.argv[2:]:
    whole = Path(name).read_bytes()
    for _ in range(40):
        content = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            place = chance.choice((chance.randrange(24, 80), chance.randrange(80, len(content))))
            content[place] = chance.randrange(256)
        spoilt.write_bytes(content)
        try:
            archive = open_archive(spoilt)
            readings = list(archive.walk())
            assert [r.position for r in readings] == list(range(archive.length))
        except ArchiveError:
            said += 1
print(said)
"""
    names = [str(shared_data / "zims/edge" / name) for name in ("nons/small.zim", "withns/small.zim", "foo-zstd.zim")]
    command = [sys.executable, "-c", code, str(tmp_path / "spoilt.zim"), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 0 < int(done.stdout) < 120

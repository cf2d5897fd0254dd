"""Awkward places (C08): what may only be read, foreign letters, and a console of few letters."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from drzero.retrieval.index import open_index
from tests.conftest import MakeZim
from tests.small_index import content

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "Bridge": "<html><body><h1>Bridge → 橋</h1><p>The old bridge opened in 1931. It spans the Ouse.</p></body></html>",
    "塔": "<html><body><h1>塔</h1><p>The tower 塔 is 40 metres high. Bells ring at noon.</p></body></html>",
}
ODD_NAMES = ("Ünïcode 書庫", "with spaces and #1 100% ?x=1&y")


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "tests.stubbed", *map(str, words)]


def environment(**more: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DRZERO_")}
    return clean | {"PYTHONPATH": str(ROOT)} | more


def run(*words: object, here: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program with the small embedder in the folder `here`."""
    return subprocess.run(
        command(*words), cwd=here, env=environment(**more), capture_output=True, timeout=60, check=False
    )


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of the last change of all that lies in a folder."""
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted([folder, *folder.rglob("*")])
    }


def read_only(folder: Path, *words: object, here: Path) -> subprocess.CompletedProcess[bytes]:
    """Run the program where `folder` is mounted read-only, which stops even root; skipped where nobody may mount."""
    mount = f"mount --bind {shlex.quote(str(folder))} {shlex.quote(str(folder))}"
    remount = f"mount -o remount,bind,ro {shlex.quote(str(folder))}"
    mounted = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f'{mount} && {remount} && exec "$@"', "-"]
    try:
        subprocess.run([*mounted, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"nothing can be mounted here ({error})")
    return subprocess.run(
        [*mounted, *command(*words)], cwd=here, env=environment(), capture_output=True, timeout=60, check=False
    )


@pytest.mark.parametrize("name", ODD_NAMES)
def test_c08_all_folder_names_work(make_zim: MakeZim, tmp_path: Path, name: str) -> None:
    """C08: workspace, archive and index under names of foreign letters, spaces and signs; no link is made."""
    desk = tmp_path / name / "desk"
    desk.mkdir(parents=True)
    archive = make_zim(PAGES, name=f"{name}/{name} x.zim")
    built = run("build-index", archive, "--json", "--workspace", desk, here=tmp_path)
    assert built.returncode == 0, built.stderr
    assert json.loads(built.stdout)[0]["index"] == f"{name} x"
    found = run("search", "When did the bridge open?", "--json", here=desk)
    assert json.loads(found.stdout)["hits"][0]["path"] == "Bridge"
    assert run("status", here=desk).returncode == 0
    again = run("build-index", archive, "--force", "--json", "--workspace", desk, here=tmp_path)
    assert json.loads(again.stdout)[0]["status"] == "built"


def test_c08_an_archive_on_a_read_only_stick_is_indexed_elsewhere(make_zim: MakeZim, tmp_path: Path) -> None:
    """C08: nothing is written beside the archive, and nothing is wanted there."""
    archive = make_zim(PAGES, name="stick/small.zim")
    before = files(archive.parent)
    (tmp_path / "desk").mkdir()
    done = read_only(archive.parent, "build-index", archive, here=tmp_path / "desk")
    assert done.returncode == 0, done.stderr
    assert files(archive.parent) == before
    with open_index(tmp_path / "desk" / "indexes" / "small") as index:
        assert index.count == 2


def test_c08_an_index_on_a_read_only_place_is_searched_and_asked(make_zim: MakeZim, tmp_path: Path) -> None:
    """C08: a finished index is only read; what has to be written is refused in a sentence."""
    desk = tmp_path / "desk"
    desk.mkdir()
    archive = make_zim(PAGES)
    assert run("build-index", archive, here=desk).returncode == 0
    before = files(desk)
    found = read_only(desk, "search", "bridge", "--json", here=desk)
    assert json.loads(found.stdout)["hits"][0]["path"] == "Bridge"
    asked = read_only(desk, "ask", "When did the old bridge open?", "--llm", "none", "--json", here=desk)
    assert asked.returncode == 0
    assert asked.stderr == b""
    assert json.loads(asked.stdout)["passages"][0]["path"] == "Bridge"
    assert read_only(desk, "status", here=desk).returncode == 0
    refused = read_only(desk, "build-index", archive, "--force", here=desk)
    assert refused.returncode == 1
    assert refused.stderr.decode().startswith("Error: ")
    assert len(refused.stderr.splitlines()) == 1
    assert files(desk) == before


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
def test_c08_letters_that_the_output_lacks_end_nothing(make_zim: MakeZim, tmp_path: Path, encoding: str) -> None:
    """C08: titles with Japanese and arrows into a pipe of few letters."""
    archive = make_zim(PAGES, name="書庫 →.zim")
    for words in (
        ("build-index", archive),
        ("search", "塔"),
        ("search", "bridge", "--json"),
        ("ask", "When did the bridge open? 橋", "--llm", "none"),
        ("status",),
        ("build-index", archive.parent / "塔.zim"),
    ):
        done = run(*words, here=tmp_path, PYTHONIOENCODING=encoding)
        assert done.returncode == (1 if words[-1] == archive.parent / "塔.zim" else 0), done.stderr
        assert b"Traceback" not in done.stderr
        done.stdout.decode(encoding)


# --- interrupted and out of memory ----------------------------------------------------------------------------------


def many_pages(count: int) -> dict[str, str]:
    return {
        f"page/{number}": f"<html><body><h1>Page {number}</h1><p>The mark is {number * 7}.</p></body></html>"
        for number in range(count)
    }


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
@pytest.mark.parametrize("readers", ["0", "2"])
def test_c01_ctrl_c_ends_a_build_within_seconds_and_it_goes_on(make_zim: MakeZim, tmp_path: Path, readers: str) -> None:
    """C01 (a): one line, 130, no traceback, also from the reading processes, which get the signal too."""
    archive = make_zim(many_pages(700))
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "drzero.toml").write_text(f"[index]\nreaders = {readers}\n")
    with subprocess.Popen(
        command("build-index", archive),
        cwd=tmp_path / "desk",
        env=environment(STUB_DELAY_S="0.3"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running:
        growing = tmp_path / "desk" / "indexes" / ".small.building" / "vectors.faiss"
        until = time.monotonic() + 45
        while time.monotonic() < until and not (growing.is_file() and growing.stat().st_size > 10_000):
            time.sleep(0.05)
        time.sleep(0.5)  # in the midst of embedding
        os.killpg(running.pid, signal.SIGINT)
        began = time.monotonic()
        stdout, stderr = running.communicate(timeout=20)
        assert time.monotonic() - began < 4
    assert (running.returncode, stdout) == (130, b"")
    said = stderr.decode()  # behind lines of progress, where the machine is slow
    assert (said.splitlines()[-1][:13], said.count("Interrupted: "), "Traceback" in said) == ("Interrupted: ", 1, False)
    done = json.loads(run("build-index", archive, "--json", here=tmp_path / "desk").stdout)
    assert [(one["status"], one["chunks"]) for one in done] == [("resumed", 700)]
    (tmp_path / "anew").mkdir()
    run("build-index", archive, here=tmp_path / "anew")
    assert content(tmp_path / "desk" / "indexes" / "small") == content(tmp_path / "anew" / "indexes" / "small")


def test_c05_commands_refuse_another_embedder_naming_both(make_zim: MakeZim, tmp_path: Path) -> None:
    """C05: every command that embeds a query leaves with 1 and names both; a search by words goes on."""
    archive = make_zim(PAGES)
    assert run("build-index", archive, here=tmp_path).returncode == 0
    for words in (("search", "bridge"), ("ask", "bridge", "--llm", "none"), ("evolve", "--llm", "none")):
        refused = run(*words, here=tmp_path, STUB_NAME="other")
        assert (refused.returncode, refused.stdout) == (1, b"")
        assert refused.stderr.decode() == (
            "Error: The index small was made with the embedder hash-64, not other-64; choose that one with --embedder "
            "hash-64, or run build-index again.\n"
        )
    assert run("search", "bridge", "--mode", "lexical", here=tmp_path, STUB_NAME="other").returncode == 0


LIMITED = """
import resource, sys
from pathlib import Path
from tests.made_index import index_archive
spare = int(sys.argv[4])
index_archive(Path(sys.argv[3]), Path(sys.argv[2] + ".small"))  # has everything loaded
now = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmSize"))
resource.setrlimit(resource.RLIMIT_AS, (now + spare if spare else 1_500_000_000,) * 2)
try:
    index_archive(Path(sys.argv[1]), Path(sys.argv[2]))
except Exception as error:
    print(type(error).__name__, error)
    sys.exit(1)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the address space as Linux does")
def test_c06_a_build_fits_in_little_memory_and_says_when_there_is_too_little(make_zim: MakeZim, tmp_path: Path) -> None:
    """C06: 1.5 GB of address space are plenty; where memory runs out, one sentence says so and the work is kept."""
    large = "".join(f"<p>Line {number} has the mark {number * 7}.</p>" for number in range(60_000))
    archive = make_zim(many_pages(300) | {"zzz": f"<html><body><h1>Large</h1>{large}</body></html>"})

    small = make_zim(PAGES, name="one.zim")

    def limited(folder: str, spare: int) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-c", LIMITED, archive, tmp_path / folder, small, str(spare)]
        one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        return subprocess.run(
            words, cwd=ROOT, env=environment(**one_thread), capture_output=True, text=True, timeout=120, check=False
        )

    assert limited("plenty", 0).returncode == 0
    short = limited("short", 40_000_000)
    assert short.returncode == 1
    assert short.stdout == (
        "IndexFault Memory ran out while small was indexed; close other programs and run the same command again to "
        "go on.\n"
    )
    assert short.stderr == ""
    with closing(sqlite3.connect(tmp_path / ".short.building" / "chunks.db")) as db:
        assert db.execute("SELECT count(*) FROM chunks").fetchone() == (256,)  # two batches of the 300 before
    assert limited("short", 0).returncode == 0
    assert content(tmp_path / "short") == content(tmp_path / "plenty")

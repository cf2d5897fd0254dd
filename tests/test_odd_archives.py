"""Archives that are known to break other programs, through the commands: from the file to the stored citation."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from libzim.reader import Archive

from drzero import pipeline
from drzero.corpus.zim import open_archive
from drzero.retrieval.index import open_index
from drzero.types import Chunk
from tests.conftest import MakeZim, Run
from tests.small_index import content
from tests.test_files import split

pytestmark = pytest.mark.usefixtures("embedder")

PAGES = {
    "Bridge": ("Bridge", "<h1>Bridge</h1><p>The old bridge opened in 1931. It spans the Ouse.", "text/html"),
    "Tower": ("Tower", "<h1>Tower</h1><p>The tower is 40 metres high. Bells ring at noon.", "text/html"),
}


def reports(run: Run, *words: object, status: int = 0) -> list[dict[str, Any]]:
    """The reports of `build-index --json`, which leaves with `status`."""
    result = run("build-index", *words, "--json")
    assert result.exit_code == status, result.stderr
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def stored_chunks(desk: Path, name: str) -> list[Chunk]:
    with open_index(desk / "indexes" / name) as index:
        return index.chunks(range(index.count))


def stored(desk: Path, name: str) -> dict[str, Any]:
    """Everything in an index but the path of its archive."""
    found = content(desk / "indexes" / name)
    found["manifest"]["archive"].pop("path")
    return found


# --- downloads cut short --------------------------------------------------------------------------------------------


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 9 // 10])


def error_page(path: Path) -> None:
    path.write_text("<!DOCTYPE html><html><head><title>404 Not Found</title></head><body>nginx</body></html>\n" * 9)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def room_without_content(path: Path) -> None:
    """As a program leaves it that makes room for the whole file first."""
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2))


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (empty, "is empty (0 bytes), so its download was cut short: fetch it again."),
        (cut, "bytes): fetch it again."),
        (error_page, "is not a ZIM archive, whatever its name says: fetch the archive again."),
        (folder, "is a folder, not an archive: name a .zim file."),
        (room_without_content, "): fetch it again."),
    ],
)
def test_odd_archives_cut_short_are_refused_before_a_model_is_loaded(
    run: Run, desk: Path, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], None], says: str
) -> None:
    archive = make_zim(PAGES, name="desk/small.zim")
    reports(run, archive)
    before = {path: path.read_bytes() for path in (desk / "indexes").rglob("*") if path.is_file()}
    names = sorted((desk / "indexes").rglob("*"))
    spoil(archive)
    monkeypatch.setattr(pipeline, "load_embedder", lambda *_: pytest.fail("loaded for nothing"))
    for words in ((archive,), (archive, "--force"), (archive, "--name", "other"), (archive, "--verify")):
        result = run("build-index", *words)
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
        assert result.stderr.startswith(f"Error: {archive} ")
        assert result.stderr.endswith(f"{says}\n")
    assert sorted((desk / "indexes").rglob("*")) == names
    assert {path: path.read_bytes() for path in before} == before
    hits = json.loads(run("search", "bridge", "--mode", "lexical", "--json").stdout)["hits"]
    assert [hit["path"] for hit in hits] == ["Bridge"]


# --- split archives -------------------------------------------------------------------------------------------------


def test_odd_archives_in_parts_become_one_index_however_they_are_named(run: Run, desk: Path, make_zim: MakeZim) -> None:
    whole = make_zim(PAGES, name="desk/small.zim", redirects={"Brücke": ("Brücke", "Bridge")})
    reports(run, whole)
    expected = stored(desk, "small")
    first = split(whole, 3)
    built, *rest = [reports(run, name, *force) for name, force in (
        (first, ["--force"]), (whole, []), (first.parent, []), (whole, ["--force"]),
    )]  # fmt: skip
    assert [(r["index"], r["status"], r["articles"], r["aliases"]) for r in built] == [("small", "built", 2, 1)]
    assert [[(r["index"], r["status"]) for r in one] for one in rest] == [
        [("small", "unchanged")], [("small", "unchanged")], [("small", "built")],
    ]  # fmt: skip
    assert stored(desk, "small") == expected
    assert [path.name for path in (desk / "indexes").iterdir() if path.is_dir()] == ["small"]
    for chunk in stored_chunks(desk, "small"):
        article = open_archive(first).article(chunk.path)
        assert article
        assert article.text[chunk.start : chunk.end] == chunk.text


def test_odd_archives_in_the_workspace_count_once_with_all_their_parts(run: Run, desk: Path, make_zim: MakeZim) -> None:
    whole = make_zim(PAGES, name="desk/zims/small.zim")
    joined = whole.read_bytes()
    split(whole, 3)
    assert [(r["index"], r["status"]) for r in reports(run)] == [("small", "built")]
    assert [a["path"] for a in json.loads(run("status", "--json").stdout)["archives"]] == [
        str(whole.with_suffix(".zimaa"))
    ]
    whole.write_bytes(joined)  # put together, with the parts still beside it
    assert [(r["index"], r["status"]) for r in reports(run)] == [("small", "unchanged")]


@pytest.mark.parametrize(
    ("without", "named", "says"),
    [
        ("small.zimab", "small.zimaa", "The split archive {0}/small.zimaa lacks its part small.zimab: "),
        ("small.zimab", "small.zim", "The split archive {0}/small.zim lacks its part small.zimab: "),
        ("small.zimac", "small.zimaa", "The split archive {0}/small.zimaa lacks its part small.zimac: "),
        ("", "small.zimac", "{0}/small.zimac is a later part of a split archive: name its first part small.zimaa "),
        ("small.zimaa", "small.zimac", "{0}/small.zimac is a later part of a split archive whose first part small.zi"),
        ("small.zimaa", "small.zim", "{0}/small.zimab is a later part of a split archive whose first part small.zima"),
        ("small.zimab", ".", "The split archive {0}/small.zimaa lacks its part small.zimab: "),
    ],
)
def test_odd_archives_lacking_a_part_are_refused_by_its_name(
    run: Run, desk: Path, make_zim: MakeZim, without: str, named: str, says: str
) -> None:
    parts = split(make_zim(PAGES, name="desk/parts/small.zim"), 3).parent
    if without:
        (parts / without).unlink()
    result = run("build-index", parts / named)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: " + says.format(parts))
    assert list(desk.glob("indexes/*")) == []


@pytest.mark.data
def test_odd_archives_published_in_parts_are_as_the_joined_file(run: Run, desk: Path, shared_data: Path) -> None:
    name = "wikipedia_en_ray_charles_2015-06"
    first = shared_data / "zims/real" / f"{name}.zimaa"
    joined = desk / f"{name}.zim"
    joined.write_bytes(b"".join(part.read_bytes() for part in sorted(first.parent.glob(f"{name}.zima?"))))
    (report,) = reports(run, first)
    assert (report["index"], report["articles"], report["chunks"]) == (name, 85, len(stored_chunks(desk, name)))
    parts = stored(desk, name)
    assert reports(run, joined, "--force")[0]["status"] == "built"
    assert stored(desk, name) == parts


# --- odd paths and titles -------------------------------------------------------------------------------------------

ODD = {
    "C#": ("C#", "<p>A language with a sharp."),
    "100%": ("100%", "<p>All of it, per cent."),
    "What is this?": ("What is this?", "<p>A question."),
    "AC/DC": ("AC/DC", "<p>A band."),
    "a%20b": ("a%20b", "<p>Escaped once."),
    "a b": ("", "<p>Not escaped."),
    "Caf\u00e9": ("Caf\u00e9", "<p>Composed letters."),
    "Cafe\u0301": ("Cafe\u0301", "<p>Letters and marks."),
    "/leading": ("Leading", "<p>Behind a slash."),
    "leading": ("", "<h1>No slash</h1><p>Before it."),
    "odd title": ("\u200fCode \u202ereversed\u202c\x07\nIssue\u2066", "<p>Signs that do not print."),
    "ring\x07 and \u202eturn": ("", "<p>A path that does not print."),
    "empty": ("", "<h1>Its \u200eown heading</h1><p>No title."),
    "apostrophe": ("Driver&apos;s seat", "<p>It is the driver&apos;s."),
    "q?x=1&y=2#part": ("", "<p>An address."),
    "tab\tand\nline": ("", "<p>White space in a path."),
    **{f"same/{n}": ("Shared title", f"<p>Number {n} of twenty.") for n in range(20)},
}


@pytest.fixture
def odd(run: Run, desk: Path, make_zim: MakeZim) -> Path:
    """An archive of odd names in a file of an odd name, indexed."""
    pages = {path: (title, f"<html><body>{body}</body></html>", "text/html") for path, (title, body) in ODD.items()}
    archive = make_zim(pages, name="desk/odd # & names 100%.zim")
    (report,) = reports(run, archive)
    assert (report["articles"], report["skipped"]) == (len(ODD), {})
    return archive


def test_odd_archives_give_every_stored_citation_again(odd: Path, desk: Path) -> None:
    chunks = stored_chunks(desk, "odd # & names 100%")
    assert {chunk.path for chunk in chunks} == set(ODD)
    archive = open_archive(odd)
    for chunk in chunks:
        article = archive.article(chunk.path)
        assert article
        assert (article.path, article.title) == (chunk.path, chunk.title)
        assert article.text[chunk.start : chunk.end] == chunk.text
        assert Archive(str(odd)).get_entry_by_path(chunk.path).path == chunk.path
    texts = {chunk.path: chunk.text for chunk in chunks}
    assert (texts["Caf\u00e9"], texts["Cafe\u0301"]) == ("Composed letters.", "Letters and marks.")
    assert (texts["/leading"], texts["leading"]) == ("Behind a slash.", "Before it.")
    assert (texts["a%20b"], texts["a b"]) == ("Escaped once.", "Not escaped.")


def test_odd_archives_show_titles_as_they_print(odd: Path, desk: Path) -> None:
    titles = {chunk.path: chunk.title for chunk in stored_chunks(desk, "odd # & names 100%")}
    assert {path: titles[path] for path in ODD if titles[path] != ODD[path][0]} == {
        "a b": "a b",
        "leading": "No slash",
        "odd title": "Code reversed Issue",
        "ring\x07 and \u202eturn": "ring and turn",
        "empty": "Its own heading",
        "apostrophe": "Driver's seat",
        "q?x=1&y=2#part": "q?x=1&y=2#part",
        "tab\tand\nline": "tab and line",
    }


@pytest.mark.parametrize("query", ["signs that do not print", "path that does not print", "white space in a path"])
def test_odd_archives_are_found_and_shown_without_signs_that_steer_a_terminal(odd: Path, run: Run, query: str) -> None:
    words = ("search", query, "--mode", "lexical", "-k", "1")
    (hit,) = json.loads(run(*words, "--json").stdout)["hits"]
    assert hit["text"].casefold().startswith(("signs", "a path", "white"))
    article = open_archive(odd).article(hit["path"])
    assert article
    assert article.text[hit["start"] : hit["end"]] == hit["text"]
    shown = run(*words).stdout
    assert all(line.isprintable() for line in shown.split("\n"))
    path = hit["path"].encode("unicode_escape").decode()
    assert shown == f"[1] {hit['title']}  (odd # & names 100%: {path})\n    {hit['text']}\n"


# --- redirects in a ring --------------------------------------------------------------------------------------------


def aim(archive: Path, redirects: dict[str, str]) -> None:
    """Let redirects of an archive lead elsewhere, as the libraries that write archives no longer allow."""
    numbers = {path: Archive(archive).get_entry_by_path(path)._index for path in {*redirects, *redirects.values()}}
    data = bytearray(archive.read_bytes())
    for path, target in redirects.items():
        at = data.index(b"C" + bytes(4) + struct.pack("<I", _aimed_at(archive, path)) + path.encode() + b"\0")
        data[at + 5 : at + 9] = struct.pack("<I", numbers[target])
    archive.write_bytes(data)


def _aimed_at(archive: Path, path: str) -> int:
    return int(Archive(archive).get_entry_by_path(path).get_redirect_entry()._index)


def test_odd_archives_with_redirects_in_a_ring_are_read_to_their_end(run: Run, make_zim: MakeZim, desk: Path) -> None:
    names = ("R1", "R2", "R3", "Into the ring")
    archive = make_zim({"Good": "<p>Text."}, redirects={name: (name, "Good") for name in names})
    aim(archive, {"R1": "R2", "R2": "R1", "R3": "R3", "Into the ring": "R1"})
    started = time.perf_counter()
    (report,) = reports(run, archive)
    assert time.perf_counter() - started < 10
    assert (report["articles"], report["aliases"], report["chunks"]) == (1, 0, 1)
    assert report["skipped"] == {"redirect-loop": 4}
    assert "skipped: redirect-loop 4" in run("build-index", archive).stdout
    assert all(open_archive(archive).article(name) is None for name in names)


@pytest.mark.data
def test_odd_archives_with_redirects_in_a_ring_from_elsewhere(run: Run, shared_data: Path) -> None:
    (report,) = reports(run, shared_data / "zims/edge/loop.zim")
    assert (report["entries"], report["articles"], report["aliases"]) == (4, 1, 0)
    assert report["skipped"] == {"redirect-loop": 3}


def test_odd_archives_with_long_honest_chains_of_redirects_lead_to_their_page(
    run: Run, make_zim: MakeZim, desk: Path
) -> None:
    links = 2000
    redirects = {f"r{n:04}": (f"Name {n}", f"r{n + 1:04}" if n < links - 1 else "Good") for n in range(links)}
    archive = make_zim({"Good": "<p>Text."}, redirects=redirects)
    started = time.perf_counter()
    (report,) = reports(run, archive)
    assert time.perf_counter() - started < 30
    assert (report["articles"], report["aliases"], report["skipped"]) == (1, links, {})
    with open_index(desk / "indexes/small") as index:
        assert index.aliases("Good") == tuple(sorted(f"Name {n}" for n in range(links)))
    article = open_archive(archive).article("r0000")
    assert article
    assert article.path == "Good"


# --- letters --------------------------------------------------------------------------------------------------------

LATIN = '<meta charset="iso-8859-1"><p>déjà vu'
LETTERS = {
    "latin": ("", LATIN.encode("latin-1"), "text/html"),
    "latin by its type": ("", "<p>déjà vu".encode("latin-1"), "text/html; charset=ISO-8859-1"),
    "utf-8 that says latin": ("", LATIN.encode(), "text/html"),
    "utf-8 whose type says latin": ("", "<p>déjà vu".encode(), "text/html;charset=iso-8859-1"),
    "invented": ("", '<meta charset="utf-9000"><p>déjà vu'.encode(), "text/html"),
    "invented type": ("", "<p>déjà vu".encode(), "text/html; charset=no-such-charset"),
    "mixed": ("", b"<p>One half: " + "déjà vu".encode() + ", the other: déjà vu.".encode("latin-1"), "text/html"),
}


def test_odd_archives_with_wrong_charsets_are_read_and_what_is_doubtful_is_counted(
    run: Run, make_zim: MakeZim, desk: Path
) -> None:
    archive = make_zim({f"{n} {path}": page for n, (path, page) in enumerate(LETTERS.items())})
    (report,) = reports(run, archive)
    found = {open_archive(archive).article(f"{n} {path}").text for n, path in enumerate(LETTERS)}  # type: ignore[union-attr]
    assert found == {"déjà vu", "One half: déjà vu, the other: déjà vu."}
    assert (report["doubtful"], report["unreadable"]) == (1, [])
    assert "small doubtful: 1 of its articles may hold wrong letters" in run("build-index", archive).stdout.split("\n")


# --- text anywhere --------------------------------------------------------------------------------------------------


@pytest.mark.data
def test_odd_archives_of_documentation_give_a_chunk_for_each_page_with_text(
    run: Run, shared_data: Path, desk: Path
) -> None:
    name = "devdocs_en_sqlite_2025-04"
    (report,) = reports(run, shared_data / "zims/real" / f"{name}.zim")
    paths = {chunk.path for chunk in stored_chunks(desk, name)}
    assert (len(paths), report["articles"], report["truncated_chunks"]) == (524, 524, 0)
    assert report["skipped"]["duplicate"] == 1  # two of the 525 pages with text say the same


def test_odd_archives_give_text_wherever_it_stands_on_the_page(run: Run, make_zim: MakeZim, desk: Path) -> None:
    pages = {
        "divs": "<html><body>" + "<div>" * 6 + "Six deep." + "</div>" * 6 + "</body></html>",
        "body": "<html><body>Straight in the body.</body></html>",
        "fragment": "A fragment.",
        "spans": "<body><span>Within <b>spans</b>.</span></body>",
        "section": "<body><section><center><font>Old markup.</font></center></section></body>",
        "form": "<body><form><fieldset>Set into a form.</fieldset></form></body>",
        "own": "<body><my-app><my-text>Elements of its own.</my-text></my-app></body>",
    }
    reports(run, make_zim(pages))
    assert {chunk.path: chunk.text for chunk in stored_chunks(desk, "small")} == {
        "divs": "Six deep.", "body": "Straight in the body.", "fragment": "A fragment.", "spans": "Within spans.",
        "section": "Old markup.", "form": "Set into a form.", "own": "Elements of its own.",
    }  # fmt: skip


def test_odd_archives_of_pages_without_text_are_no_success(run: Run, make_zim: MakeZim) -> None:
    shell = (
        '<html><head><title>App</title><script src="app.js"></script></head><body><div id="root"></div></body></html>'
    )
    archive = make_zim({"index.html": shell, "a.html": shell, "b.html": "<body><img src=x></body>"})
    for words in ((archive,), (archive,), (archive, "--force")):
        result = run("build-index", *words)
        assert result.exit_code == 3
        assert result.stderr == (
            "Error: small: no text was found in this archive (no-text 3), so nothing in it can be searched.\n"
        )

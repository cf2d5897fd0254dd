"""drzero.encyclopedia.zim: the archive is read by libzim, by drzero itself, and by Kiwix where it is installed."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from libzim.reader import Archive
from libzim.search import Query, Searcher
from libzim.suggestion import SuggestionSearcher
from PIL import Image

from drzero import __version__
from drzero.corpus.zim import open_archive
from drzero.encyclopedia.illustration import illustration
from drzero.encyclopedia.values import SubjectArticle
from drzero.encyclopedia.zim import alpha3, metadata, write_zim
from drzero.errors import OutputFault
from tests.conftest import Run
from tests.fakes import HashEmbedder
from tests.made_articles import ARTICLES, IMPRINT, KITCHEN, MATBAKH, SALT, many

KIWIX = shutil.which("kiwix-serve")
ZIMCHECK = shutil.which("zimcheck")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The three articles as an archive."""
    path = tmp_path_factory.mktemp("zim") / "lore.zim"
    assert write_zim(path, IMPRINT, iter(ARTICLES)) == Counter(subjects=3, statements=6, references=4)
    return path


@pytest.fixture(scope="module")
def archive(path: Path) -> Any:
    return Archive(path)


def found(archive: Any, words: str) -> list[str]:
    return list(Searcher(archive).search(Query().set_query(words)).getResults(0, 10))


def test_zim_is_whole(archive: Any) -> None:
    assert archive.check()
    assert archive.has_new_namespace_scheme
    assert archive.main_entry.get_item().path == "index.html"
    assert archive.article_count == 6  # three articles, and the three names that lead to them


def test_zim_pages_are_there(archive: Any) -> None:
    paths = {"about.html", "index.html", "sources.html", "style.css", "letters/s.html", "letters/u0645.html"}
    assert all(archive.has_entry_by_path(one) for one in paths | {"s/salt.html", "m/milh.html", "a/a-b.html"})
    assert not archive.has_entry_by_path("search.html")
    page = bytes(archive.get_entry_by_path("s/salt.html").get_item().content).decode()
    assert "Salt melts at 801 degrees." in page
    assert "<form" not in page


def test_zim_says_what_it_is(archive: Any) -> None:
    told = {key: archive.get_metadata(key).decode() for key in archive.metadata_keys if "Illustration" not in key}
    assert told == {
        "Counter": "text/css=1;text/html=8",
        "Creator": "Cooks",
        "Date": "2026-03-04",
        "Description": "What cooks know",
        "Flavour": "verified",
        "Language": "eng",
        "License": "CC BY-SA 4.0",
        "LongDescription": "Kitchen lore. What cooks know.",
        "Name": "drzero_eng_kitchen-lore",
        "Publisher": "drzero",
        "Scraper": f"drzero {__version__}",
        "Source": "https://k.example; matbakh; javascript:alert(2)",
        "Tags": "_category:other;_ftindex:yes;_pictures:no;_videos:no;_details:yes",
        "Title": "Kitchen lore",
    }


def test_zim_has_an_illustration(archive: Any) -> None:
    content = bytes(archive.get_illustration_item(48).content)
    assert content == illustration()
    image = Image.open(BytesIO(content))
    assert (image.format, image.size) == ("PNG", (48, 48))


def test_zim_is_found_by_all_words_and_by_titles(archive: Any) -> None:
    assert found(archive, "melts degrees") == ["s/salt.html"]
    assert found(archive, "معدن") == ["m/milh.html"]
    assert found(archive, "skip content") == []  # what stands around every page is not indexed
    suggested = list(SuggestionSearcher(archive).suggest("table").getResults(0, 10))
    assert [archive.get_entry_by_path(one).get_item().path for one in suggested] == ["s/salt.html"]


def test_zim_lists_of_subjects_are_no_hits(archive: Any) -> None:
    assert set(found(archive, "salt")) == {"s/salt.html", "m/milh.html", "a/a-b.html"}  # see also and a quote name it


def test_zim_other_names_lead_to_the_article(archive: Any) -> None:
    entries = [archive.get_entry_by_path(f"alias/salt/{number}") for number in (1, 2)]
    assert [(one.title, one.is_redirect, one.get_redirect_entry().path) for one in entries] == [
        ("Sodium chloride", True, "s/salt.html"),
        ("Table salt", True, "s/salt.html"),
    ]


def test_zim_is_read_by_drzero(path: Path) -> None:
    archive = open_archive(path)
    readings = list(archive.walk())
    articles = {one.path: one.article for one in readings if one.article}
    assert "Salt melts at 801 degrees." in articles["s/salt.html"].text
    assert articles["s/salt.html"].title == "Salt"
    assert {one.alias for one in readings if one.alias} >= {"Sodium chloride", "Table salt"}
    assert (archive.info.title, archive.info.date, archive.info.language) == ("Kitchen lore", "2026-03-04", "eng")
    assert archive.info.licence == "CC BY-SA 4.0"
    assert archive.check()


def test_zim_is_indexed_and_searched_by_drzero(path: Path, run: Run, desk: Path, embedder: HashEmbedder) -> None:
    built = run("build-index", path, "--json")
    assert built.exit_code == 0, built.output
    (report,) = json.loads(built.stdout)
    assert (report["status"], report["unreadable"]) == ("built", [])
    hits = json.loads(run("search", "salt melts", "--mode", "lexical", "--json").stdout)["hits"]
    assert hits[0]["path"] == "s/salt.html"
    assert any("Salt melts at 801 degrees." in hit["text"] for hit in hits)


def test_zim_is_the_same_each_time(path: Path, archive: Any, tmp_path: Path) -> None:
    again = tmp_path / "again.zim"
    write_zim(again, IMPRINT, iter(ARTICLES))
    assert again.read_bytes() == path.read_bytes()
    assert archive.uuid.version == 8


def test_zim_another_text_makes_another_archive(archive: Any, tmp_path: Path) -> None:
    write_zim(tmp_path / "other.zim", IMPRINT, [replace(SALT, title="Sea salt")])
    assert Archive(tmp_path / "other.zim").uuid != archive.uuid


def test_zim_takes_the_place_of_what_is_there(tmp_path: Path) -> None:
    target = tmp_path / "lore.zim"
    for name in ("lore.zim", "lore.zim.tmp", "lore.zim_title.idx", "lore.zim_fulltext.idx.tmp/flintlock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("not yet")  # as after the power went off
    write_zim(target, IMPRINT, [SALT])
    assert Archive(target).check()
    assert [one.name for one in tmp_path.iterdir()] == ["lore.zim"]


def test_zim_leaves_nothing_behind_when_it_fails(tmp_path: Path) -> None:
    def failing() -> Iterator[SubjectArticle]:
        yield SALT
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_zim(tmp_path / "lore.zim", IMPRINT, failing())
    assert list(tmp_path.iterdir()) == []


def test_zim_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises((OutputFault, OSError)):
        write_zim(tmp_path / "none" / "lore.zim", IMPRINT, [SALT])


def test_zim_takes_no_folders_place(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    with pytest.raises(OutputFault, match="is a folder"):
        write_zim(tmp_path, IMPRINT, [SALT])
    assert (tmp_path / "kept").read_text() == "kept"


def test_zim_without_articles_is_whole(tmp_path: Path) -> None:
    assert write_zim(tmp_path / "empty.zim", replace(IMPRINT, creator="", publisher=""), []) == Counter()
    archive = Archive(tmp_path / "empty.zim")
    assert archive.check()
    assert archive.get_metadata("Creator") == b"not stated"
    assert archive.get_metadata("License") == b"not stated by the sources"


def test_zim_languages_are_those_of_the_sources_where_there_are_several() -> None:
    imprint = replace(IMPRINT, language="mul")
    used = Counter({"zim-1": 2, "zim-2": 5})
    told = metadata(imprint, [KITCHEN, MATBAKH, replace(KITCHEN, zim_id="zim-3", language="fra,und,eng")], used)
    assert told["Language"] == "ara,eng,fra"
    assert metadata(imprint, [], Counter())["Language"] == "mul"
    assert metadata(replace(imprint, language="und"), [], Counter())["Language"] == "mul"


def test_zim_names_are_cut_to_what_a_catalogue_shows() -> None:
    told = metadata(replace(IMPRINT, title="word " * 20, description="more " * 40), [], Counter())
    assert told["Title"] == "word word word word word word"[:29] + "…"
    assert (len(told["Title"]), len(told["Description"])) == (30, 80)
    assert told["LongDescription"].endswith("more.")
    assert metadata(replace(IMPRINT, title="ملح"), [], Counter())["Name"].isascii()


@pytest.mark.parametrize(
    ("language", "code"),
    [("en", "eng"), ("eng", "eng"), ("zh-Hant", "zho"), ("mul", "mul"), ("und", ""), ("", ""), ("no such", "")],
)
def test_zim_languages_have_three_letters(language: str, code: str) -> None:
    assert alpha3(language) == code


def test_zim_of_many_subjects(tmp_path: Path) -> None:
    target = tmp_path / "many.zim"
    assert write_zim(target, IMPRINT, many(300)) == Counter(subjects=300, statements=1500, references=1500)
    archive = Archive(target)
    assert archive.check()
    assert found(archive, "Aite 26")[0] == "a/aite-26.html"


@pytest.mark.skipif(not ZIMCHECK, reason="needs zimcheck (zim-tools)")
def test_zim_passes_zimcheck(path: Path) -> None:
    assert ZIMCHECK
    # Not its check of the structure: versions before format 6.3 miss the table of titles that it no longer has.
    parts = ["--metadata", "--favicon", "--main", "--empty", "--url_internal", "--url_external", "--redundant"]
    parts += ["--redirect_loop"]
    done = subprocess.run([ZIMCHECK, *parts, str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert "[ERROR]" not in done.stdout, done.stdout
    assert "Overall Test Status: Pass" in done.stdout


@pytest.mark.skipif(not KIWIX, reason="needs kiwix-serve (kiwix-tools)")
def test_zim_is_served_by_kiwix(path: Path) -> None:
    assert KIWIX
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [KIWIX, "--port", str(port), "--address", "127.0.0.1", str(path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:

            def read(address: str) -> str:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{address}", timeout=20) as answer:
                    text: str = answer.read().decode()
                return text

            for _ in range(100):
                with suppress(OSError):
                    read("")
                    break
                time.sleep(0.1)
            assert "Salt melts at 801 degrees." in read("lore/s/salt.html")
            assert "s/salt.html" in read("search?pattern=melts&books.name=lore")
            assert "Kitchen lore" in read("lore/")
        finally:
            server.terminate()

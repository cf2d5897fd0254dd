"""drzero.encyclopedia.searching: the tables that the script of a site reads."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from drzero.encyclopedia import searching
from drzero.encyclopedia.searching import ROWS, SearchTables, search_words, table_of
from tests.made_articles import ARTICLES, SALT, many


def table(folder: Path, name: str) -> object:
    """What the script is handed of one table."""
    found = re.fullmatch(r'drzeroTable\("(\w+)",(.*)\);\n', (folder / "search" / f"{name}.js").read_text("utf-8"))
    assert found
    assert found[1] == name
    return json.loads(found[2])


def about(folder: Path) -> dict[str, int]:
    text = (folder / "search" / "about.js").read_text("utf-8")
    found: dict[str, int] = json.loads(text.removeprefix("window.drzeroSearch=").removesuffix(";\n"))
    return found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Salt & pepper's", ["salt", "pepper", "s"]),
        ("Éire ŒUVRE", ["eire", "œuvre"]),
        ("日本語 abc日本", ["日", "本", "語", "abc", "日", "本"]),
        ("İstanbul", ["istanbul"]),
        ("ﬁre ½", ["fire", "1", "2"]),
        ("हिन्दी", ["हिनदी"]),
        ("__proto__", ["proto"]),
        ("", []),
        ("\ud800\x00", []),
    ],
)
def test_searching_cuts_words(text: str, words: list[str]) -> None:
    assert search_words(text) == words


def test_searching_words_with_one_beginning_share_a_table() -> None:
    assert table_of("salt") == table_of("sa") == (ord("s") * 31 + ord("a")) % 1024
    assert table_of("s") != table_of("sa")


def test_searching_finds_names_statements_and_questions(tmp_path: Path) -> None:
    with SearchTables(tmp_path) as tables:
        for article in ARTICLES:
            tables.add(article)
        tables.finish()
    words = table(tmp_path, "w0")
    assert isinstance(words, dict)
    assert words["sodium"] == [1]  # subject 0, in a name
    assert words["mineral"] == [0]  # subject 0, in a statement
    assert words["taste"] == [0]  # only a question has it
    assert words["ملح"] == [3]  # subject 1, in a name
    assert list(words) == sorted(words)
    assert about(tmp_path) == {"subjects": 3, "rows": ROWS, "tables": 1}
    assert table(tmp_path, "t0") == [
        ["s/salt.html", "Salt", "Salt is a mineral."],
        ["m/milh.html", "ملح", "الملح معدن."],
        ["a/a-b.html", "<script>alert(1)</script> \"A\" | 'B' # &", "1 < 2 </p> & {{ 3 }}"],
    ]


def test_searching_numbers_are_steps(tmp_path: Path) -> None:
    with SearchTables(tmp_path) as tables:
        for title in ("Salt", "Pepper", "Salt lake"):
            tables.add(replace(SALT, title=title, aliases=(), lead=(), sections=()))
        tables.finish()
    assert table(tmp_path, "w0") == {"salt": [1, 4], "pepper": [3], "lake": [5]}


def test_searching_tables_are_many_where_words_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_PAIRS", 100)
    monkeypatch.setattr(searching, "_SPOOLED", 50)
    with SearchTables(tmp_path) as tables:
        for article in many(150):
            tables.add(article)
        tables.finish()
    told = about(tmp_path)
    assert (told["subjects"], told["tables"]) == (150, 32)
    names = {path.stem for path in (tmp_path / "search").iterdir()}
    assert names == {"about", "t0", "t1", "t2", *(f"w{number}" for number in range(32))}
    found = table(tmp_path, f"w{table_of('mineral') % 32}")
    assert isinstance(found, dict)
    assert found["mineral"] == [0, *[2] * 149]
    rows = table(tmp_path, "t2")
    assert isinstance(rows, list)
    assert rows[-1][:2] == ["t/tite-149.html", "Tite 149"]
    assert len(rows) == 150 - 2 * ROWS


def test_searching_one_table_or_many_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[dict[str, list[int]]] = []
    for pairs in (10**6, 50):
        monkeypatch.setattr(searching, "_PAIRS", pairs)
        folder = tmp_path / str(pairs)
        folder.mkdir()
        with SearchTables(folder) as tables:
            for article in many(40):
                tables.add(article)
            tables.finish()
        whole: dict[str, list[int]] = {}
        for number in range(about(folder)["tables"]):
            part = table(folder, f"w{number}")
            assert isinstance(part, dict)
            assert all(table_of(word) % about(folder)["tables"] == number for word in part)
            whole |= part
        found.append(dict(sorted(whole.items())))
    assert found[0] == found[1]


def test_searching_leaves_nothing_behind_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(path: Path, text: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(searching.tempfile, "tempdir", str(tmp_path))
    (tmp_path / "site").mkdir()
    with SearchTables(tmp_path / "site") as tables:
        monkeypatch.setattr(searching, "_write", failing)
        tables.add(SALT)
        with pytest.raises(ZeroDivisionError):
            tables.finish()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_searching_shows_long_leads_cut_at_a_word(tmp_path: Path) -> None:
    lead = replace(SALT.lead[0], text="word " * 60)
    with SearchTables(tmp_path) as tables:
        tables.add(replace(SALT, lead=(lead,)))
        tables.finish()
    rows = table(tmp_path, "t0")
    assert isinstance(rows, list)
    assert rows[0][2] == "word " * 30 + "word…"


def test_searching_in_an_empty_encyclopedia(tmp_path: Path) -> None:
    with SearchTables(tmp_path) as tables:
        tables.finish()
    assert about(tmp_path) == {"subjects": 0, "rows": ROWS, "tables": 1}
    assert table(tmp_path, "w0") == {}

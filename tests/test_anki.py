"""drzero.encyclopedia.anki: a package of cards that is the same for the same entries."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from drzero.encyclopedia.anki import FIELDS, note_fields, note_tags, write_anki
from drzero.encyclopedia.values import Imprint, Source
from drzero.types import Entry
from tests.samples import make_entry

KITCHEN = Source("zim-1", "kitchen", "Kitchen", "2026-01", "eng", "Cooks", "Press", "CC BY-SA 4.0", "k.example")
IMPRINT = Imprint("Salt & Co", "Everything <salty>", "en", "2026-03-04", "Cooks", "drzero")


def collection(package: Path, folder: Path) -> sqlite3.Connection:
    with zipfile.ZipFile(package) as opened:
        assert opened.testzip() is None
        assert sorted(opened.namelist()) == ["collection.anki2", "media"]
        assert opened.read("media") == b"{}"
        return sqlite3.connect(opened.extract("collection.anki2", folder))


def entries(count: int) -> Iterator[tuple[Entry, tuple[str, ...]]]:
    return ((make_entry(id=f"n{n}", question=f"What is {n}?"), ("Salt",)) for n in range(count))


def test_anki_a_note_and_a_card_for_each_entry(tmp_path: Path) -> None:
    counts = write_anki(tmp_path / "x.apkg", IMPRINT, entries(3), {"zim-1": KITCHEN})
    assert counts == {"entries": 3, "statements": 6, "references": 9}
    assert [path.name for path in tmp_path.iterdir()] == ["x.apkg"]
    with closing(collection(tmp_path / "x.apkg", tmp_path)) as db:
        notes = db.execute("select id, guid, mid, mod, tags, flds from notes order by id").fetchall()
        cards = db.execute("select nid, did, ord from cards order by id").fetchall()
        models, decks = (json.loads(text) for text in db.execute("select models, decks from col").fetchone())
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    assert [note[1] for note in notes] == ["n0", "n1", "n2"]
    assert {note[3] for note in notes} == {1_767_323_045}  # when the entry was made: an answer of later takes its place
    assert notes[0][0] == 1_772_582_400_000
    assert notes[0][4] == " topic::Salt type::factual level::easy "
    assert notes[0][5].split("\x1f") == list(
        note_fields(make_entry(id="n0", question="What is 0?"), {"zim-1": KITCHEN})
    )
    (model,) = [model for model in models.values() if model["name"] == "drzero question with evidence"]
    assert [field["name"] for field in model["flds"]] == list(FIELDS)
    assert {str(note[2]) for note in notes} == {model["id"]}
    (deck,) = [deck for deck in decks.values() if deck["name"] != "Default"]
    assert (deck["name"], deck["desc"]) == ("Salt & Co", "Everything &lt;salty&gt;")
    assert cards == [(note[0], deck["id"], 0) for note in notes]


def test_anki_the_same_entries_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.apkg", "b.apkg"):
        write_anki(tmp_path / name, IMPRINT, entries(40), {"zim-1": KITCHEN})
    assert (tmp_path / "a.apkg").read_bytes() == (tmp_path / "b.apkg").read_bytes()


def test_anki_takes_entries_one_at_a_time(tmp_path: Path) -> None:
    alive: list[int] = []

    class Held(str):
        __slots__ = ()

        def __del__(self) -> None:
            alive[0] -= 1

    def counted() -> Iterable[tuple[Entry, tuple[str, ...]]]:
        alive.append(0)
        for n in range(20):
            alive[0] += 1
            yield make_entry(id=f"n{n}", question=Held(f"What is {n}?")), ()
            assert alive[0] <= 2

    write_anki(tmp_path / "x.apkg", IMPRINT, counted(), {})


def test_anki_fields_show_question_answer_evidence_source_and_licence() -> None:
    fields = dict(zip(FIELDS, note_fields(make_entry(), {"zim-1": KITCHEN}), strict=True))
    assert fields == {
        "Question": "What compound does table salt mainly consist of?",
        "Answer": "Table salt consists mainly of sodium chloride. It tastes salty.",
        "Evidence": (
            "<blockquote>Table salt consists mainly of sodium chloride.<br>"
            "<small>Salt › Chemistry › Make-up, in Kitchen (2026-01)</small></blockquote>"
            "<blockquote>It tastes salty.<br>"
            "<small>Salt › Chemistry › Make-up, in Kitchen (2026-01)</small></blockquote>"
        ),
        "Source": "Kitchen, 2026-01, Cooks, k.example",
        "Licence": "Licence: CC BY-SA 4.0",
        "Note": "",
        "Entry": "n1",
    }


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({}, ""),
        ({"status": "stale"}, "No longer in its source as it was: to be checked again."),
        (
            {"status": "disputed", "status_reasons": ("A < B.",)},
            "Disputed: another source or check says otherwise. A &lt; B.",
        ),
    ],
)
def test_anki_what_is_not_current_says_so(changes: dict[str, Any], note: str) -> None:
    assert note_fields(make_entry(**changes), {})[5] == note


def test_anki_licence_that_is_not_known_is_said_to_be_so() -> None:
    assert note_fields(make_entry(), {"zim-1": replace(KITCHEN, licence="")})[4] == (
        "Licence: not stated by the archive"
    )


@pytest.mark.parametrize(
    "text",
    [
        "<b>no</b>",
        "{{c1::no cloze}}",
        "{{Answer}}",
        "[sound:x.mp3]",
        "[latex]x[/latex]",
        r"\(x\) \[y\]",
        "a & b",
        "مرحبا",
        "&lt;",
    ],
)
def test_anki_any_text_is_shown_as_it_is(text: str) -> None:
    question = note_fields(make_entry(question=text), {})[0]
    assert unescape(question) == text
    assert not set("<>{}[\\") & set(question)


def test_anki_odd_characters_and_lines() -> None:
    question = note_fields(make_entry(question="a\x1fb\x00c\n  d\u202e\ud800"), {})[0]
    assert question == "abc<br>  d\ufffd"


@pytest.mark.parametrize(
    ("subject", "tag"),
    [
        ("Ray Charles", "Ray_Charles"),
        ("std::vector", "std:vector"),
        ('A "B"\nC', "A_B_C"),
        ("ملح الطعام", "ملح_الطعام"),
    ],
)
def test_anki_tags_have_no_blank(subject: str, tag: str) -> None:
    assert note_tags(make_entry(), [subject, "::"]) == [f"topic::{tag}", "type::factual", "level::easy"]

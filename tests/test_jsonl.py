"""drzero.encyclopedia.jsonl: one line for an entry, with all that anyone needs to check it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from drzero.documents import entry_json
from drzero.encyclopedia.jsonl import entry_line, write_jsonl
from drzero.encyclopedia.values import Source
from tests.samples import CITATION, make_entry

KITCHEN = Source("zim-1", "kitchen", "Kitchen", "2026-01", "eng", "Cooks", "Press", "CC BY-SA 4.0", "k.example")


def test_jsonl_line_has_what_kb_show_has_and_the_archives_in_full() -> None:
    entry = make_entry(status="stale", status_reasons=("It is gone.",))
    line = json.loads(entry_line(entry, ["Salt", "Pepper"], {"zim-1": KITCHEN}))
    assert line.pop("subjects") == ["Salt", "Pepper"]
    assert line.pop("archives") == [asdict(KITCHEN)]
    shown = json.loads(json.dumps(entry_json(entry)))
    assert line == {key: shown[key] for key in line}
    assert set(line) >= {"id", "question", "answer", "claims", "scores", "overall", "status", "created_at", "model"}
    assert line["claims"][0]["citations"][0] == json.loads(json.dumps(asdict(CITATION)))


def test_jsonl_archive_that_nothing_more_is_known_of_is_named() -> None:
    (archive,) = json.loads(entry_line(make_entry(), [], {}))["archives"]
    assert (archive["zim_id"], archive["name"], archive["date"], archive["licence"]) == (
        "zim-1",
        "kitchen",
        "2026-01",
        "",
    )


@pytest.mark.parametrize(
    "odd", ["\n", "\r\n", "\u2028", "\u2029", "\x85", "\x0b", "\x00", "\u202e", "\ud800", '"', "\\"]
)
def test_jsonl_odd_characters_never_end_a_line(tmp_path: Path, odd: str) -> None:
    file = tmp_path / "x.jsonl"
    entry = make_entry(question=f"What{odd} is it?")
    counts = write_jsonl(file, [(entry, ["Salt"]), (entry, [])], {})
    assert counts == {"entries": 2, "statements": 4, "references": 6}
    text = file.read_bytes().decode("utf-8")
    assert len(text.splitlines()) == 2
    kept = odd.replace("\ud800", "\ufffd")
    assert [json.loads(line)["question"] for line in text.splitlines()] == [f"What{kept} is it?"] * 2


def test_jsonl_no_number_that_json_lacks(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        entry_line(replace(make_entry(), overall=float("nan")), [], {})

"""scripts/make_knowledge_base.py and scripts/bench_kb.py: many entries, the same each time, and how long they take."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from drzero.kb.entries import list_entries, question_key, search_entries
from drzero.kb.schema import open_knowledge_base
from drzero.kb.topics import list_topics
from drzero.text import is_made_of
from scripts.bench_kb import jobs, main, measure
from scripts.make_knowledge_base import fill, made_entries
from scripts.make_knowledge_base import main as make


def test_make_knowledge_base_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.db", "b.db"):
        assert make([str(tmp_path / name), "--entries", "300", "--seed", "4"]) == 0
    with open_knowledge_base(tmp_path / "a.db") as a, open_knowledge_base(tmp_path / "b.db") as b:
        assert list_entries(a) == list_entries(b)
        assert list(a.query("select * from citations")) == list(b.query("select * from citations"))
    assert list(made_entries(5, 4)) != list(made_entries(5, 5))


def test_make_knowledge_base_holds_whole_entries(tmp_path: Path) -> None:
    fill(tmp_path / "k.db", 400, 1)
    with open_knowledge_base(tmp_path / "k.db") as db:
        found = [*list_entries(db), *list_entries(db, retired=True)]
        assert len(found) == 400
        assert len({question_key(entry.question) for entry in found}) == 400
        for entry in found:
            assert is_made_of(entry.answer, [claim.text for claim in entry.claims])
            assert all(cited.quote == claim.text for claim in entry.claims for cited in claim.citations)
            assert entry.topic == entry.claims[0].citations[0].title
        assert Counter(len(entry.claims) for entry in found) == {1: 380, 2: 20}
        counts = [topic.entries for topic in list_topics(db)]
        assert counts[0] > 10 * counts[-1]
        assert found[7].id in [entry.id for entry in search_entries(db, found[7].question)]
        assert list(db.query("PRAGMA foreign_key_check")) == []


def test_make_knowledge_base_overwrites_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.db").write_text("mine")
    assert make([str(tmp_path / "k.db")]) == 1
    assert capsys.readouterr().err == f"{tmp_path / 'k.db'} is there already: name another file, or move it away.\n"
    assert (tmp_path / "k.db").read_text() == "mine"


def test_bench_kb_measures_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path / "k.db", 60, 1)
    assert main([str(tmp_path / "k.db"), "--rounds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    with open_knowledge_base(tmp_path / "k.db") as db:
        named = jobs(db)
    assert [line[:32].rstrip() for line in lines] == list(named)
    assert all(" ms   p95" in line for line in lines)


def test_bench_kb_median_leaves_the_first_call_out() -> None:
    calls: list[int] = []
    median, late = measure(lambda: calls.append(1), 5)
    assert len(calls) == 6
    assert 0 <= median <= late

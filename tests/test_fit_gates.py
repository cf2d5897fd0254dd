"""scripts/fit_gates.py and the proposals that were read one by one."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from drzero.profiles import load_profile

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
ROWS = [json.loads(line) for line in (SCRIPTS / "data" / "proposals.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fit_gates", SCRIPTS / "fit_gates.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fit_gates"] = module
    spec.loader.exec_module(module)
    return module


def test_fit_gates_rows_were_read_and_hold_no_article_text() -> None:
    assert len(ROWS) >= 120
    allowed = {
        "archive", "path", "title", "heading", "profile", "type", "sentence", "span", "question", "answer", "keep",
        "why", "signals", "judged_by", "mended",
    }  # fmt: skip
    for row in ROWS:
        assert set(row) <= allowed
        assert isinstance(row["keep"], bool)
        assert row["keep"] or row["why"], row["question"]
        (start, end), (begin, close) = row["sentence"], row["span"]
        assert 0 <= start <= begin < close <= end
        assert load_profile(row["profile"]).type(row["type"])


def test_fit_gates_rows_are_of_both_profiles_and_most_types() -> None:
    assert {row["profile"] for row in ROWS} == {"wikipedia", "coding"}
    assert len({row["type"] for row in ROWS}) >= 9
    assert len({row["archive"] for row in ROWS}) == 4


def test_fit_gates_rows_come_back_as_they_were_written(script: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    script.write(path, ROWS[:3])
    assert script.read(path) == ROWS[:3]
    assert script.read(tmp_path / "none.jsonl") == []


def test_fit_gates_tells_a_draft_and_its_fault_from_the_archive(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = "It rained. The Forth Bridge was opened on 4 March 1890 by the Prince of Wales."
    monkeypatch.setattr(script, "text_of", lambda *_: text)
    begin = text.index("4 March")
    row = {
        "archive": "a", "path": "Forth_Bridge", "title": "Forth Bridge", "heading": [], "profile": "wikipedia",
        "type": "temporal", "sentence": [11, 78], "span": [begin, begin + 12],
        "question": "When was the Forth Bridge opened?",
        "answer": "The Forth Bridge was opened on 4 March 1890.",
    }  # fmt: skip
    draft, kind = script.draft_of(row, tmp_path)
    assert (draft.evidence, kind.name) == ((text[11:],), "temporal")
    assert (draft.span, draft.aspects) == ("4 March 1890", ("March", "4", "1890"))
    assert script.fault_of(row, tmp_path) == ""
    assert script.fault_of(row | {"question": "Who opened the Forth Bridge?"}, tmp_path) == "wrong-type"
    assert script.fault_of(row | {"sentence": [11, 40]}, tmp_path) == "no-seed"
    assert script.fault_of(row | {"mended": True}, tmp_path) == "no-seed"

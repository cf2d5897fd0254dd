"""drzero.kb.describing: every table and column is told of, and nothing that is not there."""

from __future__ import annotations

from pathlib import Path

from drzero.kb.describing import MEANINGS, as_markdown, tables
from drzero.kb.schema import open_knowledge_base


def test_describing_tells_of_every_column_and_no_other(tmp_path: Path) -> None:
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        there = tables(db)
    assert {name: sorted(columns) for name, (_, columns) in MEANINGS.items()} == {
        name: sorted(columns) for name, columns in there.items()
    }
    assert all(
        text.strip() and "|" not in text for what, columns in MEANINGS.values() for text in (what, *columns.values())
    )


def test_describing_markdown_names_what_a_column_refers_to() -> None:
    lines = as_markdown().splitlines()
    assert lines[:3] == [
        "| table | column | meaning |",
        "| --- | --- | --- |",
        "| **`entries`** | | a verified answer; full text in `entries_fts` |",
    ]
    assert "| | `topic_id` → `topics` | what it is about |" in lines
    assert "| | `zim_id` → `archives` | the archive |" in lines
    assert len(lines) == 2 + len(MEANINGS) + sum(len(columns) for _, columns in MEANINGS.values())

"""drzero.measuring: gold files measured through the same functions the commands use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from drzero import measuring
from drzero.answering import Workbench
from drzero.config import Settings
from drzero.measuring import measure_answers, measure_retrieval, measure_verifier
from drzero.retrieval.index import open_index
from drzero.retrieval.search import search
from drzero.types import Judgement, Progress
from drzero.workspace import Workspace
from tests.conftest import MakeZim
from tests.fakes import ExtractiveLLM, HashEmbedder
from tests.made_index import index_archive

PAGES = {
    "Forth_Bridge": (
        "Forth Bridge",
        "<h1>Forth Bridge</h1><p>The Forth Bridge was opened on 4 March 1890.</p>",
        "text/html",
    ),
    "Salt": ("Salt", "<h1>Salt</h1><p>Table salt consists mainly of sodium chloride.</p>", "text/html"),
}
QUESTIONS = (
    {
        "qid": "1",
        "question": "When was the Forth Bridge opened?",
        "paths": ["Forth_Bridge"],
        "answers": ["4 March 1890"],
    },
    {"qid": "2", "question": "What does table salt consist of?", "paths": ["Salt"], "answers": ["sodium chloride"]},
    {"qid": "3", "question": "Who wrote Salt?", "paths": ["Forth_Bridge"], "answers": ["Nobody"]},
)


@pytest.fixture
def workspace(make_zim: MakeZim, tmp_path: Path) -> Workspace:
    index_archive(make_zim(PAGES, name="small.zim"), tmp_path / "indexes" / "small")
    return Workspace(tmp_path)


def written(tmp_path: Path, rows: Any) -> Path:
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return gold


def test_measuring_retrieval_counts_what_search_finds(workspace: Workspace, tmp_path: Path) -> None:
    told: list[Progress] = []
    gold = written(tmp_path, QUESTIONS)
    figures = measure_retrieval(workspace, Settings(), gold, mode="lexical", progress=told.append)
    assert (figures["n"], figures["recall@1"]) == (3, pytest.approx(2 / 3))
    assert (told[-1].done, told[-1].total, told[-1].unit) == (3, 3, "questions")


def test_measuring_answers_are_fresh_cited_and_scored(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def bench(*_: object) -> Iterator[Workbench]:
        with open_index(workspace.index_folder("small")) as index:
            yield Workbench(
                ExtractiveLLM(), lambda query, k: search([index], query, embedder=HashEmbedder(), k=k), (index,)
            )

    monkeypatch.setattr(measuring, "workbench", bench)
    monkeypatch.setattr(measuring, "make_ready", lambda *_: SimpleNamespace(profile=SimpleNamespace(keeps_code=False)))
    figures = measure_answers(workspace, Settings(), written(tmp_path, QUESTIONS[:2]), progress=lambda _: None)
    assert (figures["n"], figures["answered"], figures["supported"]) == (2, 1.0, 1.0)
    assert figures["citation_precision"] == 1.0


def test_measuring_verifier_agrees_with_labels(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(claim: str, passage: str) -> Judgement:
        good = claim in passage
        return Judgement("supported" if good else "unsupported", 0.9 if good else 0.1, ("Because.",))

    monkeypatch.setattr(measuring, "load_judge", lambda *_: judge)
    pairs = [
        {"id": "1", "source": "a", "claim": "salt", "passage": "salt and pepper", "label": "supported"},
        {"id": "2", "source": "a", "claim": "sugar", "passage": "salt and pepper", "label": "contradicted"},
        {"id": "3", "source": "b", "claim": "pepper", "passage": "salt and pepper", "label": "unsupported"},
    ]
    figures = measure_verifier(workspace, Settings(), written(tmp_path, pairs), progress=lambda _: None)
    assert (figures["n"], figures["precision"], figures["recall"]) == (3, 0.5, 1.0)

"""drzero.measuring: gold files measured through the same functions the commands use."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from drzero import measuring
from drzero.answering import Workbench
from drzero.config import Settings
from drzero.errors import DrZeroError, SettingsError
from drzero.judges import judge_of, kept_calibrations
from drzero.measuring import measure_answers, measure_calibration, measure_retrieval, measure_verifier, questions
from drzero.retrieval.index import open_index
from drzero.retrieval.search import search
from drzero.types import Fault, Judgement, Progress
from drzero.workspace import Workspace
from tests.conftest import MakeZim
from tests.fakes import ExtractiveLLM, HashEmbedder, WordSignals
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
    def judge(pairs: Sequence[tuple[str, str]]) -> list[Judgement]:
        good = [claim in passage for claim, passage in pairs]
        return [Judgement("supported" if one else "unsupported", 0.9 if one else 0.1, ("Because.",)) for one in good]

    monkeypatch.setattr(measuring, "load_verifier", lambda *_: judge)
    pairs = [
        {"id": "1", "source": "a", "claim": "salt", "passage": "salt and pepper", "label": "supported"},
        {"id": "2", "source": "a", "claim": "sugar", "passage": "salt and pepper", "label": "contradicted"},
        {"id": "3", "source": "b", "claim": "pepper", "passage": "salt and pepper", "label": "unsupported"},
    ]
    told: list[Progress] = []
    figures = measure_verifier(workspace, Settings(), written(tmp_path, pairs), progress=told.append)
    assert (figures["n"], figures["precision"], figures["recall"]) == (3, 0.5, 1.0)
    assert [(one.done, one.total, one.unit) for one in told] == [(3, 3, "pairs")]


# --- calibration ----------------------------------------------------------------------------------------------------


def words_of(n: int) -> str:
    """Six words that no other claim has."""
    return " ".join(f"{chr(98 + step)}{chr(97 + n % 26)}{chr(97 + n // 26)}" for step in range(6))


def labelled(count: int = 80) -> list[dict[str, str]]:
    """Every other claim stands in its passage; of the others half their words do."""
    rows = []
    for n in range(count):
        claim, other = words_of(n), " ".join(words_of(n).split()[:3]) + " zz zz zz"
        label = ("supported", "unsupported")[n % 2]
        rows.append({"id": str(n), "source": "made", "claim": (claim, other)[n % 2], "passage": claim, "label": label})
    return rows


@pytest.fixture
def word_signals(monkeypatch: pytest.MonkeyPatch) -> WordSignals:
    signals = WordSignals("words@1")
    monkeypatch.setattr(measuring, "load_signals", lambda *_: signals)
    return signals


def test_measuring_calibration_is_kept_for_its_judge(tmp_path: Path, word_signals: WordSignals) -> None:
    told: list[Progress] = []
    desk = Workspace(tmp_path)
    report = measure_calibration(desk, Settings(), written(tmp_path, labelled()), save=True, progress=told.append)
    assert kept_calibrations(desk) == (report.calibration,)
    assert report.figures["saved"] == str(tmp_path / "calibration.json")
    assert report.figures["threshold"]["precision"] == 1.0
    assert (told[-1].done, told[-1].total, told[-1].unit) == (80, 80, "pairs")
    judge = judge_of(word_signals, Settings(), kept_calibrations(desk))
    assert judge.min_probability == report.calibration.threshold  # type: ignore[union-attr]


def test_measuring_calibration_asks_only_what_the_verifier_would(tmp_path: Path, word_signals: WordSignals) -> None:
    rows = labelled()
    for n, row in enumerate(rows[:20]):
        row["claim"] += f" in {1900 + n}"  # which the passage does not say
    figures = measure_calibration(
        Workspace(tmp_path), Settings(), written(tmp_path, rows), progress=lambda _: None
    ).figures
    assert (figures["n"], figures["asked"], figures["unchecked"]) == (80, 60, 0)
    assert sum(figures["refused"].values()) == 20
    asked = [pair for call in word_signals.calls for pair in call]
    assert asked == [pair for row in rows[20:] for pair in questions(row["claim"], row["passage"])]


def test_measuring_calibration_is_not_kept_unless_told(tmp_path: Path, word_signals: WordSignals) -> None:
    report = measure_calibration(
        Workspace(tmp_path), Settings(), written(tmp_path, labelled()), progress=lambda _: None
    )
    assert report.calibration is not None
    assert report.figures["saved"] is None
    assert not (tmp_path / "calibration.json").exists()


def test_measuring_calibration_that_no_threshold_reaches_is_not_kept(tmp_path: Path, word_signals: WordSignals) -> None:
    rows = labelled(160)
    for n, row in enumerate(rows):
        row["label"] = ("supported", "unsupported")[n // 2 % 2]  # whatever its words
    report = measure_calibration(
        Workspace(tmp_path), Settings(), written(tmp_path, rows), save=True, progress=lambda _: None
    )
    assert (report.calibration, report.figures["saved"], report.figures["threshold"]) == (None, None, None)
    assert not (tmp_path / "calibration.json").exists()


def test_measuring_calibration_refuses_before_a_model_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(*_: object) -> WordSignals:
        raise AssertionError("nothing is loaded")

    monkeypatch.setattr(measuring, "load_signals", load)
    desk, gold = Workspace(tmp_path), written(tmp_path, labelled(20))
    with pytest.raises(DrZeroError, match="needs at least 40 different pairs, but there are 20"):
        measure_calibration(desk, Settings(), gold, progress=lambda _: None)
    gold = written(tmp_path, labelled())
    desk.calibrations.write_text("{")
    with pytest.raises(SettingsError, match=r"calibration\.json cannot be used"):
        measure_calibration(desk, Settings(), gold, progress=lambda _: None)


def test_measuring_asks_the_judge_what_the_verifier_would_ask() -> None:
    passage = "Salt consists of sodium and chlorine since 1810."
    ((premise, hypothesis),) = questions("Salt consists of sodium.", passage)  # type: ignore[misc]
    assert passage in premise
    assert hypothesis == "Salt consists of sodium."
    fault = questions("Salt consists of sodium since 1811.", passage)
    assert isinstance(fault, Fault)
    assert fault.code == "number"
    assert fault.reason.endswith(".")

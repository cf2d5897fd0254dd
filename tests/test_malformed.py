"""Whatever a writer gives back, a run goes on to its end and counts it under its name."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero.answering import Workbench, answer_afresh
from drzero.config import Settings
from drzero.evolving import run_loop
from drzero.kb.episodes import get_episode, list_episodes
from drzero.kb.schema import open_knowledge_base
from drzero.profiles import load_profile
from drzero.results import EvolveOptions
from drzero.retrieval.index import OpenIndex, open_index
from drzero.retrieval.search import search
from drzero.types import Completion, Prompt
from tests.conftest import MakeZim
from tests.fakes import ExtractiveLLM, HashEmbedder
from tests.made_index import index_archive
from tests.samples import BRIDGE_PAGES

MALFORMED: dict[str, tuple[Any, str, str]] = {
    "empty": ("", "stop", "empty"),
    "none": (None, "stop", "empty"),
    "blank": (" \n ", "stop", "empty"),
    "cut": ("The old bridge which was built in the year in", "length", "cut"),
    "fenced": ("```text\nThe old bridge opened in 1931.\n```", "stop", "fenced"),
    "thinking": ("<think>The user asks for a date.", "length", "fenced"),
    "endless": ("and so on " * 30, "length", "endless"),
    "object": ('{"question": "When did it open?", "answer": "1931"}', "stop", "structured"),
    "value": ({"answer": "1931"}, "stop", "structured"),
    "not UTF-8": (b"The br\xfccke opened in 1931.", "stop", "garbled"),
    "half a letter": ("The bridge of K\ufffdln opened in 1931.", "stop", "garbled"),
    "control characters": ("The bridge\x00 opened in 1931.", "stop", "garbled"),
    "a lone surrogate": ("The bridge \udcff opened in 1931.", "stop", "garbled"),
}


class Malformed(ExtractiveLLM):
    """A writer that copies, but answers prompts of one kind with what is no answer, from its `after`th on."""

    def __init__(self, output: tuple[Any, str], kind: str, *, after: int = 0, odds: Any = None) -> None:
        super().__init__()
        self._output, self._kind, self._after, self._odds = output, kind, after, odds
        self._met: Counter[str] = Counter()

    def complete(self, prompt: Prompt, **options: Any) -> Completion:
        said = super().complete(prompt, **options)
        if not prompt.name.startswith(self._kind):
            return said
        question = prompt.messages[-1][1].rpartition("\n\nQuestion: ")[2]
        self._met[question] += 1
        text, finish = self._output
        return said if self._met[question] <= self._after else replace(said, text=text, finish=finish)

    def yes_no(self, prompt: Prompt) -> float:
        odds: float = super().yes_no(prompt) if self._odds is None else self._odds
        return odds


@pytest.fixture
def bench(make_zim: MakeZim, tmp_path: Path) -> Iterator[Callable[[ExtractiveLLM], Workbench]]:
    index_archive(make_zim(BRIDGE_PAGES, name="bridges.zim"), tmp_path / "indexes" / "bridges")
    with open_index(tmp_path / "indexes" / "bridges") as index:
        yield lambda llm: Workbench(llm, found_in(index), (index,))


def found_in(index: OpenIndex) -> Any:
    return lambda query, k: search([index], query, embedder=HashEmbedder(), k=k)


def reasons(bench: Workbench, database: Path) -> tuple[Counter[str], int]:
    """Every reason for which a run refused a proposal or an answer, and how many episodes it had."""
    loop = replace(Settings().loop, iterations=1, challenges=3, attempts=1, proposals=3)
    settings, options = replace(Settings(), loop=loop), EvolveOptions(seed=7)
    with open_knowledge_base(database) as db:
        result = run_loop(db, bench, settings, options, profile=load_profile("wikipedia"), progress=lambda _: None)
        assert (result.episodes, result.accepted) == (3, 0)
        tried = [get_episode(db, one.id) for one in list_episodes(db)]
    counted = Counter(episode.reason for episode in tried)
    for episode in tried:
        counted.update(dict(episode.rejections))
        assert len(episode.metrics) == 14
        assert all(math.isfinite(value) for value in episode.metrics)
    return counted, len(tried)


@pytest.mark.parametrize("how", MALFORMED)
def test_malformed_questions_are_refused_by_name(
    bench: Callable[[ExtractiveLLM], Workbench], tmp_path: Path, how: str
) -> None:
    text, finish, fault = MALFORMED[how]
    counted, episodes = reasons(bench(Malformed((text, finish), "ask-")), tmp_path / "knowledge.db")
    assert set(counted) <= {f"output-{fault}", "no-seed"}
    assert counted[f"output-{fault}"] >= episodes


@pytest.mark.parametrize("how", MALFORMED)
def test_malformed_answers_from_the_source_are_refused_by_name(
    bench: Callable[[ExtractiveLLM], Workbench], tmp_path: Path, how: str
) -> None:
    text, finish, fault = MALFORMED[how]
    counted, _ = reasons(bench(Malformed((text, finish), "read/")), tmp_path / "knowledge.db")
    assert counted[f"output-{fault}"] >= 3


@pytest.mark.parametrize("how", MALFORMED)
def test_malformed_answers_of_the_solver_are_the_episode_s_reason(
    bench: Callable[[ExtractiveLLM], Workbench], tmp_path: Path, how: str
) -> None:
    text, finish, fault = MALFORMED[how]
    honest_until_solved = 3  # from the source sentence, from the chunk, among distractors
    llm = Malformed((text, finish), "read/", after=honest_until_solved)
    counted, _ = reasons(bench(llm), tmp_path / "knowledge.db")
    assert counted[f"output-{fault}"] >= 2


@pytest.mark.parametrize(
    "odds", [math.nan, math.inf, -math.inf, "Yes", 10**400], ids=["nan", "inf", "-inf", "text", "huge"]
)
def test_malformed_judgements_accept_nothing(
    bench: Callable[[ExtractiveLLM], Workbench], tmp_path: Path, odds: Any
) -> None:
    """What is said word by word needs no judge, but whether the proposal is worth asking is asked all the same."""
    counted, _ = reasons(bench(Malformed(("", "stop"), "no such prompt", odds=odds)), tmp_path / "knowledge.db")
    assert counted["not-alone"] >= 3


@pytest.mark.parametrize("how", MALFORMED)
def test_malformed_answers_to_ask_are_abstentions(bench: Callable[[ExtractiveLLM], Workbench], how: str) -> None:
    text, finish, _ = MALFORMED[how]
    result = answer_afresh(
        bench(Malformed((text, finish), "read/")), Settings(), "When was the Forth Bridge opened?", code=False
    )
    assert (result.status, result.answer, result.claims) == ("abstained", "", ())

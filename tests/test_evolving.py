"""drzero.evolving: a whole run over a small index, interrupted and resumed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from drzero.answering import Workbench, answer_afresh
from drzero.config import Settings
from drzero.corpus.zim import open_archive
from drzero.evolving import run_loop
from drzero.judges import judge_of
from drzero.kb.entries import list_entries
from drzero.kb.episodes import get_episode, list_episodes, runs
from drzero.kb.schema import open_knowledge_base
from drzero.loop.extracting import Extractor
from drzero.loop.verbatim import VerbatimSignals
from drzero.profiles import load_profile
from drzero.results import EvolveOptions
from drzero.retrieval.index import OpenIndex, open_index
from drzero.retrieval.sampling import Sampler
from drzero.retrieval.search import search
from drzero.types import LLM, Episode, Passage
from tests.conftest import MakeZim
from tests.fakes import ExtractiveLLM, HashEmbedder
from tests.made_index import index_archive
from tests.samples import BRIDGE_PAGES, BRIDGES

RECORDS = {
    "Modern Sounds": ("Ray Charles", "April 1962", "39:15", "ABC", "Sid Feller"),
    "Kind of Blue": ("Miles Davis", "August 1959", "45:44", "Columbia", "Irving Townsend"),
    "Blue Train": ("John Coltrane", "January 1958", "42:50", "Blue Note", "Alfred Lion"),
    "Time Out": ("Dave Brubeck", "December 1959", "38:30", "Columbia", "Teo Macero"),
}
RECORD_PAGES = {
    name.replace(" ", "_"): (
        name,
        f"<h1>{name}</h1><p>{name} is an album by {by}.</p><p>Studio album by {by}</p><p>Released: {released}</p>"
        f"<p>Length: {length}</p><p>Label: {label}</p><p>Producer: {producer}</p>",
        "text/html",
    )
    for name, (by, released, length, label, producer) in RECORDS.items()
}
WITHOUT_A_MODEL = judge_of(VerbatimSignals(), Settings())
SETTINGS = replace(Settings(), loop=replace(Settings().loop, iterations=2, challenges=4, attempts=2, proposals=3))


@pytest.fixture
def index(make_zim: MakeZim, tmp_path: Path) -> Iterator[OpenIndex]:
    index_archive(make_zim(BRIDGE_PAGES, name="bridges.zim"), tmp_path / "indexes" / "bridges")
    with open_index(tmp_path / "indexes" / "bridges") as opened:
        yield opened


def bench(index: OpenIndex, llm: LLM) -> Workbench:
    def retrieve(query: str, k: int) -> list[Passage]:
        return search([index], query, embedder=HashEmbedder(), k=k)

    return Workbench(llm, retrieve, (index,))


def run(db: Any, index: OpenIndex, llm: ExtractiveLLM, **options: Any) -> Any:
    chosen = EvolveOptions(seed=7, **options)
    return run_loop(db, bench(index, llm), SETTINGS, chosen, profile=load_profile("wikipedia"), progress=lambda _: None)


def timeless(episode: Episode) -> Episode:
    steps = tuple(replace(step, elapsed_s=0.0) for step in episode.steps)
    return replace(episode, id="", run="", steps=steps, elapsed_s=0.0, created_at="")


def stored(db: Any) -> list[Episode]:
    return [timeless(get_episode(db, one.id)) for one in list_episodes(db)]


def test_evolving_stores_verified_entries_whose_quotes_stand_in_the_archive(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    result = run(db, index, ExtractiveLLM())
    assert (result.iterations, result.episodes) == (2, 8)
    assert result.accepted >= 3
    assert result.accepted + sum(count for _, count in result.rejected) == 8
    archive = open_archive(tmp_path / "bridges.zim")
    entries = list_entries(db)
    assert len(entries) == result.accepted
    for entry in entries:
        assert {judgement.verdict for judgement in entry.judgements} == {"supported"}
        for claim in entry.claims:
            for citation in claim.citations:
                article = archive.article(citation.path)
                assert article is not None
                assert article.text[citation.start : citation.end] == citation.quote
    assert len({entry.question for entry in entries}) == len(entries)
    assert runs(db)[0].status == "finished"


@pytest.mark.parametrize("calls", [1, 10, 33])
def test_evolving_an_interrupted_run_ends_as_an_uninterrupted_one(index: OpenIndex, tmp_path: Path, calls: int) -> None:
    whole = open_knowledge_base(tmp_path / "whole.db")
    run(whole, index, ExtractiveLLM())
    db = open_knowledge_base(tmp_path / "knowledge.db")
    with pytest.raises(KeyboardInterrupt):
        run(db, index, ExtractiveLLM(calls_before_interrupt=calls))
    assert runs(db)[0].status == "interrupted"
    result = run(db, index, ExtractiveLLM())
    assert len(runs(db)) == 1
    assert result.episodes == 8
    assert stored(db) == stored(whole)
    assert [replace(e, episode_id="", created_at="") for e in list_entries(db)] == [
        replace(e, episode_id="", created_at="") for e in list_entries(whole)
    ]


def test_evolving_a_new_run_asks_nothing_twice(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    run(db, index, ExtractiveLLM())
    run(db, index, ExtractiveLLM(), new_run=True)
    questions = Counter(one.question.casefold() for one in list_episodes(db) if one.question)
    assert set(questions.values()) == {1}
    assert len(runs(db)) == 2


def test_evolving_the_solver_never_sees_reference_or_gold(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    run(db, index, ExtractiveLLM())
    for one in list_episodes(db):
        episode = get_episode(db, one.id)
        if episode.challenge is None:
            continue
        retrieved = {chunk_id for step in episode.steps if step.name == "search" for _, chunk_id, _ in step.output}
        given = [step.inputs["content"] for step in episode.steps if step.stage == "solved" and step.name == "complete"]
        assert given
        for content in given:
            passages, _, question = content.rpartition("\n\nQuestion: ")
            assert question == episode.challenge.question
            shown = [chunk for chunk in index.chunks(range(index.count)) if chunk.text in passages]
            assert {chunk.id for chunk in shown} <= retrieved
            assert episode.challenge.gold[0].path not in content


def test_evolving_an_answer_from_memory_is_the_base_score(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    known = " ".join(f"The {name} was opened in {place} on {date}." for name, (place, date, _, _) in BRIDGES.items())
    run(db, index, ExtractiveLLM(memory=known))
    bases = [get_episode(db, one.id).base_score for one in list_episodes(db) if one.status == "accepted"]
    assert bases
    assert all(0.0 <= base <= 1.0 for base in bases)
    assert any(base > 0.0 for base in bases)


def test_evolving_without_a_model_templates_ask_and_the_archive_answers(make_zim: MakeZim, tmp_path: Path) -> None:
    """`--llm none`: the whole loop; what it stores is said in the archive's own words, and it is reproducible."""
    index_archive(make_zim(RECORD_PAGES, name="records.zim"), tmp_path / "indexes" / "records")
    with open_index(tmp_path / "indexes" / "records") as index:
        alone = replace(bench(index, Extractor()), judge=WITHOUT_A_MODEL, proposes=False)
        kept = []
        for name in ("one", "other"):
            db = open_knowledge_base(tmp_path / f"{name}.db")
            profile, chosen = load_profile("wikipedia"), EvolveOptions(seed=7)
            result = run_loop(db, alone, SETTINGS, chosen, profile=profile, progress=lambda _: None)
            kept.append([(entry.question, entry.answer) for entry in list_entries(db)])
            assert result.accepted >= 4
            episodes = [get_episode(db, one.id) for one in list_episodes(db)]
            assert {one.challenge.origin for one in episodes if one.challenge} == {"template"}
            assert {dict(one.models)["writer"] for one in episodes} == {"extractor-1"}
            assert {entry.model for entry in list_entries(db)} == {"extractor-1"}
        assert kept[0] == kept[1]


def test_evolving_a_topic_narrows_what_is_asked(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    run(db, index, ExtractiveLLM(), topic="Charles Bridge in Prague")
    assert runs(db)[0].settings["topic"] == "Charles Bridge in Prague"
    assert list_episodes(db)


def test_evolving_curriculum_goes_on_where_the_last_run_left_it(index: OpenIndex, tmp_path: Path) -> None:
    db = open_knowledge_base(tmp_path / "knowledge.db")
    first = run(db, index, ExtractiveLLM())
    levels = [one.level for one in list_episodes(db)]
    assert levels[:4] == ["easy"] * 4
    assert first.level in ("easy", "medium", "hard")


def test_sampling_draws_articles_asked_least(index: OpenIndex) -> None:
    zim_id = index.manifest.archive.id
    asked = Counter({(zim_id, path): 5 for path in BRIDGE_PAGES if path != "Charles_Bridge"})
    drawn = Counter(Sampler([index], asked)(Random(number)).path for number in range(60))
    assert drawn.most_common(1)[0][0] == "Charles_Bridge"
    assert Sampler([index], asked)(Random(3)) == Sampler([index], asked)(Random(3))
    pool = index.chunks_of("Forth_Bridge")
    assert {Sampler([index], asked, pool)(Random(number)).path for number in range(9)} == {"Forth_Bridge"}


def test_answering_a_question_from_the_archive_is_cited(index: OpenIndex) -> None:
    result = answer_afresh(
        bench(index, ExtractiveLLM()), SETTINGS, "When was the Forth Bridge opened in Scotland?", code=False
    )
    assert result.status == "supported"
    (claim,) = result.claims
    assert claim.citations[0].path == "Forth_Bridge"
    assert "4 March 1890" in claim.citations[0].quote


def test_answering_a_foreign_question_abstains_without_the_writer(index: OpenIndex) -> None:
    llm = ExtractiveLLM()
    result = answer_afresh(bench(index, llm), SETTINGS, "How do I compost kitchen scraps?", code=False)
    assert (result.status, result.claims) == ("abstained", ())
    assert llm.prompts == []

"""Cases of citations: footnotes of the source (B09), sources never given (E01), nothing suitable (E05)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from drzero.answering import RELEVANCE_FLOOR, Workbench, answer_afresh, relevance
from drzero.config import Settings
from drzero.corpus.zim import open_archive
from drzero.kb.entries import admit
from drzero.kb.schema import open_knowledge_base
from drzero.loop.citations import citations_fault
from drzero.loop.quotes import own_wording, quote_fault
from drzero.loop.verify import Thresholds, verify
from drzero.retrieval.index import OpenIndex, open_index
from drzero.retrieval.search import search
from drzero.types import Answer, Chunk, Citation, Claim, Passage
from tests.conftest import MakeZim
from tests.fakes import ExtractiveLLM, HashEmbedder, ScriptedLLM, WordOverlapEntailment
from tests.made_index import index_archive
from tests.samples import make_entry

# --- B09 ------------------------------------------------------------------------------------------------------------

NOTED = (
    '<h1>Bridge</h1><p>The bridge opened in 1931.<sup class="reference"><a href="#n3">[3]</a></sup>'
    "<sup>[<i>citation needed</i>]</sup> The odds were 1.5 [1.3-1.7]. Use a[0] in C.</p>"
)
PLAIN = "The bridge opened in 1931. The odds were 1.5 [1.3-1.7]. Use a[0] in C."


@pytest.fixture
def bridge(make_zim: MakeZim) -> tuple[Passage, Passage]:
    archive = open_archive(make_zim({"Bridge": ("Bridge", NOTED, "text/html")}, metadata={"Scraper": "mwoffliner 1"}))
    article = archive.article("Bridge")
    assert article is not None
    chunk = Chunk("c1", article.zim_id, "Bridge", "Bridge", (), article.text, 0, len(article.text))
    return Passage(chunk, 1.0, 1, "small"), Passage(replace(chunk, id="c2", path="Other"), 0.5, 2, "small")


def test_case_b09_footnote_marks_are_gone_from_chunks_and_other_brackets_kept(bridge: tuple[Passage, Passage]) -> None:
    assert bridge[0].chunk.text == PLAIN


@pytest.mark.parametrize(
    ("quote", "stated"),
    [
        ("The bridge opened in 1931.", "The bridge opened in 1931."),
        ("The bridge opened in 1931.[3]", "The bridge opened in 1931."),
        ("The bridge opened in 1931.[3][citation needed]", "The bridge opened in 1931."),
        ("The bridge opened in 1931[3].", "The bridge opened in 1931."),
        ("The odds were 1.5 [1.3-1.7].", "The odds were 1.5 [1.3-1.7]."),
        ("The odds were 1.5 [1.3–1.7].", "The odds were 1.5 [1.3-1.7]."),
        ("Use a[0] in C.", "Use a[0] in C."),
        ("The bridge opened in 1931.[3][citation needed] The odds were 1.5 [1.3-1.7]. Use a[0] in C.", PLAIN),
    ],
)
def test_case_b09_quotes_with_and_without_the_footnote_mark_match(
    bridge: tuple[Passage, Passage], quote: str, stated: str
) -> None:
    start = PLAIN.index(stated)
    citation = Citation(1, "small", "", "Bridge", "Bridge", (), "c1", quote, start, start + len(stated))
    assert quote_fault(quote, bridge[0].chunk, citation.start, citation.end, bridge) is None
    assert own_wording(citation, bridge[0].chunk).quote == stated


@pytest.mark.parametrize(
    ("quote", "code"),
    [
        ("The odds were 1.5 .", "quote-changed"),
        ("The odds were 1.5 [1.3-1.8].", "quote-changed"),
        ("Use a in C.", "quote-changed"),
        ("Use a[1] in C.", "quote-changed"),
    ],
)
def test_case_b09_the_interval_and_the_subscript_are_words_of_the_quote(
    bridge: tuple[Passage, Passage], quote: str, code: str
) -> None:
    found = quote_fault(quote, bridge[0].chunk, 0, 26, bridge)
    assert found is not None
    assert found.code == code


def test_case_b09_an_answer_s_mark_3_with_two_sources_is_no_citation(bridge: tuple[Passage, Passage]) -> None:
    text = "The bridge opened in 1931."
    citation = Citation(1, "small", bridge[0].chunk.zim_id, "Bridge", "Bridge", (), "c1", text, 0, 26)
    assert citations_fault(Claim(text, (citation,)), bridge) is None
    found = citations_fault(Claim(f"{text}[3]", (citation,)), bridge)
    assert found is not None
    assert (found.code, found.reason) == ("invented-citation", "Source [3] was never given; there were 2.")


# --- E01 ------------------------------------------------------------------------------------------------------------

OPENED = "The bridge opened in 1931."
TEXTS = (f"{OPENED} It is old.", "The tower is 40 metres high.", "Bells ring at noon.")
GIVEN = tuple(
    Passage(Chunk(f"c{n}", "z", title, title, (), text, 0, len(text)), 1 / n, n, "wiki")
    for n, (title, text) in enumerate(zip(("Bridge", "Tower", "Bells"), TEXTS, strict=True), 1)
)
GOOD = Citation(1, "wiki", "z", "Bridge", "Bridge", (), "c1", OPENED, 0, len(OPENED))


@pytest.mark.parametrize(
    ("claim", "code", "says"),
    [
        (Claim(OPENED, (replace(GOOD, n=7),)), "invented-citation", "Source [7] was never given; there were 3."),
        (Claim(f"{OPENED} [7]", (GOOD,)), "invented-citation", "Source [7] was never given; there were 3."),
        (Claim(f"{OPENED} [5,7]", (GOOD,)), "invented-citation", "Source [5] was never given; there were 3."),
        (
            Claim(f"{OPENED} [Source: Common knowledge]", (GOOD,)),
            "invented-citation",
            "The claim names the source “Common knowledge”, which was never given.",
        ),
        (
            Claim(OPENED, (replace(GOOD, path="Atlantis"),)),
            "invented-citation",
            "Atlantis is not in the archive.",
        ),
        (
            Claim(OPENED, (replace(GOOD, path="River"),)),
            "invented-citation",
            "River is in the archive, but it is not among the passages given.",
        ),
        (Claim(OPENED, ()), "no-citation", "The claim cites no passage."),
    ],
)
def test_case_e01_a_source_that_was_never_given_is_refused_with_its_reason(claim: Claim, code: str, says: str) -> None:
    found = citations_fault(claim, GIVEN, has=lambda zim_id, path: (zim_id, path) == ("z", "River"))
    assert found is not None
    assert (found.code, found.verdict, found.reason) == (code, "unsupported", says)


@pytest.mark.parametrize(
    "claim",
    [
        Claim(OPENED, (replace(GOOD, n=7),)),
        Claim(f"{OPENED} [7]", (GOOD,)),
        Claim(OPENED, (replace(GOOD, path="Atlantis"),)),
        Claim(OPENED, (replace(GOOD, chunk_id="c9"),)),
        Claim(OPENED, ()),
    ],
)
def test_case_e01_nothing_with_a_citation_that_leads_nowhere_is_stored(tmp_path: Path, claim: Claim) -> None:
    verdict = verify(Answer(OPENED, (claim,), 1.0), GIVEN, WordOverlapEntailment(), Thresholds(0.1))
    assert verdict.status == "unsupported"
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        with pytest.raises(ValueError, match="has a claim that is unsupported"):
            admit(db, make_entry(claims=(claim,), judgements=verdict.judgements, episode_id=""))
        assert db.table("entries").count == 0


def test_case_e01_the_same_citation_ten_times_is_one() -> None:
    answer = Answer(OPENED, (Claim(OPENED, (GOOD,) * 10),), 1.0)
    assert verify(answer, GIVEN, WordOverlapEntailment(), Thresholds(0.1)).status == "supported"
    # but ten times it supports no more than once
    twice = Claim("The bridge opened in 1931 and is 40 metres high.", (GOOD,) * 10)
    assert not verify(Answer("", (twice,), 1.0), GIVEN, WordOverlapEntailment(), Thresholds(0.1)).accepted


# --- E05 ------------------------------------------------------------------------------------------------------------

DOCS = {
    "json": (
        "json",
        "<h1>json</h1><p>The json module encodes values as text. Use json.dumps to write them.</p>",
        "text/html",
    ),
    "sqlite": ("sqlite", "<h1>sqlite</h1><p>A table has rows. The VACUUM command rebuilds the file.</p>", "text/html"),
}


@pytest.fixture
def docs(make_zim: MakeZim, tmp_path: Path) -> Iterator[OpenIndex]:
    index_archive(make_zim(DOCS, name="docs.zim"), tmp_path / "indexes" / "docs")
    with open_index(tmp_path / "indexes" / "docs") as opened:
        yield opened


def bench(index: OpenIndex, llm: ScriptedLLM) -> Workbench:
    return Workbench(llm, lambda query, k: search([index], query, embedder=HashEmbedder(), k=k), (index,))


def test_case_e05_what_is_under_the_floor_is_not_offered_as_evidence(docs: OpenIndex) -> None:
    question = "How do I compost kitchen scraps in winter?"
    found = search([docs], question, embedder=HashEmbedder(), k=5)
    assert found  # the nearest passages are there, but none is about the question
    assert all(relevance(question, passage) < RELEVANCE_FLOOR for passage in found)
    llm = ExtractiveLLM()
    result = answer_afresh(bench(docs, llm), Settings(), question, code=False)
    assert (result.status, result.claims, result.passages) == ("abstained", (), ())
    assert llm.prompts == []  # nothing was given to read


def test_case_e05_what_is_above_the_floor_is(docs: OpenIndex) -> None:
    question = "Which command rebuilds the file of a table?"
    llm = ExtractiveLLM()
    result = answer_afresh(bench(docs, llm), Settings(), question, code=False)
    assert [passage.chunk.path for passage in result.passages] == ["sqlite"]
    assert all("json" not in prompt.messages[-1][1] for prompt in llm.prompts)


def test_case_e05_an_answer_that_is_in_no_page_is_an_abstention(docs: OpenIndex) -> None:
    question = "Which json module encodes values as sound?"
    llm = ScriptedLLM(reply=lambda _: "Not found.")
    result = answer_afresh(bench(docs, llm), Settings(), question, code=False)
    assert (result.status, result.claims) == ("abstained", ())
    assert [passage.chunk.path for passage in result.passages] == ["json"]

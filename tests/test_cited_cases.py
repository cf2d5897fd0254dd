"""Cases of citations: footnotes of the source (B09), sources never given (E01), nothing suitable (E05)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero.answering import Workbench, answer_afresh
from drzero.config import Settings
from drzero.corpus.zim import open_archive
from drzero.evolving import run_loop
from drzero.kb.entries import admit
from drzero.kb.episodes import get_episode, list_episodes
from drzero.kb.schema import open_knowledge_base
from drzero.loop.citations import citations_fault
from drzero.loop.quotes import own_wording, quote_fault
from drzero.loop.solve import RELEVANCE_FLOOR, relevance
from drzero.loop.verify import Thresholds, verify
from drzero.profiles import load_profile
from drzero.results import EvolveOptions, EvolveResult
from drzero.retrieval.index import OpenIndex, open_index
from drzero.retrieval.search import search
from drzero.types import Answer, Chunk, Citation, Claim, Completion, Judgement, Passage, Prompt
from tests.conftest import MakeZim
from tests.fakes import ExtractiveLLM, HashEmbedder, ScriptedLLM, WordOverlapEntailment
from tests.made_index import index_archive
from tests.samples import BRIDGE_PAGES, make_entry

# --- B09 ------------------------------------------------------------------------------------------------------------

NOTED = (
    '<h1>Bridge</h1><p>The bridge opened in 1931.<sup class="reference"><a href="#n3">[3]</a></sup>'
    "<sup>[<i>citation needed</i>]</sup> The odds were 1.5 [1.3-1.7]. Use a[0] in C.</p>"
)
PLAIN = "The bridge opened in 1931. The odds were 1.5 [1.3-1.7]. Use a[0] in C."


class Certain:
    """An entailment model that believes everything: whatever is refused, a check refuses."""

    id = "certain"

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [1.0] * len(pairs)


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


@pytest.mark.parametrize(
    ("text", "quote", "codes"),
    [
        ("The bridge opened in 1931.", "The bridge opened in 1931.", ()),
        ("The bridge opened in 1931.", "The bridge opened in 1931.[3][citation needed]", ()),
        ("The bridge opened in 1931.[1]", "The bridge opened in 1931.[3]", ()),
        ("The odds were 1.5 [1.3-1.7].", "The odds were 1.5 [1.3-1.7].", ()),
        ("Use a[0] in C.", "Use a[0] in C.", ()),
        ("The bridge opened in 1931.[3]", "The bridge opened in 1931.[3]", ("invented-citation",)),
        ("The bridge opened in 1931.[2]", "The bridge opened in 1931.", ("invented-citation",)),
        ("The bridge opened in 1931.[citation needed]", "The bridge opened in 1931.", ("invented-citation",)),
        ("The odds were 1.5 [1.3-1.8].", "The odds were 1.5 [1.3-1.7].", ("number",)),
    ],
)
def test_case_b09_through_every_layer(
    bridge: tuple[Passage, Passage], text: str, quote: str, codes: tuple[str, ...]
) -> None:
    zim_id, stated = bridge[0].chunk.zim_id, quote.split(".[", maxsplit=1)[0].removesuffix(".") + "."
    start = PLAIN.index(stated)
    citation = Citation(1, "small", zim_id, "Bridge", "Bridge", (), "c1", quote, start, start + len(stated))
    verdict = verify(Answer(text, (Claim(text, (citation,)),), 1.0), bridge, Certain(), Thresholds(0.5))
    assert verdict.judgements[0].codes == codes
    assert verdict.status == ("unsupported" if codes else "supported")


# --- E01 ------------------------------------------------------------------------------------------------------------

OPENED = "The bridge opened in 1931."
TEXTS = (f"{OPENED} It is old.", "The tower is 40 metres high.", "Bells ring at noon.")
ASKED = "When was the Forth Bridge opened in Scotland?"
GIVEN = tuple(
    Passage(Chunk(f"c{n}", "z", title, title, (), text, 0, len(text)), 1 / n, n, "wiki")
    for n, (title, text) in enumerate(zip(("Bridge", "Tower", "Bells"), TEXTS, strict=True), 1)
)
CITED = tuple(
    Citation(n, "wiki", "z", one.chunk.path, one.chunk.title, (), one.chunk.id, one.chunk.text, 0, one.chunk.end)
    for n, one in enumerate(GIVEN, 1)
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
        (  # a path that is not in the archive, and one that is but was not retrieved: the writer was given neither
            Claim(OPENED, (replace(GOOD, path="Atlantis"),)),
            "invented-citation",
            "Atlantis is not among the passages given.",
        ),
        (
            Claim(OPENED, (replace(GOOD, path="River"),)),
            "invented-citation",
            "River is not among the passages given.",
        ),
        (  # an invented heading would be evidence as the title of an article is
            Claim("The railway bridge opened in 1931.", (replace(GOOD, heading=("Railway bridge",)),)),
            "invented-citation",
            "Source [1] stands under no heading, not under “Railway bridge” as the citation says.",
        ),
        (Claim(OPENED, ()), "no-citation", "The claim cites no passage."),
        (Claim(OPENED, (replace(GOOD, n=7),) * 10), "invented-citation", "Source [7] was never given; there were 3."),
        (
            Claim(f"{OPENED}[1][2][3]", (GOOD,)),
            "invented-citation",
            "The claim names source [2], but quotes nothing of it.",
        ),
    ],
)
def test_case_e01_a_source_that_was_never_given_is_refused_with_its_reason(claim: Claim, code: str, says: str) -> None:
    other = Claim(TEXTS[2], (CITED[2],))
    verdict = verify(
        Answer(" ".join(one.text for one in (claim, other, claim)), (claim, other, claim), 1.0),
        GIVEN,
        Certain(),
        Thresholds(0.5),
    )
    refused = Judgement("unsupported", 0.0, (says,), (code,))
    assert verdict.judgements[::2] == (refused, refused)
    assert (verdict.judgements[1].verdict, verdict.status) == ("supported", "partial")
    alone = verify(Answer(claim.text, (claim,), 1.0), GIVEN, Certain(), Thresholds(0.5))
    assert (alone.status, alone.accepted) == ("unsupported", False)


def test_case_e01_all_sources_on_every_sentence_support_each_no_more_than_the_one_that_does() -> None:
    verdict = verify(
        Answer(" ".join((OPENED, *TEXTS[1:])), tuple(Claim(text, CITED) for text in (OPENED, *TEXTS[1:])), 1.0),
        GIVEN,
        WordOverlapEntailment(),
        Thresholds(0.5),
    )
    assert verdict.status == "supported"
    assert [judgement.reasons[-1] for judgement in verdict.judgements] == [
        "It can do without [2], [3].",
        "It can do without [1], [3].",
        "It can do without [1], [2].",
    ]
    wrong = Claim("The bridge opened in 1932.[1][2][3]", CITED)
    (judgement,) = verify(Answer(wrong.text, (wrong,), 1.0), GIVEN, Certain(), Thresholds(0.5)).judgements
    assert (judgement.verdict, judgement.codes) == ("contradicted", ("number",))


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
    assert not verify(Answer(twice.text, (twice,), 1.0), GIVEN, WordOverlapEntailment(), Thresholds(0.1)).accepted


INVENTING = {
    "a number": lambda text: f"{text.rstrip('.')} [7].",
    "a number behind": lambda text: f"{text}[7]",
    "thick brackets": lambda text: f"{text}【9†source】",
    "common knowledge": lambda text: f"{text.rstrip('.')} [Source: Common knowledge].",
    "a path": lambda text: f"{text.rstrip('.')} (source: A/Atlantis).",
    "an address": lambda text: f"{text.rstrip('.')}, see https://bridges.example/a.",
    "all there are": lambda text: f"{text}[1][2][3]",
    "ten times": lambda text: f"{text}{'[8]' * 10}",
}


class Inventing(ExtractiveLLM):
    """A writer that copies, as the other does, and lends what it answers a source of its own making.

    The first `honest` answers to a question are without: so many are asked before a challenge is let through.
    """

    def __init__(self, invent: Callable[[str], str], *, honest: int = 0) -> None:
        super().__init__()
        self._invent, self._honest = invent, honest
        self._answered: Counter[str] = Counter()

    def complete(self, prompt: Prompt, **options: Any) -> Completion:
        said = super().complete(prompt, **options)
        question = prompt.messages[-1][1].rpartition("\n\nQuestion: ")[2]
        self._answered[question] += 1
        if not prompt.name.startswith("read/") or self._answered[question] <= self._honest:
            return said
        return replace(said, text=self._invent(said.text))


def evolve(index: OpenIndex, db: Any, llm: ScriptedLLM) -> EvolveResult:
    loop = replace(Settings().loop, iterations=2, challenges=4, attempts=1, proposals=3)
    settings, options = replace(Settings(), loop=loop), EvolveOptions(seed=7)
    return run_loop(
        db, bench(index, llm), settings, options, profile=load_profile("wikipedia"), progress=lambda _: None
    )


@pytest.fixture
def bridges(make_zim: MakeZim, tmp_path: Path) -> Iterator[OpenIndex]:
    index_archive(make_zim(BRIDGE_PAGES, name="bridges.zim"), tmp_path / "indexes" / "bridges")
    with open_index(tmp_path / "indexes" / "bridges") as opened:
        yield opened


def test_case_e01_a_writer_that_invents_nothing_is_heard(bridges: OpenIndex, tmp_path: Path) -> None:
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        assert evolve(bridges, db, ExtractiveLLM()).accepted >= 2
        assert db.table("entries").count >= 2
    result = answer_afresh(bench(bridges, ExtractiveLLM()), Settings(), ASKED, code=False)
    assert result.status == "supported"


@pytest.mark.parametrize("how", INVENTING)
def test_case_e01_nothing_that_an_inventing_writer_says_gets_into_the_knowledge_base(
    bridges: OpenIndex, tmp_path: Path, how: str
) -> None:
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        result = evolve(bridges, db, Inventing(INVENTING[how], honest=2))
        assert (result.accepted, result.episodes) == (0, 8)
        assert [db.table(name).count for name in ("entries", "claims", "citations")] == [0, 0, 0]
        tried = [get_episode(db, one.id) for one in list_episodes(db)]
    verdicts = [attempt.verdict for episode in tried for attempt in episode.attempts]
    assert len(verdicts) >= 2
    assert not any(verdict.accepted for verdict in verdicts)
    codes = {code for verdict in verdicts for judgement in verdict.judgements for code in judgement.codes}
    assert codes & {"invented-citation", "no-citation"}


@pytest.mark.parametrize("how", INVENTING)
def test_case_e01_an_answer_of_an_inventing_writer_is_never_shown_as_supported(bridges: OpenIndex, how: str) -> None:
    result = answer_afresh(bench(bridges, Inventing(INVENTING[how])), Settings(), ASKED, code=False)
    assert result.status in ("partial", "unsupported")
    refused = [judgement for judgement in result.judgements if judgement.verdict != "supported"]
    assert {code for judgement in refused for code in judgement.codes} <= {"invented-citation", "no-citation"}
    assert all(judgement.reasons for judgement in refused)


def test_case_e01_an_answer_that_cites_nothing_is_not_verified_by_default(bridges: OpenIndex) -> None:
    llm = ScriptedLLM(reply=lambda _: "Nobody remembers whom they paid.")
    result = answer_afresh(bench(bridges, llm), Settings(), ASKED, code=False)
    assert [claim.citations for claim in result.claims] == [()]
    assert result.status == "unsupported"
    assert result.judgements == (Judgement("unsupported", 0.0, ("The claim cites no passage.",), ("no-citation",)),)


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

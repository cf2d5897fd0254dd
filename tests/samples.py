"""Whole episodes and entries made by hand, for the tests of what stores, scores and counts them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from drzero.corpus.zim import open_archive
from drzero.kb.entries import entry_id
from drzero.kb.episodes import save_episode
from drzero.kb.schema import open_knowledge_base
from drzero.types import (
    Answer,
    Attempt,
    Challenge,
    Chunk,
    Citation,
    Claim,
    Entry,
    Episode,
    Evaluation,
    Judgement,
    Passage,
    Step,
    Verdict,
)
from drzero.workspace import Workspace

CHUNK = Chunk(
    id="c1",
    zim_id="zim-1",
    path="A/Salt & pepper#1",
    title="Salt",
    heading=("Chemistry", "Make-up"),
    text="Table salt consists mainly of sodium chloride. It tastes salty.",
    start=100,
    end=163,
)
OTHER = replace(CHUNK, id="c2", path="Pepper", title="Pepper", heading=(), text="Pepper is a spice.", start=0, end=18)
CITATION = Citation(
    n=1,
    index="kitchen",
    zim_id="zim-1",
    path="A/Salt & pepper#1",
    title="Salt",
    heading=("Chemistry", "Make-up"),
    chunk_id="c1",
    quote="Table salt consists mainly of sodium chloride.",
    start=100,
    end=146,
)
CLAIM = Claim("Table salt consists mainly of sodium chloride.", (CITATION,))
SUPPORTED = Judgement("supported", 0.9, ("The source says so.",), ())
CHALLENGE = Challenge(
    id="q1",
    question="What compound does table salt mainly consist of?",
    answer="sodium chloride",
    type="factual",
    level="easy",
    profile="wikipedia",
    gold=(CHUNK,),
    evidence="Table salt consists mainly of sodium chloride.",
    aspects=("sodium chloride",),
)
ANSWER = Answer(CLAIM.text, (CLAIM,), 0.7)
VERDICT = Verdict((SUPPORTED,), "supported")
EVALUATION = Evaluation((("accuracy", 0.9), ("completeness", 1.0), ("relevance", 1.0)), 0.95, "Good.")
ATTEMPT = Attempt(
    answer=ANSWER,
    verdict=VERDICT,
    evaluation=EVALUATION,
    passages=(Passage(CHUNK, 0.5, 1, "kitchen"), Passage(OTHER, 0.25, 2, "kitchen")),
    queries=("table salt", "sodium chloride", "salt compound"),
    steps=6,
    right=True,
    seed=7,
)
SILENT = Attempt(
    answer=Answer("", (), 0.0, abstained=True),
    verdict=Verdict((), "abstained"),
    evaluation=Evaluation((("accuracy", 0.0), ("completeness", 0.0), ("relevance", 0.0)), 0.0, "No answer was given."),
    passages=(),
    queries=("salt",),
    steps=2,
    right=False,
    seed=8,
)

BRIDGES = {
    "Forth Bridge": ("Scotland", "4 March 1890", "John Fowler", "53,000 tonnes of steel"),
    "Brooklyn Bridge": ("New York", "24 May 1883", "John Roebling", "14,680 tonnes of wire"),
    "Harbour Bridge": ("Sydney", "19 March 1932", "John Bradfield", "52,800 tonnes of steel"),
    "Golden Gate Bridge": ("California", "27 May 1937", "Joseph Strauss", "75,000 tonnes of steel"),
    "Charles Bridge": ("Prague", "9 July 1402", "Petr Parler", "16 arches of stone"),
}
BRIDGE_PAGES = {
    name.replace(" ", "_"): (
        name,
        f"<h1>{name}</h1><p>The {name} was opened in {place} on {date} after years of work. "
        f"The plans of the {name} were drawn by {engineer} in a small office. "
        f"The {name} was built with {weight} by many workers.</p>",
        "text/html",
    )
    for name, (place, date, engineer, weight) in BRIDGES.items()
}


def make_episode(**changes: Any) -> Episode:
    """An accepted episode of two attempts, the second of which is the best; `changes` replaces fields."""
    episode = Episode(
        id="e1",
        run="",
        iteration=0,
        number=0,
        seed=7,
        profile="wikipedia",
        type="factual",
        level="easy",
        status="accepted",
        reason="",
        challenge=CHALLENGE,
        attempts=(SILENT, ATTEMPT),
        best=1,
        base_score=0.2,
        difficulty=0.5,
        noise_tolerance=1.0,
        gate_passed=True,
        rejections=(("near-copy", 2), ("malformed", 1)),
        metrics=(0.95, 1.0) + (0.5,) * 12,
        steps=(
            Step(
                "proposed", "ask", {"sentence": "Table salt …", "seed": 7}, {"raw": "What?", "well_formed": True}, 1.25
            ),
            Step("gated", "answerable", {}, True, 0.5),
            Step("solved", "search", {"query": "table salt"}, [["c1", 0.5], ["c2", 0.25]], 0.01),
            Step("verified", "entail", {"pairs": [["a", "b"]]}, [0.9], 0.1),
        ),
        models=(("writer", "scripted"), ("embedder", "hash-64")),
        elapsed_s=2.5,
        created_at="2026-01-02T03:04:05+00:00",
    )
    return replace(episode, **changes)


def make_entry(**changes: Any) -> Entry:
    """The entry of `make_episode`'s episode; `changes` replaces fields."""
    entry = Entry(
        id="n1",
        question=CHALLENGE.question,
        answer=f"{ANSWER.text} It tastes salty.",
        type="factual",
        level="easy",
        profile="wikipedia",
        claims=(
            CLAIM,
            Claim("It tastes salty.", (replace(CITATION, quote="It tastes salty.", start=147, end=163), CITATION)),
        ),
        judgements=(
            SUPPORTED,
            Judgement("supported", 0.8, ("Said, word for word.", "Twice."), ("quote", "entailment")),
        ),
        scores=EVALUATION.scores,
        overall=0.95,
        status="current",
        episode_id="e1",
        created_at="2026-01-02T03:04:05+00:00",
        archives=(("zim-1", "kitchen", "2026-01"),),
        model="scripted",
    )
    return replace(entry, **changes)


def stated_entry(
    question: str, claim: str, *, zim_id: str = "zim-1", title: str = "Forth Bridge", quote: str = "", **changes: Any
) -> Entry:
    """An entry of one claim that cites one place of an archive, by default in the claim's own words."""
    said = quote or claim
    cited = replace(CITATION, zim_id=zim_id, path=title.replace(" ", "_"), title=title, heading=(), quote=said)
    entry = Entry(
        entry_id(question), question, claim, "factual", "easy", "wikipedia",
        (Claim(claim, (replace(cited, start=0, end=len(said)),)),), (SUPPORTED,), EVALUATION.scores, 0.95, "current",
        "", "2026-01-02T03:04:05+00:00", ((zim_id, f"{zim_id}_2026-01", "2026-01-01"),), "scripted",
    )  # fmt: skip
    return replace(entry, **changes)


def store_entry(
    workspace: Workspace,
    archive: Path,
    *,
    path: str = "Bridge",
    quote: str = "opened in 1931",
    shift: int = 0,
    kind: str = "",
    claim: str = "It opened in 1931.",
) -> Entry:
    """Put one entry, admitted by whatever verifier there was, that cites `archive` into the knowledge base."""
    opened = open_archive(archive, kind=kind)
    article = opened.article(path)
    assert article is not None
    start = article.text.index(quote) + shift
    heading = [section.heading for section in article.sections if section.start <= start][-1]
    citation = Citation(
        1, "small", opened.info.id, path, article.title, heading, "c1", quote, start, start + len(quote)
    )
    when = "2026-01-01T00:00:00+00:00"
    episode = Episode(
        "e1", "", 0, 0, 1, "wikipedia", "factual", "easy", "accepted", "", None, (), -1, 0.0, 0.0, 0.0, True, (),
        (0.0,) * 14, (), (), 1.0, when,
    )  # fmt: skip
    one = Entry(
        "entry1", "When did the bridge open?", claim, "factual", "easy", "wikipedia",
        (Claim(claim, (citation,)),), (Judgement("supported", 0.9, ()),), (), 0.9, "current", "e1", when,
        ((opened.info.id, "small", "2026-01-01"),),
    )  # fmt: skip
    db = open_knowledge_base(workspace.database)
    save_episode(db, episode, one)
    db.close()
    return one

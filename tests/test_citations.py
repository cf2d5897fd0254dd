"""drzero.loop.citations: a claim cites what it was given, and its text names no other source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from drzero.loop.citations import (
    citations_fault,
    distinct,
    joinable,
    marks_fault,
    source_fault,
)
from drzero.types import Chunk, Citation, Claim, Passage

BRIDGE = "The bridge opened in 1931. The odds were 1.5 [1.3-1.7]. Use a[0] in C, which returns [7, 8]."
TOWER = "The tower is 40 m² wide. See source 12 at www.tower.example for what is common knowledge."
PASSAGES = tuple(
    Passage(Chunk(f"c{n}", "zim-1", path, title, (), text, 0, len(text)), 1 / n, n, "wiki")
    for n, (path, title, text) in enumerate(
        (("A/Bridge", "Old Bridge", BRIDGE), ("Tower", "Tower", TOWER), ("A/Bridge", "Old Bridge", "It is long.")), 1
    )
)
CITATION = Citation(1, "wiki", "zim-1", "A/Bridge", "Old Bridge", (), "c1", "The bridge opened in 1931.", 0, 26)
CLAIM = "The bridge opened in 1931."


def reason(citation: Citation, passages: Sequence[Passage] = PASSAGES) -> str:
    found = source_fault(citation, passages)
    if found is None:
        return ""
    assert (found.code, found.verdict) == ("invented-citation", "unsupported")
    return found.reason


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, ""),
        ({"n": 7}, "Source [7] was never given; there were 3."),
        ({"n": 0}, "Source [0] was never given; there were 3."),
        ({"n": -1}, "Source [-1] was never given; there were 3."),
        ({"zim_id": "zim-2"}, "Source [1] is of the archive zim-1, not of zim-2 as the citation says."),
        ({"zim_id": ""}, "Source [1] is of the archive zim-1, not of none as the citation says."),
        ({"path": "Tower"}, "Tower is source [2], not [1] as the citation says."),
        ({"path": "Albany"}, "Albany is not among the passages given."),
        ({"path": ""}, "The empty path is not among the passages given."),
        ({"chunk_id": "c3"}, "Source [1] is another part of “Old Bridge” than the citation names."),
        ({"index": "other"}, "Source [1] was found in the index wiki, not in other as the citation says."),
        ({"title": "Rome"}, "Source [1] has the title “Old Bridge”, not “Rome” as the citation says."),
        ({"heading": ("H",)}, "Source [1] stands under no heading, not under “H” as the citation says."),
        ({"n": 4, "chunk_id": "c4", "heading": ("History", "Fall")}, ""),
        (
            {"n": 4, "chunk_id": "c4"},
            "Source [4] stands under “History › Fall”, not under no heading as the citation says.",
        ),
        (
            {"n": 4, "chunk_id": "c4", "heading": ("History", "Rise")},
            "Source [4] stands under “History › Fall”, not under “History › Rise” as the citation says.",
        ),
        ({"n": 3}, "Source [3] is another part of “Old Bridge” than the citation names."),
        ({"n": 3, "chunk_id": "c3"}, ""),
    ],
)
def test_citations_name_a_passage_that_was_given(changes: dict[str, object], sentence: str) -> None:
    fallen = Passage(
        Chunk("c4", "zim-1", "A/Bridge", "Old Bridge", ("History", "Fall"), "It fell.", 50, 58), 0.2, 4, "wiki"
    )
    given = (*PASSAGES, fallen) if "c4" in changes.values() else PASSAGES
    assert reason(replace(CITATION, **changes), given) == sentence  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("It opened in 1931 [7].", "Source [7] was never given; there were 3."),
        ("It opened in 1931[7].", "Source [7] was never given; there were 3."),
        ("It opened in 1931 [2, 4].", "Source [4] was never given; there were 3."),
        ("It opened in 1931 [1][5].", "Source [5] was never given; there were 3."),
        ("It opened in 1931【4†source】.", "Source [4] was never given; there were 3."),
        ("It opened in 1931［４］.", "Source [4] was never given; there were 3."),
        ("It opened in 1931.⁴", "Source [4] was never given; there were 3."),
        ("It opened late¹² in 1931.", "Source [12] was never given; there were 3."),
        ("It opened in 1931 [^4].", "Source [4] was never given; there were 3."),
        ("According to source 4, it opened in 1931.", "Source [4] was never given; there were 3."),
        ("As passage [5] says, it opened.", "Source [5] was never given; there were 3."),
        ("It opened in 1931 (Source 4).", "Source [4] was never given; there were 3."),
        ("It opened in 1931 [Document 9].", "Source [9] was never given; there were 3."),
        (
            "It opened in 1931. [Source: Common knowledge]",
            "The claim names the source “Common knowledge”, which was never given.",
        ),
        ("It opened (source: The Guardian).", "The claim names the source “The Guardian”, which was never given."),
        ("It opened. Source: Wikipedia", "The claim names the source “Wikipedia”, which was never given."),
        ("It opened in 1931 [ref].", "The claim has the mark “[ref]”, which names no passage."),
        ("It opened in 1931 (source).", "The claim has the mark “(source)”, which names no passage."),
        ("It opened<ref name=a>.", "The claim names the source “name=a”, which was never given."),
        ("It opened \\cite{smith}.", "The claim names the source “smith”, which was never given."),
        (
            "It opened in 1931.[citation needed]",
            "The claim has the mark “[citation needed]”, which says that a source is missing.",
        ),
        ("It is common knowledge that it opened.", "The claim leans on “common knowledge”, not on a passage."),
        ("Based on my training data, it opened.", "The claim leans on “Based on my training”, not on a passage."),
        ("From general knowledge, it is old.", "The claim leans on “From general knowledge”, not on a passage."),
        (
            "It opened, see https://bridge.example/a.",
            "The claim names the address https://bridge.example/a, which the passages cited do not.",
        ),
    ],
)
def test_citations_marks_in_the_text_name_no_other_source(text: str, sentence: str) -> None:
    found = marks_fault(text, BRIDGE, PASSAGES, {1})
    assert found is not None
    assert (found.code, found.reason) == ("invented-citation", sentence)


@pytest.mark.parametrize(
    ("text", "own", "named"),
    [
        ("It opened in 1931 [1][2][3].", {1}, "source [2]"),
        ("It opened in 1931 [1][2][3].", {1, 2}, "source [3]"),
        ("It opened in 1931 [1][2][3].", {1, 2, 3}, ""),
        ("It opened in 1931 [2].", {1}, "source [2]"),
        ("It opened in 1931 [1].", {2}, "source [1]"),
        ("It opened in 1931.³", {1, 2}, "source [3]"),
        ("According to source 3, it opened in 1931.", {2}, "source [3]"),
        ("It opened in 1931 (Source 2).", {2}, ""),
        ("It opened in 1931 [Source: Tower].", {1, 3}, "the source “Tower”"),
        ("It opened in 1931 [Source: Tower].", {1, 2}, ""),
        ("It opened in 1931 [Source: A/Bridge].", {3}, ""),
        ("It returns [7,8].", {2}, ""),  # what the cited text states, spaces aside, is no mark
    ],
)
def test_citations_a_mark_of_a_given_source_that_the_claim_does_not_quote_is_refused(
    text: str, own: set[int], named: str
) -> None:
    found = marks_fault(text, BRIDGE, PASSAGES, own)
    if not named:
        assert found is None
        return
    assert found is not None
    assert (found.code, found.reason) == ("invented-citation", f"The claim names {named}, but quotes nothing of it.")


@pytest.mark.parametrize(
    "text",
    [
        CLAIM,
        "It opened in 1931 [1], [2][3].",
        "It opened in 1931.³ It is 12 km² wide, has 10⁵ cm³ and 1.5·10⁻⁷ m.",
        "The odds were 1.5 [1.3-1.7].",
        "Use a[0] in C, which returns [7, 8].",
        "It opened in 1931 (source: old bridge).",
        "It opened in 1931 [Source: Tower].",
        "It opened in 1931 (Source 2).",
        "According to source 3, it opened in 1931.",
        "The spring (source of the river) was found in 1931.",
        "Its references fill 40 pages; the document has 12.5 lines and cites 400 books.",
        "The bridge [sic] opened (in 1931).",
        "The knowledge of bridges is old.",
        "He left without their prior knowledge, and won a quiz of general knowledge.",
        "The smallest item is heap[0].",
        "It is 5 kilometres⁴ by (a+b)⁵ and sinh⁷ wide.",
    ],
)
def test_citations_leave_marks_of_given_sources_and_other_brackets(text: str) -> None:
    assert marks_fault(text, BRIDGE, PASSAGES, {1, 2, 3}) is None


def test_citations_what_the_cited_text_says_itself_is_no_mark() -> None:
    for text in ("See source 12 there.", "This is common knowledge.", "It is at www.tower.example."):
        assert marks_fault(text, TOWER, PASSAGES, {1}) is None
        assert marks_fault(text, BRIDGE, PASSAGES, {1}) is not None
    assert marks_fault("Use b[9] there.", "Call b[9].", PASSAGES, {1}) is None
    assert marks_fault("Use b[9] there.", "Call b[0] or c[9].", PASSAGES, {1}) is not None
    assert marks_fault("Foxes are red [9].", "Foxes are red [9].", PASSAGES, {1}) is None
    assert marks_fault("Foxes are red [9].", "Call c[9].", PASSAGES, {1}) is not None
    assert marks_fault("See source 12 there.", "See so\u00adurce 12 there.", PASSAGES, {1}) is None


def test_citations_of_a_claim_are_all_looked_at() -> None:
    good = replace(CITATION)
    assert citations_fault(Claim(CLAIM, (good,)), PASSAGES) is None
    assert citations_fault(Claim(f"{CLAIM} [1]", (good,)), PASSAGES) is None
    for claim, code in (
        (Claim(CLAIM, ()), "no-citation"),
        (Claim(CLAIM, (good, replace(good, n=9))), "invented-citation"),
        (Claim(f"{CLAIM} [9]", (good,)), "invented-citation"),
        (Claim(f"{CLAIM} [2]", (good,)), "invented-citation"),
    ):
        found = citations_fault(claim, PASSAGES)
        assert found is not None
        assert found.code == code
    assert citations_fault(Claim(CLAIM, ()), PASSAGES).reason == "The claim cites no passage."  # type: ignore[union-attr]


def test_citations_the_same_one_ten_times_counts_once() -> None:
    other = replace(CITATION, start=5)
    assert distinct((CITATION,) * 10) == (CITATION,)
    assert distinct((CITATION, other, CITATION)) == (CITATION, other)
    assert distinct(()) == ()


def of(*titles: str) -> tuple[Citation, ...]:
    return tuple(replace(CITATION, title=title, path=title) for title in titles)


@pytest.mark.parametrize(
    "titles",
    [
        ("Mercury (planet)", "Mercury (element)"),
        ("Mercury (element)", "Venus", "mercury  (planet)"),
        ("Mercury", "Mercury (planet)"),
        ("Springfield, Illinois", "Springfield, Ohio"),
        ("Paris", "Paris, Texas"),
        ("John Smith (explorer)", "John Smith (politician)"),
        ("ＭＥＲＣＵＲＹ (planet)", "Mercury (god)"),
    ],
)
def test_citations_of_two_things_of_one_name_are_never_joined(titles: tuple[str, ...]) -> None:
    found = joinable(of(*titles))
    assert found is not None
    assert found.code == "mixed-subjects"


@pytest.mark.parametrize(
    "titles",
    [
        (),
        ("Mercury (planet)",),
        ("Mercury (planet)", "Mercury (Planet)"),
        ("Mercury (planet)", "Venus (planet)"),
        ("Mercury (planet)", "Mercury poisoning"),
        ("Crosby, Stills & Nash", "Crosby, Stills, Nash & Young"),
        ("(I Can't Get No) Satisfaction", "(You Make Me Feel Like) A Natural Woman"),
        ("", ""),
        ("(…)", "(a)"),
    ],
)
def test_citations_of_other_things_are_joined(titles: tuple[str, ...]) -> None:
    assert joinable(of(*titles)) is None


def test_case_e05_passages_of_the_two_mercurys_are_never_joined_in_one_claim() -> None:
    texts = {
        "Mercury (planet)": "Mercury is the smallest planet of the solar system.",
        "Mercury (element)": "Mercury is a chemical element with the symbol Hg.",
        "Mercury": "Mercury may refer to a planet or an element.",
        "Freddie Mercury": "Freddie Mercury was a singer.",
    }
    passages = tuple(
        Passage(Chunk(f"c{n}", "z", title, title, (), text, 0, len(text)), 1 / n, n, "wiki")
        for n, (title, text) in enumerate(texts.items(), 1)
    )
    cited = [
        Citation(n, "wiki", "z", one.chunk.path, one.chunk.title, (), one.chunk.id, one.chunk.text, 0, one.chunk.end)
        for n, one in enumerate(passages, 1)
    ]
    claim = "Mercury is the smallest planet and a chemical element with the symbol Hg."
    found = citations_fault(Claim(claim, (cited[0], cited[1])), passages)
    assert found is not None
    assert (found.code, found.verdict) == ("mixed-subjects", "unsupported")
    assert found.reason == (
        "“Mercury (planet)” and “Mercury (element)” are two things of one name and cannot support one claim together."
    )
    assert citations_fault(Claim(claim, (cited[2], cited[0])), passages).code == "mixed-subjects"  # type: ignore[union-attr]
    assert citations_fault(Claim(claim, (cited[0], cited[3])), passages) is None
    assert citations_fault(Claim(claim, (cited[0], cited[0])), passages) is None

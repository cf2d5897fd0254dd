"""drzero.loop.concluding: what follows from two facts is computed, and a wrong conclusion is refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from drzero.loop.concluding import apart, conclude
from drzero.loop.verify import Thresholds, verify
from drzero.types import Answer, Chunk, Citation, Claim, Passage

SHORT = "A has a length of 3:02, and B has a length of 3:40"
ORDER = "The film A was released on 4 March 1962, and the film B was released in 1971"


@pytest.mark.parametrize(
    ("claim", "facts"),
    [
        (f"{SHORT}, so A is shorter.", f"{SHORT}."),
        (f"{ORDER}, so the film A was released earlier.", f"{ORDER}."),
        (f"{ORDER}, so the release of the film A came first.", f"{ORDER}."),
        ("os.sync() was added in version 3.3, and os.cpu_count() was added in version 3.4, "
         "so os.sync() was added in the earlier version.",
         "os.sync() was added in version 3.3, and os.cpu_count() was added in version 3.4."),
        # a title with ", and" in it is cut at the right place
        ("Blue, and Red was released in 1962, and Green was released in 1971, so Blue, and Red was released earlier.",
         "Blue, and Red was released in 1962, and Green was released in 1971."),
    ],
)  # fmt: skip
def test_concluding_what_follows_is_set_apart_from_the_facts(claim: str, facts: str) -> None:
    assert apart(claim) == (facts, None)


@pytest.mark.parametrize(
    "claim",
    [
        f"{SHORT}, so B is shorter.",
        f"{SHORT}, so C is shorter.",
        f"{ORDER}, so the film B was released earlier.",
        f"{ORDER}, so the release of the film B came first.",
        "A was released in 1962, and B was released in March 1962, so A was released earlier.",  # who knows
        "A has a length of 3:02, and A has a length of 3:40, so A is shorter.",
        "a() was added in version 3.10, and b() was added in version 3.9, so a() was added in the earlier version.",
    ],
)
def test_concluding_what_does_not_follow_is_a_fault(claim: str) -> None:
    told, fault = apart(claim)
    assert told == claim
    assert fault is not None
    assert fault.code == "conclusion"


@pytest.mark.parametrize(
    "claim",
    [
        SHORT,
        "A was ill, so A is shorter.",  # no two facts: the evidence has to say it
        f"{SHORT}, so A is better.",
        "It rained, so the match was cancelled.",
        "",
    ],
)
def test_concluding_any_other_claim_is_left_whole(claim: str) -> None:
    assert apart(claim) == (claim, None)


def test_concluding_says_the_phrase_of_the_relation() -> None:
    assert conclude("length", "A", "comparative") == "A is shorter"
    assert conclude("released", "the film A", "temporal") == "the release of the film A came first"
    assert conclude("new in", "f()", "comparison") == "f() was added in the earlier version"
    assert conclude("length", "A", "temporal") == conclude("label", "A", "comparative") == ""


class Sure:
    """An entailment model that believes everything and remembers what it was asked."""

    id = "sure"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.asked += [hypothesis for _, hypothesis in pairs]
        return [1.0] * len(pairs)


def passage(title: str, text: str) -> Passage:
    return Passage(Chunk(f"c-{title}", "z", title, title, (), text, 0, len(text)), 1.0, 1, "i")


def cited(n: int, one: Passage) -> Citation:
    chunk = one.chunk
    return Citation(n, "i", "z", chunk.path, chunk.title, (), chunk.id, chunk.text, 0, len(chunk.text))


ALL = [passage("Alpha", "Length: 3:02"), passage("Beta", "Length: 3:40")]


@pytest.mark.parametrize(
    ("text", "verdict", "codes"),
    [
        ("Alpha has a length of 3:02, and Beta has a length of 3:40, so Alpha is shorter.", "supported", ()),
        ("Alpha has a length of 3:02, and Beta has a length of 3:40, so Beta is shorter.",
         "unsupported", ("conclusion",)),
        # follows, but from a fact that is not there
        ("Alpha has a length of 3:02, and Beta has a length of 3:01, so Beta is shorter.",
         "contradicted", ("number",)),
    ],
)  # fmt: skip
def test_concluding_the_verifier_asks_about_the_facts_alone(text: str, verdict: str, codes: tuple[str, ...]) -> None:
    model = Sure()
    claim = Claim(text, tuple(cited(n, one) for n, one in enumerate(ALL, 1)))
    (judgement,) = verify(Answer(text, (claim,), 0.9), ALL, model, Thresholds(0.5)).judgements
    assert judgement.codes == codes
    assert (judgement.verdict == "supported") == (verdict == "supported")
    assert not any("shorter" in hypothesis for hypothesis in model.asked)


def test_concluding_a_fact_without_its_source_carries_no_conclusion() -> None:
    text = "Alpha has a length of 3:02, and Beta has a length of 3:40, so Alpha is shorter."
    claim = Claim(text, (cited(1, ALL[0]),))
    (judgement,) = verify(Answer(text, (claim,), 0.9), ALL, Sure(), Thresholds(0.5)).judgements
    assert judgement.verdict != "supported"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Distributor: ABC-Paramount", ("class",)),
        ("Distributor: ABC-Paramount\nIt is a film.", ()),
        ("Distributor: ABC-Paramount\nA movie.", ()),
    ],
)
def test_concluding_the_verifier_wants_the_class_of_a_title_said(text: str, codes: tuple[str, ...]) -> None:
    one = passage("Tangerine Records", text)
    quote = text.partition("\n")[0]
    source = Citation(1, "i", "z", one.chunk.path, one.chunk.title, (), one.chunk.id, quote, 0, len(quote))
    said = 'The film "Tangerine Records" was distributed by ABC-Paramount.'
    (judgement,) = verify(Answer(said, (Claim(said, (source,)),), 0.9), [one], Sure(), Thresholds(0.5)).judgements
    assert judgement.codes == codes

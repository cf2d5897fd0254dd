"""drzero.loop.verify: each layer refuses for its own reason, and only what passes all is supported."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from drzero.loop.verify import Thresholds, WriterEntailment, judge_pair, verify
from drzero.types import Answer, Chunk, Citation, Claim, Passage
from tests.fakes import ScriptedLLM, WordOverlapEntailment

TEXT = "Ray Charles was born in Albany. He won 17 Grammy Awards and never learned to drive. Use json.dumps() here."
CHUNK = Chunk("c1", "z", "Ray_Charles", "Ray Charles", ("Life",), TEXT, 50, 50 + len(TEXT))
PASSAGES = (Passage(CHUNK, 1.0, 1, "wiki"),)
LIMITS = Thresholds(0.6)


class Fixed:
    """An entailment model that always says the same."""

    id = "fixed"

    def __init__(self, probability: float) -> None:
        self.probability = probability
        self.pairs: list[tuple[str, str]] = []

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.pairs += pairs
        return [self.probability] * len(pairs)


def cited(quote: str, **changes: object) -> Citation:
    start = 50 + TEXT.index(quote) if quote in TEXT else 50
    citation = Citation(1, "wiki", "z", "Ray_Charles", "Ray Charles", ("Life",), "c1", quote, start, start + len(quote))
    return replace(citation, **changes)  # type: ignore[arg-type]


def codes(text: str, *citations: Citation, probability: float = 0.9, question: str = "") -> tuple[str, tuple[str, ...]]:
    answer = Answer(text, (Claim(text, citations),), 0.5)
    (judgement,) = verify(answer, PASSAGES, Fixed(probability), LIMITS, question=question).judgements
    assert judgement.reasons
    assert all(reason.endswith(".") for reason in judgement.reasons)
    return judgement.verdict, judgement.codes


def test_verify_supports_what_passes_every_check() -> None:
    answer = Answer(
        "a",
        (Claim("Ray Charles won 17 Grammy Awards.", (cited("He won 17 Grammy Awards and never learned to drive."),)),),
        0.5,
    )
    model = Fixed(0.93)
    verdict = verify(answer, PASSAGES, model, LIMITS)
    assert verdict.status == "supported"
    assert verdict.accepted
    assert verdict.judgements[0].probability == 0.93
    ((premise, hypothesis),) = model.pairs
    assert premise.startswith("Ray Charles Life: He won 17")
    assert hypothesis == "Ray Charles won 17 Grammy Awards."


BORN = "Ray Charles was born in Albany."


@pytest.mark.parametrize(
    ("text", "citations", "verdict", "code"),
    [
        (BORN, (), "unsupported", "no-citation"),
        (BORN, (cited(BORN, n=7),), "unsupported", "invented-citation"),
        (BORN, (cited(BORN, n=0),), "unsupported", "invented-citation"),
        (BORN, (cited(BORN, path="Albany"),), "unsupported", "invented-citation"),
        (BORN, (cited(BORN, chunk_id="c9"),), "unsupported", "invented-citation"),
        (BORN, (cited("Ray Charles was born in Rome."),), "unsupported", "quote-changed"),
        (BORN, (cited(BORN, start=52, end=83),), "unsupported", "quote-elsewhere"),
        ("Ray Charles won 18 Grammy Awards.", (cited("He won 17 Grammy Awards"),), "contradicted", "number"),
        ("Ray Charles was born in Rome.", (cited(BORN),), "unsupported", "name"),
        ("Use json.loads() here.", (cited("Use json.dumps() here."),), "unsupported", "identifier"),
        ("Ray Charles learned to drive.", (cited("never learned to drive"),), "contradicted", "negation"),
        ("Ray Charles loved chess puzzles dearly.", (cited(BORN),), "unsupported", "cover"),
    ],
)
def test_verify_refuses_with_the_layer_that_failed(
    text: str, citations: tuple[Citation, ...], verdict: str, code: str
) -> None:
    assert codes(text, *citations) == (verdict, (code,))


FOOTNOTES = (
    "The bridge opened in 1931. It rests on 3 piers. Use a[0] and b[3] in C, which returns [7, 8]. "
    "The odds were 1.5 [1.3-1.7]."
)
TWO = tuple(
    Passage(Chunk(f"c{n}", "z", "Bridge", "Bridge", (), FOOTNOTES, 0, len(FOOTNOTES)), 1.0, n, "wiki") for n in (1, 2)
)


@pytest.mark.parametrize(
    ("text", "verdict", "code"),
    [
        ("The bridge opened in 1931 and rests on 3 piers.", "supported", ()),
        ("The bridge opened in 1931.[3] It rests on 3 piers.", "unsupported", ("invented-citation",)),
        ("The bridge opened in 1931 and rests on 3 piers [3].", "unsupported", ("invented-citation",)),
        ("The bridge opened in 1931 and rests on 3 piers [1][3].", "unsupported", ("invented-citation",)),
        ("The bridge opened in 1931 and rests on 3 piers [2, 3].", "unsupported", ("invented-citation",)),
        ("The bridge opened in 1931, 3 piers [0].", "unsupported", ("invented-citation",)),
        ("The bridge opened in 1931 and rests on 3 piers. The odds were 1.5 [1.3-1.7].", "supported", ()),
        ("Use b[3] and a[0] in C.", "supported", ()),
        ("The odds were 1.5 [1.3-1.7].", "supported", ()),
        ("Use b[3] in C, which returns [7, 8].", "supported", ()),
    ],
)
def test_verify_takes_no_mark_in_an_answer_for_a_source_that_was_never_given(
    text: str, verdict: str, code: tuple[str, ...]
) -> None:
    citation = Citation(1, "wiki", "z", "Bridge", "Bridge", (), "c1", FOOTNOTES, 0, len(FOOTNOTES))
    (judgement,) = verify(Answer(text, (Claim(text, (citation,)),), 0.5), TWO, Fixed(0.9), LIMITS).judgements
    assert (judgement.verdict, judgement.codes) == (verdict, code)
    if code:
        assert re.fullmatch(r"Source \[[03]\] was never given; there were 2\.", judgement.reasons[0])


@pytest.mark.parametrize(("n", "code"), [(1, ()), (2, ()), (3, ("invented-citation",))])
def test_verify_knows_the_third_of_two_sources_for_invented(n: int, code: tuple[str, ...]) -> None:
    quote = "The bridge opened in 1931."
    citation = Citation(n, "wiki", "z", "Bridge", "Bridge", (), f"c{n}", quote, 0, len(quote))
    (judgement,) = verify(Answer(quote, (Claim(quote, (citation,)),), 0.5), TWO, Fixed(0.9), LIMITS).judgements
    assert judgement.codes == code


def test_verify_entailment_below_the_threshold_is_unsupported() -> None:
    assert codes(BORN, cited(BORN), probability=0.59) == ("unsupported", ("entailment",))
    assert codes(BORN, cited(BORN), probability=0.6) == ("supported", ())


def test_verify_without_a_finite_probability_is_unchecked() -> None:
    assert codes(BORN, cited(BORN), probability=math.nan) == ("unchecked", ("unchecked",))


def test_verify_refuses_a_true_sentence_about_somebody_else() -> None:
    assert codes(BORN, cited(BORN), question="Where was Miles Davis born?") == ("unsupported", ("off-question",))
    assert codes(BORN, cited(BORN), question="Where was Ray Charles born?") == ("supported", ())


def test_verify_a_manual_need_not_name_what_all_of_it_is_about() -> None:
    answer = Answer("a", (Claim("Use json.dumps() here.", (cited("Use json.dumps() here."),)),), 0.5)
    asked = "What can one use in Python?"
    assert not verify(answer, PASSAGES, Fixed(0.9), LIMITS, question=asked).accepted
    assert verify(answer, PASSAGES, Fixed(0.9), LIMITS, question=asked, shelf="docs.python.org_en").accepted


def test_verify_status_counts_claims() -> None:
    good, bad = Claim(BORN, (cited(BORN),)), Claim("Nobody knows.", ())
    assert verify(Answer("a", (good, bad), 0.5), PASSAGES, Fixed(0.9), LIMITS).status == "partial"
    assert verify(Answer("a", (bad,), 0.5), PASSAGES, Fixed(0.9), LIMITS).status == "unsupported"
    assert verify(Answer("", (), 0.0, abstained=True), PASSAGES, Fixed(0.9), LIMITS).status == "abstained"
    assert not verify(Answer("", (), 0.0), PASSAGES, Fixed(0.9), LIMITS).accepted


def test_verify_the_writer_cannot_overrule_a_failed_check() -> None:
    judgement = judge_pair("He won 18 awards.", "He won 17 awards.", "", Fixed(1.0), LIMITS)
    assert judgement.verdict == "contradicted"


def test_verify_writer_entailment_is_a_sigmoid_of_the_log_odds() -> None:
    llm = ScriptedLLM(judge=lambda prompt: 2.0 if "Albany" in prompt.messages[-1][1] else -2.0)
    yes, no = WriterEntailment(llm, slope=0.5, midpoint=1.0).entail([(BORN, BORN), ("x", "y")])
    assert yes == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert no == pytest.approx(1 / (1 + math.exp(1.5)))


def test_verify_word_overlap_is_a_small_real_entailment_model() -> None:
    assert WordOverlapEntailment().entail([("a b", "a c")]) == [0.5]

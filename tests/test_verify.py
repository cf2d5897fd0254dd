"""drzero.loop.verify: each layer refuses for its own reason, and only what passes all is supported."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from drzero.loop import verify as verify_module
from drzero.loop.verify import Thresholds, judge_claim, judge_pairs, verify
from drzero.types import Answer, Chunk, Citation, Claim, EntailmentModel, Judgement, Passage
from tests.fakes import WordOverlapEntailment

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


def judge_pair(claim: str, passage: str, entailment: EntailmentModel, thresholds: Thresholds) -> Judgement:
    return judge_pairs([(claim, passage)], entailment, thresholds)[0]


def answered(*claims: Claim) -> Answer:
    return Answer(" ".join(claim.text for claim in claims), claims, 0.5)


def codes(text: str, *citations: Citation, probability: float = 0.9, question: str = "") -> tuple[str, tuple[str, ...]]:
    answer = Answer(text, (Claim(text, citations),), 0.5)
    (judgement,) = verify(answer, PASSAGES, Fixed(probability), LIMITS, question=question).judgements
    assert judgement.reasons
    assert all(reason.endswith(".") for reason in judgement.reasons)
    return judgement.verdict, judgement.codes


def test_verify_supports_what_passes_every_check() -> None:
    answer = answered(
        Claim("Ray Charles won 17 Grammy Awards.", (cited("He won 17 Grammy Awards and never learned to drive."),))
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
    answer = answered(Claim("Use json.dumps() here.", (cited("Use json.dumps() here."),)))
    asked = "What can one use in Python?"
    assert not verify(answer, PASSAGES, Fixed(0.9), LIMITS, question=asked).accepted
    assert verify(answer, PASSAGES, Fixed(0.9), LIMITS, question=asked, shelf="docs.python.org_en").accepted


def test_verify_status_counts_claims() -> None:
    good, bad = Claim(BORN, (cited(BORN),)), Claim("Nobody knows.", ())
    assert verify(answered(good, bad), PASSAGES, Fixed(0.9), LIMITS).status == "partial"
    assert verify(answered(bad), PASSAGES, Fixed(0.9), LIMITS).status == "unsupported"
    assert verify(Answer("", (), 0.0, abstained=True), PASSAGES, Fixed(0.9), LIMITS).status == "abstained"
    assert not verify(Answer("", (), 0.0), PASSAGES, Fixed(0.9), LIMITS).accepted


def test_verify_an_answer_that_says_more_than_its_claims_is_supported_in_part() -> None:
    good = Claim(BORN, (cited(BORN),))
    for text in (f"{BORN} He was a king.", "He was a king.", f"No. {BORN}", f"{BORN} {BORN}"):
        verdict = verify(Answer(text, (good,), 0.5), PASSAGES, Fixed(0.9), LIMITS)
        assert (verdict.status, verdict.accepted) == ("partial", False)


def test_verify_the_writer_cannot_overrule_a_failed_check() -> None:
    judgement = judge_pair("He won 18 awards.", "He won 17 awards.", Fixed(1.0), LIMITS)
    assert judgement.verdict == "contradicted"


def test_verify_word_overlap_is_a_small_real_entailment_model() -> None:
    assert WordOverlapEntailment().entail([("a b", "a c")]) == [0.5]


# --- each layer is needed -------------------------------------------------------------------------------------------

ONLY_CAUGHT_BY = {
    "citations_fault": (Claim(BORN, (cited(BORN, path="Albany"),)), "", "invented-citation"),
    "quotes_fault": (Claim(BORN, (cited(BORN, start=52, end=83),)), "", "quote-elsewhere"),
    "facts.faults": (Claim("Ray Charles won 18 Grammy Awards.", (cited("He won 17 Grammy Awards"),)), "", "number"),
    "facts.cover": (Claim("Ray Charles loved chess puzzles dearly.", (cited(BORN),)), "", "cover"),
    "facts.missing_names": (Claim(BORN, (cited(BORN),)), "Where was Miles Davis born?", "off-question"),
}


def without(layer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the verifier go on as if this layer found nothing."""
    module = verify_module.facts if layer.startswith("facts.") else verify_module
    nothing: dict[str, object] = {"facts.faults": (), "facts.cover": 1.0, "facts.missing_names": []}
    monkeypatch.setattr(module, layer.removeprefix("facts."), lambda *_, **__: nothing.get(layer))


@pytest.mark.parametrize("layer", ONLY_CAUGHT_BY)
def test_verify_each_layer_refuses_what_no_other_one_does(layer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    claim, question, code = ONLY_CAUGHT_BY[layer]

    def judged() -> Judgement:
        return judge_claim(claim, PASSAGES, Fixed(0.9), LIMITS, question=question)

    assert judged().codes == (code,)
    without(layer, monkeypatch)
    assert judged().verdict == "supported"


def test_verify_entailment_refuses_what_no_other_layer_does() -> None:
    claim = Claim("Albany was born in Ray Charles.", (cited(BORN),))
    assert judge_claim(claim, PASSAGES, Fixed(0.1), LIMITS).codes == ("entailment",)
    assert judge_claim(claim, PASSAGES, Fixed(0.9), LIMITS).verdict == "supported"


# --- parts ----------------------------------------------------------------------------------------------------------


class ByWords:
    """An entailment model that finds improbable whatever has a certain word."""

    id = "by-words"

    def __init__(self, improbable: str) -> None:
        self.improbable = improbable
        self.calls: list[list[tuple[str, str]]] = []

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.calls.append(list(pairs))
        return [0.2 if self.improbable in hypothesis else 0.9 for _, hypothesis in pairs]


def test_verify_every_part_of_a_claim_must_hold_and_all_are_asked_at_once() -> None:
    both = cited("He won 17 Grammy Awards and never learned to drive.")
    claims = (
        Claim("Ray Charles won 17 Grammy Awards. Ray Charles never learned to drive.", (both,)),
        Claim(BORN, (cited(BORN),)),
    )
    model = ByWords("drive")
    first, second = verify(answered(*claims), PASSAGES, model, LIMITS).judgements
    assert [[hypothesis for _, hypothesis in call] for call in model.calls] == [
        ["Ray Charles won 17 Grammy Awards.", "Ray Charles never learned to drive.", BORN]
    ]
    assert (first.verdict, first.probability, first.codes) == ("unsupported", 0.2, ("entailment",))
    assert first.reasons == (
        "The entailment model gives 0.200 for the part “Ray Charles never learned to drive.”, below 0.600.",
    )
    assert second.verdict == "supported"


def test_verify_a_part_that_the_model_gives_no_number_for_leaves_the_claim_unchecked() -> None:
    class Half(ByWords):
        def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            return [math.nan if self.improbable in hypothesis else 0.9 for _, hypothesis in pairs]

    both = cited("He won 17 Grammy Awards and never learned to drive.")
    claim = Claim("Ray Charles won 17 Grammy Awards. Ray Charles never learned to drive.", (both,))
    judgement = judge_claim(claim, PASSAGES, Half("drive"), LIMITS)
    assert (judgement.verdict, judgement.codes) == ("unchecked", ("unchecked",))


# --- bare pairs -----------------------------------------------------------------------------------------------------


def test_verify_asks_nobody_about_pairs_that_the_facts_refuse_unless_thorough() -> None:
    pairs = [("He won 18 awards.", "He won 17 awards."), ("He won 17 awards.", "He won 17 awards.")]
    model = ByWords("18")
    refused, supported = judge_pairs(pairs, model, LIMITS)
    assert model.calls == [[("He won 17 awards.", "He won 17 awards.")]]
    assert (refused.verdict, refused.probability, supported.verdict) == ("contradicted", 0.0, "supported")
    refused, supported = judge_pairs(pairs, model, LIMITS, thorough=True)
    assert len(model.calls[1]) == 2
    assert (refused.verdict, refused.codes) == ("contradicted", ("number",))
    assert refused.probability == pytest.approx(0.6 * 0.2 / (0.2 + 0.8 * math.exp(1.0)))
    assert (supported.verdict, supported.probability) == ("supported", 0.9)


def test_verify_a_model_cannot_overrule_the_facts_however_sure_it_is() -> None:
    pairs = [("He won 18 awards.", "He won 17 awards.")]
    (sure,) = judge_pairs(pairs, Fixed(1.0), LIMITS, thorough=True)
    assert (sure.verdict, sure.probability) == ("contradicted", LIMITS.min_probability)
    (nearly,) = judge_pairs(pairs, Fixed(0.999), LIMITS, thorough=True)
    assert nearly.probability < LIMITS.min_probability
    assert judge_pairs(pairs, Fixed(math.nan), LIMITS, thorough=True)[0].probability == 0.0


@pytest.mark.parametrize("claim", ["", "…", "\u200b", "It is.", "So be it."])
def test_verify_a_claim_that_says_nothing_is_not_supported(claim: str) -> None:
    assert judge_pair(claim, BORN, Fixed(1.0), LIMITS).codes == ("empty-claim",)
    assert codes(claim, cited(BORN)) == ("unsupported", ("empty-claim",))


@pytest.mark.parametrize("wrong", [1e9, -0.1, math.inf, math.nan])
def test_verify_takes_no_number_outside_of_its_range_for_a_probability(wrong: float) -> None:
    assert judge_pair(BORN, BORN, Fixed(wrong), LIMITS).verdict == "unchecked"


def test_verify_notices_a_model_that_answers_for_too_few_or_too_many() -> None:
    class Short(Fixed):
        def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            return [1.0] * (len(pairs) + self.more)

    for more in (-1, 1):
        model = Short(1.0)
        model.more = more  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match="probabilities for 1 pairs"):
            judge_pair(BORN, BORN, model, LIMITS)


def test_verify_reads_treebank_signs_as_what_they_stand_for() -> None:
    model = Fixed(0.9)
    judge_pair("Anna Lind sings .", "Anna Lind -LRB- born 1961 -RRB- sings and plays `` the cello `` .", model, LIMITS)
    assert model.pairs == [('Anna Lind (born 1961) sings and plays " the cello ".', "Anna Lind sings.")]


def test_verify_of_a_long_passage_asks_only_about_what_the_claim_is_about() -> None:
    model = Fixed(0.9)
    passage = "The mill was built in 1820. It ground rye until 1911. Today it is a museum."
    assert judge_pair("The mill ground rye until 1911.", passage, model, LIMITS).verdict == "supported"
    assert [premise for premise, _ in model.pairs] == ["The mill was built in 1820. It ground rye until 1911."]
    assert judge_pair("The mill was built in 1911.", passage, model, LIMITS).codes == ("number",)


# --- several citations ----------------------------------------------------------------------------------------------

OTHER = "Albany lies in Georgia."
PAIR = (
    *PASSAGES,
    Passage(Chunk("c2", "z", "Albany", "Albany", (), OTHER, 0, len(OTHER)), 0.5, 2, "wiki"),
)
ALBANY = Citation(2, "wiki", "z", "Albany", "Albany", (), "c2", OTHER, 0, len(OTHER))


class NeedsWords:
    """An entailment model for which a premise must have every word of the hypothesis that is longer than 3 letters."""

    id = "needs-words"

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [
            0.9 if all(word in premise for word in re.findall(r"\w{4,}", hypothesis)) else 0.1
            for premise, hypothesis in pairs
        ]


def test_verify_a_claim_may_need_two_citations_joined() -> None:
    text = "Ray Charles was born in Albany in Georgia."
    both = judge_claim(Claim(text, (cited(BORN), ALBANY)), PAIR, NeedsWords(), LIMITS)
    assert (both.verdict, len(both.reasons)) == ("supported", 1)
    assert judge_claim(Claim(text, (cited(BORN),)), PAIR, NeedsWords(), LIMITS).verdict == "unsupported"
    assert judge_claim(Claim(text, (ALBANY,)), PAIR, NeedsWords(), LIMITS).verdict == "unsupported"


def test_verify_tells_a_citation_that_a_claim_can_do_without() -> None:
    judgement = judge_claim(Claim(BORN, (cited(BORN), ALBANY)), PAIR, NeedsWords(), LIMITS)
    assert judgement.verdict == "supported"
    assert judgement.reasons[1:] == ("It can do without [2].",)
    ten_times = judge_claim(Claim(BORN, (cited(BORN),) * 10), PAIR, NeedsWords(), LIMITS)
    assert (ten_times.verdict, len(ten_times.reasons)) == ("supported", 1)


SECTIONS = "sections()\nReturn a list of the sections available; the default section is not included in it."
BELOW = ("ConfigParser Objects", "configparser.ConfigParser", "sections")


@pytest.mark.parametrize(
    ("name", "heading", "code"),
    [
        ("configparser.ConfigParser.sections", BELOW, ""),
        ("ConfigParser.sections", BELOW, ""),
        ("configparser.ConfigParser.options", BELOW, "identifier"),
        ("configparser.RawConfigParser.sections", BELOW, "identifier"),
        ("configparser.sections", BELOW, "identifier"),
        ("ConfigParser.sections.default", BELOW, "identifier"),
        ("configparser.ConfigParser.sections", ("configparser.ConfigParser", "Other sections"), "identifier"),
        ("configparser.ConfigParser.sections", ("About configparser.ConfigParser", "sections"), "identifier"),
        ("configparser.sections", ("sections",), ""),
        ("os.sections", ("sections",), "identifier"),
    ],
)
def test_verify_a_method_has_the_name_that_its_headings_give_it(name: str, heading: tuple[str, ...], code: str) -> None:
    title = "configparser — Configuration file parser"
    chunk = Chunk("c1", "z", "P", title, heading, SECTIONS, 0, len(SECTIONS))
    quote = SECTIONS.partition("\n")[2]
    citation = Citation(1, "wiki", "z", "P", title, heading, "c1", quote, 11, len(SECTIONS))
    claim = Claim(f"{name}() returns a list of the sections available.", (citation,))
    judgement = judge_claim(claim, [Passage(chunk, 1.0, 1, "wiki")], Fixed(0.9), LIMITS)
    assert judgement.codes == ((code,) if code else ())

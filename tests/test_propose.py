"""drzero.loop.propose: a question for words of the archive, its answer, and what refuses them on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from drzero.loop.agreement import agrees
from drzero.loop.desk import Desk, Options, Slot, Tools
from drzero.loop.drafts import Draft
from drzero.loop.novelty import similarity
from drzero.loop.propose import in_full, premise, proposals, write_answer, write_question
from drzero.loop.seeds import find_seeds
from drzero.profiles import load_profile
from drzero.types import Chunk, EntailmentModel
from tests.fakes import ScriptedLLM, WordOverlapEntailment

WIKIPEDIA = load_profile("wikipedia")
TEXT = "The Forth Bridge was opened on 4 March 1890 by the Prince of Wales."
CHUNK = Chunk("c1", "z", "Forth_Bridge", "Forth Bridge", (), TEXT, 0, len(TEXT))
TEMPORAL = WIKIPEDIA.type("temporal")
SEED = find_seeds(CHUNK, TEMPORAL)[0]
QUESTION = "When was the Forth Bridge opened?"
ANSWER = "The Forth Bridge was opened on 4 March 1890."
PASSED = Draft(QUESTION, ANSWER, "temporal", (CHUNK,), (TEXT,), SEED.answer, ("March", "4", "1890"))


class Doubtful:
    """Says one probability of everything."""

    id = "doubtful"

    def __init__(self, probability: float) -> None:
        self.probability = probability

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [self.probability for _ in pairs]


def desk(
    llm: ScriptedLLM,
    entailment: EntailmentModel | None = None,
    *,
    kind: str = "temporal",
    known: Sequence[str] = (),
    linked: Callable[[Chunk], list[Chunk]] = lambda _: [],
) -> Desk:
    tools = Tools(llm, entailment or WordOverlapEntailment(), lambda *_: [], lambda _: CHUNK, linked=linked)
    slot = Slot("r", 0, 0, 7, WIKIPEDIA, WIKIPEDIA.type(kind), "easy")
    return Desk(slot, tools, Options(min_source_support=0.9), known)


def test_propose_passes_a_good_round_trip() -> None:
    llm = ScriptedLLM([QUESTION, ANSWER])
    assert next(proposals(desk(llm), TEMPORAL, CHUNK)) == (PASSED, "")
    asked = llm.prompts[0].messages[-1][1]
    assert asked == f"Article: Forth Bridge\nSentence: {TEXT}\nAnswer: 4 March 1890"
    assert [prompt.name.partition("/")[0] for prompt in llm.prompts] == [
        "ask-temporal",
        "read",
        "alone",
        "fits",
        "stated",
    ]


def test_propose_stops_at_the_first_gate() -> None:
    llm = ScriptedLLM(["What does the passage say?", "What does the passage say?"])
    found = list(proposals(desk(llm), TEMPORAL, CHUNK))
    assert [refusal for _, refusal in found] == ["wrong-type"]
    assert len(llm.prompts) == 2


def test_propose_words_a_refused_question_once_more_with_chance_in_it() -> None:
    llm = ScriptedLLM(["When was it opened by him?", QUESTION, ANSWER])
    found = list(proposals(desk(llm), TEMPORAL, CHUNK))
    assert [refusal for _, refusal in found] == ["unresolved-reference", ""]
    assert found[1][0] == PASSED


def test_propose_tries_another_span_of_the_same_sentence() -> None:
    text = "The Forth Bridge was designed by John Fowler and it was painted by Margaret Thatcher in Scotland."
    chunk = replace(CHUNK, text=text, end=len(text))
    llm = ScriptedLLM(["What?", "Why?"])
    found = list(proposals(desk(llm, kind="factual"), WIKIPEDIA.type("factual"), chunk))
    assert [draft.span for draft, _ in found] == ["John Fowler", "Margaret Thatcher in Scotland"]


def test_propose_offers_nothing_where_no_sentence_suits() -> None:
    assert list(proposals(desk(ScriptedLLM()), TEMPORAL, replace(CHUNK, text="It rained."))) == []


def test_propose_asks_the_judge_before_the_writer_and_fails_closed() -> None:
    for probability in (0.5, float("nan")):
        llm = ScriptedLLM([QUESTION, ANSWER, QUESTION])
        _, refusal = next(proposals(desk(llm, Doubtful(probability)), TEMPORAL, CHUNK))
        assert refusal == "source-does-not-support"
        assert len(llm.prompts) == 2


def test_propose_refuses_what_was_asked_before() -> None:
    llm = ScriptedLLM([QUESTION])
    _, refusal = next(proposals(desk(llm, known=["when was opened the FORTH bridge?"]), TEMPORAL, CHUNK))
    assert refusal == "near-copy"


def test_propose_a_question_over_two_articles_says_the_far_one_by_what_the_near_one_tells() -> None:
    near_text = "The Forth Bridge was designed by John Fowler of Sheffield."
    far_text = "John Fowler was buried at Brompton Cemetery after a long illness."
    near = Chunk("c1", "z", "Forth_Bridge", "Forth Bridge", (), near_text, 0, len(near_text))
    far = Chunk("c2", "z", "John_Fowler", "John Fowler", (), far_text, 0, len(far_text))
    llm = ScriptedLLM(
        [
            "the man of Sheffield who designed the Forth Bridge",
            "Where was John Fowler buried after a long illness?",
            "John Fowler, who designed the Forth Bridge, was buried at Brompton Cemetery.",
        ]
    )
    at = desk(llm, Doubtful(0.95), kind="multi-hop", linked=lambda _: [far])
    ((draft, refusal),) = proposals(at, WIKIPEDIA.type("multi-hop"), near)
    assert refusal == ""
    question = "Where was the man of Sheffield who designed the Forth Bridge buried after a long illness?"
    assert draft.question == question
    assert (draft.kind, draft.gold, draft.evidence) == ("multi-hop", (near, far), (near_text, far_text))
    assert (draft.span, draft.aspects) == ("Brompton Cemetery", ("Brompton", "Cemetery"))
    assert premise(draft) == f"Forth Bridge: {near_text} John Fowler: {far_text}"
    shown = llm.prompts[2].messages[-1][1]
    assert shown == f"[1] Forth Bridge\n{near_text}\n\n[2] John Fowler\n{far_text}\n\nQuestion: {question}"


def test_propose_a_question_over_two_articles_needs_a_description_and_a_second_article() -> None:
    kind = WIKIPEDIA.type("multi-hop")
    assert list(proposals(desk(ScriptedLLM(), kind="multi-hop"), kind, CHUNK)) == []
    near_text = "The Forth Bridge was designed by John Fowler of Sheffield."
    far_text = "John Fowler was buried at Brompton Cemetery after a long illness."
    near = replace(CHUNK, text=near_text, end=len(near_text))
    far = Chunk("c2", "z", "John_Fowler", "John Fowler", (), far_text, 0, len(far_text))
    llm = ScriptedLLM(["John Fowler himself", "Where was John Fowler buried after a long illness?"])
    ((draft, refusal),) = proposals(desk(llm, kind="multi-hop", linked=lambda _: [far]), kind, near)
    assert (draft.kind, refusal) == ("multi-hop", "names-no-bridge")


def test_propose_writes_question_and_answer_apart() -> None:
    draft = write_question(SEED, TEMPORAL, ScriptedLLM([f' "{QUESTION}" ']))
    assert draft == replace(PASSED, answer="")
    assert write_answer(draft, ScriptedLLM([ANSWER])) == PASSED


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("When did Charles sign with Atlantic?", "When did Ray Charles sign with Atlantic?"),
        ("Why was Charles' case dismissed?", "Why was Ray Charles' case dismissed?"),
        ("When did Ray Charles sign with Atlantic?", "When did Ray Charles sign with Atlantic?"),
        ("Where did Ray go in 1965?", "Where did Ray go in 1965?"),
        ("When did Smith hear Charles sing?", "When did Smith hear Ray Charles sing?"),
        ("When did the Beatles sign?", "When did the Beatles sign?"),
    ],
)
def test_propose_a_surname_becomes_the_one_name_that_the_chunk_has_for_it(question: str, whole: str) -> None:
    text = "John Smith and Anna Smith heard him sing."
    chunk = Chunk("c", "z", "p", "Ray Charles", (), text, 0, len(text))
    assert in_full(question, chunk) == whole


@pytest.mark.parametrize(
    ("answer", "same"),
    [
        ("It was opened on 4 March 1890.", True),
        ("It was opened in 1890.", False),
        ("It was not opened on 4 March 1890.", False),
        ("It was opened by a prince.", False),
    ],
)
def test_propose_agrees_on_what_the_reference_adds(answer: str, same: bool) -> None:
    assert agrees(answer, ANSWER, QUESTION) is same


def test_propose_agrees_wants_every_aspect() -> None:
    reference = "The songs are In My Life and Eleanor Rigby."
    assert agrees("They are In My Life and Eleanor Rigby.", reference, "Which songs?", ("Life", "Rigby"))
    assert not agrees("It is Eleanor Rigby, of the songs.", reference, "Which songs?", ("Life", "Rigby"))


def test_propose_agrees_never_on_a_reference_that_adds_nothing() -> None:
    assert not agrees(QUESTION, "The Forth Bridge was opened.", QUESTION)


def test_propose_agrees_on_most_of_a_long_aspect() -> None:
    aspect = "a dark, fine-grained rock that forms when lava cools quickly"
    assert agrees("Basalt is a fine-grained dark rock from lava that cools.", "x", "What is basalt?", (aspect,))
    assert not agrees("Basalt is a rock.", "x", "What is basalt?", (aspect,))


def test_propose_similarity_ignores_order_and_weighs_the_question_word() -> None:
    assert similarity(QUESTION, "When was opened the Forth Bridge?") == 1.0
    assert similarity(QUESTION, "Where was the Forth Bridge opened?") == 0.5
    assert similarity(QUESTION, "When did Paris hold its fair?") == 0.0


def test_propose_a_draft_s_challenge_keeps_gold_and_reference() -> None:
    challenge = PASSED.challenge(level="easy", profile="wikipedia")
    assert (challenge.type, challenge.origin) == ("temporal", "model")
    assert (challenge.answer, challenge.gold, challenge.evidence) == (ANSWER, (CHUNK,), TEXT)
    assert challenge.aspects == ("March", "4", "1890")

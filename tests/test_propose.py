"""drzero.loop.propose: every gate refuses for its own reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drzero.loop.agreement import agrees
from drzero.loop.drafts import Draft
from drzero.loop.gates import answer_fault, answerable, names_its_subject, question_fault, roles_swapped
from drzero.loop.novelty import similarity
from drzero.loop.propose import propose
from drzero.loop.seeds import Seed, find_seeds
from drzero.profiles import load_profile
from drzero.types import Chunk
from tests.fakes import ScriptedLLM, WordOverlapEntailment

WIKIPEDIA = load_profile("wikipedia")
TEXT = "The Forth Bridge was opened on 4 March 1890 by the Prince of Wales."
CHUNK = Chunk("c1", "z", "Forth_Bridge", "Forth Bridge", (), TEXT, 0, len(TEXT))
TEMPORAL = WIKIPEDIA.type("temporal")
SEED = find_seeds(CHUNK, TEMPORAL)[0]
QUESTION = "When was the Forth Bridge opened?"
ANSWER = "The Forth Bridge was opened on 4 March 1890."
PASSED = Draft(QUESTION, ANSWER, "temporal", (CHUNK,), (TEXT,), SEED.answer, ("March", "4", "1890"))


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        (QUESTION, ""),
        ("The Forth Bridge was opened when", "malformed"),
        ("When was it?", "malformed"),
        ("When was the Forth Bridge opened? And why?", "malformed"),
        ("Who opened the Forth Bridge in March?", "wrong-type"),
        ("When was the Forth Bridge opened according to the text?", "leans-on-passage"),
        ("When was it opened by the Prince of Wales?", "unresolved-reference"),
        ("When was the bridge opened by the Prince of Wales?", "unresolved-reference"),
        ("When was the song first sung in Wales?", "unresolved-reference"),
        ("When was the thing over there opened?", "names-no-subject"),
        ("When on 4 March 1890 was the Forth Bridge opened?", "answer-in-question"),
        ("When did Queen Victoria visit Edinburgh Castle on a stormy Forth day?", "strays-from-source"),
    ],
)
def test_propose_question_gates(question: str, fault: str) -> None:
    assert question_fault(question, SEED, TEMPORAL, ()) == fault


def test_propose_refuses_near_copies_in_other_order_and_capitals() -> None:
    known = ("when was opened the FORTH bridge?",)
    assert question_fault(QUESTION, SEED, TEMPORAL, known) == "near-copy"
    assert question_fault(QUESTION, SEED, TEMPORAL, ("Where was the Forth Bridge opened?",)) == ""


@pytest.mark.parametrize(
    ("question", "sentence", "swapped"),
    [
        (
            "When was Modern Sounds replaced by West Side Story?",
            "In 1962 Modern Sounds replaced West Side Story.",
            True,
        ),
        (
            "When was West Side Story replaced by Modern Sounds?",
            "In 1962 Modern Sounds replaced West Side Story.",
            False,
        ),
        ("When was Polonia relegated by the league?", "Polonia was relegated by the league in 2013.", False),
        ("When was the roof replaced by arches?", "The roof was replaced in 1901 by arches of steel.", False),
        ("When did Modern Sounds replace West Side Story?", "In 1962 Modern Sounds replaced West Side Story.", False),
    ],
)
def test_propose_sees_swapped_roles(question: str, sentence: str, swapped: bool) -> None:
    assert roles_swapped(question, sentence) is swapped


def test_propose_a_heading_names_the_subject_only_where_it_is_code() -> None:
    under = replace(CHUNK, title="Asimo", heading=("Robots",))
    assert not names_its_subject("When was the first version of the robot developed?", under)
    assert names_its_subject("When was the first version of Asimo developed?", under)
    assert names_its_subject("What does dumps return?", replace(CHUNK, title="json", heading=("json.dumps",)))


def test_propose_a_how_many_question_needs_a_number() -> None:
    seed = Seed(CHUNK, TEXT, 0, len(TEXT), "Prince of Wales", 1.0)
    kind = WIKIPEDIA.type("factual")
    assert question_fault("How many people opened the Forth Bridge?", seed, kind, ()) == "wrong-type"


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (ANSWER, ""),
        ("Not found.", "not-answered-by-source"),
        ("The Forth Bridge was opened by the Prince of Wales.", "answer-misses-span"),
        ("The Forth Bridge was opened on 4 March 1890 in Paris.", "answer-adds-facts"),
        ("The Forth Bridge was opened on 4 March 1890 with 50 guests.", "answer-adds-facts"),
        ("On 4 March 1890 heavy winter rain poured over waiting crowds.", "answer-adds-words"),
        ("The Forth Bridge was not opened on 4 March 1890.", "answer-misses-span"),
    ],
)
def test_propose_answer_gates(answer: str, fault: str) -> None:
    assert answer_fault(QUESTION, answer, SEED, TEMPORAL) == fault


def test_propose_passes_a_good_round_trip() -> None:
    llm = ScriptedLLM([QUESTION, ANSWER])
    draft, refusal = propose(SEED, TEMPORAL, llm, WordOverlapEntailment(), known=(), min_support=0.9)
    assert refusal == ""
    assert draft == PASSED
    asked = llm.prompts[0].messages[-1][1]
    assert asked == f"Article: Forth Bridge\nSentence: {TEXT}\nAnswer: 4 March 1890"


def test_propose_stops_at_the_first_gate() -> None:
    llm = ScriptedLLM(["What does the passage say?"])
    _, refusal = propose(SEED, TEMPORAL, llm, WordOverlapEntailment(), known=(), min_support=0.9)
    assert refusal == "wrong-type"
    assert len(llm.prompts) == 1


def test_propose_asks_the_entailment_model_last() -> None:
    class Doubtful:
        id = "doubtful"

        def entail(self, pairs: object) -> list[float]:
            return [0.5]

    _, refusal = propose(SEED, TEMPORAL, ScriptedLLM([QUESTION, ANSWER]), Doubtful(), known=(), min_support=0.9)
    assert refusal == "source-does-not-support"


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


def test_propose_answerable_shuffles_and_leaves_distractors_out_when_there_is_no_room() -> None:
    others = [Chunk(f"d{n}", "z", f"D{n}", f"D{n}", (), "word " * 200, 0, 1000) for n in range(4)]
    orders: list[int] = []
    llm = ScriptedLLM([ANSWER], context_tokens=900)
    held = answerable(PASSED, others, llm, order=lambda chunks: orders.append(len(chunks)))
    assert held
    assert orders == [5]
    shown = llm.prompts[0].messages[-1][1]
    assert TEXT in shown
    assert 1 <= shown.count("word word") // 100 < 4


def test_propose_a_draft_s_challenge_keeps_gold_and_reference() -> None:
    challenge = PASSED.challenge(level="easy", profile="wikipedia")
    assert (challenge.type, challenge.origin) == ("temporal", "model")
    assert (challenge.answer, challenge.gold, challenge.evidence) == (ANSWER, (CHUNK,), TEXT)
    assert challenge.aspects == ("March", "4", "1890")

"""drzero.loop.gates: every gate refuses for its own reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from drzero.loop.desk import Desk, Options, Slot, Tools
from drzero.loop.drafts import Draft, aspects_of
from drzero.loop.extracting import Extractor
from drzero.loop.gates import (
    ambiguous,
    answer_fault,
    answerable,
    distractors,
    gate,
    names_its_subject,
    near_copy,
    needs_each,
    question_fault,
    roles_swapped,
    standing_fault,
    subject_swapped,
)
from drzero.loop.metrics import noise_tolerance
from drzero.profiles import load_profile
from drzero.types import Chunk, Passage, Prompt
from tests.fakes import ScriptedLLM, WordOverlapEntailment

WIKIPEDIA, CODING = load_profile("wikipedia"), load_profile("coding")
TEXT = "The Forth Bridge was opened on 4 March 1890 by the Prince of Wales."
CHUNK = Chunk("c1", "z", "Forth_Bridge", "Forth Bridge", (), TEXT, 0, len(TEXT))
QUESTION = "When was the Forth Bridge opened?"
ANSWER = "The Forth Bridge was opened on 4 March 1890."
DRAFT = Draft(QUESTION, ANSWER, "temporal", (CHUNK,), (TEXT,), "4 March 1890", ("March", "4", "1890"))
TEMPORAL = WIKIPEDIA.type("temporal")


def chunk(text: str, title: str = "Forth Bridge", name: str = "c1") -> Chunk:
    return Chunk(name, "z", title, title, (), text, 0, len(text))


def draft(
    question: str, sentence: str, span: str, kind: str, *, answer: str = "", title: str = "Forth Bridge"
) -> Draft:
    source = chunk(sentence, title)
    return Draft(question, answer, kind, (source,), (sentence,), span, aspects_of(span, sentence))


# --- wording --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        (QUESTION, ""),
        ("The Forth Bridge was opened when", "malformed"),
        ("When was it?", "malformed"),
        ("When was the Forth Bridge opened by M.?", "malformed"),
        ("When was the Forth Bridge opened? And why?", "malformed"),
        ("Who opened the Forth Bridge in March?", "wrong-type"),
        ("When was the Forth Bridge opened according to the text?", "leans-on-passage"),
        ("When was it opened by the Prince of Wales?", "unresolved-reference"),
        ("When was the bridge opened by the Prince of Wales?", "unresolved-reference"),
        ("When was the song first sung in Wales?", "unresolved-reference"),
        ("When was the thing over there opened?", "names-no-subject"),
        ("When on 4 March 1890 was the Forth Bridge opened?", "answer-in-question"),
        ("When was the Forth Bridge closed by Queen Victoria?", "strays-from-source"),
        ("When in 1889 was the Forth Bridge opened?", "strays-from-source"),
        ("When was the Forth Bridge first opened?", "adds-to-source"),
        ("When was an example of the Forth Bridge opened?", "many-answers"),
    ],
)
def test_gates_of_a_question(question: str, fault: str) -> None:
    assert question_fault(replace(DRAFT, question=question), TEMPORAL) == fault


def test_gates_refuse_near_copies_in_other_order_and_capitals() -> None:
    asked = DRAFT.question
    assert near_copy(desk(ScriptedLLM(), known=["when was opened the FORTH bridge?"]), asked) == "near-copy"
    assert near_copy(desk(ScriptedLLM(), known=["Where was the Forth Bridge opened?"]), asked) == ""


@pytest.mark.parametrize(
    ("question", "code", "fault"),
    [
        ("What does json.dumps return for a list?", True, ""),
        ("What does a document object of json hold?", True, ""),
        ("What does the source of json hold?", False, "leans-on-passage"),
        ("What does the source of json hold?", True, ""),
        ("What should your call of json.dumps return?", True, "unresolved-reference"),
        ("What does the above call of json.dumps return?", True, "leans-on-passage"),
        ("How does json.dumps treat its first argument?", True, ""),
        ("How does it treat the first json argument?", True, "unresolved-reference"),
        ('What does json.find("May the force be with you") return?', True, ""),
        ("What does `my.json(it)` return for a list?", True, ""),
        ('What does json.find("it", above(this)) return?', True, ""),
        ('What does json.find("it") return for your list?', True, "unresolved-reference"),
        ('When was "You Don\'t Know Me" released by json?', False, ""),
        ("When was “An Example of This Article” released by json?", False, ""),
        ('When was "Where Are You?" released by json?', False, ""),
        ('Who recorded the single "Where Are You?"', False, "malformed"),
        ('When was his "You Don\'t Know Me" released?', False, "unresolved-reference"),
        ('When did its 5" pipe become a 6" pipe of json?', False, "unresolved-reference"),
    ],
)
def test_gates_read_documentation_by_its_own_rules(question: str, code: bool, fault: str) -> None:
    assert standing_fault(question, [chunk("x", "json")], code=code) == fault


def test_gates_let_a_question_out_of_documentation_name_its_language() -> None:
    sentence = "The function json.dumps returns a text for any object."
    made = draft("What does json.dumps return in Python?", sentence, "a text", "implementation", title="json")
    kind = CODING.type("implementation")
    assert question_fault(made, kind, code=True) == ""
    assert question_fault(made, kind) == "strays-from-source"


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
def test_gates_see_swapped_roles(question: str, sentence: str, swapped: bool) -> None:
    assert roles_swapped(question, sentence) is swapped


@pytest.mark.parametrize(
    ("question", "swapped"),
    [
        ("Which theory has several advantages over Ash Theory?", True),
        ("Which theory has several advantages over Birch Theory?", False),
        ("What has several advantages over Ash Theory?", True),
        ("Which theory is newer than Ash Theory?", False),
        ("Why has Ash Theory several advantages over Birch Theory?", False),
    ],
)
def test_gates_see_who_is_asked_for_where_it_is_named(question: str, swapped: bool) -> None:
    assert subject_swapped(question, "Ash Theory has several advantages over Birch Theory.") is swapped


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        ("Which book of Pausanias tells of the lord of Croton?", "strays-from-source"),
        ("Which writer tells of the cured lord of Croton?", "strays-from-source"),
        ("Which oracle sent the lord of Croton to be cured?", ""),
        ("In which city was the lord of Croton to be cured?", ""),
        ("What must be true for the lord of Croton?", "many-answers"),
    ],
)
def test_gates_ask_for_a_thing_that_the_source_speaks_of(question: str, fault: str) -> None:
    sentence = "Pausanias tells that the oracle sent the lord of Croton to be cured in Corinth."
    made = draft(question, sentence, "Corinth", "factual", title="Oracle")
    assert question_fault(made, WIKIPEDIA.type("factual")) == fault


def test_gates_a_heading_names_the_subject_only_where_it_is_code() -> None:
    under = replace(CHUNK, title="Asimo", heading=("Robots",))
    assert not names_its_subject("When was the first version of the robot developed?", under)
    assert names_its_subject("When was the first version of Asimo developed?", under)
    assert names_its_subject("What does dumps return?", replace(CHUNK, title="json", heading=("json.dumps",)))


# --- answers --------------------------------------------------------------------------------------------------------


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
        ("It was opened on 4 March 1890.", "answer-does-not-stand-alone"),
        ("On 4 March 1890.", "answer-is-no-sentence"),
        ("The bridge Forth Bridge was opened on 4 March 1890, the Forth Bridge.", "answer-repeats-itself"),
    ],
)
def test_gates_of_an_answer(answer: str, fault: str) -> None:
    assert answer_fault(replace(DRAFT, answer=answer)) == fault


def test_gates_of_an_answer_to_a_whole_sentence_want_a_good_part_of_it() -> None:
    sentence = "Unlike GNU getopt, after an option all further arguments are considered plain."
    made = draft("How does getopt differ from GNU getopt?", sentence, sentence, "comparison", title="getopt")
    right = "Unlike GNU getopt, all further arguments after an option are considered plain by getopt."
    assert answer_fault(replace(made, answer=right), code=True) == ""
    empty = "GNU getopt and getopt have different arguments."
    assert answer_fault(replace(made, answer=empty), code=True) == "answer-misses-span"


def test_gates_of_an_answer_want_a_reason_that_is_not_the_question_again() -> None:
    sentence = "The Forth Bridge was closed because of a heavy storm in Scotland."
    made = draft("Why was the Forth Bridge closed?", sentence, "because of a heavy storm in Scotland", "causal")
    said = "The Forth Bridge was closed because of a heavy storm in Scotland."
    assert answer_fault(replace(made, answer=said)) == ""
    more = "The Forth Bridge was closed because of a heavy storm in Scotland, and Fowler, a prophet, died."
    further = replace(made, answer=more, evidence=(f"{sentence[:-1]}, and Fowler, a prophet, died.",))
    assert answer_fault(further) == "answer-says-more"
    asked = replace(made, question="Why was the Forth Bridge in Scotland closed in heavy storms?", answer=said)
    assert answer_fault(asked) == "answer-repeats-question"


# --- readers --------------------------------------------------------------------------------------------------------


def test_gates_answerable_leaves_distractors_out_when_there_is_no_room() -> None:
    others = [chunk("word " * 200, f"D{n}", f"d{n}") for n in range(4)]
    llm = ScriptedLLM([ANSWER], context_tokens=900)
    assert answerable(DRAFT, others, llm)
    shown = llm.prompts[0].messages[-1][1]
    assert TEXT in shown
    assert 1 <= shown.count("word word") // 100 < 4


def test_gates_read_the_distractors_in_their_order_with_the_evidence_last_and_without_it() -> None:
    others = [chunk("Nothing.", f"D{n}", f"d{n}") for n in range(3)]
    llm = ScriptedLLM([ANSWER, "Not found."])
    assert answerable(DRAFT, others, llm)
    assert not ambiguous(DRAFT, others, llm)
    first, second = (prompt.messages[-1][1].partition("\n\nQuestion")[0] for prompt in llm.prompts)
    assert [line for line in first.split("\n") if line.startswith("[")] == [
        "[1] D0",
        "[2] D1",
        "[3] D2",
        "[4] Forth Bridge",
    ]
    assert first.startswith(second)


RIVAL = chunk("The Forth Bridge was opened on 5 May 1964 for cars.", "Forth Road Bridge", "c2")


@pytest.mark.parametrize(
    ("answer", "odds", "found"),
    [
        ("The Forth Bridge was opened on 5 May 1964 for cars.", 3.0, True),
        ("The Forth Bridge was opened on 5 May 1964 for cars.", float("nan"), True),  # fails closed
        ("The Forth Bridge was opened on 5 May 1964 for cars.", -1.0, False),
        ("Not found.", 3.0, False),
        (ANSWER, 3.0, False),
        ("The Forth Bridge was opened on 6 June 1970.", 3.0, False),  # invented
    ],
)
def test_gates_ambiguous_when_other_passages_answer_otherwise_for_sure(answer: str, odds: float, found: bool) -> None:
    llm = ScriptedLLM([answer], judge=lambda _: odds)
    assert ambiguous(DRAFT, [RIVAL], llm) is found


def test_gates_not_ambiguous_when_the_other_answer_is_about_another_name() -> None:
    other = chunk("The Severn Bridge was opened on 8 September 1966 by the Queen.", "Severn Bridge", "c3")
    assert not ambiguous(DRAFT, [other], ScriptedLLM([other.text]))
    assert not ambiguous(DRAFT, [], ScriptedLLM())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Forth Bridge was opened in March 1890 to all trains.", False),  # coarser
        ("The Forth Bridge was opened in 1890 to all trains.", False),
        ("The Forth Bridge was opened in May 1890 to all trains.", True),
        ("The Forth Bridge was opened in 1891 to all trains.", True),
        ("The Forth Bridge was opened in March 1890 with 54 spans.", True),  # says more than the date
        ("The Forth Bridge was opened to all trains.", False),  # no date
    ],
)
def test_gates_another_answer_must_be_of_the_kind_asked_and_contradict(text: str, found: bool) -> None:
    other = chunk(text, "Forth Bridge", "c4")
    assert ambiguous(DRAFT, [other], ScriptedLLM([text], judge=lambda _: 3.0)) is found


def test_gates_of_a_reader_without_a_model_only_a_stated_fact_is_another_answer() -> None:
    born = chunk("Albert Einstein was born in Ulm, in Württemberg.", "Albert Einstein")
    asked = "Where was Albert Einstein born?"
    one = Draft(asked, born.text, "factual", (born,), (born.text,), "Ulm", ("Ulm",))
    prose = chunk("Albert Einstein was a German-born theoretical physicist of the University of Bern.", "Physics", "p")
    assert not ambiguous(one, [prose], Extractor())
    assert ambiguous(one, [prose], ScriptedLLM([prose.text], judge=lambda _: 3.0))  # a writer must be sure of it


def test_gates_of_a_reader_without_a_model_a_stated_fact_that_contradicts_is_another_answer() -> None:
    ray = chunk(
        "Ray is a 2004 film about a musician.\nDirected by: Taylor Hackford\nRelease date: May 1, 2004",
        "Ray (film)",
        "r",
    )
    rival = chunk(
        "Ray is a 1990 film about a fish.\nDirected by: Jane Doe\nRelease date: May 1, 1990", "Ray (film)", "s"
    )
    one = Draft(
        "Who directed the film Ray?",
        'The film "Ray" was directed by Taylor Hackford.',
        "factual",
        (ray,),
        ("Directed by: Taylor Hackford",),
        "Taylor Hackford",
        ("Taylor Hackford",),
    )
    assert ambiguous(one, [rival], Extractor())
    assert not ambiguous(one, [replace(ray, id="t")], Extractor())


def hop() -> tuple[Draft, Chunk, Chunk]:
    near = chunk("The Forth Bridge was designed by John Fowler.", "Forth Bridge", "n")
    far = chunk("John Fowler was buried in London.", "John Fowler", "f")
    question = "Where was the man who designed the Forth Bridge buried?"
    made = Draft(question, "He was buried in London.", "multi-hop", (near, far), (near.text, far.text), "London")
    return made, near, far


def test_gates_two_sources_must_both_be_needed() -> None:
    made, _, far = hop()

    def with_far_alone(prompt: Prompt) -> str:
        return "John Fowler was buried in London." if far.text in prompt.messages[-1][1] else "Not found."

    assert needs_each(made, ScriptedLLM(["Not found.", "Not found."]))
    assert not needs_each(made, ScriptedLLM(reply=with_far_alone))
    assert needs_each(DRAFT, ScriptedLLM())


# --- the flow -------------------------------------------------------------------------------------------------------


def desk(llm: ScriptedLLM, found: Sequence[Chunk] = (), known: Sequence[str] = ()) -> Desk:
    passages = [Passage(one, 1.0, rank, "i") for rank, one in enumerate(found, 1)]
    tools = Tools(llm, WordOverlapEntailment(), lambda _, k: passages[:k], lambda _: CHUNK)
    return Desk(Slot("r", 0, 0, 7, WIKIPEDIA, TEMPORAL, "easy"), tools, Options(), known)


def test_gates_flow_passes_what_readers_answer_alike_and_nothing_else_answers() -> None:
    assert gate(desk(ScriptedLLM([ANSWER, ANSWER, "Not found."]), [CHUNK, RIVAL]), DRAFT) == ""


@pytest.mark.parametrize(
    ("replies", "fault"),
    [
        (["Not found."], "not-answerable"),
        ([ANSWER, "Not found."], "not-robust"),
        ([ANSWER, ANSWER, RIVAL.text], "ambiguous"),
    ],
)
def test_gates_flow_counts_each_reader_by_its_name(replies: list[str], fault: str) -> None:
    assert gate(desk(ScriptedLLM(replies), [CHUNK, RIVAL]), DRAFT) == fault


def test_gates_flow_a_reader_who_has_no_room_for_every_distractor_proves_nothing() -> None:
    others = [chunk("word " * 200, f"D{n}", f"d{n}") for n in range(4)]
    tight = desk(ScriptedLLM([ANSWER, ANSWER], context_tokens=900), [CHUNK, *others])
    assert gate(tight, DRAFT) == "not-robust"
    alone, among = (step for step in tight.trace.steps if step.name == "answerable")
    assert (alone.inputs, alone.output) == ({"distractors": 0}, True)
    assert (among.inputs["wanted"], among.output) == (4, False)
    assert 1 <= among.inputs["distractors"] < 4
    assert noise_tolerance(tight.trace.steps) == 0.0
    fewer = desk(ScriptedLLM([ANSWER, ANSWER, "Not found."], context_tokens=900), [CHUNK, others[0]])
    assert gate(fewer, DRAFT) == ""  # all that the archive has was shown
    assert noise_tolerance(fewer.trace.steps) == 1.0


def test_gates_flow_refuses_a_question_that_one_source_answers() -> None:
    made, _, _ = hop()
    llm = ScriptedLLM(reply=lambda _: "The man was buried in London.")
    assert gate(desk(llm), made) == "needs-one-source-only"


def test_gates_flow_trusts_a_template_s_type_and_answer_but_not_that_it_stands_alone_or_is_new() -> None:
    template = replace(DRAFT, origin="template", question="Which year saw the Forth Bridge opened?")
    assert gate(desk(ScriptedLLM([ANSWER, ANSWER])), template) == ""
    assert gate(desk(ScriptedLLM()), replace(template, question="When was the song opened there?")) == (
        "unresolved-reference"
    )
    assert gate(desk(ScriptedLLM(), known=[template.question]), template) == "near-copy"


def test_gates_distractors_are_the_nearest_chunks_that_are_no_gold() -> None:
    others = [chunk("x", f"D{n}", f"d{n}") for n in range(6)]
    assert distractors(desk(ScriptedLLM(), [others[0], CHUNK, *others[1:]]), DRAFT) == tuple(others[:4])


def test_gates_the_name_of_a_language_is_no_subject_but_a_piece_of_code_is() -> None:
    lesson = chunk("x", "Comparisons")
    assert not names_its_subject("What is recommended for new code in Python?", lesson)
    assert names_its_subject("What does 3 == '3' return in JavaScript?", lesson)
    assert names_its_subject("What is recommended for new code of Django in Python?", lesson)


def test_gates_refuse_a_question_that_tells_most_of_its_answer() -> None:
    sentence = "RCBF is a set of compilers and interpreters written for Rosetta Code."
    span = "a set of compilers and interpreters written for Rosetta Code"
    made = draft("What are the compilers and interpreters of Rosetta Code?", sentence, span, "conceptual", title="RCBF")
    assert question_fault(made, CODING.type("conceptual"), code=True) == "answer-in-question"
    made = replace(made, question="What is RCBF of Rosetta Code?")
    assert question_fault(made, CODING.type("conceptual"), code=True) == ""


@pytest.mark.parametrize("more", ["also", "of course", "however"])
def test_gates_refuse_an_answer_that_goes_on_from_another(more: str) -> None:
    said = f"The Forth Bridge was {more} opened on 4 March 1890."
    assert answer_fault(replace(DRAFT, answer=said)) == "answer-does-not-stand-alone"

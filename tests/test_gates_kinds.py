"""drzero.loop.gates.kinds: what a question of each type must ask."""

from __future__ import annotations

import pytest

from drzero.loop.drafts import Draft, aspects_of
from drzero.loop.gates.kinds import compared, kind_fault
from drzero.types import Chunk


def draft(
    kind: str, question: str, sentence: str, span: str = "", *, title: str = "Forth Bridge", heading: str = ""
) -> Draft:
    source = Chunk("c", "z", title, title, (heading,) if heading else (), sentence, 0, len(sentence))
    span = span or sentence
    return Draft(question, "", kind, (source,), (sentence,), span, aspects_of(span, sentence))


OPENED = "The Forth Bridge was opened on 4 March 1890."
HELD = "Leeds is the largest city of Yorkshire and had 789,194 people in 2018."
SHAKEN = "Storms shook the Forth Bridge so that it swayed, and it was closed to trains in 1962, but not for long."
CLOSED = "The Forth Bridge was closed because heavy ice had damaged a pier."
BOTH = "Venus is hotter than Mercury, although Mercury is nearer to the Sun."


@pytest.mark.parametrize(
    ("question", "sentence", "span", "fault"),
    [
        ("Who opened the Forth Bridge?", "The Forth Bridge was opened by Edward.", "Edward", ""),
        ("Who opened the Forth Bridge?", "The Forth Bridge was opened by the heir.", "the heir", "wrong-type"),
        ("How many men built the Forth Bridge?", "In all 4,600 men built the Forth Bridge.", "4,600 men", ""),
        ("How many men built the Forth Bridge?", "The Forth Bridge was built by Scots.", "Scots", "wrong-type"),
        ("What percentage of it is steel?", "Most of the bridge is Scottish steel.", "Scottish steel", "wrong-type"),
        ("When was the Forth Bridge opened?", OPENED, "4 March 1890", "wrong-type"),  # a temporal question
    ],
)
def test_gates_kinds_factual(question: str, sentence: str, span: str, fault: str) -> None:
    assert kind_fault(draft("factual", question, sentence, span)) == fault


@pytest.mark.parametrize(
    ("question", "sentence", "span", "fault"),
    [
        ("When was the Forth Bridge opened?", OPENED, "4 March 1890", ""),
        ("In which year was the Forth Bridge opened?", OPENED, "4 March 1890", ""),
        ("What was the Forth Bridge opened for?", OPENED, "4 March 1890", "wrong-type"),
        ("When was the Forth Bridge renamed?", OPENED, "4 March 1890", "other-event"),
        ("When did the opening of the bridge Forth Bridge take place?", OPENED, "4 March 1890", ""),
        ("When was Leeds the largest city of Yorkshire?", HELD, "2018", "lasting-state"),
        ("When is Leeds the largest city of Yorkshire?", HELD, "2018", "lasting-state"),
        ("When was the Forth Bridge opened?", OPENED, "Forth Bridge", "wrong-type"),
        ("When did storms shake the Forth Bridge?", SHAKEN, "1962", "other-event"),
        ("When was the Forth Bridge closed to trains?", SHAKEN, "1962", ""),
    ],
)
def test_gates_kinds_temporal(question: str, sentence: str, span: str, fault: str) -> None:
    title = "Leeds" if "Leeds" in sentence else "Forth Bridge"
    assert kind_fault(draft("temporal", question, sentence, span, title=title)) == fault


@pytest.mark.parametrize(
    ("question", "sentence", "span", "fault"),
    [
        ("Why was the Forth Bridge closed?", CLOSED, "because heavy ice had damaged a pier", ""),
        ("What caused the Forth Bridge to be closed?", CLOSED, "because heavy ice had damaged a pier", ""),
        ("How was the Forth Bridge closed?", CLOSED, "because heavy ice had damaged a pier", "wrong-type"),
        (
            "What was the result of ice at the Forth Bridge?",
            CLOSED,
            "because heavy ice had damaged a pier",
            "wrong-type",
        ),
        ("Why had heavy ice damaged a pier?", CLOSED, "because heavy ice had damaged a pier", "reason-in-question"),
        (
            "Why did Fowler claim that the Forth Bridge was closed?",
            CLOSED,
            "because heavy ice had damaged a pier",
            "wrong-type",
        ),
        ("Why was the Forth Bridge opened?", OPENED, "", "wrong-type"),
    ],
)
def test_gates_kinds_causal(question: str, sentence: str, span: str, fault: str) -> None:
    assert kind_fault(draft("causal", question, sentence, span)) == fault


@pytest.mark.parametrize(
    ("question", "sentence", "fault"),
    [
        ("Which planet is hotter, Venus or Mercury?", BOTH, ""),
        ("Is Venus hotter than Mercury?", BOTH, ""),
        ("What is the difference between Venus and Mercury?", BOTH, ""),
        ("How does Venus differ from Mercury?", BOTH, ""),
        ("Which planet is nearest to the Sun?", BOTH, "one-sided"),
        ("What is the difference between Venus and Venus?", BOTH, "compares-with-itself"),
        ("How does Venus differ from Mercury?", "Venus is similar to Mercury in shape.", "wrong-type"),
    ],
)
def test_gates_kinds_comparative(question: str, sentence: str, fault: str) -> None:
    assert kind_fault(draft("comparative", question, sentence)) == fault
    assert kind_fault(draft("comparison", question, sentence)) == fault


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("Which metal is denser, gold or lead?", "gold", "lead"),
        ("How does a tuple differ from a list in Python?", "a tuple", "a list in Python"),
        ("How do let and const differ in JavaScript?", "let", "const"),
        ("Is a set faster than a list?", "a set", "a list"),
        ("Unlike frogs, where do lizards hatch?", "frogs", "where do lizards hatch"),
    ],
)
def test_gates_kinds_find_the_two_sides(question: str, one: str, other: str) -> None:
    assert compared(question) == (one, other)


@pytest.mark.parametrize("question", ["Which metal is densest?", "What is gold?", "How dense is it, or not?"])
def test_gates_kinds_find_no_two_sides_where_there_are_none(question: str) -> None:
    assert compared(question) is None


@pytest.mark.parametrize(
    ("kind", "question", "sentence", "fault"),
    [
        ("implementation", "What does json.dumps return?", "It returns a text.", ""),
        ("implementation", "What does the call return?", "It returns a text.", "names-no-code"),
        ("implementation", "What does 3 == '3' return?", "It returns true.", ""),
        ("debugging", "What does json.loads raise for a bad text?", "It raises an error.", ""),
        ("debugging", "What does json.loads return for a text?", "It returns an object.", "wrong-type"),
        ("debugging", "Which error does a bad text give?", "It raises an error.", "names-no-code"),
        ("best-practice", "How should files be opened?", "Files should be opened in a with statement.", ""),
        ("best-practice", "How are files opened?", "Files should be opened in a with statement.", "wrong-type"),
        ("refactoring", "What should be used instead of substr?", "Use slice instead of substr.", ""),
        ("refactoring", "What does slice do to a text?", "Use slice instead of substr.", "wrong-type"),
        ("conceptual", "What is a tuple in Python?", "A tuple is a fixed list.", ""),
        ("a type of one's own", "What is a tuple in Python?", "A tuple is a fixed list.", ""),
    ],
)
def test_gates_kinds_of_documentation(kind: str, question: str, sentence: str, fault: str) -> None:
    assert kind_fault(draft(kind, question, sentence, title="Texts and files")) == fault


def test_gates_kinds_code_may_be_named_by_title_or_heading() -> None:
    said = "Returns the arc sine."
    assert (
        kind_fault(draft("implementation", "What does asin return?", said, title="Maths", heading="cmath.asin")) == ""
    )
    assert kind_fault(draft("implementation", "What does bisect return?", said, title="bisect — Searching")) == ""
    assert kind_fault(draft("implementation", "What does it return?", said, title="Maths", heading="Sines")) == (
        "names-no-code"
    )


def test_gates_kinds_multi_hop_rests_on_two_articles_and_names_the_near_one() -> None:
    near = Chunk("n", "z", "Forth_Bridge", "Forth Bridge", (), "John Fowler designed it.", 0, 24)
    far = Chunk("f", "z", "John_Fowler", "John Fowler", (), "John Fowler died in Bournemouth.", 0, 32)

    def hop(question: str, *gold: Chunk) -> str:
        return kind_fault(Draft(question, "", "multi-hop", gold, tuple(one.text for one in gold), "Bournemouth"))

    assert hop("Where did the designer of the Forth Bridge die?", near, far) == ""
    assert hop("Where did John Fowler of the Forth Bridge die?", near, far) == "names-its-bridge"
    assert hop("Where did the designer of the Forth Bridge die?", far) == "single-source"
    assert hop("Where did the designer of the Forth Bridge die?", far, far) == "single-source"

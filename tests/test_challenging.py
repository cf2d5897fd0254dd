"""drzero.loop.challenging: proposals by code and by the writer, in turn, until one passes every gate."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero.kb import asked as kb_asked
from drzero.kb.entries import known_questions
from drzero.kb.episodes import save_episode
from drzero.kb.schema import open_knowledge_base
from drzero.loop.challenging import find_challenge, template_fault
from drzero.loop.desk import Desk, Options, Slot, Tools
from drzero.loop.drafts import Draft
from drzero.loop.gates import near_copy
from drzero.loop.novelty import Asked
from drzero.loop.stated import stated
from drzero.loop.templates import single
from drzero.profiles import load_profile
from drzero.types import Challenge, Chunk, Passage, Prompt, Step
from tests.fakes import ScriptedLLM, WordOverlapEntailment
from tests.samples import make_episode

WIKIPEDIA = load_profile("wikipedia")


def chunk(title: str, text: str, mark: str = "") -> Chunk:
    return Chunk(f"c-{title}", "z", title.replace(" ", "_"), title, (), text, 0, len(text), mark)


def album(title: str, year: int, producer: str = "Joe Adams") -> Chunk:
    return chunk(title, f"Studio album by Ann Able\nReleased: {year}\nProducer: {producer}\nLength: 3{year % 10}:00")


BLUE, RED = album("Blue Hour", 1971), album("Red Hour", 1969, "Sid Feller")
JOE = chunk("Joe Adams", "Joe Adams (born 11 April 1922) is a producer. He began as an actor in Ohio.")
PLAIN = chunk("Forth Bridge", "The Forth Bridge was opened on 4 March 1890 by the Prince of Wales in Scotland.")


def reader(prompt: Prompt) -> str:
    """Answers with every line of the passages, as a reader who reads all."""
    passages, _, _ = prompt.messages[-1][1].rpartition("\n\nQuestion: ")
    lines = [line for line in passages.split("\n") if line and not line.startswith("[")]
    return " ".join(lines)


class Draw:
    """Draws the chunks in turn."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks, self.drawn = list(chunks), 0

    def __call__(self, _: Any) -> Chunk:
        self.drawn += 1
        return self.chunks[(self.drawn - 1) % len(self.chunks)]


def desk(kind: str, chunks: Sequence[Chunk], llm: ScriptedLLM | None = None, **tools: Any) -> Desk:
    options: dict[str, Any] = tools.pop("options", {})
    known = tools.pop("known", ())
    slot = Slot("run", 0, tools.pop("number", 0), 7, WIKIPEDIA, WIKIPEDIA.type(kind), "medium")
    given = Tools(llm or ScriptedLLM(reply=reader), WordOverlapEntailment(), lambda _, k: [], Draw(chunks), **tools)
    return Desk(slot, given, Options(**{"templates": 1.0, **options}), known)


def test_challenging_a_template_needs_no_writer_but_the_reader_of_the_gate() -> None:
    llm = ScriptedLLM(reply=reader)
    at = desk("temporal", [BLUE], llm)
    challenge, kind = find_challenge(at)
    assert challenge is not None
    assert challenge.question == 'When was the album "Blue Hour" by Ann Able released?'
    assert challenge.answer == 'The album "Blue Hour" by Ann Able was released in 1971.'
    assert (challenge.origin, challenge.type, kind.name) == ("template", "temporal", "temporal")
    assert (challenge.aspects, challenge.gold) == (("1971",), (BLUE,))
    assert {prompt.name.split("/")[0] for prompt in llm.prompts} == {"read"}


def test_challenging_without_templates_asks_the_writer() -> None:
    replies = ["When was the Forth Bridge opened?"] + ["The Forth Bridge was opened on 4 March 1890."] * 3
    at = desk("temporal", [PLAIN], ScriptedLLM(replies), options={"templates": 0.0})
    challenge, _ = find_challenge(at)
    assert challenge is not None
    assert (challenge.question, challenge.origin) == ("When was the Forth Bridge opened?", "model")


def test_challenging_the_other_way_is_tried_where_the_first_finds_nothing() -> None:
    replies = ["When was the Forth Bridge opened?"] + ["The Forth Bridge was opened on 4 March 1890."] * 3
    challenge, _ = find_challenge(desk("temporal", [PLAIN], ScriptedLLM(replies)))
    assert challenge is not None
    assert challenge.origin == "model"
    by_code, _ = find_challenge(desk("temporal", [BLUE], options={"templates": 0.0}))
    assert by_code is not None
    assert by_code.origin == "template"


def test_challenging_without_proposals_of_the_writer_never_calls_it() -> None:
    llm = ScriptedLLM([])  # any call would fail
    at = desk("causal", [PLAIN], llm, proposes=False)
    challenge, kind = find_challenge(at)
    assert (challenge, kind.name, llm.prompts) == (None, "causal", [])


def test_challenging_no_chunk_is_drawn_for_a_type_without_templates() -> None:
    draw = Draw([PLAIN])
    at = desk("causal", [PLAIN], proposes=False)
    at.slot = replace(at.slot, level="none")  # no other types to turn to
    at._tools = replace(at._tools, sample=draw)
    assert find_challenge(at)[0] is None
    assert draw.drawn == 0


def test_challenging_the_share_of_templates_is_that_of_the_settings() -> None:
    def reply(prompt: Prompt) -> str:
        return "When was that?" if prompt.name.startswith("ask") else reader(prompt)

    firsts = Counter()
    for number in range(60):
        at = desk("temporal", [BLUE, PLAIN], ScriptedLLM(reply=reply), options={"templates": 0.5}, number=number)
        find_challenge(at)
        first = next(step for step in at.trace.steps if step.name == "proposal")
        firsts[first.inputs["origin"]] += 1
    assert 20 <= firsts["template"] <= 40


def test_challenging_compares_with_chunks_alike_and_with_those_drawn_before() -> None:
    for at in (desk("comparative", [BLUE], alike=lambda _: [RED]), desk("comparative", [RED, BLUE])):
        challenge, _ = find_challenge(at)
        assert challenge is not None
        assert re.match("Which (?:was released earlier|is shorter), the album", challenge.question)
        assert {one.title for one in challenge.gold} == {"Blue Hour", "Red Hour"}
        assert challenge.evidence.count(": ") == 2


def test_challenging_composes_with_the_chunks_linked() -> None:
    def joining(prompt: Prompt) -> str:
        both = all(f"[{number}]" in prompt.messages[-1][1] for number in (1, 2))
        return reader(prompt) if both else "Not found."

    challenge, _ = find_challenge(desk("multi-hop", [BLUE], ScriptedLLM(reply=joining), linked=lambda _: [JOE]))
    assert challenge is not None
    assert challenge.question == 'When was the producer of the album "Blue Hour" by Ann Able born?'
    assert challenge.gold == (BLUE, JOE)


def test_challenging_a_hop_whose_evidence_the_reader_cannot_join_is_refused() -> None:
    def blind(prompt: Prompt) -> str:
        return "Joe Adams produced it." if "Blue Hour" in prompt.messages[-1][1] else "Not found."

    at = desk("multi-hop", [BLUE], ScriptedLLM(reply=blind), linked=lambda _: [JOE], proposes=False)
    assert find_challenge(at)[0] is None
    assert at.refusals["not-answerable"] >= 1


def test_challenging_what_the_reader_finds_no_more_among_distractors_is_refused() -> None:
    def confused(prompt: Prompt) -> str:
        return "It came out in 1969." if "Red Hour" in prompt.messages[-1][1] else reader(prompt)

    at = desk("temporal", [BLUE], ScriptedLLM(reply=confused), proposes=False)
    at._tools = replace(at._tools, retrieve=lambda _, k: [Passage(RED, 1.0, 1, "i"), Passage(BLUE, 0.9, 2, "i")][:k])
    assert find_challenge(at)[0] is None
    assert set(at.refusals) == {"not-robust"}


def test_challenging_every_draft_is_recorded_with_its_refusal() -> None:
    at = desk("temporal", [BLUE, RED], known=('When was the album "Blue Hour" by Ann Able released?',))
    challenge, _ = find_challenge(at)
    assert challenge is not None
    proposals = [step for step in at.trace.steps if step.name == "proposal"]
    assert [step.output["refusal"] for step in proposals][-1] == ""
    assert proposals[0].output == {
        "question": 'When was the album "Blue Hour" by Ann Able released?',
        "answer": 'The album "Blue Hour" by Ann Able was released in 1971.',
        "refusal": "near-copy",
    }
    assert at.refusals["near-copy"] >= 1


def test_challenging_is_the_same_for_the_same_seed() -> None:
    def found(number: int) -> Challenge | None:
        return find_challenge(desk("factual", [BLUE, RED, JOE], number=number))[0]

    assert [found(number) for number in range(5)] == [found(number) for number in range(5)]
    assert len({challenge.question for number in range(20) if (challenge := found(number))}) == 2


def test_challenging_signposts_are_not_asked_about() -> None:
    at = desk("temporal", [replace(BLUE, mark="disambiguation")], proposes=False)
    assert find_challenge(at)[0] is None


# --- the same thing again -------------------------------------------------------------------------------------------


def test_challenging_a_writer_that_says_the_same_thing_again_is_refused() -> None:
    asked = Asked()
    asked.add(["When was the Forth Bridge opened?"])
    for again in ("when was opened the FORTH bridge?", "In what year was the Forth Bridge opened?"):
        at = desk("temporal", [PLAIN], nearest=asked.nearest)
        assert near_copy(at, again) == "near-copy"
    assert near_copy(desk("temporal", [PLAIN], nearest=asked.nearest), "Who opened the Forth Bridge?") == ""


def test_challenging_how_near_a_copy_may_be_is_a_setting() -> None:
    known = ("When was the old steel Forth Bridge opened?",)
    question = "When was the Forth Bridge opened?"
    assert near_copy(desk("temporal", [PLAIN], known=known), question) == ""
    assert near_copy(desk("temporal", [PLAIN], known=known, options={"near_copy": 0.5}), question) == "near-copy"


def test_challenging_a_writer_that_leans_on_the_text_is_refused() -> None:
    llm = ScriptedLLM(reply=lambda _: "When was the Forth Bridge opened according to the text above?")
    at = desk("temporal", [PLAIN], llm, options={"templates": 0.0})
    assert find_challenge(at)[0] is None
    assert set(at.refusals) == {"leans-on-passage"}


def test_challenging_templates_run_dry_instead_of_repeating() -> None:
    known: list[str] = []
    for number in range(12):
        at = desk("temporal", [BLUE, RED], known=tuple(known), number=number, proposes=False)
        challenge, _ = find_challenge(at)
        if challenge is not None:
            known.append(challenge.question)
    assert len(known) == len(set(known))
    assert {question.split('"')[1] for question in known} == {"Blue Hour", "Red Hour"}


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        ("When in 1971 was the album Blue Hour released?", "answer-in-question"),
        ("When was the album Blue Hour released?", ""),
    ],
)
def test_challenging_template_gates(question: str, fault: str) -> None:
    draft = replace(next(single(stated(BLUE), "temporal")), question=question)
    assert template_fault(draft) == fault


def test_asked_questions_that_were_refused_are_remembered_once(tmp_path: Path) -> None:
    def proposal(question: str, refusal: str) -> Step:
        return Step("proposed", "proposal", {}, {"question": question, "answer": "", "refusal": refusal}, 0.0)

    steps = (
        proposal("Why is that?", "malformed"),
        proposal("Who wrote Animal Farm?", ""),
        proposal("Who wrote Emma?", "near-copy"),
        proposal("", "malformed"),
        proposal("Who opened the bridge of Forth?", "not-answerable"),
        Step("proposed", "complete", {}, "Why?", 0.0),
    )
    db = open_knowledge_base(tmp_path / "knowledge.db")
    for id_ in ("e1", "e2"):
        episode = make_episode(id=id_, steps=steps, challenge=None, attempts=(), best=-1, status="rejected")
        save_episode(db, episode, None)
        kb_asked.remember(db, episode)
    assert kb_asked.refused_questions(db) == ["Why is that?", "Who opened the bridge of Forth?"]
    assert known_questions(db) == []


@pytest.mark.parametrize(
    ("question", "aspect", "fault"),
    [
        ("What does gnomeSort([43, 36]) return?", "[36, 43]", ""),
        ("What does gnomeSort([36,43]) return?", "[36, 43]", "answer-in-question"),
        ('What does spinalCase("this is") return?', '"this-is"', ""),
        ('What does echo("this is") return?', '"this is"', "answer-in-question"),
        ("What does double(43) return?", "43", "answer-in-question"),
        ("When did the album All for You come out?", '"All for You"', "answer-in-question"),  # no call
    ],
)
def test_challenging_what_a_call_returns_is_compared_as_a_whole(question: str, aspect: str, fault: str) -> None:
    source = Chunk("c1", "z", "P", "Sort", (), "x", 0, 1)
    draft = Draft(question, aspect, "factual", (source,), ("x",), aspect, (aspect,), "template")
    assert template_fault(draft) == fault

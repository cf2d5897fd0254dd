"""drzero.loop.attempting: blind attempts, no more than it takes, and the best of them told without the reference."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from drzero.loop.attempting import attempts_at, base_score, best_of, decided, same_answer, tries_at
from drzero.loop.desk import Desk, Options, Slot, Tools
from drzero.profiles import load_profile
from drzero.types import Answer, Attempt, Challenge, Chunk, Judgement, Passage, Verdict
from tests.fakes import ExtractiveLLM, ScriptedLLM, WordOverlapEntailment
from tests.samples import ATTEMPT, SILENT

QUESTION = "When did the Forth Bridge open?"
RIGHT = "The Forth Bridge opened on 4 March 1890."


def passage(number: int, text: str, title: str) -> Passage:
    return Passage(Chunk(f"c{number}", "z", f"P{number}", title, (), text, 0, len(text)), 0.5, number, "i")


FORTH = passage(1, "The Forth Bridge opened on 4 March 1890. It carries trains.", "Forth Bridge")
COMPOST = passage(2, "Compost needs air and water.", "Compost")
CHALLENGE = Challenge(
    id="q", question=QUESTION, answer=RIGHT, type="temporal", level="easy", profile="wikipedia",
    gold=(FORTH.chunk,), evidence=RIGHT, aspects=("1890",),
)  # fmt: skip


def make_desk(
    llm: ScriptedLLM, found: Mapping[str, Sequence[Passage]] | Sequence[Passage], attempts: int = 3, k: int = 10
) -> tuple[Desk, list[str]]:
    """A desk whose searches find what they are told to, and what it was asked for."""
    asked: list[str] = []

    def retrieve(query: str, _: int) -> list[Passage]:
        asked.append(query)
        return list(found.get(query, ()) if isinstance(found, Mapping) else found)

    profile = load_profile("wikipedia")
    slot = Slot("r", 0, 0, 7, profile, profile.types[0], "easy")
    tools = Tools(llm, WordOverlapEntailment(), retrieve, lambda _: FORTH.chunk)
    return Desk(slot, tools, Options(attempts=attempts, passages=k), ()), asked


def written(desk: Desk) -> list[dict[str, Any]]:
    """What the writer was asked for, answers alone."""
    return [step.inputs for step in desk.trace.steps if step.name == "complete"]


def writer(*replies: str, sure: float = 0.0) -> ScriptedLLM:
    return ScriptedLLM(replies, judge=lambda _: sure)


def test_attempting_a_verified_answer_that_is_sure_settles_it() -> None:
    desk, asked = make_desk(writer(RIGHT, sure=5.0), [FORTH])
    (attempt,) = attempts_at(desk, CHALLENGE)
    assert (attempt.verdict.status, attempt.right, attempt.queries) == ("supported", True, (QUESTION,))
    assert asked == [QUESTION]


def test_attempting_two_verified_answers_that_agree_settle_it() -> None:
    desk, asked = make_desk(writer(RIGHT, "The Forth Bridge opened on 4 March 1890.", "never"), [FORTH], attempts=5)
    assert len(attempts_at(desk, CHALLENGE)) == 2
    first, second = written(desk)
    assert (first["temperature"], second["temperature"]) == (0.0, 0.7)
    assert first["seed"] != second["seed"]
    assert first["content"] == second["content"]  # the same passages: the writer has them evaluated already
    assert asked == [QUESTION]


def test_attempting_an_answer_that_does_not_hold_is_tried_again_from_a_wider_search() -> None:
    wider = "Forth Bridge"
    llm = writer("The Forth Bridge opened in 1999.", RIGHT, RIGHT)
    desk, asked = make_desk(llm, {QUESTION: [COMPOST, FORTH], wider: [FORTH]}, attempts=3)
    attempts = attempts_at(desk, CHALLENGE)
    assert [attempt.verdict.status for attempt in attempts] == ["unsupported", "supported", "supported"]
    assert asked == [QUESTION, QUESTION, wider, "Forth Bridge open"]
    assert attempts[0].queries == (QUESTION,)
    assert attempts[1].queries == attempts[2].queries == (QUESTION, wider, "Forth Bridge open")


def test_attempting_makes_no_more_attempts_than_it_may() -> None:
    desk, _ = make_desk(writer(*["The Forth Bridge opened in 1999."] * 2), [FORTH], attempts=2)
    assert [attempt.verdict.status for attempt in attempts_at(desk, CHALLENGE)] == ["unsupported"] * 2


def test_attempting_harder_levels_follow_what_the_first_passages_name() -> None:
    named = passage(3, "The Forth Bridge was planned by John Fowler.", "Forth Bridge plans")
    question = "In which town was the engineer born who planned the Forth Bridge?"
    for level, searches in (("easy", 1), ("medium", 2), ("hard", 2)):
        desk, asked = make_desk(writer("Not found."), [named], attempts=1)
        tries_at(desk, question, level)
        assert asked == [question, "John Fowler town engineer born"][:searches]


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_case_e05_nothing_suitable_is_an_abstention_and_the_writer_is_not_asked(level: str) -> None:
    llm = writer()
    desk, _ = make_desk(llm, [COMPOST], attempts=2)
    attempts = attempts_at(desk, replace(CHALLENGE, level=level))
    assert [attempt.answer for attempt in attempts] == [Answer("", (), 0.0, abstained=True)] * 2
    assert [attempt.verdict for attempt in attempts] == [Verdict((), "abstained")] * 2
    assert llm.prompts == []


def test_attempting_records_what_found_no_room() -> None:
    long = [replace(FORTH, chunk=replace(FORTH.chunk, id=f"l{n}", text=RIGHT + " word" * 300)) for n in range(5)]
    llm = ScriptedLLM([RIGHT], context_tokens=1100)
    desk, _ = make_desk(llm, long, attempts=1)
    (attempt,) = attempts_at(desk, CHALLENGE)
    (packed,) = (step for step in desk.trace.steps if step.name == "packed")
    assert (packed.stage, packed.output) == ("solved", {"kept": len(attempt.passages), "dropped": 3})
    assert len(attempt.passages) == 2
    assert {citation.n for claim in attempt.answer.claims for citation in claim.citations} <= {1, 2}


# --- blind ----------------------------------------------------------------------------------------------------------


class Copying(ExtractiveLLM):
    """Copies what it reads and keeps how it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def _copy(self, prompt: Any) -> str:
        self.asked.append(prompt.name)
        return super()._copy(prompt)


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_attempting_the_solver_is_told_nothing_of_the_challenge_but_its_question(level: str) -> None:
    """Reference, evidence, aspects, gold chunk, its id, path and title have words of their own: none is seen."""
    secret = "zyx"
    gold = Chunk(
        f"{secret}-id", f"{secret}-zim", f"{secret}/path", f"{secret} title", (f"{secret} head",), secret, 0, 3
    )
    challenge = Challenge(
        id=f"{secret}-q", question=QUESTION, answer=f"It opened in {secret}.", type=f"{secret}-type", level=level,
        profile=f"{secret}-profile", gold=(gold,), evidence=f"{secret} evidence", aspects=(secret,), origin=secret,
    )  # fmt: skip
    llm = Copying()
    desk, asked = make_desk(llm, [FORTH, passage(3, "The Forth Bridge was built by William Arrol.", "Bridges")])
    tries = attempts_at(desk, challenge)
    assert tries
    assert {name.partition("/")[0] for name in llm.asked} == {"read"}
    sent = [content for prompt in llm.prompts for _, content in prompt.messages]
    sent += [text for prompt in llm.prompts for pair in prompt.passages for text in pair]
    sent += [prompt.question + prompt.answer for prompt in llm.prompts]
    assert len(sent) > 10
    assert asked
    for text in (*sent, *asked, json.dumps([step.inputs for step in desk.trace.steps])):
        assert secret not in text


def test_attempting_what_is_tried_does_not_depend_on_the_reference() -> None:
    """Of two challenges with one question, the reference of one being wrong, attempts differ in their marks alone."""
    found = []
    for answer in (RIGHT, "It opened on 1 May 1777."):
        desk, asked = make_desk(writer("The Forth Bridge opened in 1999.", RIGHT, RIGHT), [FORTH])
        attempts = attempts_at(desk, replace(CHALLENGE, answer=answer, aspects=()))
        marked = [attempt.right for attempt in attempts]
        blank = [replace(one, right=False, evaluation=ATTEMPT.evaluation) for one in attempts]
        found.append((blank, asked, best_of(attempts, QUESTION), marked))
    assert found[0][:3] == found[1][:3]
    assert [marks for *_, marks in found] == [[False, True, True], [False] * 3]


# --- which is the best ----------------------------------------------------------------------------------------------


def attempt(text: str, status: str, confidence: float = 0.5, probability: float = 0.9, right: bool = False) -> Attempt:
    return replace(
        ATTEMPT,
        answer=replace(ATTEMPT.answer, text=text, confidence=confidence),
        verdict=Verdict((Judgement("supported", probability, ()),), status),  # type: ignore[arg-type]
        evaluation=replace(ATTEMPT.evaluation, overall=float(right)),
        right=right,
    )


def test_attempting_the_best_is_verified_whatever_the_reference_says() -> None:
    assert best_of([attempt("In 1999.", "unsupported", 1.0, right=True), attempt(RIGHT, "supported")], QUESTION) == 1
    assert best_of([attempt(RIGHT, "partial"), attempt(RIGHT, "supported", 0.1)], QUESTION) == 1
    assert best_of([attempt("In 1999.", "unsupported", 1.0), SILENT], QUESTION) == 1


def test_attempting_of_verified_answers_that_which_others_agree_with_is_the_best() -> None:
    odd = attempt("It opened in 1999.", "supported", 1.0, right=True)
    assert best_of([odd, attempt(RIGHT, "supported"), attempt(RIGHT, "supported", 0.6)], QUESTION) == 2


def test_attempting_the_surer_then_the_better_supported_then_the_earlier_is_the_best() -> None:
    one = attempt(RIGHT, "supported", 0.6, 0.9)
    assert best_of([attempt("In 1999.", "supported", 0.5, 1.0), one], QUESTION) == 1
    assert best_of([attempt("In 1999.", "supported", 0.6, 0.8), one], QUESTION) == 1
    assert best_of([one, one], QUESTION) == 0
    assert best_of([], QUESTION) == -1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (RIGHT, "It opened on 4 March 1890.", True),
        ("It opened in 1890.", "It opened in 1891.", False),
        ("It opened in 1890.", "It never opened in 1890.", False),
    ],
)
def test_attempting_same_answer(one: str, other: str, same: bool) -> None:
    assert same_answer(one, other, QUESTION) is same
    assert same_answer(other, one, QUESTION) is same


def test_attempting_nothing_is_decided_by_an_answer_that_does_not_hold() -> None:
    desk, _ = make_desk(writer("The Forth Bridge opened in 1999.", sure=9.0), [FORTH], attempts=1)
    tries = tries_at(desk, QUESTION, "easy")
    assert not decided(tries, QUESTION)


def test_attempting_base_score_is_of_an_answer_from_memory() -> None:
    desk, _ = make_desk(writer("Not found."), [FORTH])
    assert base_score(desk, CHALLENGE) == 0.0
    desk, _ = make_desk(writer(RIGHT), [FORTH])
    assert base_score(desk, CHALLENGE) > 0.9

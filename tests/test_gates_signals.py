"""drzero.loop.gates.signals: what the writer thinks of its own drafts, and what is made of that."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from drzero.loop import prompts
from drzero.loop.calibration import Calibration
from drzero.loop.drafts import Draft
from drzero.loop.gates import signals
from drzero.loop.gates.signals import (
    FEATURES,
    JUDGEMENTS,
    combination_for,
    identity,
    log_odds,
    packaged,
    signal_fault,
)
from drzero.types import Chunk, Prompt
from tests.fakes import ScriptedLLM

TEXT = "It was opened on 4 March 1890 by the Prince of Wales."
CHUNK = Chunk("c1", "z", "Forth_Bridge", "Forth Bridge", ("History",), TEXT, 0, len(TEXT))
DRAFT = Draft(
    "When was the Forth Bridge opened?",
    "The Forth Bridge was opened on 4 March 1890.",
    "temporal",
    (CHUNK,),
    (TEXT,),
    "4 March 1890",
)


def writer(**odds: float) -> ScriptedLLM:
    return ScriptedLLM(judge=lambda prompt: odds[prompt.name.partition("/")[0]])


@pytest.mark.parametrize(
    ("odds", "fault"),
    [
        ({"alone": 2.0, "fits": 2.0, "stated": 2.0}, ""),
        ({"alone": 0.4, "fits": 2.0, "stated": 2.0}, "not-alone"),
        ({"alone": 2.0, "fits": 1.4, "stated": 2.0}, "not-fits"),
        ({"alone": 2.0, "fits": 2.0, "stated": 1.4}, "not-stated"),
        ({"alone": math.nan, "fits": 2.0, "stated": 2.0}, "not-alone"),
        ({"alone": 2.0, "fits": 2.0, "stated": math.nan}, "not-stated"),
    ],
)
def test_gates_signals_of_a_writer_without_combination_must_each_be_sure(odds: Mapping[str, float], fault: str) -> None:
    assert signal_fault(DRAFT, writer(**odds), 0.9) == fault


def test_gates_signals_stop_asking_at_the_first_that_refuses() -> None:
    llm = writer(alone=-1.0)
    signal_fault(DRAFT, llm, 0.9)
    assert len(llm.prompts) == 1


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A combination for the scripted writer: alone + stated + support − 3 > 0."""
    made = Calibration(identity("scripted"), ("alone", "stated", "support"), (1.0, 1.0, 1.0), -3.0, 0.5)
    monkeypatch.setattr(signals, "packaged", lambda: {"made": made})


@pytest.mark.usefixtures("fitted")
@pytest.mark.parametrize(
    ("alone", "stated", "support", "fault"),
    [
        (1.5, 1.5, 0.5, ""),  # log-odds 0 of the support: exactly the threshold
        (1.5, 1.4, 0.5, "not-worth-keeping"),
        (-1.0, 3.0, 0.9, ""),  # weak in one, strong in the others
        (math.nan, 3.0, 0.9, "not-judged"),
        (1.5, math.inf, 0.5, "not-judged"),
        (1.5, 1.5, math.nan, "not-worth-keeping"),
    ],
)
def test_gates_signals_are_combined_where_that_was_fitted(
    alone: float, stated: float, support: float, fault: str
) -> None:
    llm = writer(alone=alone, stated=stated)  # asked for nothing that the combination does not read
    assert signal_fault(DRAFT, llm, support) == fault


@pytest.mark.usefixtures("fitted")
def test_gates_signals_a_combination_is_for_its_writer_and_wording_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert combination_for("scripted") is not None
    assert combination_for("SCRIPTED") is not None
    assert combination_for("scripted-2") is None
    later = prompts.versions() | {"alone": prompts.versions()["alone"] + 1}
    monkeypatch.setattr(prompts, "versions", lambda: later)
    assert combination_for("scripted") is None


def test_gates_signals_packaged_combinations_are_for_today_s_wordings_and_known_signals() -> None:
    wordings = identity("")
    for name, combination in packaged().items():
        assert combination.judge.endswith(wordings), f"{name}: fit it anew with scripts/fit_gates.py"
        assert set(combination.names) <= {*JUDGEMENTS, *FEATURES, "support"}


def test_gates_signals_ask_about_question_answer_and_source_on_a_line_each() -> None:
    found: list[Prompt] = []

    def keep(prompt: Prompt) -> float:
        found.append(prompt)
        return 2.0

    assert signal_fault(DRAFT, ScriptedLLM(judge=keep), 0.5) == ""
    assert [prompt.messages[-1][1].split("\n") for prompt in found] == [
        ["Question: When was the Forth Bridge opened?", "Is it clear what the question is about?"],
        [
            "Question: When was the Forth Bridge opened?",
            "Answer: The Forth Bridge was opened on 4 March 1890.",
            "Does the answer give what the question asks for?",
        ],
        [
            f"Sentence: Forth Bridge › History: {TEXT}",
            "Question: When was the Forth Bridge opened?",
            "Answer: The Forth Bridge was opened on 4 March 1890.",
            "Does the sentence say that this is the answer?",
        ],
    ]
    for prompt in found:
        assert prompt.shared == len(prompt.messages) - 1
        assert {content for role, content in prompt.messages if role == "assistant"} == {"Yes", "No"}


def test_gates_signals_are_read_off_a_draft_without_a_model() -> None:
    known = {name: feature(DRAFT) for name, feature in FEATURES.items()}
    assert (known["titled"], known["strange"]) == (1.0, 0.0)
    assert known["length"] == pytest.approx(math.log(6))
    assert known["used"] == pytest.approx(4 / 6)  # opened, 4, March, 1890 of those and Prince, Wales


def test_gates_signals_count_words_of_the_question_that_come_from_nowhere() -> None:
    strange = FEATURES["strange"]
    assert strange(DRAFT) == 0.0
    asked = Draft("When was the Severn Bridge destroyed?", "", "temporal", (CHUNK,), (TEXT,), "4 March 1890")
    assert strange(asked) == pytest.approx(math.log(3))


@pytest.mark.parametrize(("probability", "odds"), [(0.5, 0.0), (0.75, math.log(3)), (1.0, math.log(999))])
def test_gates_signals_log_odds_have_bounds(probability: float, odds: float) -> None:
    assert log_odds(probability) == pytest.approx(odds)
    assert log_odds(1 - probability) == pytest.approx(-odds)
    assert math.isnan(log_odds(math.nan))

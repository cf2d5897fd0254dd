"""drzero.loop.entailment: calibrated judges, which are asked about each pair once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from drzero.loop import entailment
from drzero.loop.calibration import Calibration
from drzero.loop.entailment import Calibrated, Remembering, WriterSignals
from drzero.types import Prompt
from tests.fakes import ScriptedLLM, WordSignals

PLAIN = Calibration("words", ("entailment",), (1.0,), 0.0, 0.5)


def probability(log_odds: float) -> float:
    return pytest.approx(1 / (1 + math.exp(-log_odds)), abs=1e-6)  # type: ignore[return-value]


def test_entailment_is_the_calibration_of_the_signals() -> None:
    model = Calibrated(WordSignals(), PLAIN)
    assert model.entail([("salt sea", "salt sea"), ("salt", "salt sea"), ("", "salt")]) == [
        probability(4),
        probability(0),
        probability(-4),
    ]
    assert model.entail([]) == []


def test_entailment_uses_features_of_the_pair_beside_the_signals() -> None:
    both = Calibration("words", ("cover", "contradiction"), (3.0, -1.0), 1.0, 0.5)
    assert Calibrated(WordSignals(), both).entail([("salt", "salt sea")]) == [probability(1 + 1.5)]


def test_entailment_asks_about_each_pair_once() -> None:
    judge = WordSignals()
    model = Calibrated(judge, PLAIN)
    first, second, third = ("a", "a"), ("a", "b"), ("b", "b")
    assert model.entail([first, second, first]) == [probability(4), probability(-4), probability(4)]
    assert model.entail([second, third]) == [probability(-4), probability(4)]
    assert judge.calls == [[first, second], [third]]


def test_entailment_forgets_the_pairs_asked_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entailment, "_REMEMBERED", 2)
    judge = WordSignals()
    model = Remembering(judge)
    for word in "abab":
        model.signals([(word, word)])
    model.signals([("b", "b"), ("c", "c")])  # a goes
    model.signals([("a", "a")])
    assert [pairs[0][0] for pairs in judge.calls] == ["a", "b", "c", "a"]
    assert model.signals([(word, word) for word in "xyz"]).shape == (3, 2)
    assert model.signals([]).shape == (0, 2)


def test_entailment_that_could_not_be_asked_is_no_number() -> None:
    found = Calibrated(WordSignals(silent="hush"), PLAIN).entail([("a", "hush"), ("a", "a")])
    assert math.isnan(found[0])
    assert found[1] == probability(4)


def test_entailment_refuses_a_calibration_of_another_kind() -> None:
    with pytest.raises(ValueError, match="reads yes, the judge gives entailment, contradiction"):
        Calibrated(WordSignals(), Calibration("w", ("yes",), (1.0,), 0.0, 0.5))


def test_entailment_id_tells_judge_and_calibration() -> None:
    one = Calibrated(WordSignals("deberta@1"), PLAIN).id
    other = Calibrated(WordSignals("deberta@1"), Calibration("words", ("entailment",), (1.0,), 0.0, 0.6)).id
    assert one.startswith("deberta@1/calibrated-")
    assert one != other
    assert Calibrated(WordSignals("deberta@1"), PLAIN).id == one


def test_entailment_writer_signals_are_its_log_odds() -> None:
    llm = ScriptedLLM(judge=lambda prompt: 2.5 if "Evidence: salt\n" in prompt.messages[-1][1] else -1.0)
    found = WriterSignals(llm).signals([("salt", "x"), ("sea", "x")])
    assert (found.dtype, found.tolist()) == (np.float32, [[2.5], [-1.0]])
    assert WriterSignals(llm).signals([]).shape == (0, 1)
    assert WriterSignals(llm).id.startswith("scripted/judge-")


def test_case_d01_a_pair_that_does_not_fit_the_writer_s_context_was_not_asked() -> None:
    class Small(ScriptedLLM):
        def yes_no(self, prompt: Prompt) -> float:
            if self.room(prompt) < 1:
                raise ValueError("prompt does not fit")
            return super().yes_no(prompt)

    found = WriterSignals(Small(context_tokens=1000)).signals([("salt", "x"), ("salt " * 2000, "x")])
    assert found[0, 0] == 5.0
    assert math.isnan(found[1, 0])

"""drzero.loop.calibration: signals to a probability, and calibrations as files."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from drzero.loop import prompts
from drzero.loop.calibration import (
    FEATURES,
    Calibration,
    default_calibration,
    features_of,
    from_json,
    packaged,
    sigmoid,
    to_json,
)
from drzero.loop.entailment import WriterSignals
from tests.fakes import ScriptedLLM, WordSignals

ONE = Calibration(
    "words@1",
    ("entailment", "cover"),
    (0.5, 2.0),
    -1.0,
    0.8,
    pairs=120,
    made_at="2026-01-02T03:04:05+00:00",
    figures=(("precision", 0.95), ("recall", 0.5)),
)


def test_calibration_is_a_logistic_function_of_its_features() -> None:
    found = ONE.apply([[0, 0.5], [2, 1], [-4, 0]])
    assert found.tolist() == pytest.approx([0.5, 1 / (1 + math.exp(-2)), 1 / (1 + math.exp(3))])


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_calibration_gives_no_number_for_what_could_not_be_asked(wrong: float) -> None:
    found = ONE.apply([[wrong, 1], [0, 0.5], [1, wrong]])
    assert np.isnan(found).tolist() == [True, False, True]
    assert found[1] == 0.5


def test_calibration_of_no_pairs_is_no_probabilities() -> None:
    assert ONE.apply(np.zeros((0, 2))).shape == (0,)


def test_calibration_stays_within_zero_and_one() -> None:
    with np.errstate(all="raise", under="ignore"):
        assert sigmoid(np.array([-1e9, -40.0, 0.0, 40.0, 1e9])).tolist() == pytest.approx([0, 0, 0.5, 1, 1])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"names": ()}, "needs names"),
        ({"weights": (1.0,)}, "one finite weight for each"),
        ({"weights": (1.0, math.nan)}, "one finite weight for each"),
        ({"intercept": math.inf}, "a finite intercept"),
        ({"threshold": 1.5}, "is a probability, not 1.5"),
    ],
)
def test_calibration_refuses_numbers_that_make_none(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        replace(ONE, **changes)  # type: ignore[arg-type]


def test_calibration_takes_columns_by_name() -> None:
    pairs = [("The sea is deep.", "The sea is high."), ("Salt.", "Salt.")]
    signals = np.array([[1, 2], [3, 4]], dtype=np.float32)
    found = features_of(("cover", "contradiction"), ("entailment", "contradiction"), signals, pairs)
    assert found.tolist() == [[0.5, 2], [1, 4]]
    assert features_of(("entailment",), ("entailment",), np.zeros((0, 1)), []).shape == (0, 1)


def test_calibration_features_are_finite_and_what_they_say() -> None:
    premise, hypothesis = "The Rhine is long. Its source lies in the Alps.", "The Rhine lies in the Vosges."
    assert {name: feature(premise, hypothesis) for name, feature in FEATURES.items()} == pytest.approx(
        {"cover": 2 / 3, "best_cover": 1 / 3, "new_words": math.log(2), "said_words": math.log(4)}
    )
    for feature in FEATURES.values():
        assert math.isfinite(feature("", ""))
        assert math.isfinite(feature("", "x"))


def test_calibration_comes_back_from_its_text() -> None:
    other = replace(ONE, judge="other", figures=())
    assert from_json(to_json(ONE, other)) == (ONE, other)
    assert from_json(to_json()) == ()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"names": "entailment"}, "needs names, one finite weight for each"),
        ({"names": 1}, "of the wrong type"),
        ({"weights": ["1", "2"]}, "of the wrong type"),
        ({"weights": [True, 1]}, "of the wrong type"),
        ({"judge": None}, "of the wrong type"),
        ({"figures": []}, "of the wrong type"),
        ({"pairs": "many"}, "of the wrong type"),
        ({"threshold": -1}, "is a probability, not -1"),
    ],
)
def test_calibration_says_what_is_wrong_with_a_text(changes: dict[str, object], sentence: str) -> None:
    found = json.loads(to_json(ONE))
    found["calibrations"][0] |= changes
    with pytest.raises(ValueError, match=sentence):
        from_json(json.dumps(found))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it is not JSON"),
        ("[]", "it holds no calibrations of format 1"),
        ('{"format": 2, "calibrations": []}', "it holds no calibrations of format 1"),
        ('{"format": 1, "calibrations": {}}', "it holds no calibrations of format 1"),
        ('{"format": 1, "calibrations": [1]}', "of the wrong type"),
        ('{"format": 1, "calibrations": [{"judge": "x"}]}', "a calibration in it lacks 'names'"),
    ],
)
def test_calibration_refuses_other_texts(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        from_json(text)


class Judge(WordSignals):
    """A judge of any name and signals."""

    def __init__(self, name: str, *names: str) -> None:
        super().__init__(name)
        self.names = names  # type: ignore[assignment]


def test_calibration_packaged_ones_are_chosen_by_judge_and_signals() -> None:
    assert set(packaged()) == {"nli", "writer", "writer-0.5b", "writer-1.5b", "verbatim"}
    chosen = {
        name: default_calibration(judge)
        for name, judge in {
            "writer-1.5b": Judge("qwen2.5-coder-1.5b-instruct-q4_k_m@986048768/judge-2", "yes"),
            "writer-0.5b": Judge("qwen2.5-coder-0.5b-instruct-q4_k_m@397807520/judge-2", "yes"),
            "writer": Judge("another-writer@1/judge-2", "yes"),
            "nli": Judge("deberta@0123", "entailment", "contradiction"),
        }.items()
    }
    assert chosen == {name: packaged()[name] for name in chosen}
    assert default_calibration(Judge("two labels", "entailment")) == packaged()["nli"]
    assert default_calibration(Judge("qwen2.5-coder-1.5b-instruct", "no such signal")) is None


WRITER = "qwen2.5-coder-1.5b-instruct-q4_k_m"


@pytest.mark.parametrize(
    ("named", "chosen"),
    [
        (f"{WRITER}@986048768", "writer-1.5b"),
        (f"{WRITER.upper()}@986048768", "writer-1.5b"),
        (f"{WRITER}-tuned@986048768", "writer"),
        (f"{WRITER[:-6]}q8_0@1646573056", "writer"),
        (f"my-{WRITER}@986048768", "writer"),
    ],
)
def test_calibration_of_a_writer_is_for_its_file_as_asked_now(named: str, chosen: str) -> None:
    """A fine-tune, another quantisation or another wording of the question is another judge."""
    llm = ScriptedLLM()
    llm.id = named
    assert default_calibration(WriterSignals(llm)) == packaged()[chosen]
    assert default_calibration(Judge(f"{named}/judge-{prompts.versions()['judge'] + 1}", "yes")) == packaged()["writer"]


def test_calibration_packaged_writers_were_asked_in_the_words_of_now() -> None:
    patterns = [one.judge for one in packaged().values() if one.judge != "*" and one.names == WriterSignals.names]
    assert patterns
    for pattern in patterns:
        assert pattern.endswith(f"@*/judge-{prompts.versions()['judge']}"), "fit it anew: the wording has changed"


def test_calibration_of_an_unknown_writer_believes_less() -> None:
    known, unknown = packaged()["writer-1.5b"], packaged()["writer"]
    assert unknown.threshold > known.threshold
    assert unknown.apply([[0.8]]).tolist() == [0.5]

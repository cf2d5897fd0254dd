"""Entailment models: a judge's signals and a calibration of them."""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from drzero.loop import prompts
from drzero.loop.calibration import Calibration, features_of, to_json
from drzero.loop.checked import CheckedLLM
from drzero.types import LLM, EntailmentModel, Float32, SignalModel

_REMEMBERED = 8192  # pairs, so that no pair is asked twice in a run


class Calibrated:
    """An `EntailmentModel`: the probability that `calibration` makes of the signals of `model`.

    All pairs of a call go to the judge at once, each different one only once in a run. Raises ValueError when the
    calibration reads a signal that the judge does not give.
    """

    def __init__(self, model: SignalModel, calibration: Calibration) -> None:
        if not calibration.suits(model):
            raise ValueError(
                f"the calibration reads {', '.join(calibration.names)}, the judge gives {', '.join(model.names)}"
            )
        self.model = Remembering(model)
        self.calibration = calibration
        fingerprint = hashlib.sha256(to_json(calibration).encode()).hexdigest()[:8]
        self.id = f"{model.id}/calibrated-{fingerprint}"

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each (premise, hypothesis) the probability in [0,1] that the premise entails the hypothesis.

        nan where the judge could not be asked.
        """
        if not pairs:
            return []
        signals = self.model.signals(pairs)
        probabilities: list[float] = self.calibration.apply(
            features_of(self.calibration.names, self.model.names, signals, pairs)
        ).tolist()
        return probabilities


class SaidFirst:
    """An `EntailmentModel` that asks `model` only about what `words`, a judge of wording alone, does not believe.

    What `words` gives at least `threshold` for, in [0,1], is as sure as a model's word and costs none of its time.
    """

    def __init__(self, words: EntailmentModel, threshold: float, model: EntailmentModel) -> None:
        self.id = f"{model.id} after {words.id}"
        self.model = model
        self._words, self._threshold = words, threshold

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each (premise, hypothesis) the probability in [0,1] that the premise entails the hypothesis."""
        found = self._words.entail(pairs)
        left = [place for place, probability in enumerate(found) if not probability >= self._threshold]
        asked = self.model.entail([pairs[place] for place in left]) if left else []
        for place, probability in zip(left, asked, strict=True):
            found[place] = probability
        return found


class Remembering:
    """A `SignalModel` that asks another one, about each different pair once."""

    def __init__(self, model: SignalModel) -> None:
        self.id, self.names = model.id, model.names
        self._model = model
        self._known: OrderedDict[tuple[str, str], Float32] = OrderedDict()  # the last one asked for at the end

    def signals(self, pairs: Sequence[tuple[str, str]]) -> Float32:
        """float32 of shape (len(pairs), len(names)), as the other one's."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if new:
            self._known.update(zip(new, np.asarray(self._model.signals(new), dtype=np.float32), strict=True))
        rows = [self._known[pair] for pair in pairs]
        for pair in pairs:
            self._known.move_to_end(pair)
        while len(self._known) > max(_REMEMBERED, len(pairs)):
            self._known.popitem(last=False)
        return np.stack(rows) if rows else np.zeros((0, len(self.names)), dtype=np.float32)


def writer_judge_id(writer_id: str) -> str:
    """The id of a writer as a judge: it names the wording of the question, too."""
    return f"{writer_id}/judge-{prompts.versions()['judge']}"


class WriterSignals:
    """A `SignalModel`: the writer's log-odds of "Yes" when asked whether the premise supports the hypothesis."""

    names: tuple[str, ...] = ("yes",)

    def __init__(self, llm: LLM) -> None:
        self.id = writer_judge_id(llm.id)
        self._llm = CheckedLLM(llm)

    def signals(self, pairs: Sequence[tuple[str, str]]) -> Float32:
        """float32 of shape (len(pairs), 1); nan for a pair that does not fit the writer's context."""
        found = [self._asked(premise, hypothesis) for premise, hypothesis in pairs]
        return np.array(found, dtype=np.float32).reshape(len(pairs), 1)

    def _asked(self, premise: str, hypothesis: str) -> float:
        try:
            return self._llm.yes_no(prompts.judge(premise, hypothesis))
        except ValueError:
            return math.nan

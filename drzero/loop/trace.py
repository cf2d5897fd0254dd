"""What an episode remembers of itself: every model call, search and gate as a `Step`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from drzero.text import content_id
from drzero.types import LLM, Completion, EntailmentModel, Passage, Prompt, Step


@dataclass(slots=True)
class Trace:
    """The steps of one episode as they happen; `stage` is the stage under way."""

    stage: str = "proposed"
    steps: list[Step] = field(default_factory=list)

    def add(self, name: str, inputs: dict[str, Any], output: Any, elapsed_s: float = 0.0) -> None:
        """Record one step of the stage under way; inputs and output must be JSON values."""
        self.steps.append(Step(self.stage, name, inputs, output, elapsed_s))


def _prompt_inputs(prompt: Prompt) -> dict[str, Any]:
    """A prompt for the record: its last message in full, the fixed part before it as a hash."""
    head = content_id(*(part for message in prompt.messages[:-1] for part in message))
    return {"prompt": prompt.name, "head": head, "content": prompt.messages[-1][1]}


class RecordedLLM:
    """A writer whose calls go into a trace."""

    def __init__(self, llm: LLM, trace: Trace) -> None:
        self.id = llm.id
        self._llm, self._trace = llm, trace

    def complete(
        self, prompt: Prompt, *, grammar: str = "", seed: int = 0, max_tokens: int = 256, temperature: float = 0.0
    ) -> Completion:
        """As the writer's own; recorded with its seed and raw output."""
        completion = self._llm.complete(
            prompt, grammar=grammar, seed=seed, max_tokens=max_tokens, temperature=temperature
        )
        text = completion.text
        output = {
            "text": text,
            "finish": completion.finish,
            "prompt_tokens": completion.prompt_tokens,
            "completion_tokens": completion.completion_tokens,
            "well_formed": completion.finish == "stop" and bool(text.strip()) and text == " ".join(text.split()),
        }
        asked = {"seed": seed, "max_tokens": max_tokens, "temperature": temperature}
        self._trace.add("complete", _prompt_inputs(prompt) | asked, output, completion.elapsed_s)
        return completion

    def yes_no(self, prompt: Prompt) -> float:
        """As the writer's own; recorded."""
        started = time.perf_counter()
        log_odds = self._llm.yes_no(prompt)
        self._trace.add("yes-no", _prompt_inputs(prompt), log_odds, time.perf_counter() - started)
        return log_odds

    def room(self, prompt: Prompt) -> int:
        """As the writer's own; not recorded, it only counts."""
        return self._llm.room(prompt)


class RecordedEntailment:
    """An entailment model whose judgements go into a trace."""

    def __init__(self, model: EntailmentModel, trace: Trace) -> None:
        self.id = model.id
        self._model, self._trace = model, trace

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """As the model's own; recorded pair by pair."""
        started = time.perf_counter()
        probabilities = self._model.entail(pairs)
        elapsed_s = time.perf_counter() - started
        for (premise, hypothesis), probability in zip(pairs, probabilities, strict=True):
            self._trace.add("entail", {"premise": premise, "hypothesis": hypothesis}, probability, elapsed_s)
        return probabilities


def recorded_search(query: str, k: int, passages: Sequence[Passage], elapsed_s: float, trace: Trace) -> None:
    """Record a search with the ids and scores of what it found."""
    found = [[passage.index, passage.chunk.id, round(passage.score, 6)] for passage in passages]
    trace.add("search", {"query": query, "k": k}, found, elapsed_s)

"""What an episode remembers of itself: every model call, search and gate as a `Step`, every chunk that came up once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from drzero.errors import DrZeroError
from drzero.text import content_id
from drzero.types import LLM, Chunk, Completion, EntailmentModel, Passage, Prompt, Step

T = TypeVar("T")


@dataclass(slots=True)
class Trace:
    """The steps of one episode as they happen; `stage` is the stage under way, `chunks` all that came up, by id."""

    stage: str = "proposed"
    steps: list[Step] = field(default_factory=list)
    chunks: dict[str, Chunk] = field(default_factory=dict)

    def add(self, name: str, inputs: dict[str, Any], output: Any, elapsed_s: float = 0.0) -> None:
        """Record what the episode itself worked out in the stage under way; inputs and output must be JSON values."""
        self.steps.append(Step(self.stage, name, inputs, output, elapsed_s))

    def take(
        self,
        name: str,
        inputs: dict[str, Any],
        call: Callable[[], T],
        *,
        dump: Callable[[T], Any] | None = None,
        load: Callable[[Any], T] | None = None,
    ) -> T:
        """What `call` gets from outside the episode, recorded with its `inputs` (JSON values) and the time it took.

        `dump` makes JSON values and tuples of it, and `load` makes it anew of those, which is what is returned, so that
        a replay works with the very same. Without them it may be made of JSON values, tuples, chunks and passages. An
        error that it raises (`ValueError` or `DrZeroError`) is recorded too.
        """
        dump, load = dump or self._dump, load or self._load
        started = time.perf_counter()
        try:
            value = call()
        except (ValueError, DrZeroError) as error:
            self._record(name, inputs, raised(error), time.perf_counter() - started)
            raise
        output = dump(value)
        self._record(name, inputs, output, time.perf_counter() - started)
        return load(output)

    def take_each(self, name: str, inputs: Sequence[dict[str, Any]], call: Callable[[], Sequence[T]]) -> list[T]:
        """As `take` of one call that gives a JSON value for each of the `inputs`: as many steps, the time shared."""
        started = time.perf_counter()
        try:
            values = call()
        except (ValueError, DrZeroError) as error:
            for each in inputs:
                self._record(name, each, raised(error), time.perf_counter() - started)
            raise
        elapsed_s = (time.perf_counter() - started) / max(len(inputs), 1)
        for each, value in zip(inputs, values, strict=True):
            self._record(name, each, value, elapsed_s)
        return list(values)

    def keep(self, chunk: Chunk) -> str:
        """The id by which steps name `chunk`; its text is kept once."""
        self.chunks.setdefault(chunk.id, chunk)
        return chunk.id

    def _record(self, name: str, inputs: dict[str, Any], output: Any, elapsed_s: float) -> None:
        self.steps.append(Step(self.stage, name, inputs, output, round(elapsed_s, 6), outside=True))

    def _dump(self, value: Any) -> Any:
        """Chunks and passages by their ids: {"chunk": id}, {"passage": [index, id, score, rank]}; all else stays."""
        match value:
            case Chunk():
                return {"chunk": self.keep(value)}
            case Passage(chunk, score, rank, index):
                return {"passage": [index, self.keep(chunk), float(score), rank]}
            case list() | tuple():
                return type(value)(self._dump(item) for item in value)
            case dict():
                return {key: self._dump(item) for key, item in value.items()}
        return value

    def _load(self, output: Any) -> Any:
        match output:
            case {"chunk": str(id_)} if len(output) == 1:
                return self.chunks[id_]
            case {"passage": [str(index), str(id_), score, int(rank)]} if len(output) == 1:
                return Passage(self.chunks[id_], score, rank, index)
            case list() | tuple():
                return type(output)(self._load(item) for item in output)
            case dict():
                return {key: self._load(item) for key, item in output.items()}
        return output


def dump_ranked(passages: Sequence[Passage], trace: Trace) -> list[list[Any]]:
    """Passages in the order of their ranks as [index, chunk id, score] each."""
    return [[passage.index, trace.keep(passage.chunk), float(passage.score)] for passage in passages]


def load_ranked(output: Sequence[Sequence[Any]], trace: Trace) -> list[Passage]:
    """What `dump_ranked` made, as passages again."""
    return [Passage(trace.chunks[id_], score, rank, index) for rank, (index, id_, score) in enumerate(output, 1)]


# --- errors from outside --------------------------------------------------------------------------------------------


def raised(error: Exception) -> dict[str, str]:
    """An error for the record, by the name of its nearest class that a replay can make anew."""
    known = _errors()
    name = next((kind.__name__ for kind in type(error).__mro__ if known.get(kind.__name__) is kind), "ValueError")
    return {"raised": name, "message": str(error)}


def raise_again(output: Any) -> None:
    """Raise the error that `raised` recorded; does nothing for any other output."""
    match output:
        case {"raised": str(name), "message": str(message)} if len(output) == 2:
            raise _errors().get(name, ValueError)(message)


def _errors() -> dict[str, type[Exception]]:
    kinds: list[type[Exception]] = [ValueError, DrZeroError]
    for kind in kinds:  # grows on the way
        kinds += kind.__subclasses__() if kind is not ValueError else []
    return {kind.__name__: kind for kind in kinds}


# --- models ---------------------------------------------------------------------------------------------------------


def _prompt_inputs(prompt: Prompt) -> dict[str, Any]:
    """A prompt for the record: its last message in full, the fixed part before it as a hash."""
    return {"prompt": prompt.name, "head": _hash(prompt.messages[:-1]), "content": prompt.messages[-1][1]}


def _hash(messages: Sequence[tuple[str, str]]) -> str:
    return content_id(*(part for message in messages for part in message))


def _dump_completion(completion: Completion) -> dict[str, Any]:
    text = completion.text
    return {
        "text": text,
        "finish": completion.finish,
        "prompt_tokens": completion.prompt_tokens,
        "completion_tokens": completion.completion_tokens,
        "well_formed": completion.finish == "stop" and bool(text.strip()) and text == " ".join(text.split()),
    }


def _load_completion(output: dict[str, Any]) -> Completion:
    """The time is with the step and not in what is loaded, so that nothing can depend on it."""
    return Completion(
        output["text"], output["finish"], output["prompt_tokens"], output["completion_tokens"], elapsed_s=0.0
    )


class RecordedLLM:
    """A writer whose calls go into a trace."""

    def __init__(self, llm: LLM, trace: Trace) -> None:
        self.id = llm.id
        self._llm, self._trace = llm, trace

    def complete(
        self, prompt: Prompt, *, grammar: str = "", seed: int = 0, max_tokens: int = 256, temperature: float = 0.0
    ) -> Completion:
        """As the writer's own; recorded with its seed and raw output."""
        return self._trace.take(
            "complete",
            _prompt_inputs(prompt) | {"seed": seed, "max_tokens": max_tokens, "temperature": temperature},
            lambda: self._llm.complete(
                prompt, grammar=grammar, seed=seed, max_tokens=max_tokens, temperature=temperature
            ),
            dump=_dump_completion,
            load=_load_completion,
        )

    def yes_no(self, prompt: Prompt) -> float:
        """As the writer's own; recorded."""
        return self._trace.take("yes-no", _prompt_inputs(prompt), lambda: float(self._llm.yes_no(prompt)))

    def room(self, prompt: Prompt) -> int:
        """As the writer's own; recorded, the prompt by its hash alone."""
        inputs = {"prompt": prompt.name, "messages": _hash(prompt.messages)}
        return self._trace.take("room", inputs, lambda: self._llm.room(prompt))


class RecordedEntailment:
    """An entailment model whose judgements go into a trace."""

    def __init__(self, model: EntailmentModel, trace: Trace) -> None:
        self.id = model.id
        self._model, self._trace = model, trace

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """As the model's own; recorded pair by pair."""
        inputs = [{"premise": premise, "hypothesis": hypothesis} for premise, hypothesis in pairs]
        return self._trace.take_each("entail", inputs, lambda: [float(each) for each in self._model.entail(pairs)])

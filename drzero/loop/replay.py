"""An episode run again: from its record alone, with no model, or with the models asked anew.

From the record each thing that came from outside is given back as it was recorded, in the same order, while all that
the episode works out itself - gates, checks, verdicts, scores, vector - is worked out anew and compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, NoReturn, TypeVar

from drzero.loop import metrics
from drzero.loop.agreement import agrees
from drzero.loop.desk import Options, Slot, Tools
from drzero.loop.episode import outcome, run_episode
from drzero.loop.evaluate import evaluate
from drzero.loop.solve import shelf_names
from drzero.loop.trace import Trace, raise_again
from drzero.loop.verify import verify
from drzero.profiles import Profile
from drzero.types import Attempt, Challenge, Completion, Episode, Prompt, Step

T = TypeVar("T")

_UNCOMPARED = {"elapsed_s", "created_at", "chunks", "conditions", "steps"}  # steps are compared on their own
_MODELS = {"complete", "yes-no", "room", "entail"}


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that came out otherwise; `where` is its place in the episode, such as `attempts[0].right`."""

    where: str
    recorded: Any
    now: Any


@dataclass(frozen=True, slots=True)
class Replay:
    """What running an episode again showed. `steps` counts those that were given back or asked anew.

    `extent` is "whole", or "attempts" where the record suffices only for verdicts and scores of the attempts, which
    `note` then says in a sentence.
    """

    episode: str
    status: str
    extent: Literal["whole", "attempts"]
    steps: int
    differences: tuple[Difference, ...]
    note: str = ""

    @property
    def same(self) -> bool:
        """Whether all came out as recorded."""
        return not self.differences


class Diverged(Exception):
    """The episode asks for something else than was `recorded` next, so its record cannot answer any longer."""

    def __init__(self, recorded: str, now: str) -> None:
        super().__init__(f"{recorded} was recorded, now {now} is asked for")
        self.recorded, self.now = recorded, now


def from_record(episode: Episode, profile: Profile, options: Options, known: Sequence[str]) -> Replay:
    """Run `episode` again with nothing but its record; `known` are the questions that had been asked before it.

    Where it takes another course than was recorded, its attempts are still verified and scored again.
    """
    trace = Recorded(episode)
    models = dict(episode.models)
    writer, judge = _Absent(models["writer"]), _Absent(models["entailment"])
    tools = replace(Tools(writer, judge, writer, writer), **plain_tools(episode))
    try:
        again = run_episode(_slot(episode, profile), tools, options, known, trace)
    except Diverged as diverged:
        course = next(
            (one for one in differences_of_steps(episode.steps, trace.steps) if one.where != "steps"),
            Difference(f"steps[{len(trace.steps)}]", diverged.recorded, diverged.now),
        )
        rest = attempts_from_record(episode, profile, options, tools.language)
        return replace(rest, steps=trace.given, differences=(course, *rest.differences), note=_ANOTHER_COURSE)
    return Replay(episode.id, episode.status, "whole", trace.given, tuple(differences(episode, again)))


def with_models(episode: Episode, profile: Profile, tools: Tools, options: Options, known: Sequence[str]) -> Replay:
    """Run `episode` again with the models of `tools`; all else is as recorded wherever the same is asked for."""
    trace = Anew(episode)
    again = run_episode(_slot(episode, profile), tools, options, known, trace)
    taken = sum(step.outside for step in trace.steps)
    return Replay(episode.id, episode.status, "whole", taken, tuple(differences(episode, again)))


def attempts_from_record(episode: Episode, profile: Profile, options: Options, language: str) -> Replay:
    """Verify and score the attempts of `episode` again, with the judgements of its record. For any episode."""
    told = _Told(episode.steps)
    found: list[Difference] = []
    again = episode
    if episode.challenge and episode.attempts:
        score = _Scorer(episode.challenge, profile, options, language, told)
        attempts = []
        for number, attempt in enumerate(episode.attempts):
            try:
                attempts.append(score(attempt))
            except KeyError as missing:
                attempts.append(attempt)
                found.append(Difference(f"attempts[{number}].verdict", "no judgement of this pair", missing.args[0]))
        again = replace(episode, attempts=tuple(attempts), **outcome(attempts, episode.challenge.question))
    again = replace(again, metrics=metrics.vector(again, caps=options.caps))
    found += differences(episode, again)
    return Replay(episode.id, episode.status, "attempts", len(told.pairs), tuple(found), _OLDER)


_OLDER = (
    "Its record lacks what came from outside, as that of an older drzero does, or of an episode that an error ended: "
    "the verdicts and scores of its attempts and its vector were worked out again, its proposals and answers were not."
)
_ANOTHER_COURSE = (
    "It takes another course now than was recorded, as after a change of the program or its prompts: from there on "
    "only the verdicts and scores of its attempts and its vector were worked out again."
)


def plain_tools(episode: Episode) -> dict[str, Any]:
    """What its record holds of the tools that are no tools but values; see `Tools.plain`."""
    known = {field.name for field in fields(Tools)}
    return {name: value for name, value in episode.conditions.get("tools", {}).items() if name in known}


def _slot(episode: Episode, profile: Profile) -> Slot:
    kind = profile.type(episode.conditions["type"])
    return Slot(episode.run, episode.iteration, episode.number, episode.seed, profile, kind, episode.level)


class _Told:
    """An entailment model that only repeats what it said; KeyError for a pair that it was not asked."""

    id = "record"

    def __init__(self, steps: Sequence[Step]) -> None:
        self.pairs = {  # a pair may have been judged for a proposal, too
            (step.inputs["premise"], step.inputs["hypothesis"]): step.output
            for step in sorted(steps, key=lambda step: step.stage == "verified")
            if step.name == "entail" and "premise" in step.inputs
        }
        self._given = {step.inputs["code"]: step.output for step in steps if step.name == "run"}

    def run(self, code: str) -> str | None:
        """What a piece of code gave; None for one that was not run."""
        return self._given.get(code)

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [self.pairs[pair] for pair in pairs]


@dataclass(frozen=True, slots=True)
class _Scorer:
    """Verifies and scores attempts at one challenge again."""

    challenge: Challenge
    profile: Profile
    options: Options
    language: str
    told: _Told

    def __call__(self, attempt: Attempt) -> Attempt:
        answer, challenge = attempt.answer, self.challenge
        verdict = verify(
            answer,
            attempt.passages,
            self.told,
            self.options.thresholds,
            question=challenge.question,
            shelf=shelf_names(attempt.passages, code=self.profile.keeps_code),
            language=self.language,
        )
        right = not answer.abstained and agrees(answer.text, challenge.answer, challenge.question, challenge.aspects)
        evaluation = evaluate(challenge, answer, verdict, self.profile, attempt.passages, run=self.told.run)
        return replace(attempt, verdict=verdict, evaluation=evaluation, right=right)


# --- what stands in for the world -----------------------------------------------------------------------------------


class Recorded(Trace):
    """A trace that calls nothing: each thing asked for is the next one recorded. Raises `Diverged` if it is not."""

    def __init__(self, episode: Episode) -> None:
        super().__init__(chunks={chunk.id: chunk for chunk in episode.chunks})
        self.given = 0
        self._outside = [step for step in episode.steps if step.outside]

    def take(
        self,
        name: str,
        inputs: dict[str, Any],
        call: Callable[[], T],  # noqa: ARG002
        *,
        dump: Callable[[T], Any] | None = None,  # noqa: ARG002
        load: Callable[[Any], T] | None = None,
    ) -> T:
        """The next recorded output of this name, whatever its inputs were: those are compared with the rest."""
        output = self._next(name, inputs)
        raise_again(output)
        return (load or self._load)(output)

    def take_each(self, name: str, inputs: Sequence[dict[str, Any]], call: Callable[[], Sequence[T]]) -> list[T]:  # noqa: ARG002
        """As `take`, one by one."""
        outputs = [self._next(name, each) for each in inputs]
        for output in outputs:
            raise_again(output)
        return outputs

    def _next(self, name: str, inputs: dict[str, Any]) -> Any:
        if self.given == len(self._outside):
            raise Diverged("the end", name)
        step = self._outside[self.given]
        if step.name != name:
            raise Diverged(step.name, name)
        self.given += 1
        self._record(name, inputs, step.output, 0.0)
        return step.output


class Anew(Trace):
    """A trace that calls the models, and all else only where the record has nothing for the same name and inputs."""

    def __init__(self, episode: Episode) -> None:
        super().__init__(chunks={chunk.id: chunk for chunk in episode.chunks})
        self._left = [step for step in episode.steps if step.outside and step.name not in _MODELS]

    def take(
        self,
        name: str,
        inputs: dict[str, Any],
        call: Callable[[], T],
        *,
        dump: Callable[[T], Any] | None = None,
        load: Callable[[Any], T] | None = None,
    ) -> T:
        """The first recorded output of this name for these inputs that was not taken yet, else what `call` gets."""
        place = next((i for i, step in enumerate(self._left) if (step.name, step.inputs) == (name, inputs)), None)
        if place is None:
            return super().take(name, inputs, call, dump=dump, load=load)
        output = self._left.pop(place).output
        self._record(name, inputs, output, 0.0)
        raise_again(output)
        return (load or self._load)(output)


class _Absent:
    """A tool that is never reached, since a `Recorded` trace answers in its place."""

    def __init__(self, id_: str) -> None:
        self.id = id_

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise AssertionError("a replay asks no tool")

    def complete(self, *_: Any, **__: Any) -> Completion:
        return self._refuse()

    def yes_no(self, prompt: Prompt) -> float:
        return self._refuse(prompt)

    def room(self, prompt: Prompt) -> int:
        return self._refuse(prompt)

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return self._refuse(pairs)

    def __call__(self, *_: Any) -> Any:
        return self._refuse()


# --- comparing ------------------------------------------------------------------------------------------------------


def differences(recorded: Episode, again: Episode) -> Iterator[Difference]:
    """All that came out otherwise, times and dates aside: the outcome first, then the steps."""
    yield from _unlike(recorded, again, "")
    yield from differences_of_steps(recorded.steps, again.steps)


def differences_of_steps(recorded: Sequence[Step], again: Sequence[Step]) -> Iterator[Difference]:
    """How the steps differ, up to the first one that is another act: what follows it is another course."""
    for number, (old, new) in enumerate(zip(recorded, again, strict=False)):
        where = f"steps[{number}]"
        if (old.stage, old.name) != (new.stage, new.name):
            yield Difference(where, f"{old.stage}: {old.name}", f"{new.stage}: {new.name}")
            return
        yield from _unlike(old.inputs, new.inputs, f"{where} {old.name}.inputs")
        yield from _unlike(old.output, new.output, f"{where} {old.name}.output")
    if len(recorded) != len(again):
        yield Difference("steps", len(recorded), len(again))


def _unlike(old: Any, new: Any, where: str) -> Iterator[Difference]:
    if is_dataclass(old) and not isinstance(old, type) and type(old) is type(new):
        for name in (field.name for field in fields(old) if field.name not in _UNCOMPARED):
            yield from _unlike(getattr(old, name), getattr(new, name), f"{where}.{name}" if where else name)
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from _unlike(old.get(key), new.get(key), f"{where}.{key}")
    elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _unlike(one, other, f"{where}[{number}]")
    elif old != new and not (_is_nan(old) and _is_nan(new)):
        yield Difference(where, old, new)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)

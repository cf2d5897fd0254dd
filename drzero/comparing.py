"""What the loop learnt, measured: challenges that were set aside, asked again under several states."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from drzero.answering import Workbench, workbench
from drzero.config import Settings
from drzero.errors import DrZeroError
from drzero.improving import Learner, desk_for, first_attempt, options_of, proposes
from drzero.kb.entries import full_id
from drzero.kb.episodes import runs as list_runs
from drzero.kb.schema import open_knowledge_base
from drzero.loop import prompts
from drzero.loop.desk import Desk, Tools
from drzero.loop.improving.outcomes import Figures, Outcome, compare_states
from drzero.loop.improving.state import COMPETING, NOTHING, PARTS, Improvement
from drzero.pipeline import ShowProgress, make_ready
from drzero.profiles import Profile
from drzero.results import CompareOptions
from drzero.types import LLM, Challenge, Completion, Progress, Prompt
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database


def measure_evolve(
    workspace: Workspace,
    settings: Settings,
    options: CompareOptions,
    *,
    progress: ShowProgress = lambda _: None,
) -> Figures:
    """The challenges set aside for testing, asked again under what several runs had learnt; see `compare_states`.

    Without runs: under nothing learnt, and under what the whole knowledge base teaches today, parts that are switched
    off in the settings too; `without` and `only` add that with parts of it (`loop.improving.state.PARTS`) left out or
    alone, and `wordings` nothing but another wording of a prompt. `learnt` among the figures says what each
    state rests on, `challenges` how each challenge came out. Raises DrZeroError when nothing was set aside, or for a
    run that is unknown, of another profile, or kept nothing.
    """
    ready = make_ready(workspace, settings, options.indexes)
    with closing(open_knowledge_base(workspace.database, create=False)) as db:
        runs = [_run_of(db, id_, ready.profile.name) for id_ in options.runs]
        with workbench(workspace, settings, ready) as bench:
            chosen = replace(options, runs=tuple(runs))
            return compare_learnt(db, bench, settings, chosen, profile=ready.profile, progress=progress)


def _run_of(db: Database, id_: str, profile: str) -> str:
    id_ = full_id(db, "runs", id_)
    other = next(run.profile for run in list_runs(db) if run.id == id_)
    if other != profile:
        raise DrZeroError(f"Run {id_} is of the profile {other}, not {profile}: name it with --profile.")
    return id_


def compare_learnt(
    db: Database,
    bench: Workbench,
    settings: Settings,
    options: CompareOptions,
    *,
    profile: Profile,
    progress: ShowProgress = lambda _: None,
) -> Figures:
    """`measure_evolve` with everything loaded."""
    all_of_it = replace(
        settings.improve,
        examples=max(settings.improve.examples, 1),
        trials=max(settings.improve.trials, 1),
        search=1,
        confidence=1,
    )
    learner = Learner(
        db,
        all_of_it,
        profile=profile,
        writer=bench.llm.id,
        archives=bench.ids,
        find=bench.find,
        reads_freely=not bench.proposes,
    )
    states = _states(learner, options, settings.improve.held_out)
    records = learner.set_aside("test") + (learner.set_aside("try") if options.with_tried else [])
    records = records[: options.limit]
    if not records:
        raise DrZeroError(
            "No challenge of these archives has been set aside for testing yet: run `drzero evolve` for longer."
        )
    questions = options.questions and bench.proposes  # what only reads has no questions to be counted
    judge = bench.judge_for(settings)
    writer = Remembering(bench.llm)
    tools = Tools(writer, judge.entailment, bench.retrieve, lambda _: records[0].challenge.gold[0], bench.language)
    started, done, outcomes = time.monotonic(), 0, {name: list[Outcome]() for name in states}
    for record in records:
        for name, state in states.items():

            def desk(state: Improvement = state, challenge: Challenge = record.challenge) -> Desk:
                return desk_for(
                    challenge,
                    state,
                    tools=tools,
                    options=options_of(settings, judge, challenge.level),
                    profile=profile,
                    find=bench.find,
                )

            outcomes[name].append(_outcome(record.challenge, desk, writer, questions=questions))
            done += 1
            progress(Progress.at(done, len(records) * len(states), "challenges", time.monotonic() - started, name))
    figures = compare_states(outcomes)
    learnt = {name: state.summary() for name, state in states.items()}
    asked = [
        {"id": one.challenge.id, "question": one.challenge.question, "status": one.status}
        | {"solved": {name: outcomes[name][at].solved for name in states}}
        for at, one in enumerate(records)
    ]
    return figures | {"learnt": learnt, "challenges": asked, "elapsed_s": time.monotonic() - started}


def _states(learner: Learner, options: CompareOptions, held_out: int) -> dict[str, Improvement]:
    """What to compare, by name, the first the one that all others are held against."""
    states: dict[str, Improvement] = {}
    for run in options.runs:
        after = learner.after(run)
        if after is None:
            raise DrZeroError(f"Run {run} kept nothing of what it learnt: it is of an older drzero; make a new run.")
        if after.held_out != held_out:
            raise DrZeroError(
                f"Run {run} learnt with improve.held_out = {after.held_out or 'unknown'}, not {held_out}, from "
                "challenges that are now for testing: set it to what it was, or make a new run."
            )
        states[f"run {run}"] = after
    if len(options.runs) > 1 and not (options.without or options.only or options.wordings):
        return states
    now = learner.learn()
    states = {"nothing": NOTHING} | states | ({} if options.runs else {"all": now})
    states |= {f"without {part}": now.without(part) for part in options.without}
    states |= {f"only {part}": now.without(*(one for one in PARTS if one != part)) for part in options.only}
    return states | {name: NOTHING.with_wording(*_wording(name)) for name in options.wordings}


def _wording(name: str) -> tuple[str, str]:
    """A prompt and its variant by their name; DrZeroError for one that there is not."""
    known = [f"{prompt}/{variant}" for prompt in COMPETING for variant in prompts.variants(prompt)[1:]]
    if name not in known:
        raise DrZeroError(f"There is no wording {name}: choose one of {', '.join(known)}.")
    prompt, _, variant = name.partition("/")
    return prompt, variant


def _outcome(challenge: Challenge, desk_of: Callable[[], Desk], writer: Remembering, *, questions: bool) -> Outcome:
    before, desk = writer.tokens, desk_of()
    attempt = first_attempt(desk, challenge)
    answer, read = attempt.answer, {passage.chunk.id for passage in attempt.passages}
    supported = attempt.verdict.accepted
    return Outcome(
        challenge=challenge.id,
        solved=supported and attempt.right,
        right=attempt.right,
        supported=supported,
        abstained=answer.abstained,
        score=attempt.evaluation.overall if supported and attempt.right else 0.0,
        found=all(chunk.id in read for chunk in challenge.gold),
        confidence=answer.confidence,
        believed=desk.believed(answer.confidence),
        tokens=writer.tokens - before,
        proposed=proposes(desk_of(), challenge) if questions else None,
    )


class Remembering:
    """A writer that is asked nothing twice, so that states which differ in nothing do not differ by chance either.

    `tokens` counts those of all completions, remembered ones too.
    """

    def __init__(self, llm: LLM) -> None:
        self.id, self.tokens = llm.id, 0
        self._llm = llm
        self._completions: dict[tuple[Prompt, str, int, int, float], Completion] = {}
        self._odds: dict[Prompt, float] = {}

    def complete(
        self, prompt: Prompt, *, grammar: str = "", seed: int = 0, max_tokens: int = 256, temperature: float = 0.0
    ) -> Completion:
        """As the writer's own."""
        key = (prompt, grammar, seed if temperature else 0, max_tokens, temperature)
        if key not in self._completions:
            self._completions[key] = self._llm.complete(
                prompt, grammar=grammar, seed=seed, max_tokens=max_tokens, temperature=temperature
            )
        said = self._completions[key]
        self.tokens += said.prompt_tokens + said.completion_tokens
        return said

    def yes_no(self, prompt: Prompt) -> float:
        """As the writer's own."""
        if prompt not in self._odds:
            self._odds[prompt] = self._llm.yes_no(prompt)
        return self._odds[prompt]

    def room(self, prompt: Prompt) -> int:
        """As the writer's own."""
        return self._llm.room(prompt)

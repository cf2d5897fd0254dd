"""`episodes export`: what was tried, as data to train and to measure models."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from typing import TYPE_CHECKING

from drzero import __version__
from drzero.datasets import drawing
from drzero.datasets.card import card
from drzero.datasets.metric_table import WRITERS, refuse_table
from drzero.datasets.values import SIDES, Dataset, Drawn, ExportOptions
from drzero.datasets.writing import sentence_of_split, write_lines
from drzero.errors import KnowledgeBaseError, SettingsError
from drzero.exporting import sources_of
from drzero.kb.entries import full_id, question_key
from drzero.kb.exported import archive_rows, unchanging
from drzero.kb.selected import iter_candidates, iter_vectors, repeated_questions, whole_episode
from drzero.pipeline import ShowProgress
from drzero.profiles import load_profile
from drzero.publishing import new_file, new_folder, refuse_file, refuse_folder
from drzero.records import knowledge_base
from drzero.types import Episode, Progress
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

_UNREADABLE = "its trace is missing or of a form that this drzero does not read"


def export(workspace: Workspace, options: ExportOptions, progress: ShowProgress) -> Dataset:
    """Write the episodes asked for to `options.output`, whole or not at all.

    KnowledgeBaseError where no episode fits or none gives a line, OutputFault where something else is in that place.
    """
    started = time.monotonic()
    _refuse_output(options)
    with knowledge_base(workspace) as db, unchanging(db):
        if options.run:
            options = _of_whole_run(db, options)
        work = _Work(db, options, progress, started)
        return _write_table(work) if options.format == "metrics" else _write_lines(work, workspace)


def _of_whole_run(db: Database, options: ExportOptions) -> ExportOptions:
    return replace(options, run=full_id(db, "runs", options.run))


def _made(options: ExportOptions) -> str:
    return f"drzero episodes export --format {options.format}"


def _refuse_output(options: ExportOptions) -> None:
    if options.format == "metrics":
        refuse_table(options.output)
        refuse_file(options.output, force=options.force)
    else:
        refuse_folder(options.output, _made(options))


class _Work:
    """One export under way: what it reads, and what it leaves out and why."""

    def __init__(self, db: Database, options: ExportOptions, progress: ShowProgress, started: float) -> None:
        self.db, self.options, self.started = db, options, started
        self.left_out: Counter[str] = Counter()
        self.episodes = 0
        self._progress = progress
        self._total = sum(1 for _ in iter_candidates(db, run=options.run, profile=options.profile))
        if not self._total:
            raise KnowledgeBaseError(
                "No episode fits, so there is nothing to export: see what was tried with `drzero episodes list`, "
                "or ask for other runs and profiles."
            )

    def tell(self) -> None:
        """One more episode was looked at."""
        self.episodes += 1
        self._progress(Progress.at(self.episodes, self._total, "episodes", self.elapsed_s))

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def drawn(self) -> Iterator[Drawn]:
        """The lines of all episodes that have something to teach."""
        repeated = repeated_questions(self.db) if self.options.format == "dpo" else {}
        for one in iter_candidates(self.db, run=self.options.run, profile=self.options.profile):
            self.tell()
            if one.status != "accepted":
                self.left_out[f"{one.status}: no answer of it was accepted"] += 1
                continue
            if one.doubt:
                self.left_out[f"its entry is {one.doubt}"] += 1
                continue
            episode = whole_episode(self.db, one.id)
            reason = drawing.why_not(episode) if episode else _UNREADABLE
            if episode is None or reason:
                self.left_out[reason] += 1
                continue
            yield from self._lines(episode, repeated.get(question_key(one.question), ()))

    def _lines(self, episode: Episode, alike: tuple[str, ...]) -> Iterator[Drawn]:
        match self.options.format:
            case "sft":
                yield from drawing.draw_answers(episode)
                if self.options.questions:
                    yield from drawing.draw_questions(episode, _asks(episode.profile, episode.type))
            case "rl":
                yield from drawing.draw_rewards(episode)
            case _:
                others = (whole_episode(self.db, id_) for id_ in alike if id_ != episode.id)
                pairs = list(drawing.draw_pairs(episode, (one for one in others if one), self._no_pair))
                if not pairs:
                    self.left_out["no refused answer to its question"] += 1
                yield from pairs

    def _no_pair(self, reason: str) -> None:
        self.left_out[f"answer makes no pair: {reason}"] += 1


@cache
def _asks(profile: str, kind: str) -> str:
    """What a profile wants of a question of a type; "" where the profile is not here or has no such type."""
    try:
        types = load_profile(profile).types
    except SettingsError:
        return ""
    return next((one.asks for one in types if one.name == kind), "")


def _write_table(work: _Work) -> Dataset:
    options = work.options

    def told() -> Iterator[dict[str, object]]:
        for row in iter_vectors(work.db, run=options.run, profile=options.profile):
            work.tell()
            yield row

    with new_file(options.output, force=options.force) as place:
        lines = WRITERS[options.output.suffix.lower()](place, told())
    files = (options.output.name,)
    return Dataset(options.format, str(options.output), files, lines, work.episodes, elapsed_s=work.elapsed_s)


def _write_lines(work: _Work, workspace: Workspace) -> Dataset:
    options = work.options
    cited = frozenset(str(row["id"]) for row in archive_rows(work.db))
    sources = {id_: asdict(one) for id_, one in sources_of(work.db, workspace, cited).items()}
    with new_folder(options.output, _made(options)) as folder:
        share, seed = options.test_share, options.split_seed
        split, tally = write_lines(folder, work.drawn(), sources, share=share, seed=seed)
        left_out = tuple(sorted(work.left_out.items(), key=lambda one: (-one[1], one[0])))
        if not split.train + split.test:
            raise KnowledgeBaseError(f"No episode gives a line of {options.format}{_why(left_out)}.")
        text = card(options, split, tally, sources, episodes=work.episodes, left_out=left_out, version=__version__)
        (folder / "README.md").write_text(text, encoding="utf-8", newline="\n")
        files = tuple(f"{side}.jsonl" for side in SIDES if getattr(split, side))
    unlicensed = sorted(
        str(sources.get(id_, {}).get("name") or id_)
        for id_ in {zim_id for zim_id, _ in tally.archives}
        if not sources.get(id_, {}).get("licence")
    )
    notes = [sentence_of_split(split, options.test_share)] * bool(sentence_of_split(split, options.test_share))
    if unlicensed:
        notes.append(f"No licence is known for {', '.join(unlicensed)}: find it before you pass the lines on.")
    return Dataset(
        options.format,
        str(options.output),
        (*files, "README.md"),
        split.train + split.test,
        work.episodes,
        split,
        left_out,
        tuple(notes),
        work.elapsed_s,
    )


def _why(left_out: tuple[tuple[str, int], ...]) -> str:
    told = "; ".join(f"{reason} ({count:,})" for reason, count in left_out[:4])
    return f" ({told}): ask more with `drzero evolve`" if told else ": ask more with `drzero evolve`"

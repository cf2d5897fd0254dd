#!/usr/bin/env python
"""What an entry costs: model tokens and seconds, by prompt; the time outside the model; what the writer's memory saves.

    .venv/bin/python scripts/bench_evolve.py --workspace ~/shelf --index wikipedia_en_ray_charles_maxi_2023-09

Runs the loop as `drzero evolve` does, over the indexes of a workspace, but keeps what it finds in a knowledge base of
its own, which is thrown away. Interrupted, it tells of what was done; then tokens and seconds hold the challenge under
way, too. Asked tokens are those of all prompts; what of them stood in the writer's context or
memory was not evaluated again. Prints Markdown.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from drzero.answering import workbench
from drzero.config import load_settings
from drzero.errors import DrZeroError, SettingsError
from drzero.evolving import run_loop
from drzero.kb.episodes import list_episodes
from drzero.kb.schema import open_knowledge_base
from drzero.models.llama import LlamaModel, Tally
from drzero.pipeline import make_ready
from drzero.results import EvolveOptions
from drzero.text import duration
from drzero.types import EpisodeSummary, Passage
from drzero.workspace import Workspace


def main() -> None:
    """Read the options, run, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--workspace", type=Path, default=Path(), help="whose indexes are asked about (%(default)s)")
    options.add_argument("--index", action="append", default=[], help="an index to use; may be repeated")
    options.add_argument("--profile", help="as drzero takes it")
    options.add_argument("--llm", help="writer, as drzero takes it")
    options.add_argument("--judge", help="judge, as drzero takes it")
    options.add_argument("--threads", type=int, help="processor threads")
    options.add_argument("--iterations", type=int, default=1, help="(%(default)s)")
    options.add_argument("--challenges", type=int, default=5, help="in each iteration (%(default)s)")
    options.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    given = options.parse_args()
    try:
        print(measured(given))
    except DrZeroError as error:
        options.error(str(error))


def measured(given: argparse.Namespace) -> str:
    """What the run comes to; see `report`. Raises DrZeroError."""
    workspace = Workspace(given.workspace.absolute())
    chosen = {
        "models.llm": given.llm,
        "models.judge": given.judge,
        "models.threads": given.threads,
        "loop.profile": given.profile,
        "loop.iterations": given.iterations,
        "loop.challenges": given.challenges,
    }
    settings = load_settings(workspace.root, {}, chosen)
    ready = make_ready(workspace, settings, tuple(given.index))
    if ready.writer is None:
        raise SettingsError("the bench counts the tokens of a writer: name one with --llm")
    searching_s = 0.0
    with (
        TemporaryDirectory() as folder,
        open_knowledge_base(Path(folder) / "knowledge.db") as db,
        workbench(workspace, settings, ready) as bench,
    ):

        def retrieve(query: str, k: int) -> list[Passage]:
            nonlocal searching_s
            started = time.perf_counter()
            found = bench.retrieve(query, k)
            searching_s += time.perf_counter() - started
            return found

        started = time.perf_counter()
        with suppress(KeyboardInterrupt):
            run_loop(
                db,
                replace(bench, retrieve=retrieve),
                settings,
                EvolveOptions(seed=given.seed, indexes=tuple(given.index), new_run=True),
                profile=ready.profile,
                progress=lambda _: None,
            )
        elapsed_s = time.perf_counter() - started
        if not isinstance(bench.llm, LlamaModel):
            raise SettingsError("the bench counts the tokens of a GGUF writer: name one with --llm")
        return report(list_episodes(db), bench.llm.tallies, searching_s=searching_s, elapsed_s=elapsed_s)


def report(
    tried: Sequence[EpisodeSummary], tallies: Mapping[str, Tally], *, searching_s: float, elapsed_s: float
) -> str:
    """A table of prompts, the one that took longest first, and what it comes to for an entry."""
    accepted = sum(episode.status == "accepted" for episode in tried)
    rejected = Counter(episode.reason for episode in tried if episode.status != "accepted")
    whole = sum(tallies.values(), Tally())
    rows = sorted(tallies.items(), key=lambda item: -item[1].seconds)
    lines = [
        "| prompt | calls | tokens asked | evaluated | written | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, tally in [*rows, ("all", whole)]:
        figures = (tally.calls, tally.asked_tokens, tally.evaluated_tokens, tally.written_tokens)
        lines.append(f"| {name} | {' | '.join(f'{figure:,}' for figure in figures)} | {tally.seconds:.1f} |")
    outside_s = elapsed_s - whole.seconds
    saved = whole.asked_tokens - whole.evaluated_tokens
    refused = ", ".join(f"{count} {reason}" for reason, count in rejected.most_common()) or "none"
    lines += [
        "",
        f"{accepted} entries of {len(tried)} challenges in {duration(elapsed_s)}; not accepted: {refused}.",
        f"Outside the model: {_share(outside_s, elapsed_s)} of the time, of it {searching_s:.1f} s searching and "
        f"{outside_s - searching_s:.1f} s the rest.",
        f"Prompt tokens that the writer's memory saved: {saved:,} of {whole.asked_tokens:,}, "
        f"{_share(saved, whole.asked_tokens)}.",
    ]
    if accepted:
        tokens, written = whole.evaluated_tokens + whole.written_tokens, whole.written_tokens
        lines.append(
            f"For each entry: {tokens / accepted:,.0f} model tokens, {written / accepted:,.0f} of them "
            f"written; {elapsed_s / accepted:.1f} s."
        )
    return "\n".join(lines)


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "–"


if __name__ == "__main__":
    main()

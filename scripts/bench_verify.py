#!/usr/bin/env python
"""How many claims a second each layer of the verifier judges, what it leaves, and how near the judge is to its limit.

    .venv/bin/python scripts/bench_verify.py ../shared/data/gold/verify_pairs_dev.jsonl

Every pair of the gold file becomes a claim that cites its passage in the article's own words, as the solver cites. The
layers are timed one after the other, each on what the ones before it left; cutting into parts counts to the facts. The
writer's limit is the rate at which it reads one long prompt: the last line says which share of that rate the tokens of
the pairs reach. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from drzero.answering import load_writer
from drzero.config import load_settings
from drzero.errors import DrZeroError
from drzero.evaluation import LabelledPair, load_pairs
from drzero.judges import load_judge
from drzero.loop import prompts
from drzero.loop.citations import citations_fault
from drzero.loop.quotes import quotes_fault
from drzero.loop.verify import Inquiry, inquire_pair, settle
from drzero.models.llama import LlamaModel
from drzero.pipeline import find_writer
from drzero.text import content_id
from drzero.types import LLM, Chunk, Citation, Claim, Passage, Prompt
from drzero.workspace import Workspace


def main() -> None:
    """Read the options, judge, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("gold", type=Path, help="labelled pairs, JSON lines")
    options.add_argument("--pairs", type=int, default=300, help="pairs to judge, spread over the file (%(default)s)")
    options.add_argument("--llm", help="writer, as drzero takes it")
    options.add_argument("--judge", help="judge, as drzero takes it")
    options.add_argument("--workspace", type=Path, default=Path(), help="where the models are named (%(default)s)")
    given = options.parse_args()
    pairs = load_pairs(given.gold)
    pairs = pairs[:: max(1, len(pairs) // given.pairs)][: given.pairs]
    workspace = Workspace(given.workspace.absolute())
    settings = load_settings(workspace.root, {}, {"models.llm": given.llm, "models.judge": given.judge})
    writers: list[LLM] = []

    def writer() -> LLM:
        writers.append(load_writer(find_writer(workspace, settings), settings))
        return writers[0]

    judge = load_judge(workspace, settings, writer)

    rows = []
    claims = [cited(pair) for pair in pairs]
    left, row = layer("citation", claims, lambda one: citations_fault(*one) is None)
    rows.append(row)
    left, row = layer("quote", left, lambda one: quotes_fault(*one) is None)
    rows.append(row)
    inquiries: list[Inquiry] = []

    def states_no_more(one: tuple[Claim, Sequence[Passage]]) -> bool:
        found = inquire_pair(one[0].text, one[1][0].chunk.text)
        if found.fault is None:
            inquiries.append(found)
        return found.fault is None

    left, row = layer("facts", left, states_no_more)
    rows.append(row)
    if len(inquiries) < 2:
        raise SystemExit("The cheap layers leave nothing for the judge: give a file with more supported pairs.")
    settle(inquiries[:1], judge.entailment, judge.thresholds)  # the rules and examples are read once
    began = time.perf_counter()
    judged = settle(inquiries[1:], judge.entailment, judge.thresholds)
    model_s = time.perf_counter() - began
    refused = sum(one.verdict != "supported" for one in judged)
    rows.append(("entailment", len(judged), refused, len(judged) / model_s))

    table(
        ("layer", "claims", "refused", "claims/s"),
        [(name, f"{n:,}", f"{gone:,}", f"{rate:,.1f}") for name, n, gone, rate in rows],
    )
    total_s = sum(n / rate for _, n, _, rate in rows)
    print(f"\nAll layers: {len(claims) / total_s:,.1f} claims/s.")
    llm = next(iter(writers), None)
    if isinstance(llm, LlamaModel):
        asked = [pair for one in inquiries[1:] for pair in one.pairs]
        tokens = sum(own_tokens(llm, prompts.judge(premise, claim)) for premise, claim in asked)
        limit = reading_rate(llm)
        print(
            f"The judge reads {tokens / len(asked):.0f} tokens a pair at {tokens / model_s:,.0f} tokens/s, "
            f"{tokens / model_s / limit:.2f} of the {limit:,.0f} tokens/s at which it reads one long prompt."
        )


def cited(pair: LabelledPair) -> tuple[Claim, Sequence[Passage]]:
    """The claim of a pair, citing its passage from end to end."""
    chunk = Chunk(content_id(pair.passage), "gold", pair.id, pair.id, (), pair.passage, 0, len(pair.passage))
    citation = Citation(1, "gold", "gold", pair.id, pair.id, (), chunk.id, pair.passage, 0, len(pair.passage))
    return Claim(pair.claim, (citation,)), (Passage(chunk, 1.0, 1, "gold"),)


def layer(
    name: str,
    claims: Sequence[tuple[Claim, Sequence[Passage]]],
    holds: Callable[[tuple[Claim, Sequence[Passage]]], bool],
) -> tuple[list[tuple[Claim, Sequence[Passage]]], tuple[str, int, int, float]]:
    """What the layer leaves, and its row: name, claims, refused, claims a second."""
    began = time.perf_counter()
    left = [one for one in claims if holds(one)]
    return left, (name, len(claims), len(claims) - len(left), len(claims) / (time.perf_counter() - began))


def own_tokens(llm: LlamaModel, prompt: Prompt) -> int:
    """The tokens of a prompt without its shared head."""
    head = Prompt(prompt.name, prompt.messages[: prompt.shared])
    return llm.room(head) - llm.room(prompt)


def reading_rate(llm: LlamaModel, *, times: int = 3) -> float:
    """Tokens a second of a prompt that fills a third of the context, read afresh; the best of some."""
    words = " ".join(f"{n} bottles" for n in range(llm.context_tokens // 12))
    rates = []
    for turn in range(times):
        prompt = Prompt("long", (("user", f"{turn} {words}"),))
        tokens = llm.context_tokens - llm.room(prompt)
        began = time.perf_counter()
        llm.yes_no(prompt)
        rates.append(tokens / (time.perf_counter() - began))
    return max(rates)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table."""
    for cells in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    try:
        main()
    except DrZeroError as fault:
        raise SystemExit(str(fault)) from fault

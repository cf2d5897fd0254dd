#!/usr/bin/env python
"""Raw proposals to label, what a writer thinks of them, and the combination of its judgements that fits the labels.

    .venv/bin/python scripts/fit_gates.py propose --indexes ~/drzero/indexes --model WRITER.gguf fresh.jsonl
    .venv/bin/python scripts/fit_gates.py show --zims ~/zims fresh.jsonl
    .venv/bin/python scripts/fit_gates.py judge --zims ~/zims --model WRITER.gguf fresh.jsonl
    .venv/bin/python scripts/fit_gates.py fit --zims ~/zims --model WRITER.gguf --save combination.json fresh.jsonl

A row has no text of an article but its question and answer: where sentence and span stand, and "keep" and "why" once
somebody has read it; "made_elsewhere" where another proposer chose the sentence, "mended" where today's would not make
the like any more. `propose` and `judge` go on where they stopped. `fit` reports on proposals that it was not fitted to,
fold by fold of articles; a proposal that the gates of code refuse is refused there, too.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import zlib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from drzero.config import Settings
from drzero.corpus.zim import open_archive
from drzero.errors import DrZeroError
from drzero.fitting import choose_threshold, fit
from drzero.judges import judge_of, signals_of_writer
from drzero.loop.calibration import Calibration, to_json
from drzero.loop.drafts import Draft, aspects_of
from drzero.loop.gates import answer_fault, question_fault
from drzero.loop.gates.signals import FEATURES, JUDGEMENTS, identity, log_odds
from drzero.loop.propose import premise, write_answer, write_question
from drzero.loop.seeds import find_seeds
from drzero.models.llama import LlamaModel, writer_id
from drzero.profiles import ChallengeType, load_profile
from drzero.retrieval.store import Store
from drzero.types import LLM, Chunk

Row = dict[str, Any]
PROFILES = {name: load_profile(name) for name in ("wikipedia", "coding")}
FOLDS = 5
DRAWS = 400  # chunks looked at for a seed of one type
NAMES = ("alone", "stated")


@cache
def text_of(zims: Path, archive: str, path: str) -> str:
    """An article's text."""
    article = open_archive(zims / f"{archive}.zim").article(path)
    if article is None:
        raise SystemExit(f"{archive} has no article {path}")
    return article.text


def draft_of(row: Row, zims: Path) -> tuple[Draft, ChallengeType]:
    """The draft that a row stands for; its chunk is the source sentence alone."""
    text = text_of(zims, row["archive"], row["path"])
    sentence, span = text[slice(*row["sentence"])], text[slice(*row["span"])]
    chunk = Chunk("", "", row["path"], row["title"], tuple(row["heading"]), sentence, *row["sentence"])
    draft = Draft(row["question"], row["answer"], row["type"], (chunk,), (sentence,), span, aspects_of(span, sentence))
    return draft, PROFILES[row["profile"]].type(row["type"])


def fault_of(row: Row, zims: Path) -> str:
    """The gate of code that refuses a row today, "" for none; "no-seed" where it would not be proposed any more."""
    draft, kind = draft_of(row, zims)
    code = PROFILES[row["profile"]].keeps_code
    if row.get("mended"):
        return "no-seed"
    if row.get("made_elsewhere"):
        offered = True
    else:
        after = text_of(zims, row["archive"], row["path"])[row["sentence"][1] :][:1]
        seeds = find_seeds(draft.gold[0], kind, docs=code)
        offered = (not after or after.isspace()) and any(seed.answer == draft.span for seed in seeds)
    if not offered:
        return "no-seed"
    return question_fault(draft, kind, code=code) or answer_fault(draft, code=code)


def read_off(draft: Draft) -> dict[str, float]:
    """What can be told of a draft without a model, as of today."""
    return {name: feature(draft) for name, feature in FEATURES.items()}


def read(path: Path) -> list[Row]:
    """The rows of a file, none where there is no file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def write(path: Path, rows: list[Row]) -> None:
    """The rows, one a line."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


# --- the four commands ----------------------------------------------------------------------------------------------


def propose(args: argparse.Namespace) -> None:
    """Add raw proposals, types and indexes in turn, until there are `--count` or the time is over."""
    rows, started = read(args.file), time.monotonic()
    folders = sorted(path.parent for path in args.indexes.glob("*/chunks.db"))
    llm = LlamaModel(args.model, threads=args.threads)
    for number in range(len(rows), args.count):
        if time.monotonic() - started > args.seconds:
            break
        folder = folders[number % len(folders)]
        profile = PROFILES["coding" if any(word in folder.name for word in args.coding) else "wikipedia"]
        kinds = [kind for kind in profile.types if kind.name != "multi-hop"]
        kind, code = kinds[number // len(folders) % len(kinds)], profile.keeps_code
        store, rng = Store(folder / "chunks.db"), random.Random(f"{args.seed}/{number}")
        chunks = (store.chunks([rng.randrange(store.count)])[0] for _ in range(DRAWS))
        seed = next((found[0] for chunk in chunks if (found := find_seeds(chunk, kind, docs=code))), None)
        if seed is None:
            continue
        draft = write_question(seed, kind, llm, code=code)
        if not question_fault(draft, kind, code=code):
            draft = write_answer(draft, llm, code=code)
        begin = seed.start + seed.sentence.index(seed.answer)
        chunk = seed.chunk
        row = {"archive": folder.name, "path": chunk.path, "title": chunk.title, "heading": chunk.heading}
        row |= {"profile": profile.name, "type": kind.name, "sentence": [seed.start, seed.end]}
        row |= {"span": [begin, begin + len(seed.answer)], "question": draft.question, "answer": draft.answer}
        write(args.file, [*read(args.file), row])


def show(args: argparse.Namespace) -> None:
    """Print every row with its source, to be read and labelled."""
    for number, row in enumerate(read(args.file)):
        draft, _ = draft_of(row, args.zims)
        print(f"{number} {row['type']} {fault_of(row, args.zims)}\n  {premise(draft)}\n  [{draft.span}]")
        print(f"  {draft.question}\n  {draft.answer}\n  {row.get('keep', '')} {row.get('why', '')}")


def signals_of(draft: Draft, llm: LLM, support: float) -> dict[str, float]:
    """Every signal of a draft by name."""
    asked = {name: llm.yes_no(prompt(draft)) for name, prompt in JUDGEMENTS.items()}
    return asked | {"support": log_odds(support)} | read_off(draft)


def judge(args: argparse.Namespace) -> None:
    """Ask the writer about every row that the gates of code let pass."""
    rows, started = read(args.file), time.monotonic()
    llm = LlamaModel(args.model, threads=args.threads)
    judged = judge_of(signals_of_writer(llm), Settings())
    for row in rows:
        if time.monotonic() - started > args.seconds:
            break
        if row.get("judged_by") == identity(llm.id) or fault_of(row, args.zims):
            continue
        draft, _ = draft_of(row, args.zims)
        support = judged.entailment.entail([(premise(draft), draft.answer)])[0]
        row["signals"] = {name: round(value, 3) for name, value in signals_of(draft, llm, support).items()}
        row["judged_by"] = identity(llm.id)
        write(args.file, rows)


def fit_rows(args: argparse.Namespace) -> None:
    """Fit on all rows that were judged; print how well that does on rows it was not fitted to, and save it."""
    labelled = [(row, fault_of(row, args.zims)) for row in read(args.file) if "keep" in row]
    rows, faults = [row for row, fault in labelled if fault != "no-seed"], Counter(fault for _, fault in labelled)
    passed = [row for row, fault in labelled if "signals" in row and not fault]
    if {bool(row["keep"]) for row in passed} != {True, False}:
        raise SystemExit(
            f"{args.file} needs rows that were judged and labelled, worth keeping and not: see show, judge"
        )
    truth = np.array([bool(row["keep"]) for row in passed])
    signals = [row["signals"] | read_off(draft_of(row, args.zims)[0]) for row in passed]
    features = np.array([[known[name] for name in args.names] for known in signals])
    ones = np.ones(len(passed))
    folds = np.array([zlib.crc32(row["path"].encode()) % FOLDS for row in passed])
    held = np.full(len(passed), np.nan)
    for fold in range(FOLDS):
        weights, intercept = fit(features[folds != fold], truth[folds != fold], ones[folds != fold])
        held[folds == fold] = _apply(weights, intercept, features[folds == fold])
    chosen = choose_threshold(held, truth, ones, args.target)
    print(f"{len(rows)} labelled, {sum(bool(row['keep']) for row in rows)} worth keeping")
    print(f"{len(passed)} pass the gates of code, {truth.sum()} of them worth keeping ({truth.mean():.2f})")
    print(faults.most_common())
    for threshold in (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
        taken = held >= threshold
        share = truth[taken].mean() if taken.any() else float("nan")
        print(f"from {threshold:.2f}: {taken.sum()} taken, precision {share:.2f}, of raw {taken.sum() / len(rows):.2f}")
    print("chosen", chosen)
    weights, intercept = fit(features, truth, ones)
    threshold = args.threshold or (chosen.probability if chosen else 1.0)
    taken = held >= threshold
    figures = (("precision", float(truth[taken].mean())), ("yield", float(taken.sum() / len(rows))))
    combination = Calibration(
        judge=identity(writer_id(args.model)),
        names=tuple(args.names),
        weights=tuple(round(float(weight), 4) for weight in weights),
        intercept=round(float(intercept), 4),
        threshold=threshold,
        pairs=len(passed),
        figures=tuple((name, round(value, 4)) for name, value in figures),
    )
    print(combination)
    if args.save:
        args.save.write_text(to_json(combination) + "\n", encoding="utf-8")


def _apply(weights: Any, intercept: float, features: Any) -> Any:
    return 1 / (1 + np.exp(-(features @ weights + intercept)))


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = {"propose": propose, "show": show, "judge": judge, "fit": fit_rows}
    parser.add_argument("command", choices=commands)
    parser.add_argument("file", type=Path)
    parser.add_argument("--zims", type=Path, default=Path("."))
    parser.add_argument("--indexes", type=Path, default=Path("."))
    parser.add_argument("--model", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--coding", nargs="*", default=["docs", "fcc", "devdocs", "javascript"])
    parser.add_argument("--names", nargs="*", default=list(NAMES))
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--seed", default="fresh")
    parser.add_argument("--target", type=float, default=0.9)
    parser.add_argument("--threshold", type=float, default=0.0)
    args = parser.parse_args()
    if args.command != "show" and args.model is None:
        parser.error(f"{args.command} needs a writer: name its file with --model")
    if args.command != "propose" and not args.file.is_file():
        parser.error(f"{args.file} is not there: make it with propose")
    if args.command == "propose" and not any(args.indexes.glob("*/chunks.db")):
        parser.error(f"{args.indexes} holds no index: name the folder of indexes with --indexes")
    try:
        commands[args.command](args)
    except (DrZeroError, OSError) as error:
        parser.error(str(error))
    except json.JSONDecodeError as error:
        parser.error(f"{args.file} is no file of JSON lines: {error}")


if __name__ == "__main__":
    main()

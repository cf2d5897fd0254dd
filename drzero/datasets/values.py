"""What training data is made of, and what became of an export of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Format = Literal["sft", "dpo", "rl", "metrics"]
FORMATS: tuple[Format, ...] = ("sft", "dpo", "rl", "metrics")
Side = Literal["train", "test"]
SIDES: tuple[Side, ...] = ("train", "test")


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage in the evidence of a line: `article` is its key (see `drawing.article_key`)."""

    article: str
    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line before it has a side. `sources` are keys of the articles that its question and answer come from.

    `line` holds the columns of the line (JSON values). Where there is `shown` evidence, `turns` says which columns are
    made of it: the chat before the evidence's turn, and behind it. `asked` is the key of the question.
    """

    task: str
    asked: str
    sources: tuple[str, ...]
    line: dict[str, Any]
    shown: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What `episodes export` was asked; "" for `run` and `profile` means all. `test_share` in [0,1)."""

    format: Format
    output: Path
    run: str = ""
    profile: str = ""
    split_seed: int = 0
    test_share: float = 0.1
    questions: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """How the lines fell: counts of lines, of articles they come from, and of groups that no article connects.

    `largest` are the lines of the largest group. `passages_left_out` are those that would have shown a line's reader an
    article of the other side.
    """

    train: int = 0
    test: int = 0
    articles: int = 0
    groups: int = 0
    largest: int = 0
    passages: int = 0
    passages_left_out: int = 0


@dataclass(frozen=True, slots=True)
class Dataset:
    """What `episodes export` wrote. `left_out` counts episodes (or answers, for pairs) by why they gave no line."""

    format: Format
    output: str
    files: tuple[str, ...]
    lines: int
    episodes: int
    split: Split = field(default_factory=Split)
    left_out: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    elapsed_s: float = 0.0

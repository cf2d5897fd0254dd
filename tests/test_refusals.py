"""drzero.loop.refusals: every reason that the code can give has its plain words, and no other has."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import get_args

import pytest

from drzero.loop.curriculum import FAILURE
from drzero.loop.gates import READER_GATES
from drzero.loop.gates.signals import JUDGEMENTS
from drzero.loop.refusals import ANSWERS, CHECKS, OUTPUTS, PROPOSALS, meaning
from drzero.output_faults import output_fault
from drzero.types import ClaimVerdict
from tests.test_reasons import CODES

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [
    *sorted((ROOT / "drzero" / "loop" / "gates").glob("*.py")),
    ROOT / "drzero" / "loop" / "propose.py",
    ROOT / "drzero" / "loop" / "challenging.py",
]


def codes_of(path: Path) -> set[str]:
    """Every text that looks like the name of a gate and is returned, yielded or chosen by a condition of one."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            found |= {
                part.value
                for part in ast.walk(node.value)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            }
    return {text for text in found if re.fullmatch(r"[a-z]+(?:-[a-z]+)+|malformed|ambiguous|negation", text)}


MADE = set().union(*map(codes_of, SOURCES)) | {f"not-{name}" for name in JUDGEMENTS} | {"no-seed"}


def test_refusals_have_words_for_every_gate_and_for_nothing_else() -> None:
    assert len(MADE) > 35
    assert READER_GATES <= MADE
    assert set(PROPOSALS) == MADE


def test_refusals_have_words_for_every_output_that_is_unusable() -> None:
    body = ast.parse(inspect.getsource(output_fault))
    faults = {
        node.value.value
        for node in ast.walk(body)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value
    }
    assert {f"output-{fault}" for fault in faults} == set(OUTPUTS)


def test_refusals_have_words_for_what_an_answer_lacks() -> None:
    assert set(ANSWERS) == {"not-found", "wrong", "fragment", FAILURE, *get_args(ClaimVerdict)} - {"supported"}
    assert set(CHECKS) == set(CODES)


@pytest.mark.parametrize("text", sorted({*PROPOSALS.values(), *OUTPUTS.values(), *ANSWERS.values(), *CHECKS.values()}))
def test_refusals_are_short_and_plain(text: str) -> None:
    assert 10 < len(text) <= 80
    assert text[0] == text[0].lower() or text.startswith("“")
    assert text[-1] not in ".:;,"


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("no-seed", "no passage that was drawn has anything to ask of the types wanted"),
        ("unsupported: number", "the cited words do not support the answer: a number differs, or is not there"),
        ("unsupported", "the cited words do not support the answer"),
        ("output-cut", "the writer's output was cut before its first sentence ended"),
        ("failure: ValueError", "an unexpected error ended the challenge"),
        ("gate-x", ""),
        ("", ""),
        ("gate-x: number", ""),
    ],
)
def test_refusals_meaning_of_a_reason(reason: str, said: str) -> None:
    assert meaning(reason) == said


def test_refusals_stand_in_the_guide() -> None:
    readme = (ROOT / "docs" / "evolve.md").read_text(encoding="utf-8")
    for code, text in (PROPOSALS | OUTPUTS | ANSWERS).items():
        assert f"| `{code}` | {text} |" in readme

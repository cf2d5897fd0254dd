"""Every reason for which the verifier refuses has a code, a sentence, a test, and a place in the README."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "drzero" / "loop").rglob("*.py"))


def given(node: ast.Call, place: int, name: str) -> ast.expr | None:
    """An argument of a call, by place or name."""
    return next((word.value for word in node.keywords if word.arg == name), None) or (
        node.args[place] if len(node.args) > place else None
    )


def faults() -> Iterator[tuple[str, ast.expr]]:
    """(code, sentence) wherever a `Fault` is made; scales name their code in a variable, see `scales`."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Fault":
                code, reason = given(node, 0, "code"), given(node, 1, "reason")
                assert reason is not None, f"{path.name}:{node.lineno}: a fault without a sentence"
                assert isinstance(code, ast.Constant | ast.Name | ast.Attribute), f"{path.name}:{node.lineno}"
                if isinstance(code, ast.Constant):
                    yield str(code.value), reason


def scales() -> Iterator[str]:
    """The codes of scales, which are made with their name first."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_Scale":
                name = given(node, 0, "code")
                assert isinstance(name, ast.Constant)
                yield str(name.value)


CODES = sorted({code for code, _ in faults()} | set(scales()) | {"entailment", "unchecked"})
TESTS = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/test_*.py") if path != Path(__file__))


def test_reasons_are_found_where_they_are_made() -> None:
    assert len(CODES) > 25
    assert {"no-citation", "quote-stitched", "number", "negation", "cover"} <= set(CODES)
    assert set(scales()) == {"frequency", "quantity", "duty"}


@pytest.mark.parametrize("code", CODES)
def test_reasons_have_a_test_that_names_them(code: str) -> None:
    assert re.search(rf"[\"']{code}[\"']", TESTS), code


@pytest.mark.parametrize("code", CODES)
def test_reasons_stand_in_the_readme(code: str) -> None:
    table = (ROOT / "README.md").read_text(encoding="utf-8").split("## What the verifier catches", 1)[1]
    assert f"`{code}`" in table.split("\n## ", 1)[0]


def test_reasons_are_whole_sentences() -> None:
    for code, reason in faults():
        last = reason.values[-1] if isinstance(reason, ast.JoinedStr) else reason
        if isinstance(last, ast.Constant):  # one made elsewhere is read where it is made
            assert str(last.value).endswith("."), (code, last.value)

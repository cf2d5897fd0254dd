"""The code in an answer: whether it is well formed, comes from the cited code, and gives what it is said to give."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from drzero.loop.facts.identifiers import stands_in
from drzero.loop.javascript import JAVASCRIPT_WORDS, code_tokens, is_balanced
from drzero.loop.running import Run

PYTHON = frozenset(("python", "py", "python3", "pycon"))
JAVASCRIPT = frozenset(("javascript", "js", "jsx", "mjs", "node", "typescript", "ts", "tsx", "json"))
_FENCED = re.compile(r"```[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.) ?")
_EXAMPLE = re.compile(
    r"^[ \t]*>>> (?P<code>[^\n]+)\n(?P<shown>(?!>>>|\.\.\.|```)[^\n]+)(?=\n[ \t]*(?:>>>|```|\n)|\s*\Z)", re.M
)
_GIVES = re.compile(
    r"`(?P<code>[^`\n]+)`,?\s(?:which\s|it\s)?(?:returns?|gives?|yields?|evaluates to|results? in|produces?|is equal to"
    r"|equals?|is|=>?|→)\s(?:the\s)?(?:\w+\s){0,2}?`(?P<shown>[^`\n]+)`"
)
_NUMBERED = re.compile(r"\d+(?:\.\d+)?")
_PLAIN_LITERALS = frozenset(("0", "1", "2", "", "true", "false", "none", "null", "undefined"))
_GIVEN = frozenset(dir(builtins)) | frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | {"self", "cls"}


def code_pieces(text: str) -> tuple[tuple[str, str], ...]:
    """The code in an answer as (language, code): fenced blocks with their tag, else inline pieces with the tag ""."""
    fenced = tuple((tag.casefold(), code) for tag, code in _FENCED.findall(text))
    return fenced or tuple(("", code) for code in _INLINE.findall(text))


def without_code(text: str) -> str:
    """An answer without its fenced blocks."""
    return _FENCED.sub("", text)


def well_formed(language: str, code: str) -> bool:
    """Whether code could be of its language: Python parses, or what a session has typed; brackets elsewhere balance.

    Strings, comments, templates and regular expressions of JavaScript are read as such.
    """
    return python_tree(code) is not None if language in PYTHON else is_balanced(code, script=language in JAVASCRIPT)


def python_tree(code: str) -> ast.Module | None:
    """Python code as a syntax tree, None when it does not parse; of an interactive session only what was typed."""
    if re.search(r"^\s*>>>", code, re.MULTILINE):
        typed = (line for line in code.split("\n") if _PROMPT.match(line))
        code = "\n".join(_PROMPT.sub("", line, count=1) for line in typed)
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(textwrap.dedent(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# --- where code comes from ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parts:
    """What a piece of code takes from elsewhere: names called, attributes, imports and keywords; and its literals."""

    names: frozenset[str]
    literals: frozenset[str]


def parts_of(language: str, code: str) -> Parts:
    """The names and literals that code does not make itself; of Python by its tree, of anything else by its tokens.

    Names of the language, of what the code defines, and of plain variables are left out, and 0, 1, 2 and empty strings.
    """
    tree = python_tree(code) if language in PYTHON or not language else None
    names, literals = _of_tree(tree) if tree is not None else _of_tokens(code)
    given = _GIVEN if tree is not None else JAVASCRIPT_WORDS
    return Parts(frozenset(names) - given, frozenset(literals) - _PLAIN_LITERALS)


def _of_tree(tree: ast.Module) -> tuple[set[str], set[str]]:
    names: set[str] = set()
    literals: set[str] = set()
    own: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                names.add(name)
            case ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                names.add(name)
            case ast.Import(names=found):
                names.update(part for alias in found for part in alias.name.split("."))
                own.update(alias.asname for alias in found if alias.asname)
            case ast.ImportFrom(module=module, names=found):
                names.update(part for part in (module or "").split(".") if part)
                names.update(alias.name for alias in found if alias.name != "*")
                own.update(alias.asname for alias in found if alias.asname)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                own.add(name)
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                own.add(name)
            case ast.Constant(value=str() | int() | float() as value) if not isinstance(value, bool):
                literals.add(str(value))
            case _:
                pass
    return names - own, literals


def _of_tokens(code: str) -> tuple[set[str], set[str]]:
    names: set[str] = set()
    literals: set[str] = set()
    own: set[str] = set()
    tokens = list(code_tokens(code))
    kinds = [("", ""), *tokens, ("", "")]
    for at, (kind, text) in enumerate(tokens):
        before, behind = kinds[at][1], kinds[at + 2][1]
        if kind == "name" and (behind == "(" or before in (".", "?.", "new", "-", "--")):
            names.add(text)
        if kind == "name" and before in ("function", "class", "let", "const", "var", "def"):
            own.add(text)
        if kind == "text":
            literals.add(text[1:-1])
        elif kind == "number":
            literals.add(text)
    return names - own, literals


def invented(language: str, code: str, evidence: str) -> tuple[str, ...]:
    """The names and literals of code that stand nowhere in the evidence, sorted; names first."""
    parts = parts_of(language, code)
    names = sorted(name for name in parts.names if not stands_in(name, evidence))
    literals = sorted(text for text in parts.literals if not _is_stated(text, evidence))
    return (*names, *literals)


def _is_stated(literal: str, evidence: str) -> bool:
    if _NUMBERED.fullmatch(literal):
        return re.search(rf"(?<![\d.]){re.escape(literal)}(?![\d]|\.\d)", evidence) is not None
    wanted = " ".join(literal.split())
    before, behind = r"(?<!\w)" * wanted[:1].isalnum(), r"(?!\w)" * wanted[-1:].isalnum()
    return re.search(f"{before}{re.escape(wanted)}{behind}", " ".join(evidence.split())) is not None


# --- what code gives ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an expression of the answer gives when run, beside what the answer says that it gives."""

    code: str
    said: str
    given: str

    @property
    def true(self) -> bool:
        """Whether it gives what is said."""
        return _same(self.said, self.given)


def examples(text: str) -> tuple[tuple[str, str], ...]:
    """The examples of an interactive session in `text`: (expression, the one line that it shows)."""
    return tuple((match["code"].strip(), match["shown"].strip()) for match in _EXAMPLE.finditer(text))


def outcomes(answer: str, run: Run) -> tuple[Outcome, ...]:
    """The expressions of which an answer says what they give, in order, as far as they can be run and give a literal.

    It says so between two pieces of code ("`len('ab')` returns `2`"), or as a session with its prompt.
    """
    said = [(match["code"].strip(), match["shown"].strip()) for match in _GIVES.finditer(without_code(answer))]
    said += [pair for _, code in _FENCED.findall(answer) for pair in examples(code)]
    return tuple(_run(dict.fromkeys(said), run))


def _run(said: dict[tuple[str, str], None], run: Run) -> Iterator[Outcome]:
    for code, shown in said:
        if _literal(shown) is None:
            continue
        given = run(code)
        if given is not None and _literal(given) is not None:
            yield Outcome(code, shown, given)


def runs_like(code: str, evidence: str, run: Run) -> bool:
    """Whether an expression calls what an example of the evidence calls, and gives what that example shows."""
    alike = [shown for example, shown in examples(evidence) if _calls(code) and _calls(code) == _calls(example)]
    if not any(_literal(shown) is not None for shown in alike):
        return False
    given = run(code)
    return given is not None and any(_same(shown, given) for shown in alike)


def _calls(code: str) -> frozenset[str]:
    tree = python_tree(code)
    if tree is None:
        return frozenset()
    found = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return frozenset(
        func.id if isinstance(func, ast.Name) else func.attr
        for func in found
        if isinstance(func, ast.Name | ast.Attribute)
    )


def _literal(text: str) -> tuple[object] | None:
    """The value of a literal in a tuple of one, since None is a value too; None for anything else."""
    try:
        return (ast.literal_eval(text),)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _same(one: str, two: str) -> bool:
    first, second = _literal(one), _literal(two)
    return first is not None and second is not None and first == second and type(first[0]) is type(second[0])

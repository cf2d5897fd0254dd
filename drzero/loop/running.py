"""Runs a Python expression of an answer, where that is safe: literals, operators and well-known calls only.

What may be run is decided by the nodes of its syntax tree, against closed lists. It then runs in a process of its own,
with no name but those listed, no import, no file, no network, and little time and memory. Anything else is not run.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import warnings
from collections.abc import Callable

Run = Callable[[str], str | None]
MAX_CHARS, MAX_NODES, MAX_POWER, MAX_SHOWN_CHARS = 500, 200, 64, 2000
CPU_S, WALL_S, MEMORY_BYTES = 1, 5.0, 256 * 1024 * 1024
FUNCTIONS = frozenset(
    "abs all any ascii bin bool bytes chr complex dict divmod enumerate float frozenset hex int len list max min oct "
    "ord range repr reversed round set slice sorted str sum tuple zip".split()
)
# `format` and its like are left out: a format string reaches attributes.
METHODS = frozenset(
    "add append as_integer_ratio bit_count bit_length capitalize casefold center conjugate copy count difference "
    "encode endswith expandtabs find fromkeys get hex index intersection is_integer isalnum isalpha isascii isdecimal "
    "isdigit isdisjoint isidentifier islower isnumeric isprintable isspace issubset issuperset istitle isupper items "
    "join keys ljust lower lstrip partition pop removeprefix removesuffix replace rfind rindex rjust rpartition "
    "rsplit rstrip split splitlines startswith strip swapcase symmetric_difference title to_bytes union upper values "
    "zfill".split()
)
_NODES = (
    ast.Expression, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.BinOp, ast.UnaryOp, ast.BoolOp,
    ast.Compare, ast.IfExp, ast.Subscript, ast.Slice, ast.Call, ast.keyword, ast.Starred, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # of an object that has no text of its own: another in every process
# The process is given the expression on its standard input. Its limits count from the moment they are set: what Python
# itself needs is open by then.
_CHILD = """
import resource, sys
for name, value in {limits}:
    resource.setrlimit(getattr(resource, name), (value, value))
names = {{name: getattr(__builtins__, name) for name in {names}}}
value = eval(compile(sys.stdin.read(), "answer", "eval"), {{"__builtins__": names}})
sys.stdout.write(repr(value)[:{shown}])
"""


def is_safe(code: str) -> bool:
    """Whether `code` is one Python expression of nothing but literals, operators, comprehensions and listed calls."""
    if len(code) > MAX_CHARS:
        return False
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(code.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    nodes = list(ast.walk(tree))
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return len(nodes) <= MAX_NODES and all(_is_allowed(node, bound, called) for node in nodes)


def _is_allowed(node: ast.AST, bound: set[str], called: set[int]) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in METHODS and id(node) in called
    if isinstance(node, ast.Name):
        return not node.id.startswith("_") and (node.id in FUNCTIONS or node.id in bound)
    if isinstance(node, ast.comprehension):
        return not node.is_async
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.LShift):
        power = node.right
        return isinstance(power, ast.Constant) and isinstance(power.value, int) and 0 <= power.value <= MAX_POWER
    return isinstance(node, _NODES) and not isinstance(node, ast.MatMult)


def run_expression(code: str) -> str | None:
    """The `repr` of a safe expression's value; None when it is not safe, fails, takes too long or cannot be run here.

    None too for a value that has no text but its address, such as an iterator's. Sets hash alike in every process, so
    that the same code gives the same text.
    """
    if not is_safe(code) or sys.platform == "win32":  # no limits can be set there
        return None
    limits = [
        ("RLIMIT_CPU", CPU_S),
        ("RLIMIT_AS", MEMORY_BYTES),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_NOFILE", 3),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_NPROC", 0),
    ]
    child = _CHILD.format(limits=limits, names=sorted(FUNCTIONS), shown=MAX_SHOWN_CHARS + 1)
    # Not -I: it would leave out the hash seed. -P, -s and an empty environment are all else that it means.
    command = [sys.executable, "-P", "-s", "-S", "-B", "-c", child]
    try:
        done = subprocess.run(  # noqa: S603 (our own program; the expression is its input)
            command,
            input=code.strip().encode(),
            capture_output=True,
            timeout=WALL_S,
            env={"PYTHONHASHSEED": "0", "PYTHONUTF8": "1"},
            cwd="/",
            check=False,
        )
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return None
    shown = done.stdout.decode("utf-8", "replace")
    is_whole = done.returncode == 0 and len(shown) <= MAX_SHOWN_CHARS
    return shown if is_whole and not _ADDRESS.search(shown) else None

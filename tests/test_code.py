from __future__ import annotations

import pytest

from drzero.loop.code import (
    Outcome,
    Parts,
    code_pieces,
    examples,
    invented,
    outcomes,
    parts_of,
    python_tree,
    runs_like,
    well_formed,
    without_code,
)

SESSION = "Sort a list:\n```pycon\n>>> sorted([3, 1])\n[1, 3]\n>>> x = 1\n>>> x + 1\n2\n```\nor a text."
VALUES = {
    "sorted([3, 1])": "[1, 3]",
    "sorted((1, 3))": "[1, 3]",
    "len('ab')": "2",
    "sorted([9])": "[9]",
    "str(f)": "<f>",
}


def run(code: str) -> str | None:
    """A stand-in that knows a few values."""
    return VALUES.get(code)


def test_code_pieces() -> None:
    assert code_pieces("Use `len(x)` or `x[0]`.") == (("", "len(x)"), ("", "x[0]"))
    assert code_pieces("So:\n```Python\nx = 1\n```\nnot `y`.") == (("python", "x = 1\n"),)
    assert code_pieces("```\nopen") == (("", "open"),)
    assert code_pieces("None here.") == ()


def test_code_without_code() -> None:
    assert without_code("So:\n```py\nx\n```\nand `y`.") == "So:\n\nand `y`."


@pytest.mark.parametrize(
    ("language", "code", "sound"),
    [
        ("python", "for x in y:\n    print(x)\n", True),
        ("python", "    x = 1\n    y = 2\n", True),
        ("py", "for x in y print(x)", False),
        ("python", "x = '\\d'", True),
        ("python", "x\0", False),
        ("python", "(" * 5000, False),
        ("pycon", ">>> for x in y:\n...     print(x)\n...\n1\n2", True),
        ("python", ">>> x = (\nerror", False),
        ("js", "const f = (x) => { return [x]; };", True),
        ("javascript", "f(`${x}`", False),
        ("bash", "grep '(' file", True),
        ("", "f(')', \"]\")", True),
        ("", "f(", False),
        ("", "", True),
    ],
)
def test_code_well_formed(language: str, code: str, sound: bool) -> None:
    assert well_formed(language, code) is sound


def test_code_python_tree_reads_what_a_session_typed() -> None:
    tree = python_tree(">>> x = 1\n>>> x\n1\nnot python at all")
    assert tree is not None
    assert len(tree.body) == 2


@pytest.mark.parametrize(
    ("language", "code", "names", "literals"),
    [
        ("python", "json.dumps(x, indent=4)", {"dumps", "indent"}, {"4"}),
        ("", "json.dumps(x, indent=4)", {"dumps", "indent"}, {"4"}),
        ("python", "import json as j\nj.load(f)", {"json", "load"}, set()),
        ("python", "from a.b import c as d, e\nd()", {"a", "b", "c", "e"}, set()),
        ("python", "from x import *", {"x"}, set()),
        ("python", "def f(a):\n    return g(a)\nf('text')", {"g"}, {"text"}),
        ("python", "class A:\n    pass\nA()", set(), set()),
        ("python", "print(len(x), True, 0, 1.5)", set(), {"1.5"}),
        ("js", "arr.push(5); let z = arr.map(f); z();", {"push", "map"}, {"5"}),
        ("js", "function g() {} g(); new Thing('a')", {"Thing"}, {"a"}),
        ("js", "console.log(`b`)", set(), {"b"}),
        ("bash", "tar --create x", {"create"}, set()),
    ],
)
def test_code_parts(language: str, code: str, names: set[str], literals: set[str]) -> None:
    assert parts_of(language, code) == Parts(frozenset(names), frozenset(literals))


@pytest.mark.parametrize(
    ("language", "code", "found"),
    [
        ("python", "json.dumps(x)", ()),
        ("", "json.dump(x)", ("dump",)),  # dumps is another name
        ("python", "json.dumps(x, sort=True)", ("sort",)),
        ("python", "json.dumps(x, indent=4)", ("indent", "4")),
        ("python", "json.dumps('a  text')", ()),
        ("js", "JSON.parse(json.dumps(3))", ("parse",)),
        ("python", "x +", ()),
    ],
)
def test_code_invented(language: str, code: str, found: tuple[str, ...]) -> None:
    assert invented(language, code, "Use json.dumps to write 'a text' or 3 as JSON, but not 14 or 4.5.") == found


def test_code_examples() -> None:
    assert examples(SESSION) == (("sorted([3, 1])", "[1, 3]"), ("x + 1", "2"))
    assert examples(">>> f()\none\ntwo\n>>> g()\n") == ()  # more than one line shown, or none
    assert examples(">>> for x in y:\n...     x\n1") == ()
    assert examples("no session") == ()


def test_code_outcomes() -> None:
    answer = (
        "`sorted([3, 1])` returns the list `[1, 3]`, and `len('ab')` gives `3`; `str(f)` is `'f'`, `f()` gives `a`."
    )
    found = outcomes(answer, run)
    assert found == (Outcome("sorted([3, 1])", "[1, 3]", "[1, 3]"), Outcome("len('ab')", "3", "2"))
    assert [one.true for one in found] == [True, False]


def test_code_outcomes_of_a_session() -> None:
    assert outcomes("So:\n```python\n>>> len('ab')\n3\n```", run) == (Outcome("len('ab')", "3", "2"),)


@pytest.mark.parametrize(
    ("said", "given", "true"), [("1", "1.0", False), ("True", "1", False), ("{1, 2}", "{2, 1}", True)]
)
def test_code_outcome_is_true_for_the_same_value_of_the_same_type(said: str, given: str, true: bool) -> None:
    assert Outcome("f()", said, given).true is true


@pytest.mark.parametrize(
    ("code", "alike"),
    [
        ("sorted((1, 3))", True),
        ("sorted([9])", False),  # gives something else
        ("len('ab')", False),  # calls something else
        ("sorted([5])", False),  # cannot be run
        ("x + 1", False),
        ("x +", False),
    ],
)
def test_code_runs_like_an_example(code: str, alike: bool) -> None:
    assert runs_like(code, SESSION, run) is alike

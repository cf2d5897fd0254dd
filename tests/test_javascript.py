from __future__ import annotations

import pytest

from drzero.loop.javascript import code_tokens, is_balanced


@pytest.mark.parametrize(
    ("code", "sound"),
    [
        ("const f = (x) => { return [x]; };", True),
        ("const f = (x) => { return [x); };", False),
        ("f(')', \"]\")", True),
        ("f(", False),
        ("f)", False),
        ("", True),
        ("`a ${f({a: 1})} b`", True),
        ("`${`${x}`}`", True),
        ("`a ${x", False),
        ("`never closed", False),
        ("let s = 'it", False),
        ('let s = "a\nb"', False),
        ("let s = 'it\\'s';", True),
        ("if (a) { b() } // (", True),
        ("/* ( */ f()", True),
        ("let r = /\\)/;", True),
        ("x = /[(/]/g.test(s)", True),
        ("a / b / (c)", True),
        ("a ? `x` : {b: `${c}`}", True),
        ("return /(/", True),
        ("x\0y", True),
    ],
)
def test_javascript_balance(code: str, sound: bool) -> None:
    assert is_balanced(code) is sound


def test_javascript_balance_of_other_languages_knows_no_ticks_and_slashes() -> None:
    assert is_balanced("ls `pwd` // (a)", script=False)
    assert is_balanced("echo it's", script=False)
    assert is_balanced("grep '('", script=False)
    assert not is_balanced("(a", script=False)


def test_javascript_tokens() -> None:
    assert list(code_tokens("let s = a.b?.(`x ${y + 1}`) /* no */ === 1.5e3; // no")) == [
        ("name", "let"),
        ("name", "s"),
        ("sign", "="),
        ("name", "a"),
        ("sign", "."),
        ("name", "b"),
        ("sign", "?."),
        ("sign", "("),
        ("text", "`x `"),
        ("sign", "{"),
        ("name", "y"),
        ("sign", "+"),
        ("number", "1"),
        ("sign", "}"),
        ("text", "``"),
        ("sign", ")"),
        ("sign", "==="),
        ("number", "1.5e3"),
        ("sign", ";"),
    ]


def test_javascript_tokens_tell_a_regex_from_a_division() -> None:
    assert ("regex", "/a+/g") in list(code_tokens("s.replace(/a+/g, b)"))
    assert [kind for kind, _ in code_tokens("a / b / c")] == ["name", "sign", "name", "sign", "name"]

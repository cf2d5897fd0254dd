from __future__ import annotations

import sys
import time

import pytest

from drzero.loop import running
from drzero.loop.running import is_safe, run_expression

limited = pytest.mark.skipif(sys.platform == "win32", reason="no limits can be set on a process there")


@limited
@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("sorted([3, 1, 2])", "[1, 2, 3]"),
        ("  len('abc')\n", "3"),
        ("'-'.join(['x', 'y'])", "'x-y'"),
        ("[x * x for x in range(5) if x % 2]", "[1, 9]"),
        ("{'a': 1}.get('b', 7)", "7"),
        ("max('a', 'bb', key=len)", "'bb'"),
        ("2 ** 10 // 3", "341"),
        ("(1, None, True)[1:]", "(None, True)"),
        ("'é'.upper()", "'É'"),
        ("0.1 + 0.2", "0.30000000000000004"),
    ],
)
def test_running_gives_the_value(code: str, given: str) -> None:
    assert is_safe(code)
    assert run_expression(code) == given


@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd').read()",
        "__import__('os').system('true')",
        "().__class__.__bases__",
        "'{0.__class__}'.format(1)",
        "f'{1}'",
        "(lambda: 1)()",
        "getattr(1, 'real')",
        "eval('1')",
        "print(1)",
        "globals()",
        "[].append",  # a method that is not called
        "x + 1",
        "_",
        "x = 1",
        "import os",
        "1; 2",
        "[y async for y in x]",
        "await f()",
        "(yield)",
        "2 ** 10 ** 10",
        "2 ** 1000000",
        "2 ** -1",
        "1 << 1000000",
        "(y := 1)",
        "(1).numerator",
        "1 @ 2",
        "",
        "1" * 501,
        "[" * 300,
        "1 +",
        "'\0'",
        " + ".join(["1"] * 120),
    ],
)
def test_running_refuses_what_is_not_harmless(code: str) -> None:
    assert not is_safe(code)
    assert run_expression(code) is None


@limited
@pytest.mark.parametrize(
    "code",
    [
        "1 / 0",
        "{}['a']",
        "'a' * 10 ** 12",
        "[0] * 10 ** 11",
        "sum(range(10 ** 12))",
        "'ab' * 2000",  # more than is shown
        "zip([1], [2])",  # its text is an address, another one each time
        "[enumerate('ab'), 1]",
        "str(reversed([1]))",
        "'\\N{GREEK CAPITAL LETTER DELTA}'",  # wants a module
    ],
)
def test_running_gives_nothing_for_what_fails_or_takes_too_much(code: str) -> None:
    started = time.monotonic()
    assert is_safe(code)
    assert run_expression(code) is None
    assert time.monotonic() - started < running.WALL_S + 1


@limited
def test_running_orders_sets_alike_every_time() -> None:
    assert len({run_expression("list({'b', 'a', 'c', 'd', 'e'})") for _ in range(4)}) == 1


@limited
def test_running_process_can_open_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even code that no check has looked at opens no file and no socket."""
    monkeypatch.setattr(running, "is_safe", lambda code: True)
    monkeypatch.setattr(running, "FUNCTIONS", running.FUNCTIONS | {"open", "__import__", "len"})
    assert run_expression("len('abc')") == "3"
    assert run_expression("open('/etc/hostname').read()") is None
    assert run_expression("open('left-over.txt', 'w')") is None
    assert run_expression("__import__('socket').socket()") is None


def test_running_does_not_run_where_no_limits_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.sys, "platform", "win32")
    assert run_expression("1 + 1") is None


def test_running_without_a_python_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.sys, "executable", "/nowhere/python")
    assert run_expression("1 + 1") is None


@limited
def test_running_gives_up_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "WALL_S", 0.05)
    assert run_expression("sum(range(10 ** 12))") is None

"""Code of JavaScript and its like as tokens: enough to see whether it is well formed and which names it uses (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator

JAVASCRIPT_WORDS = frozenset(
    "as async await break case catch class const continue debugger default delete do else enum export extends false "
    "finally for from function get if implements import in instanceof interface let new null of package private "
    "protected public return set static super switch this throw true try typeof undefined var void while with yield "
    "arguments constructor console log document window globalThis Array Boolean Date Error Function Infinity JSON Map "
    "Math NaN Number Object Promise Proxy Reflect RegExp Set String Symbol TypeError RangeError SyntaxError WeakMap "
    "WeakSet BigInt isNaN isFinite parseInt parseFloat setTimeout setInterval clearTimeout clearInterval".split()
)
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")
    |(?P<tick>`)
    |(?P<number>(?:0[xob])?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?n?)
    |(?P<name>[^\W\d][\w$]*|\$[\w$]*|[#@][^\W\d]\w*)
    |(?P<sign>=>|\?\.|\.\.\.|[=!]==?|&&|\|\||\?\?|\*\*|\+\+|--|[-+*/%&|^<>]=|.)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_REGEX = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[dgimsuvy]*")
_REGEX_FOLLOWS = frozenset(
    "( , = : [ ! & | ? { } ; => && || ?? == === != !== + - * % < > return typeof case in of void".split()
)
_CLOSES = {")": "(", "]": "[", "}": "{"}


def code_tokens(code: str) -> Iterator[tuple[str, str]]:
    """(kind, text) of each token, comments left out; kind is text, number, name, sign, regex or broken.

    A template literal gives its tokens inside `${…}` and its other text as one; what is never closed is broken.
    """
    at, last = 0, ""
    braces: list[int] = []  # of each template under way the depth of braces at its `${`
    depth = 0
    while at < len(code):
        if code[at] == "/" and (not last or last in _REGEX_FOLLOWS) and (regex := _REGEX.match(code, at)):
            at, last = regex.end(), "/"
            yield "regex", regex[0]
            continue
        match = _TOKEN.match(code, at)
        if match is None or match.lastgroup is None:
            return
        kind, text = match.lastgroup, match[0]
        at = match.end()
        closes = kind == "sign" and text == "}" and braces and braces[-1] == depth
        if kind == "tick" or closes:
            if closes:
                depth = braces.pop() - 1
                yield "sign", "}"
            stop = _template_end(code, at)
            yield ("text", f"`{code[at:stop]}`") if stop < len(code) else ("broken", code[at - 1 :])
            if code.startswith("${", stop):
                depth += 1
                braces.append(depth)
                yield "sign", "{"
                stop += 1
            at, last = stop + 1, "`"
            continue
        if kind in ("space", "comment"):
            continue
        depth += (text == "{") - (text == "}") if kind == "sign" else 0
        broken = kind == "sign" and text in ("'", '"')
        yield ("broken" if broken else kind), text
        last = text


def _template_end(code: str, at: int) -> int:
    """Where the text of a template literal ends: at its closing tick or at a `${`; the length of `code` without one."""
    while at < len(code) and code[at] != "`" and not code.startswith("${", at):
        at += 2 if code[at] == "\\" else 1
    return min(at, len(code))


def is_balanced(code: str, *, script: bool = True) -> bool:
    """Whether brackets balance and strings are closed; without `script` ticks, slashes and lone quotes mean nothing."""
    if not script:
        code = re.sub(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", "", code)
        tokens: Iterator[tuple[str, str]] = (("sign", letter) for letter in code)
    else:
        tokens = code_tokens(code)
    stack: list[str] = []
    for kind, text in tokens:
        if kind == "broken":
            return False
        if kind != "sign":
            continue
        if text in "([{":
            stack.append(text)
        elif text in _CLOSES and (not stack or stack.pop() != _CLOSES[text]):
            return False
    return not stack

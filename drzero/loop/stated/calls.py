"""What exercises in programming state of the calls that test them: "factorialize(5) should return 120." (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drzero.loop.stated.statement import Stated, filled
from drzero.types import Chunk

_EXPECTED = re.compile(
    r"(?P<call>[A-Za-z_][\w.]*\((?P<args>.+)\)) should return "
    r"(?:the (?:string|value|number|array) )?(?P<value>[^ ].*?)\.?"
)
_LITERAL = re.compile(
    r"-?\d+(?:\.\d+)?|true|false|null|undefined|\"[^\"]*\"|'[^']*'|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]"
)
_CONSTANTS = frozenset("true false null undefined NaN Infinity new".split())
MOST_CHARS = 70


def _names_data(args: str) -> bool:
    """Whether arguments name anything, text and the keys of objects aside."""
    plain = re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`", " ", args)
    return any(word not in _CONSTANTS for word in re.findall(r"(?<![\w.])[A-Za-z_$][\w$]*(?!\s*:)\b", plain))


def expected(chunk: Chunk) -> Iterator[Stated]:
    """The lines of `chunk` that tell what a call gives, where that is a value as it is written in code."""
    at = 0
    for line in chunk.text.split("\n"):
        match = _EXPECTED.fullmatch(line)
        start, at = at, at + len(line) + 1
        if (
            match is None
            or not _LITERAL.fullmatch(match["value"])
            or max(map(len, match.group("call", "value"))) > MOST_CHARS
        ):
            continue
        if _names_data(match["args"]):
            continue  # "libsSimple" is data of the exercise, which the question does not show
        if match["args"].count("(") != match["args"].count(")") or match["args"].count('"') % 2:
            continue
        subject = f'{match["call"]} in the exercise "{chunk.title}"'
        tells = f"{{}} should return {match['value']}."
        yield Stated(
            chunk=chunk,
            subject=subject,
            relation="should return",
            value=match["value"],
            start=chunk.start + start,
            end=chunk.start + start + len(line),
            quote=line,
            statement=filled(tells, subject),
            asks="What should the call {} return?",
            tells=tells,
            kind="implementation",
            aspects=(match["value"],),
            thing="call",
            name=match["call"],
        )

"""A drawn line with its side known → the line as it is written: evidence of its own side only (pure)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from drzero.datasets.sides import Sides
from drzero.datasets.values import Drawn, Side
from drzero.loop import prompts
from drzero.text import storable

_BREAKS = str.maketrans({"\u0085": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def finish(drawn: Drawn, side: Side, sides: Sides, archives: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """The columns of a line, in order. Passages of articles of the other side are left out, the rest numbered anew.

    `archives` are name, date and licence of archives by id.
    """
    line = dict(drawn.line)
    kept = [number for number, one in enumerate(drawn.shown) if sides.of_article(one.article) == side]
    if drawn.shown:
        given = [(drawn.shown[number].where, drawn.shown[number].text) for number in kept]
        system, asked = _reading(line["question"], given)
        chosen = {"role": "assistant", "content": line.pop("answer")}
        if drawn.task == "pair":
            rejected = {"role": "assistant", "content": line.pop("refused")}
            line = {"prompt": [system, asked], "chosen": [chosen], "rejected": [rejected]} | line
        else:
            line = {"messages": [system, asked, chosen]} | line
    if drawn.task in ("answer", "question"):
        line = {"messages": line.pop("messages"), "task": drawn.task} | line
    if drawn.task in ("answer", "question", "pair"):
        places = {number + 1: place for place, number in enumerate(kept, 1)}
        line["citations"] = [one | {"n": places.get(one["n"], 0)} for one in line["citations"]]
        line |= {"passages": len(kept), "passages_left_out": len(drawn.shown) - len(kept)}
    line["sources"] = [
        one | {"archive": _edition(known), "licence": known.get("licence", "")}
        for one in line["sources"]
        for known in [archives.get(one["zim_id"], {})]
    ]
    return line


def line_text(line: Mapping[str, Any]) -> str:
    """A line of JSON with its end. No character in it is taken for a line's end but that, and none is NUL."""
    text = json.dumps(_clean(line), ensure_ascii=False, allow_nan=False)
    return text.translate(_BREAKS) + "\n"


def _edition(archive: Mapping[str, str]) -> str:
    """Name and date of an archive, in one: a date alone would not be read as text by everyone."""
    return ", ".join(part for part in (archive.get("name", ""), archive.get("date", "")) if part)


def _reading(question: str, given: list[tuple[str, str]]) -> tuple[dict[str, str], dict[str, str]]:
    """The rules and the turn in which the solver gets passages and question."""
    messages = prompts.read(question, given).messages
    system, asked = ({"role": role, "content": content} for role, content in (messages[0], messages[-1]))
    return system, asked


def _clean(value: Any) -> Any:
    """`value` with what UTF-8 or a table cannot hold replaced: lone surrogates, NUL, numbers that are not finite."""
    match value:
        case str():
            return storable(value).replace("\0", "\ufffd")
        case float():
            return value if float("-inf") < value < float("inf") else 0.0
        case Mapping():
            return {key: _clean(item) for key, item in value.items()}
        case list():
            return [_clean(item) for item in value]
    return value

"""drzero.loop.checked: outputs of the types that the seam promises."""

from __future__ import annotations

import math
from typing import Any

import pytest

from drzero.loop.checked import CheckedLLM
from drzero.types import Completion, Prompt

ASKED = Prompt("t", (("user", "Which bridge?"),))


class Returns:
    """A writer that returns what it is told to."""

    id = "returns"

    def __init__(self, value: Any) -> None:
        self._value = value
        self.options: dict[str, Any] = {}

    def complete(self, prompt: Prompt, **options: Any) -> Completion:
        self.options = options
        return Completion(self._value, "stop", 3, 2, 0.5)

    def yes_no(self, _: Prompt) -> Any:
        return self._value

    def room(self, _: Prompt) -> int:
        return 77


class OwnText(str):
    """A text of a class of its own."""

    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "text", "fault"),
    [
        ("The bridge opened.", "The bridge opened.", ""),
        (OwnText("The bridge opened."), "The bridge opened.", ""),
        (None, "", "empty"),
        ("Köln hat Brücken.".encode(), "Köln hat Brücken.", ""),
        ("Köln".encode("latin-1"), "K\ufffdln", "garbled"),
        (bytearray(b"\xff"), "\ufffd", "garbled"),
        ({"answer": "1931"}, '{"answer": "1931"}', "structured"),
        (["Köln"], '["Köln"]', "structured"),
        ("half \udcff a letter", "half \ufffd a letter", "garbled"),
        (True, "true", "structured"),
        (1931, "1931", ""),
        ({1, }, '"{1}"', ""),
    ],
)  # fmt: skip
def test_checked_a_text_is_always_a_text(value: Any, text: str, fault: str) -> None:
    completion = CheckedLLM(Returns(value)).complete(ASKED)
    assert (completion.text, type(completion.text), completion.fault) == (text, str, fault)
    assert (completion.finish, completion.prompt_tokens, completion.completion_tokens) == ("stop", 3, 2)


@pytest.mark.parametrize(
    ("value", "odds"), [(1.5, 1.5), (-2, -2.0), (True, 1.0), (math.inf, None), (math.nan, None), (None, None),
                        ("Yes", None), (10**400, None)]
)  # fmt: skip
def test_checked_log_odds_are_a_number_or_nan(value: Any, odds: float | None) -> None:
    found = CheckedLLM(Returns(value)).yes_no(ASKED)
    assert type(found) is float
    assert math.isnan(found) if odds is None else found == odds


def test_checked_passes_everything_on() -> None:
    writer = Returns("x.")
    checked = CheckedLLM(writer)
    checked.complete(ASKED, grammar="root ::= [a-z]", seed=4, max_tokens=9, temperature=0.3)
    assert writer.options == {"grammar": "root ::= [a-z]", "seed": 4, "max_tokens": 9, "temperature": 0.3}
    assert (checked.id, checked.room(ASKED)) == ("returns", 77)

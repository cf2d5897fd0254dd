"""A writer whose outputs have the types they should, whatever stands behind the seam."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

from drzero.types import LLM, Completion, Prompt

_SURROGATE = re.compile("[\ud800-\udfff]")  # half a letter, which is no UTF-8 and which many a library refuses


class CheckedLLM:
    """Passes every call on. What comes back is made what the seam promises, so that its fault is told by its form.

    A text that is bytes is read as UTF-8 (and "garbled" where it is none, as is one with half letters), nothing is ""
    ("empty"), any other value is its JSON ("structured" but for a number). Log-odds that are no number, or infinite,
    are nan.
    """

    def __init__(self, llm: LLM) -> None:
        self.id = llm.id
        self._llm = llm

    def complete(
        self, prompt: Prompt, *, grammar: str = "", seed: int = 0, max_tokens: int = 256, temperature: float = 0.0
    ) -> Completion:
        """As the writer's own, with a text that is a text."""
        completion = self._llm.complete(
            prompt, grammar=grammar, seed=seed, max_tokens=max_tokens, temperature=temperature
        )
        text = _text(completion.text)
        return completion if text is completion.text else replace(completion, text=text)

    def yes_no(self, prompt: Prompt) -> float:
        """As the writer's own, or nan."""
        log_odds: Any = self._llm.yes_no(prompt)
        try:
            return float(log_odds) if math.isfinite(log_odds) else math.nan
        except (TypeError, OverflowError):
            return math.nan

    def room(self, prompt: Prompt) -> int:
        """As the writer's own."""
        return self._llm.room(prompt)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    text = str(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _SURROGATE.sub("\ufffd", text) if _SURROGATE.search(text) else text

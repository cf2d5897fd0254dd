"""What makes a writer's output unusable, whatever it says: told by its form alone (pure).

Such an output is a failure of the writer, counted under its own name beside the refusals of what can be read.
"""

from __future__ import annotations

import json
import re
import unicodedata

_FENCE = re.compile(r"\s*(?:```|~~~|<(?:think|thinking|thought|reasoning)>|<\|)", re.IGNORECASE)
_ENDS = re.compile(r"[.!?…。！？｡؟।။።:;]")
_TIMES = 3  # a stretch is repeated when it stands so often at the end
_LOOP_CHARS = 24  # and fills at least this much there: "ha ha ha" may be meant
_LAYOUT = frozenset("\t\n\r")


def output_fault(text: object, finish: str) -> str:
    """The first fault of an output, "" for none. `finish` is "stop", or "length" when it was cut. In this order:

    - no-text: not a text at all
    - garbled: bytes that were no UTF-8, or control characters
    - empty: no letter and no digit
    - fenced: begins with a code fence, or with thoughts between tags
    - structured: a JSON object, list or word instead of a sentence
    - endless: stopped by its limit while it said the same again and again
    - cut: stopped by its limit before its first sentence ended
    """
    if not isinstance(text, str):
        return "no-text"
    if any(_is_garbage(letter) for letter in text):
        return "garbled"
    if not any(letter.isalnum() for letter in text):
        return "empty"
    if _FENCE.match(text):
        return "fenced"
    if _is_structured(text):
        return "structured"
    if finish == "length" and _loops(text):
        return "endless"
    if finish == "length" and not _ENDS.search(text):
        return "cut"
    return ""


def _is_garbage(letter: str) -> bool:
    """U+FFFD stands for bytes that were no UTF-8; of control characters only layout has a place in a text."""
    return letter == "\ufffd" or (unicodedata.category(letter) in ("Cc", "Cs", "Cn") and letter not in _LAYOUT)


def _is_structured(text: str) -> bool:
    """Whether it is JSON for a program. A bare number or a text in quotes is an answer, if a short one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return value is None or isinstance(value, bool | dict | list)


def _loops(text: str) -> bool:
    """Whether the end of a text repeats itself."""
    line = " ".join(text.split())
    for period in range(1, len(line) // _TIMES + 1):
        length = max(period * _TIMES, _LOOP_CHARS)
        end = line[-length:]
        if len(end) == length and end[period:] == end[:-period]:
            return True
    return False

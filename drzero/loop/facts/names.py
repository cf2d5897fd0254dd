"""The names of a text: its capitalised words (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from drzero.loop.facts.wording import STOP_WORDS

_NAME = re.compile(r"[^\W\d_][\w'’.&-]*")
_ABBREVIATED = re.compile(r"\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|Gen|Col|Capt|Lt|Sgt|Rev|Mt|Ft|No|vs)\.$")


@dataclass(frozen=True, slots=True)
class Name:
    """Capitalised words that stand together, with their place; `opens` when the first begins a sentence."""

    words: tuple[str, ...]
    start: int
    end: int
    opens: bool = False

    def __str__(self) -> str:
        return " ".join(self.words)


def names(text: str) -> list[str]:
    """Capitalised words of `text` that are names: not the first word of a sentence, unless another name follows it.

    Months are names; the word "I" and single initials are not.
    """
    return [word for word, _, _, _ in _name_words(text)]


def _name_words(text: str) -> Iterator[tuple[str, int, int, bool]]:
    candidates = list(_NAME.finditer(text))
    for at, match in enumerate(candidates):
        before = text[max(0, match.start() - 12) : match.start()].rstrip(" \"'“‘(")
        opens = not before or (before[-1] in ".!?:;\n" and not _ABBREVIATED.search(before))
        word = match[0].rstrip(".'’-").removesuffix("'s").removesuffix("’s")
        if len(word) < 2 or not any(c.isupper() for c in word):
            continue
        if opens and word[1:].islower():
            following = candidates[at + 1] if at + 1 < len(candidates) else None
            joined = (
                following is not None and text[match.end() : following.start()] == " " and following[0][0].isupper()
            )
            if not joined or word.casefold() in STOP_WORDS:
                continue
        yield word, match.start(), match.start() + len(match[0].rstrip(".'’-")), opens


def read_names(text: str) -> list[Name]:
    """The names of `text`, words that only a space parts together."""
    found: list[Name] = []
    for word, start, end, opens in _name_words(text):
        last = found[-1] if found else None
        initials = last is not None and re.fullmatch(r"\.?\s(?:[A-Z]\.\s?)*", text[last.end : start])
        if last is not None and initials and not opens and text[last.end - 1] not in ",;:":
            found[-1] = Name((*last.words, word), last.start, end, last.opens)
        else:
            found.append(Name((word,), start, end, opens))
    return found

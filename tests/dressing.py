"""Ways to write the same words: what a quote may differ in, and what it may not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from random import Random

from drzero.text import word_spans

_LONG_WORD = re.compile(r"[^\W\d_]{7,}")
_SPACE = re.compile(r"(?<=\S) (?=\S)")
_LIGATURES = {"ffi": "ﬃ", "ffl": "ﬄ", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ"}


def _some(pattern: str | re.Pattern[str], new: Callable[[re.Match[str]], str], share: float = 0.5) -> Dress:
    def dress(text: str, random: Random) -> str:
        return re.sub(pattern, lambda match: new(match) if random.random() < share else match[0], text)

    return dress


Dress = Callable[[str, Random], str]


def _between_clusters(word: str, at: int) -> int:
    """The nearest place from `at` on where no mark stands: a word is broken between letters."""
    while at < len(word) and unicodedata.category(word[at])[0] == "M":
        at += 1
    return at


def _broken(match: re.Match[str]) -> str:
    word = match[0]
    at = _between_clusters(word, len(word) // 2)
    return f"{word[:at]}-\n{word[at:]}" if at < len(word) and word[at - 1].isupper() >= word[at].isupper() else word


def _ligatures(text: str, _: Random) -> str:
    for plain, one in _LIGATURES.items():
        text = text.replace(plain, one)
    return text


def _wide(text: str, random: Random) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" < c <= "~" and c.isalnum() else c for c in text)


DRESSES: dict[str, Dress] = {
    "curly quotes": lambda text, _: re.sub(r'"([^"]*)"', r"“\1”", text).replace("'", "’"),
    "straight quotes": lambda text, _: re.sub("[“”„«»]", '"', re.sub("[‘’]", "'", text)),
    "other dashes": _some("[-–—]", lambda match: {"-": "‐", "–": "-", "—": "–"}[match[0]], 1.0),
    "no-break spaces": _some(" ", lambda _: "\u00a0"),
    "thin and double spaces": _some(" ", lambda _: " \u2009"),
    "other line breaks": _some(_SPACE, lambda _: "\n", 0.2),
    "soft hyphens": _some(_LONG_WORD, lambda match: f"{match[0][:3]}\u00ad{match[0][3:]}"),
    "zero-width spaces": _some(" ", lambda _: "\u200b \ufeff"),
    "direction marks": lambda text, _: f"\u202b{text}\u202c\u200f",
    "ligatures": _ligatures,
    "decomposed": lambda text, _: unicodedata.normalize("NFD", text),
    "composed": lambda text, _: unicodedata.normalize("NFC", text),
    "full width": _wide,
    "words of two lines": _some(_LONG_WORD, _broken),
    "footnotes behind words": _some(r"(?<=[^\W\d_]{4}) (?=[^\W\d_])", lambda _: "[3] ", 0.2),
    "footnotes behind sentences": _some(r"(?<=[^\W\d_])[.,](?=\s|$)", lambda match: f"{match[0]}[12][citation needed]"),
    "notes": lambda text, _: f"{text}[a][note 2]",
    "marks around": lambda text, _: text if text[-1:] in '"”' else f"“{text}”",
    "blanks around": lambda text, _: f"\n {text}\t",
}


def dressed(text: str, random: Random, count: int = 3) -> str:
    """`text` in several dresses at once, drawn by `random`; those that join badly are put on in a fixed order."""
    for name in sorted(random.sample(sorted(DRESSES), count), key=list(DRESSES).index):
        text = DRESSES[name](text, random)
    return text


def changed(text: str, other: str, random: Random) -> str:
    """`text` with one of its words replaced by another word of `other`."""
    spans = word_spans(text)
    start, end = spans[random.randrange(len(spans))]
    pool = [other[a:b] for a, b in word_spans(other) if other[a:b].casefold() != text[start:end].casefold()]
    new = random.choice(pool)
    return text[:start] + new + text[end:]

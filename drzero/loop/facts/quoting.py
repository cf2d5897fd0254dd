"""Words that are quoted or are code: a title "You Don't Know Me" denies nothing and speaks of nobody (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence

_QUOTED = re.compile(r'(?<![\w"])"[^"\n]*"(?!\w)|“[^“”\n]*”|«[^«»\n]*»')
_CODE = re.compile(r"`[^`\n]*`|(?<!\w)[\w.]+\((?:[^()\n]|\([^()\n]*\))*\)")


def without_quoted(text: str) -> str:
    """`text` with blanks for what stands in it between double quotes, marks included; its length stays."""
    return _QUOTED.sub(_blank, text)


def without_quoted_or_code(text: str) -> str:
    """`text` with blanks for what is quoted, for code between backticks and for calls; its length stays."""
    return _CODE.sub(_blank, without_quoted(text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


_WORD = re.compile(r"[^\W_][\w'’]*")
_SMALL = frozenset("a an the of in on at to for from by with and or but nor as".split())  # within a title
_LEAST = 2  # words of a title: "Never" opens sentences, "You Don't Know Me" does not


def titles_said(claim: str, place: str, evidence: str) -> list[str]:
    """Titles in the claim, the longest first: its words as they stand, each with a capital but for small ones.

    They stand so, two words at the least, in `place` or between double quotes in the evidence.
    """
    quoted = " \n ".join(match[0][1:-1] for match in _QUOTED.finditer(evidence))
    found: list[str] = []
    for source in (place, quoted):
        spans = [match.span() for match in _WORD.finditer(source)]
        at = 0
        while at < len(spans):
            run = _longest(claim, source, spans[at:])
            found += [run] if run else []
            at += max(1, len(_WORD.findall(run)))
    return sorted(dict.fromkeys(found), key=len, reverse=True)


def _longest(claim: str, source: str, spans: Sequence[tuple[int, int]]) -> str:
    """The longest title that begins with the first of the words of `source` and stands in the claim; "" for none."""
    best = ""
    for number, (_, end) in enumerate(spans, 1):
        run = source[spans[0][0] : end]
        word = source[spans[number - 1][0] : end]
        if "\n" in run or not re.search(rf"(?<!\w){re.escape(run)}(?![\w'’])", claim):
            break
        if not (word[0].isupper() or word[0].isdigit()):
            if number == 1 or word not in _SMALL:
                break
        elif number >= _LEAST:
            best = run
    return best


def with_names_for(text: str, titles: Sequence[str]) -> str:
    """`text` with one made-up word for each of the titles: still a thing that is spoken of, and no sense in it."""
    for title in titles:
        name = f"Title{''.join(filter(str.isalnum, title))}X"
        text = re.sub(rf"(?<!\w){re.escape(title)}(?![\w'’])", name, text)
    return text

"""Plain text → sections."""

from __future__ import annotations

import re

from drzero.corpus.html import Page
from drzero.corpus.outline import Outline

_SHORT_LINE_CHARS = 45
_CODE_OPENING = re.compile(r"\s*(?:[!;(]*function\b|/\*|[\"']use strict|var\s|@(?:import|charset|media)\b|<\?php)")
_CODE_SIGNS = re.compile(r"[{};]\s*(?:\n|$)|^\s*(?:function|var|const|@import|@media)\b|\*/|/\*", re.M)


def read_plain(text: str) -> Page:
    """Read plain text: paragraphs lie between blank lines; verse, lists and code keep their lines."""
    outline = Outline()
    for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        lines = [line for line in paragraph.split("\n") if line.strip()]
        if not lines:
            continue
        wrapped = all(not line.startswith((" ", "\t")) for line in lines[1:]) and (
            sum(map(len, lines)) / len(lines) > _SHORT_LINE_CHARS
        )
        if wrapped:
            outline.block(" ".join(lines))
        else:
            outline.code("\n".join(lines))
    return Page("", outline.sections())


def is_source(text: str) -> bool:
    """True for the source of a program or style sheet that was given the type of plain text."""
    head = text[:20_000]
    lines = head.count("\n") + 1
    return bool(_CODE_OPENING.match(head)) or len(_CODE_SIGNS.findall(head)) > max(2, lines // 4)

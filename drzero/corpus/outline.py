"""Blocks of text collected under headings: what the readers of HTML, Markdown and plain text all write to."""

from __future__ import annotations

import re

from drzero.text import clean_title
from drzero.types import SECTION_BREAK, Section

_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff\ud800-\udfff]")
_DETAILS_LEVEL = 7


def fold(text: str) -> str:
    """`text` as one line: white space folded, control characters, soft hyphens and other unseen characters removed."""
    return " ".join(_UNSEEN.sub("", text).split())


class Outline:
    """Collects blocks in reading order. A heading that only repeats `title` opens no section.

    Sections under a heading in `left_out` (compared without case) are dropped with all below them.
    """

    def __init__(self, title: str = "", *, left_out: frozenset[str] = frozenset()) -> None:
        self._title = clean_title(title).casefold()
        self._left_out = left_out
        self._path: list[tuple[int, str]] = []
        self._parts: list[tuple[tuple[str, ...], list[str]]] = [((), [])]
        self._silent = False

    def heading(self, level: int, text: str) -> None:
        """Open the section `text` at `level` (1 to 6), closing those at its level and below."""
        text = clean_title(fold(text))
        if not text:
            return
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        name = text.casefold()
        if not (level == 1 and self._title and self._title.startswith(name)):
            self._path.append((level, text))
        self._open()

    def open_details(self, summary: str) -> int:
        """Open a collapsed part under its summary; returns the mark that `close_details` wants."""
        mark = len(self._path)
        if text := clean_title(fold(summary)):
            self._path.append((_DETAILS_LEVEL, text))
            self._open()
        return mark

    def close_details(self, mark: int) -> None:
        """Go back to the section that stood before `open_details`."""
        if len(self._path) > mark:
            del self._path[mark:]
            self._open()

    def _open(self) -> None:
        path = tuple(text for _, text in self._path)
        self._silent = any(text.casefold().strip(" :") in self._left_out for text in path)
        if path != self._parts[-1][0]:
            self._parts.append((path, []))

    def block(self, text: str) -> None:
        """Add a paragraph, row or item; white space is folded and an empty block is dropped."""
        if not self._silent and (text := fold(text)):
            self._parts[-1][1].append(text)

    def code(self, text: str) -> None:
        """Add lines that keep their indentation and blank lines, such as a program or a poem."""
        lines = [_UNSEEN.sub("", line).rstrip() for line in text.splitlines()]
        while lines and not lines[0]:
            lines.pop(0)
        while lines and not lines[-1]:
            lines.pop()
        if lines and not self._silent:
            self._parts[-1][1].append("\n".join(lines))

    def sections(self) -> tuple[Section, ...]:
        """The sections that hold text, with their places in the article's text."""
        sections: list[Section] = []
        start = 0
        for heading, blocks in self._parts:
            if blocks:
                text = "\n".join(blocks)
                sections.append(Section(heading, text, start))
                start += len(text) + len(SECTION_BREAK)
        return tuple(sections)

"""Blocks of text collected under headings: what the readers of HTML, Markdown and plain text all write to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate

from drzero.text import clean_title
from drzero.types import SECTION_BREAK, Section

_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff\ud800-\udfff]")
# Joiners join letters of scripts that have them and pictures; beside Latin letters and spaces they are left-overs.
_STRAY_JOINER = re.compile(
    r"[\u200c\u200d] (?=['’]s\b)|(?<![^\s\x00-\u024f])[\u200c\u200d]|[\u200c\u200d](?![^\s\x00-\u024f])"
)
_SOURCE = re.compile(
    r"\bISBN\b|\bISSN\b|\bOCLC\b|\bdoi\b|\bpp?\. ?\d|\bed(?:s|itors?)?\.\)?[,:]|\bVol\. ?\d"
    r"|\b(?:Press|Publish(?:ing|ers?)|Books|Verlag|University)\b.*\b(?:1[89]|20)\d\d\b"
    r"|\((?:1[5-9]|20)\d\d[a-z]?\)\.? .*[.:]",
)
_DETAILS_LEVEL = 7
_POST_LEVEL = 0  # above all headings
_COMPANIONS = frozenset(("notes", "sources", "bibliography"))


def fold(text: str) -> str:
    """`text` as one line: white space folded, control characters, soft hyphens and other unseen characters removed."""
    text = " ".join(text.split())
    if text.isprintable():
        return text
    text = " ".join(_UNSEEN.sub("", text).split())
    return _STRAY_JOINER.sub("", text) if "\u200c" in text or "\u200d" in text else text


def _bare(heading: str) -> str:
    """A heading as it is compared: without case and closing punctuation."""
    return heading.casefold().strip(" .:")


class Outline:
    """Collects blocks in reading order. A heading that only repeats `title` opens no section.

    Sections under a heading in `left_out` (compared without case) or joined of such are dropped with all below them,
    and those in `books` when most of what they hold are sources and not, say, the works of the author it is about.
    Blocks and headings in `furniture` are dropped alone.
    """

    def __init__(
        self,
        title: str = "",
        *,
        left_out: frozenset[str] = frozenset(),
        books: frozenset[str] = frozenset(),
        furniture: frozenset[str] = frozenset(),
    ) -> None:
        self._title = _bare(clean_title(title))
        self._left_out = left_out
        self._books = books
        self._furniture = furniture
        self._path: list[tuple[int, str]] = []
        self._parts: list[_Part] = [_Part(())]
        self._kept: set[str] = set()  # headings looked at and not left out
        self._silent = False
        self._floor = 0  # headings up to here stay open until the post ends

    def heading(self, level: int, text: str) -> None:
        """Open the section `text` at `level` (1 to 6), closing those at its level and below."""
        text = clean_title(fold(text))
        if not text:
            return
        while len(self._path) > self._floor and self._path[-1][0] >= level:
            self._path.pop()
        if text not in self._furniture and not self._repeats_title(level, _bare(text)):
            self._path.append((level, text))
        self._open()

    def _repeats_title(self, level: int, name: str) -> bool:
        if level == 1:
            return bool(self._title) and self._title.startswith(name)
        return level == 2 and name == self._title and not any(part.blocks for part in self._parts)

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

    def open_post(self, heading: str = "") -> int:
        """Open a part that is a whole of its own, such as an answer; returns the mark that `close_post` wants.

        A `heading` stands in place of those that are open, such as a count of answers.
        """
        mark = self._floor
        if heading:
            self._path[mark:] = [(_POST_LEVEL, heading)]
        self._floor = len(self._path)
        self._open(anew=True)
        return mark

    def close_post(self, mark: int) -> None:
        """Close all headings of the post."""
        headed = self._floor > mark and self._path[mark][0] == _POST_LEVEL
        del self._path[mark if headed else self._floor :]
        self._floor = mark
        self._open(anew=True)

    def _open(self, *, anew: bool = False) -> None:
        path = tuple(text for _, text in self._path)
        self._silent = not self._kept.issuperset(path) and any(map(self._is_left_out, path))
        if anew or path != self._parts[-1].heading:
            self._parts.append(_Part(path))

    def _is_left_out(self, heading: str) -> bool:
        name = _bare(heading)
        parts = re.split(r"\s*[/&]\s*|\s+and\s+", name)
        if name in self._left_out or (
            not self._left_out.isdisjoint(parts) and self._left_out.union(_COMPANIONS).issuperset(parts)
        ):
            return True
        self._kept.add(heading)
        return False

    def block(self, text: str) -> None:
        """Add a paragraph, row or item; white space is folded and an empty block is dropped."""
        self.line(fold(text))

    def line(self, text: str) -> None:
        """Add a block that is folded already."""
        if text and not self._silent and text not in self._furniture:
            self._parts[-1].blocks.append(text)

    def code(self, text: str, language: str = "") -> None:
        """Add lines that keep their indentation and blank lines, such as a program or a poem.

        Several lines in a known language stand between the fences that Markdown has for it; fences around a single line
        would take more room of a chunk than the line.
        """
        lines = [line.rstrip() for line in text.splitlines()]
        if not all(line.isprintable() for line in lines):
            lines = [_UNSEEN.sub("", line).replace("\u00a0", " ").rstrip() for line in text.splitlines()]
        while lines and not lines[0]:
            lines.pop(0)
        while lines and not lines[-1]:
            lines.pop()
        if lines and not self._silent:
            part = self._parts[-1]
            if len(lines) > 1:
                part.code.append(len(part.blocks))
                if language and not any("```" in line for line in lines):
                    lines = [f"```{language}", *lines, "```"]
            part.blocks.append("\n".join(lines))

    def sections(self) -> tuple[Section, ...]:
        """The sections that hold text, with their places in the article's text."""
        sections: list[Section] = []
        start = 0
        for part in self._parts:
            if part.blocks and not self._lists_sources(part):
                text = "\n".join(part.blocks)
                sections.append(Section(part.heading, text, start, part.code_spans()))
                start += len(text) + len(SECTION_BREAK)
        return tuple(sections)

    def _lists_sources(self, part: _Part) -> bool:
        if not part.heading or self._books.isdisjoint(map(_bare, part.heading)):
            return False
        return sum(bool(_SOURCE.search(block)) for block in part.blocks) >= len(part.blocks) / 2


@dataclass(slots=True)
class _Part:
    """Blocks below one heading; `code` are the numbers of those that are lines of code or verse."""

    heading: tuple[str, ...]
    blocks: list[str] = field(default_factory=list)
    code: list[int] = field(default_factory=list)

    def code_spans(self) -> tuple[tuple[int, int], ...]:
        if not self.code:
            return ()
        ends = list(accumulate((len(block) + 1 for block in self.blocks), initial=0))
        return tuple((ends[number], ends[number + 1] - 1) for number in self.code)

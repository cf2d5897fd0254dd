"""Where a text is best cut: at lines, else sentences, else words; not within code that fits, nor within a character."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import regex

from drzero.text import Span, sentences, word_spans
from drzero.types import Encoding

_FULL = 0.6  # a line break this far into a chunk is a good place to end it
_SEARCHED_CHARS = 400
_LEADS_IN = 1000  # worse than any indentation
_TOKEN_CHARS = 16  # most characters for each token of a chunk: what takes more is no text that the tokenizer knows
_TITLE_CHARS = 60
_ROW = regex.compile(r"^\d+\. |[^ ]: | \| ")  # an item with its number, or a value with its label
_CLUSTER = regex.compile(r"\X")
_PLAIN = r"[\n\x20-\x7e\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff]"
_PARTED = regex.compile(_PLAIN * 2)  # two characters that are never of one cluster


@dataclass(slots=True)
class Cutter:
    """A text to be cut, with its tokens, numbered from 0, which are read window by window as they are asked for.

    `code` are the spans to keep whole where they hold at most `room` tokens.
    """

    text: str
    windows: Iterator[tuple[int, Encoding]]  # end of the window in the text, tokens of the window
    room: int
    language: str = "en"
    code: Sequence[Span] = ()
    ids: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    known: int = 0

    def _read(self) -> None:
        base = self.known
        self.known, encoding = next(self.windows)
        self.ids += encoding.ids
        self.starts += [base + start for start in encoding.starts] if base else encoding.starts

    def number(self, at: int) -> int:
        """The number of the first token that begins at `at` or behind."""
        while self.known <= at and self.known < len(self.text):
            self._read()
        return bisect_left(self.starts, at)

    def place(self, number: int) -> int:
        """Where the token of this number begins; the text's length when there are fewer."""
        while number >= len(self.starts) and self.known < len(self.text):
            self._read()
        return self.starts[number] if number < len(self.starts) else len(self.text)

    def best_end(self, start: int, allowance: int) -> int:
        """Where a chunk from `start` of at most `allowance` tokens best ends."""
        text, first = self.text, self.number(start)
        hard = min(self.place(first + allowance), start + _TOKEN_CHARS * allowance)
        if hard >= len(text):
            return len(text)
        end = self._text_end(start, max(hard, start + 1), allowance)
        span = self._code_at(start, end)
        if span:
            end = self._around(start, end, span, allowance)
        return self._whole_clusters(start, end, hard)

    def _code_at(self, start: int, end: int) -> Span | None:
        """The code that a cut at `end` falls into; none where it began before the chunk from `start`."""
        number = bisect_left(self.code, (end, 0)) - 1
        if number < 0:
            return None
        begin, stop = self.code[number]
        return (begin, stop) if end < stop and (begin >= start or not self.text[begin:start].strip()) else None

    def _text_end(self, start: int, hard: int, allowance: int) -> int:
        text, first, soft = self.text, self.number(start), hard
        if self.place(first + allowance + allowance // 2) >= len(text):  # two even chunks rather than one and a scrap
            half = (self.number(len(text)) - first) // 2
            soft = max(min(self.place(first + min(allowance, half + half // 5 + 1)), hard), start + 1)
            end = self._break(start, soft)
            if end and self.number(end) - first >= _FULL * half:
                return end
        return self._break(start, hard) or _word_end(text, start, soft) or _word_end(text, start, hard) or hard

    def _around(self, start: int, end: int, span: Span, allowance: int) -> int:
        """The end of a chunk, not within `span` as `end` is but behind it, else before it, if the span fits a chunk."""
        begin, stop = span
        if not self._fits(begin, stop, self.room):
            return end
        if self._fits(start, stop, allowance):
            return stop
        line = self.text.rfind("\n", start, max(start, begin - 1)) + 1
        leads_in = line > start and self.text[line:begin].rstrip().endswith(":") and not self._is_code(line)
        if leads_in and self._fits(line, stop, self.room):
            begin = line
        return begin if self.text[start:begin].strip() else end

    def _is_code(self, at: int) -> bool:
        number = bisect_right(self.code, (at, len(self.text))) - 1
        return number >= 0 and at < self.code[number][1]

    def _fits(self, start: int, end: int, allowance: int) -> bool:
        return end - start <= _TOKEN_CHARS * allowance and self.number(end) - self.number(start) <= allowance

    def _whole_clusters(self, start: int, end: int, hard: int) -> int:
        """`end`, moved so that it breaks no grapheme cluster; one that reaches from `start` beyond `hard` is broken."""
        begin = cluster_start(self.text, end, start)
        if begin == end or self.text[start:begin].strip():
            return begin
        stop = int(_CLUSTER.match(self.text, begin).end())
        return stop if stop <= hard else max(hard, start + 1)

    def _break(self, start: int, hard: int) -> int:
        """The best end of a line or sentence up to `hard`; 0 when only the end of a word will do."""
        text = self.text
        line = text.rfind("\n", start, hard) + 1
        if line <= start or not text[start:line].strip():
            return _sentence_end(text, start, hard, self.language)
        first = self.number(start)
        full, before = self.number(hard) - first, self.number(line) - first
        if before >= _FULL * full:
            most, half = (self.place(first + int(share * full)) for share in (_FULL, _FULL / 2))
            return _best_line(text, most, half, line)
        if end := _sentence_end(text, line, hard, self.language):
            return end
        next_line = text.find("\n", hard)
        fits = self.number(next_line if next_line >= 0 else len(text)) - first - before <= full
        return line if fits or before >= _FULL / 2 * full else 0


def skip_space(text: str, at: int) -> int:
    """Where the next text begins from `at` on: at its first visible character or, on a new line, its indentation."""
    if at < len(text) and not text[at].isspace():
        return at
    rest = text[at : at + _SEARCHED_CHARS]
    visible = at + len(rest) - len(rest.lstrip())
    while visible < len(text) and text[visible].isspace():
        visible += 1
    if visible == len(text):
        return visible
    line = text.rfind("\n", at, visible) + 1
    if line:
        return line
    return at if at == 0 or text[at - 1] == "\n" else visible


def cluster_start(text: str, at: int, known: int) -> int:
    """Where the grapheme cluster begins that a cut at `at` would break; `at` when none. At `known` one begins."""
    if at >= len(text) or _PARTED.match(text, at - 1):
        return at
    safe = at - 1
    while safe > known and not _PARTED.match(text, safe - 1):
        safe -= 1
    return next(int(match.start()) for match in _CLUSTER.finditer(text, safe) if match.end() > at)


def _best_line(text: str, most: int, half: int, last: int) -> int:
    """The end of the line up to `last` behind which a new thing begins: one behind `most`, at worst behind `half`.

    A line that ends with a colon or a bracket, opens code or is the title of the rows below leads in to the next one;
    of code the least indented lines begin things.
    """
    best, least = last, _LEADS_IN * 2
    end = last
    while end > half and (end > most or least >= _LEADS_IN):
        following = text[end : end + _SEARCHED_CHARS].lstrip("\n").split("\n", 1)[0]
        cost = len(following) - len(following.lstrip())
        before = text[max(half, end - _SEARCHED_CHARS) : end].rstrip()
        if _leads_in(before.rsplit("\n", 1)[-1], following):
            cost += _LEADS_IN
        if cost < least:
            best, least = end, cost
        end = text.rfind("\n", 0, end - 1) + 1
    return best


def _leads_in(line: str, following: str) -> bool:
    """Whether `line` is nothing without the line `following` it."""
    if line.endswith((":", "(", "[", "{")) or following.lstrip().startswith((")", "]", "}")):
        return True
    if (line.startswith("```") and line != "```") or following == "```":
        return True
    titles = len(line) <= _TITLE_CHARS and line[-1:] not in ".!?;" and not _ROW.search(line)
    return titles and bool(_ROW.search(following))


def _sentence_end(text: str, line: int, hard: int, language: str) -> int:
    """The end of the last sentence that begins at or behind `line` and ends before `hard`; 0 when there is none."""
    stop = text.find("\n", hard)
    stop = min(stop if stop >= 0 else len(text), hard + _SEARCHED_CHARS)
    ends = [line + end for _, end in sentences(text[line:stop], language)]
    last = bisect_right(ends, hard) - 1
    return ends[last] if last >= 0 and ends[last] > line else 0


def _word_end(text: str, start: int, hard: int) -> int:
    """The last place up to `hard` that breaks no word: at white space, else between words; 0 when there is none."""
    if text[start:hard].strip() and (text[hard].isspace() or text[hard - 1].isspace()):
        return hard
    for at in range(hard - 1, start, -1):
        if text[at].isspace() and text[start:at].strip():
            return at
    behind = min(len(text), hard + _SEARCHED_CHARS)
    for begin, end in reversed(word_spans(text[start:behind])):
        for at in (start + end, start + begin):
            if at <= hard and text[start:at].strip() and cluster_start(text, at, start) == at:
                return at
    return 0

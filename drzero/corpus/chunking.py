"""Article → chunks that the embedder can read whole."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from drzero.text import content_id, embedding_text, sentences, word_spans
from drzero.types import Article, Chunk, Tokenizer

_WINDOW_CHARS = 20_000
_FULL = 0.6  # a line break this far into a chunk is a good place to end it
_SEARCHED_CHARS = 400
_LEADS_IN = 1000  # worse than any indentation


def chunk_article(article: Article, tokenizer: Tokenizer, *, target_tokens: int, language: str = "en") -> list[Chunk]:
    """Cut `article` into chunks of at most `target_tokens`, measured on `embedding_text` by the embedder's tokenizer.

    A chunk lies in one section and ends at a line, else a sentence, else a word. All text is in exactly one chunk.
    Raises ValueError when title and heading leave no room for text.
    """
    budget = min(target_tokens, tokenizer.limit_tokens)
    chunks = []
    for section in article.sections:
        size = partial(_size, tokenizer, article.title, section.heading)
        if size("") >= budget:
            raise ValueError(f"{budget} tokens are too few for the title {article.title!r} and a text")
        for start, end in _cut(section.text, _Tokens(section.text, tokenizer), size, budget, language):
            text = section.text[start:end]
            place = section.start + start
            chunks.append(
                Chunk(
                    id=content_id(article.zim_id, article.path, place, text),
                    zim_id=article.zim_id,
                    path=article.path,
                    title=article.title,
                    heading=section.heading,
                    text=text,
                    start=place,
                    end=place + len(text),
                )
            )
    return chunks


def _size(tokenizer: Tokenizer, title: str, heading: tuple[str, ...], text: str) -> int:
    return tokenizer.count(embedding_text(title, heading, text))


def _cut(
    text: str, tokens: _Tokens, size: Callable[[str], int], budget: int, language: str
) -> Iterator[tuple[int, int]]:
    """The spans of the chunks of one section's text. `size` counts the tokens of a chunk with its place."""
    room = budget - size("")
    start = _skip_space(text, 0)
    while start < len(text):
        allowance = room
        while True:
            end = _end(text, start, tokens, allowance, language)
            trimmed = start + len(text[start:end].rstrip())
            over = size(text[start:trimmed]) - budget
            if over <= 0:
                break
            if allowance == 1:
                end = trimmed = _longest(text, start, trimmed, lambda piece: size(piece) <= budget)
                break
            allowance = max(1, min(allowance, tokens.between(start, trimmed)) - over)
        yield start, trimmed
        start = _skip_space(text, end)


def _skip_space(text: str, at: int) -> int:
    """Where the next text begins from `at` on: at its first visible character or, on a new line, its indentation."""
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


@dataclass(slots=True)
class _Tokens:
    """Where the tokens of a text begin, found a window of whole lines at a time."""

    text: str
    tokenizer: Tokenizer
    starts: list[int] = field(default_factory=list)
    known: int = 0

    def _read_to(self, position: int) -> None:
        while self.known < min(position, len(self.text)):
            end = len(self.text)
            if end - self.known > _WINDOW_CHARS:
                line = self.text.rfind("\n", self.known, self.known + _WINDOW_CHARS) + 1
                space = self.text.rfind(" ", self.known, self.known + _WINDOW_CHARS) + 1
                end = line or space or self.known + _WINDOW_CHARS
            window = self.text[self.known : end]
            self.starts.extend(self.known + start for start, stop in self.tokenizer.offsets(window) if stop > start)
            self.known = end

    def after(self, start: int, count: int) -> int:
        """Where the token begins that lies `count` tokens behind `start`; the text's length when there are fewer."""
        while True:
            first = bisect_left(self.starts, start)
            if first + count < len(self.starts):
                return self.starts[first + count]
            if self.known >= len(self.text):
                return len(self.text)
            self._read_to(self.known + 1)

    def between(self, start: int, end: int) -> int:
        """How many tokens begin in [start, end)."""
        self._read_to(end)
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)


def _end(text: str, start: int, tokens: _Tokens, allowance: int, language: str) -> int:
    """Where a chunk from `start` of at most `allowance` tokens best ends."""
    hard = tokens.after(start, allowance)
    if hard >= len(text):
        return len(text)
    soft = hard = max(hard, start + 1)
    if tokens.after(start, allowance + allowance // 2) >= len(text):  # two even chunks rather than one and a scrap
        half = tokens.between(start, len(text)) // 2
        soft = max(tokens.after(start, min(allowance, half + half // 5 + 1)), start + 1)
        end = _break(text, start, soft, tokens, language)
        if end and tokens.between(start, end) >= _FULL * half:
            return end
    end = _break(text, start, hard, tokens, language)
    return end or _word_end(text, start, soft) or _word_end(text, start, hard) or hard


def _break(text: str, start: int, hard: int, tokens: _Tokens, language: str) -> int:
    """The best end of a line or sentence up to `hard`; 0 when only the end of a word will do."""
    full = tokens.between(start, hard)
    line = text.rfind("\n", start, hard) + 1
    if line <= start or not text[start:line].strip():
        return _sentence_end(text, start, hard, language)
    if tokens.between(start, line) >= _FULL * full:
        most, half = (tokens.after(start, int(share * full)) for share in (_FULL, _FULL / 2))
        return _best_line(text, most, half, line)
    if end := _sentence_end(text, line, hard, language):
        return end
    next_line = text.find("\n", hard)
    fits = tokens.between(line, next_line if next_line >= 0 else len(text)) <= full
    return line if fits or tokens.between(start, line) >= _FULL / 2 * full else 0


def _best_line(text: str, most: int, half: int, last: int) -> int:
    """The end of the line up to `last` behind which a new thing begins: one behind `most`, at worst behind `half`.

    A line that ends with a colon or a bracket leads in to the next one; of code the least indented lines begin things.
    """
    best, least = last, _LEADS_IN * 2
    end = last
    while end > half and (end > most or least >= _LEADS_IN):
        following = text[end : end + _SEARCHED_CHARS].lstrip("\n").split("\n", 1)[0]
        cost = len(following) - len(following.lstrip())
        before = text[max(half, end - _SEARCHED_CHARS) : end].rstrip()
        if before.endswith((":", "(", "[", "{")) or following.lstrip().startswith((")", "]", "}")):
            cost += _LEADS_IN
        if cost < least:
            best, least = end, cost
        end = text.rfind("\n", 0, end - 1) + 1
    return best


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
        if start + end <= hard:
            return start + end
        if start + begin <= hard and text[start : start + begin].strip():
            return start + begin
    return 0


def _longest(text: str, start: int, end: int, fits: Callable[[str], bool]) -> int:
    """The end of the longest piece from `start` that fits, for text of which one token counts as several."""
    return next((stop for stop in range(end - 1, start, -1) if fits(text[start:stop])), start + 1)

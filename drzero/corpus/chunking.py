"""Article → chunks that the embedder can read whole, with their token ids: each text is tokenized once.

A tokenizer that goes word by word (`Tokenizer.frame`) reads an article's sections in one batch, and a chunk's ids are
put together: what stands before every text, the place line, the tokens of the text between the cuts, what stands
behind. With other tokenizers, and where a cut lies within a run of text without spaces, a chunk is encoded anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from drzero.corpus.cutting import Cutter, cluster_start, skip_space
from drzero.text import content_id, embedding_text
from drzero.types import Article, Chunk, Encoding, Section, TokenisedChunk, Tokenizer

_LIKELY_CHARS = 4  # a text of so many characters for each token that it may have is likely to fit
_WINDOW_CHARS = 20_000
_BATCH_CHARS = 200_000  # tokens take a hundred times the room of their text while they are looked at
_PLACE_SEPARATOR = " › "  # within the place line, and always with spaces beside it

Cut = tuple[int, int, list[int]]  # span in the section's text, token ids


def chunk_article(article: Article, tokenizer: Tokenizer, *, target_tokens: int, language: str = "en") -> list[Chunk]:
    """The chunks of `tokenised_chunks` without their tokens."""
    made = tokenised_chunks(article, tokenizer, target_tokens=target_tokens, language=language)
    return [one.chunk for one in made]


def tokenised_chunks(
    article: Article, tokenizer: Tokenizer, *, target_tokens: int, language: str = "en"
) -> list[TokenisedChunk]:
    """Cut `article` into chunks of at most `target_tokens`, measured on `embedding_text` by the embedder's tokenizer.

    A chunk lies in one section and ends at a line, else a sentence, else a word. Code that fits into a chunk is kept
    whole, and so is a character with its marks. Text of which the tokenizer knows no words is cut by its length. All
    text is in exactly one chunk. `tokens` are those of `Tokenizer.ids(embedding_text(…))`. Raises ValueError when
    title and heading leave no room for text.
    """
    budget, frame = min(target_tokens, tokenizer.limit_tokens), tokenizer.frame
    sections = [section for section in article.sections if section.text]
    places = [embedding_text(article.title, section.heading, "") for section in sections]
    likely = [frame is not None and len(section.text) <= _LIKELY_CHARS * budget for section in sections]
    short = [section.text for section, fits in zip(sections, likely, strict=True) if fits]
    parts = list(dict.fromkeys(part for place in places for part in (*_parts(place), _PLACE_SEPARATOR)))
    ids = iter(tokenizer.ids([*parts, *short], alone=True) if frame else ())
    known = dict(zip(parts, ids, strict=False)) if frame else {}
    apart = frame.apart if frame else frozenset[str]()
    windows = [[] if fits else list(_windows(one.text, apart)) for one, fits in zip(sections, likely, strict=True)]
    long = [section.text[a:b] for section, spans in zip(sections, windows, strict=True) for a, b in spans]
    encodings = _encoded(tokenizer, long)
    made = []
    for section, place, fits, spans in zip(sections, places, likely, windows, strict=True):
        measure = _Measure(tokenizer, place, known)
        room = budget - measure.around
        if room <= 0:
            raise ValueError(f"{budget} tokens are too few for the title {article.title!r} and a text")
        if fits and len(alone := next(ids)) <= room:
            cuts = _whole(section.text, measure, alone)
        else:
            own = islice(encodings, len(spans)) if spans else iter(tokenizer.encode([section.text]))
            ends = [end for _, end in spans] or [len(section.text)]
            cuts = _cuts(
                Cutter(section.text, zip(ends, own, strict=False), room, language, section.code), measure, budget
            )
        made += [_made(article, section, cut) for cut in cuts]
    return made


def _parts(place: str) -> list[str]:
    return place.rstrip("\n").split(_PLACE_SEPARATOR)


def _windows(text: str, apart: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Spans of about `_WINDOW_CHARS` that cover `text`, ending at lines, else at spaces, else beside one of `apart`."""
    start = 0
    while start < len(text):
        end = len(text)
        if end - start > _WINDOW_CHARS:
            line = text.rfind("\n", start, start + _WINDOW_CHARS) + 1
            space = text.rfind(" ", start, start + _WINDOW_CHARS) + 1
            far = start + _WINDOW_CHARS
            end = line or space or next((at + 1 for at in range(far, end) if text[at] in apart), end if apart else far)
        yield start, end
        start = end


def _encoded(tokenizer: Tokenizer, texts: Sequence[str]) -> Iterator[Encoding]:
    """The tokens of each text, some `_BATCH_CHARS` at a time."""
    first, chars = 0, 0
    for number, text in enumerate(texts):
        chars += len(text)
        if chars >= _BATCH_CHARS or number + 1 == len(texts):
            yield from tokenizer.encode(texts[first : number + 1])
            first, chars = number + 1, 0


class _Measure:
    """What a chunk of a section is to the embedder. `around` is how many tokens it has beside those of its text."""

    def __init__(self, tokenizer: Tokenizer, place: str, known: dict[str, list[int]]) -> None:
        self._tokenizer, self._place = tokenizer, place
        self._apart = frozenset[str]()
        if frame := tokenizer.frame:
            first, *others = _parts(place)
            place_ids = known[first] + [one for part in others for one in known[_PLACE_SEPARATOR] + known[part]]
            self._before, self._behind, self._apart = [*frame.before, *place_ids], frame.behind, frame.apart
            self.around = len(self._before) + len(self._behind)
        else:
            self.around = len(tokenizer.ids([place])[0])

    def framed(self, ids: list[int]) -> list[int]:
        """The token ids of a chunk of whole words that has the tokens `ids`."""
        return [*self._before, *ids, *self._behind]

    def ids(self, cutter: Cutter, start: int, end: int) -> list[int]:
        """The token ids of the chunk `cutter.text[start:end]`."""
        text = cutter.text
        if self._is_apart(text, start) and self._is_apart(text, end):
            return self.framed(cutter.ids[cutter.number(start) : cutter.number(end)])
        return self.anew(text, start, end)

    def anew(self, text: str, start: int, end: int) -> list[int]:
        """`ids` of a chunk that may begin or end within a word."""
        return self._tokenizer.ids([self._place + text[start:end]])[0]

    def _is_apart(self, text: str, at: int) -> bool:
        """Whether a cut at `at` leaves the tokens on both sides as they are."""
        if not self._apart:
            return False
        return at in (0, len(text)) or text[at - 1] in self._apart or text[at] in self._apart


def _whole(text: str, measure: _Measure, ids: list[int]) -> Iterator[Cut]:
    """The one chunk of a section that fits, or none where there is nothing but white space."""
    start, end = skip_space(text, 0), len(text.rstrip())
    if start < end:
        yield start, end, measure.framed(ids)


def _cuts(cutter: Cutter, measure: _Measure, budget: int) -> Iterator[Cut]:
    """The chunks of one section."""
    text = cutter.text
    start = skip_space(text, 0)
    while start < len(text):
        allowance = cutter.room
        while True:
            end = cutter.best_end(start, allowance)
            trimmed = start + len(text[start:end].rstrip())
            ids = measure.ids(cutter, start, trimmed)
            over = len(ids) - budget
            if over <= 0:
                break
            if allowance == 1:
                end, ids = _longest(text, start, trimmed, measure, budget)
                trimmed = end
                break
            allowance = max(1, min(allowance, cutter.number(trimmed) - cutter.number(start)) - over)
        yield start, trimmed, ids
        start = skip_space(text, end)
    cutter.number(len(text))  # a last window of nothing but white space


def _longest(text: str, start: int, end: int, measure: _Measure, budget: int) -> tuple[int, list[int]]:
    """The end of the longest piece from `start` that fits, for text of which one token counts as several."""
    fitting = (
        (stop, ids) for stop in range(end - 1, start, -1) if len(ids := measure.anew(text, start, stop)) <= budget
    )
    longest = next(fitting, None)
    if longest is None:
        return start + 1, measure.anew(text, start, start + 1)
    begin = cluster_start(text, longest[0], start)
    return (begin, measure.anew(text, start, begin)) if begin > start else longest


def _made(article: Article, section: Section, cut: Cut) -> TokenisedChunk:
    start, end, ids = cut
    text, place = section.text[start:end], section.start + start
    ident = content_id(article.zim_id, article.path, place, text)
    names = article.zim_id, article.path, article.title
    chunk = Chunk(ident, *names, section.heading, text, place, place + len(text), article.mark)
    return TokenisedChunk(chunk, np.array(ids, dtype=np.int32))

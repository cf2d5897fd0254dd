"""Pure functions over text: sentences, words, normalisation that remembers places, content ids."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import langcodes
import sentencex
from langcodes.tag_parser import LanguageTagError

Span = tuple[int, int]

# Letters and digits, joined by an apostrophe inside; a character of a script without spaces is a word by itself.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+(?:['’][^\W_{_UNSPACED}]+)*")
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")
_ARTICLES = frozenset(("a", "an", "the"))
# Only behind punctuation: `data[0]` is code, and what stands in an interval is a number.
_FOOTNOTE = re.compile(r"(?<=[.,;:!?\"'”’)\]])\[(?:\d{1,3}|[a-z]|note \d{1,2})\](?![\w(])|\[citation needed\]")
_PLAIN = dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‐‑‒–—―−", "-")
_SOFT = frozenset(
    "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def content_id(*parts: str | int) -> str:
    """A stable 32-digit hexadecimal id of the given parts (BLAKE2b, 16 bytes; parts are length-prefixed)."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        raw = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()


def clean_title(title: str) -> str:
    """`title` for display: control and direction characters removed, white space folded."""
    hidden = ("Cc", "Cf", "Cs")
    kept = (c if c.isspace() or unicodedata.category(c) not in hidden else "" for c in title)
    return " ".join("".join(kept).split())


def embedding_text(title: str, heading: tuple[str, ...], text: str) -> str:
    """What an embedder reads of a chunk: a line saying where it stands, then its text.

    The line is cut to 160 characters so that a page with an endless title still has room for its text.
    """
    place = " › ".join(dict.fromkeys(part for part in (title, *heading[-2:]) if part))
    return f"{place[:160]}\n{text}" if place else text


@lru_cache(maxsize=64)
def language_code(language: str) -> str:
    """The short code of the first language in an archive's metadata: "eng,fra" → "en"; "" for what is no code."""
    try:
        return langcodes.standardize_tag(language.split(",", 1)[0].strip()).split("-")[0]
    except LanguageTagError:
        return ""


@lru_cache(maxsize=4096)
def _line_sentences(line: str, language: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    for boundary in sentencex.get_sentence_boundaries(language, line):
        start, end = boundary["start_index"], boundary["end_index"]
        text = line[start:end]
        start += len(text) - len(text.lstrip())
        end -= len(text) - len(text.rstrip())
        if start < end and spans and line[start].islower():
            spans[-1] = (spans[-1][0], end)  # a title ended in "!" or an abbreviation in "." within the sentence
        elif start < end:
            spans.append((start, end))
    return tuple(spans)


def sentences(text: str, language: str = "en") -> list[Span]:
    """The sentences of `text` as spans, white space outside. A line break always ends a sentence.

    `language` is a code of two or three letters, as in an archive's metadata; an unknown one is cut by general rules.
    """
    language = language_code(language)
    spans: list[Span] = []
    position = 0
    for line in text.split("\n"):
        if line.strip():
            spans.extend((position + start, position + end) for start, end in _line_sentences(line, language))
        position += len(line) + 1
    return spans


def words(text: str) -> list[str]:
    """The words of `text`, case-folded, punctuation left out; each character of an unspaced script is one word."""
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def word_spans(text: str) -> list[Span]:
    """The places of the words that `words` returns (case folding aside)."""
    return [match.span() for match in _WORD.finditer(text)]


def spaced(text: str) -> str:
    """`text` with each character of an unspaced script set apart, as a tokenizer that cuts at spaces needs it."""
    return _UNSPACED_CHARACTER.sub(r" \g<0> ", text)


@dataclass(frozen=True, slots=True)
class Normalised:
    """Text made comparable; character i stands for `source[starts[i]:ends[i]]`."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def find(self, other: Normalised, start: int = 0) -> Span | None:
        """Where `other` stands here as whole words, as a span of the source; None when it does not."""
        if not other.text:
            return None
        at = self.text.find(other.text, start)
        while at >= 0:
            end = at + len(other.text)
            cuts_left = at > 0 and self.text[at - 1].isalnum() and other.text[0].isalnum()
            cuts_right = end < len(self.text) and self.text[end].isalnum() and other.text[-1].isalnum()
            if not cuts_left and not cuts_right:
                return self.starts[at], self.ends[end - 1]
            at = self.text.find(other.text, at + 1)
        return None


def normalise(text: str) -> Normalised:
    """Fold what a quote may differ in without saying anything else, on both sides alike.

    Characters with their marks are composed and made compatible (NFKC), curly quotes and dashes made plain, soft
    hyphens and direction marks removed, footnote marks such as [3] removed, a word broken by a hyphen at a line end
    joined, white space folded. Case stays.
    """
    dropped = {i for match in _FOOTNOTE.finditer(text) for i in range(*match.span())}
    folded: list[tuple[str, int, int]] = []
    at, length = 0, len(text)
    while at < length:
        end = at + 1
        if at in dropped or text[at] in _SOFT:
            at = end
            continue
        while end < length and unicodedata.combining(text[end]):
            end += 1
        cluster = _PLAIN.get(text[at:end]) or unicodedata.normalize("NFKC", text[at:end])
        if cluster == "-" and text[end : end + 1] == "\n" and folded and folded[-1][0].isalpha():
            at = end + 1
            continue
        for raw in cluster:
            character = " " if raw.isspace() else _PLAIN.get(raw, raw)
            if character != " " or (folded and folded[-1][0] != " "):
                folded.append((character, at, end))
        at = end
    if folded and folded[-1][0] == " ":
        folded.pop()
    return Normalised(
        "".join(character for character, _, _ in folded),
        tuple(start for _, start, _ in folded),
        tuple(end for _, _, end in folded),
    )


def find_quote(quote: str, text: str) -> Span | None:
    """The span of `text` whose wording is `quote` after the one normalisation of both, or None."""
    return normalise(text).find(normalise(quote))


def token_f1(answer: str, reference: str) -> float:
    """Harmonic mean of word precision and recall, articles left out (as in SQuAD's evaluation). In [0,1]."""
    ours = Counter(word for word in words(answer) if word not in _ARTICLES)
    theirs = Counter(word for word in words(reference) if word not in _ARTICLES)
    shared = sum((ours & theirs).values())
    if not shared:
        return 1.0 if not ours and not theirs else 0.0
    precision, recall = shared / sum(ours.values()), shared / sum(theirs.values())
    return 2 * precision * recall / (precision + recall)

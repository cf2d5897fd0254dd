"""Pure functions over text: sentences, words, titles, content ids."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import langcodes
import regex
import sentencex
from langcodes.tag_parser import LanguageTagError

Span = tuple[int, int]

# Scripts that set no space between words: South-East Asian ones, Yi, bopomofo, kana, Han and its neighbours. Tibetan is
# not among them: a dot ends each of its syllables.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0ecf\u0edc-\u0eff\u1000-\u103f\u1050-\u108f\u109a-\u109d\u1780-\u17d3\u17d7"
    "\u17dc\u17dd\u1950-\u19af\u19b0-\u19cf\u1a20-\u1a7f\u1b00-\u1b4f\ua980-\ua9cf\ua9e0-\ua9ef\ua9fa-\ua9ff"
    "\uaa60-\uaadf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\ua48c\uf900-\ufaff\uff66-\uff9f\U00016fe0-\U0001b2ff\U00020000-\U0003ffff"
)
_LETTER = rf"[[\p{{L}}\p{{N}}]--[{_UNSPACED}]]"
_WITH_MARKS = rf"{_LETTER}(?:{_LETTER}|\p{{M}})*+"
_CLUSTER_PATTERN = rf"(?=[[{_UNSPACED}--[\uff9e\uff9f]]&&[\p{{L}}\p{{N}}]])\X\p{{M}}*+"
HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_CLUSTER = regex.compile(_CLUSTER_PATTERN, regex.V1)
# Letters and digits with their marks, joined by an apostrophe inside; of a script without spaces each grapheme cluster.
_ANY_WORD = regex.compile(rf"{_CLUSTER_PATTERN}|{_WITH_MARKS}(?:['’]{_WITH_MARKS})*+", regex.V1)
# The same for text without marks, unspaced scripts and letters of other widths, in half the time.
_PLAIN_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NOT_PLAIN = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u07eb-\u07fd\u0816-\u0903\u093a-\u109f\u1100-\u11ff\u135d-\u135f\u1712-\u1dff\u20d0-\u20f0\u2126\u212a\u212b"
    "\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u3005-\uabff\uf900-\ufaff\ufb1e\ufe00-\ufe2f\uff10-\uffdc"
    "\U000101fd-\U0001b2ff\U0001bc00-\U0001efff\U00020000-\U000e01ef]"
)
_OTHER_WIDTH = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ARTICLES = frozenset(("a", "an", "the"))
_CONTROLS = {*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_STEERING = dict.fromkeys(_CONTROLS - {ord("\t"), ord("\n")})


def content_id(*parts: str | int) -> str:
    """A stable 32-digit hexadecimal id of the given parts (BLAKE2b, 16 bytes; parts are length-prefixed)."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        raw = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()


class _Shown(dict[int, str | None]):
    """What a title shows of each character; filled as characters come."""

    def __missing__(self, code: int) -> str | None:
        letter = chr(code)
        hidden = unicodedata.category(letter) in ("Cc", "Cf", "Cs") and not letter.isspace()
        self[code] = None if hidden else letter
        return self[code]


_SHOWN = _Shown()


def clean_title(title: str) -> str:
    """`title` for display: control, direction and zero-width characters removed, white space folded."""
    return " ".join((title if title.isprintable() else title.translate(_SHOWN)).split())


def title_key(title: str) -> str:
    """What two spellings of one title share: capitals and composition of letters aside; signs count, as in "C++"."""
    return unicodedata.normalize("NFC", clean_title(storable(title)).casefold())


def printable(text: str) -> str:
    """`text`, such as a path, with each character that does not print escaped as Python does: `\\x07`, `\\u202e`."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def without_steering(text: str) -> str:
    """`text` for display, line breaks kept, without characters that steer a terminal or turn the direction about."""
    return text.translate(_STEERING)


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


# What the library cuts, or leaves, against the custom of a language; each is looked at only where its sign stands.
_DOUBTED = frozenset(("m.", "M.", *(f"{end}{close}" for end in "。！？!?" for close in "」』）”〉》")))
_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_HOUR = re.compile(r"(?:\b|\d)[ap]\.m\.$", re.I)
_BEHIND_HOUR = re.compile(
    rf"""\(?(?:[A-Z]\w+\s){{1,2}}(?:Standard|Daylight|Summer|Mean|War)\sTime\b
    | \(?[A-Z]\w+(?:ern|tain|fic|tic|an)\sTime\b
    | \(?(?:UTC|GMT|BST|IST|JST|KST|MSK|CES?T|EES?T|WEST|WET|A[EWC][DS]?T|NZ[DS]T|HK?S?T|SGT|PHT|AK[DS]T|[ECMP][DS]?T)\b
    | {_MONTH}\s\d
    | {_DAY}(?=[,.;:)–—-]|$|\s(?:to|through|until|till|and|or|at|in|on|by|from|for|before|after|\d|{_MONTH}\b))""",
    re.X,
)
_BEHIND_QUOTE = re.compile(
    "と(?!ころ|ても|にかく|もあれ|りわけ)|って|は(?![いじっるた])|が|を|の(?!ち)|に|で(?!も)|だ(?!が|から)|など|的"
)
_KHMER_END = re.compile("(?<!ល)[។៕](?!ល។)[”»)]*")  # ។ល។ is "and so on"
_TIBETAN_END = re.compile("[།༎]+(?=[ \u00a0])")
_THAI_BREAK = re.compile(
    "(?<=[\u0e01-\u0e2e\u0e30-\u0e45\u0e47-\u0e4e\u0e81-\u0ec4\u0ec8-\u0ecd]) +"
    "(?=[\u0e01-\u0e2e\u0e40-\u0e44\u0e81-\u0eae\u0ec0-\u0ec4])"
)
_THAI_SENTENCE_CHARS = 50  # a space ends a sentence, or only a clause or a name: no shorter than this


def _goes_on(line: str, end: int, start: int) -> bool:
    """Whether the sentence that the library ends at `end` goes on at `start`."""
    if line[end - 1] == ".":
        return bool(_HOUR.search(line, max(0, end - 6), end) and _BEHIND_HOUR.match(line, start))
    return start == end and bool(_BEHIND_QUOTE.match(line, start))


def _left_whole(line: str, span: Span) -> list[Span]:
    """`span` cut where the library cuts nothing: at the signs of Khmer and Tibetan, and at Thai and Lao spaces."""
    start, end = span
    ends = [match.end() for sign in (_KHMER_END, _TIBETAN_END) for match in sign.finditer(line, start, end)]
    begun = start
    for gap in _THAI_BREAK.finditer(line, start, end):
        if gap.start() - begun >= _THAI_SENTENCE_CHARS:
            ends.append(gap.start())
            begun = gap.end()
    spans = []
    for stop in sorted({*ends, end}):
        text = line[start:stop]
        if text.strip():
            spans.append((start + len(text) - len(text.lstrip()), start + len(text.rstrip())))
        start = stop
    return spans


_ITEM_NUMBER = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]")
_CODE_NAME = re.compile(r"[A-Za-z_]\w*[A-Z_0-9]")  # behind a stop without a space: `types.NoneType`, `ssl.HAS_ECDH`
_LEFT_WHOLE = re.compile("[\u0e01-\u0fff\u17d4\u17d5]")


@lru_cache(maxsize=4096)
def _line_sentences(line: str, language: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    position = 0
    for segment in sentencex.segment(language, line):  # they join to the line
        start = position + len(segment) - len(segment.lstrip())
        end = position + len(segment.rstrip())
        position += len(segment)
        if start >= end:
            continue
        if spans:
            begun, ended = spans[-1]
            # a title that ended in "!" or an abbreviation in "." within the sentence
            doubted = line[ended - 2 : ended] in _DOUBTED and _goes_on(line, ended, start)
            glued = start == ended and line[ended - 1] == "." and _CODE_NAME.match(line, start) is not None
            if glued or doubted or line[start].islower() or (begun == 0 and _ITEM_NUMBER.fullmatch(line, begun, ended)):
                spans[-1] = (begun, end)
                continue
        spans.append((start, end))
    if not line.isascii() and _LEFT_WHOLE.search(line):
        spans = [part for span in spans for part in _left_whole(line, span)]
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


def said(text: str, language: str = "en") -> list[Span]:
    """The sentences of an answer as spans; a full stop with no space behind it ends none, as in `ssl.HAS_ECDH`."""
    spans: list[Span] = []
    for start, end in sentences(text, language):
        if spans and spans[-1][1] == start and text[start - 1] == "." and text[start].isascii():
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def storable(text: str) -> str:
    """`text` as UTF-8 can hold it: a lone surrogate becomes U+FFFD; all else stays."""
    return _SURROGATE.sub("\ufffd", text)


def counted(count: int, what: str) -> str:
    """A count with its English noun, such as "1 challenge" and "2 challenges"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    """Seconds as a person says them: `0.4 s`, `12 s`, `3 min 05 s`, `2 h 07 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def is_made_of(text: str, pieces: Iterable[str]) -> bool:
    """Whether `text` is the `pieces` in their order and nothing else, white space between them and its kind aside."""
    whole, at = " ".join(text.split()), 0
    for piece in pieces:
        part = " ".join(piece.split())
        if not part or not whole.startswith(part, at):
            return False
        at += len(part)
        at += whole.startswith(" ", at)
    return at == len(whole)


def words(text: str) -> list[str]:
    """The words of `text`, case-folded, punctuation left out; each grapheme cluster of an unspaced script is one word.

    Letters and digits of full or half width are folded into the usual ones, letters and marks composed (NFC).
    """
    folded = text.casefold()
    if folded.isascii() or not _NOT_PLAIN.search(folded):
        return [word.replace("’", "'") for word in _PLAIN_WORD.findall(folded)]
    found = (word.replace("’", "'") for word in _ANY_WORD.findall(folded))
    return [word if word.isascii() else unicodedata.normalize("NFC", usual_width(word)) for word in found]


def word_spans(text: str) -> list[Span]:
    """The places of the words that `words` returns (case folding aside)."""
    pattern = _PLAIN_WORD if text.isascii() or not _NOT_PLAIN.search(text) else _ANY_WORD
    return [match.span() for match in pattern.finditer(text)]


def spaced(text: str) -> str:
    """`text` with each grapheme cluster of an unspaced script set apart, for a tokenizer that cuts at spaces."""
    if text.isascii() or not HAS_UNSPACED.search(text):
        return text
    return str(_CLUSTER.sub(r" \g<0> ", text))


def usual_width(text: str) -> str:
    """`text` with full-width letters and digits, and half-width katakana, as those of usual width: `Ｃ３` → `C3`."""
    if text.isascii():
        return text
    return _OTHER_WIDTH.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def token_f1(answer: str, reference: str) -> float:
    """Harmonic mean of word precision and recall, articles left out (as in SQuAD's evaluation). In [0,1]."""
    ours = Counter(word for word in words(answer) if word not in _ARTICLES)
    theirs = Counter(word for word in words(reference) if word not in _ARTICLES)
    shared = sum((ours & theirs).values())
    if not shared:
        return 1.0 if not ours and not theirs else 0.0
    precision, recall = shared / sum(ours.values()), shared / sum(theirs.values())
    return 2 * precision * recall / (precision + recall)

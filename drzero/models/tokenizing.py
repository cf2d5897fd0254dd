"""The fast tokenizers of models: nothing is cut, and each text is read as quickly as it can be."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from drzero.types import Encoding, Frame

PROBES = ("The sea stood high.", "naïve Café", "x", "東京 1999", "of a longer text, with (some) signs")
"""Texts of several kinds, to find out how a model reads."""

_WORD_BY_WORD = [[normaliser, "BertPreTokenizer", "WordPiece"] for normaliser in ("BertNormalizer", None)]
_SPACE = " \n\t"
_APART = frozenset(_SPACE + string.punctuation + "。！？；，、：…")  # what such a tokenizer never joins to a word
# What BERT's normaliser leaves as it is but for the case of letters: no marks, controls or Chinese characters.
_PLAIN = re.compile(
    r"[\n\t\x20-\x7e\u00a3\u00a7\u00a9\u00ab\u00ae\u00b0-\u00b3\u00b6\u00b7\u00bb\u00d7\u2010-\u2027\u2500-\u257f]*+"
)


class ModelTokenizer:
    """A model's own fast tokenizer, of its tokenizers-JSON `description`, never truncating; needs no torch.

    A `Tokenizer` for the chunker: counts and ids include special tokens and `prefix`. Can be pickled.
    """

    def __init__(self, description: str, prefix: str, limit_tokens: int) -> None:
        from tokenizers import Tokenizer

        self._made_of = (description, prefix, limit_tokens)
        self._tokenizer = Tokenizer.from_str(description)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._prefix = prefix
        self.limit_tokens = limit_tokens
        described = json.loads(description)
        self._plain = _without_normaliser(described)
        self.frame = self._frame(described)

    def __reduce__(self) -> tuple[type[ModelTokenizer], tuple[str, str, int]]:
        return ModelTokenizer, self._made_of

    def ids(self, texts: Sequence[str], *, alone: bool = False) -> list[list[int]]:
        """The token ids of each text as the embedder reads it, or `alone`, without special tokens and prefix."""
        prefixed = texts if alone else [self._prefix + text for text in texts]
        return [encoding.ids for encoding in self._read(prefixed, special=not alone, places=False)]

    def encode(self, texts: Sequence[str]) -> Sequence[Encoding]:
        """The tokens of each text alone, with their places."""
        return self._read(texts, special=False, places=True)

    def _read(self, texts: Sequence[str], *, special: bool, places: bool) -> list[Encoding]:
        """The tokens of each text, with `special` ones; plain texts by the quicker tokenizer."""
        plain = [self._plain.suits(text) for text in texts] if self._plain else [False] * len(texts)
        others = [text for text, is_plain in zip(texts, plain, strict=True) if not is_plain]
        read = iter(_encoded(self._tokenizer, others, special=special, places=places))
        if not self._plain or len(others) == len(texts):
            return list(read)
        lowered = [self._plain.prepared(text) for text, is_plain in zip(texts, plain, strict=True) if is_plain]
        quick = iter(_encoded(self._plain.tokenizer, lowered, special=special, places=places))
        return [next(quick if is_plain else read) for is_plain in plain]

    def count(self, text: str) -> int:
        """Tokens of `text` as the embedder will see it, special tokens and prefix included."""
        return self.counts([text])[0]

    def counts(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text."""
        return [len(ids) for ids in self.ids(texts)]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character span of each token of `text`, without special tokens."""
        return self.encode([text])[0].offsets

    def fitting_chars(self, text: str, limit_tokens: int) -> int:
        """How many characters from the start of `text` count for at most `limit_tokens`."""
        over = self.count(text) - limit_tokens
        if over <= 0:
            return len(text)
        spans = self.offsets(text)
        return spans[max(0, len(spans) - over)][0] if spans else 0

    def _frame(self, described: dict[str, Any]) -> Frame | None:
        """The frame of a tokenizer as BERT's, that parts words at white space and punctuation; None of any other."""
        kinds = [(described.get(part) or {}).get("type") for part in ("normalizer", "pre_tokenizer", "model")]
        added = described.get("added_tokens") or []
        if kinds not in _WORD_BY_WORD or any(one[key] for one in added for key in ("single_word", "lstrip", "rstrip")):
            return None
        apart = _APART - set("".join(one["content"] for one in added))
        if not apart.issuperset(_SPACE) or (self._prefix and self._prefix[-1] not in _SPACE):
            return None
        word, around = self.encode(["a"])[0].ids, self.ids(["a"])[0]
        first = next((n for n in range(len(around)) if around[n : n + len(word)] == word), None)
        if first is None:
            return None
        frame = Frame(tuple(around[:first]), tuple(around[first + len(word) :]), apart)
        sound = all(
            self.ids([one + sign + other]) == [self._framed(frame, one, sign + other)]
            for one, other in pairwise(PROBES)
            for sign in sorted(apart)
        )
        return frame if sound else None

    def _framed(self, frame: Frame, *pieces: str) -> list[int]:
        return [*frame.before, *(number for encoding in self.encode(pieces) for number in encoding.ids), *frame.behind]


def _encoded(tokenizer: Any, texts: Sequence[str], *, special: bool, places: bool) -> Sequence[Encoding]:
    encode: Callable[..., Sequence[Encoding]] = tokenizer.encode_batch if places else tokenizer.encode_batch_fast
    return encode(list(texts), add_special_tokens=special) if texts else ()


class _Plain:
    """A tokenizer without its normaliser, for texts of which that would only make small letters.

    BERT's normaliser takes a third of the time that its tokenizer needs for a text, and for most texts does nothing.
    """

    def __init__(self, described: dict[str, Any]) -> None:
        from tokenizers import Tokenizer

        self._lowers = bool(described["normalizer"]["lowercase"])
        self._added = re.compile(
            "|".join(re.escape(one["content"]) for one in described.get("added_tokens") or ()) or "$^"
        )
        self.tokenizer = Tokenizer.from_str(json.dumps(described | {"normalizer": None}))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def suits(self, text: str) -> bool:
        """Whether the normaliser would do nothing more to `text`; a special token written out is another matter."""
        return _PLAIN.fullmatch(text) is not None and not self._added.search(text)

    def prepared(self, text: str) -> str:
        """What the tokenizer is given for `text`, character by character."""
        return text.lower() if self._lowers else text


def _without_normaliser(described: dict[str, Any]) -> _Plain | None:
    return _Plain(described) if (described.get("normalizer") or {}).get("type") == "BertNormalizer" else None

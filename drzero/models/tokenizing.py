"""The fast tokenizers of models: nothing is cut, and each text is read as quickly as it can be."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from drzero.types import Encoding, Frame

_LAST_SPACE = 32  # of the spaces in a plain text
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
        self._plain = _Plain(described) if _kinds(described) == _WORD_BY_WORD[0] else None
        self.frame = self._frame(described)

    def __reduce__(self) -> tuple[type[ModelTokenizer], tuple[str, str, int]]:
        return ModelTokenizer, self._made_of

    def ids(self, texts: Sequence[str], *, alone: bool = False) -> list[list[int]]:
        """The token ids of each text as the embedder reads it, or `alone`, without special tokens and prefix."""
        prefixed = texts if alone else [self._prefix + text for text in texts]
        quick = self._plain.ids(prefixed, special=not alone) if self._plain else [None] * len(prefixed)
        others = [text for text, ids in zip(prefixed, quick, strict=True) if ids is None]
        read = iter(self._tokenizer.encode_batch_fast(others, add_special_tokens=not alone) if others else ())
        return [next(read).ids if ids is None else ids for ids in quick]

    def encode(self, texts: Sequence[str]) -> Sequence[Encoding]:
        """The tokens of each text alone, with their places."""
        quick = self._plain.encode(texts) if self._plain else [None] * len(texts)
        others = [text for text, encoding in zip(texts, quick, strict=True) if encoding is None]
        read = iter(self._tokenizer.encode_batch(others, add_special_tokens=False) if others else ())
        return [encoding or Placed((one := next(read)).ids, [start for start, _ in one.offsets]) for encoding in quick]

    def count(self, text: str) -> int:
        """Tokens of `text` as the embedder will see it, special tokens and prefix included."""
        return self.counts([text])[0]

    def counts(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text."""
        return [len(ids) for ids in self.ids(texts)]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character span of each token of `text`, without special tokens."""
        spans: list[tuple[int, int]] = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return spans

    def fitting_chars(self, text: str, limit_tokens: int) -> int:
        """How many characters from the start of `text` count for at most `limit_tokens`."""
        over = self.count(text) - limit_tokens
        if over <= 0:
            return len(text)
        spans = self.offsets(text)
        return spans[max(0, len(spans) - over)][0] if spans else 0

    def _frame(self, described: dict[str, Any]) -> Frame | None:
        """The frame of a tokenizer as BERT's, that parts words at white space and punctuation; None of any other."""
        added = described.get("added_tokens") or []
        if _kinds(described) not in _WORD_BY_WORD or any(
            one[key] for one in added for key in ("single_word", "lstrip", "rstrip")
        ):
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


@dataclass(frozen=True, slots=True)
class Placed:
    """An `Encoding`."""

    ids: list[int]
    starts: list[int]


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
        self._tokenizer = Tokenizer.from_str(json.dumps(described | {"normalizer": None}))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        prefix, unknown = described["model"]["continuing_subword_prefix"], described["model"]["unk_token"]
        vocabulary = self._tokenizer.get_vocab()
        self._lengths = np.full(max(vocabulary.values()) + 1, -1, dtype=np.int64)  # -1: of no fixed length
        for token, number in vocabulary.items():
            if token != unknown:
                self._lengths[number] = len(token.removeprefix(prefix))

    def suits(self, text: str) -> bool:
        """Whether the normaliser would do nothing more to `text`; a special token written out is another matter."""
        return _PLAIN.fullmatch(text) is not None and not self._added.search(text)

    def ids(self, texts: Sequence[str], *, special: bool) -> list[list[int] | None]:
        """The token ids of each text that suits, with `special` tokens; None for the others."""
        suited = [self.suits(text) for text in texts]
        given = [text.lower() if self._lowers else text for text, suits in zip(texts, suited, strict=True) if suits]
        read = iter(self._tokenizer.encode_batch_fast(given, add_special_tokens=special) if given else ())
        return [next(read).ids if suits else None for suits in suited]

    def encode(self, texts: Sequence[str]) -> list[Placed | None]:
        """The tokens of each text that suits, with their places; None for the others.

        The library takes a good third longer when it keeps account of places. Here they follow from the lengths of the
        tokens, which are the text without its spaces, as long as every word is known.
        """
        pairs = zip(texts, self.ids(texts, special=False), strict=True)
        return [None if ids is None else self._placed(text, ids) for text, ids in pairs]

    def _placed(self, text: str, ids: list[int]) -> Placed | None:
        lengths = self._lengths[np.array(ids, dtype=np.int64)]
        codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
        letters = np.flatnonzero(codes > _LAST_SPACE)
        if (lengths < 0).any() or int(lengths.sum()) != len(letters):
            return None
        return Placed(ids, letters[np.cumsum(lengths) - lengths].tolist())


def _kinds(described: dict[str, Any]) -> list[str | None]:
    """What a tokenizer is made of: the types of its normaliser, its pre-tokenizer and its model."""
    return [(described.get(part) or {}).get("type") for part in ("normalizer", "pre_tokenizer", "model")]

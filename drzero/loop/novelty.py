"""How new a question is against all that was ever asked: by its words, and by vectors where there is an embedder."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drzero.loop import facts
from drzero.text import words

NEAR_COPY = 0.75  # similarity from which a question counts as asked before
_GRAM = 3  # letters
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")  # of which some look like the end of a sentence
_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")

Embed = Callable[[Sequence[str]], Any]  # float32 of shape (n, dim), unit rows


def similarity(one: str, other: str) -> float:
    """How much two questions are alike, in [0,1]: the Jaccard similarity of their content stems, in any order.

    Questions that ask differently ("when" for "where") of the same things count only half as alike.
    """
    ours, theirs = frozenset(facts.content_stems(one)), frozenset(facts.content_stems(other))
    union = len(ours | theirs)
    alike = len(ours & theirs) / union if union else 1.0
    return alike if words(one)[:1] == words(other)[:1] else alike / 2


@dataclass(frozen=True, slots=True)
class _Signature:
    """What is compared of a question: its content stems, what it asks for, what it names, and its letters by threes.

    `whole` are names that count as they stand, quoted ones and those of code; `named` stems of names and figures.
    """

    stems: frozenset[str]
    opening: str
    whole: frozenset[str]
    named: frozenset[str]
    grams: frozenset[str]

    @classmethod
    def of(cls, question: str) -> _Signature:
        spoken = words(question)
        joined = " ".join(spoken)
        figures = [word for word in spoken if any(letter.isdigit() for letter in word)]
        return cls(
            stems=frozenset(facts.content_stems(question)),
            opening=_wanted(question, spoken),
            whole=frozenset(quoted.casefold() for quoted in _QUOTED.findall(question))
            | frozenset((*facts.identifiers(question), *_DOTTED.findall(question))),
            named=frozenset(facts.content_stems(" ".join((*facts.names(question), *figures)))),
            grams=frozenset(joined[at : at + _GRAM] for at in range(max(len(joined) - _GRAM + 1, 1))),
        )


_WANTED = {
    "time": r"(?:when|(?:in|on|during|since|until) (?:what|which) (?:year|date|day|month|century|decade)|what year)\b",
    "place": r"(?:where|(?:in|at|to|from) (?:what|which) (?:place|city|town|country|state|location))\b",
    "person": r"(?:who|whose|by whom)\b",
    "cause": r"(?:why|(?:what was|what is|for what) (?:the )?(?:reason|cause)|what caused|what led)\b",
    "thing": r"(?:what|which)\b",
}


def _wanted(question: str, spoken: Sequence[str]) -> str:
    """What the question asks for, as far as its first words tell; else its first word."""
    text = question.strip().casefold()
    return next((name for name, begins in _WANTED.items() if re.match(begins, text)), spoken[0] if spoken else "")


class _Postings:
    """In which questions each word stands: for a word the places of its questions, 4 bytes each."""

    def __init__(self) -> None:
        self._places: dict[str, array[int]] = {}
        self.sizes = array("i")  # words of each question

    def add(self, words_: Set[str]) -> None:
        """Note one question more."""
        for word in words_:
            self._places.setdefault(word, array("i")).append(len(self.sizes))
        self.sizes.append(len(words_))

    def shared(self, words_: Set[str]) -> NDArray[Any]:
        """How many of `words_` each question has."""
        found = [np.frombuffer(self._places[word], dtype=np.intc) for word in words_ if word in self._places]
        if not found:
            return np.zeros(len(self.sizes), dtype=np.int64)
        return np.bincount(np.concatenate(found), minlength=len(self.sizes))

    def alike(self, words_: Set[str]) -> NDArray[np.float64]:
        """The Jaccard similarity of `words_` and the words of each question, in [0,1]; 1 where there are none."""
        shared = self.shared(words_)
        union = _array(self.sizes) + len(words_) - shared
        return np.where(union > 0, shared / np.maximum(union, 1), 1.0)


class Asked:
    """Every question that was ever asked, and the nearest of them to a new one.

    `embed` gives vectors of questions; without it words and letters decide alone. `near_vectors` is the cosine
    similarity from which two questions are looked at as copies. `kept` gives the same vectors as `embed`, of questions
    that are to be known: it may remember them. In memory a question takes some 0.9 kB, and its vector 4 bytes a number.
    """

    def __init__(self, embed: Embed | None = None, near_vectors: float = 0.93, kept: Embed | None = None) -> None:
        self.embed, self.near_vectors, self._kept = embed, near_vectors, kept or embed
        self._texts: list[str] = []
        self._known: set[str] = set()
        self._stems, self._grams = _Postings(), _Postings()
        self._named, self._only_named = _Postings(), _Postings()  # names among the stems, and names that are none
        self._opening, self._whole = array("i"), array("i")  # by number, of a question without `whole` 0
        self._numbers: dict[str | frozenset[str], int] = {frozenset(): 0}
        self._vectors: NDArray[np.float32] = np.empty((0, 0), dtype=np.float32)  # with room for more
        self._broken: list[int] = []  # questions whose vector is not finite

    def add(self, questions: Iterable[str]) -> None:
        """Know these questions from now on; those known already, and empty ones, change nothing."""
        new = [text for text in dict.fromkeys(questions) if text and text not in self._known]
        if not new:
            return
        if self._kept is not None:  # first: where it fails nothing has changed
            self._add_vectors(np.asarray(self._kept(new), dtype=np.float32), len(new))
        for text in new:
            one = _Signature.of(text)
            self._stems.add(one.stems)
            self._grams.add(one.grams)
            self._named.add(one.named & one.stems)
            self._only_named.add(one.named - one.stems)
            self._opening.append(self._number(one.opening))
            self._whole.append(self._number(one.whole))
        self._texts += new
        self._known.update(new)

    def _add_vectors(self, vectors: NDArray[np.float32], count: int) -> None:
        if vectors.ndim != 2 or len(vectors) != count:
            raise ValueError(f"{count} questions got vectors of shape {vectors.shape}")
        have = len(self._texts)
        if not have:
            self._vectors = vectors  # full, so that it is never written to
        else:
            if have + count > len(self._vectors):
                grown = np.empty((have + count + have // 4, vectors.shape[1]), dtype=np.float32)
                grown[:have] = self._vectors[:have]
                self._vectors = grown
            self._vectors[have : have + count] = vectors
        self._broken += [have + int(at) for at in np.flatnonzero(~np.isfinite(vectors).all(axis=1))]

    def _number(self, name: str | frozenset[str]) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def nearest(self, question: str) -> tuple[float, str]:
        """The known question most like `question`, and how much, in [0,1]; (0.0, "") when none is known.

        A copy has the same words in any order, or nearly the same letters, or the same sense in other words. What names
        something else, or has another figure, is no copy however alike: "the album A" and "the album B". Of equals the
        oldest is named. A vector that is not finite cannot tell another sense: then what asks for the same is a copy.
        """
        if not self._texts:
            return 0.0, ""
        ours = _Signature.of(question)
        alike = np.maximum(self._stems.alike(ours.stems), self._grams.alike(ours.grams))
        same_opening = _array(self._opening) == self._numbers.get(ours.opening, -1)
        scores = np.where(same_opening, alike, alike / 2)
        if self.embed is not None:
            scores = np.maximum(scores, np.where(same_opening, self._sense(self.embed([question])[0]), 0.0))
        scores[self._of_another_thing(ours)] = 0.0
        best = int(np.argmax(scores))  # the first of equals
        return min(float(scores[best]), 1.0), self._texts[best]

    def _of_another_thing(self, ours: _Signature) -> NDArray[np.bool_]:
        """Of which questions this one names a different thing: each has a name or a figure that the other lacks."""
        lacking = len(ours.stems & ours.named) - self._stems.shared(ours.stems & ours.named)
        lacked = _array(self._named.sizes) - self._named.shared(ours.stems)
        apart: NDArray[np.bool_] = (lacking + self._only_named.shared(ours.stems) > 0) & (
            lacked + self._stems.shared(ours.named - ours.stems) > 0
        )
        if ours.whole:
            whole = _array(self._whole)
            apart |= (whole != 0) & (whole != self._numbers.get(ours.whole, -1))
        return apart

    def _sense(self, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        """Cosine similarities as similarities: `near_vectors` is `NEAR_COPY`; 1 where a vector is not finite."""
        known = self._vectors[: len(self._texts)]
        if not np.isfinite(vector).all():
            return np.ones(len(known))
        with np.errstate(all="ignore"):  # of what is not finite, and of branches not taken
            near = (known @ vector).astype(np.float64)
            below = near * NEAR_COPY / self.near_vectors
            above = NEAR_COPY + (1 - NEAR_COPY) * (near - self.near_vectors) / max(1 - self.near_vectors, 1e-6)
            sense = np.where(near <= 0, 0.0, np.where(near < self.near_vectors, below, above))
        sense[self._broken] = 1.0
        return sense


def _array(numbers: array[int]) -> NDArray[np.intc]:
    """The numbers, not copied; an array must not be kept longer than they stay as they are."""
    return np.frombuffer(numbers, dtype=np.intc)

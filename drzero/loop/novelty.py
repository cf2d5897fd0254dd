"""How new a question is against all that was ever asked: by its words, and by vectors where there is an embedder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    alike = _jaccard(ours, theirs)
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

    def of_another_thing(self, other: _Signature) -> bool:
        """Whether the two name different things: each has a name or a figure that the other lacks."""
        if self.whole and other.whole and self.whole != other.whole:
            return True
        named = self.named | other.named
        return bool((self.stems - other.stems) & named and (other.stems - self.stems) & named)


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


def _similarity(ours: _Signature, theirs: _Signature) -> float:
    alike = _jaccard(ours.stems, theirs.stems)
    return alike if ours.opening == theirs.opening else alike / 2


def _jaccard(ours: frozenset[str], theirs: frozenset[str]) -> float:
    union = len(ours | theirs)
    return len(ours & theirs) / union if union else 1.0


@dataclass(slots=True)
class Asked:
    """Every question that was ever asked, and the nearest of them to a new one.

    `embed` gives vectors of questions; without it words and letters decide alone. `near_vectors` is the cosine
    similarity from which two questions are looked at as copies. Some 1.6 kB a question are held in memory.
    """

    embed: Embed | None = None
    near_vectors: float = 0.93
    _texts: dict[str, _Signature] = field(default_factory=dict)
    _blocks: list[Any] = field(default_factory=list)

    def add(self, questions: Iterable[str]) -> None:
        """Know these questions from now on; those known already, and empty ones, change nothing."""
        new = [text for text in dict.fromkeys(questions) if text and text not in self._texts]
        if new and self.embed is not None:
            self._blocks.append(self.embed(new))  # first: an error leaves what is known as it was
        self._texts |= {text: _Signature.of(text) for text in new}

    def nearest(self, question: str) -> tuple[float, str]:
        """The known question most like `question`, and how much, in [0,1]; (0.0, "") when none is known.

        A copy has the same words in any order, or nearly the same letters, or the same sense in other words. What names
        something else, or has another figure, is no copy however alike: "the album A" and "the album B".
        """
        if not self._texts:
            return 0.0, ""
        ours = _Signature.of(question)
        texts = list(self._texts)
        scores = [self._score(ours, self._texts[text]) for text in texts]
        if self.embed is not None:
            vector = self.embed([question])[0]
            near = [float(one) for block in self._blocks for one in block @ vector]
            scores = [
                max(score, self._sense(one, ours, self._texts[text]))
                for score, one, text in zip(scores, near, texts, strict=True)
            ]
        best = max(range(len(texts)), key=lambda at: (scores[at], -at))
        return min(scores[best], 1.0), texts[best]

    def _score(self, ours: _Signature, theirs: _Signature) -> float:
        if ours.of_another_thing(theirs):
            return 0.0
        letters = _jaccard(ours.grams, theirs.grams)
        return max(_similarity(ours, theirs), letters if ours.opening == theirs.opening else letters / 2)

    def _sense(self, near: float, ours: _Signature, theirs: _Signature) -> float:
        """A cosine similarity as a similarity: `near_vectors` is `NEAR_COPY`; 0 for what names other things."""
        if near <= 0 or ours.opening != theirs.opening or ours.of_another_thing(theirs):
            return 0.0
        if near < self.near_vectors:
            return near * NEAR_COPY / self.near_vectors
        return NEAR_COPY + (1 - NEAR_COPY) * (near - self.near_vectors) / max(1 - self.near_vectors, 1e-6)

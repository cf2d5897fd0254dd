"""What a proposer hands to the gates: a question with its reference answer and where both come from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from drzero.loop import facts
from drzero.text import content_id
from drzero.types import Challenge, Chunk

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Draft:
    """A question of type `kind` with its reference `answer`, a whole sentence, before the gates.

    `evidence` are the source sentences, at least one of each `gold` chunk. `span` are the words of them that answer; it
    is the sentence itself where no words of it can be pointed at. `aspects` is what a right answer must have.
    """

    question: str
    answer: str
    kind: str
    gold: tuple[Chunk, ...]
    evidence: tuple[str, ...]
    span: str
    aspects: tuple[str, ...] = ()
    origin: str = "model"  # or "template": stated by the archive, worded by code
    output_fault: str = ""  # of the writer's output that it is made of, as `output_faults.output_fault` names it

    def challenge(self, *, level: str, profile: str) -> Challenge:
        """The challenge of a draft that passed every gate."""
        return Challenge(
            id=content_id(profile, self.question),
            question=self.question,
            answer=self.answer,
            type=self.kind,
            level=level,
            profile=profile,
            gold=self.gold,
            evidence=" ".join(self.evidence),
            aspects=self.aspects,
            origin=self.origin,
        )


def aspects_of(span: str, sentence: str) -> tuple[str, ...]:
    """What a right answer must have: names and numbers of the answer span, else the span; () for a whole sentence."""
    if span == sentence:
        return ()
    found = [*facts.names(f"… {span}"), *_DIGITS.findall(span)]
    return tuple(dict.fromkeys(found)) or (span,)

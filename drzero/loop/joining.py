"""Which of several citations a claim needs: supported by them together, and none kept that the rest can do without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Joined:
    """What citations do together. `needed` and `needless` are places in the evidence given, in order.

    Together they are all of them when `supported`; both are () when not.
    """

    supported: bool
    needed: tuple[int, ...] = ()
    needless: tuple[int, ...] = ()


def supported_by(evidences: Sequence[str], holds: Callable[[tuple[int, ...]], bool]) -> Joined:
    """Whether evidence joined supports a claim, and which part of it is needless (ALCE's rule).

    `holds(places)` judges the claim by these of the evidences; it is asked 1 + 2k times at most for k different ones,
    and never twice of the same. An evidence is needless when the rest suffices and it alone does not, or when it is
    there a second time. The last are tried first, so that what is left still supports the claim.
    """
    known: dict[tuple[int, ...], bool] = {}

    def supports(places: Sequence[int]) -> bool:
        key = tuple(places)
        if key not in known:
            known[key] = holds(key)
        return known[key]

    first = {text.strip(): place for place, text in reversed(list(enumerate(evidences))) if text.strip()}
    kept = sorted(first.values())
    if not kept or not supports(kept):
        return Joined(False)
    for place in reversed(kept.copy()):
        rest = [other for other in kept if other != place]
        if rest and supports(rest) and not supports([place]):
            kept = rest
    return Joined(True, tuple(kept), tuple(place for place in range(len(evidences)) if place not in kept))

"""The first half of an episode: propose until a draft passes every gate."""

from __future__ import annotations

from drzero.loop.desk import Desk
from drzero.loop.gates import gate
from drzero.loop.propose import proposals
from drzero.profiles import ChallengeType
from drzero.types import Challenge

CHUNKS_LOOKED_AT = 60  # per challenge, before it counts as having no seed


def find_challenge(desk: Desk) -> tuple[Challenge | None, ChallengeType]:
    """The challenge of the first proposal that passes every gate, None when none of those tried does; and its type.

    An archive may have no sentence for the type wanted (dates, say, in a library's documentation): then the other
    types of the level get their turn, and the episode is of the type that was asked.
    """
    slot = desk.slot
    for kind in (slot.kind, *(other for other in slot.profile.at_level(slot.level) if other != slot.kind)):
        challenge, tried = _of_type(desk, kind)
        if tried:
            return challenge, kind
    return None, slot.kind


def _of_type(desk: Desk, kind: ChallengeType) -> tuple[Challenge | None, int]:
    """As `find_challenge`, of one type; also how many seeds were tried."""
    options = desk.options
    looked = tried = 0  # tried: chunks that gave a proposal
    desk.trace.stage = "proposed"
    used: set[str] = set()
    while tried < options.proposals and looked < CHUNKS_LOOKED_AT:
        chunk = desk.sample()
        looked += 1
        if chunk.id in used:
            continue
        used.add(chunk.id)
        tried_before = tried
        for draft, fault in proposals(desk, kind, chunk):
            tried += tried == tried_before
            refusal = fault or gate(desk, draft)
            record = {"chunk": chunk.id, "sentence": draft.evidence[0], "span": draft.span}
            output = {"question": draft.question, "answer": draft.answer, "refusal": refusal}
            desk.trace.add("proposal", record, output)
            if not refusal:
                return draft.challenge(level=desk.slot.level, profile=desk.slot.profile.name), tried
            desk.refusals[refusal] += 1
            desk.trace.stage = "proposed"
    return None, tried

"""The first half of an episode: propose until a draft passes every gate."""

from __future__ import annotations

from drzero.loop.desk import Desk
from drzero.loop.gates import gate
from drzero.loop.propose import propose, source_of
from drzero.loop.seeds import find_seeds
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
    looked = tried = 0
    used: set[str] = set()
    while tried < options.proposals and looked < CHUNKS_LOOKED_AT:
        chunk = desk.sample()
        looked += 1
        if chunk.id in used:
            continue
        used.add(chunk.id)
        seeds = find_seeds(chunk, kind, language=desk.language, docs=desk.code)
        if not seeds:
            continue
        tried += 1
        desk.trace.stage = "proposed"
        draft, refusal = propose(
            source_of(seeds[0]),
            kind,
            desk.llm,
            desk.entailment,
            known=desk.known,
            min_support=options.min_source_support,
            random_seed=desk.draw_seed(),
            language=desk.language,
            code=desk.code,
        )
        refusal = refusal or gate(desk, draft)
        record = {"chunk": chunk.id, "sentence": draft.evidence[0], "span": draft.span}
        desk.trace.add("proposal", record, {"question": draft.question, "answer": draft.answer, "refusal": refusal})
        if not refusal:
            return draft.challenge(level=desk.slot.level, profile=desk.slot.profile.name), tried
        desk.refusals[refusal] += 1
    return None, tried

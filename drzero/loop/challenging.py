"""The first half of an episode: propose until a draft passes every gate, the cheap ways and the cheap gates first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drzero.loop import facts, templates
from drzero.loop.desk import Desk
from drzero.loop.drafts import Draft
from drzero.loop.gates import gate
from drzero.loop.propose import offers, proposals
from drzero.loop.stated import Stated, stated
from drzero.profiles import ChallengeType
from drzero.types import Challenge, Chunk

CHUNKS_LOOKED_AT = 400  # per challenge, before it counts as having no seed: causes and comparisons are rare
PER_CHUNK = 2  # templates tried of one chunk, so that no page has them all


def find_challenge(desk: Desk) -> tuple[Challenge | None, ChallengeType]:
    """The challenge of the first proposal that passes every gate, None when none of those tried does; and its type.

    An archive may have no sentence for the type wanted (dates, say, in a library's documentation): then the other
    types of the level get their turn, and the episode is of the type that was asked.
    """
    slot = desk.slot
    by_template = desk.rng.random() < desk.options.templates
    for kind in (slot.kind, *(other for other in slot.profile.at_level(slot.level) if other != slot.kind)):
        ways = (_by_template, _by_writer) if by_template or not desk.proposes else (_by_writer, _by_template)
        tried = 0
        for way in ways:
            challenge, tries = way(desk, kind) if desk.proposes or way is _by_template else (None, 0)
            if challenge is not None:
                return challenge, kind
            tried += tries
        if tried:
            return None, kind
    return None, slot.kind


# --- by template ----------------------------------------------------------------------------------------------------


def _by_template(desk: Desk, kind: ChallengeType) -> tuple[Challenge | None, int]:
    """As `find_challenge`, of one type and from stated facts; also how many drafts were tried."""
    tried = 0
    used: set[str] = set()
    seen: list[Stated] = []  # facts of the chunks drawn before, which may be set beside those of the next
    left = CHUNKS_LOOKED_AT if kind.name in templates.KINDS else 0
    while tried < desk.options.proposals and left > 0:
        chunk, drawn = desk.sample(lambda one: one.id not in used and bool(_facts(desk, one)), most=left)
        left -= drawn
        if chunk is None:
            break
        used.add(chunk.id)
        drafts = [draft for draft in _drafts(desk, chunk, kind, seen) if kind.opens(draft.question)]
        desk.rng.shuffle(drafts)
        for draft in drafts[: min(PER_CHUNK, desk.options.proposals - tried)]:
            tried += 1
            desk.trace.stage = "proposed"
            if not _refused(desk, draft, template_fault(draft) or gate(desk, draft)):
                return draft.challenge(level=desk.slot.level, profile=desk.slot.profile.name), tried
    return None, tried


def _drafts(desk: Desk, chunk: Chunk, kind: ChallengeType, seen: list[Stated]) -> Iterator[Draft]:
    """The template questions of type `kind` that `chunk` gives, alone or with the chunks that belong to it."""
    own = _facts(desk, chunk)
    if kind.name in templates.COMPARING or kind.name == "temporal":
        measured = [fact for fact in own if fact.measure]
        others = [fact for other in desk.alike(chunk) for fact in _facts(desk, other)] if measured else []
        pairs = [(fact, other) for fact in measured for other in others]
        alike = [draft for one, other in pairs if (draft := templates.compared(one, other, kind.name))]
        if not alike and not desk.code:  # two functions that have nothing in common are not worth a question
            pairs = [(fact, other) for fact in measured for other in seen]
            alike = [draft for one, other in pairs if (draft := templates.compared(one, other, kind.name))]
        yield from alike
        seen += measured
    if kind.name == "multi-hop" and any(fact.role for fact in own):
        yield from templates.composed(own, [fact for other in desk.linked(chunk) for fact in _facts(desk, other)])
    yield from templates.single(own, kind.name)


def _facts(desk: Desk, chunk: Chunk) -> tuple[Stated, ...]:
    return stated(chunk, desk.language, desk.code)


_CALL = re.compile(r"\w\(")


def template_fault(draft: Draft) -> str:
    """The gate that refuses a template's question, "" when none does; what its making guarantees is not asked again."""
    told = any(_tells(draft.question, aspect) for aspect in draft.aspects)
    return "answer-in-question" if told else ""


def _tells(question: str, aspect: str) -> bool:
    """Whether a question has an aspect of its answer: by its words; what a call returns, `[36, 43]`, as a whole."""
    if _CALL.search(question) and aspect.strip()[:1] in ("[", "{", '"', "'"):
        return "".join(aspect.split()) in "".join(question.split())
    return facts.cover(aspect, question) >= 1.0


# --- by the writer --------------------------------------------------------------------------------------------------


def _by_writer(desk: Desk, kind: ChallengeType) -> tuple[Challenge | None, int]:
    """As `find_challenge`, of one type, the question worded by the writer; also how many seeds were tried."""
    options = desk.options
    tried = 0  # chunks that gave a proposal
    left = CHUNKS_LOOKED_AT
    desk.trace.stage = "proposed"
    used: set[str] = set()
    while tried < options.proposals and left > 0:
        chunk, drawn = desk.sample(lambda one: one.id not in used and offers(desk, kind, one), most=left)
        left -= drawn
        if chunk is None:
            break
        used.add(chunk.id)
        tried_before = tried
        for draft, fault in proposals(desk, kind, chunk):
            tried += tried == tried_before
            if not _refused(desk, draft, fault or gate(desk, draft)):
                return draft.challenge(level=desk.slot.level, profile=desk.slot.profile.name), tried
            desk.trace.stage = "proposed"
    return None, tried


def _refused(desk: Desk, draft: Draft, refusal: str) -> str:
    """`refusal`, the name of the gate or "", after it has been recorded and counted."""
    record = {"chunk": draft.gold[0].id, "sentence": draft.evidence[0], "span": draft.span, "origin": draft.origin}
    desk.trace.add("proposal", record, {"question": draft.question, "answer": draft.answer, "refusal": refusal})
    if refusal:
        desk.refusals[refusal] += 1
    return refusal

"""The gates of an episode in the order of their cost, each counted by its name."""

from __future__ import annotations

from collections.abc import Sequence

from drzero.loop.desk import Desk
from drzero.loop.drafts import Draft
from drzero.loop.gates.reading import ambiguous, answered_among, needs_each
from drzero.loop.gates.wording import standing_fault
from drzero.types import Chunk

READER_GATES = frozenset({"not-answerable", "needs-one-source-only", "not-robust", "ambiguous"})
"""What a well-formed proposal may still fail: it then counts as rejected, not as invalid."""


def gate(desk: Desk, draft: Draft) -> str:
    """The name of the first gate that refuses a draft, "" when none does; a model's draft has passed those of wording.

    A template's wording and answer are right by construction; that it stands alone and is new is not.
    """
    desk.trace.stage = "gated"
    if draft.origin == "template":
        fault = standing_fault(draft.question, draft.gold, code=desk.code) or near_copy(desk, draft.question)
        if fault:
            return fault
    if not _holds(desk, draft, ()):
        return "not-answerable"
    if not needs_each(draft, desk.llm, language=desk.language, code=desk.code):
        return "needs-one-source-only"
    others = distractors(desk, draft)
    if not _holds(desk, draft, others):
        return "not-robust"
    return "ambiguous" if ambiguous(draft, others, desk.llm, language=desk.language, code=desk.code) else ""


def _holds(desk: Desk, draft: Draft, others: Sequence[Chunk]) -> bool:
    """Whether a reader of the gold chunks and all `others` answers as the reference does.

    It does not hold where some were left out for want of room: then nobody knows.
    """
    right, shown = answered_among(draft, others, desk.llm, language=desk.language, code=desk.code)
    holds = right and shown == len(others)
    told = {"distractors": shown} if shown == len(others) else {"distractors": shown, "wanted": len(others)}
    desk.trace.add("answerable", told, holds)  # what `metrics.noise_tolerance` counts
    return holds


def near_copy(desk: Desk, question: str) -> str:
    """ "near-copy" for a question that was asked before in these or nearly these words, "" for a new one."""
    return "near-copy" if desk.nearest(question)[0] >= desk.options.near_copy else ""


def distractors(desk: Desk, draft: Draft) -> tuple[Chunk, ...]:
    """What a search for the question finds beside the gold chunks: the nearest wrong evidence there is."""
    found = desk.search(draft.question, desk.options.distractors + 4)
    gold = {chunk.id for chunk in draft.gold}
    others = [passage.chunk for passage in found if passage.chunk.id not in gold]
    return tuple(others[: desk.options.distractors])

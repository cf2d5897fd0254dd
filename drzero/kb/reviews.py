"""What people decided on entries. Their word is kept and wins: no check and no run changes it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from drzero.errors import KnowledgeBaseError
from drzero.kb.assembling import RETIRED
from drzero.kb.entries import full_id, get_entry, put_status, replace_claims
from drzero.kb.schema import has_column, now, rows, transaction
from drzero.text import is_made_of, sentences, storable
from drzero.types import Claim, Entry, Judgement

if TYPE_CHECKING:
    from sqlite_utils import Database

Decision = Literal["accept", "correct", "retire"]
BY_A_PERSON = "person"  # the code of a judgement that a person made


@dataclass(frozen=True, slots=True)
class Review:
    """A person's decision on an entry; `text` is the new answer of a correction, else ""."""

    entry_id: str
    at: str  # ISO 8601, UTC
    reviewer: str
    decision: Decision
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Change:
    """What an entry was before something changed it: `before` is what was stored, as JSON values."""

    at: str  # ISO 8601, UTC
    what: str  # status, replaced, corrected, moved, unsupported
    before: Any


def add_review(
    db: Database, id_: str, decision: Decision, *, text: str = "", reason: str = "", reviewer: str = ""
) -> Review:
    """Store a decision on the entry whose id is, or alone begins with, `id_`, and do what it says, all or nothing.

    An accepted entry is current. So is a corrected one, whose answer is `text` then, each of its sentences a claim by
    a person with all the evidence that the entry has. A retired one is gone from every list until it is accepted.
    KnowledgeBaseError when there is no such entry, or nothing to correct it to.
    """
    if decision not in ("accept", "correct", "retire"):
        raise ValueError(f"no such decision: {decision!r}")
    if decision == "correct" and not text.strip():
        raise KnowledgeBaseError("A correction needs the right answer: give it after --correct.")
    made = Review(
        full_id(db, "entries", id_),
        now(),
        storable(reviewer).strip(),
        decision,
        storable(text).strip() if decision == "correct" else "",
        storable(reason).strip(),
    )
    with transaction(db):
        db.execute(
            "insert into reviews (entry_id, at, reviewer, decision, text, reason) values (?, ?, ?, ?, ?, ?)",
            (made.entry_id, made.at, made.reviewer, made.decision, made.text, made.reason),
        )
        if decision == "correct":
            replace_claims(db, _corrected(get_entry(db, made.entry_id), made))
        status = RETIRED if decision == "retire" else "current"
        reasons = (f"{_who(made)} retired it.", *filter(None, (made.reason,))) if decision == "retire" else ()
        put_status(db, made.entry_id, status, reasons, revive=True)
    return made


def reviews_of(db: Database, entry_id: str) -> list[Review]:
    """The decisions on an entry, oldest first; none in a file of a schema that has no reviews."""
    if not has_column(db, "reviews", "entry_id"):
        return []
    sql = "select entry_id, at, reviewer, decision, text, reason from reviews where entry_id = ? order by id"
    return [Review(**row) for row in rows(db, sql, (entry_id,))]


def history_of(db: Database, entry_id: str) -> list[Change]:
    """What an entry was before each change, oldest first; none in a file of a schema that has no history."""
    if not has_column(db, "history", "entry_id"):
        return []
    sql = "select at, what, before from history where entry_id = ? order by id"
    return [Change(row["at"], row["what"], json.loads(row["before"])) for row in rows(db, sql, (entry_id,))]


def _corrected(entry: Entry, review: Review) -> Entry:
    said = tuple(review.text[start:end] for start, end in sentences(review.text))
    if not is_made_of(review.text, said):
        said = (review.text,)
    evidence = tuple(dict.fromkeys(one for claim in entry.claims for one in claim.citations))
    judged = Judgement("supported", 1.0, (f"{_who(review)} wrote this on {review.at[:10]}.",), (BY_A_PERSON,))
    claims = tuple(Claim(text, evidence) for text in said)
    return replace(entry, answer=review.text, claims=claims, judgements=(judged,) * len(claims))


def _who(review: Review) -> str:
    return review.reviewer or "A person"

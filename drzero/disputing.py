"""Entries set beside each other: claims that cannot both be true are kept as disputes, and mark both entries."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from drzero.kb.disputes import (
    Dispute,
    Stated,
    add_dispute,
    claim_ids,
    disputes_of,
    finder,
    mark_compared,
    open_disputes,
    settle_disputes,
    stated,
    uncompared,
    withdraw,
)
from drzero.kb.entries import find_entry, get_entry, set_entry_status
from drzero.kb.schema import has_table, rows, transaction
from drzero.kb.support import add_support, know_archives, support_counts
from drzero.loop.agreement import agrees
from drzero.loop.clashes import WAY, clash, terms
from drzero.records import knowledge_base
from drzero.text import words
from drzero.types import Entry
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

# (premise, hypothesis) pairs → whether each premise bears out its hypothesis, in [0,1]
Entails = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
Told = Callable[[int, int], None]
_MANY = 200  # claims set beside others in one transaction
_SAID = {"date": "another date", "number": "another number", "name": "another name", "negation": "the opposite"}
_FOR = ("accept", "correct")  # decisions for what an entry says


@dataclass(frozen=True, slots=True)
class Standing:
    """How an entry stands: by how many archives each claim is supported independently, and what contradicts it."""

    supports: tuple[int, ...]
    disputes: tuple[Dispute, ...]


def standing(workspace: Workspace, entry_id: str) -> Standing:
    """How the entry stands whose id is, or alone begins with, `entry_id`; raises KnowledgeBaseError."""
    with knowledge_base(workspace) as db:
        return standing_of(db, get_entry(db, entry_id))


def standing_of(db: Database, entry: Entry) -> Standing:
    """How an entry of an open knowledge base stands."""
    return Standing(support_counts(db, entry), tuple(disputes_of(db, entry.id)))


def look_for_disputes(
    db: Database, *, entails: Entails | None = None, least: float = 0.5, told: Told = lambda *_: None
) -> list[Dispute]:
    """Set every claim that is new beside all others and keep what contradicts; the disputes that are new.

    `entails` clears sentences of which one bears out the other, with `least` probability, those found before as well.
    `told` hears how many of the new claims are done, and how many there are.
    """
    if entails is not None:
        for one in {id(one): one for disputes in open_disputes(db).values() for one in disputes}.values():
            if one.code != "answer" and _cleared(one.claim, one.other_claim, entails, least):
                withdraw(db, one)
    return _compare(db, uncompared(db, WAY), entails, least, told)


def look_at_entry(db: Database, entry_id: str) -> list[Dispute]:
    """Set the claims of one entry beside all others; new disputes are kept and both sides of each marked disputed."""
    found = _compare(db, claim_ids(db, entry_id), None, 0.5, lambda *_: None)
    mark_sides(db, found)
    return found


def mark_sides(db: Database, disputes: Sequence[Dispute]) -> None:
    """Mark the entries on both sides of each dispute disputed, but for those that a person decided on."""
    people = decided(db) if disputes else {}
    for dispute in disputes:
        for one in (dispute, _turned(dispute)) if dispute.other_id else (dispute,):
            if one.entry_id not in people:
                mark_disputed(db, one.entry_id, (side(one),))


def meet_known(db: Database, entry: Entry) -> None:
    """What an entry that did not get in says of the one that answers its question: support, or a dispute."""
    here = find_entry(db, entry.question)
    if here is None or (here.answer, here.claims) == (entry.answer, entry.claims):
        return
    if same_answer(here, entry):
        join_support(db, here, entry)
    elif here.id not in decided(db) and add_dispute(db, dispute := rivalry(here, entry)):
        mark_sides(db, (dispute,))


def rivalry(here: Entry, there: Entry) -> Dispute:
    """The dispute of an entry with another that answers the same question otherwise."""
    reason = f"“{here.answer}” and “{there.answer}” answer the same question."
    return Dispute(here.id, "", here.answer, there.answer, "answer", reason, other=there)


def same_answer(here: Entry, there: Entry) -> bool:
    """Whether two answers to one question say the same: in the same words, or each says what the other does."""
    if words(here.answer) == words(there.answer):
        return True
    if any(clash(one.text, two.text) for one in here.claims for two in there.claims):
        return False
    question = here.question
    return agrees(here.answer, there.answer, question) and agrees(there.answer, here.answer, question)


def join_support(db: Database, kept: Entry, gone: Entry) -> None:
    """Keep what bears out the claims of an entry that gives way as support of those of the one that is kept."""
    for claim in gone.claims:
        alike = [at for at, one in enumerate(kept.claims) if words(one.text) == words(claim.text)]
        if not alike and len(kept.claims) == len(gone.claims) == 1:
            alike = [0]
        if alike and claim.citations:
            know_archives(db, gone.archives, (one.zim_id for one in claim.citations))
            add_support(db, kept.id, alike[0], claim.citations)


def side(dispute: Dispute) -> str:
    """Why the entry of a dispute is disputed, as a sentence: who says otherwise, and in what words."""
    if dispute.code == "answer":
        return f"The same question was answered otherwise: “{dispute.other_claim}”"
    who = f"Entry {dispute.other_id}{', on which a person decided,' if dispute.settled else ''}"
    return f"{who} has {_SAID.get(dispute.code, 'it otherwise')}: “{dispute.other_claim}”"


def mark_disputed(db: Database, entry_id: str, reasons: Sequence[str]) -> None:
    """Mark an entry disputed for these reasons, beside those it has; a stale one stays so."""
    found = rows(db, "select status, status_reasons from entries where id = ?", (entry_id,))
    if found and found[0]["status"] in ("current", "disputed"):
        known = _sentences(found[0]["status_reasons"]) if found[0]["status"] == "disputed" else []
        set_entry_status(db, entry_id, "disputed", list(dict.fromkeys((*known, *reasons))))


def decided(db: Database) -> dict[str, str]:
    """What people decided, by entry id: accept, correct or retire. Their word stands until they change it."""
    if not has_table(db, "reviews"):
        return {}
    return {row["entry_id"]: row["decision"] for row in rows(db, "select entry_id, decision from reviews order by id")}


def settle_by_reviews(db: Database) -> None:
    """Settle the disputes of entries that a person decided on since; who contradicts an accepted one stays disputed."""
    if not (has_table(db, "reviews") and has_table(db, "disputes")):
        return
    sql = """
        select reviews.entry_id, reviews.decision, reviews.reviewer, reviews.at from reviews
        join disputes on (disputes.entry_id = reviews.entry_id or disputes.other_id = reviews.entry_id)
        where disputes.settled = '' and reviews.at >= disputes.found_at
        and not exists (
            select 1 from reviews as later where later.entry_id = reviews.entry_id and later.id > reviews.id
        )
        group by reviews.entry_id order by reviews.id
    """
    words = {"accept": "accepted", "correct": "corrected", "retire": "retired"}
    with transaction(db):
        for row in rows(db, sql):
            who = f"{row['reviewer']} " if row["reviewer"] else ""
            what = words.get(row["decision"], "decided on")
            how = f"Entry {row['entry_id']} was {what}{' by ' + who.strip() if who else ''} on {row['at'][:10]}."
            settle_disputes(db, row["entry_id"], how)
        for id_, disputes in _lost(db).items():
            mark_disputed(db, id_, [side(one) for one in disputes])


def refresh(db: Database) -> dict[str, list[Dispute]]:
    """What speaks against each entry, by its id: open disputes, and those that a person decided for the other side.

    Disputes whose claims are no longer made are taken back; those with an entry that is stale or retired do not count.
    """
    for id_, disputes in list(open_disputes(db).items()):
        texts = {one.text for one in _claims(db, id_)}
        for one in disputes:
            if one.code != "answer" and texts and one.claim not in texts:
                withdraw(db, one)
    sides = open_disputes(db)
    for id_, disputes in _lost(db).items():
        sides.setdefault(id_, []).extend(disputes)
    counted = {id_: [one for one in disputes if _counts(db, one)] for id_, disputes in sides.items()}
    return {id_: disputes for id_, disputes in counted.items() if disputes}


def _lost(db: Database) -> dict[str, list[Dispute]]:
    """The settled disputes in which a person decided for the other side and nobody on this one, by entry."""
    people = decided(db)
    lost: dict[str, list[Dispute]] = {}
    for id_, decision in people.items():
        for one in disputes_of(db, id_) if decision in _FOR else ():
            if one.settled and one.other_id and one.other_id not in people:
                lost.setdefault(one.other_id, []).append(_turned(one))
    return lost


def _counts(db: Database, one: Dispute) -> bool:
    return one.code == "answer" or any(other.text == one.other_claim for other in _claims(db, one.other_id))


def _compare(db: Database, ids: Sequence[int], entails: Entails | None, least: float, told: Told) -> list[Dispute]:
    neighbours = finder(db)
    found: list[Dispute] = []
    for at in range(0, len(ids), _MANY):
        part = ids[at : at + _MANY]
        for one in stated(db, part):
            near = neighbours(one, terms(one.text))
            said = [id_ for id_, text in near if clash(one.text, text)]
            for other in stated(db, said) if said else ():
                code = clash(one.text, other.text)
                if not code or _cleared(one.text, other.text, entails, least):
                    continue
                reason = f"“{one.text}” and “{other.text}” cannot both be true."
                dispute = Dispute(one.entry_id, other.entry_id, one.text, other.text, code, reason)
                if add_dispute(db, dispute):
                    found.append(dispute)
        mark_compared(db, part, WAY)
        if len(part) == _MANY:
            told(at + _MANY, len(ids))
    return found


def _claims(db: Database, entry_id: str) -> list[Stated]:
    """The claims of an entry that is current or disputed; [] of another."""
    ids = claim_ids(db, entry_id)
    return stated(db, ids) if ids else []


def _cleared(claim: str, other: str, entails: Entails | None, least: float) -> bool:
    """Whether one of two sentences bears the other out, so that they only seem to contradict each other."""
    return entails is not None and any(
        probability >= least for probability in entails([(claim, other), (other, claim)])
    )


def _turned(one: Dispute) -> Dispute:
    return replace(
        one, entry_id=one.other_id, other_id=one.entry_id, claim=one.other_claim, other_claim=one.claim, other=None
    )


def _sentences(text: str) -> list[str]:
    return [str(one) for one in json.loads(text)]

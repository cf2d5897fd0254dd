"""`kb merge`: what another workspace found out, brought into this one's knowledge base.

All or nothing, and a second time changes nothing. Entries that answer one question are joined where their answers agree
and disputed where they do not.
"""

from __future__ import annotations

import time
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

from drzero import disputing
from drzero.kb.absorbing import (
    attached,
    check_references,
    copy_decisions,
    copy_entries,
    copy_records,
    latest_reviews,
    remove_entry,
    shared_entries,
)
from drzero.kb.disputes import Dispute, add_dispute, disputes_of
from drzero.kb.entries import get_entry
from drzero.kb.schema import rows, transaction
from drzero.pipeline import ShowProgress
from drzero.records import knowledge_base
from drzero.results import Merged
from drzero.types import Entry, Progress
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

_Support = tuple[Entry, Entry]  # what is kept, and what supports it


def merge_knowledge_base(workspace: Workspace, path: Path, progress: ShowProgress) -> Merged:
    """Bring the knowledge base at `path` into that of the workspace, which is made where there is none.

    Of two entries with one answer the older is kept, with what supports both; of two with different answers the one
    here, disputed, with the other beside it. KnowledgeBaseError when `path` is no knowledge base or a newer one;
    BusyError while another process changes entries. On any error nothing is merged.
    """
    started = time.monotonic()
    with workspace.locked("kb merge"):
        for left in workspace.root.glob(".merge-*"):  # by one that was killed
            rmtree(left, ignore_errors=True)
        with knowledge_base(workspace, create=True) as db, attached(db, path) as other, transaction(db):
            return _merge(db, other, path, progress, started)


def _merge(db: Database, other: Database, path: Path, progress: ShowProgress, started: float) -> Merged:
    records = copy_records(db)
    total = int(rows(other, "select count(*) as n from entries")[0]["n"])
    supported: list[_Support] = []
    rivals: list[Dispute] = []
    replaced = joined = 0
    for number, (mine, theirs) in enumerate(shared_entries(db), 1):
        here, there = get_entry(db, mine), get_entry(other, theirs)
        if _wins(db, here, there):
            remove_entry(db, mine, theirs)
            replaced += 1
            if disputing.same_answer(here, there) and here.status == "current":
                supported.append((there, here))
        elif here.status != "stale" and there.status != "stale" and not _identical(here, there):
            if disputing.same_answer(here, there):
                supported.append((here, there))
            elif not latest_reviews(db, mine):
                rivals.append(disputing.rivalry(here, there))
        joined += disputing.same_answer(here, there)
        progress(Progress.at(number, max(total, number), "entries", time.monotonic() - started))
    added = copy_entries(db) - replaced
    reviews = copy_decisions(db)
    for kept, gone in supported:
        disputing.join_support(db, kept, gone)
    disputed = [one for one in rivals if add_dispute(db, one)]
    disputing.mark_sides(db, disputed)
    _copy_settled(db, other)
    disputing.settle_by_reviews(db)
    clashes = disputing.look_for_disputes(
        db, told=lambda done, of: progress(Progress.at(done, of, "claims", time.monotonic() - started, "compared"))
    )
    disputing.mark_sides(db, clashes)
    check_references(db, path)
    return Merged(
        entries=added,
        joined=joined,
        replaced=replaced,
        disputed=tuple((one.entry_id, one.reason) for one in (*disputed, *clashes)),
        episodes=records["episodes"],
        runs=records["runs"],
        archives=records["archives"],
        reviews=reviews,
    )


def _wins(db: Database, here: Entry, there: Entry) -> bool:
    """Whether the other entry takes the place of the one here: a later decision, else what holds, else the older."""
    mine, theirs = latest_reviews(db, here.id), latest_reviews(db, there.id, "other")
    if mine or theirs:
        return theirs > mine
    if here.status == "stale":
        return there.status == "current"
    older = (there.created_at, there.answer) < (here.created_at, here.answer)
    return here.status == there.status == "current" and older and disputing.same_answer(here, there)


def _identical(here: Entry, there: Entry) -> bool:
    return (here.answer, here.claims) == (there.answer, there.claims)


def _copy_settled(db: Database, other: Database) -> None:
    """Take over how disputes were settled there, so that none is opened again here."""
    for row in rows(other, "select distinct entry_id from disputes where settled <> '' order by 1"):
        for one in disputes_of(other, row["entry_id"]):
            texts = [_claims(db, id_) for id_ in (one.entry_id, one.other_id)]
            if one.settled and one.other_id and one.claim in texts[0] and one.other_claim in texts[1]:
                add_dispute(db, one)


def _claims(db: Database, entry_id: str) -> set[str]:
    return {row["text"] for row in rows(db, "select text from main.claims where entry_id = ?", (entry_id,))}

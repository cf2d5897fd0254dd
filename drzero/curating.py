"""`kb show` and `kb review`: an entry with all that a person needs to judge it, and what that person decides."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drzero import disputing
from drzero.kb.entries import get_entry
from drzero.kb.reviews import Change, Decision, Review, add_review, history_of, reviews_of
from drzero.kb.schema import rows
from drzero.kb.support import archive_names
from drzero.records import knowledge_base
from drzero.shelf import Shelf
from drzero.text import language_code, sentences
from drzero.types import Article, Citation, Entry
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

_AROUND_CHARS = 1500  # on each side of a quote, within which the sentences beside it are looked for


@dataclass(frozen=True, slots=True)
class Context:
    """The words before and after a quote in its archive, to the end of the sentence beside it.

    `fault` is "", or why the quote cannot be read there: then there are no words around it.
    """

    before: str = ""
    after: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """How an entry was found: by which run and episode, in how many attempts; "" and 0 for what is not known."""

    run: str = ""
    iteration: int = 0  # from 0
    number: int = 0  # within the iteration, from 0
    attempts: int = 0
    elapsed_s: float = 0.0
    judge: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry, how it stands, its evidence in context (for each claim, each citation), and how it came about."""

    entry: Entry
    standing: disputing.Standing
    contexts: tuple[tuple[Context, ...], ...]
    origin: Origin
    reviews: tuple[Review, ...]
    history: tuple[Change, ...]


def show(workspace: Workspace, id_: str) -> Shown:
    """The entry whose id is, or alone begins with, `id_`, with all that is known of it.

    KnowledgeBaseError when there is none.
    """
    with knowledge_base(workspace) as db:
        entry = get_entry(db, id_)
        shelf = Shelf(workspace, archive_names(db))
        return Shown(
            entry,
            disputing.standing_of(db, entry),
            tuple(tuple(in_context(shelf, cited) for cited in claim.citations) for claim in entry.claims),
            _origin(db, entry),
            tuple(reviews_of(db, entry.id)),
            tuple(history_of(db, entry.id)),
        )


def review(
    workspace: Workspace, id_: str, decision: Decision, *, text: str = "", reason: str = "", reviewer: str = ""
) -> Review:
    """Store a person's decision on an entry and settle the disputes it is in; see `kb.reviews.add_review`.

    KnowledgeBaseError when there is no such entry; BusyError while another process changes entries.
    """
    with knowledge_base(workspace) as db, workspace.locked("kb review"):
        made = add_review(db, id_, decision, text=text, reason=reason, reviewer=reviewer)
        disputing.settle_by_reviews(db)
        return made


def in_context(shelf: Shelf, citation: Citation) -> Context:
    """The words around a quote in its archive."""
    read = shelf.article(citation)
    if not isinstance(read, Article):
        return Context(fault=str(read))
    return around(read, citation.start, citation.end, shelf.language(citation))


def around(article: Article, start: int, end: int, language: str) -> Context:
    """The words before `start` and after `end` in their section, as far as the sentence beside them."""
    section = max((one for one in article.sections if one.start <= start), key=lambda one: one.start)
    low = max(section.start, start - _AROUND_CHARS)
    high = min(section.start + len(section.text), end + _AROUND_CHARS)
    text = article.text[low:high]
    spans = [(low + a, low + b) for a, b in sentences(text, language_code(language))]
    before = [a for a, b in spans if b <= start][-1:] or [a for a, b in spans if a <= start < b][:1] or [start]
    after = [b for a, b in spans if a >= end][:1] or [b for a, b in spans if a < end <= b][:1] or [end]
    return Context(article.text[before[0] : start], article.text[end : after[0]])


def _origin(db: Database, entry: Entry) -> Origin:
    sql = """
        select run_id, iteration, number, attempts, elapsed_s, runs.settings from episodes
        left join runs on runs.id = episodes.run_id where episodes.id = ?
    """
    found = rows(db, sql, (entry.episode_id,))
    if not found:
        return Origin()
    row = found[0]
    judge = json.loads(row["settings"] or "{}").get("judge")
    return Origin(
        row["run_id"] or "",
        row["iteration"],
        row["number"],
        row["attempts"] or 0,
        row["elapsed_s"] or 0.0,
        str(judge[0]) if isinstance(judge, list) and judge else "",
    )

"""What entries are about: the article that the claims of an entry cite most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from drzero.text import clean_title, storable, title_key

if TYPE_CHECKING:
    from sqlite_utils import Database


@dataclass(frozen=True, slots=True)
class Topic:
    """What entries are about, and how many there are, stale and disputed ones with them."""

    title: str
    entries: int
    stale: int
    disputed: int
    newest: str  # ISO 8601, UTC


def main_title(cited: Iterable[str]) -> str:
    """The title that `cited` has most often, the first of several; "" where none is a title."""
    counted = Counter(title for title in cited if clean_title(title))
    return counted.most_common(1)[0][0] if counted else ""


def topic_id(db: Database, cited: Iterable[str]) -> int | None:
    """The row of the topic of an entry with these cited titles, made where there is none; None without a title."""
    title = main_title(cited)
    if not title:
        return None
    db.execute(
        "insert or ignore into topics (key, title) values (?, ?)", (title_key(title), clean_title(storable(title)))
    )
    return int(db.execute("select id from topics where key = ?", (title_key(title),)).fetchone()[0])


def set_topics(db: Database) -> None:
    """Give every entry its topic, by what it cites; within a transaction."""
    sql = """
        select claims.entry_id, citations.title from claims join citations on citations.claim_id = claims.id
        order by claims.entry_id, claims.position, citations.position
    """
    found = db.execute(sql)
    changes = []
    for entry_id, group in groupby(found, key=lambda row: row[0]):
        changes.append((main_title(row[1] for row in group), entry_id))
    for title, entry_id in changes:
        db.execute("update entries set topic_id = ? where id = ?", (topic_id(db, [title]), entry_id))


def list_topics(db: Database, *, words: Sequence[str] = (), limit: int | None = None) -> list[Topic]:
    """Topics with all of `words` in their title, those with most entries first; retired entries do not count."""
    where = " and ".join(["instr(topics.key, ?) > 0"] * len(words)) or "1"
    sql = f"""
        with counted as (
            select topic_id, count(*) as entries, sum(status = 'stale') as stale,
            sum(status = 'disputed') as disputed, max(created_at) as newest
            from entries where topic_id is not null and status <> 'retired' group by topic_id
        )
        select topics.title, counted.entries, counted.stale, counted.disputed, counted.newest
        from counted join topics on topics.id = counted.topic_id where {where}
        order by counted.entries desc, topics.key limit ?
    """
    found = db.query(sql, (*(title_key(word) for word in words), -1 if limit is None else limit))
    return [Topic(**row) for row in found]

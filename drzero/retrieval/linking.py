"""Chunks of other articles that belong to one: of articles that it names, and of those about things of its kind.

An archive need not hold links: the titles and aliases of its articles are looked up in the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from drzero.retrieval.index import OpenIndex
from drzero.retrieval.naming import names_of, stretches
from drzero.types import Chunk

MOST_ARTICLES = 8
PER_ARTICLE = 2  # chunks from its beginning, where what an article is about is told
_LOOKED_AT = 48  # nearest chunks, of which many are of the same article


def linked(indexes: Sequence[OpenIndex], chunk: Chunk) -> list[Chunk]:
    """The first chunks of the articles that `chunk` names, in the order of its text.

    A name that several articles bear means none of them. Signposts and stubs are left out, and at most `MOST_ARTICLES`
    articles are looked at.
    """
    begins = {name for _, names in stretches(chunk.text) for name in names}
    heads: list[list[Chunk]] = []
    borne: list[frozenset[tuple[str, ...]]] = []
    for index in indexes:
        for rows in index.store.named(chunk.text):
            head = index.chunks(rows[:PER_ARTICLE])
            if head:
                titles = (head[0].title, *index.aliases(head[0].path))
                heads.append(head)
                borne.append(frozenset(name for title in titles for name in names_of(title)) & begins)
    counts = Counter(name for names in borne for name in names)
    found = [
        head
        for head, names in zip(heads, borne, strict=True)
        if any(counts[name] == 1 for name in names) and not _is_of(head[0], chunk) and not head[0].mark
    ]
    return [one for head in found[:MOST_ARTICLES] for one in head]


def alike(indexes: Sequence[OpenIndex], chunk: Chunk) -> list[Chunk]:
    """The chunk most like `chunk` of each of the `MOST_ARTICLES` articles that are most like it, in its own archive."""
    for index in indexes:
        row = index.store.row_of(chunk.id)
        if row is None:
            continue
        _, rows = index.vectors.search(index.vectors.vectors([row]), _LOOKED_AT)
        found: dict[str, Chunk] = {}
        for one in index.chunks([int(number) for number in rows[0]]):
            if not _is_of(one, chunk) and not one.mark:
                found.setdefault(one.path, one)
        return list(found.values())[:MOST_ARTICLES]
    return []


def _is_of(one: Chunk, other: Chunk) -> bool:
    return (one.zim_id, one.path) == (other.zim_id, other.path)

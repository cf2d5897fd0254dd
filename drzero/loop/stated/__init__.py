"""What a chunk states, each fact as one plain sentence with the article's own words for it (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from drzero.loop.stated.boxes import boxed
from drzero.loop.stated.calls import expected
from drzero.loop.stated.documentation import documented
from drzero.loop.stated.grids import gridded
from drzero.loop.stated.leads import led
from drzero.loop.stated.statement import Measure, Stated, filled
from drzero.types import Chunk

__all__ = ["Measure", "Stated", "filled", "stated"]


def stated(chunk: Chunk, language: str = "en", docs: bool = False) -> tuple[Stated, ...]:
    """The facts that `chunk` states in rows, dates, definitions and signatures, in the order of the text.

    `docs` reads documentation of code. None of a page that is no evidence, nor in a language other than English, whose
    labels and wordings are the only ones known. What a subject has twice in one relation is left out, when the two are
    not the same: which is meant?
    """
    if chunk.mark or not language.startswith("en"):
        return ()
    found = list(_read(chunk, docs))
    values = {(one.subject, one.relation, one.value) for one in found}
    counts = Counter((subject, relation) for subject, relation, _ in values)
    clear = {(one.subject, one.relation): one for one in reversed(found) if counts[one.subject, one.relation] == 1}
    return tuple(sorted(clear.values(), key=lambda one: (one.start, one.relation)))


def _read(chunk: Chunk, docs: bool) -> Iterator[Stated]:
    if docs:
        yield from documented(chunk)
        yield from expected(chunk)
    else:
        yield from boxed(chunk)
        yield from led(chunk)
        yield from gridded(chunk)

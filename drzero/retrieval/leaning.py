"""How far search goes by words where the embedder does not know a language: of an index, and of a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

from drzero.languages import pieces_per_letter, reads, speaks, warning
from drzero.retrieval.index import OpenIndex
from drzero.text import embedding_text
from drzero.types import Embedder

UNSPOKEN = 0.5
"""What similarity counts for where the embedder does not know the language."""
_ANSWERS: WeakKeyDictionary[OpenIndex, dict[str, bool | None]] = WeakKeyDictionary()
_SAMPLED_CHUNKS = 200
_QUERY_WORDS = 2


def knows(embedder: Embedder | None, language: str, texts: Callable[[], Sequence[str]]) -> bool | None:
    """Whether `embedder` knows the `language` of an archive's metadata; None when nothing tells.

    The languages that its model card states decide. Where they or those of the archive are not stated, `texts` of the
    archive (asked for only then) are put to its tokenizer, which shows a script that it was not made for.
    """
    found = speaks(stated_languages(embedder), language)
    return found if found is not None else reads(_pieces(embedder, texts()))


def knows_index(embedder: Embedder | None, index: OpenIndex) -> bool | None:
    """Whether `embedder` knows the language of `index`; None when nothing tells."""
    return knows(embedder, index.manifest.archive.language, lambda: _sample(index))


def knows_query(embedder: Embedder | None, query: str) -> bool | None:
    """False for a query in a script that the embedder's tokenizer was not made for; None when nothing tells."""
    return reads(_pieces(embedder, [query], least_words=_QUERY_WORDS))


def meaning_shares(indexes: Sequence[OpenIndex], query: str, embedder: Embedder | None) -> list[float]:
    """What similarity of meaning counts for in each index, from 0 to 1: `UNSPOKEN` where the embedder does not know
    the index's language, and everywhere for a query in a script that it was not made for.
    """
    if knows_query(embedder, query) is False:
        return [UNSPOKEN] * len(indexes)
    return [UNSPOKEN if _known(embedder, index) is False else 1.0 for index in indexes]


def _known(embedder: Embedder | None, index: OpenIndex) -> bool | None:
    """`knows_index`, asked once for an open index and a model."""
    answers = _ANSWERS.setdefault(index, {})
    model = embedder.id if embedder else ""
    if model not in answers:
        answers[model] = knows_index(embedder, index)
    return answers[model]


def language_notes(name: str, language: str, embedder: Embedder, texts: Callable[[], Sequence[str]]) -> tuple[str, ...]:
    """The sentence on an archive whose language `embedder` does not know, if so. `name` is that of the index."""
    model, languages = embedder.id.rpartition("@")[0] or embedder.id, stated_languages(embedder)
    said = warning(name, language, model, languages, knows(embedder, language, texts))
    return (said,) if said else ()


def index_notes(index: OpenIndex, embedder: Embedder) -> tuple[str, ...]:
    """As `language_notes`, of a finished index."""
    return language_notes(index.name, index.manifest.archive.language, embedder, lambda: _sample(index))


def stated_languages(embedder: Embedder | None) -> Sequence[str]:
    """The languages on the embedder's model card; () when it states none."""
    description = getattr(embedder, "description", None) or {}
    return tuple(description.get("languages", ()))


def _pieces(embedder: Embedder | None, texts: Sequence[str], **options: int) -> float | None:
    tokenizer = getattr(embedder, "tokenizer", None)
    if tokenizer is None:
        return None
    return pieces_per_letter(texts, lambda words: [len(ids) for ids in tokenizer.ids(words, alone=True)], **options)


def _sample(index: OpenIndex) -> list[str]:
    """The texts of chunks spread evenly over an index."""
    count = min(_SAMPLED_CHUNKS, index.count)
    rows = [index.count * number // count for number in range(count)]
    return [embedding_text(chunk.title, chunk.heading, chunk.text) for chunk in index.chunks(rows)]

"""How far search goes by words where the embedder does not know a language: of an index, and of a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

import regex

from drzero.languages import only_code, pieces_per_letter, reads, speaks, warning
from drzero.retrieval.index import OpenIndex
from drzero.retrieval.manifest import name_of
from drzero.text import embedding_text
from drzero.types import Embedder

UNSPOKEN, USUAL, FOREIGN = 0.5, 1.0, 4.0
"""What similarity of meaning counts for, against the usual weight that English questions were used for: where the
embedder does not know the language, usually, and where it knows one that is not English.

Recall@5 on a handbook's translations, 36 questions each, and on a Wikibooks, 20, by what similarity counts for:
                       words alone   .2    .5     1     2     4     8   meaning alone
MiniLM, French                .61   .64   .64   .67   .61   .56   .47    .39
MiniLM, Chinese               .69   .69   .72   .67   .47   .42   .31    .17
MiniLM, Belarusian            .80   .85   .90   .95   .95   .80   .80    .75
multilingual E5, French       .64   .67   .69   .72   .75   .81   .75    .78
multilingual E5, Russian      .61   .67   .67   .72   .75   .78   .86    .86
multilingual E5, Belarusian   .80   .85   .90   .90   .95  1.00   .95    .90
mrr@10 of MiniLM, mean        .57   .61   .63   .62   .56   .45   .40    .31
"""
_ANSWERS: WeakKeyDictionary[OpenIndex, dict[str, bool | None]] = WeakKeyDictionary()
_SAMPLED_CHUNKS = 200
_QUERY_WORDS = 2
_LATIN = regex.compile(r"\p{Latin}")


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
    """False for a query in a script that the embedder's tokenizer was not made for; None when nothing tells.

    Words in Latin letters do not count: what people look for by few words, such as `pip venv` or `TCP UDP`, comes to
    pieces in every tokenizer.
    """
    words = [word for word in query.split() if not _LATIN.search(word)]
    return reads(_pieces(embedder, [" ".join(words)], least_words=_QUERY_WORDS))


def meaning_shares(indexes: Sequence[OpenIndex], query: str, embedder: Embedder | None) -> list[float]:
    """What similarity of meaning counts for in each index: UNSPOKEN, USUAL or FOREIGN.

    A query in a script that the embedder was not made for is UNSPOKEN everywhere.
    """
    if knows_query(embedder, query) is False:
        return [UNSPOKEN] * len(indexes)
    return [_share(_known(embedder, index), index.manifest.archive.language) for index in indexes]


def lexical_weight(usual: float, meaning: float) -> float:
    """The share of words in a blended score where similarity counts for `meaning` times what it does usually.

    A weighted mean remains one, so that indexes with other weights can still be compared.
    """
    return usual / (usual + (1 - usual) * meaning)


def _share(known: bool | None, language: str) -> float:
    if known is False:
        return UNSPOKEN
    return FOREIGN if known and only_code(language) not in ("", "en") else USUAL


def _known(embedder: Embedder | None, index: OpenIndex) -> bool | None:
    """`knows_index`, asked once for an open index and a model."""
    answers = _ANSWERS.setdefault(index, {})
    model = embedder.id if embedder else ""
    if model not in answers:
        answers[model] = knows_index(embedder, index)
    return answers[model]


def language_notes(name: str, language: str, embedder: Embedder, texts: Callable[[], Sequence[str]]) -> tuple[str, ...]:
    """The sentence on an archive whose language `embedder` does not know, if so. `name` is that of the index."""
    model, languages = name_of(embedder.id), stated_languages(embedder)
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

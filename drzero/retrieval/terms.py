"""A user's text as terms of the word index."""

from __future__ import annotations

import re

from drzero.retrieval.function_words import without_endings, without_function_words
from drzero.retrieval.inflection import uninflected
from drzero.retrieval.layout import searchable
from drzero.text import spaced, word_spans

MAX_TERMS = 64
# What English questions are made of. In an encyclopedia most of them are common words anyway; in a manual that asks
# nothing and speaks to nobody "how do I" would be three rare and telling words. Left out only where they stand in small
# letters or first: the WHO, IT and May are something else.
_ASKING = re.compile(
    r"(?<![\w'’-])(?:(?:can|could|did|do|how|if|may|must|shall|should|what|when|would) I(?= [a-z])"
    r"|a|an|and|are|as|at|be|been|being|by|can|could|did|do|does|done|for|from|had|has|have|he|her|his|how"
    r"|i|if|in|is|it|its|may|me|might|must|my|no|not|of|on|or|our|shall|she|should|so|than|that|the|their|them|then"
    r"|there|these|they|this|those|to|us|was|we|were|what|when|where|which|who|whom|whose|why|will|with|would|you|your)"
    r"(?![\w'’-])"
)
_FIRST = re.compile(r"\s*[A-Z][a-z]*(?=\s)")


def without_asking(query: str, language: str = "") -> str:
    """`query` without the words that only ask in `language` (a short code, "" for English); "" when all of them do."""
    if language not in ("", "en"):
        return without_function_words(query, language)
    query = _FIRST.sub(lambda match: match[0].lower(), query, count=1) if _FIRST.match(query) else query
    return " ".join(_ASKING.sub(" ", query).split())


def query_terms(query: str, language: str = "") -> list[str]:
    """The distinct words of any user's text as FTS5 strings, at most `MAX_TERMS`, each safe to stand in an expression.

    Neighbouring characters of an unspaced script become pairs; words joined by punctuation (`sqlite3_open_v2`) also
    stand as a phrase. Words lose the endings of `language` (a short code), that of the word index.
    """
    terms: dict[str, None] = {}
    phrases: dict[str, None] = {}
    for piece in searchable(uninflected(query.encode("utf-8", "replace").decode(), language)).split():
        parts = [piece[start:end] for start, end in word_spans(piece)]
        unspaced = [spaced(part) != part for part in parts] + [False]
        for number, part in enumerate(parts):
            if unspaced[number] and unspaced[number + 1]:
                terms.setdefault(f"{part} {parts[number + 1]}")
            elif not unspaced[number] or not (number and unspaced[number - 1]):
                terms.setdefault(part)
        if len(parts) > 1 and not any(unspaced):
            phrases.setdefault(" ".join(parts))
    return without_endings([f'"{term}"' for term in (*terms, *phrases)])[:MAX_TERMS]

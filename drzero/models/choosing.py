"""Tokens of an answer, one after the other: greedy or by chance, within a grammar."""

from __future__ import annotations

import codecs
import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from drzero.models.evaluated import Evaluated

_TOP_K, _TOP_P, _MIN_P = 40, 0.95, 0.05  # llama.cpp's own defaults
_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


def draw(
    llama: Any,
    library: Any,
    context: Evaluated,
    *,
    grammar: str,
    seed: int,
    temperature: float,
    max_tokens: int,
) -> tuple[list[int], bool]:
    """The tokens of an answer to the prompt that stands in `context`, and whether the model ended it by itself.

    A grammar is asked only about the token drawn, and about all of them where it refuses that one: the same
    distribution as asking it first, at a fraction of the time. ValueError for a grammar that is none.
    """
    vocabulary = llama._model.vocab
    with _chain(library, seed, temperature) as chain, _rules(library, vocabulary, grammar) as rules:
        tokens: list[int] = []
        while len(tokens) < max_tokens:
            if tokens:
                context.append(tokens[-1])
            token = library.llama_sampler_sample(chain, llama.ctx, -1)
            if rules is not None:
                if not _allows(library, rules, token):
                    token = _within(library, rules, chain, context)
                library.llama_sampler_accept(rules, token)
            if library.llama_vocab_is_eog(vocabulary, token):
                return tokens, True
            tokens.append(token)
        return tokens, False


@contextmanager
def _chain(library: Any, seed: int, temperature: float) -> Iterator[Any]:
    """A sampler: the likeliest token at temperature 0, else one drawn from the likely ones."""
    chain = library.llama_sampler_chain_init(library.llama_sampler_chain_default_params())
    if temperature <= 0:
        links = [library.llama_sampler_init_greedy()]
    else:
        links = [
            library.llama_sampler_init_top_k(_TOP_K),
            library.llama_sampler_init_top_p(_TOP_P, 1),
            library.llama_sampler_init_min_p(_MIN_P, 1),
            library.llama_sampler_init_temp(temperature),
            library.llama_sampler_init_dist(seed & 0xFFFFFFFF),
        ]
    for link in links:
        library.llama_sampler_chain_add(chain, link)
    try:
        yield chain
    finally:
        library.llama_sampler_free(chain)


@contextmanager
def _rules(library: Any, vocabulary: Any, grammar: str) -> Iterator[Any]:
    """The grammar as a sampler, None for no grammar."""
    if not grammar:
        yield None
        return
    rules = library.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root")
    if not rules:
        raise ValueError(f"not a GBNF grammar: {grammar}")
    try:
        yield rules
    finally:
        library.llama_sampler_free(rules)


def _allows(library: Any, rules: Any, token: int) -> bool:
    one = library.llama_token_data(token, 1.0, 0.0)
    candidates = library.llama_token_data_array(ctypes.pointer(one), 1, -1, False)
    library.llama_sampler_apply(rules, ctypes.byref(candidates))
    return bool(one.logit > float("-inf"))


def _within(library: Any, rules: Any, chain: Any, context: Evaluated) -> int:
    """A token drawn among all those that the grammar allows."""
    scores = context.scores()
    table = np.zeros(len(scores), dtype=_CANDIDATE)
    table["id"], table["logit"] = np.arange(len(scores)), scores
    data = table.ctypes.data_as(ctypes.POINTER(library.llama_token_data))
    candidates = library.llama_token_data_array(data, len(table), -1, False)
    library.llama_sampler_apply(rules, ctypes.byref(candidates))
    library.llama_sampler_apply(chain, ctypes.byref(candidates))
    return int(candidates.data[candidates.selected].id)


def text_of(library: Any, llama: Any, tokens: list[int], *, ended: bool) -> str:
    """The tokens' text. Bytes that are no UTF-8 become U+FFFD; a letter that the cut of an answer halves is dropped."""
    raw = b"".join(piece_of(library, llama._model.vocab, token) for token in tokens)
    return codecs.getincrementaldecoder("utf-8")("replace").decode(raw, final=ended)


def piece_of(library: Any, vocabulary: Any, token: int) -> bytes:
    """The bytes of one token; llama-cpp-python's own `detokenize` loses those of more than 32."""
    size = 64
    while True:
        buffer = ctypes.create_string_buffer(size)
        written = library.llama_token_to_piece(vocabulary, token, buffer, size, 0, False)
        if written >= 0:
            return buffer.raw[:written]
        size = -written

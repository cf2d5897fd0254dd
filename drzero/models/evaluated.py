"""What stands evaluated in llama.cpp's context, and the states worth coming back to.

A prompt comes in parts: its shared head, each long paragraph after it, and what is left. Each part is evaluated by
itself, and only whole parts are taken up again. llama.cpp computes a token a little differently with other neighbours
in its batch (log-odds move by up to .1), so this is what makes an answer depend on its prompt alone and not on what
was asked before: a resumed run and a replay get the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from ctypes import c_uint8
from typing import Any

import numpy as np

from drzero.errors import ModelError
from drzero.types import Float32

Parts = tuple[tuple[int, ...], ...]
"""A prompt's tokens, part by part; none is empty."""

HEADS_KEPT = 12  # about 28 kB a token for a 1.5B model: 12 heads of 600 tokens are 200 MB
BODIES_KEPT = 3  # heads with passages after them: 1,500 tokens are 42 MB
TOKENS_WORTH_KEEPING = 64


class Evaluated:
    """llama.cpp's context with its memory of earlier prompts. One caller at a time.

    `llama` is a `llama_cpp.Llama`, `library` the module, `name` what a ModelError calls the model.
    """

    def __init__(self, llama: Any, library: Any, name: str) -> None:
        self._llama, self._library, self._name = llama, library, name
        self._here: Parts = ()
        self._kept: tuple[OrderedDict[Parts, bytes], ...] = (OrderedDict(), OrderedDict())  # heads, bodies

    @property
    def kept(self) -> tuple[Parts, ...]:
        """What is remembered, heads first."""
        return tuple(parts for states in self._kept for parts in states)

    def evaluate(self, parts: Parts) -> int:
        """Bring a prompt into the context, so that `scores` are those of its next token; returns the tokens evaluated.

        The last part is always evaluated. ModelError when llama.cpp fails, after which nothing is in the context.
        """
        done = self._take_up(parts)
        worth = {1, len(parts) - 1} if len(parts) > 1 else set()
        evaluated = 0
        try:
            for number in range(done, len(parts)):
                self._llama.eval(parts[number])
                self._here = parts[: number + 1]
                evaluated += len(parts[number])
                if number + 1 in worth and _length(parts[: number + 1]) >= TOKENS_WORTH_KEEPING:
                    self._keep(self._here)
        except BaseException as error:
            self.clear()
            if isinstance(error, RuntimeError):
                raise self._failed(error) from error
            raise
        return evaluated

    def append(self, token: int) -> None:
        """Evaluate one more token, of an answer. ModelError when llama.cpp fails."""
        try:
            self._llama.eval((token,))
        except BaseException as error:
            self.clear()
            if isinstance(error, RuntimeError):
                raise self._failed(error) from error
            raise

    def scores(self) -> Float32:
        """The logits of the next token: float32 of shape (vocabulary,), good until the next call."""
        found = self._library.llama_get_logits_ith(self._llama.ctx, -1)
        scores: Float32 = np.ctypeslib.as_array(found, shape=(self._llama.n_vocab(),))
        return scores

    def clear(self) -> None:
        """Empty the context; what is remembered stays."""
        self._library.llama_memory_clear(self._library.llama_get_memory(self._llama.ctx), True)
        self._llama.n_tokens = 0
        self._here = ()

    def _take_up(self, parts: Parts) -> int:
        """Leave in the context the longest known beginning of `parts` but the last; returns how many parts that is."""
        wanted = parts[:-1]
        for count in range(len(wanted), 0, -1):
            length = _length(wanted[:count])
            if _common(self._here, wanted) >= count and self._cut_back(length):
                self._here = wanted[:count]
                return count
            for whole in self.kept:
                if _common(whole, wanted) < count:
                    continue
                self._restore(whole)
                if len(whole) == count or self._cut_back(length):
                    self._here = wanted[:count]
                    return count
        self.clear()
        return 0

    def _cut_back(self, length: int) -> bool:
        """Forget what stands behind the first `length` tokens; False for a model that can only forget all."""
        llama, library = self._llama, self._library
        if not library.llama_memory_seq_rm(library.llama_get_memory(llama.ctx), 0, length, -1):
            return False
        llama.n_tokens = length
        return True

    def _restore(self, parts: Parts) -> None:
        """Bring back a remembered state.

        The library's own cache (`set_cache`) copies the logits of a whole batch with every state, some 300 MB for a
        vocabulary of 150,000, so the sequence state is kept by llama.cpp's own calls instead.
        """
        states = self._states(parts)
        states.move_to_end(parts)
        state = states[parts]
        self.clear()
        llama, library = self._llama, self._library
        buffer = (c_uint8 * len(state)).from_buffer_copy(state)
        if library.llama_state_seq_set_data(llama.ctx, buffer, len(state), 0) != len(state):
            raise ModelError(f"llama.cpp could not restore the state of {self._name}: start the command again.")
        tokens = [token for part in parts for token in part]
        llama.input_ids[: len(tokens)] = tokens
        llama.n_tokens = len(tokens)
        self._here = parts

    def _keep(self, parts: Parts) -> None:
        llama, library = self._llama, self._library
        buffer = (c_uint8 * library.llama_state_seq_get_size(llama.ctx, 0))()
        size = library.llama_state_seq_get_data(llama.ctx, buffer, len(buffer), 0)
        states = self._states(parts)
        states[parts] = bytes(memoryview(buffer)[:size])
        while len(states) > (HEADS_KEPT if states is self._kept[0] else BODIES_KEPT):
            states.popitem(last=False)

    def _states(self, parts: Sequence[tuple[int, ...]]) -> OrderedDict[Parts, bytes]:
        return self._kept[0 if len(parts) == 1 else 1]

    def _failed(self, error: RuntimeError) -> ModelError:
        return ModelError(
            f"llama.cpp failed while it read a prompt with {self._name} ({error}): lower models.context_tokens if "
            "memory is short, or fetch the model again."
        )


def _common(these: Parts, those: Parts) -> int:
    """How many parts two prompts begin with alike."""
    count = 0
    while count < min(len(these), len(those)) and these[count] == those[count]:
        count += 1
    return count


def _length(parts: Parts) -> int:
    return sum(map(len, parts))

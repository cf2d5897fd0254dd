"""drzero.models.evaluated: what stands in the context, on a small stand-in for llama.cpp."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from drzero.errors import ModelError
from drzero.models.evaluated import BODIES_KEPT, HEADS_KEPT, TOKENS_WORTH_KEEPING, Evaluated

LONG = TOKENS_WORTH_KEEPING


def part(start: int, length: int = LONG) -> tuple[int, ...]:
    return tuple(range(start, start + length))


class SmallLlama:
    """As much of `llama_cpp.Llama` and its library as the context needs.

    `cells` holds each token with the batch it was evaluated in, so that a test can see how a context came about.
    """

    def __init__(self, *, forgets_ends: bool = True, fails_at: int | None = None) -> None:
        self.ctx = self
        self.n_tokens = 0
        self.input_ids = np.zeros(10_000, dtype=np.int32)
        self.cells: list[tuple[int, int]] = []  # (token, batch length)
        self.evals: list[int] = []
        self._forgets_ends, self._fails_at = forgets_ends, fails_at

    # the class
    def eval(self, tokens: Sequence[int]) -> None:
        if self._fails_at in tokens:
            raise RuntimeError("llama_decode returned 1")
        assert len(self.cells) == self.n_tokens
        self.cells += [(token, len(tokens)) for token in tokens]
        self.n_tokens += len(tokens)
        self.evals.append(len(tokens))

    def n_vocab(self) -> int:
        return 3

    # the library
    def llama_get_memory(self, _: Any) -> Any:
        return self

    def llama_memory_clear(self, _: Any, __: bool) -> None:
        self.cells = []

    def llama_memory_seq_rm(self, _: Any, __: int, start: int, ___: int) -> bool:
        if self._forgets_ends:
            del self.cells[start:]
        return self._forgets_ends

    def llama_state_seq_get_size(self, *_: Any) -> int:
        return 8 * len(self.cells) + 16  # llama.cpp asks for more than it fills

    def llama_state_seq_get_data(self, _: Any, buffer: Any, size: int, __: int) -> int:
        data = np.array(self.cells, dtype=np.int32).tobytes()
        assert len(data) <= size
        ctypes.memmove(buffer, data, len(data))
        return len(data)

    def llama_state_seq_set_data(self, _: Any, buffer: Any, size: int, __: int) -> int:
        rows = np.frombuffer(bytes(buffer), dtype=np.int32).reshape(-1, 2)
        self.cells = [(int(token), int(length)) for token, length in rows]
        return size

    def llama_get_logits_ith(self, _: Any, place: int) -> Any:
        assert place == -1
        values = (ctypes.c_float * 3)(0.5, 1.5, float(self.cells[-1][0]))
        return ctypes.cast(values, ctypes.POINTER(ctypes.c_float))


def context(llama: SmallLlama) -> Evaluated:
    return Evaluated(llama, llama, "small@1")


def alone(*parts: tuple[int, ...]) -> list[tuple[int, int]]:
    """The cells of a prompt that was evaluated with nothing before it."""
    llama = SmallLlama()
    context(llama).evaluate(parts)
    return llama.cells


HEAD, OTHER_HEAD, BODY, OTHER_BODY, ASKED, ASKED_TOO = (
    part(0), part(500), part(1000), part(2000), part(3000, 5), part(4000, 7)
)  # fmt: skip


def test_evaluated_each_part_is_evaluated_by_itself() -> None:
    llama = SmallLlama()
    assert context(llama).evaluate((HEAD, BODY, ASKED)) == 2 * LONG + 5
    assert llama.evals == [LONG, LONG, 5]


def test_evaluated_the_same_beginning_is_not_evaluated_again() -> None:
    llama = SmallLlama()
    ours = context(llama)
    ours.evaluate((HEAD, BODY, ASKED))
    assert ours.evaluate((HEAD, BODY, ASKED_TOO)) == 7
    assert ours.evaluate((HEAD, BODY, ASKED_TOO)) == 7  # the last part always is: its scores are wanted
    assert llama.cells == alone(HEAD, BODY, ASKED_TOO)


def test_evaluated_what_an_answer_added_is_forgotten() -> None:
    llama = SmallLlama()
    ours = context(llama)
    ours.evaluate((HEAD, BODY, ASKED))
    for token in (7001, 7002):
        ours.append(token)
    assert [token for token, _ in llama.cells[-2:]] == [7001, 7002]
    assert ours.evaluate((HEAD, BODY, ASKED)) == 5
    assert llama.cells == alone(HEAD, BODY, ASKED)


def test_evaluated_parts_are_taken_up_whole_or_not_at_all() -> None:
    llama = SmallLlama()
    ours = context(llama)
    ours.evaluate((HEAD, BODY, ASKED))
    almost = (*BODY[:-1], 9)
    assert ours.evaluate((HEAD, almost, ASKED)) == LONG + 5
    assert llama.cells == alone(HEAD, almost, ASKED)
    assert ours.evaluate(((*HEAD, *BODY), ASKED)) == 2 * LONG + 5  # the same tokens in one part are another context
    assert llama.cells == alone((*HEAD, *BODY), ASKED)


def test_evaluated_a_long_beginning_comes_back_from_memory() -> None:
    llama = SmallLlama()
    ours = context(llama)
    ours.evaluate((HEAD, BODY, ASKED))
    ours.evaluate((OTHER_HEAD, ASKED))
    assert ours.kept == ((HEAD,), (OTHER_HEAD,), (HEAD, BODY))
    assert ours.evaluate((HEAD, BODY, ASKED_TOO)) == 7
    assert llama.cells == alone(HEAD, BODY, ASKED_TOO)
    assert llama.n_tokens == 2 * LONG + 7
    assert tuple(llama.input_ids[: 2 * LONG]) == HEAD + BODY


def test_evaluated_a_body_is_sought_before_the_head_that_stands_there() -> None:
    llama = SmallLlama()
    ours = context(llama)
    ours.evaluate((HEAD, BODY, ASKED))
    ours.evaluate((HEAD, OTHER_BODY, ASKED))
    assert ours.evaluate((HEAD, BODY, ASKED)) == 5


def test_evaluated_passages_that_begin_alike_are_read_once() -> None:
    """The longest beginning is sought, in the context and in memory, and of a longer one only the end is dropped."""
    llama = SmallLlama()
    ours = context(llama)
    passages = [part(10_000 + 100 * number) for number in range(4)]
    ours.evaluate((HEAD, *passages, ASKED))
    ours.evaluate((OTHER_HEAD, ASKED))
    assert ours.kept == ((HEAD,), (OTHER_HEAD,), (HEAD, *passages))
    assert ours.evaluate((HEAD, *passages[:3], OTHER_BODY, ASKED)) == LONG + 5
    assert llama.cells == alone(HEAD, *passages[:3], OTHER_BODY, ASKED)
    assert ours.evaluate((HEAD, passages[0], ASKED)) == 5
    assert llama.cells == alone(HEAD, passages[0], ASKED)
    assert ours.evaluate((HEAD, *passages, ASKED_TOO)) == 7
    assert llama.cells == alone(HEAD, *passages, ASKED_TOO)
    assert ours.evaluate((HEAD, *passages[1:], ASKED)) == 3 * LONG + 5  # in another order nothing is alike


def test_evaluated_short_parts_are_not_worth_memory() -> None:
    ours = context(SmallLlama())
    short = part(0, LONG - 1)
    ours.evaluate((short, ASKED))
    assert ours.kept == ()
    assert ours.evaluate((short, ASKED_TOO)) == 7


def test_evaluated_memory_has_its_bounds_and_what_was_used_last_stays() -> None:
    ours = context(SmallLlama())
    heads = [part(100 * number) for number in range(HEADS_KEPT + 1)]
    for head in heads[:-1]:
        ours.evaluate((head, ASKED))
    ours.evaluate((heads[0], ASKED))
    ours.evaluate((heads[-1], ASKED))
    assert len(ours.kept) == HEADS_KEPT
    assert (heads[0],) in ours.kept
    assert (heads[1],) not in ours.kept
    for number in range(BODIES_KEPT + 2):
        ours.evaluate((heads[0], part(5000 + 100 * number), ASKED))
    assert len(ours.kept) == HEADS_KEPT + BODIES_KEPT


def test_evaluated_a_model_that_cannot_forget_an_end_gets_the_same_context() -> None:
    """Recurrent models keep no separate tokens: their state comes back from memory, or is made anew."""
    llama = SmallLlama(forgets_ends=False)
    ours = context(llama)
    ours.evaluate((HEAD, ASKED))
    assert ours.evaluate((HEAD, ASKED_TOO)) == 7
    assert llama.cells == alone(HEAD, ASKED_TOO)
    short = part(0, 8)
    ours.evaluate((short, ASKED))
    assert ours.evaluate((short, ASKED_TOO)) == 8 + 7
    assert llama.cells == alone(short, ASKED_TOO)


@pytest.mark.parametrize("forgets_ends", [True, False])
def test_evaluated_a_context_does_not_depend_on_what_was_there_before(forgets_ends: bool) -> None:
    prompts = [
        (HEAD, BODY, OTHER_BODY, ASKED), (HEAD, BODY, OTHER_BODY, part(6000), ASKED), (HEAD, OTHER_BODY, BODY, ASKED),
        (HEAD, BODY, ASKED), (HEAD, BODY, ASKED_TOO), (HEAD, OTHER_BODY, ASKED), (OTHER_HEAD, ASKED), (ASKED,),
        (HEAD, ASKED), (part(0, 9), ASKED),
    ]  # fmt: skip
    llama = SmallLlama(forgets_ends=forgets_ends)
    ours = context(llama)
    rng = np.random.default_rng(5)
    for number in rng.integers(0, len(prompts), 200):
        ours.evaluate(prompts[number])
        assert llama.cells == alone(*prompts[number])
        for token in range(int(rng.integers(0, 3))):
            ours.append(8000 + token)


@pytest.mark.parametrize("failing", [BODY[3], ASKED[-1]])
def test_evaluated_a_failure_is_one_sentence_and_leaves_a_clean_context(failing: int) -> None:
    llama = SmallLlama(fails_at=failing)
    ours = context(llama)
    with pytest.raises(ModelError, match=r"llama\.cpp failed while it read a prompt with small@1 \(llama_decode ret"):
        ours.evaluate((HEAD, BODY, ASKED))
    assert (llama.cells, llama.n_tokens) == ([], 0)
    assert ours.evaluate((HEAD, ASKED_TOO)) == 7  # the head was remembered
    with pytest.raises(ModelError):
        ours.append(failing)
    assert llama.n_tokens == 0
    ours.evaluate((HEAD, ASKED_TOO))
    assert llama.cells == alone(HEAD, ASKED_TOO)


def test_evaluated_an_interrupt_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    llama = SmallLlama()
    ours = context(llama)

    def stop(_: Sequence[int]) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(llama, "eval", stop)
        with pytest.raises(KeyboardInterrupt):
            ours.evaluate((HEAD, ASKED))
    assert ours.evaluate((HEAD, ASKED)) == LONG + 5


def test_evaluated_a_state_that_does_not_come_back_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    llama = SmallLlama()
    ours = context(llama)
    ours.evaluate((HEAD, ASKED))
    ours.evaluate((OTHER_HEAD, ASKED))
    monkeypatch.setattr(llama, "llama_state_seq_set_data", lambda *_: 0)
    with pytest.raises(ModelError, match="could not restore the state of small@1: start the command again"):
        ours.evaluate((HEAD, ASKED))


def test_evaluated_scores_are_those_of_the_next_token() -> None:
    ours = context(SmallLlama())
    ours.evaluate((HEAD, ASKED))
    assert ours.scores().tolist() == [0.5, 1.5, 3004.0]

"""llama.cpp in process: chat template, GBNF grammar, yes/no log-odds, and what was evaluated before taken up again."""

from __future__ import annotations

import math
import os
import re
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from drzero.errors import ContextFault, ModelError
from drzero.models.choosing import draw, piece_of, text_of
from drzero.models.evaluated import Evaluated, Parts
from drzero.types import Completion, Float32, Prompt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MARK = re.compile("\ue000(\\d+)\ue001")  # private-use characters: a template passes them through untouched
_YES, _NO = ("Yes", "yes", " Yes", "YES"), ("No", "no", " No", "NO")
_PART_TOKENS = 96  # a paragraph of a message ends a part from this length on: prompts often begin with the same ones
_TEXTS_KEPT = 256  # as tokens
_TODAY = date(2024, 7, 26)  # what a template tells that writes the date: the same each day, so that answers are, too


@dataclass(frozen=True, slots=True)
class Tally:
    """What a writer has done. Tokens asked but not evaluated stood in its context or memory."""

    calls: int = 0
    asked_tokens: int = 0
    evaluated_tokens: int = 0
    written_tokens: int = 0
    reading_s: float = 0.0
    writing_s: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def seconds(self) -> float:
        """Reading and writing together."""
        return self.reading_s + self.writing_s


def writer_id(path: Path) -> str:
    """The id of the writer in a GGUF file, which need not be loaded: its name and size."""
    return f"{path.stem}@{path.stat().st_size}"


class LlamaModel:
    """A writer behind the `LLM` seam. One caller at a time: llama.cpp's context is not shared between threads.

    `id` names the file and its size, `context_tokens` is what prompt and answer must fit in together: as asked for, or
    what the model was made for where that is less. `tallies` counts, by name of the prompt. What it says depends on
    prompt, seed and settings alone, not on what was asked before. ModelError for a file that does not load or cannot be
    a writer.
    """

    def __init__(self, path: Path, *, context_tokens: int = 4096, threads: int = 0) -> None:
        import llama_cpp

        with _native_stderr_silenced():
            try:
                self._llama = llama_cpp.Llama(
                    model_path=str(path),
                    n_ctx=context_tokens,
                    n_batch=512,
                    n_threads=threads or physical_cores(),
                    n_threads_batch=threads or physical_cores(),
                    verbose=False,
                )
            except (ValueError, RuntimeError, AssertionError) as error:
                raise ModelError(
                    f"{path} could not be loaded by llama.cpp ({error or 'no reason given'}); "
                    "fetch it again or name another model with --llm"
                ) from error
        self._library = llama_cpp
        self.id = writer_id(path)
        made_for = llama_cpp.llama_model_n_ctx_train(self._llama._model.model)
        self.context_tokens = min(int(self._llama.n_ctx()), made_for or context_tokens)
        self.tallies: dict[str, Tally] = {}
        template = self._llama.metadata.get("tokenizer.chat_template")
        if not template:
            raise ModelError(f"{path} has no chat template: it is a base model; name an instruct model with --llm")
        self._formatter = self._make_formatter(template)
        self._render = lru_cache(maxsize=64)(self._render_roles)
        self._text_tokens = lru_cache(maxsize=_TEXTS_KEPT)(self._tokenize)
        self._paragraphs = lru_cache(maxsize=_TEXTS_KEPT)(self._paragraphs_of)
        self._piece = lru_cache(maxsize=1 << 15)(partial(piece_of, llama_cpp, self._llama._model.vocab))
        self._takes_system = self._renders("system", "user", "assistant", "user")
        if not self._takes_system and not self._renders("user", "assistant", "user"):
            raise ModelError(
                f"{path} has a chat template that takes no question, answer and question: name another model with --llm"
            )
        self._yes, self._no = self._first_tokens(_YES), self._first_tokens(_NO)
        if not self._yes or not self._no:
            raise ModelError(f"{path} has no words for Yes and No and so cannot judge: name another model with --llm")
        self._context = Evaluated(self._llama, llama_cpp, self.id)

    def _make_formatter(self, template: str) -> Any:
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        def piece(token: int) -> str:
            text: str = self._llama.detokenize([token], special=True).decode("utf-8", "replace") if token >= 0 else ""
            return text

        formatter = Jinja2ChatFormatter(
            template=template, eos_token=piece(self._llama.token_eos()), bos_token=piece(self._llama.token_bos())
        )
        formatter.strftime_now = _TODAY.strftime
        return formatter

    def _first_tokens(self, variants: Sequence[str]) -> list[int]:
        """The tokens that are one of these words."""
        tokens = {self._tokenize(text, special=False) for text in variants}
        return sorted(row[0] for row in tokens if len(row) == 1)

    # --- prompts --------------------------------------------------------------------------------------------------

    def _render_roles(self, roles: tuple[str, ...]) -> str:
        rows = [{"role": role, "content": f"\ue000{i}\ue001"} for i, role in enumerate(roles)]
        rendered: str = self._formatter(messages=rows, enable_thinking=False).prompt
        return rendered

    def _renders(self, *roles: str) -> bool:
        """Whether the template gives back a message of each of these roles, once and in order."""
        try:
            return _MARK.findall(self._render_roles(roles)) == [str(i) for i in range(len(roles))]
        except Exception:  # noqa: BLE001  (a template raises whatever it likes for a role it does not know)
            return False

    def _tokenize(self, text: str, *, special: bool) -> tuple[int, ...]:
        return tuple(self._llama.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=special))

    def _parts(self, prompt: Prompt) -> Parts:
        """The prompt's tokens: its shared messages, then each long paragraph of what follows, then the rest.

        Only the template's own text is read for control tokens. The content of a message is data: should an article
        contain `<|im_end|>`, it stays those ten characters.
        """
        messages, shared = prompt.messages, prompt.shared
        if messages[0][0] == "system" and not self._takes_system:
            (_, rules), (role, content) = messages[0], messages[1]
            messages, shared = ((role, f"{rules}\n\n{content}"), *messages[2:]), max(shared - 1, 0)
        rendered = self._render(tuple(role for role, _ in messages))
        parts: list[tuple[int, ...]] = []
        tokens: list[int] = []
        at = 0
        for match in _MARK.finditer(rendered):
            number = int(match[1])
            tokens += self._text_tokens(rendered[at : match.start()], special=True)
            if number == shared > 0:
                parts.append(tuple(tokens))
                tokens = []
            *paragraphs, last = self._paragraphs(messages[number][1])
            for paragraph in paragraphs:
                tokens += paragraph
                if number >= shared and len(tokens) >= _PART_TOKENS:
                    parts.append(tuple(tokens))
                    tokens = []
            tokens += last
            at = match.end()
        tokens += self._text_tokens(rendered[at:], special=True)
        return (*parts, tuple(tokens))

    def _paragraphs_of(self, text: str) -> tuple[tuple[int, ...], ...]:
        """The tokens of a text, each paragraph with the blank line behind it; the last one may be empty."""
        tokens = self._tokenize(text, special=False)
        starts, before = [0], b""
        for place, token in enumerate(tokens):
            before = before[-1:] + self._piece(token)
            if b"\n\n" in before:
                starts.append(place + 1)
        return tuple(tokens[start:end] for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True))

    def room(self, prompt: Prompt) -> int:
        """Tokens left in the context after `prompt`, template included; negative when it does not fit."""
        return self.context_tokens - sum(map(len, self._parts(prompt)))

    # --- calls ----------------------------------------------------------------------------------------------------

    def complete(
        self, prompt: Prompt, *, grammar: str = "", seed: int = 0, max_tokens: int = 256, temperature: float = 0.0
    ) -> Completion:
        """Complete `prompt`; a GBNF `grammar` constrains the text.

        ContextFault, a ValueError, for a prompt that does not fit; ModelError where the model computes no numbers.
        """
        started = time.perf_counter()
        asked = self._read(prompt, max_tokens)
        if np.isnan(self._context.scores()).any():
            raise ModelError(f"{self.id} computes no numbers (NaN): its weights are damaged; fetch or copy it again.")
        read = time.perf_counter()
        tokens, ended = draw(
            self._llama,
            self._library,
            self._context,
            grammar=grammar,
            seed=seed,
            temperature=temperature,
            max_tokens=max_tokens,
        )
        done = time.perf_counter()
        self._count(prompt, written_tokens=len(tokens), writing_s=done - read)
        return Completion(
            text=text_of(self._library, self._llama, tokens, ended=ended),
            finish="stop" if ended else "length",
            prompt_tokens=asked,
            completion_tokens=len(tokens),
            elapsed_s=done - started,
        )

    def yes_no(self, prompt: Prompt) -> float:
        """The log-odds (natural logarithm) of "Yes" against "No" as the next word of the answer.

        nan where the model computes none. ContextFault for a prompt that does not fit.
        """
        self._read(prompt, 1)
        scores = self._context.scores()
        return _log_sum_exp(scores[self._yes]) - _log_sum_exp(scores[self._no])

    def _read(self, prompt: Prompt, max_tokens: int) -> int:
        """Evaluate a prompt; its length in tokens."""
        parts = self._parts(prompt)
        asked = sum(map(len, parts))
        if asked + max_tokens > self.context_tokens:
            raise ContextFault(
                f"A prompt ({prompt.name}) of {asked:,} tokens leaves no room for {max_tokens} more in the "
                f"{self.context_tokens:,} that the writer reads: raise models.context_tokens, or name another writer."
            )
        started = time.perf_counter()
        evaluated = self._context.evaluate(parts)
        self._count(
            prompt, calls=1, asked_tokens=asked, evaluated_tokens=evaluated, reading_s=time.perf_counter() - started
        )
        return asked

    def _count(self, prompt: Prompt, **done: Any) -> None:
        self.tallies[prompt.name] = self.tallies.get(prompt.name, Tally()) + Tally(**done)

    def close(self) -> None:
        """Free the model's memory."""
        self._llama.close()


def physical_cores() -> int:
    """Cores this process may use; hyper-threads do not help llama.cpp, but cannot be told apart everywhere."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _log_sum_exp(scores: Float32) -> float:
    top = float(scores.max())
    return top + math.log(float(sum(math.exp(float(score) - top) for score in scores)))


@contextmanager
def _native_stderr_silenced() -> Iterator[None]:
    """llama.cpp writes loading notes straight to file descriptor 2, past Python."""
    try:
        fd = sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):
        yield
        return
    sys.stderr.flush()
    saved = os.dup(fd)
    with open(os.devnull, "wb") as sink:
        os.dup2(sink.fileno(), fd)
    try:
        yield
    finally:
        os.dup2(saved, fd)
        os.close(saved)

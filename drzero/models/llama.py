"""llama.cpp in process: chat template, GBNF grammar, yes/no log-odds, and shared prompt heads evaluated once."""

from __future__ import annotations

import math
import os
import re
import sys
import time
from collections import OrderedDict
from contextlib import contextmanager
from ctypes import c_uint8
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drzero.errors import ModelError
from drzero.types import Completion, Prompt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MARK = re.compile("\ue000(\\d+)\ue001")  # private-use characters: a template passes them through untouched
_YES, _NO = ("Yes", "yes", " Yes", "YES"), ("No", "no", " No", "NO")
_HEADS_KEPT = 12  # about 28 kB a token for a 1.5B model: 12 heads of 600 tokens are 200 MB
_HEAD_TOKENS_WORTH_KEEPING = 64


def writer_id(path: Path) -> str:
    """The id of the writer in a GGUF file, which need not be loaded: its name and size."""
    return f"{path.stem}@{path.stat().st_size}"


class LlamaModel:
    """A writer behind the `LLM` seam. One caller at a time: llama.cpp's context is not shared between threads.

    `id` names the file and its size, `context_tokens` is what prompt and answer must fit in together.
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
        template = self._llama.metadata.get("tokenizer.chat_template")
        if not template:
            raise ModelError(f"{path} has no chat template: it is a base model; name an instruct model with --llm")
        self._library = llama_cpp
        self._formatter = self._make_formatter(template)
        self.id = writer_id(path)
        self.context_tokens = int(self._llama.n_ctx())
        self._takes_system = self._template_takes_system()
        self._yes = self._first_tokens(_YES)
        self._no = self._first_tokens(_NO)
        self._heads: OrderedDict[tuple[int, ...], bytes] = OrderedDict()

    def _make_formatter(self, template: str) -> Any:
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        def piece(token: int) -> str:
            text: str = self._llama.detokenize([token], special=True).decode("utf-8", "replace") if token >= 0 else ""
            return text

        return Jinja2ChatFormatter(
            template=template, eos_token=piece(self._llama.token_eos()), bos_token=piece(self._llama.token_bos())
        )

    def _first_tokens(self, variants: Sequence[str]) -> list[int]:
        tokens = {tuple(self._llama.tokenize(text.encode(), add_bos=False)) for text in variants}
        return sorted(row[0] for row in tokens if len(row) == 1)

    # --- prompts --------------------------------------------------------------------------------------------------

    def _render(self, messages: Sequence[tuple[str, str]]) -> str:
        rows = [{"role": role, "content": f"\ue000{i}\ue001"} for i, (role, _) in enumerate(messages)]
        rendered: str = self._formatter(messages=rows).prompt
        return rendered

    def _template_takes_system(self) -> bool:
        try:
            return len(_MARK.findall(self._render((("system", ""), ("user", ""))))) == 2
        except Exception:  # noqa: BLE001  (a template raises whatever it likes for a role it does not know)
            return False

    def _tokens(self, prompt: Prompt) -> tuple[list[int], int]:
        """The prompt's tokens, and how many of them belong to its shared messages.

        Only the template's own text is read for control tokens. The content of a message is data: should an article
        contain `<|im_end|>`, it stays those ten characters.
        """
        messages, shared = prompt.messages, prompt.shared
        if messages[0][0] == "system" and not self._takes_system:
            (_, rules), (role, content) = messages[0], messages[1]
            messages, shared = ((role, f"{rules}\n\n{content}"), *messages[2:]), max(shared - 1, 0)
        rendered = self._render(messages)
        tokens: list[int] = []
        head = at = 0
        for match in _MARK.finditer(rendered):
            tokens += self._llama.tokenize(rendered[at : match.start()].encode(), add_bos=False, special=True)
            if int(match[1]) == shared:
                head = len(tokens)
            content = messages[int(match[1])][1]
            tokens += self._llama.tokenize(content.encode("utf-8", "replace"), add_bos=False, special=False)
            at = match.end()
        tokens += self._llama.tokenize(rendered[at:].encode(), add_bos=False, special=True)
        return tokens, head

    def room(self, prompt: Prompt) -> int:
        """Tokens left in the context after `prompt`, template included; negative when it does not fit."""
        return self.context_tokens - len(self._tokens(prompt)[0])

    # --- calls ----------------------------------------------------------------------------------------------------

    def complete(
        self, prompt: Prompt, *, grammar: str = "", seed: int = 0, max_tokens: int = 256, temperature: float = 0.0
    ) -> Completion:
        """Complete `prompt`; a GBNF `grammar` constrains the text. A prompt that does not fit raises ValueError."""
        tokens = self._prepared(prompt, max_tokens)
        rules = self._library.LlamaGrammar.from_string(grammar, verbose=False) if grammar else None
        started = time.perf_counter()
        result = self._llama.create_completion(
            tokens, max_tokens=max_tokens, temperature=temperature, top_p=0.95, grammar=rules, seed=seed
        )
        choice, usage = result["choices"][0], result["usage"]
        return Completion(
            text=choice["text"],
            finish=choice["finish_reason"],
            prompt_tokens=usage["prompt_tokens"],
            completion_tokens=usage["completion_tokens"],
            elapsed_s=time.perf_counter() - started,
        )

    def yes_no(self, prompt: Prompt) -> float:
        """The log-odds (natural logarithm) of "Yes" against "No" as the next word of the answer."""
        tokens = self._prepared(prompt, 1)
        odds = math.nan

        def read(_: Any, scores: Any) -> Any:
            nonlocal odds
            odds = _log_sum_exp(scores[self._yes]) - _log_sum_exp(scores[self._no])
            return scores

        processors = self._library.LogitsProcessorList([read])
        self._llama.create_completion(tokens, max_tokens=1, temperature=0.0, logits_processor=processors)
        return odds

    def _prepared(self, prompt: Prompt, max_tokens: int) -> list[int]:
        """The prompt's tokens, once its shared head stands in the context."""
        tokens, head = self._tokens(prompt)
        if len(tokens) + max_tokens > self.context_tokens:
            raise ValueError(f"prompt of {len(tokens)} tokens leaves no room for {max_tokens} in {self.context_tokens}")
        if head >= _HEAD_TOKENS_WORTH_KEEPING:
            self._restore_head(tuple(tokens[:head]))
        return tokens

    def _restore_head(self, head: tuple[int, ...]) -> None:
        """Bring the evaluated head into the context from memory, or evaluate and keep it.

        The library's own cache (`set_cache`) copies the logits of a whole batch with every state, some 300 MB for a
        vocabulary of 150,000, so the sequence state is kept by llama.cpp's own calls instead.
        """
        llama, library = self._llama, self._library
        common = llama.longest_token_prefix(llama.input_ids[: llama.n_tokens].tolist(), head)
        if head in self._heads:
            self._heads.move_to_end(head)
        if common == len(head):
            return
        state = self._heads.get(head)
        if state is None:
            llama.n_tokens = common  # eval drops what follows and goes on from here
            llama.eval(list(head[common:]))
            self._keep(head)
            return
        buffer = (c_uint8 * len(state)).from_buffer_copy(state)
        library.llama_memory_clear(library.llama_get_memory(llama.ctx), True)
        if library.llama_state_seq_set_data(llama.ctx, buffer, len(state), 0) != len(state):
            raise ModelError(f"llama.cpp could not restore the state of {self.id}; start the command again")
        llama.input_ids[: len(head)] = head
        llama.n_tokens = len(head)

    def _keep(self, head: tuple[int, ...]) -> None:
        llama, library = self._llama, self._library
        buffer = (c_uint8 * library.llama_state_seq_get_size(llama.ctx, 0))()
        size = library.llama_state_seq_get_data(llama.ctx, buffer, len(buffer), 0)
        self._heads[head] = bytes(memoryview(buffer)[:size])
        while len(self._heads) > _HEADS_KEPT:
            self._heads.popitem(last=False)

    def close(self) -> None:
        """Free the model's memory."""
        self._llama.close()


def physical_cores() -> int:
    """Cores this process may use; hyper-threads do not help llama.cpp, but cannot be told apart everywhere."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _log_sum_exp(scores: Any) -> float:
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

"""Small real stand-ins for models: fast, deterministic, with the same seams."""

from __future__ import annotations

import re
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from drzero.types import Completion, Float32, Frame, Ids, Prompt

_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Spans:
    """An `Encoding` of words."""

    ids: list[int]
    starts: list[int]


class WordTokenizer:
    """One token per word or punctuation mark, plus two special tokens."""

    frame: Frame | None = Frame((1,), (2,), frozenset(" \n"))

    def __init__(self, limit_tokens: int = 64) -> None:
        self.limit_tokens = limit_tokens

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in _TOKEN.finditer(text)]

    def encode(self, texts: Sequence[str]) -> list[Spans]:
        return [
            Spans(
                [zlib.crc32(text[start:end].encode("utf-8", "surrogatepass")) & 0x7FFFFFFF for start, end in spans],
                [start for start, _ in spans],
            )
            for text in texts
            for spans in [self.offsets(text)]
        ]

    def ids(self, texts: Sequence[str], *, alone: bool = False) -> list[list[int]]:
        return [encoding.ids if alone else [1, *encoding.ids, 2] for encoding in self.encode(texts)]

    def count(self, text: str) -> int:
        return len(self.ids([text])[0])


class HashEmbedder:
    """A bag of hashed words as a unit vector: texts that share words are near each other."""

    def __init__(self, dim: int = 64, name: str = "hash", limit_tokens: int = 64) -> None:
        self.id = f"{name}-{dim}"
        self.dim = dim
        self.tokenizer = WordTokenizer(limit_tokens)
        self.texts_embedded = 0

    def _embed(self, texts: Sequence[str]) -> Float32:
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            row[0] = 1e-3
            for word in re.findall(r"\w+", text.casefold()):
                row[zlib.crc32(word.encode()) % self.dim] += 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        return self._embed(texts)

    def embed_passages(self, texts: Sequence[str], tokens: Sequence[Ids] | None = None) -> Float32:
        for ids in self.tokenizer.ids(texts) if tokens is None else tokens:
            if len(ids) > self.tokenizer.limit_tokens:
                raise ValueError("text is longer than the embedder reads")
        self.texts_embedded += len(texts)
        return self._embed(texts)


class ScriptedLLM:
    """Answers prompts from a queue, or by a function, and keeps what it was asked."""

    def __init__(
        self,
        replies: Sequence[str] = (),
        *,
        reply: Callable[[Prompt], str] | None = None,
        judge: Callable[[Prompt], float] = lambda _: 5.0,
        context_tokens: int = 4096,
    ) -> None:
        self.id = "scripted"
        self.prompts: list[Prompt] = []
        self._queue = deque(replies)
        self._reply = reply
        self._judge = judge
        self._context_tokens = context_tokens

    def complete(
        self, prompt: Prompt, *, grammar: str = "", seed: int = 0, max_tokens: int = 256, temperature: float = 0.0
    ) -> Completion:
        if self.room(prompt) < max_tokens:
            raise ValueError("prompt does not fit")
        self.prompts.append(prompt)
        text = self._reply(prompt) if self._reply else self._queue.popleft()
        return Completion(text, "stop", self._context_tokens - self.room(prompt), len(text.split()), 0.0)

    def yes_no(self, prompt: Prompt) -> float:
        self.prompts.append(prompt)
        return self._judge(prompt)

    def room(self, prompt: Prompt) -> int:
        return self._context_tokens - sum(len(content.split()) for _, content in prompt.messages)


class ExtractiveLLM(ScriptedLLM):
    """A writer that copies: asks for what is missing from a sentence, answers with the sentence nearest in words."""

    def __init__(
        self, *, context_tokens: int = 4096, calls_before_interrupt: int | None = None, memory: str = "Not found."
    ) -> None:
        super().__init__(reply=self._copy, judge=self._weigh, context_tokens=context_tokens)
        self.id = "extractive"
        self._calls_left = calls_before_interrupt
        self._memory = memory

    def _copy(self, prompt: Prompt) -> str:
        if self._calls_left is not None:
            self._calls_left -= 1
            if self._calls_left < 0:
                raise KeyboardInterrupt
        content = prompt.messages[-1][1]
        if prompt.name.startswith("ask-"):
            sentence, answer = re.search(r"Sentence: (.*)\nAnswer: (.*)", content).groups()  # type: ignore[union-attr]
            opening = "When" if "temporal" in prompt.name else "What"
            return f"{opening} is missing: {sentence.rstrip('.').replace(answer, '')}?"
        if prompt.name.startswith("read/"):
            passages, _, question = content.rpartition("\n\nQuestion: ")
            lines = [line for line in passages.split("\n") if line and not line.startswith("[")]
            sentences = [one for line in lines for one in re.findall(r"[^.]+\.", line)]
            return max(sentences, key=lambda one: _share(one, question), default="Not found.").strip()
        return self._memory

    def _weigh(self, prompt: Prompt) -> float:
        judged = re.search(r"Evidence: (.*)\nStatement: (.*)\n", prompt.messages[-1][1])
        return 8 * _share(*judged.groups()) - 4 if judged else 2.0


def _share(premise: str, hypothesis: str) -> float:
    """The share of the hypothesis's words that stand in the premise."""
    wanted = re.findall(r"\w+", hypothesis.casefold())
    have = set(re.findall(r"\w+", premise.casefold()))
    return sum(word in have for word in wanted) / len(wanted) if wanted else 0.0


class WordOverlapEntailment:
    """The share of the hypothesis's words that stand in the premise."""

    id = "word-overlap"

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [_share(premise, hypothesis) for premise, hypothesis in pairs]


class WordSignals:
    """A small real `SignalModel`: log-odds that rise with the share of the hypothesis's words in the premise.

    "contradiction" rises with the share of missing ones. What holds a word of `silent` could not be asked. Keeps
    the pairs of each call.
    """

    names = ("entailment", "contradiction")

    def __init__(self, name: str = "words", *, silent: str = "") -> None:
        self.id = name
        self.calls: list[list[tuple[str, str]]] = []
        self._silent = silent

    def signals(self, pairs: Sequence[tuple[str, str]]) -> Float32:
        self.calls.append(list(pairs))
        found = np.array([[8 * _share(*pair) - 4] for pair in pairs], dtype=np.float32).reshape(len(pairs), 1)
        if self._silent:
            found[[self._silent in hypothesis for _, hypothesis in pairs]] = np.nan
        return np.concatenate([found, -found], axis=1)

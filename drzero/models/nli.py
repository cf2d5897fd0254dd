"""An NLI model that the user brings, as a judge: does one text entail another?

A folder of a classifier as transformers writes it (BERT, RoBERTa, DeBERTa and the like). It runs on ONNX Runtime, by
the graph in the folder or by one made of its weights once; where none can be made, on transformers itself.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from drzero.errors import ModelError
from drzero.models import conversions
from drzero.models.conversions import Conversion, Refusal
from drzero.models.describing import places, stated
from drzero.models.fingerprints import fingerprinted
from drzero.models.labels import Labels, read_labels
from drzero.models.pairs import PairGraph, read_tokenizer, text_tokenizer
from drzero.models.resolve import check_judge_folder, onnx_graph, read_json
from drzero.models.workers import Crew
from drzero.text import Span, sentences
from drzero.types import Float32

LIMIT_TOKENS = 512  # of models that do not state theirs
_LEAST_PREMISE = 16  # tokens that must be left for the premise beside a hypothesis
_SLACK = 2  # tokens: a text cut in two may have that many more
_TRIAL = ("The bridge was opened in 1931.", "The bridge is open.")


@dataclass(frozen=True, slots=True)
class NliSettings:
    """What the files of an NLI folder say: its labels, and how many tokens it reads, special ones included."""

    folder: Path
    labels: Labels
    limit_tokens: int

    @property
    def maker(self) -> str:
        """The module that converts such a folder (`conversions`)."""
        return "drzero.models.nli_export"


class Classifier(Protocol):
    """What gives the logits of one pair, already tokenized, one number a label; of `length` tokens, 0 for any."""

    @property
    def length(self) -> int: ...  # noqa: D102
    def outputs(self, pair: Any) -> Float32: ...  # noqa: D102


def read_nli_settings(folder: Path) -> NliSettings:
    """The settings in an NLI folder. Raises ModelError, naming the file at fault."""
    check_judge_folder(folder)
    labels = read_labels(read_json(folder, "config.json"), folder / "config.json")
    limits = (
        stated(folder, "sentence_bert_config.json").get("max_seq_length"),
        stated(folder, "tokenizer_config.json").get("model_max_length"),
        places(folder),
    )
    limit = min((float(limit) for limit in limits if isinstance(limit, int | float) and limit > 0), default=math.inf)
    return NliSettings(folder, labels, int(limit) if limit < 1 << 20 else LIMIT_TOKENS)


def nli_id(folder: Path) -> str:
    """Name and fingerprint of the NLI model in `folder` as it is loaded, of its files alone.

    A graph made of its weights is as exact as suits the machine, which moves its probabilities, so that the precision
    is part of the id; it lacks before that graph is made. Raises ModelError for a broken folder.
    """
    settings = read_nli_settings(folder)
    name = _id_of(settings)
    if onnx_graph(folder) is not None:
        return name
    found = conversions.find_conversion(settings, name)
    return name if found is None else _precisely(name, found)


def _precisely(name: str, found: Conversion | Refusal) -> str:
    return f"{name}/{found.precision if isinstance(found, Conversion) else 'fp32'}"


def _id_of(settings: NliSettings) -> str:
    head = json.dumps(["nli", settings.limit_tokens, settings.labels.entailment, settings.labels.contradiction])
    return fingerprinted(settings.folder, head, onnx_graph(settings.folder))


def load_nli(path: Path, *, threads: int = 0, note: Callable[[str], None] | None = None) -> NliModel:
    """The NLI model in the folder `path`, reading `threads` pairs at once; with 0 that is chosen while it works.

    `note` is told in a sentence when a conversion is about to be made, which takes a while, and when the model has to
    run the slow way. Raises ModelError for a broken folder, or for one of another kind of model.
    """
    settings, tell = read_nli_settings(path), note or (lambda _: None)
    name, given = _id_of(settings), onnx_graph(path)
    if given is not None:
        return NliModel(PairGraph(given, "NLI model"), _own_tokenizer(path), settings, name=name, threads=threads)
    found = conversions.find_conversion(settings, name)
    for _ in range(2):
        if found is None:
            tell(f"Preparing the NLI model {path.name} for this machine, once; this takes up to some minutes.")
            found = conversions.make_conversion(settings, name)
        if isinstance(found, Refusal):
            break
        try:
            graph = PairGraph(found.path, "NLI model")
            own = found.path.with_name("tokenizer.json")  # of a folder that has only the words of one
            tokenizer = read_tokenizer(own) if own.is_file() else _own_tokenizer(path)
            return NliModel(graph, tokenizer, settings, name=_precisely(name, found), threads=threads)
        except ModelError:  # damaged in a way that its size does not show
            conversions.drop_conversion(name)
            found = None
    reason = found.reason if isinstance(found, Refusal) else "its conversion does not load"
    from drzero.models.torch_nli import TorchClassifier

    slow = TorchClassifier(path, threads=threads)
    tell(f"The NLI model {path.name} runs on transformers, at a third of the usual speed: {reason}.")
    return NliModel(slow, slow.tokenizer, settings, name=_precisely(name, Refusal(reason)), threads=1)


def _own_tokenizer(folder: Path) -> Any:
    if not (folder / "tokenizer.json").is_file():
        raise ModelError(f"{folder} is incomplete: tokenizer.json is missing; copy or fetch the whole folder again.")
    return read_tokenizer(folder / "tokenizer.json")


class NliModel:
    """A `SignalModel`: the log-odds of entailment against all else, and of contradiction where the model tells it.

    One pair a run, so that its signals never depend on the pairs beside it. A premise that is too long is read in
    windows of whole sentences that overlap, of which the highest entailment and the highest contradiction count; a
    hypothesis is never cut: one that leaves no room for a premise could not be asked.
    """

    def __init__(
        self, classifier: Classifier, tokenizer: Any, settings: NliSettings, *, name: str, threads: int = 0
    ) -> None:
        self.id, self.names = name, settings.labels.signals
        self._labels = settings.labels
        self._limit = min(settings.limit_tokens, classifier.length or settings.limit_tokens)
        self._classifier, self._alone, self._pairs = classifier, tokenizer, text_tokenizer(tokenizer.to_str())
        self._special = int(tokenizer.num_special_tokens_to_add(True))
        self._pairs.enable_truncation(self._limit, strategy="only_first")  # windows leave a token to cut, at most
        self._crew = Crew(threads)
        found = classifier.outputs(self._pairs.encode(*_TRIAL))
        if found.size != settings.labels.count:
            raise ModelError(
                f"The NLI model in {settings.folder} gives {found.size} numbers for a pair, but its config.json names "
                f"{settings.labels.count} labels: copy the folder again, or mend config.json."
            )
        if not np.isfinite(found).all():
            raise ModelError(
                f"The NLI model in {settings.folder} gives no number for a pair: copy or fetch the folder again."
            )

    def signals(self, pairs: Sequence[tuple[str, str]]) -> Float32:
        """float32 of shape (len(pairs), len(names)): log-odds of each; nan where a pair could not be asked."""
        asked = [
            (row, premise, hypothesis)
            for row, pair in enumerate(pairs)
            for premise, hypothesis in ((part, pair[1]) for part in self._windows(*pair))
        ]
        found = np.full((len(asked), len(self.names)), np.nan, dtype=np.float64)

        def read(place: int) -> None:
            _, premise, hypothesis = asked[place]
            logits = self._classifier.outputs(self._pairs.encode(premise, hypothesis)).astype(np.float64)
            if np.isfinite(logits).all():
                found[place] = [log_odds(logits, label) for label in (self._labels.entailment, *self._against())]

        self._crew.work(read, [len(premise) + len(hypothesis) for _, premise, hypothesis in asked])
        signals = np.full((len(pairs), len(self.names)), np.nan, dtype=np.float32)
        for (row, _, _), one in zip(asked, found, strict=True):
            signals[row] = one if np.isnan(signals[row]).all() else np.fmax(signals[row], one)
        return signals

    def _against(self) -> tuple[int, ...]:
        return () if self._labels.contradiction is None else (self._labels.contradiction,)

    def _windows(self, premise: str, hypothesis: str) -> list[str]:
        """The parts of the premise to read, all of it where it fits; none where the pair cannot be asked."""
        if not premise.strip() or not hypothesis.strip() or not (_is_text(premise) and _is_text(hypothesis)):
            return []
        left = self._limit - self._special - len(self._tokens(hypothesis))
        if left < _LEAST_PREMISE:
            return []
        tokens = self._tokens(premise)
        if len(tokens) <= left:
            return [premise]
        return [premise[start:end] for start, end in windows(premise, tokens, left - _SLACK)]

    def _tokens(self, text: str) -> list[Span]:
        """The character span of each token of a text, however long it is."""
        spans: list[Span] = self._alone.encode(text, add_special_tokens=False).offsets
        return spans


def log_odds(logits: np.ndarray[Any, np.dtype[np.float64]], label: int) -> float:
    """The log-odds of one label against all others together, of the logits of a softmax."""
    return float(logits[label] - np.logaddexp.reduce(np.delete(logits, label)))


def windows(text: str, tokens: Sequence[Span], most: int) -> list[Span]:
    """Stretches of at most `most` tokens that together hold all of `text`, as spans of characters.

    Each is of whole sentences and begins with the last one of the stretch before, where there is room for it; a
    sentence that is too long is read in stretches that overlap by half. `tokens` are the spans of its tokens, in order.
    """
    starts = [start for start, _ in tokens]
    pieces: list[Span] = []  # of tokens
    for start, end in sentences(text):
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        while last - first > most:
            pieces.append((first, first + most))
            first += max(1, most // 2)
        if last > first:
            pieces.append((first, last))
    found: list[Span] = []
    at = 0
    while at < len(pieces):
        upto = at
        while upto + 1 < len(pieces) and pieces[upto + 1][1] - pieces[at][0] <= most:
            upto += 1
        found.append((tokens[pieces[at][0]][0], tokens[pieces[upto][1] - 1][1]))
        if upto == len(pieces) - 1:
            break
        at = upto if upto > at and pieces[upto + 1][1] - pieces[upto][0] <= most else upto + 1
    return found


def _is_text(text: str) -> bool:
    """Whether a text can be written down: half a surrogate pair cannot, and no tokenizer reads it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

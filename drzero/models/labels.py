"""Which output of a classifier means entailment: read from the labels in its config.json (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drzero.errors import ModelError

_ENTAILS = re.compile(r"(entail(s|ed|ment|ing)?|support(s|ed|ing)?)")
_CONTRADICTS = re.compile(r"(contradict(s|ed|ion|ory|ing)?|refut(es?|ed|ation|ing))")
_DENIED = re.compile(r"\b(no|non|not|un\w+|isn t|doesn t)\b")
_UNNAMED = re.compile(r"label[\s_-]*\d+", re.IGNORECASE)
_ADVICE = 'write it there, as "id2label": {"0": "entailment", "1": "neutral", "2": "contradiction"} in its own order'


@dataclass(frozen=True, slots=True)
class Labels:
    """Where the outputs of an NLI model are: `contradiction` is None where the model does not tell it from neutral."""

    count: int
    entailment: int
    contradiction: int | None

    @property
    def signals(self) -> tuple[str, ...]:
        """The names of the signals that can be had of it."""
        return ("entailment",) if self.contradiction is None else ("entailment", "contradiction")


def read_labels(config: Mapping[str, Any], path: Path) -> Labels:
    """The labels of a classifier's parsed config.json at `path`, in any order, case and wording.

    "entailment", "ENTAILMENT", "entails" and "SUPPORTS" are alike; "not_entailment" and "neutral" are the rest. Raises
    ModelError for what is no classifier, for one label, and where no label or several mean entailment.
    """
    names = _names(config, path)
    if len(names) < 2:
        raise ModelError(
            f"{path} states {len(names)} label, so the model gives a score and no verdict: name an NLI model, which "
            "tells entailment from contradiction or neutral."
        )
    if all(_UNNAMED.fullmatch(name.strip()) for name in names):
        raise ModelError(
            f"{path} does not say which label is entailment ({', '.join(names)}): see the model's card and {_ADVICE}."
        )
    entailing = [place for place, name in enumerate(names) if _means(_ENTAILS, name)]
    if len(entailing) != 1:
        found = f"{len(entailing)} labels" if entailing else "no label"
        raise ModelError(f"{path} has {found} for entailment ({', '.join(names)}): see the model's card and {_ADVICE}.")
    against = [place for place, name in enumerate(names) if _means(_CONTRADICTS, name)]
    told_apart = len(names) > 2 and len(against) == 1  # of two labels the other one says nothing new
    return Labels(len(names), entailing[0], against[0] if told_apart else None)


def _means(kind: re.Pattern[str], name: str) -> bool:
    spaced = re.sub(r"[^a-z]+", " ", name.casefold()).strip()
    return kind.search(spaced) is not None and _DENIED.search(spaced) is None


def _names(config: Mapping[str, Any], path: Path) -> list[str]:
    """The name of each output in order. transformers leaves out what it takes for granted: two unnamed labels."""
    found = config.get("id2label")
    if found is None and isinstance(config.get("label2id"), dict):
        found = {place: name for name, place in config["label2id"].items()}
    if found is None:
        kinds = config.get("architectures") or []
        if not any("SequenceClassification" in str(kind) for kind in kinds):
            raise ModelError(
                f"{path} is of no classifier ({', '.join(map(str, kinds)) or 'it names no architecture'}): name an NLI "
                "model, which says whether one text entails another."
            )
        return [f"LABEL_{place}" for place in range(int(config.get("num_labels") or 2))]
    try:
        placed = sorted((int(place), str(name)) for place, name in found.items())
    except (AttributeError, TypeError, ValueError):
        placed = []
    if not placed or [place for place, _ in placed] != list(range(len(placed))):
        raise ModelError(f'"id2label" in {path} does not number the labels from 0 on: {_ADVICE}.')
    return [name for _, name in placed]

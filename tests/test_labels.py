"""drzero.models.labels: which output means entailment, in any order and wording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from drzero.errors import ModelError
from drzero.models.labels import Labels, read_labels

HERE = Path("nli/config.json")


def named(*names: str) -> dict[str, Any]:
    return {"id2label": {str(place): name for place, name in enumerate(names)}}


@pytest.mark.parametrize(
    ("config", "labels"),
    [
        (named("entailment", "neutral", "contradiction"), Labels(3, 0, 2)),
        (named("contradiction", "entailment", "neutral"), Labels(3, 1, 0)),
        (named("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), Labels(3, 2, 0)),
        (named("Neutral", "Entails", "Contradicts"), Labels(3, 1, 2)),
        (named("c", "entail", "n"), Labels(3, 1, None)),
        (named("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), Labels(3, 0, 1)),
        (named("unsupported", "supported", "refuted"), Labels(3, 1, 2)),
        (named("entailment", "not_entailment"), Labels(2, 0, None)),
        (named("not_entailment", "entailment"), Labels(2, 1, None)),
        (named("not-entailment", "Entailment"), Labels(2, 1, None)),
        (named("contradiction", "entailment"), Labels(2, 1, None)),
        (named("LABEL_0", "entailment", "LABEL_2"), Labels(3, 1, None)),
        ({"id2label": {2: "entailment", 0: "neutral", 1: "contradiction"}}, Labels(3, 2, 1)),
        ({"label2id": {"entailment": 1, "neutral": 0, "contradiction": 2}}, Labels(3, 1, 2)),
    ],
)
def test_labels_are_found_in_any_order_and_wording(config: dict[str, Any], labels: Labels) -> None:
    assert read_labels(config, HERE) == labels


def test_labels_name_the_signals_that_can_be_had() -> None:
    assert Labels(3, 0, 2).signals == ("entailment", "contradiction")
    assert Labels(2, 0, None).signals == ("entailment",)


ADVICE = 'write it there, as "id2label": {"0": "entailment", "1": "neutral", "2": "contradiction"} in its own order.'
CLASSIFIER = {"architectures": ["BertForSequenceClassification"]}


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (
            named("LABEL_0", "LABEL_1", "LABEL_2"),
            "nli/config.json does not say which label is entailment (LABEL_0, LABEL_1, LABEL_2): see the model's card "
            f"and {ADVICE}",
        ),
        (
            CLASSIFIER,  # as transformers writes a model of two unnamed labels
            "nli/config.json does not say which label is entailment (LABEL_0, LABEL_1): see the model's card and "
            f"{ADVICE}",
        ),
        (
            CLASSIFIER | {"num_labels": 1},
            "nli/config.json states 1 label, so the model gives a score and no verdict: name an NLI model, which tells "
            "entailment from contradiction or neutral.",
        ),
        (
            named("entailment"),
            "nli/config.json states 1 label, so the model gives a score and no verdict: name an NLI model, which tells "
            "entailment from contradiction or neutral.",
        ),
        (
            named("positive", "negative"),
            "nli/config.json has no label for entailment (positive, negative): see the model's card and " + ADVICE,
        ),
        (
            named("entailment", "strict entailment", "neutral"),
            "nli/config.json has 2 labels for entailment (entailment, strict entailment, neutral): see the model's "
            f"card and {ADVICE}",
        ),
        (
            {"id2label": {"1": "entailment", "2": "neutral"}},
            f'"id2label" in nli/config.json does not number the labels from 0 on: {ADVICE}',
        ),
        (
            {"id2label": ["entailment", "neutral"]},
            f'"id2label" in nli/config.json does not number the labels from 0 on: {ADVICE}',
        ),
        (
            {"architectures": ["BertModel"]},
            "nli/config.json is of no classifier (BertModel): name an NLI model, which says whether one text entails "
            "another.",
        ),
        (
            {},
            "nli/config.json is of no classifier (it names no architecture): name an NLI model, which says whether one "
            "text entails another.",
        ),
    ],
)
def test_labels_that_do_not_say_have_their_sentence(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelError) as error:
        read_labels(config, HERE)
    assert str(error.value) == sentence

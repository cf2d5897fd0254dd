"""drzero.loop.novelty: what was asked before, in other words too, is not asked again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from drzero.loop.novelty import NEAR_COPY, Asked, similarity
from drzero.types import Float32

BRIDGE = "When was the Forth Bridge opened?"


def nearest(known: str, question: str) -> float:
    asked = Asked()
    asked.add([known])
    return asked.nearest(question)[0]


def test_novelty_similarity_is_of_words_in_any_order() -> None:
    assert similarity(BRIDGE, "when was opened the FORTH bridge?") == 1.0
    assert similarity(BRIDGE, "Where was the Forth Bridge opened?") == 0.5
    assert similarity(BRIDGE, "When did Ada Lovelace die?") == 0.0


@pytest.mark.parametrize(
    "copy",
    [
        BRIDGE,
        "when was opened the FORTH bridge?",
        "WHEN WAS THE FORTH BRIDGE OPENED ?",
        "When was the Forth bridge  open?",
        "In what year was the Forth Bridge opened?",
        "On which date was the Forth Bridge opened?",
    ],
)
def test_novelty_knows_a_copy_in_other_dress(copy: str) -> None:
    assert nearest(BRIDGE, copy) >= NEAR_COPY


@pytest.mark.parametrize(
    ("known", "question"),
    [
        (BRIDGE, "Where was the Forth Bridge opened?"),
        (BRIDGE, "Who opened the Forth Bridge?"),
        (BRIDGE, "When was the Charles Bridge opened?"),
        ('When was the single "Cry" by Ann Able released?', 'When was the single "Crying Time" by Ann Able released?'),
        ("What does json.dump() return?", "What does json.dumps() return?"),
        ("In which version was queue.Queue added?", "In which version was queue.Queue.join() added?"),
        ("What happened at sea in 1950?", "What happened at sea in 1960?"),
        ("Which city is the capital of Algeria?", "Which city is the capital of Angola?"),
    ],
)
def test_novelty_what_asks_for_something_else_is_new(known: str, question: str) -> None:
    assert nearest(known, question) < NEAR_COPY


def test_novelty_of_nothing_known_is_whole() -> None:
    assert Asked().nearest(BRIDGE) == (0.0, "")


def test_novelty_names_the_nearest_question_the_older_of_equals() -> None:
    asked = Asked()
    asked.add(["Who opened the Forth Bridge?", BRIDGE, "", BRIDGE.upper()])
    assert asked.nearest(BRIDGE) == (1.0, BRIDGE)


def embed(texts: Sequence[str]) -> Float32:
    """Sense by hand: what begins a thing and what opens it is nearly the same."""
    rows = np.array(
        [[1.0, 0.1 * ("begin" in text), float("die" in text)] for text in texts],
        dtype=np.float32,
    )
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_novelty_by_sense_finds_other_words() -> None:
    asked = Asked(embed)
    asked.add(["When did the reign of Ann start?"])
    assert asked.nearest("When did Ann begin to rule?")[0] > NEAR_COPY
    assert asked.nearest("When did Ann, the ruler, die?")[0] < NEAR_COPY
    assert asked.nearest("Why did Ann begin to rule?")[0] < NEAR_COPY  # alike in sense, but it asks for the cause
    assert asked.nearest("When did Ben begin to rule?")[0] < NEAR_COPY  # another's reign


def test_novelty_by_sense_is_as_strict_as_it_is_set() -> None:
    known, question = "When did the reign of Ann start?", "When did Ann begin to rule?"
    for threshold, copy in ((0.9, True), (0.999, False)):
        asked = Asked(embed, threshold)
        asked.add([known])
        assert (asked.nearest(question)[0] >= NEAR_COPY) is copy


def test_novelty_embeds_each_question_once() -> None:
    seen: list[str] = []

    def counted(texts: Sequence[str]) -> Float32:
        seen.extend(texts)
        return embed(texts)

    asked = Asked(counted)
    asked.add([BRIDGE, BRIDGE])
    asked.add([BRIDGE, "Who opened it?"])
    assert seen == [BRIDGE, "Who opened it?"]


def test_novelty_an_embedder_that_fails_leaves_what_is_known_as_it_was() -> None:
    fails = [True]

    def embed(texts: Sequence[str]) -> Float32:
        if fails.pop():
            raise RuntimeError("the embedder broke")
        return np.ones((len(texts), 1), dtype=np.float32)

    asked = Asked(embed, 0.93)
    with pytest.raises(RuntimeError):
        asked.add(["Who opened the Forth Bridge?"])
    fails.extend([False] * 3)
    asked.add(["Who opened the Forth Bridge?"])
    assert asked.nearest("Who opened the Forth Bridge?") == (1.0, "Who opened the Forth Bridge?")

"""drzero.loop.topics: a topic that no passage has a word of is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drzero.loop.topics import topic_note
from tests.samples import CHUNK

BRIDGE = replace(CHUNK, title="Charles Bridge", heading=("History",), text="The stone bridges of Prague were rebuilt.")


@pytest.mark.parametrize("topic", ["", "Charles", "history", "bridge in Vienna", "BRIDGES", "the stones"])
def test_topics_one_word_in_title_heading_or_text_is_enough(topic: str) -> None:
    assert topic_note(topic, [BRIDGE]) == ""


@pytest.mark.parametrize("topic", ["zzqqxx", "the zzqqxx", "of the", "植物学"])
def test_topics_no_word_at_all_is_told(topic: str) -> None:
    assert topic_note(topic, [BRIDGE]).startswith(f"No passage has a word of the topic “{topic}”: ")


def test_topics_without_any_passage_it_is_told_too() -> None:
    assert topic_note("bridges", [])
    assert topic_note("", []) == ""


def test_topics_one_passage_of_many_is_enough() -> None:
    other = replace(BRIDGE, title="Salt", heading=(), text="Salt is a mineral.")
    assert topic_note("mineral", [BRIDGE, other]) == ""

"""drzero.loop.facts.common_words: what is no name."""

from __future__ import annotations

import pytest

from drzero.loop.facts.common_words import is_common


@pytest.mark.parametrize("word", ["water", "waters", "the", "yes", "customers", "playing", "inspired", "quickly"])
def test_common_words_are_known_by_stem_or_ending(word: str) -> None:
    assert is_common(word)


@pytest.mark.parametrize("word", ["leiber", "moonlight", "germany", "tom", "argparse", "voldemort"])
def test_common_words_have_no_names_among_them(word: str) -> None:
    assert not is_common(word)

"""drzero.loop.verbs: the finite verbs of a sentence, from closed lists."""

from __future__ import annotations

import pytest

from drzero.loop.verbs import Word, finite_verbs, is_inside, own_verb, plain_words


@pytest.mark.parametrize(
    ("sentence", "verbs"),
    [
        ("The bridge opened in 1890.", ["opened"]),
        ("He was born in Albany and died there.", ["was", "died"]),
        ("The song had never been recorded.", ["had"]),
        ("The United Kingdom is a united country.", ["is"]),
        ("The newly formed band quickly released it.", []),
        ("A hundred people need speed.", []),
        ("The walls built in 1900 were painted.", ["built", "were"]),
        ("He may have gone home.", ["may"]),
        ("“He was here” is a song (it was old).", ["is"]),
        ("The function returns a list.", ["returns"]),
        ("Rivers and hills", []),
    ],
)
def test_verbs_are_found_by_lists(sentence: str, verbs: list[str]) -> None:
    words = plain_words(sentence)
    assert [words[i].text for i in finite_verbs(words)] == verbs


@pytest.mark.parametrize(
    ("sentence", "sure"),
    [
        ("The bridge was old", True),
        ("He moved to Paris", True),
        ("John Fowler designed it", True),
        ("The architect designed the church", True),
        ("The houses built in 1900", False),
        ("requirements specified in the law", False),
        ("nothing here", False),
    ],
)
def test_verbs_that_are_no_participles(sentence: str, sure: bool) -> None:
    assert own_verb(plain_words(sentence)) is sure


def test_verbs_words_have_their_places_and_what_is_quoted_is_one() -> None:
    assert plain_words("It’s “a b” (c), d") == [
        Word("It’s", 0, 4),
        Word("“a b”", 5, 10),
        Word("(c)", 11, 14),
        Word("d", 16, 17),
    ]
    assert plain_words("It’s")[0].low == "it's"
    assert [is_inside("a (b) c", at) for at in range(7)] == [False, False, False, True, True, False, False]
    assert is_inside("`a; b`", 2)
    assert not is_inside("“open", 3)

"""drzero.loop.windows: the smallest part of a passage that holds what a claim says."""

from __future__ import annotations

import pytest

from drzero.loop.windows import MOST_LIST_CHARS, MOST_SENTENCES, _read, window

PASSAGE = (
    "The bridge was opened in 1931. It rests on three stone piers. Its architect, Anna Lind, had worked in Oslo until "
    "1928. A flood took the middle pier in 1954. The toll was given up in 1960."
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The bridge was opened in 1931.", "The bridge was opened in 1931."),
        ("Anna Lind had worked in Oslo.", "Its architect, Anna Lind, had worked in Oslo until 1928."),
        ("The bridge was opened in 1954.", "The bridge was opened in 1931."),  # not where only the number stands
        (
            "In 1954 the bridge was opened, and a pier fell.",
            "The bridge was opened in 1931. It rests on three stone piers.",
        ),
        (
            "The bridge, which rests on stone piers, lost its toll.",
            "The bridge was opened in 1931. It rests on three stone piers. The toll was given up in 1960.",
        ),
    ],
)
def test_windows_hold_the_sentences_that_cover_the_claim_in_their_order(claim: str, expected: str) -> None:
    assert window(claim, PASSAGE) == expected


def test_windows_leave_a_passage_of_one_sentence_and_one_that_shares_no_word_as_they_are() -> None:
    assert window("Cats purr.", "Dogs bark") == "Dogs bark"
    assert window("Cats purr.", PASSAGE) == PASSAGE
    assert window("", PASSAGE) == PASSAGE
    assert window("Cats purr.", "") == ""


def test_windows_take_the_first_of_equals() -> None:
    assert window("It rained.", "It rained. Then it rained. It rained.") == "It rained."


def test_windows_have_few_sentences_however_the_words_are_spread() -> None:
    passage = " ".join(f"The {word} is here." for word in "apple pear plum fig grape".split())
    found = window("An apple, a pear, a plum, a fig and a grape.", passage)
    assert found == "The apple is here. The pear is here. The plum is here."
    assert found.count(".") == MOST_SENTENCES


def test_windows_look_elsewhere_for_what_title_and_heading_name() -> None:
    passage = "Ray Charles is a film. He won 17 Grammy Awards."
    assert window("Ray Charles won 17 Grammy Awards.", passage) == passage
    assert window("Ray Charles won 17 Grammy Awards.", passage, place="Ray Charles") == "He won 17 Grammy Awards."


def test_windows_of_a_claim_of_several_sentences_hold_those_of_each() -> None:
    found = window(
        "The bridge was opened. It rests on piers. Anna Lind had worked in Oslo. The toll was given up.", PASSAGE
    )
    assert found == PASSAGE.replace(" A flood took the middle pier in 1954.", "")


def test_windows_read_a_passage_once() -> None:
    _read.cache_clear()
    passage = "The sky is blue. The sea is green."
    assert [window(claim, passage) for claim in ("sky", "sea", "sky")] == [passage[:16], passage[17:], passage[:16]]
    assert _read.cache_info()[:2] == (2, 1)


def test_windows_hold_a_list_with_the_line_that_it_stands_under() -> None:
    passage = "The band toured.\nIts members:\n- Anna\n- Ben\n- Carl\n- Dora\nIt split. It was loud."
    found = window("The members were Anna, Ben, Carl and Dora.", passage)
    assert found == "Its members:\n- Anna\n- Ben\n- Carl\n- Dora"
    assert window("The members were Anna, Ben, Carl and Dora.", passage.replace("- ", "")) == found.replace("- ", "")
    long = "Its members:\n" + "\n".join(f"- member {number} of the band" for number in range(60))
    assert len(window("member 59 of the band", long)) <= MOST_LIST_CHARS


def test_windows_are_not_chosen_by_the_figure_that_is_to_be_proved() -> None:
    passage = "Melting point: 660 °C\nBoiling point: 2519 °C"
    assert window("The boiling point is 660 °C.", passage) == "Boiling point: 2519 °C"
    assert window("660", passage) == "Melting point: 660 °C"

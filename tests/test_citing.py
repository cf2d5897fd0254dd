"""drzero.loop.citing: citations found by code, one place or two that belong together."""

from __future__ import annotations

import pytest

from drzero.loop.citing import cite, names_title, namesakes
from drzero.types import Chunk, Passage


def passage(number: int, text: str, title: str = "", heading: tuple[str, ...] = (), path: str = "") -> Passage:
    title = title or f"Title {number}"
    chunk = Chunk(f"c{number}", "z", path or f"P{number}", title, heading, text, 10, 10 + len(text))
    return Passage(chunk, 1.0, number, "i")


SALT = passage(1, "Table salt consists mainly of sodium chloride. It tastes salty.", "Salt")
BRIDGE = passage(2, "The bridge opened in 1931. Two trains cross it each hour.", "Bridge", ("History",))
BISQUICK = passage(3, "Bisquick is a baking mix. Bisquick is made by General Mills.", "Bisquick")
MILLS = passage(4, "General Mills is headquartered in Golden Valley, Minnesota.", "General Mills")
PLANET = passage(5, "Mercury is the planet that is nearest to the Sun.", "Mercury (planet)")
ELEMENT = passage(6, "Mercury is a metal that is liquid at room temperature.", "Mercury (element)")


def test_citing_takes_the_sentence_that_covers_the_claim() -> None:
    (citation,) = cite("The bridge opened in 1931.", [SALT, BRIDGE])
    assert (citation.n, citation.path, citation.quote) == (2, "P2", "The bridge opened in 1931.")
    assert (citation.start, citation.end) == (10, 36)


def test_citing_takes_two_sentences_when_both_are_needed() -> None:
    text = "Ada Lovelace wrote notes on the engine. They were printed in 1843 by Taylor. Nothing else is known."
    (citation,) = cite(
        "Lovelace's notes on the engine were printed in 1843 by Taylor.", [passage(1, text, "Ada Lovelace")]
    )
    assert citation.quote == "Ada Lovelace wrote notes on the engine. They were printed in 1843 by Taylor."


def test_citing_finds_nothing_for_foreign_words() -> None:
    assert cite("Compost needs air.", [SALT, BRIDGE]) == ()


def test_citing_prefers_the_better_ranked_of_equals() -> None:
    again = passage(3, SALT.chunk.text, "Salt")
    (citation,) = cite("Table salt consists of sodium chloride.", [SALT, again])
    assert citation.n == 1


def test_citing_an_answer_of_two_steps_has_two_sources() -> None:
    claim = "Bisquick is made by General Mills, headquartered in Golden Valley, Minnesota."
    cited = cite(claim, [BISQUICK, SALT, MILLS])
    assert [(one.n, one.quote) for one in cited] == [
        (3, "General Mills is headquartered in Golden Valley, Minnesota."),
        (1, "Bisquick is made by General Mills."),
    ]


def test_citing_a_comparison_names_both_sides() -> None:
    one = passage(1, "The river is 400 kilometres long.", "Oder")
    other = passage(2, "The river is 300 kilometres long.", "Neckar")
    assert [c.n for c in cite("The Oder, 400 kilometres, is longer than the Neckar, 300.", [one, other])] == [1, 2]


def test_citing_no_second_source_where_one_is_enough() -> None:
    assert [c.n for c in cite("Bisquick is made by General Mills.", [BISQUICK, MILLS])] == [1]


def test_citing_no_second_source_that_has_nothing_to_do_with_the_first() -> None:
    stray = passage(7, "A factory in Golden Valley, Minnesota makes toys.", "Toy factory")
    claim = "Bisquick is made by General Mills in Golden Valley, Minnesota."
    assert [c.path for c in cite(claim, [BISQUICK, stray])] == ["P3"]


def test_citing_no_second_part_of_the_same_article() -> None:
    part = passage(8, "Golden Valley, Minnesota is where Bisquick was invented.", "Bisquick", path="P3")
    claim = "Bisquick is made by General Mills in Golden Valley, Minnesota."
    assert len(cite(claim, [BISQUICK, part])) == 1


def test_case_e05_passages_of_two_mercurys_are_never_joined_in_one_claim() -> None:
    claim = "Mercury is the planet nearest to the Sun and a metal that is liquid at room temperature."
    for given in ([PLANET, ELEMENT], [ELEMENT, PLANET]):
        assert len(cite(claim, given)) == 1


@pytest.mark.parametrize(
    ("title", "other"),
    [
        ("Mercury (planet)", "Mercury (element)"),
        ("Mercury", "mercury (disambiguation)"),
        ("Springfield, Ohio", "Springfield, Illinois"),
        ("John Smith", "John Smith"),
    ],
)
def test_citing_namesakes(title: str, other: str) -> None:
    assert namesakes(title, other)


@pytest.mark.parametrize(("title", "other"), [("Mercury", "Freddie Mercury"), ("", ""), ("Bisquick", "General Mills")])
def test_citing_no_namesakes(title: str, other: str) -> None:
    assert not namesakes(title, other)


def test_citing_a_title_is_named_without_its_brackets() -> None:
    assert names_title("The metal mercury is liquid.", "Mercury (element)")
    assert not names_title("The metal is liquid.", "Mercury (element)")
    assert not names_title("Anything at all.", "The")

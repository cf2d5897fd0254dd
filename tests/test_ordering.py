"""drzero.encyclopedia.ordering: what is said twice is said once, and in an order that reads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drzero.encyclopedia.ordering import Date, Passage, Point, date_of, in_reading_order, merged
from tests.samples import CITATION


def point(text: str, start: int = 0, **changes: object) -> Point:
    """A claim cited at `start` of its article, in an entry of its own."""
    cited = (replace(CITATION, quote=text, start=start, end=start + len(text)),)
    given = Point(text, cited, (f"n{start}",), "Why?", "current", (0, "A", start))
    return replace(given, **changes)  # type: ignore[arg-type]


def alone(text: str, start: int = 0, **changes: object) -> Passage:
    return Passage((point(text, start, **changes),), "factual")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("It was opened in Scotland on 4 March 1890.", (1890, 3, 4)),
        ("It was opened on March 4, 1890, by a king.", (1890, 3, 4)),
        ("It came out in Sept. 1961.", (1961, 9, 0)),
        ("Released: 2011-03-29", (2011, 3, 29)),
        ("In 1753 it was founded; it closed in 1999.", (1753, 0, 0)),
        ("It lasted from May of 1940 to 1945.", (1940, 5, 0)),
        ("He died in 44 BC.", (-44, 0, 0)),
        ("The 1960s were loud.", (1960, 0, 0)),
        ("東京は1868年に首都となった。", (1868, 0, 0)),
        ("It sold 1,500 copies.", None),
        ("Version 3.1990 has port 1883/tcp and costs $1999.", None),
        ("Its number is 1234-5678.", None),
        ("It may be salt.", None),
    ],
)
def test_ordering_date_of(text: str, date: Date | None) -> None:
    assert date_of(text) == date


def test_ordering_by_date_where_most_have_one_then_by_place() -> None:
    given = [
        alone("It closed in 1999.", 1), alone("It is red.", 0), alone("It opened in May 1990.", 9),
        alone("It was sold in 1990.", 12),
    ]  # fmt: skip
    assert [one.points[0].text for one in in_reading_order(given)] == [
        "It was sold in 1990.", "It opened in May 1990.", "It closed in 1999.", "It is red.",
    ]  # fmt: skip


def test_ordering_by_place_where_half_or_fewer_have_a_date() -> None:
    given = [alone("It closed in 1999.", 7), alone("It is red.", 9), alone("It is old.", 3)]
    elsewhere = alone("It is known.", at=(1, "A", 0))
    assert [one.points[0].text for one in in_reading_order([elsewhere, *given])] == [
        "It is old.", "It closed in 1999.", "It is red.", "It is known.",
    ]  # fmt: skip


def test_ordering_the_same_words_are_one_claim_with_the_references_of_both() -> None:
    one, two = alone("Salt is white.", 1), alone("salt is  WHITE", 5)
    citations = (*one.points[0].citations, *two.points[0].citations)
    both = replace(one.points[0], citations=citations, entries=("n1", "n5"))
    assert merged([one, two]) == [Passage((both,), "factual")]


def test_ordering_what_begins_a_longer_claim_goes_into_it() -> None:
    given = [alone("Salt is white", 1), alone("Salt is white, and it tastes salty.", 5), alone("Pepper is black.", 9)]
    found = merged(given)
    assert [(one.points[0].text, one.points[0].entries) for one in found] == [
        ("Salt is white, and it tastes salty.", ("n5", "n1")),
        ("Pepper is black.", ("n9",)),
    ]


def test_ordering_a_chain_of_longer_claims_is_one() -> None:
    found = merged([alone("It is", 1), alone("It is big", 2), alone("It is big and red.", 3)])
    assert [(one.points[0].text, sorted(one.points[0].entries)) for one in found] == [
        ("It is big and red.", ["n1", "n2", "n3"])
    ]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("It sold 10", "It sold 10,000 copies."),
        ("It sold 10", "It sold 10 000 copies."),
        ("It is in Salt", "It is in Saltburn."),
        ("The earth is flat.", "Some say that the earth is flat."),
        ("Call f", "Call f(x) twice."),
        ("…", "… and salt"),
    ],
)
def test_ordering_what_is_not_all_of_its_words_stays(short: str, long: str) -> None:
    given = [alone(short, 1), alone(long, 2)]
    expected = given if short != "Call f" else [given[1]]
    assert [one.points[0].text for one in merged(given)] == [one.points[0].text for one in expected]


def test_ordering_passages_of_several_claims_stay_whole() -> None:
    several = Passage((point("Salt is white.", 1), point("It tastes salty.", 2)), "factual")
    other = Passage((point("Sugar is white.", 3), point("It tastes salty.", 4)), "factual")
    again = replace(several, points=tuple(replace(one, entries=("n7",)) for one in several.points))
    found = merged([alone("Salt is white.", 6), several, other, again])
    assert [[one.text for one in passage.points] for passage in found] == [
        ["Salt is white.", "It tastes salty."],
        ["Sugar is white.", "It tastes salty."],
    ]
    assert [one.entries for one in found[0].points] == [("n1", "n7", "n6"), ("n2", "n7")]
    assert found[1] == other


@pytest.mark.parametrize(
    ("one", "two", "status", "references"),
    [
        ("current", "current", "current", 2),
        ("current", "stale", "current", 1),
        ("stale", "stale", "stale", 2),
        ("disputed", "current", "disputed", 2),
        ("stale", "disputed", "disputed", 2),
    ],
)
def test_ordering_of_two_states_the_honest_one_is_shown(one: str, two: str, status: str, references: int) -> None:
    found = merged([alone("Salt is white.", 1, status=one), alone("Salt is white.", 2, status=two)])[0].points[0]
    assert (found.status, len(found.citations), found.entries) == (status, references, ("n1", "n2"))


def test_ordering_a_longer_claim_that_no_longer_holds_takes_in_none_that_does() -> None:
    given = [alone("Salt is white", 1), alone("Salt is white and dear.", 2, status="stale")]
    assert merged(given) == given

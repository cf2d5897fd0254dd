"""drzero.encyclopedia.gathering: entries become articles in which nothing stands that is not a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from drzero.encyclopedia.gathering import Shelf, gather, heading_of, iter_articles
from drzero.encyclopedia.subjects import Directory, Subject
from drzero.encyclopedia.values import Source, Statement, SubjectArticle
from drzero.types import Citation, Claim, Entry
from tests.samples import CITATION, SUPPORTED, make_entry

KITCHEN = Source("zim-1", "kitchen", "Kitchen", "2026-01", "eng", "Cooks", "Press", "CC BY-SA 4.0", "https://k.example")
TYPES = ("factual", "temporal", "comparative")


def cited(quote: str, start: int = 0, *, title: str = "Salt", zim_id: str = "zim-1", **changes: object) -> Citation:
    given = replace(CITATION, quote=quote, start=start, end=start + len(quote), title=title, path=title, zim_id=zim_id)
    return replace(given, **changes)  # type: ignore[arg-type]


def made(text: str, *citations: Citation, **changes: object) -> Entry:
    """An entry of one claim, by its text; cited at its length in the article on salt where nothing is said."""
    claim = Claim(text, citations or (cited(text, len(text)),))
    given = {"id": f"n-{text}", "answer": text, "claims": (claim,), "judgements": (SUPPORTED,), "question": f"{text}?"}
    return make_entry(**(given | changes))


def article(entries: Sequence[Entry], *titles: str, title: str = "Salt", **shelf: object) -> SubjectArticle:
    directory = Directory([title, *titles])
    subject = directory.subject(title)
    assert subject
    return gather(subject, entries, Shelf(directory, {"zim-1": KITCHEN}, lambda _: TYPES, **shelf))  # type: ignore[arg-type]


def texts(statements: Sequence[Statement]) -> list[str]:
    return [statement.text for statement in statements]


def test_gathering_an_article_is_whole() -> None:
    what = made("Salt is a mineral.", cited("Salt is a mineral.", 0))
    when = made(
        "Salt was first sold in 900.", cited("sold in 900", 50), type="temporal", created_at="2026-03-04T05:06:07"
    )
    found = article([when, what])
    assert found == SubjectArticle(
        slug="salt",
        title="Salt",
        aliases=(),
        lead=(Statement("Salt is a mineral.", (1,), ("n-Salt is a mineral.",), "Salt is a mineral.?", "current", 1),),
        sections=found.sections,
        references=found.references,
        see_also=(),
        sources=(KITCHEN,),
        profile="wikipedia",
        updated="2026-03-04",
    )
    assert [(section.heading, texts(section.statements)) for section in found.sections] == [
        ("Dates and durations", ["Salt was first sold in 900."])
    ]
    assert [(one.number, one.citation.quote) for one in found.references] == [
        (1, "Salt is a mineral."),
        (2, "sold in 900"),
    ]


@pytest.mark.parametrize(
    ("title", "text", "leads"),
    [
        ("Salt", "Salt (sodium chloride) is a mineral.", True),
        ("Salt", "Salt, also called halite, is one of the minerals.", True),
        ("Cry (Hill song)", "The single “Cry” by Ann Hill was a success.", True),
        ("Salt", "Das Salz Salt ist ein Mineral.", True),
        ("Salt", "Le Salt est une roche.", True),
        ("Salt", "Salt is the cheapest spice.", True),
        ("Salt", "Salt is white.", False),
        ("Salt", "Salt was as dear as gold.", False),
        ("Salt", "Pepper is a spice.", False),
        ("Salt", "The colour of Salt is a white.", False),
        ("Cry", "The singer of “Cry” is a man.", False),
        ("C++", "C++ is a language.", True),
        ("C", "C++ is a language.", False),
    ],
)
def test_gathering_what_says_what_it_is_leads(title: str, text: str, leads: bool) -> None:
    entry = made(text, cited(text, title=title), type="temporal")
    found = article([entry], title=title)
    assert texts(found.lead) == ([text] if leads else [])
    assert bool(found.sections) is not leads


def test_gathering_a_thing_is_told_before_the_thing_it_is_the_most_of() -> None:
    entries = [made("Salt is the oldest spice.", cited("a", 0)), made("Salt is a mineral.", cited("b", 90))]
    assert texts(article(entries).lead) == ["Salt is a mineral.", "Salt is the oldest spice."]
    more = [made(f"Salt is a thing of kind {n}.", cited(f"{n}", n)) for n in "4321" for n in [int(n)]]
    assert texts(article(more).lead) == [f"Salt is a thing of kind {n}." for n in (1, 2, 3)]


def test_gathering_without_such_a_claim_the_best_supported_fact_leads() -> None:
    def far(quote: str) -> Citation:
        return cited(quote, zim_id="zim-2")

    entries = [
        made("Salt is dear.", cited("Salt is dear.", 1), far("Salt is dear.")),
        made("Salt is white.", cited("All salt is white.", 9), far("A white powder, such as salt or sugar.")),
        made("Salt came in 900.", cited("900", 0), type="temporal"),
    ]
    found = article(entries)
    assert texts(found.lead) == ["Salt is white."]
    assert (found.lead[0].archives, found.lead[0].references) == (2, (1, 2))
    assert found.sections[0].statements[0].archives == 1
    assert [section.heading for section in found.sections] == ["Facts", "Dates and durations"]
    assert article(entries[2:]).lead == ()


def test_gathering_sections_follow_the_profile_and_unknown_types_come_last() -> None:
    entries = [made(f"Salt has {type_}.", cited(type_), type=type_) for type_ in ("zest", "comparative", "temporal")]
    found = article([*entries, made("Salt is a mineral.", cited("m"))])
    assert [section.heading for section in found.sections] == ["Dates and durations", "Comparisons", "Zest"]


@pytest.mark.parametrize(
    ("type_", "heading"), [("best-practice", "Good practice"), ("side-effects", "Side effects"), ("--", "Other")]
)
def test_gathering_headings_are_readable(type_: str, heading: str) -> None:
    assert heading_of(type_) == heading


def test_gathering_place_in_the_own_article_comes_before_others() -> None:
    entries = [
        made("Salt is sold.", cited("x", 5, title="Trade")),
        made("Salt is white.", cited("y", 70)),
        made("Salt is wet.", cited("z", 20)),
        made("Salt is a mineral.", cited("w", 99)),
    ]
    assert texts(article(entries).sections[0].statements) == ["Salt is wet.", "Salt is white.", "Salt is sold."]


def test_gathering_one_place_has_one_number_however_often_it_is_cited() -> None:
    place = cited("white and dear", 4)
    entries = [
        made("Salt is white.", place, cited("snow", 40), type="temporal"),
        made("Salt is dear.", replace(place, n=3, chunk_id="other"), type="temporal"),
    ]
    found = article(entries)
    assert [one.references for one in found.sections[0].statements] == [(1,), (1, 2)]
    assert [(one.number, one.citation.quote) for one in found.references] == [(1, "white and dear"), (2, "snow")]


def test_gathering_claims_of_one_entry_stay_together() -> None:
    several = make_entry(type="temporal")
    other = made("Salt is old.", cited("old", 120), type="temporal")
    found = article([other, several])
    assert texts(found.sections[0].statements) == [*(claim.text for claim in several.claims), "Salt is old."]


def test_gathering_see_also_has_what_is_cited_along_and_then_what_is_named() -> None:
    entries = [
        made("Salt is older than Pepper.", cited("a", 1), cited("b", 2, title="Pepper"), type="comparative"),
        made("Salt is mined in Cheshire, says Trade.", cited("c", 3)),
        made("Salt comes from Cheshire by Sea Lane.", cited("d", 4)),
        made("Salt is not Paprika.", cited("e", 5)),
    ]
    found = article(entries, "Cheshire", "Pepper", "Sea Lane", "Trade")
    assert found.see_also == (
        ("pepper", "Pepper"),
        ("cheshire", "Cheshire"),
        ("sea-lane", "Sea Lane"),
        ("trade", "Trade"),
    )


def test_gathering_aliases_are_those_of_all_its_articles_but_its_own_names() -> None:
    asked = []

    def aliases(zim_id: str, path: str) -> tuple[str, ...]:
        asked.append((zim_id, path))
        return ("Halite", "SALT", "halite", "Rock\u200f salt", "")

    entries = [made("Salt is white.", cited("a"), cited("b"), cited("c", zim_id="zim-2"), cited("d", title="Pepper"))]
    assert article(entries, aliases=aliases).aliases == ("Halite", "Rock salt")
    assert asked == [("zim-1", "Salt"), ("zim-2", "Salt")]


def test_gathering_archives_nothing_is_known_of_are_named_as_the_entry_has_them() -> None:
    entry = made(
        "Salt is white.",
        cited("a", zim_id="zim-9"),
        cited("b", 1, zim_id="zim-8"),
        archives=(("zim-9", "old", "2020"),),
    )
    assert article([entry]).sources == (
        Source("zim-9", "old", "", "2020", "", "", "", "", ""),
        Source("zim-8", "", "", "", "", "", "", "", ""),
    )


def test_gathering_marks_of_entries_come_along_and_never_lead() -> None:
    entries = [
        made("Salt is a mineral.", cited("a", 1), status="disputed"),
        made("Salt is a metal.", cited("b", 2), status="disputed"),
        made("Salt is white.", cited("c", 3), status="stale"),
    ]
    found = article(entries)
    assert found.lead == ()
    assert [(one.text, one.status) for one in found.sections[0].statements] == [
        ("Salt is a mineral.", "disputed"),
        ("Salt is a metal.", "disputed"),
        ("Salt is white.", "stale"),
    ]


def test_gathering_code_keeps_its_lines_and_steering_characters_go() -> None:
    text = "def f():\n    return 1"
    found = article([made(f"\x00{text}\u202e\n", cited("f"), type="temporal")])
    assert texts(found.sections[0].statements) == [text]


def test_gathering_iterates_one_article_at_a_time_and_leaves_out_empty_ones() -> None:
    directory = Directory(["Salt", "Pepper", "Sugar"])
    pepper, salt, sugar = directory
    given = iter([(pepper, [made("Pepper is hot.", cited("p", title="Pepper"))]), (sugar, []), (salt, [made("Salt.")])])
    articles = iter_articles(given, Shelf(directory, {}))
    assert next(articles).title == "Pepper"
    assert next(given)[0] == sugar
    assert [one.title for one in articles] == ["Salt"]


def test_gathering_no_entry_is_no_article() -> None:
    with pytest.raises(ValueError, match="no entry is about Salt"):
        gather(Subject("salt", "salt", "Salt", "Salt"), [], Shelf(Directory(["Salt"]), {}))

"""drzero.loop.facts: what a sentence states, and every way in which a claim departs from its evidence."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.loop import facts
from drzero.loop.facts.identifiers import _missing_calls, qualified
from drzero.loop.facts.quoting import titles_said, with_names_for
from drzero.types import Fault


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,000 and 1000", {"1000"}),
        ("two of twelve", {"2", "12"}),
        ("1.4 million people", {"1400000"}),
        ("the 1960s", {"1960"}),
        ("the 3rd of May", {"3"}),
        ("$3.50 or 28.5°E", {"3.5", "28.5"}),
        ("one of the first", set()),
        ("version v3 of abc1", set()),
        ("12 May 1931", {"12", "1931"}),
        ("both, the second and the 3rd", {"3"}),
    ],
)
def test_facts_numbers_have_one_form(text: str, found: set[str]) -> None:
    assert facts.numbers(text) == found


def test_facts_missing_parts_are_named() -> None:
    evidence = "Ray Charles's band toured Georgia in 1960."
    assert facts.missing_names("In 1961 Ray Charles left Georgia for Texas", evidence) == ["Texas"]
    assert facts.missing_numbers("In 1961 it had 2 members", evidence) == ["1961", "2"]
    assert facts.missing_identifiers("Call json.dump or json.load", "json.dump writes") == ["json.load"]
    assert facts.is_month("May")
    assert not facts.is_month("Monday")


PASSAGE = (
    "Ray Charles was born in Albany on 23 September 1930. He won 17 Grammy Awards and never learned to drive. "
    "His 1959 song may have been the first of its kind, and it is one of the best-known songs of the 1950s. "
    "It was 6 minutes long, sold over 2 million copies, and was praised by Frank Sinatra. "
    "Call json.dumps() to print it."
)


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("Was Ray Charles born in Albany?", "not-a-statement"),
        ("I know that Ray Charles was born in Albany.", "first-person"),
        ("Ray Charles won 18 Grammy Awards.", "number"),
        ("Ray Charles was born on 24 September 1930.", "date"),
        ("His song was 6 hours long.", "unit"),
        ("His song sold under 2 million copies.", "bound"),
        ("Call json.loads() to print it.", "identifier"),
        ("Miles Davis was born in Albany.", "name"),
        ("Ray Charles was born in Atlanta.", "name"),
        ("Ray Charles learned to drive.", "negation"),
        ("Ray Charles never won 17 Grammy Awards.", "negation"),
        ("His 1959 song was the first of its kind.", "hedge"),
        ("It is the best-known song of the 1950s.", "superlative"),
        ("His song was always praised by Frank Sinatra.", "frequency"),
        ("All his songs sold over 2 million copies.", "quantity"),
        ("His song was only praised by Frank Sinatra.", "only"),
        ("His 1959 song may have been the last of its kind.", "opposite"),
    ],
)
def test_facts_faults_have_a_code_and_a_sentence_each(claim: str, code: str) -> None:
    found = facts.faults(claim, PASSAGE, "Ray Charles")
    assert [fault.code for fault in found][:1] == [code]
    assert all(fault.reason.endswith(".") and fault.verdict in ("contradicted", "unsupported") for fault in found)


@pytest.mark.parametrize(
    "claim",
    [
        "Ray Charles was born on September 23, 1930.",
        "Ray Charles was born in September 1930.",
        "Ray Charles won seventeen Grammy Awards.",
        "Ray Charles did not learn to drive.",
        "His song might have been the first of its kind.",
        "His song is among the best-known songs of the fifties.",
        "It sold more than two million copies.",
        "Frank Sinatra praised the six-minute song.",
        "json.dumps prints it.",
        "In the 1930s Ray Charles was born.",
    ],
)
def test_facts_faults_are_none_for_honest_claims(claim: str) -> None:
    assert facts.faults(claim, PASSAGE, "Ray Charles") == ()


def test_facts_faults_give_every_departure_the_strongest_first() -> None:
    found = facts.faults("Ray Charles never won 18 Grammy Awards.", "Ray Charles won 17 Grammy Awards.")
    assert found == (
        Fault("number", "The evidence says 17, the claim 18.", "contradicted"),
        Fault("negation", "The claim denies something that the evidence does not.", "contradicted"),
    )


def test_facts_faults_contradict_only_what_is_the_same_matter() -> None:
    (fault,) = facts.faults("People sold 18 new eggs near town.", "The bird lays 17 eggs.")
    assert fault == Fault("number", "The evidence says 17, the claim 18.", "unsupported")
    (fault,) = facts.faults("Sales never rose again after that.", "Sales bloomed.")
    assert fault == Fault("negation", "The claim denies something that the evidence does not.", "unsupported")


def test_facts_faults_take_the_place_for_evidence_of_names_and_numbers() -> None:
    claim = "Super Bowl 50 was won by Denver."
    assert facts.faults(claim, "It was won by Denver.", "Super Bowl 50") == ()
    assert [fault.code for fault in facts.faults(claim, "It was won by Denver.")] == ["number", "subject"]


def test_facts_faults_look_for_denials_in_the_sentence_named() -> None:
    evidence = "He drove at night. He never drove by day."
    assert facts.faults("He drove by night.", evidence, nearest="He drove at night.") == ()
    found = facts.faults("He drove by day.", evidence, nearest="He never drove by day.")
    assert [fault.code for fault in found] == ["negation"]


CLAUSES = st.sampled_from(
    [
        "Ray Charles was born on 23 September 1930", "the U.S. Navy has 1,000 ships", "he may have left in the 1960s",
        "it is one of the largest cities", "it never rains", "all birds fly",
        "no fewer than 3.5 km of road were built", "the tower is 12 metres high", "she won half of the votes",
        "Henry VIII had six wives", "call json.dumps() first", "only two men survived", "it increased by 5 per cent",
        "they must not enter", "the first of the twelve came", "Rome defeated Carthage", "over $5 million was paid",
        "it lies north of Paris", "i think that it holds", "he couldn't win",
    ]
)  # fmt: skip


@given(st.lists(CLAUSES, min_size=1, max_size=4, unique=True), st.sampled_from([". ", "; ", ", and ", " "]))
def test_facts_a_text_supports_itself(clauses: list[str], between: str) -> None:
    text = between.join(clauses) + "."
    assert facts.faults(text, text) == ()


@given(st.lists(CLAUSES, min_size=1, max_size=4, unique=True), st.data())
def test_facts_sentences_support_each_of_their_own(clauses: list[str], data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from(clauses))
    assert facts.faults(f"{chosen}.", ". ".join(clauses) + ".") == ()


@given(st.text(max_size=80), st.text(max_size=80))
def test_facts_faults_of_any_text_are_faults(claim: str, evidence: str) -> None:
    for fault in facts.faults(claim, evidence, evidence[:10]):
        assert fault.code
        assert fault.reason.endswith(".")


def test_facts_faults_take_no_number_from_another_sentence_than_the_one_that_says_the_rest() -> None:
    evidence = "The record sold 17 copies in May. The band had 12 members."
    (fault,) = facts.faults("The record sold 12 copies in May.", evidence)
    assert fault == Fault("number", "The evidence says 17, the claim 12, of the same.", "contradicted")
    (fault,) = facts.faults("It opened in Lyon in 1931.", "It opened in Lyon in 1913. It closed in 1931.")
    assert fault == Fault("number", "The evidence says 1913, the claim 1931.", "contradicted")
    assert facts.faults("The band of 12 members sold 17 copies.", evidence) == ()


_ODD = {"i": "ıİi", "s": "ſs", "k": "\u212ak"}  # letters that are "i", "s" and "k" of another case to a pattern


@given(
    st.lists(
        st.sampled_from("six five mile inch april since thirds of the fifties 12 million kg 10,000^99 mi".split()),
        min_size=1,
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_facts_faults_read_letters_of_every_case(said: list[str], draw: random.Random) -> None:
    text = " ".join("".join(draw.choice(_ODD.get(letter, letter)) for letter in word) for word in said)
    assert [fault for fault in facts.faults(text, text) if fault.code in ("number", "unit", "date")] == []


def test_facts_faults_read_what_only_looks_like_a_unit_or_number() -> None:
    for text in ("Saat 6 mı?", "5 mıle", "3 İnch", "2 aprıl", "a thırd of it", "the fıfties", "5 mıllion"):
        assert isinstance(facts.faults("The cat sat.", text), tuple)


@pytest.mark.parametrize(
    ("title", "heading", "name"),
    [
        ("json", ("json.JSONEncoder", "default"), "json.JSONEncoder.default"),
        ("json", ("json.JSONEncoder", "Notes", "default"), "json.JSONEncoder.default"),
        ("json", ("a.B", "a.C", "default"), "a.C.default"),
        ("json — JSON encoder", ("dumps",), "json.dumps"),
        ("json — JSON encoder", ("Basic Usage", "dumps"), ""),
        ("json — JSON encoder", ("json",), ""),
        ("json — JSON encoder", ("json.dumps",), ""),
        ("json — JSON encoder", ("Basic Usage",), ""),
        ("json — JSON encoder", (), ""),
        ("JSON", ("dumps",), ""),
    ],
)
def test_facts_qualified_name_of_headings(title: str, heading: tuple[str, ...], name: str) -> None:
    assert qualified(title, heading) == name


@pytest.mark.parametrize(
    ("claim", "evidence", "place", "code"),
    [
        ("You Don't Know Me was released in July 1962.", "Released: July 1962", "You Don't Know Me (song)", ""),
        ("All I Ever Need Is You has a length of 2:38.", "Length: 2:38", "All I Ever Need Is You", ""),
        ('"All for You" has a length of 2:38.', 'The song "All for You" has a length of 2:38.', "", ""),
        ("You Don't Know Me was not released in July 1962.", "Released: July 1962", "You Don't Know Me", "negation"),
        ("You Don't Know Me was released in July 1962.", "You Don't Know Me was not released in July 1962.",
         "You Don't Know Me", "negation"),
        ("You Don't Know Me was released in all countries.", "It was released in some countries.",
         "You Don't Know Me", "quantity"),
        ("All Cats swim.", "Some cats swim.", "Cats", "quantity"),
        ("All cats swim.", "Some cats swim.", "All Cats", "quantity"),  # no title as it stands
        ("Never was sung in 1962.", "It was sung in 1962.", "Never", "negation"),  # one word alone is no title
        ('The sign said "Enter".', 'The sign said "Do Not Enter".', "", "negation"),
        ("He did not enter the hall.", 'He said "I did not" and did enter the hall.', "", "negation"),
        ("You Don't Know Me was always sung.", "You Don't Know Me was often sung.", "You Don't Know Me", "frequency"),
    ],
)  # fmt: skip
def test_facts_the_words_of_a_title_state_nothing(claim: str, evidence: str, place: str, code: str) -> None:
    found = [fault.code for fault in facts.faults(claim, evidence, place) if fault.code != "name"]
    assert found == ([code] if code else [])


def test_facts_titles_said_are_the_longest_words_with_capitals_that_the_source_has() -> None:
    claim = 'Hit the Road Jack and "All for You" came before Road to Ruin.'
    assert titles_said(claim, "Hit the Road Jack (song) Road to Nowhere", "") == ["Hit the Road Jack"]
    assert titles_said(claim, "", 'They sang "All for You" and "Ruin".') == ["All for You"]
    assert titles_said(claim, "came before Hit", "") == []
    assert titles_said("All for Youth", "All for You", "") == []
    assert with_names_for("All for You, all for you", ["All for You"]) == "TitleAllforYouX, all for you"


@pytest.mark.parametrize(
    ("claim", "evidence", "faulty"),
    [
        ('f([{"a": 1}], 9) returns [].', 'f([{"a": 1, "d": 9}], 9) should return [].', True),
        ('f([{"a": 1}], 9) returns [].', 'f([{"a":1}],9) should return [].', False),
        ("f('a') returns 1.", 'f("a") should return 1.', False),
        ("f(2) returns 1.", "f(2) should return 1. f(3) should return 2.", False),
        ("f(4) returns 1.", "f(2) should return 1. f(3) should return 2.", True),
        ("open(name) opens a file.", "open(name, mode='r') opens a file.", False),
        ("f(2) returns 1.", "The function returns 1 for 2.", False),
        ("f(2 returns 1.", "f(3 should return 1.", False),
    ],
)
def test_facts_calls_have_the_values_that_the_evidence_gives_them(claim: str, evidence: str, faulty: bool) -> None:
    assert bool(_missing_calls(claim, evidence)) == faulty

"""drzero.loop.facts.known: what a text names, in whatever form."""

from __future__ import annotations

import time

import pytest

from drzero.loop.facts.known import Known, folded, known
from drzero.loop.facts.names import read_names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Noël Coward wrote it", "Noel"),
        ("Noel Coward wrote it", "Noël"),
        ("Ray Charles's band", "Charles"),
        ("in the United States", "US"),
        ("in the US", "U.S"),
        ("in the U.S. Navy", "United States"),
        ("in america", "US"),
        ("in Great Britain", "British"),
        ("in France", "French"),
        ("a European city", "Europe"),
        ("a Canadian band", "Canada"),
        ("in Japan", "Japanese"),
        ("in Texas", "Texan"),
        ("Henry the Eighth", "VIII"),
        ("World War Two", "II"),
        ("Louis XIV", "XIV"),
        ("al-Qaeda", "Al-Qaeda"),
    ],
)
def test_known_has_a_name_in_its_other_forms(text: str, name: str) -> None:
    assert Known(text).has(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("in Germany", "France"),
        ("an Australian", "Austrian"),
        ("an Indian", "Indiana"),
        ("a Nigerian", "Niger"),
        ("Henry VII", "VIII"),
        ("Henry VII", "Edward"),
        ("in Romania", "Rome"),
        ("", "Paris"),
    ],
)
def test_known_has_no_other_name(text: str, name: str) -> None:
    assert not Known(text).has(name)


def test_known_reads_initials_both_ways() -> None:
    (agency,) = read_names("the Food and Drug Administration".replace(" and ", " "))
    assert Known("the FDA and others").abbreviates(agency)
    assert not Known("the FBI").abbreviates(agency)
    assert Known("the Food and Drug Administration").spells_out("FDA")
    assert not Known("the Food and Drug Administration").spells_out("FBI")
    assert not Known("food").spells_out("F")


def test_known_has_longer_and_shorter_given_names() -> None:
    assert Known("Timothy Simon Roth").has_longer("Tim")
    assert Known("Tim Roth").has_longer("Timothy")
    assert Known("San Diego Comic Book Convention").has_longer("Comic-Con")
    assert not Known("Thomas Roth").has_longer("Tim")
    assert Known("a professional").shortens("pro")
    assert not Known("a professional").shortens("amateur")


def test_known_tells_a_bare_name_from_one_with_a_given_name() -> None:
    assert Known("Later Kutcher acted").bare("Kutcher")
    assert Known("President Obama spoke").bare("Obama")
    assert not Known("Ashton Kutcher acted").bare("Kutcher")
    assert not Known("nobody").bare("Kutcher")


def test_known_tells_where_a_name_ends() -> None:
    assert Known("Yale has many").ends("Yale")
    assert Known("at Yale.").ends("Yale")
    assert not Known("the Morse code").ends("Morse")


@pytest.mark.parametrize(
    ("text", "name", "stitched"),
    [
        ("Neil Armstrong and Bob Diamond", "Neil Diamond", True),
        ("Neil Leslie Diamond", "Neil Diamond", False),
        ("Simón José de la Santísima Bolívar", "Simón Bolívar", False),
        ("Pierre and Marie Curie", "Pierre Curie", False),
        ("Genghis Khan's bier", "Genghis Khan", False),
        ("Charlie's Angels", "Charlie Angels", False),
        ("Stanford, and the University of California", "Stanford University", False),
    ],
)
def test_known_tells_a_name_stitched_from_two(text: str, name: str, stitched: bool) -> None:
    (read,) = read_names(f"… {name}")
    assert Known(text).stitches(read) is stitched


def test_known_folds_and_keeps_what_it_read() -> None:
    assert folded("Málaga in the U.S.A.").split() == ["Malaga", "in", "the", "US"]
    assert known("some text") is known("some text")


@pytest.mark.parametrize(
    ("text", "name", "named"),
    [
        ("He told us that they won.", "US", False),
        ("He moved to a polish shop.", "Poland", False),
        ("He met the mark.", "Mark", False),
        ("he met mark in rome", "Mark", True),
        ("It is at docs.python.org today.", "Python", True),
        ("He is on the internet.", "Internet", True),
        ("He met the king.", "King", True),
        ("A Polish shop", "Poland", True),
    ],
)
def test_known_names_what_has_a_capital(text: str, name: str, named: bool) -> None:
    assert Known(text).names(name) is named
    assert Known(text).has(name)


@pytest.mark.parametrize(
    ("text", "short", "found"),
    [
        ("Each union signed.", "EU", False),
        ("The European Union signed.", "EU", True),
        ("The National Aeronautics and Space Administration", "NASA", True),
        ("The central processing unit is fast.", "CPU", True),
        ("The cook, patient, understood.", "CPU", False),
        ("cats of prey understand", "COP", False),
    ],
)
def test_known_spells_out_by_the_words_of_one_name(text: str, short: str, found: bool) -> None:
    assert Known(text).spells_out(short) is found


def test_known_abbreviates_a_whole_run_of_names() -> None:
    assert Known("NASA launched it").abbreviates_run("The National Aeronautics and Space Administration")
    assert not Known("NATO launched it").abbreviates_run("National Aeronautics and Space Administration")


@pytest.mark.parametrize(
    ("text", "given", "same"),
    [
        ("Paula Smith", "Paul", False),
        ("Julia Smith", "Julian", False),
        ("Johnson Smith", "John", False),
        ("John XXII", "XXIII", False),
        ("Timothy Roth", "Tim", True),
        ("Tommy Roth", "Tom", True),
    ],
)
def test_known_short_names_are_not_those_of_other_people(text: str, given: str, same: bool) -> None:
    assert Known(text).has_longer(given) is same


def test_known_reads_many_names_in_little_time() -> None:
    text = " ".join(f"Anna{letter * number}son met" for letter in "bcdfg" for number in range(1, 100))
    stated, begun = Known(text), time.perf_counter()
    assert not any(stated.has_longer(f"Bert{letter * number}") for letter in "bcdfg" for number in range(1, 100))
    assert time.perf_counter() - begun < 1


def test_known_givens_are_the_names_before_a_family() -> None:
    assert Known("Janet Jackson and Michael J. Jackson met the Jackson band.").givens("Jackson") == {"janet", "michael"}
    assert Known("President Obama spoke").givens("Obama") == set()

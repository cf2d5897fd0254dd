"""drzero.loop.known: what a text names, in whatever form."""

from __future__ import annotations

import pytest

from drzero.loop.known import Known, folded, known
from drzero.loop.names import read_names


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

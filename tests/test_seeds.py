"""drzero.loop.seeds: sentences that stand alone, and their answer spans."""

from __future__ import annotations

import pytest

from drzero.loop.seeds import find_seeds
from drzero.profiles import load_profile
from drzero.types import Chunk

WIKIPEDIA = load_profile("wikipedia")


def chunk(text: str, title: str = "Forth Bridge", start: int = 100) -> Chunk:
    return Chunk("c", "z", title, title, (), text, start, start + len(text))


def spans(text: str, kind: str, title: str = "Forth Bridge") -> list[str]:
    return [seed.answer for seed in find_seeds(chunk(text, title), WIKIPEDIA.type(kind))]


def test_seeds_know_their_place_in_the_article() -> None:
    text = "It rained. The Forth Bridge was opened on 4 March 1890 by the Prince of Wales."
    (seed,) = find_seeds(chunk(text), WIKIPEDIA.type("temporal"))
    assert (seed.answer, seed.start, seed.end) == ("4 March 1890", 111, 178)
    assert seed.sentence == text[seed.start - 100 : seed.end - 100]


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("The Forth Bridge was painted again in 1922–26 by forty workers.", "1922–26"),
        ("Emperor Gegeen Khan ruled the whole land from 1321 to 1323.", "from 1321 to 1323"),
        ("The Forth Bridge was listed in June 1973 as a monument.", "June 1973"),
    ],
)
def test_seeds_temporal_take_the_whole_date(sentence: str, answer: str) -> None:
    assert spans(sentence, "temporal") == [answer]


@pytest.mark.parametrize(
    "sentence",
    [
        "As of January 2016, the Forth Bridge had carried many millions of people.",
        "The Forth Bridge was begun in 1882 and opened to trains in 1890.",
        "The Forth Bridge was well known for its colour by 1890.",
        "Tony Sheridan saw the Forth Bridge long after his travels with John in 1961.",
    ],
)
def test_seeds_temporal_refuse_loose_and_double_dates(sentence: str) -> None:
    assert spans(sentence, "temporal") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "He was born in Albany and went to school in Florida.",
        "This made the bridge the longest of its kind in Europe.",
        "Early work was led by the millionaire and engineer M.",
        "Short words about Scotland.",
        "Bridge | Country | Length of the main span in Scotland.",
        "The following bridge was built over the river in Scotland.",
        "the bridge was built by hand over the river in scotland",
        "Boney James covered the song on his studio album Send One Your Love.",
        "The first was by Charlie Rich, which went to number 22 in America.",
        "1978: Mary K. Miller reached No. 28 on the Hot Country Singles chart.",
        "Year: 2004; Album: Genius Loves Company of Ray Charles; Label: Concord Records of Hollywood.",
        "2008 – Bizzy Bone rose to number 61 on the charts of the United States.",
    ],
)
def test_seeds_refuse_sentences_that_do_not_stand_alone(sentence: str) -> None:
    assert spans(sentence, "factual") == []


def test_seeds_factual_offer_names_and_quantities_but_not_the_subject() -> None:
    found = spans("The Forth Bridge was designed by John Fowler and Benjamin Baker.", "factual")
    assert found == ["John Fowler and Benjamin Baker"]
    assert "53,000 tonnes" in spans("The Forth Bridge was built with 53,000 tonnes of steel.", "factual")
    assert spans("Apollo 8 took three days to travel to the Moon.", "factual", "Apollo 8") == ["Moon"]


def test_seeds_causal_take_the_reason() -> None:
    assert spans("The Forth Bridge was closed for a week because heavy ice had damaged a pier.", "causal") == [
        "because heavy ice had damaged a pier"
    ]
    assert spans("Trains have crossed the Forth Bridge every day since 1890 because of it.", "causal") == []


def test_seeds_other_types_take_the_sentence() -> None:
    sentence = "The Forth Bridge is longer than the Brooklyn Bridge in New York."
    assert spans(sentence, "comparative") == [sentence]

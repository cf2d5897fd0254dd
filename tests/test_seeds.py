"""drzero.loop.seeds: sentences that stand alone, and their answer spans."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drzero.loop.seeds import find_seeds, tries_of, unnamed_subject
from drzero.profiles import load_profile
from drzero.types import Chunk

WIKIPEDIA, CODING = load_profile("wikipedia"), load_profile("coding")


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
        "The first train came over the Forth Bridge at the end of 1889.",
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


@pytest.mark.parametrize(
    "sentence",
    [
        "The Forth Bridge was painted from 1922 into the thirties by forty workers.",
        "The Forth Bridge was painted by forty workers each year starting in 1922.",
    ],
)
def test_seeds_temporal_refuse_the_ends_of_a_time(sentence: str) -> None:
    assert spans(sentence, "temporal") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Part of the reason that the Forth Bridge was closed was because ice had damaged it.",
        "The Forth Bridge was closed partly because heavy ice had damaged a pier.",
        "The Forth Bridge was closed because of a fault in the pier and opened again in May.",
        "Thanks to the ice, the Forth Bridge was closed because it was not safe in the wind.",
    ],
)
def test_seeds_causal_refuse_a_reason_among_several(sentence: str) -> None:
    assert spans(sentence, "causal") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Scotland plans to build a second Forth Bridge of steel in Fife.",
        "The Forth Bridge is currently owned by Network Rail of London.",
        "The case was dropped after Fowler had shown the plans in London.",
        "Published: March 1890 by the Forth Bridge Company of Edinburgh.",
        "Scotland – In 1890, a bridge over the Forth was opened by the Prince.",
        "Should the Forth Bridge fail, trains go by way of Stirling.",
    ],
)
def test_seeds_refuse_what_is_true_in_passing_or_on_a_condition(sentence: str) -> None:
    assert spans(sentence, "factual") == []


def test_seeds_a_number_in_words_is_no_name() -> None:
    assert spans("The Forth Bridge cost the company some 3.2 Million Pounds and more to build.", "factual") != [
        "Million"
    ]


@pytest.mark.parametrize(
    ("sentence", "suits"),
    [
        ("Venus is hotter than Mercury.", True),
        ("Unlike frogs, lizards hatch on land.", True),
        ("The bridge is wider than 20 metres.", False),
        ("Rather than wait, they crossed.", False),
        ("Unlike most bridges, it is red.", False),
        ("The most successful version was sung by Ray Charles.", False),
    ],
)
def test_seeds_comparative_want_two_sides(sentence: str, suits: bool) -> None:
    assert WIKIPEDIA.type("comparative").suits(sentence) is suits


@pytest.mark.parametrize("heading", ["Plot", "synopsis", "Instructions", "Hints", "Exercises"])
def test_seeds_none_in_stories_and_tasks(heading: str) -> None:
    text = "The Forth Bridge was designed by John Fowler in Scotland."
    under = replace(chunk(text), heading=("Works", heading))
    assert find_seeds(under, WIKIPEDIA.type("factual")) == []
    assert find_seeds(replace(under, heading=("History",)), WIKIPEDIA.type("factual")) != []


@pytest.mark.parametrize(
    ("sentence", "count"),
    [
        ("The function json.dumps returns a text for any object.", 1),
        ("Your function should return a text for any object.", 0),
        ("The example above returns a text for any object.", 0),
        ("The same notation returns a text for any object.", 0),
        ("It returns a text in exactly the same way for any object.", 0),  # who is "it"?
        ("Returns a text in exactly the same way for any object.", 1),
    ],
)
def test_seeds_of_documentation_speak_of_things_not_of_the_reader_s_task(sentence: str, count: int) -> None:
    found = find_seeds(chunk(sentence, "json"), CODING.type("implementation"), docs=True)
    assert len(found) == count


def test_seeds_none_of_a_sentence_cut_in_a_code_name() -> None:
    cut = "To make a generic class, users should call and inherit from typing."
    kind = CODING.type("implementation")
    assert len(find_seeds(chunk(cut, "typing"), kind, docs=True)) == 1
    assert find_seeds(chunk(f"{cut}Generic is one.", "typing"), kind, docs=True) == []


def test_seeds_conceptual_take_what_a_thing_is_said_to_be() -> None:
    (seed,) = find_seeds(
        chunk("A tuple is a fixed list of values, as in maths.", "t"), CODING.type("conceptual"), docs=True
    )
    assert seed.answer == "a fixed list of values"


def test_seeds_tries_are_other_spans_of_the_best_sentence_or_the_same_again() -> None:
    kind = WIKIPEDIA.type("factual")
    text = "The Forth Bridge was designed by John Fowler, and painted by Anna Smith."
    assert [seed.answer for seed in tries_of(find_seeds(chunk(text), kind))] == ["John Fowler", "Anna Smith"]
    text = "The Forth Bridge was opened on 4 March 1890 by many workers."
    once = find_seeds(chunk(text), WIKIPEDIA.type("temporal"))
    assert tries_of(once) == once * 2
    assert tries_of(once, most=1) == once
    assert tries_of([]) == []


def test_seeds_none_of_what_somebody_is_quoted_with() -> None:
    text = 'Fowler said, "It was hard. The Forth Bridge was designed by Benjamin Baker alone. We were proud of it all."'
    assert find_seeds(chunk(text), WIKIPEDIA.type("factual")) == []
    told = text.replace('"', "")
    assert len(find_seeds(chunk(told), WIKIPEDIA.type("factual"))) == 1


@pytest.mark.parametrize(
    ("text", "title", "unnamed"),
    [
        ("In what year did the Ministry of Education hire teachers?", "Angola", True),
        ("In what year did the Ministry of Education of Angola hire teachers?", "Angola", False),
        ("When did the Senate reject the Treaty of Versailles?", "Treaty of Versailles", False),
        ("When did the Senate reject it?", "Treaty of Versailles", True),
        ("When did the Supreme Court of Canada rule?", "Rivers", False),
        ("When did the Supreme Court rule?", "Rivers", True),
        ("When did the President Hotel open?", "Rivers", False),
    ],
)
def test_seeds_an_institution_that_every_country_has_names_nothing(text: str, title: str, unnamed: bool) -> None:
    assert unnamed_subject(text, title) is unnamed


def test_seeds_none_in_the_comments_of_an_example() -> None:
    comment = "# passes the check; a list of floats is a Vector in every call."
    prose = "A Vector is the list of floats that scale takes and returns."
    text = f"{prose}\n```python\n{comment}\nscale(2.0, [1.0])\n```"
    found = find_seeds(chunk(text, "Vector"), CODING.type("conceptual"), docs=True)
    assert {seed.sentence for seed in found} == {prose}
    bare = find_seeds(chunk(text.replace("```", ""), "Vector"), CODING.type("conceptual"), docs=True)
    assert any("passes the check" in seed.sentence for seed in bare)
    assert not any("passes the check" in seed.sentence for seed in found)


def test_seeds_what_a_call_does_says_nothing_of_what_it_speaks_of() -> None:
    text = "Get a string that is the format for a time in the way of a locale."
    doc = chunk(text, "locale")
    assert find_seeds(doc, CODING.type("conceptual"), docs=True) == []
    returns = replace(doc, text="Return a string that is the format for a time in the way of a locale.", end=170)
    assert find_seeds(returns, CODING.type("implementation"), docs=True)
    assert find_seeds(returns, CODING.type("conceptual"), docs=True) == []

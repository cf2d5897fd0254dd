from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from drzero.loop.agreement import MIN_AGREEMENT, agreement, agrees, missing_aspects, new_stems, unasked
from drzero.loop.answer_kind import fits_question
from scripts.measure_agreement import pairs

OPENED = "When was the Forth Bridge opened?"


@pytest.mark.parametrize(
    ("answer", "reference", "question", "value"),
    [
        ("Sodium chloride", "sodium chloride.", "What is salt?", 1.0),
        ("It is a white powder called sodium chloride.", "sodium chloride", "What is salt?", 1.0),
        ("Salt is pepper.", "sodium chloride", "What is salt?", 0.0),
        ("Salt has sodium.", "sodium chloride", "What is salt?", 0.0),  # one thing of two words, whole or not at all
        ("It opened in 1931.", "The bridge opened in 1931.", "When did the bridge open?", 1.0),
        ("It opened in 1932.", "1931", "When did the bridge open?", 0.0),
        ("", "sodium chloride", "What is salt?", 0.0),
        ("Sodium chloride", "", "What is salt?", 0.0),
        ("It is found near hot springs.", "Salt is found at hot springs.", "Where is salt found?", 1.0),
        ("It is found near springs.", "Salt is found at hot springs.", "Where is salt found?", 0.5),
        ("It dissolves in water.", "Salt dissolves in hot water.", "Where does salt dissolve?", 0.0),
        ("The Forth Bridge was opened.", "The Forth Bridge was opened.", OPENED, 0.0),  # the reference adds nothing
    ],
)
def test_agreement_is_the_share_of_what_the_reference_adds(
    answer: str, reference: str, question: str, value: float
) -> None:
    assert agreement(answer, reference, question) == pytest.approx(value)


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("It was opened on March 4th, 1890.", "4 March 1890"),
        ("It was opened on 1890-03-04.", "It was opened on 4 March 1890."),
        ("It was opened on the 4th of March, 1890, in the rain.", "4 March 1890"),
        ("It was opened on 4 March 1890.", "March 1890"),
    ],
)
def test_agreement_reads_dates_in_any_dress(answer: str, reference: str) -> None:
    assert agreement(answer, reference, OPENED) == 1.0


@pytest.mark.parametrize("answer", ["It was opened in 1890.", "It was opened in March 1890.", "On 5 March 1890."])
def test_agreement_wants_the_whole_date(answer: str) -> None:
    assert not agrees(answer, "4 March 1890", OPENED)
    assert not agrees(answer, "It was opened on 4 March 1890.", OPENED, ("4", "March", "1890"))


def test_agreement_wants_no_more_of_a_date_than_was_asked() -> None:
    aspects = ("4", "March", "1890")
    assert agrees("It was 1890.", "It was opened on 4 March 1890.", "In what year was the bridge opened?", aspects)
    assert not agrees("It was 1891.", "It was opened on 4 March 1890.", "In what year was the bridge opened?", aspects)
    assert not agrees("In March.", "It was opened on 4 March 1890.", "In what year was the bridge opened?", aspects)


@pytest.mark.parametrize(
    ("answer", "same"),
    [
        ("The tunnel is 5 km long.", True),
        ("The tunnel is five kilometres long.", True),
        ("The tunnel is 5,000 metres long.", True),
        ("It is 5.", True),
        ("The tunnel is 5 miles long.", False),
        ("The tunnel is 6 km long.", False),
        ("The tunnel is long.", False),
    ],
)
def test_agreement_reads_numbers_with_their_units(answer: str, same: bool) -> None:
    question = "How long is the tunnel?"
    for aspects in ((), ("5",), ("5 km",)):
        assert agrees(answer, "The tunnel is 5 km long.", question, aspects) is same, aspects
    assert agrees(answer, "5 km", question) is same


@pytest.mark.parametrize(
    ("answer", "reference", "same"),
    [
        ("1,400,000 people", "1.4 million people", True),
        ("It is 64%.", "64 percent", True),
        ("There are seven.", "7", True),
        ("There are 70.", "7", False),
        ("It was in the 1990s.", "the 1990s", True),
        ("It was in 1990.", "the 1980s", False),
    ],
)
def test_agreement_of_numbers_written_otherwise(answer: str, reference: str, same: bool) -> None:
    assert agrees(answer, reference, "What is it?") is same


def test_agreement_is_none_where_another_number_takes_the_place_of_one() -> None:
    question = "How high is the tower?"
    assert agreement("The tower has a height of 324 metres.", "a height of 324 metres", question) == 1.0
    assert agreement("The tower has a height of 423 metres.", "a height of 324 metres", question) == 0.0
    assert agreement("It opened in 1972.", "It opened in Paris.", "Where did it open in 1969?") == 0.0


def test_agreement_wants_one_number_of_two() -> None:
    question = "When did the bridge open?"
    assert agreement("It opened in 1931 or 1932.", "1931", question) == 0.5
    assert agreement("It opened in 1931 or in 1932.", "The bridge opened in 1931.", question) == 0.5
    assert agreement("It opened in 1931 or 1932.", "1931 or 1932", question) == 1.0
    assert agreement("It opened in 1931 or thereabouts.", "1931", question) == 1.0


def test_agreement_lets_an_answer_say_more() -> None:
    answer = "It was announced in May 2013 and closed in October 2016."
    assert agrees(answer, "May 2013", "When was the closing announced?")


@pytest.mark.parametrize(
    ("answer", "question", "same"),
    [
        ("It was Peyton Manning.", "Who threw it?", True),
        ("It was Manning.", "Who threw it?", True),
        ("It was Eli Manning.", "Who threw it?", False),
        ("It was Peyton.", "Who threw it?", False),
        ("It was Manning.", "Which stadium was it?", False),
    ],
)
def test_agreement_knows_a_person_by_the_family_name(answer: str, question: str, same: bool) -> None:
    reference = "Peyton Manning threw it."
    assert agrees(answer, reference, question, ("Peyton", "Manning")) is same
    assert agrees(answer, "Peyton Manning", question) is same


def test_agreement_knows_abbreviations() -> None:
    assert agrees("It was the UN.", "United Nations", "Which body sent them?")
    assert not agrees("It was the EU.", "United Nations", "Which body sent them?")


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("It is red, white and blue.", 1.0),
        ("Blue, red and white.", 1.0),
        ("It is red and white.", 1 / 3),  # two of three, halved for the third
        ("It is green.", 0.0),
    ],
)
def test_agreement_wants_every_thing_of_a_list(answer: str, value: float) -> None:
    assert agreement(answer, "red, white and blue", "What colours has the flag?") == pytest.approx(value)


@pytest.mark.parametrize(
    ("answer", "reference", "question", "same"),
    [
        ("It does not dissolve in oil.", "It dissolves in oil.", "Where does salt dissolve?", False),
        ("It was not opened on 4 March 1890.", "4 March 1890", OPENED, False),
        ("It is not a metal.", "not a metal", "What is salt?", True),
        ("oil", "Salt does not dissolve in oil.", "What does salt not dissolve in?", True),
        ("Rollo.", "Before Rollo's arrival they did not differ.", "Who came?", True),
        ("It is without windows.", "windows", "What does the house lack?", True),
    ],
)
def test_agreement_is_none_where_one_denies(answer: str, reference: str, question: str, same: bool) -> None:
    assert (agreement(answer, reference, question) > 0) is same


@pytest.mark.parametrize(
    ("answer", "same"),
    [
        ("Venus is hotter than Mercury.", True),
        ("Venus.", True),
        ("Mercury is colder than Venus.", True),
        ("Mercury is hotter than Venus.", False),
        ("Mercury.", False),
        ("Both are equally hot.", False),
    ],
)
def test_agreement_on_a_choice_needs_no_word_that_the_question_has_not(answer: str, same: bool) -> None:
    question = "Which planet is hotter, Venus or Mercury?"
    for aspects in ((), ("Venus",)):
        assert agreement(answer, "Venus is hotter than Mercury.", question, aspects) == float(same)


@pytest.mark.parametrize(
    ("answer", "same"), [("Yes.", True), ("Mercury is a metal.", True), ("No.", False), ("Mercury is no metal.", False)]
)
def test_agreement_on_yes_or_no(answer: str, same: bool) -> None:
    assert agrees(answer, "Mercury is a metal.", "Is mercury a metal?") is same
    assert agrees(answer, "Yes", "Is mercury a metal?") is same


def test_agreement_on_a_choice_that_only_the_aspects_tell() -> None:
    question = "Which player was born first, Lucie Hradecká or Raffaella Reggi?"
    reference = "Lucie Hradecká was born in 1985. Raffaella Reggi was born in 1965."
    assert agrees("Raffaella Reggi.", reference, question, ("Raffaella", "Reggi"))
    assert not agrees("Lucie Hradecká.", reference, question, ("Raffaella", "Reggi"))


def test_agreement_is_general_where_a_choice_cannot_be_told() -> None:
    question = "Which planet is hotter, Venus or Mercury?"
    assert not agrees("The second planet.", "Venus is hotter than Mercury.", question)


def test_agreement_takes_code_names_whole() -> None:
    question, reference = "Which method joins strings?", "The method str.join joins strings."
    assert agrees("Use `str.join`.", reference, question, ("str.join",))
    assert not agrees("Use `str.joiner`.", reference, question, ("str.join",))
    assert not agrees("Use `str.split` to join strings.", reference, question, ("str.join",))


def test_agreement_leaves_out_aspects_that_say_nothing_or_are_asked() -> None:
    reference = "The Stampeders released it."
    assert agrees("The song was released by Stampeders.", reference, "Who released it?", ("The", "Stampeders"))
    assert agrees("It was The Who.", "The Who played it.", "Which band played it?", ("The", "Who"))
    assert not agrees("It was a band.", "The Who played it.", "Which band played it?", ("The", "Who"))
    assert agrees("It is in Scotland.", "in Scotland", "Why is it in Scotland?", ("Scotland",))  # all there is to say
    asked = "Which songs of Eleanor Rigby are there?"
    assert agrees("They are In My Life.", "In My Life and Eleanor Rigby.", asked, ("Life", "Rigby"))


@pytest.mark.parametrize(("answer", "same"), [("首都は東京です。", True), ("首都は大阪です。", False), ("東京", True)])
def test_agreement_in_a_script_without_spaces(answer: str, same: bool) -> None:
    assert agrees(answer, "東京", "日本の首都はどこですか？") is same


def test_agreement_takes_any_text() -> None:
    rng = random.Random(1)
    pieces = "ab 1 2.5 , ( \" ' \n é 東 ? or and not 12 March 1990 Mercury the km % \ud800 \0 ` Is than".split(" ")
    for _ in range(300):
        answer, reference, question, aspect = (" ".join(rng.choices(pieces, k=rng.randrange(9))) for _ in range(4))
        for aspects in ((), (aspect,), (aspect, "1990")):
            assert 0.0 <= agreement(answer, reference, f"{question}?", aspects) <= 1.0
        assert fits_question(question, answer) in (True, False)


def test_agreement_missing_aspects() -> None:
    said = "The tower was built in 1889 by Gustave Eiffel."
    wanted = ("1889", "Gustave Eiffel", "Paris", "1887", "built by Eiffel for a fair")
    assert missing_aspects(wanted, said) == ("Paris", "1887")
    assert missing_aspects((), said) == ()


def test_agreement_reads_a_bare_figure_in_the_reference() -> None:
    assert missing_aspects(("2",), "It uses MPEG-5 in 2 parts.", reference="It uses MPEG-2.") == ("2",)
    assert missing_aspects(("1990",), "It was in the 1990s.", reference="It rose since the 1990s.") == ()
    assert missing_aspects(("3", "08"), "3:08.", reference="With 3:08 left they scored.") == ()


def test_agreement_unasked() -> None:
    assert unasked(("Rhine", "1,230 km", "The"), "How long is the Rhine?") == ("1,230 km", "The")


def test_agreement_new_stems() -> None:
    assert new_stems("The bridge opened in 1890.", "When did the bridge open?") == ["1890"]


# Answers that the default writer gave in real runs, read beside the reference by a person.
REAL = [
    ("Ray was released on October 29, 2004.", "The film Ray was released on March 1962.",
     "When was the film Ray released?", ("October", "29", "2004"), False),
    ("Ray was released on October 29, 2004.", "The film Ray was released in theaters on October 29, 2004.",
     "When was the film Ray released?", ("October", "29", "2004"), True),
    ("The Ionic temple of Apollo Didymaios was located near Miletus.",
     "The Ionic temple of Apollo Didymaios was located in Cyrene, Libya.",
     "Where was the Ionic temple of Apollo Didymaios located?", ("Miletus",), False),
    ("The French National Gendarmerie was involved in the brief civil disorder in Andorra.",
     "The military force involved in the brief civil disorder in Andorra was the French National Gendarmerie.",
     "Which military force was involved in the brief civil disorder in Andorra?",
     ("French", "National", "Gendarmerie"), True),
    ("In November 2010 the Azerbaijani carpet was proclaimed a Masterpiece of Intangible Heritage by UNESCO.",
     "The Azerbaijani carpet was declared a Masterpiece of Intangible Heritage by UNESCO on November 2010.",
     "When was the Azerbaijani carpet declared a Masterpiece of Intangible Heritage by UNESCO?",
     ("November", "2010"), True),
    ('The label number of the song "Here We Go Again" is ABC/TRC 10938.',
     'The label number of the song "Here We Go Again" is 2010.',
     'What is the label number of the song "Here We Go Again"?', ("TRC", "10938"), False),
    ("Charles's recording hit number one for two weeks on the Billboard Hot 100.",
     'The song "Here We Go Again" by Ray Charles charted at number one for two weeks on the Hot Country Songs chart.',
     "Which chart did Charles's recording hit number one for two weeks?", ("Billboard", "Hot", "100"), False),
    ("Together Again was released in 1965.", "Together Again was released on April 4, 1964.",
     "When was Together Again released?", ("1965",), False),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "answer", "question", "aspects", "right"), REAL)
def test_agreement_on_real_answers(
    reference: str, answer: str, question: str, aspects: tuple[str, ...], right: bool
) -> None:
    assert agrees(answer, reference, question, aspects) is right


@pytest.mark.data
@pytest.mark.parametrize(
    ("gold", "precision", "recall"), [("xquad_en.jsonl", 0.985, 0.97), ("selqa_dev.jsonl", 0.96, 0.99)]
)
def test_agreement_holds_on_pairs_made_from_gold_answers(
    gold: str, precision: float, recall: float, shared_data: Path
) -> None:
    rows = [json.loads(line) for line in (shared_data / "gold" / gold).read_text(encoding="utf-8").splitlines()[::3]]
    judged = [
        (pair.right, agreement(pair.answer, pair.reference, pair.question, pair.aspects) >= MIN_AGREEMENT)
        for pair in pairs(rows)
    ]
    hits = sum(right and said for right, said in judged)
    assert hits / sum(said for _, said in judged) >= precision
    assert hits / sum(right for right, _ in judged) >= recall

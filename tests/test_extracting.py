"""drzero.loop.extracting: a reader without a model, behind the seam of a writer."""

from __future__ import annotations

import math

import pytest

from drzero.loop import prompts
from drzero.loop.extracting import FLOOR, Extractor, best_reading, kind_of, read
from drzero.loop.solve import is_abstention, recall, solve
from drzero.types import Chunk, Passage

BRIDGE = (
    "Forth Bridge",
    "The Forth Bridge crosses the Firth of Forth. The plans were drawn by John Fowler. "
    "The bridge was opened on 4 March 1890. It was built with 53,000 tonnes of steel because iron is weak.",
)
SALT = ("Salt", "Table salt consists mainly of sodium chloride. It tastes salty.")
PASSAGES = (BRIDGE, SALT)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who drew the plans of the Forth Bridge?", "The plans were drawn by John Fowler."),
        ("When was the Forth Bridge opened?", "The bridge was opened on 4 March 1890."),
        ("What does table salt mainly consist of?", "Table salt consists mainly of sodium chloride."),
        ("How many tonnes of steel was the Forth Bridge built with?",
         "It was built with 53,000 tonnes of steel because iron is weak."),
    ],
)  # fmt: skip
def test_extracting_the_sentence_that_answers(question: str, answer: str) -> None:
    found = read(question, PASSAGES)
    assert found is not None
    assert found.text == answer
    assert FLOOR <= found.score <= 1.0


@pytest.mark.parametrize(
    "question",
    ["How do I compost kitchen scraps?", "When was the Golden Gate Bridge opened?", "Who swims?", "?", ""],
)
def test_extracting_abstains_where_the_passages_do_not_answer(question: str) -> None:
    prompt = prompts.read(question, PASSAGES)
    assert Extractor().complete(prompt).text == prompts.NOT_FOUND


def test_extracting_is_surer_the_more_speaks_for_it() -> None:
    sure = Extractor().yes_no(prompts.sure(prompts.read("What does table salt mainly consist of?", PASSAGES), "x"))
    unsure = Extractor().yes_no(prompts.sure(prompts.read("Is the bridge of salt?", PASSAGES), "x"))
    assert unsure < sure <= 3.8 - 1.0
    assert Extractor().yes_no(prompts.judge("a", "b")) == -math.inf


def test_extracting_has_no_context_to_fill_and_knows_nothing_by_heart() -> None:
    long = [("Title", "word " * 50_000)] * 5
    assert Extractor().room(prompts.read("Which word?", long)) > 100_000
    assert recall("When was the Forth Bridge opened?", Extractor()) == ""
    assert is_abstention(Extractor().complete(prompts.judge("a", "b")).text)


def test_extracting_chance_has_no_part_in_it() -> None:
    prompt = prompts.read("When was the Forth Bridge opened?", PASSAGES)
    said = {Extractor().complete(prompt, seed=seed, temperature=seed / 4).text for seed in range(4)}
    assert said == {"The bridge was opened on 4 March 1890."}


def test_extracting_solves_as_a_writer_does() -> None:
    given = [
        Passage(Chunk(f"c{n}", "z", f"p{n}", title, (), text, 0, len(text)), 1.0, n, "i")
        for n, (title, text) in enumerate(PASSAGES)
    ]
    solution = solve("What does table salt mainly consist of?", given, Extractor())
    (claim,) = solution.answer.claims
    assert (claim.text, claim.citations[0].quote) == (SALT[1].split(".")[0] + ".",) * 2
    assert solution.answer.confidence > 0.85
    assert solution.well_formed
    assert solve("Who swims?", given, Extractor()).answer.abstained


def test_extracting_prefers_the_better_ranked_of_equals() -> None:
    one, other = ("Salt", "Salt is white."), ("Salt", "Salt is white and dry.")
    first = best_reading("What is salt?", [one, other])
    assert first is not None
    assert first.text == "Salt is white."


def test_extracting_takes_no_sister_for_her_brother() -> None:
    kin = ("Ray Charles", "Sheila Raye died of cancer in 2017. The singer Ray Charles died at home in 2004.")
    found = best_reading("When did Ray Charles die?", [kin])
    assert found is not None
    assert found.text == "The singer Ray Charles died at home in 2004."


def test_extracting_gives_no_question_as_an_answer() -> None:
    found = best_reading("Why is salt white?", [("Salt", "Why is salt white? Because salt scatters light.")])
    assert found is not None
    assert found.text == "Because salt scatters light."


@pytest.mark.parametrize(
    ("question", "text", "fits"),
    [
        ("When did it open?", "It opened in 1890.", True),
        ("When did it open in 1890?", "It opened in 1890.", False),
        ("In which year did it open?", "It opened.", False),
        ("How many spans has it?", "It has two spans.", True),
        ("How many spans has it?", "It has spans.", False),
        ("Who built it?", "It was built by John Fowler.", True),
        ("By whom was it built?", "It was built in March.", False),
        ("Where is it?", "It is in Scotland.", True),
        ("Where is it?", "Scotland has it.", False),
        ("Why is it red?", "It is red because of rust.", True),
        ("Why is it red?", "It is red.", False),
        ("What is it?", "A bridge.", True),
        ("What is a bridge?", "A bridge.", False),
    ],
)
def test_extracting_the_kind_of_thing_that_is_asked_for(question: str, text: str, fits: bool) -> None:
    assert kind_of(question)(question, text) is fits


ROW = "Genius Hits (1960) | Yes Indeed (1961) | Modern Sounds (1962)"


def test_extracting_a_row_of_a_chronology_is_no_sentence() -> None:
    assert best_reading("When was Yes Indeed released?", [("Yes Indeed", ROW)]) is None
    kept = best_reading(
        "When was Yes Indeed released?", [("Yes Indeed", "Yes Indeed (an album) came out in May 1961.")]
    )
    assert kept is not None
    assert kept.text == "Yes Indeed (an album) came out in May 1961."
    one = best_reading("What does a | b give in Ada?", [("Ada", "In Ada a | b gives both sets (2012).")])
    assert one is not None
    assert one.text.startswith("In Ada")


def test_extracting_an_answer_to_a_choice_names_both() -> None:
    question = 'Which album was released earlier, "Yes Indeed" or "Genius Hits"?'
    alone, both = (
        "Yes Indeed was released earlier, in 1958.",
        "The album Yes Indeed was released earlier than Genius Hits.",
    )
    one = best_reading(question, [("Ray Charles", alone)])
    assert one is not None
    assert one.score < FLOOR
    two = best_reading(question, [("Ray Charles", alone), ("Ray Charles", both)])
    assert two is not None
    assert two.text == both
    assert two.score >= FLOOR


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("Genius Hits", "Label: ABC Records."),
        ("venv — Environments › EnvBuilder.upgrade", "New in version 3.8."),
        ("decimal — Numbers › decimal.shift", "Return the shifted copy of a number."),
    ],
)
def test_extracting_fragments_count_half(place: str, text: str) -> None:
    question = f"What of {place} {text}"
    whole = f"It is known that {text[0].lower()}{text[1:]}"
    part, all_of_it = best_reading(question, [(place, text)]), best_reading(question, [(place, whole)])
    assert part is not None
    assert all_of_it is not None
    assert part.score < 0.65
    assert part.score < all_of_it.score or all_of_it.score < 0.65

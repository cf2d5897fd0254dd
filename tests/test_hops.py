"""drzero.loop.hops: two articles, one of which says who or what the other's subject is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drzero.loop.drafts import Draft
from drzero.loop.hops import Hop, composed, describe, find_hops
from drzero.loop.seeds import find_seeds
from drzero.profiles import load_profile
from drzero.types import Chunk
from tests.fakes import ScriptedLLM

FACTUAL = load_profile("wikipedia").type("factual")


def chunk(title: str, text: str) -> Chunk:
    return Chunk(title, "z", title.replace(" ", "_"), title, (), text, 0, len(text))


NEAR = chunk("Forth Bridge", "It is long. The Forth Bridge was designed by John Fowler of Sheffield and by others.")
FAR = chunk("John Fowler (engineer)", "John Fowler was buried at Brompton Cemetery after a long illness.")
TOLD = "The Forth Bridge was designed by John Fowler of Sheffield and by others."
HOP = Hop(NEAR, TOLD, "John Fowler", find_seeds(FAR, FACTUAL)[0])


def test_hops_go_from_a_sentence_that_names_a_linked_title_to_a_fact_of_it() -> None:
    assert list(find_hops(NEAR, [FAR], FACTUAL)) == [HOP]
    assert HOP.seed.answer == "Brompton Cemetery"


@pytest.mark.parametrize(
    "far",
    [
        chunk("Benjamin Baker", "Benjamin Baker was buried in the village of Idbury near Oxford."),  # not named
        chunk("Forth Bridge", FAR.text),  # the same article
        chunk("Bridge", "Bridge was buried at Brompton Cemetery after a long illness."),  # of its own title
        chunk("John Fowler", "John Fowler was a man of the city of Sheffield in England."),  # answer is told already
        chunk("John Fowler", "His grave is at Brompton Cemetery in the city of London."),  # does not name him
        chunk("John Fowler", "Short."),
    ],
)
def test_hops_need_a_name_and_a_fact_that_the_near_sentence_does_not_tell(far: Chunk) -> None:
    found = [hop for hop in find_hops(NEAR, [far], FACTUAL) if hop.seed.answer in ("Brompton Cemetery", "Sheffield")]
    assert found == []


@pytest.mark.parametrize(
    ("written", "description"),
    [
        ("the man of Sheffield who designed the Forth Bridge", "the man of Sheffield who designed the Forth Bridge"),
        ("The designer of the Forth Bridge.", "the designer of the Forth Bridge"),
        ("John Fowler, who designed the Forth Bridge", ""),  # names it
        ("the Fowler of the Forth Bridge", ""),
        ("the designer", ""),  # of what?
        ("designed the Forth Bridge", ""),  # no thing
        ("the knight who built railways in Egypt and designed the Forth Bridge", ""),  # the sentence says no such thing
        ("the " + "very " * 20 + "old designer of the Forth Bridge", ""),
    ],
)
def test_hops_describe_in_words_of_the_sentence_without_the_name(written: str, description: str) -> None:
    assert describe(HOP, ScriptedLLM([written])) == description


def test_hops_ask_for_a_description_with_article_sentence_and_name() -> None:
    llm = ScriptedLLM(["the designer of the Forth Bridge"])
    describe(HOP, llm)
    assert llm.prompts[0].name == "describe/1"
    assert llm.prompts[0].messages[-1] == (
        "user",
        f"Article: Forth Bridge\nSentence: {HOP.sentence}\nName: John Fowler",
    )
    assert llm.prompts[0].shared == len(llm.prompts[0].messages) - 1


ASKED = Draft("Where was John Fowler buried?", "", "factual", (FAR,), (FAR.text,), "Brompton Cemetery")


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("Where was John Fowler buried?", "Where was the designer of the Forth Bridge buried?"),
        ("Where is John Fowler's grave?", "Where is the designer of the Forth Bridge's grave?"),
        ("Where was Sir John buried?", None),  # another form of the name
        ("Where was John Fowler, or Fowler, buried?", None),
        ("Where was John Fowler buried, and why was John Fowler ill?", None),
    ],
)
def test_hops_compose_by_the_description_in_place_of_the_name(question: str, whole: str | None) -> None:
    made = composed(replace(ASKED, question=question), HOP, "the designer of the Forth Bridge")
    assert (made.question if made else None) == whole
    if made:
        assert (made.gold, made.evidence) == ((NEAR, FAR), (HOP.sentence, FAR.text))
        assert made.span == "Brompton Cemetery"

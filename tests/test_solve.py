"""drzero.loop.solve: packing, abstaining, and citations found by code."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drzero.errors import SettingsError
from drzero.loop import prompts
from drzero.loop.solve import MAX_CLAIMS, cite, gather, is_abstention, pack, recall, solve, tidy
from drzero.text import is_made_of
from drzero.types import Chunk, Passage
from tests.fakes import ScriptedLLM


def passage(number: int, text: str, title: str = "", heading: tuple[str, ...] = ()) -> Passage:
    title = title or f"Title {number}"
    return Passage(Chunk(f"c{number}", "z", f"P{number}", title, heading, text, 10, 10 + len(text)), 1.0, number, "i")


SALT = passage(1, "Table salt consists mainly of sodium chloride. It tastes salty.", "Salt")
BRIDGE = passage(2, "The bridge opened in 1931. Two trains cross it each hour.", "Bridge", ("History",))


def test_solve_cites_the_sentence_that_covers_the_claim() -> None:
    llm = ScriptedLLM(["The bridge opened in 1931."], judge=lambda _: 0.0)
    solution = solve("When did the bridge open?", [SALT, BRIDGE], llm, queries=("q",))
    (claim,) = solution.answer.claims
    (citation,) = claim.citations
    assert (citation.n, citation.path, citation.quote) == (2, "P2", "The bridge opened in 1931.")
    assert (citation.start, citation.end) == (10, 36)
    assert solution.answer.confidence == 0.5
    assert solution.steps == 3
    assert solution.well_formed


@pytest.mark.parametrize("said", ["Not found.", "not found", '"Not found."', ""])
def test_solve_abstains_in_the_fixed_words(said: str) -> None:
    solution = solve("Who?", [SALT], ScriptedLLM([said]))
    assert solution.answer.abstained
    assert solution.answer.claims == ()


def test_solve_without_passages_abstains_without_asking_the_writer() -> None:
    llm = ScriptedLLM()
    assert solve("Who?", [], llm).answer.abstained
    assert llm.prompts == []


def test_solve_packs_what_fits_and_drops_the_weakest() -> None:
    long = [passage(n, "word " * 300) for n in range(1, 9)]
    llm = ScriptedLLM(context_tokens=1200)
    kept = pack("Which word?", long, llm, most=8)
    assert [one.rank for one in kept] == list(range(1, len(kept) + 1))
    assert 1 <= len(kept) < 8
    assert llm.room(prompts.read("Which word?", [(p.chunk.title, p.chunk.text) for p in kept])) >= 96


def test_solve_says_so_when_not_even_one_passage_fits() -> None:
    with pytest.raises(SettingsError, match="no room"):
        pack("Which word?", [passage(1, "word " * 3000)], ScriptedLLM(context_tokens=2048), most=5)


def test_solve_gathers_each_passage_once_over_several_queries() -> None:
    asked: list[str] = []

    def retrieve(query: str, _: int) -> list[Passage]:
        asked.append(query)
        return [SALT] if len(asked) == 1 else [SALT, BRIDGE]

    passages, queries = gather("When did the Salt Bridge open?", retrieve, k=5, searches=3)
    assert [one.chunk.id for one in passages] == ["c1", "c2"]
    assert queries == tuple(asked) == ("When did the Salt Bridge open?", "Salt Bridge", "salt bridg open")


def test_solve_cite_takes_two_sentences_when_both_are_needed() -> None:
    text = "Ada Lovelace wrote notes on the engine. They were printed in 1843 by Taylor. Nothing else is known."
    (citation,) = cite(
        "Lovelace's notes on the engine were printed in 1843 by Taylor.", [passage(1, text, "Ada Lovelace")]
    )
    assert citation.quote == "Ada Lovelace wrote notes on the engine. They were printed in 1843 by Taylor."


def test_solve_cite_finds_nothing_for_foreign_words() -> None:
    assert cite("Compost needs air.", [SALT, BRIDGE]) == ()


def test_solve_cite_prefers_the_better_ranked_of_equals() -> None:
    again = passage(3, SALT.chunk.text, "Salt")
    (citation,) = cite("Table salt consists of sodium chloride.", [SALT, again])
    assert citation.n == 1


def test_solve_tidy_drops_an_unfinished_sentence_and_extra_ones() -> None:
    assert tidy("It opened\nin 1931.  Then it was pain", cut=True) == "It opened in 1931."
    assert tidy("One. Two. Three. Four.") == "One. Two. Three."
    assert tidy("No end") == "No end"


FOUR_ENDS = "書は何。 “Go.” (see p. 3.) What? … won. 」 … won. (see p. 3.) It is. U.S."
PIECES = (
    "A.", "(see p. 3.)", "No. 1.", "It is.", "“Go.”", "e.g.", "… won.", "(see p.", "Dr.", "1.", "It won!", "What?",
    "9 a.m.", "書は何。", "」", "U.S.", "is", "!",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map(" ".join), st.sampled_from(("en", "de", "ja")))
@example(FOUR_ENDS, "en")
def test_solve_every_word_of_an_answer_is_in_a_claim(said: str, language: str) -> None:
    answer = solve("Who?", [SALT], ScriptedLLM([said]), language=language).answer
    assert is_made_of(answer.text, [claim.text for claim in answer.claims])


def test_solve_a_fourth_sentence_that_joining_made_is_a_claim_too() -> None:
    assert tidy(FOUR_ENDS) == "書は何。 “Go.” (see p. 3.) What? … won. 」 … won. (see p."
    claims = solve("Who?", [SALT], ScriptedLLM([FOUR_ENDS])).answer.claims
    assert len(claims) == MAX_CLAIMS + 1
    assert claims[-1].text == "(see p."


def test_solve_recall_is_empty_for_an_abstention() -> None:
    assert recall("Who?", ScriptedLLM(["Not found."])) == ""
    assert recall("Who?", ScriptedLLM(["It was Ada."])) == "It was Ada."


def test_solve_is_abstention() -> None:
    assert is_abstention("Not found in the passages.")
    assert not is_abstention("The word is Not.")

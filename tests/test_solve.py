"""drzero.loop.solve: packing, abstaining, and citations found by code."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drzero.errors import SettingsError
from drzero.loop import prompts
from drzero.loop.queries import Gathered
from drzero.loop.solve import (
    MAX_CLAIMS,
    RELEVANCE_FLOOR,
    in_its_case,
    is_abstention,
    pack,
    recall,
    relevance,
    solve,
    suitable,
    tidy,
)
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


def room_left(llm: ScriptedLLM, kept: list[Passage], answer: str = "") -> int:
    """Tokens left when the writer is asked about an answer from these."""
    reading = prompts.read("Which word?", [(p.chunk.title, p.chunk.text) for p in kept])
    return llm.room(prompts.sure(reading, answer))


@pytest.mark.parametrize("context_tokens", [700, 1200, 2048])
def test_case_d01_solve_packs_what_fits_and_drops_the_weakest(context_tokens: int) -> None:
    long = [passage(n, "word " * 300) for n in range(1, 9)]
    llm = ScriptedLLM(context_tokens=context_tokens)
    kept = pack("Which word?", long, llm, most=8)
    assert [one.rank for one in kept] == list(range(1, len(kept) + 1))
    assert 1 <= len(kept) < 8
    assert room_left(llm, kept) >= 96 > room_left(llm, long[: len(kept) + 1]) - 8


def test_case_d01_solve_asks_about_an_answer_of_any_length_that_it_may_have() -> None:
    """A prompt that leaves room for the answer alone has none for being asked whether it is sure."""
    for context_tokens in range(500, 560):
        llm = ScriptedLLM([" ".join(["word"] * 96)], context_tokens=context_tokens)
        solution = solve("Which word?", [passage(1, "word " * 100)] * 3, llm)
        assert min(llm.room(prompt) for prompt in llm.prompts) >= 1
        assert solution.dropped == 3 - len(solution.passages)


def test_case_d01_solve_passes_over_a_single_passage_that_is_too_long() -> None:
    given = [passage(1, "word " * 3000), SALT, BRIDGE]
    kept = pack("Which word?", given, ScriptedLLM(context_tokens=2048), most=5)
    assert kept == [SALT, BRIDGE]


def test_case_d01_solve_counts_what_was_dropped_and_cannot_cite_it() -> None:
    given = [passage(n, "The word is salt. " + "word " * 400) for n in range(1, 9)]
    solution = solve("Which word?", given, ScriptedLLM(["The word is salt."], context_tokens=1100), most=8)
    assert (len(solution.passages), solution.dropped) == (2, 6)
    assert [citation.n for claim in solution.answer.claims for citation in claim.citations] == [1]


def test_solve_passages_beyond_those_wanted_are_not_dropped_for_want_of_room() -> None:
    assert solve("Which word?", [SALT] * 9, ScriptedLLM(["Salt."]), most=2).dropped == 0


def test_case_d01_solve_says_so_when_not_even_one_passage_fits() -> None:
    with pytest.raises(SettingsError, match=r"no room for a single passage: raise models\.context_tokens"):
        pack("Which word?", [passage(1, "word " * 3000)], ScriptedLLM(context_tokens=2048), most=5)


@pytest.mark.parametrize(("log_odds", "confidence"), [(math.nan, 0.0), (math.inf, 1.0), (-800.0, 0.0), (0.0, 0.5)])
def test_solve_confidence_is_a_probability_whatever_the_writer_gives(log_odds: float, confidence: float) -> None:
    llm = ScriptedLLM(["It tastes salty."], judge=lambda _: log_odds)
    assert solve("How does it taste?", [SALT], llm).answer.confidence == confidence


def test_case_e05_solve_reads_what_has_words_of_what_it_was_found_for() -> None:
    """What a follow-up found is measured by the follow-up: it may have few words of the question."""
    mills = passage(3, "General Mills is headquartered in Minnesota.", "General Mills")
    asked, follow = "In which state is the manufacturer of Bisquick?", "General Mills state"
    found = Gathered((SALT, mills, mills), (asked, follow), (asked, follow, asked))
    assert suitable(found) == [mills]
    assert relevance(asked, mills) < RELEVANCE_FLOOR <= relevance(follow, mills)


def test_solve_reads_the_first_passage_whose_title_the_question_names_whatever_words_it_has() -> None:
    row = passage(1, "Largestcity: Anchorage", "Alaska")
    asked = "Which is the largest populated city settlement of Alaska?"
    assert relevance(asked, row) < RELEVANCE_FLOOR
    assert suitable(Gathered((row, row), (asked,), (asked, asked))) == [row]
    other = "Which is the largest populated city settlement of Nebraska?"
    assert suitable(Gathered((row,), (other,), (other,))) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Multiprocessing.get_context() was added in 3.4.", "multiprocessing.get_context() was added in 3.4."),
        ("The method is new.", "The method is new."),
        ("multiprocessing.get_context() is new.", "multiprocessing.get_context() is new."),
        ("", ""),
    ],
)
def test_solve_a_code_name_has_no_capital_of_its_sentence(text: str, told: str) -> None:
    assert in_its_case(text, "In which version was multiprocessing.get_context() added?") == told


def test_solve_tidy_drops_an_unfinished_sentence_and_extra_ones() -> None:
    assert tidy("It opened\nin 1931.  Then it was pain", cut=True) == "It opened in 1931."
    assert tidy("One. Two. Three. Four.") == "One. Two. Three."
    assert tidy("No end") == "No end"


def test_solve_a_stop_within_a_name_of_code_ends_no_sentence() -> None:
    assert tidy("ssl.HAS_ECDH was added in 3.3. It is True.") == "ssl.HAS_ECDH was added in 3.3. It is True."
    claims = solve("What?", [SALT], ScriptedLLM(["types.NoneType was added in 3.10."])).answer.claims
    assert [claim.text for claim in claims] == ["types.NoneType was added in 3.10."]
    assert tidy("書は何。絵は何。") == "書は何。絵は何。"


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

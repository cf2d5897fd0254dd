"""drzero.loop.telling: what passages state, told in answer to a question."""

from __future__ import annotations

import pytest

from drzero.loop.stated import stated
from drzero.loop.telling import claim_of, told
from drzero.types import Chunk

RAY = (
    "Ray (film)",
    "Ray is a 2004 film about a musician.\nDirected by: Taylor Hackford\nRelease date: October 29, 2004\n"
    "Running time: 152 minutes",
)
HACKFORD = (
    "Taylor Hackford",
    "Taylor Hackford is an American film director.\nBorn: December 31, 1944\nAlma mater: USC College",
)
YES = ("Yes Indeed!", "Studio album by Ray Charles\nReleased: October 1958\nLength: 30:00\nLabel: Atlantic")
GENIUS = ("Genius Hits", "Studio album by Ray Charles\nReleased: July 1960\nLength: 38:00\nLabel: ABC")


def test_telling_one_fact() -> None:
    assert told("Who directed the film Ray?", [RAY]) == ('The film "Ray" was directed by Taylor Hackford.', 1.0)


@pytest.mark.parametrize("given", [[YES, GENIUS], [GENIUS, YES]])
@pytest.mark.parametrize("names", [("Yes Indeed!", "Genius Hits"), ("Genius Hits", "Yes Indeed!")])
def test_telling_two_facts_that_are_compared_the_first_first(
    given: list[tuple[str, str]], names: tuple[str, str]
) -> None:
    one, other = (f"the release of the album {name} by Ray Charles" for name in names)
    assert told(f"Which came first, {one} or {other}?", given) == (
        'The album "Yes Indeed!" by Ray Charles was released in October 1958, '
        'and the album "Genius Hits" by Ray Charles was released in July 1960, '
        'so the release of the album "Yes Indeed!" by Ray Charles came first.',
        1.0,
    )


def test_telling_a_choice_is_told_with_what_follows() -> None:
    question = 'Which is shorter, the album "Genius Hits" by Ray Charles or the album "Yes Indeed!" by Ray Charles?'
    found = told(question, [GENIUS, YES])
    assert found is not None
    assert found[0].endswith(', so the album "Yes Indeed!" by Ray Charles is shorter.')
    assert "30:00" in found[0]
    assert "38:00" in found[0]


def test_telling_two_facts_that_meet_in_a_name() -> None:
    assert told("When was the director of the film Ray born?", [RAY, HACKFORD]) == (
        'The film "Ray" was directed by Taylor Hackford, and Taylor Hackford was born on December 31, 1944.',
        1.0,
    )


@pytest.mark.parametrize(
    "question",
    [
        "Who directed the film Rio?",  # another subject
        "Who liked the film Ray?",  # another relation
        "Which came first, the release of the album Yes Indeed! or the release of the album Modern Sounds?",
    ],
)
def test_telling_nothing_of_what_is_not_stated(question: str) -> None:
    assert told(question, [RAY, YES, GENIUS]) is None


def test_telling_nothing_where_two_answers_fit_alike() -> None:
    other = ("Ray (film)", "Ray is a 1990 film about a ray.\nDirected by: Jane Doe\nRelease date: May 1, 1990")
    assert told("Who directed the film Ray?", [RAY, other]) is None


def test_telling_a_claim_that_the_checks_would_refuse_is_told_in_the_words_of_the_archive() -> None:
    text = "Single by Eddy Arnold\nReleased: April 1956\nLabel: RCA Victor"
    chunk = Chunk("c", "z", "p", "You don't know me", (), text, 0, len(text))
    by_relation = {fact.relation: claim_of(fact) for fact in stated(chunk)}
    assert by_relation["released"] == "Released: April 1956"


@pytest.mark.parametrize("passages", [[], [("", "")], [("Title", "No fact here.")]])
def test_telling_nothing_of_nothing(passages: list[tuple[str, str]]) -> None:
    assert told("Who directed the film Ray?", passages) is None


def test_telling_a_sentence_that_names_its_subject_needs_no_name_before_it() -> None:
    text = "Anthropology is the study of humans and their societies. Much of anthropology is young."
    chunk = Chunk("c", "z", "p", "Anthropology", (), text, 0, len(text))
    assert [claim_of(fact) for fact in stated(chunk)] == ["Anthropology is the study of humans and their societies."]


def test_telling_nothing_is_told_without_its_subject() -> None:
    """What the checks let nobody say but in the words of the archive, "Released: April 1956", is no answer."""
    knows = ("You Don't Know Me", "Single by Eddy Arnold\nReleased: April 1956\nLabel: RCA Victor")
    cry = ("Cry", "Single by Johnnie Ray\nReleased: October 1951\nLabel: Okeh")
    one, other = 'the single "You Don\'t Know Me" by Eddy Arnold', 'the single "Cry" by Johnnie Ray'
    for question in (f"When was {one} released?", f"Which was released earlier, {one} or {other}?"):
        found = told(question, [knows, cry])
        assert found is None or "You Don't Know Me" in found[0]


def test_telling_a_title_keeps_its_article_in_the_second_clause() -> None:
    great = ("The Great Hits", "Studio album by Ray Charles\nReleased: July 1964\nLength: 38:00\nLabel: ABC")
    one, other = 'the album "Yes Indeed!" by Ray Charles', 'the album "The Great Hits" by Ray Charles'
    found = told(f"Which was released earlier, {one} or {other}?", [YES, great])
    assert found is not None
    assert ", and the great" not in found[0].casefold() or ", and The Great Hits" in found[0]


def test_telling_a_subject_of_common_words_is_named_like_any_other() -> None:
    text = "Single by Connie Francis\nReleased: January 1961 (U.S.)\nLength: 2:28"
    found = told('When was the single "No One" by Connie Francis released?', [("No One (song)", text)])
    assert found is None or "No One" in found[0]


def test_telling_a_row_of_a_table_is_told_as_a_sentence() -> None:
    rows = "\n".join(f"Chart (1987): {name}; Peak position: {at}" for name, at in zip("ABC", (11, 17, 39), strict=True))
    rows = rows.replace(": A;", ": US Rock Tracks;").replace(": B;", ": Dutch Top;").replace(": C;", ": UK Singles;")
    question = (
        'Which peak position did "Unchain My Heart" reach in the chart "Dutch Top" of 1987, listed under "Joe Cocker"?'
    )
    assert told(question, [("Unchain My Heart (song) › Joe Cocker", rows)]) == (
        '"Unchain My Heart" reached the peak position 17 in the chart "Dutch Top" of 1987, listed under "Joe Cocker".',
        1.0,
    )

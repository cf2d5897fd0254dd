"""drzero.loop.facts: what a sentence states."""

from __future__ import annotations

import pytest

from drzero.loop import facts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,000 and 1000", {"1000"}),
        ("two of twelve", {"2", "12"}),
        ("1.4 million people", {"1400000"}),
        ("the 1960s", {"1960"}),
        ("the 3rd of May", {"3"}),
        ("$3.50 or 28.5°E", {"3.5", "28.5"}),
        ("one of the first", set()),
        ("version v3 of abc1", set()),
    ],
)
def test_facts_numbers_have_one_form(text: str, found: set[str]) -> None:
    assert facts.numbers(text) == found


def test_facts_names_leave_out_the_first_word_unless_a_name_follows() -> None:
    assert facts.names("The band met Ray Charles. Ray Charles sang. Singers like SQLite.") == [
        "Ray", "Charles", "Ray", "Charles", "SQLite",
    ]  # fmt: skip
    assert facts.names("Seen in the U.S. Navy's books. I saw him") == ["U.S", "Navy"]


def test_facts_identifiers_are_code_names() -> None:
    text = "Use json.dumps() with sort_keys, e.g. camelCase, --index or @wraps; 3.5 of the U.S. files"
    assert facts.identifiers(text) == {"json.dumps", "sort_keys", "camelCase", "--index", "@wraps"}


@pytest.mark.parametrize(
    ("text", "count"), [("It did not run.", 1), ("He couldn't, never.", 2), ("They refused to go.", 1), ("It ran.", 0)]
)
def test_facts_negations_are_counted(text: str, count: int) -> None:
    assert facts.negations(text) == count


@pytest.mark.parametrize(
    ("claim", "evidence", "denied"),
    [
        ("He won 17 awards.", "He won 17 awards and never learned to drive.", False),
        ("He learned to drive.", "He won 17 awards and never learned to drive.", True),
        ("He did not win.", "He won 17 awards.", True),
        ("He never learned to drive.", "He won awards, but he did not learn to drive.", False),
    ],
)
def test_facts_denies_looks_at_the_clause_that_is_meant(claim: str, evidence: str, denied: bool) -> None:
    assert facts.denies(claim, evidence) is denied


def test_facts_cover_compares_stems_of_content_words() -> None:
    assert facts.cover("The cats were running", "a cat that runs") == 1.0
    assert facts.cover("cats and dogs", "a cat") == 0.5
    assert facts.cover("it is", "anything") == 1.0


def test_facts_missing_parts_are_named() -> None:
    evidence = "Ray Charles's band toured Georgia in 1960."
    assert facts.missing_names("In 1961 Ray Charles left Georgia for Texas", evidence) == ["Texas"]
    assert facts.missing_numbers("In 1961 it had 2 members", evidence) == ["1961", "2"]
    assert facts.missing_identifiers("Call json.dump or json.load", "json.dump writes") == ["json.load"]

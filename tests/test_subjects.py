"""drzero.encyclopedia.subjects: which articles an entry belongs to, and what they are called."""

from __future__ import annotations

import pytest

from drzero.encyclopedia.subjects import Directory, Subject, subjects_of


@pytest.mark.parametrize(
    ("question", "cited", "subjects"),
    [
        ("Where was he born?", ["Salt", "Pepper", "Pepper"], ("Pepper",)),
        ("Where was he born?", ["Salt", "Pepper"], ("Salt",)),
        ("Which is older, Salt or Pepper?", ["Pepper", "Salt"], ("Pepper", "Salt")),
        ("Is “Salt (song)” or “Rye” longer?", ["Rye (song)", "Salt (film)"], ("Rye (song)", "Salt (film)")),
        ("Who directed the film Salt?", ["Jane Doe", "Salt", "Jane Doe"], ("Jane Doe", "Salt")),
        ("Is Saltpetre a salt?", ["Chemistry", "Petre"], ("Chemistry",)),
        ("Which is older, Salt or SALT?", ["Salt", "SALT"], ("Salt",)),
        ("What is 塩 made of?", ["海", "塩"], ("海", "塩")),
        ("What is it?", [], ()),
        ("What is it?", ["\u200f", ""], ()),
    ],
)  # fmt: skip
def test_subjects_of_an_entry_the_most_cited_and_those_its_question_names(
    question: str, cited: list[str], subjects: tuple[str, ...]
) -> None:
    assert subjects_of(question, cited) == subjects


def test_subjects_titles_lose_brackets_only_where_nobody_else_is_called_so() -> None:
    directory = Directory(["Together Again (song)", "Mercury (planet)", "Mercury (element)", "mercury", "Salt", "SALT"])
    assert list(directory) == [
        Subject("mercury", "mercury", "mercury", "mercury"),
        Subject("mercury (element)", "mercury-element", "Mercury (element)", "Mercury (element)"),
        Subject("mercury (planet)", "mercury-planet", "Mercury (planet)", "Mercury (planet)"),
        Subject("salt", "salt", "SALT", "SALT"),
        Subject("together again (song)", "together-again", "Together Again", "Together Again (song)"),
    ]
    assert len(directory) == 5


def test_subjects_are_found_by_title_whatever_its_capitals() -> None:
    directory = Directory(["Together Again (song)", "C", "C++"])
    assert directory.subject("together again (Song)") == next(iter(reversed(list(directory))))
    assert directory.subject("Together Again") is None
    one, two = directory.subject("C++"), directory.subject("c")
    assert one
    assert two
    assert (one.slug, two.slug) == ("c-plus-plus", "c")


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("It was sung by Ray Charles in Georgia.", ["ray-charles", "georgia"]),
        ("Georgia lies there, and ray charles sang.", ["ray-charles"]),
        ("The Ray Charles Singers had nothing to do with Georgia Brown.", ["ray-charles-singers", "georgia"]),
        ("He sang “Together Again” and Ray Charles, Ray Charles.", ["together-again", "ray-charles"]),
        ("It was on Mercury (planet).", ["mercury-planet"]),
        ("It was on Mercury.", []),
        ("He had a georgia peach.", []),
        ("", []),
    ],
)
def test_subjects_named_in_running_text(text: str, slugs: list[str]) -> None:
    directory = Directory(
        [
            "Ray Charles",
            "Ray Charles Singers",
            "Georgia",
            "Together Again (song)",
            "Mercury (planet)",
            "Mercury (metal)",
        ]
    )
    assert [subject.slug for subject in directory.named(text)] == slugs

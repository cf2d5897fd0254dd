from __future__ import annotations

import pytest

from drzero.loop.choices import BOTH, asks_yes_or_no, chosen, options, says_yes

HOTTER = "Which planet is hotter, Venus or Mercury?"
PLANETS = ("Venus", "Mercury")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        (HOTTER, PLANETS),
        ("Which is longest, the Rhine, the Danube or the Elbe?", ("Rhine", "Danube", "Elbe")),
        ("In Python, which is faster, a set or a list?", ("set", "list")),
        ("Which is faster in Python, looking up a key or searching a list?", ("looking up a key", "searching a list")),
        ("Who is older, Annie Morton or Terry Richardson?", ("Annie Morton", "Terry Richardson")),
        ("Which of Jonny Craig and Pete Doherty was in more bands?", ("Jonny Craig", "Pete Doherty")),
        ("Between Python and Perl, which is older?", ("Python", "Perl")),
        ("Who won the game between Denver and Dallas?", ("Denver", "Dallas")),
        ("Did Venus or Mars form first?", ("Venus", "Mars")),
        ("Is mercury a solid or a liquid?", ("solid", "liquid")),
        ('Which is older, the album "Just Us" or the album "It, Too"?', ('album "Just Us"', 'album "It, Too"')),
        ("Which rivers of France and Germany are long?", ()),
        ("Which problem consists of both old and new parts?", ()),
        ("What is the difference between let and const in JavaScript?", ()),
        ("What do Paris and Rome have in common, art or food?", ()),
        ("Is it safe or not?", ()),
        ("When should a set or a list be used?", ()),
        ("Which is hotter, Venus or the Venus?", ()),
        ("What is salt?", ()),
        ("", ()),
    ],
)
def test_choices_options(question: str, named: tuple[str, ...]) -> None:
    assert options(question) == named


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("Venus.", "Venus"),
        ("It is Mercury.", "Mercury"),
        ("Venus is hotter than Mercury.", "Venus"),
        ("Compared with Mercury, Venus is hotter.", "Venus"),
        ("Unlike Mercury, Venus is hot.", "Venus"),
        ("Mercury is colder than Venus.", "Venus"),
        ("Mercury is less hot than Venus.", "Venus"),
        ("Mercury is not hotter than Venus.", "Venus"),
        ("Mercury is not colder than Venus.", "Mercury"),
        ("Mercury is hotter than Venus.", "Mercury"),
        ("Both are equally hot.", BOTH),
        ("Venus and Mercury are equally hot.", BOTH),
        ("Venus and Mercury are hotter.", BOTH),
        ("Of Venus and Mercury, Venus is hotter.", "Venus"),
        ("Venus is the hotter planet, Mercury the colder.", "Venus"),
        ("Mercury has 427 degrees. Venus has 464 degrees.", ""),
        ("Mercury has 427 degrees and Venus has 464, so Venus is hotter.", "Venus"),
        ("It is Venus, not Mercury.", "Venus"),
        ("It is Venus or Mercury.", ""),
        ("It is not Mercury.", ""),
        ("Nobody knows.", ""),
        ("", ""),
    ],
)
def test_choices_chosen(text: str, choice: str) -> None:
    assert chosen(text, PLANETS, HOTTER) == choice


def test_choices_chosen_of_three_cannot_be_told_from_a_denial() -> None:
    question = "Which is longest, the Rhine, the Danube or the Elbe?"
    named = options(question)
    assert chosen("The Danube is longer than the Rhine.", named, question) == "Danube"
    assert chosen("The Rhine is not longer than the Danube.", named, question) == ""


def test_choices_of_code_names_are_whole() -> None:
    question = "Which was added earlier, MAP_ADD() or str.format_map()?"
    named = options(question)
    assert named == ("MAP_ADD()", "str.format_map()")
    text = "MAP_ADD() was added in 3.1, and str.format_map() was added in 3.2, so MAP_ADD() was added earlier."
    assert chosen(text, named, question) == "MAP_ADD()"
    assert chosen("str.format_map was added earlier.", named, question) == "str.format_map()"


@pytest.mark.parametrize(
    ("question", "is_one"),
    [
        ("Is mercury a metal?", True),
        ("Does salt dissolve in water?", True),
        ("Is it safe or not?", True),
        ("Is mercury a solid or a liquid?", False),
        ("Is it hot, or is it cold?", False),
        ("What is it?", False),
    ],
)
def test_choices_asks_yes_or_no(question: str, is_one: bool) -> None:
    assert asks_yes_or_no(question) is is_one


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes, it is.", True),
        ("no", False),
        ("Mercury is a metal.", True),
        ("Mercury is not a metal.", False),
        ("It is a metal.", True),
        ("No. 1 of the list is a metal.", None),
        ("Salt is a metal.", None),
        ("Mercury is heavy. It is a metal.", None),
        ("Salt is white.", None),
        ("", None),
    ],
)
def test_choices_says_yes(text: str, yes: bool | None) -> None:
    assert says_yes(text, "Is mercury a metal?") is yes


def test_choices_the_opposite_says_no() -> None:
    assert says_yes("The door was closed.", "Was the door open?") is False
    assert says_yes("The door was not closed.", "Was the door open?") is True

"""drzero.datasets.sides: what shares an article stays together, whatever the order."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from drzero.datasets.sides import Groups, Sides


def grouped(*lines: tuple[str, ...]) -> Groups:
    groups = Groups()
    for keys in lines:
        groups.add(keys)
    return groups


CHAIN = [("article a", "article b"), ("article c", "article d"), ("article b", "article c"), ("article e",)]


def test_sides_groups_hang_together_over_several_articles() -> None:
    groups = grouped(*CHAIN)
    assert len({groups.group(f"article {name}") for name in "abcd"}) == 1
    assert groups.group("article e") not in (None, groups.group("article a"))
    assert groups.group("article z") is None
    assert sorted(lines for _, _, lines in groups.groups()) == [1, 3]
    assert groups.articles == 5


def test_sides_count_articles_and_not_questions() -> None:
    assert grouped(("article a", "question q"), ("article b", "question q")).articles == 2


def test_sides_lines_that_ask_the_same_stay_together() -> None:
    groups = grouped(("article a", "question q"), ("article b", "question q"))
    assert groups.group("article a") == groups.group("article b")


def test_sides_names_do_not_depend_on_the_order_of_lines() -> None:
    names = {tuple(sorted((name, n) for _, name, n in grouped(*order).groups())) for order in (CHAIN, CHAIN[::-1])}
    assert len(names) == 1


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5, 0.9])
def test_sides_test_side_has_its_share_and_never_more(share: float) -> None:
    lines = [(f"article {number}",) for number in range(200)]
    sides = Sides(grouped(*lines), share, seed=3)
    counts = Counter(sides.of_line(keys) for keys in lines)
    assert counts["test"] == round(200 * share)
    assert counts["train"] == 200 - counts["test"]


def test_sides_are_the_same_for_the_same_seed_and_others_for_another() -> None:
    lines = [(f"article {number}",) for number in range(200)]
    shuffled = random.Random(1).sample(lines, len(lines))
    same = [Sides(grouped(*some), 0.3, seed=5) for some in (lines, shuffled)]
    other = Sides(grouped(*lines), 0.3, seed=6)
    told = [[sides.of_line(keys) for keys in lines] for sides in (*same, other)]
    assert told[0] == told[1] != told[2]


def test_sides_a_group_too_large_for_the_test_side_is_for_training() -> None:
    lines = [("article big", f"question {number}") for number in range(9)] + [("article small",)]
    sides = Sides(grouped(*lines), 0.1, seed=0)
    assert {sides.of_line(keys) for keys in lines[:9]} == {"train"}
    assert sides.of_line(lines[9]) == "test"
    assert (sides.count, sides.largest) == (2, 9)


def test_sides_one_group_leaves_nothing_for_testing() -> None:
    sides = Sides(grouped(*CHAIN[:3]), 0.5, seed=0)
    assert {sides.of_line(keys) for keys in CHAIN[:3]} == {"train"}


def test_sides_of_nothing() -> None:
    sides = Sides(Groups(), 0.1, seed=0)
    assert (sides.count, sides.largest, sides.of_article("article a")) == (0, 0, "train")


def test_sides_an_article_only_shown_goes_where_the_test_side_shows_it() -> None:
    lines = [(f"article {number}",) for number in range(10)]
    sides = Sides(grouped(*lines), 0.1, seed=0)
    (tested,) = (keys[0] for keys in lines if sides.of_line(keys) == "test")
    trained = next(keys[0] for keys in lines if sides.of_line(keys) == "train")
    sides.note_shown(["article shown", trained])
    assert sides.of_article("article shown") == "test"
    assert sides.of_article("article elsewhere") == "train"
    assert sides.of_article(trained) == "train"  # it is a source: showing it moves it nowhere
    assert sides.of_article(tested) == "test"

"""drzero.loop.joining: citations that support a claim together, and those it can do without."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.loop.joining import Joined, supported_by


def needs(evidences: Sequence[str], *wanted: str) -> Callable[[tuple[int, ...]], bool]:
    """A judge that finds a claim supported where all these words stand."""
    return lambda places: all(any(word in evidences[place] for place in places) for word in wanted)


@pytest.mark.parametrize(
    ("evidences", "wanted", "joined"),
    [
        (("born 1930",), ("born",), Joined(True, (0,), ())),
        (("born 1930",), ("died",), Joined(False)),
        ((), ("born",), Joined(False)),
        (("", " "), (), Joined(False)),
        (("born 1930", "died 2004"), ("born", "died"), Joined(True, (0, 1), ())),
        (("born 1930", "a singer"), ("born",), Joined(True, (0,), (1,))),
        (("a singer", "born 1930", "a pianist"), ("born",), Joined(True, (1,), (0, 2))),
        # each alone suffices: neither is needless
        (("born 1930", "born in 1930"), ("born",), Joined(True, (0, 1), ())),
        # each could be spared, but not both: the later one is
        (("born", "died 2004", "died in 2004"), ("born", "died"), Joined(True, (0, 1), (2,))),
        # the same ten times counts once
        (("born 1930",) * 10, ("born",), Joined(True, (0,), tuple(range(1, 10)))),
        (("born 1930", "born 1930", "died"), ("born", "died"), Joined(True, (0, 2), (1,))),
        (("", "born"), ("born",), Joined(True, (1,), (0,))),
    ],
)
def test_joining_keeps_what_is_needed(evidences: tuple[str, ...], wanted: tuple[str, ...], joined: Joined) -> None:
    assert supported_by(evidences, needs(evidences, *wanted)) == joined


def test_joining_asks_the_judge_of_all_then_of_each_rest_and_each_alone() -> None:
    asked: list[tuple[int, ...]] = []

    def holds(places: tuple[int, ...]) -> bool:
        asked.append(places)
        return len(asked) == 1

    assert supported_by(("one", "two"), holds) == Joined(True, (0, 1), ())
    assert asked == [(0, 1), (0,), (1,)]


@given(
    st.lists(st.text(st.sampled_from("abcde "), max_size=3), max_size=5), st.text(st.sampled_from("abcde"), max_size=3)
)
def test_joining_what_is_needed_supports_the_claim_and_the_judge_is_asked_little(
    evidences: list[str], wanted: str
) -> None:
    asked: list[tuple[int, ...]] = []

    def holds(places: tuple[int, ...]) -> bool:
        asked.append(places)
        return set(wanted) <= set("".join(evidences[place] for place in places))

    joined = supported_by(evidences, holds)
    assert len(asked) == len(set(asked)) <= 1 + 2 * len(evidences)
    assert sorted((*joined.needed, *joined.needless)) == (list(range(len(evidences))) if joined.supported else [])
    if joined.supported:
        assert set(wanted) <= set("".join(evidences[place] for place in joined.needed))
    for one, other in itertools.combinations(joined.needed, 2):
        assert evidences[one].strip() != evidences[other].strip()

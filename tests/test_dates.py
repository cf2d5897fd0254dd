"""drzero.loop.facts.dates: dates in every order, and a claim's against the evidence's."""

from __future__ import annotations

import time

import pytest

from drzero.loop.facts.dates import Date, date_fault, read_dates


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("on 12 May 1931", ["12 May 1931"]),
        ("on May 12, 1931", ["12 May 1931"]),
        ("on May 12th 1931", ["12 May 1931"]),
        ("on the 12th of May, 1931", ["12 May 1931"]),
        ("on 1931-05-12", ["12 May 1931"]),
        ("on 12 Sept. 1931", ["12 September 1931"]),
        ("in May 1931", ["May 1931"]),
        ("on may 12", ["12 May"]),
        ("in may, when it may rain", ["May"]),
        ("They march in March", ["March"]),
        ("It may be so. May I?", []),
        ("an august man", []),
        ("in August", ["August"]),
        ("on Dec 3", ["3 December"]),
        ("They sat down", []),
        ("12-15 May 1931", ["12 May 1931", "15 May 1931"]),
        ("May 12-15, 1931", ["12 May 1931", "15 May 1931"]),
        ("2 May to 3 June 1931", ["2 May 1931", "3 June 1931"]),
        ("from September 1994 to August 1995", ["September 1994", "August 1995"]),
        ("12 May 44 BC", ["12 May 44"]),
        ("in 1931", []),
    ],
)
def test_dates_are_read_in_every_order(text: str, dates: list[str]) -> None:
    assert [str(date) for date in read_dates(text)] == dates


def test_dates_agree_where_both_state_a_part() -> None:
    whole, month = Date(12, 5, 1931, 0, 0), Date(0, 5, 0, 0, 0)
    assert whole.agrees(month)
    assert whole.has(month)
    assert not month.has(whole)
    assert not whole.agrees(Date(0, 5, 1932, 0, 0))


@pytest.mark.parametrize(
    ("claim", "evidence", "reason"),
    [
        ("born on 12 May 1931", "born on May 12, 1931", None),
        ("born in May 1931", "born on May 12, 1931", None),
        ("born on 12 May 1931", "Born in 1931, on 12 May", None),
        ("born on 13 May 1931", "born on 12 May 1931", "The evidence says 12 May 1931, the claim 13 May 1931."),
        ("born on 12 May 1931", "born in May 1931", "The evidence does not state 12 May 1931."),
        ("born on 12 May 1931", "born long ago", "The evidence does not state 12 May 1931."),
        (
            "born on 7 June 1920",
            "born on 3 May 1920, died on 7 June 1980",
            "The evidence says 3 May 1920, the claim 7 June 1920.",
        ),
        ("in March", "in April", "The evidence says April, the claim March."),
        (
            "He was born in 1980",
            "John (3 May 1920 - 7 June 1980) was a painter",
            "1980 is the year of the death in the evidence, not of the birth.",
        ),
        (
            "His death in 1920",
            "John (1920-1980) was a painter",
            "1920 is the year of the birth in the evidence, not of the death.",
        ),
        ("He was born in 1920", "John (1920-1980) was a painter", None),
        ("He was born in 1920 and died in 1980", "John (1920-1980) was a painter", None),
        ("John (1920-1980) was born", "John (1920-1980) was born", None),
        ("born in 1980", "John (1920-1980) had a son born in 1980", None),
    ],
)
def test_dates_fault_says_what_differs(claim: str, evidence: str, reason: str | None) -> None:
    years = frozenset(int(year) for year in (1931, 1920, 1980) if str(year) in evidence)
    fault = date_fault(claim, evidence, years)
    assert (fault.reason if fault else None) == reason
    assert fault is None or fault.code == "date"


def test_dates_fault_is_a_contradiction_only_where_a_part_differs() -> None:
    differs = date_fault("in May 1931", "in June 1931", frozenset((1931,)))
    absent = date_fault("on 12 May 1931", "nothing", frozenset())
    assert differs is not None
    assert absent is not None
    assert (differs.verdict, absent.verdict) == ("contradicted", "unsupported")


def test_dates_fault_is_quick_on_brackets_without_dates() -> None:
    begun = time.perf_counter()
    assert date_fault("He was born in 1900.", "(" + "1900 " * 4000 + "(1900" + "-" * 20_000, frozenset({1900})) is None
    assert time.perf_counter() - begun < 1

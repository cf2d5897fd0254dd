"""drzero.loop.facts.identifiers: code names, versions and codes."""

from __future__ import annotations

import pytest

from drzero.loop.facts.identifiers import identifier_fault, identifiers, missing_identifiers, mixed_spans, stands_in


def test_identifiers_are_code_names() -> None:
    text = "Use json.dumps() with sort_keys, e.g. camelCase, --index or @wraps; 3.5 of the U.S. files"
    assert identifiers(text) == {"json.dumps", "sort_keys", "camelCase", "--index", "@wraps"}
    assert identifiers("Edit settings.py of 3.11.2 with -v, not McDonald 1.4m") == {"settings.py", "3.11.2", "-v"}


def test_identifiers_stand_whole() -> None:
    assert stands_in("json.load", "call json.load now")
    assert not stands_in("json.load", "call json.loads now")
    assert not stands_in("--in", "pass --index")
    assert missing_identifiers("Call json.dump or json.load", "json.dump writes") == ["json.load"]


def test_identifiers_mixed_words_are_no_numbers() -> None:
    text = "sha256 and E0502 and 12km of Python 3.11.2"
    assert [text[start:end] for start, end in mixed_spans(text)] == ["sha256", "E0502", "3.11.2"]


@pytest.mark.parametrize(
    ("claim", "evidence", "missing"),
    [
        ("It runs while x > 5.", "It runs while x < 5.", ">"),
        ("It runs while x >= 5.", "It runs while x > 5.", ">="),
        ("Use `==` to compare.", "Use `===` to compare.", "=="),
        ("A comment begins with //.", "A comment begins with #.", "//"),
        ("It is written in C++.", "It is written in C.", "C++"),
        ("It is written in C#.", "It is written in C++.", "C#"),
        ("It is written in C.", "It is written in C++.", "C"),
        ("Call json.loads to read.", "Call json.dumps to read.", "json.loads"),
        ("Call json.load to read.", "Call json.loads to read.", "json.load"),
        ("Pass --force.", "Pass --fast.", "--force"),
        ("Pass -f.", "Pass -v.", "-f"),
        ("It raises E0502.", "It raises E0503.", "E0502"),
        ("Edit settings.py.", "Edit setup.py.", "settings.py"),
        ("It needs Python 3.10 now.", "It needs Python 3.1 now.", "3.10"),
        ("It needs Python 3.11.2.", "It needs Python 3.11.3.", "3.11.2"),
        ("The argparse module parses.", "The optparse module parses.", "argparse"),
        ("Call `frobnicate` first.", "Call `prepare` first.", "frobnicate"),
    ],
)
def test_identifiers_that_the_evidence_does_not_have_are_named(claim: str, evidence: str, missing: str) -> None:
    fault = identifier_fault(claim, evidence)
    assert fault is not None
    assert (fault.code, fault.reason) == ("identifier", f"The evidence does not mention {missing}.")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Call json.loads.", "json.loads reads it."),
        ("A rapidly -evolving group.", "A rapidly-evolving group."),
        ("The new method works.", "It works in a new way."),
        ("Sys.argv is read.", "It reads sys.argv."),
        ("It needs Python 3.10 now.", "Python 3.10 is needed."),
        ("The U.S. paid 1.4m.", "The US paid."),
        ("It runs while x > 5.", "It runs while x is greater than 5."),
        ("It runs while x is greater than 5.", "It runs while x > 5."),
        ("It is written in C.", "It is written in C and C++."),
        ("It is written in C++.", "It is written in (C++)."),
    ],
)
def test_identifiers_are_not_seen_where_there_are_none(claim: str, evidence: str) -> None:
    assert identifier_fault(claim, evidence) is None

"""drzero.output_faults: the form of what a writer wrote."""

from __future__ import annotations

import pytest

from drzero.output_faults import output_fault
from drzero.types import Completion

LOOP = "The bridge was opened in 1890 and the bridge was opened in 1890 and the bridge was opened in 1890 and the br"


@pytest.mark.parametrize(
    ("text", "finish", "fault"),
    [
        (None, "stop", "no-text"),
        (b"The bridge opened in 1890.", "stop", "no-text"),
        ({"answer": "1890"}, "stop", "no-text"),
        (3.5, "stop", "no-text"),
        ("It opened in \ufffd\ufffd1890.", "stop", "garbled"),
        ("It opened\x00 in 1890.", "stop", "garbled"),
        ("It opened in \ud800 1890.", "stop", "garbled"),
        ("\x1b[31mIt opened in 1890.", "stop", "garbled"),
        ("", "stop", "empty"),
        ("", "length", "empty"),
        (" \n\t", "stop", "empty"),
        ('"..."', "stop", "empty"),
        ("\u200b", "stop", "empty"),
        ("```\nIt opened in 1890.\n```", "stop", "fenced"),
        (" ~~~ It opened.", "stop", "fenced"),
        ("<think> The user asks", "length", "fenced"),
        ("<|assistant|> It opened in 1890.", "stop", "fenced"),
        ('{"answer": "It opened in 1890."}', "stop", "structured"),
        ("[1, 2, 3]", "stop", "structured"),
        ("null", "stop", "structured"),
        (" true ", "stop", "structured"),
        (LOOP, "length", "endless"),
        ("橋は1890年に開通した、" * 4, "length", "endless"),
        ("no no no no no no no no no no", "length", "endless"),
        ("Bridges. Bridges. Bridges. Bridges. Bridges. ", "length", "endless"),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "length", "endless"),
        ("The bridge, which was opened by the", "length", "cut"),
        ("Which bridge was opened in the year that", "length", "cut"),
    ],
)
def test_output_faults_each_fault_has_a_name(text: object, finish: str, fault: str) -> None:
    assert output_fault(text, finish) == fault


@pytest.mark.parametrize(
    ("text", "finish"),
    [
        ("The bridge opened in 1890.", "stop"),
        ("The bridge opened in 1890. It was built by", "length"),  # the first sentence can be kept
        ("The bridge opened in 1890", "stop"),
        ("1890", "stop"),
        ('"The bridge opened in 1890."', "stop"),
        ("橋は1890年に開通した。それは", "length"),
        ("Call `len(a)`; a[0] is {} there.", "stop"),
        ("{} is an empty dictionary in Python.", "stop"),
        ("The method returns ```None```.", "stop"),
        ("Not found.", "stop"),
        ("Ha ha ha.", "length"),
        (LOOP, "stop"),  # it ended by itself, so that the checks of what it says may speak
        ("Ein Fluß\tin Köln\n", "stop"),
        ("Wie heißt die Brücke 👩‍🚀?", "stop"),
    ],
)
def test_output_faults_what_can_be_read_has_no_fault(text: str, finish: str) -> None:
    assert output_fault(text, finish) == ""


def test_output_faults_deep_brackets_are_no_recursion_error() -> None:
    assert output_fault("[" * 100_000, "stop") == "empty"
    assert output_fault("[" * 100_000 + "1", "stop") == ""


def test_output_faults_a_completion_knows_its_fault() -> None:
    assert Completion("```py", "stop", 1, 1, 0.0).fault == "fenced"
    assert Completion("It opened in 1890.", "stop", 1, 1, 0.0).fault == ""
    assert Completion("It opened in", "length", 1, 1, 0.0).fault == "cut"

"""Whether an answer can be read without its question."""

from __future__ import annotations

import pytest

from drzero.loop.standing import is_whole


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("The Forth Bridge was opened in 1890.", "When was the Forth Bridge opened?"),
        ("Locale.localize was added in version 3.10.", "In which version was locale.localize() added?"),
        ("json.dumps returns text.", "What does json.dumps return?"),
        ("`is_not_allowed` returns True.", "What does is_not_allowed return in Python?"),
        ("Ascaphus belongs to the Archaeobatrachia.", "To which suborder does Ascaphus belong?"),
        ("On 4 March 1890 the bridge was opened.", "When was the Forth Bridge opened?"),
        ("Taylor Hackford, the director of the film Ray, was born in 1944.", "When was the director of Ray born?"),
        ("Die Forthbrücke, 1890 eröffnet.", "Wann wurde die Forthbrücke eröffnet?"),
    ],
)
def test_a_whole_statement(answer: str, question: str) -> None:
    assert is_whole(answer, question)


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("In version 3.7.", "In which version was asyncio.run() added?"),
        ("In 1890.", "When was the Forth Bridge opened?"),
        ("John Fowler and Benjamin Baker.", "Who designed the Forth Bridge?"),
        ("It was opened in 1890.", "When was the Forth Bridge opened?"),
        ("Because water lies between pad and rim.", "Why do rim brakes lose force in the rain?"),
        ("The Forth Bridge.", "Which bridge did John Fowler design?"),
        ("", "When was the Forth Bridge opened?"),
    ],
)
def test_a_fragment(answer: str, question: str) -> None:
    assert not is_whole(answer, question)

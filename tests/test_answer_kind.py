from __future__ import annotations

import pytest

from drzero.loop.answer_kind import fits_question, kind_asked, kind_missed


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did it open?", "time"),
        ("Until when did it stand?", "time"),
        ("In which year did it open?", "time"),
        ("During which century was it built?", "time"),
        ("What time is it?", "time"),
        ("When large groups meet, what happens?", "fact"),
        ("What happens when it rains?", "fact"),
        ("How often does it rain?", "frequency"),
        ("For how many years did he reign?", "quantity"),
        ("What is the population of Ghent?", "quantity"),
        ("What percentage of it is water?", "quantity"),
        ("By whom was it built?", "person"),
        ("Whose daughter was she?", "person"),
        ("Why is it blue?", "reason"),
        ("For what reason was it shut?", "reason"),
        ("What was the main reason for it?", "reason"),
        ("Where does it lie?", "place"),
        ("In which country does it lie?", "name"),
        ("Which is hotter, Venus or Mercury?", "choice"),
        ("Is mercury a metal?", "yes or no"),
        ("How is it done?", "fact"),
        ("What is it?", "fact"),
    ],
)
def test_answer_kind_asked(question: str, kind: str) -> None:
    assert kind_asked(question) == kind


@pytest.mark.parametrize(
    ("question", "answer", "fits"),
    [
        ("When did it open?", "In 1931.", True),
        ("When did it open?", "In May.", True),
        ("When did it open?", "On a Monday.", True),
        ("When did it open?", "During the war.", True),
        ("When did it open?", "It opened late.", False),
        ("When does JSON.parse throw an error?", "It throws an error when the text is not valid.", True),
        ("In what year did it open?", "The doors opened.", False),
        ("In what year did it open?", "It opened after the war.", False),
        ("In which century was it built?", "In the nineteenth.", True),
        ("How many bones are there?", "There are 206 bones.", True),
        ("How many bones are there?", "There are twelve.", True),
        ("How many bones are there?", "There are none.", True),
        ("How many bones are there?", "There are many.", False),
        ("How much of it is water?", "Two thirds of it.", True),
        ("How long did it last?", "Until the king died.", True),
        ("How often does it rain?", "It rains twice a week.", True),
        ("How often does it rain?", "It rains.", False),
        ("Who built it?", "It was built by Gustave Eiffel.", True),
        ("Who built it?", "Eiffel.", True),
        ("Who built it?", "the heir", False),
        ("Who built it?", "it was built by an engineer.", False),
        ("Who built the Eiffel Tower?", "The Eiffel Tower was built by an engineer.", False),
        ("Whose daughter was she?", "She was the daughter of Liszt.", True),
        ("Why is it blue?", "Because air scatters light.", True),
        ("Why was it closed?", "To make room.", True),
        ("Why was it closed?", "bad weather", True),
        ("Why is it blue?", "It is blue.", False),
        ("What is it?", "It is blue.", True),
        ("By whom was it built?", "It was built by an engineer.", False),
        ("What is the man who built it called when he is away?", "It is a secret.", True),
        ("How is it done?", "With care.", True),
        ("How is salt made?", "Salt is made.", False),
        ("What does Task.get_name() return?", "Task.get_name() returns the name.", True),
        ("What is the default of className of tkinter.tix.Tk?", "The default of className is 'Tix'.", True),
        ("Where is the key?", "It is under the mat.", True),
        ("Where is the key?", "It is missing.", False),
        ("Where does the Seine end?", "It ends at Le Havre.", True),
        ("Which country is it in?", "It is in France.", True),
        ("Which country is it in?", "It is in a small country.", False),
        ("Which is hotter, Venus or Mercury?", "It is Venus.", True),
        ("Which is hotter, Venus or Mercury?", "Both are the same.", True),
        ("Which is hotter, Venus or Mercury?", "Planets are hot.", False),
        ("Is mercury a metal?", "Mercury is a metal.", True),
        ("Is mercury a metal?", "Salt is white.", False),
    ],
)
def test_answer_kind_fits(question: str, answer: str, fits: bool) -> None:
    assert fits_question(question, answer) is fits


def test_answer_kind_missed_is_a_sentence() -> None:
    assert kind_missed("When did it open?", "In 1931.") == ""
    assert (
        kind_missed("When did it open?", "It opened late.") == "The question asks when, and the answer gives no time."
    )
    assert kind_missed("What is salt?", "It is salt.") == "The answer says no more than the question."

"""drzero.loop.facts.roles: doer and sufferer exchanged."""

from __future__ import annotations

import pytest

from drzero.loop.facts.roles import role_fault


@pytest.mark.parametrize(
    ("claim", "evidence", "deed"),
    [
        ("Rome defeated Carthage.", "Carthage defeated Rome in 216.", "defeated"),
        ("Rome was defeated by Carthage.", "Rome defeated Carthage.", "defeated"),
        ("Paris is larger than Lyon.", "Lyon is larger than Paris.", "larger"),
        ("Peru lies north of Chile.", "Chile lies north of Peru.", "north"),
        ("the cat killed the dog.", "the dog killed the cat.", "killed"),
        ("The army defeated the rebels.", "The rebels defeated the army.", "defeated"),
        ("Wood is denser than iron.", "Iron is denser than wood.", "denser"),
        ("Wood is more expensive than iron.", "Iron is more expensive than wood.", "expensive"),
        ("Smoke causes fire.", "Fire causes smoke.", "causes"),
        ("English derives from Latin.", "Latin derives from English.", "derives"),
        ("Anna is the daughter of Beth.", "Beth is the daughter of Anna.", "daughter"),
        ("John gave the book to Mary.", "Mary gave the book to John.", "gave"),
        ("Spain lost to Italy.", "Italy lost to Spain in 1950.", "lost"),
        ("Dogs chase cats.", "It is known: cats chase dogs.", "chase"),
        ("Queen Anne was succeeded by William.", "Queen Anne succeeded William.", "succeeded"),
    ],
)
def test_roles_fault_names_the_deed(claim: str, evidence: str, deed: str) -> None:
    fault = role_fault(claim, evidence)
    assert fault is not None
    assert fault.reason == f'The evidence has doer and sufferer of "{deed}" the other way round.'
    assert (fault.code, fault.verdict) == ("roles", "contradicted")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Rome defeated Carthage.", "Carthage was defeated by Rome."),
        ("Carthage was defeated by Rome.", "Rome defeated Carthage."),
        ("Tracey Edmonds produced Soul Food.", "Soul Food is a film produced by Babyface and Tracey Edmonds."),
        ("Ann married Bob.", "Bob married Ann."),
        ("Ann met Bob.", "Bob met Ann."),
        ("Rome defeated Carthage.", "Rome defeated Carthage, and Carthage defeated Numidia."),
        ("The capital of France is Paris.", "Paris is the capital of France."),
        ("France's capital is Paris.", "Paris is the capital of France."),
        ("Mary was given the book by John.", "John gave the book to Mary."),
        ("Cats are chased by dogs.", "Dogs chase cats."),
        ("Peru borders Chile.", "Chile borders Peru."),
        ("Cats met dogs.", "Dogs met cats."),
        ("Cats chase birds.", "Dogs chase cats."),
        ("Rome won.", "Carthage lost."),
        ("Rome was founded before Carthage.", "Carthage was founded after Rome."),
    ],
)
def test_roles_that_hold_are_no_fault(claim: str, evidence: str) -> None:
    assert role_fault(claim, evidence) is None

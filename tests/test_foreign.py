"""drzero.loop.facts.foreign: claims in languages other than English."""

from __future__ import annotations

import pytest

from drzero.loop import facts
from drzero.loop.facts.foreign import english_figures, foreign_missing_names


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [
        ("2.962 m", "de", "2962 m"),
        ("2.962,5 m", "deu", "2962.5 m"),
        ("12 000 hommes", "fr", "12000 hommes"),
        ("im Jahr 1900 100 Mann", "de", "im Jahr 1900 100 Mann"),
        ("am 12. Mai 1990", "de", "am 12 May 1990"),
        ("el 1 de enero de 2001", "es", "el 1 January 2001"),
        ("le 1er mars 1950", "fr", "le 1 March 1950"),
        ("12 мая 1990 года", "ru", "12 May 1990 года"),
        ("2,962 m", "en", "2,962 m"),
        ("1902年", "zh", "1902年"),
        ("3,5 kg", "sv", "3.5 kg"),
    ],
)
def test_foreign_figures_are_read_as_their_language_writes_them(text: str, language: str, told: str) -> None:
    assert english_figures(text, language) == told


@pytest.mark.parametrize(
    ("claim", "evidence", "language"),
    [
        ("Im Jahr 1900 zog er nach Wien.", "Er zog 1900 nach Wien.", "de"),
        ("Der Berg ist 2.962 m hoch.", "Der Berg ist 2962 m hoch.", "de"),
        ("Il y avait 12 000 hommes.", "Il y avait 12000 hommes.", "fr"),
        ("En France, il est mort.", "Il est mort en France.", "fr"),
        ("Он жил в Москве.", "Москва была городом, где он жил.", "ru"),
        ("I libri di Dante me piacciono.", "Dante: i libri piacciono.", "it"),
        ("Er kam nicht.", "Er kam nicht nach Wien.", "de"),
        ("他出生于1902年。", "他出生于1902年。", "zh"),
    ],
)
def test_foreign_claims_that_hold_have_no_fault(claim: str, evidence: str, language: str) -> None:
    assert facts.faults(claim, evidence, language=language) == ()


@pytest.mark.parametrize(
    ("claim", "evidence", "language", "code"),
    [
        ("Er kam am 12. Mai 1990.", "Er kam am 13. Mai 1990.", "de", "date"),
        ("Der Berg ist 2.962 m hoch.", "Der Berg ist 2.963 m hoch.", "de", "number"),
        ("Er kam nicht nach Wien.", "Er kam nach Wien.", "de", "negation"),
        ("Il est venu à Paris.", "Il n'est pas venu à Paris.", "fr", "negation"),
        ("Он не жил в Москве.", "Он жил в Москве.", "ru", "negation"),
        ("他没有去过北京。", "他去过北京。", "zh", "negation"),
        ("Il est mort à Rome.", "Il est mort à Paris.", "fr", "name"),
        ("Sie traf Albert Einstein.", "Sie traf Max Planck.", "de", "name"),
        ("Er kam?", "Er kam.", "de", "not-a-statement"),
    ],
)
def test_foreign_claims_that_depart_have_a_fault(claim: str, evidence: str, language: str, code: str) -> None:
    assert facts.faults(claim, evidence, language=language)[0].code == code


def test_foreign_german_nouns_are_no_names() -> None:
    assert foreign_missing_names("Der Hund und 12 Liter Milch der NATO trafen Albert Einstein.", "", "de") == [
        "NATO",
        "Einstein",
    ]
    assert foreign_missing_names("Le chien de Rome", "", "fr") == ["Rome"]

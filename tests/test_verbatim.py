"""drzero.loop.verbatim: a judge without a model believes what is said in the evidence's own words."""

from __future__ import annotations

import numpy as np
import pytest

from drzero.loop.calibration import default_calibration, packaged
from drzero.loop.entailment import Calibrated
from drzero.loop.verbatim import VerbatimSignals, kept

PREMISE = "Forth Bridge History: The Forth Bridge was opened in Scotland on 4 March 1890 by the Prince of Wales."


@pytest.mark.parametrize(
    ("hypothesis", "share"),
    [
        ("The Forth Bridge was opened in Scotland on 4 March 1890.", 1.0),
        ("The Forth Bridge was opened on 4 March 1890 by the Prince of Wales.", 1.0),
        ("History of the bridge: it was opened in Scotland.", 1.0),  # what stands in the place may come anywhere
        ("The Prince of Wales opened it.", 2 / 3),  # in another order
        ("The Forth Bridge was closed in Scotland.", 3 / 4),
        ("Compost needs air.", 0.0),
        ("It is.", 0.0),
    ],
)
def test_verbatim_kept_is_the_share_of_words_in_their_order(hypothesis: str, share: float) -> None:
    assert kept(PREMISE, hypothesis) == pytest.approx(share)


def test_verbatim_words_of_two_sentences_are_not_taken_together() -> None:
    apart = "Bridge: It was opened in 1890. The tunnel was closed in 1931."
    assert kept(apart, "The bridge was closed in 1931.") == pytest.approx(1.0)  # nobody says what: the place may
    assert kept(apart, "It was opened in 1931.") == pytest.approx(1 / 2)


def test_verbatim_all_sentences_of_a_hypothesis_must_be_said() -> None:
    assert kept(PREMISE, "The Forth Bridge was opened. Compost needs air.") == 0.0


def test_verbatim_evidence_may_stand_in_either_of_two_lines() -> None:
    both = "Ray: The film was directed by Taylor Hackford.\nTaylor Hackford: He was born in 1944."
    assert kept(both, "Taylor Hackford was born in 1944.") == 1.0
    assert kept(both, "Ray was directed by Taylor Hackford.") == 1.0


def test_verbatim_clauses_may_have_a_line_each() -> None:
    both = "One Mint Julep: Length: 2:27\nCry (song): Length: 3:02"
    assert kept(both, "One Mint Julep has a length of 2:27, and Cry has a length of 3:02.") == 1.0
    assert kept(both, "One Mint Julep has a length of 3:02, and Cry has a length of 2:27.") < 1.0


def test_verbatim_a_question_says_nothing_but_what_it_asks_about_must_be_there() -> None:
    assert (
        kept("gc callbacks: New in version 3.3.", "In which version was gc.callbacks added? New in version 3.3.") == 1.0
    )
    assert kept("gc callbacks: New in version 3.3.", "When did the Forth Bridge open? New in version 3.3.") == 0.0


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        ("Aruba: Capital: Oranjestad", "The capital of Aruba is Oranjestad."),
        ("Ray (film): Directed by: Taylor Hackford", "The film Ray was directed by Taylor Hackford."),
        ("Ray: Ray is a 2004 film about a singer.\nRay: Directed by: Taylor Hackford",
         "The film Ray was directed by Taylor Hackford."),
        ("Busted: Single by Ray Charles\nBusted: Released: 1963",
         "The single Busted by Ray Charles was released in 1963."),
        ("Crying Time: Songwriter(s): Buck Owens", "Crying Time was written by Buck Owens."),
        ("Ayn Rand: Died: March 6, 1982 New York City", "Ayn Rand died on March 6, 1982."),
        ("gc callbacks: New in version 3.3.", "gc.callbacks was added in version 3.3."),
        ("Genius Charts: Chart (2004–05): Danish Albums; Peak position: 27",
         '"Genius" reached the peak position 27 in the chart "Danish Albums" of 2004–05, listed under "Charts".'),
        ("typing Text: Deprecated since version 3.9: Use str instead.", "typing.Text is deprecated since version 3.9."),
        ("imp find: Deprecated since version 3.4: Use importlib instead.",
         "Instead of the deprecated imp.find, importlib should be used."),
        ("calendar prcal: prcal(year, w=0, l=1)", "The default value of the parameter l of calendar.prcal is 1."),
    ],
)  # fmt: skip
def test_verbatim_a_row_or_a_note_says_what_its_label_means(premise: str, claim: str) -> None:
    assert kept(premise, claim) == 1.0


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        ("Aruba: Capital: Oranjestad", "The capital of Andorra is Oranjestad."),
        ("Aruba: Largest city: Oranjestad", "The currency of Aruba is the Oranjestad."),
        ("Aruba: Capital: Oranjestad", "The capital of Aruba is Willemstad."),
        ("gc callbacks: New in version 3.3.", "gc.callbacks was added in version 3.4."),
        ("gc callbacks: New in version 3.3.", "gc.freeze was added in version 3.3."),
        ("gc callbacks: Deprecated since version 3.3.", "gc.callbacks was added in version 3.3."),
        ("calendar prcal: prcal(year, w=0, l=1)", "The default value of the parameter w of calendar.prcal is 1."),
        ("Ray: Directed by: Taylor Hackford", "The film Ray was directed by Taylor Hackford."),  # who says a film?
        ("Tangerine: Distributor: ABC", "The film Tangerine was distributed by ABC."),
        (
            "Ray: Ray is a film about a singer.\nRay: Directed by: Taylor Hackford",
            "The singer Ray was directed by Taylor Hackford.",
        ),
        ("Busted: Single by Ray Charles\nCry: Released: 1963", "The single Cry by Ray Charles was released in 1963."),
        (
            "Busted: Single by Ray Charles\nBusted: Label: ABC\nBusted: Released: 1963",
            "The single Busted by Ray Charles was released in 1963.",
        ),  # not the line before: of another edition
        (
            "Genius Charts: Chart (2004–05): Danish Albums; Peak position: 27",
            '"Genius" reached the peak position 27 in the chart "Danish Albums" of 2008, listed under "Charts".',
        ),
        (
            "Genius Charts: Chart (2004–05): Danish Albums; Peak position: 27",
            '"Genius" reached the peak position 26 in the chart "Danish Albums" of 2004–05, listed under "Charts".',
        ),
        (
            "Genius Charts: Chart (2004–05): Danish Albums; Peak position: 27",
            '"Soul" reached the peak position 27 in the chart "Danish Albums" of 2004–05, listed under "Charts".',
        ),
        ("Elba: Strange label: Oranjestad", "The capital of Elba is Oranjestad."),
    ],
)
def test_verbatim_a_row_or_a_note_says_nothing_else(premise: str, claim: str) -> None:
    assert kept(premise, claim) < 1.0


def test_verbatim_a_parameter_is_of_the_function_and_not_of_its_class() -> None:
    premise = "zipfile — Archives ZipFile Objects ZipFile.open: ZipFile.open(name, mode='r', pwd=None)"
    said = "The default value of the parameter mode of {} is 'r'."
    assert kept(premise, said.format("ZipFile.open()")) == 1.0
    assert kept(premise, said.format("the class ZipFile")) < 1.0


def test_verbatim_signals_are_judged_by_their_own_calibration() -> None:
    signals = VerbatimSignals()
    found = signals.signals([(PREMISE, "The Forth Bridge was opened."), (PREMISE, "It is."), ("", "Forth Bridge.")])
    assert (found.dtype, found.tolist()) == (np.float32, [[1.0], [0.0], [0.0]])
    assert signals.signals([]).shape == (0, 1)
    assert default_calibration(signals) == packaged()["verbatim"]


def test_verbatim_is_believed_for_nothing_but_the_very_words_and_never_sooner_than_a_writer() -> None:
    calibration, writer = packaged()["verbatim"], packaged()["writer-1.5b"]
    judge = Calibrated(VerbatimSignals(), calibration)
    very, nearly = judge.entail(
        [
            (PREMISE, "The Forth Bridge was opened in Scotland."),
            (PREMISE, "The Forth Bridge was opened in old Scotland."),
        ]
    )
    assert nearly < calibration.threshold <= very
    assert dict(calibration.figures)["precision"] >= dict(writer.figures)["precision"]
    assert dict(calibration.figures)["precision_low"] >= dict(writer.figures)["precision_low"]
    assert calibration.threshold >= writer.threshold

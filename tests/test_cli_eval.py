"""`drzero eval calibrate`, `eval verifier` and `verify` from the command line, judged by a small NLI folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.made_nli import make_nli


def rows(count: int, *, honest: bool = True) -> list[dict[str, str]]:
    """Claims of a calm or a stormy sea; an honest label says whether the passage has the storm that refutes it."""
    made = []
    for n in range(count):
        storm = n % 2
        label = ("supported", "contradicted")[storm if honest else n // 2 % 2]
        passage = f"Sea {'sea ' * (n // 2)}high{' storm' * 2 * storm * (n // 2 + 2)}."
        made.append({"id": str(n), "source": "made", "claim": "High sea.", "passage": passage, "label": label})
    return made


@pytest.fixture
def pairs(desk: Path) -> Path:
    make_nli(desk / "models" / "mine", limit=512)
    return written(desk, rows(80))


def written(desk: Path, made: list[dict[str, str]]) -> Path:
    path = desk / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in made))
    return path


def test_cli_eval_calibrate_shows_a_curve_and_keeps_what_it_found(
    run: Run, desk: Path, pairs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    result = run("eval", "calibrate", pairs, "--judge", "mine", "--save")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Judge mine@")
    assert "asked about 80 of 80 pairs.\n" in result.stdout
    assert "0.9–1.0         20" in result.stdout
    assert f"Kept in {desk / 'calibration.json'}" in result.stdout
    (kept,) = json.loads((desk / "calibration.json").read_text())["calibrations"]
    assert (kept["pairs"], kept["names"][:2]) == (80, ["entailment", "contradiction"])
    found = run("verify", "--claim", "High sea.", "--passage", "The sea is high.", "--judge", "mine", "--json")
    assert json.loads(found.stdout)["verdict"] == "supported"
    assert caplog.text == ""  # the calibration is its own


def test_cli_eval_calibrate_document(run: Run, desk: Path, pairs: Path) -> None:
    document = json.loads(run("eval", "calibrate", pairs, "--judge", "mine", "--precision", "0.9", "--json").stdout)
    assert list(document) == [
        "n",
        "asked",
        "refused",
        "unchecked",
        "judge",
        "auc",
        "brier",
        "ece",
        "ece_equal_mass",
        "reliability",
        "signals",
        "target_precision",
        "threshold",
        "unseen",
        "by_source",
        "weights",
        "intercept",
        "notes",
        "saved",
        "min_probability",
    ]
    assert (document["n"], document["auc"], document["target_precision"], document["saved"]) == (80, 1.0, 0.9, None)
    assert document["threshold"]["precision"] == document["threshold"]["recall"] == 1.0
    assert len(document["reliability"]) == 10
    assert not (desk / "calibration.json").exists()


def test_cli_eval_calibrate_says_when_a_setting_stands_in_its_place(
    run: Run, desk: Path, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk / "drzero.toml").write_text("[verify]\nmin_probability = 0.99\n")
    result = run("eval", "calibrate", pairs, "--judge", "mine", "--save")
    assert result.exit_code == 0, result.output
    assert "But verify.min_probability is 0.99, which stands in place" in result.stdout
    assert "believed so from now on" not in result.stdout


def test_cli_eval_calibrate_leaves_with_3_when_no_threshold_is_precise_enough(
    run: Run, desk: Path, pairs: Path
) -> None:
    result = run("eval", "calibrate", written(desk, rows(80, honest=False)), "--judge", "mine", "--save")
    assert result.exit_code == 3
    assert "No threshold reaches a precision of 0.93 on these pairs with any certainty" in result.stderr
    assert not (desk / "calibration.json").exists()


def test_cli_eval_calibrate_keeps_nothing_of_labels_that_are_mixed_up(run: Run, desk: Path, pairs: Path) -> None:
    config = desk / "models" / "mine" / "config.json"
    config.write_text(config.read_text().replace("ENTAILMENT", "x").replace("CONTRADICTION", "ENTAILMENT"))
    config.write_text(config.read_text().replace('"x"', '"CONTRADICTION"'))
    result = run("eval", "calibrate", pairs, "--judge", "mine", "--save")
    assert result.exit_code == 3, result.output
    assert "The judge's entailment points the wrong way (area under the curve 0." in result.stdout
    assert "A judge that points the wrong way is not to be believed from anywhere on" in result.stderr
    assert "Believed from" not in result.stdout
    assert not (desk / "calibration.json").exists()


@pytest.mark.parametrize(
    ("count", "words", "status", "sentence"),
    [
        (39, (), 1, "needs at least 40 different pairs, but there are 39: label more of them."),
        (0, (), 1, "pairs.jsonl is empty"),
        (80, ("--precision", "1"), 1, "verify.precision must be 0.5 or more and below 1, but is 1 on the command line"),
        (80, ("--judge", "other"), 1, "There is no judge other in"),
        (80, ("--precision", "high"), 2, "'high' is not a valid float"),
    ],
)
def test_cli_eval_calibrate_refuses_in_one_sentence(
    run: Run, desk: Path, pairs: Path, count: int, words: tuple[str, ...], status: int, sentence: str
) -> None:
    result = run("eval", "calibrate", written(desk, rows(count)), "--judge", "mine", *words)
    assert (result.exit_code, result.stdout) == (status, "")
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_cli_eval_calibrate_names_a_broken_line(run: Run, desk: Path, pairs: Path) -> None:
    pairs.write_text(pairs.read_text() + '{"claim": "x"}\n')
    result = run("eval", "calibrate", pairs, "--judge", "mine")
    assert result.exit_code == 1
    assert 'pairs.jsonl, line 81: a pair needs "claim", "passage" and a "label"' in result.stderr


def test_cli_eval_verifier_asks_the_judge_named(run: Run, pairs: Path) -> None:
    document = json.loads(run("eval", "verifier", pairs, "--judge", "mine", "--json").stdout)
    assert (document["n"], document["auc"], document["precision"]) == (80, 1.0, 1.0)
    assert document["by_reason"] == {"entailment": 80 - document["confusion"]["supported"]["supported"]}
    assert document["pairs_per_s"] > 0


def test_cli_verify_says_that_a_judge_was_not_calibrated(
    run: Run, pairs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    result = run("verify", "--claim", "High sea.", "--passage", "The sea is high.", "--judge", "mine")
    assert result.exit_code == 0
    assert "No calibration was ever fitted for the judge mine@" in caplog.text

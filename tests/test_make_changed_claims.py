"""scripts/make_changed_claims.py: one thing changed, nothing else; the same seed makes the same lines."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from drzero.evaluation import load_pairs
from drzero.normalising import find_quote

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import make_changed_claims as making  # noqa: E402
from make_changed_claims import Pair  # noqa: E402

PASSAGE = "The bridge near Lyon, which opened in 1931, is the largest of 12 km in France and was built by John Smith."
PAIR = Pair("p1", PASSAGE, PASSAGE)
OTHER = Pair("p2", "The tower in Berlin was made by Anna Brown.", "The tower in Berlin was made by Anna Brown.")


def draw() -> random.Random:
    return random.Random(1)


def differing(claim: str | None) -> list[tuple[str, str]]:
    """The words that the changed claim has in place of others."""
    assert claim is not None
    before, after = PASSAGE.split(), claim.split()
    assert len(before) == len(after)
    return [(one, two) for one, two in zip(before, after, strict=True) if one != two]


def test_make_changed_claims_number_is_another_of_the_same_form() -> None:
    ((one, two),) = differing(making.change_number(PAIR, draw(), [PAIR]))
    assert one.strip(",") in ("1931", "12")
    assert two.strip(",").isdigit()
    assert two.strip(",") not in PASSAGE.replace(",", "").split()


@pytest.mark.parametrize("told", ["1,000", "2.5", "1931", "7", "three", "third", "250"])
def test_make_changed_claims_other_numbers_keep_the_form(told: str) -> None:
    fresh = {making._other_number(told, random.Random(seed)) for seed in range(20)}
    assert any(one != told for one in fresh)
    assert all(("," in one, "." in one, one.isalpha()) == ("," in told, "." in told, told.isalpha()) for one in fresh)


def test_make_changed_claims_name_is_one_of_another_pair() -> None:
    changed = differing(making.change_name(PAIR, draw(), [PAIR, OTHER]))
    assert changed in ([("Lyon,", "Berlin,")], [("France", "Berlin")], [("John", "Anna"), ("Smith.", "Brown.")])
    lower = making.change_name_lower(PAIR, draw(), [PAIR, OTHER])
    assert lower is not None
    assert lower == lower.lower()


def test_make_changed_claims_name_within_is_one_of_the_passage() -> None:
    pair = Pair("p3", "The bridge near Lyon is old.", "The bridge near Lyon is old, that in Paris new.")
    assert making.change_name_within(pair, draw(), []) == "The bridge near Paris is old."


def test_make_changed_claims_unit_is_another() -> None:
    assert differing(making.change_unit(PAIR, draw(), [])) == [("km", "miles")]
    assert making.change_unit(OTHER, draw(), []) is None


@pytest.mark.parametrize(
    ("claim", "changed"),
    [
        ("He did not win.", {"He did win."}),
        ("He never won.", {"He won."}),
        ("He is old.", {"He is not old.", "He is never old."}),
        ("He won the race.", {"He did not win the race."}),
        ("He painted the house.", {"He never painted the house."}),
        ("No verb here.", {None}),
    ],
)
def test_make_changed_claims_negation_is_put_in_or_taken_out(claim: str, changed: set[str | None]) -> None:
    assert making.change_negation(Pair("p", claim, claim), draw(), []) in changed


def test_make_changed_claims_opposite_stands_in_neither() -> None:
    found = differing(making.change_opposite(PAIR, draw(), []))
    assert found in ([("largest", "smallest")], [("opened", "closed")])
    assert making.change_opposite(Pair("p", "It is large.", "It is large, not small."), draw(), []) is None


def test_make_changed_claims_lines_are_pairs_of_a_verifiers_gold_file(tmp_path: Path) -> None:
    lines = list(making.changed([PAIR, OTHER], seed=3))
    assert lines == list(making.changed([PAIR, OTHER], seed=3))
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    pairs = load_pairs(path)
    assert {pair.source for pair in pairs if pair.id.startswith("p1")} == {
        f"changed-{kind}" for kind in ("number", "name", "name-lower", "unit", "negation", "opposite")
    }
    assert {pair.label for pair in pairs} == {"unsupported"}
    assert all(pair.claim != pair.passage for pair in pairs)


def test_make_changed_claims_honest_ones_leave_side_clauses_out() -> None:
    (line,) = making.honest([PAIR, OTHER])
    assert line["claim"] == ("The bridge near Lyon, is the largest of 12 km in France and was built by John Smith.")
    assert line["label"] == "supported"


def test_make_changed_claims_every_dress_is_found_in_its_passage() -> None:
    passage = 'He said: "The official\'s office - built in 1931 - is café-like, a wonderful surprise."'
    passage += " It ended."
    dresses = dict(making.dress(passage, draw()))
    assert set(dresses) >= {
        "curly", "dash", "space", "spaces", "line", "soft-hyphen", "broken-word", "ligature", "decomposed", "footnote",
        "zero-width",
    }  # fmt: skip
    assert all(find_quote(quote, passage) == (0, len(passage)) for quote in dresses.values())


def test_make_changed_claims_reads_pairs_and_questions(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    rows = [
        {"id": "a", "claim": "It is a large old town.", "passage": "x", "label": "supported"},
        {"id": "b", "claim": "It is a large old town.", "passage": "x", "label": "contradicted"},
        {"id": "c", "claim": "Too short.", "passage": "x", "label": "supported"},
        {"qid": "q", "question": "?", "sentences": ["It is a small new town.", "It is a small new town."]},
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    assert making.read_pairs(path) == [
        Pair("a", "It is a large old town.", "x"), Pair("q-0", "It is a small new town.", "It is a small new town."),
    ]  # fmt: skip


@pytest.mark.parametrize("what", ["changed", "honest", "dress"])
def test_make_changed_claims_command_writes_json_lines(tmp_path: Path, what: str) -> None:
    path = tmp_path / "gold.jsonl"
    row = {"id": "a", "claim": PASSAGE, "passage": PASSAGE, "label": "supported"}
    path.write_text(json.dumps(row), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "make_changed_claims.py"), str(path), "--what", what],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines
    assert all(line["passage"] in (PASSAGE, PASSAGE.lower()) for line in lines)

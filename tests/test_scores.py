"""What each score is made of; whole evaluations are in `test_evaluate.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from drzero.loop import agreement, scores
from drzero.loop.running import Run
from drzero.loop.scores import SCORES, Case, case_of
from drzero.profiles import SCORES as KNOWN
from drzero.types import Answer, Chunk, Claim, Judgement, Passage, Verdict
from tests.samples import CHALLENGE, CITATION

CONTRIBUTING = Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"
DUMPS = Chunk(
    id="c1",
    zim_id="z",
    path="json",
    title="json",
    heading=("Basic Usage",),
    text="Use json.dumps(obj) to write, for the asyncore module is deprecated.\n>>> sorted([3, 1])\n[1, 3]",
    start=0,
    end=120,
)


def never(code: str) -> str | None:
    raise AssertionError(f"{code} was run")


def case(*texts: str, chunk: Chunk = DUMPS, run: Run = never, question: str = "How is a text written?") -> Case:
    claims = tuple(Claim(text, (replace(CITATION, chunk_id=chunk.id),)) for text in texts)
    verdict = Verdict(tuple(Judgement("supported", 1.0, ()) for _ in texts), "supported")
    challenge = replace(CHALLENGE, question=question, answer=" ".join(texts), aspects=())
    return case_of(challenge, Answer(" ".join(texts), claims, 0.5), verdict, [Passage(chunk, 1.0, 1, "i")], run)


def test_scores_are_those_that_a_profile_may_name() -> None:
    assert sorted(SCORES) == sorted(KNOWN)


def table() -> dict[str, str]:
    """The first and the last column of the table of scores in CONTRIBUTING."""
    section = CONTRIBUTING.read_text(encoding="utf-8").split("## Scores", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (\w+) \| .+? \| `(.+)` \|$", section, flags=re.MULTILINE)
    return dict(rows)


@pytest.mark.parametrize(("name", "function"), [*SCORES.items(), ("support", scores.support)])
def test_scores_formula_stands_in_contributing(name: str, function: Callable[..., float]) -> None:
    assert function.__doc__
    assert function.__doc__.splitlines()[0].rstrip(".") == table()[name]


def test_scores_parts_of_formulas_stand_in_contributing() -> None:
    section = CONTRIBUTING.read_text(encoding="utf-8").split("## Scores", 1)[1].split("\n## ", 1)[0]
    assert set(table()) == {*SCORES, "support"}
    for name in ("agreement", "code", "kind", "length", "form", "cited", "well-formed", "current", "expected aspects"):
        assert f"**{name}**" in section, name
    assert f"at least {agreement.MIN_AGREEMENT}" in section
    assert f"up to {scores.GOOD_SENTENCE_WORDS} words, falling evenly to 0 at {scores.WORST_SENTENCE_WORDS}" in section


def test_scores_sources_are_the_chunks_cited_or_the_quotes() -> None:
    assert case("It is so.").sources == "\n".join(("json", "Basic Usage", DUMPS.text))
    unknown = case_of(CHALLENGE, Answer("a", (Claim("a", (CITATION,)),), 0.5), Verdict((), "partial"), [], never)
    assert unknown.sources == CITATION.quote


def test_scores_correctness_without_code_is_accuracy() -> None:
    one = case("Write it down.")
    assert scores.correctness(one) == scores.accuracy(one) == 1.0


def test_scores_correctness_takes_code_from_the_source() -> None:
    assert scores.correctness(case("Use `json.dumps(obj)`.")) == 1.0
    assert scores.correctness(case("Use `json.dumps(obj)` or `json.emit(obj)`.")) == 0.5
    assert case("Use `json.emit(obj, now=5)`.").invented == (("emit", "now", "5"),)


def test_scores_correctness_takes_what_the_question_gives() -> None:
    assert scores.correctness(case("Use `json.dumps(1234)`.", question="How is 1234 written?")) == 1.0


def test_scores_correctness_takes_code_that_runs_like_the_source() -> None:
    asked: list[str] = []

    def run(code: str) -> str | None:
        asked.append(code)
        return {"sorted([1, 3, 3])": "[1, 3, 3]", "sorted((3, 1, 7))[:2]": "[1, 3]"}.get(code)

    assert scores.correctness(case("Use `sorted((3, 1, 7))[:2]`.", run=run)) == 1.0
    assert scores.correctness(case("Use `sorted([1, 3, 7])`.", run=run)) == 0.0
    assert asked == ["sorted((3, 1, 7))[:2]", "sorted([1, 3, 7])"]


def test_scores_correctness_runs_what_the_answer_says_of_code() -> None:
    values = {"sorted([3, 1])": "[1, 3]"}
    right = case("`sorted([3, 1])` returns `[1, 3]`.", run=values.get)
    wrong = case("`sorted([3, 1])` returns `[3, 1]`.", run=values.get)
    assert scores.correctness(right) == 1.0
    assert scores.correctness(wrong) == pytest.approx(2 / 3)  # both pieces come from the source, the result does not


def test_scores_correctness_lets_an_answer_run_values_of_its_own() -> None:
    values = {"sorted([9, 8])": "[8, 9]"}
    assert scores.correctness(case("`sorted([9, 8])` gives `[8, 9]`.", run=values.get)) == 1.0
    wrong = case("`sorted([9, 8])` gives `[9, 8]`.", run=values.get)
    assert wrong.invented == (("8", "9"), ())
    assert scores.correctness(wrong) == pytest.approx(1 / 3)


def test_scores_completeness_leaves_out_what_is_asked() -> None:
    one = case("It holds 5 litres.", question="How much does the jug hold?")
    aspects = ("jug", "5 litres", "clay")
    full = replace(one, challenge=replace(one.challenge, aspects=aspects))
    assert full.missing == ("clay",)
    assert scores.completeness(full) == 0.5


@pytest.mark.parametrize(("ending", "whole"), [(", so A1 is shorter.", 1.0), (".", 0.5), (", so B2 is shorter.", 0.5)])
def test_scores_completeness_of_a_choice_needs_the_choice(ending: str, whole: float) -> None:
    told = "A1 has a length of 3:02, and B2 has a length of 3:40"
    own = case(f"{told}{ending}", question="Which is shorter, A1 or B2?")
    reference = replace(own.challenge, answer=f"{told}, so A1 is shorter.")
    assert scores.completeness(replace(own, challenge=reference)) == whole


def test_scores_completeness_without_aspects_is_what_the_reference_adds() -> None:
    one = case("It is blue and red.", question="What colour is the flag?")
    other = replace(one, challenge=replace(one.challenge, answer="The flag is red, white, green and blue."))
    assert scores.completeness(other) == 0.5
    nothing = replace(one, challenge=replace(one.challenge, answer="The flag."))
    assert scores.completeness(nothing) == 0.0  # "flag" is all that there is to say


def test_scores_best_practices_knows_what_the_source_calls_deprecated() -> None:
    assert case("Use the asyncore module.").outdated == ("asyncore",)
    assert scores.best_practices(case("Use the asyncore module.")) == 0.5
    assert scores.best_practices(case("Avoid the asyncore module.")) == 1.0
    assert scores.best_practices(case("The asyncore module is deprecated.")) == 1.0
    assert case("Use the asyncore module.", question="What does the asyncore module do?").outdated == ()

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import drzero.profiles
from drzero.errors import SettingsError
from drzero.profiles import SCORES, Example, load_profile, parse_profile, profile_names
from drzero.text import words
from drzero.types import LEVELS

FOLDER = Path(drzero.profiles.__file__).parent


@pytest.fixture
def data() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "wikipedia.toml").read_text("utf-8"))


def fault(data: dict[str, Any]) -> str:
    with pytest.raises(SettingsError) as caught:
        parse_profile(data, "my.toml")
    return str(caught.value)


def test_profiles_wikipedia_is_as_specified() -> None:
    profile = load_profile("wikipedia")
    assert [kind.name for kind in profile.types] == ["factual", "temporal", "causal", "comparative", "multi-hop"]
    assert profile.weights == (("accuracy", 0.5), ("completeness", 0.3), ("relevance", 0.2))
    assert profile.keeps_code is False


def test_profiles_coding_is_as_specified() -> None:
    profile = load_profile("coding")
    assert [kind.name for kind in profile.types] == [
        "conceptual",
        "implementation",
        "comparison",
        "best-practice",
        "debugging",
        "refactoring",
    ]
    assert profile.weights == (("correctness", 0.4), ("completeness", 0.3), ("clarity", 0.2), ("best_practices", 0.1))
    assert profile.keeps_code is True


@pytest.mark.parametrize("name", ["coding", "wikipedia"])
def test_profiles_examples_follow_their_own_rules(name: str) -> None:
    for kind in load_profile(name).types:
        assert len(kind.examples) == 3
        assert kind.asks.endswith(".")
        for example in kind.examples:
            assert kind.suits(example.source), example
            assert kind.opens(example.question), example
            assert example.question.endswith("?")
            assert len(words(example.question)) >= 5
            assert example.answer.endswith(".")
            assert example.article
            assert not set(re.findall(r"\d+", example.answer)) - set(re.findall(r"\d+", example.source)), example
            assert set(words(example.answer)) - set(words(example.question)), example


@pytest.mark.parametrize("name", ["coding", "wikipedia"])
def test_profiles_every_level_has_two_types(name: str) -> None:
    profile = load_profile(name)
    for level in LEVELS:
        assert len(profile.at_level(level)) >= 2
        assert all(level in kind.levels for kind in profile.at_level(level))


@pytest.mark.parametrize(
    ("profile", "kind", "sentence", "suits"),
    [
        ("wikipedia", "causal", "The match was stopped BECAUSE of rain.", True),
        ("wikipedia", "causal", "Its success led to two sequels.", True),
        ("wikipedia", "causal", "The match was played in rain.", False),
        ("wikipedia", "temporal", "The bridge opened in 1931.", True),
        ("wikipedia", "temporal", "It dates from the 12th century.", True),
        ("wikipedia", "temporal", "They met on May 3.", True),
        ("wikipedia", "temporal", "They may meet 3 times.", False),
        ("wikipedia", "temporal", "The valley has 3100 people.", False),
        ("wikipedia", "comparative", "Iron is harder than tin.", True),
        ("wikipedia", "comparative", "Iron is hard.", False),
        ("wikipedia", "multi-hop", "She taught Liszt, whose daughter married Wagner.", True),
        ("wikipedia", "factual", "Anything.", True),
        ("coding", "debugging", "It raises a KeyError.", True),
        ("coding", "debugging", "It returns a key.", False),
        ("coding", "best-practice", "This shouldn’t be called twice.", True),
        ("coding", "best-practice", "This mustn't be called twice.", True),
        ("coding", "refactoring", "Use find instead of search.", True),
        ("coding", "comparison", "Unlike search, find never fails.", True),
        ("coding", "implementation", "Pass a string.", True),
        ("coding", "conceptual", "A list is a sequence.", True),
        ("coding", "conceptual", "Lists grow.", False),
    ],
)
def test_profiles_cues_mark_sentences(profile: str, kind: str, sentence: str, suits: bool) -> None:
    assert load_profile(profile).type(kind).suits(sentence) is suits


def test_profiles_openings_are_whole_words() -> None:
    kind = load_profile("wikipedia").type("temporal")
    assert kind.opens("  when did it end?")
    assert kind.opens("In what year did it end?")
    assert not kind.opens("Whenever did it end?")
    assert not kind.opens("Why did it end?")


def test_profiles_unknown_type_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="riddle"):
        load_profile("wikipedia").type("riddle")


def test_profiles_unknown_name_lists_the_known() -> None:
    assert profile_names() == ("coding", "wikipedia")
    with pytest.raises(SettingsError) as caught:
        load_profile("medicine")
    assert str(caught.value) == "There is no profile 'medicine': use coding or wikipedia, or the path of a TOML file."


def test_profiles_own_file_by_path(tmp_path: Path) -> None:
    text = (FOLDER / "wikipedia.toml").read_text("utf-8")
    path = tmp_path / "my 書.toml"
    path.write_text(text.replace('name = "wikipedia"', 'name = "mine"'), "utf-8")
    assert load_profile(path).name == load_profile(str(path)).name == "mine"
    other = tmp_path / "plain"
    other.write_text(text.replace('name = "wikipedia"', 'name = "mine"'), "utf-8-sig")  # as some editors save it
    assert load_profile(other) == replace(load_profile("wikipedia"), name="mine")


def test_profiles_own_file_must_have_a_name_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "wikipedia.toml"
    path.write_text((FOLDER / "wikipedia.toml").read_text("utf-8"), "utf-8")
    with pytest.raises(SettingsError) as caught:
        load_profile(path)
    assert str(caught.value) == (
        f"{path}, line 2: name is that of a profile that comes with drzero: "
        "call your own something else than 'wikipedia'."
    )


def test_profiles_a_fault_tells_its_line(tmp_path: Path) -> None:
    lines = (FOLDER / "coding.toml").read_text("utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("levels = "))
    path = tmp_path / "mine.toml"
    path.write_text("\n".join([*lines[:at], 'levels = ["tricky"]', *lines[at + 1 :]]), "utf-8")
    with pytest.raises(SettingsError) as caught:
        load_profile(path)
    assert str(caught.value) == (
        f"{path}, line {at + 1}: types[0].levels[0] is not a level; levels are easy, medium, hard, expert, not tricky."
    )


def test_profiles_file_that_cannot_be_read(tmp_path: Path) -> None:
    def sentence(path: Path) -> str:
        with pytest.raises(SettingsError) as caught:
            load_profile(path)
        return str(caught.value)

    path = tmp_path / "a.toml"
    assert sentence(path) == f"There is no profile file {path}: check the path."
    path.write_bytes(b"name = '\xff'")
    assert sentence(path) == f"The profile {path} is not UTF-8 text: save it as UTF-8."
    path.write_text("name = ")
    assert sentence(path) == f"The profile {path} is not valid TOML: Invalid value (at end of document)."
    path.unlink()
    path.mkdir()
    assert sentence(path).startswith(f"The profile {path} cannot be read (")


def _set(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """A change to the data at a dotted place such as "types.1.name"."""

    def change(data: Any) -> None:
        *way, last = key.split(".")
        for part in way:
            data = data[int(part)] if isinstance(data, list) else data[part]
        if value is None:
            del data[last]
        else:
            data[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            _set("colour", "red"),
            "my.toml: colour is not known; known here are name, title, types, weights, keeps_code.",
        ),
        (
            _set("types.1.cue", []),
            "my.toml: types[1].cue is not known; known here are name, asks, cues, openings, levels, examples.",
        ),
        (
            _set("types.0.examples.2.hint", "x"),
            "my.toml: types[0].examples[2].hint is not known; known here are source, question, answer, article, span.",
        ),
        (_set("name", None), "my.toml: name is missing; it must be a text."),
        (_set("name", 3), "my.toml: name must be a text, not a number."),
        (_set("title", " "), "my.toml: title must not be empty."),
        (_set("keeps_code", "yes"), "my.toml: keeps_code must be true or false, not a text."),
        (_set("types", {}), "my.toml: types must be a list of tables, not a table."),
        (_set("types", ["x"]), "my.toml: types[0] must be a table, not a text."),
        (_set("types.0.cues", "x"), "my.toml: types[0].cues must be a list of texts, not a text."),
        (_set("types.0.cues", [True]), "my.toml: types[0].cues[0] must be a text, not true or false."),
        (_set("types.0.openings", ["Who", ""]), "my.toml: types[0].openings[1] must not be empty."),
        (
            _set("types.2.cues", ["fine", "(x"]),
            "my.toml: types[2].cues[1] is not a valid regular expression: "
            "missing ), unterminated subpattern at position 0.",
        ),
        (
            _set("types.0.levels", ["easy", "tricky"]),
            "my.toml: types[0].levels[1] is not a level; levels are easy, medium, hard, expert, not tricky.",
        ),
        (_set("types.0.levels", []), "my.toml: types[0].levels must name at least one of easy, medium, hard, expert."),
        (
            _set("types.0.levels", ["hard"]),
            "my.toml: level 'easy' has 1 of the at least 2 types that every level needs.",
        ),
        (_set("types.1.name", "factual"), "my.toml: types[1].name is 'factual' as another's: give each type its own."),
        (_set("name", "a\nb"), "my.toml: name must be one line of at most 60 characters."),
        (_set("types.0.name", "x" * 61), "my.toml: types[0].name must be one line of at most 60 characters."),
        (
            _set("types.2.cues", ["x*"]),
            "my.toml: types[2].cues[0] matches every sentence: leave it out, or leave all cues out.",
        ),
        (
            _set("types.2.examples.1.source", "It rained."),
            "my.toml: types[2].examples[1].source matches none of the cues of its type.",
        ),
        (
            _set("types.0.examples.0.question", "Into which sea does the Nile flow."),
            "my.toml: types[0].examples[0].question must end with a question mark.",
        ),
        (
            _set("types.2.openings", ["For what reason"]),
            "my.toml: types[2].examples[0].question begins as none of the openings of its type (For what reason).",
        ),
        (
            _set("types.0.examples", []),
            "my.toml: types[0].examples must hold at least one example (source, question, answer); three are good.",
        ),
        (_set("types.0.examples", None), "my.toml: types[0].examples is missing; it must be a list of tables."),
        (
            _set("types.0.examples.1.span", "no such words"),
            "my.toml: types[0].examples[1].span must be words of its source, to the letter.",
        ),
        (_set("types.0.examples.1.article", 5), "my.toml: types[0].examples[1].article must be a text, not a number."),
        (
            _set("types.0.examples.1.answer", None),
            "my.toml: types[0].examples[1].answer is missing; it must be a text.",
        ),
        (_set("weights", []), "my.toml: weights must be a table of scores and their weights, not a list."),
        (_set("weights.accuracy", 0.6), "my.toml: weights must sum to 1, not 1.1."),
        (_set("weights", {}), "my.toml: weights must sum to 1, not 0."),
        (
            _set("weights.beauty", 0.1),
            f"my.toml: weights.beauty is not known; known scores are {', '.join(SCORES)}.",
        ),
        (_set("weights.accuracy", "much"), "my.toml: weights.accuracy must be a number, not a text."),
        (_set("weights.accuracy", True), "my.toml: weights.accuracy must be a number, not true or false."),
        (_set("weights.accuracy", float("nan")), "my.toml: weights.accuracy must be between 0 and 1, not nan."),
        (_set("weights.accuracy", -0.5), "my.toml: weights.accuracy must be between 0 and 1, not -0.5."),
    ],
)
def test_profiles_faults_are_named(
    data: dict[str, Any], change: Callable[[dict[str, Any]], None], sentence: str
) -> None:
    change(data)
    assert fault(data) == sentence


def test_profiles_whole_number_weights_are_numbers(data: dict[str, Any]) -> None:
    data["weights"] = {"accuracy": 1, "relevance": 0}
    assert parse_profile(data, "my.toml").weights == (("accuracy", 1.0), ("relevance", 0.0))


def test_profiles_example_fields() -> None:
    assert load_profile("wikipedia").type("comparative").examples[0] == Example(
        source="Venus is hotter than Mercury, although Mercury is nearer to the Sun.",
        question="Which planet is hotter, Venus or Mercury?",
        answer="Venus is hotter than Mercury.",
        article="Venus",
    )

"""The README's profile is whole, its table has every key, and `drzero profiles` shows and checks."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero import pipeline
from drzero.answering import Workbench
from drzero.config import Settings
from drzero.errors import SettingsError
from drzero.evolving import run_loop
from drzero.kb.episodes import list_episodes
from drzero.kb.schema import open_knowledge_base
from drzero.profiles import SCORES, load_profile, parse_profile
from drzero.results import EvolveOptions, EvolveResult
from drzero.retrieval.index import open_index
from drzero.retrieval.search import search
from drzero.types import LEVELS
from tests.conftest import MakeZim, Run
from tests.fakes import ExtractiveLLM, HashEmbedder
from tests.made_index import index_archive
from tests.samples import BRIDGE_PAGES

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
SECTION = README.split("## A profile of your own")[1].split("\n## ")[0]
Evolve = Callable[[Path, ExtractiveLLM], EvolveResult]
EXAMPLE = SECTION.split("```toml\n")[1].split("```")[0]


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mein Profil.toml"
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


def test_own_profile_of_the_readme_is_whole(mine: Path) -> None:
    profile = load_profile(mine)
    assert (profile.name, profile.keeps_code) == ("medicine", False)
    assert [kind.name for kind in profile.types] == ["fact", "sign", "cause"]
    assert profile.weights == (("accuracy", 0.6), ("completeness", 0.3), ("relevance", 0.1))
    for level in LEVELS:
        assert len(profile.at_level(level)) >= 2


def known(place: Callable[[dict[str, Any]], dict[str, Any]]) -> set[str]:
    """The keys that one kind of table may have, as the sentence that refuses any other says."""
    data = tomllib.loads(EXAMPLE)
    place(data)["no-such-key"] = 1
    with pytest.raises(SettingsError) as caught:
        parse_profile(data, "mine.toml")
    return set(str(caught.value).partition("known here are ")[2].rstrip(".").split(", "))


@pytest.mark.parametrize(
    ("table", "place"),
    [
        ("the file", lambda data: data),
        ("a type", lambda data: data["types"][0]),
        ("an example", lambda data: data["types"][0]["examples"][0]),
    ],
)
def test_own_profile_every_key_stands_in_the_readme(
    table: str, place: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    assert set(re.findall(rf"^\| `(\w+)` \| {table} \|", SECTION, flags=re.MULTILINE)) == known(place)


def test_own_profile_every_score_and_level_stands_in_the_readme() -> None:
    assert all(f"`{name}`" in SECTION for name in (*SCORES, *LEVELS))


def test_own_profile_is_shown(run: Run, mine: Path) -> None:
    result = run("profiles", mine)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[:2] == [
        "medicine: Articles for health workers",
        "Scores: accuracy 0.6, completeness 0.3, relevance 0.1",
    ]
    assert re.search(r"^sign +easy, medium, hard +1 +Ask for the signs", result.stdout, flags=re.MULTILINE)


def test_own_profile_as_json(run: Run, mine: Path) -> None:
    (document,) = json.loads(run("profiles", mine, "--json").stdout)
    assert document["weights"] == {"accuracy": 0.6, "completeness": 0.3, "relevance": 0.1}
    assert [(kind["name"], kind["levels"][0]) for kind in document["types"]] == [
        ("fact", "easy"),
        ("sign", "easy"),
        ("cause", "medium"),
    ]
    assert [one["name"] for one in json.loads(run("profiles", "--json").stdout)] == ["coding", "wikipedia"]


@pytest.mark.parametrize("words", [("profiles",), ("evolve", "--profile"), ("ask", "Why?", "--profile")], ids="/".join)
def test_own_profile_with_a_fault_is_one_sentence_before_anything_opens(
    run: Run, mine: Path, desk: Path, make_zim: MakeZim, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:  # fmt: skip
    index_archive(make_zim(BRIDGE_PAGES, name="bridges.zim"), desk / "indexes" / "bridges")
    for name in ("open_index", "embedder_id", "find_writer"):
        monkeypatch.setattr(pipeline, name, lambda *_, **__: pytest.fail("opened before the profile was looked at"))
    mine.write_text(EXAMPLE.replace('"hard", "expert"]', '"hard", "master"]'), encoding="utf-8")
    line = EXAMPLE[: EXAMPLE.index('"hard", "expert"]')].count("\n") + 1
    result = run(*words, mine)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"Error: {mine}, line {line}: types[2].levels[2] is not a level; "
        "levels are easy, medium, hard, expert, not master.\n"
    )
    assert embedder.texts_embedded == 0


@pytest.fixture
def evolve(make_zim: MakeZim, tmp_path: Path) -> Iterator[Evolve]:
    """`evolve(profile, writer)` over a small archive, always with the same knowledge base."""
    index_archive(make_zim(BRIDGE_PAGES, name="bridges.zim"), tmp_path / "indexes" / "bridges")
    settings = replace(Settings(), loop=replace(Settings().loop, iterations=1, challenges=3, attempts=1))
    with (
        open_index(tmp_path / "indexes" / "bridges") as index,
        open_knowledge_base(tmp_path / "knowledge.db") as db,
    ):

        def run(path: Path, llm: ExtractiveLLM) -> EvolveResult:
            bench = Workbench(llm, lambda query, k: search([index], query, embedder=HashEmbedder(), k=k), (index,))
            options = EvolveOptions(seed=7)
            return run_loop(db, bench, settings, options, profile=load_profile(path), progress=lambda _: None)

        yield run


def test_own_profile_runs_the_loop(mine: Path, evolve: Evolve, tmp_path: Path) -> None:
    assert evolve(mine, ExtractiveLLM()).episodes == 3
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        assert {one.profile for one in list_episodes(db)} == {"medicine"}
        assert {one.type for one in list_episodes(db)} <= {"fact", "sign", "cause"}


def test_own_profile_that_has_changed_starts_a_run_of_its_own(mine: Path, evolve: Evolve, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        evolve(mine, ExtractiveLLM(calls_before_interrupt=5))
    mine.write_text(EXAMPLE.replace("Ask for one fact", "Ask for one plain fact"), encoding="utf-8")
    evolve(mine, ExtractiveLLM())
    mine.write_text(EXAMPLE, encoding="utf-8")
    evolve(mine, ExtractiveLLM())  # the one that was interrupted goes on
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        assert [run["status"] for run in db["runs"].rows] == ["finished", "finished"]

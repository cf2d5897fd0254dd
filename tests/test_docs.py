"""The README and what lies in docs are in step with the program."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cogapp import Cog

import drzero
from drzero.cli import cli
from drzero.config import setting_names
from drzero.corpus.kinds import KINDS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
GUIDES = ["README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]


def commands(command: click.Command = cli, words: tuple[str, ...] = ("drzero",)) -> Iterator[tuple[str, click.Command]]:
    """Every command and group with its full name."""
    yield " ".join(words), command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands(inner, (*words, name))


@pytest.mark.parametrize("file", ["README.md", "docs/commands.md", "docs/evolve.md"])
def test_docs_generated_parts_are_in_step(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "<!-- [[[cog" in (ROOT / file).read_text(encoding="utf-8")
    assert Cog().main(["cog", "--check", str(ROOT / file)]) == 0, f"run `cog -r {file}`"


def test_docs_no_other_guide_has_generated_parts() -> None:
    assert [file for file in GUIDES if "<!-- [[[cog" in (ROOT / file).read_text(encoding="utf-8")] == [
        "README.md",
        "docs/commands.md",
        "docs/evolve.md",
    ]


def test_docs_every_command_stands_in_the_reference() -> None:
    headings = re.findall(r"^## (drzero.*)$", COMMANDS, flags=re.MULTILINE)
    assert sorted(headings) == sorted(name for name, _ in commands())


def test_docs_a_newcomer_sees_an_entry_before_any_setting() -> None:
    places = [README.index(f"\n## {title}\n") for title in ("Set up", "What comes out", "Use", "Limits", "Settings")]
    assert places == sorted(places)
    setup = README[places[0] : places[1]]
    assert "\n./scripts/quickstart\n" in setup
    assert "\n./scripts/test\n" in setup
    assert "supported (probability" in README[places[1] : places[2]]


@pytest.mark.parametrize(("name", "command"), [pytest.param(*pair, id=pair[0]) for pair in commands()])
def test_docs_every_command_takes_the_common_options_and_shows_an_example(name: str, command: click.Command) -> None:
    flags = {flag for parameter in command.params for flag in parameter.opts}
    assert flags >= {"--workspace", "-v", "-q"}
    assert command.help
    first = command.help.splitlines()[0]
    assert first.endswith(".")
    if not isinstance(command, click.Group):
        example = re.search(r"Example:\n\s+(\S.*)$", command.help, flags=re.MULTILINE)
        assert example
        assert example[1].startswith(name)
        assert "--json" in flags


@pytest.mark.parametrize(("name", "command"), [pytest.param(*pair, id=pair[0]) for pair in commands()])
def test_docs_examples_parse(name: str, command: click.Command) -> None:
    for line in re.findall(r"^\s+drzero (.*)$", command.help or "", flags=re.MULTILINE):
        words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', line)]
        words = words[name.count(" ") :]
        if "--wheels" not in words:
            command.make_context(name, list(words))


def test_docs_picture_of_the_modules_is_true_to_the_tree() -> None:
    picture = README.split("<!-- modules -->")[1].split("```")[1]
    lines = picture.splitlines()
    shown = {line.split()[0].rstrip("/") for line in lines if re.match(r"  \S", line)}
    package = ROOT / "drzero"
    there = {p.name for p in package.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    assert shown == there
    shown_within: dict[str, list[str]] = {}
    folder = ""
    for line in lines:
        if line.startswith("    "):
            shown_within[folder] += line.split("  ")[2].split(", ")
        elif line.startswith("  ") and line.split()[0].endswith("/"):
            folder = line.split()[0].rstrip("/")
            shown_within[folder] = []
    for folder in ("corpus", "models", "retrieval"):
        assert sorted(shown_within[folder]) == sorted({p.stem for p in (package / folder).glob("*.py")} - {"__init__"})


@pytest.mark.parametrize("file", GUIDES)
def test_docs_links_and_scripts_exist(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
        there = (ROOT / file).parent / target if target else ROOT / file
        assert there.exists(), f"{file}: {target}"
        if anchor:
            titles = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), flags=re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", title).strip().casefold().replace(" ", "-") for title in titles}
            assert anchor in anchors, f"{file}: {target}#{anchor}"
    for script in re.findall(r"\./(scripts/\w+)", text):
        assert (ROOT / script).exists(), f"{file}: {script}"


def test_docs_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == drzero.__version__


def test_docs_every_setting_stands_in_the_readme() -> None:
    for name in setting_names():
        assert re.search(rf"^{name.split('.')[1]} = ", README, flags=re.MULTILINE), name


def test_docs_public_names_are_there() -> None:
    for name in drzero.__all__:
        assert getattr(drzero, name).__doc__, name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = drzero.nothing


def test_docs_every_kind_of_archive_stands_in_the_readme() -> None:
    section = README.split("## What `build-index` reads")[1].split("\n## ")[0]
    assert sorted(re.findall(r"^\| ([a-z]+) \|", section, flags=re.MULTILINE)[1:]) == sorted(KINDS)

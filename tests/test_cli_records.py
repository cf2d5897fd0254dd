"""The commands that look into the knowledge base: options, exit statuses, what goes to which stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from drzero import replaying
from drzero.config import Settings
from drzero.kb.episodes import save_episode, start_run
from drzero.kb.schema import open_knowledge_base
from drzero.loop.replay import Difference, Replay
from tests.conftest import Run
from tests.samples import make_episode

SAME = Replay("e1", "accepted", "whole", 12, ())
OTHER = Replay("e2", "accepted", "attempts", 3, (Difference("metrics[1]", 1.0, 0.0),), "It is old.")


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What `replaying.replay` was given; it finds one episode the same, and of a run another that is not."""
    seen: dict[str, Any] = {}

    def replay(workspace: Any, id_: str = "", **options: Any) -> list[Replay]:
        options["progress"] = "progress" in options
        seen.update(options, id=id_)
        return [SAME, OTHER] if options["run"] else [SAME]

    monkeypatch.setattr(replaying, "replay", replay)
    return seen


def test_cli_replay_of_one_episode_leaves_with_0_when_it_is_the_same(run: Run, given: dict[str, Any]) -> None:
    result = run("episodes", "replay", "e1")
    assert (result.exit_code, result.stdout) == (0, "e1 accepted, steps 12: came out the same.\n")
    assert given == {"id": "e1", "run": "", "models": None, "progress": True}


def test_cli_replay_of_a_run_leaves_with_3_when_something_differs(run: Run, given: dict[str, Any]) -> None:
    result = run("episodes", "replay", "--run", "r1", "--json")
    assert result.exit_code == 3
    same, other = json.loads(result.stdout)["episodes"]
    assert json.loads(result.stdout)["same"] is False
    assert same == {
        "id": "e1",
        "status": "accepted",
        "same": True,
        "extent": "whole",
        "steps": 12,
        "differences": [],
        "note": "",
    }
    assert other["differences"] == [{"where": "metrics[1]", "recorded": 1.0, "now": 0.0}]
    assert (other["same"], other["extent"], other["note"]) == (False, "attempts", "It is old.")
    assert given["run"] == "r1"


def test_cli_replay_with_models_gives_on_which(run: Run, given: dict[str, Any]) -> None:
    assert run("episodes", "replay", "e1", "--with-model", "--llm", "smollm2", "--judge", "writer").exit_code == 0
    models = given["models"]
    assert isinstance(models, Settings)
    assert (models.models.llm, models.models.judge) == ("smollm2", "writer")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Name one episode by its ID, or a run with --run."),
        (("e1", "--run", "r1"), "Name one episode by its ID, or a run with --run."),
        (("e1", "--llm", "smollm2"), "--llm is of use only with --with-model: without it, no model is asked."),
    ],
)
def test_cli_replay_wrong_usage_leaves_with_2(
    run: Run, given: dict[str, Any], words: tuple[str, ...], said: str
) -> None:
    result = run("episodes", "replay", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert given == {}


def test_cli_replay_names_what_is_missing(run: Run, desk: Path) -> None:
    result = run("episodes", "replay", "e1")
    assert result.exit_code == 1
    assert "There is no knowledge base" in result.stderr
    with open_knowledge_base(desk / "knowledge.db") as db:
        start_run(db, settings={}, profile="wikipedia", seed=1, iterations=1, id_="r1")
        save_episode(db, make_episode(run="r1"), None)
    assert "There is no episode e2" in run("episodes", "replay", "e2").stderr
    assert run("episodes", "replay", "--run", "r1").exit_code in (0, 3)


# --- filmstrip ------------------------------------------------------------------------------------------------------


@pytest.fixture
def film_run(desk: Path) -> Path:
    """A knowledge base with a run of two episodes, r1, and an empty one, r2."""
    with open_knowledge_base(desk / "knowledge.db") as db:
        for id_ in ("r1", "r2"):
            start_run(db, settings={}, profile="wikipedia", seed=1, iterations=1, id_=id_)
        save_episode(db, make_episode(run="r1"), None)
        save_episode(db, make_episode(id="e2", run="r1", number=1, status="quarantined"), None)
    return desk


def test_cli_filmstrip_writes_the_pictures_and_names_them(run: Run, film_run: Path, tmp_path: Path) -> None:
    strip, chart = tmp_path / "strip.png", tmp_path / "chart.PNG"
    result = run("episodes", "filmstrip", "r1", "--output", strip, "--chart", chart)
    assert (result.exit_code, result.stdout) == (0, f"Run r1, episodes 2:\n  {strip}\n  {chart}\n")
    assert strip.read_bytes()[:8] == chart.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert not list(tmp_path.glob(".*"))
    document = json.loads(run("episodes", "filmstrip", "r1", "--output", strip, "--json").stdout)
    assert document == {"run": "r1", "episodes": 2, "pages": [str(strip)], "chart": ""}


def test_cli_filmstrip_refuses_in_one_sentence(run: Run, film_run: Path, tmp_path: Path) -> None:
    assert run("episodes", "filmstrip", "r1").exit_code == 2
    result = run("episodes", "filmstrip", "r1", "--output", tmp_path / "strip.jpg")
    assert result.exit_code == 2
    assert "strip.jpg is to be a PNG file: let its name end in .png." in " ".join(result.stderr.split())
    result = run("episodes", "filmstrip", "r1", "--output", tmp_path / "no" / "strip.png")
    assert result.exit_code == 1
    assert "strip.png cannot be written (No such file or directory): name another file." in result.stderr
    result = run("episodes", "filmstrip", "r2", "--output", tmp_path / "strip.png")
    assert result.exit_code == 1
    assert "The run has no episodes yet" in result.stderr
    assert "There is no run r3" in run("episodes", "filmstrip", "r3", "--output", tmp_path / "strip.png").stderr
    assert not list(tmp_path.glob("*.png"))

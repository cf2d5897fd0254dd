"""The main commands as a user runs them, with real models and the network cut: any use of a socket ends the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from drzero.corpus.zim import open_archive
from tests.conftest import MODELS, MakeZim, fetched_model

pytestmark = pytest.mark.model

ROOT = Path(__file__).resolve().parents[1]
WRITER = "qwen2.5-coder-0.5b-instruct"
CUT = (
    "import os, sys\n"
    "sys.addaudithook(lambda event, _: os._exit(99) if event.startswith('socket.') else None)\n"
    "from drzero.cli import main\nmain()\n"
)
PAGES = {
    "Forth_Bridge": (
        "Forth Bridge",
        "<h1>Forth Bridge</h1><p>The Forth Bridge was opened in Scotland on 4 March 1890. "
        "The Forth Bridge was designed by John Fowler and Benjamin Baker. "
        "The Forth Bridge was built with 53,000 tonnes of steel.</p>",
        "text/html",
    ),
    "Eiffel_Tower": (
        "Eiffel Tower",
        "<h1>Eiffel Tower</h1><p>The Eiffel Tower was opened in Paris in May 1889. "
        "The Eiffel Tower was named after Gustave Eiffel. "
        "The Eiffel Tower weighs 10,100 tonnes.</p>",
        "text/html",
    ),
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fetched_model("all-MiniLM-L6-v2", "embedder")
    fetched_model(WRITER, "writer")
    folder = tmp_path_factory.mktemp("Ünïcode 書庫 #1")
    (folder / "zims").mkdir()
    return folder


def run(desk: Path, *words: str, status: tuple[int, ...] = (0,)) -> Any:
    environ = os.environ | {"PYTHONPATH": str(ROOT), "DRZERO_MODELS": str(MODELS), "DRZERO_MODELS_LLM": WRITER}
    environ["DRZERO_VERIFY_MIN_PROBABILITY"] = "0.4"  # the small writer is never as sure as the one it was fitted for
    done = subprocess.run(
        [sys.executable, "-c", CUT, *words, "--json"],
        cwd=desk,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in status, done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)


def test_c09_real_run_from_archive_to_verified_entries_without_network(desk: Path, make_zim: MakeZim) -> None:
    zim = make_zim(PAGES, name="towers.zim").rename(desk / "zims" / "towers.zim")

    (built,) = run(desk, "build-index")
    assert (built["status"], built["articles"], built["truncated_chunks"]) == ("built", 2, 0)
    assert run(desk, "build-index")[0]["status"] == "unchanged"

    found = run(desk, "search", "Who designed the Forth Bridge?")
    assert found["hits"][0]["path"] == "Forth_Bridge"

    answered = run(desk, "ask", "When was the Forth Bridge opened?")
    assert answered["status"] == "supported"
    assert "1890" in answered["answer"]
    (citation,) = answered["claims"][0]["citations"]
    article = open_archive(zim).article(citation["path"])
    assert article is not None
    assert article.text[citation["start"] : citation["end"]] == citation["quote"]
    assert run(desk, "ask", "How do I compost kitchen scraps?")["status"] == "abstained"

    words = "evolve --iterations 1 --challenges 3 --attempts 1 --seed 5"
    result = run(desk, *words.split(), status=(0, 3))
    assert result["episodes"] == 3
    assert result["accepted"] + sum(result["rejected"].values()) == 3
    episodes = run(desk, "episodes", "list")
    assert len(episodes) == 3
    assert all(len(episode["metrics"]) == 14 for episode in episodes)
    entries = run(desk, "kb", "list")
    assert len(entries) == result["accepted"]
    for entry in entries:
        assert {claim["verdict"] for claim in entry["claims"]} == {"supported"}
    assert run(desk, "kb", "verify")["stale"] == []


def test_real_run_verify_tells_a_supported_claim_from_a_false_one(desk: Path) -> None:
    passage = "The Forth Bridge was opened in Scotland on 4 March 1890."
    for claim, verdict in (
        ("The Forth Bridge was opened in 1890.", "supported"),
        ("The Forth Bridge was opened in 1891.", "contradicted"),
    ):
        assert run(desk, "verify", "--claim", claim, "--passage", passage)["verdict"] == verdict

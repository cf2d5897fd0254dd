"""The command line: options, exit statuses, what goes to which stream."""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from drzero import answering, evolving, pipeline
from drzero.config import Settings
from drzero.corpus.kinds import KINDS
from drzero.errors import DrZeroError, LoopFault
from drzero.kb.episodes import start_run
from drzero.kb.events import add_events
from drzero.kb.schema import open_knowledge_base
from drzero.models import fetch as fetching
from drzero.results import AskResult, EvolveOptions, EvolveResult
from drzero.terminal import ProgressLine, sentence
from drzero.types import Event, Judgement, Progress
from drzero.workspace import Workspace
from tests.conftest import MakeZim, Run
from tests.fakes import HashEmbedder
from tests.test_imports import HEAVY

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "Bridge": "<html><body><h1>Bridge → 橋</h1><p>The old bridge opened in 1931. It spans the Ouse.</p></body></html>",
    "Tower": "<html><body><h1>Tower</h1><p>The tower is 40 metres high. Bells ring at noon.</p></body></html>",
}


def process(*words: object, here: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a user does, in the folder `here`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DRZERO_")}
    return subprocess.run(
        [sys.executable, "-m", "drzero", *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        cwd=here,
        env=clean | {"PYTHONPATH": str(ROOT), "DRZERO_MODELS": str(here / "no-models")} | environ,
        timeout=60,
        check=False,
    )


def _children_s() -> float:
    """Processor seconds of all child processes so far: unlike the clock, it does not depend on what else runs here."""
    spent = os.times()
    return spent.children_user + spent.children_system


# --- shape ----------------------------------------------------------------------------------------------------------


def test_cli_help_loads_nothing_heavy(desk: Path) -> None:
    code = (
        "import sys\nfrom drzero.cli import cli\ncli(['--help'], standalone_mode=False)\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & set(sys.argv[1:])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *HEAVY],
        cwd=desk,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("Usage: ")
    assert done.stdout.splitlines()[-1] == "[]"


def test_cli_version(run: Run) -> None:
    assert run("--version").output == "drzero 0.1.0\n"


@pytest.mark.parametrize(
    "words",
    [
        ("no-such-command",),
        ("search",),
        ("search", " "),
        ("ask", ""),
        ("kb", "search", ""),
        ("verify", "--claim", "", "--passage", "x"),
        ("search", "x", "--mode", "psychic"),
        ("search", "x", "-k", "0"),
        ("evolve", "--iterations", "many"),
        ("evolve", "--no-such-flag"),
        ("build-index", "--limit", "0"),
        ("build-index", "--name", "../up"),
        ("build-index", "--name", ".hidden"),
        ("build-index", "--kind", "wiki"),
        ("verify", "--claim", "x"),
        ("models", "fetch"),
        ("models", "fetch", "x", "--wheels", "nowhere"),
        ("kb", "show"),
    ],
)
def test_cli_wrong_usage_leaves_with_2(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: drzero")
    assert "Error: " in result.stderr


def test_cli_workspace_may_stand_before_or_behind_the_command(run: Run, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    for words in (
        ("--workspace", tmp_path / "other", "status", "--json"),
        ("status", "--json", "--workspace", tmp_path / "other"),
    ):
        assert json.loads(run(*words).stdout)["workspace"] == str(tmp_path / "other")


# --- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("build-index",), "There is no archive in"),
        (("build-index", "nowhere.zim"), "There is no archive at"),
        (("build-index", "empty.zim"), "is empty (0 bytes)"),
        (("build-index", "page.zim"), "is not a ZIM archive"),
        (("build-index", "cut.zim"), "is incomplete"),
        (("build-index", "folder.zim"), "is a folder"),
        (("build-index", "good.zim"), "drzero models fetch balanced"),
        (("build-index", "good.zim", "--embedder", "nowhere"), "There is no embedder nowhere"),
        (("search", "x"), "run `drzero build-index` first"),
        (("search", "x", "--index", "nothing"), "There is no index"),
        (("ask", "x"), "run `drzero build-index` first"),
        (("evolve",), "run `drzero build-index` first"),
        (("kb", "list"), "There is no knowledge base"),
        (("kb", "verify"), "There is no knowledge base"),
        (("episodes", "show", "x"), "There is no knowledge base"),
        (("models", "fetch", "nothing"), "There is no model nothing in the catalogue"),
        (("status", "--workspace", "nowhere"), "does not exist"),
        (("doctor",), "Not ready yet"),
    ],
)
def test_c09_cli_refuses_in_one_sentence_at_once(
    desk: Path, make_zim: MakeZim, words: tuple[str, ...], says: str
) -> None:
    good = make_zim(PAGES, name="desk/good.zim")
    (desk / "cut.zim").write_bytes(good.read_bytes()[: good.stat().st_size * 9 // 10])
    (desk / "empty.zim").touch()
    (desk / "page.zim").write_text("<html><body>404</body></html>")
    (desk / "folder.zim").mkdir()
    before = sorted(desk.rglob("*"))
    before_s = _children_s()
    done = process(*words, here=desk)
    assert _children_s() - before_s < 5
    assert done.returncode == 1
    assert says in done.stderr
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert sorted(desk.rglob("*")) == before


def test_cli_faults_of_settings_are_named(run: Run, desk: Path) -> None:
    (desk / "drzero.toml").write_text("[loop]\nprofil = 'wikipedia'\n")
    result = run("status")
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: There is no setting loop.profil (in {desk / 'drzero.toml'}): did you mean loop.profile?\n"
    )


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (DrZeroError("The cat is away: call it."), "The cat is away: call it."),
        (MemoryError(), "Memory ran out"),
        (OSError(errno.ENOSPC, "No space left on device", "/x/y"), "The disk that holds /x/y is full"),
        (PermissionError(errno.EACCES, "Permission denied", "/x/y"), "/x/y: Permission denied"),
        (sqlite3.OperationalError("database or disk is full"), "The disk is full"),
        (sqlite3.OperationalError("database is locked"), "Another program is writing"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "The database cannot be written to"),
        (sqlite3.DatabaseError("database disk image is malformed"), "An index is damaged"),
        (ModuleNotFoundError("No module named 'faiss'"), "A library that drzero needs does not load (No module named"),
        (RuntimeError("odd"), "This is a fault in drzero (RuntimeError: odd)"),
    ],
)
def test_cli_every_fault_is_one_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, says: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(pipeline, "search", fail)
    assert sentence(error).startswith(says)
    result = run("search", "x")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: {sentence(error)}\n"
    assert "Traceback" in run("search", "x", "-vv").stderr


def test_cli_interrupted_says_so_in_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evolving, "evolve", stop)
    result = run("evolve")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "Interrupted: what was finished is kept, and the same command goes on from there.\n"


# --- commands -------------------------------------------------------------------------------------------------------


def test_cli_build_search_and_status(run: Run, make_zim: MakeZim, embedder: HashEmbedder) -> None:
    make_zim(PAGES, name="desk/zims/small.zim")
    built = run("build-index", "--json")
    assert (built.exit_code, built.stderr) == (0, "")
    (report,) = json.loads(built.stdout)
    assert {key: report[key] for key in ("index", "status", "articles", "chunks", "skipped", "unreadable")} == {
        "index": "small",
        "status": "built",
        "articles": 2,
        "chunks": 2,
        "skipped": report["skipped"],
        "unreadable": [],
    }
    assert (report["kind"], report["entries"], report["doubtful"]) == ("html", 2, 0)
    assert (report["truncated_chunks"], "reason" in report, report["elapsed_s"] >= 0) == (0, False, True)

    found = json.loads(run("search", "When did the bridge open?", "-k", "1", "--json").stdout)
    assert list(found) == ["query", "hits", "elapsed_ms"]
    (hit,) = found["hits"]
    assert list(hit) == [
        "rank", "score", "index", "zim_id", "path", "title", "heading", "text", "start", "end", "chunk_id",
    ]  # fmt: skip
    assert (hit["rank"], hit["path"], hit["zim_id"]) == (1, "Bridge", report["zim_id"])
    assert hit["text"] == "The old bridge opened in 1931. It spans the Ouse."
    assert hit["end"] - hit["start"] == len(hit["text"])

    status = json.loads(run("status", "--json").stdout)
    assert [(archive["zim_id"], archive["title"]) for archive in status["archives"]] == [(report["zim_id"], "Small")]
    assert [(index["index"], index["chunks"]) for index in status["indexes"]] == [("small", 2)]
    assert (status["curriculum"], status["last_run"]) == (None, None)
    assert "small" in run("status").stdout


def test_cli_build_reports_every_archive_and_leaves_with_1_if_one_failed(
    run: Run, make_zim: MakeZim, embedder: HashEmbedder, desk: Path
) -> None:
    make_zim(PAGES, name="desk/zims/a.zim")
    (desk / "zims" / "b.zim").write_text("nothing")
    result = run("build-index", "--json")
    assert result.exit_code == 1
    assert [(r["index"], r["status"]) for r in json.loads(result.stdout)] == [("a", "built"), ("b", "failed")]
    assert "b.zim is not a ZIM archive" in result.stderr
    table = run("build-index").stdout
    assert [line.split()[:2] for line in table.splitlines()[2:4]] == [["a", "unchanged"], ["b", "failed"]]


def test_cli_build_leaves_with_3_if_there_was_no_text(run: Run, make_zim: MakeZim, embedder: HashEmbedder) -> None:
    result = run("build-index", make_zim({"x.png": ("x", b"\x89PNG", "image/png")}))
    assert result.exit_code == 3
    assert "no text" in result.stderr


def test_cli_build_says_how_archives_are_read_and_reads_them_so_when_told(
    run: Run, make_zim: MakeZim, embedder: HashEmbedder
) -> None:
    archive = make_zim(PAGES)
    assert run("build-index", archive).stdout.splitlines()[2].split()[:3] == ["small", "built", "html"]
    forced = run("build-index", archive, "--kind", "mwoffliner")
    assert (forced.exit_code, forced.stdout.splitlines()[2].split()[:3]) == (0, ["small", "built", "mwoffliner"])
    again = run("build-index", archive, "--kind", "mwoffliner", "--json")
    assert [(r["status"], r["kind"]) for r in json.loads(again.stdout)] == [("unchanged", "mwoffliner")]
    assert all(kind in run("build-index", "--help").stdout for kind in KINDS)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "verify", "status", "says"),
    [
        ("invalid/bad_checksum.zim", True, 1, "bad_checksum.zim is damaged: its checksum does not match its content"),
        ("invalid/bad_checksum.zim", False, 0, ""),
        ("edge/good.zim", True, 0, ""),
        ("edge/tiny_311_bytes.zim", True, 3, "no text was found in this archive ("),
        ("invalid/nons/invalid.outofbounds_first_clusterptr.zim", False, 3, "no text could be read in this archive ("),
        ("invalid/withns/invalid.bad_mimetype_in_dirent.zim", False, 3, ": 1 entries could not be read, beside 1 art"),
    ],
)
def test_cli_build_leaves_with_the_status_that_the_archive_deserves(
    run: Run, embedder: HashEmbedder, shared_data: Path, name: str, verify: bool, status: int, says: str
) -> None:
    result = run("build-index", shared_data / "zims" / name, *(["--verify"] if verify else []))
    assert (result.exit_code, says in result.stderr, bool(result.stderr)) == (status, True, bool(says))


def test_cli_dry_run_builds_nothing(run: Run, make_zim: MakeZim, embedder: HashEmbedder, desk: Path) -> None:
    archive = make_zim(PAGES, name="desk/zims/small.zim")
    before = sorted(desk.rglob("*"))
    result = run("build-index", "--dry-run")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[2].split()[:7] == ["small", "html", "eng", "2", "2", "97", "2"]
    assert "counts are exact" in result.stdout
    (estimate,) = json.loads(run("build-index", "--dry-run", "--json", archive).stdout)
    assert (estimate["status"], estimate["chunks"], "reason" in estimate) == ("planned", 2, False)
    assert sorted(desk.rglob("*")) == before
    assert run("build-index").exit_code == 0
    assert "There is nothing to do." in run("build-index", "--dry-run").stdout


def test_cli_dry_run_leaves_with_1_if_an_archive_does_not_open(
    run: Run, make_zim: MakeZim, embedder: HashEmbedder, desk: Path
) -> None:
    make_zim(PAGES, name="desk/zims/a.zim")
    (desk / "zims" / "b.zim").write_text("nothing")
    result = run("build-index", "--dry-run", "--json")
    assert (result.exit_code, "b.zim is not a ZIM archive" in result.stderr) == (1, True)
    assert [(e["index"], e["status"]) for e in json.loads(result.stdout)] == [("a", "planned"), ("b", "failed")]


def answer(status: str) -> Callable[..., AskResult]:
    def ask(workspace: Workspace, settings: Settings, question: str, **_: object) -> AskResult:
        return AskResult(question, status, "", (), (), (), 0.5)  # type: ignore[arg-type]

    return ask


def test_cli_ask_says_honestly_that_it_is_not_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "ask", answer("abstained"))
    result = run("ask", "Why?")
    assert (result.exit_code, result.output) == (0, "Not found in these archives.\n")
    document = json.loads(run("ask", "Why?", "--json").stdout)
    assert list(document)[:6] == ["question", "status", "answer", "claims", "passages", "elapsed_s"]


@pytest.mark.parametrize(("accepted", "status"), [(2, 0), (0, 3)])
def test_cli_evolve_gives_its_options_on(run: Run, monkeypatch: pytest.MonkeyPatch, accepted: int, status: int) -> None:
    asked: list[tuple[Settings, EvolveOptions]] = []

    def evolve(workspace: Workspace, settings: Settings, options: EvolveOptions, progress: object) -> EvolveResult:
        asked.append((settings, options))
        happened = (Event("r1", 0, "nothing-new", "This iteration brought no new entry.", {"n": 1}, "2026"),)
        return EvolveResult(
            "r1", 2, 6, accepted, (("gate-x", 4),), "easy", 1.5, 1, "It stalled.", ("causal",), happened
        )

    monkeypatch.setattr(evolving, "evolve", evolve)
    words = "evolve --iterations 2 --challenges 3 --attempts 1 --profile coding --topic rivers --index a --index b"
    more = "--seed 0 --new-run --llm none --budget 1.5 --until-stalled --json"
    result = run(*words.split(), *more.split())
    assert result.exit_code == status
    assert json.loads(result.stdout) == {
        "run": "r1",
        "iterations": 2,
        "episodes": 6,
        "accepted": accepted,
        "rejected": {"gate-x": 4},
        "level": "easy",
        "elapsed_s": 1.5,
        "iterations_done": 1,
        "stopped": "It stalled.",
        "stuck": ["causal"],
        "events": [
            {
                "iteration": 0,
                "kind": "nothing-new",
                "reason": "This iteration brought no new entry.",
                "detail": {"n": 1},
                "at": "2026",
            }
        ],
    }
    ((settings, options),) = asked
    loop = settings.loop
    assert (loop.iterations, loop.challenges, loop.attempts, loop.profile) == (2, 3, 1, "coding")
    assert settings.models.llm == "none"
    assert options == EvolveOptions("rivers", ("a", "b"), 0, True, 1.5, True)
    text = run(*words.split()).stdout
    assert text.startswith(f"Run r1: 1 of 2 iterations, 6 episodes, 1.5 s.\nAccepted {accepted}, not accepted 4;")
    assert asked[1][1] == EvolveOptions("rivers", ("a", "b"))


@pytest.mark.parametrize("minutes", ["0", "-1", "soon", "nan", "inf", "-inf", "1e999"])
def test_cli_evolve_refuses_a_budget_that_is_none(run: Run, minutes: str) -> None:
    assert run("evolve", "--budget", minutes).exit_code == 2


@pytest.mark.parametrize("topic", ["", " ", "\t"])
def test_cli_evolve_refuses_a_topic_that_is_none(run: Run, topic: str) -> None:
    assert run("evolve", "--topic", topic).exit_code == 2


def test_cli_evolve_leaves_with_1_when_the_loop_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> EvolveResult:
        raise LoopFault("3 challenges in a row were ended by an error.")

    monkeypatch.setattr(evolving, "evolve", fail)
    result = run("evolve")
    assert (result.exit_code, result.stderr) == (1, "Error: 3 challenges in a row were ended by an error.\n")


def test_cli_episodes_runs_lists_runs_and_tells_of_one(run: Run, desk: Path) -> None:
    with open_knowledge_base(desk / "knowledge.db") as db:
        for name in ("first", "second"):
            start_run(db, settings={}, profile="coding", seed=3, iterations=2, id_=name)
        add_events(db, [Event("first", 0, "nothing-new", "Nothing new.", {"n": 1}, "2026")])
    assert [line.split()[0] for line in run("episodes", "runs").stdout.splitlines()[2:]] == ["second", "first"]
    assert run("episodes", "runs", "fir").stdout.endswith("\n\nIteration 1: Nothing new.\n")
    (document,) = json.loads(run("episodes", "runs", "first", "--json").stdout)
    assert list(document) == [
        "run",
        "profile",
        "seed",
        "settings",
        "iterations",
        "iterations_done",
        "status",
        "started_at",
        "finished_at",
        "episodes",
        "accepted",
        "seeds",
        "events",
    ]
    assert document["events"] == [
        {"iteration": 0, "kind": "nothing-new", "reason": "Nothing new.", "detail": {"n": 1}, "at": "2026"}
    ]
    assert run("episodes", "runs", "third").exit_code == 1


@pytest.mark.parametrize("verdict", ["supported", "contradicted", "unsupported"])
def test_cli_verify_leaves_with_0_whatever_the_verdict(run: Run, monkeypatch: pytest.MonkeyPatch, verdict: str) -> None:
    judgement = Judgement(verdict, 0.25, ("because",))  # type: ignore[arg-type]
    monkeypatch.setattr(answering, "verify_pair", lambda *_: judgement)
    result = run("verify", "--claim", "a", "--passage", "b", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"verdict": verdict, "probability": 0.25, "reasons": ["because"]}


def test_cli_models_lists_what_is_known_and_what_is_here(run: Run) -> None:
    listed = json.loads(run("models", "--json").stdout)
    assert listed == json.loads(run("models", "list", "--json").stdout)
    assert {row["name"]: row["here"] for row in listed}["all-MiniLM-L6-v2"] is False
    assert "not here" in run("models").stdout


def test_cli_models_fetch_announces_only_what_is_missing(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = {"all-MiniLM-L6-v2"}
    monkeypatch.setattr(fetching, "is_whole", lambda model, _: model.name in here)
    monkeypatch.setattr(fetching, "fetch", lambda model, *_, **__: here.add(model.name))
    folder = tmp_path / "no-models"
    words = ("models", "fetch", "all-minilm-l6-v2", "smollm2-135m-instruct")
    first, second = run(*words), run(*words, "--json")
    assert first.stderr == "Fetching smollm2-135m-instruct: 93 MB to download, at most.\n"
    assert first.stdout.splitlines()[0] == f"all-MiniLM-L6-v2 is in {folder / 'all-MiniLM-L6-v2'}"
    assert second.stderr == ""
    assert json.loads(second.stdout) == {name: str(folder / name) for name in here}


def test_cli_doctor_names_what_is_missing_and_the_command(run: Run) -> None:
    result = run("doctor", "--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["ready"]) == (1, False)
    checks = {check["name"]: check for check in document["checks"]}
    assert checks["embedder"]["state"] == "missing"
    assert checks["embedder"]["remedy"] == "run `drzero models fetch balanced`"
    assert checks["indexes"]["remedy"] == "run `drzero build-index`"
    assert checks["libzim"]["state"] == "ok"
    assert "MISSING embedder: " in run("doctor").stdout


# --- streams --------------------------------------------------------------------------------------------------------


def lexical(desk: Path, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch) -> None:
    small = HashEmbedder(limit_tokens=256)
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "embedder_id", lambda *_: small.id)
        patch.setattr(pipeline, "load_embedder", lambda *_: small)
        archive = make_zim(PAGES, name="desk/zims/small.zim")
        settings = replace(Settings())
        pipeline.build_index(Workspace(desk), settings, pipeline.BuildOptions((archive,)), lambda _: None)


def test_cli_letters_the_console_lacks_never_end_it(
    desk: Path, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch
) -> None:
    lexical(desk, make_zim, monkeypatch)
    words = ("search", "橋 bridge", "--mode", "lexical")
    plain = process(*words, here=desk, PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    assert (plain.returncode, plain.stderr) == (0, "")
    assert "Bridge" in plain.stdout
    document = process(*words, "--json", here=desk, PYTHONIOENCODING="cp1252", PYTHONUTF8="0").stdout
    assert json.loads(document)["query"] == "橋 bridge"
    assert "橋 bridge" in process(*words, "--json", here=desk, PYTHONIOENCODING="utf-8").stdout


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_cli_a_broken_pipe_is_quiet(desk: Path, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch) -> None:
    lexical(desk, make_zim, monkeypatch)
    command = f"{sys.executable} -m drzero search bridge --mode lexical | true"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["sh", "-c", command], cwd=desk, env=environ, capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_cli_ctrl_c_leaves_with_130_and_one_line(desk: Path) -> None:
    code = (
        "import time, drzero.pipeline as p\n"
        "def slow(*_, **__):\n    print('ready', flush=True)\n    time.sleep(60)\n"
        "p.search = slow\nfrom drzero.cli import main\nmain()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, "search", "x"],
        cwd=desk,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline() == "ready\n"
        running.send_signal(signal.SIGINT)
        assert running.wait(10) == 130
        assert running.stderr.read().strip().startswith("Interrupted: ")


class Screen:
    """A stream that keeps what is written, as a terminal or as a file."""

    def __init__(self, terminal: bool) -> None:
        self.text = ""
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def test_cli_progress_rewrites_one_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "61")
    screen, now = Screen(terminal=True), [0.0]
    with ProgressLine(screen, clock=lambda: now[0]) as progress:  # type: ignore[arg-type]
        progress(Progress(1, 4, "articles", 1.0, 0.5, "small"))
        progress(Progress(2, 4, "articles", 1.0, 0.5, "small"))
        now[0] = 1.0
        progress(Progress(3, 4, "articles", 1.0, 0.5, "small"))
    shown = screen.text.split("\r")
    assert [text.rstrip() for text in shown if text.strip()] == [
        "small: 1 of 4 articles (25%), 0.5 articles/s, 6.0 s left",
        "small: 3 of 4 articles (75%), 0.5 articles/s, 2.0 s left",
    ]
    assert "\n" not in screen.text
    assert screen.text.endswith("\r")


def test_cli_progress_adds_a_line_now_and_then_elsewhere() -> None:
    screen, now = Screen(terminal=False), [0.0]
    with ProgressLine(screen, clock=lambda: now[0]) as progress:  # type: ignore[arg-type]
        for second in range(12):
            now[0] = float(second)
            progress(Progress(second, 12, "chunks", second, 1.0))
    assert screen.text == (
        "5 of 12 chunks (42%), 1.0 chunks/s, 7.0 s left\n10 of 12 chunks (83%), 1.0 chunks/s, 2.0 s left\n"
    )


def test_cli_progress_is_silent_when_told_to_be_quiet() -> None:
    screen = Screen(terminal=True)
    with ProgressLine(screen, quiet=True) as progress:  # type: ignore[arg-type]
        progress(Progress(1, 2, "chunks", 1.0, 1.0))
    assert screen.text == ""

"""What `drzero status` and `drzero doctor` find in a workspace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from drzero import doctor, pipeline
from drzero.config import Settings
from drzero.doctor import Check, examine
from drzero.judges import keep_calibration
from drzero.kb.episodes import save_curriculum, start_run
from drzero.kb.events import add_events
from drzero.kb.schema import open_knowledge_base
from drzero.loop.calibration import Calibration
from drzero.loop.entailment import writer_judge_id
from drzero.models.nli import nli_id
from drzero.results import BuildOptions
from drzero.status import models, status
from drzero.types import Curriculum, Event, TypeRecord
from drzero.workspace import Workspace
from tests.conftest import MakeZim
from tests.fakes import HashEmbedder
from tests.made_nli import make_nli
from tests.test_resolve import make_writer

PAGES = {"Bridge": "<html><body><p>The old bridge opened in 1931.</p></body></html>"}
NO_WRITER = replace(Settings(), models=replace(Settings().models, llm="none"))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("DRZERO_MODELS", str(tmp_path / "no-models"))
    (tmp_path / "desk" / "zims").mkdir(parents=True)
    return Workspace(tmp_path / "desk")


@pytest.fixture
def build(
    workspace: Workspace, make_zim: MakeZim, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    monkeypatch.setattr(doctor, "embedder_id", lambda *_: embedder.id)

    def run(name: str) -> Path:
        archive = make_zim(PAGES, name=f"desk/zims/{name}.zim")
        pipeline.build_index(workspace, Settings(), BuildOptions((archive,)), lambda _: None)
        return archive

    return run


def checks(workspace: Workspace, settings: Settings = NO_WRITER) -> dict[str, Check]:
    return {check.name: check for check in examine(workspace, settings)}


# --- status ---------------------------------------------------------------------------------------------------------


def test_status_of_an_empty_workspace(workspace: Workspace) -> None:
    assert status(workspace, Settings()) == {
        "workspace": str(workspace.root),
        "archives": [],
        "indexes": [],
        "half_built": [],
        "models": [],
        "settings": {
            "embedder": "balanced",
            "reranker": "auto",
            "llm": "qwen2.5-coder-1.5b-instruct",
            "judge": "auto",
            "min_probability": None,
            "profile": "wikipedia",
        },
        "calibrations": [],
        "knowledge_base": {"entries": {}, "episodes": {}, "runs": {}},
        "curriculum": None,
        "last_run": None,
    }
    assert sorted(path.name for path in workspace.root.iterdir()) == ["zims"]


def test_status_says_what_cannot_be_read(workspace: Workspace, build: Callable[[str], Path]) -> None:
    build("small")
    (workspace.index_folder("small") / "manifest.json").write_text("{")
    (workspace.zims / "cut.zim").write_bytes(b"ZIM")
    (workspace.indexes / ".other.building").mkdir()
    workspace.database.write_text("no database, whatever its name")
    found = status(workspace, replace(Settings(), loop=replace(Settings().loop, profile="cooking")))
    assert [(Path(a["path"]).name, "fault" in a) for a in found["archives"]] == [
        ("cut.zim", True),
        ("small.zim", False),
    ]
    assert [(i["index"], "fault" in i) for i in found["indexes"]] == [("small", True)]
    assert found["half_built"] == ["other"]
    assert found["knowledge_base"]["fault"].startswith(f"{workspace.database} is not a SQLite database")


def test_status_reports_types_that_never_succeed(workspace: Workspace) -> None:
    db = open_knowledge_base(workspace.database)
    types = (TypeRecord("causal", 5, 0, (0.0,)), TypeRecord("factual", 9, 1, (0.9,)))
    save_curriculum(db, "wikipedia", Curriculum("medium", 2, (0.5,), types=types))
    db.close()
    curriculum = status(workspace, Settings())["curriculum"]
    assert (curriculum["level"], curriculum["iterations"], curriculum["scores"]) == ("medium", 2, [0.5])
    assert curriculum["stuck"] == ["causal"]
    assert curriculum["types"]["factual"] == {"tries": 9, "accepted": 1}
    assert curriculum["leaning"] == 0


def test_status_tells_the_latest_events_of_the_last_run(workspace: Workspace) -> None:
    with open_knowledge_base(workspace.database) as db:
        start_run(db, settings={}, profile="wikipedia", seed=3, iterations=9, id_="r1")
        told = [Event("r1", n, "nothing-new", f"Nothing new, {n}.", {"n": n}, "2026") for n in range(7)]
        add_events(db, [*told, Event("r1", 7, "iteration", "1 of 2 challenges gave an entry.")])
    last = status(workspace, Settings())["last_run"]
    assert (last["run"], last["episodes"], last["accepted"], last["articles"]) == ("r1", 0, 0, 0)
    assert last["events"] == [
        {"iteration": n, "kind": "nothing-new", "reason": f"Nothing new, {n}.", "at": "2026"} for n in range(2, 7)
    ]


def test_status_models_lists_those_of_the_catalogue_first(workspace: Workspace) -> None:
    listed = models(workspace)
    assert [row["name"] for row in listed][:2] == ["all-MiniLM-L6-v2", "wordllama-l2-supercat-256"]
    assert not any(row["here"] or row["path"] for row in listed)
    assert all(row["licence"] and row["download_bytes"] for row in listed)


# --- doctor ---------------------------------------------------------------------------------------------------------


def test_doctor_is_content_with_what_was_just_built(workspace: Workspace, build: Callable[[str], Path]) -> None:
    build("small")
    found = checks(workspace)
    assert found["archives"] == Check("archives", "ok", "small.zim")
    assert found["indexes"] == Check("indexes", "ok", "small: 1 chunks")
    assert (found["writer"].state, found["profile"].state, found["workspace"].state) == ("note", "ok", "ok")
    assert (found["knowledge base"].state, found["pace"].state) == ("note", "note")


def test_doctor_names_what_is_not_indexed_or_half_built(
    workspace: Workspace, build: Callable[[str], Path], make_zim: MakeZim
) -> None:
    (workspace.indexes / ".other.building").mkdir(parents=True)
    assert checks(workspace)["indexes"] == Check("indexes", "missing", "other: half built", "run `drzero build-index`")
    build("small")
    make_zim(PAGES, name="desk/zims/other.zim")
    found = checks(workspace)
    assert found["archives"] == Check("archives", "note", "not indexed yet: other.zim", "run `drzero build-index`")
    assert found["indexes"].state == "note"
    assert found["indexes"].detail == "small: 1 chunks; other: half built"


def test_doctor_tells_an_index_of_another_embedder(
    workspace: Workspace, build: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    build("small")
    monkeypatch.setattr(doctor, "embedder_id", lambda *_: "other-64")
    found = checks(workspace)["indexes"]
    assert (found.state, found.remedy) == ("missing", "run `drzero build-index`")
    assert "hash-64, not other-64" in found.detail


def test_doctor_tells_a_damaged_index_and_knowledge_base(workspace: Workspace, build: Callable[[str], Path]) -> None:
    build("small")
    (workspace.index_folder("small") / "vectors.faiss").write_bytes(b"")
    workspace.database.mkdir()
    found = checks(workspace)
    assert (found["indexes"].state, found["knowledge base"].state) == ("missing", "missing")
    assert "vectors.faiss" in found["indexes"].detail


def test_doctor_names_the_command_that_makes_clusters_again(workspace: Workspace, build: Callable[[str], Path]) -> None:
    build("small")
    (workspace.index_folder("small") / "clusters.faiss").write_bytes(b"lost")
    found = checks(workspace)["indexes"]
    assert (found.state, found.remedy) == ("note", "run `drzero build-index`")
    assert "clusters.faiss is damaged" in found.detail


def test_doctor_names_the_command_that_brings_a_model(workspace: Workspace) -> None:
    found = checks(workspace, Settings())
    assert found["embedder"].remedy == "run `drzero models fetch balanced`"
    assert found["writer"].remedy == "run `drzero models fetch qwen2.5-coder-1.5b-instruct`"


def test_doctor_looks_for_libraries_without_loading_them(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(package: str) -> str:
        raise doctor.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(doctor.util, "find_spec", lambda name: None if name == "llama_cpp" else name)
    monkeypatch.setattr(doctor.metadata, "version", absent)
    found = checks(workspace)
    assert found["llama_cpp"] == Check(
        "llama_cpp", "missing", "runs the writer, but is not installed", "run `pip install llama-cpp-python`"
    )
    assert found["faiss"].detail == "of another package, finds near vectors"


def test_doctor_does_without_what_only_prepares_an_embedder(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.util, "find_spec", lambda name: None if name == "torch" else name)
    found = checks(workspace)
    assert found["torch"] == Check(
        "torch",
        "note",
        "not installed; an embedder without an ONNX graph could not be prepared",
        "run `pip install torch` if you bring such a model",
    )
    assert found["onnxscript"].state == "ok"


# --- judges ---------------------------------------------------------------------------------------------------------

FITTED = Calibration(
    "mine@1",
    ("entailment",),
    (1.0,),
    0.0,
    0.8,
    120,
    "2026-01-02T03:04:05+00:00",
    (("precision", 0.95), ("recall", 0.5)),
)


def judged_by(name: str) -> Settings:
    return replace(NO_WRITER, models=replace(NO_WRITER.models, judge=name))


def test_status_shows_the_workspaces_own_calibrations(workspace: Workspace) -> None:
    keep_calibration(workspace, FITTED)
    found = status(workspace, judged_by("mine"))
    assert found["settings"]["judge"] == "mine"
    assert found["calibrations"] == [
        {
            "judge": "mine@1",
            "pairs": 120,
            "made_at": "2026-01-02T03:04:05+00:00",
            "threshold": 0.8,
            "precision": 0.95,
            "recall": 0.5,
        }
    ]
    workspace.calibrations.write_text("{")
    (fault,) = status(workspace, NO_WRITER)["calibrations"]
    assert fault["fault"].startswith(f"{workspace.calibrations} cannot be used (it is not JSON)")


def test_status_lists_an_nli_folder_as_a_judge(workspace: Workspace) -> None:
    folder = make_nli(workspace.models / "mine")
    found = status(workspace, NO_WRITER)["models"]
    assert [(row["name"], row["kind"], row["path"]) for row in found] == [("mine", "judge", str(folder))]


def test_doctor_says_how_far_the_judge_is_believed(workspace: Workspace) -> None:
    words = "no model: the evidence's own words, calibrated as packaged"
    assert checks(workspace)["judge"] == Check("judge", "ok", words)
    assert "judge" not in checks(workspace, judged_by("writer"))  # neither a writer nor another
    folder = make_nli(workspace.models / "mine")
    assert checks(workspace, judged_by("mine"))["judge"] == Check(
        "judge",
        "note",
        f"mine in {folder}, not calibrated on this machine: it is believed with caution",
        "run `drzero eval calibrate PAIRS.jsonl --save` on labelled pairs of your own",
    )
    keep_calibration(workspace, replace(FITTED, judge=nli_id(folder)))
    assert checks(workspace, judged_by("mine"))["judge"] == Check(
        "judge", "ok", f"mine in {folder}, calibrated on 120 pairs: precision 0.950 at recall 0.500"
    )


def test_doctor_and_status_say_when_a_setting_stands_in_place_of_calibrations(workspace: Workspace) -> None:
    folder = make_nli(workspace.models / "mine")
    plain = judged_by("mine")
    settings = replace(plain, verify=replace(plain.verify, min_probability=0.6))
    but = "; but verify.min_probability is 0.6, which stands in place of the threshold of any calibration"
    assert checks(workspace, settings)["judge"].detail == checks(workspace, plain)["judge"].detail + but
    keep_calibration(workspace, replace(FITTED, judge=nli_id(folder)))
    assert checks(workspace, settings)["judge"].detail == checks(workspace, plain)["judge"].detail + but
    assert status(workspace, settings)["settings"]["min_probability"] == 0.6
    assert status(workspace, plain)["settings"]["min_probability"] is None


def test_doctor_shows_the_writer_as_the_judge_it_is(workspace: Workspace) -> None:
    file = make_writer(workspace.models / "small.gguf")
    small = replace(Settings(), models=replace(Settings().models, llm="small"))
    caution = "the writer itself, not calibrated on this machine: it is believed with caution"
    assert (checks(workspace, small)["judge"].state, checks(workspace, small)["judge"].detail) == ("note", caution)
    fitted = replace(FITTED, names=("yes",), judge=f"small@{file.stat().st_size}/judge-0")
    keep_calibration(workspace, fitted)  # asked in other words
    assert checks(workspace, small)["judge"].detail == caution
    keep_calibration(workspace, replace(fitted, judge=writer_judge_id(f"small@{file.stat().st_size}")))
    assert checks(workspace, small)["judge"].detail == (
        "the writer itself, calibrated on 120 pairs: precision 0.950 at recall 0.500"
    )


def test_doctor_knows_the_writer_that_the_packaged_calibration_is_for(workspace: Workspace) -> None:
    make_writer(workspace.models / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf")
    settings = replace(Settings(), models=replace(Settings().models, llm="qwen2.5-coder-1.5b-instruct-q4_k_m"))
    assert checks(workspace, settings)["judge"] == Check("judge", "ok", "the writer itself, calibrated as packaged")


def test_doctor_names_a_judge_that_is_missing_or_a_file_that_is_broken(workspace: Workspace) -> None:
    found = checks(workspace, judged_by("deberta"))["judge"]
    assert (found.state, found.remedy) == ("missing", "name another one with --judge")
    assert found.detail.startswith("There is no judge deberta in ")
    assert found.detail.endswith(": name the folder of an NLI model, or `writer`.")
    workspace.calibrations.write_text("{")
    found = checks(workspace, judged_by("deberta"))["judge"]
    assert (found.state, found.remedy) == ("missing", "mend calibration.json, or move it away")

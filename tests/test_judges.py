"""drzero.judges: which judge, and by which calibration it is believed."""

from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import drzero
from drzero import judges
from drzero.config import Settings
from drzero.errors import ModelError, SettingsError
from drzero.judges import (
    Foreseen,
    choose_calibration,
    foresee_judge,
    judge_of,
    keep_calibration,
    kept_calibrations,
    load_judge,
    load_signals,
    signals_of_writer,
)
from drzero.loop.calibration import Calibration, from_json, packaged
from drzero.loop.entailment import Calibrated, SaidFirst, WriterSignals
from drzero.models.llama import writer_id
from drzero.models.nli import nli_id
from drzero.models.resolve import ResolvedModel
from drzero.workspace import BusyError, Workspace
from tests.fakes import ScriptedLLM, WordSignals
from tests.made_nli import make_nli
from tests.test_resolve import make_writer

OWN = Calibration("words", ("entailment",), (2.0,), -1.0, 0.8, pairs=100, made_at="2026-01-02T03:04:05+00:00")


@pytest.fixture
def workspace(desk: Path) -> Workspace:
    return Workspace(desk)


def with_judge(name: str) -> Settings:
    return replace(Settings(), models=replace(Settings().models, judge=name))


# --- which judge ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["auto", "writer"])
def test_judges_the_writer_judges_unless_told_otherwise(workspace: Workspace, name: str) -> None:
    llm = ScriptedLLM(judge=lambda _: 1.5)
    signals = load_signals(workspace, with_judge(name), lambda: llm)
    assert isinstance(signals, WriterSignals)
    assert signals.signals([("a", "b")]).tolist() == [[1.5]]


def no_writer() -> ScriptedLLM:
    raise AssertionError("no writer is needed")


def test_judges_an_nli_folder_needs_no_writer(workspace: Workspace) -> None:
    folder = make_nli(workspace.models / "mine")
    judge = load_judge(workspace, with_judge("mine"), no_writer)
    assert judge.entailment.id.startswith(f"{nli_id(folder)}/calibrated-")
    assert judge.min_probability == packaged()["nli"].threshold == judge.thresholds.min_probability
    high, low = judge.entailment.entail([("sea high high", "sea"), ("storm", "sea")])
    assert high > 0.9
    assert low < 0.1


def test_judges_a_folder_that_is_not_here_is_told_before_the_writer_loads(workspace: Workspace) -> None:
    with pytest.raises(ModelError, match="There is no judge deberta in"):
        load_judge(workspace, with_judge("deberta"), no_writer)


def test_judges_what_is_foreseen_is_what_is_loaded(workspace: Workspace) -> None:
    make_nli(workspace.models / "mine")
    foreseen = foresee_judge(workspace, with_judge("mine"))
    loaded = load_signals(workspace, with_judge("mine"), no_writer)
    assert foreseen is not None
    assert (foreseen.id, foreseen.names) == (loaded.id, loaded.names)
    assert foreseen.folder == ResolvedModel("mine", "judge", workspace.models / "mine")
    file = make_writer(workspace.models / "small.gguf")
    settings = replace(Settings(), models=replace(Settings().models, llm="small"))
    llm = ScriptedLLM()
    llm.id = f"small@{file.stat().st_size}"  # as the writer calls itself
    assert writer_id(file) == llm.id
    loaded = load_signals(workspace, settings, lambda: llm)
    assert foresee_judge(workspace, settings) == Foreseen(loaded.id, loaded.names, None)


def test_judges_without_a_writer_only_what_is_said_word_by_word_is_believed(workspace: Workspace) -> None:
    none = replace(Settings(), models=replace(Settings().models, llm="none"))
    assert foresee_judge(workspace, none) == Foreseen("verbatim-1", ("kept",), None)
    judge = load_judge(workspace, none, lambda: pytest.fail("loaded for nothing"))
    assert judge.min_probability == packaged()["verbatim"].threshold
    premise = "Salt: Table salt consists mainly of sodium chloride."
    very, other = judge.entailment.entail(
        [(premise, "Table salt consists of sodium chloride."), (premise, "Salt is dry.")]
    )
    assert other < judge.min_probability <= very


def test_judges_a_writer_that_is_to_judge_must_be_named(workspace: Workspace) -> None:
    none = replace(Settings(), models=replace(Settings().models, llm="none", judge="writer"))
    assert foresee_judge(workspace, none) is None
    with pytest.raises(ModelError, match="--judge auto, or name a writer"):
        load_signals(workspace, none, lambda: pytest.fail("loaded for nothing"))


# --- which calibration ----------------------------------------------------------------------------------------------


def test_judges_a_calibration_of_the_workspace_is_for_its_judge_alone(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    assert choose_calibration(WordSignals(), (OWN,)) == (OWN, "")
    with caplog.at_level(logging.WARNING):
        judge = judge_of(WordSignals("other words"), Settings(), (OWN,))
    assert isinstance(judge.entailment, SaidFirst)
    assert isinstance(judge.entailment.model, Calibrated)
    assert judge.entailment.model.calibration == packaged()["nli"]
    assert caplog.messages == [
        "This workspace is calibrated for the judge words, not for other words, which is used as packaged: run "
        "`drzero eval calibrate PAIRS.jsonl --save` to fit one on pairs of your own."
    ]


def test_judges_an_unknown_judge_is_believed_with_caution_and_that_is_said() -> None:
    calibration, note = choose_calibration(WordSignals(), ())
    assert calibration == packaged()["nli"]
    assert note == (
        "No calibration was ever fitted for the judge words; a cautious one for any of its kind is used: run "
        "`drzero eval calibrate PAIRS.jsonl --save` to fit one on pairs of your own."
    )


def test_judges_the_writer_that_drzero_was_fitted_for_needs_no_word() -> None:
    llm = ScriptedLLM()
    llm.id = "qwen2.5-coder-1.5b-instruct-q4_k_m@1"
    assert choose_calibration(WriterSignals(llm), ()) == (packaged()["writer-1.5b"], "")


class Strange(WordSignals):
    """A judge of signals that nobody knows."""

    names = ("mood",)  # type: ignore[assignment]


def test_judges_a_judge_without_any_calibration_is_refused() -> None:
    with pytest.raises(ModelError, match="There is no calibration for the judge words: run `drzero eval calibrate"):
        choose_calibration(Strange(), ())


def test_judges_a_calibration_of_signals_that_are_gone_is_not_used() -> None:
    gone = replace(OWN, names=("mood",))
    assert choose_calibration(WordSignals(), (gone,))[0] == packaged()["nli"]


def test_judges_a_threshold_of_the_settings_wins_and_zero_is_none() -> None:
    assert judge_of(WordSignals(), Settings(), (OWN,)).min_probability == 0.8
    mine = replace(Settings(), verify=replace(Settings().verify, min_probability=0.6))
    assert judge_of(WordSignals(), mine, (OWN,)).min_probability == 0.6


def test_judges_alone_read_the_threshold_of_the_settings() -> None:
    """0 in the settings is no threshold: whoever took it for one would believe everything."""
    package = Path(drzero.__file__).parent
    readers = [
        file.relative_to(package).as_posix()
        for file in sorted(package.rglob("*.py"))
        if "verify.min_probability" in file.read_text(encoding="utf-8")
    ]
    assert readers == ["judges.py"]


# --- the file -------------------------------------------------------------------------------------------------------


def test_judges_calibrations_are_kept_one_for_each_judge(workspace: Workspace) -> None:
    assert kept_calibrations(workspace) == ()
    assert keep_calibration(workspace, OWN) == workspace.root / "calibration.json"
    other = replace(OWN, judge="other")
    keep_calibration(workspace, other)
    assert kept_calibrations(workspace) == (OWN, other)
    newer = replace(OWN, threshold=0.9)
    keep_calibration(workspace, newer)
    assert kept_calibrations(workspace) == (other, newer)
    assert {path.name for path in workspace.root.iterdir()} <= {"calibration.json", "calibration.json.lock"}


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such permissions")
@pytest.mark.parametrize("mask", [0o022, 0o007])
def test_judges_calibrations_may_be_read_by_whom_other_files_may(workspace: Workspace, mask: int) -> None:
    before = os.umask(mask)
    try:
        keep_calibration(workspace, OWN)
    finally:
        os.umask(before)
    assert workspace.calibrations.stat().st_mode & 0o777 == 0o666 & ~mask


def test_judges_calibrations_are_on_the_disk_before_they_take_their_place(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[tuple[Calibration, ...], bool]] = []
    monkeypatch.setattr(
        judges,
        "sync",
        lambda path: synced.append((from_json(path.read_text(encoding="utf-8")), workspace.calibrations.exists())),
    )
    keep_calibration(workspace, OWN)
    assert synced == [((OWN,), False)]


def test_judges_calibrations_kept_at_once_are_all_kept(workspace: Workspace) -> None:
    many = [replace(OWN, judge=f"words {n}") for n in range(16)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda one: keep_calibration(workspace, one), many))
    assert sorted(kept_calibrations(workspace), key=lambda one: one.judge) == sorted(many, key=lambda one: one.judge)


def test_judges_a_workspace_in_which_another_calibrates_is_waited_for(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judges, "_PATIENCE_S", 0.01)
    with workspace.locked("eval calibrate"), pytest.raises(BusyError) as error:
        keep_calibration(workspace, OWN)
    assert str(error.value) == (
        f"Another `drzero eval calibrate` is at work in {workspace.root}: wait for it to end, or stop it."
    )
    assert not workspace.calibrations.exists()
    with workspace.locked("evolve"), workspace.locked("build-index"):
        keep_calibration(workspace, OWN)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"{", "it is not JSON"), (b"\xff\xfe", "it is not UTF-8 text"), (b"{}", "it holds no calibrations of format 1")],
)
def test_judges_a_broken_file_is_told_and_never_written_over(workspace: Workspace, content: bytes, reason: str) -> None:
    workspace.calibrations.write_bytes(content)
    said = f"{workspace.calibrations} cannot be used ({reason}): mend it, or move it away and calibrate again."
    for work in (
        lambda: kept_calibrations(workspace),
        lambda: keep_calibration(workspace, OWN),
        lambda: load_judge(workspace, Settings(), no_writer),
    ):
        with pytest.raises(SettingsError) as error:
            work()
        assert str(error.value) == said
    assert workspace.calibrations.read_bytes() == content


def test_judges_a_workspace_that_cannot_be_written_is_told(workspace: Workspace) -> None:
    (workspace.root / "file").touch()
    with pytest.raises(SettingsError, match=r"calibration\.json cannot be written \(.+\): change the permissions"):
        keep_calibration(Workspace(workspace.root / "file"), OWN)
    workspace.calibrations.mkdir()
    with pytest.raises(SettingsError, match=r"calibration\.json cannot be used \(Is a directory\)"):
        kept_calibrations(workspace)


def test_judges_a_model_is_not_asked_about_what_is_said_word_by_word() -> None:
    llm = ScriptedLLM(judge=lambda _: -9.0)
    judge = judge_of(signals_of_writer(llm), Settings())
    premise = "Salt: Table salt consists mainly of sodium chloride."
    said = "Table salt consists mainly of sodium chloride."
    reworded = "Sodium chloride is what table salt mainly consists of."
    probabilities = judge.entailment.entail([(premise, reworded), (premise, said)])
    assert probabilities[0] < 0.01
    assert probabilities[1] >= judge.min_probability
    assert [prompt.messages[-1][1].split("\n")[1] for prompt in llm.prompts] == [f"Statement: {reworded}"]

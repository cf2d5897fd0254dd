"""The scripts: bad input is a sentence on stderr and exit status 2, never a traceback."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


ROW = json.dumps({"keep": True, "path": "A/x"})


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("measure_agreement", "gone.jsonl", "gone.jsonl is no gold file that can be read: FileNotFoundError"),
        ("measure_agreement", "bad.jsonl", "bad.jsonl is no gold file that can be read: JSONDecodeError"),
        ("measure_agreement", "other.jsonl", "other.jsonl is no gold file that can be read: KeyError"),
        ("measure_agreement", "empty.jsonl", "empty.jsonl has no question of which a pair can be made"),
        ("make_changed_claims", "gone.jsonl", "gone.jsonl is no gold file that can be read: FileNotFoundError"),
        ("make_changed_claims", "bad.jsonl", "bad.jsonl is no gold file that can be read: JSONDecodeError"),
        ("fit_gates", "fit gone.jsonl --model w.gguf", "gone.jsonl is not there: make it with propose"),
        ("fit_gates", "show gone.jsonl", "gone.jsonl is not there: make it with propose"),
        ("fit_gates", "fit empty.jsonl", "fit needs a writer: name its file with --model"),
        ("fit_gates", "judge empty.jsonl", "judge needs a writer: name its file with --model"),
        ("fit_gates", "propose new.jsonl", "propose needs a writer: name its file with --model"),
        ("fit_gates", "propose new.jsonl --model w.gguf", "holds no index: name the folder of indexes with --indexes"),
        ("fit_gates", "judge empty.jsonl --model w.gguf", "w.gguf"),
        ("fit_gates", "show bad.jsonl", "bad.jsonl is no file of JSON lines"),
        ("bench_evolve", "--workspace .", "index"),
        ("bench_vectors", "gone gone.jsonl --workspace .", "gone holds no index"),
    ],
)
def test_scripts_refuse_bad_input_in_a_sentence(
    name: str,
    words: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "bad.jsonl").write_text("{no json")
    (tmp_path / "other.jsonl").write_text(ROW)
    (tmp_path / "empty.jsonl").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name, *words.split()])
    with pytest.raises(SystemExit) as left:
        script(name).main()
    assert left.value.code == 2
    assert said in capsys.readouterr().err


def test_scripts_fit_gates_needs_rows_of_both_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    monkeypatch.setattr(sys, "argv", ["fit_gates", "fit", str(tmp_path / "empty.jsonl"), "--model", "w.gguf"])
    with pytest.raises(SystemExit, match="needs rows that were judged and labelled, worth keeping and not"):
        script("fit_gates").main()


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("bench_verify", "gone.jsonl", "gone.jsonl cannot be read"),
        ("calibrate_search", "--workspace .", "There is no index at"),
    ],
)
def test_scripts_end_with_the_sentence_of_a_fault(name: str, words: str, said: str, tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), *words.split()]
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS.parent)}
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == 1
    assert ended.stderr.startswith(said), ended.stderr
    assert "Traceback" not in ended.stderr

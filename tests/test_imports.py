"""Imports point one way, and nothing heavy stands on the way to `drzero --help`."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "drzero"
LAYERS = (
    {"copies", "errors", "files", "normalising", "output_faults", "text", "types"},
    {"config", "languages", "profiles", "results", "workspace"},
    {"corpus", "encyclopedia", "kb", "loop", "models", "retrieval"},
    {"evaluation", "fitting", "records", "shelf"},
    {"calibrating", "disputing", "pipeline"},
    {"judges"},
    {"answering", "improving", "status"},
    {"iterating"},
    {"comparing", "doctor", "estimating", "evolving", "measuring", "merging", "rechecking", "replaying"},
    {"documents", "frames", "output"},
    {"figures", "listings", "terminal"},
    {"cli_eval", "cli_records", "cli_truth"},
    {"cli"},
    {"__main__"},
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# Below the siblings a level may use itself: text uses nothing, wording and types use text's constants.
OPEN_LEVELS = {0, 1}
HEAVY = (
    "faiss",
    "libzim",
    "llama_cpp",
    "lxml",
    "numpy",
    "onnx",
    "onnxruntime",
    "PIL",
    "pypdf",
    "sentence_transformers",
    "sentencex",
    "sqlite_utils",
    "torch",
)


def imports(file: Path) -> Iterator[tuple[str, str]]:
    """(part of drzero that imports, part that is imported) for each import in `file`, wherever it stands."""
    part = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            root, *rest = name.split(".")
            if root == "drzero" and rest[0] in LEVEL:
                yield part, rest[0]


def test_imports_point_one_way() -> None:
    wrong = sorted(
        f"{file.relative_to(PACKAGE)} imports {aim}"
        for file in PACKAGE.rglob("*.py")
        for part, aim in imports(file)
        if part not in (aim, "__init__")
        and not (LEVEL[aim] < LEVEL[part] or (LEVEL[aim] == LEVEL[part] and LEVEL[part] in OPEN_LEVELS))
    )
    assert wrong == []


def test_imports_know_every_module() -> None:
    here = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert sorted(here - {"__init__"} - set(LEVEL)) == []


@pytest.mark.parametrize("library", ["faiss", "libzim", "llama_cpp", "PIL"])
def test_imports_one_module_reads_each_foreign_format(library: str) -> None:
    users = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Import) and any(a.name.split(".")[0] == library for a in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == library)
    }
    assert len({user.split("/")[0] for user in users}) == 1, users


def test_imports_of_the_help_are_light() -> None:
    code = "import sys, drzero.cli; print(*(name.split('.')[0] for name in sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert sorted(set(out.split()) & set(HEAVY)) == []

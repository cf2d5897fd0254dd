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
    {"config", "languages", "profiles", "publishing", "results", "workspace"},
    {"corpus", "encyclopedia", "kb", "loop", "models", "retrieval"},
    {"datasets", "evaluation", "fitting", "records", "shelf"},
    {"calibrating", "disputing", "pipeline"},
    {"curating", "judges"},
    {"answering", "improving", "status"},
    {"iterating"},
    {"comparing", "doctor", "estimating", "evolving", "exporting", "measuring", "merging", "rechecking", "replaying"},
    {"training"},
    {"documents", "frames", "output"},
    {"figures", "listings", "terminal"},
    {"cli_eval", "cli_export", "cli_records", "cli_training", "cli_truth"},
    {"cli"},
    {"__main__"},
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# Below the siblings a level may use itself: text uses nothing, wording and types use text's constants.
OPEN_LEVELS = {0, 1}
HEAVY = (
    "faiss",
    "genanki",
    "jinja2",
    "libzim",
    "llama_cpp",
    "lxml",
    "numpy",
    "onnx",
    "onnxruntime",
    "PIL",
    "pyarrow",
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


@pytest.mark.parametrize(
    ("library", "parts"),
    [
        ("faiss", ["retrieval"]),
        ("libzim.reader", ["corpus"]),
        ("libzim.writer", ["encyclopedia"]),
        ("llama_cpp", ["models"]),
        ("PIL", ["encyclopedia", "frames.py"]),
    ],
)
def test_imports_each_foreign_format_is_known_in_one_place(library: str, parts: list[str]) -> None:
    users = {
        file.relative_to(PACKAGE).parts[0]
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        if f"{name}.".startswith(f"{library}.")
    }
    assert sorted(users) == parts


def test_imports_of_the_help_are_light() -> None:
    code = "import sys, drzero.cli; print(*(name.split('.')[0] for name in sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert sorted(set(out.split()) & set(HEAVY)) == []

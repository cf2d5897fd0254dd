"""The ids of models in folders, from their files alone; the files are read again only when one of them changed."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drzero.files import sha256_of
from drzero.models.catalogue import models_folder
from drzero.models.describing import ModelSettings, read_settings
from drzero.models.resolve import check_embedder_folder, onnx_graph

_WEIGHT_SUFFIXES = (".safetensors", ".bin")
_SETTING_FILES = ("modules.json", "config.json", "sentence_bert_config.json", "tokenizer.json", "vocab.txt")
_WORTH_NOTING = 4 << 20  # bytes; less is read in no time
_SETTLED_NS = 2_000_000_000  # a file changed so recently may change again within a tick of the file system's clock
_REMEMBERED = 64


def embedder_id(folder: Path) -> str:
    """Name and fingerprint of the embedder in `folder`, from its files alone: nothing heavy is loaded.

    The fingerprint is 16 hexadecimal digits over weights (an ONNX graph is one of them), tokenizer and settings,
    prefixes and limit too; dates, model cards and the precision of the arithmetic do not count. Raises ModelError for a
    broken folder.
    """
    check_embedder_folder(folder)
    return id_of(read_settings(folder))


def id_of(settings: ModelSettings) -> str:
    """`embedder_id` of a folder whose settings are read."""
    head = json.dumps((settings.query_prefix, settings.passage_prefix, settings.limit_tokens, "unit length"))
    return fingerprinted(settings.folder, head, onnx_graph(settings.reader))


def fingerprinted(folder: Path, head: str, graph: Path | None) -> str:
    """Name and fingerprint of a model folder: 16 hexadecimal digits over `head`, weights, tokenizer and settings."""
    counted = _counted(folder, graph)
    sizes = [(name, (found := path.stat()).st_size, found.st_mtime_ns) for name, path in counted]
    stamp = hashlib.sha256(json.dumps([head, sizes]).encode()).hexdigest()
    place = str(folder.absolute())
    noted = _noted()
    if (known := noted.get(place)) is not None and known[0] == stamp:
        return str(known[1])
    digest = hashlib.sha256(head.encode())
    for name, path in counted:
        digest.update(name.encode())
        digest.update(sha256_of(path))
    found_id = f"{folder.absolute().name}@{digest.hexdigest()[:16]}"
    settled = all(changed_ns < time.time_ns() - _SETTLED_NS for _, _, changed_ns in sizes)
    if settled and sum(size for _, size, _ in sizes) >= _WORTH_NOTING:
        _note({**{key: row for key, row in noted.items() if key != place}, place: [stamp, found_id]})
    return found_id


def _counted(folder: Path, graph: Path | None) -> Sequence[tuple[str, Path]]:
    """(path in the folder, file) of each file that changes what the model gives, sorted."""
    graphs = {graph, *graph.parent.glob(f"{graph.name}[._]*")} if graph else set()  # large graphs keep weights beside
    return [
        (file.relative_to(folder).as_posix(), file)
        for file in sorted(folder.rglob("*"))
        if (file.suffix in _WEIGHT_SUFFIXES or file.name in _SETTING_FILES or file in graphs) and file.is_file()
    ]


def _notes() -> Path:
    return models_folder() / ".onnx" / "fingerprints.json"


def _noted() -> dict[str, Any]:
    """Folder → [stamp of its files' sizes and times, its id]; {} where nothing can be read."""
    try:
        found = json.loads(_notes().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    rows = found.items() if isinstance(found, dict) else ()
    return {place: row for place, row in rows if isinstance(row, list) and len(row) == 2}


def _note(rows: dict[str, Any]) -> None:
    """Keep the newest notes; where they cannot be written, the files are read each time."""
    kept = dict([(place, row) for place, row in rows.items() if Path(place).is_dir()][-_REMEMBERED:])
    try:
        _notes().parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".fingerprints-", dir=_notes().parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=1)
        os.replace(name, _notes())
    except OSError:
        return

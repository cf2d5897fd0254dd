"""A model reference → files on this machine: a path, or a name in one of the folders of models.

Everything that can be told without loading a model is checked here, so that a mistake costs no waiting.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drzero.errors import ModelError
from drzero.models.catalogue import CatalogueModel, Kind, faults, find_in_catalogue
from drzero.models.gguf import check_gguf
from drzero.models.labels import read_labels

_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "sentencepiece.bpe.model", "spiece.model", "tokenizer.model")
_WORD_LISTS = (*_TOKENIZERS, "vocab.json", "spm.model")
# Where exporters put a graph, the exact one first; a quantised one is taken where it is alone.
_GRAPHS = tuple(
    f"{place}{name}.onnx"
    for name in ("model", "model_quantized", "model_int8", "model_quint8", "model_uint8")
    for place in ("onnx/", "")
)
_JUDGES = "name the folder of an NLI model, or `writer`"
_READS_TEXT = ("Transformer", "StaticEmbedding")


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A checked model: `path` is a folder of an embedder, re-ranker or judge, or the GGUF file of a writer."""

    name: str
    kind: Kind
    path: Path


def resolve_model(reference: str, kind: Kind, *, folders: Sequence[Path]) -> ResolvedModel:
    """The model that `reference` means: a name in `folders`, the first that has it whole, else a path.

    Raises ModelError when it is nowhere (naming the folders and the command that brings it), incomplete, or of another
    kind.
    """
    known = find_in_catalogue(reference)
    if known is not None and known.kind != kind:
        other = _JUDGES if kind == "judge" else f"name {_an(kind)} of `drzero models`"
        raise ModelError(f"{known.name} is {_an(known.kind)}, not {_an(kind)}: {other}.")
    path = Path(reference).expanduser()
    names = (place for folder in folders for place in _places(folder, known.name if known else reference))
    refused: ModelError | None = None
    for place in (*names, path):
        if place.exists():
            try:
                return _checked(place, kind, known if place != path else None)
            except ModelError as error:
                refused = refused or error
    if refused is not None:
        raise refused
    looked = " or ".join(str(folder) for folder in folders)
    if known is not None:
        raise ModelError(f"The {_title(kind)} {known.name} is not in {looked}: run `drzero models fetch {known.name}`.")
    if _looks_like_path(reference):
        other = _JUDGES if kind == "judge" else "run `drzero models` for what is here"
        raise ModelError(f"There is no model at {path.absolute()}: check the path, or {other}.")
    if kind == "judge":  # none can be fetched
        raise ModelError(f"There is no judge {reference} in {looked}: {_JUDGES}.")
    raise ModelError(
        f"There is no {_title(kind)} {reference} in {looked}: "
        "run `drzero models` for what is here and what can be fetched."
    )


def find_models(folders: Sequence[Path]) -> tuple[ResolvedModel, ...]:
    """All usable models in `folders`, each name once and the first folder first; what is incomplete is left out."""
    found: dict[str, ResolvedModel] = {}
    for folder in folders:
        for place in sorted(folder.iterdir()) if folder.is_dir() else ():
            model = None if place.name.startswith(".") else _usable(place)
            if model is not None:
                found.setdefault(model.name, model)
    return tuple(found.values())


def _usable(place: Path) -> ResolvedModel | None:
    kinds: tuple[Kind, ...] = ("embedder", "judge", "reranker", "writer")
    for kind in kinds:
        try:
            return _checked(place, kind, find_in_catalogue(place.name))
        except ModelError:
            continue
    return None


def _places(folder: Path, name: str) -> tuple[Path, ...]:
    """Where a model called `name` may lie in `folder`; a name that climbs out of it lies nowhere."""
    if not name or Path(name).is_absolute() or ".." in Path(name).parts:
        return ()
    return folder / name, folder / f"{name}.gguf"


def _checked(place: Path, kind: Kind, known: CatalogueModel | None) -> ResolvedModel:
    if known is not None and place.is_dir() and (missing := faults(known, place)):
        raise ModelError(
            f"{known.name} in {place} is incomplete ({missing[0]}): run `drzero models fetch {known.name}`."
        )
    if kind in _FOLDER_CHECKS:
        _FOLDER_CHECKS[kind](place)
        return ResolvedModel(place.name, kind, place)
    file = _gguf_in(place) if place.is_dir() else place
    check_gguf(file)
    return ResolvedModel(place.name if place.is_dir() else place.stem, kind, file)


def _gguf_in(folder: Path) -> Path:
    files = sorted(folder.glob("*.gguf"))
    firsts = [file for file in files if "-of-" not in file.name or "-00001-of-" in file.name] or files
    if len(firsts) == 1:
        return firsts[0]
    if (folder / "modules.json").exists() or (folder / "config.json").exists():
        raise ModelError(
            f"{folder} holds no GGUF file but an embedder or an unconverted model: name a .gguf file as the writer."
        )
    what = f"{len(firsts)} GGUF files" if firsts else "no GGUF file"
    raise ModelError(f"{folder} holds {what}: name the one .gguf file that is to write.")


def check_embedder_folder(folder: Path) -> None:
    """Raise ModelError unless `folder` is a whole sentence-transformers model, naming the file at fault."""
    if not folder.exists():
        raise ModelError(f"There is no model folder {folder}: run `drzero models` for what is here.")
    if not folder.is_dir():
        raise ModelError(f"{folder} is a file: an embedder is a sentence-transformers folder.")
    if _reads_pairs(folder):
        raise ModelError(f"{folder} is a cross-encoder, not an embedder: name an embedder of `drzero models`.")
    modules = read_json(folder, "modules.json")
    try:
        parts = [(str(row["type"]).rsplit(".", 1)[-1], folder / row["path"]) for row in modules]
    except (TypeError, KeyError):
        parts = []
    if not parts:
        raise ModelError(f"{folder / 'modules.json'} is not as sentence-transformers writes it: copy the folder again.")
    for kind, part in parts:
        if kind in _READS_TEXT:
            _check_reader(part, needs_config=kind == "Transformer")
        elif kind == "Pooling":
            read_json(part, "config.json")
        elif kind == "Dense":
            read_json(part, "config.json")
            _check_weights(part)


def check_reranker_folder(folder: Path) -> None:
    """Raise ModelError unless `folder` holds a cross-encoder as an ONNX graph, naming what it lacks."""
    if not folder.is_dir():
        raise ModelError(f"There is no model folder {folder}: run `drzero models` for what is here.")
    if (folder / "modules.json").is_file() and not _reads_pairs(folder):
        raise ModelError(f"{folder} is an embedder, not a re-ranker: name a re-ranker of `drzero models`.")
    if onnx_graph(folder) is None:
        raise ModelError(f"{folder} holds no ONNX graph of a re-ranker: export the model as onnx/model.onnx.")
    if not (folder / "tokenizer.json").is_file():
        raise ModelError(f"{folder} is incomplete: tokenizer.json is missing; copy or fetch the whole folder again.")


def check_judge_folder(folder: Path) -> None:
    """Raise ModelError unless `folder` is a whole NLI model whose config.json says which label is entailment."""
    if not folder.exists():
        raise ModelError(f"There is no model folder {folder}: {_JUDGES}.")
    if not folder.is_dir():
        raise ModelError(
            f"{folder} is a file: a judge is the folder of an NLI model as transformers writes it, or `writer`."
        )
    if (folder / "modules.json").is_file() and not _reads_pairs(folder):
        raise ModelError(f"{folder} is an embedder, not a judge: {_JUDGES}.")
    config = read_json(folder, "config.json")
    read_labels(config if isinstance(config, dict) else {}, folder / "config.json")
    graph = onnx_graph(folder)
    if graph is None:
        _check_weights(folder)
    wanted = _WORD_LISTS if graph is None else _WORD_LISTS[:1]
    if not any((folder / name).is_file() for name in wanted):
        raise ModelError(f"{folder} is incomplete: tokenizer.json is missing; copy or fetch the whole folder again.")


def _reads_pairs(folder: Path) -> bool:
    """Whether sentence-transformers wrote a cross-encoder here, which from version 6 on has modules as an embedder."""
    name = "config_sentence_transformers.json"
    found = read_json(folder, name) if (folder / name).is_file() else {}
    return isinstance(found, dict) and found.get("model_type") == "CrossEncoder"


_FOLDER_CHECKS: dict[Kind, Callable[[Path], None]] = {
    "embedder": check_embedder_folder,
    "judge": check_judge_folder,
    "reranker": check_reranker_folder,
}


def _check_reader(folder: Path, *, needs_config: bool) -> None:
    if needs_config:
        read_json(folder, "config.json")
    if onnx_graph(folder) is None:
        _check_weights(folder)
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        raise ModelError(f"{folder} is incomplete: tokenizer.json is missing; copy or fetch the whole folder again.")


def onnx_graph(folder: Path) -> Path | None:
    """The ONNX graph that a model folder carries beside or instead of its weights, or None."""
    return next((folder / name for name in _GRAPHS if (folder / name).is_file()), None)


def has_weights(folder: Path) -> bool:
    """Whether a model folder holds whole weights that PyTorch can read, beside or without an ONNX graph."""
    try:
        _check_weights(folder)
    except ModelError:
        return False
    return True


def _check_weights(folder: Path) -> None:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        names = sorted(set(read_json(folder, index.name).get("weight_map", {}).values()))
    else:
        names = [next((name for name in _WEIGHTS if (folder / name).is_file()), _WEIGHTS[0])]
    for name in names:
        if not (folder / name).is_file():
            raise ModelError(f"{folder} is incomplete: {name} is missing; copy or fetch the whole folder again.")
        if name.endswith(".safetensors"):
            _check_safetensors(folder / name)


def _check_safetensors(path: Path) -> None:
    """The head of a safetensors file says where its last tensor ends."""
    size = path.stat().st_size
    try:
        with open(path, "rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            head = json.loads(stream.read(min(length, size)))
        end = 8 + length + max(row["data_offsets"][1] for name, row in head.items() if name != "__metadata__")
    except (struct.error, ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{path} is no safetensors file or ends in its head: copy or fetch it again.") from None
    if size < end:
        raise ModelError(f"{path} is incomplete: {size:,} of {end:,} bytes; copy or fetch it again.")


def read_json(folder: Path, name: str) -> Any:
    """The value in a JSON file of a model folder. Raises ModelError when it is missing or no JSON."""
    path = folder / name
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{folder} is incomplete: {name} is missing; copy or fetch the whole folder again.") from None
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read ({error.strerror}): change its permissions or copy it again."
        ) from error
    except ValueError:
        raise ModelError(f"{path} is not valid JSON: copy or fetch the whole folder again.") from None


def _looks_like_path(reference: str) -> bool:
    return "/" in reference or "\\" in reference or reference.startswith("~") or reference.endswith(".gguf")


def _title(kind: Kind) -> str:
    return "re-ranker" if kind == "reranker" else kind


def _an(kind: Kind) -> str:
    return {"embedder": "an embedder", "judge": "a judge", "reranker": "a re-ranker", "writer": "a writer"}[kind]

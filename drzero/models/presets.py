"""Presets: names for an embedder and what re-ranks at query time. Data in `catalogue.toml`; a model's name is one too.

The embedder of a preset, named as itself or as its preset, is re-ranked in the same way: what an index was made with
decides how it is searched, not how it was called.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from drzero.errors import ModelError
from drzero.models.catalogue import CatalogueModel, catalogue_model, find_in_catalogue
from drzero.models.resolve import ResolvedModel, resolve_model

AUTO, NONE = "auto", "none"
"""As the re-ranker in the settings: what the preset says, or none at all."""


@dataclass(frozen=True, slots=True)
class Preset:
    """An embedder of the catalogue with the model that reads its first `depth` passages again; `reranker` "" for none.

    The re-ranker is a cross-encoder or another embedder of the catalogue.
    """

    name: str
    title: str
    embedder: str
    reranker: str
    depth: int

    @property
    def models(self) -> tuple[CatalogueModel, ...]:
        """All that it needs."""
        return tuple(catalogue_model(name) for name in (self.embedder, self.reranker) if name)


@cache
def load_presets() -> tuple[Preset, ...]:
    """The presets, the quickest to build first."""
    with open(Path(__file__).with_name("catalogue.toml"), "rb") as stream:
        return tuple(Preset(**table) for table in tomllib.load(stream)["preset"])


def find_preset(reference: str) -> Preset | None:
    """The preset of this name, or the one whose embedder has it, whatever its capitals; None when there is none."""
    wanted = reference.casefold()
    presets = load_presets()
    return next((one for one in presets if one.name == wanted), None) or next(
        (one for one in presets if one.embedder.casefold() == wanted), None
    )


def is_preset(reference: str) -> bool:
    """Whether this is the name of a preset itself."""
    return reference.casefold() in {preset.name for preset in load_presets()}


def models_named(names: Sequence[str]) -> tuple[CatalogueModel, ...]:
    """The models to fetch for these names of presets and models, each once. Raises ModelError naming the known ones."""
    found: dict[CatalogueModel, None] = {}
    for name in names:
        if is_preset(name):
            preset = find_preset(name)
            found |= dict.fromkeys(preset.models if preset else ())
        elif (model := find_in_catalogue(name)) is not None:
            found[model] = None
        else:
            presets = ", ".join(preset.name for preset in load_presets())
            try:
                catalogue_model(name)
            except ModelError as error:
                raise ModelError(f"{str(error).removesuffix('.')}, or one of the presets {presets}.") from None
    return tuple(found)


def resolve_embedder(reference: str, *, folders: Sequence[Path]) -> ResolvedModel:
    """The embedder that a preset, a name or a path means; raises ModelError with the command that brings it."""
    preset = find_preset(reference) if is_preset(reference) else None
    if preset is None:
        return resolve_model(reference, "embedder", folders=folders)
    try:
        return resolve_model(preset.embedder, "embedder", folders=folders)
    except ModelError as error:
        raise _needed(preset, preset.embedder, error) from error


def resolve_reranker(
    reference: str, embedder: str, *, folders: Sequence[Path], depth: int
) -> tuple[ResolvedModel, int] | None:
    """The re-ranker for indexes of `embedder` (a preset, name or path) and how many passages it reads; None for none.

    `reference` is AUTO, NONE, a name or a path; `depth` serves what no preset says. Raises ModelError, with the command
    that brings it: a search without a re-ranker that belongs to it would be worse in silence.
    """
    if reference == NONE:
        return None
    if reference != AUTO:
        return _either(reference, folders), depth
    preset = find_preset(embedder)
    if preset is None or not preset.reranker:
        return None
    try:
        return _either(preset.reranker, folders), preset.depth
    except ModelError as error:
        raise _needed(preset, preset.reranker, error, f", or search without it by --reranker {NONE}") from error


def _either(reference: str, folders: Sequence[Path]) -> ResolvedModel:
    """A cross-encoder, or else an embedder."""
    known = find_in_catalogue(reference)
    if known is not None:
        return resolve_model(reference, "embedder" if known.kind == "embedder" else "reranker", folders=folders)
    try:
        return resolve_model(reference, "reranker", folders=folders)
    except ModelError as error:
        try:
            return resolve_model(reference, "embedder", folders=folders)
        except ModelError:
            raise error from None


def _needed(preset: Preset, model: str, error: ModelError, otherwise: str = "") -> ModelError:
    """The same fault, with the command for the whole preset in the place of the model's own."""
    said = str(error).replace(f"`drzero models fetch {model}`", f"`drzero models fetch {preset.name}`")
    return ModelError(f"{said.removesuffix('.')}{otherwise} (for the preset {preset.name}).")

"""Fixtures shared by all tests: small archives made on the spot, and the real data where it lies beside."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NoReturn

import pytest
from click.testing import CliRunner, Result
from libzim.writer import Creator, Hint, Item, StringProvider

from drzero import pipeline
from drzero.cli import cli
from drzero.errors import ModelError
from drzero.models.catalogue import models_folder
from drzero.models.resolve import resolve_model
from tests.fakes import HashEmbedder

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

MODELS = models_folder()  # before any test changes the environment
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


class TextItem(Item):
    """One entry of a made archive."""

    def __init__(self, path: str, title: str, content: str | bytes, mimetype: str, front: bool) -> None:
        super().__init__()
        self._path, self._title, self._content, self._mimetype, self._front = path, title, content, mimetype, front

    def get_path(self) -> str:
        return self._path

    def get_title(self) -> str:
        return self._title

    def get_mimetype(self) -> str:
        return self._mimetype

    def get_contentprovider(self) -> StringProvider:
        return StringProvider(self._content)

    def get_hints(self) -> dict[Hint, bool]:
        return {Hint.FRONT_ARTICLE: self._front}


MakeZim = Callable[..., Path]
Run = Callable[..., Result]


@pytest.fixture
def make_zim(tmp_path: Path) -> MakeZim:
    """`make_zim(pages, name=…, redirects=…, metadata=…)`: write an archive and return its path.

    `pages` maps path → HTML, or path → (title, content, mimetype), or path → (title, content, mimetype, front);
    `redirects` maps path → (title, target).
    """

    def make(
        pages: Mapping[str, str | tuple[str, str | bytes, str] | tuple[str, str | bytes, str, bool]],
        *,
        name: str = "small.zim",
        redirects: Mapping[str, tuple[str, str]] | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Path:
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with Creator(str(target)).config_indexing(False, "eng") as creator:
            for path, page in pages.items():
                title, content, mimetype, *front = (path, page, "text/html") if isinstance(page, str) else page
                creator.add_item(TextItem(path, title, content, mimetype, front[0] if front else True))
            for path, (title, aim) in (redirects or {}).items():
                creator.add_redirection(path, title, aim, {Hint.FRONT_ARTICLE: True})
            for key, value in {"Title": "Small", "Language": "eng", "Date": "2026-01-01", **(metadata or {})}.items():
                creator.add_metadata(key, value)
            if pages:
                creator.set_mainpath(next(iter(pages)))
        return target

    return make


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashEmbedder:
    """A small embedder in place of the model folder in the settings."""
    small = HashEmbedder(limit_tokens=256)
    monkeypatch.setattr(pipeline, "embedder_id", lambda *_: small.id)
    monkeypatch.setattr(pipeline, "load_embedder", lambda *_: small)
    return small


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace as the current folder, with no variable of ours set."""
    for name in [name for name in os.environ if name.startswith("DRZERO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DRZERO_MODELS", str(tmp_path / "no-models"))
    place = tmp_path / "desk"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def run(desk: Path) -> Run:
    return lambda *words: CliRunner().invoke(cli, [str(word) for word in words], prog_name="drzero")


def not_here(reason: str) -> NoReturn:
    """Skip the test for want of data or a model; in CI, where everything has to be there, fail it."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real archives and labelled questions; the test is skipped where it is absent."""
    if not SHARED_DATA.is_dir():
        not_here("../shared/data is not here")
    return SHARED_DATA


def fetched_model(name: str, kind: Literal["embedder", "reranker", "writer"]) -> Path:
    """Where a model of the catalogue lies; the test is skipped where it is absent."""
    try:
        return resolve_model(name, kind, folders=(MODELS,)).path
    except ModelError as error:
        not_here(str(error))

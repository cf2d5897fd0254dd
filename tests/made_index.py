"""An index of a made archive, without a model."""

from __future__ import annotations

from pathlib import Path

from drzero.corpus.reading import read_chunks
from drzero.corpus.zim import open_archive
from drzero.retrieval.index import build
from tests.fakes import HashEmbedder


def index_archive(zim: Path, folder: Path) -> None:
    """Index an archive at `folder` with the hash embedder."""
    archive, embedder = open_archive(zim), HashEmbedder()
    build(
        info=archive.info,
        read=lambda start: read_chunks(archive, tokenizer=embedder.tokenizer, target_tokens=60, start=start),
        embedder=embedder,
        folder=folder,
        settings={},
        limit=None,
        force=False,
        progress=lambda _: None,
    )

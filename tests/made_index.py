"""An index of a made archive, without a model.

`python -m tests.made_index ZIM FOLDER READERS` makes it in a process that can be killed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from drzero.corpus.reading import read_chunks
from drzero.corpus.zim import open_archive
from drzero.retrieval.index import build
from tests.fakes import HashEmbedder


def index_archive(zim: Path, folder: Path, *, readers: int = 0, batch_chunks: int = 128) -> None:
    """Index an archive at `folder` with the hash embedder."""
    archive, embedder = open_archive(zim), HashEmbedder()
    build(
        info=archive.info,
        read=lambda start: read_chunks(
            archive, tokenizer=embedder.tokenizer, target_tokens=60, start=start, workers=readers
        ),
        embedder=embedder,
        folder=folder,
        settings={},
        batch_chunks=batch_chunks,
        step_s=0,
    )


if __name__ == "__main__":
    index_archive(Path(sys.argv[1]), Path(sys.argv[2]), readers=int(sys.argv[3]), batch_chunks=16)

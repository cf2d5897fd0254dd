"""The program as a process of its own: `python -m tests.stubbed WORDS…`.

It has the small embedder.

Of the environment: STUB_NAME names the embedder, STUB_DELAY_S is how long it takes for each call. Links are refused, as
by a file system that has none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, NoReturn

from drzero import answering, pipeline
from drzero.cli import main
from drzero.types import Float32
from tests.fakes import HashEmbedder


class Slow(HashEmbedder):
    """Takes its time."""

    def embed_passages(self, texts: Sequence[str], tokens: Any = None) -> Float32:
        time.sleep(float(os.environ.get("STUB_DELAY_S", "0")))
        return super().embed_passages(texts, tokens)


def no_links(*_: object, **__: object) -> NoReturn:
    raise OSError("this file system has no links")


if __name__ == "__main__":
    embedder = Slow(name=os.environ.get("STUB_NAME", "hash"), limit_tokens=256)
    pipeline.embedder_id = lambda *_: embedder.id  # type: ignore[assignment]
    pipeline.load_embedder = answering.load_embedder = lambda *_: embedder  # type: ignore[assignment]
    os.symlink = os.link = no_links
    main()

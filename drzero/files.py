"""What both models and indexes do with files: their digests, and waiting until they are on the disk."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def sha256_of(path: Path) -> bytes:
    """The 32 bytes of SHA-256 over a file's content."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk; of folders only where the system can."""
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

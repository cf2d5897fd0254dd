"""What an index says of itself: `manifest.json`, the last file written into its folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from drzero.errors import IndexFault
from drzero.files import sync
from drzero.types import ArchiveInfo, BuildReport, Embedder

FORMAT = 3
FILE_NAME = "manifest.json"
_NO_DIFFERENCE = ("name", "fingerprint", "precision", "languages")  # of two embedders' vectors


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an index was made of and with. `skipped` counts entries by reason; `settings` are the caller's own.

    `description` is the embedder's own, of all that decides its vectors; `stamp` is drawn for each build and stands in
    the store, too; `sampled_digest` is of the vectors of `sampled_rows`. `pace` is what the
    build measured: chunks embedded and how many of them a second, the seconds of each stage, reading processes,
    processors, precision.
    """

    format: int
    archive: ArchiveInfo
    embedder: str
    dim: int
    settings: Mapping[str, Any]
    limit: int | None
    articles: int
    aliases: int
    chunks: int
    skipped: Mapping[str, int]
    unreadable: tuple[str, ...]
    truncated_chunks: int
    created_at: str  # ISO 8601, UTC
    doubtful: int = 0  # articles of which some bytes could not be told for sure
    marked: Mapping[str, int] = field(default_factory=dict)  # articles that are no evidence, by mark
    crowding: Mapping[str, int] = field(default_factory=dict)  # chunks of each page that makes much of a large index
    description: Mapping[str, Any] = field(default_factory=dict)
    stamp: str = ""
    sampled_rows: tuple[int, ...] = ()
    sampled_digest: str = ""
    pace: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """Read it from an index folder; IndexFault when it is missing, damaged or of another format."""
        path = folder / FILE_NAME
        try:
            fields = json.loads(path.read_bytes())
            if fields["format"] != FORMAT:
                raise IndexFault(f"{folder} was made by another version of drzero; run build-index again.")
            archive = ArchiveInfo(**fields.pop("archive"))
            rows, unreadable = tuple(fields["sampled_rows"]), tuple(fields["unreadable"])
            return cls(**fields | {"archive": archive, "unreadable": unreadable, "sampled_rows": rows})
        except FileNotFoundError as error:
            raise IndexFault(f"There is no index at {folder}; run build-index first.") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexFault(f"{path} cannot be read; run build-index --force.") from error

    def save(self, folder: Path) -> None:
        """Write it into `folder` and wait until it is on the disk."""
        path = folder / FILE_NAME
        with path.open("w", encoding="utf-8") as file:
            json.dump(asdict(self), file, indent=1)  # ASCII only: keeps lone surrogates
            file.flush()
            os.fsync(file.fileno())
        sync(folder)

    @property
    def identity(self) -> dict[str, Any]:
        """Two builds with the same identity give the same index."""
        return identity_of(self.archive, self.embedder, self.dim, self.settings, self.limit)

    def refuse_another(self, index: str, embedder_id: str, description: Mapping[str, Any]) -> None:
        """Raise IndexFault, which says in what the two differ, when `index` was made with another embedder."""
        if embedder_id != self.embedder:
            others = another_embedder((self.embedder, self.description), (embedder_id, description))
            raise IndexFault(
                f"The index {index} was made with the embedder {others}; choose that one with --embedder "
                f"{name_of(self.embedder)}, or run build-index again."
            )

    def report(self, index: str, status: Literal["built", "resumed", "unchanged"]) -> BuildReport:
        """A report of the whole index, without times."""
        return BuildReport(
            index=index,
            zim_id=self.archive.id,
            kind=self.archive.kind,
            status=status,
            articles=self.articles,
            aliases=self.aliases,
            chunks=self.chunks,
            skipped=tuple(sorted(self.skipped.items())),
            unreadable=self.unreadable,
            truncated_chunks=self.truncated_chunks,
            doubtful=self.doubtful,
            marked=tuple(sorted(self.marked.items())),
            entries=self.archive.entry_count,
            crowding=tuple(self.crowding.items()),
        )


def identity_of(
    info: ArchiveInfo, embedder: str, dim: int, settings: Mapping[str, Any], limit: int | None
) -> dict[str, Any]:
    """What decides whether an index, or a half-made one, is the one wanted."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(settings)))
    return {"format": FORMAT, "zim_id": info.id, "embedder": embedder, "dim": dim, "settings": plain, "limit": limit}


def differences(made: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """In what two identities differ, in words: "chunk_tokens 200, now 150"."""
    ours, theirs = dict(made.get("settings") or {}), dict(wanted.get("settings") or {})
    versions = [(one.get("format"), given.pop("extraction", None)) for one, given in ((made, ours), (wanted, theirs))]
    found = []
    if made.get("zim_id") != wanted.get("zim_id"):
        found.append("another edition of the archive")
    if versions[0] != versions[1]:
        found.append("another version of drzero")
    ours["limit"], theirs["limit"] = made.get("limit"), wanted.get("limit")
    keys = [key for key in {**theirs, **ours} if ours.get(key) != theirs.get(key)]
    found += [f"{key} {_shown(ours.get(key))}, now {_shown(theirs.get(key))}" for key in keys]
    return "; ".join(found)


def another_embedder(made: tuple[str, Mapping[str, Any]], wanted: tuple[str, Mapping[str, Any]]) -> str:
    """Two embedders, each an id and its description, in words: "A, not B (pooling mean, not cls)"."""
    (one, ours), (other, theirs) = made, wanted
    keys = [key for key in ours if key in theirs and key not in _NO_DIFFERENCE and ours[key] != theirs[key]]
    in_what = ", ".join(f"{key} {_shown(ours[key])}, not {_shown(theirs[key])}" for key in keys)
    return f"{one}, not {other}" + (f" ({in_what})" if in_what else "")


def description_of(embedder: Embedder) -> dict[str, Any]:
    """What an embedder says of itself; {} when it says nothing."""
    return dict(getattr(embedder, "description", {}))


def name_of(embedder_id: str) -> str:
    """The name in an embedder's id, which the user chose it by."""
    return embedder_id.rpartition("@")[0] or embedder_id


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value) or '""'

"""Archive files on disk, whole or split, and what is wrong with those that cannot be opened."""

from __future__ import annotations

import re
from pathlib import Path

from drzero.errors import ArchiveError

_PART = re.compile(r"\.zim([a-z]{2})$", re.I)
_MAGIC = b"ZIM\x04"
HEADER_BYTES = 80
_CHECKSUM_BYTES = 16


def archive_name(path: Path | str) -> str:
    """The file name without `.zim` or, for a split archive, `.zimaa`."""
    return re.sub(r"\.zim(aa)?$", "", Path(path).name, flags=re.I)


def find_archives(folder: Path) -> list[Path]:
    """The archives in `folder` by name, a split one once, by its first part. An absent folder holds none."""
    if not folder.is_dir():
        return []
    whole = [path for path in folder.iterdir() if path.suffix.lower() == ".zim"]
    names = {path.stem for path in whole}
    first_parts: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if _PART.search(path.name) and path.stem not in names:
            first_parts.setdefault(path.stem, path)
    return sorted([*whole, *first_parts.values()])


def parts(path: Path) -> list[Path]:
    """The files an archive consists of, in order: itself, or `.zimaa`, `.zimab`, … as far as they follow each other."""
    if path.exists() and not _PART.search(path.name):
        return [path]
    base = path.with_suffix(".zim")
    found: list[Path] = []
    for first in "abcdefghijklmnopqrstuvwxyz":
        for second in "abcdefghijklmnopqrstuvwxyz":
            part = base.with_name(base.name + first + second)
            if not part.exists():
                return found
            found.append(part)
    return found


def check_files(path: Path) -> list[Path]:
    """The parts of the archive at `path`; raises ArchiveError when they are not a whole ZIM archive."""
    if path.is_dir():
        raise ArchiveError(f"{path} is a folder, not an archive: name a .zim file.")
    files = parts(path)
    if not files and not path.exists():
        if orphans := sorted(path.parent.glob(f"{_escaped(path.stem)}.zim[a-z][a-z]")):
            raise ArchiveError(_first_part_wanted(orphans[0]))
        raise ArchiveError(f"There is no archive at {path}: check the name, or put the file there.")
    if path not in files and path.exists():
        raise ArchiveError(_first_part_wanted(path))
    if path.exists() and _PART.search(path.name) and path != files[0]:
        raise ArchiveError(f"{path} is a later part of a split archive: name its first part {files[0].name} instead.")
    _check_sizes(path, files)
    return files


def _check_sizes(path: Path, files: list[Path]) -> None:
    size = sum(file.stat().st_size for file in files)
    if size == 0:
        raise ArchiveError(f"{path} is empty (0 bytes), so its download was cut short: fetch it again.")
    with files[0].open("rb") as opened:
        header = opened.read(HEADER_BYTES)
    if not header.startswith(_MAGIC[: len(header)]):
        raise ArchiveError(f"{path} is not a ZIM archive, whatever its name says: fetch the archive again.")
    wanted = int.from_bytes(header[72:80], "little") + _CHECKSUM_BYTES
    if len(header) < HEADER_BYTES:
        raise ArchiveError(f"{path} is incomplete ({size} bytes, less than a header): fetch it again.")
    if _is_split(files):
        beyond = sorted(set(path.parent.glob(f"{_escaped(files[0].stem)}.zim[a-z][a-z]")) - set(files))
        if beyond or _CHECKSUM_BYTES < size < wanted <= 2**62:
            missing = _next_part(files[-1])
            raise ArchiveError(f"The split archive {path} lacks its part {missing}: put all parts into {path.parent}.")
    elif size < wanted <= 2**62:
        raise ArchiveError(f"{path} is incomplete ({size} of {wanted} bytes): fetch it again.")


def _is_split(files: list[Path]) -> bool:
    return bool(_PART.search(files[0].name))


def _next_part(path: Path) -> str:
    first, second = path.name[-2], path.name[-1]
    following = first + chr(ord(second) + 1) if second != "z" else chr(ord(first) + 1) + "a"
    return path.name[:-2] + following


def _first_part_wanted(path: Path) -> str:
    first = path.with_suffix(".zimaa").name
    return (
        f"{path} is a later part of a split archive whose first part {first} is missing: put all parts into one folder."
    )


def _escaped(name: str) -> str:
    return re.sub(r"([*?\[\]])", r"[\1]", name)

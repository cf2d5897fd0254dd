"""Archive files on disk, whole or split, and what is wrong with those that cannot be opened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from string import ascii_lowercase
from tempfile import mkdtemp

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
    """The files an archive consists of, in order: itself, or `.zimaa`, `.zimab`, … as far as they follow each other.

    Parts lie beside `path` or, when that is a link and they do not, beside what it links to.
    """
    if path.exists() and not _PART.search(path.name):
        return [path]
    here = _following(path)
    return _following(path.resolve()) if len(here) < 2 and path.is_symlink() else here


def _following(path: Path) -> list[Path]:
    numbered, found = _numbered(path), []
    for first, second in product(ascii_lowercase, repeat=2):
        if first + second not in numbered:
            break
        found.append(numbered[first + second])
    return found


def _numbered(path: Path) -> dict[str, Path]:
    """The parts that lie beside `path`, by their two letters in small."""
    if not path.parent.is_dir():
        return {}
    return {
        part.group(1).lower(): file
        for file in sorted(path.parent.iterdir())
        if file.stem == path.stem and (part := _PART.search(file.name)) and file.is_file()
    }


def with_small_letters(files: Sequence[Path]) -> Path | None:
    """A new folder of links to the parts of a split archive under the only names by which libzim finds them.

    None where they have such names, or the archive is whole. Whoever asks removes the folder.
    """
    wanted = [file.with_suffix(file.suffix.lower()).name for file in files]
    if not _is_split(files) or wanted == [file.name for file in files]:
        return None
    folder = Path(mkdtemp(prefix="drzero-"))
    for name, file in zip(wanted, files, strict=True):
        (folder / name).symlink_to(file.absolute())
    return folder


def check_files(path: Path) -> list[Path]:
    """The parts of the archive at `path`; raises ArchiveError when they are not a whole ZIM archive."""
    if path.is_dir():
        raise ArchiveError(f"{path} is a folder, not an archive: name a .zim file.")
    files = parts(path)
    if not files and not path.exists():
        if orphans := _numbered(path):
            raise ArchiveError(_first_part_wanted(next(iter(orphans.values()))))
        raise ArchiveError(f"There is no archive at {path}: check the name, or put the file there.")
    if path.exists() and not any(file.samefile(path) for file in files):
        raise ArchiveError(_first_part_wanted(path))
    if path.exists() and _PART.search(path.name) and not files[0].samefile(path):
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
        beyond = len(_numbered(files[0])) > len(files)
        lacking = _CHECKSUM_BYTES < size < wanted <= 2**62
        if lacking and not beyond and (cut := _cut_short(files)):
            raise ArchiveError(
                f"The split archive {path} is incomplete ({size} of {wanted} bytes): its part {cut.name} was cut "
                "short; fetch that part again."
            )
        if beyond or lacking:
            missing = _next_part(files[-1])
            raise ArchiveError(f"The split archive {path} lacks its part {missing}: put all parts into {path.parent}.")
    elif size < wanted <= 2**62:
        raise ArchiveError(f"{path} is incomplete ({size} of {wanted} bytes): fetch it again.")


def _is_split(files: Sequence[Path]) -> bool:
    return bool(_PART.search(files[0].name))


def _cut_short(files: Sequence[Path]) -> Path | None:
    """The first part that is smaller than the first of all, as only the last one of a whole archive may be."""
    size = files[0].stat().st_size
    return next((file for file in files if file.stat().st_size < size), None)


def _next_part(path: Path) -> str:
    first, second = path.name[-2], path.name[-1]
    following = first + chr(ord(second) + 1) if second not in "zZ" else chr(ord(first) + 1) + "a"
    return path.name[:-2] + following


def _first_part_wanted(path: Path) -> str:
    first = path.with_suffix(".zimaa").name
    return (
        f"{path} is a later part of a split archive whose first part {first} is missing: put all parts into one folder."
    )

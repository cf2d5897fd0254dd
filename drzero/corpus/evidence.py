"""What an archive shows of itself before it is read: entries spread over it, and those at telling paths."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from drzero.corpus.kinds import PROBES, Sample, base_type

BROKEN = (RuntimeError, KeyError, IndexError, ValueError, OSError)
"""What libzim raises on damaged entries."""

_SPREAD = 48
_PAGES = 8
_BEHIND_PROBE = 4
_MARKUP_BYTES = 20_000


def samples(zim: Any, *, new_layout: bool) -> Iterator[Sample]:
    """Entries of the open archive `zim` to tell its kind by, with the markup of the first few pages among them.

    Damaged entries and redirects are left out.
    """
    count, pages = zim.entry_count, 0
    numbers = dict.fromkeys(count * step // _SPREAD for step in range(_SPREAD))
    for prefix in PROBES:
        first = _first_at(zim, prefix if new_layout else f"A/{prefix}")
        numbers.update(dict.fromkeys(range(first, min(first + _BEHIND_PROBE, count))))
    for number in numbers:
        try:
            zim_entry = zim._get_entry_by_id(number)
            if zim_entry.is_redirect:
                continue
            item = zim_entry.get_item()
            mimetype, path = base_type(item.mimetype), bare_path(zim_entry.path, new_layout=new_layout)
        except BROKEN:
            continue
        markup = ""
        if mimetype == "text/html" and pages < _PAGES + len(PROBES):
            pages += 1
            with suppress(*BROKEN):
                markup = bytes(item.content)[:_MARKUP_BYTES].decode("utf-8", "replace")
        yield Sample(path, mimetype, markup)


def bare_path(path: str, *, new_layout: bool) -> str:
    """`path` without the namespace of the old layout."""
    return path if new_layout or path[1:2] != "/" else path[2:]


def _first_at(zim: Any, prefix: str) -> int:
    """The id of the first entry whose path is not before `prefix`: ids are in the order of the paths' bytes."""
    wanted = prefix.encode()
    count = int(zim.entry_count)
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        try:
            before = zim._get_entry_by_id(middle).path.encode("utf-8", "surrogateescape") < wanted
        except BROKEN:
            return count
        if before:
            low = middle + 1
        else:
            high = middle
    return low

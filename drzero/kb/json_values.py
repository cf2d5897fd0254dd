"""A dataclass value as JSON text and back without loss (pure).

Fields typed as tuples are JSON arrays. What JSON lacks is written as an object of one key that starts with "$": floats
that are not finite, integers beyond 64 bits, and, in fields of type Any, tuples and odd dictionaries. Lone surrogates
and NUL are escaped, so the text is always valid UTF-8 and SQLite's JSON functions read it.

Chunks can be kept apart, each once: a key then stands in the place of one, as {"$chunk": key}.
"""

from __future__ import annotations

import json
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any, TypeVar

from drzero.text import content_id
from drzero.types import Chunk

T = TypeVar("T")
_INT64 = 2**63
_CHUNK = re.compile(r'\{"\$chunk": "([0-9a-f]{32})"\}')

Keep = Callable[[Chunk], str]


def dumps(value: Any, keep: Keep | None = None) -> str:
    """`value`, a dataclass or anything made of JSON values and tuples, as JSON text. TypeError for anything else.

    `keep` takes each chunk and gives the key that is written in its place; where it gives "", and without it, a chunk
    is written in full.
    """
    return json.dumps(_plain(value, type(value) if is_dataclass(value) else Any, keep), allow_nan=False)


def loads(text: str, kind: type[T], chunks: Mapping[str, Chunk] | None = None) -> T:
    """The value that `dumps` wrote; `kind` is its dataclass. Fields that the text lacks take their defaults.

    `chunks` are those that were kept apart, by key; KeyError for one that is not there.
    """
    return typing.cast(T, _value(json.loads(text), kind, chunks or {}))


def loads_any(text: str) -> Any:
    """What `dumps` wrote of a value that is no dataclass."""
    return _value(json.loads(text), Any, {})


def chunk_key(chunk: Chunk) -> str:
    """The key of a chunk that is kept apart: it differs where anything of the chunk does."""
    return content_id(
        chunk.id, chunk.zim_id, chunk.path, chunk.title, *chunk.heading, chunk.text, chunk.start, chunk.end, chunk.mark
    )


def chunk_keys(text: str) -> set[str]:
    """The keys of all chunks that were kept apart when `text` was written (and, at worst, a few that were not)."""
    return set(_CHUNK.findall(text))


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _item_hint(hint: Any, position: int) -> Any:
    items = typing.get_args(hint)
    if len(items) == 2 and items[1] is Ellipsis:
        return items[0]
    return items[position] if position < len(items) else Any


def _dataclass_of(hint: Any) -> Any:
    """The dataclass that `hint` names, alone or beside None; None when it names none."""
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    return next((option for option in options if is_dataclass(option)), None)


def _plain(value: Any, hint: Any, keep: Keep | None) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Integral):
        whole = int(value)
        return whole if -_INT64 <= whole < _INT64 else {"$int": hex(whole)}
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else {"$float": str(float(value))}
    kind = _dataclass_of(hint)
    if kind is not None and isinstance(value, kind):
        if keep and isinstance(value, Chunk) and (key := keep(value)):
            return {"$chunk": key}
        return {name: _plain(getattr(value, name), item, keep) for name, item in _hints(kind).items()}
    if isinstance(value, tuple):
        if typing.get_origin(hint) is tuple:
            return [_plain(item, _item_hint(hint, i), keep) for i, item in enumerate(value)]
        return {"$tuple": [_plain(item, Any, keep) for item in value]}
    if isinstance(value, list):
        return [_plain(item, Any, keep) for item in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: _plain(item, Any, keep) for key, item in value.items()}
        return {"$dict": [[_plain(key, Any, keep), _plain(item, Any, keep)] for key, item in value.items()]}
    raise TypeError(f"a trace cannot hold a {type(value).__name__}: {value!r}")


def _value(data: Any, hint: Any, chunks: Mapping[str, Chunk]) -> Any:
    if isinstance(data, list):
        if typing.get_origin(hint) is tuple:
            return tuple(_value(item, _item_hint(hint, i), chunks) for i, item in enumerate(data))
        return [_value(item, Any, chunks) for item in data]
    if not isinstance(data, dict):
        return data
    if (kind := _dataclass_of(hint)) is not None:
        if kind is Chunk and (key := data.get("$chunk")):
            return chunks[key]
        return kind(**{name: _value(data[name], item, chunks) for name, item in _hints(kind).items() if name in data})
    match data:
        case {"$int": str(digits)}:
            return int(digits, 16)
        case {"$float": str(name)}:
            return float(name)
        case {"$tuple": list(items)}:
            return tuple(_value(item, Any, chunks) for item in items)
        case {"$dict": list(pairs)}:
            return {_value(key, Any, chunks): _value(item, Any, chunks) for key, item in pairs}
    return {key: _value(item, Any, chunks) for key, item in data.items()}

"""Settings: defaults, then `drzero.toml`, then `DRZERO_*` of the environment, then the command's options.

Each table of `drzero.toml` is a frozen dataclass here; its fields are the keys, its defaults the defaults.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drzero.errors import SettingsError

FILE_NAME = "drzero.toml"

Check = tuple[Callable[[Any], bool], str]

_POSITIVE: Check = (lambda value: value >= 1, "1 or more")
_NOT_NEGATIVE: Check = (lambda value: value >= 0, "0 or more")
_SHARE: Check = (lambda value: 0 <= value <= 1, "between 0 and 1")
_SWITCH: Check = (lambda value: value in (0, 1), "0 or 1")
_NAMED: Check = (lambda value: bool(value.strip()), "a name or a path, not empty")


def _setting(default: Any, check: Check, says: str) -> Any:
    return field(default=default, metadata={"check": check, "says": says})


@dataclass(frozen=True, slots=True)
class Models:
    """Which models to use, and how."""

    embedder: str = _setting(
        "balanced", _NAMED, "embedder: fast, balanced or best, a name of `drzero models`, or a folder"
    )
    reranker: str = _setting(
        "auto",
        _NAMED,
        "re-ranker of searches: auto (as `embedder` has it), none, a name of `drzero models`, or a folder",
    )
    llm: str = _setting("qwen2.5-coder-1.5b-instruct", _NAMED, "writer: a name of `drzero models`, or a GGUF file")
    judge: str = _setting(
        "auto", _NAMED, "judge of support: auto or writer (the writer itself), or the folder of an NLI model"
    )
    threads: int = _setting(0, _NOT_NEGATIVE, "processor threads a model may use; 0 chooses")
    context_tokens: int = _setting(
        4096, (lambda value: value >= 2048, "2048 or more"), "context of the writer, in tokens"
    )


@dataclass(frozen=True, slots=True)
class Index:
    """How archives are read and cut."""

    chunk_tokens: int = _setting(200, (lambda value: value >= 64, "64 or more"), "aimed length of a chunk, in tokens")
    readers: int = _setting(0, _NOT_NEGATIVE, "processes that read the archive; 0 chooses")


@dataclass(frozen=True, slots=True)
class Search:
    """How passages are found."""

    k: int = _setting(10, _POSITIVE, "passages to return")


@dataclass(frozen=True, slots=True)
class Loop:
    """How `evolve` works."""

    profile: str = _setting("wikipedia", _NAMED, "profile: `wikipedia`, `coding`, or the path of your own")
    iterations: int = _setting(10, _POSITIVE, "iterations of one run")
    challenges: int = _setting(10, _POSITIVE, "challenges in an iteration")
    attempts: int = _setting(2, _POSITIVE, "blind attempts at each challenge")
    proposals: int = _setting(8, _POSITIVE, "proposals to try before a challenge is given up")
    templates: float = _setting(0.5, _SHARE, "share of challenges worded by code, from facts that the archive states")
    near_copy: float = _setting(0.75, _SHARE, "similarity from which a question counts as asked before")
    near_vectors: float = _setting(0.93, _SHARE, "cosine similarity of two questions that counts as that much")
    distractors: int = _setting(4, _NOT_NEGATIVE, "foreign chunks mixed in to test a challenge against noise")
    patience: int = _setting(2, _POSITIVE, "iterations without a new entry before something is changed")


@dataclass(frozen=True, slots=True)
class Verify:
    """How sure the verifier must be."""

    min_probability: float = _setting(
        0.0, _SHARE, "least probability of support for a claim to count as supported; 0 takes the judge's calibration's"
    )
    precision: float = _setting(
        0.93,
        (lambda value: 0.5 <= value < 1, "0.5 or more and below 1"),
        "share of claims called supported that must be so, when a calibration is fitted",
    )


@dataclass(frozen=True, slots=True)
class Curriculum:
    """When the level moves."""

    promotion: float = _setting(0.75, _SHARE, "average score from which the level rises")
    demotion: float = _setting(0.40, _SHARE, "average score at which the level falls")
    hold: int = _setting(16, _POSITIVE, "iterations in a row that a move back may need at most; 1: never more than one")


@dataclass(frozen=True, slots=True)
class Improve:
    """What `evolve` learns from its own verified episodes."""

    examples: int = _setting(0, _NOT_NEGATIVE, "verified entries shown to the writer as examples; 0 shows none")
    trials: int = _setting(
        0, _NOT_NEGATIVE, "trials of prompt variants after each iteration, on challenges set aside; 0 lets none compete"
    )
    search: int = _setting(1, _SWITCH, "1 calibrates search on the challenges found so far, 0 leaves it as it is")
    confidence: int = _setting(1, _SWITCH, "1 calibrates the solver's confidence on its own answers, 0 takes its word")
    held_out: int = _setting(
        6, (lambda value: value >= 3, "3 or more"), "one challenge in so many tries what was learnt, and one tests it"
    )


@dataclass(frozen=True, slots=True)
class Metrics:
    """What counts as 1.0 in the `ssp.v1` vector."""

    question_words: int = _setting(80, _POSITIVE, "words of a question")
    answer_words: int = _setting(400, _POSITIVE, "words of an answer")
    evidence_chunks: int = _setting(8, _POSITIVE, "cited chunks")
    steps: int = _setting(12, _POSITIVE, "solver steps, and searches")


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting of drzero, by table."""

    models: Models = Models()
    index: Index = Index()
    search: Search = Search()
    loop: Loop = Loop()
    verify: Verify = Verify()
    curriculum: Curriculum = Curriculum()
    improve: Improve = Improve()
    metrics: Metrics = Metrics()


TABLES: dict[str, Any] = {table.name: table.default for table in dataclasses.fields(Settings)}


def setting_names() -> dict[str, Any]:
    """Every setting as `table.key`, with its default."""
    return {
        f"{name}.{key.name}": getattr(table, key.name)
        for name, table in TABLES.items()
        for key in dataclasses.fields(table)
    }


def load_settings(root: Path, environ: Mapping[str, str], options: Mapping[str, Any] | None = None) -> Settings:
    """The settings of the workspace `root`; `options` maps `table.key` to what the command line gave (None: not given).

    Raises SettingsError for an unreadable file, an unknown key, a wrong type or an impossible value.
    """
    values: dict[str, Any] = {}
    for name, value in _from_file(root / FILE_NAME).items():
        values[name] = _checked(name, value, f"in {root / FILE_NAME}")
    for name, variable, text in _from_environment(environ):
        values[name] = _checked(name, _parsed(name, text), f"in the environment variable {variable}")
    for name, value in (options or {}).items():
        if value is not None:
            values[name] = _checked(name, value, "on the command line")
    settings = Settings(
        **{
            table: dataclasses.replace(
                default,
                **{
                    key.name: values[name]
                    for key in dataclasses.fields(default)
                    if (name := f"{table}.{key.name}") in values
                },
            )
            for table, default in TABLES.items()
        }
    )
    if settings.curriculum.demotion >= settings.curriculum.promotion:
        raise SettingsError(
            f"curriculum.demotion ({settings.curriculum.demotion:g}) must be below curriculum.promotion "
            f"({settings.curriculum.promotion:g}): change one of them in {root / FILE_NAME}."
        )
    return settings


def _from_file(path: Path) -> dict[str, Any]:
    """The settings of a TOML file as `table.key`; {} when there is no such file."""
    try:
        tables = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML ({error}): mend that place or remove the file.") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read ({error.strerror}): change its permissions or move it.") from error
    found: dict[str, Any] = {}
    for table, keys in tables.items():
        if table in TABLES and isinstance(keys, dict):
            found |= {f"{table}.{key}": value for key, value in keys.items()}
        elif table in TABLES:
            raise SettingsError(f"In {path}, {table} must be a table: write [{table}] on a line, its keys below.")
        else:
            raise SettingsError(f"In {path}, there is no setting or table called {table}{_nearest(table, TABLES)}")
    return found


def _from_environment(environ: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """(setting, variable, text) of each DRZERO_TABLE_KEY; variables of no table belong to others and are left alone."""
    found = []
    for variable, text in sorted(environ.items()):
        head, _, rest = variable.partition("_")
        table, separator, key = rest.partition("_")
        if head == "DRZERO" and separator and table.lower() in TABLES and text:
            found.append((f"{table.lower()}.{key.lower()}", variable, text))
    return found


def _parsed(name: str, text: str) -> Any:
    """An environment variable's text as the type of its setting; text that does not fit is left for `_checked`."""
    kind = type(setting_names().get(name, ""))
    try:
        return kind(text)
    except ValueError:
        return text


def _checked(name: str, value: Any, where: str) -> Any:
    """`value` if setting `name` exists and may have it, in its type; SettingsError otherwise."""
    known = setting_names()
    if name not in known:
        raise SettingsError(f"There is no setting {name} ({where}){_nearest(name, known)}")
    kind = type(known[name])
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind or (kind is float and not math.isfinite(value)):
        wanted = {int: "a whole number", float: "a number", str: "text in quotes"}[kind]
        raise SettingsError(f"{name} must be {wanted}, such as {_shown(known[name])}, but is {value!r} {where}.")
    table, _, key = name.partition(".")
    (metadata,) = (f.metadata for f in dataclasses.fields(TABLES[table]) if f.name == key)
    fits, says = metadata["check"]
    if not fits(value):
        raise SettingsError(f"{name} must be {says}, but is {_shown(value)} {where}: change it there.")
    return value


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f": did you mean {near[0]}?" if near else f": choose one of {', '.join(known)}."


def as_toml() -> str:
    """All settings with their defaults as the text of a `drzero.toml`, each with a word on what it does."""
    lines = []
    for name, table in TABLES.items():
        lines.append(f"[{name}]")
        lines += [
            f"{key.name} = {_shown(getattr(table, key.name))}  # {key.metadata['says']}"
            for key in dataclasses.fields(table)
        ]
        lines.append("")
    return "\n".join(lines)

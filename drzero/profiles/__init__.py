"""Domains as data: a profile names the challenge types, the scores and their weights. One TOML file each."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drzero.errors import SettingsError
from drzero.profiles.lines import line_of
from drzero.types import LEVELS

SCORES = ("accuracy", "correctness", "completeness", "relevance", "clarity", "best_practices")
MAX_NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class Example:
    """One example for a prompt: a source sentence, the question made of it, and the answer in one sentence.

    `article` is where the sentence stands, "" for nowhere; `span` the words of it that answer, "" for the whole of it.
    """

    source: str
    question: str
    answer: str
    article: str = ""
    span: str = ""


@dataclass(frozen=True, slots=True)
class ChallengeType:
    """One kind of question.

    `asks` says in one sentence what the question must ask. `cues` are regular expressions (capitals do not count) that
    mark a source sentence as suitable; without cues every sentence is. `openings` are how such a question may begin.
    """

    name: str
    asks: str
    cues: tuple[str, ...]
    openings: tuple[str, ...]
    levels: tuple[str, ...]
    examples: tuple[Example, ...]

    def suits(self, sentence: str) -> bool:
        """Whether a question of this type can be made of `sentence`, as far as its cues tell."""
        return not self.cues or any(re.search(cue, sentence, re.IGNORECASE) for cue in self.cues)

    def opens(self, question: str) -> bool:
        """Whether `question` begins, in whole words, as this type's questions do."""
        asked = question.strip().casefold()
        return not self.openings or any(re.match(rf"{re.escape(o.casefold())}\b", asked) for o in self.openings)


@dataclass(frozen=True, slots=True)
class Profile:
    """A domain. `weights` sum to 1 over names of `SCORES`; with `keeps_code` answers may hold code."""

    name: str
    title: str
    types: tuple[ChallengeType, ...]
    weights: tuple[tuple[str, float], ...]
    keeps_code: bool

    def at_level(self, level: str) -> tuple[ChallengeType, ...]:
        """The types that belong to `level`; at least two."""
        return tuple(kind for kind in self.types if level in kind.levels)

    def type(self, name: str) -> ChallengeType:
        """The type of that name; KeyError when there is none."""
        for kind in self.types:
            if kind.name == name:
                return kind
        raise KeyError(name)


def profile_names() -> tuple[str, ...]:
    """The profiles that come with drzero."""
    return tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.toml")))


def load_profile(name_or_path: str | Path) -> Profile:
    """A profile by name, or from a user's TOML file. SettingsError, in one sentence, for whatever is wrong with it.

    A file of the user's must not take the name of a profile that comes with drzero: the curriculum goes by it.
    """
    reference = str(name_or_path)
    own = reference not in profile_names()
    if not own:
        path = Path(__file__).parent / f"{reference}.toml"
    else:
        path = Path(name_or_path).expanduser()
        if path.suffix != ".toml" and not path.is_file():
            raise SettingsError(
                f"There is no profile {reference!r}: use {' or '.join(profile_names())}, or the path of a TOML file."
            )
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = tomllib.loads(text)
    except FileNotFoundError:
        raise SettingsError(f"There is no profile file {path}: check the path.") from None
    except OSError as error:
        raise SettingsError(f"The profile {path} cannot be read ({error.strerror}): name a TOML file.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"The profile {path} is not UTF-8 text: save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"The profile {path} is not valid TOML: {error}.") from error
    profile = parse_profile(data, str(path), text)
    if own and profile.name in profile_names():
        raise _Table(data, str(path), "", text).fault(
            "name", f"is that of a profile that comes with drzero: call your own something else than {profile.name!r}"
        )
    return profile


def parse_profile(data: Mapping[str, Any], where: str, text: str = "") -> Profile:
    """The profile that TOML `data` describes.

    `where` names its file in the sentence of a SettingsError, and `text`, its content, gives the line.
    """
    table = _Table(data, where, "", text)
    profile = Profile(
        name=table.title("name"),
        title=table.title("title"),
        types=tuple(_type(each) for each in table.tables("types")),
        weights=_weights(table),
        keeps_code=table.flag("keeps_code"),
    )
    table.nothing_else()
    names = [kind.name for kind in profile.types]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise table.fault(f"types[{position}].name", f"is {name!r} as another's: give each type its own")
    for level in LEVELS:
        if (found := len(profile.at_level(level))) < 2:
            raise SettingsError(f"{where}: level {level!r} has {found} of the at least 2 types that every level needs.")
    return profile


@dataclass(slots=True)
class _Table:
    """A TOML table that is being read: each getter takes one key, and says plainly what is wrong with it."""

    data: Mapping[str, Any]
    where: str
    place: str  # such as "types[2]."
    content: str = ""  # of the file, where it is at hand
    _seen: tuple[str, ...] = ()

    def fault(self, key: str, problem: str) -> SettingsError:
        line = line_of(self.content, f"{self.place}{key}")
        return SettingsError(f"{self.where}{f', line {line}' if line else ''}: {self.place}{key} {problem}.")

    def get(self, key: str, kind: type, words: str) -> Any:
        self._seen = (*self._seen, key)
        if key not in self.data:
            raise self.fault(key, f"is missing; it must be {words}")
        value = self.data[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.fault(key, f"must be {words}, not {_name(value)}")
        return value

    def text(self, key: str) -> str:
        value: str = self.get(key, str, "a text")
        if not value.strip():
            raise self.fault(key, "must not be empty")
        return value

    def title(self, key: str) -> str:
        """A text that is shown in lists."""
        value = self.text(key)
        if not value.isprintable() or len(value) > MAX_NAME_CHARS:
            raise self.fault(key, f"must be one line of at most {MAX_NAME_CHARS} characters")
        return value

    def optional(self, key: str) -> str:
        """The text of a key that may be missing: then ""."""
        if key in self.data:
            return self.text(key)
        self._seen = (*self._seen, key)
        return ""

    def flag(self, key: str) -> bool:
        return bool(self.get(key, bool, "true or false"))

    def texts(self, key: str) -> tuple[str, ...]:
        values = self.get(key, list, "a list of texts")
        for position, value in enumerate(values):
            if not isinstance(value, str):
                raise self.fault(f"{key}[{position}]", f"must be a text, not {_name(value)}")
            if not value.strip():
                raise self.fault(f"{key}[{position}]", "must not be empty")
        return tuple(values)

    def tables(self, key: str) -> list[_Table]:
        values = self.get(key, list, "a list of tables")
        for position, value in enumerate(values):
            if not isinstance(value, dict):
                raise self.fault(f"{key}[{position}]", f"must be a table, not {_name(value)}")
        return [_Table(value, self.where, f"{self.place}{key}[{i}].", self.content) for i, value in enumerate(values)]

    def nothing_else(self) -> None:
        if unknown := sorted(set(self.data) - set(self._seen)):
            raise self.fault(unknown[0], f"is not known; known here are {', '.join(self._seen)}")


def _name(value: Any) -> str:
    names: dict[type, str] = {bool: "true or false", str: "a text", int: "a number", float: "a number", list: "a list"}
    return names.get(type(value), "a table" if isinstance(value, dict) else "a date or time")


def _weights(table: _Table) -> tuple[tuple[str, float], ...]:
    weights = table.get("weights", dict, "a table of scores and their weights")
    for name, weight in weights.items():
        if name not in SCORES:
            raise table.fault(f"weights.{name}", f"is not known; known scores are {', '.join(SCORES)}")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            raise table.fault(f"weights.{name}", f"must be a number, not {_name(weight)}")
        if not 0 <= weight <= 1:
            raise table.fault(f"weights.{name}", f"must be between 0 and 1, not {weight:g}")
    total = math.fsum(weights.values())
    if abs(total - 1) > 1e-6:
        raise table.fault("weights", f"must sum to 1, not {total:g}")
    return tuple((name, float(weight)) for name, weight in weights.items())


def _type(table: _Table) -> ChallengeType:
    kind = ChallengeType(
        name=table.title("name"),
        asks=table.text("asks"),
        cues=_each(table, "cues", _compiles),
        openings=table.texts("openings"),
        levels=_each(table, "levels", _is_level),
        examples=tuple(_example(each) for each in table.tables("examples")),
    )
    table.nothing_else()
    if not kind.levels:
        raise table.fault("levels", f"must name at least one of {', '.join(LEVELS)}")
    if not kind.examples:
        raise table.fault("examples", "must hold at least one example (source, question, answer); three are good")
    for position, example in enumerate(kind.examples):  # they teach the writer, who would be refused for doing likewise
        if problem := _example_fault(kind, example):
            raise table.fault(f"examples[{position}].{problem[0]}", problem[1])
    return kind


def _example_fault(kind: ChallengeType, example: Example) -> tuple[str, str] | None:
    """The key of an example that breaks the rules of its own type, and how."""
    if not kind.suits(example.source):
        return "source", "matches none of the cues of its type"
    if example.span not in example.source:
        return "span", "must be words of its source, to the letter"
    if not example.question.rstrip().endswith("?"):
        return "question", "must end with a question mark"
    if not kind.opens(example.question):
        return "question", f"begins as none of the openings of its type ({', '.join(kind.openings)})"
    return None


def _example(table: _Table) -> Example:
    example = Example(
        source=table.text("source"),
        question=table.text("question"),
        answer=table.text("answer"),
        article=table.optional("article"),
        span=table.optional("span"),
    )
    table.nothing_else()
    return example


def _each(table: _Table, key: str, problem: Callable[[str], str]) -> tuple[str, ...]:
    values = table.texts(key)
    for position, value in enumerate(values):
        if found := problem(value):
            raise table.fault(f"{key}[{position}]", found)
    return values


def _compiles(pattern: str) -> str:
    try:
        empty = re.search(pattern, "", re.IGNORECASE)
    except re.error as error:
        return f"is not a valid regular expression: {error}"
    return "matches every sentence: leave it out, or leave all cues out" if empty else ""


def _is_level(name: str) -> str:
    return "" if name in LEVELS else f"is not a level; levels are {', '.join(LEVELS)}, not {name}"

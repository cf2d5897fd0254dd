"""A fact that a chunk states, and a value that can be set against another (pure)."""

from __future__ import annotations

from dataclasses import dataclass

from drzero.types import Chunk


@dataclass(frozen=True, slots=True)
class Measure:
    """A value known to lie within `[low, high]`, in `unit`; a date is a span of days, a version two numbers in one."""

    low: float
    high: float
    unit: str

    def order(self, other: Measure) -> int:
        """-1 when this is surely the smaller, 1 when surely the greater, 0 when that cannot be told."""
        if self.unit != other.unit:
            return 0
        return -1 if self.high < other.low else 1 if self.low > other.high else 0


@dataclass(frozen=True, slots=True)
class Stated:
    """One fact of a chunk: the `relation` of `subject` is `value`.

    `statement` says so in one plain sentence. `quote` are the article's own words, at `[start, end)` of its text.
    `asks` and `tells` are the question and the statement with `{}` for the subject, so that another phrase may stand
    there; "" where there is no question of it. `kind` is what the question asks: "factual", "temporal", "conceptual",
    "implementation", "debugging", "refactoring" or "best-practice". `aspects` is what a right answer must have. `role`
    is what the value is to the subject, such as "the director of {}", where it may be the subject of another fact about
    a `holder`. `thing` is the class of the subject ("album"), "" where it is not known, `name` the subject without it.
    """

    chunk: Chunk
    subject: str
    relation: str
    value: str
    start: int
    end: int
    quote: str
    statement: str
    asks: str = ""
    tells: str = ""
    kind: str = "factual"
    aspects: tuple[str, ...] = ()
    role: str = ""
    holder: str = ""
    thing: str = ""
    name: str = ""
    measure: Measure | None = None

    @property
    def question(self) -> str:
        """The question that the fact answers, "" when there is none."""
        return filled(self.asks, self.subject)


def filled(template: str, subject: str) -> str:
    """`template` with `subject` for its first `{}`, and a capital letter at the beginning; a value may be `{}` too."""
    text = template.replace("{}", subject, 1)
    if template.startswith("{}") and text[:4] == "the ":
        text = f"T{text[1:]}"
    return text[:-1] if text.endswith("..") else text

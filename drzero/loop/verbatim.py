"""A judge without a model: a claim is supported when it is said in the evidence's own words, in their order (pure).

Stricter than any model: a paraphrase, however true, is not believed. Numbers, names, denials and all other facts have
been looked at before (`verify`), so that what is left to tell is whether words were taken together that stand apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from drzero.loop import facts
from drzero.loop.stated.grids import row_tells
from drzero.loop.stated.presenting import presented
from drzero.loop.stated.relations import BY_LABEL, BY_NAME
from drzero.text import sentences
from drzero.types import Float32

JUDGE_ID = "verbatim-1"
AND = ", and "  # between clauses that may have a source each
_ASKED = 0.6  # share of a question's content words that must stand where its answer stands
_ROW = re.compile(r"(?P<label>[A-Za-z][\w '-]{1,30}(?:\(s\))?): (?P<value>\S.*)")
# What notes and signatures of documentation say: the claim, the words for it, and what may stand before a name.
_NOTE_WORDINGS = (
    (
        r"(?P<subject>.+) was added in version (?P<value>\d[\w.]*)\.",
        re.compile(r"^New in version (?P<value>\d[\w.]*)\.$"),
        "class exception",
    ),
    (
        r"(?P<subject>.+) is deprecated since version (?P<value>\d[\d.]*)\.",
        re.compile(r"^Deprecated since version (?P<value>\d[\d.]*\d)(?=[.,:])"),
        "class exception",
    ),
    (
        r"Instead of the deprecated (?P<subject>.+), (?P<value>.+) should be used\.",
        re.compile(r"^Deprecated since version [^:]+: (?:Please )?[Uu]se (?P<value>.+?)(?: instead)?\.$"),
        "class exception",
    ),
    (
        r"The default value of the parameter (?P<of>\w+) of (?P<subject>.+) is (?P<value>.+)\.",
        re.compile(r"[(,]\s*(?P<of>\w+)(?:\s*:\s*[\w.]+\s*)?=(?P<value>[^,()]+)(?=\s*[,)])"),
        "class exception",
    ),
)
_LIFE = {"born": ("birth date", "birth place"), "died": ("death date", "death place")}


class VerbatimSignals:
    """A `SignalModel` of one column: how much of the hypothesis is said by one sentence of the premise; see `kept`."""

    id = JUDGE_ID
    names: tuple[str, ...] = ("kept",)

    def signals(self, pairs: Sequence[tuple[str, str]]) -> Float32:
        """float32 of shape (len(pairs), 1), in [0,1]."""
        found = [kept(premise, hypothesis) for premise, hypothesis in pairs]
        return np.array(found, dtype=np.float32).reshape(len(pairs), 1)


def kept(premise: str, hypothesis: str) -> float:
    """The largest share of the hypothesis's content words that a sentence of the premise has in the same order.

    What stands before the first colon of a line, title and headings, may come anywhere in the hypothesis. A row of
    label and value says what the label means (`loop.stated.relations`): "Capital: Oranjestad" that the capital is
    Oranjestad; "New in version 3.9." that something was added in it. That the thing is a film, and whose, no label
    tells: that stands in its place, or in the line before of the same place, "Single by Ray Charles". A hypothesis of
    several sentences, or clauses behind ", and ", is said as far as the least of them; a question among them says
    nothing, but most that it asks about must be there. In [0,1]; 0.0 for one without content words.
    """
    lines = [line.partition(": ") for line in premise.split("\n")]
    read = [(place, said) if colon else ("", place) for place, colon, said in lines]
    before = [("", ""), *read]  # the line before may say what a row is of
    shown = [presented(*one) if one[0] == place else "" for one, (place, _) in zip(before, read, strict=False)]
    shares = []
    for start, end in sentences(hypothesis):
        said, clauses = hypothesis[start:end], hypothesis[start:end].removesuffix(".").split(AND)
        apart = min(_share(read, shown, f"{clause}.") for clause in clauses) if clauses[1:] else 0.0
        shares.append(max(_share(read, shown, said), apart))
    return min(shares, default=0.0)


def _share(lines: Sequence[tuple[str, str]], shown: Sequence[str], claim: str) -> float:
    wanted = facts.content_stems(claim)
    if not wanted:
        return 0.0
    if claim.endswith("?"):
        return float(max(facts.cover(claim, f"{place} {said}") for place, said in lines) >= _ASKED)
    best = 0.0
    for (place, said), what in zip(lines, shown, strict=True):
        if _reworded(place, what, said, claim):
            return 1.0
        aside = set(facts.content_stems(place))
        for start, end in sentences(said):
            best = max(best, _in_order(wanted, facts.content_stems(said[start:end]), aside) / len(wanted))
    return best


def _reworded(place: str, what: str, said: str, claim: str) -> bool:
    """Whether a row, a note of versions or a signature says the claim in other words.

    It is of what stands at `place`, shown as `what`. A note is of the piece of code that its last heading names:
    the parameter of `ZipFile.open` is none of `ZipFile`, which a heading above it names.
    """
    place, own = f"{place} {what}", facts.content_stems(re.split(r"[\s.]", place)[-1])
    if row_tells(place, said, claim):
        return True
    for pattern, known, classes in (*_row_wordings(said), *_NOTE_WORDINGS):
        told = re.fullmatch(pattern, claim)
        if told is None:
            continue
        of = told.groupdict().get("of")
        stated = next((one for one in known.finditer(said) if one.groupdict().get("of") == of), None)
        if stated is None:
            continue
        subject, value = (facts.content_stems(told[part]) for part in ("subject", "value"))
        named = subject and set(subject) <= {*facts.content_stems(place), *facts.content_stems(classes)}
        if classes and not set(own) <= set(subject):
            continue
        if named and value and _in_order(value, facts.content_stems(stated["value"]), set()) == len(value):
            return True
    return False


def _row_wordings(said: str) -> Iterator[tuple[str, re.Pattern[str], str]]:
    """How what a row of label and value means is told, as far as its label is understood."""
    row = _ROW.fullmatch(said.strip())
    label = row["label"].strip().removesuffix("(s)").casefold() if row else ""
    for relation in (*BY_LABEL.get(label, ()), *(BY_NAME[name] for name in _LIFE.get(label, ()))):
        pattern = re.escape(relation.tells).replace(r"\{\}", "(?P<subject>.+)").replace("%", "(?P<value>.+)")
        yield pattern, _ROW, ""


def _in_order(wanted: Sequence[str], stems: Sequence[str], aside: set[str]) -> int:
    """How many of `wanted` are a common subsequence with `stems`, words `aside` counted wherever they are."""
    row = [0] * (len(stems) + 1)
    for word in wanted:
        before, free = row, word in aside
        row = [before[0] + free]
        for at, other in enumerate(stems, 1):
            row.append(max(before[at] + free, row[at - 1], before[at - 1] + 1 if word == other else 0))
    return row[-1]

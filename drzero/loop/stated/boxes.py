"""Infobox rows of an article: facts with their subject named so that no other work of that name is meant (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from drzero.loop.stated import values
from drzero.loop.stated.presenting import HEADER
from drzero.loop.stated.relations import BY_LABEL, BY_NAME, OF_ONE_EDITION, RECORDS, Relation
from drzero.loop.stated.statement import Measure, Stated, filled
from drzero.loop.stated.subjects import Subject, subject_of
from drzero.types import Chunk

_ROW = re.compile(r"(?P<label>[A-Za-z][\w '-]{1,30}(?:\(s\))?): (?P<value>\S.*)")
_END = re.compile(
    r"(?:.+ )?chronology$|professional ratings$|review scores$|track listing$|music video$", re.IGNORECASE
)
# Where words and music are of different people, "written by" one of them tells half of it.
SHARED = re.compile(
    r"^(?:Composer|Lyricist|Music|Lyrics)(?:\(s\)|s)?: |\b(?:music|lyrics|melody|words|composed)\b[^.]{0,30}\bby\b",
    re.I | re.M,
)
LEAST_ROWS = 2


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    start: int


def _lines(chunk: Chunk) -> Iterator[_Line]:
    at = 0
    for text in chunk.text.split("\n"):
        yield _Line(text, at)
        at += len(text) + 1


def boxed(chunk: Chunk) -> Iterator[Stated]:
    """What the infobox rows of `chunk` state."""
    lines = list(_lines(chunk))
    rows = sum(bool(_ROW.fullmatch(line.text)) for line in lines)
    if rows < LEAST_ROWS:
        return
    whole = subject_of(chunk)
    subject: Subject | None = whole
    in_box = not chunk.heading
    for line in lines:
        header = HEADER.fullmatch(line.text)
        if header:
            subject, in_box = _edition(chunk, header), True
            continue
        if _END.fullmatch(line.text):
            in_box = False
            continue
        row = _ROW.fullmatch(line.text)
        if row is None or not in_box or subject is None:
            continue
        label = row["label"].strip().removesuffix("(s)").casefold()
        for relation in BY_LABEL.get(label, ()):
            stated = _stated(chunk, line, row["value"], relation, subject)
            if stated is not None:
                yield stated
                break
        else:
            if label in ("born", "died"):
                yield from _life(chunk, line, row["value"], label, subject)


def _edition(chunk: Chunk, header: re.Match[str]) -> Subject | None:
    """The record that a line such as "Single by Hank Williams" speaks of; None where its maker is not told clearly."""
    by = header["by"].strip()
    thing = header["thing"].casefold().replace("ep", "extended play").removeprefix("promotional ")
    if not values.is_clear(by) or by.casefold() in ("various artists", "various"):
        return None
    return Subject.record(chunk.title, thing if thing in RECORDS else "album", by)


def _fits(relation: Relation, subject: Subject) -> bool:
    if relation.name in OF_ONE_EDITION and subject.thing in ("single", "song") and not subject.edition:
        return False  # a song has a date of release for each who sang it
    if relation.needs:
        return subject.thing in relation.needs
    return not relation.thing or not subject.thing or subject.thing == relation.thing


def _stated(chunk: Chunk, line: _Line, value: str, relation: Relation, subject: Subject) -> Stated | None:
    if not values.is_clear(value) or not _fits(relation, subject):
        return None
    if relation.name == "songwriter" and SHARED.search(chunk.text):
        return None
    read = _value(value, relation.reads)
    if read is None:
        return None
    told, measure, aspects = read
    return make(
        chunk, line.start, line.text, relation=relation, subject=subject, told=told, measure=measure, aspects=aspects
    )


def _value(value: str, reads: str) -> tuple[str, Measure | None, tuple[str, ...]] | None:
    """The value as it is told, what it measures, and what a right answer must have; None when it cannot be read."""
    if reads in ("date", "duration", "quantity"):
        reader = {"date": values.one_date, "duration": values.one_duration, "quantity": values.one_quantity}[reads]
        read = reader(value)
        return (values.when(read[0]) if reads == "date" else read[0], read[1], (read[0],)) if read else None
    if reads == "names":
        names = values.name_list(value)
        return (values.enumerated(names), None, names) if names else None
    if reads == "title":
        title = values.without_aside(value).strip('"“” ')
        clear = len(title.split()) <= values.MOST_WORDS and not re.search(r"[\"“”;]|/ ", title) and title[:1].isupper()
        return (f'"{title}"', None, (title,)) if clear else None
    if reads == "money":
        money = values.without_aside(value)
        return (money, None, (money,)) if re.fullmatch(r"[A-Za-z][a-z]+(?: [a-z]+){1,2}", money) else None
    if reads == "code":
        return (value, None, (value,)) if re.fullmatch(r"\+\d{1,4}|\.[a-z]{2}", value) else None
    name = values.one_place(value) if reads == "place" else values.one_name(value)
    return (name, None, (name,)) if name else None


def make(
    chunk: Chunk,
    start: int,
    quote: str,
    *,
    relation: Relation,
    subject: Subject,
    told: str,
    measure: Measure | None,
    aspects: tuple[str, ...],
) -> Stated:
    """The statement that `subject` has the value `told` (with its preposition) in `relation`."""
    tells = relation.tells.replace("%", told)
    single = len(aspects) == 1 and relation.reads in ("names", "name", "place", "title")
    shown = subject.shown
    return Stated(
        chunk=chunk,
        subject=shown,
        relation=relation.name,
        value=aspects[0] if len(aspects) == 1 else told,
        start=chunk.start + start,
        end=chunk.start + start + len(quote),
        quote=quote,
        statement=filled(tells, shown),
        asks=relation.asks,
        tells=tells,
        kind="temporal" if relation.reads == "date" else "factual",
        aspects=aspects,
        role=relation.role if single else "",
        holder=relation.holder if single and relation.role else "",
        thing=subject.thing or relation.thing,
        name=subject.name,
        measure=measure,
    )


def _life(chunk: Chunk, line: _Line, value: str, label: str, subject: Subject) -> Iterator[Stated]:
    """The rows "Born" and "Died", which hold a date and mostly a place behind it."""
    if subject.thing not in ("", "person") or "−" in value:
        return
    read = values.first_date(value)
    if read is None:
        return
    told, measure, rest = read
    which = "birth" if label == "born" else "death"
    born, where = BY_NAME[f"{which} date"], BY_NAME[f"{which} place"]
    date = values.when(told)
    yield make(
        chunk, line.start, line.text, relation=born, subject=subject, told=date, measure=measure, aspects=(told,)
    )
    place = values.one_place(rest) if rest and values.is_clear(rest) else None
    if place:
        yield make(
            chunk, line.start, line.text, relation=where, subject=subject, told=place, measure=None, aspects=(place,)
        )

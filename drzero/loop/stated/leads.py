"""What the first sentences of an article state: births and deaths in brackets, what a term means (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from drzero.loop.stated import values
from drzero.loop.stated.boxes import SHARED, make
from drzero.loop.stated.relations import BY_NAME
from drzero.loop.stated.statement import Stated
from drzero.loop.stated.subjects import Subject, bare, subject_of
from drzero.text import sentences
from drzero.types import Chunk

_LIFE = re.compile(r"\((?P<aside>[^()]*\d{4}[^()]*)\) (?:is|was) ")
_RANGE = re.compile(r"(?P<born>[^–;]*\d{4})\s*(?:–|-|—|to)\s*(?P<died>[^–;]*\d{4})")
_PERSONAL = re.compile(r"\b(?:he|she|his|her|him)\b", re.IGNORECASE)
_MEANS = re.compile(r"(?P<aside> \([^()]*\))?,? (?P<verb>is|are) (?P<rest>(?:an?|the|any|one) .+)$")
_LEANS = re.compile(r"\b(?:this|these|those|such|following|above|below|here|article|may refer)\b|\[|\|", re.IGNORECASE)
_PRAISES = re.compile(
    r"\w+ (?:most |very )?(?:important|common|popular|major|key|widely|frequent|well-known|central)\b"
)
_WHO = r"[A-ZÀ-Þ][\w'’-]+(?: (?:[A-Z]\.|de|von|van|[A-ZÀ-Þ][\w'’-]+)){1,3}"
# No comma that goes on with another name: then there are more than are told here.
_WHO_END = (
    r";|,? (?:and (?:starring|produced|written|released|based|published|recorded|originally|initially))\b"
    r"|,(?= (?!and [A-Z])[a-z])|\.$| (?:starring|based|from|for|in|about|with)\b"
)
_NOT_OF_IT = "".join(
    f"(?<!{word})" for word in ("co-", "songs ", "music ", "novel ", "story ", "book ", "name ", "play ")
)
_DIRECTED = {"directed by": "directed", "written by|written and directed by": "screenplay"}
_MADE: dict[str, dict[str, str]] = {
    "film": _DIRECTED,
    "movie": _DIRECTED,
    "novel": {"novel (?:written )?by": "author"},
    "book": {"book (?:written )?by": "author"},
    "song": {"song written by|written by": "songwriter"},
}
LEAST_CHARS = 3  # of a term
LEAST_WORDS, MOST_WORDS = 8, 40  # of a sentence that says what a term means


def led(chunk: Chunk) -> Iterator[Stated]:
    """What the sentences of a lead that begin with the article's name state."""
    if chunk.heading:
        return
    subject = subject_of(chunk)
    if subject is None:
        return
    for start, end in sentences(chunk.text)[:8]:
        sentence = chunk.text[start:end]
        if subject.thing == "person":
            yield from _lived(chunk, sentence, start, subject)
        elif not subject.thing:
            yield from _meant(chunk, sentence, start)
        elif subject.thing in _MADE and sentence.startswith((subject.name, f'"{subject.name}"')):
            yield from _made(chunk, sentence, start, subject)


def _lived(chunk: Chunk, sentence: str, start: int, subject: Subject) -> Iterator[Stated]:
    """Birth and death as in "Ada Lovelace (10 December 1815 – 27 November 1852) was …"; both to the day."""
    life = _LIFE.search(sentence)
    if life is None or subject.name.split()[-1] not in sentence[: life.start()] or not _PERSONAL.search(chunk.text):
        return
    aside = re.split(r";", life["aside"])[-1].strip()
    span = _RANGE.fullmatch(aside)
    dates = {"birth": span["born"], "death": span["died"]} if span else {"birth": aside}
    if not span and not aside.startswith("born "):
        return
    say = partial(make, chunk, start, sentence, subject=subject)
    for which, text in dates.items():
        read = values.first_date(re.sub(r"^(?:born|died)\s+", "", text.strip()))
        if read is not None and not read[2]:
            told = values.when(read[0])
            relation = BY_NAME[f"{which} date"]
            yield say(relation=relation, told=told, measure=read[1], aspects=(read[0],))


def _made(chunk: Chunk, sentence: str, start: int, subject: Subject) -> Iterator[Stated]:
    """Who made a work, as in "Ray is a 2004 film directed by Taylor Hackford"."""
    say = partial(make, chunk, start, sentence, subject=subject)
    for verb, name in _MADE[subject.thing].items():
        found = re.search(rf"{_NOT_OF_IT}\b(?P<verb>{verb}) (?P<who>{_WHO}(?:,? and {_WHO})?)(?={_WHO_END})", sentence)
        who = values.name_list(found["who"]) if found else ()
        if name == "songwriter" and SHARED.search(chunk.text):
            continue
        if who:
            relation, told = BY_NAME[name], values.enumerated(who)
            yield say(relation=relation, told=told, measure=None, aspects=who)


def _meant(chunk: Chunk, sentence: str, start: int) -> Iterator[Stated]:
    """What a common noun means: "Albedo is the …". The noun stands in small letters somewhere in the text."""
    name = bare(chunk.title)
    term = name[0].lower() + name[1:]
    opening = re.match(rf"(?:(?:An?|The) )?{re.escape(name)}\b", sentence, re.IGNORECASE)
    told = _MEANS.match(sentence[opening.end() :]) if opening else None
    if opening is None or told is None or not sentence.endswith(".") or _LEANS.search(sentence):
        return
    if not re.search(rf"(?<![\w-]){re.escape(term)}\b", chunk.text[start + opening.end() :]):
        return
    if not LEAST_WORDS <= len(sentence.split()) <= MOST_WORDS or sentence.count("(") != sentence.count(")"):
        return
    if len(name) < LEAST_CHARS or not term.islower() or not term[0].isalpha() or _PRAISES.match(told["rest"]):
        return
    if " )" in sentence or "( " in sentence or re.search(r", and (?:the|an?) [\w -]+ (?:is|are) ", told["rest"]):
        return  # something was lost in it, or it tells of two things
    meaning = told["rest"].rstrip(".")
    yield Stated(
        chunk=chunk,
        subject=term,
        relation="meaning",
        value=meaning,
        start=chunk.start + start,
        end=chunk.start + start + len(sentence),
        quote=sentence,
        statement=f"{opening[0]} {told['verb']} {meaning}.",
        asks='What is the meaning of the term "{}"?',
        tells=f'The term "{{}}" means {meaning}.',
        name=name,
    )

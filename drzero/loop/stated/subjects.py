"""What an article's facts are about: its name, the class of the thing, and a phrase that means it alone (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from drzero.loop.stated.relations import RECORDS
from drzero.text import sentences
from drzero.types import Chunk

_QUALIFIER = re.compile(r"\s*\((?P<what>[^()]*)\)\s*$")
_THINGS = (
    "album|single|song|extended play|box set|soundtrack|film|movie|novel|book|play|opera|poem|magazine|newspaper|"
    "journal|band|building|tower|bridge|skyscraper|mountain|cathedral|lighthouse|dam|river|lake|island|city|town|village|country|"
    "state|province|software|program|library|database|company|university|school|museum|video game|television series"
)
_THING = re.compile(rf"\b(?P<thing>{_THINGS})\b", re.IGNORECASE)
_CALLED = re.compile(rf"\bthe (?P<thing>{_THINGS}) (?=[\"“])", re.IGNORECASE)
_LIKE = (  # words for one class, or of which one tells the other
    ("film", "movie", "motion picture", "cinema", "documentary", "directed by", "starring"),
    ("song", "single", "track", "ballad", "tune", "b-side", "lyric", "hymn", "anthem"),
    ("album", "record", "lp", "extended play", "soundtrack", "compilation", "box set", "discography"),
    ("novel", "book", "fiction", "story", "memoir"),
    ("play", "opera", "musical", "drama", "tragedy", "comedy", "libretto"),
    ("television series", "series", "tv", "sitcom", "show"),
    ("video game", "game"),
)
# "by American singer and pianist Ray Charles"
BY = re.compile(
    r"by (?:the )?(?:[A-Z][a-z]+(?:an|ish|ese|ch) )?(?:[a-z-]+(?:,| and|/[a-z-]+)? )*"
    r"(?P<by>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){1,3})(?=[,.;]|$| (?:released|recorded|and released|from|in|on)\b)"
)
# An article about one side of something, or of many things.
_ABOUT = re.compile(
    r"(?:(?:List|Lists|Index|Outline|Timeline|History|Glossary|Economy|Demographics|Geography|Politics|Culture"
    r"|Foreign relations|Transport|Telecommunications|Government|Military|Religion|Education|Music|Sport)"
    r" (?:of|in)\b|Main Page$)"
)
IS = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one) (?P<rest>[^.;]+)")
STOPS = re.compile(r",|\b(?:by|that|which|who|of|in|from|released|published|written|recorded|for|with|on|at|and)\b")
_INSTITUTION = re.compile(
    r"(?:conference|league|association|union|party|organi[sz]ation|society|federation|committee|commission|council|court|agency"
    r"|church|army|navy|alliance|empire|republic|islands|states)$",
    re.IGNORECASE,
)
# What is told without its class, and without quotation marks: all else is a work with a title.
_PLAIN = frozenset(
    "|person|place|band|building|tower|bridge|skyscraper|mountain|cathedral|lighthouse|dam|river|lake|island|city|town"
    "|village|country|state|province|company|university|school|museum|software|program|library|database|magazine"
    "|newspaper".split("|")
)
_PEOPLE = re.compile(
    r"\b(?:singer|songwriter|musician|pianist|composer|writer|author|novelist|poet|actor|actress|politician|president|king|queen"
    r"|emperor|physicist|chemist|mathematician|philosopher|scientist|engineer|painter|artist|director|producer|footballer|player"
    r"|lawyer|general|bishop|pope|saint|economist|historian|biologist|astronomer|guitarist|drummer|saxophonist|bandleader|lyricist"
    r"|explorer|inventor|businessman|businesswoman|journalist|architect|dancer|comedian|screenwriter|trumpeter|arranger"
    r"|conductor|theologian|statesman|judge|athlete|coach|officer|programmer|psychologist|physician|nurse|activist|critic)\b"
)


@dataclass(frozen=True, slots=True)
class Subject:
    """`shown` is the phrase for it ("the album Genius Loves Company"), `name` the bare name, `thing` its class or "".

    It is an `edition` when its maker is told: a song has as many as there are singers of it.
    """

    name: str
    thing: str
    shown: str
    edition: bool = False

    @classmethod
    def of(cls, title: str, thing: str) -> Subject:
        """The subject of an article of this title."""
        name = bare(title)
        return cls(name, thing, _phrase(name, thing))

    @classmethod
    def record(cls, title: str, thing: str, by: str) -> Subject:
        """A record, told by whose it is: a song's article tells of several."""
        name, parts = bare(title), by.split(", ")
        maker = " and ".join(parts) if len(parts) == 2 else by
        phrase = _phrase(name, thing)
        return cls(name, thing, phrase if maker in name else f"{phrase} by {maker}", edition=True)


def _phrase(name: str, thing: str) -> str:
    return name if thing in _PLAIN else f'the {thing} "{name}"'


def bare(title: str) -> str:
    """A title without its qualifier in brackets, nor the quotation marks around it."""
    return _QUALIFIER.sub("", title).strip('"“” ') or title


def unsaid(claim: str, evidence: str) -> str:
    """The class that a claim gives to a title, 'the film "Ray"', and of which the evidence has no word; "" without."""
    said = evidence.casefold()
    for match in _CALLED.finditer(claim):
        thing = match["thing"].casefold()
        if not any(word in said for word in next((words for words in _LIKE if thing in words), (thing,))):
            return thing
    return ""


def subject_of(chunk: Chunk) -> Subject | None:
    """What the article of `chunk` is about, as far as title and first sentence tell; None where that is a list."""
    if _ABOUT.match(chunk.title):
        return None
    qualifier = _QUALIFIER.search(chunk.title)
    named = _THING.search(qualifier["what"]) if qualifier else None
    told, by, article = _told(chunk)
    article = article or _has_article(chunk)
    thing = named["thing"].casefold() if named else told
    if by and thing in RECORDS:
        return Subject.record(chunk.title, thing, by)
    subject = Subject.of(chunk.title, thing)
    if named and qualifier and named.end() == len(qualifier["what"]) and thing not in _PLAIN:
        return replace(subject, shown=f'the {qualifier["what"]} "{subject.name}"')  # "the 1996 film", not that of 2013
    if qualifier and not named and subject.shown == subject.name:
        return replace(subject, shown=f"{subject.name} ({qualifier['what']})")  # of several that are called so
    return replace(subject, shown=f"the {subject.shown}") if article and subject.shown == subject.name else subject


def _has_article(chunk: Chunk) -> bool:
    """Whether the text mostly says "the American Football Conference" of an institution, and not the bare name."""
    name = re.escape(bare(chunk.title))
    if not _INSTITUTION.search(bare(chunk.title)):
        return False
    running = list(re.finditer(rf"(?:\b(the) )?{name}\b", chunk.text, re.IGNORECASE))
    return sum(bool(match[1]) for match in running) * 2 > len(running)


def _told(chunk: Chunk) -> tuple[str, str, bool]:
    """What the first sentence about its subject tells: its class, who made it, and whether its name has an article."""
    name = bare(chunk.title)
    for start, end in sentences(chunk.text)[:6]:
        sentence = chunk.text[start:end]
        told = IS.search(sentence)
        if told is None or name.casefold() not in sentence[: told.start()].casefold():
            continue
        article = bool(re.match(rf"The {re.escape(name)}(?: \(|,| is| was| are| were)", sentence))
        head = STOPS.split(told["rest"])[0]
        if _PEOPLE.search(head):
            return "person", "", False
        things = list(_THING.finditer(head))
        by = BY.match(told["rest"][len(head) :])
        return things[-1]["thing"].casefold() if things else "", by["by"] if by else "", article
    return "", "", False

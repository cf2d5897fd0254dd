"""What an encyclopedia is made of: articles on a subject, the statements in them, and the sources of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from drzero.types import Citation


@dataclass(frozen=True, slots=True)
class Source:
    """An archive that statements come from, as it names itself; "" for what it does not say."""

    zim_id: str
    name: str
    title: str
    date: str
    language: str
    creator: str
    publisher: str
    licence: str
    source: str  # the address of the site that was archived


@dataclass(frozen=True, slots=True)
class Reference:
    """A numbered reference of an article: the words of a source at their place. `number` counts from 1."""

    number: int
    citation: Citation


@dataclass(frozen=True, slots=True)
class Statement:
    """A verified claim as an article prints it, with the numbers of its references and the entries it stands in."""

    text: str
    references: tuple[int, ...]
    entries: tuple[str, ...]
    question: str
    status: Literal["current", "stale", "disputed"]
    archives: int = 1  # how many archives support it independently: copies of one text count once


@dataclass(frozen=True, slots=True)
class Section:
    """The statements of an article that answer questions of one type, in reading order."""

    heading: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class SubjectArticle:
    """All that is known of one subject; `slug` is its file name without an ending, unique in the encyclopedia.

    `lead` says what it is, as far as a claim does; `see_also` are slug and title of others it is told of with.
    """

    slug: str
    title: str
    aliases: tuple[str, ...]
    lead: tuple[Statement, ...]
    sections: tuple[Section, ...]
    references: tuple[Reference, ...]
    see_also: tuple[tuple[str, str], ...]
    sources: tuple[Source, ...]
    profile: str
    updated: str  # ISO date of its newest entry


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of the index: an article by slug and title, with how many statements it has."""

    slug: str
    title: str
    aliases: tuple[str, ...]
    statements: int

    @classmethod
    def of(cls, article: SubjectArticle) -> Listed:
        """The line of `article`."""
        count = len(article.lead) + sum(len(section.statements) for section in article.sections)
        return cls(article.slug, article.title, article.aliases, count)


@dataclass(frozen=True, slots=True)
class Imprint:
    """What an encyclopedia says of itself; `language` as BCP 47 names it, "mul" for several."""

    title: str
    description: str
    language: str
    date: str  # ISO; of the newest entry, so that the same knowledge base gives the same bytes
    creator: str
    publisher: str

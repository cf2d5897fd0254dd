"""Entries of one subject → an article: what it is, sections by type of question, numbered references, see-also (pure).

Nothing is written here: every sentence of an article is a claim of an entry, word for word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from drzero.copies import independent_archives
from drzero.encyclopedia.leads import lead_of
from drzero.encyclopedia.ordering import Passage, Point, in_reading_order, merged
from drzero.encyclopedia.subjects import Directory, Subject
from drzero.encyclopedia.values import Reference, Section, Source, Statement, SubjectArticle
from drzero.text import clean_title, title_key, without_steering
from drzero.types import Entry

Place = tuple[str, str, int, int, str]  # archive, path, start, end, quote

MOST_SEE_ALSO = 20
_HEADINGS = {
    "factual": "Facts",
    "temporal": "Dates and durations",
    "causal": "Causes and effects",
    "comparative": "Comparisons",
    "comparison": "Comparisons",
    "multi-hop": "Connections",
    "conceptual": "Concepts",
    "implementation": "Use",
    "debugging": "Errors and how they arise",
    "refactoring": "Rewriting",
    "best-practice": "Good practice",
}


@dataclass(frozen=True, slots=True)
class Shelf:
    """What articles are gathered with: all subjects, the archives by id, the types of a profile (by its name) in their
    order, and the other names of what the article at (zim_id, path) is about.
    """

    directory: Directory
    sources: Mapping[str, Source]
    types: Callable[[str], Sequence[str]] = lambda _: ()
    aliases: Callable[[str, str], Sequence[str]] = lambda _, __: ()


def iter_articles(groups: Iterable[tuple[Subject, Sequence[Entry]]], shelf: Shelf) -> Iterator[SubjectArticle]:
    """The article of each subject with its entries, in the order given, one in memory at a time; none for no entry."""
    for subject, entries in groups:
        if entries:
            yield gather(subject, entries, shelf)


def gather(subject: Subject, entries: Sequence[Entry], shelf: Shelf) -> SubjectArticle:
    """The article on `subject` of all `entries` that belong to it; ValueError without any."""
    if not entries:
        raise ValueError(f"no entry is about {subject.title}")
    homes = _homes(subject, entries)
    aliases = _aliases(subject, homes, shelf)
    profiles = Counter(entry.profile for entry in entries).most_common()
    types = tuple(dict.fromkeys(name for profile, _ in profiles for name in shelf.types(profile)))
    passages = merged([passage for entry in entries if (passage := _passage(entry, homes)).points])
    names = {source.zim_id: source.name for source in shelf.sources.values()}
    lead = lead_of(passages, (subject.title, subject.source_title, *aliases), types, names)
    sections = _sections([one for one in passages if not any(one is chosen for chosen in lead)], types)
    numbers: dict[Place, Reference] = {}
    shown_lead = tuple(_statement(point, numbers, names) for passage in lead for point in passage.points)
    shown = tuple(
        Section(heading, tuple(_statement(point, numbers, names) for passage in found for point in passage.points))
        for heading, found in sections
    )
    references = tuple(numbers.values())
    return SubjectArticle(
        slug=subject.slug,
        title=subject.title,
        aliases=aliases,
        lead=shown_lead,
        sections=shown,
        references=references,
        see_also=_see_also(subject, entries, passages, shelf.directory),
        sources=_sources(references, entries, shelf.sources),
        profile=profiles[0][0],
        updated=max(entry.created_at for entry in entries)[:10],
    )


def heading_of(type_: str) -> str:
    """What a section with answers to questions of one type is called."""
    return _HEADINGS.get(type_) or clean_title(re.sub(r"[-_]+", " ", type_)).capitalize() or "Other"


def _homes(subject: Subject, entries: Sequence[Entry]) -> dict[tuple[str, str], int]:
    """The articles on the subject, as (zim_id, path), the most cited first, with their rank from 0."""
    cited = Counter(
        (citation.zim_id, citation.path)
        for entry in entries
        for claim in entry.claims
        for citation in claim.citations
        if title_key(citation.title) == subject.key
    )
    return {place: rank for rank, (place, _) in enumerate(sorted(cited.items(), key=lambda one: (-one[1], one[0])))}


def _aliases(subject: Subject, homes: Iterable[tuple[str, str]], shelf: Shelf) -> tuple[str, ...]:
    own = {title_key(subject.title), title_key(subject.source_title)}
    names = {clean_title(name) for zim_id, path in homes for name in shelf.aliases(zim_id, path)} - {""}
    by_key = {title_key(name): name for name in sorted(names, reverse=True)}
    return tuple(sorted(name for key, name in by_key.items() if key not in own))


def _passage(entry: Entry, homes: Mapping[tuple[str, str], int]) -> Passage:
    away = len(homes)
    points = tuple(
        Point(
            text=without_steering(claim.text).strip(),
            citations=claim.citations,
            entries=(entry.id,),
            question=clean_title(entry.question),
            status=entry.status,
            at=min((homes.get((c.zim_id, c.path), away), f"{c.zim_id}/{c.path}", c.start) for c in claim.citations),
        )
        for claim in entry.claims
        if claim.citations
    )
    return Passage(points, entry.type)


def _sections(passages: Sequence[Passage], types: Sequence[str]) -> list[tuple[str, list[Passage]]]:
    order = {name: rank for rank, name in enumerate(types)}
    by_heading: dict[str, list[Passage]] = {}
    for passage in sorted(passages, key=lambda one: (order.get(one.type, len(order)), one.type)):
        by_heading.setdefault(heading_of(passage.type), []).append(passage)
    return [(heading, in_reading_order(found)) for heading, found in by_heading.items()]


def _statement(point: Point, numbers: dict[Place, Reference], names: Mapping[str, str]) -> Statement:
    """`point` as it is printed; a place that is cited for the first time gets the next of `numbers`."""
    found = set()
    for cited in point.citations:
        place = (cited.zim_id, cited.path, cited.start, cited.end, cited.quote)
        found.add(numbers.setdefault(place, Reference(len(numbers) + 1, cited)).number)
    archives = independent_archives(point.text, (point.citations,), names)
    return Statement(point.text, tuple(sorted(found)), point.entries, point.question, point.status, archives)


def _see_also(
    subject: Subject, entries: Sequence[Entry], passages: Sequence[Passage], directory: Directory
) -> tuple[tuple[str, str], ...]:
    """Slug and title of the subjects cited in the same entries, then of those that are named, the frequent first."""
    cited = Counter(
        other
        for entry in entries
        for other in {directory.subject(c.title) for claim in entry.claims for c in claim.citations}
        if other
    )
    named = Counter(other for passage in passages for point in passage.points for other in directory.named(point.text))
    ranked = [
        other
        for counted in (cited, named)
        for other, _ in sorted(counted.items(), key=lambda one: (-one[1], one[0].title, one[0].slug))
        if other.key != subject.key
    ]
    return tuple((other.slug, other.title) for other in list(dict.fromkeys(ranked))[:MOST_SEE_ALSO])


def _sources(
    references: Sequence[Reference], entries: Sequence[Entry], sources: Mapping[str, Source]
) -> tuple[Source, ...]:
    """The archives of the references in their order; of one that is not in `sources`, what the entries say."""
    named = {zim_id: (name, date) for entry in entries for zim_id, name, date in entry.archives}
    return tuple(
        sources.get(zim_id) or Source(zim_id, *_named(named, zim_id), "", "", "", "", "")
        for zim_id in dict.fromkeys(reference.citation.zim_id for reference in references)
    )


def _named(named: Mapping[str, tuple[str, str]], zim_id: str) -> tuple[str, str, str]:
    name, date = named.get(zim_id, ("", ""))
    return name, "", date

"""Which claims of a subject say what it is (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from drzero.copies import independent_archives
from drzero.encyclopedia.ordering import Passage, Point
from drzero.encyclopedia.slugs import bare_title

MOST_LEADS = 3
_OF = r"(?:of|to|in|on|at|by|for|from|with|against|de|du|des|von|vom|zu|im|di|del|della|do|da)"
_THAT = r"(?:the|der|die|das|l[ae]s?|el|los|il|lo|gli|os?)"
_ONE = r"(?:an?|one\sof|any\sof|eine?[rs]?|une?|des|un[ao]|um[a]?)"
_IS = r"(?:is|was|are|were|ist|war|sind|waren|est|était|sont|étaient|es|era|fue|son|è|fu|sono|é|foi|são)"
# what may stand before the name: "The single “"; and behind it: "” by Ann Hill (a song) is a"
_BEFORE = re.compile(rf"\W*(?:(?:{_THAT}|an?)\s|l['’])?(?:(?!{_OF}\s)\w+\s){{0,2}}[\"“«„']?")
_BEHIND = rf"[\"”»']?(?:\s*\([^)]*\)|,[^,.]{{1,80}},|\sby\s[^,.;]{{1,60}}?)?\s{_IS}\s"
_DEFINING = tuple(re.compile(rf"{_BEHIND}{article}\b") for article in (_ONE, _THAT))


def lead_of(
    passages: Sequence[Passage], names: Sequence[str], types: Sequence[str], archives: Mapping[str, str]
) -> list[Passage]:
    """What says what it is, at most `MOST_LEADS`; else the best supported of the first of `types`.

    `names` are those of the subject, `archives` the file names of archives by id.
    """
    current = [one for one in passages if all(point.status == "current" for point in one.points)]
    found = [(rank, one.points[0].at, number) for number, one in enumerate(current) if (rank := _defines(one, names))]
    if found:
        return [current[number] for _, _, number in sorted(found)[:MOST_LEADS]]
    facts = [one for one in current if types and one.type == types[0]]
    if not facts:
        return []
    return [min(facts, key=lambda one: (*_support(one.points[0], archives), one.points[0].at, one.points[0].text))]


def _support(point: Point, archives: Mapping[str, str]) -> tuple[int, int]:
    return -independent_archives(point.text, (point.citations,), archives), -len(point.entries)


def _defines(passage: Passage, names: Sequence[str]) -> int:
    """1 where it begins with "NAME is a …", 2 with "NAME is the …", else 0; brackets may stand behind the name."""
    text = passage.points[0].text.casefold()
    found: list[int] = []
    for name in {name.casefold() for title in names for name in (title, bare_title(title)) if name}:
        start = text.find(name)
        if start >= 0 and _BEFORE.fullmatch(text, 0, start):
            found += [rank for rank, sign in enumerate(_DEFINING, 1) if sign.match(text, start + len(name))]
    return min(found, default=0)

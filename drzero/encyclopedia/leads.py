"""Which claims of a subject say what it is, and how well a claim is supported (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from drzero.encyclopedia.ordering import Passage, Point
from drzero.encyclopedia.slugs import bare_title
from drzero.text import words
from drzero.types import Citation

MOST_LEADS = 3
_IS = r"(?:is|was|are|were|ist|war|sind|waren|est|était|sont|étaient|es|era|fue|son|è|fu|sono|é|foi|são)"
_ONE = r"(?:an?|one\sof|any\sof|eine?[rs]?|une?|des|un[ao]|um[a]?)"
_OF = r"(?:of|to|in|on|at|by|for|from|with|against|de|du|des|von|vom|zu|im|di|del|della|do|da)"
_THAT = r"(?:the|der|die|das|l[ae]s?|el|los|il|lo|gli|os?)"


def lead_of(passages: Sequence[Passage], names: Sequence[str], types: Sequence[str]) -> list[Passage]:
    """What says what it is, at most `MOST_LEADS`; else the fact that most supports, of the first type."""
    current = [one for one in passages if all(point.status == "current" for point in one.points)]
    found = [(rank, one.points[0].at, number) for number, one in enumerate(current) if (rank := _defines(one, names))]
    if found:
        return [current[number] for _, _, number in sorted(found)[:MOST_LEADS]]
    facts = [one for one in current if types and one.type == types[0]]
    if not facts:
        return []
    return [min(facts, key=lambda one: (*_support(one.points[0]), one.points[0].at, one.points[0].text))]


def _support(point: Point) -> tuple[int, int]:
    return -independent_archives(point.citations), -len(point.entries)


def _defines(passage: Passage, names: Sequence[str]) -> int:
    """1 where it begins with "NAME is a …", 2 with "NAME is the …", else 0; brackets may stand behind the name."""
    text = passage.points[0].text
    lower = text.casefold()
    called = {re.escape(name) for title in names for name in (title, bare_title(title)) if name.casefold() in lower}
    if not called:
        return 0
    longest_first = sorted(called, key=lambda name: (-len(name), name))
    start = (
        rf"\W*(?:{_THAT}\s|l['’]|an?\s)?(?:(?!{_OF}\s)\w+\s){{0,2}}[\"“«„']?(?:{'|'.join(longest_first)})[\"”»']?"
        rf"(?:\s*\([^)]*\)|,[^,.]{{1,80}},|\sby\s[^,.;]{{1,60}}?)?\s{_IS}\s"
    )
    for rank, article in enumerate((_ONE, _THAT), 1):
        if re.match(rf"{start}{article}\b", text, re.IGNORECASE):
            return rank
    return 0


def independent_archives(citations: Iterable[Citation]) -> int:
    """How many archives say it in words that no other of them has: copies of one text count once."""
    quotes: dict[str, set[str]] = {}
    for citation in citations:
        quotes.setdefault(citation.zim_id, set()).add(" ".join(words(citation.quote)) or citation.quote)
    seen: set[str] = set()
    count = 0
    for said in sorted(quotes.values(), key=lambda one: (len(one), sorted(one))):
        count += bool(said - seen)
        seen |= said
    return count

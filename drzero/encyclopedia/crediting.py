"""How a source is named and credited in words: a line for an archive, a place for a quote (pure)."""

from __future__ import annotations

from collections.abc import Mapping

from drzero.encyclopedia.values import Source
from drzero.text import clean_title
from drzero.types import Citation

UNSTATED = "not stated by the archive"
MARKS = {
    "stale": "No longer in its source as it was: to be checked again.",
    "disputed": "Disputed: another source or check says otherwise.",
}  # what stands beside a statement that is not current


def source_name(source: Source) -> str:
    """What an archive is called: its title, else its name, else its id."""
    return clean_title(source.title) or clean_title(source.name) or source.zim_id


def credit(source: Source) -> tuple[tuple[str, str], ...]:
    """What has to be said of an archive wherever its words are used, as (label, words); what it does not say is left
    out, but for its licence.
    """
    said = (
        ("By", source.creator),
        ("Published by", source.publisher),
        ("Date", source.date),
        ("Language", source.language),
        ("Licence", source.licence or UNSTATED),
        ("From", source.source),
        ("Archive", f"{source.name} ({source.zim_id})" if source.name else source.zim_id),
    )
    return tuple((label, clean_title(words)) for label, words in said if clean_title(words))


def place_of(citation: Citation, sources: Mapping[str, Source]) -> str:
    """Where a quote stands: "Salt › Chemistry, in Kitchen (2026-01)"."""
    headings = [citation.title, *citation.heading]
    where = " › ".join(dict.fromkeys(clean_title(part) for part in headings if clean_title(part)))
    source = sources.get(citation.zim_id)
    name = source_name(source) if source else citation.zim_id
    date = f" ({clean_title(source.date)})" if source and source.date else ""
    return f"{where}, in {name}{date}" if where else f"{name}{date}"

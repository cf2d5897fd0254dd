"""Entries as JSON lines, one a line with its whole evidence: claims, citations, archives with licences, scores."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from drzero.encyclopedia.values import Source
from drzero.text import storable
from drzero.types import Entry

_BREAKS = {ord(letter): f"\\u{ord(letter):04x}" for letter in "\x7f\x85\u2028\u2029"}  # that some take for a line's end


def write_jsonl(
    file: Path, entries: Iterable[tuple[Entry, Sequence[str]]], sources: Mapping[str, Source]
) -> Counter[str]:
    """Write `file`: a line for each entry with the titles it is about; how much it was by kind."""
    counts: Counter[str] = Counter()
    with file.open("w", encoding="utf-8", newline="\n") as out:
        for entry, subjects in entries:
            out.write(entry_line(entry, subjects, sources) + "\n")
            counts += Counter(
                entries=1, statements=len(entry.claims), references=sum(len(claim.citations) for claim in entry.claims)
            )
    return counts


def entry_line(entry: Entry, subjects: Sequence[str], sources: Mapping[str, Source]) -> str:
    """One JSON object without a line break, with the keys of `kb show --json`, `subjects`, and all of each archive."""
    document = {
        "id": entry.id,
        "question": entry.question,
        "answer": entry.answer,
        "subjects": list(subjects),
        "type": entry.type,
        "level": entry.level,
        "profile": entry.profile,
        "claims": [
            {
                "text": claim.text,
                "verdict": judgement.verdict,
                "probability": round(judgement.probability, 4),
                "reasons": list(judgement.reasons),
                "citations": [asdict(citation) for citation in claim.citations],
            }
            for claim, judgement in zip(entry.claims, entry.judgements, strict=True)
        ],
        "scores": dict(entry.scores),
        "overall": entry.overall,
        "status": entry.status,
        "status_reasons": list(entry.status_reasons),
        "episode_id": entry.episode_id,
        "created_at": entry.created_at,
        "archives": [_archive(entry, zim_id, sources) for zim_id in _cited(entry)],
        "model": entry.model,
    }
    return storable(json.dumps(document, ensure_ascii=False, allow_nan=False)).translate(_BREAKS)


def _cited(entry: Entry) -> list[str]:
    return list(dict.fromkeys(citation.zim_id for claim in entry.claims for citation in claim.citations))


def _archive(entry: Entry, zim_id: str, sources: Mapping[str, Source]) -> dict[str, Any]:
    named = {id_: (name, date) for id_, name, date in entry.archives}
    name, date = named.get(zim_id, ("", ""))
    return asdict(sources.get(zim_id) or Source(zim_id, name, "", date, "", "", "", "", ""))

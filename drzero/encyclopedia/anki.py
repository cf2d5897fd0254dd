"""Entries as cards for Anki: a package that a double click imports. Question in front, answer and evidence behind.

A card has the id of its entry, so that a later import of the same knowledge base updates it and keeps what was learnt.
"""

from __future__ import annotations

import re
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drzero.encyclopedia.crediting import MARKS, UNSTATED, place_of, source_name
from drzero.encyclopedia.values import Imprint, Source
from drzero.text import clean_title, content_id, storable, without_steering
from drzero.types import Entry

if TYPE_CHECKING:
    from genanki import Model

FIELDS = ("Question", "Answer", "Evidence", "Source", "Licence", "Note", "Entry")
_MODEL_ID = 1_783_306_021  # of the kind of note: never another, or Anki would make a second kind of it
_FRONT = '<div class="question">{{Question}}</div>'
_BACK = """{{FrontSide}}<hr id="answer"><div class="answer">{{Answer}}</div>
{{#Note}}<div class="note">{{Note}}</div>{{/Note}}
<div class="evidence">{{Evidence}}</div><div class="source">{{Source}}<br>{{Licence}}</div>"""
_STYLE = """.card { font-family: sans-serif; font-size: 1.2rem; line-height: 1.4; text-align: start; }
.answer { white-space: pre-wrap; font-weight: bold; }
.evidence { margin-top: 1em; font-size: 1rem; }
.evidence blockquote { margin: .3em 0; padding-inline-start: .8em; border-inline-start: 3px solid #888; }
.source { margin-top: 1em; font-size: .8rem; opacity: .8; }
.note { margin-top: 1em; font-style: italic; }"""


def write_anki(
    file: Path,
    imprint: Imprint,
    entries: Iterable[tuple[Entry, Sequence[str]]],
    sources: Mapping[str, Source],
) -> Counter[str]:
    """Write the package `file`, a note for each entry with the titles it is about; how much it was by kind.

    The same entries give the same bytes. Notes are written as they come; a file of their size lies beside meanwhile.
    """
    from genanki import Deck, Note, Package

    counts: Counter[str] = Counter()
    model = _model()
    timestamp = _timestamp(imprint.date)

    class _Streamed(Deck):  # type: ignore[misc]
        """A deck that takes its notes from `entries` as they are written, and keeps none."""

        def write_to_db(self, cursor: sqlite3.Cursor, timestamp: float, id_gen: Any) -> None:
            super().write_to_db(cursor, timestamp, id_gen)
            for entry, subjects in entries:
                note = Note(model, list(note_fields(entry, sources)), tags=note_tags(entry, subjects), guid=entry.id)
                note.write_to_db(cursor, _timestamp(entry.created_at), self.deck_id, id_gen)
                counts.update(
                    entries=1,
                    statements=len(entry.claims),
                    references=sum(len(claim.citations) for claim in entry.claims),
                )

    deck = _Streamed(_deck_id(imprint.title), clean_title(imprint.title), escape(imprint.description))
    deck.add_model(model)
    collection = file.with_name(file.name + ".collection")
    connection = sqlite3.connect(collection)
    try:
        connection.execute("PRAGMA journal_mode = OFF")
        Package(deck).write_to_db(connection.cursor(), timestamp, count(timestamp * 1000))
        connection.commit()
        connection.close()
        _pack(collection, file)
    finally:
        connection.close()
        collection.unlink(missing_ok=True)
    return counts


def note_fields(entry: Entry, sources: Mapping[str, Source]) -> tuple[str, ...]:
    """The `FIELDS` of the note of an entry, as HTML."""
    cited = list(dict.fromkeys(citation for claim in entry.claims for citation in claim.citations))
    quotes = {(one.zim_id, one.path, one.start, one.end): one for one in reversed(cited)}
    archives = [sources.get(zim_id) for zim_id in dict.fromkeys(one.zim_id for one in cited)]
    known = [source for source in archives if source]
    reasons = " ".join(entry.status_reasons)
    return (
        _html(entry.question),
        _html(entry.answer),
        "".join(
            f"<blockquote>{_html(one.quote)}<br><small>{_html(place_of(one, sources))}</small></blockquote>"
            for one in reversed(quotes.values())
        ),
        "; ".join(
            _html(", ".join(part for part in (source_name(one), one.date, one.creator, one.source) if part))
            for one in known
        ),
        "; ".join(dict.fromkeys(f"Licence: {_html(one.licence or UNSTATED)}" for one in known)),
        _html(f"{MARKS[entry.status]} {reasons}".strip()) if entry.status in MARKS else "",
        entry.id,
    )


def note_tags(entry: Entry, subjects: Sequence[str]) -> list[str]:
    """Tags by topic, type and level, in Anki's way with "::" between the parts; no blank within."""
    parts = [*(("topic", subject) for subject in subjects), ("type", entry.type), ("level", entry.level)]
    return [f"{kind}::{_tag(name)}" for kind, name in parts if _tag(name)]


def _tag(name: str) -> str:
    return re.sub(r"[\s\"]+", "_", clean_title(storable(name)).replace("::", ":")).strip(":")


def _html(text: str) -> str:
    """`text` as HTML that Anki takes for text alone: no tag, no field, no formula, no cloze, no sound."""
    plain = escape(without_steering(storable(text)).strip()).replace("{", "&#123;").replace("}", "&#125;")
    return plain.replace("[", "&#91;").replace("\\", "&#92;").replace("\t", " ").replace("\n", "<br>")


def _model() -> Model:
    from genanki import Model

    fields = [{"name": name} for name in FIELDS]
    card = {"name": "Question and evidence", "qfmt": _FRONT, "afmt": _BACK}
    return Model(_MODEL_ID, "drzero question with evidence", fields=fields, templates=[card], css=_STYLE)


def _deck_id(title: str) -> int:
    """A number of the size of Anki's own, always the same for one title."""
    return (1 << 30) + int(content_id("anki deck", title)[:8], 16) % (1 << 30)


def _timestamp(date: str) -> int:
    """Seconds since 1970 of an ISO date or time, in UTC where it does not say."""
    try:
        when = datetime.fromisoformat(date)
        return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    except ValueError:
        return 1_600_000_000


def _pack(collection: Path, file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        entry = zipfile.ZipInfo("collection.anki2", (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.file_size = collection.stat().st_size
        with package.open(entry, "w") as into, collection.open("rb") as out_of:
            while block := out_of.read(1 << 20):
                into.write(block)
        package.writestr(zipfile.ZipInfo("media", (1980, 1, 1, 0, 0, 0)), "{}")

"""What each table and column of the knowledge base means, and the whole as a table of Markdown."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from drzero.kb.schema import open_knowledge_base

if TYPE_CHECKING:
    from sqlite_utils import Database

_PLACE = {
    "id": "number of the row",
    "claim_id": "the claim",
    "position": "its place among others of the claim, from 0",
    "n": "number that the solver knew the passage by, from 1",
    "index_name": "index it was found in",
    "zim_id": "the archive",
    "path": "the article's path in it",
    "title": "the article's title",
    "heading": "JSON array of headings, from the top down",
    "chunk_id": "content hash of the passage",
    "quote": "the article's own words",
    "start": "where they begin in its text, in characters",
    "end": "where they end",
}
# Table → what a row is, and what each column says. Those of full text, which SQLite keeps itself, are left out.
MEANINGS: dict[str, tuple[str, dict[str, str]]] = {
    "entries": (
        "a verified answer; full text in `entries_fts`",
        {
            "number": "counts entries as they were admitted",
            "id": "content hash of the question",
            "question": "as it was asked",
            "question_key": "its words, the same for all spellings",
            "answer": "its claims, one after the other",
            "type": "type of challenge, as the profile names it",
            "level": "easy, medium, hard or expert",
            "profile": "the profile it was asked by",
            "overall": "weighted score in [0,1]",
            "status": "current, stale, disputed, or retired by a person",
            "model": "the writer",
            "episode_id": "the episode it came from",
            "created_at": "when, ISO 8601 in UTC",
            "status_reasons": "JSON array of sentences: why it is not current",
            "topic_id": "what it is about",
        },
    ),
    "claims": (
        "a sentence of an answer; full text in `claims_fts`",
        {
            "id": "number of the row",
            "entry_id": "the entry",
            "position": "its place in the answer, from 0",
            "text": "what it says",
            "verdict": "supported, contradicted, unsupported or unchecked",
            "probability": "that the evidence supports it, in [0,1]",
            "reasons": "JSON array of the verifier's sentences",
            "codes": "JSON array of what they are counted by",
        },
    ),
    "citations": ("a place whose words support a claim", _PLACE),
    "supports": (
        "a place that supports a claim too, found by another answer to its question",
        _PLACE | {"number": "from 1: those of one number support the claim together"},
    ),
    "archives": (
        "an archive that was cited, as it names itself",
        {
            "id": "its UUID",
            "name": "file name without `.zim`",
            "date": "of its edition",
            "first_cited_at": "when it was cited first, ISO 8601 in UTC",
            "title": "its title",
            "language": "its language",
            "creator": "who wrote what is in it",
            "publisher": "who made the archive",
            "licence": "licence of what is in it",
            "source": "address of the site",
        },
    ),
    "topics": (
        "what entries are about: the article that their claims cite most",
        {"id": "number of the row", "key": "its title in small letters", "title": "its title, brackets and all"},
    ),
    "scores": (
        "a score of an entry",
        {
            "entry_id": "the entry",
            "position": "its place among others, from 0",
            "name": "what the profile calls it",
            "value": "in [0,1]",
        },
    ),
    "reviews": (
        "what a person decided on an entry",
        {
            "id": "number of the row",
            "entry_id": "the entry",
            "at": "when, ISO 8601 in UTC",
            "reviewer": "who",
            "decision": "accept, correct or retire",
            "text": "the right answer, of a correction",
            "reason": "why",
        },
    ),
    "history": (
        "what an entry was before a change",
        {
            "id": "number of the row",
            "entry_id": "the entry",
            "at": "when it was changed, ISO 8601 in UTC",
            "what": "status, replaced, corrected, moved or unsupported",
            "before": "JSON of what was changed",
        },
    ),
    "disputes": (
        "two claims that cannot both be true",
        {
            "id": "number of the row",
            "entry_id": "the one side",
            "other_id": "the other; null where it is in `other`",
            "other": "JSON of another answer to the same question",
            "claim": "what the one says",
            "other_claim": "what the other says",
            "code": "in what they differ: date, number, name, negation, answer",
            "reason": "that in a sentence",
            "found_at": "when, ISO 8601 in UTC",
            "settled": "how a person settled it, in a sentence",
            "settled_at": "when",
        },
    ),
    "claims_compared": (
        "a claim that was set beside all others",
        {"claim_id": "the claim", "way": "names the rules by which that was done"},
    ),
    "entries_checked": (
        "an entry that passed the checks without a model",
        {"entry_id": "the entry", "digest": "of all that they saw"},
    ),
    "runs": (
        "one run of `drzero evolve`",
        {
            "id": "when it began, and a number",
            "profile": "its profile",
            "seed": "of every random choice",
            "settings": "JSON of all that must be equal to go on with it",
            "iterations": "planned",
            "iterations_done": "closed",
            "status": "running, finished or interrupted",
            "started_at": "ISO 8601 in UTC",
            "finished_at": "likewise",
        },
    ),
    "episodes": (
        "one challenge from proposal to verdict; its metrics by name in the view `episode_metrics`",
        {
            "id": "content hash",
            "run_id": "the run",
            "iteration": "of the run, from 0",
            "number": "within the iteration, from 0",
            "status": "accepted, rejected, quarantined or invalid",
            "reason": "why it is not accepted",
            "question": "what was asked",
            "answer": "the reference answer",
            "type": "type of challenge",
            "level": "its level",
            "profile": "its profile",
            "difficulty": "in [0,1]",
            "base_score": "of an answer without search, in [0,1]",
            "attempts": "blind attempts",
            "elapsed_s": "seconds",
            "created_at": "ISO 8601 in UTC",
            "metrics": "JSON array of the 14 metrics",
            "trace": "JSON of everything, to be run again",
        },
    ),
    "chunks": (
        "a passage that episodes came across",
        {
            "key": "content hash of the row, by which traces name it",
            "id": "content hash of the passage",
            "zim_id": "its archive",
            "path": "its article",
            "title": "the article's title",
            "heading": "JSON array",
            "text": "its words",
            "start": "where it begins, in characters",
            "end": "where it ends",
            "mark": "why it is no evidence",
        },
    ),
    "events": (
        "what a run did beside its episodes",
        {
            "id": "number of the row",
            "run_id": "the run",
            "iteration": "from 0",
            "at": "ISO 8601 in UTC",
            "kind": "a code to count by",
            "reason": "a sentence",
            "detail": "JSON of the figures",
        },
    ),
    "seed_articles": (
        "how a run fared with an article",
        {
            "run_id": "the run",
            "zim_id": "the archive",
            "path": "the article",
            "proposals": "questions proposed",
            "copies": "of them refused as repeats",
            "challenges": "that passed the gates",
            "accepted": "that gave an entry",
            "last_error": "why the latest that gave none did not",
        },
    ),
    "refused": (
        "a question that a gate refused",
        {
            "number": "of the row",
            "question": "what was asked",
            "refusal": "the gate",
            "episode_id": "the episode",
        },
    ),
    "curriculum": (
        "where a profile stands",
        {
            "profile": "the profile",
            "level": "its level",
            "iterations": "at it",
            "promotion": "score to go up at",
            "demotion": "score to go down at",
            "updated_at": "ISO 8601 in UTC",
            "crossings": "JSON array: how often each border of levels was crossed",
            "leaning": "iterations in a row for a move",
        },
    ),
    "curriculum_scores": (
        "a recent score",
        {
            "profile": "the profile",
            "type": "the type, or nothing for the level",
            "position": "order",
            "score": "in [0,1]",
        },
    ),
    "curriculum_types": (
        "how a type of challenge went",
        {
            "profile": "the profile",
            "position": "order",
            "type": "the type",
            "tries": "all of them",
            "accepted": "that gave an entry",
            "dry": "tries since the last that did",
        },
    ),
    "improvements": (
        "what had been learnt before an iteration",
        {
            "run_id": "the run",
            "iteration": "from 0",
            "profile": "the profile",
            "writer": "the writer",
            "state": "JSON",
            "made_at": "ISO 8601 in UTC",
            "curriculum": "JSON: where the iteration began",
        },
    ),
    "trials": (
        "a wording that was tried",
        {
            "run_id": "the run",
            "iteration": "from 0",
            "number": "within it, from 0",
            "profile": "the profile",
            "writer": "the writer",
            "prompt": "the prompt",
            "wording": "with variant and version",
            "variant": "the variant",
            "challenge_id": "the challenge",
            "won": "0 or 1",
            "tried_at": "ISO 8601 in UTC",
            "fault": "why it came to nothing",
        },
    ),
    "question_vectors": (
        "the vector of a question",
        {"embedder": "who made it", "question": "the question", "vector": "float32, little-endian"},
    ),
    "search_ranks": (
        "where searches found what answers a challenge",
        {"searches": "names all that decides what they find", "challenge_id": "the challenge", "ranks": "JSON"},
    ),
}


def tables(db: Database) -> dict[str, list[str]]:
    """The columns of each table of an open knowledge base, full text aside."""
    kept = [table for table in db.tables if "_fts" not in table.name]
    return {table.name: [column.name for column in table.columns] for table in kept}


def as_markdown() -> str:
    """The tables of today's schema, each with its columns and what they mean, as a table of Markdown."""
    with TemporaryDirectory() as folder, open_knowledge_base(Path(folder) / "knowledge.db") as db:
        keys = {
            (table.name, key.column): key.other_table
            for table in db.tables
            if "_fts" not in table.name
            for key in table.foreign_keys
        }
        there = tables(db)
    lines = ["| table | column | meaning |", "| --- | --- | --- |"]
    for table, (meaning, columns) in MEANINGS.items():
        lines.append(f"| **`{table}`** | | {meaning} |")
        for column in there[table]:
            aim = keys.get((table, column))
            lines.append(f"| | `{column}`{f' → `{aim}`' if aim else ''} | {columns[column]} |")
    return "\n".join(lines)

"""The knowledge base's tables: numbered migrations, of which each brings a file to the next schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from drzero.kb.topics import set_topics

if TYPE_CHECKING:
    from sqlite_utils import Database

_TOKENIZE = "porter unicode61 remove_diacritics 2"
_METRICS = (
    "reward verified curriculum_difficulty question_len answer_len evidence_count solver_steps best_score improvement "
    "search_turns f1_score format_compliance noise_tolerance rag_verification"
)


def _tables(db: Database) -> None:
    """Schema 1. Searched tables have an INTEGER PRIMARY KEY, so that VACUUM cannot part them from their full text."""
    text, real, whole = str, float, int
    db.table("runs").create(
        {
            "id": text,
            "profile": text,
            "seed": text,  # a seed may be longer than 64 bits
            "settings": text,  # JSON
            "iterations": whole,
            "iterations_done": whole,
            "status": text,
            "started_at": text,
            "finished_at": text,
        },
        pk="id",
        not_null=("profile", "seed", "settings", "iterations", "iterations_done", "status", "started_at"),
    )
    db.table("episodes").create(
        {
            "id": text,
            "run_id": text,
            "iteration": whole,
            "number": whole,
            "status": text,
            "reason": text,
            "question": text,
            "answer": text,
            "type": text,
            "level": text,
            "profile": text,
            "difficulty": real,
            "base_score": real,
            "attempts": whole,
            "elapsed_s": real,
            "created_at": text,
            "metrics": text,  # JSON array, see the view episode_metrics
            "trace": text,  # JSON, the whole episode
        },
        pk="id",
        not_null=(
            "iteration",
            "number",
            "status",
            "reason",
            "question",
            "type",
            "level",
            "profile",
            "metrics",
            "trace",
        ),
        foreign_keys=[("run_id", "runs", "id")],
    )
    db.table("episodes").create_index(("run_id", "iteration", "number"), unique=True)
    db.create_view(
        "episode_metrics",
        "select id, run_id, iteration, number, created_at, "
        + ", ".join(f"json_extract(metrics, '$[{i}]') as \"ssp.{name}\"" for i, name in enumerate(_METRICS.split()))
        + " from episodes",
    )
    db.table("archives").create(
        {"id": text, "name": text, "date": text, "first_cited_at": text}, pk="id", not_null=("name", "date")
    )
    db.table("entries").create(
        {
            "number": whole,
            "id": text,
            "question": text,
            "question_key": text,
            "answer": text,
            "type": text,
            "level": text,
            "profile": text,
            "overall": real,
            "status": text,
            "model": text,
            "episode_id": text,
            "created_at": text,
        },
        pk="number",
        not_null=("id", "question", "question_key", "answer", "type", "level", "profile", "overall", "status"),
        foreign_keys=[("episode_id", "episodes", "id")],
    )
    db.table("entries").create_index(("id",), unique=True)
    db.table("entries").create_index(("question_key",), unique=True)
    db.table("scores").create(
        {"entry_id": text, "position": whole, "name": text, "value": real},
        pk=("entry_id", "position"),
        foreign_keys=[("entry_id", "entries", "id")],
    )
    db.table("claims").create(
        {
            "id": whole,
            "entry_id": text,
            "position": whole,
            "text": text,
            "verdict": text,
            "probability": real,
            "reasons": text,  # JSON array, the verifier's
            "codes": text,  # JSON array, the verifier's
        },
        pk="id",
        not_null=("entry_id", "position", "text", "verdict", "probability", "reasons", "codes"),
        foreign_keys=[("entry_id", "entries", "id")],
    )
    db.table("claims").create_index(("entry_id", "position"), unique=True)
    db.table("citations").create(
        {
            "id": whole,
            "claim_id": whole,
            "position": whole,
            "n": whole,
            "index_name": text,
            "zim_id": text,
            "path": text,
            "title": text,
            "heading": text,  # JSON array, from the top heading down
            "chunk_id": text,
            "quote": text,
            "start": whole,
            "end": whole,
        },
        pk="id",
        not_null=(
            "claim_id",
            "position",
            "n",
            "zim_id",
            "path",
            "title",
            "heading",
            "chunk_id",
            "quote",
            "start",
            "end",
        ),
        foreign_keys=[("claim_id", "claims", "id"), ("zim_id", "archives", "id")],
    )
    db.table("citations").create_index(("claim_id", "position"), unique=True)
    db.table("citations").create_index(("zim_id", "path"))
    db.table("curriculum").create(
        {"profile": text, "level": text, "iterations": whole, "promotion": real, "demotion": real, "updated_at": text},
        pk="profile",
        not_null=("level", "iterations", "promotion", "demotion"),
    )
    db.table("curriculum_scores").create(
        {"profile": text, "type": text, "position": whole, "score": real},  # type "" holds the level's own window
        pk=("profile", "type", "position"),
        foreign_keys=[("profile", "curriculum", "profile")],
    )
    db.table("curriculum_types").create(
        {"profile": text, "position": whole, "type": text, "tries": whole, "accepted": whole},
        pk=("profile", "position"),
        foreign_keys=[("profile", "curriculum", "profile")],
    )
    db.table("entries").enable_fts(("question", "answer"), tokenize=_TOKENIZE, create_triggers=True)
    db.table("claims").enable_fts(("text",), tokenize=_TOKENIZE, create_triggers=True)


def _status_reasons(db: Database) -> None:
    """Schema 2. Why an entry is not current: a JSON array of sentences."""
    db.execute("alter table entries add column status_reasons text not null default '[]'")


def _chunks(db: Database) -> None:
    """Schema 3. The chunks that episodes came across, each once; traces name them by key."""
    db.table("chunks").create(
        {
            "key": str,
            "id": str,
            "zim_id": str,
            "path": str,
            "title": str,
            "heading": str,  # JSON array, from the top heading down
            "text": str,
            "start": int,
            "end": int,
            "mark": str,
        },
        pk="key",
        not_null=("id", "zim_id", "path", "title", "heading", "text", "start", "end", "mark"),
    )


def _events(db: Database) -> None:
    """Schema 4. What runs did beside their episodes, how seed articles fared, what a steady curriculum needs."""
    text, whole = str, int
    db.table("events").create(
        {
            "id": whole,
            "run_id": text,
            "iteration": whole,
            "at": text,
            "kind": text,
            "reason": text,
            "detail": text,  # JSON object
        },
        pk="id",
        not_null=("run_id", "iteration", "at", "kind", "reason", "detail"),
        foreign_keys=[("run_id", "runs", "id")],
    )
    db.table("events").create_index(("run_id", "iteration"))
    db.table("seed_articles").create(
        {
            "run_id": text,
            "zim_id": text,
            "path": text,
            "proposals": whole,
            "copies": whole,
            "challenges": whole,
            "accepted": whole,
            "last_error": text,
        },
        pk=("run_id", "zim_id", "path"),
        not_null=("proposals", "copies", "challenges", "accepted", "last_error"),
        foreign_keys=[("run_id", "runs", "id")],
    )
    db.execute("alter table curriculum add column crossings text not null default '[]'")  # JSON array
    db.execute("alter table curriculum add column leaning integer not null default 0")
    db.execute("alter table curriculum_types add column dry integer not null default 0")


def _refused(db: Database) -> None:
    """Schema 5. Questions that a gate refused, with its name, so that none is proposed again."""
    db.table("refused").create(
        {"number": int, "question": str, "refusal": str, "episode_id": str},
        pk="number",
        not_null=("question", "refusal"),
        foreign_keys=[("episode_id", "episodes", "id")],
    )
    db.table("refused").create_index(("question",), unique=True)


def _improvements(db: Database) -> None:
    """Schema 6. What had been learnt before each iteration, and how prompt variants did where they were tried."""
    text, whole = str, int
    db.table("improvements").create(
        {"run_id": text, "iteration": whole, "profile": text, "writer": text, "state": text, "made_at": text},
        pk=("run_id", "iteration"),
        not_null=("profile", "writer", "state", "made_at"),
        foreign_keys=[("run_id", "runs", "id")],
    )
    db.table("trials").create(
        {
            "run_id": text,
            "iteration": whole,
            "number": whole,  # within the iteration, from 0
            "profile": text,
            "writer": text,
            "prompt": text,
            "wording": text,  # the prompt's name with variant and version, as recorded
            "variant": text,
            "challenge_id": text,
            "won": whole,  # 0 or 1
            "tried_at": text,
        },
        pk=("run_id", "iteration", "number"),
        not_null=("profile", "writer", "prompt", "wording", "variant", "challenge_id", "won", "tried_at"),
        foreign_keys=[("run_id", "runs", "id")],
    )


def _worked_out(db: Database) -> None:
    """Schema 7. What takes long to work out and follows from models and indexes: vectors, ranks of gold chunks."""
    db.execute("""
        create table question_vectors (
            embedder text not null, question text not null, vector blob not null,
            primary key (embedder, question)
        ) without rowid
    """)
    db.execute("""
        create table search_ranks (
            searches text not null, challenge_id text not null, ranks text not null,
            primary key (searches, challenge_id)
        ) without rowid
    """)


def _starts(db: Database) -> None:
    """Schema 8. The curriculum that each iteration of a run began with, and why a trial came to nothing."""
    db.execute("alter table improvements add column curriculum text not null default ''")  # JSON object
    db.execute("alter table trials add column fault text not null default ''")


def _truth(db: Database) -> None:
    """Schema for truth over time: entries that contradict each other, further support of claims, what was checked.

    All of it falls away with the entry or claim that it is about.
    """
    db.execute("""
        create table disputes (
            id integer primary key,
            entry_id text not null references entries(id) on delete cascade,
            other_id text references entries(id) on delete cascade,
            other text not null default '',
            claim text not null,
            other_claim text not null,
            code text not null,
            reason text not null,
            found_at text not null,
            settled text not null default '',
            settled_at text not null default ''
        )
    """)  # other: JSON, the whole entry of the other side where it answers the same question, as other_id is null then
    db.execute(
        "create unique index idx_disputes_sides on disputes (entry_id, ifnull(other_id, ''), claim, other_claim)"
    )
    db.execute("create index idx_disputes_other_id on disputes (other_id)")
    db.execute("""
        create table supports (
            id integer primary key,
            claim_id integer not null references claims(id) on delete cascade,
            number integer not null,
            position integer not null,
            n integer not null,
            index_name text not null,
            zim_id text not null references archives(id),
            path text not null,
            title text not null,
            heading text not null,
            chunk_id text not null,
            quote text not null,
            start integer not null,
            "end" integer not null
        )
    """)  # number: from 1, the places that support the claim together, beside those in citations
    db.execute("create unique index idx_supports_place on supports (claim_id, number, position)")
    db.execute("create index idx_supports_zim_id on supports (zim_id, path)")
    db.execute("""
        create table claims_compared (
            claim_id integer primary key references claims(id) on delete cascade, way text not null
        )
    """)  # way: names the rules by which the claim was set beside all others
    db.execute("""
        create table entries_checked (
            entry_id text primary key references entries(id) on delete cascade, digest text not null
        )
    """)  # digest: of all that the checks without a model saw when they last let the entry pass


def _decisions(db: Database) -> None:
    """What archives say of themselves, what entries are about, what people decided, and what entries were before."""
    for column in ("title", "language", "creator", "publisher", "licence", "source"):
        db.execute(f"alter table archives add column {column} text not null default ''")
    db.execute("create table topics (id integer primary key, key text not null, title text not null)")
    db.execute("create unique index idx_topics_key on topics (key)")
    db.execute("alter table entries add column topic_id integer references topics(id)")
    db.execute("create index idx_entries_topic_id on entries (topic_id, status, created_at)")
    db.execute("create index idx_entries_filters on entries (status, profile, level, type, created_at)")
    db.execute("create index idx_entries_episode_id on entries (episode_id)")
    db.execute("""
        create table reviews (
            id integer primary key,
            entry_id text not null references entries(id),
            at text not null,
            reviewer text not null default '',
            decision text not null,
            text text not null default '',
            reason text not null default ''
        )
    """)
    db.execute("create index idx_reviews_entry_id on reviews (entry_id)")
    db.execute("""
        create table history (
            id integer primary key,
            entry_id text not null references entries(id),
            at text not null,
            what text not null,
            before text not null
        )
    """)  # before: JSON, what was changed as it stood
    db.execute("create index idx_history_entry_id on history (entry_id)")
    set_topics(db)


MIGRATIONS: tuple[Callable[[Database], None], ...] = (
    _tables,
    _status_reasons,
    _chunks,
    _events,
    _refused,
    _improvements,
    _worked_out,
    _starts,
    _truth,
    _decisions,
)

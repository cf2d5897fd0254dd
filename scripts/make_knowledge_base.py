"""Make a knowledge base of many entries, the same for the same arguments: to measure and to try things on.

    python scripts/make_knowledge_base.py OUT.db [--entries 100000] [--seed 1]

Topics are cited as unevenly as articles are (Zipf's law), words come as unevenly as words do, and one entry in twenty
compares two topics. The archive that is cited does not exist.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from drzero.kb.entries import entry_id, question_key
from drzero.kb.schema import open_knowledge_base, transaction
from drzero.text import content_id, title_key

ARCHIVE = ("00000000-0000-4000-8000-000000000001", "made_en_all_2026-01", "2026-01-15")
TYPES = ("factual", "temporal", "causal", "comparative", "relationship")
LEVELS = ("easy", "medium", "hard", "expert")
PROFILES = ("wikipedia", "coding")
STATUSES = (("current", 96), ("stale", 2), ("disputed", 1), ("retired", 1))
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru sta tre".split()
_FIELDS = "bridge river song album engine planet market garden language theorem comet island treaty castle".split()
_MANY = 2000  # entries written at a time


def words(rng: Random, count: int) -> list[str]:
    """Made-up words, each once."""
    made: dict[str, None] = {}
    while len(made) < count:
        made["".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4)))] = None
    return list(made)


def zipf(count: int) -> list[float]:
    """Cumulative weights of `count` things by rank."""
    return list(accumulate(1 / rank for rank in range(1, count + 1)))


def made_entries(entries: int, seed: int) -> Iterator[dict[str, Any]]:
    """What each entry says and cites, no two with the same question."""
    rng = Random(seed)
    vocabulary = words(rng, 20_000)
    weights = zipf(len(vocabulary))
    count = max(1, entries // 8)
    names = [f"{' '.join(rng.sample(vocabulary[:4000], 2)).title()} ({rng.choice(_FIELDS)})" for _ in range(count)]
    places = zipf(count)
    for number in range(entries):
        pair = [names[at] for at in rng.choices(range(count), cum_weights=places, k=2 if number % 20 == 0 else 1)]
        said = " ".join(rng.choices(vocabulary, cum_weights=weights, k=rng.randint(5, 14)))
        year = rng.randint(1500, 2025)
        asked = " ".join(rng.choices(vocabulary, cum_weights=weights, k=4))
        yield {
            "question": f"What of {' and '.join(pair)} was {asked} in {year}, case {number}?",
            "claims": [f"{title} was the {said} of {year}." for title in pair],
            "titles": pair,
            "type": "comparative" if len(pair) > 1 else rng.choice(TYPES),
            "level": rng.choice(LEVELS),
            "profile": rng.choices(PROFILES, (9, 1))[0],
            "status": rng.choices([name for name, _ in STATUSES], [weight for _, weight in STATUSES])[0],
            "overall": round(rng.uniform(0.5, 1.0), 4),
            "created_at": (BEGUN + timedelta(seconds=97 * number)).isoformat(),
        }


def fill(path: Path, entries: int, seed: int) -> None:
    """Write the knowledge base; FileExistsError when there is a file at `path`."""
    if path.exists():
        raise FileExistsError(f"{path} is there already: name another file, or move it away.")
    with open_knowledge_base(path) as db:
        with transaction(db):
            db.execute(
                "insert into archives (id, name, date, first_cited_at, title, language, licence) "
                "values (?, ?, ?, ?, 'Made', 'eng', 'CC0')",
                (*ARCHIVE, BEGUN.isoformat()),
            )
        topics: dict[str, int] = {}
        claim_id, batch = 0, []
        for number, one in enumerate(made_entries(entries, seed), 1):
            batch.append((number, one))
            if len(batch) == _MANY or number == entries:
                claim_id = _write(db, batch, topics, claim_id)
                batch = []


def _write(db: Any, batch: list[tuple[int, dict[str, Any]]], topics: dict[str, int], claim_id: int) -> int:
    rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in ("topics", "entries", "scores", "claims", "cited")}
    for number, one in batch:
        key, id_ = title_key(one["titles"][0]), entry_id(one["question"])
        if key not in topics:
            topics[key] = len(topics) + 1
            rows["topics"].append((topics[key], key, one["titles"][0]))
        reasons = json.dumps([] if one["status"] == "current" else ["It was made so."])
        rows["entries"].append(
            (number, id_, one["question"], question_key(one["question"]), " ".join(one["claims"]), one["type"],
             one["level"], one["profile"], one["overall"], one["status"], reasons, "made", one["created_at"],
             topics[key])
        )  # fmt: skip
        rows["scores"] += [(id_, at, name, one["overall"]) for at, name in enumerate(("accuracy", "relevance"))]
        for at, (claim, title) in enumerate(zip(one["claims"], one["titles"], strict=True)):
            claim_id += 1
            rows["claims"].append((claim_id, id_, at, claim, "supported", one["overall"], "[]", "[]"))
            path = title.replace(" ", "_")
            chunk = content_id("chunk", title)
            rows["cited"].append(
                (claim_id, 0, at + 1, "made", ARCHIVE[0], path, title, "[]", chunk, claim, 0, len(claim))
            )
    columns = {
        "topics": ("topics", "id, key, title"),
        "entries": (
            "entries",
            "number, id, question, question_key, answer, type, level, profile, overall, status, status_reasons, "
            "model, created_at, topic_id",
        ),
        "scores": ("scores", "entry_id, position, name, value"),
        "claims": ("claims", "id, entry_id, position, text, verdict, probability, reasons, codes"),
        "cited": (
            "citations",
            'claim_id, position, n, index_name, zim_id, path, title, heading, chunk_id, quote, start, "end"',
        ),
    }
    with transaction(db):
        for name, (table, listed) in columns.items():
            marks = ", ".join("?" * len(listed.split(",")))
            db.conn.executemany(f"insert into {table} ({listed}) values ({marks})", rows[name])
    return claim_id


def main(arguments: list[str]) -> int:
    """Make the file named in the arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    try:
        fill(options.output, options.entries, options.seed)
    except FileExistsError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

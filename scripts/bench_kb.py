"""Measure how long it takes to list, search and show entries of a knowledge base, inside the process.

    python scripts/bench_kb.py KNOWLEDGE.db [--rounds 30]

Prints the median and the 95th percentile of each in milliseconds. The file is opened once; what is asked differs from
round to round. Make one with many entries by scripts/make_knowledge_base.py.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from drzero.kb.entries import get_entry, list_entries, search_entries
from drzero.kb.schema import open_knowledge_base, rows
from drzero.kb.stats import stats
from drzero.kb.topics import list_topics


def jobs(db: Any, seed: int = 1) -> dict[str, Callable[[], object]]:
    """What is measured, by name; each call asks for something else."""
    rng = Random(seed)
    numbers = [row["number"] for row in rows(db, "select number from entries order by number")]
    topics = [topic.title for topic in list_topics(db)]

    def one() -> dict[str, Any]:
        return rows(db, "select * from entries where number = ?", (rng.choice(numbers),))[0]

    def newest(**filters: Any) -> object:
        return list_entries(db, limit=20, newest_first=True, **filters)

    return {
        "list": newest,
        "list --topic": lambda: newest(topic=rng.choice(topics).split(" (")[0]),
        "list --status --level --type": lambda: newest(status="disputed", level="hard", type=one()["type"]),
        "list --profile, none there": lambda: newest(profile="no such profile"),
        "list --since": lambda: newest(since=one()["created_at"][:10]),
        "search, rare words": lambda: search_entries(db, " ".join(one()["answer"].split()[:3]), 20),
        "search, a whole question": lambda: search_entries(db, one()["question"], 20),
        "search, common words": lambda: search_entries(db, "what was the case of", 20),
        "show": lambda: get_entry(db, one()["id"]),
        "topics": lambda: list_topics(db, limit=20),
        "stats": lambda: stats(db),
    }


def measure(job: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median and 95th percentile of a job's time in milliseconds; the first call does not count."""
    times = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        job()
        times.append((time.perf_counter() - began) * 1000)
    times = sorted(times[1:])
    return statistics.median(times), times[min(len(times) - 1, round(0.95 * len(times)))]


def main(arguments: list[str]) -> int:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("database", type=Path)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args(arguments)
    with open_knowledge_base(options.database, create=False) as db:
        for name, job in jobs(db).items():
            median, late = measure(job, options.rounds)
            print(f"{name:<32} {median:8.1f} ms   p95 {late:8.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What each command of the pipeline is asked, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from drzero.types import AnswerStatus, Claim, Event, Judgement, Passage, Run, SeedVitals

Mode = Literal["hybrid", "dense", "lexical"]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What `build-index` was asked; archives () means all in the workspace's folder, name "" the archive's own."""

    archives: tuple[Path, ...] = ()
    name: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    limit: int | None = None
    verify: bool = False
    force: bool = False
    kind: str = ""  # how to read the archives, one of `corpus.kinds.KINDS`; "" lets each tell


@dataclass(frozen=True, slots=True)
class Estimate:
    """What building one index would take. Counts are of all that would be read: exact, or estimated from a sample.

    The ranges hold the truth with a probability of 90 %. Times are seconds on this machine, model loading left out.
    """

    index: str
    zim_id: str
    kind: str
    status: Literal["planned", "unchanged", "failed"]
    language: str = ""
    entries: int = 0
    articles: int = 0
    characters: int = 0
    chunks: int = 0
    chunks_low: int = 0
    chunks_high: int = 0
    expected_s: float = 0.0
    expected_low_s: float = 0.0
    expected_high_s: float = 0.0
    sampled_entries: int = 0
    exact: bool = False
    reason: str = ""
    notes: tuple[str, ...] = ()  # sentences on what is worth knowing before


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The passages for a query, best first."""

    query: str
    hits: tuple[Passage, ...]
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class AskResult:
    """An answer with one judgement per claim.

    `entry_id` names the entry it was taken from, `entry_status` and `entry_date` (ISO 8601, UTC) are that entry's; all
    are "" when the answer is fresh.
    """

    question: str
    status: AnswerStatus
    answer: str
    claims: tuple[Claim, ...]
    judgements: tuple[Judgement, ...]
    passages: tuple[Passage, ...]
    elapsed_s: float
    entry_id: str = ""
    entry_status: str = ""
    entry_date: str = ""


@dataclass(frozen=True, slots=True)
class EvolveOptions:
    """What `evolve` was asked beside its settings; indexes () means all, seed None draws one, budget 0.0 has no end.

    With `until_stalled` a run ends before its last iteration when nothing new comes and nothing is left to change.
    """

    topic: str = ""
    indexes: tuple[str, ...] = ()
    seed: int | None = None
    new_run: bool = False
    budget_minutes: float = 0.0
    until_stalled: bool = False


@dataclass(frozen=True, slots=True)
class EvolveResult:
    """What one `evolve` did; counts are of the whole run, resumed parts included, and so are the events.

    `stopped` is a sentence on why the run ended before its last iteration, "" when it did not. `stuck` are the types
    that do not succeed.
    """

    run: str
    iterations: int
    episodes: int
    accepted: int
    rejected: tuple[tuple[str, int], ...]
    level: str
    elapsed_s: float
    iterations_done: int = 0
    stopped: str = ""
    stuck: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run with how much it came to, and how it fared with each article it proposed from, the most used first."""

    run: Run
    episodes: int
    accepted: int
    seeds: tuple[SeedVitals, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What `eval evolve` was asked: runs by their ids, parts of what was learnt to leave out or to have alone.

    `wordings` are variants of prompts to have for certain and nothing else, such as "read/quoting". `questions` has
    questions proposed as well, `with_tried` asks the challenges too that decided what was kept, and `limit` is how many
    challenges are asked at most; indexes () means all.
    """

    runs: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()
    questions: bool = False
    with_tried: bool = False
    limit: int | None = None
    indexes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recheck:
    """What `kb verify` found: how much was read again, and (entry id, why) of each entry that no longer holds.

    Counts of entries: `checked` were judged again without a model, `judged` by one as well, and `unchecked` lists those
    of which the model could not tell. Those in `missing` cite archives that are not here: nothing is said of them.
    Those in `kept` would be stale or disputed, had a person not decided on them. `carried` counts the citations that
    read the same in a newer edition of their archive, or elsewhere in their article; `moved` says that they were put
    in the place of the old ones. `clashes` are (entry id, entry id, why) of those found to contradict each other now.
    """

    entries: int
    citations: int
    stale: tuple[tuple[str, str], ...]
    checked: int = 0
    judged: int = 0
    disputed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unchecked: tuple[str, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    carried: int = 0
    moved: bool = False
    clashes: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """What `kb merge` brought in. `entries` are new; `joined` answer a question as the one here does.

    `replaced` took the place of the one here, being older, decided on later or no longer stale; `disputed` are
    (entry id, why) of those that are contradicted.
    """

    entries: int
    joined: int
    replaced: int
    disputed: tuple[tuple[str, str], ...]
    episodes: int
    runs: int
    archives: int
    reviews: int


@dataclass(frozen=True, slots=True)
class Film:
    """The pictures of a run: the pages of its filmstrip, and its chart if one was wanted."""

    run: str
    episodes: int
    pages: tuple[str, ...]
    chart: str = ""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What `kb export` was asked. `topics` are words of titles, any of which will do; () and "" mean all, and
    `title` "" the usual one. `include` adds "stale" or "disputed" entries; `force` lets a file take another's place.
    """

    format: str
    output: Path
    topics: tuple[str, ...] = ()
    profile: str = ""
    title: str = ""
    include: tuple[str, ...] = ()
    force: bool = False


@dataclass(frozen=True, slots=True)
class Exported:
    """What `kb export` wrote; a statement that stands in two articles, and a reference, count twice."""

    format: str
    output: str
    subjects: int
    entries: int
    statements: int
    references: int
    archives: int
    bytes: int
    elapsed_s: float
    unlicensed: tuple[str, ...] = ()  # names of archives whose licence is not known

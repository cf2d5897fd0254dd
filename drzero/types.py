"""Every value that crosses a module: frozen, slotted, tuples inside.

Text positions are half-open `[start, end)` offsets in characters of an article's extracted text (`Article.text`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from drzero.output_faults import output_fault

Float32 = npt.NDArray[np.float32]
Int64 = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]  # token ids of one text

# --- corpus ---------------------------------------------------------------------------------------------------------

SECTION_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of an article under a heading.

    `heading` is the path of headings from the top, () for the lead. `start` is where `text` begins in `Article.text`.
    Blocks (paragraphs, rows, list items) are separated by a line break; code keeps its own line breaks. `code` are the
    places in `text` of blocks of several lines that belong together, as half-open spans in order.
    """

    heading: tuple[str, ...]
    text: str
    start: int
    code: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Article:
    """One readable entry of an archive. `path` is the entry's own, byte for byte; `title` is cleaned for display.

    `aliases` are other names of its subject and `source` the address it was taken from, as far as the page states them.
    `mark` is "" or why nothing in it is evidence: "disambiguation" or "stub".
    """

    zim_id: str
    path: str
    title: str
    sections: tuple[Section, ...]
    aliases: tuple[str, ...] = ()
    source: str = ""
    mark: str = ""

    @property
    def text(self) -> str:
        """The extracted text that all offsets refer to: the sections' texts joined by `SECTION_BREAK`."""
        return SECTION_BREAK.join(section.text for section in self.sections)


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of one entry of an archive on the walk: an article, an alias (redirect), or a reason for skipping.

    `position` counts entries in walking order, so that a walk can resume behind it.
    """

    position: int
    path: str
    article: Article | None = None
    alias: str | None = None  # a redirect's title; `path` is then the path of its target
    section: str = ""  # the heading within its target that an alias leads to
    skipped: str | None = None  # reason, such as "image" or "unreadable"
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stored stretch of an article: `text == Article.text[start:end]`. `id` is a content hash (`text.content_id`).

    `mark` is its article's: "" or why nothing in it is evidence.
    """

    id: str
    zim_id: str
    path: str
    title: str
    heading: tuple[str, ...]
    text: str
    start: int
    end: int
    mark: str = ""


@dataclass(frozen=True, slots=True)
class TokenisedChunk:
    """A chunk and what the embedder reads of it: the token ids of its place and text, special tokens included."""

    chunk: Chunk
    tokens: Ids  # of shape (tokens,)


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """What became of one entry of an archive on its way into an index: a `Reading` whose article is cut already.

    An article has a `digest` (of title and text; "" for everything else), its title, its chunks, the aliases and the
    source it states.
    """

    position: int
    path: str
    digest: str = ""
    title: str = ""
    chunks: tuple[TokenisedChunk, ...] = ()
    aliases: tuple[str, ...] = ()
    source: str = ""
    doubtful: bool = False  # some bytes of the article could not be told for sure
    alias: str | None = None
    section: str = ""
    skipped: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ArchiveInfo:
    """What an archive says of itself. `id` is its UUID, `date` and `language` as in its metadata, "" when absent."""

    id: str
    name: str  # file name without .zim
    path: str
    kind: str
    title: str
    date: str
    language: str
    entry_count: int
    licence: str = ""
    source: str = ""
    creator: str = ""
    publisher: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long job is. `done` and `total` count `unit`s; `rate` is units per second of this run, 0.0 at first."""

    done: int
    total: int
    unit: str
    elapsed_s: float
    rate: float
    note: str = ""

    @classmethod
    def at(cls, done: int, total: int, unit: str, elapsed_s: float, note: str = "") -> Progress:
        """A job whose every unit so far was done within `elapsed_s`."""
        return cls(done, total, unit, elapsed_s, done / max(elapsed_s, 1e-9), note)

    @property
    def left_s(self) -> float | None:
        """Seconds to expect until done; None while there is no rate."""
        return (self.total - self.done) / self.rate if self.rate > 0 else None


@dataclass(frozen=True, slots=True)
class Update:
    """How a new index differs from the one that it took the place of. A chunk is told by the text that was embedded.

    `chunks_kept` kept their vectors, `chunks_new` were embedded, `chunks_gone` of the old ones are no longer there.
    """

    chunks_kept: int
    chunks_new: int
    chunks_gone: int
    articles_added: int
    articles_changed: int
    articles_removed: int
    former_zim_id: str


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What became of one archive under `build-index`. Counts are of the whole index, times of this run."""

    index: str
    zim_id: str
    kind: str
    status: Literal["built", "resumed", "unchanged", "failed"]
    articles: int = 0
    aliases: int = 0
    chunks: int = 0
    skipped: tuple[tuple[str, int], ...] = ()
    unreadable: tuple[str, ...] = ()
    truncated_chunks: int = 0
    elapsed_s: float = 0.0
    stages_s: tuple[tuple[str, float], ...] = ()  # ("read", s), ("embed", s), ("write", s): they overlap
    reason: str = ""
    doubtful: int = 0  # articles of which some bytes could not be told for sure
    marked: tuple[tuple[str, int], ...] = ()  # articles that are searched but never evidence, by mark
    entries: int = 0  # that the archive holds; all were read unless a limit was set
    crowding: tuple[tuple[str, int], ...] = ()  # pages that make much of a large index: path, chunks
    update: Update | None = None  # against the index that was there before, where its vectors were of use
    notes: tuple[str, ...] = ()  # sentences: what was begun anew, and why


# --- retrieval ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as retrieved for a query. `rank` counts from 1; a higher `score` is better."""

    chunk: Chunk
    score: float
    rank: int
    index: str


class Embedder(Protocol):
    """Turns text into unit vectors. `id` names model, revision and every setting that changes a vector."""

    id: str
    dim: int

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        """float32 of shape (len(texts), dim), rows of length 1."""
        ...

    def embed_passages(self, texts: Sequence[str], tokens: Sequence[Ids] | None = None) -> Float32:
        """float32 of shape (len(texts), dim), rows of length 1. A text longer than the limit raises ValueError.

        `tokens` are the ids that the embedder's own tokenizer made of each text (`Tokenizer.ids`), where known.
        """
        ...


class Reranker(Protocol):
    """Reads a query and a passage together. `id` names model, revision and every setting that changes a score."""

    id: str

    def rerank(self, query: str, texts: Sequence[str]) -> Float32:
        """float32 of shape (len(texts),): how well each text answers the query; higher is better."""
        ...


class Encoding(Protocol):
    """The tokens of one text alone, without prefix and special tokens."""

    @property
    def ids(self) -> list[int]:
        """The id of each token."""
        ...

    @property
    def starts(self) -> list[int]:
        """Where each token begins in the text, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Frame:
    """What a tokenizer that goes word by word puts around a text: ids `before` it (special ones, prefix) and `behind`.

    With such a tokenizer, tokens of a text cut beside one of the characters `apart` are the tokens of its pieces.
    """

    before: tuple[int, ...]
    behind: tuple[int, ...]
    apart: frozenset[str]


class Tokenizer(Protocol):
    """The embedder's own tokenizer, as the chunker needs it. Can be sent to another process."""

    limit_tokens: int  # longest input, special tokens and prefix included
    frame: Frame | None  # None when a text's tokens depend on more than its words: each has to be encoded whole

    def ids(self, texts: Sequence[str], *, alone: bool = False) -> list[list[int]]:
        """The token ids of each text as the embedder reads it, special tokens and passage prefix included.

        With `alone` those of the text itself, as `encode` has them.
        """
        ...

    def encode(self, texts: Sequence[str]) -> Sequence[Encoding]:
        """The tokens of each text alone, with their places."""
        ...


# --- language models ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a writer. `name` and `version` identify the wording; content is data and never read as markup.

    `messages` are (role, content) pairs with roles system, user, assistant; the last is a user's.
    The first `shared` messages (rules and examples) are the same in every prompt of this name: worth keeping evaluated.
    `question`, `passages` (place and text of each) and `answer` are what the last messages were made of, where the
    prompt has any: for a reader that is no language model.
    """

    name: str
    messages: tuple[tuple[str, str], ...]
    shared: int = 0
    question: str = ""
    passages: tuple[tuple[str, str], ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a writer returned. `finish` is "stop" or "length" (cut at max_tokens)."""

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int
    elapsed_s: float

    @property
    def fault(self) -> str:
        """What makes the text unusable by its form, as `output_faults.output_fault` names it; "" for nothing."""
        return output_fault(self.text, self.finish)


class LLM(Protocol):
    """A writer: a local language model behind a chat template."""

    id: str

    def complete(
        self, prompt: Prompt, *, grammar: str = "", seed: int = 0, max_tokens: int = 256, temperature: float = 0.0
    ) -> Completion:
        """Complete `prompt`; a GBNF `grammar` constrains the text. A prompt that does not fit raises ValueError."""
        ...

    def yes_no(self, prompt: Prompt) -> float:
        """The log-odds (natural logarithm) of "Yes" against "No" as the next word of the answer; nan for no answer."""
        ...

    def room(self, prompt: Prompt) -> int:
        """Tokens left in the context after `prompt`, template included; negative when it does not fit."""
        ...


class EntailmentModel(Protocol):
    """Judges whether a premise supports a hypothesis."""

    id: str

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each (premise, hypothesis) the probability in [0,1] that the premise entails the hypothesis."""
        ...


class SignalModel(Protocol):
    """Reads a premise and a hypothesis together: raw signals, which a calibration turns into a probability.

    `id` names model, revision and every setting that changes a signal; `names` are what the columns are.
    """

    id: str
    names: tuple[str, ...]

    def signals(self, pairs: Sequence[tuple[str, str]]) -> Float32:
        """float32 of shape (len(pairs), len(names)): log-odds of each; nan where a pair could not be asked."""
        ...


# --- the loop -------------------------------------------------------------------------------------------------------

ClaimVerdict = Literal["supported", "contradicted", "unsupported", "unchecked"]
AnswerStatus = Literal["supported", "partial", "unsupported", "abstained"]
EpisodeStatus = Literal["accepted", "rejected", "quarantined", "invalid"]
RunStatus = Literal["running", "finished", "interrupted"]
LEVELS = ("easy", "medium", "hard", "expert")


@dataclass(frozen=True, slots=True)
class Citation:
    """The place of the words that support a claim. `n` counts the passages given to the solver from 1.

    `quote` is the article's own wording: `quote == Article.text[start:end]`.
    """

    n: int
    index: str
    zim_id: str
    path: str
    title: str
    heading: tuple[str, ...]
    chunk_id: str
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer, with the places that support it."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A solver's answer: its text as claims with citations, or an abstention (no claims)."""

    text: str
    claims: tuple[Claim, ...]
    confidence: float  # self-reported, in [0,1]
    abstained: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the verifier says of one claim. `reasons` are sentences for a person; `codes` count them by kind."""

    verdict: ClaimVerdict
    probability: float  # that the cited evidence supports the claim
    reasons: tuple[str, ...]
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a check refuses a claim: a code to count by, a sentence for a person, and the verdict it leads to."""

    code: str
    reason: str
    verdict: ClaimVerdict = "unsupported"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judgement per claim, in order. Supported only when there is a claim and every one is supported."""

    judgements: tuple[Judgement, ...]
    status: AnswerStatus

    @property
    def accepted(self) -> bool:
        """Whether every claim is supported."""
        return self.status == "supported"


@dataclass(frozen=True, slots=True)
class Challenge:
    """A question with its reference answer and the chunks that answer it (never shown to the solver)."""

    id: str
    question: str
    answer: str
    type: str
    level: str
    profile: str
    gold: tuple[Chunk, ...]
    evidence: str  # the source sentence(s) the answer was taken from
    aspects: tuple[str, ...] = ()
    origin: str = "model"  # "model" or "template"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The profile's scores by name in [0,1], their weighted overall, and feedback in words."""

    scores: tuple[tuple[str, float], ...]
    overall: float
    feedback: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One blind try at a challenge. `right` says whether the answer agrees with the reference."""

    answer: Answer
    verdict: Verdict
    evaluation: Evaluation
    passages: tuple[Passage, ...]
    queries: tuple[str, ...]
    steps: int
    right: bool
    seed: int
    fault: str = (
        ""  # of the writer's output, as `output_faults.output_fault` names it: then the answer is an abstention
    )


@dataclass(frozen=True, slots=True)
class Step:
    """One recorded act of an episode: a model call, a search, a gate or a check, with its inputs and outcome.

    `outside` marks what came from outside the episode: its output is all that a replay needs in its place.
    """

    stage: str  # proposed | gated | solved | verified
    name: str
    inputs: dict[str, Any]
    output: Any
    elapsed_s: float
    outside: bool = False


@dataclass(frozen=True, slots=True)
class Episode:
    """One challenge from proposal to verdict. `challenge` is None when no proposal was well-formed.

    `reason` is "" for an accepted episode, else why it ended. `metrics` is the `ssp.v1` vector (see `loop.metrics`) and
    `frames` what it was at the end of each stage, () for one that was not reached. `chunks` are all that came up on the
    way, which steps name by id; `conditions` is what an episode needs beside them to be run again (see `loop.desk`).
    """

    id: str
    run: str
    iteration: int
    number: int  # within the iteration, from 0
    seed: int
    profile: str
    type: str
    level: str
    status: EpisodeStatus
    reason: str
    challenge: Challenge | None
    attempts: tuple[Attempt, ...]
    best: int  # index into attempts, -1 when none
    base_score: float
    difficulty: float
    noise_tolerance: float
    gate_passed: bool
    rejections: tuple[tuple[str, int], ...]  # proposals refused on the way, by reason
    metrics: tuple[float, ...]
    steps: tuple[Step, ...]
    models: tuple[tuple[str, str], ...]  # role -> id
    elapsed_s: float
    created_at: str  # ISO 8601, UTC
    chunks: tuple[Chunk, ...] = ()
    conditions: dict[str, Any] = field(default_factory=dict)  # JSON values and tuples
    frames: tuple[tuple[float, ...], ...] = ()  # proposed, gated, solved, verified


@dataclass(frozen=True, slots=True)
class Entry:
    """An episode's verified result as it stands in the knowledge base."""

    id: str
    question: str
    answer: str
    type: str
    level: str
    profile: str
    claims: tuple[Claim, ...]
    judgements: tuple[Judgement, ...]
    scores: tuple[tuple[str, float], ...]
    overall: float
    status: Literal["current", "stale", "disputed"]
    episode_id: str
    created_at: str
    archives: tuple[tuple[str, str, str], ...] = ()  # (zim_id, name, date) of each cited archive
    model: str = ""
    status_reasons: tuple[str, ...] = ()  # sentences: why it is stale or disputed, as far as that is known
    topic: str = field(
        default="", compare=False
    )  # what it is about: the title of the article that its claims cite most
    retired: bool = False  # by a person: then its status is "disputed", and it is neither listed nor exported


@dataclass(frozen=True, slots=True)
class EpisodeSummary:
    """What a list shows of an episode: everything but its trace. `question` is "" when nothing was well-formed."""

    id: str
    run: str
    iteration: int
    number: int
    question: str
    type: str
    level: str
    profile: str
    status: EpisodeStatus
    reason: str
    metrics: tuple[float, ...]
    created_at: str


@dataclass(frozen=True, slots=True)
class Run:
    """One `evolve` command: `iterations` planned, `iterations_done` closed. `finished_at` is "" until it ends."""

    id: str
    profile: str
    seed: int
    settings: dict[str, Any]
    iterations: int
    iterations_done: int
    status: RunStatus
    started_at: str  # ISO 8601, UTC
    finished_at: str


@dataclass(frozen=True, slots=True)
class TypeRecord:
    """How challenges of one type went: `tries` counts all, `scores` are the latest of those that reached the solver.

    `dry` counts the tries since the last that was accepted.
    """

    name: str
    tries: int = 0
    accepted: int = 0
    scores: tuple[float, ...] = ()
    dry: int = 0


@dataclass(frozen=True, slots=True)
class Curriculum:
    """Where a profile stands: its level, the iterations and the recent scores at that level, and its record by type.

    `crossings` counts how often each border between two levels was crossed in this run, the easiest border first.
    `leaning` counts the iterations in a row that spoke for a move that is not believed yet: up > 0, down < 0. `hold` is
    the most of them that a move back may need.
    """

    level: str = LEVELS[0]
    iterations: int = 0
    scores: tuple[float, ...] = ()
    promotion: float = 0.75
    demotion: float = 0.40
    types: tuple[TypeRecord, ...] = ()
    crossings: tuple[int, ...] = (0,) * (len(LEVELS) - 1)
    leaning: int = 0
    hold: int = 16


@dataclass(frozen=True, slots=True)
class Event:
    """What a run did beside its episodes: a level moved, a type rested, an iteration closed with nothing new.

    `kind` is a code to count by, `reason` a sentence for a person, `detail` the figures it rests on (JSON values).
    """

    run: str
    iteration: int
    kind: str
    reason: str
    detail: dict[str, Any] = field(default_factory=dict)
    at: str = ""  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class SeedVitals:
    """How a run fared with one article that it proposed from.

    `copies` are proposals refused as repeats, `challenges` those that passed the gates; `last_error` is why the latest
    that gave no entry did not.
    """

    zim_id: str
    path: str
    proposals: int = 0
    copies: int = 0
    challenges: int = 0
    accepted: int = 0
    last_error: str = ""

    @property
    def gain(self) -> float:
        """Entries among proposals, in [0,1]; 0.0 without any. A second source of a question was not proposed from."""
        return min(self.accepted / self.proposals, 1.0) if self.proposals else 0.0

    @property
    def solve_rate(self) -> float:
        """Entries among challenges, in [0,1]; 0.0 without any."""
        return self.accepted / self.challenges if self.challenges else 0.0

    @property
    def novelty(self) -> float:
        """Proposals that were no repeats among all, in [0,1]; 1.0 without any."""
        return 1 - self.copies / self.proposals if self.proposals else 1.0

    @property
    def shares(self) -> dict[str, float]:
        """All shares by name, to four decimals."""
        return {name: round(getattr(self, name), 4) for name in ("gain", "solve_rate", "novelty")}

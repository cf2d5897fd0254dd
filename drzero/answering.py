"""Ask: a cited, verified answer from the knowledge base or from the archives, or an honest abstention."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from drzero import __version__
from drzero.config import Settings
from drzero.judges import Judge, judge_of, load_judge, signals_of_writer
from drzero.kb import entries as kb_entries
from drzero.kb.schema import open_knowledge_base
from drzero.loop.checked import CheckedLLM
from drzero.loop.desk import Tools
from drzero.loop.extracting import Extractor
from drzero.loop.facts.wording import content_stems
from drzero.loop.novelty import similarity
from drzero.loop.queries import gather
from drzero.loop.solve import Solution, shelf_names, solve, suitable
from drzero.loop.verify import judge_pairs, verify
from drzero.pipeline import Ready, ShowProgress, find_writer, load_embedder, load_reranker, make_ready
from drzero.results import AskResult
from drzero.retrieval import search as retrieval_search
from drzero.retrieval.index import OpenIndex, open_index
from drzero.retrieval.linking import alike, linked
from drzero.text import content_id, words
from drzero.types import LLM, Chunk, Entry, Judgement, Passage, Progress, Verdict
from drzero.workspace import Workspace

if TYPE_CHECKING:
    from drzero.models.resolve import ResolvedModel

_log = logging.getLogger(__name__)
SEARCHES = ((1, 1), (3, 2))  # queries of the question and follow-ups, of the first try and of the second
SAME_QUESTION = 0.9  # similarity from which an entry answers a question that is worded otherwise
_DENIALS = frozenset("no not never none nor nobody nothing without except besides".split())


@dataclass(frozen=True, slots=True)
class Workbench:
    """What `ask` and `evolve` work with, loaded. Without a `judge` it is the writer, calibrated as packaged."""

    llm: LLM
    retrieve: Callable[[str, int], list[Passage]]
    indexes: tuple[OpenIndex, ...]
    judge: Judge | None = None
    embed: Callable[[Sequence[str]], Any] | None = None  # questions → float32 of shape (n, dim), unit rows
    proposes: bool = True  # whether `llm` words questions; a reader without a model does not
    find: Callable[[str, int, float], list[Passage]] | None = None  # `retrieve` with another weight of words
    searches: str = ""  # names all that decides what `find` gives; "" where that is not known

    @property
    def embedder(self) -> str:
        """Names all that changes the vectors of `embed`: the embedder with its fingerprint, and the precision."""
        manifest = self.indexes[0].manifest
        return f"{manifest.embedder} {manifest.description.get('precision', '')}".rstrip()

    @property
    def ids(self) -> frozenset[str]:
        """The id of each archive."""
        return frozenset(zim_id for zim_id, _, _ in self.archives)

    @property
    def language(self) -> str:
        """The language of the first index, as its archive names it."""
        return self.indexes[0].manifest.archive.language or "en"

    def judge_for(self, settings: Settings) -> Judge:
        """Who judges, and from where on it is believed."""
        return self.judge or judge_of(signals_of_writer(self.llm), settings)

    def tools(
        self, judge: Judge, sample: Callable[[Random], Chunk], nearest: Callable[[str], tuple[float, str]] | None
    ) -> Tools:
        """What an episode works with: all of this, what draws its chunks, and what knows the questions asked before."""
        return Tools(
            self.llm,
            judge.entailment,
            self.retrieve,
            sample,
            self.language,
            linked=lambda chunk: linked(self.indexes, chunk),
            alike=lambda chunk: alike(self.indexes, chunk),
            nearest=nearest,
            proposes=self.proposes,
        )

    @property
    def archives(self) -> tuple[tuple[str, str, str], ...]:
        """(zim_id, name, date) of each archive."""
        infos = (index.manifest.archive for index in self.indexes)
        return tuple((info.id, info.name, info.date) for info in infos)


@contextmanager
def workbench(workspace: Workspace, settings: Settings, ready: Ready) -> Iterator[Workbench]:
    """Load what `ready` names: the embedder, the indexes made with it, the re-ranker if any, writer and judge."""
    embedder = load_embedder(workspace, settings)
    with ExitStack() as stack:
        indexes = tuple(
            stack.enter_context(open_index(workspace.index_folder(name), embedder_id=embedder.id))
            for name in ready.indexes
        )
        reranker, depth = load_reranker(workspace, settings)
        llm = load_writer(ready.writer, settings)

        def find(query: str, k: int, lexical_weight: float) -> list[Passage]:
            return retrieval_search.search(
                indexes,
                query,
                embedder=embedder,
                k=k,
                evidence=True,
                reranker=reranker,
                rerank_depth=depth,
                tuning=replace(retrieval_search.TUNING, lexical_weight=lexical_weight),
            )

        def retrieve(query: str, k: int) -> list[Passage]:
            return find(query, k, retrieval_search.TUNING.lexical_weight)

        judge = load_judge(workspace, settings, lambda: llm)
        stamps = [index.manifest.stamp for index in indexes]
        searches = name_of_searches(stamps, embedder.id, reranker.id if reranker else "", depth)
        yield Workbench(llm, retrieve, indexes, judge, embedder.embed_queries, ready.writer is not None, find, searches)


def name_of_searches(stamps: Sequence[str], embedder: str, reranker: str, rerank_depth: int) -> str:
    """A name for all that decides what a search finds: what is true of searches of one name stays true.

    `stamps` are those of the indexes; models are named by their ids, "" for no re-ranker.
    """
    read_again = f"{reranker} {rerank_depth}" if reranker else ""
    return content_id(__version__, repr(retrieval_search.TUNING), embedder, read_again, *stamps)


def load_writer(writer: ResolvedModel | None, settings: Settings) -> LLM:
    """The writer, loaded; without one (`--llm none`) a reader that copies. ModelError when it does not load."""
    if writer is None:
        return Extractor()
    from drzero.models.llama import LlamaModel

    return LlamaModel(writer.path, context_tokens=settings.models.context_tokens, threads=settings.models.threads)


# --- ask ------------------------------------------------------------------------------------------------------------


def ask(
    workspace: Workspace,
    settings: Settings,
    question: str,
    *,
    indexes: tuple[str, ...] = (),
    fresh: bool = False,
    progress: ShowProgress,
) -> AskResult:
    """Answer `question` from the knowledge base, or afresh: cited and verified, or an abstention.

    With `fresh` the knowledge base is not asked.

    When the first answer is not fully supported a second is tried from a wider search, and the better one is given.
    """
    started = time.monotonic()
    entry = None if fresh else known_entry(workspace, question)
    if entry is not None:
        return AskResult(
            question,
            "supported",
            entry.answer,
            entry.claims,
            entry.judgements,
            (),
            time.monotonic() - started,
            entry_id=entry.id,
            entry_status=entry.status,
            entry_date=entry.created_at,
        )
    ready = make_ready(workspace, settings, indexes)
    with workbench(workspace, settings, ready) as bench:
        return answer_afresh(bench, settings, question, code=ready.profile.keeps_code, progress=progress)


def answer_afresh(
    bench: Workbench, settings: Settings, question: str, *, code: bool, progress: ShowProgress = lambda _: None
) -> AskResult:
    """Answer `question` from the indexes alone; see `ask`."""
    started = time.monotonic()
    tries: list[tuple[Solution, Verdict]] = []
    for searches, follow_ups in SEARCHES:
        progress(Progress(len(tries), len(SEARCHES), "attempts", time.monotonic() - started, 0.0, "reading"))
        tries.append(answer_once(bench, settings, question, code=code, searches=searches, follow_ups=follow_ups))
        if tries[-1][1].status == "supported":
            break
    solution, verdict = max(tries, key=lambda tried: _ORDER[tried[1].status])
    return AskResult(
        question,
        verdict.status,
        solution.answer.text,
        solution.answer.claims,
        verdict.judgements,
        solution.passages,
        time.monotonic() - started,
    )


_ORDER = {"abstained": 1, "unsupported": 0, "partial": 2, "supported": 3}  # an honest abstention beats a wrong answer


def answer_once(
    bench: Workbench, settings: Settings, question: str, *, code: bool, searches: int, follow_ups: int
) -> tuple[Solution, Verdict]:
    """Search, read, answer and verify once."""
    found = gather(question, bench.retrieve, k=settings.search.k, searches=searches, follow_ups=follow_ups)
    worth = suitable(found)
    llm = CheckedLLM(bench.llm)
    solution = solve(question, worth, llm, language=bench.language, code=code, queries=found.queries)
    if solution.dropped:
        _log.warning(
            "%d of %d passages did not fit the writer's context and were not read: raise models.context_tokens.",
            solution.dropped,
            solution.dropped + len(solution.passages),
        )
    judge = bench.judge_for(settings)
    verdict = verify(
        solution.answer,
        solution.passages,
        judge.entailment,
        judge.thresholds,
        question=question,
        shelf=shelf_names(solution.passages, code=code),
        language=bench.language,
    )
    return solution, verdict


def known_entry(workspace: Workspace, question: str) -> Entry | None:
    """The current entry of the knowledge base that answers this question, in these or nearly these words."""
    if not workspace.database.is_file():
        return None
    db = open_knowledge_base(workspace.database, create=False)
    try:
        exact = kb_entries.find_entry(db, question)
        near = [exact] if exact else kb_entries.search_entries(db, question, 5)
    finally:
        db.close()
    return next((one for one in near if one.status == "current" and asks_the_same(one.question, question)), None)


def asks_the_same(one: str, other: str) -> bool:
    """Whether two questions are one, worded a little otherwise: the same things in the same order, denied or not."""
    if kb_entries.question_key(one) == kb_entries.question_key(other):
        return True
    ours, theirs = (list(dict.fromkeys(content_stems(text))) for text in (one, other))
    shared = set(ours) & set(theirs)
    in_order = [stem for stem in ours if stem in shared] == [stem for stem in theirs if stem in shared]
    denied = [{word for word in words(text) if word in _DENIALS or word.endswith("n't")} for text in (one, other)]
    return similarity(one, other) >= SAME_QUESTION and in_order and denied[0] == denied[1]


def verify_pair(workspace: Workspace, settings: Settings, claim: str, passage: str) -> Judgement:
    """What the verifier says of one claim against one passage."""
    return load_verifier(workspace, settings)([(claim, passage)])[0]


def load_verifier(
    workspace: Workspace, settings: Settings
) -> Callable[[Sequence[tuple[str, str]]], Sequence[Judgement]]:
    """`judge(pairs)`: what the verifier says of each (claim, passage), in order, its models loaded once."""
    judge = load_judge(workspace, settings, lambda: load_writer(find_writer(workspace, settings), settings))
    return lambda pairs: judge_pairs(pairs, judge.entailment, judge.thresholds, thorough=True)

"""`kb verify`: every cited place read again, and every claim judged again, with or without a model.

What no longer stands in its archive makes an entry stale; a claim that a check refuses makes it disputed, with the
reasons. An entry that passes is current again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from drzero.answering import load_writer
from drzero.config import Settings
from drzero.corpus.kinds import KINDS
from drzero.corpus.zim import ZimArchive, find_archives, open_archive
from drzero.errors import ArchiveError, IndexFault, SettingsError
from drzero.judges import load_judge
from drzero.kb.entries import EntryStatus, list_entries, set_outcome
from drzero.loop.solve import shelf_names
from drzero.loop.verify import Thresholds, judge_claim
from drzero.pipeline import ShowProgress, find_writer
from drzero.profiles import load_profile
from drzero.records import knowledge_base
from drzero.results import Recheck
from drzero.retrieval.index import Manifest
from drzero.text import is_made_of
from drzero.types import (
    ArchiveInfo,
    Article,
    Chunk,
    Citation,
    Claim,
    Entry,
    Judgement,
    Passage,
    Progress,
)
from drzero.workspace import Workspace

# A claim of an entry with the passages around what it cites, `Citation.n` counting them, and the language of their
# archive → what is said of it.
JudgeClaim = Callable[[Entry, Claim, Sequence[Passage], str], Judgement]
OTHERWISE = "The answer is not what its claims say one after the other."
AROUND_CHARS = 2400  # how much of its section on each side of a quote is its passage: no less than a chunk had


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one entry: its status, why when it is not current, its judgements, and which were new."""

    status: EntryStatus
    reasons: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    checked: bool = False  # by the layers that need no model
    judged: bool = False  # by a model
    unchecked: bool = False  # a model was asked and gave no answer


class _Certain:
    """An entailment model that holds everything for entailed, so that only the checks without a model can refuse."""

    id = "certain"

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [1.0] * len(pairs)


def check_claim(entry: Entry, claim: Claim, passages: Sequence[Passage], language: str) -> Judgement:
    """What the layers that need no model say of a claim: citations, quotes, facts."""
    question, shelf = _asked(entry, passages)
    certain, any_at_all = _Certain(), Thresholds(0.0)
    return judge_claim(claim, passages, certain, any_at_all, question=question, shelf=shelf, language=language)


def load_claim_judge(workspace: Workspace, settings: Settings) -> JudgeClaim:
    """What all layers say of a claim, by the judge in the settings; raises ModelError where it does not load."""
    loaded = load_judge(workspace, settings, lambda: load_writer(find_writer(workspace, settings), settings))

    def judge(entry: Entry, claim: Claim, passages: Sequence[Passage], language: str) -> Judgement:
        question, shelf = _asked(entry, passages)
        return judge_claim(
            claim,
            passages,
            loaded.entailment,
            loaded.thresholds,
            question=question,
            shelf=shelf,
            language=language,
        )

    return judge


def _asked(entry: Entry, passages: Sequence[Passage]) -> tuple[str, str]:
    """The question of an entry and what its shelf is about, "" where its profile is no longer here to tell."""
    try:
        code = load_profile(entry.profile).keeps_code
    except SettingsError:
        code = False
    return entry.question, shelf_names(passages, code=code)


def verify_entries(
    workspace: Workspace, progress: ShowProgress, *, judge: JudgeClaim | None = None, check: JudgeClaim = check_claim
) -> Recheck:
    """Read every cited place in its archive again, and judge every claim again; mark what no longer holds.

    Without `judge` no model is needed, and an entry that a model disputed before stays disputed. With it the new
    judgements are stored; a claim that it cannot judge is unchecked, and its entry disputed, until one can. What
    somebody else marked disputed, without a reason, stays so. Raises BusyError while another process changes entries.
    """
    started = time.monotonic()
    outcomes: list[tuple[str, Outcome]] = []
    with knowledge_base(workspace) as db, workspace.locked("kb verify"):
        shelf = _Shelf(workspace)
        found = list_entries(db)
        for number, one in enumerate(found, 1):
            outcome = look_again(one, shelf.article, shelf.language, shelf.index, check=check, judge=judge)
            if (outcome.status, outcome.reasons, outcome.judgements) != (
                one.status,
                one.status_reasons,
                one.judgements,
            ):
                set_outcome(db, one.id, outcome.status, outcome.reasons, outcome.judgements)
            outcomes.append((one.id, outcome))
            progress(Progress.at(number, len(found), "entries", time.monotonic() - started))
    return Recheck(
        entries=len(found),
        citations=sum(len(claim.citations) for one in found for claim in one.claims),
        stale=tuple((id_, outcome.reasons[0]) for id_, outcome in outcomes if outcome.status == "stale"),
        checked=sum(outcome.checked for _, outcome in outcomes),
        judged=sum(outcome.judged for _, outcome in outcomes),
        disputed=tuple((id_, outcome.reasons) for id_, outcome in outcomes if outcome.status == "disputed"),
        unchecked=tuple(id_ for id_, outcome in outcomes if outcome.unchecked),
    )


def look_again(
    entry: Entry,
    article: Callable[[Citation], Article | str],
    language: Callable[[Citation], str],
    index: Callable[[Citation], str],
    *,
    check: JudgeClaim = check_claim,
    judge: JudgeClaim | None = None,
) -> Outcome:
    """What becomes of an entry, cheap checks first.

    `article(citation)` is the article that has the quote at its place, or a sentence that says why there is none;
    `language(citation)` is that of its archive, and `index(citation)` the name that its archive is known by here. A
    claim is read in the language of what it cites first.
    """
    evidence: list[list[Passage]] = []
    for claim in entry.claims:
        passages = []
        for cited in claim.citations:
            read = article(cited)
            if isinstance(read, str):
                return Outcome("stale", (read,), entry.judgements)
            passages.append(_passage(replace(cited, index=index(cited)), read))
        evidence.append(passages)
    claims = [
        (
            replace(claim, citations=tuple(replace(c, n=n, index=index(c)) for n, c in enumerate(claim.citations, 1))),
            passages,
            language(claim.citations[0]) if claim.citations else "en",
        )
        for claim, passages in zip(entry.claims, evidence, strict=True)
    ]
    faults = _reasons([check(entry, *claim) for claim in claims])
    if not is_made_of(entry.answer, (claim.text for claim in entry.claims)):
        faults = (OTHERWISE, *faults)
    if faults:
        return Outcome("disputed", faults, entry.judgements, checked=True)
    judgements = entry.judgements if judge is None else tuple(judge(entry, *claim) for claim in claims)
    unchecked = judge is not None and any(judgement.verdict == "unchecked" for judgement in judgements)
    reasons = _reasons(judgements)
    marked = entry.status == "disputed" and not entry.status_reasons and not _reasons(entry.judgements)
    status: EntryStatus = "disputed" if reasons or marked else "current"
    return Outcome(status, reasons, judgements, checked=True, judged=judge is not None, unchecked=unchecked)


def _reasons(judgements: Sequence[Judgement]) -> tuple[str, ...]:
    """Why claims are refused: one sentence each, none when all are supported."""
    refused = [judgement for judgement in judgements if judgement.verdict != "supported"]
    return tuple(dict.fromkeys((*judgement.reasons, f"The claim is {judgement.verdict}.")[0] for judgement in refused))


def _passage(citation: Citation, article: Article) -> Passage:
    """The stretch of the article's section around a quote, up to a blank, as the passage that the citation names.

    Its title and headings are the article's own, so that those of a citation that says otherwise are no evidence.
    """
    text = article.text
    section = max(
        (one for one in article.sections if one.start <= citation.start), key=lambda one: (one.start, len(one.text))
    )
    start, end = section.start, section.start + len(section.text)
    if citation.start - start > AROUND_CHARS:
        start = text.find(" ", citation.start - AROUND_CHARS, citation.start) + 1 or citation.start
    if end - citation.end > AROUND_CHARS:
        end = max(text.rfind(" ", citation.end, citation.end + AROUND_CHARS), citation.end)
    chunk = Chunk(
        citation.chunk_id,
        citation.zim_id,
        citation.path,
        article.title,
        section.heading,
        text[start:end],
        start,
        end,
    )
    return Passage(chunk, 1.0, citation.n, citation.index)


class _Shelf:
    """The archives of the workspace and those its indexes were made of, opened as they are asked for."""

    def __init__(self, workspace: Workspace) -> None:
        self._made: dict[str, ArchiveInfo] = {}  # by index name
        for name in workspace.index_names():
            with suppress(IndexFault):
                self._made[name] = Manifest.load(workspace.index_folder(name)).archive
        paths = [*find_archives(workspace.zims), *(Path(info.path) for info in self._made.values())]
        self._paths: dict[str, Path] = {}
        self._open: dict[tuple[str, str], ZimArchive] = {}
        for path in dict.fromkeys(paths):
            with suppress(ArchiveError):
                archive = open_archive(path)
                if self._paths.setdefault(archive.info.id, path) == path:
                    self._open[archive.info.id, archive.info.kind] = archive

    def archive(self, citation: Citation) -> ZimArchive | None:
        """The archive of a citation, read as it was for the index of that citation; None when it is not here."""
        path = self._paths.get(citation.zim_id)
        if path is None:
            return None
        kind = self._kind(citation)
        for (zim_id, read_as), archive in self._open.items():
            if zim_id == citation.zim_id and kind in ("", read_as):
                return archive
        with suppress(ArchiveError):
            self._open[citation.zim_id, kind] = open_archive(path, kind=kind)
        return self._open.get((citation.zim_id, kind))

    def _kind(self, citation: Citation) -> str:
        """How the archive was read: by its index, else by another index of it; "" when there is none."""
        made = [self._made[citation.index]] if citation.index in self._made else []
        kinds = [info.kind for info in (*made, *self._made.values()) if info.id == citation.zim_id]
        return kinds[0] if kinds and kinds[0] in KINDS else ""

    def language(self, citation: Citation) -> str:
        """The language of a citation's archive as its metadata names it, English where it does not."""
        archive = self.archive(citation)
        return archive.info.language if archive and archive.info.language else "en"

    def index(self, citation: Citation) -> str:
        """The index that a citation names if it is one of its archive, else the archive's own name: no invention."""
        made, archive = self._made.get(citation.index), self.archive(citation)
        if made is not None and made.id == citation.zim_id:
            return citation.index
        return archive.info.name if archive else ""

    def article(self, citation: Citation) -> Article | str:
        """The article that has the quote of a citation at its place, or why there is none."""
        archive = self.archive(citation)
        if archive is None:
            return f"its archive {citation.zim_id} ({citation.index}) is not here"
        article, name = archive.article(citation.path), archive.info.name
        if article is None:
            return f"{citation.path} is no longer in {name}"
        if not citation.quote or citation.start < 0 or article.text[citation.start : citation.end] != citation.quote:
            return f"{citation.path} in {name} no longer says so at characters {citation.start} to {citation.end}"
        return article

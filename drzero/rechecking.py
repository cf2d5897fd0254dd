"""`kb verify`: every cited place read again, and every claim judged again, with or without a model.

What no longer stands in its archive, or in a newer edition of it, makes an entry stale; a claim that a check refuses,
or that another entry contradicts, makes it disputed, with the reasons. An entry that passes is current again. Of one
whose archive is not here nothing is said. What a person decided stands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from drzero import disputing
from drzero.answering import load_writer
from drzero.config import Settings
from drzero.errors import SettingsError
from drzero.judges import Judge, load_judge
from drzero.kb.disputes import Dispute
from drzero.kb.entries import EntryStatus, get_entry, set_outcome
from drzero.kb.support import (
    archive_names,
    drop_support,
    move_citations,
    note_passed,
    passed,
    reading_order,
    supported_entries,
    supports,
)
from drzero.loop.solve import shelf_names
from drzero.loop.verify import Thresholds, inquire_claim, judge_claim, settle
from drzero.pipeline import ShowProgress, find_writer
from drzero.profiles import load_profile
from drzero.records import knowledge_base
from drzero.results import Recheck
from drzero.shelf import Absent, Shelf
from drzero.text import content_id, is_made_of
from drzero.types import (
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

if TYPE_CHECKING:
    from sqlite_utils import Database

# A claim of an entry with the passages around what it cites, `Citation.n` counting them, and the language of their
# archive → what is said of it.
JudgeClaim = Callable[[Entry, Claim, Sequence[Passage], str], Judgement]
OTHERWISE = "The answer is not what its claims say one after the other."
AROUND_CHARS = 2400  # how much of its section on each side of a quote is its passage: no less than a chunk had
_MANY = 500  # entries after which what passed is stored
_RULES = ("loop", "profiles", "text.py", "normalising.py", "languages.py")  # what decides which claims pass


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one entry: its status, why when it is not current, its judgements, and which were new."""

    status: EntryStatus
    reasons: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    checked: bool = False  # by the layers that need no model
    judged: bool = False  # by a model
    unchecked: bool = False  # a model was asked and gave no answer
    missing: str = ""  # why nothing can be said: an archive is not here
    digest: str = ""  # of all that the checks saw, when they let it pass


class _Certain:
    """An entailment model that holds everything for entailed, so that only the checks without a model can refuse."""

    id = "certain"

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [1.0] * len(pairs)


def check_claim(entry: Entry, claim: Claim, passages: Sequence[Passage], language: str) -> Judgement:
    """What the layers that need no model say of a claim: citations, quotes, facts."""
    question, shelf = _asked(entry, passages)
    inquiry = inquire_claim(claim, passages, question=question, shelf=shelf, language=language)
    return settle([inquiry], _Certain(), Thresholds(0.0))[0]


class LoadedJudge:
    """What all layers say of a claim, by one judge; and what the judge says of two sentences."""

    def __init__(self, judge: Judge) -> None:
        self.entails: disputing.Entails = judge.entailment.entail
        self.least = judge.min_probability
        self._judge = judge

    def __call__(self, entry: Entry, claim: Claim, passages: Sequence[Passage], language: str) -> Judgement:
        """What is said of one claim; see `JudgeClaim`."""
        question, shelf = _asked(entry, passages)
        model, thresholds = self._judge.entailment, self._judge.thresholds
        return judge_claim(claim, passages, model, thresholds, question=question, shelf=shelf, language=language)


def load_claim_judge(workspace: Workspace, settings: Settings) -> JudgeClaim:
    """What all layers say of a claim, by the judge in the settings; raises ModelError where it does not load."""
    return LoadedJudge(load_judge(workspace, settings, lambda: load_writer(find_writer(workspace, settings), settings)))


def _asked(entry: Entry, passages: Sequence[Passage]) -> tuple[str, str]:
    """The question of an entry and what its shelf is about, "" where its profile is no longer here to tell."""
    return entry.question, shelf_names(passages, code=_keeps_code(entry.profile))


@cache
def _keeps_code(profile: str) -> bool:
    try:
        return load_profile(profile).keeps_code
    except SettingsError:
        return False


def verify_entries(
    workspace: Workspace,
    progress: ShowProgress,
    *,
    judge: JudgeClaim | None = None,
    check: JudgeClaim = check_claim,
    update: bool = False,
) -> Recheck:
    """Read every cited place in its archive again, and judge every claim again; mark what no longer holds.

    Without `judge` no model is needed, and an entry that a model disputed before stays disputed. With it the new
    judgements are stored; a claim that it cannot judge is unchecked, and its entry disputed, until one can. What
    somebody else marked disputed, without a reason, stays so. Claims that are new are set beside all others. With
    `update` citations whose words stand elsewhere now are moved there. Raises BusyError while another process changes
    entries.
    """
    _keeps_code.cache_clear()
    with knowledge_base(workspace) as db, workspace.locked("kb verify"):
        return _Round(db, Shelf(workspace, archive_names(db)), judge, check, update=update).look(progress)


class _Round:
    """One reading of all entries, those that cite one article next to each other, one entry in memory at a time."""

    def __init__(
        self, db: Database, shelf: Shelf, judge: JudgeClaim | None, check: JudgeClaim, *, update: bool
    ) -> None:
        self.db, self.shelf, self.judge, self.check, self.update = db, shelf, judge, check, update
        self.stale: list[tuple[str, str]] = []
        self.missing: list[tuple[str, str]] = []
        self.kept: list[tuple[str, str]] = []
        self.disputed: list[tuple[str, tuple[str, ...]]] = []
        self.unchecked: list[str] = []
        self.entries = self.citations = self.checked = self.judged = self.carried = 0
        self.rules = _rules() if check is check_claim else ""
        self.passed = passed(db) if self.rules else {}
        self.fresh: dict[str, str] = {}
        self.supported = supported_entries(db)

    def look(self, progress: ShowProgress) -> Recheck:
        started = time.monotonic()
        disputing.settle_by_reviews(self.db)
        clashes = self._set_beside(
            lambda done, total: progress(Progress.at(done, total, "claims", time.monotonic() - started, "compared"))
        )
        self.decided, self.open = disputing.decided(self.db), disputing.refresh(self.db)
        order = reading_order(self.db)
        for number, id_ in enumerate(order, 1):
            self._look_at(get_entry(self.db, id_))
            progress(Progress.at(number, len(order), "entries", time.monotonic() - started))
        note_passed(self.db, self.fresh)
        return Recheck(
            entries=self.entries,
            citations=self.citations,
            stale=tuple(self.stale),
            checked=self.checked,
            judged=self.judged,
            disputed=tuple(self.disputed),
            unchecked=tuple(self.unchecked),
            missing=tuple(self.missing),
            kept=tuple(self.kept),
            carried=self.carried,
            moved=self.update and self.carried > 0,
            clashes=tuple((one.entry_id, one.other_id, one.reason) for one in clashes),
        )

    def _set_beside(self, told: disputing.Told) -> list[Dispute]:
        if isinstance(self.judge, LoadedJudge):
            entails, least = self.judge.entails, self.judge.least
            return disputing.look_for_disputes(self.db, entails=entails, least=least, told=told)
        return disputing.look_for_disputes(self.db, told=told)

    def _look_at(self, one: Entry) -> None:
        self.entries += 1
        if one.id in self.supported:
            self._look_at_support(one)
        self.citations += sum(len(claim.citations) for claim in one.claims)
        moved = [(cited, new) for cited in _cited(one) if (new := self.shelf.carried(cited)) != cited]
        self.carried += len(moved)
        places = {old: new for old, new in moved if self.update or new.zim_id != old.zim_id}
        outcome = look_again(
            _with_citations(one, places),
            self.shelf.article,
            self.shelf.language,
            self.shelf.index,
            check=self.check,
            judge=self.judge,
            rules=self.rules,
            passed=self.passed.get(one.id, ""),
        )
        self._count(one, outcome)
        if outcome.missing:
            return
        if self.update and moved and outcome.status != "stale":
            infos = [self.shelf.info(new.zim_id) for _, new in moved]
            named = {info.id: (info.id, info.name, info.date) for info in infos if info}
            move_citations(self.db, one.id, moved, named.values())
        self._settle(one, outcome)

    def _look_at_support(self, one: Entry) -> None:
        """Take out what supports an entry beside its citations where that no longer stands in its archive."""
        for position, groups in supports(self.db, one.id).items():
            for citations in groups:
                read = [self.shelf.article(self.shelf.carried(cited)) for cited in citations]
                if any(isinstance(found, str) and not isinstance(found, Absent) for found in read):
                    drop_support(self.db, one.id, position, citations)

    def _count(self, one: Entry, outcome: Outcome) -> None:
        self.checked += outcome.checked
        self.judged += outcome.judged
        if outcome.unchecked:
            self.unchecked.append(one.id)
        if outcome.missing:
            self.missing.append((one.id, outcome.missing))
        if self.rules and outcome.checked and outcome.digest != self.passed.get(one.id, ""):
            self.fresh[one.id] = outcome.digest
            if len(self.fresh) == _MANY:
                note_passed(self.db, self.fresh)
                self.fresh.clear()

    def _settle(self, one: Entry, outcome: Outcome) -> None:
        against = tuple(disputing.side(dispute) for dispute in self.open.get(one.id, ()))
        if against and outcome.status != "stale":
            reasons = tuple(dict.fromkeys((*outcome.reasons, *against)))
            outcome = replace(outcome, status="disputed", reasons=reasons)
        if one.id in self.decided:
            if outcome.status != "current":
                self.kept.append((one.id, " ".join(outcome.reasons)))
            return
        if (outcome.status, outcome.reasons, outcome.judgements) != (one.status, one.status_reasons, one.judgements):
            set_outcome(self.db, one.id, outcome.status, outcome.reasons, outcome.judgements)
        if outcome.status == "stale":
            self.stale.append((one.id, outcome.reasons[0]))
        elif outcome.status == "disputed":
            self.disputed.append((one.id, outcome.reasons))


def _cited(entry: Entry) -> Iterator[Citation]:
    return iter(dict.fromkeys(citation for claim in entry.claims for citation in claim.citations))


def _with_citations(entry: Entry, places: dict[Citation, Citation]) -> Entry:
    if not places:
        return entry
    claims = (
        replace(one, citations=tuple(places.get(cited, cited) for cited in one.citations)) for one in entry.claims
    )
    return replace(entry, claims=tuple(claims))


@cache
def _rules() -> str:
    """A digest of the code that decides which claims pass without a model."""
    digest, package = blake2b(digest_size=16), Path(__file__).parent
    for name in _RULES:
        place = package / name
        for file in sorted(place.rglob("*")) if place.is_dir() else (place,):
            if file.suffix in (".py", ".toml", ".txt"):
                digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


def look_again(
    entry: Entry,
    article: Callable[[Citation], Article | str],
    language: Callable[[Citation], str],
    index: Callable[[Citation], str],
    *,
    check: JudgeClaim = check_claim,
    judge: JudgeClaim | None = None,
    rules: str = "",
    passed: str = "",
) -> Outcome:
    """What becomes of an entry, cheap checks first.

    `article(citation)` is the article that has the quote at its place, or a sentence that says why there is none, an
    `Absent` one where its archive is not here; `language(citation)` is that of its archive, and `index(citation)` the
    name that its archive is known by here. A claim is read in the language of what it cites first. `passed` is the
    digest of what passed the checks before by the same `rules`, which name them: that is not checked again.
    """
    evidence: list[list[Passage]] = []
    absent = ""
    for claim in entry.claims:
        passages = []
        for cited in claim.citations:
            read = article(cited)
            if isinstance(read, Absent):
                absent = absent or str(read)
            elif isinstance(read, str):
                return Outcome("stale", (read,), entry.judgements)
            else:
                passages.append(_passage(replace(cited, index=index(cited)), read))
        evidence.append(passages)
    if absent:
        return Outcome(entry.status, entry.status_reasons, entry.judgements, missing=absent)
    claims = [
        (
            replace(claim, citations=tuple(replace(c, n=n, index=index(c)) for n, c in enumerate(claim.citations, 1))),
            passages,
            language(claim.citations[0]) if claim.citations else "en",
        )
        for claim, passages in zip(entry.claims, evidence, strict=True)
    ]
    digest = _digest(entry, claims, rules) if rules else ""
    faults = () if digest and digest == passed else _reasons([check(entry, *claim) for claim in claims])
    if not is_made_of(entry.answer, (claim.text for claim in entry.claims)):
        faults = (OTHERWISE, *faults)
    if faults:
        return Outcome("disputed", faults, entry.judgements, checked=True)
    judgements = entry.judgements if judge is None else tuple(judge(entry, *claim) for claim in claims)
    unchecked = judge is not None and any(judgement.verdict == "unchecked" for judgement in judgements)
    reasons = _reasons(judgements)
    marked = entry.status == "disputed" and not entry.status_reasons and not _reasons(entry.judgements)
    status: EntryStatus = "disputed" if reasons or marked else "current"
    return Outcome(
        status, reasons, judgements, checked=True, judged=judge is not None, unchecked=unchecked, digest=digest
    )


def _digest(entry: Entry, claims: Sequence[tuple[Claim, Sequence[Passage], str]], rules: str) -> str:
    """A digest of all that the checks without a model see of an entry."""
    seen = [rules]
    for claim, passages, language in claims:
        seen += [language, *_asked(entry, passages), repr(claim), *(repr(passage) for passage in passages)]
    return content_id(*seen)


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

"""drzero.loop.episode: what an accepted episode leaves behind as an entry."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drzero.loop.episode import _shortcoming, make_entry
from drzero.text import content_id
from drzero.types import Claim, Episode, Judgement, Verdict
from tests.samples import ATTEMPT, CHALLENGE, CHUNK, CITATION, OTHER, SILENT, make_episode

ARCHIVES = (("zim-0", "garden", ""), ("zim-1", "kitchen", "2026-01"))


def test_episode_s_entry_is_of_its_best_attempt_and_the_archives_that_it_cites() -> None:
    entry = make_entry(make_episode(), ARCHIVES)
    assert entry is not None
    assert (entry.id, entry.episode_id) == (content_id("entry", CHALLENGE.question), "e1")
    assert (entry.question, entry.answer) == (CHALLENGE.question, ATTEMPT.answer.text)
    assert (entry.claims, entry.judgements) == (ATTEMPT.answer.claims, ATTEMPT.verdict.judgements)
    assert (entry.scores, entry.overall) == (ATTEMPT.evaluation.scores, 0.95)
    assert (entry.status, entry.status_reasons, entry.model) == ("current", (), "scripted")
    assert entry.archives == (("zim-1", "kitchen", "2026-01"),)


@pytest.mark.parametrize(
    "episode",
    [
        make_episode(status="quarantined"),
        make_episode(status="rejected", challenge=None, attempts=(), best=-1),
        make_episode(challenge=None),
        make_episode(attempts=(SILENT,), best=0, status="quarantined"),
    ],
)
def test_episode_that_was_not_accepted_has_no_entry(episode: Episode) -> None:
    assert make_entry(episode, ARCHIVES) is None


def test_episode_s_entry_has_its_quotes_in_the_articles_own_wording() -> None:
    second = replace(CITATION, n=2, chunk_id="c2", path="Pepper", title="Pepper", heading=(), start=0, end=18)
    dressed = (
        replace(CITATION, quote="Table salt consists mainly of sodium\u00a0chlo\u00adride.[3]"),
        replace(second, quote="Pepper  is a spice."),
    )
    claims = (Claim("It is a chloride.", dressed), Claim("Pepper is a spice.", dressed[1:]))
    answer = replace(ATTEMPT.answer, claims=claims)
    attempt = replace(
        ATTEMPT, answer=answer, verdict=replace(ATTEMPT.verdict, judgements=ATTEMPT.verdict.judgements * 2)
    )
    entry = make_entry(make_episode(attempts=(SILENT, attempt)), ARCHIVES)
    assert entry is not None
    stated = (CHUNK.text[:46], OTHER.text)
    assert [[cited.quote for cited in claim.citations] for claim in entry.claims] == [list(stated), [stated[1]]]
    assert [claim.text for claim in entry.claims] == ["It is a chloride.", "Pepper is a spice."]
    places = [[replace(cited, quote="") for cited in claim.citations] for claim in entry.claims]
    assert places == [[replace(cited, quote="") for cited in claim.citations] for claim in claims]


def test_case_e05_nothing_found_is_stored_as_such_and_is_no_fault_of_a_citation() -> None:
    assert _shortcoming(SILENT) == "not-found"
    refused = Verdict((Judgement("unsupported", 0.0, ("",), ("no-citation",)),), "unsupported")
    assert _shortcoming(replace(ATTEMPT, verdict=refused)) == "unsupported: no-citation"
    assert _shortcoming(replace(ATTEMPT, right=False)) == "wrong"
    assert _shortcoming(ATTEMPT) == "fragment"

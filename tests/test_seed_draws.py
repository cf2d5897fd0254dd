from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest

from drzero.loop.seed_draws import REDRAWS, WORN_PROPOSALS, Draws
from drzero.types import Chunk, Episode, SeedVitals, Step
from tests.samples import CHALLENGE, CHUNK, OTHER, make_episode

SALT, PEPPER = (CHUNK.zim_id, CHUNK.path), (OTHER.zim_id, OTHER.path)


def dealing(chunks: Sequence[Chunk]) -> Callable[[Random], Chunk]:
    """A sampler that deals these chunks in turn."""
    left = list(chunks)
    return lambda _: left.pop(0)


def draw(draws: Draws, *chunks: Chunk) -> Chunk:
    return draws.draw(dealing(chunks), Random(1))


def worn(draws: Draws) -> list[tuple[str, str]]:
    """The articles that are passed over."""
    return [key for key in (SALT, PEPPER) if draws.is_worn(key)]


def proposal(chunk: Chunk, refusal: str = "") -> Step:
    return Step("proposed", "proposal", {"chunk": chunk.id}, {"question": "What?", "refusal": refusal}, 0.0)


def invalid(*steps: Step) -> Episode:
    """An episode that found no challenge."""
    return make_episode(status="invalid", reason="malformed", challenge=None, attempts=(), best=-1, steps=steps)


def test_seed_draws_counts_what_was_proposed_of_an_article() -> None:
    draws = Draws(())
    for chunk in (CHUNK, OTHER):
        assert draw(draws, chunk) == chunk
    steps = (
        proposal(OTHER, "near-copy"),
        proposal(OTHER, "malformed"),
        Step("proposed", "yes-no", {"chunk": CHUNK.id}, 1.0, 0.0),
        proposal(CHUNK),
    )
    assert draws.close(make_episode(steps=steps)) == (
        SeedVitals(*PEPPER, proposals=2, copies=1, last_error="malformed"),
        SeedVitals(*SALT, proposals=1, challenges=1, accepted=1),
    )
    assert draws.close(invalid(*steps)) == ()  # drawn by another episode


def test_seed_draws_a_challenge_that_was_not_solved_is_its_articles_failure() -> None:
    draws = Draws(())
    draw(draws, CHUNK)
    missed = make_episode(status="quarantined", reason="abstained", steps=(proposal(CHUNK),))
    assert draws.close(missed) == (SeedVitals(*SALT, 1, 0, 1, 0, "abstained"),)


def test_seed_draws_articles_that_were_only_looked_at_do_not_count() -> None:
    draws = Draws(())
    draw(draws, CHUNK)
    assert draws.close(invalid()) == ()
    assert worn(draws) == []


def test_seed_draws_a_second_source_counts_as_asked_about_though_not_drawn() -> None:
    draws = Draws(())
    draw(draws, CHUNK)
    two = make_episode(challenge=replace(CHALLENGE, gold=(CHUNK, OTHER)), steps=(proposal(CHUNK),))
    assert draws.close(two) == (SeedVitals(*SALT, 1, 0, 1, 1), SeedVitals(*PEPPER, 0, 0, 1, 1))


def test_seed_draws_passes_worn_articles_over() -> None:
    draws = Draws([SeedVitals(*SALT, WORN_PROPOSALS, 0, 3, 0, "wrong"), SeedVitals(*PEPPER, WORN_PROPOSALS - 1)])
    assert worn(draws) == [SALT]
    assert draw(draws, CHUNK, CHUNK, OTHER, CHUNK) == OTHER
    draws.close(invalid(proposal(OTHER, "malformed")))
    assert worn(draws) == [SALT, PEPPER]


def test_seed_draws_takes_a_worn_article_where_there_is_no_other() -> None:
    draws = Draws([SeedVitals(*SALT, WORN_PROPOSALS)])
    assert draw(draws, *[CHUNK] * (REDRAWS + 1)) == CHUNK


def test_seed_draws_an_article_that_gave_an_entry_is_never_worn() -> None:
    draws = Draws([SeedVitals(*SALT, 99, 9, 9, 1, "wrong")])
    assert worn(draws) == []
    assert not draws.is_worn(("zim-9", "Nowhere"))


@pytest.mark.parametrize("more", [1, 3])
def test_seed_draws_what_an_episode_proposes_counts_from_the_next_on(more: int) -> None:
    draws = Draws([SeedVitals(*SALT, WORN_PROPOSALS - 1)])
    assert [draw(draws, CHUNK) for _ in range(more)] == [CHUNK] * more
    draws.close(invalid(*[proposal(CHUNK, "malformed")] * more))
    assert worn(draws) == [SALT]
    assert worn(Draws([SeedVitals(*SALT, WORN_PROPOSALS - 1 + more)])) == worn(draws)

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from drzero.loop.drawing import REDRAWS, WORN_DRAWS, Draws
from drzero.types import Chunk, SeedVitals
from tests.samples import CHALLENGE, CHUNK, OTHER, make_episode

SALT, PEPPER = (CHUNK.zim_id, CHUNK.path), (OTHER.zim_id, OTHER.path)
NOTHING = make_episode(status="invalid", reason="no-seed", challenge=None, attempts=(), best=-1)


def dealing(chunks: Sequence[Chunk]) -> Callable[[Random], Chunk]:
    """A sampler that deals these chunks in turn."""
    left = list(chunks)
    return lambda _: left.pop(0)


def draw(draws: Draws, *chunks: Chunk) -> Chunk:
    return draws.draw(dealing(chunks), Random(1))


def test_drawing_counts_what_an_episode_looked_at() -> None:
    draws = Draws(())
    for chunk in (CHUNK, CHUNK, OTHER):
        assert draw(draws, chunk) == chunk
    assert draws.close(make_episode()) == (
        SeedVitals(*SALT, draws=2, challenges=1, accepted=1),
        SeedVitals(*PEPPER, draws=1),
    )
    assert draws.close(make_episode(challenge=None, status="invalid", reason="no-seed")) == ()


def test_drawing_failures_are_those_of_the_article_that_was_asked_about() -> None:
    draws = Draws(())
    draw(draws, CHUNK)
    draw(draws, OTHER)
    missed = make_episode(status="quarantined", reason="abstained")
    assert draws.close(missed) == (SeedVitals(*SALT, 1, 1, 0, "abstained"), SeedVitals(*PEPPER, 1))
    draw(draws, CHUNK)
    draw(draws, OTHER)
    assert [one.last_error for one in draws.close(NOTHING)] == ["no-seed", "no-seed"]


def test_drawing_a_linked_article_counts_as_asked_about_though_not_drawn() -> None:
    draws = Draws(())
    draw(draws, CHUNK)
    two = make_episode(challenge=replace(CHALLENGE, gold=(CHUNK, OTHER)))
    assert draws.close(two) == (SeedVitals(*SALT, 1, 1, 1), SeedVitals(*PEPPER, 0, 1, 1))


def test_drawing_passes_worn_articles_over() -> None:
    draws = Draws([SeedVitals(*SALT, WORN_DRAWS, 3, 0, "wrong"), SeedVitals(*PEPPER, WORN_DRAWS - 1)])
    assert draws.worn == (SALT,)
    assert draw(draws, CHUNK, CHUNK, OTHER, CHUNK) == OTHER
    (seen,) = draws.close(NOTHING)
    assert seen == SeedVitals(*PEPPER, 1, 0, 0, "no-seed")  # what was passed over was not looked at
    assert draws.worn == (SALT, PEPPER)


def test_drawing_takes_a_worn_article_where_there_is_no_other() -> None:
    draws = Draws([SeedVitals(*SALT, WORN_DRAWS)])
    assert draw(draws, *[CHUNK] * (REDRAWS + 1)) == CHUNK


def test_drawing_an_article_that_gave_an_entry_is_never_worn() -> None:
    draws = Draws([SeedVitals(*SALT, 99, 9, 1, "wrong")])
    assert draws.worn == ()
    assert not draws.is_worn(("zim-9", "Nowhere"))


def test_drawing_what_an_episode_draws_counts_from_the_next_on() -> None:
    draws = Draws([SeedVitals(*SALT, WORN_DRAWS - 1)])
    assert [draw(draws, CHUNK), draw(draws, CHUNK)] == [CHUNK, CHUNK]
    draws.close(NOTHING)
    assert draws.worn == (SALT,)
    again = Draws([SeedVitals(*SALT, WORN_DRAWS + 1, last_error="no-seed")])
    assert again.worn == draws.worn

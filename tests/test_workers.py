from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from drzero.models.workers import Crew, _numbers, core_counts, default_workers, usable_threads


class Clock:
    """A clock that a crew of so many workers moves, which does `speeds[workers]` units of size a second."""

    def __init__(self, speeds: dict[int, float]) -> None:
        self.speeds, self.now, self.lock = speeds, 0.0, threading.Lock()
        self.done: list[int] = []
        self.workers = 0

    def __call__(self) -> float:
        return self.now


def crew_of(speeds: dict[int, float], default: int = 1) -> tuple[Crew, Clock, Callable[[int], None]]:
    clock = Clock(speeds)
    crew = Crew(0, candidates=sorted(speeds), default=default, clock=clock)
    share_out = crew._share_out

    def counted(do: Callable[[int], None], order: list[int], workers: int) -> None:
        clock.workers = workers
        share_out(do, order, workers)

    crew._share_out = counted  # type: ignore[method-assign]

    def do(place: int) -> None:
        with clock.lock:
            clock.done.append(place)
            clock.now += (1 + place % 7) / clock.speeds[clock.workers]

    return crew, clock, do


@pytest.mark.parametrize(
    ("speeds", "chosen"),
    [
        ({1: 50, 2: 95}, 2),
        ({1: 50, 2: 51}, 1),
        ({1: 50, 4: 180, 8: 185}, 4),
        ({1: 50, 4: 180, 8: 220}, 8),
        ({1: 9, 2: 5}, 1),
    ],
)
def test_workers_the_quickest_number_is_chosen_at_work(speeds: dict[int, float], chosen: int) -> None:
    crew, clock, do = crew_of(speeds)
    for _ in range(12):
        clock.done.clear()
        crew.work(do, [1 + number % 7 for number in range(200)])
        assert sorted(clock.done) == list(range(200))
    assert crew.chosen == chosen
    assert clock.workers == chosen


@pytest.mark.parametrize(("speeds", "chosen"), [({1: 50, 2: 46}, 2), ({1: 50, 2: 30}, 1), ({1: 50, 2: 90, 4: 95}, 2)])
def test_workers_the_default_stays_unless_another_is_clearly_quicker(speeds: dict[int, float], chosen: int) -> None:
    crew, _, do = crew_of(speeds, default=2)
    for _ in range(12):
        crew.work(do, [1 + number % 7 for number in range(200)])
    assert crew.chosen == chosen


@pytest.mark.parametrize(
    ("speeds", "chosen"),
    [
        ({1: 50, 4: 180, 8: 250}, 8),  # hardware threads of a laptop
        ({1: 50, 8: 300, 16: 290}, 8),
        ({1: 50, 8: 300, 16: 400}, 16),
        ({1: 50, 12: 400, 24: 600}, 24),
        ({1: 50, 16: 600, 32: 500}, 16),
        ({1: 50, 32: 900, 64: 1400}, 64),
    ],
)
def test_workers_are_chosen_within_a_build_of_pieces_on_large_machines(speeds: dict[int, float], chosen: int) -> None:
    crew, clock, do = crew_of(speeds, default=sorted(speeds)[1])
    piece = min(crew.wanted, 128)  # a build's batch
    assert piece >= 2 * max(speeds)
    calls = 0
    while crew.chosen is None and calls < 100:
        calls += 1
        clock.done.clear()
        crew.work(do, [1 + number % 7 for number in range(piece)])
        assert sorted(clock.done) == list(range(piece))
    assert (crew.chosen, calls < 25) == (chosen, True)


def test_workers_a_few_texts_choose_nothing() -> None:
    crew, clock, do = crew_of({1: 50, 2: 95})
    for _ in range(50):
        crew.work(do, [3] * 10)
    assert crew.chosen is None
    assert len(clock.done) == 500


def test_workers_the_largest_piece_comes_first() -> None:
    done: list[int] = []
    Crew(1).work(done.append, [2, 9, 4, 9])
    assert done == [1, 3, 2, 0]


def test_workers_work_side_by_side() -> None:
    together = threading.Barrier(3, timeout=20)
    Crew(3).work(lambda _: together.wait(), [1, 1, 1])
    assert not together.broken


def test_workers_an_error_ends_the_work() -> None:
    done: list[int] = []

    def do(place: int) -> None:
        if place == 0:
            raise ValueError("broken")
        time.sleep(0.01)
        done.append(place)

    with pytest.raises(ValueError, match="broken"):
        Crew(2).work(do, [9, *[1] * 500])
    assert len(done) < 400


def test_workers_counts_of_this_machine() -> None:
    counts = core_counts()
    assert counts[0] == 1
    assert counts[-1] == usable_threads()
    assert list(counts) == sorted(set(counts))
    assert 1 <= default_workers() <= usable_threads()
    assert _numbers("0-3,8") == {0, 1, 2, 3, 8}
    assert _numbers("") == set()

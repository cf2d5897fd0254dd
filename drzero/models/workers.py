"""How many threads to work with: what the machine has, and which number is quickest, found while working.

Two threads of one core share its arithmetic, and the cores of hybrid processors differ in speed: nothing tells
beforehand whether more threads help. So the candidates take turns at the real work until the clock has told.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import cycle
from pathlib import Path

_TRIAL_S = 0.4  # of measured work, before one number of workers is judged against another
_SHARE = 6  # pieces of work a worker has in a measured stretch, so that the end, where some idle, weighs little
_ENOUGH = 64  # pieces in a call to measure in, however many the workers: a build brings some 128 at once, no more
_LEAST_SHARE = 2
_BETTER = 1.1  # another number than the default must be this much quicker: a busy machine makes measurements uncertain
_CPUS = Path("/sys/devices/system/cpu")


@cache
def core_counts() -> tuple[int, ...]:
    """The numbers of threads worth trying, rising: 1, fast cores, cores, hardware threads that this process may use."""
    logical = usable_threads()
    return tuple(sorted({1, logical, *(min(count, logical) for count in _fast_and_all_cores() if count > 0)}))


def usable_threads() -> int:
    """Hardware threads that this process may use: the machine's, less by affinity and by a container's quota."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return max(1, min(count, math.ceil(int(quota) / int(period))))
    except (OSError, ValueError):  # no such file, or a quota of "max"
        return count


def default_workers() -> int:
    """How many to work with before anything is measured: one a core, where the system tells of cores."""
    return min(usable_threads(), _fast_and_all_cores()[1] or usable_threads())


def _fast_and_all_cores() -> tuple[int, int]:
    """Fast cores and all cores that this process may use; 0 for what the system does not tell."""
    if sys.platform == "darwin":
        return _sysctl("hw.perflevel0.physicalcpu"), _sysctl("hw.physicalcpu")
    if not _CPUS.is_dir():
        return 0, (usable_threads() + 1) // 2 if sys.platform == "win32" else 0
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    cores = {cpu: _line(_CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list") or str(cpu) for cpu in allowed}
    fast = _numbers(_line(Path("/sys/devices/cpu_core/cpus")))  # hybrid processors of Intel
    return len({core for cpu, core in cores.items() if cpu in fast}), len(set(cores.values()))


def _line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def _numbers(listed: str) -> set[int]:
    """The numbers of "0-3,8"."""
    found: set[int] = set()
    for part in filter(None, listed.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def _sysctl(name: str) -> int:
    try:
        done = subprocess.run(["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, check=True)  # noqa: S603
        return int(done.stdout)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return 0


class Crew:
    """Threads that share out pieces of work, the largest first, so that all end together.

    With `threads` 0 their number is chosen while they work: each of `candidates` does some of the pieces, which costs
    no more than the slower ones lose. Until enough has been asked of it, the crew works with `default` threads.
    """

    def __init__(
        self,
        threads: int = 0,
        *,
        candidates: Sequence[int] | None = None,
        default: int | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        tried = (threads,) if threads else tuple(candidates or core_counts())
        self.chosen = tried[0] if len(tried) == 1 else None
        self._default = default or (threads or default_workers())
        self._most = max(tried)
        self._clock = clock
        self._measured = dict.fromkeys(tried, (0, 0.0))
        self._turns = cycle([*tried, *reversed(tried)])  # there and back: a machine that slows down wrongs nobody
        self._turn = next(self._turns)
        self._warm = False
        self._pool: ThreadPoolExecutor | None = None

    @property
    def wanted(self) -> int:
        """How many pieces of work a call should bring, where there are many: enough to measure, and to busy all."""
        return 2 * _SHARE * self._most

    def work(self, do: Callable[[int], None], sizes: Sequence[int]) -> None:
        """Call `do` with each place in `sizes`, several at once; `sizes` says how much work each is.

        Raises what `do` raises; the rest is then left undone.
        """
        order = sorted(range(len(sizes)), key=lambda place: (-sizes[place], place))
        enough = max(min(_SHARE * (self._most + 1), _ENOUGH), _LEAST_SHARE * self._most)
        if self.chosen is None and len(order) >= enough:
            order = self._try_out(do, order, sizes)
        self._share_out(do, order, self.chosen or self._default)

    def _try_out(self, do: Callable[[int], None], order: Sequence[int], sizes: Sequence[int]) -> list[int]:
        """Measure on stretches of like sizes until a number is chosen or too little is left; returns what is left.

        A number of workers too large to have its share in this call is measured on a whole one: work that ends so often
        is what it would do. It keeps its turn until there is such a call.
        """
        strides = len(order) // _SHARE
        mixed = deque(place for start in range(strides) for place in order[start::strides])
        if not self._warm:  # the first pieces are slow for whoever does them
            self._share_out(do, [mixed.popleft() for _ in range(_SHARE)], self._default)
            self._warm = True
        while self.chosen is None:
            count, length = self._turn, min(_SHARE * self._turn, len(order))
            if len(mixed) < length:
                break
            self._turn = next(self._turns)
            stretch = sorted((mixed.popleft() for _ in range(length)), key=lambda place: -sizes[place])
            began = self._clock()
            self._share_out(do, stretch, count)
            done, seconds = self._measured[count]
            self._measured[count] = (
                done + sum(max(1, sizes[place]) for place in stretch),
                seconds + self._clock() - began,
            )
            self._choose()
        return sorted(mixed, key=lambda place: -sizes[place])

    def _choose(self) -> None:
        if any(seconds < _TRIAL_S for _, seconds in self._measured.values()):
            return
        rates = {count: done / seconds for count, (done, seconds) in sorted(self._measured.items())}
        best = self._default if self._default in rates else min(rates)
        for count, rate in rates.items():
            if rate > _BETTER * rates[best]:
                best = count
        self.chosen = best

    def _share_out(self, do: Callable[[int], None], order: Sequence[int], workers: int) -> None:
        todo = deque(order)

        def labour() -> None:
            while True:
                try:
                    place = todo.popleft()
                except IndexError:
                    return
                do(place)

        if min(workers, len(order)) <= 1:
            labour()
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max(self._most, self._default), thread_name_prefix="embed")
        running: list[Future[None]] = []
        try:
            running = [self._pool.submit(labour) for _ in range(min(workers, len(order)))]
            for one in running:
                one.result()
        finally:
            todo.clear()  # an error or an interruption ends the others after the piece that they have in hand
            for one in running:
                one.exception()

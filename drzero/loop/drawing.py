"""Which articles a run draws from: what it saw of each, and those it passes over because they gave nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from drzero.types import Chunk, Episode, SeedVitals

WORN_DRAWS = 8  # chunks of an article looked at in vain, after which it is passed over
REDRAWS = 4  # times that another chunk is drawn instead; then a worn article is better than none

ArticleKey = tuple[str, str]  # (zim_id, path)


class Draws:
    """The draws of one run. What is known at an episode's start decides in it, so that a resumed run draws alike."""

    def __init__(self, known: Sequence[SeedVitals]) -> None:
        self._seen = {(one.zim_id, one.path): one for one in known}
        self._drawn: Counter[ArticleKey] = Counter()

    @property
    def worn(self) -> tuple[ArticleKey, ...]:
        """The articles that are passed over."""
        return tuple(key for key in self._seen if self.is_worn(key))

    def is_worn(self, key: ArticleKey) -> bool:
        """Whether `WORN_DRAWS` chunks of an article gave no entry."""
        one = self._seen.get(key)
        return one is not None and one.draws >= WORN_DRAWS and not one.accepted

    def draw(self, sample: Callable[[Random], Chunk], rng: Random) -> Chunk:
        """A chunk as `sample` draws it, of an article that is not worn where `REDRAWS` draws find one."""
        chunk = sample(rng)
        for _ in range(REDRAWS):
            if not self.is_worn((chunk.zim_id, chunk.path)):
                break
            chunk = sample(rng)
        self._drawn[chunk.zim_id, chunk.path] += 1
        return chunk

    def close(self, episode: Episode) -> tuple[SeedVitals, ...]:
        """What an episode saw of its articles; from now on it counts."""
        accepted = episode.status == "accepted"
        gold = {(chunk.zim_id, chunk.path) for chunk in episode.challenge.gold} if episode.challenge else set()
        seen = []
        for key in dict.fromkeys([*self._drawn, *sorted(gold)]):
            error = "" if accepted or (gold and key not in gold) else episode.reason
            one = SeedVitals(*key, self._drawn[key], int(key in gold), int(accepted and key in gold), error)
            seen.append(one)
            self._seen[key] = _sum(self._seen.get(key, SeedVitals(*key)), one)
        self._drawn.clear()
        return tuple(seen)


def _sum(one: SeedVitals, other: SeedVitals) -> SeedVitals:
    return SeedVitals(
        one.zim_id,
        one.path,
        one.draws + other.draws,
        one.challenges + other.challenges,
        one.accepted + other.accepted,
        other.last_error or one.last_error,
    )

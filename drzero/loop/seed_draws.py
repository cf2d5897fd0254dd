"""Which articles a run draws from: how it fared with each, and those it passes over because they gave nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from drzero.loop.controller import COPY
from drzero.types import Chunk, Episode, SeedVitals

WORN_PROPOSALS = 8  # proposals of an article in vain, after which it is passed over
REDRAWS = 4  # times that another chunk is drawn instead; then a worn article is better than none

ArticleKey = tuple[str, str]  # (zim_id, path)


class Draws:
    """The draws of one run. What is known at an episode's start decides in it, so that a resumed run draws alike."""

    def __init__(self, known: Sequence[SeedVitals]) -> None:
        self._seen = {(one.zim_id, one.path): one for one in known}
        self._drawn: dict[str, ArticleKey] = {}  # by chunk

    def is_worn(self, key: ArticleKey) -> bool:
        """Whether `WORN_PROPOSALS` of an article gave no entry."""
        one = self._seen.get(key)
        return one is not None and one.proposals >= WORN_PROPOSALS and not one.accepted

    def draw(self, sample: Callable[[Random], Chunk], rng: Random) -> Chunk:
        """A chunk as `sample` draws it, of an article that is not worn where `REDRAWS` draws find one."""
        chunk = sample(rng)
        for _ in range(REDRAWS):
            if not self.is_worn((chunk.zim_id, chunk.path)):
                break
            chunk = sample(rng)
        self._drawn[chunk.id] = (chunk.zim_id, chunk.path)
        return chunk

    def close(self, episode: Episode) -> tuple[SeedVitals, ...]:
        """How an episode fared with each article that a proposal of it came of; from now on that counts."""
        seen: dict[ArticleKey, SeedVitals] = {}
        for step in episode.steps:
            key = self._drawn.get(step.inputs.get("chunk", "")) if step.name == "proposal" else None
            if key:
                refusal = str(step.output["refusal"])
                _add(seen, SeedVitals(*key, 1, int(refusal == COPY), last_error=refusal))
        accepted = episode.status == "accepted"
        for key in sorted(
            {(chunk.zim_id, chunk.path) for chunk in episode.challenge.gold} if episode.challenge else ()
        ):
            _add(seen, SeedVitals(*key, challenges=1, accepted=int(accepted), last_error=episode.reason))
        for one in seen.values():
            _add(self._seen, one)
        self._drawn.clear()
        return tuple(seen.values())


def _add(seen: dict[ArticleKey, SeedVitals], more: SeedVitals) -> None:
    """Count `more` with what was seen of the same article."""
    key = more.zim_id, more.path
    one = seen.get(key, SeedVitals(*key))
    seen[key] = SeedVitals(
        *key,
        one.proposals + more.proposals,
        one.copies + more.copies,
        one.challenges + more.challenges,
        one.accepted + more.accepted,
        more.last_error or one.last_error,
    )

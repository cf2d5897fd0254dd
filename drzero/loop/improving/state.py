"""What has been learnt so far, frozen: an iteration works with one state, so that it can be run again (pure)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from random import Random
from typing import Any, Literal

from drzero.loop import prompts
from drzero.loop.improving.arms import USUAL, Arm, draw
from drzero.loop.improving.lessons import Article, Lesson, Use, choose_lessons
from drzero.loop.improving.searching import Search, Searched
from drzero.loop.improving.trust import Trust, Trusted
from drzero.text import content_id

FORMAT = 1
PARTS = ("examples", "variants", "search", "confidence")
COMPETING: tuple[Use, ...] = ("ask", "read")  # the prompts whose wordings compete


def part_of(challenge_id: str, one_in: int) -> Literal["learn", "try", "test"]:
    """What a challenge is for, by its id alone: about one in `one_in` (2 or more) to try what was learnt, as many to
    test it, and all others to learn from. What is tried decides what is kept, so it cannot also say what that is worth.
    """
    place = int(content_id("held-out", challenge_id)[:12], 16) % one_in
    return "test" if place == 0 else "try" if place == 1 else "learn"


@dataclass(frozen=True, slots=True)
class Improvement:
    """What an episode may use beside what it always has; the empty one changes nothing.

    `shown` is how many examples a prompt gets. `arms` are the wordings of each competing prompt. `searched` and
    `trusted` are calibrations, used only where they did better on what was held out.
    """

    lessons: tuple[Lesson, ...] = ()
    shown: int = 0
    arms: tuple[tuple[str, tuple[Arm, ...]], ...] = ()
    searched: Searched | None = None
    trusted: Trusted | None = None
    held_out: int = 0  # one challenge in so many was kept from it to try it, and one to test it; 0: nobody knows
    chosen: tuple[tuple[str, str], ...] = ()  # (prompt, wording) that are not left to the bandit; never stored

    def examples(
        self, use: Use, text: str, *, kind: str = "", apart: Set[Article] = frozenset()
    ) -> tuple[prompts.Shown, ...]:
        """Examples for a prompt, the most alike one last; see `choose_lessons`."""
        chosen = choose_lessons(self.lessons, text, use=use, most=self.shown, kind=kind, apart=apart)
        return tuple(lesson.shown(use) for lesson in chosen)

    def variant(self, prompt: str, rng: Random) -> str:
        """The wording of a prompt for one episode, "" for the usual one."""
        if prompt in (chosen := dict(self.chosen)):
            return chosen[prompt]
        arms = dict(self.arms).get(prompt, ())
        return draw(arms, rng) if arms else USUAL

    @property
    def search(self) -> Search | None:
        """The settings of search to use; None for the usual ones."""
        return self.searched.search if self.searched else None

    @property
    def trust(self) -> Trust | None:
        """What the solver's confidence is worth; None takes it as it is."""
        return self.trusted.trust if self.trusted and self.trusted.better else None

    def believed(self, confidence: float) -> float:
        """The probability in [0,1] that an answer is right that the solver is so confident of."""
        return self.trust.apply(confidence) if self.trust else confidence

    def summary(self) -> dict[str, Any]:
        """What it rests on, and which of `PARTS` change anything, as JSON values."""
        return {
            "used": [part for part, used in zip(PARTS, self._used(), strict=True) if used],
            "examples": len(self.lessons) if self.shown else 0,
            "variants": {
                prompt: {arm.name or "usual": {"won": arm.won, "tried": arm.trials} for arm in arms}
                for prompt, arms in self.arms
            },
            "search": asdict(self.searched) if self.searched else None,
            "confidence": asdict(self.trusted) if self.trusted else None,
        }

    def _used(self) -> tuple[bool, bool, bool, bool]:
        """Whether each of `PARTS` may change what comes out."""
        found = self.searched
        return (
            bool(self.lessons and self.shown),
            bool(self.chosen) or any(arm.name and arm.trials for _, arms in self.arms for arm in arms),
            found is not None and found.gain > 0 and found.search == found.wanted,
            self.trust is not None,
        )

    def without(self, *parts: str) -> Improvement:
        """The same with these of `PARTS` left out. ValueError for any other name."""
        blank: dict[str, dict[str, Any]] = {
            "examples": {"lessons": ()},
            "variants": {"arms": (), "chosen": ()},
            "search": {"searched": None},
            "confidence": {"trusted": None},
        }
        if unknown := set(parts) - set(PARTS):
            raise ValueError(f"there is no part {', '.join(sorted(unknown))}")
        changes: dict[str, Any] = {}
        for part in parts:
            changes |= blank[part]
        return replace(self, **changes)

    def with_wording(self, prompt: str, variant: str) -> Improvement:
        """The same with one wording of a prompt for certain, and the usual ones of all others."""
        return replace(self, arms=(), chosen=((prompt, variant),))


NOTHING = Improvement()


# --- as text --------------------------------------------------------------------------------------------------------


def to_json(state: Improvement) -> str:
    """A state as JSON text: lessons by the ids of their episodes."""
    document = {
        "format": FORMAT,
        "held_out": state.held_out,
        "lessons": [lesson.id for lesson in state.lessons],
        "shown": state.shown,
        "arms": {prompt: [[arm.name, arm.won, arm.lost] for arm in arms] for prompt, arms in state.arms},
        "searched": asdict(state.searched) if state.searched else None,
        "trusted": asdict(state.trusted) if state.trusted else None,
    }
    return json.dumps(document)


def lesson_ids(text: str) -> tuple[str, ...]:
    """The episodes that a state in text takes its examples from."""
    return tuple(json.loads(text).get("lessons", ()))


def from_json(text: str, lessons: Mapping[str, Lesson]) -> Improvement:
    """The state that `to_json` wrote; `lessons` by episode id, those that are gone are left out.

    ValueError for a text of another format.
    """
    found = json.loads(text)
    if found.get("format") != FORMAT:
        raise ValueError(f"a state of format {found.get('format')}, not {FORMAT}")
    known: Sequence[tuple[str, Any]] = [(prompt, prompts.variants(prompt)) for prompt in COMPETING]
    searched, trusted = found["searched"], found["trusted"]
    return Improvement(
        lessons=tuple(lessons[one] for one in found["lessons"] if one in lessons),
        shown=found["shown"],
        arms=tuple(
            (prompt, tuple(Arm(*row) for row in found["arms"].get(prompt, ()) if row[0] in names))
            for prompt, names in known
            if found["arms"].get(prompt)
        ),
        searched=Searched(**searched | {"search": Search(**searched["search"]), "wanted": Search(**searched["wanted"])})
        if searched
        else None,
        held_out=found.get("held_out", 0),
        trusted=Trusted(**trusted | {"trust": Trust(**trusted["trust"])}) if trusted else None,
    )

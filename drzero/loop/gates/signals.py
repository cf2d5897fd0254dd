"""What the writer thinks of a draft of its own, as log-odds, and the fitted combination that decides by it.

Single signals part good proposals from bad ones weakly, together they do well. What log-odds of 2 are worth differs
from writer to writer and with every word of a prompt, so a combination holds for one writer and the wordings it was
fitted with; all others must be sure in each signal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from drzero.loop import facts, prompts
from drzero.loop.calibration import Calibration, from_json
from drzero.loop.drafts import Draft
from drzero.types import LLM, Prompt

_FOLDER = Path(__file__).with_name("combinations")
FLOORS = {"alone": 0.5, "fits": 1.5, "stated": 1.5}
"""The log-odds that each judgement must reach where no combination was fitted for the writer."""
WORDINGS = ("ask", "read", "alone", "fits", "stated", "judge")
"""The prompts that a combination depends on."""


def _stated(draft: Draft) -> Prompt:
    return prompts.stated(_place(draft), " ".join(draft.evidence), draft.question, draft.answer)


JUDGEMENTS: dict[str, Callable[[Draft], Prompt]] = {
    "alone": lambda draft: prompts.alone(draft.question),
    "fits": lambda draft: prompts.fits(draft.question, draft.answer),
    "stated": _stated,
}
"""The yes/no questions that the writer is asked about a draft, in the order of their cost."""


def _place(draft: Draft) -> str:
    return ". ".join(dict.fromkeys(prompts.place(chunk) for chunk in draft.gold))


def _titled(draft: Draft) -> float:
    """1.0 where the question has a word of each source's title, else 0.0."""
    asked = set(facts.content_stems(draft.question))
    return float(all(asked & set(facts.content_stems(chunk.title)) for chunk in draft.gold))


def _strange(draft: Draft) -> float:
    """log(1 + n) for the n content words of the question that neither its sources nor where they stand have."""
    have = set(facts.content_stems(f"{_place(draft)} {' '.join(draft.evidence)}"))
    return math.log1p(len(set(facts.content_stems(draft.question)) - have))


def _used(draft: Draft) -> float:
    """The share of the sources' content words that question and answer use, in [0,1]: what is left out may matter."""
    return facts.cover(" ".join(draft.evidence), f"{_place(draft)} {draft.question} {draft.answer}")


def _length(draft: Draft) -> float:
    """log of the number of the question's words."""
    return math.log(max(len(draft.question.split()), 1))


FEATURES: dict[str, Callable[[Draft], float]] = {
    "titled": _titled,
    "strange": _strange,
    "used": _used,
    "length": _length,
}
"""What is read of a draft without a model, by name; each gives a finite number."""


def identity(writer: str) -> str:
    """What a combination is for: the writer and the wording of every prompt that it depends on."""
    versions = prompts.versions()
    return "/".join([writer, *(f"{name}-{versions[name]}" for name in WORDINGS)])


@cache
def packaged() -> Mapping[str, Calibration]:
    """The combinations that come with drzero, by file name; those of the most exact pattern first."""
    found = {path.stem: from_json(path.read_text(encoding="utf-8"))[0] for path in sorted(_FOLDER.glob("*.json"))}
    return dict(sorted(found.items(), key=lambda item: -len(item[1].judge)))


def combination_for(writer: str) -> Calibration | None:
    """The packaged combination for this writer and today's wordings, None where there is none."""
    named = identity(writer).casefold()
    return next((one for one in packaged().values() if fnmatchcase(named, one.judge.casefold())), None)


def signal_fault(draft: Draft, llm: LLM, support: float) -> str:
    """The gate of the writer's judgements that refuses a draft, "" when none does.

    `support` is the judge's probability in [0,1] that the source supports the answer.

    With a combination the draft's probability to be worth keeping must reach its threshold. Without one every
    judgement must reach its floor. What is no number refuses.
    """
    combination = combination_for(llm.id)
    if combination is None:
        for name, prompt in JUDGEMENTS.items():
            if not llm.yes_no(prompt(draft)) >= FLOORS[name]:
                return f"not-{name}"
        return ""
    known = {"support": log_odds(support)} | {name: feature(draft) for name, feature in FEATURES.items()}
    for name, prompt in JUDGEMENTS.items():
        if name in combination.names:
            known[name] = llm.yes_no(prompt(draft))
            if not math.isfinite(known[name]):
                return "not-judged"
    worth = combination.apply([known[name] for name in combination.names])[0]
    return "" if worth >= combination.threshold else "not-worth-keeping"


def log_odds(probability: float) -> float:
    """The natural log-odds of a probability, within ±7; nan of nan."""
    held = min(max(probability, 0.001), 0.999) if not math.isnan(probability) else probability
    return math.log(held / (1 - held))

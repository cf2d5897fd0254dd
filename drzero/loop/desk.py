"""An episode's desk: what it works with. All that comes from outside passes through here and into the trace."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from drzero.loop import prompts
from drzero.loop.checked import CheckedLLM
from drzero.loop.improving.lessons import Article, Use
from drzero.loop.improving.state import NOTHING, Improvement
from drzero.loop.metrics import Caps
from drzero.loop.novelty import NEAR_COPY, Asked
from drzero.loop.running import run_expression
from drzero.loop.trace import RecordedEntailment, RecordedLLM, Trace, dump_ranked, load_ranked
from drzero.loop.verify import Thresholds
from drzero.profiles import ChallengeType, Profile
from drzero.types import LLM, Chunk, EntailmentModel, Passage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tools:
    """What comes from outside, each thing of which is asked through `Desk.take` and so recorded.

    `sample` draws a chunk to ask about, `retrieve(query, k)` finds passages.

    `linked(chunk)` are chunks of other articles that the chunk names, `alike(chunk)` of those most like it: a second
    source. `nearest(question)` is how much a question is like the nearest of all asked before, in [0,1], and that one.
    A loop whose writer words no questions does not `propose`, and has templates alone.
    """

    llm: LLM
    entailment: EntailmentModel
    retrieve: Callable[[str, int], list[Passage]]
    sample: Callable[[random.Random], Chunk]
    language: str = "en"
    linked: Callable[[Chunk], list[Chunk]] = lambda _: []
    alike: Callable[[Chunk], list[Chunk]] = lambda _: []
    nearest: Callable[[str], tuple[float, str]] | None = None
    proposes: bool = True
    improvement: Improvement = NOTHING

    def plain(self) -> dict[str, str | float]:
        """What of them is no tool but a value, which a replay needs as it was: texts, numbers, switches, by name."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, (str, bool, int, float))}


@dataclass(frozen=True, slots=True)
class Options:
    """How hard an episode tries: seeds tried per challenge, blind attempts, distractors of the noise gate.

    `templates` is the share of challenges in [0,1] that are asked by template where one fits, `near_copy` the
    similarity from which a question counts as asked before.
    """

    proposals: int = 8
    attempts: int = 2
    distractors: int = 4
    passages: int = 10
    min_source_support: float = 0.75
    thresholds: Thresholds = field(default_factory=Thresholds)
    caps: Caps = field(default_factory=Caps)
    templates: float = 0.5
    near_copy: float = NEAR_COPY
    reads: int = 5  # passages; more of them cost a small model more right answers than they bring, and ten seconds each


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of an episode: which challenge of which iteration of which run, and what is to be asked."""

    run: str
    iteration: int
    number: int
    seed: int  # of the run
    profile: Profile
    kind: ChallengeType
    level: str


class Desk:
    """The state of one episode under way.

    Everything random comes from `rng`, which the slot seeds, so that a resumed run asks what an uninterrupted one would
    have asked. `known` are all questions asked before; `refusals` counts proposals refused, by gate.
    """

    def __init__(
        self, slot: Slot, tools: Tools, options: Options, known: Sequence[str], trace: Trace | None = None
    ) -> None:
        self.slot, self.options, self.known = slot, options, known
        self.language, self.code = tools.language, slot.profile.keeps_code
        self.rng = random.Random(f"{slot.seed}/{slot.iteration}/{slot.number}")
        self.trace = Trace() if trace is None else trace
        self.llm = RecordedLLM(CheckedLLM(tools.llm), self.trace)
        self.entailment = RecordedEntailment(tools.entailment, self.trace)
        self.refusals: Counter[str] = Counter()
        self._tools = tools
        self._apart: set[Article] = set()
        self._wordings: dict[str, str] = {}

    @property
    def conditions(self) -> dict[str, Any]:
        """What the episode needs beside its record to be run again, as JSON values and tuples."""
        return {
            "type": self.slot.kind.name,
            "tools": self._tools.plain(),
            "options": asdict(self.options),
            "prompts": prompts.versions(),
        }

    @property
    def grammar(self) -> str:
        """What an answer may look like: one line, with brackets where it may be code."""
        return prompts.ONE_LINE_OF_CODE if self.code else prompts.ONE_LINE

    def draw_seed(self) -> int:
        """A seed for one call of the writer."""
        return self.rng.randrange(2**31)

    def take(
        self,
        name: str,
        inputs: dict[str, Any],
        call: Callable[[], T],
        *,
        dump: Callable[[T], Any] | None = None,
        load: Callable[[Any], T] | None = None,
    ) -> T:
        """What `call` gets from outside the episode, recorded as a step of this `name`; see `Trace.take`.

        `rng` must not be handed to it, since a replay calls nothing: give it a generator with a seed of `draw_seed`.
        """
        return self.trace.take(name, inputs, call, dump=dump, load=load)

    def sample(self, suits: Callable[[Chunk], bool] = lambda _: True, *, most: int = 1) -> tuple[Chunk | None, int]:
        """A chunk to ask about that `suits`, None when none of `most` draws gives one; and how many were drawn.

        Looking at a chunk costs next to nothing, so those that do not suit are not recorded. `suits` must not depend on
        anything from outside, since a replay does not ask it.
        """
        seed = self.draw_seed()

        def draw() -> tuple[Chunk | None, int]:
            rng = random.Random(seed)
            for drawn in range(1, most + 1):
                if suits(chunk := self._tools.sample(rng)):
                    return chunk, drawn
            return None, most

        return self.take("sample", {"seed": seed, "most": most}, draw)

    def linked(self, chunk: Chunk) -> list[Chunk]:
        """Chunks of other articles that `chunk` names."""
        return self.take("linked", {"chunk": chunk.id}, lambda: self._tools.linked(chunk))

    def alike(self, chunk: Chunk) -> list[Chunk]:
        """Chunks of other articles that are most like `chunk`."""
        return self.take("alike", {"chunk": chunk.id}, lambda: self._tools.alike(chunk))

    @property
    def proposes(self) -> bool:
        """Whether the writer words questions."""
        return self._tools.proposes

    def nearest(self, question: str) -> tuple[float, str]:
        """How much `question` is like the nearest of those asked before, in [0,1], and that one."""
        return self.take("nearest", {"question": question}, lambda: self._nearest(question))

    def _nearest(self, question: str) -> tuple[float, str]:
        if self._tools.nearest is not None:
            return self._tools.nearest(question)
        asked = Asked()
        asked.add(self.known)
        return asked.nearest(question)

    def search(self, query: str, k: int) -> list[Passage]:
        """The `k` passages nearest to `query`, with the ranks of their order."""
        return self.take(
            "search",
            {"query": query, "k": k},
            lambda: self._tools.retrieve(query, k),
            dump=lambda passages: dump_ranked(passages, self.trace),
            load=lambda output: load_ranked(output, self.trace),
        )

    def run_code(self, code: str) -> str | None:
        """What a harmless expression of an answer gives (see `loop.running`), recorded."""
        return self.take("run", {"code": code}, lambda: run_expression(code))

    # --- what was learnt from earlier episodes ------------------------------------------------------------------------

    def keep_apart(self, chunks: Iterable[Chunk]) -> None:
        """From now on no example comes from the articles of these chunks: it would give the answer away."""
        self._apart.update((chunk.zim_id, chunk.path) for chunk in chunks)

    def examples(self, use: Use, text: str, *, kind: str = "", near: Iterable[Chunk] = ()) -> tuple[prompts.Shown, ...]:
        """Examples for a prompt, none of the articles that `near` is of; see `Improvement.examples`."""
        apart = self._apart | {(chunk.zim_id, chunk.path) for chunk in near}
        return self.take(
            "examples",
            {"use": use, "kind": kind, "text": text},
            lambda: self._tools.improvement.examples(use, text, kind=kind, apart=apart),
            dump=lambda shown: [list(one) for one in shown],
            load=lambda output: tuple((asked, said) for asked, said in output),
        )

    def variant(self, prompt: Use) -> str:
        """The wording of a prompt in this episode, "" for the usual one."""
        if prompt not in self._wordings:
            rng = random.Random(f"{self.slot.seed}/{self.slot.iteration}/{self.slot.number}/{prompt}")
            self._wordings[prompt] = self.take(
                "variant", {"prompt": prompt}, lambda: self._tools.improvement.variant(prompt, rng)
            )
        return self._wordings[prompt]

    def believed(self, confidence: float) -> float:
        """The probability in [0,1] that an answer is right that the solver is so confident of, by what was learnt."""
        return self.take("believed", {"confidence": confidence}, lambda: self._tools.improvement.believed(confidence))

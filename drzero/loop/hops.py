"""Questions over two articles: one says what the other's subject is, the other holds the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from drzero.loop import facts, prompts
from drzero.loop.drafts import Draft
from drzero.loop.seeds import Seed, find_seeds, stands_alone
from drzero.profiles import ChallengeType
from drzero.text import sentences
from drzero.types import LLM, Chunk

DESCRIPTION_TOKENS = 32
MAX_DESCRIPTION_WORDS = 16
MIN_FROM_SENTENCE = 0.75  # share of a description's content words that its sentence has
_BRACKETS = re.compile(r" \([^)]*\)$")
_BEGINS = re.compile(r"^(?:the|an?|one of the)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hop:
    """`sentence` of `chunk` speaks of `name`, and `seed` is a fact that the article of that name states."""

    chunk: Chunk
    sentence: str
    name: str
    seed: Seed


def find_hops(chunk: Chunk, linked: Sequence[Chunk], kind: ChallengeType, *, language: str = "en") -> Iterator[Hop]:
    """Every way from `chunk` to a fact of a linked chunk whose title one of its sentences names, in order."""
    spoken = [chunk.text[start:end] for start, end in sentences(chunk.text, language)]
    told = [sentence for sentence in spoken if stands_alone(sentence, chunk)]
    for other in linked:
        name = _BRACKETS.sub("", other.title)
        if other.path == chunk.path or name.casefold() in chunk.title.casefold():
            continue
        sentence = next((one for one in told if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", one)), None)
        if sentence is None:
            continue
        for seed in find_seeds(other, kind, language=language):
            if name in seed.sentence and seed.answer not in sentence and name not in seed.answer:
                yield Hop(chunk, sentence, name, seed)
                break


def describe(hop: Hop, llm: LLM, *, random_seed: int = 0) -> str:
    """What the hop's sentence says that its name is, without the name: "the pianist who …"; "" when it fits no gate.

    A description keeps to the words of the sentence and where it stands, and names something that says which one.
    """
    prompt = prompts.describe(prompts.place(hop.chunk), hop.sentence, hop.name)
    written = llm.complete(prompt, grammar=prompts.ONE_LINE, seed=random_seed, max_tokens=DESCRIPTION_TOKENS)
    text = " ".join(written.text.split()).strip(" .\"'")
    around = f"{prompts.place(hop.chunk)} {hop.sentence}"
    own = set(facts.content_stems(hop.name))
    said = facts.content_stems(text)
    if written.finish == "length" or not _BEGINS.match(text) or len(text.split()) > MAX_DESCRIPTION_WORDS:
        return ""
    if own & set(said) or not facts.names(f"… {text}") or facts.cover(text, around) < MIN_FROM_SENTENCE:
        return ""
    return text[0].lower() + text[1:]


def composed(draft: Draft, hop: Hop, description: str) -> Draft | None:
    """The draft of the far article's question with its name said by the description; None when it names it otherwise.

    `draft` asks for the hop's seed by name. Its aspects stay; both chunks are its gold now.
    """
    pattern = re.compile(rf"(?<!\w)(?:the )?{re.escape(hop.name)}(?P<of>['’]s?)?(?!\w)")
    question, replaced = pattern.subn(lambda found: description + ("'s" if found["of"] else ""), draft.question)
    left = set(facts.content_stems(hop.name)) & set(facts.content_stems(question))
    if replaced != 1 or left:
        return None
    return replace(
        draft,
        question=question,
        gold=(hop.chunk, hop.seed.chunk),
        evidence=(hop.sentence, hop.seed.sentence),
    )

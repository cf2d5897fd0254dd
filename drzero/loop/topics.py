"""Whether what was drawn for a topic is about it at all (pure)."""

from __future__ import annotations

from collections.abc import Sequence

from drzero.loop import facts
from drzero.text import words
from drzero.types import Chunk


def topic_note(topic: str, chunks: Sequence[Chunk]) -> str:
    """A sentence for a topic of which none of the chunks nearest to it has a word, "" where one has, or no topic is.

    Meaning may still join them ("physician", "doctor"), so this is a warning and no error.
    """
    wanted = _stems(topic)
    if not topic or any(wanted & _stems(" ".join((one.title, *one.heading, one.text))) for one in chunks):
        return ""
    return (
        f"No passage has a word of the topic “{topic}”: the run asks about those that are nearest to it, which may be "
        "about something else. See what there is with `drzero search`."
    )


def _stems(text: str) -> set[str]:
    """The content words of a text, stemmed; all its words where it has no others."""
    return set(facts.content_stems(text)) or set(words(text))

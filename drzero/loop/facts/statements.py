"""Whether a claim states something of the world at all: no question, nothing about whoever speaks (pure)."""

from __future__ import annotations

import re

from drzero.loop.facts.wording import content_stems, share
from drzero.text import sentences
from drzero.types import Fault

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|(?<!\w)\'[^\']+\'(?!\w)|«[^»]*»')
_QUESTION = re.compile(r"\?[)\"'\s]*$")
_ASKS = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(
    r"\b(?:I|i)(?=\s?'(?:m|ve|d|ll)\b)|(?P<i>(?<![\w.'’-])[Ii](?![\w.'’-]))|\b(?P<me>my|me|mine|myself|we|our|ours|ourselves|let's|"
    r"i'm|i've)\b(?!-)|(?<!the )(?<!The )\bus\b",
    re.IGNORECASE,
)
# "world war i", "Elizabeth I", "type i": a number; "the variable i": a name.
_NUMBERED = re.compile(
    r"\b(?:war|type|part|phase|class|volume|book|elizabeth|james|charles|william|henry|george|i|variable|index|counter"
    r"|unit|subscript|exponent|parameter|number|letter|element|row|column|item|node|bit)\s$",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(if|whether|unless|assuming|supposing)\s([^,;.?!]+)", re.IGNORECASE)
_CONDITIONAL = re.compile(r"\b(?:if|whether|unless|when|assuming|supposing|would)\b", re.IGNORECASE)
_MOST = 0.75  # of the claim's words, in what is no statement
_OPENERS = frozenset(
    "yes yeah no and but so well oh ok okay because that what if when as though while sure then maybe".split()
)


def speaker(text: str) -> str:
    """The first word of `text`, outside quotation marks, by which somebody speaks of themselves; "" without one."""
    text = _QUOTED.sub(" ", text)
    for match in _FIRST_PERSON.finditer(text):
        before = text[: match.start()]
        if match["i"]:
            last = re.search(r"([^\W\d_]+)\s$", before)
            named = (
                last is not None and last[1][0].isupper() and last[1].casefold() not in _OPENERS and last.start() > 0
            )
            if (
                _NUMBERED.search(before)
                or (named and match[0] == "I")
                or re.match(r"\s?[=+*/<>)]", text[match.end() :])
            ):
                continue
        if match[0] in ("US", "ME", "WE", "MY", "Me") or (match[0] == "Us" and before):
            continue
        return match[0]
    return ""


def statement_fault(claim: str, evidence: str) -> Fault | None:
    """A claim that ends as a question does, or that tells of the speaker where the evidence does not.

    The title "Who Wants to Be a Millionaire?" may end a claim where the claim stands in the evidence as it is.
    """
    verbatim = claim.strip() in evidence and not _ASKS.match(claim.strip())
    if _QUESTION.search(_QUOTED.sub(" ", claim)) and not verbatim:
        return Fault("not-a-statement", "The claim asks a question.")
    word = speaker(claim)
    if word and not speaker(evidence) and not re.search(rf"\b{re.escape(word)}\b", evidence, re.IGNORECASE):
        return Fault("first-person", f'The claim speaks of "{word}", and the evidence does not.')
    return None


def unstated_fault(claim: str, evidence: str) -> Fault | None:
    """A claim that the evidence only asks, or only sets as a condition, and states nowhere else as fully.

    A question that begins with a verb asks; one behind which comes "Yes" is answered, and others, "Who invented it?",
    take for granted what they hold.
    """
    said = content_stems(claim)
    if not said or _CONDITIONAL.search(claim) or _QUESTION.search(claim):
        return None
    if "?" in evidence:
        found = [evidence[start:end].strip() for start, end in sentences(evidence)]
        for one, behind in zip(found, [*found[1:], ""], strict=True):
            if one.endswith("?") and _ASKS.match(one) and not re.match(r"yes\b", behind, re.IGNORECASE):
                others = content_stems(" ".join(other for other in found if other != one))
                if share(said, content_stems(one)) >= _MOST > share(said, others):
                    return Fault("not-a-statement", "The evidence asks this, and does not state it.")
    for match in _CONDITION.finditer(evidence):
        if share(said, content_stems(match[2])) < _MOST:
            continue
        if share(said, content_stems(f"{evidence[: match.start()]} {evidence[match.end() :]}")) < _MOST:
            word = match[1].casefold()
            return Fault("not-a-statement", f'The evidence says this only behind "{word}", and does not state it.')
    return None

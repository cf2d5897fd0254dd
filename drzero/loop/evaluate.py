"""Verdict → Evaluation: a profile's weighted scores from checks and the reference, with feedback in words (pure).

All scores lie in [0,1], and an abstention scores 0 in each. Words are compared by stem, function words left out.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from drzero.loop import facts
from drzero.loop.agreement import agreement
from drzero.loop.metrics import clamp
from drzero.profiles import Profile
from drzero.text import sentences, words
from drzero.types import Answer, Challenge, Evaluation, Verdict

GOOD_SENTENCE_WORDS, WORST_SENTENCE_WORDS = 25, 60
_FENCED = re.compile(r"```[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_STRINGS = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"")
_REASON = re.compile(
    r"\b(?:because|due to|owing to|since|so that|in order to|as a result|caused?|causes|led|leads|leading|therefore"
    r"|thus|result(?:s|ed|ing)?|reasons?|to|for|by|when|after|as|so)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Case:
    challenge: Challenge
    answer: Answer
    verdict: Verdict

    @property
    def supported_text(self) -> str:
        """The claims that the verifier found supported; nothing else counts as said."""
        pairs = zip(self.answer.claims, self.verdict.judgements, strict=False)
        return " ".join(claim.text for claim, judgement in pairs if judgement.verdict == "supported")


def evaluate(challenge: Challenge, answer: Answer, verdict: Verdict, profile: Profile) -> Evaluation:
    """Score an answer as `profile` weighs it. The answer's own confidence has no part in it."""
    case = _Case(challenge, answer, verdict)
    silent = answer.abstained or not answer.claims
    scores = tuple((name, 0.0 if silent else clamp(_SCORES[name](case))) for name, _ in profile.weights)
    overall = clamp(sum(weight * score for (_, weight), (_, score) in zip(profile.weights, scores, strict=True)))
    return Evaluation(scores, overall, _abstention(challenge) if silent else _feedback(case, scores))


# --- the parts that scores are made of ------------------------------------------------------------------------------


def support(verdict: Verdict) -> float:
    """Mean over claims of the probability of support, counting 0 where the verdict is not "supported"."""
    if not verdict.judgements:
        return 0.0
    return sum(clamp(j.probability) for j in verdict.judgements if j.verdict == "supported") / len(verdict.judgements)


def missing_aspects(aspects: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The aspects that `text` does not cover: a number of theirs is absent, or most of their content words are."""
    return tuple(
        aspect for aspect in aspects if facts.numbers(aspect) - facts.numbers(text) or facts.cover(aspect, text) < 0.5
    )


def fits_question(question: str, answer: str) -> bool:
    """Whether an answer is of the kind that the question's opening asks for; True where it asks for no kind.

    when, which year: a number or a month; how many, much, long…: a number; who, whose: a capitalised word; why: words
    of reason or purpose. One word may come before: "By whom", "In which year".
    """
    asked = " ".join(words(question))
    if re.search(r"^(?:\w+ )?(?:when|(?:what|which) (?:year|date|month|day|century|decade))\b", asked):
        return bool(facts.numbers(answer)) or any(facts.is_month(word) for word in words(answer))
    if re.search(r"^(?:\w+ )?how (?:many|much|long|far|high|tall|old|large|deep|fast|often)\b", asked):
        return bool(facts.numbers(answer)) or bool({"once", "one", "twice"} & set(words(answer)))
    if re.search(r"^(?:\w+ )?(?:who|whom|whose)\b", asked):
        return any(w[0].isupper() and w.casefold() not in facts.STOP_WORDS for w in re.findall(r"\w+", answer))
    if asked.startswith("why "):
        return bool(_REASON.search(answer))
    return True


def code_pieces(text: str) -> tuple[tuple[str, str], ...]:
    """The code in an answer as (language, code): fenced blocks with their tag, else inline pieces with the tag ""."""
    fenced = tuple((tag.casefold(), code) for tag, code in _FENCED.findall(text))
    return fenced or tuple(("", code) for code in _INLINE.findall(text))


def well_formed(language: str, code: str) -> bool:
    """Whether code could be of its language: Python parses; all else has its brackets in balance outside strings."""
    if language in ("python", "py", "python3"):
        try:
            with warnings.catch_warnings(action="ignore"):
                ast.parse(textwrap.dedent(code))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        return True
    stack: list[str] = []
    for character in _STRINGS.sub("", code):
        if character in "([{":
            stack.append(character)
        elif character in _PAIRS and (not stack or stack.pop() != _PAIRS[character]):
            return False
    return not stack


# --- the scores by name ---------------------------------------------------------------------------------------------


def _accuracy(case: _Case) -> float:
    """accuracy, correctness = support × agreement."""
    return support(case.verdict) * agreement(case.answer.text, case.challenge.answer, case.challenge.question)


def _completeness(case: _Case) -> float:
    """completeness = share of the expected aspects that the supported claims cover.

    Without aspects: the share of the reference's content words that the supported claims have.
    """
    said, aspects = case.supported_text, case.challenge.aspects
    if not said:
        return 0.0
    if aspects:
        return 1 - len(missing_aspects(aspects, said)) / len(aspects)
    return facts.cover(case.challenge.answer, said)


def _relevance(case: _Case) -> float:
    """relevance = ½ · min(1, 2 · share of the question's content words in the answer) + ½ · the kind of answer fits."""
    topic = min(1.0, 2 * facts.cover(case.challenge.question, case.answer.text))
    return 0.5 * topic + 0.5 * fits_question(case.challenge.question, case.answer.text)


def _clarity(case: _Case) -> float:
    """clarity = mean over sentences of 0.7 · length + 0.3 · form, code left out.

    Length is 1 up to 25 words and falls evenly to 0 at 60; form is 1 for a sentence that begins like one (no small
    letter) and ends with . ! ? or : and 0 otherwise. An answer of code alone scores 1.
    """
    prose = _FENCED.sub("", case.answer.text)
    marks = []
    for start, end in sentences(prose):
        sentence = prose[start:end]
        over = len(words(sentence)) - GOOD_SENTENCE_WORDS
        length = 1 - min(1.0, max(0, over) / (WORST_SENTENCE_WORDS - GOOD_SENTENCE_WORDS))
        form = not sentence[0].islower() and sentence.rstrip("\"'”’)`")[-1:] in (".", "!", "?", ":")
        marks.append(0.7 * length + 0.3 * form)
    return sum(marks) / len(marks) if marks else 1.0


def _best_practices(case: _Case) -> float:
    """best practices = share of claims that cite a source × share of the pieces of code that are well formed."""
    claims, pieces = case.answer.claims, code_pieces(case.answer.text)
    cited = sum(bool(claim.citations) for claim in claims) / len(claims)
    sound = sum(well_formed(language, code) for language, code in pieces) / len(pieces) if pieces else 1.0
    return cited * sound


_SCORES: dict[str, Callable[[_Case], float]] = {
    "accuracy": _accuracy,
    "correctness": _accuracy,
    "completeness": _completeness,
    "relevance": _relevance,
    "clarity": _clarity,
    "best_practices": _best_practices,
}


# --- feedback -------------------------------------------------------------------------------------------------------


def _abstention(challenge: Challenge) -> str:
    return f"No answer was given. The archive answers it: {_ended(challenge.answer)}"


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _feedback(case: _Case, scores: tuple[tuple[str, float], ...]) -> str:
    """What is good first, then what to mend, in whole sentences."""
    given = dict(scores)
    said: list[str] = []
    total, judgements = len(case.answer.claims), case.verdict.judgements
    supported = sum(judgement.verdict == "supported" for judgement in judgements)
    if supported == total:
        said.append("The source supports all of it." if total == 1 else f"The sources support all {total} statements.")
    else:
        said.append(f"The sources support {supported} of {total} statements.")
        said += [
            f"Not supported: {_ended(claim.text)}"
            for claim, j in zip(case.answer.claims, judgements, strict=False)
            if j.verdict != "supported"
        ]
    agreed = agreement(case.answer.text, case.challenge.answer, case.challenge.question)
    if agreed < 0.5:
        said.append(f"It does not say what was expected: {_ended(case.challenge.answer)}")
    elif agreed < 0.8:
        said.append(f"It says part of what was expected: {_ended(case.challenge.answer)}")
    if missing := missing_aspects(case.challenge.aspects, case.supported_text):
        said.append(f"It leaves out: {', '.join(missing)}.")
    if "relevance" in given and not fits_question(case.challenge.question, case.answer.text):
        said.append("It is not the kind of answer that the question asks for.")
    if given.get("clarity", 1.0) < 0.7:
        said.append("Write shorter, complete sentences.")
    if any(not well_formed(language, code) for language, code in code_pieces(case.answer.text)):
        said.append("Some of its code is not well formed.")
    if not all(claim.citations for claim in case.answer.claims):
        said.append("Name a source for every statement.")
    return " ".join(said)

"""Gates on a question's wording: it can be understood alone, keeps to its source and does not hold its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drzero.loop import facts, prompts
from drzero.loop.agreement import MIN_AGREEMENT, new_stems
from drzero.loop.drafts import Draft
from drzero.loop.facts.quoting import without_quoted_or_code
from drzero.loop.gates.kinds import CODE_SIGN, kind_fault
from drzero.loop.seeds import unnamed_subject
from drzero.profiles import ChallengeType
from drzero.text import words
from drzero.types import Chunk

MIN_QUESTION_WORDS, MAX_QUESTION_WORDS = 5, 40
MAX_TOLD = 0.5
MIN_FROM_SOURCE = 0.75  # share of the question's content words that title, heading and source sentence have
_LEANS = re.compile(
    r"\b(?:passage|article|sentence|paragraph|excerpt|according to|mentioned|described|stated|listed|above|below"
    r"|following|given|shown here|in question|(?:the|this|its) (?:text|source|author|document|section|list|table))\b",
    re.IGNORECASE,
)
# In documentation these are words of the trade.
_LEANS_IN_CODE = re.compile(
    r"\b(?:passage|article|paragraph|excerpt|according to|mentioned|(?:the|this) (?:text|sentence|document|section)"
    r"|above|below|the following)\b",
    re.IGNORECASE,
)
_UNRESOLVED = re.compile(
    r"\b(?:he|she|it|they|him|them|his|hers|her|its|their|theirs|this|these|those|that (?:\w+)\?|you|your|we|our|my)\b",
    re.IGNORECASE,
)
# Documentation seldom names the language that all of it is about; a question out of it should.
LANGUAGES = (
    "Python",
    "JavaScript",
    "Java",
    "Rust",
    "Go",
    "Ruby",
    "PHP",
    "SQL",
    "HTML",
    "CSS",
    "TypeScript",
    "Kotlin",
    "C",
)
# "When was asphalt first used" asks more than a sentence tells in which it was used.
_SINGLES_OUT = re.compile(
    r"\b(?:first|last|final|original|originally|initial|initially|only|sole|main|mainly|primary|earliest|latest|oldest|newest"
    r"|youngest|largest|biggest|smallest|highest|lowest|longest|shortest|best|worst|most|least|every|always|never|once)\b",
    re.IGNORECASE,
)
_TRADE = frozenset(
    map(facts.stem, "function method module class object argument parameter type value code program called".split())
)
_UNFINISHED = re.compile(r"\b(?:[A-Z]\.|Dr|Mr|Mrs|St|Jr|vs|etc|No|Vol)\.?\?$")
_SPEAKER = re.compile(r"\b(?:you|your|we|us|our|I|my|me)\b")
_ANY_OF_MANY = re.compile(r"\b(?:an|one|some) examples?\b", re.IGNORECASE)  # has more right answers than a source gives
# None of twelve proposals like "What must be true for …" and "What should be done with …" was worth keeping.
_WHAT_TO_DO = re.compile(r"^what (?:should|must|can|could|will|would|may|might)\b", re.IGNORECASE)
_NO_CLASS = (
    "is|are|was|were|does|do|did|has|have|had|two|three|four|five|six|other|else|exactly|happen|happens|happened"
)
_ASKED_FOR = re.compile(
    rf"^(?:(?:[Ii]n|[Oo]n|[Aa]t|[Tt]o|[Ff]rom|[Bb]y|[Ff]or|[Oo]f) )?(?:[Ww]hich|[Ww]hat) (?!(?:{_NO_CLASS})\b)"
    r"(?P<noun>[a-z]+)\b"
)
_ANY_CLASS = (
    frozenset(  # what a name or number in a sentence may be without its saying so
        map(
            facts.stem,
            "year month day date century decade country city town place person name language company state".split(),
        )
    )
    | _TRADE
)
_PASSIVE = re.compile(r"\b(?:was|were|is|are|been)\b.*?\b(?P<verb>\w+(?:ed|en|n|t|ght)) by\b")
_ASKS_SUBJECT = re.compile(
    r"^(?:who|what|which(?: [a-z-]+){1,3}?) (?P<verb>has|had|have|[a-z]+(?:s|ed))\b", re.IGNORECASE
)
_NO_ACTION = frozenset("is was does".split())
_BE = re.compile(r"\b(?:was|were|is|are|been|be|being)(?: \w+ly)? $")


def question_fault(draft: Draft, kind: ChallengeType, *, code: bool = False) -> str:
    """The first gate that refuses the question of a model's draft, "" when none does. `code`: documentation."""
    question = draft.question
    fault = standing_fault(question, draft.gold, code=code)
    if fault == "malformed":
        return fault
    if not kind.opens(question):
        return "wrong-type"
    if fault:
        return fault
    if _WHAT_TO_DO.match(question):
        return "many-answers"
    around = _around(draft)
    if code:
        around = f"{around} {' '.join(LANGUAGES)}"
    if any(roles_swapped(question, sentence) or subject_swapped(question, sentence) for sentence in draft.evidence):
        return "roles-swapped"
    if (draft.span not in draft.evidence and _told(draft)) or not set(new_stems(draft.span, question)):
        return "answer-in-question"
    if facts.missing_numbers(question, around) or facts.missing_names(question, around):
        return "strays-from-source"
    if _from_source(question, around, code=code) < MIN_FROM_SOURCE:
        return "strays-from-source"
    asked_for = _ASKED_FOR.match(question)
    if asked_for and facts.stem(asked_for["noun"].casefold()) not in {*facts.content_stems(around), *_ANY_CLASS}:
        return "strays-from-source"  # "Which book of Pausanias …" of a sentence that has no book in it
    if {word.casefold() for word in _SINGLES_OUT.findall(question)} - set(words(around)):
        return "adds-to-source"
    return kind_fault(draft)


def standing_fault(question: str, gold: Sequence[Chunk], *, code: bool = False) -> str:
    """Why a question, whoever worded it, is malformed or cannot be understood alone; "" when it can.

    What it quotes, titles and code, names something and says nothing itself: a "my" in it is nobody's.
    """
    count = len(words(question))
    own = without_quoted_or_code(question)
    if (
        _UNFINISHED.search(question)
        or not own.endswith("?")
        or own.count("?") != 1
        or not MIN_QUESTION_WORDS <= count <= MAX_QUESTION_WORDS
    ):
        return "malformed"
    if (_LEANS_IN_CODE if code else _LEANS).search(own):
        return "leans-on-passage"
    if _ANY_OF_MANY.search(own):
        return "many-answers"
    pronoun = _UNRESOLVED.search(own)
    if pronoun and (_SPEAKER.fullmatch(pronoun[0]) or not _named_before(question[: pronoun.start()], code=code)):
        return "unresolved-reference"
    if unnamed_subject(question, " ".join(chunk.title for chunk in gold)):
        return "unresolved-reference"
    return "" if any(names_its_subject(question, chunk) for chunk in gold) else "names-no-subject"


def _named_before(text: str, *, code: bool) -> bool:
    return bool(facts.names(text) or (code and (facts.identifiers(text) or facts.content_stems(text))))


def _told(draft: Draft) -> bool:
    """Whether the question has more than half of the answer span's content words."""
    wanted = set(facts.content_stems(draft.span))
    return facts.share(list(wanted), set(facts.content_stems(draft.question))) > MAX_TOLD if wanted else True


def _from_source(question: str, around: str, *, code: bool) -> float:
    """The share of the question's content words that `around` has, in [0,1]; words of the trade do not count."""
    asked = [word for word in facts.content_stems(question) if not (code and word in _TRADE)]
    return facts.share(asked, set(facts.content_stems(around))) if asked else 1.0


def _around(draft: Draft) -> str:
    """What a question may speak of: where its sources stand, and the sources."""
    return " ".join((*(prompts.place(chunk) for chunk in draft.gold), *draft.evidence))


def roles_swapped(question: str, sentence: str) -> bool:
    """Whether the question says "was A replaced by B" where the sentence says "A replaced B"."""
    for passive in _PASSIVE.finditer(question):
        verb = re.search(rf"\b{re.escape(passive['verb'])}\b(?! by\b)", sentence)
        if verb is None or _BE.search(sentence[: verb.start()]):
            continue
        subject = facts.content_stems(question[: passive.start("verb")])
        before = set(facts.content_stems(sentence[: verb.start()]))
        if subject and facts.share(subject, before) >= MIN_AGREEMENT:
            return True
    return False


def subject_swapped(question: str, sentence: str) -> bool:
    """Whether the question asks who does something to N where the sentence says what N does.

    "Which theory has advantages over N?" of "N has advantages over M" asks for M and means N: every name behind the
    question's verb stands before that verb in the sentence, and none behind it.
    """
    asked = _ASKS_SUBJECT.match(question)
    verb = facts.stem(asked["verb"].casefold()) if asked else ""
    if not asked or asked["verb"].casefold() in _NO_ACTION:
        return False
    named = {stem for name in facts.names(question[asked.end() :]) for stem in facts.content_stems(name)}
    places = [match for match in re.finditer(r"\w+", sentence) if facts.stem(match[0].casefold()) == verb]
    if not named or not places:
        return False
    before, behind = (
        set(facts.content_stems(part)) for part in (sentence[: places[0].start()], sentence[places[0].end() :])
    )
    return named <= before and not named <= behind


def names_its_subject(question: str, chunk: Chunk) -> bool:
    """Whether the question can be understood alone: it names something, or uses a word of the article's title.

    The name of a language is not enough. In documentation the subject is often a heading that is a code name, such as
    `json.dumps`, or a piece of code.
    """
    code = [heading for heading in chunk.heading[-1:] if facts.identifiers(heading)]
    subject = set(facts.content_stems(" ".join((chunk.title, *code))))
    named = set(facts.names(question)) - set(LANGUAGES)
    return bool(
        named
        or facts.identifiers(question)
        or CODE_SIGN.search(question)
        or subject & set(facts.content_stems(question))
    )

"""Where a challenge starts: a sentence that stands on its own, and the span in it that will be the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drzero.loop.facts import STOP_WORDS, content_stems, names
from drzero.loop.stated.documentation import VERBS
from drzero.profiles import ChallengeType
from drzero.text import Span, sentences
from drzero.types import Chunk

_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_YEAR = r"(?:1\d{3}|20\d{2})"
_DATE = re.compile(
    rf"\b(?:from {_YEAR} (?:to|until) {_YEAR}|between {_YEAR} and {_YEAR}|{_MONTH} \d{{1,2}}, {_YEAR}"
    rf"|\d{{1,2}} {_MONTH},? {_YEAR}|{_MONTH},? {_YEAR}|{_YEAR}[–-](?:\d{{4}}|\d{{2}})|{_YEAR})\b(?!s)"
)
# A date behind one of these bounds an event or dates the writing; asked "when", it gives a wrong answer.
_LOOSE_DATE = re.compile(
    r"(?:\b(?:as of|by|until|till|before|after|about|around|circa|since|from|between|to|into|and|or|early|late|mid"
    r"|(?:end|beginning|start|middle|close) of|(?:starting|beginning|early as)(?: in)?)|c\.|[–-])\s*$",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:after|before|until|since|later|earlier|previously|when|while)\b", re.IGNORECASE)
_QUANTITY = re.compile(
    r"(?<![\w.,–-])(?:(?:about|over|nearly|approximately|some|more than|at least|up to) )?[$€£]?\d[\d,]*(?:\.\d+)?"
    r"(?: (?:hundred|thousand|million|billion|trillion))?(?: ?%| percent)?(?: [a-z][\w-]+){0,2}"
)
_NAME_SPAN = re.compile(
    r"(?:\d+(?:st|nd|rd|th) )?[A-Z][\w'’&.-]*(?:(?: (?:of|the|de|von|van|and|for|in|la|du|&))*(?: [A-Z0-9][\w'’&.-]*))*"
)
_NUMBER_WORD = re.compile(r"(?:hundred|thousand|million|billion|trillion|percent)s?", re.IGNORECASE)
_NAME_BEFORE = re.compile(
    r"(?:[A-Z][\w.'’-]*|\b(?:[Nn]o|[Vv]ersion|[Pp]art|[Cc]hapter|[Ss]ection|[Bb]ook|[Pp]age))\.? $"
)
_CAUSE = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|as a result of|thanks to|so that|in order to|since)\b", re.IGNORECASE
)
_PARTIAL_CAUSE = re.compile(
    r"\b(?:part of the reason|part(?:ly|ially)|in part|perhaps|possibly|probably|not(?: only| just| simply)?"
    r"|mainly|largely|either|just|simply|only)\s+(?:\w+ ){0,2}$|\b(?:[Pp]art of|[Oo]ne of) the reasons?\b",
    re.IGNORECASE,
)
# "… because of his ideas and took action": what follows is another thing that was done.
_GOES_ON = re.compile(
    r" (?:and|but) (?:(?:then|so|also) )?(?:\w+ed|took|made|gave|went|came|became|began|left|led|won|lost|held)\b"
)
_DEFINITION = re.compile(
    r"^(?P<subject>[^,;()]{2,60}?(?: \([^)]*\))?),? (?:is|are|was|were) (?P<rest>(?:an?|the|one of) .+)$"
)
_DANGLING_START = frozenset(
    "he she it they this these that those his her hers its their theirs such another both others however "
    "therefore thus hence instead moreover furthermore also but and or so then there here we you i our my one"
    " some many most all each additionally meanwhile afterwards later finally consequently nevertheless "
    "nonetheless otherwise similarly likewise again yet still besides which who whose where when while if "
    "although though because since after before during should had were as".split()
)
_DANGLING = re.compile(
    r"^The (?:first|second|third|last|next|other|others) (?:was|is|were|are|one|two)\b"
    r"|\b(?:the (?:former|latter|following|above|previous|same|said|example)|as follows|see (?:also|above|below)"
    r"|[Tt]he following|above|below|aforementioned|this|these|those|such an?|here|we|you|your|our|us|I|my)\b",
)
# True when it was written, and perhaps no longer.
_PASSING = re.compile(
    r"\b(?:currently|at present|presently|recently|nowadays|today|upcoming|in the coming|plans? to|plan(?:ned|ning) to"
    r"|(?:is|are) (?:expected|scheduled|due|planned|projected) to|will|to date|so far|as of)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs)\b", re.IGNORECASE)
# "the song" says nothing where the sentence does not say which.
_GENERIC = re.compile(
    r"\b[Tt]he (?:song|track|single|album|record|recording|film|movie|book|novel|poem|play|opera|show|series|episode"
    r"|season|band|group|team|club|company|firm|city|town|village|country|state|province|region|area|island|river|lake|mountain"
    r"|building|church|castle|bridge|war|battle|treaty|party|government|event|festival|ceremony|project|programme|program"
    r"|mission|crew|author|artist|actor|actress|singer|musician|president|king|queen|emperor|character|game|species"
    r"|writer|family|couple|two|three|pair|men|women|remaining|rest|majority|study|report|article|list|table)\b"
    r"(?! (?:[A-Z\"“'‘]|of [A-Z]|called|named|titled|entitled))"
)
# Every country has one: "the Ministry of Education" says nothing where no title says whose.
_INSTITUTION = re.compile(
    r"\b[Tt]he (?:(?:[A-Z]\w+ )?(?:Ministry|Minister|Department|Secretary|Bureau|Office)"
    r"(?: of(?: the)? [A-Z]\w+(?: and [A-Z]\w+)?)?"
    r"|(?:Federal |National |State )?(?:Parliament|Senate|Congress|Constitution|Assembly|Cabinet|Government|Legislature"
    r"|Army|Navy|Air Force|Police|Guard|Council)|(?:Supreme|High|Constitutional|Federal) Court|House of \w+"
    r"|Prime Minister|Vice President|President|Chancellor|Governor|Emperor|King|Queen|Pope|Church|Crown|Republic|Union"
    r"|Union Army|Civil War|Great War|Revolution)\b(?! (?:[A-Z]|of (?:the )?[A-Z]))"
)
# Rows and list items that end like sentences: "1978: …", "2008 – …", "Year: 2004; …".
_ITEM = re.compile(
    r"^(?:\d[\d–-]*(?::| [–—-])|[A-Z][\w .]*\(\d{4}\) (?:[–—-]|on\b)|[A-Z][\w .'’]{1,40} [–—] "
    r"|[^:;.]{1,40}: [^;]+; [^:;]{1,40}: )"
)
_LABELLED = re.compile(r"^[A-Z]\w+: ")
# "The case was dismissed" begins with what an earlier sentence spoke of.
_SPOKEN_OF = re.compile(
    r"^The (?P<noun>[a-z]\w+) (?:is|are|was|were|has|had|have|did|does|do|can|could|would|may|might|also|then)\b"
)
_UNFINISHED = re.compile(r"(?:\b[A-Z]|\b(?:Dr|Mr|Mrs|Ms|St|Jr|Sr|vs|etc|No|Vol|ed|pp?|cf|approx))\.$")
# Under these a reader is told what to do; what stands there is no statement.
_TASK = re.compile(r"(?:instructions?|hints?|tests?|exercises?|assignments?|homework|tasks?|seed code)", re.IGNORECASE)
# Under these people do things in a story that the sentence does not speak of.
_STORY = re.compile(r"(?:plot|plot summary|synopsis|story(?:line)?|summary|characters?|in fiction)", re.IGNORECASE)
# Documentation speaks to its reader, but not of the reader's own task or of what stands elsewhere on the page.
_TO_READER = re.compile(
    r"\b(?:your|my|our|us|we|imagine|suppose|above|below|here|this (?:task|challenge|lesson|exercise|case|way|means)"
    r"|the (?:following|previous|above|example|latter|former)|for (?:this|example))\b"
    r"|^(?:the (?:same|first|second)|as such)\b",
    re.IGNORECASE,
)
_OF_CALLS = ("implementation", "debugging")  # the types that ask what a call does, returns or raises
_INSTRUCTS = re.compile(rf"(?:{'|'.join(sorted(VERBS | {'return', 'returns'}))})\b", re.IGNORECASE)
MIN_WORDS, MAX_WORDS = 8, 40


@dataclass(frozen=True, slots=True)
class Seed:
    """A source sentence, at `[start, end)` of the article's text, and its answer. `merit` ranks them."""

    chunk: Chunk
    sentence: str
    start: int
    end: int
    answer: str
    merit: float


def find_seeds(chunk: Chunk, kind: ChallengeType, *, language: str = "en", docs: bool = False) -> list[Seed]:
    """The seeds that `chunk` offers for a challenge type, best first; none when no sentence suits or it is no evidence.

    `docs` relaxes what prose needs for documentation, where the subject often stands only in title and heading.
    """
    found = []
    unsuited = any(_TASK.fullmatch(heading) or _STORY.fullmatch(heading) for heading in chunk.heading)
    for start, end in () if chunk.mark or unsuited else sentences(chunk.text, language):
        sentence = chunk.text[start:end]
        if chunk.text.count('"', 0, start) % 2 or chunk.text.count("“", 0, start) > chunk.text.count("”", 0, start):
            continue  # somebody is quoted
        if chunk.text.count("```", 0, start) % 2:
            continue  # a comment of an example
        if docs and kind.name not in _OF_CALLS and _INSTRUCTS.match(sentence):
            continue  # "Get a string that …" tells what a call does, and states nothing of what it speaks of
        if not chunk.text[end : end + 1].isspace() and end < len(chunk.text):
            continue  # cut within a code name: "inherit from typing" of "typing.Generic"
        if not stands_alone(sentence, chunk, docs=docs) or not kind.suits(sentence):
            continue
        for answer, merit in _answers(sentence, chunk, kind):
            found.append(Seed(chunk, sentence, chunk.start + start, chunk.start + end, answer, merit))
    return sorted(found, key=lambda seed: (-seed.merit, seed.start))


def stands_alone(sentence: str, chunk: Chunk, *, docs: bool = False) -> bool:
    """Whether a sentence can be understood without those around it, as far as its words tell."""
    tokens = sentence.split()
    if not MIN_WORDS - 2 * docs <= len(tokens) <= MAX_WORDS or sentence[-1] not in ".!" or _UNFINISHED.search(sentence):
        return False
    first = tokens[0].strip("\"'“‘(,").casefold()
    if not (sentence[0].isupper() or sentence[0].isdigit() or docs) or first in _DANGLING_START:
        return False
    if " | " in sentence or sentence.count('"') % 2 or sentence.count("(") != sentence.count(")") or "→" in sentence:
        return False
    if (_TO_READER if docs else _DANGLING).search(sentence) or (not docs and _PASSING.search(sentence)):
        return False
    pronoun = _PRONOUN.search(sentence)
    if pronoun and not names(sentence[: pronoun.start()]) and not docs:
        return False
    title = set(content_stems(chunk.title))
    if _ITEM.match(sentence) or (not docs and (_LABELLED.match(sentence) or unnamed_subject(sentence, chunk.title))):
        return False
    spoken_of = _SPOKEN_OF.match(sentence)
    if spoken_of and not docs and not title & set(content_stems(spoken_of["noun"])):
        return False
    return docs or bool(names(sentence)) or bool(title & set(content_stems(sentence)))


def unnamed_subject(text: str, title: str) -> bool:
    """Whether `text` speaks of "the song", "the Senate" or the like without a word of the title to say which."""
    named = set(content_stems(title.partition(" (")[0]))
    return any(
        not named & set(content_stems(text[: found.start()] + text[found.end() :]))
        for pattern in (_GENERIC, _INSTITUTION)
        for found in pattern.finditer(text)
    )


def _answers(sentence: str, chunk: Chunk, kind: ChallengeType) -> list[tuple[str, float]]:
    """Answer spans of `sentence` fit for the type, each with a merit: shorter, plainer sentences are safer."""
    plain = 1.0 - len(sentence.split()) / 60 - 0.1 * sentence.count(",") - 0.1 * sentence.count("(")
    finders: dict[str, Callable[[str, Chunk], list[tuple[str, float]]]] = {
        "temporal": _dates,
        "causal": _causes,
        "factual": _facts,
        "conceptual": _definitions,
    }
    return [(text, plain + bonus) for text, bonus in finders.get(kind.name, _statements)(sentence, chunk)]


def _dates(sentence: str, _: Chunk) -> list[tuple[str, float]]:
    dates = list(_DATE.finditer(sentence))
    if len(dates) != 1:
        return []  # with two dates in a sentence a small model takes the wrong one
    before = sentence[: dates[0].start()]
    if _LOOSE_DATE.search(before) or _RELATIVE.search(sentence) or before.endswith("("):
        return []
    return [(dates[0][0], 0.2)]


def _causes(sentence: str, _: Chunk) -> list[tuple[str, float]]:
    causes = list(_CAUSE.finditer(sentence))
    if len(causes) != 1:
        return []  # of two reasons it is not clear what each is the reason for
    match = causes[0]
    if match.start() < 15 or (match[0].casefold() == "since" and _DATE.search(sentence)):
        return []
    if _PARTIAL_CAUSE.search(sentence[: match.start()]):
        return []  # asked "why", it gives one reason of several, or none
    reason = re.split(r"[;,](?! \d)", sentence[match.start() :])[0].rstrip(" .!")
    if len(reason.split()) < 4 or _GOES_ON.search(reason):
        return []
    return [(reason, 0.2)]


def _facts(sentence: str, chunk: Chunk) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    title = set(content_stems(chunk.title))
    dates = [match.span() for match in _DATE.finditer(sentence)]
    quantities = [
        match
        for match in _QUANTITY.finditer(sentence)
        if not _overlaps(match.span(), dates) and not _NAME_BEFORE.search(sentence[: match.start()])
    ]
    if len(quantities) == 1 and len(quantities[0][0].split()) > 1:
        found.append((_trimmed(quantities[0][0]), 0.15))
    for match in _NAME_SPAN.finditer(sentence):
        text = match[0].rstrip(".,'’")
        if _NUMBER_WORD.fullmatch(text):
            continue
        stems = set(content_stems(text))
        if (
            match.start() == 0
            or sentence[match.start() - 1] in "-–"
            or not stems
            or stems & title
            or _overlaps(match.span(), dates)
            or not text[1:]
        ):
            continue
        if stems <= set(content_stems(sentence[: match.start()])):
            continue
        found.append((text, 0.1 if " " in text else 0.0))
    return [*found, *_defined(sentence)]


def _definitions(sentence: str, chunk: Chunk) -> list[tuple[str, float]]:
    return _defined(sentence) or _statements(sentence, chunk)


def _defined(sentence: str) -> list[tuple[str, float]]:
    """What something is said to be, up to a comma, where the sentence begins with its name."""
    definition = _DEFINITION.match(sentence)
    if definition is None or _PRONOUN.search(sentence):
        return []
    rest = re.split(r"[;,]", definition["rest"])[0].rstrip(" .")
    return [(rest, 0.05)] if len(rest.split()) >= 3 else []


def tries_of(seeds: Sequence[Seed], most: int = 2) -> list[Seed]:
    """The best of a chunk's seeds and then others of its sentence: another span costs less than another chunk.

    A sentence with a single span comes back `most` times, for the writer to word its question otherwise.
    """
    alike = [seed for seed in seeds if (seed.start, seed.end) == (seeds[0].start, seeds[0].end)]
    return (alike + alike[:1] * most)[:most]


def _statements(sentence: str, _: Chunk) -> list[tuple[str, float]]:
    """No span to point at: the whole sentence answers."""
    return [(sentence, 0.0)]


def _overlaps(span: Span, others: list[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _trimmed(text: str) -> str:
    """`text` without function words at its end."""
    tokens = text.split()
    while len(tokens) > 1 and tokens[-1].casefold() in STOP_WORDS:
        tokens.pop()
    return " ".join(tokens)

"""Whether an answer says what the reference says: by words, numbers, names, choices and denials (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drzero.loop import facts
from drzero.loop.choices import asks_yes_or_no, chosen, options, says_yes
from drzero.loop.dress import tokens
from drzero.loop.facts.dates import read_dates
from drzero.loop.facts.denials import denied_words, negations
from drzero.loop.facts.identifiers import stands_in
from drzero.loop.facts.names import read_names
from drzero.loop.facts.numbers import read_numbers
from drzero.loop.facts.polarity import negation_fault
from drzero.loop.facts.quantities import number_fault
from drzero.loop.facts.wording import plain
from drzero.loop.verbs import finite_verbs, plain_words
from drzero.text import storable, words

MIN_AGREEMENT = 0.6  # an answer that agrees so far says what the reference says
WHOLE_WORDS = 3  # a thing of so few words must be in an answer whole
MAX_FRAGMENT_WORDS = 12
_ASKS_YEAR = re.compile(
    r"\b(?:what|which) year\b|\byear (?:was|did|is|were|has|had|saw|marks?|marked)\b", re.IGNORECASE
)
_ASKS_PERSON = re.compile(r"^(?:\w+ )?(?:who|whom|whose)\b", re.IGNORECASE)
_LISTING = re.compile(r",\s(?:and\s|or\s)?|;\s|\s(?:and|or|&)\s")
_FIGURE = re.compile(r"-?\d")
_EITHER = re.compile(r"(\S+(?: \S+)?),? or (?:(?:in|on|about) )?(\S+(?: \S+)?)")
_MIXED = re.compile(r"(?<!\w)[^\W\d_][\w-]*\d[\w-]*(?!\w)")  # letters and figures: "sha256", "MPEG-2"


def new_stems(answer: str, question: str) -> list[str]:
    """Content stems that an answer adds to its question."""
    asked = set(facts.content_stems(question))
    return [word for word in facts.content_stems(answer) if word not in asked]


def agrees(answer: str, reference: str, question: str, aspects: Sequence[str] = ()) -> bool:
    """Whether an answer says what the reference adds to the question: its `agreement` is at least `MIN_AGREEMENT`.

    Always False when the reference adds nothing to the question and chooses nothing.
    """
    return agreement(answer, reference, question, aspects) >= MIN_AGREEMENT


def agreement(answer: str, reference: str, question: str, aspects: Sequence[str] = ()) -> float:
    """How far an answer says what the reference adds to the question, in [0,1].

    Where the question asks for a choice, or for yes or no: 1 when both choose alike, else 0. 0 too when one denies what
    the other says, or the answer puts another number in the place of one. Otherwise the share of what is wanted that
    the answer has, halved when something is missing that must be there. Wanted are the `aspects`; without them the
    things that a short reference lists, or the words and numbers that a reference of a whole sentence adds to the
    question. All must be there but words of whole sentences. Halved again when the answer leaves open which number it
    is.
    """
    answer, reference, question = (storable(text) for text in (answer, reference, question))
    if not words(answer) or not words(reference):
        return 0.0
    choice = _same_choice(answer, reference, question, aspects)
    if choice is not None:
        return float(choice)
    if _denied(answer, reference, question) or _misstates(answer, reference, question):
        return 0.0
    things = [aspect for aspect in aspects if tokens(aspect)] or (aspects if len(aspects) > 1 else ())  # The Who
    wanted = unasked(things or _listed(reference), question)
    if things and not wanted and set(tokens(reference)) <= set(tokens(question)):
        wanted = tuple(things)  # all that there is to say
    if wanted:
        given = () if things else tokens(question)  # of a short reference only what it adds need be said
        missing = _missing(wanted, answer, reference, question, given)
        share = 1 - len(missing) / len(wanted)
        share = share / 2 if missing else share
    else:
        share = _share_of_new(answer, reference, question)
    return share / 2 if _leaves_open(answer, reference) else share


def _share_of_new(answer: str, reference: str, question: str) -> float:
    """The share of the words and numbers that a whole sentence adds to the question; halved for a number not told."""
    asked, have = set(tokens(question)), set(tokens(answer))
    new = [token for token in tokens(reference) if token not in asked]
    figures = [token for token in new if _FIGURE.match(token)]
    plainly = _words_but_units(reference)
    worded = [token for token in new if token in plainly]
    if not figures and not worded:
        return 0.0
    fault = number_fault(plain(reference), f"{plain(answer)} {plain(question)}") if figures else None
    told = fault is None or (have.issuperset(figures) and fault.verdict != "contradicted")  # the unit may be left out
    had = sum(token in have for token in worded) + (len(figures) if told else sum(token in have for token in figures))
    share = had / (len(worded) + len(figures))
    return share if told else share / 2


def missing_aspects(aspects: Sequence[str], text: str, *, reference: str = "", question: str = "") -> tuple[str, ...]:
    """The aspects that `text` lacks; it has a name or number whole, in whatever dress, and most words of a longer one.

    A name has another dress in its family name, where the question asks who, and in an abbreviation. It is read in the
    `reference`, so that "Manning" may stand for the aspects "Peyton" and "Manning". Where the question asks for the
    year, day and month are not missed.
    """
    return _missing(aspects, text, reference, question, ())


def _missing(aspects: Sequence[str], text: str, reference: str, question: str, given: Sequence[str]) -> tuple[str, ...]:
    have = frozenset(tokens(text))
    only_year = bool(_ASKS_YEAR.search(question))
    missing = [aspect for aspect in aspects if not _has(text, have, _as_stated(aspect, reference), given)]
    if only_year and any(re.fullmatch(r"\d{3,4}", token) for aspect in aspects for token in tokens(aspect)):
        missing = [aspect for aspect in missing if not _is_day_or_month(aspect)]
    person = bool(_ASKS_PERSON.search(question))
    return tuple(aspect for aspect in missing if not _in_part(aspect, text, reference or aspect, person=person))


def _as_stated(aspect: str, reference: str) -> str:
    """A bare figure as what it belongs to in the reference: "5 km", "1990s", "MPEG-2"; anything else as it is."""
    if not re.fullmatch(r"\d[\d.,]*", aspect):
        return aspect
    stated = plain(reference)
    alone = re.compile(rf"(?<!\d){re.escape(aspect)}(?!\d)")
    dated = {at for date in read_dates(stated) for at in range(date.start, date.end)}
    numbers = [number for number in read_numbers(stated) if number.start not in dated]
    told = [stated[number.start : number.end] for number in numbers]
    lettered = [] if re.search(rf"(?<![\w.,-]){re.escape(aspect)}(?![\w-])", stated) else _MIXED.findall(stated)
    return next((one for one in (*lettered, *told) if alone.search(one)), aspect)


def _has(text: str, have: frozenset[str], aspect: str, given: Sequence[str]) -> bool:
    if facts.is_month(aspect):
        return aspect.casefold() in have
    code = aspect.removesuffix("()")
    if facts.identifiers(aspect) == {code}:
        return stands_in(code, text)
    if _MIXED.fullmatch(aspect):
        return stands_in(aspect.casefold(), plain(text).casefold())
    wanted = tokens(aspect)
    if not wanted:  # stop words alone, such as the band The The
        return {facts.stem(word) for word in words(aspect)} <= {facts.stem(word) for word in words(text)}
    figures = {token for token in wanted if _FIGURE.match(token)}
    if figures and read_numbers(plain(aspect)):
        fault = number_fault(plain(aspect), plain(text))
        if fault is None or (figures <= have and fault.verdict != "contradicted"):  # the unit may be left out
            wanted = tuple(_words_but_units(aspect))
    wanted = tuple(token for token in wanted if token not in given)
    if len(words(aspect)) > WHOLE_WORDS and wanted:
        lacking = [token for token in wanted if token not in have]
        return facts.share(wanted, have) >= MIN_AGREEMENT and not any(_FIGURE.match(token) for token in lacking)
    return have.issuperset(wanted)


def _words_but_units(aspect: str) -> set[str]:
    """The tokens of an aspect that belong to no number."""
    text = plain(aspect)
    for number in reversed(read_numbers(text)):
        text = f"{text[: number.start]} {text[number.end :]}"
    return {token for token in tokens(text) if not token[0].isdigit()}


def _is_day_or_month(aspect: str) -> bool:
    return all(facts.is_month(token) or re.fullmatch(r"\d{1,2}", token) for token in tokens(aspect))


def _in_part(aspect: str, text: str, reference: str, *, person: bool) -> bool:
    """Whether a text names in part, or abbreviates, the name that the aspect belongs to in the reference."""
    told = set(words(aspect))
    if any(_FIGURE.match(token) for token in tokens(aspect)):
        return False
    for name in read_names(f"… {reference}"):
        own = [word for full in name.words for word in words(full)]
        if len(own) < 2 or not told <= set(own) or not told:
            continue
        rest = facts.missing_names(f"… {name}", f"… {text}")
        last = set(words(text)) & set(own) == {own[-1]}
        if not rest and (person or not last):
            return True
    return False


def unasked(things: Sequence[str], question: str) -> tuple[str, ...]:
    """The things of which the question itself does not have every word."""
    asked = set(tokens(question))
    return tuple(thing for thing in things if not tokens(thing) or not asked.issuperset(tokens(thing)))


def _listed(reference: str) -> tuple[str, ...]:
    """The things that a reference without a verb lists, one thing as well; () for a sentence."""
    if not _is_fragment(reference):
        return ()
    things = [piece.strip(" .") for piece in _LISTING.split(reference)]
    return tuple(thing for thing in things if tokens(thing)) or (reference.strip(" ."),)


def _same_choice(answer: str, reference: str, question: str, aspects: Sequence[str]) -> bool | None:
    """Whether answer and reference choose alike where the question asks for a choice; None where it cannot be told.

    Aspects that name one of the choices tell which is meant.
    """
    if named := options(question):
        meant = chosen(", ".join(aspects), named, question) if aspects else ""
        ours, theirs = chosen(answer, named, question), meant or chosen(reference, named, question)
        return ours == theirs if ours and theirs else None
    if asks_yes_or_no(question):
        ours_yes, theirs_yes = (says_yes(text, question) for text in (answer, reference))
        return None if ours_yes is None or theirs_yes is None else ours_yes == theirs_yes
    return None


def _denied(answer: str, reference: str, question: str) -> bool:
    """Whether one of the two denies what the other says, of words that both have.

    A few words without a verb say what they say of what was asked: a sentence beside them denies that when it denies
    words of the question together with theirs; nothing counts where the question denies.
    """
    answer, reference = plain(answer), plain(reference)
    if _is_fragment(answer) == _is_fragment(reference):
        found = (negation_fault(one, two) for one, two in ((answer, reference), (reference, answer)))
        return any(fault is not None for fault in found)
    few, sentence = (answer, reference) if _is_fragment(answer) else (reference, answer)
    if negations(question) or negations(few):
        return False
    told, asked = set(facts.content_stems(few)), set(facts.content_stems(question))
    return any(told.intersection(one) and asked.intersection(one) for one in denied_words(sentence))


def _misstates(answer: str, reference: str, question: str) -> bool:
    """Whether an answer puts another number where reference or question has one; more beside theirs may stand."""
    answer, reference, question = plain(answer), plain(reference), plain(question)
    if number_fault(reference, answer) is None and number_fault(question, answer) is None:
        return False
    fault = number_fault(answer, f"{question} {reference}")
    return fault is not None and fault.verdict == "contradicted"


def _leaves_open(answer: str, reference: str) -> bool:
    """Whether an answer gives a choice of two numbers, "1931 or 1932", of which the reference has but one."""
    stated = set(tokens(reference))
    for match in _EITHER.finditer(plain(answer)):
        sides = [{token for token in tokens(side) if _FIGURE.match(token)} for side in match.groups()]
        if all(sides) and sum(side <= stated for side in sides) == 1:
            return True
    return False


def _is_fragment(text: str) -> bool:
    return len(words(text)) <= MAX_FRAGMENT_WORDS and not finite_verbs(plain_words(text))

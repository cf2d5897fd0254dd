"""What kind of answer a question asks for, and whether an answer is of that kind (pure)."""

from __future__ import annotations

import re

from drzero.loop import facts
from drzero.loop.choices import BOTH, asks_yes_or_no, chosen, options, says_yes
from drzero.loop.dress import tokens
from drzero.loop.facts.dates import WEEKDAYS
from drzero.loop.verbs import finite_verbs, plain_words
from drzero.text import storable, words

# Kinds in the order in which they are looked for, with the words of a question that ask for them. Prepositions may come
# before: "By whom", "In which year", "For how many years".
_LED = (
    r"^(?:(?:about|after|among|around|at|before|between|by|during|exactly|for|from|in|into|of|on|since|through|to|under"
    r"|until|up|with|within|approximately|roughly|and) ){0,2}"
)
_VERB = "(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may|might|exactly)"
_ASKS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("time", rf"{_LED}when {_VERB}\b"),
        ("time", rf"{_LED}(?:what|which) (?:exact )?(?:year|date|month|day|weekday|century|decade|season|era)\b"),
        ("time", r"^(?:at )?what time\b"),
        ("frequency", rf"{_LED}how (?:often|frequently)\b"),
        (
            "quantity",
            rf"{_LED}how (?:many|much|long|far|high|tall|old|large|big|deep|wide|fast|heavy|hot|cold|strong)\b"
            r"|^what (?:is|was|are|were) the (?:\w+ )?(?:number|percentage|proportion|population|height|length|depth"
            r"|width|area|weight|speed|age|distance|temperature|price|cost|salary|score) of\b"
            rf"|{_LED}(?:what|which) (?:percentage|proportion|share|fraction|number|amount)\b",
        ),
        ("person", rf"{_LED}(?:who|whom|whose)\b"),
        (
            "reason",
            rf"{_LED}why\b|^for (?:what|which) (?:reason|purpose)\b"
            r"|^what (?:is|are|was|were) the (?:\w+ )?(?:reason|purpose)s?\b",
        ),
        ("place", rf"{_LED}where\b"),
        (
            "name",
            rf"{_LED}(?:what|which) (?:country|city|town|village|state|province|county|continent|island|ocean|sea|river"
            r"|mountain|planet|capital|company|band|album|film|song|book|novel|newspaper|university|person|author|writer"
            r"|composer|singer|actor|actress|director|scientist|king|queen|president|emperor|pope|politician)\b",
        ),
    )
)  # fmt: skip
_REASON = re.compile(
    r"\b(?:because|due to|owing to|since|so that|in order to|as a result|caused?|causes|led|leads|leading|therefore"
    r"|thus|result(?:s|ed|ing)?|reasons?|to|for|by|when|after|as|so|of)\b",
    re.IGNORECASE,
)
_OCCASION = re.compile(
    r"\b(?:when(?:ever)?|if|while|during|before|after|until|once|as soon as|as long as|unless|upon|every|each|always"
    r"|never|at the (?:age|time|end|start|beginning)|(?:century|centuries|decade|spring|summer|autumn|winter|morning"
    r"|evening|night|noon|midnight|christmas|easter|today|now|yesterday|tomorrow|ago|age|era|period|dynasty|reign|war))\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"\b(?:once|twice|thrice|every|each|per|an?|daily|weekly|monthly|yearly|annually|hourly|never|always|rarely|seldom"
    r"|usually|often|sometimes|times)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?:once|one|twice|half|none|no|both|all|zero|single|double|thirds?|quarters?|fifths?|dozens?|hundreds|thousands|millions)\b",
    re.I,
)
_PLACED = re.compile(
    r"\b(?:in|inside|on|at|near|under|above|below|beneath|outside|between|behind|beside|within|along|around|across|by|from"
    r"|to|into|through|over|next|throughout|off|against|among|before|after|everywhere|nowhere|here)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:until|till|since|several|few|forever|lifelong|throughout|indefinitely|briefly)\b", re.IGNORECASE
)
_FEW_WORDS = 8
_MISSING = {
    "time": "The question asks when, and the answer gives no time.",
    "frequency": "The question asks how often, and the answer does not say it.",
    "quantity": "The question asks for an amount, and the answer gives no number.",
    "person": "The question asks who, and the answer names nobody.",
    "reason": "The question asks why, and the answer gives no reason.",
    "place": "The question asks where, and the answer gives no place.",
    "name": "The question asks for a name, and the answer gives none.",
    "choice": "The question asks which of them, and the answer does not choose.",
    "yes or no": "The question asks for yes or no, and the answer says neither.",
    "fact": "The answer says no more than the question.",
}


def kind_asked(question: str) -> str:
    """What a question asks for: time, frequency, quantity, person, reason, place, name, choice, yes or no, or fact."""
    asked = " ".join(words(question))
    if options(question):
        return "choice"
    if asks_yes_or_no(question):
        return "yes or no"
    return next((kind for kind, pattern in _ASKS if pattern.search(asked)), "fact")


def fits_question(question: str, answer: str) -> bool:
    """Whether an answer is of the kind that the question asks for.

    time: a number, month, weekday or occasion; frequency, quantity: a number or a word for one; person, name: a
    capitalised word; reason: words of reason or purpose; place: a capitalised word or one of place; choice: one of the
    things named, or both; yes or no: either, in words or by what is stated; fact: a word that the question has not.
    """
    return _FITS[kind_asked(question)](question, storable(answer))


def kind_missed(question: str, answer: str) -> str:
    """What an answer lacks of the kind that its question asks for, as a sentence; "" when it fits."""
    return "" if fits_question(question, answer) else _MISSING[kind_asked(question)]


def _adds(question: str, answer: str) -> bool:
    return bool(set(tokens(answer)) - set(tokens(question)))


def _few(question: str, answer: str) -> bool:
    """Whether an answer is a few words without a verb that say something new; their kind does not show in them."""
    return len(words(answer)) <= _FEW_WORDS and not finite_verbs(plain_words(answer)) and _adds(question, answer)


def _number(answer: str) -> bool:
    return any(token.lstrip("-")[0].isdigit() for token in tokens(answer) if token.lstrip("-"))


def _capital(question: str, answer: str) -> bool:
    asked = set(words(question))
    capitals = [
        word
        for word in re.findall(r"[^\W\d_]+", answer)
        if word[0].isupper() and word.casefold() not in facts.STOP_WORDS
    ]
    return any(word.casefold() not in asked for word in capitals) or (bool(capitals) and not _adds(question, answer))


def _time(question: str, answer: str) -> bool:
    asked = set(words(question))
    fresh = " ".join(word for word in words(answer) if word not in asked or word in ("when", "if"))
    dated = any(facts.is_month(word) or word.rstrip("s") in WEEKDAYS for word in words(answer))
    year = re.search(r"\b(?:what|which) year\b", " ".join(words(question)))
    return _number(answer) or (not year and (dated or bool(_OCCASION.search(fresh))))


def _choice(question: str, answer: str) -> bool:
    named = options(question)
    said = set(tokens(answer))
    return chosen(answer, named, question) in (*named, BOTH) or any(set(tokens(one)) <= said for one in named)


def _placed(question: str, answer: str) -> bool:
    return (
        _capital(question, answer)
        or _few(question, answer)
        or (bool(_PLACED.search(answer)) and _adds(question, answer))
    )


def _reason(question: str, answer: str) -> bool:
    return _few(question, answer) or (bool(_REASON.search(answer)) and _adds(question, answer))


def _quantity(question: str, answer: str) -> bool:
    lasting = re.search(r"\bhow long\b", question, re.IGNORECASE) and _LASTING.search(answer)
    return _number(answer) or bool(_AMOUNT.search(answer)) or bool(lasting)


_FITS = {
    "time": _time,
    "frequency": lambda _, answer: _number(answer) or bool(_OFTEN.search(answer)),
    "quantity": _quantity,
    "person": _capital,
    "reason": _reason,
    "place": _placed,
    "name": _capital,
    "choice": _choice,
    "yes or no": lambda question, answer: says_yes(answer, question) is not None,
    "fact": _adds,
}

"""What a question of each type must ask, and what its answer must be. Types of other names are not looked at (pure).

The types are those of the profiles that come with drzero; a user's profile that names a type alike means the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from drzero.loop import facts, prompts
from drzero.loop.drafts import Draft
from drzero.loop.evaluate import fits_question
from drzero.text import words

_YEAR = re.compile(r"\b(?:1\d{3}|20\d{2})\b")
_ASKS_WHEN = re.compile(
    r"^(?:\w+ )?(?:when|(?:what|which) (?:\w+ and )?(?:year|date|month|day|century|decade)s?)\b", re.IGNORECASE
)
_ASKS_HOW_LONG = re.compile(
    r"^(?:how long|for how (?:many|long)|how many (?:years|months|weeks|days))\b", re.IGNORECASE
)
_ASKS_ORDER = re.compile(r"\b(?:first|earlier|later|before|after|last)\b", re.IGNORECASE)
_WHAT_IT_IS = frozenset(
    "song album single record film movie book novel poem play opera show series band group team club company city town "
    "village country state province region river lake mountain island bridge building church war battle treaty party "
    "festival award prize game language person man woman author singer president king queen year month day date time "
    "take place happen occur come".split()
)
_CLAUSE = re.compile(r"(?:, (?:and|but|or|which|who|where|while|whereas|before|after)|;| that (?:he|she|it|they)) ")
MIN_IN_CLAUSE = 0.5  # share of what a question says of its event that the date's own clause must have
# "When was X the capital" and "When does X lie": a lasting state has no date that a sentence gives in passing.
_LASTING = re.compile(
    r"^(?:when|(?:in|on) (?:what|which) \w+) (?:(?:is|are|does|do)\b|(?:was|were|had|has|have)\b(?P<rest>.*)\?$)",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?!(?:hundred|united|limited|red|sacred|seven|children|garden|women|men)\b)\w+(?:ed|en)\b|\b(?:born|built|begun|cast|burst|spread"
    r"|held|made|set|won|lost|sold|led|put|cut|sent|shot|hit|met|left|sworn|known|shown|drawn|thrown|torn|worn|grown"
    r"|flown|blown|sung|hung|struck|bought|brought|caught|taught|fought|sought|found|founded|bound|read|said|laid|paid"
    r"|told|split|shut|done|gone|run|overrun|sunk|spun|spent|lent|bent|dealt|felt|kept|swept|slept)\b",
    re.IGNORECASE,
)
_ASKS_CAUSE = re.compile(
    r"^(?:why\b|for what reason|what (?:was|is|were|are) the (?:main |chief )?(?:reason|cause)s?\b"
    r"|what (?:caused|causes|led to|leads to|resulted in|results in)\b|as a result of what|(?:due to|because of) what)",
    re.IGNORECASE,
)
_ASKS_WHY_SAID = re.compile(
    r"^why (?:did|does|do) .*?\b(?:say|observe|claim|insist|believe|declare|reali[sz]e|state|argue|note|think|predict"
    r"|report|write|suggest|conclude|consider|hold|feel|maintain|assert)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|due to|owing to|as a result of|thanks to|so that|in order to|since|caused?|led to"
    r"|result(?:s|ed)? in)\b",
    re.IGNORECASE,
)
_SIDES = (
    re.compile(r"\b(?:between|than) (?P<one>.+?) (?:and|or) (?P<other>.+?)\?$", re.IGNORECASE),
    re.compile(r"^(?:unlike|compared (?:to|with)) (?P<one>.+?), (?P<other>.+?)\?$", re.IGNORECASE),
    re.compile(
        r"\b(?:do|does|did|is|are|was|were) (?P<one>.+?) (?:differ(?:ent)?|similar|equivalent|distinct|compare[ds]?)"
        r" (?:from|to|with) (?P<other>.+?)\?$",
        re.IGNORECASE,
    ),
    re.compile(r"\bhow (?:do|does|did) (?P<one>.+?) and (?P<other>.+?) (?:differ|compare)\b", re.IGNORECASE),
    re.compile(
        r"^(?:is|are|was|were|does|do|did|has|have) (?P<one>.+?)"
        r" (?:more|less|fewer|better|worse|\w{2,}er|as \w+ as|the same as)\b.*? (?:than|as) (?P<other>.+?)\?$",
        re.IGNORECASE,
    ),
    re.compile(r"[,:] (?P<one>[^,:]+?),? or (?P<other>[^,]+?)\?$", re.IGNORECASE),
    re.compile(
        r"\b(?P<one>[\w.()'’ -]+?) (?:more|less|fewer|better|worse|\w{2,}er)\b[^,]*? than (?P<other>.+?)\?$",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:instead of|rather than|compared (?:to|with)|unlike|over) (?P<other>.+?)\?$", re.IGNORECASE),
)
_ASKS_DIFFERENCE = re.compile(r"\b(?:differ\w*|unlike)\b", re.IGNORECASE)
_DIFFERS = re.compile(
    r"\b(?:differ\w*|unlike|than|whereas|while|but|instead|contrast|however|although|except|only|not|compared)\b|n.t\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:in )?(?:what|which)(?: way)?|how|why|when|who)\b"
    r"|\b(?:is|are|was|were|does|do|did|usually|often|much|many)\b",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"\b(?:errors?|exceptions?|warnings?|fail(?:s|ed|ure|ing)?|raise[ds]?|thrown?|throws?|invalid|crash\w*|wrong|bug|abort\w*"
    r"|undefined|overflow\w*|\w+(?:Error|Exception|Warning))\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:should|recommend\w*|avoid\w*|safe\w*|unsafe|secure\w*|practice|prefer\w*|discouraged|advis\w+|better|best|must"
    r"|important|necessary|careful\w*|warn\w*|reason\w*|instead)\b",
    re.IGNORECASE,
)
_REPLACES = re.compile(
    r"\b(?:instead|replac\w+|deprecated|obsolete|superseded|equivalent|shorter|shorthand|same|prefer\w*|alternative|rewritten"
    r"|simpler|written)\b",
    re.IGNORECASE,
)
CODE_SIGN = re.compile(
    r"`|\w\(|\w\[|[{};]|(?<=\s)(?:[=!<>]=+|&&|\|\||[+*/%-]=|=>|->|\*\*|:=)(?=\s)|(?<!\w)[\"']\S*[\"']"
)
_NUMBER_IN_WORDS = re.compile(r"\b(?:no|one|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice)\b", re.I)
_ASKS_COUNT = re.compile(
    r"^(?:\w+ )?(?:how (?:many|much|long|tall|high|far|old|large|deep|fast|heavy|wide)|what (?:percentage|number"
    r"|proportion|share|amount|age|height|length|population)|at what age)\b",
    re.IGNORECASE,
)


def kind_fault(draft: Draft) -> str:
    """The name of what is wrong with a draft for its type, "" when nothing is: "wrong-type" or a fault of its own."""
    question, span = draft.question, draft.span
    if not fits_question(question, span if draft.kind != "causal" else " ".join(draft.evidence)):
        return "wrong-type"
    if _ASKS_COUNT.match(question) and not (facts.numbers(span) or _NUMBER_IN_WORDS.search(span)):
        return "wrong-type"
    return _CHECKS.get(draft.kind, _nothing)(draft)


def _nothing(_: Draft) -> str:
    return ""


def _factual(draft: Draft) -> str:
    return "wrong-type" if _ASKS_WHEN.match(draft.question) else ""


def _temporal(draft: Draft) -> str:
    question = draft.question
    if not (_ASKS_WHEN.match(question) or _ASKS_HOW_LONG.match(question) or _ASKS_ORDER.search(question)):
        return "wrong-type"
    if _other_event(draft):
        return "other-event"
    if _ASKS_WHEN.match(question):
        if not _YEAR.search(draft.span) and not facts.numbers(draft.span):
            return "wrong-type"
        lasting = _LASTING.match(question)
        if lasting and not (lasting["rest"] and _EVENT.search(lasting["rest"])):
            return "lasting-state"
    return ""


def _other_event(draft: Draft) -> bool:
    """Whether the question tells what happened in a word that its source has not.

    A date is of one event: "released" for "renamed" takes the wrong one, and so does another clause of the sentence.
    Nouns that only say what a name stands for ("the album …") do no harm.
    """
    around = set(facts.content_stems(" ".join((*map(prompts.place, draft.gold), *draft.evidence))))
    new = [word for word in words(_ASKS_WHEN.sub("", draft.question)) if facts.stem(word) not in around]
    if any(word not in _WHAT_IT_IS and facts.content_stems(word) for word in new):
        return True
    sentence = draft.evidence[-1]
    boundaries = list(_CLAUSE.finditer(sentence[: max(sentence.find(draft.span), 0)]))
    if not boundaries:
        return False
    dated = set(facts.content_stems(_CLAUSE.split(sentence[boundaries[-1].end() :])[0]))
    told = facts.content_stems(" ".join(re.findall(r"\b[a-z]\w+", _ASKS_WHEN.sub("", draft.question))))
    return bool(told) and facts.share(told, dated) < MIN_IN_CLAUSE


def _causal(draft: Draft) -> str:
    """It asks for a cause, of what the sentence gives one for: not for what the reason itself says."""
    if not _ASKS_CAUSE.match(draft.question):
        return "wrong-type"
    if _ASKS_WHY_SAID.search(draft.question):
        return "wrong-type"  # the reason is one for what was said, not for saying it
    sentence = draft.evidence[0]
    if draft.span == sentence or not _REASON.search(draft.span):
        return "" if _REASON.search(sentence) else "no-reason"
    asked = set(facts.content_stems(draft.question))
    explained = set(facts.content_stems(sentence.replace(draft.span, " ")))
    reason = set(facts.content_stems(draft.span)) - explained
    return "reason-in-question" if len(asked & reason) * 2 > len(asked & explained) else ""


def _comparative(draft: Draft) -> str:
    sides = compared(draft.question)
    if sides is None:
        return "one-sided"
    if _ASKS_DIFFERENCE.search(draft.question) and not _DIFFERS.search(" ".join(draft.evidence)):
        return "wrong-type"
    one, other = (set(facts.content_stems(side)) for side in sides)
    return "compares-with-itself" if not one or not other or one == other else ""


def compared(question: str) -> tuple[str, str] | None:
    """The two sides that a question compares, None where it does not name two."""
    for pattern in _SIDES:
        if found := pattern.search(question):
            parts = found.groupdict()
            other = parts["other"]
            one = parts.get("one") or question[: found.start()]
            one = _OPENING.sub(" ", one)
            if facts.content_stems(one) and facts.content_stems(other):
                return one.strip(), other
    return None


def _multi_hop(draft: Draft) -> str:
    """It rests on two articles and does not name the one that holds the answer."""
    if len({chunk.path for chunk in draft.gold}) < 2:
        return "single-source"
    far = set(facts.content_stems(draft.gold[-1].title.partition(" (")[0]))
    near = set(facts.content_stems(draft.gold[0].title))
    return "names-its-bridge" if (far - near) & set(facts.content_stems(draft.question)) else ""


def _code_named(draft: Draft) -> bool:
    """Whether question or answer carries code or a code name: of their own, or one that title or heading is."""
    said = f"{draft.question} {draft.answer or draft.span}"
    if facts.identifiers(said) or CODE_SIGN.search(said):
        return True
    names = {word for chunk in draft.gold for text in (chunk.title, *chunk.heading[-1:]) for word in _code_words(text)}
    return bool(names & set(re.findall(r"\w+", said)))


def _code_words(text: str) -> set[str]:
    """Words of a title or heading that can be code: parts of code names, and a title's word before a dash."""
    found = {part for name in facts.identifiers(text) for part in re.findall(r"\w+", name)}
    before, dash, _ = text.partition(" — ")
    if dash or len(words(text)) == 1:
        found |= set(re.findall(r"\w+", before))
    return found


def _implementation(draft: Draft) -> str:
    return "" if _code_named(draft) else "names-no-code"


def _debugging(draft: Draft) -> str:
    if not _FAILURE.search(f"{draft.question} {draft.answer or draft.span}"):
        return "wrong-type"
    return _implementation(draft)


def _best_practice(draft: Draft) -> str:
    return "" if _ADVICE.search(draft.question) else "wrong-type"


def _refactoring(draft: Draft) -> str:
    return "" if _REPLACES.search(draft.question) else "wrong-type"


_CHECKS: dict[str, Callable[[Draft], str]] = {
    "factual": _factual,
    "temporal": _temporal,
    "causal": _causal,
    "comparative": _comparative,
    "comparison": _comparative,
    "multi-hop": _multi_hop,
    "implementation": _implementation,
    "debugging": _debugging,
    "best-practice": _best_practice,
    "refactoring": _refactoring,
}

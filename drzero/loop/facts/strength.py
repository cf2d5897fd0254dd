"""Claims that say more than their evidence: certain for likely, all for some, largest for one of the largest (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from drzero.loop.facts.names import names
from drzero.loop.facts.wording import content_stems, nearest_clause, nearest_sentence, stem
from drzero.text import words
from drzero.types import ClaimVerdict, Fault


def _any(alternatives: str) -> re.Pattern[str]:
    """Any of the `alternatives`, parted by bars and line breaks, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(alternatives.split(chr(10))).strip('|')})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Words of one kind by how much they say, the least first; `loud` ones in a claim need their like."""

    code: str
    grades: tuple[re.Pattern[str], ...]
    loud: re.Pattern[str] | None = None

    def grade(self, text: str) -> int:
        """The highest grade that `text` has a word of; -1 for none."""
        return max((grade for grade, pattern in enumerate(self.grades) if pattern.search(text)), default=-1)

    def word(self, text: str, grade: int) -> str:
        """The word of `text` that has the grade."""
        match = self.grades[grade].search(text)
        return match[0].strip().casefold() if match else ""


_HEDGES = r"""
may (?!\d|of )(?:not |also |have |well |once )*|might|could have|would have|possibly|perhaps|probably|likely|potentially
reportedly|allegedly|alleged(?: to)?|supposedly|presumably|purportedly|believed to|thought to|said to have|rumou?red
suspected|speculated|hypothesi[sz]ed|unconfirmed|disputed|it is unclear|considered to be|appear(?:s|ed)? to
seem(?:s|ed)? to|suggest(?:s|ed)? that|claim(?:s|ed)? (?:to|that)|planned to|plans? to|intend(?:s|ed)? to|expected to
proposed to|hope(?:s|d)? to|tried to|attempt(?:s|ed)? to
some (?:people |scholars |historians |critics |scientists |experts )?(?:believe|argue|say|claim|think|suggest)
"""
_HEDGE = _any(_HEDGES)
# What a claim may have in place of the evidence's hedge.
_ANY_HEDGE = _any(
    _HEDGES.strip()
    + r"""
can|could|would|should|often|sometimes|seen (?:by|as)|consider(?:s|ed)?|regard(?:s|ed)?|believe[sd]?|think|thought|say
says|said|suggest(?:s|ed)?|claim(?:s|ed)?|appear(?:s|ed)?|seem(?:s|ed)?|plan(?:s|ned)?|intend(?:s|ed)?|intention
expect(?:s|ed)?|hope[sd]?|tr(?:y|ies|ied)|attempt(?:s|ed)?|propos(?:e|es|ed|al)|suspect(?:s|ed)?|rumou?rs?|speculation
theory|argue[sd]?|possible|possibility|potential|estimated|known as|called|about|unclear|according to|reports?|reported
allegations?|maybe|hypothesis|disputes?
"""
)
_FREQUENCY = _Scale(
    "frequency",
    (
        _any("rarely|seldom|hardly ever|scarcely|infrequently|barely"),
        _any("sometimes|occasionally|at times|on occasion|from time to time|in some cases"),
        _any(
            "often|frequently|usually|generally|typically|commonly|normally|mostly|mainly|primarily|predominantly|largely\n"
            "tend(?:s|ed)? to|regularly|in most cases|most of the time|almost always|nearly always|chiefly|widely"
        ),
        _any(
            "(?<!almost )(?<!nearly )always|invariably|every time|without exception|constantly|at all times\n"
            "in all cases|in every case|continuously|permanently"
        ),
    ),
    _any("(?<!almost )(?<!nearly )always|invariably|without exception|at all times|in all cases|in every case"),
)
_ALL = (
    "(?<!almost )(?<!nearly )(?<!of )(?<!at )(?<!after )(?<!above )all(?! time| over| right| about|-)"
    "|(?<!almost )(?<!nearly )every(?! other)|everyone|everybody|everything|everywhere"
)
_QUANTITY = _Scale(
    "quantity",
    (
        _any("(?<!a )few|hardly any|scarcely any|a handful|a minority|(?:very|too) little|little or no"),
        _any("some|several|certain|a number of|part of|partly|partially|in part|half"),
        _any("many|much of|numerous|a large number|lots of|a lot of|large parts?|plenty of"),
        _any("most (?=of\\b|\\w+s\\b)|majority|nearly all|almost all|almost every|nearly every|mostly"),
        _any(f"{_ALL}|each|any|both|entirely|entire|whole|wholly|completely|fully|totally|throughout|universal(?:ly)?"),
    ),
    _any(_ALL),
)
_DUTY = _Scale(
    "duty",
    (
        _any("optional(?:ly)?|need not|not required|not necessary"),
        _any("may|can|could|might|allowed|permitted"),
        _any("should|recommended|advised|ought to|encouraged|preferably|supposed to"),
        _any(
            "must|has to|have to|had to|required?|requires|mandatory|compulsory|obliged|obligatory|shall|needs?\n"
            "needed|necessary|forced to"
        ),
    ),
)
# "Must not" and "not allowed" say the same.
_BARRED = _any(
    "(?:must|shall|may|can)(?: not|n't)|cannot|(?:not|never)(?: be)? (?:allowed|permitted)|forbidden|prohibited|banned"
)
_ONLY = _any("only(?! \\d)|solely|exclusively|merely|nothing but|purely|sole")
_ONLY_TOO = _any(
    "only|solely|exclusively|merely|nothing but|purely|sole|entirely|alone|just|single|unique(?:ly)?|no other\n"
    "none other|any other|one(?! of)|except|limited to|restricted to|confined to|all|always|lone|first and last\n"
    "without exception|wholly|completely"
)
_ONE_OF = re.compile(
    r"\b(?:one|some|two|three|four|five|several|many|\d+|two) of (?:the|its|his|her|their|all) ", re.IGNORECASE
)
_AMONG = re.compile(r"\b(?:among|amongst) (?:the|its) ", re.IGNORECASE)
_NTH_BEST = re.compile(
    r"\b(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:nd|rd|th|st))[\s-]+"
    r"(?=(?:\w+est|most|least|best|worst)\b)",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    r"\b(?:(?:most|least) (?P<long>[a-z]+)|(?P<short>[a-z]{2,}est)|(?P<odd>best|worst))\b", re.IGNORECASE
)
_NO_SUPERLATIVE = frozenset(
    "west northwest southwest forest interest test contest request guest protest harvest invest rest quest nest "
    "conquest honest modest arrest digest suggest priest chest vest pest latest manifest earnest tempest midwest "
    "unrest bequest of people likely part recently notably everest budapest bucharest infest ingest attest detest "
    "crest wrest zest jest lest behest inquest furthest ".split()
)
_OTHERS = _any(
    "more \\w+ than|\\w+er than|unmatched|unsurpassed|record|top|first|number one|highest|peak|maximum|leading|main\n"
    "chief|primary|principal|ever|favou?rite|no other|\\w+est|most|least|best|worst|premier|foremost|only|No\\. ?1\n"
    "ultimate|all-time"
)


# What takes back the words behind it: they are false, did not quite happen, were only meant to, or are no longer so.
_TAKEN_BACK = _any(
    r"""
(?:it is |it's |is )?(?:a |an |the )?(?:common |popular |widespread |old |urban )*(?:myth|misconception) that
(?:it is |it's |is )?(?:a |an |the )?(?:common |popular |widespread |old |urban )*(?:fallacy|hoax|legend|lie) that
(?:it is |it was |it's |is |was )?(?:false|untrue|unlikely|doubtful|improbable|incorrect|wrong|not true) that
legend has it(?: that)?
falsely|wrongly|mistakenly|incorrectly|erroneously|spuriously|apocryphally|fictitiously|purportedly|ostensibly
(?:nearly|almost|virtually) (?=[a-z]+ed\b|won\b|lost\b|fell\b|sank\b|became\b|broke\b|went\b)
(?:was|were) to (?:be (?=\w+(?:ed|en|ilt|old)\b)|have )|scheduled to|slated to|due to be|wanted to|wished to|offered to
threatened to|promised to|hoping to|hoped to
"""
)
_TALE = re.compile(
    r"(?:^|[.!?]\s)((?:according to|in) (?:a |an |the |some |local |popular )*(?:legends?|myths?|traditions?|folklore"
    r"|rumou?rs?|mythology)|(?:supposedly|allegedly|reportedly|(?:legend|rumou?r) has it|tradition (?:has|holds)))\b"
    r"[^.!?]*",
    re.IGNORECASE,
)
_EXCEPT = _any("except(?:ing)?(?: for)?|excluding|with the exception of|apart from|other than|save for")
_EVERY = _any("all|every|everyone|everybody|everything|everywhere|always")
_NO_LONGER = _any("former(?:ly)?|used to|no longer|ex(?=-)|previously|erstwhile")
_STILL = _any("is|are|has|have|serves?|lives?|remains?")
# What the evidence tells, beside what follows from it only by chance; the claim's word must stand in the evidence too.
_LESS = tuple(
    (_any(told), _any(claimed))
    for told, claimed in (
        ("nominat(?:ed|ions?)|nominees?|shortlisted|runners?-up", "won|wins?|winners?|winning|awarded|received"),
        ("accused|charged|suspected|indicted|prosecuted|on trial", "convicted|guilty|sentenced|committed"),
        ("candidates?|(?:ran|stood|campaigned) for", "elected|won|wins?"),
        ("proposed|planned", "built|completed|opened|constructed"),
        ("wounded|injured", "killed|died|dead|deaths?"),
        ("engaged to|betrothed", "married"),
    )
)


def strength_fault(claim: str, evidence: str, nearest: str = "") -> Fault | None:
    """What the claim says more strongly than the evidence: a weaker claim is none."""
    nearest = nearest or nearest_sentence(claim, evidence)
    return (
        _hedge(claim, nearest)
        or _taken_back(claim, nearest)
        or _less(claim, nearest)
        or _unexcepted(claim, nearest)
        or _scale(_FREQUENCY, claim, nearest, least=2)
        or _scale(_QUANTITY, claim, nearest, least=3)
        or (None if _BARRED.search(claim) and _BARRED.search(nearest) else _scale(_DUTY, claim, nearest, least=3))
        or _only(claim, nearest)
        or superlative_fault(claim, nearest)
    )


def _hedge(claim: str, nearest: str) -> Fault | None:
    """A thing told as certain that the evidence tells as likely, in the clause that the claim is about."""
    clause = nearest_clause(claim, nearest)
    match = _HEDGE.search(clause)
    if match is None or _ANY_HEDGE.search(claim):
        return None
    behind = content_stems(clause[match.end() :])[:4]
    if not behind or not set(behind) & set(content_stems(claim)):
        return None
    return Fault("hedge", f'The evidence says "{match[0].strip().casefold()}", the claim tells it as certain.')


def _taken_back(claim: str, nearest: str) -> Fault | None:
    """A thing told as a fact that the evidence tells as false, nearly so, meant to be so, of legend, or of the past."""
    if _TAKEN_BACK.search(claim) or _ANY_HEDGE.search(claim):
        return None
    clause = nearest_clause(claim, nearest)
    tale = next((match for match in _TALE.finditer(nearest) if clause.rstrip(".!?") in match[0]), None)
    found = [(tale[1].casefold(), clause)] if tale else []
    found += [(match[0].strip().casefold(), clause[match.end() :]) for match in _TAKEN_BACK.finditer(clause)]
    said = set(content_stems(claim))
    told = [word for word, behind in found if set(content_stems(behind)[:2]) & said]
    still = _STILL.search(claim)
    if still and not _NO_LONGER.search(claim) and not re.search(r"\bonce\b", claim):
        said = set(content_stems(claim[still.end() :]))
        past = _NO_LONGER.finditer(clause)
        told += [match[0].casefold() for match in past if set(content_stems(clause[match.end() :])[:1]) & said]
    if told:
        return Fault("hedge", f'The evidence says "{told[0]}", which the claim leaves out.')
    return None


def _unexcepted(claim: str, nearest: str) -> Fault | None:
    """All of which the evidence makes an exception that the claim does not."""
    excepted, every = _EXCEPT.search(nearest), _EVERY.search(claim)
    if excepted is None or every is None or _EXCEPT.search(claim):
        return None
    return Fault("quantity", f'The evidence says "{excepted[0].casefold()}", which the claim leaves out.')


def _less(claim: str, nearest: str) -> Fault | None:
    """A deed of which the evidence tells only what may go before it: nominated, not won."""
    for told, claimed in _LESS:
        ours, theirs = claimed.search(claim), told.search(nearest)
        if ours and theirs and not claimed.search(nearest) and not told.search(claim):
            return Fault("hedge", f'The evidence says "{theirs[0].casefold()}", the claim "{ours[0].casefold()}".')
    return None


def _scale(scale: _Scale, claim: str, nearest: str, *, least: int) -> Fault | None:
    """A word of grade `least` or above for which the evidence has a lower one; or a low one that the claim drops."""
    ours, theirs = scale.grade(claim), scale.grade(nearest)
    if ours >= least and ours > theirs >= 0:
        stated = scale.word(nearest, theirs)
        return Fault(scale.code, f'The claim says "{scale.word(claim, ours)}", the evidence only "{stated}".')
    if theirs < 0 and scale.loud is not None and (loud := scale.loud.search(claim)):
        return Fault(scale.code, f'The claim says "{loud[0].casefold()}", the evidence nothing so strong.')
    if theirs == 0 > ours and scale.loud is not None and scale.grade(nearest_clause(claim, nearest)) == 0:
        return Fault(scale.code, f'The evidence says "{scale.word(nearest, 0)}", which the claim leaves out.')
    return None


def _only(claim: str, nearest: str) -> Fault | None:
    match = _ONLY.search(claim)
    if match is None or _ONLY_TOO.search(nearest) or re.search(r"\bnot only\b", claim, re.IGNORECASE):
        return None
    return Fault("only", f'The claim says "{match[0].casefold()}", the evidence does not.')


def _superlatives(text: str) -> dict[tuple[str, str, str, str], None]:
    """Each superlative: the stem of its adjective, how it is written, its limit, and the limit's kind."""
    named = set(names(text))  # "Ernest Medina" is none
    found: dict[tuple[str, str, str, str], None] = {}
    for match in _SUPERLATIVE.finditer(text):
        word = match["long"] or match["short"] or match["odd"]
        if word not in named and word.casefold() not in _NO_SUPERLATIVE:
            found[(stem(word.casefold()), match[0].casefold(), *_limit(text, match.start()))] = None
    return found


def _limit(text: str, at: int) -> tuple[str, str]:
    """What makes a superlative at `at` of less worth, and its kind: a "rank" or a "group"; ("", "") for nothing."""
    for kind, pattern in (("rank", _NTH_BEST), ("group", _ONE_OF), ("group", _AMONG)):
        for match in pattern.finditer(text, max(0, at - 40), min(len(text), at + 12)):
            if match.end() <= at and len(words(text[match.end() : at])) <= 2:
                return match[0].strip(" -").casefold(), kind
    doubt = re.search(r"\b(arguably|perhaps|possibly) (?:the )?$", text[max(0, at - 20) : at], re.IGNORECASE)
    return (doubt[1].casefold(), "group") if doubt else ("", "")


def superlative_fault(claim: str, nearest: str) -> Fault | None:
    """A superlative that the evidence does not have, or has with a limit such as "one of the" or "second"."""
    stated = _superlatives(nearest)
    for root, whole, ours, kind in _superlatives(claim):
        theirs = [(limit, other) for one, shown, limit, other in stated if one == root or shown == whole]
        if not theirs:
            if not stated and not _OTHERS.search(nearest):
                return Fault("superlative", f'The claim says "{whole}", the evidence does not.')
            continue
        if any(limit == ours or (kind == "group" and other in ("group", "")) for limit, other in theirs):
            continue
        limit, other = theirs[0]
        verdict: ClaimVerdict = "contradicted" if "rank" in (kind, other) else "unsupported"
        told, claimed = f"{limit} {whole}".strip(), f"{ours} {whole}".strip()
        return Fault("superlative", f'The evidence says "{told}", the claim "{claimed}".', verdict)
    return None

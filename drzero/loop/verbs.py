"""The finite verbs of an English sentence, as far as closed lists of words tell (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PROTECTED = re.compile(
    r"“[^”]*”|\"[^\"]*\"|‘[^’]*’|«[^»]*»|`[^`]*`|\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\]|\{[^}]*\}|<[^<>]*>"
)
_WORD = re.compile(r"[^\W_](?:[\w'’-]*[\w'’])?")
AUXILIARY = frozenset("is are was were has have had does did".split())
MODAL = frozenset("will would can could may might shall should must cannot".split())
# Past forms that are no participles, and those of verbs that have no passive: who "wrote" did so himself.
ACTIVE_PAST = frozenset(
    "became began wrote took gave went came grew knew saw sang drove rode rose spoke swam flew drew chose broke "
    "fell ate wore threw sank stole swore tore woke froze forgot hid bit shook blew died lived remained arrived "
    "emerged appeared disappeared happened occurred existed belonged consisted resulted participated competed "
    "collaborated graduated resigned lasted ranged".split()
)
PAST = ACTIVE_PAST | frozenset(
    "won made held led met sold built found left lost sent stood sat kept brought bought taught thought caught "
    "fought ran felt got laid paid said told meant spent dealt slept struck shot sought swept hung lent bore".split()
)
PRESENT = frozenset(
    "contains includes consists remains becomes belongs produces makes takes begins serves provides allows "
    "returns raises requires describes occurs comprises employs connects accepts creates converts removes adds "
    "specifies defines deletes inserts opens closes reads writes appears lies plays lives works stars lets gives "
    "goes comes has does".split()
)
_NO_VERB = frozenset(
    "hundred bed red shed wed sacred naked wicked united limited kindred so-called left-handed".split()
)
DETERMINER = frozenset(
    "a an the this that these those his her its their our my your some any each every no another such most more "
    "very as highly so too newly well-known one two three four five six seven eight nine ten several many few "
    "other own".split()
)
ADVERB = frozenset(
    "then later also subsequently eventually now still often finally soon never afterwards first".split()
)
COMPLEMENT = DETERMINER | frozenset(
    "in on at to from with for of into onto over under about against after before between during until through "
    "within him them it me us himself herself itself themselves back away there up down out off near around "
    "across towards that whether how when because and".split()
)
SUBJECT_WORD = frozenset("he she it they we i you there".split())
NO_SUBJECT = frozenset(
    "in on at by from with for during after before since until under over between among despite through "
    "throughout according when while where if although though because as once unlike like to born based known "
    "called named however both either neither not only also there what who which how why do does did is are was "
    "were has have had can".split()
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text with its place."""

    text: str
    start: int
    end: int

    @property
    def low(self) -> str:
        """In small letters, with a plain apostrophe."""
        return self.text.lower().replace("’", "'")


def is_inside(text: str, at: int) -> bool:
    """Whether a place of `text` is inside quotation marks, brackets or code."""
    return any(match.start() < at < match.end() for match in _PROTECTED.finditer(text))


def plain_words(text: str) -> list[Word]:
    """The words outside of quotation marks, brackets and code; a protected stretch is one word."""
    found: list[Word] = []
    at = 0
    for start, end in [*(match.span() for match in _PROTECTED.finditer(text)), (len(text), len(text))]:
        found += [Word(match[0], *match.span()) for match in _WORD.finditer(text, at, start)]
        if start < end:
            found.append(Word(text[start:end], start, end))
        at = max(at, end)
    return found


def _is_verb(words: list[Word], i: int) -> bool:
    """Whether word `i` is a finite verb as far as closed lists tell, an auxiliary and a modal included."""
    low = words[i].low
    if low in AUXILIARY or low in MODAL or low in PAST:
        return True
    before = words[i - 1].low if i else ""
    if before in DETERMINER or before.endswith("ly") or before in AUXILIARY or before in NO_SUBJECT:
        return False
    return low in PRESENT or is_regular_past(words[i])


def is_regular_past(word: Word) -> bool:
    """Whether a word ends as a regular past form or participle does."""
    return (
        word.text.islower()
        and word.text.endswith("ed")
        and not word.text.endswith("eed")
        and len(word.text) > 4
        and "-" not in word.text
        and word.text not in _NO_VERB
    )


def finite_verbs(words: list[Word]) -> list[int]:
    """The finite verbs, without the participles that follow an auxiliary."""
    found: list[int] = []
    for i in range(len(words)):
        if _is_verb(words, i):
            before = i - 1
            while before >= 0 and (
                words[before].low in ADVERB or words[before].low.endswith("ly") or words[before].low in ("been", "not")
            ):
                before -= 1
            if found and before >= 0 and words[before].low in AUXILIARY | MODAL and found[-1] <= before:
                continue
            found.append(i)
    return found


def own_verb(words: list[Word]) -> bool:
    """Whether the first verb is surely one: no participle, as in "the houses built in that year"."""
    verbs = finite_verbs(words)
    if not verbs:
        return False
    verb, behind = words[verbs[0]], words[verbs[0] + 1] if verbs[0] + 1 < len(words) else None
    if verb.low in AUXILIARY or verb.low in MODAL or verb.low in ACTIVE_PAST or verb.low in PRESENT:
        return True
    subject = words[: verbs[0]]
    if subject and (subject[0].low in SUBJECT_WORD or all(word.text[0].isupper() for word in subject)):
        return True
    return behind is not None and (behind.low in DETERMINER or behind.low in ("him", "them", "it", "that"))

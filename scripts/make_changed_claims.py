#!/usr/bin/env python3
"""Make claims with one thing changed, to see whether the verifier refuses them, and quotes in another dress.

    python scripts/make_changed_claims.py ../shared/data/gold/verify_pairs_dev.jsonl -n 200 > changed.jsonl
    python scripts/make_changed_claims.py ../shared/data/gold/xquad_en.jsonl --what honest > honest.jsonl
    python scripts/make_changed_claims.py ../shared/data/gold/xquad_en.jsonl --what dress > dressed.jsonl

Takes the supported pairs of a verifier's gold file, or the sentences of a question file. `changed` gives each of up to
-n of them once for every kind of change that it has room for: a number, a name, a unit, a negation put in or taken out,
an opposite; none of them is supported any more, and "source" names the change. `honest` gives claims that say less than
their passage in the same words: all are supported. `dress` gives {"id", "quote", "passage"}: the words of the passage
with other quotation marks, dashes, spaces, hyphens, ligatures, accents, line breaks or footnote marks. The same seed
makes the same lines.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

LEAST_WORDS, MOST_WORDS = 5, 45

NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve".split()
NTH_WORDS = "second third fourth fifth sixth seventh eighth ninth tenth".split()
NUMBER = re.compile(
    rf"(?<![\w.,$-])\d[\d,]*(?:\.\d+)?(?=(?:st|nd|rd|th|s)?(?![\w]))|\b(?:{'|'.join((*NUMBER_WORDS, *NTH_WORDS))})\b"
)
UNITS = (
    ("km", "miles"), ("kilometres", "miles"), ("kilometers", "miles"), ("miles", "kilometres"),
    ("metres", "feet"), ("meters", "feet"), ("feet", "metres"), ("inches", "centimetres"),
    ("kilograms", "pounds"), ("kg", "lb"), ("mm", "cm"), ("cm", "mm"), ("acres", "hectares"),
    ("hectares", "acres"), ("tons", "kilograms"), ("tonnes", "kilograms"), ("million", "billion"),
    ("billion", "million"), ("thousand", "million"), ("percent", "people"), ("per cent", "people"),
    ("years", "months"), ("months", "years"), ("weeks", "days"), ("days", "weeks"), ("hours", "minutes"),
    ("minutes", "hours"), ("seconds", "minutes"), ("MB", "GB"), ("GB", "MB"), ("MHz", "GHz"), ("mph", "km/h"),
    ("dollars", "euros"), ("$", "€"), ("€", "$"), ("£", "$"), ("°C", "°F"), ("°F", "°C"), ("%", " km"),
)  # fmt: skip
OPPOSITES = (
    "increase decrease/increased decreased/increases decreases/increasing decreasing/before after/first last/"
    "north south/northern southern/east west/eastern western/largest smallest/larger smaller/large small/"
    "highest lowest/higher lower/high low/best worst/better worse/more less/most least/early late/"
    "earlier later/long short/longer shorter/longest shortest/old new/older younger/oldest youngest/"
    "male female/men women/man woman/won lost/win lose/winning losing/began ended/begins ends/beginning end/"
    "opened closed/open closed/above below/inside outside/internal external/upper lower/major minor/"
    "positive negative/strong weak/stronger weaker/hot cold/warm cold/rich poor/easy difficult/simple complex/"
    "common rare/maximum minimum/majority minority/successful unsuccessful/popular unpopular/legal illegal/"
    "public private/included excluded/includes excludes/including excluding/accepted rejected/"
    "allowed forbidden/allow forbid/enable disable/enabled disabled/synchronous asynchronous/similar different/"
    "same different/import export/imported exported/gained lost/rise fall/rose fell/expanded contracted/"
    "left right/father mother/son daughter/brother sister/husband wife/king queen/actor actress/good bad/"
    "light dark/day night/rural urban/natural artificial/active passive/domestic foreign/direct indirect/"
    "possible impossible/dependent independent/regular irregular/known unknown/modern ancient/always never/"
    "often rarely/all none/many few/with without/victory defeat/defeated lost/success failure/"
    "supported opposed/support oppose/wide narrow/fast slow/faster slower/deep shallow/heavy light"
).split("/")
AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|may|might|do|does|did)\b(?! not|n't)"
)
PAST = re.compile(
    r"(?<!the )(?<!an )(?<!a )(?<!of )(?<!in )\b"
    r"([a-z]{3,}(?:ed)|began|became|won|wrote|made|took|led|held|gave|went|met|sold|built|grew|ran|saw|won)\b"
)
PLAIN_FORM = {
    "began": "begin", "became": "become", "won": "win", "wrote": "write", "made": "make", "took": "take", "led": "lead",
    "held": "hold", "gave": "give", "went": "go", "met": "meet", "sold": "sell", "built": "build", "grew": "grow",
    "ran": "run", "saw": "see",
}  # fmt: skip
DENIAL = re.compile(r"\b(?:did not|does not|do not|didn't|doesn't|don't|did n't|does n't|do n't|not|never|no longer)\s")
NAME = re.compile(r"(?<![.!?:\"“]\s)(?<=[a-z,;()]\s)[A-Z][a-z'é]+(?:\s(?:of\s|de\s)?[A-Z][a-z'é]+)*")
NO_NAMES = frozenset("I January February March April May June July August September October November December".split())
SIDE_CLAUSE = re.compile(
    r"(?:\s\([^()]*\)|\s?\[[^\]]*\]|,\s(?:which|who|whom|whose|where|including|such as|while|although|though|with|"
    r"as well as|especially|particularly|making|resulting|followed by|along with|rather than|in addition to)\s"
    r"(?:[^,]|,(?=\d))*"
    r"(?=,\s|\s,\s|\.$|\s\.$))"
)
LIGATURES = (("ffi", "ﬃ"), ("ffl", "ﬄ"), ("ff", "ﬀ"), ("fi", "ﬁ"), ("fl", "ﬂ"))


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim that its passage supports."""

    id: str
    claim: str
    passage: str


# --- what is changed ------------------------------------------------------------------------------------------------


def read_pairs(path: Path) -> list[Pair]:
    """The supported pairs of a verifier's gold file; of a question file each sentence once, as its own claim."""
    pairs: dict[str, Pair] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(line) if line.strip() else {}
        if row.get("label") == "supported":
            pairs[str(row["id"])] = Pair(str(row["id"]), row["claim"], row["passage"])
        for at, sentence in enumerate(row.get("sentences") or []):
            pairs.setdefault(sentence, Pair(f"{row.get('qid', number)}-{at}", sentence, sentence))
    return [pair for pair in pairs.values() if LEAST_WORDS <= len(pair.claim.split()) <= MOST_WORDS]


def change_number(pair: Pair, draw: random.Random, _: Sequence[Pair]) -> str | None:
    """Another number of the same form; the new one stands neither in claim nor passage."""
    found = list(NUMBER.finditer(pair.claim))
    draw.shuffle(found)
    for match in found:
        told = match[0].rstrip(",")
        for _try in range(20):
            fresh = _other_number(told, draw)
            if fresh != told and not re.search(
                rf"(?<![\w.,]){re.escape(fresh)}(?![\w])", f"{pair.claim} {pair.passage}", re.I
            ):
                return pair.claim[: match.start()] + fresh + pair.claim[match.start() + len(told) :]
    return None


def _other_number(told: str, draw: random.Random) -> str:
    for words in (NUMBER_WORDS, NTH_WORDS):
        if told in words:
            return draw.choice(words)
    value = float(told.replace(",", ""))
    if re.fullmatch(r"1\d{3}|20\d\d", told):
        return str(int(value) + draw.choice([-1, 1]) * draw.randint(1, 40))
    if "." in told:
        return f"{value + draw.choice([0.1, 0.3, 1.2, 2.5]):.{len(told.split('.')[1])}f}"
    fresh = int(value) + draw.choice([1, 2, 3, 5, 7]) * max(1, 10 ** (len(f"{int(value)}") - 2))
    return f"{fresh:,}" if "," in told else str(fresh)


def change_name(pair: Pair, draw: random.Random, others: Sequence[Pair]) -> str | None:
    """A name of another pair, of as many words, in place of one of the claim's."""
    mine = _names(pair.claim)
    draw.shuffle(mine)
    text = f"{pair.claim} {pair.passage}".casefold()
    for match in mine:
        for other in draw.sample(list(others), min(60, len(others))):
            for fresh in _names(other.claim):
                same_form = len(fresh[0].split()) == len(match[0].split())
                if same_form and not any(word.casefold() in text for word in fresh[0].split()):
                    return pair.claim[: match.start()] + fresh[0] + pair.claim[match.end() :]
    return None


def change_name_lower(pair: Pair, draw: random.Random, others: Sequence[Pair]) -> str | None:
    """Another name, the claim without capitals; the passage loses its own as well."""
    claim = change_name(pair, draw, others)
    return None if claim is None else claim.lower()


def change_name_within(pair: Pair, draw: random.Random, _: Sequence[Pair]) -> str | None:
    """A name of the passage that the claim does not have in place of one that it has."""
    here = [match[0] for match in _names(pair.passage) if match[0] not in pair.claim]
    mine = _names(pair.claim)
    draw.shuffle(mine)
    for match in mine:
        for fresh in here:
            if len(fresh.split()) == len(match[0].split()) and not set(fresh.split()) & set(pair.claim.split()):
                return pair.claim[: match.start()] + fresh + pair.claim[match.end() :]
    return None


def _names(text: str) -> list[re.Match[str]]:
    return [match for match in NAME.finditer(text) if match[0] not in NO_NAMES and len(match[0]) > 3]


def change_unit(pair: Pair, draw: random.Random, _: Sequence[Pair]) -> str | None:
    """Another unit or magnitude behind, or sign before, a figure."""
    places = []
    for unit, fresh in UNITS:
        sign = unit in "$€£"
        pattern = rf"{re.escape(unit)}(?=\s?\d)" if sign else rf"(?<=[\d])(?P<gap>\s?){re.escape(unit)}(?![\w])"
        places += [
            (match, match[0].replace(unit, fresh))
            for match in re.finditer(pattern, pair.claim)
            if fresh.strip() not in pair.passage
        ]
    if not places:
        return None
    match, fresh = draw.choice(places)
    return pair.claim[: match.start()] + fresh + pair.claim[match.end() :]


def change_negation(pair: Pair, draw: random.Random, _: Sequence[Pair]) -> str | None:
    """A denial put into the claim's first clause, or taken out of it."""
    if match := DENIAL.search(pair.claim):
        if re.match(r"(?:not only|not just|not necessarily)\b", pair.claim[match.start() :]):
            return None
        kept = "did " if match[0].startswith(("did", "do")) else ""
        return pair.claim[: match.start()] + kept + pair.claim[match.end() :]
    auxiliary, past = AUXILIARY.search(pair.claim), PAST.search(pair.claim)
    if auxiliary:
        return pair.claim[: auxiliary.end()] + " " + draw.choice(["not", "never"]) + pair.claim[auxiliary.end() :]
    if past and re.search(r"[a-z)] $", pair.claim[: past.start()]):
        verb = PLAIN_FORM.get(past[1])
        fresh = f"did not {verb}" if verb else f"never {past[1]}"
        return pair.claim[: past.start()] + fresh + pair.claim[past.end() :]
    return None


def change_opposite(pair: Pair, draw: random.Random, _: Sequence[Pair]) -> str | None:
    """A word in place of its opposite, one that the passage does not have."""
    both = [tuple(two.split()) for two in OPPOSITES]
    both += [(two, one) for one, two in both]
    draw.shuffle(both)
    for one, two in both:
        match = re.search(rf"\b{one}\b", pair.claim)
        if (
            match
            and not re.search(rf"\b{two}\b", f"{pair.passage} {pair.claim}", re.I)
            and re.search(rf"\b{one}\b", pair.passage)
        ):
            return pair.claim[: match.start()] + two + pair.claim[match.end() :]
    return None


Change = Callable[[Pair, random.Random, Sequence[Pair]], "str | None"]
CHANGES: dict[str, Change] = {
    "number": change_number, "name": change_name, "name-lower": change_name_lower, "name-within": change_name_within,
    "unit": change_unit,
    "negation": change_negation, "opposite": change_opposite,
}  # fmt: skip


def changed(pairs: Sequence[Pair], seed: int) -> Iterator[dict[str, str]]:
    """For each pair one line per kind of change that it has room for."""
    for pair in pairs:
        for kind, change in CHANGES.items():
            claim = change(pair, random.Random(f"{seed}/{kind}/{pair.id}"), pairs)
            if claim is not None:
                passage = pair.passage.lower() if kind == "name-lower" else pair.passage
                yield {
                    "id": f"{pair.id}-{kind}", "source": f"changed-{kind}", "claim": claim, "passage": passage,
                    "label": "unsupported",
                }  # fmt: skip


# --- what is left as it is ------------------------------------------------------------------------------------------


def honest(pairs: Sequence[Pair]) -> Iterator[dict[str, str]]:
    """Claims that leave out side clauses of their passage, where there are any."""
    for pair in pairs:
        claim = pair.passage
        while (shorter := SIDE_CLAUSE.sub("", claim, count=1)) != claim:
            claim = shorter
        lead = re.match(r"(?:In|On|At|During|After|Before|By|Since|Until) [^,]{3,60}, (?=[A-Za-z])", claim)
        if lead and len(claim) - lead.end() > 30:
            claim = claim[lead.end()].upper() + claim[lead.end() + 1 :]
        if claim != pair.passage and len(claim.split()) >= LEAST_WORDS:
            yield {
                "id": f"{pair.id}-honest", "source": "honest", "claim": claim, "passage": pair.passage,
                "label": "supported",
            }  # fmt: skip


def dress(text: str, draw: random.Random) -> list[tuple[str, str]]:
    """`text` in every dress that fits it, each by its name."""
    gap = re.search(r"(?<=\w) (?=\w)", text[len(text) // 2 :])
    at = len(text) // 2 + gap.start() if gap else 0
    words = list(re.finditer(r"[a-z]{8,}", text))
    word = draw.choice(words) if words else None
    middle = word.start() + 4 if word else 0
    ligatures = text
    for letters, one in LIGATURES:
        ligatures = ligatures.replace(letters, one)
    found = [
        ("curly", re.sub(r"(?<!\w)\"", "“", text.replace("'", "’")).replace('"', "”")),
        ("straight", text.translate(str.maketrans("“”‘’", "\"\"''"))),
        ("dash", text.translate(str.maketrans("-–—", "–—-"))),
        ("space", text[:at] + "\u00a0" + text[at + 1 :] if at > 0 else text),
        ("spaces", text.replace(" ", "  ")),
        ("line", text[:at] + "\n" + text[at + 1 :] if at > 0 else text),
        ("soft-hyphen", f"{text[:middle]}\u00ad{text[middle:]}" if word else text),
        ("broken-word", f"{text[:middle]}-\n{text[middle:]}" if word else text),
        ("ligature", ligatures),
        ("composed", unicodedata.normalize("NFC", text)),
        ("decomposed", unicodedata.normalize("NFD", text)),
        ("footnote", re.sub(r"\.$", ".[3]", text)),
        ("zero-width", f"{text[:middle]}\u200b{text[middle:]}" if word else text),
    ]
    return [(name, fresh) for name, fresh in found if fresh != text]


def dressed(pairs: Sequence[Pair], seed: int) -> Iterator[dict[str, str]]:
    """Each passage quoted in one dress after the other."""
    for number, pair in enumerate(pairs):
        dresses = dress(pair.passage, random.Random(f"{seed}/{pair.id}"))
        if dresses:
            name, quote = dresses[number % len(dresses)]
            yield {"id": f"{pair.id}-{name}", "quote": quote, "passage": pair.passage}


def main() -> None:
    """Write the lines asked for to standard output."""
    parser = argparse.ArgumentParser(
        description="Make changed claims, honest claims or dressed quotes from a gold file."
    )
    parser.add_argument("gold", type=Path, help="pairs with labels, or questions with sentences, as JSON lines")
    parser.add_argument(
        "--what", choices=("changed", "honest", "dress"), default="changed", help="what to make (changed)"
    )
    parser.add_argument("-n", type=int, default=200, help="of how many pairs, chosen by the seed (200)")
    parser.add_argument("--seed", type=int, default=0, help="chooses pairs and changes (0)")
    options = parser.parse_args()
    try:
        pairs = read_pairs(options.gold)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{options.gold} is no gold file that can be read: {type(error).__name__}: {error}")
    random.Random(options.seed).shuffle(pairs)
    pairs = pairs[: options.n]
    made = {
        "changed": lambda: changed(pairs, options.seed),
        "honest": lambda: honest(pairs),
        "dress": lambda: dressed(pairs, options.seed),
    }[options.what]()
    for line in made:
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

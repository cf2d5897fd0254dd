#!/usr/bin/env python
"""How well `loop.agreement` tells right answers from wrong ones, on pairs made from questions with gold answers.

    .venv/bin/python scripts/measure_agreement.py [GOLD.jsonl] [--misses N]

Right answers are the gold answer in another dress: within its sentence, alone against a whole sentence, a date or
number written otherwise, a person's family name, a list in another order. Wrong ones put another answer of the same
kind and article in its place, deny the sentence, change a figure, or are the sentence of another question. Everything
is made by rule and in the order of the file, so that two runs print the same.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from drzero.loop import facts
from drzero.loop.agreement import agrees
from drzero.loop.drafts import aspects_of
from drzero.loop.facts.dates import MONTHS, read_dates
from drzero.text import words

GOLD = Path(__file__).resolve().parents[2] / "shared" / "data" / "gold" / "xquad_en.jsonl"
SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()
_DENIABLE = re.compile(r"\b(?:is|are|was|were|has|have|had|can|could|will|would)\b(?! not)")


@dataclass(frozen=True, slots=True)
class Pair:
    """An answer to judge against a reference, the label it should get, and how it was made."""

    made: str
    right: bool
    question: str
    reference: str
    answer: str
    aspects: tuple[str, ...] = ()


def kind(answer: str) -> str:
    """What kind of thing an answer is: date, number, name or other."""
    if read_dates(answer):
        return "date"
    if facts.numbers(answer):
        return "year" if re.search(r"\b1\d{3}\b|\b20\d\d\b", answer) else "number"
    return "name" if facts.names(f"… {answer}") else "other"


def dressed(answer: str) -> str:
    """The answer with its date or number written in another way, "" when it has none."""
    for date in read_dates(answer):
        if date.day and date.year:
            other = f"{date.year}-{date.month:02}-{date.day:02}"
        elif date.day:
            month = MONTHS[date.month - 1].capitalize()
            first = answer[date.start : date.end][0].isdigit()
            other = f"{month} {date.day}" if first else f"{date.day} {month}"
        else:
            continue
        return answer[: date.start] + other + answer[date.end :]
    if (number := re.search(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])", answer)) is not None:
        return answer[: number.start()] + number[0].replace(",", "") + answer[number.end() :]
    if (number := re.search(r"(?<![\w.,:$£€–-])\d{1,2}(?![\w%:–-]|[.,]\d)", answer)) is not None and int(
        number[0]
    ) < len(SMALL):
        return answer[: number.start()] + SMALL[int(number[0])] + answer[number.end() :]
    for value, word in enumerate(SMALL[2:], 2):
        if re.search(rf"(?<![\w-]){word}(?![\w-])", answer):
            return re.sub(rf"(?<![\w-]){word}(?![\w-])", str(value), answer)
    return ""


def other_figure(answer: str) -> str:
    """The answer with its first whole number changed, "" when it has none."""
    number = re.search(r"(?<![\w.,])\d+(?![\w,]|\.\d)", answer)
    return answer[: number.start()] + str(int(number[0]) + 3) + answer[number.end() :] if number else ""


def pairs(rows: list[dict[str, list[str]]]) -> Iterator[Pair]:
    """All pairs of a gold file with answers, or with sentences alone."""
    others: dict[tuple[str, str], list[str]] = defaultdict(list)
    told: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.get("answers"):
            others[row["paths"][0], kind(row["answers"][0])].append(row["answers"][0])
        told[row["paths"][0]] += row.get("sentences", [])[:1]
    for number, row in enumerate(rows):
        question, sentence, path = str(row["question"]), " ".join(row.get("sentences", [])), row["paths"][0]
        if not row.get("answers"):
            yield from _of_sentences(question, sentence, told[path], number)
            continue
        answer = row["answers"][0]
        yield from _right(question, answer, sentence)
        near = others[path, kind(answer)]
        yield from _wrong(question, answer, sentence, others=_from(near, number), told=_from(told[path], number))


def _right(question: str, answer: str, sentence: str) -> Iterator[Pair]:
    aspects = aspects_of(answer, sentence)
    other = dressed(answer)
    if sentence.count(answer) == 1:
        yield Pair("sentence", True, question, answer, sentence)
        yield Pair("alone", True, question, sentence, f"{answer}.", aspects)
        if other:
            yield Pair("dress", True, question, answer, sentence.replace(answer, other))
            yield Pair("dress", True, question, sentence, f"It was {other}.", aspects)
    if re.match(r"(?:By |To |For )?[Ww]ho[m]?\b", question) and re.fullmatch(r"[A-Z][a-z]+ [A-Z][a-z]+", answer):
        yield Pair("family name", True, question, answer, f"It was {answer.split()[1]}.", aspects)
    listed = re.fullmatch(r"([\w '-]+) and ([\w '-]+)", answer)
    if listed and kind(answer) in ("name", "other"):
        yield Pair("order", True, question, answer, f"They are {listed[2]} and {listed[1]}.", aspects)


def _from(texts: list[str], number: int) -> list[str]:
    """The texts from another one on for each question, so that not all get the first that fits."""
    at = number % max(1, len(texts))
    return [*texts[at:], *texts[:at]]


def _wrong(question: str, answer: str, sentence: str, *, others: list[str], told: list[str]) -> Iterator[Pair]:
    aspects = aspects_of(answer, sentence)
    shared = _stems(answer)
    inside = sentence.count(answer) == 1
    once = inside and not shared & set(facts.content_stems(sentence.replace(answer, " ")))
    pool = [one for one in others if not shared & _stems(one) and one not in question and one not in sentence]
    if pool:
        wrong = pool[0]
        yield Pair("other answer", False, question, answer, f"It is {wrong}.", aspects)
        if once:
            yield Pair("other in sentence", False, question, answer, sentence.replace(answer, wrong))
            yield Pair("other in sentence", False, question, sentence, sentence.replace(answer, wrong), aspects)
    if once and (changed := other_figure(answer)):
        yield Pair("other figure", False, question, answer, sentence.replace(answer, changed))
        yield Pair("other figure", False, question, sentence, f"It was {changed}.", aspects)
    affirmed = not facts.negations(sentence) and not facts.negations(question) and len(words(sentence)) < 25
    if inside and affirmed and len(_DENIABLE.findall(sentence)) == 1:
        denied = _DENIABLE.sub(lambda match: f"{match[0]} not", sentence)
        yield Pair("denied", False, question, sentence, denied, aspects)
    apart = [one for one in told if not shared & _stems(one)]
    if apart:
        yield Pair("other sentence", False, question, answer, apart[0])
        yield Pair("other sentence", False, question, sentence, apart[0], aspects)


def _stems(text: str) -> set[str]:
    return {facts.stem(word) for word in words(text)}


def _of_sentences(question: str, sentence: str, told: list[str], number: int) -> Iterator[Pair]:
    yield Pair("sentence", True, question, sentence, sentence)
    if other := dressed(sentence):
        yield Pair("dress", True, question, sentence, other)
    if changed := other_figure(sentence):
        yield Pair("other figure", False, question, sentence, changed)
    apart = [one for one in told if one != sentence and one not in sentence]
    if apart:
        yield Pair("other sentence", False, question, sentence, apart[number % len(apart)])


def main() -> None:
    """Print precision and recall, and the share judged rightly by how the pair was made."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("gold", nargs="?", type=Path, default=GOLD)
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="show N pairs of each kind judged wrongly")
    options = parser.parse_args()
    try:
        rows = [json.loads(line) for line in options.gold.read_text(encoding="utf-8").splitlines() if line.strip()]
        made = list(pairs(rows))
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.error(f"{options.gold} is no gold file that can be read: {type(error).__name__}: {error}")
    if not any(pair.right for pair in made):
        parser.error(f"{options.gold} has no question of which a pair can be made")
    counts: Counter[tuple[str, bool, bool]] = Counter()
    shown: Counter[tuple[str, bool]] = Counter()
    for pair in made:
        said = agrees(pair.answer, pair.reference, pair.question, pair.aspects)
        counts[pair.made, pair.right, said] += 1
        if said != pair.right and shown[pair.made, pair.right] < options.misses:
            shown[pair.made, pair.right] += 1
            print(f"[{pair.made}] {pair.question}\n  {pair.reference}  {list(pair.aspects)}\n  {pair.answer}")
    hits = sum(n for (_, right, said), n in counts.items() if right and said)
    said_right = sum(n for (_, _, said), n in counts.items() if said)
    rights = sum(n for (_, right, _), n in counts.items() if right)
    precision = f"{hits / said_right:.3f}" if said_right else "–"
    print(f"{sum(counts.values())} pairs, precision {precision}, recall {hits / rights:.3f}")
    for way, right in sorted({(way, right) for way, right, _ in counts}, key=lambda key: (not key[1], key[0])):
        good = counts[way, right, right]
        total = good + counts[way, right, not right]
        print(f"  {'right' if right else 'wrong'}  {way:<18} {good:>5} of {total:>5}  {good / total:.3f}")


if __name__ == "__main__":
    main()

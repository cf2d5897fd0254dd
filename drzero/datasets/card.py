"""The card of a data set: what the hub of data sets reads at its head, and what a person reads below (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from drzero.datasets.values import SIDES, ExportOptions, Split
from drzero.datasets.writing import Tally, plain, sentence_of_split
from drzero.text import counted, language_code

_KINDS = {
    "sft": ("chat lines for supervised training", ["question-answering", "text-generation"]),
    "dpo": ("preference pairs", ["question-answering", "text-generation"]),
    "rl": ("questions with verified answers for reinforcement", ["question-answering", "reinforcement-learning"]),
}
_FILTERS = {
    "sft": (
        "Lines come from accepted episodes alone: each claim of the answer is supported by the words it cites, and the "
        "answer agrees with a reference that the solver never saw."
    ),
    "dpo": (
        "The chosen answer is that of an accepted episode: verified, and right by a reference the solver never saw. "
        "The rejected one was refused by the verifier or is supported but not what the reference says. An answer that "
        "could not be checked, an abstention and an unusable output are never a rejected one."
    ),
    "rl": (
        "Lines come from accepted episodes alone, so that at least one attempt at each was verified and right. "
        "The solve rate is the share of attempts that were."
    ),
}
_COMMON = {
    "id": "the episode, as `drzero episodes show` takes it",
    "question": "what was asked",
    "type": "kind of question, in the words of the profile",
    "level": "easy, medium, hard or expert",
    "profile": "domain",
    "origin": "who worded the question: model or template",
    "writer": "model that answered",
    "judge": "model that judged whether a source supports a claim",
    "created_at": "when, in UTC",
    "sources": "every article that question and answer come from, with its archive and licence",
}
_EVIDENCE = {
    "overall": "score of the answer by the profile, from 0 to 1",
    "citations": "for each claim the article's own words that support it, with place and probability; n counts the "
    "passages in the user's turn, 0 for none",
    "passages": "how many passages the user's turn shows",
    "passages_left_out": "how many more the solver saw, of articles that belong to the other side",
}
COLUMNS: dict[str, dict[str, str]] = {
    "sft": {
        "messages": "the chat: rules, evidence and question as the solver saw them, verified answer",
        "task": "answer; question for a line that teaches to ask",
        **_COMMON,
        **_EVIDENCE,
    },
    "dpo": {
        "prompt": "the chat: rules, evidence and question as the solver saw them",
        "chosen": "the verified answer",
        "rejected": "the refused answer",
        "rejected_for": "unsupported, contradicted or wrong",
        "rejected_reasons": "what the verifier said of it, in sentences",
        "rejected_overall": "score of the refused answer",
        "rejected_episode": "the episode that it comes from",
        "same_evidence": "whether both were written from the same passages",
        **_COMMON,
        **_EVIDENCE,
    },
    "rl": {
        "prompt": "the chat: the question alone",
        "reference": "the reference answer",
        "answer": "the best verified answer",
        "evidence": "the sentences of the sources that the reference was taken from",
        "aspects": "what an answer has to name, each in brackets",
        "gold": "the passages that answer the question, in full",
        "hops": "how many articles those come from",
        "solve_rate": "share of attempts that were verified and right",
        "difficulty": "1 - solve rate",
        "attempts": "how many attempts there were",
        "base_score": "score of an answer without any evidence",
        **_COMMON,
    },
}
"""What each column of a format holds."""

_TERMS = {
    "by": {"by", "attribution"},
    "nc": {"nc", "noncommercial"},
    "nd": {"nd", "noderivatives", "noderivs"},
    "sa": {"sa", "sharealike"},
}
_OTHERS = {"mit": "mit", "bsd": "bsd", "gfdl": "gfdl", "cc0": "cc0-1.0", "apache": "apache-2.0"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def card(
    options: ExportOptions,
    split: Split,
    tally: Tally,
    archives: Mapping[str, Mapping[str, str]],
    *,
    episodes: int,
    left_out: Sequence[tuple[str, int]],
    version: str,
) -> str:
    """The text of README.md. The same lines give the same card: it says nothing of when it was written."""
    import yaml

    cited = sorted({zim_id for zim_id, _ in tally.archives})
    known = [archives.get(zim_id, {}) for zim_id in cited]
    head = yaml.safe_dump(_head(options, split, known), sort_keys=False, allow_unicode=True, width=120)
    kind = _KINDS[options.format][0]
    chosen = [f"run {options.run}"] * bool(options.run) + [f"profile {options.profile}"] * bool(options.profile)
    parts = [
        f"---\n{head}---\n",
        f"# {kind[0].upper()}{kind[1:]}\n",
        f"Made by drzero {version} with `drzero episodes export --format {options.format}` from "
        f"{plain(' and '.join(chosen)) or 'all runs'}. drzero asks questions about offline archives, answers them from "
        "passages, and keeps what a verifier finds supported, with the exact words of the source.\n",
        _section("Lines", _counts(split, tally)),
        _section("Filters", _filters(options, episodes, left_out)),
        _section("Split", _split(options, split)),
        _section("Sources and licences", _sources(tally, archives, cited)),
        _section("Columns", _table(("column", "meaning"), COLUMNS[options.format].items())),
    ]
    return "\n".join(parts)


def licence_id(licence: str) -> str:
    """A licence as the hub names it, such as "cc-by-sa-4.0"; "" for one that it has no name for."""
    said = licence.casefold()
    found = set(re.findall(r"[a-z]+0?", re.sub(r"(share|non|no)[ -](alike|commercial|deriv)", r"\1\2", said)))
    if found & {"cc", "creativecommons"} or "creative commons" in said:
        terms = [term for term, names in _TERMS.items() if found & names]
        version = re.search(r"\d\.\d", said)
        return "-".join(["cc", *terms, version[0]]) if terms and version else "cc"
    return next((name for word, name in _OTHERS.items() if word in found), "")


def _head(options: ExportOptions, split: Split, archives: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    lines = split.train + split.test
    files = [{"split": side, "path": f"{side}.jsonl"} for side in SIDES if getattr(split, side)]
    named = [licence_id(one.get("licence", "")) for one in archives]
    licences = sorted(set(named)) if named and all(named) else []
    languages = sorted({code for one in archives if (code := language_code(one.get("language", "")))})
    head: dict[str, Any] = {
        "pretty_name": f"drzero {options.format}",
        "license": (licences[0] if len(licences) == 1 else licences) or "other",
    }
    if not licences:
        head["license_name"] = "those-of-the-sources"
    if languages:
        head["language"] = languages
    return head | {
        "task_categories": _KINDS[options.format][1],
        "size_categories": [next((name for most, name in _SIZES if lines < most), "n>1M")],
        "tags": ["drzero", options.format, "citations"],
        "configs": [{"config_name": "default", "data_files": files}],
    }


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n{text}\n"


def _counts(split: Split, tally: Tally) -> str:
    found = [("all", "", split.train, split.test)]
    for column, counts in tally.by.items():
        for value in sorted({value for value, _ in counts}):
            found.append((column, plain(value), counts[value, "train"], counts[value, "test"]))
    return _table(("by", "value", "train", "test"), found)


def _filters(options: ExportOptions, episodes: int, left_out: Sequence[tuple[str, int]]) -> str:
    text = _FILTERS[options.format]
    if options.questions:
        text += " Lines of the task `question` teach to ask: only of answers that are one cited sentence."
    text += (
        f" Looked at: {counted(episodes, 'episode')}. What a person retired or corrected since is left out, and what "
        "is stale or disputed.\n\n"
    )
    return text + (_table(("left out because", "count"), left_out) if left_out else "Nothing was left out.")


def _split(options: ExportOptions, split: Split) -> str:
    text = (
        f"{counted(split.train + split.test, 'line')} from {counted(split.articles, 'article')}. Lines that share an "
        f"article or ask the same stand on one side: they form {counted(split.groups, 'group')}, the largest of "
        f"{counted(split.largest, 'line')}. Seed {options.split_seed} puts these in order; a test side of "
        f"{options.test_share:.0%} was asked for. An article is told by its path, so that two editions of an archive "
        "count as one. "
    )
    if split.passages:
        text += (
            f"No article that one side shows stands in the other: {split.passages_left_out:,} passages of "
            f"{split.passages + split.passages_left_out:,} that solvers saw were left out for that. "
        )
    return (text + sentence_of_split(split, options.test_share)).rstrip()


def _sources(tally: Tally, archives: Mapping[str, Mapping[str, str]], cited: Sequence[str]) -> str:
    found = [
        (
            plain(known.get("name", "")) or zim_id,
            plain(known.get("date", "")),
            plain(known.get("licence", "")) or "not stated by the archive: find it before you pass this on",
            plain(known.get("source", "")),
            plain(zim_id),
            tally.archives[zim_id, "train"],
            tally.archives[zim_id, "test"],
        )
        for zim_id in cited
        for known in [archives.get(zim_id, {})]
    ]
    return (
        "Texts stay under the licence of the archive that they come from, and each line names its articles.\n\n"
        + _table(("archive", "date", "licence", "taken from", "UUID", "train", "test"), found)
    )


def _table(heads: Sequence[str], found: Any) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for row in found:
        cells = (f"{cell:,}" if isinstance(cell, int) else cell for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)

"""Prompts made of the wording in `prompts.toml`; a profile adds what it asks. Each prompt has a version of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from drzero.profiles import ChallengeType
from drzero.types import Chunk, Prompt

ONE_LINE = r"root ::= [^\n\[\]]+"
"""GBNF: one line without brackets, so that a model cannot write citation marks of its own."""
ONE_LINE_OF_CODE = r"root ::= [^\n]+"
"""GBNF: one line, for answers that may hold `a[0]`."""


@cache
def wording() -> dict[str, Any]:
    """All wording, by prompt."""
    return tomllib.loads(files(__package__).joinpath("prompts.toml").read_text(encoding="utf-8"))


def versions() -> dict[str, int]:
    """The version of each prompt's wording, and of each variant of it as `prompt/variant`."""
    tables = {name: table for name, table in wording().items() if isinstance(table, dict)}
    found = {name: table["version"] for name, table in tables.items()}
    for name, table in tables.items():
        found |= {f"{name}/{variant}": one["version"] for variant, one in table.get("variants", {}).items()}
    return found


def variants(name: str) -> tuple[str, ...]:
    """The wordings of a prompt that compete: "" is the usual one, and comes first."""
    return ("", *wording()[name].get("variants", {}))


def label(name: str, variant: str = "") -> str:
    """What a prompt is recorded as: its name and version, `read/2`; of a variant `read/brief.1`."""
    table = wording()[name.partition("-")[0]]
    return f"{name}/{variant}.{table['variants'][variant]['version']}" if variant else f"{name}/{table['version']}"


def _rules(name: str, variant: str) -> str:
    table = wording()[name]
    rules: str = (table["variants"][variant] if variant else table)["rules"]
    return rules


NOT_FOUND: str = wording()["not_found"]


def place(chunk: Chunk) -> str:
    """Title and nearest heading of a chunk, as one line."""
    return " › ".join(dict.fromkeys(part for part in (chunk.title, *chunk.heading[-1:]) if part))


Shown = tuple[str, str]
"""An example as it is put before a writer: what it was asked, what it said."""


def ask(
    kind: ChallengeType, where: str, sentence: str, answer: str, *, variant: str = "", examples: Sequence[Shown] = ()
) -> Prompt:
    """Write a question whose answer is `answer`, words of `sentence`.

    `examples` come behind the part that all prompts of this name share, so that what is kept of it stays of use.
    """
    messages = [("system", f"{_rules('ask', variant)} {kind.asks}")]
    for example in kind.examples:
        shown = _ask_text(example.article, example.source, example.span or example.source)
        messages += [("user", shown), ("assistant", example.question)]
    asked = ("user", _ask_text(where, sentence, answer))
    return Prompt(label(f"ask-{kind.name}", variant), (*messages, *_turns(examples), asked), shared=len(messages))


def shown_asking(where: str, sentence: str, answer: str, question: str) -> Shown:
    """An example for `ask`."""
    return _ask_text(where, sentence, answer), question


def _turns(examples: Sequence[Shown]) -> list[tuple[str, str]]:
    return [turn for said in examples for turn in zip(("user", "assistant"), said, strict=True)]


def _ask_text(where: str, sentence: str, answer: str) -> str:
    article = f"Article: {where}\n" if where else ""
    return f"{article}Sentence: {sentence}\nAnswer: {answer}"


def describe(where: str, sentence: str, name: str) -> Prompt:
    """Say what `sentence` says of `name`, without the name."""
    table = wording()["describe"]
    messages = [("system", table["rules"])]
    for example in table["examples"]:
        shown = _describe_text(example["article"], example["source"], example["name"])
        messages += [("user", shown), ("assistant", example["description"])]
    asked = ("user", _describe_text(where, sentence, name))
    return Prompt(label("describe"), (*messages, asked), shared=len(messages))


def _describe_text(where: str, sentence: str, name: str) -> str:
    return f"Article: {where}\nSentence: {sentence}\nName: {name}"


def read(
    question: str, passages: Sequence[tuple[str, str]], *, variant: str = "", examples: Sequence[Shown] = ()
) -> Prompt:
    """Answer `question` from passages, each (where, text); `examples` as in `ask`."""
    messages = [("system", _rules("read", variant))]
    for example in wording()["read"]["examples"]:
        messages += [("user", example["user"]), ("assistant", example["assistant"])]
    asking = ("user", _read_text(question, passages))
    turns = (*messages, *_turns(examples), asking)
    return Prompt(label("read", variant), turns, len(messages), question, tuple(passages))


def shown_reading(question: str, passages: Sequence[tuple[str, str]], answer: str) -> Shown:
    """An example for `read`."""
    return _read_text(question, passages), answer


def _read_text(question: str, passages: Sequence[tuple[str, str]]) -> str:
    numbered = "\n\n".join(f"[{n}] {where}\n{text}" for n, (where, text) in enumerate(passages, 1))
    return f"{numbered}\n\nQuestion: {question}"


def sure(reading: Prompt, answer: str) -> Prompt:
    """Ask the writer, after it answered `reading`, whether it is sure."""
    asked = ("user", wording()["sure"]["question"])
    messages = (*reading.messages, ("assistant", answer), asked)
    return replace(reading, name=label("sure"), messages=messages, answer=answer)


def recall(question: str) -> Prompt:
    """Answer `question` without any evidence."""
    messages = (("system", wording()["recall"]["rules"]), ("user", f"Question: {question}"))
    return Prompt(label("recall"), messages, question=question)


def alone(question: str) -> Prompt:
    """Can the question be understood by itself? To be answered Yes or No."""
    return _checked("alone", {"asked": question})


def fits(question: str, answer: str) -> Prompt:
    """Does the answer give what the question asks for? To be answered Yes or No."""
    return _checked("fits", {"asked": question, "answer": answer})


def stated(where: str, source: str, question: str, answer: str) -> Prompt:
    """Does the source say that this is the question's answer? To be answered Yes or No."""
    return _checked("stated", {"source": f"{where}: {source}", "asked": question, "answer": answer})


def _checked(name: str, shown: Mapping[str, str]) -> Prompt:
    """A question with what belongs to it, each on a line of its own, after examples made alike."""
    table = wording()[name]
    messages = [("system", table["rules"])]
    for example in table["examples"]:
        messages += [("user", _lines(example, table["question"])), ("assistant", example["verdict"])]
    return Prompt(label(name), (*messages, ("user", _lines(shown, table["question"]))), shared=len(messages))


def _lines(shown: Mapping[str, str], question: str) -> str:
    labels = {"source": "Sentence", "asked": "Question", "answer": "Answer"}
    lines = [f"{title}: {' '.join(shown[key].split())}" for key, title in labels.items() if key in shown]
    return "\n".join([*lines, question])


def judge(premise: str, hypothesis: str) -> Prompt:
    """Does the premise support the hypothesis? To be answered Yes or No."""
    messages = [("system", wording()["judge"]["rules"])]
    for shown in wording()["judge"]["examples"]:
        asked = _judge_text(shown["evidence"], shown["statement"])
        messages += [("user", asked), ("assistant", shown["verdict"])]
    return Prompt(label("judge"), (*messages, ("user", _judge_text(premise, hypothesis))), shared=len(messages))


def _judge_text(evidence: str, statement: str) -> str:
    """Each on a line of its own, so that no text can go on to a statement or a question that is not there."""
    evidence, statement = " ".join(evidence.split()), " ".join(statement.split())
    return f"Evidence: {evidence}\nStatement: {statement}\n{wording()['judge']['question']}"

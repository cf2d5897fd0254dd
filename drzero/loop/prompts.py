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
    """The version of each prompt's wording."""
    return {name: table["version"] for name, table in wording().items() if isinstance(table, dict)}


def label(name: str) -> str:
    """What a prompt is recorded as: its name and version."""
    return f"{name}/{wording()[name.partition('-')[0]]['version']}"


NOT_FOUND: str = wording()["not_found"]


def place(chunk: Chunk) -> str:
    """Title and nearest heading of a chunk, as one line."""
    return " › ".join(dict.fromkeys(part for part in (chunk.title, *chunk.heading[-1:]) if part))


def ask(kind: ChallengeType, where: str, sentence: str, answer: str) -> Prompt:
    """Write a question whose answer is `answer`, words of `sentence`."""
    rules = f"{wording()['ask']['rules']} {kind.asks}"
    messages = [("system", rules)]
    for example in kind.examples:
        shown = _ask_text(example.article, example.source, example.span or example.source)
        messages += [("user", shown), ("assistant", example.question)]
    asked = ("user", _ask_text(where, sentence, answer))
    return Prompt(label(f"ask-{kind.name}"), (*messages, asked), shared=len(messages))


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


def read(question: str, passages: Sequence[tuple[str, str]]) -> Prompt:
    """Answer `question` from passages, each (where, text)."""
    messages = [("system", wording()["read"]["rules"])]
    for example in wording()["read"]["examples"]:
        messages += [("user", example["user"]), ("assistant", example["assistant"])]
    numbered = "\n\n".join(f"[{n}] {where}\n{text}" for n, (where, text) in enumerate(passages, 1))
    asking = ("user", f"{numbered}\n\nQuestion: {question}")
    return Prompt(label("read"), (*messages, asking), len(messages), question, tuple(passages))


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

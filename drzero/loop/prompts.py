"""All text that is put before a model. `VERSION` names the wording; change it with any word here.

A prompt's fixed part (rules and examples) comes first, so that a model evaluates it once and keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence

from drzero.profiles import ChallengeType
from drzero.types import Chunk, Prompt

VERSION = "2"
NOT_FOUND = "Not found."

ONE_LINE = r"root ::= [^\n\[\]]+"
"""GBNF: one line without brackets, so that a model cannot write citation marks of its own."""
ONE_LINE_OF_CODE = r"root ::= [^\n]+"
"""GBNF: one line, for answers that may hold `a[0]`."""

_ASK_RULES = (
    "You write quiz questions. You get one sentence from an article and the words of it that are the answer. Write "
    "one short question that these words answer. Somebody who has never seen the article must understand the "
    "question: call the person, place or thing by its name, never he, she, it, they or this, and never mention a text"
    " or an article. Do not put the answer into the question."
)
_READ_RULES = (
    "You answer questions from the passages you are given and from nothing else. Answer in one complete sentence that"
    " names what the question is about, in the words of the passages. Add nothing that was not asked. If the passages"
    " do "
    f"not answer the question, write only: {NOT_FOUND}"
)
_RECALL_RULES = (
    "You answer questions from memory. Answer in one complete sentence that names what the question is about. "
    f"If you do not know, write only: {NOT_FOUND}"
)
_JUDGE_RULES = (
    "You check statements against evidence. Say Yes only when the evidence alone states everything in the statement: "
    "the same people and things in the same roles, the same numbers and dates, the same cause, nothing added and "
    "nothing denied. Otherwise say No."
)

_READ_EXAMPLES = (
    (
        "[1] Zugspitze\nThe Zugspitze, at 2,962 metres above sea level, is the highest peak of the Wetterstein "
        "Mountains. It lies south of Garmisch-Partenkirchen.\n\n[2] Watzmann › Climbing\nThe first known ascent was "
        "made in 1800 by Valentin Stanič.\n\nQuestion: How high is the Zugspitze?",
        "The Zugspitze is 2,962 metres high.",
    ),
    (
        "[1] Bicycle › Brakes\nRim brakes lose force in the rain because water lies between the pad and the rim.\n\n"
        "Question: Why do rim brakes lose force in the rain?",
        "Rim brakes lose force in the rain because water lies between the pad and the rim.",
    ),
    (
        "[1] Honey bee\nA honey bee colony may hold 60,000 workers in summer.\n\n"
        "Question: Who invented the movable-frame hive?",
        NOT_FOUND,
    ),
)
_JUDGE_EXAMPLES = (
    ("Lake Constance", "The lake covers 536 square kilometres and lies on the Rhine.",
     "Lake Constance covers 536 square kilometres.", "Yes"),
    ("Lake Constance", "The lake covers 536 square kilometres and lies on the Rhine.",
     "Lake Constance covers 563 square kilometres.", "No"),
    ("Marie Curie", "She shared the 1903 prize with Pierre Curie and Henri Becquerel, and won the 1911 prize alone.",
     "Marie Curie shared the 1911 prize with Henri Becquerel.", "No"),
    ("Velcro", "George de Mestral patented the fastener in 1955, after burrs had stuck to his dog.",
     "Velcro was patented by George de Mestral.", "Yes"),
    ("Hindenburg", "The airship was filled with hydrogen since helium could not be bought abroad.",
     "The Hindenburg was filled with hydrogen because helium could not be bought abroad.", "Yes"),
    ("Hindenburg", "The airship was destroyed at Lakehurst. Its captain had joined the company in 1928.",
     "The Hindenburg was destroyed in 1928.", "No"),
    ("Ferry", "Neither of the two ferries ran during the winter of 1963.",
     "Two ferries ran during the winter of 1963.", "No"),
    ("Opera house", "Work began in 1959 and, after long delays, the building was opened by the Queen in October 1973.",
     "The opera house opened to the public in 1973.", "Yes"),
    ("Pump", "A relief valve should be fitted, since a blocked outlet may burst the casing.",
     "A blocked outlet always bursts the casing of a pump.", "No"),
)  # fmt: skip


def place(chunk: Chunk) -> str:
    """Title and nearest heading of a chunk, as one line."""
    return " › ".join(dict.fromkeys(part for part in (chunk.title, *chunk.heading[-1:]) if part))


def ask(kind: ChallengeType, where: str, sentence: str, answer: str) -> Prompt:
    """Write a question whose answer is `answer`, words of `sentence`."""
    rules = f"{_ASK_RULES} {kind.asks}"
    messages = [("system", rules)]
    for example in kind.examples:
        messages += [("user", _ask_text("", example.source, example.answer)), ("assistant", example.question)]
    asked = ("user", _ask_text(where, sentence, answer))
    return Prompt(f"ask-{kind.name}/{VERSION}", (*messages, asked), shared=len(messages))


def _ask_text(where: str, sentence: str, answer: str) -> str:
    article = f"Article: {where}\n" if where else ""
    return f"{article}Sentence: {sentence}\nAnswer: {answer}"


def read(question: str, passages: Sequence[tuple[str, str]]) -> Prompt:
    """Answer `question` from passages, each (where, text)."""
    messages = [("system", _READ_RULES)]
    for asked, answered in _READ_EXAMPLES:
        messages += [("user", asked), ("assistant", answered)]
    numbered = "\n\n".join(f"[{n}] {where}\n{text}" for n, (where, text) in enumerate(passages, 1))
    asking = ("user", f"{numbered}\n\nQuestion: {question}")
    return Prompt(f"read/{VERSION}", (*messages, asking), shared=len(messages))


def sure(reading: Prompt, answer: str) -> Prompt:
    """Ask the writer, after it answered `reading`, whether it is sure."""
    asked = "Is that answer complete, and stated in the passages? Say Yes or No."
    return Prompt(f"sure/{VERSION}", (*reading.messages, ("assistant", answer), ("user", asked)), reading.shared)


def recall(question: str) -> Prompt:
    """Answer `question` without any evidence."""
    return Prompt(f"recall/{VERSION}", (("system", _RECALL_RULES), ("user", f"Question: {question}")))


def judge(premise: str, hypothesis: str) -> Prompt:
    """Does the premise support the hypothesis? To be answered Yes or No."""
    messages = [("system", _JUDGE_RULES)]
    for title, evidence, statement, verdict in _JUDGE_EXAMPLES:
        messages += [("user", _judge_text(f"{title}: {evidence}", statement)), ("assistant", verdict)]
    return Prompt(f"judge/{VERSION}", (*messages, ("user", _judge_text(premise, hypothesis))), shared=len(messages))


def _judge_text(evidence: str, statement: str) -> str:
    """Each on a line of its own, so that no text can go on to a statement or a question that is not there."""
    evidence, statement = " ".join(evidence.split()), " ".join(statement.split())
    return f"Evidence: {evidence}\nStatement: {statement}\nDoes the evidence support the statement?"

"""The gates that a proposal must pass, cheap ones first. Every gate fails closed and has a name.

`wording` and `kinds` look at the question, `answers` at the answer made from the source sentence, `signals` asks the
writer what it thinks of both, `reading` lets a reader answer; `flow` puts them in order.
"""

from drzero.loop.gates.answers import answer_fault
from drzero.loop.gates.flow import READER_GATES, distractors, gate, near_copy
from drzero.loop.gates.reading import ambiguous, answerable, needs_each
from drzero.loop.gates.signals import signal_fault
from drzero.loop.gates.wording import names_its_subject, question_fault, roles_swapped, standing_fault, subject_swapped

__all__ = [
    "READER_GATES",
    "ambiguous",
    "answer_fault",
    "answerable",
    "distractors",
    "gate",
    "names_its_subject",
    "near_copy",
    "needs_each", "question_fault", "roles_swapped", "signal_fault", "standing_fault", "subject_swapped",
]  # fmt: skip

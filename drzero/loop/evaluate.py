"""Verdict → Evaluation: a profile's weighted scores from checks and the reference, with feedback in words.

No model is asked for its opinion: a score is made of the verifier's checks, of the reference, and of the cited sources.
"""

from __future__ import annotations

from collections.abc import Sequence

from drzero.loop.answer_kind import fits_question
from drzero.loop.feedback import abstention, feedback
from drzero.loop.metrics import clamp
from drzero.loop.running import Run, run_expression
from drzero.loop.scores import SCORES, case_of, support
from drzero.profiles import Profile
from drzero.types import Answer, Challenge, Evaluation, Passage, Verdict

__all__ = ["evaluate", "fits_question", "support"]


def evaluate(
    challenge: Challenge,
    answer: Answer,
    verdict: Verdict,
    profile: Profile,
    passages: Sequence[Passage] = (),
    *,
    run: Run = run_expression,
) -> Evaluation:
    """Score an answer as `profile` weighs it; an abstention scores 0 in everything, confidence has no part in it.

    `passages` hold the chunks that it cites, with which its code is compared; `run` gives the value of an expression.
    """
    case = case_of(challenge, answer, verdict, passages, run)
    silent = answer.abstained or not answer.claims
    scores = tuple((name, 0.0 if silent else clamp(SCORES[name](case))) for name, _ in profile.weights)
    overall = clamp(sum(weight * score for (_, weight), (_, score) in zip(profile.weights, scores, strict=True)))
    return Evaluation(scores, overall, abstention(challenge) if silent else feedback(case, scores))

"""Episode → lines to learn from, before it is known on which side they fall (pure).

Nothing that was not checked is taught: an answer to follow is verified and right, one to avoid was refused by the
verifier or is not what the reference says.

No column is text in one line and looks like something else in all the others: readers that guess types from a file's
first lines would read a date as a timestamp, an empty list as nothing. So times end in UTC, and lists are never empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from drzero.datasets.values import Drawn, Shown
from drzero.kb.entries import question_key
from drzero.loop import prompts
from drzero.loop.improving.lessons import lesson_of
from drzero.loop.metrics import best_attempt
from drzero.types import Attempt, Chunk, Citation, Episode

Message = dict[str, str]


def article_key(path: str) -> str:
    """What tells an article apart from others: its path, so that two editions of an archive have the same article."""
    return f"article {path[2:] if path.startswith('A/') else path}"


def why_not(episode: Episode) -> str:
    """Why an accepted episode has nothing to teach; "" when it has."""
    best = best_attempt(episode)
    if episode.challenge is None or best is None:
        return "no challenge or no answer is kept of it"
    if not episode.challenge.gold:
        return "its sources are not kept"
    if best.answer.abstained or not best.answer.claims or not all(c.citations for c in best.answer.claims):
        return "its answer cites nothing"
    if not best.passages:
        return "the evidence that its solver saw is not kept"
    if not best.verdict.accepted or not best.right:
        return "its answer is not verified and right"
    return ""


def draw_answers(episode: Episode) -> Iterator[Drawn]:
    """Chat lines: the question under the evidence that the solver saw, and its verified answer."""
    best, line = _verified(episode), _columns(episode)
    line |= {
        "overall": float(best.evaluation.overall),
        "citations": _citations(best),
        "sources": _sources(_gold(episode), _cited(best)),
        "answer": best.answer.text,
    }
    yield Drawn("answer", _asked(episode), _keys(episode, best), line, _shown(best))


def draw_questions(episode: Episode, asks: str) -> Iterator[Drawn]:
    """Chat lines for a proposer: a sentence of a source with the words that are to be the answer, and the question.

    `asks` is what the profile wants of a question of this type. None where the answer is not one cited sentence.
    """
    lesson, best = lesson_of(episode), _verified(episode)
    if lesson is None:
        return
    asked, said = lesson.shown("ask")
    system = f"{prompts.wording()['ask']['rules']} {asks}".strip()
    line = _columns(episode) | {
        "overall": float(best.evaluation.overall),
        "citations": _citations(best),
        "sources": _sources(_gold(episode), _cited(best)),
        "messages": [_message("system", system), _message("user", asked), _message("assistant", said)],
    }
    yield Drawn("question", _asked(episode), _keys(episode, best), line)


def draw_pairs(episode: Episode, others: Iterable[Episode], count: Callable[[str], None]) -> Iterator[Drawn]:
    """Preference lines: the verified answer, and one to the same question that was refused; each refused text once.

    `others` are episodes that asked the same. `count` takes the reason why an answer makes no pair.
    """
    best = _verified(episode)
    taken = {_plain(best.answer.text)}
    for other in (episode, *others):
        for attempt in other.attempts:
            text = _plain(attempt.answer.text)
            if text in taken:
                continue
            refusal, unfit = _refusal(attempt, same=other.challenge == episode.challenge)
            if unfit:
                count(unfit)
                continue
            taken.add(text)
            line = _columns(episode) | {
                "overall": float(best.evaluation.overall),
                "rejected_overall": float(attempt.evaluation.overall),
                "rejected_for": refusal,
                "rejected_reasons": " ".join(reason for one in attempt.verdict.judgements for reason in one.reasons),
                "rejected_episode": other.id,
                "same_evidence": _shown(attempt) == _shown(best),
                "citations": _citations(best),
                "sources": _sources(_gold(episode), [*_cited(best), *_cited(attempt)]),
                "answer": best.answer.text,
                "refused": attempt.answer.text,
            }
            keys = dict.fromkeys((*_keys(episode, best), *(article_key(c.path) for c in _cited(attempt))))
            yield Drawn("pair", _asked(episode), tuple(keys), line, _shown(best))


def draw_rewards(episode: Episode) -> Iterator[Drawn]:
    """Lines for reinforcement: the question alone, what is right, where it stands, and how hard it was."""
    challenge, best = episode.challenge, _verified(episode)
    assert challenge is not None  # noqa: S101 `why_not` has said so
    gold = _gold(episode)
    line = {
        "prompt": [_message("user", challenge.question)],
        "reference": challenge.answer,
        "answer": best.answer.text,
        "evidence": challenge.evidence,
        "aspects": " ".join(f"[{aspect}]" for aspect in challenge.aspects),
        "hops": len({article_key(chunk.path) for chunk in gold}),
        "solve_rate": round(1.0 - float(episode.difficulty), 6),
        "difficulty": round(float(episode.difficulty), 6),
        "attempts": len(episode.attempts),
        "base_score": float(episode.base_score),
        "gold": [
            {
                "zim_id": chunk.zim_id,
                "path": chunk.path,
                "title": chunk.title,
                "heading": " › ".join(chunk.heading),
                "chunk_id": chunk.id,
                "start": chunk.start,
                "end": chunk.end,
                "text": chunk.text,
            }
            for chunk in gold
        ],
        **_columns(episode),
        "sources": _sources(gold, _cited(best)),
    }
    yield Drawn("reward", _asked(episode), _keys(episode, best), line)


# --- parts of a line ------------------------------------------------------------------------------------------------


def _verified(episode: Episode) -> Attempt:
    best = best_attempt(episode)
    if best is None:
        raise ValueError(f"episode {episode.id} has no answer")
    return best


def _gold(episode: Episode) -> tuple[Chunk, ...]:
    return episode.challenge.gold if episode.challenge else ()


def _asked(episode: Episode) -> str:
    return f"question {question_key(episode.challenge.question)}" if episode.challenge else ""


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _refusal(attempt: Attempt, *, same: bool) -> tuple[str, str]:
    """(why an answer was refused, why that cannot be relied on): one of them is "".

    What is wrong by the reference is so only for the `same` challenge; another may have expected another answer.
    """
    verdicts = [judgement.verdict for judgement in attempt.verdict.judgements]
    if attempt.fault:
        return "", "unusable output"
    if attempt.answer.abstained or not verdicts:
        return "", "abstained"
    if "unchecked" in verdicts:
        return "", "unchecked"
    if attempt.verdict.accepted:
        if attempt.right:
            return "", "right as well"
        return ("wrong", "") if same else ("", "supported, of another challenge")
    return ("contradicted" if "contradicted" in verdicts else "unsupported"), ""


def _columns(episode: Episode) -> dict[str, Any]:
    models = dict(episode.models)
    return {
        "id": episode.id,
        "question": episode.challenge.question if episode.challenge else "",
        "type": episode.type,
        "level": episode.level,
        "profile": episode.profile,
        "origin": episode.challenge.origin if episode.challenge else "",
        "writer": models.get("writer", ""),
        "judge": models.get("entailment", ""),
        "created_at": episode.created_at.replace("T", " ").replace("+00:00", " UTC"),
    }


def _cited(attempt: Attempt) -> list[Citation]:
    return [citation for claim in attempt.answer.claims for citation in claim.citations]


def _keys(episode: Episode, attempt: Attempt) -> tuple[str, ...]:
    paths = (*(chunk.path for chunk in _gold(episode)), *(citation.path for citation in _cited(attempt)))
    return tuple(dict.fromkeys(map(article_key, paths)))


def _shown(attempt: Attempt) -> tuple[Shown, ...]:
    return tuple(
        Shown(article_key(one.chunk.path), prompts.place(one.chunk), one.chunk.text) for one in attempt.passages
    )


def _citations(attempt: Attempt) -> list[dict[str, Any]]:
    judged = zip(attempt.answer.claims, attempt.verdict.judgements, strict=True)
    return [
        {
            "claim": claim.text,
            "probability": float(judgement.probability),
            "n": citation.n,
            "zim_id": citation.zim_id,
            "path": citation.path,
            "title": citation.title,
            "heading": " › ".join(citation.heading),
            "start": citation.start,
            "end": citation.end,
            "quote": citation.quote,
        }
        for claim, judgement in judged
        for citation in claim.citations
    ]


def _sources(*places: Sequence[Chunk] | Sequence[Citation]) -> list[dict[str, Any]]:
    found = dict.fromkeys((one.zim_id, one.path, one.title) for some in places for one in some)
    return [{"zim_id": zim_id, "path": path, "title": title} for zim_id, path, title in found]


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}

"""drzero.datasets.drawing: what an episode teaches, and what it must not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from drzero.datasets.drawing import (
    article_key,
    draw_answers,
    draw_pairs,
    draw_questions,
    draw_rewards,
    why_not,
)
from drzero.datasets.values import Shown
from drzero.types import Attempt, Episode, Judgement, Verdict
from tests.samples import ANSWER, ATTEMPT, CHALLENGE, CHUNK, CLAIM, OTHER, SILENT, make_episode

SALT, PEPPER = "article Salt & pepper#1", "article Pepper"
TEXT = CLAIM.text


def refused(text: str, verdict: Any, *, right: bool = False, status: Any = "unsupported") -> Attempt:
    """An attempt whose one claim got this verdict."""
    judged = Verdict((Judgement(verdict, 0.1, ("It is not said.",)),), status)
    answer = replace(ANSWER, text=text, claims=(replace(CLAIM, text=text),))
    score = replace(ATTEMPT.evaluation, overall=0.25)
    return replace(ATTEMPT, answer=answer, verdict=judged, right=right, evaluation=score)


def with_attempts(*attempts: Attempt, **changes: Any) -> Episode:
    """An episode whose best attempt is the first of these."""
    return make_episode(**{"attempts": attempts, "best": 0} | changes)


def pairs(*episodes: Episode) -> tuple[list[dict[str, Any]], Counter[str]]:
    count: Counter[str] = Counter()
    drawn = list(draw_pairs(episodes[0], episodes[1:], lambda reason: count.update([reason])))
    assert {one.task for one in drawn} <= {"pair"}
    return [one.line for one in drawn], count


@pytest.mark.parametrize(
    ("path", "key"),
    [("A/Salt", "article Salt"), ("Salt", "article Salt"), ("C/Salt", "article C/Salt"), ("A/A/b", "article A/b")],
)
def test_drawing_an_article_is_told_by_its_path(path: str, key: str) -> None:
    assert article_key(path) == key


def test_drawing_a_good_episode_has_something_to_teach() -> None:
    assert why_not(make_episode()) == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"challenge": None}, "no challenge or no answer is kept of it"),
        ({"best": -1}, "no challenge or no answer is kept of it"),
        ({"attempts": (), "best": 0}, "no challenge or no answer is kept of it"),
        ({"challenge": replace(CHALLENGE, gold=())}, "its sources are not kept"),
        ({"best": 0}, "its answer cites nothing"),
        (
            {
                "attempts": (replace(ATTEMPT, answer=replace(ANSWER, claims=(replace(CLAIM, citations=()),))),),
                "best": 0,
            },
            "its answer cites nothing",
        ),
        ({"attempts": (replace(ATTEMPT, passages=()),), "best": 0}, "the evidence that its solver saw is not kept"),
        ({"attempts": (replace(ATTEMPT, right=False),), "best": 0}, "its answer is not verified and right"),
        ({"attempts": (refused("No.", "unchecked"),), "best": 0}, "its answer is not verified and right"),
    ],
)
def test_drawing_leaves_out_what_was_not_checked(changes: dict[str, Any], said: str) -> None:
    assert why_not(make_episode(**changes)) == said


def test_drawing_an_answer_has_its_evidence_citations_and_sources() -> None:
    (drawn,) = draw_answers(make_episode(models=(("writer", "w"), ("entailment", "j"))))
    assert (drawn.task, drawn.sources) == ("answer", (SALT,))
    assert drawn.asked == "question what compound does table salt mainly consist of"
    assert drawn.shown == (
        Shown(SALT, "Salt › Make-up", CHUNK.text),
        Shown(PEPPER, "Pepper", OTHER.text),
    )
    assert drawn.line == {
        "id": "e1",
        "question": CHALLENGE.question,
        "type": "factual",
        "level": "easy",
        "profile": "wikipedia",
        "origin": "model",
        "writer": "w",
        "judge": "j",
        "created_at": "2026-01-02 03:04:05 UTC",
        "overall": 0.95,
        "citations": [
            {
                "claim": TEXT,
                "probability": 0.9,
                "n": 1,
                "zim_id": "zim-1",
                "path": "A/Salt & pepper#1",
                "title": "Salt",
                "heading": "Chemistry › Make-up",
                "start": 100,
                "end": 146,
                "quote": TEXT,
            }
        ],
        "sources": [{"zim_id": "zim-1", "path": "A/Salt & pepper#1", "title": "Salt"}],
        "answer": TEXT,
    }


def test_drawing_sources_are_gold_and_cited_articles_alike() -> None:
    (drawn,) = draw_answers(make_episode(challenge=replace(CHALLENGE, gold=(OTHER,))))
    assert drawn.sources == (PEPPER, SALT)
    assert [one["title"] for one in drawn.line["sources"]] == ["Pepper", "Salt"]


def test_drawing_a_question_is_made_of_the_sentence_and_its_words() -> None:
    (drawn,) = draw_questions(make_episode(), "Ask for a fact.")
    system, user, assistant = drawn.line["messages"]
    assert system["role"] == "system"
    assert system["content"].startswith("You write quiz questions.")
    assert system["content"].endswith(" Ask for a fact.")
    assert user == {
        "role": "user",
        "content": f"Article: Salt › Make-up\nSentence: {CHALLENGE.evidence}\nAnswer: sodium chloride",
    }
    assert assistant == {"role": "assistant", "content": CHALLENGE.question}
    assert (drawn.task, drawn.sources, drawn.shown) == ("question", (SALT,), ())


def test_drawing_no_question_of_an_answer_in_several_claims() -> None:
    attempt = replace(ATTEMPT, answer=replace(ANSWER, claims=(CLAIM, CLAIM)))
    assert list(draw_questions(with_attempts(attempt), "")) == []


def test_drawing_a_pair_is_a_verified_and_a_refused_answer() -> None:
    lines, count = pairs(with_attempts(ATTEMPT, refused("Salt is sugar.", "unsupported")))
    assert count == {}
    (line,) = lines
    assert (line["answer"], line["refused"]) == (TEXT, "Salt is sugar.")
    assert (line["rejected_for"], line["rejected_reasons"]) == ("unsupported", "It is not said.")
    assert (line["overall"], line["rejected_overall"], line["rejected_episode"]) == (0.95, 0.25, "e1")
    assert line["same_evidence"] is True


@pytest.mark.parametrize(
    ("attempt", "reason"),
    [
        (refused("Salt is sugar.", "contradicted"), "contradicted"),
        (refused("Salt is sugar.", "unsupported", status="partial"), "unsupported"),
        (refused("Salt is white.", "supported", status="supported"), "wrong"),
    ],
)
def test_drawing_what_a_pair_was_refused_for(attempt: Attempt, reason: str) -> None:
    (line,), _ = pairs(with_attempts(ATTEMPT, attempt))
    assert line["rejected_for"] == reason


@pytest.mark.parametrize(
    ("attempt", "reason"),
    [
        (SILENT, "abstained"),
        (refused("Salt is sugar.", "unchecked"), "unchecked"),
        (replace(refused("```", "unsupported"), fault="output-fenced"), "unusable output"),
        (refused("It is sodium chloride.", "supported", status="supported", right=True), "right as well"),
    ],
)
def test_drawing_what_makes_no_pair(attempt: Attempt, reason: str) -> None:
    assert pairs(with_attempts(ATTEMPT, attempt)) == ([], {reason: 1})


def test_drawing_one_unchecked_claim_spoils_a_pair() -> None:
    attempt = refused("Salt is sugar. It is sweet.", "unsupported")
    mixed = Verdict((*attempt.verdict.judgements, Judgement("unchecked", 0.0, ())), "unsupported")
    assert pairs(with_attempts(ATTEMPT, replace(attempt, verdict=mixed))) == ([], {"unchecked": 1})


def test_drawing_the_same_words_are_refused_once_and_never_the_chosen_ones() -> None:
    again = [refused(text, "unsupported") for text in ("Salt is sugar.", " salt  IS sugar.", TEXT.upper())]
    lines, count = pairs(with_attempts(ATTEMPT, *again))
    assert [line["refused"] for line in lines] == ["Salt is sugar."]
    assert count == {}


def test_drawing_pairs_with_another_episode_that_asked_the_same() -> None:
    other = with_attempts(replace(refused("Salt is sugar.", "unsupported"), passages=()), id="e2", status="quarantined")
    (line,), _ = pairs(with_attempts(ATTEMPT), other)
    assert (line["rejected_episode"], line["same_evidence"]) == ("e2", False)


def test_drawing_what_is_wrong_to_another_challenge_need_not_be_wrong_here() -> None:
    other = with_attempts(
        refused("Salt is white.", "supported", status="supported"), challenge=replace(CHALLENGE, answer="sugar")
    )
    assert pairs(with_attempts(ATTEMPT), other) == ([], {"supported, of another challenge": 1})


def test_drawing_a_pair_comes_from_the_articles_of_both_answers() -> None:
    bad = refused("Pepper is salt.", "unsupported")
    citation = replace(CLAIM.citations[0], path="Pepper", title="Pepper")
    bad = replace(bad, answer=replace(bad.answer, claims=(replace(CLAIM, citations=(citation,)),)))
    (drawn,) = draw_pairs(with_attempts(ATTEMPT, bad), (), lambda reason: None)
    assert drawn.sources == (SALT, PEPPER)
    assert [one["title"] for one in drawn.line["sources"]] == ["Salt", "Pepper"]


def test_drawing_a_line_for_reinforcement() -> None:
    (drawn,) = draw_rewards(make_episode(difficulty=0.25))
    line = drawn.line
    assert line["prompt"] == [{"role": "user", "content": CHALLENGE.question}]
    assert (line["reference"], line["answer"], line["aspects"]) == ("sodium chloride", TEXT, "[sodium chloride]")
    assert (line["hops"], line["solve_rate"], line["difficulty"]) == (1, 0.75, 0.25)
    assert (line["attempts"], line["base_score"]) == (2, 0.2)
    (gold,) = line["gold"]
    assert (gold["text"], gold["heading"], gold["start"], gold["end"]) == (CHUNK.text, "Chemistry › Make-up", 100, 163)
    assert (drawn.task, drawn.shown) == ("reward", ())


def test_drawing_hops_count_articles_and_not_chunks() -> None:
    twice = replace(CHALLENGE, gold=(CHUNK, replace(CHUNK, id="c3"), OTHER))
    (drawn,) = draw_rewards(make_episode(challenge=twice))
    assert drawn.line["hops"] == 2

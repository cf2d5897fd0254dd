"""drzero.loop.improving: examples, wordings, search, confidence, states and paired figures, without any model."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.loop import prompts
from drzero.loop.improving.arms import LEAST_TRIALS, Arm, arms_of, draw, next_trial
from drzero.loop.improving.lessons import MOST_WORDS, Lesson, choose_lessons, gives_away, lesson_of
from drzero.loop.improving.outcomes import Outcome, compare_states, state_figures
from drzero.loop.improving.paired import interval, mean, sign_test
from drzero.loop.improving.searching import (
    COST,
    LEAST_CHALLENGES,
    LEAST_HELD_OUT,
    MOST_READ,
    WEIGHTS,
    Search,
    Searched,
    calibrate_search,
    found_all,
    goodness,
)
from drzero.loop.improving.state import NOTHING, PARTS, Improvement, from_json, part_of, to_json
from drzero.loop.improving.trust import Trust, Trusted, brier, log_odds
from drzero.types import Claim, Step
from tests.samples import ANSWER, ATTEMPT, CHALLENGE, CHUNK, CITATION, SILENT, make_episode

# --- examples -------------------------------------------------------------------------------------------------------


def lesson(number: int, question: str, *, sentence: str = "", kind: str = "factual", path: str = "") -> Lesson:
    return Lesson(
        id=f"e{number}",
        kind=kind,
        question=question,
        answer=f"Answer {number}.",
        place=f"Title {number}",
        sentence=sentence or f"Sentence {number}.",
        span=f"span {number}",
        read=((f"Title {number}", f"Words {number}."),),
        articles=frozenset({("zim", path or f"A{number}")}),
    )


BRIDGES = (
    lesson(1, "When was the Forth Bridge opened to trains?", sentence="The Forth Bridge was opened in 1890."),
    lesson(2, "Who designed the Brooklyn Bridge?", sentence="The Brooklyn Bridge was designed by John Roebling."),
    lesson(3, "What does table salt consist of?", sentence="Table salt consists mainly of sodium chloride."),
)


def test_lessons_of_an_accepted_episode_are_its_question_source_span_answer_and_citation() -> None:
    taught = lesson_of(make_episode())
    assert taught == Lesson(
        id="e1",
        kind="factual",
        question=CHALLENGE.question,
        answer=ANSWER.text,
        place="Salt › Make-up",
        sentence="Table salt consists mainly of sodium chloride.",
        span="sodium chloride",
        read=(("Salt › Make-up", "Table salt consists mainly of sodium chloride."),),
        articles=frozenset({("zim-1", "A/Salt & pepper#1")}),
    )
    assert taught.shown("ask") == (
        "Article: Salt › Make-up\nSentence: Table salt consists mainly of sodium chloride.\nAnswer: sodium chloride",
        "What compound does table salt mainly consist of?",
    )
    assert taught.shown("read") == (
        "[1] Salt › Make-up\nTable salt consists mainly of sodium chloride.\n\n"
        "Question: What compound does table salt mainly consist of?",
        "Table salt consists mainly of sodium chloride.",
    )


def test_lessons_span_is_the_one_recorded_else_the_evidence() -> None:
    made = Step("proposed", "proposal", {"span": "mainly of salt"}, {"question": CHALLENGE.question}, 0.0)
    other = Step("proposed", "proposal", {"span": "nothing"}, {"question": "What else?"}, 0.0)
    recorded = lesson_of(make_episode(steps=(made, other)))
    assert recorded is not None
    assert recorded.span == "mainly of salt"
    plain = lesson_of(make_episode(challenge=replace(CHALLENGE, aspects=("a", "b")), steps=()))
    assert plain is not None
    assert plain.span == CHALLENGE.evidence


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "quarantined"},
        {"challenge": None},
        {"attempts": (SILENT,), "best": 0},
        {"challenge": replace(CHALLENGE, gold=())},
        {"attempts": (replace(ATTEMPT, answer=replace(ANSWER, claims=(Claim("It is.", ()),))),), "best": 0},
        {"attempts": (replace(ATTEMPT, answer=replace(ANSWER, claims=ANSWER.claims * 2)),), "best": 0},
    ],
)
def test_lessons_are_of_accepted_answers_of_one_cited_sentence_alone(changes: dict[str, object]) -> None:
    assert lesson_of(make_episode(**changes)) is None


def test_lessons_of_two_articles_belong_to_both() -> None:
    cited = (CITATION, replace(CITATION, path="Pepper", title="Pepper", heading=(), quote="Pepper  is\na spice."))
    answer = replace(ANSWER, claims=(Claim(ANSWER.text, cited),))
    taught = lesson_of(make_episode(attempts=(replace(ATTEMPT, answer=answer),), best=0))
    assert taught is not None
    assert taught.articles == {("zim-1", CHUNK.path), ("zim-1", "Pepper")}
    assert taught.read[1] == ("Pepper", "Pepper is a spice.")


def test_lessons_chosen_for_a_question_are_alike_and_the_most_alike_comes_last() -> None:
    chosen = choose_lessons(BRIDGES, "When was the Tower Bridge opened?", use="read", most=2)
    assert [one.id for one in chosen] == ["e2", "e1"]
    assert choose_lessons(BRIDGES, "When was the Tower Bridge opened?", use="read", most=1) == (BRIDGES[0],)
    assert choose_lessons(BRIDGES, "When was the Tower Bridge opened?", use="read", most=0) == ()
    assert choose_lessons((), "When was the Tower Bridge opened?", use="read", most=2) == ()


def test_lessons_that_have_nothing_in_common_are_not_shown() -> None:
    assert choose_lessons(BRIDGES, "How fast do cheetahs run?", use="read", most=2) == ()


def test_lessons_never_come_from_an_article_kept_apart() -> None:
    apart = frozenset({("zim", "A1")})
    chosen = choose_lessons(BRIDGES, "When was the Tower Bridge opened?", use="read", most=3, apart=apart)
    assert "e1" not in [one.id for one in chosen]
    assert "e2" in [one.id for one in chosen]


def test_lessons_chosen_are_of_one_article_each() -> None:
    twins = (*BRIDGES, lesson(4, "When was the Forth Bridge painted?", path="A1"))
    chosen = choose_lessons(twins, "When was the Tower Bridge opened?", use="read", most=3)
    assert sum(one.id in ("e1", "e4") for one in chosen) == 1


def test_lessons_that_give_the_answer_away_are_not_shown() -> None:
    question = "When was the Forth Bridge opened to trains?"
    assert gives_away(BRIDGES[0], question, "read")
    assert BRIDGES[0] not in choose_lessons(BRIDGES, question, use="read", most=3)
    sentence = "The Forth Bridge was opened in 1890."
    assert gives_away(BRIDGES[0], sentence, "ask")
    assert BRIDGES[0] not in choose_lessons(BRIDGES, sentence, use="ask", most=3, kind="factual")


def test_lessons_for_a_proposer_are_of_the_type_asked() -> None:
    mixed = (*BRIDGES, lesson(5, "Why?", sentence="The Tay Bridge was opened in 1887.", kind="temporal"))
    chosen = choose_lessons(mixed, "The Tower Bridge was opened in June 1894.", use="ask", most=2, kind="temporal")
    assert [one.id for one in chosen] == ["e5"]


def test_lessons_worded_by_a_template_teach_the_solver_alone() -> None:
    made = tuple(replace(one, origin="template") for one in BRIDGES)
    assert choose_lessons(made, "The Tower Bridge was opened in 1894.", use="ask", most=2, kind="factual") == ()
    assert choose_lessons(made, "When was the Tower Bridge opened?", use="read", most=1) == (made[0],)
    taught = lesson_of(make_episode(challenge=replace(CHALLENGE, origin="template")))
    assert taught is not None
    assert taught.origin == "template"


def test_lessons_that_are_long_are_not_worth_their_tokens() -> None:
    long = replace(BRIDGES[0], read=(("Forth Bridge", "word " * MOST_WORDS),))
    assert choose_lessons((long,), "When was the Tower Bridge opened?", use="read", most=1) == ()


def test_lessons_are_chosen_alike_in_whatever_order_they_come() -> None:
    question = "When was the Tower Bridge opened?"
    there = choose_lessons(BRIDGES, question, use="read", most=3)
    assert choose_lessons(BRIDGES[::-1], question, use="read", most=3) == there


def test_prompts_show_examples_behind_what_is_shared() -> None:
    plain = prompts.read("Who?", [("Salt", "It is.")])
    shown = prompts.read("Who?", [("Salt", "It is.")], examples=[BRIDGES[0].shown("read")])
    assert shown.shared == plain.shared
    assert shown.messages[: plain.shared] == plain.messages[: plain.shared]
    assert [role for role, _ in shown.messages[plain.shared :]] == ["user", "assistant", "user"]
    assert shown.messages[-1] == plain.messages[-1]
    assert shown.name == plain.name == "read/2"


# --- wordings -------------------------------------------------------------------------------------------------------


def test_prompts_variants_have_names_versions_and_rules_of_their_own() -> None:
    assert prompts.variants("ask")[0] == prompts.variants("read")[0] == ""
    for name in ("ask", "read"):
        for variant in prompts.variants(name)[1:]:
            assert prompts.versions()[f"{name}/{variant}"] >= 1
            assert prompts.label(name, variant) == f"{name}/{variant}.{prompts.versions()[f'{name}/{variant}']}"
    rules = [prompts.read("Who?", [], variant=variant).messages[0][1] for variant in prompts.variants("read")]
    assert len(set(rules)) == len(rules) >= 3
    assert all("Not found." in one for one in rules)
    with pytest.raises(KeyError):
        prompts.read("Who?", [], variant="no such")


def test_arms_count_the_trials_of_their_names() -> None:
    outcomes = [("", True), ("brief", False), ("", False), ("", True), ("gone", True)]
    assert arms_of(("", "brief", "blank"), outcomes) == (Arm("", 2, 1), Arm("brief", 0, 1), Arm("blank"))


def test_arms_of_an_episode_are_the_usual_wording_until_others_are_known() -> None:
    fresh = (Arm("", 1, 1), Arm("brief", 50, 0))
    assert {draw(fresh, Random(seed)) for seed in range(20)} == {""}
    new = (Arm("", 4, 2), Arm("brief", LEAST_TRIALS - 1, 0))
    assert {draw(new, Random(seed)) for seed in range(20)} == {""}


def test_arms_that_win_are_drawn_more_and_the_same_seed_draws_the_same() -> None:
    arms = (Arm("", 10, 10), Arm("brief", 19, 1), Arm("blank", 2, 18))
    drawn = Counter(draw(arms, Random(seed)) for seed in range(200))
    assert drawn["brief"] > 190
    assert [draw(arms, Random(seed)) for seed in range(9)] == [draw(arms, Random(seed)) for seed in range(9)]


def test_arms_are_tried_evenly_first_and_then_where_they_may_be_best() -> None:
    arms = [Arm(""), Arm("brief"), Arm("blank")]
    order = []
    for seed in range(3 * LEAST_TRIALS):
        name = next_trial(arms, Random(seed))
        order.append(name)
        arms = [Arm(one.name, one.won + (one.name == name), one.lost) for one in arms]
    assert order[:3] == ["", "brief", "blank"]
    assert Counter(order) == {"": LEAST_TRIALS, "brief": LEAST_TRIALS, "blank": LEAST_TRIALS}
    known = (Arm("", 0, 20), Arm("brief", 20, 0))
    assert {next_trial(known, Random(seed)) for seed in range(50)} == {"brief"}


def test_arms_find_the_better_of_two_wordings() -> None:
    """Bandits of known chances: after 60 trials the better wording has most of them, in nearly every run."""
    settled = 0
    for run in range(100):
        rng, arms = Random(run), [Arm(""), Arm("brief")]
        for _ in range(60):
            name = next_trial(arms, rng)
            won = rng.random() < {"": 0.5, "brief": 0.8}[name]
            arms = [Arm(a.name, a.won + (a.name == name and won), a.lost + (a.name == name and not won)) for a in arms]
        settled += arms[1].trials > arms[0].trials
    assert settled >= 85


# --- search ---------------------------------------------------------------------------------------------------------

USUAL = Search(0.7, 5)


def ranks(**by_weight: int) -> dict[float, tuple[int, ...]]:
    """The rank of the one gold chunk, everywhere `usual` but at the weights named."""
    usual = by_weight.pop("usual")
    return {weight: (by_weight.get(f"w{round(weight * 10)}", usual),) for weight in WEIGHTS}


def test_search_goodness_counts_what_is_read_less_its_cost() -> None:
    found = [ranks(usual=1), ranks(usual=6), ranks(usual=0), ranks(usual=3)]
    assert goodness(found, USUAL, USUAL) == 0.5
    assert goodness(found, Search(0.7, 6), USUAL) == pytest.approx(0.75 - COST)
    assert goodness(found, Search(0.7, 1), USUAL) == 0.25
    assert found_all((1, 5), 5)
    assert not found_all((1, 6), 5)
    assert not found_all((1, 0), 5)
    assert not found_all((), 5)


def test_search_is_calibrated_where_other_settings_find_more_on_both_parts() -> None:
    better = [ranks(usual=0, w9=1) if n % 2 else ranks(usual=1, w9=1) for n in range(60)]
    found = calibrate_search(better, better[:10], USUAL)
    assert found is not None
    assert found.search == found.wanted == Search(0.9, 5)
    assert (found.challenges, found.held_out) == (60, 10)
    assert found.gain == pytest.approx(0.5 * 60 / 90)
    assert found.held_out_gain == pytest.approx(0.5)


def test_search_stays_as_usual_where_the_held_out_challenges_do_not_gain() -> None:
    better = [ranks(usual=0, w9=1) for _ in range(60)]
    worse = [ranks(usual=5, w9=0) for _ in range(10)]
    found = calibrate_search(better, worse, USUAL)
    assert found is not None
    assert (found.search, found.wanted) == (USUAL, Search(0.9, 5))
    assert found.held_out_gain < 0


def test_search_stays_as_usual_for_a_gain_that_few_challenges_cannot_bear() -> None:
    some = [ranks(usual=5) for _ in range(LEAST_CHALLENGES)]
    found = calibrate_search(some, some[:LEAST_HELD_OUT], USUAL)
    assert found is not None
    assert (found.search, found.gain) == (USUAL, 0.0)
    luck = [
        ranks(usual=6),
        *some[1:],
    ]  # a sixth passage would bring one more of twenty, shrunk to two fifths, less cost
    found = calibrate_search(luck, [ranks(usual=6)] * LEAST_HELD_OUT, USUAL)
    assert found is not None
    assert found.wanted == Search(0.7, 6)
    assert found.gain == pytest.approx((1 / 20 - COST) * 20 / 50)
    assert found.search == Search(0.7, 6)
    small = [ranks(usual=6)] + [ranks(usual=5)] * 49
    found = calibrate_search(small, [ranks(usual=6)] * LEAST_HELD_OUT, USUAL)
    assert found is not None
    assert found.search == USUAL


def test_search_reads_no_more_passages_than_it_may() -> None:
    late = [ranks(usual=7) for _ in range(60)]
    found = calibrate_search(late, late, USUAL)
    assert found is not None
    assert found.search == Search(0.7, 7)
    kept = calibrate_search(late, late, USUAL, most=5)
    assert kept is not None
    assert kept.search == USUAL


def test_search_is_not_calibrated_on_too_few() -> None:
    some = [ranks(usual=1) for _ in range(LEAST_CHALLENGES)]
    assert calibrate_search(some[:-1], some, USUAL) is None
    assert calibrate_search(some, some[: LEAST_HELD_OUT - 1], USUAL) is None


def test_search_of_equals_is_the_nearest_to_the_usual() -> None:
    same = [ranks(usual=2) for _ in range(40)]
    found = calibrate_search(same, same, USUAL)
    assert found is not None
    assert found.search == USUAL
    assert USUAL.passages <= MOST_READ


# --- confidence -----------------------------------------------------------------------------------------------------


def test_trust_is_a_logistic_map_of_log_odds() -> None:
    assert Trust(1.0, 0.0).apply(0.8) == pytest.approx(0.8)
    assert Trust(0.5, 0.0).apply(0.8) == pytest.approx(2 / 3)  # odds of 4 become odds of 2
    assert Trust(0.0, math.log(3)).apply(0.1) == pytest.approx(0.75)


@given(st.floats(0, 1), st.floats(0, 5), st.floats(-5, 5))
def test_trust_gives_probabilities(confidence: float, slope: float, intercept: float) -> None:
    assert 0.0 <= Trust(slope, intercept).apply(confidence) <= 1.0


@given(st.floats(0, 1), st.floats(0, 1))
def test_trust_keeps_the_order(one: float, other: float) -> None:
    trust = Trust(0.7, -0.3)
    assert (one <= other) <= (trust.apply(one) <= trust.apply(other))


def test_trust_edges_are_finite() -> None:
    assert log_odds(0.0) == pytest.approx(-log_odds(1.0))
    assert math.isfinite(log_odds(1.0))
    assert brier([(1.0, True), (0.5, False)]) == 0.125
    assert brier([(1.0, True), (0.5, False)], Trust(0.0, 0.0)) == 0.25


# --- states ---------------------------------------------------------------------------------------------------------

STATE = Improvement(
    lessons=BRIDGES,
    shown=1,
    arms=(("ask", (Arm(""), Arm("brief", 3, 1))), ("read", (Arm("", 9, 0), Arm("quoting", 0, 9)))),
    searched=Searched(Search(0.9, 4), Search(0.9, 4), 0.1, 0.2, 30, 8),
    trusted=Trusted(Trust(0.5, 0.1), 40, 10, 0.2, 0.1),
)


def test_state_parts_of_challenges_are_a_matter_of_their_ids() -> None:
    parts = Counter(part_of(f"challenge {n}", 6) for n in range(3000))
    assert abs(parts["test"] - 500) < 70
    assert abs(parts["try"] - 500) < 70
    assert parts["learn"] == 3000 - parts["test"] - parts["try"]
    assert [part_of("one", 6), part_of("one", 6)] == [part_of("one", 6)] * 2


def test_state_as_text_and_back() -> None:
    text = to_json(STATE)
    assert json.loads(text)["lessons"] == ["e1", "e2", "e3"]
    assert from_json(text, {one.id: one for one in BRIDGES}) == STATE
    assert from_json(text, {"e2": BRIDGES[1]}) == replace(STATE, lessons=(BRIDGES[1],))
    assert from_json(to_json(NOTHING), {}) == NOTHING


def test_state_of_a_wording_that_is_gone_leaves_it_out() -> None:
    older = replace(STATE, arms=(("read", (Arm("", 9, 0), Arm("no such wording", 9, 0))),))
    assert from_json(to_json(older), {}).arms == (("read", (Arm("", 9, 0),)),)


def test_state_of_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="a state of format 0, not 1"):
        from_json('{"format": 0}', {})


def test_state_gives_what_was_learnt() -> None:
    (shown,) = STATE.examples("read", "When was the Tower Bridge opened?")
    assert shown == BRIDGES[0].shown("read")
    assert STATE.variant("read", Random(1)) == ""
    assert STATE.search == Search(0.9, 4)
    assert STATE.believed(0.8) == Trust(0.5, 0.1).apply(0.8)


def test_state_of_nothing_changes_nothing() -> None:
    assert NOTHING.examples("read", "When was the Tower Bridge opened?") == ()
    assert (NOTHING.variant("ask", Random(1)), NOTHING.search, NOTHING.believed(0.3)) == ("", None, 0.3)


def test_state_trust_that_did_worse_on_held_out_answers_is_not_used() -> None:
    worse = replace(STATE, trusted=Trusted(Trust(0.5, 0.1), 40, 10, 0.1, 0.2))
    assert worse.trust is None
    assert worse.believed(0.8) == 0.8
    assert worse.summary()["confidence"]["brier_after"] == 0.2


@pytest.mark.parametrize("part", PARTS)
def test_state_without_a_part_lacks_that_part_alone(part: str) -> None:
    less, only = STATE.without(part).summary(), STATE.without(*(one for one in PARTS if one != part)).summary()
    empty = NOTHING.summary()
    for name in PARTS:
        assert less[name] == (empty if name == part else STATE.summary())[name]
        assert only[name] == (STATE.summary() if name == part else empty)[name]
    assert (less["used"], only["used"]) == ([one for one in PARTS if one != part], [part])


def test_state_names_the_parts_that_can_change_anything() -> None:
    usual = Search(0.7, 5)
    idle = Improvement(
        lessons=BRIDGES,  # none is shown
        arms=(("ask", (Arm("", 9, 0), Arm("brief"))),),  # never tried
        searched=Searched(usual, usual, 0.0, 0.0, 30, 8),
        trusted=Trusted(Trust(0.5, 0.1), 40, 10, 0.1, 0.2),  # did worse
    )
    assert (NOTHING.summary()["used"], idle.summary()["used"]) == ([], [])
    refused = replace(STATE, searched=Searched(usual, Search(0.9, 4), 0.1, -0.2, 30, 8))
    assert refused.summary()["used"] == ["examples", "variants", "confidence"]
    assert NOTHING.with_wording("read", "quoting").summary()["used"] == ["variants"]


def test_state_without_an_unknown_part_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no part luck"):
        STATE.without("luck")


def test_state_with_one_wording_for_certain() -> None:
    fixed = STATE.with_wording("read", "quoting")
    assert {fixed.variant("read", Random(seed)) for seed in range(9)} == {"quoting"}
    assert fixed.variant("ask", Random(1)) == ""


# --- paired figures -------------------------------------------------------------------------------------------------


def test_paired_sign_test_is_exact() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(3, 3) == 1.0
    assert sign_test(5, 0) == 2 / 32
    assert sign_test(1, 7) == pytest.approx(2 * (1 + 8) / 256)
    assert sign_test(1500, 1500) == 1.0


def test_paired_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    differences = [1.0] * 6 + [0.0] * 20 + [-1.0] * 2
    low, high = interval(differences)
    assert low < mean(differences) < high
    assert interval(differences) == (low, high)
    assert interval([0.5] * 10) == (0.5, 0.5)
    assert interval([]) == (0.0, 0.0)
    assert -0.1 < low < 0.05
    assert 0.25 < high < 0.4


def outcome(number: int, *, solved: bool, **changes: object) -> Outcome:
    one = Outcome(
        challenge=f"c{number}",
        solved=solved,
        right=solved,
        supported=solved,
        abstained=False,
        score=0.9 if solved else 0.0,
        found=True,
        confidence=0.75,
        believed=0.5,
        tokens=100,
    )
    return replace(one, **changes)  # type: ignore[arg-type]


def test_outcomes_are_compared_challenge_by_challenge() -> None:
    base = [outcome(n, solved=n < 4) for n in range(10)]
    other = [outcome(n, solved=n in (0, 1, 2, 5, 6, 7, 8), tokens=150) for n in range(10)]
    figures = compare_states({"nothing": base, "all": other})
    assert (figures["n"], figures["against"]) == (10, "nothing")
    assert figures["states"]["nothing"]["solved"] == 0.4
    assert figures["states"]["all"]["tokens"] == 150
    compared = figures["comparisons"]["all"]
    assert compared["solved"]["difference"] == pytest.approx(0.3)
    assert (compared["solved"]["gained"], compared["solved"]["lost"]) == (4, 1)
    assert compared["solved"]["p"] == pytest.approx(2 * 6 / 32)
    assert compared["solved"]["low"] <= 0.3 <= compared["solved"]["high"]
    assert compared["score"]["difference"] == pytest.approx(0.27)
    assert "proposed" not in compared
    json.dumps(figures)


def test_outcomes_of_one_state() -> None:
    asked = [outcome(0, solved=True, proposed=True), outcome(1, solved=False, abstained=True, proposed=False)]
    figures = state_figures(asked)
    assert (figures["solved"], figures["abstained"], figures["proposed"]) == (0.5, 0.5, 0.5)
    assert figures["brier"] == 0.25  # of the one that was answered
    assert state_figures([outcome(0, solved=False, abstained=True)])["brier"] is None


def test_outcomes_of_other_challenges_are_refused() -> None:
    with pytest.raises(ValueError, match="the same challenges"):
        compare_states({"a": [outcome(1, solved=True)], "b": [outcome(2, solved=True)]})

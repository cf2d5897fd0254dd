from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from drzero.errors import DrZeroError
from drzero.evaluation import (
    GoldQuestion,
    LabelledPair,
    area_under_curve,
    evaluate_answers,
    evaluate_retrieval,
    evaluate_verifier,
    load_pairs,
    load_questions,
)
from drzero.types import AnswerStatus, Chunk, Citation, Claim, Judgement, Passage


def passage(path: str, rank: int, text: str = "text") -> Passage:
    return Passage(Chunk(f"{path}-{rank}", "z", path, path, (), text, 0, len(text)), 1 / rank, rank, "index")


def ranking(*paths: str) -> Callable[[str, int], list[Passage]]:
    return lambda _, k: [passage(path, rank) for rank, path in enumerate(paths, 1)][:k]


# --- retrieval ------------------------------------------------------------------------------------------------------


def test_evaluation_retrieval_ranks_articles_not_passages() -> None:
    gold = [GoldQuestion("q", "?", ("b",))]
    figures = evaluate_retrieval(gold, ranking("a", "a", "a", "a", "a", "b"))
    assert figures["n"] == 1
    assert (figures["recall@1"], figures["recall@5"]) == (0.0, 1.0)
    assert figures["mrr@10"] == 0.5
    assert figures["ndcg@10"] == pytest.approx(1 / math.log2(3))


def test_evaluation_retrieval_shares_several_gold_paths() -> None:
    gold = [GoldQuestion("q", "?", ("a", "z"))]
    figures = evaluate_retrieval(gold, ranking("a", *(f"x{n}" for n in range(10)), "z"))
    assert (figures["recall@1"], figures["recall@10"], figures["recall@20"], figures["all@10"]) == (0.5, 0.5, 1.0, 0.0)
    assert figures["mrr@10"] == 1.0
    assert figures["ndcg@10"] == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_evaluation_retrieval_means_over_questions() -> None:
    gold = [GoldQuestion("1", "?", ("a",)), GoldQuestion("2", "?", ("c",)), GoldQuestion("3", "?", ("z",))]
    figures = evaluate_retrieval(gold, ranking("a", "b", "c"))
    assert figures["recall@1"] == pytest.approx(1 / 3)
    assert figures["recall@5"] == figures["all@10"] == pytest.approx(2 / 3)
    assert figures["mrr@10"] == pytest.approx((1 + 1 / 3) / 3)
    assert 0 <= figures["p50_ms"] <= figures["p95_ms"]


def test_evaluation_retrieval_sentences_stand_whole_in_the_first_five() -> None:
    texts = ["Nothing.", "He said “yes” in 1931.[3] Then he left.", "x", "x", "x", "A sixth sentence."]
    gold = [
        GoldQuestion("1", "?", ("p",), ('He said "yes" in 1931.', "A sixth sentence.")),
        GoldQuestion("2", "?", ("p",)),
        GoldQuestion("3", "?", ("p",), ("He left and never came back.",)),
    ]
    figures = evaluate_retrieval(gold, lambda _, k: [passage("p", rank, text) for rank, text in enumerate(texts, 1)])
    assert figures["sentence_recall@5"] == pytest.approx(1 / 3)


def test_evaluation_retrieval_without_sentences_has_no_such_figure() -> None:
    assert evaluate_retrieval([GoldQuestion("1", "?", ("a",))], ranking("a"))["sentence_recall@5"] is None


def test_evaluation_retrieval_searches_deeper_until_twenty_articles_come() -> None:
    asked: list[int] = []
    paths = ["same"] * 150 + [f"other{n}" for n in range(500)]

    def search(question: str, k: int) -> list[Passage]:
        asked.append(k)
        return [passage(path, rank) for rank, path in enumerate(paths[:k], 1)]

    figures = evaluate_retrieval([GoldQuestion("q", "?", ("other17",))], search)
    assert asked == [100, 200]
    assert (figures["recall@10"], figures["recall@20"]) == (0.0, 1.0)


def test_evaluation_retrieval_of_nothing() -> None:
    figures = evaluate_retrieval([], ranking("a"))
    assert figures["n"] == 0
    assert {value for key, value in figures.items() if key != "n"} == {None}


# --- verifier -------------------------------------------------------------------------------------------------------


def judgement(verdict: str, probability: float) -> Judgement:
    return Judgement(verdict, probability, ())  # type: ignore[arg-type]


def test_evaluation_verifier_counts_supported_as_positive() -> None:
    labels = ["supported", "supported", "unsupported", "contradicted", "supported"]
    said = [("supported", 0.9), ("unchecked", 0.4), ("supported", 0.6), ("contradicted", 0.1), ("supported", 0.6)]
    pairs = [LabelledPair(str(n), "ab"[n % 2], str(n), "p", label) for n, label in enumerate(labels)]
    told: list[int] = []
    figures = evaluate_verifier(pairs, lambda asked: [judgement(*said[int(one)]) for one, _ in asked], tell=told.append)
    assert told == [5]
    assert figures["n"] == 5
    assert figures["accuracy"] == 3 / 5
    assert figures["precision"] == figures["recall"] == figures["f1"] == pytest.approx(2 / 3)
    assert figures["balanced_accuracy"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert figures["auc"] == pytest.approx(4.5 / 6)
    assert figures["by_source"] == {
        "a": {"n": 3, "auc": 0.75, "precision": pytest.approx(2 / 3), "recall": 1.0, "accuracy": pytest.approx(2 / 3)},
        "b": {"n": 2, "auc": 1.0, "precision": None, "recall": 0.0, "accuracy": 0.5},
    }
    assert figures["confusion"]["supported"] == {"supported": 2, "contradicted": 0, "unsupported": 0, "unchecked": 1}
    assert figures["confusion"]["contradicted"]["contradicted"] == 1


def test_evaluation_verifier_of_one_class_has_no_curve() -> None:
    pairs = [LabelledPair("1", "s", "c", "p", "supported")]
    figures = evaluate_verifier(pairs, lambda _: [judgement("supported", 0.9)])
    assert (figures["auc"], figures["balanced_accuracy"], figures["accuracy"]) == (None, None, 1.0)


def test_evaluation_verifier_judges_some_at_once_and_none_twice() -> None:
    asked: list[list[tuple[str, str]]] = []

    def judge(pairs: Sequence[tuple[str, str]]) -> list[Judgement]:
        asked.append(list(pairs))
        return [judgement("supported" if claim == "0" else "unsupported", 0.5) for claim, _ in pairs]

    labels = ["supported", *["unsupported"] * 39]
    pairs = [LabelledPair(str(n), "s", str(n % 40), "p", labels[n % 40]) for n in range(80)]
    told: list[int] = []
    figures = evaluate_verifier(pairs, judge, tell=told.append)
    assert [len(piece) for piece in asked] == [32, 8]
    assert told == [32, 64, 80]
    assert (figures["n"], figures["accuracy"], figures["recall"]) == (80, 1.0, 1.0)
    assert figures["pairs_per_s"] > 0


def test_evaluation_verifier_counts_why_pairs_were_refused() -> None:
    said = {
        "1": Judgement("supported", 0.9, ("Yes.",), ("noted",)),
        "2": Judgement("unsupported", 0.0, ("No.",), ("number",)),
        "3": Judgement("contradicted", 0.0, ("No.", "No."), ("number", "name", "name")),
        "4": Judgement("unchecked", 0.0, ("?",), ("unchecked",)),
    }
    pairs = [LabelledPair(n, "s", n, "p", "unsupported") for n in said]
    figures = evaluate_verifier(pairs, lambda asked: [said[claim] for claim, _ in asked])
    assert figures["by_reason"] == {"number": 2, "name": 1, "unchecked": 1}
    assert list(figures["by_reason"]) == ["number", "name", "unchecked"]


@pytest.mark.parametrize(
    ("truth", "scores", "area"),
    [
        ([1, 0], [0.9, 0.1], 1.0),
        ([1, 0], [0.1, 0.9], 0.0),
        ([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5], 0.5),
        ([1, 1, 0, 0], [0.8, 0.4, 0.4, 0.2], 3.5 / 4),
        ([1, 1], [0.8, 0.4], None),
    ],
)
def test_evaluation_area_under_curve_is_exact(
    truth: Sequence[int], scores: Sequence[float], area: float | None
) -> None:
    assert area_under_curve([bool(label) for label in truth], scores) == area


# --- answers --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reply:
    status: AnswerStatus
    answer: str
    claims: tuple[Claim, ...]


def reply(status: AnswerStatus, answer: str, *paths: str) -> Reply:
    citations = tuple(Citation(1, "i", "z", path, path, (), "c", "q", 0, 1) for path in paths)
    return Reply(status, answer, (Claim(answer, citations),))


def test_evaluation_answers_compare_with_the_best_right_answer() -> None:
    gold = [
        GoldQuestion("1", "1", ("a",), answers=("Vienna", "Wien")),
        GoldQuestion("2", "2", ("b",), answers=("in 1931",)),
        GoldQuestion("3", "3", ("c", "d"), answers=("the Danube",)),
        GoldQuestion("4", "4", ("e",)),
    ]
    replies = {
        "1": reply("supported", "The Wien", "a"),
        "2": reply("abstained", "not found in these archives"),
        "3": reply("partial", "It is the Danube.", "c", "x"),
        "4": reply("unsupported", "No one knows."),
    }
    figures = evaluate_answers(gold, replies.__getitem__)
    assert figures["n"] == 4
    assert figures["exact_match"] == pytest.approx(1 / 3)
    assert figures["f1"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert figures["contains"] == pytest.approx(2 / 3)
    assert (figures["answered"], figures["abstained"]) == (0.75, 0.25)
    assert figures["citation_precision"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert figures["citation_recall"] == pytest.approx((1 + 0 + 0.5 + 0) / 4)
    assert figures["supported"] == pytest.approx(1 / 3)


def test_evaluation_answers_without_right_answers() -> None:
    figures = evaluate_answers([GoldQuestion("4", "4", ("e",))], lambda _: reply("supported", "Yes.", "e"))
    assert (figures["exact_match"], figures["f1"], figures["contains"]) == (None, None, None)
    assert figures["citation_recall"] == 1.0


# --- gold files -----------------------------------------------------------------------------------------------------


def test_evaluation_reads_gold_questions(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    lines = [
        {"qid": "q1", "question": "Who?", "paths": ["A", "A"], "answers": ["me"]},
        {"question": "What?", "paths": ["B"], "type": None},
    ]
    path.write_text("\ufeff" + "\n\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert load_questions(path) == [
        GoldQuestion("q1", "Who?", ("A",), answers=("me",)),
        GoldQuestion("3", "What?", ("B",)),
    ]


def test_evaluation_reads_labelled_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"id": "1", "source": "s", "claim": "c", "passage": "p", "label": "contradicted"}\n')
    assert load_pairs(path) == [LabelledPair("1", "s", "c", "p", "contradicted")]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({}, ("1", "")),
        ({"id": None, "source": None}, ("1", "")),
        ({"id": 0, "source": 7}, ("0", "7")),
        ({"id": "a\ud800", "source": ["\udfff"]}, ("a\ufffd", "['\ufffd']")),
    ],
)
def test_evaluation_a_pair_s_id_and_source_are_texts_whatever_they_are(
    tmp_path: Path, given: dict[str, object], read: tuple[str, str]
) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"claim": "c", "passage": "p", "label": "supported", **given}))
    (pair,) = load_pairs(path)
    assert (pair.id, pair.source) == read


def test_evaluation_half_characters_in_a_gold_file_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps({"claim": "c\ud83d", "passage": "p\ude00 \U0001f600", "label": "supported"}))
    assert load_pairs(path) == [LabelledPair("1", "", "c\ufffd", "p\ufffd \U0001f600", "supported")]
    line = {
        "qid": None,
        "question": "Who\ud800?",
        "paths": ["A\ud800"],
        "sentences": ["\ud800."],
        "answers": ["\ud800"],
    }
    path.write_text(json.dumps(line | {"type": "\ud800"}))
    assert load_questions(path) == [GoldQuestion("1", "Who\ufffd?", ("A\ufffd",), ("\ufffd.",), ("\ufffd",), "\ufffd")]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"{}\n", 'line 1: a question needs "question"'),
        (b'{"question": "x", "paths": []}', "at least one path"),
        (b'{"question": "x", "paths": "A"}', "at least one path"),
        (b'{"question": "x", "paths": ["A"]}\n[1]', "line 2 is not a JSON object"),
        (b'{"question": "x", "paths": ["A"]}\nhello', "line 2 is not JSON"),
        (b'{"question": "x", "paths": ["A"], "answers": "y"}', "must be lists of texts"),
        (b"\xff\xfe", "is not UTF-8 text"),
    ],
)
def test_evaluation_bad_gold_file_is_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(content)
    with pytest.raises(DrZeroError, match=sentence):
        load_questions(path)


def test_evaluation_bad_pair_names_the_labels(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"claim": "c", "passage": "p", "label": "maybe"}')
    with pytest.raises(DrZeroError, match="one of supported, unsupported, contradicted"):
        load_pairs(path)
    with pytest.raises(DrZeroError, match="cannot be read"):
        load_pairs(tmp_path / "missing.jsonl")


@pytest.mark.data
def test_evaluation_reads_the_gold_sets(shared_data: Path) -> None:
    assert len(load_questions(shared_data / "gold" / "selqa_dev.jsonl")) == 785
    assert len(load_questions(shared_data / "gold" / "xquad_en.jsonl")) == 1190
    assert len(load_questions(shared_data / "gold" / "hotpot_100.jsonl")) == 100
    assert len(load_pairs(shared_data / "gold" / "verify_pairs_dev.jsonl")) == 1138

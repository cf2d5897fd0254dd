"""Gold files to figures: how well retrieval, the verifier and whole answers do on labelled data.

Nothing here knows an index or a model: each evaluation takes what it measures as a plain callable. Figures are shares
in [0,1] over all questions or pairs they apply to, and None where they apply to none.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, get_args

import numpy as np

from drzero.errors import DrZeroError
from drzero.normalising import Normalised, normalise
from drzero.text import storable, token_f1, words
from drzero.types import AnswerStatus, Claim, ClaimVerdict, Judgement, Passage

Figures = dict[str, Any]
CUTOFFS = (1, 5, 10, 20)
_SEARCH_K, _SEARCH_K_MOST = 100, 1600
_SENTENCE_K = 5
_PAIRS_AT_ONCE = 32
Judges = Callable[[Sequence[tuple[str, str]]], Sequence[Judgement]]
"""What judges (claim, passage) pairs, several at once."""


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with the archive paths that must be found, the words that support the answer, and right answers."""

    qid: str
    question: str
    paths: tuple[str, ...]
    sentences: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    type: str = ""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A claim and a passage with what people said: supported, unsupported or contradicted."""

    id: str
    source: str
    claim: str
    passage: str
    label: str


class Asked(Protocol):
    """What `ask` gives for one question, as far as it is measured."""

    @property
    def status(self) -> AnswerStatus: ...  # noqa: D102
    @property
    def answer(self) -> str: ...  # noqa: D102
    @property
    def claims(self) -> Sequence[Claim]: ...  # noqa: D102


# --- gold files -----------------------------------------------------------------------------------------------------


def load_questions(path: Path) -> list[GoldQuestion]:
    """Read `{"qid","question","paths",…}` lines; DrZeroError names the line that is none."""
    questions = []
    for number, line in _lines(path):
        if not isinstance(line.get("question"), str) or not _strings(line.get("paths")) or not line["paths"]:
            raise DrZeroError(f'{path}, line {number}: a question needs "question" and at least one path in "paths".')
        sentences, answers = line.get("sentences") or [], line.get("answers") or []
        if not _strings(sentences) or not _strings(answers):
            raise DrZeroError(f'{path}, line {number}: "sentences" and "answers" must be lists of texts.')
        paths = tuple(dict.fromkeys(line["paths"]))
        qid, kind = _label(line.get("qid"), number), _label(line.get("type"), "")
        questions.append(GoldQuestion(qid, line["question"], paths, tuple(sentences), tuple(answers), kind))
    return questions


def load_pairs(path: Path) -> list[LabelledPair]:
    """Read `{"id","source","claim","passage","label"}` lines; DrZeroError names the line that is none."""
    labels = ("supported", "unsupported", "contradicted")
    pairs = []
    for number, line in _lines(path):
        claim, passage, label = line.get("claim"), line.get("passage"), line.get("label")
        if not isinstance(claim, str) or not isinstance(passage, str) or label not in labels:
            wanted = f'"claim", "passage" and a "label" that is one of {", ".join(labels)}'
            raise DrZeroError(f"{path}, line {number}: a pair needs {wanted}.")
        id_, source = _label(line.get("id"), number), _label(line.get("source"), "")
        pairs.append(LabelledPair(id_, source, claim, passage, str(label)))
    return pairs


def _strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _label(value: object, otherwise: object) -> str:
    """`value` as text, whatever it is; `otherwise` where there is none."""
    return storable(str(otherwise if value is None else value))


def _storable(value: Any) -> Any:
    """A value of JSON whose texts UTF-8 can hold: an escape such as `\\ud800` alone is half a character."""
    if isinstance(value, str):
        return storable(value)
    return [_storable(item) for item in value] if isinstance(value, list) else value


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    found = False
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, text in enumerate(file, 1):
                if not text.strip():
                    continue
                line = json.loads(text)
                if not isinstance(line, dict):
                    raise DrZeroError(
                        f"{path}, line {number} is not a JSON object; a gold file holds one on each line."
                    )
                found = True
                yield number, {key: _storable(value) for key, value in line.items()}
    except OSError as error:
        raise DrZeroError(f"{path} cannot be read ({error.strerror}); name a gold file of JSON lines.") from error
    except UnicodeDecodeError as error:
        raise DrZeroError(f"{path} is not UTF-8 text; a gold file holds one JSON object on each line.") from error
    except json.JSONDecodeError as error:
        raise DrZeroError(
            f"{path}, line {number} is not JSON ({error.msg}); a gold file holds one object on each line."
        ) from error
    if not found:
        raise DrZeroError(f"{path} is empty; a gold file holds one JSON object on each line.")


# --- retrieval ------------------------------------------------------------------------------------------------------


def evaluate_retrieval(gold: Sequence[GoldQuestion], search: Callable[[str, int], Sequence[Passage]]) -> Figures:
    """Figures of `search(question, k)` over `gold`, ranked by article: the distinct paths in order of their passages.

    recall@k is the mean share of a question's gold paths among the first k articles, all@10 the share of questions with
    all of them among ten. mrr@10 looks at the first gold path, ndcg@10 gives each gold path a gain of 1.
    sentence_recall@5 is the share of all gold sentences that stand whole in one of the first five passages, after the
    one normalisation of both sides. p50_ms and p95_ms are the times of a search for 100 passages.
    """
    recalls: dict[int, list[float]] = {cutoff: [] for cutoff in CUTOFFS}
    everything, reciprocal, gains, stands, times_ms = [], [], [], [], []
    for question in gold:
        passages, articles, elapsed_ms = _search_articles(question.question, search)
        times_ms.append(elapsed_ms)
        ranks = sorted(articles.index(path) + 1 for path in question.paths if path in articles)
        for cutoff in CUTOFFS:
            recalls[cutoff].append(sum(rank <= cutoff for rank in ranks) / len(question.paths))
        top = [rank for rank in ranks if rank <= 10]
        everything.append(len(top) == len(question.paths))
        reciprocal.append(1 / top[0] if top else 0.0)
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(question.paths), 10) + 1))
        gains.append(sum(1 / math.log2(rank + 1) for rank in top) / ideal)
        first = [_normalised(passage.chunk.text) for passage in passages[:_SENTENCE_K]]
        stands += [any(text.find(_normalised(sentence)) for text in first) for sentence in question.sentences]
    return {
        "n": len(gold),
        **{f"recall@{cutoff}": _mean(recalls[cutoff]) for cutoff in CUTOFFS},
        "all@10": _mean(everything),
        "mrr@10": _mean(reciprocal),
        "ndcg@10": _mean(gains),
        "sentence_recall@5": _mean(stands),
        "p50_ms": float(np.percentile(times_ms, 50)) if times_ms else None,
        "p95_ms": float(np.percentile(times_ms, 95)) if times_ms else None,
    }


def _search_articles(
    question: str, search: Callable[[str, int], Sequence[Passage]]
) -> tuple[Sequence[Passage], list[str], float]:
    """The passages, the distinct paths among them (20 where there are so many), and the time of the first search."""
    k = _SEARCH_K
    began = time.perf_counter()
    passages = search(question, k)
    elapsed_ms = (time.perf_counter() - began) * 1000
    articles = list(dict.fromkeys(passage.chunk.path for passage in passages))
    while len(articles) < CUTOFFS[-1] and len(passages) == k and k < _SEARCH_K_MOST:
        k *= 2
        more = search(question, k)
        if len(more) <= len(passages):
            break
        # a deeper search may rank the same passages otherwise: it only adds what comes behind
        articles = list(dict.fromkeys([*articles, *(passage.chunk.path for passage in more)]))
        if len(more) < k:
            break
    return passages, articles, elapsed_ms


@lru_cache(maxsize=20_000)
def _normalised(text: str) -> Normalised:
    return normalise(text)


# --- verifier -------------------------------------------------------------------------------------------------------


def evaluate_verifier(
    pairs: Sequence[LabelledPair], judge: Judges, *, tell: Callable[[int], None] = lambda _: None
) -> Figures:
    """Figures of `judge([(claim, passage), …])` over labelled pairs; "supported" is the positive class.

    auc is exact: the chance that a supported pair has a higher probability than another pair, ties counting half.
    confusion counts verdicts by label, by_reason the codes of what was not found supported. Some pairs are judged at
    once, and none twice; `tell` hears how many are done, and pairs_per_s is how many were judged in a second.
    """
    started = time.perf_counter()
    judgements = _judged([(pair.claim, pair.passage) for pair in pairs], judge, tell)
    elapsed_s = time.perf_counter() - started
    confusion = {
        label: dict.fromkeys(get_args(ClaimVerdict), 0) for label in ("supported", "unsupported", "contradicted")
    }
    for pair, judgement in zip(pairs, judgements, strict=True):
        confusion[pair.label][judgement.verdict] += 1
    by_source = {}
    for source in sorted({pair.source for pair in pairs}):
        chosen = [i for i, pair in enumerate(pairs) if pair.source == source]
        figures = _binary([pairs[i] for i in chosen], [judgements[i] for i in chosen])
        by_source[source] = {key: figures[key] for key in ("n", "auc", "precision", "recall", "accuracy")}
    refused = Counter(code for one in judgements if one.verdict != "supported" for code in dict.fromkeys(one.codes))
    return {
        **_binary(pairs, judgements),
        "by_source": by_source,
        "confusion": confusion,
        "by_reason": dict(sorted(refused.items(), key=lambda item: (-item[1], item[0]))),
        "pairs_per_s": len(pairs) / max(elapsed_s, 1e-9),
    }


def _judged(pairs: Sequence[tuple[str, str]], judge: Judges, tell: Callable[[int], None]) -> list[Judgement]:
    """The judgement of each pair, equal pairs judged once."""
    known: dict[tuple[str, str], Judgement] = {}
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        piece = pairs[start : start + _PAIRS_AT_ONCE]
        new = [pair for pair in dict.fromkeys(piece) if pair not in known]
        if new:
            known.update(zip(new, judge(new), strict=True))
        tell(start + len(piece))
    return [known[pair] for pair in pairs]


def _binary(pairs: Sequence[LabelledPair], judgements: Sequence[Judgement]) -> Figures:
    truth = [pair.label == "supported" for pair in pairs]
    said = [judgement.verdict == "supported" for judgement in judgements]
    counts = Counter(zip(truth, said, strict=True))
    right, missed = counts[True, True], counts[True, False]
    wrong, refused = counts[False, True], counts[False, False]
    precision, recall = _share(right, right + wrong), _share(right, right + missed)
    specificity = _share(refused, refused + wrong)
    return {
        "n": len(pairs),
        "accuracy": _share(right + refused, len(pairs)),
        "balanced_accuracy": None if recall is None or specificity is None else (recall + specificity) / 2,
        "precision": precision,
        "recall": recall,
        "f1": _share(2 * right, 2 * right + wrong + missed),
        "auc": area_under_curve(truth, [judgement.probability for judgement in judgements]),
    }


def area_under_curve(truth: Sequence[bool], scores: Sequence[float]) -> float | None:
    """The area under the ROC curve, exactly: ties count half; None when one class is missing."""
    positive = np.asarray(truth, dtype=bool)
    wins = int(positive.sum()) * int((~positive).sum())
    if not wins:
        return None
    _, place, held = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True, return_counts=True)
    ranks = np.cumsum(held) - (held - 1) / 2  # mean rank of each distinct score, from 1
    count = int(positive.sum())
    return float((ranks[place][positive].sum() - count * (count + 1) / 2) / wins)


# --- answers --------------------------------------------------------------------------------------------------------


def evaluate_answers(gold: Sequence[GoldQuestion], ask: Callable[[str], Asked]) -> Figures:
    """Figures of `ask(question)` over `gold`.

    exact_match and f1 compare with the best of a question's right answers by words, articles left out, an abstention
    counting 0; contains says whether a right answer stands in the answer. answered and abstained are shares of all
    questions. citation_precision is the share of cited articles that are gold, over answered questions;
    citation_recall the share of gold paths cited, over all questions; supported the share of answered questions whose
    every claim was found supported.
    """
    exact, overlap, contains, cited_right, gold_cited, supported = [], [], [], [], [], []
    for question in gold:
        asked = ask(question.question)
        answered = asked.status != "abstained"
        cited = {citation.path for claim in asked.claims for citation in claim.citations} if answered else set()
        if question.answers:
            answer = asked.answer if answered else ""
            exact.append(any(answered and _bare(answer) == _bare(right) for right in question.answers))
            overlap.append(max(token_f1(answer, right) for right in question.answers) if answered else 0.0)
            contains.append(any(_holds(answer, right) for right in question.answers))
        gold_cited.append(sum(path in cited for path in question.paths) / len(question.paths))
        if answered:
            supported.append(asked.status == "supported")
            cited_right.append(len(cited & set(question.paths)) / len(cited) if cited else 0.0)
    return {
        "n": len(gold),
        "exact_match": _mean(exact),
        "f1": _mean(overlap),
        "contains": _mean(contains),
        "answered": _share(len(supported), len(gold)),
        "abstained": _share(len(gold) - len(supported), len(gold)),
        "citation_precision": _mean(cited_right),
        "citation_recall": _mean(gold_cited),
        "supported": _mean(supported),
    }


def _bare(answer: str) -> list[str]:
    return [word for word in words(answer) if word not in ("a", "an", "the")]


def _holds(answer: str, right: str) -> bool:
    wanted, given = words(right), words(answer)
    return bool(wanted) and any(given[i : i + len(wanted)] == wanted for i in range(len(given) - len(wanted) + 1))


def _mean(values: Iterable[float]) -> float | None:
    values = list(values)
    return sum(values) / len(values) if values else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None

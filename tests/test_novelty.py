"""drzero.loop.novelty: what was asked before, in other words too, is not asked again."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from drzero.loop.novelty import NEAR_COPY, Asked, _Signature, similarity
from drzero.types import Float32

BRIDGE = "When was the Forth Bridge opened?"


def nearest(known: str, question: str) -> float:
    asked = Asked()
    asked.add([known])
    return asked.nearest(question)[0]


def test_novelty_similarity_is_of_words_in_any_order() -> None:
    assert similarity(BRIDGE, "when was opened the FORTH bridge?") == 1.0
    assert similarity(BRIDGE, "Where was the Forth Bridge opened?") == 0.5
    assert similarity(BRIDGE, "When did Ada Lovelace die?") == 0.0


@pytest.mark.parametrize(
    "copy",
    [
        BRIDGE,
        "when was opened the FORTH bridge?",
        "WHEN WAS THE FORTH BRIDGE OPENED ?",
        "When was the Forth bridge  open?",
        "In what year was the Forth Bridge opened?",
        "On which date was the Forth Bridge opened?",
    ],
)
def test_novelty_knows_a_copy_in_other_dress(copy: str) -> None:
    assert nearest(BRIDGE, copy) >= NEAR_COPY


@pytest.mark.parametrize(
    ("known", "question"),
    [
        (BRIDGE, "Where was the Forth Bridge opened?"),
        (BRIDGE, "Who opened the Forth Bridge?"),
        (BRIDGE, "When was the Charles Bridge opened?"),
        ('When was the single "Cry" by Ann Able released?', 'When was the single "Crying Time" by Ann Able released?'),
        ("What does json.dump() return?", "What does json.dumps() return?"),
        ("In which version was queue.Queue added?", "In which version was queue.Queue.join() added?"),
        ("What happened at sea in 1950?", "What happened at sea in 1960?"),
        ("Which city is the capital of Algeria?", "Which city is the capital of Angola?"),
    ],
)
def test_novelty_what_asks_for_something_else_is_new(known: str, question: str) -> None:
    assert nearest(known, question) < NEAR_COPY


def test_novelty_of_nothing_known_is_whole() -> None:
    assert Asked().nearest(BRIDGE) == (0.0, "")


def test_novelty_names_the_nearest_question_the_older_of_equals() -> None:
    asked = Asked()
    asked.add(["Who opened the Forth Bridge?", BRIDGE, "", BRIDGE.upper()])
    assert asked.nearest(BRIDGE) == (1.0, BRIDGE)


def embed(texts: Sequence[str]) -> Float32:
    """Sense by hand: what begins a thing and what opens it is nearly the same."""
    rows = np.array(
        [[1.0, 0.1 * ("begin" in text), float("die" in text)] for text in texts],
        dtype=np.float32,
    )
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_novelty_by_sense_finds_other_words() -> None:
    asked = Asked(embed)
    asked.add(["When did the reign of Ann start?"])
    assert asked.nearest("When did Ann begin to rule?")[0] > NEAR_COPY
    assert asked.nearest("When did Ann, the ruler, die?")[0] < NEAR_COPY
    assert asked.nearest("Why did Ann begin to rule?")[0] < NEAR_COPY  # alike in sense, but it asks for the cause
    assert asked.nearest("When did Ben begin to rule?")[0] < NEAR_COPY  # another's reign


def test_novelty_by_sense_is_as_strict_as_it_is_set() -> None:
    known, question = "When did the reign of Ann start?", "When did Ann begin to rule?"
    for threshold, copy in ((0.9, True), (0.999, False)):
        asked = Asked(embed, threshold)
        asked.add([known])
        assert (asked.nearest(question)[0] >= NEAR_COPY) is copy


def test_novelty_embeds_each_question_once() -> None:
    seen: list[str] = []

    def counted(texts: Sequence[str]) -> Float32:
        seen.extend(texts)
        return embed(texts)

    asked = Asked(counted)
    asked.add([BRIDGE, BRIDGE])
    asked.add([BRIDGE, "Who opened it?"])
    assert seen == [BRIDGE, "Who opened it?"]


# --- the definition, question by question -----------------------------------------------------------------------------


def plain_nearest(known: Sequence[str], question: str, embedder: bool, near_vectors: float) -> tuple[float, str]:
    """`Asked.nearest` as it is defined: each known question is compared, the first of the best is taken."""
    ours = _Signature.of(question)
    near = [float(one) for one in scatter(known) @ scatter([question])[0]] if embedder else [0.0] * len(known)
    scores = [plain_score(ours, _Signature.of(text), one, near_vectors) for text, one in zip(known, near, strict=True)]
    best = max(range(len(known)), key=lambda at: (scores[at], -at))
    return min(scores[best], 1.0), known[best]


def plain_score(ours: _Signature, theirs: _Signature, near: float, near_vectors: float) -> float:
    named = ours.named | theirs.named
    if ours.whole and theirs.whole and ours.whole != theirs.whole:
        return 0.0
    if (ours.stems - theirs.stems) & named and (theirs.stems - ours.stems) & named:
        return 0.0
    alike = max(jaccard(ours.stems, theirs.stems), jaccard(ours.grams, theirs.grams))
    if ours.opening != theirs.opening:
        return alike / 2
    if near <= 0:
        sense = 0.0
    elif near < near_vectors:
        sense = near * NEAR_COPY / near_vectors
    else:
        sense = NEAR_COPY + (1 - NEAR_COPY) * (near - near_vectors) / max(1 - near_vectors, 1e-6)
    return max(alike, sense)


def jaccard(ours: frozenset[str], theirs: frozenset[str]) -> float:
    union = len(ours | theirs)
    return len(ours & theirs) / union if union else 1.0


def scatter(texts: Sequence[str]) -> Float32:
    """Vectors that depend on the words, many of them near one another, some opposed."""
    rows = np.array(
        [np.sum([Random(word).choices((-1, 0, 2), k=6) for word in text.split() or [""]], 0) for text in texts]
    )
    rows = rows.astype(np.float32) + np.float32(0.01)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


OPENINGS = (
    "When was",
    "In what year was",
    "Where was",
    "Who opened",
    "Why is",
    "Which",
    "What does",
    "How many",
    "Ist",
)
PARTS = (
    *("the", "of", "bridge", "bridges", "opened", "founded", "album", "single", "in", "and", "version", "zażółć", "橋"),
    *("Forth", "Ann Able", "Ben Baker", "New York", "1950", "1960", "3.11", '"Cry"', '"Crying Time"', "“Cry”"),
    *("json.dump()", "json.dumps()", "queue.Queue", "snake_case", "--", "C++", "O'Neill", "İstanbul"),
)


def any_question(rng: Random) -> str:
    return " ".join([rng.choice(OPENINGS), *rng.choices(PARTS, k=rng.randrange(7))]) + rng.choice(("?", "", " ?"))


ODD = ("?", " ", "the", "when", "a", "A?", "the of", "--", "1950", "Forth Forth", '""', "json.dump()", "橋")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("embedder", [False, True])
def test_novelty_nearest_is_what_comparing_each_gives(seed: int, embedder: bool) -> None:
    rng = Random(seed)
    near_vectors = rng.choice((0.5, 0.93, 1.0))
    known = list(dict.fromkeys([any_question(rng) for _ in range(rng.randrange(1, 60))] + rng.sample(ODD, 5)))
    rng.shuffle(known)
    asked = Asked(scatter if embedder else None, near_vectors)
    cut = rng.randrange(len(known))
    asked.add(known[:cut])
    asked.nearest(any_question(rng))
    asked.add(known[cut:])
    for question in (*ODD, *known[:5], *(any_question(rng) for _ in range(25))):
        assert asked.nearest(question) == plain_nearest(known, question, embedder, near_vectors), question


def test_novelty_of_a_vector_that_is_not_finite_what_asks_for_the_same_is_a_copy() -> None:
    def broken(texts: Sequence[str]) -> Float32:
        rows = embed(texts)
        for row, text in zip(rows, texts, strict=True):
            row[1] = np.nan if "reign" in text else np.inf if "rule" in text else row[1]
        return rows

    known, other = "When did the reign of Ann start?", "When did Ben die?"
    asked = Asked(broken)
    asked.add([other, known])
    assert asked.nearest("When did Ann go to the throne?") == (1.0, known)  # its vector is well, the known one's is not
    assert asked.nearest("Why did Ann go to the throne?")[0] < NEAR_COPY  # asks for the cause
    well = Asked(broken)
    well.add([other, "When did Ann go to the throne?"])
    assert well.nearest("When did Ann begin to rule?")[0] == 1.0  # the other way round
    assert well.nearest("Why did Ann begin to rule?")[0] < NEAR_COPY


def test_novelty_an_embedder_that_fails_leaves_what_is_known_as_it_was() -> None:
    fails = [True]

    def once(texts: Sequence[str]) -> Float32:
        if fails.pop():
            raise RuntimeError("out of memory")
        fails.append(False)
        return embed(texts)

    asked = Asked(once)
    with pytest.raises(RuntimeError):
        asked.add([BRIDGE])
    fails.append(False)
    asked.add([BRIDGE])
    assert asked.nearest(BRIDGE) == (1.0, BRIDGE)


@pytest.mark.parametrize("rows", [0, 2])
def test_novelty_as_many_vectors_as_questions(rows: int) -> None:
    asked = Asked(lambda _: np.ones((rows, 3), dtype=np.float32))
    with pytest.raises(ValueError, match="1 questions got vectors of shape"):
        asked.add([BRIDGE])


def test_novelty_known_questions_get_their_vectors_where_they_are_kept() -> None:
    seen: list[str] = []

    def kept(texts: Sequence[str]) -> Float32:
        seen.extend(texts)
        return embed(texts)

    asked = Asked(embed, kept=kept)
    asked.add([BRIDGE])
    assert asked.nearest("When was the Forth Bridge opened for trains?")[0] > 0.5
    assert seen == [BRIDGE]

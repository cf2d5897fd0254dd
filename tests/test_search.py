from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from drzero.config import Settings
from drzero.errors import IndexFault, SettingsError
from drzero.evaluation import evaluate_retrieval, load_questions
from drzero.pipeline import build_index, load_embedder
from drzero.results import BuildOptions
from drzero.retrieval.fusing import above_chance, reconsider
from drzero.retrieval.index import OpenIndex, build, open_index
from drzero.retrieval.search import DEPTH, TUNING, search
from drzero.text import content_id
from drzero.types import ArchiveInfo, Article, Chunk, Embedder, Float32, Ids, Passage, ReadEntry, Section
from drzero.workspace import Workspace
from tests.conftest import fetched_model
from tests.fakes import HashEmbedder
from tests.small_index import build_small, listed, tokenised

Shelf = Callable[..., OpenIndex]
EMBEDDER = HashEmbedder()


def chunk(article: Article) -> list[Chunk]:
    text = article.text
    return [
        Chunk(
            content_id(article.zim_id, article.path, 0, text),
            article.zim_id,
            article.path,
            article.title,
            (),
            text,
            0,
            len(text),
        )
    ]


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    """`shelf(name, {title: text})`: an open index of one chunk per title."""
    opened: list[OpenIndex] = []

    def make(name: str, pages: dict[str, str]) -> OpenIndex:
        articles = [Article(name, title, title, (Section((), text, 0),)) for title, text in pages.items()]
        entries = [
            ReadEntry(number, one.path, content_id(one.title, one.text), one.title, tokenised(chunk(one)))
            for number, one in enumerate(articles)
        ]
        build(
            info=ArchiveInfo(name, name, "", "other", "", "", "eng", len(pages)),
            read=listed(*entries),
            embedder=EMBEDDER,
            folder=tmp_path / name,
            settings={},
        )
        opened.append(open_index(tmp_path / name))
        return opened[-1]

    yield make
    for index in opened:
        index.close()


def titles(passages: Sequence[Passage]) -> list[str]:
    return [passage.chunk.title for passage in passages]


RIVERS = {
    "Danube": "It flows through Vienna and Budapest to the sea.",
    "Thames": "It flows through London and Oxford.",
    "Nile": "The longest of Africa, through Cairo.",
    "Seine": "A stream of Paris, slow and grey.",
}


QUESTION = "Which river flows through Budapest?"


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_search_finds_the_passage_in_every_mode(shelf: Shelf, mode: str) -> None:
    passages = search(
        [shelf("rivers", RIVERS)], "Which river flows through Budapest?", embedder=EMBEDDER, k=3, mode=mode
    )
    assert passages[0].chunk.title == "Danube"
    assert [passage.rank for passage in passages] == list(range(1, len(passages) + 1))
    assert [passage.score for passage in passages] == sorted((passage.score for passage in passages), reverse=True)
    assert {passage.index for passage in passages} == {"rivers"}


def test_search_dense_scores_are_similarities(shelf: Shelf) -> None:
    (passage,) = search([shelf("rivers", RIVERS)], "Nile\n" + RIVERS["Nile"], embedder=EMBEDDER, k=1, mode="dense")
    assert passage.score == pytest.approx(1.0, abs=1e-3)


def test_search_hybrid_scores_blend_similarity_and_share(shelf: Shelf) -> None:
    """A page that is the query word for word: every word in it, and as near as can be."""
    index = shelf("rivers", RIVERS)
    query = "Nile\n" + RIVERS["Nile"]
    (passage,) = search([index], query, embedder=EMBEDDER, k=1)
    assert passage.chunk.title == "Nile"
    near = index.vectors.vectors(range(4)) @ EMBEDDER.embed_queries([query])[0]
    (_, share), *_ = index.store.lexical(query, 1, comparable=True)
    assert passage.score == pytest.approx(0.3 * float(above_chance(near[2:3], near)[0]) + 0.7 * share)


def test_search_looks_at_what_the_first_passages_name(shelf: Shelf) -> None:
    """The page with the answer shares no word with the question; the page that the question is about names it."""
    pages = {
        **{f"Filler {n}": f"Filler text number {n} about state affairs." for n in range(120)},
        "Bisquick": "Bisquick is a baking mix sold by General Mills.",
        "General Mills": "Its seat is Minneapolis, Minnesota.",
    }
    found = search([shelf("food", pages)], "Which state is the maker of Bisquick from?", embedder=EMBEDDER, k=3)
    assert titles(found)[:2] == ["Bisquick", "General Mills"]
    assert found[0].score > found[1].score > found[2].score


def test_search_looks_at_what_is_named_in_other_indexes_too(shelf: Shelf) -> None:
    filler = {f"Filler {n}": f"Filler text number {n} about state affairs." for n in range(120)}
    food = shelf("food", {**filler, "Bisquick": "Bisquick is a baking mix sold by General Mills."})
    firms = shelf("firms", {"General Mills": "Its seat is Minneapolis.", "Juki": "It makes sewing machines."})
    found = search([food, firms], "Which state is the maker of Bisquick from?", embedder=EMBEDDER, k=3)
    assert [(passage.chunk.title, passage.index) for passage in found[:2]] == [
        ("Bisquick", "food"),
        ("General Mills", "firms"),
    ]


class ReverseReranker:
    """Prefers the texts that the search liked least."""

    id = "reverse"

    def __init__(self) -> None:
        self.read: list[str] = []

    def rerank(self, query: str, texts: Sequence[str]) -> Float32:
        self.read += texts
        return np.arange(len(texts), dtype=np.float32)


def test_search_reranker_moves_the_first_passages(shelf: Shelf) -> None:
    index = shelf("rivers", RIVERS)
    before = search([index], "flows through Budapest", embedder=EMBEDDER, mode="dense")
    reranker = ReverseReranker()
    after = search([index], "flows through Budapest", embedder=EMBEDDER, mode="dense", reranker=reranker)
    assert reranker.read == [f"{p.chunk.title}\n{p.chunk.text}" for p in before]
    assert sorted(titles(after)) == sorted(titles(before))
    expected = reconsider([((0, n), p.score) for n, p in enumerate(before)], range(4), TUNING.opinion_weight)
    assert [(p.chunk.id, p.score) for p in after] == [(before[n].chunk.id, score) for (_, n), score in expected]


def test_search_reranker_reads_no_more_than_the_depth(shelf: Shelf) -> None:
    index, reranker = shelf("rivers", RIVERS), ReverseReranker()
    assert len(search([index], "flows", embedder=EMBEDDER, reranker=reranker, rerank_depth=2)) == 4
    assert len(reranker.read) == 2
    search([index], "flows", embedder=EMBEDDER, reranker=reranker, rerank_depth=0)
    assert len(reranker.read) == 2


def test_search_first_hits_do_not_depend_on_k(tmp_path: Path) -> None:
    build_small(tmp_path / "small")
    with open_index(tmp_path / "small") as index:
        many = search([index], "amber mark", embedder=EMBEDDER, k=DEPTH)
        assert len(many) == DEPTH
        assert search([index], "amber mark", embedder=EMBEDDER, k=7) == many[:7]
        assert len(search([index], "amber mark", embedder=EMBEDDER, k=1000)) == index.count


def test_search_over_several_indexes_ranks_them_together(shelf: Shelf) -> None:
    indexes = [
        shelf("rivers", RIVERS),
        shelf("more", {"Vltava": "It flows through Prague.", "Oder": "It flows to the Baltic sea."}),
    ]
    for mode in ("hybrid", "dense", "lexical"):
        found = search(indexes, "flows through Prague", embedder=EMBEDDER, k=3, mode=mode)
        assert (found[0].chunk.title, found[0].index) == ("Vltava", "more")
        assert {passage.index for passage in found} == {"rivers", "more"}


def test_search_lexical_prefers_the_archive_that_knows_the_subject(shelf: Shelf) -> None:
    """The one page that mentions Python in a large archive of other things must not beat the Python archive."""
    docs = shelf(
        "docs",
        {f"Python {n}": f"Python sorts a {word} in place." for n, word in enumerate(("list", "tuple", "dict", "set"))},
    )
    zoo = shelf(
        "zoo", {**{f"Animal {n}": f"Animal {n} eats leaf {n}." for n in range(200)}, "Snake": "A python is a snake."}
    )
    assert titles(search([zoo, docs], "python list", embedder=None, k=2, mode="lexical"))[0] == "Python 0"


def test_search_gives_the_same_text_of_two_archives_once(shelf: Shelf) -> None:
    old = shelf("old", RIVERS)
    new = shelf("new", {"Danube": RIVERS["Danube"] + "!", "Elbe": "It flows through Dresden."})
    found = search([old, new], "Danube Budapest Vienna flows", embedder=EMBEDDER, k=10)
    assert titles(found).count("Danube") == 1
    assert found[0].index == "old"
    assert [passage.rank for passage in found] == [1, 2, 3, 4, 5]


def test_search_gives_a_paragraph_of_two_articles_once(shelf: Shelf) -> None:
    text = " ".join(f"word{n}" for n in range(30))
    index = shelf("twins", {"One": text, "Two": text + ".", "Three": text.replace("word7", "word70")})
    found = search([index], "word1 word2", embedder=EMBEDDER)
    assert sorted(titles(found)) in (["One", "Three"], ["Three", "Two"])
    assert [passage.rank for passage in found] == [1, 2]


def test_search_keeps_like_texts_of_one_archive(shelf: Shelf) -> None:
    index = shelf("twins", {"One": "The same words here.", "Two": "The same words here."})
    assert sorted(titles(search([index], "same words", embedder=EMBEDDER))) == ["One", "Two"]


@pytest.mark.parametrize("query", ["", " \n", "\t"])
def test_search_for_nothing_finds_nothing(shelf: Shelf, query: str) -> None:
    assert search([shelf("rivers", RIVERS)], query, embedder=EMBEDDER) == []


@pytest.mark.parametrize("query", ['"', "🌊", "\x00", "\ud800 Nile", "a" * 10_000, "NEAR(", "the " * 3000])
def test_search_takes_any_query(shelf: Shelf, query: str) -> None:
    index = shelf("rivers", RIVERS)
    assert len(search([index], query, embedder=EMBEDDER)) == 4
    assert len(search([index], query, embedder=EMBEDDER, mode="lexical")) <= 4


def test_search_nothing_asked_for(shelf: Shelf) -> None:
    assert search([shelf("rivers", RIVERS)], "Nile", embedder=EMBEDDER, k=0) == []
    assert search([], "Nile", embedder=EMBEDDER) == []


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_search_of_an_empty_index_beside_a_full_one(shelf: Shelf, mode: str) -> None:
    empty = shelf("empty", {})
    assert search([empty], QUESTION, embedder=EMBEDDER, mode=mode) == []
    assert titles(search([empty, shelf("rivers", RIVERS)], QUESTION, embedder=EMBEDDER, mode=mode, k=1)) == ["Danube"]


def test_search_skips_what_is_no_evidence_and_keeps_its_place_filled(tmp_path: Path) -> None:
    pages = [Article("z", f"p{n}", f"Page {n}", (Section((), f"amber mark {n}", 0),)) for n in range(6)]
    entries = [
        ReadEntry(
            n, one.path, content_id(one.path), one.title, tokenised([replace(chunk(one)[0], mark="stub" * (n < 3))])
        )
        for n, one in enumerate(pages)
    ]
    build(
        info=ArchiveInfo("z", "z", "", "other", "", "", "eng", 6),
        read=listed(*entries),
        embedder=EMBEDDER,
        folder=tmp_path / "z",
        settings={},
    )
    with open_index(tmp_path / "z") as index:
        found = search([index], "amber mark", embedder=EMBEDDER, k=3, evidence=True)
    assert sorted(titles(found)) == ["Page 3", "Page 4", "Page 5"]
    assert [passage.rank for passage in found] == [1, 2, 3]


def test_search_without_embedder_is_lexical_or_refused(shelf: Shelf) -> None:
    index = shelf("rivers", RIVERS)
    assert titles(search([index], "Cairo", embedder=None, mode="lexical")) == ["Nile"]
    with pytest.raises(IndexFault, match="needs the embedder"):
        search([index], "Cairo", embedder=None, mode="hybrid")


def test_search_with_another_embedder_names_both(shelf: Shelf) -> None:
    with pytest.raises(IndexFault, match="embedder hash-64, not other-64"):
        search([shelf("rivers", RIVERS)], "Cairo", embedder=HashEmbedder(name="other"))


def test_search_mode_must_be_known(shelf: Shelf) -> None:
    with pytest.raises(SettingsError, match="no search mode fuzzy; choose one of hybrid, dense, lexical"):
        search([shelf("rivers", RIVERS)], "Cairo", embedder=EMBEDDER, mode="fuzzy")


# --- the labelled questions -----------------------------------------------------------------------------------------


class AskedBefore:
    """An embedder that embeds all questions at once and then remembers them."""

    def __init__(self, embedder: Embedder, questions: Sequence[str]) -> None:
        self.id, self.dim = embedder.id, embedder.dim
        self._known = dict(zip(questions, embedder.embed_queries(questions), strict=True))

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        return np.stack([self._known[text] for text in texts])

    def embed_passages(self, texts: Sequence[str], tokens: Sequence[Ids] | None = None) -> Float32:
        raise NotImplementedError


@pytest.fixture(scope="session")
def shelf_of_gold(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace with the indexes of the labelled sets, made with the default embedder (minutes)."""
    workspace = Workspace(tmp_path_factory.mktemp("gold"))
    fetched_model("all-MiniLM-L6-v2", "embedder")
    names = ("wikipedia_en_selqa_2014", "xquad_en", "wikipedia_en_hotpot_intros")
    archives = tuple(shared_data / "zims" / "built" / f"{name}.zim" for name in names)
    reports = build_index(workspace, Settings(), BuildOptions(archives=archives), lambda _: None)
    assert [(report.status, report.truncated_chunks) for report in reports] == [("built", 0)] * 3
    return workspace


@pytest.mark.data
@pytest.mark.model
@pytest.mark.parametrize(
    ("index", "gold", "floors"),
    [
        (
            "wikipedia_en_selqa_2014",
            "selqa_dev",
            {"recall@1": 0.925, "recall@5": 0.985, "mrr@10": 0.95, "sentence_recall@5": 0.955},
        ),
        ("xquad_en", "xquad_en", {"recall@1": 0.97, "recall@5": 0.995, "mrr@10": 0.98, "sentence_recall@5": 0.97}),
        (
            "wikipedia_en_hotpot_intros",
            "hotpot_100",
            {"recall@1": 0.40, "recall@5": 0.88, "all@10": 0.92, "sentence_recall@5": 0.86},
        ),
    ],
)
def test_search_finds_the_gold_articles(
    shelf_of_gold: Workspace, shared_data: Path, index: str, gold: str, floors: dict[str, float]
) -> None:
    questions = load_questions(shared_data / "gold" / f"{gold}.jsonl")
    loaded = load_embedder(shelf_of_gold, Settings())
    embedder = AskedBefore(loaded, list(dict.fromkeys(question.question for question in questions)))
    with open_index(shelf_of_gold.index_folder(index)) as opened:
        figures = evaluate_retrieval(questions, lambda query, k: search([opened], query, embedder=embedder, k=k))
    assert figures["n"] == len(questions)
    assert {key: figures[key] for key, floor in floors.items() if figures[key] < floor} == {}

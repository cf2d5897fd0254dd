"""Where the embedder does not know a language: it is said at build time, and search goes by words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drzero import estimating, pipeline
from drzero.config import Settings
from drzero.documents import estimates_json, report_json
from drzero.output import estimates_text, reports_text
from drzero.results import BuildOptions
from drzero.retrieval.index import open_index
from drzero.retrieval.leaning import (
    FOREIGN,
    UNSPOKEN,
    USUAL,
    knows,
    knows_index,
    knows_query,
    lexical_weight,
    meaning_shares,
)
from drzero.retrieval.search import search
from drzero.types import BuildReport, Float32, Progress
from drzero.workspace import Workspace
from tests.conftest import MakeZim
from tests.fakes import HashEmbedder, WordTokenizer

FRENCH = {
    "Pont": "<html><body><h1>Pont</h1><p>Le vieux pont fut ouvert en 1931. Il franchit la Loire.</p></body></html>",
    "Tour": "<html><body><h1>Tour</h1><p>La tour mesure 40 mètres. Les cloches sonnent à midi.</p></body></html>",
}
ENGLISH = {"Tower": "<html><body><h1>Tower</h1><p>The tower is 40 metres high. Bells ring at noon.</p></body></html>"}
RUSSIAN = {
    f"p{number}": f"<html><body><p>Старый мост номер {number} открыли весной. Он стоит над рекой.</p></body></html>"
    for number in range(60)
}


class LetterTokenizer(WordTokenizer):
    """Reads Latin words whole, all others letter by letter, as an English vocabulary does."""

    def ids(self, texts: Sequence[str], *, alone: bool = False) -> list[list[int]]:
        if not alone:
            return super().ids(texts)
        return [[0] if text[:1] < "\u0370" else [ord(letter) for letter in text] for text in texts]


class Speaker(HashEmbedder):
    """An embedder whose model card states its languages."""

    def __init__(self, *languages: str, tokenizer: WordTokenizer | None = None) -> None:
        super().__init__(limit_tokens=256)
        self.id = "small-model@0123456789abcdef"
        self.description: dict[str, Any] = {"name": "small-model", "languages": list(languages)}
        self.tokenizer = tokenizer or self.tokenizer


Run = Callable[..., BuildReport]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "desk" / "zims").mkdir(parents=True)
    return Workspace(tmp_path / "desk")


def quiet(_: Progress) -> None:
    """Progress nobody looks at."""


@pytest.fixture
def build(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Run:
    def run(archive: Path, embedder: Speaker) -> BuildReport:
        use(monkeypatch, embedder)
        (report,) = pipeline.build_index(workspace, Settings(), BuildOptions((archive,)), quiet)
        return report

    return run


def use(monkeypatch: pytest.MonkeyPatch, embedder: Speaker) -> None:
    monkeypatch.setattr(pipeline, "embedder_id", lambda *_: embedder.id)
    monkeypatch.setattr(pipeline, "load_embedder", lambda *_: embedder)


def test_leaning_a_build_says_that_the_embedder_does_not_know_the_language(make_zim: MakeZim, build: Run) -> None:
    report = build(make_zim(FRENCH, name="livre.zim", metadata={"Language": "fra"}), Speaker("en"))
    said = (
        "livre: this archive is in French, but small-model was made for English, so search goes by words far more than "
        "by meaning; for search by meaning build it with a multilingual model: --embedder multilingual-e5-small, or "
        "the folder of one you have, --embedder PATH."
    )
    assert report.notes == (said,)
    assert said in reports_text([report]).splitlines()
    assert report_json(report)["notes"] == [said]


@pytest.mark.parametrize(
    ("pages", "language", "languages"),
    [
        (ENGLISH, "eng", ("en",)),
        (FRENCH, "fra", ("mul",)),
        (FRENCH, "fra", ("en", "fr")),
        (FRENCH, "fra", ()),
        (FRENCH, "und", ("en",)),
    ],
)
def test_leaning_a_build_says_nothing_where_all_is_well_or_unknown(
    make_zim: MakeZim, build: Run, pages: dict[str, str], language: str, languages: tuple[str, ...]
) -> None:
    report = build(make_zim(pages, metadata={"Language": language}), Speaker(*languages))
    assert report.notes == ()
    assert "notes" not in report_json(report)


@pytest.mark.parametrize(("language", "languages"), [("und", ("en",)), ("rus", ()), ("und", ())])
def test_leaning_a_tokenizer_that_reads_letters_gives_itself_away(
    make_zim: MakeZim, build: Run, language: str, languages: tuple[str, ...]
) -> None:
    archive = make_zim(RUSSIAN, metadata={"Language": language})
    (note,) = build(archive, Speaker(*languages, tokenizer=LetterTokenizer(256))).notes
    assert "small-model does not know" in note


def test_leaning_a_dry_run_says_it_before(
    make_zim: MakeZim, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = make_zim(FRENCH, name="livre.zim", metadata={"Language": "fra"})
    use(monkeypatch, Speaker("en"))
    (told,) = estimating.estimate(workspace, Settings(), BuildOptions((archive,)), quiet)
    (note,) = told.notes
    assert note.startswith("livre: this archive is in French, but small-model was made for English,")
    assert note in estimates_text([told]).splitlines()
    assert estimates_json([told])[0]["notes"] == [note]
    use(monkeypatch, Speaker("fr"))
    (told,) = estimating.estimate(workspace, Settings(), BuildOptions((archive,)), quiet)
    assert told.notes == ()


def test_leaning_what_is_stated_is_not_measured() -> None:
    embedder = Speaker("ru", tokenizer=LetterTokenizer())
    assert knows(embedder, "rus", lambda: pytest.fail("measured for nothing")) is True
    assert knows(Speaker("en"), "rus", lambda: pytest.fail("measured for nothing")) is False
    assert knows(None, "", list) is None
    assert knows(HashEmbedder(), "", list) is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("старый мост", False),
        ("мост", None),
        ("old bridge", None),
        ("", None),
        ("vieux château", None),
        ("phosphatidylserine dephosphorylation", None),
        ("TCP UDP", None),
        ("pip venv numpy fft", None),
        ("sys.argv старый мост", False),
        ("как сделать pip venv", False),
        ("мост pip", None),
    ],
)
def test_leaning_a_query_in_another_script_is_noticed(query: str, expected: bool | None) -> None:
    assert knows_query(Speaker("en", tokenizer=LetterTokenizer()), query) is expected


@pytest.mark.parametrize(("meaning", "expected"), [(USUAL, 0.7), (UNSPOKEN, 0.7 / 0.85), (FOREIGN, 0.7 / 1.9), (0, 1)])
def test_leaning_words_count_for_the_rest(meaning: float, expected: float) -> None:
    assert lexical_weight(0.7, meaning) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("language", "languages", "expected"),
    [
        ("fra", ("mul",), FOREIGN),
        ("fra", ("fr",), FOREIGN),
        ("fra", ("en",), UNSPOKEN),
        ("eng", ("mul",), USUAL),
        ("eng", ("en",), USUAL),
        ("fra,eng", ("mul",), USUAL),
        ("und", ("mul",), USUAL),
        ("fra", (), USUAL),
    ],
)
def test_leaning_what_meaning_counts_for(
    make_zim: MakeZim, build: Run, workspace: Workspace, language: str, languages: tuple[str, ...], expected: float
) -> None:
    embedder = Speaker(*languages)
    build(make_zim(FRENCH, name="livre.zim", metadata={"Language": language}), embedder)
    with open_index(workspace.index_folder("livre")) as index:
        assert meaning_shares([index], "le pont", embedder) == [expected]


def test_leaning_each_index_of_a_search_by_its_own_language(
    make_zim: MakeZim, build: Run, workspace: Workspace
) -> None:
    embedder = Speaker("en")
    build(make_zim(FRENCH, name="livre.zim", metadata={"Language": "fra"}), embedder)
    build(make_zim(ENGLISH, name="book.zim"), embedder)
    with open_index(workspace.index_folder("livre")) as french, open_index(workspace.index_folder("book")) as english:
        assert (knows_index(embedder, french), knows_index(embedder, english)) == (False, True)
        assert meaning_shares([french, english], "old bridge", embedder) == [UNSPOKEN, USUAL]
        assert [hit.chunk.path for hit in search([french, english], "les vieux ponts", embedder=embedder, k=1)] == [
            "Pont"
        ]
        assert [hit.chunk.path for hit in search([french, english], "high towers", embedder=embedder, k=1)] == ["Tower"]


def test_leaning_an_index_is_measured_once(make_zim: MakeZim, build: Run, workspace: Workspace) -> None:
    embedder = Speaker(tokenizer=LetterTokenizer(256))
    build(make_zim(RUSSIAN, name="kniga.zim", metadata={"Language": "und"}), embedder)
    with open_index(workspace.index_folder("kniga")) as index:
        assert meaning_shares([index], "bridge", embedder) == [UNSPOKEN]
        embedder.tokenizer = WordTokenizer(256)
        assert meaning_shares([index], "bridge", embedder) == [UNSPOKEN]


class Backwards:
    """A re-ranker that likes the longest passages, and counts what it is asked."""

    id = "backwards"

    def __init__(self) -> None:
        self.asked = 0

    def rerank(self, query: str, texts: Sequence[str]) -> Float32:
        self.asked += 1
        return np.array([len(text) for text in texts], dtype=np.float32)


def test_leaning_what_the_embedder_does_not_know_is_not_re_ranked(
    make_zim: MakeZim, build: Run, workspace: Workspace
) -> None:
    embedder, reranker = Speaker("en"), Backwards()
    build(make_zim(FRENCH, name="livre.zim", metadata={"Language": "fra"}), embedder)
    build(make_zim(ENGLISH, name="book.zim"), embedder)
    with open_index(workspace.index_folder("livre")) as french, open_index(workspace.index_folder("book")) as english:
        search([french, english], "les vieux ponts", embedder=embedder, reranker=reranker)
        assert reranker.asked == 0
        search([french, english], "high towers", embedder=embedder, reranker=reranker)
        assert reranker.asked == 1

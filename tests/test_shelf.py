"""drzero.shelf: which archives are here, which edition counts, and how often an article is read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from drzero import shelf as shelves
from drzero.corpus.zim import ZimArchive, open_archive
from drzero.shelf import Absent, Shelf
from drzero.types import Article, Citation
from drzero.workspace import Workspace
from tests.conftest import MakeZim

PAGES = {name: f"<h1>{name}</h1><p>The {name} opened in 1931.</p>" for name in ("Bridge", "Tower", "Mill")}


def cite(zim_id: str, name: str = "Bridge", start: int = 0) -> Citation:
    quote = f"The {name} opened in 1931."
    return Citation(1, "small", zim_id, name, name, (), "c", quote, start, start + len(quote))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "zims").mkdir()
    return Workspace(tmp_path)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the articles that are read from archives."""
    asked: list[str] = []
    usual = ZimArchive.article

    def article(self: ZimArchive, path: str) -> Article | None:
        asked.append(path)
        return usual(self, path)

    monkeypatch.setattr(ZimArchive, "article", article)
    return asked


def test_shelf_an_article_is_read_once_for_all_its_citations(
    workspace: Workspace, make_zim: MakeZim, reads: list[str]
) -> None:
    zim_id = open_archive(make_zim(PAGES, name="zims/small.zim")).info.id
    shelf = Shelf(workspace)
    for name in ("Bridge", "Tower", "Bridge", "Nowhere", "Tower", "Nowhere"):
        found = shelf.article(cite(zim_id, name))
        assert isinstance(found, str) == (name == "Nowhere")
        assert not isinstance(found, Absent)
        assert shelf.carried(cite(zim_id, name)) == cite(zim_id, name)
    assert reads == ["Bridge", "Tower", "Nowhere"]


def test_shelf_only_so_much_text_is_kept(
    workspace: Workspace, make_zim: MakeZim, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    zim_id = open_archive(make_zim(PAGES, name="zims/small.zim")).info.id
    monkeypatch.setattr(shelves, "_KEPT_CHARS", 60)
    shelf = Shelf(workspace)
    for name in ("Bridge", "Tower", "Bridge", "Mill", "Bridge", "Tower"):
        assert isinstance(shelf.article(cite(zim_id, name)), Article)
    assert reads == ["Bridge", "Tower", "Mill", "Tower"]  # the one that was asked for longest ago gave way


def test_shelf_says_what_it_knows_of_an_archive_that_is_not_here(workspace: Workspace) -> None:
    for names, said in (
        ({}, "its archive gone (small) is not here"),
        ({"gone": ("", "")}, "its archive gone (small) is not here"),
        ({"gone": ("wiki_2026-01", "")}, "its archive wiki_2026-01, gone (small) is not here"),
        (
            {"gone": ("wiki_2026-01", "2026-01-31")},
            "its archive wiki_2026-01 of 2026-01-31, gone (small) is not here",
        ),
    ):
        shelf = Shelf(workspace, names)
        found = shelf.article(cite("gone"))
        assert isinstance(found, Absent)
        assert found == said
        assert (shelf.info("gone"), shelf.newer("gone"), shelf.archive(cite("gone"))) == (None, None, None)
        assert (shelf.language(cite("gone")), shelf.index(cite("gone"))) == ("en", "")
        assert shelf.carried(cite("gone")) == cite("gone")


def test_shelf_the_newest_of_several_editions_counts(workspace: Workspace, make_zim: MakeZim) -> None:
    ids = {}
    for month in ("01", "03", "02"):
        archive = make_zim(PAGES, name=f"zims/wiki_2026-{month}.zim", metadata={"Date": f"2026-{month}-01"})
        ids[month] = open_archive(archive).info.id
    shelf = Shelf(workspace, {"gone": ("wiki_2025-12", "2025-12-01"), "later": ("wiki_2026-04", "2026-04-01")})
    newest = {id_: info.id if (info := shelf.newer(id_)) else None for id_ in (*ids.values(), "gone", "later")}
    assert newest == {ids["01"]: ids["03"], ids["02"]: ids["03"], ids["03"]: None, "gone": ids["03"], "later": None}
    assert shelf.carried(cite("gone")) == replace(cite(ids["03"]), index="wiki_2026-03")
    assert shelf.article(cite("gone", "Nowhere")) == "Nowhere is no longer in wiki_2026-03"
    assert isinstance(shelf.article(cite("later")), Absent)


def test_shelf_an_empty_quote_is_carried_nowhere(workspace: Workspace, make_zim: MakeZim) -> None:
    zim_id = open_archive(make_zim(PAGES, name="zims/small.zim")).info.id
    empty = replace(cite(zim_id), quote="", start=0, end=0)
    assert Shelf(workspace).carried(empty) == empty


def test_shelf_a_damaged_archive_is_not_here(workspace: Workspace, make_zim: MakeZim) -> None:
    archive = make_zim(PAGES, name="zims/small.zim")
    zim_id = open_archive(archive).info.id
    archive.write_bytes(archive.read_bytes()[:100])
    assert isinstance(Shelf(workspace).article(cite(zim_id)), Absent)

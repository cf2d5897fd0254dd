"""The commands' work as functions, on small archives and with a small embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero import pipeline
from drzero.config import Settings
from drzero.errors import ArchiveError, IndexFault, ModelError, SettingsError
from drzero.results import BuildOptions
from drzero.types import BuildReport, Float32, Progress
from drzero.workspace import BusyError, Workspace
from tests.conftest import MakeZim
from tests.fakes import HashEmbedder

PAGES = {
    "Bridge": "<html><body><h1>Bridge</h1><p>The old bridge opened in 1931. It spans the river Ouse.</p></body></html>",
    "Tower": "<html><body><h1>Tower</h1><p>The tower is 40 metres high. Bells ring at noon.</p></body></html>",
}
Build = Callable[..., tuple[BuildReport, ...]]


def quiet(_: Progress) -> None:
    """Progress nobody looks at."""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "desk" / "zims").mkdir(parents=True)
    return Workspace(tmp_path / "desk")


@pytest.fixture
def build(workspace: Workspace, embedder: HashEmbedder) -> Build:
    def run(*archives: Path, settings: Settings | None = None, **options: object) -> tuple[BuildReport, ...]:
        return pipeline.build_index(workspace, settings or Settings(), BuildOptions(archives, **options), quiet)  # type: ignore[arg-type]

    return run


# --- build-index ----------------------------------------------------------------------------------------------------


def test_pipeline_builds_all_archives_of_the_workspace(workspace: Workspace, make_zim: MakeZim, build: Build) -> None:
    make_zim(PAGES, name="desk/zims/b.zim")
    make_zim({"Ship": "<html><body><p>The ship sank in 1912.</p></body></html>"}, name="desk/zims/a.zim")
    reports = build()
    assert [(r.index, r.status, r.articles, r.chunks, r.truncated_chunks) for r in reports] == [
        ("a", "built", 1, 1, 0),
        ("b", "built", 2, 2, 0),
    ]
    assert workspace.index_names() == ("a", "b")
    assert [r.status for r in build()] == ["unchanged", "unchanged"]


def test_pipeline_names_the_archive_that_failed_and_goes_on(make_zim: MakeZim, build: Build, tmp_path: Path) -> None:
    good = make_zim(PAGES, name="good.zim")
    cut = tmp_path / "cut.zim"
    cut.write_bytes(good.read_bytes()[:-500])
    bad, fine = build(cut, good)
    assert (bad.index, bad.status, fine.index, fine.status) == ("cut", "failed", "good", "built")
    assert str(cut) in bad.reason
    assert "incomplete" in bad.reason
    assert pipeline.lost(bad) == ""


def test_pipeline_looks_at_archives_before_it_loads_a_model(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "page.zim").write_text("<html>not found</html>")
    settings = replace(Settings(), models=replace(Settings().models, embedder="nowhere"))
    (report,) = pipeline.build_index(workspace, settings, BuildOptions((tmp_path / "page.zim",)), quiet)
    assert (report.status, "not a ZIM" in report.reason) == ("failed", True)


def test_pipeline_says_which_model_is_missing(make_zim: MakeZim, workspace: Workspace) -> None:
    settings = replace(Settings(), models=replace(Settings().models, embedder="nowhere"))
    with pytest.raises(ModelError, match="nowhere"):
        pipeline.build_index(workspace, settings, BuildOptions((make_zim(PAGES),)), quiet)
    assert not workspace.index_folder("small").exists()


def test_pipeline_without_archives_says_where_they_belong(workspace: Workspace, build: Build) -> None:
    with pytest.raises(ArchiveError, match=r"There is no archive in .*zims: put a \.zim file there"):
        build()


def test_pipeline_one_name_is_for_one_archive(make_zim: MakeZim, build: Build, tmp_path: Path) -> None:
    one, two = make_zim(PAGES, name="one/x.zim"), make_zim(PAGES, name="two/x.zim")
    with pytest.raises(SettingsError, match="name one archive only"):
        build(one, two, name="y")
    with pytest.raises(SettingsError, match=r"would both become the index x: build one of them with --name\."):
        build(one, two)
    assert build(one, name="y")[0].index == "y"


def test_pipeline_limits_and_chooses_entries(make_zim: MakeZim, build: Build) -> None:
    archive = make_zim(PAGES)
    assert build(archive, limit=1)[0].articles == 1
    (report,) = build(archive, include=("B*",))
    assert (report.articles, dict(report.skipped)["excluded"]) == (1, 1)
    assert build(archive, exclude=("B*",), force=True)[0].articles == 1


def test_pipeline_loads_no_model_for_indexes_that_are_up_to_date(
    make_zim: MakeZim, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = make_zim(PAGES, name="one.zim"), make_zim({"Bridge": PAGES["Bridge"]}, name="two.zim")
    first = build(one, two)
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "load_embedder", lambda *_: pytest.fail("loaded for nothing"))
        again = build(one, two)
    assert [r.status for r in again] == ["unchanged", "unchanged"]
    assert [(r.articles, r.chunks) for r in again] == [(r.articles, r.chunks) for r in first]
    assert [r.status for r in build(one, two, limit=1)] == ["built", "built"]
    assert [r.status for r in build(one, two, limit=1, force=True)] == ["built", "built"]


def test_pipeline_makes_damaged_clusters_again_without_a_model(
    make_zim: MakeZim, build: Build, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = make_zim(PAGES)
    build(archive)
    (workspace.index_folder("small") / "clusters.faiss").write_bytes(b"lost")
    monkeypatch.setattr(pipeline, "load_embedder", lambda *_: pytest.fail("loaded for nothing"))
    again = build(archive)[0]
    assert (again.status, again.chunks) == ("built", 2)
    assert again.notes == ("small: only its clusters were made again; nothing else had changed.",)
    assert build(archive)[0].status == "unchanged"


def test_pipeline_goes_on_with_a_forced_build_without_force(
    make_zim: MakeZim, build: Build, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 300 chunks two batches of 128 are stored when the last one is interrupted."""
    pages = {f"{n}": f"<html><body><p>The mark is {n}.</p></body></html>" for n in range(300)}
    archive, plain = make_zim(pages), embedder.embed_passages
    build(archive)

    def interrupting(texts: Sequence[str], tokens: Any = None) -> Float32:
        if embedder.texts_embedded >= 300 + 256:
            raise KeyboardInterrupt
        return plain(texts, tokens)

    with monkeypatch.context() as patch:
        patch.setattr(embedder, "embed_passages", interrupting)
        with pytest.raises(KeyboardInterrupt):
            build(archive, force=True)
    report = build(archive)[0]
    assert (report.status, report.chunks, embedder.texts_embedded) == ("resumed", 300, 600)
    assert build(archive)[0].status == "unchanged"


def test_pipeline_builds_only_what_is_not_up_to_date(make_zim: MakeZim, build: Build) -> None:
    one, two = make_zim(PAGES, name="one.zim"), make_zim({"Bridge": PAGES["Bridge"]}, name="two.zim")
    build(two)
    assert [(r.index, r.status) for r in build(one, two)] == [("one", "built"), ("two", "unchanged")]


def test_pipeline_takes_a_folder_for_the_archives_in_it(make_zim: MakeZim, build: Build, tmp_path: Path) -> None:
    make_zim(PAGES, name="stick/b.zim")
    whole = make_zim({"Bridge": PAGES["Bridge"]}, name="stick/a.zim").rename(tmp_path / "whole.zim")
    content = whole.read_bytes()
    (tmp_path / "stick" / "a.zimaa").write_bytes(content[:1000])
    (tmp_path / "stick" / "a.zimab").write_bytes(content[1000:])
    assert [(r.index, r.status, r.articles) for r in build(tmp_path / "stick")] == [
        ("a", "built", 1),
        ("b", "built", 2),
    ]
    (tmp_path / "x.zim").mkdir()
    assert build(tmp_path / "x.zim")[0].reason == (
        f"{tmp_path / 'x.zim'} is a folder, not an archive: name a .zim file."
    )


def test_pipeline_says_when_chunks_are_too_short_for_a_title(make_zim: MakeZim, build: Build) -> None:
    title = " ".join(f"w{number}" for number in range(60))
    good = make_zim(PAGES, name="good.zim")
    bad = make_zim(
        {"long": (title, "<html><body><p>A text of its own.</p></body></html>", "text/html")}, name="bad.zim"
    )
    settings = replace(Settings(), index=replace(Settings().index, chunk_tokens=32))
    failed, built = build(bad, good, settings=settings)
    assert (failed.status, built.status) == ("failed", "built")
    assert failed.reason.startswith(
        f"{bad} cannot be cut into chunks of 32 tokens (32 tokens are too few for the title"
    )
    assert failed.reason.endswith("raise index.chunk_tokens, or choose an embedder that reads more.")


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (ModelError("The embedder gives no number for a text."), "The embedder gives no number for a text."),
        (
            ValueError("a text of 70 tokens is longer than 64"),
            "The embedder refuses a text (a text of 70 tokens is longer than 64); lower index.chunk_tokens, or choose "
            "another embedder.",
        ),
    ],
)
def test_pipeline_goes_on_behind_a_text_that_the_embedder_refuses(
    make_zim: MakeZim,
    build: Build,
    embedder: HashEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
    reason: str,
) -> None:
    plain = embedder.embed_passages

    def refusing(texts: Sequence[str], tokens: Any = None) -> Float32:
        if any("1912" in text for text in texts):
            raise fault
        return plain(texts, tokens)

    monkeypatch.setattr(embedder, "embed_passages", refusing)
    bad = make_zim({"Ship": "<html><body><p>The ship sank in 1912.</p></body></html>"}, name="bad.zim")
    failed, built = build(bad, make_zim(PAGES, name="good.zim"))
    assert (failed.index, failed.status, failed.reason) == ("bad", "failed", reason)
    assert (built.index, built.status, built.chunks) == ("good", "built", 2)


def test_pipeline_refuses_a_second_build_at_once(workspace: Workspace, make_zim: MakeZim, build: Build) -> None:
    archive = make_zim(PAGES)
    with workspace.locked("build-index"), pytest.raises(BusyError, match="Another `drzero build-index` is at work"):
        build(archive)


IMAGE, VIDEO, PDF = (
    ("x", b"\x89PNG", "image/png"),
    ("x", b"\x1aE\xdf\xa3", "video/webm"),
    ("x", b"%PDF-1.4", "application/pdf"),
)


def test_pipeline_an_archive_without_text_is_a_loss_counted_by_type(make_zim: MakeZim, build: Build) -> None:
    entries = {"a.png": IMAGE, "b.png": IMAGE, "c.webm": VIDEO, "empty": "<html><body><script>x</script></body></html>"}
    (report,) = build(make_zim(entries))
    assert (report.status, report.entries, report.chunks) == ("built", 4, 0)
    assert pipeline.lost(report) == (
        "small: no text was found in this archive (image 2, no-text 1, video 1), so nothing in it can be searched."
    )
    (again,) = build(make_zim(entries, name="small.zim"), limit=1)
    assert pipeline.lost(again) == pipeline.lost(report)


def test_pipeline_lost_text_is_told_from_text_that_never_was() -> None:
    report = BuildReport("x", "id", "html", "built", skipped=(("image", 3), ("unreadable", 5)))
    assert pipeline.lost(report) == "x: no text could be read in this archive (unreadable 5, image 3); fetch it again."
    assert pipeline.lost(replace(report, skipped=())) == (
        "x: no text was found in this archive (it is empty), so nothing in it can be searched."
    )


def test_pipeline_more_than_a_trace_of_unreadable_entries_is_a_loss_beside_any_number_of_pictures() -> None:
    report = BuildReport("x", "id", "html", "built", articles=990, chunks=990, skipped=(("unreadable", 10),))
    assert pipeline.lost(report) == ""
    fewer = replace(report, articles=980, aliases=5000, skipped=(("image", 5000), ("unreadable", 10)))
    assert pipeline.lost(fewer) == "x: 10 entries could not be read, beside 980 articles; fetch the archive again."


def test_pipeline_what_failed_is_no_second_time_a_loss() -> None:
    assert pipeline.lost(BuildReport("x", "", "", "failed", reason="It is damaged.")) == ""


def test_pipeline_checks_the_checksum_when_asked(make_zim: MakeZim, build: Build, tmp_path: Path) -> None:
    archive = make_zim(PAGES)
    content = bytearray(archive.read_bytes())
    content[-1] ^= 0xFF
    archive.write_bytes(content)
    (report,) = build(archive, verify=True)
    assert report.reason == f"{archive} is damaged: its checksum does not match its content; fetch it again."


@pytest.mark.data
def test_pipeline_checks_the_checksum_of_shared_archives(build: Build, shared_data: Path) -> None:
    bad, good = shared_data / "zims/invalid/bad_checksum.zim", shared_data / "zims/edge/good.zim"
    failed, built = build(bad, good, verify=True)
    assert failed.reason == f"{bad} is damaged: its checksum does not match its content; fetch it again."
    assert (failed.status, built.status, built.articles) == ("failed", "built", 1)
    assert build(bad)[0].status == "built"  # its content is sound, and nobody asked


def test_pipeline_a_good_checksum_lets_the_build_go_on(make_zim: MakeZim, build: Build) -> None:
    assert [r.status for r in build(make_zim(PAGES), verify=True)] == ["built"]


# --- kinds ----------------------------------------------------------------------------------------------------------

QUESTION = "<html><body><div id='question'><div class='js-post-body'><p>Why is it so?</p></div></div></body></html>"
BOARD = {"questions/1/why": QUESTION, "users/Bridge": PAGES["Bridge"]}  # as sotoki makes it, users are no articles


def test_pipeline_reads_an_archive_as_the_kind_asked_for(make_zim: MakeZim, build: Build) -> None:
    archive = make_zim(BOARD, metadata={"Scraper": "sotoki 2.0"})
    (told,) = build(archive)
    (forced,) = build(archive, kind="html")
    assert [(r.status, r.kind, r.articles) for r in (told, forced)] == [
        ("built", "sotoki", 1),
        ("built", "html", 2),
    ]
    assert build(archive, kind="html")[0].status == "unchanged"
    assert build(archive, kind="devdocs")[0].status == "built"
    assert [(r.status, r.kind) for r in build(archive)] == [("built", "sotoki")]


def test_pipeline_reports_count_the_entries_of_the_archive(make_zim: MakeZim, build: Build) -> None:
    archive = make_zim({**PAGES, "x.png": IMAGE}, redirects={"Brücke": ("Brücke", "Bridge")})
    assert [r.entries for r in (*build(archive), *build(archive))] == [4, 4]


# --- search ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_pipeline_search_finds_the_passage(
    workspace: Workspace, make_zim: MakeZim, build: Build, mode: pipeline.Mode
) -> None:
    build(make_zim(PAGES))
    result = pipeline.search(workspace, Settings(), "When did the bridge open?", mode=mode)
    assert result.query == "When did the bridge open?"
    assert (result.hits[0].chunk.path, result.hits[0].rank, result.hits[0].index) == ("Bridge", 1, "small")
    assert result.elapsed_ms > 0


def test_pipeline_search_takes_k_and_the_indexes_named(workspace: Workspace, make_zim: MakeZim, build: Build) -> None:
    build(make_zim(PAGES, name="one.zim"), make_zim({"Bridge": PAGES["Bridge"]}, name="two.zim"))
    settings = replace(Settings(), search=replace(Settings().search, k=1))
    result = pipeline.search(workspace, settings, "bridge", indexes=("two",))
    assert [hit.index for hit in result.hits] == ["two"]


def test_pipeline_lexical_search_needs_no_model(workspace: Workspace, make_zim: MakeZim, build: Build) -> None:
    build(make_zim(PAGES))
    settings = replace(Settings(), models=replace(Settings().models, embedder="nowhere"))
    assert pipeline.search(workspace, settings, "bells", mode="lexical").hits[0].chunk.path == "Tower"


def test_pipeline_search_refuses_another_embedder(
    workspace: Workspace, make_zim: MakeZim, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(make_zim(PAGES))
    monkeypatch.setattr(pipeline, "embedder_id", lambda *_: "other-64")
    monkeypatch.setattr(pipeline, "load_embedder", lambda *_: pytest.fail("loaded for nothing"))
    with pytest.raises(IndexFault, match=r"hash-64.*other-64"):
        pipeline.search(workspace, Settings(), "bridge")
    settings = replace(Settings(), models=replace(Settings().models, llm="none"))
    with pytest.raises(IndexFault, match=r"hash-64.*other-64"):
        pipeline.make_ready(workspace, settings)


# --- before anything heavy ------------------------------------------------------------------------------------------


def test_pipeline_make_ready_looks_at_indexes_profile_and_models_in_turn(
    workspace: Workspace, make_zim: MakeZim, build: Build, tmp_path: Path
) -> None:
    with pytest.raises(IndexFault, match="run `drzero build-index` first"):
        pipeline.make_ready(workspace, Settings())
    build(make_zim(PAGES))
    settings = replace(Settings(), loop=replace(Settings().loop, profile="cooking"))
    with pytest.raises(SettingsError, match="cooking"):
        pipeline.make_ready(workspace, settings)
    (tmp_path / "text.gguf").write_text("no model")
    settings = replace(Settings(), models=replace(Settings().models, llm=str(tmp_path / "text.gguf")))
    with pytest.raises(ModelError, match=r"text\.gguf"):
        pipeline.make_ready(workspace, settings)
    settings = replace(Settings(), models=replace(Settings().models, llm="none"))
    ready = pipeline.make_ready(workspace, settings)
    assert (ready.indexes, ready.profile.name, ready.writer) == (("small",), "wikipedia", None)

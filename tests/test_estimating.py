"""drzero.estimating: what a dry run says, against what a build finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from drzero import estimating, pipeline
from drzero.config import Settings
from drzero.corpus.zim import open_archive
from drzero.errors import ArchiveError, ModelError
from drzero.results import BuildOptions, Estimate
from drzero.types import BuildReport, Float32, Ids, Progress
from drzero.workspace import Workspace
from tests.conftest import MakeZim
from tests.fakes import HashEmbedder

IMAGE = ("x", b"\x89PNG", "image/png")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "desk" / "zims").mkdir(parents=True)
    return Workspace(tmp_path / "desk")


def quiet(_: Progress) -> None:
    """Progress nobody looks at."""


def page(number: int) -> str:
    """A page of some length between one sentence and forty, telling nothing twice."""
    count = 1 + number * 7 % 40
    text = " ".join(f"Fact {number}.{line} weighs {number * line} grams and no more." for line in range(count))
    return f"<html><body><h1>Page {number}</h1><p>{text}</p></body></html>"


def archive_of(make_zim: MakeZim, pages: int, images: int = 0, redirects: int = 0) -> Path:
    return make_zim(
        {f"p{n}": page(n) for n in range(pages)} | {f"i{n}.png": IMAGE for n in range(images)},
        redirects={f"r{n}": (f"Name {n}", f"p{n % pages}") for n in range(redirects)},
    )


def run(workspace: Workspace, *archives: Path, settings: Settings | None = None, **options: object) -> Estimate:
    """The estimate of one archive, read without a limit of time."""
    sampled = {key: options.pop(key) for key in ("sampled_entries",) if key in options}
    (found,) = estimating.estimate(
        workspace,
        settings or Settings(),
        BuildOptions(archives, **options),
        quiet,
        reading_s=600.0,
        **sampled,  # type: ignore[arg-type]
    )
    return found


def built(workspace: Workspace, archive: Path, **options: object) -> BuildReport:
    (report,) = pipeline.build_index(workspace, Settings(), BuildOptions((archive,), **options), quiet)  # type: ignore[arg-type]
    return report


@pytest.mark.parametrize("options", [{}, {"limit": 7}, {"limit": 99}, {"exclude": ("p1*",)}, {"include": ("nothing",)}])
def test_estimating_a_small_archive_is_read_whole_and_counted_exactly(
    workspace: Workspace, make_zim: MakeZim, embedder: HashEmbedder, options: dict[str, object]
) -> None:
    archive = archive_of(make_zim, 30, images=10, redirects=5)
    found = run(workspace, archive, **options)
    report = built(workspace, archive, **options)
    assert (found.articles, found.chunks, found.chunks_low, found.chunks_high) == (
        report.articles, report.chunks, report.chunks, report.chunks,
    )  # fmt: skip
    assert (found.index, found.kind, found.language, found.status) == ("small", "html", "eng", "planned")
    assert (found.exact, found.sampled_entries, found.entries) == (True, 45, 45)


def test_estimating_counts_the_characters_of_what_is_read(
    workspace: Workspace, make_zim: MakeZim, embedder: HashEmbedder
) -> None:
    archive = archive_of(make_zim, 5)
    texts = [reading.article.text for reading in open_archive(archive).walk() if reading.article]
    assert run(workspace, archive).characters == sum(map(len, texts))


def test_estimating_a_sample_stands_for_all_and_its_range_holds_the_truth(
    workspace: Workspace, make_zim: MakeZim, embedder: HashEmbedder
) -> None:
    archive = archive_of(make_zim, 300, images=100, redirects=200)
    found = run(workspace, archive, sampled_entries=120)
    again = run(workspace, archive, sampled_entries=120)
    whole = run(workspace, archive)
    assert (found.exact, found.sampled_entries, found.entries) == (False, 120, 600)
    assert (whole.articles, whole.exact) == (300, True)
    assert found.articles == pytest.approx(300, rel=0.05)  # redirects and images lie apart, and each stretch gives one
    assert found.characters == pytest.approx(whole.characters, rel=0.15)
    assert found.chunks_low <= whole.chunks <= found.chunks_high
    assert found.chunks_low < found.chunks < found.chunks_high
    assert (again.articles, again.characters, again.chunks) == (found.articles, found.characters, found.chunks)


def test_estimating_a_limit_scales_what_a_sample_says(
    workspace: Workspace, make_zim: MakeZim, embedder: HashEmbedder
) -> None:
    archive = archive_of(make_zim, 300)
    whole = run(workspace, archive, sampled_entries=100)
    part = run(workspace, archive, sampled_entries=100, limit=30)
    assert (whole.articles, part.articles) == (300, 30)
    assert part.chunks == pytest.approx(whole.chunks / 10, abs=1)
    assert part.expected_s < whole.expected_s


def test_estimating_stops_reading_when_its_time_is_over(
    workspace: Workspace, make_zim: MakeZim, embedder: HashEmbedder
) -> None:
    (found,) = estimating.estimate(
        workspace, Settings(), BuildOptions((archive_of(make_zim, 40),)), quiet, reading_s=0.0
    )
    assert (found.sampled_entries, found.exact, found.articles) == (1, False, 40)


@pytest.mark.parametrize(("length", "count"), [(0, 10), (1, 10), (10, 10), (1000, 7), (10**9, 400)])
def test_estimating_draws_one_position_of_each_stretch(length: int, count: int) -> None:
    drawn = estimating._draw(length, count, Random("id"))
    assert drawn == estimating._draw(length, count, Random("id"))
    number = min(length, count)
    assert [position * number // length for position in sorted(drawn)] == list(range(number))


def test_estimating_totals_are_those_of_a_sample_without_repetition() -> None:
    rows = np.array([[0.0, 10, 1, 2], [1.0, 20, 1, 2], [1.0, 30, 1, 2], [0.0, 40, 1, 2]])
    totals, errors, tilt = estimating._totals(rows, 8)
    assert totals.tolist() == [4, 200, 8, 16]
    assert errors[1] == pytest.approx(8 * np.sqrt(500 / 3) * np.sqrt((1 - 4 / 8) / 4))
    assert (errors[2:].tolist(), tilt) == ([0, 0], 0)
    assert estimating._totals(rows, 4)[1].tolist() == [0, 0, 0, 0]


def test_estimating_a_range_reaches_farther_up_where_few_articles_are_long() -> None:
    rows = np.zeros((8, 4))
    rows[0, 2] = 8.0
    spread = np.sqrt(8.0)  # mean 1, seven deviations of -1 and one of 7
    _, errors, tilt = estimating._totals(rows, 32)
    assert errors[2] == pytest.approx(32 * spread * np.sqrt(0.75 / 8))
    assert tilt == pytest.approx((7**3 - 7) / 8 / spread**3 / 6 * np.sqrt(0.75 / 8) * (1 + 2 * 1.645**2))
    assert estimating._totals(8 - rows, 32)[2] == 0
    assert estimating._totals(rows, 8)[2] == 0


class SlowEmbedder(HashEmbedder):
    """Takes a hundredth of a second for each chunk, by a clock of its own."""

    def __init__(self) -> None:
        super().__init__(limit_tokens=256)
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def embed_passages(self, texts: Sequence[str], tokens: Sequence[Ids] | None = None) -> Float32:
        self.now += 0.01 * len(texts)
        return super().embed_passages(texts, tokens)


def test_estimating_times_the_embedder_on_chunks_of_the_archive(
    workspace: Workspace, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowEmbedder()
    monkeypatch.setattr(pipeline, "embedder_id", lambda *_: slow.id)
    monkeypatch.setattr(pipeline, "load_embedder", lambda *_: slow)
    monkeypatch.setattr(estimating, "time", slow)
    found = run(workspace, archive_of(make_zim, 30))
    assert found.expected_s == pytest.approx(0.01 * found.chunks * 1.02)
    spread = 1.645 * 0.06 * found.expected_s  # only the machine is unsure: counts are exact, each call took as long
    assert (found.expected_low_s, found.expected_high_s) == (
        pytest.approx(found.expected_s - spread),
        pytest.approx(found.expected_s + spread),
    )
    assert slow.texts_embedded <= 8 + 6 * 32


def test_estimating_an_archive_without_text_takes_no_time_to_embed(
    workspace: Workspace, make_zim: MakeZim, embedder: HashEmbedder
) -> None:
    found = run(workspace, make_zim({"a.png": IMAGE}))
    assert (found.articles, found.characters, found.chunks, found.entries, found.exact) == (0, 0, 0, 1, True)
    assert found.expected_s < 1


def test_estimating_says_what_is_done_and_what_is_broken_and_writes_nothing(
    workspace: Workspace, make_zim: MakeZim, embedder: HashEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = archive_of(make_zim, 3)
    report = built(workspace, done)
    bad = tmp_path / "bad.zim"
    bad.write_text("nothing")
    before = {path: path.stat().st_mtime_ns for path in workspace.root.rglob("*")}
    monkeypatch.setattr(pipeline, "load_embedder", lambda *_: pytest.fail("loaded for nothing"))
    options = BuildOptions((done, bad))
    unchanged, failed = estimating.estimate(workspace, Settings(), options, quiet)
    assert (unchanged.status, unchanged.articles, unchanged.chunks) == ("unchanged", report.articles, report.chunks)
    assert (failed.status, "is not a ZIM archive" in failed.reason) == ("failed", True)
    monkeypatch.setattr(pipeline, "load_embedder", lambda *_: embedder)
    planned, _ = estimating.estimate(workspace, Settings(), replace(options, force=True), quiet)
    assert (planned.status, planned.chunks) == ("planned", report.chunks)
    assert {path: path.stat().st_mtime_ns for path in workspace.root.rglob("*")} == before


def test_estimating_takes_the_kind_asked_for(workspace: Workspace, make_zim: MakeZim, embedder: HashEmbedder) -> None:
    archive = make_zim({"users/1": page(1), "questions/1/x": page(2)})
    assert (run(workspace, archive, kind="sotoki").articles, run(workspace, archive, kind="html").articles) == (1, 2)


def test_estimating_says_when_chunks_are_too_short_for_a_title(
    workspace: Workspace, make_zim: MakeZim, embedder: HashEmbedder
) -> None:
    title = " ".join(f"w{number}" for number in range(60))
    archive = make_zim({"long": (title, "<html><body><p>A text.</p></body></html>", "text/html")})
    settings = replace(Settings(), index=replace(Settings().index, chunk_tokens=32))
    found = run(workspace, archive, settings=settings)
    assert (found.status, found.reason.endswith("choose an embedder that reads more.")) == ("failed", True)
    assert found.reason.startswith(f"{archive} cannot be cut into chunks of 32 tokens (32 tokens are too few")


def test_estimating_fails_as_a_build_does(workspace: Workspace, make_zim: MakeZim) -> None:
    with pytest.raises(ArchiveError, match="There is no archive in"):
        run(workspace)
    settings = replace(Settings(), models=replace(Settings().models, embedder="nowhere"))
    with pytest.raises(ModelError, match="nowhere"):
        run(workspace, archive_of(make_zim, 1), settings=settings)

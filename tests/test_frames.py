"""drzero.frames: a run as pictures. What is looked at here are the very pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from drzero import frames
from drzero.errors import SettingsError
from drzero.frames import Point, Still, chart, colour_of, film, filmstrip, points, save, still
from drzero.loop import metrics
from tests.samples import make_episode

FULL = tuple(i / 13 for i in range(14))


def made(number: int = 0, iteration: int = 0, status: str = "accepted", score: float = 0.5, **changes: Any) -> Still:
    row = (*FULL[:7], score, *FULL[8:])
    rows = (row, row, row, row) if status in ("accepted", "quarantined") else (row, row, (), ())
    given: dict[str, Any] = {"type": "factual", "level": "easy", "rows": rows} | changes
    return Still(iteration, number, status=status, **given)


def cells(page: Image.Image, row: int, *, frame: int = 0) -> list[tuple[int, ...]]:
    """The colours of a row of cells of a frame on a page of large frames, each at its upper left corner."""
    style = frames._LARGE
    left = frames._MARGIN + style.label_w + style.stage_w
    top = frames._MARGIN + frames._TITLE_H + frames._LEGEND_H + frames._NAMES_H + frame * style.frame_h
    y = top + row * style.cell_h + 1
    return [page.getpixel((left + column * style.cell_w + 1, y)) for column in range(14)]  # type: ignore[misc]


# --- colours ---


def test_frames_colours_are_of_one_scale() -> None:
    assert colour_of(0.0) == (68, 1, 84)
    assert colour_of(1.0) == (253, 231, 37)
    assert colour_of(0.5) == (34, 144, 140)
    assert [colour_of(value) for value in (-3.0, 7.0)] == [colour_of(0.0), colour_of(1.0)]


def test_frames_colours_grow_lighter_so_that_grey_tells_them_too() -> None:
    light = [0.299 * r + 0.587 * g + 0.114 * b for r, g, b in (colour_of(i / 50) for i in range(51))]
    assert light == sorted(light)


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "0"), (0.004, "0"), (0.05, ".05"), (0.25, ".25"), (0.994, ".99"), (0.996, "1"), (1, "1")]
)
def test_frames_values_are_short(value: float, shown: str) -> None:
    assert frames._short(value) == shown


# --- stills and points ---


def test_frames_still_is_what_the_episode_kept_or_what_can_be_worked_out() -> None:
    kept = make_episode(iteration=2, number=3, frames=(FULL, (), (), ()))
    assert still(kept) == Still(2, 3, "factual", "easy", "accepted", (FULL, (), (), ()))
    assert still(make_episode()).rows == metrics.frames(make_episode())


def test_frames_points_are_the_iterations_in_order() -> None:
    given = [
        made(0, 1, level="hard", score=0.25),
        made(0, 0, "rejected"),
        made(1, 0, score=0.5),
        made(2, 0, "quarantined", score=1.0),
        made(0, 2, "invalid", level="odd"),
    ]
    assert points(given) == (
        Point(0, 3, 0.0, 1 / 3, 0.75),
        Point(1, 1, 2 / 3, 1.0, 0.25),
        Point(2, 1, 0.0, 0.0, None),
    )
    assert points([]) == ()


# --- the filmstrip ---


def test_frames_filmstrip_paints_each_value_of_each_stage() -> None:
    pages = filmstrip([made(), made(1, status="rejected")], "Run r1")
    assert len(pages) == 1
    expected = [colour_of(value) for value in (*FULL[:7], 0.5, *FULL[8:])]
    assert [cells(pages[0], row) for row in range(4)] == [expected] * 4
    assert [cells(pages[0], row, frame=1) for row in range(4)] == [expected] * 2 + [[frames._EMPTY] * 14] * 2


def test_frames_filmstrip_grows_with_the_run() -> None:
    sizes = [filmstrip([made(i) for i in range(count)], "x")[0].size for count in (1, 12, 13, 24)]
    width = frames._MARGIN + frames._LARGE.frame_w
    assert [size[0] for size in sizes] == [width, width, width + frames._LARGE.frame_w, width + frames._LARGE.frame_w]
    assert sizes[1][1] - sizes[0][1] == 11 * frames._LARGE.frame_h
    assert sizes[1][1] == sizes[3][1]


def test_frames_filmstrip_of_a_long_run_has_pages_of_small_frames() -> None:
    pages = filmstrip([made(i % 10, i // 10) for i in range(401)], "Run r1")
    assert len(pages) == 3
    assert pages[0].size == pages[1].size
    assert pages[2].size == (frames._TITLE_W, pages[2].size[1])
    assert max(max(page.size) for page in pages) < 2400


@pytest.mark.parametrize("name", ["", "a type whose name is far too long for any label", "因果", "multi-hop"])
def test_frames_filmstrip_takes_any_name_of_a_type_and_no_label_runs_into_the_cells(name: str) -> None:
    style = frames._LARGE
    (page,) = filmstrip([made(type=name)], "Run r1")
    top = frames._MARGIN + frames._TITLE_H + frames._LEGEND_H + frames._NAMES_H
    gap = [page.getpixel((frames._MARGIN + style.label_w - 2, top + y)) for y in range(style.frame_h)]
    assert set(gap) == {frames._PAPER}


def test_frames_filmstrip_of_nothing_is_an_empty_page() -> None:
    assert len(filmstrip([], "Run r1")) == 1


# --- the chart ---


def test_frames_chart_draws_its_three_lines_where_the_values_are() -> None:
    image = chart((Point(0, 4, 0.0, 0.5, 1.0), Point(1, 4, 1 / 3, 0.25, None)), "Run r1")
    left, top = frames._MARGIN + frames._AXIS_W, frames._MARGIN + frames._TITLE_H + 30

    def dot(number: int, value: float) -> Any:
        return image.getpixel((frames._across(left, number, 2), top + round((1 - value) * frames._PLOT_H)))

    score, accepted, level = (colour for _, colour in frames._SERIES)
    assert (dot(0, 1.0), dot(0, 0.5), dot(0, 0.0)) == (score, accepted, level)
    assert (dot(1, 0.25), dot(1, 1 / 3)) == (accepted, level)


def test_frames_chart_has_smooth_lines_of_two_pixels() -> None:
    image = chart((Point(0, 4, 0.0, 0.0, 0.2), Point(1, 4, 0.0, 0.0, 0.9)), "Run r1")
    left, top = frames._MARGIN + frames._AXIS_W, frames._MARGIN + frames._TITLE_H + 30
    begin, end = frames._across(left, 0, 2), frames._across(left, 1, 2)
    colour = frames._SERIES[0][1]
    inks: list[float] = []  # in each column between the dots, how many pixels of ink the line has
    shades = set()
    for x in range(begin + 20, end - 20):
        column = [image.getpixel((x, y)) for y in range(top, top + frames._PLOT_H)]
        inked = [pixel[0] for pixel in column if pixel[0] < frames._EMPTY[0]]  # not paper, not a line of the grid
        inks.append(sum((255 - red) / (255 - colour[0]) for red in inked))
        shades |= set(inked)
    slope = 0.7 * frames._PLOT_H / (end - begin)
    width = 2 * (1 + slope**2) ** 0.5  # of a line two pixels thick, measured upright
    assert min(inks) > 0.75 * width
    assert max(inks) < 1.3 * width
    assert len(shades) > 4  # its edges fade, they are no stairs


@pytest.mark.parametrize("count", [0, 1, 500])
def test_frames_chart_has_one_size_however_long_the_run_is(count: int) -> None:
    assert chart([Point(i, 1, 0.0, 1.0, 0.5) for i in range(count)], "x").size == chart((), "x").size


# --- files ---


def test_frames_pages_are_saved_beside_each_other(tmp_path: Path) -> None:
    page = Image.new("RGB", (4, 3), (1, 2, 3))
    written = save([page, page, page], tmp_path / "run.x.png")
    assert [path.name for path in written] == ["run.x.png", "run.x-2.png", "run.x-3.png"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in written)
    with Image.open(written[2]) as opened:
        assert (opened.size, opened.getpixel((0, 0))) == ((4, 3), (1, 2, 3))


def test_frames_that_cannot_be_saved_leave_nothing_and_say_so(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(SettingsError, match=r"folder\.png cannot be written \(Is a directory\): name another file\."):
        save([Image.new("RGB", (1, 1))], tmp_path / "folder.png")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


@pytest.mark.parametrize(
    ("episodes", "named", "said"),
    [
        (1, "run.png", "both the chart and the filmstrip"),
        (1, "folder/../run.png", "both the chart and the filmstrip"),
        (1, "link.png", "both the chart and the filmstrip"),
        (201, "run.png", "both the chart and page 1 of the filmstrip"),
        (201, "run-2.png", "both the chart and page 2 of the filmstrip"),
    ],
)
def test_frames_a_chart_never_takes_the_place_of_a_page(tmp_path: Path, episodes: int, named: str, said: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.png").symlink_to(tmp_path / "run.png")
    made = [make_episode(id=f"e{number}", run="r1", number=number) for number in range(episodes)]
    with pytest.raises(SettingsError, match=f"{said}: name another file with --chart"):
        film(made, tmp_path / "run.png", tmp_path / named)
    assert not (tmp_path / "run.png").exists()
    if episodes == 1:
        film(made, tmp_path / "run.png", tmp_path / "run-2.png")  # there is no second page
        assert (tmp_path / "run-2.png").exists()


def test_frames_film_of_a_run_is_the_same_each_time(tmp_path: Path) -> None:
    episodes = [make_episode(run="r1"), make_episode(id="e2", run="r1", number=1, status="invalid", attempts=())]
    one = film(episodes, tmp_path / "one.png", tmp_path / "chart.png")
    film(episodes, tmp_path / "two.png")
    assert (one.run, one.episodes) == ("r1", 2)
    assert (one.pages, one.chart) == ((str(tmp_path / "one.png"),), str(tmp_path / "chart.png"))
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    with pytest.raises(SettingsError, match="has no episodes yet"):
        film([], tmp_path / "three.png")

"""Pictures of a run: its filmstrip, one frame of metrics per episode, and a chart of how it went by iteration.

Colours have one scale, from 0 to 1, in every picture, so that runs can be laid side by side.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drzero.errors import SettingsError
from drzero.loop.metrics import METRIC_NAMES, METRIC_VERSION, STAGES
from drzero.loop.metrics import frames as frames_of
from drzero.results import Film
from drzero.types import LEVELS, Episode

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Colour = tuple[int, int, int]

_BEST_SCORE = METRIC_NAMES.index("ssp.best_score")
_SCALE: tuple[Colour, ...] = (  # viridis, which stays in order for colour-blind eyes and in grey
    (68, 1, 84), (72, 40, 120), (62, 74, 137), (49, 104, 142), (38, 130, 142),
    (31, 158, 137), (53, 183, 121), (109, 205, 89), (180, 222, 44), (253, 231, 37),
)  # fmt: skip
_PAPER, _INK, _FAINT, _EMPTY = (255, 255, 255), (25, 25, 25), (120, 120, 120), (232, 232, 232)
_STATUS = {"accepted": (0, 120, 60), "quarantined": (180, 95, 0), "rejected": (185, 30, 30), "invalid": _FAINT}
_MARGIN, _TITLE_W, _TITLE_H, _LEGEND_H, _NAMES_H = 20, 640, 34, 34, 148


@dataclass(frozen=True, slots=True)
class Still:
    """What a picture needs of an episode. `rows` are its vectors by stage, () for one that was not reached."""

    iteration: int
    number: int
    type: str
    level: str
    status: str
    rows: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Point:
    """How an iteration went: its level's place in [0,1], the share accepted, and the mean best score.

    `score` is of the episodes that reached the solver, None when none did.
    """

    iteration: int
    episodes: int
    level: float
    acceptance: float
    score: float | None


def film(episodes: Iterable[Episode], output: Path, chart_to: Path | None = None) -> Film:
    """Write the filmstrip of a run's episodes, in the order given, and its chart.

    Raises SettingsError where a file cannot be written, for a run without episodes, and before anything is written
    where the chart would take the place of a page.
    """
    stills, run = [], ""
    for episode in episodes:
        stills.append(still(episode))
        run = episode.run
    if not stills:
        raise SettingsError("The run has no episodes yet, so there is nothing to show: wait for the first to end.")
    count = "1 episode" if len(stills) == 1 else f"{len(stills):,} episodes"
    pages_drawn = filmstrip(stills, f"Run {run}, {count}")
    _refuse_one_name_twice(page_paths(output, len(pages_drawn)), chart_to)
    pages = save(pages_drawn, output)
    charts = save([chart(points(stills), f"Run {run}, {count}")], chart_to) if chart_to else []
    return Film(run, len(stills), tuple(str(page) for page in pages), str(charts[0]) if charts else "")


def _refuse_one_name_twice(pages: Sequence[Path], chart_to: Path | None) -> None:
    """The chart is not to take the place of a page, by whatever way its file is named."""
    if chart_to is None:
        return
    place = os.path.normcase(chart_to.resolve())
    for number, page in enumerate(pages, 1):
        if os.path.normcase(page.resolve()) == place or (
            page.exists() and chart_to.exists() and page.samefile(chart_to)
        ):
            what = "the filmstrip" if len(pages) == 1 else f"page {number} of the filmstrip"
            raise SettingsError(f"{chart_to} is to be both the chart and {what}: name another file with --chart.")


def still(episode: Episode) -> Still:
    """The picture's part of an episode; of one that kept no frames they are worked out."""
    rows = episode.frames or frames_of(episode)
    return Still(episode.iteration, episode.number, episode.type, episode.level, episode.status, rows)


def points(stills: Iterable[Still]) -> tuple[Point, ...]:
    """The iterations of a run, in order."""
    rounds: dict[int, list[Still]] = {}
    for one in stills:
        rounds.setdefault(one.iteration, []).append(one)
    return tuple(_point(iteration, rounds[iteration]) for iteration in sorted(rounds))


def _point(iteration: int, stills: Sequence[Still]) -> Point:
    solved = [one.rows[-1][_BEST_SCORE] for one in stills if one.rows[-1]]
    level = stills[0].level
    return Point(
        iteration,
        len(stills),
        LEVELS.index(level) / (len(LEVELS) - 1) if level in LEVELS else 0.0,
        sum(one.status == "accepted" for one in stills) / len(stills),
        sum(solved) / len(solved) if solved else None,
    )


# --- the filmstrip --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Style:
    """Measures of a page in pixels; `rows` frames stand below each other in each of `columns`."""

    cell_w: int
    cell_h: int
    gap: int
    label_w: int
    stage_w: int
    columns: int
    rows: int
    font: int
    numbers: bool

    @property
    def frame_h(self) -> int:
        return len(STAGES) * self.cell_h + self.gap

    @property
    def frame_w(self) -> int:
        return self.label_w + self.stage_w + len(METRIC_NAMES) * self.cell_w + 2 * _MARGIN


_LARGE = _Style(30, 17, 14, 128, 62, columns=2, rows=12, font=12, numbers=True)
_SMALL = _Style(15, 7, 8, 176, 0, columns=4, rows=50, font=11, numbers=False)


def filmstrip(stills: Sequence[Still], title: str) -> list[Image]:
    """The pages of a filmstrip, at least one: 14 columns in the order of the vector, 4 rows by stage, for each episode.

    Up to 24 episodes have their values written into the cells; of more, 200 small frames go on a page.
    """
    style = _LARGE if len(stills) <= _LARGE.columns * _LARGE.rows else _SMALL
    room = style.columns * style.rows
    parts = [stills[at : at + room] for at in range(0, len(stills), room)] or [()]
    return [
        _page(part, f"{title}, page {number} of {len(parts)}" if len(parts) > 1 else title, style)
        for number, part in enumerate(parts, 1)
    ]


def _page(stills: Sequence[Still], title: str, style: _Style) -> Image:
    columns = max(1, -(-len(stills) // style.rows))
    rows = min(style.rows, len(stills))
    image, draw = _sheet(
        max(_MARGIN + columns * style.frame_w, _TITLE_W),
        _TITLE_H + _LEGEND_H + _NAMES_H + rows * style.frame_h + 2 * _MARGIN,
    )
    _text(draw, (_MARGIN, _MARGIN), title, 17)
    _legend(draw, (_MARGIN, _MARGIN + _TITLE_H))
    top = _MARGIN + _TITLE_H + _LEGEND_H + _NAMES_H
    for column in range(columns):
        left = _MARGIN + column * style.frame_w
        _names(image, (left + style.label_w + style.stage_w, top - 6), style)
        for row, one in enumerate(stills[column * style.rows : (column + 1) * style.rows]):
            _frame(draw, (left, top + row * style.frame_h), one, style)
    return image


def _frame(draw: ImageDraw, at: tuple[int, int], one: Still, style: _Style) -> None:
    left, top = at
    place = f"{one.iteration + 1}.{one.number + 1}"  # counted from 1, as the progress line does
    lines = [f"{place}, {one.level}", one.type, one.status]
    if not style.numbers:
        lines = [f"{place} {one.type}, {one.level}", one.status]
    for number, line in enumerate(lines):
        last = number == len(lines) - 1
        colour = _STATUS.get(one.status, _INK) if last else _INK
        _text(
            draw,
            (left, top - 2 + number * (style.font + 4)),
            _fit(line, style.label_w - 6, style.font),
            style.font,
            colour,
        )
    cells = left + style.label_w + style.stage_w
    for row, (stage, values) in enumerate(zip(STAGES, one.rows, strict=True)):
        y = top + row * style.cell_h
        if style.stage_w:
            _text(draw, (cells - 6, y + style.cell_h // 2), stage, 11, _FAINT, anchor="rm")
        for column in range(len(METRIC_NAMES)):
            x = cells + column * style.cell_w
            value = values[column] if values else None
            box = (x, y, x + style.cell_w - 2, y + style.cell_h - 2)
            draw.rectangle(box, fill=_EMPTY if value is None else colour_of(value))
            if style.numbers and value is not None:
                middle = (x + style.cell_w // 2 - 1, y + style.cell_h // 2 - 1)
                _text(draw, middle, _short(value), 10, _on(colour_of(value)), anchor="mm")


def _names(image: Image, at: tuple[int, int], style: _Style) -> None:
    """The names of the metrics, upright and ending at `at`, one above each column."""
    from PIL import Image as Images
    from PIL import ImageDraw as Draws

    for column, name in enumerate(METRIC_NAMES):
        strip = Images.new("RGB", (_NAMES_H - 12, 15), _PAPER)
        Draws.Draw(strip).text((0, 7), name.removeprefix("ssp."), font=_font(12), fill=_INK, anchor="lm")
        upright = strip.rotate(90, expand=True)
        x = at[0] + column * style.cell_w + style.cell_w // 2 - 8
        image.paste(upright, (x, at[1] - upright.height))


def _legend(draw: ImageDraw, at: tuple[int, int]) -> None:
    """The scale of colours, and what an empty cell means."""
    x, y = at
    _text(draw, (x, y + 8), METRIC_VERSION, 12, anchor="lm")
    x += 60
    for step in range(201):
        draw.line((x + step, y, x + step, y + 14), fill=colour_of(step / 200))
    for value in (0.0, 0.5, 1.0):
        _text(draw, (x + round(value * 200), y + 17), f"{value:g}", 10, _FAINT, anchor="mt")
    draw.rectangle((x + 230, y, x + 252, y + 14), fill=_EMPTY)
    _text(draw, (x + 260, y + 8), "stage not reached", 12, anchor="lm")


# --- the chart ------------------------------------------------------------------------------------------------------

_SERIES = (("mean best score", (31, 90, 180)), ("share accepted", (0, 135, 75)), ("level", (200, 90, 0)))
_PLOT_W, _PLOT_H, _AXIS_W = 760, 320, 70
_FINE = 4  # lines and dots are drawn so many times as large


def chart(given: Sequence[Point], title: str) -> Image:
    """Mean score, share accepted and level of each iteration, on one scale from 0 to 1."""
    top = _MARGIN + _TITLE_H + 30
    image, draw = _sheet(2 * _MARGIN + 2 * _AXIS_W + _PLOT_W, top + _PLOT_H + 60)
    _text(draw, (_MARGIN, _MARGIN), title, 17)
    left = _MARGIN + _AXIS_W
    _axes(draw, left, top, given)
    x = left
    for name, colour in _SERIES:
        draw.line((x, top - 20, x + 22, top - 20), fill=colour, width=3)
        _text(draw, (x + 28, top - 20), name, 12, anchor="lm")
        x += 170
    series: tuple[list[float | None], ...] = (
        [p.score for p in given],
        [p.acceptance for p in given],
        [p.level for p in given],
    )
    for (name, colour), values in zip(_SERIES, series, strict=True):
        places = [
            (_across(left, number, len(given)), top + round((1 - value) * _PLOT_H))
            for number, value in enumerate(values)
            if value is not None
        ]
        _line(image, places, colour, name == "level")
    return image


def _across(left: int, number: int, count: int) -> int:
    """Where iteration `number` of `count` stands: in the middle of its share of the width."""
    return left + round((number + 0.5) / max(count, 1) * _PLOT_W)


def _axes(draw: ImageDraw, left: int, top: int, given: Sequence[Point]) -> None:
    for tick in range(6):
        y = top + round((1 - tick / 5) * _PLOT_H)
        draw.line((left, y, left + _PLOT_W, y), fill=_EMPTY)
        _text(draw, (left - 8, y), f"{tick / 5:.1f}", 12, _FAINT, anchor="rm")
    for number, level in enumerate(LEVELS):
        y = top + round((1 - number / (len(LEVELS) - 1)) * _PLOT_H)
        _text(draw, (left + _PLOT_W + 8, y), level, 12, _SERIES[2][1], anchor="lm")
    every = max(1, -(-len(given) // 20))
    for number, point in enumerate(given):
        if number % every == 0:
            _text(
                draw, (_across(left, number, len(given)), top + _PLOT_H + 8), str(point.iteration + 1), 12, anchor="mt"
            )
    _text(draw, (left + _PLOT_W // 2, top + _PLOT_H + 30), "iteration", 12, _FAINT, anchor="mt")


def _line(image: Image, places: Sequence[tuple[int, int]], colour: Colour, steps: bool) -> None:
    """Dots joined by a line, or by steps where a value holds until the next; drawn large and reduced, to be smooth."""
    from PIL import Image as Images
    from PIL import ImageDraw as Draws

    stencil = Images.new("L", (image.width * _FINE, image.height * _FINE))
    draw = Draws.Draw(stencil)
    fine = [(x * _FINE + _FINE // 2, y * _FINE + _FINE // 2) for x, y in places]  # the middle of the pixel
    for (x, y), (to_x, to_y) in pairwise(fine):
        middle = (x + to_x) // 2
        way = (x, y, middle, y, middle, to_y, to_x, to_y) if steps else (x, y, to_x, to_y)
        draw.line(way, fill=255, width=2 * _FINE, joint="curve")
    image.paste(colour, mask=stencil.resize(image.size, Images.Resampling.BOX))
    for radius, ink in ((5, _PAPER), (4, colour)):  # a ring of paper tells a dot from the lines it lies on
        dots = Images.new("L", stencil.size)
        _dots(Draws.Draw(dots), fine, 255, radius)
        image.paste(ink, mask=dots.resize(image.size, Images.Resampling.BOX))


def _dots(draw: ImageDraw, places: Sequence[tuple[int, int]], fill: int, radius: int) -> None:
    for x, y in places:
        reach = radius * _FINE
        draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=fill)


# --- ink ------------------------------------------------------------------------------------------------------------


def colour_of(value: float) -> Colour:
    """The colour of a value in [0,1]: dark violet for 0, yellow for 1; what lies outside has the colour of the end."""
    place = min(1.0, max(0.0, value)) * (len(_SCALE) - 1)
    low = min(int(place), len(_SCALE) - 2)
    share = place - low
    (red, green, blue), above = _SCALE[low], _SCALE[low + 1]
    return (
        round(red + (above[0] - red) * share),
        round(green + (above[1] - green) * share),
        round(blue + (above[2] - blue) * share),
    )


def save(pages: Sequence[Image], path: Path) -> list[Path]:
    """Write the pages as PNG files, `path` and behind it `-2`, `-3` …; each is whole or not there. Gives their paths.

    Raises SettingsError where they cannot be written.
    """
    written = []
    for page, aim in zip(pages, page_paths(path, len(pages)), strict=True):
        partial = aim.with_name(f".{aim.name}.part")
        try:
            page.save(partial, format="PNG", optimize=True)
            os.replace(partial, aim)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise SettingsError(f"{aim} cannot be written ({error.strerror or error}): name another file.") from error
        written.append(aim)
    return written


def page_paths(path: Path, count: int) -> list[Path]:
    """The files of `count` pages: `path`, and behind it `-2`, `-3` …"""
    return [path, *(path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(2, count + 1))][:count]


def _sheet(width: int, height: int) -> tuple[Image, ImageDraw]:
    from PIL import Image as Images
    from PIL import ImageDraw as Draws

    image = Images.new("RGB", (width, height), _PAPER)
    return image, Draws.Draw(image)


def _text(
    draw: ImageDraw, at: tuple[int, int], text: str, size: int, colour: Colour = _INK, *, anchor: str = "la"
) -> None:
    draw.text(at, text, font=_font(size), fill=colour, anchor=anchor)


def _fit(text: str, width: int, size: int) -> str:
    """`text`, cut with an ellipsis to what goes into `width` pixels."""
    if _font(size).getlength(text) <= width:
        return text
    while text and _font(size).getlength(text + "…") > width:
        text = text[:-1]
    return text + "…"


@cache
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _short(value: float) -> str:
    """A value in at most three characters: `0`, `.25`, `1`."""
    return f"{value:.2f}".lstrip("0").removesuffix(".00") or "0" if value < 0.995 else "1"


def _on(colour: Colour) -> Colour:
    """Black or white, whichever is easier to read on `colour`."""
    red, green, blue = colour
    return _INK if 0.299 * red + 0.587 * green + 0.114 * blue > 130 else _PAPER

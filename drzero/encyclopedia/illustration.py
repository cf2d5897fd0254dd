"""The small picture that stands for an encyclopedia in a library: an open book with a tick on it."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO

SIDE = 48  # pixels
_SCALE = 8  # drawn so many times as large, for smooth edges
_GROUND, _PAPER, _SHADE, _TICK = "#1a4f9c", "#fdfcf9", "#c9d6ea", "#2f9e57"


@lru_cache(maxsize=1)
def illustration() -> bytes:
    """A PNG of `SIDE` × `SIDE` pixels; the same bytes each time."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (SIDE * _SCALE, SIDE * _SCALE), _GROUND)
    draw = ImageDraw.Draw(image)

    def scaled(*points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x * _SCALE, y * _SCALE) for x, y in points]

    draw.polygon(scaled((6, 12), (23, 15), (23, 39), (6, 36)), _PAPER)
    draw.polygon(scaled((42, 12), (25, 15), (25, 39), (42, 36)), _PAPER)
    for row in (18, 23, 28):
        draw.line(scaled((9, row), (20, row + 2)), _SHADE, 2 * _SCALE)
    draw.line(scaled((28, 27), (32, 32), (39, 20)), _TICK, 4 * _SCALE, joint="curve")
    small = image.resize((SIDE, SIDE), Image.Resampling.LANCZOS)
    out = BytesIO()
    small.save(out, "PNG", optimize=True)
    return out.getvalue()

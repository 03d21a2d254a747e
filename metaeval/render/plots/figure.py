"""The figure of a plot, which notebooks show without pyplot; this module imports matplotlib."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

MARGIN = 0.08
"""The margin of a plot in inches."""

DOTS_PER_INCH = 220

_CSS_PIXELS = 96
"""CSS pixels of an inch."""


class PlotFigure(Figure):
    """A figure that shows itself in a notebook."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=DOTS_PER_INCH)
        width, height = (round(float(inches) * _CSS_PIXELS) for inches in self.get_size_inches())
        return stream.getvalue(), {"width": width, "height": height}


def fit(figure: Figure, width: float) -> None:
    """Resize a figure so that all its parts are inside, to at least this width in inches; parts keep their sizes."""
    box = figure.get_tightbbox()
    left, below = box.x0 - MARGIN, box.y0 - MARGIN
    size = max(width, box.width) + 2 * MARGIN, box.height + 2 * MARGIN
    before = figure.get_size_inches()

    def move(x: float, y: float) -> tuple[float, float]:
        return (x * before[0] - left) / size[0], (y * before[1] - below) / size[1]

    for axes in figure.axes:
        position = axes.get_position()
        corner, end = move(position.x0, position.y0), move(position.x1, position.y1)
        axes.set_position((*corner, end[0] - corner[0], end[1] - corner[1]))
    for text in figure.texts:
        text.set_position(move(*text.get_position()))
    figure.set_size_inches(*size)

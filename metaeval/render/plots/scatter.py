"""Named points in panels, with intervals if they have any."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metaeval.render.plots.canvas import (
    DEFAULT,
    SMALL,
    TINY,
    WIDTH,
    Look,
    Palette,
    Sheet,
    label,
    labels,
    sheet_with_legend,
)
from metaeval.render.plots.columns import Numbers
from metaeval.render.plots.placing import CORNERS, SIDES, place_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_NAMES = 30
"""Number of points of a panel up to which they are named."""


@dataclass(frozen=True, kw_only=True)
class Points:
    """The points of a panel.

    x_ends, y_ends: the ends of intervals, (2, points). look: of the points, one for all or one for each. remark: a line
    below the title.
    """

    names: Sequence[str]
    x: Numbers
    y: Numbers
    x_ends: Numbers | None = None
    y_ends: Numbers | None = None
    look: Look | Sequence[Look] = DEFAULT
    title: str = ""
    remark: str = ""


@dataclass(frozen=True, kw_only=True)
class ScatterPlot:
    """Panels of points. across, up: the names of the axes. is_reversed: whether y is smaller further up."""

    panels: Sequence[Points]
    across: str
    up: str = ""
    remark: str = ""
    is_reversed: bool = False

    def draw(self, palette: Palette, title: str) -> Figure:
        """Draw the points, with their names where there is room."""
        count = len(self.panels)
        columns = min(count, 2 if count <= 4 else 3)
        step = WIDTH / columns
        room = (step - 0.55, min(0.85 * (step - 0.55), 2.4))
        lines = math.ceil(count / columns)
        sheet, top = sheet_with_legend(palette, title, [], lines * (room[1] + 0.85), remark=self.remark)
        for index, points in enumerate(self.panels):
            line, column = divmod(index, columns)
            left, above = 0.4 + column * step, top + 0.4 + line * (room[1] + 0.85)
            axes = sheet.axes(left, above, *room)
            sheet.write(left, above - 0.22, label(points.title, int(room[0] / 0.075)), size=SMALL, weight="bold")
            sheet.write(left, above - 0.08, points.remark, size=SMALL, color=palette.muted)
            _draw_points(sheet, axes, points)
            axes.locator_params(axis="x", nbins=4 if count > 1 else 9)
            axes.locator_params(axis="y", nbins=4 if count > 1 else 6)
            if self.is_reversed:
                axes.invert_yaxis()
            if len(points.names) <= MAX_NAMES:
                _name_points(sheet, axes, points, room, SMALL if count == 1 else TINY)
            if index + columns >= count:
                sheet.horizontal(axes, self.across)
            if index == 0:
                sheet.vertical(axes, self.up)
        return sheet.figure


def _draw_points(sheet: Sheet, axes: Axes, points: Points) -> None:
    sheet.grid(axes, "both")
    axes.margins(0.1)
    for index, (name, x, y) in enumerate(zip(points.names, points.x, points.y, strict=True)):
        look = points.look if isinstance(points.look, Look) else points.look[index]
        style = look.style(sheet.palette, name, index)
        line = {"color": style["color"], "alpha": 0.45, "linewidth": 0.8}
        if points.x_ends is not None:
            axes.hlines(y, *points.x_ends[:, index], **line)
        if points.y_ends is not None:
            axes.vlines(x, *points.y_ends[:, index], **line)
        axes.plot(x, y, zorder=3, **style)


def _name_points(sheet: Sheet, axes: Axes, points: Points, room: tuple[float, float], size: float) -> None:
    """Write the names of points beside them, where there is room; the limits of the axes stay as they are."""
    (left, right), (foot, head) = axes.get_xlim(), axes.get_ylim()
    axes.set_xlim(left, right)
    axes.set_ylim(foot, head)
    x, y = (points.x - left) / (right - left) * room[0], (points.y - foot) / (head - foot) * room[1]
    # A name at the side would cross the interval of its point.
    sides = SIDES if points.x_ends is None else (*CORNERS, *SIDES)
    names = labels(points.names, 20 if size == TINY else 34)
    positions = place_labels(np.column_stack([x, y]).tolist(), names, size, room, sides)
    ground = {"facecolor": sheet.palette.paper, "edgecolor": "none", "pad": 0.6, "alpha": 0.8}
    for name, position in zip(names, positions, strict=True):
        if position is not None:
            across, up, align = position
            look = {"size": size, "ha": align, "va": "center_baseline", "transform": axes.transAxes, "bbox": ground}
            sheet.annotate(axes, across / room[0], up / room[1], name, **look)

"""Lines in panels, and scatter plots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metaeval.arrays import Floats
from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import (
    CORNERS,
    DEFAULT,
    SIDES,
    WIDTH,
    Look,
    Mark,
    Palette,
    Sheet,
    label,
    labels,
    number,
    place_labels,
    sheet_with_legend,
)
from metaeval.render.plots.columns import numbers, rows_by
from metaeval.render.plots.declaration import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MAX_BANDS = 4
"""Maximum number of lines with bands, because bands overlap."""

MAX_LINES = 28
"""Maximum number of lines with different looks."""

HEIGHT = 2.9


@dataclass(frozen=True)
class Curve:
    """The line of a measure: x and y, and the ends of its band if it has one.

    text: in the legend; the measure if empty. marker_indices: of the points with a marker; None for all.
    """

    measure: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None
    text: str = ""
    marker_indices: Sequence[int] | None = None


@dataclass(frozen=True, kw_only=True)
class LinePanel:
    """Lines on the same axes. across: the name of their x. level: of a horizontal line. level_name: beside it."""

    curves: Sequence[Curve]
    across: str
    title: str
    level: float = math.nan
    level_name: str = ""
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class LinePlot:
    """Panels of lines under one legend. logarithmic: the axis whose scale is logarithmic, if any."""

    panels: Sequence[LinePanel]
    remark: str = ""
    logarithmic: Literal["", "x", "y"] = ""

    def draw(self, palette: Palette, title: str) -> Figure:
        """Draw the lines, with bands where there are few."""
        across = min(len(self.panels), 3)
        step = (WIDTH / across, HEIGHT + 0.85)
        entries = self._legend(palette)
        sheet, top = sheet_with_legend(
            palette, title, entries, math.ceil(len(self.panels) / across) * step[1], remark=self.remark
        )
        for index, panel in enumerate(self.panels):
            line, column = divmod(index, across)
            left, above = 0.47 + column * step[0], top + 0.3 + line * step[1]
            axes = sheet.axes(left, above, step[0] - 0.62, HEIGHT)
            if self.logarithmic == "x":
                axes.set_xscale("log")
            elif self.logarithmic == "y":
                axes.set_yscale("log")
            weight, longest = ("bold", 48) if across > 1 else ("normal", 300)
            sheet.write(left, above - 0.1, label(panel.title, longest), weight=weight)
            sheet.horizontal(axes, panel.across)
            _draw_panel(sheet, axes, panel)
        return sheet.figure

    def _legend(self, palette: Palette) -> list[tuple[str, Mark]]:
        """The longest text of each measure, with its mark."""
        texts: dict[str, str] = {}
        for curve in (curve for panel in self.panels for curve in panel.curves):
            texts[curve.measure] = max(texts.get(curve.measure, ""), curve.text or curve.measure, key=len)
        return [
            (label(text, 60), _mark(palette, measure, index)) for index, (measure, text) in enumerate(texts.items())
        ]


def _mark(palette: Palette, measure: str, index: int) -> Mark:
    colour, line, marker = palette.style(measure, index)
    style: dict[str, Any] = {"color": colour, "linestyle": line, "marker": marker, "markersize": 4}
    return lambda axes, x, y: axes.plot([x - 0.08, x, x + 0.08], [y, y, y], markevery=[1], **style)


def _draw_panel(sheet: Sheet, axes: Axes, panel: LinePanel) -> None:
    palette, curves = sheet.palette, panel.curves
    sheet.grid(axes, "y")
    if not math.isnan(panel.level):
        axes.axhline(panel.level, color=palette.ink, linewidth=0.9, linestyle="-" if panel.level_name else ":")
    if panel.level_name:
        text_look = {"transform": axes.get_yaxis_transform(), "va": "bottom"}
        sheet.annotate(axes, 0.01, panel.level * 1.08, panel.level_name, **text_look)
    for index, curve in enumerate(curves):
        colour, line, marker = palette.style(curve.measure, index)
        if len(curves) <= MAX_BANDS and curve.low is not None and curve.high is not None:
            axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.13, linewidth=0)
        size = 3.5 if curve.marker_indices is None else 5.5
        look: dict[str, Any] = {
            "color": colour,
            "linestyle": line,
            "linewidth": 1.4,
            "marker": marker,
            "markersize": size,
        }
        axes.plot(curve.x, curve.y, markevery=curve.marker_indices, **look)
    x = np.concatenate([curve.x for curve in curves])
    low, high = float(np.nanmin(x)), float(np.nanmax(x))
    if axes.get_xscale() == "log":
        margin = (high / low) ** 0.03
        axes.set_xlim(low / margin, high * margin)
        _mark_logarithms(axes, math.log10(high / low), width=axes.get_position().width * sheet.width)
    else:
        margin = 0.03 * (high - low)
        axes.set_xlim(panel.x_limits or (low - margin, high + margin))
        if (x == np.round(x)).all():
            axes.locator_params(axis="x", nbins=8, integer=True)
    if axes.get_yscale() == "log":
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.minorticks_off()
    if panel.y_limits is not None:
        axes.set_ylim(panel.y_limits)


def _mark_logarithms(axes: Axes, decades: float, *, width: float) -> None:
    """Ticks at 1, 2 and 5 times powers of ten where they have 0.5 inches each, else only at powers of ten."""
    from matplotlib.ticker import LogLocator, NullLocator

    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if 1.5 * decades <= width else (1.0,)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def curves_of(table: Table, across: str, up: str) -> list[Curve]:
    """A curve for each measure of a table, from the columns `across` and `up`, with bands from `low` to `high`."""
    columns = np.array([numbers(table, name) for name in (across, up, "low", "high")])
    curves = []
    for (measure,), rows in rows_by(table, "measure").items():
        x, y, low, high = columns[:, rows[np.argsort(columns[0, rows], kind="stable")]]
        curves.append(Curve(measure, x, y, low, high))
    return curves


def picture_of(curves: Sequence[Curve], across: str, up: str) -> Picture | None:
    """The plot of the curves with at least two points; None if there are none."""
    lines = [curve for curve in curves if len(set(curve.x[~np.isnan(curve.x) & ~np.isnan(curve.y)])) > 1]
    if not lines:
        return None
    parts = []
    for curve in lines:
        defined = curve.y[~np.isnan(curve.y)]
        parts.append(f"{curve.measure} from {number(float(defined[0]))} to {number(float(defined[-1]))}")
    ends = f"{number(float(np.nanmin(lines[0].x)), 0)} and {number(float(np.nanmax(lines[0].x)), 0)}"
    alt = f"{pluralize(len(lines), 'line')}, one a measure: {up} by {across}, between {ends}: {'; '.join(parts)}."
    return Picture(alt, LinePlot(panels=[LinePanel(curves=lines, across=across, title=up)]).draw)


MAX_NAMES = 30
"""Number of points of a panel up to which they are named."""


@dataclass(frozen=True, kw_only=True)
class Points:
    """The points of a panel.

    x_ends, y_ends: the ends of intervals, (2, points). look: of the points, one for all or one for each. remark: a line
    below the title.
    """

    names: Sequence[str]
    x: Floats
    y: Floats
    x_ends: Floats | None = None
    y_ends: Floats | None = None
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
            sheet.write(left, above - 0.22, label(points.title, int(room[0] / 0.075)), weight="bold")
            sheet.write(left, above - 0.08, points.remark, color=palette.muted)
            _draw_points(sheet, axes, points)
            axes.locator_params(axis="x", nbins=4 if count > 1 else 9)
            axes.locator_params(axis="y", nbins=4 if count > 1 else 6)
            if self.is_reversed:
                axes.invert_yaxis()
            if len(points.names) <= MAX_NAMES:
                _name_points(sheet, axes, points, room, 34 if count == 1 else 20)
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


def _name_points(sheet: Sheet, axes: Axes, points: Points, room: tuple[float, float], longest: int) -> None:
    """Write the names of points beside them, where there is room; the limits of the axes stay as they are."""
    (left, right), (foot, head) = axes.get_xlim(), axes.get_ylim()
    axes.set_xlim(left, right)
    axes.set_ylim(foot, head)
    x, y = (points.x - left) / (right - left) * room[0], (points.y - foot) / (head - foot) * room[1]
    # A name at the side would cross the interval of its point.
    sides = SIDES if points.x_ends is None else (*CORNERS, *SIDES)
    names = labels(points.names, longest)
    positions = place_labels(np.column_stack([x, y]).tolist(), names, room, sides)
    ground = {"facecolor": sheet.palette.paper, "edgecolor": "none", "pad": 0.6, "alpha": 0.8}
    for name, position in zip(names, positions, strict=True):
        if position is not None:
            across, up, align = position
            look = {"ha": align, "va": "center_baseline", "transform": axes.transAxes, "bbox": ground}
            sheet.annotate(axes, across / room[0], up / room[1], name, **look)

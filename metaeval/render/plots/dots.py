"""Rows of values with intervals, as dots or as bars from 0, in panels side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.arrays import Floats
from metaeval.render.plots.canvas import (
    APART,
    DEFAULT,
    MARKERS,
    MAX_LABEL,
    WIDTH,
    Look,
    Palette,
    Sheet,
    label,
    labels,
    number,
    pitch,
    row_size,
    series_style,
    sheet_with_legend,
    spread_labels,
    text_colour,
    width_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LEAST, MOST_ACROSS, GAP = 1.2, 4, 0.3
"""The smallest width of a panel in inches, the largest number of panels side by side, and the space between them."""

LEAST_PRINTED = 4
"""The smallest per cent of a stacked bar that are printed."""

MAX_STICKS = 60
"""More distinct values of a distribution are drawn as a histogram."""


@dataclass(frozen=True)
class Series:
    """A value in each row of a panel, NaN for none, and the ends of its interval.

    look: of the dots, one for all or one for each row. name: in the legend. is_bar: whether values are bars from 0.
    """

    values: Floats
    low: Floats | None = None
    high: Floats | None = None
    _: KW_ONLY
    look: Look | Sequence[Look] = DEFAULT
    name: str = ""
    is_bar: bool = False

    def look_of(self, row: int) -> Look:
        """The look of the dot in a row."""
        return self.look if isinstance(self.look, Look) else self.look[row]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Rows with their names, and one or more series of values.

    heading: a text above the panel, which begins a new line of panels. ends: texts at the right of the rows. bold: the
    rows whose text is bold. bands: of adjacent rows with the same value, every second group is shaded. limits: of the
    axis; None for those of the values. ticks: on the axis. distributions: of each row, values and their weights.
    is_stacked: whether the series are shares of one bar in each row, in per cent.
    """

    rows: Sequence[str]
    series: Sequence[Series]
    title: str = ""
    heading: str = ""
    ends: Sequence[str] = ()
    bold: Sequence[int] = ()
    bands: Sequence[object] = ()
    limits: tuple[float, float] | None = None
    ticks: Sequence[float] = ()
    distributions: Sequence[tuple[Floats, Floats] | None] = ()
    is_stacked: bool = False


@dataclass(frozen=True, kw_only=True)
class DotPlot:
    """Panels of rows, whose names are at the left of each line of panels, or of each panel if they differ.

    across: the name of the axis. legend: texts and looks; by default those of series with names. end_name: the name of
    the texts at the right. longest: maximum width of the names of rows, in narrow characters.
    """

    panels: Sequence[Panel]
    across: str
    legend: Sequence[tuple[str, Look]] = ()
    remark: str = ""
    end_name: str = ""
    longest: int = MAX_LABEL
    has_zero: bool = False

    def draw(self, palette: Palette, title: str) -> Figure:
        """Draw the panels, with the legend above them."""
        rows = max(len(panel.rows) for panel in self.panels)
        size = row_size(rows)
        left = width_of((name for panel in self.panels for name in labels(panel.rows, self.longest)), size) + 0.15
        right = width_of((self.end_name, *(end for panel in self.panels for end in panel.ends)), size) + GAP
        blocks: list[list[Panel]] = []
        for panel in self.panels:
            if panel.heading or not blocks:
                blocks.append([])
            blocks[-1].append(panel)
        has_own_names = any(panel.rows != block[0].rows for block in blocks for panel in block)
        first, left = (0.0, left) if has_own_names else (left, 0.0)
        most = min(MOST_ACROSS, int((WIDTH - first) / (left + LEAST + right)))
        longest = max(map(len, blocks))
        # The lines of a block have about equal numbers of panels.
        across = math.ceil(longest / math.ceil(longest / max(1, most)))
        step = (WIDTH - first) / across
        lines = [block[start : start + across] for block in blocks for start in range(0, len(block), across)]
        heights = [self._row_height(line[0]) * max(len(panel.rows) for panel in line) for line in lines]
        spaces = [(0.3 if line[0].heading else 0.0) + (0.25 if line[0].title else 0.1) for line in lines]
        below = sum(heights) + sum(spaces) + 0.35 * len(lines)
        entries = [(text, look.mark(palette)) for text, look in self.legend or self._names()]
        sheet, top = sheet_with_legend(palette, title, entries, below + 0.25, remark=self.remark)
        for line, height, space in zip(lines, heights, spaces, strict=True):
            if line[0].heading:
                sheet.write(0, top + 0.2, label(line[0].heading, 80), weight="bold")
            top += space
            for index, panel in enumerate(line):
                start = first + left + index * step
                axes = sheet.axes(start, top, step - left - right, height)
                sheet.write(start, top - 0.07, label(panel.title, int((step - 0.1) / 0.07)), weight="bold")
                row_labels = labels(panel.rows, self.longest)
                sheet.name_rows(axes, [""] * len(row_labels) if index and not has_own_names else row_labels, size)
                self._draw_panel(sheet, axes, panel, size)
                if line is lines[-1] and index == 0:
                    sheet.horizontal(axes, self.across)
            top += height + 0.35
        return sheet.figure

    def _names(self) -> list[tuple[str, Look]]:
        legend_series = [series for series in self.panels[0].series if series.name]
        return [(label(series.name, 40), series.look_of(0)) for series in legend_series]

    def _row_height(self, panel: Panel) -> float:
        """The height of a row in inches; one with several intervals is higher."""
        has_intervals = len(panel.series) > 1 and any(series.low is not None for series in panel.series)
        height = pitch(len(panel.rows))
        if has_intervals and len(panel.rows) <= 30:
            height = max(height, 0.1 + 0.04 * len(panel.series))
        return height if len(self.panels) < MOST_ACROSS else min(height, 0.18)

    def _draw_panel(self, sheet: Sheet, axes: Axes, panel: Panel, size: float) -> None:
        palette, rows = sheet.palette, len(panel.rows)
        sheet.grid(axes, "x")
        for start, end in _bands(
            panel.bands or (range(rows) if len(panel.series) > 1 and not panel.is_stacked else ())
        ):
            axes.axhspan(start - 0.5, end - 0.5, facecolor=palette.grid, alpha=0.35, linewidth=0)
        if self.has_zero:
            axes.axvline(0, color=palette.ink, linewidth=0.8)
        if panel.is_stacked:
            _draw_stacks(sheet, axes, panel)
        else:
            _draw_series(sheet, axes, panel)
        self._draw_ends(sheet, axes, panel, size)
        if panel.limits is not None:
            axes.set_xlim(*panel.limits)
        width = axes.get_position().width * sheet.width
        axes.locator_params(axis="x", nbins=min(9, max(3, int(width / 0.5))))
        if panel.ticks:
            axes.set_xticks(panel.ticks)

    def _draw_ends(self, sheet: Sheet, axes: Axes, panel: Panel, size: float) -> None:
        """Write the texts at the right of the rows, and their name above them."""
        step = sheet.label_step(axes, len(panel.rows))
        look = {"size": size, "transform": sheet.right_of(axes), "va": "center_baseline"}
        for row, text in list(enumerate(panel.ends))[::step]:
            sheet.annotate(axes, 0, row, text, weight="bold" if row in panel.bold else "normal", **look)
        above = -0.5 - 0.08 / pitch(len(panel.rows))
        sheet.annotate(axes, 0, above, self.end_name, **look | {"color": sheet.palette.muted})


def _draw_series(sheet: Sheet, axes: Axes, panel: Panel) -> None:
    """Draw the values of a panel; those of a row are shifted against each other, and below its distribution."""
    for row, distribution in enumerate(panel.distributions):
        if distribution is not None:
            _draw_distribution(axes, row, distribution, sheet.palette.muted)
    middle, shift = (len(panel.series) - 1) / 2, 0.72 / len(panel.series)
    foot = 0.22 if any(panel.distributions) else 0.0
    for index, series in enumerate(panel.series):
        for row, name in enumerate(panel.rows):
            _draw_value(sheet, axes, series, (row, row + (index - middle) * shift + foot), name)


def _draw_stacks(sheet: Sheet, axes: Axes, panel: Panel) -> None:
    """Draw the shares of each row one after the other, with the numbers of those that are wide enough."""
    from matplotlib.colors import to_rgb

    starts = np.zeros(len(panel.rows))
    for series in panel.series:
        colour, shares = series.look_of(0).style(sheet.palette)["color"], np.nan_to_num(series.values)
        axes.barh(range(len(starts)), shares, left=starts, height=0.72, color=colour, linewidth=0)
        for row in np.flatnonzero(shares >= LEAST_PRINTED).tolist():
            style = {"color": text_colour(to_rgb(colour)), "ha": "center", "va": "center_baseline"}
            sheet.annotate(axes, starts[row] + shares[row] / 2, row, number(shares[row], 0), **style)
        starts += shares


def _bands(values: Sequence[object]) -> Iterator[tuple[int, int]]:
    """The first row, and that after the last, of every second group of adjacent rows with the same value."""
    changes = [row for row in range(1, len(values)) if values[row] != values[row - 1]]
    if values:
        yield from zip([0, *changes][::2], [*changes, len(values)][::2], strict=True)


def _draw_value(sheet: Sheet, axes: Axes, series: Series, at: tuple[int, float], name: str) -> None:
    """Draw the dot or bar of a row, with its interval, at a height."""
    row, height = at
    value = float(series.values[row])
    style = series.look_of(row).style(sheet.palette, name, row)
    if series.is_bar:
        axes.barh(height, np.nan_to_num(value), height=0.66, color=style["color"], linewidth=0)
        if np.isnan(value):
            sheet.annotate(axes, 0, height, " —", color=sheet.palette.muted, va="center_baseline")
    if series.low is not None and series.high is not None and not np.isnan(series.low[row] + series.high[row]):
        colour = sheet.palette.ink if series.is_bar else style["color"]
        axes.hlines(height, series.low[row], series.high[row], color=colour, linewidth=1.2)
    if not series.is_bar:
        axes.plot(value, height, clip_on=False, zorder=3, **style)


def _draw_distribution(axes: Axes, row: int, distribution: tuple[Floats, Floats], colour: str) -> None:
    """Draw values with their weights above the dot of a row: as sticks if there are few, else as a histogram."""
    values, weights = distribution
    ground = row + 0.08
    if len(values) <= MAX_STICKS:
        axes.vlines(values, ground, ground - 0.52 * weights / weights.max(), color=colour, alpha=0.45, linewidth=3)
        return
    counts, edges = np.histogram(values, bins=40, weights=weights)
    axes.stairs(ground - 0.52 * counts / counts.max(), edges, baseline=ground, fill=True, color=colour, alpha=0.45)


def dot_series(series: Mapping[str, Series]) -> list[Series]:
    """The series with their names, and looks without colours, which stand for measures; that of the mean is filled."""
    markers = [marker for marker in MARKERS if marker != "D"]
    dots = []
    for index, (name, values) in enumerate(series.items()):
        turn, which = divmod(index, len(markers))
        look = Look("ink", "D") if name == "mean" else Look("muted", markers[which], filled=turn % 2 == 1)
        dots.append(replace(values, name=name, look=look))
    return dots


MAX_NAMED = 30
"""Of more systems, the lines of those that are not coloured are pale and have no names."""

BEST, MOVERS = 4, 3
"""Numbers of the best real systems, and of those with the largest differences of ranks, that are coloured."""


@dataclass(frozen=True, kw_only=True)
class RankPlot:
    """A line for each system through its rank under each measure.

    ranks: (systems, measures), ties share the lowest. dotted: indices of systems that are not coloured.
    """

    systems: Sequence[str]
    measures: Sequence[str]
    ranks: Floats
    dotted: Sequence[int] = ()

    @property
    def coloured(self) -> list[int]:
        """The systems whose lines are coloured: the best, and those whose ranks vary most."""
        means, moves = self.ranks.mean(axis=1), np.ptp(self.ranks, axis=1)
        best = [system for system in np.argsort(means, kind="stable").tolist() if system not in self.dotted][:BEST]
        movers = np.argsort(-moves, kind="stable").tolist()
        return [*best, *[system for system in movers if system not in (*best, *self.dotted)][:MOVERS]]

    def draw(self, palette: Palette, title: str) -> Figure:
        """Draw the lines, with the names and ranks of the systems at both ends."""
        count, last = len(self.systems), len(self.measures) - 1
        pitch = min(0.17, 5 / count)
        left = 0.85 * width_of(labels(self.systems, 28)) + 0.4
        step = max(0.3, (WIDTH - 2 * left) / last)
        heads = labels(self.measures)
        is_level = width_of(heads) < step
        above = 0.15 if is_level else 0.15 + 0.36 * width_of(heads)
        sheet = Sheet(palette, left * 2 + step * last, above + pitch * count + 0.2, title)
        axes = sheet.axes(left, above, step * last, pitch * count)
        axes.set_axis_off()
        axes.set_xlim(0, last)
        axes.set_ylim(count + 0.5, 0.5)
        slots = distinct_ranks(self.ranks)
        self._draw_lines(axes, slots, palette)
        self._draw_ties(axes, slots, palette)
        self._name_ends(sheet, axes, slots, gap=0.13 / pitch, aside=0.1 / step)
        look = {"ha": "center"} if is_level else {"ha": "left", "rotation": 25}
        for measure, name in enumerate(heads):
            sheet.annotate(axes, measure, 0.5 - 0.06 / pitch, name, va="bottom", **look)
        return sheet.figure

    def _draw_lines(self, axes: Axes, slots: Floats, palette: Palette) -> None:
        pale = palette.grid if len(self.systems) > MAX_NAMED else palette.muted
        for system, heights in enumerate(slots):
            if system in self.coloured:
                colour, line, marker = series_style(self.coloured.index(system))
                look = {"linewidth": 2.0, "markersize": 5.0, "zorder": 3}
            else:
                colour, line, marker = pale, ":" if system in self.dotted else "-", "."
                look = {"linewidth": 0.8, "markersize": 3.2, "zorder": 2}
            style: dict[str, Any] = {"color": colour, "linestyle": line, "marker": marker, **look}
            axes.plot(np.arange(len(heights)), heights, clip_on=False, **style)

    def _draw_ties(self, axes: Axes, slots: Floats, palette: Palette) -> None:
        """Draw a bar behind systems with the same rank."""
        look: dict[str, Any] = {
            "color": palette.muted,
            "linewidth": 7,
            "alpha": 0.35,
            "solid_capstyle": "round",
            "zorder": 1,
        }
        for measure, ranks in enumerate(self.ranks.T):
            for rank in np.unique(ranks):
                tied = slots[ranks == rank, measure]
                if len(tied) > 1:
                    axes.plot([measure, measure], [tied.min(), tied.max()], clip_on=False, **look)

    def _name_ends(self, sheet: Sheet, axes: Axes, slots: Floats, *, gap: float, aside: float) -> None:
        """Write names and ranks at both ends; of many systems only the coloured ones have names."""
        names, palette, last = labels(self.systems, 28), sheet.palette, len(self.measures) - 1
        indices = self.coloured if len(names) > MAX_NAMED else list(range(len(names)))
        for measure, align in ((0, "right"), (last, "left")):
            x = measure + aside if align == "left" else measure - aside
            heights = spread_labels(slots[indices, measure].tolist(), gap)
            for system, height in zip(indices, heights, strict=True):
                rank = f"{self.ranks[system, measure]:.0f}"
                text = f"{rank}{APART}{names[system]}" if align == "left" else f"{names[system]}{APART}{rank}"
                colour = palette.ink if system in self.coloured else palette.muted
                sheet.annotate(axes, x, height, text, va="center_baseline", ha=align, color=colour)


def distinct_ranks(ranks: Floats) -> Floats:
    """Ranks without ties, which are broken by the order under the measure before.

    ranks: (systems, measures), ties share the lowest.

    >>> distinct_ranks(np.array([[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]])).tolist()
    [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    """
    distinct = np.empty_like(ranks)
    before = np.arange(len(ranks), dtype=np.float64)
    for measure, column in enumerate(ranks.T):
        distinct[np.lexsort((before, column)), measure] = np.arange(1, len(ranks) + 1)
        before = distinct[:, measure]
    return distinct

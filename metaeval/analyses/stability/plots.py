"""Plots of `stability`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import (
    APART,
    SMALL,
    TEXT,
    WIDTH,
    Palette,
    Sheet,
    labels,
    number,
    pitch,
    row_size,
    width_of,
)
from metaeval.render.plots.columns import Numbers, cells_of, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.lineplot import curves_of, picture_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Distribution = tuple[Numbers, Numbers]
"""Values of tau, and the number of trials with each."""

TAU = "tau-b between halves"

MAX_STICKS = 60
"""More distinct values of tau are drawn as a histogram."""


@plot("stability", title="Stability of the rankings", needs=("stability",))
def stability(tables: Tables) -> Picture | None:
    """A row for each measure: the distribution of the trials, their mean and the middle 95 %."""
    table = tables["stability"]
    names, means = texts(table, "measure"), numbers(table, "mean")
    low, high = numbers(table, "low"), numbers(table, "high")
    if np.isnan(means).all():
        return None
    spreads = _spreads(tables["stability_distribution"], names) if "stability_distribution" in tables else {}
    letters = _letters(table)

    def paint(palette: Palette, title: str) -> Figure:
        rows, size = len(names), row_size(len(names))
        height = pitch(rows) * rows
        left = width_of(labels(names), size) + 0.15
        sheet = Sheet(palette, WIDTH, height + 0.75, title)
        axes = sheet.axes(left, 0.2, WIDTH - left - 1, height)
        sheet.grid(axes, "x")
        sheet.name_rows(axes, labels(names), size)
        for row, name in enumerate(names):
            if name in spreads:
                _ridge(axes, row, spreads[name], palette.muted)
        foot = np.arange(rows) + (0.22 if spreads else 0)
        for row, name in enumerate(names):
            colour, _, marker = palette.style(name, row)
            axes.hlines(foot[row], low[row], high[row], color=colour, linewidth=1.2)
            axes.plot(means[row], foot[row], marker, color=colour, markersize=4.5 if rows <= 60 else 3, clip_on=False)
        look = {"size": size, "transform": sheet.right_of(axes), "va": "center_baseline"}
        for row, mean in list(enumerate(means))[:: sheet.label_step(axes, rows)]:
            sheet.annotate(axes, 0, row, f"{number(mean)}{APART}{letters[row]}".rstrip(), **look)
        every = np.concatenate([low, high, means, *(values for values, _ in spreads.values())])
        axes.set_xlim(*_limits(every, 0.03))
        what = "trials (bars), their mean and middle 95 %" if spreads else "mean and middle 95 % of the trials"
        sheet.horizontal(axes, f"{TAU}: {what}")
        if any(letters):
            sheet.write(WIDTH - 0.9, 0.14, "mean, letters", size=SMALL, color=palette.muted)
        return sheet.figure

    best, worst = (
        f"{names[place]} {number(means[place])} ({number(low[place])} to {number(high[place])})"
        for place in (int(np.nanargmax(means)), int(np.nanargmin(means)))
    )
    alt = f"One row for each of {pluralize(len(names), 'measure')}: {TAU}, mean and the middle 95 % of the trials. "
    return Picture(f"{alt}Highest: {best}; lowest: {worst}.", paint)


def _letters(table: Table) -> list[str]:
    if not has(table, "letters"):
        return [""] * len(table.rows)
    return [str(cell) if isinstance(cell, str) else "" for cell in cells_of(table, "letters")]


def _spreads(table: Table, names: Sequence[str]) -> dict[str, Distribution]:
    measures, taus, trials = np.array(texts(table, "measure")), numbers(table, "tau"), numbers(table, "trials")
    rows = {name: (measures == name) & ~np.isnan(taus) & ~np.isnan(trials) for name in names}
    return {name: (taus[here], trials[here]) for name, here in rows.items() if here.any()}


def _ridge(axes: Axes, row: int, spread: Distribution, colour: str) -> None:
    """The trials above the line of the row: as sticks if tau has few values, else as a histogram."""
    values, trials = spread
    ground = row + 0.08
    if len(values) <= MAX_STICKS:
        axes.vlines(values, ground, ground - 0.52 * trials / trials.max(), color=colour, alpha=0.45, linewidth=3)
        return
    counts, edges = np.histogram(values, bins=40, weights=trials)
    axes.stairs(ground - 0.52 * counts / counts.max(), edges, baseline=ground, fill=True, color=colour, alpha=0.45)


def _limits(values: Numbers, margin: float) -> tuple[float, float]:
    """The range of the values, with a margin on both sides, as a share of it."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    aside = margin * (high - low) or 0.02
    return low - aside, high + aside


@plot("critical_difference", title="Which measures differ in stability", needs=("stability",))
def critical_difference(tables: Tables) -> Picture | None:
    """A critical-difference diagram (Demšar 2006): means on an axis, a bar for measures that do not differ."""
    table = tables["stability"]
    rows = zip(texts(table, "measure"), numbers(table, "mean").tolist(), _letters(table), strict=True)
    measures = sorted((row for row in rows if row[1] == row[1]), key=lambda row: -row[1])
    if len(measures) < 2 or not any(letters for _, _, letters in measures):
        return None
    means = [mean for _, mean, _ in measures]
    by_letter: dict[str, list[int]] = {}
    for place, (_, _, letters) in enumerate(measures):
        for letter in letters:
            by_letter.setdefault(letter, []).append(place)
    groups = [places for places in by_letter.values() if len(places) > 1]
    bars = _lanes([(min(places), max(places)) for places in groups])

    def paint(palette: Palette, title: str) -> Figure:
        return _diagram(palette, title, labels([name for name, _, _ in measures]), means, bars)

    equal = " | ".join("; ".join(measures[place][0] for place in places) for places in groups)
    differences = f"not significantly different: {equal}" if groups else "all differences are significant"
    ends = f"from {measures[-1][0]} ({number(means[-1])}) to {measures[0][0]} ({number(means[0])})"
    count = pluralize(len(measures), "measure")
    return Picture(f"Critical-difference diagram of {count} by mean {TAU}, {ends}; {differences}.", paint)


def _lanes(bars: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The bars on the smallest number of levels on which they do not overlap."""
    lanes: list[list[tuple[int, int]]] = []
    for bar in sorted(bars):
        free = next((lane for lane in lanes if lane[-1][1] < bar[0]), None)
        if free is None:
            lanes.append([bar])
        else:
            free.append(bar)
    return lanes


def _diagram(
    palette: Palette,
    title: str,
    names: Sequence[str],
    means: Sequence[float],
    bars: Sequence[Sequence[tuple[int, int]]],
) -> Figure:
    """The axis is at the top, the better half of the names at the right, and the bars are below the axis."""
    step, lane = 0.21, 0.1
    better = (len(names) + 1) // 2
    left = width_of(names[better:], TEXT) + 0.75
    right = width_of(names[:better], TEXT) + 0.75
    width = WIDTH - left - right
    depth = 0.16 + lane * len(bars)
    height = depth + step * better
    sheet = Sheet(palette, left + width + right, height + 0.6, title)
    axes = sheet.axes(left, 0.5, width, height)
    axes.spines["bottom"].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.xaxis.tick_top()
    axes.tick_params(length=3, color=palette.muted)
    axes.set_yticks([])
    axes.set_ylim(height, 0)
    low, high = _limits(np.array(means), 0.04)
    axes.set_xlim(low, high)
    inch = (high - low) / width
    for place, (name, mean) in enumerate(zip(names, means, strict=True)):
        is_better = place < better
        down = depth + step * ((place if is_better else len(names) - 1 - place) + 0.5)
        end = high + 0.12 * inch if is_better else low - 0.12 * inch
        axes.plot([mean, mean, end], [0, down, down], color=palette.muted, linewidth=0.7, clip_on=False)
        aside = 0.05 * inch if is_better else -0.05 * inch
        text = f"{number(mean, 3)}{APART}{name}" if is_better else f"{name}{APART}{number(mean, 3)}"
        sheet.annotate(axes, end + aside, down, text, ha="left" if is_better else "right", va="center_baseline")
    for place, (first, last) in [(place, bar) for place, level in enumerate(bars) for bar in level]:
        down, reach = 0.1 + lane * place, 0.03 * inch
        axes.plot([means[first] + reach, means[last] - reach], [down, down], color=palette.ink, linewidth=3,
                  solid_capstyle="butt")  # fmt: skip
    sheet.write(left, 0.2, f"mean {TAU}; a bar joins measures that are not significantly different", size=SMALL)
    return sheet.figure


@plot("stability_curve", title="Stability by the number of items", needs=("stability_curve",))
def stability_curve(tables: Tables) -> Picture | None:
    """Mean tau between halves by their size, a line for each measure, with the middle 95 % of the trials."""
    curves = curves_of(tables["stability_curve"], "items", "mean")
    return picture_of(curves, "items in each half", "mean tau-b between halves")

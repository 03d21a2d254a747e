"""Plots of `stability`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metaeval.analyses.sentences import Numbers
from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import (
    APART,
    SMALL,
    TEXT,
    WIDTH,
    Look,
    Palette,
    Sheet,
    labels,
    limits,
    number,
    width_of,
)
from metaeval.render.plots.columns import cells_of, extremes, has, numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.render.plots.lines import curves_of, picture_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TAU = "tau-b between halves"

STEP, LANE = 0.21, 0.1
"""The height of a name and of a bar in a critical-difference diagram, in inches."""


@plot("stability", title="Stability of the rankings", needs=("stability",))
def stability(tables: Tables) -> Picture | None:
    """A row for each measure: the distribution of the trials, their mean and the middle 95 %."""
    table = tables["stability"]
    names, letters = texts(table, "measure"), _letters(table)
    means, low, high = (numbers(table, name) for name in ("mean", "low", "high"))
    if np.isnan(means).all():
        return None
    trials = _trials(tables["stability_distribution"]) if "stability_distribution" in tables else {}
    drawn = [trials.get(name) for name in names]
    taus = [distribution[0] for distribution in drawn if distribution is not None]
    panel = Panel(
        rows=names,
        series=[Series(means, low, high, look=Look(size=4.5 if len(names) <= 60 else 3.0))],
        ends=[f"{number(mean)}{APART}{text}".rstrip() for mean, text in zip(means, letters, strict=True)],
        limits=limits(low, high, means, *taus, margin=0.03),
        distributions=drawn,
    )
    what = "trials (bars), their mean and middle 95 %" if taus else "mean and middle 95 % of the trials"
    end_name = "mean, letters" if any(letters) else "mean"
    (lowest,), (highest,) = extremes(means)
    best, worst = (
        f"{names[row]} {number(means[row])} ({number(low[row])} to {number(high[row])})" for row in (highest, lowest)
    )
    alt = f"One row for each of {pluralize(len(names), 'measure')}: {TAU}, mean and the middle 95 % of the trials. "
    form = DotPlot(panels=[panel], across=f"{TAU}: {what}", end_name=end_name)
    return Picture(f"{alt}Highest: {best}; lowest: {worst}.", form.draw)


def _letters(table: Table) -> list[str]:
    cells = cells_of(table, "letters") if has(table, "letters") else [""] * len(table.rows)
    return [cell if isinstance(cell, str) else "" for cell in cells]


def _trials(table: Table) -> dict[str, tuple[Numbers, Numbers]]:
    """The values of tau of each measure, and the number of trials with each."""
    taus, trials = numbers(table, "tau"), numbers(table, "trials")
    known = ~np.isnan(taus) & ~np.isnan(trials)
    rows = {name: rows[known[rows]] for (name,), rows in rows_by(table, "measure").items()}
    return {name: (taus[own], trials[own]) for name, own in rows.items() if len(own)}


@plot("critical_difference", title="Which measures differ in stability", needs=("stability",))
def critical_difference(tables: Tables) -> Picture | None:
    """A critical-difference diagram (Demšar 2006): means on an axis, a bar for measures that do not differ."""
    table = tables["stability"]
    rows = zip(texts(table, "measure"), numbers(table, "mean").tolist(), _letters(table), strict=True)
    measures = sorted((row for row in rows if row[1] == row[1]), key=lambda row: -row[1])
    if len(measures) < 2 or not any(letters for _, _, letters in measures):
        return None
    names, means = [name for name, _, _ in measures], [mean for _, mean, _ in measures]
    by_letter: dict[str, list[int]] = {}
    for index, (_, _, letters) in enumerate(measures):
        for letter in letters:
            by_letter.setdefault(letter, []).append(index)
    groups = [members for members in by_letter.values() if len(members) > 1]
    form = CriticalDifference(names, means, _lanes([(members[0], members[-1]) for members in groups]))
    equal = " | ".join("; ".join(names[index] for index in members) for members in groups)
    differences = f"not significantly different: {equal}" if groups else "all differences are significant"
    ends = f"from {names[-1]} ({number(means[-1])}) to {names[0]} ({number(means[0])})"
    alt = f"Critical-difference diagram of {pluralize(len(names), 'measure')} by mean {TAU}, {ends}; {differences}."
    return Picture(alt, form.draw)


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


@dataclass(frozen=True)
class CriticalDifference:
    """Means on an axis at the top, the best first, and below it bars on lanes from one index to another."""

    names: Sequence[str]
    means: Sequence[float]
    lanes: Sequence[Sequence[tuple[int, int]]]

    def draw(self, palette: Palette, title: str) -> Figure:
        """Draw the diagram, with the better half of the names at the right."""
        names = labels(self.names)
        better = (len(names) + 1) // 2
        left, right = width_of(names[better:], TEXT) + 0.75, width_of(names[:better], TEXT) + 0.75
        width, depth = WIDTH - left - right, 0.16 + LANE * len(self.lanes)
        height = depth + STEP * better
        sheet = Sheet(palette, WIDTH, height + 0.6, title)
        axes = sheet.axes(left, 0.5, width, height)
        axes.spines["bottom"].set_visible(False)
        axes.spines["top"].set_visible(True)
        axes.xaxis.tick_top()
        axes.tick_params(length=3, color=palette.muted)
        axes.set_yticks([])
        axes.set_ylim(height, 0)
        low, high = limits(np.array(self.means))
        axes.set_xlim(low, high)
        inch = (high - low) / width
        for index, (name, mean) in enumerate(zip(names, self.means, strict=True)):
            if index < better:
                down, end, aside, align = index, high + 0.12 * inch, 0.05 * inch, "left"
                text = f"{number(mean, 3)}{APART}{name}"
            else:
                down, end, aside, align = len(names) - 1 - index, low - 0.12 * inch, -0.05 * inch, "right"
                text = f"{name}{APART}{number(mean, 3)}"
            y = depth + STEP * (down + 0.5)
            axes.plot([mean, mean, end], [0, y, y], color=palette.muted, linewidth=0.7, clip_on=False)
            sheet.annotate(axes, end + aside, y, text, ha=align, va="center_baseline")
        self._draw_bars(axes, 0.03 * inch, palette.ink)
        sheet.write(left, 0.2, f"mean {TAU}; a bar joins measures that are not significantly different", size=SMALL)
        return sheet.figure

    def _draw_bars(self, axes: Axes, reach: float, colour: str) -> None:
        for lane, bars in enumerate(self.lanes):
            for first, last in bars:
                x, y = [self.means[first] + reach, self.means[last] - reach], 0.1 + LANE * lane
                axes.plot(x, [y, y], color=colour, linewidth=3, solid_capstyle="butt")


@plot("stability_curve", title="Stability by the number of items", needs=("stability_curve",))
def stability_curve(tables: Tables) -> Picture | None:
    """Mean tau between halves by their size, a line for each measure, with the middle 95 % of the trials."""
    curves = curves_of(tables["stability_curve"], "items", "mean")
    return picture_of(curves, "items in each half", "mean tau-b between halves")

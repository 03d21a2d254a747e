"""Ranks of systems under several measures as lines, with a bar that joins tied systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.render.plots.canvas import (
    APART,
    SMALL,
    TEXT,
    WIDTH,
    Palette,
    Sheet,
    labels,
    series_style,
    width_of,
)
from metaeval.render.plots.columns import Numbers
from metaeval.render.plots.placing import spread_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    ranks: Numbers
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
        left = 0.85 * width_of(labels(self.systems, 28), TEXT) + 0.4
        step = max(0.3, (WIDTH - 2 * left) / last)
        heads = labels(self.measures)
        is_level = width_of(heads, SMALL) < step
        above = 0.15 if is_level else 0.15 + 0.36 * width_of(heads, SMALL)
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
            sheet.annotate(axes, measure, 0.5 - 0.06 / pitch, name, size=SMALL, va="bottom", **look)
        return sheet.figure

    def _draw_lines(self, axes: Axes, slots: Numbers, palette: Palette) -> None:
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

    def _draw_ties(self, axes: Axes, slots: Numbers, palette: Palette) -> None:
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

    def _name_ends(self, sheet: Sheet, axes: Axes, slots: Numbers, *, gap: float, aside: float) -> None:
        """Write names and ranks at both ends; of many systems only the coloured ones have names."""
        names, palette, last = labels(self.systems, 28), sheet.palette, len(self.measures) - 1
        named = self.coloured if len(names) > MAX_NAMED else list(range(len(names)))
        for measure, align in ((0, "right"), (last, "left")):
            x = measure + aside if align == "left" else measure - aside
            heights = spread_labels(slots[named, measure].tolist(), gap)
            for system, height in zip(named, heights, strict=True):
                rank = f"{self.ranks[system, measure]:.0f}"
                text = f"{rank}{APART}{names[system]}" if align == "left" else f"{names[system]}{APART}{rank}"
                colour = palette.ink if system in self.coloured else palette.muted
                sheet.annotate(axes, x, height, text, va="center_baseline", ha=align, color=colour)


def distinct_ranks(ranks: Numbers) -> Numbers:
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
